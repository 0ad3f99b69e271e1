"""Networks that fall apart: each part laid out by itself, the parts packed on the page in rows."""

from collections.abc import Sequence
from dataclasses import dataclass, field

from corpusgraph.tasks.export.pictures.arrows import Box, placed, routes
from corpusgraph.tasks.export.pictures.layers import Edge, Point, layered


@dataclass
class Packed:
    """Nodes as boxes on the page, edges as cubic Béziers, and how much room all of it takes."""

    boxes: dict[int, Box] = field(default_factory=dict)
    curves: dict[int, list[Point]] = field(default_factory=dict)
    width: float = 0.0
    height: float = 0.0


def packed(
    sizes: Sequence[Point],
    edges: Sequence[Edge],
    *,
    left: float,
    top: float,
    room: float,
    downward: bool = False,
    gap_along: float = 40.0,
    gap_across: float = 12.0,
) -> Packed:
    """Lay out each connected part in layers, the largest first, from left to right in rows of the room."""
    found, x, y, high = Packed(), left, top, 0.0
    for part in parts(len(sizes), edges):
        number = {v: at for at, v in enumerate(part)}
        inside = [at for at, (a, _) in enumerate(edges) if a in number]
        ends = [(number[edges[at][0]], number[edges[at][1]]) for at in inside]
        own = [sizes[v] for v in part]
        turned = [(h, w) if downward else (w, h) for w, h in own]
        plan = layered(turned, ends, gap_along=gap_along, gap_across=gap_across)
        w, h = (plan.across, plan.along) if downward else (plan.along, plan.across)
        if x > left and x + w > left + room:
            x, y, high = left, y + high + 18, 0.0
        boxes = placed(plan, own, x, y, downward=downward)
        curves = routes(plan, ends, boxes, (x, y), downward=downward)
        found.boxes |= {part[at]: box for at, box in boxes.items()}
        found.curves |= {inside[at]: curve for at, curve in curves.items()}
        found.width = max(found.width, x + w - left)
        x, high = x + w + 26, max(high, h)
        found.height = y + high - top
    return found


def parts(n: int, edges: Sequence[Edge]) -> list[list[int]]:
    """Return the weakly connected parts of nodes 0 to n - 1, the largest first, then by their first node."""
    import networkx as nx

    graph = nx.Graph()
    graph.add_nodes_from(range(n))
    graph.add_edges_from(edges)
    return sorted((sorted(part) for part in nx.connected_components(graph)), key=lambda p: (-len(p), p[0]))
