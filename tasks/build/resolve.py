"""Entity resolution: which names are one entity, by rules whose every decision can be seen and undone."""

import re
import unicodedata
from bisect import bisect_right
from collections import Counter, defaultdict
from collections.abc import Callable, Container, Hashable, Iterable, Iterator, Mapping, Sequence
from functools import cache, partial
from itertools import combinations
from operator import itemgetter
from typing import Any, Literal, NamedTuple, TypeVar, get_args

from rapidfuzz.distance import OSA

from corpusgraph.schemas.base import JsonDict, stable_id
from corpusgraph.schemas.evidence import Mention, Merge
from corpusgraph.schemas.graph import Entity
from corpusgraph.schemas.results import ToolWarning, warned
from corpusgraph.schemas.study import Resolution
from corpusgraph.tasks.build.survey import (
    NAMED,
    Form,
    Key,
    Link,
    Survey,
    form_of,
    gender_of,
    key_of,
    looks_like_name,
)
from corpusgraph.tasks.extract.name_forms import (
    GENDERED,
    PersonName,
    abbreviates,
    fold,
    is_possessive,
    person_name,
    sex_of,
    singular,
    without_article,
)
from corpusgraph.tasks.graph.names import grouped

Label = tuple[int, str]
"""A group of `different`, by its ordinal, and the name that stands in it."""
Turns = list[tuple[int, Key]]
"""From each character of a document on, whom a short name means there."""


class Apart:
    """What `different` forbids: two names of one of its groups never meet in one entity.

    Parameters
    ----------
    groups : iterable of tuple of str
        Names that differ, a tuple each.

    """

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
        """Return the groups a name stands in, each with the name it has there.

        Parameters
        ----------
        name : str
            As written.

        Returns
        -------
        set of (int, str)
            Empty where no hand keeps it apart.

        """
        return self._exact.get(name, set()) | self._folded.get(fold(name), set())


def clash(some: set[Label], others: set[Label]) -> bool:
    """Tell whether two sets of labels hold different names of one group.

    Parameters
    ----------
    some, others : set of Label
        As `Apart.labels` returns them.

    Returns
    -------
    bool
        Then the two are never merged.

    """
    return any(group == other and name != theirs for group, name in some for other, theirs in others)


class Groups:
    """Keys with their forms, merged by pointers: the root of a key is the entity it ends in.

    Parameters
    ----------
    options : Resolution
        How names become entities.

    """

    def __init__(self, options: Resolution) -> None:
        self.forms: dict[Key, dict[Form, int]] = defaultdict(dict)
        self.key_of: dict[Form, Key] = {}
        self.gendered: dict[Key, str] = {}
        self.decisions: list[tuple[Key, JsonDict]] = []
        """What each is made into; the entity that this ends in is known when all rules have run."""
        self.local: dict[tuple[Key, str], list[tuple[int, Key]]] = {}
        self.undone: set[str] = set()
        self.into: dict[Key, Key] = {}
        self._labels: dict[Key, set[Label]] = defaultdict(set)
        self._apart = Apart(options.different)
        self._undo = frozenset(options.undo)

    def place(self, key: Key, forms: Mapping[Form, int]) -> None:
        """Put forms under a key: each other spelling is a merge into the form that names the key.

        Parameters
        ----------
        key : Key
            The key.
        forms : mapping of Form to int
            Form -> mentions.

        """
        display = best_form(key, forms).name
        self._labels[key] |= self._apart.labels(display)
        for name, same in grouped((form.name, form) for form in sorted(forms)).items():
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
        self._record(own, key, form.name, rule, confidence, n_mentions=mentions)
        return key

    def _forbidden(self, number: str, some: set[Label], others: set[Label]) -> bool:
        if number in self._undo:
            self.undone.add(number)
            return True
        return clash(some, others)

    def root(self, key: Key) -> Key:
        """Follow the merges of a key to the end.

        Parameters
        ----------
        key : Key
            Any key.

        Returns
        -------
        Key
            The key itself where it was not merged.

        """
        while key in self.into:
            key = self.into[key]
        return key

    def roots(self, *types: str) -> list[Key]:
        """Return the keys that no rule has merged yet, of the given types (none: all), in order.

        Parameters
        ----------
        *types : str
            Of entities.

        Returns
        -------
        list of Key
            In order of name, then type.

        """
        return sorted(k for k in self.forms if k not in self.into and (not types or k.type in types))

    def name(self, key: Key) -> str:
        """Return the name a key goes by.

        Parameters
        ----------
        key : Key
            One that has forms.

        Returns
        -------
        str
            With title or qualifier where these set it apart.

        """
        best = best_form(key, self.forms[key])
        if key in self.gendered and not person_name(best.name).honorific:
            return f"{self.gendered[key].capitalize()} {best.name}"
        return f"{best.name} ({best.qualifier})" if best.qualifier else best.name

    def mentions(self, key: Key) -> int:
        """Count the mentions of a key's own forms.

        Parameters
        ----------
        key : Key
            Any key.

        Returns
        -------
        int
            Without those of keys merged into it.

        """
        return sum(self.forms[key].values()) if key in self.forms else 0

    def allowed(self, source: Key, target: Key) -> bool:
        """Tell whether two keys may become one: they are not yet, and no hand forbids it.

        Parameters
        ----------
        source : Key
            What would be merged.
        target : Key
            What it would be merged into.

        Returns
        -------
        bool
            False also where the two are one already.

        """
        start, end = self.root(source), self.root(target)
        forbidden = self._forbidden(merge_id(source, target), self._labels[start], self._labels[end])
        return start != end and not forbidden

    def kept_apart(self, one: Key, other: Key, *, so_far: bool = False) -> bool:
        """Tell whether a hand keeps two keys apart, whichever of them their merge would be made into.

        `so_far`: only by saying no to a merge that was about to be made already.

        Parameters
        ----------
        one, other : Key
            The keys.
        so_far : bool, default False
            Of merges undone by hand, whether only those count that were about to be made.

        Returns
        -------
        bool
            What a hand undid is noted as met.

        """
        undo = self.undone if so_far else self._undo
        numbers = {merge_id(one, other), merge_id(other, one)} & undo if undo else set()
        self.undone |= numbers
        return bool(numbers) or clash(self._labels[self.root(one)], self._labels[self.root(other)])

    def merge(self, source: Key, target: Key, rule: str, confidence: float, why: str = "") -> None:
        """Take `source` for `target` everywhere, if that is allowed.

        Parameters
        ----------
        source : Key
            What is merged.
        target : Key
            What it is merged into.
        rule : str
            By which.
        confidence : float
            From 0 to 1.
        why : str, default ""
            As a language model says.

        """
        if self.allowed(source, target):
            name, n = self.name(source), self.mentions(source)
            self._record(source, target, name, rule, confidence, n_mentions=n, why=why)
            start, end = self.root(source), self.root(target)
            self.into[start] = end
            self._labels[end] |= self._labels[start]

    def merge_in(self, source: Key, turns: Mapping[str, Turns], rule: str, confidence: float) -> None:
        """Take `source` in each of some documents for whom `turns` says, where that is allowed.

        A document's turns are (character, key): from there on the name means that key.

        Parameters
        ----------
        source : Key
            What is merged.
        turns : mapping of str to list of (int, Key)
            Id of a document -> from which character on the name means which key.
        rule : str
            By which.
        confidence : float
            From 0 to 1.

        """
        where: dict[Key, list[str]] = defaultdict(list)
        for document, places in sorted(turns.items()):
            targets = {key for _, key in places}
            if (source, document) not in self.local and all(self.allowed(source, key) for key in targets):
                self.local[source, document] = places
                for key in targets:
                    where[key].append(document)
        for key, documents in sorted(where.items()):
            self._record(source, key, self.name(source), rule, confidence, documents=tuple(documents))

    def _record(self, source: Key, target: Key, name: str, rule: str, confidence: float, **more: Any) -> None:
        told = {"id": merge_id(source, target), "name": name, "type": source.type}
        self.decisions.append((target, {**told, "rule": rule, "confidence": confidence, **more}))


