"""Pruning, shown and done."""

from typing import Any

import pytest

import corpusgraph.tasks.tools.memory.weighing  # noqa: F401 - registers the tool
from corpusgraph.schemas.errors import InvalidInputError, UnknownItemError
from corpusgraph.schemas.graph import Entity, Relationship
from corpusgraph.schemas.memory import Named, Relate
from corpusgraph.tasks.graph.view import MemoryGraph
from corpusgraph.tasks.registry import TOOLS
from tests.memory.said import ports, said


def graph() -> MemoryGraph:
    rows = [
        ("a", "causes", "b", 3.0, 0.9, 4),
        ("b", "uses", "c", 0.5, 0.4, 1),
        ("x", "causes", "y", 2.0, 0.8, 2),
        ("c", "not_causes", "a", 1.0, 0.7, 1),
    ]
    edges = [
        Relationship(
            id=Relationship.make_id(s, t.removeprefix("not_"), o),
            source_id=s,
            target_id=o,
            type=t,
            weight=w,
            confidence=c,
            n_evidence=n,
        )
        for s, t, o, w, c, n in rows
    ]
    return MemoryGraph([Entity(id=name) for name in "abcxy"], edges)


def pruned(given: dict[str, Any] | None = None, **asked: Any) -> Any:
    return TOOLS["prune_relationships"].run(asked, given or ports(graph()))


def ends(noted: Any) -> list[str]:
    return [one.source_id + one.target_id for one in noted.data.pruned]


@pytest.mark.parametrize(
    ("asked", "expected"),
    [
        ({"min_weight": 1}, ["bc"]),
        ({"min_weight": 1.5}, ["bc", "ca"]),
        ({"min_confidence": 0.85}, ["bc", "ca", "xy"]),
        ({"min_evidence": 2}, ["bc", "ca"]),
        ({"isolated": True}, ["xy"]),
        ({"relationship_types": ["causes"]}, ["xy", "ab"]),
        ({"relationship_types": ["causes"], "min_weight": 3}, ["xy"]),
        ({"min_weight": 0}, []),
    ],
)
def test_what_goes_the_weakest_first(asked: dict[str, Any], expected: list[str]) -> None:
    noted = pruned(**asked)
    assert ends(noted) == expected
    assert noted.data.pruned_count == len(expected)
    assert all(one.reasons for one in noted.data.pruned)


def test_reasons_are_told() -> None:
    one = pruned(min_weight=1, min_confidence=0.5, min_evidence=2).data.pruned[0]
    assert one.reasons == ["weight 0.5 < 1", "confidence 0.4 < 0.5", "evidence 1 < 2"]


def test_a_dry_run_writes_nothing_and_done_it_is_one_change_that_can_be_undone() -> None:
    given = ports(graph())
    assert pruned(given, min_weight=2).data.change is None
    assert given["memory"].changes() == ()
    data = pruned(given, min_weight=2, dry_run=False).data
    (change,) = given["memory"].changes()
    assert data.change == change.number
    assert [op.type for op in change.operations] == ["causes", "uses"] or {
        op.type for op in change.operations
    } == {"causes", "uses"}
    for one in data.pruned:
        with pytest.raises(UnknownItemError):
            given["memory"].relationship(one.relationship_id)
    given["memory"].undo(1, by="test", request_id="", at="2026-01-01T00:00:00Z")
    assert given["memory"].relationship(data.pruned[0].relationship_id).weight == data.pruned[0].weight


def test_what_was_stated_by_hand_stays_unless_asked() -> None:
    given = ports(graph())
    b, c = Named(id="b", name="b"), Named(id="c", name="c")
    state = {"by": "test", "request_id": "", "at": "2026-01-01T00:00:00Z"}
    given["memory"].record([Relate(source=b, target=c, type="uses")], **state)
    noted = pruned(given, min_weight=1)
    assert (noted.data.pruned_count, noted.data.protected_count) == (0, 1)
    assert [w.code for w in noted.warnings] == ["protected"]
    assert ends(pruned(given, min_weight=1, include_hand=True)) == ["bc"]
    given["memory"].undo(1, **state)
    assert ends(pruned(given, min_weight=1)) == ["bc"]


def test_what_a_pattern_found_is_not_by_hand() -> None:
    given = ports(graph())
    b, c = Named(id="b", name="b"), Named(id="c", name="c")
    found = Relate(source=b, target=c, type="uses", cue="uses_pattern")
    given["memory"].record([found], by="test", request_id="", at="2026-01-01T00:00:00Z")
    assert ends(pruned(given, min_weight=1)) == ["bc"]


def test_evidence_by_hand_protects_after_a_merge() -> None:
    """Its ends are other entities now, so the change does not name it; the evidence does."""
    given = ports(graph(), [said(1, ends=("b", "c"), type_="uses", extractor="hand", cue="hand")])
    assert pruned(given, min_weight=1).data.protected_count == 1


def test_saying_nothing_is_refused_and_named_ones_go() -> None:
    with pytest.raises(InvalidInputError, match="say what goes"):
        pruned()
    id_ = graph().relationships[0].id
    assert [one.relationship_id for one in pruned(relationships=[id_]).data.pruned] == [id_]
    assert pruned(relationship_types=["caused"]).warnings[0].code == "unknown_type"
