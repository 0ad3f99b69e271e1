"""Measures that count what a unit's sentences say."""

from collections.abc import Callable, Iterable, Sequence

from corpusgraph.schemas.evidence import Assertion
from corpusgraph.schemas.graph import Relationship
from corpusgraph.schemas.study import TableDataset, Variable
from corpusgraph.tasks.dataset.measured import Measured, asserted, entities_named, named
from corpusgraph.tasks.dataset.periods import read_date
from corpusgraph.tasks.dataset.reading import Reading, Sentence, cue_pattern
from corpusgraph.tasks.dataset.units import SCOPES, Unit
from corpusgraph.tasks.dataset.values import Moment

_GRAPH_UNITS = {"entity", "pair", "community"}


def _count(
    units: Sequence[Unit], dataset: TableDataset, what: str, label: str, of: Callable[[Sentence], int]
) -> Measured:
    values = [sum(of(sentence) for sentence in unit.sentences) for unit in units]
    return Measured(values, "integer", f"number of {what} in {SCOPES[dataset.unit]}", label)


def _listed(variable: Variable, before: str = " of ") -> str:
    return f"{before}{', '.join(named(variable))}" if variable.of else ""


def mentions(reading: Reading, dataset: TableDataset, units: Sequence[Unit], variable: Variable) -> Measured:
    """Count mentions: of the entities in `of`, else of the unit's own entities, else all."""
    ids = reading.entity_ids
    groups, warnings = entities_named(reading, variable)
    wanted = frozenset[str]().union(*groups)
    values = []
    for unit in units:
        own = (
            wanted
            if variable.of
            else frozenset(unit.entities)
            if dataset.unit != "event"
            else frozenset[str]()
        )
        everyone = not variable.of and (dataset.unit == "event" or not unit.entities)
        found = (m for sentence in unit.sentences for m in reading.mentions.get(sentence, ()))
        values.append(sum(1 for m in found if everyone or ids.get(m.id) in own))
    own_entities = not variable.of and dataset.unit in {"entity", "entity_period", "pair", "community"}
    whose = " of the unit's entities" if own_entities else _listed(variable)
    return Measured(
        values,
        "integer",
        f"number of mentions{whose} in {SCOPES[dataset.unit]}",
        f"Mentions{_listed(variable)}",
        warnings=warnings,
    )


def words(reading: Reading, dataset: TableDataset, units: Sequence[Unit], variable: Variable) -> Measured:
    """Count all words, or those in `of`."""
    if not variable.of:
        return _count(units, dataset, "words", "Words", reading.words)
    pattern = cue_pattern(named(variable))

    def found(sentence: Sentence) -> int:
        return sum(1 for _ in pattern.finditer(reading.text(sentence)))

    return _count(units, dataset, f"words{_listed(variable, ': ')}", f"Words{_listed(variable, ': ')}", found)


def sentences(_: Reading, dataset: TableDataset, units: Sequence[Unit], __: Variable) -> Measured:
    """Count the unit's sentences."""
    values = [len(unit.sentences) for unit in units]
    return Measured(values, "integer", f"number of {SCOPES[dataset.unit]}", "Sentences")


def entities(reading: Reading, dataset: TableDataset, units: Sequence[Unit], variable: Variable) -> Measured:
    """Count distinct entities, of the types in `of`, other than the unit's own."""
    types = {name.casefold() for name in named(variable)}
    ids = reading.entity_ids
    kind = {entity.id: (entity.type or "").casefold() for entity in reading.corpus.graph.entities}
    values = []
    for unit in units:
        own = set() if dataset.unit == "event" else set(unit.entities)
        found = {ids[m.id] for s in unit.sentences for m in reading.mentions.get(s, ()) if m.id in ids}
        values.append(sum(1 for one in found - own if not types or kind.get(one) in types))
    other = "other " if dataset.unit in {"entity", "entity_period", "pair", "community"} else ""
    formula = f"number of different {other}entities{_listed(variable, ' of type ')} in {SCOPES[dataset.unit]}"
    return Measured(values, "integer", formula, f"Entities{_listed(variable, ': ')}")


def quantities(
    reading: Reading, dataset: TableDataset, units: Sequence[Unit], variable: Variable
) -> Measured:
    """Count quantities, of the units of measurement in `of`."""
    kinds = {name.casefold() for name in named(variable)}

    def found(sentence: Sentence) -> int:
        stated = (m for m in reading.mentions.get(sentence, ()) if m.type == "quantity")
        return sum(1 for m in stated if not kinds or str(m.attributes.get("unit", "")).casefold() in kinds)

    return _count(
        units,
        dataset,
        f"quantities{_listed(variable, ' in ')}",
        f"Quantities{_listed(variable, ': ')}",
        found,
    )


def claims(reading: Reading, dataset: TableDataset, units: Sequence[Unit], _: Variable) -> Measured:
    """Count claims."""
    return _count(units, dataset, "claims", "Claims", lambda s: len(reading.claims.get(s, ())))


def events(reading: Reading, dataset: TableDataset, units: Sequence[Unit], variable: Variable) -> Measured:
    """Count dated events, of the activities in `of`."""
    kinds = {name.casefold() for name in named(variable)}

    def found(sentence: Sentence) -> int:
        return sum(1 for e in reading.events.get(sentence, ()) if not kinds or e.activity.casefold() in kinds)

    return _count(
        units, dataset, f"dated events{_listed(variable)}", f"Events{_listed(variable, ': ')}", found
    )


