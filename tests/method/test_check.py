"""Nothing runs before the chain is right."""

import pytest

from corpusgraph.schemas.errors import MethodCheckError
from corpusgraph.tasks.method.check import check_method, checked, issue_line
from tests.method.given import inputs_of, issues, method, steps

LINKED = "  - entity_vdb_search: {top_k: 3}\n    as: links\n"


def test_what_is_left_unsaid_is_wired_to_the_question_and_the_latest_result() -> None:
    made = steps(LINKED + "  - entity_onehop_neighbors: {}\n  - chunk_entity_occurrence: {min_entities: 1}\n")
    assert check_method(made).ok
    assert inputs_of(made, "links") == {"query": "$q", "top_k": 3}
    assert inputs_of(made, "entity_onehop_neighbors") == {"entities": "$links"}
    assert inputs_of(made, "chunk_entity_occurrence")["entities"] == "$entity_onehop_neighbors"


def test_an_optional_input_is_not_wired() -> None:
    made = steps(LINKED + "  - entity_tfidf_rank: {}\n")
    assert inputs_of(made, "entity_tfidf_rank") == {"query": "$q"}


def test_the_answer_reads_the_latest_of_every_port_it_can_read() -> None:
    made = method("steps:\n  - chunk_vdb_search: {}\n  - community_by_layer: {max_layer: 1}\n")
    found = inputs_of(made, "answer")
    assert found["chunks"] == "$chunk_vdb_search"
    assert found["communities"] == "$community_by_layer"


def test_after_a_result_that_may_be_left_out_the_one_before_stands_in() -> None:
    made = steps(
        "  - chunk_vdb_search: {}\n    as: a\n  - chunk_vdb_search: {top_k: 3}\n    as: b\n    when: not $a\n"
        "  - summarize_chunks: {}\n"
    )
    assert inputs_of(made, "summarize_chunks")["chunks"] == "$b or $a"


