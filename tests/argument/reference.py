"""Argumentation by definition: every subset of every framework, as slowly and plainly as it can be said."""

from collections.abc import Collection, Iterable, Iterator
from itertools import chain, combinations

Set = frozenset[str]
Pair = tuple[str, str]


def subsets(items: Collection[str]) -> list[Set]:
    return [frozenset(c) for n in range(len(items) + 1) for c in combinations(sorted(items), n)]


class Brute:
    """The ten semantics of Baroni, Caminada & Giacomin 2011, from their definitions."""

    def __init__(self, arguments: Collection[str], attacks: Iterable[Pair]) -> None:
        self.arguments, self.attacks = frozenset(arguments), set(attacks)
        self.subsets = subsets(arguments)

    def struck(self, s: Set) -> Set:
        return frozenset(b for a, b in self.attacks if a in s)

    def range(self, s: Set) -> Set:
        return s | self.struck(s)

    def defends(self, s: Set, a: str) -> bool:
        struck = self.struck(s)
        return all(b in struck for b, c in self.attacks if c == a)

    def conflict_free(self) -> set[Set]:
        return {s for s in self.subsets if not s & self.struck(s)}

    def admissible(self) -> set[Set]:
        return {s for s in self.conflict_free() if all(self.defends(s, a) for a in s)}

    def complete(self) -> set[Set]:
        return {s for s in self.admissible() if {a for a in self.arguments if self.defends(s, a)} == s}

    def grounded(self) -> set[Set]:
        now: Set = frozenset()
        while (more := frozenset(a for a in self.arguments if self.defends(now, a))) != now:
            now = more
        return {now}

    def preferred(self) -> set[Set]:
        return largest(self.admissible())

    def stable(self) -> set[Set]:
        return {s for s in self.conflict_free() if self.range(s) == self.arguments}

    def semi_stable(self) -> set[Set]:
        return self._of_largest_range(self.complete())

    def stage(self) -> set[Set]:
        return self._of_largest_range(self.conflict_free())

    def ideal(self) -> set[Set]:
        return self._largest_inside(self.preferred())

    def eager(self) -> set[Set]:
        return self._largest_inside(self.semi_stable())

    def _of_largest_range(self, sets: set[Set]) -> set[Set]:
        ranges = {s: self.range(s) for s in sets}
        return {s for s in sets if not any(ranges[s] < other for other in ranges.values())}

    def _largest_inside(self, sets: set[Set]) -> set[Set]:
        return largest({s for s in self.admissible() if all(s <= other for other in sets)})

    def extensions(self, semantics: str) -> set[Set]:
        found: set[Set] = getattr(self, semantics)()
        return found

    def mark(self, s: Set, a: str) -> str:
        """The label that an extension gives an argument."""
        return "in" if a in s else "out" if a in self.struck(s) else "undecided"


def largest(sets: Collection[Set]) -> set[Set]:
    return {s for s in sets if not any(s < t for t in sets)}


def ways(pairs: Iterable[Pair]) -> set[Pair]:
    """From whom a path of one or more steps leads to whom."""
    steps, now = set(pairs), set(pairs)
    while more := {(a, d) for a, b in now for c, d in steps if b == c} - now:
        now |= more
    return now


def attacks_under(attacks: set[Pair], supports: set[Pair], reading: str) -> set[Pair]:
    """Attacks in force: for an implication reading, a attacks b when what a implies attacks what b implies.

    General: direct, supported and secondary attacks (Cayrol & Lagasquie-Schiex 2005). Deductive: the
    supporter implies the supported; necessary: the supported implies the supporter (the same, 2013).
    """
    chains = ways(supports)
    if reading == "general":
        supported = {(a, d) for a, b in chains for c, d in attacks if b == c}
        secondary = {(a, d) for a, b in attacks for c, d in chains if b == c}
        return attacks | supported | secondary
    implies = chains if reading == "deductive" else {(b, a) for a, b in chains}
    names = {end for pair in chain(attacks, supports) for end in pair}
    implied = {a: {a} | {b for c, b in implies if c == a} for a in names}
    return {
        (a, b) for a in names for b in names if any((x, y) in attacks for x in implied[a] for y in implied[b])
    }


def removals(costs: dict[Pair, float], budget: float) -> Iterator[set[Pair]]:
    """Every set of attacks whose cost is within the budget."""
    for n in range(len(costs) + 1):
        for way in combinations(sorted(costs), n):
            if sum(costs[pair] for pair in way) <= budget + 1e-9:
                yield set(way)
