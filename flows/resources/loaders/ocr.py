"""Pages that are pictures, read by tesseract: the optional extra `ocr` and the program itself."""

import os
from collections.abc import Iterator, Sequence
from importlib.util import find_spec
from shutil import which
from typing import Any

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
    """Return what has to be installed before pages that are pictures can be read, or None."""
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
    """
    import pypdfium2
    import pytesseract

    os.environ.setdefault("OMP_THREAD_LIMIT", "1")  # more threads slow it down, and change nothing it reads
    models = "+".join(_models(language))
    with pypdfium2.PdfDocument(data) as document:
        for number in pages:
            try:
                picture = _picture(document[number - 1])
                yield number, pytesseract.image_to_string(picture, lang=models, timeout=_SECONDS)
            except (pytesseract.TesseractError, pypdfium2.PdfiumError, RuntimeError):
                yield number, ""


def _models(language: str | None) -> list[str]:
    """Return tesseract's models to read with, English first where there are several."""
    import pytesseract

    there = sorted(set(pytesseract.get_languages()) - _NO_LANGUAGES, key=lambda code: (code != "eng", code))
    wanted = _CODES.get(language or "")
    return [wanted] if wanted is not None and wanted in there else there


def _picture(page: Any) -> Any:
    longest = max(page.get_size()) or 1.0
    return page.render(scale=min(_DOTS_PER_INCH / 72, _MOST_PIXELS / longest)).to_pil()
