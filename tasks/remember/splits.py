"""Which mentions go where when an entity was made two by hand, and the relationships that go with them."""

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from corpusgraph.schemas.base import nfc
from corpusgraph.schemas.memory import SplitEntity
from corpusgraph.tasks.remember.state import MemoryState


class Mentioned(NamedTuple):
    """A mention in the corpus, and the entity that it was resolved to."""

    id: str
    entity_id: str
    document_id: str
    chunk_id: str
    start: int
    end: int
    surface: str
    name: str
    confidence: float


class Asserted(NamedTuple):
    """An assertion in the corpus, and the relationship that it is evidence for."""

    id: str
    relationship_id: str
    source_mention: str
    target_mention: str
    source_id: str
    target_id: str
    type: str
    confidence: float
    is_causal: bool
    negated: bool
    chunk_id: str
    description: str


class Told(NamedTuple):
    """What the corpus says of some entities."""

    mentions: Sequence[Mentioned]
    assertions: Sequence[Asserted]


Telling = Callable[[frozenset[str]], Told]
"""Reads the mentions of some entities, and the assertions of which these are ends."""


@dataclass
class Share:
    """What the mentions that are left to an entity, or went to it, come to."""

    n: int = 0
    documents: set[str] = field(default_factory=set)
    names: Counter[str] = field(default_factory=Counter)
    first: tuple[str, int, str] | None = None
    confidence: float = 0.0

    def see(self, mention: Mentioned) -> None:
        """Count a mention."""
        self.n += 1
        self.documents.add(mention.document_id)
        self.names[mention.name] += 1
        where = (mention.document_id, mention.start, mention.chunk_id)
        self.first = where if self.first is None else min(self.first, where)
        self.confidence = max(self.confidence, mention.confidence)


@dataclass(frozen=True)
class Splits:
    """What splits come to: nothing where there was none."""

    moved: Mapping[str, tuple[str | None, Mentioned]]
    """Mention -> the entity it now means, and the mention."""
    shares: Mapping[str, Share]
    """Entity, as it is now -> its mentions in the corpus, for all that a split took from or gave to."""
    assertions: Sequence[Asserted]
    """All evidence of the relationships with an assertion of which an end has moved."""
    chosen: Mapping[str, tuple[str, str]]
    """Relationship without such evidence that was chosen to go -> from which entity to which."""


NOTHING = Splits({}, {}, (), {})


def splits(state: MemoryState, telling: Telling) -> Splits:
    """Return what the splits of a state come to, over what the corpus says."""
    if not state.splits:
        return NOTHING
    told = telling(_named(state))
    now = {mention.id: mention.entity_id for mention in told.mentions}
    for _, split in state.splits:
        _move(state, split, told, now)
    moved = {
        mention.id: (_stands(state, now[mention.id]), mention)
        for mention in told.mentions
        if now[mention.id] != mention.entity_id
    }
    stirred = {
        a.relationship_id for a in told.assertions if a.source_mention in moved or a.target_mention in moved
    }
    return Splits(
        moved=moved,
        shares=_shares(state, told.mentions, now),
        assertions=tuple(a for a in told.assertions if a.relationship_id in stirred),
        chosen=_chosen(state, {a.relationship_id for a in told.assertions}),
    )


def _named(state: MemoryState) -> frozenset[str]:
    """Return the entities of the corpus that a split may take mentions from."""
    found: set[str] = set()
    for _, split in state.splits:
        for id_ in (split.entity.id, split.into.id):
            found |= {id_, state.now(id_), *state.members.get(state.now(id_), ())}
    return frozenset(found)


def _stands(state: MemoryState, id_: str) -> str | None:
    return None if id_ in state.deleted and id_ not in state.created else state.now(id_)


def _move(state: MemoryState, split: SplitEntity, told: Told, now: dict[str, str]) -> None:
    """Give the new entity the mentions that the split chooses of those that the old one has."""
    old, new = split.entity.id, split.into.id
    theirs = {id_ for id_, entity in now.items() if entity == old or state.now(entity) == state.now(old)}
    theirs -= {id_ for id_, entity in now.items() if entity == new}
    names = {nfc(name).strip().casefold() for name in split.names}
    wanted = set(split.relationships)
    ends = {
        end
        for assertion in told.assertions
        if assertion.relationship_id in wanted
        for end in (assertion.source_mention, assertion.target_mention)
    }
    for mention in told.mentions:
        if mention.id not in theirs:
            continue
        spelled = {mention.surface.strip().casefold(), mention.name.strip().casefold()}
        if spelled & names or mention.document_id in split.documents or mention.id in ends:
            now[mention.id] = new


def _shares(state: MemoryState, mentions: Iterable[Mentioned], now: Mapping[str, str]) -> dict[str, Share]:
    found: defaultdict[str, Share] = defaultdict(Share)
    for mention in mentions:
        entity = now[mention.id]
        of_base = entity == mention.entity_id
        stands = None if of_base and entity in state.deleted else _stands(state, entity)
        if stands is not None:
            found[stands].see(mention)
    for _, split in state.splits:  # those that are left with nothing, too
        for id_ in (split.entity.id, split.into.id):
            if (stands := _stands(state, id_)) is not None:
                found.setdefault(stands, Share())
    return dict(found)


def _chosen(state: MemoryState, told: set[str]) -> dict[str, tuple[str, str]]:
    return {
        id_: (split.entity.id, split.into.id)
        for _, split in state.splits
        for id_ in split.relationships
        if id_ not in told
    }
