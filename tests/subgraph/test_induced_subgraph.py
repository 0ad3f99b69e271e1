"""The graph of some entities and what is near them."""

from typing import Any

import pytest

from corpusgraph.schemas.errors import InvalidInputError, UnknownEntityError
from corpusgraph.tasks.tools.subgraph import induced_subgraph
from tests.graph.small import run

TOOL = induced_subgraph.__name__


def parts(noted: Any) -> tuple[str, str]:
    return " ".join(n.id for n in noted.data.nodes), " ".join(e.id for e in noted.data.edges)


@pytest.mark.parametrize(
    ("asked", "found"),
    [
        ({"entities": ["snow"]}, ("snow", "")),
        ({"entities": ["soho", "snow", "farr"]}, ("farr snow soho", "r4")),
        ({"entities": ["cholera"], "hops": 1}, ("cholera pump snow", "r1 r2 r5")),
        ({"entities": ["cholera"], "hops": 1, "min_weight": 2}, ("cholera snow", "r1")),
        (
            {"entities": ["cholera"], "hops": 2, "relationship_types": ["studies", "visits"]},
            ("cholera pump snow", "r1 r5"),
        ),
        ({"entities": ["cholera"], "max_hops": 2}, ("cholera pump snow soho", "r1 r2 r3 r4 r5")),
    ],
)
def test_entities_within_hops_and_every_relationship_between_them(
    asked: dict[str, Any], found: tuple[str, str]
) -> None:
    assert parts(run(TOOL, **asked)) == found


def test_chunks_that_mention_or_state_are_listed_when_asked() -> None:
    assert run(TOOL, entities=["soho"], include_chunks=True).data.metadata["chunk_ids"] == ["c3", "c4"]
    assert "chunk_ids" not in run(TOOL, entities=["soho"]).data.metadata
    assert run(TOOL, entities=["farr"], include_chunks=True).data.metadata["chunk_ids"] == []


def test_hops_beyond_the_ceiling_are_lowered() -> None:
    noted = run(TOOL, entities=["snow"], hops=7)
    assert [w.code for w in noted.warnings] == ["hops_clamped"]
    assert noted.data.metadata["hops"] == 3


def test_bad_input_is_refused() -> None:
    with pytest.raises(UnknownEntityError):
        run(TOOL, entities=["nobody at all"])
    bad: tuple[dict[str, Any], ...] = (
        {"hops": -1},
        {"min_weight": -1},
        {"entities": []},
        {"min_weight": float("nan")},
    )
    for wrong in bad:
        with pytest.raises(InvalidInputError):
            run(TOOL, **{"entities": ["snow"], **wrong})
