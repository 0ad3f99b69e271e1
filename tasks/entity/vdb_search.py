"""Tool 1: entities whose vectors are nearest to a text."""

from pydantic import Field

from corpusgraph.schemas.graph import Entity
from corpusgraph.schemas.ports import Embedder, GraphView, Vectors
from corpusgraph.schemas.results import Scored, ToolInput
from corpusgraph.tasks._tool import tool
from corpusgraph.tasks.graph.compiled import degree
from corpusgraph.tasks.graph.inputs import Query, TopK
from corpusgraph.tasks.graph.ranking import nearest, ranked


class EntityVdbSearch(ToolInput):
    """What to look for."""

    query: Query
    top_k: TopK = 10
    threshold: float | None = Field(None, ge=-1, le=1, description="least cosine similarity")
    entity_types: list[str] | None = Field(None, description="keep entities of these types")


@tool(
    1,
    writes="entities",
    needs={"Entity.id"},
    optional={"Entity.name", "Entity.type", "Entity.description"},
    adds={"Scored.score", "Scored.components.degree"},
    cite="Zhou et al. 2025, arXiv:2503.04338, operator Node.VDB",
    aliases=("T49",),
)
def entity_vdb_search(
    ask: EntityVdbSearch, graph: GraphView, vectors: Vectors, embedder: Embedder
) -> list[Scored[Entity]]:
    """Find the entities whose vectors are nearest to the query (cosine)."""
    types = ask.entity_types
    hits = nearest(
        "entity",
        ask.query,
        ask.top_k,
        n_items=len(graph.entities),
        vectors=vectors,
        embedder=embedder,
        threshold=ask.threshold,
        keep=None if types is None else lambda id_: graph.entity(id_).type in types,
    )
    rows = ((graph.entity(id_), score, {"degree": degree(graph, id_)}) for id_, score in hits)
    return ranked(rows, "cosine")
