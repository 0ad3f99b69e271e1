"""Tool 4: let a language model choose the entities that help to answer a question."""

from collections.abc import Iterable
from typing import Annotated, NamedTuple

from pydantic import AliasChoices, Field, PositiveInt

from corpusgraph.schemas.base import JsonDict
from corpusgraph.schemas.errors import AmbiguousEntityError, UnknownEntityError
from corpusgraph.schemas.graph import Entity
from corpusgraph.schemas.llm import Prompt
from corpusgraph.schemas.ports import Embedder, GraphView, LanguageModel, Vectors
from corpusgraph.schemas.results import Noted, Scored, ToolInput, ToolWarning, warned
from corpusgraph.tasks.extract.query_names import query_names
from corpusgraph.tasks.extract.question import LONGEST
from corpusgraph.tasks.graph.compiled import ends
from corpusgraph.tasks.graph.inputs import Query, resolved
from corpusgraph.tasks.graph.linking import meant, named_entities
from corpusgraph.tasks.graph.ranking import Row, likeness, near, ranked
from corpusgraph.tasks.graph.verbal import described, step
from corpusgraph.tasks.llm.judging import Judged, Score, judge_groups
from corpusgraph.tasks.llm.prompting import (
    Said,
    ask_all,
    cut_context,
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


class Candidate(NamedTuple):
    """An entity, the score of the relationship that leads there, and the text it is compared by."""

    entity: Entity
    score: float
    text: str


class Candidates(NamedTuple):
    """What one relation of one entity leads to; "" is no relation."""

    relation: str
    rows: list[Candidate]


def _led_to(ask: "EntityAgentFind", graph: GraphView) -> tuple[list[Candidates], tuple[ToolWarning, ...]]:
    """Group the candidates by topic, relation and direction; warn of relationships without a topic."""
    topics = resolved(graph, ask.entities or ())
    if ask.relationships is None:
        return [Candidates("", [Candidate(e, 1.0, described(e)) for e in topics])] if topics else [], ()
    inside = None if ask.entities is None else {topic.id for topic in topics}
    groups: dict[tuple[str, str, bool], tuple[str, dict[str, Candidate]]] = {}
    apart = []
    for ref, score in grades(ask.relationships).items():
        edge = graph.relationship(ref)
        both = ((edge.source_id, edge.target_id, True), (edge.target_id, edge.source_id, False))
        is_loop = len(ends(edge)) < 2  # it leads nowhere
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
    found = [Candidates(relation, list(rows.values())) for relation, rows in groups.values()]
    return found, warned("unconnected", message, apart, when=apart)


def _trimmed(
    query: str, groups: list[Candidates], most: int, embedder: Embedder
) -> tuple[list[Candidates], tuple[ToolWarning, ...]]:
    """Keep of each group the candidates most like the question."""
    trimmed, left = [], 0
    for group in groups:
        rows = group.rows
        if len(rows) > most:
            left += len(rows) - most
            alike = likeness(query, [row.text for row in rows], embedder)
            order = sorted(range(len(rows)), key=lambda i: (-alike[i], rows[i].entity.id))
            rows = [rows[i] for i in sorted(order[:most])]
        trimmed.append(Candidates(group.relation, rows))
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
    reply = ask_all(llm, [asked], NamedEntities, lambda _, said: _wrong(graph, said))[0]
    said = reply.value.entities if reply.value else ()
    if not any(one.score is not None for one in said):
        failed = llm_failed(reply.error or "it named no entity with a score from 0 to 1", NAMED_INSTEAD)
        other = _named_by_rules(ask, graph, vectors, embedder)
        return other.model_copy(update={"warnings": (failed, *other.warnings[1:])})
    found, notes = _found(graph, said)
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
            return _named_by_rules(ask, graph, vectors, embedder)
        return _named_by_the_model(ask, graph, vectors, embedder, llm)
    every, apart = _led_to(ask, graph)
    groups, cut = _trimmed(ask.query, every, ask.max_candidates, embedder)
    warnings = [*cut, *apart, *([] if groups else [nothing("candidate")])]

    def prompt_of(i: int) -> Prompt:
        relation = [fenced("Relation", groups[i].relation)] if groups[i].relation else []
        lines = numbered(described(row.entity) for row in groups[i].rows)
        return prompt(CHOOSE, question(ask.query), *relation, fenced("Candidates", lines))

    def by_likeness(i: int) -> Judged:
        alike = likeness(ask.query, [row.text for row in groups[i].rows], embedder)
        return Judged({at: UNSURE + (1 - UNSURE) * score for at, score in enumerate(alike)}, {})

    names = [[row.entity.id for row in group.rows] for group in groups]
    judged, notes = judge_groups(
        llm, names, prompt_of, by_likeness, sole="the only candidate", instead=INSTEAD
    )
    best: dict[str, Row[Entity]] = {}  # each entity once, by its best pair
    trace = []
    for group, one in zip(groups, judged, strict=True):
        for at, mine in sorted(one.scores.items()):
            entity, theirs, _ = group.rows[at]
            lead = f"{group.relation} " if group.relation else ""
            score = mine * theirs
            trace.append(f"{lead}{entity.name}: {mine:.2f} x {theirs:.2f} = {score:.2f}{one.why(at)}")
            if score > 0 and (entity.id not in best or score > best[entity.id][1]):
                best[entity.id] = entity, score, {"entity": mine, "relation": theirs}
    return Noted(
        data=ranked(
            best.values(),
            scorer(llm, notes),
            min(ask.width, ask.max_entities) if ask.relationships is not None else ask.max_entities,
        ),
        warnings=(*query_cut(ask.query, llm), *warnings, *notes),
        reasoning_trace="\n".join(trace) or nothing("candidate").message,
    )