def merge_id(source: Key, target: Key) -> str:
    """Identify a merge by its two ends: its rule and its documents may change without changing it.

    Parameters
    ----------
    source : Key
        What is merged.
    target : Key
        What it is merged into.

    Returns
    -------
    str
        Prefixed `mrg_`; the direction counts.

    """
    return stable_id("mrg", *source, *target)


def best_form(key: Key, forms: Mapping[Form, int]) -> Form:
    """Choose the form an entity goes by: plain before titled, mixed case before capitals, then by count.

    A noun written as often with a capital as without goes by the small letter.

    Parameters
    ----------
    key : Key
        Of the forms.
    forms : mapping of Form to int
        Form -> mentions; at least one.

    Returns
    -------
    Form
        One of `forms`.

    """
    small = any(form.name.islower() for form in forms)

    def rank(form: Form) -> tuple[bool, bool, int, bool, Form]:
        plain = not person_name(form.name).honorific if key.type == "person" else fold(form.name) == key.fold
        shouted = form.name.isupper() and (small or len(key.fold) > 5)
        capital = key.type == "concept" and not form.name.islower()
        return not plain or is_possessive(form.name), shouted, -forms[form], capital, form

    return min(forms, key=rank) if len(forms) > 1 else next(iter(forms))


def variant_rule(form: Form, display: str) -> tuple[str, float]:
    """Name the rule that makes a form a variant of its key's name, with its confidence.

    Parameters
    ----------
    form : Form
        The variant.
    display : str
        Name of the key.

    Returns
    -------
    (str, float)
        The confidence is between 0 and 1.

    """
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


def by_hand(groups: Groups, same: Iterable[tuple[str, ...]]) -> list[str]:
    """Merge names that a researcher says are one entity into the first; return those that do not occur.

    Parameters
    ----------
    groups : Groups
        They change.
    same : iterable of tuple of str
        Names of one entity, a tuple each.

    Returns
    -------
    list of str
        In the order written.

    """
    by_fold: dict[str, set[Key]] = defaultdict(set)
    for form, key in groups.key_of.items():
        by_fold[fold(form.name)].add(key)
    missing = []
    for names in same:
        found = {n: sorted(by_fold[fold(n)], key=lambda k: (-groups.mentions(k), k)) for n in names}
        missing += [name for name in names if not found[name]]
        keys = [key for name in names for key in found[name]]
        for key in keys[1:]:
            groups.merge(key, keys[0], "same", 1.0)
    return missing


