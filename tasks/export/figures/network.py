"""Arrows between boxes: smooth through their bends, each with a place of its own on the box it reaches."""

import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import accumulate, pairwise
from math import fsum
from typing import Any

import networkx as nx
import numpy as np
from matplotlib.bezier import BezierSegment
from matplotlib.patches import Ellipse, FancyBboxPatch
from matplotlib.path import Path
from matplotlib.transforms import Bbox
from scipy.optimize import isotonic_regression

from corpusgraph.tasks.export.figures.page import (
    BODY,
    INK,
    LINE,
    SMALL,
    WHITE,
    Entry,
    Look,
    Page,
    Point,
    on,
    width,
    wrapped,
)

Edge = tuple[int, int]
_SWEEPS = 8
_SETTLING = 6
_BEND = 9.0
"""Room across for an edge that passes a layer, in points."""


@dataclass
class Layered:
    """Centres of nodes, and for each edge the points it passes, from its source to its target.

    The first coordinate is along the arrows, the second across. `back` are edges that point against the rest.

    Attributes
    ----------
    places : dict of int to (float, float)
        Node -> (along, across), in points.
    routes : dict of int to list of (float, float)
        Edge -> its points, (along, across).
    back : set of int
    along, across : float
        Size of the whole, in points.

    """

    places: dict[int, Point]
    routes: dict[int, list[Point]]
    back: set[int]
    along: float
    across: float


def layered(
    sizes: Sequence[Point], edges: Sequence[Edge], *, gap_along: float = 46.0, gap_across: float = 14.0
) -> Layered:
    """Lay out nodes 0 to n - 1 of given sizes (along, across) in points; loops are left to the caller.

    Parameters
    ----------
    sizes : sequence of (float, float)
        (along, across) of each node.
    edges : sequence of (int, int)
        (source, target), by number of node.
    gap_along, gap_across : float, default 46.0
        Distances of layers, and of nodes in a layer, in points.

    Returns
    -------
    Layered
        Places and bends in points, from (0, 0); edges point along, those that would close a cycle against it.

    """
    back = _against(len(sizes), edges)
    forward = {at: (b, a) if at in back else (a, b) for at, (a, b) in enumerate(edges) if a != b}
    rank = _ranks(len(sizes), forward.values())
    net: Any = nx.DiGraph()
    size: dict[Any, float] = {v: across for v, (_, across) in enumerate(sizes)}
    chains: dict[int, list[Any]] = {}
    for at, (a, b) in forward.items():  # a long edge bends once in each layer between its ends
        bends = [(at, layer) for layer in range(rank[a] + 1, rank[b])]
        size |= dict.fromkeys(bends, _BEND)
        chains[at] = [a, *bends, b]
        nx.add_path(net, chains[at])
    net.add_nodes_from(size)
    layers: list[list[Any]] = [[] for _ in range(max(rank, default=-1) + 1)]
    for v in size:
        layers[rank[v] if isinstance(v, int) else v[1]].append(v)
    layers = _untangled(layers, net)
    across = _settle(layers, net, size, gap_across)
    thick = [max((sizes[v][0] for v in layer if isinstance(v, int)), default=0.0) for layer in layers]
    begins = list(accumulate((one + gap_along for one in thick), initial=0.0))
    low = min((across[v] - size[v] / 2 for v in size), default=0.0)
    high = max((across[v] + size[v] / 2 for v in size), default=0.0)
    place = {
        v: (begins[at] + thick[at] / 2, across[v] - low) for at, layer in enumerate(layers) for v in layer
    }
    through = {v: thick[v[1]] / 2 for v in size if not isinstance(v, int)}
    routes = {at: _route(chain, place, through)[:: -1 if at in back else 1] for at, chain in chains.items()}
    long = max(0.0, begins[-1] - gap_along)
    return Layered({v: place[v] for v in range(len(sizes))}, routes, back, long, high - low)


