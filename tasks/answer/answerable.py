"""Whether the passages answer a question at all: one threshold on how well they fit it.

The weights of a logistic regression, and the threshold, come from questions asked of passages with the answer
and without: benchmarks/answers/fit.py, which says how well both kinds are told apart.
"""

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from math import fsum

from corpusgraph.tasks.answer.kinds import is_written_as_name
from corpusgraph.tasks.answer.sentences import Sentence, name_words, stems_of
from corpusgraph.tasks.graph.words import stems

Rarity = Callable[[str], float]
"""Tells how rare a stem is."""
FIT: Mapping[str, float] = {"covered": 4.75, "known": 2.03, "kind": 1.86}
"""Weights of the features of `fit_of`."""
LEAST = 5.92
"""The sum from which on a question is answered."""
HOPS = 2
"""Passages that an answer is put together from, at most."""


@dataclass(frozen=True)
class Candidates:
    """What may answer a question: all sentences that were read, and the best of them."""

    sentences: Sequence[Sentence]
    kind: float
    """How well the best hold what is asked for beside a name or bridge (0 to 1)."""


def alike_rare(_stem: str) -> float:
    """Count all words alike, where no collection tells how rare they are."""
    return 1.0


def is_answered(fit: Mapping[str, float]) -> bool:
    """Tell whether sentences that fit a question so well answer it."""
    return fsum(FIT[name] * value for name, value in fit.items()) >= LEAST


def fit_of(
    query: str, names: Sequence[Collection[str]], candidates: Candidates, rarity: Rarity
) -> dict[str, float]:
    """Return how well candidates fit a question, each from 0 to 1; all are 0 where none of its names is held.

    `covered`: words of the question, by rarity, in the two passages that together hold the most. `known`:
    proper names of the question in any. Both are read with title, metadata and headings. `kind`: the kind of
    thing asked for near a name or a bridge.
    """
    passages = {s.chunk.id: f"{s.title} / {s.about} / {s.chunk.content}" for s in candidates.sentences}
    held = _names_held(names, passages.values())
    if names and not any(held):
        return dict.fromkeys(FIT, 0.0)
    proper = [is_held for is_held, name in zip(held, names, strict=True) if is_written_as_name(name)]
    return {
        "covered": _covered(query, passages.values(), rarity),
        "known": sum(proper) / len(proper) if proper else 1.0,
        "kind": candidates.kind,
    }


def _covered(query: str, passages: Iterable[str], rarity: Rarity) -> float:
    worth = {stem: rarity(stem) for stem in dict.fromkeys(stems(query))}
    held = [worth.keys() & stems_of(passage) for passage in passages]
    together = (set().union(*some) for some in combinations(held, min(HOPS, len(held))))
    most = max(fsum(sorted(map(worth.__getitem__, some))) for some in together)
    return most / (fsum(worth.values()) or 1.0)


def _names_held(names: Sequence[Collection[str]], passages: Iterable[str]) -> list[bool]:
    """Tell which names a passage holds."""
    texts = [name_words(passage) for passage in passages]
    return [any(name_words(name) in text for name in every for text in texts) for every in names]
