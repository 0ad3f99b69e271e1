"""The graph of entities and passages."""

import networkx as nx
import numpy as np
import pytest

from corpusgraph.schemas.documents import Chunk
from corpusgraph.schemas.graph import Entity, Relationship
from corpusgraph.tasks.graph.passages import (
    EdgeWeights,
    PassageGraph,
    PassageScores,
    WalkOptions,
    passage_graph,
    spread,
)
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


EDGES, WALK = EdgeWeights(), WalkOptions()


def asked(passages: PassageGraph, query: str, seeds: dict[str, float]) -> PassageScores:
    return passages.rank(seeds, passages.bm25(query))


def by_hand(reset: dict[str, float], pull: dict[str, float]) -> dict[str, float]:
    """Walk over the same edges in networkx; c3 hangs on nothing, and an edge into a passage is pulled."""
    graph = nx.DiGraph()
    graph.add_node("c3")
    for one, other, weight in [
        ("hall", "c1", EDGES.own_page_weight),
        ("canberra", "c1", 1),
        ("canberra", "c2", EDGES.own_page_weight),
        ("act", "c2", 1),
        ("canberra", "hall", EDGES.title_weight + EDGES.relation_weight),
        ("act", "canberra", EDGES.title_weight),
    ]:
        graph.add_edge(one, other, weight=weight * pull.get(other, 1.0))
        graph.add_edge(other, one, weight=weight * pull.get(one, 1.0))
    found: dict[str, float] = nx.pagerank(graph, alpha=0.85, personalization=reset, tol=1e-10, max_iter=500)
    return found


def test_the_walk_reaches_the_passage_that_shares_no_word_with_the_question() -> None:
    passages = PassageGraph(GRAPH, TITLES)
    found = asked(passages, "Which city is Toad Hall in?", {"hall": 1.0})
    bm25 = passages.bm25("Which city is Toad Hall in?")
    likeness = dict(zip(("c1", "c2", "c3"), bm25 / bm25.max(), strict=True))
    reset = {"hall": 1.0, "canberra": 0.0, "act": 0.0}
    reset |= {c: WALK.passage_weight * v**WALK.sharpness for c, v in likeness.items()}
    expected = by_hand(reset, {c: 1 + WALK.pull * v**2 for c, v in likeness.items()})
    assert bm25[1] == 0
    most = max(expected["c1"], expected["c2"])
    walked = [expected[c] / most for c in ("c1", "c2", "c3")]
    assert found.scores.tolist() == pytest.approx(walked, abs=1e-5)
    assert found.scores[1] > found.scores[2]
    assert found.mode == "graph"


def test_seeds_weigh_by_rarity_and_share_a_name() -> None:
    assert PassageGraph(GRAPH, TITLES).seeds({"canberra": 1, "hall": 2}) == {"canberra": 1 / 2, "hall": 1 / 2}


def nouns() -> PassageGraph:
    entities = [
        Entity(id="a", name="Anna"),
        Entity(id="b", name="book"),
        Entity(id="c", name="canal book"),
        Entity(id="h", name="Hall"),
    ]
    incidence = [("b", "c1", 1), ("c", "c1", 1), ("h", "c1", 1)]
    return PassageGraph(MemoryGraph(entities, chunks=GRAPH.chunks, incidence=incidence), {})


def test_an_entity_in_no_passage_is_no_seed_and_a_common_noun_a_weak_one() -> None:
    assert nouns().seeds({"a": 1, "b": 1}) == {"b": 0.1}


def test_beside_a_name_a_common_noun_of_one_word_is_no_seed() -> None:
    assert nouns().seeds({"b": 1, "c": 1, "h": 1}) == {"c": 0.1, "h": 1.0}


def test_a_name_leads_to_the_name_it_holds() -> None:
    entities = [Entity(id="film", name="Meet Me in St. Louis"), Entity(id="city", name="St. Louis")]
    chunks = [
        Chunk(id="c1", content="It is a film.", source_doc="d1"),
        Chunk(id="c2", content="It lies on the river.", source_doc="d2"),
    ]
    graph = MemoryGraph(entities, chunks=chunks, incidence=[("film", "c1", 1), ("city", "c2", 1)])
    text = np.zeros(2)
    held = PassageGraph(graph, {}).rank({"city": 1.0}, text, WalkOptions(lean=False)).scores
    apart = PassageGraph(graph, {}, EdgeWeights(held_name_weight=0)).rank(
        {"city": 1.0}, text, WalkOptions(lean=False)
    )
    assert held[0] > 0
    assert apart.scores.tolist() == [0, 1]


def test_of_an_entitys_passages_the_walk_prefers_the_one_like_the_question() -> None:
    chunks = [Chunk(id=f"c{i}", content="", source_doc=f"d{i}") for i in range(3)]
    incidence = [("x", f"c{i}", 1) for i in range(3)]
    passages = PassageGraph(MemoryGraph([Entity(id="x", name="X")], chunks=chunks, incidence=incidence), {})
    found = passages.rank({"x": 1.0}, np.array([0.2, 0.9, 0.1]), WalkOptions(passage_weight=0))
    assert np.argsort(-found.scores).tolist() == [1, 0, 2]


