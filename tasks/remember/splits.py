"""Which mentions go where when an entity was made two by hand, and the relationships that go with them."""

from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from corpusgraph.schemas.base import nfc
from corpusgraph.tasks.remember.replay import Item, Link, Replay, reach
from corpusgraph.tasks.remember.state import MemoryState, Triple


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
