"""Texts as a caller gives them: characters that no file holds, blank ids, and dates that are none."""

from collections.abc import Mapping, Sequence
from typing import Any

from corpusgraph.schemas.errors import InvalidInputError, PreparationError
from corpusgraph.schemas.results import ToolWarning
from corpusgraph.tasks.reshape.texts import TextDocument
from corpusgraph.tasks.table.cells import clean
from corpusgraph.tasks.table.dates import read

_DATES = {
    "unparsed_timestamp": "have a date that cannot be read and stays as it is",
    "ambiguous_date": "have a date whose day and month could be exchanged; it is not read",
}


def read_given(given: Sequence[str | TextDocument]) -> tuple[list[TextDocument], tuple[ToolWarning, ...]]:
    """Return the documents with legal characters, and name those that were changed or have a bad date.

    A document is named by its id, or by its place from 1. Raises PreparationError `empty_id`, and
    InvalidInputError for two different dates of one document.
    """
    made = []
    found: dict[str, list[str]] = {"illegal_character": [], **{code: [] for code in _DATES}}
    for at, document in enumerate(given, 1):
        one = TextDocument(text=document) if isinstance(document, str) else document
        name = str(at) if one.id is None else one.id
        if not name.strip():
            raise PreparationError(f"Document {at} has a blank id.", code="empty_id", hint="Leave id out.")
        fields = one.model_dump()
        legal = _legal(fields)
        if legal != fields:
            found["illegal_character"].append(name)
            one = TextDocument.model_validate(legal)
        if code := _bad_date(one, name):
            found[code].append(f"{name}: {one.date}")
        made.append(one)
    what = {"illegal_character": "had characters that no text file holds, which are U+FFFD", **_DATES}
    return made, tuple(
        ToolWarning(code=code, message=f"{len(at)} documents {what[code]}.", records=tuple(at))
        for code, at in found.items()
        if at
    )


def _legal(value: Any) -> Any:
    if isinstance(value, str):
        return clean(value)
    if isinstance(value, Mapping):
        return {_legal(key): _legal(inner) for key, inner in value.items()}
    return [_legal(inner) for inner in value] if isinstance(value, (list, tuple)) else value


def _bad_date(one: TextDocument, name: str) -> str | None:
    if one.date is None:
        return None
    other = one.metadata.get("date", one.date)
    if str(other) != str(one.date):
        raise InvalidInputError(
            f"Document {name!r} has two dates: {one.date!r} and, in metadata, {other!r}.",
            hint="Give one of them.",
        )
    found = read(one.date)
    return found if isinstance(found, str) else None
