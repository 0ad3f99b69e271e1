"""Relations that a trained reader finds between two words of a sentence."""

from corpusgraph.schemas.annotation import Arc
from corpusgraph.schemas.evidence import CAUSAL
from corpusgraph.tasks.extract.patterns import Statement
from corpusgraph.tasks.extract.tree import NOMINAL, Tree
from corpusgraph.tasks.text.wordlist import wordset

NOTHING = "nothing"
"""Type of what is none."""
LEAST = 0.05
"""What is less sure to be any relation is none."""
_NO_END = frozenset({"PUNCT", "SYM", "ADP", "CCONJ", "PART", "INTJ", "SCONJ"})
_INNER = wordset("compound flat fixed goeswith case mark aux cop det punct cc expl discourse")
_ARGUMENTS = frozenset({"nsubj", "obj", "obl", "nmod"})


def possible_ends(tree: Tree) -> list[int]:
    """Return the tokens that a relation may hold between: heads of phrases and clauses."""
    return [
        token
        for token, (upos, relation) in enumerate(zip(tree.upos, tree.relations, strict=True))
        if upos not in _NO_END
        and (upos != "DET" or relation in _ARGUMENTS)
        and (relation not in _INNER or upos == "VERB")
        and (upos, relation) not in (("ADV", "advmod"), ("ADJ", "amod"))
        and (relation != "nummod" or upos == "NUM")
    ]


_SAYING_WHAT = ("is_a", "holds_office")


def statement_of(tree: Tree, arc: Arc) -> Statement | None:
    """Return what an arc states, None where no word could name an open relation."""
    joint = _joint(tree, arc.source, arc.target)
    lower = next((end for end in (arc.target, arc.source) if end != joint), arc.target)
    cue: tuple[int, ...] = (joint,)
    type_ = arc.type
    if joint in (arc.source, arc.target):
        says = tree.dependents(joint, "cop") if joint == arc.target and arc.type in _SAYING_WHAT else []
        copula = () if arc.type in CAUSAL else ("cop",)  # "being tired, they left"
        marks = says or tree.dependents(lower, "mark", "case", "cc", *copula)
        cue = tuple(mark for mark in marks[:1] if mark not in (arc.source, arc.target)) or (lower,)
    if type_ == "open":
        if tree.upos[joint] != "VERB":
            return None
        if joint == cue[0]:
            joint = _joined_verb(tree, joint, arc.target)
            cue = (joint,)
        case = "" if tree.relations[arc.target] == "obj" else tree.case_of(arc.target)
        verb = tree.verb_name(joint)
        type_ = f"{verb}_{case.replace(' ', '_')}" if case else verb
    nominal = tree.upos[arc.source] in NOMINAL and tree.upos[arc.target] in NOMINAL
    between = joint in (arc.source, arc.target)
    both_said = not (between or nominal) and tree.relations[arc.target] == "ccomp"
    return Statement(
        arc.source,
        arc.target,
        type_,
        arc.target if both_said else joint,  # "they hold that it is so cold that it snows"
        cue,
        f"read {arc.type}",
        arc.chance,
        is_causal=type_ in CAUSAL,
        between_clauses=between and not nominal,
    )


def _joined_verb(tree: Tree, joint: int, target: int) -> int:
    """Return the verb that the target belongs to: of "uses it and extends them" the latter."""
    while tree.relations[target] == "conj" and tree.heads[target] != joint and tree.upos[target] in NOMINAL:
        target = tree.heads[target]
    verb = place = tree.heads[target]
    while place != joint:
        if tree.relations[place] not in ("conj", "xcomp") or tree.upos[place] not in ("VERB", "ADJ"):
            return joint
        place = tree.heads[place]
    return verb if tree.upos[verb] == "VERB" else joint


def _joint(tree: Tree, source: int, target: int) -> int:
    """Return the lowest word above both ends, one of them where it is above the other."""
    above = [source, *tree.ancestors(source)]
    return next((token for token in (target, *tree.ancestors(target)) if token in above), target)
