"""What a picture of a causal model says: kinds of nodes, title, legend, caption."""

from collections.abc import Sequence

from corpusgraph.tasks.export.pictures.frame import plural
from corpusgraph.tasks.export.pictures.nodes import Entry, Kind, sign_of, sign_of_arrow, spoken
from corpusgraph.tasks.export.pictures.page import Look, Page
from corpusgraph.tasks.export.pictures.style import (
    BLUE,
    GREEN,
    GREY,
    INK,
    ORANGE,
    PAPER,
    PURPLE,
    RED,
    SKY,
    SMALL,
    WHITE,
    YELLOW,
    mixed,
)
from corpusgraph.tasks.prepare.causal.nouns import CausalEdge, CausalModel, CausalNode

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
    """Return which of the kinds a node is of."""
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
    """Return an edge in words, with its evidence."""
    said = f", {edge.n_for} passages for, {edge.n_against or 0} against" if edge.n_for is not None else ""
    mark = "↔" if edge.type == "bidirected" else "→"
    return f"{_name(model, edge.source_id)} {mark} {_name(model, edge.target_id)}{said}"


def title(model: CausalModel) -> str:
    """Return what the picture is called."""
    if model.exposure and model.outcome:
        return f"Effect of {_names(model, model.exposure)} on {_names(model, model.outcome)}"
    kind = {"bayesian": "Bayesian network", "dag": "Causal graph"}.get(model.model_type, "Causal graph")
    return f"{kind} of {plural(len(model.nodes), 'variable')}"


def entries(model: CausalModel, nodes: Sequence[CausalNode], edges: Sequence[CausalEdge]) -> list[Entry]:
    """Return the legend: kinds of nodes and arrows that are in the picture."""
    kinds = {kind_of(model, one) for one in nodes}
    found = [sign_of(kind) for name, kind in KINDS.items() if name in kinds]
    types = {edge.type == "bidirected" for edge in edges}
    if any(edge.confidence is not None for edge in edges):
        found.append(sign_of_arrow(Look(edge=INK, width=2.4), "cause, wider: more confidence"))
    elif False in types:
        found.append(sign_of_arrow(Look(edge=INK, width=1.1), "cause"))
    if True in types:
        found.append(sign_of_arrow(BOW, "unobserved common cause", head="both"))
    if not model.acyclic:
        found.append(sign_of_arrow(Look(edge=RED, width=1.6), "on a cycle"))
    if model.dropped_edges:
        found.append(sign_of_arrow(GONE, "removed by the researcher"))
    if any(edge.sign == -1 for edge in edges):
        found.append((_minus, "prevents"))
    if any(edge.n_against for edge in edges):
        found.append((_counts, "passages for and against"))
    return found


def _minus(page: Page, x: float, y: float) -> None:
    page.text(x, y, "−", anchor="middle", bold=True)


def _counts(page: Page, x: float, y: float) -> None:
    page.text(x, y, "3:1", anchor="middle", size=SMALL)


def caption(model: CausalModel, n_nodes: int, n_edges: int) -> list[str]:
    """Return the paragraphs below the picture: the answer, then what is drawn and what is not."""
    said = [_answer(model)] if model.exposure and model.outcome else []
    if not model.acyclic:
        said.append(f"The graph has cycles and is no DAG yet: {_cycle(model)}.")
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
        return f"Identifiable by {what}{_others(len(sets), 'minimal adjustment set')}."
    if front:
        return f"Identifiable by the front door {_names(model, front[0])}{_others(len(front), 'set')}."
    return f"Identifiable, by no adjustment set: {model.estimand}."


def _others(n: int, what: str) -> str:
    return f" (1 of {plural(n, what)})" if n > 1 else ""


def _cycle(model: CausalModel) -> str:
    shown = [" → ".join(_name(model, one) for one in _closed(cycle)) for cycle in model.cycles[:3]]
    return "; ".join(shown) + (f" and {len(model.cycles) - 3} more" if len(model.cycles) > 3 else "")


def _closed(cycle: Sequence[str]) -> Sequence[str]:
    return cycle if len(cycle) > 1 and cycle[0] == cycle[-1] else (*cycle, *cycle[:1])


def _names(model: CausalModel, ids: Sequence[str]) -> str:
    names = [_name(model, one) for one in ids]
    return ", ".join(names[:_NAMED]) + (f" and {len(names) - _NAMED} more" if len(names) > _NAMED else "")
