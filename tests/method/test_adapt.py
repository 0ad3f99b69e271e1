"""What the checker converts by itself, and what it inserts where a method says `adapt: true`."""

import pytest

from corpusgraph.schemas.method import Method, Step
from corpusgraph.tasks.method.check import BRIDGES, chain, check_method
from corpusgraph.tasks.registry import TOOLS
from tests.method.given import inputs_of, issues, ran, steps

LINKED = "  - entity_vdb_search: {top_k: 3}\n    as: links\n"
TREE = "  - local_search: {entities: [ent_b]}\n    as: tree\n"


def tools(made: Method) -> list[tuple[str, bool]]:
    return [(n.tool, n.adapter) for n in check_method(made).method.steps if isinstance(n, Step)]


@pytest.mark.parametrize(
    ("step", "field", "part"),
    [
        ("community_by_entities", "entities", "entities"),
        ("chunk_from_relationships", "relationships", "relationships"),
    ],
)
def test_a_subgraph_is_read_as_its_entities_and_relationships(step: str, field: str, part: str) -> None:
    for written in ("{}", f"{{{field}: $tree}}"):
        made = steps(TREE + f"  - {step}: {written}\n")
        assert inputs_of(made, step)[field] == f"$tree.{part}"
        assert check_method(made).adapters == (f"{step}: {field} are the {part} of $tree (subgraph)",)
        assert ran(made).results[step]


def test_without_adapt_nothing_is_inserted() -> None:
    assert [i.code for i in issues(steps("  - entity_ppr_rank: {}\n"))] == ["missing_input"]


def test_a_chain_that_starts_without_seeds_searches_for_the_question() -> None:
    made = steps("  - entity_ppr_rank: {}\n", adapt=True)
    assert tools(made) == [("entity_vdb_search", True), ("entity_ppr_rank", False)]
    assert inputs_of(made, "entity_ppr_rank") == {"seed_entities": "$entity_vdb_search"}
    assert ran(made).entities


def test_what_is_there_already_is_turned_before_the_question_is_searched_for() -> None:
    made = steps("  - entity_vdb_search: {}\n  - chunk_score_aggregate: {}\n", adapt=True)
    assert tools(made)[1] == ("relationship_score_aggregate", True)
    assert inputs_of(made, "chunk_score_aggregate")["relationship_scores"] == "$relationship_score_aggregate"


def test_a_reference_on_the_wrong_port_is_led_to_the_right_one() -> None:
    made = steps(
        LINKED + "  - chunk_vdb_search: {}\n  - chunk_score_aggregate: {relationship_scores: $links}\n"
    )
    made = made.model_copy(update={"adapt": True})
    assert inputs_of(made, "relationship_score_aggregate") == {"entity_scores": "$links"}


def test_several_are_inserted_where_one_does_not_do() -> None:
    made = steps("  - relationship_vdb_search: {}\n  - community_by_entities: {}\n", adapt=True)
    assert tools(made)[1] == ("entity_relnode_extract", True)
    made = steps("  - relationship_vdb_search: {}\n  - query_drift_primer: {}\n", adapt=True)
    assert [tool for tool, adapter in tools(made) if adapter] == [
        "entity_relnode_extract",
        "community_by_entities",
    ]
    assert ran(made).results["query_drift_primer"] is not None


def test_the_names_of_what_is_inserted_are_free() -> None:
    made = steps("  - entity_relnode_extract: {}\n  - relationship_vdb_search: {}\n", adapt=True)
    ids = [node.id for node in check_method(made).method.steps]
    assert ids == ["relationship_vdb_search_2", "entity_relnode_extract", "relationship_vdb_search"]


def test_what_no_tool_makes_is_refused_all_the_same() -> None:
    made = steps(
        "  - chunk_vdb_search: {}\n  - transform_graph_to_table: {subgraph: $chunk_vdb_search}\n", adapt=True
    )
    assert "wrong_port" in [i.code for i in issues(made)]


def test_the_shortest_chain_is_taken_and_the_same_every_time() -> None:
    assert [b.tool for b in chain("entities", "chunks") or ()] == ["chunk_entity_occurrence"]
    assert [b.tool for b in chain("subgraph", "chunks") or ()] == ["chunk_entity_occurrence"]
    assert [b.tool for b in chain("query", "communities") or ()] == [
        "entity_vdb_search",
        "community_by_entities",
    ]
    assert chain("chunks", "entities") is None
    assert chain("entities", "entities") == ()


def test_every_bridge_checks_and_runs() -> None:
    starts = {"entities": "entity_vdb_search: {top_k: 2}", "relationships": "relationship_vdb_search: {}"}
    for bridge in [bridge for bridge in BRIDGES if bridge.tool in TOOLS]:
        start = f"  - {starts[bridge.reads]}\n" if bridge.reads in starts else ""
        given = ", ".join(f"{name}: {value}" for name, value in bridge.inputs.items())
        made = steps(f"{start}  - {bridge.tool}: {{{given}}}\n    as: last\n")
        assert ran(made).results["last"]
