"""Variables over time, and over the rows of a table: sums, changes, lags, logarithms, z-scores."""

from collections.abc import Sequence
from dataclasses import replace
from math import fsum, log1p, sqrt
from typing import Any

from corpusgraph.schemas.errors import InvalidInputError
from corpusgraph.schemas.results import ToolWarning
from corpusgraph.schemas.study import TableDataset, Variable
from corpusgraph.tasks.dataset.measures.measured import Measured, Request
from corpusgraph.tasks.dataset.measures.units import Unit, period_number


def period_index(ask: Request) -> list[int]:
    """Count calendar periods since the first of the panel, from 0: the time of a panel model.

    Parameters
    ----------
    ask : Request
        The variable, and the rows of the panel.

    Returns
    -------
    list of int
        One for each row.

    """
    numbers = [period_number(unit.attributes["period"]) for unit in ask.units]
    return [number - min(numbers) for number in numbers]


_NUMBERS = {"numeric", "integer"}
_EDGE = "missing where the panel has no such row"


def over_time(
    measured: Measured, dataset: TableDataset, units: Sequence[Unit], variable: Variable
) -> Measured:
    """Return a variable summed up, differenced, lagged or led by entity, in this order.

    Periods are those of the calendar: one year before 1854 is 1853, and where the panel has no such row the
    cell is missing.

    Parameters
    ----------
    measured : Measured
        The variable, a cell a unit.
    dataset : TableDataset
        What the study asks for.
    units : sequence of Unit
        The rows of the panel.
    variable : Variable
        Says what is asked.

    Returns
    -------
    Measured
        One cell for each unit; the variable itself where no step is asked for.

    Raises
    ------
    InvalidInputError
        Outside of a panel, and for sums and differences of what is no number.

    """
    asked = check_steps(dataset, variable)
    if not asked:
        return measured
    keys = [(unit.entities[0], period_number(unit.attributes["period"])) for unit in units]
    rows = {key: at for at, key in enumerate(keys)}

    def moved(by: int) -> list[Any]:
        places = (rows.get((entity, number + by)) for entity, number in keys)
        return [None if at is None else measured.values[at] for at in places]

    def told(by: int) -> str:
        return f"{by} {dataset.period}{'s' if by > 1 else ''}"

    for step in asked:
        by, formula, label = getattr(variable, step), measured.formula, measured.label
        if step in {"cumulative", "difference"}:
            _check_numbers(measured, variable, step)
        if step == "cumulative":
            values = _cumulative(measured.values, keys)
            formula = f"sum up to and with the {dataset.period} of: {formula}; a missing cell adds nothing"
            label = f"{label}, cumulative"
        elif step == "difference":
            pairs = zip(measured.values, moved(-by), strict=True)
            values = [None if now is None or then is None else now - then for now, then in pairs]
            formula = f"change since {told(by)} earlier of: {formula}; {_EDGE}"
            label = f"{label}, change over {told(by)}"
        else:
            values = moved(by if step == "lead" else -by)
            when = f"{told(by)} {'later' if step == 'lead' else 'earlier'}"
            formula, label = f"value {when} of: {formula}; {_EDGE}", f"{label}, {when}"
        measured = replace(measured, values=values, formula=formula, label=label)
    return measured


def check_steps(dataset: TableDataset, variable: Variable) -> list[str]:
    """Return what is asked of a variable's change over time; InvalidInputError outside of a panel.

    Parameters
    ----------
    dataset : TableDataset
        What the study asks for.
    variable : Variable
        Of the dataset.

    Returns
    -------
    list of str
        Of `cumulative`, `difference`, `lag` and `lead`, in this order.

    Raises
    ------
    InvalidInputError
        Where something is asked and the dataset is no panel.

    """
    asked = [name for name in ("cumulative", "difference", "lag", "lead") if getattr(variable, name)]
    if asked and dataset.unit != "entity_period":
        raise InvalidInputError(
            f"Variable {variable.name!r}: {asked[0]} does not fit the unit {dataset.unit!r}.",
            hint="It fits entity_period.",
        )
    return asked


def _check_numbers(measured: Measured, variable: Variable, what: str) -> None:
    if measured.dtype not in _NUMBERS:
        raise InvalidInputError(
            f"Variable {variable.name!r} is {measured.dtype}: {what} needs numbers.",
            hint="Leave it out, or give the type numeric.",
        )


def _cumulative(cells: Sequence[Any], keys: Sequence[tuple[str, int]]) -> list[Any]:
    """Add up the cells so far; a missing one adds nothing and stays missing (as pandas does)."""
    total: dict[str, float] = {}
    values: list[Any] = [None] * len(keys)
    for at in sorted(range(len(keys)), key=lambda at: keys[at]):
        if cells[at] is not None:
            values[at] = total[keys[at][0]] = total.get(keys[at][0], 0) + cells[at]
    return values


def transformed(measured: Measured, units: Sequence[Unit], variable: Variable) -> Measured:
    """Return a variable's logarithm of 1 + x or its z-scores, over the rows of the table.

    Parameters
    ----------
    measured : Measured
        The variable, a cell a unit.
    units : sequence of Unit
        The rows of the table.
    variable : Variable
        Says which transformation.

    Returns
    -------
    Measured
        With a warning `constant_variable` where there are no z-scores.

    Raises
    ------
    InvalidInputError
        For what is no number, and for a logarithm of 1 + x where x is -1 or less.

    """
    if not variable.transform:
        return measured
    _check_numbers(measured, variable, variable.transform)
    if variable.transform == "log1p":
        values, unit = _log1p(measured, units, variable), f"ln(1 + {measured.unit})"
        formula, label = f"ln(1 + x), x being: {measured.formula}", f"{measured.label}, log of 1 + x"
    else:
        values, unit, label = _zscores(measured), "standard deviations", f"{measured.label}, standardised"
        formula = f"(x - mean) / standard deviation (n - 1) over the rows, x being: {measured.formula}"
        if not any(value is not None for value in values):
            message = f"{variable.name!r} has no z-scores: its values do not differ. It is missing."
            told = ToolWarning(code="constant_variable", message=message, records=(variable.name,))
            measured = replace(measured, warnings=(*measured.warnings, told))
    return replace(measured, values=values, dtype="numeric", formula=formula, unit=unit, label=label)


def _log1p(measured: Measured, units: Sequence[Unit], variable: Variable) -> list[float | None]:
    for value, unit in zip(measured.values, units, strict=True):
        if value is not None and value <= -1:
            raise InvalidInputError(
                f"Variable {variable.name!r}: log1p has no value for {value} ({unit.id}).",
                hint="Use zscore, or none.",
            )
    return [None if value is None else log1p(value) for value in measured.values]


def _zscores(measured: Measured) -> list[float | None]:
    """Subtract the mean and divide by the sample standard deviation; missing where that is 0."""
    present = [float(value) for value in measured.values if value is not None]
    if len(set(present)) < 2:
        return [None] * len(measured.values)
    mean = fsum(present) / len(present)
    spread = sqrt(fsum((x - mean) ** 2 for x in present) / (len(present) - 1))
    return [None if value is None else (float(value) - mean) / spread for value in measured.values]
