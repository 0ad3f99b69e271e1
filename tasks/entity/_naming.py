"""Entities that a model, or the names in a text, tell a question to be about."""

from collections.abc import Iterable

from corpusgraph.schemas.errors import AmbiguousEntityError, UnknownEntityError
from corpusgraph.schemas.graph import Entity
from corpusgraph.schemas.ports import Embedder, GraphView, LanguageModel, Vectors
from corpusgraph.schemas.results import Noted, Scored, ToolWarning
from corpusgraph.tasks.graph.linking import meant, named_entities
from corpusgraph.tasks.graph.ranking import near, ranked
from corpusgraph.tasks.index.extract import query_names
from corpusgraph.tasks.query.judging import Score
from corpusgraph.tasks.query.likeness import likeness
from corpusgraph.tasks.query.phrases import LONGEST
from corpusgraph.tasks.query.prompting import (
    Said,
    ask_all,
    cut,
    cut_warning,
    fenced,
    llm_failed,
    no_llm,
    prompt,
    query_cut,
    question,
)
from corpusgraph.tasks.query.verbal import described

NAME = (
    "You answer questions over a knowledge graph. Name the entities of the context, and of the question, "
    "that help most to answer it, as they are written there, best first: at most {n}. Give each a score "
    "from 0 to 1 and say why in a few words."
)
INSTEAD = (
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
        warnings = (llm_failed(error, INSTEAD), *kept)
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
        warnings=(no_llm(INSTEAD), *short),
        reasoning_trace="\n".join(trace) or "Neither the question nor the context names an entity.",
    )


def _ids(graph: GraphView, text: str, names: list[str]) -> list[str]:
    hits = named_entities(graph, text, names)
    return list(dict.fromkeys(id_ for hit in hits for id_ in hit.entity_ids))


def _near(query: str, most: int, vectors: Vectors, embedder: Embedder) -> list[str]:
    vector = embedder.embed([query])[0]
    like = near(vectors, "entity", query, vector, most) if vector.any() else []
    return sorted({id_ for id_, _ in [*like, *vectors.match("entity", query, most)]})
