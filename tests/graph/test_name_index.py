"""Names alike: misspelt, abbreviated, with other words beside them."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from corpusgraph.schemas.graph import Entity
from corpusgraph.tasks.graph.linking import alike, link_names, meant
from corpusgraph.tasks.graph.view import MemoryGraph

NAMES = [
    "John Snow", "William Farr", "North Carolina", "South Carolina", "Louis XVII", "Apollo 11", "Constitution",
    "North Atlantic Treaty Organization", "Exies", "Broad Street pump", "Bank of America", "Joan", "senate",
    "Senate", "federal Senate", "Nguyễn Văn Á", "北京大学",
]  # fmt: skip
ALIASES = {"John Snow": {"Dr. Snow": 3}, "federal Senate": {"Senate": 1}}


def graph_of(names: list[str]) -> MemoryGraph:
    return MemoryGraph(
        [
            Entity(id=f"e{i:02}", name=name, attributes={"aliases": ALIASES.get(name, {})})
            for i, name in enumerate(names)
        ]
    )


GRAPH = graph_of(NAMES)


def name_of(entity: Entity | None) -> str | None:
    return entity.name if entity else None


@pytest.mark.parametrize(
    ("mention", "name"),
    [
        ("Jon Snow", "John Snow"),
        ("J. Snow", "John Snow"),
        ("dr snow", "John Snow"),
        ("Wiliam Farr", "William Farr"),
        ("Constituton", "Constitution"),
        ("Norht Carolina", "North Carolina"),
        ("NATO", "North Atlantic Treaty Organization"),
        ("The Exies", "Exies"),
        ("Broad St pump", "Broad Street pump"),
        ("Broadstreetpump", "Broad Street pump"),
        ("CEO of Bank of America", "Bank of America"),
        ("Senate", "Senate"),  # as written, and before another name of the federal Senate
        ("senate", "senate"),
        ("Nguyen Van A", "Nguyễn Văn Á"),
        ("北京大学", "北京大学"),
    ],
)
def test_a_name_means_the_entity_called_so_or_nearly_so(mention: str, name: str) -> None:
    assert name_of(meant(GRAPH, mention)) == name


@pytest.mark.parametrize(
    "mention",
    [
        "East Carolina",
        "Louis XVIII",
        "Apollo 12",
        "Jona",
        "Joanna Farrow",
        "Bank of Norway",
        "zzyqx",
        "nato",
        "",
        "?!",
    ],
)
def test_another_name_means_none(mention: str) -> None:
    assert meant(GRAPH, mention) is None


def test_likeness_is_soft_tf_idf() -> None:
    """Worked out by hand: rarity is ln(1 + names / names with the word); Jon is John but for one letter in 4."""
    graph = graph_of(["John Locke", "John Adams", "Farr"])
    john, locke = math.log(1 + 3 / 2), math.log(1 + 3 / 1)
    length = math.hypot(john, locke)
    expected = (0.75 * john**2 + locke**2) / length**2
    hits = dict(alike(graph, "Jonn Locke Locke"))
    assert hits["e00"] == pytest.approx(expected, abs=1e-9)
    assert hits["e01"] == pytest.approx(0.75 * john**2 / length**2, abs=1e-9)
    assert "e02" not in hits


@given(st.sampled_from(["William Farr", "Constitution", "Broad Street pump", "Bank of America"]), st.data())
def test_one_wrong_letter_changes_no_meaning(name: str, data: st.DataObject) -> None:
    at = data.draw(st.sampled_from([i for i, letter in enumerate(name) if letter.isalpha()]))
    letter = data.draw(st.sampled_from("abcdefghijklmnopqrstuvwxyz"))
    exchanged = name[:at] + name[at + 1 : at + 2] + name[at] + name[at + 2 :]
    for wrong in (
        name[:at] + letter + name[at + 1 :],
        name[:at] + name[at + 1 :],
        name[:at] + letter + name[at:],
    ):
        assert name_of(meant(GRAPH, wrong)) == name
    if exchanged.split(" ") and [len(word) for word in exchanged.split()] == [
        len(word) for word in name.split()
    ]:
        assert name_of(meant(GRAPH, exchanged)) == name


def test_of_names_as_much_alike_the_one_mentioned_more_is_meant() -> None:
    from corpusgraph.schemas.documents import Chunk

    chunks = [Chunk(id=f"c{i}", content="", source_doc="d", position=i) for i in range(2)]
    graph = MemoryGraph(
        [Entity(id="a", name="Marino"), Entity(id="b", name="Marina")],
        chunks=chunks,
        incidence=[("a", "c0", 1), ("b", "c0", 1), ("b", "c1", 1)],
    )
    assert name_of(meant(graph, "Marinx")) == "Marina"


def test_seeds_are_names_where_there_are_any() -> None:
    graph = graph_of(["John Snow", "water pump", "1854", "film"])
    named, unknown = link_names(
        graph, "Did John Snow see the water pump in 1854, or Jhon Snwo, or Johannes Kepler?"
    )
    assert [hit.name for hit in named] == ["John Snow"]
    assert unknown["Johannes Kepler"] == []
    assert unknown["Jhon Snwo"] == ["John Snow"]
    assert [hit.name for hit in link_names(graph, "Where was the water pump in 1854?")[0]] == [
        "water pump",
        "1854",
    ]
