"""Relations said without a verb of their own: what a thing is, is called, is worth, and where it is.

A title before a name, an apposition, a bracket and a noun's prepositional phrase say them. Parsers hang these
on the wrong word more often than anything else, so that beside the tree the order of the words decides.
"""

from bisect import bisect_right
from collections.abc import Iterator, Sequence

from corpusgraph.schemas.evidence import Mention
from corpusgraph.tasks.extract.context import Context
from corpusgraph.tasks.extract.naming import noun_kind
from corpusgraph.tasks.extract.patterns import Statement
from corpusgraph.tasks.extract.roles import (
    expanded,
    is_passive,
    objects,
    obliques,
    subjects,
    surface_subjects,
)
from corpusgraph.tasks.extract.rules.known_names import ROLES
from corpusgraph.tasks.extract.stance import stance_of
from corpusgraph.tasks.extract.tree import Tree
from corpusgraph.tasks.text.wordlist import words, wordset

KIN = words("nominal.kin")
OFFICES = words("nominal.offices")
_HELD = wordset("current former incumbent acting deputy")
_HONORIFICS = words("nominal.honorifics")
_TITLES = (ROLES | OFFICES) - _HONORIFICS - KIN
_TERRITORIES = words("nominal.territories")
_CALLING = words("nominal.calling")
_REGARDING = words("nominal.regarding")


def described(context: Context, sentence: int) -> Iterator[Statement]:
    """Yield what something is said to be: "X is a Y", "X, a Y", "the Y X", "X is known as Y"."""
    tree = context.trees[sentence]
    for token in range(len(tree)):
        if tree.upos[token] in ("NOUN", "PROPN"):
            yield from _predicated(context, sentence, token)
        elif tree.lows[token] == "one" and tree.dependent(token, "cop") is not None:
            for kind in obliques(tree, token, ["of"]):  # "is one of the first"
                for subject in surface_subjects(tree, token):
                    yield Statement(subject, kind, "is_a", token, (token,), "one of", 0.65)
        elif tree.upos[token] == "VERB" and tree.lemmas[token] in _CALLING | _REGARDING:
            yield from _called(tree, token)
    for name in context.names[sentence]:
        yield from _beside(context, sentence, name)


def _predicated(context: Context, sentence: int, token: int) -> Iterator[Statement]:
    """Read "X is a Y", "X became a Y", "as a Y, X ...", and what the tree takes for an apposition."""
    tree = context.trees[sentence]
    copula, head, relation = tree.dependent(token, "cop"), tree.heads[token], tree.relations[token]
    if relation == "appos":
        yield from _appositive(context, sentence, token)
    elif copula is not None and tree.lemmas[copula] == "be" and not tree.case_of(token):
        yield from _copular(context, sentence, token, copula)
    elif relation == "obl" and tree.case_of(token) == "as" and token < head and _says_what(tree, token):
        for subject in surface_subjects(tree, head):  # "as a doctor, she knew"
            yield _in_passing(subject, token, "is_a", "as")
    elif relation in ("xcomp", "obj") and tree.lemmas[head] == "become" and tree.words[token].islower():
        for subject in surface_subjects(tree, head):
            yield Statement(subject, token, _kind(tree, token), head, (head,), "become", 0.65)
    else:
        for example, kind in _examples(tree, token):
            name = context.name_at(sentence, example)
            if name is None or name.type != "person" or _is_for_person(tree, kind):
                yield _in_passing(example, kind, "is_a", "example")


def _in_passing(source: int, target: int, type_: str, name: str, cue: int | None = None) -> Statement:
    anchor = target if cue is None else cue
    return Statement(source, target, type_, anchor, (anchor,), name, 0.6, in_passing=True)


