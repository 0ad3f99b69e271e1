"""Leiden communities by modularity, every step in a fixed order: what is far from a change stays as it is."""

from collections import defaultdict, deque
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from hashlib import blake2b

from corpusgraph.tasks._steps import EVERY, counted, step

Edges = Mapping[tuple[str, str], float]
"""Weight between two nodes, each pair once."""
Home = list[int]
"""Number of each node's community."""
_TIE = 1e-12


@dataclass(frozen=True)
class Network:
    """Nodes 0 to n-1: neighbours with weights, strengths (weight of all edges), twice the weight of all."""

    neighbours: Sequence[Mapping[int, float]]
    strength: Sequence[float]
    total: float
    resolution: float

    def expected(self, strength: float, others: float) -> float:
        """Return the weight expected by chance between two sets of nodes of these strengths."""
        return self.resolution * strength * others / (self.total or 1.0)


def parted(edges: Edges, *, resolution: float, seed: int, rounds: int) -> list[list[str]]:
    """Partition a graph (Traag, Waltman & van Eck 2019, modularity); each part sorted, parts by first node.

    Nodes are visited in the order of a hash of `seed` and their name, and refinement merges greedily where
    the authors draw at random: a node more or less changes the order of no others, so that far from it the
    same steps are made. A round moves nodes, refines and aggregates until nothing moves; the next, up to
    `rounds`, begins with its result.
    """
    names = sorted({end for ends in edges for end in ends}, key=_turn(seed))
    network = _network(edges, names, resolution)
    home = list(range(len(names)))
    for _ in range(rounds):
        before, home = home, _numbered(_round(network, home))
        if home == before:
            break
    parts = [[names[node] for node in part] for part in _connected(network, home)]
    return sorted(sorted(part) for part in parts)


def _turn(seed: int) -> Callable[[str], bytes]:
    return lambda name: blake2b(f"{seed}\x1f{name}".encode(), digest_size=16).digest()


def _network(edges: Edges, names: Sequence[str], resolution: float) -> Network:
    number = {name: at for at, name in enumerate(names)}
    neighbours: list[dict[int, float]] = [{} for _ in names]
    for (first, second), weight in counted(edges.items(), "communities: edges laid"):
        neighbours[number[first]][number[second]] = weight
        neighbours[number[second]][number[first]] = weight
    strength = [sum(near.values()) for near in neighbours]
    return Network(neighbours, strength, sum(strength), resolution)


def _numbered(home: Iterable[int]) -> Home:
    """Give communities new numbers, in the order of their first nodes."""
    numbers: dict[int, int] = {}
    return [numbers.setdefault(number, len(numbers)) for number in home]


def _round(network: Network, home: Home) -> Home:
    """Move nodes, then merge what stays together to one node each and go on with those."""
    inside = list(range(len(home)))  # the node of the network at hand that each first node is in
    while True:
        home = _move(network, home)
        found = [home[node] for node in inside]
        if len(set(home)) == len(home):
            return found
        merged = _numbered(_refine(network, home))
        if len(set(merged)) == len(merged):
            merged = _numbered(home)
        network, home = _merged(network, merged, home)
        inside = [merged[node] for node in inside]


def _move(network: Network, start: Home) -> Home:
    """Move each node to the neighbouring community that raises modularity most, until none can be moved."""
    home, empty = list(start), max(start) + 1
    strength: dict[int, float] = defaultdict(float)
    for node, number in enumerate(home):
        strength[number] += network.strength[node]
    queue, queued = deque(range(len(home))), [True] * len(home)
    looked = 0
    while queue:
        if not looked % EVERY:
            step("communities: nodes looked at", looked)
        looked += 1
        node = queue.popleft()
        queued[node] = False
        own, best = home[node], _best(network, node, home, strength)
        if best is None:
            best, empty = empty, empty + 1
        if best != own:
            strength[own] -= network.strength[node]
            strength[best] += network.strength[node]
            home[node] = best
            for near in network.neighbours[node]:
                if home[near] != best and not queued[near]:
                    queue.append(near)
                    queued[near] = True
    return home


def _best(network: Network, node: int, home: Home, strength: Mapping[int, float]) -> int | None:
    """Return the community a node is best in: its own before others, then the first; None: none is good."""
    own, mine = home[node], network.strength[node]
    shared = {own: 0.0}
    for near, weight in network.neighbours[node].items():
        if near != node:
            shared[home[near]] = shared.get(home[near], 0.0) + weight
    best, most = own, shared[own] - network.expected(mine, strength[own] - mine)
    for number, weight in shared.items():
        gain = weight - network.expected(mine, strength[number]) if number != own else most
        if gain > most + _TIE or (gain > most - _TIE and own != best > number != own):
            best, most = number, gain
    return best if most > -_TIE else None


def _refine(network: Network, home: Home) -> Home:
    """Merge nodes within their communities, from single ones on, each into what it is well connected to."""
    whole: dict[int, float] = defaultdict(float)
    for node, number in enumerate(home):
        whole[number] += network.strength[node]
    refined, strength, alone = list(range(len(home))), list(network.strength), [True] * len(home)
    within = [
        sum(weight for near, weight in around.items() if near != node and home[near] == home[node])
        for node, around in enumerate(counted(network.neighbours, "communities: nodes weighed"))
    ]

    def well_connected(part: int, number: int) -> bool:
        return within[part] >= network.expected(strength[part], whole[number] - strength[part])

    for node, number in enumerate(counted(home, "communities: nodes refined")):
        if not alone[node] or not well_connected(node, number):
            continue
        shared: dict[int, float] = {}
        for near, weight in network.neighbours[node].items():
            if near != node and home[near] == number:
                shared[refined[near]] = shared.get(refined[near], 0.0) + weight
        gains = {
            part: weight - network.expected(strength[node], strength[part])
            for part, weight in shared.items()
            if well_connected(part, number)
        }
        best = min(gains, key=lambda part: (-gains[part], part), default=node)
        if best != node and gains[best] > _TIE:
            refined[node], alone[best] = best, False
            strength[best] += strength[node]
            within[best] += within[node] - 2 * shared[best]
    return refined


def _merged(network: Network, merged: Home, home: Home) -> tuple[Network, Home]:
    """Make one node of all that have one number in `merged`; each stands in the community of its nodes."""
    count = max(merged) + 1
    neighbours: list[dict[int, float]] = [{} for _ in range(count)]
    strength, homes = [0.0] * count, [0] * count
    for node, number in enumerate(counted(merged, "communities: nodes merged")):
        strength[number] += network.strength[node]
        homes[number] = home[node]
        around = neighbours[number]
        for near, weight in network.neighbours[node].items():
            around[merged[near]] = around.get(merged[near], 0.0) + weight
    return Network(neighbours, strength, network.total, network.resolution), _numbered(homes)


def _connected(network: Network, home: Home) -> list[list[int]]:
    """Return the nodes of each community; one that fell apart when a node left is several."""
    parts, seen = [], [False] * len(home)
    for first in counted(range(len(home)), "communities: nodes joined"):
        if not seen[first]:
            part, seen[first] = [first], True
            for node in part:
                for near in network.neighbours[node]:
                    if not seen[near] and home[near] == home[first]:
                        seen[near] = True
                        part.append(near)
            parts.append(part)
    return parts
