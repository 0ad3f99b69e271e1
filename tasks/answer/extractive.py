"""Answer a question with sentences of the passages, word for word."""

from collections.abc import Callable, Collection, Mapping, Sequence

import numpy as np

from corpusgraph.schemas.answer import Answer, Citation
from corpusgraph.schemas.documents import Chunk, Document
from corpusgraph.schemas.results import Noted, ToolWarning
from corpusgraph.tasks.answer.kinds import sought
from corpusgraph.tasks.answer.sentences import Sentence, sentences_of
from corpusgraph.tasks.graph.compiled import Doubles
from corpusgraph.tasks.graph.terms import Bm25
from corpusgraph.tasks.graph.words import stems, words

MAX_SENTENCES = 3
MAX_CONTEXT_TOKENS = 4000
PASSAGE, PLACE, NAMES, KIND = 0.3, 0.2, 0.15, 0.3
"""What the passage's rank, the place in it, names of the question and the kind of answer add to a score of
words between 0 and 1."""
DIVERSITY = 0.5
"""How much of its likeness to sentences already chosen a sentence loses (Carbonell & Goldstein 1998, MMR)."""
WORTH = 0.4
"""A further sentence must have this share of the best one's score."""
COVERED = 0.4
"""The least share of the question's words, weighted by rarity, that a supported answer holds."""
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
    warnings = _over_budget(cut, max_context_tokens)
    bm25 = Bm25([sentence.text for sentence in sentences])
    shared = bm25.scores(query)
    if not shared.any():
        return Noted(data=_unanswered(query), warnings=warnings)
    scores = _scores(query, sentences, shared / shared.max(), names)
    chosen = _diverse(sentences, scores, max_sentences)
    known = not names or any(_named(sentence, names) > 0 for sentence in sentences)
    if not known or _covered(query, [sentences[i] for i in chosen], _rarity(bm25)) < COVERED:
        return Noted(data=_unanswered(query), warnings=warnings)
    citations = tuple(_citation(sentences[i], scores[i]) for i in chosen)
    lines = (f"{' '.join(c.text.split())} [{n}]" for n, c in enumerate(citations, start=1))
    answer = Answer(
        query=query, text=" ".join(lines), method="extractive", citations=citations, supported=True
    )
    return Noted(data=answer, warnings=warnings)


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
    said = sum(any(f" {' '.join(words(n))} " in sentence.spaced for n in spellings) for spellings in names)
    return said / len(names) if names else 0.0


def _without(text: str, names: Sequence[Collection[str]]) -> str:
    """Blank the question's own names: "Who was John Snow?" is not answered by the words John Snow."""
    for spelling in sorted({name for spellings in names for name in spellings}, key=len, reverse=True):
        text = text.replace(spelling, " ")
    return text


def _diverse(sentences: Sequence[Sentence], scores: Doubles, n: int) -> list[int]:
    """Choose sentences one by one: high in score, unlike those chosen, and worth it beside the best."""
    left = scores.copy()
    best, chosen = float(scores.max()), list[int]()
    while len(chosen) < n and left.max() >= WORTH * best:
        at = int(left.argmax())
        chosen.append(at)
        left[at] = -np.inf
        for i, sentence in enumerate(sentences):
            if np.isfinite(left[i]):
                left[i] = min(left[i], scores[i] - DIVERSITY * best * _alike(sentence, sentences[at]))
    return chosen


def _alike(left: Sentence, right: Sentence) -> float:
    either = left.stems | right.stems
    return len(left.stems & right.stems) / len(either) if either else 0.0


def _rarity(bm25: Bm25) -> Callable[[str], float]:
    """Return stem -> idf among the sentences; a stem that none holds is the rarest."""
    rarest = float(np.log1p((len(bm25.terms.lengths) + 0.5) / 0.5))

    def idf(stem: str) -> float:
        at = bm25.terms.vocabulary.get(stem)
        return rarest if at is None else float(bm25.idf[at])

    return idf


def _covered(query: str, chosen: Sequence[Sentence], idf: Callable[[str], float]) -> float:
    """Return the share of the question's words, each weighing 1 + idf, that the chosen sentences hold."""
    said = frozenset(stems(" ".join(f"{s.title} {s.text}" for s in chosen)))
    asked = sorted(set(stems(query)))
    return sum(1 + idf(s) for s in asked if s in said) / (sum(1 + idf(s) for s in asked) or 1.0)


def _citation(sentence: Sentence, score: float) -> Citation:
    return Citation(
        text=sentence.text,
        chunk_id=sentence.chunk.id,
        document_id=sentence.chunk.source_doc,
        document_title=sentence.title,
        start=sentence.start,
        end=sentence.end,
        page=sentence.page,
        score=round(float(score), 6),
    )


def _unanswered(query: str) -> Answer:
    return Answer(query=query, text=NO_ANSWER, method="extractive", supported=False)


def _over_budget(cut: Sequence[str], budget: int) -> tuple[ToolWarning, ...]:
    if not cut:
        return ()
    message = f"{len(cut)} passages did not fit whole into {budget} tokens; their rest was not read."
    return (ToolWarning(code="context_cut", message=message, records=tuple(cut)),)
