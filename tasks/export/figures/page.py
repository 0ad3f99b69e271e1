"""A page in points from the top left corner, drawn by matplotlib as PNG (150 dots an inch) and SVG.

The same page has the same bytes. In the PNG, text is drawn with DejaVu Sans, which comes with matplotlib: the
fonts of a machine play no part, and letters which it lacks (Chinese, Japanese, Korean, emoji) are boxes, as
the page then says. In the SVG, text is text: it can be searched, read aloud and copied.
"""

import html
import io
import math
import re
import threading
import unicodedata
import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import lru_cache, partial
from itertools import accumulate, takewhile
from typing import Any, Literal, ParamSpec

import matplotlib as mpl
import numpy as np
from matplotlib import get_data_path
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from matplotlib.font_manager import get_font
from matplotlib.ft2font import LoadFlags
from matplotlib.patches import FancyArrowPatch, PathPatch, Polygon
from matplotlib.path import Path
from matplotlib.text import Text
from matplotlib.transforms import Affine2D
from numpy.typing import NDArray
from PIL import Image
from PIL.PngImagePlugin import PngInfo

from corpusgraph.tasks.export.files import NOT_XML, Files

BLACK = "#000000"
ORANGE = "#E69F00"
SKY = "#56B4E9"
GREEN = "#009E73"
YELLOW = "#F0E442"
BLUE = "#0072B2"
RED = "#D55E00"
PURPLE = "#CC79A7"
"""Colours that colour-blind people tell apart (Okabe & Ito 2008)."""
WHITE = "#FFFFFF"
INK = "#222222"
GREY = "#767676"
PALE = "#DDDDDD"
PAPER = "#F5F5F5"

TITLE, BODY, SMALL = 11.0, 8.0, 7.0
"""Sizes of text, in points."""
LINE = 1.3
"""Distance of two lines of text, in sizes of the text."""
MARGIN = 14.0
TOP = 40.0
"""Where a drawing begins, below its title."""
NARROWEST = 420.0
_WIDEST_CAPTION = 640.0
DPI = 150
MOST = 2_000
"""Characters of a text that are looked at: no more fit any label."""
UNKNOWN = "□"
"""Stands in the PNG for a character that the font has not; the SVG keeps the character."""

Point = tuple[float, float]
Anchor = Literal["start", "middle", "end"]
P = ParamSpec("P")
_SIDES = {"start": "left", "middle": "center", "end": "right"}
_PIECES = re.compile(r"\s+|[^\s_/-]*[_/-]|[^\s_/-]+")
_GROUP = re.compile(r'<g id="([^"]+)">')
_STYLE = {
    "svg.fonttype": "none",
    "svg.hashsalt": "corpusgraph",
    "font.family": "DejaVu Sans",
    "axes.edgecolor": INK,
    "axes.linewidth": 0.6,
    "axes.spines.right": False,
    "axes.spines.top": False,
    "xtick.labelsize": SMALL - 0.5,
    "ytick.labelsize": SMALL - 0.5,
    "xtick.major.size": 2.5,
    "ytick.major.size": 2.5,
}
_LOCK = threading.RLock()
_safe = partial(html.escape, quote=False)


@contextmanager
def _settings() -> Iterator[None]:
    """Draw with matplotlib's own defaults, whatever a settings file says, one thread at a time."""
    with _LOCK, warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of letters that the font has not: the page says so itself
        settings: Any = {k: value for k, value in mpl.rcParamsDefault.items() if "backend" not in k}
        with mpl.rc_context(settings | _STYLE):
            yield


def picture(draw: Callable[P, Files]) -> Callable[P, Files]:
    """Make a function draw its page under settings of its own.

    Parameters
    ----------
    draw : callable
        Returns the files of a picture.

    Returns
    -------
    callable
        The same function; one thread draws at a time.

    """
    return _settings()(draw)  # each call has its own


