"""An index as Microsoft GraphRAG 3 would have written it: `output/*.parquet`.

Ids are ours, `human_readable_id` is the short id. `period`, the date of indexing there, is empty, so
that the same content gives the same bytes. `raw_data` is the metadata as JSON text. A missing text is
empty: null would be read as "nan" there. Titles are keys there, so an entity that shares its name with
another is titled `name (type)`. Relationships that texts only deny are left out: no column could say so.
"""

import json
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cached_property
from itertools import groupby
from pathlib import Path
from typing import Any

import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq

from corpusgraph.flows.store.compiled import DENIAL, Read, denied_edges

_S, _I, _F = pa.string(), pa.int64(), pa.float64()
_IDS, _NUMBERS = pa.list_(_S), pa.list_(_I)
_FINDINGS = pa.list_(pa.struct([("summary", _S), ("explanation", _S)]))
_TREE = {"community": _I, "level": _I, "parent": _I, "children": _NUMBERS, "title": _S}
_PERIOD = {"period": _S, "size": _I}


def _shape(**columns: pa.DataType) -> pa.Schema:
    return pa.schema({"id": _S, "human_readable_id": _I, **columns})


SHAPES: Mapping[str, pa.Schema] = {
    "documents": _shape(title=_S, text=_S, text_unit_ids=_IDS, creation_date=_S, raw_data=_S),
    "text_units": _shape(
        text=_S, n_tokens=_I, document_id=_S, entity_ids=_IDS, relationship_ids=_IDS, covariate_ids=_IDS
    ),
    "entities": _shape(title=_S, type=_S, description=_S, text_unit_ids=_IDS, frequency=_I, degree=_I),
    "relationships": _shape(
        source=_S, target=_S, description=_S, weight=_F, combined_degree=_I, text_unit_ids=_IDS
    ),
    "communities": _shape(**_TREE, entity_ids=_IDS, relationship_ids=_IDS, text_unit_ids=_IDS, **_PERIOD),
    "community_reports": _shape(
        **_TREE,
        **dict.fromkeys(("summary", "full_content"), _S),
        rank=_F,
        rating_explanation=_S,
        findings=_FINDINGS,
        full_content_json=_S,
        **_PERIOD,
    ),
    "covariates": _shape(
        **dict.fromkeys(("covariate_type", "type", "description", "subject_id", "object_id"), _S),
        **dict.fromkeys(("status", "start_date", "end_date", "source_text", "text_unit_id"), _S),
    ),
}
_MEMBERS = {"entity_ids": "entities", "relationship_ids": "relationships", "chunk_ids": "chunks"}
"""What a community lists -> the table that has it."""
UNKNOWN = "NONE"
"""What GraphRAG writes for a claim's missing subject or object."""
_NO_PARENT = -1
_STATUS = {"asserts": "SUSPECTED", "denies": "FALSE"}
"""Nobody has checked what a text puts forward, so it is not TRUE in GraphRAG's sense."""
_CHECKED = frozenset({"TRUE", "FALSE", "SUSPECTED"})

Row = Mapping[str, Any]


