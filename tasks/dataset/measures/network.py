"""Measures of an entity's place in the graph of the corpus or of each period, of groups, and of pairs."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cached_property
from math import fsum, isnan, log, log2
from typing import Any

import numpy as np
from numpy.typing import NDArray

from corpusgraph.schemas.errors import InvalidInputError
from corpusgraph.schemas.ports import Ints
from corpusgraph.schemas.study import TableDataset
from corpusgraph.tasks.dataset.measures.measured import Compute, Request
from corpusgraph.tasks.dataset.measures.units import Reading, Sentence, Unit, dated
from corpusgraph.tasks.graph.centrality import betweenness as paths_through
from corpusgraph.tasks.graph.centrality import nearness, sampled
from corpusgraph.tasks.graph.centrality import pagerank as rank
from corpusgraph.tasks.graph.names import grouped

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
        told = [(self.place[a], self.place[b], weight) for a, b, weight in edges if a != b]
        at = np.array([ends[:2] for ends in told], dtype=np.int64).reshape(-1, 2)
        weights = np.array([weight for *_, weight in told], dtype=np.float64)
        n = len(self.ids)
        self.directed = coo_array((weights, (at[:, 0], at[:, 1])), shape=(n, n)).tocsr()  # sums parallel ones
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
        by_period = grouped((period, sentence) for sentence, period in when.items())
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
            source, target = ids.get(one.source_mention), ids.get(one.target_mention)
            if source and target and (not kinds or one.type in kinds):
                nodes |= {source, target}
                edges.append((source, target, one.confidence))
    return Network(sorted(nodes), edges)


Doubles = NDArray[np.float64]
Scores = Callable[[Network], Any]
"""Computes a value for each of n nodes, (n,); not-a-number is missing."""
EXACT = 5000
"""In a component with more nodes, what looks at all shortest paths is estimated from PIVOTS of them."""
PIVOTS = 500
DENSE = 400
"""Up to so many nodes all eigenvectors are found at once."""
_DIGITS = 8
"""Decimals of an eigenvector that every processor gives, where eigenvalues are not very close."""
PAGERANK_STEPS = 1000


def _placed(scores: Scores, *, absent: int | None = None, pivots: str = "") -> Compute:
    """Return the measure of nodes of the whole graph for entities, of each period's for panels.

    `absent` is the value of an entity that a period does not mention; `pivots` the source of the estimate in
    large components, for what looks at all shortest paths.
    """

    def cells(network: Network) -> list[Any]:
        return [None if isnan(value) else value for value in scores(network).tolist()]

    def compute(ask: Request) -> list[Any]:
        if ask.dataset.unit == "entity_period":
            networks = period_networks(ask.reading, ask.dataset, ask.of)
            where = ask.text(", in what is asserted in the {period}")
            rows = [(unit.attributes["period"], unit.entities[0]) for unit in ask.units]
        else:
            networks, where = {"": corpus_network(ask.reading, ask.of)}, ""
            rows = [("", unit.id) for unit in ask.units]
        ask.words["ending"] = where + ask.text("{of:; only }")
        if pivots and any(len(part) > EXACT for net in networks.values() for part in net.parts):
            ask.words["ending"] += (
                f"; in a component of more than {EXACT} entities estimated from {PIVOTS} of them, chosen with"
                f" seed 0 ({pivots})"
            )
        values = {
            (key, id_): cell
            for key, net in networks.items()
            for id_, cell in zip(net.ids, cells(net), strict=True)
        }
        return [values.get(row, absent) for row in rows]

    return compute


def degrees(network: Network) -> Ints:
    """Count different neighbours, whichever way edges point.

    Parameters
    ----------
    network : Network
        The graph, of n nodes.

    Returns
    -------
    array of int, shape (n,)
        From 0, in the order of the entities.

    """
    return np.asarray(np.diff(network.joined.indptr), dtype=np.int64)


def _in_degrees(network: Network) -> Ints:
    return np.bincount(network.directed.indices, minlength=len(network.ids)).astype(np.int64)


def _out_degrees(network: Network) -> Ints:
    return np.asarray(np.diff(network.directed.indptr), dtype=np.int64)


def strengths(network: Network) -> Doubles:
    """Sum the weights of all edges (Barrat et al. 2004).

    Parameters
    ----------
    network : Network
        The graph, of n nodes.

    Returns
    -------
    array of float, shape (n,)
        From 0, in the order of the entities; what each edge weighs counts at both of its ends.

    References
    ----------
    Barrat et al. 2004.

    """
    return _in_strengths(network) + _out_strengths(network)


def _in_strengths(network: Network) -> Doubles:
    return np.asarray(network.directed.sum(axis=0), dtype=np.float64).reshape(-1)


def _out_strengths(network: Network) -> Doubles:
    return np.asarray(network.directed.sum(axis=1), dtype=np.float64).reshape(-1)


def _pageranks(network: Network) -> Doubles:
    if not network.ids:
        return np.zeros(0)
    return np.asarray(rank(network.directed, damping=0.85, max_iterations=PAGERANK_STEPS).scores)


def _sources(size: int) -> Ints:
    """Return the nodes of a component that searches start from: all, or a fixed choice of PIVOTS."""
    return np.arange(size) if size <= EXACT else sampled(size, PIVOTS)


def _betweennesses(network: Network) -> Doubles:
    n = len(network.ids)
    scores = np.zeros(n)
    for part in network.parts:
        if len(part) > 2:  # no path leaves a component
            scores[part] = paths_through(_within(network.joined, part), _sources(len(part)))
    return scores / max((n - 1) * (n - 2) / 2, 1)


def _closenesses(network: Network) -> Doubles:
    """From pivots the mean distance to them stands for that to all others (Eppstein & Wang 2004)."""
    n = len(network.ids)
    scores = np.zeros(n)
    for part in network.parts:
        size = len(part)
        if size == 2:  # most parts of a large graph are as small as that
            scores[part] = 1 / (n - 1)
        elif size > 2:
            near = nearness(_within(network.joined, part), _sources(size)).closeness
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
        From 0 to 1; 1 for both of a component of two.

    References
    ----------
    Bonacich 1972.

    """
    scores = np.full(len(network.ids), np.nan)
    for part in network.parts:
        if len(part) == 2:
            scores[part] = 1.0
        elif len(part) > 2:
            vector = np.abs(_principal(_within(network.weighted, part)))
            scores[part] = np.round(vector / vector.max(), _DIGITS)
    return scores


