"""What a causal graph predicts and data can refute: conditional independencies."""

from collections import Counter, deque
from collections.abc import Iterator
from itertools import combinations, islice

from corpusgraph.tasks.analysis.causal.dag import CausalGraph, reachable
from corpusgraph.tasks.analysis.causal.identification import listing, minimal_separators
from corpusgraph.tasks.progress import counted

Statement = tuple[str, tuple[str, ...], tuple[str, ...]]
"""A variable, the variables it is independent of together, and what is held fixed."""


def basis(graph: CausalGraph) -> Iterator[Statement]:
    """Yield the ordered local Markov property of the latent projection.

    In a topological order, each variable given its Markov blanket in each ancestral set of those before it;
    without latent causes, each given its parents. Polynomial time between two.

    Parameters
    ----------
    graph : CausalGraph
        With latent nodes and bidirected edges.

    Yields
    ------
    tuple of (str, tuple of str, tuple of str)
        A variable, those it is independent of together, and what is held fixed.

    References
    ----------
    Richardson 2003; Jeong et al. 2024.

    """
    observed = graph.projected()
    before: set[str] = set()
    for node in observed.order():
        before.add(node)
        for group in _groups(observed, node, before):
            yield from _statement(observed, node, before, group)


def _groups(graph: CausalGraph, node: str, before: set[str]) -> Iterator[frozenset[str]]:
    """Yield each confounded group the node has in some ancestral set of those before it."""
    fixed, seen = graph.ancestors([node]), set[frozenset[str]]()
    queue = deque([frozenset(before)])
    while queue:
        inside = queue.popleft()
        group = frozenset(reachable({one: graph.spouses[one] & inside for one in inside}, [node]))
        if group not in seen:
            seen.add(group)
            yield group
            queue += [inside - graph.descendants([gone]) for gone in sorted(group - fixed)]


def _statement(graph: CausalGraph, node: str, before: set[str], group: frozenset[str]) -> Iterator[Statement]:
    """Yield what the node is independent of in the largest ancestral set where this is its group."""
    neighbours = frozenset().union(*(graph.spouses[one] for one in group)) - group
    largest = before - graph.descendants(neighbours & before)
    blanket = group.union(*(graph.parents[one] for one in group)) - {node}
    if others := largest - blanket - {node}:
        yield node, _ordered(graph, others), _ordered(graph, blanket)


def _ordered(graph: CausalGraph, some: set[str] | frozenset[str]) -> tuple[str, ...]:
    return tuple(node for node in graph.nodes if node in some)


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

    Parameters
    ----------
    graph : CausalGraph
        The causal graph.
    selected : frozenset of str
        Nodes that decide who is in the sample.

    Returns
    -------
    statements : list of (str, str, tuple of str)
        x, y, and what is held fixed.
    left_out : str
        What was left out, or nothing.

    """
    if len(graph.observed) > MAX_PAIRWISE:
        statements = () if selected else basis(graph)
        pairs = ((node, other, given) for node, others, given in statements for other in others)
        found = list(islice(pairs, MAX_LISTED))
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
        moral = graph.moral({a, b} | selected, selected)
        cuts = islice(minimal_separators(moral, {a}, {b}, graph.latent), MAX_PER_PAIR)
        for cut in listing(cuts, given).sets:
            yield a, b, cut


def basis_set(graph: CausalGraph, selected: frozenset[str] = frozenset()) -> tuple[list[Statement], str]:
    """Return statements from which every independence among the observed follows, and what is left out.

    There is none for a selected sample: what selection leaves independent is listed pair by pair.

    Parameters
    ----------
    graph : CausalGraph
        The causal graph.
    selected : frozenset of str
        Nodes that decide who is in the sample.

    Returns
    -------
    statements : list of (str, tuple of str, tuple of str)
        x, all others, and what is held fixed.
    left_out : str
        What was left out, or nothing.

    References
    ----------
    Richardson (2003), Scand. J. Stat. 30(1), 145-157.

    """
    found: list[Statement] = []
    names = 0
    for statement in () if selected else basis(graph):
        names += len(statement[1]) + len(statement[2])
        if len(found) == MAX_LISTED or names > MAX_NAMES:
            return found, f"The basis set was cut at {len(found)} statements; there are more."
        found.append(statement)
    return found, ""
