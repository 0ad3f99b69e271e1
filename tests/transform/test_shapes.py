"""Tool 20: long shape, CSV that keeps its types, warnings about what is left out."""

import csv
import io
import json
from datetime import date
from typing import Any

import pandas as pd
import polars as pl
import pytest

from corpusgraph.schemas.errors import InvalidInputError, PreparationError
from corpusgraph.schemas.graph import Graph
from corpusgraph.schemas.results import Noted
from corpusgraph.tasks.dataset.reshape.graph_tables import GraphTables
from corpusgraph.tasks.tools.transform import (
    TransformGraphToTable,
    TransformTableToGraph,
    transform_graph_to_table,
    transform_table_to_graph,
)

NODES = [
    {"id": "a", "name": "Snow", "attributes": {"born": 1813, "code": "007", "note": "", "tags": ["x"]}},
    {"id": "b", "name": "Huế", "attributes": {"born": None, "code": None, "cut": 'x\ry,"z"'}},
]
EDGES = [
    {"id": "r1", "source_id": "a", "target_id": "b", "type": "knows", "weight": 2.0},
    {"id": "r2", "source_id": "a", "target_id": "b", "type": "knows"},
    {"id": "r3", "source_id": "b", "target_id": "b", "type": "met"},
]


def made(nodes: Any = NODES, edges: Any = EDGES, **options: Any) -> Noted[GraphTables]:
    ask = {"subgraph": {"nodes": nodes, "edges": edges}, **options}
    return transform_graph_to_table(TransformGraphToTable.model_validate(ask))


def back(data: Any) -> Graph:
    return transform_table_to_graph(TransformTableToGraph.model_validate({"table_data": data})).data


def test_long_has_a_row_for_each_value() -> None:
    table = made(shape="long").data.nodes
    assert table is not None
    assert [column.name for column in table.columns] == ["record", "variable", "value", "type", "source"]
    assert [row[:4] for row in table.rows] == [
        ("a", "name", "Snow", "string"),
        ("a", "born", 1813, "integer"),
        ("a", "code", "007", "string"),
        ("a", "note", "", "string"),
        ("a", "tags", ["x"], "array"),
        ("b", "name", "Huế", "string"),
        ("b", "cut", 'x\ry,"z"', "string"),
        ("b", "attributes", {"born": None, "code": None}, "object"),
    ]


def test_long_neighbours_have_a_row_each() -> None:
    table = made(shape="long", edge_as_columns=True).data.nodes
    assert table is not None
    edges = [row for row in table.rows if row[4].startswith("Relationship.")]
    assert edges == [
        ("a", "knows", "b", "string", "Relationship.knows"),
        ("a", "knows", "b", "string", "Relationship.knows"),
        ("b", "met", "b", "string", "Relationship.met"),
    ]


def test_a_long_table_without_source_and_with_two_values_is_read_and_refused() -> None:
    rows = [
        {"record": "a", "variable": "name", "value": "Snow", "type": "string"},
        {"record": "a", "variable": "born", "value": "1813", "type": "integer"},
    ]
    node = back({"nodes": rows}).nodes[0]
    assert (node.name, node.attributes) == ("Snow", {"born": 1813})
    with pytest.raises(PreparationError, match="1813 and 1814") as caught:
        back({"nodes": [*rows, {**rows[1], "value": "1814"}]})
    assert caught.value.code == "duplicate_id"


def test_csv_says_how_it_is_read() -> None:
    files = made(output_format="csv").data.csv
    rows = list(csv.reader(io.StringIO(files["nodes.csv"], newline="")))
    assert rows[0] == ["id", "name", "born", "code", "cut", "note", "tags", "attributes"]
    assert rows[1][:4] == ["a", "Snow", "1813", "007"]
    fields = json.loads(files["datapackage.json"])["resources"][0]["schema"]["fields"]
    kinds = {field["name"]: (field["type"], field.get("missingValues")) for field in fields}
    assert kinds["born"] == ("integer", None)
    assert kinds["code"] == ("string", None)
    assert kinds["note"] == ("string", ["NA"])
    assert kinds["tags"] == ("array", None)


def test_other_programs_read_the_csv() -> None:
    text = made(output_format="csv").data.csv["nodes.csv"]
    pandas = pd.read_csv(
        io.StringIO(text), dtype={"code": str}, keep_default_na=False, na_values={"note": ["NA"]}
    )
    polars = pl.read_csv(text.encode(), infer_schema=False)
    assert pandas["code"].to_list() == ["007", ""]
    assert polars["cut"].to_list()[1] == 'x\ry,"z"'
    assert len(pandas) == len(polars) == 2


def test_parquet_opens_elsewhere_with_its_types() -> None:
    files = made(output_format="parquet").data.files()
    frame = pl.read_parquet(io.BytesIO(files["nodes.parquet"]))
    assert frame.schema["born"] == pl.Int64
    assert frame["code"].to_list() == ["007", None]
    assert pd.read_parquet(io.BytesIO(files["edges.parquet"]))["weight"].to_list() == [2.0, 1.0, 1.0]