class Source:
    """The tables of a generation while they are reshaped.

    Parameters
    ----------
    read : Read
        Reads columns of one of our tables.

    """

    def __init__(self, read: Read) -> None:
        self._read = read

    def rows(self, table: str, *names: str) -> pl.DataFrame:
        """Read columns of a table, and the rows' short ids, or else their places, as GraphRAG's numbers.

        Parameters
        ----------
        table : str
            Name of one of our tables.
        *names : str
            Columns to read.

        Returns
        -------
        DataFrame
            With `place` (from 0) and `human_readable_id` beside them.

        """
        frame = pl.DataFrame(self._read(table, names)).with_row_index("place")
        number = pl.coalesce("short_id", "place") if "short_id" in names else pl.col("place")
        return frame.with_columns(number.cast(pl.Int64).alias("human_readable_id"))

    @cached_property
    def entities(self) -> pl.DataFrame:
        """Id, title (each different) and degree of all entities."""
        rows = self.rows("entities", "id", "name", "type", "degree")
        titles = unique_titles(*(rows[name].to_list() for name in ("id", "name", "type")))
        return rows.select("id", pl.Series("title", titles, pl.String), pl.col("degree").fill_null(0))

    @cached_property
    def incidence(self) -> pl.DataFrame:
        """Entity and chunk of all that occurs in one."""
        return self.rows("incidence", "entity_id", "chunk_id")

    @cached_property
    def denied(self) -> pl.DataFrame:
        """Ids of the relationships that texts only deny: no column could say so."""
        edges = self._read("relationships", DENIAL)
        return pl.DataFrame(edges.select(["id"]).take(pa.array(denied_edges(edges))))

    @cached_property
    def left_out(self) -> frozenset[str]:
        """Ids in communities that no table here has: what was added by hand, and what texts only deny."""
        lists = pl.DataFrame(self._read("communities", list(_MEMBERS)))
        unknown = [
            lists.select(pl.col(column).explode().alias("id"))
            .drop_nulls()
            .join(pl.DataFrame(self._read(table, ["id"])), on="id", how="anti")
            for column, table in _MEMBERS.items()
        ]
        return frozenset(pl.concat([*unknown, self.denied])["id"])

    @cached_property
    def communities(self) -> dict[str, dict[str, Any]]:
        """Community id -> its fields, with a title no other community has.

        What no table has is left out, and so are communities of nothing else; all ids are then known.
        """
        names = ("id", "short_id", "title", "level", "parent_id", "children", *_MEMBERS)
        communities = {}
        for row in self.rows("communities", *names).to_dicts():
            members = {
                column: [id_ for id_ in row[column] or () if id_ not in self.left_out] for column in _MEMBERS
            }
            if members["entity_ids"] or not row["entity_ids"]:
                title = row["title"] or f"Community {row['human_readable_id']}"
                communities[row["id"]] = row | members | {"title": title}
        rows = communities.values()
        numbers = [str(row["human_readable_id"]) for row in rows]
        titles = unique_titles(list(communities), [row["title"] for row in rows], numbers)
        for row, title in zip(rows, titles, strict=True):
            row["title"] = title
        return communities

    def tree(self, row: Row) -> dict[str, Any]:
        """Return the columns that tell of a community's place among the others.

        Parameters
        ----------
        row : Row
            A community, with its number.

        Returns
        -------
        dict of str to Any
            A parent or child that is not there is left out; -1 is no parent.

        """
        parent = self.communities.get(row["parent_id"])
        children = (self.communities.get(child) for child in row["children"])
        return {
            "human_readable_id": row["human_readable_id"],
            "community": row["human_readable_id"],
            "level": row["level"],
            "parent": parent["human_readable_id"] if parent else _NO_PARENT,
            "children": [child["human_readable_id"] for child in children if child],
            "title": row["title"],
            "period": "",
            "size": len(row["entity_ids"]),
        }


def unique_titles(ids: Sequence[str], names: Sequence[str], qualifiers: Sequence[str | None]) -> list[str]:
    """Return names that are keys: one that occurs twice gets its qualifier, or else its id, in brackets.

    Parameters
    ----------
    ids, names, qualifiers : sequence of str
        Of the entities, in one order; None for an entity without a qualifier.

    Returns
    -------
    list of str
        In the same order, all different.

    """
    times = Counter(names)
    taken = {name for name, count in times.items() if count == 1}
    titles = []
    for id_, name, qualifier in zip(ids, names, qualifiers, strict=True):
        title = name
        if times[name] > 1:
            title = f"{name} ({qualifier or id_})"
            title = f"{name} ({id_})" if title in taken else title
            while title in taken:
                title = f"{title} ({id_})"
            taken.add(title)
        titles.append(title)
    return titles


def _with_lists(rows: pl.DataFrame, name: str, pairs: pl.DataFrame) -> pl.DataFrame:
    """Add a column of lists: of `pairs` (an id of the rows, an id of something else), those of each row."""
    key, value = pairs.columns
    lists = pairs.group_by(key, maintain_order=True).agg(pl.col(value).alias(name))
    nothing = pl.lit([], dtype=pl.List(pl.String))
    return rows.join(lists, left_on="id", right_on=key, how="left", maintain_order="left").with_columns(
        pl.col(name).fill_null(nothing)
    )


