"""Extensions of a framework under ten semantics, found part by part and put together."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from itertools import islice, product
from math import prod
from typing import Any, Literal, NamedTuple, get_args

import numpy as np
from numpy.typing import NDArray

from corpusgraph.tasks.analysis.argument.framework import ACCEPTED, UNDECIDED, Framework
from corpusgraph.tasks.analysis.argument.solver import SPLITTING, Effort, Formula, NotDecidedError, Sets
from corpusgraph.tasks.progress import counted

MAX_PER_PART = 5_000
"""Extensions enumerated at most in one connected part."""

MAX_LISTED = 1_000
"""Extensions listed at most; acceptance counts all of them."""


@dataclass(frozen=True)
class Acceptable:
    """What one semantics accepts.

    Attributes
    ----------
    some : frozenset of str
        Arguments in some extension.
    every : frozenset of str
        Arguments in every extension.
    never : frozenset of str
        Arguments that every extension attacks.

    """

    some: frozenset[str]
    every: frozenset[str]
    never: frozenset[str]


@dataclass(frozen=True)
class Part:
    """A part of a framework that no attack joins to the rest, with its sets.

    Attributes
    ----------
    framework : Framework
        Arguments and attacks of the part.
    sets : list of frozenset of str, or None
        None where they are too many (`counted`) or were not all found in the time.
    known : Acceptable, optional
        Where `sets` is None: what is in some and in every one, if that is known.
    counted : bool
        Whether sets that are not listed are too many, and not just not found in the time.

    """

    framework: Framework
    sets: Sets | None
    known: Acceptable | None = None
    counted: bool = True


@dataclass(frozen=True)
class Tally:
    """For each of n arguments, by place, how many sets of its part it is in.

    Attributes
    ----------
    inside : array of int, shape (n,)
        Sets that it is in.
    against : array of int, shape (n,)
        Sets that attack it.
    choices : array of int, shape (n,)
        Sets of its part; 0 where they are not listed.
    every, never, some : array of bool, shape (n,)
        Whether every set has it, every set attacks it, some set has it.

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

    Attributes
    ----------
    framework : Framework
        The whole framework, of n arguments.
    sure : array of bool, shape (n,)
        What is in every extension beside the choices.
    parts : tuple of Part
        An extension is `sure` with one set of each part.

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
        """Return at most `most` extensions, in order of size, then of their arguments.

        Parameters
        ----------
        most : int
            Extensions at most; of more, those that are put together first.

        Returns
        -------
        list of tuple of str
            Each in the framework's order; where there are more than `most`, some of them.

        """
        if not self.parts:
            return [self.framework.marked(self.sure)]
        return self.framework.by_size(islice(self, most))

    def credulous(self) -> tuple[str, ...]:
        """Return the arguments in some extension, in order.

        Returns
        -------
        tuple of str
            None where there is no extension.

        """
        return () if self.count == 0 else self.framework.marked(self.tally.some)

    def sceptical(self) -> tuple[str, ...]:
        """Return the arguments in every extension, in order: all of them when there is no extension.

        Returns
        -------
        tuple of str
            Of no extension everything is true: all arguments, as logic has it.

        """
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


def accepted_where_stable(formula: Formula) -> Acceptable:
    """Return acceptance under the stable extensions; where there are none, nothing is in some.

    A stable extension attacks whatever is not in it, so what is in none is attacked by every one.

    Parameters
    ----------
    formula : Formula
        Whose models are the stable extensions.

    Returns
    -------
    Acceptable
        Ids in some, in every and attacked by every extension.

    Raises
    ------
    NotDecidedError
        When the formula's effort is spent.

    """
    some = formula.possible()
    return Acceptable(some, formula.certain(), frozenset(formula.framework.arguments) - some)


def preferred_acceptance(formula: Formula) -> Acceptable:
    """Return acceptance under the largest models of admissibility.

    Every admissible set is inside a preferred one, so one of them is asked for the first. Candidates for
    the second are what no such set attacks; and, for what every extension attacks, what none accepts.

    Parameters
    ----------
    formula : Formula
        Whose models are the admissible sets.

    Returns
    -------
    Acceptable
        Ids in some, in every and attacked by every preferred extension.

    Raises
    ------
    NotDecidedError
        When the formula's effort is spent.

    References
    ----------
    Thimm, Cerutti & Vallati 2021.

    """
    some = formula.possible()
    framework, size = formula.framework, len(formula.chosen)
    struck = {b for a in some for b in framework.struck_by[framework.place[a]]}
    never = {a + size for a in sorted(struck) if framework.arguments[a] not in some}
    candidates = {framework.place[a] for a in some} - struck | never
    with formula.solver() as solver:
        kept = _in_every_largest(formula, solver, candidates)
    return Acceptable(
        some,
        frozenset(framework.named(a for a in kept if a < size)),
        frozenset(framework.named(a - size for a in kept if a >= size)),
    )