def _route(chain: Sequence[Any], place: Mapping[Any, Point], through: Mapping[Any, float]) -> list[Point]:
    """Return the points of an edge: it passes a layer straight, clear of the nodes on both sides."""
    points = []
    for v in chain:
        (x, y), half = place[v], through.get(v, 0.0)
        points += [(x - half, y), (x + half, y)] if half else [(x, y)]
    return points


def _against(n: int, edges: Sequence[Edge]) -> set[int]:
    """Return the edges that close a cycle in a depth-first search; nodes without causes begin."""
    enter, leave = Counter(b for a, b in edges if a != b), Counter(a for a, _ in edges)
    graph = nx.DiGraph()
    graph.add_nodes_from(sorted(range(n), key=lambda v: (enter[v] - leave[v] if enter[v] else -n, v)))
    graph.add_edges_from(edges)
    done = {v: at for at, v in enumerate(nx.dfs_postorder_nodes(graph))}
    return {at for at, (v, w) in enumerate(edges) if done[v] < done[w]}


def _ranks(n: int, edges: Iterable[Edge]) -> list[int]:
    """Return the layer of each node: the longest path to it; roots stand right before what they reach."""
    graph = nx.DiGraph(edges)
    graph.add_nodes_from(range(n))
    rank = {v: at for at, layer in enumerate(nx.topological_generations(graph)) for v in layer}
    for v in [v for v in graph if not rank[v]]:
        rank[v] = max(0, min((rank[w] for w in graph[v]), default=1) - 1)
    return [rank[v] for v in range(n)]


def _untangled(layers: list[list[Any]], net: Any) -> list[list[Any]]:
    """Sort layers by the barycentres of neighbours, down and up; return the order with fewest crossings."""
    best, fewest = layers, _crossings(layers, net)
    for sweep in range(_SWEEPS if fewest else 0):
        downward = sweep % 2 == 0
        near = net.pred if downward else net.succ
        layers = layers[:]
        for at in range(1, len(layers)) if downward else range(len(layers) - 2, -1, -1):
            fixed = {v: place for place, v in enumerate(layers[at - 1 if downward else at + 1])}
            weight = {
                v: sum(fixed[w] for w in near[v]) / len(near[v]) if near[v] else float(place)
                for place, v in enumerate(layers[at])
            }
            layers[at] = sorted(layers[at], key=weight.__getitem__)
        if (crossings := _crossings(layers, net)) < fewest:
            best, fewest = layers, crossings
    return best


def _crossings(layers: Sequence[Sequence[Any]], net: Any) -> int:
    """Count crossings: pairs of edges between two layers that change places."""
    total = 0
    for upper, lower in pairwise(layers):
        place = {v: at for at, v in enumerate(lower)}
        ends = [(at, place[w]) for at, v in enumerate(upper) for w in net.succ[v]]
        x, y = np.array(ends).reshape(-1, 2).T
        total += int(np.count_nonzero(np.subtract.outer(x, x) * np.subtract.outer(y, y) < 0)) // 2
    return total


def _settle(
    layers: Sequence[Sequence[Any]], net: Any, size: Mapping[Any, float], gap: float
) -> dict[Any, float]:
    """Return places across: each node near the mean of its neighbours, none nearer than the gap."""
    across: dict[Any, float] = {}
    for layer in layers:
        across |= _spread(layer, dict.fromkeys(layer, 0.0), size, gap)
    for turn in range(_SETTLING):
        for layer in layers[:: -1 if turn % 2 else 1]:
            near = {v: [across[w] for w in (*net.pred[v], *net.succ[v])] for v in layer}
            wish = {v: fsum(some) / len(some) if some else across[v] for v, some in near.items()}
            across |= _spread(layer, wish, size, gap)
    return across


