"""What a change did, in words."""

from collections.abc import Callable
from itertools import islice
from typing import Any

from corpusgraph.schemas.memory import (
    Change,
    CreateEntity,
    DeleteEntity,
    Extracted,
    MergeEntities,
    Named,
    Observe,
    Relate,
    Rename,
    Reweigh,
    SplitEntity,
    Unobserve,
    Unrelate,
)
from corpusgraph.tasks.build.aggregate import shorten

LINES = 20
LINE = 200
"""Characters of a line."""


def said(change: Change) -> tuple[str, ...]:
    """Return a line on each of the first operations; of an undoing, what it undid."""
    if change.undoes is not None:
        return (f"undid change {change.undoes}",)
    return tuple(shorten(_SAID[type(one)](one), LINE) for one in islice(change.operations, LINES))


def concerned(change: Change) -> dict[str, str]:
    """Return the entities that a change names: id -> name."""
    found: dict[str, str] = {}
    for operation in change.operations:
        if isinstance(operation, CreateEntity):
            found[operation.id] = operation.name
        for field in ("entity", "source", "target", "into"):
            one = getattr(operation, field, None)
            if isinstance(one, Named):
                found[one.id] = one.name
        for one in getattr(operation, "sources", ()):
            found[one.id] = one.name
    return found


def _made(op: CreateEntity) -> str:
    return f"made {op.name!r}" + (f" ({op.type})" if op.type else "")


def _noted(op: Observe | Unobserve) -> str:
    verb = "noted of" if isinstance(op, Observe) else "took back of"
    return f"{verb} {op.entity.name!r}: " + "; ".join(op.contents)


def _related(op: Relate | Unrelate) -> str:
    stated = f"{op.source.name!r} {op.type} {op.target.name!r}"
    if isinstance(op, Unrelate):
        return f"took out {stated}"
    return f"stated {stated}, confidence {op.confidence:g}, {op.cue}"


def _reweighed(op: Reweigh) -> str:
    set_ = {"weight": op.weight, "confidence": op.confidence}
    told = ", ".join(f"{name} {value:g}" for name, value in set_.items() if value is not None)
    return f"set {told} of {op.source.name!r} {op.type} {op.target.name!r}"


def _renamed(op: Rename) -> str:
    return f"called {op.entity.name!r} {op.name!r}" + (f" ({op.type})" if op.type else "")


def _merged(op: MergeEntities) -> str:
    return f"took {', '.join(repr(one.name) for one in op.sources)} for {op.into.name!r}"


def _split(op: SplitEntity) -> str:
    return f"split {op.into.name!r} from {op.entity.name!r}"


_SAID: dict[type[Any], Callable[[Any], str]] = {
    CreateEntity: _made,
    Observe: _noted,
    Unobserve: _noted,
    Relate: _related,
    Unrelate: _related,
    Reweigh: _reweighed,
    Rename: _renamed,
    MergeEntities: _merged,
    SplitEntity: _split,
    DeleteEntity: lambda op: f"deleted {op.entity.name!r}",
    Extracted: lambda op: f"searched the texts about {op.entity.name!r}: {op.found} found",
}
