"""Tool 11: let a language model choose the relationships that help to answer a question."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import fsum
from typing import Annotated, Literal, Self

from pydantic import AliasChoices, Field, PositiveInt, model_validator

from corpusgraph.schemas.graph import Entity, EntityRef, Relationship
from corpusgraph.schemas.llm import Prompt
from corpusgraph.schemas.ports import Embedder, GraphView, LanguageModel
from corpusgraph.schemas.results import Noted, Scored, ToolInput, ToolWarning
from corpusgraph.tasks.graph.compiled import CompiledGraph, compiled
from corpusgraph.tasks.graph.inputs import Query, resolved
from corpusgraph.tasks.graph.ranking import ranked
from corpusgraph.tasks.graph.similarity import likeness
from corpusgraph.tasks.graph.verbal import relation_words, step, verbalise
from corpusgraph.tasks.llm.judging import ItemNumber, Judged, judge_groups, unknown_ids
from corpusgraph.tasks.llm.prompting import (
    Said,
    ask_all,
    fenced,
    llm_failed,
    no_llm,
    nothing,
    numbered,
    prompt,
    query_cut,
    question,
    scorer,
)
from corpusgraph.tasks.registry import Reads, tool
from corpusgraph.tasks.text.words import stems
from corpusgraph.tasks.tools.candidates import Graded, grades

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


def recognise(
    query: str,
    relationships: list[EntityRef] | dict[EntityRef, float],
    graph: GraphView,
    embedder: Embedder,
    llm: LanguageModel | None,
    *,
    most: int,
) -> Noted[list[Scored[Relationship]]]:
    """Return the relationships that bear on the question with the scores they had, or 1 / (1 + place)."""
    facts = _facts(graph, relationships)
    if not facts:
        none = nothing("relationship")
        return Noted(data=[], warnings=(none,), reasoning_trace=none.message)
    lines = [verbalise(graph, edge) for edge, _ in facts]
    kept, warnings, why = _kept(query, lines, embedder, llm)
    rows = ((facts[at][0], facts[at][1], {"place": at + 1.0}) for at in kept)
    data = ranked(rows, scorer(llm, warnings), most)
    trace = [f"{line}: {'kept' if at in kept else 'left out'}" for at, line in enumerate(lines)]
    return Noted(data=data, warnings=tuple(warnings), reasoning_trace=why or "\n".join(trace))


def _facts(
    graph: GraphView, given: list[EntityRef] | dict[EntityRef, float]
) -> list[tuple[Relationship, float]]:
    pairs = (
        given.items() if isinstance(given, dict) else ((ref, 1 / (1 + at)) for at, ref in enumerate(given))
    )
    found: dict[str, tuple[Relationship, float]] = {}
    for ref, score in pairs:
        edge = graph.relationship(ref)
        found.setdefault(edge.id, (edge, score))
    return list(found.values())


def _kept(
    query: str, lines: Sequence[str], embedder: Embedder, llm: LanguageModel | None
) -> tuple[list[int], list[ToolWarning], str | None]:
    """Return the places of the facts to keep, warnings, and why."""
    if llm is None:
        return _by_likeness(query, lines, embedder), [no_llm(INSTEAD)], None
    asked = prompt(RECOGNISE, question(query), fenced("Facts", numbered(lines)))
    reply = ask_all(llm, [asked], Recognised, lambda _, said: _wrong(said, len(lines)))[0]
    if reply.value is None:
        return _by_likeness(query, lines, embedder), [llm_failed(reply.error or "", INSTEAD)], None
    named = list(dict.fromkeys(reply.value.facts))
    strange = [number for number in named if not 1 <= number <= len(lines)]
    kept = [number - 1 for number in named if 1 <= number <= len(lines)]
    return kept, unknown_ids(strange), reply.value.why or None


def _wrong(said: Recognised, n: int) -> str | None:
    """Accept a reply that names a fact, or none at all."""
    if not said.facts or any(1 <= number <= n for number in said.facts):
        return None
    return f"No fact has such a number: they are numbered from 1 to {n}; name none where none helps."


def _by_likeness(query: str, lines: Sequence[str], embedder: Embedder) -> list[int]:
    alike, asked = likeness(query, lines, embedder), set(stems(query))
    least = WORTH * max(alike)
    return [at for at, line in enumerate(lines) if alike[at] >= least and not asked.isdisjoint(stems(line))]


KEYWORDS_OF = 20
"""Edges of a relation whose keywords are read with its name."""


@dataclass(frozen=True)
class Relation:
    """The edges of one type that leave an entity, or that arrive there, by their places in the graph."""

    entity: Entity
    type: str
    outgoing: bool
    edges: tuple[int, ...]
    weight: float
    keywords: tuple[str, ...]

    @property
    def line(self) -> str:
        """The relation in words, seen from the entity, and how many edges it has."""
        return f"{self.entity.name} {step(self.type, outgoing=self.outgoing)} ({len(self.edges)})"

    @property
    def text(self) -> str:
        """Its name and the keywords of its edges."""
        return " ".join([relation_words(self.type), *self.keywords])


def relations_of(
    graph: GraphView,
    entity: Entity,
    among: Sequence[Relationship] | None,
    walked: Sequence[Relationship],
) -> list[Relation]:
    """Return an entity's relations, outgoing ones first, then by type, without those that lead back."""
    arrays = compiled(graph)
    node = arrays.at[entity.id]
    back = {(edge.type, outgoing) for edge in walked for outgoing in _ways(edge, entity.id)}
    groups: dict[tuple[bool, str], list[int]] = {}
    for edge in _allowed(graph, arrays, node, among):
        type_, outgoing = arrays.types[edge], bool(arrays.source[edge] == node)
        if (type_, outgoing) not in back:
            groups.setdefault((not outgoing, type_), []).append(edge)
    return [
        _relation(graph, arrays, entity, type_, groups[incoming, type_], outgoing=not incoming)
        for incoming, type_ in sorted(groups)
    ]


