"""An index as Microsoft GraphRAG 3 would have written it: `output/*.parquet`.

Ids are ours, `human_readable_id` is the short id. `period`, the date of indexing there, is empty, so
that the same content gives the same bytes. `raw_data` is the metadata as JSON text. A missing text is
empty: null would be read as "nan" there. Titles are keys there, so an entity that shares its name with
another is titled `name (type)`. Relationships that texts only deny are left out: no column could say so.
"""

import json
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from itertools import groupby
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from corpusgraph.flows.store.compiled import DENIAL, denied_edges
from corpusgraph.flows.store.lance import scan
from corpusgraph.schemas.ports import Ints


class Groups:
    """Values by key, in the order given."""

    def __init__(self, keys: pa.Array, values: pa.Array) -> None:
        coded = keys.dictionary_encode()
        codes: Ints = coded.indices.to_numpy(zero_copy_only=False).astype(np.int64)
        self._keys = coded.dictionary
        self._values = values.take(pa.array(np.argsort(codes, kind="stable")))
        sizes = np.bincount(codes, minlength=len(self._keys))
        self._ends = np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)

    def of(self, keys: pa.Array) -> pa.ListArray:
        """Return the values of each key, an empty list where it has none."""
        at: Ints = pc.index_in(keys, value_set=self._keys).fill_null(-1).to_numpy(zero_copy_only=False)
        known = at >= 0
        starts = np.where(known, self._ends[at], 0)
        sizes = np.where(known, self._ends[at + 1] - starts, 0) if len(self._keys) else np.zeros_like(starts)
        ends = np.concatenate([[0], np.cumsum(sizes)]).astype(np.int32)
        within = np.arange(ends[-1]) - np.repeat(ends[:-1], sizes)
        values = self._values.take(pa.array(np.repeat(starts, sizes) + within))
        return pa.ListArray.from_arrays(pa.array(ends), values)


def whole(column: Any) -> pa.Array:
    """Return a column as one array."""
    joined = column.combine_chunks()
    return joined if isinstance(joined, pa.Array) else pa.concat_arrays(joined.chunks)


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


UNKNOWN = "NONE"
"""What GraphRAG writes for a claim's missing subject or object."""

_NO_PARENT = -1
_STATUS = {"asserts": "SUSPECTED", "denies": "FALSE"}
"""Nobody has checked what a text puts forward, so it is not TRUE in GraphRAG's sense."""

_CHECKED = frozenset({"TRUE", "FALSE", "SUSPECTED"})
_CLAIM = ["id", "text", "stance", "entities", "chunk_id", "extractor", "cue"]

Row = Mapping[str, Any]


def communities(source: Source) -> Iterator[Row]:
    """Yield the table of communities."""
    rows = [
        {
            **_tree(source, row),
            "id": row["id"],
            "entity_ids": row["entity_ids"],
            "relationship_ids": row["relationship_ids"],
            "text_unit_ids": row["chunk_ids"],
        }
        for row in source.communities.values()
    ]
    yield _columns("communities", rows)


def _tree(source: Source, row: Row) -> dict[str, Any]:
    known = source.communities
    parent = known.get(row["parent_id"])
    return {
        "human_readable_id": row["number"],
        "community": row["number"],
        "level": row["level"],
        "parent": parent["number"] if parent else _NO_PARENT,
        "children": [known[child]["number"] for child in row["children"] if child in known],
        "title": row["title"],
        "period": "",
        "size": len(row["entity_ids"]),
    }


def community_reports(source: Source) -> Iterator[Row]:
    """Yield the table of reports; each finding cites its text unit by human-readable id.

    Findings from what was added by hand are left out, and reports on communities of nothing else.
    """
    names = ["id", "community_id", "level", "title", "summary", "findings", "rating", "rating_explanation"]
    reports = [row for batch in source.scan("reports", names, 4096) for row in pa.table(batch).to_pylist()]
    all_by_hand = set(source.columns("communities", "id")[0].to_pylist()) - set(source.communities)
    reports = [report for report in reports if report["community_id"] not in all_by_hand]
    for report in reports:
        found = json.loads(report["findings"])
        report["findings"] = [one for one in found if one["chunk_id"] not in source.left_out]
    cited = {finding["chunk_id"] for report in reports for finding in report["findings"]}
    numbers = _numbers(source, cited)
    yield _columns("community_reports", [_report(source, report, numbers) for report in reports])


def _numbers(source: Source, chunk_ids: set[str]) -> dict[str, int]:
    """Return the human-readable ids of some chunks."""
    wanted = pa.array(sorted(chunk_ids), pa.string())
    found: dict[str, int] = {}
    for batch in source.scan("chunks", ["id", "short_id"], 65_536):
        known = pc.is_in(batch["id"], value_set=wanted)
        ids, numbers = batch["id"].filter(known), batch["number"].filter(known)
        found |= dict(zip(ids.to_pylist(), numbers.to_pylist(), strict=True))
    return found


