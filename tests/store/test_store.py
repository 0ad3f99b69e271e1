"""Generations are written, published, opened and given up."""

import json
from pathlib import Path

import numpy as np
import pytest

from corpusgraph.flows.files.manifest import Manifest
from corpusgraph.flows.store.store import IndexStore
from corpusgraph.schemas.documents import Failure
from corpusgraph.schemas.errors import (
    EmbedderMismatchError,
    IndexLockedError,
    IndexNotFoundError,
    InvalidInputError,
)
from corpusgraph.schemas.graph import Entity
from corpusgraph.schemas.ports import Vectors
from tests.store.made import (
    ARGUMENTS,
    ASSERTIONS,
    CHUNKS,
    CLAIMS,
    COMMUNITIES,
    DIMENSION,
    DOCUMENTS,
    ENTITIES,
    EVENTS,
    FACTS,
    FAILURES,
    MENTIONS,
    MERGES,
    REPORTS,
    ROWS,
    fill,
)


@pytest.fixture
def store(tmp_path: Path) -> IndexStore:
    return IndexStore(tmp_path / "outputs")


def publish(store: IndexStore, *entities: str, name: str = "snow") -> Manifest:
    with store.write(name) as writer:
        writer.add("entities", [Entity(id=id_) for id_ in entities])
        return writer.publish()


def write_and_stop(store: IndexStore, error: type[BaseException]) -> None:
    with store.write("snow") as writer:
        writer.add("entities", [Entity(id="b")] * 20_000)
        raise error


def names(store: IndexStore) -> list[str]:
    return [entity.id for entity in store.open("snow").graph.entities]


def tree(folder: Path) -> dict[str, bytes]:
    files = (path for path in folder.rglob("*") if path.is_file())
    return {str(path.relative_to(folder)): path.read_bytes() for path in files}


def test_everything_written_is_read(store: IndexStore) -> None:
    with store.write("snow") as writer:
        fill(writer)
        manifest = writer.publish({**FACTS, "timings": {"extract": 1.5}, "questions": 3})
    opened = store.open("snow")
    assert opened.manifest == manifest == store.manifest("snow")
    assert manifest.counts == {table: len(rows) for table, rows in ROWS.items()}
    assert (manifest.failures, manifest.facts, manifest.timings) == (1, {"questions": 3}, {"extract": 1.5})
    assert opened.documents == tuple(DOCUMENTS)
    assert [mention.id for mention in opened.mentions] == ["men_1", "men_2", "men_3"]
    assert [assertion.id for assertion in opened.assertions] == [row["id"] for row in ASSERTIONS]
    assert (opened.claims, opened.arguments, opened.events) == (
        tuple(CLAIMS),
        tuple(ARGUMENTS),
        tuple(EVENTS),
    )
    assert (opened.merges, opened.failures) == (tuple(MERGES), tuple(FAILURES))
    assert [opened.entity_of(row["id"]) for row in MENTIONS] == ["ent_snow", "ent_pump", None]
    assert opened.relationship_of("asr_1") == "rel_1"
    assert isinstance(opened, Vectors)


def test_the_graph_holds_what_was_derived(store: IndexStore) -> None:
    with store.write("snow") as writer:
        fill(writer, batch=1)
        writer.publish(FACTS)
    graph = store.open("snow").graph
    assert [entity for entity in graph.entities if not entity.is_stub] == ENTITIES
    assert graph.entity("ent_snow").model_extra == {"wikidata": "Q209"}
    assert list(graph.chunks) == CHUNKS
    assert (list(graph.communities), list(graph.reports)) == (COMMUNITIES, REPORTS)
    assert list(graph.entity_chunks()["ent_pump"]) == ["chk_a", "chk_b"]


def test_batches_change_neither_generation_nor_content(store: IndexStore) -> None:
    made = []
    for name, batch in (("one", 1), ("all", 100)):
        with store.write(name) as writer:
            fill(writer, batch=batch)
            made.append(writer.publish(FACTS))
    assert made[0].generation == made[1].generation
    with store.write("one") as writer:
        fill(writer)
        same = writer.publish({**FACTS, "corpus_fingerprint": "d1"})
    assert same.generation == made[0].generation
    with store.write("one") as writer:
        fill(writer)
        other = writer.publish({**FACTS, "config_fingerprint": "c1"})
    assert other.generation != made[0].generation


def test_a_table_that_got_no_rows_is_empty(store: IndexStore) -> None:
    publish(store, "a")
    with store.write("snow") as writer:
        writer.publish()
    opened = store.open("snow")
    assert (opened.manifest.counts["entities"], opened.documents, list(opened.graph.entities)) == (0, (), [])
    assert opened.match("entity", "a", 3) == []


def test_a_finished_table_takes_no_more_rows(store: IndexStore) -> None:
    with store.write("snow") as writer:
        writer.add("documents", DOCUMENTS)
        writer.finish("documents")
        with pytest.raises(InvalidInputError, match="'documents' of this generation is finished"):
            writer.add("documents", DOCUMENTS)
        manifest = writer.publish()
    assert manifest.counts["documents"] == len(DOCUMENTS)


def test_a_reader_keeps_its_generation_for_one_more(store: IndexStore) -> None:
    publish(store, "a")
    first, late = store.open("snow"), store.open("snow")
    publish(store, "b", "c")
    assert [entity.id for entity in first.graph.entities] == ["a"]
    assert names(store) == ["b", "c"]
    publish(store, "d")
    with pytest.raises(IndexNotFoundError, match="Open the index again"):
        late.graph  # noqa: B018 - reading is what fails


def test_only_two_generations_are_kept(store: IndexStore) -> None:
    for name in "abcd":
        publish(store, name)
    tables = {path.stem for path in (store.folder("snow") / "lancedb").glob("entities-*.lance")}
    assert tables == {"entities-3", "entities-4"}


