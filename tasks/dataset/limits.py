"""What a target program cannot hold: long text, long labels, early dates, huge numbers."""

from collections.abc import Sequence
from typing import Any

from corpusgraph.schemas.results import Column
from corpusgraph.schemas.study import BundleFormat
from corpusgraph.tasks.dataset.coerce import Cells, fix

SPSS_TEXT_BYTES = 32_767
SPSS_FIRST_DAY = "1582-10-15"
"""SPSS counts seconds from the first day of the Gregorian calendar."""
STATA_LARGEST = 8.988465674311579e307
"""Stata's largest double: the numbers above it are its missing values."""
_LABEL_CHARACTERS = {"stata": 80}
_LABEL_BYTES = {"spss": 256}
_VALUE_LABEL_BYTES = {"spss": 120, "stata": 32_000}


def fit(column: Column, values: Sequence[Any], rows: Sequence[str], target: BundleFormat) -> Cells:
    """Cut and change what the target cannot hold, and say so."""
    made = _fit_label(Cells(column, tuple(values)), target)
    made = _fit_value_labels(made, target)
    if target == "spss" and column.dtype in {"text", "nominal", "ordinal"}:
        made = _cut_text(made, rows)
    if target == "spss" and column.dtype in {"date", "datetime"}:
        made = _early_dates(made, rows)
    if target == "stata" and column.dtype == "numeric":
        made = _huge_numbers(made, rows)
    return made


def cut_bytes(text: str, most: int) -> str:
    """Cut text to so many bytes of UTF-8, never inside a character."""
    return text if len(text) * 4 <= most else text.encode()[:most].decode(errors="ignore")


def _fit_label(made: Cells, target: BundleFormat) -> Cells:
    label = made.column.label[: _LABEL_CHARACTERS.get(target)]
    label = cut_bytes(label, _LABEL_BYTES.get(target, len(label) * 4))
    if label == made.column.label:
        return made
    change = fix("label_cut", f"The label of {made.column.name!r} is cut to {label!r}")
    return Cells(made.column.model_copy(update={"label": label}), made.values, (*made.fixes, change))


def _fit_value_labels(made: Cells, target: BundleFormat) -> Cells:
    if made.column.dtype not in {"nominal", "ordinal"} or target not in _VALUE_LABEL_BYTES:
        return made
    labels = {level: level for level in made.column.levels or ()} | (made.column.value_labels or {})
    cut = {code: cut_bytes(label, _VALUE_LABEL_BYTES[target]) for code, label in labels.items()}
    if cut == labels:
        return made
    change = fix("label_cut", f"Value labels of {made.column.name!r} are cut")
    return Cells(made.column.model_copy(update={"value_labels": cut}), made.values, (*made.fixes, change))


def _cut_text(made: Cells, rows: Sequence[str]) -> Cells:
    cut = tuple(cut_bytes(v, SPSS_TEXT_BYTES) if isinstance(v, str) else v for v in made.values)
    where = [row for before, after, row in zip(made.values, cut, rows, strict=True) if before != after]
    if not where:
        return made
    change = fix("text_cut", f"{made.column.name!r} is cut to {SPSS_TEXT_BYTES} bytes", where)
    return Cells(made.column, cut, (*made.fixes, change))


def _early_dates(made: Cells, rows: Sequence[str]) -> Cells:
    where = [row for v, row in zip(made.values, rows, strict=True) if v is not None and v < SPSS_FIRST_DAY]
    if not where:
        return made
    message = f"{made.column.name!r} has dates before {SPSS_FIRST_DAY}, which SPSS cannot hold, and is text"
    text = made.column.model_copy(update={"dtype": "text"})
    return Cells(text, made.values, (*made.fixes, fix("date_as_text", message, where)))


def _huge_numbers(made: Cells, rows: Sequence[str]) -> Cells:
    huge = [v is not None and abs(v) > STATA_LARGEST for v in made.values]
    if not any(huge):
        return made
    where = [row for row, is_huge in zip(rows, huge, strict=True) if is_huge]
    change = fix("infinite_as_missing", f"{made.column.name!r} has numbers beyond Stata's largest", where)
    kept = tuple(None if is_huge else v for v, is_huge in zip(made.values, huge, strict=True))
    return Cells(made.column, kept, (*made.fixes, change))
