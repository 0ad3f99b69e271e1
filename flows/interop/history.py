"""The journal of an index for a person: what was changed by hand, and what of it was undone."""

from collections import Counter
from pathlib import Path

from corpusgraph.schemas.base import JsonDict
from corpusgraph.schemas.memory import Change
from corpusgraph.schemas.ports import Memory


def changes_of(name: str, outputs: Path) -> JsonDict:
    """Return all changes of an index in order, each with what it did in words."""
    port = memory_of(name, outputs)
    undone = port.undone()
    lines = [
        {
            "number": change.number,
            "at": change.at,
            "by": change.by,
            "undone": change.number in undone,
            "undoes": change.undoes,
            "what": _told(change),
            "operations": [operation.model_dump(mode="json") for operation in change.operations],
        }
        for change in port.changes()
    ]
    return {"index": name, "changes": lines}


def undo_change(name: str, number: int | None, outputs: Path) -> JsonDict:
    """Undo a change (None: the last in force) and return the one that does so.

    An unknown or undone number is an error.
    """
    from corpusgraph.flows.files.manifest import now
    from corpusgraph.tasks.tools.memory.undo_change import last_in_force

    memory = memory_of(name, outputs)
    number = last_in_force(memory) if number is None else number
    change = memory.undo(number, by="undo_change", request_id="", at=now())
    return change.model_dump(mode="json")


def memory_of(name: str, outputs: Path) -> Memory:
    """Return the memory of an index."""
    from corpusgraph.flows.open_index import open as open_index
    from corpusgraph.flows.ports import IndexResources

    port: Memory = IndexResources(open_index(name, outputs))["memory"]
    return port


def _told(change: Change) -> str:
    """Say what a change did: of one operation its names, of many how many of each there are."""
    if change.undoes is not None:
        return f"undo {change.undoes}"
    if len(change.operations) != 1:
        counts = Counter(operation.op for operation in change.operations)
        return ", ".join(f"{count:,} {op.replace('_', ' ')}" for op, count in sorted(counts.items()))
    (operation,) = change.operations
    held = operation.model_dump(mode="json")
    names = [str(held["name"])] if "name" in held else []
    ends = (held.get(key) for key in ("entity", "source", "target", "into"))
    names += [str(end["name"]) for end in ends if isinstance(end, dict)]
    kind = f" {held['type']}" if held.get("type") and "source" in held else ""
    return f"{operation.op.replace('_', ' ')}{kind}: {' -> '.join(dict.fromkeys(names))}"
