"""Where things are, and what else a preposition between two nouns says: part, work, time, subject."""

from collections.abc import Iterator, Sequence
from itertools import pairwise

from corpusgraph.schemas.evidence import Mention
from corpusgraph.tasks.extract.activities import EVENTIVE
from corpusgraph.tasks.extract.context import Context
from corpusgraph.tasks.extract.naming import noun_kind
from corpusgraph.tasks.extract.nominal import KIN, bearer, noun_before, token_of
from corpusgraph.tasks.extract.patterns import Statement
from corpusgraph.tasks.extract.roles import surface_subjects
from corpusgraph.tasks.extract.rules.known_names import KIND_OF, ROLES
from corpusgraph.tasks.extract.tree import Tree
from corpusgraph.tasks.text.wordlist import words, wordset

_TIMES = words("places.times")
_SITES = {word for word, kind in KIND_OF.items() if kind == "place"} - {"community"} | words("places.sites")
"""Nouns for what something can be in or on."""
_SURFACES = words("places.surfaces")
_SAYING_ON = EVENTIVE | words("places.saying_on")
"""Nouns whose "on" leads to what they are about or bear upon."""
_PARTS = words("places.parts")
_HEADINGS = wordset("head article chapter chain")
"""What a thing is said, or a tax laid, "on"."""
_REALMS = wordset("area field world class realm sphere branch")
"""Sites that an "of" makes a subject: "the field of optics"."""
_NOT_PLACED = words("places.not_placed") | _TIMES
"""Nouns whose "in" names what they are about, not where they are."""
_INNER = words("places.inner")
_QUALITY = ("ness", "ity", "ship", "ence", "ance", "dom", "tude", "acy", "cracy")
"""How nouns end for what is had, felt or thought, and has no place of its own."""
_ABOUT = wordset("about concerning regarding")
_EMPLOYED = words("places.employed")


def placed_names(context: Context, sentence: int) -> Iterator[Statement]:
    """Yield what two names with nothing but a comma or a bracket between them say: "Leith, Scotland"."""
    tree, run = context.trees[sentence], []
    for name, other in pairwise(context.names[sentence]):
        first, last = tree.range_of(name.start, name.end)
        start, end = tree.range_of(other.start, other.end)
        near = 0 < start - last < 4 and all(tree.upos[at] == "ADJ" for at in range(last + 1, start))
        source, target = token_of(tree, first, last), token_of(tree, start, end)
        if near and tree.words[last] == "," and name.type == other.type == "place":
            run.append((source, target, last))
            continue
        yield from _nested(context, sentence, run)
        run = []
        affiliated = name.type == "person" and other.type == "organisation"
        if near and affiliated and tree.words[last] == "(" and tree.words[end : end + 1] == [")"]:
            yield Statement(source, target, "works_for", source, (last,), "bracket", 0.5, in_passing=True)
    yield from _nested(context, sentence, run)


_DEEPEST = 4
"""Commas between names of a place within a place; more of them are a list."""


def _nested(context: Context, sentence: int, run: Sequence[tuple[int, int, int]]) -> Iterator[Statement]:
    """Read names with commas between them as places within places, unless they are a list."""
    tree = context.trees[sentence]
    if len(run) > _DEEPEST or (run and _is_listed(context, sentence, run[-1][1])):
        return
    for source, target, comma in run:
        if tree.relations[target] != "nsubj" or tree.relations[source] == "nsubj":
            yield Statement(source, target, "located_in", source, (comma,), "comma", 0.7, in_passing=True)


def _is_listed(context: Context, sentence: int, at: int) -> bool:
    """Tell a list of names by its "and": "Rome, Paris, and Bonn", from "Leith, Scotland"."""
    tree, last = context.trees[sentence], context.name_at(sentence, at)
    at = at + 1 if last is None else tree.range_of(last.start, last.end)[1]
    while at < len(tree):
        if tree.lows[at] in ("and", "or", "&"):
            at += 2 if tree.lows[at + 1 : at + 2] == ["the"] else 1
            if tree.words[at : at + 1] == [","]:  # "Turkey, Argentina and, to a lesser extent, Indonesia"
                return True
            name = context.name_at(sentence, at) if at < len(tree) else None
            return name is not None and (name.type == "place" or " " not in name.name)
        name = context.name_at(sentence, at)
        if tree.words[at] != "," and (name is None or name.type == "date" or " " in name.name.strip()):
            return False
        at += 1
    return False


