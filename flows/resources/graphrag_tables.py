"""An index as Microsoft GraphRAG 3 would have written it: `output/*.parquet`.

Ids are ours, `human_readable_id` is the short id. `period`, the date of indexing there, is empty, so
that the same content gives the same bytes. `raw_data` is the metadata as JSON text. A missing text is
empty: null would be read as "nan" there. Titles are keys there, so an entity that shares its name with
another is titled `name (type)`. Relationships that texts only deny are left out: no column could say so.
"""

import json
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from corpusgraph.flows.resources.graphrag_communities import communities, community_reports, covariates
from corpusgraph.flows.resources.graphrag_shapes import SHAPES, Source, shaped
from corpusgraph.flows.resources.grouping import Groups

Batches = Iterator[Mapping[str, Any]]

_NO_IDS = pa.scalar([], pa.list_(pa.string()))


def write_graphrag_tables(tables: Mapping[str, Any], folder: Path) -> None:
    """Write one parquet file per shape from open Lance tables; the same content gives the same bytes."""
    source = Source(tables)
    for name, schema in SHAPES.items():
        with pq.ParquetWriter(folder / f"{name}.parquet", schema) as writer:
            for columns in _SHAPERS[name](source):
                writer.write_table(shaped(name, columns))


def _documents(source: Source) -> Batches:
    chunks = Groups(*source.columns("chunks", "source_doc", "id"))
    for rows in source.scan("documents", ["id", "title", "text", "metadata"], 64):
        dates = [json.loads(metadata).get("date") for metadata in rows["metadata"].to_pylist()]
        yield {
            **rows,
            "human_readable_id": rows["number"],
            "text_unit_ids": chunks.of(rows["id"]),
            "creation_date": pa.array(["" if date is None else str(date) for date in dates], pa.string()),
            "raw_data": rows["metadata"],
        }


def _text_units(source: Source) -> Batches:
    entities, chunks = source.columns("incidence", "entity_id", "chunk_id")
    owners, lists = source.columns("relationships", "id", "chunk_ids")
    ends = owners.take(pc.list_parent_indices(lists))
    stated = pc.invert(pc.is_in(ends, value_set=source.denied))
    edges = Groups(pc.list_flatten(lists).filter(stated), ends.filter(stated))
    nodes = Groups(chunks, entities)
    claims = Groups(*source.columns("claims", "chunk_id", "id"))
    for rows in source.scan("chunks", ["id", "content", "n_tokens", "source_doc", "short_id"], 512):
        yield {
            "id": rows["id"],
            "human_readable_id": rows["number"],
            "text": rows["content"],
            "n_tokens": rows["n_tokens"].fill_null(0),
            "document_id": rows["source_doc"],
            "entity_ids": nodes.of(rows["id"]),
            "relationship_ids": edges.of(rows["id"]),
            "covariate_ids": claims.of(rows["id"]),
        }


def _entities(source: Source) -> Batches:
    _, titles, degrees = source.entities
    for rows in source.scan("entities", ["id", "type", "description", "short_id"], 16_384):
        chunks = source.chunks_of_entity.of(rows["id"])
        yield {
            **rows,
            "type": rows["type"].fill_null(""),
            "description": rows["description"].fill_null(""),
            "human_readable_id": rows["number"],
            "title": titles.take(rows["place"]),
            "text_unit_ids": chunks,
            "frequency": pc.list_value_length(chunks),
            "degree": degrees.take(rows["place"]),
        }


def _relationships(source: Source) -> Batches:
    ids, titles, degrees = source.entities
    columns = ["id", "source_id", "target_id", "description", "weight", "chunk_ids", "short_id"]
    for batch in source.scan("relationships", columns, 16_384):
        stated = pc.invert(pc.is_in(batch["id"], value_set=source.denied))
        rows = {name: column.filter(stated) for name, column in batch.items()}
        tail, head = (pc.index_in(rows[end], value_set=ids) for end in ("source_id", "target_id"))
        yield {
            **rows,
            "description": rows["description"].fill_null(""),
            "human_readable_id": rows["number"],
            "source": pc.coalesce(titles.take(tail), rows["source_id"]),
            "target": pc.coalesce(titles.take(head), rows["target_id"]),
            "combined_degree": pc.add(degrees.take(tail).fill_null(0), degrees.take(head).fill_null(0)),
            "text_unit_ids": pc.coalesce(rows["chunk_ids"], _NO_IDS),
        }


_SHAPERS: Mapping[str, Callable[[Source], Batches]] = {
    "documents": _documents,
    "text_units": _text_units,
    "entities": _entities,
    "relationships": _relationships,
    "communities": communities,
    "community_reports": community_reports,
    "covariates": covariates,
}