def _spread(
    layer: Sequence[Any], wish: Mapping[Any, float], size: Mapping[Any, float], gap: float
) -> dict[Any, float]:
    """Return the least-squares places that keep order and distances."""
    steps = ((size[v] + size[w]) / 2 + gap for v, w in pairwise(layer))
    offset = dict(zip(layer, accumulate(steps, initial=0.0), strict=False))
    means = isotonic_regression([wish[v] - at for v, at in offset.items()]).x if layer else ()
    return {v: float(mean) + at for (v, at), mean in zip(offset.items(), means, strict=True)}


_PORT = 9.0
"""Distance of two arrows on a side, at most."""
_ROOM_FOR_LOOPS = 36.0
_SHAPE, _LIKED = 1.5, 1.3
"""Width of a page by its height, and how much larger a drawing from left to right may be."""
_BOWS = (1.0, 1.8, 2.8, 4.0, 5.5)


@dataclass(frozen=True)
class Box:
    """A node on the page: its centre and half its size.

    Attributes
    ----------
    x, y : float
        The centre, in points.
    half_width, half_height : float
        In points.

    """

    x: float
    y: float
    half_width: float
    half_height: float


@dataclass
class Packed:
    """Nodes as boxes on the page, edges as cubic Béziers, and how much room all of it takes.

    Attributes
    ----------
    boxes : dict of int to Box, optional
        By number of node.
    curves : dict of int to list of (float, float), optional
        By number of edge: a start, then three points for each Bézier.
    width, height : float, default 0.0
        In points.
    downward : bool, default False
        Whether arrows run down the page.

    """

    boxes: dict[int, Box] = field(default_factory=dict)
    curves: dict[int, list[Point]] = field(default_factory=dict)
    width: float = 0.0
    height: float = 0.0
    downward: bool = False


def positioned(
    plan: Layered, sizes: Sequence[Point], edges: Sequence[Edge], corner: Point, *, downward: bool
) -> Packed:
    """Put a plan on the page: `sizes` are (along, across), as of the plan; loops have no curve.

    Parameters
    ----------
    plan : Layered
        Made by `layered`.
    sizes : sequence of (float, float)
        (along, across) of each node, in points.
    edges : sequence of (int, int)
        Those of the plan.
    corner : (float, float)
        The top left one on the page.
    downward : bool
        Whether arrows run down the page, not to the right.

    Returns
    -------
    Packed
        Middles of boxes and points of curves, in points from the top left corner of the page.

    """

    def at(along: float, across: float) -> Point:
        x, y = (across, along) if downward else (along, across)
        return corner[0] + x, corner[1] + y

    boxes = {}
    for node, place in plan.places.items():
        w, h = sizes[node][::-1] if downward else sizes[node]
        boxes[node] = Box(*at(*place), w / 2, h / 2)
    ports, curves = _ports(plan, edges, sizes), {}
    for e, points in plan.routes.items():
        (a, b), ahead = edges[e], -1.0 if e in plan.back else 1.0
        (x, y), *bends, (u, v) = points
        start = (x + ahead * sizes[a][0] / 2, y + ports[e, 0])
        end = (u - ahead * sizes[b][0] / 2, v + ports[e, 1])
        curves[e] = [at(*point) for point in _smooth([start, *bends, end])]
    wide, high = (plan.across, plan.along) if downward else (plan.along, plan.across)
    return Packed(boxes, curves, wide, high, downward)


def _ports(plan: Layered, edges: Sequence[Edge], sizes: Sequence[Point]) -> dict[tuple[int, int], float]:
    """Return how far from the middle of the side each edge leaves (0) and arrives (1)."""
    sides: dict[tuple[int, bool], list[tuple[float, int, int]]] = {}
    for at, points in plan.routes.items():
        a, b = edges[at]
        ahead = at not in plan.back
        sides.setdefault((a, ahead), []).append((points[1][1], at, 0))
        sides.setdefault((b, not ahead), []).append((points[-2][1], at, 1))
    ports = {}
    for (v, _), ends in sides.items():
        step = min(_PORT, 0.8 * sizes[v][1] / len(ends))
        for place, (_, at, end) in enumerate(sorted(ends)):
            ports[at, end] = (place - (len(ends) - 1) / 2) * step
    return ports


