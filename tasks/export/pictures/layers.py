"""A directed graph in layers, so that arrows point one way (Sugiyama, Tagawa & Toda 1981).

Cycles are opened along a depth-first search, layers are longest paths, crossings are reduced by barycentres
over eight sweeps, and places are the least squares that keep order and distances. All of it is arithmetic in
a fixed order: the same graph has the same drawing on every machine.
"""

from bisect import bisect_left, insort
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import count, pairwise
from math import fsum

Edge = tuple[int, int]
Point = tuple[float, float]
_SWEEPS = 8
_SETTLING = 6


@dataclass
class Layered:
    """Centres of nodes, and for each edge the points it passes, from its source to its target.

    The first coordinate is along the arrows, the second across. `back` are edges that point against the rest.
    """

    places: dict[int, Point]
    routes: dict[int, list[Point]]
    back: set[int]
    along: float
    across: float


@dataclass
class _Net:
    """Layers of nodes and of the bends (numbers from n on) that long edges have in the layers between."""

    layers: list[list[int]]
    size: dict[int, float]
    up: dict[int, list[int]] = field(default_factory=dict)
    down: dict[int, list[int]] = field(default_factory=dict)


def layered(
    sizes: Sequence[Point],
    edges: Sequence[Edge],
    *,
    gap_along: float = 46.0,
    gap_across: float = 14.0,
    bend: float = 9.0,
) -> Layered:
    """Lay out nodes 0 to n - 1 of given sizes (along, across) in points; loops are left to the caller."""
    n = len(sizes)
    back = _against(n, edges)
    forward = {at: (b, a) if at in back else (a, b) for at, (a, b) in enumerate(edges) if a != b}
    rank = _ranks(n, list(forward.values()))
    net, chains = _net(sizes, forward, rank, bend)
    _untangle(net)
    across = _settle(net, gap_across)
    middles, thick, long = _middles(net, sizes, gap_along)
    place = {v: (middles[at], across[v]) for at, layer in enumerate(net.layers) for v in layer}
    low = min((across[v] - net.size[v] / 2 for v in place), default=0.0)
    high = max((across[v] + net.size[v] / 2 for v in place), default=0.0)
    place = {v: (x, y - low) for v, (x, y) in place.items()}
    through = {v: thick[at] / 2 for at, layer in enumerate(net.layers) for v in layer if v >= n}
    routes = {at: _route(chain, place, through)[:: -1 if at in back else 1] for at, chain in chains.items()}
    return Layered({v: place[v] for v in range(n)}, routes, back, long, high - low)


def _route(chain: Sequence[int], place: Mapping[int, Point], through: Mapping[int, float]) -> list[Point]:
    """Return the points of an edge: it passes a layer straight, clear of the nodes on both sides."""
    points = []
    for v in chain:
        (x, y), half = place[v], through.get(v, 0.0)
        points += [(x - half, y), (x + half, y)] if half else [(x, y)]
    return points


def _against(n: int, edges: Sequence[Edge]) -> set[int]:
    """Return the edges that close a cycle in a depth-first search; nodes without causes begin."""
    after: dict[int, list[tuple[int, int]]] = {v: [] for v in range(n)}
    entered = [0] * n
    for at, (a, b) in enumerate(edges):
        after[a].append((at, b))
        entered[b] += a != b
    state, back = [0] * n, set()
    for root in sorted(range(n), key=lambda v: (entered[v] - len(after[v]) if entered[v] else -n, v)):
        stack = [(root, iter(after[root]))] if not state[root] else []
        state[root] = state[root] or 1
        while stack:
            v, rest = stack[-1]
            for at, w in rest:
                if state[w] == 1 and w != v:
                    back.add(at)
                elif not state[w]:
                    state[w] = 1
                    stack.append((w, iter(after[w])))
                    break
            else:
                state[v] = 2
                stack.pop()
    return back


def _ranks(n: int, edges: Sequence[Edge]) -> list[int]:
    """Return the layer of each node: the longest path to it; roots stand right before what they reach."""
    after: list[list[int]] = [[] for _ in range(n)]
    waiting = [0] * n
    for a, b in edges:
        after[a].append(b)
        waiting[b] += 1
    roots = [v for v in range(n) if not waiting[v]]
    rank, ready = [0] * n, list(roots)
    for v in ready:
        for w in after[v]:
            rank[w] = max(rank[w], rank[v] + 1)
            waiting[w] -= 1
            if not waiting[w]:
                ready.append(w)
    for v in roots:
        rank[v] = max(0, min((rank[w] for w in after[v]), default=1) - 1)
    return rank


