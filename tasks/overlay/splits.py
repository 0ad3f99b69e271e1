"""Which mentions go where when an entity was made two by hand, and the relationships that go with them."""

from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from corpusgraph.schemas.base import nfc
from corpusgraph.schemas.memory import SplitEntity
from corpusgraph.tasks.overlay.state import (
    Gone,
    Joined,
    MemoryState,
    Parted,
    Step,
    TakenOut,
    Triple,
    ordered,
    triple_id,
)


class Item(NamedTuple):
    """What means an entity: a mention, or an end of a relationship that no mention tells of."""

    entity: str
    """The entity of the corpus that it was resolved to."""
    document: str = ""
    spelled: frozenset[str] = frozenset()
    """How it is written, without regard to case."""


class Link(NamedTuple):
    """Evidence for a relationship of the corpus, by the items at its ends."""

    id: str
    relationship_id: str
    source: str
    type: str
    target: str


@dataclass
class Reach:
    """What splits may have a say in."""

    told: set[str] = field(default_factory=set)
    """Entities of the corpus whose mentions may have gone to another."""
    touched: set[str] = field(default_factory=set)
    """Entities that were split, or got what was."""


def reach(steps: Sequence[Step]) -> Reach:
    """Return which entities splits may have a say in."""
    found = Reach()
    origins: dict[str, set[str]] = {}
    for step in steps:
        if isinstance(step, Joined):
            origins.setdefault(step.into, {step.into}).update(origins.get(step.source, {step.source}))
            origins[step.source] = set()
            if step.source in found.touched:
                found.touched.add(step.into)
        elif isinstance(step, Gone):
            origins[step.entity] = set()
        elif isinstance(step, Parted):
            new = step.op.into.id
            origins.setdefault(new, {new}).update(origins.setdefault(step.entity, {step.entity}))
            found.touched |= {step.entity, new}
            found.told |= origins[new]
    found.told.update(*(origins[id_] for id_ in found.touched))
    return found


class Replay:
    """Does steps one after another to items and links."""

    def __init__(self, items: Mapping[str, Item], links: Iterable[Link]) -> None:
        self._items = items
        self.means: dict[str, str | None] = {id_: item.entity for id_, item in items.items()}
        """Item -> the entity it means; None once that was deleted."""
        self.went: set[str] = set()
        """Items that a split ever gave to another."""
        self.dead: set[str] = set()
        """Links that were taken out."""
        self._held: defaultdict[str, set[str]] = defaultdict(set)
        for id_, item in items.items():
            self._held[item.entity].add(id_)
        self._at: defaultdict[str, list[Link]] = defaultdict(list)
        for link in links:
            for end in {link.source, link.target}:
                self._at[end].append(link)

    def take(self, step: Step) -> None:
        """Do one step."""
        if isinstance(step, Joined):
            self._give(self._held.pop(step.source, set()), step.into)
        elif isinstance(step, Gone):
            for id_ in self._held.pop(step.entity, ()):
                self.means[id_] = None
        elif isinstance(step, Parted):
            self._part(step.entity, step.op)
        else:
            self.dead |= {link.id for link in self._links(step.triple[0]) if self._is_meant(link, step)}

    def ends(self, link: Link) -> Triple | None:
        """Return what a link now says; None where it does not count, as of two that were taken for one."""
        now = self._now(link)
        return None if now is None or (now[0] == now[2] and not self._is_own(link)) else now

    def _now(self, link: Link) -> Triple | None:
        source, target = self.means[link.source], self.means[link.target]
        if source is None or target is None or link.id in self.dead:
            return None
        return ordered(source, link.type, target)

    def _is_own(self, link: Link) -> bool:
        """Tell what an entity is to itself from what comes to that because two were taken for one."""
        return self._items[link.source].entity == self._items[link.target].entity

    def _is_meant(self, link: Link, step: TakenOut) -> bool:
        own = step.triple[0] == step.triple[2] and self._is_own(link)
        return self._now(link) == step.triple and own == step.own

    def _links(self, entity: str) -> Iterable[Link]:
        return (link for id_ in self._held.get(entity, ()) for link in self._at.get(id_, ()))

    def _give(self, items: Collection[str], entity: str) -> None:
        self._held[entity].update(items)
        self.means.update(dict.fromkeys(items, entity))

    def _part(self, entity: str, op: SplitEntity) -> None:
        """Give the new entity what the split chooses; one that was merged before gets its own back."""
        held = self._held[entity]
        names = {nfc(name).strip().casefold() for name in op.names}
        goes = {id_ for id_ in held if self._goes(self._items[id_], op, names)}
        for link in self._links(entity) if op.relationships else ():
            if self._is_chosen(link, op.relationships):
                goes |= {link.source, link.target} & held
        held -= goes
        self._give(goes, op.into.id)
        self.went |= goes

    def _is_chosen(self, link: Link, wanted: Collection[str]) -> bool:
        """Tell whether a relationship was chosen by the id it has at that time, or the corpus gives it."""
        ends = self.ends(link)
        return ends is not None and (link.relationship_id in wanted or triple_id(ends) in wanted)

    @staticmethod
    def _goes(item: Item, op: SplitEntity, names: set[str]) -> bool:
        return bool(item.entity == op.into.id or item.spelled & names or item.document in op.documents)


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
    """Mention that means another than its entity now is -> whom it means, and the mention."""
    meant: Sequence[tuple[str, Mentioned]]
    """Whom each mention means that means anybody, for all that a split took from or gave to."""
    touched: frozenset[str]
    """Entities, as they are now, that a split took from or gave to: some are left with nothing."""
    assertions: Sequence[Asserted]
    """All evidence of the relationships with an assertion of which an end ever went to another."""
    ends: Mapping[str, tuple[str, str]]
    """Assertion of these that counts -> source and target as they now are."""
    chosen: Mapping[str, tuple[str, str] | None]
    """Relationship without evidence that ever went to another -> its ends; None where it does not count."""

    def shares(self, out: Collection[str]) -> dict[str, Share]:
        """Return entity, as it is now -> its mentions in the corpus but for those in the chunks `out`."""
        found: defaultdict[str, Share] = defaultdict(Share)
        for now, mention in self.meant:
            if mention.chunk_id not in out:
                found[now].see(mention)
        return {**{id_: Share() for id_ in (*self.touched, *(now for now, _ in self.meant))}, **found}


