"""What the data allow: missing values, constant and collinear variables, too few rows, identification."""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from corpusgraph.schemas.errors import PreparationError
from corpusgraph.schemas.results import Column, Table, ToolWarning
from corpusgraph.tasks.dataset.analysis import AnalysisType, Diagnostics, Model
from corpusgraph.tasks.dataset.collinear import Design, design, redundant
from corpusgraph.tasks.dataset.identify import degrees_of_freedom, free_parameters
from corpusgraph.tasks.dataset.lavaan import Sem
from corpusgraph.tasks.dataset.values import MAX_LEVELS, number

_FORMULA_STARTS = ("=", "+", "-", "@", "\t", "\r")


@dataclass(frozen=True)
class Frame:
    """The table by variable, with codes that mean missing read as None."""

    columns: Mapping[str, Column]
    cells: Mapping[str, Sequence[Any]]
    n_rows: int


def frame(table: Table) -> Frame:
    """Read codes that mean missing as None."""
    cells = {
        column.name: _without_codes(column, [row[at] for row in table.rows])
        for at, column in enumerate(table.columns)
    }
    return Frame({column.name: column for column in table.columns}, cells, len(table.rows))


def _without_codes(column: Column, values: Sequence[Any]) -> list[Any]:
    codes = {number(code) for code in column.missing} - {None}
    return (
        [None if isinstance(v, (int, float)) and v in codes else v for v in values] if codes else list(values)
    )


def diagnose(
    analysis: AnalysisType, data: Frame, model: Model, sem: Sem
) -> tuple[Diagnostics, tuple[ToolWarning, ...]]:
    """Look at the data before anything is estimated.

    For a SEM, whatever makes estimation impossible is an error; otherwise it is a warning. Raises
    PreparationError `no_data_in_variable` for a variable of the model, and the codes of `weights`.
    """
    used = model.variables()
    notes = _notes_on_variables(analysis, data, used)
    _check_weights(data, model.weights)
    watched = used or tuple(data.columns)
    complete = [at for at in range(data.n_rows) if all(data.cells[name][at] is not None for name in watched)]
    made = design(data, model, complete)
    groups = len({data.cells[model.group][at] for at in complete}) if model.group else 1
    n_parameters, df = _counts(sem, groups) if analysis == "sem" else (len(made.names) or None, None)
    constant = tuple(name for name in watched if _is_constant(data.cells[name]))
    found = Diagnostics(
        n_rows=data.n_rows,
        n_complete=len(complete),
        n_parameters=n_parameters,
        missing={name: n for name, cells in data.cells.items() if (n := sum(v is None for v in cells))},
        constant=constant,
        collinear=redundant(made),
        degrees_of_freedom=df,
        identified=None if df is None else df >= 0,
    )
    notes += _notes_on_model(found, made)
    if analysis == "sem":
        _raise_impossible(notes)
    return found, tuple(notes)


def _counts(sem: Sem, groups: int) -> tuple[int | None, int | None]:
    """Return free parameters (no means) and degrees of freedom, each group having its own."""
    parameters, df = free_parameters(sem), degrees_of_freedom(sem)
    return (None if parameters is None else parameters * groups), (None if df is None else df * groups)


def _raise_impossible(notes: Sequence[ToolWarning]) -> None:
    for note in notes:
        if note.code in {"constant_variable", "perfect_collinearity", "fewer_rows_than_parameters"}:
            raise PreparationError(
                f"The structural equation model cannot be estimated: {note.message}",
                code=note.code,
                hint="Leave the variable out, or gather more rows.",
            )


def _notes_on_variables(analysis: AnalysisType, data: Frame, used: Sequence[str]) -> list[ToolWarning]:
    notes = []
    for name, column in data.columns.items():
        values = [value for value in data.cells[name] if value is not None]
        if not values:
            if name in used and analysis != "descriptive":
                raise PreparationError(
                    f"Variable {name!r} has no data in {data.n_rows} rows.",
                    code="no_data_in_variable",
                    hint="Leave it out of the model.",
                )
            notes.append(_note("no_data_in_variable", f"{name!r} has no data.", [name]))
        many = len(set(values)) if column.dtype in {"nominal", "ordinal"} else 0
        if many > MAX_LEVELS:
            notes.append(_note("too_many_levels", f"{name!r} has {many} levels.", [name]))
        if any(isinstance(value, str) and value.startswith(_FORMULA_STARTS) for value in values):
            message = (
                f"{name!r} has text that a spreadsheet would run as a formula; data files keep it as it is."
            )
            notes.append(_note("formula_like_text", message, [name]))
    return notes


def _note(code: str, message: str, records: Sequence[str]) -> ToolWarning:
    return ToolWarning(code=code, message=message, records=tuple(records))


def _check_weights(data: Frame, name: str | None) -> None:
    if name is None:
        return
    weights = [value for value in data.cells[name] if value is not None]
    checks: Sequence[tuple[str, Callable[[Any], bool], str]] = (
        ("weight_not_finite", lambda w: isinstance(w, (int, float)) and math.isfinite(w), "a finite number"),
        ("weight_not_positive", lambda w: w > 0, "above 0"),
    )
    for code, is_right, what in checks:
        wrong = [weight for weight in weights if not is_right(weight)]
        if wrong:
            raise PreparationError(f"Weight {name!r} must be {what}, not {wrong[0]!r}.", code=code)


def _is_constant(values: Sequence[Any]) -> bool:
    present = {value for value in values if value is not None}
    return len(present) == 1 and len(values) > 1


def _notes_on_model(found: Diagnostics, made: Design) -> list[ToolWarning]:
    notes = [_note("constant_variable", f"{name!r} has one value only.", [name]) for name in found.constant]
    for term, *others in found.collinear:
        message = f"{term!r} is a linear combination of {', '.join(map(repr, others))}."
        notes.append(_note("perfect_collinearity", message, [term, *others]))
    if found.n_parameters is not None and found.n_complete < found.n_parameters:
        message = f"{found.n_complete} complete rows for {found.n_parameters} parameters."
        notes.append(_note("fewer_rows_than_parameters", message, made.names))
    if found.identified is False:
        message = (
            f"The model has {found.degrees_of_freedom} degrees of freedom: fewer moments than parameters."
        )
        notes.append(_note("not_identified", message, []))
    return notes
