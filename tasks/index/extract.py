"""Extraction without a model: rules that find names, relations, claims and events in one document."""

from collections.abc import Sequence

from corpusgraph.schemas.base import nfc, stable_id
from corpusgraph.schemas.documents import Chunk, Document
from corpusgraph.schemas.evidence import Evidence
from corpusgraph.tasks.index.rules.assemble import assemble
from corpusgraph.tasks.index.rules.reading import read_document

VERSION = "5"
"""Raise it with every change of rules: cached evidence of older rules is then made again."""


class OfflineExtractor:
    """Implements `ports.Extractor` by rules: no key, no download, the same result on every machine."""

    @property
    def fingerprint(self) -> str:
        """Identify the rules."""
        return f"offline-rules-{VERSION}"

    def extract(self, document: Document, chunks: Sequence[Chunk]) -> Evidence:
        """Return the evidence of one document; spans point into `document.text`."""
        return assemble(read_document(document), chunks)


def query_names(text: str) -> list[str]:
    """Return the names in a question, in order, without repeats: "Who met John Snow?" -> ["John Snow"]."""
    question = nfc(text)
    document = Document(
        id=stable_id("doc", question), title="", text=question, source="", content_hash="", language="en"
    )
    reading = read_document(document)
    names = [name.text for sentence in reading.names for name in sentence]
    dates = [question[date.start : date.end] for sentence in reading.dates for date in sentence]
    return list(dict.fromkeys(names + dates))
