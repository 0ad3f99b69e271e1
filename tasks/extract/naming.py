"""What the trees say about names: what a name names, and what other name it goes by."""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import pairwise

from corpusgraph.tasks.extract.nouns import COLLECTIVES, FEMALES, MALES, PERSONS
from corpusgraph.tasks.extract.roles import is_passive
from corpusgraph.tasks.extract.rules.known_names import KIND_OF, ROLES, SAYING
from corpusgraph.tasks.extract.rules.names import Evidence, NameSpan
from corpusgraph.tasks.extract.rules.reading import Reading
from corpusgraph.tasks.extract.rules.tagger import Sentence
from corpusgraph.tasks.extract.tree import NEGATIVE, Tree
from corpusgraph.tasks.text.wordlist import words, wordset

_PERSONAL = words("naming.personal")
_CORPORATE = words("naming.corporate")
_JOINING = {case: words(f"naming.joining_{case}") for case in wordset("for to on by through with from")}
"""Verbs with prepositions that lead to a body of persons: "plays for X", "signed to X", "owned by X"."""
_LEADING = words("naming.leading")
_MAKING = wordset("direct write compose paint star sing edit narrate play invent design marry kill")
_ADDRESSING = words("naming.addressing")
_MOVING = words("naming.moving")
_AIRING = wordset("radio television tv broadcast broadcasting fm am")
_TOWARD = frozenset({"to", "from", "into", "toward", "towards", "around"})
_SPEAKER = re.compile(r"(?:^|\n|[\])\d])[^\S\n]*$")
"""What stands before the speaker of a line: nothing, or a time."""
_SPORTS = words("naming.sports")
_CONTESTS = wordset(
    "match game friendly final semi-final semifinal quarter-final win victory draw defeat loss tie goal"
)
_PLAYING = wordset("beat win lose draw play score qualify face thrash host defeat advance")
_SCORE = re.compile(r"\b\d{1,2}[-–]\d{1,2}\b(?![-–/])")
_ALIAS = re.compile(
    r",?\s*\(?(?:(?:also|better|best|more|commonly|formerly|originally|previously|professionally|popularly|"
    r"sometimes|simply|still|now|who|is|was|were|are)\s+)*(?:(?:known|referred to)(?:\s+\w+ly)?\s+as|"
    r"nicknamed|a\.?k\.?a\.?|alias|née|nee|born|formerly|originally|now)\s+(?:the\s+)?[\"“']?",
    re.IGNORECASE,
)
_BY_BIRTH = re.compile(r"\b(?:born|née|nee)\b", re.IGNORECASE)
"""Between a name and one that only a person has: "a London born New Zealand playwright" has none."""


def word_classes(trees: Sequence[Tree]) -> dict[int, str]:
    """Return the UPOS of each token by the character at which it begins."""
    return {start: upos for tree in trees for start, upos in zip(tree.starts, tree.upos, strict=True)}


def note_aliases(reading: Reading) -> None:
    """Note on a name the other name that its sentence gives what it names."""
    text = reading.document.text
    for sentence, names in zip(reading.sentences, reading.names, strict=True):
        for name, other in pairwise(names):
            between = text[sentence.ends[name.last - 1] : sentence.starts[other.first]]
            if not _ALIAS.fullmatch(between) or other.text == name.text:
                continue
            if name.kind == other.kind and (name.kind == "person" or not _BY_BIRTH.search(between)):
                name.attributes["alias"] = other.text


def evidence_of(trees: Sequence[Tree]) -> Evidence:
    """Return what weighs the tree around a name, type by type."""

    def weigh(name: NameSpan, sentence: Sentence) -> Counter[str]:
        tree = trees[name.at]
        start, end = sentence.starts[name.first], sentence.ends[name.last - 1]
        token = tree.position_at(start, end)
        votes: Counter[str] = Counter()
        if token is None:
            return votes
        inside = range(*tree.range_of(start, end))
        _by_description(votes, tree, token, inside, name)
        _by_predicate(votes, tree, token)
        if tree.relations[token] == "vocative" or _speaks(tree, start, end):
            votes["person"] += 3
        if not name.cue and _plays(tree, token):
            name.cue = "team"
        return votes

    return weigh


def _by_description(votes: Counter[str], tree: Tree, token: int, inside: range, name: NameSpan) -> None:
    for noun, weight in _describing(tree, token, inside):
        if kind := noun_kind(tree, noun):
            votes[kind] += weight
        if kind == "person" and weight == 4:
            name.attributes.setdefault("role", _role(tree, noun, inside))


def _role(tree: Tree, noun: int, inside: range) -> str:
    """Return what a person is, with the words right before the noun: "London physician"."""
    first = noun
    modifiers = set(tree.dependents(noun, "amod", "compound")).difference(inside)
    while first - 1 in modifiers:
        first -= 1
    return " ".join(tree.words[first : noun + 1])


