"""Topics, their words, and what connects them."""

import math
from itertools import combinations
from typing import Any

import pytest

import corpusgraph.tasks.tools.memory.structure  # noqa: F401 - registers the tool
from corpusgraph.schemas.documents import Chunk
from corpusgraph.schemas.graph import Entity, Relationship
from corpusgraph.tasks.graph.view import MemoryGraph
from corpusgraph.tasks.registry import TOOLS
from corpusgraph.tasks.tools.memory.structure import keywords

MEDICINE, NAVY = ("Snow", "Farr", "cholera"), ("Nelson", "Victory", "Trafalgar")


def two_domains() -> MemoryGraph:
    ties = [*combinations(MEDICINE, 2), *combinations(NAVY, 2), ("Snow", "Nelson")]
    edges = [
        Relationship(id=f"r{i}", source_id=a, target_id=b, weight=0.5 if b == "Nelson" and a == "Snow" else 2)
        for i, (a, b) in enumerate(ties)
    ]
    chunks = [
        Chunk(
            id="c1", content="Physicians studied the disease; physicians counted deaths.", entities=MEDICINE
        ),
        Chunk(id="c2", content="Ships of the fleet fought; the fleet won.", entities=NAVY),
        Chunk(id="c3", content="London mourned.", entities=("Snow", "Nelson")),
    ]
    return MemoryGraph([Entity(id=name, name=name) for name in (*MEDICINE, *NAVY)], edges, chunks)


def topics(graph: MemoryGraph, **asked: Any) -> Any:
    return TOOLS["identify_topics"].run(asked, {"graph": graph})


def test_each_domain_has_its_words_and_entities() -> None:
    data = topics(two_domains()).data
    by_entity = {hit.item.id: topic for topic in data.topics for hit in topic.entities}
    medicine, navy = by_entity["Farr"], by_entity["Victory"]
    assert medicine.keywords[0].word == "physicians"
    assert navy.keywords[0].word == "fleet"
    assert "fleet" not in [k.word for k in medicine.keywords]
    assert [hit.score for hit in medicine.entities] == [4.0, 4.0, 4.0]
    assert (medicine.size, medicine.weight, medicine.chunk_count) == (3, 6.0, 2)
    assert data.topic_count == 2


def test_bridges_and_connectors_by_hand() -> None:
    data = topics(two_domains()).data
    assert [(b.weight, b.relationship_count, b.relationships) for b in data.bridges] == [(0.5, 1, ["r6"])]
    assert {data.bridges[0].source, data.bridges[0].target} == {topic.id for topic in data.topics}
    share = 1 - (4 / 4.5) ** 2 - (0.5 / 4.5) ** 2
    assert [(hit.item.id, hit.score) for hit in data.connectors] == [
        ("Nelson", pytest.approx(share, abs=1e-6)),
        ("Snow", pytest.approx(share, abs=1e-6)),
    ]


def test_class_based_tf_idf_by_hand() -> None:
    found = keywords({"a": [("water pump pumps", 1.0)], "b": [("water ship", 1.0)]}, 3)
    mean = 5 / 2
    assert [word for word, _ in found["a"]] == ["pump", "water"]
    expected = [2 / 3 * math.log1p(mean / 2), 1 / 3 * math.log1p(mean / 2)]
    assert [weight for _, weight in found["a"]] == pytest.approx(expected, abs=1e-6)
    assert found["b"][0][0] == "ship"
    assert found["b"][0][1] == pytest.approx(1 / 2 * math.log1p(mean / 1), abs=1e-6)


def test_words_of_any_script_stop_words_and_numbers() -> None:
    found = keywords({"a": [("The 1854 và bệnh tả 水泵", 1.0)], "b": [("", 1.0)]}, 9)
    assert {word for word, _ in found["a"]} == {"và", "bệnh", "tả", "水泵"}
    assert found["b"] == []


def test_nothing_related_is_told() -> None:
    noted = topics(MemoryGraph([Entity(id="a")]))
    assert noted.data.topics == noted.data.bridges == noted.data.connectors == []
    assert noted.warnings[0].code == "no_communities"


def test_limits() -> None:
    data = topics(two_domains(), top_k=1, max_keywords=2, max_entities=1, max_bridges=1).data
    assert data.truncated
    assert [len(data.topics), len(data.topics[0].keywords), len(data.topics[0].entities)] == [1, 2, 1]
    assert len(data.connectors) == 1
