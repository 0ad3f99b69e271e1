"""PDF: text page by page, with the characters of each page known."""

import io
import logging
import os
import re
import struct
import zlib
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from importlib.util import find_spec
from itertools import groupby
from shutil import which
from typing import Any

from corpusgraph.flows.load.decoding import (
    Format,
    Raw,
    UnusableError,
    clean,
    finish,
    mended_encoding,
    unreadable,
)
from corpusgraph.schemas.base import JsonDict
from corpusgraph.schemas.documents import PageSpan
from corpusgraph.tasks.text.languages import detect
from corpusgraph.tasks.text.readable import BROKEN, Reading, read

_PROGRAM = "tesseract"
_MODULES = ("pytesseract", "pypdfium2")
_DOTS_PER_INCH = 300
_MOST_PIXELS = 6000
"""Longest side of a page's picture; a poster is read at fewer dots."""
_SECONDS = 180
"""Time that tesseract has for a page."""
_CODES = {
    "ar": "ara", "bg": "bul", "ca": "cat", "cs": "ces", "da": "dan", "de": "deu", "el": "ell", "en": "eng",
    "es": "spa", "fi": "fin", "fr": "fra", "he": "heb", "hi": "hin", "hu": "hun", "it": "ita", "ja": "jpn",
    "ko": "kor", "la": "lat", "nl": "nld", "no": "nor", "pl": "pol", "pt": "por", "ro": "ron", "ru": "rus",
    "sv": "swe", "th": "tha", "tr": "tur", "uk": "ukr", "vi": "vie", "zh": "chi_sim",
}  # fmt: skip
"""What tesseract calls languages."""
_NO_LANGUAGES = frozenset({"osd", "equ", "snum"})


def missing() -> str | None:
    """Return what has to be installed before pages that are pictures can be read, or None.

    Returns
    -------
    str or None
        Whole sentences.

    """
    lacking = []
    if any(find_spec(module) is None for module in _MODULES):
        lacking.append("pip install 'corpusgraph[ocr]'")
    if which(_PROGRAM) is None:
        lacking.append("the program tesseract (Debian: apt-get install tesseract-ocr)")
    return f"Install {' and '.join(lacking)}, then index with --rebuild." if lacking else None


def recognise(data: bytes, pages: Sequence[int], language: str | None) -> Iterator[tuple[int, str]]:
    """Yield the numbers of some pages of a PDF, from 1, with the text that tesseract reads on them.

    It reads in the language given where it has a model of it, else in all that it has models of. A page that
    it fails on has no text.

    Parameters
    ----------
    data : bytes
        Of the whole file.
    pages : sequence of int
        Numbers, from 1.
    language : str or None
        ISO 639-1 code; None for unknown.

    Yields
    ------
    tuple of int and str
        A page that it fails on has empty text.

    """
    import pypdfium2
    import pytesseract

    os.environ.setdefault("OMP_THREAD_LIMIT", "1")  # more threads slow it down, and change nothing it reads
    known = sorted(set(pytesseract.get_languages()) - _NO_LANGUAGES, key=lambda code: (code != "eng", code))
    wanted = _CODES.get(language or "")
    models = "+".join([wanted] if wanted is not None and wanted in known else known)
    with pypdfium2.PdfDocument(data) as document:
        for number in pages:
            try:
                page = document[number - 1]
                longest = max(page.get_size()) or 1.0
                picture = page.render(scale=min(_DOTS_PER_INCH / 72, _MOST_PIXELS / longest)).to_pil()
                yield number, pytesseract.image_to_string(picture, lang=models, timeout=_SECONDS)
            except (pytesseract.TesseractError, pypdfium2.PdfiumError, RuntimeError):
                yield number, ""


_EDGE = 3
"""Lines at the top and at the bottom of a page that may be running lines."""
_LONGEST = 150
"""Characters of a running line; a longer one is a paragraph."""
_FEWEST_PAGES = 3
_MOST_PAGES = 0.5
"""A running line stands at one edge of so many pages, and of at least this share of them."""
_NUMBER = re.compile(r"\d+")
_PAGE_NUMBER = re.compile(
    r"[\W_]*(?:p(?:age|\.)?|seite|s\.|página|pagina|strona|стр\.?|第)?\s*(\d{1,5})\s*(?:页|頁)?"
    r"(?:\s*(?:of|von|de|sur|di|van|z|из|/)\s*\d{1,5})?[\W_]*",
    re.IGNORECASE,
)


def without_running_lines(pages: Sequence[str]) -> list[str]:
    """Return pages without the lines that most of them repeat at the top or the bottom, digits aside.

    A line of a number alone is a page number where the numbers count with the pages; other lines without
    letters (rows of a table) stay. Pages of which nothing would be left stay as they are.

    Parameters
    ----------
    pages : sequence of str
        Texts, in order.

    Returns
    -------
    list of str
        As many.

    """
    lines = [page.split("\n") for page in pages]
    for _ in range(2):  # at the top, then, with the lines turned round, at the bottom
        lines = [found[::-1] for found in _without_top(lines)]
    bare = ["\n".join(found) for found in lines]
    return bare if any(page.strip() for page in bare) else list(pages)