def located(context: Context, sentence: int) -> Iterator[Statement]:
    """Yield what a prepositional phrase says of a noun, and a copula with one: "X is in Y", "X in Y"."""
    tree = context.trees[sentence]
    for token in range(len(tree)):
        case = tree.case_of(token)
        if not case or tree.upos[token] not in ("NOUN", "PROPN"):
            continue
        copula, head = tree.dependent(token, "cop"), _placed(context, sentence, token)
        if copula is not None:
            about = "about" if _is_subject_matter(tree, token, case) else ""
            type_ = place_relation(context, sentence, token, case) or about
            for subject in surface_subjects(tree, token) if type_ else ():
                if tree.lows[subject] != "it" or type_ != "about":
                    yield Statement(subject, token, type_, token, (copula,), f"be {case}", 0.7)
        elif case == "with" and tree.lemmas[token] in _PARTS:
            yield from _having(context, sentence, token)
        elif tree.relations[token] == "nmod" and tree.upos[head] in ("NOUN", "PROPN") and head < token:
            yield from _phrased(context, sentence, head, token, case)


def _is_subject_matter(tree: Tree, token: int, case: str) -> bool:
    """Tell "the book is about bees" from "is about the best" and "is about a mile"."""
    return case == "about" and not any(
        tree.upos[child] == "NUM" or tree.feature(child, "Degree") == "Sup" or tree.lows[child - 1] == "most"
        for child in tree.dependents(token, "amod", "nummod")
    )


def _having(context: Context, sentence: int, token: int) -> Iterator[Statement]:
    """Read "birds with long tails"; what somebody does with his hands is no part of a thing."""
    tree = context.trees[sentence]
    whole = noun_before(tree, token)
    if whole is None or tree.words[whole + 1] == "," or _is_inner(context, sentence, whole):
        return
    if tree.lemmas[whole] not in EVENTIVE and not _is_person(context, sentence, whole):
        yield Statement(token, whole, "part_of", token, (whole + 1,), "with", 0.55)


def _placed(context: Context, sentence: int, token: int) -> int:
    """Return what a phrase stands with: the name right before it, the head of "gardens of any kind"."""
    tree = context.trees[sentence]
    head, before = tree.heads[token], min(tree.dependents(token, "case"), default=token) - 1
    near = context.name_at(sentence, before) if before > head else None
    if near is not None and near.type in ("place", "organisation") and not tree.case_of(before):
        return before
    if tree.lemmas[head] in ("kind", "sort", "type", "any") and tree.relations[head] == "nmod":
        return tree.heads[head]
    return head


def _phrased(context: Context, sentence: int, head: int, token: int, case: str) -> Iterator[Statement]:
    """Read what a preposition between two nouns says by the kinds of both."""
    tree = context.trees[sentence]
    cue = (tree.dependents(token, "case")[0],)
    lemma, person = tree.lemmas[head], _is_person(context, sentence, head)
    name = context.name_at(sentence, token)
    kind = "" if name is None else name.type
    origin = case == "from" or (case == "of" and tree.words[cue[0] - 1] == ",")
    type_ = ""
    if person and kind == "organisation" and case in ("of", "from", "at", "with"):
        if case == "at" or lemma in _EMPLOYED:
            type_ = "works_for"
        elif case != "with" and lemma not in ROLES | KIN | {"member"}:
            type_ = "part_of"
    elif person and case == "in" and _is_body(context, sentence, token):
        type_ = "part_of" if lemma not in ROLES | KIN else ""
    elif person and kind == "place" and origin:
        type_ = "comes_from"
    elif case == "during":
        happens = lemma in EVENTIVE or lemma.endswith(_HAPPENING)
        type_ = "occurred_during" if happens and not is_time(context, sentence, token) else ""
    elif case == "under" and not person and kind == "person" and name is not None and name.name != "God":
        type_ = "led_by"
    elif case == "against" and not person and _may_be_opposed(context, sentence, head, token):
        type_ = "opposes"
    elif case in _ABOUT and not person and lemma not in _TIMES:
        type_ = "about"
    elif (
        name_is_not(context.name_at(sentence, head), "person", "date", "quantity")
        and (lemma in EVENTIVE or not _is_inner(context, sentence, head))
        and not (case == "on" and lemma in _SAYING_ON)
    ):
        type_ = place_relation(context, sentence, token, case)
    if type_ and not _in_dates(tree, token):
        yield Statement(head, token, type_, token, cue, case, 0.5)


