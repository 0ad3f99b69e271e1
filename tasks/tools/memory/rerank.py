"""Put a few results in a better order by reading each together with the query."""

import math
import re
from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import Annotated, Any, Literal, NamedTuple

import numpy as np
from pydantic import BeforeValidator, Field

from corpusgraph.schemas.answer import SimilarItem
from corpusgraph.schemas.base import JsonDict, Noun
from corpusgraph.schemas.documents import Chunk
from corpusgraph.schemas.errors import MissingResourceError
from corpusgraph.schemas.graph import CommunityReport, Entity, Relationship
from corpusgraph.schemas.ports import Corpus, GraphView, Reranker
from corpusgraph.schemas.results import Noted, Scored, ToolInput, ToolWarning, warned
from corpusgraph.tasks.answer.sentences import documents_by_id
from corpusgraph.tasks.graph.compiled import Doubles
from corpusgraph.tasks.graph.inputs import Query, TopK
from corpusgraph.tasks.graph.ranking import ranked
from corpusgraph.tasks.graph.terms import Bm25
from corpusgraph.tasks.progress import counted
from corpusgraph.tasks.registry import Reads, tool
from corpusgraph.tasks.text.words import stems
from corpusgraph.tasks.tools.answer import FIELDS, similar
from corpusgraph.tasks.tools.memory._fusing import RRF_K, Fusion, RrfK, blended
from corpusgraph.tasks.tools.memory._inputs import Done, spelled

_BESIDE = ("score", "scorer", "components")
_ALIKE = {"bm25", "cosine", "tfidf"}
"""Scorers that look at words or vectors alone."""
_JOINED = {"weighted", "rrf"}
"""Those of hybrid_search, which looks at the graph where its components say so."""
Origin = Literal["words", "walk", "unknown"]
"""What put an item in its place: words or vectors; a walk over the graph, or anything else; nobody knows."""


class Candidate(Noun):
    """What is re-ranked, and the score it came with."""

    item: Chunk | Relationship | CommunityReport | Entity | str
    score: float | None = None
    scorer: str | None = None
    components: dict[str, float] = Field(default_factory=dict)

    @property
    def origin(self) -> Origin:
        """Tell by which kind of evidence a search found it."""
        if self.score is None:
            return "unknown"
        joined = self.scorer in _JOINED and "graph" not in self.components
        return "words" if joined or self.scorer in _ALIKE else "walk"


def origin_of(items: Sequence[Candidate]) -> Origin:
    """Tell what most of the items were found by; of as many of several a walk, then words."""
    origins = [item.origin for item in items]
    kinds: tuple[Origin, ...] = ("walk", "words", "unknown")
    return max(kinds, key=origins.count)


def candidates(values: Any) -> Any:
    """Return texts, ids, nouns and scored items as candidates; of JSON the noun that its fields tell."""
    return [_candidate(value) for value in values] if isinstance(values, list | tuple) else values


def _candidate(value: Any) -> Any:
    beside: dict[str, Any] = {}
    while True:
        held: dict[str, Any] = dict(value) if isinstance(value, Mapping | Noun) else {}
        if held.get("item") is not None:
            value = held["item"]
            beside = {name: held[name] for name in _BESIDE if held.get(name) is not None} or beside
        elif "text" in held and held.get("kind") in {"chunk", "relationship", "report", "entity", "text"}:
            value = held.get(held["kind"]) or held["text"]  # what the searches of this family give
        else:
            break
    if isinstance(value, Mapping):
        kind = next((noun for field, noun in FIELDS.items() if field in value), None)
        value = kind.model_validate(value) if kind else value
    return {"item": value, **beside}


WINDOW = 8
"""Words within which two words of the query say something together."""


class Lexical(NamedTuple):
    """Scores of texts (n,), each between 0 and 1."""

    bm25: Doubles
    coverage: Doubles
    proximity: Doubles

    @property
    def total(self) -> Doubles:
        """Return the score (n,): (2 bm25 + coverage + proximity) / 4."""
        return (2 * self.bm25 + self.coverage + self.proximity) / 4


def lexical(query: str, texts: Sequence[str]) -> Lexical:
    """Read each text against the query, among the texts given.

    bm25: as a share of the best (Robertson & Zaragoza 2009). coverage: share of the query's words that occur,
    each weighed by its idf. proximity: pairs of different words of the query within 8 words of each other,
    (idf + idf) / distance ^ 2 each pair's best, as a share of the most there could be (after Rasolofo & Savoy
    2003).
    """
    engine = Bm25(texts)
    idf = {word: float(engine.idf[at]) for word, at in engine.terms.vocabulary.items()}
    asked = list(dict.fromkeys(stems(query)))
    unknown = max(idf.values(), default=1.0)
    weight = {word: idf.get(word, unknown) for word in asked}
    bm25 = engine.scores(query)
    read = [_read(stems(text), weight) for text in counted(texts, "texts read", every=64)]
    return Lexical(
        bm25=bm25 / (bm25.max(initial=0.0) or 1.0),
        coverage=np.array([one for one, _ in read], dtype=np.float64),
        proximity=np.array([other for _, other in read], dtype=np.float64),
    )


def _read(words: Sequence[str], weight: Mapping[str, float]) -> tuple[float, float]:
    """Return coverage and proximity of one text."""
    places = [(at, word) for at, word in enumerate(words) if word in weight]
    total = math.fsum(weight.values()) or 1.0
    covered = math.fsum(weight[word] for word in {word for _, word in places}) / total
    best: dict[tuple[str, str], float] = defaultdict(float)
    for i, (at, word) in enumerate(places):
        for there, other in places[i + 1 : i + 1 + WINDOW]:
            if there - at <= WINDOW and other != word:
                pair = (word, other) if word < other else (other, word)
                best[pair] = max(best[pair], (weight[word] + weight[other]) / (there - at) ** 2)
    most = math.fsum(weight.values()) * 2 - 2 * max(weight.values(), default=0.0) if len(weight) > 1 else 0.0
    near = min(1.0, math.fsum(best.values()) / most) if most > 0 else 0.0
    return covered, near


