"""What the changes of a journal come to: the state that the memory of an index is in."""

from collections.abc import Callable, Collection, Container, Iterable, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import product
from typing import TYPE_CHECKING, Any

from corpusgraph.schemas.base import JsonDict, nfc
from corpusgraph.schemas.errors import InvalidInputError
from corpusgraph.schemas.graph import Relationship
from corpusgraph.schemas.memory import (
    SHORT_IDS,
    Change,
    CreateEntity,
    DeleteEntity,
    Extracted,
    MergeEntities,
    Named,
    Observe,
    Operation,
    Relate,
    Rename,
    Reweigh,
    SplitEntity,
    Unobserve,
    Unrelate,
)
from corpusgraph.tasks.build.aggregate import as_written
from corpusgraph.tasks.graph.names import other_names
from corpusgraph.tasks.progress import counted

if TYPE_CHECKING:
    from corpusgraph.tasks.overlay.delta import News

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


def names_in(operation: Operation) -> tuple[Named, ...]:
    """Return the entities that an operation names, in order."""
    if isinstance(operation, CreateEntity):
        return (operation,)
    if isinstance(operation, Relate | Unrelate | Reweigh):
        return operation.source, operation.target
    if isinstance(operation, SplitEntity):
        return operation.entity, operation.into
    if isinstance(operation, MergeEntities):
        return *operation.sources, operation.into
    return (operation.entity,)


def makes(operation: Operation) -> Named | None:
    """Return the entity that an operation makes, or None."""
    if isinstance(operation, SplitEntity):
        return operation.into
    return operation if isinstance(operation, CreateEntity) else None


def triple_in(operation: Operation) -> Triple | None:
    """Return the relationship that an operation is about, with its ends as they are named, or None."""
    if not isinstance(operation, Relate | Unrelate | Reweigh):
        return None
    return ordered(operation.source.id, operation.type, operation.target.id)


def ordered(source: str, type_: str, target: str) -> Triple:
    """Return a relationship with its ends in the order in which indexing has them."""
    return as_written(source, nfc(type_), target)


def is_joined(op: Relate | Unrelate | Reweigh, ends: Triple) -> bool:
    """Tell whether what is said of two entities is of one now, as after a merge; `ends` as they are now."""
    return ends[0] == ends[2] and op.source.id != op.target.id


@lru_cache(maxsize=1024)
def triple_id(triple: Triple) -> str:
    """Return the id of the relationship; an operation asks for the same one several times."""
    return Relationship.make_id(*triple)


def state_relation(state: MemoryState, ends: Triple, number: int, said: Sequence[HandEvidence]) -> None:
    """Add statements of a relationship; joined ones are in the order of their changes."""
    id_ = triple_id(ends)
    relation = state.relations.get(id_)
    if relation is None:
        relation = state.relations[id_] = HandRelation(id_, ends[0], ends[2], ends[1], number, [])
        for end in (ends[0], ends[2]):
            state.of_entity.setdefault(end, set()).add(id_)
    in_order = not relation.evidence or relation.evidence[-1].change <= said[0].change
    relation.evidence.extend(said)
    if not in_order:
        relation.evidence.sort(key=lambda one: one.change)
    relation.short_id = min(relation.short_id, number)


def drop(state: MemoryState, id_: str) -> HandRelation | None:
    """Forget all that was stated of a relationship, and return it."""
    relation = state.relations.pop(id_, None)
    if relation is not None:
        for end in (relation.source, relation.target):
            left = state.of_entity.get(end, set())
            left.discard(id_)
            if not left:
                state.of_entity.pop(end, None)
    return relation


def move(state: MemoryState, id_: str, before: str, after: str) -> None:
    """Put one entity in the place of another as an end of a relationship; two that are one now have none."""
    relation = drop(state, id_)
    if relation is None:
        return
    source = after if relation.source == before else relation.source
    target = after if relation.target == before else relation.target
    if source != target or relation.source == relation.target:
        ends = ordered(source, relation.type, target)
        state_relation(state, ends, relation.short_id, relation.evidence)


def merge(state: MemoryState, source: str, into: str, named: Named) -> None:
    """Let all that is known of `source` be known of `into`."""
    state.regrouped += 1
    state.steps.append(Joined(source, into))
    for member in (source, *sorted(state.members.pop(source, ()))):
        state.merged[member] = into
        state.members.setdefault(into, set()).add(member)
    _move_names(state, source, into, named)
    _move_observations(state, source, into)
    if (made := state.created.pop(source, None)) is not None:
        state.gained.setdefault(into, []).append(made.made)
    state.gained.setdefault(into, []).extend(state.gained.pop(source, ()))
    if not state.gained[into]:
        del state.gained[into]
    for id_ in sorted(state.of_entity.get(source, ())):
        move(state, id_, source, into)
    _move_weights(state, source, into)
    state.named.pop(source, None)


