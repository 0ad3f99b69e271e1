"""How a sentence puts what it states: denied, under a condition, as a question, with a modal verb, in whose name."""

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
_DENYING = frozenset(
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
_NO_ONE = frozenset({"nothing", "nobody", "none", "neither", "no"})


@dataclass(frozen=True, slots=True)
class Stance:
    """How a predicate is put; `speaker` is the head of who says so, a token of the sentence."""

    negated: bool
    modality: Modality
    speaker: int | None = None


def stance_of(tree: Tree, predicate: int) -> Stance:
    """Read the stance of a predicate off its auxiliaries and of the clauses above it."""
    negated, modality, speaker = (
        tree.is_negated(predicate) or _nobody(tree, predicate),
        _modality(tree, predicate),
        None,
    )
    clause = predicate
    for _ in range(len(tree)):
        above = tree.heads[clause]
        relation = tree.relations[clause]
        if above == clause:
            break
        mark = tree.mark_of(clause)
        if relation in ("advcl", "acl") and (mark in _CONDITIONS or _inverted(tree, clause)):
            modality = "hypothetical"
        elif relation in ("ccomp", "csubj") and mark in ("if", "whether"):
            modality = "asked"
        if relation == "advcl" and mark == "without":
            negated = not negated
        if relation in ("ccomp", "xcomp", "csubj", "acl", "conj", "parataxis"):
            lemma = tree.lemmas[above]
            if (relation == "xcomp" and lemma in _FAILING) or (
                relation == "xcomp" and tree.is_negated(above)
            ):
                negated = not negated
            elif relation == "ccomp" and lemma in _DENYING:
                negated, speaker = not negated, _speaker(tree, above)
            elif relation == "ccomp" and lemma in _ASKING:
                modality = "asked"
            elif relation == "ccomp" and lemma in REPORTING:
                speaker = _speaker(tree, above)
                negated ^= tree.is_negated(above) and lemma not in ("say", "tell")
            elif (relation in ("csubj", "ccomp") and lemma in _FALSE and not tree.is_negated(above)) or (
                relation in ("csubj", "ccomp")
                and lemma in ("true", "case", "clear", "likely", "evident", "proof", "evidence")
                and tree.is_negated(above)
            ):
                negated = not negated
            elif (
                relation == "acl"
                and lemma in ("proof", "evidence", "reason", "doubt", "indication")
                and _no_determiner(tree, above)
            ):
                negated = not negated if lemma != "doubt" else negated
            if relation == "acl" and tree.deprels[clause] == "acl:relcl":
                break
            if relation in ("conj", "parataxis") and clause != predicate:
                break
        elif relation not in CLAUSAL:
            if tree.upos[above] not in ("VERB", "AUX", "ADJ", "NOUN"):
                break
        if relation == "conj":
            modality = _shared(tree, clause, above, modality)
        clause = above
    if modality != "hypothetical" and _under_unreal_condition(tree, predicate):
        modality = "hypothetical"
    if tree.words[-1] == "?" or "?" in tree.words[-3:]:
        modality = "asked"
    return Stance(negated, modality, speaker if speaker is not None else _parenthetical(tree, predicate))


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
    for child in tree.dependents(predicate, "parataxis", "advcl"):
        if tree.lemmas[child] in REPORTING and tree.upos[child] == "VERB":
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
