"""PDF: text page by page, with the characters of each page known."""

import io
import logging
import re

from corpusgraph.flows.resources.loaders.raw import Raw, UnusableError
from corpusgraph.schemas.base import JsonDict, nfc
from corpusgraph.schemas.documents import PageSpan

_HYPHENATED = re.compile(r"(?<=[^\W\d_])-\n(?=[a-zß-ÿ])")


def read_pdf(data: bytes, encoding: str | None) -> list[Raw]:  # noqa: ARG001 - the format fixes it
    """Read a PDF; one that is encrypted, broken or holds only pictures cannot be used."""
    from pypdf import PdfReader
    from pypdf.errors import PyPdfError

    logging.getLogger("pypdf").setLevel(logging.ERROR)
    try:
        reader = PdfReader(io.BytesIO(data))
        if reader.is_encrypted and not reader.decrypt(""):
            raise UnusableError("encrypted", "the PDF is encrypted")
        texts = [_tidy(page.extract_text()) for page in reader.pages]
        given = reader.metadata
    except (PyPdfError, ValueError, KeyError, TypeError, IndexError, RecursionError, OSError) as error:
        raise UnusableError("malformed", f"not readable as a PDF: {error}") from None
    if not any(text.strip() for text in texts):
        raise UnusableError("no_text", f"the PDF's {len(texts)} pages hold no text (scanned pictures?)")
    metadata: JsonDict = {"author": str(given.author)} if given and given.author else {}
    text, pages = _joined(texts)
    return [
        Raw(
            text=text,
            title=str(given.title) if given and given.title else None,
            metadata=metadata,
            pages=pages,
        )
    ]


def _tidy(text: str) -> str:
    """Join words that a line end cut in two."""
    return nfc(_HYPHENATED.sub("", text.replace("\r", "\n")))


def _joined(texts: list[str]) -> tuple[str, tuple[PageSpan, ...]]:
    """Join pages by one line end, so that a sentence can run over: a page owns the line end after it."""
    spans, at = [], 0
    for number, text in enumerate(texts, start=1):
        end = at + len(text) + (1 if number < len(texts) else 0)
        spans.append(PageSpan(page=number, start=at, end=end))
        at = end
    return "\n".join(texts), tuple(spans)
