"""The picture of a table: the distribution of each variable, their correlations, and the model."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from corpusgraph.tasks.analysis.process.timestamps import DAY
from corpusgraph.tasks.analysis.statistics.analysis import CodebookEntry, StatisticalAnalysis
from corpusgraph.tasks.analysis.statistics.tidy import CODE_ROLE
from corpusgraph.tasks.export.figures.draw import MARGIN, TOP, Files, finished, plural
from corpusgraph.tasks.export.figures.network import (
    Entry,
    Kind,
    arc,
    arrow,
    loop,
    node,
    packed,
    sign_of,
    sign_of_arrow,
    size_of,
    spoken,
)
from corpusgraph.tasks.export.figures.page import (
    BLUE,
    BODY,
    GREY,
    INK,
    ORANGE,
    PALE,
    RED,
    SKY,
    SMALL,
    WHITE,
    Look,
    Page,
    mixed,
    number,
    on,
    steps,
    width,
    wrapped,
)
from corpusgraph.tasks.export.figures.time_axis import TimeAxis
from corpusgraph.tasks.table.coerce import series

if TYPE_CHECKING:
    import numpy as np
    import polars as pl
    from numpy.typing import NDArray

CELL = 27.0
NAMES = 150.0
"""Room for the names of the rows, in points."""
_NONE = Look(fill=PALE)
_ROWS = 131_072
"""Rows taken at once: memory stays small."""


def correlations(
    columns: Sequence["NDArray[np.float64]"],
) -> "tuple[NDArray[np.float64], NDArray[np.int64]]":
    """Return Pearson's r (k, k) and the rows behind each (k, k), of columns (n,) with NaN for missing.

    Each pair is of the rows that have both values. NaN where a variable does not vary there. Columns are
    centred and scaled first, so that sums of squares neither overflow nor cancel.
    """
    import numpy as np

    k = len(columns)
    scaled = [_scaled(column) for column in columns]
    count, total, squares, products = (np.zeros((k, k)) for _ in range(4))
    for begin in range(0, len(columns[0]) if columns else 0, _ROWS):
        part = np.stack([column[begin : begin + _ROWS] for column in scaled])
        known = (~np.isnan(part)).astype(np.float64)
        part = np.nan_to_num(part)
        count += known @ known.T
        total += part @ known.T
        squares += (part * part) @ known.T
        products += part @ part.T
    with np.errstate(invalid="ignore", divide="ignore"):
        spread = squares - total * total / count
        spread[spread <= 1e-12 * squares] = np.nan
        r = (products - total * total.T / count) / np.sqrt(spread * spread.T)
    return np.clip(r, -1.0, 1.0), count.astype(np.int64)


def _scaled(column: "NDArray[np.float64]") -> "NDArray[np.float64]":
    """Return a column about its mean, the farthest value 1; all 0 where it does not vary."""
    import numpy as np

    known = column[~np.isnan(column)]
    if not len(known):
        return column
    largest = max(float(np.abs(known).max()), 1e-300)
    small = column / largest
    about = small - float((known / largest).mean())
    far = float(np.nanmax(np.abs(about)))
    if far <= np.finfo(float).eps * len(known):  # the rounding of a mean, no variation
        return about * 0.0
    return about / far


def heatmap(
    page: Page,
    names: Sequence[str],
    r: "NDArray[np.float64]",
    n: "NDArray[np.int64]",
    left: float,
    top: float,
) -> float:
    """Draw the lower triangle; rows and columns have numbers, rows their names. Return where it ends."""
    page.text(left, top + 5, "Correlations (Pearson)", bold=True)
    y = top + 16
    for i in range(len(names)):
        middle = y + (i + 0.5) * CELL
        page.text(
            left + NAMES - 6,
            middle,
            f"{i + 1}  {names[i]}",
            size=SMALL,
            room=NAMES - 8,
            anchor="end",
            gid=f"row-{i + 1}",
        )
        for j in range(i):
            _cell(page, float(r[i, j]), left + NAMES + j * CELL, y + i * CELL, f"cell-{i + 1}-{j + 1}")
            value = f"{r[i, j]:.2f}" if not math.isnan(r[i, j]) else "not defined"
            page.hint(f"cell-{i + 1}-{j + 1}", f"{names[i]}, {names[j]}: {value}, n = {n[i, j]:,}")
        page.text(
            left + NAMES + (i + 0.5) * CELL, middle, str(i + 1), size=SMALL, colour=GREY, anchor="middle"
        )
    return y + len(names) * CELL + 4


def _cell(page: Page, r: float, x: float, y: float, gid: str) -> None:
    if math.isnan(r):
        page.rectangle(x, y, CELL - 1, CELL - 1, _NONE, gid)
        page.text(x + CELL / 2, y + CELL / 2, "–", anchor="middle", gid=f"{gid}-text")
        return
    fill = mixed(BLUE if r >= 0 else RED, 0.95 * abs(r))
    page.rectangle(x, y, CELL - 1, CELL - 1, Look(fill=fill, edge=PALE, width=0.5), gid)
    text = shown(r)
    page.text(
        x + CELL / 2, y + CELL / 2, text, size=BODY - 0.5, colour=on(fill), anchor="middle", gid=f"{gid}-text"
    )


def shown(r: float) -> str:
    """Write a correlation with two decimals; a minus is a minus, and there is no minus nought."""
    text = f"{r:.2f}"
    return "0.00" if text == "-0.00" else text.replace("-", "−")


def room(k: int) -> tuple[float, float]:
    """Return the width and height of a heat map of k variables."""
    return NAMES + k * CELL, 20 + k * CELL


MOST_VARIABLES = 12
_SHARED = 60
"""Characters of a label that every program keeps: Stata takes 80 characters, SPSS 256 bytes."""
_NUMBERS = ("numeric", "integer")
_CATEGORICAL = ("nominal", "ordinal", "boolean")
_ROLES = ("outcome", "predictor", "control", "weight", "cluster", "group", "sem", "time")


@dataclass(frozen=True)
class Shown:
    """A variable: its entry in the codebook, its name for people, and how it is drawn."""

    entry: CodebookEntry
    label: str
    kind: str

    @property
    def is_number(self) -> bool:
        """Whether a correlation can be taken of it."""
        return self.kind == "number"


def label_of(entry: CodebookEntry) -> str:
    """Return the label, else the name as it was given."""
    return (entry.label or spoken(entry.given_name))[:_SHARED]


def described(result: StatisticalAnalysis) -> list[CodebookEntry]:
    """Return the variables that every program has; codes that mean missing are columns in some of them."""
    return [entry for entry in result.codebook if entry.role != CODE_ROLE]


def chosen(result: StatisticalAnalysis) -> list[Shown]:
    """Return up to twelve variables: those of the model in its order of roles, then the first others.

    Identifiers, text and what has no value are left out, unless there is nothing else.
    """
    rank = {name: at for at, name in enumerate(_ROLES)}
    part = set(result.model.variables())
    entries = sorted(
        (entry for entry in described(result) if entry.role != "id"),
        key=lambda entry: (entry.name not in part, rank.get(entry.role or "", len(rank))),
    )
    found: list[Shown] = []
    plain: list[Shown] = []
    for entry in entries:
        one = Shown(entry, label_of(entry), _kind(result, entry))
        (plain if one.kind in {"text", "nothing"} and entry.name not in part else found).append(one)
        if len(found) == MOST_VARIABLES:
            break
    return found or plain[:MOST_VARIABLES]


def _kind(result: StatisticalAnalysis, entry: CodebookEntry) -> str:
    if not entry.n:
        return "nothing"
    if entry.type in _NUMBERS:
        return "number"
    if entry.type in _CATEGORICAL:
        return "class"
    return "date" if instants(result, entry.name) is not None else "text"


def numbers(result: StatisticalAnalysis, name: str) -> "NDArray[np.float64]":
    """Return a column of numbers as floats (n,), NaN for missing."""
    import numpy as np
    import polars as pl

    found = series(result.table, name).cast(pl.Float64).fill_null(float("nan"))
    return np.asarray(found.to_numpy(), dtype=np.float64)


def instants(result: StatisticalAnalysis, name: str) -> "NDArray[np.int64] | None":
    """Return the dates of a column as microseconds from 1970; None where some value is no ISO date.

    Text is read as well: SPSS holds no date before 1582, and the column is text there.
    """
    import numpy as np
    import polars as pl

    found: pl.Series = series(result.table, name).drop_nulls().cast(pl.String)
    if not len(found) or not _are_dates(found.head(100)):
        return None
    clock = found.str.strip_suffix("Z").str.to_datetime("%Y-%m-%dT%H:%M:%S%.f", strict=False, time_unit="us")
    days = found.str.to_date("%Y-%m-%d", strict=False).cast(pl.Datetime("us"))
    both = clock.fill_null(days) if clock.null_count() else clock
    return None if both.null_count() else np.asarray(both.to_physical().to_numpy(), dtype=np.int64)


def _are_dates(found: "pl.Series") -> bool:
    return bool(found.str.contains(r"^\d{4}-\d\d-\d\d(T|$)").all())


def counts(entry: CodebookEntry) -> list[tuple[str, int]]:
    """Return the classes of a variable with their numbers, in their order."""
    names = {**(entry.value_labels or {})}
    if entry.type == "boolean":
        names = {"false": "no", "true": "yes", **names}
    return [(str(names.get(code, code)), n) for code, n in entry.frequencies.items()]


def given(result: StatisticalAnalysis) -> dict[str, str]:
    """Return the names as they were given, by the names of the program."""
    before: dict[str, Any] = {new: old for old, new in result.name_map.items()}
    return {name: str(old) for name, old in before.items()}


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
    from corpusgraph.tasks.table.coerce import series

    x, y, _, h = body
    if one.kind == "nothing":
        page.text(x, y + h / 2, "no value at all", size=SMALL)
        return
    distinct = series(result.table, one.entry.name).drop_nulls().n_unique()
    page.text(x, y + h / 2, f"text: {distinct:,} different values", size=SMALL)


MOST_POINTS = 1_500
_GRID = (44, 30)
_MOST_CLASSES = 12
_DOT = 1.7
_LEFT, _AXIS_FOOT = 58.0, 34.0


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
    box = (left + _LEFT, top + 16, w - _LEFT - 6, h - 16 - _AXIS_FOOT)
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
    if one.kind != "class" or len(classes) > _MOST_CLASSES:
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
    from corpusgraph.tasks.export.figures.page import CLOSE, MOVE, TO

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


MOST_NODES = 45
"""Variables of a diagram; the caption says how many are left out."""
_FACTOR = Kind("ellipse", Look(fill=mixed(SKY, 0.45), edge=INK, width=1.2), "factor (latent)")
_OBSERVED = Kind("box", Look(fill=WHITE, edge=INK, width=0.8), "observed")
_MEASURES = Look(edge=GREY, width=1.0)
_ACTS = Look(edge=INK, width=1.6)
_VARIES = Look(edge=ORANGE, width=1.1, dash=(4.0, 2.0))


def diagram(page: Page, result: StatisticalAnalysis, top: float, room: float) -> tuple[float, float, int]:
    """Draw the model; return its width and height, and how many variables are left out."""
    model = result.model
    links = [(factor, name) for factor, names in model.latents.items() for name in names]
    links += [(cause, effect) for effect, cause in model.regressions]
    every = list(dict.fromkeys([*model.latents, *model.variables()]))
    names = [name for name in every if name != model.group][:MOST_NODES]
    number = {name: at for at, name in enumerate(names)}
    inside = [(at, (number[a], number[b])) for at, (a, b) in enumerate(links) if a in number and b in number]
    known = given(result)
    texts = [wrapped(known.get(name, name), BODY, 100, 3) for name in names]
    kinds = [_FACTOR if name in model.latents else _OBSERVED for name in names]
    sizes = [size_of(text, kind.shape) for text, kind in zip(texts, kinds, strict=True)]
    plan = packed(sizes, [ends for _, ends in inside], left=MARGIN + 6, top=top + 6, room=room)
    page.width = max(page.width, plan.width + 2 * MARGIN + 20)
    measures = sum(map(len, model.latents.values()))
    for place, (at, ends) in enumerate(inside):
        look, gid = (_MEASURES if at < measures else _ACTS), f"edge-{at + 1}"
        page.hint(gid, f"{known.get(links[at][0], links[at][0])} → {known.get(links[at][1], links[at][1])}")
        if place in plan.curves:
            arrow(page, plan.curves[place], look, gid)
        else:
            loop(page, plan.boxes[ends[0]], look, gid)
    for at, (a, b) in enumerate(model.covariances, 1):
        if a in number and b in number and a != b:
            arc(page, number[a], number[b], plan.boxes, _VARIES, f"covariance-{at}")
    for at, (name, kind, text) in enumerate(zip(names, kinds, texts, strict=True)):
        page.hint(f"node-{at + 1}", f"{known.get(name, name)} ({kind.meaning})")
        node(page, plan.boxes[at], kind, text, f"node-{at + 1}")
    return plan.width + 12, plan.height + 16, len(every) - len(names)


def paths_legend(result: StatisticalAnalysis) -> list[Entry]:
    """Return the legend of a diagram."""
    model = result.model
    found = [sign_of(_FACTOR)] if model.latents else []
    found.append(sign_of(_OBSERVED))
    if model.latents:
        found.append(sign_of_arrow(_MEASURES, "is measured by"))
    if model.regressions:
        found.append(sign_of_arrow(_ACTS, "predicts"))
    if model.covariances:
        found.append(sign_of_arrow(_VARIES, "may covary", head="both"))
    return found


_COLUMNS = 4
_SCATTER = 250.0
_NAMED = 6


def statistical_picture(result: StatisticalAnalysis) -> Files:
    """Return distributions, correlations and the model as `figure.png` and `figure.svg`.

    Up to twelve variables are drawn, those of the model first. Groups of the SVG are `panel-1-bar-1`,
    `cell-2-1` (row and column of the correlation), and for a SEM `node-1` and `edge-1`. The picture is the
    same whatever program the table was prepared for: names are as given.
    """
    shown = chosen(result)
    page = Page(2 * MARGIN + _COLUMNS * WIDTH + (_COLUMNS - 1) * GAP)
    said = _caption(result, shown)
    if result.model.kind == "sem":
        y = _model(page, result, shown, said)
        y = panels(page, result, shown, MARGIN, y + 14, _COLUMNS)
        signs = paths_legend(result)
    else:
        y = panels(page, result, shown, MARGIN, TOP, _COLUMNS)
        y = _pairs(page, result, shown, y, said)
        signs = []
    return finished(
        page, title=_title(result), caption=[" ".join(said)], entries=[*signs, *_signs(shown)], below=y
    )


def _model(page: Page, result: StatisticalAnalysis, shown: Sequence[Shown], said: list[str]) -> float:
    """Draw the path diagram of a SEM, and the correlations beside it where there is room."""
    before = page.width
    wide, high, left_out = diagram(page, result, TOP, page.width - 2 * MARGIN - 20)
    if left_out:
        said.append(f"Left out of the diagram: {plural(left_out, 'variable')}.")
    counted = [one for one in shown if one.is_number]
    beside = MARGIN + wide + 40
    if beside + room(len(counted))[0] <= before - MARGIN:
        return max(TOP + high, _correlations(page, result, counted, beside, TOP, said))
    return _correlations(page, result, counted, MARGIN, TOP + high + 12, said)


def _correlations(
    page: Page,
    result: StatisticalAnalysis,
    counted: Sequence[Shown],
    left: float,
    top: float,
    said: list[str],
) -> float:
    """Draw the correlations of two numbers or more; return where they end."""
    if len(counted) < 2:
        return top
    r, n = correlations([numbers(result, one.entry.name) for one in counted])
    pairs = [int(n[i, j]) for i in range(len(counted)) for j in range(i)]
    some = f"{min(pairs):,}" if min(pairs) == max(pairs) else f"{min(pairs):,} to {max(pairs):,}"
    said.append(f"Correlations are of the rows with both values: n = {some}.")
    return heatmap(page, [one.label for one in counted], r, n, left, top)


def _pairs(
    page: Page, result: StatisticalAnalysis, shown: Sequence[Shown], top: float, said: list[str]
) -> float:
    """Draw correlations and, of a regression, the outcome against the first predictor, side by side."""
    counted = [one for one in shown if one.is_number]
    low = _correlations(page, result, counted, MARGIN, top, said)
    left = MARGIN + (room(len(counted))[0] + 26 if len(counted) > 1 else 0.0)
    if result.model.outcome is None:
        return low
    parts = {one.entry.name: one for one in shown}
    first = next((parts[name] for name in result.model.predictors if name in parts), None)
    outcome = parts.get(result.model.outcome)
    if first is None or outcome is None:
        return low
    wide, y = page.width - MARGIN - left, top
    if wide < 300:
        left, y, wide = MARGIN, low + 10, page.width - 2 * MARGIN
    high = max(_SCATTER, min(320.0, low - top)) if y == top else _SCATTER
    if told := scatter(page, result, first, outcome, left, y, min(wide, 420.0), high):
        said.append(told)
    return max(low, y + high)


def _title(result: StatisticalAnalysis) -> str:
    size = f"{plural(len(result.table.rows), 'row')}, {plural(len(described(result)), 'variable')}"
    what = {"regression": "Regression", "sem": "Structural equation model"}.get(result.analysis_type, "Table")
    return f"{what}: {size}"


def _caption(result: StatisticalAnalysis, shown: Sequence[Shown]) -> list[str]:
    known, model = given(result), result.model
    said = []
    if model.outcome:
        terms = " + ".join(known.get(name, name) for name in model.predictors)
        said.append(f"Model ({model.kind}): {known.get(model.outcome, model.outcome)} ~ {terms}.")
    complete, rows = result.diagnostics.n_complete, result.diagnostics.n_rows
    said.append(f"{complete:,} of {plural(rows, 'row')} {'is' if complete == 1 else 'are'} complete.")
    drawn = {one.entry.name for one in shown}
    left = [entry for entry in described(result) if entry.name not in drawn]
    if left:
        names = [spoken(entry.given_name) for entry in left[:_NAMED]]
        more = f" and {plural(len(left) - _NAMED, 'further variable')}" if len(left) > _NAMED else ""
        said.append(f"Not drawn: {', '.join(names)}{more}.")
    return said


def _signs(shown: Sequence[Shown]) -> list[Entry]:
    found: list[Entry] = []
    if any(one.entry.n_missing for one in shown):
        look = Look(fill=ORANGE)
        found.append(
            (lambda page, x, y: page.rectangle(x - 9, y - 1.5, 18, 3, look), "share of missing values")
        )
    return found
