"""A table made fit for a statistical program: typed, missing codes told apart, texts short enough."""

import math
from collections.abc import Iterable, Mapping, Sequence
from datetime import date
from typing import TYPE_CHECKING, Any

from corpusgraph.schemas.errors import PreparationError
from corpusgraph.schemas.results import Column, Rows, Table, ToolWarning, Values
from corpusgraph.schemas.study import BundleFormat
from corpusgraph.tasks.analysis.statistics.analysis import CodebookEntry, Measure, VariableMapping
from corpusgraph.tasks.analysis.statistics.frame import Frame
from corpusgraph.tasks.analysis.statistics.model import measure_of
from corpusgraph.tasks.table.coerce import is_code, read_cells
from corpusgraph.tasks.table.columns import (
    Codes,
    Instants,
    RowNames,
    code_of,
    distinct,
    mapped,
    span,
    typed,
    where,
    without,
)
from corpusgraph.tasks.table.frames import infer_column
from corpusgraph.tasks.table.values import Cells, fix, is_missing, kind, mixed, number

if TYPE_CHECKING:
    import polars as pl

LETTERS = "abcdefghijklmnopqrstuvwxyz"
"""Stata's extended missing values are .a to .z."""
CODE_ROLE = "missing_code"
"""Role of the columns `<name>_missing`, which say nothing of which rows are complete."""
_SPSS_CODES = 3
_NUMBERS = {"numeric", "integer", "nominal", "ordinal"}


def with_codes(made: Cells, values: Values, flags: "pl.Series", target: BundleFormat) -> "pl.Series | None":
    """Return the cells with their codes as numbers, or None where the program cannot hold them."""
    import polars as pl

    cells = made.values
    if made.column.dtype not in _NUMBERS or not isinstance(cells, pl.Series) or cells.dtype == pl.String:
        return None
    given = _flagged(values, flags)
    numbers = {value: number(value) for value in distinct(given)}
    whole = made.column.dtype != "numeric"
    if any(n is None or (whole and not float(n).is_integer()) for n in numbers.values()):
        return None
    if not _holds(target, made.column, [float(n) for n in numbers.values() if n is not None], cells):
        return None
    kind = int if whole else float  # 97.0 is the code 97 of whole numbers
    codes = mapped(given, {value: kind(n) for value, n in numbers.items() if n is not None}, cells.dtype)
    return pl.select(pl.coalesce(codes, cells)).to_series()


def _flagged(values: Values, flags: "pl.Series") -> "pl.Series":
    """Return the codes where they are; codes of several kinds as text."""
    import polars as pl

    if isinstance(values, pl.Series):
        return without(values, ~flags)
    return pl.Series(
        [str(v) if flag else None for v, flag in zip(values, flags, strict=True)], dtype=pl.String
    )


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

    Parameters
    ----------
    column
        With its codes that mean missing.
    valid
        The values that do not, (n,).

    Returns
    -------
    list of (float, float) or None
        Lowest and highest of each.

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


def aside(column: Column, values: Values, flags: "pl.Series") -> tuple[Column, "pl.Series"]:
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


def fit(column: Column, values: Any, rows: Sequence[str], target: BundleFormat) -> Cells:
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
    return made.changed(
        fix("label_cut", f"The label of {made.column.name!r} is cut to {label!r}"), label=label
    )


def _fit_value_labels(made: Cells, target: BundleFormat) -> Cells:
    """Cut the labels of levels and numbers; Stata labels whole numbers alone."""
    column, what = made.column, ""
    if target not in _VALUE_LABEL_BYTES or column.dtype not in _NUMBERS:
        return made
    levels = column.levels or () if column.dtype in {"nominal", "ordinal"} else ()
    labels = {level: level for level in levels} | (column.value_labels or {})
    cut = {code: cut_bytes(label, _VALUE_LABEL_BYTES[target]) for code, label in labels.items()}
    if target == "stata" and column.dtype in {"numeric", "integer"}:
        codes = Codes.of(column.missing)
        lost = sorted(code for code in cut if not (codes.has(code) or _stata_labels(number(code))))
        what = f": {', '.join(lost)} cannot have one in Stata" if lost else ""
    if cut == labels and not what:
        return made
    return made.changed(fix("label_cut", f"Value labels of {column.name!r} are cut{what}"), value_labels=cut)


