"""A walk over entities and passages."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest

from corpusgraph.schemas.errors import InvalidInputError, MissingResourceError
from corpusgraph.schemas.ports import Floats
from corpusgraph.schemas.results import Noted
from corpusgraph.tasks.graph.passages import passage_graph
from corpusgraph.tasks.registry import find
from tests.graph.small import SmallVectors, small_graph

GRAPH = small_graph()
VECTORS = SmallVectors(GRAPH)


class Trained:
    """An embedder that says of itself no more than the port asks for."""

    name, dimension = "trained", VECTORS.embedder.dimension

    def embed(self, texts: Sequence[str]) -> Floats:
        """Return the vectors of the small index."""
        return VECTORS.embedder.embed(texts)


def run(query: str, embedder: Any = VECTORS.embedder, **more: Any) -> Noted[Any]:
    ports = {"graph": GRAPH, "vectors": VECTORS, "embedder": embedder}
    return find("chunk_walk_rank").run({"query": query, **more}, ports)


def ids(found: Noted[Any]) -> list[str]:
    return [scored.item.id for scored in found.data]


def test_seeds_are_the_names_in_the_question_unless_given() -> None:
    query = "What did John Snow do in Soho?"
    links = find("entity_query_link").run(
        {"query": query}, {"graph": GRAPH, "vectors": VECTORS, "embedder": VECTORS.embedder}
    )
    assert run(query).data == run(query, seed_entities=links.data).data
    assert {scored.scorer for scored in run(query).data} == {"graph"}


def test_the_scores_are_those_of_the_walk() -> None:
    query = "What did John Snow do?"
    passages = passage_graph(GRAPH)
    expected = passages.rank({"snow": 1.0}, passages.bm25(query))
    found = run(query, seed_entities={"snow": 1.0})
    at = passages.chunk_at
    places = [at[s.item.id] for s in found.data]
    assert [s.score for s in found.data] == pytest.approx(expected.scores[places])
    assert [s.components["walk"] for s in found.data] == pytest.approx(expected.walked[places])
    assert [s.score for s in found.data] == sorted((s.score for s in found.data), reverse=True)


def test_node_specificity_divides_by_the_chunks_that_mention_a_seed() -> None:
    counts = {id_: len(chunks) for id_, chunks in GRAPH.entity_chunks().items()}
    shared = {id_: 1 / counts[id_] for id_ in ("snow", "soho")}
    by_hand = run("Who?", seed_entities=shared, text="none").data
    assert run("Who?", seed_entities=["snow", "soho"], text="none", reset="node_specificity").data == by_hand


def test_where_nothing_is_named_texts_decide_and_a_warning_tells() -> None:
    found = run("What is crowded?", seed_entities=[])
    assert ids(found)[0] == "c4"
    assert ({s.scorer for s in found.data}, [w.code for w in found.warnings]) == ({"text"}, ["lean_graph"])
    assert run("What is crowded?", seed_entities=[], text="none").data == []


def test_given_chunks_are_taken_on_any_scale() -> None:
    one = run("x", seed_entities=["snow"], chunks={"c1": -3.0, "c4": 5.0})
    other = run("x", seed_entities=["snow"], chunks={"c1": 0.0, "c4": 0.1})
    assert [s.score for s in one.data] == pytest.approx([s.score for s in other.data])
    assert one.data[0].components["text"] in {0.0, 1.0}
    assert (
        run("x", seed_entities=["snow"], chunks=[]).data == run("x", seed_entities=["snow"], text="none").data
    )


def test_words_start_the_walk_and_a_trained_embedder_shares_in_what_draws_it() -> None:
    query = "How did cholera spread?"
    walk: dict[str, Any] = {"seed_entities": ["snow"], "lean": False}
    assert run(query, Trained(), **walk, pull=0).data == run(query, text="bm25", **walk, pull=0).data
    assert run(query, Trained(), **walk).data != run(query, text="bm25", **walk).data
    assert run(query, Trained(), seed_entities=[]).data == run(query, text="mix", seed_entities=[]).data
    assert run(query, seed_entities=[]).data == run(query, text="bm25", seed_entities=[]).data


def test_it_does_without_vectors_unless_they_are_asked_for() -> None:
    tool = find("chunk_walk_rank")
    for seeds in ({}, {"seed_entities": ["snow"]}):
        asked = {"query": "What did John Snow do?", **seeds}
        assert tool.run(asked, {"graph": GRAPH}).data == run("What did John Snow do?", **seeds).data
        with pytest.raises(MissingResourceError):
            tool.run({**asked, "text": "dense"}, {"graph": GRAPH})


@pytest.mark.parametrize("score", [float("nan"), float("inf")])
def test_scores_without_order_are_refused(score: float) -> None:
    with pytest.raises(InvalidInputError):
        run("x", seed_entities=["snow"], chunks={"c1": score})
    with pytest.raises(InvalidInputError):
        run("x", seed_entities={"snow": score if np.isnan(score) else -1.0})


def test_top_k_keeps_the_best() -> None:
    assert ids(run("Who is John Snow?", top_k=2)) == ids(run("Who is John Snow?"))[:2]
