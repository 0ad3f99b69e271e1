"""Answers and summaries with citations, and what they are made from: graphs, likenesses, statements."""

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import fields
from typing import Annotated, Any, Literal, Self

import numpy as np
from numpy.typing import NDArray
from pydantic import (
    AliasChoices,
    BeforeValidator,
    Field,
    NonNegativeFloat,
    NonNegativeInt,
    PositiveInt,
    model_validator,
)

from corpusgraph.schemas.answer import Answer, SimilarItem, Summary
from corpusgraph.schemas.base import Confidence, JsonDict, stable_id
from corpusgraph.schemas.documents import Chunk
from corpusgraph.schemas.errors import InvalidInputError, MissingResourceError, UnknownItemError
from corpusgraph.schemas.graph import (
    CO_OCCURRENCE,
    Community,
    CommunityReport,
    Entity,
    EntityRef,
    Graph,
    Relationship,
)
from corpusgraph.schemas.ports import Corpus, Embedder, GraphView, Ints, LanguageModel, Vectors
from corpusgraph.schemas.results import Noted, Scored, ToolInput, ToolWarning, one_of, warned
from corpusgraph.schemas.stages import Extractor
from corpusgraph.schemas.study import Chunking, Resolution
from corpusgraph.tasks.answer.context import (
    Budget,
    Chunks,
    Communities,
    Entities,
    Fitted,
    Items,
    Paths,
    Relationships,
    Render,
    Retrieved,
    Subgraph,
    build_context,
    drafts_of,
    held,
    in_groups,
)
from corpusgraph.tasks.answer.extractive import EntityOf, asked_of, chunks_of_time
from corpusgraph.tasks.answer.sentences import Provenance, Sentence, distinct, stretch
from corpusgraph.tasks.answer.written import (
    SOURCES,
    WrittenText,
    answer_alone,
    answer_from,
    answer_from_groups,
    by_number,
    citing,
    composed,
)
from corpusgraph.tasks.build.embedded import told_of
from corpusgraph.tasks.dataset.reshape.structures import corpus_of, documents_of
from corpusgraph.tasks.digits import cosines, significant
from corpusgraph.tasks.graph.communities import reported
from corpusgraph.tasks.graph.compiled import CompiledGraph, Doubles, compiled, relationship_chunks
from corpusgraph.tasks.graph.inputs import Query, TopK, references, resolved
from corpusgraph.tasks.graph.names import grouped
from corpusgraph.tasks.graph.paths import UNREACHED, clamped, hops
from corpusgraph.tasks.graph.ppr import personalised_pagerank
from corpusgraph.tasks.graph.ranking import nearest, ranked
from corpusgraph.tasks.graph.terms import Bm25, TfIdf
from corpusgraph.tasks.llm.prompting import (
    MAX_QUESTION_CHARACTERS,
    ask_or_warn,
    fenced,
    llm_failed,
    no_llm,
    prompt,
    query_cut,
    query_read,
    shown,
)
from corpusgraph.tasks.registry import Reads, tool
from corpusgraph.tasks.text.diversity import diverse
from corpusgraph.tasks.text.tokens import count_tokens

# T51: the neighbourhood of entities as a graph.

MAX_RADIUS = 3


class LocalSearch(ToolInput):
    """Around which entities; without any, around those nearest to the query."""

    entities: Annotated[
        list[EntityRef] | None,
        BeforeValidator(references),
        Reads("entities"),
        Field(
            description="entities by id, short id or name",
            validation_alias=AliasChoices("entities", "entity"),
        ),
    ] = None
    query: Query | None = Field(None, description="finds the entities where none are given")
    radius: PositiveInt = Field(
        1, description="1: relationships of the entities; 2: of their neighbours too; at most 3"
    )
    top_k_entities: PositiveInt = Field(10, description="entities a query finds")
    top_k_relationships: PositiveInt = Field(
        10, description="relationships for each entity at the centre, all in one pool"
    )
    relationship_types: list[str] | None = Field(None, description="follow and return these types only")

    _given = one_of("entities", "query", otherwise="give entities, a query or both")


