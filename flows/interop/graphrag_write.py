"""Write an open index, its memory included, in the table shapes of Microsoft GraphRAG 3, 2, 1 or 0.5.

What indexing writes below `output/` holds the corpus alone; this holds what was added by hand, too. Each
table has one more column, `corpusgraph`: JSON with what GraphRAG's shapes have no place for, so that reading
the folder again gives the same index. GraphRAG reads columns by name and passes it by.
"""

import json
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Literal, get_args

import pyarrow as pa
import pyarrow.parquet as pq

from corpusgraph.flows.files.disk import guarded, replacing
from corpusgraph.flows.interop.graphrag_files import OURS
from corpusgraph.flows.store.graphrag_tables import SHAPES, Source, graphrag_table
from corpusgraph.flows.store.opened import OpenIndex
from corpusgraph.flows.store.tables import Row, table_spec, to_arrow
from corpusgraph.schemas.base import Noun

if TYPE_CHECKING:
    from corpusgraph.schemas.ports import GraphView

Version = Literal["3", "2", "1", "0.5"]
VERSIONS: tuple[Version, ...] = get_args(Version)
Tables = dict[str, pa.Table]
_LEFT_OUT: Mapping[str, set[str]] = {
    "documents": {"id", "text"},
    "text_units": {"id", "content", "n_tokens"},
    "entities": {"id", "type", "description", "short_id", "has_embedding"},
    "relationships": {"id", "source_id", "target_id", "weight", "description", "short_id", "has_embedding"},
    "communities": {"id", "entity_ids", "relationship_ids", "level", "short_id", "parent_id", "children"},
    "community_reports": {"id", "community_id", "level", "rating"},
    "covariates": {"id", "entities"},
}
"""Fields that GraphRAG's columns hold."""


def write_graphrag(index: OpenIndex, folder: Path, version: Version = "3") -> dict[str, int]:
    """Write the tables into a folder, each replaced in one step; return the rows of each.

    Parameters
    ----------
    index : OpenIndex
        With its memory.
    folder : Path
        Is made where it is not there.
    version : Version, default '3'
        Of GraphRAG: names and columns of tables differ.

    Returns
    -------
    dict of str to int
        Name of a table -> its rows.

    Raises
    ------
    OutputError
        Where the folder cannot be written.

    """
    graph = index.graph
    nouns: dict[str, Iterable[Noun]] = {
        "documents": index.documents,
        "chunks": graph.chunks,
        "entities": graph.entities,
        "relationships": graph.relationships,
        "communities": graph.communities,
        "reports": graph.reports,
        "claims": index.claims,
    }
    rows: dict[str, Iterable[Row]] = {
        **nouns,
        "mentions": (
            {**vars(mention), "entity_id": index.entity_of(mention.id)} for mention in index.mentions
        ),
        "incidence": _incidence(graph),
    }
    held = {name: to_arrow(table_spec(name), list(some)) for name, some in rows.items()}
    source = Source(lambda name, columns: held[name].select(list(columns)))
    nouns["relationships"] = [edge for edge in graph.relationships if edge.is_stated]
    tables = {
        shape: _with_ours(graphrag_table(shape, source), nouns[name], _LEFT_OUT[shape])
        for shape, name in zip(SHAPES, nouns, strict=True)
    }
    shaped = _shaped(tables, version)
    with guarded(folder):
        folder.mkdir(parents=True, exist_ok=True)
        for name, table in shaped.items():
            with replacing(folder / f"{name}.parquet") as staged:
                pq.write_table(table, staged)
    return {name: table.num_rows for name, table in shaped.items()}


def _incidence(graph: "GraphView") -> Iterator[Row]:
    counts = graph.mention_counts()
    for entity in graph.entities:
        for chunk_id, count in counts.get(entity.id, {}).items():
            yield {"entity_id": entity.id, "chunk_id": chunk_id, "count": count}


def _with_ours(table: pa.Table, nouns: Iterable[Noun], left_out: set[str]) -> pa.Table:
    """Add the column of what is ours; rows and nouns are in one order."""
    texts = [json.dumps(noun.model_dump(mode="json", exclude=left_out), ensure_ascii=False) for noun in nouns]
    return table.append_column(OURS, pa.array(texts, pa.string()))


def _shaped(tables: Tables, version: Version) -> Tables:
    """Return the tables of version 3 in the shapes of an older one.

    Until 2 a unit has a list of documents, a document `metadata`, an entity a place in a picture. Until 1
    files have other names, and a table of nodes says who is in which community on which level. In 0.5
    nothing says which community holds which; the nodes tell.
    """
    if version == "3":
        return tables
    nodes = _nodes(tables["entities"], tables["communities"])
    units = tables["text_units"]
    lists = [[id_] if id_ else [] for id_ in units["document_id"].to_pylist()]
    place = units.column_names.index("document_id")
    nought = pa.array([0.0] * tables["entities"].num_rows, pa.float64())
    entities = tables["entities"]
    for axis in ("x", "y"):
        entities = entities.add_column(entities.num_columns - 1, axis, nought)
    documents = tables["documents"]
    tables = tables | {
        "text_units": units.set_column(place, "document_ids", pa.array(lists, pa.list_(pa.string()))),
        "documents": documents.rename_columns({"raw_data": "metadata"}),
        "entities": entities,
    }
    if version == "2":
        return tables
    parents = ["parent"] if version == "0.5" else []
    dropped = {
        "entities": ["frequency", "degree", "x", "y"],
        "communities": ["children", *parents],
        "community_reports": ["children", *parents],
        "documents": ["creation_date", "metadata"],
    }
    reports = tables["community_reports"].rename_columns({"rating_explanation": "rank_explanation"})
    tables = tables | {"nodes": nodes, "community_reports": reports}
    return {
        f"create_final_{name}": table.drop_columns(dropped.get(name, [])) for name, table in tables.items()
    }


def _nodes(entities: pa.Table, communities: pa.Table) -> pa.Table:
    """Return a row for each entity and community it is in, or one with community -1 for an entity in none."""
    homes: dict[str, list[tuple[int, int]]] = {}
    for community in communities.select(["community", "level", "entity_ids"]).to_pylist():
        for entity in community["entity_ids"]:
            homes.setdefault(entity, []).append((community["level"], community["community"]))
    rows = [
        {**entity, "community": community, "level": level, "x": 0, "y": 0}
        for entity in entities.select(["id", "human_readable_id", "title", "degree"]).to_pylist()
        for level, community in sorted(homes.get(entity["id"], [(0, -1)]))
    ]
    texts = {"id": pa.string(), "human_readable_id": pa.int64(), "title": pa.string()}
    numbers = dict.fromkeys(("community", "level", "degree", "x", "y"), pa.int64())
    return pa.Table.from_pylist(rows, pa.schema({**texts, **numbers}))
