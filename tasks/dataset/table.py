"""A rectangular dataset from a corpus: one row per unit of analysis, one column per variable."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, get_args

from corpusgraph.schemas.errors import InvalidInputError, PreparationError, did_you_mean
from corpusgraph.schemas.ports import Corpus
from corpusgraph.schemas.results import Column, Table, ToolWarning, Values
from corpusgraph.schemas.study import RegressionDataset, SemDataset, TableDataset, Variable
from corpusgraph.tasks.analysis.statistics.analysis import AnalysisType, VariableMapping, VariableType
from corpusgraph.tasks.dataset.measures.attributes import check_known
from corpusgraph.tasks.dataset.measures.measured import Measured, unknown_kinds
from corpusgraph.tasks.dataset.measures.panel import transformed
from corpusgraph.tasks.dataset.measures.registry import measure
from corpusgraph.tasks.dataset.measures.units import (
    Reading,
    Sentence,
    Unit,
    chosen_entities,
    dated,
    entity_attributes,
    leads,
    mention_chunks,
    period_name,
    period_number,
    units_of,
)
from corpusgraph.tasks.graph.names import grouped
from corpusgraph.tasks.table.frames import table_of_columns
from corpusgraph.tasks.table.values import warning

MOST_ROWS = 5_000_000
"""A panel of more rows is an error: days over centuries are rarely meant."""
_NAMED = 20

Found = tuple[tuple[Column, ...], list[Unit], tuple[ToolWarning, ...]]


def rows_of(reading: Reading, dataset: TableDataset) -> Found:
    """Return the leading columns, the units in id order, and warnings.

    Parameters
    ----------
    reading : Reading
        The corpus.
    dataset : TableDataset
        What the study asks for.

    Returns
    -------
    (tuple of Column, list of Unit, tuple of ToolWarning)
        Of a panel, a unit for each entity and period.

    Raises
    ------
    InvalidInputError
        For a panel of more than `MOST_ROWS` rows.

    """
    of_entities = dataset.unit in {"entity", "pair", "entity_period"}
    warnings = unknown_kinds(reading, "entity_types", dataset.entity_types if of_entities else ())
    if dataset.unit != "entity_period":
        return leads(dataset), units_of(reading, dataset), tuple(warnings)
    units, told = _panel(reading, dataset)
    return leads(dataset), units, (*warnings, *told)


def _panel(reading: Reading, dataset: TableDataset) -> tuple[list[Unit], list[ToolWarning]]:
    when, warnings = dated(reading, dataset.period)
    observed = sorted({period_number(period) for period in when.values()})
    entities = chosen_entities(reading, dataset)
    filed = {entity.id: _by_period(reading, entity.id, when) for entity in entities}
    wanted = {id_: _periods(dataset, observed, sorted(own)) for id_, own in filed.items()}
    if (rows := sum(map(len, wanted.values()))) > MOST_ROWS:
        raise InvalidInputError(
            f"Dataset {dataset.name!r} would have {rows:,} rows.",
            hint="Choose fewer entities (min_mentions, entity_types), a longer period, or panel: active.",
        )
    made = []
    for entity in entities:
        attributes = {**entity_attributes(entity), "entity_id": entity.id}
        for number in wanted[entity.id]:
            period = period_name(number, dataset.period)
            sentences = filed[entity.id].get(number, [])
            id_ = f"{entity.id}|{period}"
            chunks = mention_chunks(reading, (entity.id,), sentences)
            held = {**attributes, "period": period}
            made.append(Unit(id_, (id_, entity.name, period), sentences, chunks, held, (entity.id,)))
    return sorted(made, key=lambda unit: unit.id), [*warnings, *_gaps(dataset, observed)]


def _by_period(reading: Reading, entity: str, when: Mapping[Sentence, str]) -> Mapping[int, list[Sentence]]:
    sentences = (sentence for sentence in reading.by_entity.get(entity, {}) if sentence in when)
    return grouped((period_number(when[sentence]), sentence) for sentence in sentences)


def _periods(dataset: TableDataset, observed: Sequence[int], own: Sequence[int]) -> Sequence[int]:
    """Return the periods an entity has a row for."""
    if dataset.panel == "observed":
        return observed
    ends = own if dataset.panel == "active" else observed
    return range(ends[0], ends[-1] + 1) if ends else ()


def _gaps(dataset: TableDataset, observed: Sequence[int]) -> list[ToolWarning]:
    """Tell of periods without rows where a variable looks at other periods."""
    looks = any(v.lag or v.lead or v.difference for v in dataset.variables)
    if dataset.panel != "observed" or not looks or not observed:
        return []
    known = set(observed)
    lost = [number for number in range(observed[0], observed[-1]) if number not in known]
    message = (
        f"{len(lost)} {dataset.period}s between the first and the last have no dated sentence and no rows:"
        " lags, leads and differences across them are missing; panel: calendar has rows for them."
    )
    return warning("panel_gaps", message, (period_name(number, dataset.period) for number in lost[:_NAMED]))


def build_table(corpus: Corpus, dataset: TableDataset) -> tuple[Table, tuple[ToolWarning, ...]]:
    """Return the table of a dataset and what to know about it; rows are in the order of the units' ids.

    The first columns identify the unit (`id`, then name or title); then come the variables. Row `i` of
    `provenance` holds the chunks behind row `i`.

    Parameters
    ----------
    corpus : Corpus
        The corpus.
    dataset : TableDataset
        What the study asks for.

    Returns
    -------
    (Table, tuple of ToolWarning)
        Rows that `where` leaves; no warning where there is nothing to say.

    Raises
    ------
    InvalidInputError
        For a measure that does not fit the unit, two variables of one name, and a panel of too many rows.
    PreparationError
        `empty_table`, `unknown_variable`.

    """
    reading = Reading(corpus)
    names = checked_names(dataset)
    leads, units, warnings = rows_of(reading, dataset)
    for name in dataset.where:
        check_known(reading, units, dataset, name)
    kept = [
        at
        for at, unit in enumerate(units)
        if all(_texts(unit.attributes.get(name)) & _texts(wanted) for name, wanted in dataset.where.items())
    ]
    if not kept:
        raise _empty(reading, dataset)
    rows = [units[at] for at in kept]
    measured = [_measured(reading, dataset, units, kept, variable) for variable in dataset.variables]
    shown = [at for at, lead in enumerate(leads) if lead.name not in names]
    series: list[tuple[Column, Values]] = [(leads[at], [unit.lead[at] for unit in rows]) for at in shown]
    series += [(_column(v, m), m.values) for v, m in zip(dataset.variables, measured, strict=True)]
    provenance = tuple(unit.chunks for unit in rows)
    table = table_of_columns(dataset.name, series, len(rows)).model_copy(update={"provenance": provenance})
    return table, tuple(dict.fromkeys((*warnings, *(one for m in measured for one in m.warnings))))


def _measured(
    reading: Reading, dataset: TableDataset, units: Sequence[Unit], kept: Sequence[int], variable: Variable
) -> Measured:
    """Measure what is kept; in a panel all, so that a lag finds the period before."""
    rows = [units[at] for at in kept]
    if dataset.unit != "entity_period":
        return transformed(measure(reading, dataset, rows, variable), rows, variable)
    found = measure(reading, dataset, units, variable)
    found = replace(found, values=[found.values[at] for at in kept])
    return transformed(found, rows, variable)


def _empty(reading: Reading, dataset: TableDataset) -> PreparationError:
    kinds = sorted({e.type for e in reading.corpus.graph.entities if e.type})
    lost = (did_you_mean(name, kinds) for name in dataset.entity_types if name not in kinds)
    near = " ".join(dict.fromkeys(hint for hint in lost if hint))
    return PreparationError(
        f"Dataset {dataset.name!r} has no {dataset.unit}.",
        code="empty_table",
        hint=f"{near} Loosen where, entity_types or min_mentions.".strip(),
    )


def checked_names(dataset: TableDataset) -> set[str]:
    """Return the variables' names; two of one name, or one that is taken, is InvalidInputError.

    Parameters
    ----------
    dataset : TableDataset
        What the study asks for.

    Returns
    -------
    set of str
        `id` is not among them.

    Raises
    ------
    InvalidInputError
        For two variables of one name, and for one named `id`.

    """
    names = [variable.name for variable in dataset.variables]
    if twice := sorted({name for name in names if names.count(name) > 1}):
        raise InvalidInputError(f"Dataset {dataset.name!r}: two variables are named {twice[0]!r}.")
    if "id" in names:
        raise InvalidInputError(
            f"Dataset {dataset.name!r}: 'id' is the unit's id; name the variable otherwise."
        )
    return set(names)


def _texts(value: Any) -> set[str]:
    """Return the texts of one value or of several, to compare numbers and truth values as text too."""
    several = value if isinstance(value, (list, tuple)) else [value]
    return {str(one).lower() if isinstance(one, bool) else str(one) for one in several}


def _column(variable: Variable, measured: Measured) -> Column:
    return Column(
        name=variable.name,
        dtype=variable.type or measured.dtype,
        label=variable.label or measured.label,
        unit=variable.unit or measured.unit,
        levels=measured.levels,
        missing=variable.missing,
        formula=f"{variable.measure}: {measured.formula}",
        source=measured.source,
    )


_TYPED = get_args(VariableType)


def analysis_of(dataset: TableDataset) -> tuple[AnalysisType, VariableMapping]:
    """Return the kind of analysis and the part each variable plays, from the study file.

    Parameters
    ----------
    dataset : TableDataset
        Of a study.

    Returns
    -------
    (AnalysisType, VariableMapping)
        `regression`, `sem` or `descriptive`; the mapping.

    """
    parts = type(dataset).model_fields.keys() & VariableMapping.model_fields.keys()
    said: dict[str, Any] = {part: getattr(dataset, part) for part in parts}
    said["unit"] = "id"  # a dataset's own `unit` is what a row is, not its column
    said["types"] = {v.name: v.type for v in dataset.variables if v.type in _TYPED}
    mapping = VariableMapping(**said)
    if isinstance(dataset, RegressionDataset):
        return "regression", mapping
    return ("sem" if isinstance(dataset, SemDataset) else "descriptive"), mapping