def _move_names(state: MemoryState, source: str, into: str, named: Named) -> None:
    """Give `into` all names of `source`: the one it goes by, earlier ones, the one it was made with."""
    renamed, first = state.renamed.pop(source, None), state.called.get(source, named)
    names = [named.name, first.name, *([renamed.name] if renamed else ()), *state.aliases.pop(source, ())]
    for name in names:
        state.add_name(into, name)


def _move_observations(state: MemoryState, source: str, into: str) -> None:
    for kept in (state.observations, state.unobserved):
        moved = kept.pop(source, None)
        if moved:
            there = kept.setdefault(into, {})
            for sentence, change in moved.items():
                there.setdefault(sentence, change)


def _move_weights(state: MemoryState, source: str, into: str) -> None:
    """Keep weights that were set: where both relationships had one, that of `into` stays."""
    for id_, weight in list(state.reweighed.items()):
        if source in {weight.source.id, weight.target.id}:
            del state.reweighed[id_]
            _set_again(state, weight, source, into)


def _set_again(state: MemoryState, weight: Reweigh, before: str, after: str) -> None:
    ends = [state.called[after] if end.id == before else end for end in (weight.source, weight.target)]
    if ends[0].id != ends[1].id or weight.source.id == weight.target.id:
        id_ = triple_id(ordered(ends[0].id, weight.type, ends[1].id))
        moved = weight.model_copy(update={"source": ends[0], "target": ends[1]})
        state.reweighed.setdefault(id_, moved)


def split(state: MemoryState, id_: str, op: SplitEntity, change: int) -> None:
    """Make a second entity and give it what the operation lists; one merged before gets its own back."""
    new = op.into.id
    if new == id_ or state.now(new) not in {new, id_}:
        return
    state.regrouped += 1
    if state.merged.pop(new, None) is not None:
        state.members[id_].discard(new)
        if taken := state.unobserved.get(id_):  # of whom it was taken back is not known: of both, then
            state.unobserved.setdefault(new, {}).update(taken)
    made = CreateEntity(id=new, name=op.into.name, type=op.into.type)
    state.created.setdefault(new, HandEntity(made, change, state.entity_numbers.allot(new)))
    state.unmade.discard(new)
    state.named.setdefault(new, state.called[new])
    _split_names(state, id_, new, [op.into.name, *op.names])
    _split_observations(state, id_, new, op.observations)
    _split_relations(state, id_, new, set(op.relationships))
    state.splits.append((change, op))
    state.steps.append(Parted(id_, op))


def _split_names(state: MemoryState, id_: str, new: str, names: list[str]) -> None:
    """Names go from who has them now: what is merged with it later keeps those it has."""
    lost = {nfc(name).strip().casefold() for name in names}
    for part in (id_, *state.members.get(id_, ())):
        state.lost_names.setdefault(part, set()).update(lost)
    kept = {name: None for name in state.aliases.get(id_, {}) if name.strip().casefold() not in lost}
    state.aliases[id_] = kept
    for name in names:
        state.add_name(new, nfc(name))


def _split_observations(state: MemoryState, id_: str, new: str, sentences: tuple[str, ...]) -> None:
    noted = state.observations.get(id_, {})
    for sentence in map(nfc, sentences):
        if (change := noted.pop(sentence, None)) is not None:
            state.observations.setdefault(new, {}).setdefault(sentence, change)


def _split_relations(state: MemoryState, id_: str, new: str, wanted: set[str]) -> None:
    """Move the relationships listed, by the ids they have now, with the weights they were given."""
    for relation in sorted(wanted & state.of_entity.get(id_, set())):
        move(state, relation, id_, new)
    for relation in sorted(wanted & set(state.reweighed)):
        weight = state.reweighed[relation]
        if id_ in {weight.source.id, weight.target.id}:
            del state.reweighed[relation]
            _set_again(state, weight, id_, new)


def delete(state: MemoryState, id_: str) -> None:
    """Forget all that was said of an entity by hand, and leave out what the corpus says of it."""
    state.regrouped += 1
    state.steps.append(Gone(id_))
    for relation in sorted(state.of_entity.get(id_, ())):
        drop(state, relation)
    for relation, weight in list(state.reweighed.items()):
        if id_ in {weight.source.id, weight.target.id}:
            del state.reweighed[relation]
    for member in (id_, *sorted(state.members.pop(id_, ()))):
        state.deleted[member] = state.called.get(member, Named(id=member, name=member))
        state.merged.pop(member, None)
    for kept in (state.created, state.renamed, state.aliases, state.gained):
        kept.pop(id_, None)
    for said in (state.observations, state.unobserved, state.named):
        said.pop(id_, None)


