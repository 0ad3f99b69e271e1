"""The picture of a causal model: its graph in layers, the query, and whether its effect is identifiable."""

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

import networkx as nx

from corpusgraph.tasks.analysis.causal.models import CausalEdge, CausalModel, CausalNode
from corpusgraph.tasks.export.figures.network import (
    Arrow,
    Kind,
    Node,
    arc,
    draw_network,
    fitted,
    label,
    sign_of,
    sign_of_arrow,
    spoken,
)
from corpusgraph.tasks.export.figures.page import (
    BLUE,
    GREEN,
    GREY,
    INK,
    MARGIN,
    NARROWEST,
    ORANGE,
    PAPER,
    PURPLE,
    RED,
    SKY,
    SMALL,
    TOP,
    WHITE,
    YELLOW,
    Entry,
    Look,
    Page,
    mixed,
    picture,
    plural,
)
from corpusgraph.tasks.export.files import Files

KINDS = {
    "exposure": Kind("pentagon", Look(fill=GREEN, edge=INK, width=1.2), "exposure"),
    "outcome": Kind("hexagon", Look(fill=BLUE, edge=INK, width=1.2), "outcome"),
    "selected": Kind("octagon", Look(fill=mixed(PURPLE, 0.6), edge=INK, width=1.2), "decides selection"),
    "adjusted": Kind("square", Look(fill=mixed(YELLOW, 0.75), edge=INK, width=2.0), "adjusted for"),
    "to adjust": Kind("square", Look(fill=mixed(ORANGE, 0.45), edge=INK, width=1.2), "to adjust for"),
    "latent": Kind("ellipse", Look(fill=PAPER, edge=GREY, width=1.0, dash=(3.0, 2.0)), "latent"),
    "observed": Kind("box", Look(fill=WHITE, edge=INK, width=0.8), "observed"),
}
"""Kinds of nodes; a node is of the first that fits it."""
BOW = Look(edge=SKY, width=1.2, dash=(4.0, 2.5))
GONE = Look(edge=GREY, width=0.8, dash=(1.0, 2.0))
_NAMED = 12
"""Names of a set that the caption lists."""


def kind_of(model: CausalModel, one: CausalNode) -> str:
    """Return the kind that a node of a causal picture is drawn as.

    Parameters
    ----------
    model : CausalModel
        The model.
    one : CausalNode
        One of its nodes.

    Returns
    -------
    str
        A key of `KINDS`.

    """
    first = (model.minimal_adjustment_sets or ((),))[0]
    tests = {
        "exposure": one.id in model.exposure,
        "outcome": one.id in model.outcome,
        "selected": one.selected,
        "adjusted": one.adjusted,
        "to adjust": one.id in first,
        "latent": one.latent,
    }
    return next((name for name, holds in tests.items() if holds), "observed")


def _name(model: CausalModel, one: str) -> str:
    return spoken(next((known.label for known in model.nodes if known.id == one), one))


def told(model: CausalModel, edge: CausalEdge) -> str:
    """Return a causal edge in words, with its evidence.

    Parameters
    ----------
    model : CausalModel
        The model.
    edge : CausalEdge
        One of its edges.

    Returns
    -------
    str
        Such as `rain → wet, 3 passages for, 1 against`.

    """
    said = ", prevents" if edge.sign == -1 else ""
    said += f", {edge.n_for} passages for, {edge.n_against or 0} against" if edge.n_for is not None else ""
    mark = "↔" if edge.type == "bidirected" else "→"
    return f"{_name(model, edge.source_id)} {mark} {_name(model, edge.target_id)}{said}"


def title(model: CausalModel) -> str:
    """Return the title of the picture of a causal model.

    Parameters
    ----------
    model : CausalModel
        The model.

    Returns
    -------
    str
        The effect that is asked for, else the kind of graph and its size.

    """
    if model.exposure and model.outcome:
        return f"Effect of {_names(model, model.exposure)} on {_names(model, model.outcome)}"
    kind = {"bayesian": "Bayesian network", "dag": "Causal graph"}.get(model.model_type, "Causal graph")
    return f"{kind} of {plural(len(model.nodes), 'variable')}"


