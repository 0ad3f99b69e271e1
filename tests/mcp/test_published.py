"""A server that stays up sees what others publish: it opens the new generation by itself."""

from pathlib import Path
from typing import Any

import mcp_types as types
from mcp.client import Client

from corpusgraph.flows import api
from corpusgraph.schemas.study import Study
from tests.mcp.serving import served

CALLS: dict[str, dict[str, Any]] = {
    "chunk_vdb_search": {"query": "pump", "top_k": 9},
    "hybrid_search": {"query": "pump", "top_k": 9},
    "search_nodes": {"query": "snow"},
}
"""Vectors, full text, and the graph with its memory."""


def publish(home: Path, number: int) -> str:
    corpus = home / "corpus"
    corpus.mkdir(exist_ok=True)
    (corpus / f"{number}.txt").write_text(
        f"John Snow removed the pump of Street{number} in London. Cholera came from it.", encoding="utf-8"
    )
    study = Study.model_validate({"study": "tiny", "corpus": {"path": str(corpus)}})
    return api.index(study, outputs=home / "outputs").generation


def test_two_publishes_between_two_calls_are_not_noticed(tmp_path: Path) -> None:
    generations = [publish(tmp_path, 0)]

    async def work(client: Client) -> list[types.CallToolResult]:
        await client.call_tool("search_nodes", CALLS["search_nodes"])  # texts and vectors are not read yet
        generations.extend(publish(tmp_path, number) for number in (1, 2))
        return [await client.call_tool(name, given) for name, given in CALLS.items()]

    found = served(tmp_path / "outputs", work, groups=tuple(CALLS))
    assert len(set(generations)) == 3
    assert [result.is_error for result in found] == [False] * len(found)
    assert all("Street2" in str(result.structured_content) for result in found[:2])
