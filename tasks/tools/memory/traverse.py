"""Paths from an entity that follow a pattern of relations."""

from collections.abc import Iterator, Sequence
from typing import Annotated, Literal

import numpy as np
from pydantic import AliasChoices, BeforeValidator, ConfigDict, Field, PositiveInt

from corpusgraph.schemas.base import Noun
from corpusgraph.schemas.ports import GraphView
from corpusgraph.schemas.results import Noted, ToolInput, ToolWarning, warned
from corpusgraph.tasks.graph.columnar import values_of
from corpusgraph.tasks.graph.compiled import CompiledGraph, compiled, node_of
from corpusgraph.tasks.graph.inputs import directions
from corpusgraph.tasks.progress import step as take_step
from corpusgraph.tasks.registry import tool
from corpusgraph.tasks.tools.memory._columns import (
    confidences,
    hop_from,
    no_entity_of_type,
    strongest,
    unknown_types,
)
from corpusgraph.tasks.tools.memory._inputs import Name, Node, Ref, Shape, is_none
from corpusgraph.tasks.tools.memory._inputs import node_of as shown
from corpusgraph.tasks.tools.memory.get_related import PROPOSED

SPELLINGS = {"incoming": "in", "inbound": "in", "outgoing": "out", "outbound": "out"}
LOOKS = 2_000_000
"""Relations looked at, after which a pattern that few paths fit is given up, with a warning."""

Way = Annotated[Literal["out", "in", "both"], BeforeValidator(directions(SPELLINGS))]


class PathStep(Noun):
    """One step of a pattern; what is left out may be anything."""

    model_config = ConfigDict(frozen=True, extra="forbid", populate_by_name=True)

    relation_type: Name | None = Field(
        None,
        validation_alias=AliasChoices("relation_type", "relationType"),
        description="type of the relation; any, unless given",
    )
    direction: Way = Field("out", description="out: along the relation; in: against it; both: either")
    target_type: Name | None = Field(
        None,
        validation_alias=AliasChoices("target_type", "targetType"),
        description="type of the entity it leads to; any, unless given",
    )


class Traverse(ToolInput):
    """Where to start, and which relations to follow one after another."""

    start_node: Ref = Field(
        validation_alias=AliasChoices("start_node", "startNode", "entity", "entityName"),
        description="the entity to start at: name, id or short id",
    )
    path: list[PathStep] = Field(min_length=1, max_length=10, description="the pattern, step by step")
    max_results: PositiveInt = Field(
        50,
        validation_alias=AliasChoices("max_results", "maxResults", "limit", "top_k", "max_paths"),
        description="how many paths at most",
    )


class FoundPath(Shape):
    """Entities by name, and the type of the relation between each and the next."""

    nodes: tuple[str, ...]
    relations: tuple[str, ...]


class Traversal(Shape):
    """Every path that fits and meets no entity twice, and the entities they end at, each once."""

    startNode: str  # noqa: N815  the protocol's spelling
    paths: tuple[FoundPath, ...]
    endNodes: tuple[Node, ...]  # noqa: N815
    truncated: bool | None = Field(
        None, exclude_if=is_none, description="true where there may be more paths than these"
    )


Trail = tuple[tuple[int, ...], tuple[int, ...]]
"""Nodes, and the edges between them."""


@tool(
    writes="memory",
    needs={"Entity.id", "Relationship.source_id", "Relationship.target_id"},
    optional={"Entity.name", "Entity.type", "Entity.attributes", "Relationship.type"},
    cite=PROPOSED,
)
def traverse(ask: Traverse, graph: GraphView) -> Noted[Traversal]:
    """Follow a pattern of relations from an entity; at a fork the surest relation is followed first."""
    start = node_of(graph, ask.start_node)
    walk = _Walk(graph, ask.path)
    trails: list[Trail] = []
    more = False
    for trail in walk.trails((start,), ()):
        if len(trails) == ask.max_results:
            more = True
            break
        trails.append(trail)
    paths = sorted((_path(trail, graph) for trail in trails), key=lambda path: (path.nodes, path.relations))
    ends = [graph.entities[i] for i in dict.fromkeys(nodes[-1] for nodes, _ in trails)]
    gave_up = walk.looks >= LOOKS
    data = Traversal(
        startNode=graph.entities[start].name,
        paths=tuple(paths),
        endNodes=tuple(shown(entity) for entity in sorted(ends, key=lambda e: (e.name, e.id))),
        truncated=True if more or gave_up else None,
    )
    message = f"The search was ended after {LOOKS:,} relations; a narrower pattern finds the rest."
    told = _unknown(ask.path, graph) if not trails else ()
    return Noted(data=data, warnings=(*told, *warned("search_ended", message, when=gave_up)))


def _unknown(path: Sequence[PathStep], graph: GraphView) -> tuple[ToolWarning, ...]:
    """Tell why no path may fit: types of relations and of entities that there are none of."""
    known = sorted({name for name in values_of(graph.entities, "type") if name})
    wrong = dict.fromkeys(step.target_type for step in path if step.target_type not in {None, *known})
    return (
        *unknown_types(graph, [step.relation_type for step in path if step.relation_type]),
        *(warning for name in wrong for warning in no_entity_of_type(str(name), known)),
    )


class _Walk:
    """Paths in depth, made one after another as they are asked for."""

    def __init__(self, graph: GraphView, steps: Sequence[PathStep]) -> None:
        self._graph, self._steps = graph, steps
        self._arrays: CompiledGraph = compiled(graph)
        self.looks = 0

    def trails(self, nodes: tuple[int, ...], edges: tuple[int, ...]) -> Iterator[Trail]:
        """Yield the ways to finish a path that has begun."""
        if len(edges) == len(self._steps):
            yield nodes, edges
            return
        for there, edge in self._next(nodes[-1], self._steps[len(edges)]):
            if there not in nodes:
                yield from self.trails((*nodes, there), (*edges, edge))

    def _next(self, node: int, step: PathStep) -> Iterator[tuple[int, int]]:
        take_step("relations looked at", self.looks)
        types = None if step.relation_type is None else {step.relation_type}
        hop = hop_from(self._arrays, np.array([node], dtype=np.int64), step.direction, types)
        self.looks += len(hop.edge)
        if step.target_type is not None:
            types_there = values_of(self._graph.entities, "type", hop.there)
            hop = hop.kept(np.asarray(types_there == step.target_type, dtype=bool))
        sure = confidences(self._graph, hop.edge)
        for i in strongest(sure, self._arrays.weight[hop.edge], None).tolist():
            if self.looks >= LOOKS:
                return
            yield int(hop.there[i]), int(hop.edge[i])


def _path(trail: Trail, graph: GraphView) -> FoundPath:
    nodes, edges = trail
    return FoundPath(
        nodes=tuple(graph.entities[i].name for i in nodes),
        relations=tuple(graph.relationships[i].type for i in edges),
    )
