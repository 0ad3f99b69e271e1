"""A page as PNG (150 dots an inch) and SVG, the same bytes for the same page.

matplotlib draws the shapes. In the PNG, text is drawn as outlines of DejaVu Sans, which comes with
matplotlib: the fonts of a machine play no part, and letters which it lacks (Chinese, Japanese, Korean,
emoji) are boxes, as the page then says. In the SVG, text is text: it can be searched, read
aloud and copied, and the program that shows it finds a font for every script.
"""

import html
import io
import re
import unicodedata
from collections.abc import Iterable, Sequence
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from corpusgraph.tasks.export.figures.network import Entry, legend
from corpusgraph.tasks.export.figures.page import (
    BODY,
    CLOSE,
    GREY,
    SMALL,
    TITLE,
    UNKNOWN,
    WHITE,
    Look,
    Page,
    Words,
    advance,
    clean,
    drawable,
    font,
    font_file,
    width,
    wrapped,
)

if TYPE_CHECKING:
    import numpy as np
    from matplotlib.figure import Figure
    from matplotlib.transforms import Transform
    from numpy.typing import NDArray

Outline = tuple["NDArray[np.float64]", "NDArray[np.uint8]"]
"""Points (n, 2) and their path codes (n,)."""
_SIZE = 100.0
_PLAIN = ((0x20, 0x58F), (0x1E00, 0x2BFF))
"""Latin, Greek, Cyrillic, Armenian with all their accents; punctuation, arrows, mathematics."""


def outline(words: Words) -> Outline:
    """Return a line of text as a path in points on the page, the vertical axis downward."""
    import numpy as np

    text = drawable(words.text)
    points, codes = _set(text, bold=words.bold) if _is_plain(text) else _joined(text, bold=words.bold)
    if not len(points):
        return points, codes
    scale = words.size / _SIZE
    wide = width(text, words.size, bold=words.bold) if _is_plain(text) else scale * float(points[:, 0].max())
    flat = points * (scale, -scale)
    flat[:, 0] -= {"start": 0.0, "middle": wide / 2, "end": wide}[words.anchor]
    if words.angle:
        turn = np.deg2rad(-words.angle)
        flat = flat @ np.array([[np.cos(turn), np.sin(turn)], [-np.sin(turn), np.cos(turn)]])
    return flat + words.at, codes


def _is_plain(text: str) -> bool:
    return all(
        any(low <= ord(c) <= high for low, high in _PLAIN) and not unicodedata.combining(c) for c in text
    )


def _set(text: str, *, bold: bool) -> Outline:
    """Set letters one after the other."""
    import numpy as np

    at, points, codes = 0.0, [np.empty((0, 2))], [np.empty(0, np.uint8)]
    for character in text:
        shape, kinds = _glyph(character, bold)
        if len(shape):
            points.append(np.add(shape, (at, 0.0)))
            codes.append(kinds)
        at += _SIZE * advance(character, bold)
    return np.concatenate(points), np.concatenate(codes)


@lru_cache(maxsize=4_096)
def _glyph(character: str, bold: bool) -> Outline:
    from matplotlib.ft2font import LoadFlags

    face: Any = font(bold=bold)
    face.set_size(_SIZE, 72)
    face.load_char(ord(character), flags=LoadFlags.NO_HINTING)
    return _closed(*face.get_path())


def _joined(text: str, *, bold: bool) -> Outline:
    """Let matplotlib lay out a script whose letters join or run from right to left."""
    import numpy as np
    from matplotlib.font_manager import FontProperties
    from matplotlib.textpath import TextToPath

    maker = TextToPath()
    points, codes = maker.get_text_path(FontProperties(fname=font_file(bold=bold)), text)
    scaled = np.asarray(points, dtype=np.float64).reshape(-1, 2) * (_SIZE / maker.FONT_SCALE)
    return _closed(scaled, codes)


def _closed(points: Any, codes: Any) -> Outline:
    """Return a path whose closing points repeat the one before: the renderer reads no place there."""
    import numpy as np

    shape, kinds = np.array(points, dtype=np.float64).reshape(-1, 2), np.array(codes, dtype=np.uint8)
    ends = np.flatnonzero(kinds == CLOSE)
    shape[ends] = shape[ends - 1]
    return shape, kinds


_STEP = 17
"""Colours are told apart in 16 levels a channel, 0, 17 … 255."""
_CELLS = 16**3
_MOST = 256
_WHITE = 0xFFFFFFFF