@tool(
    needs="Entity.id",
    optional="Relationship.source_id target_id weight type",
    adds="Graph.metadata",
    cite="Edge et al. 2024, arXiv:2404.16130, local search",
    aliases=("T51",),
)
def local_search(
    ask: LocalSearch, graph: GraphView, vectors: Vectors | None, embedder: Embedder | None
) -> Noted[Graph]:
    """Return the neighbourhood of entities: relationships among them first, then those that lead out.

    Those that lead out rank by how many relationships link their outer end to the neighbourhood, then by the
    degrees of both ends, then by weight. An unknown entity is an error.
    """
    centre = _centre(ask, graph, vectors, embedder)
    arrays = compiled(graph)
    starts = [arrays.at[entity.id] for entity in centre]
    radius, notes = clamped("radius", ask.radius, MAX_RADIUS)
    keep = None if ask.relationship_types is None else arrays.of_types(ask.relationship_types)
    inside = hops(arrays, starts, radius - 1, keep) != UNREACHED
    within, leading = _edges(arrays, inside, ask.relationship_types)
    budget = ask.top_k_relationships * len(centre)
    kept = [*within, *leading][:budget]
    edges = tuple(graph.relationships[i] for i in kept)
    ends = dict.fromkeys(int(end) for i in kept for end in (arrays.source[i], arrays.target[i]))
    nodes = tuple(graph.entities[i] for i in dict.fromkeys([*starts, *ends]))
    metadata = {
        "centre": [entity.id for entity in centre],
        "radius": radius,
        "within": min(len(within), budget),
        "leading_out": max(len(kept) - len(within), 0),
        "left_out": len(within) + len(leading) - len(kept),
    }
    return Noted[Graph](data=Graph(nodes=nodes, edges=edges, metadata=metadata), warnings=notes)


def _centre(
    ask: LocalSearch, graph: GraphView, vectors: Vectors | None, embedder: Embedder | None
) -> list[Entity]:
    if ask.entities:
        return resolved(graph, ask.entities)
    if vectors is None or embedder is None:
        raise MissingResourceError(
            "A query needs an index with vectors, and none was given.", hint="Give entities instead."
        )
    found = nearest("entity", ask.query or "", ask.top_k_entities, len(graph.entities), vectors, embedder)
    return [graph.entity(id_) for id_, _ in found]


def _edges(
    arrays: CompiledGraph, inside: np.ndarray[tuple[int], np.dtype[np.bool_]], types: list[str] | None
) -> tuple[list[int], list[int]]:
    """Return the stated edges with both ends inside, and those with one, each best first."""
    from_in, to_in = inside[arrays.source], inside[arrays.target]
    kept = arrays.is_stated if types is None else arrays.is_stated & arrays.of_types(types)
    within = np.flatnonzero(from_in & to_in & kept)
    leading = np.flatnonzero((from_in != to_in) & kept)
    outer: Ints = np.where(from_in, arrays.target, arrays.source)[leading]
    links = np.bincount(outer, minlength=len(inside))[outer]
    by_worth = np.lexsort((within, -arrays.weight[within], -arrays.busy[within]))
    by_links = np.lexsort((leading, -arrays.weight[leading], -arrays.busy[leading], -links))
    return within[by_worth].tolist(), leading[by_links].tolist()


# T52: the graph as a whole, or as much of it as matters.


class GlobalSearch(ToolInput):
    """How much of the graph; all of it, unless limited."""

    community_level: NonNegativeInt | None = Field(
        None, description="keep entities of communities of this level; 0 is the coarsest"
    )
    communities: Annotated[
        list[EntityRef] | None,
        BeforeValidator(references),
        Reads("communities"),
        Field(description="keep the members of these communities, by id or short id"),
    ] = None
    entity_types: list[str] | None = Field(None, description="keep entities of these types")
    relationship_types: list[str] | None = Field(None, description="keep relationships of these types")
    min_weight: NonNegativeFloat = Field(0.0, description="least weight of a relationship")
    top_entities: PositiveInt | None = Field(None, description="keep so many entities, the busiest")
    isolated: bool = Field(True, description="keep entities without a stated relationship that is kept")


@tool(
    needs="Entity.id, Relationship.source_id target_id",
    optional="Entity.type, Relationship.weight type, Community.entity_ids level title",
    adds="Graph.metadata",
    cite="Edge et al. 2024, arXiv:2404.16130, global search",
    aliases=("T52",),
)
def global_search(ask: GlobalSearch, graph: GraphView) -> Graph:
    """Return the whole graph, or its weightiest part, with counts and its communities as metadata.

    Entities are the busiest first (most relationships, of equals in id order). An unknown community is an
    error.
    """
    communities = _communities(ask, graph)
    members = None if communities is None else {id_ for c in communities for id_ in c.entity_ids}
    nodes = _nodes(ask, graph, members)
    kept = {node.id for node in nodes}
    types = ask.relationship_types
    edges = tuple(
        edge
        for edge in graph.relationships
        if (types is None or edge.type in types)
        and edge.weight >= ask.min_weight
        and edge.source_id in kept
        and edge.target_id in kept
    )
    if not ask.isolated:
        ends = {end for edge in edges if edge.is_stated for end in (edge.source_id, edge.target_id)}
        nodes = [node for node in nodes if node.id in ends]
        kept &= ends
        edges = tuple(edge for edge in edges if edge.source_id in kept and edge.target_id in kept)
    if communities is None:
        communities = [c for c in graph.communities if not kept.isdisjoint(c.entity_ids)]
    metadata: JsonDict = {
        "entities": len(nodes),
        "relationships": len(edges),
        "of_entities": len(graph.entities),
        "of_relationships": len(graph.relationships),
        "communities": [
            {"id": c.id, "level": c.level, "title": reported(graph, c).title, "size": len(c.entity_ids)}
            for c in communities
        ],
    }
    return Graph(nodes=tuple(nodes), edges=edges, metadata=metadata)


