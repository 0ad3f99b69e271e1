"""MEASURES: what can be computed for a unit, and for which units."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from importlib import resources

import yaml

from corpusgraph.schemas.errors import InvalidInputError
from corpusgraph.schemas.study import TableDataset, Variable
from corpusgraph.tasks.dataset.measures.attributes import attribute
from corpusgraph.tasks.dataset.measures.evidence import MEASURES as EVIDENCE
from corpusgraph.tasks.dataset.measures.measured import ALL, Measure, Measured, Request
from corpusgraph.tasks.dataset.measures.network import MEASURES as NETWORK
from corpusgraph.tasks.dataset.measures.panel import check_steps, over_time, period_index
from corpusgraph.tasks.dataset.measures.text import MEASURES as TEXT
from corpusgraph.tasks.dataset.measures.units import Reading, Unit

__all__ = ["ALL", "MEASURES", "check_variable", "measure"]


_COMPUTE = {"attribute": attribute, **EVIDENCE, **TEXT, **NETWORK, "period_index": period_index}
_TABLE = yaml.safe_load(resources.files(__package__).joinpath("measures.yml").read_text(encoding="utf-8"))
MEASURES: Mapping[str, Measure] = {
    name: Measure(_COMPUTE[name], **{"label": name.replace("_", " ").capitalize(), **fields})
    for name, fields in _TABLE.items()
}
"""What the modules compute, as the table beside them describes it, in its order."""
_STANDING = {"attribute", "community", "period_index"}
"""What an entity has in a period without a sentence on it as well."""


def measure(reading: Reading, dataset: TableDataset, units: Sequence[Unit], variable: Variable) -> Measured:
    """Compute a variable for every unit, in their order.

    Parameters
    ----------
    reading : Reading
        The corpus.
    dataset : TableDataset
        What the study asks for.
    units : sequence of Unit
        The rows.
    variable : Variable
        The variable.

    Returns
    -------
    Measured
        A cell a unit.

    Raises
    ------
    InvalidInputError
        Where the measure does not fit the unit or its `of`.

    """
    check_variable(dataset, variable)
    measured = MEASURES[variable.measure](Request(reading, dataset, units, variable))
    return over_time(_present(measured, dataset, units, variable), dataset, units, variable)


def check_variable(dataset: TableDataset, variable: Variable) -> None:
    """Raise InvalidInputError where a variable fits neither the unit nor its measure, whatever the corpus.

    Parameters
    ----------
    dataset : TableDataset
        What the study asks for.
    variable : Variable
        Of the dataset.

    Raises
    ------
    InvalidInputError
        Where it does not fit; the hint names what would.

    """
    known = MEASURES[variable.measure]
    what = f"Variable {variable.name!r}: measure {variable.measure!r}"
    if dataset.unit not in known.units:
        fits = ", ".join(name for name, one in MEASURES.items() if dataset.unit in one.units)
        raise InvalidInputError(
            f"{what} does not fit the unit {dataset.unit!r}.",
            hint=f"It fits {', '.join(known.units)}. What fits {dataset.unit}: {fits}.",
        )
    if variable.of and known.of is None:
        raise InvalidInputError(f"{what} takes no 'of'.")
    if known.needs_of and not variable.of:
        raise InvalidInputError(f"{what} needs 'of': {known.of}.")
    check_steps(dataset, variable)


def _present(
    measured: Measured, dataset: TableDataset, units: Sequence[Unit], variable: Variable
) -> Measured:
    """Make missing what is counted of an entity in a period without a sentence on it, where so asked."""
    if dataset.unit != "entity_period" or dataset.absent == "zero" or variable.measure in _STANDING:
        return measured
    cells = zip(measured.values, units, strict=True)
    values = [value if unit.sentences else None for value, unit in cells]
    formula = f"{measured.formula}; missing in a period without a sentence on the entity"
    return replace(measured, values=values, formula=formula)
