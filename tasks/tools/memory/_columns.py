"""Relationships chosen and followed by columns, where the graph is kept as columns."""

from collections.abc import Collection, Sequence
from typing import Annotated, NamedTuple

import numpy as np
from pydantic import AliasChoices, BeforeValidator, Field

from corpusgraph.schemas.errors import did_you_mean
from corpusgraph.schemas.ports import GraphView, Ints
from corpusgraph.schemas.results import ToolWarning, warned
from corpusgraph.tasks.build.aggregate import CERTAIN
from corpusgraph.tasks.graph.columnar import values_of
from corpusgraph.tasks.graph.compiled import CompiledGraph, Doubles, compiled, distinct
from corpusgraph.tasks.graph.inputs import SPELLINGS, directions
from corpusgraph.tasks.graph.paths import Direction, Hop, hop_from
from corpusgraph.tasks.tools.memory._inputs import listed

WAYS: dict[str, Direction] = {"in": "in", "out": "out", "both": "both", **SPELLINGS}
"""Each spelling of a direction."""
Types = Annotated[
    list[str] | None,
    Field(
        validation_alias=AliasChoices("relationship_types", "relation_types", "edge_types"),
        description="look at these types only",
    ),
]
Least = Annotated[float, Field(ge=0, description="look at relationships of at least this weight")]


def spelt(into: str, out: str) -> BeforeValidator:
    """Return a validator that takes each spelling of a direction for that of a tool."""
    own = {"in": into, "out": out, "both": "both"}
    return BeforeValidator(directions({spelling: own[way] for spelling, way in WAYS.items()}))


def confidences(graph: GraphView, edges: Ints) -> Doubles:
    """Return how sure some relationships are, as memory clients know weights (k,)."""
    stated = np.asarray(values_of(graph.relationships, "confidence", edges), dtype=np.float64)
    return np.where(stated >= CERTAIN, 1.0, stated + 0.0)  # + 0.0: there is no -0.0


def no_entity_of_type(type_: str, known: Sequence[str]) -> tuple[ToolWarning, ...]:
    """Tell that no entity is of a type, with the nearest of those that there are, or the first of them."""
    hint = did_you_mean(type_, known) or (f"There are {listed(known)}." if known else "")
    return warned("unknown_type", f"No entity is of type {type_!r}. {hint}".strip(), (type_,))


def unknown_types(graph: GraphView, types: Collection[str] | None) -> tuple[ToolWarning, ...]:
    """Tell of types that no relationship has, with the nearest that there are."""
    known = compiled(graph).type_names
    wrong = sorted(set(types or ()) - set(known))
    hints = [hint for name in wrong[:5] if (hint := did_you_mean(name, known))]
    message = " ".join([f"No relationship is of type {', '.join(map(repr, wrong[:5]))}.", *hints])
    return warned("unknown_type", message, wrong, when=wrong)


def edges_among(graph: GraphView, places: Ints, *, both: bool) -> Ints:
    """Return the relationships with an end, or both, among some entities, those denied too, in order."""
    arrays = compiled(graph)
    edges = distinct(arrays.edges_at(places, denied=True)[0])
    if not both:
        return edges
    within: Ints = edges[np.isin(arrays.source[edges], places) & np.isin(arrays.target[edges], places)]
    return within


class Step(NamedTuple):
    """A relationship followed from the node `here` to the node `there`."""

    here: int
    there: int
    edge: int
    depth: int
    outward: bool
    """The relationship points to `there`."""
    confidence: float


class Around(NamedTuple):
    """The first steps, and how many more there are."""

    steps: list[Step]
    left_out: int


def around(
    graph: GraphView,
    start: int,
    *,
    way: Direction = "both",
    types: Collection[str] | None = None,
    least: float = 0.0,
    depth: int = 1,
    limit: int | None = None,
    own: bool = False,
) -> Around:
    """Follow relationships from a node to nodes that are not nearer, `depth` hops out (breadth first).

    A hop's steps come in order of confidence, then of weight, then of ids. At the first hop each of several
    relationships with one neighbour is a step of its own. `least` is the least confidence; with `own` the
    first hop also has the relationships of `start` with itself. One that texts only deny is no step, unless
    it is one of `start` and its type is named: then it is shown, and not followed further.
    """
    arrays = compiled(graph)
    seen = np.zeros(len(arrays.ids), dtype=bool)
    seen[start] = True
    frontier = np.array([start], dtype=np.int64)
    steps: list[Step] = []
    total = 0
    for hop in range(1, depth + 1):
        own = own and hop == 1
        step = hop_from(arrays, frontier, way, types, own=own, denied=hop == 1 and types is not None)
        sure = confidences(graph, step.edge)
        keep = (sure >= least) & (own | ~seen[step.there])
        step, sure = step.marked(keep), sure[keep]
        total += len(sure)
        outward = arrays.source[step.edge] == step.here
        for i in surest(arrays, step, sure)[: None if limit is None else limit - len(steps)].tolist():
            ends = int(step.here[i]), int(step.there[i]), int(step.edge[i])
            steps.append(Step(*ends, hop, bool(outward[i]), float(sure[i])))
        frontier = distinct(step.there[arrays.is_stated[step.edge]])
        seen[frontier] = True
    return Around(steps, total - len(steps))


def surest(arrays: CompiledGraph, hop: Hop, sure: Doubles) -> Ints:
    """Return the places of a hop's relationships: the surest first, of equals the weightiest."""
    return np.lexsort((-arrays.weight[hop.edge], -sure))