def _describing(tree: Tree, token: int, inside: range) -> Iterator[tuple[int, int]]:
    """Yield the nouns that say what a name names, with weights: in apposition, of a copula, beside it."""
    head, relation = tree.heads[token], tree.relations[token]
    yield from ((noun, 4) for noun in (*tree.dependents(token, "appos"), *_predicates(tree, token, inside)))
    if relation == "appos" or tree.case_of(token) in ("such as", "including"):
        yield head, 4
    after, before = inside.stop, inside.start - 1
    if after + 2 < len(tree) and tree.words[after] == "," and tree.lows[after + 1] in ("a", "an", "the"):
        noun = tree.heads[after + 1]
        beside = tree.heads[noun] in (token, head) and tree.relations[noun] != "nsubj"
        if noun - after < 8 and (beside or tree.relations[noun] in ("parataxis", "conj")):
            yield noun, 4
    if before >= 0 and tree.upos[before] != "VERB":
        yield before, 4
    named = head == after and relation in ("compound", "nmod")
    if named and KIND_OF.get(tree.lemmas[head]) != "place" and tree.dependent(head, "nmod") in (None, token):
        yield head, 3


def _predicates(tree: Tree, token: int, inside: range) -> Iterator[int]:
    """Yield the nouns that a copula joins with a name: "X is a river", "the nearest town is X"."""
    head, relation = tree.heads[token], tree.relations[token]
    while relation == "conj" and tree.upos[head] == "PROPN":  # what is said of one is said of all
        token, head, relation = head, tree.heads[head], tree.relations[head]
    denied = not NEGATIVE.isdisjoint(tree.lows[child] for child in tree.children[token])
    if tree.dependent(token, "cop") is not None and not denied:
        yield from tree.dependents(token, "nsubj")
    if relation == "nsubj" and tree.dependent(head, "cop") is not None:
        yield head
    elif inside.start <= 2 and relation not in ("obl", "advcl"):
        outside = (root for root in tree.roots if root not in inside)
        yield from (root for root in outside if tree.dependent(root, "cop") is not None)


def noun_kind(tree: Tree, noun: int) -> str:
    """Return the kind of name that a common noun describes, "" where it tells none."""
    lemma = tree.lemmas[noun]
    opens = noun == 0 and tree.upos[noun] == "NOUN"
    if tree.upos[noun] not in ("NOUN", "PROPN", "ADJ") or not (opens or tree.words[noun].islower()):
        return ""
    if lemma == "station":
        return "organisation" if tree.has_word(noun, _AIRING, "compound") else "place"
    if lemma in KIND_OF:
        return KIND_OF[lemma]
    listed = lemma in ROLES or lemma in PERSONS or lemma in MALES or lemma in FEMALES
    if listed or lemma.endswith(("ologist", "ician", "nist", "rist", "phist")):
        return "person"
    return "organisation" if lemma in COLLECTIVES else ""


def _is_people(tree: Tree, token: int) -> bool:
    """Tell the plural of "the Communists"."""
    named = tree.dependent(token, "det") is not None or tree.lows[token].endswith(("ians", "eans", "ites"))
    return named and tree.feature(token, "Number") == "Plur"


def _by_predicate(votes: Counter[str], tree: Tree, token: int) -> None:
    verb = tree.heads[token]
    lemma = tree.lemmas[verb]
    if tree.relations[token] == "nsubj" and tree.upos[verb] == "VERB" and not _is_people(tree, token):
        if lemma in _PERSONAL and not is_passive(tree, verb):
            votes["person"] += 1 if lemma in SAYING else 2
        elif lemma in _CORPORATE and not is_passive(tree, verb):
            votes["organisation"] += 2
        elif lemma == "bear":
            votes["person"] += 3
        elif tree.dependent(token, "det") is None:
            votes["person"] += 1
        if lemma in _MOVING and any(tree.case_of(goal) in _TOWARD for goal in tree.dependents(verb, "obl")):
            votes["person"] += 1
    relatives = tree.dependents(token, "acl:relcl")
    if any(tree.has_word(clause, ("who", "whom"), "nsubj", "obj") for clause in relatives):
        votes["person"] += 2
    case = tree.case_of(token)
    if tree.relations[token] == "nmod" and case == "of" and tree.lemmas[verb] in _LEADING:
        votes["organisation"] += 2
    if tree.relations[token].startswith("obl") and lemma in _JOINING.get(case, ()):
        votes["organisation"] += 3
    addressed = tree.relations[token] in ("obj", "iobj") and lemma in _ADDRESSING
    if addressed or (case == "by" and lemma in _MAKING):
        votes["person"] += 2
    elif case in _TOWARD and lemma in _MOVING and tree.dependent(token, "det") is None:
        votes["place"] += 2


def _plays(tree: Tree, token: int) -> bool:
    """Tell a team called by its country or town: "Brazil beat Italy", "the final against Leeds"."""
    if _SPORTS.isdisjoint(tree.lemmas) and _SCORE.search(tree.document_text, tree.start, tree.end) is None:
        return False
    if tree.relations[token] == "conj":
        token = tree.heads[token]
    head, relation, case = tree.heads[token], tree.relations[token], tree.case_of(token)
    plays = tree.lemmas[head] in _PLAYING and tree.upos[head] == "VERB"
    if case:
        contest = tree.lemmas[tree.dependents(token, "case")[0] - 1]  # wherever the tree hangs it
        return case in ("against", "to", "with", "over") and (plays or contest in _CONTESTS)
    return plays and relation in ("nsubj", "obj")


def _speaks(tree: Tree, start: int, end: int) -> bool:
    """Tell the speaker of a line: "Bea: they said so"."""
    text = tree.document_text
    opens = _SPEAKER.search(text[max(0, start - 30) : start]) or start == 0
    return bool(opens) and re.match(r":|\s[-–—]\s", text[end : end + 3]) is not None
