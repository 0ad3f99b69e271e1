"""What a causal graph predicts and data can refute: conditional independencies."""

from collections import Counter
from collections.abc import Iterator
from itertools import combinations, islice

from corpusgraph.tasks._steps import counted
from corpusgraph.tasks.prepare.causal.adjustment import listing
from corpusgraph.tasks.prepare.causal.basis import Statement, basis
from corpusgraph.tasks.prepare.causal.dag import CausalGraph
from corpusgraph.tasks.prepare.causal.separators import minimal_separators

Independence = tuple[str, str, tuple[str, ...]]
"""The first variable is independent of the second, given the others."""

MAX_PAIRWISE = 40
"""Observed nodes up to which every pair is looked at; above, the basis set is listed."""

MAX_LISTED = 1000
"""Independencies listed at most."""

MAX_NAMES = 20_000
"""Names that all statements of the basis set may hold together."""

MAX_PER_PAIR = 10
"""Minimal separating sets listed for one pair of variables."""


def independencies(
    graph: CausalGraph, selected: frozenset[str] = frozenset()
) -> tuple[list[Independence], str]:
    """Return implied conditional independencies in the order of the nodes, and what was left out of them.

    Up to `MAX_PAIRWISE` observed nodes: for each pair without an edge, its minimal separating sets.
    Above: the statements of the basis set, one pair at a time.
    """
    if len(graph.observed) > MAX_PAIRWISE:
        found = list(islice(_one_by_one(graph, selected), MAX_LISTED))
        none = ", and none in a selected sample" if selected else ""
        return found, (
            f"Above {MAX_PAIRWISE} observed variables, independencies are those of each variable from earlier"
            f" ones given its Markov blanket, at most {MAX_LISTED}{none}."
        )
    found = list(_pairwise(graph.canonical(), selected, graph))
    per_pair = Counter((x, y) for x, y, _ in found)
    cut = f"At most {MAX_PER_PAIR} separating sets are listed for a pair of variables."
    return found, cut if max(per_pair.values(), default=0) == MAX_PER_PAIR else ""


def _pairwise(graph: CausalGraph, selected: frozenset[str], given: CausalGraph) -> Iterator[Independence]:
    for a, b in counted(combinations(given.observed, 2), "pairs of variables", every=16):
        if {a, b} & selected or (a, b) in graph.arrows or (b, a) in graph.arrows:
            continue
        moral = graph.moral({a, b} | selected)
        open_graph = {node: near - selected for node, near in moral.items() if node not in selected}
        cuts = islice(minimal_separators(open_graph, {a}, {b}, graph.latent), MAX_PER_PAIR)
        for cut in listing(cuts, given).sets:
            yield a, b, cut


def _one_by_one(graph: CausalGraph, selected: frozenset[str]) -> Iterator[Independence]:
    """Yield the statements of the basis set with one variable on either side."""
    for node, others, given in () if selected else basis(graph):
        for other in others:
            yield node, other, given


def basis_set(graph: CausalGraph, selected: frozenset[str] = frozenset()) -> tuple[list[Statement], str]:
    """Return statements from which every independence among the observed follows, and what is left out.

    There is none for a selected sample: what selection leaves independent is listed pair by pair.
    """
    found: list[Statement] = []
    names = 0
    for statement in () if selected else basis(graph):
        names += len(statement[1]) + len(statement[2])
        if len(found) == MAX_LISTED or names > MAX_NAMES:
            return found, f"The basis set was cut at {len(found)} statements; there are more."
        found.append(statement)
    return found, ""
