"""Which forms stand under which key before any rule, and by which names entities are found in texts."""

from collections import Counter, defaultdict

from corpusgraph.tasks.index.groups import Groups
from corpusgraph.tasks.index.names import fold, person_name, sex_of, singular, without_article
from corpusgraph.tasks.index.survey import NAMED, Form, Key, Survey, gender_of, key_of, looks_like_name

Clusters = dict[Key, dict[Form, int]]


def place_forms(groups: Groups, survey: Survey, *, enabled: bool) -> None:
    """Put every form of the corpus and every title that names something under its key."""
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
    """Return words only ever capitalised at a sentence's start, and more often found in lower case."""
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
        if (
            len(by_gender) > 1
            or any(by_gender[gender] < bare for gender in hers)
            or (hers and name in others)
        ):
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
        if not qualifier and (known or not _names_something(title, survey)):
            continue
        if not known and (survey.closed or not looks_like_name(title)):
            continue
        main = max(known, key=lambda key: sum(clusters[key].values()), default=None)
        form = Form(title, main.type if main else "concept", "", qualifier)
        clusters[key_of(form)].setdefault(form, 0)


def _names_something(title: str, survey: Survey) -> bool:
    return looks_like_name(title) and (" " in title or not survey.lower[fold(title)])


def known_names(groups: Groups, survey: Survey) -> dict[str, list[Key]]:
    """Return each name worth looking for in every text, with the keys it can mean, most mentioned first.

    Left out are values, single noun phrases and words more often met in lower case: the extractor has
    judged those in their sentences.
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
