"""Names gathered into entities: who was taken for whom, by which rule, and what a hand forbids."""

from collections import defaultdict
from collections.abc import Iterable, Mapping
from typing import NamedTuple

from corpusgraph.schemas.base import stable_id
from corpusgraph.schemas.study import Resolution
from corpusgraph.tasks.index.names import fold, is_possessive, person_name
from corpusgraph.tasks.index.survey import Form, Key

Label = tuple[int, str]
"""A group of `different`, by its ordinal, and the name that stands in it."""
Turns = list[tuple[int, Key]]
"""From each character of a document on, whom a short name means there."""


class Made(NamedTuple):
    """A merge as it was made; the entity it ends in is known when all rules have run."""

    id: str
    name: str
    source: Key
    target: Key
    rule: str
    confidence: float
    documents: tuple[str, ...]
    mentions: int
    why: str = ""


class Apart:
    """What `different` forbids: two names of one of its groups never meet in one entity."""

    def __init__(self, groups: Iterable[tuple[str, ...]]) -> None:
        self._exact: dict[str, set[Label]] = defaultdict(set)
        self._folded: dict[str, set[Label]] = defaultdict(set)
        for ordinal, names in enumerate(groups):
            folds = {fold(name) for name in names}
            # names that differ by case or punctuation alone are told apart as written
            by_fold = len(folds) == len(names)
            for name in names:
                label = (ordinal, fold(name) if by_fold else name)
                (self._folded if by_fold else self._exact)[label[1]].add(label)

    def labels(self, name: str) -> set[Label]:
        """Return the groups a name stands in, each with the name it has there."""
        return self._exact.get(name, set()) | self._folded.get(fold(name), set())


def clash(some: set[Label], others: set[Label]) -> bool:
    """Tell whether two sets of labels hold different names of one group."""
    return any(group == other and name != theirs for group, name in some for other, theirs in others)


