"""Event logs as XES (IEEE 1849-2016, kept by 1849-2023): concept, time, lifecycle, organizational extensions.

r4pm 0.6 writes XES too. Ours stays: three runs of r4pm on one log gave three different files (attributes come
in hash order), where a bundle must be the same twice, and it is 47 MB to install. It reads ours in the tests.
"""

from collections.abc import Callable, Sequence
from functools import lru_cache
from io import BytesIO
from itertools import groupby
from operator import attrgetter, itemgetter

from corpusgraph.tasks.export.process.xml_text import id_in_xml, in_xml, is_legal, is_plain
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
            rows.append((at[0], _event(at[1], "complete", common, _bounds(event, stated))))
            continue
        lasting = True
        rows.append((at[0], _event(at[1], "start", common, _bounds(event, stated))))
        rows.append((event.finish[:-1], _event(milliseconds(event.finish), "complete", common)))
    if lasting:  # else they are in order as they come
        rows.sort(key=itemgetter(0))
    return [text for _, text in rows]


def _event(when: str, transition: str, common: str, bounds: str = "") -> str:
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


def _bounds(event: TracedEvent, stated: str) -> str:
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
