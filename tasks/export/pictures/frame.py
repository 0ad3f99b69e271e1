"""What every picture has around it: a title above, a legend and a caption below."""

from collections.abc import Sequence

from corpusgraph.tasks.export.pictures.draw import Files, drawn
from corpusgraph.tasks.export.pictures.letters import wrapped
from corpusgraph.tasks.export.pictures.nodes import Entry, legend
from corpusgraph.tasks.export.pictures.page import Look, Page
from corpusgraph.tasks.export.pictures.style import BODY, GREY, TITLE

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