def _net(
    sizes: Sequence[Point], forward: Mapping[int, Edge], rank: Sequence[int], bend: float
) -> tuple[_Net, dict[int, list[int]]]:
    layers: list[list[int]] = [[] for _ in range(max(rank, default=-1) + 1)]
    for v, at in enumerate(rank):
        layers[at].append(v)
    net = _Net(layers, {v: size[1] for v, size in enumerate(sizes)})
    fresh, chains = count(len(sizes)), {}
    for at, (a, b) in forward.items():
        chain = [a]
        for layer in range(rank[a] + 1, rank[b]):
            chain.append(next(fresh))
            layers[layer].append(chain[-1])
            net.size[chain[-1]] = bend
        chains[at] = [*chain, b]
        for v, w in pairwise(chains[at]):
            net.down.setdefault(v, []).append(w)
            net.up.setdefault(w, []).append(v)
    return net, chains


def _untangle(net: _Net) -> None:
    best, fewest = [list(layer) for layer in net.layers], _crossings(net)
    for sweep in range(_SWEEPS):
        if not fewest:
            break
        downward = sweep % 2 == 0
        order = range(1, len(net.layers)) if downward else range(len(net.layers) - 2, -1, -1)
        for at in order:
            near = net.up if downward else net.down
            fixed = {v: place for place, v in enumerate(net.layers[at - 1 if downward else at + 1])}
            net.layers[at] = _by_barycentre(net.layers[at], near, fixed)
        if (found := _crossings(net)) < fewest:
            best, fewest = [list(layer) for layer in net.layers], found
    net.layers[:] = best


def _by_barycentre(
    layer: Sequence[int], near: Mapping[int, list[int]], fixed: Mapping[int, int]
) -> list[int]:
    weight = {
        v: sum(fixed[w] for w in near[v]) / len(near[v]) if near.get(v) else float(place)
        for place, v in enumerate(layer)
    }
    return sorted(layer, key=lambda v: weight[v])


def _crossings(net: _Net) -> int:
    """Count crossings as inversions between each two layers (Barth, Juenger & Mutzel 2002)."""
    total = 0
    for upper, lower in pairwise(net.layers):
        place = {v: at for at, v in enumerate(lower)}
        seen: list[int] = []
        for v in upper:
            ends = sorted(place[w] for w in net.down.get(v, ()))
            total += sum(len(seen) - bisect_left(seen, end + 1) for end in ends)
            for end in ends:
                insort(seen, end)
    return total


def _settle(net: _Net, gap: float) -> dict[int, float]:
    """Return places across: each node near the mean of its neighbours, none nearer than the gap."""
    across: dict[int, float] = {}
    for layer in net.layers:
        across |= _spread(layer, dict.fromkeys(layer, 0.0), net.size, gap)
    for turn in range(_SETTLING):
        layers = net.layers if turn % 2 == 0 else net.layers[::-1]
        for layer in layers:
            wish = {}
            for v in layer:
                near = [*net.up.get(v, ()), *net.down.get(v, ())]
                wish[v] = fsum(across[w] for w in near) / len(near) if near else across[v]
            across |= _spread(layer, wish, net.size, gap)
    return across


def _spread(
    layer: Sequence[int], wish: Mapping[int, float], size: Mapping[int, float], gap: float
) -> dict[int, float]:
    """Return the least-squares places that keep order and distances, by pooling adjacent violators."""
    offset, at = {}, 0.0
    for before, v in pairwise([None, *layer]):
        at += 0.0 if before is None else (size[before] + size[v]) / 2 + gap  # type: ignore[index]
        offset[v] = at
    blocks: list[tuple[float, int]] = []
    for v in layer:
        total, n = wish[v] - offset[v], 1
        while blocks and blocks[-1][0] / blocks[-1][1] > total / n:
            total, n = total + blocks[-1][0], n + blocks[-1][1]
            blocks.pop()
        blocks.append((total, n))
    means = [total / n for total, n in blocks for _ in range(n)]
    return {v: mean + offset[v] for v, mean in zip(layer, means, strict=True)}


def _middles(net: _Net, sizes: Sequence[Point], gap: float) -> tuple[list[float], list[float], float]:
    """Return the middle of each layer along the arrows, how thick it is, and how long all of them are."""
    middles, thicks, end = [], [], 0.0
    for layer in net.layers:
        thick = max((sizes[v][0] for v in layer if v < len(sizes)), default=0.0)
        middles.append(end + thick / 2)
        thicks.append(thick)
        end += thick + gap
    return middles, thicks, max(0.0, end - gap)
