"""Answer a question from an index: find what it names, rank the passages, take sentences, cite them."""

from collections.abc import Sequence
from difflib import SequenceMatcher
from typing import Protocol

from corpusgraph.schemas.answer import AnswerResult
from corpusgraph.schemas.documents import Document
from corpusgraph.schemas.errors import InvalidInputError
from corpusgraph.schemas.graph import Entity
from corpusgraph.schemas.ports import Corpus, Embedder, GraphView, Vectors
from corpusgraph.schemas.results import Scored
from corpusgraph.schemas.study import Question
from corpusgraph.tasks.answer.extractive import extract_answer
from corpusgraph.tasks.graph.linking import Named, is_proper, named_entities
from corpusgraph.tasks.graph.memo import per_graph
from corpusgraph.tasks.graph.names import aliases_of
from corpusgraph.tasks.graph.passages import PassageGraph
from corpusgraph.tasks.graph.ranking import best, ranked
from corpusgraph.tasks.index.extract import query_names

METHODS = ("default",)
SAME_SPELLING, POOL = 0.88, 50
"""A name that no entity bears is taken for the likest of so many candidates, if it shares so many letters:
"Jon Snow" for "John Snow" (0.94), but not "North Carolina" for "South Carolina" (0.86)."""


class Index(Corpus, Vectors, Protocol):
    """An opened generation of an index: evidence, graph and search."""


def check_method(name: str) -> None:
    """Raise InvalidInputError for a method there is none of."""
    if name not in METHODS:
        raise InvalidInputError(f"Unknown method {name!r}.", hint=f"Methods: {', '.join(METHODS)}.")


def answer_question(index: Index, embedder: Embedder, question: Question) -> AnswerResult:
    """Answer by the default method, with a citation for every sentence.

    The names in the question seed a personalised PageRank over entities and passages, weighed against the
    passages' own words; where the question names nothing known, words alone decide. An unknown method is
    InvalidInputError.
    """
    check_method(question.method)
    if not question.ask.strip():
        raise InvalidInputError("The question is empty.", hint="Ask something, in any words.")
    named, unknown = link_names(index, embedder, question.ask)
    walk = passage_graph(index)
    bearers: dict[str, int] = {}
    for hit in named:
        for id_ in hit.entity_ids:
            bearers[id_] = min(len(hit.entity_ids), bearers.get(id_, len(hit.entity_ids)))
    seeds = walk.seeds(bearers)
    found = walk.rank(question.ask, seeds)
    graph = index.graph
    rows = (
        (graph.chunks[i], found.scores[i], {"bm25": float(found.bm25[i])})
        for i in best(found.scores, question.top_k)
    )
    passages = ranked(rows, found.mode)
    proper = [hit for hit in named if any(is_proper(graph.entity(id_)) for id_ in hit.entity_ids)]
    names = [_spellings(graph, hit) for hit in proper] + [[name] for name in unknown]
    answer = extract_answer(
        question.ask,
        [scored.item for scored in passages],
        documents=documents_by_id(index),
        names=names,
    ).data
    return AnswerResult(
        **dict(answer),
        retrieval=question.method,
        mode=found.mode,
        passages=tuple(passages),
        entities=tuple(_seeded(graph, seeds)),
    )


@per_graph
def passage_graph(index: Index) -> PassageGraph:
    """Return the graph of entities and passages of an index."""
    return PassageGraph(
        index.graph, {id_: document.title for id_, document in documents_by_id(index).items()}
    )


@per_graph
def documents_by_id(index: Index) -> dict[str, Document]:
    """Return the documents of an index by id."""
    return {document.id: document for document in index.documents}


def link_names(index: Index, embedder: Embedder, text: str) -> tuple[list[Named], list[str]]:
    """Return the entities that a question names, and the names in it that no entity is like."""
    names = query_names(text)
    found = named_entities(index.graph, text, names)
    taken = " | ".join(hit.name.casefold() for hit in found)
    unknown = []
    for name in names:
        if name.casefold() in taken:
            continue
        like = _like(index, embedder, name)
        if like:
            found.append(Named(name, like))
        else:
            unknown.append(name)
    return found, unknown


def _like(index: Index, embedder: Embedder, name: str) -> tuple[str, ...]:
    """Return the entity that a misspelt name means, or none: the likest of those found by vector and word."""
    found = index.nearest("entity", embedder.embed([name])[0], POOL) + index.match("entity", name, POOL)
    entities = [index.graph.entity(id_) for id_ in sorted({id_ for id_, _ in found})]
    compared = [(_likeness(name, entity.name), entity.id) for entity in entities]
    best = min(compared, key=lambda pair: (-pair[0], pair[1]), default=(0.0, ""))
    return (best[1],) if best[0] >= SAME_SPELLING else ()


def _likeness(name: str, other: str) -> float:
    """Return the share of letters that two names have in common in order (Ratcliff & Metzener 1988)."""
    return SequenceMatcher(None, name.casefold(), other.casefold(), autojunk=False).ratio()


def _spellings(graph: GraphView, hit: Named) -> list[str]:
    entities = [graph.entity(id_) for id_ in hit.entity_ids]
    return [hit.name, *(name for entity in entities for name in [entity.name, *aliases_of(entity)])]


def _seeded(graph: GraphView, seeds: dict[str, float]) -> Sequence[Scored[Entity]]:
    return ranked(((graph.entity(id_), weight, {}) for id_, weight in seeds.items()), "seed")