def test_bytes_are_the_same_every_time() -> None:
    for format_ in ("csv", "parquet"):
        assert made(output_format=format_).data.files() == made(output_format=format_).data.files()


def test_what_is_left_out_is_named() -> None:
    noted = made(edge_as_columns=True, node_attributes=["born"])
    assert [(w.code, w.records) for w in noted.warnings] == [
        ("attributes_left_out", ("code", "cut", "note", "tags")),
        ("edge_details_left_out", ("r1", "r2", "r3")),
    ]


def test_a_source_that_is_no_node_gets_a_stub_to_hold_its_column() -> None:
    edges = [{"id": "r", "source_id": "z", "target_id": "a"}]
    noted = made(edges=edges, edge_as_columns=True)
    assert {"dangling_edge", "stub_entities"} <= {warning.code for warning in noted.warnings}
    assert noted.data.nodes is not None
    assert noted.data.nodes.rows[-1][0] == "z"


def test_an_infinite_weight_is_refused() -> None:
    with pytest.raises(PreparationError, match="'r'") as caught:
        made(edges=[{"id": "r", "source_id": "a", "target_id": "b", "weight": float("inf")}])
    assert caught.value.code == "weight_not_finite"


def test_objects_named_attributes_are_attributes() -> None:
    node = back({"nodes": [{"id": "a", "attributes": {"born": 1813}}]}).nodes[0]
    assert node.attributes == {"born": 1813}


def test_json_says_what_json_lacks() -> None:
    nodes = [{"id": "a", "attributes": {"x": [float("inf"), date(1854, 9, 8)], "y": float("-inf")}}]
    sent = made(nodes, (), output_format="json").data.model_dump_json()
    record = json.loads(sent)["records"]["nodes"][0]
    assert record["x"] == [
        {"@type": "xsd:double", "@value": "INF"},
        {"@type": "xsd:date", "@value": "1854-09-08"},
    ]
    assert record["y"] == "-INF"
    assert back(json.loads(sent)) == Graph.model_validate({"nodes": nodes})


def test_csv_has_no_json_that_other_programs_refuse() -> None:
    nodes = [{"id": "a", "attributes": {"x": [float("inf"), 1]}}]
    text = made(nodes, (), output_format="csv").data.csv["nodes.csv"]
    cell = next(csv.DictReader(io.StringIO(text)))["x"]
    assert json.loads(cell, parse_constant=pytest.fail) == [{"@type": "xsd:double", "@value": "INF"}, 1]


def test_identical_records_are_merged_and_named() -> None:
    noted = made([*NODES, NODES[0]], [*EDGES, EDGES[1]])
    assert [(w.code, w.records) for w in noted.warnings] == [("duplicate_identical", ("a", "r2"))]
    assert noted.data.nodes is not None
    assert [row[0] for row in noted.data.nodes.rows] == ["a", "b"]


@pytest.mark.parametrize("id_", ["", " \n"])
def test_a_record_without_id_is_an_error(id_: str) -> None:
    with pytest.raises(PreparationError) as caught:
        made([{"id": id_}], ())
    assert caught.value.code == "empty_id"


def test_an_edge_without_an_end_is_an_error() -> None:
    with pytest.raises(PreparationError, match="'r'") as caught:
        made(edges=[{"id": "r", "source_id": "a", "target_id": " "}])
    assert caught.value.code == "empty_id"


@pytest.mark.parametrize("format_", ["dataframe", "csv", "json", "records", "parquet"])
@pytest.mark.parametrize(
    ("node", "says"),
    [
        ({"id": "b", "name": "\ud800"}, "Row 2 of nodes ('b'): name"),
        ({"id": "b", "attributes": {"x": [1, {"y": "\ud800"}]}}, "Row 2 of nodes ('b'): x"),
        ({"id": "b", "attributes": {"\ud800": 1}}, "name of an attribute"),
    ],
)
def test_half_a_character_is_refused_with_its_place(format_: str, node: Any, says: str) -> None:
    with pytest.raises(InvalidInputError) as caught:
        made([NODES[0], node], (), output_format=format_)
    assert says in str(caught.value)


def test_text_that_only_looks_like_half_a_character_stays() -> None:
    nodes = [{"id": "a", "name": "\\ud800", "attributes": {"x": ["\\ud800", "😀"]}}]
    assert back(made(nodes, (), output_format="parquet").data) == Graph.model_validate({"nodes": nodes})


def test_half_a_character_in_a_table_is_refused() -> None:
    ask = {"table_data": [{"a": "x\ud800", "b": "y"}], "entity_columns": ["a", "b"]}
    with pytest.raises(InvalidInputError, match="half a character"):
        transform_table_to_graph(TransformTableToGraph.model_validate(ask))