def _allowed(
    graph: GraphView, arrays: CompiledGraph, node: int, among: Sequence[Relationship] | None
) -> list[int]:
    edges = [int(edge) for edge in arrays.edges_of(node)]
    if among is None:
        return edges
    ids = {edge.id for edge in among}
    ends = {(arrays.at[edge.source_id], arrays.at[edge.target_id]) for edge in among}
    near = [edge for edge in edges if (int(arrays.source[edge]), int(arrays.target[edge])) in ends]
    return [edge for edge in near if graph.relationships[edge].id in ids]


def _relation(
    graph: GraphView, arrays: CompiledGraph, entity: Entity, type_: str, edges: list[int], *, outgoing: bool
) -> Relation:
    words = (word for edge in edges[:KEYWORDS_OF] for word in graph.relationships[edge].keywords or ())
    return Relation(
        entity,
        type_,
        outgoing,
        tuple(edges),
        float(arrays.weight[edges].sum()),
        tuple(dict.fromkeys(words)),
    )


def _ways(edge: Relationship, entity_id: str) -> list[bool]:
    """Return the directions, seen from an entity, in which an edge would be walked back."""
    ways = [True] if edge.source_id == entity_id else []
    return [*ways, False] if edge.target_id == entity_id else ways


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
Given = list[EntityRef] | dict[EntityRef, float]


def prune(
    query: str,
    entities: Given,
    graph: GraphView,
    embedder: Embedder,
    llm: LanguageModel | None,
    *,
    among: Given | None,
    previous: Given,
    width: int,
    most: int,
) -> Noted[list[Scored[Relationship]]]:
    """Return the edges of the chosen relations with their relation's score; of too many, the heavier."""
    topics = resolved(graph, entities)
    allowed = None if among is None else [graph.relationship(ref) for ref in grades(among)]
    walked = [graph.relationship(ref) for ref in grades(previous)]
    groups = [_shown(query, relations_of(graph, topic, allowed, walked), embedder) for topic in topics]
    idle = tuple(topic.id for topic, group in zip(topics, groups, strict=True) if not group)
    groups = [group for group in groups if group]
    judged, warnings = judge_groups(
        llm,
        [[relation.line for relation in group] for group in groups],
        lambda i: _prompt(query, groups[i], width),
        lambda i: _pruned_by_likeness(query, groups[i], embedder),
        sole="the only relation",
        instead=PRUNED_INSTEAD,
        choosing=True,
    )
    found, trace = _fanned_out(groups, judged, width)
    return Noted(
        data=ranked(_heaviest(graph, found, most), scorer(llm, warnings)),
        warnings=(*_left(idle, len(groups), len(found), most), *warnings),
        reasoning_trace="\n".join(trace) or NONE_HELPS if groups else nothing("relation").message,
    )


