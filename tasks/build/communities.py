"""Groups of entities that belong together, at several levels: hierarchical Leiden."""

import math
from collections import defaultdict, deque
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from hashlib import blake2b

import numpy as np

from corpusgraph.schemas.base import stable_id
from corpusgraph.schemas.graph import VALUES, Community, Entity, Relationship
from corpusgraph.schemas.ports import Ints
from corpusgraph.schemas.study import CommunityOptions
from corpusgraph.tasks.graph.compiled import Doubles, firsts, in_order, spread, starts
from corpusgraph.tasks.graph.inputs import summed
from corpusgraph.tasks.graph.names import grouped
from corpusgraph.tasks.progress import EVERY, counted, step

Edges = Mapping[tuple[str, str], float]
"""Weight between two nodes, each pair once."""


@dataclass(frozen=True)
class Network:
    """Nodes 0 to n-1, and what lies between two of them: each edge both ways round, sorted by `rows`.

    `rows`, `columns`: the two nodes, never the same; `weight`: above 0; `strength` of a node: the weight of
    all its edges, also of those inside it since nodes were merged; `total`: twice the weight of all edges.
    The edges of one node stay in the order in which they were given: nodes are looked at again in that order.
    Sums are taken from first to last, so that the same graph gives the same to the last bit.

    Attributes
    ----------
    rows, columns : array of int
        Ends of each edge, of shape (m,).
    weight : array of float
        Of each edge, of shape (m,).
    strength : array of float
        Of each node, of shape (n,).
    total : float
        Twice the weight of all edges.
    resolution : float
        Above 1 for smaller communities.

    """

    rows: Ints
    columns: Ints
    weight: Doubles
    strength: Doubles
    total: float
    resolution: float

    @cached_property
    def lists(self) -> tuple[list[int], list[int], list[float], list[float]]:
        """Where the edges of each node begin and those of the last end; `columns`; `weight`; `strength`.

        A loop reads lists several times as fast as arrays.
        """
        begin = starts(self.rows, len(self.strength))
        return begin.tolist(), self.columns.tolist(), self.weight.tolist(), self.strength.tolist()


def laid(edges: Edges, names: Sequence[str], resolution: float) -> Network:
    """Lay out a graph of nodes of these names; an edge of a node with itself is left out.

    Parameters
    ----------
    edges : mapping of (str, str) to float
        Ends -> weight.
    names : sequence of str
        Of the nodes, in order of their numbers.
    resolution : float
        Above 1 for smaller communities.

    Returns
    -------
    Network
        Nodes in the order of the names, edges both ways.

    """
    number = {name: at for at, name in enumerate(names)}
    ends = [number[end] for both in counted(edges, "communities: edges laid") for end in both]
    rows = np.array(ends, dtype=np.int64)
    columns = rows.reshape(-1, 2)[:, ::-1].ravel()
    weight = np.repeat(np.fromiter(edges.values(), dtype=np.float64, count=len(edges)), 2)
    order = in_order(rows, len(names))
    order = order[rows[order] != columns[order]]
    return _weighed(rows[order], columns[order], weight[order], len(names), resolution)


def part_of(network: Network, nodes: Ints) -> Network:
    """Return what lies between these nodes (ascending), which become 0 to n-1, as a graph of its own.

    Parameters
    ----------
    network : Network
        The graph.
    nodes : array of int, shape (k,)
        Ascending.

    Returns
    -------
    Network
        Of k nodes.

    """
    number = np.full(len(network.strength), -1, dtype=np.int64)
    number[nodes] = np.arange(len(nodes))
    edges, rows = spread(starts(network.rows, len(network.strength)), nodes)
    columns = number[network.columns[edges]]
    inside = columns >= 0
    weight = network.weight[edges[inside]]
    return _weighed(rows[inside], columns[inside], weight, len(nodes), network.resolution)


def merged(network: Network, into: Ints) -> Network:
    """Make one node of all that have one number in `into` (0 to n-1); edges are summed.

    Parameters
    ----------
    network : Network
        The graph.
    into : array of int, shape (n,)
        New number of each node.

    Returns
    -------
    Network
        Of as many nodes as there are numbers.

    """
    count = int(into.max()) + 1
    rows, columns = into[network.rows], into[network.columns]
    outside = np.flatnonzero(rows != columns)
    key = rows[outside] * count + columns[outside]
    order = in_order(key, count * count)
    first = firsts(key[order])
    group = np.empty(len(key), dtype=np.int64)
    group[order] = np.cumsum(first) - 1
    weight = _summed(group, network.weight[outside], 0)
    # an edge stands where the first of those it is the sum of stood
    leading = order[first]
    placed = in_order(rows[outside[leading]] * len(key) + leading, count * len(key))
    ends = outside[leading[placed]]
    strength = _summed(into, network.strength, count)
    return Network(rows[ends], columns[ends], weight[placed], strength, network.total, network.resolution)