def _documents(source: Source) -> pl.DataFrame:
    rows = source.rows("documents", "id", "title", "text", "metadata")
    dates = [json.loads(metadata).get("date") for metadata in rows["metadata"]]
    created = pl.Series("creation_date", ["" if date is None else str(date) for date in dates], pl.String)
    chunks = source.rows("chunks", "source_doc", "id").select("source_doc", chunk="id")
    return _with_lists(rows.with_columns(created, raw_data="metadata"), "text_unit_ids", chunks)


def _text_units(source: Source) -> pl.DataFrame:
    edges = source.rows("relationships", "id", "chunk_ids").join(source.denied, on="id", how="anti")
    rows = source.rows("chunks", "id", "content", "n_tokens", "source_doc", "short_id")
    rows = rows.with_columns(pl.col("n_tokens").fill_null(0), text="content", document_id="source_doc")
    rows = _with_lists(rows, "entity_ids", source.incidence.select("chunk_id", "entity_id"))
    stated = edges.select("chunk_ids", edge="id").explode("chunk_ids").drop_nulls()
    rows = _with_lists(rows, "relationship_ids", stated)
    claims = source.rows("claims", "chunk_id", "id").select("chunk_id", claim="id")
    return _with_lists(rows, "covariate_ids", claims)


def _entities(source: Source) -> pl.DataFrame:
    rows = source.rows("entities", "id", "type", "description", "short_id")
    rows = rows.with_columns(*source.entities["title", "degree"], pl.col("type", "description").fill_null(""))
    rows = _with_lists(rows, "text_unit_ids", source.incidence.select("entity_id", "chunk_id"))
    return rows.with_columns(frequency=pl.col("text_unit_ids").list.len())


def _relationships(source: Source) -> pl.DataFrame:
    rows = source.rows(
        "relationships", "id", "source_id", "target_id", "description", "weight", "chunk_ids", "short_id"
    ).join(source.denied, on="id", how="anti", maintain_order="left")
    for end in ("source", "target"):
        ends = source.entities.select(
            pl.col("id").alias(f"{end}_id"), pl.col("title", "degree").name.prefix(end)
        )
        rows = rows.join(ends, on=f"{end}_id", how="left", maintain_order="left")
        rows = rows.with_columns(pl.coalesce(f"{end}title", f"{end}_id").alias(end))
    degrees = (pl.col(f"{end}degree").fill_null(0) for end in ("source", "target"))
    return rows.with_columns(
        pl.col("description").fill_null(""),
        combined_degree=pl.sum_horizontal(degrees),
        text_unit_ids=pl.col("chunk_ids").fill_null(pl.lit([], dtype=pl.List(pl.String))),
    )


def _communities(source: Source) -> list[Row]:
    return [
        {**row, **source.tree(row), "text_unit_ids": row["chunk_ids"]} for row in source.communities.values()
    ]


def _community_reports(source: Source) -> list[Row]:
    """Return the table of reports; each finding cites its text unit by human-readable id.

    Findings from what was added by hand are left out, and reports on communities of nothing else.
    """
    names = ("id", "community_id", "level", "title", "summary", "findings", "rating", "rating_explanation")
    by_hand = set(source.rows("communities", "id")["id"]) - set(source.communities)
    chunks = source.rows("chunks", "id", "short_id")
    numbers = dict(chunks.select("id", "human_readable_id").iter_rows())
    reports = source.rows("reports", *names).to_dicts()
    return [_report(source, report, numbers) for report in reports if report["community_id"] not in by_hand]


