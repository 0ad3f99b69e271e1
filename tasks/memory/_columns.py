"""Fields of many relationships or entities, read as columns where the graph is kept as columns."""

from collections.abc import Sequence
from typing import Any, Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from corpusgraph.schemas.graph import Relationship
from corpusgraph.schemas.ports import GraphView, Ints
from corpusgraph.tasks.graph.arrays import Doubles
from corpusgraph.tasks.index.aggregate import CERTAIN


@runtime_checkable
class HasColumns(Protocol):
    """Nouns kept as columns."""

    def column(self, name: str, places: Ints) -> Any:
        """Return a field of some nouns (k,), or None where it must be read off the nouns."""
        ...


def column(graph: GraphView, kind: str, name: str, places: Ints) -> Any:
    """Return a field of some entities or relationships (k,), or None where there are only nouns."""
    nouns = getattr(graph, kind)
    return nouns.column(name, places) if isinstance(nouns, HasColumns) else None


def stated_confidences(graph: GraphView, edges: Ints) -> Doubles:
    """Return the confidence that some relationships have (k,)."""
    held: Doubles | None = column(graph, "relationships", "confidence", edges)
    if held is None:
        relationships = graph.relationships
        return np.array([relationships[i].confidence for i in edges.tolist()], dtype=np.float64)
    return held


def confidences(graph: GraphView, edges: Ints) -> Doubles:
    """Return how sure some relationships are, as memory clients know weights (k,)."""
    held = stated_confidences(graph, edges)
    return np.where(held >= CERTAIN, 1.0, held + 0.0)  # + 0.0: there is no -0.0


def weight_of(relationship: Relationship) -> float:
    """Return how sure a relationship is, as memory clients know weights: 0 to 1."""
    return 1.0 if relationship.confidence >= CERTAIN else relationship.confidence + 0.0


def n_causal(graph: GraphView) -> int:
    """Count the causal relationships."""
    held = column(graph, "relationships", "is_causal", np.arange(len(graph.relationships)))
    if held is not None:
        return int(np.count_nonzero(held))
    return sum(relationship.is_causal for relationship in graph.relationships)


def names_of(graph: GraphView, nodes: Ints) -> Sequence[str]:
    """Return the names of some entities."""
    held = column(graph, "entities", "name", nodes)
    return [graph.entities[i].name for i in nodes.tolist()] if held is None else list(held)


def descriptions_of(graph: GraphView, nodes: Ints) -> Sequence[str | None]:
    """Return the descriptions of some entities."""
    held = column(graph, "entities", "description", nodes)
    return [graph.entities[i].description for i in nodes.tolist()] if held is None else list(held)


def contents_of(graph: GraphView) -> Sequence[str]:
    """Return the text of each chunk."""
    held = column(graph, "chunks", "content", np.arange(len(graph.chunks)))
    return [chunk.content for chunk in graph.chunks] if held is None else list(held)


def types_of(graph: GraphView) -> Sequence[str | None]:
    """Return the type of each entity."""
    held = column(graph, "entities", "type", np.arange(len(graph.entities)))
    return [entity.type for entity in graph.entities] if held is None else list(held)


def of_type(graph: GraphView, nodes: Ints, type_: str) -> NDArray[np.bool_]:
    """Tell which of some entities are of a type (k,)."""
    held = column(graph, "entities", "type", nodes)
    if held is not None:
        return np.asarray(held == type_, dtype=bool)
    entities = graph.entities
    return np.array([entities[i].type == type_ for i in nodes.tolist()], dtype=bool)
