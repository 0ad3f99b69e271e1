"""The presets in which a language model chooses, and those that read a subgraph."""

from itertools import chain, combinations
from typing import Any

import pytest

from corpusgraph.schemas.graph import Entity, Relationship
from corpusgraph.tasks.graph.view import MemoryGraph
from tests.llm.fake import FakeModel
from tests.presets.world import EDGES, graph, ids, run, scores

PEOPLE = ("ada", "bob", "cara", "dan", "eve", "fay", "gus", "hal")
FACTS = {
    "t1": ("ada", "met", "bob"),
    "t2": ("ada", "met", "cara"),
    "t3": ("ada", "wrote_to", "dan"),
    "t4": ("cara", "likes", "eve"),
    "t5": ("dan", "likes", "fay"),
    "t6": ("dan", "trusts", "gus"),
    "t7": ("bob", "likes", "hal"),
    "t8": ("cara", "trusts", "bob"),
}


def circle() -> MemoryGraph:
    return MemoryGraph(
        [Entity(id=id_, name=id_.title()) for id_ in PEOPLE],
        [Relationship(id=i, source_id=s, type=t, target_id=o) for i, (s, t, o) in FACTS.items()],
    )


def scripted(marks: list[tuple[float, ...]], verdicts: list[bool], named: tuple[str, ...]) -> FakeModel:
    """Return a model that gives marks and verdicts in the order in which it is asked for them."""
    scored, judged = iter(marks), iter(verdicts)

    def say(_prompt: Any, answer: Any) -> Any:
        if answer.__name__ == "QuestionEntities":
            return {"named": named}
        if answer.__name__ == "Marks":
            return {"marks": [{"id": i, "score": s} for i, s in enumerate(next(scored), start=1)]}
        return {"sufficient": next(judged)} if answer.__name__ == "Verdict" else {}

    return FakeModel(say)


def test_tog_walks_a_beam_of_three() -> None:
    """Depth 1. Ada's relations: met 0.6, wrote to 0.4. Met leads to bob 0.5 and cara 0.9, wrote to to dan alone
    (1, not asked): bob 0.6 x 0.5 = 0.3, cara 0.54, dan 0.4. All three are kept; it is not enough.

    Depth 2. Nothing goes back. Cara: likes 0.75, trusts 0.25; dan: likes 0.7, trusts 0.3; bob: likes, and is
    trusted by cara: 0.9 and 0.1. Each leads to one: eve 0.75, bob 0.25; fay 0.7, gus 0.3; hal 0.9, cara 0.1. The
    beam keeps hal, eve, fay; it is enough. A triple counts where both its ends are in the beam, by the product.
    """
    model = scripted([(0.6, 0.4), (0.5, 0.9), (0.75, 0.25), (0.7, 0.3), (0.9, 0.1)], [False, True], ("Ada",))
    found = run("tog", "Whom do the friends of Ada like?", circle(), model)
    triples = {"t1": 0.3, "t2": 0.54, "t3": 0.4, "t4": 0.54 * 0.75, "t5": 0.4 * 0.7, "t7": 0.3 * 0.9}
    assert scores(found.results["beam"]["triples"]) == pytest.approx({**triples, "t8": 0.54 * 0.3})
    assert sum(line.step == "kept" for line in found.trace) == 2
    assert sum(prompt.system.startswith("Decide") for prompt in model.prompts) == 2


def test_tog_stops_after_three_depths() -> None:
    model = scripted([], [False, False, False, False], ("Ada",))
    found = run("tog", "Whom did Ada meet?", graph(), model)
    assert ids(found.results["beam"]["triples"]) == [
        "r1",
        "r2",
        "r3",
    ]  # ada, bob, cara, dan: one way on each time
    assert sum(line.step == "kept" for line in found.trace) == 3


def test_tog_without_a_model_reads_what_is_near_the_topic() -> None:
    found = run("tog", "Whom did Ada meet?")
    assert ids(found.passages)[0] == "c1"
    assert "no_llm" in {warning.code for warning in found.warnings}


