"""A table made fit for a statistical program: typed, missing codes told apart, texts short enough."""

import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from corpusgraph.schemas.errors import PreparationError
from corpusgraph.schemas.results import Column, ColumnType, Rows, Table, ToolWarning, Values
from corpusgraph.tasks.analysis.statistics.analysis import CodebookEntry, Measure, VariableMapping
from corpusgraph.tasks.analysis.statistics.frame import Frame
from corpusgraph.tasks.analysis.statistics.target import Target
from corpusgraph.tasks.table.coerce import held, is_code, read_cells
from corpusgraph.tasks.table.columns import (
    Codes,
    Instants,
    RowNames,
    code_of,
    distinct,
    mapped,
    typed,
    where,
    without,
)
from corpusgraph.tasks.table.frames import infer_column
from corpusgraph.tasks.table.values import Cells, fix, is_missing, kind, mixed, number

if TYPE_CHECKING:
    import polars as pl

CODE_ROLE = "missing_code"
"""Role of the columns `<name>_missing`, which say nothing of which rows are complete."""
CATEGORIES = {"nominal", "ordinal"}
_NUMBERS = {"numeric", "integer", *CATEGORIES}


def with_codes(made: Cells, values: Values, flags: "pl.Series", target: Target) -> "pl.Series | None":
    """Return the cells with their codes as numbers, or None where the program cannot hold them.

    Parameters
    ----------
    made : Cells
        The column as read, without the codes.
    values : sequence or polars.Series, length n
        The cells with the codes.
    flags : sequence of bool or polars.Series, length n
        Which cells are codes.
    target : Target
        The program they are for.

    Returns
    -------
    polars.Series, length n, or None
        As long as the cells; a code that is no number, and text, cannot be held.

    """
    import polars as pl

    cells = held(made.column, made.values)
    if made.column.dtype not in _NUMBERS or not isinstance(cells, pl.Series) or cells.dtype == pl.String:
        return None
    given = _flagged(values, flags)
    found = {value: number(value) for value in distinct(given)}
    whole = made.column.dtype != "numeric"
    numbers = [float(n) for n in found.values() if n is not None and (not whole or float(n).is_integer())]
    if len(numbers) < len(found) or not target.holds_codes(made.column, numbers, cells):
        return None
    kind = int if whole else float  # 97.0 is the code 97 of whole numbers
    codes = mapped(given, {value: kind(n) for value, n in found.items() if n is not None}, cells.dtype)
    return pl.select(pl.coalesce(codes, cells)).to_series()


def _flagged(values: Values, flags: "pl.Series") -> "pl.Series":
    """Return the codes where they are; codes of several kinds as text."""
    import polars as pl

    if isinstance(values, pl.Series):
        return without(values, ~flags)
    found = [str(value) if flag else None for value, flag in zip(values, flags, strict=True)]
    return pl.Series(found, dtype=pl.String)


def uncoded(column: Column, codes: Codes) -> Column:
    """Return the column without the levels and value labels of its codes.

    Parameters
    ----------
    column : Column
        A column.
    codes : Codes
        Its codes that mean missing.

    Returns
    -------
    Column
        A copy; labels are None where none is left.

    """
    levels = column.levels and tuple(level for level in column.levels if not codes.has(level))
    labels = {c: text for c, text in (column.value_labels or {}).items() if not codes.has(c)} or None
    return column.model_copy(update={"levels": levels, "value_labels": labels})


def aside(column: Column, values: Values, flags: "pl.Series") -> tuple[Column, "pl.Series"]:
    """Return the column `<name>_missing`: the codes where they are, with their labels.

    Parameters
    ----------
    column : Column
        The column with its codes.
    values : sequence or polars.Series, length n
        Its cells.
    flags : sequence of bool or polars.Series, length n
        Which cells are codes.

    Returns
    -------
    Column
        Nominal, of the role `missing_code`.
    polars.Series, length n
        Null where there is no code.

    """
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


