"""What a causal graph predicts and data can refute: conditional independencies."""

from collections import Counter
from collections.abc import Iterator
from itertools import combinations, islice

from corpusgraph.tasks.prepare._adjustment import listing
from corpusgraph.tasks.prepare._dag import CausalGraph
from corpusgraph.tasks.prepare._separators import minimal_separators

Independence = tuple[str, str, tuple[str, ...]]
"""The first variable is independent of the second, given the others."""

MAX_PAIRWISE = 40
"""Observed nodes up to which every pair is looked at; above, the local Markov basis is listed."""

MAX_LISTED = 1000
"""Independencies listed at most."""

MAX_PER_PAIR = 10
"""Minimal separating sets listed for one pair of variables."""


def independencies(
    graph: CausalGraph, selected: frozenset[str] = frozenset()
) -> tuple[list[Independence], str]:
    """Return implied conditional independencies in the order of the nodes, and what was left out of them.

    Up to `MAX_PAIRWISE` observed nodes: for each pair without an edge, its minimal separating sets.
    Above: each node against every earlier non-descendant given its parents (local Markov property),
    for nodes without latent kin.
    """
    if len(graph.observed) > MAX_PAIRWISE:
        found = list(islice(_local_markov(graph, selected), MAX_LISTED))
        return found, (
            f"Above {MAX_PAIRWISE} observed variables, independencies are those of each variable from its"
            f" non-descendants given its parents, for variables without latent kin; at most {MAX_LISTED}."
        )
    found = list(_pairwise(graph.canonical(), selected, graph))
    per_pair = Counter((x, y) for x, y, _ in found)
    cut = f"At most {MAX_PER_PAIR} separating sets are listed for a pair of variables."
    return found, cut if max(per_pair.values(), default=0) == MAX_PER_PAIR else ""


def _pairwise(graph: CausalGraph, selected: frozenset[str], given: CausalGraph) -> Iterator[Independence]:
    for a, b in combinations(given.observed, 2):
        if {a, b} & selected or (a, b) in graph.arrows or (b, a) in graph.arrows:
            continue
        moral = graph.moral({a, b} | selected)
        open_graph = {node: near - selected for node, near in moral.items() if node not in selected}
        cuts = islice(minimal_separators(open_graph, {a}, {b}, graph.latent), MAX_PER_PAIR)
        for cut in listing(cuts, given).sets:
            yield a, b, cut


def _local_markov(graph: CausalGraph, selected: frozenset[str]) -> Iterator[Independence]:
    if selected:
        return
    order = graph.order()
    confounded = {node for pair in graph.bidirected for node in pair}
    for at, node in enumerate(order):
        parents = graph.parents[node]
        if node in graph.latent | confounded or parents & graph.latent:
            continue
        for earlier in order[:at]:
            if earlier not in parents | graph.latent:
                yield node, earlier, listing([parents], graph).sets[0]
