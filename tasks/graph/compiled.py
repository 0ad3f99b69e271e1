"""The graph as arrays: what walks and aggregations run on."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from corpusgraph.schemas.graph import Relationship
from corpusgraph.schemas.ports import GraphView, Ints
from corpusgraph.tasks.graph.memo import per_graph

if TYPE_CHECKING:
    from scipy.sparse import csr_array

Doubles = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class CompiledGraph:
    """Edge `i` runs from node `source[i]` to node `target[i]`; nodes and edges are in id order."""

    ids: tuple[str, ...]
    at: Mapping[str, int]
    source: Ints
    target: Ints
    weight: Doubles
    types: tuple[str, ...]

    def adjacency(self, *, directed: bool, types: Collection[str] | None = None) -> "csr_array":
        """Return the weighted adjacency matrix; parallel edges add up.

        Undirected, an edge counts both ways and a self-loop once, as in networkx.
        """
        if types is None:
            return self._directed if directed else self._undirected
        keep = self.of_types(types)
        return adjacency(
            len(self.ids), self.source[keep], self.target[keep], self.weight[keep], directed=directed
        )

    def of_types(self, types: Collection[str]) -> NDArray[np.bool_]:
        """Tell for each edge whether it has one of the types."""
        return np.fromiter((t in types for t in self.types), bool, len(self.types))

    @cached_property
    def degrees(self) -> Ints:
        """Count the relationships of each node (n,); a self-loop counts once."""
        ends = np.concatenate([self.source, self.target[self.source != self.target]])
        return np.bincount(ends, minlength=len(self.ids))

    def edges_of(self, node: int) -> Ints:
        """Return the places of the edges at a node, in id order; a self-loop once."""
        start, edges = self._edges_by_node
        found: Ints = edges[start[node] : start[node + 1]]
        return found

    @cached_property
    def _edges_by_node(self) -> tuple[Ints, Ints]:
        """Return where each node's edges start (n + 1,), and the edges, node by node."""
        other = np.flatnonzero(self.source != self.target)
        node = np.concatenate([self.source, self.target[other]])
        edge = np.concatenate([np.arange(len(self.source)), other])
        order = np.lexsort((edge, node))
        counts = np.bincount(node, minlength=len(self.ids))
        return np.concatenate([[0], np.cumsum(counts)]).astype(np.int64), edge[order]

    @cached_property
    def _directed(self) -> "csr_array":
        return adjacency(len(self.ids), self.source, self.target, self.weight, directed=True)

    @cached_property
    def _undirected(self) -> "csr_array":
        return adjacency(len(self.ids), self.source, self.target, self.weight, directed=False)


def adjacency(n: int, source: Ints, target: Ints, weight: Doubles, *, directed: bool) -> "csr_array":
    """Return the (n, n) matrix with the weight of edges from row to column, parallel edges summed."""
    from scipy.sparse import coo_array

    if not directed:
        once = source != target
        source, target = np.concatenate([source, target[once]]), np.concatenate([target, source[once]])
        weight = np.concatenate([weight, weight[once]])
    return coo_array((weight, (source, target)), shape=(n, n)).tocsr()


@per_graph
def compiled(graph: GraphView) -> CompiledGraph:
    """Return the arrays of a graph."""
    ids = tuple(entity.id for entity in graph.entities)
    at = {id_: i for i, id_ in enumerate(ids)}
    edges = graph.relationships
    return CompiledGraph(
        ids=ids,
        at=at,
        source=np.array([at[e.source_id] for e in edges], dtype=np.int64),
        target=np.array([at[e.target_id] for e in edges], dtype=np.int64),
        weight=np.array([e.weight for e in edges], dtype=np.float64),
        types=tuple(e.type for e in edges),
    )


@per_graph
def incident(graph: GraphView) -> Mapping[str, Sequence[Relationship]]:
    """Return entity id -> its relationships, in id order; a self-loop once."""
    found: dict[str, list[Relationship]] = {entity.id: [] for entity in graph.entities}
    for relationship in graph.relationships:
        for end in ends(relationship):
            found[end].append(relationship)
    return found


def ends(relationship: Relationship) -> tuple[str, ...]:
    """Return the distinct ends of a relationship: two, or one for a self-loop."""
    return tuple(dict.fromkeys((relationship.source_id, relationship.target_id)))


def degree(graph: GraphView, entity_id: str) -> int:
    """Count the relationships of an entity; a self-loop counts once."""
    arrays = compiled(graph)
    return int(arrays.degrees[arrays.at[entity_id]])


@per_graph
def relationship_chunks(graph: GraphView) -> Mapping[str, Sequence[str]]:
    """Return relationship id -> ids of the chunks that state it, in text order.

    Read from `Relationship.chunk_ids` and `Chunk.relationships`, whichever the graph has.
    """
    place = {c.id: (c.source_doc, c.position, c.id) for c in graph.chunks}
    found: dict[str, set[str]] = {r.id: place.keys() & set(r.chunk_ids or ()) for r in graph.relationships}
    for chunk in graph.chunks:
        for relationship_id in chunk.relationships or ():
            if relationship_id in found:
                found[relationship_id].add(chunk.id)
    return {id_: in_text_order(chunks, place) for id_, chunks in found.items()}


def in_text_order(ids: Iterable[str], place: Mapping[str, tuple[str, int, str]]) -> tuple[str, ...]:
    """Sort chunk ids by document, position and id."""
    return tuple(sorted(ids, key=lambda id_: place[id_]))


def neighbours(graph: GraphView, entity_id: str) -> set[str]:
    """Return the ids of the entities one relationship away, in either direction, without itself."""
    return {end for r in incident(graph)[entity_id] for end in ends(r)} - {entity_id}
