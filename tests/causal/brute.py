"""Definitions of causal graphs taken literally: every path, every subset. Slow, and independent of our code."""

from collections.abc import Iterable, Iterator
from itertools import chain, combinations, pairwise

from corpusgraph.tasks.analysis.causal.dag import CausalGraph

Step = tuple[str, bool, str, bool]
"""An edge as walked: from, whether it points at from, to, whether it points at to."""
Path = tuple[Step, ...]
Sets = set[frozenset[str]]


def subsets(some: Iterable[str]) -> Iterator[frozenset[str]]:
    """Yield every subset, the smaller first."""
    items = sorted(some)
    chosen = chain.from_iterable(combinations(items, size) for size in range(len(items) + 1))
    yield from map(frozenset, chosen)


def descendants(arrows: Iterable[tuple[str, str]], start: Iterable[str]) -> set[str]:
    """Return start and what arrows lead to, by repeating until nothing new comes."""
    found = set(start)
    arrows = list(arrows)
    while more := {b for a, b in arrows if a in found} - found:
        found |= more
    return found


def ancestors(arrows: Iterable[tuple[str, str]], start: Iterable[str]) -> set[str]:
    """Return start and what leads to it."""
    return descendants([(b, a) for a, b in arrows], start)


def paths(graph: CausalGraph, start: str, end: str) -> list[Path]:
    """Return every path without a repeated node, in a graph with bidirected edges."""
    steps: dict[str, list[Step]] = {node: [] for node in graph.nodes}
    for a, b in graph.arrows:
        steps[a].append((a, False, b, True))
        steps[b].append((b, True, a, False))
    for a, b in graph.bidirected:
        steps[a].append((a, True, b, True))
        steps[b].append((b, True, a, True))
    found: list[Path] = []

    def walk(node: str, path: Path, seen: frozenset[str]) -> None:
        if node == end:
            found.append(path)
            return
        for step in steps[node]:
            if step[2] not in seen:
                walk(step[2], (*path, step), seen | {step[2]})

    walk(start, (), frozenset({start}))
    return found


def is_open(graph: CausalGraph, path: Path, given: Iterable[str]) -> bool:
    """Tell whether a path is open: colliders have given descendants, other nodes are not given."""
    held = set(given)
    upstream = ancestors(graph.arrows, held)
    for before, after in pairwise(path):
        collider = before[3] and after[1]
        if (before[2] not in upstream) if collider else (before[2] in held):
            return False
    return True


def connected(graph: CausalGraph, left: Iterable[str], right: Iterable[str], given: Iterable[str]) -> bool:
    """Tell whether some path between two groups is open."""
    held = set(given)
    ends = [(a, b) for a in set(left) - held for b in set(right) - held]
    return any(a == b or any(is_open(graph, p, held) for p in paths(graph, a, b)) for a, b in ends)


def adjustment_sets(
    graph: CausalGraph, exposure: set[str], outcome: set[str], adjusted: frozenset[str] = frozenset()
) -> Sets:
    """Return the minimal sets of the generalised adjustment criterion (Perkovic et al. 2018, definition 4)."""
    proper = [
        p
        for x in exposure
        for y in outcome
        for p in paths(graph, x, y)
        if not {step[2] for step in p} & exposure
    ]
    causal = [p for p in proper if all(not step[1] and step[3] for step in p)]
    other = [p for p in proper if p not in causal]
    forbidden = descendants(graph.arrows, {step[2] for p in causal for step in p})
    free = set(graph.nodes) - exposure - outcome - graph.latent - adjusted
    if adjusted & forbidden or graph.latent & (exposure | outcome):
        return set()
    valid: list[frozenset[str]] = []
    for more in subsets(free - forbidden):
        smaller = any(one <= more | adjusted for one in valid)
        if not smaller and not any(is_open(graph, p, more | adjusted) for p in other):
            valid.append(more | adjusted)
    return set(valid)


