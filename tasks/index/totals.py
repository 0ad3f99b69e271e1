"""What all documents together say of each entity and relationship, and the graph that follows."""

import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TypeVar

from corpusgraph.schemas.base import JsonDict
from corpusgraph.schemas.evidence import Assertion, Event
from corpusgraph.schemas.graph import Entity, Relationship
from corpusgraph.tasks.index.aggregate import MAX_DESCRIPTION, EntityTotal, Passage, Rank, RelationshipTotal
from corpusgraph.tasks.index.descriptions import DESCRIPTION_TOKENS, made_by_model
from corpusgraph.tasks.index.layout import Layout
from corpusgraph.tasks.index.resolve import EntityKey
from corpusgraph.tasks.index.stated import STATED, Stated

CO_OCCURRENCE = "co_occurs_with"
SYMMETRIC = frozenset({CO_OCCURRENCE})
"""Types without direction: one relationship, from the smaller id to the larger (`as_written`)."""
VALUES = frozenset({"date", "quantity"})
"""Entity types that say when and how much: they co-occur with everything and mean nothing by it."""
SUBJECT = 25
"""Characters into a sentence within which its subject usually stands."""
FAIR_LENGTH = 140
"""Characters of a sentence that says something and can still be read at a glance."""

_DEFINES = re.compile(r"(?:\s*\([^()]{0,80}\))?,?\s+(?:is|was|are|were)\s+(?:an?|the|one)\s")

T = TypeVar("T", EntityTotal, RelationshipTotal)
Found = tuple[JsonDict, EntityKey | None]
"""A row of the table of mentions and the entity it means."""


@dataclass(frozen=True)
class Derived:
    """The graph, in id order, and what there is on each entity and relationship by its id.

    `passages` has the best sentence; `descriptions` the distinct ones a language model gave, in text order.
    """

    entities: list[Entity]
    relationships: list[Relationship]
    passages: Mapping[str, Passage]
    descriptions: Mapping[str, tuple[str, ...]] = field(default_factory=dict)


class Totals:
    """Sums per entity and relationship; memory grows with the graph, not with the corpus."""

    def __init__(self, description_tokens: int = DESCRIPTION_TOKENS) -> None:
        self._description_tokens = description_tokens
        self._entities: dict[str, EntityTotal] = {}
        self._relationships: dict[tuple[str, str, str], RelationshipTotal] = {}

    def count_mentions(self, layout: Layout, found: Sequence[Found]) -> None:
        """Count the mentions of one document."""
        company = Counter(row["sentence_start"] for row, entity in found if entity)
        present: dict[str, EntityTotal] = {}
        for row, entity in found:
            if entity is None:
                continue
            total = self._entities.get(entity.id)
            if total is None:
                total = self._entities[entity.id] = EntityTotal(entity)
            total.see(row["name"], row["confidence"], (row["document_id"], row["start"], row["chunk_id"]))
            _describe(total, row)
            if row["end"] > row["start"]:
                _offer_mention(layout, total, row, company[row["sentence_start"]])
            present[entity.id] = total
        for total in present.values():
            total.documents += 1

    def count_dates(self, events: Iterable[Event], of_mention: Mapping[str, EntityKey]) -> None:
        """Widen the dates of the entities that take part in the events of one document."""
        for event in events:
            for entity in {of_mention[m] for m in (*event.actors, *event.places) if m in of_mention}:
                self._entities[entity.id].date(event.timestamp, event.timestamp_end or event.timestamp)

    def between(
        self, type_: str, source: EntityKey | None, target: EntityKey | None
    ) -> RelationshipTotal | None:
        """Return the sums of a relationship; None without two ends, to itself, or beside a mere value."""
        if source is None or target is None or source.id == target.id:
            return None
        if type_ == CO_OCCURRENCE and (source.type in VALUES or target.type in VALUES):
            return None
        triple = as_written(source.id, type_, target.id)
        total = self._relationships.get(triple)
        if total is None:
            number = Relationship.make_id(*triple)
            total = self._relationships[triple] = RelationshipTotal(number, triple[0], triple[2], type_)
        return total

    def derived(self) -> Derived:
        """Return the graph of all that has been counted."""
        evident = (total for total in self._relationships.values() if total.n or total.n_denied)
        relationships = sorted(evident, key=lambda total: total.id)
        entities = sorted(self._entities.values(), key=lambda total: total.id)
        neighbours: dict[str, set[str]] = defaultdict(set)
        for total in relationships:
            if not total.is_only_denied:
                neighbours[total.source_id].add(total.target_id)
                neighbours[total.target_id].add(total.source_id)
        numbers = _short_ids(entities, lambda total: total.mentions)
        edge_numbers = _short_ids(relationships, lambda total: total.n or total.n_denied)
        everything: tuple[EntityTotal | RelationshipTotal, ...] = (*entities, *relationships)
        most = self._description_tokens
        return Derived(
            entities=[t.entity(numbers[t.id], len(neighbours[t.id]), most) for t in entities],
            relationships=[t.relationship(edge_numbers[t.id], most) for t in relationships],
            passages={t.id: t.passage for t in everything if t.passage},
            descriptions={t.id: t.descriptions.texts() for t in everything if t.descriptions},
        )


