"""Nodes and edges of a graph with a memory laid over it, as arrays."""

from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

import numpy as np

from corpusgraph.schemas.ports import Ints
from corpusgraph.tasks.graph.arrays import CompiledGraph, Doubles
from corpusgraph.tasks.graph.lists import Ids, in_order
from corpusgraph.tasks.remember.base import Base
from corpusgraph.tasks.remember.edges import DENIED, Edge, measured
from corpusgraph.tasks.remember.patching import EdgePatch
from corpusgraph.tasks.remember.rows import Overlay


class Ends(NamedTuple):
    """Edges as arrays: source and target are nodes."""

    source: Ints
    target: Ints
    weight: Doubles
    type_code: Ints


def nodes(base: Base, entities: Overlay, edges: Overlay, patch: EdgePatch) -> CompiledGraph:
    """Return the nodes and edges of the graph; edges whose ends stay keep their places beside each node."""
    of_base = base.edges.nodes
    told = {edge: measured(base.edges, patch.new[edge]) for edge in patch.new}
    changed = {place: measured(base.edges, edge) for place, edge in patch.changed.items()}
    types = tuple(
        sorted({*of_base.type_names, *(t for t, _ in told.values()), *(t for t, _ in changed.values())})
    )
    code = {name: i for i, name in enumerate(types)}
    new = _new_ends(entities, [patch.new[id_] for id_ in edges.new], [told[id_] for id_ in edges.new], code)
    recoded = np.array([code[name] for name in of_base.type_names], dtype=np.int64)
    to_here = entities.to_here
    here = Ends(
        edges.laid(to_here[of_base.source], new.source),
        edges.laid(to_here[of_base.target], new.target),
        edges.laid(np.asarray(of_base.weight, dtype=np.float64), new.weight),
        edges.laid(recoded[of_base.type_code] if len(recoded) else of_base.type_code, new.type_code),
    )
    for place, (type_, weight) in changed.items():
        at = int(edges.to_here[place])
        here.weight[at], here.type_code[at] = weight, code[type_]
    by_node = _by_node(base, entities, edges, new, [patch.new[id_] for id_ in edges.new])
    used = set(np.unique(here.type_code).tolist())
    if len(used) < len(types):  # a type that only what is gone had
        kept = [i for i in range(len(types)) if i in used]
        where = np.zeros(len(types), dtype=np.int64)
        where[kept] = np.arange(len(kept))
        here = here._replace(type_code=where[here.type_code])
        types = tuple(types[i] for i in kept)
    return CompiledGraph(Ids(entities), *here, type_names=types, by_node=by_node)


def _new_ends(
    entities: Overlay, edges: Sequence[Edge], told: Sequence[tuple[str, float]], code: Mapping[str, int]
) -> Ends:
    return Ends(
        _nodes(entities, [edge.nodes[0] for edge in edges], [edge.source for edge in edges]),
        _nodes(entities, [edge.nodes[1] for edge in edges], [edge.target for edge in edges]),
        np.array([weight for _, weight in told], dtype=np.float64),
        np.array([code[type_] for type_, _ in told], dtype=np.int64),
    )


def _nodes(entities: Overlay, places: Sequence[int], ids: Sequence[str]) -> Ints:
    """Return the nodes of entities by their places in the base, and by their ids where they have none."""
    place = np.array(places, dtype=np.int64)
    found: Ints = np.full(len(place), -1, dtype=np.int64)
    known = place >= 0
    found[known] = entities.to_here[place[known]]
    new = dict(zip(entities.new, entities.at_new.tolist(), strict=True))
    for at in np.flatnonzero(~known).tolist():
        found[at] = new[ids[at]]
    return found


def places(base: Base, entities: Overlay) -> Callable[[str], int]:
    """Return the function that finds the node of an entity, known ones without a search."""
    new = dict(zip(entities.new, entities.at_new.tolist(), strict=True))
    to_here = entities.to_here

    def node(id_: str) -> int:
        if (at := new.get(id_)) is not None:
            return int(at)
        place = base.entities.place(id_)
        return -1 if place is None else int(to_here[place])

    return node


def _by_node(
    base: Base, entities: Overlay, edges: Overlay, new: Ends, made: Sequence[Edge]
) -> tuple[Ints, Ints]:
    """Return the edges of each node: those of the base are in order already, the new ones are put between.

    Where a new one goes is found among the keys of the base, which are the same for all memories over it.
    """
    begins, of_base = base.edges.nodes.edge_lists
    once = np.flatnonzero(new.source != new.target)
    node, edge = (
        np.concatenate([new.source, new.target[once]]),
        np.concatenate([edges.at_new, edges.at_new[once]]),
    )
    places = [np.array([one.nodes[end] for one in made], dtype=np.int64) for end in (0, 1)]
    place, rank = np.concatenate([places[0], places[1][once]]), np.concatenate([edges.rank, edges.rank[once]])
    order = in_order(node * max(len(edges), 1) + edge, max(len(entities) * len(edges), 1))
    node, edge, place, rank = node[order], edge[order], place[order], rank[order]
    at = np.searchsorted(base.edges.keys, place * base.edges.width + rank)
    apart = np.flatnonzero(place < 0)
    at[apart] = begins[entities.rank[np.searchsorted(entities.at_new, node[apart])]]
    found = np.insert(edges.to_here[of_base], at, edge)
    sizes = entities.laid(np.diff(begins), np.zeros(len(entities.new), dtype=np.int64))
    if len(edges.out) or len(entities.out):
        stays = edges.to_here[of_base] >= 0
        found = found[found >= 0]
        kept = np.repeat(entities.to_here, np.diff(begins))[stays]
        sizes = np.bincount(kept, minlength=len(entities))
    counts = sizes + np.bincount(node, minlength=len(entities))
    return np.concatenate([[0], np.cumsum(counts)]).astype(np.int64), found


def degrees(graph: CompiledGraph, nodes: Ints) -> list[int]:
    """Count the neighbours of some nodes (k,), as indexing does: those of relationships that are asserted."""
    edges, whose = graph.edges_at(nodes)
    here = nodes[whose]
    source, target = graph.source[edges], graph.target[edges]
    there = np.where(source == here, target, source)
    denied = [i for i, name in enumerate(graph.type_names) if name.startswith(DENIED)]
    keep = (there != here) & ~np.isin(graph.type_code[edges], denied)
    width = max(len(graph.ids), 1)
    pairs = np.unique(whose[keep] * width + there[keep])
    counts: list[int] = np.bincount(pairs // width, minlength=len(nodes)).tolist()
    return counts
