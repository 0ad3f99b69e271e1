"""Abstract argumentation frameworks (Dung 1995): attacks, the grounded labelling, components."""

from collections import deque
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import compress
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from corpusgraph.tasks.graph.compiled import in_order, starts

Label = Literal["accepted", "rejected", "undecided"]
Pair = tuple[str, str]
Places = NDArray[np.int64]
Marks = NDArray[np.int8]

UNDECIDED, ACCEPTED, REJECTED = 0, 1, 2
"""Marks of a labelling: neither, in the extension, attacked by it."""


@dataclass(frozen=True, eq=False)
class Framework:
    """An abstract argumentation framework: `sources[i]` attacks `targets[i]`, both by place.

    Attacks are in order of source, then target, each once. Arrays hold a million arguments where names in
    sets would not fit.

    Attributes
    ----------
    arguments : tuple of str
        n arguments, in the order given.
    sources, targets : array of int, shape (m,)
        Places of who attacks and who is attacked.

    References
    ----------
    Dung 1995.

    """

    arguments: tuple[str, ...]
    sources: Places
    targets: Places

    @classmethod
    def of(cls, arguments: Sequence[str], attacks: Iterable[Pair] = ()) -> "Framework":
        """Return the framework of attacks given by name.

        Parameters
        ----------
        arguments : sequence of str
            Each once.
        attacks : iterable of (str, str)
            (attacker, attacked), both among the arguments.

        Returns
        -------
        Framework
            Arguments in the order given; an attack stated twice is one.

        """
        at, size = {a: i for i, a in enumerate(arguments)}, max(1, len(arguments))
        keys = np.array(sorted({at[a] * size + at[b] for a, b in attacks}), dtype=np.int64)
        return cls(tuple(arguments), keys // size, keys % size)

    @cached_property
    def place(self) -> Mapping[str, int]:
        """The place of each argument in the order given."""
        return {a: i for i, a in enumerate(self.arguments)}

    @cached_property
    def pairs(self) -> list[tuple[int, int]]:
        """The attacks by place, in order."""
        return list(zip(self.sources.tolist(), self.targets.tolist(), strict=True))

    @cached_property
    def attacks(self) -> frozenset[Pair]:
        """The attacks by name."""
        return frozenset((self.arguments[a], self.arguments[b]) for a, b in self.pairs)

    @cached_property
    def struck_by(self) -> list[list[int]]:
        """Places of whom each argument attacks, by place."""
        return _lists(len(self.arguments), self.sources, self.targets)

    @cached_property
    def strikers(self) -> list[list[int]]:
        """Places of who attacks each argument, by place."""
        return _lists(len(self.arguments), self.targets, self.sources)

    def named(self, chosen: Iterable[int]) -> tuple[str, ...]:
        """Return the arguments at these places.

        Parameters
        ----------
        chosen : iterable of int
            Places.

        Returns
        -------
        tuple of str
            In the order of `chosen`.

        """
        return tuple(self.arguments[i] for i in chosen)

    def by_size(self, sets: Iterable[Collection[str]]) -> list[tuple[str, ...]]:
        """Return sets of arguments in order of size, then of their arguments.

        Parameters
        ----------
        sets : iterable of collection of str
            Sets of arguments.

        Returns
        -------
        list of tuple of str
            Each in the framework's order.

        """
        rows = [sorted(self.place[a] for a in one) for one in sets]
        return [self.named(row) for row in sorted(rows, key=lambda row: (len(row), row))]

    def marked(self, mask: NDArray[np.bool_]) -> tuple[str, ...]:
        """Return the arguments that are marked, in the framework's order.

        Parameters
        ----------
        mask : array of bool, shape (n,)
            A mark for each argument.

        Returns
        -------
        tuple of str
            Empty where none is marked.

        """
        return tuple(compress(self.arguments, mask.tolist()))

    def without(self, dropped: Collection[int]) -> "Framework":
        """Return the framework with the attacks at these positions left out.

        Parameters
        ----------
        dropped : collection of int
            Positions in `sources` and `targets`.

        Returns
        -------
        Framework
            A new one, of the same arguments.

        """
        gone = list(dropped)
        return Framework(self.arguments, np.delete(self.sources, gone), np.delete(self.targets, gone))

    def among(self, members: Sequence[int]) -> "Framework":
        """Return the framework of the arguments at these places, which are in order.

        Parameters
        ----------
        members : sequence of int
            Places, in order.

        Returns
        -------
        Framework
            With the attacks between them.

        """
        new = np.full(len(self.arguments), -1, dtype=np.int64)
        new[np.asarray(members, dtype=np.int64)] = np.arange(len(members))
        sources, targets = new[self.sources], new[self.targets]
        inside = (sources >= 0) & (targets >= 0)
        return Framework(self.named(members), sources[inside], targets[inside])

    def struck(self, chosen: NDArray[np.bool_]) -> NDArray[np.bool_]:
        """Return, by place, who is attacked by a chosen argument.

        Parameters
        ----------
        chosen : array of bool, shape (n,)
            Who is chosen, by place.

        Returns
        -------
        array of bool, shape (n,)
            False for an argument that no chosen one attacks.

        """
        found = np.zeros(len(self.arguments), dtype=bool)
        found[self.targets[chosen[self.sources]]] = True
        return found

    @cached_property
    def grounded(self) -> Marks:
        """The grounded labelling by place, in time linear in the attacks.

        Returns
        -------
        array of int, shape (n,)
            `UNDECIDED`, `ACCEPTED` or `REJECTED` for each argument.

        References
        ----------
        Modgil & Caminada 2009.

        """
        marks = [UNDECIDED] * len(self.arguments)
        threats = np.bincount(self.targets, minlength=len(self.arguments)).tolist()
        near, starts = _grouped(len(self.arguments), self.sources, self.targets)
        safe = deque(a for a, number in enumerate(threats) if not number)
        while safe:
            winner = safe.popleft()
            marks[winner] = ACCEPTED
            for loser in near[starts[winner] : starts[winner + 1]]:
                if marks[loser] != UNDECIDED:
                    continue
                marks[loser] = REJECTED
                for freed in near[starts[loser] : starts[loser + 1]]:
                    threats[freed] -= 1
                    if not threats[freed] and marks[freed] == UNDECIDED:
                        safe.append(freed)
        return np.array(marks, dtype=np.int8)

    def components(self, links: Iterable[Pair] = ()) -> list["Framework"]:
        """Return the parts that no attack (and no link) joins, in order of their first argument.

        Parameters
        ----------
        links : iterable of (str, str)
            What joins arguments beside attacks.

        Returns
        -------
        list of Framework
            Each with its own attacks, its arguments in their order here; one of a single argument where it
            stands alone.

        """
        from scipy.sparse import coo_array, csgraph

        size = len(self.arguments)
        if not size:
            return []
        more = [(self.place[a], self.place[b]) for a, b in links]
        rows = np.concatenate([self.sources, np.array([a for a, _ in more], dtype=np.int64)])
        columns = np.concatenate([self.targets, np.array([b for _, b in more], dtype=np.int64)])
        joined = coo_array((np.ones(len(rows), dtype=np.int8), (rows, columns)), shape=(size, size))
        number, label = csgraph.connected_components(joined, directed=False)  # by first argument
        part_of = label.astype(np.int64)
        parts = _lists(number, part_of, np.arange(size))
        attacks = _lists(number, part_of[self.sources], np.arange(len(self.sources)))
        inner = np.zeros(size, dtype=np.int64)
        for part in parts:
            inner[part] = np.arange(len(part))
        return [
            Framework(self.named(part), inner[self.sources[at]], inner[self.targets[at]])
            for part, at in zip(parts, attacks, strict=True)
        ]

    def defended_part(self, chosen: Collection[str]) -> frozenset[str]:
        """Return the largest subset of a conflict-free set that defends itself.

        Parameters
        ----------
        chosen : collection of str
            Arguments of which none attacks another.

        Returns
        -------
        frozenset of str
            Unique (Dung 1995): members that an attacker outside threatens unanswered are left out until none
            is.

        """
        kept = {self.place[a] for a in chosen}
        while True:
            struck = {loser for a in kept for loser in self.struck_by[a]}
            weak = {a for a in kept if not struck.issuperset(self.strikers[a])}
            if not weak:
                return frozenset(self.named(kept))
            kept -= weak


def _lists(size: int, keys: Places, values: Places) -> list[list[int]]:
    """Group values by key; both are places."""
    ordered, starts = _grouped(size, keys, values)
    return [ordered[starts[a] : starts[a + 1]] for a in range(size)]


def _grouped(size: int, keys: Places, values: Places) -> tuple[list[int], list[int]]:
    """Return the values in order of their keys, and where those of each key start."""
    return values[in_order(keys, size)].tolist(), starts(keys, size).tolist()
