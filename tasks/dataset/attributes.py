"""The measure `attribute`: a field of the unit, with its type inferred."""

from collections.abc import Sequence
from typing import Any

from corpusgraph.schemas.errors import PreparationError, did_you_mean
from corpusgraph.schemas.results import Column, ColumnType, ToolWarning
from corpusgraph.schemas.study import TableDataset, Variable
from corpusgraph.tasks.dataset.coerce import coerce
from corpusgraph.tasks.dataset.measured import Measured, named
from corpusgraph.tasks.dataset.reading import Reading
from corpusgraph.tasks.dataset.units import Unit
from corpusgraph.tasks.dataset.values import infer, is_missing

_READ = {"numeric", "integer", "boolean"}


def attribute(_: Reading, dataset: TableDataset, units: Sequence[Unit], variable: Variable) -> Measured:
    """Read the field `of` (default: the variable's name) of each unit; None where a unit has none.

    Raises PreparationError `unknown_variable` where no unit has it, `mixed_types` where a value does not
    fit the type the study gives.
    """
    field = (named(variable) or (variable.name,))[0]
    values = [unit.attributes.get(field) for unit in units]
    check_known(units, dataset, field)
    codes = {str(code) for code in variable.missing}
    dtype = variable.type or infer(v for v in values if str(v) not in codes)
    warnings: tuple[ToolWarning, ...] = ()
    if dtype is None:
        dtype, values = "nominal", [None if is_missing(value) else str(value) for value in values]
        message = f"{variable.name!r} has values of several types and is read as text."
        warnings = (ToolWarning(code="mixed_types", message=message, records=(variable.name,)),)
    if dtype in _READ and not codes:
        values = _read(variable, dtype, values, [unit.id for unit in units])
    return Measured(values, dtype, f"field {field!r} of the unit", variable.name, None, "metadata", warnings)


def _read(variable: Variable, dtype: ColumnType, values: Sequence[Any], rows: Sequence[str]) -> list[Any]:
    """Read numbers and truth values from text; infinite and huge numbers are left to the statistics tool."""
    made = coerce(Column(name=variable.name, dtype=dtype), values, rows)
    return list(made.values) if made.column.dtype in _READ and not made.fixes else list(values)


def check_known(units: Sequence[Unit], dataset: TableDataset, field: str) -> None:
    """Raise where no unit has the field; the near names are in the hint."""
    known = sorted({key for unit in units for key in unit.attributes})
    if units and field not in known:
        raise PreparationError(
            f"No {dataset.unit} has an attribute {field!r}.",
            code="unknown_variable",
            hint=did_you_mean(field, known) or f"There are {', '.join(known[:30])}.",
        )
