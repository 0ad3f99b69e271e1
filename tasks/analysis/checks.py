"""Checks that tools 24 to 26 share: ids are there, unique, and edges end somewhere."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any, Literal, TypeVar

from corpusgraph.schemas.base import Confidence, Noun
from corpusgraph.schemas.errors import InvalidInputError, PreparationError, did_you_mean
from corpusgraph.schemas.results import ToolWarning
from corpusgraph.tasks.graph.ranking import Identified
from corpusgraph.tasks.table.encodable import why_unwritable

NAMED = 20
"""Records that a message names; a warning's `records` have them all."""
R = TypeVar("R", bound=Identified)


def unique_records(records: Sequence[R], kind: str) -> tuple[list[R], list[ToolWarning]]:
    """Return the records once each; an identical twin is merged with a warning.

    Parameters
    ----------
    records : sequence
        Anything with an id.
    kind : str
        What they are, for messages.

    Returns
    -------
    list
        In the order given.
    list of ToolWarning
        `duplicate_identical`, where there is any.

    Raises
    ------
    PreparationError
        `empty_id`; `duplicate_id` where two records share an id and differ.

    """
    kept: dict[str, R] = {}
    twins: list[str] = []
    for position, record in enumerate(records, start=1):
        if not record.id.strip():
            raise PreparationError(
                f"{kind.capitalize()} {position} has an empty id.",
                code="empty_id",
                hint="Give every record an id of its own.",
            )
        known = kept.setdefault(record.id, record)
        if known is record:
            continue
        if known != record:
            raise PreparationError(
                f"Two different {kind} records have the id {record.id!r}.",
                code="duplicate_id",
                hint="Rename one of them, or remove it.",
            )
        twins.append(record.id)
    message = f"{kind} given twice, kept once: {few(twins)}."
    warning = ToolWarning(code="duplicate_identical", message=message, records=tuple(twins))
    return list(kept.values()), [warning] if twins else []


def require_known(ends: Iterable[str], known: Collection[str], edge: str, kind: str) -> None:
    """Raise where an end of an edge is not among the known ids.

    Parameters
    ----------
    ends : iterable of str
        Ids.
    known : collection of str
        Ids.
    edge : str
        What the message calls the edge.
    kind : str
        What the ends are, for the message.

    Raises
    ------
    PreparationError
        `dangling_edge`.

    """
    for end in ends:
        if end not in known:
            raise PreparationError(
                f"{edge} points to {end!r}, and there is no such {kind}.",
                code="dangling_edge",
                hint=did_you_mean(end, sorted(known)) or f"Add the {kind}, or remove the edge.",
            )


def check_writable(fields: Mapping[str, Any]) -> None:
    """Raise for the first field or record that no file can hold.

    Half characters (lone surrogates), objects of a program, nesting without end.

    Parameters
    ----------
    fields : mapping of str to Any
        Name, for the message, -> value.

    Raises
    ------
    InvalidInputError
        With the name, and the place from 1 in a list.

    """
    for name, value in fields.items():
        if why_unwritable(value) is None:
            continue
        several = value if isinstance(value, (list, tuple)) else ()
        for place, one in [*((f" {at}", one) for at, one in enumerate(several, 1)), ("", value)]:
            if why := why_unwritable(one):
                raise InvalidInputError(f"{name}{place} {why}.", hint="Replace it by text, say, with U+FFFD.")


def few(names: Sequence[str]) -> str:
    """Name the first, and say how many more there are.

    Parameters
    ----------
    names : sequence of str
        Names.

    Returns
    -------
    str
        At most 20 of them.

    """
    more = f" and {len(names) - NAMED:,} more" if len(names) > NAMED else ""
    return f"{', '.join(names[:NAMED])}{more}"


class Passage(Noun):
    """A sentence of a document that speaks for or against a record; offsets count characters."""

    evidence_id: str
    document_id: str
    chunk_id: str
    start: int
    end: int
    text: str
    stance: Literal["for", "against"] = "for"
    title: str = ""
    source: str = ""
    page: int | None = None
    confidence: Confidence = 1.0
