"""Tool 4: let a language model choose the entities that help to answer a question."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Annotated

from pydantic import AliasChoices, Field, PositiveInt

from corpusgraph.schemas.base import JsonDict
from corpusgraph.schemas.errors import AmbiguousEntityError, UnknownEntityError
from corpusgraph.schemas.graph import Entity, EntityRef, Relationship
from corpusgraph.schemas.llm import Prompt
from corpusgraph.schemas.ports import Embedder, GraphView, LanguageModel, Vectors
from corpusgraph.schemas.results import Noted, Scored, ToolInput, ToolWarning
from corpusgraph.tasks.extract.query_names import query_names
from corpusgraph.tasks.extract.question import LONGEST
from corpusgraph.tasks.graph.compiled import ends
from corpusgraph.tasks.graph.inputs import Query, resolved
from corpusgraph.tasks.graph.linking import meant, named_entities
from corpusgraph.tasks.graph.ranking import near, ranked
from corpusgraph.tasks.graph.similarity import likeness
from corpusgraph.tasks.graph.verbal import described, step
from corpusgraph.tasks.llm.judging import Judged, Score, judge_groups
from corpusgraph.tasks.llm.prompting import (
    Said,
    ask_all,
    cut,
    cut_warning,
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
from corpusgraph.tasks.tools.candidates import Graded, grades

Given = list[EntityRef] | dict[EntityRef, float]


@dataclass
class Candidates:
    """What one relation of one entity leads to, each with the relation's score; "" is no relation."""

    relation: str
    tails: list[Entity] = field(default_factory=list)
    scores: list[float] = field(default_factory=list)
    texts: list[str] = field(default_factory=list)
    _at: dict[str, int] = field(default_factory=dict)

    @property
    def lines(self) -> list[str]:
        """The candidates in a line each."""
        return [described(tail) for tail in self.tails]

    def add(self, tail: Entity, score: float, text: str) -> None:
        """Add a candidate; one that is there already keeps the better score."""
        at = self._at.setdefault(tail.id, len(self.tails))
        if at < len(self.tails):
            self.scores[at] = max(score, self.scores[at])
            return
        self.tails.append(tail)
        self.scores.append(score)
        self.texts.append(text)

    def only(self, kept: Sequence[int]) -> "Candidates":
        """Return some of the candidates."""
        pick = sorted(kept)
        return Candidates(
            self.relation,
            [self.tails[i] for i in pick],
            [self.scores[i] for i in pick],
            [self.texts[i] for i in pick],
        )


def candidates_of(
    query: str,
    entities: Given | None,
    relationships: Given | None,
    most: int,
    graph: GraphView,
    embedder: Embedder,
) -> tuple[list[Candidates], list[ToolWarning]]:
    """Return the candidates by entity and relation, at most `most` of each, and what was left out."""
    topics = resolved(graph, entities or ())
    if relationships is None:
        alone = Candidates("")
        for entity in topics:
            alone.add(entity, 1.0, described(entity))
        groups = [alone] if topics else []
        return _trimmed(query, groups, most, embedder)
    groups, apart = _led_to(graph, None if entities is None else {t.id for t in topics}, relationships)
    found, warnings = _trimmed(query, groups, most, embedder)
    if apart:
        message = f"{len(apart)} relationships touch none of the entities; they are left out."
        warnings.append(ToolWarning(code="unconnected", message=message, records=tuple(apart)))
    return found, warnings


def _led_to(
    graph: GraphView, topics: set[str] | None, relationships: Given
) -> tuple[list[Candidates], list[str]]:
    """Group what relationships lead to by topic, relation and direction, and list those without a topic."""
    groups: dict[tuple[str, str, bool], Candidates] = {}
    apart = []
    for ref, score in grades(relationships).items():
        edge = graph.relationship(ref)
        ways = [way for way in _ways(edge) if topics is None or way[0] in topics]
        if not ways:
            apart.append(edge.id)
        for topic_id, tail_id, outgoing in ways:
            topic, tail = graph.entity(topic_id), graph.entity(tail_id)
            relation = f"{topic.name} {step(edge.type, outgoing=outgoing)}"
            group = groups.setdefault((topic_id, edge.type, outgoing), Candidates(relation))
            group.add(tail, max(0.0, score), f"{relation} {described(tail)} {edge.description or ''}")
    return list(groups.values()), apart


