"""A variable over time in a panel, and transforms of it: each says in the codebook what was done."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from math import fsum, log1p, sqrt
from typing import Any

from corpusgraph.schemas.errors import InvalidInputError
from corpusgraph.schemas.results import ToolWarning
from corpusgraph.schemas.study import TableDataset, Variable
from corpusgraph.tasks.dataset.measures.measured import Measured
from corpusgraph.tasks.dataset.periods import period_number
from corpusgraph.tasks.dataset.units import Unit

_NUMBERS = {"numeric", "integer"}
Panel = Mapping[tuple[str, int], int]
"""Entity and number of the period -> row."""


def over_time(
    measured: Measured, dataset: TableDataset, units: Sequence[Unit], variable: Variable
) -> Measured:
    """Return a variable summed up, differenced, lagged or led by entity, in this order.

    Periods are those of the calendar: one year before 1854 is 1853, and where the panel has no such row the
    cell is missing. Raises InvalidInputError outside of a panel, and for sums of what is no number.
    """
    asked = check_steps(dataset, variable)
    if not asked:
        return measured
    keys = [(unit.entities[0], period_number(unit.attributes["period"])) for unit in units]
    for name in asked:
        if name in {"cumulative", "difference"}:
            _check_numbers(measured, variable, name)
        measured = _STEPS[name](measured, keys, variable, dataset.period)
    return measured


def check_steps(dataset: TableDataset, variable: Variable) -> list[str]:
    """Return what is asked of a variable's change over time; InvalidInputError outside of a panel."""
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


Keys = Sequence[tuple[str, int]]


def _cumulative(measured: Measured, keys: Keys, _: Variable, period: str) -> Measured:
    """Add up the cells so far; a missing one adds nothing and stays missing (as pandas does)."""
    total: dict[str, float] = {}
    values: list[Any] = [None] * len(keys)
    for at in sorted(range(len(keys)), key=lambda at: keys[at]):
        value = measured.values[at]
        if value is not None:
            total[keys[at][0]] = total.get(keys[at][0], 0) + value
            values[at] = total[keys[at][0]]
    formula = f"sum up to and with the {period} of: {measured.formula}; a missing cell adds nothing"
    return replace(measured, values=values, formula=formula, label=f"{measured.label}, cumulative")


def _difference(measured: Measured, keys: Keys, variable: Variable, period: str) -> Measured:
    by = variable.difference or 0
    before = _moved(measured.values, keys, -by)
    pairs = zip(measured.values, before, strict=True)
    values = [None if now is None or then is None else now - then for now, then in pairs]
    formula = f"change since {_periods(by, period)} earlier of: {measured.formula}; {_EDGE}"
    label = f"{measured.label}, change over {_periods(by, period)}"
    return replace(measured, values=values, formula=formula, label=label)


def _lag(measured: Measured, keys: Keys, variable: Variable, period: str) -> Measured:
    return _shifted(measured, keys, -(variable.lag or 0), period)


def _lead(measured: Measured, keys: Keys, variable: Variable, period: str) -> Measured:
    return _shifted(measured, keys, variable.lead or 0, period)


_EDGE = "missing where the panel has no such row"


def _shifted(measured: Measured, keys: Keys, by: int, period: str) -> Measured:
    when = f"{_periods(abs(by), period)} {'later' if by > 0 else 'earlier'}"
    formula = f"value {when} of: {measured.formula}; {_EDGE}"
    values = _moved(measured.values, keys, by)
    return replace(measured, values=values, formula=formula, label=f"{measured.label}, {when}")


def _moved(values: Sequence[Any], keys: Keys, by: int) -> list[Any]:
    rows: Panel = {key: at for at, key in enumerate(keys)}
    found = (rows.get((entity, number + by)) for entity, number in keys)
    return [None if at is None else values[at] for at in found]


def _periods(by: int, period: str) -> str:
    return f"{by} {period}{'s' if by > 1 else ''}"


_STEPS: Mapping[str, Callable[[Measured, Keys, Variable, str], Measured]] = {
    "cumulative": _cumulative,
    "difference": _difference,
    "lag": _lag,
    "lead": _lead,
}


def transformed(measured: Measured, units: Sequence[Unit], variable: Variable) -> Measured:
    """Return a variable's logarithm of 1 + x or its z-scores, over the rows of the table.

    Raises InvalidInputError for what is no number, and for a logarithm of 1 + x where x is -1 or less.
    """
    if not variable.transform:
        return measured
    _check_numbers(measured, variable, variable.transform)
    made = _log1p if variable.transform == "log1p" else _zscore
    return made(measured, units, variable)


def _log1p(measured: Measured, units: Sequence[Unit], variable: Variable) -> Measured:
    for value, unit in zip(measured.values, units, strict=True):
        if value is not None and value <= -1:
            raise InvalidInputError(
                f"Variable {variable.name!r}: log1p has no value for {value} ({unit.id}).",
                hint="Use zscore, or none.",
            )
    values = [None if value is None else log1p(value) for value in measured.values]
    formula = f"ln(1 + x), x being: {measured.formula}"
    scale, label = f"ln(1 + {measured.unit})", f"{measured.label}, log of 1 + x"
    return replace(measured, values=values, dtype="numeric", formula=formula, unit=scale, label=label)


def _zscore(measured: Measured, _: Sequence[Unit], variable: Variable) -> Measured:
    """Subtract the mean and divide by the sample standard deviation; missing where that is 0."""
    present = [float(value) for value in measured.values if value is not None]
    mean = fsum(present) / len(present) if present else 0.0
    spread = sqrt(fsum((x - mean) ** 2 for x in present) / (len(present) - 1)) if len(present) > 1 else 0.0
    constant = len(set(present)) < 2
    values = [None if v is None or constant else (float(v) - mean) / spread for v in measured.values]
    formula = f"(x - mean) / standard deviation (n - 1) over the rows, x being: {measured.formula}"
    warnings = measured.warnings
    if constant:
        message = f"{variable.name!r} has no z-scores: its values do not differ. It is missing."
        warnings += (ToolWarning(code="constant_variable", message=message, records=(variable.name,)),)
    return replace(
        measured,
        values=values,
        dtype="numeric",
        formula=formula,
        unit="standard deviations",
        label=f"{measured.label}, standardised",
        warnings=warnings,
    )
