"""Qdrant as what answers searches by vector: the same answers, and what happens when it gives none."""

import multiprocessing
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from pydantic_core import to_json

from corpusgraph.flows.api import call
from corpusgraph.flows.store import qdrant
from corpusgraph.flows.store.opened import OpenIndex
from corpusgraph.flows.store.qdrant import close_all
from corpusgraph.flows.store.store import IndexStore
from corpusgraph.schemas.errors import InvalidInputError, VectorsUnreachableError
from corpusgraph.schemas.graph import Entity
from corpusgraph.schemas.ports import Floats
from tests.store.qdrant_server import FakeQdrant, fake_qdrant

ROWS, WIDTH = 120, 8
KINDS = ("entity", "relationship", "chunk", "report")


@pytest.fixture(autouse=True)
def fresh() -> Iterator[None]:
    qdrant.forget()
    yield
    qdrant.forget()
    close_all()


@pytest.fixture(scope="module")
def vectors() -> Floats:
    made = np.random.default_rng(0).normal(size=(ROWS, WIDTH)).astype(np.float32)
    made[40:90] = made[39]  # ties beyond what is asked for
    made[7] = 0
    return made


@pytest.fixture(scope="module")
def outputs(tmp_path_factory: pytest.TempPathFactory, vectors: Floats) -> Path:
    place = tmp_path_factory.mktemp("outputs")
    publish(place, vectors)
    return place


@pytest.fixture(scope="module")
def server() -> Iterator[FakeQdrant]:
    with fake_qdrant() as running:
        yield running


def publish(outputs: Path, vectors: Floats) -> None:
    with IndexStore(outputs).write("big") as writer:
        writer.add("entities", [Entity(id=f"ent_{i:03}") for i in range(len(vectors))], vectors)
        writer.publish({"embedder": {"name": "toy", "dimension": WIDTH}})


def by_folder(monkeypatch: pytest.MonkeyPatch, folder: Path) -> None:
    monkeypatch.setenv("CORPUSGRAPH_VECTORS", "qdrant")
    monkeypatch.setenv("CORPUSGRAPH_QDRANT_PATH", str(folder))


def by_server(monkeypatch: pytest.MonkeyPatch, url: str, timeout: str = "20") -> None:
    monkeypatch.setenv("CORPUSGRAPH_VECTORS", "qdrant")
    monkeypatch.setenv("CORPUSGRAPH_QDRANT_URL", url)
    monkeypatch.setenv("CORPUSGRAPH_QDRANT_TIMEOUT", timeout)


def same_answers(own: OpenIndex, other: OpenIndex, queries: Floats) -> None:
    for query in queries:
        for top_k in (1, 10, 400):
            expected, found = own.nearest("entity", query, top_k), other.nearest("entity", query, top_k)
            assert [id_ for id_, _ in found] == [id_ for id_, _ in expected]
            assert [score for _, score in found] == pytest.approx([s for _, s in expected], abs=2e-6)


