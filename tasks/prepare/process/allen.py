"""Which of Allen's relations can hold between two events whose times are known as intervals only."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache

Bounds = tuple[float, float]
"""Where an instant can lie: first (included) and last (excluded)."""


@dataclass(frozen=True, slots=True)
class Span:
    """When an event began and, where that was given, when it ended; without an end it is one instant."""

    start: Bounds
    end: Bounds | None = None


# Orders of the four ends, first to last; ends in one group coincide. a, A: start and end of the first event;
# b, B: of the second. The thirteen relations of Allen (1983), Communications of the ACM 26(11), 832-843.
_RELATIONS: tuple[tuple[str, tuple[str, ...]], ...] = (
    ("before", ("a", "A", "b", "B")),
    ("meets", ("a", "Ab", "B")),
    ("overlaps", ("a", "b", "A", "B")),
    ("finished_by", ("a", "b", "AB")),
    ("contains", ("a", "b", "B", "A")),
    ("starts", ("ab", "A", "B")),
    ("equals", ("ab", "AB")),
    ("started_by", ("ab", "B", "A")),
    ("during", ("b", "a", "A", "B")),
    ("finishes", ("b", "a", "AB")),
    ("overlapped_by", ("b", "a", "B", "A")),
    ("met_by", ("b", "Ba", "A")),
    ("after", ("b", "B", "a", "A")),
)

# Instants relate to intervals as points do (Vilain 1982, AAAI, 197-201): a point that an interval begins with
# starts it, and so on; two points are before, equal or after. The names are Allen's.
_POINT_FIRST = (
    ("before", ("a", "b", "B")),
    ("starts", ("ab", "B")),
    ("during", ("b", "a", "B")),
    ("finishes", ("b", "aB")),
    ("after", ("b", "B", "a")),
)
_POINT_SECOND = (
    ("before", ("a", "A", "b")),
    ("finished_by", ("a", "Ab")),
    ("contains", ("a", "b", "A")),
    ("started_by", ("ab", "A")),
    ("after", ("b", "a", "A")),
)
_POINTS = (("before", ("a", "b")), ("equals", ("ab",)), ("after", ("b", "a")))


def possible_relations(first: Span, second: Span) -> tuple[str, ...]:
    """Return the relations of the first event to the second that their bounds allow, in Allen's order."""
    ends = {"a": first.start, "b": second.start}
    if first.end:
        ends["A"] = first.end
    if second.end:
        ends["B"] = second.end
    orders = _orders(first.end is not None, second.end is not None)
    return tuple(name for name, order in orders if _feasible([[ends[e] for e in group] for group in order]))


@cache
def _orders(first: bool, second: bool) -> tuple[tuple[str, tuple[str, ...]], ...]:
    if first and second:
        return _RELATIONS
    return _POINT_SECOND if first else _POINT_FIRST if second else _POINTS


def _feasible(groups: Sequence[Sequence[Bounds]]) -> bool:
    """Tell whether instants exist, one a group and each later than the one before, within all bounds.

    Taking each as early as it can be is enough: time is dense, so just after the last choice there is room
    whenever the group's end is still to come.
    """
    reached = float("-inf")
    for group in groups:
        reached = max(reached, *(low for low, _ in group))
        if reached >= min(high for _, high in group):
            return False
    return True