def plural(n: int, noun: str, many: str = "") -> str:
    """Return a number with its noun: 1 arrow, 2 arrows.

    Parameters
    ----------
    n : int
        The number.
    noun : str
        The singular.
    many : str, default ""
        The plural, where it is not the singular with an s.

    Returns
    -------
    str
        With commas between thousands.

    """
    return f"{n:,} {noun if n == 1 else many or noun + 's'}"


def mixed(colour: str, share: float) -> str:
    """Return `share` of a colour and the rest white: a quarter of black is a light grey.

    Parameters
    ----------
    colour : str
        As #RRGGBB.
    share : float
        From 0 to 1.

    Returns
    -------
    str
        As #RRGGBB.

    """
    parts = (int(colour[at : at + 2], 16) for at in (1, 3, 5))
    return "#" + "".join(f"{round(part * share + 255 * (1 - share)):02X}" for part in parts)


def on(colour: str) -> str:
    """Return black or white, whichever is read more easily on a colour (relative luminance, WCAG 2.1).

    Parameters
    ----------
    colour : str
        As #RRGGBB.

    Returns
    -------
    str
        As #RRGGBB.

    """
    red, green, blue = (int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5))
    return BLACK if 0.2126 * red**2.2 + 0.7152 * green**2.2 + 0.0722 * blue**2.2 > 0.18 else WHITE


def clean(text: object) -> str:
    """Return text on one line, in NFC; what XML cannot hold is U+FFFD.

    Parameters
    ----------
    text : object
        Its first `MOST` characters count.

    Returns
    -------
    str
        At most `MOST` characters of it; runs of white space are one blank.

    """
    cut = str(text)[:MOST]
    return unicodedata.normalize("NFC", " ".join(NOT_XML.sub("\ufffd", cut).split()))


@lru_cache
def _font(bold: bool = False) -> Any:
    return get_font(f"{get_data_path()}/fonts/ttf/DejaVuSans{'-Bold' if bold else ''}.ttf")


@lru_cache(maxsize=8_192)
def _advance(character: str, bold: bool) -> float:
    """Return the width of a character in sizes of the text."""
    font = _font(bold)
    font.set_size(100, 72)
    return float(font.load_char(ord(character), flags=LoadFlags.NO_HINTING).linearHoriAdvance) / 6_553_600


@lru_cache(maxsize=1)
def _letters() -> frozenset[int]:
    """Return the characters of the font."""
    return frozenset(_font().get_charmap())


def drawable(text: str) -> str:
    """Return text with a box for each character that the font of the PNG has not; accents are left out.

    Parameters
    ----------
    text : str
        Any text.

    Returns
    -------
    str
        As many characters, but for accents; the SVG has the text as it is.

    """
    lacking = {c: "" if unicodedata.combining(c) else UNKNOWN for c in {*text} if ord(c) not in _letters()}
    return "".join(lacking.get(c, c) for c in text) if lacking else text


def width(text: str, size: float, *, bold: bool = False) -> float:
    """Return the width of a line of text in points.

    Parameters
    ----------
    text : str
        One line.
    size : float
        Of the text, in points.
    bold : bool, default False
        Whether it is bold.

    Returns
    -------
    float
        Of the letters that the PNG has, set one after another without kerning.

    """
    return size * math.fsum(_advance(character, bold) for character in drawable(text))


def elided(text: str, size: float, room: float, *, bold: bool = False) -> str:
    """Return a line cut with … to its room (points).

    Parameters
    ----------
    text : str
        One line.
    size : float
        Of the text, in points.
    room : float
        In points.
    bold : bool, default False
        Whether it is bold.

    Returns
    -------
    str
        The text itself where it fits.

    """
    if len(text) <= room + 2 and width(text, size, bold=bold) <= room:  # no letter is below a point
        return text
    room -= width("…", size, bold=bold)
    ends = accumulate(width(character, size, bold=bold) for character in text)
    fitting = sum(1 for _ in takewhile(lambda end: end <= room, ends))
    return f"{text[:fitting].rstrip()}…"