def _report(source: Source, report: Row, numbers: Mapping[str, int]) -> dict[str, Any]:
    findings = _findings(report["findings"], numbers)
    head = {"title": report["title"], "summary": report["summary"], "rating": report["rating"]}
    reasons = {"rating_explanation": report["rating_explanation"], "findings": findings}
    sections = [f"## {finding['summary']}\n\n{finding['explanation']}" for finding in findings]
    community = source.communities.get(report["community_id"])
    tree = _tree(source, community) if community else _no_tree(report)
    return {
        **tree,
        **head,
        **reasons,
        "id": report["id"],
        "rank": report["rating"],
        "full_content": "\n\n".join([f"# {report['title']}", report["summary"], *sections]),
        "full_content_json": to_json(head | reasons),
    }


def _findings(rows: Iterable[Row], numbers: Mapping[str, int]) -> list[dict[str, str]]:
    """Return findings; one that a model wrote has a row for each of its sources, one after the other."""
    found = []
    for (summary, explanation, _), sources in groupby(rows, key=_said):
        cited = dict.fromkeys(str(numbers.get(row["chunk_id"], row["chunk_id"])) for row in sources)
        data = f"[Data: Sources ({', '.join(cited)})]"
        found.append({"summary": summary, "explanation": f"{explanation} {data}".lstrip()})
    return found


def _said(row: Row) -> tuple[str, str, Any]:
    """Return a model's words, or the sentence that stands for itself and its place."""
    if row.get("summary"):
        return row["summary"], row["explanation"], None
    return row["text"], "", (row["document_id"], row["start"])


def _no_tree(report: Row) -> dict[str, Any]:
    """Stand in for a community that is not in the index."""
    lone = {"human_readable_id": _NO_PARENT, "community": _NO_PARENT, "level": report["level"]}
    return {**lone, "parent": _NO_PARENT, "children": [], "period": "", "size": 0}


def covariates(source: Source) -> Iterator[Row]:
    """Yield the table of claims: subject and object are the first two entities a claim names."""
    known, titles = _entity_titles(source)
    for batch in source.scan("claims", _CLAIM, 2048):
        named = pc.unique(pc.list_flatten(batch["entities"]))
        found = titles.take(pc.index_in(named, value_set=known))
        mentioned = dict(zip(named.to_pylist(), found.to_pylist(), strict=True))
        yield _columns("covariates", [_claim(claim, mentioned) for claim in pa.table(batch).to_pylist()])


def _entity_titles(source: Source) -> tuple[pa.Array, pa.Array]:
    """Return the mentions that claims refer to, and for each its entity's title or null."""
    ids, titles, _ = source.entities
    (lists,) = source.columns("claims", "entities")
    wanted = pc.unique(pc.list_flatten(lists))
    mentions, places = [wanted.slice(0, 0)], [pa.array([], pa.int32())]
    for batch in source.scan("mentions", ["id", "entity_id"], 65_536):
        known = pc.is_in(batch["id"], value_set=wanted)
        mentions.append(batch["id"].filter(known))
        places.append(pc.index_in(batch["entity_id"].filter(known), value_set=ids))
    return pa.concat_arrays(mentions), titles.take(pa.concat_arrays(places))


def _claim(claim: Row, mentioned: Mapping[str, str | None]) -> dict[str, Any]:
    named = filter(None, (mentioned[mention] for mention in claim["entities"]))
    subject, object_, *_ = [*dict.fromkeys(named), UNKNOWN, UNKNOWN]
    return {
        "id": claim["id"],
        "human_readable_id": claim["number"],
        "covariate_type": "claim",
        "description": claim["text"],
        "subject_id": subject,
        "object_id": object_,
        **_judged(claim),
        "source_text": claim["text"],
        "text_unit_id": claim["chunk_id"],
    }


def _judged(claim: Row) -> dict[str, str]:
    """Return type, status and dates: those that GraphRAG gave, where the claim is one of its own."""
    stance: str = claim["stance"]
    made = {"type": stance.upper(), "status": _STATUS[stance], "start_date": UNKNOWN, "end_date": UNKNOWN}
    parts = (claim["cue"] or "").split(", ") if claim["extractor"] == "graphrag" else []
    at = max((place for place, part in enumerate(parts) if part in _CHECKED), default=None)
    if at is None:
        return made
    dates = dict(zip(("start_date", "end_date"), parts[at + 1 :], strict=False))
    kind = ", ".join(parts[:at]) or made["type"]
    return {**made, "type": kind, "status": parts[at], **dates}


def _columns(name: str, rows: list[dict[str, Any]]) -> Row:
    return {field.name: pa.array([row[field.name] for row in rows], field.type) for field in SHAPES[name]}


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
