"""A state as it is at one moment: what is laid over a graph does not change while it is looked at."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from typing import TypeVar

from corpusgraph.tasks.remember.news import News, added
from corpusgraph.tasks.remember.state import HandRelation, MemoryState

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
