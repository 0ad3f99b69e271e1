"""The parameters of the tools 1 to 26 as published: required, or a default; and the values of an enumeration.

`REQUIRED` marks a parameter without a default, `OPTIONAL` one that may be left out. Where a parameter is published
without a default and the tool gives one, it may be given all the same.
"""

from typing import Any

REQUIRED, OPTIONAL = "required", "optional"
Parameter = tuple[Any, tuple[str, ...]]


def _enum(*values: str, default: Any = REQUIRED, more: tuple[str, ...] = ()) -> Parameter:
    """Return what is published, and after it the values that a later version added."""
    return default, (*values, *more)


def _plain(default: Any = REQUIRED) -> Parameter:
    return default, ()


PUBLISHED: dict[str, dict[str, Parameter]] = {
    "entity_vdb_search": {"query": _plain(), "top_k": _plain(10), "threshold": _plain(OPTIONAL)},
    "entity_relnode_extract": {
        "relationships": _plain(),
        "direction": _enum("source", "target", "both", default="both"),
    },
    "entity_ppr_rank": {
        "seed_entities": _plain(),
        "damping_factor": _plain(0.85),
        "top_k": _plain(10),
        "max_iterations": _plain(100),
    },
    "entity_agent_find": {"query": _plain(), "context": _plain(), "max_entities": _plain(10)},
    "entity_onehop_neighbors": {
        "entities": _plain(),
        "edge_types": _plain(OPTIONAL),
        "direction": _enum("in", "out", "both", default="both"),
    },
    "entity_similarity_link": {
        "entities": _plain(),
        "similarity_metric": _enum("embedding", "structural", "semantic"),
        "top_k": _plain(1),
    },
    "entity_tfidf_rank": {
        "query": _plain(),
        "top_k": _plain(10),
        "doc_frequency_threshold": _plain(OPTIONAL),
    },
    "relationship_vdb_search": {
        "query": _plain(),
        "top_k": _plain(10),
        "relationship_types": _plain(OPTIONAL),
    },
    "relationship_onehop_extract": {
        "entities": _plain(),
        "hop_distance": _plain(1),
        "relationship_types": _plain(OPTIONAL),
    },
    "relationship_score_aggregate": {
        "entity_scores": _plain(),
        "score_method": _enum("sum", "product", "max"),
        "top_k": _plain(10),
    },
    "relationship_agent_find": {
        "query": _plain(),
        "entity_context": _plain(),
        "max_relationships": _plain(10),
    },
    "chunk_score_aggregate": {
        "relationship_scores": _plain(),
        "chunk_relationship_map": _plain(),
        "top_k": _plain(10),
        "aggregation": _enum("sum", "max", "weighted"),
    },
    "chunk_from_relationships": {"relationships": _plain(), "include_context": _plain(True)},
    "chunk_entity_occurrence": {"entities": _plain(), "min_entities": _plain(2), "top_k": _plain(10)},
    "subgraph_khop_paths": {
        "start_entities": _plain(),
        "end_entities": _plain(OPTIONAL),
        "k": _plain(),
        "max_paths": _plain(10),
    },
    "subgraph_steiner_tree": {"terminal_entities": _plain(), "weight_attribute": _plain(OPTIONAL)},
    "subgraph_agent_filter": {"paths": _plain(), "query": _plain(), "max_paths": _plain(5)},
    "community_by_entities": {"entities": _plain(), "community_level": _plain(OPTIONAL)},
    "community_by_layer": {"max_layer": _plain(), "min_size": _plain(OPTIONAL)},
    "transform_graph_to_table": {
        "subgraph": _plain(),
        "node_attributes": _plain(),
        "edge_as_columns": _plain(),
        "output_format": _enum("dataframe", "csv", "json", more=("records", "parquet")),
    },
    "transform_table_to_graph": {
        "table_data": _plain(),
        "entity_columns": _plain(),
        "relationship_rules": _plain(),
    },
    "transform_document_to_structures": {
        "documents": _plain(),
        "target_structures": _enum("graph", "table", "timeline"),
        "extraction_config": _plain(),
    },
    "prepare_statistical_analysis": {
        "data": _plain(),
        "analysis_type": _enum("regression", "sem", "descriptive"),
        "variable_mapping": _plain(),
        "output_format": _enum("r", "python", "stata", "spss"),
    },
    "prepare_causal_model": {
        "entities": _plain(),
        "relationships": _plain(),
        "model_type": _enum("dag", "bayesian", "do_calculus"),
    },
    "prepare_argument_network": {
        "claims": _plain(),
        "relations": _plain(),
        "framework": _enum("dung", "bipolar", "weighted"),
    },
    "prepare_process_trace": {
        "events": _plain(),
        "entities": _plain(),
        # months and years came later: many sources know no more
        "temporal_resolution": _enum("seconds", "minutes", "hours", "days", "months", "years"),
    },
}
"""Tool -> parameter -> default and values, in the order of the tools' numbers."""

NUMBERED_T: dict[str, str] = {
    "T49": "entity_vdb_search",
    "T50": "entity_relnode_extract",
    "T51": "local_search",
    "T52": "global_search",
    "T53": "induced_subgraph",
    "T54": "shortest_paths",
    "T55": "extract_relationships",
    "T56": "similarity_search",
    "T57": "generate_answer",
    "T58": "summarize_chunks",
    "T59": "relationship_vdb_search",
    "T60": "chunk_score_aggregate",
    "T61": "chunk_from_relationships",
    "T62": "chunk_entity_occurrence",
    "T63": "subgraph_khop_paths",
    "T64": "subgraph_steiner_tree",
    "T65": "subgraph_agent_filter",
    "T66": "community_by_entities",
    "T67": "community_by_layer",
}
"""Rows of the compatibility matrix -> tools."""

SPELLINGS: list[tuple[str, str, str, Any]] = [
    ("entity_vdb_search", "limit", "top_k", 3),
    ("entity_relnode_extract", "endpoint", "direction", "source"),
    ("entity_agent_find", "top_k", "max_entities", 3),
    ("entity_onehop_neighbors", "relationship_types", "edge_types", ["causes"]),
    ("entity_tfidf_rank", "max_df", "doc_frequency_threshold", 0.5),
    ("relationship_onehop_extract", "max_hops", "hop_distance", 2),
    ("relationship_agent_find", "top_k", "max_relationships", 3),
    ("subgraph_khop_paths", "maxDepth", "k", 2),
    ("subgraph_khop_paths", "top_k", "max_paths", 3),
    ("subgraph_agent_filter", "top_k", "max_paths", 3),
]
"""Tool, another spelling, the parameter it stands for, a value."""
