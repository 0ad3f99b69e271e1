"""What the structure of a causal graph says about an effect: sets, instruments, identifiability."""

from collections import deque
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations, islice
from typing import TypeGuard

from corpusgraph.schemas.base import JsonDict
from corpusgraph.schemas.results import warned
from corpusgraph.tasks.analysis.causal.dag import Adjacency, CausalGraph, reachable
from corpusgraph.tasks.analysis.causal.models import ConditionalEffect, Hedge, Instrument
from corpusgraph.tasks.analysis.causal.structure import Structure
from corpusgraph.tasks.progress import step

Names = tuple[str, ...]
LEFT, RIGHT = "\0left", "\0right"


def minimal_separators(
    adjacency: Adjacency, left: Collection[str], right: Collection[str], forbidden: Collection[str] = ()
) -> Iterator[frozenset[str]]:
    """Yield every minimal set of nodes, none of them forbidden, that cuts left from right.

    Nothing is yielded when no such set exists; the empty set alone when there is nothing to cut. Walks from
    the separator nearest to `left` outwards: polynomial time between two results.

    Parameters
    ----------
    adjacency : dict of str to set of str
        Node -> neighbours, of an undirected graph.
    left, right : collection of str
        The two sides.
    forbidden : collection of str
        Nodes that no set may have.

    Yields
    ------
    frozenset of str
        Nearest to `left` first; the order is the same every time.

    References
    ----------
    Shen & Liang (1997), Theor. Comput. Sci. 180; Berry, Bordat & Cogis (2000), Int. J. Found. Comput. Sci.
    11(3).

    """
    graph = _quotient(adjacency, left, right, set(forbidden) - set(left) - set(right))
    if RIGHT in graph[LEFT]:
        return
    first = _nearest(graph, {LEFT})
    seen, queue = {first}, deque([first])
    while queue:
        if not len(seen) % 64:
            step("separating sets found", len(seen))
        cut = queue.popleft()
        yield cut
        side = reachable(graph, [LEFT], cut)
        for node in sorted(cut - graph[RIGHT]):
            further = _nearest(graph, side | {node})
            if further not in seen:
                seen.add(further)
                queue.append(further)


def _nearest(graph: Adjacency, side: set[str]) -> frozenset[str]:
    """Return the minimal separator nearest to a connected set around LEFT."""
    boundary = set().union(*(graph[node] for node in side)) - side
    far = reachable(graph, [RIGHT], boundary)
    return frozenset(node for node in boundary if not graph[node].isdisjoint(far))


def _quotient(
    adjacency: Adjacency, left: Collection[str], right: Collection[str], forbidden: set[str]
) -> Adjacency:
    """Contract left and right to one node each, and bypass the nodes that may not be chosen."""
    import networkx as nx

    graph = nx.Graph(adjacency)
    for group in list(nx.connected_components(graph.subgraph(forbidden))):
        graph.add_edges_from(combinations(nx.node_boundary(graph, group), 2))
    graph.remove_nodes_from(forbidden)
    ends = nx.relabel_nodes(graph, dict.fromkeys(left, LEFT) | dict.fromkeys(right, RIGHT))
    ends.remove_edges_from(list(nx.selfloop_edges(ends)))
    return {LEFT: set(), RIGHT: set(), **{node: set(near) for node, near in ends.adjacency()}}


MAX_SETS = 1000
"""Sets listed at most of one kind; a longer list is cut and said to be."""


