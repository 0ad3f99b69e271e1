"""PDF: text page by page, with the characters of each page known."""

import io
import logging
import re
import struct
import zlib
from typing import Any

from corpusgraph.flows.resources.loaders.decoding import clean
from corpusgraph.flows.resources.loaders.raw import Raw, UnusableError
from corpusgraph.schemas.base import JsonDict
from corpusgraph.schemas.documents import PageSpan

_AT_LINE_END = re.compile(r"([^\W\d_]+)(-|\u00ad|\u2010)[ \t]*\n[ \t]*([^\W\d_]+)")
_COMPOUND = re.compile(r"[^\W\d_]+-[^\W\d_]+")
_LIGATURES = str.maketrans(
    {"ﬀ": "ff", "ﬁ": "fi", "ﬂ": "fl", "ﬃ": "ffi", "ﬄ": "ffl", "ﬅ": "st", "ﬆ": "st", "\u200b": None}
)
_NO_TITLE = re.compile(r"Microsoft Word - |untitled\b", re.IGNORECASE)


def read_pdf(data: bytes, encoding: str | None) -> list[Raw]:  # noqa: ARG001 - the format fixes it
    """Read a PDF; one that is encrypted, broken or holds only pictures cannot be used.

    A single page that cannot be read is left empty and told of beside the document.
    """
    from pypdf.errors import DependencyError

    logging.getLogger("pypdf").setLevel(logging.CRITICAL)  # what matters goes to the failure ledger
    problems: list[UnusableError] = []
    try:
        reader = _opened(data)
        texts = [_page(page, number, problems) for number, page in enumerate(reader.pages, start=1)]
        given = reader.metadata
        title, author = (clean(str(given.title or "")), clean(str(given.author or ""))) if given else ("", "")
    except DependencyError as error:
        raise UnusableError("encrypted", f"the PDF is encrypted: {error}") from None
    except _broken() as error:
        raise UnusableError("malformed", f"not readable as a PDF: {error}") from None
    if not any(text.strip() for text in texts):
        if problems:
            raise problems[0]
        raise UnusableError("no_text", f"the PDF's {len(texts)} pages hold no text (scanned pictures?)")
    text, pages = _joined(_unhyphenated(texts))
    metadata: JsonDict = {"author": author.strip()} if author.strip() else {}
    told = None if _NO_TITLE.match(title) else title.strip() or None
    return [Raw(text=text, title=told, metadata=metadata, pages=pages, problems=tuple(problems))]


def _broken() -> tuple[type[Exception], ...]:
    """Return what pypdf is known to raise for files that break the format's rules."""
    from pypdf.errors import PyPdfError

    wrong = (
        ValueError,
        LookupError,
        TypeError,
        AttributeError,
        ArithmeticError,
        AssertionError,
        RuntimeError,
    )
    return (PyPdfError, *wrong, OSError, zlib.error, struct.error)


def _opened(data: bytes) -> Any:
    from pypdf import PdfReader

    reader = PdfReader(io.BytesIO(data))
    if reader.is_encrypted and not reader.decrypt(""):
        raise UnusableError("encrypted", "the PDF is encrypted and needs a password")
    return reader


def _page(page: Any, number: int, problems: list[UnusableError]) -> str:
    try:
        return clean(page.extract_text()).translate(_LIGATURES)
    except _broken() as error:
        problems.append(UnusableError("damaged_page", f"page {number} cannot be read: {error}"))
        return ""


def _unhyphenated(texts: list[str]) -> list[str]:
    """Join words that a line end cut in two; a compound that stands unbroken elsewhere keeps its hyphen."""
    compounds = {found.lower() for text in texts for found in _COMPOUND.findall(text)}

    def joined(match: re.Match[str]) -> str:
        first, mark, rest = match.groups()
        if not rest[0].islower():
            return match[0] if mark != "\u00ad" else f"{first}{rest}"
        return (
            f"{first}-{rest}" if f"{first}-{rest}".lower() in compounds and mark == "-" else f"{first}{rest}"
        )

    return [clean(_AT_LINE_END.sub(joined, text).replace("\u00ad", "")) for text in texts]


def _joined(texts: list[str]) -> tuple[str, tuple[PageSpan, ...]]:
    """Join pages by one line end, so that a sentence can run over: a page owns the line end after it."""
    spans, at = [], 0
    for number, text in enumerate(texts, start=1):
        end = at + len(text) + (1 if number < len(texts) else 0)
        spans.append(PageSpan(page=number, start=at, end=end))
        at = end
    return "\n".join(texts), tuple(spans)