def _appositive(context: Context, sentence: int, token: int) -> Iterator[Statement]:
    """Read an apposition of the tree: of a name and a noun, of two nouns with "a", of a noun in brackets."""
    tree = context.trees[sentence]
    head = tree.heads[token]
    kinds = {tree.upos[head], tree.upos[token]}
    if ")" in tree.words[head:token]:
        return  # "Fresh (a shandy), Special"
    if kinds == {"NOUN", "PROPN"} and _opens_phrase(tree, token):
        source, target = (head, token) if tree.upos[head] == "PROPN" else (token, head)
        if tree.lemmas[target] not in KIN and _agree(context, sentence, source, target):
            yield _in_passing(source, target, _kind(tree, target), "apposition")
    elif kinds == {"NOUN"} and _is_indefinite(tree, token) and _follows(tree, token):
        yield _in_passing(head, token, "is_a", "apposition")  # "the nucleus, a pair of groups of cells"
    elif kinds == {"NOUN"} and _in_brackets(tree, token) and tree.words[token].islower():
        same = tree.feature(token, "Number") == tree.feature(head, "Number")
        same = same and context.name_at(sentence, token) is None
        for other in expanded(tree, [token]) if same else ():
            yield _in_passing(other, head, "is_a", "bracket", token)


def _examples(tree: Tree, token: int) -> Iterator[tuple[int, int]]:
    """Yield an example and its kind: "authors such as X and Y", "Spain, Britain or any other nation"."""
    head = tree.heads[token]
    if tree.case_of(token) == "such as":
        before = noun_before(tree, token)
        if before is not None and tree.feature(before, "Number") == "Plur":
            yield from ((example, before) for example in expanded(tree, [token]))
        return
    others = [child for child in tree.dependents(token, "amod", "det") if tree.lows[child] == "other"]
    others = [
        child for child in others if tree.lows[child - 1] in ("and", "or", "any", "many", "some", "all", ",")
    ]
    if others and tree.relations[token] == "conj" and tree.upos[token] == "NOUN" and not tree.case_of(token):
        yield from ((example, token) for example in expanded(tree, [head]) if example < token)


def _copular(context: Context, sentence: int, token: int, copula: int) -> Iterator[Statement]:
    tree = context.trees[sentence]
    pronoun = tree.dependent(token, "nsubj")
    low = "" if pronoun is None else tree.lows[pronoun]
    clauses = tree.dependents(token, "csubj", "xcomp", "ccomp", "advcl", "acl")
    if low == "it" and any(tree.mark_of(child) in ("to", "that") for child in clauses):
        return  # "it is folly to abolish it"
    cue = (copula,) if pronoun is None or low not in ("which", "who", "that") else (pronoun, copula)
    if pronoun is not None and tree.deprels[pronoun] == "nsubj:outer":
        return  # "the presumption is that they are"
    for subject in surface_subjects(tree, token):
        for predicate in tree.conjuncts(token):
            name = context.name_at(sentence, predicate)
            amount = name is not None and name.type in ("date", "quantity")
            named = tree.lemmas[subject] in _WORDS  # "their names were Ann and Lee"
            if amount or named or tree.upos[predicate] not in ("NOUN", "PROPN") or tree.case_of(predicate):
                continue
            source, target = (
                (predicate, subject)
                if _names_it(context, sentence, subject, predicate)
                else (subject, predicate)
            )
            yield Statement(source, target, _kind(tree, target), token, cue, "be", 0.7)


def _names_it(context: Context, sentence: int, subject: int, predicate: int) -> bool:
    """Tell "the capital is Rome" and "one of the first was the garden" from "Rome is the capital"."""
    tree = context.trees[sentence]
    name, other = context.name_at(sentence, predicate), context.name_at(sentence, subject)
    named = name is not None and name.type not in ("date", "quantity") and other is None
    if tree.upos[subject] == "NOUN" and named and tree.upos[predicate] == "PROPN":
        return True
    return tree.lows[subject] == "one" and bool(tree.dependents(subject, "nmod"))