def fit(column: Column, values: "pl.Series | Instants", rows: Sequence[str], target: Target) -> Cells:
    """Cut and change what the target cannot hold, and say so.

    Parameters
    ----------
    column : Column
        A column as read.
    values : polars.Series or Instants
        Its cells.
    rows : sequence of str
        Names of the rows, for messages.
    target : Target
        The program it is for.

    Returns
    -------
    Cells
        Column and cells, and what was changed.

    """
    changes: dict[str, Any] = {}
    fixes: list[ToolWarning] = []
    if (label := target.cut_label(column.label)) != column.label:
        changes["label"] = label
        fixes.append(fix("label_cut", f"The label of {column.name!r} is cut to {label!r}"))
    if column.dtype in _NUMBERS:
        levels = (column.levels or ()) if column.dtype in CATEGORIES else ()
        labels = {level: level for level in levels} | (column.value_labels or {})
        cut = {code: target.cut_value_label(label) for code, label in labels.items()}
        if cut != labels:
            changes["value_labels"] = cut
            fixes.append(fix("label_cut", f"Value labels of {column.name!r} are cut"))
    return target.fit(Cells(column.model_copy(update=changes), values, tuple(fixes)), rows)


def cut_bytes(text: str, most: int) -> str:
    """Cut text to so many bytes of UTF-8, never inside a character.

    Parameters
    ----------
    text : str
        A text.
    most : int
        Bytes at most.

    Returns
    -------
    str
        At most `most` bytes, perhaps up to three fewer.

    """
    return text if len(text) * 4 <= most else text.encode()[:most].decode(errors="ignore")


Series = tuple[Column, Values]
Held = tuple[Column, "pl.Series | Instants"]


def tidy(
    table: Table, mapping: VariableMapping, target: Target, levels: Sequence[str] = ()
) -> tuple[Table, tuple[ToolWarning, ...]]:
    """Return the table as the target can hold it, with everything that was changed.

    Codes that mean missing stay for SPSS and Stata, which have missing values of their own, where these can
    hold them; else they become None, and a column `<name>_missing` beside has them.

    Parameters
    ----------
    table : Table
        The table as given.
    mapping : VariableMapping
        What the caller says of its columns.
    target : Target
        The program it is for.
    levels : sequence of str
        Columns that are nominal even if their text looks free.

    Returns
    -------
    table : Table
        Columns typed; identical rows of one unit merged.
    fixes : tuple of ToolWarning
        What was changed.

    Raises
    ------
    PreparationError
        `mixed_types`, `duplicate_id`, `empty_id`.

    """
    table, fixes = _unique_units(_by_column(table), mapping.unit)
    rows = RowNames(len(table.rows), table.column(mapping.unit) if mapping.unit else None)
    known = {column.name for column in table.columns}
    series: list[Held] = []
    for at, column in enumerate(table.columns):
        described = _described(column, mapping)
        declared = column.name in mapping.types
        made, changes = _typed(
            described, table.cells(at), rows, target, level=column.name in levels, declared=declared
        )
        fixes += changes
        series.append((made[0][0], held(*made[0])))
        for beside, cells in made[1:]:
            name = beside.name
            while name in known:  # a column made here has a name that no column of the table has
                name += "_"
            known.add(name)
            series.append((beside.model_copy(update={"name": name}), held(beside, cells)))
    fitted = [fit(column, values, rows, target) for column, values in series]
    fixes += [change for one in fitted for change in one.fixes]
    columns = tuple(one.column for one in fitted)
    tidied = Rows([one.values for one in fitted], len(rows))
    return table.model_copy(update={"columns": columns, "rows": tidied}), tuple(fixes)


def _by_column(table: Table) -> Table:
    """Hold each column as a series where its cells are of one kind."""
    cells = [table.cells(at) for at in range(len(table.columns))]
    held = [values if (made := typed(values)) is None else made for values in cells]
    return table.model_copy(update={"rows": Rows(held, len(table.rows))})


