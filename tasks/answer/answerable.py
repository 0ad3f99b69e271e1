"""Whether the passages answer a question at all: one threshold on how well they fit it.

The weights of a logistic regression, and the threshold, come from questions asked of passages with the answer
and without: benchmarks/answers/fit.py, which says how well both kinds are told apart.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from math import fsum

from corpusgraph.tasks.answer.coverage import covered, rarity
from corpusgraph.tasks.answer.kinds import is_written_as_name
from corpusgraph.tasks.answer.sentences import Sentence, holds, name_words
from corpusgraph.tasks.graph.terms import Bm25
from corpusgraph.tasks.graph.words import spaced

FIT: Mapping[str, float] = {"seeds": 0.68, "best": 1.19, "known": 2.0, "kind": 1.83, "covered": 1.78}
"""Weights of the features of `fit_of`."""
LEAST = 4.58
"""The sum from which on a question is answered."""


@dataclass(frozen=True)
class Candidates:
    """What may answer a question: all sentences that were read, and the best of them."""

    sentences: Sequence[Sentence]
    chosen: Sequence[Sentence]
    kind: float
    """How well the chosen hold what is asked for beside a name or bridge (0 to 1)."""


def is_answered(fit: Mapping[str, float]) -> bool:
    """Tell whether sentences that fit a question so well answer it; without any of its names none does."""
    return fit["seeds"] > 0 and fsum(FIT[name] * value for name, value in fit.items()) >= LEAST


def fit_of(
    query: str, names: Sequence[Collection[str]], candidates: Candidates, bm25: Bm25
) -> dict[str, float]:
    """Return how well candidates fit a question, each from 0 to 1.

    `seeds`: names of the question in one passage; `best`: words of the question in one chosen sentence, by
    rarity; `known`: proper names of the question in any passage; `kind`: the kind of thing asked for near a
    name or a bridge; `covered`: words of the question in all sentences. Titles, speakers and what a turn of a
    chat replies to are read with a sentence, metadata that hold a name with all.
    """
    idf = rarity(bm25)
    best = max((covered(query, [read(s)], idf) for s in candidates.chosen), default=0.0)
    about = [" ".join(n) for n in names if any(holds(s.about, n) for s in candidates.sentences)]
    everything = covered(query, [*map(read, candidates.sentences), *about], idf)
    held = _names_held(names, candidates.sentences)
    proper = [
        any(row) for row, name in zip(zip(*held, strict=True), names, strict=True) if is_written_as_name(name)
    ]
    return {
        "seeds": max(sum(row) for row in held) / len(names) if names else everything,
        "best": best,
        "known": sum(proper) / len(proper) if proper else 1.0,
        "kind": candidates.kind,
        "covered": everything,
    }


def read(sentence: Sentence) -> str:
    """Return a sentence with what it is understood by: title, speaker and what it replies to."""
    return f"{sentence.title} {sentence.speaker} {sentence.prompt} {sentence.text}"


def _names_held(names: Sequence[Collection[str]], sentences: Sequence[Sentence]) -> list[list[bool]]:
    """Tell for each passage which names it holds, its headings, title and metadata read too."""
    passages = {s.chunk.id: spaced(f"{s.title} / {s.about} / {s.chunk.content}") for s in sentences}
    wanted = [frozenset(map(name_words, spellings)) for spellings in names]
    return [[any(n in text for n in spellings) for spellings in wanted] for text in passages.values()]
