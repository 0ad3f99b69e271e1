"""Fields of many relationships or entities, read as columns where the graph is kept as columns."""

from collections.abc import Collection, Sequence
from typing import Annotated, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray
from pydantic import AliasChoices, Field

from corpusgraph.schemas.errors import did_you_mean
from corpusgraph.schemas.graph import Relationship
from corpusgraph.schemas.ports import GraphView, Ints
from corpusgraph.schemas.results import ToolWarning, warned
from corpusgraph.tasks.build.aggregate import CERTAIN
from corpusgraph.tasks.graph.columnar import values_of
from corpusgraph.tasks.graph.compiled import CompiledGraph, Doubles, compiled, distinct
from corpusgraph.tasks.tools.memory._inputs import listed


def stated_confidences(graph: GraphView, edges: Ints) -> Doubles:
    """Return the confidence that some relationships have (k,)."""
    return np.asarray(values_of(graph.relationships, "confidence", edges), dtype=np.float64)


def confidences(graph: GraphView, edges: Ints) -> Doubles:
    """Return how sure some relationships are, as memory clients know weights (k,)."""
    stated = stated_confidences(graph, edges)
    return np.where(stated >= CERTAIN, 1.0, stated + 0.0)  # + 0.0: there is no -0.0


def weight_of(relationship: Relationship) -> float:
    """Return how sure a relationship is, as memory clients know weights: 0 to 1."""
    return 1.0 if relationship.confidence >= CERTAIN else relationship.confidence + 0.0


Types = Annotated[
    list[str] | None,
    Field(
        validation_alias=AliasChoices("relationship_types", "relation_types", "edge_types"),
        description="look at these types only",
    ),
]
Least = Annotated[float, Field(ge=0, description="look at relationships of at least this weight")]


def chosen(arrays: CompiledGraph, types: Sequence[str] | None, min_weight: float) -> CompiledGraph:
    """Return the graph of some stated relationships; nodes stay, and numbers of edges change."""
    if types is None and min_weight <= 0 and not len(arrays.denied):
        return arrays
    keep: NDArray[np.bool_] = arrays.is_stated & (arrays.weight >= min_weight)
    if types is not None:
        keep = keep & arrays.of_types(types)
    return CompiledGraph(
        ids=arrays.ids,
        source=arrays.source[keep],
        target=arrays.target[keep],
        weight=arrays.weight[keep],
        type_code=arrays.type_code[keep],
        type_names=arrays.type_names,
    )


def no_entity_of_type(type_: str, known: Sequence[str]) -> tuple[ToolWarning, ...]:
    """Tell that no entity is of a type, with the nearest of those that there are, or the first of them."""
    hint = did_you_mean(type_, known) or (f"There are {listed(known)}." if known else "")
    message = f"No entity is of type {type_!r}. {hint}".strip()
    return warned("unknown_type", message, (type_,))


def unknown_types(graph: GraphView, types: Sequence[str] | None) -> tuple[ToolWarning, ...]:
    """Tell of types that no relationship has, with the nearest that there are."""
    known = compiled(graph).type_names
    wrong = sorted(set(types or ()) - set(known))
    hints = [hint for name in wrong[:5] if (hint := did_you_mean(name, known))]
    message = " ".join([f"No relationship is of type {', '.join(map(repr, wrong[:5]))}.", *hints])
    return warned("unknown_type", message, wrong, when=wrong)


Way = Literal["in", "out", "both"]


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


class Hop(NamedTuple):
    """Relationships followed: from which nodes, to which, and which they are (k,)."""

    here: Ints
    there: Ints
    edge: Ints

    def kept(self, keep: NDArray[np.bool_]) -> "Hop":
        """Return those that are marked."""
        return Hop(self.here[keep], self.there[keep], self.edge[keep])


def around(
    graph: GraphView,
    start: int,
    *,
    way: Way = "both",
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
        denied = hop == 1 and types is not None
        found = hop_from(arrays, frontier, way, types, own=own, denied=denied)
        found = found if own else found.kept(~seen[found.there])
        sure = confidences(graph, found.edge)
        if least > 0:
            found, sure = found.kept(sure >= least), sure[sure >= least]
        total += len(found.edge)
        steps += _first(arrays, found, sure, hop, None if limit is None else limit - len(steps))
        frontier = distinct(found.there[arrays.is_stated[found.edge]])
        seen[frontier] = True
    return Around(steps, total - len(steps))


def hop_from(
    arrays: CompiledGraph,
    nodes: Ints,
    way: Way,
    types: Collection[str] | None,
    *,
    own: bool = False,
    denied: bool = False,
) -> Hop:
    """Return every stated relationship at some nodes that leads elsewhere; between two of them, one each way.

    With `own` also those that a node has with itself, with `denied` also those that texts only deny.
    """
    edges, whose = arrays.edges_at(nodes, denied=denied)
    here = nodes[whose]
    source, target = arrays.source[edges], arrays.target[edges]
    keep = (source != target) | own
    if types is not None:
        wanted = np.array([name in types for name in arrays.type_names], dtype=bool)
        keep &= wanted[arrays.type_code[edges]] if len(wanted) else False
    if way != "both":
        keep &= (source if way == "out" else target) == here
    return Hop(here, np.where(source == here, target, source), edges).kept(keep)


def _first(arrays: CompiledGraph, found: Hop, sure: Doubles, hop: int, limit: int | None) -> list[Step]:
    places = strongest(sure, arrays.weight[found.edge], limit)
    return [
        Step(
            int(found.here[i]),
            int(found.there[i]),
            int(found.edge[i]),
            hop,
            bool(arrays.source[found.edge[i]] == found.here[i]),
            float(sure[i]),
        )
        for i in places.tolist()
    ]


def strongest(sure: Doubles, weight: Doubles, limit: int | None) -> Ints:
    """Return the places of the `limit` surest, of equals the weightiest, of these the first."""
    if limit is not None and limit <= 0:
        return np.zeros(0, dtype=np.int64)
    if limit is None or limit >= len(sure):
        return np.lexsort((-weight, -sure))
    cut = np.partition(sure, -limit)[-limit]
    some = np.flatnonzero(sure >= cut)
    chosen: Ints = some[np.lexsort((-weight[some], -sure[some]))[:limit]]
    return chosen
