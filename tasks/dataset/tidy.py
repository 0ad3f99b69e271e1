"""A table made fit for a statistical program: typed, missing codes told apart, texts short enough."""

from collections.abc import Mapping, Sequence
from typing import Any

from corpusgraph.schemas.errors import PreparationError
from corpusgraph.schemas.results import Column, Table, ToolWarning
from corpusgraph.schemas.study import BundleFormat
from corpusgraph.tasks.dataset.analysis import VariableMapping
from corpusgraph.tasks.dataset.coerce import Cells, coerce, fix, mixed
from corpusgraph.tasks.dataset.limits import fit
from corpusgraph.tasks.dataset.values import infer, is_missing, kind, number

Series = tuple[Column, tuple[Any, ...]]


def tidy(
    table: Table, mapping: VariableMapping, target: BundleFormat, levels: Sequence[str] = ()
) -> tuple[Table, tuple[ToolWarning, ...]]:
    """Return the table as the target can hold it, with everything that was changed.

    Columns in `levels` are nominal even if their text looks free. Codes that mean missing become None,
    but for SPSS, which has missing values of its own. Raises PreparationError `mixed_types`,
    `duplicate_id`, `empty_id`.
    """
    table, fixes = _unique_units(table, mapping.unit)
    rows = row_names(table, mapping.unit)
    series: list[Series] = []
    for at, column in enumerate(table.columns):
        values = tuple(row[at] for row in table.rows)
        made, changes = _typed(
            _described(column, mapping),
            values,
            rows,
            keep_codes=target == "spss",
            level=column.name in levels,
            declared=column.name in mapping.types,
        )
        fixes += changes
        series += [made[0], *(_renamed(one, table) for one in made[1:])]
    fitted = [fit(column, values, rows, target) for column, values in series]
    fixes += [change for one in fitted for change in one.fixes]
    columns = tuple(one.column for one in fitted)
    cells = tuple(zip(*(one.values for one in fitted), strict=True))
    return table.model_copy(update={"columns": columns, "rows": cells}), tuple(fixes)


def _renamed(beside: Series, table: Table) -> Series:
    """Give a column made here a name that no column of the table has."""
    column, values = beside
    name = column.name
    while name in {known.name for known in table.columns}:
        name += "_"
    return column.model_copy(update={"name": name}), values


def row_names(table: Table, unit: str | None) -> list[str]:
    """Return what messages call each row: its unit, else its number from 1."""
    if unit is None:
        return [f"row {at}" for at in range(1, len(table.rows) + 1)]
    return [str(value) for value in table.column(unit)]


def _unique_units(table: Table, unit: str | None) -> tuple[Table, list[ToolWarning]]:
    """Merge rows that are identical; two different rows of one unit are an error."""
    if unit is None:
        return table, []
    first: dict[str, int] = {}
    twice: dict[int, int] = {}
    for at, value in enumerate(table.column(unit)):
        if is_missing(value) or not str(value).strip():
            raise PreparationError(f"Row {at + 1} has no {unit!r}.", code="empty_id")
        if str(value) not in first:
            first[str(value)] = at
        elif table.rows[first[str(value)]] == table.rows[at]:
            twice[at] = first[str(value)]
        else:
            raise PreparationError(
                f"Two different rows have {unit} {value!r} (rows {first[str(value)] + 1} and {at + 1}).",
                code="duplicate_id",
                hint="Name a unit that identifies a row; a column that repeats may be the cluster.",
            )
    if not twice:
        return table, []
    units = [str(table.column(unit)[at]) for at in twice]
    return _merged(table, twice), [fix("duplicate_identical", "Identical rows are merged", units)]


def _merged(table: Table, twice: Mapping[int, int]) -> Table:
    kept = [at for at in range(len(table.rows)) if at not in twice]
    passages = None
    if table.provenance is not None:
        behind = [list(chunks) for chunks in table.provenance]
        for at, first in twice.items():
            behind[first] += behind[at]
        passages = tuple(tuple(dict.fromkeys(behind[at])) for at in kept)
    return table.model_copy(update={"rows": tuple(table.rows[at] for at in kept), "provenance": passages})


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
    values: Sequence[Any],
    rows: Sequence[str],
    *,
    keep_codes: bool,
    level: bool,
    declared: bool,
) -> tuple[list[Series], list[ToolWarning]]:
    codes = {_code(code) for code in column.missing}
    coded = [not is_missing(value) and _code(value) in codes for value in values]
    present = [None if is_code else value for value, is_code in zip(values, coded, strict=True)]
    dtype = column.dtype
    if not declared and (dtype == "json" or (codes and dtype in {"text", "nominal"} and not column.levels)):
        dtype = infer(present) or _mixed(column, present, rows)
    if level and dtype == "text" and not declared:
        dtype = "nominal"
    made = coerce(column.model_copy(update={"dtype": dtype}), present, rows)
    changes = list(made.fixes)
    cells = made.values
    if any(coded) and keep_codes and _keepable(made):
        cells = tuple(
            _as_coded(made, v) if c else cell for v, c, cell in zip(values, coded, cells, strict=True)
        )
    elif any(coded):
        where = [row for row, is_code in zip(rows, coded, strict=True) if is_code]
        listed = ", ".join(str(code) for code in column.missing)
        changes.append(fix("code_as_missing", f"Codes of {column.name!r} ({listed}) are missing", where))
    return [(made.column, cells), *made.beside], changes


def _code(value: Any) -> str:
    """Compare codes by value, so that 99, 99.0 and "99" are one."""
    found = number(value) if not isinstance(value, bool) else None
    return str(value).strip() if found is None else repr(float(found))


def _keepable(made: Cells) -> bool:
    """Return whether SPSS can hold the codes: up to three, numbers in a variable of numbers."""
    if len(made.column.missing) > 3 or made.column.dtype not in {"numeric", "integer", "nominal", "ordinal"}:
        return False
    whole = all(value is None or isinstance(value, (int, float)) for value in made.values)
    return whole and all(number(code) is not None for code in made.column.missing)


def _as_coded(made: Cells, value: Any) -> Any:
    found = number(value)
    return float(found) if made.column.dtype == "numeric" and found is not None else found


def _mixed(column: Column, values: Sequence[Any], rows: Sequence[str]) -> Any:
    present = [(value, row) for value, row in zip(values, rows, strict=True) if not is_missing(value)]
    usual = kind(present[0][0])
    odd = next((value, row) for value, row in present if kind(value) != usual)
    raise mixed(column.model_copy(update={"dtype": usual}), *odd)