def _smooth(points: Sequence[Point]) -> list[Point]:
    """Join points by curves that leave and arrive along the direction of the layers."""
    curve = [points[0]]
    for (x, y), (u, v) in pairwise(points):
        curve += [(x + (u - x) / 2, y), (u - (u - x) / 2, v), (u, v)]
    return curve


def loop(page: Page, box: Box, look: Look, gid: str, *, head: str = "arrow", beside: bool = False) -> Point:
    """Draw an edge of a node to itself, above it or on its right side; return its farthest point.

    Parameters
    ----------
    page : Page
        Drawn on.
    box : Box
        The node.
    look : Look
        How the line looks.
    gid : str
        Name of its group in the SVG.
    head : str, default "arrow"
        As of `Page.arrow`.
    beside : bool, default False
        Whether it is on the right side, not above.

    Returns
    -------
    (float, float)
        In points, for a text beside it.

    """
    half = box.half_height if beside else box.half_width
    top = box.half_width if beside else box.half_height
    at = 0.0 if beside else 0.45 * half
    wide = min(16.0, 0.45 * half + 7)
    along = ((at - wide / 2, top), (at - wide, top + 17), (at + wide, top + 17), (at + wide / 2, top))
    curve = [(box.x + b, box.y + a) if beside else (box.x + a, box.y - b) for a, b in along]
    page.arrow(curve, look, gid, head=head)
    return (box.x + top + 13, box.y) if beside else (box.x + at, box.y - top - 13)


def arc(
    page: Page, one: int, other: int, boxes: Mapping[int, Box], look: Look, gid: str, *, head: str = "both"
) -> None:
    """Draw a bowed edge between two boxes, bent as little as keeps it clear of the other boxes.

    Parameters
    ----------
    page : Page
        Drawn on.
    one, other : int
        Numbers of the nodes.
    boxes : mapping of int to Box
        All nodes, by number.
    look : Look
        How the line looks.
    gid : str
        Name of its group in the SVG.
    head : str, default "both"
        As of `Page.arrow`.

    """
    rest = [
        Bbox.from_extents(b.x - b.half_width, b.y - b.half_height, b.x + b.half_width, b.y + b.half_height)
        for v, b in boxes.items()
        if v not in {one, other}
    ]

    def hits(curve: Sequence[Point]) -> int:
        path = Path(curve, [Path.MOVETO, *[Path.CURVE4] * 3])
        return sum(path.intersects_bbox(box.padded(4), filled=False) for box in rest)

    bows = [side * times for times in _BOWS for side in (1.0, -1.0)]
    curves = [_bowed(boxes[one], boxes[other], bow) for bow in bows]
    page.arrow(min(curves, key=hits), look, gid, head=head)  # the first, and least bent, of the best


def _bowed(one: Box, other: Box, bow: float) -> list[Point]:
    dx, dy = other.x - one.x, other.y - one.y
    far = math.hypot(dx, dy) or 1.0
    high = bow * min(60.0, 18 + 0.22 * far)
    top = ((one.x + other.x) / 2 + high * dy / far, (one.y + other.y) / 2 - high * dx / far)
    start, end = _border(one, top), _border(other, top)
    handles = [(p[0] + (top[0] - p[0]) * 0.7, p[1] + (top[1] - p[1]) * 0.7) for p in (start, end)]
    return [start, *handles, end]


def _border(box: Box, to: Point) -> Point:
    """Return where the line from the middle of a box to a point leaves it."""
    dx, dy = to[0] - box.x, to[1] - box.y
    reach = max(abs(dx) / box.half_width, abs(dy) / box.half_height, 1e-9)
    return box.x + dx / reach, box.y + dy / reach


