"""How two entities hang together: the shortest, the cheapest, or all simple paths."""

import math
from collections.abc import Iterable
from dataclasses import replace
from itertools import islice
from typing import Annotated, Literal

import numpy as np
from pydantic import AliasChoices, BeforeValidator, Field

from corpusgraph.schemas.base import Noun
from corpusgraph.schemas.errors import InvalidInputError
from corpusgraph.schemas.graph import EntityRef, Path
from corpusgraph.schemas.ports import GraphView
from corpusgraph.schemas.results import Noted, Scored, ToolInput, ToolWarning, warned
from corpusgraph.tasks.digits import settled, significant
from corpusgraph.tasks.graph.compiled import compiled, relationship_ids
from corpusgraph.tasks.graph.inputs import directions, reference
from corpusgraph.tasks.graph.paths import Budget, Direction, Links, Order, Route, linked, simple_paths
from corpusgraph.tasks.registry import tool
from corpusgraph.tasks.tools.entity.onehop_neighbors import SPELLINGS
from corpusgraph.tasks.tools.memory._columns import Types, unknown_types

Mode = Literal["shortest", "weighted", "all_simple"]
Cost = Literal["weight", "confidence"]
MOST = 1000

_OPPOSITE: dict[Direction, Direction] = {"out": "in", "in": "out", "both": "both"}
_DIRECTIONS = {**SPELLINGS, "outbound": "out", "inbound": "in", "directed": "out", "undirected": "both"}
End = Annotated[EntityRef, BeforeValidator(reference)]


class FindPaths(ToolInput):
    """Between which entities, what is short, and how far to look."""

    source: End = Field(
        validation_alias=AliasChoices("source", "source_id", "source_entity", "start", "from_entity"),
        description="where paths begin: entity by id, short id or name",
    )
    target: End = Field(
        validation_alias=AliasChoices("target", "target_id", "target_entity", "end", "to_entity"),
        description="where paths end: entity by id, short id or name",
    )
    mode: Mode = Field(
        "shortest",
        description="shortest: fewest relationships first; weighted: least cost first; all_simple: every "
        "path that passes no entity twice, fewest relationships first",
    )
    cost: Cost = Field(
        "weight",
        description="of a relationship: weight: 1 / weight, so strong ones are short; confidence: "
        "-ln confidence, so the cheapest path is the one most likely to hold throughout",
    )
    max_hops: int = Field(
        4,
        ge=1,
        le=20,
        validation_alias=AliasChoices("max_hops", "max_depth", "depth", "maxDepth"),
        description="relationships of a path at most",
    )
    top_k: int = Field(
        10,
        ge=1,
        le=MOST,
        validation_alias=AliasChoices("top_k", "limit", "max_paths"),
        description="paths at most; `truncated` tells whether there are more",
    )
    direction: Annotated[Direction, BeforeValidator(directions(_DIRECTIONS))] = Field(
        "both",
        description="out: from source to target of each relationship; in: against it; both: either way",
    )
    relationship_types: Types = None
    min_weight: float = Field(0.0, ge=0, description="follow relationships of at least this weight")
    parallel: bool = Field(
        False,
        description="of several relationships between two entities take each in turn, not the best alone",
    )


class FoundPath(Path):
    """A path with the names on it. `score` is 1 / (1 + cost); by confidence, the product of confidences."""

    names: tuple[str, ...] = Field(description="names of the entities, in order")
    steps: tuple[str, ...] = Field(description="each relationship in words, as the graph states it")


class FoundPaths(Noun):
    """Paths, the best first."""

    success: Literal[True] = True
    source: str
    target: str
    mode: Mode
    path_count: int
    truncated: bool = Field(description="there are more than were asked for, or the search gave up")
    paths: list[Scored[FoundPath]]


