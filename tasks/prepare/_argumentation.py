"""Abstract argumentation frameworks (Dung 1995): attacks, the grounded labelling, components."""

from collections import deque
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Literal

from corpusgraph.tasks.prepare._dag import reachable

Label = Literal["accepted", "rejected", "undecided"]
Pair = tuple[str, str]


@dataclass(frozen=True)
class Framework:
    """Arguments in the order given, and attacks (attacker, attacked)."""

    arguments: tuple[str, ...]
    attacks: frozenset[Pair]

    @cached_property
    def attackers(self) -> Mapping[str, tuple[str, ...]]:
        """Who attacks each argument."""
        return _lists(self.arguments, ((target, source) for source, target in self.attacks))

    @cached_property
    def targets(self) -> Mapping[str, tuple[str, ...]]:
        """Whom each argument attacks."""
        return _lists(self.arguments, self.attacks)

    def among(self, keep: Collection[str]) -> "Framework":
        """Return the framework of some of the arguments."""
        inside = frozenset((a, b) for a, b in self.attacks if a in keep and b in keep)
        return Framework(tuple(a for a in self.arguments if a in keep), inside)

    def in_order(self, chosen: Collection[str]) -> tuple[str, ...]:
        """Return arguments in the framework's order."""
        return tuple(a for a in self.arguments if a in chosen)

    def grounded(self) -> dict[str, Label]:
        """Return the grounded labelling, in time linear in the attacks (Modgil & Caminada 2009)."""
        label: dict[str, Label] = dict.fromkeys(self.arguments, "undecided")
        threats = {a: len(self.attackers[a]) for a in self.arguments}
        safe = deque(a for a in self.arguments if not threats[a])
        while safe:
            winner = safe.popleft()
            label[winner] = "accepted"
            for loser in self.targets[winner]:
                if label[loser] != "undecided":
                    continue
                label[loser] = "rejected"
                for freed in self.targets[loser]:
                    threats[freed] -= 1
                    if not threats[freed] and label[freed] == "undecided":
                        safe.append(freed)
        return label

    def components(self, links: Iterable[Pair] = ()) -> list["Framework"]:
        """Return the parts that no attack (and no link) joins."""
        near: dict[str, set[str]] = {a: set() for a in self.arguments}
        for a, b in (*self.attacks, *links):
            near[a].add(b)
            near[b].add(a)
        place = {a: i for i, a in enumerate(self.arguments)}
        done: set[str] = set()
        parts = []
        for argument in self.arguments:
            if argument not in done:
                group = reachable(near, [argument])
                done |= group
                members = tuple(sorted(group, key=place.__getitem__))
                inside = frozenset((a, b) for a in members for b in self.targets[a])
                parts.append(Framework(members, inside))
        return parts

    def defended_part(self, chosen: Collection[str]) -> frozenset[str]:
        """Return the largest subset of a conflict-free set that defends itself."""
        kept = set(chosen)
        while True:
            struck = {loser for a in kept for loser in self.targets[a]}
            weak = {a for a in kept if not struck.issuperset(self.attackers[a])}
            if not weak:
                return frozenset(kept)
            kept -= weak


def _lists(arguments: Iterable[str], pairs: Iterable[Pair]) -> dict[str, tuple[str, ...]]:
    found: dict[str, list[str]] = {a: [] for a in arguments}
    for a, b in sorted(pairs):
        found[a].append(b)
    return {a: tuple(near) for a, near in found.items()}
