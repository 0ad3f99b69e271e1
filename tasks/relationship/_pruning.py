"""Choose the relations of entities by name and direction; a relation stands for all its edges."""

from collections.abc import Sequence
from math import fsum

from corpusgraph.schemas.graph import EntityRef, Relationship
from corpusgraph.schemas.llm import Prompt
from corpusgraph.schemas.ports import Embedder, GraphView, LanguageModel
from corpusgraph.schemas.results import Noted, Scored, ToolWarning
from corpusgraph.tasks.graph.compiled import compiled
from corpusgraph.tasks.graph.inputs import resolved
from corpusgraph.tasks.graph.ranking import ranked
from corpusgraph.tasks.query.given import grades
from corpusgraph.tasks.query.judging import Judged, judge_groups
from corpusgraph.tasks.query.likeness import likeness
from corpusgraph.tasks.query.prompting import fenced, nothing, numbered, prompt, question, scorer
from corpusgraph.tasks.relationship._relations import Relation, relations_of

PRUNE = (
    "You answer questions over a knowledge graph. An entity has these relations; an arrow to the right "
    "starts at the entity, one to the left ends there. Choose at most {width} that help to answer the "
    "question, and give each a score from 0 to 1 so that the scores sum to 1. Mark them by number, and say "
    "why in a few words."
)
INSTEAD = "relations are chosen by the likeness of their names to the question"
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
        lambda i: _by_likeness(query, groups[i], embedder),
        sole="the only relation",
        instead=INSTEAD,
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


def _by_likeness(query: str, group: Sequence[Relation], embedder: Embedder) -> Judged:
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
