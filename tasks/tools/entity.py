"""Entities: searched, linked, ranked, walked to, and chosen by a language model."""

import math
from collections.abc import Callable, Iterable, Sequence
from typing import Annotated, Literal, NamedTuple

import numpy as np
from pydantic import AliasChoices, Field, NonNegativeInt, PositiveInt

from corpusgraph.schemas.base import JsonDict, Noun, nfc
from corpusgraph.schemas.errors import AmbiguousEntityError, InvalidInputError, UnknownEntityError
from corpusgraph.schemas.graph import Entity, EntityRef
from corpusgraph.schemas.llm import Prompt
from corpusgraph.schemas.ports import Corpus, Embedder, GraphView, LanguageModel, Vectors
from corpusgraph.schemas.results import Noted, Scored, ToolInput, ToolWarning, warned
from corpusgraph.tasks.build.embedded import entity_text
from corpusgraph.tasks.digits import cosines
from corpusgraph.tasks.extract.query_names import query_names
from corpusgraph.tasks.extract.question import LONGEST
from corpusgraph.tasks.graph.compiled import (
    Doubles,
    Lists,
    chunk_ids,
    compiled,
    degree,
    edge_of,
    listed,
    mentions,
    node_of,
    per_graph,
    relationship_ids,
    spread,
)
from corpusgraph.tasks.graph.inputs import (
    ChunkRefs,
    EntityRefs,
    Graded,
    Query,
    RelationshipsOrScores,
    Seeds,
    TopK,
    VectorSearch,
    Way,
    grades,
    resolved,
)
from corpusgraph.tasks.graph.linking import (
    ALMOST,
    SAME_NAME,
    alike,
    bearers,
    link_names,
    meant,
    name_index,
    named_entities,
    near_misses,
    not_linked,
    says_little,
)
from corpusgraph.tasks.graph.names import beside
from corpusgraph.tasks.graph.passages import passage_graph
from corpusgraph.tasks.graph.paths import hop_from
from corpusgraph.tasks.graph.ppr import personalised_pagerank
from corpusgraph.tasks.graph.ranking import Row, best, is_lexical, leading, likeness, near, nearest, ranked
from corpusgraph.tasks.graph.terms import TfIdf
from corpusgraph.tasks.graph.verbal import described, step
from corpusgraph.tasks.llm.judging import Judged, Score, judge_groups
from corpusgraph.tasks.llm.prompting import (
    Said,
    ask_or_warn,
    cut_context,
    fenced,
    no_llm,
    nothing,
    numbered,
    prompt,
    query_cut,
    query_read,
    question,
    scorer,
)
from corpusgraph.tasks.progress import counted
from corpusgraph.tasks.registry import Reads, tool
from corpusgraph.tasks.text.words import stem, words

# Tool 1: entities whose vectors are nearest to a text.


class EntityVdbSearch(VectorSearch):
    """What to look for."""

    entity_types: list[str] | None = Field(None, description="keep entities of these types")
    chunks: Annotated[ChunkRefs | None, Reads("chunks")] = Field(
        None, description="keep entities that these chunks mention"
    )


