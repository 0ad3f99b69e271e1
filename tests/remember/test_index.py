"""An index in a store with what was added by hand: every tool, search, filters, indexing again, undoing."""

import shutil
import subprocess
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import corpusgraph as cg
from corpusgraph.flows.answer import call_tool
from corpusgraph.flows.ports import IndexResources
from corpusgraph.flows.store.lance import search_texts, text_table
from corpusgraph.flows.store.opened import OpenIndex
from corpusgraph.flows.store.overlaid import RememberedIndex
from corpusgraph.flows.store.store import IndexStore, open_recent
from corpusgraph.flows.store.tables import LEFT_OUT
from corpusgraph.schemas.documents import Chunk, Document
from corpusgraph.schemas.errors import MemoryFileError
from corpusgraph.schemas.graph import Entity
from corpusgraph.schemas.memory import (
    CreateEntity,
    DeleteEntity,
    MergeEntities,
    Named,
    Observe,
    Operation,
    Relate,
    Rename,
    SplitEntity,
)
from corpusgraph.schemas.study import Study
from corpusgraph.tasks.graph.view import MemoryGraph
from corpusgraph.tasks.registry import load
from tests.contract.examples import EXAMPLES
from tests.filters.test_filtered_index import OTHERS, OURS, in_turn, placed, write

ADA = Named(id=Entity.make_id("Ada Byron", "person"), name="Ada Byron", type="person")


def study_of(corpus: Path) -> Study:
    return Study.model_validate(
        {"study": "both", "corpus": {"path": str(corpus)}, "index": {"communities": {"max_size": 4}}}
    )


@pytest.fixture(scope="module")
def indexed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    home = tmp_path_factory.mktemp("remember")
    cg.index(study_of(write(home / "corpus", {**OURS, **OTHERS})), outputs=home / "out")
    return home


@pytest.fixture
def home(indexed: Path, tmp_path: Path) -> Path:
    """A copy of the corpus and its index, to add to."""
    shutil.copytree(indexed, tmp_path / "home")
    return tmp_path / "home"


def opened(home: Path) -> OpenIndex:
    return open_recent(IndexStore(home / "out"), "both")


def called(index: OpenIndex, name: str) -> Named:
    entity = index.graph.entity(name)
    return Named(id=entity.id, name=entity.name, type=entity.type)


def add(index: OpenIndex, *operations: Operation) -> int:
    return index.memory.record(operations, by="test", request_id="r", at="2026-01-01T00:00:00+00:00").number


def remember(index: OpenIndex) -> int:
    """Add a person, what she did, and whom she knew."""
    snow = called(index, "John Snow")
    return add(
        index,
        CreateEntity(**ADA.model_dump()),
        Observe(entity=ADA, contents=("wrote notes on the engine", "met Chadwick at Windsor")),
        Relate(source=ADA, target=snow, type="knows", context={"since": 1850}),
        Relate(source=snow, target=called(index, "cholera"), type="studied", confidence=0.5),
    )


def rows(index: OpenIndex) -> dict[str, Any]:
    """Return all that can be seen of an index."""
    graph = index.graph
    return {
        "entities": list(graph.entities),
        "relationships": list(graph.relationships),
        "chunks": list(graph.chunks),
        "communities": list(graph.communities),
        "reports": list(graph.reports),
        "mentions": {id_: dict(chunks) for id_, chunks in graph.mention_counts().items()},
        "documents": list(index.documents),
        "assertions": list(index.assertions),
        "means": {mention.id: index.entity_of(mention.id) for mention in index.mentions},
    }


def test_an_index_without_memory_is_the_index_itself(home: Path) -> None:
    index = opened(home)
    assert not isinstance(index, RememberedIndex)
    before = rows(index)
    remember(index)
    assert isinstance(opened(home), RememberedIndex)
    assert rows(index) == before  # what is open does not change under its reader