def types(groups: Groups, survey: Survey) -> None:
    """Give a name the type it mostly has, unless it names several things: a person and a place.

    Parameters
    ----------
    groups : Groups
        They change.
    survey : Survey
        What the corpus says about its names.

    """
    clusters: dict[tuple[str, str], list[Key]] = defaultdict(list)
    for key in groups.roots(*NAMED):
        # no place or thing is once called Mr, Mrs or Miss
        is_titled = any(map(gender_of, groups.forms[key]))
        if not (key.written or key in groups.gendered or is_titled):
            clusters[key.fold, key.qualifier].append(key)
    for keys in clusters.values():
        keys.sort(key=lambda key: (-groups.mentions(key), NAMED.index(key.type)))
        named = [key for key in keys if key.type != "concept"]
        whole = max(1, sum(map(groups.mentions, keys)))
        # a type holds its own with a third of the mentions; with a twentieth, person against place
        least = {key: 0.05 if {key.type, named[0].type} == {"person", "place"} else 1 / 3 for key in named}
        strong = [key for key in named if groups.mentions(key) / whole >= least[key]] or keys[:1]
        for key in keys:
            stays_noun = strong[0].type != "organisation" and _is_common(key, groups, survey)
            if key not in strong and not stays_noun:
                groups.merge(key, strong[0], "type", 0.8)


def _is_common(key: Key, groups: Groups, survey: Survey) -> bool:
    """Tell a common noun ("snow") from a name that only the extractor could not place ("Snow").

    A phrase that is mostly written with a capital ("Union will enable us") is no noun.
    """
    counts = {form: n for form, n in groups.forms[key].items() if n}
    capitals = {form: n for form, n in counts.items() if not form.name[:1].islower()}
    phrases = all(survey.tally(form).phrases == n for form, n in capitals.items())
    return key.type == "concept" and 2 * sum(capitals.values()) <= sum(counts.values()) and phrases


def acronyms(groups: Groups, survey: Survey) -> None:
    """Read GBH as the General Board of Health in the documents that say so; elsewhere it may be another.

    Parameters
    ----------
    groups : Groups
        They change.
    survey : Survey
        What the corpus says about its names.

    """
    for key in groups.roots("organisation", "concept", "place"):
        if _is_shouted(key, groups):
            _attach(groups, key, _readings(groups, survey, "acronym", key), ("acronym", 0.9))


def aliases(groups: Groups, survey: Survey) -> None:
    """Take a name for the one it is said to be another name of: everywhere, if it is of several words.

    Parameters
    ----------
    groups : Groups
        They change.
    survey : Survey
        What the corpus says about its names.

    """
    for key in groups.roots(*NAMED):
        readings = _readings(groups, survey, "alias", key)
        _attach(groups, key, readings, ("alias", 0.8), everywhere=" " in key.fold)


def initialisms(groups: Groups, _: Survey) -> None:
    """Read U.S. as the United States untold: a place named far more often than others of its initials.

    Parameters
    ----------
    groups : Groups
        They change.

    """
    places: dict[str, list[Key]] = defaultdict(list)
    for key in groups.roots("place"):
        if " " in key.fold:
            places["".join(word[0] for word in key.fold.split() if word != "of")].append(key)
    for key in groups.roots("place"):
        if _is_shouted(key, groups) and places[key.fold]:
            best = max(places[key.fold], key=lambda place: (groups.mentions(place), place))
            if 4 * groups.mentions(best) > 3 * sum(map(groups.mentions, places[key.fold])):
                groups.merge(key, best, "acronym", 0.7)


def _is_shouted(key: Key, groups: Groups) -> bool:
    return any(form.name.isupper() for form in groups.forms[key])


def qualifiers(groups: Groups, survey: Survey) -> None:
    """Take a bare "Titanic" for "Titanic (film)" in a document about it; elsewhere if no other is known.

    Parameters
    ----------
    groups : Groups
        They change.
    survey : Survey
        What the corpus says about its names.

    """
    for key in groups.roots(*NAMED):
        if not key.qualifier and not key.written:
            readings = _readings(groups, survey, "qualifier", key)
            # a document titled by the bare name speaks for something of that name alone
            alone = not any((form.name, "") in survey.titles for form in groups.forms[key])
            alone = alone and (" " in key.fold or not survey.lower[key.fold])
            _attach(groups, key, readings, ("qualifier", 0.7), everywhere=alone)


def initials(groups: Groups, _: Survey) -> None:
    """J. Snow is John Snow, and John Kennedy is John F. Kennedy, when nobody else fits.

    Parameters
    ----------
    groups : Groups
        They change.

    """
    persons = [(p, key) for key in groups.roots("person") if (p := person_name(groups.name(key))).is_full]
    namesakes: dict[tuple[str, str], list[tuple[PersonName, Key]]] = defaultdict(list)
    for person, key in persons:  # by surname, and first name or its initial
        first = person.tokens[0]
        for start in {first, first[0]}:
            namesakes[person.tokens[-1], start].append((person, key))
    for short, key in persons:
        same = namesakes[short.tokens[-1], short.tokens[0]]
        fits = [(full, other) for full, other in same if abbreviates(short, full)]
        whole = max(fits, key=lambda fit: (sum(map(len, fit[0].tokens)), fit[1]), default=None)
        if whole and all(full == whole[0] or abbreviates(full, whole[0]) for full, _ in fits):
            groups.merge(key, whole[1], "initials", 0.9)