@dataclass(frozen=True)
class Query:
    """The effect of `exposure` on `outcome` in a causal graph.

    Attributes
    ----------
    graph : CausalGraph
        The graph.
    exposure, outcome : frozenset of str
        Nodes.
    adjusted : frozenset of str
        Nodes conditioned on in any case.
    selected : frozenset of str
        Nodes that decide who is in the sample.

    """

    graph: CausalGraph
    exposure: frozenset[str]
    outcome: frozenset[str]
    adjusted: frozenset[str] = frozenset()
    selected: frozenset[str] = frozenset()

    @property
    def observable(self) -> bool:
        """Whether exposure and outcome are both observed."""
        return self.graph.latent.isdisjoint(self.exposure | self.outcome)

    def on_causal_paths(self) -> set[str]:
        """Return the nodes other than the exposure on proper causal paths to the outcome.

        Returns
        -------
        set of str
            With the outcome, where it is reached: no proper adjustment set may hold one or a descendant of
            one.

        """
        away = self.graph.cut(into=self.exposure).descendants(self.exposure) - self.exposure
        return away & self.graph.cut(out_of=self.exposure).ancestors(self.outcome)


@dataclass(frozen=True)
class Listing:
    """Sets of nodes in order of size, then of names as the graph has them.

    Attributes
    ----------
    sets : tuple of tuple of str
    complete : bool
        False when the list was cut.

    """

    sets: tuple[tuple[str, ...], ...]
    complete: bool = True


def listing(sets: Iterable[frozenset[str]], graph: CausalGraph, complete: bool = True) -> Listing:
    """Order sets by size and their members as the graph has them.

    Parameters
    ----------
    sets : iterable of frozenset of str
        Sets of nodes.
    graph : CausalGraph
        Its nodes give the order.
    complete : bool
        Whether these are all.

    Returns
    -------
    Listing
        Smallest first; `complete` says whether the search came to its end.

    """
    place = {node: i for i, node in enumerate(graph.nodes)}
    rows = sorted((sorted(map(place.__getitem__, found)) for found in sets), key=lambda row: (len(row), row))
    return Listing(tuple(tuple(graph.nodes[at] for at in row) for row in rows), complete)


def adjustment_sets(query: Query, limit: int = MAX_SETS) -> Listing:
    """Return all minimal adjustment sets: no set when none exists, the empty set when nothing is needed.

    Sets of the generalised adjustment criterion, listed as minimal separators of the proper back-door graph;
    with selected nodes, those of the criterion of type 1 for selection.

    Parameters
    ----------
    query : Query
        Exposure, outcome, and what is adjusted for or selected on.
    limit : int
        Sets listed at most.

    Returns
    -------
    Listing
        Sets of ids in order of size.

    References
    ----------
    Shpitser, VanderWeele & Robins 2010; Perkovic et al. 2018; listing: van der Zander, Liskiewicz & Textor
    2019; selection: Correa, Tian & Bareinboim 2018.

    """
    graph = query.graph.canonical()
    causal = query.on_causal_paths()
    spoilt = graph.descendants(causal)
    fixed = query.adjusted | query.selected
    if not query.observable or spoilt & query.adjusted or not _selection_is_harmless(query):
        return Listing(())
    back_door = graph.without({(a, b) for a, b in graph.arrows if a in query.exposure and b in causal})
    moral = back_door.moral(query.exposure | query.outcome | fixed, fixed)
    barred = (graph.latent | spoilt) - query.outcome
    cuts = minimal_separators(moral, query.exposure, query.outcome, barred)
    found = list(islice(cuts, limit + 1))
    return listing((cut | query.adjusted for cut in found[:limit]), query.graph, len(found) <= limit)


def _selection_is_harmless(query: Query) -> bool:
    if not query.selected:
        return True
    done = query.graph.cut(into=query.exposure).canonical()
    return done.separated(query.outcome, query.selected, query.exposure)


