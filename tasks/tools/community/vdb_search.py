"""Communities whose reports are nearest to a text."""

from pydantic import Field

from corpusgraph.schemas.errors import UnknownItemError
from corpusgraph.schemas.graph import Community
from corpusgraph.schemas.ports import Embedder, GraphView, Vectors
from corpusgraph.schemas.results import Scored, ToolInput
from corpusgraph.tasks.graph.communities import community_of_report, reported
from corpusgraph.tasks.graph.inputs import Query, TopK
from corpusgraph.tasks.graph.ranking import nearest, ranked
from corpusgraph.tasks.registry import tool


class CommunityVdbSearch(ToolInput):
    """What to look for."""

    query: Query
    top_k: TopK = 10
    threshold: float | None = Field(None, ge=-1, le=1, description="least cosine similarity")
    max_layer: int | None = Field(None, ge=0, description="finest level to look at; 0 is the coarsest")


@tool(
    writes="communities",
    needs={"Community.id"},
    optional={"Community.level", "Community.summary", "Community.title"},
    adds={"Scored.score", "Community.title", "Community.summary", "Community.rating"},
    cite="Zhou et al. 2025, arXiv:2503.04338, operator Community.VDB (appendix B.1)",
)
def community_vdb_search(
    ask: CommunityVdbSearch, graph: GraphView, vectors: Vectors, embedder: Embedder
) -> list[Scored[Community]]:
    """Find the communities whose reports are nearest to the query (cosine)."""
    level = ask.max_layer
    keep = None if level is None else lambda id_: _community(graph, id_).level <= level
    hits = nearest("report", ask.query, ask.top_k, len(graph.reports), vectors, embedder, ask.threshold, keep)
    return ranked(((reported(graph, _community(graph, i)), score, {}) for i, score in hits), hits.scorer)


def _community(graph: GraphView, report_id: str) -> Community:
    found = community_of_report(graph).get(report_id)
    if found is None:
        raise UnknownItemError(f"Unknown report {report_id!r}.", hint="Index the corpus again.")
    return found
