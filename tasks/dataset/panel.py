"""Rows of a panel, an entity in a period, and the rows of every other unit with what to know about them."""

from collections import defaultdict
from collections.abc import Mapping, Sequence

from corpusgraph.schemas.errors import InvalidInputError
from corpusgraph.schemas.results import Column, ToolWarning
from corpusgraph.schemas.study import TableDataset
from corpusgraph.tasks.dataset.measures.measured import known_kinds
from corpusgraph.tasks.dataset.periods import dated, period_name, period_number
from corpusgraph.tasks.dataset.reading import Reading, Sentence
from corpusgraph.tasks.dataset.units import (
    Unit,
    chosen_entities,
    entity_attributes,
    leads,
    mention_chunks,
    units_of,
)

MOST_ROWS = 5_000_000
"""A panel of more rows is an error: days over centuries are rarely meant."""
_NAMED = 20

Found = tuple[tuple[Column, ...], list[Unit], tuple[ToolWarning, ...]]


def rows_of(reading: Reading, dataset: TableDataset) -> Found:
    """Return the leading columns, the units in id order, and warnings.

    Raises InvalidInputError for a panel of too many rows.
    """
    if dataset.unit in {"entity", "pair", "entity_period"}:
        warnings = known_kinds(reading, "entity_types", dataset.entity_types)
    else:
        warnings = ()
    if dataset.unit != "entity_period":
        return leads(dataset), units_of(reading, dataset), warnings
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
    found: dict[int, list[Sentence]] = defaultdict(list)
    for sentence in reading.by_entity.get(entity, {}):
        if sentence in when:
            found[period_number(when[sentence])].append(sentence)
    return dict(found)


def _periods(dataset: TableDataset, observed: Sequence[int], own: Sequence[int]) -> Sequence[int]:
    """Return the periods an entity has a row for."""
    if dataset.panel == "observed":
        return observed
    ends = own if dataset.panel == "active" else observed
    return range(ends[0], ends[-1] + 1) if ends else ()


def _gaps(dataset: TableDataset, observed: Sequence[int]) -> list[ToolWarning]:
    """Tell of periods without rows where a variable looks at other periods."""
    looks = any(v.lag or v.lead or v.difference for v in dataset.variables)
    known = set(observed)
    if dataset.panel != "observed" or not looks or not known:
        return []
    count = observed[-1] - observed[0] + 1 - len(known)
    if not count:
        return []
    lost = (number for number in range(observed[0], observed[-1]) if number not in known)
    names = [period_name(number, dataset.period) for number, _ in zip(lost, range(_NAMED), strict=False)]
    message = (
        f"{count} {dataset.period}s between the first and the last have no dated sentence and no rows:"
        " lags, leads and differences across them are missing; panel: calendar has rows for them."
    )
    return [ToolWarning(code="panel_gaps", message=message, records=tuple(names))]
