"""The picture of a table: the distribution of each variable, their correlations, and the model."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
from matplotlib.dates import AutoDateFormatter, AutoDateLocator
from matplotlib.ticker import FuncFormatter, MaxNLocator
from numpy.typing import NDArray

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
from corpusgraph.tasks.table.columns import mapped

MOST_VARIABLES = 12
_SHARED = 60
"""Characters of a label that every program keeps: Stata takes 80 characters, SPSS 256 bytes."""
_KINDS = {
    **dict.fromkeys(("numeric", "integer"), "number"),
    **dict.fromkeys(("nominal", "ordinal", "boolean"), "class"),
}
_ROLES = ("outcome", "predictor", "control", "weight", "cluster", "group", "sem", "time")
_TELLABLE = 2.0**48
"""Values further from 0 than so many times their range cannot be told apart on an axis of doubles."""
_HUGE = 1e300
"""Matplotlib's ticks overflow beyond."""


@dataclass(frozen=True)
class Shown:
    """A variable: its entry in the codebook, its name for people, and what is drawn of it.

    Attributes
    ----------
    entry : CodebookEntry
        Of the codebook.
    label : str
        Its name for people.
    kind : str
        `number`, `class`, `date`, `text` or `nothing`.
    numbers : array of float, shape (n,)
        Numbers, days from 1970, or places of classes; NaN where missing. Empty for what is not drawn.
    words : str
        What is said instead where it cannot be drawn.

    """

    entry: CodebookEntry
    label: str
    kind: str
    numbers: NDArray[np.float64]
    words: str = ""

    @classmethod
    def of(cls, result: StatisticalAnalysis, entry: CodebookEntry) -> "Shown":
        """Read a variable of an analysis.

        Parameters
        ----------
        result : StatisticalAnalysis
            The prepared analysis.
        entry : CodebookEntry
            Of its codebook.

        Returns
        -------
        Shown
            Text is read as well: SPSS holds no date before 1582, and such a column is text there.

        """
        label, cells = (entry.label or spoken(entry.given_name))[:_SHARED], series(result.table, entry.name)
        if not entry.n:
            return cls(entry, label, "nothing", _floats(cells[:0]), "no value at all")
        kind = _KINDS.get(entry.type, "")
        if kind == "number":
            values = _floats(cells)
            return cls(entry, label, kind, values, _untellable(values))
        if kind == "class":
            places = {code: float(at) for at, code in enumerate(entry.frequencies)}
            return cls(entry, label, kind, _floats(mapped(cells.cast(pl.String), places, pl.Float64)))
        if (moments := _instants(cells)) is not None:
            return cls(entry, label, "date", _floats(moments) / 86_400e6)
        words = f"text: {cells.drop_nulls().n_unique():,} different values"
        return cls(entry, label, "text", _floats(cells[:0]), words)


def _floats(cells: pl.Series) -> NDArray[np.float64]:
    return np.asarray(cells.cast(pl.Float64, strict=False).fill_null(math.nan).to_numpy(), dtype=np.float64)


def _untellable(values: NDArray[np.float64]) -> str:
    low, high = float(np.nanmin(values)), float(np.nanmax(values))
    far = max(abs(low), abs(high))
    is_drawn = far < _HUGE and far <= _TELLABLE * max(1.0, high - low)
    return "" if is_drawn else f"from {number(low)} to {number(high)}"


def _instants(cells: pl.Series) -> pl.Series | None:
    """Return ISO dates and instants as microseconds from 1970; None where some value is neither."""
    text = cells.cast(pl.String)
    if not text.drop_nulls().head(100).str.contains(r"^\d{4}-\d\d-\d\d(T|$)").all():
        return None
    clock = text.str.strip_suffix("Z").str.to_datetime("%Y-%m-%dT%H:%M:%S%.f", strict=False, time_unit="us")
    moments = clock.fill_null(text.str.to_date("%Y-%m-%d", strict=False).cast(pl.Datetime("us")))
    return None if moments.null_count() > cells.null_count() else moments.to_physical()


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


def drawn_variables(result: StatisticalAnalysis) -> list[Shown]:
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
    drawn: list[Shown] = []
    worded: list[Shown] = []
    for entry in entries:
        one = Shown.of(result, entry)
        (worded if one.kind in {"text", "nothing"} and entry.name not in part else drawn).append(one)
        if len(drawn) == MOST_VARIABLES:
            break
    return drawn or worded[:MOST_VARIABLES]


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
    names = {"false": "no", "true": "yes"} if entry.type == "boolean" else {}
    names |= entry.value_labels or {}
    return [(str(names.get(code, code)), n) for code, n in entry.frequencies.items()]


