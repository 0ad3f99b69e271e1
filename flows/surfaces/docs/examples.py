"""A call of each tool on three short texts, for docs/tools.md: run for real whenever the page is made."""

from corpusgraph.schemas.base import JsonDict
from corpusgraph.schemas.ports import GraphView

INDEX = "sample"
TEXTS = {
    "snow.txt": (
        "John Snow lived in London. Snow studied cholera. On 8 September 1854 the Board of Guardians removed "
        "the handle of the pump in Broad Street. Snow argued that contaminated water caused cholera. Cholera "
        "led to many deaths."
    ),
    "board.txt": (
        "The General Board of Health met in London. The Board claimed that foul air caused cholera, because "
        "the smell was strong. However, Snow denied that foul air caused cholera."
    ),
    "farr.txt": (
        "William Farr worked for the General Register Office. In 1866 Farr wrote that contaminated water "
        "caused the epidemic in East London. Overcrowding depends on poverty."
    ),
}
"""File name -> text of the corpus that the calls read."""

QUESTION = "What caused cholera in London?"
_CLAIMS: JsonDict = {
    "claims": [
        {"id": "water", "text": "Contaminated water causes cholera."},
        {"id": "air", "text": "Foul air causes cholera."},
        {"id": "map", "text": "The deaths lie around one pump."},
    ],
    "relations": [
        {"source": "air", "target": "water", "type": "attack"},
        {"source": "map", "target": "air", "type": "attack"},
    ],
    "framework": "dung",
}
_PATIENTS: list[JsonDict] = [
    {"deaths": deaths, "water": water}
    for deaths, water in ((315, 9), (37, 2), (59, 4), (71, 8), (5, 1), (80, 7))
]
_TABLE: JsonDict = {
    "columns": [{"name": "who", "dtype": "text"}, {"name": "where", "dtype": "text"}],
    "rows": [["John Snow", "London"], ["William Farr", "London"]],
}
_EVENTS: list[JsonDict] = [
    {"id": "1", "case": "soho", "activity": "outbreak", "timestamp": "1854-08-31"},
    {"id": "2", "case": "soho", "activity": "handle removed", "timestamp": "1854-09-08"},
]


def examples(graph: GraphView) -> dict[str, JsonDict]:
    """Return the arguments of a call of each tool; `graph` is that of the sample index."""
    edge = graph.relationships[0]
    path = {"node_ids": [edge.source_id, edge.target_id], "edge_ids": [edge.id]}
    answers = _of_answers(path, [chunk.id for chunk in graph.chunks])
    return {**_of_operators(edge.id), **answers, **_OF_DATA, **_OF_SEARCH, **_OF_CHANGES}


def _of_operators(edge: str) -> dict[str, JsonDict]:
    return {
        "entity_vdb_search": {"query": "cholera", "top_k": 2},
        "entity_relnode_extract": {"relationships": [edge]},
        "entity_ppr_rank": {"seed_entities": ["John Snow"], "top_k": 2},
        "entity_agent_find": {"query": QUESTION, "context": "Contaminated water came to London."},
        "entity_onehop_neighbors": {"entities": ["cholera"]},
        "entity_similarity_link": {"entities": ["Jon Snow"], "similarity_metric": "embedding"},
        "entity_tfidf_rank": {"query": "contaminated water", "top_k": 2},
        "relationship_vdb_search": {"query": "water causes cholera", "top_k": 1},
        "relationship_onehop_extract": {"entities": ["cholera"], "relationship_types": ["causes"]},
        "relationship_score_aggregate": {
            "entity_scores": {"cholera": 0.5, "John Snow": 0.25},
            "score_method": "sum",
            "top_k": 1,
        },
        "relationship_agent_find": {"query": QUESTION, "entities": ["cholera"]},
        "chunk_score_aggregate": {"relationship_scores": {edge: 1.0}},
        "chunk_from_relationships": {"relationships": [edge]},
        "chunk_entity_occurrence": {"entities": ["cholera", "London"]},
        "chunk_vdb_search": {"query": "Who lived in London?", "top_k": 1},
        "chunk_walk_rank": {"query": "Where did John Snow live?", "top_k": 1},
        "subgraph_khop_paths": {"start_entities": ["John Snow"], "end_entities": ["cholera"], "k": 2},
        "subgraph_steiner_tree": {"terminal_entities": ["John Snow", "cholera"]},
        "community_by_entities": {"entities": ["cholera"]},
        "community_by_layer": {"max_layer": 0},
        "community_vdb_search": {"query": "water", "top_k": 1},
        "community_agent_select": {"query": QUESTION},
    }


def _of_answers(path: JsonDict, chunks: list[str]) -> dict[str, JsonDict]:
    return {
        "subgraph_agent_filter": {"paths": [path], "query": QUESTION, "max_paths": 1},
        "entity_query_link": {"query": "What did John Snow say about cholera?"},
        "query_extract_entities": {"query": "Where did John Snow study the water pump?"},
        "query_extract_keywords": {"query": "How did the water pump affect John Snow?"},
        "query_reason": {"query": QUESTION, "chunks": chunks[:1]},
        "query_sufficiency": {"query": QUESTION, "chunks": chunks[:1]},
        "query_drift_primer": {"query": QUESTION, "communities": ["1"]},
        "summarize_chunks": {"chunks": chunks[:2], "max_sentences": 2},
        "similarity_search": {"query": "Who lived in London?", "kind": "chunk", "top_k": 1},
        "extract_relationships": {"texts": ["Poverty caused overcrowding."]},
        "generate_answer": {"query": QUESTION, "chunks": chunks},
        "local_search": {"entities": ["John Snow"], "radius": 1},
        "global_search": {"top_entities": 2},
        "induced_subgraph": {"entities": ["John Snow"], "hops": 1},
        "shortest_paths": {"source_entities": ["John Snow"], "target_entities": ["cholera"]},
    }


