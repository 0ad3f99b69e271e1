"""Names in a question."""

import pytest

from corpusgraph.schemas.graph import Entity
from corpusgraph.tasks.graph.linking import is_proper, named_entities
from corpusgraph.tasks.graph.view import MemoryGraph

GRAPH = MemoryGraph(
    [
        Entity(id="snow", name="John Snow", attributes={"aliases": {"Snow": 9, "John Snow": 3}}),
        Entity(id="farr", name="William Farr"),
        Entity(id="paris_place", name="Paris", type="place"),
        Entity(id="paris_person", name="Paris", type="person"),
        Entity(id="charge", name="Charge"),
        Entity(id="water", name="water"),
        Entity(id="pump", name="Broad Street pump"),
        Entity(id="street", name="Broad Street"),
        Entity(id="ho", name="Hà Nội"),
        Entity(id="beijing", name="北京"),
        Entity(id="the", name="The"),
    ]
)


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("What did John Snow say?", [("John Snow", ("snow",))]),
        ("what did john snow and snow say?", [("john snow", ("snow",))]),  # one small word is no name
        ("Was Snow right?", [("Snow", ("snow",))]),
        ("Who fell in love with Paris?", [("Paris", ("paris_person", "paris_place"))]),
        ("Who was in charge of the water?", [("water", ("water",))]),
        (
            "Was the Broad Street pump in Broad Street?",
            [("Broad Street pump", ("pump",)), ("Broad Street", ("street",))],
        ),
        ("Where is Ha Noi?", [("Ha Noi", ("ho",))]),
        ("北京在哪里", [("北京", ("beijing",))]),
        ("The end", []),
        ("", []),
    ],
)
def test_the_longest_names_are_found(text: str, found: list[tuple[str, tuple[str, ...]]]) -> None:
    assert [(hit.name, hit.entity_ids) for hit in named_entities(GRAPH, text)] == found


def test_names_found_elsewhere_are_added_unless_inside_another() -> None:
    found = named_entities(GRAPH, "Was john snow there?", ["Snow", "William Farr", "Kepler"])
    assert [hit.name for hit in found] == ["john snow", "William Farr"]


def test_accents_decide_where_they_can() -> None:
    graph = MemoryGraph([Entity(id="1", name="Ma"), Entity(id="2", name="Má"), Entity(id="3", name="Mà")])
    assert named_entities(graph, "Má")[0].entity_ids == ("2",)
    assert named_entities(graph, "Mả")[0].entity_ids == ("1", "2", "3")


@pytest.mark.parametrize(
    ("entity", "proper"),
    [
        (Entity(id="1", name="Film", attributes={"aliases": {"Film": 1, "film": 9}}), False),
        (Entity(id="1", name="film", attributes={"aliases": {"Film": 9, "film": 1}}), True),
        (Entity(id="1", name="iPhone"), True),
        (Entity(id="1", name="1854"), True),
        (Entity(id="1", name="北京"), True),
        (Entity(id="1", name="foul air"), False),
    ],
)
def test_a_name_is_told_from_a_common_noun_by_its_usual_spelling(entity: Entity, proper: bool) -> None:
    assert is_proper(entity) is proper
