"""Answer a question with sentences of the passages, word for word."""

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from corpusgraph.schemas.answer import Answer
from corpusgraph.schemas.documents import Chunk, Document
from corpusgraph.schemas.results import Noted, ToolWarning
from corpusgraph.tasks._steps import step
from corpusgraph.tasks.answer.answerable import Candidates, Rarity, alike_rare, fit_of, is_answered
from corpusgraph.tasks.answer.kinds import (
    compares,
    counted_by,
    expected,
    holds_kind,
    is_written_as_name,
    topic_of,
    without_names,
)
from corpusgraph.tasks.answer.paths import EntityOf, bare_title, paths_of
from corpusgraph.tasks.answer.sentences import Sentence, name_words, sentences_of
from corpusgraph.tasks.answer.stated import StatedOf
from corpusgraph.tasks.answer.turns import is_question
from corpusgraph.tasks.graph.compiled import Doubles
from corpusgraph.tasks.graph.terms import Bm25
from corpusgraph.tasks.graph.words import stems

METHOD = "extractive"
Flags = np.ndarray[tuple[int], np.dtype[np.bool_]]
MAX_SENTENCES = 3
MAX_CONTEXT_TOKENS = 4000
FEATURES = (
    "relation",
    "words",
    "passage",
    "lead",
    "seeds",
    "kind",
    "direct",
    "title_bridges",
    "bridged",
    "stated",
)
"""What the score of a sentence is made of, each from 0 to 1.

Words shared with the question outside its names, and with all of it (BM25, 1 for the best); 1 / rank of the
passage; 1 / place in a passage that begins its document, times its share of that; names of the question; what
kind of thing is asked for; every name and other word of the question; a bridge in the title; any bridge
where there are also `relation` and `kind`; and what a causal arrow in it says of the question.
"""
WEIGHTS = (1.6, 0.3, 0.2, 1.0, 0.5, 1.5, 1.5, 1.0, 2.5, 3.0)
"""Of each of FEATURES: benchmarks/answers/fit.py, rounded; those that it leaves near 0, as they tell nothing
where the answer is two passages away, are set by hand for questions that one sentence answers, as is the
last: the question sets hardly ask for causes."""
PROMPT = 0.5
"""What a word of the turns before a reply counts beside one of its own."""
UNKNOWN_KIND = 0.5
"""What a sentence tells of a question that does not say what kind of thing it asks for."""
DIVERSITY = 0.5
"""How much of its likeness to sentences already chosen a sentence loses (Carbonell & Goldstein 1998, MMR)."""
WORTH = 0.4
"""A further sentence must have this share of the best one's score."""
NO_ANSWER = "The passages do not answer this question."


@dataclass(frozen=True)
class Rated:
    """Sentences as candidates for an answer."""

    features: Doubles
    """One row a sentence, one column each of FEATURES (n, 10)."""
    scores: Doubles
    """0 for what is no candidate (n,)."""
    kind_near: Doubles
    """How well each holds what is asked for, near a name of the question or a bridge to it (n,)."""

    def with_chosen(self, sentences: Sequence[Sentence], chosen: Sequence[int]) -> Candidates:
        """Return what tells whether the chosen sentences answer."""
        return Candidates(sentences, float(self.kind_near[list(chosen)].max()))


def extract_answer(
    query: str,
    chunks: Sequence[Chunk],
    *,
    documents: Mapping[str, Document] | None = None,
    names: Sequence[Collection[str]] = (),
    entity_of: EntityOf | None = None,
    stated_of: StatedOf | None = None,
    rarity_of: Rarity = alike_rare,
    max_sentences: int = MAX_SENTENCES,
    max_context_tokens: int = MAX_CONTEXT_TOKENS,
) -> Noted[Answer]:
    """Return up to `max_sentences` sentences of the chunks (best first) that speak to the query, each cited.

    `names` are what the question names, each in all its spellings; `rarity_of` tells how rare a stem is.
    Where the sentences hold too few of the question's words, or no passage any of its names, the answer is
    not supported and says so.
    """
    sentences, cut = sentences_of(chunks, documents or {}, max_context_tokens)
    answer = extract_from(
        query,
        sentences,
        names=names,
        entity_of=entity_of,
        stated_of=stated_of,
        rarity_of=rarity_of,
        max_sentences=max_sentences,
    )
    return Noted(data=answer, warnings=_over_budget(cut, max_context_tokens))


