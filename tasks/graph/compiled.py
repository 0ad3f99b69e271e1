"""The graph as arrays: what walks and aggregations run on. Kept ones are used, others made once."""

from collections.abc import Mapping, Sequence

import numpy as np

from corpusgraph.schemas.base import nfc
from corpusgraph.schemas.graph import EntityRef, Relationship
from corpusgraph.schemas.ports import GraphView, Ints
from corpusgraph.tasks.graph.arrays import CompiledGraph, Doubles, HasArrays, adjacency
from corpusgraph.tasks.graph.lists import IdLists, Ids, Lists, Places, listed
from corpusgraph.tasks.graph.memo import per_graph
from corpusgraph.tasks.graph.runs import distinct

__all__ = [
    "CompiledGraph",
    "Doubles",
    "adjacency",
    "chunk_ids",
    "compiled",
    "degree",
    "edge_of",
    "ends",
    "mentions",
    "neighbours_at",
    "node_of",
    "relationship_chunks",
    "relationship_ids",
    "stated",
]


@per_graph
def compiled(graph: GraphView) -> CompiledGraph:
    """Return the arrays of a graph."""
    if isinstance(graph, HasArrays):
        return graph.arrays.nodes
    ids = Ids(tuple(entity.id for entity in graph.entities))
    at = {id_: i for i, id_ in enumerate(ids)}
    edges = graph.relationships
    names = sorted({edge.type for edge in edges})
    code = {name: i for i, name in enumerate(names)}
    return CompiledGraph(
        ids=ids,
        source=np.array([at[e.source_id] for e in edges], dtype=np.int64),
        target=np.array([at[e.target_id] for e in edges], dtype=np.int64),
        weight=np.array([e.weight for e in edges], dtype=np.float64),
        type_code=np.array([code[e.type] for e in edges], dtype=np.int64),
        type_names=tuple(names),
        denied=np.array([i for i, e in enumerate(edges) if not e.is_stated], dtype=np.int64),
    )


@per_graph
def relationship_ids(graph: GraphView) -> Ids:
    """Return the ids of relationships, in order."""
    if isinstance(graph, HasArrays):
        return graph.arrays.relationship_ids
    return Ids(tuple(relationship.id for relationship in graph.relationships))


@per_graph
def chunk_ids(graph: GraphView) -> Ids:
    """Return the ids of chunks, in order."""
    if isinstance(graph, HasArrays):
        return graph.arrays.chunk_ids
    return Ids(tuple(chunk.id for chunk in graph.chunks))


@per_graph
def mentions(graph: GraphView) -> Lists:
    """Return for each entity the chunks that mention it and how often, in text order."""
    if isinstance(graph, HasArrays):
        return graph.arrays.mentions
    counts, at = graph.mention_counts(), {id_: i for i, id_ in enumerate(chunk_ids(graph))}
    found = [counts.get(id_, {}) for id_ in compiled(graph).ids]
    sizes = np.array([len(chunks) for chunks in found], dtype=np.int64)
    return Lists(
        start=np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64),
        item=np.array([at[id_] for chunks in found for id_ in chunks], dtype=np.int64),
        count=np.array([count for chunks in found for count in chunks.values()], dtype=np.int64),
    )


@per_graph
def stated(graph: GraphView) -> Lists:
    """Return for each relationship the chunks that state it, in text order.

    Read from `Relationship.chunk_ids` and `Chunk.relationships`, whichever the graph has.
    """
    if isinstance(graph, HasArrays):
        return graph.arrays.stated
    edges, chunks = graph.relationships, graph.chunks
    chunk_at = {chunk.id: i for i, chunk in enumerate(chunks)}
    edge_at = {edge.id: i for i, edge in enumerate(edges)}
    pairs = {(i, chunk_at[id_]) for i, e in enumerate(edges) for id_ in e.chunk_ids or () if id_ in chunk_at}
    for i, chunk in enumerate(chunks):
        pairs |= {(edge_at[id_], i) for id_ in chunk.relationships or () if id_ in edge_at}
    found = np.array(sorted(pairs), dtype=np.int64).reshape(-1, 2)
    order = sorted(range(len(chunks)), key=lambda i: (chunks[i].source_doc, chunks[i].position, i))
    place = np.empty(len(order), dtype=np.int64)
    place[order] = np.arange(len(order))
    return listed(found[:, 0], found[:, 1], np.ones(len(found), dtype=np.int64), place, len(edges))


def ends(relationship: Relationship) -> tuple[str, ...]:
    """Return the distinct ends of a relationship: two, or one for a self-loop."""
    return tuple(dict.fromkeys((relationship.source_id, relationship.target_id)))


def degree(graph: GraphView, entity_id: str) -> int:
    """Count the stated relationships of an entity; a self-loop counts once."""
    arrays = compiled(graph)
    return int(arrays.degrees[arrays.at[entity_id]])


def node_of(graph: GraphView, ref: EntityRef) -> int:
    """Return the node of an entity by id, short id or name; no noun is made for an id."""
    nodes = compiled(graph)
    at = nodes.ids.find(nfc(ref)) if isinstance(ref, str) else None
    return nodes.at[graph.entity(ref).id] if at is None else at


def edge_of(graph: GraphView, ref: EntityRef) -> int:
    """Return the place of a relationship by id or short id; no noun is made for an id."""
    ids = relationship_ids(graph)
    at = ids.find(ref) if isinstance(ref, str) else None
    return Places(ids)[graph.relationship(ref).id] if at is None else at


def relationship_chunks(graph: GraphView) -> Mapping[str, Sequence[str]]:
    """Return relationship id -> ids of the chunks that state it, in text order."""
    return IdLists(relationship_ids(graph), stated(graph), chunk_ids(graph))


def neighbours_at(arrays: CompiledGraph, node: int) -> Ints:
    """Return the nodes one stated edge away, in either direction, in order and without itself."""
    edges = arrays.edges_of(node)
    near = distinct(np.concatenate([arrays.source[edges], arrays.target[edges]]))
    apart: Ints = near[near != node]
    return apart
