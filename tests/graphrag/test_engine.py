"""Engines at work: many tasks, many engines, cancelled and closed in the middle, documents that change."""

import asyncio
import shutil
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from threading import Event
from types import SimpleNamespace
from typing import Any

import pytest
from pydantic import BaseModel

import corpusgraph
from corpusgraph.flows import pipeline as flow
from corpusgraph.flows.interop.engine import (
    ExecutionConfig,
    GraphRAGEngine,
    GraphRAGStorage,
    IndexingError,
    SearchResult,
)
from corpusgraph.flows.interop.engine.contract import method_of
from corpusgraph.flows.interop.engine.engine import renumbered
from corpusgraph.flows.store import store as stores
from corpusgraph.flows.store.store import IndexStore
from corpusgraph.schemas.errors import InvalidInputError
from corpusgraph.schemas.method import Step
from tests.graphrag.given import ASKED, engine, home, run, tool


@pytest.fixture
def base(indexed: Path, tmp_path: Path) -> Path:
    """Return a base folder of a test's own, with its index."""
    return Path(shutil.copytree(indexed, tmp_path / "base"))


METHODS = {"local": "ms_local", "global": "ms_global", "drift": "ms_drift", "basic": "ms_basic"}


def opened(made: GraphRAGEngine) -> Any:
    assert made._searcher is not None
    return made._searcher.opened()


def manifest(base: Path) -> Any:
    return IndexStore(base / ".holodeck" / "graphrag").manifest("knowledge_graph")


@contextmanager
def held(monkeypatch: pytest.MonkeyPatch, stage: str) -> Iterator[tuple[Event, Event]]:
    """Hold indexing at a stage: the first event tells that it is there, the second lets it go on."""
    there, go = Event(), Event()
    real = dict(flow.STAGES)

    def waits(run_: Any) -> str:
        there.set()
        go.wait(20)
        return real[stage](run_)

    stages = tuple((name, waits if name == stage else work) for name, work in flow.STAGES)
    with monkeypatch.context() as patched:
        patched.setattr(flow, "STAGES", stages)
        yield there, go
        go.set()


def test_engines_of_one_tool_may_be_initialised_at_once(tmp_path: Path) -> None:
    base = home(tmp_path)
    engines = [GraphRAGEngine(tool(), str(base)) for _ in range(4)]

    async def together() -> list[str]:
        await asyncio.gather(*(made.initialize() for made in engines + engines[:2]))
        return list(await asyncio.gather(*(made.search(ASKED) for made in engines for _ in range(4))))

    assert len(set(run(together()))) == 1
    assert {made.metadata.generation for made in engines if made.metadata} == {manifest(base).generation}
    assert manifest(base).serial == 1


@pytest.mark.faults
def test_engines_of_many_tools_work_beside_each_other(base: Path) -> None:
    """Each has a folder, a mode and an index of its own."""
    folder = base / ".holodeck" / "graphrag"
    modes = ["local", "global", "drift", "basic", "default", "hipporag2"]
    engines = [GraphRAGEngine(tool(f"tool_{mode}", search_mode=mode), str(base)) for mode in modes]
    for made in engines:  # what was indexed under one name is no index of another
        assert made.storage.needs_reindex(base / "data" / "documents")

    async def together() -> list[SearchResult]:
        await asyncio.gather(*(made.initialize() for made in engines[:2]))
        return list(await asyncio.gather(*(made.result(ASKED) for made in engines[:2])))

    results = run(together())
    assert [result.search_mode for result in results] == modes[:2]
    assert {"tool_local", "tool_global", "knowledge_graph"} <= {path.name for path in folder.iterdir()}


@pytest.mark.parametrize("mode", ["local", "global", "drift", "basic", "default", "hipporag2", "lgraphrag"])
def test_each_mode_answers_from_the_documents(mode: str, base: Path) -> None:
    made = engine(base, search_mode=mode)
    result, answer = run(made.result(ASKED)), run(made.answer(ASKED))
    assert result.search_mode == mode
    # a report quotes what is said most surely in its community
    quoted = "foul air caused cholera" if mode == "global" else "contaminated water caused cholera"
    assert quoted in result.response
    assert answer.retrieval == METHODS.get(mode, mode)
    paths = {document.id: document.source for document in opened(made).documents}
    assert list(result.sources) == list(dict.fromkeys(paths[c.document_id] for c in answer.citations))


def test_a_level_of_communities_bounds_what_is_read(base: Path) -> None:
    """Level 0 is the coarsest: what is finer is not read, whatever the method calls the parameter."""
    for mode, wanted in (("global", "max_layer"), ("local", "community_level"), ("drift", "max_layer")):
        steps = method_of(mode, 0).method.steps
        levels = [step.inputs[wanted] for step in steps if isinstance(step, Step) and wanted in step.inputs]
        assert levels == [0]
    made = engine(base, search_mode="global", community_level=0)
    coarse = run(made.answer(ASKED))
    assert coarse.context is not None
    graph = opened(made).graph
    by_id = {c.id: c.level for c in graph.communities} | {r.id: r.level for r in graph.reports}
    read = [by_id[piece.id] for piece in coarse.context.pieces if piece.kind == "community"]
    assert set(read) == {0}
    told = engine(base, search_mode="basic", community_level=1).warnings
    assert "community_level_unused" in {warning.code for warning in told}


