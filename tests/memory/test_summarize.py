"""Entities in short."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from corpusgraph.schemas.errors import InvalidInputError, UnknownEntityError
from corpusgraph.tasks.tools.memory.neighbourhood import column, keyed
from tests.memory.conftest import World


def test_the_published_overview(project: World) -> None:
    assert project.json("summarize", entityType="Module", format="brief") == {
        "summary": {
            "totalEntities": 2,
            "entities": [
                {"name": "Module: Payment", "brief": "Stripe, PayPal integration"},
                {"name": "Module: Auth", "brief": "JWT authentication, user management"},
            ],
        }
    }


def test_the_published_counts(empty: World) -> None:
    states = ["Completed"] * 5 + ["In Progress"] * 3 + ["Planned"] * 4
    urgent = ["Critical"] * 2 + ["High"] * 5 + ["Medium"] * 3 + ["Low"] * 2
    empty.make(
        *(
            (f"Feature {i}", "Feature", f"Status: {state}", f"Priority: {priority}")
            for i, (state, priority) in enumerate(zip(states, urgent, strict=True))
        )
    )
    assert empty.json("summarize", entityType="Feature", format="stats") == {
        "summary": {
            "totalEntities": 12,
            "byStatus": {"Completed": 5, "In Progress": 3, "Planned": 4},
            "byPriority": {"Critical": 2, "High": 5, "Medium": 3, "Low": 2},
        }
    }


def test_in_detail_with_observations_and_relations(project: World) -> None:
    (row,) = project.json("summarize", entityNames=["Module: Auth"], format="detailed")["summary"]["entities"]
    assert row == {
        "name": "Module: Auth",
        "entityType": "Module",
        "observations": ["JWT authentication, user management", "Status: In Progress"],
        "relations": [{"relationType": "depends_on", "direction": "incoming", "target": "Module: Payment"}],
        "relationCount": 1,
    }


def test_everything_has_a_table_of_types(project: World) -> None:
    summary = project.json("summarize", format="stats")["summary"]
    assert summary["byType"] == {"File": 2, "Module": 2, "Schema": 2, "Feature": 1, "Function": 1}
    assert summary["totalEntities"] == 8


def test_an_entity_with_nothing_but_values_is_briefed_by_them(project: World) -> None:
    (row,) = project.json("summarize", entityNames=["Feature: Checkout"])["summary"]["entities"]
    assert row["brief"] == "Status: Planned; Priority: Critical"


def test_a_value_counts_once_for_an_entity(empty: World) -> None:
    empty.make(("a", "x", "Status: Done", "status: Done", "Status:Done"), ("b", "x", "Due date: 2026"))
    summary = empty.json("summarize", entityType="x", format="stats")["summary"]
    assert summary == {"totalEntities": 2, "byStatus": {"Done": 1}, "byDueDate": {"2026": 1}}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Status: Completed", ("Status", "Completed")),
        ("  due date :  1 May", ("due date", "1 May")),
        ("Trạng thái: Xong", ("Trạng thái", "Xong")),
        ("状态：完成", ("状态", "完成")),
        ("Status:", None),
        ("https://example.org/a", None),
        ("std::vector", None),
        ("10:30 meeting", None),
        ("It met twice", None),
        ("Note: " + "x" * 90, None),
        ("", None),
    ],
)
def test_key_and_value(text: str, expected: tuple[str, str] | None) -> None:
    assert keyed(text) == expected


def test_names_of_tables() -> None:
    assert [column(key) for key in ("Status", "due date", "trạng thái")] == [
        "byStatus",
        "byDueDate",
        "byTrạngThái",
    ]


@given(st.text(max_size=300))
def test_any_text_can_be_looked_at(text: str) -> None:
    found = keyed(text)
    assert found is None or all(part.strip() == part and part for part in found)


def test_a_type_in_other_letters_is_found_and_an_unknown_one_told(project: World) -> None:
    assert project.json("summarize", entityType="module")["summary"]["totalEntities"] == 2
    noted = project.noted("summarize", entityType="Modul")
    assert noted.data.summary.totalEntities == 0
    assert "'Module'" in noted.warnings[0].message


def test_many_are_cut_and_many_values_too(empty: World) -> None:
    empty.make(*((f"n{i:03}", "x", f"Number: {i}") for i in range(120)))
    noted = empty.noted("summarize", entityType="x")
    assert (len(noted.data.summary.entities), noted.data.summary.totalEntities) == (100, 120)
    assert [w.code for w in noted.warnings] == ["summary_truncated"]
    stats = empty.noted("summarize", entityType="x", format="stats")
    assert len(stats.data.model_dump()["summary"]["byNumber"]) == 50
    assert [w.code for w in stats.warnings] == ["values_left_out"]


def test_the_corpus_is_summed_up_by_its_descriptions(world: World) -> None:
    rows = world.json("summarize", entity_names=["John Snow", 3])["summary"]["entities"]
    assert rows == [{"name": "John Snow", "brief": "physician"}, {"name": "London", "brief": "place"}]


@pytest.mark.parametrize("bad", [{"format": "long"}, {"entityType": ""}, {"maxResults": 0}])
def test_bad_input_is_refused(project: World, bad: dict[str, Any]) -> None:
    with pytest.raises(InvalidInputError):
        project.json("summarize", **bad)
    with pytest.raises(UnknownEntityError):
        project.json("summarize", entityNames=["Module: Nothing at all"])


def test_names_count_alone_and_those_that_are_nobodys_are_told(project: World) -> None:
    noted = project.noted("summarize", entityNames=["Module: Auth", "Nobody"], entityType="File")
    assert [row.name for row in noted.data.summary.entities] == ["Module: Auth"]
    assert [(w.code, w.records) for w in noted.warnings] == [("unknown_entity", ("Nobody",))]
