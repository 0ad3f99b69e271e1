"""Cells as text or JSON and back: each column says how its cells are stored (Frictionless Table Schema).

Sources: Table Schema, https://specs.frictionlessdata.io/table-schema/; typed values and JSON literals of
JSON-LD 1.1 (W3C 2020). Lists, objects and cells of several types are JSON text; such a field has
`"json": true`.
"""

import json
import math
import re
from collections.abc import Callable, Iterable, Sequence
from datetime import date, datetime
from typing import Any, Literal, get_args

from pydantic import ValidationError
from pydantic_core import to_jsonable_python

from corpusgraph.schemas.base import JsonDict
from corpusgraph.schemas.errors import InvalidInputError
from corpusgraph.schemas.results import Column, Table

Storage = Literal[
    "string", "boolean", "integer", "number", "date", "datetime", "array", "object", "any", "null"
]
_PLAIN: dict[type, Storage] = {
    str: "string",
    bool: "boolean",
    int: "integer",
    float: "number",
    date: "date",
    datetime: "datetime",
    list: "array",
    tuple: "array",
    dict: "object",
    type(None): "null",
}
JSON_TYPES = frozenset({"array", "object", "any", "null"})
_DATE, _DATE_TIME, _DOUBLE, _LITERAL = "xsd:date", "xsd:dateTime", "xsd:double", "@json"
_TYPED = {"@type", "@value"}
_TOLD = re.compile('"@value"|Infinity|NaN')
"""What shows that a value has something JSON lacks, or looks like what stands for it."""
_ENDLESS = {"INF": math.inf, "-INF": -math.inf, "NaN": math.nan}
_TYPES: dict[str, Callable[[str], Any]] = {
    _DATE: date.fromisoformat,
    _DATE_TIME: datetime.fromisoformat,
    _DOUBLE: _ENDLESS.__getitem__,
}


def storage(values: Iterable[Any]) -> Storage:
    """Return how the cells of a column are stored; `None` is missing, and a column without cells is text."""
    kinds = {_PLAIN.get(one, "any") for one in set(map(type, values))} - {"null"}
    if len(kinds) == 1:
        return kinds.pop()
    if kinds == {"integer", "number"}:
        return "number"
    return "any" if kinds else "string"


def cells_by_column(table: Table) -> list[list[Any]]:
    """Return the cells column by column."""
    return [list(table.cells(at)) for at in range(len(table.columns))]


def kind_of(value: Any) -> Storage:
    """Return how one cell is stored."""
    return _PLAIN.get(type(value), "any")


def to_text(value: Any, stored: Storage) -> str:
    """Return the text of a cell; `from_text` reads it back."""
    return writer(stored)(value)


def writer(stored: Storage) -> Callable[[Any], str]:
    """Return what makes text of a column's cells."""
    return _WRITE.get(stored, json_text)


def json_text(value: Any) -> str:
    """Return JSON; what it lacks is a typed value of JSON-LD (dates, endless numbers), text or a list."""
    text = json.dumps(value, ensure_ascii=False, default=_typed_value)
    return json.dumps(_told(value), ensure_ascii=False) if _TOLD.search(text) else text


def _typed_value(value: object) -> Any:
    if isinstance(value, date):
        kind = _DATE_TIME if isinstance(value, datetime) else _DATE
        return {"@type": kind, "@value": value.isoformat()}
    return to_jsonable_python(value, fallback=str)


def _told(value: Any) -> Any:
    """Return a value that JSON has; an object that looks like a typed value is wrapped as a JSON literal."""
    if isinstance(value, dict):
        made = {key: _told(inner) for key, inner in value.items()}
        return {"@type": _LITERAL, "@value": made} if value.keys() == _TYPED else made
    if isinstance(value, (list, tuple)):
        return [_told(inner) for inner in value]
    if endless := _endless(value):
        return {"@type": _DOUBLE, "@value": endless}
    return value if value is None or isinstance(value, (str, int, float)) else _typed_value(value)


def _untold(value: Any) -> Any:
    if isinstance(value, list):
        return [_untold(inner) for inner in value]
    if not isinstance(value, dict):
        return value
    read = _TYPES.get(str(value["@type"])) if value.keys() == _TYPED else None
    if read and isinstance(value["@value"], str):
        return read(value["@value"])
    literal = value.keys() == _TYPED and value["@type"] == _LITERAL and isinstance(value["@value"], dict)
    return {key: _untold(inner) for key, inner in (value["@value"] if literal else value).items()}


def _of_json(text: str) -> Any:
    return _untold(json.loads(text)) if "@value" in text else json.loads(text)


def _endless(value: Any) -> str:
    if not isinstance(value, float) or math.isfinite(value):
        return ""
    return "NaN" if math.isnan(value) else "INF" if value > 0 else "-INF"


