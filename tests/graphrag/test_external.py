"""`to_settings`, read by Microsoft GraphRAG itself, of 0.5 (the contract's) and of 3: no key is lost."""

import json
from pathlib import Path
from typing import Any

import pytest

from corpusgraph.flows.interop.engine import build_graphrag_config
from tests.graphrag.given import tool
from tests.interop.oracle import graphrag

READ_3 = """
import json, sys
from graphrag.config.models.graph_rag_config import GraphRagConfig
print(json.dumps(GraphRagConfig.model_validate(json.loads(sys.argv[1])).model_dump(mode="json")))
"""
READ_0_5 = """
import json, sys
from graphrag.config.create_graphrag_config import create_graphrag_config
given = json.loads(sys.argv[1])
print(json.dumps(create_graphrag_config(given, given["root_dir"]).model_dump(mode="json")))
"""
MODELS: tuple[dict[str, Any], ...] = (
    {},
    {"indexing_model": {"name": "reads", "temperature": 0.5}, "search_model": {"name": "writes"}},
    {"search_model": {"provider": "ollama", "name": "llama3.1"}},
    {
        "indexing_model": {
            "provider": "azure_openai",
            "name": "gpt-4o",
            "api_base": "https://x.example",
            "api_version": "2024-10-21",
        }
    },
)


def settings(version: Any, folder: Path, **models: Any) -> Any:
    """Return settings as they are when GraphRAG has filled in the environment's keys."""
    made = tool(chunk_size=250, entity_types=["person", "ship"], skip_claim_extraction=False, **models)
    told = build_graphrag_config(made, folder / "there", folder / "in").to_settings(version)
    return json.loads(
        json.dumps(told).replace("${OPENAI_API_KEY}", "k").replace("${AZURE_OPENAI_API_KEY}", "k")
    )


def lost(given: Any, read: Any, where: str = "") -> list[str]:
    """Return the places where what was read is not what was given."""
    if not isinstance(given, dict):
        return [] if given == read else [f"{where}: {given!r} is read as {read!r}"]
    found = [(key, value, (read or {}).get(key, "nothing")) for key, value in given.items()]
    return [line for key, value, now in found for line in lost(value, now, f"{where}.{key}")]


@pytest.mark.external
@pytest.mark.parametrize("models", MODELS)
def test_graphrag_3_reads_every_key(models: Any, tmp_path: Path) -> None:
    given = settings("3", tmp_path, **models)
    assert lost(given, graphrag("3", READ_3, json.dumps(given))) == []


@pytest.mark.external
@pytest.mark.parametrize("models", MODELS)
def test_graphrag_0_5_reads_every_key(models: Any, tmp_path: Path) -> None:
    given = {"llm": {"api_key": "k"}, **settings("0.5", tmp_path, **models)}
    assert lost(given, graphrag("0.5", READ_0_5, json.dumps(given))) == []


def test_a_key_that_is_lost_is_seen() -> None:
    assert lost({"a": {"b": 1}, "c": 2}, {"a": {"b": 2}}) == [
        ".a.b: 1 is read as 2",
        ".c: 2 is read as 'nothing'",
    ]