def wrapped(text: object, size: float, room: float, most: int, *, bold: bool = False) -> list[str]:
    """Return a text as at most so many lines that fit the room (points); the last one may be elided.

    Lines break at blanks, after `_`, `/` and `-`, and inside a word only where it is wider than a line.

    Parameters
    ----------
    text : object
        Any text; it is cleaned first.
    size : float
        Of the text, in points.
    room : float
        In points.
    most : int
        How many lines.
    bold : bool, default False
        Whether it is bold.

    Returns
    -------
    list of str
        At least one line.

    """
    lines, line = [], ""
    for piece in _PIECES.findall(clean(text)):
        letters = [piece] if width(piece, size, bold=bold) <= room else piece
        for part in letters:
            if line and width((line + part).rstrip(), size, bold=bold) > room:
                lines.append(line.rstrip())
                line = ""
            line += part if line else part.lstrip()
    if line.strip() or not lines:
        lines.append(line.rstrip())
    if len(lines) <= most:
        return lines
    rest = lines[most - 1] + " " + " ".join(lines[most:])
    return [*lines[: most - 1], elided(rest, size, room, bold=bold)]


def number(value: float, _: object = None) -> str:
    """Write a number briefly: 12,000, 0.25, 1.2e-05.

    Parameters
    ----------
    value : float
        Any finite number.

    Returns
    -------
    str
        A minus is U+2212.

    """
    if value < 0:
        return f"−{number(-value)}"
    if value == int(value) and abs(value) < 1e6:
        return f"{int(value):,}"
    if 1 <= abs(value) < 1e6:
        return f"{value:,.4g}" if abs(value) < 1000 else f"{value:,.0f}"
    return f"{value:.3g}"


@dataclass(frozen=True)
class Look:
    """How a shape looks: colours as #RRGGBB or None, width in points, dashes as lengths in points.

    Attributes
    ----------
    fill, edge : str, optional
        Nothing is drawn where it is None.
    width : float, default 0.8
        Of the line.
    dash : tuple of float, optional
        Lengths of lines and gaps in turn; empty for a solid line.
    alpha : float, default 1.0
        From 0 to 1, where it is opaque.

    """

    fill: str | None = None
    edge: str | None = None
    width: float = 0.8
    dash: tuple[float, ...] = ()
    alpha: float = 1.0

    def settings(self) -> dict[str, Any]:
        """Return the look as matplotlib's patches have it.

        Returns
        -------
        dict of str to Any
            Keyword arguments of `matplotlib.patches.Patch`.

        """
        dashes = (0, tuple(part / self.width for part in self.dash)) if self.dash else "solid"
        return {
            "facecolor": self.fill or "none",
            "edgecolor": self.edge or "none",
            "linewidth": self.width if self.edge else 0.0,
            "linestyle": dashes,
            "alpha": self.alpha if self.alpha < 1 else None,
            "joinstyle": "round",
            "clip_on": False,
        }


Entry = tuple[Callable[["Page", float, float], None], str]
"""How a sign of the legend is drawn about a point, and what it means."""
_HEADS = {"arrow": "-|>", "both": "<|-|>", "tee": "-[,widthB=0.5,lengthB=0", "none": "-"}