def _without_top(pages: list[list[str]]) -> list[list[str]]:
    n_written = sum(any(line.strip() for line in lines) for lines in pages)
    shapes = [[_shape(lines[at], number) for at in _top(lines)] for number, lines in enumerate(pages)]
    counts = Counter(shape for page in shapes for shape in set(page) if shape)
    running = {shape for shape, n in counts.items() if n >= _FEWEST_PAGES and n >= _MOST_PAGES * n_written}
    return [_after_running(lines, number, running) for number, lines in enumerate(pages)]


def _top(lines: list[str]) -> list[int]:
    """Return where the first lines of a page are, blank ones not counted."""
    return [at for at, line in enumerate(lines) if line.strip()][:_EDGE]


def _after_running(lines: list[str], number: int, running: set[str]) -> list[str]:
    """Return a page's lines after the last running one of its top."""
    ends = [at + 1 for at in _top(lines) if _shape(lines[at], number) in running]
    below = lines[: ends[-1]] if ends else []
    between = [line for line in below if line.strip() and _shape(line, number) not in running]
    return between + lines[len(below) :]


def _shape(line: str, number: int) -> str:
    """Return what running lines share: their letters, or how far a page's number is from its place."""
    if match := _PAGE_NUMBER.fullmatch(line.strip()):
        return f"page {int(match[1]) - number}"
    plain = " ".join(_NUMBER.sub("#", line).casefold().split())
    return plain if len(plain) <= _LONGEST and any(character.isalpha() for character in plain) else ""


_AT_LINE_END = re.compile(r"([^\W\d_]+)(-|\u00ad|\u2010)[ \t]*\n[ \t]*([^\W\d_]+)")
_COMPOUND = re.compile(r"[^\W\d_]+-[^\W\d_]+")
_LIGATURES = str.maketrans(
    {"ﬀ": "ff", "ﬁ": "fi", "ﬂ": "fl", "ﬃ": "ffi", "ﬄ": "ffl", "ﬅ": "st", "ﬆ": "st", "\u200b": None}
)
_NO_TITLE = re.compile(
    r"Microsoft (?:Word|PowerPoint|Excel) - |untitled\b|(?:document|slide|layout|presentation|sheet)\s*\d*$"
    r"|powerpoint presentation$|(?:[a-z]:)?[\\/]\S|file:|https?:"
    r"|.*\.(?:docx?|rtf|odt|pdf|ps|eps|dvi|tex|indd|qx[dp]|p65|pm\d|fm|wp[d5]?|pptx?|xlsx?|txt|html?|tiff?|jpe?g|png)$"
    r"|(?!\d{4}$)[\W\d_]*$|(?=\S*\d)[0-9a-f-]{8,}$",
    re.IGNORECASE,
)
"""What programs write where a title should be: names of files and paths, numbers, their own names."""


def read_pdf(data: bytes, encoding: str | None) -> list[Raw]:  # noqa: ARG001 - the format fixes it
    """Read a PDF.

    A page that cannot be read is left empty and told of beside the document; one that is a picture, or whose
    font gives no text, is read by tesseract where that is installed.

    Parameters
    ----------
    data : bytes
        Of a whole file.
    encoding : str or None
        Is not used: the format fixes it.

    Returns
    -------
    list of Raw
        One, with the characters of each page.

    Raises
    ------
    UnusableError
        `encrypted`, `malformed`, `no_text`.

    """
    from pypdf import PdfReader
    from pypdf.errors import DependencyError

    logging.getLogger("pypdf").setLevel(logging.CRITICAL)  # what matters goes to the failure ledger
    problems: list[UnusableError] = []
    try:
        reader = PdfReader(io.BytesIO(data))
        if reader.is_encrypted and not reader.decrypt(""):
            raise UnusableError("encrypted", "the PDF is encrypted and needs a password")
        texts = [_page(page, number, problems) for number, page in enumerate(reader.pages, start=1)]
        blank = [number for number, text in enumerate(texts, start=1) if not text.strip()]
        pictures = [number for number in blank if _has_picture(reader.pages[number - 1])]
        given = reader.metadata
        title, author = (clean(str(given.title or "")), clean(str(given.author or ""))) if given else ("", "")
        title = " ".join(title.split())
    except DependencyError as error:
        raise UnusableError("encrypted", f"the PDF is encrypted: {error}") from None
    except _broken() as error:
        raise UnusableError("malformed", f"not readable as a PDF: {error}") from None
    texts = _readable(data, texts, pictures, problems)
    text, pages = _joined(_unhyphenated(without_running_lines(texts)))
    metadata: JsonDict = {"author": author.strip()} if author.strip() else {}
    own_title = title if not _NO_TITLE.match(title) and not BROKEN.search(title) else None
    return [Raw(text=text, title=own_title or None, metadata=metadata, pages=pages, problems=tuple(problems))]


