"""Event logs as XES (IEEE 1849-2016, kept by 1849-2023): concept, time, lifecycle, organizational extensions.

r4pm 0.6 writes XES too. Ours stays: three runs of r4pm on one log gave three different files (attributes come
in hash order), where a bundle must be the same twice, and it is 47 MB to install. It reads ours in the tests.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from io import BytesIO
from itertools import groupby
from json.encoder import encode_basestring as quoted
from operator import attrgetter, itemgetter
from typing import TypeVar

from corpusgraph.tasks.analysis.process.models import Case, ProcessTrace, TracedEvent
from corpusgraph.tasks.analysis.process.timestamps import in_common_calendar

_NOT_XML = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
_SPECIAL = re.compile("[^ !#-%'-;=?-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
_REFERENCES = {
    "&": "&amp;",
    "<": "&lt;",
    ">": "&gt;",
    '"': "&quot;",
    "\n": "&#10;",
    "\t": "&#9;",
    "\r": "&#13;",
}


def is_legal(text: str) -> bool:
    """Tell whether XML 1.0 can hold every character."""
    return _NOT_XML.search(text) is None


def is_plain(text: str) -> bool:
    """Tell whether text is written in XML as it is."""
    return _SPECIAL.search(text) is None


def in_xml(text: str) -> str:
    """Return text for an attribute or an element; what XML cannot hold becomes U+FFFD."""
    return _SPECIAL.sub(_reference, text) if _SPECIAL.search(text) else text


def id_in_xml(text: str) -> str:
    """Return an id; U+FFFD is followed by the number of what it stands for, so that ids stay different."""
    return in_xml(_NOT_XML.sub(lambda match: f"\ufffd{ord(match[0]):x}", text))


def _reference(match: re.Match[str]) -> str:
    return _REFERENCES.get(match[0], "\ufffd")


_HEAD = """<?xml version="1.0" encoding="UTF-8"?>
<log xes.version="1849-2016" xes.features="" xmlns="http://www.xes-standard.org/">
  <extension name="Concept" prefix="concept" uri="http://www.xes-standard.org/concept.xesext"/>
  <extension name="Time" prefix="time" uri="http://www.xes-standard.org/time.xesext"/>
  <extension name="Lifecycle" prefix="lifecycle" uri="http://www.xes-standard.org/lifecycle.xesext"/>
  <extension name="Organizational" prefix="org" uri="http://www.xes-standard.org/org.xesext"/>
  <global scope="trace">
    <string key="concept:name" value="unknown"/>
  </global>
  <global scope="event">
    <string key="concept:name" value="unknown"/>
    <date key="time:timestamp" value="1970-01-01T00:00:00.000Z"/>
    <string key="lifecycle:transition" value="complete"/>
  </global>
  <classifier name="Activity" keys="concept:name"/>
  <classifier name="Activity and lifecycle" keys="concept:name lifecycle:transition"/>
  <string key="lifecycle:model" value="standard"/>
  <string key="concept:name" value="{name}"/>
