"""A page of shapes and text, in points from the top left corner, that is then drawn as PNG and SVG.

Shapes are paths with explicit colours, so that nothing depends on matplotlib's settings, and no setting is
changed: pages can be drawn in several threads.
"""

import math
import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import Any, Literal

BLACK = "#000000"
ORANGE = "#E69F00"
SKY = "#56B4E9"
GREEN = "#009E73"
YELLOW = "#F0E442"
BLUE = "#0072B2"
RED = "#D55E00"
PURPLE = "#CC79A7"
WHITE = "#FFFFFF"
INK = "#222222"
GREY = "#767676"
PALE = "#DDDDDD"
PAPER = "#F5F5F5"

TITLE = 11.0
BODY = 8.0
SMALL = 7.0
"""Sizes of text, in points."""

LINE = 1.3
"""Distance of two lines of text, in sizes of the text."""


def mixed(colour: str, share: float, other: str = WHITE) -> str:
    """Return `share` of a colour and the rest of another: a quarter of black is a light grey."""
    pairs = [(int(colour[at : at + 2], 16), int(other[at : at + 2], 16)) for at in (1, 3, 5)]
    return "#" + "".join(f"{round(a * share + b * (1 - share)):02X}" for a, b in pairs)


def on(colour: str) -> str:
    """Return black or white, whichever is read more easily on a colour (relative luminance, WCAG 2.1)."""
    red, green, blue = (int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5))
    return BLACK if 0.2126 * red**2.2 + 0.7152 * green**2.2 + 0.0722 * blue**2.2 > 0.18 else WHITE


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


Point = tuple[float, float]
Anchor = Literal["start", "middle", "end"]
MOVE, TO, CURVE, CLOSE = 1, 2, 4, 79
"""Codes of `matplotlib.path.Path`: move, line, cubic Bézier (three points), close."""
_ROUND = 0.5522847498
"""Handle of a cubic Bézier that comes closest to a quarter of a circle of radius 1."""


@dataclass(frozen=True)
class Look:
    """How a shape looks: colours as #RRGGBB or None, width in points, dashes as lengths in points."""

    fill: str | None = None
    edge: str | None = None
    width: float = 0.8
    dash: tuple[float, ...] = ()
    alpha: float = 1.0


@dataclass(frozen=True)
class Shape:
    """A path with its look; `gid` becomes the id of the SVG group."""

    points: tuple[Point, ...]
    codes: tuple[int, ...]
    look: Look
    gid: str = ""


@dataclass(frozen=True)
class Words:
    """One line of text; `at` is on its baseline."""

    at: Point
    text: str
    size: float
    colour: str
    anchor: Anchor
    bold: bool
    angle: float
    gid: str


@dataclass
class Page:
    """What is to be drawn. `hints` are titles of groups, by gid: a browser shows them under the pointer."""

    width: float
    height: float = 0.0
    shapes: list[Shape] = field(default_factory=list)
    words: list[Words] = field(default_factory=list)
    hints: dict[str, str] = field(default_factory=dict)

    def path(self, points: Sequence[Point], codes: Sequence[int], look: Look, gid: str = "") -> None:
        """Draw any path."""
        self.shapes.append(Shape(tuple(points), tuple(codes), look, gid))

    def polygon(self, points: Sequence[Point], look: Look, gid: str = "") -> None:
        """Draw a closed polygon."""
        codes = (MOVE, *(TO for _ in points[1:]), CLOSE)
        self.path((*points, points[0]), codes, look, gid)

    def rectangle(self, x: float, y: float, w: float, h: float, look: Look, gid: str = "") -> None:
        """Draw a rectangle by its top left corner and its size."""
        self.polygon([(x, y), (x + w, y), (x + w, y + h), (x, y + h)], look, gid)

    def line(self, points: Sequence[Point], look: Look, gid: str = "") -> None:
        """Draw straight lines from point to point."""
        self.path(points, (MOVE, *(TO for _ in points[1:])), look, gid)

    def curve(self, points: Sequence[Point], look: Look, gid: str = "") -> None:
        """Draw cubic Béziers: a start, then two handles and an end for each piece."""
        self.path(points, (MOVE, *(CURVE for _ in points[1:])), look, gid)

    def rounded(
        self, x: float, y: float, w: float, h: float, look: Look, gid: str = "", *, radius: float = 5.0
    ) -> None:
        """Draw a rectangle with round corners; with a radius of half its sides, an ellipse."""
        rx, ry = min(radius, w / 2), min(radius, h / 2)
        kx, ky = rx * (1 - _ROUND), ry * (1 - _ROUND)
        right, low = x + w, y + h
        points = [(x + rx, y), (right - rx, y), (right - kx, y), (right, y + ky), (right, y + ry)]
        points += [(right, low - ry), (right, low - ky), (right - kx, low), (right - rx, low)]
        points += [(x + rx, low), (x + kx, low), (x, low - ky), (x, low - ry)]
        points += [(x, y + ry), (x, y + ky), (x + kx, y), (x + rx, y), (x + rx, y)]
        corner = (CURVE, CURVE, CURVE)
        self.path(points, (MOVE, TO, *corner, TO, *corner, TO, *corner, TO, *corner, CLOSE), look, gid)

    def ellipse(self, x: float, y: float, w: float, h: float, look: Look, gid: str = "") -> None:
        """Draw an ellipse in a box."""
        self.rounded(x, y, w, h, look, gid, radius=math.inf)

    def text(
        self,
        x: float,
        y: float,
        text: str,
        *,
        size: float = BODY,
        colour: str = INK,
        anchor: Anchor = "start",
        bold: bool = False,
        angle: float = 0.0,
        room: float = math.inf,
        gid: str = "",
    ) -> None:
        """Write a line of text, elided to its room; `y` is the middle of its small letters' height.

        `angle` turns it about the point, in degrees, counter-clockwise.
        """
        line = clean(text)
        if room < math.inf:
            line = elided(line, size, room, bold=bold)
        down = 0.36 * size
        turn = math.radians(angle)
        at = (x + down * math.sin(turn), y + down * math.cos(turn))
        if line:
            self.words.append(Words(at, line, size, colour, anchor, bold, angle, gid))

    def lines(
        self,
        x: float,
        y: float,
        lines: Sequence[str],
        *,
        size: float = BODY,
        colour: str = INK,
        anchor: Anchor = "start",
        bold: bool = False,
        gid: str = "",
    ) -> float:
        """Write lines below each other from the top `y`; return where they end."""
        for at, line in enumerate(lines):
            middle = y + (at + 0.5) * size * LINE
            self.text(x, middle, line, size=size, colour=colour, anchor=anchor, bold=bold, gid=gid)
        return y + len(lines) * size * LINE

    def settle(self, margin: float, top: float) -> float:
        """Move all that is drawn below `top`, to the middle of a page wide enough; return where it ends."""
        points = [point for shape in self.shapes for point in shape.points]
        points += [words.at for words in self.words]
        if not points:
            return top
        left, right = min(x for x, _ in points), max(x for x, _ in points)
        self.width = max(self.width, right - left + 2 * margin)
        dx, dy = (self.width - left - right) / 2, top + 6 - min(y for _, y in points)
        self.shapes = [
            replace(shape, points=tuple((x + dx, y + dy) for x, y in shape.points)) for shape in self.shapes
        ]
        self.words = [replace(one, at=(one.at[0] + dx, one.at[1] + dy)) for one in self.words]
        return max(y for _, y in points) + dy + 6

    def hint(self, gid: str, text: str) -> None:
        """Say what a group is, for people who point at it or hear the picture read."""
        self.hints[gid] = clean(text)