def test_a_run_that_fails_leaves_everything_as_it_was(store: IndexStore) -> None:
    publish(store, "a")
    before = tree(store.folder("snow"))
    with pytest.raises(ZeroDivisionError):
        write_and_stop(store, ZeroDivisionError)
    assert tree(store.folder("snow")) == before
    with store.write("snow") as writer:
        writer.add("entities", [Entity(id="c")])
    assert tree(store.folder("snow")) == before
    assert names(store) == ["a"]


def test_a_first_run_that_fails_publishes_nothing(store: IndexStore) -> None:
    with pytest.raises(KeyboardInterrupt):
        write_and_stop(store, KeyboardInterrupt)
    assert (store.list(), store.manifest("snow")) == ([], None)
    assert set(tree(store.folder("snow"))) <= {"lock"}


def test_a_crash_before_files_are_in_place_is_made_good(
    store: IndexStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    publish(store, "a")
    with monkeypatch.context() as patch:
        patch.setattr("corpusgraph.flows.store.writer._promote", _killed)
        with pytest.raises(KeyboardInterrupt):
            publish(store, "b")
    assert names(store) == ["b"]
    with store.write("snow") as writer:
        assert writer.serial == 3
    import pyarrow.parquet as pq

    output = store.folder("snow") / "output"
    assert pq.read_table(output / "entities.parquet").column("id").to_pylist() == ["b"]
    assert not list(store.folder("snow").glob(".staging*"))


def _killed(*_: object) -> None:
    raise KeyboardInterrupt


def test_the_ledger_holds_the_failures_of_the_published_run(store: IndexStore) -> None:
    for n in (2, 1):
        with store.write("snow") as writer:
            writer.add(
                "failures",
                [Failure(source=f"é{i}", stage="load", code="x", message="“”\u2028\n\x85") for i in range(n)],
            )
            writer.publish()
    lines = (store.folder("snow") / "failures.jsonl").read_text("utf-8").splitlines()
    assert [json.loads(line) for line in lines] == [
        {
            "source": "é0",
            "stage": "load",
            "code": "x",
            "message": "“”\u2028\n\x85",
            "attempt": 1,
            "item": None,
            "retry": False,
        }
    ]


def test_a_second_writer_is_told_who_writes(store: IndexStore) -> None:
    import os

    with store.write("snow"), pytest.raises(IndexLockedError) as caught, store.write("snow"):
        pass
    assert f"process {os.getpid()} on " in caught.value.message
    assert " since 20" in caught.value.message
    with store.write("snow"):
        pass
    assert not (store.folder("snow") / "lock.owner.json").exists()


def test_a_missing_index_names_the_near_ones(store: IndexStore) -> None:
    publish(store, "a", name="broad_street")
    publish(store, "a", name="federalist")
    assert store.list() == ["broad_street", "federalist"]
    with pytest.raises(IndexNotFoundError, match=r"no index 'broadstreet'.*Did you mean 'broad_street'"):
        store.open("broadstreet")


@pytest.mark.parametrize("name", ["", "../up", "a/b", ".hidden", "a\n", "x" * 101])
def test_a_name_that_could_leave_the_folder_is_refused(store: IndexStore, name: str) -> None:
    with pytest.raises(InvalidInputError, match="cannot be the name of an index"):
        store.manifest(name)


@pytest.mark.parametrize("text", ["", "{", '{"format": 1}', '{"index": 3}'])
def test_an_unreadable_manifest_is_a_named_condition(store: IndexStore, text: str) -> None:
    publish(store, "a")
    (store.folder("snow") / "manifest.json").write_text(text)
    with pytest.raises(IndexNotFoundError, match="manifest of index 'snow' cannot be read"):
        store.open("snow")


def test_a_newer_format_is_refused(store: IndexStore) -> None:
    manifest = publish(store, "a").model_copy(update={"format": 99})
    (store.folder("snow") / "manifest.json").write_text(manifest.model_dump_json())
    with pytest.raises(IndexNotFoundError, match="format 99"):
        store.open("snow")


def test_another_embedder_is_refused(store: IndexStore) -> None:
    with store.write("snow") as writer:
        fill(writer)
        writer.publish(FACTS)
    opened = store.open("snow")
    opened.check_embedder("toy/1", DIMENSION)
    for name, dimension in (("toy/2", DIMENSION), ("toy/1", 8)):
        with pytest.raises(EmbedderMismatchError, match="made with embedder 'toy/1' of dimension 4, not"):
            opened.check_embedder(name, dimension)


def test_vectors_must_fit_their_rows_their_table_and_the_embedder(store: IndexStore) -> None:
    two = np.eye(2, dtype=np.float32)
    with store.write("snow") as writer:
        with pytest.raises(InvalidInputError, match=r"1 rows for table 'entities' come with vectors"):
            writer.add("entities", ENTITIES[:1], two)
        with pytest.raises(InvalidInputError, match="'merges' holds no vectors"):
            writer.add("merges", MERGES, two[:1])
        writer.add("entities", ENTITIES[:2], two)
        with pytest.raises(InvalidInputError, match="vectors of dimension 2, not None"):
            writer.add("entities", ENTITIES[2:])
        with pytest.raises(EmbedderMismatchError, match="dimension 2; the facts name no embedder"):
            writer.publish()
        with pytest.raises(EmbedderMismatchError, match="the facts name 'toy/1' of dimension 4"):
            writer.publish(FACTS)


def test_an_unknown_table_is_named(store: IndexStore) -> None:
    with store.write("snow") as writer, pytest.raises(InvalidInputError, match="Did you mean 'entities'"):
        writer.add("entitys", [])