def _shown(query: str, relations: list[Relation], embedder: Embedder) -> list[Relation]:
    if len(relations) <= SHOWN:
        return relations
    alike = likeness(query, [relation.text for relation in relations], embedder)
    order = sorted(range(len(relations)), key=lambda at: (-alike[at], at))
    return [relations[at] for at in sorted(order[:SHOWN])]


def _prompt(query: str, group: Sequence[Relation], width: int) -> Prompt:
    lines = numbered(relation.line for relation in group)
    return prompt(
        PRUNE.format(width=width),
        question(query),
        fenced("Entity", group[0].entity.name),
        fenced("Relations", lines),
    )


def _pruned_by_likeness(query: str, group: Sequence[Relation], embedder: Embedder) -> Judged:
    alike = likeness(query, [relation.text for relation in group], embedder)
    total = fsum(relation.weight for relation in group)
    shares = [PRIOR * relation.weight / total for relation in group]
    return Judged({i: score + share for i, (score, share) in enumerate(zip(alike, shares, strict=True))}, {})


def _fanned_out(
    groups: Sequence[Sequence[Relation]], judged: Sequence[Judged], width: int
) -> tuple[dict[int, tuple[float, bool]], list[str]]:
    """Return place of edge -> (score, outgoing) for the edges of the chosen relations, by the best score."""
    found: dict[int, tuple[float, bool]] = {}
    trace = []
    for group, one in zip(groups, judged, strict=True):
        chosen = sorted((at for at in one.scores if one.scores[at] > 0), key=lambda at: (-one.scores[at], at))
        total = fsum(one.scores[at] for at in chosen[:width])
        for at in chosen[:width]:
            relation, score = group[at], one.scores[at] / total
            why = f" ({one.reasons[at]})" if one.reasons.get(at) else ""
            trace.append(f"{relation.line}: {score:.2f}{why}")
            for edge in relation.edges:
                if edge not in found or score > found[edge][0]:
                    found[edge] = (score, relation.outgoing)
    return found, trace


def _heaviest(
    graph: GraphView, found: dict[int, tuple[float, bool]], most: int
) -> list[tuple[Relationship, float, dict[str, float]]]:
    """Return the best edges: by score, then by weight."""
    weight = compiled(graph).weight
    order = sorted(found, key=lambda edge: (-found[edge][0], -weight[edge], edge))[:most]
    return [
        (
            graph.relationships[edge],
            found[edge][0],
            {"outgoing": float(found[edge][1]), "weight": float(weight[edge])},
        )
        for edge in order
    ]


def _left(idle: tuple[str, ...], n_groups: int, n_edges: int, most: int) -> list[ToolWarning]:
    warnings = []
    if not n_groups:
        warnings.append(nothing("relation"))
    if idle:
        message = f"{len(idle)} entities have no relation to follow."
        warnings.append(ToolWarning(code="no_relations", message=message, records=idle))
    if n_edges > most:
        message = (
            f"{n_edges - most} of the {n_edges} relationships chosen are left out; raise max_relationships."
        )
        warnings.append(ToolWarning(code="relationships_cut", message=message))
    return warnings


class RelationshipAgentFind(ToolInput):
    """A question and what to choose from: the relations of entities, or relationships found before."""

    query: Query
    entity_context: Annotated[Graded | None, Reads("entities")] = Field(
        None,
        validation_alias=AliasChoices("entity_context", "entities"),
        description="prune: the entities whose relations are looked at",
    )
    max_relationships: PositiveInt = Field(
        10,
        validation_alias=AliasChoices("max_relationships", "top_k", "limit"),
        description="how many relationships at most; a relation may have many",
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
    writes="relationships",
    needs={"Entity.id", "Relationship.id", "Relationship.source_id", "Relationship.target_id"},
    optional={"Entity.name", "Relationship.type", "Relationship.weight", "Relationship.keywords"},
    adds={"Scored.score", "Scored.components.outgoing", "Scored.components.weight"},
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
    if ask.mode == "prune":
        chosen = prune(
            ask.query,
            ask.entity_context or [],
            graph,
            embedder,
            llm,
            among=ask.relationships,
            previous=ask.previous or [],
            width=ask.width,
            most=ask.max_relationships,
        )
    else:
        given = ask.relationships or []
        chosen = recognise(ask.query, given, graph, embedder, llm, most=ask.max_relationships)
    short = query_cut(ask.query, llm) if chosen.data else ()
    return chosen.model_copy(update={"warnings": (*short, *chosen.warnings)})