_ID = re.compile(r"(chk|ent|rel)_[0-9a-f]{16}")
PRIOR: Mapping[Origin, float] = {"walk": 0.9, "words": 0.1, "unknown": 0.0}
"""What the order given counts against a reading by words (benchmarks/retrieval/RERANK.md)."""


class Rerank(ToolInput):
    """What was found, and for what."""

    query: Query
    items: Annotated[
        list[Candidate],
        BeforeValidator(candidates, json_schema_input_type=list[str | Candidate | JsonDict]),
        Reads("chunks"),
    ] = spelled(
        *("items", "results", "documents", "chunks"),
        min_length=1,
        max_length=1000,
        description="texts, ids of chunks, entities or relationships, or the results of a search as they are",
    )
    kind: Literal["lexical", "cross-encoder"] = spelled(
        *("kind", "method", "reranker"),
        default="lexical",
        description="lexical: by the query's words, offline; cross-encoder: by a trained model that reads "
        "query and text together, set by CORPUSGRAPH_RERANKER",
    )
    top_k: TopK = 10
    prior_weight: float | None = Field(
        None,
        ge=0,
        le=1,
        description="what the order given counts; 1: it stays, 0: the reading alone counts. Unless given: 0 "
        "of cross-encoder; of lexical 0.1 for results of words or vectors, 0.9 for those that a walk over "
        "the graph or anything else had a say in, 0 for items without scores",
    )
    fusion: Fusion = Field(
        "rrf",
        description="how order and reading are joined; rrf: sum of share / (rrf_k + rank), by rank alone; "
        "weighted: sum of the scores, each scaled to 0..1",
    )
    rrf_k: RrfK = RRF_K


class Reranked(Done):
    """The items in their new order; `prior_rank` among the components is the place they had."""

    query: str
    kind: Literal["lexical", "cross-encoder"]
    model: str | None = Field(description="name of the model that read them")
    prior_weight: float = Field(description="what the order given counted")
    result_count: int
    results: list[Scored[SimilarItem]]


class _Read(NamedTuple):
    scores: Doubles
    parts: list[dict[str, float]]
    model: str | None


@tool(
    writes="reranked",
    needs="Entity.id",
    optional="Chunk.content source_doc, Entity.name description",
    adds="Scored.score components.bm25 components.coverage components.proximity",
    cite="BM25: Robertson & Zaragoza 2009; proximity: Rasolofo & Savoy 2003; cross-encoder: Nogueira & Cho "
    "2019, arXiv:1901.04085; rrf: Cormack, Clarke & Büttcher 2009",
)
def rerank(
    ask: Rerank, graph: GraphView | None, corpus: Corpus | None, reranker: Reranker | None
) -> Noted[Reranked]:
    """Re-rank results by reading each text together with the query, chunks under their documents' titles.

    Read by words alone, hits of BM25 and of vectors get better and those of a walk over the graph worse; so
    the order given has its say, by what found them (prior_weight; benchmarks/retrieval/RERANK.md).

    Raises DependencyMissingError where the cross-encoder's library is not installed, MissingResourceError
    where no model is set.
    """
    items, twice = _items(ask, graph)
    texts = [read_text(item, corpus) for item, _ in items]
    read = _lexical(ask.query, texts) if ask.kind == "lexical" else _by_model(ask.query, texts, reranker)
    weight = _prior_weight(ask)
    scores = blended(read.scores.tolist(), [prior for _, prior in items], weight, ask.fusion, ask.rrf_k)
    rows = (
        (item, round(float(score), 6), {**parts, "prior_rank": float(place), **_prior(prior)})
        for place, ((item, prior), score, parts) in enumerate(
            zip(items, scores, read.parts, strict=True), start=1
        )
    )
    results = ranked(rows, ask.kind, ask.top_k)
    return Noted(
        data=Reranked(
            query=ask.query,
            kind=ask.kind,
            model=read.model,
            prior_weight=weight,
            result_count=len(results),
            results=results,
        ),
        warnings=twice,
    )


def _items(
    ask: Rerank, graph: GraphView | None
) -> tuple[list[tuple[SimilarItem, float | None]], tuple[ToolWarning, ...]]:
    """Return each item once, in the order given, with its score."""
    items: dict[tuple[str, str], tuple[SimilarItem, float | None]] = {}
    for candidate in ask.items:
        item = similar(_noun(candidate.item, graph))
        items.setdefault((item.kind, item.id), (item, candidate.score))
    lost = len(ask.items) - len(items)
    message = f"{lost} items were given more than once; the first of each counts."
    return list(items.values()), warned("duplicate_items", message, when=lost)


def _noun(item: Any, graph: GraphView | None) -> Any:
    """Return what an id names; any other text is a text."""
    if not isinstance(item, str) or graph is None or not (named := _ID.fullmatch(item)):
        return item
    return {"chk": graph.chunk, "ent": graph.entity, "rel": graph.relationship}[named[1]](item)


def read_text(item: SimilarItem, corpus: Corpus | None) -> str:
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


def _prior_weight(ask: Rerank) -> float:
    if ask.prior_weight is not None:
        return ask.prior_weight
    return PRIOR[origin_of(ask.items)] if ask.kind == "lexical" else 0.0


def _prior(score: float | None) -> dict[str, float]:
    return {} if score is None else {"prior": score}