def test_without_seeds_words_decide() -> None:
    found = asked(PassageGraph(GRAPH, TITLES), "Do toads sing in the capital?", {})
    assert (found.mode, found.scores.tolist()) == ("text", [0, pytest.approx(0.46, abs=0.1), 1])


def test_a_graph_that_bridges_little_counts_a_quarter() -> None:
    """Here no name is in two passages: c1 is best for the walk, c3 for the words, c2 for neither."""
    graph = MemoryGraph(
        [Entity(id="hall", name="Toad Hall"), Entity(id="act", name="ACT")],
        chunks=GRAPH.chunks,
        incidence=[("hall", "c1", 1), ("act", "c2", 1)],
    )
    passages = PassageGraph(graph, {})
    found = asked(passages, "Do toads sing at Toad Hall?", {"hall": 1.0})
    assert (passages.bridged, found.mode) == (0.0, "graph and text")
    assert found.scores.tolist()[0] == pytest.approx((1 + 3 * found.likeness[0]) / 4)
    assert found.scores.tolist()[1] == 0


def test_a_question_that_names_common_nouns_only_is_answered_by_words_too() -> None:
    graph = MemoryGraph(
        [*GRAPH.entities, Entity(id="capital", name="capital")],
        chunks=GRAPH.chunks,
        incidence=[("hall", "c1", 1), ("canberra", "c1", 1), ("canberra", "c2", 1), ("capital", "c2", 1)],
    )
    passages = PassageGraph(graph, TITLES)
    assert passages.bridged == 2 / 3
    assert asked(passages, "What is the capital?", {"capital": 0.1}).mode == "graph and text"
    assert asked(passages, "What is the capital?", {"capital": 0.1, "hall": 1.0}).mode == "graph"


@pytest.mark.parametrize("query", ["", "zebra"])
def test_nothing_asked_or_nothing_there_scores_nothing(query: str) -> None:
    assert asked(PassageGraph(MemoryGraph([]), {}), query, {}).scores.tolist() == []
    assert asked(PassageGraph(GRAPH, TITLES), query, {}).scores.tolist() == [0, 0, 0]


def test_likeness_is_0_from_the_depth_on() -> None:
    assert spread(np.array([3.0, 1.0, 2.0, 0.0]), 3).tolist() == [1, 0, 0.5, 0]
    assert spread(np.array([2.0, 2.0])).tolist() == [1, 1]
    assert spread(np.array([0.0, 0.0])).tolist() == [0, 0]


def test_a_long_question_is_not_about_the_common_place_it_names() -> None:
    """Names in half of the passages tell ln 2; the question's words, each in one of six, many times that."""
    words = ["amber", "birch", "cedar", "delta", "ember", "flint"]
    chunks = [Chunk(id=f"c{i}", content=word, source_doc=f"d{i}") for i, word in enumerate(words)]
    incidence = [("x", f"c{i}", 1) for i in range(3)] + [("y", f"c{i}", 1) for i in range(6)]
    entities = [Entity(id="x", name="Xland"), Entity(id="y", name="Yland")]
    passages = PassageGraph(MemoryGraph(entities, chunks=chunks, incidence=incidence), {})

    def mode(question: str, seed: str) -> str:
        return passages.rank({seed: 1.0}, passages.bm25(question), question=question).mode

    assert mode("Xland amber birch?", "x") == "graph"
    assert mode(f"{' '.join(words)} in Xland?", "x") == "graph and text"
    assert mode("amber in Yland?", "y") == "graph and text"


def test_a_walk_over_everything_has_little_to_say() -> None:
    """Both are named in two of three passages each: from Anna alone the walk goes everywhere, as in a chat."""
    n = 90
    chunks = [Chunk(id=f"c{i:02}", content=f"word{i}", source_doc=f"d{i}") for i in range(n)]
    entities = [Entity(id="a", name="Anna"), Entity(id="b", name="Ben"), Entity(id="r", name="Rita")]
    incidence = [(e, chunks[i].id, 1) for i in range(n) for e in {0: "a", 1: "b", 2: "ab"}[i % 3]]
    incidence += [("r", chunks[i].id, 1) for i in range(2)]
    passages = PassageGraph(MemoryGraph(entities, chunks=chunks, incidence=incidence), {})
    text = passages.bm25("word0")
    assert passages.rank({"a": 1.0}, text).mode == "graph and text"
    assert passages.rank({"a": 1.0}, text, WalkOptions(lean=False)).mode == "graph"
    few = MemoryGraph(entities, chunks=chunks[:18], incidence=[i for i in incidence if i[1] < "c18"])
    assert PassageGraph(few, {}).rank({"a": 1.0}, text[:18]).mode == "graph"


def test_the_only_passage_is_like_a_question_that_shares_a_word_with_it() -> None:
    assert spread(np.array([0.3])).tolist() == [1]
    assert spread(np.array([0.0])).tolist() == [0]


def test_a_graph_is_read_once_per_weights() -> None:
    one = passage_graph(GRAPH)
    assert passage_graph(GRAPH) is one
    assert passage_graph(GRAPH, weights=EdgeWeights(relation_weight=2.0)) is not one