def _readable(data: bytes, texts: list[str], pictures: list[int], problems: list[UnusableError]) -> list[str]:
    """Return what of each page can be read, pictures by tesseract; a PDF of which little can is an error."""
    finished = [finish(text) for text in texts]
    readings = {number: read(text) for number, (text, _) in enumerate(finished, start=1)}
    bad = [number for number, reading in readings.items() if reading.is_unreadable]
    lacking = missing() if pictures or bad else None
    if (pictures or bad) and lacking is None:
        sound = " ".join(reading.text for reading in readings.values() if not reading.is_unreadable)
        for number, text in recognise(data, sorted({*pictures, *bad}), detect(sound)):
            recognised = read(finish(text)[0].translate(_LIGATURES))
            if recognised.text.strip() and not recognised.is_unreadable:
                readings[number] = recognised
    _tell(readings, pictures, bad, lacking, problems)
    if n_mended := sum(n for _, n in finished):
        problems.append(mended_encoding(n_mended))
    return ["" if reading.is_unreadable else reading.text for reading in readings.values()]


def _tell(
    readings: Mapping[int, Reading],
    pictures: Sequence[int],
    bad: Sequence[int],
    lacking: str | None,
    problems: list[UnusableError],
) -> None:
    """Put into the ledger what tesseract read and what cannot be read; raise where that is most of a PDF."""
    whole = Reading(
        text="\n".join(reading.text for reading in readings.values() if not reading.is_unreadable),
        n_characters=sum(reading.n_characters for reading in readings.values()),
        n_lost=sum(r.n_characters if r.is_unreadable else r.n_lost for r in readings.values()),
        why=next((reading.why for reading in readings.values() if reading.why), ""),
    )
    hint = lacking or "Neither its fonts nor tesseract give text."
    blank = [number for number in pictures if not readings[number].text.strip()]
    done = [n for n in sorted({*pictures, *bad}) if n not in blank and not readings[n].is_unreadable]
    if done:
        problems.append(UnusableError("recognised_text", f"{_pages(done)}: read by tesseract", is_note=True))
    if whole.n_lost:
        unread = [number for number, reading in readings.items() if reading.n_lost]
        problem = unreadable(whole, f"{_pages(unread)}: ", hint)
        if whole.is_unreadable:
            raise problem
        problems.append(problem)
    if not whole.text.strip():
        failed = [problem for problem in problems if not problem.is_note]
        if failed:
            raise failed[0]
        scanned = f" (scanned pictures?). {hint}" if blank else ""
        raise UnusableError("no_text", f"the PDF's {len(readings)} pages hold no text{scanned}")
    if blank:
        message = f"{_pages(blank)}: pictures without text. {hint}"
        problems.append(UnusableError("picture_page", message, is_note=True))


def _pages(numbers: Sequence[int]) -> str:
    """Write page numbers, with ranges: "pages 2, 4-6"."""
    written: list[str] = []
    for _, run in groupby(enumerate(numbers), key=lambda pair: pair[1] - pair[0]):
        ends = [number for _, number in run]
        written.append(f"{ends[0]}-{ends[-1]}" if len(ends) > 1 else str(ends[0]))
    return f"page{'s' if len(numbers) > 1 else ''} {', '.join(written)}"


def _has_picture(page: Any) -> bool:
    """Tell whether a page shows a picture, directly or in a form."""
    from pypdf.generic import DictionaryObject

    waiting: list[Any] = [page["/Resources"]] if "/Resources" in page else []
    for _ in range(100):
        resources = waiting.pop().get_object() if waiting else None
        shapes: Any = resources.get("/XObject", {}) if isinstance(resources, DictionaryObject) else {}
        for shape in shapes.get_object().values() if shapes else ():
            drawn = shape.get_object()
            if drawn.get("/Subtype") == "/Image":
                return True
            waiting += [drawn["/Resources"]] if "/Resources" in drawn else []
    return False


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
        if not rest[0].islower() and mark != "\u00ad":
            return match[0]
        keeps = rest[0].islower() and mark == "-" and f"{first}-{rest}".lower() in compounds
        return f"{first}-{rest}" if keeps else f"{first}{rest}"

    return [clean(_AT_LINE_END.sub(joined, text).replace("\u00ad", "")) for text in texts]


def _joined(texts: list[str]) -> tuple[str, tuple[PageSpan, ...]]:
    """Join pages by one line end, so that a sentence can run over: a page owns the line end after it."""
    spans, at = [], 0
    for number, text in enumerate(texts, start=1):
        end = at + len(text) + (1 if number < len(texts) else 0)
        spans.append(PageSpan(page=number, start=at, end=end))
        at = end
    return "\n".join(texts), tuple(spans)


FORMAT = Format(("pdf",), read_pdf)
