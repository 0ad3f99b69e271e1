"""Defects known of the retrieval operators elsewhere, and that ours do not have them."""

import math
import os
import subprocess
import sys
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from corpusgraph.schemas.documents import Chunk
from corpusgraph.schemas.graph import Community, Entity, Relationship
from corpusgraph.tasks.graph.view import MemoryGraph
from corpusgraph.tasks.registry import load
from tests.graph.small import ids, run, scores, small_graph

load()


def line(names: str) -> MemoryGraph:
    """Return entities in a row, each joined to the next: r0, r1 …"""
    return MemoryGraph(
        [Entity(id=i) for i in names],
        [Relationship(id=f"r{i}", source_id=s, target_id=t) for i, (s, t) in enumerate(pairwise(names))],
    )


def test_row_2_every_endpoint_is_returned_busiest_first() -> None:
    assert ids(run("entity_relnode_extract", relationships=["r1", "r3"])) == [
        "pump",
        "snow",
        "cholera",
        "soho",
    ]


@pytest.mark.faults
@pytest.mark.parametrize("hash_seed", ["0", "4242"])
def test_rows_2_and_15_order_does_not_depend_on_hashing(hash_seed: str) -> None:
    script = (
        "from tests.defects.test_operators import ids, run\n"
        "named = ['soho', 'cholera', 'pump', 'snow']\n"
        "paths = run('subgraph_khop_paths', start_entities=named).data\n"
        "print(ids(run('entity_relnode_extract', relationships=['r1', 'r2', 'r3'])), [p.item.node_ids for p in paths])"
    )
    root = Path(__file__).resolve().parents[2]
    env = {**os.environ, "PYTHONHASHSEED": hash_seed, "PYTHONPATH": str(root)}
    ran = subprocess.run([sys.executable, "-c", script], env=env, capture_output=True, text=True, check=True)
    assert ran.stdout.splitlines()[-1] == (
        "['pump', 'snow', 'cholera', 'soho'] [('soho', 'snow'), ('soho', 'pump', 'cholera')]"
    )


def test_row_3_scores_are_kept_and_the_best_comes_first() -> None:
    noted = run("entity_ppr_rank", seed_entities=["snow"], top_k=3)
    values = [hit.score for hit in noted.data]
    assert values == sorted(values, reverse=True)
    assert noted.data[0].item.id == "snow"
    assert 0 < sum(values) <= 1 + 1e-9


def test_row_3_the_damping_factor_is_passed_on() -> None:
    ring = MemoryGraph(
        [Entity(id=str(i)) for i in range(10)],
        [Relationship(id=f"r{i}", source_id=str(i), target_id=str((i + 1) % 10)) for i in range(10)],
    )
    for damping, stays in ((0.1, 0.905), (0.85, 0.286)):
        noted = run("entity_ppr_rank", graph=ring, seed_entities=["0"], damping_factor=damping)
        assert scores(noted)["0"] == pytest.approx(stays, abs=5e-4)


def test_row_5_neighbours_have_weights_and_an_order() -> None:
    noted = run("entity_onehop_neighbors", entities=["snow"])
    assert [(hit.item.id, hit.score) for hit in noted.data] == [("cholera", 2), ("pump", 1), ("soho", 1)]


def test_row_6_a_name_like_nothing_is_not_linked_but_listed() -> None:
    noted = run("entity_similarity_link", entities=["John Snow", "qzxv"], min_score=0.9)
    assert [hit.item.entity.id for hit in noted.data] == ["snow"]
    assert [(w.code, w.records) for w in noted.warnings] == [("not_linked", ("qzxv",))]


def test_row_7_candidates_are_respected() -> None:
    assert (
        ids(run("entity_tfidf_rank", query="physician")) == ["snow", "farr"]
        or len(ids(run("entity_tfidf_rank", query="physician"))) == 2
    )
    assert ids(run("entity_tfidf_rank", query="physician", candidates=["farr", "pump"])) == ["farr"]


def test_row_7_words_of_other_scripts_and_of_one_letter_count() -> None:
    graph = MemoryGraph(
        [Entity(id="1", name="北京"), Entity(id="2", name="x y"), Entity(id="3", name="Nguyễn Văn Á")]
    )
    assert ids(run("entity_tfidf_rank", graph=graph, query="北京")) == ["1"]
    assert ids(run("entity_tfidf_rank", graph=graph, query="x")) == ["2"]
    assert ids(run("entity_tfidf_rank", graph=graph, query="Á")) == ["3"]


def test_row_8_the_order_of_similarity_is_kept() -> None:
    noted = run("relationship_vdb_search", query="snow lived_in soho", top_k=5)
    values = [hit.score for hit in noted.data]
    assert noted.data[0].item.id == "r4"  # neither the busiest nor the heaviest
    assert values == sorted(values, reverse=True)


def test_row_9_both_directions_are_found_and_each_relationship_once() -> None:
    found = ids(run("relationship_onehop_extract", entities=["pump", "soho"]))
    assert sorted(found) == ["r2", "r3", "r4", "r5"]


def test_row_9_parallel_relationships_are_not_one() -> None:
    twice = MemoryGraph(
        [Entity(id=i) for i in "ab"],
        [
            Relationship(id="r1", source_id="a", target_id="b", type="uses"),
            Relationship(id="r2", source_id="b", target_id="a", type="extends"),
        ],
    )
    assert sorted(ids(run("relationship_onehop_extract", graph=twice, entities=["a"]))) == ["r1", "r2"]


