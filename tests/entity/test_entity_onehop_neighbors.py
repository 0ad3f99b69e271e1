"""Tool 5."""

from typing import Any

import pytest

import corpusgraph.tasks.tools.entity  # noqa: F401 - registers the tool
from corpusgraph.schemas.errors import InvalidInputError, UnknownEntityError
from corpusgraph.schemas.graph import Entity, Relationship
from corpusgraph.tasks.graph.view import MemoryGraph
from tests.graph.small import ids, run, scores

TOOL = "entity_onehop_neighbors"


@pytest.mark.parametrize(
    ("arguments", "found"),
    [
        ({"entities": ["pump"]}, {"soho": 3, "cholera": 1, "snow": 1}),
        ({"entities": ["pump"], "direction": "out"}, {"soho": 3, "cholera": 1}),
        ({"entities": ["pump"], "direction": "outgoing"}, {"soho": 3, "cholera": 1}),
        ({"entities": ["pump"], "direction": "inbound"}, {"snow": 1}),
        ({"entities": ["pump"], "edge_types": ["causes"]}, {"cholera": 1}),
        ({"entities": ["pump"], "relationship_types": ["causes", "visits"]}, {"cholera": 1, "snow": 1}),
        ({"entities": ["pump"], "edge_types": []}, {}),
        ({"entities": ["snow", "pump"]}, {"soho": 4, "cholera": 3}),
        (
            {"entities": ["snow", "pump"], "include_sources": True},
            {"soho": 4, "cholera": 3, "pump": 1, "snow": 1},
        ),
        ({"entities": ["pump"], "top_k": 1}, {"soho": 3}),
        ({"entities": ["farr"]}, {}),
    ],
)
def test_neighbours_by_the_weight_that_connects_them(
    arguments: dict[str, Any], found: dict[str, float]
) -> None:
    noted = run(TOOL, **arguments)
    assert scores(noted) == found
    assert ids(noted) == sorted(found, key=lambda id_: (-found[id_], id_))


def test_parallel_relationships_add_up_and_loops_do_not_count() -> None:
    graph = MemoryGraph(
        [Entity(id="a"), Entity(id="b")],
        [
            Relationship(id="1", source_id="a", target_id="b"),
            Relationship(id="2", source_id="b", target_id="a", weight=2),
            Relationship(id="3", source_id="a", target_id="a"),
        ],
    )
    noted = run(TOOL, graph, entities=["a"])
    assert scores(noted) == {"b": 3}
    assert noted.data[0].components == {"relationships": 2}


def test_an_unknown_entity_is_an_error() -> None:
    with pytest.raises(UnknownEntityError):
        run(TOOL, entities=["nobody at all"])


@pytest.mark.parametrize("bad", [{"entities": []}, {"entities": ["pump"], "direction": "up"}])
def test_bad_input_is_refused(bad: dict[str, Any]) -> None:
    with pytest.raises(InvalidInputError):
        run(TOOL, **bad)
