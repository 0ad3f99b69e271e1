"""The tools of a memory graph as published: parameters, defaults, and the keys of their answers."""

from typing import Any

import pytest
from pydantic import TypeAdapter
from pydantic.fields import FieldInfo

from corpusgraph.schemas.base import JsonDict
from corpusgraph.schemas.results import respelt, spellings
from corpusgraph.tasks.registry import TOOLS, Tool, load
from tests.contract.examples import EXAMPLES
from tests.contract.graphs import resources, rich

load()
REQUIRED = object()
PUBLISHED: dict[str, JsonDict] = {
    "graph_enhanced_search": {
        "query": REQUIRED,
        "depth": 2,
        "limit": 10,
        "include_neighbors": True,
        "vector_weight": 0.6,
        "graph_weight": 0.4,
    },
    "get_entity_neighbors": {
        "entity_id": REQUIRED,
        "relation_type": None,
        "direction": "both",
        "depth": 1,
        "limit": 50,
        "min_weight": 0.0,
    },
    "add_entity_relationship": {
        "source_id": REQUIRED,
        "target_id": REQUIRED,
        "relation_type": REQUIRED,
        "weight": 1.0,
        "is_causal": False,
        "context": None,
    },
    "get_graph_statistics": {},
    "extract_entity_relationships": {"entity_id": REQUIRED},
    "extract_all_relationships": {"limit": None},
    "build_local_graph": {"entity_ids": REQUIRED},
    "get_related": {"entityName": REQUIRED, "relationType": None, "direction": "both", "maxDepth": 1},
    "traverse": {"startNode": REQUIRED, "path": REQUIRED, "maxResults": 50},
    "summarize": {"entityNames": None, "entityType": None, "format": "brief"},
}
"""Tool -> parameter -> default."""
ANSWERS: dict[str, Any] = {
    "graph_enhanced_search": {
        "success": bool,
        "query": str,
        "result_count": int,
        "results": [
            {
                "entity_id": int,
                "entity_name": str,
                "entity_type": str,
                "content": str,
                "vector_score": float,
                "graph_score": float,
                "combined_score": float,
                "neighbors": [
                    {"entity_id": int, "name": str, "relation": str, "weight": float, "depth": int}
                ],
                "neighbor_count": int,
            }
        ],
        "search_params": {"depth": int, "vector_weight": float, "graph_weight": float},
    },
    "get_entity_neighbors": {
        "success": bool,
        "entity_id": int,
        "neighbor_count": int,
        "neighbors": [
            {
                "neighbor_id": int,
                "neighbor_name": str,
                "entity_type": str,
                "relation_type": str,
                "weight": float,
                "is_causal": bool,
                "direction": str,
            }
        ],
        "search_params": {"relation_type": object, "direction": str, "depth": int, "min_weight": float},
    },
    "add_entity_relationship": {
        "success": bool,
        "relationship_id": int,
        "source_id": int,
        "target_id": int,
        "relation_type": str,
        "weight": float,
        "is_causal": bool,
    },
    "get_graph_statistics": {
        "success": bool,
        "statistics": {
            "entities": int,
            "relationships": int,
            "relationship_types": [{"relation_type": str, "count": int}],
            "avg_relationships_per_entity": float,
            "causal_relationships": int,
            "qdrant_available": bool,
            "qdrant_connected": bool,
        },
        "health": {
            "entities": int,
            "relationships": int,
            "avg_relationships_per_entity": float,
            "causal_relationships": int,
            "qdrant_status": str,
        },
    },
    "extract_entity_relationships": {"success": bool, "entity_id": int, "relationships_found": int},
    "extract_all_relationships": {
        "success": bool,
        "statistics": {
            "total_processed": int,
            "total_relationships": int,
            "entities_with_relationships": int,
        },
        "summary": str,
    },
    "build_local_graph": {
        "success": bool,
        "graph": {
            "nodes": [{"id": int, "name": str, "entity_type": str, "tier": str, "salience_score": float}],
            "edges": [
                {
                    "id": int,
                    "from_entity_id": int,
                    "to_entity_id": int,
                    "relation_type": str,
                    "weight": float,
                    "is_causal": bool,
                }
            ],
            "node_count": int,
            "edge_count": int,
        },
    },
    "get_related": {
        "entity": str,
        "relations": [
            {
                "relationType": str,
                "direction": str,
                "target": {"name": str, "entityType": str, "observations": [str]},
            }
        ],
    },
    "traverse": {
        "startNode": str,
        "paths": [{"nodes": [str], "relations": [str]}],
        "endNodes": [{"name": str, "entityType": str, "observations": [str]}],
    },
    "summarize": {"summary": {"totalEntities": int, "entities": [{"name": str, "brief": str}]}},
}
CALLS: dict[str, JsonDict] = {
    "graph_enhanced_search": {"query": "cholera"},
    "get_entity_neighbors": {"entity_id": 1},
    "build_local_graph": {"entity_ids": [0, 1]},
    "get_related": {"entityName": "cholera"},
    "traverse": {
        "startNode": "John Snow",
        "path": [{"relationType": "relates_to", "direction": "out", "targetType": "concept"}],
    },
    "summarize": {"entityType": "concept", "format": "brief"},
}


def field(tool: Tool, name: str) -> FieldInfo:
    """Return the field that takes a parameter under its published name."""
    (own,) = respelt(tool.input, {name: None})
    own = spellings(tool.input).get(own, own)
    assert own in tool.input.model_fields, f"{tool.name} takes no {name}"
    return tool.input.model_fields[own]


@pytest.mark.parametrize(
    ("tool", "name", "default"),
    [
        pytest.param(t, n, d, id=f"{t}-{n}")
        for t, parameters in PUBLISHED.items()
        for n, d in parameters.items()
    ],
)
def test_a_parameter_has_its_published_name_and_default(tool: str, name: str, default: Any) -> None:
    found = field(TOOLS[tool], name)
    assert found.is_required() == (default is REQUIRED)
    if default is not REQUIRED:
        assert found.default == default


@pytest.mark.parametrize("tool", PUBLISHED)
def test_an_answer_has_the_published_keys(tool: str) -> None:
    arguments = CALLS.get(tool, EXAMPLES[tool])
    data = TOOLS[tool].run(arguments, resources(rich())).data
    told = TypeAdapter(TOOLS[tool].output).dump_python(data, mode="json", by_alias=True)
    missing(told, ANSWERS[tool], tool)


def missing(told: Any, published: Any, where: str) -> None:
    """Fail for what is published and not told, or of another type."""
    if isinstance(published, dict):
        for key, inner in published.items():
            assert key in told, f"{where}.{key}"
            missing(told[key], inner, f"{where}.{key}")
    elif isinstance(published, list):
        assert told or where.endswith("observations"), f"{where} is empty: the test sees nothing"
        for item in told:
            missing(item, published[0], f"{where}[]")
    elif published is float:
        assert isinstance(told, int | float), where
    else:
        assert isinstance(told, published), where
