"""The passage behind a causal arrow, a claim or an event."""

from typing import Literal

from corpusgraph.schemas.base import Confidence, Noun


class Passage(Noun):
    """A sentence of a document that speaks for or against a record; offsets count characters."""

    evidence_id: str
    document_id: str
    chunk_id: str
    start: int
    end: int
    text: str
    stance: Literal["for", "against"] = "for"
    title: str = ""
    source: str = ""
    page: int | None = None
    confidence: Confidence = 1.0
