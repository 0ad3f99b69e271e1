"""Event logs as XES (IEEE 1849-2016, kept by 1849-2023) and OCEL 2.0, in JSON and XML.

r4pm 0.6 writes XES too. Ours stays: three runs of r4pm on one log gave three different files (attributes come
in hash order), where a bundle must be the same twice, and it is 47 MB to install. It reads ours in the tests.
"""

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from io import BytesIO
from itertools import chain, groupby
from operator import attrgetter, itemgetter

from corpusgraph.schemas.base import JsonDict
from corpusgraph.tasks.analysis.process.models import Case, ProcessTrace, TracedEvent
from corpusgraph.tasks.analysis.process.timestamps import in_common_calendar
from corpusgraph.tasks.export.files import NOT_XML, rendered

_MARKS = str.maketrans(
    {"&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "\n": "&#10;", "\t": "&#9;", "\r": "&#13;"}
)


def in_xml(text: str) -> str:
    """Return text for an attribute or an element; what XML cannot hold becomes U+FFFD.

    Parameters
    ----------
    text : str
        Any text.

    Returns
    -------
    str
        With the marks of XML escaped.

    """
    return NOT_XML.sub("\ufffd", text).translate(_MARKS)


def id_in_xml(text: str) -> str:
    """Return an id; U+FFFD is followed by the number of what it stands for, so that ids stay different.

    Parameters
    ----------
    text : str
        Any id.

    Returns
    -------
    str
        With the marks of XML escaped.

    """
    return NOT_XML.sub(lambda found: f"\ufffd{ord(found[0]):x}", text).translate(_MARKS)


def milliseconds(iso: str) -> str:
    """Return an instant with milliseconds, as readers expect it; with microseconds where it has them.

    Parameters
    ----------
    iso : str
        ISO 8601 in UTC, ending in Z.

    Returns
    -------
    str
        Such as `1854-09-08T00:00:00.000Z`.

    """
    whole, _, fraction = iso[:-1].partition(".")
    return f"{whole}.{fraction.removesuffix('000') or '000'}Z"


def illegal_characters(trace: ProcessTrace) -> tuple[str, ...]:
    """Return the ids of the events with characters that XML cannot hold.

    Parameters
    ----------
    trace : ProcessTrace
        The trace.

    Returns
    -------
    tuple of str
        In the order of the trace.

    """
    return tuple(
        e.id
        for e in trace.events
        if NOT_XML.search("".join((e.activity, e.case, e.id, e.timestamp, *e.actors, *e.places)))
    )


def beyond_calendar(trace: ProcessTrace) -> tuple[str, ...]:
    """Return the ids of the events outside the years 1 to 9999, which no reader of XES and OCEL takes.

    Parameters
    ----------
    trace : ProcessTrace
        The trace.

    Returns
    -------
    tuple of str
        In the order of the trace.

    """
    return tuple(event.id for event in trace.events if not in_common_calendar(event.start))


def xes(trace: ProcessTrace, name: str) -> bytes:
    """Write the log: a trace per case, an event per event, two (start, complete) where an end is known.

    `time:timestamp` is the first instant an event's date can mean; `until`, `precision`, `open` and
    `approximate` say how exact it is. `concept:instance` is the event's id, the same for its start and
    its completion. Several actors are joined by semicolons in `org:resource`. Characters that XML cannot
    hold become U+FFFD (`illegal_characters` lists the events); events outside the years 1 to 9999 are
    left out (`beyond_calendar` lists them). The bytes are the same for the same log.

    Parameters
    ----------
    trace : ProcessTrace
        The trace.
    name : str
        Name of the log.

    Returns
    -------
    bytes
        XML in UTF-8.

    References
    ----------
    IEEE 1849-2016.

    """
    placed = (event for event in trace.events if in_common_calendar(event.start))
    traces = (
        (case, sorted(chain.from_iterable(map(_xes_events, events)), key=itemgetter(0)))
        for case, events in groupby(placed, key=attrgetter("case"))
    )
    return rendered("log.xes", name=name, traces=traces, in_xml=in_xml, id_in_xml=id_in_xml).encode()


def _xes_events(event: TracedEvent) -> Iterator[tuple[str, tuple[tuple[str, str, str], ...]]]:
    """Yield the start of an event, or all of it, and its completion: text that sorts by time, and facts."""

    def at(when: str, transition: str) -> tuple[tuple[str, str, str], ...]:
        return (
            ("date", "time:timestamp", milliseconds(when)),
            ("string", "lifecycle:transition", transition),
            ("string", "concept:name", in_xml(event.activity)),
            ("string", "concept:instance", id_in_xml(event.id)),
            ("string", "org:resource", in_xml("; ".join(event.actors))),
            ("string", "place", in_xml("; ".join(event.places))),
        )

    bounds = (
        ("string", "precision", event.precision),
        ("string", "stated", in_xml(event.timestamp)),
        ("date", "until", milliseconds(event.until) if in_common_calendar(event.until) else ""),
        ("string", "open", event.open or ""),
        ("boolean", "approximate", "true" if event.approximate else ""),
    )
    is_lasting = event.finish and in_common_calendar(event.finish)
    yield event.start[:-1], (*at(event.start, "start" if is_lasting else "complete"), *bounds)
    if event.finish and is_lasting:
        yield event.finish[:-1], at(event.finish, "complete")


_EVENT = {
    "until": "time",
    "finish": "time",
    "precision": "string",
    "open": "string",
    "approximate": "boolean",
    "stated": "string",
}
OBJECTS = {
    "case": {
        "name": "string",
        "n_events": "integer",
        "variant": "integer",
        "duration_seconds": "float",
        "start": "time",
        "finish": "time",
    },
    "actor": {"name": "string"},
    "place": {"name": "string"},
    "document": {"name": "string", "source": "string"},
}
"""Kinds of objects with the types of their attributes."""
_ALWAYS = "1970-01-01T00:00:00.000Z"
"""The time that the standard gives to attributes which do not change."""


@dataclass
class ObjectLog:
    """The log by objects: ids are unique for all types, so they carry their type (`actor:Snow`).

    Attributes
    ----------
    events : list of (str, TracedEvent, dict of str to str)
    objects : dict of str to JsonDict

    """

    events: list[tuple[str, TracedEvent, dict[str, str]]]
    """Id, event, and what each of its objects is to it, by the object's id."""
    objects: dict[str, JsonDict]
    """Records of OCEL by their id."""

    @property
    def types(self) -> list[str]:
        """The activities, in order."""
        return sorted({event.activity for _, event, _ in self.events})


def by_objects(trace: ProcessTrace) -> ObjectLog:
    """Return events and objects of the years 1 to 9999; an event of several cases is one.

    Parameters
    ----------
    trace : ProcessTrace
        The trace.

    Returns
    -------
    ObjectLog
        Events in the order of the trace, each with what it is related to; objects under their ids.

    """
    log = ObjectLog([], {})
    cases = {case.case: case for case in trace.cases}
    origins = {event.origin for event in trace.events if event.origin}
    ids = {event.id for event in trace.events} if origins else set[str]()
    copies: dict[tuple[str, ...], dict[str, str]] = {}
    used = set[str]()
    for event in trace.events:
        if not in_common_calendar(event.start):
            continue
        objects = _related(event, log.objects, cases)
        if not event.origin and event.id not in origins:
            log.events.append((event.id, event, objects))
            continue
        key = (event.origin or event.id, event.activity, event.start, event.until, event.finish or "")
        if key in copies:
            copies[key] |= objects
            continue
        own = key[0] in ids or key[0] in used  # no two events of the log may have one id
        used.add(key[0])
        copies[key] = objects
        log.events.append((event.id if own else key[0], event, objects))
    return log


def _related(event: TracedEvent, known: dict[str, JsonDict], cases: Mapping[str, Case]) -> dict[str, str]:
    """Return the objects that an event is about, and remember those that are new."""
    objects = {}
    for kind, names in (
        ("case", (event.case,)),
        ("actor", event.actors),
        ("place", event.places),
        ("document", [passage.document_id for passage in event.passages]),
    ):
        for name in names:
            id_ = f"{kind}:{name}"
            if id_ not in known:
                told = [{"name": k, "time": _ALWAYS, "value": v} for k, v in _facts(kind, name, event, cases)]
                known[id_] = {"id": id_, "type": kind, "attributes": told, "relationships": []}
            objects[id_] = "stated in" if kind == "document" else kind
    return objects


def _facts(
    kind: str, name: str, event: TracedEvent, cases: Mapping[str, Case]
) -> Iterator[tuple[str, str | float]]:
    """Yield the attributes of an object."""
    if kind == "document":
        passage = next(passage for passage in event.passages if passage.document_id == name)
        yield "name", passage.title or name
        if passage.source:
            yield "source", passage.source
        return
    yield "name", name
    if kind == "case":
        case = cases[name]
        yield from ((key, getattr(case, key)) for key in ("n_events", "variant", "duration_seconds"))
        yield from _instants(start=case.start, finish=case.finish)


def _instants(**instants: str | None) -> Iterator[tuple[str, str]]:
    """Yield the instants that readers can hold."""
    for name, iso in instants.items():
        if iso and in_common_calendar(iso):
            yield name, milliseconds(iso)


def counts(log: ObjectLog) -> dict[str, int]:
    """Return the figures that any reader must find again.

    Parameters
    ----------
    log : ObjectLog
        The log by objects.

    Returns
    -------
    dict of str to int
        `events`, `objects`, `relations` and `event_types`.

    """
    return {
        "events": len(log.events),
        "objects": len(log.objects),
        "relations": sum(len(objects) for _, _, objects in log.events),
        "event_types": len(log.types),
    }


_json = json.JSONEncoder(ensure_ascii=False).encode


def ocel(log: ObjectLog) -> tuple[bytes, bytes]:
    """Write JSON and XML, one event or object a line, times in UTC; the same bytes for the same log.

    What XML cannot hold becomes U+FFFD there.

    Parameters
    ----------
    log : ObjectLog
        The log by objects.

    Returns
    -------
    (bytes, bytes)
        JSON, XML; both in UTF-8.

    """
    parts: tuple[tuple[str, str, Iterable[JsonDict]], ...] = (
        ("objectTypes", "object-type", (_type(*kind) for kind in OBJECTS.items())),
        ("eventTypes", "event-type", (_type(name, _EVENT) for name in log.types)),
        ("objects", "object", log.objects.values()),
        ("events", "event", (_event(*row) for row in log.events)),
    )
    as_json, as_xml = BytesIO(), BytesIO()
    as_xml.write(b'<?xml version="1.0" encoding="UTF-8"?>\n<log>\n')
    for at, (name, tag, records) in enumerate(parts):
        as_json.write(f'{"," if at else "{"}\n"{name}": [\n'.encode())
        as_xml.write(f"<{tag}s>\n".encode())
        for number, record in enumerate(records):
            as_json.write(((",\n" if number else "") + _json(record)).encode())
            as_xml.write(f"{_xml(tag, record)}\n".encode())
        as_json.write(b"\n]")
        as_xml.write(f"</{tag}s>\n".encode())
    as_json.write(b"\n}\n")
    as_xml.write(b"</log>\n")
    return as_json.getvalue(), as_xml.getvalue()


def _type(name: str, attributes: Mapping[str, str]) -> JsonDict:
    return {"name": name, "attributes": [{"name": key, "type": kind} for key, kind in attributes.items()]}


def _event(id_: str, event: TracedEvent, objects: Mapping[str, str]) -> JsonDict:
    facts: dict[str, str | bool] = {"precision": event.precision, "stated": event.timestamp}
    facts |= _instants(until=event.until, finish=event.finish)
    facts |= {"open": event.open} if event.open else {}
    facts |= {"approximate": True} if event.approximate else {}
    return {
        "id": id_,
        "type": event.activity,
        "time": milliseconds(event.start),
        "attributes": [{"name": key, "value": value} for key, value in facts.items()],
        "relationships": [{"objectId": one, "qualifier": what} for one, what in objects.items()],
    }


def _xml(tag: str, record: JsonDict) -> str:
    """Return a record of OCEL's JSON as the element of its XML."""
    own = "".join(
        [f' {key}="{id_in_xml(record[key])}"' for key in ("id", "name", "type", "time") if key in record]
    )
    held = "".join(map(_attribute, record["attributes"]))
    objects = "".join(
        [
            f'<relationship object-id="{id_in_xml(one["objectId"])}" qualifier="{one["qualifier"]}"/>'
            for one in record.get("relationships", ())
        ]
    )
    about = f"<objects>{objects}</objects>" if objects else "<objects/>" if tag == "object" else ""
    return f"<{tag}{own}><attributes>{held}</attributes>{about}</{tag}>"


def _attribute(one: JsonDict) -> str:
    if "value" not in one:
        return f'<attribute name="{one["name"]}" type="{one["type"]}"/>'
    value = one["value"]
    text = in_xml(value) if isinstance(value, str) else _json(value)
    time = f' time="{one["time"]}"' if "time" in one else ""
    return f'<attribute name="{one["name"]}"{time}>{text}</attribute>'
