"""The tables of an index: Arrow schemas derived from the nouns."""

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from types import NoneType, UnionType
from typing import Annotated, Any, Literal, Union, get_args, get_origin

import pyarrow as pa
from pydantic import NonNegativeInt
from pydantic.fields import FieldInfo
from pydantic_core import PydanticSerializationError, PydanticUndefined, from_json, to_jsonable_python

from corpusgraph.schemas.base import JsonDict, Noun, OpenNoun
from corpusgraph.schemas.documents import Chunk, Document, Failure
from corpusgraph.schemas.errors import InvalidInputError, did_you_mean
from corpusgraph.schemas.evidence import ArgumentRelation, Assertion, Claim, Event, Mention, Merge
from corpusgraph.schemas.graph import Community, CommunityReport, Entity, Relationship
from corpusgraph.schemas.ports import Floats
from corpusgraph.tasks.graph.names import beside
from corpusgraph.tasks.progress import counted
from corpusgraph.tasks.text.words import spaced, words

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
    """PydanticUndefined where the field is required."""

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
        fields = [_column(name, field) for name, field in self.noun.model_fields.items()]
        links = [Column(name, pa.string(), nullable=True, json=False, default=None) for name in self.links]
        return (*fields, *links)

    @property
    def is_open(self) -> bool:
        """Whether rows may have fields the noun does not know."""
        return issubclass(self.noun, OpenNoun)

    def schema(self, dimension: int | None = None) -> pa.Schema:
        """Arrow schema; with a vector column of `dimension` where one is given.

        Parameters
        ----------
        dimension : int, optional
            Length of the vectors; None for a table without.

        Returns
        -------
        Schema
            Columns of the noun, then extra fields, search text and vector, as far as there are any.

        """
        fields = [column.field for column in self.columns]
        if self.is_open:
            fields.append(pa.field(EXTRA, pa.string()))
        if self.kind:
            fields.append(pa.field(SEARCH, pa.string(), nullable=False))
        if dimension:
            fields.append(pa.field(VECTOR, pa.list_(pa.float32(), dimension)))
        return pa.schema(fields)


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
    """Find a table by name.

    Parameters
    ----------
    name : str
        Such as entities.

    Returns
    -------
    TableSpec
        The one of `TABLES`.

    Raises
    ------
    InvalidInputError
        With the nearest name.

    """
    if name not in TABLES:
        raise InvalidInputError(f"There is no table {name!r}.", hint=did_you_mean(name, sorted(TABLES)))
    return TABLES[name]


def _column(name: str, field: FieldInfo) -> Column:
    plain, nullable = _plain(field.annotation)
    arrow = _ARROW.get(plain)
    if plain == tuple[str, ...]:
        arrow = pa.list_(pa.string())
    default = field.get_default(call_default_factory=True)
    return Column(name, arrow or pa.string(), nullable, json=arrow is None, default=default)


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


# Han, kana and Hangul are written without (or with few) spaces between words.
_UNSPACED = re.compile(
    r"[\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\u3040-\u30ff\uac00-\ud7af\U00020000-\U0003134f]+"
)
_QUOTED = re.compile(r"[\"“„«]([^\"“”„«»]+)[\"”“»]")
_ONLY_QUOTED = re.compile(rf"\s*(?:{_QUOTED.pattern}\s*)+")

SEARCHED: Mapping[str, tuple[str, ...]] = {
    "entity": ("name", "description"),
    "relationship": ("type", "description", "keywords"),
    "chunk": ("content",),
    "report": ("title", "summary", "findings"),
}
"""The fields an item of each kind is found by."""


LEFT_OUT = frozenset(
    re.findall(
        r"\w+",
        """
        a about after again against ain all also am an and are aren as at be been being below between both
        but by can couldn d did didn do doesn doing don down each few for from further had hadn has hasn
        have haven having he her here hers herself him himself his how i if in into is isn it its itself
        just ll m ma me mightn more most mustn my myself needn no nor not now o of off on or other our ours
        out over own re s same shan she should shouldn so some such t than that the their theirs them then
        there these they this those through to too under until up ve was wasn we were weren what when where
        which while who whom will with won wouldn y you your yours yourself
        """,
    )
)
"""Words that the index of texts leaves out: English ones that are in every text, as Lance has them."""


def segmented(text: str) -> str:
    """Write runs of Han, kana and Hangul as overlapping pairs of characters, and `_` as a space.

    Pairs find names no dictionary knows, as long as text and query are written the same way
    (Nie et al. 2000, On the use of words and n-grams for Chinese information retrieval, IRAL).

    Parameters
    ----------
    text : str
        Any; queries have to be written the same way.

    Returns
    -------
    str
        With spaces around each run.

    """

    def pairs(run: re.Match[str]) -> str:
        return f" {' '.join([a + b for a, b in pairwise(run[0])] or [run[0]])} "

    return _UNSPACED.sub(pairs, text).replace("_", " ")


