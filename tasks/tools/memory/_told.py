"""What a change did, in words."""

from itertools import islice

from corpusgraph.schemas.memory import (
    Change,
    CreateEntity,
    DeleteEntity,
    Extracted,
    MergeEntities,
    Observe,
    Operation,
    Relate,
    Rename,
    Reweigh,
    SplitEntity,
    Unobserve,
    Unrelate,
)
from corpusgraph.tasks.build.aggregate import shorten
from corpusgraph.tasks.overlay.state import names_in

LINES = 20
LINE = 200
"""Characters of a line."""


def said(change: Change) -> tuple[str, ...]:
    """Return a line on each of the first operations; of an undoing, what it undid."""
    if change.undoes is not None:
        return (f"undid change {change.undoes}",)
    return tuple(shorten(_line(operation), LINE) for operation in islice(change.operations, LINES))


def concerned(change: Change) -> dict[str, str]:
    """Return the entities that a change names: id -> name."""
    return {named.id: named.name for operation in change.operations for named in names_in(operation)}


def _line(operation: Operation) -> str:
    match operation:
        case CreateEntity(name=name, type=type_):
            words = f"made {name!r}" + (f" ({type_})" if type_ else "")
        case Observe(entity=entity, contents=contents):
            words = f"noted of {entity.name!r}: " + "; ".join(contents)
        case Unobserve(entity=entity, contents=contents):
            words = f"took back of {entity.name!r}: " + "; ".join(contents)
        case Relate(confidence=confidence, cue=cue):
            words = f"stated {_relation(operation)}, confidence {confidence:g}, {cue}"
        case Unrelate():
            words = f"took out {_relation(operation)}"
        case Reweigh(weight=weight, confidence=confidence):
            values = {"weight": weight, "confidence": confidence}
            shown = ", ".join(f"{name} {value:g}" for name, value in values.items() if value is not None)
            words = f"set {shown} of {_relation(operation)}"
        case Rename(entity=entity, name=name, type=type_):
            words = f"called {entity.name!r} {name!r}" + (f" ({type_})" if type_ else "")
        case MergeEntities(sources=sources, into=into):
            words = f"took {', '.join(repr(source.name) for source in sources)} for {into.name!r}"
        case SplitEntity(entity=entity, into=into):
            words = f"split {into.name!r} from {entity.name!r}"
        case DeleteEntity(entity=entity):
            words = f"deleted {entity.name!r}"
        case Extracted(entity=entity, found=n):
            words = f"searched the texts about {entity.name!r}: {n} found"
    return words


def _relation(operation: Relate | Unrelate | Reweigh) -> str:
    return f"{operation.source.name!r} {operation.type} {operation.target.name!r}"