def surnames(groups: Groups, survey: Survey) -> None:
    """Take a surname alone for the one person who bears it: in the corpus, else in the document.

    Two bearers in one document: the one named last before. Mr, Mrs and Miss tell bearers apart.

    Parameters
    ----------
    groups : Groups
        They change.
    survey : Survey
        What the corpus says about its names.

    """
    bearers: dict[str, list[Key]] = defaultdict(list)
    for key in groups.roots("person"):
        person = person_name(groups.name(key))
        if person.is_full or key in groups.gendered:
            bearers[person.tokens[-1]].append(key)
    for key in groups.roots("person", "concept"):
        name = key.fold.rpartition(" ")[2]
        if key in groups.gendered:
            same = [k for k in bearers[name] if k != key and groups.gendered[key] in _genders(groups, k)]
            if len(same) == 1:
                groups.merge(key, same[0], "surname", 0.8)
        elif " " not in key.fold:
            # a surname, not a common word: one that no text calls a person is never in lower case
            often = groups.mentions(key) if key.type == "person" else 0
            if survey.lower[key.fold] > often or _is_common(key, groups, survey):
                continue
            rule = ("surname", 0.85 if key.type == "person" else 0.7)
            sole = len(bearers[name]) == 1 and bearers[name][0] not in groups.gendered
            if sole and _told_apart(groups, key, bearers[name][0]):
                continue
            if sole and groups.allowed(key, bearers[name][0]):
                groups.merge(key, bearers[name][0], *rule)
            else:
                _attach(groups, key, _readings(groups, survey, "surname", key), rule, survey=survey)


def _told_apart(groups: Groups, one: Key, other: Key) -> bool:
    """Tell whether the two are only ever called by different titles: Mr Eley is not Mrs Susannah Eley."""
    titles, others = _genders(groups, one) - {""}, _genders(groups, other) - {""}
    return bool(titles and others) and not titles & others


def _genders(groups: Groups, key: Key) -> set[str]:
    """Return the classes of title a person is or may be called by; a given name tells too."""
    if key in groups.gendered:
        return set()
    told = {gender_of(form) for form in groups.forms[key]}
    sexes = {sex_of(form.name) for form in groups.forms[key]} - {""}
    if told <= {""} and len(sexes) == 1:
        return {"mr"} if sexes == {"m"} else {"mrs", "miss", "ms"}
    return told


def short_names(groups: Groups, survey: Survey) -> None:
    """In one document a given name or "the Board" is the only person or body there that it fits.

    Parameters
    ----------
    groups : Groups
        They change.
    survey : Survey
        What the corpus says about its names.

    """
    types_of: dict[Link, str] = {"given": "person", "head": "organisation"}
    for link, type_ in types_of.items():
        for key in groups.roots(type_):
            readings = _readings(groups, survey, link, key) if " " not in key.fold else {}
            # a name that mostly stands without the longer one is a name of its own: Congress, Senate
            n_documents = sum(survey.tally(form).documents for form in groups.forms[key])
            if 2 * len(readings) >= n_documents and not _is_common(key, groups, survey):
                _attach(groups, key, readings, (link, 0.6))


Readings = dict[str, list[Key]]
"""Document -> the entities a short name can mean there."""


def _readings(groups: Groups, survey: Survey, link: Link, key: Key) -> Readings:
    by_document: dict[str, set[Key]] = defaultdict(set)
    for long, together in survey.together.get((link, key.fold), {}).items():
        for target in _placed(groups, long, key):
            for ordinal in together:
                by_document[survey.documents[ordinal]].add(groups.root(target))
    return {document: sorted(found - {key}) for document, found in by_document.items() if found - {key}}


def _placed(groups: Groups, long: Key, short: Key) -> Iterator[Key]:
    """Yield the key as placed: a document's title does not say of which type its name is."""
    as_types = [key_of(Form(long.fold, type_, "", long.qualifier)) for type_ in (short.type, *NAMED)]
    yield from [key for key in ([long] if long.type else as_types) if key in groups.forms][:1]


def _attach(
    groups: Groups,
    key: Key,
    readings: Readings,
    rule: tuple[str, float],
    *,
    everywhere: bool = False,
    survey: Survey | None = None,
) -> None:
    """Merge a short name into its one reading, document by document or everywhere."""
    targets = {target for found in readings.values() for target in found}
    if everywhere and len(targets) == 1:
        groups.merge(key, targets.pop(), *rule)
        return
    turns: dict[str, Turns] = {d: [(0, found[0])] for d, found in readings.items() if len(found) == 1}
    if survey is not None:
        # who is named last before each character, where there are several bearers of a surname
        several = sorted(document for document, found in readings.items() if len(found) > 1)
        turns |= {document: list(survey.turns[document, key.fold]) for document in several}
    groups.merge_in(key, turns, *rule)


Rule = Callable[[Groups, Survey], None]
RULES: tuple[Rule, ...] = (types, acronyms, aliases, initialisms, qualifiers, initials, surnames, short_names)
"""In order: what holds everywhere comes before what holds in a document."""

Clusters = dict[Key, dict[Form, int]]


def place_forms(groups: Groups, survey: Survey, *, enabled: bool) -> None:
    """Put every form of the corpus and every title that names something under its key.

    Parameters
    ----------
    groups : Groups
        They change.
    survey : Survey
        What the corpus says about its names.
    enabled : bool
        If not, names are one that are equal up to case.

    """
    clusters: Clusters = defaultdict(dict)
    common = common_words(survey)
    groups.gendered.update(_titled_persons(survey) if enabled else {})
    by_title = {(key.fold, key.type): key for key in groups.gendered}
    for form, tally in survey.forms.items():
        if fold(form.name) in common:
            continue
        key = survey.keys[form]
        if not enabled and not form.value:
            key = key._replace(fold=form.name.casefold())
        if form.type == "person" and _is_phrase(form, survey):
            key = key._replace(fold=fold(form.name))
        if form.type == "concept" and _is_proper_plural(form, survey):
            key = key._replace(fold=without_article(fold(form.name)))
        key = by_title.get((f"{gender_of(form)} {key.fold}", form.type), key)
        clusters[key][form] = tally.mentions
    _add_titles(clusters, survey)
    for key in sorted(clusters):
        groups.place(key, clusters[key])


