"""What a target program cannot hold: long text, long labels, early dates, huge numbers."""

from collections.abc import Sequence
from datetime import date
from typing import TYPE_CHECKING

from corpusgraph.schemas.results import Column
from corpusgraph.schemas.study import BundleFormat
from corpusgraph.tasks.table.cells import Cells, fix
from corpusgraph.tasks.table.codes import Codes
from corpusgraph.tasks.table.columns import Instants, where, without
from corpusgraph.tasks.table.values import number

if TYPE_CHECKING:
    import polars as pl

SPSS_TEXT_BYTES = 32_767
SPSS_FIRST_DAY = date(1582, 10, 15)
"""The first day of the Gregorian calendar; SPSS holds none before it."""
SPSS_ZERO = 12_219_379_200
"""Seconds from 14 October 1582, where SPSS begins to count, to 1970."""
STATA_LARGEST = 8.988465674311579e307
"""Stata's largest double: the numbers above it are its missing values."""
STATA_LARGEST_LABELLED = 2_147_483_620
_LABEL_CHARACTERS = {"stata": 80}
_LABEL_BYTES = {"spss": 256}
_VALUE_LABEL_BYTES = {"spss": 120, "stata": 32_000}


def fit(column: Column, values: "pl.Series | Instants", rows: Sequence[str], target: BundleFormat) -> Cells:
    """Cut and change what the target cannot hold, and say so."""
    made = _fit_label(Cells(column, values), target)
    made = _fit_value_labels(made, target)
    if isinstance(values, Instants):
        return _fit_instants(made, values, rows) if target == "spss" else made
    if target == "spss" and column.dtype == "text":
        made = _cut_text(made, values, rows)
    if target == "stata" and column.dtype == "numeric":
        made = _huge_numbers(made, values, rows)
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
    if target not in _VALUE_LABEL_BYTES:
        return made
    if made.column.dtype not in {"nominal", "ordinal"}:
        return _fit_number_labels(made, target)
    labels = {level: level for level in made.column.levels or ()} | (made.column.value_labels or {})
    cut = {code: cut_bytes(label, _VALUE_LABEL_BYTES[target]) for code, label in labels.items()}
    if cut == labels:
        return made
    change = fix("label_cut", f"Value labels of {made.column.name!r} are cut")
    return Cells(made.column.model_copy(update={"value_labels": cut}), made.values, (*made.fixes, change))


def _fit_number_labels(made: Cells, target: BundleFormat) -> Cells:
    """Cut the labels of numbers; Stata labels whole numbers alone."""
    labels = made.column.value_labels
    if not labels or made.column.dtype not in {"numeric", "integer"}:
        return made
    kept = {code: cut_bytes(label, _VALUE_LABEL_BYTES[target]) for code, label in labels.items()}
    if target == "stata":
        codes = Codes.of(made.column.missing)
        kept = {c: text for c, text in kept.items() if codes.has(c) or _stata_labels(number(c))}
    if kept == labels:
        return made
    lost = sorted(labels.keys() - kept.keys())
    what = f" {', '.join(lost)} cannot have one in Stata" if lost else ""
    change = fix("label_cut", f"Value labels of {made.column.name!r} are cut{':' if lost else ''}{what}")
    column = made.column.model_copy(update={"value_labels": labels | kept})
    return Cells(column, made.values, (*made.fixes, change))


def _stata_labels(code: float | None) -> bool:
    return code is not None and float(code).is_integer() and abs(code) <= STATA_LARGEST_LABELLED


def _cut_text(made: Cells, values: "pl.Series", rows: Sequence[str]) -> Cells:
    import polars as pl

    made = _tell_blanks(made, values, rows)
    places = where(values.str.len_bytes() > SPSS_TEXT_BYTES)
    if not places:
        return made
    cut = values.scatter(
        places, pl.Series([cut_bytes(values[at], SPSS_TEXT_BYTES) for at in places], dtype=pl.String)
    )
    change = fix("text_cut", f"{made.column.name!r} is cut to {SPSS_TEXT_BYTES} bytes", rows, places)
    return Cells(made.column, cut, (*made.fixes, change))


def _tell_blanks(made: Cells, values: "pl.Series", rows: Sequence[str]) -> Cells:
    """Say that SPSS, which fills text with blanks, does not tell blanks at its end from them."""
    places = where(values.str.ends_with(" "))
    if not places:
        return made
    change = fix("text_cut", f"Blanks at the end of {made.column.name!r} are lost in SPSS", rows, places)
    return Cells(made.column, made.values, (*made.fixes, change))


def _fit_instants(made: Cells, values: Instants, rows: Sequence[str]) -> Cells:
    """Make text of a column with days before SPSS begins, and tell of fractions that its doubles round."""
    import polars as pl

    name, moments = made.column.name, values.moments
    if places := where(moments.cast(pl.Date) < SPSS_FIRST_DAY):
        message = f"{name!r} has dates before {SPSS_FIRST_DAY}, which SPSS cannot hold, and is text"
        text = made.column.model_copy(update={"dtype": "text"})
        return Cells(text, values.text(), (*made.fixes, fix("date_as_text", message, rows, places)))
    if made.column.dtype == "date":
        return made
    back = (spss_seconds(moments) * 1e6).round().cast(int) - SPSS_ZERO * 1_000_000
    if not (places := where(back != moments.to_physical())):
        return made
    message = f"{name!r} is rounded to what SPSS, which counts seconds from 1582 in a double, can hold"
    return Cells(made.column, values, (*made.fixes, fix("fraction_rounded", message, rows, places)))


def spss_seconds(moments: "pl.Series") -> "pl.Series":
    """Return seconds from 14 October 1582, as SPSS counts them."""
    import polars as pl

    if moments.dtype == pl.Date:
        return (moments.to_physical().cast(pl.Int64) * 86_400 + SPSS_ZERO).cast(pl.Float64)
    return (moments.to_physical() + SPSS_ZERO * 1_000_000).cast(pl.Float64) / 1e6


def _huge_numbers(made: Cells, values: "pl.Series", rows: Sequence[str]) -> Cells:
    huge = (values.abs() > STATA_LARGEST).fill_null(value=False)
    if not (places := where(huge)):
        return made
    change = fix(
        "infinite_as_missing", f"{made.column.name!r} has numbers beyond Stata's largest", rows, places
    )
    return Cells(made.column, without(values, huge), (*made.fixes, change))