NOTHING = Splits({}, (), frozenset(), (), {}, {})
Bare = Callable[[frozenset[str]], Iterable[tuple[str, Triple]]]
"""Finds the relationships of some entities in the corpus: id, and source, type and target."""


def splits(state: MemoryState, telling: Telling, bare: Bare) -> Splits:
    """Return what the splits of a state come to, over what the corpus says."""
    if not state.splits:
        return NOTHING
    reached = reach(state.steps)
    told = telling(frozenset(reached.told))
    items = {one.id: _item(one) for one in told.mentions}
    links = [_link(one, items) for one in told.assertions]
    evident = {link.relationship_id for link in links}
    links += [_bare(*one, items) for one in bare(frozenset(reached.told)) if one[0] not in evident]
    replay = Replay(items, links)
    for step in state.steps:
        replay.take(step)
    stirred = {link.relationship_id for link in links if replay.went & {link.source, link.target}}
    ends = {link.id: _ends(replay, link) for link in links if link.relationship_id in stirred}
    return Splits(
        moved={
            mention.id: (now, mention)
            for mention in told.mentions
            if (now := replay.means[mention.id]) != _stands(state, mention.entity_id)
        },
        meant=[(now, one) for one in told.mentions if (now := replay.means[one.id]) is not None],
        touched=frozenset(i for i in reached.touched if i not in state.merged and not state.is_dormant(i)),
        assertions=tuple(a for a in told.assertions if a.relationship_id in stirred),
        ends={id_: both for id_, both in ends.items() if both is not None and id_ not in stirred},
        chosen={id_: both for id_, both in ends.items() if id_ in stirred},
    )


def _item(mention: Mentioned) -> Item:
    spelled = frozenset(nfc(text).strip().casefold() for text in (mention.surface, mention.name))
    return Item(mention.entity_id, mention.document_id, spelled)


def _link(one: Asserted, items: dict[str, Item]) -> Link:
    """Return an assertion as a link; an end whose mentions no split has a say in is one item for all."""
    ends = []
    for mention, entity in ((one.source_mention, one.source_id), (one.target_mention, one.target_id)):
        if mention not in items:
            items.setdefault(f"of {entity}", Item(entity))
        ends.append(mention if mention in items else f"of {entity}")
    return Link(one.id, one.relationship_id, ends[0], one.type, ends[1])


def _bare(id_: str, triple: Triple, items: dict[str, Item]) -> Link:
    """Return a relationship without evidence as a link with ends of its own; its id is that of the link."""
    source, target = f"source of {id_}", f"target of {id_}"
    items[source], items[target] = Item(triple[0]), Item(triple[2])
    return Link(id_, id_, source, triple[1], target)


def _ends(replay: Replay, link: Link) -> tuple[str, str] | None:
    now = replay.ends(link)
    return None if now is None else (now[0], now[2])


def _stands(state: MemoryState, id_: str) -> str | None:
    """Return who an entity of the corpus is where no split has a say."""
    return None if id_ in state.deleted else state.now(id_)