@tool(
    writes="found_paths",
    needs={"Entity.id", "Relationship.id", "Relationship.source_id", "Relationship.target_id"},
    optional={"Entity.name", "Relationship.weight", "Relationship.confidence", "Relationship.type"},
    adds={"Scored.score", "Scored.components.hops", "Scored.components.cost"},
    cite="Dijkstra 1959; Yen 1971; Hart, Nilsson & Raphael 1968; reliability of paths: Ball, Colbourn & "
    "Provan 1995",
)
def find_paths(ask: FindPaths, graph: GraphView) -> Noted[FoundPaths]:
    """Find the shortest, the cheapest or all simple paths between two entities, up to a number of hops."""
    nodes = compiled(graph).at
    source, target = graph.entity(ask.source), graph.entity(ask.target)
    if source.id == target.id:
        raise InvalidInputError(
            f"Source and target are both {source.name!r}.", hint="A path leads from one entity to another."
        )
    budget = Budget()
    order: Order = "cost" if ask.mode == "weighted" else "hops"
    links, back = _links(ask, graph, ask.direction), _links(ask, graph, _OPPOSITE[ask.direction])
    ways = simple_paths(links, back, nodes[source.id], nodes[target.id], ask.max_hops, order, budget)
    found = list(islice(ways, ask.top_k + 1))
    gave_up = budget.left <= 0
    paths = [_scored(ask, graph, route, rank) for rank, route in enumerate(found[: ask.top_k], start=1)]
    return Noted(
        data=FoundPaths(
            source=source.id,
            target=target.id,
            mode=ask.mode,
            path_count=len(paths),
            truncated=len(found) > ask.top_k or gave_up,
            paths=paths,
        ),
        warnings=(
            *_told(ask, source.name, target.name, found, gave_up=gave_up),
            *unknown_types(graph, ask.relationship_types),
        ),
    )


def _links(ask: FindPaths, graph: GraphView, direction: Direction) -> Links:
    """Return the links to follow at their costs; self-loops are in none."""
    attribute = None if ask.cost == "weight" else "confidence"
    every = linked(graph, direction, attribute=attribute, types=ask.relationship_types, parallel=True)
    if ask.min_weight > 0:
        every = every.only(compiled(graph).weight[every.edge] >= ask.min_weight)
    if not ask.parallel:
        every = every.strongest()
    # 1 / confidence in, -ln confidence out: the order of links is the same by either.
    return every if ask.cost == "weight" else replace(every, cost=significant(np.log(every.cost)))


def _scored(ask: FindPaths, graph: GraphView, route: Route, rank: int) -> Scored[FoundPath]:
    ids, edges = compiled(graph).ids, relationship_ids(graph)
    cost, hops = settled(route.cost), len(route.edges)
    score = settled(1 / (1 + cost) if ask.cost == "weight" else math.exp(-cost))
    path = FoundPath(
        node_ids=tuple(ids[i] for i in route.nodes),
        edge_ids=tuple(edges[i] for i in route.edges),
        score=score,
        cost=cost,
        names=tuple(graph.entities[i].name for i in route.nodes),
        steps=tuple(_words(graph, i) for i in route.edges),
    )
    parts = {"hops": float(hops), "cost": cost}
    return Scored[FoundPath](item=path, score=score, rank=rank, scorer=ask.mode, components=parts)


def _words(graph: GraphView, edge: int) -> str:
    relationship, arrays = graph.relationships[edge], compiled(graph)
    source, target = (graph.entities[int(end[edge])].name for end in (arrays.source, arrays.target))
    return f"{source} {relationship.type.replace('_', ' ')} {target}"


def _told(
    ask: FindPaths, source: str, target: str, found: Iterable[Route], *, gave_up: bool
) -> tuple[ToolWarning, ...]:
    if gave_up:
        message = "The search gave up with what it had found; ask for fewer hops, or name types."
        return warned("truncated", message)
    message = f"No path of at most {ask.max_hops} relationships leads from {source!r} to {target!r}."
    return warned("unreached", message, when=not found)
