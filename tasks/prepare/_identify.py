"""The ID algorithm: whether an effect is identifiable from observations, and by which formula."""

from collections.abc import Collection
from dataclasses import dataclass

from corpusgraph.tasks.prepare._dag import CausalGraph, reachable
from corpusgraph.tasks.prepare._estimand import Expression, Sum, Term, product, quotient, sum_out

Group = frozenset[str]
Names = Collection[str]


@dataclass(frozen=True)
class HedgeFound:
    """Two confounded forests that share roots: why the effect cannot be identified."""

    forest: tuple[str, ...]
    inner: tuple[str, ...]


class _NotIdentifiableError(Exception):
    def __init__(self, hedge: HedgeFound) -> None:
        super().__init__()
        self.hedge = hedge


def identify(
    graph: CausalGraph, exposure: Collection[str], outcome: Collection[str]
) -> Expression | HedgeFound:
    """Return P(outcome | do(exposure)) in observed probabilities, or the hedge that forbids it.

    Algorithm ID of Shpitser & Pearl 2006, on the latent projection of the graph; sound and complete.
    """
    observed = graph.projected()
    joint = Term(observed.order())
    try:
        return _identify(frozenset(outcome), frozenset(exposure), joint, observed)
    except _NotIdentifiableError as reason:
        return reason.hedge


def _identify(outcome: Group, exposure: Group, joint: Expression, graph: CausalGraph) -> Expression:
    """Follow the seven lines of the algorithm."""
    nodes = frozenset(graph.nodes)
    if not exposure:
        return sum_out(nodes - outcome, joint)
    relevant = frozenset(graph.ancestors(outcome))
    if relevant != nodes:
        return _identify(
            outcome, exposure & relevant, sum_out(nodes - relevant, joint), graph.subgraph(relevant)
        )
    harmless = nodes - exposure - graph.cut(into=exposure).ancestors(outcome)
    if harmless:
        return _identify(outcome, exposure | harmless, joint, graph)
    districts = c_components(graph.subgraph(nodes - exposure))
    if len(districts) > 1:
        parts = [_identify(district, nodes - district, joint, graph) for district in districts]
        return sum_out(nodes - outcome - exposure, product(parts))
    return _within_one_district(outcome, exposure, joint, graph, districts[0])


def _within_one_district(
    outcome: Group, exposure: Group, joint: Expression, graph: CausalGraph, district: Group
) -> Expression:
    """Lines 5 to 7: what is left is one confounded group."""
    around = next(group for group in c_components(graph) if district <= group)
    if len(around) == len(graph.nodes):
        raise _NotIdentifiableError(HedgeFound(_in_order(graph, around), _in_order(graph, district)))
    factors = _factors(joint, graph, around)
    if around == district:
        return sum_out(district - outcome, factors)
    return _identify(outcome, exposure & around, factors, graph.subgraph(around))


def _factors(joint: Expression, graph: CausalGraph, group: Group) -> Expression:
    """Return the product of P(v | all before v) over a group."""
    order = graph.order()
    parts: list[Expression] = []
    for at, node in enumerate(order):
        if node not in group:
            continue
        if isinstance(joint, Term) and not joint.given:
            parts.append(Term((node,), order[:at]))
        else:
            parts.append(quotient(sum_out(order[at + 1 :], joint), sum_out(order[at:], joint)))
    return product(parts)


def c_components(graph: CausalGraph) -> list[Group]:
    """Return the groups of nodes joined by bidirected edges, in the order of their first nodes."""
    near: dict[str, set[str]] = {node: set() for node in graph.nodes}
    for a, b in graph.bidirected:
        near[a].add(b)
        near[b].add(a)
    groups: list[Group] = []
    for node in graph.nodes:
        if not any(node in group for group in groups):
            groups.append(frozenset(reachable(near, [node])))
    return groups


def _in_order(graph: CausalGraph, group: Group) -> tuple[str, ...]:
    return tuple(node for node in graph.nodes if node in group)


def adjustment_formula(
    exposure: Collection[str], outcome: Collection[str], given: Collection[str]
) -> Expression:
    """Return the sum over z of P(outcome | exposure, z) P(z)."""
    effect = Term(tuple(outcome), (*exposure, *given))
    return Sum(tuple(given), product([effect, Term(tuple(given))])) if given else effect


def front_door_formula(
    exposure: Collection[str], outcome: Collection[str], given: Collection[str]
) -> Expression:
    """Return the sum over z of P(z | x) times the sum over x' of P(y | x', z) P(x')."""
    if not given:
        return Term(tuple(outcome))
    inner = Sum(tuple(exposure), product([Term(tuple(outcome), (*exposure, *given)), Term(tuple(exposure))]))
    return Sum(tuple(given), product([Term(tuple(given), tuple(exposure)), inner]))
