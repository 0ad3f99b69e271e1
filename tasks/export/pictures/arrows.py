"""Arrows between boxes: smooth through their bends, each with a place of its own on the box it reaches."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

from corpusgraph.tasks.export.pictures.layers import Edge, Layered, Point
from corpusgraph.tasks.export.pictures.page import Look, Page

_PORT = 9.0
"""Distance of two arrows on a side, at most."""
ROOM_FOR_LOOPS = 36.0
"""Distance of nodes where some have an edge to themselves."""
_BOWS = (1.0, 1.8, 2.8, 4.0, 5.5)
_STEPS = 16


@dataclass(frozen=True)
class Box:
    """A node on the page: its centre and half its size."""

    x: float
    y: float
    half_width: float
    half_height: float


def placed(
    plan: Layered, sizes: Sequence[Point], left: float, top: float, *, downward: bool
) -> dict[int, Box]:
    """Put the nodes of a plan on the page; sizes are (width, height)."""
    boxes = {}
    for v, (along, across) in plan.places.items():
        x, y = (across, along) if downward else (along, across)
        boxes[v] = Box(left + x, top + y, sizes[v][0] / 2, sizes[v][1] / 2)
    return boxes


def routes(
    plan: Layered, edges: Sequence[Edge], boxes: Mapping[int, Box], corner: Point, *, downward: bool
) -> dict[int, list[Point]]:
    """Return for each edge its cubic Béziers on the page, from a side of its source to one of its target."""
    ports = _ports(plan, edges, boxes, downward=downward)
    found = {}
    for at, points in plan.routes.items():
        a, b = edges[at]
        sign = -1.0 if at in plan.back else 1.0
        first, last = (
            _end(boxes[a], ports[at, 0], sign, downward),
            _end(boxes[b], ports[at, 1], -sign, downward),
        )
        bends = [(corner[0] + (y if downward else x), corner[1] + (x if downward else y)) for x, y in points]
        found[at] = _smooth([first, *bends[1:-1], last], downward=downward)
    return found


def _ports(
    plan: Layered, edges: Sequence[Edge], boxes: Mapping[int, Box], *, downward: bool
) -> dict[tuple[int, int], float]:
    """Return how far from the middle of the side each edge leaves (0) and arrives (1)."""
    sides: dict[tuple[int, bool], list[tuple[float, int, int]]] = {}
    for at, points in plan.routes.items():
        a, b = edges[at]
        ahead = at not in plan.back
        sides.setdefault((a, ahead), []).append((points[1][1], at, 0))
        sides.setdefault((b, not ahead), []).append((points[-2][1], at, 1))
    found = {}
    for (v, _), ends in sides.items():
        box = boxes[v]
        side = 2 * (box.half_width if downward else box.half_height)
        step = min(_PORT, 0.8 * side / len(ends))
        for place, (_, at, end) in enumerate(sorted(ends)):
            found[at, end] = (place - (len(ends) - 1) / 2) * step
    return found


def _end(box: Box, port: float, sign: float, downward: bool) -> Point:
    if downward:
        return box.x + port, box.y + sign * box.half_height
    return box.x + sign * box.half_width, box.y + port


def _smooth(points: Sequence[Point], *, downward: bool) -> list[Point]:
    """Join points by curves that leave and arrive along the direction of the layers."""
    curve = [points[0]]
    for (x, y), (u, v) in pairwise(points):
        if downward:
            curve += [(x, y + (v - y) / 2), (u, v - (v - y) / 2), (u, v)]
        else:
            curve += [(x + (u - x) / 2, y), (u - (u - x) / 2, v), (u, v)]
    return curve


def arrow(page: Page, curve: Sequence[Point], look: Look, gid: str, *, head: str = "arrow") -> None:
    """Draw a curve of cubic Béziers with a head: arrow, tee (for an attack), both (two arrows) or none."""
    colour = look.edge or "#000000"
    long = 4.5 + 1.3 * look.width
    shortened = list(curve)
    ends = {"arrow": (True, False), "both": (True, True), "tee": (True, False)}.get(head, (False, False))
    tips = []
    for wanted, backward in zip(ends, (False, True), strict=True):
        if wanted:
            line = shortened[::-1] if backward else shortened
            tip, towards = line[-1], _direction(line)
            cut = long * 0.8 if head != "tee" else 1.2 + look.width
            line[-1] = (tip[0] - cut * towards[0], tip[1] - cut * towards[1])
            shortened = line[::-1] if backward else line
            tips.append((tip, towards))
    page.curve(shortened, look, gid)
    for at, (tip, towards) in enumerate(tips):
        name = f"{gid}-head" + ("" if at == 0 else f"-{at + 1}")
        if head == "tee":
            _tee(page, tip, towards, long, Look(edge=colour, width=look.width + 0.6), name)
        else:
            _head(page, tip, towards, long, Look(fill=colour, alpha=look.alpha), name)


def point(page: Page, curve: Sequence[Point], look: Look, gid: str, *, head: str) -> None:
    """Draw only the head at the end of a curve: an edge that shares its line with another."""
    long, colour = 4.5 + 1.3 * look.width, look.edge or "#000000"
    if head == "tee":
        _tee(page, curve[-1], _direction(curve), long, Look(edge=colour, width=look.width + 0.6), gid)
    else:
        _head(page, curve[-1], _direction(curve), long, Look(fill=colour), gid)


def _direction(curve: Sequence[Point]) -> Point:
    """Return the unit vector in which a curve arrives."""
    (x, y) = curve[-1]
    for u, v in reversed(curve[:-1]):
        if (far := math.hypot(x - u, y - v)) > 1e-6:
            return (x - u) / far, (y - v) / far
    return 1.0, 0.0


def _head(page: Page, tip: Point, towards: Point, long: float, look: Look, gid: str) -> None:
    (x, y), (dx, dy) = tip, towards
    half = 0.42 * long
    back = (x - long * dx, y - long * dy)
    wings = [(back[0] - half * dy, back[1] + half * dx), (back[0] + half * dy, back[1] - half * dx)]
    notch = (x - 0.72 * long * dx, y - 0.72 * long * dy)
    page.polygon([tip, wings[0], notch, wings[1]], look, gid)


def _tee(page: Page, tip: Point, towards: Point, long: float, look: Look, gid: str) -> None:
    (dx, dy), half = towards, 0.55 * long
    x, y = tip[0] - 1.2 * dx, tip[1] - 1.2 * dy
    page.line([(x - half * dy, y + half * dx), (x + half * dy, y - half * dx)], look, gid)


def loop(page: Page, box: Box, look: Look, gid: str, *, head: str = "arrow", beside: bool = False) -> Point:
    """Draw an edge of a node to itself, above it or on its right side; return its farthest point."""
    half = box.half_height if beside else box.half_width
    top = box.half_width if beside else box.half_height
    at = 0.0 if beside else 0.45 * half
    wide = min(16.0, 0.45 * half + 7)
    along = ((at - wide / 2, top), (at - wide, top + 17), (at + wide, top + 17), (at + wide / 2, top))
    curve = [(box.x + b, box.y + a) if beside else (box.x + a, box.y - b) for a, b in along]
    arrow(page, curve, look, gid, head=head)
    return (box.x + top + 13, box.y) if beside else (box.x + at, box.y - top - 13)


def arc(
    page: Page, one: int, other: int, boxes: Mapping[int, Box], look: Look, gid: str, *, head: str = "both"
) -> None:
    """Draw a bowed edge between two boxes, bent as little as keeps it clear of the other boxes."""
    rest = [box for v, box in boxes.items() if v not in {one, other}]
    bows = [side * times for times in _BOWS for side in (1.0, -1.0)]
    curves = [_bowed(boxes[one], boxes[other], bow) for bow in bows]
    best = min(curves, key=lambda curve: _hits(curve, rest))  # the first, and least bent, of the best
    arrow(page, best, look, gid, head=head)


def _bowed(one: Box, other: Box, bow: float) -> list[Point]:
    dx, dy = other.x - one.x, other.y - one.y
    far = math.hypot(dx, dy) or 1.0
    high = bow * min(60.0, 18 + 0.22 * far)
    top = ((one.x + other.x) / 2 + high * dy / far, (one.y + other.y) / 2 - high * dx / far)
    start, end = _border(one, top), _border(other, top)
    handles = [(p[0] + (top[0] - p[0]) * 0.7, p[1] + (top[1] - p[1]) * 0.7) for p in (start, end)]
    return [start, *handles, end]


def _hits(curve: Sequence[Point], boxes: Sequence[Box]) -> int:
    """Count the boxes that a curve comes near."""
    along = [_at(curve, step / _STEPS) for step in range(1, _STEPS)]
    return sum(
        any(abs(x - b.x) < b.half_width + 4 and abs(y - b.y) < b.half_height + 4 for x, y in along)
        for b in boxes
    )


def _at(curve: Sequence[Point], t: float) -> Point:
    """Return the point of a cubic Bézier at a share of its parameter."""
    weights = ((1 - t) ** 3, 3 * t * (1 - t) ** 2, 3 * t * t * (1 - t), t**3)
    x, y = (math.fsum(w * p[axis] for w, p in zip(weights, curve, strict=True)) for axis in (0, 1))
    return x, y


def _border(box: Box, to: Point) -> Point:
    """Return where the line from the middle of a box to a point leaves it."""
    dx, dy = to[0] - box.x, to[1] - box.y
    reach = max(abs(dx) / box.half_width, abs(dy) / box.half_height, 1e-9)
    return box.x + dx / reach, box.y + dy / reach


def free_spot(curve: Sequence[Point], half: float, taken: list[tuple[float, float, float]]) -> Point | None:
    """Return a point of the middle piece of a curve for a short text, clear of others; None if there is none.

    `half` is half the width of the text; what is found is added to `taken`.
    """
    piece = (len(curve) - 1) // 3 // 2 * 3
    for share in (0.5, 0.35, 0.65, 0.2, 0.8):
        x, y = _at(curve[piece : piece + 4], share)
        if all(abs(x - a) >= half + other or abs(y - b) >= 10 for a, b, other in taken):
            taken.append((x, y, half))
            return x, y
    return None
