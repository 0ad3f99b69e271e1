"""The graphs that methods walk, made from one index."""

import gc
import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pytest

from corpusgraph.schemas.documents import Chunk
from corpusgraph.schemas.errors import InvalidInputError, MissingResourceError
from corpusgraph.schemas.graph import Entity
from corpusgraph.schemas.method import GraphShape
from corpusgraph.schemas.ports import Floats
from corpusgraph.tasks.graph.view import MemoryGraph
from corpusgraph.tasks.method import shapes
from corpusgraph.tasks.method.shapes import shaped
from corpusgraph.tasks.registry import find, load
from tests.contract.graphs import resources, rich
from tests.llm.fake import FakeModel

load()
KIND_OPTIONS: dict[str, dict[str, Any]] = {
    "kg": {"synonym_edge": 0.8},
    "tree": {"layer": 2},
    "passage": {"top": 1},
}
ALL_KINDS = ("none", "tree", "passage", "kg", "tkg", "rkg")


def shape(kind: str, **options: Any) -> GraphShape:
    return GraphShape(kind=kind, options=options)


def ids(items: Sequence[Any]) -> list[str]:
    return [item.id for item in items]


@pytest.mark.parametrize("kind", ALL_KINDS)
def test_every_kind_keeps_the_chunks_and_the_other_ports(kind: str) -> None:
    given = resources(rich())
    made = shaped(given, shape(kind))
    texts = [(chunk.id, chunk.content) for chunk in given["graph"].chunks]
    assert [(chunk.id, chunk.content) for chunk in made["graph"].chunks] == texts
    assert made["graph"].warnings == ()
    assert made["embedder"] is given["embedder"]
    assert set(made) == set(given)


@pytest.mark.parametrize("kind", ALL_KINDS)
def test_an_unknown_option_is_an_error_with_the_nearest_name(kind: str) -> None:
    options = KIND_OPTIONS.get(kind, {"x": 1})
    with pytest.raises(InvalidInputError) as raised:
        shaped(resources(rich()), shape(kind, **options))
    assert next(iter(options)) in str(raised.value)


def test_tkg_is_the_index_as_it_is() -> None:
    given = resources(rich())
    assert shaped(given, shape("tkg")) is given


def test_none_has_chunks_alone() -> None:
    made = shaped(resources(rich()), shape("none"))
    graph = made["graph"]
    assert (list(graph.entities), list(graph.relationships), list(graph.communities)) == ([], [], [])
    assert made["vectors"].nearest("entity", np.ones(64, np.float32), 5) == []
    found = find("chunk_vdb_search").run({"query": "Who lived in London?", "top_k": 1}, made).data
    assert ids([hit.item for hit in found]) == ["chk_3"]


def test_kg_hides_descriptions_and_keywords() -> None:
    graph = shaped(resources(rich()), shape("kg"))["graph"]
    assert all(entity.description is None for entity in graph.entities)
    assert all(r.description is None and r.keywords is None for r in graph.relationships)
    assert graph.entity("ent_a").name == "John Snow"
    assert graph.relationship("rel_1").type == "causes"


def test_kg_is_searched_by_names_and_types_alone() -> None:
    """'physician' stands in the description of John Snow and nowhere else."""
    given = resources(rich())
    made = shaped(given, shape("kg"))
    query = given["embedder"].embed(["physician"])[0]
    by_name = dict(made["vectors"].nearest("entity", query, 4))
    name = given["embedder"].embed(["John Snow"])[0]
    assert by_name["ent_a"] == pytest.approx(float(name @ query), abs=1e-6)
    assert dict(given["vectors"].nearest("entity", query, 4))["ent_a"] > by_name["ent_a"] + 0.2
    fact = given["embedder"].embed(["contaminated water causes cholera"])[0]
    assert made["vectors"].nearest("relationship", fact, 1) == [("rel_1", pytest.approx(1.0, abs=1e-5))]
    assert [id_ for id_, _ in made["vectors"].match("entity", "snow", 5)] == ["ent_a"]


def test_rkg_has_keywords_of_type_and_description_where_there_are_none() -> None:
    items = rich()
    items["relationships"][0] = items["relationships"][0].model_copy(update={"keywords": ("sewage",)})
    items["relationships"][1] = items["relationships"][1].model_copy(
        update={"description": "John Snow practised medicine in London"}
    )
    made = shaped(resources(items), shape("rkg"))
    by_id = {r.id: r.keywords for r in made["graph"].relationships}
    assert by_id["rel_1"] == ("sewage",)
    assert by_id["rel_2"] == ("lived", "practised", "medicine")  # neither the ends' names nor "in"
    hits = made["vectors"].match("relationship", "sewage", 5)
    assert [id_ for id_, _ in hits] == ["rel_1"]


