"""Vector search is exact below the limit and near it above; full-text search speaks every script."""

from pathlib import Path

import numpy as np
import pytest

from corpusgraph.flows.store.opened import OpenIndex
from corpusgraph.flows.store.store import IndexStore
from corpusgraph.flows.store.tables import segmented
from corpusgraph.schemas.documents import Chunk
from corpusgraph.schemas.errors import IndexNotFoundError, InvalidInputError, MissingResourceError
from corpusgraph.schemas.graph import Entity
from corpusgraph.schemas.ports import Floats
from tests.store.made import FACTS, fill, unit

ROWS, WIDTH = 600, 16


@pytest.fixture(scope="module")
def snow(tmp_path_factory: pytest.TempPathFactory) -> OpenIndex:
    store = IndexStore(tmp_path_factory.mktemp("outputs"))
    with store.write("snow") as writer:
        fill(writer)
        writer.publish(FACTS)
    return store.open("snow")


@pytest.fixture(scope="module")
def vectors() -> Floats:
    return np.random.default_rng(0).normal(size=(ROWS, WIDTH)).astype(np.float32)


def opened(outputs: Path, vectors: Floats, matrix_rows: int) -> OpenIndex:
    store = IndexStore(outputs, matrix_rows=matrix_rows)
    with store.write("big") as writer:
        writer.add("entities", [Entity(id=f"ent_{i:03}") for i in reversed(range(ROWS))], vectors[::-1])
        writer.publish({"embedder": {"name": "toy", "dimension": WIDTH}})
    return store.open("big")


def by_hand(vectors: Floats, query: Floats) -> list[str]:
    cosine = vectors @ query / np.linalg.norm(vectors, axis=1) / np.linalg.norm(query)
    return [f"ent_{i:03}" for i in np.argsort(-cosine)]


def test_the_matrix_gives_cosines(snow: OpenIndex) -> None:
    found = snow.nearest("chunk", unit(1, 0, 0, 0) * 7, 5)
    assert found == [("chk_a", 1.0), ("chk_b", pytest.approx(0.707107))]


def test_ties_are_in_order_of_id_also_at_the_cut(snow: OpenIndex) -> None:
    assert snow.nearest("entity", unit(1, 0, 0, 0), 2) == [("ent_snow", 1.0), ("ent_snow_tv", 1.0)]
    assert snow.nearest("entity", unit(1, 0, 0, 0), 1) == [("ent_snow", 1.0)]
    zero = np.zeros(4, np.float32)
    assert [id_ for id_, _ in snow.nearest("entity", zero, 3)] == ["ent_pump", "ent_snow", "ent_snow_tv"]


def test_the_matrix_agrees_with_numpy(tmp_path: Path, vectors: Floats) -> None:
    index = opened(tmp_path, vectors, ROWS)
    query = np.random.default_rng(1).normal(size=WIDTH).astype(np.float32)
    assert [id_ for id_, _ in index.nearest("entity", query, 20)] == by_hand(vectors, query)[:20]
    assert len(index.nearest("entity", query, 10_000)) == ROWS


def test_above_the_limit_the_engine_answers_as_well(tmp_path: Path, vectors: Floats) -> None:
    index, small = opened(tmp_path, vectors, ROWS - 1), opened(tmp_path / "small", vectors, ROWS)
    hits = 0
    for query in vectors[:20]:
        found = index.nearest("entity", query, 10)
        assert found[0] == small.nearest("entity", query, 1)[0]
        hits += len({id_ for id_, _ in found} & set(by_hand(vectors, query)[:10]))
    assert hits / 200 >= 0.9


@pytest.mark.parametrize(
    ("kind", "query", "expected"),
    [
        ("chunk", "cholera", ["chk_a"]),
        ("chunk", "CHOLERA!", ["chk_a"]),
        ("chunk", "Snow", ["chk_a"]),
        ("chunk", "pumps", ["chk_a", "chk_b"]),
        ("chunk", "武松", ["chk_b"]),
        ("chunk", "打虎", ["chk_b"]),
        ("chunk", "Nguyễn", ["chk_b"]),
        ("chunk", "Nguyen", []),
        ("entity", "john", ["ent_snow", "ent_snow_tv"]),
        ("entity", "a pump", ["ent_pump"]),
        ("relationship", "blames", ["rel_1"]),
        ("relationship", "relates", ["rel_2"]),
        ("report", "caused", ["com_r0"]),
    ],
)
def test_words_are_found_in_every_script(snow: OpenIndex, kind: str, query: str, expected: list[str]) -> None:
    assert sorted(id_ for id_, _ in snow.match(kind, query, 5)) == expected


@pytest.mark.parametrize(
    "query", ["", "  ", "!?", "(", '"', "AND (", "*", "content:", "the", "\0", "x" * 9000]
)
def test_no_query_is_an_error(snow: OpenIndex, query: str) -> None:
    assert snow.match("chunk", query, 5) == []


