"""Tool 6."""

from typing import Any

import pytest

import corpusgraph.tasks.tools.entity  # noqa: F401 - registers the tool
from corpusgraph.schemas.errors import AmbiguousEntityError, InvalidInputError, UnknownEntityError
from corpusgraph.schemas.graph import Entity
from corpusgraph.tasks.graph.view import MemoryGraph
from tests.graph.small import run

TOOL = "entity_similarity_link"


def links(**arguments: Any) -> list[tuple[str, str | None, str]]:
    return [(s.item.mention, s.item.source_id, s.item.entity.id) for s in run(TOOL, **arguments).data]


def test_mentions_link_to_the_entity_most_like_them() -> None:
    noted = run(TOOL, entities=["Jon Snow", "Broad St pump"])
    assert [(s.item.mention, s.item.source_id, s.item.entity.id) for s in noted.data] == [
        ("Broad St pump", None, "pump"),
        ("Jon Snow", None, "snow"),
    ]
    assert [s.rank for s in noted.data] == [1, 2]
    assert noted.warnings == ()


def test_a_name_links_to_what_it_names_and_an_id_to_another() -> None:
    """Linking mentions of a question is one use; finding entities like a given one is the other."""
    assert links(entities=["John Snow"]) == [("John Snow", "snow", "snow")]
    assert links(entities=["snow"], similarity_metric="semantic") == [("snow", "snow", "farr")]
    assert links(entities=[1], similarity_metric="semantic") == [("1", "snow", "farr")]
    assert links(entities=["John Snow"], exclude_self=True, similarity_metric="semantic") == [
        ("John Snow", "snow", "farr")
    ]
    assert links(entities=["snow"], exclude_self=False) == [("snow", "snow", "snow")]


def test_an_equal_name_scores_one() -> None:
    assert run(TOOL, entities=["cholera "]).data[0].score == pytest.approx(1, abs=1e-6)


def test_structural_likeness_is_the_share_of_common_neighbours() -> None:
    """soho: {pump, snow}; cholera: {pump, snow}; pump: {cholera, snow, soho}; snow: {cholera, pump, soho}."""
    noted = run(TOOL, entities=["soho"], similarity_metric="structural", top_k=5)
    assert [(s.item.entity.id, s.score) for s in noted.data] == [
        ("cholera", 1.0),
        ("pump", 1 / 4),
        ("snow", 1 / 4),
    ]


def test_what_is_like_nothing_is_listed() -> None:
    noted = run(TOOL, entities=["Zürich", "Soho"], min_score=0.9)
    assert [s.item.mention for s in noted.data] == ["Soho"]
    assert [(w.code, w.records) for w in noted.warnings] == [("not_linked", ("Zürich",))]
    lonely = run(TOOL, entities=["farr"], similarity_metric="structural")
    assert (lonely.data, lonely.warnings[0].records) == ([], ("farr",))
    assert run(TOOL, entities=["?!"]).warnings[0].records == ("?!",)


def test_top_k_is_per_name() -> None:
    noted = run(TOOL, entities=["Soho", "physician"], similarity_metric="semantic", top_k=2)
    assert sorted(s.item.mention for s in noted.data) == ["Soho", "Soho", "physician", "physician"]


@pytest.mark.parametrize("unknown", ["nobody at all", 99])
def test_structure_needs_known_entities(unknown: str | int) -> None:
    with pytest.raises(UnknownEntityError):
        run(TOOL, entities=[unknown], similarity_metric="structural")


@pytest.mark.parametrize(
    "bad", [{"entities": []}, {"entities": ["x"], "top_k": 0}, {"entities": ["x"], "similarity_metric": "x"}]
)
def test_bad_input_is_refused(bad: dict[str, Any]) -> None:
    with pytest.raises(InvalidInputError):
        run(TOOL, **bad)


def test_a_name_that_several_bear_is_a_text_like_any_other() -> None:
    both = [
        Entity(id="ent_1", name="Thames Ditton", type="person"),
        Entity(id="ent_2", name="Thames Ditton", type="place"),
    ]
    for top_k in (1, 2):
        noted = run(TOOL, graph=MemoryGraph(both), entities=["Thames Ditton"], top_k=top_k)
        assert [(s.item.entity.id, s.item.source_id) for s in noted.data] == [
            ("ent_1", None),
            ("ent_2", None),
        ][:top_k]
    with pytest.raises(AmbiguousEntityError):
        run(TOOL, graph=MemoryGraph(both), entities=["Thames Ditton"], similarity_metric="structural")


def test_a_word_that_means_nothing_is_not_linked_by_where_its_hash_falls() -> None:
    """Of so many one-word names some share a place with any word: their vectors are a little alike."""
    names = [
        f"{a}{b}{c}"
        for a in ("bar", "lon", "mir", "tel")
        for b in "aeiou"
        for c in ("don", "lis", "wick", "ham")
    ]
    graph = MemoryGraph([Entity(id=f"e{i}", name=name) for i, name in enumerate(names)])
    noted = run(TOOL, graph=graph, entities=["zzyqx", "vrrgh", "Baradom"], min_score=0.05)
    assert {s.item.mention: s.item.entity.name for s in noted.data} == {"Baradom": "baradon"}
    assert noted.warnings[0].records == ("zzyqx", "vrrgh")


def test_what_is_not_linked_is_told_with_the_nearest_names_and_a_lower_threshold_links_it() -> None:
    noted = run(TOOL, entities=["William Snow"])
    assert noted.data == []
    assert "William Snow (nearest: John Snow, William Farr)" in noted.warnings[0].message
    assert run(TOOL, entities=["William Snow"], min_score=0.2).data[0].item.entity.id in {"snow", "farr"}


def test_a_name_goes_before_what_is_only_near_and_says_so() -> None:
    links = run(TOOL, entities=["Jon Snow"], top_k=3, min_score=0).data
    assert links[0].components == {"name": links[0].score}
    assert [set(link.components) for link in links[1:]] == [{"cosine"}] * (len(links) - 1)
    assert all(link.score < links[0].score for link in links[1:])