def test_passages_are_nodes_and_a_rare_shared_entity_binds_more() -> None:
    """Entities in 2, 2, 2, 2 chunks: a in 1,3; b in 1,2; c in 1,2; d in 2,3. Each binds 1 / ln 2."""
    graph = shaped(resources(rich()), shape("passage"))["graph"]
    weights = {(r.source_id, r.target_id): r.weight for r in graph.relationships}
    one = 1 / math.log(2)
    expected = {("chk_1", "chk_2"): 2 * one, ("chk_1", "chk_3"): one, ("chk_2", "chk_3"): one}
    assert weights == pytest.approx(expected)
    assert graph.entity("chk_1").name == graph.chunk("chk_1").content
    assert list(graph.entity_chunks()["chk_2"]) == ["chk_2"]
    described = {(r.source_id, r.target_id): r.description for r in graph.relationships}
    assert described["chk_1", "chk_2"] == "both name cholera, contaminated water"


def test_passages_keep_their_strongest_neighbours() -> None:
    graph = shaped(resources(rich()), shape("passage", top_k=1))["graph"]
    pairs = {(r.source_id, r.target_id) for r in graph.relationships}
    # 1 and 2 are each other's strongest; 3 has two alike and keeps the first.
    assert pairs == {("chk_1", "chk_2"), ("chk_1", "chk_3")}
    common = shaped(resources(rich()), shape("passage", max_chunks=1))["graph"]
    assert list(common.relationships) == []


def test_passages_are_found_by_the_vectors_of_their_chunks() -> None:
    given = resources(rich())
    made = shaped(given, shape("passage"))
    query = given["embedder"].embed(["Who lived in London?"])[0]
    assert made["vectors"].nearest("entity", query, 3) == given["vectors"].nearest("chunk", query, 3)
    assert made["vectors"].nearest("report", query, 3) == []


class Placed:
    """An embedder that puts a text where its first word says; a summary lies between its parts."""

    name, dimension = "placed", 4
    places: Mapping[str, Sequence[float]] = {
        "apple": (1, 0, 0, 0),
        "brick": (0, 1, 0, 0),
        "cloud": (0, 0, 1, 0),
    }

    def embed(self, texts: Sequence[str]) -> Floats:
        rows = np.zeros((len(texts), 4), np.float64)
        for i, text in enumerate(texts):
            for word, place in self.places.items():
                rows[i] += text.count(word) * np.array(place)
            rows[i, 3] = (len(text) % 7) * 0.01  # texts of a topic differ a little
        lengths = np.linalg.norm(rows, axis=1, keepdims=True)
        unit: Floats = (rows / np.where(lengths > 0, lengths, 1)).astype(np.float32)
        return unit


def orchard(n: int = 8) -> dict[str, Any]:
    """Return 3 topics of n chunks each, far apart."""
    chunks = []
    for t, topic in enumerate(("apple", "brick", "cloud")):
        for i in range(n):
            text = f"The {topic} number {'x' * i} is a {topic}. Another {topic} follows it."
            chunks.append(Chunk(id=f"chk_{t}{i:02d}", content=text, source_doc=f"doc_{t}", position=i))
    return {"graph": MemoryGraph([Entity(id="e")], chunks=chunks), "embedder": Placed(), "vectors": object()}


def test_a_tree_has_a_summary_of_each_of_well_separated_clusters() -> None:
    """3 topics on 3 axes, their own spread below 0.03: one cluster per topic, whatever the mixture is."""
    made = shaped(orchard(), shape("tree"))
    graph = made["graph"]
    summaries = [entity for entity in graph.entities if entity.type == "summary"]
    below = {tuple(graph.entity_chunks()[s.id]) for s in summaries if s.attributes["layer"] == 1}
    assert below == {tuple(f"chk_{t}{i:02d}" for i in range(8)) for t in range(3)}
    for summary in summaries:
        topics = {word for word in ("apple", "brick", "cloud") if word in summary.name}
        assert len(topics) == 1
        children = [r.target_id for r in graph.relationships if r.source_id == summary.id]
        assert sorted(children) == list(graph.entity_chunks()[summary.id])
    # 3 summaries are too few to reduce to 10 dimensions: no second layer.
    assert {s.attributes["layer"] for s in summaries} == {1}


def test_a_tree_is_collapsed_for_search() -> None:
    made = shaped(orchard(), shape("tree"))
    hits = find("entity_vdb_search").run({"query": "brick", "top_k": 30}, made).data
    assert len(hits) == 27  # 24 chunks and 3 summaries, in one list
    assert {h.item.id[:5] for h in hits[:8] if h.item.type == "passage"} == {"chk_1"}


def test_a_cluster_with_too_many_tokens_is_cut() -> None:
    whole = shaped(orchard(), shape("tree"))["graph"]
    graph = shaped(orchard(), shape("tree", max_tokens=60))["graph"]
    sizes = [len(graph.entity_chunks()[e.id]) for e in graph.entities if e.type == "summary"]
    assert max(sizes) < max(len(whole.entity_chunks()[e.id]) for e in whole.entities) == 8
    covered = {c for e in graph.entities if e.type == "summary" for c in graph.entity_chunks()[e.id]}
    assert covered == {chunk.id for chunk in graph.chunks}


