"""Frameworks with support: the attacks that support brings about, and admissible sets under them."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property

from corpusgraph.tasks.prepare._argumentation import Framework, Pair
from corpusgraph.tasks.prepare._dag import reachable
from corpusgraph.tasks.prepare._sat import Formula, Sets
from corpusgraph.tasks.prepare._semantics import MAX_PER_PART, Extensions


@dataclass(frozen=True)
class Bipolar:
    """Attacks and supports between arguments (Cayrol & Lagasquie-Schiex 2005)."""

    direct: Framework
    supports: frozenset[Pair]

    @cached_property
    def supported_by(self) -> Mapping[str, frozenset[str]]:
        """Whom each argument supports, directly or through others."""
        near: dict[str, set[str]] = {a: set() for a in self.direct.arguments}
        for a, b in self.supports:
            near[a].add(b)
        return {a: frozenset(reachable(near, near[a])) for a in near}

    def derived(self) -> dict[str, frozenset[Pair]]:
        """Return the complex attacks by kind.

        `supported`: a supports … c, and c attacks b. `secondary`: a attacks c, and c supports … b (both
        Cayrol & Lagasquie-Schiex 2005). `mediated`: a attacks c, and b supports … c (Boella et al. 2010).
        `extended`: c attacks b, and c supports … a, where support means necessity (Nouioua & Risch 2011).
        """
        attacks, chain = self.direct.attacks, self.supported_by
        supports = [(a, c) for a in self.direct.arguments for c in chain[a]]
        targets = self.direct.targets
        return {
            "supported": frozenset((a, b) for a, c in supports for b in targets[c]),
            "secondary": frozenset((a, b) for a, c in attacks for b in chain[c]),
            "mediated": frozenset((a, b) for b, c in supports for a in self.direct.attackers[c]),
            "extended": frozenset((a, b) for c, a in supports for b in targets[c]),
        }

    @cached_property
    def complete_attacks(self) -> Framework:
        """The framework of direct, supported and secondary attacks."""
        derived = self.derived()
        every = self.direct.attacks | derived["supported"] | derived["secondary"]
        return Framework(self.direct.arguments, every)

    def admissible_sets(self) -> dict[str, Extensions | None]:
        """Return d-, s- and c-admissible sets, and the largest of each (preferred).

        All defend themselves against direct, supported and secondary attacks; d: no conflict inside;
        s: safe, so no argument is both attacked and supported (or chosen); c: closed under support.
        """
        kinds: dict[str, Callable[[Formula], Formula]] = {
            "d": Formula.conflict_free,
            "s": lambda formula: formula.conflict_free().never_together(self._unsafe(formula.framework)),
            "c": lambda formula: formula.conflict_free().closed_under(self._inside(formula.framework)),
        }
        found: dict[str, Extensions | None] = {}
        for kind, limit_to in kinds.items():
            formulas = [limit_to(Formula(part).defending()) for part in self._parts]
            found[f"{kind}_admissible"] = _together([formula.all(MAX_PER_PART) for formula in formulas])
            found[f"{kind}_preferred"] = _together([formula.maximal(MAX_PER_PART) for formula in formulas])
        return found

    @cached_property
    def _parts(self) -> list[Framework]:
        return self.complete_attacks.components(self.supports)

    def _unsafe(self, part: Framework) -> set[Pair]:
        """Pairs of which one attacks an argument that the other supports."""
        supporters: dict[str, list[str]] = {a: [] for a in part.arguments}
        for a in part.arguments:
            for b in self.supported_by[a]:
                supporters[b].append(a)
        return {(a, c) for a, b in part.attacks for c in supporters[b]}

    def _inside(self, part: Framework) -> list[Pair]:
        members = set(part.arguments)
        return sorted(pair for pair in self.supports if pair[0] in members)


def _together(parts: list[Sets | None]) -> Extensions | None:
    known = tuple(part for part in parts if part is not None)
    return Extensions(frozenset(), known) if len(known) == len(parts) else None