def _report(source: Source, report: Row, numbers: Mapping[str, int]) -> Row:
    rows = [row for row in json.loads(report["findings"]) if row["chunk_id"] not in source.left_out]
    findings = _findings(rows, numbers)
    head = {"title": report["title"], "summary": report["summary"], "rating": report["rating"]}
    reasons = {"rating_explanation": report["rating_explanation"], "findings": findings}
    sections = [f"## {finding['summary']}\n\n{finding['explanation']}" for finding in findings]
    # one that is not in the index has no place
    nowhere = {"human_readable_id": _NO_PARENT, "parent_id": None, "children": (), "entity_ids": ()}
    return {
        **source.tree(source.communities.get(report["community_id"], {**report, **nowhere})),
        **head,
        **reasons,
        "id": report["id"],
        "rank": report["rating"],
        "full_content": "\n\n".join([f"# {report['title']}", report["summary"], *sections]),
        "full_content_json": json.dumps(head | reasons, ensure_ascii=False),
    }


def _findings(rows: Iterable[Row], numbers: Mapping[str, int]) -> list[dict[str, str]]:
    """Return findings; one that a model wrote has a row for each of its sources, one after the other."""

    def words(row: Row) -> tuple[str, str, Any]:
        """Return a model's words, or the sentence that stands for itself and its place."""
        if row.get("summary"):
            return row["summary"], row["explanation"], None
        return row["text"], "", (row["document_id"], row["start"])

    findings = []
    for (summary, explanation, _), sources in groupby(rows, key=words):
        cited = dict.fromkeys(str(numbers.get(row["chunk_id"], row["chunk_id"])) for row in sources)
        data = f"[Data: Sources ({', '.join(cited)})]"
        findings.append({"summary": summary, "explanation": f"{explanation} {data}".lstrip()})
    return findings


def _covariates(source: Source) -> list[Row]:
    """Return the table of claims: subject and object are the first two entities a claim names."""
    claims = source.rows("claims", "id", "text", "stance", "entities", "chunk_id", "extractor", "cue")
    mentions = source.rows("mentions", "id", "entity_id").join(
        claims.select(id=pl.col("entities").explode()), on="id", how="semi"
    )
    titles = mentions.join(source.entities.select(entity_id="id", title="title"), on="entity_id")
    title_of = dict(titles.select("id", "title").iter_rows())
    return [_claim(claim, title_of) for claim in claims.to_dicts()]


def _claim(claim: Row, title_of: Mapping[str, str]) -> Row:
    named = (title_of[mention] for mention in claim["entities"] if mention in title_of)
    subject, object_, *_ = [*dict.fromkeys(named), UNKNOWN, UNKNOWN]
    return {
        "id": claim["id"],
        "human_readable_id": claim["human_readable_id"],
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
    judged = {"type": stance.upper(), "status": _STATUS[stance], "start_date": UNKNOWN, "end_date": UNKNOWN}
    parts = (claim["cue"] or "").split(", ") if claim["extractor"] == "graphrag" else []
    at = max((place for place, part in enumerate(parts) if part in _CHECKED), default=None)
    if at is None:
        return judged
    dates = dict(zip(("start_date", "end_date"), parts[at + 1 :], strict=False))
    return {**judged, "type": ", ".join(parts[:at]) or judged["type"], "status": parts[at], **dates}


_SHAPERS: Mapping[str, Callable[[Source], pl.DataFrame | list[Row]]] = {
    "documents": _documents,
    "text_units": _text_units,
    "entities": _entities,
    "relationships": _relationships,
    "communities": _communities,
    "community_reports": _community_reports,
    "covariates": _covariates,
}


def graphrag_table(name: str, source: Source) -> pa.Table:
    """Return a table of a shape.

    Parameters
    ----------
    name : str
        Such as entities; a key of `SHAPES`.
    source : Source
        Our tables.

    Returns
    -------
    Table
        With the columns and types of `SHAPES`.

    """
    rows, schema = _SHAPERS[name](source), SHAPES[name]
    if isinstance(rows, list):
        return pa.Table.from_pylist(rows, schema)
    return rows.select(schema.names).to_arrow().cast(schema).combine_chunks()


def write_graphrag_tables(read: Read, folder: Path) -> None:
    """Write one parquet file per shape; the same content gives the same bytes.

    Parameters
    ----------
    read : Read
        Reads columns of one of our tables.
    folder : Path
        Is there already.

    """
    source = Source(read)
    for name in SHAPES:
        pq.write_table(graphrag_table(name, source), folder / f"{name}.parquet")
