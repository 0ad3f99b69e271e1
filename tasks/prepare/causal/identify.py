"""Whether an effect is identifiable from observations, and by which formula."""

from collections.abc import Collection
from dataclasses import dataclass

from corpusgraph.tasks.prepare.causal.dag import CausalGraph, reachable
from corpusgraph.tasks.prepare.causal.estimand import Expression, Sum, Term, product, quotient, sum_out

Group = frozenset[str]

MAX_TERMS = 2000
"""Probabilities a formula may have; a longer one is not written down."""


@dataclass(frozen=True)
class HedgeFound:
    """Two confounded forests that share roots: why the effect cannot be identified."""

    forest: tuple[str, ...]
    inner: tuple[str, ...]


Answer = Expression | HedgeFound | None
"""A formula; why there is none; or None where the effect is identifiable by a formula too long to write."""


def identify(graph: CausalGraph, exposure: Collection[str], outcome: Collection[str]) -> Answer:
    """Return P(outcome | do(exposure)) in observed probabilities, or the hedge that forbids it.

    Sound and complete, in polynomial time (Tian & Pearl 2002; Huang & Valtorta 2006; the hedge as in
    Shpitser & Pearl 2006), on the latent projection of the graph.
    """
    projected = graph.projected()
    relevant = projected.subgraph(projected.ancestors(outcome))
    nodes = frozenset(relevant.nodes)
    if nodes.isdisjoint(exposure):
        return Term(tuple(node for node in relevant.nodes if node in set(outcome)))
    needed = relevant.subgraph(nodes - set(exposure))
    needed = needed.subgraph(needed.ancestors(outcome))
    around = {node: group for group in c_components(relevant) for node in group}
    parts: list[Expression | None] = []
    for district in c_components(needed):
        group = around[min(district)]
        part = _within(relevant, district, group, _district_factor(relevant, group))
        if isinstance(part, HedgeFound):
            return part
        parts.append(part)
    known = [part for part in parts if part is not None]
    if len(known) < len(parts):
        return None
    return _short(sum_out(set(needed.nodes) - set(outcome), product(known)))


def identify_given(
    graph: CausalGraph, exposure: Collection[str], outcome: Collection[str], given: Collection[str]
) -> Answer:
    """Return P(outcome | do(exposure), given): algorithm IDC of Shpitser & Pearl 2006.

    What is given acts like a further intervention where the second rule of do-calculus allows it.
    """
    projected = graph.projected()
    done, seen = set(exposure), set(given)
    while (node := _exchangeable(projected, done, set(outcome), seen)) is not None:
        seen.remove(node)
        done.add(node)
    joint = identify(graph, done, {*outcome, *seen})
    if joint is None or isinstance(joint, HedgeFound) or not seen:
        return joint
    return _short(quotient(joint, sum_out(outcome, joint)))


def _exchangeable(graph: CausalGraph, done: set[str], outcome: set[str], seen: set[str]) -> str | None:
    for node in sorted(seen):
        mutilated = graph.cut(into=done, out_of={node}).canonical()
        if mutilated.separated(outcome, {node}, done | seen - {node}):
            return node
    return None


def _within(graph: CausalGraph, district: Group, group: Group, factor: Expression | None) -> Answer:
    """Return the factor of a district from that of a confounded group around it."""
    inside = graph.subgraph(group)
    upstream = frozenset(inside.ancestors(district))
    if upstream == district:
        return factor and _short(sum_out(group - district, factor))
    if upstream == group:
        return HedgeFound(_in_order(graph, group), _in_order(graph, district))
    reduced = factor and _short(sum_out(group - upstream, factor))
    narrower = next(one for one in c_components(inside.subgraph(upstream)) if district <= one)
    order = inside.subgraph(upstream).order()
    return _within(graph, district, narrower, reduced and _short(_ratio(reduced, order, narrower)))


def _ratio(factor: Expression, order: tuple[str, ...], group: Group) -> Expression:
    """Return the product, over a group, of each node's probability given all before it."""
    parts = [
        quotient(sum_out(order[at + 1 :], factor), sum_out(order[at:], factor))
        for at, node in enumerate(order)
        if node in group
    ]
    return product(parts)


def _district_factor(graph: CausalGraph, group: Group) -> Expression:
    """Return the product of P(v | Markov blanket of v among those before it) (Tian & Pearl 2002)."""
    before: list[str] = []
    parts: list[Expression] = []
    near = graph.subgraph(group).spouses
    for node in graph.order():
        if node not in group:
            continue
        before.append(node)
        earlier = set(before)
        joined = reachable({one: near[one] & earlier for one in before}, [node])
        blanket = joined.union(*(graph.parents[one] for one in joined)) - {node}
        parts.append(Term((node,), _in_order(graph, frozenset(blanket))))
    return product(parts)


def _short(expression: Expression) -> Expression | None:
    return expression if expression.size <= MAX_TERMS else None


def c_components(graph: CausalGraph) -> list[Group]:
    """Return the groups of nodes joined by bidirected edges, in the order of their first nodes."""
    done: set[str] = set()
    groups: list[Group] = []
    for node in graph.nodes:
        if node not in done:
            groups.append(frozenset(reachable(graph.spouses, [node])))
            done |= groups[-1]
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