def test_a_folder_answers_as_the_index_itself(
    outputs: Path, vectors: Floats, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    own = IndexStore(outputs).open("big")
    by_folder(monkeypatch, tmp_path / "q")
    other = IndexStore(outputs).open("big")
    assert (own.vector_status().backend, other.vector_status().backend) == ("lance", "qdrant")
    same_answers(own, other, vectors[[0, 5, 39, 100]])
    assert other.nearest("entity", np.zeros(WIDTH, np.float32), 3) == own.nearest(
        "entity", np.zeros(WIDTH, np.float32), 3
    )
    assert other.nearest("chunk", vectors[0], 3) == []
    with pytest.raises(InvalidInputError, match="dimension"):
        other.nearest("entity", np.ones(3, np.float32), 3)
    with pytest.raises(InvalidInputError, match="kind"):
        other.nearest("entities", vectors[0], 3)


def test_a_server_answers_as_the_index_itself(
    outputs: Path, vectors: Floats, server: FakeQdrant, monkeypatch: pytest.MonkeyPatch
) -> None:
    own = IndexStore(outputs).open("big")
    by_server(monkeypatch, server.url)
    monkeypatch.setenv("CORPUSGRAPH_QDRANT_API_KEY", "secret")
    monkeypatch.setattr(qdrant, "BATCH", 50)
    other = IndexStore(outputs).open("big")
    with pytest.warns(UserWarning, match="insecure"):  # a key over http
        other.nearest("entity", vectors[1], 1)
    same_answers(own, other, vectors[[1, 39]])
    assert "secret" in server.keys
    status = other.vector_status()
    assert (status.connected, status.mode, status.where) == (True, "vector", server.url)
    assert "secret" not in status.model_dump_json()
    assert sum(asked.startswith("PUT") for asked in server.asked) == 1 + 3


def test_a_copy_that_was_cut_short_is_made_again(
    outputs: Path, vectors: Floats, monkeypatch: pytest.MonkeyPatch
) -> None:
    own = IndexStore(outputs).open("big").nearest("entity", vectors[3], 20)
    with fake_qdrant() as server:
        by_server(monkeypatch, server.url)
        index = IndexStore(outputs).open("big")
        held = index._vectors
        assert isinstance(held, qdrant.QdrantVectors)
        name = held.push("entity")
        server.store.delete(name, points_selector=list(range(20, 120)))
        qdrant.forget()
        assert [id_ for id_, _ in index.nearest("entity", vectors[3], 20)] == [id_ for id_, _ in own]
        assert server.store.count(name).count == ROWS


def test_a_collection_that_somebody_removes_is_made_again(
    outputs: Path, vectors: Floats, monkeypatch: pytest.MonkeyPatch
) -> None:
    with fake_qdrant() as server:
        by_server(monkeypatch, server.url)
        index = IndexStore(outputs).open("big")
        first = index.nearest("entity", vectors[3], 5)
        for held in server.store.get_collections().collections:
            server.store.delete_collection(held.name)
        assert index.nearest("entity", vectors[3], 5) == first


def test_collections_of_generations_long_gone_are_removed(
    vectors: Floats, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    names = []
    with fake_qdrant() as server:
        by_server(monkeypatch, server.url)
        server.store.create_collection("corpusgraph.bigger.1.gen_0.entity", vectors_config={})
        for n in (10, 20, 30):
            publish(tmp_path, vectors[:n])
            index = IndexStore(tmp_path).open("big")
            index.nearest("entity", vectors[0], 1)
            names.append(index._vectors.collection("entity"))  # type: ignore[union-attr]
        held = {c.name for c in server.store.get_collections().collections}
    assert held == {*names[1:], "corpusgraph.bigger.1.gen_0.entity"}


@pytest.mark.parametrize("how", ["500", "401", "nonsense", "empty"])
def test_a_server_that_misbehaves_is_unreachable_and_says_why(
    how: str, outputs: Path, vectors: Floats, monkeypatch: pytest.MonkeyPatch
) -> None:
    with fake_qdrant() as server:
        server.how = how
        by_server(monkeypatch, server.url)
        index = IndexStore(outputs).open("big")
        with pytest.raises(VectorsUnreachableError, match="does not answer") as caught:
            index.nearest("entity", vectors[0], 3)
        assert how in caught.value.message or not how.isdecimal()
        assert index.vector_status().mode == "fulltext"
        assert (index.vector_status().available, index.vector_status().connected) == (True, False)
        asked = len(server.asked)
        with pytest.raises(VectorsUnreachableError):  # and is not asked again at once
            index.nearest("entity", vectors[0], 3)
        assert len(server.asked) == asked
        server.how = "ok"
        qdrant.forget()
        assert index.nearest("entity", vectors[0], 1)[0][0] == "ent_000"


def test_a_server_that_hangs_is_given_up(
    outputs: Path, vectors: Floats, monkeypatch: pytest.MonkeyPatch
) -> None:
    with fake_qdrant() as server:
        server.how = "hang"
        by_server(monkeypatch, server.url, timeout="0.5")
        with pytest.raises(VectorsUnreachableError, match="timed out"):
            IndexStore(outputs).open("big").nearest("entity", vectors[0], 3)


def hold(folder: str, held: Any, done: Any) -> None:
    from qdrant_client import QdrantClient

    client = QdrantClient(path=folder)
    held.set()
    done.wait(60)
    client.close()


@pytest.mark.faults
@pytest.mark.filterwarnings(
    "ignore::pytest.PytestUnraisableExceptionWarning"
)  # the client leaves its lock file open
def test_a_folder_that_another_process_holds_is_unreachable(
    outputs: Path, vectors: Floats, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    context = multiprocessing.get_context("spawn")
    held, done = context.Event(), context.Event()
    other = context.Process(target=hold, args=(str(tmp_path / "q"), held, done))
    other.start()
    assert held.wait(60)
    by_folder(monkeypatch, tmp_path / "q")
    index = IndexStore(outputs).open("big")
    with pytest.raises(VectorsUnreachableError, match="another instance"):
        index.nearest("entity", vectors[0], 3)
    done.set()
    other.join()
    qdrant.forget()
    assert len(index.nearest("entity", vectors[0], 3)) == 3


def test_what_is_not_set_or_installed_is_told(
    outputs: Path, vectors: Floats, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CORPUSGRAPH_VECTORS", "qdrant")
    with pytest.raises(InvalidInputError, match="CORPUSGRAPH_QDRANT_URL or CORPUSGRAPH_QDRANT_PATH"):
        IndexStore(outputs).open("big")
    by_server(monkeypatch, "ftp://somewhere")
    with pytest.raises(InvalidInputError, match="no address"):
        IndexStore(outputs).open("big")
    monkeypatch.setenv("CORPUSGRAPH_VECTORS", "chroma")
    with pytest.raises(InvalidInputError, match="lance or qdrant"):
        IndexStore(outputs).open("big")
    by_server(monkeypatch, "http://user:word@127.0.0.1:9")
    monkeypatch.setattr(qdrant, "find_spec", lambda _: None)
    index = IndexStore(outputs).open("big")
    with pytest.raises(VectorsUnreachableError) as caught:
        index.nearest("entity", vectors[0], 3)
    assert "pip install 'corpusgraph[qdrant]'" in str(caught.value)
    assert "word" not in str(caught.value)
    assert not index.vector_status().available


TOOLS: dict[str, dict[str, Any]] = {
    "chunk_vdb_search": {"query": "cholera", "threshold": 0.9},
    "entity_vdb_search": {"query": "John Snow"},
    "similarity_search": {"query": "cholera", "kind": "report"},
    "hybrid_search": {"query": "Where did John Snow live?"},
    "chunk_walk_rank": {"query": "What did Snow say of cholera?", "text": "dense"},
    "entity_similarity_link": {"entities": ["cholera"], "similarity_metric": "semantic", "top_k": 9},
}


def parts(data: object) -> tuple[list[str], list[float]]:
    """Split a result written as JSON into what stands around its decimals, and these."""
    split = re.split(r"(-?\d+\.\d+(?:e-\d+)?)", to_json(data).decode())
    return split[::2], [float(number) for number in split[1::2]]


@pytest.mark.parametrize("name", list(TOOLS))
def test_tools_fall_back_to_words_and_say_so(
    name: str, tiny: tuple[Path, str], server: FakeQdrant, monkeypatch: pytest.MonkeyPatch
) -> None:
    from corpusgraph.flows.store.store import _recent

    outputs, index = tiny
    own = call(name, TOOLS[name], index, outputs)
    assert own.success, own.error
    assert own.metadata["retrieval_mode"] == "vector"
    _recent.clear()
    by_server(monkeypatch, "http://127.0.0.1:9")
    lost = call(name, TOOLS[name], index, outputs)
    assert lost.success, lost.error
    assert lost.metadata["retrieval_mode"] == "fulltext"
    told = {w.code: w.message for w in lost.warnings}
    assert "Full-text search answered instead" in told["vectors_unreachable"]
    if name.endswith("vdb_search"):
        assert {hit.scorer for hit in lost.data} == {"bm25"}
    _recent.clear()
    by_server(monkeypatch, server.url)
    found = call(name, TOOLS[name], index, outputs)
    assert found.metadata["retrieval_mode"] == "vector"
    texts, numbers = parts(found.data)
    assert texts == parts(own.data)[0]
    assert numbers == pytest.approx(parts(own.data)[1], abs=2e-6)  # a store rounds sums of float32 as it adds
    _recent.clear()
