"""The change that takes another back."""

from collections.abc import Collection, Sequence

from corpusgraph.schemas.errors import InvalidInputError
from corpusgraph.schemas.memory import Change


def undoing(
    changes: Sequence[Change], undone: Collection[int], number: int, *, by: str, request_id: str, at: str
) -> Change:
    """Return the next change, that undoes change `number`; an undoing can be undone too.

    Raises InvalidInputError, `unknown_change` with the numbers there are, or `already_undone` with the change
    that undid it.
    """
    if not 1 <= number <= len(changes):
        there = f"Changes are numbered 1 to {len(changes)}." if changes else "Nothing was changed yet."
        raise InvalidInputError(f"There is no change {number}.", hint=there, code="unknown_change")
    if number in undone:
        by_whom = max(c.number for c in changes if c.undoes == number and c.number not in undone)
        hint = f"Change {by_whom} undid it; undo that one to bring it back."
        raise InvalidInputError(f"Change {number} is undone already.", hint=hint, code="already_undone")
    return Change(number=len(changes) + 1, at=at, by=by, request_id=request_id, undoes=number)
