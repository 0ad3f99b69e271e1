"""What is in some and in every extension, by SAT alone, where the extensions are too many to list."""

from typing import Any

from corpusgraph.tasks.prepare.argument.extensions import Acceptable
from corpusgraph.tasks.prepare.argument.sat import Formula


def accepted_where_stable(formula: Formula) -> Acceptable:
    """Return acceptance under the stable extensions; where there are none, nothing is in some.

    A stable extension attacks whatever is not in it, so what is in none is attacked by every one.
    """
    some = formula.possible()
    return Acceptable(some, formula.certain(), frozenset(formula.framework.arguments) - some)


def preferred_acceptance(formula: Formula) -> Acceptable:
    """Return acceptance under the largest models of admissibility.

    Every admissible set is inside a preferred one, so one of them is asked for the first. Candidates for
    the second are what no such set attacks; and, for what every extension attacks, what none accepts.
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