def _may_be_opposed(context: Context, sentence: int, head: int, token: int) -> bool:
    """Tell "the vote against the law" from "against the wall", and from what a body does."""
    tree = context.trees[sentence]
    of_body = tree.relations[head] == "nmod" and _is_body(context, sentence, head)
    timed = not name_is_not(context.name_at(sentence, token), "date", "quantity")
    return tree.lemmas[token] not in _SITES and not timed and not of_body


def _in_dates(tree: Tree, token: int) -> bool:
    """Tell what stands in the bracket of a life: "(1898 - July 12, 1992 in Paris)"."""
    before = tree.words[max(0, token - 14) : token]
    return "(" in before and ")" not in before[before.index("(") :] and any(word.isdigit() for word in before)


def _is_inner(context: Context, sentence: int, noun: int) -> bool:
    """Tell a power, a feeling or a quality: "faith in the world" is nowhere."""
    tree = context.trees[sentence]
    lemma = tree.lemmas[noun]
    if tree.upos[noun] != "NOUN" or context.name_at(sentence, noun) is not None:
        return lemma in _NOT_PLACED
    settled = noun_kind(tree, noun) in ("place", "person", "organisation")
    return lemma in _NOT_PLACED or lemma in _INNER or (not settled and lemma.endswith(_QUALITY))


_HAPPENING = ("tion", "sion", "ment", "ing", "ity", "ism")


def _is_body(context: Context, sentence: int, token: int) -> bool:
    name = context.name_at(sentence, token)
    return (name.type if name is not None else noun_kind(context.trees[sentence], token)) == "organisation"


def name_is_not(name: Mention | None, *types: str) -> bool:
    """Tell whether what may be a name is not of some types."""
    return name is None or name.type not in types


def _is_person(context: Context, sentence: int, token: int) -> bool:
    name = context.name_at(sentence, token) or bearer(context, sentence, token, token)
    kind = noun_kind(context.trees[sentence], token)
    return name.type == "person" if name is not None else kind == "person"


def is_time(context: Context, sentence: int, token: int) -> bool:
    """Tell a date, a quantity, or a noun for a stretch of time."""
    named = not name_is_not(context.name_at(sentence, token), "date", "quantity")
    return named or context.trees[sentence].lemmas[token] in _TIMES


def place_relation(context: Context, sentence: int, token: int, case: str) -> str:
    """Return the relation of what stands "in", "at", "on" or "near" a place or a thing."""
    tree, name = context.trees[sentence], context.name_at(sentence, token)
    if case not in ("in", "on", "at", "near", "inside", "within", "throughout", "off"):
        return ""
    if name is not None:
        place = name.type == "place" or (name.type == "organisation" and case in ("at", "within", "in"))
        fits = place and (case != "on" or name.name.split()[-1].lower() in _SURFACES)
    else:
        subject = tree.lemmas[token] in _REALMS and "of" in map(tree.case_of, tree.dependents(token, "nmod"))
        bare = tree.lows[token] in ("arms", "field") and tree.dependent(token, "det", "nmod") is None
        bare = bare or tree.lemmas[tree.heads[token]] == tree.lemmas[token]  # "arm in arm"
        sites = (_SITES | _SURFACES) - _HEADINGS if case == "on" else _SITES
        fits = tree.lemmas[token] in sites and not subject and not bare
    if not fits:
        return ""
    return "located_near" if case in ("near", "off") else "located_in"
