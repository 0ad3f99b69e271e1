"""The graph of entities and passages."""

import networkx as nx
import pytest

from corpusgraph.schemas.documents import Chunk
from corpusgraph.schemas.graph import Entity, Relationship
from corpusgraph.tasks.graph.passages import OWN_PAGE, RELATION, SHARPNESS, TEXT_SHARE, TO_TITLE, PassageGraph
from corpusgraph.tasks.graph.view import MemoryGraph

TITLES = {"d1": "Toad Hall (Canberra)", "d2": "Canberra"}
GRAPH = MemoryGraph(
    [
        Entity(id="act", name="ACT"),
        Entity(id="canberra", name="Canberra"),
        Entity(id="hall", name="Toad Hall"),
    ],
    [
        Relationship(id="1", source_id="hall", target_id="canberra", type="located_in"),
        Relationship(id="2", source_id="act", target_id="hall", type="co_occurs_with"),
    ],
    [
        Chunk(id="c1", content="Toad Hall stands in Canberra.", source_doc="d1"),
        Chunk(id="c2", content="It is the capital, in the ACT.", source_doc="d2"),
        Chunk(id="c3", content="Toads sing.", source_doc="d3"),
    ],
    incidence=[("hall", "c1", 1), ("canberra", "c1", 1), ("canberra", "c2", 1), ("act", "c2", 1)],
)


def by_hand(reset: dict[str, float]) -> dict[str, float]:
    """Walk over the same edges in networkx; c3 hangs on nothing."""
    graph = nx.Graph()
    graph.add_node("c3")
    graph.add_weighted_edges_from(
        [
            ("hall", "c1", OWN_PAGE),
            ("canberra", "c1", 1),
            ("canberra", "c2", OWN_PAGE),
            ("act", "c2", 1),
            ("canberra", "hall", TO_TITLE + RELATION),
            ("act", "canberra", TO_TITLE),
        ]
    )
    found: dict[str, float] = nx.pagerank(graph, alpha=0.85, personalization=reset, tol=1e-10, max_iter=500)
    return found


def test_the_walk_reaches_the_passage_that_shares_no_word_with_the_question() -> None:
    passages = PassageGraph(GRAPH, TITLES)
    found = passages.rank("Which city is Toad Hall in?", {"hall": 1.0})
    best = found.bm25.max()
    reset = {"hall": 1.0, "canberra": 0.0, "act": 0.0}
    reset |= {
        c: TEXT_SHARE * (s / best) ** SHARPNESS for c, s in zip(("c1", "c2", "c3"), found.bm25, strict=True)
    }
    expected = by_hand(reset)
    assert found.bm25[1] == 0
    most = max(expected["c1"], expected["c2"])
    walked = [expected[c] / most for c in ("c1", "c2", "c3")]
    assert found.scores.tolist() == pytest.approx(walked, abs=1e-5)
    assert found.scores[1] > found.scores[2]
    assert found.mode == "graph"


def test_seeds_weigh_by_rarity_and_share_a_name() -> None:
    assert PassageGraph(GRAPH, TITLES).seeds({"canberra": 1, "hall": 2}) == {"canberra": 1 / 2, "hall": 1 / 2}


def test_an_entity_in_no_passage_is_no_seed_and_a_common_noun_a_weak_one() -> None:
    graph = MemoryGraph(
        [Entity(id="a", name="Anna"), Entity(id="b", name="book")],
        chunks=GRAPH.chunks,
        incidence=[("b", "c1", 1)],
    )
    assert PassageGraph(graph, {}).seeds({"a": 1, "b": 1}) == {"b": 0.1}


def test_without_seeds_words_decide() -> None:
    found = PassageGraph(GRAPH, TITLES).rank("Do toads sing in the capital?", {})
    assert (found.mode, found.scores.tolist()) == ("text", [0, pytest.approx(0.46, abs=0.1), 1])


def test_a_graph_that_bridges_little_counts_half() -> None:
    """Here no name is in two passages: c1 is best for the walk, c3 for the words, c2 for neither."""
    graph = MemoryGraph(
        [Entity(id="hall", name="Toad Hall"), Entity(id="act", name="ACT")],
        chunks=GRAPH.chunks,
        incidence=[("hall", "c1", 1), ("act", "c2", 1)],
    )
    passages = PassageGraph(graph, {})
    found = passages.rank("Do toads sing at Toad Hall?", {"hall": 1.0})
    likeness = (found.bm25 / found.bm25.max()).tolist()
    assert (passages.bridged, found.mode) == (0.0, "graph and text")
    assert found.scores.tolist()[0] == pytest.approx((1 + likeness[0]) / 2)
    assert found.scores.tolist()[1] == 0


def test_a_question_that_names_common_nouns_only_is_answered_by_words_too() -> None:
    graph = MemoryGraph(
        [*GRAPH.entities, Entity(id="capital", name="capital")],
        chunks=GRAPH.chunks,
        incidence=[("hall", "c1", 1), ("canberra", "c1", 1), ("canberra", "c2", 1), ("capital", "c2", 1)],
    )
    passages = PassageGraph(graph, TITLES)
    assert passages.bridged == 2 / 3
    assert passages.rank("What is the capital?", {"capital": 0.1}).mode == "graph and text"
    assert passages.rank("What is the capital?", {"capital": 0.1, "hall": 1.0}).mode == "graph"


@pytest.mark.parametrize("query", ["", "zebra"])
def test_nothing_asked_or_nothing_there_scores_nothing(query: str) -> None:
    assert PassageGraph(MemoryGraph([]), {}).rank(query, {}).scores.tolist() == []
    assert PassageGraph(GRAPH, TITLES).rank(query, {}).scores.tolist() == [0, 0, 0]