def extract_from(
    query: str,
    sentences: Sequence[Sentence],
    *,
    names: Sequence[Collection[str]] = (),
    entity_of: EntityOf | None = None,
    stated_of: StatedOf | None = None,
    rarity_of: Rarity = alike_rare,
    max_sentences: int = MAX_SENTENCES,
) -> Answer:
    """Return up to `max_sentences` of the sentences that speak to the query, best first, each cited."""
    topic = topic_of(query)
    candidates = rated(topic, sentences, names, entity_of, stated_of)
    if candidates is None:
        return unanswered(query)
    each = best_of_each(sentences, candidates.scores, names) if compares(query) else ()
    chosen = diverse(sentences, candidates.scores, max_sentences, each)
    read = candidates.with_chosen(sentences, chosen)
    if not is_answered(fit_of(topic, names, read, rarity_of)):
        return unanswered(query)
    return cited(query, [(sentences[i], float(candidates.scores[i])) for i in chosen])


def cited(query: str, chosen: Sequence[tuple[Sentence, float]]) -> Answer:
    """Return sentences and their scores as an answer, in the order given."""
    citations = tuple(sentence.cite(score) for sentence, score in chosen)
    text = " ".join(f"{sentence.line} [{n}]" for n, (sentence, _) in enumerate(chosen, start=1))
    return Answer(query=query, text=text, method=METHOD, citations=citations, supported=True)


def rated(
    query: str,
    sentences: Sequence[Sentence],
    names: Sequence[Collection[str]] = (),
    entity_of: EntityOf | None = None,
    stated_of: StatedOf | None = None,
) -> Rated | None:
    """Return how well each sentence may answer, or None where none has to do with the query.

    A sentence has, that shares a word with it (or replies to one that does), names what it names, or is tied
    to that by a bridge. Where passages name it, or a bridge to it, no other has to do with it.
    """
    if not sentences:
        return None
    bm25 = Bm25([f"{s.speaker} {s.text}" if s.speaker else s.text for s in sentences])
    prompts = Bm25([s.prompt for s in sentences]) if any(s.prompt for s in sentences) else None
    beyond_names = without_names(query, names)
    relation, words = (_shared(text, bm25, prompts) for text in (beyond_names, query))
    paths = paths_of(query, sentences, names, entity_of)
    bridged = np.maximum(paths.title_bridges, paths.text_bridges)
    candidates = (words > 0) | (paths.seeds > 0) | (bridged > 0)
    states = [not is_question(s.text) and any(map(str.isalpha, s.text)) for s in sentences]
    tied = _in_tied(sentences, np.maximum(paths.seeds, bridged))
    if (candidates & tied).any():
        candidates &= tied
    if any(states):  # where all that was read asks, its questions are what it says
        candidates &= states
    if not candidates.any():
        return None
    kind, counted, asked = expected(query), counted_by(query), frozenset(stems(beyond_names))
    stated = stated_of(query, names, sentences) if stated_of else np.zeros(len(sentences))
    held = np.maximum(
        stated, [holds_kind(kind, s.text, n, counted) for s, n in zip(sentences, paths.others, strict=True)]
    )
    features = np.column_stack(
        [
            relation,
            words,
            [1 / (1 + s.passage) for s in sentences],
            _leads(sentences),
            paths.seeds,
            held,
            (paths.seeds == 1) & [asked <= s.stems for s in sentences],
            paths.title_bridges,
            bridged * (relation + held) / 2,
            stated,
        ]
    )
    scores = np.where(candidates, features @ np.array(WEIGHTS), 0.0)
    near = np.maximum(paths.seeds, bridged) if names else np.ones(len(sentences))
    return Rated(features, scores, near * (held if kind else np.maximum(stated, UNKNOWN_KIND)))


