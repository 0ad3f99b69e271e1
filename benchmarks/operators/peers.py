"""The same questions put to networkx, rustworkx, scikit-network, igraph and scikit-learn, where installed.

Each peer gets the graph in its own form beforehand (`prepared` tells how long that took), as ours has its
arrays. igraph is measured as an outside program: it is under the GPL and nothing here depends on it.
"""

import importlib
import time
from collections.abc import Callable
from itertools import islice
from typing import Any

import numpy as np

from benchmarks.operators.synthetic import Made, edge_id, entity_id

Answer = Callable[[dict[str, Any]], Any]
DAMPING = 0.85


def place(id_: str) -> int:
    """Return the number of a synthetic id."""
    return int(id_[4:], 16)


class Peers:
    """Libraries that can answer, by operator: name of the library -> a function of the tool's arguments."""

    def __init__(self, made: Made, matrix: Any) -> None:
        self.by_operator: dict[str, dict[str, Answer]] = {}
        self.prepared: dict[str, float] = {}
        for name, make in (
            ("networkx", _networkx),
            ("rustworkx", _rustworkx),
            ("sknetwork", _sknetwork),
            ("igraph", _igraph),
            ("sklearn", _sklearn),
        ):
            try:
                module = importlib.import_module(name)
            except ImportError:
                continue
            began = time.perf_counter()
            answers = make(module, made, matrix)
            self.prepared[f"{name} {getattr(module, '__version__', '')}".strip()] = (
                time.perf_counter() - began
            )
            for operator, answer in answers.items():
                self.by_operator.setdefault(operator, {})[name] = answer


def _seeds(ask: dict[str, Any]) -> dict[int, float]:
    return {place(id_): 1.0 for id_ in ask["seed_entities"]}


def _networkx(nx: Any, made: Made, matrix: Any) -> dict[str, Answer]:
    graph = nx.Graph()
    graph.add_nodes_from(range(made.n_entities))
    upper = matrix.tocoo()
    keep = upper.row <= upper.col
    ends = (upper.row[keep].tolist(), upper.col[keep].tolist(), upper.data[keep].tolist())
    graph.add_edges_from((u, v, {"weight": w, "cost": 1 / w}) for u, v, w in zip(*ends, strict=True))
    by_cost = {"weight": "cost"}
    # its Steiner tree fails where any node of the graph is out of reach of the terminals
    whole = graph.subgraph(max(nx.connected_components(graph), key=len)).copy()

    def scored(ask: dict[str, Any]) -> Any:
        scores = {place(id_): score for id_, score in ask["entity_scores"].items()}
        found = {
            tuple(sorted((u, v))): scores[u] + (scores.get(v, 0.0) if u != v else 0.0)
            for u in scores
            for v in graph[u]
        }
        return sorted(found.items(), key=lambda pair: -pair[1])[: ask["top_k"]]

    def paths(ask: dict[str, Any]) -> Any:
        start, end = place(ask["start_entities"][0]), place(ask["end_entities"][0])
        return list(islice(nx.shortest_simple_paths(graph, start, end), ask["max_paths"]))

    def induced(ask: dict[str, Any]) -> Any:
        near = set(map(place, ask["entities"]))
        for id_ in list(near):
            near |= set(graph[id_])
        return graph.subgraph(near).copy()

    return {
        "entity_ppr_rank": lambda ask: nx.pagerank(graph, alpha=DAMPING, personalization=_seeds(ask)),
        "entity_onehop_neighbors": lambda ask: [
            sorted(graph[place(i)].items(), key=lambda n: -n[1]["weight"]) for i in ask["entities"]
        ],
        "relationship_onehop_extract, 2 hops": lambda ask: list(
            nx.edge_bfs(nx.ego_graph(graph, place(ask["entities"][0]), radius=2))
        ),
        "relationship_score_aggregate": scored,
        "subgraph_khop_paths": paths,
        "shortest_paths": lambda ask: nx.shortest_path(
            graph, place(ask["source_entities"][0]), place(ask["target_entities"][0])
        ),
        "shortest_paths, weighted": lambda ask: nx.bidirectional_dijkstra(
            graph, place(ask["source_entities"][0]), place(ask["target_entities"][0]), **by_cost
        ),
        "subgraph_steiner_tree": lambda ask: nx.approximation.steiner_tree(
            whole, [place(i) for i in ask["terminal_entities"]], method="mehlhorn", **by_cost
        ),
        "induced_subgraph": induced,
    }


