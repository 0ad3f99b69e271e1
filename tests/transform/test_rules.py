"""Tool 21: windows, keys between two tables, n-ary rows, several names in a cell, bad cells."""

from collections import Counter
from itertools import combinations
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from corpusgraph.schemas.errors import CorpusgraphError
from corpusgraph.schemas.graph import Graph
from corpusgraph.schemas.results import Column, Noted, Table
from corpusgraph.tasks.tools.transform import TransformTableToGraph, transform_table_to_graph

PEOPLE = [{"id": "p1", "name": "Snow", "born": 1813}, {"id": "p2", "name": "Farr", "born": 1807}]
LETTERS = [
    {"letter_id": "l1", "from_id": "p1", "to_id": "p2", "year": 1854},
    {"letter_id": "l2", "from_id": "p2", "to_id": "p9", "year": 1855},
]


def made(data: Any, columns: list[str] | None = None, *rules: dict[str, Any], **more: Any) -> Noted[Graph]:
    ask = {"table_data": data, "entity_columns": columns or [], "relationship_rules": list(rules), **more}
    return transform_table_to_graph(TransformTableToGraph.model_validate(ask))


def named(graph: Graph) -> dict[tuple[str, str, str], float]:
    names = {node.id: node.name for node in graph.nodes}
    return {(names[e.source_id], e.type, names[e.target_id]): e.weight for e in graph.edges}


def together(graph: Graph) -> dict[frozenset[str], float]:
    return {frozenset((a, b)): weight for (a, _, b), weight in named(graph).items()}


WORDS = st.lists(st.lists(st.sampled_from("abcde"), max_size=3), min_size=1, max_size=7)


@given(WORDS, st.integers(1, 4), st.lists(st.sampled_from("xy"), min_size=7, max_size=7))
def test_windows_count_pairs_of_rows(words: list[list[str]], window: int, groups: list[str]) -> None:
    rows = [{"w": row, "g": group} for row, group in zip(words, groups, strict=False)]
    rule = {"kind": "cooccurrence", "window": window, "group_col": "g", "source_col": "w"}
    count = Counter[frozenset[str]]()
    for group in "xy":
        mine = [row["w"] for row in rows if row["g"] == group]
        for row in mine:
            count.update(frozenset(pair) for pair in combinations(sorted(set(row)), 2))
        for i, j in combinations(range(len(mine)), 2):
            if j - i < window:
                count.update({frozenset((a, b)) for a in mine[i] for b in mine[j] if a != b})
    if window == 1:
        del rule["group_col"]
    assert together(made(rows, ["w"], rule, separators={}).data) == dict(count)


@given(WORDS)
def test_cooccurrence_is_symmetric(words: list[list[str]]) -> None:
    rule = {"kind": "cooccurrence", "window": 2}
    rows = [{"w": row} for row in words]
    turned = [{"w": row[::-1]} for row in words[::-1]]
    assert together(made(rows, ["w"], rule).data) == together(made(turned, ["w"], rule).data)


def test_a_table_of_keys_joins_the_nodes_of_another() -> None:
    rule = {"source_col": "from_id", "target_col": "to_id", "type": "wrote_to"}
    noted = made({"nodes": PEOPLE, "table": LETTERS}, [], rule)
    assert [(n.id, n.name, n.attributes, n.is_stub) for n in noted.data.nodes] == [
        ("p1", "Snow", {"born": 1813}, False),
        ("p2", "Farr", {"born": 1807}, False),
        ("p9", "p9", None, True),
    ]
    assert {(e.source_id, e.target_id) for e in noted.data.edges} == {("p1", "p2"), ("p2", "p9")}
    assert [(w.code, w.records) for w in noted.warnings] == [("stub_entities", ("p9",))]


def test_the_rows_of_keys_can_be_entities_too() -> None:
    rules = [
        {"kind": "foreign_key", "source_col": "letter_id", "target_col": f"{end}_id", "type": end}
        for end in ("from", "to")
    ]
    graph = made({"nodes": PEOPLE, "table": LETTERS}, ["letter_id"], *rules).data
    assert named(graph) == {
        ("l1", "from", "Snow"): 1.0,
        ("l1", "to", "Farr"): 1.0,
        ("l2", "from", "Farr"): 1.0,
        ("l2", "to", "p9"): 1.0,
    }
    assert {n.id: n.attributes for n in graph.nodes}["l2"] == {"year": 1855}
    assert [n.id for n in graph.nodes if n.is_stub] == ["p9"]


