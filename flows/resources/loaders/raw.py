"""What a reader returns before the corpus gives it an id and the metadata of its table."""

from dataclasses import dataclass, field

from corpusgraph.schemas.base import JsonDict
from corpusgraph.schemas.documents import PageSpan
from corpusgraph.tasks.text.readable import Reading


class UnusableError(Exception):
    """A file, a row or a part of one cannot be read as its kind; becomes a line of the failure ledger.

    A note is a line, too, but nothing failed: something was mended, or may be missing.
    """

    def __init__(self, code: str, message: str, *, is_note: bool = False) -> None:
        super().__init__(message)
        self.code = code
        self.message = message
        self.is_note = is_note


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


def unreadable(reading: Reading, where: str = "", hint: str = "") -> UnusableError:
    """Tell how much of a text cannot be read: so much that it is not used, or a part that was left out."""
    counted = f"{reading.n_lost:,} of {reading.n_characters:,} characters are unreadable ({reading.why})"
    hint = hint or "The file needs another source of its text."
    if reading.is_unreadable:
        return UnusableError("unreadable_text", f"{where}{counted}: it is not used. {hint}")
    return UnusableError("unreadable_part", f"{where}{counted} and were left out. {hint}")


def mended_encoding(n_lines: int, where: str = "") -> UnusableError:
    """Tell that text whose encoding had been mistaken was put right."""
    lines = "1 line" if n_lines == 1 else f"{n_lines:,} lines"
    message = f"{where}text written in UTF-8 had been read as another encoding; put right in {lines}"
    return UnusableError("mended_encoding", message, is_note=True)