def test_a_change_is_seen_at_once_over_the_same_base(home: Path) -> None:
    base = opened(home)
    remember(base)
    seen = opened(home)
    assert opened(home) is seen
    assert seen.graph.entity("ada byron").id == ADA.id
    assert seen.memory is base.memory
    add(seen, Observe(entity=ADA, contents=("died young",)))
    later = opened(home)
    assert later is not seen
    assert later.graph.base is seen.graph.base  # type: ignore[attr-defined]
    assert (later.graph.entity(ADA.id).attributes or {})["observations"][-1] == "died young"
    assert "died young" not in str(seen.graph.entity(ADA.id).attributes)
    assert rows(IndexStore(home / "out").open("both")) == rows(later)


def plain(index: OpenIndex) -> MemoryGraph:
    graph = index.graph
    counts = [(e, c, n) for e, chunks in graph.mention_counts().items() for c, n in chunks.items()]
    return MemoryGraph(
        graph.entities, graph.relationships, graph.chunks, graph.communities, graph.reports, counts
    )


INDEX_TOOLS = sorted(
    name
    for name, tool in load().items()
    if tool.ports and tool.effect == "reads" and name in EXAMPLES and not {"memory", "llm"} & set(tool.ports)
)


class Overlaid:
    """An index with much done by hand, and the same rows as a plain graph."""

    def __init__(self, home: Path) -> None:
        index = opened(home)
        remember(index)
        board, whitehead = called(index, "Board of Guardians"), called(index, "Henry Whitehead")
        edwin, munich = called(index, "Edwin Chadwick"), called(index, "Munich")
        add(
            index, Rename(entity=board, name="The Guardians"), MergeEntities(sources=(edwin,), into=whitehead)
        )
        two = Named(id=Entity.make_id("Snow the anaesthetist", "person"), name="Snow the anaesthetist")
        chadwick = next(d.id for d in index.documents if d.title == "Miasma defended")
        add(index, SplitEntity(entity=called(index, "John Snow"), into=two, documents=(chadwick,)))
        add(index, DeleteEntity(entity=munich))
        self.index, self.graph = opened(home), plain(opened(home))


@pytest.fixture(scope="module")
def overlaid(indexed: Path, tmp_path_factory: pytest.TempPathFactory) -> Overlaid:
    copy = tmp_path_factory.mktemp("overlaid") / "home"
    shutil.copytree(indexed, copy)
    return Overlaid(copy)


@pytest.mark.parametrize("name", INDEX_TOOLS)
def test_every_tool_tells_the_same_as_on_plain_rows(name: str, overlaid: Overlaid) -> None:
    graph = overlaid.index.graph
    kinds: dict[str, Sequence[Any]] = {
        "ent": graph.entities,
        "rel": graph.relationships,
        "chk": graph.chunks,
        "com": graph.communities,
    }
    ids = {prefix: in_turn([item.id for item in items][::-1]) for prefix, items in kinds.items()}
    arguments = {**placed(EXAMPLES[name], ids), "request_id": "r"}
    tool = load()[name]
    resources = IndexResources(overlaid.index)
    ask = tool.ask(arguments)
    one = call_tool(tool, ask, resources)
    other = call_tool(tool, ask, {port: resources[port] for port in resources} | {"graph": overlaid.graph})
    assert (one.success, one.error, one.warnings) == (other.success, other.error, other.warnings)
    assert one.data == other.data


def test_undoing_brings_back_the_earlier_view(home: Path) -> None:
    index = opened(home)
    remember(index)
    before = rows(opened(home))
    snow, whitehead = called(index, "John Snow"), called(index, "Henry Whitehead")
    for operation in (
        MergeEntities(sources=(snow,), into=whitehead),
        DeleteEntity(entity=snow),
        Rename(entity=snow, name="J. S."),
        SplitEntity(entity=snow, into=Named(id="ent_new", name="other"), names=("John Snow",)),
        Relate(source=whitehead, target=snow, type="met"),
    ):
        number = add(index, operation)
        assert rows(opened(home)) != before
        index.memory.undo(number, by="test", request_id="r", at="2026")
        assert rows(opened(home)) == before


