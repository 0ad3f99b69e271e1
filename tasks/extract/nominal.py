"""Which name a description stands for: "X, a film by Y", "the poet X", "his wife Anna".

Parsers hang appositions on the wrong word more often than anything else, so that beside the tree the order of
the words decides.
"""

from bisect import bisect_right
from collections.abc import Iterator

from corpusgraph.schemas.evidence import Mention
from corpusgraph.tasks.extract.context import Context
from corpusgraph.tasks.extract.naming import noun_kind
from corpusgraph.tasks.extract.patterns import Statement
from corpusgraph.tasks.extract.roles import surface_subjects
from corpusgraph.tasks.extract.rules.known_names import ROLES
from corpusgraph.tasks.extract.stance import stance_of
from corpusgraph.tasks.extract.tree import Tree
from corpusgraph.tasks.text.wordlist import words, wordset

KIN = words("nominal.kin")
OFFICES = words("nominal.offices")
_HONORIFICS = words("nominal.honorifics")
_TITLES = (ROLES | OFFICES) - _HONORIFICS - KIN


# Names beside nouns


def _is_title(tree: Tree, noun: int, first: int, kind: str) -> bool:
    """Tell a noun of the name's kind, or one that modifies the name in the tree: "bus operator Tarn"."""
    described_kind = noun_kind(tree, noun)
    if tree.lemmas[noun] in _WORDS and tree.upos[noun] == "NOUN":
        return True
    if kind == "person" and tree.lows[noun] in _TITLES and tree.upos[noun] != "VERB":
        return True
    modifies = tree.heads[noun] >= first > noun and tree.relations[noun] in ("compound", "nmod", "amod")
    return bool(described_kind) and (described_kind == kind or (modifies and noun == first - 1))


_WORDS = wordset("word term name phrase expression nickname")


def _opens_phrase(tree: Tree, token: int) -> bool:
    first = min(tree.subtree(token, ("punct",)))
    return first > 0 and tree.words[first - 1] in (",", "(", "—", "–", "--")


def named_beside(tree: Tree, noun: int) -> list[int]:
    """Return a token of the name that a noun with its phrase stands in apposition to: "his wife Anna"."""
    after = noun + 1
    if tree.upos[after : after + 1] == ("PROPN",):
        return [after]
    apart = tree.words[after : after + 1] == [","] and tree.upos[after + 1 : after + 2] == ("PROPN",)
    if apart and noun_kind(tree, noun) == "person":
        return [after + 1]
    first = noun
    while first and tree.upos[first - 1] in ("ADJ", "NUM", "DET", "ADV"):
        first -= 1
    apposed = first > 1 and tree.words[first - 1] in (",", "(") and tree.upos[first - 2] == "PROPN"
    return [first - 2] if apposed else []


def bearer(context: Context, sentence: int, token: int, other: int) -> Mention | None:
    """Return the name that the sentence says a noun is: of "X is a film by Y" the film is X.

    `other` is the other end of the relation, which cannot be the same thing.
    """
    tree = context.trees[sentence]
    if tree.upos[token] != "NOUN" or context.name_at(sentence, token) is not None:
        return None
    beside = token + 1 + (tree.words[token + 1 : token + 2] == ["The"])  # "his novel The Tower"
    after = context.name_at(sentence, beside) if beside < len(tree) else None
    opens = after is not None and after.start == tree.starts[beside]
    if after is not None and opens and _is_title(tree, token, beside, after.type):
        return after  # "the poet John Clare"
    holders: list[int] = []
    first = tree.heads[token] if tree.relations[token] == "conj" else token
    if tree.dependent(first, "cop") is not None and not tree.case_of(first):
        stance = stance_of(tree, first)
        if not stance.negated and stance.modality == "fact":
            holders = surface_subjects(tree, first)
    elif token == first and (apposed := _apposition(tree, token)) is not None:
        holders = [apposed]  # "X, a film by Y", "the film, X,"
        name = context.name_at(sentence, apposed)
        kind = noun_kind(tree, token)
        fits = name is not None and kind in ("", name.type)
        if not fits or not (kind or tree.has_word(token, ("a", "an"), "det")):
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


def said_to_be(context: Context, sentence: int) -> Iterator[Statement]:
    """Yield "X is a Y" and "X, a Y" of a tree in any language, for want of a trained reader's arcs."""
    tree = context.trees[sentence]
    for noun in range(len(tree)):
        if tree.upos[noun] not in ("NOUN", "PROPN"):
            continue
        copula = tree.dependent(noun, "cop")
        if copula is not None and not tree.case_of(noun):
            for subject in surface_subjects(tree, noun):
                for kind in tree.conjuncts(noun):
                    yield Statement(subject, kind, "is_a", noun, (copula,), "be", 0.7)
        head = tree.heads[noun]
        if tree.relations[noun] == "appos" and {tree.upos[noun], tree.upos[head]} == {"NOUN", "PROPN"}:
            name, kind = (head, noun) if tree.upos[noun] == "NOUN" else (noun, head)
            yield Statement(name, kind, "is_a", kind, (kind,), "apposition", 0.6, in_passing=True)


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
