"""Making entities, as clients of the reference memory server do."""

from typing import Any

import pytest

from corpusgraph.schemas.errors import InvalidInputError
from corpusgraph.schemas.graph import Entity
from tests.memory.conftest import AT, REQUEST, World

ADA = {"name": "Ada Lovelace", "entityType": "person", "observations": ["Born in 1815"]}


def test_answers_what_was_made_in_the_shape_of_the_protocol(empty: World) -> None:
    assert empty.json("create_entities", entities=[ADA]) == {"entities": [ADA]}
    assert empty.json("open_nodes", names=["Ada Lovelace"]) == {"entities": [ADA], "relations": []}


def test_one_call_is_one_change_that_says_who_made_it(empty: World) -> None:
    empty.json("create_entities", entities=[ADA, {"name": "Engine", "entityType": "thing"}])
    (change,) = empty.memory.changes()
    assert (change.by, change.request_id, change.at) == ("create_entities", REQUEST, AT)
    assert [operation.op for operation in change.operations] == ["create_entity", "observe", "create_entity"]


def test_a_name_that_is_there_is_left_as_it_is(empty: World) -> None:
    empty.json("create_entities", entities=[ADA])
    again = {**ADA, "entityType": "mathematician", "observations": ["Wrote notes"]}
    noted = empty.noted("create_entities", entities=[again, {"name": "New", "entityType": "x"}])
    assert [entity.name for entity in noted.data.entities] == ["New"]
    assert [w.code for w in noted.warnings] == ["entity_exists"]
    assert empty.memory.observations(empty.memory.find("Ada Lovelace").id) == ("Born in 1815",)


def test_an_entity_of_the_corpus_is_there_already(world: World) -> None:
    again = [{"name": "John Snow", "entityType": "doctor"}]
    assert world.codes("create_entities", entities=again) == ["entity_exists", "nothing_changed"]
    assert world.memory.changes() == ()


def test_a_name_whose_id_another_entity_has_can_be_given(world: World) -> None:
    items = {**world.items, "entities": [*world.items["entities"]]}
    same = Entity.make_id("Henry Whitehead", "person")
    items["entities"].append(Entity(id=same, name="Rev. Henry Whitehead", type="person", short_id=9))
    known = World(items)
    made = {"name": "Henry Whitehead", "entityType": "person", "observations": ["Curate"]}
    assert known.json("create_entities", entities=[made]) == {"entities": [made]}
    assert known.json("open_nodes", names=["Henry Whitehead"])["entities"] == [made]
    assert len(known.graph.entities) == 6


def test_a_number_is_a_name_though_a_short_id_is_like_it(world: World) -> None:
    world.json("create_entities", entities=[{"name": "1", "entityType": "number"}])
    assert world.graph.entity("1").type == "number"
    assert world.graph.entity(1).name == "cholera"


def test_another_name_of_an_entity_is_taken_for_its_type_only(world: World) -> None:
    world.json("rename_entity", entity="London", name="London town")
    again = [{"name": "London", "entityType": "place"}, {"name": "London", "entityType": "ship"}]
    noted = world.noted("create_entities", entities=again)
    assert [(node.name, node.entityType) for node in noted.data.entities] == [("London", "ship")]
    assert world.graph.entity("London").type == "ship"


@pytest.mark.parametrize(
    ("tool", "field", "expected"),
    [
        ("create_entities", "entities", {"entities": []}),
        ("create_relations", "relations", {"relations": []}),
        ("add_observations", "observations", {"results": []}),
        ("delete_entities", "entityNames", {"success": True, "message": "Entities deleted successfully"}),
        ("delete_relations", "relations", {"success": True, "message": "Relations deleted successfully"}),
        (
            "delete_observations",
            "deletions",
            {"success": True, "message": "Observations deleted successfully"},
        ),
    ],
)
def test_an_empty_list_is_taken_and_writes_nothing(
    empty: World, tool: str, field: str, expected: Any
) -> None:
    noted = empty.noted(tool, **{field: []})
    assert noted.data.model_dump(mode="json") == expected
    assert [w.code for w in noted.warnings] == ["nothing_changed"]
    assert empty.memory.changes() == ()


def test_twice_in_one_call_is_made_once(empty: World) -> None:
    data = empty.json("create_entities", entities=[ADA, ADA])
    assert data == {"entities": [ADA]}
    assert len(empty.graph.entities) == 1


