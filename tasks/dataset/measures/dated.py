"""Measures of when: the dates that a unit's sentences name, or an event's own."""

from collections.abc import Sequence
from datetime import datetime

from corpusgraph.schemas.study import TableDataset, Variable
from corpusgraph.tasks.dataset.measures.measured import Measured
from corpusgraph.tasks.dataset.periods import period_number
from corpusgraph.tasks.dataset.reading import Reading, Sentence
from corpusgraph.tasks.dataset.units import SCOPES, Unit
from corpusgraph.tasks.table.values import sure_moment

Date = tuple[datetime, str]
"""The first instant a date can mean, and the date as precise as the text."""
Both = tuple[Date | None, Date | None]
"""A date and where it ends; None where it cannot be read."""
_EXACT = "date, as precise as the text"


def first_date(reading: Reading, dataset: TableDataset, units: Sequence[Unit], _: Variable) -> Measured:
    """Return the earliest date named, as precise as the text; of an event its own."""
    values = [min(_dates(reading, unit), default=(None, None))[1] for unit in units]
    formula = _formula(dataset, "earliest", "date of the event")
    return Measured(values, "date", formula, "First date", _EXACT)


def last_date(reading: Reading, dataset: TableDataset, units: Sequence[Unit], _: Variable) -> Measured:
    """Return the latest date named, as precise as the text; of an event the end of its own."""
    values = [max(_dates(reading, unit, ends=True), default=(None, None))[1] for unit in units]
    formula = _formula(dataset, "latest", "end of the event, else its date")
    return Measured(values, "date", formula, "Last date", _EXACT)


def dates(reading: Reading, dataset: TableDataset, units: Sequence[Unit], _: Variable) -> Measured:
    """Count the different dates named."""
    values = [len({first[1] for first, _ in _named(reading, unit) if first}) for unit in units]
    formula = f"number of different dates named in {SCOPES[dataset.unit]}"
    return Measured(values, "integer", formula, "Dates", "dates")


def duration(reading: Reading, dataset: TableDataset, units: Sequence[Unit], _: Variable) -> Measured:
    """Return the days from the first date to the last; missing without a date."""
    values = []
    for unit in units:
        first, last = _dates(reading, unit), _dates(reading, unit, ends=True)
        values.append((max(last)[0].date() - min(first)[0].date()).days if first else None)
    between = _formula(dataset, "earliest to the latest", "date of the event to its end")
    formula = f"days from the {between}; a year or a month counts as its first day; missing without a date"
    return Measured(values, "integer", formula, "Duration", "days")


def period_index(_: Reading, dataset: TableDataset, units: Sequence[Unit], __: Variable) -> Measured:
    """Count calendar periods since the first of the panel, from 0: the time of a panel model."""
    numbers = [period_number(unit.attributes["period"]) for unit in units]
    first = min(numbers, default=0)
    formula = f"number of {dataset.period}s since the first of the panel, which is 0"
    values = [number - first for number in numbers]
    return Measured(values, "integer", formula, "Time", f"{dataset.period}s")


def _formula(dataset: TableDataset, which: str, own: str) -> str:
    return own if dataset.unit == "event" else f"{which} date named in {SCOPES[dataset.unit]}"


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
