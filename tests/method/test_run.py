"""A method that runs: conditions, empty results, the answer, the passages, the trace."""

from collections.abc import Iterator, Mapping
from typing import Any

import pytest

from corpusgraph.schemas.errors import InvalidInputError, MethodCheckError
from corpusgraph.schemas.graph import Entity, Relationship
from corpusgraph.tasks.graph.view import MemoryGraph
from corpusgraph.tasks.method.check import check_method
from corpusgraph.tasks.method.run import run_method
from tests.contract.graphs import resources, rich
from tests.graph.small import SmallVectors
from tests.method.given import PORTS, QUESTION, ids, method, ran, steps

LINKED = "  - entity_similarity_link: {entities: [zzz], min_score: 0.99}\n    as: links\n"
FOUND = "  - entity_vdb_search: {top_k: 2}\n    as: links\n"


def test_a_chain_runs_and_keeps_every_result_by_its_name() -> None:
    found = ran(
        method("steps:\n  - entity_vdb_search: {top_k: 3}\n    as: near\n  - chunk_entity_occurrence: {}\n")
    )
    assert list(found.results) == ["near", "chunk_entity_occurrence", "answer"]
    assert len(found.results["near"]) == 3
    assert ids(found.passages) == ids(found.results["chunk_entity_occurrence"])
    assert ids(found.entities) == ids(found.results["near"])
    assert found.answer is not None
    assert found.answer.supported
    assert [(line.step, line.n_items) for line in found.trace] == [
        ("near", 3),
        ("chunk_entity_occurrence", len(found.passages)),
        ("answer", 1),
    ]


def test_the_trace_tells_how_long_each_step_took() -> None:
    ticks: Iterator[int] = iter(range(100))
    found = run_method(steps(FOUND), QUESTION, PORTS, clock=lambda: float(next(ticks)))
    assert [line.seconds for line in found.trace] == [1.0]


@pytest.mark.parametrize(("when", "runs"), [("$links", True), ("not $links", False)])
@pytest.mark.parametrize("first", [FOUND, LINKED])
def test_a_condition_tells_whether_a_result_holds_something(first: str, when: str, runs: bool) -> None:
    made = steps(first + f"  - chunk_vdb_search: {{}}\n    as: chunks\n    when: {when}\n")
    found = ran(made)
    wanted = runs if first == FOUND else not runs
    assert bool(found.results["chunks"]) == wanted
    assert found.trace[1].skipped == (None if wanted else "condition")
    assert "empty_input" not in {warning.code for warning in found.warnings}


def test_what_stands_in_for_an_empty_result_is_read_by_the_next_step() -> None:
    chain = "  - chunk_entity_occurrence: {min_entities: 1}\n    as: near\n  - chunk_vdb_search: {}\n    as: else\n    when: not $near\n"
    found = ran(method("steps:\n" + LINKED + chain))
    assert found.answer is not None
    assert found.answer.supported
    assert ids(found.passages) == ids(found.results["else"])
    found = ran(method("steps:\n" + FOUND + chain))
    assert ids(found.passages) == ids(found.results["near"])


def test_a_question_that_links_to_nothing_gets_an_honest_answer() -> None:
    found = ran(
        method(
            "steps:\n" + LINKED + "  - entity_ppr_rank: {}\n  - chunk_entity_occurrence: {min_entities: 1}\n"
        )
    )
    assert found.answer is not None
    assert not found.answer.supported
    assert found.answer.citations == ()
    assert found.passages == ()
    assert [line.skipped for line in found.trace] == [None, "empty_input", "empty_input", "empty_input"]
    codes = [warning.code for warning in found.warnings]
    assert codes == ["not_linked", "empty_input", "empty_input", "empty_input"]
    assert found.warnings[0].message.startswith("links: ")
    assert found.warnings[1].records == ("entity_ppr_rank",)


def test_an_empty_optional_input_is_left_out_where_another_holds_something() -> None:
    chain = "  - relationship_vdb_search: {}\n    as: edges\n"
    made = steps(
        LINKED + chain + "  - generate_answer: {entities: $links, relationships: $edges}\n    as: told\n"
    )
    assert ran(made).trace[2].skipped is None


def test_an_empty_restriction_is_not_no_restriction() -> None:
    found = ran(steps(LINKED + "  - entity_tfidf_rank: {candidates: $links}\n"))
    assert found.results["entity_tfidf_rank"] == []


def test_a_list_of_references_is_one_list() -> None:
    chain = "  - entity_tfidf_rank: {query: cholera}\n    as: more\n"
    found = ran(
        steps(FOUND + chain + "  - relationship_onehop_extract: {entities: [$links, $more, ent_d]}\n")
    )
    assert found.results["relationship_onehop_extract"]


