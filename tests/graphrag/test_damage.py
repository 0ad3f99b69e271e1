"""An index that is damaged, cleared or read-only: what is told, and how it becomes whole again."""

import asyncio
import json
import logging
import multiprocessing
import shutil
from pathlib import Path
from typing import Any

import pytest

from corpusgraph.flows.files.disk import guarded
from corpusgraph.flows.interop.engine import GraphRAGEngine, GraphRAGStorage, IndexingError
from corpusgraph.flows.interop.engine.contract import NotInitializedError, TableUnreadableError
from corpusgraph.flows.interop.engine.engine import is_whole_parquet
from corpusgraph.schemas.answer import AnswerResult
from tests.graphrag.given import ASKED, engine, home, run, tool

SOURCE = Path("data") / "documents"


@pytest.fixture
def base(indexed: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(indexed, tmp_path / "base"))


@pytest.fixture
def storage(base: Path) -> GraphRAGStorage:
    return GraphRAGStorage(tool(), base)


def damages(whole: bytes) -> tuple[bytes, ...]:
    return b"", b"PAR1", b"PAR1" + b"x" * 9 + b"PAR1", whole[: len(whole) // 2], whole[4:], whole[:-1]


def test_a_table_that_was_written_in_part_is_no_table(storage: GraphRAGStorage, base: Path) -> None:
    path = storage.output_dir / "entities.parquet"
    whole = path.read_bytes()
    for damage in damages(whole):
        path.write_bytes(damage)
        assert not is_whole_parquet(path)
        assert not storage.has_valid_index()
        assert storage.needs_reindex(base / SOURCE)
        with pytest.raises(TableUnreadableError, match=r"entities\.parquet") as caught:
            storage.load_table("create_final_entities")
        assert isinstance(caught.value, ValueError)
    path.write_bytes(whole)
    assert storage.has_valid_index()
    assert not storage.needs_reindex(base / SOURCE)


def test_a_table_that_is_damaged_inside_is_a_named_error(storage: GraphRAGStorage) -> None:
    path = storage.output_dir / "entities.parquet"
    whole = path.read_bytes()
    path.write_bytes(whole[:4] + b"\0" * (len(whole) - 12) + whole[-8:])
    with pytest.raises(TableUnreadableError, match="force_reindex"):
        storage.load_table("entities")


@pytest.mark.parametrize("lost", ["manifest.json", "lancedb", "output"])
def test_an_index_that_lost_a_part_needs_indexing(lost: str, storage: GraphRAGStorage, base: Path) -> None:
    there = storage.storage_dir / lost
    shutil.rmtree(there) if there.is_dir() else there.unlink()
    assert storage.needs_reindex(base / SOURCE)


def test_metadata_that_cannot_be_read_counts_as_absent(
    storage: GraphRAGStorage, base: Path, caplog: pytest.LogCaptureFixture
) -> None:
    storage.meta_path.unlink()
    storage.meta_path.mkdir()
    with caplog.at_level(logging.WARNING, "corpusgraph.graphrag"):
        assert storage.get_metadata() is None
        assert storage.needs_reindex(base / SOURCE)
    assert "index.meta" in caplog.text


@pytest.mark.faults
def test_force_takes_the_place_of_a_damaged_manifest_and_of_no_newer_one(
    storage: GraphRAGStorage, base: Path
) -> None:
    there = storage.storage_dir / "manifest.json"
    newer = json.dumps({**json.loads(there.read_bytes()), "format": 99})
    there.write_text("{", encoding="utf-8")
    assert storage.needs_reindex(base / SOURCE)
    with pytest.raises(IndexingError, match=r"force_reindex=True"):
        engine(base)
    made = GraphRAGEngine(tool(), str(base))
    run(made.initialize(force_reindex=True))
    assert "contaminated water" in run(made.search(ASKED))
    assert made.metadata is not None
    assert made.metadata.n_extracted == 0
    there.write_text(newer, encoding="utf-8")
    with pytest.raises(IndexingError, match="newer corpusgraph"):
        run(GraphRAGEngine(tool(), str(base)).initialize(force_reindex=True))
    assert there.read_text(encoding="utf-8") == newer


def test_hints_speak_of_the_tool(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / SOURCE).mkdir(parents=True)
    with pytest.raises(IndexingError, match="`source` leads to") as caught:
        engine(tmp_path)
    assert "corpus.path" not in str(caught.value)
    base = home(tmp_path / "other")

    def denied(storage: GraphRAGStorage) -> None:
        with guarded(storage.storage_dir):
            raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(GraphRAGStorage, "ensure_directories", denied)
    with pytest.raises(IndexingError, match="permission denied") as caught:
        engine(base)
    assert "base_dir" in str(caught.value)
    assert "CORPUSGRAPH_OUTPUTS" not in str(caught.value)


def test_an_index_that_is_cleared_under_an_engine_is_not_initialised(base: Path) -> None:
    made = engine(base)
    made.storage.clear_index()
    with pytest.raises(NotInitializedError, match="initialize") as caught:
        run(made.search(ASKED))
    assert isinstance(caught.value, RuntimeError)


def test_searches_that_are_called_off_leave_the_engine_as_it_was(base: Path) -> None:
    made = engine(base)

    async def some() -> list[Any]:
        asked = [asyncio.create_task(made.search(ASKED)) for _ in range(24)]
        await asyncio.sleep(0.01)
        for task in asked[::2]:
            task.cancel()
        return await asyncio.gather(*asked, return_exceptions=True)

    found = run(some())
    assert {type(one) for one in found} <= {str, asyncio.CancelledError}
    assert len({one for one in found if isinstance(one, str)}) == 1
    run(made.close())


def same(*given: Any) -> tuple[Any, ...]:
    return given


@pytest.mark.faults
def test_answers_go_to_another_process_and_come_back(base: Path) -> None:
    made = engine(base)
    answer, result = run(made.answer(ASKED)), run(made.result(ASKED))
    assert isinstance(answer, AnswerResult)
    assert answer.passages
    with multiprocessing.get_context("spawn").Pool(1) as pool:
        assert pool.apply(same, (answer.passages, answer, result, made.metadata)) == (
            answer.passages,
            answer,
            result,
            made.metadata,
        )


@pytest.mark.faults
def test_a_file_name_with_a_line_break_adds_no_line(tmp_path: Path) -> None:
    base = home(tmp_path)
    (base / SOURCE / "snow.txt").rename(base / SOURCE / "snow\n**Sources:**\n- b.txt")
    found = run(engine(base).search(ASKED))
    assert found.count("\n**Sources:**") == 1
    assert "- snow **Sources:** - b.txt" in found


def test_a_mapping_as_a_yaml_file_has_it_is_a_tool(base: Path) -> None:
    given: Any = {"name": "knowledge_graph", "type": "vectorstore", "engine": "graphrag", "source": "x"}
    made = GraphRAGEngine(given, str(base))
    assert (made.config.source, made.storage.storage_dir.name) == ("x", "knowledge_graph")
    assert GraphRAGStorage(given, base).has_valid_index()
    for wrong, said in (
        ({"engine": "default"}, "'default'"),
        ({"sorce": "y"}, "sorce"),
        ({"name": ".."}, "nam"),
    ):
        with pytest.raises(ValueError, match=said):
            GraphRAGEngine(given | wrong, str(base))
