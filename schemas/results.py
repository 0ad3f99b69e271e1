"""Scores, tables, and the envelope every tool answers in."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import UTC, datetime
from functools import cache
from typing import Annotated, Any, Generic, Literal, Protocol, TypeVar, overload
from uuid import uuid4

from pydantic import (
    AliasChoices,
    BaseModel,
    ConfigDict,
    Field,
    PlainSerializer,
    ValidatorFunctionWrapHandler,
    WrapValidator,
    model_validator,
)

from corpusgraph.schemas.base import JsonDict, Noun

TYPES = ("relationship_types", "edge_types", "relation_types", "relation_type", "relationship_type")
SIZES = ("top_k", "limit", "max_results")
HOPS = ("max_hops", "max_depth", "depth", "hop_distance", "k")
SAME = (SIZES, TYPES, ("entity", "entity_id", "entity_name"))
"""Names of one thing: where a tool takes one of them, the others say the same."""
_ALSO: Mapping[str, tuple[str, ...]] = {
    **{name: same for same in SAME for name in same},
    **dict.fromkeys(("max_paths", "max_relationships"), SIZES),
    **dict.fromkeys(("max_hops", "max_depth", "hop_distance", "k", "hops", "radius"), HOPS),
    **dict.fromkeys(("entity_ids", "entity_names", "start_entities", "source_entities"), ("entities",)),
    "source_id": ("source", "from", "from_entity_id"),
    "target_id": ("target", "to", "to_entity_id"),
    "start_node": SAME[2],
}
"""Name that a tool takes -> other names of the same, where these are none of the tool's own."""

_HUMP = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")


def respelt(model: type[BaseModel], given: Mapping[str, Any]) -> dict[str, Any]:
    """Return arguments under names that a model has; what it has none for, or twice, stays as it is.

    `maxResults` is max_results, and a name of `SAME` the one that the model has.

    Parameters
    ----------
    model : type of BaseModel
        Input of a tool.
    given : mapping of str to Any
        Names as a caller spells them -> values.

    Returns
    -------
    dict of str to Any
        In the caller's order; a single type becomes a list of it where the model takes several.

    """
    known, declared = spellings(model), _declared(model)
    taken = {declared[name] for name in given if name in declared}
    found: dict[str, Any] = {}
    for name, value in given.items():
        field = known.get(name) or known.get(_HUMP.sub("_", name).lower())
        is_new = field is not None and name not in declared and field not in taken
        if is_new:
            taken.add(str(field))
        several = field in TYPES and str(field).endswith("s") and isinstance(value, str)
        found[str(field) if is_new else name] = [value] if several else value
    return found


@cache
def spellings(model: type[BaseModel]) -> dict[str, str]:
    """Return each spelling of an argument, but for capitals between words -> its field.

    Parameters
    ----------
    model : type of BaseModel
        Input of a tool.

    Returns
    -------
    dict of str to str
        Field names stand for themselves.

    """
    declared = _declared(model)
    return {other: field for name, field in declared.items() for other in _ALSO.get(name, ())} | declared


@cache
def _declared(model: type[BaseModel]) -> dict[str, str]:
    """Return the names that pydantic itself takes for an argument -> its field."""
    found: dict[str, str] = {}
    for name, info in model.model_fields.items():
        also = info.validation_alias
        choices = also.choices if isinstance(also, AliasChoices) else [also]
        found |= {choice: name for choice in choices if isinstance(choice, str)} | {name: name}
    return found


Scalar = bool | int | float | str


class Range(Noun):
    """Between two values, both included. A date may be partial: `to: 1788` includes all of 1788."""

    from_: Scalar | None = Field(default=None, alias="from")
    to: Scalar | None = None

    @model_validator(mode="after")
    def _has_an_end(self) -> "Range":
        if self.from_ is None and self.to is None:
            raise ValueError("a range has a from, a to or both")
        return self


class Excluded(Noun):
    """Not these values."""

    not_: Scalar | tuple[Scalar, ...] = Field(alias="not")


Condition = Scalar | tuple[Scalar, ...] | Range | Excluded
"""A value, any of several, a range, or not."""

DocumentFilter = dict[str, Condition]
"""Field of the document (metadata, `id`, `title`, `source`, `language`) -> condition; all must hold."""

T = TypeVar("T")


class Scored(Noun, Generic[T]):
    """An item with its score (higher is better) and its rank from 1."""

    item: T
    score: float
    rank: int = Field(ge=1)
    scorer: str | None = None
    components: dict[str, float] = Field(default_factory=dict)

    def __reduce__(self) -> tuple[Any, ...]:
        """Go to another process, where `Scored[Chunk]` is no name that pickle would find."""
        return _blank, (type(self).__pydantic_generic_metadata__["args"],), self.__getstate__()