def _principal(matrix: Any) -> Any:
    """Return the eigenvector of the largest eigenvalue of a symmetric matrix."""
    from scipy.sparse.linalg import eigsh

    n = matrix.shape[0]
    scaled = matrix / matrix.data.max()  # weights of any size meet the same tolerance
    if n <= DENSE:
        return np.linalg.eigh(scaled.toarray())[1][:, -1]
    return eigsh(scaled, k=1, which="LA", v0=np.ones(n), ncv=min(n, 60), maxiter=100 * n)[1][:, 0]


def _by_networkx(name: str, kind: type) -> Scores:
    """Return the measure of nodes that networkx has under a name."""

    def scores(network: Network) -> Any:
        import networkx as nx

        of = getattr(nx, name)(network.simple)
        return np.array([of[at] for at in range(len(of))], dtype=kind)

    return scores


triangles = _by_networkx("triangles", int)
"""Count the triangles of each node."""


def _component_sizes(network: Network) -> Ints:
    return np.bincount(network.part)[network.part] if network.ids else np.zeros(0, dtype=np.int64)


def _within(matrix: Any, part: Ints) -> Any:
    """Return the rows and columns of one component."""
    return matrix if len(part) == matrix.shape[0] else matrix[part][:, part]


BATCH = 64
"""Sources searched together."""
_MARGIN = 1 + 1e-9
"""Sums of lengths differ in their last digit by the order of their terms."""


