"""A tool's folder: what is hashed, which names it may have, and that clearing follows no link out of it."""

import json
import os
import shutil
import unicodedata
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pandas as pd
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from corpusgraph.flows.files.manifest import single_writer
from corpusgraph.flows.interop.engine import GraphRAGStorage, IndexingError, IndexMetadata, VectorstoreTool
from corpusgraph.flows.interop.engine.engine import META
from corpusgraph.schemas.errors import IndexLockedError
from tests.examples import tried
from tests.graphrag.given import ASKED, engine, home, run, tool

TOLD = IndexMetadata(
    tool_name="knowledge_graph", source_path="/x", source_hash="0" * 64, indexed_at="2026", file_count=1
)
UNSAFE = [
    "",
    ".",
    "..",
    "../x",
    "a/b",
    "a\\b",
    "/abs",
    ".hidden",
    "-x",
    "a b",
    "x" * 101,
    "a\0b",
    "con",
    "NUL.txt",
]
UNSAFE += ["com1", "x.", "naïve", unicodedata.normalize("NFD", "é"), "a\n", "~", "C:x", "x:y", "%2e%2e"]


@pytest.fixture
def storage(indexed: Path, tmp_path: Path) -> GraphRAGStorage:
    return GraphRAGStorage(tool(), Path(shutil.copytree(indexed, tmp_path / "base")))


@pytest.mark.parametrize("name", UNSAFE)
def test_a_name_that_no_folder_should_have_is_refused(name: str, tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="folder"):
        VectorstoreTool(name=name, engine="graphrag", source="x")
    theirs: Any = SimpleNamespace(name=name, engine="graphrag", source="x", description="", graphrag=None)
    with pytest.raises(ValueError, match=r"folder|name"):
        GraphRAGStorage(theirs, tmp_path)
    assert list(tmp_path.iterdir()) == []


@settings(max_examples=tried(60), deadline=None)
@given(st.text(max_size=12))
def test_whatever_a_tool_is_called_its_folder_is_below_the_base(name: str) -> None:
    theirs: Any = SimpleNamespace(name=name, engine="graphrag", source="x", description="", graphrag=None)
    base = Path("/tmp/base")  # noqa: S108 - nothing is written
    try:
        made = GraphRAGStorage(theirs, base)
    except ValueError:
        return
    assert made.storage_dir.parent == base / ".holodeck" / "graphrag"
    assert Path(os.path.normpath(made.storage_dir)) == made.storage_dir


files = st.dictionaries(
    st.sampled_from(["a.txt", "b.txt", "sub/a.txt", "sub/deep/c.md", "é.txt", "d.bin"]),
    st.binary(max_size=20),
    min_size=1,
)


def put(folder: Path, given_: dict[str, bytes], order: list[str]) -> Path:
    shutil.rmtree(folder, ignore_errors=True)
    for name in order:
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(given_[name])
    return folder


