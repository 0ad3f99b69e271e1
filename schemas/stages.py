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
        """Return what the document says; spans point into `document.text`.

        Parameters
        ----------
        document : Document
            The whole text.
        chunks : sequence of Chunk
            Its chunks, which findings are assigned to.

        Returns
        -------
        Evidence
            Mentions, assertions, claims and events; spans count characters of `document.text`.

        """


class Progress(Protocol):
    """Hears how a stage gets on; the command line shows bars, a flow updates an artifact."""

    def start(self, stage: str, total: int | None) -> None:
        """Begin a stage of `total` steps, or of an unknown number.

        Parameters
        ----------
        stage : str
            Name of the stage.
        total : int or None
            Steps that are to come; None where nobody knows.

        """

    def advance(self, stage: str, by: int = 1) -> None:
        """Count steps done.

        Parameters
        ----------
        stage : str
            Name of a stage that was started.
        by : int, default 1
            Steps done since the last call.

        """

    def finish(self, stage: str, note: str = "") -> None:
        """End a stage.

        Parameters
        ----------
        stage : str
            Name of a stage that was started.
        note : str, default ''
            What is to be said beside it, such as a count.

        """


class Steps(Protocol):
    """Hears how a call of a tool gets on, and ends it where nobody waits for it any more."""

    def advance(self, what: str, done: int, total: int | None) -> None:
        """Take note of how much is done of how much.

        Parameters
        ----------
        what : str
            What is going on, in a word or two.
        done : int
            Items done; 0 for something that begins.
        total : int or None
            Items in all; None where nobody knows.

        Raises
        ------
        CallCancelledError
            Where nobody waits for the result any more: it ends the call.

        """
