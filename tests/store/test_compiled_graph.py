"""The graph kept as columns tells what the same rows tell as nouns in memory."""

import json
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from pydantic import TypeAdapter

from corpusgraph.flows.annotate.offline import default_extractor
from corpusgraph.flows.store import compiled as compiledfiles
from corpusgraph.flows.store.compiled import FACTS, read_compiled, write_compiled
from corpusgraph.flows.store.store import IndexStore
from corpusgraph.flows.store.tables import TABLES, to_arrow
from corpusgraph.schemas.documents import Chunk
from corpusgraph.schemas.errors import CorpusgraphError
from corpusgraph.schemas.graph import Community, CommunityReport, Entity, Relationship
from corpusgraph.schemas.ports import GraphView
from corpusgraph.schemas.results import Noted
from corpusgraph.tasks import registry as _tool
from corpusgraph.tasks.graph.columnar import ColumnarGraph
from corpusgraph.tasks.graph.compiled import (
    Ids,
    compiled,
    degree,
    mentions,
    neighbours_at,
    relationship_chunks,
    stated,
)
from corpusgraph.tasks.graph.view import MemoryGraph
from tests.examples import tried
from tests.graph.small import SmallVectors, small_graph
from tests.store.made import FACTS as MADE
from tests.store.made import fill

IDS = ["a", "b", "c", "ß", "Ω", "trần", "10", "z z"]
NAMES = ["Snow", "snow", "John Snow", "Trần Hưng Đạo", "10", "1", "泵", ""]


@st.composite
def graphs(draw: st.DrawFn) -> MemoryGraph:
    """Draw graphs with stubs, self-loops, parallel edges, homonyms and mentions of what is not there."""
    ids = draw(st.lists(st.sampled_from(IDS), unique=True, max_size=6))
    entities = [
        Entity(
            id=id_,
            name=draw(st.sampled_from(NAMES)),
            type=draw(st.sampled_from([None, "person"])),
            short_id=draw(st.none() | st.integers(0, 12)),
            attributes=draw(st.none() | st.fixed_dictionaries({"aliases": st.lists(st.sampled_from(NAMES))})),
        )
        for id_ in ids
    ]
    chunk_ids = draw(st.lists(st.sampled_from(["k1", "k2", "k3", "k4"]), unique=True))
    edge_ids = [f"r{i}" for i in range(draw(st.integers(0, 6)))]
    end, some_chunks = st.sampled_from(IDS), st.lists(st.sampled_from(["k1", "k2", "k3", "gone"]), max_size=3)
    relationships = [
        Relationship(
            id=id_,
            source_id=draw(end),
            target_id=draw(end),
            type=draw(st.sampled_from(["uses", "causes"])),
            weight=draw(st.floats(0.5, 3)),
            chunk_ids=draw(st.none() | some_chunks.map(tuple)),
            short_id=draw(st.none() | st.integers(0, 9)),
        )
        for id_ in edge_ids
    ]
    chunks = [
        Chunk(
            id=id_,
            content=f"Text {id_} of Snow.",
            source_doc=draw(st.sampled_from(["d1", "d2"])),
            position=draw(st.integers(0, 2)),
            entities=draw(st.none() | st.lists(st.sampled_from([*IDS, "lost"]), max_size=3).map(tuple)),
            relationships=draw(
                st.none() | st.lists(st.sampled_from(["r0", "r1", "rx"]), max_size=3).map(tuple)
            ),
        )
        for id_ in chunk_ids
    ]
    rows = draw(
        st.lists(
            st.tuples(st.sampled_from([*IDS, "lost"]), st.sampled_from(["k1", "k2", "k9"]), st.integers(0, 3))
        )
    )
    members = st.lists(st.sampled_from(ids), unique=True, max_size=4).map(tuple) if ids else st.just(())
    communities = [
        Community(id=f"q{i}", entity_ids=draw(members), level=i % 2) for i in range(draw(st.integers(0, 3)))
    ]
    reports = [
        CommunityReport(id=f"p{c.id}", community_id=c.id, level=c.level, title="T", summary="S")
        for c in communities
    ]
    return MemoryGraph(entities, relationships, chunks, communities, reports, rows)


def kept(graph: MemoryGraph, folder: Path) -> ColumnarGraph:
    """Write a graph as a generation's compiled files and read them."""
    given_entities = [entity for entity in graph.entities if not entity.is_stub]
    rows: dict[str, Sequence[Any]] = {
        "entities": given_entities[::-1],
        "relationships": graph.relationships,
        "chunks": graph.chunks[::-1],
        "communities": graph.communities,
        "reports": graph.reports,
        "documents": [],
        "events": [],
        "incidence": [
            {"entity_id": entity, "chunk_id": chunk, "count": count}
            for entity, chunk, count in graph._incidence
        ],
    }
    assert write_compiled(
        folder / "1", lambda name, columns: to_arrow(TABLES[name], rows[name]).select(columns)
    )
    found = read_compiled(folder / "1")
    assert found is not None
    return found