def _is_phrase(form: Form, survey: Survey) -> bool:
    """Tell "General Power" from "General Snow": both its words are found in lower case."""
    person = person_name(form.name)
    words = (person.honorific, *person.tokens)
    return bool(person.honorific) and len(words) == 2 and all(survey.lower[word] for word in words)


def _is_proper_plural(form: Form, survey: Survey) -> bool:
    """Tell "Waves" or "Indians", which may name one thing, from "States": the corpus has "state" too."""
    last = form.name.split()[-1]
    word = fold(last)
    return last[:1].isupper() and not (survey.lower[word] or survey.lower[singular(word)])


def common_words(survey: Survey) -> set[str]:
    """Return words only ever capitalised at a sentence's start, and more often found in lower case.

    Parameters
    ----------
    survey : Survey
        What the corpus says about its names.

    Returns
    -------
    set of str
        In lower case, folded.

    """
    mentions: Counter[str] = Counter()
    initial: Counter[str] = Counter()
    for form, tally in survey.forms.items():
        word = fold(form.name)
        mentions[word] += tally.mentions
        initial[word] += tally.initial
    return {word for word, n in initial.items() if n == mentions[word] and survey.lower[word] > n}


def _titled_persons(survey: Survey) -> dict[Key, str]:
    """Return keys for persons known by surname and title that are not whom the bare surname means.

    Mr Bennet and Mrs Bennet are two. Lady Macbeth is not Macbeth, who is named more often; Havisham,
    named less often than Miss Havisham, is she.
    """
    counts: dict[str, Counter[str]] = defaultdict(Counter)
    for form, tally in survey.forms.items():
        if form.type in ("person", "concept") and " " not in survey.keys[form].fold:
            counts[survey.keys[form].fold][gender_of(form)] += tally.mentions
    apart: dict[Key, str] = {}
    others = _full_bearers(survey)
    for name, by_gender in counts.items():
        bare = by_gender.pop("", 0)
        hers = {gender for gender in by_gender if gender != "mr"}
        if len(by_gender) > 1 or any(by_gender[gender] < bare or name in others for gender in hers):
            apart |= {Key(f"{gender} {name}", "person"): gender for gender in by_gender}
    return apart


def _full_bearers(survey: Survey) -> set[str]:
    """Return surnames that a full name bears which is not a woman's: Mrs Snow is not John Snow."""
    return {
        person_name(form.name).tokens[-1]
        for form in survey.forms
        if form.type == "person"
        and person_name(form.name).is_full
        and sex_of(form.name) != "f"
        and gender_of(form) in ("", "mr")
    }


def _add_titles(clusters: Clusters, survey: Survey) -> None:
    """Titles of documents name entities too, whether or not the texts do."""
    for title, qualifier in sorted(survey.titles):
        known = [key for key in (key_of(Form(title, type_)) for type_ in NAMED) if key in clusters]
        is_common = " " not in title and survey.lower[fold(title)]
        if not qualifier and (known or is_common or not looks_like_name(title)):
            continue
        if not known and (survey.closed or not looks_like_name(title)):
            continue
        main = max(known, key=lambda key: sum(clusters[key].values()), default=None)
        form = Form(title, main.type if main else "concept", "", qualifier)
        clusters[key_of(form)].setdefault(form, 0)


def known_names(groups: Groups, survey: Survey) -> dict[str, list[Key]]:
    """Return each name worth looking for in every text, with the keys it can mean, most mentioned first.

    Left out are values, single noun phrases and words more often met in lower case: the extractor has
    judged those in their sentences.

    Parameters
    ----------
    groups : Groups
        After all merges.
    survey : Survey
        What the corpus says about its names.

    Returns
    -------
    dict of str to list of Key
        The name as it is written in texts.

    """
    weight: Counter[Key] = Counter()
    for key in groups.forms:
        weight[groups.root(key)] += groups.mentions(key)
    names: dict[str, set[Key]] = defaultdict(set)
    for form, key in groups.key_of.items():
        if form.type in NAMED and _is_searchable(form, survey):
            names[form.name].add(key)
    return {
        name: sorted(keys, key=lambda key: (-weight[groups.root(key)], key))
        for name, keys in sorted(names.items())
    }


def _is_searchable(form: Form, survey: Survey) -> bool:
    if " " in form.name:
        return True
    tally = survey.tally(form)
    if len(form.name) < 2 or form.name[:1].islower() or tally.phrases > tally.mentions / 2:
        return False
    return survey.lower[fold(form.name)] <= max(tally.mentions, 1)


T = TypeVar("T")
_LETTERS = str.maketrans(
    {"ß": "ss", "æ": "ae", "œ": "oe", "ø": "o", "đ": "d", "ð": "d", "þ": "th", "ł": "l", "ı": "i"}
)
_FIGURE = re.compile(r".*\d|[ivx]{2,}$")
_LONG = 9
"""Letters from which two may differ."""
MIN_WORD = 5
"""Letters of a name of one word, below which a different letter is a different name."""
_MAX_WORD = 20
NEIGHBOURS = 20
"""In a crowd of names that share a block each is compared with so many next to it in order, as in the sorted
neighbourhood method (Hernández & Stolfo 1995): time stays linear."""