def _weighed(rows: Ints, columns: Ints, weight: Doubles, count: int, resolution: float) -> Network:
    strength = _summed(rows, weight, count)
    total = float(np.cumsum(strength)[-1]) if count else 0.0
    return Network(rows, columns, weight, strength, total or 1.0, resolution)


def _summed(at: Ints, values: Doubles, count: int) -> Doubles:
    """Sum values by their numbers, from first to last; at least so many sums."""
    return np.bincount(at, values, minlength=count).astype(np.float64, copy=False)


Home = list[int]
"""Number of each node's community."""
_TIE = 1e-12


def turns(edges: Edges, seed: int) -> list[str]:
    """Return the nodes in the order in which they are visited.

    Parameters
    ----------
    edges : mapping of (str, str) to float
        Ends -> weight.
    seed : int
        Of the order.

    Returns
    -------
    list of str
        The same for the same names and seed, whatever the order of the edges.

    """
    names = {end for ends in edges for end in ends}
    return sorted(names, key=lambda name: blake2b(f"{seed}\x1f{name}".encode(), digest_size=16).digest())


def divided(network: Network, rounds: int) -> list[list[int]]:
    """Partition a network (Traag, Waltman & van Eck 2019, modularity); parts by first node, connected.

    Nodes are visited in their order, and refinement merges greedily where the authors draw at random: where
    the order is `turns`, a node more or less changes the order of no others, so that far from it the same
    steps are made. A round moves nodes, refines and aggregates until nothing moves; the next begins with its
    result.

    Parameters
    ----------
    network : Network
        The graph.
    rounds : int
        At most.

    Returns
    -------
    list of list of int
        Numbers of nodes.

    References
    ----------
    Traag, Waltman & van Eck 2019.

    """
    home = list(range(len(network.strength)))
    for _ in range(rounds):
        before, home = home, _numbered(_round(network, home))
        if home == before:
            break
    return _connected(network, home)


def _numbered(home: Iterable[int]) -> Home:
    """Give communities new numbers, in the order of their first nodes."""
    numbers: dict[int, int] = {}
    return [numbers.setdefault(number, len(numbers)) for number in home]


def _round(network: Network, home: Home) -> Home:
    """Move nodes, then merge what stays together to one node each and go on with those."""
    inside = np.arange(len(home))  # the node of the network at hand that each first node is in
    while True:
        home = _move(network, home)
        if len(set(home)) == len(home):
            return [home[node] for node in inside.tolist()]
        into = _numbered(_refine(network, home))
        if len(set(into)) == len(into):
            into = _numbered(home)
        homes = dict(zip(into, home, strict=True))
        network, home = merged(network, np.array(into)), _numbered(homes[node] for node in range(len(homes)))
        inside = np.array(into)[inside]


def _move(network: Network, start: Home) -> Home:
    """Move each node to the neighbouring community that raises modularity most, until none can be moved."""
    home, (first, near, _, strengths) = list(start), network.lists
    strength: list[float] = np.bincount(home, network.strength).tolist()
    shared = [0.0] * len(strength)
    best_of = _chooser(network, home, strength, shared)
    queue, queued = deque(range(len(home))), [True] * len(home)
    looked = 0
    while queue:
        if not looked % EVERY:
            step("communities: nodes looked at", looked)
        looked += 1
        node = queue.popleft()
        queued[node] = False
        own, best = home[node], best_of(node)
        if best == own:
            continue
        if best == len(strength):
            strength.append(0.0)
            shared.append(0.0)
        mine = strengths[node]
        strength[own] -= mine
        strength[best] += mine
        home[node] = best
        for other in near[first[node] : first[node + 1]]:
            if not queued[other] and home[other] != best:
                queue.append(other)
                queued[other] = True
    return home


