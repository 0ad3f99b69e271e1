"""Relationships: searched, gathered around entities, scored, and chosen by a language model."""

from collections.abc import Sequence
from math import fsum
from typing import Annotated, Literal, NamedTuple, Self

import numpy as np
from pydantic import AliasChoices, BeforeValidator, Field, PositiveInt, model_validator

from corpusgraph.schemas.graph import Entity, EntityRef, Relationship
from corpusgraph.schemas.llm import Prompt
from corpusgraph.schemas.ports import Embedder, GraphView, LanguageModel, Vectors
from corpusgraph.schemas.results import Noted, Scored, ToolInput, warned
from corpusgraph.tasks.graph.compiled import compiled, distinct, node_of, relationship_ids
from corpusgraph.tasks.graph.inputs import (
    EntityRefs,
    EntityScores,
    Graded,
    Query,
    TopK,
    VectorSearch,
    references,
    resolved,
)
from corpusgraph.tasks.graph.paths import UNREACHED, clamped, edges_around, hops
from corpusgraph.tasks.graph.ranking import best, likeness, nearest, ranked, then
from corpusgraph.tasks.graph.verbal import relation_words, step, verbalise
from corpusgraph.tasks.llm.judging import ItemNumber, Judged, judge_groups, unknown_ids
from corpusgraph.tasks.llm.prompting import (
    Said,
    ask_or_warn,
    fenced,
    nothing,
    numbered,
    prompt,
    query_cut,
    question,
    scorer,
)
from corpusgraph.tasks.registry import Reads, tool
from corpusgraph.tasks.text.words import stems

# Tool 8: relationships whose vectors are nearest to a text.


class RelationshipVdbSearch(VectorSearch):
    """What to look for."""

    relationship_types: list[str] | None = Field(None, description="keep relationships of these types")