def share(reading: Reading, dataset: TableDataset, units: Sequence[Unit], variable: Variable) -> Measured:
    """Return the share of sentences with a cue; missing for a unit without sentences."""
    pattern = cue_pattern(named(variable))
    values = []
    for unit in units:
        n = sum(1 for sentence in unit.sentences if pattern.search(reading.text(sentence)))
        values.append(n / len(unit.sentences) if unit.sentences else None)
    formula = f"share of {SCOPES[dataset.unit]} with one of: {', '.join(named(variable))}"
    return Measured(
        values, "numeric", formula, f"Share of sentences with {', '.join(named(variable))}", "0 to 1"
    )


def co_occurrence(
    reading: Reading, dataset: TableDataset, units: Sequence[Unit], variable: Variable
) -> Measured:
    """Count the unit's sentences that name every entity in `of`; for a pair, those that name both."""
    wanted, warnings = entities_named(reading, variable)
    ids = reading.entity_ids

    def found(sentence: Sentence) -> int:
        present = {ids.get(m.id) for m in reading.mentions.get(sentence, ())}
        return int(all(present & group for group in wanted))

    values = [sum(found(sentence) for sentence in unit.sentences) for unit in units]
    together = _listed(variable, " and name ")
    return Measured(
        values,
        "integer",
        f"number of {SCOPES[dataset.unit]}{together}",
        f"Co-occurrence{_listed(variable, ' with ')}",
        warnings=warnings,
    )


def relations(reading: Reading, dataset: TableDataset, units: Sequence[Unit], variable: Variable) -> Measured:
    """Count relationships."""
    return _relations(reading, dataset, units, variable, causal=False)


def causal_relations(
    reading: Reading, dataset: TableDataset, units: Sequence[Unit], variable: Variable
) -> Measured:
    """Count causal relationships."""
    return _relations(reading, dataset, units, variable, causal=True)


def _relations(
    reading: Reading, dataset: TableDataset, units: Sequence[Unit], variable: Variable, *, causal: bool
) -> Measured:
    types = set(named(variable))

    kind = "causal " if causal else ""
    label = f"{kind.capitalize()}relations{_listed(variable, ': ')}".capitalize()
    if dataset.unit in _GRAPH_UNITS:
        edges = reading.corpus.graph.relationships
        kept = [r for r in edges if (r.is_causal or not causal) and asserted(r, types)]
        where = {
            "entity": "in or out of the entity",
            "pair": "between the two",
            "community": "between members",
        }
        formula = f"number of {kind}relationships{_listed(variable)} {where[dataset.unit]}"
        return Measured(_in_graph(kept, dataset, units), "integer", formula, label, source="graph")

    def fits(one: Assertion) -> bool:
        return (one.is_causal or not causal) and (not types or one.type in types)

    values = [_stated(reading, unit, fits, ends=dataset.unit == "entity_period") for unit in units]
    about = " by or of the entity" if dataset.unit == "entity_period" else ""
    formula = f"number of {kind}assertions{_listed(variable)}{about} in {SCOPES[dataset.unit]}"
    return Measured(values, "integer", formula, label)


def _in_graph(kept: Iterable[Relationship], dataset: TableDataset, units: Sequence[Unit]) -> list[int]:
    incident: dict[str, set[str]] = {}
    for r in kept:
        for end in {r.source_id, r.target_id}:
            incident.setdefault(end, set()).add(r.id)
    ends = {r.id: {r.source_id, r.target_id} for r in kept}
    if dataset.unit == "entity":
        return [len(incident.get(unit.id, ())) for unit in units]
    values = []
    for unit in units:
        near = set[str]().union(*(incident.get(e, set()) for e in unit.entities))
        exactly = dataset.unit == "pair"
        members = set(unit.entities)
        values.append(sum(1 for r in near if (ends[r] == members if exactly else ends[r] <= members)))
    return values


def _stated(reading: Reading, unit: Unit, fits: Callable[[Assertion], bool], *, ends: bool) -> int:
    ids = reading.entity_ids
    stated = (a for sentence in unit.sentences for a in reading.assertions.get(sentence, ()) if fits(a))
    own = set(unit.entities)
    return sum(1 for a in stated if not ends or {ids.get(a.source_mention), ids.get(a.target_mention)} & own)


def first_date(reading: Reading, dataset: TableDataset, units: Sequence[Unit], _: Variable) -> Measured:
    """Return the earliest date named, as precise as the text."""
    values = [min(_dates(reading, unit, "iso"), default=(None, None))[1] for unit in units]
    return Measured(values, "date", f"earliest date named in {SCOPES[dataset.unit]}", "First date")


def last_date(reading: Reading, dataset: TableDataset, units: Sequence[Unit], _: Variable) -> Measured:
    """Return the latest date named, as precise as the text."""
    values = [max(_dates(reading, unit, "iso_end"), default=(None, None))[1] for unit in units]
    return Measured(values, "date", f"latest date named in {SCOPES[dataset.unit]}", "Last date")


def _dates(reading: Reading, unit: Unit, field: str) -> list[tuple[object, str]]:
    spoken = [m for s in unit.sentences for m in reading.mentions.get(s, ()) if m.type == "date"]
    told = [event for s in unit.sentences for event in reading.events.get(s, ())]
    texts = [m.attributes.get(field) or m.attributes.get("iso") for m in spoken]
    texts += [(event.timestamp_end if field == "iso_end" else None) or event.timestamp for event in told]
    moments = [(read_date(text), text) for text in texts]
    return [(_instant(found), str(text)) for found, text in moments if found is not None]


def _instant(found: Moment) -> str:
    return found.instant.isoformat()
