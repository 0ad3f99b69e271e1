"""Communities at several levels as bare sets of nodes: by graspologic, or by steps that stay local."""

from typing import NamedTuple

import numpy as np

from corpusgraph.schemas.study import CommunityOptions
from corpusgraph.tasks._steps import counted
from corpusgraph.tasks.index.leiden import divided, turns
from corpusgraph.tasks.index.network import Edges, Network, laid, part_of

ITERATIONS = 3
"""Rounds of graspologic's Leiden; more gain less than a thousandth of modularity."""
RANDOMNESS = 0.001
"""Leiden's theta: how freely refinement explores; the value of its authors' experiments is 0.01 or less."""
ROUNDS, ROUNDS_BELOW = 10, 1
"""Rounds of the local Leiden on level 0 and below, at most. More rounds below move more communities with each
new document and gain no modularity of the smallest ones."""


class Part(NamedTuple):
    """A community's level (0: coarsest), the number of the one it is part of, and its nodes."""

    level: int
    parent: int | None
    members: list[str]


class _Waiting(NamedTuple):
    """A community to be divided: number (None: all nodes), nodes by name, and what lies between them."""

    number: int | None
    members: list[str]
    network: Network


def partition(edges: Edges, options: CommunityOptions) -> dict[int, Part]:
    """Return number -> community; numbers are unique over all levels, parents come before their parts."""
    return _locally(edges, options) if options.algorithm == "stable" else _by_graspologic(edges, options)


def _by_graspologic(edges: Edges, options: CommunityOptions) -> dict[int, Part]:
    import graspologic_native

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
    parts: dict[int, Part] = {}
    for row in sorted(found, key=lambda row: (row.level, row.cluster, row.node)):
        parts.setdefault(row.cluster, Part(row.level, row.parent_cluster, [])).members.append(row.node)
    return parts


def _locally(edges: Edges, options: CommunityOptions) -> dict[int, Part]:
    """Divide what is too large by its own edges alone: a community that stays as it was keeps all below it.

    Of 500 communities of 240 chapters of novels, one chapter less changes the members of 15 % (11 to 15 %
    with other seeds), where graspologic, whose random stream runs through all levels, changes 44 %; both
    reach a modularity of 0.754 on level 0.
    """
    names = turns(edges, options.seed)
    parts: dict[int, Part] = {}
    waiting: list[_Waiting] = [_Waiting(None, names, laid(edges, names, options.resolution))]
    for parent, members, network in counted(iter(waiting), "communities: parts divided", every=16):
        found = divided(network, ROUNDS if parent is None else ROUNDS_BELOW)
        if parent is not None and len(found) == 1:
            continue
        level = 0 if parent is None else parts[parent].level + 1
        for named, nodes in sorted((sorted(members[node] for node in part), part) for part in found):
            number = len(parts)
            parts[number] = Part(level, parent, named)
            if len(named) > options.max_size:
                nodes.sort()
                inside = part_of(network, np.array(nodes))
                waiting.append(_Waiting(number, [members[node] for node in nodes], inside))
    return parts