def instruments(query: Query) -> list[tuple[str, tuple[str, ...]]]:
    """Return (instrument, variables to condition on) for one exposure and one outcome.

    An instrument moves the exposure and reaches the outcome only through it; the variables conditioned on are
    the separator nearest to the outcome, and are no descendants of the exposure.

    Parameters
    ----------
    query : Query
        One exposure and one outcome.

    Returns
    -------
    list of (str, tuple of str)
        In the order of the nodes.

    References
    ----------
    Brito & Pearl 2002; the separator: van der Zander, Textor & Liskiewicz 2015.

    """
    graph = query.graph.canonical()
    causal = query.on_causal_paths()
    if not query.observable or query.selected or not causal or len(query.exposure | query.outcome) != 2:
        return []
    without_effect = graph.without({(a, b) for a, b in graph.arrows if a in query.exposure and b in causal})
    barred = graph.latent | graph.descendants(query.exposure) | graph.descendants(query.outcome)
    found = []
    for node in query.graph.observed:
        if node in barred | query.adjusted:
            continue
        moral = without_effect.moral({node} | query.outcome | query.adjusted, query.adjusted)
        cut = next(minimal_separators(moral, query.outcome, {node}, barred), None)
        given = query.adjusted.union(cut or ())
        if cut is not None and not graph.separated({node}, query.exposure, given):
            found.append((node, query.graph.in_order(given)))
    return found


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
        past = reachable(self.graph.children, self.query.exposure, self.largest(allowed))
        return past.isdisjoint(self.query.outcome)