def _number(text: str) -> int | float:
    if text in _ENDLESS:
        return _ENDLESS[text]
    return int(text) if text.lstrip("-").isdecimal() else float(text)


def _boolean(text: str) -> bool:
    word = text.casefold()
    if word not in {"true", "false"}:
        message = f"{text!r} is neither TRUE nor FALSE"
        raise ValueError(message)
    return word == "true"


_READ: dict[str, Callable[[str], Any]] = {
    "string": str,
    "boolean": _boolean,
    "integer": int,
    "number": _number,
    "date": date.fromisoformat,
    "datetime": datetime.fromisoformat,
}


_WRITE: dict[str, Callable[[Any], str]] = {
    "string": str,
    "boolean": lambda value: "TRUE" if value else "FALSE",
    "integer": repr,
    "number": lambda value: _endless(value) or repr(value),
    "date": lambda value: str(value.isoformat()),
    "datetime": lambda value: str(value.isoformat()),
}


def from_text(text: str, stored: str) -> Any:
    """Read the text of a cell. Raises ValueError for text that is none of its type."""
    return reader(stored)(text)


def reader(stored: str) -> Callable[[str], Any]:
    """Return what reads the text of a column's cells."""
    return _READ.get(stored, _of_json)


def to_json(value: Any, stored: Storage) -> Any:
    """Return a value that JSON has: dates and endless numbers as text, the rest as it is."""
    kind = type(value)
    if value is None or kind in (str, bool, int) or (kind is float and math.isfinite(value)):
        return value
    if stored in JSON_TYPES:
        return json.loads(json_text(value))
    return to_text(value, stored) if stored in ("date", "datetime") else _endless(value) or value


def from_json(value: Any, stored: Storage) -> Any:
    """Read what `to_json` wrote; a value that needs no reading stays as it is."""
    kind = type(value)
    if kind is dict or kind is list:
        return _untold(value) if stored in JSON_TYPES else value
    needs = kind is str and stored in ("date", "datetime", "number")
    return from_text(value, stored) if needs else value


def missing_marker(texts: Iterable[str]) -> str:
    """Return what stands for a missing cell: nothing, or where empty text is a value, `NA` or `.NA`."""
    taken = set(texts)
    marker = ""
    while marker in taken:
        marker = f".{marker}" if marker else "NA"
    return marker


def field_of(column: Column, stored: Storage, marker: str = "") -> JsonDict:
    """Describe a column as a field of Table Schema, with our own `dtype`, `unit`, `source` and `role`."""
    made: JsonDict = {"name": column.name, "type": stored}
    told = {"title": column.label, "description": column.formula, "source": column.source}
    made |= {key: text for key, text in told.items() if text}
    made |= {"json": True} if stored in JSON_TYPES else {}
    made |= {"missingValues": [marker]} if marker else {}
    rest = column.model_dump(mode="json", exclude_defaults=True)
    return made | {k: v for k, v in rest.items() if k not in {"name", "label", "formula", "source"}}


def column_of(field: JsonDict) -> tuple[Column, Storage, str]:
    """Read a field: the column, how its cells are stored, and what stands for a missing one."""
    kinds: Sequence[str] = get_args(Storage)
    stored: Storage = field["type"] if field.get("type") in kinds else "string"
    told = {k: field[k] for k in Column.model_fields if k in field}
    told |= {"label": field.get("title", ""), "formula": field.get("description", "")}
    told.setdefault("dtype", _DTYPES.get(stored, "json"))
    return Column.model_validate(told), stored, str((field.get("missingValues") or [""])[0])


def columns_of(schema: JsonDict, table: str) -> list[tuple[Column, Storage, str]]:
    """Read a Table Schema as `column_of` reads a field. Raises InvalidInputError for what is none."""
    fields = schema.get("fields") if isinstance(schema, dict) else None
    if not isinstance(fields, list) or not all(isinstance(field, dict) for field in fields):
        raise InvalidInputError(f"The schema of {table} is no Table Schema: it has no list of fields.")
    try:
        return [column_of(field) for field in fields]
    except ValidationError as error:
        problem = error.errors()[0]
        where = ".".join(map(str, problem["loc"]))
        raise InvalidInputError(f"A field in the schema of {table}: {where}: {problem['msg']}.") from None


_DTYPES = {
    "string": "text",
    "boolean": "boolean",
    "integer": "integer",
    "number": "numeric",
    "date": "date",
    "datetime": "datetime",
}


def table_schema(table: Table) -> JsonDict:
    """Describe the table's columns as Table Schema, for records: a missing cell is null."""
    kinds = map(storage, cells_by_column(table))
    return {"fields": [field_of(column, kind) for column, kind in zip(table.columns, kinds, strict=True)]}
