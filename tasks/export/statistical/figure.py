"""The picture of a table: the distribution of each variable, their correlations, and the model."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from corpusgraph.tasks.analysis.statistics.analysis import CodebookEntry, StatisticalAnalysis
from corpusgraph.tasks.analysis.statistics.tidy import CODE_ROLE
from corpusgraph.tasks.export.figures.network import (
    Arrow,
    Kind,
    Node,
    arc,
    draw_network,
    packed,
    sign_of,
    sign_of_arrow,
    spoken,
)
from corpusgraph.tasks.export.figures.page import (
    BLUE,
    BODY,
    GREY,
    INK,
    MARGIN,
    ORANGE,
    PALE,
    RED,
    SKY,
    SMALL,
    TOP,
    WHITE,
    Entry,
    Look,
    Page,
    clean,
    elided,
    mixed,
    number,
    on,
    picture,
    plural,
    wrapped,
)
from corpusgraph.tasks.export.files import Files
from corpusgraph.tasks.table.coerce import series

if TYPE_CHECKING:
    import numpy as np
    import polars as pl
    from numpy.typing import NDArray

CELL = 27.0
NAMES = 150.0
"""Room for the names of the rows, in points."""


def correlations(
    columns: Sequence["NDArray[np.float64]"],
) -> "tuple[NDArray[np.float64], NDArray[np.int64]]":
    """Return Pearson's r (k, k) and the rows behind each (k, k), of columns (n,) with NaN for missing.

    Each pair is of the rows that have both values. NaN where a variable does not vary there. Columns are
    scaled by their largest value first, so that squares do not overflow.

    Parameters
    ----------
    columns : sequence of array of float, shape (n,)
        k columns.

    Returns
    -------
    (array of float, array of int)
        Both of shape (k, k).

    """
    import numpy as np
    import pandas as pd

    data = pd.DataFrame({at: column / _largest(column) for at, column in enumerate(columns)})
    known = data.notna().to_numpy(np.float64)
    return data.corr().to_numpy(), (known.T @ known).astype(np.int64)


def _largest(column: "NDArray[np.float64]") -> float:
    import numpy as np

    return float(np.nanmax(np.abs(column), initial=1e-300))


def heatmap(
    page: Page,
    names: Sequence[str],
    r: "NDArray[np.float64]",
    n: "NDArray[np.int64]",
    left: float,
    top: float,
) -> float:
    """Draw the lower triangle; rows and columns have numbers, rows their names. Return where it ends.

    Parameters
    ----------
    page : Page
        Drawn on.
    names : sequence of str
        Of the k variables.
    r : array of float, shape (k, k)
        Correlations.
    n : array of int, shape (k, k)
        Rows behind each.
    left, top : float
        Where it begins, in points.

    Returns
    -------
    float
        In points.

    """
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
        page.rectangle(x, y, CELL - 1, CELL - 1, Look(fill=PALE), gid)
        page.text(x + CELL / 2, y + CELL / 2, "–", anchor="middle", gid=f"{gid}-text")
        return
    fill = mixed(BLUE if r >= 0 else RED, 0.95 * abs(r))
    page.rectangle(x, y, CELL - 1, CELL - 1, Look(fill=fill, edge=PALE, width=0.5), gid)
    text = shown(r)
    page.text(
        x + CELL / 2, y + CELL / 2, text, size=BODY - 0.5, colour=on(fill), anchor="middle", gid=f"{gid}-text"
    )


def shown(r: float) -> str:
    """Write a correlation with two decimals; a minus is a minus, and there is no minus nought.

    Parameters
    ----------
    r : float
        From -1 to 1.

    Returns
    -------
    str
        From "−1.00" to "1.00".

    """
    text = f"{r:.2f}"
    return "0.00" if text == "-0.00" else text.replace("-", "−")


def room(k: int) -> tuple[float, float]:
    """Return the width and height of a heat map of k variables.

    Parameters
    ----------
    k : int
        How many.

    Returns
    -------
    (float, float)
        In points.

    """
    return NAMES + k * CELL, 20 + k * CELL


MOST_VARIABLES = 12
_SHARED = 60
"""Characters of a label that every program keeps: Stata takes 80 characters, SPSS 256 bytes."""
_NUMBERS = ("numeric", "integer")
_CATEGORICAL = ("nominal", "ordinal", "boolean")
_ROLES = ("outcome", "predictor", "control", "weight", "cluster", "group", "sem", "time")


@dataclass(frozen=True)
class Shown:
    """A variable: its entry in the codebook, its name for people, and how it is drawn.

    Attributes
    ----------
    entry : CodebookEntry
        Of the codebook.
    label : str
        Its name for people.
    kind : str
        `number`, `class`, `date`, `text` or `nothing`.

    """

    entry: CodebookEntry
    label: str
    kind: str

    @property
    def is_number(self) -> bool:
        """Whether a correlation can be taken of it."""
        return self.kind == "number"


def label_of(entry: CodebookEntry) -> str:
    """Return the label, else the name as it was given.

    Parameters
    ----------
    entry : CodebookEntry
        Of the codebook.

    Returns
    -------
    str
        At most 60 characters.

    """
    return (entry.label or spoken(entry.given_name))[:_SHARED]


def described(result: StatisticalAnalysis) -> list[CodebookEntry]:
    """Return the variables that every program has; codes that mean missing are columns in some of them.

    Parameters
    ----------
    result : StatisticalAnalysis
        The prepared analysis.

    Returns
    -------
    list of CodebookEntry
        In the order of the codebook.

    """
    return [entry for entry in result.codebook if entry.role != CODE_ROLE]


def chosen(result: StatisticalAnalysis) -> list[Shown]:
    """Return up to twelve variables: those of the model in its order of roles, then the first others.

    Identifiers, text and what has no value are left out, unless there is nothing else.

    Parameters
    ----------
    result : StatisticalAnalysis
        The prepared analysis.

    Returns
    -------
    list of Shown
        In the order in which they are drawn.

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
    """Return a column of numbers as floats (n,), NaN for missing.

    Parameters
    ----------
    result : StatisticalAnalysis
        The prepared analysis.
    name : str
        Name of a column of its table.

    Returns
    -------
    array of float, shape (n,)
        In the order of the rows.

    """
    import numpy as np
    import polars as pl

    found = series(result.table, name).cast(pl.Float64).fill_null(float("nan"))
    return np.asarray(found.to_numpy(), dtype=np.float64)