def _chooser(
    network: Network, home: Home, strength: list[float], shared: list[float]
) -> Callable[[int], int]:
    """Return what tells the community a node is best in: its own before others, then the first, or a new one.

    `home` and the `strength` of communities are read as they are at each call; `shared` is room to add up
    weight by community, as long as `strength`, and is left at 0.
    """
    first, near, weights, strengths = network.lists
    resolution, total, tie = network.resolution, network.total, _TIE

    def best_of(node: int) -> int:
        begin, end = first[node], first[node + 1]
        best = own = home[node]
        mine = strengths[node]
        met = _met(home, near[begin:end], weights[begin:end], shared)
        scale = resolution * mine
        most = shared[own] - scale * (strength[own] - mine) / total
        least = most - tie
        for number in met:
            weight = shared[number]
            shared[number] = 0.0
            if weight > least and number != own:  # what is expected only takes from it
                gain = weight - scale * strength[number] / total
                if gain > least and (gain > most + tie or own != best > number):
                    best, most, least = number, gain, gain - tie
        return best if most > -tie else len(strength)

    return best_of


def _met(home: Home, near: list[int], weights: list[float], shared: list[float]) -> list[int]:
    """Add up the weight to each community that neighbours are in; return those met, each once."""
    met = []
    for other, weight in zip(near, weights):  # noqa: B905 - as long as each other
        number = home[other]
        before = shared[number]
        if not before:
            met.append(number)
        shared[number] = before + weight
    return met


def _refine(network: Network, home: Home) -> Home:
    """Merge nodes within their communities, from single ones on, each into what it is well connected to."""
    numbers = np.array(home)
    inside = numbers[network.rows] == numbers[network.columns]
    rows, weights = network.rows[inside], network.weight[inside]
    begin, near = starts(rows, len(home)).tolist(), network.columns[inside].tolist()
    sums = np.bincount(rows, weights, minlength=len(home))
    wholes = np.bincount(numbers, network.strength)[numbers]
    expected = network.resolution * network.strength * (wholes - network.strength) / network.total
    willing = np.flatnonzero(sums >= expected).tolist()
    within, whole, weight = sums.tolist(), wholes.tolist(), weights.tolist()
    refined, strength, alone = list(range(len(home))), network.strength.tolist(), [True] * len(home)
    resolution, total, shared = network.resolution, network.total, [0.0] * len(home)
    for node in counted(willing, "communities: nodes refined"):
        if not alone[node]:
            continue
        mine, start, end = strength[node], begin[node], begin[node + 1]
        met = _met(refined, near[start:end], weight[start:end], shared)
        best, most, inside = node, _TIE, 0.0
        for part in met:
            weighs, shared[part] = shared[part], 0.0
            if weighs < most:
                continue
            theirs = strength[part]
            gain = weighs - resolution * mine * theirs / total
            if (gain > most or (gain == most and node != best > part)) and (
                within[part] >= resolution * theirs * (whole[part] - theirs) / total
            ):
                best, most, inside = part, gain, weighs
        if best != node:
            refined[node], alone[best] = best, False
            strength[best] += mine
            within[best] += within[node] - 2 * inside
    return refined


def _connected(network: Network, home: Home) -> list[list[int]]:
    """Return the nodes of each community; one that fell apart when a node left is several."""
    from scipy.sparse import coo_array, csgraph

    homes, n = np.array(home), len(home)
    inside = homes[network.rows] == homes[network.columns]
    ends = network.rows[inside], network.columns[inside]
    matrix = coo_array((np.ones(len(ends[0]), dtype=np.int8), ends), shape=(n, n)).tocsr()
    parts = csgraph.connected_components(matrix, directed=False)[1].tolist()  # by first node
    return list(grouped((part, node) for node, part in enumerate(parts)).values())


ITERATIONS = 3
"""Rounds of graspologic's Leiden; more gain less than a thousandth of modularity."""
RANDOMNESS = 0.001
"""Leiden's theta: how freely refinement explores; the value of its authors' experiments is 0.01 or less."""
ROUNDS, ROUNDS_BELOW = 10, 1
"""Rounds of the local Leiden on level 0 and below, at most. More rounds below move more communities with each
new document and gain no modularity of the smallest ones."""


@dataclass(slots=True)
class _Cluster:
    """A community: level (0: coarsest), number of the one it is part of, nodes, and what lies between."""

    level: int
    parent: int | None
    members: list[str]
    relationships: list[Relationship] = field(default_factory=list)
    centrality: dict[str, float] = field(default_factory=lambda: defaultdict(float))
    given_id: str | None = None

    @property
    def id(self) -> str:
        return self.given_id or stable_id("com", self.level, *self.members)

    @property
    def weight(self) -> float:
        """Weight of the relationships inside."""
        return math.fsum(relationship.weight for relationship in self.relationships)


