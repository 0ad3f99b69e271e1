"""What changes did to a state, where all they did was to add.

Laying a memory over a graph takes time that grows with the memory; most changes say something more of a few
entities. Knowing which, the view before is brought on, and only these are made anew.
"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import TypeVar

from corpusgraph.schemas.memory import Change, CreateEntity, Extracted, Observe, Operation, Relate
from corpusgraph.tasks.overlay.state import HandRelation, MemoryState, is_joined, ordered, triple_id

K = TypeVar("K")
V = TypeVar("V")

MOST = 1_000
"""Changes that are looked at one by one; after more, as an import makes them, all is made anew."""


@dataclass
class News:
    """Of which entities and relationships more is said than before; of all others the same."""

    entities: dict[str, None] = field(default_factory=dict)
    """Entities with more to them, the ends of the relationships included, in the order of the changes."""
    relations: dict[str, None] = field(default_factory=dict)
    """Relationships with more evidence, or their first."""
    sources: dict[str, None] = field(default_factory=dict)
    """Entities whose documents have more lines."""


def news(before: MemoryState, now: MemoryState) -> News | None:
    """Return what was added since a state that `now`, a frozen one, was brought on from, as `added` does."""
    if now.trail is before.trail and (known := now.news.get(before.n_trail)) is not None:
        return known
    if (found := added(before, now)) is not None:
        now.news[before.n_trail] = found
    return found


def added(before: MemoryState, now: MemoryState) -> News | None:
    """Return what was added since a state that `now` was brought on from; None where that is not all.

    None, too, for what is rare and says something of others: an entity made anew, a name that an entity gets
    that was spoken of before, evidence for what was taken out or given a weight.
    """
    if now.trail is not before.trail or not 0 <= now.n_trail - before.n_trail <= MOST:
        return None
    return _read(before, now, now.trail[before.n_trail : now.n_trail])


def _read(before: MemoryState, now: MemoryState, changes: Iterable[Change]) -> News | None:
    found = News()
    for change in changes:
        if change.undoes is not None:
            return None
        if not all(_adds(operation, before, now, found) for operation in change.operations):
            return None
    return found


def _adds(operation: Operation, before: MemoryState, now: MemoryState, found: News) -> bool:
    """Take an operation in; return whether it only adds."""
    if isinstance(operation, CreateEntity):
        return _made(operation.id, before, found)
    if isinstance(operation, Observe):
        id_ = now.now(operation.entity.id)
        found.entities[id_] = found.sources[id_] = None
        return not now.is_dormant(id_) and id_ not in before.unobserved
    if isinstance(operation, Relate):
        return _stated(operation, before, now, found)
    return isinstance(operation, Extracted)


def _made(id_: str, before: MemoryState, found: News) -> bool:
    """Take in that an entity was made; one that was spoken of before may now be called otherwise."""
    if id_ in before.created:
        return True
    found.entities[id_] = None
    before_told = (before.named, before.merged, before.deleted, before.unmade)
    return not any(id_ in told for told in before_told)


def _stated(operation: Relate, before: MemoryState, now: MemoryState, found: News) -> bool:
    source, target = now.now(operation.source.id), now.now(operation.target.id)
    if now.is_dormant(source) or now.is_dormant(target):
        return False
    ends = ordered(source, operation.type, target)
    id_ = triple_id(ends)
    if not is_joined(operation, ends):
        found.entities[source] = found.entities[target] = None
        found.relations[id_] = found.sources[ends[0]] = None
    return id_ not in before.reweighed and id_ not in before.removed


def without(known: Mapping[K, V], keys: Iterable[K]) -> dict[K, V]:
    """Return a copy without some keys; copying all first takes a tenth of the time of choosing."""
    found = dict(known)
    for key in keys:
        found.pop(key, None)
    return found


T = TypeVar("T")


def frozen(state: MemoryState, before: MemoryState | None = None) -> MemoryState:
    """Copy what later changes would change; what only grows, and means the same then, is shared.

    What is as it was in the copy made before is that of the copy, the same object.
    """
    told = added(before, state) if before is not None else None
    if before is not None and told is not None:
        found = _brought_on(state, before, told)
        found.news[before.n_trail] = told
        return found
    old = before or MemoryState()
    return replace(
        state,
        undone=set(state.undone),
        named=dict(state.named),
        created=dict(state.created),
        unmade=set(state.unmade),
        renamed=dict(state.renamed),
        aliases=_kept(old.aliases, state.aliases, dict),
        lost_names={id_: set(names) for id_, names in state.lost_names.items()},
        merged=dict(state.merged),
        members={id_: set(members) for id_, members in state.members.items()},
        gained={id_: list(made) for id_, made in state.gained.items()},
        deleted=dict(state.deleted),
        splits=list(state.splits),
        steps=list(state.steps),
        observations=_kept(old.observations, state.observations, dict),
        unobserved={id_: dict(noted) for id_, noted in state.unobserved.items()},
        relations=_kept(old.relations, state.relations, _copied),
        of_entity=_kept(old.of_entity, state.of_entity, set),
        removed=dict(state.removed),
        reweighed=dict(state.reweighed),
        extracted=list(state.extracted),
    )


_AS_IT_WAS = (
    *("undone", "unmade", "renamed", "lost_names", "merged", "members", "gained", "deleted"),
    *("splits", "steps", "unobserved", "removed", "reweighed"),
)
"""What additions leave alone."""


def _brought_on(state: MemoryState, before: MemoryState, told: News) -> MemoryState:
    """Copy what was added to a copy; the rest is shared with it."""
    entities, relations = told.entities, told.relations
    return replace(
        state,
        **{name: getattr(before, name) for name in _AS_IT_WAS},
        named=_with(before.named, state.named, entities, _itself),
        created=_with(before.created, state.created, entities, _itself),
        aliases=_with(before.aliases, state.aliases, entities, dict),
        observations=_with(before.observations, state.observations, entities, dict),
        relations=_with(before.relations, state.relations, relations, _copied),
        of_entity=_with(before.of_entity, state.of_entity, entities, set),
        extracted=list(state.extracted),
    )


def _with(
    old: Mapping[str, T], now: Mapping[str, T], ids: Iterable[str], copied: Callable[[T], T]
) -> dict[str, T]:
    """Copy what there is of some ids as it is now, and of all others as it was."""
    return {**old, **{id_: copied(now[id_]) for id_ in ids if id_ in now}}


def _itself(item: T) -> T:
    return item


def _kept(old: Mapping[str, T], now: Mapping[str, T], copied: Callable[[T], T]) -> dict[str, T]:
    found = {}
    for id_, item in now.items():
        known = old.get(id_)
        found[id_] = known if known is not None and known == item else copied(item)
    return found


def _copied(one: HandRelation) -> HandRelation:
    return HandRelation(one.id, one.source, one.target, one.type, one.short_id, list(one.evidence))