def _ways(edge: Relationship) -> Iterator[tuple[str, str, bool]]:
    """Yield (from, to, whether that is the relationship's own direction); a self-loop leads nowhere."""
    if len(ends(edge)) == 2:
        yield edge.source_id, edge.target_id, True
        yield edge.target_id, edge.source_id, False


def _trimmed(
    query: str, groups: list[Candidates], most: int, embedder: Embedder
) -> tuple[list[Candidates], list[ToolWarning]]:
    """Keep of each group the candidates most like the question."""
    kept, left = [], 0
    for group in groups:
        if len(group.tails) <= most:
            kept.append(group)
            continue
        alike = likeness(query, group.texts, embedder)
        order = sorted(range(len(alike)), key=lambda i: (-alike[i], group.tails[i].id))
        kept.append(group.only(order[:most]))
        left += len(group.tails) - most
    if not left:
        return kept, []
    message = f"{left} candidates beyond {most} of a relation, those least like the question, are left out."
    return kept, [ToolWarning(code="candidates_cut", message=message)]


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


def named_by_the_model(
    query: str,
    context: str | None,
    most: int,
    graph: GraphView,
    vectors: Vectors,
    embedder: Embedder,
    llm: LanguageModel,
) -> Noted[list[Scored[Entity]]]:
    """Return the entities the model names, found in the graph; unknown names are listed in a warning."""
    shown = cut(context or "", MAX_CONTEXT_TOKENS)
    parts = [question(query)] + ([fenced("Context", shown)] if shown else [])
    asked = prompt(NAME.format(n=most), *parts)
    reply = ask_all(llm, [asked], NamedEntities, lambda _, said: _wrong(graph, said))[0]
    said = reply.value.entities if reply.value else ()
    if not any(one.score is not None for one in said):
        error = reply.error or "it named no entity with a score from 0 to 1"
        other = named_by_rules(query, context, most, graph, vectors, embedder)
        kept = [w for w in other.warnings if w.code != "no_llm"]
        warnings = (llm_failed(error, NAMED_INSTEAD), *kept)
        return other.model_copy(update={"warnings": warnings})
    found, notes = _found(graph, said)
    notes += query_cut(query, llm)
    if shown != (context or ""):
        notes.append(cut_warning("The context", MAX_CONTEXT_TOKENS))
    rows = ((entity, one.score or 0.0, {"entity": one.score or 0.0}) for entity, one in found.values())
    trace = [f"{e.name}: {one.score:.2f}{f' ({one.why})' if one.why else ''}" for e, one in found.values()]
    return Noted(
        data=ranked((row for row in rows if row[1] > 0), "llm", most),
        warnings=tuple(notes),
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
) -> tuple[dict[str, tuple[Entity, NamedEntity]], list[ToolWarning]]:
    """Find what the model names, each entity once, by its first name; say what is not found and why."""
    found: dict[str, tuple[Entity, NamedEntity]] = {}
    lost: dict[str, str] = {}
    unscored = []
    for one in said:
        try:
            entity = graph.entity(one.name)
        except AmbiguousEntityError as error:
            lost.setdefault(one.name, str(error))
            continue
        except UnknownEntityError as error:
            if (misspelt := meant(graph, one.name)) is None:
                lost.setdefault(one.name, str(error))
                continue
            entity = misspelt
        if one.score is None:
            unscored.append(entity.id)
        else:
            found.setdefault(entity.id, (entity, one))
    warnings = []
    if lost:
        message = f"{len(lost)} names are left out: {' '.join(list(lost.values())[:5])}"
        warnings.append(ToolWarning(code="unknown_entities", message=message, records=tuple(lost)))
    if unscored:
        message = f"The model gave {len(unscored)} entities no score from 0 to 1; they are left out."
        warnings.append(ToolWarning(code="unscored", message=message, records=tuple(unscored)))
    return found, warnings