@pytest.mark.parametrize(
    ("text", "code", "line", "told"),
    [
        ("  - chunk_score_aggregate: {}\n", "missing_input", 2, "needs relationships (relationship_scores)"),
        ("  - community_by_layer: {}\n", "missing_input", 2, "community_by_layer needs max_layer"),
        (
            "  - delete_entities: {entityNames: [cholera]}\n",
            "writing_tool",
            2,
            "delete_entities changes the index",
        ),
        ("  - entity_vbd_search: {}\n", "unknown_tool", 2, "Did you mean 'entity_vdb_search'"),
        ("  - entity_vdb_search: {topk: 3}\n", "unknown_parameter", 2, "Did you mean 'top_k'"),
        ("  - entity_vdb_search: {index: x}\n", "unknown_parameter", 2, "set for the whole method"),
        (
            "  - entity_onehop_neighbors: {entities: $link}\n",
            "unknown_reference",
            2,
            "nothing before is named $link",
        ),
        (
            LINKED + "  - entity_onehop_neighbors: {entities: $lnks}\n",
            "unknown_reference",
            4,
            "Did you mean '$links'",
        ),
        ("  - entity_vdb_search: {query: $query.entities}\n", "unknown_reference", 2, "`query: [entities]`"),
        ("  - entity_vdb_search: {query: $5}\n", "unknown_reference", 2, "`$$` writes a dollar sign"),
        (
            "  - chunk_vdb_search: {}\n  - entity_onehop_neighbors: {entities: $chunk_vdb_search}\n",
            "wrong_port",
            3,
            "entity_onehop_neighbors.entities reads entities, $chunk_vdb_search is chunks",
        ),
        (
            LINKED + "  - chunk_score_aggregate: {relationship_scores: $links}\n",
            "wrong_port",
            4,
            "relationship_score_aggregate makes relationships of entities",
        ),
        (LINKED + "  - chunk_vdb_search: {query: $links}\n", "wrong_port", 4, "$links.text is its text"),
        (
            LINKED + "  - community_by_layer: {max_layer: $links}\n",
            "wrong_port",
            4,
            "reads a value of its own",
        ),
        ("  - entity_vdb_search: {top_k: -1}\n", "bad_value", 2, "greater than 0, not -1"),
        ("  - entity_vdb_search: {top_k: many}\n", "bad_value", 2, "entity_vdb_search.top_k"),
        ("  - entity_vdb_search: {top_k: 3, limit: 4}\n", "bad_value", 2, "top_k is given twice"),
        ("  - entity_vdb_search: {query: ' '}\n", "bad_value", 2, "must not be blank"),
        (
            LINKED + "  - entity_tfidf_rank: {}\n    as: links\n",
            "duplicate_name",
            4,
            "two steps are named links",
        ),
        (LINKED + "  - entity_tfidf_rank: {}\n    as: q\n", "bad_value", 4, "cannot be named 'q'"),
        (
            LINKED + "  - entity_tfidf_rank: {}\n    when: $links > 2\n",
            "bad_value",
            4,
            "when cannot be '$links > 2'",
        ),
        (
            LINKED + "  - entity_tfidf_rank: {}\n    when: not $x\n",
            "unknown_reference",
            4,
            "nothing before is named $x",
        ),
        (
            LINKED + "  - chunk_vdb_search: {}\n  - union: [$links, $chunk_vdb_search]\n",
            "wrong_port",
            5,
            "one port",
        ),
        (LINKED + "  - union: [$links]\n    weights: [1, 2]\n", "bad_value", 4, "2 weights for 1 results"),
        (LINKED + "  - union: [$q]\n", "wrong_port", 4, "a union joins lists"),
        (LINKED + "  - union: [links]\n", "bad_value", 4, "Write `$name`"),
        (
            "  - loop: {each: $q, steps: [community_by_layer: {max_layer: 1}]}\n",
            "wrong_port",
            2,
            "goes over a list",
        ),
        (
            LINKED
            + "  - loop: {carry: {f: $links}, steps: [chunk_vdb_search: {}], next: {f: $chunk_vdb_search}}\n",
            "wrong_port",
            4,
            "next.f is chunks, and carry.f entities",
        ),
        (
            LINKED + "  - loop: {carry: {f: $links}, steps: [chunk_vdb_search: {}], next: {g: $f}}\n",
            "unknown_reference",
            4,
            "g is not carried",
        ),
        (
            LINKED + "  - loop: {carry: {links: $q}, steps: [chunk_vdb_search: {}]}\n",
            "duplicate_name",
            4,
            "is taken",
        ),
        ("  - loop: {steps: [chunk_vdb_search: {}], until: yes please}\n", "bad_value", 2, "until cannot be"),
        (
            "  - loop: {steps: [chunk_vdb_search: {}], collect: {c: $chunk_vdb_search}}\n  - entity_tfidf_rank: {query: $loop}\n",
            "wrong_port",
            3,
            "$loop.c",
        ),
    ],
)
def test_every_mistake_is_told_with_its_line(text: str, code: str, line: int, told: str) -> None:
    made = steps(text)
    found = issues(made)
    assert [(i.code, i.line) for i in found] == [(code, line)]
    assert told in issue_line(made, found[0])


def test_what_a_loop_names_inside_is_not_known_outside() -> None:
    made = steps(
        "  - loop: {steps: [chunk_vdb_search: {}]}\n  - summarize_chunks: {chunks: $chunk_vdb_search}\n"
    )
    assert [i.code for i in issues(made)] == ["unknown_reference"]


def test_one_mistake_does_not_hide_another_and_brings_no_others() -> None:
    made = steps(
        "  - entity_vbd_search: {}\n    as: a\n  - entity_onehop_neighbors: {entities: $a}\n  - chunk_vdb_search: {top_k: 0}\n"
    )
    assert [(i.code, i.step) for i in issues(made)] == [
        ("unknown_tool", "a"),
        ("bad_value", "chunk_vdb_search"),
    ]


def test_a_method_that_cannot_run_is_refused_with_all_its_issues() -> None:
    with pytest.raises(MethodCheckError) as caught:
        checked(steps("  - chunk_score_aggregate: {top_k: 0}\n"))
    assert caught.value.message.count("m.yml:2: ") == 2
    assert "relationship_vdb_search" in caught.value.message


def test_a_checked_method_checks_again_to_itself() -> None:
    once = check_method(
        method("query: [entities]\nsteps:\n  - entity_similarity_link: {entities: $query.entities}\n")
    )
    again = check_method(once.method)
    assert again.ok
    assert again.method == once.method


def test_a_tool_may_be_called_by_its_alias() -> None:
    made = steps("  - entity_vdb_search: {}\n  - T66: {}\n")
    assert check_method(made).ok
    assert check_method(made).method.steps[1].tool == "community_by_entities"  # type: ignore[union-attr]