@tool(
    8,
    needs="Relationship.id",
    optional="Relationship.type description keywords",
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


# Tool 9: the relationships around entities.

MAX_HOPS = 3
"""Three hops reach most of a dense graph; more is clamped, with a warning."""


class RelationshipOnehopExtract(ToolInput):
    """Around which entities, and how far."""

    entities: EntityRefs
    hop_distance: PositiveInt = Field(
        1, description="1: relationships of the entities; 2: of their neighbours too; at most 3"
    )
    relationship_types: list[str] | None = Field(None, description="follow and return these types only")
    top_k: PositiveInt | None = Field(None, description="keep this many; all, unless given")


@tool(
    9,
    needs="Entity.id, Relationship.id source_id target_id",
    optional="Relationship.weight type",
    adds="Scored.score components.degree components.weight components.hop",
    cite="Zhou et al. 2025, arXiv:2503.04338, operator Rel.Onehop; Edge et al. 2024, arXiv:2404.16130",
)
def relationship_onehop_extract(
    ask: RelationshipOnehopExtract, graph: GraphView
) -> Noted[list[Scored[Relationship]]]:
    """Return the relationships of the entities, each once, those between busy entities first.

    The score is the sum of the two degrees, between equals the weight, divided by the hop.
    """
    far, notes = clamped("hop_distance", ask.hop_distance, MAX_HOPS)
    arrays = compiled(graph)
    starts = [node_of(graph, ref) for ref in ask.entities]
    keep = None if ask.relationship_types is None else arrays.of_types(ask.relationship_types)
    distance = hops(arrays, starts, far - 1, keep)
    edges = edges_around(arrays, np.flatnonzero(distance != UNREACHED))
    edges = edges if keep is None else edges[keep[edges]]
    near = np.where(distance == UNREACHED, far, distance)
    hop = np.minimum(near[arrays.source[edges]], near[arrays.target[edges]]) + 1
    busy, weight = arrays.busy[edges].astype(np.float64), arrays.weight[edges]
    scores = then(busy, weight) / hop
    rows = (
        (
            graph.relationships[edges[i]],
            scores[i],
            {"degree": float(busy[i]), "weight": float(weight[i]), "hop": float(hop[i])},
        )
        for i in best(scores, ask.top_k)
    )
    return Noted(data=ranked(rows, "degree"), warnings=notes)


# Tool 10: score relationships by the scores of their ends.

METHODS: dict[str, np.ufunc] = {"sum": np.add, "product": np.multiply, "max": np.maximum}


class RelationshipScoreAggregate(ToolInput):
    """The entities' scores, and how two become one."""

    entity_scores: EntityScores
    score_method: Literal["sum", "product", "max"] = Field(
        "sum", description="what the scores of the two ends come to"
    )
    top_k: TopK = 10
    candidates: Annotated[list[EntityRef] | None, BeforeValidator(references), Reads("relationships")] = (
        Field(None, description="score these only, which may be none; all relationships, unless given")
    )


@tool(
    10,
    needs="Relationship.id source_id target_id",
    cite="Zhou et al. 2025, arXiv:2503.04338, operator Rel.Aggregator; Gutiérrez et al. 2024 (HippoRAG)",
)
def relationship_score_aggregate(
    ask: RelationshipScoreAggregate, graph: GraphView
) -> list[Scored[Relationship]]:
    """Score relationships by the scores of their ends: sum, product or max; above 0 only.

    An entity without a score counts 0; a relationship from an entity to itself has one end. One that texts
    only deny is scored where it is a candidate.
    """
    arrays = compiled(graph)
    scores = np.zeros(len(arrays.ids))
    for ref, score in ask.entity_scores.items():
        scores[node_of(graph, ref)] += score
    if ask.candidates is None:
        edges = edges_around(arrays, np.flatnonzero(scores > 0))
    else:
        found_at = (relationship_ids(graph).find(graph.relationship(ref).id) for ref in ask.candidates)
        edges = distinct(np.array([at for at in found_at if at is not None], dtype=np.int64))
        edges = edges[(scores[arrays.source[edges]] > 0) | (scores[arrays.target[edges]] > 0)]
    source, target = arrays.source[edges], arrays.target[edges]
    joint = METHODS[ask.score_method](scores[source], scores[target])
    found = np.where(source == target, scores[source], joint)
    order = best(found, ask.top_k)
    return ranked(((graph.relationships[edges[i]], found[i], {}) for i in order), ask.score_method)


# Tool 11: let a language model choose the relationships that help to answer a question.

RECOGNISE = (
    "You answer questions over a knowledge graph. Give the numbers of the facts that bear on the question "
    "or on a step towards its answer, and leave out the others; none may remain. Say why in a sentence."
)
INSTEAD = "facts are kept that share a word with the question and are at least half as like it as the likest"
WORTH = 0.5
"""Without a model, a fact must be this share as like the question as the likest fact."""


class Recognised(Said):
    """The facts that bear on the question."""

    facts: tuple[ItemNumber, ...] = Field(description="numbers of the facts; may be empty")
    why: str = ""


def _recognised(
    ask: "RelationshipAgentFind", graph: GraphView, embedder: Embedder, llm: LanguageModel | None
) -> Noted[list[Scored[Relationship]]]:
    """Return the relationships that bear on the question with the scores they had, or 1 / (1 + place)."""
    given = ask.relationships or []
    listed = ((ref, 1 / (1 + at)) for at, ref in enumerate(given))
    pairs = given.items() if isinstance(given, dict) else listed
    scores: dict[str, tuple[Relationship, float]] = {}
    for ref, score in pairs:
        edge = graph.relationship(ref)
        scores.setdefault(edge.id, (edge, score))
    facts = list(scores.values())
    if not facts:
        none = nothing("relationship")
        return Noted(data=[], warnings=(none,), reasoning_trace=none.message)
    lines = [verbalise(graph, edge) for edge, _ in facts]
    n = len(lines)

    def wrong(_place: int, said: Recognised) -> str | None:
        """Accept a reply that names a fact, or none at all."""
        if not said.facts or any(1 <= number <= n for number in said.facts):
            return None
        return f"No fact has such a number: they are numbered from 1 to {n}; name none where none helps."

    asked = prompt(RECOGNISE, question(ask.query), fenced("Facts", numbered(lines)))
    said, warnings = ask_or_warn(llm, asked, Recognised, INSTEAD, wrong)
    if said is None:
        alike, words = likeness(ask.query, lines, embedder), set(stems(ask.query))
        least = WORTH * max(alike)
        keep = [at for at in range(n) if alike[at] >= least and not words.isdisjoint(stems(lines[at]))]
    else:
        numbers = list(dict.fromkeys(said.facts))
        keep = [number - 1 for number in numbers if 1 <= number <= n]
        warnings += unknown_ids([number for number in numbers if not 1 <= number <= n])
    rows = ((facts[at][0], facts[at][1], {"place": at + 1.0}) for at in keep)
    trace = [f"{line}: {'kept' if at in keep else 'left out'}" for at, line in enumerate(lines)]
    return Noted(
        data=ranked(rows, scorer(llm, warnings), ask.max_relationships),
        warnings=tuple(warnings),
        reasoning_trace=(said and said.why) or "\n".join(trace),
    )


KEYWORDS_OF = 20
"""Edges of a relation whose keywords are read with its name."""


class Relation(NamedTuple):
    """The edges of one type that leave an entity, or that arrive there, by their places in the graph."""

    entity: Entity
    outgoing: bool
    edges: list[int]
    weight: float
    line: str
    """The relation in words, seen from the entity, and how many edges it has."""
    text: str
    """Its name and the keywords of its edges."""


def _relations(
    graph: GraphView, entity: Entity, among: frozenset[str] | None, walked: Sequence[Relationship]
) -> list[Relation]:
    """Return an entity's relations, outgoing ones first, then by type, without those that lead back."""
    arrays, ids = compiled(graph), relationship_ids(graph)
    node = arrays.at[entity.id]
    back = {(edge.type, True) for edge in walked if edge.source_id == entity.id}
    back |= {(edge.type, False) for edge in walked if edge.target_id == entity.id}
    groups: dict[tuple[bool, str], list[int]] = {}
    for edge in arrays.edges_of(node).tolist():
        way = arrays.types[edge], bool(arrays.source[edge] == node)
        if way not in back and (among is None or ids[edge] in among):
            groups.setdefault((not way[1], way[0]), []).append(edge)
    relations = []
    for (incoming, type_), edges in sorted(groups.items()):
        words = (word for edge in edges[:KEYWORDS_OF] for word in graph.relationships[edge].keywords or ())
        text = " ".join([relation_words(type_), *dict.fromkeys(words)])
        line = f"{entity.name} {step(type_, outgoing=not incoming)} ({len(edges)})"
        weight = float(arrays.weight[edges].sum())
        relations.append(Relation(entity, not incoming, edges, weight, line, text))
    return relations


PRUNE = (
    "You answer questions over a knowledge graph. An entity has these relations; an arrow to the right "
    "starts at the entity, one to the left ends there. Choose at most {width} that help to answer the "
    "question, and give each a score from 0 to 1 so that the scores sum to 1. Mark them by number, and say "
    "why in a few words."
)
PRUNED_INSTEAD = "relations are chosen by the likeness of their names to the question"
NONE_HELPS = "No relation helps to answer the question."
PRIOR = 0.1
"""Without a model, what the share of an entity's weight that a relation has adds to its likeness."""
SHOWN = 60
"""Relations of an entity that the model sees: those whose names are most like the question."""


def _pruned(
    ask: "RelationshipAgentFind", graph: GraphView, embedder: Embedder, llm: LanguageModel | None
) -> Noted[list[Scored[Relationship]]]:
    """Return the edges of the chosen relations with their relation's score; of too many, the heavier."""
    topics = resolved(graph, ask.entity_context or [])
    given = ask.relationships
    among = None if given is None else frozenset(graph.relationship(ref).id for ref in given)
    walked = [graph.relationship(ref) for ref in ask.previous or []]
    every = [_shown(ask.query, _relations(graph, topic, among, walked), embedder) for topic in topics]
    idle = [topic.id for topic, group in zip(topics, every, strict=True) if not group]
    groups = [group for group in every if group]

    def prompt_of(i: int) -> Prompt:
        lines = numbered(relation.line for relation in groups[i])
        entity = fenced("Entity", groups[i][0].entity.name)
        return prompt(PRUNE.format(width=ask.width), question(ask.query), entity, fenced("Relations", lines))

    def by_likeness(i: int) -> Judged:
        alike = likeness(ask.query, [relation.text for relation in groups[i]], embedder)
        total = fsum(relation.weight for relation in groups[i])
        return Judged({at: alike[at] + PRIOR * r.weight / total for at, r in enumerate(groups[i])}, {})

    judged, warnings = judge_groups(
        llm,
        [[relation.line for relation in group] for group in groups],
        prompt_of,
        by_likeness,
        sole="the only relation",
        instead=PRUNED_INSTEAD,
        choosing=True,
    )
    best: dict[int, tuple[float, bool]] = {}  # place of edge: score, outgoing
    trace = []
    for group, one in zip(groups, judged, strict=True):
        helpful = [at for at, score in one.scores.items() if score > 0]
        chosen = sorted(helpful, key=lambda at: (-one.scores[at], at))[: ask.width]
        total = fsum(one.scores[at] for at in chosen)
        for at in chosen:
            score = one.scores[at] / total
            trace.append(f"{group[at].line}: {score:.2f}{one.why(at)}")
            for edge in group[at].edges:
                if edge not in best or score > best[edge][0]:
                    best[edge] = score, group[at].outgoing
    weight, most = compiled(graph).weight, ask.max_relationships
    order = sorted(best, key=lambda edge: (-best[edge][0], -weight[edge], edge))[:most]
    rows = [
        (graph.relationships[e], best[e][0], {"outgoing": float(best[e][1]), "weight": float(weight[e])})
        for e in order
    ]
    more = f"{len(best) - most} of the {len(best)} relationships chosen are left out"
    return Noted(
        data=ranked(rows, scorer(llm, warnings)),
        warnings=(
            *([] if groups else [nothing("relation")]),
            *warned("no_relations", f"{len(idle)} entities have no relation to follow.", idle, when=idle),
            *warned("relationships_cut", f"{more}; raise max_relationships.", when=len(best) > most),
            *warnings,
        ),
        reasoning_trace="\n".join(trace) or NONE_HELPS if groups else nothing("relation").message,
    )


def _shown(query: str, relations: list[Relation], embedder: Embedder) -> list[Relation]:
    if len(relations) <= SHOWN:
        return relations
    alike = likeness(query, [relation.text for relation in relations], embedder)
    order = sorted(range(len(relations)), key=lambda at: (-alike[at], at))
    return [relations[at] for at in sorted(order[:SHOWN])]


class RelationshipAgentFind(ToolInput):
    """A question and what to choose from: the relations of entities, or relationships found before."""

    query: Query
    entity_context: Annotated[Graded | None, Reads("entities")] = Field(
        None,
        validation_alias=AliasChoices("entity_context", "entities"),
        description="prune: the entities whose relations are looked at",
    )
    max_relationships: PositiveInt = Field(
        10, description="how many relationships at most; a relation may have many"
    )
    mode: Literal["prune", "recognition_filter"] = Field(
        "prune",
        description="prune: choose `width` relations of each entity and return their relationships "
        "(Think-on-Graph); recognition_filter: keep those of `relationships` that bear on the question "
        "(HippoRAG 2)",
    )
    width: PositiveInt = Field(3, description="prune: relations to keep of each entity")
    previous: Annotated[Graded | None, Reads("relationships")] = Field(
        None,
        description="prune: relationships walked before; an entity reached by one is not left by its kind",
    )
    relationships: Annotated[Graded | None, Reads("relationships")] = Field(
        None, description="recognition_filter: what to filter; prune: choose among these only"
    )

    @model_validator(mode="after")
    def _has_what_its_mode_needs(self) -> Self:
        needed = "entity_context" if self.mode == "prune" else "relationships"
        if getattr(self, needed) is None:
            raise ValueError(f"mode {self.mode} needs {needed}")
        return self


@tool(
    11,
    needs="Entity.id, Relationship.id source_id target_id",
    optional="Entity.name, Relationship.type weight keywords",
    adds="Scored.score components.outgoing components.weight",
    cite="Sun et al. 2024, arXiv:2307.07697 (Think-on-Graph); Gutiérrez et al. 2025, arXiv:2502.14802 "
    "(HippoRAG 2); Zhou et al. 2025, arXiv:2503.04338, operator Rel.Agent",
)
def relationship_agent_find(
    ask: RelationshipAgentFind, graph: GraphView, embedder: Embedder, llm: LanguageModel | None
) -> Noted[list[Scored[Relationship]]]:
    """Choose relationships for a question: relations of entities with their edges, or facts that bear on it.

    Pruning, the scores of an entity's relations sum to 1, outgoing and incoming ones apart, and an entity
    with one relation only needs no call. Filtering, relationships keep their scores, and none may be left.
    """
    find = _pruned if ask.mode == "prune" else _recognised
    chosen = find(ask, graph, embedder, llm)
    short = query_cut(ask.query, llm) if chosen.data else ()
    return chosen.model_copy(update={"warnings": (*short, *chosen.warnings)})