def _communities(ask: GlobalSearch, graph: GraphView) -> list[Community] | None:
    """Return the communities that limit the graph, or None where none do."""
    if ask.communities is None and ask.community_level is None:
        return None
    found = list(graph.communities)
    if ask.communities is not None:
        by_ref = {str(ref): c for c in found for ref in (c.short_id, c.id) if ref is not None}
        unknown = [ref for ref in ask.communities if str(ref) not in by_ref]
        if unknown:
            raise UnknownItemError(
                f"Unknown community {unknown[0]!r}.", hint="`community_by_layer` lists them."
            )
        found = list({by_ref[str(ref)].id: by_ref[str(ref)] for ref in ask.communities}.values())
    level = ask.community_level
    return [community for community in found if level is None or community.level == level]


def _nodes(ask: GlobalSearch, graph: GraphView, members: Collection[str] | None) -> list[Entity]:
    order = np.argsort(-compiled(graph).degrees, kind="stable")
    busiest = (graph.entities[int(i)] for i in order)
    kept = [
        entity
        for entity in busiest
        if (members is None or entity.id in members)
        and (ask.entity_types is None or entity.type in ask.entity_types)
    ]
    return kept[: ask.top_entities]


# T55: what passages or texts say of how things are related, with the evidence.


def read_anew(chunks: Sequence[Chunk], extractor: Extractor) -> Iterator[Relationship]:
    """Yield the relationships that the chunks' own texts state, in id order.

    Names are resolved over all the texts together; evidence counts characters of the chunks' documents.

    Parameters
    ----------
    chunks : sequence of Chunk
        Blank ones are left out.
    extractor : Extractor
        Reads their texts.

    Yields
    ------
    Relationship
        With names of the ends and evidence among the attributes.

    """
    readable = [chunk for chunk in chunks if chunk.content.strip()]
    if not readable:
        return
    corpus = corpus_of(
        [c.content for c in readable],
        chunking=Chunking(),
        resolution=Resolution(),
        min_confidence=0.0,  # each comes with its own, and the caller chooses
        extractor=extractor,
    )
    chunk_of = {documents_of([chunk.content])[0].id: chunk for chunk in reversed(readable)}
    said = grouped((corpus.stated.get(one.id), one) for one in corpus.assertions if one.is_put_forward)
    for relationship in corpus.graph.relationships:
        evidence: dict[tuple[str, int, int], JsonDict] = {}
        for one in said.get(relationship.id, ()):
            chunk = chunk_of[one.document_id]
            sentence = stretch(chunk, one.sentence_start, one.sentence_end)
            place = (chunk.source_doc or chunk.id, sentence.start, sentence.end)
            more = {"confidence": one.confidence, "negated": one.negated, "cue": one.cue}
            evidence.setdefault(place, evidence_of(sentence) | more)
        chunk_ids = tuple(dict.fromkeys(found["chunk_id"] for found in evidence.values()))
        placed = relationship.model_copy(update={"chunk_ids": chunk_ids, "short_id": None})
        yield told(placed, corpus.graph.entity, list(evidence.values()))


def evidence_of(sentence: Sentence) -> JsonDict:
    """Return where a sentence stands, as plain values.

    Parameters
    ----------
    sentence : Sentence
        Of a chunk.

    Returns
    -------
    JsonDict
        Text, ids of chunk and document, and characters.

    """
    return sentence.cite().model_dump(mode="json", exclude={"score", "document_title"})


