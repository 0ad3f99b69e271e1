"""Measures of what is read in a unit's sentences: mentions, relations, claims, events, dates."""

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping
from datetime import datetime

from corpusgraph.schemas.graph import Relationship
from corpusgraph.tasks.dataset.measures.measured import GRAPH_UNITS, Compute, Request, counted, unknown_kinds
from corpusgraph.tasks.dataset.measures.units import Reading, Sentence, Unit
from corpusgraph.tasks.table.values import sure_moment

_OF_ENTITIES = {*GRAPH_UNITS, "entity_period"}


def _mentions(ask: Request) -> list[int]:
    """Count mentions: of the entities in `of`, else of the unit's own entities, else all."""
    ids = ask.reading.entity_ids
    wanted = frozenset[str]().union(*ask.entities_named())
    values = []
    for unit in ask.units:
        own = wanted if ask.of else frozenset(unit.entities)
        everyone = not ask.of and (ask.dataset.unit == "event" or not unit.entities)
        spoken = (m for sentence in unit.sentences for m in ask.reading.mentions.get(sentence, ()))
        values.append(sum(1 for m in spoken if everyone or ids.get(m.id) in own))
    of_own = not ask.of and ask.dataset.unit in _OF_ENTITIES
    ask.words["whose"] = " of the unit's entities" if of_own else ask.text("{of: of }")
    return values


_WHERE = {"entity": "in or out of the entity", "pair": "between the two", "community": "between members"}


def _relations(ask: Request, *, causal: bool) -> list[int]:
    unit, types = ask.dataset.unit, set(ask.of)
    if unit in GRAPH_UNITS:
        ask.words.update({"what": "relationships", "where": _WHERE[unit]})
        edges = (r for r in ask.reading.corpus.graph.relationships if r.is_causal or not causal)
        # of types that are named, those that texts only deny count too
        return _in_graph([r for r in edges if (r.type in types if types else r.is_stated)], ask)
    ids, in_period, values = ask.reading.entity_ids, unit == "entity_period", []
    where = "by or of the entity in {scope}" if in_period else "in {scope}"
    ask.words.update({"what": "assertions", "where": ask.text(where)})
    for one in ask.units:
        own = set(one.entities)
        stated = (a for sentence in one.sentences for a in ask.reading.assertions.get(sentence, ()))
        fits = (a for a in stated if (a.is_causal or not causal) and (not types or a.type in types))
        ends = ({ids.get(a.source_mention), ids.get(a.target_mention)} for a in fits)
        values.append(sum(1 for pair in ends if not in_period or pair & own))
    return values


def _all_relations(ask: Request) -> list[int]:
    """Count relationships."""
    return _relations(ask, causal=False)


def _causal_relations(ask: Request) -> list[int]:
    """Count causal relationships."""
    return _relations(ask, causal=True)


def _in_graph(counted: Iterable[Relationship], ask: Request) -> list[int]:
    """Count relationships at an entity (a loop once), between the two of a pair, among members."""
    if ask.dataset.unit == "entity":
        ends = Counter(end for r in counted for end in {r.source_id, r.target_id})
        return [ends[unit.id] for unit in ask.units]
    targets: Mapping[str, Counter[str]] = defaultdict(Counter)
    for r in counted:
        targets[r.source_id][r.target_id] += 1
    nothing = Counter[str]()
    if ask.dataset.unit == "pair":
        pairs = (unit.entities for unit in ask.units)
        return [targets.get(a, nothing)[b] + targets.get(b, nothing)[a] for a, b in pairs]
    members = (frozenset(unit.entities) for unit in ask.units)
    return [sum(n for a in own for b, n in targets.get(a, nothing).items() if b in own) for own in members]


def _claims(ask: Request) -> Callable[[Sentence], int]:
    """Count claims."""
    return lambda sentence: len(ask.reading.claims.get(sentence, ()))


def _events(ask: Request) -> Callable[[Sentence], int]:
    """Count dated events, of the activities in `of`."""
    kinds = {name.casefold() for name in ask.of}
    ask.warn_unknown("event of activity", {event.activity for event in ask.reading.corpus.events})
    events = ask.reading.events
    return lambda s: sum(1 for e in events.get(s, ()) if not kinds or e.activity.casefold() in kinds)


