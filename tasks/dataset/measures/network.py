"""Measures of an entity's place in the graph of the corpus, or of each period."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from math import isinf
from typing import Any

import numpy as np
from numpy.typing import NDArray

from corpusgraph.schemas.errors import InvalidInputError
from corpusgraph.schemas.evidence import Assertion
from corpusgraph.schemas.ports import Ints
from corpusgraph.schemas.results import ColumnType
from corpusgraph.schemas.study import TableDataset
from corpusgraph.tasks.dataset.measures.measured import Function, Measured, Request, known_types
from corpusgraph.tasks.dataset.measures.units import Reading, Sentence, Unit, dated
from corpusgraph.tasks.graph.centrality import betweenness as paths_through
from corpusgraph.tasks.graph.centrality import nearness, sampled
from corpusgraph.tasks.graph.centrality import pagerank as rank

Edge = tuple[str, str, float]
"""Source, target and weight."""


class Network:
    """Nodes 0 to n-1 with directed weighted edges; parallel edges are summed, loops left out.

    Parameters
    ----------
    ids : sequence of str
        Of the nodes, each once.
    edges : iterable of (str, str, float)
        (source, target, weight), by id of node.

    """

    def __init__(self, ids: Sequence[str], edges: Iterable[Edge]) -> None:
        from scipy.sparse import coo_array

        self.ids = tuple(ids)
        self.place: Mapping[str, int] = {id_: at for at, id_ in enumerate(self.ids)}
        summed: dict[tuple[int, int], float] = {}
        for source, target, weight in edges:
            if source != target:
                ends = self.place[source], self.place[target]
                summed[ends] = summed.get(ends, 0.0) + weight
        at = np.array(list(summed), dtype=np.int64).reshape(-1, 2)
        weights = np.array(list(summed.values()), dtype=np.float64)
        n = len(self.ids)
        self.directed = coo_array((weights, (at[:, 0], at[:, 1])), shape=(n, n)).tocsr()
        self.directed.sort_indices()

    @cached_property
    def weighted(self) -> Any:
        """Weights without direction, (n, n) symmetric."""
        both = (self.directed + self.directed.T).tocsr()
        both.sort_indices()
        return both

    @cached_property
    def joined(self) -> Any:
        """1 where two nodes are joined either way, (n, n) symmetric."""
        ones = self.weighted.copy()
        ones.data = np.ones_like(ones.data)
        return ones

    @cached_property
    def far(self) -> Any:
        """How long each edge is: 1 / weight (Newman 2001), (n, n) symmetric."""
        lengths = self.weighted.copy()
        lengths.data = 1 / lengths.data
        return lengths

    @cached_property
    def neighbours(self) -> list[frozenset[int]]:
        """The nodes each node is joined to."""
        ends = np.split(self.joined.indices, self.joined.indptr[1:-1]) if self.ids else []
        return [frozenset(near.tolist()) for near in ends]

    @cached_property
    def simple(self) -> Any:
        """The same joins as a graph of networkx."""
        import networkx as nx

        return nx.from_scipy_sparse_array(self.joined) if self.ids else nx.Graph()

    @cached_property
    def part(self) -> Ints:
        """The connected component of each node (n,), the largest first, then by its first node."""
        from scipy.sparse import csgraph

        _, label = csgraph.connected_components(self.joined, directed=False)
        _, first, which, sizes = np.unique(label, return_index=True, return_inverse=True, return_counts=True)
        order = np.lexsort((first, -sizes))
        return np.argsort(order)[which].astype(np.int64)

    @cached_property
    def parts(self) -> list[Ints]:
        """The nodes of each connected component, in order."""
        order = np.argsort(self.part, kind="stable")
        return np.split(order, np.cumsum(np.bincount(self.part))[:-1]) if self.ids else []


def corpus_network(reading: Reading, types: Sequence[str] = ()) -> Network:
    """Return the graph of the corpus: its stated relationships, or those of some types.

    Parameters
    ----------
    reading : Reading
        The corpus.
    types : sequence of str, optional
        Types of relationships; empty for all.

    Returns
    -------
    Network
        The same one for the same types.

    """

    def make() -> Network:
        graph, kinds = reading.corpus.graph, set(types)
        stated = (r for r in graph.relationships if r.is_stated and (not kinds or r.type in kinds))
        edges = ((r.source_id, r.target_id, r.weight) for r in stated)
        return Network([entity.id for entity in graph.entities], edges)

    return reading.once(("corpus", *sorted(types)), make)


def period_networks(
    reading: Reading, dataset: TableDataset, types: Sequence[str] = ()
) -> Mapping[str, Network]:
    """Return for each period the graph of the entities it mentions and what is asserted of them in it.

    An edge weighs the sum of the confidences of its assertions.

    Parameters
    ----------
    reading : Reading
        The corpus.
    dataset : TableDataset
        Says how long a period is.
    types : sequence of str, optional
        Types of assertions; empty for all.

    Returns
    -------
    mapping of str to Network
        Period -> graph.

    """

    def make() -> Mapping[str, Network]:
        when, _ = dated(reading, dataset.period)
        by_period: dict[str, list[Sentence]] = {}
        for sentence, period in when.items():
            by_period.setdefault(period, []).append(sentence)
        return {period: stated_network(reading, found, types) for period, found in by_period.items()}

    return reading.once(("period", dataset.period, *sorted(types)), make)


def stated_network(reading: Reading, sentences: Iterable[Sentence], types: Sequence[str] = ()) -> Network:
    """Return the graph that some sentences draw: entities they mention, assertions they make.

    Parameters
    ----------
    reading : Reading
        The corpus.
    sentences : iterable of Sentence
        The sentences.
    types : sequence of str, optional
        Types of assertions; empty for all.

    Returns
    -------
    Network
        Edges weigh the confidence of their assertions.

    """
    ids, kinds = reading.entity_ids, set(types)
    nodes: set[str] = set()
    edges: list[Edge] = []
    for sentence in sentences:
        nodes |= {ids[m.id] for m in reading.mentions.get(sentence, ()) if m.id in ids}
        for one in reading.assertions.get(sentence, ()):
            ends = _ends(one, ids)
            if ends and (not kinds or one.type in kinds):
                nodes |= set(ends)
                edges.append((*ends, one.confidence))
    return Network(sorted(nodes), edges)


def _ends(one: Assertion, ids: Mapping[str, str]) -> tuple[str, str] | None:
    source, target = ids.get(one.source_mention), ids.get(one.target_mention)
    return (source, target) if source and target else None


Doubles = NDArray[np.float64]

EXACT = 5000
"""In a component with more nodes, what looks at all shortest paths is estimated from PIVOTS of them."""
PIVOTS = 500
DENSE = 400
"""Up to so many nodes all eigenvectors are found at once."""
_DIGITS = 8
"""Decimals of an eigenvector that every processor gives, where eigenvalues are not very close."""
PAGERANK_STEPS = 1000


def degrees(network: Network) -> Ints:
    """Count different neighbours, whichever way edges point.

    Parameters
    ----------
    network : Network
        The graph, of n nodes.

    Returns
    -------
    array of int, shape (n,)

    """
    return np.asarray(np.diff(network.joined.indptr), dtype=np.int64)


def out_degrees(network: Network) -> Ints:
    """Count different nodes that edges lead to.

    Parameters
    ----------
    network : Network
        The graph, of n nodes.

    Returns
    -------
    array of int, shape (n,)

    """
    return np.asarray(np.diff(network.directed.indptr), dtype=np.int64)


def in_degrees(network: Network) -> Ints:
    """Count different nodes that edges come from.

    Parameters
    ----------
    network : Network
        The graph, of n nodes.

    Returns
    -------
    array of int, shape (n,)

    """
    return np.bincount(network.directed.indices, minlength=len(network.ids)).astype(np.int64)


def out_strengths(network: Network) -> Doubles:
    """Sum the weights of edges that leave (Barrat et al. 2004).

    Parameters
    ----------
    network : Network
        The graph, of n nodes.

    Returns
    -------
    array of float, shape (n,)

    References
    ----------
    Barrat et al. 2004.

    """
    return np.asarray(network.directed.sum(axis=1), dtype=np.float64).reshape(-1)


def in_strengths(network: Network) -> Doubles:
    """Sum the weights of edges that arrive (Barrat et al. 2004).

    Parameters
    ----------
    network : Network
        The graph, of n nodes.

    Returns
    -------
    array of float, shape (n,)

    References
    ----------
    Barrat et al. 2004.

    """
    return np.asarray(network.directed.sum(axis=0), dtype=np.float64).reshape(-1)


def strengths(network: Network) -> Doubles:
    """Sum the weights of all edges (Barrat et al. 2004).

    Parameters
    ----------
    network : Network
        The graph, of n nodes.

    Returns
    -------
    array of float, shape (n,)

    References
    ----------
    Barrat et al. 2004.

    """
    return in_strengths(network) + out_strengths(network)


def pageranks(network: Network) -> Doubles:
    """Return PageRank (Page et al. 1999); edges directed and weighted, damping 0.85; sums to 1.

    Parameters
    ----------
    network : Network
        The graph, of n nodes.

    Returns
    -------
    array of float, shape (n,)

    References
    ----------
    Page et al. 1999.

    """
    if not network.ids:
        return np.zeros(0)
    return np.asarray(rank(network.directed, damping=0.85, max_iterations=PAGERANK_STEPS).scores)


def sources_in(size: int) -> Ints:
    """Return the nodes of a component that searches start from: all, or a fixed choice of PIVOTS.

    Parameters
    ----------
    size : int
        Nodes of the component.

    Returns
    -------
    array of int
        Places in the component.

    """
    return np.arange(size) if size <= EXACT else sampled(size, PIVOTS)


def estimated(network: Network) -> bool:
    """Tell whether a component is too large for all of its shortest paths.

    Parameters
    ----------
    network : Network
        The graph.

    Returns
    -------
    bool

    """
    return any(len(part) > EXACT for part in network.parts)


def betweennesses(network: Network) -> Doubles:
    """Return betweenness (Freeman 1977) divided by the pairs of other nodes, by Brandes (2001).

    Parameters
    ----------
    network : Network
        The graph, of n nodes.

    Returns
    -------
    array of float, shape (n,)

    References
    ----------
    Freeman 1977; Brandes 2001.

    """
    n = len(network.ids)
    found = np.zeros(n)
    for part in network.parts:
        if len(part) > 2:  # no path leaves a component
            found[part] = paths_through(_within(network.joined, part), sources_in(len(part)))
    return found / max((n - 1) * (n - 2) / 2, 1)


def closenesses(network: Network) -> Doubles:
    """Return closeness (Freeman 1979) as Wasserman & Faust (1994) have it for what is not connected.

    (r - 1) / (sum of distances), times (r - 1) / (n - 1): r nodes are in the component; 0 where alone. From
    pivots the mean distance to them stands for that to all others (Eppstein & Wang 2004).

    Parameters
    ----------
    network : Network
        The graph, of n nodes.

    Returns
    -------
    array of float, shape (n,)

    References
    ----------
    Freeman 1979; Wasserman & Faust 1994; Eppstein & Wang 2004.

    """
    n = len(network.ids)
    scores = np.zeros(n)
    for part in network.parts:
        size = len(part)
        if size == 2:  # most parts of a large graph are as small as that
            scores[part] = 1 / (n - 1)
        elif size > 2:
            near = nearness(_within(network.joined, part), sources_in(size)).closeness
            scores[part] = near * (size - 1) / (n - 1)
    return scores


def eigenvectors(network: Network) -> Doubles:
    """Return eigenvector centrality (Bonacich 1972) within each component, its largest 1; NaN where alone.

    Edges are undirected and weighted. On a connected graph the vector is unique (Perron-Frobenius).

    Parameters
    ----------
    network : Network
        The graph, of n nodes.

    Returns
    -------
    array of float, shape (n,)

    References
    ----------
    Bonacich 1972.

    """
    found = np.full(len(network.ids), np.nan)
    for part in network.parts:
        if len(part) == 2:
            found[part] = 1.0
        elif len(part) > 2:
            vector = np.abs(_principal(_within(network.weighted, part)))
            found[part] = np.round(vector / vector.max(), _DIGITS)
    return found


def _principal(matrix: Any) -> Any:
    """Return the eigenvector of the largest eigenvalue of a symmetric matrix."""
    from scipy.sparse.linalg import eigsh

    n = matrix.shape[0]
    scaled = matrix / matrix.data.max()  # weights of any size meet the same tolerance
    if n <= DENSE:
        return np.linalg.eigh(scaled.toarray())[1][:, -1]
    return eigsh(scaled, k=1, which="LA", v0=np.ones(n), ncv=min(n, 60), maxiter=100 * n)[1][:, 0]


def cores(network: Network) -> Ints:
    """Return the core number (Seidman 1983): the largest k of a k-core with the node.

    Parameters
    ----------
    network : Network
        The graph, of n nodes.

    Returns
    -------
    array of int, shape (n,)

    References
    ----------
    Seidman 1983.

    """
    import networkx as nx

    return _in_order(nx.core_number(network.simple)).astype(np.int64)


def triangles(network: Network) -> Ints:
    """Count the triangles of each node.

    Parameters
    ----------
    network : Network
        The graph, of n nodes.

    Returns
    -------
    array of int, shape (n,)

    """
    import networkx as nx

    return _in_order(nx.triangles(network.simple)).astype(np.int64)


def clusterings(network: Network) -> Doubles:
    """Return the local clustering coefficient (Watts & Strogatz 1998); 0 for fewer than two neighbours.

    Parameters
    ----------
    network : Network
        The graph, of n nodes.

    Returns
    -------
    array of float, shape (n,)

    References
    ----------
    Watts & Strogatz 1998.

    """
    import networkx as nx

    return _in_order(nx.clustering(network.simple))


def _in_order(scores: Mapping[int, float]) -> Doubles:
    return np.array([scores[at] for at in range(len(scores))], dtype=np.float64)


def _within(matrix: Any, part: Ints) -> Any:
    """Return the rows and columns of one component."""
    return matrix if len(part) == matrix.shape[0] else matrix[part][:, part]


BATCH = 64
"""Sources searched together."""
_MARGIN = 1 + 1e-9
"""Sums of lengths differ in their last digit by the order of their terms."""

Pair = tuple[int, int]


def shortest_lengths(far: Any, part: Ints, pairs: Sequence[Pair]) -> list[float | None]:
    """Return for each pair the length of the shortest path; None where no path leads.

    A path of one or two edges that no longer one can beat is taken at once; the others are searched for
    (Dijkstra 1959), no farther than the best path known.

    Parameters
    ----------
    far : sparse array, shape (n, n)
        Symmetric: how long each edge is.
    part : array of int, shape (n,)
        The connected component of each node.
    pairs : sequence of (int, int)
        Pairs of nodes.

    Returns
    -------
    list of (float or None)
        One a pair.

    References
    ----------
    Dijkstra 1959.

    """
    near = _lengths(far)
    least = [min(ends.values(), default=np.inf) for ends in near]
    shortest = min(least, default=np.inf)
    values: list[float | None] = []
    open_: dict[int, list[int]] = {}
    for at, (a, b) in enumerate(pairs):
        best = _near(near[a], near[b], b) if a != b else 0.0
        values.append(None if isinf(best) else best)
        longer = least[a] + least[b] + shortest  # a path of three edges or more is at least so long
        if best > longer and part[a] == part[b]:
            open_.setdefault(a, []).append(at)
    _search(far, pairs, open_, values)
    return values


def _lengths(far: Any) -> list[dict[int, float]]:
    """Return for each node its neighbours and how far they are."""
    ends, lengths = (np.split(each, far.indptr[1:-1]) for each in (far.indices, far.data))
    rows = zip(ends, lengths, strict=True) if far.shape[0] else ()
    return [dict(zip(to.tolist(), length.tolist(), strict=True)) for to, length in rows]


def _near(a: dict[int, float], b: dict[int, float], end: int) -> float:
    """Return the length of the best path of one or two edges; infinite where there is none."""
    few, many = (a, b) if len(a) < len(b) else (b, a)
    over = min((far + many[node] for node, far in few.items() if node in many), default=np.inf)
    return min(a.get(end, np.inf), over)


def _search(far: Any, pairs: Sequence[Pair], open_: dict[int, list[int]], values: list[float | None]) -> None:
    from scipy.sparse import csgraph

    limits = {a: max(_limit(values[at]) for at in rows) for a, rows in open_.items()}
    order = sorted(open_, key=lambda a: (limits[a], a))  # sources with like limits go together
    for start in range(0, len(order), BATCH):
        sources = order[start : start + BATCH]
        found = csgraph.dijkstra(far, indices=sources, limit=limits[sources[-1]] * _MARGIN)
        for row, a in enumerate(sources):
            for at in open_[a]:
                length = float(found[row, pairs[at][1]])
                values[at] = None if isinf(length) else length


def _limit(best: float | None) -> float:
    return np.inf if best is None else best


@dataclass(frozen=True)
class Place:
    """A measure of nodes: its scores, and the value of an entity that a period does not mention.

    Attributes
    ----------
    scores : callable
        Computes one a node (n,).
    dtype : ColumnType
        Type of the column.
    label : str
        Of the column.
    unit : str
        Unit of measurement.
    formula : str
        How it is computed.
    absent : int, optional
        Value of an entity that a period does not mention.
    by_paths : str, default ""
        Source of the estimate, for what looks at all shortest paths; else empty.

    """

    scores: Callable[[Network], Any]
    dtype: ColumnType
    label: str
    unit: str
    formula: str
    absent: int | None = None
    by_paths: str = ""


def _component(network: Network) -> Any:
    return network.part + 1


def _component_size(network: Network) -> Any:
    return np.bincount(network.part)[network.part] if network.ids else np.zeros(0, dtype=np.int64)


_PLAIN, _WEIGHED = "edges undirected and unweighted", "edges undirected and weighted"

PLACES: Mapping[str, Place] = {
    "degree": Place(
        degrees,
        "integer",
        "Degree",
        "entities",
        "number of different neighbours, edges taken as undirected",
        0,
    ),
    "in_degree": Place(
        in_degrees, "integer", "In-degree", "entities", "number of different sources of edges to it", 0
    ),
    "out_degree": Place(
        out_degrees,
        "integer",
        "Out-degree",
        "entities",
        "number of different targets of edges from it",
        0,
    ),
    "strength": Place(
        strengths,
        "numeric",
        "Strength",
        "weight",
        "sum of the weights of edges to and from it (Barrat et al. 2004)",
        0,
    ),
    "in_strength": Place(
        in_strengths,
        "numeric",
        "In-strength",
        "weight",
        "sum of the weights of edges to it (Barrat et al. 2004)",
        0,
    ),
    "out_strength": Place(
        out_strengths,
        "numeric",
        "Out-strength",
        "weight",
        "sum of the weights of edges from it (Barrat et al. 2004)",
        0,
    ),
    "pagerank": Place(
        pageranks,
        "numeric",
        "PageRank",
        "probability",
        "PageRank (Page et al. 1999), damping 0.85, edges directed and weighted; sums to 1",
    ),
    "betweenness": Place(
        betweennesses,
        "numeric",
        "Betweenness",
        "0 to 1",
        f"share of shortest paths between two others that pass through it (Freeman 1977), {_PLAIN}, divided"
        " by the number of pairs",
        by_paths="Brandes & Pich 2007",
    ),
    "closeness": Place(
        closenesses,
        "numeric",
        "Closeness",
        "0 to 1",
        "(r - 1) / (sum of distances) x (r - 1) / (n - 1), r entities being in its component"
        f" (Wasserman & Faust 1994), {_PLAIN}; 0 without neighbours",
        by_paths="Eppstein & Wang 2004",
    ),
    "eigenvector": Place(
        eigenvectors,
        "numeric",
        "Eigenvector centrality",
        "0 to 1",
        f"eigenvector centrality within its component (Bonacich 1972), {_WEIGHED}, the largest being 1;"
        " missing without neighbours",
    ),
    "core": Place(
        cores,
        "integer",
        "Core number",
        "k",
        f"largest k of a k-core with it (Seidman 1983), {_PLAIN}",
        0,
    ),
    "clustering": Place(
        clusterings,
        "numeric",
        "Clustering",
        "0 to 1",
        f"share of pairs of neighbours that are joined (Watts & Strogatz 1998), {_PLAIN}; 0 for fewer"
        " than two neighbours",
    ),
    "component": Place(
        _component,
        "nominal",
        "Component",
        "number of the component",
        "connected component, edges undirected; 1 is the largest",
    ),
    "component_size": Place(
        _component_size,
        "integer",
        "Size of the component",
        "entities",
        "number of entities in its connected component, edges undirected",
        0,
    ),
}


def cells(found: Place, network: Network) -> list[Any]:
    """Return the scores as cells: plain numbers, None for not-a-number.

    Parameters
    ----------
    found : Place
        The measure.
    network : Network
        The graph.

    Returns
    -------
    list of Any
        One a node.

    """
    scores = found.scores(network)
    missing = np.isnan(scores).tolist()
    return [None if empty else score for score, empty in zip(scores.tolist(), missing, strict=True)]


def placed(name: str) -> Function:
    """Return the measure of that name, for entities and for panels.

    Parameters
    ----------
    name : str
        A key of `PLACES`.

    Returns
    -------
    Function
        Takes a request and returns the measured variable.

    """

    def measure(ask: Request) -> Measured:
        place, dataset, where = PLACES[name], ask.dataset, ""
        if dataset.unit == "entity_period":
            networks = period_networks(ask.reading, dataset, ask.of)
            values = _of_periods(place, networks, ask.units)
            where = f", in what is asserted in the {dataset.period}"
        else:
            networks = {"": corpus_network(ask.reading, ask.of)}
            scores = cells(place, networks[""])
            values = [scores[networks[""].place[unit.id]] for unit in ask.units]
        formula = f"{place.formula}{where}{ask.only}{how_estimated(place, networks.values())}"
        source = "graph" if dataset.unit == "entity" else "evidence"
        return Measured(values, place.dtype, formula, place.label, place.unit, source, known_types(ask))

    return measure


def _of_periods(found: Place, networks: Mapping[str, Network], units: Sequence[Unit]) -> list[Any]:
    scores = {period: cells(found, network) for period, network in networks.items()}
    values = []
    for unit in units:
        period, entity = unit.attributes["period"], unit.entities[0]
        at = networks[period].place.get(entity) if period in networks else None
        values.append(found.absent if at is None else scores[period][at])
    return values


def how_estimated(found: Place, networks: Iterable[Network]) -> str:
    """Return how a measure of all shortest paths was estimated, or nothing where it was not.

    Parameters
    ----------
    found : Place
        The measure.
    networks : iterable of Network
        The graphs it is taken of.

    Returns
    -------
    str
        The end of a formula.

    """
    if not found.by_paths or not any(estimated(network) for network in networks):
        return ""
    return (
        f"; in a component of more than {EXACT} entities estimated from {PIVOTS} of them, chosen"
        f" with seed 0 ({found.by_paths})"
    )


def community(ask: Request) -> Measured:
    """Return the id of the entity's community: of the level in `of`, else the deepest it belongs to.

    Parameters
    ----------
    ask : Request
        The variable to measure, and of which units.

    Returns
    -------
    Measured
        A cell a unit.

    Raises
    ------
    InvalidInputError
        For a level that is no number, or of which there is no community.

    """
    found, which = memberships(ask)
    values = [found.get(unit.entities[0]) for unit in ask.units]
    formula = f"{which} the entity belongs to; missing where in none"
    return Measured(values, "nominal", formula, "Community", "community", "graph")


def memberships(ask: Request) -> tuple[dict[str, str], str]:
    """Return entity id -> community id at the level in `of`, else the deepest, and how that is called.

    Parameters
    ----------
    ask : Request
        The variable; its `of` may name a level from 0, the coarsest.

    Returns
    -------
    (dict of str to str, str)

    Raises
    ------
    InvalidInputError
        For a level that is no number, or of which there is no community.

    """
    levels = sorted({one.level for one in ask.reading.corpus.graph.communities})
    given = (ask.of or (None,))[0]
    if given is not None and not given.isdecimal():
        raise InvalidInputError(
            f"Variable {ask.variable.name!r}: level {given!r} is no number.", hint="Level 0 is the coarsest."
        )
    if given is not None and levels and int(given) not in levels:
        raise InvalidInputError(
            f"Variable {ask.variable.name!r}: there is no community of level {given}.",
            hint=f"There are levels {levels[0]} to {levels[-1]}.",
        )
    found: dict[str, str] = {}
    for one in sorted(ask.reading.corpus.graph.communities, key=lambda c: (c.level, c.id)):
        if given is None or one.level == int(given):
            found |= dict.fromkeys(one.entity_ids, one.id)
    return found, "deepest community" if given is None else f"community of level {given}"