def instants(result: StatisticalAnalysis, name: str) -> "NDArray[np.int64] | None":
    """Return the dates of a column as microseconds from 1970; None where some value is no ISO date.

    Text is read as well: SPSS holds no date before 1582, and the column is text there.

    Parameters
    ----------
    result : StatisticalAnalysis
        The prepared analysis.
    name : str
        Name of a column of its table.

    Returns
    -------
    array of int, shape (k,), or None
        Without missing cells.

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
    """Return the classes of a variable with their numbers, in their order.

    Parameters
    ----------
    entry : CodebookEntry
        Of a variable with classes.

    Returns
    -------
    list of (str, int)
        (class, number of rows) each.

    """
    names = {**(entry.value_labels or {})}
    if entry.type == "boolean":
        names = {"false": "no", "true": "yes", **names}
    return [(str(names.get(code, code)), n) for code, n in entry.frequencies.items()]


def given(result: StatisticalAnalysis) -> dict[str, str]:
    """Return the names as they were given, by the names of the program.

    Parameters
    ----------
    result : StatisticalAnalysis
        The prepared analysis.

    Returns
    -------
    dict of str to str
        Every variable of the table.

    """
    return {str(new): str(old) for old, new in result.name_map.items()}


WIDTH, HEIGHT = 172.0, 112.0
"""Of a panel, in points."""
GAP = 14.0
_HEAD, _FOOT = 30.0, 12.0
_CLASSES = 6


def panels(
    page: Page, result: StatisticalAnalysis, shown: Sequence[Shown], left: float, top: float, columns: int
) -> float:
    """Draw the panels in rows; return where they end.

    Parameters
    ----------
    page : Page
        Drawn on.
    result : StatisticalAnalysis
        The prepared analysis.
    shown : sequence of Shown
        The variables, a panel each.
    left, top : float
        Where they begin, in points.
    columns : int
        Panels a row.

    Returns
    -------
    float
        In points.

    """
    for at, one in enumerate(shown):
        x = left + at % columns * (WIDTH + GAP)
        y = top + at // columns * (HEIGHT + GAP)
        _panel(page, result, one, x, y, f"panel-{at + 1}")
    return top + -(-len(shown) // columns) * (HEIGHT + GAP)


def _panel(page: Page, result: StatisticalAnalysis, one: Shown, x: float, y: float, gid: str) -> None:
    entry = one.entry
    page.text(x, y + 5, one.label, bold=True, room=WIDTH, size=SMALL + 0.5, gid=f"{gid}-text")
    total = entry.n + entry.n_missing
    missing = f", {entry.n_missing / total:.0%} missing" if entry.n_missing else ""
    facts = (
        entry.role,
        "date" if one.kind == "date" else entry.type,
        entry.unit,
        f"n = {entry.n:,}{missing}",
    )
    text = " · ".join(fact for fact in facts if fact)
    page.text(x, y + 15, text, size=SMALL - 0.5, colour=GREY, room=WIDTH)
    page.rectangle(x, y + 21, WIDTH, 2.2, Look(fill=PALE))
    if entry.n_missing:
        page.rectangle(x, y + 21, WIDTH * entry.n_missing / total, 2.2, Look(fill=ORANGE), f"{gid}-missing")
    words = _words(result, one)
    if words:
        page.text(x, y + HEIGHT / 2 + 9, words, size=SMALL, room=WIDTH)
    elif one.kind == "class":
        _bars(page, one, (x, y + _HEAD, WIDTH, HEIGHT - _HEAD), gid)
    else:
        _histogram(page, result, one, (x + 6, y + _HEAD, WIDTH - 12, HEIGHT - _HEAD - _FOOT), gid)


Body = tuple[float, float, float, float]
"""Left, top, width and height of the drawing in a panel."""
_TELLABLE = 2.0**48
"""Values further from 0 than so many times their range cannot be told apart on an axis of doubles."""
_HUGE = 1e300
"""Matplotlib's ticks overflow beyond."""


