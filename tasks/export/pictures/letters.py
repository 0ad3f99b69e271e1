"""Text on a page: cleaned, measured, wrapped and elided.

Widths are those of DejaVu Sans, which comes with matplotlib, so that a page is laid out alike everywhere.
"""

import math
import re
import unicodedata
from collections.abc import Sequence
from functools import lru_cache
from typing import Any

_NOT_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
_PIECES = re.compile(r"\s+|[^\s_/-]*[_/-]|[^\s_/-]+")
MOST = 2_000
"""Characters of a text that are looked at: no more fit any label."""
UNKNOWN = "□"
"""Stands in the PNG for a character that the font has not; the SVG keeps the character."""


def clean(text: object) -> str:
    """Return text on one line, in NFC; what XML cannot hold is U+FFFD."""
    cut = str(text)[:MOST]
    return unicodedata.normalize("NFC", " ".join(_NOT_XML.sub("\ufffd", cut).split()))


def font_file(*, bold: bool = False) -> str:
    """Return the path of the font among matplotlib's own files: fonts of the machine would differ."""
    from matplotlib import get_data_path

    return f"{get_data_path()}/fonts/ttf/DejaVuSans{'-Bold' if bold else ''}.ttf"


@lru_cache(maxsize=2)
def _file(*, bold: bool) -> str:
    return font_file(bold=bold)


def font(*, bold: bool) -> Any:
    """Return the font as matplotlib's FT2Font, one object for each thread."""
    from matplotlib.font_manager import get_font

    return get_font(_file(bold=bold))


@lru_cache(maxsize=65_536)
def advance(character: str, bold: bool) -> float:
    """Return the width of a character in sizes of the text; unknown ones are as wide as they are high."""
    from matplotlib.ft2font import LoadFlags

    face = font(bold=bold)
    if not face.get_char_index(ord(character)):
        return 0.0 if unicodedata.combining(character) else 1.0
    face.set_size(100, 72)
    glyph = face.load_char(ord(character), flags=LoadFlags.NO_HINTING)
    return float(glyph.linearHoriAdvance) / 65_536 / 100


def width(text: str, size: float, *, bold: bool = False) -> float:
    """Return the width of a line of text in points."""
    return size * math.fsum(advance(character, bold) for character in text)


def drawable(text: str) -> str:
    """Return the text with `UNKNOWN` for each character that the font does not have."""
    face = font(bold=False)
    return "".join(c if c == " " or face.get_char_index(ord(c)) else UNKNOWN for c in text)


def elided(text: str, size: float, room: float, *, bold: bool = False) -> str:
    """Return the text, or as much of it as there is room for (points) with an ellipsis."""
    text = text[: int(room) + 2] if len(text) > room + 2 else text  # no letter is below a point
    if width(text, size, bold=bold) <= room:
        return text
    left, kept = room - width("…", size, bold=bold), 0
    for character in text:
        left -= size * advance(character, bold)
        if left < 0:
            break
        kept += 1
    return f"{text[:kept].rstrip()}…"


def wrapped(text: object, size: float, room: float, most: int, *, bold: bool = False) -> list[str]:
    """Return a text as at most so many lines that fit the room (points); the last one may be elided.

    Lines break at blanks, after `_`, `/` and `-`, and inside a word only where it is wider than a line.
    """
    lines, line = [], ""
    for piece in _pieces(clean(text), size, room, bold=bold):
        if line and width((line + piece).rstrip(), size, bold=bold) > room:
            lines.append(line.rstrip())
            line = ""
        line += piece if line else piece.lstrip()
    if line.strip() or not lines:
        lines.append(line.rstrip())
    if len(lines) <= most:
        return lines
    rest = lines[most - 1] + " " + " ".join(lines[most:])
    return [*lines[: most - 1], elided(rest, size, room, bold=bold)]


def _pieces(text: str, size: float, room: float, *, bold: bool) -> Sequence[str]:
    pieces: list[str] = []
    for piece in _PIECES.findall(text):
        if width(piece, size, bold=bold) <= room:
            pieces.append(piece)
            continue
        start, used = 0, 0.0
        for at, character in enumerate(piece):
            used += size * advance(character, bold)
            if used > room and at > start:
                pieces.append(piece[start:at])
                start, used = at, size * advance(character, bold)
        pieces.append(piece[start:])
    return pieces


def widest(lines: Sequence[str], size: float, *, bold: bool = False) -> float:
    """Return the width of the widest line in points; 0 without lines."""
    return max((width(line, size, bold=bold) for line in lines), default=0.0)


def number(value: float) -> str:
    """Write a number briefly: 12,000, 0.25, 1.2e-05."""
    if value < 0:
        return f"−{number(-value)}"
    if value == int(value) and abs(value) < 1e6:
        return f"{int(value):,}"
    if 1 <= abs(value) < 1e6:
        return f"{value:,.4g}" if abs(value) < 1000 else f"{value:,.0f}"
    return f"{value:.3g}"


def steps(low: float, high: float, most: int = 4) -> list[float]:
    """Return round values within a range, at most so many intervals: 1, 2, 2.5 or 5 times a power of ten."""
    raw = (high - low) / most
    if not 1e-300 < raw < math.inf:
        return [low]
    power = 10.0 ** math.floor(math.log10(raw))
    step = next(unit * power for unit in (1, 2, 2.5, 5, 10) if unit * power >= raw * (1 - 1e-9))
    digits = 1 - math.floor(math.log10(step))
    first, last = math.ceil(low / step - 1e-9), math.floor(high / step + 1e-9)
    return [
        round(at * step, digits) if abs(digits) < 300 else at * step for at in range(first, last + 1)
    ] or [low]