def free_spot(curve: Sequence[Point], half: float, taken: list[tuple[float, float, float]]) -> Point | None:
    """Return a point of the middle piece of a curve for a short text, clear of others; None if there is none.

    `half` is half the width of the text; what is found is added to `taken`.

    Parameters
    ----------
    curve : sequence of (float, float)
        A start, then three points for each Bézier.
    half : float
        In points.
    taken : list of (float, float, float)
        x, y and half width of the texts that are there.

    Returns
    -------
    (float, float) or None
        In points; the middle of the piece first, then four others along it.

    """
    piece = (len(curve) - 1) // 3 // 2 * 3
    middle = BezierSegment(curve[piece : piece + 4])
    for share in (0.5, 0.35, 0.65, 0.2, 0.8):
        x, y = map(float, middle.point_at_t(share))
        if all(abs(x - a) >= half + other or abs(y - b) >= 10 for a, b, other in taken):
            taken.append((x, y, half))
            return x, y
    return None


def packed(
    sizes: Sequence[Point],
    edges: Sequence[Edge],
    *,
    left: float,
    top: float,
    room: float,
    downward: bool = False,
    gap_across: float = 12.0,
) -> Packed:
    """Lay out each connected part in layers, the largest first, from left to right in rows of the room.

    Parameters
    ----------
    sizes : sequence of (float, float)
        (width, height) of each node, in points.
    edges : sequence of (int, int)
        (source, target), by number of node.
    left, top : float
        Where the plan begins, in points.
    room : float
        Width of a row, in points.
    downward : bool, default False
        Whether arrows run down the page, not to the right.
    gap_across : float, default 12.0
        Distance of nodes in a layer, in points; more where there are loops.

    Returns
    -------
    Packed
        In points from the top left corner of the page, with how far it reaches.

    """
    whole, x, y, high = Packed(downward=downward), left, top, 0.0
    for part in parts(len(sizes), edges):
        number = {v: at for at, v in enumerate(part)}
        inside = [at for at, (a, _) in enumerate(edges) if a in number]
        ends = [(number[edges[at][0]], number[edges[at][1]]) for at in inside]
        own = [sizes[v][::-1] if downward else sizes[v] for v in part]
        plan = layered(own, ends, gap_along=40.0, gap_across=_roomy(edges, gap_across))
        w = plan.across if downward else plan.along
        if x > left and x + w > left + room:
            x, y, high = left, y + high + 18, 0.0
        put = positioned(plan, own, ends, (x, y), downward=downward)
        whole.boxes |= {part[at]: box for at, box in put.boxes.items()}
        whole.curves |= {inside[at]: curve for at, curve in put.curves.items()}
        whole.width = max(whole.width, x + w - left)
        x, high = x + w + 26, max(high, put.height)
        whole.height = y + high - top
    return whole


def fitted(sizes: Sequence[Point], edges: Sequence[Edge], corner: Point) -> Packed:
    """Lay out all nodes in layers that run to the right or down the page: the way that fits a page better.

    Parameters
    ----------
    sizes : sequence of (float, float)
        (width, height) of each node, in points.
    edges : sequence of (int, int)
        (source, target), by number of node.
    corner : (float, float)
        The top left one on the page.

    Returns
    -------
    Packed
        In points from the top left corner of the page, with how far it reaches.

    """
    gap, turned = _roomy(edges, 14.0), [(h, w) for w, h in sizes]
    right = layered(sizes, edges, gap_across=gap)
    down = layered(turned, edges, gap_along=34.0, gap_across=gap)
    if max(right.along / _SHAPE, right.across) <= _LIKED * max(down.across / _SHAPE, down.along):
        return positioned(right, sizes, edges, corner, downward=False)
    return positioned(down, turned, edges, corner, downward=True)


def _roomy(edges: Iterable[Edge], gap: float) -> float:
    """Return the distance of nodes across: there is room for loops where some have an edge to themselves."""
    return _ROOM_FOR_LOOPS if any(a == b for a, b in edges) else gap


