"""How much there is of a thing, and when it was, where no verb says so."""

import re
from collections.abc import Iterator, Sequence

from corpusgraph.tasks.extract.activities import EVENTIVE
from corpusgraph.tasks.extract.context import Context
from corpusgraph.tasks.extract.naming import noun_kind
from corpusgraph.tasks.extract.nominal import token_of
from corpusgraph.tasks.extract.patterns import Statement
from corpusgraph.tasks.extract.roles import subjects, surface_subjects
from corpusgraph.tasks.text.wordlist import words, wordset

_WORKS = words("amounts.works")
_BUILT = words("amounts.built")
_MEASURES = words("amounts.measures")
_MEASURING = wordset("have flow run extend stretch travel last rise descend drop")
"""Verbs with a bare amount: "the river runs 90 km"."""
_HAVING = wordset("have cover possess reach attain")
_DIMENSIONS = wordset("long wide tall high deep thick old broad heavy away")


def measured(context: Context, sentence: int) -> Iterator[Statement]:
    """Yield how much there is of something: "a fleet of 15 ships", "is 120 km long", "with 450 employees"."""
    tree = context.trees[sentence]
    for name in context.names[sentence]:
        token = tree.position_at(name.start, name.end)
        if name.type != "quantity" or token is None or name.name.lower().startswith("one "):
            continue
        head, case = tree.heads[token], tree.case_of(token)
        if tree.dependent(token, "cop") is not None and not case:
            beside = tree.dependents(token, "nmod", "obl")
            away = any(tree.case_of(child) in ("from", "to", "of", "off") for child in beside)
            holders = [holder for holder in surface_subjects(tree, token) if tree.upos[holder] != "PRON"]
            yield from _amounts([] if away else holders, token, token, "be")
        elif tree.lemmas[head] in _DIMENSIONS and tree.relations[token] != "nsubj":
            modified = [tree.heads[head]] if tree.relations[head] in ("amod", "acl") else []
            yield from _amounts(surface_subjects(tree, head) or modified, token, head, tree.lemmas[head])
        elif tree.relations[token] == "nmod" and tree.upos[head] in ("NOUN", "PROPN"):
            yield from _of_noun(context, sentence, head, token, case)
        elif tree.relations[token] in ("obj", "obl") and not case and tree.lemmas[head] in _MEASURING:
            yield from _amounts(subjects(tree, head), token, head, tree.lemmas[head])


def _of_noun(context: Context, sentence: int, noun: int, token: int, case: str) -> Iterator[Statement]:
    """Read "the fleet of 15 ships"; "has a length of 9 km" of what has it."""
    tree = context.trees[sentence]
    above = tree.heads[noun]
    if case == "of" and tree.lemmas[noun] in _MEASURES:
        holders = [noun]
        if tree.relations[noun] == "obj" and tree.lemmas[above] in _HAVING:
            holders = subjects(tree, above)
        yield from _amounts(holders, token, above if holders != [noun] else noun, tree.lemmas[noun])
    elif case == "with" and noun_kind(tree, noun) in ("organisation", "place"):
        yield from _amounts([noun], token, noun, "with")


def _amounts(holders: Sequence[int], amount: int, cue: int, name: str) -> Iterator[Statement]:
    for holder in holders:
        if holder != amount:
            yield Statement(holder, amount, "has_value", cue, (cue,), name, 0.6)


def dated(context: Context, sentence: int) -> Iterator[Statement]:
    """Yield when a noun's thing was: "a 1956 film", "the battle of 1862", "Ann (born 4 May 1901)"."""
    tree = context.trees[sentence]
    for name in context.names[sentence]:
        first, last = tree.range_of(name.start, name.end)
        token = tree.position_at(name.start, name.end)
        if name.type != "date" or token is None or last > len(tree):
            continue
        noun, case = tree.heads[token], tree.case_of(token)
        lemma = tree.lemmas[noun]
        modifies = tree.upos[noun] == "NOUN" and context.name_at(sentence, noun) is None
        after = noun < first and tree.relations[token] == "nmod" and case in ("of", "in", "on")
        type_ = "released_on" if lemma in _WORKS else "created_on" if lemma in _BUILT else "occurred_on"
        known = type_ != "occurred_on" or lemma in EVENTIVE
        if modifies and known and not case and last <= noun < last + 7:
            yield Statement(noun, token, type_, noun, (token,), "date", 0.6)
        elif modifies and after and lemma in EVENTIVE:
            yield Statement(noun, token, "occurred_on", noun, (tree.dependents(token, "case")[0],), case, 0.6)
        yield from _life(context, sentence, first, last)


_BRACKETED = re.compile(r"\s*(?:\([^)]*\)\s*)?")
_BORN, _DIED = wordset("born b b. née *"), wordset("died d d. †")


def _life(context: Context, sentence: int, first: int, last: int) -> Iterator[Statement]:
    """Read the bracket after a name: "(born 4 May 1901)", "(4 May 1901 - 3 June 1950)"."""
    tree = context.trees[sentence]
    opening = next((at for at in range(first - 1, max(-1, first - 12), -1) if tree.words[at] == "("), None)
    if opening is None or ")" in tree.words[opening:first]:
        return
    bracket = tree.starts[opening]
    names = (name for name in reversed(context.names[sentence]) if name.end <= bracket)
    beside = (name for name in names if _BRACKETED.fullmatch(tree.document_text, name.end, bracket))
    person = next((name for name in beside if name.type == "person"), None)
    if person is None:
        return
    holder = token_of(tree, *tree.range_of(person.start, person.end))
    words = set(tree.lows[max(opening, first - 3) : first])
    type_ = "born_on" if words & _BORN else "died_on" if words & _DIED else ""
    if not type_:
        exact = last - first > 1
        before = tree.lows[first - 1]
        if exact and first == opening + 1 and tree.lows[last : last + 1] in (["–"], ["-"], ["—"]):
            type_ = "born_on"
        elif exact and before in ("–", "-", "—") and tree.words[last : last + 1] == [")"]:
            type_ = "died_on"
    if type_:
        yield Statement(holder, first, type_, holder, (first - 1,), "bracket", 0.7, in_passing=True)
        place = context.name_at(sentence, last + 1) if tree.lows[last : last + 1] == ["in"] else None
        if place is not None and place.type == "place":
            where = "born_in" if type_ == "born_on" else "died_in"
            yield Statement(holder, last + 1, where, holder, (last,), "bracket", 0.7, in_passing=True)