def _kind(tree: Tree, noun: int) -> str:
    """Return the relation to a noun that says what somebody is: a stated office is held."""
    stated = any(tree.case_of(child) in ("of", "for", "from") for child in tree.dependents(noun, "nmod"))
    stated = stated or any(
        tree.lows[child] in _HELD or tree.upos[child] == "PROPN"
        for child in tree.dependents(noun, "amod", "compound")
    )
    return "holds_office" if tree.lemmas[noun] in OFFICES and stated else "is_a"


def _called(tree: Tree, verb: int) -> Iterator[Statement]:
    """Read "is known as Y", "called X Y", "regarded X as Y"."""
    passive = is_passive(tree, verb)
    if any(tree.case_of(child) in ("after", "for") for child in tree.dependents(verb, "obl")):
        return  # named after somebody
    nominal = [
        child
        for child in tree.dependents(verb, "xcomp", "obl", "obj", "ccomp")
        if tree.upos[child] in ("NOUN", "PROPN") and child > verb
    ]
    after = [
        child
        for child in nominal
        if tree.case_of(child).split(" ")[-1] == "as" or tree.mark_of(child) == "as"
    ]
    if tree.lemmas[verb] not in _REGARDING or not after:
        plain = [child for child in nominal if not tree.case_of(child) and not tree.mark_of(child)]
        after = plain[0 if passive else 1 :] if tree.lemmas[verb] in _CALLING else []
    if not after:
        return
    target, lemma = after[-1], tree.lemmas[verb]
    if tree.lemmas[target] in _RELATIVE_NOUNS:
        return
    things = _called_things(tree, verb, target)
    judged = not passive and lemma in _JUDGING
    speaker = next((token for token in subjects(tree, verb) if token not in things), None) if judged else None
    for thing in things:
        for kind in expanded(tree, [target]):
            if thing != kind:
                type_ = _kind(tree, kind)
                yield Statement(thing, kind, type_, verb, (verb,), lemma, 0.65, speaker=speaker)


def _called_things(tree: Tree, verb: int, name: int) -> list[int]:
    """Return what is called a name: the subject of a passive, the object, "to X" of "refer to X as Y"."""
    if is_passive(tree, verb) or tree.lemmas[verb] in ("serve", "act", "function", "work"):
        return surface_subjects(tree, verb)
    return [token for token in objects(tree, verb) if token < name] or [
        child for child in tree.dependents(verb, "obl") if tree.case_of(child) == "to" and child < name
    ]


# Names beside nouns


def _beside(context: Context, sentence: int, name: Mention) -> Iterator[Statement]:
    """Read a title before a name and an apposition on either side of it by the order of the words."""
    tree = context.trees[sentence]
    first, last = tree.range_of(name.start, name.end)
    token = next((at for at in range(first, last) if tree.upos[at] == "PROPN"), None)
    if token is None or name.type in ("date", "quantity"):
        return
    titled = name.type == "person" and tree.lows[first] != "dean"  # also a given name
    titles = [at for at in range(first, last - 1) if titled and tree.lows[at] in _TITLES]
    if titles:
        title = titles[-1]
        yield _in_passing(last - 1, title, "is_a", "title")
    first -= first > 1 and tree.words[first - 1] == "The"  # "his novel The Tower"
    for noun in (*_titles(tree, first, name.type), *_apposed(tree, first, last, name.type)):
        if tree.lemmas[noun] not in KIN:
            yield _in_passing(token, noun, _kind(tree, noun), "apposition")
            if name.type == "person" and noun < first:
                yield from _employed(context, sentence, token, noun)


def _employed(context: Context, sentence: int, person: int, title: int) -> Iterator[Statement]:
    """Read whose a title is: "IBM engineer Ann Lee", "Apple's chief executive Tim Cook"."""
    tree, before = context.trees[sentence], title - 1
    while before > 0 and (tree.upos[before] in ("ADJ", "PART") or tree.words[before].islower()):
        if tree.heads[before] not in (title, before - 1, before + 1) and tree.heads[before] <= before - 1:
            return
        before -= 1
    name = context.name_at(sentence, before) if before >= 0 else None
    if name is not None and name.type == "organisation" and tree.heads[before] >= before:
        yield _in_passing(person, before, "works_for", "title", title)