def parts(n: int, edges: Sequence[Edge]) -> list[list[int]]:
    """Return the weakly connected parts of nodes 0 to n - 1, the largest first, then by their first node.

    Parameters
    ----------
    n : int
        How many nodes.
    edges : sequence of (int, int)
        (source, target), by number of node.

    Returns
    -------
    list of list of int
        Nodes of each part, ascending.

    """
    graph = nx.Graph()
    graph.add_nodes_from(range(n))
    graph.add_edges_from(edges)
    return sorted((sorted(part) for part in nx.connected_components(graph)), key=lambda p: (-len(p), p[0]))


@dataclass(frozen=True)
class Kind:
    """How nodes of one kind are drawn, and what the legend says of them.

    Attributes
    ----------
    shape : str
        `box`, `ellipse`, `square`, `pentagon`, `hexagon` or `octagon`.
    look : Look
        Fill and line.
    meaning : str
        Text of the legend.

    """

    shape: str
    look: Look
    meaning: str


def spoken(name: str) -> str:
    """Return a name as it is read: the underscores of one without blanks are blanks.

    Parameters
    ----------
    name : str
        Any name.

    Returns
    -------
    str
        The name itself where underscores are all it has.

    """
    return name if " " in name else name.replace("_", " ").strip() or name


def label(text: str, *, room: float = 92.0) -> list[str]:
    """Wrap a text into the lines of a node.

    Parameters
    ----------
    text : str
        Any text.
    room : float, default 92.0
        Width of a line, in points.

    Returns
    -------
    list of str
        At most three lines of the width of `room` points; the last ends in … where there is more.

    """
    return wrapped(spoken(text), BODY, room, 3)


_CORNERS = {
    "square": ((0, 0), (1, 0), (1, 1), (0, 1)),
    "pentagon": ((0, 0), (-1, 0), (1, 0.5), (-1, 1), (0, 1)),
    "hexagon": ((2, 0), (-1, 0), (1, 0.5), (-1, 1), (2, 1), (0, 0.5)),
    "octagon": ((2, 0), (-1, 0), (1, 0.3), (1, 0.7), (-1, 1), (2, 1), (0, 0.7), (0, 0.3)),
}
"""Corners of a shape in shares of its box; 2 and -1 stand one cut from the left and from the right."""


def outline(page: Page, shape: str, box: Box, look: Look, gid: str = "") -> None:
    """Draw the shape of a node.

    Parameters
    ----------
    page : Page
        Drawn on.
    shape : str
        As of `Kind`.
    box : Box
        Where it stands.
    look : Look
        Fill and line.
    gid : str, default ""
        Name of its group in the SVG.

    """
    x, y, w, h = box.x - box.half_width, box.y - box.half_height, 2 * box.half_width, 2 * box.half_height
    ends = [(x, y), (x + w, y + h)]
    if shape == "ellipse":
        page.add(Ellipse((box.x, box.y), w, h, **look.settings()), ends, gid)
    elif shape in _CORNERS:
        cut = min(8.0, w / 3, h / 2)
        places = {0: 0.0, 1: w, 2: cut, -1: w - cut}
        page.polygon([(x + places[a], y + b * h) for a, b in _CORNERS[shape]], look, gid)
    else:
        style = f"round,pad=0,rounding_size={min(5.0, w / 2, h / 2)}"
        page.add(FancyBboxPatch((x, y), w, h, boxstyle=style, **look.settings()), ends, gid)


@dataclass(frozen=True)
class Node:
    """A node to be drawn, the name of its group in the SVG, and what the group's title says.

    Attributes
    ----------
    kind : Kind
        How it is drawn.
    lines : sequence of str
        Its text.
    gid : str
        Name of its group in the SVG.
    hint : str, default ""
        Title of the group.

    """

    kind: Kind
    lines: Sequence[str]
    gid: str
    hint: str = ""

    @property
    def size(self) -> Point:
        """Width and height that the shape needs for its text, in points."""
        wide = max((width(line, BODY) for line in self.lines), default=0.0) + 12
        high = len(self.lines) * BODY * LINE + 8
        if self.kind.shape == "ellipse":
            return wide * 1.18 + 4, high * 1.3
        if self.kind.shape in {"pentagon", "hexagon"}:
            return wide + 16, high + 4
        return wide + 4, high


