"""Nodes and edges of a graph with a memory laid over it, as arrays."""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from corpusgraph.schemas.ports import Ints
from corpusgraph.tasks.graph.arrays import CompiledGraph, Doubles
from corpusgraph.tasks.graph.lists import Ids
from corpusgraph.tasks.graph.runs import in_order
from corpusgraph.tasks.remember.base import Base
from corpusgraph.tasks.remember.edge_columns import Columns, EdgeColumns
from corpusgraph.tasks.remember.rows import Overlay


class Ends(NamedTuple):
    """Edges as arrays: source and target are nodes."""

    source: Ints
    target: Ints
    weight: Doubles
    type_code: Ints


def nodes(base: Base, entities: Overlay, edges: Overlay, columns: EdgeColumns) -> CompiledGraph:
    """Return the nodes and edges of the graph; edges whose ends stay keep their places beside each node."""
    of_base, new = base.edges.nodes, columns.new
    types = tuple(sorted({*of_base.type_names, *columns.names}))
    code = {name: i for i, name in enumerate(types)}
    recoded = np.array([code[name] for name in of_base.type_names], dtype=np.int64)
    ours = np.array([code[name] for name in columns.names], dtype=np.int64)
    ends = _nodes(entities, new)[edges.came]
    made = Ends(ends[:, 0], ends[:, 1], new.weight[edges.came], ours[new.code[edges.came]])
    to_here = entities.to_here
    here = Ends(
        edges.laid(to_here[of_base.source], made.source),
        edges.laid(to_here[of_base.target], made.target),
        edges.laid(np.asarray(of_base.weight, dtype=np.float64), made.weight),
        edges.laid(recoded[of_base.type_code] if len(recoded) else of_base.type_code, made.type_code),
    )
    at = edges.to_here[columns.places]
    here.weight[at], here.type_code[at] = columns.changed.weight, ours[columns.changed.code]
    used = np.bincount(here.type_code, minlength=len(types)) > 0
    if not used.all():  # a type that only what is gone had
        here = here._replace(type_code=(np.cumsum(used) - 1)[here.type_code])
        types = tuple(name for name, is_used in zip(types, used.tolist(), strict=True) if is_used)
    by_node = _by_node(base, entities, edges, made, new.nodes[edges.came])
    stated = edges.laid(of_base.is_stated, new.stated[edges.came])
    stated[at] = columns.changed.stated
    denied = np.flatnonzero(~stated)
    return CompiledGraph(Ids(entities), *here, type_names=types, by_node=by_node, denied=denied)


def _nodes(entities: Overlay, columns: Columns) -> Ints:
    """Return the nodes of both ends (k, 2): of the base by their places, new ones by their numbers."""
    found = columns.came.copy()
    of_base = columns.nodes >= 0
    found[of_base] = entities.to_here[columns.nodes[of_base]]
    found[~of_base] = entities.at_came[columns.came[~of_base]]
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


def _by_node(base: Base, entities: Overlay, edges: Overlay, new: Ends, of_base: Ints) -> tuple[Ints, Ints]:
    """Return the edges of each node: those of the base are in order already, the new ones are put between.

    `of_base` are the places in the base of the ends of the new ones (k, 2), -1 for ends that are new.

    Where a new one goes is found among the keys of the base, which are the same for all memories over it.
    """
    begins, listed = base.edges.nodes.edge_lists
    once = np.flatnonzero(new.source != new.target)
    node, edge = (
        np.concatenate([new.source, new.target[once]]),
        np.concatenate([edges.at_new, edges.at_new[once]]),
    )
    place = np.concatenate([of_base[:, 0], of_base[once, 1]])
    rank = np.concatenate([edges.rank, edges.rank[once]])
    order = in_order(node * max(len(edges), 1) + edge, max(len(entities) * len(edges), 1))
    node, edge, place, rank = node[order], edge[order], place[order], rank[order]
    at = np.searchsorted(base.edges.keys, place * base.edges.width + rank)
    apart = np.flatnonzero(place < 0)
    at[apart] = begins[entities.rank[np.searchsorted(entities.at_new, node[apart])]]
    found = np.insert(edges.to_here[listed], at, edge)
    sizes = entities.laid(np.diff(begins), np.zeros(len(entities.new), dtype=np.int64))
    if len(edges.out) or len(entities.out):
        stays = edges.to_here[listed] >= 0
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
    keep = there != here
    width = max(len(graph.ids), 1)
    pairs = np.unique(whose[keep] * width + there[keep])
    counts: list[int] = np.bincount(pairs // width, minlength=len(nodes)).tolist()
    return counts