def _shared(query: str, bm25: Bm25, prompts: Bm25 | None) -> Doubles:
    """Return the share of the best one's score in words that each sentence, or what it replies to, has."""
    scores = bm25.scores(query) if prompts is None else bm25.scores(query) + PROMPT * prompts.scores(query)
    return scores / (scores.max() or 1.0)


def _in_tied(sentences: Sequence[Sentence], ties: Doubles) -> Flags:
    """Tell which sentences are of a passage that names what the question names, or a bridge to it."""
    tied = {sentence.passage for sentence, tie in zip(sentences, ties.tolist(), strict=True) if tie}
    return np.array([sentence.passage in tied for sentence in sentences])


def _leads(sentences: Sequence[Sentence]) -> list[float]:
    """Return 1 / place of each sentence in a passage that begins its document, times its share of that.

    Texts say first what they are about: an entry of a handbook more than a speech. A passage of one sentence
    is an entry of its own, the turns of a chat are none.
    """
    lengths = Counter(s.passage for s in sentences)
    return [
        0.0
        if s.speaker
        else 1.0
        if lengths[s.passage] == 1
        else (not s.chunk.start) * s.share / (1 + s.place)
        for s in sentences
    ]


def best_of_each(
    sentences: Sequence[Sentence], scores: Doubles, names: Sequence[Collection[str]]
) -> list[int]:
    """Return the best sentence on each proper name, best first: of a passage with that title, if any."""
    chosen: dict[int, float] = {}
    for spellings in filter(is_written_as_name, names):
        wanted = frozenset(map(name_words, spellings))
        titled = [bare_title(sentence) in wanted for sentence in sentences]
        on_it = titled if any(titled) else [s.names(tuple(spellings)) for s in sentences]
        of_name = np.where(on_it, scores, 0.0)
        if of_name.any():
            chosen[int(of_name.argmax())] = float(of_name.max())
    return sorted(chosen, key=lambda at: -chosen[at])


def diverse(sentences: Sequence[Sentence], scores: Doubles, n: int, first: Sequence[int] = ()) -> list[int]:
    """Choose sentences one by one: high in score, unlike those chosen, and worth it beside the best.

    Those of `first` come first.
    """
    left = scores.copy()
    best, chosen = float(scores.max()), list[int]()
    while len(chosen) < n and (len(chosen) < len(first) or left.max() >= WORTH * best):
        step("sentences chosen", len(chosen))
        at = first[len(chosen)] if len(chosen) < len(first) else int(left.argmax())
        chosen.append(at)
        left[at] = -np.inf
        for i, sentence in enumerate(sentences):
            if np.isfinite(left[i]):
                left[i] = min(left[i], scores[i] - DIVERSITY * best * alike(sentence, sentences[at]))
    return chosen


def alike(left: Sentence, right: Sentence) -> float:
    """Return the share of stems that two sentences have in common (Jaccard)."""
    either = left.stems | right.stems
    return len(left.stems & right.stems) / len(either) if either else 0.0


def unanswered(query: str, method: str = METHOD) -> Answer:
    """Say that the passages do not answer."""
    return Answer(query=query, text=NO_ANSWER, method=method, supported=False)


def _over_budget(cut: Sequence[str], budget: int) -> tuple[ToolWarning, ...]:
    if not cut:
        return ()
    message = f"{len(cut)} passages did not fit whole into {budget} tokens; their rest was not read."
    return (ToolWarning(code="context_cut", message=message, records=tuple(cut)),)