def test_scores_fall_and_ties_are_in_order_of_id(snow: OpenIndex) -> None:
    found = snow.match("entity", "john pump", 5)
    assert found == sorted(found, key=lambda hit: (-hit[1], hit[0]))
    assert snow.match("entity", "john", 1) == found[1:2]


def test_bm25_prefers_the_rarer_word_and_the_shorter_text(tmp_path: Path) -> None:
    store = IndexStore(tmp_path)
    texts = ["pump water", "pump water", "pump " + "well " * 30, "rare pump", "rare " + "well " * 30]
    with store.write("words") as writer:
        writer.add("chunks", [Chunk(id=f"c{i}", content=text) for i, text in enumerate(texts)])
        writer.publish()
    assert [id_ for id_, _ in store.open("words").match("chunk", "rare pump", 5)][:2] == ["c3", "c4"]


def test_what_cannot_be_asked_is_named(snow: OpenIndex, tmp_path: Path) -> None:
    with pytest.raises(InvalidInputError, match=r"no kind 'chunks'.*'chunk'"):
        snow.match("chunks", "x", 1)
    with pytest.raises(InvalidInputError, match="dimension 3; those of 'chunk' have 4"):
        snow.nearest("chunk", np.ones(3, np.float32), 1)
    assert snow.nearest("chunk", unit(1, 0, 0, 0), 0) == []
    store = IndexStore(tmp_path)
    with store.write("bare") as writer:
        writer.add("chunks", [Chunk(id="c", content="x")])
        writer.publish()
    with pytest.raises(MissingResourceError, match="'bare' has no vectors"):
        store.open("bare").nearest("chunk", unit(1, 0, 0, 0), 1)


def test_runs_without_spaces_become_pairs() -> None:
    assert segmented("武松打虎 at 10") == " 武松 松打 打虎  at 10"
    assert segmented("虎") == " 虎 "
    assert segmented("Nguyễn is_a name") == "Nguyễn is a name"


def test_vectors_can_be_read_back(snow: OpenIndex, tmp_path: Path, vectors: Floats) -> None:
    ids, rows = opened(tmp_path, vectors, ROWS).matrix("entity")
    assert ids == [f"ent_{i:03}" for i in range(ROWS)]
    np.testing.assert_allclose(rows, vectors / np.linalg.norm(vectors, axis=1, keepdims=True), atol=1e-6)
    assert snow.matrix("chunk")[0] == ["chk_a", "chk_b"]
    ids, rows = opened(tmp_path / "other", vectors, ROWS).matrix("chunk")
    assert (ids, rows.shape) == ([], (0, WIDTH))


@pytest.mark.parametrize("matrix_rows", [ROWS - 1, ROWS])
def test_sparse_vectors_are_searched_exactly_at_any_size(tmp_path: Path, matrix_rows: int) -> None:
    rng = np.random.default_rng(3)
    dense = rng.normal(size=(ROWS, WIDTH)) * (rng.random((ROWS, WIDTH)) < 0.15)
    vectors = dense.astype(np.float32)
    index = opened(tmp_path, vectors, matrix_rows)
    assert (index._compiled / "entity-vector-row.npy").exists()
    for at in range(15):
        query = np.zeros(WIDTH, np.float32)
        query[rng.choice(WIDTH, at + 2, replace=False)] = rng.normal(size=at + 2)
        found = index.nearest("entity", query, 12)
        lengths = np.maximum(np.linalg.norm(vectors, axis=1), 1e-9)
        cosines = vectors @ query / lengths / np.linalg.norm(query)
        assert [score for _, score in found] == pytest.approx(np.sort(cosines)[::-1][:12].tolist(), abs=2e-6)
        assert found[0][0] == f"ent_{int(np.argmax(cosines)):03}"
    ids, rows = index.matrix("entity")
    assert ids == [f"ent_{i:03}" for i in range(ROWS)]
    np.testing.assert_allclose(rows * lengths[:, None], vectors, atol=1e-6)


def test_dense_vectors_above_the_limit_are_left_to_the_engine(tmp_path: Path, vectors: Floats) -> None:
    index = opened(tmp_path, vectors, ROWS - 1)
    assert not (index._compiled / "entity-vector-row.npy").exists()


@pytest.mark.parametrize("matrix_rows", [ROWS, ROWS - 1])
def test_a_generation_that_is_gone_is_said_to_be(tmp_path: Path, vectors: Floats, matrix_rows: int) -> None:
    index = opened(tmp_path, vectors, matrix_rows)
    for _ in range(2):
        opened(tmp_path, vectors, matrix_rows)
    for ask in (
        lambda: index.nearest("entity", vectors[0], 3),
        lambda: index.match("entity", "snow", 3),
        lambda: index.matrix("entity"),
    ):
        with pytest.raises(IndexNotFoundError) as caught:
            ask()
        assert caught.value.code == "generation_gone"
