"""Extensions of a framework under ten semantics, found part by part and put together."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import islice, product
from math import prod
from typing import Literal, get_args

from corpusgraph.tasks.prepare._argumentation import Framework
from corpusgraph.tasks.prepare._sat import Formula, Sets

Semantics = Literal[
    "conflict_free",
    "admissible",
    "grounded",
    "complete",
    "preferred",
    "stable",
    "semi_stable",
    "stage",
    "ideal",
    "eager",
]
SEMANTICS: tuple[Semantics, ...] = get_args(Semantics)
SINGLE = ("grounded", "ideal", "eager")
"""Semantics with exactly one extension."""

MAX_PER_PART = 5_000
"""Extensions enumerated at most in one connected part."""

MAX_LISTED = 1_000
"""Extensions listed at most; acceptance counts all of them."""


@dataclass(frozen=True)
class Extensions:
    """One choice from every part, with what is fixed in all: so 2**40 extensions need little room."""

    fixed: frozenset[str]
    parts: tuple[Sets, ...]

    @property
    def count(self) -> int:
        """How many extensions there are."""
        return prod(len(part) for part in self.parts)

    def __iter__(self) -> Iterator[frozenset[str]]:
        """Put the choices together, one extension after the other."""
        return (self.fixed.union(*choice) for choice in product(*self.parts))

    def listed(self, framework: Framework, most: int = MAX_LISTED) -> list[tuple[str, ...]]:
        """Return at most `most` extensions, in order of size, then of their arguments."""
        place = {a: i for i, a in enumerate(framework.arguments)}
        rows = [framework.in_order(found) for found in islice(self, most)]
        return sorted(rows, key=lambda row: (len(row), [place[a] for a in row]))

    def credulous(self) -> frozenset[str]:
        """Return the arguments in some extension."""
        if not self.count:
            return frozenset()
        return self.fixed.union(*(found for part in self.parts for found in part))

    def sceptical(self, everything: frozenset[str]) -> frozenset[str]:
        """Return the arguments in every extension: all of them when there is no extension."""
        if not self.count:
            return everything
        return self.fixed.union(*(frozenset.intersection(*part) for part in self.parts))


def extensions(framework: Framework, semantics: Semantics) -> Extensions | None:
    """Return all extensions, or None when a part has more than MAX_PER_PART.

    Complete-based semantics keep the grounded extension and decide what it leaves undecided; the parts
    of a framework that no attack joins are decided each on its own.
    """
    if semantics in _ON_ALL:
        return _by_part(frozenset(), framework, _ON_ALL[semantics])
    label = framework.grounded()
    accepted = frozenset(a for a, its in label.items() if its == "accepted")
    if semantics == "grounded":
        return Extensions(accepted, ())
    open_ones = framework.among({a for a, its in label.items() if its == "undecided"})
    return _by_part(accepted, open_ones, _ON_UNDECIDED[semantics])


def _by_part(
    fixed: frozenset[str], framework: Framework, decide: Callable[[Framework], Sets | None]
) -> Extensions | None:
    parts = []
    for part in framework.components():
        found = decide(part)
        if found is None:
            return None
        order = {a: i for i, a in enumerate(part.arguments)}
        parts.append(sorted(found, key=lambda s: (len(s), sorted(order[a] for a in s))))
    return Extensions(fixed, tuple(parts))


def admissible(part: Framework) -> Formula:
    """Return the conditions of admissibility: no conflict, and all are defended."""
    return Formula(part).conflict_free().defending()


def _ideal(part: Framework) -> Sets:
    """Return the largest admissible set that no admissible set attacks (Dung, Mancarella & Toni 2007)."""
    possible = admissible(part).possible()
    safe = {a for a in possible if possible.isdisjoint(part.attackers[a])}
    return [part.defended_part(safe)]


def _eager(part: Framework) -> Sets | None:
    """Return the largest admissible set inside every semi-stable extension (Caminada 2007)."""
    found = admissible(part).complete().of_maximal_range(MAX_PER_PART)
    return None if found is None else [part.defended_part(frozenset.intersection(*found))]


_ON_ALL: dict[str, Callable[[Framework], Sets | None]] = {
    "conflict_free": lambda part: Formula(part).conflict_free().all(MAX_PER_PART),
    "admissible": lambda part: admissible(part).all(MAX_PER_PART),
    "stage": lambda part: Formula(part).conflict_free().of_maximal_range(MAX_PER_PART),
}

_ON_UNDECIDED: dict[str, Callable[[Framework], Sets | None]] = {
    "complete": lambda part: admissible(part).complete().all(MAX_PER_PART),
    "preferred": lambda part: admissible(part).maximal(MAX_PER_PART),
    "stable": lambda part: Formula(part).conflict_free().covering().all(MAX_PER_PART),
    "semi_stable": lambda part: admissible(part).complete().of_maximal_range(MAX_PER_PART),
    "ideal": _ideal,
    "eager": _eager,
}