def test_indexing_again_keeps_what_was_added(home: Path) -> None:
    remember(opened(home))
    corpus = home / "corpus"
    (corpus / "one.md").unlink()
    (corpus / "two.md").write_text("Henry Whitehead met Ada Byron in Dorset.", encoding="utf-8")
    cg.index(study_of(corpus), outputs=home / "out")
    index = opened(home)
    ada = index.graph.entity("Ada Byron")
    assert (ada.attributes or {})["observations"] == ["wrote notes on the engine", "met Chadwick at Windsor"]
    assert [d.title for d in index.documents if d.metadata.get("origin") == "memory"]
    snow = index.graph.entity("John Snow")
    edges = {(e.source_id, e.type, e.target_id): e for e in index.graph.relationships}
    assert edges[ada.id, "knows", snow.id].confidence == pytest.approx(1, abs=2e-6)
    assert IndexStore(home / "out").open_corpus("both").graph.entity("John Snow").n_mentions


def test_a_filter_leaves_memory_out_or_looks_at_it_alone(home: Path) -> None:
    remember(opened(home))
    index = opened(home)
    ours = IndexResources(index, {"origin": "memory"})["graph"]
    assert {e.name for e in ours.entities} == {"Ada Byron", "John Snow", "cholera"}
    assert {e.type for e in ours.relationships} == {"knows", "studied"}
    theirs = IndexResources(index, {"origin": {"not": "memory"}})["graph"]
    base = IndexStore(home / "out").open_corpus("both").graph
    assert [e.id for e in theirs.entities] == [e.id for e in base.entities]
    assert [(e.id, e.weight) for e in theirs.relationships] == [(e.id, e.weight) for e in base.relationships]
    assert [c.id for c in theirs.chunks] == [c.id for c in base.chunks]


def test_a_filter_knows_entities_by_the_names_that_people_gave(home: Path) -> None:
    index = opened(home)
    add(index, Rename(entity=called(index, "John Snow"), name="Dr Snow"))
    seen = IndexResources(opened(home), {"author": "john snow"})["graph"]
    assert seen.entity("Dr Snow").name == "Dr Snow"


def test_search_finds_what_was_added(home: Path) -> None:
    base = opened(home)
    remember(base)
    index = opened(home)
    embedder = IndexResources(index)["embedder"]
    for kind, query in (("chunk", "notes on the engine"), ("entity", "Ada Byron")):
        items = {
            item.id: item for item in getattr(index.graph, {"chunk": "chunks", "entity": "entities"}[kind])
        }
        vector = embedder.embed([query])[0]
        for hits in (index.match(kind, query, 5), index.nearest(kind, vector, 5)):
            assert "Ada Byron" in str(items[hits[0][0]])
            assert hits == sorted(hits, key=lambda hit: (-hit[1], hit[0]))
        ids, matrix = index.matrix(kind)
        assert ids == [
            item.id for item in getattr(index.graph, f"{kind}s" if kind == "chunk" else "entities")
        ]
        best = dict(index.nearest(kind, vector, len(ids)))
        scores = matrix @ (vector / np.linalg.norm(vector))
        assert [best[id_] for id_ in ids] == pytest.approx(scores.tolist(), abs=2e-6)
        assert index.match(kind, "", 5) == []


def test_words_count_as_in_an_index_of_all_texts(tmp_path: Path) -> None:
    from corpusgraph.flows.store.overlaid import Added

    rng = np.random.default_rng(3)
    words = [f"w{a}{b}x" for a in "abcdefgh" for b in "abcdefg"] + ["the", "of"]

    def chunks(name: str, n: int, longest: int) -> list[Chunk]:
        lengths = rng.integers(5, longest, n)
        some = [[words[int(i)] for i in rng.integers(0, len(words), length)] for length in lengths]
        return [
            Chunk(id=f"chk_{name}{at:03d}", content=" ".join(text), source_doc="doc_1")
            for at, text in enumerate(some)
        ]

    document = Document(id="doc_1", title="d", text="x", source="s", content_hash="x")
    base, new = chunks("a", 150, 80), chunks("b", 20, 20)
    store = IndexStore(tmp_path)
    for name, items in (("base", base), ("all", base + new)):
        with store.write(name) as writer:
            writer.add("documents", [document])
            writer.add("chunks", items)
            writer.publish({})
    added = Added(
        store.open("base"),
        "chunk",
        ((), [(chunk, "") for chunk in new]),
        lambda _: np.zeros((0, 0), np.float32),
    )
    for query in ("waax", "wabx wbcx the", " ".join(words[:12])):
        scores = dict(added.match(query))
        expected = dict(store.open("all").match("chunk", query, 400))
        assert scores.keys() == {id_ for id_ in expected if id_.startswith("chk_b")}
        for id_, score in scores.items():
            assert score == pytest.approx(expected[id_], rel=0.01)


