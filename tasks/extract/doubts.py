"""Ends of a statement that say nothing, or may stand for another thing, and what an end may pass for."""

from collections.abc import Collection

from corpusgraph.tasks.extract.context import End, Reference
from corpusgraph.tasks.extract.nouns import is_body, is_person
from corpusgraph.tasks.extract.tree import Tree
from corpusgraph.tasks.text.wordlist import words, wordset

DOUBTFUL = 0.6
"""What is less sure than this, by its ends, is left out."""
UNSURE = 0.75
"""An unnamed thing that "it" or "they" is less sure to stand for is none that a relation can be read off."""
_VAGUE = words("doubts.vague")
_NOBODY = words("doubts.nobody")
_THINGS = wordset("it they them this that these those itself themselves")


def is_vague(tree: Tree, token: int, others: Collection[int] = ()) -> bool:
    """Tell a noun that says nothing alone, "part", nor with a pronoun, "part of it".

    What stands in `others` is the other end of the relation: "members" of "members of the Senate".
    """
    if tree.upos[token] == "VERB":
        return False  # "it ended": no end of anything
    of = [noun for noun in tree.dependents(token, "nmod") if noun not in others]
    alone = not (of or tree.dependents(token, "acl", "amod", "compound"))
    pointing = any(tree.upos[noun] in ("PRON", "DET") for noun in of)
    if tree.dependent(token, "nummod") is not None and tree.lemmas[token] == "case":
        return False  # "one case in five"
    if tree.lows[token] == "others":
        return True
    return tree.lemmas[token] in _NOBODY or (tree.lemmas[token] in _VAGUE and (alone or pointing))


def is_doubtful(tree: Tree, token: int, reference: Reference) -> bool:
    """Tell an "it" or "they" that may stand for another unnamed thing."""
    unnamed = bool(reference.mention.attributes.get("noun_phrase"))
    return tree.lows[token] in _THINGS and unnamed and reference.confidence < UNSURE


def types_of(end: End) -> set[str]:
    """Return what an end may pass for: "concept" of a phrase, with what its head says it is, or a name."""
    mention = end.mention
    if mention is not None and not mention.attributes.get("noun_phrase"):
        return {mention.type} if mention.type in ("date", "quantity") else {mention.type, "name"}
    head = end.head if mention is None else str(mention.attributes.get("head", ""))
    kinds = {"concept"}
    return kinds | ({"person"} if is_person(head) else set()) | ({"organisation"} if is_body(head) else set())