def front_door_sets(query: Query, limit: int = MAX_SETS) -> Listing:
    """Return the minimal sets that satisfy the front-door criterion.

    One set takes polynomial time; the others follow by leaving out members of those found.

    Parameters
    ----------
    query : Query
        Exposure and outcome.
    limit : int
        Sets listed at most.

    Returns
    -------
    Listing
        Sets of ids in order of size.

    References
    ----------
    Pearl 1995; one set: Jeong, Tian & Bareinboim 2022; the others: Reiter 1987.

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


@dataclass(frozen=True)
class Term:
    """A probability: P(variables | given).

    Attributes
    ----------
    variables, given : tuple of str

    """

    variables: tuple[str, ...]
    given: tuple[str, ...] = ()

    @cached_property
    def free(self) -> frozenset[str]:
        """Variables whose values the expression depends on."""
        return frozenset(self.variables + self.given)

    @property
    def size(self) -> int:
        """Probabilities in the expression."""
        return 1


@dataclass(frozen=True)
class Sum:
    """A sum over the values of some variables.

    Attributes
    ----------
    over : tuple of str
        Variables.
    body : Term, Sum, Product or Fraction

    """

    over: tuple[str, ...]
    body: "Expression"

    @cached_property
    def free(self) -> frozenset[str]:
        """Variables of the body that are not summed over."""
        return self.body.free - set(self.over)

    @cached_property
    def size(self) -> int:
        """Probabilities in the expression."""
        return self.body.size


@dataclass(frozen=True)
class Product:
    """A product of expressions; without factors it is 1.

    Attributes
    ----------
    factors : tuple of (Term, Sum, Product or Fraction)

    """

    factors: tuple["Expression", ...]

    @cached_property
    def free(self) -> frozenset[str]:
        """Variables of all factors."""
        return frozenset().union(*(factor.free for factor in self.factors))

    @cached_property
    def size(self) -> int:
        """Probabilities in the expression."""
        return sum(factor.size for factor in self.factors)


@dataclass(frozen=True)
class Fraction:
    """A quotient of expressions.

    Attributes
    ----------
    numerator, denominator : Term, Sum, Product or Fraction

    """

    numerator: "Expression"
    denominator: "Expression"

    @cached_property
    def free(self) -> frozenset[str]:
        """Variables above and below the line."""
        return self.numerator.free | self.denominator.free

    @cached_property
    def size(self) -> int:
        """Probabilities in the expression."""
        return self.numerator.size + self.denominator.size


Expression = Term | Sum | Product | Fraction


def product(factors: Sequence[Expression]) -> Expression:
    """Multiply, without nesting products.

    Parameters
    ----------
    factors : sequence of expression
        Any number.

    Returns
    -------
    expression
        The factor itself where there is one only; an empty product stands for 1.

    """
    flat = [part for factor in factors for part in _parts(factor)]
    return flat[0] if len(flat) == 1 else Product(tuple(flat))


def sum_out(over: Collection[str], body: Expression) -> Expression:
    """Sum over variables; a probability that sums to one on its own is dropped.

    Parameters
    ----------
    over : collection of str
        Variables; those that the expression does not have are ignored.
    body : expression
        What is summed.

    Returns
    -------
    expression
        The body itself where nothing is left to sum over.

    """
    left = set(over) & body.free
    if isinstance(body, Term):
        kept = tuple(name for name in body.variables if name not in left)
        conditions = tuple(sorted(left & set(body.given)))
        inner: Expression = Term(kept, body.given) if kept else Product(())
        return Sum(conditions, inner) if conditions and kept else inner
    if isinstance(body, Sum):
        return sum_out(left | set(body.over), body.body)
    factors = _parts(body)
    while (spent := next((f for f in factors if _sums_to_one(f, factors, left)), None)) is not None:
        left -= set(spent.variables)
        factors.remove(spent)
    rest = product(factors)
    return Sum(tuple(sorted(left)), rest) if left else rest


def _sums_to_one(factor: Expression, factors: Sequence[Expression], over: set[str]) -> TypeGuard[Term]:
    """Tell a probability whose variables are all summed over and occur nowhere else."""
    if not isinstance(factor, Term) or not set(factor.variables) <= over:
        return False
    return all(other.free.isdisjoint(factor.variables) for other in factors if other is not factor)


def _parts(e: Expression) -> list[Expression]:
    return list(e.factors) if isinstance(e, Product) else [e]


def quotient(numerator: Expression, denominator: Expression) -> Expression:
    """Divide, cancelling equal factors.

    Parameters
    ----------
    numerator, denominator : expression
        What is divided by what.

    Returns
    -------
    expression
        A fraction only where something is left below.

    """
    above, below = _parts(numerator), _parts(denominator)
    for factor in list(below):
        if factor in above:
            above.remove(factor)
            below.remove(factor)
    return Fraction(product(above), product(below)) if below else product(above)


def render(e: Expression, shown: Mapping[str, str], names: Mapping[str, str], used: Collection[str]) -> str:
    """Write an expression; a summed variable that is also in use outside gets a prime.

    Parameters
    ----------
    e : expression
        What to write.
    shown : mapping of str to str
        Free variable of the expression -> how it is written.
    names : mapping of str to str
        Node -> name.
    used : collection of str
        Variables in use outside the expression.

    Returns
    -------
    str
        Such as `Σ_{z} P(y | x, z) P(z)`.

    """
    if isinstance(e, Term):
        given = f" | {', '.join(shown[name] for name in e.given)}" if e.given else ""
        return f"P({', '.join(shown[name] for name in e.variables)}{given})"
    if isinstance(e, Sum):
        bound = {name: names[name] + ("'" if name in used else "") for name in e.over}
        inner = render(e.body, {**shown, **bound}, names, {*used, *e.over})
        return f"Σ_{{{', '.join(bound.values())}}} {inner}"
    if isinstance(e, Product):
        scope = {*used, *e.free}
        texts = [(render(factor, shown, names, scope), isinstance(factor, Sum)) for factor in e.factors]
        return " ".join(f"({text})" if is_sum else text for text, is_sum in texts) or "1"
    above, below = (render(part, shown, names, used) for part in (e.numerator, e.denominator))
    return f"[{above}] / [{below}]"


MAX_TERMS = 2000
"""Probabilities a formula may have; a longer one is not written down."""


Answer = Expression | Hedge | None
"""A formula; why there is none; or None where the effect is identifiable by a formula too long to write."""


def identify(graph: CausalGraph, exposure: Collection[str], outcome: Collection[str]) -> Answer:
    """Return P(outcome | do(exposure)) in observed probabilities, or the hedge that forbids it.

    Sound and complete, in polynomial time, on the latent projection of the graph.

    Parameters
    ----------
    graph : CausalGraph
        With latent nodes and bidirected edges.
    exposure, outcome : collection of str
        Ids of observed nodes.

    Returns
    -------
    Term, Sum, Product, Fraction, Hedge or None
        None where the formula has more than 2,000 probabilities.

    References
    ----------
    Tian & Pearl 2002; Huang & Valtorta 2006; the hedge: Shpitser & Pearl 2006.

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
        if isinstance(part, Hedge):
            return part
        parts.append(part)
    known = [part for part in parts if part is not None]
    if len(known) < len(parts):
        return None
    return _short(sum_out(set(needed.nodes) - set(outcome), product(known)))