def png(
    pixels: "NDArray[np.uint8]", colours: Iterable[str], *, dpi: int, title: str, description: str
) -> bytes:
    """Return opaque pixels (height, width, 4) as PNG; the `colours` (#RRGGBB) are kept exactly."""
    from PIL import Image
    from PIL.PngImagePlugin import PngInfo

    index, palette = _indexed(pixels, sorted(set(colours)))
    picture = Image.fromarray(index)
    picture.putpalette(palette.tobytes())
    facts = PngInfo()
    facts.add_itxt("Title", title)
    facts.add_itxt("Description", description)
    stream = io.BytesIO()
    picture.save(stream, format="png", dpi=(dpi, dpi), pnginfo=facts)
    return stream.getvalue()


def _indexed(
    pixels: "NDArray[np.uint8]", colours: list[str]
) -> "tuple[NDArray[np.uint8], NDArray[np.uint8]]":
    """Return the number of each pixel's colour, and the colours (n, 3)."""
    import numpy as np

    level = (np.arange(256) + _STEP // 2) // _STEP
    packed = np.ascontiguousarray(pixels).view(np.uint32)[..., 0].ravel()
    drawn = np.flatnonzero(packed != _WHITE)  # most of a page is white
    some = pixels.reshape(-1, 4)[drawn]
    cell = level[some[:, 0]] * 256 + level[some[:, 1]] * 16 + level[some[:, 2]]
    counts = np.bincount(cell, minlength=_CELLS)
    counts[-1] += packed.size - drawn.size
    kept = np.sort(np.argsort(-counts, kind="stable")[: min(_MOST, int(np.count_nonzero(counts)))])
    shades = np.stack([kept // 256, kept // 16 % 16, kept % 16], axis=1) * _STEP
    palette = shades.astype(np.uint8)
    for colour in colours:
        exact = [int(colour[at : at + 2], 16) for at in (1, 3, 5)]
        own = level[exact[0]] * 256 + level[exact[1]] * 16 + level[exact[2]]
        palette[kept == own] = exact
    cells = np.arange(_CELLS)
    every = np.stack([cells // 256, cells // 16 % 16, cells % 16], axis=1)
    used = np.flatnonzero(counts)
    number = np.zeros(_CELLS, dtype=np.uint8)
    far = np.abs(every[used][:, None, :] - (shades // _STEP)[None, :, :]).sum(axis=2)
    number[used] = far.argmin(axis=1)
    index = np.full(packed.size, number[-1], dtype=np.uint8)
    index[drawn] = number[cell]
    return index.reshape(pixels.shape[:2]), palette


Files = dict[str, bytes]
DPI = 150
_FAMILIES = "'DejaVu Sans', Verdana, 'Noto Sans', 'Noto Sans CJK SC', sans-serif"
_GROUP = re.compile(r'<g id="([^"]+)">')


def drawn(page: Page, *, title: str, description: str) -> Files:
    """Return `figure.png` and `figure.svg`; title and description are for those who cannot see them."""
    _tell_of_boxes(page)
    shapes = _figure(page)
    svg = _svg(shapes, page, clean(title), clean(description))
    _write(shapes, page)
    return {"figure.png": _png(shapes, page, clean(title), clean(description)), "figure.svg": svg}


def _tell_of_boxes(page: Page) -> None:
    if any(UNKNOWN in drawable(words.text.replace(UNKNOWN, " ")) for words in page.words):
        note = f"{UNKNOWN} is a letter that the font of the PNG has not; figure.svg has it."
        page.text(14, page.height - 4, note, size=SMALL, colour=GREY)
        page.height += 12


def _figure(page: Page) -> "Figure":
    from matplotlib.figure import Figure

    figure = Figure(figsize=(page.width / 72, page.height / 72), dpi=DPI, facecolor=WHITE, edgecolor=WHITE)
    _plain(figure.patch)
    figure.patch.set_linewidth(0)
    place = _place(figure, page)
    for shape in page.shapes:
        patch = _patch(shape.points, shape.codes, shape.look, place, shape.gid)
        figure.add_artist(patch, clip=False)
    return figure


def _place(figure: "Figure", page: Page) -> "Transform":
    from matplotlib.transforms import Affine2D

    return Affine2D().scale(1 / 72, -1 / 72).translate(0, page.height / 72) + figure.dpi_scale_trans


def _patch(points: Any, codes: Any, look: Look, place: "Transform", gid: str = "") -> Any:
    from matplotlib.patches import PathPatch
    from matplotlib.path import Path

    path = Path(points, codes)
    path.should_simplify = False
    patch = PathPatch(path, transform=place, gid=gid or None, **_settings(look))
    _plain(patch)
    return patch


def _plain(patch: Any) -> None:
    """Undo what a person's settings file does to every shape."""
    patch.set_sketch_params(None)
    patch.set_path_effects([])
    patch.set_snap(False)


def _settings(look: Look) -> dict[str, Any]:
    return {
        "facecolor": look.fill or "none",
        "edgecolor": look.edge or "none",
        "linewidth": look.width if look.edge else 0.0,
        "linestyle": (0, tuple(part / look.width for part in look.dash)) if look.dash else "solid",
        "alpha": look.alpha if look.alpha < 1 else None,
        "antialiased": True,
        "capstyle": "butt",
        "joinstyle": "round",
        "hatch": None,
        "zorder": 1,
    }


def _write(figure: "Figure", page: Page) -> None:
    """Add the text as outlines, one shape for each colour."""
    import numpy as np

    outlines: dict[str, list[Outline]] = {}
    for words in page.words:
        outlines.setdefault(words.colour, []).append(outline(words))
    place = _place(figure, page)
    for colour, lines in outlines.items():
        points, codes = (np.concatenate(parts) for parts in zip(*lines, strict=True))
        if len(points):
            figure.add_artist(_patch(points, codes, Look(fill=colour), place), clip=False)


def _png(figure: "Figure", page: Page, title: str, description: str) -> bytes:
    import numpy as np
    from matplotlib.backends.backend_agg import FigureCanvasAgg

    figure.set_dpi(DPI)
    canvas: Any = FigureCanvasAgg(figure)
    canvas.draw()
    looks = [shape.look for shape in page.shapes if shape.look.alpha == 1]
    colours = [colour for look in looks for colour in (look.fill, look.edge) if colour]
    colours += [WHITE, *(words.colour for words in page.words)]
    pixels = np.asarray(canvas.buffer_rgba())
    return png(pixels, colours, dpi=DPI, title=title, description=description)


def _svg(figure: "Figure", page: Page, title: str, description: str) -> bytes:
    from matplotlib.backends.backend_svg import FigureCanvasSVG

    stream = io.BytesIO()
    canvas: Any = FigureCanvasSVG(figure)
    canvas.print_svg(stream, metadata={"Date": None, "Creator": "corpusgraph"})
    text = _GROUP.sub(lambda found: found[0] + _hint(page, found[1]), stream.getvalue().decode())
    start = text.index(">", text.index("<svg ")) + 1
    head = text[:start].replace("<svg ", '<svg role="img" aria-labelledby="title desc" ', 1)
    told = f'\n <title id="title">{_safe(title)}</title>\n <desc id="desc">{_safe(description)}</desc>'
    body, _, tail = text[start:].rpartition("</svg>")
    lines = "\n".join(map(_text, page.words))
    style = f'<g id="text" font-family="{_FAMILIES}" style="white-space: pre">'
    return f"{head}{told}{body} {style}\n{lines}\n </g>\n</svg>{tail}".encode()


def _hint(page: Page, gid: str) -> str:
    return f"<title>{_safe(page.hints[gid])}</title>" if gid in page.hints else ""


def _safe(text: str) -> str:
    return html.escape(text, quote=False)


def _text(words: Words) -> str:
    x, y = (f"{value:.2f}" for value in words.at)
    turn = f' transform="rotate({-words.angle:g} {x} {y})"' if words.angle else ""
    facts = f'x="{x}" y="{y}" font-size="{words.size:g}" fill="{words.colour}"'
    facts += f' text-anchor="{words.anchor}"' if words.anchor != "start" else ""
    facts += ' font-weight="bold"' if words.bold else ""
    facts += f' class="{words.gid}"' if words.gid else ""
    return f"  <text {facts}{turn}>{_safe(words.text)}</text>"


MARGIN = 14.0
TOP = 40.0
"""Where a drawing begins, below its title."""
NARROWEST = 420.0
_WIDEST_CAPTION = 640.0


def plural(n: int, noun: str, many: str = "") -> str:
    """Return a number with its noun: 1 arrow, 2 arrows."""
    return f"{n:,} {noun if n == 1 else many or noun + 's'}"


def finished(
    page: Page, *, title: str, caption: Sequence[str], entries: Sequence[Entry] = (), below: float
) -> Files:
    """Add title, legend and caption (a paragraph each) to a drawing that ends at `below`, and draw it."""
    page.width = max(page.width, NARROWEST)
    room = page.width - 2 * MARGIN
    page.text(MARGIN, 19, title, size=TITLE, bold=True, room=room, gid="title-text")
    y = legend(page, MARGIN, below + 10, room, entries)
    page.line([(MARGIN, y + 5), (page.width - MARGIN, y + 5)], Look(edge=GREY, width=0.4))
    y += 9
    for paragraph in caption:
        y = page.lines(MARGIN, y, wrapped(paragraph, BODY, min(room, _WIDEST_CAPTION), 8), gid="caption")
    page.height = y + 12
    return drawn(page, title=title, description=" ".join(caption))
