"""The relations of an entity: its edges by type and direction."""

from collections.abc import Sequence
from dataclasses import dataclass

from corpusgraph.schemas.graph import Entity, Relationship
from corpusgraph.schemas.ports import GraphView
from corpusgraph.tasks.graph.compiled import CompiledGraph, compiled
from corpusgraph.tasks.query.verbal import relation_words, step

KEYWORDS_OF = 20
"""Edges of a relation whose keywords are read with its name."""


@dataclass(frozen=True)
class Relation:
    """The edges of one type that leave an entity, or that arrive there, by their places in the graph."""

    entity: Entity
    type: str
    outgoing: bool
    edges: tuple[int, ...]
    weight: float
    keywords: tuple[str, ...]

    @property
    def line(self) -> str:
        """The relation in words, seen from the entity, and how many edges it has."""
        return f"{self.entity.name} {step(self.type, outgoing=self.outgoing)} ({len(self.edges)})"

    @property
    def text(self) -> str:
        """Its name and the keywords of its edges."""
        return " ".join([relation_words(self.type), *self.keywords])


def relations_of(
    graph: GraphView,
    entity: Entity,
    among: Sequence[Relationship] | None,
    walked: Sequence[Relationship],
) -> list[Relation]:
    """Return an entity's relations, outgoing ones first, then by type, without those that lead back."""
    arrays = compiled(graph)
    node = arrays.at[entity.id]
    back = {(edge.type, outgoing) for edge in walked for outgoing in _ways(edge, entity.id)}
    groups: dict[tuple[bool, str], list[int]] = {}
    for edge in _allowed(graph, arrays, node, among):
        type_, outgoing = arrays.types[edge], bool(arrays.source[edge] == node)
        if (type_, outgoing) not in back:
            groups.setdefault((not outgoing, type_), []).append(edge)
    return [
        _relation(graph, arrays, entity, type_, groups[incoming, type_], outgoing=not incoming)
        for incoming, type_ in sorted(groups)
    ]


def _allowed(
    graph: GraphView, arrays: CompiledGraph, node: int, among: Sequence[Relationship] | None
) -> list[int]:
    edges = [int(edge) for edge in arrays.edges_of(node)]
    if among is None:
        return edges
    ids = {edge.id for edge in among}
    ends = {(arrays.at[edge.source_id], arrays.at[edge.target_id]) for edge in among}
    near = [edge for edge in edges if (int(arrays.source[edge]), int(arrays.target[edge])) in ends]
    return [edge for edge in near if graph.relationships[edge].id in ids]


def _relation(
    graph: GraphView, arrays: CompiledGraph, entity: Entity, type_: str, edges: list[int], *, outgoing: bool
) -> Relation:
    words = (word for edge in edges[:KEYWORDS_OF] for word in graph.relationships[edge].keywords or ())
    return Relation(
        entity,
        type_,
        outgoing,
        tuple(edges),
        float(arrays.weight[edges].sum()),
        tuple(dict.fromkeys(words)),
    )


def _ways(edge: Relationship, entity_id: str) -> list[bool]:
    """Return the directions, seen from an entity, in which an edge would be walked back."""
    ways = [True] if edge.source_id == entity_id else []
    return [*ways, False] if edge.target_id == entity_id else ways
