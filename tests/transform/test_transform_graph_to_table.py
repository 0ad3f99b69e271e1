"""Tool 20, and the round trip through tool 21."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from corpusgraph.schemas.errors import MissingAttributeError, PreparationError
from corpusgraph.schemas.graph import Entity, Graph, Relationship
from corpusgraph.tasks.transform.graph_to_table import TransformGraphToTable, transform_graph_to_table
from corpusgraph.tasks.transform.table_to_graph import TransformTableToGraph, transform_table_to_graph

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
    assert made.edges.column("is_causal") == (None, None, True)


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


TEXT = st.text(min_size=1, max_size=8).filter(str.strip)
ATTRIBUTES = st.dictionaries(
    TEXT | st.sampled_from(["id", "name", "weight", "attributes"]),
    st.booleans()
    | st.integers()
    | st.floats(allow_nan=False)
    | st.text(max_size=5)
    | st.lists(st.integers()),
    max_size=3,
)


@st.composite
def graphs(draw: st.DrawFn) -> Graph:
    ids = draw(st.lists(TEXT, unique=True, min_size=1, max_size=5))
    nodes = [
        Entity(id=i, name=draw(TEXT), type=draw(st.none() | TEXT), attributes=draw(ATTRIBUTES) or None)
        for i in ids
    ]
    ends = draw(st.lists(st.tuples(st.sampled_from(ids), st.sampled_from(ids)), max_size=6))
    edges = [
        Relationship(
            id=f"r{n}",
            source_id=source,
            target_id=target,
            type=draw(TEXT),
            weight=draw(st.floats(1e-6, 1e6)),
            attributes=draw(ATTRIBUTES) or None,
        )
        for n, (source, target) in enumerate(ends)
    ]
    return Graph(nodes=tuple(nodes), edges=tuple(edges))


@given(graphs(), st.sampled_from(["dataframe", "json"]))
def test_a_graph_is_the_same_after_the_round_trip(graph: Graph, shape: str) -> None:
    ask = TransformGraphToTable.model_validate({"subgraph": graph, "output_format": shape})
    made: Any = transform_graph_to_table(ask).data
    if shape == "json" and _keys(graph) & {*Entity.model_fields, *Relationship.model_fields}:
        return  # records have no place to say that a column is an attribute named like a field
    if shape == "json":
        made = made.records
    back = transform_table_to_graph(TransformTableToGraph.model_validate({"table_data": made})).data
    assert back.nodes == graph.nodes
    assert back.edges == graph.edges


def _keys(graph: Graph) -> set[str]:
    held = [
        *(node.attributes or {} for node in graph.nodes),
        *(edge.attributes or {} for edge in graph.edges),
    ]
    return {key for one in held for key in one}


def test_extra_fields_survive_the_round_trip() -> None:
    back = transform_table_to_graph(TransformTableToGraph.model_validate({"table_data": tables()})).data
    assert back == GRAPH
