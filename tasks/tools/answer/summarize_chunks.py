"""T58: the gist of passages, every sentence cited."""

from collections.abc import Sequence
from typing import Annotated, Self

import numpy as np
from numpy.typing import NDArray
from pydantic import Field, PositiveInt, model_validator

from corpusgraph.schemas.answer import Summary
from corpusgraph.schemas.ports import Corpus, GraphView, LanguageModel
from corpusgraph.schemas.results import Noted, ToolInput, ToolWarning
from corpusgraph.tasks.answer.context import (
    Budget,
    Chunks,
    Fitted,
    Items,
    Retrieved,
    build_context,
    drafts_of,
)
from corpusgraph.tasks.answer.sentences import Provenance, Sentence, distinct
from corpusgraph.tasks.answer.written import SOURCES, by_number, composed, write
from corpusgraph.tasks.digits import log, significant
from corpusgraph.tasks.graph.compiled import Doubles
from corpusgraph.tasks.graph.inputs import Query
from corpusgraph.tasks.graph.terms import Bm25, Terms
from corpusgraph.tasks.llm.prompting import fenced, llm_failed, no_llm, prompt, query_cut, shown
from corpusgraph.tasks.progress import step
from corpusgraph.tasks.registry import Reads, tool
from corpusgraph.tasks.text.diversity import diverse
from corpusgraph.tasks.text.tokens import count_tokens

DAMPING = 0.85
"""Probability of following likeness rather than starting anew."""
STEPS, ENOUGH = 100, 1e-9
PENALTY = 3 / 7
"""Share of the best score that a sentence loses that is like one already chosen (an MMR lambda of 0.7)."""

Matrix = NDArray[np.float64]


def likenesses(texts: Sequence[str]) -> Matrix:
    """Return the cosines of all pairs of TF-IDF vectors (n, n); memory grows with n squared.

    Parameters
    ----------
    texts : sequence of str
        Sentences.

    Returns
    -------
    array of float, shape (n, n)
        From 0 to 1; 1 on the diagonal, but 0 for a text without words.

    """
    terms = Terms.of(texts)
    n = len(terms.lengths)
    idf = log((1 + n) / (1 + terms.document_frequency)) + 1
    weights = terms.count * np.repeat(idf, terms.document_frequency)
    lengths = np.sqrt(np.bincount(terms.text, weights**2, minlength=n))
    weights = weights / lengths[terms.text]
    alike = np.zeros((n, n))
    for term in range(len(terms.vocabulary)):
        rows, where = terms.postings(term)
        if len(rows) > 1:
            alike[np.ix_(rows, rows)] += np.outer(weights[where], weights[where])
    np.fill_diagonal(alike, np.where(lengths > 0, 1.0, 0.0))
    return np.minimum(alike, 1.0)


def centrality(alike: Matrix, prior: Doubles | None = None) -> Doubles:
    """Return continuous LexRank, summing to 1: PageRank over likenesses (Erkan & Radev 2004).

    Parameters
    ----------
    alike : array of float, shape (n, n)
        As `likenesses` returns it.
    prior : array of float, shape (n,), optional
        Where the walk starts anew, as the likeness to a question; alike everywhere unless given.

    Returns
    -------
    array of float, shape (n,)
        Rounded, so that ties are ties on every machine.

    """
    n = len(alike)
    if not n:
        return np.zeros(0)
    start = np.full(n, 1 / n) if prior is None or not prior.any() else prior / prior.sum()
    # Likeness to itself says nothing: with it, a sentence like no other would be as central as the average.
    others = alike - np.diag(np.diag(alike))
    sums = others.sum(axis=1)
    follow = np.divide(others, sums[:, None], out=np.tile(start, (n, 1)), where=sums[:, None] > 0)
    rank = start.copy()
    for done in range(STEPS):
        step("sentences ranked: rounds", done)
        then = (1 - DAMPING) * start + DAMPING * (rank @ follow)
        settled = np.abs(then - rank).sum() < ENOUGH
        rank = then
        if settled:
            break
    return significant(rank)


MAX_READ = 2000
"""Sentences compared with one another at most: the first of the passages, best passage first."""
LEANING = 0.5
"""What a sentence that leans on the one before it ("He …", "This …") keeps of its score."""
INSTEAD = "the summary is made of the most central sentences"
TASK = f"You summarise passages of a collection, from nothing else. {SOURCES}"