def shortest_lengths(far: Any, part: Ints, pairs: Sequence[tuple[int, int]]) -> list[float | None]:
    """Return for each pair the length of the shortest path (Dijkstra 1959); None where no path leads.

    No search goes farther than the edge that joins a pair.

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
    from scipy.sparse import csgraph

    values: list[float | None] = [None] * len(pairs)
    open_: dict[int, list[int]] = {}
    limits: dict[int, float] = {}
    ends = np.array(pairs, dtype=np.int64).reshape(-1, 2)
    edges = np.asarray(far[ends[:, 0], ends[:, 1]]).reshape(-1).tolist() if pairs else []
    for at, ((a, b), edge) in enumerate(zip(pairs, edges, strict=True)):
        if part[a] == part[b]:
            open_.setdefault(a, []).append(at)
            limits[a] = max(limits.get(a, 0.0), edge or (0.0 if a == b else np.inf))
    order = sorted(open_, key=lambda a: (limits[a], a))  # sources with like limits go together
    for start in range(0, len(order), BATCH):
        sources = order[start : start + BATCH]
        lengths = csgraph.dijkstra(far, indices=sources, limit=limits[sources[-1]] * _MARGIN)
        for row, a in zip(lengths, sources, strict=True):
            for at in open_[a]:
                values[at] = float(row[pairs[at][1]])
    return values


def _community(ask: Request) -> list[str | None]:
    """Return the id of the entity's community: of the level in `of`, else the deepest it belongs to."""
    communities = memberships(ask)
    return [communities.get(unit.entities[0]) for unit in ask.units]


def memberships(ask: Request) -> dict[str, str]:
    """Return entity id -> community id at the level in `of`, else the deepest; `{which}` is how it is called.

    Parameters
    ----------
    ask : Request
        The variable; its `of` may name a level from 0, the coarsest.

    Returns
    -------
    dict of str to str
        An entity in no community of the level is not in it.

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
    communities: dict[str, str] = {}
    for one in sorted(ask.reading.corpus.graph.communities, key=lambda c: (c.level, c.id)):
        if given is None or one.level == int(given):
            communities |= dict.fromkeys(one.entity_ids, one.id)
    ask.words["which"] = "deepest community" if given is None else f"community of level {given}"
    return communities


def _size(ask: Request) -> list[int]:
    """Count the members of a community."""
    return [len(unit.entities) for unit in ask.units]


def _density(ask: Request) -> list[float | None]:
    """Return the share of pairs of entities that are joined; missing for fewer than two entities."""
    sizes = [(network.joined.nnz, len(network.ids)) for network in _networks(ask)]
    return [edges / (n * (n - 1)) if n > 1 else None for edges, n in sizes]


def _transitivity(ask: Request) -> list[float | None]:
    """Return the share of paths of two edges that a third closes (Newman 2003); missing without one."""
    values = []
    for network in _networks(ask):
        degree = degrees(network)
        paths = int((degree * (degree - 1)).sum()) // 2
        values.append(int(triangles(network).sum()) / paths if paths else None)
    return values


def _components(ask: Request) -> list[int]:
    """Count the parts that no edge joins."""
    return [len(network.parts) for network in _networks(ask)]


def _conductance(ask: Request) -> list[float | None]:
    """Return how much of a community's weight leads out of it (Kannan, Vempala & Vetta 2004)."""
    values = []
    for inside, volume, total in _volumes(ask):
        smaller = min(volume, total - volume)
        values.append(max(volume - inside, 0.0) / smaller if smaller > total * 1e-12 else None)
    return values


def _modularity(ask: Request) -> list[float | None]:
    """Return a community's share in the modularity of its level (Newman 2006)."""
    return [inside / all_ - (own / all_) ** 2 if all_ else None for inside, own, all_ in _volumes(ask)]


def _volumes(ask: Request) -> list[tuple[float, float, float]]:
    """Return for each unit twice the weight inside, the strengths of its members, and those of all."""
    network = corpus_network(ask.reading, ask.of)
    strength = strengths(network)
    volumes = []
    for unit in ask.units:
        members = _members(network, unit.entities)
        inside = float(network.weighted[members][:, members].sum())
        volumes.append((inside, float(strength[members].sum()), float(strength.sum())))
    return volumes


