"""Tool 20: a graph as tables."""

from collections.abc import Sequence
from typing import Annotated

from pydantic import Field

from corpusgraph.schemas.base import JsonDict
from corpusgraph.schemas.errors import MissingAttributeError, did_you_mean
from corpusgraph.schemas.graph import Entity, Graph
from corpusgraph.schemas.results import Noted, Table, ToolInput, ToolWarning
from corpusgraph.tasks.dataset.reshape.graph_tables import (
    GraphTables,
    Shape,
    TableFormat,
    attribute_names,
    checked,
    edge_table,
    lost_in_columns,
    neighbour_columns,
    node_table,
    packed,
    with_columns,
)
from corpusgraph.tasks.registry import Reads, tool
from corpusgraph.tasks.table.encodable import check_encodable
from corpusgraph.tasks.table.values import warning


class TransformGraphToTable(ToolInput):
    """Which graph, which attributes, which shape."""

    subgraph: Annotated[Graph, Reads("subgraph")] = Field(description="nodes and edges")
    node_attributes: list[str] | None = Field(
        default=None, description="attributes and fields to include beside id, name, type; none given: all"
    )
    edge_as_columns: bool = Field(
        default=False,
        description="true: one column per relationship type holding neighbour ids; false: a table of edges",
    )
    shape: Shape = Field(
        default="wide",
        description="wide: a row per node or edge; long: a row per value (record, variable, value, type)",
    )
    output_format: TableFormat = Field(
        default="dataframe",
        description="dataframe: typed columns and rows; csv, parquet: files; json, records: dictionaries",
    )


@tool(
    20,
    writes="table",
    needs={"Entity.id"},
    optional={"Entity.name", "Entity.type", "Entity.attributes", "Relationship.type", "Relationship.weight"},
)
def transform_graph_to_table(ask: TransformGraphToTable) -> Noted[GraphTables]:
    """Turn a graph into tables from which `transform_table_to_graph` makes the same graph again.

    An edge to a missing node stays (warning `dangling_edge`). What a shape cannot hold is named:
    `edge_details_left_out`, `attributes_left_out`. Raises MissingAttributeError for an attribute no node
    has, PreparationError `duplicate_id`, `empty_id`, `weight_not_finite`, and InvalidInputError for text
    that UTF-8 cannot hold.
    """
    graph, warnings = checked(ask.subgraph)
    if ask.node_attributes is not None:
        warnings += _check_attributes(graph, ask.node_attributes)
    if ask.edge_as_columns:
        tables, told = _with_neighbours(graph, ask.node_attributes)
        warnings += told
    else:
        tables = {"nodes": node_table(graph.nodes, ask.node_attributes), "edges": edge_table(graph.edges)}
    check_encodable(tables, _of_itself(graph))
    made = packed(tables, ask.output_format, ask.shape, _of_itself(graph))
    return Noted[GraphTables](data=made, warnings=warnings)


def _of_itself(graph: Graph) -> JsonDict:
    told = {} if graph.metadata is None else {"metadata": graph.metadata}
    return {**told, **(graph.model_extra or {})}


def _with_neighbours(
    graph: Graph, attributes: Sequence[str] | None
) -> tuple[dict[str, Table], tuple[ToolWarning, ...]]:
    """Return the nodes with neighbours; a node that only an edge names gets a stub to hold its column."""
    known = {node.id for node in graph.nodes}
    missing = sorted({edge.source_id for edge in graph.edges} - known)
    nodes = (*graph.nodes, *(Entity(id=id_, is_stub=True) for id_ in missing))
    warnings = lost_in_columns(graph.edges)
    message = f"{len(missing)} nodes are only named by edges; they got stubs."
    warnings += tuple(warning("stub_entities", message, missing))
    table = node_table(nodes, attributes)
    whole = graph.model_copy(update={"nodes": nodes})
    neighbours = neighbour_columns(whole, [column.name for column in table.columns])
    return {"nodes": with_columns(table, neighbours)}, warnings


def _check_attributes(graph: Graph, wanted: Sequence[str]) -> tuple[ToolWarning, ...]:
    """Raise for a name that no node has; name what is left out."""
    known = attribute_names(graph.nodes)
    for name in wanted:
        if name not in known:
            raise MissingAttributeError(
                f"No node has an attribute {name!r}.",
                hint=did_you_mean(name, known) or f"There are {', '.join(known)}.",
            )
    whole = ("Entity.attributes", "Entity.extra")
    held = (column.source for column in node_table(graph.nodes).columns if column.source not in whole)
    shown = {one.removeprefix("Entity.").removeprefix("attributes.").removeprefix("extra.") for one in held}
    left = sorted(shown - {"id", "name", "type", "description", *wanted})
    message = f"{len(left)} attributes of nodes are left out, as asked: {', '.join(left)}."
    return tuple(warning("attributes_left_out", message, left))
