"""The table shapes of Microsoft GraphRAG 3 (checked against graphrag 3.1.2), and what fills them."""

import json
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from corpusgraph.flows.resources.compilewrite import DENIAL, denied_edges
from corpusgraph.flows.resources.grouping import Groups, whole
from corpusgraph.flows.resources.lance import scan

_S, _I, _F = pa.string(), pa.int64(), pa.float64()
_IDS, _NUMBERS = pa.list_(pa.string()), pa.list_(pa.int64())
_FINDINGS = pa.list_(pa.struct([("summary", _S), ("explanation", _S)]))
_HEAD = {"id": _S, "human_readable_id": _I}
_TREE = {"community": _I, "level": _I, "parent": _I, "children": _NUMBERS, "title": _S}
_PERIOD = {"period": _S, "size": _I}


def _shape(head: Mapping[str, pa.DataType], **rest: pa.DataType) -> pa.Schema:
    return pa.schema([*_HEAD.items(), *head.items(), *rest.items()])


SHAPES: Mapping[str, pa.Schema] = {
    "documents": _shape(
        {"title": _S, "text": _S, "text_unit_ids": _IDS, "creation_date": _S, "raw_data": _S}
    ),
    "text_units": _shape(
        {"text": _S, "n_tokens": _I, "document_id": _S},
        entity_ids=_IDS,
        relationship_ids=_IDS,
        covariate_ids=_IDS,
    ),
    "entities": _shape(
        {"title": _S, "type": _S, "description": _S}, text_unit_ids=_IDS, frequency=_I, degree=_I
    ),
    "relationships": _shape(
        {"source": _S, "target": _S, "description": _S, "weight": _F}, combined_degree=_I, text_unit_ids=_IDS
    ),
    "communities": _shape(_TREE, entity_ids=_IDS, relationship_ids=_IDS, text_unit_ids=_IDS, **_PERIOD),
    "community_reports": _shape(
        _TREE,
        summary=_S,
        full_content=_S,
        rank=_F,
        rating_explanation=_S,
        findings=_FINDINGS,
        full_content_json=_S,
        **_PERIOD,
    ),
    "covariates": _shape(
        {"covariate_type": _S, "type": _S, "description": _S, "subject_id": _S, "object_id": _S},
        status=_S,
        start_date=_S,
        end_date=_S,
        source_text=_S,
        text_unit_id=_S,
    ),
}


_MEMBERS = {"entity_ids": "entities", "relationship_ids": "relationships", "chunk_ids": "chunks"}
"""What a community lists -> the table that has it."""


class Source:
    """The tables of a generation while they are reshaped. Ids are held in memory, texts are streamed."""

    def __init__(self, tables: Mapping[str, Any]) -> None:
        self._tables = tables

    def columns(self, table: str, *names: str) -> list[pa.Array]:
        """Read whole columns of a table."""
        found = self._tables[table].search().select(list(names)).to_arrow()
        return [whole(found.column(name)) for name in names]

    def scan(self, table: str, columns: Sequence[str], rows: int) -> Iterator[dict[str, pa.Array]]:
        """Yield batches of columns with `number`: the rows' short ids, or else their places in the table."""
        seen = 0
        for batch in scan(self._tables[table], columns, rows):
            found = {name: whole(batch.column(name)) for name in columns}
            place = pa.array(np.arange(seen, seen + batch.num_rows))
            found["number"] = pc.coalesce(found["short_id"], place) if "short_id" in columns else place
            found["place"] = place
            seen += batch.num_rows
            yield found

    @cached_property
    def chunks_of_entity(self) -> Groups:
        """Entity id -> chunk ids."""
        return Groups(*self.columns("incidence", "entity_id", "chunk_id"))

    @cached_property
    def entities(self) -> tuple[pa.Array, pa.Array, pa.Array]:
        """Ids, titles (each different) and degrees of all entities."""
        ids, names, types, degrees = self.columns("entities", "id", "name", "type", "degree")
        titles = unique_titles(ids.to_pylist(), names.to_pylist(), types.to_pylist())
        return ids, pa.array(titles, _S), degrees.fill_null(0)

    @cached_property
    def communities(self) -> dict[str, dict[str, Any]]:
        """Community id -> its fields, `number` and a title no other community has."""
        names = ["id", "short_id", "title", "level", "parent_id", "children", "entity_ids"]
        names += ["relationship_ids", "chunk_ids"]
        found: dict[str, dict[str, Any]] = {}
        for batch in self.scan("communities", names, 16_384):
            found |= {row["id"]: row for row in pa.table(batch).to_pylist()}
        self._leave_out(found)
        titles = unique_titles(
            list(found),
            [row["title"] or f"Community {row['number']}" for row in found.values()],
            [str(row["number"]) for row in found.values()],
        )
        for row, title in zip(found.values(), titles, strict=True):
            row["title"] = title
        return found

    @cached_property
    def denied(self) -> pa.Array:
        """Ids of the relationships that texts only deny: no column could say so."""
        edges = self._tables["relationships"].search().select(list(DENIAL)).to_arrow()
        return whole(edges.column("id").take(pa.array(denied_edges(edges))))

    @cached_property
    def left_out(self) -> frozenset[str]:
        """Ids in communities that no table here has: what was added by hand, and what texts only deny."""
        unknown: set[str] = set()
        for column, table in _MEMBERS.items():
            (ids,), (lists,) = self.columns(table, "id"), self.columns("communities", column)
            named = pc.unique(pc.list_flatten(lists))
            unknown |= set(named.filter(pc.invert(pc.is_in(named, value_set=ids))).to_pylist())
        return frozenset(unknown.union(self.denied.to_pylist()))

    def _leave_out(self, communities: dict[str, dict[str, Any]]) -> None:
        """Leave out what no table has, and communities of nothing else; all ids are then known."""
        for id_, row in list(communities.items()) if self.left_out else ():
            had = bool(row["entity_ids"])
            for column in _MEMBERS:
                row[column] = [one for one in row[column] or () if one not in self.left_out]
            if had and not row["entity_ids"]:
                del communities[id_]


def unique_titles(ids: Sequence[str], names: Sequence[str], qualifiers: Sequence[str | None]) -> list[str]:
    """Return names that are keys: one that occurs twice gets its qualifier, or else its id, in brackets."""
    times = Counter(names)
    taken = {name for name, count in times.items() if count == 1}
    titles = []
    for id_, name, qualifier in zip(ids, names, qualifiers, strict=True):
        title = name
        if times[name] > 1:
            title = f"{name} ({qualifier})" if qualifier else f"{name} ({id_})"
            title = f"{name} ({id_})" if title in taken else title
            taken.add(title)
        titles.append(title)
    return titles


def shaped(name: str, columns: Mapping[str, Any]) -> pa.Table:
    """Make a table of a shape."""
    schema = SHAPES[name]
    return pa.table({field.name: columns[field.name] for field in schema}).cast(schema)


def to_json(value: Any) -> str:
    """Write JSON with letters as they are."""
    return json.dumps(value, ensure_ascii=False)
