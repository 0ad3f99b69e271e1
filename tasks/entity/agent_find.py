"""Tool 4: let a language model choose the entities that help to answer a question."""

from typing import Annotated

from pydantic import AliasChoices, Field, PositiveInt

from corpusgraph.schemas.base import JsonDict
from corpusgraph.schemas.graph import Entity
from corpusgraph.schemas.llm import Prompt
from corpusgraph.schemas.ports import Embedder, GraphView, LanguageModel, Vectors
from corpusgraph.schemas.results import Noted, Scored, ToolInput
from corpusgraph.tasks.entity._candidates import Candidates, candidates_of
from corpusgraph.tasks.entity._naming import named_by_rules, named_by_the_model
from corpusgraph.tasks.graph.inputs import Query
from corpusgraph.tasks.graph.ranking import ranked
from corpusgraph.tasks.query.given import Graded
from corpusgraph.tasks.query.judging import Judged, judge_groups
from corpusgraph.tasks.query.likeness import likeness
from corpusgraph.tasks.query.prompting import (
    fenced,
    nothing,
    numbered,
    prompt,
    query_cut,
    question,
    scorer,
)
from corpusgraph.tasks.registry import Reads, tool

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
