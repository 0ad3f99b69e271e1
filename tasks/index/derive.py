"""From evidence to the graph: link each document's findings to entities, then sum up."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeVar

from corpusgraph.schemas.base import JsonDict
from corpusgraph.schemas.documents import Chunk, Document
from corpusgraph.schemas.evidence import Assertion, Evidence, Finding, Mention
from corpusgraph.tasks.index.descriptions import DESCRIPTION_TOKENS
from corpusgraph.tasks.index.layout import Layout
from corpusgraph.tasks.index.resolve import EntityKey, Resolved
from corpusgraph.tasks.index.spotting import CONFIDENCE, Spotter
from corpusgraph.tasks.index.totals import Derived, Found, Totals, count_assertions

__all__ = ["Derivation", "Derived", "Linked"]

F = TypeVar("F", bound=Finding)


@dataclass(frozen=True)
class Linked:
    """The rows that one document adds to each table of the index.

    Rows have the fields of their noun; mentions also `entity_id`, assertions `source_id`, `target_id` and
    `relationship_id`, each None where unresolved (see `settled`); incidence has `entity_id, chunk_id, count,
    first_start`.
    """

    mentions: list[JsonDict]
    assertions: list[JsonDict]
    claims: list[JsonDict]
    arguments: list[JsonDict]
    events: list[JsonDict]
    incidence: list[JsonDict]


class Derivation:
    """Links documents one by one, in any order; the result depends on which, not on when.

    Findings less sure than `min_confidence` are left out everywhere. What a model said of an item is its
    description up to `description_tokens`.
    """

    def __init__(
        self,
        resolved: Resolved,
        min_confidence: float = 0.0,
        *,
        description_tokens: int = DESCRIPTION_TOKENS,
    ) -> None:
        self._resolved = resolved
        self._min_confidence = min_confidence
        self._spotter = Spotter(resolved)
        self._totals = Totals(description_tokens)

    def link(self, document: Document, chunks: Sequence[Chunk], evidence: Evidence) -> Linked:
        """Resolve what a document says and count it. Each document is linked once."""
        layout = Layout(document, chunks)
        found = self._mentions(layout, self._sure(evidence.mentions))
        of_mention = {row["id"]: entity for row, entity in found if entity}
        events = self._sure(evidence.events)
        self._totals.count_mentions(layout, found)
        self._totals.count_dates(events, of_mention)
        return Linked(
            mentions=[row for row, _ in found],
            assertions=self._assertions(layout, self._sure(evidence.assertions), of_mention),
            claims=[dict(claim.__dict__) for claim in self._sure(evidence.claims)],
            arguments=[dict(argument.__dict__) for argument in self._sure(evidence.arguments)],
            events=[dict(event.__dict__) for event in events],
            incidence=incidence_rows(layout, found),
        )

    def finish(self) -> Derived:
        """Return the graph of all documents linked so far."""
        return self._totals.derived()

    def _sure(self, findings: Sequence[F]) -> list[F]:
        return [finding for finding in findings if finding.confidence >= self._min_confidence]

    def _mentions(self, layout: Layout, mentions: list[Mention]) -> list[Found]:
        """Return a row for each mention, in text order: the extractor's and those it missed."""
        document_id = layout.document.id
        found: list[Found] = []
        for mention in mentions:
            entity = self._resolved.entity_of(mention, document_id)
            found.append(({**mention.__dict__, "entity_id": entity.id if entity else None}, entity))
        if self._min_confidence <= CONFIDENCE:
            present = {entity.id for _, entity in found if entity}
            found += self._spotter.spot(layout, mentions, present)
            title = self._spotter.title(layout, {entity.id for _, entity in found if entity})
            found += [title] if title else []
        return sorted(found, key=lambda pair: (pair[0]["start"], pair[0]["end"], pair[0]["id"]))

    def _assertions(
        self, layout: Layout, assertions: list[Assertion], of_mention: Mapping[str, EntityKey]
    ) -> list[JsonDict]:
        rows, counted = [], []
        for assertion in assertions:
            source = of_mention.get(assertion.source_mention)
            target = of_mention.get(assertion.target_mention)
            total = self._totals.between(assertion.type, source, target)
            if total:
                counted.append((total, assertion))
            rows.append(
                {
                    **assertion.__dict__,
                    "source_id": source.id if source else None,
                    "target_id": target.id if target else None,
                    "relationship_id": total.id if total else None,
                }
            )
        count_assertions(layout, counted)
        return rows


def settled(rows: Iterable[JsonDict], derived: Derived) -> list[JsonDict]:
    """Return rows of assertions as they are once all documents are linked.

    A relationship that texts only suppose or ask is none: the rows that do are of none.
    """
    evident = {relationship.id for relationship in derived.relationships}
    return [row if row["relationship_id"] in evident else {**row, "relationship_id": None} for row in rows]


def incidence_rows(layout: Layout, found: Sequence[Found]) -> list[JsonDict]:
    """Count each entity in every chunk that holds its mentions: chunks overlap."""
    cells: dict[tuple[str, str], JsonDict] = {}
    for row, entity in found:
        for chunk_id in layout.chunks_of(row["start"], row["end"]) if entity else ():
            at = (row["entity_id"], chunk_id)
            cell = cells.get(at)
            if cell:
                cell["count"] += 1
            else:
                names = {"entity_id": at[0], "chunk_id": chunk_id}
                cells[at] = {**names, "count": 1, "first_start": row["start"]}
    return [cells[at] for at in sorted(cells)]
