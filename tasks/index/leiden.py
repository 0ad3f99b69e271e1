"""Leiden communities by modularity, every step in a fixed order: what is far from a change stays as it is."""

from collections import deque
from collections.abc import Callable, Iterable
from hashlib import blake2b

import numpy as np

from corpusgraph.schemas.ports import Ints
from corpusgraph.tasks._steps import EVERY, counted, step
from corpusgraph.tasks.graph.arrays import Doubles
from corpusgraph.tasks.graph.runs import firsts, in_order, starts
from corpusgraph.tasks.index.network import Edges, Network, laid, merged

Home = list[int]
"""Number of each node's community."""
_TIE = 1e-12
_SLACK = 1e-9
"""What rounding may add up to, as a part of a node's strength: a million times what one sum is off by."""
_FEW = 200
"""Up to so many nodes are all looked at in less time than it takes to tell which need not be."""


def parted(edges: Edges, *, resolution: float, seed: int, rounds: int) -> list[list[str]]:
    """Partition a graph (Traag, Waltman & van Eck 2019, modularity); each part sorted, parts by first node.

    Nodes are visited in the order of a hash of `seed` and their name, and refinement merges greedily where
    the authors draw at random: a node more or less changes the order of no others, so that far from it the
    same steps are made. A round moves nodes, refines and aggregates until nothing moves; the next, up to
    `rounds`, begins with its result.
    """
    names = turns(edges, seed)
    parts = divided(laid(edges, names, resolution), rounds)
    return sorted(sorted(names[node] for node in part) for part in parts)


def turns(edges: Edges, seed: int) -> list[str]:
    """Return the nodes in the order in which they are visited."""
    return sorted({end for ends in edges for end in ends}, key=_turn(seed))


def _turn(seed: int) -> Callable[[str], bytes]:
    return lambda name: blake2b(f"{seed}\x1f{name}".encode(), digest_size=16).digest()


def divided(network: Network, rounds: int) -> list[list[int]]:
    """Partition a network in so many rounds at most, as `parted` says; parts by first node, connected."""
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
    home, first, near, strengths = list(start), network.starts, network.near, network.strengths
    strength: list[float] = np.bincount(home, network.strength).tolist()
    settled, moved = _settled(network, np.array(home), np.array(strength)), 0.0
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
        if moved < settled[node]:
            continue
        own, best = home[node], best_of(node)
        if best == own:
            continue
        if best == len(strength):
            strength.append(0.0)
            shared.append(0.0)
        mine = strengths[node]
        strength[own] -= mine
        strength[best] += mine
        moved += mine
        home[node] = best
        for other in near[first[node] : first[node + 1]]:
            settled[other] = 0.0
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
    first, near, weights, strengths = network.starts, network.near, network.weights, network.strengths
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


def _settled(network: Network, home: Ints, strength: Doubles) -> list[float]:
    """Return how much strength may change communities before a node has to be looked at; 0: in any case.

    As long as none of its neighbours moves, strength that moves changes what a node gains anywhere by at most
    its expected weight with it, in the community left and in the one joined. So a node that is better off
    where it is by more than that would stay; from the second round on that holds for nearly all.
    """
    if len(home) < _FEW or len(home) == len(strength):  # all are alone, and most will move
        return [0.0] * len(home)
    key = network.rows * len(strength) + home[network.columns]
    order = in_order(key, len(home) * len(strength))
    first = firsts(key[order])
    shared = np.bincount(np.cumsum(first) - 1, network.weight[order])
    node, number = np.divmod(key[order[first]], len(strength))
    scale = network.resolution * network.strength
    gain = shared - scale[node] * strength[number] / network.total
    own = number == home[node]
    stays = -network.expected(strength[home] - network.strength)
    stays[node[own]] += shared[own]
    leaves = np.zeros(len(home))  # alone it gains nothing
    np.maximum.at(leaves, node[~own], gain[~own])
    spare = stays - leaves - _SLACK * (1 + network.strength + scale)
    found = np.zeros(len(home))
    np.divide(spare * network.total, 2 * scale, out=found, where=scale > 0)
    limits: list[float] = found.clip(0).tolist()
    return limits


def _refine(network: Network, home: Home) -> Home:
    """Merge nodes within their communities, from single ones on, each into what it is well connected to."""
    numbers = np.array(home)
    inside = numbers[network.rows] == numbers[network.columns]
    rows, weights = network.rows[inside], network.weight[inside]
    begin, near = starts(rows, len(home)).tolist(), network.columns[inside].tolist()
    sums = np.bincount(rows, weights, minlength=len(home))
    wholes = np.bincount(numbers, network.strength)[numbers]
    willing = np.flatnonzero(sums >= network.expected(wholes - network.strength)).tolist()
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
    parts, seen = [], [False] * len(home)
    begin, near = network.starts, network.near
    for first in counted(range(len(home)), "communities: nodes joined"):
        if not seen[first]:
            part, seen[first] = [first], True
            for node in part:
                for other in near[begin[node] : begin[node + 1]]:
                    if not seen[other] and home[other] == home[first]:
                        seen[other] = True
                        part.append(other)
            parts.append(part)
    return parts
