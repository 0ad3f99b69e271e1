"""Event logs as XES (IEEE 1849-2016, kept by 1849-2023): concept, time, lifecycle, organizational extensions.

r4pm 0.6 writes XES too. Ours stays: three runs of r4pm on one log gave three different files (attributes come
in hash order), where a bundle must be the same twice, and it is 47 MB to install. It reads ours in the tests.
"""

from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import groupby

from corpusgraph.tasks.export.process.xml_text import id_in_xml, in_xml, is_legal
from corpusgraph.tasks.prepare.process.instants import in_common_calendar
from corpusgraph.tasks.prepare.process.nouns import ProcessTrace, TracedEvent

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
    parts = [_HEAD.replace("{name}", in_xml(name))]
    for case, events in groupby(trace.events, key=lambda event: event.case):
        rows = [row for event in events for row in _rows(event)]
        rows.sort(key=lambda row: row[0])
        if rows:
            parts.append(f'  <trace>\n    <string key="concept:name" value="{id_in_xml(case)}"/>\n')
            parts += [text for _, text in rows]
            parts.append("  </trace>\n")
    return "".join([*parts, "</log>\n"]).encode()


def _rows(event: TracedEvent) -> Iterator[tuple[str, str]]:
    """Yield the event, or its start and its completion, each with its instant as text that sorts."""
    if not in_common_calendar(event.start):
        return
    common = _common(event)
    if not event.finish or not in_common_calendar(event.finish):
        yield event.start[:-1], _event(event.start, "complete", common + _bounds(event))
        return
    yield event.start[:-1], _event(event.start, "start", common + _bounds(event))
    yield event.finish[:-1], _event(event.finish, "complete", common)


def _event(when: str, transition: str, rest: str) -> str:
    return (
        f'    <event>\n      <date key="time:timestamp" value="{milliseconds(when)}"/>\n'
        f'      <string key="lifecycle:transition" value="{transition}"/>\n{rest}    </event>\n'
    )


def _common(event: TracedEvent) -> str:
    text = (
        f'      <string key="concept:name" value="{_known(event.activity)}"/>\n'
        f'      <string key="concept:instance" value="{id_in_xml(event.id)}"/>\n'
    )
    if event.actors:
        text += f'      <string key="org:resource" value="{_known("; ".join(event.actors))}"/>\n'
    if event.places:
        text += f'      <string key="place" value="{_known("; ".join(event.places))}"/>\n'
    return text


def _bounds(event: TracedEvent) -> str:
    text = (
        f'      <string key="precision" value="{event.precision}"/>\n'
        f'      <string key="stated" value="{_known(event.timestamp)}"/>\n'
    )
    if in_common_calendar(event.until):
        text += f'      <date key="until" value="{milliseconds(event.until)}"/>\n'
    if event.open:
        text += f'      <string key="open" value="{event.open}"/>\n'
    return text + ('      <boolean key="approximate" value="true"/>\n' if event.approximate else "")


@lru_cache(maxsize=65_536)
def _known(text: str) -> str:
    return in_xml(text)


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
    return tuple(event.id for event in trace.events if not is_legal("".join(_texts(event))))


def _texts(event: TracedEvent) -> Sequence[str]:
    return event.activity, event.case, event.id, event.timestamp, *event.actors, *event.places


def beyond_calendar(trace: ProcessTrace) -> tuple[str, ...]:
    """Return the ids of the events outside the years 1 to 9999, which no reader of XES and OCEL takes."""
    return tuple(event.id for event in trace.events if not in_common_calendar(event.start))