def subtrees() -> list[tuple[set[str], tuple[str, ...]]]:
    """Return every connected set of edges of the world with its nodes, and every node alone."""
    people = {end for edge in EDGES.values() for end in (edge[0], edge[2])}
    found: list[tuple[set[str], tuple[str, ...]]] = [({one}, ()) for one in people]
    for edges in chain.from_iterable(combinations(EDGES, n) for n in range(1, len(EDGES) + 1)):
        nodes = {end for id_ in edges for end in (EDGES[id_][0], EDGES[id_][2])}
        if len(nodes) == len(edges) + 1:  # the world is a forest: as many edges as that are connected
            found.append((nodes, edges))
    return found


def test_g_retriever_takes_the_subtree_worth_most() -> None:
    """ "Ada Cara": ada and cara 1/√2, bob first of the others: prizes 3, 2, 1. r1 and r3 have one of three words
    (1/√6), r2 one of four (1/√8): two ranks, prizes 2 / 2 for each of the first two, then at most 0.99 for r2.
    An edge costs 0.5. Of all subtrees, ada - bob - cara - dan is worth most: 6 + 2.99 - 1.5 = 7.49.
    """
    prizes = {"ada": 3.0, "cara": 2.0, "bob": 1.0, "r1": 1.0, "r3": 1.0, "r2": 0.99}

    def worth(tree: tuple[set[str], tuple[str, ...]]) -> float:
        nodes, edges = tree
        return sum(prizes.get(id_, 0) for id_ in (*nodes, *edges)) - 0.5 * len(edges)

    nodes, edges = max(subtrees(), key=worth)
    assert worth((nodes, edges)) == pytest.approx(7.49)
    found = run("g_retriever", "Ada Cara").results["tree"]
    assert {node.id for node in found.nodes} == nodes == {"ada", "bob", "cara", "dan"}
    assert {edge.id for edge in found.edges} == set(edges)


def test_g_retriever_shows_the_model_the_subgraph_as_csv() -> None:
    model = FakeModel({"sentences": [{"text": "They met.", "sources": [1]}]})
    found = run("g_retriever", "Ada Cara", llm=model)
    assert found.answer is not None
    context = model.prompts[-1].user
    assert "Ada" in context
    assert "," in context.split("Passages:")[1]
    assert "Fay" not in context


def test_dalk_reads_paths_between_the_topics_and_their_neighbours() -> None:
    """Between ada and cara one path of two relationships, kept with 0.7. Around them bob and dan, with the weight
    2 each, in order of id, scored 0.2 and 0.8."""
    model = scripted([(0.7,), (0.2, 0.8)], [], ("Ada", "Cara"))
    found = run("dalk", "How do Ada and Cara know each other?", llm=model)
    paths = found.results["kept_paths"]
    assert [hit.item.node_ids for hit in paths] == [("ada", "bob", "cara")]
    assert [hit.item.edge_ids for hit in paths] == [("r1", "r2")]
    assert paths[0].score == pytest.approx(0.7)
    assert scores(found.results["neighbours"]) == pytest.approx({"dan": 0.8, "bob": 0.2})
    assert set(ids(found.passages)) == {"c1", "c2"}


def test_dalk_without_a_path_still_has_neighbours() -> None:
    model = scripted([(0.9,)], [], ("Ada", "Fay"))
    found = run("dalk", "How do Ada and Fay know each other?", llm=model)
    assert found.results["paths"] == []
    assert set(ids(found.results["neighbours"])) <= {"bob", "gus"}


def test_med_graphrag_reads_what_is_around_the_entities_of_the_nearest_passages() -> None:
    """ "Cara married": c3 has both words, c2 one, c1 comes first of the others. In these are ada, bob, cara, dan,
    of which cara is nearest; two relationships around them lie ada to eve, and neither fay nor gus."""
    found = run("med_graphrag", "Cara married").results
    assert ids(found["metagraphs"]) == ["c3", "c2", "c1"]
    assert ids(found["entities"]) == ["cara", "ada", "bob", "dan"]
    assert {node.id for node in found["subgraph"].nodes} == {"ada", "bob", "cara", "dan", "eve"}
    assert {edge.id for edge in found["subgraph"].edges} == {"r1", "r2", "r3", "r4"}