def partition(edges: Edges, options: CommunityOptions) -> dict[int, _Cluster]:
    """Return number -> community; numbers are unique over all levels, parents come before their parts.

    Parameters
    ----------
    edges : mapping of (str, str) to float
        Ends -> weight, each pair once.
    options : CommunityOptions
        Algorithm, resolution, seed and largest size.

    Returns
    -------
    dict of int to Part
        With its members, its level (0 is the coarsest) and its parent.

    """
    import graspologic_native

    if options.algorithm == "stable":
        return _locally(edges, options)

    found = graspologic_native.hierarchical_leiden(
        edges=[(first, second, weight) for (first, second), weight in edges.items()],
        starting_communities=None,
        resolution=options.resolution,
        randomness=RANDOMNESS,
        iterations=ITERATIONS,
        use_modularity=True,
        max_cluster_size=options.max_size,
        seed=options.seed,
    )
    parts: dict[int, _Cluster] = {}
    for row in sorted(found, key=lambda row: (row.level, row.cluster, row.node)):
        parts.setdefault(row.cluster, _Cluster(row.level, row.parent_cluster, [])).members.append(row.node)
    return parts


def _locally(edges: Edges, options: CommunityOptions) -> dict[int, _Cluster]:
    """Divide what is too large by its own edges alone: a community that stays as it was keeps all below it.

    Of 500 communities of 240 chapters of novels, one chapter less changes the members of 15 % (11 to 15 %
    with other seeds), where graspologic, whose random stream runs through all levels, changes 44 %; both
    reach a modularity of 0.754 on level 0.
    """
    names = turns(edges, options.seed)
    parts: dict[int, _Cluster] = {}
    # to be divided: number (None: all nodes), nodes by name, and what lies between them
    whole = laid(edges, names, options.resolution)
    waiting: list[tuple[int | None, list[str], Network]] = [(None, names, whole)]
    for parent, members, network in counted(iter(waiting), "communities: parts divided", every=16):
        found = divided(network, ROUNDS if parent is None else ROUNDS_BELOW)
        if parent is not None and len(found) == 1:
            continue
        level = 0 if parent is None else parts[parent].level + 1
        for named, nodes in sorted((sorted(members[node] for node in part), part) for part in found):
            number = len(parts)
            parts[number] = _Cluster(level, parent, named)
            if len(named) > options.max_size:
                nodes.sort()
                waiting.append((number, [members[node] for node in nodes], part_of(network, np.array(nodes))))
    return parts


N_TITLE, N_KEYWORDS = 3, 10


def find_communities(
    entities: Sequence[Entity], relationships: Sequence[Relationship], options: CommunityOptions
) -> list[Community]:
    """Partition the graph by hierarchical Leiden (Traag, Waltman & van Eck 2019, modularity), level by level.

    Relationships of all types between two entities are one undirected edge, of the sum of their weights;
    relationships that are only denied, dates and quantities are left out. Level 0 is the coarsest; a
    community above `options.max_size` is divided on the next level, so a small one reaches no further. An
    entity without an edge is in none. The result, in id order, depends on the graph and `options.seed` alone.

    `options.algorithm` says whose Leiden: graspologic's, or one whose changes stay near what changed.

    `rating` is 10 ln(1 + w) / ln(1 + W): w is the weight inside the community, W the largest such weight.

    Parameters
    ----------
    entities : sequence of Entity
        All entities.
    relationships : sequence of Relationship
        All relationships.
    options : CommunityOptions
        Algorithm, resolution, seed and largest size.

    Returns
    -------
    list of Community
        Empty for a graph without edges.

    References
    ----------
    Traag, Waltman & van Eck 2019.

    """
    # a year ties together whatever happened in it
    named = {entity.id: entity for entity in entities if entity.type not in VALUES}
    inside = [r for r in counted(relationships, "communities: relationships read") if _counts(r, named)]
    edges = undirected(inside)
    if not edges:
        return []
    clusters = partition(edges, options)
    _fill(clusters, sorted(inside, key=lambda relationship: relationship.id))
    return _described(clusters, named)