_OF_DATA: dict[str, JsonDict] = {
    "transform_graph_to_table": {
        "subgraph": {
            "nodes": [{"id": "snow", "name": "John Snow"}, {"id": "cholera", "name": "cholera"}],
            "edges": [{"id": "1", "source_id": "snow", "target_id": "cholera", "type": "studied"}],
        },
        "node_attributes": ["name"],
        "edge_as_columns": True,
    },
    "transform_table_to_graph": {
        "table_data": _TABLE,
        "entity_columns": ["who", "where"],
        "relationship_rules": [
            {"source_col": "who", "target_col": "where", "type": "lived_in", "kind": "row"}
        ],
    },
    "transform_document_to_structures": {
        "documents": ["On 8 September 1854 John Snow met the Board in London. Bad water caused cholera."],
        "target_structures": ["timeline"],
    },
    "prepare_statistical_analysis": {
        "data": _PATIENTS,
        "analysis_type": "regression",
        "variable_mapping": {"outcome": "deaths", "predictors": ["water"]},
        "output_format": "r",
    },
    "prepare_causal_model": {
        "entities": [{"id": name, "name": name} for name in ("poverty", "water", "cholera")],
        "relationships": [
            {"id": "1", "source_id": "poverty", "target_id": "water", "type": "causes"},
            {"id": "2", "source_id": "poverty", "target_id": "cholera", "type": "causes"},
            {"id": "3", "source_id": "water", "target_id": "cholera", "type": "causes"},
        ],
        "model_type": "do_calculus",
        "exposure": "water",
        "outcome": "cholera",
    },
    "prepare_argument_network": _CLAIMS,
    "prepare_process_trace": {"events": _EVENTS, "entities": [], "temporal_resolution": "days"},
}

_OF_SEARCH: dict[str, JsonDict] = {
    "graph_enhanced_search": {"query": "contaminated water", "depth": 1, "limit": 1},
    "hybrid_search": {"query": "contaminated water", "kind": "entity", "top_k": 1},
    "rerank": {"query": QUESTION, "items": ["Snow lived in London.", "Water caused cholera."], "top_k": 1},
    "get_entity_neighbors": {"entity_id": "cholera", "relation_type": "causes", "direction": "inbound"},
    "get_graph_statistics": {},
    "build_local_graph": {"entity_ids": ["John Snow", "cholera"]},
    "get_related": {"entity_name": "cholera", "relation_type": "causes", "direction": "incoming"},
    "traverse": {
        "start_node": "John Snow",
        "path": [{"relation_type": "studied", "direction": "out", "target_type": "concept"}],
    },
    "summarize": {"entity_type": "person", "format": "brief"},
    "read_graph": {},
    "search_nodes": {"query": "Farr"},
    "open_nodes": {"names": ["William Farr"]},
    "graph_centrality": {"measures": ["pagerank"], "top_k": 2},
    "find_paths": {
        "source": "contaminated water",
        "target": "John Snow",
        "mode": "all_simple",
        "max_hops": 2,
    },
    "detect_communities": {"top_k": 1},
    "identify_topics": {"top_k": 1},
    "score_confidence": {"top_k": 1},
    "get_extraction_log": {},
    "list_changes": {},
}
"""Calls of the memory tools that read."""

_OF_CHANGES: dict[str, JsonDict] = {
    "add_entity_relationship": {
        "source_id": "John Snow",
        "target_id": "William Farr",
        "relation_type": "uses",
        "weight": 0.9,
        "context": {"what": "mortality tables"},
    },
    "remove_entity_relationship": {
        "source_id": "foul air",
        "target_id": "cholera",
        "relation_type": "causes",
    },
    "extract_entity_relationships": {"entity_id": "John Snow"},
    "extract_all_relationships": {"limit": 3},
    "create_entities": {
        "entities": [
            {"name": "Henry Whitehead", "entityType": "person", "observations": ["curate of St Luke's"]}
        ]
    },
    "create_relations": {
        "relations": [{"from": "William Farr", "to": "John Snow", "relationType": "corresponded_with"}]
    },
    "add_observations": {
        "observations": [{"entityName": "John Snow", "contents": ["gave chloroform to the Queen in 1853"]}]
    },
    "delete_entities": {"entityNames": ["overcrowding"]},
    "delete_observations": {"deletions": [{"entityName": "William Farr", "observations": ["kept bees"]}]},
    "delete_relations": {"relations": [{"from": "foul air", "to": "cholera", "relationType": "causes"}]},
    "rename_entity": {"entity": "John Snow", "name": "John Snow (physician)"},
    "merge_entities": {"sources": ["Board of Guardians"], "into": "General Board of Health"},
    "split_entity": {"entity": "John Snow", "name": "Snow (weather)", "type": "concept", "names": ["Snow"]},
    "undo_change": {},
    "adjust_weights": {"top_k": 1},
    "prune_relationships": {"min_confidence": 0.5, "top_k": 1},
}
"""Calls of the memory tools that write, each on a copy of the sample index with one change."""