def apply(state: MemoryState, operation: Operation, change: int) -> None:
    """Apply one operation in force."""
    _APPLY[type(operation)](state, operation, change)


def _create(state: MemoryState, op: CreateEntity, change: int) -> None:
    """Make an entity, or one that was deleted or unmade afresh; one that is there by hand stays as it is."""
    if op.id in state.merged or op.id in state.created:
        return
    state.unmade.discard(op.id)
    state.created[op.id] = HandEntity(op, change, state.entity_numbers.allot(op.id))
    state.named.setdefault(op.id, state.called[op.id])
    for name in other_names(op.attributes):
        state.add_name(op.id, name)


def _observe(state: MemoryState, op: Observe, change: int) -> None:
    if (id_ := _said_of(state, op.entity)) is None:
        return
    noted = state.observations.setdefault(id_, {})
    taken = state.unobserved.get(id_, {})
    for sentence in map(nfc, op.contents):
        if taken.pop(sentence, None) is None or id_ in state.members:
            noted.setdefault(sentence, change)


def _unobserve(state: MemoryState, op: Unobserve, change: int) -> None:
    if (id_ := _meant(state, op.entity)) is None:
        return
    noted = state.observations.get(id_, {})
    for sentence in map(nfc, op.contents):
        # one that was noted by hand may be that of an imported entity merged into this one, too
        if noted.pop(sentence, None) is None or id_ in state.members:
            state.unobserved.setdefault(id_, {})[sentence] = change


def _relate(state: MemoryState, op: Relate, change: int) -> None:
    """Add a statement; of two entities that were taken for one since, there is none."""
    ends = _ends(state, op)
    if ends is None or is_joined(op, ends):
        return
    for named in (op.source, op.target):
        _said_of(state, named)
    number = state.relation_numbers.allot(triple_id(ordered(op.source.id, op.type, op.target.id)))
    said = HandEvidence(change, op.confidence, op.is_causal, op.context, op.cue)
    state_relation(state, ends, number, [said])


def _unrelate(state: MemoryState, op: Unrelate, change: int) -> None:  # noqa: ARG001  # all take a change
    """Drop what was stated, and leave out what the corpus says of the two and of all merged into them."""
    if (ends := _ends(state, op)) is None:
        return
    joined = is_joined(op, ends)
    if not joined:  # what an entity is said to be to itself is another matter
        drop(state, triple_id(ends))
        state.reweighed.pop(triple_id(ends), None)
    source, type_, target = ends
    own = source == target and not joined
    state.steps.append(TakenOut(ends, own))
    for one, other in product(_all(state, source), _all(state, target)):
        if (one == other) == own:
            triple = ordered(one, type_, other)
            state.removed[triple_id(triple)] = triple


def _reweigh(state: MemoryState, op: Reweigh, change: int) -> None:  # noqa: ARG001
    if (ends := _ends(state, op)) is None or is_joined(op, ends):
        return
    id_ = triple_id(ends)
    before = state.reweighed.get(id_)
    if before is not None:
        weight = before.weight if op.weight is None else op.weight
        confidence = before.confidence if op.confidence is None else op.confidence
        op = op.model_copy(update={"weight": weight, "confidence": confidence})
    ends_now = {"source": _named(state, op.source), "target": _named(state, op.target)}
    state.reweighed[id_] = op.model_copy(update=ends_now)


def _rename(state: MemoryState, op: Rename, change: int) -> None:  # noqa: ARG001
    """Give a name; those it had stay as other names."""
    if (id_ := _said_of(state, op.entity)) is None:
        return
    before = state.renamed.get(id_)
    type_ = op.type or (before.type if before else None)
    for name in (*([before.name] if before else ()), op.entity.name):
        state.add_name(id_, name)
    state.renamed[id_] = Named(id=id_, name=op.name, type=type_)
    state.spell(id_, op.name)


def _extracted(state: MemoryState, op: Extracted, change: int) -> None:
    if _meant(state, op.entity) is not None:
        state.extracted.append((change, op))


def _merge(state: MemoryState, op: MergeEntities, change: int) -> None:  # noqa: ARG001
    if (into := _said_of(state, op.into)) is None:
        return
    for named in op.sources:
        source = _meant(state, named)
        if source is not None and source != into:
            merge(state, source, into, named)


def _split(state: MemoryState, op: SplitEntity, change: int) -> None:
    if (id_ := _said_of(state, op.entity)) is not None:
        split(state, id_, op, change)


def _delete(state: MemoryState, op: DeleteEntity, change: int) -> None:  # noqa: ARG001
    if (id_ := _meant(state, op.entity)) is not None:
        delete(state, id_)


