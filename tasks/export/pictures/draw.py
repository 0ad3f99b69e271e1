"""A page as PNG (150 dots an inch) and SVG, the same bytes for the same page.

matplotlib draws the shapes. In the PNG, text is drawn as outlines of DejaVu Sans, which comes with
matplotlib: the fonts of a machine play no part, and letters which it lacks (Chinese, Japanese, Korean,
emoji) are boxes, as the page then says. In the SVG, text is text: it can be searched, read
aloud and copied, and the program that shows it finds a font for every script.
"""

import html
import io
import re
from typing import TYPE_CHECKING, Any

from corpusgraph.tasks.export.pictures.glyphs import Outline, outline
from corpusgraph.tasks.export.pictures.letters import UNKNOWN, clean, drawable
from corpusgraph.tasks.export.pictures.page import Look, Page, Words
from corpusgraph.tasks.export.pictures.pixels import png
from corpusgraph.tasks.export.pictures.style import GREY, SMALL, WHITE

if TYPE_CHECKING:
    from matplotlib.figure import Figure
    from matplotlib.transforms import Transform

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