def _in_every_largest(formula: Formula, solver: Any, candidates: set[int]) -> set[int]:
    """Return the candidates that hold in every preferred extension: below n chosen, else attacked.

    A set against a candidate is grown until it is preferred, and may strike other candidates as well.
    """
    size, struck_by = len(formula.chosen), formula.framework.struck_by
    switch, kept = 3 * size, set[int]()
    while candidates:
        candidate = min(candidates)
        switch += 1
        against = _against(formula, solver, candidate, switch)
        if against is None:
            kept.add(candidate)
            candidates.remove(candidate)
            continue
        largest, switch = formula.grown(solver, formula.chosen, switch, against)
        candidates &= {*largest, *(b + size for a in largest for b in struck_by[a])}
    return kept


def _against(formula: Formula, solver: Any, candidate: int, switch: int) -> list[int] | None:
    """Return an admissible set that no admissible set with the candidate can join, or None.

    Two admissible sets can be joined when neither attacks the other. So a set against the candidate must
    attack every set known to have it; if some other set has it and is not attacked, that one is known from
    then on (Thimm, Cerutti & Vallati 2021).
    """
    wanted = [*formula.chosen, *formula.attacked][candidate]
    rival: list[int] = []
    while True:
        struck = {b for a in rival for b in formula.framework.struck_by[a]}
        barred = [-formula.chosen[b] for b in sorted(struck)]
        if not formula.effort.solve(solver, [wanted, *barred]):
            return rival
        known = _needed(formula, formula.true(solver, formula.chosen), candidate)
        solver.add_clause([-switch, *(formula.attacked[a] for a in known)])
        if not formula.effort.solve(solver, [switch]):
            return None
        rival = formula.true(solver, formula.chosen)


def _needed(formula: Formula, chosen: list[int], candidate: int) -> list[int]:
    """Return a part of an admissible set that suffices: who makes the candidate hold, with defenders.

    The smaller the set, the fewer sets attack it, and the sooner none is left.
    """
    size, strikers = len(formula.chosen), formula.framework.strikers
    inside = set(chosen)
    first = candidate if candidate < size else next(a for a in strikers[candidate - size] if a in inside)
    kept, waiting = {first}, [first]
    while waiting:
        for foe in strikers[waiting.pop()]:
            if kept.isdisjoint(strikers[foe]):
                defender = next(a for a in strikers[foe] if a in inside)
                kept.add(defender)
                waiting.append(defender)
    return sorted(kept)


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


def extensions(framework: Framework, semantics: Semantics, effort: Effort | None = None) -> Extensions:
    """Return all extensions; of a part with more than MAX_PER_PART, what is in some and in every one.

    Complete-based semantics keep the grounded extension and decide what it leaves undecided; the parts of a
    framework that no attack joins are decided each on its own.

    Parameters
    ----------
    framework : Framework
        Arguments and attacks.
    semantics : str
        One of `SEMANTICS`.
    effort : Effort, optional
        Steps of the solver that may be spent; none: no limit.

    Returns
    -------
    Extensions
        One choice of sets for each connected part.

    Raises
    ------
    NotDecidedError
        When the effort is spent before acceptance is known.

    References
    ----------
    Dung (1995), Artif. Intell. 77(2); Baroni, Caminada & Giacomin (2011), Knowl. Eng. Rev. 26(4), 365-410.

    """
    effort = effort or Effort()
    if semantics in ("conflict_free", "admissible", "stage"):
        nothing = np.zeros(len(framework.arguments), dtype=bool)
        return Extensions(framework, nothing, _parts(framework, semantics, effort))
    accepted = framework.grounded == ACCEPTED
    if semantics == "grounded":
        return Extensions(framework, accepted, ())
    open_ones = framework.among(np.flatnonzero(framework.grounded == UNDECIDED).tolist())
    return Extensions(framework, accepted, _parts(open_ones, semantics, effort))