def _titles(tree: Tree, first: int, kind: str) -> Iterator[int]:
    """Yield the nouns right before a name that say what it names: "the poet and critic T. S. Eliot"."""
    before = first - 1
    if before > 0 and tree.lows[before] == "of" and tree.lows[before - 1] in _TERRITORIES and kind == "place":
        yield before - 1
        return
    while before >= 0 and _is_title(tree, before, first, kind):
        yield before
        if before < 2 or tree.lows[before - 1] not in ("and", ","):
            return
        before -= 2


def _is_title(tree: Tree, noun: int, first: int, kind: str) -> bool:
    """Tell a noun of the name's kind, or one that modifies the name in the tree: "bus operator Tarn"."""
    described_kind = noun_kind(tree, noun)
    if (tree.lemmas[noun] in _WORDS and tree.upos[noun] == "NOUN") or (
        kind == "person" and tree.lows[noun] in _TITLES and tree.upos[noun] != "VERB"
    ):
        return True
    modifies = tree.heads[noun] >= first > noun and tree.relations[noun] in ("compound", "nmod", "amod")
    return bool(described_kind) and (described_kind == kind or (modifies and noun == first - 1))


_WORDS = wordset("word term name phrase expression nickname")


def _apposed(tree: Tree, first: int, last: int, kind: str) -> Iterator[int]:
    """Yield the nouns that stand beside a name between commas or in brackets."""
    if kind == "place" and first > 1 and tree.words[first - 1] == "," and tree.upos[first - 2] == "PROPN":
        return  # "Boston, Massachusetts, the largest city": what is said is said of the first
    if tree.words[last : last + 1] == ["("] and ")" in tree.words[last : last + 12]:
        closing = tree.words.index(")", last) + 1
        last = closing if tree.words[closing : closing + 1] == [","] else last
    if last + 1 < len(tree) and tree.words[last] in (",", "(", "—", "–"):
        noun, end = phrase_after(tree, last + 1)
        strict = first > 0 and tree.upos[first - 1] in ("ADP", "VERB")
        begins = tree.lows[last + 1] in ("a", "an") or (
            not strict and (tree.upos[last + 1] in ("DET", "ADJ") or tree.lows[last + 1] in _TITLES)
        )
        if noun is not None and begins and _closes(tree, end) and _is_of_kind(tree, noun, kind):
            yield noun
    if first > 1 and tree.words[first - 1] == "," and _closes(tree, last, (",", ".", ";", ")")):
        noun = phrase_before(tree, first - 1)
        if noun is not None and _is_of_kind(tree, noun, kind):
            yield noun


def _is_of_kind(tree: Tree, noun: int, kind: str) -> bool:
    return noun_kind(tree, noun) == kind


def phrase_after(tree: Tree, start: int) -> tuple[int | None, int]:
    """Return the head noun of the phrase that begins at a token, and the token after its "of" phrases."""
    head, at = None, start
    while at < len(tree) and at - start < 14:
        if tree.upos[at] in ("NOUN", "PROPN"):
            if at + 1 == len(tree) or (
                tree.upos[at + 1] not in ("NOUN", "PROPN", "ADJ") and tree.lows[at + 1] not in ("'s", "’s")
            ):
                head = at if head is None else head
        elif head is not None and (
            tree.lows[at] in ("of", "in", "from", "for", "at") or tree.upos[at] in ("DET", "ADJ", "NUM")
        ):
            pass
        elif head is not None or tree.upos[at] not in ("DET", "ADJ", "NUM", "ADV", "PART", "CCONJ"):
            break
        at += 1
    return head, at