def _rustworkx(rx: Any, made: Made, matrix: Any) -> dict[str, Answer]:
    both = matrix.tocoo()
    graph = rx.PyDiGraph(multigraph=False)
    graph.add_nodes_from(range(made.n_entities))
    graph.extend_from_weighted_edge_list(
        list(zip(both.row.tolist(), both.col.tolist(), both.data.tolist(), strict=True))
    )
    return {
        "entity_ppr_rank": lambda ask: rx.pagerank(
            graph, alpha=DAMPING, weight_fn=float, personalization=_seeds(ask)
        ),
        "entity_onehop_neighbors": lambda ask: [dict(graph.adj(place(i))) for i in ask["entities"]],
        "shortest_paths": lambda ask: rx.dijkstra_shortest_paths(
            graph, place(ask["source_entities"][0]), place(ask["target_entities"][0]), weight_fn=lambda _: 1.0
        ),
        "shortest_paths, weighted": lambda ask: rx.dijkstra_shortest_paths(
            graph,
            place(ask["source_entities"][0]),
            place(ask["target_entities"][0]),
            weight_fn=lambda w: 1 / w,
        ),
    }


def _sknetwork(sknetwork: Any, made: Made, matrix: Any) -> dict[str, Answer]:  # noqa: ARG001
    from scipy.sparse import csr_matrix

    ranking = importlib.import_module("sknetwork.ranking")
    path = importlib.import_module("sknetwork.path")
    old = csr_matrix(matrix)  # it knows no sparse arrays
    return {
        "entity_ppr_rank": lambda ask: ranking.PageRank(DAMPING, solver="piteration", n_iter=30).fit_predict(
            old, weights=_seeds(ask)
        ),
        "relationship_onehop_extract, 2 hops": lambda ask: path.get_distances(
            old, source=place(ask["entities"][0])
        ),
    }


def _igraph(igraph: Any, made: Made, matrix: Any) -> dict[str, Answer]:
    upper = matrix.tocoo()
    keep = upper.row <= upper.col
    graph = igraph.Graph(
        made.n_entities,
        np.stack([upper.row[keep], upper.col[keep]], axis=1),
        edge_attrs={"weight": upper.data[keep]},
    )
    graph.es["cost"] = 1 / upper.data[keep]

    def ends(ask: dict[str, Any]) -> tuple[int, int]:
        return place(ask["source_entities"][0]), place(ask["target_entities"][0])

    return {
        "entity_ppr_rank": lambda ask: graph.personalized_pagerank(
            damping=DAMPING, reset_vertices=list(_seeds(ask)), weights="weight"
        ),
        "relationship_onehop_extract, 2 hops": lambda ask: graph.neighborhood(
            place(ask["entities"][0]), order=2
        ),
        "subgraph_khop_paths": lambda ask: graph.get_k_shortest_paths(
            place(ask["start_entities"][0]), place(ask["end_entities"][0]), k=ask["max_paths"]
        ),
        "shortest_paths": lambda ask: graph.get_shortest_path(*ends(ask)),
        "shortest_paths, weighted": lambda ask: graph.get_shortest_path(*ends(ask), weights="cost"),
    }


def _sklearn(_: Any, made: Made, matrix: Any) -> dict[str, Answer]:  # noqa: ARG001
    text = importlib.import_module("sklearn.feature_extraction.text")
    vectorizer = text.TfidfVectorizer(sublinear_tf=False)
    vectors = vectorizer.fit_transform(made.names)

    def ranked(ask: dict[str, Any]) -> Any:
        scores = (vectors @ vectorizer.transform([ask["query"]]).T).toarray().ravel()
        return np.argsort(-scores)[: ask["top_k"]]

    return {"entity_tfidf_rank": ranked}


__all__ = ["Peers", "edge_id", "entity_id", "place"]
