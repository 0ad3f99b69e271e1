"""Tool 20, and the round trip through tool 21."""

from typing import Any

import pytest

from corpusgraph.schemas.errors import MissingAttributeError, PreparationError
from corpusgraph.schemas.graph import Graph
from corpusgraph.tasks.tools.transform import (
    TransformGraphToTable,
    TransformTableToGraph,
    transform_graph_to_table,
    transform_table_to_graph,
)

GRAPH = Graph.model_validate(
    {
        "nodes": [
            {
                "id": "a",
                "name": "Snow",
                "type": "person",
                "attributes": {"born": 1813, "id": "x"},
                "n_mentions": 3,
            },
            {"id": "b", "name": "Huế", "colour": "red"},
            {"id": "c"},
        ],
        "edges": [
            {"id": "r1", "source_id": "a", "target_id": "b", "type": "knows", "weight": 2.5},
            {"id": "r2", "source_id": "a", "target_id": "c", "type": "knows", "keywords": ["x"]},
            {"id": "r3", "source_id": "b", "target_id": "a", "type": "name", "is_causal": True},
        ],
    }
)


def tables(**options: Any) -> Any:
    return transform_graph_to_table(TransformGraphToTable.model_validate({"subgraph": GRAPH, **options})).data


def test_nodes_and_edges_are_two_tables() -> None:
    made = tables()
    assert [c.name for c in made.nodes.columns] == [
        "id",
        "name",
        "type",
        "n_mentions",
        "colour",
        "born",
        "attribute_id",
    ]
    assert made.nodes.column("born") == (1813, None, None)
    assert made.edges.column("weight") == (2.5, 1.0, 1.0)
    assert made.edges.column("is_causal") == (False, False, True)


def test_edges_can_be_columns_of_their_type() -> None:
    made = tables(edge_as_columns=True)
    assert made.edges is None
    assert made.nodes.column("knows") == (["b", "c"], None, None)
    assert made.nodes.column("edges_name") == (None, ["a"], None)


def test_attributes_are_chosen_by_name() -> None:
    made = tables(node_attributes=["born", "n_mentions"])
    assert [c.name for c in made.nodes.columns] == ["id", "name", "type", "n_mentions", "born"]
    with pytest.raises(MissingAttributeError, match="'born'"):
        tables(node_attributes=["bron"])


def test_csv_and_json_carry_the_same_cells() -> None:
    assert tables(output_format="csv").csv["edges.csv"].splitlines()[1].startswith("r1,a,b,knows,2.5")
    assert tables(output_format="json").records["nodes"][1]["name"] == "Huế"


def test_two_nodes_of_one_id_are_an_error() -> None:
    nodes = [{"id": "a", "name": "A"}, {"id": "a", "name": "B"}]
    with pytest.raises(PreparationError) as caught:
        tables(subgraph={"nodes": nodes})
    assert caught.value.code == "duplicate_id"


def test_a_dangling_edge_stays_and_is_named() -> None:
    edge = {"id": "r", "source_id": "a", "target_id": "z"}
    noted = transform_graph_to_table(
        TransformGraphToTable.model_validate({"subgraph": {"nodes": [{"id": "a"}], "edges": [edge]}})
    )
    assert [(w.code, w.records) for w in noted.warnings] == [("dangling_edge", ("r",))]
    assert noted.data.edges is not None
    assert noted.data.edges.column("target_id") == ("z",)


def test_extra_fields_survive_the_round_trip() -> None:
    back = transform_table_to_graph(TransformTableToGraph.model_validate({"table_data": tables()})).data
    assert back == GRAPH
