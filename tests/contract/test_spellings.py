"""Other spellings of arguments, of every tool."""

import pytest

from corpusgraph.schemas.base import JsonDict
from corpusgraph.schemas.errors import InvalidInputError
from corpusgraph.schemas.results import SAME, TYPES, respelt, spellings
from corpusgraph.tasks.registry import find, load
from tests.every import every

TOOLS = load()


def asked(tool: str, **given: object) -> JsonDict:
    return find(tool).ask(dict(given)).model_dump(exclude={"request_id", "timestamp"})


@every("tool", sorted(TOOLS))
def test_every_argument_can_be_spelt_like_this_and_like_that(tool: str) -> None:
    model = find(tool).input
    for name, field in spellings(model).items():
        head, *tail = name.split("_")
        camel = head + "".join(word.title() for word in tail)
        (found,) = respelt(model, {camel: 1})
        assert spellings(model)[found] == field


@every("tool", sorted(TOOLS))
def test_no_tool_takes_two_names_of_one_thing_for_different_things(tool: str) -> None:
    known = spellings(find(tool).input)
    for same in SAME:
        assert len({known[name] for name in same if name in known}) <= 1


def test_names_of_one_thing_mean_the_one_that_a_tool_has() -> None:
    one = asked("entity_onehop_neighbors", entities=["a"], relationType="causes", max_results=3)
    assert one == asked("entity_onehop_neighbors", entities=["a"], edge_types=["causes"], top_k=3)
    assert asked("get_entity_neighbors", entityId=1, maxResults=2)["limit"] == 2
    assert (
        asked("add_entity_relationship", sourceId=1, target_id=2, relationship_type="x")["relation_type"]
        == "x"
    )
    assert asked("relationship_vdb_search", query="a", relationship_types="b")["relationship_types"] == ["b"]
    assert TYPES[0] == "relationship_types"
    assert asked("entity_agent_find", query="a", max_results=2)["max_entities"] == 2
    assert asked("traverse", entityId=1, path=[{}], limit=2)["start_node"] == 1


@pytest.mark.parametrize("name", ["max_hops", "maxDepth", "depth", "hop_distance", "k"])
def test_how_far_is_said_in_one_of_these_words(name: str) -> None:
    given: JsonDict = {"entities": ["a"], name: 2}
    assert asked("relationship_onehop_extract", **given)["hop_distance"] == 2
    assert asked("induced_subgraph", **given)["hops"] == 2
    assert asked("get_related", entity_name="a", **{name: 2})["max_depth"] == 2


def test_what_is_no_length_of_a_path_is_not_said_so() -> None:
    with pytest.raises(InvalidInputError, match="max_hops"):
        asked("chunk_walk_rank", query="a", max_hops=2)


def test_what_means_nothing_or_is_given_twice_is_refused() -> None:
    for given in ({"maxResults": 2, "top_k": 3}, {"topk": 3}, {"max_paths": 1}):
        with pytest.raises(InvalidInputError, match="not permitted"):
            asked("entity_vdb_search", query="a", **given)