def phrase_before(tree: Tree, stop: int) -> int | None:
    """Return the head noun of the phrase that ends before a token, an "of" phrase taken along.

    The phrase has its own determiner: "his wife, Anna", "the mayor of Rome, Ann Lee".
    """
    at, head = stop - 1, None
    while at >= 0 and stop - at < 12:
        upos, low = tree.upos[at], tree.lows[at]
        if upos in ("NOUN", "PROPN") and (head is None or tree.lows[at + 1] in ("of", "at", "for")):
            head = at
        elif head is None or not (
            upos in ("ADJ", "NOUN", "PROPN", "NUM", "PART") or low in ("of", "at", "for", "the")
        ):
            break
        if low in ("a", "an", "his", "her", "its", "their") or (
            low == "the" and (at == 0 or tree.lows[at - 1] not in ("of", "at", "for"))
        ):
            break
        at -= 1
    determined = at >= 0 and (tree.lows[at] in ("a", "an", "the") or tree.upos[at] == "PRON")
    return head if determined and head is not None and at < head else None


_CLOSING = (",", ".", ";", ")", ":", "—", "–", "(")


def _closes(tree: Tree, at: int, marks: Sequence[str] = _CLOSING) -> bool:
    """Tell whether a phrase ends at a token, so that no verb follows which the phrase is the subject of."""
    if at >= len(tree) or tree.words[at] in marks:
        return True
    return marks is _CLOSING and tree.lows[at] in ("who", "which", "whose", "that", "and")


def _opens_phrase(tree: Tree, token: int) -> bool:
    first = min(tree.subtree(token, ("punct",)))
    return first > 0 and tree.words[first - 1] in (",", "(", "—", "–", "--")


def _follows(tree: Tree, token: int) -> bool:
    """Tell an apposition of the common noun before it from one of a name between the two."""
    first = min(tree.subtree(token, ("punct",)))
    stands_alone = not tree.dependents(tree.heads[token], "det", "amod", "nmod", "compound")  # "in fact, a"
    return _opens_phrase(tree, token) and first > 1 and tree.upos[first - 2] == "NOUN" and not stands_alone


def _in_brackets(tree: Tree, token: int) -> bool:
    first = min(tree.subtree(token, ("punct",)))
    return (
        tree.upos[token] == "NOUN"
        and "(" in tree.words[max(0, first - 2) : first]
        and not tree.case_of(token)
    )


def _agree(context: Context, sentence: int, source: int, target: int) -> bool:
    """Tell whether a name and a noun beside it can be of one kind; a person needs a noun for persons."""
    tree = context.trees[sentence]
    name, kind = context.name_at(sentence, source), noun_kind(tree, target)
    if not tree.words[target].islower() or (target < source and tree.case_of(target) and not kind):
        return False
    if name is None or name.name.isupper():
        return name is None
    if not kind and tree.words[target - 1] == "(":
        return False  # "Oslo (winter)"
    if name.type == "person":
        return _is_for_person(tree, target) or (not kind and _is_indefinite(tree, target))
    return not kind or name.type in (kind, "concept") or kind == "concept"


def _says_what(tree: Tree, noun: int) -> bool:
    return _is_indefinite(tree, noun) and tree.lemmas[noun] not in _RELATIVE_NOUNS


_JUDGING = words("nominal.judging")
_RELATIVE_NOUNS = wordset("result part consequence whole rule matter means way response return effect use")
"""Nouns after "as" that say how a clause belongs to another, not what anything is."""


def _is_for_person(tree: Tree, noun: int) -> bool:
    kind = noun_kind(tree, noun)
    return kind == "person" or (not kind and tree.lemmas[noun].endswith(_AGENTIVE))


def _is_indefinite(tree: Tree, noun: int) -> bool:
    return tree.has_word(noun, ("a", "an"), "det")


_AGENTIVE = ("er", "or", "ist", "ian", "ant", "man", "ess", "eer")