def _stata_labels(code: float | None) -> bool:
    return code is not None and float(code).is_integer() and abs(code) <= STATA_LARGEST_LABELLED


def _cut_text(made: Cells, values: "pl.Series", rows: Sequence[str]) -> Cells:
    import polars as pl

    name = made.column.name
    if places := where(values.str.ends_with(" ")):  # SPSS fills text with blanks
        made = made.changed(fix("text_cut", f"Blanks at the end of {name!r} are lost in SPSS", rows, places))
    places = where(values.str.len_bytes() > SPSS_TEXT_BYTES)
    if not places:
        return made
    short = pl.Series([cut_bytes(values[at], SPSS_TEXT_BYTES) for at in places], dtype=pl.String)
    change = fix("text_cut", f"{name!r} is cut to {SPSS_TEXT_BYTES} bytes", rows, places)
    return made.changed(change, values.scatter(places, short))


def _fit_instants(made: Cells, values: Instants, rows: Sequence[str]) -> Cells:
    """Make text of a column with days before SPSS begins, and tell of fractions that its doubles round."""
    import polars as pl

    name, moments = made.column.name, values.moments
    if places := where(moments.cast(pl.Date) < SPSS_FIRST_DAY):
        message = f"{name!r} has dates before {SPSS_FIRST_DAY}, which SPSS cannot hold, and is text"
        return made.changed(fix("date_as_text", message, rows, places), values.text(), dtype="text")
    if made.column.dtype == "date":
        return made
    back = (spss_seconds(moments) * 1e6).round().cast(int) - SPSS_ZERO * 1_000_000
    if not (places := where(back != moments.to_physical())):
        return made
    message = f"{name!r} is rounded to what SPSS, which counts seconds from 1582 in a double, can hold"
    return made.changed(fix("fraction_rounded", message, rows, places))


def spss_seconds(moments: "pl.Series") -> "pl.Series":
    """Return seconds from 14 October 1582, as SPSS counts them.

    Parameters
    ----------
    moments
        Dates or instants in UTC, (n,).

    Returns
    -------
    polars.Series
        Float64 seconds, (n,).

    """
    import polars as pl

    if moments.dtype == pl.Date:
        return (moments.to_physical().cast(pl.Int64) * 86_400 + SPSS_ZERO).cast(pl.Float64)
    return (moments.to_physical() + SPSS_ZERO * 1_000_000).cast(pl.Float64) / 1e6


def _huge_numbers(made: Cells, values: "pl.Series", rows: Sequence[str]) -> Cells:
    huge = (values.abs() > STATA_LARGEST).fill_null(value=False)
    if not (places := where(huge)):
        return made
    message = f"{made.column.name!r} has numbers beyond Stata's largest"
    return made.changed(fix("infinite_as_missing", message, rows, places), without(values, huge))


Held = tuple[Column, Values]


def tidy(
    table: Table, mapping: VariableMapping, target: BundleFormat, levels: Sequence[str] = ()
) -> tuple[Table, tuple[ToolWarning, ...]]:
    """Return the table as the target can hold it, with everything that was changed.

    Columns in `levels` are nominal even if their text looks free. Codes that mean missing stay for SPSS and
    Stata, which have missing values of their own, where these can hold them; else they become None, and a
    column `<name>_missing` beside has them. Raises PreparationError `mixed_types`,
    `duplicate_id`, `empty_id`.

    Parameters
    ----------
    table
        The table as given; codes that mean missing are in its columns or in `mapping`.
    mapping
        What the caller says of variables.
    target
        The program whose limits count.
    levels
        Variables of the model that are categories.

    Returns
    -------
    table : Table
        The same rows (identical ones of a unit merged), columns as series.
    fixes : tuple of ToolWarning
        A warning for each kind of change in each column.

    Raises
    ------
    PreparationError
        `mixed_types`, `duplicate_id`, `empty_id`.

    """
    table, fixes = _unique_units(_by_column(table), mapping.unit)
    rows = RowNames(len(table.rows), _cells_of(table, mapping.unit) if mapping.unit else None)
    names = {column.name for column in table.columns}
    series: list[Held] = []
    for at, column in enumerate(table.columns):
        (own, *beside), changes = _typed(
            _described(column, mapping),
            table.cells(at),
            rows,
            target,
            level=column.name in levels,
            declared=column.name in mapping.types,
        )
        fixes += changes
        series.append(own)
        for extra, cells in beside:
            name = extra.name
            while name in names:
                name += "_"
            names.add(name)
            series.append((extra.model_copy(update={"name": name}), cells))
    fitted = [fit(column, values, rows, target) for column, values in series]
    fixes += [change for one in fitted for change in one.fixes]
    columns = tuple(one.column for one in fitted)
    rows_held = Rows([one.values for one in fitted], len(rows))
    return table.model_copy(update={"columns": columns, "rows": rows_held}), tuple(fixes)


