"""What indexing asks of the outside: evidence in a document, and somebody who hears how it gets on."""

from collections.abc import Sequence
from typing import Protocol

from corpusgraph.schemas.documents import Chunk, Document
from corpusgraph.schemas.evidence import Evidence


class Extractor(Protocol):
    """Finds evidence in one document. The same document and fingerprint give the same evidence."""

    @property
    def fingerprint(self) -> str:
        """Identify rules, settings and version: a changed fingerprint means extracting again."""
        ...

    def extract(self, document: Document, chunks: Sequence[Chunk]) -> Evidence:
        """Return what the document says; spans point into `document.text`."""
        ...


class Progress(Protocol):
    """Hears how a stage gets on; the command line shows bars, a flow updates an artifact."""

    def start(self, stage: str, total: int | None) -> None:
        """Begin a stage of `total` steps, or of an unknown number."""
        ...

    def advance(self, stage: str, by: int = 1) -> None:
        """Count steps done."""
        ...

    def finish(self, stage: str, note: str = "") -> None:
        """End a stage."""
        ...