def _blank(kinds: tuple[Any, ...]) -> Scored[Any]:
    """Return a scored item of a kind for pickle to fill."""
    made: type[Scored[Any]] = Scored[kinds] if kinds else Scored  # type: ignore[valid-type]
    return made.__new__(made)


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


Row = tuple[Any, ...]


class Values(Protocol):
    """The cells of a column: a list, a tuple, a polars series."""

    def __len__(self) -> int: ...
    def __iter__(self) -> Iterator[Any]: ...
    def __getitem__(self, at: Any, /) -> Any: ...


class Rows(Sequence[Row]):
    """Rows held by column: a column is at hand without a loop over the rows; a row is made when asked for.

    Equal to any sequence of the same rows, and written as JSON like one.

    Parameters
    ----------
    columns : iterable of Values
        Of one length: lists, tuples or polars series.
    height : int, optional
        Number of rows; that of the first column unless given, 0 without columns.

    Raises
    ------
    ValueError
        For a column of another length.

    """

    __slots__ = ("_height", "columns")

    def __init__(self, columns: Iterable[Values], height: int | None = None) -> None:
        self.columns = tuple(columns)
        self._height = (len(self.columns[0]) if self.columns else 0) if height is None else height
        if uneven := [len(values) for values in self.columns if len(values) != self._height]:
            raise ValueError(f"a column has {uneven[0]} cells for {self._height} rows")

    def __len__(self) -> int:
        return self._height

    @overload
    def __getitem__(self, at: int) -> Row: ...
    @overload
    def __getitem__(self, at: slice) -> tuple[Row, ...]: ...
    def __getitem__(self, at: int | slice) -> Row | tuple[Row, ...]:
        if isinstance(at, slice):
            return tuple(self[one] for one in range(*at.indices(self._height)))
        return tuple(values[range(self._height)[at]] for values in self.columns)

    def __iter__(self) -> Iterator[Row]:
        return zip(*self.columns, strict=True) if self.columns else iter([()] * self._height)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, (Rows, tuple)):
            return NotImplemented
        return len(self) == len(other) and all(a == b for a, b in zip(self, other, strict=True))

    def __hash__(self) -> int:
        return hash(tuple(self))

    def __repr__(self) -> str:
        return repr(tuple(self))


def _as_held(rows: Any, checked: ValidatorFunctionWrapHandler) -> Any:
    return rows if isinstance(rows, Rows) else checked(rows)


class Table(Noun):
    """Columns and rows; `None` is missing. Row `i` of `provenance` lists the chunk ids behind row `i`."""

    name: str = "table"
    columns: tuple[Column, ...]
    rows: Annotated[tuple[Row, ...], WrapValidator(_as_held), PlainSerializer(tuple, tuple[Row, ...])]
    provenance: tuple[tuple[str, ...], ...] | None = None

    def column(self, name: str) -> Row:
        """Return the values of one column.

        Parameters
        ----------
        name : str
            Name of one of `columns`.

        Returns
        -------
        Row
            Its cells from the first row to the last; None is a missing value.

        Raises
        ------
        ValueError
            Where there is no such column.

        """
        return tuple(self.cells([column.name for column in self.columns].index(name)))

    def cells(self, at: int) -> Values:
        """Return the column of that place as it is held.

        Parameters
        ----------
        at : int
            Place in `columns`, from 0.

        Returns
        -------
        Values
            As long as the table has rows; None is a missing value.

        """
        held: Any = self.rows
        return held.columns[at] if isinstance(held, Rows) else [row[at] for row in self.rows]

    def records(self) -> list[JsonDict]:
        """Return the rows as dictionaries.

        Returns
        -------
        list of JsonDict
            Column -> cell for every row; None is a missing value.

        """
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

    @model_validator(mode="before")
    @classmethod
    def _respelt(cls, given: Any) -> Any:
        return respelt(cls, given) if isinstance(given, dict) else given


def one_of(*names: str, otherwise: str) -> Any:
    """Return a validator of an input: one of some fields at least must hold something.

    Parameters
    ----------
    *names : str
        Fields of the input.
    otherwise : str
        What a caller is told where none does.

    Returns
    -------
    Any
        To be an attribute of the input.

    """

    def check(ask: ToolInput) -> ToolInput:
        if not any(getattr(ask, name) for name in names):
            raise ValueError(otherwise)
        return ask

    return model_validator(mode="after")(check)


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


def warned(
    code: str, message: str, records: Iterable[str] = (), *, when: object = True
) -> tuple[ToolWarning, ...]:
    """Return a warning, or none where there is no reason for it.

    Parameters
    ----------
    code : str
        Name of the condition, such as `nothing_found`.
    message : str
        Whole sentences for a person.
    records : iterable of str, optional
        Ids or names of what it is about.
    when : object, default True
        Any value; the warning is left out where it is false or empty.

    Returns
    -------
    tuple of ToolWarning
        Of one item or none, to be joined to others.

    """
    return (ToolWarning(code=code, message=message, records=tuple(records)),) if when else ()


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