@dataclass(frozen=True)
class Arrow:
    """An arrow between two nodes by their places; `mark` is a short text upon it.

    Attributes
    ----------
    ends : (int, int)
        Numbers of its nodes, from and to.
    look : Look
        How the line looks.
    gid : str
        Name of its group in the SVG.
    hint : str, default ""
        Title of the group.
    head : str, default "arrow"
        As of `Page.arrow`.
    mark : str, default ""
        Empty for none.

    """

    ends: Edge
    look: Look
    gid: str
    hint: str = ""
    head: str = "arrow"
    mark: str = ""


def draw_network(page: Page, plan: Packed, nodes: Sequence[Node], arrows: Sequence[Arrow]) -> None:
    """Draw arrows by the curves of their places in the plan, their marks, and nodes upon them.

    A mark that finds no free spot is left out: the title of the arrow's group says more. Loops are above
    their nodes, or beside them where arrows run down the page.

    Parameters
    ----------
    page : Page
        Drawn on.
    plan : Packed
        Boxes by number of node, curves by number of arrow.
    nodes : sequence of Node
        In the order of their numbers.
    arrows : sequence of Arrow
        In the order of their numbers; one without a curve is a loop.

    """
    spots = []
    for at, arrow in enumerate(arrows):
        page.hint(arrow.gid, arrow.hint)
        if curve := plan.curves.get(at):
            page.arrow(curve, arrow.look, arrow.gid, head=arrow.head)
        else:
            box = plan.boxes[arrow.ends[0]]
            curve = [loop(page, box, arrow.look, arrow.gid, head=arrow.head, beside=plan.downward)] * 4
        spots.append((curve, arrow))
    taken: list[tuple[float, float, float]] = []
    for curve, arrow in spots:
        half = width(arrow.mark, SMALL) / 2 + 1.5
        if arrow.mark and (spot := free_spot(curve, half, taken)):
            page.rectangle(spot[0] - half, spot[1] - 5, 2 * half, 10, Look(fill=WHITE, alpha=0.85))
            page.text(*spot, arrow.mark, size=SMALL, anchor="middle", gid=f"{arrow.gid}-text")
    for at, node in enumerate(nodes):
        box, look = plan.boxes[at], node.kind.look
        page.hint(node.gid, node.hint)
        outline(page, node.kind.shape, box, look, node.gid)
        colour, top = on(look.fill) if look.fill else INK, box.y - len(node.lines) * BODY * LINE / 2
        page.lines(box.x, top, node.lines, colour=colour, anchor="middle", gid=f"{node.gid}-text")


def sign_of(kind: Kind) -> Entry:
    """Return the legend's entry of a kind of node.

    Parameters
    ----------
    kind : Kind
        A kind of node.

    Returns
    -------
    Entry
        How the sign is drawn, and what it means.

    """
    return lambda page, x, y: outline(page, kind.shape, Box(x, y, 9.0, 5.0), kind.look), kind.meaning


def sign_of_arrow(look: Look, meaning: str, *, head: str = "arrow") -> Entry:
    """Return the legend's entry of a kind of arrow.

    Parameters
    ----------
    look : Look
        How the line looks.
    meaning : str
        Text of the legend.
    head : str, default "arrow"
        As of `Page.arrow`.

    Returns
    -------
    Entry
        How the sign is drawn, and what it means.

    """
    along = (-11, -4, 4, 11)
    return lambda page, x, y: page.arrow([(x + dx, y) for dx in along], look, head=head), meaning
