"""Weights from evidence, shown and written."""

import math
from typing import Any

import pytest

import corpusgraph.tasks.tools.memory.weighing  # noqa: F401 - registers the tool
from corpusgraph.schemas.memory import Reweigh
from corpusgraph.tasks.registry import TOOLS
from tests.memory.said import ports, related, said

EVIDENCE = [said(1, "d1", 0.9), said(2, "d2", 0.5), said(3, "d1", 0.8), said(4, ends=("b", "c"))]
TRIPLES = (("a", "causes", "b"), ("b", "causes", "c"), ("c", "causes", "a"))


def adjusted(given: dict[str, Any] | None = None, **asked: Any) -> Any:
    return TOOLS["adjust_weights"].run(asked, given or ports(related(*TRIPLES), EVIDENCE))


def test_a_dry_run_shows_and_writes_nothing() -> None:
    given = ports(related(*TRIPLES), EVIDENCE)
    noted = adjusted(given)
    weights = {(one.source_id, one.target_id): one.new_weight for one in noted.data.adjustments}
    assert weights == {("a", "b"): pytest.approx(0.9 + 0.5 + 0.25 * 0.8), ("b", "c"): 0.5}
    assert (noted.data.change, noted.data.dry_run, noted.data.relationship_count) == (None, True, 3)
    assert given["memory"].changes() == ()
    assert [w.code for w in noted.warnings] == ["no_evidence"]


@pytest.mark.parametrize(
    ("method", "expected"), [("evidence", 1.6), ("log", math.log1p(1.6)), ("confidence", None)]
)
def test_methods(method: str, expected: float | None) -> None:
    one = next(a for a in adjusted(method=method).data.adjustments if a.source_id == "a")
    assert one.new_weight == pytest.approx(one.new_confidence if expected is None else expected, abs=1e-6)


def test_done_it_is_one_change_that_can_be_undone() -> None:
    given = ports(related(*TRIPLES), EVIDENCE)
    data = adjusted(given, dry_run=False, request_id="req_9").data
    (change,) = given["memory"].changes()
    assert (data.change, change.by, change.request_id) == (1, "adjust_weights", "req_9")
    assert all(isinstance(op, Reweigh) for op in change.operations)
    assert len(change.operations) == 2
    held = given["memory"].relationship(data.adjustments[0].relationship_id)
    assert held.weight == data.adjustments[0].new_weight
    given["memory"].undo(1, by="test", request_id="", at="2026-01-01T00:00:00Z")
    assert given["memory"].relationship(held.id).weight == 1.0


def test_done_already_nothing_is_written() -> None:
    same = ports(related(("b", "causes", "c"), weight=0.5, confidence=0.5), EVIDENCE)
    data = adjusted(same, dry_run=False).data
    assert (data.changed_count, data.change, same["memory"].changes()) == (0, None, ())


def test_what_is_only_denied_is_named_as_it_is_kept() -> None:
    given = ports(related(("a", "not_causes", "b")), [said(1, confidence=0.6, negated=True)])
    data = adjusted(given, dry_run=False).data
    assert data.adjustments[0].new_confidence == 0.6
    assert given["memory"].changes()[0].operations[0].type == "causes"


def test_small_changes_are_left_and_lists_cut() -> None:
    assert adjusted(min_change=10).data.changed_count == 0
    short = adjusted(top_k=1).data
    assert (short.changed_count, len(short.adjustments), short.truncated) == (2, 1, True)
