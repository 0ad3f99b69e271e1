"""The presets that walk: personalised PageRank from seeds, on to relationships and passages."""

import math
from typing import Any

import numpy as np
import pytest

from corpusgraph.schemas.graph import Entity
from corpusgraph.tasks import registry as _tool
from corpusgraph.tasks.graph.view import MemoryGraph
from tests.llm.fake import FakeModel
from tests.presets.world import graph, ids, pagerank, ports, run, scores

PATH = ("r1", "r2", "r3")
"""ada -1- bob -1- cara -2- dan; ada and dan are in one chunk, bob and cara in two."""


def thinker(*names: tuple[str, ...], query: str = "Dan") -> FakeModel:
    """Return a model that names other entities each time it is asked, and thinks on after all but the last."""
    rounds = [iter(names), iter(range(1, len(names) + 1))]

    def say(_prompt: Any, answer: Any) -> Any:
        if answer.__name__ == "QuestionEntities":
            return {"named": next(rounds[0])}
        if answer.__name__ == "NextStep":
            n = next(rounds[1])
            return {"sentence": f"Thought {n}.", "query": query, "done": n == len(names)}
        return {}

    return FakeModel(say)


def test_hipporag() -> None:
    """Seeds ada 1/1 and cara 1/2, so the walk returns to ada with 2/3 and to cara with 1/3. With d = 1/2:

    a = b/4 + 1/3; b = a/2 + c/6; c = b/4 + d/2 + 1/6; d = c/3, so a, b, c, d = 13, 8, 9, 3 (/33).
    r1 = a + b = 21, r2 = b + c = 17, r3 = c + d = 12 (/33); each chunk states one. Scaled from 0 to 1:
    c1 = 1, c2 = (17 - 12) / (21 - 12), c3 = 0.
    """
    found = run("hipporag", "What links Ada and Cara?", graph(PATH), thinker(("Ada", "Cara")))
    assert scores(found.results["reasoning"]["chunks"]) == pytest.approx({"c1": 1, "c2": 5 / 9, "c3": 0})
    assert [line.step for line in found.trace if line.step == "entities"] == ["entities"]
    assert ids(found.passages) == ["c1", "c2", "c3"]
    exact = {"ada": 13 / 33, "bob": 8 / 33, "cara": 9 / 33, "dan": 3 / 33}
    assert pagerank(graph(PATH), {"ada": 1, "cara": 1 / 2}, 0.5) == pytest.approx(exact)


@pytest.mark.parametrize(("preset", "damping"), [("hipporag", 0.5), ("hipporag_digimon", 0.1)])
def test_hipporag_reasons_once_more_and_keeps_the_better_score(preset: str, damping: float) -> None:
    """Seed ada alone first, then dan alone: each passage has the better of its two scaled scores."""
    model = thinker(("Ada",), ("Dan",))
    found = run(preset, "What links Ada to the rest?", graph(PATH), model)
    rounds = []
    for seed in ("ada", "dan"):
        p = pagerank(graph(PATH), {seed: 1}, damping)
        r = {"c1": p["ada"] + p["bob"], "c2": p["bob"] + p["cara"], "c3": p["cara"] + p["dan"]}
        low, high = min(r.values()), max(r.values())
        rounds.append({id_: (score - low) / (high - low) for id_, score in r.items()})
    expected = {id_: max(one[id_] for one in rounds) for id_ in rounds[0]}
    assert scores(found.results["reasoning"]["chunks"]) == pytest.approx(expected, abs=1e-5)
    assert sum(line.step == "entities" for line in found.trace) == 2


def test_hipporag_finds_passages_by_vector_where_nothing_is_linked() -> None:
    made = graph(PATH)
    found = run("hipporag", "Xyzzy married whom?", made, thinker(("Xyzzy",)))
    assert ids(found.passages)[0] == "c3"  # "married" is its word alone
    assert not any(line.skipped is None for line in found.trace if line.step == "entities")


def test_hipporag_joins_names_that_are_alike_without_stating_a_passage() -> None:
    """johnson and johnsons share their letters: the walk from one reaches what is said of the other."""
    from corpusgraph.schemas.documents import Chunk
    from corpusgraph.schemas.graph import Relationship

    made = MemoryGraph(
        [Entity(id="a", name="Johnson"), Entity(id="b", name="Johnsons"), Entity(id="c", name="Ohio")],
        [Relationship(id="r", source_id="b", target_id="c", type="in", chunk_ids=("c1",))],
        [Chunk(id="c1", content="Johnsons of Ohio.", entities=("b", "c")), Chunk(id="c2", content="Johnson.", entities=("a",))],
    )  # fmt: skip
    found = run("hipporag", "Where is Johnson?", made, thinker(("Johnson",)))
    assert ids(found.results["reasoning"]["chunks"]) == ["c1"]


def test_fast_graphrag() -> None:
    """Named: Ada, cosine 1. "piano" is half of what Bob is called and a third of what Cara is: cosines 1/√2
    and 1/√3, made to sum to 1. The question's three words find Ada alone above 0.5 (1/√3), made 1. The better
    of the two, made to sum to 1, is added to the named.
    """
    made = graph(PATH, bob="piano", cara="piano teacher")
    model = FakeModel({"QuestionEntities": {"named": ["Ada"], "generic": ["piano"]}, "WrittenText": {}})
    found = run("fast_graphrag", "Ada plays piano", made, model)
    bob, cara = 1 / math.sqrt(2), 1 / math.sqrt(3)
    described = {"ada": 1.0, "bob": bob / (bob + cara), "cara": cara / (bob + cara)}
    seeds = {id_: score / 2 + (id_ == "ada") for id_, score in described.items()}
    assert scores(found.results["seeds"]) == pytest.approx(seeds, abs=1e-5)
    p = pagerank(made, seeds, 0.85)
    assert scores(found.results["entities"]) == pytest.approx(p, abs=1e-5)
    r = {"r1": p["ada"] + p["bob"], "r2": p["bob"] + p["cara"], "r3": p["cara"] + p["dan"]}
    assert scores(found.results["relationships"]) == pytest.approx(r, abs=1e-5)
    assert scores(found.passages) == pytest.approx({f"c{id_[1]}": s for id_, s in r.items()}, abs=1e-5)


