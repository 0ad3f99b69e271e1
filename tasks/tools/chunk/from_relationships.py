"""Tool 13: the chunks that state relationships."""

from collections.abc import Iterator

from pydantic import Field, PositiveInt

from corpusgraph.schemas.documents import Chunk
from corpusgraph.schemas.ports import GraphView
from corpusgraph.schemas.results import Scored, ToolInput
from corpusgraph.tasks.graph.compiled import edge_of, per_graph, relationship_ids
from corpusgraph.tasks.graph.inputs import RelationshipRefs
from corpusgraph.tasks.graph.ranking import Row, leading, ranked
from corpusgraph.tasks.registry import tool
from corpusgraph.tasks.tools.chunk.score_aggregate import stating_chunks


class ChunkFromRelationships(ToolInput):
    """The relationships, best first."""

    relationships: RelationshipRefs
    include_context: bool = Field(True, description="add the chunks before and after each, ranked below all")
    top_k: PositiveInt | None = Field(None, description="keep this many, context apart; all, unless given")


@tool(
    13,
    writes="chunks",
    needs={"Chunk.relationships", "Relationship.id"},
    optional={"Relationship.chunk_ids", "Chunk.source_doc", "Chunk.position"},
    adds={"Scored.score", "Scored.components.context"},
    cite="Zhou et al. 2025, arXiv:2503.04338, operator Chunk.FromRel; Guo et al. 2024 (LightRAG)",
    aliases=("T61",),
)
def chunk_from_relationships(ask: ChunkFromRelationships, graph: GraphView) -> list[Scored[Chunk]]:
    """Return the chunks that state the relationships, in the order of the first that each states.

    The score is 1 / (1 + place of that relationship, from 0). A chunk of context scores half of the least
    score times its neighbour's, so it comes after every chunk that states a relationship.
    """
    states = stating_chunks(graph)
    ids = relationship_ids(graph)
    order = dict.fromkeys(ids[edge_of(graph, ref)] for ref in ask.relationships)
    found: dict[str, float] = {}
    for place, relationship_id in enumerate(order):
        for chunk_id in states[relationship_id]:
            found.setdefault(chunk_id, 1 / (1 + place))
    hits = ranked(
        ((graph.chunk(i), score, {}) for i, score in leading(found, ask.top_k)), "from_relationships"
    )
    if not ask.include_context or not hits:
        return hits
    rows: list[Row[Chunk]] = [(hit.item, hit.score, {}) for hit in hits]
    return ranked([*rows, *_context(graph, hits)], "from_relationships")


def _context(graph: GraphView, hits: list[Scored[Chunk]]) -> Iterator[Row[Chunk]]:
    """Yield the chunks next to hits, once each, for its best neighbour."""
    seen = {hit.item.id for hit in hits}
    for hit in hits:
        for step in (-1, 1):
            near = chunk_at(graph).get((hit.item.source_doc, hit.item.position + step))
            if near and near not in seen:
                seen.add(near)
                yield graph.chunk(near), hit.score * hits[-1].score / 2, {"context": 1.0}


@per_graph
def chunk_at(graph: GraphView) -> dict[tuple[str, int], str]:
    """Return (document id, position) -> chunk id, of chunks that know their document.

    Parameters
    ----------
    graph : GraphView
        Of the index.

    Returns
    -------
    dict of tuple of str and int to str
        Positions count from 0 in each document.

    """
    return {(c.source_doc, c.position): c.id for c in graph.chunks if c.source_doc}
