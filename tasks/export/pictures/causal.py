"""The picture of a causal model: its graph in layers, the query, and whether its effect is identifiable."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from corpusgraph.tasks.export.pictures.arrows import (
    ROOM_FOR_LOOPS,
    Box,
    arc,
    arrow,
    free_spot,
    loop,
    placed,
    routes,
)
from corpusgraph.tasks.export.pictures.causal_words import (
    BOW,
    GONE,
    KINDS,
    caption,
    entries,
    kind_of,
    title,
    told,
)
from corpusgraph.tasks.export.pictures.draw import Files
from corpusgraph.tasks.export.pictures.frame import MARGIN, NARROWEST, TOP, finished, plural
from corpusgraph.tasks.export.pictures.layers import Layered, layered
from corpusgraph.tasks.export.pictures.letters import width
from corpusgraph.tasks.export.pictures.nodes import label, node, size_of
from corpusgraph.tasks.export.pictures.page import Look, Page, Point
from corpusgraph.tasks.export.pictures.style import INK, RED, SMALL, WHITE
from corpusgraph.tasks.prepare.causal.nouns import CausalEdge, CausalModel, CausalNode

MOST_NODES = 40
MOST_EDGES = 150
"""More cannot be told apart on a page."""
_SHAPE, _LIKED = 1.5, 1.3
"""Width of a page by its height, and how much larger a drawing from left to right may be."""


@dataclass(frozen=True)
class _Part:
    """What of a model is drawn: nodes and edges by their place in the model."""

    nodes: list[int]
    edges: list[int]


def causal_picture(model: CausalModel) -> Files:
    """Return the graph as `figure.png` and `figure.svg`.

    Groups of the SVG are `node-1` and `edge-1`, numbered in the order of the model.
    At most 40 nodes and 150 edges are drawn: those of the query, then those with most arrows; the caption
    says what is left out.
    """
    part = _part(model)
    page = Page(0.0)
    number = {model.nodes[at].id: place for place, at in enumerate(part.nodes)}
    below = _draw(page, model, part, number) if part.nodes else TOP
    signs = entries(model, [model.nodes[at] for at in part.nodes], [model.edges[at] for at in part.edges])
    words = caption(model, len(part.nodes), len(part.edges))
    return finished(page, title=title(model), caption=words, entries=signs, below=below)


def _part(model: CausalModel) -> _Part:
    """Choose nodes: the query, what decides it, then by number of arrows; edges among them by confidence."""
    links = Counter(end for edge in model.edges for end in (edge.source_id, edge.target_id))
    first = {"exposure": 0, "outcome": 0, "to adjust": 1, "adjusted": 1, "selected": 1}
    order = sorted(
        range(len(model.nodes)),
        key=lambda at: (
            first.get(kind_of(model, model.nodes[at]), 2),
            -links[model.nodes[at].id],
            model.nodes[at].id,
        ),
    )
    nodes = sorted(order[:MOST_NODES])
    kept = {model.nodes[at].id for at in nodes}
    inside = [at for at, edge in enumerate(model.edges) if {edge.source_id, edge.target_id} <= kept]
    strongest = sorted(inside, key=lambda at: (-(model.edges[at].confidence or 0.0), at))
    return _Part(nodes, sorted(strongest[:MOST_EDGES]))


def _lines(model: CausalModel, one: CausalNode) -> list[str]:
    states = next((cpt.states for cpt in model.cpts if cpt.node == one.id), one.states)
    return [*label(one.label), *([plural(len(states), "state")] if states else [])]


def _draw(page: Page, model: CausalModel, part: _Part, number: dict[str, int]) -> float:
    """Draw edges, then nodes over them; return where the drawing ends."""
    nodes = [model.nodes[at] for at in part.nodes]
    texts = [_lines(model, one) for one in nodes]
    kinds = [KINDS[kind_of(model, one)] for one in nodes]
    sizes = [size_of(lines, kind.shape) for lines, kind in zip(texts, kinds, strict=True)]
    arrows = [at for at in part.edges if model.edges[at].type != "bidirected"]
    ends = [(number[model.edges[at].source_id], number[model.edges[at].target_id]) for at in arrows]
    gap = ROOM_FOR_LOOPS if any(a == b for a, b in ends) else 14.0
    plan, downward = _planned(sizes, ends, gap)
    page.width, corner = NARROWEST, (MARGIN, TOP + 14)
    boxes = placed(plan, sizes, *corner, downward=downward)
    curves = routes(plan, ends, boxes, corner, downward=downward)
    circles = _circles(model)
    for place, at in enumerate(arrows):
        edge = model.edges[at]
        knot = circles.get(edge.source_id, -1)
        red = edge.source_id == edge.target_id or (knot >= 0 and knot == circles.get(edge.target_id))
        _edge(page, model, at, curves.get(place), boxes[ends[place][0]], RED if red else INK, downward)
    _others(page, model, part, boxes, number)
    for v, one in enumerate(nodes):
        gid = f"node-{part.nodes[v] + 1}"
        page.hint(gid, f"{one.label} ({kinds[v].meaning})")
        node(page, boxes[v], kinds[v], texts[v], gid)
    return page.settle(MARGIN, TOP + 6)


def _planned(sizes: list[Point], ends: list[tuple[int, int]], gap: float) -> tuple[Layered, bool]:
    """Return the layers, and whether they run down the page: the way that fits a page better."""
    right = layered(sizes, ends, gap_across=gap)
    down = layered([(h, w) for w, h in sizes], ends, gap_along=34.0, gap_across=gap)
    if max(right.along / _SHAPE, right.across) <= _LIKED * max(down.across / _SHAPE, down.along):
        return right, False
    return down, True


def _edge(
    page: Page,
    model: CausalModel,
    at: int,
    curve: Sequence[Point] | None,
    box: Box,
    colour: str,
    downward: bool,
) -> None:
    edge, gid = model.edges[at], f"edge-{at + 1}"
    look = Look(edge=colour, width=_width(edge))
    page.hint(gid, told(model, edge))
    if curve is None:
        loop(page, box, look, gid, beside=downward)
        return
    arrow(page, curve, look, gid)
    if mark := _mark(edge):
        half = width(mark, SMALL) / 2 + 1.5
        x, y = free_spot(curve, half, []) or curve[0]
        page.rectangle(x - half, y - 5, 2 * half, 10, Look(fill=WHITE, alpha=0.9))
        page.text(x, y, mark, size=SMALL, anchor="middle", gid=f"{gid}-text")


def _others(
    page: Page, model: CausalModel, part: _Part, boxes: dict[int, Box], number: dict[str, int]
) -> None:
    """Draw bidirected edges, and arrows that were removed."""
    for at in part.edges:
        edge = model.edges[at]
        if edge.type == "bidirected":
            page.hint(f"edge-{at + 1}", told(model, edge))
            arc(page, number[edge.source_id], number[edge.target_id], boxes, BOW, f"edge-{at + 1}")
    for at, edge in enumerate(model.dropped_edges, 1):
        ends = (number.get(edge.source_id), number.get(edge.target_id))
        if ends[0] is not None and ends[1] is not None and ends[0] != ends[1]:
            page.hint(f"dropped-{at}", f"removed: {told(model, edge)}")
            arc(page, ends[0], ends[1], boxes, GONE, f"dropped-{at}", head="arrow")


def _width(edge: CausalEdge) -> float:
    return 1.1 if edge.confidence is None else 0.6 + 1.8 * max(0.0, min(1.0, edge.confidence))


def _mark(edge: CausalEdge) -> str:
    """Return what stands on an arrow: a minus where it prevents, passages for and against where some deny."""
    against = f"{edge.n_for or 0}:{edge.n_against}" if edge.n_against else ""
    return f"{'−' if edge.sign == -1 else ''} {against}".strip()


def _circles(model: CausalModel) -> dict[str, int]:
    """Return for each node which knot of cycles it is in: an arrow inside one lies on a cycle."""
    if model.acyclic:
        return {}
    import networkx as nx

    graph = nx.DiGraph((e.source_id, e.target_id) for e in model.edges if e.type != "bidirected")
    knots = (knot for knot in nx.strongly_connected_components(graph) if len(knot) > 1)
    return {v: at for at, knot in enumerate(knots) for v in knot}
