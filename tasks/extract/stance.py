"""How a sentence puts what it states: denied, conditional, asked, with a modal verb, in whose name."""

from collections.abc import Iterator
from dataclasses import dataclass

from corpusgraph.schemas.evidence import Modality
from corpusgraph.tasks.extract.roles import is_passive, surface_subjects
from corpusgraph.tasks.extract.tree import CLAUSAL, Tree

REPORTING = frozenset(
    [
        "say",
        "argue",
        "claim",
        "report",
        "believe",
        "think",
        "maintain",
        "contend",
        "assert",
        "state",
        "suggest",
        "hold",
        "insist",
        "write",
        "declare",
        "note",
        "observe",
        "announce",
        "allege",
        "conclude",
        "suspect",
        "estimate",
        "warn",
        "tell",
        "explain",
        "admit",
        "concede",
        "remark",
        "reply",
        "answer",
        "add",
        "acknowledge",
        "predict",
        "propose",
        "suppose",
        "consider",
        "assume",
        "fear",
        "hope",
        "imagine",
        "find",
        "show",
        "demonstrate",
        "prove",
        "reveal",
        "recall",
        "testify",
        "affirm",
        "swear",
        "complain",
        "advise",
        "deny",
        "doubt",
        "dispute",
        "reject",
        "refute",
        "question",
        "attribute",
        "ascribe",
    ]
)
DENYING = frozenset(
    ["deny", "doubt", "dispute", "reject", "refute", "disprove", "contradict", "question", "disbelieve"]
)
_FAILING = frozenset(
    ["fail", "refuse", "cease", "neglect", "decline", "forbear", "hesitate", "stop", "avoid", "forget"]
)
_ASKING = frozenset(
    ["ask", "wonder", "inquire", "enquire", "question", "investigate", "examine", "test", "determine"]
)
_CONDITIONS = frozenset(
    {
        "if",
        "unless",
        "whether",
        "provided",
        "providing",
        "supposing",
        "lest",
        "in case",
        "as if",
        "as though",
        "were",
        "had",
    }
)
_MODALS = frozenset(
    ["may", "might", "could", "would", "can", "will", "should", "must", "shall", "ought", "'d", "'ll"]
)
_FALSE = frozenset(
    ["false", "untrue", "wrong", "impossible", "unlikely", "incorrect", "mistaken", "absurd", "doubtful"]
)
_TRUE = frozenset(["true", "case", "clear", "likely", "evident", "proof", "evidence"])
_NO_ONE = frozenset({"nothing", "nobody", "none", "neither", "no"})


@dataclass(frozen=True, slots=True)
class Stance:
    """How a predicate is put; `speaker` is the head of who says so, a token of the sentence."""

    negated: bool
    modality: Modality
    speaker: int | None = None


def stance_of(tree: Tree, predicate: int) -> Stance:
    """Read the stance of a predicate off its auxiliaries and of the clauses above it."""
    negated = tree.is_negated(predicate) or _nobody(tree, predicate)
    modality = _modality(tree, predicate)
    speaker: int | None = None
    for clause in _clauses_up(tree, predicate):
        above, relation = tree.heads[clause], tree.relations[clause]
        negated ^= _is_reversed(tree, clause)
        modality = _modality_under(tree, clause, modality)
        if relation == "ccomp" and tree.lemmas[above] in REPORTING | DENYING:
            speaker = _speaker(tree, above)
        if relation == "conj" and clause == predicate:
            modality = _shared(tree, clause, above, modality)
    if modality != "hypothetical" and _under_unreal_condition(tree, predicate):
        modality = "hypothetical"
    if tree.words[-1] == "?" or "?" in tree.words[-3:]:
        modality = "asked"
    return Stance(negated, modality, speaker if speaker is not None else _parenthetical(tree, predicate))


def _clauses_up(tree: Tree, predicate: int) -> Iterator[int]:
    """Yield a predicate and the heads of the clauses it stands in, as far as what is above bears on it."""
    clause = predicate
    for _ in range(len(tree)):
        above, relation = tree.heads[clause], tree.relations[clause]
        if above == clause:
            return
        yield clause
        if tree.deprels[clause] == "acl:relcl" or (relation in ("conj", "parataxis") and clause != predicate):
            return
        if relation not in CLAUSAL | {"conj"} and tree.upos[above] not in ("VERB", "AUX", "ADJ", "NOUN"):
            return
        clause = above


_IDEAS = frozenset(
    [
        "idea",
        "claim",
        "notion",
        "theory",
        "view",
        "belief",
        "argument",
        "opinion",
        "assertion",
        "allegation",
        "statement",
        "doctrine",
    ]
)


def _is_refused(tree: Tree, noun: int) -> bool:
    """Tell "rejected the idea that" and "the claim that ... is refuted"."""
    verb = tree.heads[noun]
    refused = tree.lemmas[verb] in DENYING | _FALSE and tree.relations[noun] in ("obj", "nsubj")
    return refused and not tree.is_negated(verb)


def _shows_nothing(tree: Tree, verb: int) -> bool:
    """Tell "there is nothing to show that"."""
    shows = tree.lemmas[verb] in ("show", "prove", "suggest", "indicate") and tree.relations[verb] in (
        "acl",
        "advcl",
    )
    return shows and (tree.lows[tree.heads[verb]] == "nothing" or _no_determiner(tree, tree.heads[verb]))


