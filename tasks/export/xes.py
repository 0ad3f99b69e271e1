"""Event logs as XES (IEEE 1849-2016) with the concept, time and organizational extensions."""

import re
from collections.abc import Sequence
from xml.sax.saxutils import quoteattr

from corpusgraph.tasks.prepare._process_nouns import ProcessTrace, TracedEvent

_NOT_XML = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")

_HEAD = """<?xml version="1.0" encoding="UTF-8"?>
<log xes.version="1849-2016" xmlns="http://www.xes-standard.org/">
  <extension name="Concept" prefix="concept" uri="http://www.xes-standard.org/concept.xesext"/>
  <extension name="Time" prefix="time" uri="http://www.xes-standard.org/time.xesext"/>
  <extension name="Organizational" prefix="org" uri="http://www.xes-standard.org/org.xesext"/>
  <global scope="trace">
    <string key="concept:name" value="unknown"/>
  </global>
  <global scope="event">
    <string key="concept:name" value="unknown"/>
    <date key="time:timestamp" value="1970-01-01T00:00:00.000Z"/>
  </global>
  <classifier name="Activity" keys="concept:name"/>"""


def xes(trace: ProcessTrace, name: str) -> bytes:
    """Write the log: one trace per case, one event per event, the same bytes for the same log.

    `time:timestamp` is the first instant an event's date can mean; `until` and `precision` say how exact
    it is. Several actors are joined by semicolons in `org:resource`. Characters that XML cannot hold
    become U+FFFD (`illegal_characters` lists the events).
    """
    lines = [_HEAD, _attribute("string", "concept:name", name, 1)]
    by_case: dict[str, list[TracedEvent]] = {}
    for event in trace.events:
        by_case.setdefault(event.case, []).append(event)
    for case, events in by_case.items():
        lines += ["  <trace>", _attribute("string", "concept:name", case, 2)]
        for event in events:
            lines += ["    <event>", *_event(event), "    </event>"]
        lines.append("  </trace>")
    return "\n".join([*lines, "</log>", ""]).encode()


def _event(event: TracedEvent) -> Sequence[str]:
    lines = [
        _attribute("string", "concept:name", event.activity, 3),
        _attribute("string", "concept:instance", event.id, 3),
        _attribute("date", "time:timestamp", _instant(event.start), 3),
        _attribute("date", "until", _instant(event.until), 3),
        _attribute("string", "precision", event.precision, 3),
        _attribute("string", "stated", event.timestamp, 3),
    ]
    if event.actors:
        lines.append(_attribute("string", "org:resource", "; ".join(event.actors), 3))
    if event.finish:
        lines.append(_attribute("date", "finish", _instant(event.finish), 3))
    return lines


def _attribute(kind: str, key: str, value: str, depth: int) -> str:
    legal = _NOT_XML.sub("\ufffd", value)
    text = quoteattr(legal, {"\n": "&#10;", "\t": "&#9;", "\r": "&#13;"})
    return f'{"  " * depth}<{kind} key="{key}" value={text}/>'


def _instant(iso: str) -> str:
    """Return an instant with milliseconds, as readers of XES expect it."""
    whole, _, fraction = iso.removesuffix("Z").partition(".")
    return f"{whole}.{fraction[:3] or '000'}Z"


def illegal_characters(trace: ProcessTrace) -> tuple[str, ...]:
    """Return the ids of the events with characters that XML cannot hold."""
    return tuple(
        event.id
        for event in trace.events
        if any(_NOT_XML.search(text) for text in (event.activity, event.case, event.id, *event.actors))
    )
