"""The rules that take one name for another. Each decision can be undone, so each is made alone."""

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator

from corpusgraph.tasks.index.groups import Groups, Turns
from corpusgraph.tasks.index.names import PersonName, abbreviates, fold, person_name, sex_of
from corpusgraph.tasks.index.survey import NAMED, Form, Key, Link, Survey, gender_of, key_of


def by_hand(groups: Groups, same: Iterable[tuple[str, ...]]) -> list[str]:
    """Merge names that a researcher says are one entity into the first; return those that do not occur."""
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
    """Give a name the type it mostly has, unless it names several things: a person and a place."""
    clusters: dict[tuple[str, str], list[Key]] = defaultdict(list)
    for key in groups.roots(*NAMED):
        if not (key.written or key in groups.gendered or _is_titled(key, groups)):
            clusters[key.fold, key.qualifier].append(key)
    for keys in clusters.values():
        keys.sort(key=lambda key: (-groups.mentions(key), NAMED.index(key.type)))
        named = [key for key in keys if key.type != "concept"]
        strong = [key for key in named if _is_strong(key, named[0], keys, groups)] or keys[:1]
        for key in keys:
            if key not in strong and not (
                _is_common(key, groups, survey) and strong[0].type != "organisation"
            ):
                groups.merge(key, strong[0], "type", 0.8)


def _is_titled(key: Key, groups: Groups) -> bool:
    """Tell a person once called Mr, Mrs or Miss: no place or thing is."""
    return any(gender_of(form) for form in groups.forms[key])


def _is_strong(key: Key, main: Key, keys: list[Key], groups: Groups) -> bool:
    """Tell whether a type holds its own: a third of the mentions; a twentieth, person against place."""
    share = groups.mentions(key) / max(1, sum(map(groups.mentions, keys)))
    return share >= (0.05 if {key.type, main.type} == {"person", "place"} else 1 / 3)


def _is_common(key: Key, groups: Groups, survey: Survey) -> bool:
    """Tell a common noun ("snow") from a name that only the extractor could not place ("Snow")."""
    forms = groups.forms[key]
    return key.type == "concept" and all(
        form.name[:1].islower() or survey.tally(form).phrases == n for form, n in forms.items() if n
    )


def _is_proper(key: Key, groups: Groups, survey: Survey) -> bool:
    """Tell a surname from a common word: a word that no text calls a person is never in lower case."""
    lower = survey.lower[key.fold]
    often = groups.mentions(key) if key.type == "person" else 0
    return lower <= often and not _is_common(key, groups, survey)


def _documents(key: Key, groups: Groups, survey: Survey) -> int:
    return sum(survey.tally(form).documents for form in groups.forms[key])


def acronyms(groups: Groups, survey: Survey) -> None:
    """Read GBH as the General Board of Health in the documents that say so; elsewhere it may be another."""
    for key in groups.roots("organisation", "concept", "place"):
        if _is_shouted(key, groups):
            readings = _readings(groups, survey, "acronym", key)
            _attach(groups, key, readings, ("acronym", 0.9))


def aliases(groups: Groups, survey: Survey) -> None:
    """Take a name for the one it is said to be another name of: everywhere, if it is of several words."""
    for key in groups.roots(*NAMED):
        readings = _readings(groups, survey, "alias", key)
        if readings:
            _attach(groups, key, readings, ("alias", 0.8), everywhere=" " in key.fold)


def initialisms(groups: Groups, _: Survey) -> None:
    """Read U.S. as the United States untold: a place named far more often than others of its initials."""
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
    """Take a bare "Titanic" for "Titanic (film)" in a document about it; elsewhere if no other is known."""
    for key in groups.roots(*NAMED):
        if not key.qualifier and not key.written:
            readings = _readings(groups, survey, "qualifier", key)
            # a document titled by the bare name speaks for something of that name alone
            alone = not any((form.name, "") in survey.titles for form in groups.forms[key])
            alone = alone and (" " in key.fold or not survey.lower[key.fold])
            _attach(groups, key, readings, ("qualifier", 0.7), everywhere=alone)


def initials(groups: Groups, _: Survey) -> None:
    """J. Snow is John Snow, and John Kennedy is John F. Kennedy, when nobody else fits."""
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
    """
    bearers = _bearers(groups)
    for key in groups.roots("person", "concept"):
        name = key.fold.rpartition(" ")[2]
        if key in groups.gendered:
            same = [k for k in bearers[name] if k != key and groups.gendered[key] in _genders(groups, k)]
            if len(same) == 1:
                groups.merge(key, same[0], "surname", 0.8)
        elif " " not in key.fold and _is_proper(key, groups, survey):
            rule = ("surname", 0.85 if key.type == "person" else 0.7)
            sole = len(bearers[name]) == 1 and bearers[name][0] not in groups.gendered
            if sole and _told_apart(groups, key, bearers[name][0]):
                continue
            if sole and groups.allowed(key, bearers[name][0]):
                groups.merge(key, bearers[name][0], *rule)
            else:
                _attach(groups, key, _readings(groups, survey, "surname", key), rule, survey=survey)


def _bearers(groups: Groups) -> dict[str, list[Key]]:
    found: dict[str, list[Key]] = defaultdict(list)
    for key in groups.roots("person"):
        person = person_name(groups.name(key))
        if person.is_full or key in groups.gendered:
            found[person.tokens[-1]].append(key)
    return found


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
    """In one document a given name or "the Board" is the only person or body there that it fits."""
    kinds: tuple[tuple[Link, tuple[str, ...]], ...] = (
        ("given", ("person",)),
        ("head", ("organisation",)),
    )
    for link, of_types in kinds:
        for key in groups.roots(*of_types):
            readings = _readings(groups, survey, link, key) if " " not in key.fold else {}
            # a name that mostly stands without the longer one is a name of its own: Congress, Senate
            if 2 * len(readings) >= _documents(key, groups, survey) and not _is_common(key, groups, survey):
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
        several = {document for document, found in readings.items() if len(found) > 1}
        turns |= _turns(survey, key.fold, several)
    groups.merge_in(key, turns, *rule)


def _turns(survey: Survey, surname: str, documents: set[str]) -> dict[str, Turns]:
    """Look up who is named last before each character, for documents with several bearers of a surname."""
    return {document: list(survey.turns[document, surname]) for document in sorted(documents)}


RULES: tuple[Callable[[Groups, Survey], None], ...] = (
    types,
    acronyms,
    aliases,
    initialisms,
    qualifiers,
    initials,
    surnames,
    short_names,
)
"""In order: what holds everywhere comes before what holds in a document."""
