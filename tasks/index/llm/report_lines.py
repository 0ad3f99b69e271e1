"""The lines that a report is written from: entities, relationships and sentences, each with its tokens.

No line holds anything that changes while what it tells of does not: no ids, ranks, degrees or counts. So a
prompt, and with it the cached reply, changes only with the members of its community.
"""

from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import NamedTuple

from corpusgraph.schemas.graph import CommunityReport, Entity, Relationship, ReportFinding
from corpusgraph.tasks.index.aggregate import Passage, shorten
from corpusgraph.tasks.index.reports import MAX_FINDINGS
from corpusgraph.tasks.index.tokens import count_tokens

CO_OCCURRENCE = "co_occurs_with"
MAX_CHARACTERS = 1000
"""Of a sentence that is shown: what is longer is a table or a list without marks."""
NUMBERING = 3
"""Tokens of a passage's number."""
RECOGNISED = 40
"""Characters by which a description is recognised as the sentence that is shown anyway."""


class Line(NamedTuple):
    """A line and its tokens."""

    text: str
    tokens: int


Place = tuple[str, int, int]


def place_of(passage: Passage | ReportFinding) -> Place:
    """Return document, first and last character."""
    return (passage.document_id, passage.start, passage.end)


def titled(entity: Entity) -> str:
    """Return name and type."""
    return f"{entity.name} ({entity.type})" if entity.type else entity.name


class Lines:
    """Writes each line once; items are named by id."""

    def __init__(
        self,
        entities: Sequence[Entity],
        relationships: Sequence[Relationship],
        passages: Mapping[str, Passage],
        titles: Mapping[str, str],
    ) -> None:
        self.entities = {entity.id: entity for entity in entities}
        self.relationships = {relationship.id: relationship for relationship in relationships}
        self.passages = passages
        self._titles = titles
        self.entity = lru_cache(maxsize=None)(self._entity)
        self.relationship = lru_cache(maxsize=None)(self._relationship)
        self.sentence = lru_cache(maxsize=None)(self._sentence)

    def name(self, id_: str) -> str:
        """Return the name of an entity."""
        return self.entities[id_].name

    def best(self, id_: str) -> tuple[Passage, ...]:
        """Return the best sentence of an item, where there is one."""
        passage = self.passages.get(id_)
        return (passage,) if passage else ()

    def _entity(self, id_: str) -> Line:
        entity = self.entities[id_]
        told = self._told(id_, entity.description)
        return _line(titled(entity), told)

    def _relationship(self, id_: str) -> Line | None:
        """Return None for one that says nothing beside its sentence."""
        relationship = self.relationships[id_]
        told = self._told(id_, relationship.description)
        if relationship.type == CO_OCCURRENCE and not told:
            return None
        ends = self.name(relationship.source_id), self.name(relationship.target_id)
        return _line(f"{ends[0]} {relationship.type.replace('_', ' ')} {ends[1]}", told)

    def _told(self, id_: str, description: str | None) -> str:
        """Return the description without the sentence that is shown among the passages."""
        passage = self.passages.get(id_)
        if not description or passage is None:
            return description or ""
        sentence = " ".join(passage.text.split())
        at = description.find(sentence[:RECOGNISED])
        is_sentence = at >= 0 and sentence.startswith(description[at:].removesuffix(" …"))
        return description[:at].rstrip(": ") if is_sentence else description

    def _sentence(self, passage: Passage) -> Line:
        title = self._titles.get(passage.document_id)
        text = shorten(passage.text, MAX_CHARACTERS) + (f" ({' '.join(title.split())})" if title else "")
        return Line(text, count_tokens(text) + NUMBERING)


def _line(head: str, told: str) -> Line:
    text = f"- {' '.join(head.split())}: {told}" if told else f"- {' '.join(head.split())}"
    return Line(text, count_tokens(text))


def of_report(report: CommunityReport) -> Line:
    """Return what stands for a part of a community: the report on it, without its sentences."""
    findings = dict.fromkeys(finding.summary for finding in report.findings if finding.summary)
    text = " ".join((f"- {report.title}: {report.summary}", *findings))
    return Line(text, count_tokens(text))


def sentences_of(report: CommunityReport) -> list[Passage]:
    """Return the sentences that stand for a report's findings: the first that each cites, up to eight."""
    first = {finding.summary or place_of(finding): finding for finding in reversed(report.findings)}
    rows = list(first.values())[::-1]
    found = {place_of(f): Passage(f.document_id, f.chunk_id, f.start, f.end, f.page, f.text) for f in rows}
    return list(found.values())[:MAX_FINDINGS]
