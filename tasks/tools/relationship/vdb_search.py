"""Tool 8: relationships whose vectors are nearest to a text."""

from pydantic import Field

from corpusgraph.schemas.graph import Relationship
from corpusgraph.schemas.ports import Embedder, GraphView, Vectors
from corpusgraph.schemas.results import Scored, ToolInput
from corpusgraph.tasks.graph.inputs import Query, TopK
from corpusgraph.tasks.graph.ranking import nearest, ranked
from corpusgraph.tasks.registry import tool


class RelationshipVdbSearch(ToolInput):
    """What to look for."""

    query: Query
    top_k: TopK = 10
    relationship_types: list[str] | None = Field(None, description="keep relationships of these types")
    threshold: float | None = Field(None, ge=-1, le=1, description="least cosine similarity")


@tool(
    8,
    writes="relationships",
    needs={"Relationship.id"},
    optional={"Relationship.type", "Relationship.description", "Relationship.keywords"},
    adds={"Scored.score"},
    cite="Zhou et al. 2025, arXiv:2503.04338, operator Rel.VDB",
    aliases=("T59",),
)
def relationship_vdb_search(
    ask: RelationshipVdbSearch, graph: GraphView, vectors: Vectors, embedder: Embedder
) -> list[Scored[Relationship]]:
    """Find the relationships whose vectors are nearest to the query (cosine), in order of similarity."""
    types = ask.relationship_types
    keep = None if types is None else lambda id_: graph.relationship(id_).type in types
    hits = nearest(
        "relationship", ask.query, ask.top_k, len(graph.relationships), vectors, embedder, ask.threshold, keep
    )
    return ranked(((graph.relationship(id_), score, {}) for id_, score in hits), hits.scorer)
