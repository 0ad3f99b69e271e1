"""How large a graph is, what it is made of, and how it is searched."""

from typing import Literal

import numpy as np
from pydantic import Field

from corpusgraph.schemas.base import JsonDict
from corpusgraph.schemas.ports import GraphView, Ints, Vectors, VectorStatus
from corpusgraph.schemas.results import ToolInput
from corpusgraph.tasks.graph.columnar import values_of
from corpusgraph.tasks.graph.compiled import compiled
from corpusgraph.tasks.graph.ranking import vector_status
from corpusgraph.tasks.registry import tool
from corpusgraph.tasks.tools.memory._inputs import Shape
from corpusgraph.tasks.tools.memory.get_entity_neighbors import ENHANCED


class GetGraphStatistics(ToolInput):
    """Of which index."""


QdrantStatus = Literal["connected", "disconnected", "not_configured"]


class TypeCount(Shape):
    """A type of relationship, and how many there are of it."""

    relation_type: str
    count: int


class Statistics(Shape):
    """Counts."""

    entities: int
    relationships: int
    relationship_types: tuple[TypeCount, ...] = Field(description="most frequent first")
    avg_relationships_per_entity: float = Field(description="relationships / entities, two decimals")
    causal_relationships: int
    qdrant_available: bool = Field(
        description="this index keeps its vectors in Qdrant, and its client is installed"
    )
    qdrant_connected: bool = Field(description="and it answers")
    vector_backend: str = Field(description="what answers vector searches: memory, lance or qdrant")


class Health(Shape):
    """The same, short."""

    entities: int
    relationships: int
    avg_relationships_per_entity: float
    causal_relationships: int
    qdrant_status: QdrantStatus = Field(description="not_configured: this index is searched without Qdrant")


class GraphStatistics(Shape):
    """Statistics and health of a graph."""

    success: Literal[True] = True
    statistics: Statistics
    health: Health


@tool(
    writes="memory",
    needs={"Entity.id", "Relationship.source_id", "Relationship.target_id"},
    optional={"Relationship.type", "Relationship.is_causal"},
    cite=ENHANCED,
)
def get_graph_statistics(
    ask: GetGraphStatistics,  # noqa: ARG001  a tool takes an input
    graph: GraphView,
    vectors: Vectors | None,
) -> GraphStatistics:
    """Count entities, relationships and their types, and tell what answers vector searches."""
    arrays, backend = compiled(graph), vector_status(vectors)
    n, m = len(arrays.ids), len(arrays.source)
    average = round(m / n, 2) if n else 0.0
    causal = int(np.count_nonzero(values_of(graph.relationships, "is_causal")))
    counts: JsonDict = {
        "entities": n,
        "relationships": m,
        "avg_relationships_per_entity": average,
        "causal_relationships": causal,
    }
    statistics = Statistics(
        **counts,
        relationship_types=_types(arrays.type_names, arrays.type_code),
        qdrant_available=backend.available,
        qdrant_connected=backend.connected,
        vector_backend=backend.backend,
    )
    return GraphStatistics(statistics=statistics, health=Health(**counts, qdrant_status=_status(backend)))


def _types(names: tuple[str, ...], codes: Ints) -> tuple[TypeCount, ...]:
    counts = np.bincount(codes, minlength=len(names)).tolist() if names else []
    found = sorted(zip(names, counts, strict=True), key=lambda pair: (-pair[1], pair[0]))
    return tuple(TypeCount(relation_type=name, count=count) for name, count in found if count)


def _status(backend: VectorStatus) -> QdrantStatus:
    if backend.backend != "qdrant":
        return "not_configured"
    return "connected" if backend.connected else "disconnected"
