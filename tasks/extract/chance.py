"""How likely a relation is what its sentence says, learned from findings read against their passages.

The trained reader tells of two words how likely they are joined; whether the phrases around them are whole,
and whether what stands between them leaves the relation as it is, is judged here.
"""

import math
from collections.abc import Collection, Iterator, Mapping

from corpusgraph.schemas.annotation import Arc
from corpusgraph.tasks.extract.context import End
from corpusgraph.tasks.extract.ends import is_cut_off, says_something
from corpusgraph.tasks.extract.patterns import Statement
from corpusgraph.tasks.extract.tree import NOMINAL, Tree
from corpusgraph.tasks.text.wordlist import entry, wordset

LEAST = 0.01
"""No arc of the reader is taken for less likely than this, nor for more than 1 minus it."""
_SET_APART = frozenset({"acl:relcl", "advcl", "parataxis", "nmod:poss"})
_NOT_MISSED = wordset("det punct cc case cop aux mark conj appos")
_HALVING = frozenset({";", ":", "--", "—"})
_POINTING = wordset("this that these those such same")
_DETERMINERS = _POINTING | wordset("the a an")


def chance_of(
    tree: Tree, statement: Statement, ends: tuple[End, End], arc: Arc | None, *, denied: bool, modality: str
) -> float:
    """Return how likely a statement is right, both ends, its type and how it is put.

    Parameters
    ----------
    tree : Tree
        The sentence, read by the trained reader.
    statement : Statement
        What a pattern or the reader states.
    ends : tuple of End
        Its source and its target.
    arc : Arc or None
        What the reader says of the two words; None where it sees nothing between them.
    denied : bool
        Whether the statement is denied.
    modality : str
        How it is put.

    Returns
    -------
    float
        From 0 to 1, to two digits.

    """
    weights: Mapping[str, float] = entry("chance.cause" if statement.is_causal else "chance.relation")
    held = signs(tree, statement, ends, arc, denied=denied, modality=modality)
    return round(1 / (1 + math.exp(-math.fsum(weights[name] * value for name, value in held.items()))), 2)


def signs(
    tree: Tree, statement: Statement, ends: tuple[End, End], arc: Arc | None, *, denied: bool, modality: str
) -> dict[str, float]:
    """Return what tells right statements from wrong ones, each about from -1 to 2."""
    first, last = sorted((statement.source, statement.target))
    between = range(first + 1, last)
    read = LEAST if arc is None else arc.causal if statement.is_causal else arc.chance
    read = min(max(read, LEAST), 1 - LEAST)
    places = [*(place for end in ends for place in tree.range_of(*end.span)), first, last + 1]
    part = _part_of(tree, min(places), max(places))
    alone, length = statement.name.startswith("read "), math.log(len(part) / 25)
    return {
        "bias": 1.0,
        "read": math.log(read / (1 - read)) / 3,
        "read_alone": float(alone),
        "read_alone_length": alone * length,
        "read_as_other": float(arc is not None and arc.type not in (statement.type, "open")),
        "denied": float(denied),
        "modal": float(modality == "modal"),
        "supposed": float(modality not in ("fact", "modal")),
        "length": length,
        "all_verbs": math.log(1 + sum(tree.upos[token] == "VERB" for token in part)) - 1,
        "apart": math.log(1 + last - first) - 2,
        "halves": float(any(tree.words[token] in _HALVING for token in between)),
        **dict(_signs_of(tree, statement, ends[0], statement.source, "source")),
        **dict(_signs_of(tree, statement, ends[1], statement.target, "target")),
    }


def _part_of(tree: Tree, first: int, last: int) -> range:
    """Return the tokens around some, up to the semicolons or dashes before and after."""
    while first and tree.words[first - 1] not in _HALVING:
        first -= 1
    while last < len(tree) and tree.words[last] not in _HALVING:
        last += 1
    return range(first, last)


def _signs_of(
    tree: Tree, statement: Statement, end: End, head: int, side: str
) -> Iterator[tuple[str, float]]:
    others = (statement.source, statement.target, *statement.cue)
    first, last = tree.range_of(*end.span)
    clause, phrase = statement.between_clauses, end.mention is None
    single = last - first == 1
    nominal = tree.upos[head] in NOMINAL
    missed = _left_out(tree, head, range(first, last), others)
    before = tree.lows[first - 1] if first else ""
    follows = last < len(tree) and tree.upos[last] == "ADP" and last not in others
    whole = says_something(tree, head, clause=clause)
    yield f"{side}_single", float(single and phrase)
    yield f"{side}_words", min(10, last - first) / 5
    yield f"{side}_no_noun", float(not nominal and not clause)
    yield f"{side}_no_noun_single", float(not nominal and single)
    yield f"{side}_named", float(not phrase)
    yield f"{side}_possessed", float("nmod:poss" in missed)
    yield f"{side}_missing", float(not missed <= _SET_APART)
    yield f"{side}_before_preposition", float(follows)
    yield f"{side}_pointing", float(before in _POINTING)
    yield f"{side}_bare", float(single and before not in _DETERMINERS)
    yield f"{side}_listed", float(tree.relations[head] == "conj")
    yield f"{side}_far", math.log(1 + abs(head - statement.anchor)) - 1.5
    yield f"{side}_empty", float(phrase and not whole)
    yield f"{side}_cut", float(phrase and whole and is_cut_off(tree, head, *end.span, others, clause=clause))


def _left_out(tree: Tree, head: int, inside: Collection[int], others: Collection[int]) -> set[str]:
    """Return how what belongs to a head and is left out of its phrase is related to it."""
    return {
        tree.deprels[child]
        for child in tree.children[head]
        if child not in inside and child not in others and tree.relations[child] not in _NOT_MISSED
    }
