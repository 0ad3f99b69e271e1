"""What a sentence opens with, before a comma and its subject: why it is so, or what it would take."""

from collections.abc import Iterator

from corpusgraph.tasks.extract.patterns import Pattern, Statement
from corpusgraph.tasks.extract.tree import WOULD, Tree
from corpusgraph.tasks.text.wordlist import words, wordset

IF = Pattern(type="causes", conjunction=("if",), modality="hypothetical")
_BUT_FOR = Pattern(type="prevents", preposition=("but for",), modality="hypothetical")
_LACKING = wordset("barring absent")
"""With a noun, what would keep it from being so."""
_SUPPOSING = wordset("provided providing supposing granted assuming")
_NO_QUALITY = words("openings.no_quality")
_FEELING = words("openings.feeling")


def opening(tree: Tree) -> Iterator[Statement]:
    """Yield what the words before the first comma do to the clause behind it."""
    comma = next((place for place in range(1, len(tree)) if tree.words[place] == ","), None)
    effect = None if comma is None else _clause_behind(tree, comma)
    if comma is None or effect is None:
        return
    first = tree.lows[0]
    if first in ("had", "were", "should") or (first == "if" and "been" in tree.lows[:comma]):
        yield from _unreal(tree, comma, effect)
    elif first in _LACKING:
        nouns = [place for place in range(1, comma) if tree.upos[place] in ("NOUN", "PROPN")]
        yield from _if(tree, nouns[:1] if len(nouns) == 1 else _heads(tree, nouns), effect, first, _BUT_FOR)
    elif first in _SUPPOSING:
        verbs = [place for place in range(1, comma) if tree.upos[place] == "VERB"]
        yield from _if(tree, verbs[:1], effect, first, IF)
    elif first == "with" and comma > 2:
        yield from _attending(tree, comma, effect)
    else:
        yield from _said_of_subject(tree, comma, effect)


def _clause_behind(tree: Tree, comma: int) -> int | None:
    """Return the predicate whose subject stands right behind the comma."""
    for place in range(comma + 1, len(tree)):
        for subject in tree.dependents(place, "nsubj", "expl"):
            inside = [token for token in tree.subtree(subject) if token > comma]
            if subject > comma and inside and min(inside) <= comma + 1 and place > subject:
                return place
    return None


def _heads(tree: Tree, nouns: list[int]) -> list[int]:
    return [noun for noun in nouns if tree.heads[noun] not in nouns][:1]


def _if(
    tree: Tree, sources: list[int], effect: int, name: str, pattern: Pattern, cue: int = 0
) -> Iterator[Statement]:
    would = tree.has_word(effect, WOULD, "aux") or tree.feature(effect, "Tense") == "Pres"
    for source in sources:
        if would or tree.dependent(effect, "cop") is not None:
            yield Statement(
                source,
                effect,
                pattern.type,
                effect,
                (cue,),
                name,
                0.45,
                True,
                pattern=pattern,
                between_clauses=True,
            )


def _unreal(tree: Tree, comma: int, effect: int) -> Iterator[Statement]:
    """Read "Were the judges elected, ..." and "Had it not been for her, ..."; of "If" the latter only."""
    been = next((place for place in range(2, comma) if tree.lows[place : place + 2] == ["been", "for"]), None)
    if been is not None:
        nouns = [place for place in range(been + 2, comma) if tree.upos[place] in ("NOUN", "PROPN", "PRON")]
        yield from _if(tree, _heads(tree, nouns), effect, "but for", _BUT_FOR, been + 1)
    elif tree.lows[0] != "if" and tree.dependent(effect, "nsubj") is not None:
        verbs = [place for place in range(2, comma) if tree.upos[place] == "VERB"]
        tops = [place for place in range(1, comma) if not 0 < tree.heads[place] < comma]
        already = verbs and tree.dependent(verbs[0], "nsubj") is not None and tree.heads[0] == verbs[0]
        if not already:
            yield from _if(tree, verbs[:1] or tops[-1:], effect, "had", IF)


def _attending(tree: Tree, comma: int, effect: int) -> Iterator[Statement]:
    """Read "With both captains injured, ...", "With no heir, ..."; not "With a smile, ..."."""
    noun = next((place for place in range(1, comma) if tree.heads[0] == place), None)
    if noun is None or tree.upos[noun] not in ("NOUN", "PROPN"):
        return
    state = [
        child
        for child in (
            *tree.dependents(noun, "acl", "amod", "advmod"),
            *tree.dependents(tree.heads[noun], "advcl"),
        )
        if noun < child < comma and tree.deprels[child] != "acl:relcl"
    ]
    if state or tree.has_word(noun, ("no", "little", "few", "so"), "det", "amod"):
        yield _because(noun, effect, 0, "with")


def _said_of_subject(tree: Tree, comma: int, effect: int) -> Iterator[Statement]:
    """Read "Weary of war, they left", "Being poor, ...", "Having lost, ...", "It being late, ..."."""
    low = tree.lows[0]
    being = next((place for place in range(1, comma) if tree.lows[place] in ("being", "having")), None)
    if low in ("having", "being") and comma > 1:
        head = tree.heads[0]
        if 0 < head < comma:
            yield _because(head, effect, 0, low)
    elif being is not None and tree.upos[being] == "AUX" and being < tree.heads[being] < comma:
        predicate = tree.heads[being]
        subject = tree.dependent(predicate, "nsubj", "expl")
        if (
            tree.lows[being] == "being"
            and subject is not None
            and subject < being
            and not tree.mark_of(predicate)
        ):
            yield _because(predicate, effect, being, "being")
    elif tree.relations[0] != "amod" and (low in _FEELING or _is_bare(tree, comma)):
        yield _because(0, effect, 0, "adjective")
    elif low in ("too", "so") and tree.upos[1] == "ADJ" and tree.heads[0] == 1 and "to" in tree.lows[2:comma]:
        yield _because(1, effect, 0, "adjective")


def _is_bare(tree: Tree, comma: int) -> bool:
    """Tell an adjective with what completes it from one before its noun and from "Prior to it, ..."."""
    quality = tree.upos[0] == "ADJ" and tree.lows[0] not in _NO_QUALITY
    return quality and not 0 < tree.heads[0] < comma


def _because(source: int, effect: int, cue: int, name: str) -> Statement:
    return Statement(source, effect, "causes", effect, (cue,), name, 0.5, True, between_clauses=True)