def test_fast_graphrag_finds_passages_by_vector_where_nothing_seeds_the_walk() -> None:
    model = FakeModel({"QuestionEntities": {"named": ["Xyzzy"]}, "WrittenText": {}})
    found = run("fast_graphrag", "Who was it that somebody or other then married?", graph(PATH), model)
    assert found.results["seeds"] == []
    assert ids(found.passages)[0] == "c3"


def test_fast_graphrag_digimon() -> None:
    """Named: Ada. The question "Ada Bob Cara" is as like to each of the three: 1/√3, a third each; Dan is not like it at all."""
    made = graph(PATH)
    model = FakeModel({"QuestionEntities": {"named": ["Ada"]}, "WrittenText": {}})
    found = run("fast_graphrag_digimon", "Ada Bob Cara", made, model)
    seeds = {"ada": 4 / 3, "bob": 1 / 3, "cara": 1 / 3}
    assert scores(found.results["seeds"]) == pytest.approx(seeds, abs=1e-5)
    p = pagerank(made, seeds, 0.1)
    assert scores(found.passages) == pytest.approx(
        {"c1": p["ada"] + p["bob"], "c2": p["bob"] + p["cara"], "c3": p["cara"] + p["dan"]}, abs=1e-5
    )


def walked(edges: dict[tuple[str, str], float], reset: dict[str, float], damping: float) -> dict[str, float]:
    """Return the scores of c1, c2 … of a walk over weighted edges without direction, the best 1."""
    nodes = sorted({end for edge in edges for end in edge})
    at = {node: i for i, node in enumerate(nodes)}
    weights = np.zeros((len(at), len(at)))
    for (one, other), weight in edges.items():
        weights[at[one], at[other]] = weights[at[other], at[one]] = weight
    start = np.array([reset.get(node, 0.0) for node in nodes])
    steps = weights / weights.sum(axis=1, keepdims=True)
    solved = np.linalg.solve(np.eye(len(at)) - damping * steps.T, (1 - damping) * start / start.sum())
    found = {node: float(solved[i]) for node, i in at.items() if node.startswith("c") and node[1:].isdigit()}
    return {node: score / max(found.values()) for node, score in found.items()}


def test_hipporag2() -> None:
    """The question "Ada met" has both its words in r1's three: cosine 2/√6. The model keeps that fact: ada and
    bob score 2/√6, which is divided by 1 and by 2 chunks. c1 is as like (2/√6), c2 and c3 not at all: scaled 1,
    0, 0, times 0.05. Every mention and every relationship is an edge of weight 1.
    """
    made = graph(PATH)
    model = FakeModel({"Recognised": {"facts": [1]}, "WrittenText": {}})
    found = run("hipporag2", "Ada met", made, model)
    fact = 2 / math.sqrt(6)
    assert scores(found.results["kept"]) == pytest.approx({"r1": fact}, abs=1e-5)
    assert scores(found.results["seeds"]) == pytest.approx({"ada": fact, "bob": fact}, abs=1e-5)
    mentions = [("ada", "c1"), ("bob", "c1"), ("bob", "c2"), ("cara", "c2"), ("cara", "c3"), ("dan", "c3")]
    edges = dict.fromkeys([*mentions, ("ada", "bob"), ("bob", "cara"), ("cara", "dan")], 1.0)
    expected = walked(edges, {"ada": fact, "bob": fact / 2, "c1": 0.05}, 0.5)
    assert scores(found.passages) == pytest.approx(expected, abs=1e-4)


def test_hipporag2_finds_passages_by_vector_where_no_fact_is_left() -> None:
    model = FakeModel({"Recognised": {"facts": []}, "WrittenText": {}})
    found = run("hipporag2", "Cara married", graph(PATH), model)
    assert found.results["walked"] == []
    assert scores(found.passages)["c3"] == pytest.approx(2 / math.sqrt(6), abs=1e-5)
    assert ids(found.passages)[0] == "c3"


def test_default_ranks_as_asking_with_nothing_configured_does() -> None:
    """ "Ada" is a name: its one passage and one entity of the name, seed 1. BM25: c1 alone has the word, scaled 1,
    ** 3, times 0.05. Names weigh 1 in a passage, relationships 1/2, and edges into c1 twice (1 + pull).
    """
    made = graph(PATH)
    found = run("default", "Ada", made)
    assert scores(found.results["entities"]) == {"ada": 1.0}
    assert ids(found.passages)[0] == "c1"
    tool = _tool.find("chunk_walk_rank").run({"query": "Ada", "top_k": 5}, ports(made)).data
    assert scores(found.passages) == scores(tool)


def test_bm25_alone() -> None:
    """ "Cara" is in 2 of 3 passages of 3 or 2 words that count (no "to"): c3 and c2 share idf and length."""
    found = run("bm25", "Cara married", graph(PATH))
    assert ids(found.passages) == ["c3", "c2"]
    assert scores(found.passages)["c3"] == 1
