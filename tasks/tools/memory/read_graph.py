"""The graph as a whole, or as much of it as fits an answer."""

from itertools import islice

import numpy as np
from pydantic import AliasChoices, Field

from corpusgraph.schemas.ports import GraphView, Memory
from corpusgraph.schemas.results import Noted, ToolInput, warned
from corpusgraph.tasks.graph.compiled import compiled
from corpusgraph.tasks.registry import tool
from corpusgraph.tasks.tools.memory._inputs import KnowledgeGraph, shown
from corpusgraph.tasks.tools.memory.create_entities import REFERENCE

MANY = 500


class ReadGraph(ToolInput):
    """How much to read."""

    limit: int = Field(
        MANY,
        ge=1,
        le=100_000,
        validation_alias=AliasChoices("limit", "top_k", "maxResults"),
        description="entities at most; more than this is told in a warning",
    )


@tool(
    writes="memory",
    needs={"Entity.id", "Relationship.source_id", "Relationship.target_id"},
    optional={"Entity.name", "Entity.type", "Entity.attributes", "Relationship.type"},
    cite=REFERENCE,
)
def read_graph(ask: ReadGraph, graph: GraphView, memory: Memory | None) -> Noted[KnowledgeGraph]:
    """Return all entities and relations; of a large graph what was added by hand, then the best connected."""
    n = len(graph.entities)
    nodes = list(range(n)) if n <= ask.limit else _foremost(graph, memory, ask.limit)
    part, left_out = shown(graph, nodes, both=True)
    message = (
        f"Shown are {len(part.entities):,} of {n:,} entities and {len(part.relations):,} of "
        f"{len(graph.relationships):,} relations; search_nodes and open_nodes find the others."
    )
    return Noted(data=part, warnings=warned("graph_truncated", message, when=n > ask.limit or left_out))


def _foremost(graph: GraphView, memory: Memory | None, limit: int) -> list[int]:
    """Return what was made or noted by hand, then those with most relationships, ties by id."""
    arrays = compiled(graph)
    ids = memory.handled() if memory is not None else ()
    chosen = list(islice((at for id_ in ids if (at := arrays.ids.find(id_)) is not None), limit))
    order = np.argsort(-arrays.degrees, kind="stable")[: limit + len(chosen)]
    return list(dict.fromkeys([*chosen, *order.tolist()]))[:limit]