def _unique_units(table: Table, unit: str | None) -> tuple[Table, list[ToolWarning]]:
    """Merge rows that are identical; two different rows of one unit are an error."""
    if not unit:
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
    units = [str(value) for at, value in enumerate(table.column(unit)) if at in twice]
    if not twice:
        return table, []
    return _merged(table, twice), [fix("duplicate_identical", "Identical rows are merged", units)]


def _merged(table: Table, twice: Mapping[int, int]) -> Table:
    kept = [at for at in range(len(table.rows)) if at not in twice]
    passages = None
    if table.provenance is not None:
        behind = [list(chunks) for chunks in table.provenance]
        for at, first in twice.items():
            behind[first] += behind[at]
        passages = tuple(tuple(dict.fromkeys(behind[at])) for at in kept)
    cells = [table.cells(at) for at in range(len(table.columns))]
    held = [c.gather(kept) if hasattr(c, "gather") else [c[at] for at in kept] for c in cells]
    rows = Rows(held, len(kept))
    return table.model_copy(update={"rows": rows, "provenance": passages})


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
    target: Target,
    *,
    level: bool,
    declared: bool,
) -> tuple[list[Series], list[ToolWarning]]:
    import polars as pl

    codes = Codes.of(column.missing)
    flags = codes.flags(values)
    coded = bool(codes) and bool(flags.any())
    if not coded:
        present = values
    elif isinstance(values, pl.Series):
        present = without(values, flags)
    else:
        present = [None if flag else value for value, flag in zip(values, flags, strict=True)]
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


def measure_of(dtype: ColumnType) -> Measure:
    """Return the level of measurement that a type implies.

    Parameters
    ----------
    dtype : str
        Type of a column.

    Returns
    -------
    {"scale", "ordinal", "nominal"}
        nominal, ordinal or scale.

    References
    ----------
    Stevens 1946.

    """
    if dtype == "ordinal":
        return "ordinal"
    return "nominal" if dtype in {"nominal", "boolean", "text"} else "scale"


_COUNTED = {*CATEGORIES, "boolean"}


def codebook(
    table: Table, data: Frame, given: Mapping[str, str], measures: Mapping[str, Measure]
) -> tuple[CodebookEntry, ...]:
    """Describe the variables in column order; `given` maps a name to the one it had before.

    Parameters
    ----------
    table : Table
        The tidied table.
    data : Frame
        The same, by variable.
    given : mapping of str to str
        Name -> the one it had before.
    measures : mapping of str to str
        Name it had before -> level of measurement that the caller gives.

    Returns
    -------
    tuple of CodebookEntry
        An entry for each column: label, type, unit, levels, what is missing, how it was made, and its
        statistics.

    References
    ----------
    Hyndman & Fan 1996: quantiles of type 7.

    """
    return tuple(
        _entry(column, data.series(column.name), given[column.name], measures.get(given[column.name]))
        for column in table.columns
    )


def _entry(column: Column, values: "pl.Series", given: str, measure: Measure | None) -> CodebookEntry:
    present = values.drop_nulls()
    numbers = column.dtype in {"numeric", "integer"}
    counted = present.cast(str).value_counts().iter_rows() if column.dtype in _COUNTED else ()
    counts = {str(code): int(n) for code, n in counted}
    same = ("name", "unit", "role", "levels", "value_labels", "formula", "source")
    return CodebookEntry(
        **{field: getattr(column, field) for field in same},
        given_name=given,
        label=column.label or (given if given != column.name else ""),
        type=column.dtype,
        measure=measure or measure_of(column.dtype),
        missing_codes=column.missing,
        n=len(present),
        n_missing=len(values) - len(present),
        statistics=_statistics(present) if numbers and len(present) else {},
        frequencies={n: counts[n] for n in column.levels or ("false", "true") if n in counts},
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