def outcome(call: Any, *arguments: Any) -> Any:
    """Return what a call gives, or the error it raises."""
    try:
        return call(*arguments)
    except CorpusgraphError as error:
        return type(error), str(error)


@given(graphs())
@settings(max_examples=tried(60), deadline=None, suppress_health_check=list(HealthCheck))
def test_every_method_tells_the_same(graph: MemoryGraph) -> None:
    with tempfile.TemporaryDirectory() as folder:
        other = kept(graph, Path(folder))
        assert isinstance(other, GraphView)
        for name in ("entities", "relationships", "chunks", "communities", "reports"):
            one, two = getattr(graph, name), getattr(other, name)
            assert [two[i] for i in range(len(two))] == list(one)
            assert list(two) == list(one)
            assert (two[-2:], two[:1]) == (one[-2:], one[:1])
        assert {i: dict(c) for i, c in other.mention_counts().items()} == graph.mention_counts()
        assert [list(c) for c in other.mention_counts().values()] == [
            list(c) for c in graph.mention_counts().values()
        ]
        assert dict(other.entity_chunks()) == graph.entity_chunks()
        assert other.warnings == graph.warnings
        for ref in [*IDS, *NAMES, "snw", "hung", "lost", *range(5), "3", "99", "r0", "r77", "k1", "k"]:
            assert outcome(other.entity, ref) == outcome(graph.entity, ref)
            assert outcome(other.relationship, ref) == outcome(graph.relationship, ref)
            assert outcome(other.chunk, ref) == outcome(graph.chunk, ref)


@given(graphs())
@settings(max_examples=tried(30), deadline=None, suppress_health_check=list(HealthCheck))
def test_the_arrays_are_the_same(graph: MemoryGraph) -> None:
    with tempfile.TemporaryDirectory() as folder:
        other = kept(graph, Path(folder))
        one, two = compiled(graph), compiled(other)
        assert two is other.arrays.nodes
        for name in ("source", "target", "weight", "degrees", "ids", "types"):
            assert list(getattr(one, name)) == list(getattr(two, name))
        assert dict(relationship_chunks(graph)) == dict(relationship_chunks(other))
        for lists in (mentions, stated):
            assert all(
                getattr(lists(graph), part).tolist() == getattr(lists(other), part).tolist()
                for part in ("start", "item", "count")
            )
        for id_ in one.ids:
            node = one.at[id_]
            assert degree(graph, id_) == degree(other, id_)
            assert one.edges_of(node).tolist() == two.edges_of(node).tolist()
            assert neighbours_at(one, node).tolist() == neighbours_at(two, node).tolist()
        for types in (None, ["uses"], ["uses", "x"], []):
            for directed in (True, False):
                matrices = [
                    a.adjacency(directed=directed, types=types).toarray().tolist() for a in (one, two)
                ]
                assert matrices[0] == matrices[1]


CALLS: dict[str, dict[str, Any]] = {
    "entity_vdb_search": {"query": "physician", "chunks": ["c1"]},
    "entity_relnode_extract": {"relationships": ["r1", "r4"]},
    "entity_ppr_rank": {"seed_entities": ["snow", "Soho"], "relationship_types": ["visits", "part_of"]},
    "entity_onehop_neighbors": {"entities": ["snow", 3], "edge_types": ["visits", "studies"]},
    "entity_similarity_link": {"entities": ["snow"], "similarity_metric": "structural", "top_k": 3},
    "entity_tfidf_rank": {"query": "a physician in London", "candidates": ["snow", "soho", "farr"]},
    "relationship_vdb_search": {"query": "causes", "relationship_types": ["causes", "visits"]},
    "relationship_onehop_extract": {"entities": ["soho"], "hop_distance": 2, "top_k": 3},
    "relationship_score_aggregate": {"entity_scores": {"snow": 2, "pump": 0.5}, "score_method": "product"},
    "chunk_score_aggregate": {"relationship_scores": {"r1": 1, "r2": 3}, "aggregation": "weighted"},
    "chunk_from_relationships": {"relationships": ["r2", "r1"]},
    "chunk_entity_occurrence": {"entities": ["snow", "pump", "soho"], "method": "entity_order"},
    "chunk_vdb_search": {"query": "pump"},
    "community_by_entities": {"entities": ["snow", "farr"]},
    "community_by_layer": {"max_layer": 1, "select": "deepest"},
    "community_vdb_search": {"query": "Cholera"},
    "subgraph_khop_paths": {"start_entities": ["snow"], "end_entities": ["cholera", "farr"], "k": 3},
    "subgraph_steiner_tree": {"terminal_entities": ["snow", "cholera", "soho", "farr"]},
    "induced_subgraph": {"entities": ["cholera", "Soho"], "hops": 1},
    "shortest_paths": {"source_entities": ["cholera"], "target_entities": ["soho"], "weighted": True},
    "entity_query_link": {"query": "Did John Snow or Willam Farr visit Soho?"},
    "chunk_walk_rank": {"query": "Where did John Snow find the pump?", "top_k": 3},
    "extract_relationships": {"chunks": ["c1", "c2"]},
    "local_search": {"entities": ["snow"], "radius": 2},
    "global_search": {"min_weight": 1.0, "top_entities": 3},
    "generate_answer": {
        "query": "What spread cholera?",
        "chunks": ["c2", "c3"],
        "entities": ["pump"],
        "relationships": ["r2"],
        "communities": ["k0"],
    },
}