def told(relationship: Relationship, entity_of: EntityOf, evidence: Sequence[JsonDict]) -> Relationship:
    """Return a relationship with the names of its ends and its evidence among the attributes.

    Parameters
    ----------
    relationship : Relationship
        Is copied.
    entity_of : callable
        Finds its ends by their ids.
    evidence : sequence of JsonDict
        As `evidence_of` returns it.

    Returns
    -------
    Relationship
        A copy.

    """
    source, target = entity_of(relationship.source_id), entity_of(relationship.target_id)
    more = {"source_name": source.name, "target_name": target.name, "evidence": list(evidence)}
    return relationship.model_copy(update={"attributes": {**(relationship.attributes or {}), **more}})


SomeChunks = Annotated[
    Chunks | None,
    Reads("chunks"),
    Field(description="chunks by id or short id, or with their content"),
]


class ExtractRelationships(ToolInput):
    """Passages of the index, or texts."""

    chunks: SomeChunks = None
    texts: list[str] | None = Field(None, description="texts, whether indexed or not")
    source: Literal["auto", "index", "text"] = Field(
        "auto",
        description="index: what the index already states for the chunks; text: read them anew; "
        "auto: the index where it has something for a chunk",
    )
    relationship_types: list[str] | None = Field(None, description="keep these types only")
    min_confidence: Confidence = Field(0.0, description="leave out what is less sure")
    co_occurrence: bool = Field(False, description=f"keep {CO_OCCURRENCE}: names in one sentence, no more")
    top_k: PositiveInt | None = Field(None, description="keep this many; all, unless given")

    _given = one_of("chunks", "texts", otherwise="nothing to read: give chunks or texts")


@tool(
    needs="Chunk.content",
    optional="Chunk.source_doc start relationships, Relationship.chunk_ids",
    adds="Scored.score components.confidence components.evidence, Relationship.id attributes",
    aliases=("T55",),
)
def extract_relationships(
    ask: ExtractRelationships, graph: GraphView, corpus: Corpus | None, extractor: Extractor
) -> Noted[list[Scored[Relationship]]]:
    """Return the relationships that passages state, surest first, each with its sentences in `attributes`.

    `attributes.evidence` lists text, chunk, document, start and end; `source_name` and `target_name` name the
    ends. Read from texts, ids are those an index would give the same names.
    """
    chunks = [c if isinstance(c, Chunk) else graph.chunk(c) for c in ask.chunks or ()]
    provenance = Provenance(graph, corpus)
    stated = _stated(graph, chunks) if ask.source != "text" else {}
    anew = [c for c in chunks if ask.source == "text" or (ask.source == "auto" and c.id not in stated)]
    anew += [Chunk(id=f"text_{n}", content=text) for n, text in enumerate(ask.texts or (), start=1)]
    of_index = sorted({id_ for ids in stated.values() for id_ in ids})
    here = {chunk.id for chunk in chunks}
    found = {id_: _of_index(graph.relationship(id_), provenance, here) for id_ in of_index}
    for relationship in read_anew(anew, extractor):
        known = found.get(relationship.id)
        found[relationship.id] = _joined(known, relationship) if known else relationship
    kept = [r for r in found.values() if _keeps(ask, r)]
    why = "The texts state no relationship that the rules find."
    if found:
        why = f"{len(found)} relationships were found, and none is of the kind asked for."
    notes = warned("no_relationships", why, when=not kept)
    rows = (
        (r, r.confidence, {"confidence": r.confidence, "evidence": float(len(_evidence(r)))}) for r in kept
    )
    return Noted(data=ranked(rows, "confidence", ask.top_k), warnings=notes)


def _stated(graph: GraphView, chunks: Sequence[Chunk]) -> dict[str, list[str]]:
    """Return chunk id -> ids of the relationships that the index says it states."""
    wanted = {chunk.id for chunk in chunks}
    stating = relationship_chunks(graph).items()
    return grouped((chunk_id, id_) for id_, ids in stating for chunk_id in wanted.intersection(ids))


def _of_index(relationship: Relationship, provenance: Provenance, here: set[str]) -> Relationship:
    """Return a relationship of the index with the sentences that state it, those of the chunks first."""
    sentences, _ = provenance.of_relationship(relationship, 0)
    inside = [sentence for sentence in sentences if sentence.chunk.id in here] or sentences
    return told(relationship, provenance.entity, [evidence_of(sentence) for sentence in inside])


def _joined(known: Relationship, read: Relationship) -> Relationship:
    """Return what the index states with the evidence of what was read anew."""
    evidence = [*_evidence(known), *_evidence(read)]
    return known.model_copy(update={"attributes": {**(known.attributes or {}), "evidence": evidence}})


def _evidence(relationship: Relationship) -> list[JsonDict]:
    return list((relationship.attributes or {}).get("evidence", ()))


