"""Stating a relationship by hand."""

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from corpusgraph.schemas.errors import InvalidInputError, UnknownEntityError
from tests.examples import tried
from tests.memory.conftest import World, nothing


def add(world: World, **more: Any) -> Any:
    asked = {"source_id": 0, "target_id": 2, "relation_type": "implements", "weight": 0.9}
    return world.json("add_entity_relationship", **{**asked, **more})


def test_answers_in_the_published_shape(world: World) -> None:
    data = add(world, context={"discovered_by": "code_review", "date": "2025-11-28"})
    published = {
        "success": True,
        "source_id": 0,
        "target_id": 2,
        "relation_type": "implements",
        "weight": 0.9,
        "is_causal": False,
    }
    assert published.items() <= data.items()
    assert world.memory.relationship(data["relationship_id"]).id == data["id"]
    assert data["change"] == 1


def test_every_tool_sees_it_as_evidence_by_hand(world: World) -> None:
    made = add(world, weight=1.0, context={"year": 1854})
    edge = world.graph.relationship(made["id"])
    assert (edge.source_id, edge.target_id, edge.type, edge.n_evidence) == ("ent_a", "ent_c", "implements", 1)
    assert world.json("get_entity_neighbors", entity_id=0, relation_type="implements")["neighbor_count"] == 1
    (chunk,) = (c for c in world.graph.chunks if c.id in (edge.chunk_ids or ()))
    assert chunk.content == "John Snow implements contaminated water. year: 1854"


def test_it_adds_to_what_the_corpus_says(world: World) -> None:
    add(world, source_id="contaminated water", target_id="cholera", relation_type="causes", weight=0.5)
    edge = world.graph.relationship("rel_1")
    assert (edge.weight, edge.is_causal) == (2.5, True)


def test_exactly_the_same_is_not_stated_twice(world: World) -> None:
    first = add(world, context={"a": 1})
    noted = world.noted(
        "add_entity_relationship",
        source_id="John Snow",
        target_id="contaminated water",
        relation_type="implements",
        weight=0.9,
        context={"a": 1},
    )
    assert [w.code for w in noted.warnings] == ["nothing_changed"]
    assert (noted.data.change, noted.data.id) == (0, first["id"])
    assert len(world.memory.changes()) == 1
    add(world, context={"a": 2})
    assert world.graph.relationship(first["id"]).n_evidence == 2


def test_what_was_undone_or_removed_can_be_stated_again(world: World) -> None:
    made = add(world)
    world.json("undo_change")
    assert add(world)["change"] == 3
    world.json("remove_entity_relationship", relationship_id=made["id"])
    assert add(world)["change"] == 5
    assert world.graph.relationship(made["id"]).n_evidence == 1


@pytest.mark.parametrize(
    ("given_", "causal"),
    [
        ({"relation_type": "causes"}, True),
        ({"relation_type": "prevents"}, True),
        ({"relation_type": "causes", "is_causal": False}, False),
        ({"relation_type": "uses", "is_causal": True}, True),
        ({"relation_type": "uses"}, False),
    ],
)
def test_causality(world: World, given_: dict[str, Any], causal: bool) -> None:
    made = add(world, **given_)
    assert (made["is_causal"], world.graph.relationship(made["id"]).is_causal) == (causal, causal)


@pytest.mark.parametrize("type_", ["relates_to", "part_of", "worked_with", "gây_ra", "h2o"])
def test_any_words_in_lower_case_are_a_type(world: World, type_: str) -> None:
    assert add(world, relation_type=type_)["relation_type"] == type_


@pytest.mark.parametrize("type_", ["Works For", "works for", "works-for", "", "_x", "1st", "USES"])
def test_another_spelling_is_refused(world: World, type_: str) -> None:
    with pytest.raises(InvalidInputError) as told:
        add(world, relation_type=type_)
    if type_.casefold() == "works for":
        assert "'works_for'" in told.value.message
    assert world.memory.changes() == ()


