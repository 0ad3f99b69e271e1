"""Extensions as a choice from every part of a framework, and what follows for each argument."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import islice, product
from math import prod

import numpy as np
from numpy.typing import NDArray

from corpusgraph.tasks.prepare.argument.framework import Framework
from corpusgraph.tasks.prepare.argument.sat import Sets

MAX_PER_PART = 5_000
"""Extensions enumerated at most in one connected part."""

MAX_LISTED = 1_000
"""Extensions listed at most; acceptance counts all of them."""


@dataclass(frozen=True)
class Acceptable:
    """Arguments in some extension, in every one, and attacked by every one."""

    some: frozenset[str]
    every: frozenset[str]
    never: frozenset[str]


@dataclass(frozen=True)
class Part:
    """A part of a framework that no attack joins to the rest, with its sets.

    `sets` is None where they are too many (`counted`) or were not all found in the time; `known` then has
    what is in some and in every one, or None where that is not known either.
    """

    framework: Framework
    sets: Sets | None
    known: Acceptable | None = None
    counted: bool = True


@dataclass(frozen=True)
class Tally:
    """By place: in how many of `choices` sets of its part an argument is, and by how many it is attacked.

    Where the sets are not listed, `choices` is 0.
    """

    inside: NDArray[np.int64]
    against: NDArray[np.int64]
    choices: NDArray[np.int64]
    every: NDArray[np.bool_]
    never: NDArray[np.bool_]
    some: NDArray[np.bool_]


@dataclass(frozen=True, eq=False)
class Extensions:
    """One choice from every part, with what is fixed in all: so 2**40 extensions need little room.

    `sure` marks, by place in the framework, what is in every extension beside the choices.
    """

    framework: Framework
    sure: NDArray[np.bool_]
    parts: tuple[Part, ...]

    @cached_property
    def listed_parts(self) -> tuple[Sets, ...] | None:
        """The sets of each part, or None where those of some part are not all known."""
        known = tuple(part.sets for part in self.parts if part.sets is not None)
        return known if len(known) == len(self.parts) else None

    @cached_property
    def count(self) -> int | None:
        """How many extensions there are; None: not known, but at least one."""
        if any(part.sets == [] for part in self.parts):
            return 0
        return None if self.listed_parts is None else prod(len(part) for part in self.listed_parts)

    @property
    def acceptance_known(self) -> bool:
        """Whether acceptance is known in every part."""
        return self.count == 0 or all(p.sets is not None or p.known is not None for p in self.parts)

    @property
    def counted(self) -> bool:
        """Whether sets that are not listed are too many, and not just not found in the time."""
        return all(part.counted for part in self.parts)

    def __iter__(self) -> Iterator[frozenset[str]]:
        """Put the choices together, one extension after the other; none where they are not known."""
        choices = product(*self.listed_parts) if self.listed_parts is not None else ()
        fixed = frozenset(self.framework.marked(self.sure))
        return (fixed.union(*choice) for choice in choices)

    def listed(self, most: int = MAX_LISTED) -> list[tuple[str, ...]]:
        """Return at most `most` extensions, in order of size, then of their arguments."""
        if not self.parts:
            return [self.framework.marked(self.sure)]
        place = self.framework.place
        rows = [self.framework.in_order(found) for found in islice(self, most)]
        return sorted(rows, key=lambda row: (len(row), [place[a] for a in row]))

    def credulous(self) -> tuple[str, ...]:
        """Return the arguments in some extension, in order."""
        return () if self.count == 0 else self.framework.marked(self.tally.some)

    def sceptical(self) -> tuple[str, ...]:
        """Return the arguments in every extension, in order: all of them when there is no extension."""
        return self.framework.arguments if self.count == 0 else self.framework.marked(self.tally.every)

    @cached_property
    def tally(self) -> Tally:
        """For each argument, the number of sets it is in and of those that attack it.

        There must be an extension, and acceptance must be known.
        """
        framework, struck = self.framework, self.framework.struck(self.sure)
        inside, against = self.sure.astype(np.int64), struck.astype(np.int64)
        choices = np.ones(len(framework.arguments), dtype=np.int64)
        every, never, some = self.sure.copy(), struck, self.sure.copy()
        for part in self.parts:
            at = np.array([framework.place[a] for a in part.framework.arguments], dtype=np.int64)
            if part.sets is not None:
                inside[at], against[at] = _counts(part.framework, part.sets)
                choices[at] = len(part.sets)
                every[at], never[at] = inside[at] == choices[at], against[at] == choices[at]
                some[at] = inside[at] > 0
            elif part.known is not None:
                choices[at], known = 0, part.known
                for kept, chosen in ((every, known.every), (never, known.never), (some, known.some)):
                    kept[[framework.place[a] for a in chosen]] = True
        return Tally(inside, against, choices, every, never, some)


def _counts(part: Framework, sets: Sequence[frozenset[str]]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    size = len(part.arguments)
    inside, against = np.zeros(size, dtype=np.int64), np.zeros(size, dtype=np.int64)
    for one in sets:
        chosen = np.zeros(size, dtype=bool)
        chosen[[part.place[a] for a in one]] = True
        inside += chosen
        against += part.struck(chosen) & ~chosen
    return inside, against
