"""A column with its cells, and what was changed in them."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from corpusgraph.schemas.errors import PreparationError
from corpusgraph.schemas.results import Column, ToolWarning, Values

MOST_RECORDS = 100
"""A warning that can have a record a row names so many."""
_NOT_TEXT = re.compile("[\x00\ud800-\udfff]")


@dataclass(frozen=True)
class Cells:
    """A column with its cells, what was changed in them, and columns made to keep what was lost."""

    column: Column
    values: Values
    fixes: tuple[ToolWarning, ...] = ()
    beside: tuple[tuple[Column, Values], ...] = ()


def fix(
    code: str, message: str, rows: Sequence[str] = (), places: Sequence[int] | None = None
) -> ToolWarning:
    """Describe a change in the rows at `places` (from 0; None: all); the first hundred are named."""
    n = len(rows) if places is None else len(places)
    named = rows[:MOST_RECORDS] if places is None else [rows[at] for at in places[:MOST_RECORDS]]
    count = f" ({n} {'row' if n == 1 else 'rows'})" if n else ""
    return ToolWarning(code=code, message=f"{message}{count}.", records=tuple(named))


def mixed(column: Column, value: Any, row: str) -> PreparationError:
    """Say which cell does not fit its column's type, and what to do."""
    return PreparationError(
        f"Variable {column.name!r} mixes types: {value!r} ({row}) is not {column.dtype}.",
        code="mixed_types",
        hint=f"Give its type (types: {{{column.name}: text}}), or list codes that mean missing"
        f" (missing: {{{column.name}: [{value!r}]}}).",
    )


def clean(text: str) -> str:
    """Replace NUL and lone surrogates, which end a string or cannot be encoded."""
    return _NOT_TEXT.sub("\ufffd", text)