def test_an_observation_is_noted_once(empty: World) -> None:
    data = empty.json("create_entities", entities=[{**ADA, "observations": ["a", "b", "a"]}])
    assert data["entities"][0]["observations"] == ["a", "b"]


def test_what_a_relation_named_first_is_filled_in(empty: World) -> None:
    empty.make(("Soho", "place"))
    empty.relate(("Broad Street pump", "located_in", "Soho"))
    made = {"name": "Broad Street pump", "entityType": "pump", "observations": ["Had no handle"]}
    assert empty.json("create_entities", entities=[made]) == {"entities": [made]}
    assert empty.json("open_nodes", names=["Broad Street pump"])["entities"] == [made]
    assert len(empty.graph.entities) == 2


def test_a_deleted_entity_can_be_made_afresh(empty: World) -> None:
    empty.json("create_entities", entities=[ADA])
    empty.json("delete_entities", entityNames=["Ada Lovelace"])
    fresh = {**ADA, "observations": []}
    assert empty.json("create_entities", entities=[fresh]) == {"entities": [fresh]}
    assert empty.json("read_graph") == {"entities": [fresh], "relations": []}


@pytest.mark.parametrize("name", ["Nguyễn Ái Quốc", "ai", "北京", "42", "Module: Payment", 'O\'Brien "x"'])
def test_any_name_is_kept_in_composed_letters(empty: World, name: str) -> None:
    import unicodedata

    apart = unicodedata.normalize("NFD", name)
    empty.json("create_entities", entities=[{"name": apart, "entityType": "x"}])
    assert empty.memory.find(name).name == unicodedata.normalize("NFC", name)


@pytest.mark.parametrize(
    "bad",
    [
        {"entities": [{"name": " ", "entityType": "x"}]},
        {"entities": [{"entityType": "x"}]},
        {"entities": [{"name": "x"}]},
        {"entities": [{**ADA, "observations": [""]}]},
        {"entities": [{**ADA, "color": "red"}]},
        {"entities": [{**ADA, "name": "nul\0"}]},
        {"entities": [{**ADA, "entityType": "x\x1b"}]},
        {"entities": [{**ADA, "name": "half \ud800 a letter"}]},
    ],
)
def test_bad_input_is_refused_and_nothing_is_written(empty: World, bad: dict[str, Any]) -> None:
    with pytest.raises(InvalidInputError):
        empty.json("create_entities", **bad)
    assert empty.memory.changes() == ()


def test_a_stub_is_one_until_it_has_a_type(empty: World) -> None:
    empty.relate(("Mary", "knows", "Ann"))
    mary = empty.graph.entity("Mary")
    assert (mary.is_stub, (mary.attributes or {}).get("is_stub")) == (True, True)
    assert empty.memory.find("Mary").is_stub
    empty.make(("Mary", "person", "She sews."))
    mary = empty.graph.entity("Mary")
    assert (mary.type, mary.is_stub) == ("person", False)
    assert "is_stub" not in (mary.attributes or {})
    assert not empty.memory.find("Mary").is_stub
    assert empty.graph.entity("Ann").is_stub


def test_who_takes_a_stub_in_is_none(empty: World) -> None:
    empty.relate(("Mary", "knows", "Ann"))
    empty.make(("Mary Smith", "person"))
    empty.json("merge_entities", sources=["Mary"], into="Mary Smith")
    smith = empty.graph.entity("Mary Smith")
    assert not smith.is_stub
    assert "is_stub" not in (smith.attributes or {})


def test_an_id_is_no_name(world: World) -> None:
    assert world.codes("create_entities", entities=[{"name": "ent_a", "entityType": "t"}]) == [
        "entity_exists",
        "nothing_changed",
    ]
    world.json("merge_entities", sources=["ent_a"], into="ent_b")
    told = world.codes("create_entities", entities=[{"name": "ent_a", "entityType": "t"}])
    assert told == ["entity_exists", "nothing_changed"]
    assert world.codes("rename_entity", entity="ent_c", name="ent_a") == ["name_shared"]


def test_a_name_that_is_anothers_by_now_is_told_with_that_one(empty: World) -> None:
    empty.make(("Alpha", "t"))
    empty.json("rename_entity", entity="Alpha", name="Omega")
    told = empty.noted("create_entities", entities=[{"name": "Alpha", "entityType": "t"}]).warnings
    assert [w.code for w in told] == ["entity_exists", "nothing_changed"]
    assert "'Alpha' is another name of 'Omega'" in told[0].message