def _members(network: Network, entities: Sequence[str]) -> Ints:
    return np.array(sorted({network.place[e] for e in entities if e in network.place}), dtype=np.int64)


def _networks(ask: Request) -> Sequence[Network]:
    """Return the graph of each unit: of members in the corpus, or of what the sentences state."""
    ask.words["whose"] = "among the members"
    if ask.dataset.unit != "community":
        scope = {"document": "the document", "chunk": "the chunk", "event": "the sentence"}[ask.dataset.unit]
        ask.words["whose"] = f"among the entities named in {scope}, as joined by what is asserted there"

    def make() -> Mapping[str, Network]:
        if ask.dataset.unit == "community":
            whole = corpus_network(ask.reading, ask.of)
            return {unit.id: _induced(whole, unit.entities) for unit in ask.units}
        return {unit.id: stated_network(ask.reading, unit.sentences, ask.of) for unit in ask.units}

    networks = ask.reading.once(("units", ask.dataset.unit, *sorted(ask.of)), make)
    return [networks[unit.id] for unit in ask.units]


def _induced(whole: Network, entities: Sequence[str]) -> Network:
    members = _members(whole, entities)
    inner = whole.directed[members][:, members].tocoo()
    ids = [whole.ids[at] for at in members]
    edges = zip(inner.row.tolist(), inner.col.tolist(), inner.data.tolist(), strict=True)
    return Network(ids, ((ids[a], ids[b], weight) for a, b, weight in edges))


def _co_occurrence(ask: Request) -> list[int]:
    """Count the unit's sentences that name every entity in `of`; for a pair, those that name both."""
    wanted, ids = ask.entities_named(), ask.reading.entity_ids

    def all_named(sentence: Sentence) -> bool:
        present = {ids.get(m.id) for m in ask.reading.mentions.get(sentence, ())}
        return all(present & group for group in wanted)

    return [sum(map(all_named, unit.sentences)) for unit in ask.units]


def _distance(ask: Request) -> list[int | None]:
    """Return the number of steps to the entity in `of`, or between a pair; missing where no path leads."""
    network, pairs = _ends(ask)
    steps = shortest_lengths(network.joined, network.part, pairs)
    return [None if length is None else int(length) for length in steps]


def _weighted_distance(ask: Request) -> list[float | None]:
    """Return the length of the shortest path to the entity in `of`, or between a pair, heavy edges short."""
    network, pairs = _ends(ask)
    return shortest_lengths(network.far, network.part, pairs)


def _ends(ask: Request) -> tuple[Network, list[tuple[int, int]]]:
    """Return the graph and the two nodes of each row; `{to}` is how the label ends."""
    network = corpus_network(ask.reading)
    what = f"Variable {ask.variable.name!r}: {ask.variable.measure}"
    if (ask.dataset.unit == "entity") != (len(ask.of) == 1):
        raise InvalidInputError(f"{what} takes one name in 'of' for unit entity, none for pair.")
    if ask.dataset.unit == "pair":
        ask.words["to"] = ""
        return network, _pairs(network, ask.units)
    target = sorted(ask.entities_named()[0])
    if len(target) != 1:
        raise InvalidInputError(f"{what} needs one entity, not {len(target)}.")
    end, ask.words["to"] = network.place[target[0]], f" to {ask.of[0]}"
    return network, [(end, network.place[unit.id]) for unit in ask.units]


def _pairs(network: Network, units: Sequence[Unit]) -> list[tuple[int, int]]:
    return [(network.place[unit.entities[0]], network.place[unit.entities[1]]) for unit in units]


def _pmi(ask: Request) -> list[float | None]:
    """Return pointwise mutual information (Church & Hanks 1990); missing where no sentence names both."""
    return [_information(*counts) for counts in _together(ask)]


def _npmi(ask: Request) -> list[float]:
    """Return normalised pointwise mutual information (Bouma 2009), -1 to 1; -1 where never together."""
    values = []
    for both, a, b, total in _together(ask):
        bits = _information(both, a, b, total)
        values.append(-1.0 if bits is None else 1.0 if both == total else bits / log2(total / both))
    return values


