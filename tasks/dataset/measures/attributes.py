"""The measure `attribute`: a field of the unit, with its type inferred or declared, and that stated."""

from collections.abc import Mapping, Sequence
from typing import Any

from corpusgraph.schemas.errors import PreparationError, did_you_mean
from corpusgraph.schemas.ports import Corpus
from corpusgraph.schemas.results import Column, ColumnType, ToolWarning
from corpusgraph.schemas.study import AttributeKind, Ontology, TableDataset, Variable
from corpusgraph.tasks.dataset.measures.measured import Measured, Request
from corpusgraph.tasks.dataset.measures.units import Reading, Unit
from corpusgraph.tasks.table.coerce import read_cells
from corpusgraph.tasks.table.values import infer, is_missing, warning

_READ = {"numeric", "integer", "boolean"}
_DECLARED: Mapping[str, ColumnType] = {"number": "numeric", "date": "date", "boolean": "boolean"}
_FITS: Mapping[str, set[ColumnType | None]] = {
    "number": {"numeric", "integer"},
    "date": {"date", "datetime"},
    "boolean": {"boolean"},
    "text": {"text", "nominal"},
}
_ENDS = ("source.", "target.")


def attribute(ask: Request) -> Measured:
    """Read the field `of` (default: the variable's name) of each unit; None where a unit has none.

    Parameters
    ----------
    ask : Request
        The variable, and of which units.

    Returns
    -------
    Measured
        With a warning where its values are of several types, or an attribute that is declared has none.

    Raises
    ------
    PreparationError
        `unknown_variable`.

    """
    field = (ask.of or (ask.variable.name,))[0]
    values = [unit.attributes.get(field) for unit in ask.units]
    check_known(ask.reading, ask.units, ask.dataset, field)
    codes = {str(code) for code in ask.variable.missing}
    kind = declared(ask.reading.corpus, ask.dataset).get(field)
    inferred = infer(value for value in values if str(value) not in codes)
    dtype, how = _type(ask.variable, kind, inferred, empty=all(is_missing(value) for value in values))
    warnings: tuple[ToolWarning, ...] = ()
    if dtype is None:
        dtype, values = "nominal", [None if is_missing(value) else str(value) for value in values]
        message = f"{ask.variable.name!r} has values of several types and is read as text."
        warnings = tuple(warning("mixed_types", message, [ask.variable.name]))
    elif kind is not None and all(is_missing(value) for value in values):
        message = f"No row has a value of {field!r}, which the ontology declares; it is missing throughout."
        warnings = tuple(warning("no_data_in_variable", message, [ask.variable.name]))
    if dtype in _READ and not codes:
        values = _read(ask.variable, dtype, values, [unit.id for unit in ask.units])
    levels = kind.values if kind and kind.values and dtype in {"nominal", "ordinal"} else None
    label = (kind.description if kind else "") or ask.variable.name
    formula = f"field {field!r} of the unit; {dtype}, {how}"
    return Measured(values, dtype, formula, label, "as given", "metadata", warnings, levels)


def _type(
    variable: Variable, kind: AttributeKind | None, inferred: ColumnType | None, *, empty: bool
) -> tuple[ColumnType | None, str]:
    """Return the type that the study gives, else the ontology where the values fit, else theirs."""
    if variable.type:
        return variable.type, "as the study says"
    if kind and (empty or inferred in _FITS[kind.type]):
        coded = kind.type == "text" and bool(kind.values)
        plain = _DECLARED.get(kind.type, "text") if empty else inferred
        return "nominal" if coded else plain, "as the ontology declares"
    return inferred, "as its values are read"


def declared(corpus: Corpus, dataset: TableDataset) -> Mapping[str, AttributeKind]:
    """Return the attributes that the ontology declares for the units' entities; one name, its first type.

    Parameters
    ----------
    corpus : Corpus
        The corpus.
    dataset : TableDataset
        Says which entities are units.

    Returns
    -------
    mapping of str to AttributeKind
        Name of the attribute -> what is declared; empty where the corpus knows no ontology. For pairs names
        begin with `source.` and `target.`.

    """
    ontology: Ontology | None = getattr(corpus, "ontology", None)  # a corpus made in memory has none
    if ontology is None or dataset.unit not in {"entity", "entity_period", "pair"}:
        return {}
    wanted = {name.casefold() for name in dataset.entity_types}
    kinds = [kind for name, kind in ontology.entities.items() if not wanted or name.casefold() in wanted]
    found = {name: one for kind in reversed(kinds) for name, one in kind.attributes.items()}
    if dataset.unit != "pair":
        return found
    return {f"{end}{name}": one for end in _ENDS for name, one in found.items()}


def _read(variable: Variable, dtype: ColumnType, values: Sequence[Any], rows: Sequence[str]) -> list[Any]:
    """Read numbers and truth values from text; infinite and huge numbers are left to the statistics tool."""
    made = read_cells(Column(name=variable.name, dtype=dtype), values, rows)
    return list(made.values) if made.column.dtype in _READ and not made.fixes else list(values)


def check_known(reading: Reading, units: Sequence[Unit], dataset: TableDataset, field: str) -> None:
    """Raise where no unit has the field and no ontology declares it; the near names are in the hint.

    Parameters
    ----------
    reading : Reading
        The corpus.
    units : sequence of Unit
        All units of the dataset.
    dataset : TableDataset
        What the study asks for.
    field : str
        Name of an attribute.

    Raises
    ------
    PreparationError
        `unknown_variable`.

    """
    held = reading.once("fields", lambda: {key for unit in units for key in unit.attributes})
    known = sorted(held | set(declared(reading.corpus, dataset)))
    if units and field not in known:
        raise PreparationError(
            f"No {dataset.unit} has an attribute {field!r}.",
            code="unknown_variable",
            hint=did_you_mean(field, known) or f"There are {', '.join(known[:30])}.",
        )
