"""A table made fit for a statistical program: typed, missing codes told apart, texts short enough."""

from collections.abc import Collection, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from corpusgraph.schemas.errors import PreparationError
from corpusgraph.schemas.results import Column, Rows, Table, ToolWarning, Values
from corpusgraph.schemas.study import BundleFormat
from corpusgraph.tasks.statistics.analysis import VariableMapping
from corpusgraph.tasks.statistics.kept import aside, uncoded, with_codes, without_flagged
from corpusgraph.tasks.statistics.limits import fit
from corpusgraph.tasks.table.cells import fix, mixed
from corpusgraph.tasks.table.codes import Codes
from corpusgraph.tasks.table.columns import Instants, RowNames, typed, where
from corpusgraph.tasks.table.frames import infer_column
from corpusgraph.tasks.table.quick import held, read_cells
from corpusgraph.tasks.table.values import is_missing, kind

if TYPE_CHECKING:
    import polars as pl

Series = tuple[Column, Values]
Held = tuple[Column, "pl.Series | Instants"]


def tidy(
    table: Table, mapping: VariableMapping, target: BundleFormat, levels: Sequence[str] = ()
) -> tuple[Table, tuple[ToolWarning, ...]]:
    """Return the table as the target can hold it, with everything that was changed.

    Columns in `levels` are nominal even if their text looks free. Codes that mean missing stay for SPSS and
    Stata, which have missing values of their own, where these can hold them; else they become None, and a
    column `<name>_missing` beside has them. Raises PreparationError `mixed_types`,
    `duplicate_id`, `empty_id`.
    """
    table, fixes = _unique_units(_by_column(table), mapping.unit)
    rows = RowNames(len(table.rows), _cells_of(table, mapping.unit) if mapping.unit else None)
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
        for beside in made[1:]:
            series.append(_renamed((beside[0], held(*beside)), known))
            known.add(series[-1][0].name)
    fitted = [fit(column, values, rows, target) for column, values in series]
    fixes += [change for one in fitted for change in one.fixes]
    columns = tuple(one.column for one in fitted)
    cells = Rows([one.values for one in fitted], len(rows))
    return table.model_copy(update={"columns": columns, "rows": cells}), tuple(fixes)


def _by_column(table: Table) -> Table:
    """Hold each column as a series where its cells are of one kind."""
    cells = [table.cells(at) for at in range(len(table.columns))]
    held = [values if (made := typed(values)) is None else made for values in cells]
    return table.model_copy(update={"rows": Rows(held, len(table.rows))})


def _renamed(beside: Held, known: Collection[str]) -> Held:
    """Give a column made here a name that no column of the table has."""
    column, values = beside
    name = column.name
    while name in known:
        name += "_"
    return column.model_copy(update={"name": name}), values


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
    rows = Rows([_gathered(values, kept) for values in cells], len(kept))
    return table.model_copy(update={"rows": rows, "provenance": passages})


def _gathered(values: Any, places: Sequence[int]) -> Values:
    found: Values = values.gather(places) if hasattr(values, "gather") else [values[at] for at in places]
    return found


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
) -> tuple[list[Series], list[ToolWarning]]:
    codes = Codes.of(column.missing)
    flags = codes.flags(values) if codes else []
    coded = bool(where(flags))
    present = without_flagged(values, flags) if coded else values
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
