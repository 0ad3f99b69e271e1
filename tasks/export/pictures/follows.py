"""The directly-follows graph: activities in layers, how often one follows another, first and last ones."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

from corpusgraph.tasks.export.pictures.arrows import ROOM_FOR_LOOPS, Box, arrow, free_spot, loop
from corpusgraph.tasks.export.pictures.frame import MARGIN, NARROWEST, TOP, plural
from corpusgraph.tasks.export.pictures.letters import number, width
from corpusgraph.tasks.export.pictures.nodes import Entry, Kind, label, node, sign_of, sign_of_arrow, size_of
from corpusgraph.tasks.export.pictures.pack import packed
from corpusgraph.tasks.export.pictures.page import Look, Page, Point
from corpusgraph.tasks.export.pictures.style import BLUE, GREEN, GREY, INK, ORANGE, SMALL, WHITE, mixed
from corpusgraph.tasks.prepare.process.nouns import Follows, ProcessTrace

MOST_ACTIVITIES = 20
MOST_ARROWS = 40
_ENDS = 6
"""Activities with an arrow from the start, and to the end: those of most cases."""
_START = Kind("ellipse", Look(fill=mixed(GREEN, 0.6), edge=INK, width=1.0), "cases begin")
_END = Kind("square", Look(fill=mixed(ORANGE, 0.6), edge=INK, width=1.0), "cases end")
_UNSURE = (3.0, 2.0)


@dataclass(frozen=True)
class _Arrow:
    """An arrow of the graph by its place in the trace, or one from the start or to the end."""

    gid: str
    ends: tuple[int, int]
    count: int
    dashed: bool
    hint: str


def follows(page: Page, trace: ProcessTrace) -> tuple[float, str]:
    """Draw the most frequent activities and arrows; return where the drawing ends and what is left out."""
    names = sorted(trace.activities, key=lambda name: (-trace.activities[name], name))[:MOST_ACTIVITIES]
    joined = {end for one in _arrows(trace, names) for end in one.ends}
    names = [name for at, name in enumerate(names) if at in joined]
    arrows = _arrows(trace, names)
    texts = [[*label(name, room=110), f"{trace.activities[name]:,}"] for name in names]
    ends = [(kind, [word]) for kind, word in ((_START, "start"), (_END, "end"))]
    kinds = [*(_kind(trace, name) for name in names), *(kind for kind, _ in ends)]
    lines = [*texts, *(words for _, words in ends)]
    sizes = [size_of(text, kind.shape) for text, kind in zip(lines, kinds, strict=True)]
    gap = ROOM_FOR_LOOPS if any(one.ends[0] == one.ends[1] for one in arrows) else 14.0
    plan = packed(
        sizes,
        [one.ends for one in arrows],
        left=MARGIN + 6,
        top=TOP + 16,
        room=900,
        downward=True,
        gap_across=gap,
    )
    page.width = max(plan.width + 2 * MARGIN + 20, NARROWEST)
    most = max((one.count for one in arrows), default=1)
    marks = [_drawn(page, one, plan.curves.get(at), plan.boxes, most) for at, one in enumerate(arrows)]
    taken: list[tuple[float, float, float]] = []
    for curve, count, gid in marks:
        half = width(count, SMALL) / 2 + 1.5
        spot = free_spot(curve, half, taken)
        if spot is None:
            continue  # the group's title has the number
        x, y = spot
        page.rectangle(x - half, y - 5, 2 * half, 10, Look(fill=WHITE, alpha=0.85))
        page.text(x, y, count, size=SMALL, anchor="middle", gid=f"{gid}-text")
    order = {name: at for at, name in enumerate(trace.activities)}
    gids = [*(f"node-{order[name] + 1}" for name in names), "start", "end"]
    for at, (kind, text, gid) in enumerate(zip(kinds, lines, gids, strict=True)):
        if at < len(names):
            page.hint(gid, f"{names[at]}: {trace.activities[names[at]]}")
        node(page, plan.boxes[at], kind, text, gid)
    return page.settle(MARGIN, TOP + 6), _left_out(trace, names, arrows)


def signs(trace: ProcessTrace) -> list[Entry]:
    """Return the legend of a directly-follows graph."""
    found = [sign_of(_START), sign_of(_END)]
    found.append(sign_of_arrow(Look(edge=INK, width=1.6), "directly followed by, so many times"))
    if any(_is_unsure(one) for one in trace.directly_follows):
        found.append(sign_of_arrow(Look(edge=INK, width=1.2, dash=_UNSURE), "order mostly uncertain"))
    return found


def _kind(trace: ProcessTrace, name: str) -> Kind:
    share = trace.activities[name] / max(trace.activities.values())
    return Kind("box", Look(fill=mixed(BLUE, 0.08 + 0.5 * share), edge=INK, width=0.8), "")


def _is_unsure(one: Follows) -> bool:
    return 2 * one.n_certain < one.count


def _arrows(trace: ProcessTrace, names: Sequence[str]) -> list[_Arrow]:
    """Return the most frequent arrows among the activities; the first and the last of cases have theirs."""
    at = {name: place for place, name in enumerate(names)}
    inside = [
        (place, one)
        for place, one in enumerate(trace.directly_follows)
        if one.source in at and one.target in at
    ]
    inside.sort(key=lambda pair: (-pair[1].count, pair[0]))
    found = [
        _Arrow(f"edge-{place + 1}", (at[one.source], at[one.target]), one.count, _is_unsure(one), _told(one))
        for place, one in sorted(inside[:MOST_ARROWS], key=lambda pair: pair[0])
    ]
    begin, end = len(names), len(names) + 1
    for name, n in _most(trace.start_activities, at):
        found.append(_Arrow(f"start-{at[name] + 1}", (begin, at[name]), n, False, f"{n} begin: {name}"))
    for name, n in _most(trace.end_activities, at):
        found.append(_Arrow(f"end-{at[name] + 1}", (at[name], end), n, False, f"{n} end: {name}"))
    return found


def _most(counts: Mapping[str, int], among: Collection[str]) -> list[tuple[str, int]]:
    """Return the activities with which most cases begin or end."""
    return sorted(((a, n) for a, n in counts.items() if a in among), key=lambda p: (-p[1], p[0]))[:_ENDS]


def _told(one: Follows) -> str:
    days = number(one.mean_seconds / 86_400)
    return f"{one.source} → {one.target}: {one.count} times, {one.n_certain} certain, {days} days on average"


def _drawn(
    page: Page, one: _Arrow, curve: list[Point] | None, boxes: dict[int, Box], most: int
) -> tuple[list[Point], str, str]:
    colour = GREY if one.gid.startswith(("start", "end")) else INK
    look = Look(edge=colour, width=0.7 + 2.0 * one.count / most, dash=_UNSURE if one.dashed else ())
    page.hint(one.gid, one.hint)
    if curve is None:
        at = loop(page, boxes[one.ends[0]], look, one.gid, beside=True)
        return [at] * 4, f"{one.count:,}", one.gid
    arrow(page, curve, look, one.gid)
    return curve, f"{one.count:,}", one.gid


def _left_out(trace: ProcessTrace, names: Sequence[str], arrows: Sequence[_Arrow]) -> str:
    drawn = sum(one.gid.startswith("edge-") for one in arrows)
    hidden = len(trace.activities) - len(names), len(trace.directly_follows) - drawn
    ends = len(trace.start_activities) > _ENDS or len(trace.end_activities) > _ENDS
    told = f" Start and end have the {_ENDS} arrows of most cases." if ends else ""
    if not any(hidden):
        return told.strip()
    left = f"{plural(hidden[0], 'activity', 'activities')} and {plural(hidden[1], 'arrow')}"
    return f"Left out of the picture: {left}, the least frequent ones.{told}"