def _keeps(ask: ExtractRelationships, relationship: Relationship) -> bool:
    if ask.relationship_types is not None:
        wanted = relationship.type in ask.relationship_types
    else:
        wanted = ask.co_occurrence or relationship.type != CO_OCCURRENCE
    return wanted and relationship.confidence >= ask.min_confidence


# T56: items of any kind, or texts, that are like a query.

Kind = Literal["entity", "relationship", "chunk", "report"]
Noun = Entity | Relationship | Chunk | CommunityReport
Given = str | Chunk | Relationship | CommunityReport | Entity
FIELDS: Mapping[str, type[Any]] = {
    "content": Chunk,
    "source_id": Relationship,
    "community_id": CommunityReport,
    "id": Entity,
}
"""A field that tells which noun a JSON object is: the first of these that it has."""
MANY = 10_000


def _given(values: Any) -> Any:
    """Return texts and nouns; of scored items and JSON the noun inside."""
    return [noun_of(value) for value in values] if isinstance(values, list | tuple) else values


def noun_of(value: Any) -> Any:
    """Return the noun that a result of any search is about, also of its JSON; of one of a text, the text."""
    inner = held(value)
    if isinstance(inner, SimilarItem):
        return inner.text
    if isinstance(inner, Mapping):
        if {"kind", "text"} <= inner.keys():
            return inner["text"]
        kind = next((noun for field, noun in FIELDS.items() if field in inner), None)
        return kind.model_validate(inner) if kind else inner
    return inner


class SimilaritySearch(ToolInput):
    """What to look for, and among what."""

    query: Query
    kind: Kind = Field(
        "chunk",
        validation_alias=AliasChoices("kind", "item_type"),
        description="search the index's items of this kind; not used where items are given",
    )
    items: Annotated[list[Given] | None, BeforeValidator(_given)] = Field(
        None, max_length=MANY, description="rank these texts or nouns instead of searching the index"
    )
    top_k: TopK = 10
    threshold: float | None = Field(None, ge=-1, le=1, description="least cosine similarity")

    @model_validator(mode="after")
    def _has_items(self) -> Self:
        if self.items is not None and not self.items:
            raise ValueError("items holds nothing to rank")
        return self


@tool(
    writes="items",
    optional="Entity.name description, Relationship.type description, Chunk.content, "
    "CommunityReport.title summary",
    adds="Scored.score, SimilarItem.kind text",
    cite="cosine of vectors: Salton, Wong & Yang 1975",
    aliases=("T56",),
)
def similarity_search(
    ask: SimilaritySearch, graph: GraphView | None, vectors: Vectors | None, embedder: Embedder
) -> list[Scored[SimilarItem]]:
    """Find the items of one kind, or among those given, that are most like the query (cosine).

    Raises MissingResourceError for a search without an index, MissingAttributeError where no item has a
    vector.
    """
    if ask.items is not None:
        return _among(ask, ask.items, embedder)
    if graph is None or vectors is None:
        raise MissingResourceError(
            "A search needs an index, and none was given.", hint="Give items to rank, or name an index."
        )
    count, find = searched(graph, ask.kind)
    hits = nearest(ask.kind, ask.query, ask.top_k, count, vectors, embedder, ask.threshold)
    return ranked(((similar(find(id_)), score, {}) for id_, score in hits), hits.scorer)


def searched(graph: GraphView, kind: Kind) -> tuple[int, Callable[[str], Noun]]:
    """Return how many items of a kind there are, and how to find one by id.

    Parameters
    ----------
    graph : GraphView
        That ids are of.
    kind : Kind
        entity, relationship, chunk or report.

    Returns
    -------
    tuple of int and callable
        What finds an item raises UnknownItemError, of an entity UnknownEntityError.

    """
    if kind == "report":
        reports = {report.id: report for report in graph.reports}

        def find(id_: str) -> CommunityReport:
            if id_ not in reports:
                raise UnknownItemError(f"Unknown report {id_!r}.", hint="Index the corpus again.")
            return reports[id_]

        return len(reports), find
    found: dict[str, tuple[int, Callable[[str], Noun]]] = {
        "entity": (len(graph.entities), graph.entity),
        "relationship": (len(graph.relationships), graph.relationship),
        "chunk": (len(graph.chunks), graph.chunk),
    }
    return found[kind]


