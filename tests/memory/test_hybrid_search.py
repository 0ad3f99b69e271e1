"""Search by words, vectors and graph at once."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import corpusgraph.tasks.tools.memory.search  # noqa: F401 - registers the tool
from corpusgraph.schemas.errors import InvalidInputError, MissingResourceError, VectorsUnreachableError
from corpusgraph.schemas.ports import Floats
from corpusgraph.tasks.registry import TOOLS
from corpusgraph.tasks.tools.memory.search import fused
from tests.graph.small import SmallVectors, run, small_graph

TOOL = "hybrid_search"


def item_ids(noted: Any) -> list[str]:
    return [hit.item.id for hit in noted.data.results]


@pytest.mark.parametrize("kind", ["entity", "relationship", "chunk", "report"])
@pytest.mark.parametrize("fusion", ["weighted", "rrf"])
def test_every_kind_is_found_with_what_its_score_is_made_of(kind: str, fusion: str) -> None:
    noted = run(TOOL, query="cholera snow", kind=kind, fusion=fusion)
    assert noted.data.result_count == len(noted.data.results) > 0
    assert {hit.item.kind for hit in noted.data.results} == {kind}
    weights = noted.data.weights
    assert sum(weights.values()) == pytest.approx(1)
    for hit in noted.data.results:
        parts = hit.components
        ranks = {name: parts.get(f"{name}_rank") for name in weights}
        expected = sum(
            weights[name] * (parts[name] if fusion == "weighted" else 1 / (10 + rank))
            for name, rank in ranks.items()
            if rank
        )
        assert hit.score == pytest.approx(expected, abs=1e-6)


def test_two_lists_joined_by_hand() -> None:
    lists = {"bm25": [("a", 4.0), ("b", 2.0), ("c", 0.0)], "graph": [("c", 0.9), ("d", 0.1)]}
    weights = {"bm25": 3.0, "graph": 1.0}
    by_score = fused(lists, weights, "weighted", 9, 60)
    assert [(f.id, f.score) for f in by_score] == [("a", 0.75), ("b", 0.375), ("c", 0.25), ("d", 0.0)]
    by_rank = fused(lists, weights, "rrf", 2, 60)
    assert [f.id for f in by_rank] == ["c", "a"]
    assert by_rank[0].score == pytest.approx(0.75 / 63 + 0.25 / 61)
    assert by_rank[0].components == {
        "bm25": 0.0, "bm25_score": 0.0, "bm25_rank": 3.0, "graph": 1.0, "graph_score": 0.9, "graph_rank": 1.0
    }  # fmt: skip


def test_a_small_constant_lets_first_places_count() -> None:
    lists = {"bm25": [("a", 3.0), ("b", 2.0), ("c", 1.0)], "graph": [("d", 3.0), ("c", 2.0), ("b", 1.0)]}
    weights = {"bm25": 0.5, "graph": 0.5}
    first = [hit.id for hit in fused(lists, weights, "rrf", 4, 0)]
    both = [hit.id for hit in fused(lists, weights, "rrf", 4, 60)]
    assert first == ["a", "d", "b", "c"], "1/2 is more than 1/4 + 1/6"
    assert both == ["b", "c", "a", "d"], "who is in both lists comes first"
    near, far = (run(TOOL, query="Where did John Snow live?", rrf_k=k).data for k in (0, 10_000))
    assert near.results[0].score > 1000 * far.results[0].score


ranked_lists = st.dictionaries(
    st.sampled_from("xyz"),
    st.dictionaries(st.sampled_from("abcdef"), st.floats(-5, 5), max_size=6).map(
        lambda held: sorted(held.items(), key=lambda hit: (-hit[1], hit[0]))
    ),
    min_size=1,
)


@given(ranked_lists, st.sampled_from(["weighted", "rrf"]), st.floats(0.1, 100))
def test_a_common_factor_of_the_weights_changes_nothing(lists: Any, how: Any, factor: float) -> None:
    one = fused(lists, dict.fromkeys(lists, 1.0), how, 99, 60)
    other = fused(lists, dict.fromkeys(lists, factor), how, 99, 60)
    assert [f.id for f in one] == [f.id for f in other]
    assert [f.score for f in one] == pytest.approx([f.score for f in other], abs=1e-8)
    assert {f.id for f in one} == {id_ for hits in lists.values() for id_, _ in hits}
    assert all(0 <= f.score <= 1 + 1e-9 for f in one)


def test_the_graph_finds_what_no_word_does() -> None:
    words = run(TOOL, query="Where did John Snow live?", kind="chunk", graph_weight=0, vector_weight=0)
    noted = run(TOOL, query="Where did John Snow live?", kind="chunk", bm25_weight=0, vector_weight=0)
    assert "c4" in item_ids(noted)
    assert "c4" not in item_ids(words)
    assert noted.data.weights == {"graph": 1.0}


def test_a_part_that_is_missing_is_told_and_the_others_count_for_it() -> None:
    noted = run(TOOL, query="cholera", kind="chunk", without="chunk")
    assert noted.data.weights == pytest.approx({"bm25": 1 / 9, "graph": 8 / 9}, abs=1e-6)
    assert [(w.code, w.message) for w in noted.warnings] == [
        ("part_missing", "vector: no chunk has a vector.")
    ]
    ports = {"graph": small_graph()}
    alone = TOOLS[TOOL].run({"query": "John Snow"}, ports)
    assert alone.data.retrieval_mode == "fulltext"
    assert [w.message.partition(":")[0] for w in alone.warnings] == ["bm25", "vector"]
    with pytest.raises(MissingResourceError, match="part"):
        TOOLS[TOOL].run({"query": "nobody"}, ports)


def test_unreachable_vectors_leave_words_and_graph() -> None:
    class Unreachable(SmallVectors):
        def nearest(self, kind: str, vector: Floats, top_k: int) -> list[tuple[str, float]]:  # noqa: ARG002
            raise VectorsUnreachableError("Qdrant does not answer.")

    graph = small_graph()
    vectors = Unreachable(graph)
    ports = {"graph": graph, "vectors": vectors, "embedder": vectors.embedder}
    noted = TOOLS[TOOL].run({"query": "cholera", "kind": "chunk"}, ports)
    assert noted.data.retrieval_mode == "fulltext"
    assert set(noted.data.weights) == {"bm25", "graph"}
    assert "unreachable" in noted.warnings[0].message


def test_words_without_letters_and_weights_of_nothing_are_refused() -> None:
    with pytest.raises(InvalidInputError, match="above 0"):
        run(TOOL, query="x", bm25_weight=0, vector_weight=0, graph_weight=0)
    with pytest.raises(InvalidInputError, match="blank"):
        run(TOOL, query="  ")
    with pytest.raises(MissingResourceError):
        run(TOOL, query="?!", bm25_weight=0)
