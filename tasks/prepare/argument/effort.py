"""How much work the search for sets of arguments may cost, counted so that every machine counts the same."""

from typing import Any

STEPS_PER_SECOND = 3_000_000
"""Propagations that a SAT solver makes in a second on an ordinary machine (measured: 3 to 9 million)."""

READING = 8
"""What reading one argument of a model, or writing one clause, costs in Python, in steps."""


class NotDecidedError(Exception):
    """The work allowed was spent before the answer was known; caught where the semantics is named."""


class Effort:
    """Steps left. A clock would decide more on a fast machine than on a slow one, and never twice alike.

    Whether a set exists can take exponential time (Dvořák & Dunne 2018). A time limit that reads the clock
    makes results depend on the machine and on what else runs there; so seconds are turned into propagations
    of the solver, which for one formula are the same everywhere, and the solver stops itself when they are
    spent. The price: on a slow machine the seconds are longer.
    """

    def __init__(self, seconds: float | None = None) -> None:
        self.left = None if seconds is None else int(seconds * STEPS_PER_SECOND)

    def share(self, among: int) -> "Effort":
        """Set apart an equal part of what is left; give back what is not spent with `take_back`."""
        part = Effort()
        if self.left is not None:
            part.left = self.left // max(1, among)
            self.left -= part.left
        return part

    def take_back(self, part: "Effort") -> None:
        """Add what a part did not spend."""
        if self.left is not None and part.left is not None:
            self.left += max(0, part.left)

    def spend(self, steps: int) -> None:
        """Count work done outside of the solver.

        Errors: NotDecidedError when nothing is left.
        """
        if self.left is not None:
            self.left -= steps
            if self.left < 0:
                raise NotDecidedError

    def solve(self, solver: Any, assumptions: list[int]) -> bool:
        """Return whether the formula can be true under the assumptions.

        The solver looks at its budget when it restarts, so it may spend some tenths of a second more.

        Errors: NotDecidedError when the steps run out first.
        """
        if self.left is None:
            return bool(solver.solve(assumptions=assumptions))
        before = solver.accum_stats()["propagations"]
        solver.prop_budget(max(1, self.left))
        answer = solver.solve_limited(assumptions=assumptions)
        self.spend(1 + solver.accum_stats()["propagations"] - before)
        if answer is None:
            raise NotDecidedError
        return bool(answer)