def _together(ask: Request) -> list[tuple[int, int, int, int]]:
    ids = ask.reading.entity_ids
    total = sum(1 for named in ask.reading.mentions.values() if any(m.id in ids for m in named))
    alone = {entity: len(sentences) for entity, sentences in ask.reading.by_entity.items()}
    return [
        (len(unit.sentences), alone.get(unit.entities[0], 0), alone.get(unit.entities[1], 0), total)
        for unit in ask.units
    ]


def _information(both: int, a: int, b: int, total: int) -> float | None:
    return log2(total * both / (a * b)) if both else None


def _shared(compare: Callable[[Network, int, int], Any]) -> Compute:
    """Return the measure that compares two nodes of the graph."""

    def compute(ask: Request) -> list[Any]:
        network, ask.words["ending"] = corpus_network(ask.reading, ask.of), ask.text("{of:; only }")
        return [compare(network, a, b) for a, b in _pairs(network, ask.units)]

    return compute


def _common(network: Network, a: int, b: int) -> int:
    return len(network.neighbours[a] & network.neighbours[b])


def _jaccard(network: Network, a: int, b: int) -> float | None:
    near, other = network.neighbours[a], network.neighbours[b]
    return len(near & other) / len(near | other) if near | other else None


def _adamic_adar(network: Network, a: int, b: int) -> float:
    shared = sorted(network.neighbours[a] & network.neighbours[b])
    return fsum(1 / log(len(network.neighbours[node])) for node in shared)  # each has two neighbours


def _attachment(network: Network, a: int, b: int) -> int:
    return len(network.neighbours[a]) * len(network.neighbours[b])


def _reciprocal(network: Network, a: int, b: int) -> bool:
    return bool(network.directed[a, b] and network.directed[b, a])


def _same_community(ask: Request) -> list[bool | None]:
    """Return whether both are in one community of the level in `of`, else of the deepest each is in."""
    communities = memberships(ask)
    pairs = [[communities.get(entity) for entity in unit.entities] for unit in ask.units]
    return [None if a is None or b is None else a == b for a, b in pairs]


def _same_document(ask: Request) -> list[bool]:
    """Return whether a document names both, be it in different sentences."""
    where = {id_: {document for document, _ in own} for id_, own in ask.reading.by_entity.items()}
    pairs = [[where.get(entity, set()) for entity in unit.entities] for unit in ask.units]
    return [not a.isdisjoint(b) for a, b in pairs]


MEASURES: Mapping[str, Compute] = {
    "degree": _placed(degrees, absent=0),
    "in_degree": _placed(_in_degrees, absent=0),
    "out_degree": _placed(_out_degrees, absent=0),
    "strength": _placed(strengths, absent=0),
    "in_strength": _placed(_in_strengths, absent=0),
    "out_strength": _placed(_out_strengths, absent=0),
    "pagerank": _placed(_pageranks),
    "betweenness": _placed(_betweennesses, pivots="Brandes & Pich 2007"),
    "closeness": _placed(_closenesses, pivots="Eppstein & Wang 2004"),
    "eigenvector": _placed(eigenvectors),
    "core": _placed(_by_networkx("core_number", int), absent=0),
    "clustering": _placed(_by_networkx("clustering", float)),
    "component": _placed(lambda network: network.part + 1),
    "component_size": _placed(_component_sizes, absent=0),
    "community": _community,
    "size": _size,
    "density": _density,
    "transitivity": _transitivity,
    "components": _components,
    "conductance": _conductance,
    "modularity": _modularity,
    "co_occurrence": _co_occurrence,
    "distance": _distance,
    "weighted_distance": _weighted_distance,
    "pmi": _pmi,
    "npmi": _npmi,
    "common_neighbours": _shared(_common),
    "jaccard": _shared(_jaccard),
    "adamic_adar": _shared(_adamic_adar),
    "preferential_attachment": _shared(_attachment),
    "reciprocal": _shared(_reciprocal),
    "same_community": _same_community,
    "same_document": _same_document,
}
