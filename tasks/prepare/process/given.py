"""Events as people have them: records, a table, a data frame, or lists by column."""

from collections.abc import Iterable, Mapping
from typing import Any

from pydantic import ValidatorFunctionWrapHandler

from corpusgraph.schemas.results import Table
from corpusgraph.tasks.prepare.process.collection import collection_paused


def events_of(value: Any, check: ValidatorFunctionWrapHandler) -> Any:
    """Read events in any of those forms; many of them are made with the search for cycles paused."""
    rows = as_rows(value)
    with collection_paused(rows):
        return check(rows)


def as_rows(value: Any) -> Any:
    """Return a table, a frame of polars or pandas, or a mapping of columns as records without empty cells."""
    if isinstance(value, Table):
        return _filled(value.records())
    if hasattr(value, "to_dicts"):
        return _filled(value.to_dicts())
    if hasattr(value, "to_dict") and hasattr(value, "columns"):
        return _filled(value.to_dict("records"))
    if isinstance(value, Mapping) and value and all(isinstance(cells, list) for cells in value.values()):
        if len({len(cells) for cells in value.values()}) > 1:
            raise ValueError("the columns have different lengths")
        return _filled(dict(zip(value, row, strict=True)) for row in zip(*value.values(), strict=True))
    return value


def _filled(rows: Iterable[dict[Any, Any]]) -> list[dict[str, Any]]:
    return [{str(key): cell for key, cell in row.items() if not _is_empty(cell)} for row in rows]


def _is_empty(cell: Any) -> bool:
    """Tell whether a cell is missing: None, NaN or NaT, which differs from itself."""
    return cell is None or (not isinstance(cell, (str, list, tuple, dict)) and bool(cell != cell))  # noqa: PLR0124
