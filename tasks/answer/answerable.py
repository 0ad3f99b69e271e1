"""Whether the passages answer a question at all: one threshold on how well they fit it.

The weights of a logistic regression, and the threshold, come from questions asked of passages with the answer
and without: benchmarks/answers/fit.py, which says how well both kinds are told apart.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from math import fsum

from corpusgraph.tasks.answer.coverage import covered, rarity
from corpusgraph.tasks.answer.kinds import is_written_as_name
from corpusgraph.tasks.answer.sentences import Sentence, holds
from corpusgraph.tasks.graph.terms import Bm25

FIT: Mapping[str, float] = {"seeds": 1.96, "best": 1.07, "known": 1.67, "told": 1.29, "covered": 1.62}
"""Weights of the features of `fit`."""
LEAST = 4.66
"""The sum from which on a question is answered."""


@dataclass(frozen=True)
class Candidates:
    """What may answer a question: all sentences that were read, and the best of them."""

    sentences: Sequence[Sentence]
    chosen: Sequence[Sentence]
    seeds: float
    """The most of the question's names that a sentence holds, with its title (0 to 1)."""
    told: float
    """How well the chosen hold what is asked for beside a name or bridge (0 to 1)."""


def is_answered(fit: Mapping[str, float]) -> bool:
    """Tell whether sentences that fit a question so well answer it."""
    return fsum(FIT[name] * value for name, value in fit.items()) >= LEAST


def fit_of(
    query: str, names: Sequence[Collection[str]], candidates: Candidates, bm25: Bm25
) -> dict[str, float]:
    """Return how well candidates fit a question, each from 0 to 1.

    `seeds`: names of the question in one sentence; `best`: words of the question in one chosen sentence, by
    rarity; `known`: proper names of the question in the passages; `told`: the kind of thing asked for near a
    name or a bridge; `covered`: words of the question in all sentences. Titles, speakers and what a turn of a
    chat replies to are read with a sentence, metadata that hold a name with all.
    """
    idf = rarity(bm25)
    best = max((covered(query, [read(s)], idf) for s in candidates.chosen), default=0.0)
    about = [" ".join(n) for n in names if any(holds(s.about, n) for s in candidates.sentences)]
    everything = covered(query, [*map(read, candidates.sentences), *about], idf)
    return {
        "seeds": candidates.seeds if names else everything,
        "best": best,
        "known": _known([n for n in names if is_written_as_name(n)], candidates.sentences),
        "told": candidates.told,
        "covered": everything,
    }


def read(sentence: Sentence) -> str:
    """Return a sentence with what it is understood by: title, speaker and what it replies to."""
    return " ".join((sentence.title, sentence.speaker, sentence.prompt, sentence.text))


def _known(names: Sequence[Collection[str]], sentences: Sequence[Sentence]) -> float:
    """Return the share of names that a passage holds, its headings and metadata read too."""
    chunks = {sentence.chunk.id: sentence.chunk for sentence in sentences}
    known = [
        any(s.names(list(spellings)) for s in sentences)
        or any(holds(chunk.content, spellings) for chunk in chunks.values())
        for spellings in names
    ]
    return sum(known) / len(known) if known else 1.0
