"""Tool 20: a graph as tables."""

from typing import Annotated, Any, Literal

from pydantic import Field

from corpusgraph.schemas.errors import MissingAttributeError, did_you_mean
from corpusgraph.schemas.graph import Graph
from corpusgraph.schemas.results import Noted, Table, ToolInput
from corpusgraph.tasks._tool import Reads, tool
from corpusgraph.tasks.dataset.graph_tables import (
    GraphTables,
    attribute_names,
    checked,
    edge_table,
    neighbour_columns,
    node_table,
    with_columns,
)
from corpusgraph.tasks.export.delimited import csv_bytes


class TransformGraphToTable(ToolInput):
    """Which graph, which attributes, which shape."""

    subgraph: Annotated[Graph, Reads("subgraph")]
    node_attributes: list[str] | None = Field(
        default=None, description="attributes and fields to include beside id, name, type; none given: all"
    )
    edge_as_columns: bool = Field(
        default=False,
        description="true: one column per relationship type holding neighbour ids; false: a table of edges",
    )
    output_format: Literal["dataframe", "csv", "json"] = "dataframe"


@tool(
    20,
    writes="table",
    needs={"Entity.id"},
    optional={"Entity.name", "Entity.type", "Entity.attributes", "Relationship.type", "Relationship.weight"},
)
def transform_graph_to_table(ask: TransformGraphToTable) -> Noted[GraphTables]:
    """Turn a graph into tables from which `transform_table_to_graph` makes the same graph again.

    An edge to a missing node stays (warning `dangling_edge`). Raises MissingAttributeError for an
    attribute no node has, PreparationError `duplicate_id`.
    """
    graph, warnings = checked(ask.subgraph)
    _check_attributes(graph, ask.node_attributes or ())
    nodes = node_table(graph.nodes, ask.node_attributes)
    if ask.edge_as_columns:
        tables = {"nodes": with_columns(nodes, neighbour_columns(graph))}
    else:
        tables = {"nodes": nodes, "edges": edge_table(graph.edges)}
    return Noted[GraphTables](data=_shaped(tables, ask.output_format), warnings=warnings)


def _check_attributes(graph: Graph, wanted: Any) -> None:
    known = attribute_names(graph.nodes)
    for name in wanted:
        if name not in known:
            raise MissingAttributeError(
                f"No node has an attribute {name!r}.",
                hint=did_you_mean(name, known) or f"There are {', '.join(known)}.",
            )


def _shaped(tables: dict[str, Table], shape: Literal["dataframe", "csv", "json"]) -> GraphTables:
    if shape == "csv":
        texts = {
            f"{name}.csv": csv_bytes([c.name for c in table.columns], table.rows).decode()
            for name, table in tables.items()
        }
        return GraphTables(format=shape, csv=texts)
    if shape == "json":
        return GraphTables(format=shape, records={name: table.records() for name, table in tables.items()})
    return GraphTables(format=shape, nodes=tables["nodes"], edges=tables.get("edges"))