def entries(model: CausalModel, nodes: Sequence[CausalNode], edges: Sequence[CausalEdge]) -> list[Entry]:
    """Return the legend: kinds of nodes and arrows that are in the picture.

    Parameters
    ----------
    model : CausalModel
        The model.
    nodes, edges : sequence of CausalNode
        Those in the picture.

    Returns
    -------
    list of Entry
        How each sign is drawn, and what it means.

    """
    kinds = {kind_of(model, one) for one in nodes}
    is_sure = any(edge.confidence is not None for edge in edges)
    cause = ("cause, wider: more confidence", 2.4) if is_sure else ("cause", 1.1)
    told: tuple[tuple[object, Entry], ...] = (
        (
            is_sure or any(edge.type != "bidirected" for edge in edges),
            sign_of_arrow(Look(edge=INK, width=cause[1]), cause[0]),
        ),
        (
            any(edge.type == "bidirected" for edge in edges),
            sign_of_arrow(BOW, "unobserved common cause", head="both"),
        ),
        (not model.acyclic, sign_of_arrow(Look(edge=RED, width=1.6), "on a cycle")),
        (model.dropped_edges, sign_of_arrow(GONE, "removed by the researcher")),
        (any(edge.sign == -1 for edge in edges), _text("−", "prevents", bold=True)),
        (any(edge.n_against for edge in edges), _text("3:1", "passages for and against", size=SMALL)),
    )
    signs = [sign_of(kind) for name, kind in KINDS.items() if name in kinds]
    return [*signs, *(sign for holds, sign in told if holds)]


def _text(text: str, meaning: str, **look: Any) -> Entry:
    return lambda page, x, y: page.text(x, y, text, anchor="middle", **look), meaning


def caption(model: CausalModel, n_nodes: int, n_edges: int) -> list[str]:
    """Return the paragraphs below the picture: the answer, then what is drawn and what is not.

    Parameters
    ----------
    model : CausalModel
        The model.
    n_nodes, n_edges : int
        How many are in the picture.

    Returns
    -------
    list of str
        One to three paragraphs.

    """
    said = [_answer(model)] if model.exposure and model.outcome else []
    if not model.acyclic:
        closed = [one if len(one) > 1 and one[0] == one[-1] else (*one, *one[:1]) for one in model.cycles[:3]]
        shown = "; ".join(" → ".join(_name(model, node) for node in cycle) for cycle in closed)
        more = f" and {len(model.cycles) - 3} more" if len(model.cycles) > 3 else ""
        said.append(f"The graph has cycles and is no DAG yet: {shown}{more}.")
    counts = f"{plural(len(model.nodes), 'variable')}, {plural(len(model.edges), 'edge')}."
    if n_nodes < len(model.nodes) or n_edges < len(model.edges):
        left = f"{len(model.nodes) - n_nodes:,} variables and {len(model.edges) - n_edges:,} edges"
        counts += f" Left out of the picture: {left} (drawn: the query, then the variables with most arrows)."
    return [*said, counts]


def _answer(model: CausalModel) -> str:
    if not model.acyclic:
        return "No effect is identified while there are cycles."
    if model.identifiable is None:
        return f"Whether the effect is identifiable was not decided. {model.reason}".strip()
    if not model.identifiable:
        return f"The effect is not identifiable from the observed variables. {model.reason}".strip()
    sets, front = model.minimal_adjustment_sets, model.minimal_front_door_sets
    if sets:
        what = f"adjusting for {_names(model, sets[0])}" if sets[0] else "no adjustment"
        return f"Identifiable by {what}{_and_more(len(sets), 'minimal adjustment set')}."
    if front:
        return f"Identifiable by the front door {_names(model, front[0])}{_and_more(len(front), 'set')}."
    return f"Identifiable, by no adjustment set: {model.estimand}."


def _and_more(n: int, what: str) -> str:
    return f" (1 of {plural(n, what)})" if n > 1 else ""


def _names(model: CausalModel, ids: Sequence[str]) -> str:
    names = [_name(model, one) for one in ids]
    return ", ".join(names[:_NAMED]) + (f" and {len(names) - _NAMED} more" if len(names) > _NAMED else "")


MOST_NODES = 40
MOST_EDGES = 150
"""More cannot be told apart on a page."""


