"""From events as given to events in time; what cannot be placed is set aside with its text."""

from collections.abc import Sequence

from corpusgraph.schemas.results import ToolWarning
from corpusgraph.tasks.prepare.process.instants import iso
from corpusgraph.tasks.prepare.process.log import Timed
from corpusgraph.tasks.prepare.process.moment import Moment
from corpusgraph.tasks.prepare.process.nouns import ProcessEvent, SetAside
from corpusgraph.tasks.prepare.process.timestamps import Problem, parse, readings
from corpusgraph.tasks.prepare.process.told import shortened

_ASIDE = {
    "unparsed_timestamp": "timestamps that cannot be read",
    "ambiguous_date": "dates with two readings (for 03/04/1854, say day_first)",
    "missing_case": "events without a case",
}
_ENDS = {
    "unparsed_timestamp": "Ends that cannot be read were left out",
    "ambiguous_date": "Ends with two readings were left out (for 03/04/1854, say day_first)",
    "end_before_start": "Ends before the start were left out",
}


class _Reader:
    """Reads each distinct text once: logs repeat their dates."""

    def __init__(self, day_first: bool | None) -> None:
        self._day_first = day_first
        self._known: dict[str, Moment | Problem] = {}

    def __call__(self, text: str) -> Moment | Problem:
        found = self._known.get(text)
        if found is None:
            found = self._known[text] = parse(text, self._day_first)
        return found


def read_times(
    events: Sequence[ProcessEvent], day_first: bool | None
) -> tuple[list[Timed], list[SetAside], list[ToolWarning]]:
    """Return the events with a case and a time, those set aside, and what to tell."""
    read = _Reader(day_first)
    timed, aside = [], []
    bad_ends: dict[str, list[tuple[str, str]]] = {code: [] for code in _ENDS}
    for event in events:
        at = read(event.timestamp)
        if not isinstance(at, Moment) or event.case is None or not event.case.strip():
            aside.append(_set_aside(event, "missing_case" if isinstance(at, Moment) else at))
            continue
        end = read(event.end) if event.end else None
        if isinstance(end, Moment) and end.open != "until" and end.until <= at.start:
            bad_ends["end_before_start"].append((event.id, f"{event.end!r} before {iso(at.start)}"))
            end = None
        elif isinstance(end, str):
            bad_ends[end].append((event.id, repr(event.end)))
            end = None
        timed.append(Timed(event, event.case, at, end))
    return timed, aside, [*_tell_aside(aside), *_tell_ends(bad_ends)]


def _set_aside(event: ProcessEvent, code: str) -> SetAside:
    meant = readings(event.timestamp) if code == "ambiguous_date" else ()
    return SetAside(id=event.id, code=code, timestamp=event.timestamp, readings=meant)


def _tell_aside(aside: Sequence[SetAside]) -> list[ToolWarning]:
    notes = []
    for code, what in _ASIDE.items():
        found = [one for one in aside if one.code == code]
        if found:
            said = shortened([_said(one) for one in found])
            message = f"Set aside {len(found)} {what}: {said}."
            notes.append(ToolWarning(code=code, message=message, records=tuple(one.id for one in found)))
    return notes


def _said(one: SetAside) -> str:
    meant = f" ({' or '.join(one.readings)})" if one.readings else ""
    return f"{one.id} {one.timestamp!r}{meant}"


def _tell_ends(bad: dict[str, list[tuple[str, str]]]) -> list[ToolWarning]:
    notes = []
    for code, found in bad.items():
        if found:
            said = shortened([f"{event} {what}" for event, what in found])
            message = f"{_ENDS[code]} of {len(found)} events: {said}."
            notes.append(ToolWarning(code=code, message=message, records=tuple(event for event, _ in found)))
    return notes
