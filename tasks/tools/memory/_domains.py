"""The graph as it is now, parted into communities: what detect_communities and identify_topics share."""

from typing import NamedTuple

from pydantic import Field, NonNegativeInt, PositiveInt

from corpusgraph.schemas.graph import Community, Relationship
from corpusgraph.schemas.ports import GraphView
from corpusgraph.schemas.results import ToolInput, ToolWarning
from corpusgraph.schemas.study import CommunityOptions
from corpusgraph.tasks.build.communities import find_communities
from corpusgraph.tasks.graph.communities import deepest
from corpusgraph.tasks.graph.compiled import per_graph
from corpusgraph.tasks.progress import counted
from corpusgraph.tasks.tools.memory._columns import Least, Types, unknown_types

KEPT = 2
"""Partitions kept with a graph, those made last: what takes longest here is asked for by two tools."""
Key = tuple[CommunityOptions, frozenset[str] | None, float]


class Parting(ToolInput):
    """How the graph is parted."""

    resolution: float = Field(1.0, gt=0, le=1000, description="higher: more and smaller communities")
    level: NonNegativeInt | None = Field(
        0, description="0: the coarsest; n: communities above max_size divided n times; null: to the end"
    )
    max_size: PositiveInt = Field(10, description="a larger community is divided on the next level")
    min_size: PositiveInt = Field(2, description="leave out communities of fewer entities")
    seed: int = Field(0xDEADBEEF, description="of the order in which entities are looked at")
    relationship_types: Types = None
    min_weight: Least = 0.0


class Parts(NamedTuple):
    """Communities that share no entity, by size, then id; the relationships they were made from."""

    communities: list[Community]
    relationships: list[Relationship]
    n_levels: int
    warnings: tuple[ToolWarning, ...]


def parted(ask: Parting, graph: GraphView) -> Parts:
    """Part the graph by hierarchical Leiden, in steps of a fixed order; dates and quantities are in none."""
    options = CommunityOptions(
        max_size=ask.max_size, resolution=ask.resolution, seed=ask.seed, algorithm="stable"
    )
    types = None if ask.relationship_types is None else set(ask.relationship_types)
    every_one = counted(graph.relationships, "relationships read")
    used = [
        r
        for r in every_one
        if r.is_stated and r.weight >= ask.min_weight and (types is None or r.type in types)
    ]
    key = (options, None if types is None else frozenset(types), ask.min_weight)
    if (every := (known := _found(graph)).get(key)) is None:
        every = find_communities(graph.entities, used, options)
        while len(known) >= KEPT:
            del known[next(iter(known))]
        known[key] = every
    levels = max((community.level for community in every), default=-1) + 1
    kept = deepest(c for c in every if ask.level is None or c.level <= ask.level)
    large = [c for c in kept if len(c.entity_ids) >= ask.min_size]
    return Parts(
        communities=sorted(large, key=lambda c: (-len(c.entity_ids), c.id)),
        relationships=used,
        n_levels=levels,
        warnings=unknown_types(graph, ask.relationship_types),
    )


@per_graph
def _found(graph: GraphView) -> dict[Key, list[Community]]:  # noqa: ARG001  the key of what is remembered
    return {}
