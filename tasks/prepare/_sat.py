"""Sets of arguments as models of a propositional formula, enumerated by a SAT solver."""

from collections.abc import Collection, Iterable, Iterator, Sequence
from typing import Any

from corpusgraph.tasks.prepare._argumentation import Framework, Pair

Sets = list[frozenset[str]]


class Formula:
    """Conditions on a set of arguments (Besnard & Doutre 2004): chosen, attacked by it, in its range.

    An argument is attacked when a chosen one attacks it; the range is what is chosen or attacked.
    """

    def __init__(self, framework: Framework) -> None:
        n = len(framework.arguments)
        self.framework = framework
        self.chosen = {a: i for i, a in enumerate(framework.arguments, start=1)}
        self.attacked = {a: i + n for a, i in self.chosen.items()}
        self.range = {a: i + 2 * n for a, i in self.chosen.items()}
        self.clauses: list[list[int]] = []
        for a in framework.arguments:
            attackers = [self.chosen[b] for b in framework.attackers[a]]
            self._equals(self.attacked[a], attackers)
            self._equals(self.range[a], [self.chosen[a], self.attacked[a]])

    def _equals(self, literal: int, any_of: Sequence[int]) -> None:
        self.clauses.append([-literal, *any_of])
        self.clauses.extend([literal, -other] for other in any_of)

    def conflict_free(self) -> "Formula":
        """No chosen argument attacks a chosen one."""
        return self.never_together(self.framework.attacks)

    def never_together(self, pairs: Iterable[Pair]) -> "Formula":
        """Of each pair, at most one is chosen; a pair of one argument bars it."""
        self.clauses.extend([-self.chosen[a], -self.chosen[b]] for a, b in sorted(pairs))
        return self

    def closed_under(self, pairs: Iterable[Pair]) -> "Formula":
        """Whoever is chosen brings along those it supports."""
        self.clauses.extend([-self.chosen[a], self.chosen[b]] for a, b in sorted(pairs))
        return self

    def defending(self) -> "Formula":
        """Every attacker of a chosen argument is attacked."""
        self.clauses.extend([-self.chosen[b], self.attacked[a]] for a, b in sorted(self.framework.attacks))
        return self

    def complete(self) -> "Formula":
        """Whatever is defended is chosen."""
        for a in self.framework.arguments:
            self.clauses.append([self.chosen[a], *(-self.attacked[b] for b in self.framework.attackers[a])])
        return self

    def covering(self) -> "Formula":
        """Every argument is in the range."""
        self.clauses.extend([self.range[a]] for a in self.framework.arguments)
        return self

    def all(self, limit: int) -> Sets | None:
        """Return every set that satisfies the formula, or None when there are more than `limit`."""
        with self._solver() as solver:
            return _collect(self._models(solver, ()), limit)

    def maximal(self, limit: int) -> Sets | None:
        """Return the sets that no larger one contains, or None when there are more than `limit`."""
        with self._solver() as solver:
            return _collect(self._maxima(solver, self.chosen), limit)

    def of_maximal_range(self, limit: int) -> Sets | None:
        """Return the sets whose range no other's range contains, or None when there are too many."""
        with self._solver() as solver:
            ranges = _collect(self._maxima(solver, self.range), limit)
        found: Sets = []
        for covered in ranges or ():
            with self._solver() as solver:
                fixed = [self.range[a] for a in self.framework.in_order(covered)]
                more = _collect(self._models(solver, fixed), limit)
            if more is None or len(found) + len(more) > limit:
                return None
            found += more
        return None if ranges is None else found

    def possible(self) -> frozenset[str]:
        """Return the arguments that some set chooses."""
        with self._solver() as solver:
            return frozenset(a for a, i in self.chosen.items() if solver.solve(assumptions=[i]))

    def _solver(self) -> Any:
        from pysat.solvers import Solver

        return Solver(name="glucose4", bootstrap_with=self.clauses)

    def _models(self, solver: Any, fixed: Sequence[int]) -> Iterator[frozenset[str]]:
        while solver.solve(assumptions=list(fixed)):
            found = self._true(solver, self.chosen)
            yield found
            solver.add_clause([-i if a in found else i for a, i in self.chosen.items()])

    def _maxima(self, solver: Any, of: dict[str, int]) -> Iterator[frozenset[str]]:
        """Grow each model until nothing can be added, then ask for one that is not below it."""
        switch = 3 * len(self.chosen)
        while solver.solve():
            found = self._true(solver, of)
            while True:
                switch += 1
                solver.add_clause([-switch, *(i for a, i in of.items() if a not in found)])
                if not solver.solve(assumptions=[switch, *(of[a] for a in self.framework.in_order(found))]):
                    break
                found = self._true(solver, of)
            yield found
            solver.add_clause([i for a, i in of.items() if a not in found])

    def _true(self, solver: Any, of: dict[str, int]) -> frozenset[str]:
        positive: Collection[int] = {literal for literal in solver.get_model() if literal > 0}
        return frozenset(a for a, i in of.items() if i in positive)


def _collect(models: Iterator[frozenset[str]], limit: int) -> Sets | None:
    found: Sets = []
    for model in models:
        if len(found) == limit:
            return None
        found.append(model)
    return found
