"""The picture of a table: the distribution of each variable, their correlations, and the model."""

from collections.abc import Sequence

from corpusgraph.tasks.export.pictures import paths
from corpusgraph.tasks.export.pictures.draw import Files
from corpusgraph.tasks.export.pictures.frame import MARGIN, TOP, finished, plural
from corpusgraph.tasks.export.pictures.heatmap import correlations, heatmap, room
from corpusgraph.tasks.export.pictures.nodes import Entry, spoken
from corpusgraph.tasks.export.pictures.page import Look, Page
from corpusgraph.tasks.export.pictures.panels import GAP, WIDTH, panels
from corpusgraph.tasks.export.pictures.scatter import scatter
from corpusgraph.tasks.export.pictures.style import ORANGE
from corpusgraph.tasks.export.pictures.variables import Shown, chosen, described, given, numbers
from corpusgraph.tasks.statistics.analysis import StatisticalAnalysis

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
        signs = paths.signs(result)
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
    wide, high, left_out = paths.diagram(page, result, TOP, page.width - 2 * MARGIN - 20)
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
