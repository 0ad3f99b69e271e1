"""Tool 18. k0: cholera, pump, snow, soho, rating 5; k1: cholera, snow, rating 8; k2: pump, soho, none."""

from typing import Any

import pytest

import corpusgraph.tasks.tools.community  # noqa: F401 - registers the tool
from corpusgraph.schemas.errors import InvalidInputError, UnknownEntityError
from tests.graph.small import ids, run, scores

TOOL = "community_by_entities"


@pytest.mark.parametrize(
    ("arguments", "found"),
    [
        ({"entities": ["snow"]}, {"k1": 1 + 8 / 9, "k0": 1 + 5 / 6}),
        ({"entities": ["snow", "pump"]}, {"k0": 2 + 5 / 6, "k1": 1 + 8 / 9, "k2": 1}),
        ({"entities": ["snow"], "community_level": 0}, {"k0": 1 + 5 / 6}),
        ({"entities": ["snow"], "community_level": 2}, {"k1": 1 + 8 / 9, "k0": 1 + 5 / 6}),
        ({"entities": ["snow", "pump"], "select": "deepest"}, {"k1": 1 + 8 / 9, "k2": 1}),
        ({"entities": ["snow", "pump"], "select": "deepest", "community_level": 0}, {"k0": 2 + 5 / 6}),
        ({"entities": ["snow", "pump"], "top_k": 1}, {"k0": 2 + 5 / 6}),
    ],
)
def test_membership_then_rating(arguments: dict[str, Any], found: dict[str, float]) -> None:
    noted = run(TOOL, **arguments)
    assert scores(noted) == pytest.approx(found)
    assert ids(noted) == sorted(found, key=lambda id_: (-found[id_], id_))
    assert noted.warnings == ()


def test_titles_and_summaries_come_from_the_reports() -> None:
    told = {s.item.id: (s.item.title, s.item.summary) for s in run(TOOL, entities=["snow", "pump"]).data}
    assert told == {
        "k0": ("All of it", "On All of it."),
        "k1": ("Cholera studied", "On Cholera studied."),
        "k2": ("Own title", None),
    }


def test_an_entity_in_no_community_is_a_warning() -> None:
    noted = run(TOOL, entities=["farr", "snow"])
    assert [(w.code, w.records) for w in noted.warnings] == [("no_community", ("farr",))]


def test_an_unknown_entity_is_an_error() -> None:
    with pytest.raises(UnknownEntityError):
        run(TOOL, entities=["nobody at all"])


@pytest.mark.parametrize("bad", [{"entities": []}, {"entities": ["snow"], "community_level": -1}])
def test_bad_input_is_refused(bad: dict[str, Any]) -> None:
    with pytest.raises(InvalidInputError):
        run(TOOL, **bad)