class Named(NamedTuple):
    """A name to compare: its words without marks over letters, and what is known of a person.

    Attributes
    ----------
    key : Key
        Its key.
    words : tuple of str
        Folded, without marks over letters.
    person : PersonName or None
        What the name says of a person; None for other types.
    genders : frozenset of str
        Classes of titles.
    figures : tuple of str
        Numbers among the words.

    """

    key: Key
    words: tuple[str, ...]
    person: PersonName | None
    genders: frozenset[str]
    figures: tuple[str, ...]


def named(groups: Groups, key: Key) -> Named:
    """Return the name of a key as it is compared with others.

    Parameters
    ----------
    groups : Groups
        Have the forms of the key.
    key : Key
        The key.

    Returns
    -------
    Named
        For comparing, not for showing.

    """
    if key.type != "person":
        words = tuple(map(skeleton, key.fold.split()))
        return Named(key, words, None, frozenset(), _figures(words))
    person = person_name(groups.name(key))
    words = tuple(map(skeleton, person.tokens))
    genders = {gender_of(form) for form in groups.forms[key]} | {GENDERED.get(person.honorific, "")}
    return Named(key, words, person, frozenset(genders - {""}), _figures((*words, person.lineage)))


def skeleton(word: str) -> str:
    """Return a folded word without the marks over and under its letters: "nguyễn" is "nguyen".

    Parameters
    ----------
    word : str
        Folded.

    Returns
    -------
    str
        The word itself where nothing would be left.

    """
    if word.isascii():
        return word
    spelled = unicodedata.normalize("NFKD", word.translate(_LETTERS))
    return "".join(c for c in spelled if unicodedata.category(c) != "Mn") or word


def _figures(words: Sequence[str]) -> tuple[str, ...]:
    """Return the numbers among a name's words, Roman ones too: Charles I is never Charles II."""
    last = len(words) - 1
    return tuple(w for n, w in enumerate(words) if _FIGURE.match(w) or (w == "i" and n == last))


def rivals(one: Named, other: Named) -> bool:
    """Tell two that cannot be one whatever the texts say: other numbers, titles or given names.

    Parameters
    ----------
    one, other : Named
        The names.

    Returns
    -------
    bool

    """
    if one.key.qualifier != other.key.qualifier:
        return True
    if one.person is None or other.person is None:
        return one.figures != other.figures and one.key.type == other.key.type
    if one.figures != other.figures or (one.genders and other.genders and not one.genders & other.genders):
        return True
    if {one.person.lineage, other.person.lineage} == {"jr", "sr"}:
        return True
    full = len(one.words) > 1 and len(other.words) > 1
    return full and one.words[-1] == other.words[-1] and not given_agree(one.words[:-1], other.words[:-1])


def given_agree(some: tuple[str, ...], others: tuple[str, ...]) -> bool:
    """Tell whether given names may be one person's: equal, initials, alike, shortened, or some left out.

    Parameters
    ----------
    some, others : tuple of str
        Words before one surname.

    Returns
    -------
    bool
        True where one of the two has none.

    """
    short, whole = sorted((some, others), key=len)
    if all(_fits(mine, theirs) for mine, theirs in zip(short, whole, strict=False)):
        return True
    return all(len(word) > 1 for word in short) and _is_part(short, whole)


def _fits(one: str, other: str) -> bool:
    if one == other or (1 in (len(one), len(other)) and one[0] == other[0]):
        return True
    shortened = is_short_for(one, other) or is_short_for(other, one)
    return shortened or (one[0] == other[0] and is_misspelt(one, other))


def _is_part(short: Sequence[str], whole: Sequence[str]) -> bool:
    """Tell whether all words of one stand in the other, in the same order."""
    rest = iter(whole)
    return all(word in rest for word in short)


def is_short_for(short: str, word: str) -> bool:
    """Tell an abbreviation: "gen" of "general", "dept" of "department", "wm" of "william".

    Parameters
    ----------
    short, word : str
        Without marks over letters.

    Returns
    -------
    bool
        Of 2 to 5 letters, at least two fewer than the word.

    """
    if not (2 <= len(short) <= 5 and len(word) >= len(short) + 2 and short[0] == word[0] and short.isalpha()):
        return False
    return word.startswith(short) or (short[-1] == word[-1] and _is_part(short, word))


def is_misspelt(one: str, other: str) -> bool:
    """Tell whether two words may be one, spelled in two ways: a letter more or less, or another one.

    A plural is none: the rules judge those.

    Parameters
    ----------
    one, other : str
        Folded, without marks over letters.

    Returns
    -------
    bool
        By the distance of optimal string alignment: one edit, two in long words.

    """
    short, long = sorted((one, other), key=len)
    if long == f"{short}s":
        return False
    if len(short) < MIN_WORD and (len(short) < 3 or len(long) != len(short) + 1):
        return False
    limit = 2 if len(short) >= _LONG else 1
    return 0 < OSA.distance(short, long, score_cutoff=limit) <= limit


