"""Sets of arguments as models of a propositional formula, enumerated by a SAT solver."""

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from itertools import islice
from typing import Any, TypeVar

from corpusgraph.tasks.analysis.argument.framework import Framework, Pair
from corpusgraph.tasks.progress import step

T = TypeVar("T")
STEPS_PER_SECOND = 10_000_000
"""A step is about a propagation of a SAT solver; the costs below were fitted to generated networks."""

CONFLICT = 500
"""What a conflict costs: clauses are learnt from it, which are looked through from then on."""

CALL = 100
"""What asking the solver costs."""

CLAUSE = 17
"""What making a clause costs in Python."""

READING = 2
"""What reading one argument of a model costs in Python."""

SLICE = 5_000_000
"""What the solver spends at a time: half a second's worth, after which the call may be ended."""

SPLITTING = 10
"""What putting an argument or attack into its part costs, or giving it its grounded label."""


class NotDecidedError(Exception):
    """The work allowed was spent before the answer was known; caught where the semantics is named."""


class Effort:
    """Steps that may be spent on a search, so that its end does not depend on a clock.

    A clock would decide more on a fast machine than on a slow one, and never twice alike. Whether a set
    exists can take exponential time (Dvořák & Dunne 2018). A time limit that reads the clock makes results
    depend on the machine and on what else runs there; so seconds are turned into propagations and conflicts
    of the solver, which for one formula are the same everywhere, and the solver stops itself when they are
    spent. The price: the seconds are those of a processor's work, half as many to twice as many from one kind
    of network to another, and longer on a slow machine.

    Parameters
    ----------
    seconds : float, optional
        About so many seconds of work; no limit where it is None or infinite.

    """

    def __init__(self, seconds: float | None = None) -> None:
        self.left = None if seconds is None or seconds == math.inf else int(seconds * STEPS_PER_SECOND)

    @contextmanager
    def share(self, among: int) -> Iterator["Effort"]:
        """Set apart an equal part of what is left; what it does not spend is given back in the end.

        Parameters
        ----------
        among : int
            Parts to come, this one included.

        Yields
        ------
        Effort
            Unlimited where this is.

        """
        part = Effort()
        if self.left is None:
            yield part
            return
        part.left = self.left // max(1, among)
        self.left -= part.left
        try:
            yield part
        finally:
            self.left += max(0, part.left)

    def each(self, tasks: Mapping[str, Callable[["Effort"], T]]) -> tuple[dict[str, T], list[str]]:
        """Do all tasks; each may spend an equal share of what is left.

        Parameters
        ----------
        tasks : mapping of str to callable
            Name -> what does it with so much effort.

        Returns
        -------
        done : dict of str to T
            By name.
        open_ones : list of str
            Names of those that were not decided.

        """
        done: dict[str, T] = {}
        for number, (name, find) in enumerate(tasks.items()):
            with suppress(NotDecidedError), self.share(len(tasks) - number) as part:
                done[name] = find(part)
        return done, [name for name in tasks if name not in done]

    def reserve(self, steps: int) -> None:
        """Count work that is to be done; where it is too much, nothing is spent, as it is left undone.

        Parameters
        ----------
        steps : int
            Steps of the work.

        Raises
        ------
        NotDecidedError
            When there is not so much left.

        """
        if self.left is not None and self.left < steps:
            raise NotDecidedError
        self.spend(steps)

    def spend(self, steps: int) -> None:
        """Count work done.

        Parameters
        ----------
        steps : int
            Steps of the work.

        Raises
        ------
        NotDecidedError
            When more was spent than was left.

        """
        if self.left is not None:
            self.left -= steps
            if self.left < 0:
                raise NotDecidedError

    def solve(self, solver: Any, assumptions: list[int]) -> bool:
        """Return whether the formula can be true under the assumptions.

        The solver looks at its budget when it restarts, so it may spend some tenths of a second more. It
        counts propagations and conflicts each for itself; half of what is left is for either, time and again,
        so that both together do not spend it twice.

        Parameters
        ----------
        solver : pysat.solvers.Solver
            A solver that knows the formula.
        assumptions : list of int
            Literals.

        Returns
        -------
        bool
            Whether there is a model, which `solver` then holds.

        Raises
        ------
        NotDecidedError
            When the steps run out first.

        """
        answer, asked = None, 0
        while answer is None:
            step("sets of arguments: searched", asked)
            asked += 1
            half = SLICE if self.left is None else min(SLICE, max(CONFLICT, self.left // 2))
            solver.prop_budget(half)
            solver.conf_budget(half // CONFLICT)
            before = _worked(solver)
            answer = solver.solve_limited(assumptions=assumptions)
            self.spend(CALL + _worked(solver) - before)
        return bool(answer)


def _worked(solver: Any) -> int:
    told = solver.accum_stats()
    return int(told["propagations"] + CONFLICT * told["conflicts"])


Sets = list[frozenset[str]]


class Formula:
    """Conditions on a set of arguments as a propositional formula: chosen, attacked by it, in its range.

    The argument at place i is chosen by variable i + 1; it is attacked when a chosen one attacks it; the
    range is what is chosen or attacked. Methods that add a condition return the formula itself.

    Parameters
    ----------
    framework : Framework
        Arguments and attacks.
    effort : Effort
        Steps that may be spent on clauses and models.

    Raises
    ------
    NotDecidedError
        Where there is not effort enough to write the formula.

    References
    ----------
    Besnard & Doutre 2004.

    """

    def __init__(self, framework: Framework, effort: Effort) -> None:
        size = len(framework.arguments)
        self.framework, self.effort = framework, effort
        effort.reserve(CLAUSE * (7 * size + 2 * len(framework.sources)))
        self.chosen = list(range(1, size + 1))
        self.attacked = list(range(size + 1, 2 * size + 1))
        self.range = list(range(2 * size + 1, 3 * size + 1))
        self.clauses: list[list[int]] = []
        for a, attackers in enumerate(framework.strikers):
            self._equals(self.attacked[a], [self.chosen[b] for b in attackers])
            self._equals(self.range[a], [self.chosen[a], self.attacked[a]])

    def _equals(self, literal: int, any_of: Sequence[int]) -> None:
        self.clauses.append([-literal, *any_of])
        self.clauses.extend([literal, -other] for other in any_of)

    def conflict_free(self) -> "Formula":
        """No chosen argument attacks a chosen one.

        Returns
        -------
        Formula
            This formula, with a clause more for each attack.

        """
        self.clauses.extend([-self.chosen[a], -self.chosen[b]] for a, b in self.framework.pairs)
        return self

    def never_together(self, pairs: Iterable[Pair]) -> "Formula":
        """Of each pair, at most one is chosen; a pair of one argument bars it.

        Parameters
        ----------
        pairs : iterable of (str, str)
            Arguments.

        Returns
        -------
        Formula
            This formula, with a clause more for each pair.

        """
        self.clauses.extend([-a, -b] for a, b in self._literals(pairs))
        return self

    def closed_under(self, pairs: Iterable[Pair]) -> "Formula":
        """Whoever is chosen brings along those it supports.

        Parameters
        ----------
        pairs : iterable of (str, str)
            (supporter, supported).

        Returns
        -------
        Formula
            This formula, with a clause more for each pair.

        """
        self.clauses.extend([-a, b] for a, b in self._literals(pairs))
        return self

    def _literals(self, pairs: Iterable[Pair]) -> list[tuple[int, int]]:
        place = self.framework.place
        found = sorted((place[a] + 1, place[b] + 1) for a, b in pairs)
        self.effort.reserve(CLAUSE * len(found))
        return found

    def defending(self) -> "Formula":
        """Every attacker of a chosen argument is attacked.

        Returns
        -------
        Formula
            This formula, with a clause more for each attack.

        """
        self.clauses.extend([-self.chosen[b], self.attacked[a]] for a, b in self.framework.pairs)
        return self

    def complete(self) -> "Formula":
        """Whatever is defended is chosen.

        Returns
        -------
        Formula
            This formula, with a clause more for each argument.

        """
        for a, attackers in enumerate(self.framework.strikers):
            self.clauses.append([self.chosen[a], *(-self.attacked[b] for b in attackers)])
        return self

    def covering(self) -> "Formula":
        """Every argument is in the range.

        Returns
        -------
        Formula
            This formula, with a clause more for each argument: it attacks or is chosen, as in a stable
            extension.

        """
        self.clauses.extend([covered] for covered in self.range)
        return self

    def all(self, limit: int) -> Sets | None:
        """Return every set that satisfies the formula, or None when there are more than `limit`.

        Parameters
        ----------
        limit : int
            Sets at most.

        Returns
        -------
        list of frozenset of str, or None
            Sets of ids, in no order that means anything.

        Raises
        ------
        NotDecidedError
            When the effort is spent first.

        """
        with self.solver() as solver:
            return self._sets(self._models(solver, []), limit)

    def maximal(self, limit: int) -> Sets | None:
        """Return the sets that no larger one contains, or None when there are more than `limit`.

        Parameters
        ----------
        limit : int
            Sets at most.

        Returns
        -------
        list of frozenset of str, or None
            Sets of ids, in no order that means anything.

        Raises
        ------
        NotDecidedError
            When the effort is spent first.

        """
        with self.solver() as solver:
            return self._sets(self._maxima(solver, self.chosen), limit)

    def of_maximal_range(self, limit: int) -> Sets | None:
        """Return the sets whose range no other's range contains, or None when there are too many.

        Parameters
        ----------
        limit : int
            Sets at most, and ranges at most.

        Returns
        -------
        list of frozenset of str, or None
            Sets of ids; several may share a range.

        Raises
        ------
        NotDecidedError
            When the effort is spent first.

        """
        with self.solver() as solver:
            ranges = list(islice(self._maxima(solver, self.range), limit + 1))
        found: Sets = []
        for covered in ranges:
            with self.solver() as solver:
                more = self._sets(self._models(solver, [self.range[a] for a in covered]), limit - len(found))
            if more is None or len(ranges) > limit:
                return None
            found += more
        return found

    def possible(self) -> frozenset[str]:
        """Return the arguments that some set chooses.

        Returns
        -------
        frozenset of str
            Ids of arguments; empty where no set satisfies the formula.

        Raises
        ------
        NotDecidedError
            When the effort is spent first.

        """
        found, switch = set[int](), 3 * len(self.chosen)
        with self.solver() as solver:
            while True:
                switch += 1
                solver.add_clause([-switch, *_outside(found, self.chosen)])
                if not self.effort.solve(solver, [switch]):
                    return frozenset(self.framework.named(found))
                found.update(self.true(solver, self.chosen))

    def certain(self) -> frozenset[str]:
        """Return the arguments that every set chooses: all of them where there is no set.

        Returns
        -------
        frozenset of str
            Ids of arguments; each model only asks for one that lacks some that are left.

        Raises
        ------
        NotDecidedError
            When the effort is spent first.

        """
        with self.solver() as solver:
            kept: set[int] | None = None
            while self.effort.solve(solver, []):
                model = self.true(solver, self.chosen)
                kept = set(model) if kept is None else kept & set(model)
                solver.add_clause([-self.chosen[a] for a in sorted(kept)])
            return frozenset(self.framework.arguments if kept is None else self.framework.named(kept))

    def solver(self) -> Any:
        """Return a solver that knows the formula; use it in a `with` statement.

        Returns
        -------
        Any
            A Glucose 4 of PySAT.

        """
        from pysat.solvers import Solver

        return Solver(name="glucose4", bootstrap_with=self.clauses)

    def _models(self, solver: Any, fixed: list[int]) -> Iterator[list[int]]:
        while self.effort.solve(solver, fixed):
            found = self.true(solver, self.chosen)
            yield found
            inside = set(found)
            solver.add_clause([-i if a in inside else i for a, i in enumerate(self.chosen)])

    def _maxima(self, solver: Any, of: Sequence[int]) -> Iterator[list[int]]:
        """Grow each model until nothing can be added, then ask for one that is not below it."""
        switch = 3 * len(self.chosen)
        while self.effort.solve(solver, []):
            found, switch = self.grown(solver, of, switch, self.true(solver, of))
            yield found
            solver.add_clause(_outside(found, of))

    def grown(self, solver: Any, of: Sequence[int], switch: int, found: list[int]) -> tuple[list[int], int]:
        """Return a model's places, grown until nothing can be added, and the last variable used.

        Parameters
        ----------
        solver : pysat.solvers.Solver
            A solver that knows the formula; clauses are added to it.
        of : sequence of int
            Literals, by place.
        switch : int
            The last variable used.
        found : list of int
            Places whose literal is true in some model.

        Returns
        -------
        list of int
            Places of the grown model.
        int
            The last variable used.

        """
        while True:
            switch += 1
            solver.add_clause([-switch, *_outside(found, of)])
            if not self.effort.solve(solver, [switch, *(of[a] for a in found)]):
                return found, switch
            found = self.true(solver, of)

    def true(self, solver: Any, of: Sequence[int]) -> list[int]:
        """Return the places whose literal is true in the model just found.

        Parameters
        ----------
        solver : pysat.solvers.Solver
            A solver that has just found a model.
        of : sequence of int
            Literals, by place.

        Returns
        -------
        list of int
            Indices into `of`, in order.

        """
        self.effort.spend(READING * len(of))
        model = solver.get_model()
        return [a for a, i in enumerate(of) if model[i - 1] > 0]

    def _sets(self, models: Iterator[list[int]], limit: int) -> Sets | None:
        found = list(islice(models, limit + 1))
        return [frozenset(self.framework.named(one)) for one in found] if len(found) <= limit else None


def _outside(found: Iterable[int], of: Sequence[int]) -> list[int]:
    inside = set(found)
    return [i for a, i in enumerate(of) if a not in inside]
