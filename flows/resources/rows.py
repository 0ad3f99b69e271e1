"""Rows of a table as Arrow, and back: nouns or mappings in, nouns out."""

import gc
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from itertools import repeat
from operator import is_
from typing import Any

import pyarrow as pa
from pydantic_core import PydanticSerializationError, from_json, to_jsonable_python

from corpusgraph.flows.resources.fulltext import SEARCHED, searchable
from corpusgraph.flows.resources.tables import EXTRA, REQUIRED, Column, TableSpec
from corpusgraph.schemas.base import JsonDict, Noun
from corpusgraph.schemas.errors import InvalidInputError, did_you_mean
from corpusgraph.schemas.ports import Floats
from corpusgraph.tasks._steps import counted

Row = Noun | Mapping[str, Any]

_SLICE = 10_000  # rows held twice, as columns and as nouns, while they are read
_SHORT = 100  # bytes; texts longer than that do not repeat


def to_arrow(spec: TableSpec, rows: Sequence[Row], vectors: Floats | None = None) -> pa.Table:
    """Make the Arrow table of some rows: nouns, or mappings with the noun's fields and the links.

    An unknown key is kept in the column `extra` where the noun is open, and an error where it is not.
    `vectors` has shape (len(rows), dimension).
    """
    fields = [row if isinstance(row, Mapping) else vars(row) for row in rows]
    values = {column.name: _values(spec, column, fields) for column in spec.columns}
    arrays = [_array(spec, column, values[column.name]) for column in spec.columns]
    known = frozenset(column.name for column in spec.columns)
    extras = [_extra(spec, row, known) for row in rows]
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
    if not (_has(values, REQUIRED) or (not column.nullable and _has(values, None))):
        return values
    for at, value in enumerate(values):
        if value is REQUIRED or (value is None and not column.nullable):
            raise InvalidInputError(f"Row {at + 1} for table {spec.name!r} has no {column.name!r}.")
    return values


def _has(values: list[Any], wanted: object) -> bool:
    return any(map(is_, values, repeat(wanted)))


def _array(spec: TableSpec, column: Column, values: list[Any]) -> pa.Array:
    if column.json:
        return pa.array([None if v is None else _json(spec, column.name, v) for v in values], pa.string())
    try:
        return pa.array(values, column.type)
    except (pa.ArrowInvalid, pa.ArrowTypeError, OverflowError, UnicodeEncodeError) as error:
        message = f"Column {column.name!r} of table {spec.name!r} cannot hold a value: {error}"
        raise InvalidInputError(message) from None


def _json(spec: TableSpec, name: str, value: Any) -> str:
    if not value and isinstance(value, dict | list | tuple):
        return "{}" if isinstance(value, dict) else "[]"
    try:
        return json.dumps(to_jsonable_python(value, inf_nan_mode="constants"), ensure_ascii=False)
    except (PydanticSerializationError, UnicodeDecodeError, UnicodeEncodeError) as error:
        message = f"Column {name!r} of table {spec.name!r} cannot hold a value as JSON: {error}"
        raise InvalidInputError(message) from None


def _extra(spec: TableSpec, row: Row, known: frozenset[str]) -> str | None:
    if isinstance(row, Noun):
        unknown = row.model_extra
    else:
        unknown = {} if row.keys() <= known else {key: row[key] for key in row if key not in known}
    if not unknown:
        return None
    if not spec.is_open:
        key = min(unknown)
        hint = did_you_mean(key, [column.name for column in spec.columns])
        raise InvalidInputError(f"Table {spec.name!r} has no column {key!r}.", hint=hint)
    return _json(spec, EXTRA, unknown)


def with_defaults(spec: TableSpec, table: pa.Table, names: Iterable[str]) -> pa.Table:
    """Return a table with the columns named; one that an older index does not have holds its default."""
    columns = {column.name: column for column in spec.columns}
    for name in names:
        if name not in table.column_names:
            column = columns[name]
            filled = _array(spec, column, [column.default] * table.num_rows)
            table = table.append_column(column.field, filled)
    return table


def to_nouns(spec: TableSpec, table: pa.Table) -> list[Any]:
    """Make the nouns of an Arrow table's rows, in its order; links, vectors and search text are left out."""
    nouns: list[Any] = []
    with _no_collection():
        slices = range(0, table.num_rows, _SLICE)
        for at in counted(slices, f"stretches of {spec.name} read", every=1):
            nouns += [spec.noun.model_validate(row) for row in _records(spec, table.slice(at, _SLICE))]
    return nouns


class RowReader:
    """Makes the nouns of a record batch one at a time."""

    def __init__(self, spec: TableSpec, batch: pa.RecordBatch) -> None:
        self._noun = spec.noun
        self._extra = batch.column(EXTRA) if spec.is_open else None
        self._columns = [
            (column.name, batch.column(column.name), column.json)
            for column in spec.columns
            if column.name not in spec.links
        ]

    def noun(self, at: int) -> Any:
        """Make the noun of a row."""
        values = {}
        for name, column, is_json in self._columns:
            value = column[at].as_py()
            values[name] = from_json(value) if is_json and value is not None else value
        if self._extra is not None and (extra := self._extra[at].as_py()):
            values |= from_json(extra)
        return self._noun.model_validate(values)


@contextmanager
def _no_collection() -> Iterator[None]:
    """Keep the garbage collector from walking over nouns, which hold no cycles, while many are made."""
    enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if enabled:
            gc.enable()


def _records(spec: TableSpec, table: pa.Table) -> Iterable[JsonDict]:
    names = [column.name for column in spec.columns if column.name not in spec.links]
    jsons = {column.name for column in spec.columns if column.json}
    columns = [_python(table.column(name), is_json=name in jsons) for name in names]
    rows: Iterable[JsonDict] = (dict(zip(names, row, strict=True)) for row in zip(*columns, strict=True))
    if not spec.is_open:
        return rows
    extras = _python(table.column(EXTRA), is_json=True)
    return ({**row, **(extra or {})} for row, extra in zip(rows, extras, strict=True))


def _python(column: pa.ChunkedArray, *, is_json: bool) -> list[Any]:
    values: list[Any] = []
    for chunk in column.chunks:
        short = pa.types.is_string(chunk.type) and chunk.nbytes < _SHORT * len(chunk)
        values += _shared(chunk) if short and not is_json else chunk.to_pylist()
    return [None if value is None else from_json(value) for value in values] if is_json else values


def _shared(strings: pa.Array) -> list[str | None]:
    """Return strings, equal ones as one object: evidence repeats its ids, and memory halves."""
    coded = strings.dictionary_encode()
    distinct = coded.dictionary.to_pylist()
    return [None if at is None else distinct[at] for at in coded.indices.to_pylist()]
