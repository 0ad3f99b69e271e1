"""What texts only deny carries no weight: nobody walks over it, and it changes no score of what is stated."""

import tempfile
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from corpusgraph.schemas.documents import Chunk
from corpusgraph.schemas.graph import Entity, Relationship, is_only_denied
from corpusgraph.schemas.ports import GraphView
from corpusgraph.schemas.results import Noted
from corpusgraph.schemas.study import CommunityOptions
from corpusgraph.tasks.build.communities import find_communities
from corpusgraph.tasks.graph.compiled import degree
from corpusgraph.tasks.graph.passages import passage_graph
from corpusgraph.tasks.graph.view import MemoryGraph
from corpusgraph.tasks.registry import TOOLS, load
from tests.examples import tried
from tests.graph.randomgraphs import Edge, multigraphs, name
from tests.store.test_compiled_graph import kept

load()


def stated(source: str, target: str, weight: float = 1.0, at: int = 0) -> Relationship:
    type_ = f"causes{at or ''}"
    return Relationship(
        id=Relationship.make_id(source, type_, target),
        source_id=source,
        target_id=target,
        type=type_,
        weight=weight,
        chunk_ids=("k",),
    )


def denied(source: str, target: str, weight: float = 1.0, at: int = 0) -> Relationship:
    """Return what indexing makes of a relationship that texts only deny: its id is that of the type denied."""
    made = stated(source, target, weight, at)
    return made.model_copy(update={"type": f"not_{made.type}", "negated_weight": weight})


def graph(*relationships: Relationship) -> MemoryGraph:
    entities = [Entity(id=id_, name=id_.upper()) for id_ in "abcd"]
    return MemoryGraph(entities, relationships, [Chunk(id="k", content="A, B, C and D.", source_doc="t")])


DENIED = denied("a", "d", 9.0)
GRAPH = graph(stated("a", "b"), stated("b", "c"), DENIED)


def run(tool: str, on: GraphView = GRAPH, **arguments: Any) -> Noted[Any]:
    ports = {"graph": on, "vectors": object(), "embedder": object()}  # asked for, not looked at
    noted: Noted[Any] = TOOLS[tool].run(arguments, ports)
    return noted


WALKS: dict[str, dict[str, Any]] = {
    "entity_ppr_rank": {"seed_entities": ["a"]},
    "entity_onehop_neighbors": {"entities": ["a"]},
    "relationship_onehop_extract": {"entities": ["a"], "hop_distance": 3},
    "relationship_score_aggregate": {"entity_scores": {"a": 1.0}},
    "shortest_paths": {"source_entities": ["a", "b", "c"], "target_entities": ["d"]},
    "subgraph_khop_paths": {"start_entities": ["a", "d"], "k": 3},
    "find_paths": {"source": "a", "target": "d"},
    "local_search": {"entities": ["a"], "radius": 3},
    "induced_subgraph": {"entities": ["a"], "hops": 3},
    "traverse": {"start_node": "a", "path": [{"direction": "both"}]},
    "get_entity_neighbors": {"entity_id": "a", "depth": 3},
    "get_related": {"entity": "a"},
    "entity_similarity_link": {"entities": ["a"], "similarity_metric": "structural", "top_k": 9},
    "summarize": {"format": "detailed"},
}


@pytest.mark.parametrize("tool", WALKS)
@pytest.mark.parametrize("compiled_on_disk", [False, True])
def test_no_tool_walks_over_it(tool: str, compiled_on_disk: bool, tmp_path: Path) -> None:
    on = kept(GRAPH, tmp_path) if compiled_on_disk else GRAPH
    without = graph(stated("a", "b"), stated("b", "c"))
    assert run(tool, on, **WALKS[tool]) == run(tool, without, **WALKS[tool])


@pytest.mark.parametrize("algorithm", ["mehlhorn", "kou", "pcst"])
def test_no_tree_joins_by_it(algorithm: str) -> None:
    prizes: dict[str, Any] = {"relationships": {DENIED.id: 5.0}} if algorithm == "pcst" else {}
    terminals = {"a": 3.0, "c": 2.0, "d": 1.0}
    tree = run("subgraph_steiner_tree", terminal_entities=terminals, algorithm=algorithm, **prizes).data
    assert DENIED.id not in {edge.id for edge in tree.edges}
    assert tree.metadata["unreached"] == ["d"]


def test_it_counts_in_no_degree() -> None:
    assert [degree(GRAPH, id_) for id_ in "abcd"] == [1, 2, 1, 0]
    found = run(
        "graph_centrality", measures=["degree", "strength", "out_degree", "pagerank"], normalised=False
    )
    parts = {hit.item.id: hit.components for hit in found.data.entities}
    assert (parts["d"]["degree"], parts["d"]["strength"]) == (0, 0)
    assert (parts["a"]["degree"], parts["a"]["strength"], parts["a"]["out_degree"]) == (1, 1, 1)
    assert found.data.relationship_count == 2


def test_its_ends_get_no_score_by_it_and_that_is_told() -> None:
    found = run("entity_relnode_extract", relationships=[DENIED.id])
    assert found.data == []
    assert [(w.code, w.records) for w in found.warnings] == [("only_denied", (DENIED.id,))]


