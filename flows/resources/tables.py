"""The tables of an index: Arrow schemas derived from the nouns, and the way there and back."""

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from types import NoneType, UnionType
from typing import Annotated, Any, Literal, Union, get_args, get_origin

import pyarrow as pa
from pydantic import NonNegativeInt
from pydantic_core import PydanticSerializationError, to_jsonable_python

from corpusgraph.flows.resources.fulltext import SEARCHED, searchable
from corpusgraph.schemas.base import JsonDict, Noun, OpenNoun
from corpusgraph.schemas.documents import Chunk, Document, Failure
from corpusgraph.schemas.errors import InvalidInputError, did_you_mean
from corpusgraph.schemas.evidence import ArgumentRelation, Assertion, Claim, Event, Mention, Merge
from corpusgraph.schemas.graph import Community, CommunityReport, Entity, Relationship
from corpusgraph.schemas.ports import Floats

Row = Noun | Mapping[str, Any]

EXTRA = "extra"
SEARCH = "search"
VECTOR = "vector"
_ARROW = {str: pa.string(), int: pa.int64(), float: pa.float64(), bool: pa.bool_()}


class Incidence(Noun):
    """An entity occurs in a chunk: how often, and where first (offset in the document)."""

    entity_id: str
    chunk_id: str
    count: NonNegativeInt = 1
    first_start: NonNegativeInt = 0


@dataclass(frozen=True)
class Column:
    """One column and the field it holds; a `json` column holds what has no Arrow type as JSON text."""

    name: str
    type: pa.DataType
    nullable: bool
    json: bool
    default: Any

    @property
    def field(self) -> pa.Field:
        """The column in an Arrow schema."""
        return pa.field(self.name, self.type, nullable=self.nullable)


@dataclass(frozen=True)
class TableSpec:
    """A table: its noun, the ids that derivation adds to it, and the kind it is searched as."""

    name: str
    noun: type[Noun]
    links: tuple[str, ...] = ()
    kind: str | None = None

    @cached_property
    def columns(self) -> tuple[Column, ...]:
        """One column per field of the noun, then the links."""
        fields = [
            _column(name, field.annotation, field.get_default(call_default_factory=True), field.is_required())
            for name, field in self.noun.model_fields.items()
        ]
        links = [Column(name, pa.string(), nullable=True, json=False, default=None) for name in self.links]
        return (*fields, *links)

    @property
    def is_open(self) -> bool:
        """Whether rows may have fields the noun does not know."""
        return issubclass(self.noun, OpenNoun)

    def schema(self, dimension: int | None = None) -> pa.Schema:
        """Arrow schema; with a vector column of `dimension` where one is given."""
        fields = [column.field for column in self.columns]
        if self.is_open:
            fields.append(pa.field(EXTRA, pa.string()))
        if self.kind:
            fields.append(pa.field(SEARCH, pa.string(), nullable=False))
        if dimension:
            fields.append(pa.field(VECTOR, pa.list_(pa.float32(), dimension)))
        return pa.schema(fields)


_REQUIRED = object()

TABLES: dict[str, TableSpec] = {
    spec.name: spec
    for spec in (
        TableSpec("documents", Document),
        TableSpec("chunks", Chunk, kind="chunk"),
        TableSpec("mentions", Mention, links=("entity_id",)),
        TableSpec("assertions", Assertion, links=("source_id", "target_id", "relationship_id")),
        TableSpec("claims", Claim),
        TableSpec("arguments", ArgumentRelation),
        TableSpec("events", Event),
        TableSpec("entities", Entity, kind="entity"),
        TableSpec("relationships", Relationship, kind="relationship"),
        TableSpec("communities", Community),
        TableSpec("reports", CommunityReport, kind="report"),
        TableSpec("incidence", Incidence),
        TableSpec("merges", Merge),
        TableSpec("failures", Failure),
    )
}


def table_spec(name: str) -> TableSpec:
    """Find a table by name."""
    if name not in TABLES:
        raise InvalidInputError(f"There is no table {name!r}.", hint=did_you_mean(name, sorted(TABLES)))
    return TABLES[name]


def _column(name: str, annotation: Any, default: Any, required: bool) -> Column:
    plain, nullable = _plain(annotation)
    arrow = _ARROW.get(plain)
    if plain == tuple[str, ...]:
        arrow = pa.list_(pa.string())
    return Column(name, arrow or pa.string(), nullable, arrow is None, _REQUIRED if required else default)


