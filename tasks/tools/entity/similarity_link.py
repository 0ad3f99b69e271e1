"""Tool 6: link names or entities to the entities most like them."""

from collections.abc import Sequence
from typing import Literal, NamedTuple

import numpy as np
from pydantic import Field

from corpusgraph.schemas.base import Noun
from corpusgraph.schemas.errors import AmbiguousEntityError, UnknownEntityError
from corpusgraph.schemas.graph import Entity, EntityRef
from corpusgraph.schemas.ports import Embedder, GraphView, Vectors
from corpusgraph.schemas.results import Noted, Scored, ToolInput
from corpusgraph.tasks.digits import cosines
from corpusgraph.tasks.graph.compiled import Lists, compiled, listed, per_graph, spread
from corpusgraph.tasks.graph.inputs import EntityRefs, TopK
from corpusgraph.tasks.graph.linking import ALMOST, SAME_NAME, alike, near_misses, not_linked
from corpusgraph.tasks.graph.ranking import best, is_lexical, near, ranked
from corpusgraph.tasks.progress import counted
from corpusgraph.tasks.registry import tool
from corpusgraph.tasks.text.words import stem, words
from corpusgraph.tasks.tools.entity.tfidf_rank import text_of

POOL = 50
"""How many candidates the index gives for each name before they are compared."""
LEAST = {"embedding": 0.7, "semantic": 0.5, "structural": 0.0}
"""A text whose best hit has a lower cosine is not linked; that of a word in a description of two is 0.57."""


class EntitySimilarityLink(ToolInput):
    """What to link, and by what likeness."""

    entities: EntityRefs = Field(description="names found in a text, or entities by id or short id")
    similarity_metric: Literal["embedding", "structural", "semantic"] = Field(
        "embedding",
        description="beyond names spelled alike: embedding: cosine of names; semantic: cosine of name and "
        "description; structural: share of common neighbours (Jaccard) alone",
    )
    top_k: TopK = Field(1, description="links of each name")
    min_score: float | None = Field(
        None, ge=-1, le=1, description="weaker links are left out; in place of the tool's own threshold"
    )
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


class _Hit(NamedTuple):
    """An entity, its score, and what that is of: the name or the cosine."""

    entity: Entity
    score: float
    by: str = ""


@tool(
    6,
    writes="entities",
    needs={"Entity.id"},
    optional={"Entity.name", "Entity.description", "Relationship.source_id", "Relationship.target_id"},
    adds={
        "Scored.score",
        "Scored.components.name",
        "Scored.components.cosine",
        "Link.mention",
        "Link.source_id",
    },
    cite="Zhou et al. 2025, arXiv:2503.04338, operator Node.Link; Gutiérrez et al. 2024 (HippoRAG); names: "
    "Cohen, Ravikumar & Fienberg 2003 (SoftTFIDF)",
)
def entity_similarity_link(
    ask: EntitySimilarityLink, graph: GraphView, vectors: Vectors, embedder: Embedder
) -> Noted[list[Scored[Link]]]:
    """Link each name or entity to the entities most like it; what finds none is listed in the warnings.

    For `embedding` and `semantic` names come first: the same name or other name scores 1, one spelled alike
    its likeness, 0.78 to 1 (component `name`). Others follow by cosine (component `cosine`), below all these.
    A text that is no entity's name is not linked below 0.7 (`embedding`) or 0.5 (`semantic`), or `min_score`
    where that is given: the warning `not_linked` lists it with the names nearest to it.
    """
    links: list[tuple[Link, float, dict[str, float]]] = []
    unknown: dict[str, list[str]] = {}
    for ref in counted(dict.fromkeys(ask.entities), "names linked", every=4):
        by_neighbours = ask.similarity_metric == "structural"
        source = _known(graph, ref, required=by_neighbours)
        named = [] if by_neighbours else alike(graph, source.name if source else str(ref))
        hits = _alike(ask, ref, source, named, graph, vectors, embedder)
        least = ask.min_score
        if least is None and source is None and hits and hits[0].score < LEAST[ask.similarity_metric]:
            hits, least = [], 1.0
        chosen = [hit for hit in hits if least is None or hit.score >= least][: ask.top_k]
        for hit in chosen:
            link = Link(mention=str(ref), source_id=source.id if source else None, entity=hit.entity)
            links.append((link, hit.score, {hit.by: hit.score} if hit.by else {}))
        if not chosen:
            unknown[str(ref)] = [] if source else near_misses(graph, named)
    return Noted(data=ranked(links, ask.similarity_metric), warnings=not_linked(unknown))


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
    named: Sequence[tuple[str, float]],
    graph: GraphView,
    vectors: Vectors,
    embedder: Embedder,
) -> list[_Hit]:
    """Return the entities like one source that score above 0, best first; `named` are spelled like it."""
    by_id = source is not None and (isinstance(ref, int) or ref in {source.id, str(source.short_id)})
    leave_out = source.id if source and (by_id if ask.exclude_self is None else ask.exclude_self) else None
    if ask.similarity_metric == "structural" and source:
        scored = _structural(graph, source, ask.top_k + 1)  # it may itself be left out
    else:
        scored = [_Hit(graph.entity(id_), score, "name") for id_, score in named if score >= SAME_NAME]
        if len(scored) < ask.top_k + (leave_out is not None):
            name = source.name if source else str(ref)
            scored += _textual(ask, name, source, scored, graph, vectors, embedder)
    return [hit for hit in scored if hit.entity.id != leave_out and hit.score > 0]


def _name(entity: Entity) -> str:
    return entity.name


def _structural(graph: GraphView, source: Entity, most: int) -> list[_Hit]:
    """Return the `most` entities that share neighbours with the source in the largest part."""
    arrays, near = compiled(graph), _neighbours(graph)
    node = arrays.at[source.id]
    mine = near.item[near.of(node)]
    common = np.bincount(near.item[spread(near.start, mine)[0]], minlength=len(arrays.ids)).astype(np.float64)
    shares = common / np.maximum(len(mine) + near.sizes - common, 1.0)
    return [_Hit(graph.entities[i], float(shares[i])) for i in best(shares, most)]


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
    ask: EntitySimilarityLink,
    name: str,
    source: Entity | None,
    named: Sequence[_Hit],
    graph: GraphView,
    vectors: Vectors,
    embedder: Embedder,
) -> list[_Hit]:
    """Return by cosine what the index finds by vector and by word, beside the `named` and below them all.

    Two words that share no letter may share places in a vector of spellings, which makes them a little alike:
    of a text that names nothing such a vector counts only where there is a word in common.
    """
    text_of_entity = _name if ask.similarity_metric == "embedding" else text_of
    text = text_of_entity(source) if source else name
    vector = embedder.embed([text])[0]
    if not vector.any():
        return []
    ids = {
        id_ for id_, _ in [*near(vectors, "entity", text, vector, POOL), *vectors.match("entity", text, POOL)]
    }
    candidates = [graph.entity(id_) for id_ in sorted(ids - {hit.entity.id for hit in named})]
    if source is None and is_lexical(embedder):
        said = {stem(word) for word in words(text)}
        candidates = [e for e in candidates if not said.isdisjoint(map(stem, words(text_of_entity(e))))]
    scores = cosines(embedder.embed([text_of_entity(entity) for entity in candidates]), vector)
    most = ALMOST * min((hit.score for hit in named), default=1 / ALMOST)
    hits = [_Hit(e, min(score, most), "cosine") for e, score in zip(candidates, scores.tolist(), strict=True)]
    return sorted(hits, key=lambda hit: (-hit.score, hit.entity.id))
