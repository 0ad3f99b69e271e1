"""A part of a graph in the shape of the reference memory server."""

from collections.abc import Sequence

import numpy as np

from corpusgraph.schemas.ports import GraphView, Ints
from corpusgraph.tasks.graph.compiled import compiled
from corpusgraph.tasks.graph.runs import distinct
from corpusgraph.tasks.memory._shapes import KnowledgeGraph, in_order, node_of, relation_of

MOST_RELATIONS = 2_000
"""Relations in one answer: more would flood a client."""


def shown(
    graph: GraphView, nodes: Sequence[int], *, both: bool = False, as_given: bool = False
) -> tuple[KnowledgeGraph, int]:
    """Return entities and the relations with an end (or both) among them, and how many are left out.

    What was made by hand comes first and in the order in which it was made, unless the order given is to
    stay; of too many relations the weightiest are shown.
    """
    places = np.array(sorted(set(nodes)), dtype=np.int64)
    edges = _edges(graph, places, both=both)
    arrays = compiled(graph)
    left_out = max(0, len(edges) - MOST_RELATIONS)
    if left_out:
        order = np.lexsort((edges, -arrays.weight[edges]))
        edges = np.sort(edges[order[:MOST_RELATIONS]])
    relationships = sorted(
        (graph.relationships[i] for i in edges.tolist()), key=lambda r: (r.short_id or 0, r.id)
    )
    ends = distinct(np.concatenate([arrays.source[edges], arrays.target[edges]]))
    names = {arrays.ids[i]: graph.entities[i].name for i in ends.tolist()}
    found = [graph.entities[i] for i in dict.fromkeys(nodes)]
    entities = found if as_given else in_order(found)
    made = KnowledgeGraph(
        entities=tuple(node_of(entity) for entity in entities),
        relations=tuple(relation_of(relationship, names) for relationship in relationships),
    )
    return made, left_out


def _edges(graph: GraphView, places: Ints, *, both: bool) -> Ints:
    arrays = compiled(graph)
    edges = distinct(arrays.edges_at(places, denied=True)[0])
    if not both:
        return edges
    inside = np.zeros(len(arrays.ids), dtype=bool)
    inside[places] = True
    within: Ints = edges[inside[arrays.source[edges]] & inside[arrays.target[edges]]]
    return within
