"""Measures of when: the dates that a unit's sentences name, or an event's own."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from functools import partial
from math import fsum, log1p, sqrt
from typing import Any

from corpusgraph.schemas.errors import InvalidInputError
from corpusgraph.schemas.results import ToolWarning
from corpusgraph.schemas.study import TableDataset, Variable
from corpusgraph.tasks.dataset.measures.measured import Measured, Request
from corpusgraph.tasks.dataset.measures.units import Reading, Sentence, Unit, period_number
from corpusgraph.tasks.table.values import sure_moment

Date = tuple[datetime, str]
"""The first instant a date can mean, and the date as precise as the text."""
Both = tuple[Date | None, Date | None]
"""A date and where it ends; None where it cannot be read."""
_EXACT = "date, as precise as the text"


def first_date(ask: Request) -> Measured:
    """Return the earliest date named, as precise as the text; of an event its own.

    Parameters
    ----------
    ask : Request
        The variable to measure, and of which units.

    Returns
    -------
    Measured
        A cell a unit.

    """
    values = [min(_dates(ask.reading, unit), default=(None, None))[1] for unit in ask.units]
    formula = _formula(ask, "earliest", "date of the event")
    return Measured(values, "date", formula, "First date", _EXACT)


def last_date(ask: Request) -> Measured:
    """Return the latest date named, as precise as the text; of an event the end of its own.

    Parameters
    ----------
    ask : Request
        The variable to measure, and of which units.

    Returns
    -------
    Measured
        A cell a unit.

    """
    values = [max(_dates(ask.reading, unit, ends=True), default=(None, None))[1] for unit in ask.units]
    formula = _formula(ask, "latest", "end of the event, else its date")
    return Measured(values, "date", formula, "Last date", _EXACT)


def dates(ask: Request) -> Measured:
    """Count the different dates named.

    Parameters
    ----------
    ask : Request
        The variable to measure, and of which units.

    Returns
    -------
    Measured
        A cell a unit.

    """
    values = [len({first[1] for first, _ in _named(ask.reading, unit) if first}) for unit in ask.units]
    formula = f"number of different dates named in {ask.scope}"
    return Measured(values, "integer", formula, "Dates", "dates")


def duration(ask: Request) -> Measured:
    """Return the days from the first date to the last; missing without a date.

    Parameters
    ----------
    ask : Request
        The variable to measure, and of which units.

    Returns
    -------
    Measured
        A cell a unit.

    """
    values = []
    for unit in ask.units:
        first, last = _dates(ask.reading, unit), _dates(ask.reading, unit, ends=True)
        values.append((max(last)[0].date() - min(first)[0].date()).days if first else None)
    between = _formula(ask, "earliest to the latest", "date of the event to its end")
    formula = f"days from the {between}; a year or a month counts as its first day; missing without a date"
    return Measured(values, "integer", formula, "Duration", "days")


def period_index(ask: Request) -> Measured:
    """Count calendar periods since the first of the panel, from 0: the time of a panel model.

    Parameters
    ----------
    ask : Request
        The variable to measure, and of which units.

    Returns
    -------
    Measured
        A cell a unit.

    """
    numbers = [period_number(unit.attributes["period"]) for unit in ask.units]
    first = min(numbers, default=0)
    formula = f"number of {ask.dataset.period}s since the first of the panel, which is 0"
    values = [number - first for number in numbers]
    return Measured(values, "integer", formula, "Time", f"{ask.dataset.period}s")


def _formula(ask: Request, which: str, own: str) -> str:
    return own if ask.dataset.unit == "event" else f"{which} date named in {ask.scope}"


def _dates(reading: Reading, unit: Unit, *, ends: bool = False) -> list[Date]:
    if "timestamp" not in unit.attributes or "activity" not in unit.attributes:
        return [date for both in _named(reading, unit) if (date := both[ends])]
    end = _read(unit.attributes.get("timestamp_end")) if ends else None
    found = end or _read(unit.attributes["timestamp"])
    return [found] if found else []


def _named(reading: Reading, unit: Unit) -> list[Both]:
    """Return the dates that mentions and events of the unit's sentences give, and where they end."""
    known = reading.once("dates", dict[Sentence, list[Both]])
    for sentence in unit.sentences:
        if sentence not in known:
            known[sentence] = _said(reading, sentence)
    return [both for sentence in unit.sentences for both in known[sentence]]


def _said(reading: Reading, sentence: Sentence) -> list[Both]:
    spoken = (m.attributes for m in reading.mentions.get(sentence, ()) if m.type == "date")
    texts = [(one.get("iso"), one.get("iso_end")) for one in spoken]
    texts += [(event.timestamp, event.timestamp_end) for event in reading.events.get(sentence, ())]
    read = ((_read(first), _read(last)) for first, last in texts)
    return [(first, last or first) for first, last in read]


def _read(text: object) -> Date | None:
    found = sure_moment(text)
    return (found.instant, str(text)) if found else None


_NUMBERS = {"numeric", "integer"}
Panel = Mapping[tuple[str, int], int]
"""Entity and number of the period -> row."""


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

    Raises
    ------
    InvalidInputError
        Outside of a panel, and for sums and differences of what is no number.

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


_EDGE = "missing where the panel has no such row"


def _shifted(measured: Measured, keys: Keys, variable: Variable, period: str, *, to: str) -> Measured:
    by = variable.lead or 0 if to == "lead" else -(variable.lag or 0)
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
    "lag": partial(_shifted, to="lag"),
    "lead": partial(_shifted, to="lead"),
}


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
