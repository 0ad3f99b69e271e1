"""Scores, tables, and the envelope every tool answers in."""

from datetime import UTC, datetime
from typing import Any, Generic, Literal, TypeVar
from uuid import uuid4

from pydantic import AliasChoices, BaseModel, ConfigDict, Field

from corpusgraph.schemas.base import JsonDict, Noun
from corpusgraph.schemas.filters import DocumentFilter

T = TypeVar("T")


class Scored(Noun, Generic[T]):
    """An item with its score (higher is better) and its rank from 1."""

    item: T
    score: float
    rank: int = Field(ge=1)
    scorer: str | None = None
    components: dict[str, float] = Field(default_factory=dict)


ColumnType = Literal[
    "numeric", "integer", "boolean", "ordinal", "nominal", "text", "date", "datetime", "json"
]


class Column(Noun):
    """A column of a table: what it means and how it was made."""

    name: str
    dtype: ColumnType
    label: str = ""
    unit: str | None = None
    levels: tuple[str, ...] | None = Field(default=None, description="ordered codes of a nominal or ordinal")
    value_labels: dict[str, str] | None = None
    missing: tuple[Any, ...] = Field(default=(), description="codes that mean missing")
    formula: str = Field(default="", description="how it was computed")
    source: str = ""
    role: str | None = Field(
        default=None, description="id, outcome, predictor, control, weight, cluster, time …"
    )


class Table(Noun):
    """Columns and rows; `None` is missing. Row `i` of `provenance` lists the chunk ids behind row `i`."""

    name: str = "table"
    columns: tuple[Column, ...]
    rows: tuple[tuple[Any, ...], ...]
    provenance: tuple[tuple[str, ...], ...] | None = None

    def column(self, name: str) -> tuple[Any, ...]:
        """Return the values of one column."""
        at = [column.name for column in self.columns].index(name)
        return tuple(row[at] for row in self.rows)

    def records(self) -> list[JsonDict]:
        """Return the rows as dictionaries."""
        names = [column.name for column in self.columns]
        return [dict(zip(names, row, strict=True)) for row in self.rows]


class ToolInput(BaseModel):
    """Base of every tool's input. `request_id` and `timestamp` never enter a cache key."""

    model_config = ConfigDict(extra="forbid", populate_by_name=True)

    request_id: str = Field(default_factory=lambda: str(uuid4()), description="echoed in the result")
    timestamp: datetime = Field(default_factory=lambda: datetime.now(UTC), description="when it was asked")
    client_context: JsonDict | None = Field(
        default=None,
        validation_alias=AliasChoices("client_context", "context"),
        description="anything the caller wants back; read by no tool",
    )
    index: str = Field(default="default", description="name of the index to read")
    filter: DocumentFilter | None = Field(
        default=None,
        description="see only documents whose fields are so: {author: Jay, date: {from: 1787, to: 1788}}",
    )


class ToolError(Noun):
    """A named condition: stable code, the facts, and what to do."""

    code: str
    message: str
    hint: str | None = None


class ToolWarning(Noun):
    """Something repaired, assumed or left out, with a stable code."""

    code: str = Field(min_length=1)
    message: str = Field(min_length=1)
    records: tuple[str, ...] = Field(default=(), description="which records it is about")


class ToolResult(Noun):
    """The one envelope. `data` is None exactly when `success` is false."""

    request_id: str
    success: bool
    data: Any = None
    error: ToolError | None = None
    warnings: tuple[ToolWarning, ...] = ()
    metadata: JsonDict = Field(default_factory=dict, description="index, generation, tokens, cost, cache_hit")
    execution_time_ms: float = 0.0
    reasoning_trace: str | None = None


class Noted(Noun, Generic[T]):
    """What a tool returns when it has warnings or a trace beside its data."""

    data: T
    warnings: tuple[ToolWarning, ...] = ()
    reasoning_trace: str | None = None
