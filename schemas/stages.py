"""What work asks of the outside: evidence in a document, and somebody who hears how it gets on."""

from collections.abc import Sequence
from typing import Protocol

from corpusgraph.schemas.documents import Chunk, Document
from corpusgraph.schemas.evidence import Evidence


class Extractor(Protocol):
    """Finds evidence in one document. The same document and fingerprint give the same evidence."""

    @property
    def fingerprint(self) -> str:
        """Identify rules, settings and version: a changed fingerprint means extracting again."""

    @property
    def languages(self) -> frozenset[str]:
        """Languages whose sentences are parsed; of texts in others only names are read."""

    def extract(self, document: Document, chunks: Sequence[Chunk]) -> Evidence:
        """Return what the document says; spans point into `document.text`."""


class Progress(Protocol):
    """Hears how a stage gets on; the command line shows bars, a flow updates an artifact."""

    def start(self, stage: str, total: int | None) -> None:
        """Begin a stage of `total` steps, or of an unknown number."""

    def advance(self, stage: str, by: int = 1) -> None:
        """Count steps done."""

    def finish(self, stage: str, note: str = "") -> None:
        """End a stage."""


class Steps(Protocol):
    """Hears how a call of a tool gets on, and ends it where nobody waits for it any more."""

    def advance(self, what: str, done: int, total: int | None) -> None:
        """Take note of how much is done of how much, if that is known; 0 and None: of something that begins.

        Raises CallCancelledError, which ends the call.
        """
