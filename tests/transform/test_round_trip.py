"""Graph -> table -> graph is the identity, in every format and shape."""

import json
from itertools import product
from typing import Any

import pandas as pd
import polars as pl
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from corpusgraph.schemas.graph import Graph, Relationship
from corpusgraph.schemas.results import Noted
from corpusgraph.tasks.dataset.reshape.graph_tables import GraphTables
from corpusgraph.tasks.tools.transform import (
    TransformGraphToTable,
    TransformTableToGraph,
    transform_graph_to_table,
    transform_table_to_graph,
)
from tests.examples import tried
from tests.transform.graphs import graphs

FORMATS = ["dataframe", "csv", "json", "records", "parquet"]
SHAPES = ["wide", "long"]
PACKED = list(product(FORMATS, SHAPES))
QUIET = settings(suppress_health_check=[HealthCheck.too_slow], max_examples=tried(50), deadline=None)


def tables(graph: Graph, **options: Any) -> Noted[GraphTables]:
    return transform_graph_to_table(TransformGraphToTable(subgraph=graph, **options))


def graph_of(data: Any) -> Graph:
    ask = TransformTableToGraph.model_validate({"table_data": data})
    return transform_table_to_graph(ask).data


@given(graphs(dates=True))
@QUIET
def test_a_graph_comes_back(graph: Graph) -> None:
    for format_, shape in PACKED:
        made = tables(graph, output_format=format_, shape=shape)
        assert made.warnings == ()
        assert graph_of(made.data) == graph, (format_, shape)


@given(graphs(), st.sampled_from(PACKED))
@settings(QUIET, max_examples=tried(100))
def test_a_graph_comes_back_over_json(graph: Graph, packed: tuple[str, str]) -> None:
    sent = tables(graph, output_format=packed[0], shape=packed[1]).data.model_dump_json()
    assert graph_of(json.loads(sent)) == graph


def triples(graph: Graph) -> list[tuple[str, str, str]]:
    return sorted((edge.source_id, edge.type, edge.target_id) for edge in graph.edges)


@given(graphs(), st.sampled_from(FORMATS), st.sampled_from(SHAPES))
@QUIET
def test_columns_of_neighbours_keep_nodes_and_triples(graph: Graph, format_: str, shape: str) -> None:
    made = tables(graph, output_format=format_, shape=shape, edge_as_columns=True)
    back = graph_of(made.data)
    assert back.nodes == graph.nodes
    assert triples(back) == triples(graph)
    lost = [warning for warning in made.warnings if warning.code == "edge_details_left_out"]
    same = sorted(graph.edges, key=lambda e: e.id) == sorted(back.edges, key=lambda e: e.id)
    assert same != bool(lost)


@given(graphs(), st.sampled_from(FORMATS), st.sampled_from(SHAPES))
@QUIET
def test_bare_edges_are_whole_as_columns(graph: Graph, format_: str, shape: str) -> None:
    bare = {triple: Relationship.make_id(*triple) for triple in triples(graph)}
    edges = [
        {"id": id_, "source_id": source, "type": kind, "target_id": target}
        for (source, kind, target), id_ in bare.items()
    ]
    whole = Graph.model_validate({"nodes": graph.nodes, "edges": edges})
    made = tables(whole, output_format=format_, shape=shape, edge_as_columns=True)
    assert made.warnings == ()
    back = graph_of(made.data)
    assert sorted(back.edges, key=lambda e: e.id) == sorted(whole.edges, key=lambda e: e.id)


@given(graphs(), st.sampled_from(SHAPES))
@QUIET
def test_frames_hold_the_rows_of_the_tables(graph: Graph, shape: str) -> None:
    made = tables(graph, shape=shape).data
    for name, table in (("nodes", made.nodes), ("edges", made.edges)):
        assert table is not None
        heads = [column.name for column in table.columns]
        for frame in (made.to_pandas()[name], made.to_polars()[name]):
            assert (len(frame), list(frame.columns)) == (len(table.rows), heads)
    frame = made.to_polars()["nodes"]
    first = frame.columns[0]
    assert frame[first].to_list() == [node.id for node in graph.nodes if shape == "wide"] or shape == "long"


def test_frames_have_types() -> None:
    nodes = [
        {"id": "a", "attributes": {"n": 1, "x": 0.5, "b": True, "t": "007", "l": [1], "big": 2**70}},
        {"id": "b", "attributes": {"n": None}},
    ]
    made = tables(Graph.model_validate({"nodes": nodes})).data
    pandas, polars = made.to_pandas()["nodes"], made.to_polars()["nodes"]
    assert pandas[["n", "x", "b", "t"]].dtypes.astype(str).to_list() == [
        "Int64",
        "Float64",
        "boolean",
        "string",
    ]
    assert polars.select("n", "x", "b", "t").dtypes == [pl.Int64, pl.Float64, pl.Boolean, pl.String]
    assert pandas["n"].isna().to_list() == [False, True]
    assert pandas["big"][0] == 2**70
    assert (polars["big"][0], polars["l"][0]) == (str(2**70), "[1]")


@pytest.mark.parametrize("library", ["pandas", "polars"])
def test_frames_become_a_graph(library: str) -> None:
    nodes = {"id": ["a", "b"], "name": ["Snow", "Huế"], "born": [1813, None]}
    edges = {"source_id": ["a"], "target_id": ["b"], "weight": [2.5]}
    make: Any = pd.DataFrame if library == "pandas" else pl.DataFrame
    back = graph_of({"nodes": make(nodes), "edges": make(edges)})
    assert [(n.id, n.name, n.attributes) for n in back.nodes] == [
        ("a", "Snow", {"born": 1813}),
        ("b", "Huế", None),
    ]
    assert [(e.source_id, e.target_id, e.weight) for e in back.edges] == [("a", "b", 2.5)]