_APPLY: dict[type[Any], Callable[[MemoryState, Any, int], None]] = {
    CreateEntity: _create,
    Observe: _observe,
    Unobserve: _unobserve,
    Relate: _relate,
    Unrelate: _unrelate,
    Reweigh: _reweigh,
    Rename: _rename,
    MergeEntities: _merge,
    SplitEntity: _split,
    DeleteEntity: _delete,
    Extracted: _extracted,
}


def _meant(state: MemoryState, named: Named) -> str | None:
    """Return the entity meant, as it is now; None where what is said of it is dormant."""
    id_ = state.now(named.id)
    return None if state.is_dormant(id_) else id_


def _said_of(state: MemoryState, named: Named) -> str | None:
    """Return the entity meant and keep it alive, should the corpus lose it."""
    id_ = _meant(state, named)
    if id_ is not None:
        state.named.setdefault(id_, state.called.get(id_, named))
    return id_


def _named(state: MemoryState, named: Named) -> Named:
    """Return the entity meant as it is now, by the name it first had."""
    return state.called.get(state.now(named.id), named)


def _ends(state: MemoryState, op: Relate | Unrelate | Reweigh) -> Triple | None:
    source, target = _meant(state, op.source), _meant(state, op.target)
    return None if source is None or target is None else ordered(source, op.type, target)


def _all(state: MemoryState, id_: str) -> list[str]:
    return [id_, *sorted(state.members.get(id_, ()))]


def undone(changes: Sequence[Change]) -> set[int]:
    """Return the numbers of the changes that do not count: undone, and their undoing not undone."""
    out: set[int] = set()
    for change in reversed(changes):  # whether an undoing counts is known once all later ones are
        if change.undoes is not None and change.number not in out:
            out.add(change.undoes)
    return out


def folded(changes: Iterable[Change], known: Container[str] = ()) -> MemoryState:
    """Return the state after all changes, in order of their numbers.

    `known` holds the ids of the corpus's entities: one of these that was also made by hand is there even
    where its making was undone.
    """
    given = tuple(changes)
    state = MemoryState(undone=undone(given))
    for change in counted(given, "changes put together"):
        _take(state, change, known)
    return state


def advance(state: MemoryState, change: Change) -> bool:
    """Bring a state on by the next change, in time that does not grow with the journal.

    Returns False, with the state as it was, for an undoing: then all changes are to be folded again.
    """
    if change.undoes is not None:
        return False
    _take(state, change, ())
    return True


def _take(state: MemoryState, change: Change, known: Container[str]) -> None:
    state.n_changes = change.number
    state.trail.append(change)
    state.n_trail += 1
    counts = change.number not in state.undone
    for operation in change.operations:
        _note(state, operation)
        if counts:
            apply(state, operation, change.number)
        elif (made := makes(operation)) is not None and made.id not in known:
            _unmake(state, made)


def _unmake(state: MemoryState, made: Named) -> None:
    """Note that an entity was not made after all; one that was there for another reason still is."""
    if made.id not in state.created and made.id not in state.named and made.id not in state.merged:
        state.unmade.add(made.id)


def _note(state: MemoryState, operation: Operation) -> None:
    """Give numbers, and keep what entities were first called, whether or not the operation counts."""
    for named in names_in(operation):
        if named.id not in state.called:
            state.called[named.id] = Named(id=named.id, name=named.name, type=named.type)
            state.spell(named.id, named.name)
            state.entity_numbers.allot(named.id)
    if isinstance(operation, CreateEntity):
        state.handled[operation.id] = None
    elif isinstance(operation, Observe):
        state.handled[operation.entity.id] = None
    if (triple := triple_in(operation)) is not None:
        id_ = triple_id(triple)
        state.stated.setdefault(id_, triple)
        if isinstance(operation, Relate):
            state.relation_numbers.allot(id_)


def undoing(
    changes: Sequence[Change], undone: Collection[int], number: int, *, by: str, request_id: str, at: str
) -> Change:
    """Return the next change, that undoes change `number`; an undoing can be undone too.

    Raises InvalidInputError, `unknown_change` with the numbers there are, or `already_undone` with the change
    that undid it.
    """
    if not 1 <= number <= len(changes):
        there = f"Changes are numbered 1 to {len(changes)}." if changes else "Nothing was changed yet."
        raise InvalidInputError(f"There is no change {number}.", hint=there, code="unknown_change")
    if number in undone:
        by_whom = max(c.number for c in changes if c.undoes == number and c.number not in undone)
        hint = f"Change {by_whom} undid it; undo that one to bring it back."
        raise InvalidInputError(f"Change {number} is undone already.", hint=hint, code="already_undone")
    return Change(number=len(changes) + 1, at=at, by=by, request_id=request_id, undoes=number)
