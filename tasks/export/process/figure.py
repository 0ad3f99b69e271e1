"""The picture of a process: a timeline of few cases, the directly-follows graph of many."""

import math
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from matplotlib.ticker import MaxNLocator

from corpusgraph.tasks.analysis.process.models import Follows, ProcessTrace, TracedEvent
from corpusgraph.tasks.analysis.process.timestamps import (
    DAY,
    LENGTH,
    Unit,
    civil,
    label,
    midnight,
    read_iso,
)
from corpusgraph.tasks.export.figures.network import (
    Arrow,
    Kind,
    Node,
    draw_network,
    packed,
    sign_of,
    sign_of_arrow,
)
from corpusgraph.tasks.export.figures.network import label as label_lines
from corpusgraph.tasks.export.figures.page import (
    BLUE,
    GREEN,
    GREY,
    INK,
    MARGIN,
    NARROWEST,
    ORANGE,
    PALE,
    PAPER,
    SMALL,
    TOP,
    WHITE,
    Entry,
    Look,
    Page,
    elided,
    mixed,
    number,
    picture,
    plural,
    width,
    wrapped,
)
from corpusgraph.tasks.export.files import Files

MOST_ACTIVITIES = 20
MOST_ARROWS = 40
_ENDS = 6
"""Activities with an arrow from the start, and to the end: those of most cases."""
_START = Kind("ellipse", Look(fill=mixed(GREEN, 0.6), edge=INK, width=1.0), "cases begin")
_END = Kind("square", Look(fill=mixed(ORANGE, 0.6), edge=INK, width=1.0), "cases end")
_UNSURE = (3.0, 2.0)


def follows(page: Page, trace: ProcessTrace) -> tuple[float, str]:
    """Draw the most frequent activities and arrows; return where the drawing ends and what is left out.

    Parameters
    ----------
    page : Page
        Drawn on; its width is set.
    trace : ProcessTrace
        A trace with at least one event.

    Returns
    -------
    (float, str)
        In points from the top of the page; a sentence or nothing.

    """
    names = sorted(trace.activities, key=lambda name: (-trace.activities[name], name))[:MOST_ACTIVITIES]
    joined = {end for one in _arrows(trace, names) for end in one.ends}
    names = [name for at, name in enumerate(names) if at in joined]
    arrows = _arrows(trace, names)
    order, most = list(trace.activities), max(trace.activities.values())
    nodes = []
    for name in names:
        n = trace.activities[name]
        kind = Kind("box", Look(fill=mixed(BLUE, 0.08 + 0.5 * n / most), edge=INK, width=0.8), "")
        lines = [*label_lines(name, room=110), f"{n:,}"]
        nodes.append(Node(kind, lines, f"node-{order.index(name) + 1}", f"{name}: {n}"))
    nodes += [Node(_START, ["start"], "start"), Node(_END, ["end"], "end")]
    sizes, ends = [one.size for one in nodes], [one.ends for one in arrows]
    plan = packed(sizes, ends, left=MARGIN + 6, top=TOP + 16, room=900, downward=True, gap_across=14.0)
    page.width = max(plan.width + 2 * MARGIN + 20, NARROWEST)
    draw_network(page, plan, nodes, arrows)
    return page.settle(), _left_out(trace, names, arrows)


def follows_legend(trace: ProcessTrace) -> list[Entry]:
    """Return the legend of a directly-follows graph.

    Parameters
    ----------
    trace : ProcessTrace
        The trace.

    Returns
    -------
    list of Entry
        How each sign is drawn, and what it means.

    """
    signs = [sign_of(_START), sign_of(_END)]
    signs.append(sign_of_arrow(Look(edge=INK, width=1.6), "directly followed by, so many times"))
    if any(_is_order_unsure(one) for one in trace.directly_follows):
        signs.append(sign_of_arrow(Look(edge=INK, width=1.2, dash=_UNSURE), "order mostly uncertain"))
    return signs


def _is_order_unsure(one: Follows) -> bool:
    return 2 * one.n_certain < one.count


