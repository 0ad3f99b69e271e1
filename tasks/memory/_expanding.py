"""The neighbourhood of what a search found, and how central each entity is in it."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from corpusgraph.schemas.ports import GraphView, Ints
from corpusgraph.tasks.graph.arrays import CompiledGraph, Doubles, adjacency
from corpusgraph.tasks.graph.compiled import compiled
from corpusgraph.tasks.graph.ppr import personalised_pagerank
from corpusgraph.tasks.graph.runs import distinct

if TYPE_CHECKING:
    from scipy.sparse import csr_array

FAN = 50
"""Relationships of one entity that are followed at a hop: those with most evidence."""


class Neighbourhood(NamedTuple):
    """Nodes in order, and of each how central it is, 0 to 1, the most central 1."""

    nodes: Ints
    centrality: Doubles


def neighbourhood(graph: GraphView, seeds: Mapping[int, float], depth: int) -> Neighbourhood:
    """Follow relationships some hops out from weighted seeds, and see where a walk from these comes to.

    Centrality is the share of a personalised PageRank (Haveliwala 2002) that arrives over relationships, not
    by starting there: an entity that nothing leads to has 0.
    """
    arrays = compiled(graph)
    edges = _followed(arrays, np.array(sorted(seeds), dtype=np.int64), depth)
    nodes = distinct(np.concatenate([np.array(sorted(seeds)), arrays.source[edges], arrays.target[edges]]))
    nodes = nodes.astype(np.int64)
    place = {node: at for at, node in enumerate(nodes.tolist())}
    source, target = (
        np.searchsorted(nodes, arrays.source[edges]),
        np.searchsorted(nodes, arrays.target[edges]),
    )
    matrix = adjacency(len(nodes), source, target, arrays.weight[edges], directed=False)
    reset = np.zeros(len(nodes))
    for node, weight in seeds.items():
        reset[place[node]] = weight
    if not reset.any():
        reset[:] = 1.0
    arrived = _arriving(matrix, personalised_pagerank(matrix, reset).scores)
    most = arrived.max(initial=0.0)
    return Neighbourhood(nodes, arrived / most if most > 0 else arrived)


def _followed(arrays: CompiledGraph, frontier: Ints, depth: int) -> Ints:
    """Return the relationships followed, each once: at a node no more than the `FAN` weightiest."""
    seen = np.zeros(len(arrays.ids), dtype=bool)
    seen[frontier] = True
    found: list[Ints] = [np.zeros(0, dtype=np.int64)]
    for _ in range(depth):
        edges, whose = arrays.edges_at(frontier)
        order = np.lexsort((edges, -arrays.weight[edges], whose))
        ranked = whose[order]
        first = np.searchsorted(ranked, np.arange(len(frontier)))
        kept = edges[order[np.arange(len(order)) - first[ranked] < FAN]]
        found.append(kept)
        reached = distinct(np.concatenate([arrays.source[kept], arrays.target[kept]]))
        frontier = reached[~seen[reached]]
        seen[frontier] = True
    every = distinct(np.concatenate(found))
    apart: Ints = every[arrays.source[every] != arrays.target[every]]
    return apart


def _arriving(matrix: "csr_array", scores: Doubles) -> Doubles:
    """Return what one step of the walk brings each node (n,)."""
    strength = np.asarray(matrix.sum(axis=1)).ravel()
    share = np.divide(scores, strength, out=np.zeros_like(scores), where=strength > 0)
    return np.asarray(matrix.T @ share).ravel()