def misspellings(words: Iterable[str]) -> dict[str, list[str]]:
    """Return for each word those of the others that may be the same, by the letters both can lose.

    Parameters
    ----------
    words : iterable of str
        Folded; those with other characters than letters, or of less than 3 or more than 20, are passed over.

    Returns
    -------
    dict of str to list of str
        Without words that are near no other.

    References
    ----------
    Garbe 2012 (SymSpell's symmetric deletes).

    """
    blocks: dict[tuple[str, ...], list[str]] = defaultdict(list)
    for word in sorted(words):
        if word.isalpha() and 3 <= len(word) <= _MAX_WORD:
            depth = 2 if len(word) >= _LONG else 1
            lengths = range(len(word) - depth, len(word) + 1)
            for rest in {letters for length in lengths for letters in combinations(word, length)}:
                blocks[rest].append(word)
    near: dict[str, set[str]] = defaultdict(set)
    for block in blocks.values():
        for one, other in neighbours(block):
            if other not in near[one] and is_misspelt(one, other):
                near[one].add(other)
                near[other].add(one)
    return {word: sorted(found) for word, found in near.items() if found}


def neighbours(block: Sequence[T]) -> Iterator[tuple[T, T]]:
    """Yield the pairs of a block; of a crowded one, each with those next to it.

    Parameters
    ----------
    block : sequence of T
        In order.

    Yields
    ------
    (T, T)
        Each pair once, in order; at most `NEIGHBOURS` for each item.

    """
    for n, one in enumerate(block):
        for other in block[n + 1 : n + 1 + NEIGHBOURS]:
            yield one, other


def blocks(items: Iterable[T], key: Callable[[T], Hashable | None]) -> Iterator[tuple[T, T]]:
    """Yield pairs of items whose key is the same and not None.

    Parameters
    ----------
    items : iterable of T
        The items.
    key : callable
        Says which block an item is in.

    Yields
    ------
    (T, T)
        Each pair once.

    """
    for block in grouped((by, item) for item in items if (by := key(item)) is not None).values():
        yield from neighbours(block)


MIN_CONFIDENCE = 0.7
"""Below it a "same" is nothing."""
Sign = Literal["letters", "type", "acronym", "initials", "order", "spelling", "abbreviation", "part"]
"""What makes two names near, the surest first."""
SIGNS: tuple[Sign, ...] = get_args(Sign)
_LONGER = frozenset({"acronym", "initials", "abbreviation", "part"})


class Pair(NamedTuple):
    """Two names that may be one, in order of their keys, with what the texts say around each.

    Attributes
    ----------
    one, other : Key
        The keys.
    sign : Sign
        What makes them near.
    names : (str, str)
        What they go by.
    contexts : (tuple of str, tuple of str), optional
        What the texts say around each.

    """

    one: Key
    other: Key
    sign: Sign
    names: tuple[str, str]
    contexts: tuple[tuple[str, ...], tuple[str, ...]] = ((), ())

    @property
    def id(self) -> str:
        """Identify the pair, whichever of the two its merge is made into."""
        return merge_id(self.one, self.other)


class Decision(NamedTuple):
    """Whether two names are one, how sure that is, and why.

    Attributes
    ----------
    pair : Pair
        The names.
    same : bool
        Whether they are one.
    confidence : float
        From 0 to 1.
    why : str, default ""
        As a language model says.

    """

    pair: Pair
    same: bool
    confidence: float
    why: str = ""


def apply(groups: Groups, decided: Iterable[Decision], rule: str) -> list[ToolWarning]:
    """Merge what was decided to be the same; the surer decision wins where two contradict one another.

    At equal confidence "not the same" wins. Names that a hand keeps apart never meet, in a chain neither.

    Parameters
    ----------
    groups : Groups
        They change.
    decided : iterable of Decision
        In any order.
    rule : str
        Name of the rule in the merges.

    Returns
    -------
    list of ToolWarning
        `contradicting_decisions`, or nothing.

    """
    clusters = _Clusters(groups)
    against: list[str] = []
    # the surest first
    for decision in sorted(decided, key=lambda d: (-d.confidence, d.same, d.pair.one, d.pair.other, d.why)):
        pair = decision.pair
        if pair.one not in groups.forms or pair.other not in groups.forms:
            continue
        if not decision.same:
            if clusters.differ(pair):
                against.append(f"{' / '.join(pair.names)}: not the same, but a chain of others says so")
        elif decision.confidence >= MIN_CONFIDENCE:
            against += clusters.join(decision, rule)
    message = f"{len(against)} decisions on names contradict surer ones; these hold"
    return [*warned("contradicting_decisions", message, against, when=against)]


class _Clusters:
    """The keys that decisions brought together, and those they keep apart."""

    def __init__(self, groups: Groups) -> None:
        self._groups = groups
        self._members: dict[Key, set[Key]] = {}
        self._apart: dict[Key, set[Key]] = defaultdict(set)
        self._named = cache(partial(named, groups))

    def _of(self, key: Key) -> set[Key]:
        root = self._groups.root(key)
        return self._members.setdefault(root, {root}) | {key}

    def differ(self, pair: Pair) -> bool:
        """Keep a pair apart from now on; tell whether it is one already."""
        if self._groups.root(pair.one) == self._groups.root(pair.other):
            return True
        self._apart[pair.one].add(pair.other)
        self._apart[pair.other].add(pair.one)
        return False

    def join(self, decision: Decision, rule: str) -> list[str]:
        """Merge a pair; return why that cannot be, where a surer decision is against it."""
        groups, pair = self._groups, decision.pair
        some, others = self._of(pair.one), self._of(pair.other)
        if groups.root(pair.one) == groups.root(pair.other):
            return []
        across = sorted((a, b) for a in some for b in others)
        if [pair for pair in across if groups.kept_apart(*pair)]:
            return []
        for one, other in across:
            if other not in self._apart[one] and not rivals(self._named(one), self._named(other)):
                continue
            names = f"{groups.name(one)} and {groups.name(other)}"
            return [f"{' / '.join(pair.names)}: the same, but {names} are not"]

        def weight(key: Key) -> tuple[int, bool, int, Key]:
            """Weigh the name a key goes by: the short is taken for the long, the rare for the frequent."""
            root = groups.root(key)
            length = len(root.fold) if pair.sign in _LONGER else 0
            return length, root.type != NAMED[-1], groups.mentions(root), root

        source, target = sorted((pair.one, pair.other), key=weight)
        groups.merge(source, target, rule, decision.confidence, decision.why)
        self._members[groups.root(target)] = some | others
        return []