def _plain(annotation: Any) -> tuple[Any, bool]:
    """Strip constraints and None off a type; say whether None was there."""
    origin = get_origin(annotation)
    if origin is Annotated:
        return _plain(get_args(annotation)[0])
    if origin is Literal:
        return str, False
    if origin in {Union, UnionType}:
        (other,) = [arg for arg in get_args(annotation) if arg is not NoneType]
        return _plain(other)[0], True
    return annotation, False


def to_arrow(spec: TableSpec, rows: Sequence[Row], vectors: Floats | None = None) -> pa.Table:
    """Make the Arrow table of some rows: nouns, or mappings with the noun's fields and the links.

    An unknown key is kept in the column `extra` where the noun is open, and an error where it is not.
    `vectors` has shape (len(rows), dimension).
    """
    fields = [row if isinstance(row, Mapping) else vars(row) for row in rows]
    values = {column.name: _values(spec, column, fields) for column in spec.columns}
    arrays = [_array(spec, column, values[column.name]) for column in spec.columns]
    extras = [_extra(spec, row) for row in rows]
    if spec.is_open:
        arrays.append(pa.array(extras, pa.string()))
    if spec.kind:
        searched = zip(*(values[name] for name in SEARCHED[spec.kind]), strict=True)
        arrays.append(pa.array([searchable(row) for row in searched], pa.string()))
    dimension = None
    if vectors is not None:
        dimension = vectors.shape[1]
        arrays.append(pa.FixedSizeListArray.from_arrays(pa.array(vectors.astype("f4").ravel()), dimension))
    return pa.Table.from_arrays(arrays, schema=spec.schema(dimension))


def _values(spec: TableSpec, column: Column, fields: Iterable[Mapping[str, Any]]) -> list[Any]:
    values = [row.get(column.name, column.default) for row in fields]
    for at, value in enumerate(values):
        if value is _REQUIRED or (value is None and not column.nullable):
            raise InvalidInputError(f"Row {at + 1} for table {spec.name!r} has no {column.name!r}.")
    return values


def _array(spec: TableSpec, column: Column, values: list[Any]) -> pa.Array:
    if column.json:
        return pa.array([None if v is None else _json(spec, column.name, v) for v in values], pa.string())
    try:
        return pa.array(values, column.type)
    except (pa.ArrowInvalid, pa.ArrowTypeError, OverflowError, UnicodeEncodeError) as error:
        message = f"Column {column.name!r} of table {spec.name!r} cannot hold a value: {error}"
        raise InvalidInputError(message) from None


def _json(spec: TableSpec, name: str, value: Any) -> str:
    try:
        return json.dumps(to_jsonable_python(value, inf_nan_mode="constants"), ensure_ascii=False)
    except (PydanticSerializationError, UnicodeDecodeError, UnicodeEncodeError) as error:
        message = f"Column {name!r} of table {spec.name!r} cannot hold a value as JSON: {error}"
        raise InvalidInputError(message) from None


def _extra(spec: TableSpec, row: Row) -> str | None:
    if isinstance(row, Noun):
        unknown = row.model_extra
    else:
        known = {column.name for column in spec.columns}
        unknown = {key: value for key, value in row.items() if key not in known}
    if not unknown:
        return None
    if not spec.is_open:
        key = min(unknown)
        hint = did_you_mean(key, [column.name for column in spec.columns])
        raise InvalidInputError(f"Table {spec.name!r} has no column {key!r}.", hint=hint)
    return _json(spec, EXTRA, unknown)


def to_nouns(spec: TableSpec, table: pa.Table) -> list[Any]:
    """Make the nouns of an Arrow table's rows, in its order; links, vectors and search text are left out."""
    names = [column.name for column in spec.columns if column.name not in spec.links]
    jsons = {column.name for column in spec.columns if column.json}
    columns = [_python(table.column(name), is_json=name in jsons) for name in names]
    rows: Iterable[JsonDict] = (dict(zip(names, row, strict=True)) for row in zip(*columns, strict=True))
    if spec.is_open:
        extras = _python(table.column(EXTRA), is_json=True)
        rows = ({**row, **(extra or {})} for row, extra in zip(rows, extras, strict=True))
    return [spec.noun.model_validate(row) for row in rows]


def _python(column: pa.ChunkedArray, *, is_json: bool) -> list[Any]:
    """Return a column's values; equal strings are one object, which halves the memory of evidence."""
    if column.type != pa.string():
        return list(column.to_pylist())
    coded = column.combine_chunks().dictionary_encode()
    distinct = coded.dictionary.to_pylist()
    at = coded.indices.to_pylist()
    if is_json:  # decoded row by row: values that are equal now must not become one mutable object
        return [None if i is None else json.loads(distinct[i]) for i in at]
    return [None if i is None else distinct[i] for i in at]