def _by_column(table: Table) -> Table:
    """Hold each column as a series where its cells are of one kind."""
    cells = [table.cells(at) for at in range(len(table.columns))]
    series = [values if (made := typed(values)) is None else made for values in cells]
    return table.model_copy(update={"rows": Rows(series, len(table.rows))})


def _unique_units(table: Table, unit: str | None) -> tuple[Table, list[ToolWarning]]:
    """Merge rows that are identical; two different rows of one unit are an error."""
    if not unit or _all_unique(table, unit):
        return table, []
    first: dict[str, int] = {}
    twice: dict[int, int] = {}
    for at, value in enumerate(table.column(unit)):
        if is_missing(value) or not str(value).strip():
            raise PreparationError(
                f"Row {at + 1} has no {unit!r}.",
                code="empty_id",
                hint="Fill it in, leave the row out, or name another unit.",
            )
        name = str(_whole(value))
        if name not in first:
            first[name] = at
        elif table.rows[first[name]] == table.rows[at]:
            twice[at] = first[name]
        else:
            raise PreparationError(
                f"Two different rows have {unit} {value!r} (rows {first[name] + 1} and {at + 1}).",
                code="duplicate_id",
                hint="Name a unit that identifies a row; a column that repeats may be the cluster.",
            )
    if not twice:
        return table, []
    values = table.column(unit)
    units = [str(values[at]) for at in twice]
    return _merged(table, twice), [fix("duplicate_identical", "Identical rows are merged", units)]


def _all_unique(table: Table, unit: str) -> bool:
    """Return, for units that are text or integers, whether each is there once and none is empty."""
    import polars as pl

    values = _cells_of(table, unit)
    if not isinstance(values, pl.Series) or values.dtype not in {pl.String, pl.Int64} or values.has_nulls():
        return False
    blank = values.dtype == pl.String and bool((values.str.strip_chars() == "").any())
    return not blank and values.n_unique() == len(values)


def _cells_of(table: Table, name: str) -> Values:
    return table.cells([column.name for column in table.columns].index(name))


def _merged(table: Table, twice: Mapping[int, int]) -> Table:
    kept = [at for at in range(len(table.rows)) if at not in twice]
    passages = None
    if table.provenance is not None:
        behind = [list(chunks) for chunks in table.provenance]
        for at, first in twice.items():
            behind[first] += behind[at]
        passages = tuple(tuple(dict.fromkeys(behind[at])) for at in kept)
    cells = [table.cells(at) for at in range(len(table.columns))]
    rows = Rows([[values[at] for at in kept] for values in cells], len(kept))
    return _by_column(table.model_copy(update={"rows": rows, "provenance": passages}))


def _described(column: Column, mapping: VariableMapping) -> Column:
    """Let what the caller says about a variable win over what the table says."""
    name = column.name
    said: dict[str, Any] = {
        "label": mapping.labels.get(name),
        "value_labels": mapping.value_labels.get(name),
        "missing": mapping.missing.get(name),
        "dtype": mapping.types.get(name),
    }
    made = column.model_copy(update={key: value for key, value in said.items() if value is not None})
    return made.model_copy(update={"missing": tuple(_whole(code) for code in made.missing)})


def _whole(code: Any) -> Any:
    return int(code) if isinstance(code, float) and code.is_integer() else code