def _words(result: StatisticalAnalysis, one: Shown) -> str:
    """Return what is said of a variable that is not drawn."""
    import numpy as np

    if one.kind == "nothing":
        return "no value at all"
    if one.kind == "text":
        distinct = series(result.table, one.entry.name).drop_nulls().n_unique()
        return f"text: {distinct:,} different values"
    if one.kind != "number":
        return ""
    values = numbers(result, one.entry.name)
    low, high = float(np.nanmin(values)), float(np.nanmax(values))
    far = max(abs(low), abs(high))
    drawn = far < _HUGE and far <= _TELLABLE * max(1.0, high - low)
    return "" if drawn else f"from {number(low)} to {number(high)}"


def _histogram(page: Page, result: StatisticalAnalysis, one: Shown, body: Body, gid: str) -> None:
    """Draw numbers or dates in the classes of Sturges (1926); few whole numbers have one each."""
    import numpy as np

    days = instants(result, one.entry.name) if one.kind == "date" else None
    values = numbers(result, one.entry.name) if days is None else days / 86_400e6
    values = values[~np.isnan(values)]
    axes = page.panel(*body)
    counted, edges, bars = axes.hist(values, bins=_classes(values), color=SKY, rwidth=0.96)
    for at, (n, bar) in enumerate(zip(counted.astype(int).tolist(), bars, strict=True), 1):
        if n:
            bar.set_gid(f"{gid}-bar-{at}")
            page.hint(f"{gid}-bar-{at}", f"{n:,}")
    axes.set(xlim=(edges[0], edges[-1]), ylim=(0, counted.max() / 0.8))
    axes.spines["left"].set_visible(False)
    axes.yaxis.set_visible(False)
    most = f"highest: {int(counted.max()):,}"
    page.text(body[0] + body[2], body[1] + 3, most, size=SMALL - 1, colour=GREY, anchor="end")
    _ticks(axes.xaxis, one, body[2])


def _classes(values: "NDArray[np.float64]") -> Any:
    import numpy as np

    low, high = float(values.min()), float(values.max())
    if low == high:
        return low + np.array([-1.5, -0.5, 0.5, 1.5])
    if high - low <= 20 and bool((values == np.round(values)).all()):
        return np.arange(low - 0.5, high + 1.0)
    return min(30, int(np.ceil(np.log2(len(values)))) + 1)


