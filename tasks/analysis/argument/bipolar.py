"""Frameworks with support: the attacks that support brings about, and admissible sets under them."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property, partial
from typing import Literal

import numpy as np

from corpusgraph.schemas.errors import PreparationError
from corpusgraph.tasks.analysis.argument.framework import Framework, Pair
from corpusgraph.tasks.analysis.argument.semantics import MAX_PER_PART, Extensions, Part
from corpusgraph.tasks.analysis.argument.solver import Effort, Formula, Sets
from corpusgraph.tasks.analysis.causal.dag import reachable
from corpusgraph.tasks.graph.names import grouped

Reading = Literal["general", "deductive", "necessary"]
Kind = Literal["supported", "secondary", "mediated", "extended", "super_mediated", "super_extended"]

IN_FORCE: dict[Reading, tuple[Kind, ...]] = {
    "general": ("supported", "secondary"),
    "deductive": ("supported", "mediated", "super_mediated"),
    "necessary": ("secondary", "extended", "super_extended"),
}
"""The derived attacks that count under each reading of support.

`general`: support helps (Cayrol & Lagasquie-Schiex 2005). `deductive`: who accepts the supporter must
accept the supported (Boella, Gabbay, van der Torre & Villata 2010). `necessary`: the supported cannot be
accepted without the supporter (Nouioua & Risch 2011). The last two mirror each other: a supports b
deductively exactly when b supports a necessarily (Cayrol & Lagasquie-Schiex 2013).
"""


MAX_DERIVED = 1_000_000
"""Derived attacks of one kind, or supports through others, at most; more is an error."""


@dataclass(frozen=True)
class Bipolar:
    """Attacks and supports between arguments, under one reading of support.

    Attributes
    ----------
    direct : Framework
        The attacks as stated.
    supports : frozenset of (str, str)
        (supporter, supported).
    reading : {"general", "deductive", "necessary"}
        See `IN_FORCE`.

    References
    ----------
    Cayrol & Lagasquie-Schiex 2005.

    """

    direct: Framework
    supports: frozenset[Pair]
    reading: Reading = "general"

    @cached_property
    def supported_by(self) -> Mapping[str, frozenset[str]]:
        """Whom each argument supports, directly or through others."""
        alone: dict[str, list[str]] = {a: [] for a in self.direct.arguments}
        near = alone | grouped(self.supports)
        found: dict[str, frozenset[str]] = {}
        room = MAX_DERIVED
        for a, direct in near.items():
            found[a] = frozenset(reachable(near, direct))
            room -= len(found[a])
            if room < 0:
                raise _too_many()
        return found

    @cached_property
    def derived(self) -> dict[Kind, frozenset[Pair]]:
        """The complex attacks by kind, from a to b; … stands for further supports.

        `supported`: a supports … c, and c attacks b. `secondary`: a attacks c, and c supports … b (both
        Cayrol & Lagasquie-Schiex 2005). `mediated`: a attacks c, and b supports … c (Boella et al. 2010).
        `extended`: c attacks b, and c supports … a (Nouioua & Risch 2011). `super_mediated`: a makes a
        supported attack on c, and b supports … c; `super_extended`: a makes an extended attack on c, and
        c supports … b (Cayrol & Lagasquie-Schiex 2013).
        """
        attacks, chain = self.direct.attacks, self.supported_by
        supports = [(a, c) for a in self.direct.arguments for c in sorted(chain[a])]
        forward = grouped(supports)
        back = grouped((c, a) for a, c in supports)
        targets = grouped(attacks)
        supported = _through(supports, targets)
        extended = _through(((a, c) for c, a in supports), targets)
        return {
            "supported": supported,
            "secondary": _through(attacks, forward),
            "mediated": _through(attacks, back),
            "extended": extended,
            "super_mediated": _through(supported, back),
            "super_extended": _through(extended, forward),
        }

    @cached_property
    def effective(self) -> Framework:
        """The framework of direct attacks and the derived ones in force under the reading of support."""
        return self._with(IN_FORCE[self.reading])

    @cached_property
    def complete_attacks(self) -> Framework:
        """The framework of direct, supported and secondary attacks."""
        return self._with(IN_FORCE["general"])

    def _with(self, kinds: Iterable[Kind]) -> Framework:
        if not self.supports:
            return self.direct
        return Framework.of(
            self.direct.arguments, self.direct.attacks.union(*(self.derived[kind] for kind in kinds))
        )

    def admissible_sets(self) -> dict[str, Callable[[Effort], Extensions]]:
        """Return, by name, how to find the d-, s- and c-admissible sets and the largest of each (preferred).

        All defend themselves against direct, supported and secondary attacks, whatever the reading; d: no
        conflict inside; s: safe, so no argument is both attacked and supported (or chosen); c: closed under
        support.

        Returns
        -------
        dict of str to callable
            `d_admissible`, `d_preferred` and so on -> a function of an `Effort` that returns `Extensions`, or
            raises NotDecidedError when the effort is spent.

        """
        limits: dict[str, Callable[[Formula], Formula]] = {
            "d": Formula.conflict_free,
            "s": lambda formula: formula.conflict_free().never_together(self._unsafe(formula.framework)),
            "c": lambda formula: formula.conflict_free().closed_under(
                pair for pair in self.supports if pair[0] in formula.framework.place
            ),
        }
        found: dict[str, Callable[[Effort], Extensions]] = {}
        for kind, limit in limits.items():
            found[f"{kind}_admissible"] = partial(self._sets, limit, Formula.all)
            found[f"{kind}_preferred"] = partial(self._sets, limit, Formula.maximal)
        return found

    def _sets(
        self,
        limit: Callable[[Formula], Formula],
        list_of: Callable[[Formula, int], Sets | None],
        effort: Effort,
    ) -> Extensions:
        framework = self.complete_attacks
        formulas = (limit(Formula(part, effort).defending()) for part in self._parts)
        parts = tuple(Part(formula.framework, list_of(formula, MAX_PER_PART)) for formula in formulas)
        return Extensions(framework, np.zeros(len(framework.arguments), dtype=bool), parts)

    @cached_property
    def _parts(self) -> list[Framework]:
        return self.complete_attacks.components(self.supports)

    def _unsafe(self, part: Framework) -> set[Pair]:
        """Pairs of which one attacks an argument that the other supports."""
        supporters = grouped((b, a) for a in part.arguments for b in self.supported_by[a])
        return {(a, c) for a, b in part.attacks for c in supporters.get(b, ())}


def _through(pairs: Iterable[Pair], onwards: Mapping[str, list[str]]) -> frozenset[Pair]:
    """Return the pairs (a, b) where a goes to some c and c onwards to b."""
    found: set[Pair] = set()
    for a, c in pairs:
        found.update((a, b) for b in onwards.get(c, ()))
        if len(found) > MAX_DERIVED:
            raise _too_many()
    return frozenset(found)


def _too_many() -> PreparationError:
    return PreparationError(
        f"Supports bring about more than {MAX_DERIVED:,} attacks.",
        code="too_many_derived_attacks",
        hint="Leave out supports that follow from others, or look at a part of the network.",
    )