def _parts(framework: Framework, semantics: Semantics, effort: Effort) -> tuple[Part, ...]:
    effort.reserve(SPLITTING * (len(framework.arguments) + len(framework.sources)))
    parts = counted(framework.components(), f"{semantics} sets: parts", every=64)
    return tuple(_part(part, semantics, effort) for part in parts)


def _part(part: Framework, semantics: Semantics, effort: Effort) -> Part:
    """List the sets with half of the effort; with the rest decide acceptance where they are too many."""
    way, found, told = WAYS[semantics], None, True
    try:
        with effort.share(2) as listing:
            found = way.find(way.formula(part, listing), MAX_PER_PART)
    except NotDecidedError:
        told = False
        if way.accept is None:
            raise
    if found is not None:
        return Part(part, list(map(frozenset, part.by_size(found))))
    known = way.accept(part, effort) if way.accept else None
    if known is None and not told:
        raise NotDecidedError
    if semantics == "stable" and known is not None and not known.some:
        return Part(part, [])
    return Part(part, None, known, counted=told)


def admissible(part: Framework, effort: Effort) -> Formula:
    """Return the conditions of admissibility: no conflict, and all are defended.

    Parameters
    ----------
    part : Framework
        Arguments and attacks.
    effort : Effort
        Steps that may be spent.

    Returns
    -------
    Formula
        Its models are the admissible sets of the part (Dung 1995).

    """
    return Formula(part, effort).conflict_free().defending()


def _stable(part: Framework, effort: Effort) -> Formula:
    return Formula(part, effort).conflict_free().covering()


def _of_maximal_range(formula: Formula, limit: int) -> Sets | None:
    """Return the stable extensions where there are any: no range is larger than all (Caminada 2006)."""
    stable = _stable(formula.framework, formula.effort).all(limit)
    return formula.of_maximal_range(limit) if stable == [] else stable


def _ideal(formula: Formula, _limit: int) -> Sets:
    """Return the largest admissible set that no admissible set attacks (Dung, Mancarella & Toni 2007)."""
    part, possible = formula.framework, formula.possible()
    safe = {a for a in possible if possible.isdisjoint(part.named(part.strikers[part.place[a]]))}
    return [part.defended_part(safe)]


def _eager(formula: Formula, limit: int) -> Sets | None:
    """Return the largest admissible set inside every semi-stable extension (Caminada 2007)."""
    part, found = formula.framework, _of_maximal_range(formula, limit)
    if found is not None:
        return [part.defended_part(frozenset.intersection(*found))]
    known = _where_stable(part, formula.effort)
    return None if known is None else [part.defended_part(known.every)]


def _where_stable(part: Framework, effort: Effort) -> Acceptable | None:
    """Return acceptance where a stable extension exists, for the semantics that then agree with it."""
    known = accepted_where_stable(_stable(part, effort))
    return known if known.some else None


def _possible(
    part: Framework, effort: Effort, formula: Callable[[Framework, Effort], Formula] = admissible
) -> Acceptable:
    """Return what some set chooses; the empty set is one of them, so nothing is in every one."""
    return Acceptable(formula(part, effort).possible(), frozenset(), frozenset())


class Way(NamedTuple):
    """How the sets of one semantics are found, and acceptance without a list of them, where it can be."""

    formula: Callable[[Framework, Effort], Formula]
    find: Callable[[Formula, int], Sets | None]
    accept: Callable[[Framework, Effort], Acceptable | None] | None = None


def _conflict_free(part: Framework, effort: Effort) -> Formula:
    return Formula(part, effort).conflict_free()


def _complete(part: Framework, effort: Effort) -> Formula:
    return admissible(part, effort).complete()


WAYS: dict[Semantics, Way] = {
    "ideal": Way(admissible, _ideal),
    "stable": Way(_stable, Formula.all, lambda part, effort: accepted_where_stable(_stable(part, effort))),
    "semi_stable": Way(_complete, _of_maximal_range, _where_stable),
    "eager": Way(_complete, _eager),
    "stage": Way(_conflict_free, _of_maximal_range, _where_stable),
    "preferred": Way(admissible, Formula.maximal, lambda part, e: preferred_acceptance(admissible(part, e))),
    "complete": Way(_complete, Formula.all, _possible),
    "admissible": Way(admissible, Formula.all, _possible),
    "conflict_free": Way(_conflict_free, Formula.all, partial(_possible, formula=_conflict_free)),
}
QUICK_FIRST: tuple[Semantics, ...] = ("grounded", *WAYS)
"""The order in which work is shared out: what a quick one leaves, the next may spend."""
