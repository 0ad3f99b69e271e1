"""How much work the search for sets of arguments may cost, counted so that every machine counts the same."""

import math
from typing import Any

from corpusgraph.tasks._steps import step

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
    """Steps left. A clock would decide more on a fast machine than on a slow one, and never twice alike.

    Whether a set exists can take exponential time (Dvořák & Dunne 2018). A time limit that reads the clock
    makes results depend on the machine and on what else runs there; so seconds are turned into propagations
    and conflicts of the solver, which for one formula are the same everywhere, and the solver stops itself
    when they are spent. The price: the seconds are those of a processor's work, half as many to twice as
    many from one kind of network to another, and longer on a slow machine.
    """

    def __init__(self, seconds: float | None = None) -> None:
        self.left = None if seconds is None or seconds == math.inf else int(seconds * STEPS_PER_SECOND)

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

    def reserve(self, steps: int) -> None:
        """Count work that is to be done; where it is too much, nothing is spent, as it is left undone.

        Errors: NotDecidedError when there is not so much left.
        """
        if self.left is not None and self.left < steps:
            raise NotDecidedError
        self.spend(steps)

    def spend(self, steps: int) -> None:
        """Count work done.

        Errors: NotDecidedError when nothing is left.
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

        Errors: NotDecidedError when the steps run out first.
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
