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
    "entity_agent_find": {"query": "What caused cholera?", "context": "Contaminated water came to London."},
    "relationship_agent_find": {"query": "What caused cholera?", "entities": ["ent_b"]},
    "subgraph_agent_filter": {
        "paths": [
            {"node_ids": ["ent_c", "ent_b", "ent_d"], "edge_ids": ["rel_1", "rel_4"]},
            {"node_ids": ["ent_a", "ent_d"], "edge_ids": ["rel_2"]},
        ],
        "query": "What caused cholera?",
        "max_paths": 1,
    },
    "query_extract_entities": {"query": "Where did John Snow study the water pump?"},
    "query_extract_keywords": {"query": "How did contamination of the water pump affect John Snow?"},
    "query_reason": {"query": "What caused cholera in London?", "chunks": ["chk_1", "chk_2"]},
    "query_sufficiency": {"query": "What caused cholera?", "chunks": ["chk_1"]},
    "summarize_chunks": {"chunks": ["chk_1", "chk_2", "chk_3"], "max_sentences": 2},
    "similarity_search": {"query": "Who lived in London?", "kind": "chunk", "top_k": 2},
    "extract_relationships": {"chunks": ["chk_1", "chk_2"], "texts": ["Poverty caused overcrowding."]},
    "local_search": {"entities": ["ent_a"], "radius": 1},
    "global_search": {"min_weight": 1.0, "top_entities": 3},
    "query_drift_primer": {"query": "What caused cholera?", "communities": ["com_0", "com_1"]},
    "community_agent_select": {"query": "How does water cause cholera?"},
    "entity_query_link": {"query": "What did John Snow say about cholera?"},
    "chunk_walk_rank": {"query": "Where did John Snow live?", "top_k": 2},
    "subgraph_khop_paths": {"start_entities": ["ent_a"], "end_entities": ["ent_c"], "k": 2},
    "subgraph_steiner_tree": {"terminal_entities": ["ent_a", "ent_c"]},
    "induced_subgraph": {"entities": ["ent_a"], "hops": 1},
    "shortest_paths": {"source_entities": ["ent_a"], "target_entities": ["ent_c"]},
    "graph_enhanced_search": {"query": "cholera in London", "limit": 3},
    "get_entity_neighbors": {"entity_id": "ent_b", "depth": 2},
    "add_entity_relationship": {
        "source_id": "ent_a",
        "target_id": "ent_c",
        "relation_type": "studied",
        "weight": 0.9,
        "context": {"year": 1854},
    },
    "remove_entity_relationship": {"source_id": "ent_a", "target_id": "ent_b", "relation_type": "relates_to"},
    "get_graph_statistics": {},
    "extract_entity_relationships": {"entity_id": "ent_b"},
    "extract_all_relationships": {"limit": 3},
    "get_extraction_log": {"limit": 10},
    "build_local_graph": {"entity_ids": ["ent_a", "ent_b", "ent_d"]},
    "get_related": {"entity_name": "ent_b", "direction": "incoming"},
    "traverse": {
        "start_node": "ent_c",
        "path": [{"relation_type": "causes"}, {"direction": "out", "target_type": "place"}],
    },
    "summarize": {"entity_names": ["ent_b", "ent_c"], "format": "detailed"},
    "create_entities": {
        "entities": [{"name": "Ada Lovelace", "entityType": "person", "observations": ["Born in 1815"]}]
    },
    "create_relations": {"relations": [{"from": "ent_a", "to": "Soho", "relationType": "worked_in"}]},
    "add_observations": {"observations": [{"entityName": "ent_a", "contents": ["Lived in Frith Street"]}]},
    "delete_entities": {"entityNames": ["ent_d"]},
    "delete_observations": {"deletions": [{"entityName": "ent_a", "observations": ["Born in York"]}]},
    "delete_relations": {"relations": [{"from": "ent_c", "to": "ent_b", "relationType": "relates_to"}]},
    "read_graph": {},
    "search_nodes": {"query": "cholera"},
    "open_nodes": {"names": ["ent_a"]},
    "rename_entity": {"entity": "ent_a", "name": "Dr John Snow"},
    "merge_entities": {"sources": ["ent_c"], "into": "ent_b"},
    "split_entity": {"entity": "ent_b", "name": "Asiatic cholera", "documents": ["doc_1"]},
    "undo_change": {"change": 1},
    "list_changes": {},
    "graph_centrality": {"measures": ["pagerank", "betweenness", "degree"], "top_k": 3},
    "find_paths": {"source": "ent_c", "target": "ent_d", "mode": "all_simple", "max_hops": 3},
    "detect_communities": {"min_size": 2},
    "identify_topics": {"max_keywords": 3},
    "hybrid_search": {"query": "What caused cholera?", "kind": "chunk", "top_k": 2},
    "rerank": {
        "query": "What caused cholera?",
        "items": ["John Snow lived in London.", "Contaminated water caused cholera."],
    },
    "score_confidence": {"relationships": ["rel_1"]},
    "adjust_weights": {"dry_run": True},
    "prune_relationships": {"min_weight": 1.0, "dry_run": True},
}
