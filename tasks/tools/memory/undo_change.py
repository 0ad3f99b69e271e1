"""Take a change back, or bring it back."""

from typing import Literal

from pydantic import AliasChoices, Field, PositiveInt

from corpusgraph.schemas.errors import InvalidInputError
from corpusgraph.schemas.ports import Memory
from corpusgraph.schemas.results import ToolInput
from corpusgraph.tasks.progress import heard
from corpusgraph.tasks.registry import tool
from corpusgraph.tasks.tools.memory._inputs import Shape, stamp
from corpusgraph.tasks.tools.memory.list_changes import in_words


class UndoChange(ToolInput):
    """Which change."""

    change: PositiveInt | None = Field(
        None,
        validation_alias=AliasChoices("change", "number", "change_id"),
        description="number of the change, of an undoing too; the last one in force that is no undoing, "
        "unless given",
    )


class UndoneChange(Shape):
    """What does not count any more."""

    success: Literal[True] = True
    undone: int = Field(description="number of the change that was undone")
    what: tuple[str, ...] = Field(description="what it had done, in words; the first 20 lines")
    change: int = Field(description="number of the undoing: undo it to bring the change back")


@tool(writes="memory", effect="changes", idempotent=False)
def undo_change(ask: UndoChange, memory: Memory) -> UndoneChange:
    """Take a change back with all it did; what came after stays, and an undoing can be undone."""
    changes = memory.changes()
    number = ask.change or last_in_force(memory)
    with heard(None):
        done = memory.undo(number, by="undo_change", request_id=ask.request_id, at=stamp(ask))
    return UndoneChange(undone=number, what=in_words(changes[number - 1]), change=done.number)


def last_in_force(memory: Memory) -> int:
    """Return the last change in force that is no undoing; `nothing_to_undo` where there is none."""
    gone = memory.undone()
    for change in reversed(memory.changes()):
        if change.undoes is None and change.number not in gone:
            return change.number
    raise InvalidInputError(
        "There is no change to undo.", hint="list_changes shows what was done.", code="nothing_to_undo"
    )
