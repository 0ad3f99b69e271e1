"""Tool 14. c1: snow 2, cholera 1; c2: snow 1, cholera 2, pump 1; c3: pump 1, soho 1; c4: soho 1."""

from typing import Any

import pytest

import corpusgraph.tasks.tools.chunk  # noqa: F401 - registers the tool
from corpusgraph.schemas.errors import (
    InvalidInputError,
    MissingAttributeError,
    UnknownEntityError,
    UnknownItemError,
)
from corpusgraph.schemas.graph import Entity
from corpusgraph.tasks.graph.view import MemoryGraph
from tests.graph.small import ids, run, scores

TOOL = "chunk_entity_occurrence"


@pytest.mark.parametrize(
    ("arguments", "found"),
    [
        # cooccurrence: distinct entities, then mentions m as m / (1 + m)
        ({"entities": ["snow", "cholera", "pump"]}, {"c2": 3 + 4 / 5, "c1": 2 + 3 / 4}),
        ({"entities": ["snow", "cholera", "pump"], "min_entities": 3}, {"c2": 3 + 4 / 5}),
        ({"entities": ["soho"], "min_entities": 1}, {"c3": 1.5, "c4": 1.5}),
        ({"entities": ["snow", "soho"]}, {}),
        # relationship_endpoints: r1 in c1 and c2, r2 and r5 in c2, r4 in none
        ({"relationships": ["r1", "r2", "r4", "r5", "r1"]}, {"c2": 3, "c1": 1}),
        (
            {"entities": ["soho"], "relationships": ["r3"], "method": "relationship_endpoints"},
            {"c3": 1},
        ),
        # entity_order: of 2 entities the first counts 2; neighbours of soho in c3: pump; of snow in c1: cholera,
        # in c2: cholera and pump
        (
            {"entities": ["soho", "snow"], "method": "entity_order"},
            {"c3": 2 + 1 / 2, "c4": 2, "c2": 1 + 2 / 3, "c1": 1 + 1 / 2},
        ),
        ({"entities": ["farr"], "method": "entity_order"}, {}),
    ],
)
def test_occurrence_by_hand(arguments: dict[str, Any], found: dict[str, float]) -> None:
    noted = run(TOOL, **arguments)
    assert scores(noted) == pytest.approx(found)
    assert ids(noted) == sorted(found, key=lambda id_: (-found[id_], id_))


def test_counts_are_in_the_components() -> None:
    noted = run(TOOL, entities=["snow", "cholera", "pump"], top_k=1)
    assert noted.data[0].components == {"entities": 3, "mentions": 4}


def test_a_graph_that_does_not_tell_where_is_an_error() -> None:
    with pytest.raises(MissingAttributeError, match="which chunk mentions which entity"):
        run(TOOL, MemoryGraph([Entity(id="a")]), entities=["a"])


def test_unknown_items_are_errors() -> None:
    with pytest.raises(UnknownEntityError):
        run(TOOL, entities=["nobody at all", "snow"])
    with pytest.raises(UnknownItemError):
        run(TOOL, relationships=["r9"])


@pytest.mark.parametrize(
    ("bad", "message"),
    [
        ({}, "cooccurrence needs entities"),
        ({"relationships": ["r1"], "method": "entity_order"}, "entity_order needs entities"),
        ({"entities": ["snow"], "method": "relationship_endpoints"}, "needs relationships"),
        ({"entities": ["snow"]}, "No chunk can hold 2 of 1 entities"),
        ({"entities": []}, "at least 1"),
        ({"entities": ["snow"], "min_entities": 0}, "min_entities"),
    ],
)
def test_bad_input_is_refused(bad: dict[str, Any], message: str) -> None:
    with pytest.raises(InvalidInputError, match=message):
        run(TOOL, **bad)