def told(noted: Noted[Any]) -> Any:
    """Return what a tool says, its models as plain data."""
    return TypeAdapter(Any).dump_python(noted.data), noted.warnings, noted.reasoning_trace


@pytest.mark.parametrize("name", CALLS)
def test_tools_answer_the_same_over_both(name: str, tmp_path: Path) -> None:
    graph = small_graph()
    other = kept(graph, tmp_path)
    vectors = SmallVectors(graph)
    tool = _tool.find(name)
    noted = [
        tool.run(
            CALLS[name],
            {
                "graph": each,
                "vectors": vectors,
                "embedder": vectors.embedder,
                "extractor": default_extractor(),
            },
        )
        for each in (graph, other)
    ]
    assert told(noted[0]) == told(noted[1])
    assert noted[0].data


def test_repairs_of_the_graph_are_told_with_every_result(tmp_path: Path) -> None:
    graph = MemoryGraph([Entity(id="a")], [Relationship(id="r", source_id="a", target_id="gone")])
    tool = _tool.find("entity_onehop_neighbors")
    for each in (graph, kept(graph, tmp_path)):
        result = tool.call({"entities": ["a"]}, {"graph": each})
        assert [(w.code, w.records) for w in result.warnings] == [("stub_entities", ("gone",))]
        assert [hit.item.is_stub for hit in result.data] == [True]


def published(outputs: Path) -> IndexStore:
    store = IndexStore(outputs)
    with store.write("snow") as writer:
        fill(writer)
        writer.publish(MADE)
    return store


def test_an_index_is_published_with_its_compiled_graph(tmp_path: Path) -> None:
    store = published(tmp_path)
    assert isinstance(store.open("snow").graph, ColumnarGraph)
    for _ in range(2):
        published(tmp_path)
    assert sorted(path.name for path in (store.folder("snow") / "compiled").iterdir()) == ["2", "3"]


@pytest.mark.parametrize("harm", ["missing", "format", "cut", "gone"])
def test_without_compiled_files_of_this_format_the_tables_are_read(tmp_path: Path, harm: str) -> None:
    store = published(tmp_path)
    whole = store.open("snow").graph
    documents = store.open("snow").documents
    entities, counts = list(whole.entities), {i: dict(c) for i, c in whole.mention_counts().items()}
    folder = store.folder("snow") / "compiled" / "1"
    if harm == "missing":
        (folder / FACTS).unlink()
    elif harm == "format":
        told = json.loads((folder / FACTS).read_text("utf-8"))
        (folder / FACTS).write_text(json.dumps({**told, "format": 0}), "utf-8")
    elif harm == "cut":
        data = (folder / "chunks.arrow").read_bytes()
        (folder / "chunks.arrow").write_bytes(data[: len(data) // 2])
    else:
        (folder / "source.npy").unlink()
    graph = store.open("snow").graph
    assert isinstance(graph, MemoryGraph)
    assert (list(graph.entities), graph.mention_counts()) == (entities, counts)
    assert store.open("snow").documents == documents


def test_ids_that_come_twice_are_told_when_the_graph_is_opened(tmp_path: Path) -> None:
    store = IndexStore(tmp_path)
    with store.write("twice") as writer:
        writer.add("entities", [Entity(id="a"), Entity(id="a", name="b")])
        writer.publish()
    with pytest.raises(CorpusgraphError, match="Two items are the entity 'a'"):
        store.open("twice").graph  # noqa: B018 - reading is what fails


@given(st.lists(st.text("abß泵", max_size=3), unique=True).map(sorted), st.text("abcß泵", max_size=3))
def test_a_column_finds_its_values_in_any_batch(values: list[str], wanted: str) -> None:
    batches = [pa.array(values[at : at + 3], pa.string()) for at in range(0, len(values), 3)]
    ids = Ids(compiledfiles.Column(pa.chunked_array(batches, pa.string())))
    assert list(ids) == ids[:] == values
    for at, value in enumerate(values):
        assert (ids.find(value), ids[at]) == (at, value)
    assert (ids.find(wanted) is not None) == (wanted in values)