def identify_given(
    graph: CausalGraph, exposure: Collection[str], outcome: Collection[str], given: Collection[str]
) -> Answer:
    """Return P(outcome | do(exposure), given) in observed probabilities, or the hedge that forbids it.

    What is given acts like a further intervention where the second rule of do-calculus allows it.

    Parameters
    ----------
    graph : CausalGraph
        With latent nodes and bidirected edges.
    exposure, outcome, given : collection of str
        Ids of observed nodes.

    Returns
    -------
    Term, Sum, Product, Fraction, Hedge or None
        None where the formula has more than 2,000 probabilities.

    References
    ----------
    Shpitser & Pearl 2006: algorithm IDC.

    """
    projected = graph.projected()
    done, seen = set(exposure), set(given)
    while (node := _exchangeable(projected, done, set(outcome), seen)) is not None:
        seen.remove(node)
        done.add(node)
    joint = identify(graph, done, {*outcome, *seen})
    if joint is None or isinstance(joint, Hedge) or not seen:
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
        return Hedge(forest=graph.in_order(group), inner=graph.in_order(district))
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
        parts.append(Term((node,), graph.in_order(blanket)))
    return product(parts)


def _short(expression: Expression) -> Expression | None:
    return expression if expression.size <= MAX_TERMS else None


def c_components(graph: CausalGraph) -> list[Group]:
    """Return the groups of nodes joined by bidirected edges, in the order of their first nodes.

    Parameters
    ----------
    graph : CausalGraph
        The graph.

    Returns
    -------
    list of frozenset of str
        Every node is in one, alone where it has no bidirected edge (Tian & Pearl 2002).

    References
    ----------
    Tian & Pearl 2002.

    """
    import networkx as nx

    return [frozenset(group) for group in nx.connected_components(nx.Graph(graph.spouses))]


def adjustment_formula(exposure: Names, outcome: Names, given: Names) -> Expression:
    """Return the back-door adjustment: the sum over z of P(outcome | exposure, z) P(z).

    Parameters
    ----------
    exposure, outcome, given : collection of str
        Nodes; `given` is z, an adjustment set.

    Returns
    -------
    expression
        P(outcome | exposure) where nothing is adjusted for.

    """
    effect = Term(outcome, exposure + given)
    return Sum(given, product([effect, Term(given)])) if given else effect


def front_door_formula(exposure: Names, outcome: Names, given: Names) -> Expression:
    """Return the front-door adjustment: the sum over z of P(z | x) times that over x' of P(y | x', z) P(x').

    Parameters
    ----------
    exposure, outcome, given : collection of str
        Nodes x, y and z, a front-door set.

    Returns
    -------
    expression
        P(y) where z is empty.

    References
    ----------
    Pearl 1995.

    """
    if not given:
        return Term(outcome)
    inner = Sum(exposure, product([Term(outcome, exposure + given), Term(exposure)]))
    return Sum(given, product([Term(given, exposure), inner]))


@dataclass(frozen=True)
class Asked:
    """The query in the order it was asked: its graph and roles in `query`.

    Attributes
    ----------
    made : Structure
        The checked structure; warnings are added to it.
    query : Query
    exposure, outcome, given : tuple of str
        Nodes; `given` are those that the effect is conditional on.

    """

    made: Structure
    query: Query
    exposure: Names
    outcome: Names
    given: Names = ()