_MAX_HOPS = 4


class EntityKey(NamedTuple):
    """An entity before anything is counted; `value` is the ISO date of a date, the amount of a quantity.

    Attributes
    ----------
    id : str
        Of the entity.
    name : str
        It goes by.
    type : str
        Of the entity.
    qualifier : str, default ""
        What tells it from another of its name.
    value : str, default ""

    """

    id: str
    name: str
    type: str
    qualifier: str = ""
    value: str = ""


class Resolved:
    """What resolution decided, ready to be asked about each mention.

    Parameters
    ----------
    groups : Groups
        After all merges.
    names : mapping of str to list of Key
        Name -> keys it can mean, best first.
    warnings : list of ToolWarning
        What to know about it.

    """

    def __init__(self, groups: Groups, names: Mapping[str, list[Key]], warnings: list[ToolWarning]) -> None:
        self._groups = groups
        self._local_keys = {key for key, _ in groups.local}
        self._names = names
        self._entities = {key: _entity(groups, groups.root(key)) for key in groups.forms}
        ends = ((self._entities[target], told) for target, told in groups.decisions)
        merges = [Merge(into=end.id, into_name=end.name, **told) for end, told in ends]
        self.merges = sorted(merges, key=lambda merge: (merge.into_name, merge.name, merge.id))
        self.warnings = warnings

    def entity_of(self, mention: Mention, document_id: str) -> EntityKey | None:
        """Return the entity a mention means, or None for a word that is no name.

        Parameters
        ----------
        mention : Mention
            The mention.
        document_id : str
            Where it stands.

        Returns
        -------
        EntityKey or None
            With id, name and type.

        """
        home = self._groups.key_of.get(form_of(mention))
        return self._entity(home, document_id, mention.start) if home else None

    def entity_named(
        self, name: str, document_id: str, start: int = 0, present: Container[str] = ()
    ) -> EntityKey | None:
        """Return the entity a known name means at a place; of homonyms one that is `present` is preferred.

        Parameters
        ----------
        name : str
            As written.
        document_id : str
            Where it stands.
        start : int, default 0
            At which character, from 0.
        present : container of str, optional
            Ids of entities.

        Returns
        -------
        EntityKey or None
            None for a name that nobody bears.

        """
        found = [self._entity(key, document_id, start) for key in self._names.get(name, ())]
        return next((key for key in found if key.id in present), found[0] if found else None)

    def _entity(self, key: Key, document_id: str, start: int) -> EntityKey:
        for _ in range(_MAX_HOPS):
            follow: Key | None = key
            while follow is not None and follow not in self._local_keys:
                follow = self._groups.into.get(follow)
            turns = self._groups.local.get((follow, document_id)) if follow is not None else None
            if not turns:
                break
            key = turns[max(0, bisect_right(turns, start, key=itemgetter(0)) - 1)][1]
        return self._entities[key]

    def names(self) -> dict[str, str]:
        """Return every name by which an entity can be found in a text, with the entity's id.

        Returns
        -------
        dict of str to str
            Of homonyms, the id of the one most mentioned.

        """
        return {name: self._entities[keys[0]].id for name, keys in self._names.items()}


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

    Parameters
    ----------
    survey : Survey
        What the corpus says about its names.
    options : Resolution
        How names become entities.
    decided : iterable of Decision, optional
        Of names that the rules left apart.

    Returns
    -------
    Resolved
        With warnings `unknown_name`, `unknown_merge` and `contradicting_decisions`.

    """
    groups, missing = by_rules(survey, options)
    contradicted = apply(groups, decided, "llm") if options.enabled else []
    unmade = sorted(set(options.undo) - groups.undone)
    in_vain = "resolution.same names what the corpus does not mention"
    warnings = [*warned("unknown_name", in_vain, missing, when=missing)]
    in_vain = "resolution.undo lists merges that are not made any more"
    warnings += [*warned("unknown_merge", in_vain, unmade, when=unmade), *contradicted]
    return Resolved(groups, known_names(groups, survey), warnings)


def by_rules(survey: Survey, options: Resolution) -> tuple[Groups, list[str]]:
    """Return names as hand and rules take them for one another, and what the hand names in vain.

    Parameters
    ----------
    survey : Survey
        What the corpus says about its names.
    options : Resolution
        How names become entities.

    Returns
    -------
    (Groups, list of str)
        The names that do not occur, in the order written.

    """
    groups = Groups(options)
    place_forms(groups, survey, enabled=options.enabled)
    missing = by_hand(groups, options.same)
    for rule in RULES if options.enabled else ():
        rule(groups, survey)
    return groups, missing