def _bars(page: Page, one: Shown, body: Body, gid: str) -> None:
    """Draw classes as bars with their names and numbers, the commonest first where they have no order."""
    rows = counts(one.entry)
    if one.entry.type == "nominal":
        rows.sort(key=lambda pair: -pair[1])
    if len(rows) > _CLASSES:
        rest = rows[_CLASSES - 1 :]
        rows = [*rows[: _CLASSES - 1], (f"{len(rest):,} others", sum(n for _, n in rest))]
    x, y, w, h = body
    names = 0.42 * w
    axes = page.panel(x + names, y, w - names - 34, min(14.0 * len(rows), h))
    bars = axes.barh(range(len(rows)), [n for _, n in rows], height=0.72, color=SKY)
    if len(counts(one.entry)) > _CLASSES:
        bars[-1].set_facecolor(PALE)
    for at, ((text, n), bar) in enumerate(zip(rows, bars, strict=True), 1):
        bar.set_gid(f"{gid}-bar-{at}")
        page.hint(f"{gid}-bar-{at}", f"{text}: {n:,}")
    axes.bar_label(bars, [f"{n:,}" for _, n in rows], padding=3, fontsize=SMALL - 0.5, color=BLUE)
    axes.set(xlim=(0, max(n for _, n in rows)), ylim=(len(rows) - 0.5, -0.5))
    axes.set_yticks(range(len(rows)), [elided(clean(text), SMALL - 0.5, names - 4) for text, _ in rows])
    axes.tick_params(axis="y", length=0)
    axes.xaxis.set_visible(False)
    axes.spines[:].set_visible(False)