def _arrows(trace: ProcessTrace, names: Sequence[str]) -> list[Arrow]:
    """Return the most frequent arrows among the activities; the first and the last of cases have theirs."""
    at = {name: place for place, name in enumerate(names)}
    inside = [
        (place, one)
        for place, one in enumerate(trace.directly_follows, 1)
        if one.source in at and one.target in at
    ]
    inside = sorted(sorted(inside, key=lambda pair: (-pair[1].count, pair[0]))[:MOST_ARROWS])
    begin, end = len(names), len(names) + 1
    drawn: list[tuple[str, tuple[int, int], int, str, str, tuple[float, ...]]] = []
    for place, one in inside:
        told = f"{one.source} → {one.target}: {one.count} times, {one.n_certain} certain,"
        told += f" {number(one.mean_seconds / 86_400)} days on average"
        dash = _UNSURE if _is_order_unsure(one) else ()
        drawn.append((f"edge-{place}", (at[one.source], at[one.target]), one.count, told, INK, dash))
    for name, n in _most(trace.start_activities, at):
        drawn.append((f"start-{at[name] + 1}", (begin, at[name]), n, f"{n} begin: {name}", GREY, ()))
    for name, n in _most(trace.end_activities, at):
        drawn.append((f"end-{at[name] + 1}", (at[name], end), n, f"{n} end: {name}", GREY, ()))
    most = max((n for _, _, n, *_ in drawn), default=1)
    return [
        Arrow(ends, Look(edge=edge, width=0.7 + 2.0 * n / most, dash=dash), gid, hint, mark=f"{n:,}")
        for gid, ends, n, hint, edge, dash in drawn
    ]


def _most(counts: Mapping[str, int], among: Collection[str]) -> list[tuple[str, int]]:
    """Return the activities with which most cases begin or end."""
    return sorted(((a, n) for a, n in counts.items() if a in among), key=lambda p: (-p[1], p[0]))[:_ENDS]


def _left_out(trace: ProcessTrace, names: Sequence[str], arrows: Sequence[Arrow]) -> str:
    drawn = sum(one.gid.startswith("edge-") for one in arrows)
    hidden = len(trace.activities) - len(names), len(trace.directly_follows) - drawn
    ends = len(trace.start_activities) > _ENDS or len(trace.end_activities) > _ENDS
    told = f" Start and end have the {_ENDS} arrows of most cases." if ends else ""
    if not any(hidden):
        return told.strip()
    left = f"{plural(hidden[0], 'activity', 'activities')} and {plural(hidden[1], 'arrow')}"
    return f"Left out of the picture: {left}, the least frequent ones.{told}"


PAGE = 760.0
_NAMES = 128.0
"""Room for the names of cases."""
_LANE = 11.5
_LABEL = 150.0
_MARK = 5.0
SURE = Look(fill=BLUE)
UNSURE = Look(fill=mixed(ORANGE, 0.55), edge=ORANGE, width=0.6)
LASTING = Look(edge=BLUE, width=2.0)


@dataclass(frozen=True)
class _Placed:
    """An event with its place along the axis, and the room it takes with its label."""

    at: int
    event: TracedEvent
    begin: float
    end: float
    finish: float
    label: str
    label_at: float
    low: float
    high: float


