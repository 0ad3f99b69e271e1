"""Text that UTF-8 cannot hold: half a character (a lone surrogate), as broken decoding leaves it."""

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from pydantic_core import PydanticSerializationError, to_json

from corpusgraph.schemas.errors import InvalidInputError
from corpusgraph.schemas.results import Table

_HINT = "Replace it, say by U+FFFD."
HALF = "has half a character (a lone surrogate), which no file can hold"
_WHAT = f"{HALF}."


def not_encodable(error: UnicodeEncodeError) -> InvalidInputError:
    """Return the error that shows the text around the half character.

    Parameters
    ----------
    error : UnicodeEncodeError
        As Python raised it.

    Returns
    -------
    InvalidInputError
        With 20 characters on either side, and what to do.

    """
    around = error.object[max(0, error.start - 20) : error.end + 20]
    return InvalidInputError(f"Text {around!r} {_WHAT}", hint=_HINT)


@contextmanager
def legible(what: str) -> Iterator[None]:
    """Name what no check of a tool looks for: half characters in texts, and nesting without end.

    Parameters
    ----------
    what : str
        Name of the tool, for the message.

    Yields
    ------
    None
        While the body runs.

    Raises
    ------
    InvalidInputError
        In place of UnicodeEncodeError and RecursionError.

    """
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
    """Look for text that UTF-8 cannot hold in tables and in what is said of the graph.

    Parameters
    ----------
    tables : mapping of str to Table
        Name -> table, of rows that begin with an id.
    graph : mapping of str to Any
        What the graph says of itself.

    Raises
    ------
    InvalidInputError
        For the first such text, with its row and column.

    """
    if _is_broken(graph):
        raise InvalidInputError(f"Text of the graph itself {_WHAT}", hint=_HINT)
    for name, table in tables.items():
        if _is_broken(table.columns):
            raise InvalidInputError(f"The name of an attribute of {name} {_WHAT}", hint=_HINT)
        for place, column in enumerate(table.columns):
            cells = list(table.cells(place))
            if _is_broken(cells):  # a column is searched as a whole first
                at = next(at for at, cell in enumerate(cells) if _is_broken(cell))
                where = f"Row {at + 1} of {name} ({table.rows[at][0]!r})"
                raise InvalidInputError(f"{where}: {column.name} {_WHAT}", hint=_HINT)


def _is_broken(value: Any) -> bool:
    """Return whether a value, or what is nested in it, is text that UTF-8 cannot hold."""
    return HALF in (why_unwritable(value, fallback=str) or "")


def why_unwritable(value: Any, fallback: Callable[[Any], Any] | None = None) -> str | None:
    """Return why no file can hold a value; `fallback` is what to write for objects of a program.

    Parameters
    ----------
    value : Any
        Anything that is to be written as JSON.
    fallback : callable, optional
        Turns an object of a program into what is written for it.

    Returns
    -------
    str or None
        Ends a sentence that begins with what the value is; None where it can be written.

    """
    try:
        to_json(value, fallback=fallback)
    except PydanticSerializationError as error:
        if "UnicodeEncodeError" in str(error):
            return HALF
        if "unknown type" in str(error):
            return f"holds something that no file can: {str(error).rpartition(':')[2].strip()}"
        return "is nested too deeply for a file"
    return None
