"""Front-door sets: found in polynomial time, and all minimal ones listed."""

from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from corpusgraph.tasks._steps import step
from corpusgraph.tasks.prepare.causal.adjustment import MAX_SETS, Listing, Query, listing
from corpusgraph.tasks.prepare.causal.dag import CausalGraph, reachable

Group = frozenset[str]

MAX_WORK = 1_000_000
"""Searches through the graph times its nodes, at most; a listing that needs more is cut."""


@dataclass
class _Search:
    """The query on its canonical graph, with what is known of sets tried before."""

    query: Query
    graph: CausalGraph
    left: int

    def largest(self, allowed: Group) -> Group:
        """Return the largest subset that no open back-door path joins to the outcome, given the exposure.

        A node that such a path reaches while the others of the set let nothing out is reached in every
        smaller set too, so that it can be left out for good (Jeong, Tian & Bareinboim 2022).
        """
        kept = allowed
        while kept:
            self.left -= 1
            reached = self.graph.connected(self.query.outcome, self.query.exposure, kept) & kept
            if not reached:
                return kept
            kept -= reached
        return kept

    def holds(self, allowed: Group) -> bool:
        """Tell whether a front-door set lies within the allowed nodes."""
        chosen = self.largest(allowed)
        children = self.graph.children
        open_paths = {node: children[node] - chosen for node in self.graph.nodes}
        return reachable(open_paths, self.query.exposure).isdisjoint(self.query.outcome)


def front_door_sets(query: Query, limit: int = MAX_SETS) -> Listing:
    """Return the minimal sets that satisfy the front-door criterion (Pearl 1995; Jeong et al. 2022).

    One set takes polynomial time; the others follow by leaving out members of those found (Reiter 1987).
    """
    graph = query.graph.canonical()
    if not query.observable or query.selected:
        return Listing(())
    search = _Search(query, graph, max(200, MAX_WORK // len(graph.nodes)))
    behind = graph.connected(query.exposure, frozenset(), query.exposure)
    useful = graph.ancestors(query.outcome) - behind - graph.latent - query.exposure - query.outcome
    candidates = [node for node in query.graph.nodes if node in useful]
    return _all_minimal(search, candidates, limit)


def _all_minimal(search: _Search, candidates: Sequence[str], limit: int) -> Listing:
    found: list[Group] = []
    seen: set[Group] = {frozenset()}
    empty: list[Group] = []
    queue = deque([frozenset[str]()])
    while queue:
        step("front-door sets looked at", len(seen))
        if len(found) > limit or search.left < 0:
            return listing(found[:limit], search.query.graph, complete=False)
        barred = queue.popleft()
        if any(hopeless <= barred for hopeless in empty):
            continue
        known = next((one for one in found if not one & barred), None)
        if known is None:
            allowed = [node for node in candidates if node not in barred]
            if not search.holds(frozenset(allowed)):
                empty.append(barred)
                continue
            known = _minimal(search.holds, (), allowed)
            found.append(known)
        for node in sorted(known):
            if (further := barred | {node}) not in seen:
                seen.add(further)
                queue.append(further)
    return listing(found, search.query.graph)


def _minimal(holds: Callable[[Group], bool], base: Sequence[str], allowed: Sequence[str]) -> Group:
    """Return a minimal part of `allowed` that, with `base`, holds; by halving (Junker 2004, QuickXplain)."""
    if holds(frozenset(base)):
        return frozenset()
    if len(allowed) == 1:
        return frozenset(allowed)
    half = len(allowed) // 2
    first, second = allowed[:half], allowed[half:]
    later = _minimal(holds, (*base, *first), second)
    return later | _minimal(holds, (*base, *sorted(later)), first)