def test_keys_can_be_names_and_numbers() -> None:
    rule = {"source_col": "a", "target_col": "b"}
    by_name = made({"nodes": PEOPLE, "table": [{"a": "Snow", "b": "Budd"}], "key": "name"}, [], rule)
    assert named(by_name.data) == {("Snow", "relates_to", "Budd"): 1.0}
    assert [n.name for n in by_name.data.nodes if n.is_stub] == ["Budd"]
    numbers = [{"id": 1, "name": "one"}, {"id": 2, "name": "two"}]
    by_number = made({"nodes": numbers, "table": [{"a": 1.0, "b": 2.0}]}, [], rule).data
    assert named(by_number) == {("one", "relates_to", "two"): 1.0}


def test_a_row_of_many_parts_is_an_entity() -> None:
    rows = [{"buyer": "a", "seller": "b", "good": "c;d", "n": 2}]
    rule = {"kind": "nary", "type": "sale", "weight_col": "n"}
    graph = made(rows, ["buyer", "seller", "good"], rule, separators={"good": ";"}).data
    assert named(graph) == {
        ("sale 1", "buyer", "a"): 2.0,
        ("sale 1", "seller", "b"): 2.0,
        ("sale 1", "good", "c"): 2.0,
        ("sale 1", "good", "d"): 2.0,
    }
    assert {n.type for n in graph.nodes} == {"sale", None}


def test_cells_hold_several_names_and_columns_have_types() -> None:
    rows = [{"authors": "Snow; Farr ;", "city": "Huế"}]
    graph = made(
        rows, ["authors", "city"], separators={"authors": ";"}, entity_types={"authors": "person"}
    ).data
    assert {(n.name, n.type) for n in graph.nodes} == {("Snow", "person"), ("Farr", "person"), ("Huế", None)}
    assert len(graph.edges) == 3


def test_rules_that_make_one_edge_add_their_weight() -> None:
    rules = [{"source_col": "a", "target_col": "b", "type": "t"}, {"kind": "cooccurrence", "type": "t"}]
    noted = made([{"a": "x", "b": "y"}, {"a": "y", "b": "x"}], ["a", "b"], *rules)
    ids = [edge.id for edge in noted.data.edges]
    assert len(ids) == len(set(ids)) == 2
    assert sum(edge.weight for edge in noted.data.edges) == 4.0
    assert [(w.code, set(w.records) <= set(ids)) for w in noted.warnings] == [("parallel_edges_merged", True)]


def test_a_loop_stays_and_edges_count_their_rows() -> None:
    rule = {"source_col": "a", "target_col": "b", "weight_col": "w"}
    graph = made([{"a": "x", "b": "x", "w": 0.5}, {"a": "x", "b": "x", "w": 1}], ["a", "b"], rule).data
    assert [(e.source_id == e.target_id, e.weight, e.n_evidence) for e in graph.edges] == [(True, 1.5, 2)]


def test_spellings_missing_codes_and_empty_rows_are_told() -> None:
    column = Column(name="who", dtype="text", missing=("?",))
    table = Table(columns=(column,), rows=(("Snow",), ("SNOW",), ("?",)), provenance=(("c1",), ("c2",), ()))
    noted = made(table, ["who"])
    assert [node.name for node in noted.data.nodes] == ["Snow"]
    assert [(w.code, w.records) for w in noted.warnings] == [
        ("rows_without_entity", ("3",)),
        ("names_mapped", ("Snow = SNOW",)),
    ]


def test_edges_know_the_passages_of_their_rows() -> None:
    columns = (Column(name="a", dtype="text"), Column(name="b", dtype="text"))
    table = Table(columns=columns, rows=(("x", "y"), ("y", "x")), provenance=(("c1",), ("c2", "c1")))
    assert made(table, ["a", "b"]).data.edges[0].chunk_ids == ("c1", "c2")


def test_csv_text_is_a_table() -> None:
    text = '\ufeffid,name,n,code,flag,day\r\n1,"Snow, J.",3,007,true,1854-09-08\r\n2,Farr,,010,FALSE,\r\n'
    first, second = made(text, ["id"]).data.nodes
    assert (first.id, first.name) == ("1", "Snow, J.")
    assert first.attributes == {"n": 3, "code": "007", "flag": True, "day": "1854-09-08"}
    assert second.attributes == {"code": "010", "flag": False}


def test_a_data_package_may_have_no_schema() -> None:
    package = '{"resources": [{"name": "nodes"}]}'
    data = {"format": "csv", "csv": {"nodes.csv": "id,n\na,1\n", "datapackage.json": package}}
    assert [(node.id, node.attributes) for node in made(data).data.nodes] == [("a", {"n": 1})]


def test_columns_named_like_the_entity_stay_as_attributes() -> None:
    node = made([{"who": "Snow", "id": "7", "name": "J. S.", "type": "person"}], ["who"]).data.nodes[0]
    assert (node.name, node.type) == ("Snow", "person")
    assert node.attributes == {"attribute_id": "7", "attribute_name": "J. S."}


