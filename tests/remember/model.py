"""What changes mean, over plain lists: each operation looks at every row and rewrites what it is about."""

from dataclasses import dataclass, field
from math import prod

from corpusgraph.schemas.graph import Relationship
from corpusgraph.schemas.memory import (
    CreateEntity,
    DeleteEntity,
    MergeEntities,
    Observe,
    Operation,
    Relate,
    Rename,
    Reweigh,
    SplitEntity,
    Unrelate,
)
from tests.remember.build import Whole

SAME_EITHER_WAY = "co_occurs_with"
Triple = tuple[str, str, str]


@dataclass
class Row:
    """A mention: of which entity (None: of none any more), where and how spelled."""

    entity: str | None
    document: str
    chunk: str
    spelled: set[str]


@dataclass
class Link:
    """Evidence for a relationship between two mentions, or, by hand, two entities."""

    source: str
    target: str
    type: str
    confidence: float
    is_causal: bool
    negated: bool = False
    by_hand: bool = False
    alive: bool = True
    own: bool = False
    """It was stated of an entity with itself."""


@dataclass
class Plain:
    """All rows."""

    entities: dict[str, str] = field(default_factory=dict)
    mentions: dict[str, Row] = field(default_factory=dict)
    links: list[Link] = field(default_factory=list)
    observations: dict[str, list[str]] = field(default_factory=dict)
    weights: dict[Triple, Reweigh] = field(default_factory=dict)

    @classmethod
    def of(cls, whole: Whole) -> "Plain":
        """Read a corpus."""
        found = cls({entity.id: entity.name for entity in whole.graph.entities})
        for m in whole.mentions:
            spelled = {m.surface.casefold(), m.name.casefold()}
            found.mentions[m.id] = Row(whole.entity_of(m.id), m.document_id, m.chunk_id, spelled)
        counted = whole.links
        found.links = [
            Link(a.source_mention, a.target_mention, a.type, a.confidence, a.is_causal, a.negated)
            for a in whole.assertions
            if a.id in counted
        ]
        return found

    def triple(self, link: Link) -> Triple | None:
        """Return what a link now says; None where it says nothing."""
        if link.by_hand:
            source, target = link.source, link.target
        else:
            ends = self.mentions[link.source].entity, self.mentions[link.target].entity
            if ends[0] is None or ends[1] is None:
                return None
            source, target = ends[0], ends[1]
        if not link.alive or (source == target and not link.own):
            return None
        return _same(source, link.type, target)

    def do(self, op: Operation) -> None:
        """Apply an operation to every row."""
        if isinstance(op, CreateEntity):
            self.entities.setdefault(op.id, op.name)
        elif isinstance(op, Observe):
            noted = self.observations.setdefault(op.entity.id, [])
            noted += [text for text in op.contents if text not in noted]
        elif isinstance(op, Relate):
            said = op.confidence, op.is_causal
            own = op.source.id == op.target.id
            self.links.append(Link(op.source.id, op.target.id, op.type, *said, by_hand=True, own=own))
        elif isinstance(op, Unrelate):
            self._unrelate(_same(op.source.id, op.type, op.target.id))
        elif isinstance(op, Reweigh):
            self.weights[_same(op.source.id, op.type, op.target.id)] = op
        elif isinstance(op, Rename):
            self.entities[op.entity.id] = op.name
        elif isinstance(op, MergeEntities):
            for source in op.sources:
                self._move(source.id, op.into.id)
        elif isinstance(op, SplitEntity):
            self._split(op)
        elif isinstance(op, DeleteEntity):
            self._delete(op.entity.id)

    def _unrelate(self, triple: Triple) -> None:
        for link in self.links:
            if self.triple(link) == triple:
                link.alive = False
        self.weights.pop(triple, None)

    def _move(self, old: str, new: str) -> None:
        del self.entities[old]
        for row in self.mentions.values():
            row.entity = new if row.entity == old else row.entity
        for link in self.links:
            if link.by_hand:
                link.source, link.target = (new if end == old else end for end in (link.source, link.target))
                link.alive = link.alive and (link.source != link.target or link.own)
        noted = self.observations.setdefault(new, [])
        noted += [text for text in self.observations.pop(old, []) if text not in noted]
        for triple in [triple for triple in self.weights if old in {triple[0], triple[2]}]:
            self._reend(triple, old, new)

    def _reend(self, triple: Triple, old: str, new: str) -> None:
        weight = self.weights.pop(triple)
        source, target = (new if end == old else end for end in (triple[0], triple[2]))
        if source != target or triple[0] == triple[2]:
            self.weights.setdefault(_same(source, triple[1], target), weight)

    def _split(self, op: SplitEntity) -> None:
        self.entities.setdefault(op.into.id, op.into.name)
        names, going = {name.casefold() for name in op.names}, list[Row]()
        for row in self.mentions.values():
            if row.entity == op.entity.id and (row.spelled & names or row.document in op.documents):
                going.append(row)
        for link in self.links:
            triple = self.triple(link)
            if triple is None or Relationship.make_id(*triple) not in op.relationships:
                continue
            if link.by_hand:
                link.source, link.target = (
                    op.into.id if end == op.entity.id else end for end in (link.source, link.target)
                )
            else:
                ends = (self.mentions[link.source], self.mentions[link.target])
                going += [row for row in ends if row.entity == op.entity.id]
        for row in going:
            row.entity = op.into.id
        for triple in [t for t in self.weights if Relationship.make_id(*t) in op.relationships]:
            self._reend(triple, op.entity.id, op.into.id)
        noted = self.observations.get(op.entity.id, [])
        for text in op.observations:
            if text in noted:
                noted.remove(text)
                self.observations.setdefault(op.into.id, []).append(text)

    def _delete(self, id_: str) -> None:
        del self.entities[id_]
        for row in self.mentions.values():
            row.entity = None if row.entity == id_ else row.entity
        for link in self.links:
            link.alive = link.alive and not (link.by_hand and id_ in {link.source, link.target})
        self.observations.pop(id_, None)
        self.weights = {triple: w for triple, w in self.weights.items() if id_ not in {triple[0], triple[2]}}

    def edges(self) -> dict[Triple, tuple[str, float, float, bool, int]]:
        """Return for each relationship its type as told, weight, confidence, whether it is causal, evidence."""
        said: dict[Triple, list[Link]] = {}
        for link in self.links:
            triple = self.triple(link)
            if triple is not None:
                said.setdefault(triple, []).append(link)
        return {triple: self._told(triple, links) for triple, links in said.items()}

    def _told(self, triple: Triple, links: list[Link]) -> tuple[str, float, float, bool, int]:
        asserted = [link for link in links if not link.negated]
        counting = asserted or links
        weight = sum(link.confidence for link in counting)
        sure = 1 - prod(1 - min(link.confidence, 0.999999) for link in counting)
        given = self.weights.get(triple)
        if given is not None:
            weight = weight if given.weight is None else given.weight
            sure = sure if given.confidence is None else given.confidence
        type_ = triple[1] if asserted else f"not_{triple[1]}"
        return type_, weight, sure, any(link.is_causal for link in asserted), len(counting)


def _same(source: str, type_: str, target: str) -> Triple:
    return (
        (target, type_, source) if type_ == SAME_EITHER_WAY and target < source else (source, type_, target)
    )
