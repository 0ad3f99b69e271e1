"""What a reader returns before the corpus gives it an id and the metadata of its table."""

from dataclasses import dataclass, field

from corpusgraph.schemas.base import JsonDict
from corpusgraph.schemas.documents import PageSpan


class UnusableError(Exception):
    """A file, a row or a part of one cannot be read as its kind; becomes a line of the failure ledger."""

    def __init__(self, code: str, message: str) -> None:
        super().__init__(message)
        self.code = code
        self.message = message


@dataclass(frozen=True)
class Raw:
    """Text of one document as its file has it.

    `key` tells rows of one file apart. `problems` are parts that were lost while the rest could be read: they
    go to the failure ledger beside the document.
    """

    text: str
    title: str | None = None
    metadata: JsonDict = field(default_factory=dict)
    pages: tuple[PageSpan, ...] = ()
    key: str | None = None
    problems: tuple[UnusableError, ...] = ()
