"""Events on a time axis, a band for each case: what is exact is a mark, what is not is a bar."""

from collections.abc import Sequence
from dataclasses import dataclass

from corpusgraph.tasks.export.pictures.frame import MARGIN, TOP
from corpusgraph.tasks.export.pictures.letters import elided, width, wrapped
from corpusgraph.tasks.export.pictures.nodes import Entry
from corpusgraph.tasks.export.pictures.page import Look, Page
from corpusgraph.tasks.export.pictures.style import BLUE, INK, ORANGE, PALE, PAPER, SMALL, mixed
from corpusgraph.tasks.export.pictures.time_axis import TimeAxis
from corpusgraph.tasks.prepare.process.instants import read_iso
from corpusgraph.tasks.prepare.process.nouns import ProcessTrace, TracedEvent

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


def timeline(page: Page, trace: ProcessTrace, shown: Sequence[int]) -> tuple[float, bool]:
    """Draw events (places in the trace), and return where the drawing ends and whether time is stretched."""
    page.width = PAGE
    axis = _axis(trace, shown)
    bands: dict[str, list[int]] = {}
    for at in shown:
        bands.setdefault(trace.events[at].case, []).append(at)
    ticks, y = axis.ticks(), TOP + 16
    grid = len(page.shapes)
    for number, (case, events) in enumerate(bands.items()):
        placed = sorted((_placed(axis, at, trace.events[at]) for at in events), key=lambda p: (p.begin, p.at))
        y = _band(page, case, placed, y, shaded=number % 2 == 0)
    lines = Page(PAGE)
    for x, text in ticks:
        lines.line([(x, TOP + 13), (x, y)], Look(edge=PALE, width=0.6))
        page.text(x, TOP + 6, text, size=SMALL, colour=INK, anchor="middle")
    shaded = [shape for shape in page.shapes[grid:] if shape.gid.startswith("case-")]
    rest = [shape for shape in page.shapes[grid:] if not shape.gid.startswith("case-")]
    page.shapes[grid:] = [*shaded, *lines.shapes, *rest]
    return y + 4, axis.stretched


def signs(trace: ProcessTrace, shown: Sequence[int]) -> list[Entry]:
    """Return the legend of a timeline."""
    events = [trace.events[at] for at in shown]
    found: list[Entry] = [(lambda page, x, y: _mark(page, x, y, ""), "known to the day or better")]
    if any(_is_unsure(event) for event in events):
        found.append(
            (lambda page, x, y: page.rectangle(x - 10, y - 3, 20, 6, UNSURE), "some time in this span")
        )
    if any(event.finish for event in events):
        found.append((lambda page, x, y: page.line([(x - 10, y), (x + 10, y)], LASTING), "lasts until"))
    return found


def _is_unsure(event: TracedEvent) -> bool:
    return event.precision in {"month", "year", "range"} or event.approximate


def _axis(trace: ProcessTrace, shown: Sequence[int]) -> TimeAxis:
    events = [trace.events[at] for at in shown]
    starts = [read_iso(event.start) for event in events]
    ends = [read_iso(event.until) for event in events] + [read_iso(e.finish) for e in events if e.finish]
    left = MARGIN + _NAMES + 8
    return TimeAxis(starts, min(starts), max(ends), left, PAGE - MARGIN - 8)


def _placed(axis: TimeAxis, at: int, event: TracedEvent) -> _Placed:
    begin, end = axis.at(read_iso(event.start)), axis.at(read_iso(event.until))
    if not _is_unsure(event):
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
    lanes: list[list[tuple[float, float]]] = []
    lane_of = []
    for one in placed:
        free = (at for at, lane in enumerate(lanes) if all(one.low >= b or a >= one.high for a, b in lane))
        at = next(free, len(lanes))
        if at == len(lanes):
            lanes.append([])
        lanes[at].append((one.low, one.high))
        lane_of.append(at)
    names = wrapped(case, SMALL, _NAMES, max(1, len(lanes)), bold=True)
    high = max(len(lanes), 1) * _LANE + 5
    look = Look(fill=PAPER) if shaded else Look(fill="#FFFFFF")
    page.rectangle(MARGIN - 4, top, PAGE - 2 * MARGIN + 8, high, look, f"case-{placed[0].at + 1}")
    page.lines(MARGIN, top + 3, names, size=SMALL, bold=True, gid="case-text")
    for one, lane in zip(placed, lane_of, strict=True):
        _event(page, one, top + 2.5 + (lane + 0.5) * _LANE)
    return top + high


def _event(page: Page, one: _Placed, y: float) -> None:
    gid = f"event-{one.at + 1}"
    page.hint(gid, f"{one.event.timestamp}: {one.event.activity}")
    if _is_unsure(one.event):
        page.rectangle(one.begin, y - 3, max(one.end - one.begin, 2.5), 6, UNSURE, gid)
    else:
        _mark(page, one.begin, y, gid)
    if one.finish > one.end:
        page.line([(one.end, y), (one.finish, y)], LASTING, f"{gid}-finish")
    page.text(one.label_at, y, one.label, size=SMALL, colour=INK, gid=f"{gid}-text")


def _mark(page: Page, x: float, y: float, gid: str) -> None:
    page.polygon([(x, y - 4), (x + 3.2, y), (x, y + 4), (x - 3.2, y)], SURE, gid)