@tool(
    1,
    needs="Entity.id",
    optional="Entity.name type description, Chunk.entities",
    adds="Scored.score components.degree components.cosine components.name",
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
    like = dict(hits)
    like |= _cosines(asked, shares.keys() - like.keys(), graph, embedder)
    if ask.threshold is not None:
        shares = {id_: n for id_, n in shares.items() if n >= ALMOST or like[id_] >= ask.threshold}
    most = ALMOST**2 if max(shares.values(), default=0.0) >= ALMOST else 1.0
    scores = {id_: min(most, cosine) for id_, cosine in hits if id_ not in shares}
    top = max(0.0, max(scores.values(), default=0.0))
    for id_, share in shares.items():
        scores[id_] = share if share >= ALMOST else max(min(most, like[id_]), top + (most - top) * share)
    parts = {i: {"degree": degree(graph, i), "cosine": like[i], "name": shares.get(i, 0.0)} for i in scores}
    rows = ((graph.entity(id_), score, parts[id_]) for id_, score in leading(scores, ask.top_k))
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
    return dict(zip(named, cosines(vectors[1:], vectors[0]).tolist(), strict=True))


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


# Tool 2: the entities at the ends of relationships.


class EntityRelnodeExtract(ToolInput):
    """Which relationships, and which of their ends."""

    relationships: RelationshipsOrScores
    direction: Literal["source", "target", "both"] = Field(
        "both",
        validation_alias=AliasChoices("direction", "endpoint"),
        description="which end of each relationship",
    )
    score_by: Literal["degree", "relationships"] = Field(
        "degree",
        description="relationships: the mean score of those of them that end there (1 where they have none)",
    )
    top_k: PositiveInt | None = Field(None, description="keep this many; all, unless given")


@tool(
    2,
    needs="Relationship.id source_id target_id",
    cite="Zhou et al. 2025, arXiv:2503.04338, operator Node.RelNode; "
    "Gutiérrez et al. 2025, arXiv:2502.14802 (mean of facts)",
    aliases=("T50",),
)
def entity_relnode_extract(ask: EntityRelnodeExtract, graph: GraphView) -> Noted[list[Scored[Entity]]]:
    """Return the entities at the ends of the relationships, each once; the score is the degree.

    Or, as HippoRAG 2 weighs the ends of facts, the mean score of the relationships that end there. The ends
    of what texts only deny are left out, with a warning.
    """
    arrays, found, denied = compiled(graph), dict[int, dict[int, float]](), dict[str, None]()
    for ref, score in grades(ask.relationships).items():
        edge = edge_of(graph, ref)
        if not arrays.is_stated[edge]:
            denied[relationship_ids(graph)[edge]] = None
            continue
        if ask.direction != "target":
            found.setdefault(int(arrays.source[edge]), {})[edge] = float(score)
        if ask.direction != "source":
            found.setdefault(int(arrays.target[edge]), {})[edge] = float(score)
    if ask.score_by == "degree":
        scores = {node: float(arrays.degrees[node]) for node in found}
    elif not all(math.isfinite(score) for parts in found.values() for score in parts.values()):
        raise InvalidInputError("A relationship's score is not finite.", hint="Leave it out.")
    else:
        scores = {node: math.fsum(parts.values()) / len(parts) for node, parts in found.items()}
    by = "degree" if ask.score_by == "degree" else "mean"
    data = ranked(((graph.entities[node], score, {}) for node, score in scores.items()), by, ask.top_k)
    message = f"{len(denied)} of the relationships are only denied: their ends are left out."
    return Noted(data=data, warnings=warned("only_denied", message, denied, when=denied))


# Tool 3: rank entities by a random walk that keeps returning to its seeds.


class EntityPprRank(ToolInput):
    """Where the walk starts and how far it may wander."""

    seed_entities: Seeds
    damping_factor: float = Field(0.85, gt=0, lt=1, description="probability of following an edge")
    top_k: TopK = 10
    max_iterations: PositiveInt = Field(100, description="steps of the power iteration at most")
    reset: Literal["uniform", "weights", "node_specificity", "similarity"] = Field(
        "weights",
        description="how much each seed draws the walk back: all alike; by its weight (1 in a list); "
        "by weight divided by the number of chunks that mention it; by similarity, where below 0 counts as 0",
    )
    directed: bool = Field(False, description="follow relationships from source to target only")
    relationship_types: list[str] | None = Field(None, description="follow these types only")


@tool(
    3,
    needs="Relationship.source_id target_id",
    optional="Relationship.weight type, Chunk.entities",
    adds="Scored.score components.reset",
    cite="Zhou et al. 2025, arXiv:2503.04338, operator Node.PPR; Haveliwala 2002; "
    "reset by specificity: Gutiérrez et al. 2024 (HippoRAG)",
)
def entity_ppr_rank(ask: EntityPprRank, graph: GraphView) -> Noted[list[Scored[Entity]]]:
    """Rank entities by personalised PageRank from the seeds; an unknown seed is an error."""
    pull = _reset(ask, graph)
    matrix = compiled(graph).adjacency(directed=ask.directed, types=ask.relationship_types)
    walk = personalised_pagerank(matrix, pull, damping=ask.damping_factor, max_iterations=ask.max_iterations)
    scores, pull = walk.scores, pull / pull.sum()
    rows = ((graph.entities[i], scores[i], {"reset": float(pull[i])}) for i in best(scores, ask.top_k))
    changed = f"The walk still changed by {walk.residual:.1e} after {walk.iterations} iterations"
    notes = warned("not_converged", f"{changed}; raise max_iterations.", when=not walk.converged)
    return Noted(data=ranked(rows, "ppr"), warnings=notes)


def _reset(ask: EntityPprRank, graph: GraphView) -> Doubles:
    """Return for each entity how much it draws the walk back (n,)."""
    given = grades(ask.seed_entities)
    nodes = np.array([node_of(graph, ref) for ref in given], dtype=np.int64)
    weight = np.array(list(given.values()), dtype=np.float64)
    if ask.reset == "similarity":
        weight = np.maximum(weight, 0.0)
    elif ask.reset == "node_specificity":
        weight /= np.maximum(mentions(graph).sizes[nodes], 1)
    elif ask.reset == "uniform":
        weight[:] = 1.0
    if ask.reset == "uniform" or not isinstance(ask.seed_entities, dict):
        nodes, first = np.unique(nodes, return_index=True)  # an entity that is named twice is meant once
        weight = weight[first]
    if not np.isfinite(weight).all() or (weight < 0).any() or not weight.any():
        raise InvalidInputError(
            f"Seed weights must be finite, not negative and not all zero, not {ask.seed_entities!r}.",
            hint="For cosine similarities, which may be negative, use reset: similarity.",
        )
    return np.bincount(nodes, weight, len(compiled(graph).ids)).astype(np.float64)


# Tool 4: let a language model choose the entities that help to answer a question.


class Candidate(NamedTuple):
    """An entity, the score of the relationship that leads there, and the text it is compared by."""

    entity: Entity
    score: float
    text: str


Candidates = tuple[str, list[Candidate]]
"""A relation of an entity, "" for none, and what it leads to."""


def _led_to(ask: "EntityAgentFind", graph: GraphView) -> tuple[list[Candidates], tuple[ToolWarning, ...]]:
    """Group the candidates by topic, relation and direction; warn of relationships without a topic."""
    topics = resolved(graph, ask.entities or ())
    if ask.relationships is None:
        return [("", [Candidate(e, 1.0, described(e)) for e in topics])] if topics else [], ()
    inside = None if ask.entities is None else {topic.id for topic in topics}
    groups: dict[tuple[str, str, bool], tuple[str, dict[str, Candidate]]] = {}
    apart = []
    for ref, score in grades(ask.relationships).items():
        edge = graph.relationship(ref)
        both = ((edge.source_id, edge.target_id, True), (edge.target_id, edge.source_id, False))
        is_loop = edge.source_id == edge.target_id  # it leads nowhere
        ways = [way for way in both if not is_loop and (inside is None or way[0] in inside)]
        apart += [] if ways else [edge.id]
        for topic_id, tail_id, outgoing in ways:
            tail = graph.entity(tail_id)
            relation = f"{graph.entity(topic_id).name} {step(edge.type, outgoing=outgoing)}"
            rows = groups.setdefault((topic_id, edge.type, outgoing), (relation, {}))[1]
            text = f"{relation} {described(tail)} {edge.description or ''}"
            first = rows.setdefault(tail_id, Candidate(tail, 0.0, text))
            rows[tail_id] = first._replace(score=max(score, first.score))
    message = f"{len(apart)} relationships touch none of the entities; they are left out."
    found = [(relation, list(rows.values())) for relation, rows in groups.values()]
    return found, warned("unconnected", message, apart, when=apart)


def _trimmed(
    query: str, groups: list[Candidates], most: int, embedder: Embedder
) -> tuple[list[Candidates], tuple[ToolWarning, ...]]:
    """Keep of each group the candidates most like the question."""
    trimmed, left = list[Candidates](), 0
    for relation, rows in groups:
        left += max(0, len(rows) - most)
        alike = likeness(query, [row.text for row in rows], embedder) if len(rows) > most else []
        order = sorted(range(len(alike)), key=lambda i: (-alike[i], rows[i].entity.id))
        trimmed.append((relation, [rows[i] for i in sorted(order[:most])] or rows))
    message = f"{left} candidates beyond {most} of a relation, those least like the question, are left out."
    return trimmed, warned("candidates_cut", message, when=left)


NAME = (
    "You answer questions over a knowledge graph. Name the entities of the context, and of the question, "
    "that help most to answer it, as they are written there, best first: at most {n}. Give each a score "
    "from 0 to 1 and say why in a few words."
)
NAMED_INSTEAD = (
    "entities are those that the question and the context name, or, without a context, like the question"
)
MAX_CONTEXT_TOKENS = 8000


class NamedEntity(Said):
    """An entity by its name."""

    name: str
    score: Score = None
    why: str = ""


class NamedEntities(Said):
    """The entities, best first."""

    entities: tuple[NamedEntity, ...]


def _named_by_the_model(
    ask: "EntityAgentFind", graph: GraphView, vectors: Vectors, embedder: Embedder, llm: LanguageModel
) -> Noted[list[Scored[Entity]]]:
    """Return the entities the model names, found in the graph; unknown names are listed in a warning."""
    shown, cut = cut_context("The context", ask.context or "", MAX_CONTEXT_TOKENS)
    parts = [question(ask.query)] + ([fenced("Context", shown)] if shown else [])
    asked = prompt(NAME.format(n=ask.max_entities), *parts)
    said, failed = ask_or_warn(llm, asked, NamedEntities, NAMED_INSTEAD, lambda _, said: _wrong(graph, said))
    if said is None:
        other = _named_by_rules(ask, graph, vectors, embedder)
        return other.model_copy(update={"warnings": (*failed, *other.warnings[1:])})
    found, notes = _found(graph, said.entities)
    rows = ((entity, one.score or 0.0, {"entity": one.score or 0.0}) for entity, one in found.values())
    trace = [f"{e.name}: {one.score:.2f}{f' ({one.why})' if one.why else ''}" for e, one in found.values()]
    return Noted(
        data=ranked((row for row in rows if row[1] > 0), "llm", ask.max_entities),
        warnings=(*notes, *query_cut(ask.query, llm), *cut),
        reasoning_trace="\n".join(trace) or "No entity that the model names is in the graph.",
    )


def _wrong(graph: GraphView, said: NamedEntities) -> str | None:
    """Accept a reply that names an entity of the graph with a score."""
    if not any(one.score is not None for one in said.entities):
        return "No entity has a score from 0 to 1: name some, each with its score."
    if not _found(graph, said.entities)[0]:
        return "None of these is an entity of the graph: name entities as they are written in the context."
    return None


def _found(
    graph: GraphView, said: Iterable[NamedEntity]
) -> tuple[dict[str, tuple[Entity, NamedEntity]], tuple[ToolWarning, ...]]:
    """Find what the model names, each entity once, by its first name; say what is not found and why."""
    found: dict[str, tuple[Entity, NamedEntity]] = {}
    lost: dict[str, str] = {}
    unscored = []
    for one in said:
        try:
            entity = graph.entity(one.name)
        except (AmbiguousEntityError, UnknownEntityError) as error:
            misspelt = meant(graph, one.name) if isinstance(error, UnknownEntityError) else None
            if misspelt is None:
                lost.setdefault(one.name, str(error))
                continue
            entity = misspelt
        if one.score is None:
            unscored.append(entity.id)
        else:
            found.setdefault(entity.id, (entity, one))
    why = f"{len(lost)} names are left out: {' '.join(list(lost.values())[:5])}"
    none = f"The model gave {len(unscored)} entities no score from 0 to 1; they are left out."
    notes = warned("unknown_entities", why, lost, when=lost)
    return found, (*notes, *warned("unscored", none, unscored, when=unscored))


def _named_by_rules(
    ask: "EntityAgentFind", graph: GraphView, vectors: Vectors, embedder: Embedder
) -> Noted[list[Scored[Entity]]]:
    """Return what the question names (score 1), then what the context names, by likeness to the question.

    Without a context, entities like the question take its place.
    """
    query, most = ask.query, ask.max_entities
    shown, cut = cut_context("The context", ask.context or "", MAX_CONTEXT_TOKENS)
    asked = query[:LONGEST]
    scores = dict.fromkeys(_ids(graph, asked, query_names(asked)), 1.0)
    others = _ids(graph, shown, [])
    if not shown:
        vector = embedder.embed([query])[0]
        like = near(vectors, "entity", query, vector, most) if vector.any() else []
        others = sorted({id_ for id_, _ in [*like, *vectors.match("entity", query, most)]})
    entities = [graph.entity(id_) for id_ in others if id_ not in scores]
    alike = likeness(query, [described(entity) for entity in entities], embedder)
    scores |= {entity.id: score for entity, score in zip(entities, alike, strict=True) if score > 0}
    rows = ((graph.entity(id_), score, {"entity": score}) for id_, score in scores.items())
    data = ranked(rows, "likeness", most)
    trace = [f"{hit.item.name}: {hit.score:.2f} (by rules)" for hit in data]
    return Noted(
        data=data,
        warnings=(no_llm(NAMED_INSTEAD), *query_cut(query, None, rules=LONGEST), *cut),
        reasoning_trace="\n".join(trace) or "Neither the question nor the context names an entity.",
    )


def _ids(graph: GraphView, text: str, names: list[str]) -> list[str]:
    hits = named_entities(graph, text, names) if text else []
    return list(dict.fromkeys(id_ for hit in hits for id_ in hit.entity_ids))


CHOOSE = (
    "You answer questions over a knowledge graph. Score each candidate entity from 0 to 1 by how much it "
    "helps to answer the question. Give one mark for each candidate: its number, its score, and why in a "
    "few words."
)
INSTEAD = "candidates are scored by their likeness to the question"
UNSURE = 0.5
"""Without a model, an entity that is unlike the question keeps this score: the answer seldom is like it."""


class EntityAgentFind(ToolInput):
    """A question, and what to choose from: a context, or entities and relationships of the graph."""

    client_context: JsonDict | None = Field(
        None, description="anything the caller wants back; read by no tool"
    )
    query: Query
    context: str | None = Field(
        None, description="text about the graph; the model names entities in it and in the query"
    )
    max_entities: PositiveInt = Field(
        10,
        validation_alias=AliasChoices("max_entities", "top_k", "limit"),
        description="how many entities at most",
    )
    entities: Annotated[Graded | None, Reads("entities")] = Field(
        None, description="candidates; beside `relationships`, where those start and what they lead away from"
    )
    relationships: Annotated[Graded | None, Reads("relationships")] = Field(
        None,
        description="the entities they lead to are the candidates; an entity's score is multiplied by theirs",
    )
    width: PositiveInt = Field(3, description="how many entities to keep of those that relationships lead to")
    max_candidates: PositiveInt = Field(
        40, description="candidates that the model sees for each relation: those most like the question"
    )


@tool(
    4,
    needs="Entity.id",
    optional="Entity.name type description, Relationship.type description",
    adds="Scored.score components.entity components.relation",
    cite="Sun et al. 2024, arXiv:2307.07697 (Think-on-Graph); Zhou et al. 2025, arXiv:2503.04338, Node.Agent",
)
def entity_agent_find(
    ask: EntityAgentFind, graph: GraphView, vectors: Vectors, embedder: Embedder, llm: LanguageModel | None
) -> Noted[list[Scored[Entity]]]:
    """Choose entities for a question: score is the model's, times that of the relationship that leads there.

    A relation that leads to one entity only needs no call; what the model scores 0 is not kept. Without a
    model, likeness to the question decides, from 0.5 (unlike) to 1.
    """
    if ask.entities is None and ask.relationships is None:
        if llm is None:
            return _named_by_rules(ask, graph, vectors, embedder)
        return _named_by_the_model(ask, graph, vectors, embedder, llm)
    every, apart = _led_to(ask, graph)
    groups, cut = _trimmed(ask.query, every, ask.max_candidates, embedder)
    warnings = [*cut, *apart, *([] if groups else [nothing("candidate")])]

    def prompt_of(i: int) -> Prompt:
        relation, rows = groups[i]
        about = [fenced("Relation", relation)] if relation else []
        lines = numbered(described(row.entity) for row in rows)
        return prompt(CHOOSE, question(ask.query), *about, fenced("Candidates", lines))

    def by_likeness(i: int) -> Judged:
        alike = likeness(ask.query, [row.text for row in groups[i][1]], embedder)
        return Judged({at: UNSURE + (1 - UNSURE) * score for at, score in enumerate(alike)}, {})

    names = [[row.entity.id for row in rows] for _, rows in groups]
    judged, notes = judge_groups(
        llm, names, prompt_of, by_likeness, sole="the only candidate", instead=INSTEAD
    )
    best: dict[str, Row[Entity]] = {}  # each entity once, by its best pair
    trace = []
    for (relation, rows), one in zip(groups, judged, strict=True):
        lead = f"{relation} " if relation else ""
        for at, mine in sorted(one.scores.items()):
            entity, theirs, _ = rows[at]
            score = mine * theirs
            trace.append(f"{lead}{entity.name}: {mine:.2f} x {theirs:.2f} = {score:.2f}{one.why(at)}")
            if score > 0 and (entity.id not in best or score > best[entity.id][1]):
                best[entity.id] = entity, score, {"entity": mine, "relation": theirs}
    most = ask.max_entities if ask.relationships is None else min(ask.width, ask.max_entities)
    return Noted(
        data=ranked(best.values(), scorer(llm, notes), most),
        warnings=(*query_cut(ask.query, llm), *warnings, *notes),
        reasoning_trace="\n".join(trace) or nothing("candidate").message,
    )


# Tool 5: the entities one relationship away.


class EntityOnehopNeighbors(ToolInput):
    """Whose neighbours, over which relationships."""

    entities: EntityRefs
    edge_types: list[str] | None = Field(None, description="follow relationships of these types only")
    direction: Way = Field(
        "both", description="in: sources of relationships that point to the entities; out: their targets"
    )
    include_sources: bool = Field(False, description="keep a given entity that neighbours another given one")
    top_k: PositiveInt | None = Field(None, description="keep this many; all, unless given")


@tool(
    5,
    needs="Entity.id, Relationship.source_id target_id",
    optional="Relationship.weight type",
    adds="Scored.score components.relationships",
    cite="Zhou et al. 2025, arXiv:2503.04338, operator Node.Onehop",
)
def entity_onehop_neighbors(ask: EntityOnehopNeighbors, graph: GraphView) -> list[Scored[Entity]]:
    """Return the entities one relationship away; the score is the weight of what connects them."""
    arrays = compiled(graph)
    given = np.array(list(dict.fromkeys(node_of(graph, ref) for ref in ask.entities)), dtype=np.int64)
    _, other, edges = hop_from(arrays, given, ask.direction, ask.edge_types)
    if not ask.include_sources:
        apart = ~np.isin(other, given)
        other, edges = other[apart], edges[apart]
    near, which, counts = np.unique(other, return_inverse=True, return_counts=True)
    weight = np.bincount(which, arrays.weight[edges], minlength=len(near)).astype(np.float64)
    rows = (
        (graph.entities[near[i]], weight[i], {"relationships": float(counts[i])})
        for i in best(weight, ask.top_k)
    )
    return ranked(rows, "weight")


# Tool 7: rank entities by the words they share with a text.


class EntityTfidfRank(ToolInput):
    """What to look for, and among which entities."""

    query: Query
    top_k: TopK = 10
    doc_frequency_threshold: float | None = Field(
        None,
        gt=0,
        le=1,
        validation_alias=AliasChoices("doc_frequency_threshold", "max_df"),
        description="leave out words in more than this share of all entities",
    )
    min_df: NonNegativeInt = Field(1, description="leave out words in fewer entities")
    candidates: Annotated[EntityRefs | None, Reads("entities")] = Field(
        None, description="rank these only; all entities, unless given"
    )


@tool(
    7,
    needs="Entity.id",
    optional="Entity.name description",
    cite="Zhou et al. 2025, arXiv:2503.04338, operator Node.TF-IDF; Salton & Buckley 1988",
)
def entity_tfidf_rank(ask: EntityTfidfRank, graph: GraphView) -> list[Scored[Entity]]:
    """Rank entities by the TF-IDF cosine of name and description with the query; no match, no entity."""
    scores = entity_tfidf(graph).scores(
        ask.query, min_df=ask.min_df, max_df=ask.doc_frequency_threshold or 1.0
    )
    if ask.candidates is not None:
        kept = np.unique([node_of(graph, ref) for ref in ask.candidates])
        among = np.zeros_like(scores)
        among[kept] = scores[kept]
        scores = among
    return ranked(((graph.entities[i], scores[i], {}) for i in best(scores, ask.top_k)), "tfidf")


@per_graph
def entity_tfidf(graph: GraphView) -> TfIdf:
    """Return the TF-IDF vectors of all entities.

    Parameters
    ----------
    graph : GraphView
        Of the index.

    Returns
    -------
    TfIdf
        In the order of the entities.

    """
    return TfIdf([text_of(entity) for entity in graph.entities])


def text_of(entity: Entity) -> str:
    """Return name, description and what was noted by hand beside it.

    Parameters
    ----------
    entity : Entity
        Of the graph.

    Returns
    -------
    str
        A line each.

    """
    return "\n".join((entity.name, *([entity.description] if entity.description else ()), *beside(entity)))


# Tool 6: link names or entities to the entities most like them.

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


_Hit = tuple[Entity, float, str]
"""An entity, its score, and what that is of: name, cosine, or blank for neighbours."""


@tool(
    6,
    writes="entities",
    needs="Entity.id",
    optional="Entity.name description, Relationship.source_id target_id",
    adds="Scored.score components.name components.cosine, Link.mention source_id",
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
        if least is None and source is None and hits and hits[0][1] < LEAST[ask.similarity_metric]:
            hits = []
        chosen = [hit for hit in hits if least is None or hit[1] >= least][: ask.top_k]
        for entity, score, by in chosen:
            link = Link(mention=str(ref), source_id=source.id if source else None, entity=entity)
            links.append((link, score, {by: score} if by else {}))
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
        scored = [(graph.entity(id_), score, "name") for id_, score in named if score >= SAME_NAME]
        if len(scored) < ask.top_k + (leave_out is not None):
            name = source.name if source else str(ref)
            scored += _textual(ask, name, source, scored, graph, vectors, embedder)
    return [hit for hit in scored if hit[0].id != leave_out and hit[1] > 0]


def _structural(graph: GraphView, source: Entity, most: int) -> list[_Hit]:
    """Return the `most` entities that share neighbours with the source in the largest part."""
    arrays, near = compiled(graph), _neighbours(graph)
    node = arrays.at[source.id]
    mine = near.item[near.of(node)]
    common = np.bincount(near.item[spread(near.start, mine)[0]], minlength=len(arrays.ids)).astype(np.float64)
    shares = common / np.maximum(len(mine) + near.sizes - common, 1.0)
    return [(graph.entities[i], float(shares[i]), "") for i in best(shares, most)]


@per_graph
def _neighbours(graph: GraphView) -> Lists:
    """Return for each entity those one relationship away, without itself."""
    arrays = compiled(graph)
    nodes = np.arange(len(arrays.ids))
    here, there, _ = hop_from(arrays, nodes, "both", None)
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
    text_of_entity = (lambda entity: entity.name) if ask.similarity_metric == "embedding" else text_of
    text = text_of_entity(source) if source else name
    vector = embedder.embed([text])[0]
    if not vector.any():
        return []
    near_by = [*near(vectors, "entity", text, vector, POOL), *vectors.match("entity", text, POOL)]
    ids = {id_ for id_, _ in near_by} - {entity.id for entity, _, _ in named}
    candidates = [graph.entity(id_) for id_ in sorted(ids)]
    if source is None and is_lexical(embedder):
        said = {stem(word) for word in words(text)}
        candidates = [e for e in candidates if not said.isdisjoint(map(stem, words(text_of_entity(e))))]
    scores = cosines(embedder.embed([text_of_entity(entity) for entity in candidates]), vector)
    most = ALMOST * min((score for _, score, _ in named), default=1 / ALMOST)
    hits = [(e, min(score, most), "cosine") for e, score in zip(candidates, scores.tolist(), strict=True)]
    return sorted(hits, key=lambda hit: (-hit[1], hit[0].id))


# The entities that a question names, weighed as the seeds of a walk.


class EntityQueryLink(ToolInput):
    """The question."""

    query: Query
    top_k: PositiveInt | None = Field(None, description="how many entities at most; all unless given")


@tool(
    writes="entities",
    needs="Entity.id",
    optional="Entity.name, Chunk.entities",
    adds="Scored.score components.chunks components.bearers, Link.mention",
    cite="Gutiérrez et al. 2024, arXiv:2405.14831, section 2.3 (query entities, node specificity); "
    "Cohen, Ravikumar & Fienberg 2003 (SoftTFIDF: misspelt names)",
)
def entity_query_link(
    ask: EntityQueryLink, graph: GraphView, corpus: Corpus | None
) -> Noted[list[Scored[Link]]]:
    """Find the entities that a question names, misspelt ones too; unknown names are listed in a warning.

    The score is 1 / chunks that mention the entity / entities of that name, a tenth of it for a common noun.
    Beside names, what is in small letters, numbers and common nouns of one word are left out.
    """
    asked, short = query_read(ask.query)
    named, unknown = link_names(graph, asked)
    shared = bearers(named)
    chunks = graph.entity_chunks()
    mention = {id_: hit.name for hit in reversed(named) for id_ in hit.entity_ids}
    rows = (
        (
            Link(mention=mention[id_], source_id=None, entity=graph.entity(id_)),
            weight,
            {"chunks": float(len(chunks[id_])), "bearers": float(shared[id_])},
        )
        for id_, weight in passage_graph(graph, corpus).seeds(shared, everywhere=True).items()
    )
    return Noted(data=ranked(rows, "named", ask.top_k), warnings=(*short, *not_linked(unknown)))