def named_by_rules(
    query: str, context: str | None, most: int, graph: GraphView, vectors: Vectors, embedder: Embedder
) -> Noted[list[Scored[Entity]]]:
    """Return what the question names (score 1), then what the context names, by likeness to the question.

    Without a context, entities like the question take its place.
    """
    shown, asked = cut(context or "", MAX_CONTEXT_TOKENS), query[:LONGEST]
    scores = dict.fromkeys(_ids(graph, asked, query_names(asked)), 1.0)
    others = _ids(graph, shown, []) if shown else _near(query, most, vectors, embedder)
    entities = [graph.entity(id_) for id_ in others if id_ not in scores]
    alike = likeness(query, [described(entity) for entity in entities], embedder)
    scores |= {entity.id: score for entity, score in zip(entities, alike, strict=True) if score > 0}
    rows = ((graph.entity(id_), score, {"entity": score}) for id_, score in scores.items())
    short = [*query_cut(query, None, rules=LONGEST)]
    if shown != (context or ""):
        short.append(cut_warning("The context", MAX_CONTEXT_TOKENS))
    found = ranked(rows, "likeness", most)
    trace = [f"{hit.item.name}: {hit.score:.2f} (by rules)" for hit in found]
    return Noted(
        data=found,
        warnings=(no_llm(NAMED_INSTEAD), *short),
        reasoning_trace="\n".join(trace) or "Neither the question nor the context names an entity.",
    )


def _ids(graph: GraphView, text: str, names: list[str]) -> list[str]:
    hits = named_entities(graph, text, names)
    return list(dict.fromkeys(id_ for hit in hits for id_ in hit.entity_ids))


def _near(query: str, most: int, vectors: Vectors, embedder: Embedder) -> list[str]:
    vector = embedder.embed([query])[0]
    like = near(vectors, "entity", query, vector, most) if vector.any() else []
    return sorted({id_ for id_, _ in [*like, *vectors.match("entity", query, most)]})


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
    writes="entities",
    needs={"Entity.id"},
    optional={
        "Entity.name",
        "Entity.type",
        "Entity.description",
        "Relationship.type",
        "Relationship.description",
    },
    adds={"Scored.score", "Scored.components.entity", "Scored.components.relation"},
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
            return named_by_rules(ask.query, ask.context, ask.max_entities, graph, vectors, embedder)
        return named_by_the_model(ask.query, ask.context, ask.max_entities, graph, vectors, embedder, llm)
    groups, warnings = candidates_of(
        ask.query, ask.entities, ask.relationships, ask.max_candidates, graph, embedder
    )
    if not groups:
        warnings.append(nothing("candidate"))
    judged, notes = judge_groups(
        llm,
        [[tail.id for tail in group.tails] for group in groups],
        lambda i: _prompt(ask.query, groups[i]),
        lambda i: _by_likeness(ask.query, groups[i], embedder),
        sole="the only candidate",
        instead=INSTEAD,
    )
    keep = min(ask.width, ask.max_entities) if ask.relationships is not None else ask.max_entities
    found, trace = _best(groups, judged)
    return Noted(
        data=ranked(found, scorer(llm, notes), keep),
        warnings=(*query_cut(ask.query, llm), *warnings, *notes),
        reasoning_trace="\n".join(trace) or nothing("candidate").message,
    )


def _prompt(query: str, group: Candidates) -> Prompt:
    relation = [fenced("Relation", group.relation)] if group.relation else []
    lines = numbered(group.lines)
    return prompt(CHOOSE, question(query), *relation, fenced("Candidates", lines))


def _by_likeness(query: str, group: Candidates, embedder: Embedder) -> Judged:
    alike = likeness(query, group.texts, embedder)
    return Judged({i: UNSURE + (1 - UNSURE) * score for i, score in enumerate(alike)}, {})


def _best(
    groups: list[Candidates], judged: list[Judged]
) -> tuple[list[tuple[Entity, float, dict[str, float]]], list[str]]:
    """Return each entity once by its best pair, and in words how each pair was scored."""
    best: dict[str, tuple[Entity, float, dict[str, float]]] = {}
    trace = []
    for group, one in zip(groups, judged, strict=True):
        for at, mine in sorted(one.scores.items()):
            tail, theirs = group.tails[at], group.scores[at]
            score = mine * theirs
            why = f" ({one.reasons[at]})" if one.reasons.get(at) else ""
            lead = f"{group.relation} " if group.relation else ""
            trace.append(f"{lead}{tail.name}: {mine:.2f} x {theirs:.2f} = {score:.2f}{why}")
            if score > 0 and (tail.id not in best or score > best[tail.id][1]):
                best[tail.id] = (tail, score, {"entity": mine, "relation": theirs})
    return list(best.values()), trace
