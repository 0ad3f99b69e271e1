"""Pairs of names, perhaps millions of them: checked all at once."""

from collections.abc import Sequence
from itertools import chain
from typing import TYPE_CHECKING, Annotated, Any

from pydantic import ValidatorFunctionWrapHandler, WrapValidator

if TYPE_CHECKING:
    from polars import Series

MANY = 500_000
"""Names from which on they are checked and looked up all at once."""


class ManyPairs(tuple[tuple[str, str], ...]):  # noqa: SLOT001 - a tuple cannot have slots of its own
    """Very many pairs, with their names one after the other in `ends`, as a polars series.

    To make the series checks every name, and to find the names again takes it anyway: so they are gone
    through once, where a check of each pair by itself copies them all and takes as long again.
    """

    ends: "Series"


def _checked(given: Any, each_by_itself: ValidatorFunctionWrapHandler) -> Any:
    many = isinstance(given, list | tuple) and len(given) * 2 >= MANY
    quick = _all_at_once(given) if many else None
    return each_by_itself(given) if quick is None else quick


def _all_at_once(given: list[Any] | tuple[Any, ...]) -> ManyPairs | None:
    """Return the pairs, or None where something is wrong, which the slow check then names."""
    if not {tuple, list}.issuperset(map(type, given)) or set(map(len, given)) != {2}:
        return None
    pairs = ManyPairs(map(tuple, given))
    ends = series(list(chain.from_iterable(pairs)))
    if ends is None or ends.null_count():
        return None
    pairs.ends = ends
    return pairs


def series(names: "Sequence[Any] | Series") -> "Series | None":
    """Return names as a polars series; None where one is no text, or none that UTF-8 can hold."""
    import polars as pl

    try:
        return pl.Series("name", names, dtype=pl.String)
    except (TypeError, UnicodeEncodeError):
        return None


Pairs = Annotated[tuple[tuple[str, str], ...], WrapValidator(_checked)]
