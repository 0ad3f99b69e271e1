"""Write an open index, its memory included, in the table shapes of Microsoft GraphRAG 3, 2, 1 or 0.5.

What indexing writes below `output/` holds the corpus alone; this holds what was added by hand, too. Each
table has one more column, `corpusgraph`: JSON with what GraphRAG's shapes have no place for, so that reading
the folder again gives the same index. GraphRAG reads columns by name and passes it by.
"""

import json
import shutil
import tempfile
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import pyarrow as pa
import pyarrow.parquet as pq

from corpusgraph.flows.files.disk import guarded
from corpusgraph.flows.interop.graphrag_files import OURS
from corpusgraph.flows.store.graphrag_tables import write_graphrag_tables
from corpusgraph.flows.store.opened import OpenIndex
from corpusgraph.flows.store.tables import Row, table_spec, to_arrow
from corpusgraph.schemas.base import Noun

if TYPE_CHECKING:
    from corpusgraph.schemas.ports import GraphView

Version = Literal["3", "2", "1", "0.5"]
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


class Held:
    """A table in memory that is read as a Lance table is."""

    def __init__(self, table: pa.Table) -> None:
        self._table = table

    def search(self) -> "Held":
        """Begin a query: of all rows."""
        return self

    def select(self, columns: Sequence[str]) -> "Held":
        """Return some columns."""
        return Held(self._table.select(list(columns)))

    def to_arrow(self) -> pa.Table:
        """Return the rows."""
        return self._table

    def to_batches(self, rows: int) -> Iterator[pa.RecordBatch]:
        """Return the rows in batches."""
        yield from self._table.to_batches(max_chunksize=rows)


def write_graphrag(index: OpenIndex, folder: Path, version: Version = "3") -> dict[str, int]:
    """Write the tables into a folder, each replaced in one step; return the rows of each."""
    nouns = _nouns(index)
    held = {name: Held(to_arrow(table_spec(name), list(rows))) for name, rows in _rows(index).items()}
    with guarded(folder):
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=folder, prefix=".export-") as scratch:
            staged = Path(scratch)
            write_graphrag_tables(held, staged)
            made = {
                path.stem: _with_ours(pq.read_table(path), nouns[path.stem], _LEFT_OUT[path.stem])
                for path in sorted(staged.iterdir())
            }
            shaped = _SHAPERS[version](made)
            for name, table in shaped.items():
                pq.write_table(table, staged / f"{name}.parquet")
                shutil.move(staged / f"{name}.parquet", folder / f"{name}.parquet")
    return {name: table.num_rows for name, table in shaped.items()}


def _nouns(index: OpenIndex) -> dict[str, Iterable[Noun]]:
    graph = index.graph
    return {
        "documents": index.documents,
        "text_units": graph.chunks,
        "entities": graph.entities,
        "relationships": [edge for edge in graph.relationships if edge.is_stated],
        "communities": graph.communities,
        "community_reports": graph.reports,
        "covariates": index.claims,
    }


def _rows(index: OpenIndex) -> dict[str, Iterable[Row]]:
    graph = index.graph
    mentions = ({**vars(one), "entity_id": index.entity_of(one.id)} for one in index.mentions)
    return {
        "documents": index.documents,
        "chunks": graph.chunks,
        "entities": graph.entities,
        "relationships": graph.relationships,
        "communities": graph.communities,
        "reports": graph.reports,
        "claims": index.claims,
        "mentions": mentions,
        "incidence": _incidence(graph),
    }


def _incidence(graph: "GraphView") -> Iterator[Row]:
    counts = graph.mention_counts()
    for entity in graph.entities:
        for chunk_id, count in counts.get(entity.id, {}).items():
            yield {"entity_id": entity.id, "chunk_id": chunk_id, "count": count}


def _with_ours(table: pa.Table, nouns: Iterable[Noun], left_out: set[str]) -> pa.Table:
    """Add the column of what is ours; rows and nouns are in one order."""
    told = [json.dumps(noun.model_dump(mode="json", exclude=left_out), ensure_ascii=False) for noun in nouns]
    return table.append_column(OURS, pa.array(told, pa.string()))


def _three(tables: dict[str, pa.Table]) -> dict[str, pa.Table]:
    return tables


def _two(tables: dict[str, pa.Table]) -> dict[str, pa.Table]:
    """Version 2: a unit has a list of documents, a document `metadata`, an entity a place in a picture."""
    units, entities = tables["text_units"], tables["entities"]
    lists = pa.array(
        [[one] if one else [] for one in units["document_id"].to_pylist()], pa.list_(pa.string())
    )
    units = _replaced(units, "document_id", "document_ids", lists)
    documents = tables["documents"]
    documents = _replaced(documents, "raw_data", "metadata", documents["raw_data"])
    nought = pa.array([0.0] * entities.num_rows, pa.float64())
    for axis in ("x", "y"):
        entities = entities.add_column(entities.num_columns - 1, axis, nought)
    return {**tables, "text_units": units, "documents": documents, "entities": entities}


def _one(tables: dict[str, pa.Table]) -> dict[str, pa.Table]:
    """Version 1: files of other names, and a table of nodes: who is in which community on which level."""
    two = _two(tables)
    reports = two["community_reports"].drop_columns(["children"])
    reports = _replaced(reports, "rating_explanation", "rank_explanation", reports["rating_explanation"])
    made = {
        **two,
        "nodes": _nodes(tables["entities"], tables["communities"]),
        "entities": two["entities"].drop_columns(["frequency", "degree", "x", "y"]),
        "communities": two["communities"].drop_columns(["children"]),
        "community_reports": reports,
        "documents": two["documents"].drop_columns(["creation_date", "metadata"]),
    }
    return {f"create_final_{name}": table for name, table in made.items()}


def _half(tables: dict[str, pa.Table]) -> dict[str, pa.Table]:
    """Version 0.5: nothing says which community holds which; the nodes tell."""
    made = _one(tables)
    for name in ("create_final_communities", "create_final_community_reports"):
        made[name] = made[name].drop_columns(["parent"])
    return made


def _replaced(table: pa.Table, name: str, new: str, values: Any) -> pa.Table:
    return table.set_column(table.column_names.index(name), new, values)


def _nodes(entities: pa.Table, communities: pa.Table) -> pa.Table:
    """Return a row for each entity and community it is in, or one with community -1 for an entity in none."""
    homes: dict[str, list[tuple[int, int]]] = {}
    members = communities.select(["community", "level", "entity_ids"]).to_pylist()
    for community in members:
        for entity in community["entity_ids"]:
            homes.setdefault(entity, []).append((community["level"], community["community"]))
    rows = []
    for entity in entities.select(["id", "human_readable_id", "title", "degree"]).to_pylist():
        for level, community in sorted(homes.get(entity["id"], [(0, -1)])):
            head = {key: entity[key] for key in ("id", "human_readable_id", "title")}
            place = {"community": community, "level": level, "degree": entity["degree"], "x": 0, "y": 0}
            rows.append({**head, **place})
    schema = pa.schema(
        [("id", pa.string()), ("human_readable_id", pa.int64()), ("title", pa.string())]
        + [(name, pa.int64()) for name in ("community", "level", "degree", "x", "y")]
    )
    return pa.Table.from_pylist(rows, schema)


_SHAPERS: Mapping[Version, Callable[[dict[str, pa.Table]], dict[str, pa.Table]]] = {
    "3": _three,
    "2": _two,
    "1": _one,
    "0.5": _half,
}
VERSIONS = tuple(_SHAPERS)
