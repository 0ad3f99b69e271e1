"""Answer a question with sentences of the passages, word for word."""

from collections.abc import Collection, Iterable, Mapping, Sequence

import numpy as np

from corpusgraph.schemas.answer import Answer
from corpusgraph.schemas.documents import Chunk, Document
from corpusgraph.schemas.results import Noted, ToolWarning
from corpusgraph.tasks._steps import step
from corpusgraph.tasks.answer.coverage import COVERED, covered, rarity
from corpusgraph.tasks.answer.kinds import sought, topic_of
from corpusgraph.tasks.answer.sentences import Sentence, holds, sentences_of
from corpusgraph.tasks.graph.compiled import Doubles
from corpusgraph.tasks.graph.terms import Bm25

METHOD = "extractive"
MAX_SENTENCES = 3
MAX_CONTEXT_TOKENS = 4000
PASSAGE, PLACE, NAMES, KIND = 0.3, 0.2, 0.15, 0.3
"""What the passage's rank, the place in it, names of the question and the kind of answer add to a score of
words between 0 and 1."""
DIVERSITY = 0.5
"""How much of its likeness to sentences already chosen a sentence loses (Carbonell & Goldstein 1998, MMR)."""
WORTH = 0.4
"""A further sentence must have this share of the best one's score."""
NO_ANSWER = "The passages do not answer this question."


def extract_answer(
    query: str,
    chunks: Sequence[Chunk],
    *,
    documents: Mapping[str, Document] | None = None,
    names: Sequence[Collection[str]] = (),
    max_sentences: int = MAX_SENTENCES,
    max_context_tokens: int = MAX_CONTEXT_TOKENS,
) -> Noted[Answer]:
    """Return up to `max_sentences` sentences of the chunks (best first) that speak to the query, each cited.

    `names` are what the question names, each in all its spellings. Where the sentences hold too few of the
    question's words, or no passage any of its names, the answer is not supported and says so.
    """
    sentences, cut = sentences_of(chunks, documents or {}, max_context_tokens)
    answer = extract_from(query, sentences, names=names, max_sentences=max_sentences)
    return Noted(data=answer, warnings=_over_budget(cut, max_context_tokens))


def extract_from(
    query: str,
    sentences: Sequence[Sentence],
    *,
    names: Sequence[Collection[str]] = (),
    max_sentences: int = MAX_SENTENCES,
) -> Answer:
    """Return up to `max_sentences` of the sentences that speak to the query, best first, each cited."""
    topic = topic_of(query)
    found = rated(topic, sentences, names)
    if found is None:
        return unanswered(query)
    bm25, scores = found
    chosen = diverse(sentences, scores, max_sentences)
    told = [*_read(sentences[i] for i in chosen), *_by(names, [sentences[i] for i in chosen])]
    if not _known(names, sentences) or covered(topic, told, rarity(bm25)) < COVERED:
        return unanswered(query)
    return cited(query, [(sentences[i], float(scores[i])) for i in chosen])


def _known(names: Sequence[Collection[str]], sentences: Sequence[Sentence]) -> bool:
    """Tell whether a passage holds a name of the question, be it in a heading, or its document's metadata."""
    if not names or any(_named(sentence, names) > 0 for sentence in sentences):
        return True
    chunks = {sentence.chunk.id: sentence.chunk for sentence in sentences}
    return any(holds(chunk.content, spellings) for chunk in chunks.values() for spellings in names)


def _by(names: Sequence[Collection[str]], sentences: Sequence[Sentence]) -> list[str]:
    """Return the names that the metadata of the sentences' documents hold: who wrote them, or where."""
    found = [spellings for spellings in names if any(holds(s.about, spellings) for s in sentences)]
    return [" ".join(spellings) for spellings in found]


def _read(sentences: Iterable[Sentence]) -> list[str]:
    return [f"{sentence.title} {sentence.text}" for sentence in sentences]


def cited(query: str, chosen: Sequence[tuple[Sentence, float]]) -> Answer:
    """Return sentences and their scores as an answer, in the order given."""
    citations = tuple(sentence.cite(score) for sentence, score in chosen)
    text = " ".join(f"{sentence.line} [{n}]" for n, (sentence, _) in enumerate(chosen, start=1))
    return Answer(query=query, text=text, method=METHOD, citations=citations, supported=True)


def rated(
    query: str, sentences: Sequence[Sentence], names: Sequence[Collection[str]] = ()
) -> tuple[Bm25, Doubles] | None:
    """Return the sentences' words and scores, or None where none shares a word with the query."""
    bm25 = Bm25([sentence.text for sentence in sentences])
    shared = bm25.scores(query)
    return (bm25, _scores(query, sentences, shared / shared.max(), names)) if shared.any() else None


def _scores(
    query: str, sentences: Sequence[Sentence], words: Doubles, names: Sequence[Collection[str]]
) -> Doubles:
    told = sought(query)
    extra = [
        PASSAGE / (1 + s.passage)
        + PLACE / (1 + s.place)
        + NAMES * _named(s, names)
        + (KIND if told and told.search(_without(s.text, names)) else 0.0)
        for s in sentences
    ]
    # A sentence that shares no word with the question tells something else, wherever it stands.
    return np.where(words > 0, words + np.array(extra), 0.0)


def _named(sentence: Sentence, names: Sequence[Collection[str]]) -> float:
    """Return the share of what the question names that a sentence, or the title above it, names too."""
    said = sum(sentence.names(list(spellings)) for spellings in names)
    return said / len(names) if names else 0.0


def _without(text: str, names: Sequence[Collection[str]]) -> str:
    """Blank the question's own names: "Who was John Snow?" is not answered by the words John Snow."""
    for spelling in sorted({name for spellings in names for name in spellings}, key=len, reverse=True):
        text = text.replace(spelling, " ")
    return text


def diverse(sentences: Sequence[Sentence], scores: Doubles, n: int) -> list[int]:
    """Choose sentences one by one: high in score, unlike those chosen, and worth it beside the best."""
    left = scores.copy()
    best, chosen = float(scores.max()), list[int]()
    while len(chosen) < n and left.max() >= WORTH * best:
        step("sentences chosen", len(chosen))
        at = int(left.argmax())
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
