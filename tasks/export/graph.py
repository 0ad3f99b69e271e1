"""The graph for other programs: GraphML, JSON (node-link), CSV and parquet tables."""

import csv
import io
import json
from collections.abc import Callable, Mapping
from xml.sax.saxutils import escape, quoteattr

from corpusgraph.schemas.base import JsonDict
from corpusgraph.schemas.graph import Entity, Relationship
from corpusgraph.schemas.ports import GraphView
from corpusgraph.tasks.export.files import NOT_XML, Files

_NODE_FIELDS: tuple[tuple[str, str], ...] = (
    ("name", "string"),
    ("type", "string"),
    ("description", "string"),
    ("n_mentions", "int"),
    ("degree", "int"),
    ("confidence", "double"),
)
_EDGE_FIELDS: tuple[tuple[str, str], ...] = (
    ("type", "string"),
    ("weight", "double"),
    ("confidence", "double"),
    ("is_causal", "boolean"),
    ("n_evidence", "int"),
    ("description", "string"),
)


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
    return [{"id": e.id, **_fields(e, _NODE_FIELDS)} for e in graph.entities]


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
    ends = ("source_id", "target_id")
    return [
        {"id": r.id, **{end: getattr(r, end) for end in ends}, **_fields(r, _EDGE_FIELDS)}
        for r in graph.relationships
    ]


def _fields(item: Entity | Relationship, fields: tuple[tuple[str, str], ...]) -> JsonDict:
    return {name: getattr(item, name) for name, _ in fields}


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
    lines = [
        '<?xml version="1.0" encoding="UTF-8"?>',
        '<graphml xmlns="http://graphml.graphdrawing.org/xmlns">',
    ]
    for domain, fields in (("node", _NODE_FIELDS), ("edge", _EDGE_FIELDS)):
        lines += [
            f'  <key id="{domain}_{name}" for="{domain}" attr.name="{name}" attr.type="{kind}"/>'
            for name, kind in fields
        ]
    lines.append('  <graph edgedefault="directed">')
    for row in node_rows(graph):
        lines += [f"    <node id={quoteattr(row['id'])}>", *_data("node", row, _NODE_FIELDS), "    </node>"]
    for row in edge_rows(graph):
        ends = f"source={quoteattr(row['source_id'])} target={quoteattr(row['target_id'])}"
        lines += [
            f"    <edge id={quoteattr(row['id'])} {ends}>",
            *_data("edge", row, _EDGE_FIELDS),
            "    </edge>",
        ]
    lines += ["  </graph>", "</graphml>", ""]
    return {"graph.graphml": "\n".join(lines).encode()}


def _data(domain: str, row: JsonDict, fields: tuple[tuple[str, str], ...]) -> list[str]:
    return [
        f'      <data key="{domain}_{name}">{escape(_xml_text(row[name]))}</data>'
        for name, _ in fields
        if row[name] is not None
    ]


def _xml_text(value: object) -> str:
    """Return a value as XML has it: booleans in lower case, characters XML forbids as U+FFFD."""
    text = str(value).lower() if isinstance(value, bool) else str(value)
    return NOT_XML.sub("\ufffd", text)


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
    return {"entities.csv": _csv(node_rows(graph)), "relationships.csv": _csv(edge_rows(graph))}


def _csv(rows: list[JsonDict]) -> bytes:
    out = io.StringIO(newline="")
    if rows:
        writer = csv.DictWriter(out, fieldnames=list(rows[0]), lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)
    return out.getvalue().encode()


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
    return {
        "entities.parquet": _parquet(node_rows(graph)),
        "relationships.parquet": _parquet(edge_rows(graph)),
    }


def _parquet(rows: list[JsonDict]) -> bytes:
    import pyarrow as pa
    import pyarrow.parquet as pq

    sink = pa.BufferOutputStream()
    pq.write_table(pa.Table.from_pylist(rows), sink, compression="zstd")
    data: bytes = sink.getvalue().to_pybytes()
    return data


GRAPH_EXPORTERS: Mapping[str, Callable[[GraphView], Files]] = {
    "graphml": graphml,
    "json": node_link,
    "csv": csv_tables,
    "parquet": parquet_tables,
}
"""Format -> writer of the whole graph."""