class Groups:
    """Keys with their forms, merged by pointers: the root of a key is the entity it ends in."""

    def __init__(self, options: Resolution) -> None:
        self.forms: dict[Key, dict[Form, int]] = defaultdict(dict)
        self.key_of: dict[Form, Key] = {}
        self.gendered: dict[Key, str] = {}
        self.decisions: list[Made] = []
        self.local: dict[tuple[Key, str], list[tuple[int, Key]]] = {}
        self.undone: set[str] = set()
        self.into: dict[Key, Key] = {}
        self._labels: dict[Key, set[Label]] = defaultdict(set)
        self._apart = Apart(options.different)
        self._undo = frozenset(options.undo)

    def place(self, key: Key, forms: Mapping[Form, int]) -> None:
        """Put forms under a key: each other spelling is a merge into the form that names the key."""
        display = best_form(key, forms).name
        spelled: dict[str, list[Form]] = defaultdict(list)
        for form in sorted(forms):
            spelled[form.name].append(form)
        self._labels[key] |= self._apart.labels(display)
        for name, same in spelled.items():
            mentions = sum(forms[form] for form in same)
            home = key if name == display else self._home(same[0], mentions, key, display)
            self.forms[home].update({form: forms[form] for form in same})
            self.key_of.update(dict.fromkeys(same, home))
            self._labels[home] |= self._apart.labels(name)

    def _home(self, form: Form, mentions: int, key: Key, display: str) -> Key:
        """Record that a form is a variant of the key's name, or give it a key of its own."""
        own = key._replace(written=form.name)
        number = merge_id(own, key)
        if self._forbidden(number, self._apart.labels(form.name), self._labels[key]):
            return own
        rule, confidence = variant_rule(form, display)
        self.decisions.append(Made(number, form.name, own, key, rule, confidence, (), mentions))
        return key

    def _forbidden(self, number: str, some: set[Label], others: set[Label]) -> bool:
        if number in self._undo:
            self.undone.add(number)
            return True
        return clash(some, others)

    def root(self, key: Key) -> Key:
        """Follow the merges of a key to the end."""
        while key in self.into:
            key = self.into[key]
        return key

    def roots(self, *types: str) -> list[Key]:
        """Return the keys that no rule has merged yet, of the given types (none: all), in order."""
        return sorted(k for k in self.forms if k not in self.into and (not types or k.type in types))

    def name(self, key: Key) -> str:
        """Return the name a key goes by."""
        best = best_form(key, self.forms[key])
        if key in self.gendered and not person_name(best.name).honorific:
            return f"{self.gendered[key].capitalize()} {best.name}"
        return f"{best.name} ({best.qualifier})" if best.qualifier else best.name

    def mentions(self, key: Key) -> int:
        """Count the mentions of a key's own forms."""
        return sum(self.forms[key].values()) if key in self.forms else 0

    def allowed(self, source: Key, target: Key) -> bool:
        """Tell whether two keys may become one: they are not yet, and no hand forbids it."""
        start, end = self.root(source), self.root(target)
        forbidden = self._forbidden(merge_id(source, target), self._labels[start], self._labels[end])
        return start != end and not forbidden

    def kept_apart(self, one: Key, other: Key) -> bool:
        """Tell whether a hand keeps two keys apart, whichever of them their merge would be made into."""
        numbers = {merge_id(one, other), merge_id(other, one)} & self._undo if self._undo else set()
        self.undone |= numbers
        return bool(numbers) or clash(self._labels[self.root(one)], self._labels[self.root(other)])

    def settled(self, one: Key, other: Key) -> bool:
        """Tell whether a hand has said no to a merge that was about to be made, or to any of these two."""
        numbers = {merge_id(one, other), merge_id(other, one)} & self.undone if self.undone else set()
        return bool(numbers) or clash(self._labels[self.root(one)], self._labels[self.root(other)])

    def merge(self, source: Key, target: Key, rule: str, confidence: float, why: str = "") -> None:
        """Take `source` for `target` everywhere, if that is allowed."""
        if self.allowed(source, target):
            self._note(source, target, rule, confidence, (), self.mentions(source), why)
            start, end = self.root(source), self.root(target)
            self.into[start] = end
            self._labels[end] |= self._labels[start]

    def merge_in(self, source: Key, turns: Mapping[str, Turns], rule: str, confidence: float) -> None:
        """Take `source` in each of some documents for whom `turns` says, where that is allowed.

        A document's turns are (character, key): from there on the name means that key.
        """
        where: dict[Key, list[str]] = defaultdict(list)
        for document, places in sorted(turns.items()):
            targets = {key for _, key in places}
            if (source, document) not in self.local and all(self.allowed(source, key) for key in targets):
                self.local[source, document] = places
                for key in targets:
                    where[key].append(document)
        for key, documents in sorted(where.items()):
            self._note(source, key, rule, confidence, tuple(documents), 0)

    def _note(
        self,
        source: Key,
        target: Key,
        rule: str,
        confidence: float,
        documents: tuple[str, ...],
        n: int,
        why: str = "",
    ) -> None:
        number, name = merge_id(source, target), self.name(source)
        self.decisions.append(Made(number, name, source, target, rule, confidence, documents, n, why))


def merge_id(source: Key, target: Key) -> str:
    """Identify a merge by its two ends: its rule and its documents may change without changing it."""
    return stable_id("mrg", *source, *target)


def best_form(key: Key, forms: Mapping[Form, int]) -> Form:
    """Choose the form an entity goes by: plain before titled, mixed case before capitals, then by count."""
    small = any(form.name.islower() for form in forms)

    def rank(form: Form) -> tuple[bool, bool, int, Form]:
        plain = not person_name(form.name).honorific if key.type == "person" else fold(form.name) == key.fold
        shouted = form.name.isupper() and (small or len(key.fold) > 5)
        return not plain or is_possessive(form.name), shouted, -forms[form], form

    return min(forms, key=rank) if len(forms) > 1 else next(iter(forms))


def variant_rule(form: Form, display: str) -> tuple[str, float]:
    """Name the rule that makes a form a variant of its key's name, with its confidence."""
    folded = fold(form.name)
    rules = (
        (form.value, form.type, 1.0),
        (form.name.casefold() == display.casefold(), "case", 1.0),
        (form.type == "person" and person_name(form.name).honorific, "title", 0.95),
        (is_possessive(form.name), "possessive", 0.98),
        (folded == fold(display), "punctuation", 0.99),
        (folded.startswith("the ") or fold(display).startswith("the "), "article", 0.98),
        (form.type == "concept", "plural", 0.95),
        (form.type == "organisation", "legal_form", 0.95),
    )
    return next(((rule, confidence) for holds, rule, confidence in rules if holds), ("spelling", 0.95))
