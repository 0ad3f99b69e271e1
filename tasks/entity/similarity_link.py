"""Tool 6: link names or entities to the entities most like them."""

from collections.abc import Callable, Iterable
from typing import Literal

import numpy as np
from pydantic import Field

from corpusgraph.schemas.base import Noun
from corpusgraph.schemas.errors import AmbiguousEntityError, UnknownEntityError
from corpusgraph.schemas.graph import Entity, EntityRef
from corpusgraph.schemas.ports import Embedder, GraphView, Vectors
from corpusgraph.schemas.results import Noted, Scored, ToolInput, ToolWarning
from corpusgraph.tasks._steps import counted
from corpusgraph.tasks._tool import tool
from corpusgraph.tasks.digits import cosines
from corpusgraph.tasks.entity.tfidf_rank import text_of
from corpusgraph.tasks.graph.compiled import compiled
from corpusgraph.tasks.graph.inputs import EntityRefs, TopK
from corpusgraph.tasks.graph.lists import Lists, listed
from corpusgraph.tasks.graph.memo import per_graph
from corpusgraph.tasks.graph.ranking import best, near, ranked
from corpusgraph.tasks.graph.runs import spread

POOL = 50
"""How many candidates the index gives for each name before they are compared."""


class EntitySimilarityLink(ToolInput):
    """What to link, and by what likeness."""

    entities: EntityRefs = Field(description="names found in a text, or entities by id or short id")
    similarity_metric: Literal["embedding", "structural", "semantic"] = Field(
        "embedding",
        description="embedding: cosine of names; semantic: cosine of name and description; "
        "structural: share of common neighbours (Jaccard)",
    )
    top_k: TopK = Field(1, description="links of each name")
    min_score: float | None = Field(None, ge=-1, le=1, description="weaker links are left out")
    exclude_self: bool | None = Field(
        None,
        description="never link an entity to itself; unless given, true for what is given by id or short id",
    )


class Link(Noun):
    """A name or entity as given, and an entity it may be."""

    mention: str
    source_id: str | None = Field(description="the entity given, where it names one")
    entity: Entity

    @property
    def id(self) -> str:
        """Identify the link by its two ends."""
        return f"{self.mention} {self.entity.id}"


@tool(
    6,
    writes="entities",
    needs={"Entity.id"},
    optional={"Entity.name", "Entity.description", "Relationship.source_id", "Relationship.target_id"},
    adds={"Scored.score", "Link.mention", "Link.source_id"},
    cite="Zhou et al. 2025, arXiv:2503.04338, operator Node.Link; Gutiérrez et al. 2024 (HippoRAG)",
)
def entity_similarity_link(
    ask: EntitySimilarityLink, graph: GraphView, vectors: Vectors, embedder: Embedder
) -> Noted[list[Scored[Link]]]:
    """Link each name or entity to the entities most like it; what finds none is listed in the warnings."""
    links: list[tuple[Link, float]] = []
    unlinked = []
    for ref in counted(dict.fromkeys(ask.entities), "names linked", every=4):
        source = _known(graph, ref, required=ask.similarity_metric == "structural")
        found = _alike(ask, ref, source, graph, vectors, embedder)
        kept = [hit for hit in found if ask.min_score is None or hit[1] >= ask.min_score][: ask.top_k]
        links += [
            (Link(mention=str(ref), source_id=source.id if source else None, entity=e), s) for e, s in kept
        ]
        if not kept:
            unlinked.append(str(ref))
    best_first = ranked(((link, score, {}) for link, score in links), ask.similarity_metric)
    return Noted(data=best_first, warnings=_unlinked(unlinked))


def _unlinked(names: list[str]) -> tuple[ToolWarning, ...]:
    message = f"{len(names)} of the names are like no entity: {', '.join(names[:5])}."
    return (ToolWarning(code="unlinked", message=message, records=tuple(names)),) if names else ()


def _known(graph: GraphView, ref: EntityRef, *, required: bool) -> Entity | None:
    """Return the entity a reference names; a text need not name just one, unless neighbours are compared."""
    try:
        return graph.entity(ref)
    except (UnknownEntityError, AmbiguousEntityError):
        if required or isinstance(ref, int):
            raise
        return None


def _alike(
    ask: EntitySimilarityLink,
    ref: EntityRef,
    source: Entity | None,
    graph: GraphView,
    vectors: Vectors,
    embedder: Embedder,
) -> list[tuple[Entity, float]]:
    """Return the entities like one source with their scores above 0, best first."""
    by_id = source is not None and (isinstance(ref, int) or ref in {source.id, str(source.short_id)})
    leave_out = source.id if source and (by_id if ask.exclude_self is None else ask.exclude_self) else None
    if ask.similarity_metric == "structural" and source:
        scored = _structural(graph, source, ask.top_k + 1)  # it may itself be left out
    else:
        text_of_entity = _name if ask.similarity_metric == "embedding" else text_of
        text = text_of_entity(source) if source else str(ref)
        scored = _textual(text, text_of_entity, source, graph, vectors, embedder)
    kept = [(entity, score) for entity, score in scored if entity.id != leave_out and score > 0]
    return sorted(kept, key=lambda hit: (-hit[1], hit[0].id))


def _name(entity: Entity) -> str:
    return entity.name


def _structural(graph: GraphView, source: Entity, most: int) -> Iterable[tuple[Entity, float]]:
    """Yield the `most` entities that share neighbours with the source in the largest part."""
    arrays, near = compiled(graph), _neighbours(graph)
    node = arrays.at[source.id]
    mine = near.item[near.of(node)]
    common = np.bincount(near.item[spread(near.start, mine)[0]], minlength=len(arrays.ids)).astype(np.float64)
    shares = common / np.maximum(len(mine) + near.sizes - common, 1.0)
    for i in best(shares, most):
        yield graph.entities[i], float(shares[i])


@per_graph
def _neighbours(graph: GraphView) -> Lists:
    """Return for each entity those one relationship away, without itself."""
    arrays = compiled(graph)
    apart = (arrays.source != arrays.target) & arrays.is_stated
    ends = arrays.source[apart], arrays.target[apart]
    nodes = np.arange(len(arrays.ids))
    here, there = np.concatenate(ends), np.concatenate(ends[::-1])
    return listed(here, there, np.ones_like(here), nodes, len(nodes))


def _textual(
    text: str,
    text_of_entity: Callable[[Entity], str],
    source: Entity | None,
    graph: GraphView,
    vectors: Vectors,
    embedder: Embedder,
) -> Iterable[tuple[Entity, float]]:
    """Compare the text with the candidates that the index finds by vector and by word."""
    vector = embedder.embed([text])[0]
    if not vector.any():
        return []
    ids = {id_ for id_, _ in near(vectors, "entity", text, vector, POOL)}
    ids |= {id_ for id_, _ in vectors.match("entity", text, POOL)} | ({source.id} if source else set())
    candidates = [graph.entity(id_) for id_ in sorted(ids)]
    scores = cosines(embedder.embed([text_of_entity(entity) for entity in candidates]), vector)
    return zip(candidates, scores.tolist(), strict=True)
