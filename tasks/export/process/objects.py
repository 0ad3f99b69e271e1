"""The events of a log and the objects they are about: an event is one here, whatever cases it belongs to."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from json.encoder import encode_basestring as quoted

from corpusgraph.tasks.export.process.xes import milliseconds
from corpusgraph.tasks.export.process.xml_text import id_in_xml
from corpusgraph.tasks.prepare.process.instants import in_common_calendar
from corpusgraph.tasks.prepare.process.nouns import Case, ProcessTrace, TracedEvent

Value = str | int | float | bool

_QUALIFIERS = {"document": "stated in"}
"""What an object is to an event, where it is not what its type says."""


@dataclass(slots=True)
class Related:
    """An object with its attributes, and how events point to it in JSON and in XML."""

    kind: str
    id: str
    facts: dict[str, Value]
    as_json: str
    as_xml: str


@dataclass(slots=True)
class Happened:
    """An event with its related objects, each once."""

    id: str
    event: TracedEvent
    objects: tuple[Related, ...]


@dataclass
class Objects:
    """The log by objects: ids are unique for all types, so they carry their type (`actor:Snow`)."""

    events: list[Happened]
    objects: dict[tuple[str, str], Related]
    types: list[str]


def by_objects(trace: ProcessTrace) -> Objects:
    """Return events and objects of the years 1 to 9999; an event of several cases is one."""
    known: dict[tuple[str, str], Related] = {}
    cases = {case.case: case for case in trace.cases}
    origins = {event.origin for event in trace.events if event.origin}
    ids = {event.id for event in trace.events} if origins else set[str]()
    copies: dict[tuple[str, ...], Happened] = {}
    events, used = [], set[str]()
    for event in trace.events:
        if not in_common_calendar(event.start):
            continue
        objects = _related(event, known, cases)
        if not event.origin and event.id not in origins:
            events.append(Happened(event.id, event, objects))
            continue
        key = (event.origin or event.id, event.activity, event.start, event.until, event.finish or "")
        if happened := copies.get(key):
            happened.objects = _distinct((*happened.objects, *objects))
            continue
        own = key[0] in ids or key[0] in used  # no two events of the log may have one id
        used.add(key[0])
        copies[key] = Happened(event.id if own else key[0], event, objects)
        events.append(copies[key])
    return Objects(events, known, sorted({happened.event.activity for happened in events}))


def _related(
    event: TracedEvent, known: dict[tuple[str, str], Related], cases: Mapping[str, Case]
) -> tuple[Related, ...]:
    """Return the objects that an event is about, and remember those that are new."""
    keys = [
        ("case", event.case),
        *[("actor", actor) for actor in event.actors],
        *[("place", place) for place in event.places],
        *[("document", passage.document_id) for passage in event.passages],
    ]
    for key in keys:
        if key not in known:
            known[key] = _made(*key, _about(key, event, cases))
    found = [known[key] for key in keys]
    return tuple(found) if len(set(keys)) == len(keys) else _distinct(found)


def _distinct(objects: Iterable[Related]) -> tuple[Related, ...]:
    return tuple({one.id: one for one in objects}.values())


def _made(kind: str, name: str, facts: dict[str, Value]) -> Related:
    one, qualifier = f"{kind}:{name}", _QUALIFIERS.get(kind, kind)
    return Related(
        kind,
        one,
        facts,
        f'{{"objectId": {quoted(one)}, "qualifier": "{qualifier}"}}',
        f'<relationship object-id="{id_in_xml(one)}" qualifier="{qualifier}"/>',
    )


def _about(related: tuple[str, str], event: TracedEvent, cases: Mapping[str, Case]) -> dict[str, Value]:
    """Return the attributes of an object."""
    kind, name = related
    if kind == "document":
        passage = next(passage for passage in event.passages if passage.document_id == name)
        told = {"name": passage.title or name, "source": passage.source}
        return {key: value for key, value in told.items() if value}
    if kind != "case":
        return {"name": name}
    case = cases[name]
    return {
        "name": name,
        "n_events": case.n_events,
        "variant": case.variant,
        "duration_seconds": case.duration_seconds,
        **_instants(start=case.start, finish=case.finish),
    }


def _instants(**instants: str | None) -> dict[str, Value]:
    """Return the instants that readers can hold."""
    return {name: milliseconds(iso) for name, iso in instants.items() if iso and in_common_calendar(iso)}


def counts(log: Objects) -> dict[str, int]:
    """Return the figures that any reader must find again."""
    return {
        "events": len(log.events),
        "objects": len(log.objects),
        "relations": sum(len(happened.objects) for happened in log.events),
        "event_types": len(log.types),
    }
