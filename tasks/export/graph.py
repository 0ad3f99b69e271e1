"""The graph for other programs: GraphML, JSON (node-link), CSV and parquet tables."""

import io
import json
from collections.abc import Callable, Mapping

import networkx as nx
import polars as pl

from corpusgraph.schemas.base import JsonDict
from corpusgraph.schemas.graph import Relationship
from corpusgraph.schemas.ports import GraphView
from corpusgraph.tasks.export.files import NOT_XML, Files

_NODE_FIELDS = ("id", "name", "type", "description", "n_mentions", "degree", "confidence")
_ENDS = ("source_id", "target_id")
_EDGE_FIELDS = ("id", *_ENDS, "type", "weight", "confidence", "is_causal", "n_evidence", "description")


def node_rows(graph: GraphView) -> list[JsonDict]:
    """Return one flat record an entity.

    Parameters
    ----------
    graph : GraphView
        The graph.

    Returns
    -------
    list of JsonDict
        Each with `id`, `name`, `type`, `description`, `n_mentions`, `degree` and `confidence`.

    """
    return [{name: getattr(e, name) for name in _NODE_FIELDS} for e in graph.entities]


def edge_rows(graph: GraphView) -> list[JsonDict]:
    """Return one flat record a relationship.

    Parameters
    ----------
    graph : GraphView
        The graph.

    Returns
    -------
    list of JsonDict
        Each with `id`, `source_id`, `target_id`, `type`, `weight`, `confidence`, `is_causal`, `n_evidence`
        and `description`.

    """
    return [{name: getattr(r, name) for name in _EDGE_FIELDS} for r in graph.relationships]


def graphml(graph: GraphView) -> Files:
    """Write GraphML (Brandes et al. 2002): directed, parallel edges kept, attributes typed.

    Parameters
    ----------
    graph : GraphView
        The graph.

    Returns
    -------
    dict of str to bytes
        `graph.graphml`. Characters that XML cannot hold are U+FFFD there.

    References
    ----------
    Brandes et al. 2002.

    """
    told = nx.MultiDiGraph()
    for row in map(_in_xml, node_rows(graph)):
        told.add_node(row.pop("id"), **row)
    for row in map(_in_xml, edge_rows(graph)):
        told.add_edge(row.pop("source_id"), row.pop("target_id"), row.pop("id"), **row)
    return {"graph.graphml": "\n".join((*nx.generate_graphml(told), "")).encode()}


def _in_xml(row: JsonDict) -> JsonDict:
    """Return what is there; characters that XML forbids are U+FFFD."""
    return {
        name: NOT_XML.sub("\ufffd", value) if isinstance(value, str) else value
        for name, value in row.items()
        if value is not None
    }


def node_link(graph: GraphView) -> Files:
    """Write node-link JSON with every attribute, as networkx's `node_link_graph` reads it.

    Parameters
    ----------
    graph : GraphView
        The graph.

    Returns
    -------
    dict of str to bytes
        `graph.json`.

    """
    told = {
        "directed": True,
        "multigraph": True,
        "graph": {},
        "nodes": [e.model_dump(mode="json", exclude_none=True) for e in graph.entities],
        "edges": [_link(r) for r in graph.relationships],
    }
    return {"graph.json": json.dumps(told, ensure_ascii=False, indent=1).encode()}


def _link(relationship: Relationship) -> JsonDict:
    ends = {"source": relationship.source_id, "target": relationship.target_id, "key": relationship.id}
    return ends | relationship.model_dump(mode="json", exclude_none=True)


def csv_tables(graph: GraphView) -> Files:
    """Write entities.csv and relationships.csv, UTF-8.

    Parameters
    ----------
    graph : GraphView
        The graph.

    Returns
    -------
    dict of str to bytes
        A table without rows is an empty file.

    """
    return {f"{name}.csv": frame.write_csv().encode() for name, frame in _frames(graph).items()}


def _frames(graph: GraphView) -> "dict[str, pl.DataFrame]":
    rows = {"entities": node_rows(graph), "relationships": edge_rows(graph)}
    return {name: pl.DataFrame(own, infer_schema_length=None) for name, own in rows.items()}


def parquet_tables(graph: GraphView) -> Files:
    """Write entities.parquet and relationships.parquet.

    Parameters
    ----------
    graph : GraphView
        The graph.

    Returns
    -------
    dict of str to bytes
        Two files, one row an item, in id order.

    """
    files = {}
    for name, frame in _frames(graph).items():
        sink = io.BytesIO()
        frame.write_parquet(sink)
        files[f"{name}.parquet"] = sink.getvalue()
    return files


GRAPH_EXPORTERS: Mapping[str, Callable[[GraphView], Files]] = {
    "graphml": graphml,
    "json": node_link,
    "csv": csv_tables,
    "parquet": parquet_tables,
}
"""Format -> writer of the whole graph."""
