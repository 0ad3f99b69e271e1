"""Stating relations, as clients of the reference memory server do."""

import pytest

from corpusgraph.schemas.errors import InvalidInputError
from tests.memory.conftest import World

KNOWS = {"from": "Ada", "to": "Charles", "relationType": "corresponds with"}


@pytest.fixture
def pair(empty: World) -> World:
    """Return an index of two entities made by hand."""
    empty.make(("Ada", "person"), ("Charles", "person"))
    return empty


def test_answers_what_was_stated_in_the_shape_of_the_protocol(pair: World) -> None:
    assert pair.json("create_relations", relations=[KNOWS]) == {"relations": [KNOWS]}
    assert pair.json("read_graph")["relations"] == [KNOWS]


def test_a_relation_that_is_there_is_not_stated_twice(pair: World) -> None:
    assert pair.json("create_relations", relations=[KNOWS, KNOWS]) == {"relations": [KNOWS]}
    noted = pair.noted("create_relations", relations=[KNOWS])
    assert noted.data.relations == ()
    assert [w.code for w in noted.warnings] == ["relation_exists", "nothing_changed"]
    assert len(pair.memory.changes()) == 2


def test_one_of_the_corpus_is_there_already(world: World) -> None:
    there = [{"from": "contaminated water", "to": "cholera", "relationType": "causes"}]
    assert world.codes("create_relations", relations=there) == ["relation_exists", "nothing_changed"]


def test_an_entity_that_is_not_there_is_made_as_a_stub(pair: World) -> None:
    noted = pair.noted("create_relations", relations=[{**KNOWS, "to": "Mary"}, {**KNOWS, "from": "Mary"}])
    assert [w.code for w in noted.warnings] == ["stub_entities"]
    assert noted.warnings[0].records == ("Mary",)
    mary = pair.memory.find("Mary")
    assert (mary.type, (mary.attributes or {})["is_stub"]) == (None, True)
    assert len(pair.graph.relationships) == 2


def test_an_entity_may_have_a_relation_with_itself(pair: World) -> None:
    own = {**KNOWS, "to": "Ada", "relationType": "cites"}
    assert pair.json("create_relations", relations=[own, KNOWS]) == {"relations": [own, KNOWS]}
    assert pair.codes("create_relations", relations=[own]) == ["relation_exists", "nothing_changed"]
    assert pair.json("open_nodes", names=["Ada"])["relations"] == [own, KNOWS]
    alone = [{**KNOWS, "from": "Nobody", "to": "Nobody"}]
    assert pair.codes("create_relations", relations=alone) == ["stub_entities"]
    assert pair.json("delete_relations", relations=[own])["message"] == "Relations deleted successfully"
    assert pair.json("read_graph")["relations"] == [KNOWS, *alone]


def test_of_two_that_are_one_now_there_is_none_but_what_one_is_to_itself_stays(pair: World) -> None:
    own = {**KNOWS, "to": "Ada", "relationType": "cites"}
    pair.json("create_relations", relations=[KNOWS, own])
    merged = pair.json("merge_entities", sources=["Ada"], into="Charles")
    assert pair.json("read_graph")["relations"] == [{**own, "from": "Charles", "to": "Charles"}]
    pair.json("delete_relations", relations=[{**own, "from": "Charles", "to": "Charles"}])
    assert pair.json("read_graph")["relations"] == []
    pair.json("undo_change", change=merged["change"])
    assert pair.json("read_graph")["relations"] == [KNOWS, own]


def test_types_that_mean_causes_are_causal(pair: World) -> None:
    pair.relate(("Ada", "causes", "Charles"))
    (edge,) = pair.graph.relationships
    assert (edge.is_causal, edge.confidence) == (True, 1.0)


def test_what_the_corpus_only_denies_can_be_stated(world: World) -> None:
    kept = world.items["relationships"]
    kept[0] = kept[0].model_copy(update={"type": "not_causes"})
    denied = World(world.items)
    stated = {"from": "contaminated water", "to": "cholera", "relationType": "causes"}
    assert denied.json("create_relations", relations=[stated]) == {"relations": [stated]}


@pytest.mark.parametrize("bad", [{**KNOWS, "to": ""}, {**KNOWS, "relationType": " "}, {"from": "Ada"}])
def test_bad_input_is_refused_and_nothing_is_written(pair: World, bad: dict[str, str]) -> None:
    with pytest.raises(InvalidInputError):
        pair.json("create_relations", relations=[KNOWS, bad])
    assert len(pair.memory.changes()) == 1
