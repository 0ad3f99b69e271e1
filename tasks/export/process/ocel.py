"""Event logs as OCEL 2.0 (Berti et al. 2024, arXiv:2403.01975), in JSON and XML.

An event is one event here, however many cases it belongs to: cases, actors, places and documents are objects.
Of the three formats of the standard, SQLite is left out: it keeps a table per type of event, and a corpus can
have as many types as sentences.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from json.encoder import encode_basestring as quoted

from corpusgraph.tasks.export.process.xes import milliseconds
from corpusgraph.tasks.export.process.xml_text import id_in_xml, in_xml
from corpusgraph.tasks.prepare.process.instants import in_common_calendar
from corpusgraph.tasks.prepare.process.nouns import Case, ProcessTrace, TracedEvent

Value = str | int | float | bool
Typed = tuple[tuple[str, str], ...]
"""Attributes of a type: name, and string, time, integer, float or boolean."""

EVENT: Typed = (
    ("until", "time"),
    ("finish", "time"),
    ("precision", "string"),
    ("open", "string"),
    ("approximate", "boolean"),
    ("stated", "string"),
)
OBJECTS: dict[str, Typed] = {
    "case": (
        ("name", "string"),
        ("n_events", "integer"),
        ("variant", "integer"),
        ("duration_seconds", "float"),
        ("start", "time"),
        ("finish", "time"),
    ),
    "actor": (("name", "string"),),
    "place": (("name", "string"),),
    "document": (("name", "string"), ("source", "string")),
}
ALWAYS = "1970-01-01T00:00:00.000Z"
"""The time that the standard gives to attributes which do not change."""

_JSON_ALWAYS = f', "time": "{ALWAYS}"'


@dataclass
class Happened:
    """An event with its related objects: id of the object -> qualifier."""

    id: str
    event: TracedEvent
    objects: dict[tuple[str, str], str] = field(default_factory=dict)


@dataclass
class Objects:
    """The log by objects: ids are unique for all types, so they carry their type (`actor:Snow`)."""

    events: list[Happened]
    objects: dict[tuple[str, str], dict[str, Value]]
    types: list[str]


def by_objects(trace: ProcessTrace) -> Objects:
    """Return events and objects of the years 1 to 9999; an event of several cases is one."""
    events: dict[tuple[str, ...], Happened] = {}
    ids, shared = {event.id for event in trace.events}, set[str]()
    objects: dict[tuple[str, str], dict[str, Value]] = {}
    cases = {case.case: case for case in trace.cases}
    for event in trace.events:
        if not in_common_calendar(event.start):
            continue
        key = (event.origin or event.id, event.activity, event.start, event.until, event.finish or "")
        happened = events.get(key)
        if happened is None:
            own = key[0] in ids or key[0] in shared  # no two events of the log may have one id
            happened = events[key] = Happened(event.id if own else key[0], event)
            shared.add(key[0])
        for related, qualifier in _related(event):
            happened.objects.setdefault(related, qualifier)
            if related not in objects:
                objects[related] = _about(related, event, cases)
    types = sorted({happened.event.activity for happened in events.values()})
    return Objects(list(events.values()), objects, types)


def _related(event: TracedEvent) -> Iterator[tuple[tuple[str, str], str]]:
    """Yield the objects that an event is about, each as type and name, with the qualifier."""
    yield ("case", event.case), "case"
    for actor in event.actors:
        yield ("actor", actor), "actor"
    for place in event.places:
        yield ("place", place), "place"
    for passage in event.passages:
        yield ("document", passage.document_id), "stated in"


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


def _facts(event: TracedEvent) -> dict[str, Value]:
    facts: dict[str, Value] = {"precision": event.precision, "stated": event.timestamp}
    facts |= _instants(until=event.until, finish=event.finish)
    if event.open:
        facts["open"] = event.open
    return facts | ({"approximate": True} if event.approximate else {})


def _instants(**instants: str | None) -> dict[str, Value]:
    """Return the instants that readers can hold."""
    return {name: milliseconds(iso) for name, iso in instants.items() if iso and in_common_calendar(iso)}


def ocel(log: Objects) -> tuple[bytes, bytes]:
    """Write JSON and XML, one event or object a line, times in UTC; the same bytes for the same log.

    What XML cannot hold becomes U+FFFD there.
    """
    types = [(name, OBJECTS[name]) for name in OBJECTS], [(name, EVENT) for name in log.types]
    objects, events = _objects(log), _events(log)
    as_json = (
        ("objectTypes", [_json_type(*one) for one in types[0]]),
        ("eventTypes", [_json_type(*one) for one in types[1]]),
        ("objects", objects[0]),
        ("events", events[0]),
    )
    as_xml = (
        ("object-types", [_xml_type("object-type", *one) for one in types[0]]),
        ("event-types", [_xml_type("event-type", *one) for one in types[1]]),
        ("objects", objects[1]),
        ("events", events[1]),
    )
    body = ",\n".join(f'"{name}": [\n' + ",\n".join(lines) + "\n]" for name, lines in as_json)
    elements = "".join(f"<{tag}>\n" + "\n".join(lines) + f"\n</{tag}>\n" for tag, lines in as_xml)
    head = '<?xml version="1.0" encoding="UTF-8"?>\n<log>\n'
    return f"{{\n{body}\n}}\n".encode(), f"{head}{elements}</log>\n".encode()


def _objects(log: Objects) -> tuple[list[str], list[str]]:
    as_json, as_xml = [], []
    for (kind, name), facts in log.objects.items():
        one = _object_id(kind, name)
        as_json.append(
            f'{{"id": {quoted(one)}, "type": "{kind}", '
            f'"attributes": [{_json_attributes(facts, _JSON_ALWAYS)}], "relationships": []}}'
        )
        inner = _xml_attributes(facts, f' time="{ALWAYS}"')
        as_xml.append(f'<object id="{id_in_xml(one)}" type="{kind}">{inner}<objects/></object>')
    return as_json, as_xml


def _events(log: Objects) -> tuple[list[str], list[str]]:
    as_json, as_xml = [], []
    for happened in log.events:
        event, related = happened.event, happened.objects.items()
        facts, time = _facts(event), milliseconds(event.start)
        relations = ", ".join([_json_relation(*one, qualifier) for one, qualifier in related])
        as_json.append(
            f'{{"id": {quoted(happened.id)}, "type": {quoted(event.activity)}, "time": "{time}", '
            f'"attributes": [{_json_attributes(facts)}], "relationships": [{relations}]}}'
        )
        relations = "".join([_xml_relation(*one, qualifier) for one, qualifier in related])
        as_xml.append(
            f'<event id="{id_in_xml(happened.id)}" type="{id_in_xml(event.activity)}" time="{time}">'
            f"{_xml_attributes(facts)}<objects>{relations}</objects></event>"
        )
    return as_json, as_xml


def _object_id(kind: str, name: str) -> str:
    return f"{kind}:{name}"


def _json_type(name: str, attributes: Typed) -> str:
    listed = ", ".join(f'{{"name": "{key}", "type": "{kind}"}}' for key, kind in attributes)
    return f'{{"name": {quoted(name)}, "attributes": [{listed}]}}'


def _json_attributes(facts: Mapping[str, Value], rest: str = "") -> str:
    return ", ".join(f'{{"name": "{key}"{rest}, "value": {_json(value)}}}' for key, value in facts.items())


@lru_cache(maxsize=65_536)
def _json_relation(kind: str, name: str, qualifier: str) -> str:
    return f'{{"objectId": {quoted(_object_id(kind, name))}, "qualifier": "{qualifier}"}}'


def _json(value: Value) -> str:
    return quoted(value) if isinstance(value, str) else _plain(value)


def _plain(value: Value) -> str:
    """Return true and false as both formats write them, and numbers to their last digit."""
    return str(value).lower() if isinstance(value, bool) else str(value)


@lru_cache(maxsize=65_536)
def _xml_relation(kind: str, name: str, qualifier: str) -> str:
    return f'<relationship object-id="{id_in_xml(_object_id(kind, name))}" qualifier="{qualifier}"/>'


def _xml_type(tag: str, name: str, attributes: Typed) -> str:
    listed = "".join(f'<attribute name="{key}" type="{kind}"/>' for key, kind in attributes)
    return f'<{tag} name="{id_in_xml(name)}"><attributes>{listed}</attributes></{tag}>'


def _xml_attributes(facts: Mapping[str, Value], rest: str = "") -> str:
    listed = "".join(
        f'<attribute name="{key}"{rest}>{_xml(value)}</attribute>' for key, value in facts.items()
    )
    return f"<attributes>{listed}</attributes>"


def _xml(value: Value) -> str:
    return in_xml(value) if isinstance(value, str) else _plain(value)


def counts(log: Objects) -> dict[str, int]:
    """Return the figures that any reader must find again."""
    return {
        "events": len(log.events),
        "objects": len(log.objects),
        "relations": sum(len(happened.objects) for happened in log.events),
        "event_types": len(log.types),
    }
