"""A trained embedder embeds passages while indexing; names, facts and reports when they are first searched."""

import json
import os
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import corpusgraph
from corpusgraph.flows.embed import trained
from corpusgraph.flows.embed.hashing import HashingEmbedder
from corpusgraph.flows.interop.parcel import Parcel, publish
from corpusgraph.flows.ports import IndexResources
from corpusgraph.flows.store.opened import OpenIndex
from corpusgraph.flows.store.store import IndexStore
from corpusgraph.schemas.errors import EmbedderMismatchError
from corpusgraph.schemas.graph import Entity
from corpusgraph.schemas.ports import Embedder, Floats
from corpusgraph.schemas.study import IndexOptions
from tests.conftest import write_corpus

KINDS = {"entity": "entities", "relationship": "relationships", "report": "reports"}


class Dense:
    """A stand-in for a trained embedder: vectors without zeros. Keeps what it is given."""

    name, dimension, model = "dense-v1", 8, "dense"

    def __init__(self, log: Path | None = None) -> None:
        self.seen: list[str] = []
        self.log = log

    def embed(self, texts: Sequence[str]) -> Floats:
        """Turn vectors of spellings by a fixed rotation; a text without letters stays 0."""
        self.seen += texts
        if self.log is not None:
            time.sleep(3 if len(texts) > 1 else 0)  # long enough for the other process to begin
            with self.log.open("a", encoding="utf-8") as log:
                log.writelines(json.dumps(text) + "\n" for text in texts)
        turn = np.linalg.qr(np.random.default_rng(7).normal(size=(8, 8)))[0]
        made: Floats = (HashingEmbedder(8).embed(texts) @ turn).astype(np.float32)
        return made


def stand_in(embedder: Dense) -> Callable[..., Embedder]:
    """Return what takes the place of the class of trained embedders."""
    return lambda *_: embedder


@pytest.fixture
def dense(monkeypatch: pytest.MonkeyPatch) -> Dense:
    embedder = Dense()
    monkeypatch.setattr(trained, "SentenceTransformersEmbedder", stand_in(embedder))
    return embedder


@pytest.fixture
def outputs(tmp_path: Path, dense: Dense) -> Path:
    """Index the tiny corpus by the trained embedder."""
    index(tmp_path)
    assert dense.seen
    return tmp_path / "outputs"


def index(home: Path) -> None:
    corpus = write_corpus(home / "corpus")
    corpusgraph.index(corpus, "made", outputs=home / "outputs", embedder="sentence-transformers")


def texts(opened: OpenIndex, kind: str) -> dict[str, str]:
    """Write anew the texts by which items are found; a co-occurrence has none."""
    graph = opened.graph
    if kind == "entity":
        return {entity.id: entity.name for entity in graph.entities}
    if kind == "report":
        return {report.id: f"{report.title}. {report.summary[:200]}" for report in graph.reports}
    names = {entity.id: entity.name for entity in graph.entities}
    return {
        edge.id: ""
        if edge.type == "co_occurs_with"
        else f"{names[edge.source_id]} {edge.type.replace('_', ' ')} {names[edge.target_id]}."
        for edge in graph.relationships
    }


def search(outputs: Path, query: str = "Which illness spreads?") -> list[Any]:
    """Return the entities nearest to a question that names none."""
    result = corpusgraph.call("entity_vdb_search", {"query": query, "top_k": 5}, "made", outputs)
    assert result.error is None, result.error
    found: list[Any] = result.model_dump()["data"]
    assert found
    return found


def expected(wanted: dict[str, str], query: str) -> list[tuple[str, float]]:
    """Rank texts by the cosine of their vectors, ties by id."""
    made = Dense()
    ids = sorted(wanted)
    scores = made.embed([wanted[id_] for id_ in ids]).astype(float) @ made.embed([query])[0].astype(float)
    return sorted(zip(ids, scores.tolist(), strict=True), key=lambda hit: (-round(hit[1], 6), hit[0]))


def test_indexing_embeds_passages_alone(outputs: Path, dense: Dense) -> None:
    opened = corpusgraph.open("made", outputs)
    titles = {document.id: document.title for document in opened.documents}
    assert sorted(dense.seen) == sorted(f"{titles[c.source_doc]}\n{c.content}" for c in opened.graph.chunks)
    assert all(entity.has_embedding for entity in opened.graph.entities)
    corpusgraph.ask("Where did John Snow live?", index="made", outputs=outputs)
    names = set(texts(opened, "entity").values())
    assert not names & set(dense.seen)


@pytest.mark.parametrize("kind", KINDS)
def test_the_first_search_embeds_a_kind_and_finds_what_is_nearest(
    outputs: Path, dense: Dense, kind: str
) -> None:
    dense.seen.clear()
    opened = corpusgraph.open("made", outputs)
    wanted, query = texts(opened, kind), "John Snow and the water of Broad Street"
    for again in (opened, corpusgraph.open("made", outputs)):
        hits = again.nearest(kind, Dense().embed([query])[0], len(wanted))
        assert [id_ for id_, _ in hits] == [id_ for id_, _ in expected(wanted, query)]
        assert [score for _, score in hits] == pytest.approx(
            [score for _, score in expected(wanted, query)], abs=2e-6
        )
        ids, rows = again.matrix(kind)
        assert ids == sorted(wanted)
        assert rows == pytest.approx(Dense().embed([wanted[id_] for id_ in ids]), abs=1e-6)
    assert sorted(text for text in dense.seen if text) == sorted(set(wanted.values()) - {""})


