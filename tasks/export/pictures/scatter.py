"""The outcome of a regression against its first predictor: points where there are few, density where not."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

from corpusgraph.tasks.export.pictures.letters import number, steps
from corpusgraph.tasks.export.pictures.page import Look, Page
from corpusgraph.tasks.export.pictures.style import BLUE, BODY, INK, ORANGE, SMALL
from corpusgraph.tasks.export.pictures.variables import Shown, counts, numbers
from corpusgraph.tasks.statistics.analysis import StatisticalAnalysis
from corpusgraph.tasks.table.series import series

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

MOST_POINTS = 1_500
_GRID = (44, 30)
_CLASSES = 12
_DOT = 1.7
_LEFT, _FOOT = 58.0, 34.0


@dataclass(frozen=True)
class _Axis:
    """Values on an axis: NaN is missing; ticks are values with their words."""

    values: "NDArray[np.float64]"
    low: float
    high: float
    ticks: list[tuple[float, str]]


def scatter(
    page: Page,
    result: StatisticalAnalysis,
    one: Shown,
    other: Shown,
    left: float,
    top: float,
    w: float,
    h: float,
) -> str:
    """Draw `other` against `one`, with a least-squares line of two numbers; return what the caption says.

    `w` and `h` are the room for everything, in points. Classes stand at whole numbers, spread a little.
    """
    import numpy as np

    x, y = _axis(result, one), _axis(result, other)
    page.text(left, top + 5, f"{other.label} by {one.label}", bold=True, room=w)
    box = (left + _LEFT, top + 16, w - _LEFT - 6, h - 16 - _FOOT)
    if x is None or y is None:
        page.text(left, top + 30, "These two cannot be drawn against each other.", size=SMALL)
        return ""
    both = ~np.isnan(x.values) & ~np.isnan(y.values)
    _frame(page, x, y, box, one.label, other.label)
    across, up = x.values[both], y.values[both]
    at = [
        box[0] + box[2] * (across - x.low) / (x.high - x.low),
        box[1] + box[3] * (y.high - up) / (y.high - y.low),
    ]
    for place, shown, step in ((0, one, box[2] / (x.high - x.low)), (1, other, box[3] / (y.high - y.low))):
        if shown.kind == "class":
            spread = (np.arange(len(across)) * 0.6180339887498949) % 1.0 - 0.5
            at[place] = at[place] + spread * 0.5 * step
    _dots(page, at[0], at[1]) if len(across) <= MOST_POINTS else _density(page, at[0], at[1], box)
    line = one.is_number and other.is_number and _line(page, across, up, x, y, box)
    told = f"{other.label} by {one.label}: n = {len(across):,}"
    return f"{told}; the line is the least-squares line of these two alone." if line else f"{told}."


def _axis(result: StatisticalAnalysis, one: Shown) -> _Axis | None:
    import numpy as np

    if one.is_number:
        values = numbers(result, one.entry.name)
        low, high = float(np.nanmin(values)), float(np.nanmax(values))
        if not np.isfinite(high - low):
            return None
        pad = 0.04 * (high - low) or 0.5
        ticks = [(value, number(value)) for value in steps(low, high)]
        return _Axis(values, low - pad, high + pad, ticks)
    classes = counts(one.entry)
    if one.kind != "class" or len(classes) > _CLASSES:
        return None
    codes = {code: float(at) for at, code in enumerate(one.entry.frequencies)}
    found = [
        codes.get(str(v).lower() if isinstance(v, bool) else str(v), np.nan)
        for v in series(result.table, one.entry.name)
    ]
    ticks = [(float(at), text) for at, (text, _) in enumerate(classes)]
    return _Axis(np.array(found, dtype=np.float64), -0.5, len(classes) - 0.5, ticks)


Box = tuple[float, float, float, float]


def _frame(page: Page, x: _Axis, y: _Axis, box: Box, below: str, beside: str) -> None:
    left, top, w, h = box
    look = Look(edge=INK, width=0.6)
    page.line([(left, top), (left, top + h), (left + w, top + h)], look, "axes")
    each = w / max(1, len(x.ticks))
    for value, text in x.ticks:
        at = left + w * (value - x.low) / (x.high - x.low)
        page.line([(at, top + h), (at, top + h + 3)], look)
        page.text(at, top + h + 9, text, size=SMALL, anchor="middle", room=each)
    for value, text in y.ticks:
        at = top + h * (y.high - value) / (y.high - y.low)
        page.line([(left - 3, at), (left, at)], look)
        page.text(left - 5, at, text, size=SMALL, anchor="end", room=_LEFT - 22)
    page.text(left + w / 2, top + h + 24, below, size=BODY, anchor="middle", room=w)
    page.text(left - _LEFT + 6, top + h / 2, beside, size=BODY, anchor="middle", room=h, angle=90)


def _dots(page: Page, x: "NDArray[np.float64]", y: "NDArray[np.float64]") -> None:
    """Draw all points as one shape: a thousand groups would be a heavy SVG."""
    from corpusgraph.tasks.export.pictures.page import CLOSE, MOVE, TO

    points, codes = [], []
    for a, b in zip(x.tolist(), y.tolist(), strict=True):
        corners = [(a - _DOT, b), (a, b - _DOT), (a + _DOT, b), (a, b + _DOT), (a - _DOT, b)]
        points += corners
        codes += [MOVE, TO, TO, TO, CLOSE]
    if points:
        page.path(points, codes, Look(fill=BLUE, alpha=0.7), "points")
    page.hint("points", f"{len(x)} points")


def _density(page: Page, x: "NDArray[np.float64]", y: "NDArray[np.float64]", box: Box) -> None:
    """Draw how many points lie in each cell of a grid, darker for more, on a logarithmic scale."""
    import numpy as np

    left, top, w, h = box
    found, _, _ = np.histogram2d(x, y, bins=_GRID, range=[[left, left + w], [top, top + h]])
    most = float(np.log1p(found.max()))
    wide, tall = w / _GRID[0], h / _GRID[1]
    for i, j in np.argwhere(found > 0).tolist():
        share = round(0.12 + 0.88 * float(np.log1p(found[i, j])) / most, 2)
        page.rectangle(left + i * wide, top + j * tall, wide, tall, Look(fill=BLUE, alpha=share))


def _line(
    page: Page, x: "NDArray[np.float64]", y: "NDArray[np.float64]", across: _Axis, up: _Axis, box: Box
) -> bool:
    """Draw the least-squares line within the frame; return whether there is one."""
    import numpy as np

    if len(x) < 2 or float(x.min()) == float(x.max()):
        return False
    about = (x - x.mean()) / (across.high - across.low)
    rise = (y - y.mean()) / (up.high - up.low)
    slope = float(about @ rise / (about @ about))
    left, top, w, h = box
    middle = (left + w * (float(x.mean()) - across.low) / (across.high - across.low), float(y.mean()))
    height = top + h * (up.high - middle[1]) / (up.high - up.low)
    ends = []
    for end in (left, left + w):
        run = (end - middle[0]) / w
        if slope:
            bounds = sorted([(height - top) / h / slope, (height - top - h) / h / slope])
            run = min(max(run, bounds[0]), bounds[1])
        ends.append((middle[0] + run * w, height - run * slope * h))
    page.line(ends, Look(edge=ORANGE, width=1.6), "least-squares")
    return bool(np.isfinite(slope))