def test_row_10_scores_of_relationships_are_kept_best_first() -> None:
    given = {"snow": 0.5, "cholera": 0.3, "pump": 0.1}
    noted = run("relationship_score_aggregate", entity_scores=given)
    assert [hit.item.id for hit in noted.data] == ["r1", "r5", "r4", "r2", "r3"]
    assert scores(noted) == pytest.approx({"r1": 0.8, "r5": 0.6, "r4": 0.5, "r2": 0.4, "r3": 0.1})


def test_row_12_flat_scores_are_no_nan() -> None:
    noted = run("chunk_score_aggregate", relationship_scores={"r1": 0.5, "r3": 0.5}, normalize="minmax")
    assert scores(noted) == {"c1": 1.0, "c2": 1.0, "c3": 1.0}
    one = run("chunk_score_aggregate", relationship_scores={"r3": 0.5}, normalize="minmax")
    assert all(math.isfinite(hit.score) for hit in one.data)


def test_row_12_a_relationship_that_no_chunk_states_adds_nothing() -> None:
    """Such as an edge between two spellings of a name."""
    noted = run("chunk_score_aggregate", relationship_scores={"r4": 9.0, "r3": 1.0})
    assert scores(noted) == {"c3": 1.0}


def test_row_13_chunks_have_scores_by_the_first_relationship_they_state() -> None:
    noted = run("chunk_from_relationships", relationships=["r3", "r1"], include_context=False)
    assert [(hit.item.id, hit.score) for hit in noted.data] == [("c3", 1.0), ("c1", 0.5), ("c2", 0.5)]


@pytest.mark.parametrize(
    ("asked", "best"),
    [
        ({"relationships": ["r2"]}, "c2"),
        ({"entities": ["soho", "snow"], "method": "entity_order"}, "c3"),
        ({"entities": ["snow", "cholera"]}, "c1"),
    ],
)
def test_row_14_three_ways_to_count_are_three_methods(asked: dict[str, Any], best: str) -> None:
    assert ids(run("chunk_entity_occurrence", **asked))[0] == best


def test_row_15_the_number_of_hops_is_respected() -> None:
    far = line("abcdef")
    for hops in (1, 2, 3):
        noted = run("subgraph_khop_paths", graph=far, start_entities=["a", "d"], k=hops)
        assert [len(p.item.edge_ids) for p in noted.data] == ([3] if hops == 3 else [])


def test_row_15_every_path_goes_from_each_of_its_entities_to_the_next() -> None:
    """Paths from one start are not strung together where one does not begin at the end of the other."""
    graph = small_graph()
    for method in ("greedy", "chain", "shortest"):
        noted = run("subgraph_khop_paths", start_entities=["soho", "snow", "cholera", "pump"], method=method)
        assert noted.data
        for path in (hit.item for hit in noted.data):
            for at, edge in enumerate(path.edge_ids):
                one = graph.relationship(edge)
                assert {one.source_id, one.target_id} == set(path.node_ids[at : at + 2])


def test_row_15_the_start_is_not_found_again() -> None:
    noted = run("subgraph_khop_paths", graph=line("abc"), start_entities=["a"], end_entities=["a", "b"], k=3)
    assert [p.item.node_ids for p in noted.data] == [("a", "b")]


def test_row_16_prizes_of_relationships_and_the_cost_of_edges_count() -> None:
    """Were the prizes lost, edges would be free and everything would be joined."""
    asked: dict[str, Any] = {
        "terminal_entities": {"a": 2.0, "f": 1.0},
        "algorithm": "pcst",
        "cost_e": 0.5,
        "graph": line("abcdef"),
    }
    noted = run("subgraph_steiner_tree", **asked)
    assert [node.id for node in noted.data.nodes] == ["a"]
    drawn = run("subgraph_steiner_tree", **asked, relationships={"r4": 3.0, "r3": 2.0, "r2": 1.5, "r1": 1.0})
    assert [edge.id for edge in drawn.data.edges] == ["r0", "r1", "r2", "r3", "r4"]
    assert drawn.data.metadata["cost_e"] == 0.5
    assert drawn.data.metadata["prize"] == 2 + 1 + 4 + 3 + 2 + 1


@pytest.mark.parametrize("algorithm", ["mehlhorn", "kou"])
def test_row_16_disconnected_terminals_give_a_forest_and_are_named(algorithm: str) -> None:
    noted = run("subgraph_steiner_tree", terminal_entities=["cholera", "farr", "soho"], algorithm=algorithm)
    assert [edge.id for edge in noted.data.edges] == ["r2", "r3"]
    assert noted.data.metadata["unreached"] == ["farr"]
    assert [w.code for w in noted.warnings] == ["unreached"]


def test_row_18_a_community_without_a_report_is_found() -> None:
    noted = run("community_by_entities", entities=["soho"])
    assert sorted(ids(noted)) == ["k0", "k2"]  # k2 has no report


def test_row_19_level_0_is_the_coarsest() -> None:
    assert ids(run("community_by_layer", max_layer=0)) == ["k0"]
    nested = MemoryGraph(
        [Entity(id="a")],
        chunks=[Chunk(id="c", content="a", source_doc="d", position=0, entities=("a",))],
        communities=[
            Community(id="k0", entity_ids=("a",), level=0),
            Community(id="k1", entity_ids=("a",), level=1, parent_id="k0"),
        ],
    )
    assert ids(run("community_by_layer", graph=nested, max_layer=1, select="deepest")) == ["k1"]
