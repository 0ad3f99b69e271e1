"""Put a few results in a better order by reading each together with the query."""

import re
from collections.abc import Mapping, Sequence
from typing import Annotated, Any, Literal, NamedTuple

import numpy as np
from pydantic import AliasChoices, BeforeValidator, Field

from corpusgraph.schemas.answer import SimilarItem
from corpusgraph.schemas.base import JsonDict, Noun
from corpusgraph.schemas.documents import Chunk
from corpusgraph.schemas.errors import MissingResourceError
from corpusgraph.schemas.graph import CommunityReport, Entity, Relationship
from corpusgraph.schemas.ports import Corpus, GraphView, Reranker
from corpusgraph.schemas.results import Noted, Scored, ToolInput, ToolWarning
from corpusgraph.tasks._tool import Reads, tool
from corpusgraph.tasks.answer.provenance import documents_by_id
from corpusgraph.tasks.answer.similarity_search import FIELDS, similar
from corpusgraph.tasks.graph.arrays import Doubles
from corpusgraph.tasks.graph.inputs import Query, TopK
from corpusgraph.tasks.graph.ranking import ranked
from corpusgraph.tasks.memory._lexical import lexical
from corpusgraph.tasks.method.union import normalized

MANY = 1000
_ID = re.compile(r"(chk|ent|rel)_[0-9a-f]{16}")


class Candidate(Noun):
    """What is re-ranked, and the score it came with."""

    item: Chunk | Relationship | CommunityReport | Entity | str
    score: float | None = None


def _candidates(values: Any) -> Any:
    """Return texts, ids, nouns and scored items as candidates; of JSON the noun that its fields tell."""
    return [_candidate(value) for value in values] if isinstance(values, list | tuple) else values


def _candidate(value: Any) -> Any:
    score = None
    while True:
        held: dict[str, Any] = dict(value) if isinstance(value, Mapping | Noun) else {}
        if held.get("item") is not None:
            value, score = held["item"], held.get("score", score)
        elif "text" in held and held.get("kind") in {"chunk", "relationship", "report", "entity", "text"}:
            value = held.get(held["kind"]) or held["text"]  # what the searches of this family give
        else:
            break
    if isinstance(value, Mapping):
        kind = next((noun for field, noun in FIELDS.items() if field in value), None)
        value = kind.model_validate(value) if kind else value
    return {"item": value, "score": score}


class Rerank(ToolInput):
    """What was found, and for what."""

    query: Query
    items: Annotated[
        list[Candidate],
        BeforeValidator(_candidates, json_schema_input_type=list[str | Candidate | JsonDict]),
        Reads("chunks"),
    ] = Field(
        min_length=1,
        max_length=MANY,
        validation_alias=AliasChoices("items", "results", "documents", "chunks"),
        description="texts, ids of chunks, entities or relationships, or the results of a search as they are",
    )
    kind: Literal["lexical", "cross-encoder"] = Field(
        "lexical",
        validation_alias=AliasChoices("kind", "method", "reranker"),
        description="lexical: by the query's words, offline; cross-encoder: by a trained model that reads "
        "query and text together, set by CORPUSGRAPH_RERANKER",
    )
    top_k: TopK = 10
    prior_weight: float = Field(
        0.0,
        ge=0,
        le=1,
        description="share of the score that the results came with; both are scaled to 0..1 first",
    )


class Reranked(Noun):
    """The items in their new order; `prior_rank` among the components is the place they had."""

    success: Literal[True] = True
    query: str
    kind: Literal["lexical", "cross-encoder"]
    model: str | None = Field(description="name of the model that read them")
    result_count: int
    results: list[Scored[SimilarItem]]


class _Read(NamedTuple):
    scores: Doubles
    parts: list[dict[str, float]]
    model: str | None