def test_the_words_that_are_not_counted_are_those_that_the_index_leaves_out() -> None:
    words = [*sorted(LEFT_OUT), "pump", "once", "cholera"]
    table = text_table("entity", [Entity(id=word, name=f"{word} zebra") for word in words])
    found = {word for word in words if search_texts(table, word, 500)}
    assert found == {"pump", "once", "cholera"}


KINDS = ("entity", "relationship", "chunk", "report")


def searched(index: OpenIndex) -> dict[str, Any]:
    """Return what searches of an index find, of all kinds and ways."""
    found: dict[str, Any] = {}
    for kind in KINDS:
        ids, matrix = index.matrix(kind)
        found[kind] = ids, matrix.tolist(), index.nearest(kind, np.ones(matrix.shape[1], np.float32), 30)
        found[f"{kind} by words"] = [
            [(id_, pytest.approx(score, rel=0.01)) for id_, score in sorted(index.match(kind, query, 50))]
            for query in ("ada wrote notes", "cholera", "London engine", "Chadwick knows")
        ]
    return found


def test_a_search_brought_on_is_the_search_made_anew(home: Path) -> None:
    base = opened(home)
    remember(base)
    searched(opened(home))
    snow, cholera = called(base, "John Snow"), called(base, "cholera")
    bob = Named(id=Entity.make_id("Bob", "person"), name="Bob", type="person")
    for operations in (
        [Observe(entity=ADA, contents=("wrote more notes on London",))],
        [
            CreateEntity(**bob.model_dump()),
            Relate(source=bob, target=snow, type="knows"),
            Relate(source=ADA, target=snow, type="knows"),
            Relate(source=snow, target=cholera, type="causes"),
        ],
        [Observe(entity=cholera, contents=("is feared",)), Relate(source=cholera, target=bob, type="hit")],
        [Rename(entity=bob, name="Robert Engine"), MergeEntities(sources=(bob,), into=ADA)],
        [Observe(entity=snow, contents=("knows Ada",))],
    ):
        add(base, *operations)
        later = opened(home)
        assert searched(later) == searched(IndexStore(home / "out").open("both"))


@pytest.mark.faults
def test_what_another_process_adds_is_seen_by_the_next_call(home: Path) -> None:
    remember(opened(home))
    assert isinstance(opened(home), RememberedIndex)
    code = """
import sys
from pathlib import Path
from corpusgraph.flows.store.store import IndexStore
from corpusgraph.schemas.memory import Named, Observe
index = IndexStore(Path(sys.argv[1])).open("both")
ada = index.memory.find("Ada Byron")
named = Named(id=ada.id, name=ada.name, type=ada.type)
index.memory.record([Observe(entity=named, contents=("from afar",))], by="other", request_id="r", at="2026")
"""
    subprocess.run([sys.executable, "-c", code, str(home / "out")], check=True, timeout=300)
    assert "from afar" in (opened(home).graph.entity("Ada Byron").attributes or {})["observations"]
    assert any(chunk.content == "Ada Byron: from afar" for chunk in opened(home).graph.chunks)


def test_a_journal_that_cannot_be_read_is_a_named_error(home: Path) -> None:
    remember(opened(home))
    (home / "out" / "both" / "memory.jsonl").write_text("no change\n", encoding="utf-8")
    result = cg.call("entity_vdb_search", {"query": "Snow"}, index="both", outputs=home / "out")
    assert result.error is not None
    assert result.error.code == MemoryFileError.code
    assert IndexStore(home / "out").open("both").manifest.index == "both"


def test_a_tool_that_needs_only_the_memory_builds_no_view(home: Path) -> None:
    remember(opened(home))
    index = opened(home)
    assert IndexResources(index)["memory"].find("Ada Byron").id == ADA.id
    assert not {"graph", "state", "_evidence"} & vars(index).keys()


@pytest.fixture(autouse=True)
def _forget() -> Iterator[None]:
    yield
    from corpusgraph.flows.store import store as stores

    stores._recent.clear()
