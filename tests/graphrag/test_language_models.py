"""`indexing_model` and `search_model`: which model does what, over HTTP, and what is done without its key."""

import json
import logging
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from corpusgraph.flows.interop.engine import (
    ExecutionConfig,
    GraphRAGEngine,
    GraphRAGModelConfig,
    IndexingError,
    build_graphrag_config,
)
from corpusgraph.flows.interop.engine.contract import chosen_model, profile_of
from corpusgraph.schemas.errors import InvalidInputError
from tests.faults.server import FaultServer
from tests.graphrag.given import ASKED, engine, home, run, tool

KEY = "sk-a-key-that-must-not-be-written"


@pytest.fixture(scope="module")
def server() -> Iterator[FaultServer]:
    with FaultServer(key=KEY, hang=1.0) as running:
        yield running


@pytest.fixture(autouse=True)
def key(monkeypatch: pytest.MonkeyPatch, server: FaultServer) -> None:
    server.reset()
    server.set()
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    monkeypatch.delenv("CORPUSGRAPH_PROFILE", raising=False)


def models(server: FaultServer, **more: Any) -> dict[str, Any]:
    """Return settings with a model for each purpose, as a tools file would give them."""
    at = {"provider": "openai", "api_base": server.base_url}
    return {
        "indexing_model": {**at, "name": "reads", "temperature": 0.0},
        "search_model": {**at, "name": "writes", "temperature": 0.5},
        "entity_types": ["Organization", "person"],
        **more,
    }


def kinds(server: FaultServer) -> Counter[str]:
    return Counter(call.kind for call in server.calls)


def codes(made: GraphRAGEngine) -> list[str]:
    return [warning.code for warning in made.warnings]


def test_one_model_reads_and_another_writes(server: FaultServer, tmp_path: Path) -> None:
    base = home(tmp_path)
    made = engine(base, **models(server, max_gleanings=1))
    assert kinds(server) == {"extract": 3, "glean": 3, "report": 1}
    assert all("Only these entity types: organization; person." in call.prompt for call in server.calls[:3])
    assert made.metadata is not None
    assert made.metadata.extractor == "reads"
    assert set(made.storage.load_table("entities")["type"]) <= {"organization", "person"}
    assert codes(made) == []
    result = run(made.result(ASKED))
    assert kinds(server)["write"] == 1
    assert result.written_by == "writes"
    assert set(result.sources) <= {"snow.txt", "board.md", "farr.txt"}
    assert result.sources
    before = len(server.calls)
    run(made.initialize())
    assert run(made.result(ASKED)) == result
    assert len(server.calls) == before
    assert not [path for path in base.rglob("*") if path.is_file() and KEY.encode() in path.read_bytes()]