"""


def xes(trace: ProcessTrace, name: str) -> bytes:
    """Write the log: a trace per case, an event per event, two (start, complete) where an end is known.

    `time:timestamp` is the first instant an event's date can mean; `until`, `precision`, `open` and
    `approximate` say how exact it is. `concept:instance` is the event's id, the same for its start and
    its completion. Several actors are joined by semicolons in `org:resource`. Characters that XML cannot
    hold become U+FFFD (`illegal_characters` lists the events); events outside the years 1 to 9999 are
    left out (`beyond_calendar` lists them). The bytes are the same for the same log.
    """
    out = BytesIO()
    out.write(_HEAD.replace("{name}", in_xml(name)).encode())
    for case, events in groupby(trace.events, key=attrgetter("case")):
        rows = _rows([event for event in events if in_common_calendar(event.start)])
        if rows:
            opening = f'  <trace>\n    <string key="concept:name" value="{id_in_xml(case)}"/>\n'
            out.write("".join([opening, *rows, "  </trace>\n"]).encode())
    out.write(b"</log>\n")
    return out.getvalue()


def _rows(events: Sequence[TracedEvent]) -> list[str]:
    """Return the events of a case, starts and completions in order of time."""
    spelt = spelling(events)
    rows: list[tuple[str, str]] = []
    lasting = False
    for event in events:
        instance, stated = spelt(event)
        common = _common(event, instance)
        at = (event.start[:-1], milliseconds(event.start))  # text that sorts, and what readers expect
        if not event.finish or not in_common_calendar(event.finish):
            rows.append((at[0], _xes_event(at[1], "complete", common, _xes_bounds(event, stated))))
            continue
        lasting = True
        rows.append((at[0], _xes_event(at[1], "start", common, _xes_bounds(event, stated))))
        rows.append((event.finish[:-1], _xes_event(milliseconds(event.finish), "complete", common)))
    if lasting:  # else they are in order as they come
        rows.sort(key=itemgetter(0))
    return [text for _, text in rows]


def _xes_event(when: str, transition: str, common: str, bounds: str = "") -> str:
    return (
        f'    <event>\n      <date key="time:timestamp" value="{when}"/>\n'
        f'      <string key="lifecycle:transition" value="{transition}"/>\n{common}{bounds}    </event>\n'
    )


def _common(event: TracedEvent, instance: str) -> str:
    return (
        f'      <string key="concept:name" value="{_known(event.activity)}"/>\n'
        f'      <string key="concept:instance" value="{instance}"/>\n'
        f"{_joined('org:resource', event.actors)}{_joined('place', event.places)}"
    )


def _xes_bounds(event: TracedEvent, stated: str) -> str:
    until = event.until
    return (
        f'      <string key="precision" value="{event.precision}"/>\n'
        f'      <string key="stated" value="{stated}"/>\n'
        + (f'      <date key="until" value="{milliseconds(until)}"/>\n' if in_common_calendar(until) else "")
        + (f'      <string key="open" value="{event.open}"/>\n' if event.open else "")
        + ('      <boolean key="approximate" value="true"/>\n' if event.approximate else "")
    )


@lru_cache(maxsize=65_536)
def _known(text: str) -> str:
    return in_xml(text)


@lru_cache(maxsize=65_536)
def _joined(key: str, names: tuple[str, ...]) -> str:
    return f'      <string key="{key}" value="{in_xml("; ".join(names))}"/>\n' if names else ""


def spelling(events: Sequence[TracedEvent]) -> Callable[[TracedEvent], tuple[str, str]]:
    """Return what writes id and stated time of some events in XML: as they are, where all are plain."""
    if is_plain("".join([event.id for event in events])) and is_plain(
        "".join([event.timestamp for event in events])
    ):
        return attrgetter("id", "timestamp")
    return lambda event: (id_in_xml(event.id), in_xml(event.timestamp))


def milliseconds(iso: str) -> str:
    """Return an instant with milliseconds, as readers expect it; with microseconds where it has them."""
    if len(iso) == 20:  # whole seconds of a year of four digits
        return f"{iso[:-1]}.000Z"
    whole, _, fraction = iso[:-1].partition(".")
    return (
        f"{whole}.{fraction[:3] if fraction.endswith('000') else fraction}Z" if fraction else f"{whole}.000Z"
    )


def illegal_characters(trace: ProcessTrace) -> tuple[str, ...]:
    """Return the ids of the events with characters that XML cannot hold."""
    found: list[str] = []
    for first in range(0, len(trace.events), 1_000):
        some = [(event.id, "".join(_texts(event))) for event in trace.events[first : first + 1_000]]
        if not is_legal("".join([text for _, text in some])):
            found += [name for name, text in some if not is_legal(text)]
    return tuple(found)


def _texts(event: TracedEvent) -> Sequence[str]:
    return event.activity, event.case, event.id, event.timestamp, *event.actors, *event.places


def beyond_calendar(trace: ProcessTrace) -> tuple[str, ...]:
    """Return the ids of the events outside the years 1 to 9999, which no reader of XES and OCEL takes."""
    return tuple(event.id for event in trace.events if not in_common_calendar(event.start))


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


T = TypeVar("T")
Lines = tuple[list[str], list[str]]
"""Some lines of a part in JSON, and in XML."""

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


def ocel(log: Objects) -> tuple[bytes, bytes]:
    """Write JSON and XML, one event or object a line, times in UTC; the same bytes for the same log.

    What XML cannot hold becomes U+FFFD there.
    """
    types = [(name, OBJECTS[name]) for name in OBJECTS], [(name, EVENT) for name in log.types]
    as_json, as_xml = _File(_JSON), _File(_XML)
    as_json.part("objectTypes", [_json_type(*one) for one in types[0]])
    as_json.part("eventTypes", [_json_type(*one) for one in types[1]])
    as_xml.part("object-types", [_xml_type("object-type", *one) for one in types[0]])
    as_xml.part("event-types", [_xml_type("event-type", *one) for one in types[1]])
    for name, lines in (("objects", _objects(log)), ("events", _events(log))):
        for json_lines, xml_lines in lines:
            as_json.part(name, json_lines)
            as_xml.part(name, xml_lines)
    return as_json.close(), as_xml.close()


class _File:
    """A file in named parts of lines, which are written as they come; `marks` as in `_JSON` and `_XML`."""

    def __init__(self, marks: tuple[str, str, str, str, str]) -> None:
        self._out, self._name = BytesIO(), ""
        head, self._opens, self._between, self._closes, self._foot = marks
        self._out.write(head.encode())

    def part(self, name: str, lines: Sequence[str]) -> None:
        """Add lines to the part of that name, which follows the last one."""
        before = self._between
        if name != self._name:
            before = self._end(",") + self._opens.format(name)
            self._name = name
        self._out.write((before + self._between.join(lines)).encode())

    def close(self) -> bytes:
        """Return the file."""
        self._out.write((self._end("") + self._foot).encode())
        return self._out.getvalue()

    def _end(self, comma: str) -> str:
        return self._closes.format(self._name, comma=comma) if self._name else ""


_JSON = ("{\n", '"{}": [\n', ",\n", "\n]{comma}\n", "}\n")
_XML = ('<?xml version="1.0" encoding="UTF-8"?>\n<log>\n', "<{}>\n", "\n", "\n</{}>\n", "</log>\n")
"""What a file begins with, what opens a part, stands between its lines, closes it, and ends the file."""


def _batches(some: Sequence[T]) -> Iterator[Sequence[T]]:
    """Yield a thousand at a time; one empty batch where there are none."""
    for first in range(0, max(1, len(some)), 1_000):
        yield some[first : first + 1_000]


def _objects(log: Objects) -> Iterator[Lines]:
    for batch in _batches(list(log.objects.values())):
        as_json = [
            f'{{"id": {quoted(one.id)}, "type": "{one.kind}", '
            f'"attributes": [{_json_attributes(one.facts)}], "relationships": []}}'
            for one in batch
        ]
        as_xml = [
            f'<object id="{id_in_xml(one.id)}" type="{one.kind}">'
            f"{_xml_attributes(one.facts)}<objects/></object>"
            for one in batch
        ]
        yield as_json, as_xml


def _events(log: Objects) -> Iterator[Lines]:
    for batch in _batches(log.events):
        spelt = spelling([happened.event for happened in batch])
        pairs = [_ocel_event(happened, *spelt(happened.event)) for happened in batch]
        yield [as_json for as_json, _ in pairs], [as_xml for _, as_xml in pairs]


def _ocel_event(happened: Happened, name: str, stated: str) -> tuple[str, str]:
    """Return an event in both formats; `name` and `stated` are its own id and time as XML has them."""
    event, objects = happened.event, happened.objects
    time, (json_facts, xml_facts) = milliseconds(event.start), _ocel_bounds(event)
    as_json = (
        f'{{"id": {quoted(happened.id)}, "type": {quoted(event.activity)}, "time": "{time}", '
        f'"attributes": [{{"name": "precision", "value": "{event.precision}"}}, '
        f'{{"name": "stated", "value": {quoted(event.timestamp)}}}{json_facts}], '
        f'"relationships": [{", ".join([one.as_json for one in objects])}]}}'
    )
    identity = name if happened.id is event.id else id_in_xml(happened.id)
    as_xml = (
        f'<event id="{identity}" type="{_type_in_xml(event.activity)}" time="{time}"><attributes>'
        f'<attribute name="precision">{event.precision}</attribute>'
        f'<attribute name="stated">{stated}</attribute>{xml_facts}</attributes>'
        f"<objects>{''.join([one.as_xml for one in objects])}</objects></event>"
    )
    return as_json, as_xml


@lru_cache(maxsize=65_536)
def _type_in_xml(activity: str) -> str:
    return id_in_xml(activity)


def _ocel_bounds(event: TracedEvent) -> tuple[str, str]:
    """Return how exact its time is, in both formats."""
    as_json = as_xml = ""
    for key, instant in (("until", event.until), ("finish", event.finish)):
        if instant and in_common_calendar(instant):
            at = milliseconds(instant)
            as_json += f', {{"name": "{key}", "value": "{at}"}}'
            as_xml += f'<attribute name="{key}">{at}</attribute>'
    if event.open:
        as_json += f', {{"name": "open", "value": "{event.open}"}}'
        as_xml += f'<attribute name="open">{event.open}</attribute>'
    if event.approximate:
        as_json += ', {"name": "approximate", "value": true}'
        as_xml += '<attribute name="approximate">true</attribute>'
    return as_json, as_xml


def _json_type(name: str, attributes: Typed) -> str:
    listed = ", ".join(f'{{"name": "{key}", "type": "{kind}"}}' for key, kind in attributes)
    return f'{{"name": {quoted(name)}, "attributes": [{listed}]}}'


def _xml_type(tag: str, name: str, attributes: Typed) -> str:
    listed = "".join(f'<attribute name="{key}" type="{kind}"/>' for key, kind in attributes)
    return f'<{tag} name="{id_in_xml(name)}"><attributes>{listed}</attributes></{tag}>'


def _json_attributes(facts: Mapping[str, Value]) -> str:
    return ", ".join(
        [
            f'{{"name": "{key}", "time": "{ALWAYS}", '
            f'"value": {quoted(value) if isinstance(value, str) else value}}}'
            for key, value in facts.items()
        ]
    )


def _xml_attributes(facts: Mapping[str, Value]) -> str:
    listed = "".join(
        [
            f'<attribute name="{key}" time="{ALWAYS}">'
            f"{in_xml(value) if isinstance(value, str) else value}</attribute>"
            for key, value in facts.items()
        ]
    )
    return f"<attributes>{listed}</attributes>"
