"""The picture of a process: a timeline of few cases, the directly-follows graph of many."""

from collections.abc import Sequence

from corpusgraph.tasks.export.pictures import follows as dfg
from corpusgraph.tasks.export.pictures import timeline as lanes
from corpusgraph.tasks.export.pictures.draw import Files
from corpusgraph.tasks.export.pictures.frame import TOP, finished, plural
from corpusgraph.tasks.export.pictures.letters import number
from corpusgraph.tasks.export.pictures.page import Page
from corpusgraph.tasks.prepare.process.nouns import ProcessTrace

MOST_EVENTS = 150
MOST_CASES = 25
"""More do not fit a timeline."""


def process_picture(trace: ProcessTrace) -> Files:
    """Return the course of events as `figure.png` and `figure.svg`.

    Up to 25 cases and 150 events are a timeline with a band for each case, and so are more where hardly any
    activity occurs twice; others are a directly-follows graph. Groups of the SVG are `event-1`, or `node-1`
    and `edge-1`, numbered in the order of the trace. The caption says what is left out.
    """
    page = Page(0.0)
    title = f"{plural(len(trace.events), 'event')} in {plural(len(trace.cases), 'case')}"
    if not trace.events:
        return finished(page, title=title, caption=_caption(trace, []), below=TOP)
    if _is_flow(trace):
        below, left = dfg.follows(page, trace)
        said = [f"Directly-follows graph of {plural(len(trace.activities), 'activity', 'activities')}.", left]
        return finished(
            page, title=title, caption=_caption(trace, said), entries=dfg.signs(trace), below=below
        )
    shown = _chosen(trace)
    below, stretched = lanes.timeline(page, trace, shown)
    said = ["The axis is stretched where events crowd: read times off its dates."] if stretched else []
    if len(shown) < len(trace.events):
        hidden = plural(len(trace.events) - len(shown), "event")
        said.append(f"Left out of the picture: {hidden}; drawn are the cases with most events.")
    return finished(
        page, title=title, caption=_caption(trace, said), entries=lanes.signs(trace, shown), below=below
    )


def _is_flow(trace: ProcessTrace) -> bool:
    large = len(trace.cases) > MOST_CASES or len(trace.events) > MOST_EVENTS
    return large and 2 * len(trace.activities) <= len(trace.events)


def _chosen(trace: ProcessTrace) -> list[int]:
    """Return the events to draw: those of the cases with most events, evenly spread over a case cut short."""
    of_case: dict[str, list[int]] = {}
    for at, event in enumerate(trace.events):
        of_case.setdefault(event.case, []).append(at)
    chosen: list[int] = []
    order = sorted(of_case.values(), key=lambda events: (-len(events), events[0]))
    for events in order[:MOST_CASES]:
        room = MOST_EVENTS - len(chosen)
        step = max(1, -(-len(events) // room)) if room else 0
        chosen += events[::step] if step else []
    return sorted(chosen)


def _caption(trace: ProcessTrace, said: Sequence[str]) -> list[str]:
    words = [text for text in said if text]
    if trace.set_aside:
        words.append(f"{plural(len(trace.set_aside), 'event')} without a readable time or case set aside.")
    if trace.ties:
        words.append(f"{plural(len(trace.ties), 'group')} of events share a time at this resolution.")
    words.append(f"Resolution: {trace.temporal_resolution}, UTC.")
    return [" ".join(words), *_weighed(trace)]


def _weighed(trace: ProcessTrace) -> list[str]:
    """Return what the evidence does to each hypothesis."""
    prior = {test.hypothesis: test.prior for test in reversed(trace.evidence_tests)}
    return [
        f"Hypothesis {name}: probability {number(prior[name])} before the evidence, {number(after)} after it."
        for name, after in sorted(trace.posteriors.items())
        if name in prior
    ]
