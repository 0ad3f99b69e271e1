"""A call of each tool that its small graph answers. A tool without one here fails the contract."""

from corpusgraph.schemas.base import JsonDict

_GRAPH: JsonDict = {
    "nodes": [
        {"id": "ent_a", "name": "John Snow", "type": "person"},
        {"id": "ent_b", "name": "cholera", "type": "concept"},
    ],
    "edges": [{"id": "rel_1", "source_id": "ent_a", "target_id": "ent_b", "type": "studied", "weight": 2.0}],
}
_ROWS: list[JsonDict] = [
    {"deaths": d, "water": w, "company": c}
    for d, w, c in [(315, 9, "sv"), (37, 2, "la"), (59, 4, "re"), (71, 8, "sv"), (5, 1, "la"), (80, 7, "sv")]
]

EXAMPLES: dict[str, JsonDict] = {
    "entity_vdb_search": {"query": "cholera", "top_k": 2},
    "entity_relnode_extract": {"relationships": ["rel_1", "rel_2"]},
    "entity_ppr_rank": {"seed_entities": ["ent_a"], "top_k": 3},
    "entity_onehop_neighbors": {"entities": ["ent_a"]},
    "entity_similarity_link": {"entities": ["ent_b"], "similarity_metric": "embedding"},
    "entity_tfidf_rank": {"query": "contaminated water"},
    "relationship_vdb_search": {"query": "causes", "top_k": 2},
    "relationship_onehop_extract": {"entities": ["ent_b"]},
    "relationship_score_aggregate": {"entity_scores": {"ent_a": 0.5, "ent_b": 0.25}, "score_method": "sum"},
    "chunk_score_aggregate": {"relationship_scores": {"rel_1": 1.0, "rel_2": 0.5}},
    "chunk_from_relationships": {"relationships": ["rel_1"]},
    "chunk_entity_occurrence": {"entities": ["ent_b", "ent_c"]},
    "chunk_vdb_search": {"query": "Who lived in London?", "top_k": 2},
    "community_by_entities": {"entities": ["ent_b"]},
    "community_by_layer": {"max_layer": 1},
    "community_vdb_search": {"query": "water", "top_k": 1},
    "generate_answer": {"query": "What caused cholera?", "chunks": ["chk_1", "chk_2", "chk_3"]},
    "transform_graph_to_table": {"subgraph": _GRAPH, "node_attributes": ["name"], "edge_as_columns": True},
    "transform_table_to_graph": {
        "table_data": {
            "columns": [{"name": "who", "dtype": "text"}, {"name": "where", "dtype": "text"}],
            "rows": [["John Snow", "London"], ["William Farr", "London"]],
        },
        "entity_columns": ["who", "where"],
        "relationship_rules": [
            {"source_col": "who", "target_col": "where", "type": "lived_in", "kind": "row"}
        ],
    },
    "transform_document_to_structures": {
        "documents": ["On 8 September 1854 John Snow met the Board in London. Bad water caused cholera."],
        "target_structures": ["graph", "table", "timeline"],
    },
    "prepare_statistical_analysis": {
        "data": _ROWS,
        "analysis_type": "regression",
        "variable_mapping": {"outcome": "deaths", "predictors": ["water"]},
        "output_format": "r",
    },
    "prepare_causal_model": {
        "entities": [
            {"id": "p", "name": "poverty"},
            {"id": "w", "name": "water"},
            {"id": "c", "name": "cholera"},
        ],
        "relationships": [
            {"id": "1", "source_id": "p", "target_id": "w", "type": "causes"},
            {"id": "2", "source_id": "p", "target_id": "c", "type": "causes"},
            {"id": "3", "source_id": "w", "target_id": "c", "type": "causes"},
        ],
        "model_type": "do_calculus",
        "exposure": "w",
        "outcome": "c",
    },
    "prepare_argument_network": {
        "claims": [{"id": "a", "text": "water"}, {"id": "b", "text": "air"}, {"id": "c", "text": "map"}],
        "relations": [
            {"source": "b", "target": "a", "type": "attack"},
            {"source": "c", "target": "b", "type": "attack"},
        ],
        "framework": "dung",
    },
    "prepare_process_trace": {
        "events": [
            {"id": "1", "case": "soho", "activity": "outbreak", "timestamp": "1854-08-31"},
            {"id": "2", "case": "soho", "activity": "handle removed", "timestamp": "1854-09-08"},
        ],
        "entities": [],
        "temporal_resolution": "days",
    },
}