def test_a_weight_of_nothing_is_raised_to_the_least_there_is(world: World) -> None:
    noted = world.noted("add_entity_relationship", source_id=0, target_id=2, relation_type="uses", weight=0.0)
    assert [w.code for w in noted.warnings] == ["weight_raised"]
    assert world.graph.relationship(noted.data.id).type == "uses"


@pytest.mark.parametrize("weight", [-0.1, 1.1, float("nan"), "much"])
def test_a_weight_is_between_0_and_1(world: World, weight: Any) -> None:
    with pytest.raises(InvalidInputError):
        add(world, weight=weight)


def deep(levels: int) -> Any:
    """Return a mapping of so many levels."""
    return {"a": deep(levels - 1)} if levels > 1 else {}


@pytest.mark.parametrize("context", [{"a": float("nan")}, {"a": object()}, deep(500), {"a": "x" * 100_001}])
def test_a_context_that_a_journal_cannot_hold_is_refused(world: World, context: Any) -> None:
    with pytest.raises(InvalidInputError, match="context"):
        add(world, context=context)
    assert world.memory.changes() == ()
    assert add(world, context=deep(20))["change"] == 1


def test_both_ends_must_be_there_and_be_two(world: World) -> None:
    with pytest.raises(UnknownEntityError):
        add(world, target_id="Nobody")
    with pytest.raises(InvalidInputError, match="itself"):
        add(world, target_id="John Snow")
    assert world.memory.changes() == ()


def test_a_type_without_direction_is_one_relationship(world: World) -> None:
    one = add(world, relation_type="co_occurs_with")
    other = add(world, source_id=2, target_id=0, relation_type="co_occurs_with")
    assert (one["id"], other["change"]) == (other["id"], 0)


@settings(max_examples=tried(8), deadline=None)
@given(st.lists(st.sampled_from([0.1, 0.5, 0.9, 1.0]), min_size=1, max_size=4, unique=True))
def test_evidence_adds_up_and_its_undoing_takes_it_away(weights: list[float]) -> None:
    world = World(nothing())
    world.make(("a", "x"), ("b", "x"))
    bare = world.json("read_graph")
    changes = [
        world.json(
            "add_entity_relationship", source_id="a", target_id="b", relation_type="uses", weight=weight
        )["change"]
        for weight in weights
    ]
    assert world.graph.relationships[0].weight == pytest.approx(sum(weights))
    for change in changes:
        world.json("undo_change", change=change)
    assert world.json("read_graph") == bare


def test_whether_it_is_stated_does_not_cost_more_with_all_changes(world: World) -> None:
    made = add(world, context={"n": 0})
    for n in range(30):
        world.json("add_observations", observations=[{"entityName": "John Snow", "contents": [f"noted {n}"]}])
    (only,) = world.memory.statements(made["id"])
    assert (only.context, only.confidence) == ({"n": 0}, 0.9)
    assert add(world, context={"n": 0})["change"] == 0
    assert add(world, context={"n": False})["change"] == 32


def test_what_else_is_said_of_it_counts_and_is_told(empty: World) -> None:
    empty.make(("A", "t"), ("B", "t"))
    asked: dict[str, Any] = {"source_id": "A", "target_id": "B", "relation_type": "uses"}
    assert empty.codes("add_entity_relationship", **asked, weight=0.9) == []
    noted = empty.noted("add_entity_relationship", **asked, weight=0.3)
    assert [w.code for w in noted.warnings] == ["evidence_joined"]
    assert "weight 0.9. Both count: it has weight 0.93 now" in noted.warnings[0].message
    empty.json("remove_entity_relationship", **asked)
    assert empty.codes("add_entity_relationship", **asked, weight=0.3) == []
    (row,) = empty.json("get_entity_neighbors", entity_id="A")["neighbors"]
    assert row["weight"] == 0.3