def front_door_sets(graph: CausalGraph, exposure: set[str], outcome: set[str]) -> Sets:
    """Return the minimal sets of the front-door criterion (Pearl 2009, definition 3.3.3).

    For groups of variables as in Jeong, Tian & Bareinboim 2022, definition 1.
    """
    if graph.latent & (exposure | outcome):
        return set()
    silent = without_arrows_out_of(graph, exposure)
    joined = {node for node in set(graph.nodes) - exposure if connected(silent, exposure, {node}, ())}
    directed = [
        {step[2] for step in p}
        for x in exposure
        for y in outcome
        for p in paths(graph, x, y)
        if all(not step[1] and step[3] for step in p)
    ]
    found: list[frozenset[str]] = []
    for chosen in subsets(set(graph.nodes) - exposure - outcome - graph.latent - joined):
        if any(one <= chosen for one in found) or not all(nodes & chosen for nodes in directed):
            continue
        if not connected(without_arrows_out_of(graph, chosen), chosen, outcome, exposure):
            found.append(chosen)
    return set(found)


def without_arrows_out_of(graph: CausalGraph, some: Iterable[str]) -> CausalGraph:
    """Return the graph in which paths from these nodes are back-door paths."""
    kept = frozenset((a, b) for a, b in graph.arrows if a not in set(some))
    return CausalGraph(graph.nodes, kept, graph.bidirected, graph.latent)


def instruments(graph: CausalGraph, x: str, y: str) -> dict[str, Sets]:
    """Return, for each instrument, what can be conditioned on among ancestors of it and the outcome.

    Van der Zander, Textor & Liskiewicz 2015, for the total effect: all causal paths of x are cut at x.
    """
    if not {x, y}.isdisjoint(graph.latent):
        return {}
    causal = [p for p in paths(graph, x, y) if all(not s[1] and s[3] for s in p)]
    kept = graph.arrows - {(p[0][0], p[0][2]) for p in causal}
    cut = CausalGraph(graph.nodes, kept, graph.bidirected, graph.latent)
    barred = descendants(graph.arrows, {x, y}) | graph.latent
    found: dict[str, Sets] = {}
    for z in set(graph.nodes) - barred if causal else set():
        for given in subsets(ancestors(kept, {z, y}) - barred - {z}):
            if not connected(cut, {z}, {y}, given) and connected(graph, {z}, {x}, given):
                found.setdefault(z, set()).add(given)
    return found


def has_hedge(graph: CausalGraph, exposure: set[str], outcome: set[str]) -> bool:
    """Tell whether two c-forests with common roots forbid identification (Shpitser & Pearl 2006, theorem 4).

    The graph must have no latent nodes. Roots may be all nodes of the inner forest upstream of the outcome:
    more roots make more nodes upstream of them.
    """
    upstream = ancestors([(a, b) for a, b in graph.arrows if b not in exposure], outcome)
    districts = [group for group in subsets(graph.nodes) if group and _is_joined(graph, group)]
    for inner in districts:
        roots = inner & upstream
        if inner & exposure or not _leads_to(graph, inner, roots):
            continue
        for forest in districts:
            if inner < forest and forest & exposure and _leads_to(graph, forest, roots):
                return True
    return False


def _is_joined(graph: CausalGraph, group: frozenset[str]) -> bool:
    pairs = [(a, b) for a, b in graph.bidirected if a in group and b in group]
    return descendants([*pairs, *((b, a) for a, b in pairs)], {min(group)}) == group


def _leads_to(graph: CausalGraph, group: frozenset[str], roots: frozenset[str]) -> bool:
    return ancestors([(a, b) for a, b in graph.arrows if a in group and b in group], roots) == group


Statements = set[tuple[str, frozenset[str], frozenset[str]]]


def markov_statements(graph: CausalGraph, order: tuple[str, ...]) -> Statements:
    """Return the ordered local Markov property (Richardson 2003, section 3.1) as (node, others, given).

    For each node and each set that holds its own causes, the node is last, and which is the largest with its
    Markov blanket.
    """
    found = set()
    for at, node in enumerate(order):
        largest: dict[frozenset[str], set[str]] = {}
        for more in subsets(order[:at]):
            some = more | {node}
            if ancestors(graph.arrows, some) != some:
                continue
            pairs = [(a, b) for a, b in graph.bidirected if a in some and b in some]
            district = descendants([*pairs, *((b, a) for a, b in pairs)], {node})
            parents = {a for a, b in graph.arrows if b in district}
            largest.setdefault(frozenset(district | parents) - {node}, set()).update(some)
        for given, most in largest.items():
            if others := frozenset(most) - given - {node}:
                found.add((node, others, given))
    return found
