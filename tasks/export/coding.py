"""Levels as numbers: the codes that Stata and SPSS want, with their labels."""

from collections.abc import Sequence
from typing import Any

from corpusgraph.schemas.results import Column
from corpusgraph.tasks.dataset.values import number

CODED = {"nominal", "ordinal", "boolean"}


def is_coded(column: Column) -> bool:
    """Return whether the column becomes numbers with value labels."""
    return column.dtype in CODED


def codes(column: Column, values: Sequence[Any]) -> tuple[list[int | None], dict[int, str]]:
    """Return a number for each cell and the label of each number.

    Integers stay what they are; text levels are numbered from 1 in their order; false and true are 0 and 1.
    """
    if column.dtype == "boolean":
        return [None if value is None else int(value) for value in values], {0: "no", 1: "yes"}
    texts = column.value_labels or {}
    if all(value is None or isinstance(value, int) for value in values):
        present = {value for value in values if value is not None}
        labels = {int(code): label for code, label in texts.items() if code.lstrip("+-").isdigit()}
        return list(values), {code: labels.get(code, str(code)) for code in sorted(present | set(labels))}
    number = {level: at for at, level in enumerate(column.levels or (), 1)}
    return (
        [None if value is None else number[str(value)] for value in values],
        {at: texts.get(level, level) for level, at in number.items()},
    )


def user_missing(column: Column) -> list[int | float]:
    """Return the codes SPSS keeps as user-missing: up to three numbers in a variable of numbers."""
    found = [number(code) for code in column.missing]
    kept = [code for code in found if code is not None]
    numbers = column.dtype in {"numeric", "integer", "nominal", "ordinal"}
    return kept if numbers and len(kept) == len(found) <= 3 else []
