"""Nodes of a network on a page: shapes that say what a node is, their text, and the legend of both."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from corpusgraph.tasks.export.pictures.arrows import Box, arrow
from corpusgraph.tasks.export.pictures.letters import widest, width, wrapped
from corpusgraph.tasks.export.pictures.page import Look, Page
from corpusgraph.tasks.export.pictures.style import BODY, INK, LINE, SMALL, on

SHAPES = ("box", "square", "ellipse", "pentagon", "hexagon", "octagon", "diamond")
Entry = tuple[Callable[[Page, float, float], None], str]
"""How a sign of the legend is drawn about a point, and what it means."""


@dataclass(frozen=True)
class Kind:
    """How nodes of one kind are drawn, and what the legend says of them."""

    shape: str
    look: Look
    meaning: str


def size_of(lines: Sequence[str], shape: str, size: float = BODY) -> tuple[float, float]:
    """Return the width and height that a shape needs for its text."""
    wide, high = widest(lines, size) + 12, len(lines) * size * LINE + 8
    if shape == "ellipse":
        return wide * 1.18 + 4, high * 1.3
    if shape in {"pentagon", "hexagon"}:
        return wide + 16, high + 4
    return (wide * 1.3 + 8, high * 1.5) if shape == "diamond" else (wide + 4, high)


def spoken(name: str) -> str:
    """Return a name as it is read: the underscores of one without blanks are blanks."""
    return name if " " in name else name.replace("_", " ").strip() or name


def label(text: str, *, room: float = 92.0, most: int = 3) -> list[str]:
    """Wrap the text of a node."""
    return wrapped(spoken(text), BODY, room, most)


def outline(page: Page, shape: str, box: Box, look: Look, gid: str = "") -> None:
    """Draw the shape of a node."""
    x, y, w, h = box.x - box.half_width, box.y - box.half_height, 2 * box.half_width, 2 * box.half_height
    cut = min(8.0, w / 3, h / 2)
    if shape == "ellipse":
        page.ellipse(x, y, w, h, look, gid)
    elif shape == "square":
        page.rectangle(x, y, w, h, look, gid)
    elif shape == "pentagon":
        page.polygon([(x, y), (x + w - cut, y), (x + w, box.y), (x + w - cut, y + h), (x, y + h)], look, gid)
    elif shape == "hexagon":
        right, low = x + w, y + h
        points = [
            (x + cut, y),
            (right - cut, y),
            (right, box.y),
            (right - cut, low),
            (x + cut, low),
            (x, box.y),
        ]
        page.polygon(points, look, gid)
    elif shape == "octagon":
        right, low, c = x + w, y + h, min(cut, h / 3)
        points = [(x + c, y), (right - c, y), (right, y + c), (right, low - c)]
        page.polygon([*points, (right - c, low), (x + c, low), (x, low - c), (x, y + c)], look, gid)
    elif shape == "diamond":
        page.polygon([(box.x, y), (x + w, box.y), (box.x, y + h), (x, box.y)], look, gid)
    else:
        page.rounded(x, y, w, h, look, gid)


def node(page: Page, box: Box, kind: Kind, lines: Sequence[str], gid: str, *, bold: bool = False) -> None:
    """Draw a node with its text in the middle."""
    outline(page, kind.shape, box, kind.look, gid)
    colour = on(kind.look.fill) if kind.look.fill else INK
    top = box.y - len(lines) * BODY * LINE / 2
    page.lines(box.x, top, lines, colour=colour, anchor="middle", gid=f"{gid}-text", bold=bold)


def sign_of(kind: Kind) -> Entry:
    """Return the legend's entry of a kind of node."""

    def draw(page: Page, x: float, y: float) -> None:
        outline(page, kind.shape, Box(x, y, 9.0, 5.0), kind.look)

    return draw, kind.meaning


def sign_of_arrow(look: Look, meaning: str, *, head: str = "arrow") -> Entry:
    """Return the legend's entry of a kind of arrow."""

    def draw(page: Page, x: float, y: float) -> None:
        arrow(page, [(x - 11, y), (x - 4, y), (x + 4, y), (x + 11, y)], look, "", head=head)

    return draw, meaning


def legend(page: Page, left: float, top: float, room: float, entries: Sequence[Entry]) -> float:
    """Draw signs with their meanings, in as many lines as they need; return where the legend ends."""
    x, y = left, top + 7
    for draw, meaning in entries:
        wide = 30 + width(meaning, SMALL) + 14
        if x > left and x + wide > left + room:
            x, y = left, y + 15
        draw(page, x + 12, y)
        page.text(x + 28, y, meaning, size=SMALL, room=max(20.0, room - 28))
        x += wide
    return y + 9 if entries else top
