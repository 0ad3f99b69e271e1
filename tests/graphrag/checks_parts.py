"""The checks of the contract's sections 3 to 6: storage, indexer, configuration, error."""

import re
from types import SimpleNamespace
from typing import Any

import pandas as pd
import pytest

from corpusgraph.flows.interop.engine import (
    GraphRagConfig,
    GraphRAGIndexer,
    GraphRAGStorage,
    IndexingError,
    IndexMetadata,
    VectorstoreTool,
    build_graphrag_config,
)
from tests.conftest import TEXTS
from tests.graphrag.checks import Case
from tests.graphrag.given import home, run, tool


def fresh(case: Case, name: str) -> GraphRAGStorage:
    return GraphRAGStorage(tool(), home(case.folder / name))


def directories(case: Case) -> None:
    storage = fresh(case, "directories")
    assert not storage.storage_dir.exists()
    for _ in range(2):
        storage.ensure_directories()
        assert all(f.is_dir() for f in (storage.storage_dir, storage.output_dir, storage.logs_dir))


def output_is_below_the_root(case: Case) -> None:
    assert case.storage.output_dir == case.storage.storage_dir / "output"
    assert case.storage.storage_dir.is_absolute()


def valid_index(case: Case) -> None:
    """It is valid when all tables are there, under either name, and when one is missing it is not."""
    assert case.storage.has_valid_index()
    storage = fresh(case, "valid")
    storage.ensure_directories()
    for name in GraphRAGStorage.REQUIRED_TABLES:
        assert not storage.has_valid_index()
        table = case.storage.output_dir / f"{name.removeprefix('create_final_')}.parquet"
        (storage.output_dir / f"{name}.parquet").write_bytes(table.read_bytes())
    assert storage.has_valid_index()


def metadata(case: Case) -> None:
    storage = fresh(case, "metadata")
    assert storage.get_metadata() is None
    told = IndexMetadata(
        tool_name="kg",
        source_path="/x",
        source_hash="0" * 64,
        indexed_at="2026-01-01T00:00:00+00:00",
        file_count=3,
    )
    storage.save_metadata(told)
    assert storage.get_metadata() == told
    assert case.storage.get_metadata() == case.engine.metadata


def source_hash(case: Case) -> None:
    one, other = home(case.folder / "hash" / "one"), home(case.folder / "hash" / "other")
    storage = GraphRAGStorage(tool(), one)
    first = storage.compute_source_hash(one / "data")
    assert re.fullmatch(r"[0-9a-f]{64}", first)
    assert storage.compute_source_hash(other / "data") == first
    (other / "data" / "documents" / "snow.txt").write_text("Something else.", encoding="utf-8")
    assert storage.compute_source_hash(other / "data") != first


def change_is_seen(case: Case) -> None:
    base = case.copy()
    storage, source = GraphRAGStorage(tool(), base), base / "data" / "documents"
    assert GraphRAGStorage(tool("another"), base).needs_reindex(source)
    assert not storage.needs_reindex(source)
    (source / "new.txt").write_text("Budd found fungi in Bristol.", encoding="utf-8")
    assert storage.needs_reindex(source)


def clearing(case: Case) -> None:
    base = case.copy()
    storage = GraphRAGStorage(tool(), base)
    assert storage.has_valid_index()
    storage.clear_index()
    assert not storage.has_valid_index()
    assert storage.get_metadata() is None
    assert [path.name for path in storage.storage_dir.iterdir()] == ["lock"]
    assert sorted(p.name for p in (base / "data" / "documents").iterdir()) == sorted(TEXTS)


def tables_load(case: Case) -> None:
    found = case.storage.load_table("create_final_entities")
    assert isinstance(found, pd.DataFrame)
    assert any("Snow" in title for title in found["title"])
    assert {"id", "title", "type", "description", "text_unit_ids"} <= set(found.columns)


def building(case: Case) -> None:
    base, first = case.copy(), case.engine.metadata
    storage, source = GraphRAGStorage(tool(), base), base / "data" / "documents"
    indexer = GraphRAGIndexer(tool(), storage)
    assert first is not None
    assert (first.n_extracted, first.n_reused) == (len(TEXTS), 0)
    assert run(indexer.build_index(source)) == first
    forced = run(indexer.build_index(source, force=True))
    assert (forced.n_extracted, forced.n_reused) == (0, len(TEXTS))
    assert forced.generation == first.generation


def build_errors(case: Case) -> None:
    storage = GraphRAGStorage(tool(), case.folder / "errors")
    with pytest.raises(IndexingError) as caught:
        run(GraphRAGIndexer(tool(), storage).build_index(case.folder / "nowhere"))
    assert isinstance(caught.value.__cause__, FileNotFoundError)


def config_is_built(case: Case) -> None:
    made = build_graphrag_config(tool(chunk_size=500), case.storage.storage_dir, case.source)
    assert isinstance(made, GraphRagConfig)
    assert (made.root_dir, made.input_dir, made.chunk_size) == (case.storage.storage_dir, case.source, 500)
    study = made.to_study()
    assert (study.study, study.corpus.path) == ("knowledge_graph", str(case.source))
    assert made.to_settings("3")["chunking"] == {"type": "tokens", "size": 500, "overlap": 100}
    assert made.to_settings("0.5")["chunks"] == {"size": 500, "overlap": 100}


def config_needs_all(case: Case) -> None:
    good: dict[str, Any] = {"tool_config": tool(), "storage_dir": case.folder, "input_dir": case.source}
    nameless = SimpleNamespace(name=None, engine="graphrag", source="x", description="", graphrag=None)
    sourceless = SimpleNamespace(name="kg", engine="graphrag", source=None, description="", graphrag=None)
    for wrong in (
        {"tool_config": nameless},
        {"tool_config": sourceless},
        {"tool_config": VectorstoreTool(name="kg", source="x")},
        {"storage_dir": None},
        {"input_dir": None},
    ):
        with pytest.raises(ValueError, match=r"missing|name|source|graphrag"):
            build_graphrag_config(**{**good, **wrong})


def indexing_error(case: Case) -> None:
    del case
    assert issubclass(IndexingError, Exception)
    assert str(IndexingError("it failed")) == "it failed"
    assert not issubclass(IndexingError, ValueError | RuntimeError | OSError)
