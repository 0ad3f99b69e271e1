"""What every operator is asked: the same draw of entities, relationships and words each time."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from benchmarks.operators.synthetic import TYPES, Made, edge_id, entity_id


@dataclass(frozen=True)
class Operator:
    """A tool, what it is asked the i-th time, and how the line of the table is called."""

    label: str
    tool: str
    arguments: Callable[[int], dict[str, Any]]


def operators(made: Made) -> list[Operator]:
    """Return the operators, in order of their numbers; the caller leaves out tools that are not there."""
    linked = np.unique(np.concatenate([made.source, made.target]))

    def some(i: int, n: int = 5) -> list[str]:
        rng = np.random.default_rng((11, i))
        return [entity_id(int(at)) for at in linked[rng.integers(0, len(linked), n)]]

    def edges(i: int, n: int) -> list[str]:
        rng = np.random.default_rng((12, i))
        return [edge_id(int(at)) for at in rng.integers(0, len(made.source), n)]

    def words(i: int) -> str:
        rng = np.random.default_rng((13, i))
        return " ".join(made.words[int(at)] for at in rng.integers(0, len(made.words), 3))

    def names(i: int) -> list[str]:
        rng = np.random.default_rng((14, i))
        return [made.names[int(at)][:-1] for at in rng.integers(0, made.n_entities, 2)]

    def scores(ids: list[str]) -> dict[str, float]:
        return {id_: 1.0 / (1 + at) for at, id_ in enumerate(ids)}

    def make(label: str, arguments: Callable[[int], dict[str, Any]]) -> Operator:
        return Operator(label, label.partition(",")[0], arguments)

    return [
        make("entity_vdb_search", lambda i: {"query": words(i)}),
        make("entity_relnode_extract", lambda i: {"relationships": edges(i, 100)}),
        make("entity_ppr_rank", lambda i: {"seed_entities": some(i)}),
        make("entity_ppr_rank, directed", lambda i: {"seed_entities": some(i), "directed": True}),
        make(
            "entity_ppr_rank, 5 of 20 types",
            lambda i: {"seed_entities": some(i), "relationship_types": list(TYPES[:5])},
        ),
        make("entity_onehop_neighbors", lambda i: {"entities": some(i)}),
        make("entity_similarity_link", lambda i: {"entities": names(i)}),
        make(
            "entity_similarity_link, structural",
            lambda i: {"entities": some(i, 1), "similarity_metric": "structural"},
        ),
        make("entity_tfidf_rank", lambda i: {"query": words(i), "top_k": 10}),
        make("relationship_vdb_search", lambda i: {"query": words(i)}),
        make("relationship_onehop_extract", lambda i: {"entities": some(i)}),
        make(
            "relationship_onehop_extract, 2 hops",
            lambda i: {"entities": some(i, 1), "hop_distance": 2, "top_k": 100},
        ),
        make(
            "relationship_onehop_extract, 3 hops",
            lambda i: {"entities": some(i, 1), "hop_distance": 3, "top_k": 100},
        ),
        make(
            "relationship_score_aggregate", lambda i: {"entity_scores": scores(some(i, 1000)), "top_k": 100}
        ),
        make("chunk_score_aggregate", lambda i: {"relationship_scores": scores(edges(i, 1000)), "top_k": 10}),
        make(
            "chunk_score_aggregate, weighted",
            lambda i: {
                "relationship_scores": scores(edges(i, 200)),
                "aggregation": "weighted",
                "top_k": 10,
            },
        ),
        make("chunk_from_relationships", lambda i: {"relationships": edges(i, 50)}),
        make("chunk_entity_occurrence", lambda i: {"entities": some(i, 20), "min_entities": 1}),
        make(
            "chunk_entity_occurrence, entity_order",
            lambda i: {"entities": some(i), "method": "entity_order"},
        ),
        make("chunk_vdb_search", lambda i: {"query": words(i)}),
        make(
            "subgraph_khop_paths",
            lambda i: {"start_entities": some(i, 1), "end_entities": some(i, 2)[1:], "k": 3, "max_paths": 5},
        ),
        make("subgraph_steiner_tree", lambda i: {"terminal_entities": some(i)}),
        make("induced_subgraph", lambda i: {"entities": some(i), "hops": 1}),
        make(
            "shortest_paths",
            lambda i: {"source_entities": some(i, 1), "target_entities": some(i, 2)[1:]},
        ),
        make(
            "shortest_paths, weighted",
            lambda i: {"source_entities": some(i, 1), "target_entities": some(i, 2)[1:], "weighted": True},
        ),
        make("community_by_entities", lambda i: {"entities": some(i)}),
        make("community_by_layer", lambda i: {"max_layer": i % 2 + 1, "top_k": 20}),
        make(
            "community_by_layer, deepest",
            lambda i: {"max_layer": i % 2 + 1, "select": "deepest", "top_k": 20},
        ),
        make("community_vdb_search", lambda i: {"query": words(i)}),
    ]