def test_it_is_shown_where_a_part_of_the_graph_is_shown() -> None:
    shown = run("induced_subgraph", entities=["a", "d"]).data.edges
    assert [(edge.type, edge.is_stated) for edge in shown] == [("not_causes", False)]
    local = run("build_local_graph", entity_ids=["a", "d"]).data.graph
    assert [edge.relation_type for edge in local.edges] == ["not_causes"]
    candidates = run("relationship_score_aggregate", entity_scores={"a": 1.0}, candidates=[DENIED.id]).data
    assert [hit.item.id for hit in candidates] == [DENIED.id]


def test_who_names_its_type_sees_it_beside_an_entity_and_nothing_beyond() -> None:
    on = graph(stated("a", "b"), DENIED, stated("d", "c"))
    asked = {"entity_id": "a", "relation_type": ["not_causes", "causes"], "depth": 3}
    near = run("get_entity_neighbors", on, **asked).data.neighbors
    assert {(one.id, one.relation_type) for one in near} == {("b", "causes"), ("d", "not_causes")}


@pytest.mark.parametrize(
    ("relationship", "is_stated"),
    [
        (stated("a", "d"), True),
        (denied("a", "d"), False),
        (denied("a", "d").model_copy(update={"weight": 40.0}), False),
        (Relationship(id="r", source_id="a", target_id="d", type="not_before"), True),
        (Relationship(id="r", source_id="a", target_id="d", type="not_causes", negated_weight=1.0), False),
        (Relationship(id="r", source_id="a", target_id="d", type="causes", negated_weight=2.0), True),
    ],
)
def test_what_is_only_denied_is_known_by_its_id_or_its_weight(
    relationship: Relationship, is_stated: bool
) -> None:
    assert relationship.is_stated is is_stated
    r = relationship
    only = is_only_denied(r.id, r.source_id, r.type, r.target_id, r.weight, r.negated_weight)
    assert only is not is_stated


def made(n: int, edges: list[Edge], more: list[Edge]) -> MemoryGraph:
    """Return a graph of stated relationships, and of others that are only denied."""
    relationships = [stated(name(u), name(v), w, at) for at, (u, v, w) in enumerate(edges, start=1)]
    relationships += [denied(name(u), name(v), w, at) for at, (u, v, w) in enumerate(more, start=1000)]
    entities = [Entity(id=name(i), name=name(i)) for i in range(n)]
    chunks = [Chunk(id=f"k{i}", content=name(i), source_doc="t", position=i) for i in range(n)]
    incidence = [(name(i), f"k{i}", 1) for i in range(n)]
    return MemoryGraph(entities, relationships, chunks, incidence=incidence)


MEASURES = [
    "pagerank", "betweenness", "degree", "in_degree", "out_degree", "strength", "in_strength",
    "out_strength", "closeness", "harmonic", "eigenvector", "hubs", "authorities",
]  # fmt: skip


def told(on: GraphView, n: int) -> dict[str, Any]:
    """Return what every operator over the graph tells of it."""
    first, last, every = name(0), name(n - 1), [name(i) for i in range(n)]
    calls: dict[str, dict[str, Any]] = {
        "entity_ppr_rank": {"seed_entities": [first], "top_k": n},
        "entity_onehop_neighbors": {"entities": [first]},
        "relationship_onehop_extract": {"entities": [first], "hop_distance": 2, "top_k": 99},
        "relationship_score_aggregate": {"entity_scores": {first: 1.0, last: 2.0}, "top_k": 99},
        "shortest_paths": {"source_entities": every, "top_k": 3, "weighted": True},
        "subgraph_khop_paths": {"start_entities": every, "k": 3},
        "subgraph_steiner_tree": {"terminal_entities": every},
        "induced_subgraph": {"entities": [first], "hops": 2},
        "local_search": {"entities": [first], "radius": 2},
        "graph_centrality": {"measures": MEASURES, "top_k": n},
        "detect_communities": {"top_k": n},
        "identify_topics": {"top_k": n},
        "entity_similarity_link": {"entities": every, "similarity_metric": "structural", "top_k": n},
        "chunk_entity_occurrence": {"entities": [first, last], "method": "entity_order"},
    }
    found = {tool: run(tool, on, **asked) for tool, asked in calls.items()}
    subgraph = found["induced_subgraph"].data
    shown = subgraph.model_copy(update={"edges": tuple(edge for edge in subgraph.edges if edge.is_stated)})
    found["induced_subgraph"] = found["induced_subgraph"].model_copy(update={"data": shown})
    passages = passage_graph(on)
    walked = passages.rank({first: 1.0}, passages.bm25(first)).walked.tolist()
    communities = find_communities(on.entities, on.relationships, CommunityOptions())
    return {**found, "passages": walked, "communities": communities}


@given(st.data(), multigraphs(least=2, most=7, edges=12))
@settings(max_examples=tried(40), deadline=None)
def test_denials_change_no_score_of_any_operator(data: st.DataObject, base: tuple[int, list[Edge]]) -> None:
    n, edges = base
    node = st.integers(0, n - 1)
    weight = st.sampled_from([0.25, 1.0, 7.0])
    more = data.draw(st.lists(st.tuples(node, node, weight), min_size=1, max_size=8))
    expected, on = told(made(n, edges, []), n), made(n, edges, more)
    assert told(on, n) == expected
    with tempfile.TemporaryDirectory() as folder:
        assert told(kept(on, Path(folder)), n) == expected