def test_texts_are_joined_for_a_query_and_listed_for_a_list() -> None:
    found = ran(
        steps(
            "  - query_extract_entities: {}\n    as: names\n  - entity_vdb_search: {query: $names.entities}\n"
            "  - entity_similarity_link: {entities: $q, min_score: 0.5}\n",
        ),
        "Did John Snow live in London?",
    )
    assert set(found.results["names"].entities) == {"John Snow", "London"}
    assert {"ent_a", "ent_d"} <= set(ids(found.results["entity_vdb_search"]))
    assert found.results["entity_similarity_link"][0].item.mention == "Did John Snow live in London?"


def test_what_is_read_out_of_the_question() -> None:
    made = method(
        "query: [entities, keywords]\nanswer: none\nsteps:\n  - entity_similarity_link: {entities: $query.entities}\n"
        "  - relationship_vdb_search: {query: $query.keywords.high}\n    when: $query.keywords.high\n"
    )
    found = ran(made, "Did John Snow live in London?")
    assert [line.step for line in found.trace][:2] == ["query.entities", "query.keywords"]
    assert {link.item.mention for link in found.results["entity_similarity_link"]} == {"John Snow", "London"}


def test_a_dollar_sign_can_be_written() -> None:
    found = ran(steps("  - generate_answer: {query: $$5 for cholera, chunks: [chk_1]}\n    as: told\n"))
    assert found.results["told"].query == "$5 for cholera"


def test_negative_scores_are_left_out_where_a_tool_takes_none() -> None:
    made = steps(
        "  - entity_vdb_search: {query: smallpox in Paris, top_k: 4}\n  - relationship_score_aggregate: {}\n"
    )
    found = ran(made)
    assert any(hit.score < 0 for hit in found.results["entity_vdb_search"])
    assert found.trace[1].skipped in {None, "empty_input"}
    assert found.warnings[0].code == "negative_scores"


@pytest.mark.parametrize(
    ("chain", "passages"),
    [
        ("  - relationship_score_aggregate: {entity_scores: {ent_d: 1}}\n", ["chk_3", "chk_2"]),
        ("  - community_by_layer: {max_layer: 1}\n", ["chk_1"]),
        ("  - entity_onehop_neighbors: {entities: [ent_c]}\n", ["chk_1", "chk_2"]),
        ("  - local_search: {entities: [ent_d], radius: 1}\n", None),
    ],
)
def test_passages_are_derived_where_none_were_ranked(chain: str, passages: list[str] | None) -> None:
    found = ran(steps(chain))
    assert found.answer is None
    got = ids(found.passages)
    assert sorted(got) == sorted(passages) if passages else got
    assert [one.rank for one in found.passages] == list(range(1, len(got) + 1))


def test_a_method_without_a_query_of_its_own_refuses_an_empty_question() -> None:
    with pytest.raises(InvalidInputError, match="The question is empty"):
        ran(steps(FOUND), "  ")


def test_a_method_that_does_not_check_does_not_run() -> None:
    wrong = steps("  - entity_ppr_rank: {}\n")
    for made in (wrong, check_method(wrong)):
        with pytest.raises(MethodCheckError, match="entity_ppr_rank needs entities"):
            run_method(made, QUESTION, PORTS)


def test_the_same_question_has_the_same_result() -> None:
    made = method(
        "steps:\n" + FOUND + "  - entity_ppr_rank: {reset: similarity}\n  - chunk_entity_occurrence: {}\n"
    )
    one, other = ran(made), run_method(made, QUESTION, dict(resources(rich())))
    assert one.model_copy(update={"trace": ()}) == other.model_copy(update={"trace": ()})


def test_ports_are_asked_for_when_a_step_needs_them() -> None:
    class Ports(dict[str, Any]):
        asked: list[str] = []  # noqa: RUF012 - of this test alone

        def __getitem__(self, port: str) -> Any:
            self.asked.append(port)
            return super().__getitem__(port)

    ports: Mapping[str, Any] = Ports(PORTS)
    run_method(steps("  - community_by_layer: {max_layer: 1}\n"), QUESTION, ports)
    assert "embedder" not in Ports.asked
    assert "vectors" not in Ports.asked


def test_what_was_repaired_in_the_graph_is_told_once_not_with_every_step() -> None:
    graph = MemoryGraph(
        [Entity(id="a", name="Snow")], [Relationship(id="r", source_id="a", target_id="gone")]
    )
    vectors = SmallVectors(graph)
    chain = "  - entity_onehop_neighbors: {entities: [a]}\n    as: near\n  - relationship_onehop_extract: {entities: [a]}\n"
    ports = {"graph": graph, "vectors": vectors, "embedder": vectors.embedder}
    found = run_method(steps(chain), QUESTION, ports)
    assert found.warnings == graph.warnings
