"""Entity resolution: which names are one entity, by rules whose every decision can be seen and undone."""

from bisect import bisect_right
from collections.abc import Container, Iterable, Mapping
from operator import itemgetter
from typing import NamedTuple

from corpusgraph.schemas.evidence import Mention, Merge
from corpusgraph.schemas.graph import Entity
from corpusgraph.schemas.results import ToolWarning
from corpusgraph.schemas.study import Resolution
from corpusgraph.tasks.index.decided import Decision, apply
from corpusgraph.tasks.index.groups import Groups
from corpusgraph.tasks.index.matching import RULES, by_hand
from corpusgraph.tasks.index.placing import known_names, place_forms
from corpusgraph.tasks.index.survey import Key, Survey, form_of, survey

__all__ = ["EntityKey", "Resolved", "resolve", "survey"]

_MAX_HOPS = 4
_first = itemgetter(0)


class EntityKey(NamedTuple):
    """An entity before anything is counted; `value` is the ISO date of a date, the amount of a quantity."""

    id: str
    name: str
    type: str
    qualifier: str = ""
    value: str = ""


class Resolved:
    """What resolution decided, ready to be asked about each mention."""

    def __init__(self, groups: Groups, names: Mapping[str, list[Key]], warnings: list[ToolWarning]) -> None:
        self._home = groups.key_of
        self._into = groups.into
        self._local = groups.local
        self._local_keys = {key for key, _ in groups.local}
        self._names = names
        self._entities = {key: _entity(groups, groups.root(key)) for key in groups.forms}
        self.merges: list[Merge] = self._listed(groups)
        self.warnings = warnings

    def entity_of(self, mention: Mention, document_id: str) -> EntityKey | None:
        """Return the entity a mention means, or None for a word that is no name."""
        home = self._home.get(form_of(mention))
        return self._entity(home, document_id, mention.start) if home else None

    def entity_named(
        self, name: str, document_id: str, start: int = 0, present: Container[str] = ()
    ) -> EntityKey | None:
        """Return the entity a known name means at a place; of homonyms one that is `present` is preferred."""
        found = [self._entity(key, document_id, start) for key in self._names.get(name, ())]
        return next((key for key in found if key.id in present), found[0] if found else None)

    def _entity(self, key: Key, document_id: str, start: int) -> EntityKey:
        for _ in range(_MAX_HOPS):
            follow: Key | None = key
            while follow is not None and follow not in self._local_keys:
                follow = self._into.get(follow)
            turns = self._local.get((follow, document_id)) if follow is not None else None
            if not turns:
                break
            key = turns[max(0, bisect_right(turns, start, key=_first) - 1)][1]
        return self._entities[key]

    def names(self) -> dict[str, str]:
        """Return every name by which an entity can be found in a text, with the entity's id."""
        return {name: self._entities[keys[0]].id for name, keys in self._names.items()}

    def _listed(self, groups: Groups) -> list[Merge]:
        merges = []
        for decision in groups.decisions:
            into = self._entities[decision.target]
            merges.append(
                Merge(
                    id=decision.id,
                    name=decision.name,
                    type=decision.source.type,
                    into=into.id,
                    into_name=into.name,
                    rule=decision.rule,
                    confidence=decision.confidence,
                    documents=decision.documents,
                    n_mentions=decision.mentions,
                    why=decision.why,
                )
            )
        return sorted(merges, key=lambda merge: (merge.into_name, merge.name, merge.id))


def _entity(groups: Groups, key: Key) -> EntityKey:
    apart = "|".join(part for part in (key.qualifier, key.written) if part)
    value = next((form.value for form in groups.forms[key]), "")
    number = Entity.make_id(key.fold, key.type, apart)
    return EntityKey(number, groups.name(key), key.type, key.qualifier, value)


def resolve(survey: Survey, options: Resolution, decided: Iterable[Decision] = ()) -> Resolved:
    """Decide which names are one entity.

    `options.same` and `options.different` come first, then the rules of `matching`, and then what a language
    model `decided` of names that they left apart; a merge listed in `options.undo` is not made. With
    `enabled` false only names equal up to case are one.
    """
    groups, missing = by_rules(survey, options)
    told = apply(groups, decided, "llm") if options.enabled else []
    warnings = [*_warnings(groups, options, missing), *told]
    return Resolved(groups, known_names(groups, survey), warnings)


def by_rules(survey: Survey, options: Resolution) -> tuple[Groups, list[str]]:
    """Return names as hand and rules take them for one another, and what the hand names in vain."""
    groups = Groups(options)
    place_forms(groups, survey, enabled=options.enabled)
    missing = by_hand(groups, options.same)
    for rule in RULES if options.enabled else ():
        rule(groups, survey)
    return groups, missing


def _warnings(groups: Groups, options: Resolution, missing: list[str]) -> list[ToolWarning]:
    unknown = sorted(set(options.undo) - groups.undone)
    warnings = []
    if missing:
        message = "resolution.same names what the corpus does not mention"
        warnings.append(ToolWarning(code="unknown_name", message=message, records=tuple(missing)))
    if unknown:
        message = "resolution.undo lists merges that are not made any more"
        warnings.append(ToolWarning(code="unknown_merge", message=message, records=tuple(unknown)))
    return warnings
