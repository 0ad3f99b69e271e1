"""Tool 1: entities whose vectors are nearest to a text."""

from collections.abc import Callable, Iterable
from typing import Annotated

import numpy as np
from pydantic import Field

from corpusgraph.schemas.base import nfc
from corpusgraph.schemas.graph import Entity
from corpusgraph.schemas.ports import Embedder, GraphView, Vectors
from corpusgraph.schemas.results import Scored, ToolInput
from corpusgraph.tasks.build.embedded import entity_text
from corpusgraph.tasks.digits import cosines as cosines_of
from corpusgraph.tasks.graph.compiled import chunk_ids, compiled, degree, mentions
from corpusgraph.tasks.graph.inputs import ChunkRefs, Query, TopK
from corpusgraph.tasks.graph.linking import ALMOST, name_index, named_entities, says_little
from corpusgraph.tasks.graph.ranking import is_lexical, leading, nearest, ranked
from corpusgraph.tasks.llm.prompting import query_read
from corpusgraph.tasks.registry import Reads, tool
from corpusgraph.tasks.text.words import words


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
    adds={
        "Scored.score",
        "Scored.components.degree",
        "Scored.components.cosine",
        "Scored.components.name",
    },
    cite="Zhou et al. 2025, arXiv:2503.04338, operator Node.VDB",
    aliases=("T49",),
)
def entity_vdb_search(
    ask: EntityVdbSearch, graph: GraphView, vectors: Vectors, embedder: Embedder
) -> list[Scored[Entity]]:
    """Find the entities whose vectors are nearest to the query (cosine).

    An entity called like the query is first, with score 1 (component `name`); next are those whose whole name
    is in the query, not in small letters, where they reach the threshold. The component `cosine` stays.
    """
    keep = _kept(ask, graph)
    hits = nearest(
        "entity", ask.query, ask.top_k, len(graph.entities), vectors, embedder, ask.threshold, keep
    )
    asked, _ = query_read(ask.query)  # names are read in the first words of a very long text
    shares = {id_: share for id_, share in _shares(asked, graph).items() if keep is None or keep(id_)}
    cosines = dict(hits)
    cosines |= _cosines(asked, shares.keys() - cosines.keys(), graph, embedder)
    if ask.threshold is not None:
        shares = {id_: n for id_, n in shares.items() if n >= ALMOST or cosines[id_] >= ask.threshold}
    most = ALMOST**2 if max(shares.values(), default=0.0) >= ALMOST else 1.0
    scores = {id_: min(most, cosine) for id_, cosine in hits if id_ not in shares}
    top = max(0.0, max(scores.values(), default=0.0))
    for id_, share in shares.items():
        scores[id_] = share if share >= ALMOST else max(min(most, cosines[id_]), top + (most - top) * share)
    rows = (
        (
            graph.entity(id_),
            score,
            {"degree": degree(graph, id_), "cosine": cosines[id_], "name": shares.get(id_, 0.0)},
        )
        for id_, score in leading(scores, ask.top_k)
    )
    return ranked(rows, hits.scorer)


def _shares(query: str, graph: GraphView) -> dict[str, float]:
    """Return entity id -> share of the query's words that its name is, for names that are wholly in it."""
    n_words = len(words(query))
    shares = {
        id_: ALMOST**2 * len(words(hit.name)) / n_words
        for hit in named_entities(graph, query)
        if not says_little(hit.name)
        for id_ in hit.entity_ids
    }
    return shares | name_index(graph).same(nfc(query))


def _cosines(query: str, ids: Iterable[str], graph: GraphView, embedder: Embedder) -> dict[str, float]:
    """Return the cosines of entities beyond those that the search came to."""
    named = sorted(ids)
    if not named:
        return {}
    alone = not is_lexical(embedder)
    vectors = embedder.embed([query, *(entity_text(graph.entity(id_), alone=alone) for id_ in named)])
    return dict(zip(named, cosines_of(vectors[1:], vectors[0]).tolist(), strict=True))


def _kept(ask: EntityVdbSearch, graph: GraphView) -> Callable[[str], bool] | None:
    """Return what tells whether an entity is looked for, or None where all are."""
    types, wanted = ask.entity_types, None
    if ask.chunks is not None:
        lists, ids = mentions(graph), compiled(graph).ids
        inside = [chunk_ids(graph).place(graph.chunk(ref).id) for ref in ask.chunks]
        rows = np.repeat(np.arange(len(ids)), lists.sizes)[np.isin(lists.item, inside)]
        wanted = {ids[i] for i in np.unique(rows).tolist()}
    if types is None and wanted is None:
        return None
    return lambda id_: (
        (wanted is None or id_ in wanted) and (types is None or graph.entity(id_).type in types)
    )