def answers(asked: Asked) -> JsonDict:
    """Return the fields of the model that answer the query: sets, instruments, and an estimand or why not.

    Parameters
    ----------
    asked : Asked
        The query; a warning is added to `asked.made` where a list was cut.

    Returns
    -------
    dict of str to Any
        Fields of `CausalModel`.

    """
    made, query = asked.made, asked.query
    adjusting = _told(made, adjustment_sets(query), "adjustment")
    front_door = _told(made, front_door_sets(query), "front-door")
    return {
        "minimal_adjustment_sets": adjusting,
        "minimal_front_door_sets": front_door,
        "instruments": tuple(Instrument(instrument=node, given=given) for node, given in instruments(query)),
        **_identification(asked, adjusting, front_door),
        **({"conditional": _conditional(asked)} if asked.given else {}),
    }


def _told(made: Structure, found: Listing, kind: str) -> tuple[Names, ...]:
    message = f"The list of minimal {kind} sets was cut at {len(found.sets)}; there may be more."
    made.warnings += warned("list_cut", message, when=not found.complete)
    return found.sets


def _identification(asked: Asked, adjusting: Sequence[Names], front_door: Sequence[Names]) -> JsonDict:
    """Say whether the effect is identifiable; prefer the formula a reader knows best."""
    known = (("adjustment", adjusting, adjustment_formula), ("front_door", front_door, front_door_formula))
    for how, sets, formula in known:
        if sets:
            return _by(asked, formula(asked.exposure, asked.outcome, sets[0])) | {"identified_by": how}
    if undecided := _undecided(asked):
        return undecided
    answer = identify(asked.query.graph, asked.exposure, asked.outcome)
    return _answered(asked, answer) | ({} if isinstance(answer, Hedge) else {"identified_by": "id"})


def _conditional(asked: Asked) -> ConditionalEffect:
    if not (found := _undecided(asked)):
        answer = identify_given(asked.query.graph, asked.exposure, asked.outcome, asked.given)
        found = _answered(asked, answer, asked.given)
    return ConditionalEffect.model_validate({"given": asked.given, **found})


def _undecided(asked: Asked) -> JsonDict:
    named = (*asked.exposure, *asked.outcome, *asked.given)
    if hidden := [node for node in named if node in asked.query.graph.latent]:
        return {"identifiable": False, "reason": f"not observed: {', '.join(hidden)}"}
    why = "not decided: the sample is selected, and no adjustment set recovers the effect"
    return {"reason": why} if asked.query.selected else {}


def _answered(asked: Asked, answer: Answer, given: Names = ()) -> JsonDict:
    if isinstance(answer, Hedge):
        return {"identifiable": False, "hedge": answer, "reason": "a hedge makes the effect not identifiable"}
    if answer is None:
        reason = f"the formula has more than {MAX_TERMS} probabilities and is not written down"
        return {"identifiable": True, "reason": reason}
    return _by(asked, answer, given)


def _by(asked: Asked, formula: Expression, given: Names = ()) -> JsonDict:
    """Write an identified effect; a variable that the formula leaves free may have any value."""
    names = asked.made.unique_names()
    bound = {*asked.exposure, *asked.outcome, *given}
    effect, done, seen = (", ".join(names[n] for n in ids) for ids in (asked.outcome, asked.exposure, given))
    text = render(formula, names, names, bound)
    free = [names[node] for node in asked.query.graph.nodes if node in formula.free - bound]
    text += f", for any value of {', '.join(free)}" if free else ""
    text += " within the selected sample" if asked.query.selected else ""
    held = f", {seen}" if seen else ""
    return {"identifiable": True, "estimand": f"P({effect} | do({done}){held}) = {text}"}
