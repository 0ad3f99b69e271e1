"""What an entity is called and of which type, as the allowed documents alone tell.

Which mentions are one entity is the index's own decision and stays; its name is chosen anew among the forms
that the allowed documents use, by the rule that chose it in the first place.
"""

from collections import Counter
from collections.abc import Iterable, Mapping

from corpusgraph.schemas.documents import Document
from corpusgraph.schemas.evidence import Mention
from corpusgraph.schemas.graph import Entity
from corpusgraph.tasks.index.groups import best_form
from corpusgraph.tasks.index.names import fold
from corpusgraph.tasks.index.resolve import EntityKey
from corpusgraph.tasks.index.survey import NAMED, Form, Key, form_of, gender_of, key_of, split_title

KNOWN_ELSEWHERE = frozenset({"gazetteer", "title"})
"""Extractors of mentions that were found by a name known beforehand."""


class Forms:
    """The forms in which one entity is found."""

    def __init__(self) -> None:
        self.counts: Counter[Form] = Counter()

    def see(self, mention: Mention, document: Document) -> None:
        """Take in a mention; one found by a known name, or by the title, names without being counted."""
        if mention.extractor not in KNOWN_ELSEWHERE:
            self.counts[form_of(mention)] += 1
            return
        _, qualifier = split_title(document.title) if mention.extractor == "title" else ("", "")
        self.counts[Form(mention.name, mention.type, "", qualifier)] += 0

    def key(self, entity: Entity) -> EntityKey:
        """Return the entity as these forms tell it."""
        qualifier = str((entity.attributes or {}).get("qualifier", ""))
        own = {form: n for form, n in self.counts.items() if self._names(form, entity, qualifier)}
        forms = own or dict(self.counts)
        type_ = entity.type or ""
        if not any(form.type == type_ for form in forms):
            type_ = _commonest_type(forms)
        best = best_form(key_of(min(own)) if own else Key(fold(entity.name), type_, qualifier), forms)
        kept = qualifier if any(fold(form.qualifier) == fold(qualifier) for form in self.counts) else ""
        value = str((entity.attributes or {}).get("iso", "")) if type_ == "date" else ""
        return EntityKey(entity.id, _written(best, forms, entity.name), type_, kept, value)

    @staticmethod
    def _names(form: Form, entity: Entity, qualifier: str) -> bool:
        """Tell whether a form is one of the name that the entity's id was made of, not one merged into it."""
        key = key_of(form)
        return Entity.make_id(key.fold, key.type, key.qualifier or qualifier) == entity.id


def _commonest_type(forms: Mapping[Form, int]) -> str:
    counts: Counter[str] = Counter()
    for form, n in forms.items():
        counts[form.type] += n
    order = {type_: place for place, type_ in enumerate(NAMED)}
    return min(counts, key=lambda type_: (-counts[type_], order.get(type_, len(order)), type_))


def _written(best: Form, forms: Iterable[Form], name: str) -> str:
    """Return the name of a form, with the title or the qualifier that tells the entity from another."""
    titles = {f"{gender_of(form).capitalize()} {best.name}" for form in forms if gender_of(form)}
    if name in titles:
        return name
    return f"{best.name} ({best.qualifier})" if best.qualifier else best.name
