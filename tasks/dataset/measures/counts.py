"""Measures that count what a unit's sentences say."""

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace

from corpusgraph.schemas.evidence import Assertion
from corpusgraph.schemas.graph import Relationship
from corpusgraph.schemas.study import TableDataset, Variable
from corpusgraph.tasks.dataset.measures.flat import flat_of
from corpusgraph.tasks.dataset.measures.measured import (
    Measured,
    asserted,
    entities_named,
    known_categories,
    known_kinds,
    known_types,
    named,
    unknown,
)
from corpusgraph.tasks.dataset.reading import Reading, Sentence
from corpusgraph.tasks.dataset.units import SCOPES, Unit

_GRAPH_UNITS = {"entity", "pair", "community"}


def count(
    reading: Reading,
    units: Sequence[Unit],
    dataset: TableDataset,
    what: str,
    of: Callable[[Sentence], int],
    more: str = "",
) -> Measured:
    """Sum a count over each unit's sentences; `more` ends formula and label."""
    import numpy as np

    flat = flat_of(reading, units)
    found = np.fromiter(map(of, flat.sentences), dtype=np.float64, count=len(flat.sentences))
    sums = np.bincount(flat.owner, weights=found[flat.which], minlength=len(units))
    formula = f"number of {what}{more} in {SCOPES[dataset.unit]}"
    values = sums.astype(np.int64).tolist()
    return Measured(values, "integer", formula, f"{what.capitalize()}{more}", what)


def listed(variable: Variable, before: str = " of ") -> str:
    """Return what `of` lists after a word, or nothing."""
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
    whose = " of the unit's entities" if own_entities else listed(variable)
    return Measured(
        values,
        "integer",
        f"number of mentions{whose} in {SCOPES[dataset.unit]}",
        f"Mentions{listed(variable)}",
        "mentions",
        warnings=warnings,
    )


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
    formula = f"number of different {other}entities{listed(variable, ' of type ')} in {SCOPES[dataset.unit]}"
    warnings = known_kinds(reading, variable.name, named(variable))
    label = f"Entities{listed(variable, ': ')}"
    return Measured(values, "integer", formula, label, "entities", warnings=warnings)


def quantities(
    reading: Reading, dataset: TableDataset, units: Sequence[Unit], variable: Variable
) -> Measured:
    """Count quantities, of the units of measurement in `of`."""
    kinds = {name.casefold() for name in named(variable)}

    def found(sentence: Sentence) -> int:
        stated = (m for m in reading.mentions.get(sentence, ()) if m.type == "quantity")
        return sum(1 for m in stated if not kinds or str(m.attributes.get("unit", "")).casefold() in kinds)

    numbers = (m for m in reading.corpus.mentions if m.type == "quantity")
    stated = {str(m.attributes["unit"]) for m in numbers if m.attributes.get("unit")}
    warnings = known_categories(variable.name, "quantity in", unknown(named(variable), stated), stated)
    made = count(reading, units, dataset, "quantities", found, listed(variable, " in "))
    return replace(made, warnings=warnings)


def claims(reading: Reading, dataset: TableDataset, units: Sequence[Unit], _: Variable) -> Measured:
    """Count claims."""
    return count(reading, units, dataset, "claims", lambda s: len(reading.claims.get(s, ())))


def events(reading: Reading, dataset: TableDataset, units: Sequence[Unit], variable: Variable) -> Measured:
    """Count dated events, of the activities in `of`."""
    kinds = {name.casefold() for name in named(variable)}

    def found(sentence: Sentence) -> int:
        return sum(1 for e in reading.events.get(sentence, ()) if not kinds or e.activity.casefold() in kinds)

    told = {event.activity for event in reading.corpus.events}
    warnings = known_categories(variable.name, "event of activity", unknown(named(variable), told), told)
    return replace(count(reading, units, dataset, "dated events", found, listed(variable)), warnings=warnings)


def documents(_: Reading, dataset: TableDataset, units: Sequence[Unit], __: Variable) -> Measured:
    """Count the documents of the unit's sentences."""
    values = [len({document for document, _ in unit.sentences}) for unit in units]
    formula = f"number of different documents among {SCOPES[dataset.unit]}"
    return Measured(values, "integer", formula, "Documents", "documents")


def chunks(_: Reading, __: TableDataset, units: Sequence[Unit], ___: Variable) -> Measured:
    """Count the chunks behind the row, which its provenance lists."""
    values = [len(unit.chunks) for unit in units]
    return Measured(values, "integer", "number of chunks behind the row", "Chunks", "chunks")


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
    together = listed(variable, " and name ")
    return Measured(
        values,
        "integer",
        f"number of {SCOPES[dataset.unit]}{together}",
        f"Co-occurrence{listed(variable, ' with ')}",
        "sentences",
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
    warnings = known_types(reading, variable, named(variable))
    kind = "causal " if causal else ""
    label = f"{kind}relations".capitalize() + listed(variable, ": ")
    if dataset.unit in _GRAPH_UNITS:
        edges = reading.corpus.graph.relationships
        kept = [r for r in edges if (r.is_causal or not causal) and asserted(r, types)]
        where = {
            "entity": "in or out of the entity",
            "pair": "between the two",
            "community": "between members",
        }
        formula = f"number of {kind}relationships{listed(variable)} {where[dataset.unit]}"
        values = _in_graph(kept, dataset, units)
        return Measured(values, "integer", formula, label, "relationships", "graph", warnings)

    def fits(one: Assertion) -> bool:
        return (one.is_causal or not causal) and (not types or one.type in types)

    values = [_stated(reading, unit, fits, ends=dataset.unit == "entity_period") for unit in units]
    about = " by or of the entity" if dataset.unit == "entity_period" else ""
    formula = f"number of {kind}assertions{listed(variable)}{about} in {SCOPES[dataset.unit]}"
    return Measured(values, "integer", formula, label, "assertions", warnings=warnings)


def _in_graph(kept: Iterable[Relationship], dataset: TableDataset, units: Sequence[Unit]) -> list[int]:
    """Count relationships at an entity (a loop once), between the two of a pair, among members."""
    if dataset.unit == "entity":
        ends = Counter(end for r in kept for end in {r.source_id, r.target_id})
        return [ends[unit.id] for unit in units]
    targets: dict[str, Counter[str]] = defaultdict(Counter)
    for r in kept:
        targets[r.source_id][r.target_id] += 1
    nothing = Counter[str]()
    if dataset.unit == "pair":
        pairs = (unit.entities for unit in units)
        return [targets.get(a, nothing)[b] + targets.get(b, nothing)[a] for a, b in pairs]
    members = (frozenset(unit.entities) for unit in units)
    return [
        sum(n for one in own for to, n in targets.get(one, nothing).items() if to in own) for own in members
    ]


def _stated(reading: Reading, unit: Unit, fits: Callable[[Assertion], bool], *, ends: bool) -> int:
    ids = reading.entity_ids
    stated = (a for sentence in unit.sentences for a in reading.assertions.get(sentence, ()) if fits(a))
    own = set(unit.entities)
    return sum(1 for a in stated if not ends or {ids.get(a.source_mention), ids.get(a.target_mention)} & own)
