"""Scores that the graph gives to items for a query: a walk from the entities that it names."""

import math
from collections.abc import Callable, Mapping, Sequence

import numpy as np

from corpusgraph.schemas.ports import Corpus, Embedder, GraphView, Vectors
from corpusgraph.tasks.graph.compiled import Doubles, compiled, relationship_ids
from corpusgraph.tasks.graph.linking import bearers, link_names
from corpusgraph.tasks.graph.passages import PassageGraph, WalkOptions, passage_graph
from corpusgraph.tasks.graph.ppr import personalised_pagerank
from corpusgraph.tasks.graph.ranking import best, near

Hits = list[tuple[str, float]]
SEEDS = 5
"""Entities from which the walk starts where the query names none: those most like it."""


def graph_scores(
    kind: str,
    query: str,
    graph: GraphView,
    vectors: Vectors | None,
    embedder: Embedder | None,
    most: int,
    corpus: Corpus | None = None,
) -> Hits:
    """Return the items of a kind that a walk from the query's entities comes to, best first, ties by id.

    An entity's score is its personalised PageRank; a relationship's the sum of its ends'; a report's the sum
    of its community's members' divided by the root of their number, so that neither one large nor one small
    community always leads; a chunk's its own in a graph of entities and passages (HippoRAG 2). Nothing where
    the query leads to no entity.
    """
    starts = _starts(query, graph, vectors, embedder, passage_graph(graph, corpus))
    if not starts:
        return []
    scored: Mapping[str, Callable[[], Hits]] = {
        "entity": lambda: _first(_walk(graph, starts), compiled(graph).ids, most),
        "relationship": lambda: _relationships(graph, _walk(graph, starts), most),
        "report": lambda: _reports(graph, _walk(graph, starts), most),
        "chunk": lambda: _chunks(passage_graph(graph, corpus), graph, query, starts, most),
    }
    return scored[kind]()


def _starts(
    query: str,
    graph: GraphView,
    vectors: Vectors | None,
    embedder: Embedder | None,
    passages: PassageGraph,
) -> dict[str, float]:
    """Return entity id -> weight: those the query names, rare ones first, else those most like it."""
    named, _ = link_names(graph, query)
    found: Mapping[str, float] = passages.seeds(bearers(named), everywhere=True)
    if found or vectors is None:
        return dict(found)
    hits = vectors.match("entity", query, SEEDS)
    if not hits and embedder is not None and (vector := embedder.embed([query])[0]).any():
        hits = [hit for hit in near(vectors, "entity", query, vector, SEEDS) if hit[1] > 0]
    return {id_: score for id_, score in hits if score > 0}


def _walk(graph: GraphView, starts: Mapping[str, float]) -> Doubles:
    arrays = compiled(graph)
    reset = np.zeros(len(arrays.ids))
    for id_, weight in starts.items():
        reset[arrays.at[id_]] = weight
    return personalised_pagerank(arrays.adjacency(directed=False), reset).scores


def _first(scores: Doubles, ids: Sequence[str], most: int) -> Hits:
    return [(ids[i], float(scores[i])) for i in best(scores, most)]


def _relationships(graph: GraphView, walked: Doubles, most: int) -> Hits:
    arrays = compiled(graph)
    return _first(walked[arrays.source] + walked[arrays.target], relationship_ids(graph), most)


def _reports(graph: GraphView, walked: Doubles, most: int) -> Hits:
    at = compiled(graph).at
    members = {community.id: community.entity_ids for community in graph.communities}
    found = []
    for report in graph.reports:
        nodes = [at[id_] for id_ in members.get(report.community_id, ()) if id_ in at]
        if score := math.fsum(float(walked[i]) for i in nodes) / math.sqrt(len(nodes) or 1):
            found.append((report.id, score))
    return sorted(found, key=lambda hit: (-hit[1], hit[0]))[:most]


def _chunks(
    passages: PassageGraph, graph: GraphView, query: str, starts: Mapping[str, float], most: int
) -> Hits:
    there = {id_: weight for id_, weight in starts.items() if graph.entity_chunks().get(id_)}
    if not there:
        return []
    walked = passages.rank(there, passages.bm25(query), WalkOptions(lean=False)).walked
    return [(graph.chunks[i].id, float(walked[i])) for i in best(walked, most)]
