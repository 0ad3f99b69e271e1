"""Chunks whose vectors are nearest to a text."""

from pydantic import Field

from corpusgraph.schemas.documents import Chunk
from corpusgraph.schemas.ports import Embedder, GraphView, Vectors
from corpusgraph.schemas.results import Scored, ToolInput
from corpusgraph.tasks.graph.inputs import Query, TopK
from corpusgraph.tasks.graph.ranking import nearest, ranked
from corpusgraph.tasks.registry import tool


class ChunkVdbSearch(ToolInput):
    """What to look for."""

    query: Query
    top_k: TopK = 10
    threshold: float | None = Field(None, ge=-1, le=1, description="least cosine similarity")


@tool(
    writes="chunks",
    needs={"Chunk.id", "Chunk.content"},
    adds={"Scored.score"},
    cite="Zhou et al. 2025, arXiv:2503.04338, operator Chunk.VDB (appendix B.1)",
)
def chunk_vdb_search(
    ask: ChunkVdbSearch, graph: GraphView, vectors: Vectors, embedder: Embedder
) -> list[Scored[Chunk]]:
    """Find the chunks whose vectors are nearest to the query (cosine)."""
    hits = nearest("chunk", ask.query, ask.top_k, len(graph.chunks), vectors, embedder, ask.threshold)
    return ranked(((graph.chunk(id_), score, {}) for id_, score in hits), hits.scorer)
