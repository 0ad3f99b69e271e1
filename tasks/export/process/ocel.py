"""Event logs as OCEL 2.0 (Berti et al. 2024, arXiv:2403.01975), in JSON and XML.

An event is one event here, however many cases it belongs to: cases, actors, places and documents are objects.
Of the three formats of the standard, SQLite is left out: it keeps a table per type of event, and a corpus can
have as many types as sentences.
"""

from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from io import BytesIO
from json.encoder import encode_basestring as quoted
from typing import TypeVar

from corpusgraph.tasks.export.process.objects import Happened, Objects, Value
from corpusgraph.tasks.export.process.xes import milliseconds, spelling
from corpusgraph.tasks.export.process.xml_text import id_in_xml, in_xml
from corpusgraph.tasks.prepare.process.instants import in_common_calendar
from corpusgraph.tasks.prepare.process.nouns import TracedEvent

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
        pairs = [_event(happened, *spelt(happened.event)) for happened in batch]
        yield [as_json for as_json, _ in pairs], [as_xml for _, as_xml in pairs]


def _event(happened: Happened, name: str, stated: str) -> tuple[str, str]:
    """Return an event in both formats; `name` and `stated` are its own id and time as XML has them."""
    event, objects = happened.event, happened.objects
    time, (json_facts, xml_facts) = milliseconds(event.start), _bounds(event)
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


def _bounds(event: TracedEvent) -> tuple[str, str]:
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