@picture
def causal_picture(model: CausalModel) -> Files:
    """Return the graph as `figure.png` and `figure.svg`.

    Groups of the SVG are `node-1` and `edge-1`, numbered in the order of the model.
    At most 40 nodes and 150 edges are drawn: those of the query, then those with most arrows; the caption
    says what is left out.

    Parameters
    ----------
    model : CausalModel
        The model.

    Returns
    -------
    dict of str to bytes
        Two files, the same bytes for the same model.

    """
    nodes, edges = _part(model)
    page = Page(0.0)
    below = _draw(page, model, nodes, edges) if nodes else TOP
    signs = entries(model, [model.nodes[at] for at in nodes], [model.edges[at] for at in edges])
    words = caption(model, len(nodes), len(edges))
    return page.finished(title=title(model), caption=words, entries=signs, below=below)


def _part(model: CausalModel) -> tuple[list[int], list[int]]:
    """Return the places in the model of the nodes and edges that are drawn.

    Nodes are the query, what decides it, then those with most arrows; edges among them by confidence.
    """
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
    return nodes, sorted(strongest[:MOST_EDGES])


def _draw(page: Page, model: CausalModel, places: Sequence[int], edges: Sequence[int]) -> float:
    """Draw edges, then nodes over them; return where the drawing ends."""
    number = {model.nodes[at].id: place for place, at in enumerate(places)}
    nodes = [_node(model, at) for at in places]
    knots = _knots(model)
    arrows = [_arrow(model, at, number, knots) for at in edges if model.edges[at].type != "bidirected"]
    plan = fitted([one.size for one in nodes], [one.ends for one in arrows], (MARGIN, TOP + 14))
    page.width = NARROWEST
    bows = [(model.edges[at], f"edge-{at + 1}", "", BOW, "both") for at in edges]
    gone = [
        (edge, f"dropped-{at}", "removed: ", GONE, "arrow") for at, edge in enumerate(model.dropped_edges, 1)
    ]
    for edge, gid, before, look, head in (*(bow for bow in bows if bow[0].type == "bidirected"), *gone):
        ends = (number.get(edge.source_id), number.get(edge.target_id))
        if ends[0] is not None and ends[1] is not None and ends[0] != ends[1]:
            page.hint(gid, before + told(model, edge))
            arc(page, ends[0], ends[1], plan.boxes, look, gid, head=head)
    draw_network(page, plan, nodes, arrows)
    return page.settle()


def _node(model: CausalModel, at: int) -> Node:
    one, kind = model.nodes[at], KINDS[kind_of(model, model.nodes[at])]
    states = next((cpt.states for cpt in model.cpts if cpt.node == one.id), one.states)
    lines = [*label(one.label), *([plural(len(states), "state")] if states else [])]
    return Node(kind, lines, f"node-{at + 1}", f"{one.label} ({kind.meaning})")


def _arrow(model: CausalModel, at: int, number: Mapping[str, int], knots: Mapping[str, int]) -> Arrow:
    edge = model.edges[at]
    knot = knots.get(edge.source_id, -1)
    on_cycle = edge.source_id == edge.target_id or (knot >= 0 and knot == knots.get(edge.target_id))
    wide = 1.1 if edge.confidence is None else 0.6 + 1.8 * max(0.0, min(1.0, edge.confidence))
    look = Look(edge=RED if on_cycle else INK, width=wide)
    against = f"{edge.n_for or 0}:{edge.n_against}" if edge.n_against else ""
    mark = f"{'−' if edge.sign == -1 else ''} {against}".strip()
    ends = (number[edge.source_id], number[edge.target_id])
    return Arrow(ends, look, f"edge-{at + 1}", told(model, edge), mark=mark)


def _knots(model: CausalModel) -> dict[str, int]:
    """Return for each node which knot of cycles it is in: an arrow inside one lies on a cycle."""
    if model.acyclic:
        return {}
    graph = nx.DiGraph((e.source_id, e.target_id) for e in model.edges if e.type != "bidirected")
    knots = (knot for knot in nx.strongly_connected_components(graph) if len(knot) > 1)
    return {v: at for at, knot in enumerate(knots) for v in knot}
