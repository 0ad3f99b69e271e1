"""Checks that tools 24 to 26 share: ids are there, unique, and edges end somewhere."""

from collections.abc import Collection, Iterable, Sequence
from typing import Protocol, TypeVar

from corpusgraph.schemas.errors import PreparationError, did_you_mean
from corpusgraph.schemas.results import ToolWarning


class Identified(Protocol):
    """Anything with an id."""

    @property
    def id(self) -> str:
        """The record's id."""
        ...


R = TypeVar("R", bound=Identified)


def unique_records(records: Sequence[R], kind: str) -> tuple[list[R], list[ToolWarning]]:
    """Return the records once each; an identical twin is merged with a warning.

    Errors: `empty_id`; `duplicate_id` where two records share an id and differ.
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
    return list(kept.values()), _warning("duplicate_identical", f"{kind} given twice, kept once", twins)


def require_known(ends: Iterable[str], known: Collection[str], edge: str, kind: str) -> None:
    """Raise `dangling_edge` when an end of `edge` is not among the known ids."""
    for end in ends:
        if end not in known:
            raise PreparationError(
                f"{edge} points to {end!r}, and there is no such {kind}.",
                code="dangling_edge",
                hint=did_you_mean(end, sorted(known)) or f"Add the {kind}, or remove the edge.",
            )


def _warning(code: str, what: str, ids: Sequence[str]) -> list[ToolWarning]:
    if not ids:
        return []
    return [ToolWarning(code=code, message=f"{what}: {', '.join(ids)}.", records=tuple(ids))]
