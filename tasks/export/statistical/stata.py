"""The Stata bundle: data for version 14 and later and for version 13, and a do-file."""

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from corpusgraph.schemas.results import Column, Table
from corpusgraph.tasks.export.statistical.coding import coded, is_coded, number_labels
from corpusgraph.tasks.export.statistical.dta import (
    Variable,
    label_of_missing,
    missing,
    smallest,
    text_width,
    write,
)
from corpusgraph.tasks.export.statistical.stata_script import script
from corpusgraph.tasks.statistics.analysis import StatisticalAnalysis
from corpusgraph.tasks.statistics.kept import stata_codes
from corpusgraph.tasks.table.codes import Codes
from corpusgraph.tasks.table.columns import Instants, distinct, mapped, without
from corpusgraph.tasks.table.series import raw

if TYPE_CHECKING:
    import polars as pl

_DAYS, _MILLISECONDS = 3_653, 315_619_200_000
"""From 1960, where Stata begins to count, to 1970."""
_SHOWN = {"int8": "%8.0g", "int16": "%8.0g", "int32": "%12.0g", "float64": "%10.0g"}
_LONGEST_SHOWN = 244


def files(result: StatisticalAnalysis) -> dict[str, bytes]:
    """Return data.dta (format 118), data_stata13.dta (format 117, Latin-1) and analysis.do."""
    return {
        "data.dta": dta(result.table, 118),
        "data_stata13.dta": dta(result.table, 117),
        "analysis.do": script(result).encode(),
    }


def dta(table: Table, version: int) -> bytes:
    """Write a Stata file. Format 117 knows Latin-1 only: other characters become `<U+1EC5>`.

    Codes that mean missing are `.a` to `.z` with the code as label.
    """
    variables = [_variable(column, raw(table, at), version) for at, column in enumerate(table.columns)]
    return write(variables, len(table.rows), version, _fitted(table.name, version)[:80])


def _variable(column: Column, values: "pl.Series | Instants", version: int) -> Variable:
    label = _fitted(column.label, version)[:80]
    if isinstance(values, Instants):
        numbers, shown = _moments(values.moments)
        return Variable(column.name, label, shown, numbers)
    if column.dtype in {"text", "json"}:
        return _text(column, label, values, version)
    letters, labels = _missing_codes(column, values)
    present = without(values, Codes.of(column.missing).marks(values)) if letters else values
    known: Mapping[int | float, str] = number_labels(column)
    if is_coded(column):
        present, known = _coded(column, present)
    labels |= {code: text for code, text in known.items() if code not in letters and isinstance(code, int)}
    numbers = _numbers(present, values, letters, whole=column.dtype != "numeric")
    fitted = {code: _fitted(text, version) for code, text in labels.items()}
    return Variable(column.name, label, _SHOWN[str(numbers.dtype)], numbers, labels=fitted)


def _coded(column: Column, values: "pl.Series") -> tuple["pl.Series", dict[int | float, str]]:
    made, labels = coded(column, values)
    return made, dict(labels.items())


def _missing_codes(column: Column, values: "pl.Series") -> tuple[dict[float, int], dict[int, str]]:
    """Return the letter (1 to 26) of each code in the data and the labels of the letters used."""
    codes = Codes.of(column.missing)
    if not codes or not values.dtype.is_numeric():
        return {}, {}
    present = [float(value) for value in distinct(without(values, ~codes.marks(values)))]
    letters = {code: at for at, code in enumerate(stata_codes(column, present), 1)}
    texts = {Codes.of([code]): text for code, text in (column.value_labels or {}).items()}
    labels = {}
    for code in present:
        said = next((text for one, text in texts.items() if one.has(code)), "")
        shown = f"{code:.0f}" if code.is_integer() else repr(code)
        labels[label_of_missing(letters[code])] = f"{shown}: {said}" if said and said != shown else shown
    return letters, labels


def _numbers(
    present: "pl.Series", values: "pl.Series", letters: dict[float, int], *, whole: bool
) -> NDArray[Any]:
    """Return numbers in the smallest type that holds them, with `.` and `.a` to `.z` where there is none."""
    filled = present.fill_null(0).to_numpy()
    kind = smallest(filled) if whole else "float64"
    numbers = filled.astype(kind)
    if present.null_count():
        numbers[present.is_null().to_numpy()] = missing(kind)
    if letters:
        import polars as pl

        at = mapped(values.cast(pl.Float64), letters, pl.Int64).fill_null(0).to_numpy()
        numbers[at > 0] = missing(kind, at[at > 0])
    return numbers


def _moments(moments: "pl.Series") -> tuple[NDArray[Any], str]:
    """Return days, or milliseconds with their fraction, from 1960."""
    import polars as pl

    holes = moments.is_null().to_numpy()
    counts = moments.to_physical().fill_null(0).to_numpy()
    if moments.dtype == pl.Date:
        days = (counts + _DAYS).astype(np.int32)
        days[holes] = missing("int32")
        return days, "%td"
    stamps = (counts + _MILLISECONDS * 1000) / 1000.0
    stamps[holes] = missing("float64")
    return stamps, "%tc"


def _text(column: Column, label: str, values: "pl.Series", version: int) -> Variable:
    """Encode text; in format 117 long text (strL) is ASCII, for its encoding is not that of short text."""
    import polars as pl

    made = _encoded(values, version)
    width = text_width(made)
    if width == 32_768 and version == 117:
        made = _replaced(values, 127).cast(pl.Binary)
        width = max(text_width(made), width)
    shown = "%9s" if width == 32_768 else f"%{min(width, _LONGEST_SHOWN)}s"
    return Variable(column.name, label, shown, texts=made, width=width)


def _encoded(values: "pl.Series", version: int) -> "pl.Series":
    import polars as pl

    if version > 117:
        return values.cast(pl.Binary)
    fitted = _replaced(values, 255)
    if (fitted.str.len_bytes() == fitted.str.len_chars()).all():
        return fitted.cast(pl.Binary)
    texts = (None if text is None else text.encode("latin-1") for text in fitted)
    return pl.Series(list(texts), dtype=pl.Binary)


def _replaced(values: "pl.Series", highest: int) -> "pl.Series":
    """Write characters beyond `highest` as `<U+1EC5>`."""
    beyond = [chr(code) for code in np.flatnonzero(_characters(values)) if code > highest]
    if not beyond:
        return values
    return values.str.replace_many(beyond, [f"<U+{ord(character):04X}>" for character in beyond])


def _characters(values: "pl.Series") -> NDArray[np.bool_]:
    """Return which characters of Unicode the texts have."""
    seen = np.zeros(0x110000, dtype=np.bool_)
    for part in _content(values):
        seen[np.frombuffer(part, dtype=np.uint32)] = True
    return seen


def _content(values: "pl.Series", at_once: int = 65_536) -> Iterator[bytes]:
    for start in range(0, len(values), at_once):
        yield "".join(values.slice(start, at_once).drop_nulls().to_list()).encode("utf-32-le")


def _fitted(text: str, version: int, highest: int = 255) -> str:
    if version > 117:
        return text
    return "".join(c if ord(c) <= highest else f"<U+{ord(c):04X}>" for c in text)
