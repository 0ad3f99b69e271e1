"""Tool 21: entities and relationships from tables."""

from typing import Any

import pytest

from corpusgraph.schemas.errors import CorpusgraphError, InvalidInputError, PreparationError
from corpusgraph.schemas.graph import Graph
from corpusgraph.schemas.results import Noted
from corpusgraph.tasks.tools.transform import TransformTableToGraph, transform_table_to_graph

LETTERS = [
    {"person": "Snow", "place": "London", "to": "Farr", "n": 2},
    {"person": "Farr", "place": "London", "to": "Snow", "n": 1},
    {"person": "Snow", "place": "York", "to": "Farr", "n": 3},
    {"person": "Snow", "place": None, "to": " ", "n": 1},
]


def graph_of(data: Any, columns: list[str] | None = None, *rules: dict[str, Any]) -> Noted[Graph]:
    return transform_table_to_graph(
        TransformTableToGraph.model_validate(
            {"table_data": data, "entity_columns": columns or [], "relationship_rules": list(rules)}
        )
    )


def edges(graph: Graph) -> set[tuple[str, str, str, float]]:
    names = {node.id: node.name for node in graph.nodes}
    return {(names[e.source_id], e.type, names[e.target_id], e.weight) for e in graph.edges}


def test_a_row_joins_source_and_target_and_weights_add_up() -> None:
    rule = {"source_col": "person", "target_col": "place", "type": "wrote_from", "weight_col": "n"}
    graph = graph_of(LETTERS, ["person", "place"], rule).data
    assert {(node.name, node.type) for node in graph.nodes} == {
        ("Snow", "person"),
        ("Farr", "person"),
        ("London", "place"),
        ("York", "place"),
    }
    assert edges(graph) == {
        ("Snow", "wrote_from", "London", 2.0),
        ("Farr", "wrote_from", "London", 1.0),
        ("Snow", "wrote_from", "York", 3.0),
    }


def test_names_in_plain_columns_are_one_entity() -> None:
    rows = [{"from": "Snow", "to": "Farr"}, {"from": "Farr", "to": "Snow"}]
    graph = graph_of(
        rows, ["from", "to"], {"source_col": "from", "target_col": "to", "type": "wrote_to"}
    ).data
    assert len(graph.nodes) == 2
    assert edges(graph) == {("Snow", "wrote_to", "Farr", 1.0), ("Farr", "wrote_to", "Snow", 1.0)}


def test_without_a_rule_entities_of_one_row_co_occur() -> None:
    graph = graph_of([{"a": "x", "b": "y"}, {"a": "y", "b": "x"}, {"a": "x", "b": "x"}], ["a", "b"]).data
    assert [(e.type, e.weight) for e in graph.edges] == [("co_occurs_with", 2.0)]


def test_cooccurrence_works_within_a_list() -> None:
    rule = {"source_col": "names", "kind": "cooccurrence", "type": "met"}
    graph = graph_of([{"names": ["x", "y", "z"]}, {"names": ["x", "y"]}], ["names"], rule).data
    assert sorted(weight for *_, weight in edges(graph)) == [1.0, 1.0, 2.0]


def test_a_foreign_key_leads_to_another_row() -> None:
    rows = [
        {"id": "p1", "name": "Snow", "type": "person", "teacher": None, "born": 1813},
        {"id": "p2", "name": "Budd", "type": "person", "teacher": ["p1", "p9"], "born": 1811},
    ]
    rule = {"source_col": "id", "target_col": "teacher", "kind": "foreign_key", "type": "taught_by"}
    noted = graph_of(rows, ["id"], rule)
    assert [(n.id, n.name, n.type, n.attributes, n.is_stub) for n in noted.data.nodes] == [
        ("p1", "Snow", "person", {"born": 1813}, False),
        ("p2", "Budd", "person", {"born": 1811}, False),
        ("p9", "p9", None, None, True),
    ]
    assert {(e.source_id, e.target_id) for e in noted.data.edges} == {("p2", "p1"), ("p2", "p9")}
    assert [(w.code, w.records) for w in noted.warnings] == [("stub_entities", ("p9",))]


def test_rows_that_differ_leave_their_entity_without_attributes() -> None:
    noted = graph_of([{"who": "a", "v": 1}, {"who": "a", "v": 2}, {"who": "b", "v": 3}], ["who"])
    assert {n.name: n.attributes for n in noted.data.nodes} == {"a": None, "b": {"v": 3}}
    assert [w.code for w in noted.warnings] == ["attributes_left_out"]


def test_an_edge_list_is_a_graph_of_stubs() -> None:
    noted = graph_of([{"source_id": "a", "target_id": "b", "weight": 3}])
    assert [(n.id, n.is_stub) for n in noted.data.nodes] == [("a", True), ("b", True)]
    assert noted.data.edges[0].weight == 3.0


@pytest.mark.parametrize(
    ("data", "columns", "rule", "error", "code"),
    [
        (LETTERS, [], {}, InvalidInputError, "invalid_input"),
        (LETTERS, ["persn"], {}, PreparationError, "unknown_variable"),
        (LETTERS, ["person"], {"source_col": "person"}, InvalidInputError, "invalid_input"),
        (
            [{"a": "x", "b": "y", "w": -1}],
            ["a", "b"],
            {"source_col": "a", "target_col": "b", "weight_col": "w"},
            PreparationError,
            "weight_not_positive",
        ),
        ([], ["a"], {}, PreparationError, "empty_table"),
        ([{"id": "a", "v": 1}, {"id": "a", "v": 2}], ["id"], {}, PreparationError, "duplicate_id"),
        ({"nodes": [{"name": "no id"}]}, [], {}, PreparationError, "empty_id"),
    ],
)
def test_what_cannot_become_a_graph_is_named(
    data: Any, columns: list[str], rule: dict[str, Any], error: type[CorpusgraphError], code: str
) -> None:
    with pytest.raises(error) as caught:
        graph_of(data, columns, *([rule] if rule else []))
    assert caught.value.code == code