def _describe(total: EntityTotal, row: JsonDict) -> None:
    """Keep what a mention says of its entity: a model's own words, or a descriptor found in the text."""
    by_model = made_by_model(row["extractor"])
    if by_model and row["description"]:
        total.describe(row["description"], (row["document_id"], row["start"]))
    role = row["attributes"].get("role") if by_model else row["description"] or row["attributes"].get("role")
    if role and isinstance(role, str):
        total.roles[role] = total.roles.get(role, 0) + 1
    if STATED in row["attributes"]:
        total.stated = total.stated or Stated()
        total.stated.add(row["attributes"][STATED], (row["document_id"], row["start"]))


def count_assertions(layout: Layout, assertions: Iterable[tuple[RelationshipTotal, Assertion]]) -> None:
    """Count the assertions of one document, each of a relationship."""
    here: dict[str, RelationshipTotal] = {}
    for total, assertion in assertions:
        if assertion.is_put_forward:
            _count_assertion(layout, total, assertion)
            here[total.id] = total
        else:
            total.n_hypothetical += 1
    for total in here.values():
        total.documents += 1


def _count_assertion(layout: Layout, total: RelationshipTotal, assertion: Assertion) -> None:
    """Count one assertion of a relationship, and keep its sentence if it is the surest so far."""
    confidence, negated = assertion.confidence, assertion.negated
    total.see(confidence, negated=negated, is_causal=assertion.is_causal, cue=assertion.cue)
    total.found_in(layout.chunks_of(assertion.start, assertion.end))
    if made_by_model(assertion.extractor):
        total.describe(assertion.description, (assertion.document_id, assertion.start))
    start, end = assertion.sentence_start, assertion.sentence_end
    _offer(layout, total, (negated, -confidence, *_unfit(start, end)), (start, end), confidence)


def _offer_mention(layout: Layout, total: EntityTotal, row: JsonDict, company: int) -> None:
    """Keep the sentence if it says more: it defines, begins with it, names others, is of fair length."""
    start, end = row["sentence_start"], row["sentence_end"]
    too_long, off = _unfit(start, end)
    defines = _DEFINES.match(layout.document.text, row["end"]) is not None
    late = row["start"] - start > SUBJECT
    worth = (too_long, not defines, late, -min(company, 4), off)
    _offer(layout, total, worth, (start, end), row["confidence"])


def _unfit(start: int, end: int) -> tuple[bool, int]:
    return end - start > MAX_DESCRIPTION, abs(end - start - FAIR_LENGTH) // 20


def _offer(
    layout: Layout,
    total: EntityTotal | RelationshipTotal,
    worth: tuple[float, ...],
    span: tuple[int, int],
    confidence: float,
) -> None:
    """Keep a sentence if it ranks before the one held; ties go by document and place."""
    document, (start, end) = layout.document, span
    rank: Rank = (*worth, document.id, start)
    if total.rank is None or rank < total.rank:
        chunk_id = next(iter(layout.chunks_of(start, end)), "")
        text = document.text[start:end]
        total.rank = rank
        total.passage = Passage(document.id, chunk_id, start, end, layout.page_of(start), text, confidence)


def _short_ids(totals: list[T], size: Callable[[T], int]) -> dict[str, int]:
    """Give numbers from 1, to the best attested first, ties by id."""
    ranked = sorted(totals, key=lambda total: (-size(total), total.id))
    return {total.id: number for number, total in enumerate(ranked, start=1)}


def as_written(source: str, type_: str, target: str) -> tuple[str, str, str]:
    """Return source, type and target as a relationship has them: without direction, the smaller id first."""
    return (target, type_, source) if type_ in SYMMETRIC and target < source else (source, type_, target)
