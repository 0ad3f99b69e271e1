"""The tables of an index: Arrow schemas derived from the nouns."""

from dataclasses import dataclass
from functools import cached_property
from types import NoneType, UnionType
from typing import Annotated, Any, Literal, Union, get_args, get_origin

import pyarrow as pa
from pydantic import NonNegativeInt

from corpusgraph.schemas.base import Noun, OpenNoun
from corpusgraph.schemas.documents import Chunk, Document, Failure
from corpusgraph.schemas.errors import InvalidInputError, did_you_mean
from corpusgraph.schemas.evidence import ArgumentRelation, Assertion, Claim, Event, Mention, Merge
from corpusgraph.schemas.graph import Community, CommunityReport, Entity, Relationship

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


REQUIRED = object()
"""Default of a column that has none."""

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
    return Column(name, arrow or pa.string(), nullable, arrow is None, REQUIRED if required else default)


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