class SummarizeChunks(ToolInput):
    """What to summarise, and how short."""

    chunks: Annotated[Chunks | None, Reads("chunks")] = Field(
        None, description="chunks by id or short id, or with their content"
    )
    items: Annotated[Items | None, Reads("items")] = Field(None, description="results of a similarity search")
    query: Query | None = Field(None, description="what the summary is to be about; everything, unless given")
    max_sentences: PositiveInt = Field(5, description="of the summary")
    max_tokens: PositiveInt = Field(300, description="of the summary")
    max_context_tokens: PositiveInt = Field(
        30000, description="passages are read in order until these are spent"
    )

    @model_validator(mode="after")
    def _holds_something(self) -> Self:
        if not self.chunks and not self.items:
            raise ValueError("nothing to summarise: give chunks or items")
        return self


@tool(
    writes="summary",
    needs={"Chunk.content"},
    optional={"Chunk.source_doc", "Chunk.start", "Chunk.page", "Chunk.metadata"},
    adds={"Summary.text", "Summary.citations"},
    cite="Erkan & Radev 2004 (LexRank), doi:10.1613/jair.1523; Carbonell & Goldstein 1998 (MMR)",
    aliases=("T58",),
)
def summarize_chunks(
    ask: SummarizeChunks, graph: GraphView, corpus: Corpus | None, llm: LanguageModel | None
) -> Noted[Summary]:
    """Summarise passages; without a language model by their most central sentences, in text order."""
    given = Retrieved(chunks=ask.chunks or (), items=ask.items or ())
    drafts = drafts_of(given, Provenance(graph, corpus))
    whole = ask.max_context_tokens
    context = build_context(drafts, max_tokens=whole, budget=Budget(), render="prose", whole=whole)
    warnings = (*query_cut(ask.query or "", llm), *context.warnings(f"{whole} tokens"))
    if llm is None:
        return Noted[Summary](data=_central(ask, context), warnings=(*warnings, no_llm(INSTEAD)))
    made, more = _written(ask, context, llm)
    return Noted[Summary](data=made, warnings=(*warnings, *more))


def _central(ask: SummarizeChunks, context: Fitted) -> Summary:
    """Take the most central sentences that fit, and put them in text order."""
    read = distinct([s for piece in context.pieces for s in piece.draft.sentences])
    sentences = ([s for s in read if not s.is_fragment] or read)[:MAX_READ]
    texts = [sentence.text for sentence in sentences]
    alike = likenesses(texts)
    prior = Bm25(texts).scores(ask.query) if ask.query and texts else None
    scores = centrality(alike, prior)
    scores = scores * np.array([LEANING if sentence.leans else 1.0 for sentence in sentences])
    if prior is not None and prior.any():
        scores = np.where(prior > 0, scores, 0.0)
    chosen: list[int] = []
    left = ask.max_tokens
    for at in diverse(scores, alike.__getitem__, len(sentences), penalty=PENALTY):
        cost = count_tokens(f"{sentences[at].line} [{len(chosen) + 1}]")
        if scores[at] > 0 and cost <= left and len(chosen) < ask.max_sentences:
            chosen.append(at)
            left -= cost
    return _summary([(sentences[at], float(scores[at])) for at in sorted(chosen)])


def _summary(chosen: list[tuple[Sentence, float]]) -> Summary:
    text = " ".join(f"{sentence.line} [{n}]" for n, (sentence, _) in enumerate(chosen, start=1))
    citations = tuple(sentence.cite(score) for sentence, score in chosen)
    return Summary(text=text, method="extractive", citations=citations, n_tokens=count_tokens(text))


def _written(
    ask: SummarizeChunks, context: Fitted, llm: LanguageModel
) -> tuple[Summary, tuple[ToolWarning, ...]]:
    """Let the model write; what cites nothing, or is too long, is left out."""
    limit = f"At most {ask.max_sentences} sentences and {ask.max_tokens} tokens."
    about = [fenced("About", shown(ask.query))] if ask.query else []
    sources = by_number(context.pieces)
    query = ask.query or ""
    made = write(llm, prompt(f"{TASK} {limit}", fenced("Passages", context.text), *about), sources, query)
    if isinstance(made, str):
        return _central(ask, context), (llm_failed(made, INSTEAD),)
    uncited = composed(made.sentences, sources, query).warnings()
    cited = [s for s in made.sentences if composed([s], sources, query).citations]
    if not cited:
        return _central(ask, context), (llm_failed("no sentence names a passage", INSTEAD), *uncited)
    kept = cited[: ask.max_sentences]
    while kept and count_tokens(composed(kept, sources, query).text) > ask.max_tokens:
        kept = kept[:-1]
    best = composed(kept, sources, query)
    summary = Summary(
        text=best.text, method=llm.name, citations=best.citations, n_tokens=count_tokens(best.text)
    )
    return summary, (*uncited, *_cut(len(cited) - len(kept)))


def _cut(n: int) -> tuple[ToolWarning, ...]:
    message = f"The model wrote more than was asked for; its last {n} sentences are left out."
    return (ToolWarning(code="summary_cut", message=message),) if n else ()
