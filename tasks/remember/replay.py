"""Who mentions mean while merges, deletions and splits take their turn."""

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from corpusgraph.schemas.base import nfc
from corpusgraph.schemas.memory import SplitEntity
from corpusgraph.tasks.remember.operations import ordered, triple_id
from corpusgraph.tasks.remember.state import Gone, Joined, Parted, Step, TakenOut, Triple


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