def narrowed(
    communities: Sequence[Community], entities: Sequence[Entity], relationships: Sequence[Relationship]
) -> list[Community]:
    """Describe communities anew by a part of the graph: ids stay, members that are not in it leave.

    A community that loses all its members is gone; its children had no others. In the order given.

    Parameters
    ----------
    communities : sequence of Community
        Of the whole graph.
    entities : sequence of Entity
        Those of the part.
    relationships : sequence of Relationship
        Those of the part.

    Returns
    -------
    list of Community
        Level and parent are those they had.

    """
    named = {entity.id: entity for entity in entities if entity.type not in VALUES}
    numbers = {community.id: number for number, community in enumerate(communities)}
    clusters = {}
    for number, community in enumerate(communities):
        members = [member for member in community.entity_ids if member in named]
        if members:
            parent = numbers.get(community.parent_id) if community.parent_id else None
            clusters[number] = _Cluster(community.level, parent, members, given_id=community.id)
    if not clusters:
        return []
    inside = (relationship for relationship in relationships if _counts(relationship, named))
    _fill(clusters, sorted(inside, key=lambda relationship: relationship.id))
    described = {community.id: community for community in _described(clusters, named)}
    return [
        described[community.id].model_copy(update={"short_id": community.short_id})
        for community in communities
        if community.id in described
    ]


def _counts(relationship: Relationship, named: Mapping[str, Entity]) -> bool:
    ends = (relationship.source_id, relationship.target_id)
    return relationship.is_stated and ends[0] != ends[1] and all(end in named for end in ends)


def undirected(relationships: Iterable[Relationship]) -> dict[tuple[str, str], float]:
    """Sum the weights between each two entities, ends in order; sorted, so that later sums are the same.

    Parameters
    ----------
    relationships : iterable of Relationship
        Of any types.

    Returns
    -------
    dict of (str, str) to float
        Ends -> weight.

    """
    edges: dict[tuple[str, str], list[float]] = defaultdict(list)
    for relationship in counted(relationships, "communities: relationships joined"):
        first, second = sorted((relationship.source_id, relationship.target_id))
        edges[first, second].append(relationship.weight)
    return {ends: math.fsum(edges[ends]) for ends in counted(sorted(edges), "communities: edges summed")}


def _fill(clusters: Mapping[int, _Cluster], relationships: Iterable[Relationship]) -> None:
    """Give each cluster the relationships between its members, and each member its weight of them."""
    home = grouped((member, number) for number in sorted(clusters) for member in clusters[number].members)
    for relationship in counted(relationships, "communities: relationships placed"):
        ends = (relationship.source_id, relationship.target_id)
        shared = set(home.get(ends[1], ()))
        for number in home.get(ends[0], ()):
            if number in shared:
                clusters[number].relationships.append(relationship)
                for end in ends:
                    clusters[number].centrality[end] += relationship.weight


def _described(clusters: Mapping[int, _Cluster], named: Mapping[str, Entity]) -> list[Community]:
    heaviest = max(cluster.weight for cluster in clusters.values()) or 1.0  # nothing but isolated members
    children = grouped((cluster.parent, cluster.id) for cluster in clusters.values())
    communities = []
    for number, cluster in counted(clusters.items(), "communities described", every=256):
        central = sorted(cluster.members, key=lambda id_: (-cluster.centrality[id_], id_))
        inside = cluster.relationships
        communities.append(
            Community(
                id=cluster.id,
                entity_ids=tuple(sorted(cluster.members)),
                level=cluster.level,
                title=", ".join(named[member].name for member in central[:N_TITLE]),
                keywords=_keywords(cluster, [named[member] for member in central]),
                parent_id=None if cluster.parent is None else clusters[cluster.parent].id,
                children=tuple(sorted(children.get(number, ()))),
                relationship_ids=tuple(edge.id for edge in inside),
                chunk_ids=tuple(sorted({chunk for edge in inside for chunk in edge.chunk_ids or ()})),
                size=len(cluster.members),
                rating=round(10 * math.log1p(cluster.weight) / math.log1p(heaviest), 2),
            )
        )
    order = sorted(communities, key=lambda c: (c.level, -len(c.entity_ids), c.id))
    numbers = {community.id: number for number, community in enumerate(order, start=1)}
    numbered = [c.model_copy(update={"short_id": numbers[c.id]}) for c in communities]
    return sorted(numbered, key=lambda community: community.id)


def _keywords(cluster: _Cluster, central: list[Entity]) -> tuple[str, ...]:
    """Return the cues of the heaviest relationships and the most central concepts, in turn."""
    weights = summed((cue, edge.weight) for edge in cluster.relationships for cue in edge.keywords or ())
    cues = sorted(weights, key=lambda keyword: (-weights[keyword], keyword))
    concepts = [entity.name for entity in central if entity.type == "concept"]
    return tuple(dict.fromkeys((*concepts[: N_KEYWORDS // 2], *cues, *concepts)))[:N_KEYWORDS]