def phrases_of(query: str) -> list[str]:
    """Return the phrases of a query that is nothing but phrases in quotes, else none.

    A text then has to hold their words in a row. All other signs of a query are read over, as in any text.

    Parameters
    ----------
    query : str
        In any words.

    Returns
    -------
    list of str
        Without their quotes; those without words are left out.

    """
    found = _QUOTED.findall(query) if _ONLY_QUOTED.fullmatch(query) else []
    return [phrase for phrase in found if words(phrase)]


def holds(text: str, phrases: Iterable[str]) -> bool:
    """Tell whether a text has the words of every phrase in a row.

    Parameters
    ----------
    text : str
        Written as `segmented` does.
    phrases : iterable of str
        As `phrases_of` returns them.

    Returns
    -------
    bool
        True for no phrases.

    """
    said = spaced(text)
    return all(spaced(segmented(phrase)) in said for phrase in phrases)


def searchable(values: Iterable[Any]) -> str:
    """Return the text of an item's searched fields: strings, lists of strings, findings; None is nothing.

    Parameters
    ----------
    values : iterable of Any
        Of the fields in `SEARCHED`.

    Returns
    -------
    str
        Written as `segmented` does, a field a line.

    """
    return segmented("\n".join(part for value in values for part in _strings(value)))


def text_of(kind: str, item: Any) -> str:
    """Return the text that an item is found by: of an entity with what was noted of it by hand.

    Parameters
    ----------
    kind : str
        entity, relationship, chunk or report.
    item : Any
        Of that kind.

    Returns
    -------
    str
        Written as `segmented` does.

    """
    fields = [getattr(item, field) for field in SEARCHED[kind]]
    return searchable([*fields, *(beside(item) if kind == "entity" else ())])


def _strings(value: Any) -> Iterable[str]:
    if value is None:
        return ()
    if isinstance(value, str):
        return (value,)
    texts = (item["text"] if isinstance(item, Mapping) else getattr(item, "text", item) for item in value)
    return map(str, texts)


Row = Noun | Mapping[str, Any]

_SLICE = 10_000  # rows held twice, as columns and as nouns, while they are read
_SHORT = 100  # bytes; texts longer than that do not repeat


def to_arrow(spec: TableSpec, rows: Sequence[Row], vectors: Floats | None = None) -> pa.Table:
    """Make the Arrow table of some rows: nouns, or mappings with the noun's fields and the links.

    An unknown key is kept in the column `extra` where the noun is open.

    Parameters
    ----------
    spec : TableSpec
        Of the table.
    rows : sequence of Row
        In the order of the table.
    vectors : array of float, shape (len(rows), dimension), optional
        In the order of the rows.

    Returns
    -------
    Table
        With the schema of the table.

    Raises
    ------
    InvalidInputError
        For an unknown key where the noun is not open, and for a value that a column cannot hold.

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
    for at, value in enumerate(values):
        if value is PydanticUndefined or (value is None and not column.nullable):
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
    """Return a table with the columns named; one that an older index does not have holds its default.

    Parameters
    ----------
    spec : TableSpec
        Of the table.
    table : Table
        As an index has it.
    names : iterable of str
        Of the columns that are needed.

    Returns
    -------
    Table
        Columns that it lacked stand last.

    """
    columns = {column.name: column for column in spec.columns}
    for name in names:
        if name not in table.column_names:
            column = columns[name]
            filled = _array(spec, column, [column.default] * table.num_rows)
            table = table.append_column(column.field, filled)
    return table


def to_nouns(spec: TableSpec, table: pa.Table) -> list[Any]:
    """Make the nouns of an Arrow table's rows, in its order; links, vectors and search text are left out.

    Parameters
    ----------
    spec : TableSpec
        Of the table.
    table : Table
        With all columns of the noun.

    Returns
    -------
    list of Any
        Validated models, as many as rows.

    """
    nouns: list[Any] = []
    for at in counted(range(0, table.num_rows, _SLICE), f"stretches of {spec.name} read", every=1):
        nouns += [spec.noun.model_validate(row) for row in _records(spec, table.slice(at, _SLICE))]
    return nouns


class RowReader:
    """Makes the nouns of a record batch one at a time.

    Parameters
    ----------
    spec : TableSpec
        Of the table.
    batch : RecordBatch
        Rows with all columns of the noun.

    """

    def __init__(self, spec: TableSpec, batch: pa.RecordBatch) -> None:
        self._noun = spec.noun
        self._extra = batch.column(EXTRA) if spec.is_open else None
        self._columns = [
            (column.name, batch.column(column.name), column.json)
            for column in spec.columns
            if column.name not in spec.links
        ]

    def noun(self, at: int) -> Any:
        """Make the noun of a row.

        Parameters
        ----------
        at : int
            Place of the row, from 0.

        Returns
        -------
        Any
            A validated model, without links, vectors and search text.

        """
        values = {}
        for name, column, is_json in self._columns:
            value = column[at].as_py()
            values[name] = from_json(value) if is_json and value is not None else value
        if self._extra is not None and (extra := self._extra[at].as_py()):
            values |= from_json(extra)
        return self._noun.model_validate(values)


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