class Page:
    """A figure of matplotlib with one axes over all of it, whose units are points, and panels upon it.

    `hints` are titles of groups of the SVG, by gid: a browser shows them under the pointer.

    Parameters
    ----------
    width : float
        In points; drawing may widen it.
    height : float, default 0.0
        In points; `finished` sets it.

    """

    def __init__(self, width: float, height: float = 0.0) -> None:
        self.width, self.height = width, height
        self.hints: dict[str, str] = {}
        self.figure: Any = Figure(dpi=DPI)
        self.axes: Any = self.figure.add_axes((0, 0, 1, 1))
        self.axes.set_axis_off()
        self._moved: Any = Affine2D()
        self._points: list[Point] = []
        self._panels: list[tuple[Any, tuple[float, float, float, float]]] = []
        self._gids: dict[str, int] = {}

    def panel(self, x: float, y: float, w: float, h: float) -> Any:
        """Return axes of matplotlib in a box of the page.

        Parameters
        ----------
        x, y : float
            The top left corner, in points.
        w, h : float
            In points.

        Returns
        -------
        matplotlib.axes.Axes
            It is put in its place when the page is finished.

        """
        axes = self.figure.add_axes((0, 0, 1, 1), label=str(len(self._panels)))
        axes.patch.set_visible(False)
        self._panels.append((axes, (x, y, w, h)))
        return axes

    def add(self, patch: Any, points: Sequence[Point], gid: str = "", layer: float = 2.0) -> None:
        """Add a patch of matplotlib in points.

        Parameters
        ----------
        patch : matplotlib.patches.Patch
            Drawn in points.
        points : sequence of (float, float)
            What it spans.
        gid : str, default ""
            Name of its group in the SVG.
        layer : float, default 2.0
            What has a larger one is drawn over it.

        """
        patch.set_transform(self._moved + self.axes.transData)
        patch.set_gid(self._unique(gid))
        patch.set_zorder(layer)
        self.axes.add_artist(patch)
        self._points += points

    def _unique(self, gid: str) -> str | None:
        """Return an id that no other group of the page has."""
        self._gids[gid] = n = self._gids.get(gid, 0) + 1
        return (gid if n == 1 else f"{gid}-{n}") if gid else None

    def polygon(self, points: Sequence[Point], look: Look, gid: str = "", *, layer: float = 2.0) -> None:
        """Draw a closed polygon.

        Parameters
        ----------
        points : sequence of (float, float)
            Its corners.
        look : Look
            Fill and line.
        gid : str, default ""
            Name of its group in the SVG.
        layer : float, default 2.0
            What has a larger one is drawn over it.

        """
        self.add(Polygon(points, **look.settings()), points, gid, layer)

    def rectangle(
        self, x: float, y: float, w: float, h: float, look: Look, gid: str = "", *, layer: float = 2.0
    ) -> None:
        """Draw a rectangle by its top left corner and its size.

        Parameters
        ----------
        x, y : float
            The top left corner, in points.
        w, h : float
            In points.
        look : Look
            Fill and line.
        gid : str, default ""
            Name of its group in the SVG.
        layer : float, default 2.0
            What has a larger one is drawn over it.

        """
        self.polygon([(x, y), (x + w, y), (x + w, y + h), (x, y + h)], look, gid, layer=layer)

    def line(self, points: Sequence[Point], look: Look, gid: str = "", *, layer: float = 2.0) -> None:
        """Draw straight lines from point to point.

        Parameters
        ----------
        points : sequence of (float, float)
            Where it passes, from its start.
        look : Look
            How the line looks.
        gid : str, default ""
            Name of its group in the SVG.
        layer : float, default 2.0
            What has a larger one is drawn over it.

        """
        self.add(PathPatch(Path(points), **look.settings()), points, gid, layer)

    def arrow(self, curve: Sequence[Point], look: Look, gid: str = "", *, head: str = "arrow") -> None:
        """Draw cubic Béziers with a head: arrow, tee (for an attack), both (two arrows) or none.

        Parameters
        ----------
        curve : sequence of (float, float)
            A start, then three points for each Bézier.
        look : Look
            How the line looks.
        gid : str, default ""
            Name of its group in the SVG.
        head : str, default "arrow"
            `arrow`, `tee`, `both` or `none`.

        """
        codes = [Path.MOVETO, *[Path.CURVE4] * (len(curve) - 1)]
        settings = {**look.settings(), "facecolor": look.edge, "shrinkA": 0, "shrinkB": 0}
        scale = 8 + 1.6 * look.width
        patch = FancyArrowPatch(
            path=Path(curve, codes), arrowstyle=_HEADS[head], mutation_scale=scale, **settings
        )
        self.add(patch, curve, gid)

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
        room: float = math.inf,
        gid: str = "",
    ) -> None:
        """Write a line of text, elided to its room; `y` is the middle of its small letters' height.

        Parameters
        ----------
        x : float
            The end of the line that `anchor` names, in points.
        y : float
            In points from the top of the page.
        text : str
            Cleaned first; nothing is written where nothing is left.
        size : float, optional
            In points.
        colour : str, optional
            As #RRGGBB.
        anchor : Anchor, default "start"
            Which part of the line stands at `x`.
        bold : bool, default False
            Whether it is bold.
        room : float, optional
            In points.
        gid : str, default ""
            Name of its group in the SVG.

        """
        line = clean(text)
        if room < math.inf:
            line = elided(line, size, room, bold=bold)
        if not line:
            return
        self._points.append((x, y))
        self.axes.text(
            x,
            y + 0.36 * size,
            line,
            fontsize=size,
            color=colour,
            horizontalalignment=_SIDES[anchor],
            verticalalignment="baseline",
            fontweight="bold" if bold else "normal",
            gid=self._unique(gid),
            transform=self._moved + self.axes.transData,
            parse_math=False,
            zorder=4,
        )

    def lines(self, x: float, y: float, lines: Sequence[str], *, size: float = BODY, **look: Any) -> float:
        """Write lines below each other from the top `y`; return where they end.

        Parameters
        ----------
        x : float
            As of `text`, in points.
        y : float
            In points from the top of the page.
        lines : sequence of str
            The lines.
        size : float, optional
            In points.
        **look : Any
            Further arguments of `text`.

        Returns
        -------
        float
            In points.

        """
        for at, line in enumerate(lines):
            self.text(x, y + (at + 0.5) * size * LINE, line, size=size, **look)
        return y + len(lines) * size * LINE

    def settle(self) -> float:
        """Move all that is drawn below the title, to the middle of a page wide enough; return where it ends.

        Returns
        -------
        float
            In points.

        """
        if not self._points:
            return TOP + 6
        xs, ys = zip(*self._points, strict=True)
        self.width = max(self.width, max(xs) - min(xs) + 2 * MARGIN)
        dy = TOP + 12 - min(ys)
        self._moved.translate((self.width - min(xs) - max(xs)) / 2, dy)
        self._moved = Affine2D()
        return float(max(ys) + dy + 6)

    def hint(self, gid: str, text: str) -> None:
        """Say what a group is, for people who point at it or hear the picture read.

        Parameters
        ----------
        gid : str
            Name of the group.
        text : str
            Nothing is said where it is empty.

        """
        if text:
            self.hints[gid] = clean(text)

    def legend(self, left: float, top: float, room: float, entries: Sequence[Entry]) -> float:
        """Draw signs with their meanings, in as many lines as they need; return where the legend ends.

        Parameters
        ----------
        left, top : float
            Where it begins, in points.
        room : float
            Width of a line, in points.
        entries : sequence of Entry
            How each sign is drawn, and what it means.

        Returns
        -------
        float
            In points.

        """
        x, y = left, top + 7
        for draw, meaning in entries:
            wide = 30 + width(meaning, SMALL) + 14
            if x > left and x + wide > left + room:
                x, y = left, y + 15
            draw(self, x + 12, y)
            self.text(x + 28, y, meaning, size=SMALL, room=max(20.0, room - 28))
            x += wide
        return y + 9 if entries else top

    def finished(
        self, *, title: str, caption: Sequence[str], entries: Sequence[Entry] = (), below: float
    ) -> Files:
        """Add title, legend and caption (a paragraph each) to a drawing that ends at `below`.

        Returns `figure.png` and `figure.svg`; title and caption are also for those who cannot see them.

        Parameters
        ----------
        title : str
            Heading of the picture.
        caption : sequence of str
            A paragraph each.
        entries : sequence of Entry, optional
            The legend: how each sign is drawn, and what it means.
        below : float
            In points.

        Returns
        -------
        dict of str to bytes
            Both hold the same drawing; the same calls give the same bytes.

        """
        self.width = max(self.width, NARROWEST)
        room = self.width - 2 * MARGIN
        self.text(MARGIN, 19, title, size=TITLE, bold=True, room=room, gid="title-text")
        y = self.legend(MARGIN, below + 10, room, entries)
        self.line([(MARGIN, y + 5), (self.width - MARGIN, y + 5)], Look(edge=GREY, width=0.4))
        y += 9
        for paragraph in caption:
            y = self.lines(MARGIN, y, wrapped(paragraph, BODY, min(room, _WIDEST_CAPTION), 8), gid="caption")
        self.height = y + 12
        return self.files(title=title, description=" ".join(caption))

    def files(self, *, title: str, description: str) -> Files:
        """Return the page as `figure.png` and `figure.svg`.

        Parameters
        ----------
        title : str
            Title in the metadata of both files.
        description : str
            For people who hear the picture read.

        Returns
        -------
        dict of str to bytes
            The PNG has a note on it where its font lacks letters of a text.

        """
        texts = {text: text.get_text() for text in self.figure.findobj(Text)}
        if any(UNKNOWN in drawable(text.replace(UNKNOWN, " ")) for text in texts.values()):
            note = f"{UNKNOWN} is a letter that the font of the PNG has not; figure.svg has it."
            self.text(MARGIN, self.height - 4, note, size=SMALL, colour=GREY)
            self.height += 12
        self.figure.set_size_inches(self.width / 72, self.height / 72)
        self.axes.set(xlim=(0, self.width), ylim=(self.height, 0))
        for axes, (x, y, w, h) in self._panels:
            bottom = 1 - (y + h) / self.height
            axes.set_position((x / self.width, bottom, w / self.width, h / self.height))
        svg = self._svg(clean(title), clean(description))
        for text, words in texts.items():
            text.set_text(drawable(words))
        self.figure.set_dpi(DPI)
        canvas: Any = FigureCanvasAgg(self.figure)
        canvas.draw()
        pixels = np.asarray(canvas.buffer_rgba())
        return {"figure.png": _png(pixels, clean(title), clean(description)), "figure.svg": svg}

    def _svg(self, title: str, description: str) -> bytes:
        stream = io.BytesIO()
        self.figure.savefig(stream, format="svg", metadata={"Date": None, "Creator": "corpusgraph"})
        hints = {gid: f"<title>{_safe(text)}</title>" for gid, text in self.hints.items()}
        text = _GROUP.sub(lambda group: group[0] + hints.get(group[1], ""), stream.getvalue().decode())
        start = text.index(">", text.index("<svg ")) + 1
        head = text[:start].replace("<svg ", '<svg role="img" aria-labelledby="title desc" ', 1)
        told = f'\n <title id="title">{_safe(title)}</title>\n <desc id="desc">{_safe(description)}</desc>'
        return f"{head}{told}{text[start:]}".encode()


def _png(pixels: NDArray[np.uint8], title: str, description: str) -> bytes:
    """Return pixels (height, width, 4) as a PNG of at most 256 colours: a third of the bytes."""
    facts = PngInfo()
    facts.add_itxt("Title", title)
    facts.add_itxt("Description", description)
    image = Image.fromarray(pixels).convert("RGB")
    image = image.quantize(256, Image.Quantize.MAXCOVERAGE, dither=Image.Dither.NONE)
    stream = io.BytesIO()
    image.save(stream, "png", dpi=(DPI, DPI), pnginfo=facts)
    return stream.getvalue()
