"""Extensions of a framework under ten semantics, found part by part and put together."""

from collections.abc import Callable
from typing import Literal, get_args

import numpy as np

from corpusgraph.tasks._steps import counted
from corpusgraph.tasks.prepare.argument.accepted import accepted_where_stable, preferred_acceptance
from corpusgraph.tasks.prepare.argument.effort import SPLITTING, Effort, NotDecidedError
from corpusgraph.tasks.prepare.argument.extensions import MAX_PER_PART, Acceptable, Extensions, Part
from corpusgraph.tasks.prepare.argument.framework import ACCEPTED, UNDECIDED, Framework
from corpusgraph.tasks.prepare.argument.sat import Formula, Sets

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

QUICK_FIRST: tuple[Semantics, ...] = (
    "grounded",
    "ideal",
    "stable",
    "semi_stable",
    "eager",
    "stage",
    "preferred",
    "complete",
    "admissible",
    "conflict_free",
)
"""The order in which work is shared out: what a quick one leaves, the next may spend."""


def extensions(framework: Framework, semantics: Semantics, effort: Effort | None = None) -> Extensions:
    """Return all extensions; of a part with more than MAX_PER_PART, what is in some and in every one.

    Complete-based semantics keep the grounded extension and decide what it leaves undecided; the parts
    of a framework that no attack joins are decided each on its own.
    Errors: NotDecidedError when the effort is spent before acceptance is known.
    """
    effort = effort or Effort()
    if semantics in _ON_ALL:
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
    listing, told = effort.share(2), True
    try:
        found = _DECIDE[semantics](part, listing)
    except NotDecidedError:
        found, told = None, False
        if semantics not in _ACCEPTANCE:
            raise
    effort.take_back(listing)
    if found is not None:
        order = part.place
        return Part(part, sorted(found, key=lambda s: (len(s), sorted(order[a] for a in s))))
    decide = _ACCEPTANCE.get(semantics)
    known = decide(part, effort) if decide else None
    if known is None and not told:
        raise NotDecidedError
    if semantics == "stable" and known is not None and not known.some:
        return Part(part, [])
    return Part(part, None, known, counted=told)


def admissible(part: Framework, effort: Effort) -> Formula:
    """Return the conditions of admissibility: no conflict, and all are defended."""
    return Formula(part, effort).conflict_free().defending()


def _stable(part: Framework, effort: Effort) -> Formula:
    return Formula(part, effort).conflict_free().covering()


def _of_maximal_range(formula: Formula) -> Sets | None:
    """Return the stable extensions where there are any: no range is larger than all (Caminada 2006)."""
    stable = _stable(formula.framework, formula.effort).all(MAX_PER_PART)
    return formula.of_maximal_range(MAX_PER_PART) if stable == [] else stable


def _semi_stable(part: Framework, effort: Effort) -> Sets | None:
    return _of_maximal_range(admissible(part, effort).complete())


def _ideal(part: Framework, effort: Effort) -> Sets:
    """Return the largest admissible set that no admissible set attacks (Dung, Mancarella & Toni 2007)."""
    possible = admissible(part, effort).possible()
    safe = {a for a in possible if possible.isdisjoint(part.attackers[a])}
    return [part.defended_part(safe)]


def _eager(part: Framework, effort: Effort) -> Sets | None:
    """Return the largest admissible set inside every semi-stable extension (Caminada 2007)."""
    found = _semi_stable(part, effort)
    if found is not None:
        return [part.defended_part(frozenset.intersection(*found))]
    known = _where_stable(part, effort)
    return None if known is None else [part.defended_part(known.every)]


def _where_stable(part: Framework, effort: Effort) -> Acceptable | None:
    """Return acceptance where a stable extension exists, for the semantics that then agree with it."""
    known = accepted_where_stable(_stable(part, effort))
    return known if known.some else None


def _possible(formula: Formula) -> Acceptable:
    """Return what some set chooses; the empty set is among them, so none is in every one."""
    return Acceptable(formula.possible(), frozenset(), frozenset())


_Decide = Callable[[Framework, Effort], Sets | None]

_ON_ALL = ("conflict_free", "admissible", "stage")

_DECIDE: dict[str, _Decide] = {
    "conflict_free": lambda part, effort: Formula(part, effort).conflict_free().all(MAX_PER_PART),
    "admissible": lambda part, effort: admissible(part, effort).all(MAX_PER_PART),
    "stage": lambda part, effort: _of_maximal_range(Formula(part, effort).conflict_free()),
    "complete": lambda part, effort: admissible(part, effort).complete().all(MAX_PER_PART),
    "preferred": lambda part, effort: admissible(part, effort).maximal(MAX_PER_PART),
    "stable": lambda part, effort: _stable(part, effort).all(MAX_PER_PART),
    "semi_stable": _semi_stable,
    "ideal": _ideal,
    "eager": _eager,
}

_ACCEPTANCE: dict[str, Callable[[Framework, Effort], Acceptable | None]] = {
    "conflict_free": lambda part, effort: _possible(Formula(part, effort).conflict_free()),
    "admissible": lambda part, effort: _possible(admissible(part, effort)),
    "complete": lambda part, effort: _possible(admissible(part, effort)),
    "preferred": lambda part, effort: preferred_acceptance(admissible(part, effort)),
    "stable": lambda part, effort: accepted_where_stable(_stable(part, effort)),
    "semi_stable": _where_stable,
    "stage": _where_stable,
}
"""Ways to acceptance that need no list of the sets."""