def test_parallel_edges_without_ids_all_stay() -> None:
    rows = [
        {"source_id": "a", "target_id": "b", "weight": 1},
        {"source_id": "a", "target_id": "b", "weight": 2},
    ]
    assert [edge.weight for edge in made(rows).data.edges] == [1.0, 2.0]


EDGE = {"source_id": "a", "target_id": "b"}
ROW_RULE = {"source_col": "a", "target_col": "b", "weight_col": "w"}


@pytest.mark.parametrize(
    ("data", "columns", "rule", "code", "says"),
    [
        ([{"a": {"x": 1}, "b": "y"}], ["a", "b"], {}, "mixed_types", "'x'"),
        ([{"a": "x", "b": "y", "w": "much"}], ["a", "b"], ROW_RULE, "weight_not_finite", "Row 1"),
        ([{"a": "x", "b": "y", "w": float("inf")}], ["a", "b"], ROW_RULE, "weight_not_finite", "inf"),
        ([{"a": "x", "b": "y", "w": None}], ["a", "b"], ROW_RULE, "weight_not_finite", "None"),
        ([{"a": "x", "b": "y", "w": 0}], ["a", "b"], ROW_RULE, "weight_not_positive", "Row 1"),
        ([{"a": "x", "b": "y", "w": 1e308}] * 2, ["a", "b"], ROW_RULE, "weight_not_finite", "infinity"),
        ({"edges": [EDGE | {"weight": 0}]}, [], {}, "weight_not_positive", "Row 1"),
        ({"edges": [EDGE | {"weight": "heavy"}]}, [], {}, "weight_not_finite", "heavy"),
        ({"edges": [EDGE | {"weight": float("inf")}]}, [], {}, "weight_not_finite", "infinite"),
        ({"edges": [EDGE | {"confidence": 2}]}, [], {}, "invalid_input", "confidence"),
        ({"edges": [{"source_id": " ", "target_id": "b"}]}, [], {}, "empty_id", "Row 1"),
        ({"edges": [EDGE | {"id": "r"}, EDGE | {"id": "r", "type": "t"}]}, [], {}, "duplicate_id", "'r'"),
        ({"nodes": [{"id": "a", "n_mentions": -1}]}, [], {}, "invalid_input", "n_mentions"),
        ({"nodes": [*PEOPLE, {"id": "p3", "name": "Snow"}], "table": LETTERS, "key": "name"}, [], ROW_RULE, "duplicate_id", "Snow"),
        ({"nodes": PEOPLE, "table": LETTERS, "key": "nme"}, [], {}, "unknown_variable", "nme"),
        ({"nodes": PEOPLE, "table": LETTERS}, [], {}, "invalid_input", "entity_columns"),
        ({"nodes": PEOPLE, "table": []}, [], {}, "empty_table", "columns"),
        ({}, [], {}, "invalid_input", "neither"),
        ("a,b\n1\n", ["a"], {}, "invalid_input", "row 2"),
        ("", ["a"], {}, "empty_table", "columns"),
        ([{"a": "x"}], ["a"], {"kind": "cooccurrence", "window": 2, "weight_col": "a"}, "invalid_input", "window"),
        ([{"a": "x"}], ["a"], {"kind": "cooccurrence", "group_col": "b"}, "unknown_variable", "'b'"),
        ({"format": "csv", "csv": {"nodes.csv": "id\na\n", "datapackage.json": "{"}}, [], {}, "invalid_input", "JSON"),
        ({"format": "csv", "csv": {"nodes.csv": "id\na\n", "datapackage.json": "5"}}, [], {}, "invalid_input", "object"),
        ({"format": "csv", "csv": {"nodes.csv": "id\na\n", "datapackage.json": '{"resources": 5}'}}, [], {}, "invalid_input", "resources"),
        ({"format": "json", "records": {"nodes": []}, "schemas": {"nodes": {}}}, [], {}, "invalid_input", "nodes"),
        ({"format": "json", "records": {"nodes": []}, "schemas": {"nodes": {"fields": [{}]}}}, [], {}, "invalid_input", "name"),
        ({"format": "parquet", "parquet": {"nodes.parquet": "AAAA"}}, [], {}, "invalid_input", "parquet"),
    ],
)  # fmt: skip
def test_what_cannot_become_a_graph_is_named(
    data: Any, columns: list[str], rule: dict[str, Any], code: str, says: str
) -> None:
    with pytest.raises(CorpusgraphError) as caught:
        made(data, columns, *([rule] if rule else []))
    assert caught.value.code == code
    assert says in str(caught.value)