def _among(ask: SimilaritySearch, given: Sequence[Given], embedder: Embedder) -> list[Scored[SimilarItem]]:
    """Rank what was given; what comes twice counts once."""
    items = list({(item.kind, item.id): item for item in map(similar, given)}.values())
    vectors = embedder.embed([ask.query, *(item.text for item in items)])
    if not vectors[0].any():
        raise InvalidInputError(f"There is no word to search for in {ask.query!r}.", hint="Ask in words.")
    scores = cosines(vectors[1:], vectors[0]).tolist()
    least = -1.0 if ask.threshold is None else ask.threshold
    kept = ((item, score) for item, score in zip(items, scores, strict=True) if score >= least)
    return ranked(((item, score, {}) for item, score in kept), "cosine", ask.top_k)


def similar(item: Given) -> SimilarItem:
    """Return a noun or a text as an item of the results, with the text that stands for it.

    Parameters
    ----------
    item : Given
        Whatever a caller gave.

    Returns
    -------
    SimilarItem
        Of the kind that it is.

    """
    if isinstance(item, str):
        return SimilarItem(kind="text", id=stable_id("chk", "text", item), text=item)
    if isinstance(item, Entity):
        return SimilarItem(kind="entity", id=item.id, text=_told(item.name, told_of(item)), entity=item)
    if isinstance(item, Relationship):
        text = _told(item.type.replace("_", " "), item.description)
        return SimilarItem(kind="relationship", id=item.id, text=text, relationship=item)
    if isinstance(item, Chunk):
        return SimilarItem(kind="chunk", id=item.id, text=item.content, chunk=item)
    return SimilarItem(kind="report", id=item.id, text=_told(item.title, item.summary), report=item)


def _told(name: str, description: str | None) -> str:
    return f"{name}: {description}" if description else name


# T57: answer a question from what was retrieved, every sentence cited.


class GenerateAnswer(ToolInput):
    """The question and what may answer it, best first; at least one thing of one kind."""

    query: Query
    chunks: SomeChunks = None
    entities: Annotated[Entities | None, Reads("entities")] = Field(
        None, description="entities by id, short id or name"
    )
    relationships: Annotated[Relationships | None, Reads("relationships")] = Field(
        None, description="relationships by id or short id"
    )
    communities: Annotated[Communities | None, Reads("communities")] = Field(
        None, description="communities by id or short id, or reports"
    )
    paths: Annotated[Paths | None, Reads("paths")] = Field(None, description="paths of the graph")
    subgraph: Annotated[Subgraph | None, Reads("subgraph")] = Field(None, description="nodes and edges")
    items: Annotated[Items | None, Reads("items")] = Field(None, description="results of a similarity search")
    mode: Literal["direct", "map_reduce", "closed_book"] = Field(
        "direct",
        description="map_reduce: points from each group of pieces first, then an answer from them; "
        "closed_book: what the model knows by itself, without citations: a baseline",
    )
    render: Render = Field("prose", description="how the context is written")
    max_context_tokens: PositiveInt = Field(
        12000, description="of the context; with map_reduce of the points it is reduced to"
    )
    budget: Budget = Field(Budget(), description="what each kind may take")
    group_tokens: PositiveInt = Field(16384, description="of each group (map_reduce)")
    shuffle: bool = Field(
        False, description="mix the pieces before they are grouped (map_reduce), always in the same way"
    )
    max_sentences: PositiveInt | None = Field(
        None, description="of an answer without a language model: 3, or 5 for a question about the whole"
    )
    include_context: bool = Field(False, description="return the context with the answer")

    @model_validator(mode="after")
    def _holds_something(self) -> Self:
        if self.mode != "closed_book" and not self.retrieved():
            kinds = "chunks, entities, relationships, communities, paths, subgraph or items"
            raise ValueError(f"nothing to answer from: give {kinds}")
        return self

    def retrieved(self, more: Sequence[Chunk] = ()) -> Retrieved:
        """Return what the answer is made from, `more` passages after those given.

        Parameters
        ----------
        more : sequence of Chunk, optional
            Passages after those given.

        Returns
        -------
        Retrieved
            None counts as nothing.

        """
        given = {kind.name: getattr(self, kind.name) for kind in fields(Retrieved)}
        given["chunks"] = [*(self.chunks or ()), *more]
        return Retrieved(**{name: value for name, value in given.items() if value is not None})


