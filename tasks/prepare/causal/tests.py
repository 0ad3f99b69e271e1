"""Implied independencies of a causal graph tested in data."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from corpusgraph.schemas.results import ToolWarning
from corpusgraph.tasks._steps import counted
from corpusgraph.tasks.prepare.causal import statistics
from corpusgraph.tasks.prepare.causal.nouns import Independence, IndependenceTest
from corpusgraph.tasks.prepare.causal.rows import CausalData
from corpusgraph.tasks.prepare.causal.structure import Structure
from corpusgraph.tasks.table.values import MAX_LEVELS, number

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

NEITHER = frozenset({"date", "datetime", "json"})
"""Types of columns that are neither numbers nor categories."""
CELL = 5
"""Rows a cell should hold on average for the chi-square distribution to be near (Cochran 1954)."""


@dataclass(frozen=True)
class _Variable:
    """A column as numbers (gaps NaN) or as codes of categories (gaps -1)."""

    values: "NDArray[Any]"
    category: bool
    present: "NDArray[np.bool_]"


def tested_independencies(
    made: Structure, data: CausalData, found: Sequence[Independence]
) -> tuple[IndependenceTest, ...]:
    """Test each independence in the rows without a gap in its variables.

    All numbers: partial correlation, Fisher's z. All categories: Pearson's chi-square within strata. Mixed:
    Pillai's trace of canonical correlations (Ankan, Wortel & Textor 2021). A variable with states, with two
    different values, or of text is a category. P values are adjusted for all tests (Holm 1979).
    Warnings: `not_tested`, `sparse_cells`, `weights_unused`.
    """
    variables, reasons = _variables(made, data)
    matrix = statistics.correlations({n: v.values for n, v in variables.items() if _is_full_number(v)})
    rows = [
        _tested(one, variables, reasons, matrix) for one in counted(found, "independencies tested", every=8)
    ]
    adjusted = iter(_holm([row.p for row in rows if row.p is not None]))
    rows = [row if row.p is None else row.model_copy(update={"p_holm": next(adjusted)}) for row in rows]
    _note(made, data, rows)
    return tuple(rows)


def _is_full_number(variable: _Variable) -> bool:
    return not variable.category and bool(variable.present.all())


def _variables(made: Structure, data: CausalData) -> tuple[dict[str, _Variable], dict[str, str]]:
    """Return the columns that can be tested, and why the others cannot."""
    kinds = {column.name: column.dtype for column in data.table.columns}
    found: dict[str, _Variable] = {}
    reasons: dict[str, str] = {}
    for node in made.nodes:
        cells = data.cells(node.id)
        if all(cell is None for cell in cells):
            reasons[node.id] = f"no data for {node.label}"
        elif kinds[node.id] in NEITHER or any(isinstance(cell, list | dict) for cell in cells):
            reasons[node.id] = f"{node.label} holds neither numbers nor categories"
        elif kinds[node.id] in {"numeric", "integer"} and not node.states and len(set(cells) - {None}) > 2:
            found[node.id] = _numbers(cells)
        elif kinds[node.id] == "text" and not node.states and len(set(cells) - {None}) > MAX_LEVELS:
            reasons[node.id] = f"{node.label} is text with more than {MAX_LEVELS} values"
        else:
            found[node.id] = _codes(cells)
    return found, reasons


def _numbers(cells: Sequence[Any]) -> _Variable:
    import numpy as np

    read = [None if cell is None else number(cell) for cell in cells]
    values = np.array([np.nan if value is None else value for value in read], dtype=np.float64)
    return _Variable(values, category=False, present=np.isfinite(values))


def _codes(cells: Sequence[Any]) -> _Variable:
    import numpy as np

    known = sorted({str(cell) for cell in cells if cell is not None})
    place = {text: at for at, text in enumerate(known)}
    values = np.array([-1 if cell is None else place[str(cell)] for cell in cells], dtype=np.int64)
    return _Variable(values, category=True, present=values >= 0)


def _tested(
    one: Independence,
    variables: Mapping[str, _Variable],
    reasons: Mapping[str, str],
    matrix: statistics.Correlations | None,
) -> IndependenceTest:
    """Choose the test by the kinds of the variables, and make it."""
    names = (one.x, one.y, *one.given)
    bare = IndependenceTest(x=one.x, y=one.y, given=one.given)
    if missing := [reasons[name] for name in names if name in reasons]:
        return bare.model_copy(update={"why_not": "; ".join(missing)})
    used = [variables[name] for name in names]
    if matrix is not None and all(name in matrix.place for name in names):
        found = statistics.partial_correlation(matrix.of(names), matrix.n)
    else:
        found = _in_complete_rows(used)
    return bare.model_copy(update=found)


def _in_complete_rows(used: Sequence[_Variable]) -> dict[str, Any]:
    import numpy as np

    complete = np.logical_and.reduce([variable.present for variable in used])
    columns = [variable.values[complete] for variable in used]
    if all(variable.category for variable in used):
        return statistics.chi_square(columns)
    if not any(variable.category for variable in used):
        return statistics.partial_correlation(statistics.correlation_matrix(columns), len(columns[0]))
    return statistics.pillai([(c, v.category) for c, v in zip(columns, used, strict=True)])


def _holm(p: Sequence[float]) -> list[float]:
    """Return p values adjusted for their number, in the order given (Holm 1979)."""
    adjusted = [0.0] * len(p)
    highest = 0.0
    for rank, at in enumerate(sorted(range(len(p)), key=p.__getitem__)):
        highest = max(highest, min(1.0, p[at] * (len(p) - rank)))
        adjusted[at] = highest
    return adjusted


def _note(made: Structure, data: CausalData, rows: Sequence[IndependenceTest]) -> None:
    """Tell what was not tested, what is rough, and that weights were left out."""
    names = made.names()
    untested = tuple(f"{_said(row, names)}: {row.why_not}" for row in rows if row.p is None)
    sparse = tuple(_said(row, names) for row in rows if row.test == "chi_square" and _is_sparse(row))
    if untested:
        message = f"{len(untested)} of {len(rows)} independencies could not be tested."
        made.warnings.append(ToolWarning(code="not_tested", message=message, records=untested))
    if sparse:
        message = f"{len(sparse)} chi-square tests have few rows for their cells; their p values are rough."
        made.warnings.append(ToolWarning(code="sparse_cells", message=message, records=sparse))
    if data.weights is not None and len(untested) < len(rows):
        message = "The tests of independencies count every row once."
        made.warnings.append(ToolWarning(code="weights_unused", message=message))


def _is_sparse(row: IndependenceTest) -> bool:
    """Each degree of freedom is at most a cell."""
    return row.n < CELL * (row.df or 0)


def _said(row: IndependenceTest, names: Mapping[str, str]) -> str:
    given = f" | {', '.join(names[node] for node in row.given)}" if row.given else ""
    return f"{names[row.x]} _||_ {names[row.y]}{given}"
