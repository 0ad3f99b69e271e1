"""Tool 1: entities whose vectors are nearest to a text."""

from collections.abc import Callable
from typing import Annotated

import numpy as np
from pydantic import Field

from corpusgraph.schemas.graph import Entity
from corpusgraph.schemas.ports import Embedder, GraphView, Vectors
from corpusgraph.schemas.results import Scored, ToolInput
from corpusgraph.tasks._tool import Reads, tool
from corpusgraph.tasks.graph.compiled import chunk_ids, compiled, degree, mentions
from corpusgraph.tasks.graph.inputs import ChunkRefs, Query, TopK
from corpusgraph.tasks.graph.lists import Places
from corpusgraph.tasks.graph.ranking import nearest, ranked


class EntityVdbSearch(ToolInput):
    """What to look for."""

    query: Query
    top_k: TopK = 10
    threshold: float | None = Field(None, ge=-1, le=1, description="least cosine similarity")
    entity_types: list[str] | None = Field(None, description="keep entities of these types")
    chunks: Annotated[ChunkRefs | None, Reads("chunks")] = Field(
        None, description="keep entities that these chunks mention"
    )


@tool(
    1,
    writes="entities",
    needs={"Entity.id"},
    optional={"Entity.name", "Entity.type", "Entity.description", "Chunk.entities"},
    adds={"Scored.score", "Scored.components.degree"},
    cite="Zhou et al. 2025, arXiv:2503.04338, operator Node.VDB",
    aliases=("T49",),
)
def entity_vdb_search(
    ask: EntityVdbSearch, graph: GraphView, vectors: Vectors, embedder: Embedder
) -> list[Scored[Entity]]:
    """Find the entities whose vectors are nearest to the query (cosine)."""
    hits = nearest(
        "entity",
        ask.query,
        ask.top_k,
        n_items=len(graph.entities),
        vectors=vectors,
        embedder=embedder,
        threshold=ask.threshold,
        keep=_kept(ask, graph),
    )
    rows = ((graph.entity(id_), score, {"degree": degree(graph, id_)}) for id_, score in hits)
    return ranked(rows, hits.scorer)


def _kept(ask: EntityVdbSearch, graph: GraphView) -> Callable[[str], bool] | None:
    """Return what tells whether an entity is looked for, or None where all are."""
    types, wanted = ask.entity_types, None
    if ask.chunks is not None:
        lists, ids = mentions(graph), compiled(graph).ids
        inside = [Places(chunk_ids(graph))[graph.chunk(ref).id] for ref in ask.chunks]
        rows = np.repeat(np.arange(len(ids)), lists.sizes)[np.isin(lists.item, inside)]
        wanted = {ids[i] for i in np.unique(rows).tolist()}
    if types is None and wanted is None:
        return None
    return lambda id_: (
        (wanted is None or id_ in wanted) and (types is None or graph.entity(id_).type in types)
    )