@tool(
    writes="answer",
    needs="Chunk.content",
    optional="Chunk.source_doc start page metadata, Entity.name description, Relationship.type "
    "description chunk_ids, Community.title summary, CommunityReport.findings",
    adds="Answer.text citations supported",
    cite="Edge et al. 2024, arXiv:2404.16130 (map_reduce); Robertson & Zaragoza 2009 (BM25); "
    "Carbonell & Goldstein 1998 (MMR)",
    aliases=("T57",),
)
def generate_answer(
    ask: GenerateAnswer, graph: GraphView, corpus: Corpus | None, llm: LanguageModel | None
) -> Noted[Answer]:
    """Answer a question from what was retrieved, each sentence cited; without support, say so.

    Without a language model the answer is made of sentences of the passages, word for word. Raises
    UnknownItemError and UnknownEntityError for ids that the graph does not hold.
    """
    short = query_cut(ask.query, llm, rules=MAX_QUESTION_CHARACTERS)
    ask = ask.model_copy(update={"query": query_read(ask.query)[0]})
    if ask.mode == "closed_book":
        return _noted(ask, Fitted((), (), ask.render), answer_alone(ask.query, llm), short)
    drafts = drafts_of(ask.retrieved(chunks_of_time(ask.query, graph, corpus)), Provenance(graph, corpus))
    asked = asked_of(ask.query, graph, corpus, ask.max_sentences)
    grouped = ask.mode == "map_reduce"
    fit = build_context(
        drafts,
        max_tokens=None if grouped else ask.max_context_tokens,
        budget=ask.budget,
        render=ask.render,
        whole=ask.max_context_tokens,
    )
    if grouped:
        groups, long = in_groups(fit, ask.group_tokens, shuffle=ask.shuffle)
        once = {(draft.kind, draft.id): draft for draft in (*fit.cut, *long)}
        pieces = tuple(piece for group in groups for piece in group.pieces)
        fit = Fitted(pieces, tuple(once.values()), ask.render)
        noted = answer_from_groups(asked, groups, llm, ask.max_context_tokens)
    else:
        noted = answer_from(asked, fit, llm)
    return _noted(ask, fit, noted, short)


def _noted(
    ask: GenerateAnswer, fit: Fitted, noted: Noted[Answer], short: Sequence[ToolWarning]
) -> Noted[Answer]:
    budget = f"groups of {ask.group_tokens}" if ask.mode == "map_reduce" else str(ask.max_context_tokens)
    warnings = (*short, *fit.warnings(f"{budget} tokens"), *noted.warnings)
    context = {"context": fit.noun()} if ask.include_context else {}
    return Noted(data=noted.data.model_copy(update=context), warnings=warnings)


# T58: the gist of passages, every sentence cited.

DAMPING = 0.85
"""Probability of following likeness rather than starting anew."""
PENALTY = 3 / 7
"""Share of the best score that a sentence loses that is like one already chosen (an MMR lambda of 0.7)."""

Matrix = NDArray[np.float64]


def likenesses(texts: Sequence[str]) -> Matrix:
    """Return the cosines of all pairs of TF-IDF vectors (n, n); memory grows with n squared.

    Parameters
    ----------
    texts : sequence of str
        Sentences.

    Returns
    -------
    array of float, shape (n, n)
        From 0 to 1; 1 on the diagonal, but 0 for a text without words.

    """
    from scipy.sparse import csc_array

    vectors = TfIdf(texts)
    terms, n = vectors.terms, len(texts)
    weights = terms.count * np.repeat(vectors.idf, terms.document_frequency)
    lengths = np.sqrt(np.bincount(terms.text, weights**2, minlength=n))
    rows = csc_array((weights / lengths[terms.text], terms.text, terms.start), (n, len(terms.vocabulary)))
    alike = (rows @ rows.T).toarray()
    np.fill_diagonal(alike, np.where(lengths > 0, 1.0, 0.0))
    return np.minimum(alike, 1.0)


def centrality(alike: Matrix, prior: Doubles | None = None) -> Doubles:
    """Return continuous LexRank, summing to 1: PageRank over likenesses (Erkan & Radev 2004).

    Parameters
    ----------
    alike : array of float, shape (n, n)
        As `likenesses` returns it.
    prior : array of float, shape (n,), optional
        Where the walk starts anew, as the likeness to a question; alike everywhere unless given.

    Returns
    -------
    array of float, shape (n,)
        Rounded, so that ties are ties on every machine.

    """
    from scipy.sparse import csr_array

    start = np.ones(len(alike)) if prior is None or not prior.any() else prior
    # Likeness to itself says nothing: with it, a sentence like no other would be as central as the average.
    others = alike - np.diag(np.diag(alike))
    return significant(personalised_pagerank(csr_array(others), start, damping=DAMPING).scores)


MAX_READ = 2000
"""Sentences compared with one another at most: the first of the passages, best passage first."""
LEANING = 0.5
"""What a sentence that leans on the one before it ("He …", "This …") keeps of its score."""
INSTEAD = "the summary is made of the most central sentences"
TASK = f"You summarise passages of a collection, from nothing else. {SOURCES}"