def _modality_under(tree: Tree, clause: int, modality: Modality) -> Modality:
    """Return what a clause makes of the modality of what is in it."""
    relation, mark = tree.relations[clause], tree.mark_of(clause)
    if relation in ("advcl", "acl") and (mark in _CONDITIONS or _inverted(tree, clause)):
        return "hypothetical"
    if relation in ("ccomp", "csubj") and mark in ("if", "whether"):
        return "asked"
    if relation == "ccomp" and tree.lemmas[tree.heads[clause]] in _ASKING - DENYING:
        return "asked"
    return modality


def _is_reversed(tree: Tree, clause: int) -> bool:
    """Tell whether what is above a clause denies it: "failed to", "denied that", "no proof that"."""
    above, relation = tree.heads[clause], tree.relations[clause]
    lemma, negated = tree.lemmas[above], tree.is_negated(above)
    if relation == "advcl":
        return tree.mark_of(clause) == "without"
    if relation == "xcomp":
        return lemma in _FAILING or negated
    if relation == "acl":
        nothing = lemma in ("proof", "evidence", "reason", "indication") and _no_determiner(tree, above)
        return nothing or (lemma in _IDEAS and _is_refused(tree, above))
    if relation == "ccomp" and lemma in REPORTING | _ASKING | DENYING:
        if lemma in DENYING:
            return not (negated or _nobody(tree, above))
        return _shows_nothing(tree, above) or (lemma in REPORTING - {"say", "tell"} and negated)
    return relation in ("ccomp", "csubj") and lemma in (_TRUE if negated else _FALSE)


def _modality(tree: Tree, predicate: int) -> Modality:
    return "modal" if any(tree.lows[aux] in _MODALS for aux in tree.dependents(predicate, "aux")) else "fact"


def _shared(tree: Tree, conjunct: int, head: int, modality: Modality) -> Modality:
    if (
        modality == "fact"
        and tree.dependent(conjunct, "aux", "nsubj") is None
        and _modality(tree, head) == "modal"
    ):
        return "modal"
    return modality


def _inverted(tree: Tree, clause: int) -> bool:
    """Tell "had they known" and "were it so" from other clauses without a mark."""
    first = next((child for child in tree.dependents(clause, "aux", "cop", "aux:pass")), None)
    subject = tree.dependent(clause, "nsubj", "nsubj:pass")
    return (
        first is not None
        and subject is not None
        and first < subject
        and tree.lows[first] in ("had", "were", "should")
    )


def _under_unreal_condition(tree: Tree, predicate: int) -> bool:
    """Tell "would have caused" with an if-clause in the past: nothing is said to have happened."""
    if not any(
        tree.lows[aux] in ("would", "could", "might", "should") for aux in tree.dependents(predicate, "aux")
    ):
        return False
    conditions = [
        child
        for child in tree.dependents(predicate, "advcl")
        if tree.mark_of(child) in ("if", "unless") or _inverted(tree, child)
    ]
    perfect = any(tree.lows[aux] == "have" for aux in tree.dependents(predicate, "aux"))
    return bool(conditions) and (perfect or any(_past(tree, child) for child in conditions))


def _past(tree: Tree, clause: int) -> bool:
    members = [clause, *tree.dependents(clause, "aux", "cop")]
    return any(
        tree.feature(member, "Tense") == "Past" and tree.feature(member, "VerbForm") == "Fin"
        for member in members
    )


def _nobody(tree: Tree, predicate: int) -> bool:
    return any(
        tree.lows[subject] in _NO_ONE and tree.lows[subject + 1 : subject + 2] not in (["but"], ["except"])
        for subject in surface_subjects(tree, predicate)
    )


def _no_determiner(tree: Tree, noun: int) -> bool:
    return any(tree.lows[child] in ("no", "little", "not") for child in tree.children[noun])


def _speaker(tree: Tree, verb: int) -> int | None:
    if is_passive(tree, verb):
        return tree.dependent(verb, "obl:agent")
    subjects = surface_subjects(tree, verb)
    return subjects[0] if subjects and tree.lows[subjects[0]] not in ("it", "there") else None


def _parenthetical(tree: Tree, predicate: int) -> int | None:
    """Return who speaks in "..., Farr argued, ..." and "according to Farr"."""
    for child in tree.dependents(predicate, "parataxis", "advcl", "conj"):
        bare = tree.relations[child] != "conj" or tree.dependent(child, "cc", "obj", "ccomp") is None
        if tree.lemmas[child] in REPORTING and tree.upos[child] == "VERB" and bare:
            return _speaker(tree, child)
    for child in tree.dependents(predicate, "obl", "advmod"):
        if tree.case_of(child) == "according to" or (
            tree.lemmas[child] in ("view", "opinion", "judgment") and tree.case_of(child) == "in"
        ):
            owner = tree.dependent(child, "nmod:poss", "nmod")
            return owner if owner is not None else child
    head = tree.heads[predicate]
    if tree.relations[predicate] in ("parataxis", "ccomp") and tree.lemmas[head] in REPORTING:
        return _speaker(tree, head)
    return None