def named_beside(tree: Tree, noun: int) -> list[int]:
    """Return a token of the name that a noun with its phrase stands in apposition to: "his wife Anna"."""
    after = noun + 1
    if after < len(tree) and tree.upos[after] == "PROPN":
        return [after]
    _, end = phrase_after(tree, noun)
    of_person = any(noun_kind(tree, at) == "person" for at in range(noun + 1, end))
    person = noun_kind(tree, noun) == "person"
    if (
        person
        and not of_person
        and end + 1 < len(tree)
        and tree.words[end] == ","
        and tree.upos[end + 1] == "PROPN"
    ):
        last = end + 1
        while last < len(tree) and tree.upos[last] == "PROPN":
            last += 1
        if _closes(tree, last, (",", ".", ";", ")")):
            return [end + 1]
    first = noun
    while first and tree.upos[first - 1] in ("ADJ", "NUM", "DET", "ADV"):
        first -= 1
    if (
        first > 1
        and tree.words[first - 1] in (",", "(")
        and tree.upos[first - 2] == "PROPN"
        and _closes(tree, end)
    ):
        name = first - 2
        while name and tree.upos[name - 1] in ("PROPN", "ADJ"):
            name -= 1
        if name == 0 or tree.upos[name - 1] != "ADP":  # not "lived in Leeds, the son of a baker"
            return [first - 2]
    return []


def bearer(context: Context, sentence: int, token: int, other: int) -> Mention | None:
    """Return the name that the sentence says a noun is: of "X is a film by Y" the film is X.

    `other` is the other end of the relation, which cannot be the same thing.
    """
    tree = context.trees[sentence]
    if tree.upos[token] != "NOUN" or context.name_at(sentence, token) is not None:
        return None
    beside = token + 1 + (tree.words[token + 1 : token + 2] == ["The"])  # "his novel The Tower"
    after = context.name_at(sentence, beside) if beside < len(tree) else None
    if (
        after is not None
        and after.start == tree.starts[beside]
        and _is_title(tree, token, beside, after.type)
    ):
        return after  # "the poet John Clare"
    holders: list[int] = []
    first = tree.heads[token] if tree.relations[token] == "conj" else token
    if tree.dependent(first, "cop") is not None and not tree.case_of(first):
        stance = stance_of(tree, first)
        if not stance.negated and stance.modality == "fact":
            holders = surface_subjects(tree, first)
    elif token == first and (apposed := _apposition(tree, token)) is not None:
        holders = [apposed]  # "X, a film by Y", "the film, X,"
        name = context.name_at(sentence, holders[0])
        kind = noun_kind(tree, token)
        if name is None or (kind or ("" if _is_indefinite(tree, token) else "unknown")) not in (
            "",
            name.type,
        ):
            return None
    for holder in holders:
        reference = context.references.get((sentence, holder))
        name = reference.mention if reference is not None else context.name_at(sentence, holder)
        if holder != other and name is not None and name.type not in ("date", "quantity"):
            return None if other >= 0 and name == context.name_at(sentence, other) else name
    return None


def _apposition(tree: Tree, noun: int) -> int | None:
    """Return what a noun stands in apposition to, on either side of it."""
    if tree.relations[noun] == "appos":
        return tree.heads[noun] if _opens_phrase(tree, noun) else None
    after = tree.dependent(noun, "appos")
    return after if after is not None and _opens_phrase(tree, after) else None


def named_before(context: Context, phrase: Mention) -> Mention | None:
    """Return the name that bears an earlier description, which a pronoun took up: it, the film, is X."""
    starts = [tree.start for tree in context.trees]
    sentence = bisect_right(starts, phrase.start) - 1
    token = context.trees[sentence].position_at(phrase.start, phrase.end) if sentence >= 0 else None
    return None if token is None else bearer(context, sentence, token, -1)


def noun_before(tree: Tree, token: int) -> int | None:
    """Return the noun right before the preposition of a phrase: what it belongs to, wherever it hangs."""
    before = min(tree.dependents(token, "case"), default=0) - 1
    before -= before > 0 and tree.words[before] == ","
    return before if before >= 0 and tree.upos[before] == "NOUN" else None


def token_of(tree: Tree, first: int, last: int) -> int:
    """Return a token of a name that tells it is one: the first proper noun."""
    return next((at for at in range(first, last) if tree.upos[at] == "PROPN"), last - 1)