MOST_POINTS = 1_500
_MOST_CLASSES = 12
_LEFT, _AXIS_FOOT = 58.0, 34.0


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

    Parameters
    ----------
    page : Page
        Drawn on.
    result : StatisticalAnalysis
        The prepared analysis.
    one : Shown
        The variable across.
    other : Shown
        The variable up.
    left, top : float
        Where it begins, in points.
    w, h : float
        In points.

    Returns
    -------
    str
        Empty where the two cannot be drawn.

    """
    import numpy as np

    x, y = _values(result, one), _values(result, other)
    page.text(left, top + 5, f"{other.label} by {one.label}", bold=True, room=w)
    if x is None or y is None:
        page.text(left, top + 30, "These two cannot be drawn against each other.", size=SMALL)
        return ""
    both = ~np.isnan(x) & ~np.isnan(y)
    x, y = x[both], y[both]
    axes = page.panel(left + _LEFT, top + 16, w - _LEFT - 6, h - 16 - _AXIS_FOOT)
    spread = 0.5 * ((np.arange(len(x)) * 0.6180339887498949) % 1.0 - 0.5)
    across, up = (v + spread if shown.kind == "class" else v for v, shown in ((x, one), (y, other)))
    if len(x) <= MOST_POINTS:
        axes.scatter(across, up, s=9, marker="D", color=BLUE, alpha=0.7, linewidths=0, gid="points")
    else:
        axes.hexbin(across, up, gridsize=40, bins="log", mincnt=1, cmap="Blues", gid="points")
    page.hint("points", f"{len(x)} points")
    for axis, shown, room in ((axes.xaxis, one, w - _LEFT), (axes.yaxis, other, _LEFT - 10)):
        _ticks(axis, shown, room)
    axes.set_xlabel(elided(one.label, BODY, w - _LEFT), fontsize=BODY, parse_math=False)
    axes.set_ylabel(elided(other.label, BODY, h - 50), fontsize=BODY, parse_math=False)
    text = f"{other.label} by {one.label}: n = {len(x):,}"
    if not (one.is_number and other.is_number and len(x) > 1 and x.min() < x.max()):
        return f"{text}."
    middle, about = (
        (float(x.mean()), float(y.mean())),
        x / np.abs(x).max() - float((x / np.abs(x).max()).mean()),
    )
    slope = float(about @ (y - middle[1]) / (about @ about)) / float(np.abs(x).max())
    axes.axline(middle, slope=slope, color=ORANGE, linewidth=1.6, gid="least-squares")
    return f"{text}; the line is the least-squares line of these two alone."


def _ticks(axis: Any, shown: Shown, room: float) -> None:
    from matplotlib.dates import AutoDateFormatter, AutoDateLocator
    from matplotlib.ticker import FuncFormatter, MaxNLocator

    if shown.kind == "date":
        locator: Any = AutoDateLocator(minticks=2, maxticks=4)  # type: ignore[no-untyped-call]
        axis.set_major_locator(locator)
        axis.set_major_formatter(AutoDateFormatter(locator))  # type: ignore[no-untyped-call]
    elif shown.is_number:
        axis.set_major_locator(MaxNLocator(4, integer=shown.entry.type == "integer"))
        axis.set_major_formatter(FuncFormatter(number))
    else:
        names = [text for text, _ in counts(shown.entry)]
        each = room / max(1, len(names)) - 4 if axis.axis_name == "x" else room
        axis.set_ticks(range(len(names)), [elided(clean(name), SMALL, each) for name in names])


def _values(result: StatisticalAnalysis, one: Shown) -> "NDArray[np.float64] | None":
    """Return numbers, or the places of classes, with NaN for missing; None where they cannot be drawn."""
    import numpy as np

    if one.is_number:
        return None if _words(result, one) else numbers(result, one.entry.name)
    if one.kind != "class" or len(one.entry.frequencies) > _MOST_CLASSES:
        return None
    codes = {code: float(at) for at, code in enumerate(one.entry.frequencies)}
    cells = series(result.table, one.entry.name)
    return np.array([codes.get(str(v).lower() if isinstance(v, bool) else str(v), np.nan) for v in cells])


MOST_NODES = 45
"""Variables of a diagram; the caption says how many are left out."""
_FACTOR = Kind("ellipse", Look(fill=mixed(SKY, 0.45), edge=INK, width=1.2), "factor (latent)")
_OBSERVED = Kind("box", Look(fill=WHITE, edge=INK, width=0.8), "observed")
_MEASURES = Look(edge=GREY, width=1.0)
_ACTS = Look(edge=INK, width=1.6)
_VARIES = Look(edge=ORANGE, width=1.1, dash=(4.0, 2.0))


def diagram(page: Page, result: StatisticalAnalysis, top: float, room: float) -> tuple[float, float, int]:
    """Draw the model; return its width and height, and how many variables are left out.

    Parameters
    ----------
    page : Page
        Drawn on; widened where the diagram needs it.
    result : StatisticalAnalysis
        An analysis with a structural equation model.
    top : float
        Where it begins, in points.
    room : float
        Width of a row of connected parts, in points.

    Returns
    -------
    (float, float, int)
        Width and height in points.

    """
    model = result.model
    links = [(factor, name) for factor, names in model.latents.items() for name in names]
    links += [(cause, effect) for effect, cause in model.regressions]
    every = list(dict.fromkeys([*model.latents, *model.variables()]))
    names = [name for name in every if name != model.group][:MOST_NODES]
    number = {name: at for at, name in enumerate(names)}
    known = given(result)
    nodes = []
    for at, name in enumerate(names, 1):
        kind, words = _FACTOR if name in model.latents else _OBSERVED, known.get(name, name)
        nodes.append(Node(kind, wrapped(words, BODY, 100, 3), f"node-{at}", f"{words} ({kind.meaning})"))
    arrows = []
    for at, (a, b) in enumerate(links, 1):
        if a in number and b in number:
            look = _MEASURES if at <= sum(map(len, model.latents.values())) else _ACTS
            hint = f"{known.get(a, a)} → {known.get(b, b)}"
            arrows.append(Arrow((number[a], number[b]), look, f"edge-{at}", hint))
    sizes, ends = [one.size for one in nodes], [one.ends for one in arrows]
    plan = packed(sizes, ends, left=MARGIN + 6, top=top + 6, room=room)
    page.width = max(page.width, plan.width + 2 * MARGIN + 20)
    for at, (a, b) in enumerate(model.covariances, 1):
        if a in number and b in number and a != b:
            arc(page, number[a], number[b], plan.boxes, _VARIES, f"covariance-{at}")
    draw_network(page, plan, nodes, arrows)
    return plan.width + 12, plan.height + 16, len(every) - len(names)


def paths_legend(result: StatisticalAnalysis) -> list[Entry]:
    """Return the legend of a diagram.

    Parameters
    ----------
    result : StatisticalAnalysis
        An analysis with a structural equation model.

    Returns
    -------
    list of Entry
        How each sign is drawn, and what it means.

    """
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


@picture
def statistical_picture(result: StatisticalAnalysis) -> Files:
    """Return distributions, correlations and the model as `figure.png` and `figure.svg`.

    Up to twelve variables are drawn, those of the model first. Groups of the SVG are `panel-1-bar-1`,
    `cell-2-1` (row and column of the correlation), and for a SEM `node-1` and `edge-1`. The picture is the
    same whatever program the table was prepared for: names are as given.

    Parameters
    ----------
    result : StatisticalAnalysis
        The prepared analysis.

    Returns
    -------
    dict of str to bytes
        Two files, the same bytes for the same table and model.

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
    return page.finished(
        title=_title(result), caption=[" ".join(said)], entries=[*signs, *_signs(shown)], below=y
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