@settings(max_examples=tried(15), deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(one=files, other=files, random=st.randoms(use_true_random=False))
def test_a_hash_is_of_names_and_content_alone(
    one: dict[str, bytes], other: dict[str, bytes], random: Any, tmp_path: Path
) -> None:
    storage = GraphRAGStorage(tool(), tmp_path)
    shuffled = random.sample(sorted(one), len(one))
    first = storage.compute_source_hash(put(tmp_path / "one", one, sorted(one)))
    assert storage.compute_source_hash(put(tmp_path / "two", one, shuffled)) == first
    assert (storage.compute_source_hash(put(tmp_path / "three", other, sorted(other))) == first) == (
        one == other
    )


@pytest.mark.faults
def test_what_is_no_source_does_not_count(tmp_path: Path) -> None:
    """Hidden files, dates, and the engine's own folder where the source is the base itself."""
    base = home(tmp_path)
    whole = GraphRAGStorage(tool(source="."), base)
    before = whole.compute_source_hash(base)
    os.utime(base / "data" / "documents" / "snow.txt", (0, 0))
    (base / ".hidden").write_text("x", encoding="utf-8")
    engine(base, source=".")
    assert whole.compute_source_hash(base) == before
    assert not whole.needs_reindex(base)
    (base / "data" / "documents" / "snow.txt").rename(base / "data" / "documents" / "snow2.txt")
    assert whole.needs_reindex(base)


def test_an_empty_folder_has_a_hash_and_a_missing_one_none(tmp_path: Path) -> None:
    storage = GraphRAGStorage(tool(), tmp_path)
    (tmp_path / "empty").mkdir()
    assert len(storage.compute_source_hash(tmp_path / "empty")) == 64
    with pytest.raises(FileNotFoundError, match="nowhere"):
        storage.compute_source_hash(tmp_path / "nowhere")


@pytest.mark.faults
def test_metadata_that_is_damaged_counts_as_absent(storage: GraphRAGStorage, tmp_path: Path) -> None:
    kept = storage.get_metadata()
    assert kept is not None
    for damage in (b"", b"{", b"[]", b"\xff", json.dumps({"tool_name": "x"}).encode()):
        storage.meta_path.write_bytes(damage)
        assert storage.get_metadata() is None
        assert storage.needs_reindex(tmp_path / "base" / "data" / "documents")
    made = engine(tmp_path / "base")
    assert made.metadata is not None
    assert (made.metadata.generation, made.metadata.n_extracted) == (kept.generation, 0)
    storage.meta_path.write_text(kept.model_dump_json()[:-1] + ',"later": 1}', encoding="utf-8")
    assert storage.get_metadata() == kept


def test_metadata_of_an_application_is_kept_as_it_says(storage: GraphRAGStorage, tmp_path: Path) -> None:
    source = tmp_path / "base" / "data" / "documents"
    told = TOLD.model_copy(update={"source_hash": storage.compute_source_hash(source)})
    storage.save_metadata(told)
    assert not storage.needs_reindex(source)
    storage.save_metadata(TOLD)
    assert storage.needs_reindex(source)


@pytest.mark.faults
def test_an_index_that_lost_a_table_is_built_again(storage: GraphRAGStorage, tmp_path: Path) -> None:
    (storage.output_dir / "entities.parquet").unlink()
    assert not storage.has_valid_index()
    made = engine(tmp_path / "base")
    assert made.storage.has_valid_index()


@pytest.mark.faults
@pytest.mark.parametrize("lost", ["manifest.json", "lancedb", META])
def test_an_index_that_lost_a_part_is_made_again(lost: str, storage: GraphRAGStorage, tmp_path: Path) -> None:
    there = storage.storage_dir / lost
    shutil.rmtree(there) if there.is_dir() else there.unlink()
    made = engine(tmp_path / "base")
    assert made.metadata is not None
    assert made.metadata.n_extracted == 0
    assert len(made.storage.load_table("entities")) == made.index_stats["entities"]
    assert "contaminated water" in run(made.search(ASKED))


def test_tables_have_both_names_and_others_none(storage: GraphRAGStorage, tmp_path: Path) -> None:
    for bare in ("entities", "documents", "covariates", "text_units.parquet"):
        pd.testing.assert_frame_equal(storage.load_table(bare), storage.load_table(f"create_final_{bare}"))
    with pytest.raises(ValueError, match="create_final_nodes"):
        storage.load_table("create_final_nodes")
    with pytest.raises(ValueError, match=r"\.\./"):
        storage.load_table("../../data/documents/snow")
    with pytest.raises(ValueError, match="Did you mean 'entities'"):
        storage.load_table("entitys")
    with pytest.raises(FileNotFoundError, match="Build the index"):
        GraphRAGStorage(tool("another"), tmp_path).load_table("entities")


def test_clearing_follows_no_link_out_of_the_folder(storage: GraphRAGStorage, tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "kept.txt").write_text("x", encoding="utf-8")
    root = storage.storage_dir
    (root / "cache" / "link").symlink_to(outside, target_is_directory=True)
    (root / "logs" / "file").symlink_to(outside / "kept.txt")
    shutil.rmtree(root / "compiled")
    (root / "compiled").symlink_to(outside, target_is_directory=True)
    (root / "memory.jsonl").write_text("{}\n", encoding="utf-8")
    neighbour = root.parent / "neighbour"
    neighbour.mkdir()
    storage.clear_index()
    assert (outside / "kept.txt").read_text(encoding="utf-8") == "x"
    assert sorted(path.name for path in root.iterdir()) == ["lock", "memory.jsonl"]
    assert neighbour.is_dir()
    storage.clear_index()  # nothing is left to clear
    GraphRAGStorage(tool("never"), tmp_path).clear_index()
    assert not (tmp_path / ".holodeck").exists()


def test_a_link_in_place_of_the_folder_is_removed_and_not_followed(
    storage: GraphRAGStorage, tmp_path: Path
) -> None:
    elsewhere = storage.storage_dir.rename(tmp_path / "elsewhere")
    storage.storage_dir.symlink_to(elsewhere, target_is_directory=True)
    assert storage.has_valid_index()
    storage.clear_index()
    assert not storage.storage_dir.exists()
    assert (elsewhere / "manifest.json").is_file()


def test_an_index_that_is_being_written_is_not_cleared(storage: GraphRAGStorage) -> None:
    with single_writer(storage.storage_dir), pytest.raises(IndexLockedError):
        storage.clear_index()
    assert storage.has_valid_index()


def test_a_folder_that_cannot_be_written_is_an_indexing_error(tmp_path: Path) -> None:
    base = home(tmp_path)
    (base / ".holodeck").write_text("a file where the folder should be", encoding="utf-8")
    with pytest.raises(IndexingError, match=r"\.holodeck"):
        engine(base)


def test_paths_do_not_depend_on_where_the_program_goes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(home(tmp_path))
    made = GraphRAGStorage(tool())
    monkeypatch.chdir("/")
    assert made.storage_dir == tmp_path / ".holodeck" / "graphrag" / "knowledge_graph"