@pytest.mark.faults
def test_a_cancelled_initialisation_leaves_nothing_half(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = GraphRAGEngine(tool(), str(home(tmp_path)))

    async def cancelled() -> None:
        with held(monkeypatch, "resolve") as (there, go):
            task = asyncio.create_task(made.initialize())
            await asyncio.to_thread(there.wait, 20)
            task.cancel()
            with pytest.raises(asyncio.CancelledError):
                await task
            go.set()
            await made.close()

    run(cancelled())
    assert not made.is_initialized
    assert manifest(tmp_path) is None
    assert "stopped" in (made.storage.logs_dir / "indexing.log").read_text(encoding="utf-8")
    run(made.initialize())
    assert made.metadata is not None
    assert made.metadata.n_reused == 3  # what had been read is kept


@pytest.mark.faults
def test_closing_calls_indexing_off_and_waits_for_searches(
    base: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = engine(base)
    (base / "data" / "documents" / "new.txt").write_text("Budd found fungi in Bristol.", encoding="utf-8")

    async def closing() -> list[Any]:
        with held(monkeypatch, "extract") as (there, go):
            indexing = asyncio.create_task(made.initialize())
            await asyncio.to_thread(there.wait, 20)
            searches = [asyncio.create_task(made.search(ASKED)) for _ in range(20)]
            await asyncio.sleep(0)
            closing = asyncio.create_task(made.close())
            await asyncio.sleep(0.05)
            go.set()
            await closing
            return list(await asyncio.gather(indexing, *searches, return_exceptions=True))

    before = manifest(base)
    off, *said = run(closing())
    assert isinstance(off, IndexingError)
    assert len(set(said)) == 1
    assert "contaminated water" in said[0]
    assert manifest(base) == before
    assert not made.is_initialized
    run(made.initialize())
    assert made.index_stats["files"] == 4


def test_an_engine_serves_several_event_loops(base: Path) -> None:
    made, said = engine(base), list[str]()
    threads = [threading.Thread(target=lambda: said.append(run(made.search(ASKED)))) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(said) == 4
    assert len(set(said)) == 1


@pytest.mark.faults
def test_a_document_that_changes_costs_that_document_and_all_engines_see_it(base: Path) -> None:
    documents = base / "data" / "documents"
    one, other = engine(base), engine(base)
    (documents / "new.txt").write_text("Mercury caused the tremor of the hatters.", encoding="utf-8")
    run(one.initialize())
    assert one.metadata is not None
    assert (one.metadata.n_extracted, one.metadata.n_reused) == (1, 3)
    assert run(other.result("What caused the tremor?")).sources[0] == "new.txt"
    for number in range(2):  # generations come and go under an engine that stays
        (documents / "new.txt").write_text(f"Mercury {number} caused the tremor.", encoding="utf-8")
        run(one.initialize())
    assert "Mercury 1" in run(other.search("What caused the tremor?"))
    assert other.index_stats["files"] == 3  # of what it was initialised with


@pytest.mark.faults
def test_a_configuration_that_changes_is_seen(base: Path) -> None:
    source = base / "data" / "documents"
    assert not GraphRAGStorage(tool(), base).needs_reindex(source)
    assert not GraphRAGStorage(tool(search_mode="global"), base).needs_reindex(source)
    smaller = tool(chunk_size=20, chunk_overlap=0)
    assert GraphRAGStorage(smaller, base).needs_reindex(source)
    made = engine(base, chunk_size=20, chunk_overlap=0)
    assert made.metadata is not None
    assert made.metadata.n_extracted == 3
    assert len(made.storage.load_table("text_units")) > 3
    assert not GraphRAGStorage(smaller, base).needs_reindex(source)


def test_a_question_that_is_none_is_an_error_of_input(base: Path) -> None:
    made = engine(base)
    for wrong in ("", "  \n", None, 7):
        with pytest.raises(InvalidInputError, match=r"empty|ask"):
            run(made.search(wrong))  # type: ignore[arg-type]
    assert "Mode: local" in run(made.search("water " * 20_000 + "\0\ud800"))


@pytest.mark.faults
def test_tables_that_go_away_under_a_search_are_looked_for_again(
    base: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Two generations are published between a search's look at the manifest and its reading of a table."""
    one, other = engine(base), engine(base)
    run(other.search(ASKED))
    monkeypatch.setattr(stores, "_published", lambda _place: (0,))
    run(other.search(ASKED))
    for _ in range(2):
        run(one.initialize(force_reindex=True))
    assert "contaminated water" in run(other.search(ASKED))


def test_what_nothing_answers_has_no_sources(base: Path) -> None:
    result = run(engine(base).result("Which opera did Verdi write in Busseto?"))
    assert result.sources == ()
    assert result.response == "The passages do not answer this question."


@pytest.mark.faults
def test_a_file_that_cannot_be_read_is_told(base: Path) -> None:
    """Each time, by its name, while the index lacks it: also where there is nothing to do."""
    name = "broken\u2028.pdf"
    (base / "data" / "documents" / name).write_bytes(b"%PDF-1.4 broken")
    for made in (engine(base), engine(base)):
        (told,) = (warning.message for warning in made.warnings if warning.code == "files_failed")
        assert name in told
    (base / ".holodeck" / "graphrag" / made.config.name / "failures.jsonl").write_text("{", encoding="utf-8")
    assert any("cannot be read" in warning.message for warning in engine(base).warnings)
    assert made.metadata is not None
    assert made.metadata.n_failures == 1


@pytest.mark.faults
def test_a_single_file_and_an_absolute_path_are_sources(tmp_path: Path) -> None:
    base = home(tmp_path)
    made = engine(base, source=str(base / "data" / "documents" / "snow.txt"))
    assert made.index_stats["files"] == 1
    assert run(made.result(ASKED)).sources == ("snow.txt",)


class TheirSettings(BaseModel):
    search_mode: str = "global"
    community_level: int = 1
    storage_dir: str | None = None
    embedding_model: str | None = None


class TheirTool(BaseModel):
    name: str = "knowledge_graph"
    type: str = "vectorstore"
    engine: str = "graphrag"
    source: str = "data/documents"
    description: str = "theirs"
    top_k: int = 5
    graphrag: TheirSettings | None = TheirSettings()


def test_an_application_hands_over_objects_of_its_own(base: Path) -> None:
    """Fields that we do not have and that are not set do not count; one that is set is no silent loss."""
    theirs: Any = TheirTool()
    execution: Any = SimpleNamespace(llm_timeout=30, verbose=True, file_timeout=None)
    made = GraphRAGEngine(theirs, str(base), execution)
    run(made.initialize())
    assert made.execution_config == ExecutionConfig(llm_timeout=30, verbose=True)
    assert run(made.result(ASKED)).search_mode == "global"
    at_a_path: Any = SimpleNamespace(
        name="kg", engine="graphrag", source=Path("data"), graphrag={"chunk_size": None}
    )
    assert GraphRAGEngine(at_a_path, str(base)).config.source == "data"
    with pytest.raises(ValueError, match="storage_dir"):
        GraphRAGEngine(TheirTool(graphrag=TheirSettings(storage_dir="/elsewhere")), str(base))  # type: ignore[arg-type]


def test_marks_count_documents() -> None:
    assert renumbered("A. [1][2] B. [3]", {1: 1, 2: 1, 3: 2}) == "A. [1] B. [2]"
    assert renumbered("no mark, [x] and [9]", {1: 1}) == "no mark, [x] and [9]"


def test_what_is_added_by_hand_is_seen_by_the_next_search_and_survives(base: Path) -> None:
    made, outputs = engine(base, search_mode="default"), base / ".holodeck" / "graphrag"
    ask = "What caused hysteria?"
    assert "Quackery" not in run(made.search(ask))
    names = ("Quackery", "hysteria")
    entities = [{"name": name, "entityType": "concept", "observations": []} for name in names]
    relation = {"from": "Quackery", "to": "hysteria", "relationType": "causes"}
    for tool_name, given in (
        ("create_entities", {"entities": entities}),
        ("add_entity_relationship", relation),
    ):
        told = corpusgraph.call(tool_name, given, index="knowledge_graph", outputs=outputs)
        assert told.success, told.error
    first = run(made.result(ask))
    assert "Quackery" in first.response
    assert first.sources[0].startswith("memory.jsonl#ent_")
    run(made.initialize())  # communities are told of what was added
    assert run(made.result(ask)) == first


def test_claims_are_left_out_unless_asked_for_and_cost_no_reading(base: Path) -> None:
    def claims() -> tuple[int, int, int]:
        table = GraphRAGStorage(tool(), base).load_table("covariates")
        index = IndexStore(base / ".holodeck" / "graphrag").open("knowledge_graph")
        return len(index.claims), len(index.arguments), len(table)

    assert claims() == (0, 0, 0)
    made = GraphRAGEngine(tool(skip_claim_extraction=False), str(base))
    assert GraphRAGStorage(made.config, base).needs_reindex(base / "data" / "documents")
    run(made.initialize())
    told = made.metadata
    assert told is not None
    assert told.n_extracted == 0
    found = claims()
    assert min(found[0], found[2]) > 0
    run(GraphRAGEngine(tool(skip_claim_extraction=True), str(base)).initialize())
    assert claims() == (0, 0, 0)
