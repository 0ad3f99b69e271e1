"""What the changes of a journal come to: the state that the memory of an index is in."""

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from corpusgraph.schemas.base import JsonDict
from corpusgraph.schemas.memory import SHORT_IDS, Change, CreateEntity, Extracted, Named, Reweigh, SplitEntity

if TYPE_CHECKING:
    from corpusgraph.tasks.remember.news import News

Triple = tuple[str, str, str]
"""Source, type, target."""


@dataclass(frozen=True, slots=True)
class Joined:
    """That an entity, as it then was, was merged into another."""

    source: str
    into: str


@dataclass(frozen=True, slots=True)
class Gone:
    """That an entity, as it then was, was deleted."""

    entity: str


@dataclass(frozen=True, slots=True)
class Parted:
    """That an entity, as it then was, was split."""

    entity: str
    op: SplitEntity


@dataclass(frozen=True, slots=True)
class TakenOut:
    """That a relationship, between entities as they then were, was taken out."""

    triple: Triple
    own: bool = False
    """It was one that an entity had with itself."""


Step = Joined | Gone | Parted | TakenOut
"""What decides which entity a mention means, and which evidence counts."""


@dataclass(slots=True)
class HandEntity:
    """An entity that was made by hand."""

    made: CreateEntity
    change: int
    short_id: int


@dataclass(frozen=True, slots=True)
class HandEvidence:
    """One statement of a relationship."""

    change: int
    confidence: float
    is_causal: bool
    context: JsonDict | None
    cue: str


@dataclass(slots=True)
class HandRelation:
    """A relationship that was stated by hand, once or more, between entities as they are now."""

    id: str
    source: str
    target: str
    type: str
    short_id: int
    evidence: list[HandEvidence]


@dataclass(slots=True)
class Numbers:
    """Short ids in the order in which items are first named: a number never means another item later."""

    ids: list[str] = field(default_factory=list)
    of: dict[str, int] = field(default_factory=dict)

    def allot(self, id_: str) -> int:
        """Return the number of an item, giving it the next one when it is new."""
        if (known := self.of.get(id_)) is None:
            known = self.of[id_] = SHORT_IDS + len(self.ids)
            self.ids.append(id_)
        return known

    def id_of(self, number: int) -> str | None:
        """Return the item of a number, or None."""
        return self.ids[number - SHORT_IDS] if 0 <= number - SHORT_IDS < len(self.ids) else None


@dataclass
class MemoryState:
    """All that counts of a journal. Ids are those of entities as they are now, merges followed.

    An entity is there if it is in `created`; else if it is not in `deleted`, and in `named` or in the corpus.
    Short ids count from `schemas.memory.SHORT_IDS` over the whole journal, undone changes too, so that a
    number never means something else later.
    """

    n_changes: int = 0
    trail: list[Change] = field(default_factory=list, repr=False, compare=False)
    """All changes, in order: the same list, which only grows, in every state that one was brought on to."""
    n_trail: int = field(default=0, repr=False, compare=False)
    """How many of these this state knows."""
    news: "dict[int, News]" = field(default_factory=dict, init=False, repr=False, compare=False)
    """What was added since states that knew so many, of a frozen one: view and search ask for the same."""
    undone: set[int] = field(default_factory=set)
    """Changes that do not count any more."""
    named: dict[str, Named] = field(default_factory=dict)
    """Every entity that an operation in force says something of, as it was first called."""
    created: dict[str, HandEntity] = field(default_factory=dict)
    unmade: set[str] = field(default_factory=set)
    """Entities made by hand whose making was undone: what was said of them is dormant."""
    renamed: dict[str, Named] = field(default_factory=dict)
    aliases: dict[str, dict[str, None]] = field(default_factory=dict)
    """Entity -> other names it got by hand: earlier ones, those of what was merged into it, in order."""
    lost_names: dict[str, set[str]] = field(default_factory=dict)
    """Entity of the corpus -> names that it has there, without regard to case, that a split gave away."""
    merged: dict[str, str] = field(default_factory=dict)
    """Entity -> the one it now is, at the end of the chain."""
    regrouped: int = 0
    """How often entities were merged, parted or deleted: whether what follows from `merged` still holds."""
    members: dict[str, set[str]] = field(default_factory=dict)
    """Entity -> all that were merged into it: `merged` the other way round."""
    gained: dict[str, list[CreateEntity]] = field(default_factory=dict)
    """Entity -> how those made by hand that were merged into it were made, in order."""
    deleted: dict[str, Named] = field(default_factory=dict)
    """Entities of which nothing that a corpus says counts; one that was created again is in `created` too."""
    splits: list[tuple[int, SplitEntity]] = field(default_factory=list)
    steps: list[Step] = field(default_factory=list)
    """What was merged, deleted, split and taken out, in order: a split is about what there was then."""
    observations: dict[str, dict[str, int]] = field(default_factory=dict)
    """Entity -> sentence -> number of the change that noted it, in order."""
    unobserved: dict[str, dict[str, int]] = field(default_factory=dict)
    """Entity -> sentence that was taken back and was not noted by hand -> number of the change."""
    relations: dict[str, HandRelation] = field(default_factory=dict)
    """Relationship -> what was stated of it."""
    of_entity: dict[str, set[str]] = field(default_factory=dict)
    """Entity -> relationships stated by hand that it is an end of."""
    removed: dict[str, Triple] = field(default_factory=dict)
    """Relationships of which nothing that a corpus says counts, with the ends it has there, before merges."""
    reweighed: dict[str, Reweigh] = field(default_factory=dict)
    """Relationship, between entities as they are now -> the weight and confidence it was given."""
    extracted: list[tuple[int, Extracted]] = field(default_factory=list)

    called: dict[str, Named] = field(default_factory=dict)
    """Every entity that any operation names, undone ones too, as it was first called."""
    stated: dict[str, Triple] = field(default_factory=dict)
    """Every relationship that any operation names, undone ones too, with the ends it then had."""
    handled: dict[str, None] = field(default_factory=dict)
    """Every entity that any operation makes or notes something of, undone ones too, in order."""
    spelled: dict[str, dict[str, None]] = field(default_factory=dict)
    """Name, without regard to case -> entities that were ever called so by hand: where to look for a name."""
    entity_numbers: Numbers = field(default_factory=Numbers)
    relation_numbers: Numbers = field(default_factory=Numbers)

    def now(self, id_: str) -> str:
        """Return the entity that an entity now is, merges followed."""
        return self.merged.get(id_, id_)

    def is_dormant(self, id_: str) -> bool:
        """Whether what is said of an entity, as it is now, does not count: it was unmade or deleted."""
        return id_ in self.unmade or (id_ in self.deleted and id_ not in self.created)

    def spell(self, id_: str, name: str) -> None:
        """Note that an entity was called so."""
        self.spelled.setdefault(name.strip().casefold(), {})[id_] = None

    def add_name(self, id_: str, name: str) -> None:
        """Give an entity another name."""
        self.aliases.setdefault(id_, {})[name] = None
        self.spell(id_, name)
