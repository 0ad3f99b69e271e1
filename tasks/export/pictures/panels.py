"""A small picture of each variable: a histogram of numbers and dates, bars of classes, the share missing."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from corpusgraph.tasks.export.pictures.letters import number, steps, width
from corpusgraph.tasks.export.pictures.page import Look, Page
from corpusgraph.tasks.export.pictures.style import BLUE, GREY, INK, ORANGE, PALE, SKY, SMALL
from corpusgraph.tasks.export.pictures.time_axis import TimeAxis
from corpusgraph.tasks.export.pictures.variables import Shown, counts, instants, numbers
from corpusgraph.tasks.prepare.process.instants import DAY
from corpusgraph.tasks.statistics.analysis import StatisticalAnalysis

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

WIDTH, HEIGHT = 172.0, 112.0
"""Of a panel, in points."""
GAP = 14.0
_HEAD = 30.0
_FOOT = 12.0
_CLASSES = 6
_BAR = Look(fill=SKY)


def panels(
    page: Page, result: StatisticalAnalysis, shown: Sequence[Shown], left: float, top: float, columns: int
) -> float:
    """Draw the panels in rows; return where they end."""
    for at, one in enumerate(shown):
        x = left + at % columns * (WIDTH + GAP)
        y = top + at // columns * (HEIGHT + GAP)
        _panel(page, result, one, x, y, f"panel-{at + 1}")
    rows = -(-len(shown) // columns)
    return top + rows * (HEIGHT + GAP)


def _panel(page: Page, result: StatisticalAnalysis, one: Shown, x: float, y: float, gid: str) -> None:
    entry = one.entry
    page.text(x, y + 5, one.label, bold=True, room=WIDTH, size=SMALL + 0.5, gid=f"{gid}-text")
    total = entry.n + entry.n_missing
    gone = f", {entry.n_missing / total:.0%} missing" if entry.n_missing else ""
    said = " · ".join(
        part for part in (entry.role, "date" if one.kind == "date" else entry.type, entry.unit) if part
    )
    page.text(x, y + 15, f"{said} · n = {entry.n:,}{gone}", size=SMALL - 0.5, colour=GREY, room=WIDTH)
    page.rectangle(x, y + 21, WIDTH, 2.2, Look(fill=PALE))
    if entry.n_missing:
        page.rectangle(x, y + 21, WIDTH * entry.n_missing / total, 2.2, Look(fill=ORANGE), f"{gid}-missing")
    body = (x, y + _HEAD, WIDTH, HEIGHT - _HEAD - _FOOT)
    if one.kind == "class":
        _bars(page, one, body, gid)
    elif one.kind == "number":
        _numbers(page, numbers(result, entry.name), body, gid)
    elif one.kind == "date":
        _dates(page, instants(result, entry.name), body, gid)
    else:
        _words(page, result, one, body)


Body = tuple[float, float, float, float]
"""Left, top, width and height of the drawing in a panel."""


_TELLABLE = 2.0**48
"""Values further from 0 than so many times their range cannot be told apart on an axis of doubles."""


def _numbers(page: Page, values: "NDArray[np.float64]", body: Body, gid: str) -> None:
    import numpy as np

    known = values[~np.isnan(values)]
    low, high = float(known.min()), float(known.max())
    x, y, _, h = body
    far = max(abs(low), abs(high))
    if not np.isfinite(high - low) or far > _TELLABLE * max(1.0, high - low):
        page.text(x, y + h / 2, f"from {number(low)} to {number(high)}", size=SMALL)
        return
    heights, edges = _histogram(known, low, high)
    _columns(page, heights, body, gid)
    begin, end = float(edges[0]), float(edges[-1])
    _scale(page, [((t - begin) / (end - begin), number(t)) for t in steps(begin, end)], body)


def _histogram(
    known: "NDArray[np.float64]", low: float, high: float
) -> "tuple[NDArray[np.int64], NDArray[np.float64]]":
    """Count values in as many equal classes as Sturges (1926) has; few whole numbers have one each."""
    import numpy as np

    if low == high:
        return np.array([0, len(known), 0]), np.array([low - 1.5, low - 0.5, low + 0.5, low + 1.5])[
            [0, 1, 2, 3]
        ]
    if high - low <= 20 and bool((known == np.round(known)).all()):
        return np.histogram(known, bins=np.arange(low - 0.5, high + 1.0))
    return np.histogram(known, bins=min(30, int(np.ceil(np.log2(len(known)))) + 1), range=(low, high))


def _dates(page: Page, found: "NDArray[np.int64] | None", body: Body, gid: str) -> None:
    import numpy as np

    if found is None:
        return
    low, high = int(found.min()), int(found.max()) + (1 if (found % DAY).any() else DAY)
    heights, _ = np.histogram(found, bins=min(30, int(np.ceil(np.log2(len(found)))) + 1), range=(low, high))
    _columns(page, heights, body, gid)
    x, _, w, _ = body
    axis = TimeAxis((), low, high, x, x + w)
    _scale(page, [((at - x) / w, text) for at, text in axis.ticks()], body)


def _columns(page: Page, heights: "NDArray[np.int64]", body: Body, gid: str) -> None:
    x, y, w, h = body
    each, most = w / len(heights), max(1, int(heights.max()))
    for at, n in enumerate(heights.tolist()):
        if n:
            tall = max(0.6, (h - 9) * n / most)
            page.rectangle(x + at * each + 0.3, y + h - tall, each - 0.6, tall, _BAR, f"{gid}-bar-{at + 1}")
            page.hint(f"{gid}-bar-{at + 1}", f"{n:,}")
    page.line([(x, y + h), (x + w, y + h)], Look(edge=INK, width=0.6))
    page.text(x + w, y + 3, f"highest: {most:,}", size=SMALL - 1, colour=GREY, anchor="end")


def _scale(page: Page, ticks: Sequence[tuple[float, str]], body: Body) -> None:
    """Write what stands below an axis, each where it does not run into the one before."""
    x, y, w, h = body
    free = x - 4.0
    for share, text in ticks:
        half = width(text, SMALL - 0.5) / 2
        at = min(max(x + share * w, x + half), x + w - half)
        if at - half < free + 4:
            continue
        page.line([(x + share * w, y + h), (x + share * w, y + h + 2.5)], Look(edge=INK, width=0.6))
        page.text(at, y + h + 8, text, size=SMALL - 0.5, anchor="middle")
        free = at + half


def _bars(page: Page, one: Shown, body: Body, gid: str) -> None:
    x, y, w, h = body
    found = counts(one.entry)
    if one.entry.type == "nominal":
        found.sort(key=lambda pair: -pair[1])
    kept = found if len(found) <= _CLASSES else found[: _CLASSES - 1]
    rows = [(text, n, _BAR) for text, n in kept]
    if rest := found[len(kept) :]:
        rows.append((f"{len(rest):,} others", sum(n for _, n in rest), Look(fill=PALE)))
    most, high = max(n for _, n, _ in rows), min(14.0, (h + _FOOT) / len(rows))
    names = 0.42 * w
    for at, (text, n, look) in enumerate(rows):
        middle, long = y + (at + 0.5) * high, (w - names - 34) * n / most
        page.text(x + names - 4, middle, text, size=SMALL - 0.5, anchor="end", room=names - 4)
        page.rectangle(
            x + names, middle - 0.36 * high, max(long, 0.6), 0.72 * high, look, f"{gid}-bar-{at + 1}"
        )
        page.hint(f"{gid}-bar-{at + 1}", f"{text}: {n:,}")
        page.text(x + names + long + 3, middle, f"{n:,}", size=SMALL - 0.5, colour=BLUE)


def _words(page: Page, result: StatisticalAnalysis, one: Shown, body: Body) -> None:
    from corpusgraph.tasks.table.series import series

    x, y, _, h = body
    if one.kind == "nothing":
        page.text(x, y + h / 2, "no value at all", size=SMALL)
        return
    distinct = series(result.table, one.entry.name).drop_nulls().n_unique()
    page.text(x, y + h / 2, f"text: {distinct:,} different values", size=SMALL)