def test_a_tool_embeds_entities_once_and_then_the_query_alone(outputs: Path, dense: Dense) -> None:
    dense.seen.clear()
    first = search(outputs)
    names = set(texts(corpusgraph.open("made", outputs), "entity").values())
    assert {text for text in dense.seen if text in names} == names
    dense.seen.clear()
    assert search(outputs) == first
    assert dense.seen == ["Which illness spreads?"]


PROGRAM = """
import sys
from pathlib import Path
from corpusgraph.flows.embed import trained
from tests.retrieve.test_late_vectors import Dense, search, stand_in
trained.SentenceTransformersEmbedder = stand_in(Dense(Path(sys.argv[2])))
print(search(Path(sys.argv[1])))
"""


@pytest.mark.faults
def test_two_processes_embed_once(outputs: Path, tmp_path: Path) -> None:
    logs = [tmp_path / "a.log", tmp_path / "b.log"]
    programs = [
        subprocess.Popen(
            [sys.executable, "-c", PROGRAM, str(outputs), str(log)], stdout=subprocess.PIPE, text=True
        )
        for log in logs
    ]
    answers = [program.communicate(timeout=100)[0] for program in programs]
    assert answers[0] == answers[1] != ""
    names = set(texts(corpusgraph.open("made", outputs), "entity").values())
    embedded = [json.loads(line) for log in logs for line in log.read_text(encoding="utf-8").splitlines()]
    assert sorted(text for text in embedded if text in names) == sorted(names)


def test_what_is_cut_short_is_made_again(
    outputs: Path, dense: Dense, monkeypatch: pytest.MonkeyPatch
) -> None:
    opened = corpusgraph.open("made", outputs)
    vector = dense.embed(["cholera"])[0]
    with monkeypatch.context() as patched:
        patched.setattr(Path, "rename", lambda *_: sys.exit(1))
        with pytest.raises(SystemExit):
            opened.nearest("entity", vector, 5)
    wanted = expected(texts(opened, "entity"), "cholera")[:5]
    found = corpusgraph.open("made", outputs).nearest("entity", vector, 5)
    assert [id_ for id_, _ in found] == [id_ for id_, _ in wanted]


def test_an_update_keeps_what_was_embedded(outputs: Path, dense: Dense, tmp_path: Path) -> None:
    before = corpusgraph.open("made", outputs)
    search(outputs)
    (tmp_path / "corpus" / "new.txt").write_text("Anna Berg met Otto Lind in Uppsala.", encoding="utf-8")
    dense.seen.clear()
    index(tmp_path)
    opened = corpusgraph.open("made", outputs)
    new = set(texts(opened, "entity").values()) - set(texts(before, "entity").values())
    assert "Anna Berg" in new
    assert not new & set(dense.seen)
    dense.seen.clear()
    search(outputs)
    assert set(dense.seen) == {*new, "Which illness spreads?"}


def test_a_filter_searches_what_was_embedded_late(outputs: Path, dense: Dense) -> None:
    opened = corpusgraph.open("made", outputs)
    document = opened.documents[0]
    seen = IndexResources(opened, {"title": document.title})
    inside = {entity.id for entity in seen["graph"].entities}
    assert inside < {entity.id for entity in opened.graph.entities}
    hits = seen["vectors"].nearest("entity", dense.embed(["John Snow"])[0], len(inside))
    names = {entity.id: entity.name for entity in seen["graph"].entities}
    assert [id_ for id_, _ in hits] == [id_ for id_, _ in expected(names, "John Snow")]


def test_a_folder_that_cannot_be_written_is_searched(
    outputs: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def files() -> set[Path]:
        return {path for path in outputs.rglob("*") if path.is_file()}

    before = files()
    monkeypatch.setattr(os, "access", lambda *_, **__: False)
    assert search(outputs) == search(outputs)
    assert [record.message for record in caplog.records if "cannot be written" in record.message] == [
        "Index made cannot be written: the vectors of its entities are made anew in each process."
    ]
    assert files() == before
    monkeypatch.undo()


def test_many_are_found_by_an_index_of_their_vectors(outputs: Path) -> None:
    few, query = IndexStore(outputs, matrix_rows=3).open("made"), Dense().embed(["John Snow"])[0]
    best = IndexStore(outputs).open("made").nearest("entity", query, 1)
    assert few.nearest("entity", query, 1) == best


def test_another_embedder_is_refused(outputs: Path, dense: Dense) -> None:
    vector = dense.embed(["John Snow"])[0]
    opened = corpusgraph.open("made", outputs)
    dense.name = "dense-v2"
    with pytest.raises(EmbedderMismatchError):
        opened.nearest("entity", vector, 5)


def test_what_is_imported_is_embedded_when_searched(tmp_path: Path, dense: Dense) -> None:
    entities = [Entity(id="ent_a", name="Anna Berg"), Entity(id="ent_b", name="Otto Lind")]
    parcel = Parcel("hand", "here", entities=entities)
    publish(parcel, "made", tmp_path, options=IndexOptions(embedder="sentence-transformers"))
    assert dense.seen == []
    ((id_, score),) = corpusgraph.open("made", tmp_path).nearest("entity", Dense().embed(["Otto Lind"])[0], 1)
    assert id_ == "ent_b"
    assert score == pytest.approx(1)