class SummarizeChunks(ToolInput):
    """What to summarise, and how short."""

    chunks: SomeChunks = None
    items: Annotated[Items | None, Reads("items")] = Field(None, description="results of a similarity search")
    query: Query | None = Field(None, description="what the summary is to be about; everything, unless given")
    max_sentences: PositiveInt = Field(5, description="of the summary")
    max_tokens: PositiveInt = Field(300, description="of the summary")
    max_context_tokens: PositiveInt = Field(
        30000, description="passages are read in order until these are spent"
    )

    _given = one_of("chunks", "items", otherwise="nothing to summarise: give chunks or items")


@tool(
    writes="summary",
    needs="Chunk.content",
    optional="Chunk.source_doc start page metadata",
    adds="Summary.text citations",
    cite="Erkan & Radev 2004 (LexRank), doi:10.1613/jair.1523; Carbonell & Goldstein 1998 (MMR)",
    aliases=("T58",),
)
def summarize_chunks(
    ask: SummarizeChunks, graph: GraphView, corpus: Corpus | None, llm: LanguageModel | None
) -> Noted[Summary]:
    """Summarise passages; without a language model by their most central sentences, in text order."""
    given = Retrieved(chunks=ask.chunks or (), items=ask.items or ())
    drafts = drafts_of(given, Provenance(graph, corpus))
    whole = ask.max_context_tokens
    context = build_context(drafts, max_tokens=whole, budget=Budget(), render="prose", whole=whole)
    warnings = (*query_cut(ask.query or "", llm), *context.warnings(f"{whole} tokens"))
    if llm is None:
        return Noted[Summary](data=_central(ask, context), warnings=(*warnings, no_llm(INSTEAD)))
    made, more = _written(ask, context, llm)
    return Noted[Summary](data=made, warnings=(*warnings, *more))


def _central(ask: SummarizeChunks, context: Fitted) -> Summary:
    """Take the most central sentences that fit, and put them in text order."""
    read = distinct([s for piece in context.pieces for s in piece.draft.sentences])
    sentences = ([s for s in read if not s.is_fragment] or read)[:MAX_READ]
    texts = [sentence.text for sentence in sentences]
    alike = likenesses(texts)
    prior = Bm25(texts).scores(ask.query) if ask.query and texts else None
    scores = centrality(alike, prior)
    scores = scores * np.array([LEANING if sentence.leans else 1.0 for sentence in sentences])
    if prior is not None and prior.any():
        scores = np.where(prior > 0, scores, 0.0)
    chosen: list[int] = []
    left = ask.max_tokens
    for at in diverse(scores, alike.__getitem__, len(sentences), penalty=PENALTY):
        cost = count_tokens(f"{sentences[at].line} [{len(chosen) + 1}]")
        if scores[at] > 0 and cost <= left and len(chosen) < ask.max_sentences:
            chosen.append(at)
            left -= cost
    chosen.sort()
    text = " ".join(f"{sentences[at].line} [{n}]" for n, at in enumerate(chosen, start=1))
    citations = tuple(sentences[at].cite(float(scores[at])) for at in chosen)
    return Summary(text=text, method="extractive", citations=citations, n_tokens=count_tokens(text))


def _written(
    ask: SummarizeChunks, context: Fitted, llm: LanguageModel
) -> tuple[Summary, tuple[ToolWarning, ...]]:
    """Let the model write; what cites nothing, or is too long, is left out."""
    limit = f"At most {ask.max_sentences} sentences and {ask.max_tokens} tokens."
    about = [fenced("About", shown(ask.query))] if ask.query else []
    sources = by_number(context.pieces)
    query = ask.query or ""
    task = prompt(f"{TASK} {limit}", fenced("Passages", context.text), *about)
    made, failed = ask_or_warn(llm, task, WrittenText, INSTEAD, citing(sources, query))
    if made is None:
        return _central(ask, context), tuple(failed)
    uncited = composed(made.sentences, sources, query).warnings()
    cited = [s for s in made.sentences if composed([s], sources, query).citations]
    if not cited:
        return _central(ask, context), (llm_failed("no sentence names a passage", INSTEAD), *uncited)
    kept = cited[: ask.max_sentences]
    while kept and count_tokens(composed(kept, sources, query).text) > ask.max_tokens:
        kept = kept[:-1]
    best = composed(kept, sources, query)
    summary = Summary(
        text=best.text, method=llm.name, citations=best.citations, n_tokens=count_tokens(best.text)
    )
    n = len(cited) - len(kept)
    message = f"The model wrote more than was asked for; its last {n} sentences are left out."
    return summary, (*uncited, *warned("summary_cut", message, when=n))