@pytest.mark.faults
def test_without_the_key_what_a_model_read_stays(
    server: FaultServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    base, settings = home(tmp_path), models(server, max_gleanings=0)
    first = engine(base, **settings).metadata
    monkeypatch.delenv("OPENAI_API_KEY")
    with caplog.at_level(logging.WARNING):
        made = engine(base, **settings)
    assert made.metadata == first
    assert codes(made) == ["no_key", "no_key"]
    assert "stays as reads read it" in caplog.text
    assert run(made.result(ASKED)).written_by == "extractive"
    (base / "data" / "documents" / "new.txt").write_text("Budd found fungi in Bristol.", encoding="utf-8")
    assert made.storage.needs_reindex(base / "data" / "documents")
    with pytest.raises(IndexingError, match="OPENAI_API_KEY"):
        run(made.initialize())
    assert made.is_initialized
    assert made.metadata == first
    run(made.initialize(force_reindex=True))
    assert made.metadata is not None
    assert (made.metadata.extractor, made.metadata.file_count) == ("offline", 4)
    assert "entity_types_unused" in codes(made)
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    assert made.storage.needs_reindex(base / "data" / "documents")
    server.reset()
    run(made.initialize())
    assert kinds(server)["extract"] == 1  # the others are in the cache of replies


@pytest.mark.faults
def test_an_endpoint_that_fails_is_told(server: FaultServer, tmp_path: Path) -> None:
    """Of a model that answers nothing there is an index without it, or an error; never half of one."""
    server.set("500")
    quick = ExecutionConfig(llm_timeout=0.5)
    made = GraphRAGEngine(tool(search_model=models(server)["search_model"]), str(home(tmp_path)), quick)
    run(made.initialize())
    result = run(made.result(ASKED))
    assert result.written_by == "extractive"
    assert {warning.code for warning in result.warnings} & {"llm_failed", "unreachable", "server_error"}


def test_a_key_that_is_refused_stops_indexing(
    server: FaultServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-wrong")
    made = GraphRAGEngine(tool(**models(server)), str(home(tmp_path)))
    with pytest.raises(IndexingError, match="refuses the key") as caught:
        run(made.initialize())
    assert caught.value.hint is not None
    assert "indexing_model.yml" in caught.value.hint
    assert not made.storage.has_valid_index()


@pytest.mark.faults
def test_what_failed_is_asked_again_when_it_is_forced(server: FaultServer, tmp_path: Path) -> None:
    server.set("refusal")
    made = engine(home(tmp_path), **models(server, max_gleanings=0))
    assert made.index_stats["entities"] == 0
    assert "files_failed" in codes(made)
    server.set()
    server.reset()
    run(made.initialize())
    assert kinds(server) == {}
    run(made.initialize(force_reindex=True))
    assert kinds(server)["extract"] == 3
    assert made.index_stats["entities"] > 0
    assert codes(made) == []


@pytest.mark.faults
def test_a_profile_stands_in_for_models_that_are_not_named(
    server: FaultServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "mine.yml"
    path.write_text(
        f"profile: mine\nllm: {{model: ours, base_url: '{server.base_url}', api_key_env: OPENAI_API_KEY}}\n",
        encoding="utf-8",
    )
    named = ExecutionConfig(profile=str(path))
    assert [chosen_model(p, None, named).named for p in ("indexing_model", "search_model")] == [str(path)] * 2
    monkeypatch.setenv("CORPUSGRAPH_PROFILE", str(path))
    made = engine(home(tmp_path))
    assert made.metadata is not None
    assert made.metadata.extractor == "ours"
    assert codes(made) == []
    monkeypatch.delenv("CORPUSGRAPH_PROFILE")
    assert [w.code for w in chosen_model("search_model", None, ExecutionConfig()).warnings] == ["no_llm"]


def test_each_provider_has_its_profile(monkeypatch: pytest.MonkeyPatch) -> None:
    azure = GraphRAGModelConfig(
        provider="azure_openai",
        name="gpt-4o",
        deployment_name="ours",
        api_base="https://x.example",
        api_version="2024-10-21",
        temperature=0.3,
        max_tokens=100,
    )
    found = profile_of(azure, "indexing_model").llm
    assert (found.provider, found.model, found.base_url) == ("azure", "ours", "https://x.example")
    assert (found.api_version, found.temperature, found.max_tokens) == ("2024-10-21", 0.3, 100)
    assert found.api_key_env == "AZURE_OPENAI_API_KEY"
    ollama = profile_of(GraphRAGModelConfig(provider="ollama", name="llama3.1"), "search_model").llm
    assert (ollama.provider, ollama.api_key_env) == ("compatible", None)
    monkeypatch.delenv("OPENAI_API_KEY")
    local = chosen_model("search_model", GraphRAGModelConfig(provider="ollama", name="l"), ExecutionConfig())
    assert local.why is None
    monkeypatch.delenv("OUR_ENDPOINT", raising=False)
    there = GraphRAGModelConfig(provider="ollama", name="l", api_base="${OUR_ENDPOINT}")
    unset = chosen_model("search_model", there, ExecutionConfig())
    assert "OUR_ENDPOINT" in str(unset.why)
    assert [warning.code for warning in unset.warnings] == ["no_key"]
    with pytest.raises(InvalidInputError, match="max_tokens"):
        profile_of(GraphRAGModelConfig(provider="ollama", name="l", max_tokens=10**6), "search_model")


def test_settings_of_graphrag_name_the_models_and_no_key(server: FaultServer, tmp_path: Path) -> None:
    made = build_graphrag_config(tool(**models(server, skip_claim_extraction=False)), tmp_path, tmp_path)
    new, old = made.to_settings("3"), made.to_settings("0.5")
    assert [model["model"] for model in new["completion_models"].values()] == ["reads", "writes"]
    assert new["local_search"]["completion_model_id"] in new["completion_models"]
    assert old["llm"]["model"] == "reads"
    assert new["extract_claims"] == old["claim_extraction"] == {"enabled": True}
    assert new["extract_graph"] == old["entity_extraction"]
    assert new["extract_graph"]["entity_types"] == ["Organization", "person"]
    assert KEY not in json.dumps([new, old])
    assert new["completion_models"]["default_completion_model"]["api_key"] == "${OPENAI_API_KEY}"
