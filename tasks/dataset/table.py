"""A rectangular dataset from a corpus: one row per unit of analysis, one column per variable."""

from typing import Any

from corpusgraph.schemas.errors import InvalidInputError, PreparationError
from corpusgraph.schemas.ports import Corpus
from corpusgraph.schemas.results import Column, Table, ToolWarning
from corpusgraph.schemas.study import TableDataset, Variable
from corpusgraph.tasks.dataset.attributes import check_known
from corpusgraph.tasks.dataset.measured import Measured
from corpusgraph.tasks.dataset.measures import measure
from corpusgraph.tasks.dataset.reading import Reading
from corpusgraph.tasks.dataset.units import Unit, units_of


def build_table(corpus: Corpus, dataset: TableDataset) -> tuple[Table, tuple[ToolWarning, ...]]:
    """Return the table of a dataset and what to know about it; rows are in the order of the units' ids.

    The first columns identify the unit (`id`, then name or title); then come the variables. Row `i` of
    `provenance` holds the chunks behind row `i`. Raises InvalidInputError for a measure that does not fit
    the unit, PreparationError `empty_table` or `unknown_variable`.
    """
    reading = Reading(corpus)
    leads, units, warnings = units_of(reading, dataset)
    for name in dataset.where:
        check_known(units, dataset, name)
    units = [unit for unit in units if _kept(unit, dataset)]
    if not units:
        raise PreparationError(
            f"Dataset {dataset.name!r} has no {dataset.unit}.",
            code="empty_table",
            hint="Loosen where, entity_types or min_mentions.",
        )
    names = _checked_names(dataset)
    shown = [at for at, lead in enumerate(leads) if lead.name not in names]
    measured = [measure(reading, dataset, units, variable) for variable in dataset.variables]
    columns = [_column(v, m) for v, m in zip(dataset.variables, measured, strict=True)]
    rows = tuple(
        (*(unit.lead[i] for i in shown), *(m.values[at] for m in measured)) for at, unit in enumerate(units)
    )
    table = Table(
        name=dataset.name,
        columns=(*(leads[i] for i in shown), *columns),
        rows=rows,
        provenance=tuple(unit.chunks for unit in units),
    )
    return table, (*warnings, *(warning for m in measured for warning in m.warnings))


def _checked_names(dataset: TableDataset) -> set[str]:
    names = [variable.name for variable in dataset.variables]
    if twice := sorted({name for name in names if names.count(name) > 1}):
        raise InvalidInputError(f"Dataset {dataset.name!r}: two variables are named {twice[0]!r}.")
    if "id" in names:
        raise InvalidInputError(
            f"Dataset {dataset.name!r}: 'id' is the unit's id; name the variable otherwise."
        )
    return set(names)


def _kept(unit: Unit, dataset: TableDataset) -> bool:
    return all(_is_among(unit.attributes.get(name), wanted) for name, wanted in dataset.where.items())


def _is_among(value: Any, wanted: Any) -> bool:
    """Compare a value, or any of several, with one or several wanted ones; numbers also as text."""
    return bool(_texts(value) & _texts(wanted))


def _texts(value: Any) -> set[str]:
    several = value if isinstance(value, (list, tuple)) else [value]
    return {str(one).lower() if isinstance(one, bool) else str(one) for one in several}


def _column(variable: Variable, measured: Measured) -> Column:
    return Column(
        name=variable.name,
        dtype=variable.type or measured.dtype,
        label=variable.label or measured.label,
        unit=variable.unit or measured.unit,
        missing=variable.missing,
        formula=f"{variable.measure}: {measured.formula}",
        source=measured.source,
    )