def test_a_large_layer_is_cut_by_k_means() -> None:
    graph = shaped(orchard(20), shape("tree", kmeans_above=30))["graph"]
    summaries = [e for e in graph.entities if e.type == "summary"]
    leaves = [leaf for s in summaries for leaf in graph.entity_chunks()[s.id] if s.attributes["layer"] == 1]
    assert sorted(leaves) == [chunk.id for chunk in graph.chunks]  # each in one cluster
    assert all(len({c[:5] for c in graph.entity_chunks()[s.id]}) == 1 for s in summaries)


class Stored:
    """Vectors of an index that can be read back, in another order than the chunks."""

    def __init__(self, rows: Floats, ids_: list[str]) -> None:
        self._rows, self._ids = rows, ids_

    def matrix(self, kind: str) -> tuple[list[str], Floats]:
        assert kind == "chunk"
        return self._ids, self._rows


def test_a_tree_reads_the_chunks_vectors_back_and_embeds_summaries_alone() -> None:
    given = orchard()
    chunks = given["graph"].chunks
    rows = given["embedder"].embed([chunk.content for chunk in chunks])
    asked: list[str] = []

    class Listening(Placed):
        def embed(self, texts: Sequence[str]) -> Floats:
            asked.extend(texts)
            return super().embed(texts)

    stored = Stored(rows[::-1].copy(), [chunk.id for chunk in reversed(chunks)])
    made = shaped({**given, "vectors": stored, "embedder": Listening()}, shape("tree"))["graph"]
    assert {e.name for e in made.entities if e.type == "summary"} == set(asked)
    below = {tuple(made.entity_chunks()[e.id]) for e in made.entities if e.type == "summary"}
    assert below == {tuple(f"chk_{t}{i:02d}" for i in range(8)) for t in range(3)}


def test_few_chunks_have_no_summary() -> None:
    graph = shaped(resources(rich()), shape("tree"))["graph"]
    assert [entity.type for entity in graph.entities] == ["passage"] * 3


def test_chunks_all_alike_are_one_cluster() -> None:
    chunks = [Chunk(id=f"chk_{i:02d}", content="An apple.", source_doc="doc") for i in range(15)]
    given = {"graph": MemoryGraph([], chunks=chunks), "embedder": Placed(), "vectors": object()}
    graph = shaped(given, shape("tree"))["graph"]
    assert [e.name for e in graph.entities if e.type == "summary"] == ["An apple."]


def test_summaries_of_a_language_model_only_where_asked_for() -> None:
    llm = FakeModel({"summary": "All about fruit."})
    given = {**orchard(), "llm": llm}
    assert "All about fruit." not in {e.name for e in shaped(given, shape("tree"))["graph"].entities}
    assert llm.prompts == []
    graph = shaped(given, shape("tree", summaries="llm"))["graph"]
    assert [e.name for e in graph.entities if e.type == "summary"] == ["All about fruit."] * 3
    broken = {**orchard(), "llm": FakeModel({"summary": "x"}, fault="error")}
    graph = shaped(broken, shape("tree", summaries="llm"))["graph"]
    assert all(e.name.startswith("The ") for e in graph.entities)


def test_what_is_made_is_made_once_and_let_go_with_the_index() -> None:
    given = dict(resources(rich()))
    first, second = (shaped(given, shape("kg"))["graph"] for _ in range(2))
    assert first is second
    assert shaped(given, shape("rkg"))["graph"] is not first
    before = len(shapes._MADE)
    del given, first, second
    gc.collect()
    assert len(shapes._MADE) < before


def test_a_port_that_a_shape_needs_is_asked_for_by_name() -> None:
    given = {"graph": resources(rich())["graph"]}
    with pytest.raises(MissingResourceError, match="embedder"):
        shaped(given, shape("tree"))["graph"]


@pytest.mark.parametrize("kind", ["kg", "rkg"])
def test_stored_vectors_are_searched_where_asked_for_and_where_nothing_is_described(kind: str) -> None:
    given = resources(rich())
    query = given["embedder"].embed(["physician"])[0]
    made = shaped(given, shape(kind, stored_vectors=True))["vectors"]
    for what in ("entity", "relationship", "chunk"):
        assert made.nearest(what, query, 4) == given["vectors"].nearest(what, query, 4)
    bare = rich()
    bare["entities"] = [entity.model_copy(update={"description": None}) for entity in bare["entities"]]
    given = resources(bare)
    made = shaped(given, shape("kg"))["vectors"]
    assert made.nearest("entity", query, 4) == given["vectors"].nearest("entity", query, 4)