WIDTH, HEIGHT = 172.0, 112.0
"""Of a panel, in points."""
GAP = 14.0
_COLUMNS = 4
"""Panels a row."""
_HEAD, _FOOT = 30.0, 12.0
_CLASSES = 6
Body = tuple[float, float, float, float]
"""Left, top, width and height of the drawing in a panel."""


def panels(page: Page, variables: Sequence[Shown], top: float) -> float:
    """Draw the panels in rows of four; return where they end.

    Parameters
    ----------
    page : Page
        Drawn on.
    variables : sequence of Shown
        The variables, a panel each.
    top : float
        Where they begin, in points.

    Returns
    -------
    float
        In points.

    """
    for at, one in enumerate(variables):
        row, column = divmod(at, _COLUMNS)
        _panel(page, one, MARGIN + column * (WIDTH + GAP), top + row * (HEIGHT + GAP), f"panel-{at + 1}")
    return top + -(-len(variables) // _COLUMNS) * (HEIGHT + GAP)


def _panel(page: Page, one: Shown, x: float, y: float, gid: str) -> None:
    entry = one.entry
    page.text(x, y + 5, one.label, bold=True, room=WIDTH, size=SMALL + 0.5, gid=f"{gid}-text")
    share = entry.n_missing / max(1, entry.n + entry.n_missing)
    missing = f", {share:.0%} missing" if entry.n_missing else ""
    kind = "date" if one.kind == "date" else entry.type
    facts = filter(None, (entry.role, kind, entry.unit, f"n = {entry.n:,}{missing}"))
    page.text(x, y + 15, " · ".join(facts), size=SMALL - 0.5, colour=GREY, room=WIDTH)
    page.rectangle(x, y + 21, WIDTH, 2.2, Look(fill=PALE))
    if entry.n_missing:
        page.rectangle(x, y + 21, WIDTH * share, 2.2, Look(fill=ORANGE), f"{gid}-missing")
    if one.words:
        page.text(x, y + HEIGHT / 2 + 9, one.words, size=SMALL, room=WIDTH)
    elif one.kind == "class":
        _bars(page, entry, (x, y + _HEAD, WIDTH, HEIGHT - _HEAD), gid)
    else:
        _histogram(page, one, (x + 6, y + _HEAD, WIDTH - 12, HEIGHT - _HEAD - _FOOT), gid)


def _histogram(page: Page, one: Shown, body: Body, gid: str) -> None:
    """Draw numbers or dates in the classes of Sturges (1926); few whole numbers have one each."""
    values = one.numbers[~np.isnan(one.numbers)]
    low, high = float(values.min()), float(values.max())
    classes: Any = min(30, int(np.ceil(np.log2(len(values)))) + 1)
    if low == high:
        classes = low + np.array([-1.5, -0.5, 0.5, 1.5])
    elif high - low <= 20 and bool((values == np.round(values)).all()):
        classes = np.arange(low - 0.5, high + 1.0)
    axes = page.panel(*body)
    counted, edges, bars = axes.hist(values, bins=classes, color=SKY, rwidth=0.96)
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


def _bars(page: Page, entry: CodebookEntry, body: Body, gid: str) -> None:
    """Draw classes as bars with their names and numbers, the commonest first where they have no order."""
    rows = counts(entry)
    if entry.type == "nominal":
        rows.sort(key=lambda pair: -pair[1])
    if rest := rows[_CLASSES - 1 :] if len(rows) > _CLASSES else []:
        rows[_CLASSES - 1 :] = [(f"{len(rest):,} others", sum(n for _, n in rest))]
    x, y, w, h = body
    names, small = 0.42 * w, SMALL - 0.5
    axes = page.panel(x + names, y, w - names - 34, min(14.0 * len(rows), h))
    bars = axes.barh(range(len(rows)), [n for _, n in rows], height=0.72, color=SKY)
    if rest:
        bars[-1].set_facecolor(PALE)
    for at, ((text, n), bar) in enumerate(zip(rows, bars, strict=True), 1):
        bar.set_gid(f"{gid}-bar-{at}")
        page.hint(f"{gid}-bar-{at}", f"{text}: {n:,}")
    axes.bar_label(bars, [f"{n:,}" for _, n in rows], padding=3, fontsize=small, color=BLUE)
    axes.set(xlim=(0, max(n for _, n in rows)), ylim=(len(rows) - 0.5, -0.5))
    axes.set_yticks(range(len(rows)), [elided(clean(text), small, names - 4) for text, _ in rows])
    axes.tick_params(axis="y", length=0)
    axes.xaxis.set_visible(False)
    axes.spines[:].set_visible(False)


CELL = 27.0
NAMES = 150.0
"""Room for the names of the rows, in points."""


def correlations(
    columns: Sequence[NDArray[np.float64]],
) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
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
    scaled = [column / float(np.nanmax(np.abs(column), initial=1e-300)) for column in columns]
    data = pd.DataFrame(dict(enumerate(scaled)))
    known = data.notna().to_numpy(np.float64)
    return data.corr().to_numpy(), (known.T @ known).astype(np.int64)


def _correlations(page: Page, variables: Sequence[Shown], left: float, top: float, said: list[str]) -> float:
    """Draw the lower triangle of the numbers' correlations, where there are two; return where it ends."""
    numbers = [one for one in variables if one.kind == "number"]
    if len(numbers) < 2:
        return top
    r, n = correlations([one.numbers for one in numbers])
    pairs = [int(n[i, j]) for i in range(len(numbers)) for j in range(i)]
    few, many = min(pairs), max(pairs)
    some = f"{few:,}" if few == many else f"{few:,} to {many:,}"
    said.append(f"Correlations are of the rows with both values: n = {some}.")
    page.text(left, top + 5, "Correlations (Pearson)", bold=True)
    x, y = left + NAMES, top + 16
    for i, one in enumerate(numbers):
        at, middle = x + (i + 0.5) * CELL, y + (i + 0.5) * CELL
        name = f"{i + 1}  {one.label}"
        page.text(x - 6, middle, name, size=SMALL, room=NAMES - 8, anchor="end", gid=f"row-{i + 1}")
        for j, other in enumerate(numbers[:i]):
            gid = f"cell-{i + 1}-{j + 1}"
            told = _cell(page, float(r[i, j]), x + j * CELL, y + i * CELL, gid)
            page.hint(gid, f"{one.label}, {other.label}: {told}, n = {n[i, j]:,}")
        page.text(at, middle, str(i + 1), size=SMALL, colour=GREY, anchor="middle")
    return y + len(numbers) * CELL + 4


def _cell(page: Page, r: float, x: float, y: float, gid: str) -> str:
    """Draw a correlation; return it in words."""
    fill, text, colour, told = PALE, "–", INK, "not defined"
    if not math.isnan(r):
        fill = mixed(BLUE if r >= 0 else RED, 0.95 * abs(r))
        text, colour, told = shown(r), on(fill), f"{r:.2f}"
    page.rectangle(x, y, CELL - 1, CELL - 1, Look(fill=fill, edge=PALE, width=0.5), gid)
    middle = (x + CELL / 2, y + CELL / 2)
    page.text(*middle, text, size=BODY - 0.5, colour=colour, anchor="middle", gid=f"{gid}-text")
    return told


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
    return f"{r:z.2f}".replace("-", "−")


MOST_POINTS = 1_500
_MOST_CLASSES = 12
_LEFT, _AXIS_FOOT = 58.0, 34.0


def scatter(page: Page, one: Shown, other: Shown, body: Body) -> str:
    """Draw `other` against `one`, with a least-squares line of two numbers; return what the caption says.

    Parameters
    ----------
    page : Page
        Drawn on.
    one, other : Shown
        The variables across and up.
    body : (float, float, float, float)
        Left, top, width and height in points.

    Returns
    -------
    str
        Empty where they cannot be drawn.

    """
    left, top, w, h = body
    page.text(left, top + 5, f"{other.label} by {one.label}", bold=True, room=w)
    if any(v.words or len(v.entry.frequencies) > _MOST_CLASSES for v in (one, other)):
        page.text(left, top + 30, "These two cannot be drawn against each other.", size=SMALL)
        return ""
    both = ~np.isnan(one.numbers) & ~np.isnan(other.numbers)
    x, y = one.numbers[both], other.numbers[both]
    axes = page.panel(left + _LEFT, top + 16, w - _LEFT - 6, h - 16 - _AXIS_FOOT)
    spread = 0.5 * ((np.arange(len(x)) * 0.6180339887498949) % 1.0 - 0.5)
    across, up = (v + spread if of.kind == "class" else v for v, of in ((x, one), (y, other)))
    if len(x) <= MOST_POINTS:
        axes.scatter(across, up, s=9, marker="D", color=BLUE, alpha=0.7, linewidths=0, gid="points")
    else:
        axes.hexbin(across, up, gridsize=40, bins="log", mincnt=1, cmap="Blues", gid="points")
    page.hint("points", f"{len(x)} points")
    _ticks(axes.xaxis, one, w - _LEFT)
    _ticks(axes.yaxis, other, _LEFT - 10)
    axes.set_xlabel(elided(one.label, BODY, w - _LEFT), fontsize=BODY, parse_math=False)
    axes.set_ylabel(elided(other.label, BODY, h - 50), fontsize=BODY, parse_math=False)
    text = f"{other.label} by {one.label}: n = {len(x):,}"
    if not (one.kind == other.kind == "number" and len(x) > 1 and x.min() < x.max()):
        return f"{text}."
    most = np.abs(x).max()  # scaled by it, squares do not overflow
    about = x / most - (x / most).mean()
    slope = float(about @ (y - y.mean()) / (about @ about)) / float(most)
    axes.axline((x.mean(), y.mean()), slope=slope, color=ORANGE, linewidth=1.6, gid="least-squares")
    return f"{text}; the line is the least-squares line of these two alone."


def _ticks(axis: Any, one: Shown, room: float) -> None:
    if one.kind == "date":
        locator: Any = AutoDateLocator(minticks=2, maxticks=4)  # type: ignore[no-untyped-call]
        axis.set_major_locator(locator)
        axis.set_major_formatter(AutoDateFormatter(locator))  # type: ignore[no-untyped-call]
    elif one.kind == "number":
        axis.set_major_locator(MaxNLocator(4, integer=one.entry.type == "integer"))
        axis.set_major_formatter(FuncFormatter(number))
    else:
        names = [text for text, _ in counts(one.entry)]
        each = room / max(1, len(names)) - 4 if axis.axis_name == "x" else room
        axis.set_ticks(range(len(names)), [elided(clean(name), SMALL, each) for name in names])


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
        The prepared analysis, of a structural equation model.
    top : float
        Where it begins, in points.
    room : float
        Width to stay within, in points.

    Returns
    -------
    (float, float, int)
        Width and height in points; number of variables.

    """
    model, known = result.model, _given(result)
    links = [(factor, name, _MEASURES) for factor, names in model.latents.items() for name in names]
    links += [(cause, effect, _ACTS) for effect, cause in model.regressions]
    every = list(dict.fromkeys([*model.latents, *model.variables()]))
    names = [name for name in every if name != model.group][:MOST_NODES]
    place = {name: at for at, name in enumerate(names)}
    nodes = []
    for at, name in enumerate(names, 1):
        kind, words = _FACTOR if name in model.latents else _OBSERVED, known.get(name, name)
        nodes.append(Node(kind, wrapped(words, BODY, 100, 3), f"node-{at}", f"{words} ({kind.meaning})"))
    arrows = [
        Arrow((place[a], place[b]), look, f"edge-{at}", f"{known.get(a, a)} → {known.get(b, b)}")
        for at, (a, b, look) in enumerate(links, 1)
        if a in place and b in place
    ]
    sizes, ends = [one.size for one in nodes], [one.ends for one in arrows]
    plan = packed(sizes, ends, left=MARGIN + 6, top=top + 6, room=room)
    page.width = max(page.width, plan.width + 2 * MARGIN + 20)
    for at, (a, b) in enumerate(model.covariances, 1):
        if a in place and b in place and a != b:
            arc(page, place[a], place[b], plan.boxes, _VARIES, f"covariance-{at}")
    draw_network(page, plan, nodes, arrows)
    return plan.width + 12, plan.height + 16, len(every) - len(names)


def _given(result: StatisticalAnalysis) -> dict[str, str]:
    """Return the names as they were given, by the names of the program."""
    return {new: old for old, new in result.name_map.items()}


_SCATTER = 250.0
_NAMED = 6


@picture
def statistical_picture(result: StatisticalAnalysis) -> Files:
    """Return distributions, correlations and the model as `figure.png` and `figure.svg`.

    Parameters
    ----------
    result : StatisticalAnalysis
        The prepared analysis.

    Returns
    -------
    dict of str to bytes
        The same for every program.

    """
    variables, model = drawn_variables(result), result.model
    page = Page(2 * MARGIN + _COLUMNS * WIDTH + (_COLUMNS - 1) * GAP)
    said = _caption(result, variables)
    is_sem = model.kind == "sem"
    if is_sem:
        y = panels(page, variables, _model(page, result, variables, said) + 14)
    else:
        y = _pairs(page, result, variables, panels(page, variables, TOP), said)
    what = {"regression": "Regression", "sem": "Structural equation model"}.get(result.analysis_type, "Table")
    size = f"{plural(len(result.table.rows), 'row')}, {plural(len(described(result)), 'variable')}"
    signs: tuple[tuple[object, Entry], ...] = (
        (model.latents, sign_of(_FACTOR)),
        (is_sem, sign_of(_OBSERVED)),
        (model.latents, sign_of_arrow(_MEASURES, "is measured by")),
        (model.regressions, sign_of_arrow(_ACTS, "predicts")),
        (model.covariances, sign_of_arrow(_VARIES, "may covary", head="both")),
        (any(one.entry.n_missing for one in variables), (_missing, "share of missing values")),
    )
    entries = [sign for holds, sign in signs if holds]
    return page.finished(title=f"{what}: {size}", caption=[" ".join(said)], entries=entries, below=y)


def _missing(page: Page, x: float, y: float) -> None:
    page.rectangle(x - 9, y - 1.5, 18, 3, Look(fill=ORANGE))


def _model(page: Page, result: StatisticalAnalysis, variables: Sequence[Shown], said: list[str]) -> float:
    """Draw the path diagram of a SEM, and the correlations beside it where there is room."""
    before = page.width
    wide, high, left_out = diagram(page, result, TOP, page.width - 2 * MARGIN - 20)
    if left_out:
        said.append(f"Left out of the diagram: {plural(left_out, 'variable')}.")
    beside = MARGIN + wide + 40
    if beside + _heatmap_width(variables) <= before - MARGIN:
        return max(TOP + high, _correlations(page, variables, beside, TOP, said))
    return _correlations(page, variables, MARGIN, TOP + high + 12, said)


def _heatmap_width(variables: Sequence[Shown]) -> float:
    return NAMES + sum(one.kind == "number" for one in variables) * CELL


def _pairs(
    page: Page, result: StatisticalAnalysis, variables: Sequence[Shown], top: float, said: list[str]
) -> float:
    """Draw correlations and, of a regression, the outcome against the first predictor, side by side."""
    low = _correlations(page, variables, MARGIN, top, said)
    parts = {one.entry.name: one for one in variables}
    outcome = parts.get(result.model.outcome or "")
    first = next((parts[name] for name in result.model.predictors if name in parts), None)
    if first is None or outcome is None:
        return low
    left = MARGIN + (_heatmap_width(variables) + 26 if low > top else 0.0)
    wide, high = page.width - MARGIN - left, max(_SCATTER, min(320.0, low - top))
    if wide < 300:
        left, top, wide, high = MARGIN, low + 10, page.width - 2 * MARGIN, _SCATTER
    if told := scatter(page, first, outcome, (left, top, min(wide, 420.0), high)):
        said.append(told)
    return max(low, top + high)


def _caption(result: StatisticalAnalysis, variables: Sequence[Shown]) -> list[str]:
    known, model = _given(result), result.model
    said = []
    if model.outcome:
        terms = " + ".join(known.get(name, name) for name in model.predictors)
        said.append(f"Model ({model.kind}): {known.get(model.outcome, model.outcome)} ~ {terms}.")
    complete, rows = result.diagnostics.n_complete, result.diagnostics.n_rows
    said.append(f"{complete:,} of {plural(rows, 'row')} {'is' if complete == 1 else 'are'} complete.")
    drawn = {one.entry.name for one in variables}
    if names := [spoken(entry.given_name) for entry in described(result) if entry.name not in drawn]:
        more = f" and {plural(len(names) - _NAMED, 'further variable')}" if len(names) > _NAMED else ""
        said.append(f"Not drawn: {', '.join(names[:_NAMED])}{more}.")
    return said