def _typed(
    column: Column,
    values: Values,
    rows: RowNames,
    target: BundleFormat,
    *,
    level: bool,
    declared: bool,
) -> tuple[list[Held], list[ToolWarning]]:
    import polars as pl

    codes = Codes.of(column.missing)
    flags = codes.flags(values)
    coded = bool(codes) and bool(flags.any())
    present = values
    if coded:
        present = (
            without(values, flags)
            if isinstance(values, pl.Series)
            else [None if flag else value for value, flag in zip(values, flags, strict=True)]
        )
    dtype = column.dtype
    if not declared and (dtype == "json" or (codes and dtype in {"text", "nominal"} and not column.levels)):
        dtype = infer_column(present) or _mixed(column, present, rows)
    if level and dtype == "text" and not declared:
        dtype = "nominal"
    made = read_cells(column.model_copy(update={"dtype": dtype}), present, rows)
    changes = list(made.fixes)
    if not coded:
        return [(made.column, made.values), *made.beside], changes
    kept = with_codes(made, values, flags, target)
    if kept is not None:
        return [(made.column, kept), *made.beside], changes
    listed = ", ".join(str(code) for code in column.missing)
    message = f"Codes of {column.name!r} ({listed}) are missing, and in {column.name}_missing"
    changes.append(fix("code_as_missing", message, rows, where(flags)))
    return [(uncoded(made.column, codes), made.values), *made.beside, aside(column, values, flags)], changes


def _mixed(column: Column, values: Values, rows: Sequence[str]) -> Any:
    present = [at for at, value in enumerate(values) if not is_missing(value)]
    usual = kind(values[present[0]])
    odd = next(at for at in present if kind(values[at]) != usual)
    raise mixed(column.model_copy(update={"dtype": usual}), values[odd], rows[odd])


_COUNTED = {"nominal", "ordinal", "boolean"}


def codebook(
    table: Table, data: Frame, given: Mapping[str, str], measures: Mapping[str, Measure]
) -> tuple[CodebookEntry, ...]:
    """Describe the variables in column order; `given` maps a name to the one it had before.

    Parameters
    ----------
    table
        The tidied table.
    data
        The same, by variable.
    given
        Name -> name before it was made legal.
    measures
        Given name -> level of measurement that the caller states.

    Returns
    -------
    tuple of CodebookEntry
        In column order.

    References
    ----------
    Stevens (1946), Science 103, 677-680; Hyndman & Fan (1996), The American Statistician 50(4), 361-365.

    """
    return tuple(
        _entry(column, data.series(column.name), given[column.name], measures.get(given[column.name]))
        for column in table.columns
    )


def _entry(column: Column, values: "pl.Series", given: str, measure: Measure | None) -> CodebookEntry:
    present = values.drop_nulls()
    numbers = column.dtype in {"numeric", "integer"}
    counts: dict[str, int] = {}
    if column.dtype in _COUNTED:
        pairs = present.value_counts().rows()
        counts = {str(code).lower() if isinstance(code, bool) else str(code): n for code, n in pairs}
    order = column.levels or ("false", "true")
    return CodebookEntry(
        name=column.name,
        given_name=given,
        label=column.label or (given if given != column.name else ""),
        type=column.dtype,
        measure=measure or measure_of(column.dtype),
        unit=column.unit,
        role=column.role,
        levels=column.levels,
        value_labels=column.value_labels,
        missing_codes=column.missing,
        formula=column.formula,
        source=column.source,
        n=len(present),
        n_missing=len(values) - len(present),
        statistics=_statistics(present) if numbers and len(present) else {},
        frequencies={level: counts[level] for level in order if level in counts},
    )


def _statistics(values: "pl.Series") -> dict[str, float]:
    """Return mean, sample standard deviation, and quantiles of type 7 (Hyndman & Fan 1996).

    What overflows a double is left out.
    """
    import numpy as np

    x = np.asarray(values.cast(float).to_numpy(), dtype=np.float64)
    with np.errstate(over="ignore", invalid="ignore"):
        q25, median, q75 = (float(q) for q in np.quantile(x, [0.25, 0.5, 0.75]))
        found = {"mean": float(x.mean()), "sd": float(x.std(ddof=1)) if len(x) > 1 else math.nan}
    found |= {"min": float(x.min()), "q25": q25, "median": median, "q75": q75, "max": float(x.max())}
    return {name: value for name, value in found.items() if math.isfinite(value)}
