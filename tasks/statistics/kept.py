"""Codes that mean missing kept: in the cells where the program has missing values of its own, else beside."""

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

from corpusgraph.schemas.results import Column, Values
from corpusgraph.schemas.study import BundleFormat
from corpusgraph.tasks.table.cells import Cells
from corpusgraph.tasks.table.codes import Codes, code_of, span
from corpusgraph.tasks.table.coerce import is_code
from corpusgraph.tasks.table.columns import distinct, mapped, without
from corpusgraph.tasks.table.values import is_missing, number

if TYPE_CHECKING:
    import polars as pl

LETTERS = "abcdefghijklmnopqrstuvwxyz"
"""Stata's extended missing values are .a to .z."""
CODE_ROLE = "missing_code"
"""Role of the columns `<name>_missing`, which say nothing of which rows are complete."""
_SPSS_CODES = 3
_NUMBERS = {"numeric", "integer", "nominal", "ordinal"}


def without_flagged(values: Values, flags: "Sequence[bool] | pl.Series") -> Values:
    """Return the cells with None where a flag is."""
    import polars as pl

    if isinstance(values, pl.Series) and isinstance(flags, pl.Series):
        return without(values, flags)
    return [None if flag else value for value, flag in zip(values, flags, strict=True)]


def with_codes(
    made: Cells, values: Values, flags: "Sequence[bool] | pl.Series", target: BundleFormat
) -> "pl.Series | None":
    """Return the cells with their codes as numbers, or None where the program cannot hold them."""
    import polars as pl

    cells = made.values
    if made.column.dtype not in _NUMBERS or not isinstance(cells := _series(made), pl.Series):
        return None
    if cells.dtype == pl.String:
        return None
    given = _flagged(values, flags)
    found = {value: number(value) for value in distinct(given)}
    whole = made.column.dtype != "numeric"
    if any(n is None or (whole and not float(n).is_integer()) for n in found.values()):
        return None
    if not _holds(target, made.column, [float(n) for n in found.values() if n is not None], cells):
        return None
    kind = int if whole else float  # 97.0 is the code 97 of whole numbers
    codes = mapped(given, {value: kind(n) for value, n in found.items() if n is not None}, cells.dtype)
    return pl.select(pl.coalesce(codes, cells)).to_series()


def _series(made: Cells) -> Any:
    from corpusgraph.tasks.table.quick import held

    return held(made.column, made.values)


def _flagged(values: Values, flags: "Sequence[bool] | pl.Series") -> "pl.Series":
    """Return the codes where they are; codes of several kinds as text."""
    import polars as pl

    if isinstance(values, pl.Series) and isinstance(flags, pl.Series):
        return without(values, ~flags)
    found = [str(value) if flag else None for value, flag in zip(values, flags, strict=True)]
    return pl.Series(found, dtype=pl.String)


def _holds(target: BundleFormat, column: Column, codes: Sequence[float], cells: "pl.Series") -> bool:
    if target == "stata":
        return len(stata_codes(column, codes)) <= len(LETTERS)
    return target == "spss" and spss_missing(column, cells) is not None


def stata_codes(column: Column, present: Iterable[float]) -> list[float]:
    """Return the codes in the order of Stata's letters: those listed, then those of a range, ascending."""
    listed = [float(found) for code in column.missing if (found := number(code)) is not None]
    return list(dict.fromkeys([*listed, *sorted(present)]))


def spss_missing(column: Column, valid: "pl.Series") -> list[tuple[float, float]] | None:
    """Return what SPSS is told is missing, as lowest and highest, or None where it cannot be told.

    SPSS holds three single values, or one range and one value. More codes are made a range where no
    valid value of the column lies in it.
    """
    spans = [found for code in column.missing if (found := span(code)) is not None]
    numbers = sorted({float(n) for code in column.missing if (n := number(code)) is not None})
    odd = [c for c in column.missing if span(c) is None and number(c) is None]
    numbers = [n for n in numbers if not any(low <= n <= high for low, high in spans)]
    single = [(n, n) for n in numbers]
    if odd:
        return None
    if not spans and len(single) <= _SPSS_CODES:
        return single
    if len(spans) == 1 and len(single) <= 1:
        return [*spans, *single]
    return None if spans else _one_range(numbers, valid)


def _one_range(numbers: Sequence[float], valid: "pl.Series") -> list[tuple[float, float]] | None:
    """Find a range that holds all codes, or all but the lowest or the highest, and no valid value."""
    for some, rest in ((numbers, []), (numbers[:-1], numbers[-1:]), (numbers[1:], numbers[:1])):
        if not valid.is_between(some[0], some[-1]).any():
            return [(some[0], some[-1]), *((n, n) for n in rest)]
    return None


def uncoded(column: Column, codes: Codes) -> Column:
    """Return the column without the levels and value labels of its codes."""
    levels = (
        tuple(level for level in column.levels if not codes.has(level)) if column.levels else column.levels
    )
    labels = {c: text for c, text in (column.value_labels or {}).items() if not codes.has(c)} or None
    return column.model_copy(update={"levels": levels, "value_labels": labels})


def aside(column: Column, values: Values, flags: "Sequence[bool] | pl.Series") -> tuple[Column, "pl.Series"]:
    """Return the column `<name>_missing`: the codes where they are, with their labels."""
    import polars as pl

    given = _flagged(values, flags)
    known = {value: _written(value) for value in distinct(given)}
    whole = all(is_code(number(code)) for code in known.values())
    levels = sorted(set(known.values()), key=_order)
    labels = {c: text for c, text in (column.value_labels or {}).items() if c in levels}
    made = Column(
        name=f"{column.name}_missing",
        dtype="nominal",
        label=f"{column.label or column.name} (code that means missing)",
        levels=tuple(levels),
        value_labels=labels or None,
        source=column.source,
        role=CODE_ROLE,
    )
    text = mapped(given, known, pl.String)
    return made, text.cast(pl.Int64) if whole else text


def _written(value: Any) -> str:
    found = None if is_missing(value) or isinstance(value, bool) else number(value)
    whole = found is not None and float(found).is_integer()
    return str(int(found)) if whole and found is not None else str(value).strip()


def _order(code: str) -> tuple[int, float, str]:
    found = number(code)
    return (1, 0.0, code) if found is None else (0, float(found), code_of(code))