def _entities(ask: Request) -> list[int]:
    """Count distinct entities, of the types in `of`, other than the unit's own."""
    types, ids = {name.casefold() for name in ask.of}, ask.reading.entity_ids
    kind = {entity.id: (entity.type or "").casefold() for entity in ask.reading.corpus.graph.entities}
    values = []
    for unit in ask.units:
        own = set() if ask.dataset.unit == "event" else set(unit.entities)
        named = {ids[m.id] for s in unit.sentences for m in ask.reading.mentions.get(s, ()) if m.id in ids}
        values.append(sum(1 for entity in named - own if not types or kind.get(entity) in types))
    ask.words["other"] = "other " if ask.dataset.unit in _OF_ENTITIES else ""
    ask.warnings.extend(unknown_kinds(ask.reading, ask.variable.name, ask.of))
    return values


def _quantities(ask: Request) -> Callable[[Sentence], int]:
    """Count quantities, of the units of measurement in `of`."""
    kinds, mentions = {name.casefold() for name in ask.of}, ask.reading.mentions
    numbers = (m for m in ask.reading.corpus.mentions if m.type == "quantity")
    ask.warn_unknown("quantity in", {str(m.attributes["unit"]) for m in numbers if m.attributes.get("unit")})

    def count(sentence: Sentence) -> int:
        stated = (m for m in mentions.get(sentence, ()) if m.type == "quantity")
        return sum(1 for m in stated if not kinds or str(m.attributes.get("unit", "")).casefold() in kinds)

    return count


def _documents(ask: Request) -> list[int]:
    """Count the documents of the unit's sentences."""
    return [len({document for document, _ in unit.sentences}) for unit in ask.units]


def _chunks(ask: Request) -> list[int]:
    """Count the chunks behind the row, which its provenance lists."""
    return [len(unit.chunks) for unit in ask.units]


Date = tuple[datetime, str]
"""The first instant a date can mean, and the date as precise as the text."""
Both = tuple[Date | None, Date | None]
"""A date and where it ends; None where it cannot be read."""


def _first_date(ask: Request) -> list[str | None]:
    """Return the earliest date named, as precise as the text; of an event its own."""
    return [min(_dates(ask.reading, unit), default=(None, None))[1] for unit in ask.units]


def _last_date(ask: Request) -> list[str | None]:
    """Return the latest date named, as precise as the text; of an event the end of its own."""
    return [max(_dates(ask.reading, unit, ends=True), default=(None, None))[1] for unit in ask.units]


def _different_dates(ask: Request) -> list[int]:
    """Count the different dates named."""
    return [len({first[1] for first, _ in _named(ask.reading, unit) if first}) for unit in ask.units]


def _duration(ask: Request) -> list[int | None]:
    """Return the days from the first date to the last; missing without a date."""
    values = []
    for unit in ask.units:
        first, last = _dates(ask.reading, unit), _dates(ask.reading, unit, ends=True)
        values.append((max(last)[0].date() - min(first)[0].date()).days if first else None)
    return values


def _dates(reading: Reading, unit: Unit, *, ends: bool = False) -> list[Date]:
    if "timestamp" not in unit.attributes or "activity" not in unit.attributes:
        return [date for both in _named(reading, unit) if (date := both[ends])]
    end = _read(unit.attributes.get("timestamp_end")) if ends else None
    own = end or _read(unit.attributes["timestamp"])
    return [own] if own else []


def _named(reading: Reading, unit: Unit) -> list[Both]:
    """Return the dates that mentions and events of the unit's sentences give, and where they end."""
    known = reading.once("dates", dict[Sentence, list[Both]])
    for sentence in unit.sentences:
        if sentence not in known:
            known[sentence] = _said(reading, sentence)
    return [both for sentence in unit.sentences for both in known[sentence]]


def _said(reading: Reading, sentence: Sentence) -> list[Both]:
    spoken = (m.attributes for m in reading.mentions.get(sentence, ()) if m.type == "date")
    texts = [(one.get("iso"), one.get("iso_end")) for one in spoken]
    texts += [(event.timestamp, event.timestamp_end) for event in reading.events.get(sentence, ())]
    read = ((_read(first), _read(last)) for first, last in texts)
    return [(first, last or first) for first, last in read]


def _read(text: object) -> Date | None:
    moment = sure_moment(text)
    return (moment.instant, str(text)) if moment else None


MEASURES: Mapping[str, Compute] = {
    "mentions": _mentions,
    "relations": _all_relations,
    "causal_relations": _causal_relations,
    "claims": counted(_claims),
    "events": counted(_events),
    "entities": _entities,
    "quantities": counted(_quantities),
    "documents": _documents,
    "chunks": _chunks,
    "first_date": _first_date,
    "last_date": _last_date,
    "dates": _different_dates,
    "duration": _duration,
}