class TimeAxis:
    """Places on the page from `left` to `right` for instants (microseconds) from the first to the last.

    Where more than half of the events lie in a fifth of the time, the axis is `stretched` there: two thirds
    of its length go to events, one third to time, and it is still monotone.

    Parameters
    ----------
    starts : sequence of int
        When events begin, in microseconds from 1970, in any order.
    first, last : int
        Ends of the axis, in microseconds from 1970.
    left, right : float
        In points.

    """

    def __init__(self, starts: Sequence[int], first: int, last: int, left: float, right: float) -> None:
        self.first, self.last = first, max(last, first + 1)
        self.left, self.right = left, right
        ordered, half = sorted(starts), len(starts) // 2
        gaps = [b - a for a, b in zip(ordered, ordered[half:], strict=False)]
        self.stretched = len(starts) >= 8 and min(gaps) < (self.last - first) * 0.2
        knots = {first: 0.0, self.last: 1.0}
        for at in range(1, 40) if self.stretched else ():
            time = ordered[at * (len(ordered) - 1) // 40]
            if first < time < self.last:
                knots[time] = 0.65 * at / 40 + 0.35 * (time - first) / (self.last - first)
        self._times, self._shares = zip(*sorted(knots.items()), strict=True)

    def at(self, instant: int) -> float:
        """Return where an instant stands, in points; those before the first or after the last at the ends.

        Parameters
        ----------
        instant : int
            Microseconds from 1970.

        Returns
        -------
        float
            Between `left` and `right`; linear between knots.

        """
        share = float(np.interp(instant, self._times, self._shares))
        return self.left + share * (self.right - self.left)

    def ticks(self) -> list[tuple[float, str]]:
        """Return places and dates, none over another: round ones, or on a stretched axis evenly spread.

        Returns
        -------
        list of (float, str)
            In points, from left to right.

        """
        end, ticks = -math.inf, []
        unit, instants = self._spread() if self.stretched else self._round()
        for instant in sorted(set(instants)):
            if not self.first <= instant <= self.last:
                continue
            x, text = self.at(instant), label(instant, unit)
            half = width(text, SMALL) / 2 + 5
            if x - half > end:
                ticks.append((x, text))
                end = x + half
        return ticks or [(self.left, label(self.first, "day"))]

    def _spread(self) -> tuple[Unit, list[int]]:
        unit: Unit = "year" if self.last - self.first > 4_000 * LENGTH["year"] else "day"
        found = np.interp(np.linspace(0, 1, 25), self._shares, self._times)
        return unit, [instant if unit == "year" else instant // DAY * DAY for instant in map(int, found)]

    def _round(self) -> tuple[Unit, list[int]]:
        low, high = civil(self.first // DAY)[0], civil(self.last // DAY)[0]
        if high - low > 3:
            years = MaxNLocator(12, steps=[1, 2, 5, 10], integer=True).tick_values(low, high)
            return "year", [midnight(round(year)) for year in years]
        units: tuple[Unit, ...] = ("month", "day", "minute", "second")
        unit: Unit = next((u for u in units if self.last - self.first >= 4 * LENGTH[u]), "second")
        if unit == "month":
            months = range(12 * low, 12 * high + 13, 1 if high == low else 3)
            return unit, [midnight(month // 12, month % 12 + 1) for month in months]
        each = DAY if unit == "day" else LENGTH[unit]
        year, month, _ = civil(self.first // DAY)
        begin = midnight(year, month) if unit == "day" else self.first // DAY * DAY
        steps = [1, 2, 5, 10] if unit == "day" else [1, 1.5, 3, 6, 10]
        locator = MaxNLocator(9 if unit == "day" else 5, steps=steps, integer=True)
        counted = locator.tick_values((self.first - begin) / each, (self.last - begin) / each)
        return unit, [begin + round(n) * each for n in counted]


def timeline(page: Page, trace: ProcessTrace, shown: Sequence[int]) -> tuple[float, bool]:
    """Draw events (places in the trace), and return where the drawing ends and whether time is stretched.

    Parameters
    ----------
    page : Page
        Drawn on; its width is set.
    trace : ProcessTrace
        The trace.
    shown : sequence of int
        Places of events in the trace, at least one.

    Returns
    -------
    (float, bool)
        The end in points from the top of the page.

    """
    page.width = PAGE
    bands: dict[str, list[int]] = {}
    starts, ends = list[int](), list[int]()
    for at in shown:
        event = trace.events[at]
        bands.setdefault(event.case, []).append(at)
        starts.append(read_iso(event.start))
        ends.extend(read_iso(end) for end in (event.until, event.finish) if end)
    axis = TimeAxis(starts, min(starts), max(ends), MARGIN + _NAMES + 8, PAGE - MARGIN - 8)
    y = TOP + 16
    for band, (case, events) in enumerate(bands.items()):
        placed = sorted((_placed(axis, at, trace.events[at]) for at in events), key=lambda p: (p.begin, p.at))
        y = _band(page, case, placed, y, shaded=band % 2 == 0)
    for x, text in axis.ticks():
        page.line([(x, TOP + 13), (x, y)], Look(edge=PALE, width=0.6), layer=1.5)
        page.text(x, TOP + 6, text, size=SMALL, colour=INK, anchor="middle")
    return y + 4, axis.stretched


def timeline_legend(trace: ProcessTrace, shown: Sequence[int]) -> list[Entry]:
    """Return the legend of a timeline.

    Parameters
    ----------
    trace : ProcessTrace
        The trace.
    shown : sequence of int
        Places of the events that are drawn.

    Returns
    -------
    list of Entry
        How each sign is drawn, and what it means.

    """
    events = [trace.events[at] for at in shown]
    found: list[Entry] = [(lambda page, x, y: _mark(page, x, y, ""), "known to the day or better")]
    if any(_is_date_unsure(event) for event in events):
        found.append(
            (lambda page, x, y: page.rectangle(x - 10, y - 3, 20, 6, UNSURE), "some time in this span")
        )
    if any(event.finish for event in events):
        found.append((lambda page, x, y: page.line([(x - 10, y), (x + 10, y)], LASTING), "lasts until"))
    return found


def _is_date_unsure(event: TracedEvent) -> bool:
    return event.precision in {"month", "year", "range"} or event.approximate


def _placed(axis: TimeAxis, at: int, event: TracedEvent) -> _Placed:
    begin, end = axis.at(read_iso(event.start)), axis.at(read_iso(event.until))
    if not _is_date_unsure(event):
        begin = end = (begin + end) / 2
    finish = max(end, axis.at(read_iso(event.finish))) if event.finish else end
    circa = "c. " if event.approximate else {"start": "≤ ", "until": "≥ "}.get(event.open or "", "")
    first, last = begin - _MARK, max(finish, begin) + _MARK
    text = circa + " ".join(event.activity.split())
    rooms = {"right": PAGE - 6 - last, "left": first - 2 - axis.left, "inside": last - first - 12}
    need = width(text := elided(text, SMALL, _LABEL), SMALL)
    side = next((name for name, room in rooms.items() if need <= room), max(rooms, key=lambda n: rooms[n]))
    wide = width(text := elided(text, SMALL, rooms[side]), SMALL)
    if side == "right":
        return _Placed(at, event, begin, end, finish, text, last + 2, first, last + 2 + wide + 5)
    if side == "left":
        return _Placed(at, event, begin, end, finish, text, first - 2 - wide, first - 2 - wide - 3, last)
    return _Placed(at, event, begin, end, finish, text, begin + 4, first, last)


def _band(page: Page, case: str, placed: Sequence[_Placed], top: float, *, shaded: bool) -> float:
    """Draw the events of a case in as few lanes as keep bars and labels apart."""
    lanes: list[list[_Placed]] = []
    for one in placed:
        free = (lane for lane in lanes if all(one.low >= o.high or o.low >= one.high for o in lane))
        lane = next(free, None)
        if lane is None:
            lanes.append(lane := [])
        lane.append(one)
    names = wrapped(case, SMALL, _NAMES, len(lanes), bold=True)
    high = len(lanes) * _LANE + 5
    look = Look(fill=PAPER if shaded else WHITE)
    page.rectangle(MARGIN - 4, top, PAGE - 2 * MARGIN + 8, high, look, f"case-{placed[0].at + 1}", layer=1.0)
    page.lines(MARGIN, top + 3, names, size=SMALL, bold=True, gid="case-text")
    lane_of = {one.at: at for at, lane in enumerate(lanes) for one in lane}
    for one in placed:
        _event(page, one, top + 2.5 + (lane_of[one.at] + 0.5) * _LANE)
    return top + high


def _event(page: Page, one: _Placed, y: float) -> None:
    gid = f"event-{one.at + 1}"
    page.hint(gid, f"{one.event.timestamp}: {one.event.activity}")
    if _is_date_unsure(one.event):
        page.rectangle(one.begin, y - 3, max(one.end - one.begin, 2.5), 6, UNSURE, gid)
    else:
        _mark(page, one.begin, y, gid)
    if one.finish > one.end:
        page.line([(one.end, y), (one.finish, y)], LASTING, f"{gid}-finish")
    page.text(one.label_at, y, one.label, size=SMALL, colour=INK, gid=f"{gid}-text")


def _mark(page: Page, x: float, y: float, gid: str) -> None:
    page.polygon([(x, y - 4), (x + 3.2, y), (x, y + 4), (x - 3.2, y)], SURE, gid)


MOST_EVENTS = 150
MOST_CASES = 25
"""More do not fit a timeline."""


@picture
def process_picture(trace: ProcessTrace) -> Files:
    """Return the course of events as `figure.png` and `figure.svg`.

    Up to 25 cases and 150 events are a timeline with a band for each case, and so are more where hardly any
    activity occurs twice; others are a directly-follows graph. Groups of the SVG are `event-1`, or `node-1`
    and `edge-1`, numbered in the order of the trace. The caption says what is left out.

    Parameters
    ----------
    trace : ProcessTrace
        The trace.

    Returns
    -------
    dict of str to bytes
        Two files, the same bytes for the same trace.

    """
    page, below, said, entries = Page(0.0), TOP, list[str](), list[Entry]()
    is_large = len(trace.cases) > MOST_CASES or len(trace.events) > MOST_EVENTS
    if is_large and 2 * len(trace.activities) <= len(trace.events):
        below, left = follows(page, trace)
        said = [f"Directly-follows graph of {plural(len(trace.activities), 'activity', 'activities')}.", left]
        entries = follows_legend(trace)
    elif shown := _chosen(trace):
        below, stretched = timeline(page, trace, shown)
        if stretched:
            said.append("The axis is stretched where events crowd: read times off its dates.")
        if hidden := len(trace.events) - len(shown):
            left = plural(hidden, "event")
            said.append(f"Left out of the picture: {left}; drawn are the cases with most events.")
        entries = timeline_legend(trace, shown)
    title = f"{plural(len(trace.events), 'event')} in {plural(len(trace.cases), 'case')}"
    return page.finished(title=title, caption=_caption(trace, said), entries=entries, below=below)


def _chosen(trace: ProcessTrace) -> list[int]:
    """Return the events to draw: those of the cases with most events, evenly spread over a case cut short."""
    of_case: dict[str, list[int]] = {}
    for at, event in enumerate(trace.events):
        of_case.setdefault(event.case, []).append(at)
    chosen: list[int] = []
    order = sorted(of_case.values(), key=lambda events: (-len(events), events[0]))
    for events in order[:MOST_CASES]:
        if room := MOST_EVENTS - len(chosen):
            chosen += events[:: -(-len(events) // room)]
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