@tool(
    writes="reranked",
    needs={"Entity.id"},
    optional={"Chunk.content", "Chunk.source_doc", "Entity.name", "Entity.description"},
    adds={
        "Scored.score",
        "Scored.components.bm25",
        "Scored.components.coverage",
        "Scored.components.proximity",
    },
    cite="BM25: Robertson & Zaragoza 2009; proximity: Rasolofo & Savoy 2003; cross-encoder: Nogueira & Cho "
    "2019, arXiv:1901.04085",
)
def rerank(
    ask: Rerank, graph: GraphView | None, corpus: Corpus | None, reranker: Reranker | None
) -> Noted[Reranked]:
    """Re-rank results by reading each text together with the query, chunks under their documents' titles.

    Read by words, hits of BM25 and of vectors get better and those of a walk over the graph worse
    (benchmarks/retrieval/RERANK.md).

    Raises DependencyMissingError where the cross-encoder's library is not installed, MissingResourceError
    where no model is set.
    """
    items, twice = _items(ask, graph)
    texts = [_text(item, corpus) for item, _ in items]
    read = _lexical(ask.query, texts) if ask.kind == "lexical" else _by_model(ask.query, texts, reranker)
    scores = _with_prior(ask, read.scores, [prior for _, prior in items])
    rows = (
        (item, round(float(score), 6), {**parts, "prior_rank": float(place), **_prior(prior)})
        for place, ((item, prior), score, parts) in enumerate(
            zip(items, scores, read.parts, strict=True), start=1
        )
    )
    results = ranked(rows, ask.kind, ask.top_k)
    return Noted(
        data=Reranked(
            query=ask.query, kind=ask.kind, model=read.model, result_count=len(results), results=results
        ),
        warnings=twice,
    )


def _items(
    ask: Rerank, graph: GraphView | None
) -> tuple[list[tuple[SimilarItem, float | None]], tuple[ToolWarning, ...]]:
    """Return each item once, in the order given, with its score."""
    found: dict[tuple[str, str], tuple[SimilarItem, float | None]] = {}
    for candidate in ask.items:
        item = similar(_noun(candidate.item, graph))
        found.setdefault((item.kind, item.id), (item, candidate.score))
    lost = len(ask.items) - len(found)
    message = f"{lost} items were given more than once; the first of each counts."
    warnings = (ToolWarning(code="duplicate_items", message=message),) if lost else ()
    return list(found.values()), warnings


def _noun(item: Any, graph: GraphView | None) -> Any:
    """Return what an id names; any other text is a text."""
    if not isinstance(item, str) or graph is None or not (named := _ID.fullmatch(item)):
        return item
    return {"chk": graph.chunk, "ent": graph.entity, "rel": graph.relationship}[named[1]](item)


def _text(item: SimilarItem, corpus: Corpus | None) -> str:
    """Return what is read: a chunk under its document's title, which names what its sentences call "it"."""
    if item.chunk is None or corpus is None:
        return item.text
    document = documents_by_id(corpus).get(item.chunk.source_doc)
    return f"{document.title}\n{item.text}" if document else item.text


def _lexical(query: str, texts: Sequence[str]) -> _Read:
    read = lexical(query, texts)
    parts = [
        {"bm25": float(a), "coverage": float(b), "proximity": float(c)} for a, b, c in zip(*read, strict=True)
    ]
    return _Read(read.total, parts, None)


def _by_model(query: str, texts: Sequence[str], reranker: Reranker | None) -> _Read:
    if reranker is None:
        raise MissingResourceError(
            "A cross-encoder needs a model, and none was given.", hint="Use kind: lexical."
        )
    scores = np.asarray(reranker.scores(query, texts), dtype=np.float64)
    return _Read(scores, [{"cross_encoder": float(score)} for score in scores], reranker.name)


def _with_prior(ask: Rerank, scores: Doubles, priors: Sequence[float | None]) -> Sequence[float]:
    if not ask.prior_weight:
        return [float(score) for score in scores]
    known = [prior for prior in priors if prior is not None]
    least = min(known, default=0.0)
    before = normalized([least if prior is None else prior for prior in priors], "minmax")
    now = normalized(scores.tolist(), "minmax")
    return [(1 - ask.prior_weight) * a + ask.prior_weight * b for a, b in zip(now, before, strict=True)]


def _prior(score: float | None) -> dict[str, float]:
    return {} if score is None else {"prior": score}
