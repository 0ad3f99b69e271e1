"""LightRAG's presets: particular keywords find entities, overarching ones relationships."""

from typing import Any

import pytest

from corpusgraph.schemas.documents import Chunk
from corpusgraph.schemas.graph import Entity, Relationship
from corpusgraph.tasks.graph.view import MemoryGraph
from tests.llm.fake import FakeModel
from tests.presets.world import graph, ids, run, scores

LOW, HIGH = ("Ada",), ("married",)
"""ada is the keyword's own name; of relationships r3 alone has "married" among its keywords."""


def keywords(low: tuple[str, ...] = LOW, high: tuple[str, ...] = HIGH) -> FakeModel:
    return FakeModel({"QuestionKeywords": {"low": low, "high": high}, "WrittenText": {}})


def result(preset: str, made: MemoryGraph | None = None, model: FakeModel | None = None) -> dict[str, Any]:
    return run(preset, "Ada, and who married?", made, model or keywords()).results


def test_llightrag() -> None:
    """Ada, cosine 1, and four more of cosine 0 in order of id: bob, cara, dan, eve. All of r1 to r4 touch them,
    those between busier ends first: r2 and r3 (degrees 2 + 2), r3 with the weight 2; then r1 and r4 (1 + 2).
    Each of the four has both its ends in its own chunk.
    """
    found = result("llightrag")
    assert ids(found["entities"]) == ["ada", "bob", "cara", "dan", "eve"]
    assert scores(found["entities"])["ada"] == pytest.approx(1)
    assert ids(found["relationships"]) == ["r3", "r2", "r1", "r4"]
    assert scores(found["chunks"]) == {"c1": 1, "c2": 1, "c3": 1, "c4": 1}


def test_glightrag() -> None:
    """The text of r3 is "married. Cara married Dan": three words, one of them asked for, 1/√3; all others 0.

    Five relationships in that order, their ends by degree, and the passages in order of the relationships.
    """
    found = result("glightrag")
    assert ids(found["relationships"]) == ["r3", "r1", "r2", "r4", "r5"]
    assert scores(found["relationships"])["r3"] == pytest.approx(1 / 3**0.5, abs=1e-5)
    assert ids(found["entities"])[:3] == ["bob", "cara", "dan"]
    assert scores(found["chunks"]) == pytest.approx(
        {"c3": 1, "c1": 1 / 2, "c2": 1 / 3, "c4": 1 / 4, "c5": 1 / 5}
    )


def test_hlightrag_joins_both_levels_by_rank() -> None:
    """c3 is third of c1, c2, c3, c4 below (all alike, in order of id) and first above: 1/63 + 1/61."""
    found = result("hlightrag")
    assert ids(found["low_chunks"]) == ["c1", "c2", "c3", "c4"]
    assert ids(found["high_chunks"]) == ["c3", "c1", "c2", "c4", "c5"]
    c = {"c1": 1 / 61 + 1 / 62, "c2": 1 / 62 + 1 / 63, "c3": 1 / 63 + 1 / 61, "c4": 1 / 64 * 2, "c5": 1 / 65}
    assert scores(found["chunks"]) == pytest.approx(c)
    assert ids(found["chunks"]) == ["c1", "c3", "c2", "c4", "c5"]


def test_native_local_keeps_what_is_like_the_keywords_at_all() -> None:
    """Ada alone has a cosine of at least 0.2: her relationship, and the one passage that mentions her."""
    found = result("lightrag_native_local")
    assert (ids(found["entities"]), ids(found["relationships"]), ids(found["chunks"])) == (
        ["ada"],
        ["r1"],
        ["c1"],
    )


def test_native_global_keeps_what_is_like_the_keywords_at_all() -> None:
    found = result("lightrag_native_global")
    assert ids(found["relationships"]) == ["r3"]
    assert sorted(ids(found["entities"])) == ["cara", "dan"]
    assert ids(found["chunks"]) == ["c3"]


def test_native_hybrid_and_mix() -> None:
    """Both first in their lists: 1/61 each. The question's words "Ada" and "married" find c1 and c3 by vector
    (1/√4 √3 = 0.29 both), first and second there.
    """
    hybrid = result("lightrag_native_hybrid")
    assert scores(hybrid["chunks"]) == pytest.approx({"c1": 1 / 61, "c3": 1 / 61})
    mix = result("lightrag_native_mix")
    assert ids(mix["near_chunks"]) == ["c1", "c3"]
    assert scores(mix["chunks"]) == pytest.approx({"c1": 2 / 61, "c3": 1 / 61 + 1 / 62})


def test_native_naive() -> None:
    """The question has 4 words, c1 and c3 have 3 and share one: 1/√12 = 0.289; the others share none."""
    found = run("lightrag_native_naive", "Ada, and who married?")
    assert scores(found.passages) == pytest.approx({"c1": 12**-0.5, "c3": 12**-0.5}, abs=1e-5)


def test_a_relationship_is_found_by_keywords_of_its_description() -> None:
    made = MemoryGraph(
        [Entity(id="a", name="Ada"), Entity(id="b", name="Bob"), Entity(id="c", name="Cara")],
        [
            Relationship(
                id="r1", source_id="a", target_id="b", description="about engines", chunk_ids=("c1",)
            ),
            Relationship(
                id="r2", source_id="b", target_id="c", description="about poetry", chunk_ids=("c2",)
            ),
        ],
        [Chunk(id="c1", content="x", entities=("a", "b")), Chunk(id="c2", content="y", entities=("b", "c"))],
    )
    found = result("lightrag_native_global", made, keywords(high=("poetry",)))
    assert ids(found["relationships"]) == ["r2"]
    assert ids(found["chunks"]) == ["c2"]


def test_low_keywords_alone_do_not_read_the_passages_of_high_ones() -> None:
    found = result("llightrag", graph(), keywords(low=("Fay",), high=("married",)))
    assert ids(found["entities"])[0] == "fay"
    assert "r5" in ids(found["relationships"])
