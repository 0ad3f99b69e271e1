"""Text that UTF-8 cannot hold: half a character (a lone surrogate), as broken decoding leaves it."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from corpusgraph.schemas.errors import InvalidInputError
from corpusgraph.schemas.results import Table, Values

_HINT = "Replace it, say by U+FFFD."
_WHAT = "has half a character (a lone surrogate), which no file can hold."


def not_encodable(error: UnicodeEncodeError) -> InvalidInputError:
    """Return the error that shows the text around the half character."""
    around = error.object[max(0, error.start - 20) : error.end + 20]
    return InvalidInputError(f"Text {around!r} {_WHAT}", hint=_HINT)


@contextmanager
def legible(what: str) -> Iterator[None]:
    """Name what no check of one tool looks for: half characters in texts, and nesting without end."""
    try:
        yield
    except UnicodeEncodeError as error:  # ids are hashes of the UTF-8 text
        raise not_encodable(error) from None
    except RecursionError:
        raise InvalidInputError(
            f"{what}: an argument is nested too deeply to be read.",
            hint="Flatten what holds lists in lists, or mappings in mappings, hundreds of levels deep.",
        ) from None


def check_encodable(tables: Mapping[str, Table], graph: Mapping[str, Any]) -> None:
    """Raise InvalidInputError for the first text of the tables, or of the graph, that UTF-8 cannot hold."""
    if _is_broken(graph):
        raise InvalidInputError(f"Text of the graph itself {_WHAT}", hint=_HINT)
    for name, table in tables.items():
        if _is_broken(table.columns):
            raise InvalidInputError(f"The name of an attribute of {name} {_WHAT}", hint=_HINT)
        for place, column in enumerate(table.columns):
            for at in _broken(table.cells(place)):
                where = f"Row {at + 1} of {name} ({table.rows[at][0]!r})"
                raise InvalidInputError(f"{where}: {column.name} {_WHAT}", hint=_HINT)


def _broken(cells: Values) -> Iterator[int]:
    """Yield the places of broken text; a column is searched as one text first."""
    texts = "".join(cell for cell in cells if type(cell) is str)
    nested = [cell for cell in cells if isinstance(cell, (dict, list, tuple))]
    if _fits(texts) and not (nested and _is_broken(nested)):
        return
    yield from (at for at, cell in enumerate(cells) if _is_broken(cell))


def _is_broken(value: Any) -> bool:
    """Search what is nested only where its shape as text shows such a character."""
    if isinstance(value, str):
        return not _fits(value)
    if "\\ud" not in repr(value):
        return False
    if isinstance(value, Mapping):
        return any(_is_broken(one) for pair in value.items() for one in pair)
    if isinstance(value, (list, tuple)):
        return any(map(_is_broken, value))
    return _is_broken(getattr(value, "name", "")) or _is_broken(getattr(value, "source", ""))


def _fits(text: str) -> bool:
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True
