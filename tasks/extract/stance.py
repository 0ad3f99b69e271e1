"""How a sentence puts what it states: denied, conditional, asked, with a modal verb, in whose name."""

from collections.abc import Iterator
from dataclasses import dataclass

from corpusgraph.schemas.evidence import PUT_FORWARD, Modality
from corpusgraph.tasks.extract.roles import is_passive, surface_subjects
from corpusgraph.tasks.extract.tree import CLAUSAL, Tree
from corpusgraph.tasks.index.rules.wordlist import wordset

REPORTING = wordset("""
    say argue claim report believe think maintain contend assert state suggest hold insist write declare note
    observe announce allege conclude suspect estimate warn tell explain admit concede remark reply answer add
    acknowledge predict propose suppose consider assume fear hope imagine find show demonstrate prove reveal
    recall testify affirm swear complain advise deny doubt dispute reject refute question attribute ascribe
""")
DENYING = wordset("deny doubt dispute reject refute disprove contradict question disbelieve")
_FAILING = wordset("""
    fail refuse cease neglect decline forbear hesitate stop avoid forget unable disinclined unwilling
    reluctant powerless incapable unfit incompetent
""")
_MEANT = wordset("""
    try seek attempt strive endeavour endeavor struggle aim want wish hope intend plan mean need desire long
    promise propose expect threaten seem appear ask urge beg request ought calculate able likely apt liable
    design
""")
"""What these say of an act is tried, wished, able or likely to be; it is not said to have happened."""
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
_MODALS = wordset("may might could would can should must shall ought")
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
    negated = tree.is_negated(predicate) or _nobody(tree, predicate) or _did_nothing(tree, predicate)
    asked = "?" in tree.words[-3:] and not _is_known(tree, predicate)
    modality = _modality(tree, predicate)
    speaker: int | None = None
    for clause in _clauses_up(tree, predicate):
        above, relation = tree.heads[clause], tree.relations[clause]
        negated ^= not asked and _is_reversed(tree, clause)  # "is it not evident that": yes
        modality = _modality_under(tree, clause, modality)
        if relation == "ccomp" and tree.lemmas[above] in REPORTING | DENYING:
            speaker = _speaker(tree, above)
        if modality in PUT_FORWARD and _is_conditioned(tree, tree.heads[clause]):
            modality = "hypothetical"
    if modality in PUT_FORWARD and (_is_conditioned(tree, predicate) or _is_unreal(tree, predicate)):
        modality = "hypothetical"
    if asked or _exclaims(tree, predicate):
        modality = "asked"
    return Stance(negated, modality, speaker if speaker is not None else _parenthetical(tree, predicate))


def _is_known(tree: Tree, predicate: int) -> bool:
    """Tell a relative clause of a certain thing, which a question takes for granted: "the plan they made"."""
    if tree.deprels[predicate] != "acl:relcl":
        return False
    determiners = tree.dependents(tree.heads[predicate], "det", "nmod")
    return any(tree.lows[child] in _CERTAIN for child in determiners)


_CERTAIN = wordset("the this that these those his its their our my")


def _did_nothing(tree: Tree, predicate: int) -> bool:
    """Tell "did nothing to ease it", "has little to do with it"."""
    held = tree.heads[predicate]
    return tree.relations[predicate] == "acl" and tree.lows[held] in ("nothing", "little")


def _exclaims(tree: Tree, predicate: int) -> bool:
    """Tell "what madness could drive them": nobody is said to be driven."""
    return any(
        tree.lows[child] in ("what", "which", "whose") and not tree.deprels[predicate].endswith("relcl")
        for subject in tree.dependents(predicate, "nsubj")
        for child in tree.dependents(subject, "det")
    )


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


def _too_much(tree: Tree, quality: int) -> bool:
    """Tell "too weak to"."""
    return any(tree.lows[degree] == "too" for degree in tree.dependents(quality, "advmod"))


def _is_nowhere(tree: Tree, noun: int) -> bool:
    """Tell "no clause that", "there is not a clause that": what the relative clause says is of nothing."""
    first = noun
    while tree.relations[first] in ("conj", "nmod") and first != tree.heads[first]:
        if _is_none(tree, first):
            return True
        first = tree.heads[first]
    if _is_none(tree, first):
        return True
    being = tree.heads[first]
    there = any(tree.lows[child] == "there" for child in tree.children[being])
    return there and tree.lemmas[being] == "be" and tree.is_negated(being)


def _is_none(tree: Tree, noun: int) -> bool:
    """Tell "no clause" from a name such as "No Limit Records"."""
    return any(
        tree.lows[child] in ("no", "neither") and (child == 0 or tree.words[child].islower())
        for child in tree.dependents(noun, "det", "cc")
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
    if modality == "fact" and (_is_aimed_at(tree, clause) or _asks_to(tree, clause)):
        return "modal"
    return modality


def _is_aimed_at(tree: Tree, clause: int) -> bool:
    """Tell an infinitive of purpose, or of what is tried or wished, from what happened."""
    relation, mark = tree.relations[clause], tree.mark_of(clause)
    if relation == "xcomp":
        return tree.lemmas[tree.heads[clause]] in _MEANT
    return relation in ("acl", "advcl") and mark in ("to", "in order to", "so as to", "in order that")


def _asks_to(tree: Tree, clause: int) -> bool:
    """Tell "let us" and a command: a root in its base form without a subject."""
    if tree.feature(clause, "Mood") != "Imp":
        return False
    return tree.dependent(clause, "nsubj", "nsubj:pass", "aux") is None


def _is_reversed(tree: Tree, clause: int) -> bool:
    """Tell whether what is above a clause denies it: "failed to", "denied that", "no proof that"."""
    above, relation = tree.heads[clause], tree.relations[clause]
    lemma, negated = tree.lemmas[above], tree.is_negated(above)
    if relation == "advcl":
        return tree.mark_of(clause) == "without"
    if relation == "xcomp":
        return lemma in _FAILING or negated or _too_much(tree, above)
    if relation == "acl":
        return _is_of_nothing(tree, clause, above)
    if relation == "ccomp" and lemma in REPORTING | _ASKING | DENYING:
        if lemma in DENYING:
            return not (negated or _nobody(tree, above))
        return _shows_nothing(tree, above) or (lemma in REPORTING - {"say", "tell"} and negated)
    return relation in ("ccomp", "csubj") and lemma in (_TRUE if negated else _FALSE)


def _is_of_nothing(tree: Tree, clause: int, noun: int) -> bool:
    """Tell "no clause that", "no power to", "no proof that", "rejected the idea that"."""
    if tree.deprels[clause] == "acl:relcl" and _is_nowhere(tree, noun):
        return True
    powerless = tree.mark_of(clause) == "to" and _is_none(tree, noun)
    proof = tree.lemmas[noun] in ("proof", "evidence", "reason", "indication")
    refused = tree.lemmas[noun] in _IDEAS and _is_refused(tree, noun)
    return powerless or refused or (proof and _no_determiner(tree, noun))


def _modality(tree: Tree, predicate: int) -> Modality:
    return "modal" if any(tree.lows[aux] in _MODALS for aux in _auxiliaries(tree, predicate)) else "fact"


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


def _is_conditioned(tree: Tree, clause: int) -> bool:
    """Tell what an if-clause hangs on: "if ice melts, the sea will rise"."""
    return any(
        tree.mark_of(child) in ("if", "unless") or _inverted(tree, child)
        for child in tree.dependents(clause, "advcl")
    )


def _is_unreal(tree: Tree, predicate: int) -> bool:
    """Tell "would" under a condition that is not spoken from the future of a past: "he said it would"."""
    if all(tree.lows[aux] != "would" for aux in _auxiliaries(tree, predicate)):
        return False
    return not any(_past(tree, above) for above in tree.ancestors(predicate))


def _auxiliaries(tree: Tree, predicate: int) -> list[int]:
    """Return the auxiliaries of a predicate, of the first where it shares them: "would delay and hurt"."""
    own = tree.dependents(predicate, "aux")
    shares = tree.relations[predicate] == "conj" and tree.dependent(predicate, "nsubj", "cop") is None
    if own or not shares or tree.heads[predicate] == predicate:
        return own
    return _auxiliaries(tree, tree.heads[predicate])


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
    return any(
        tree.lows[child] in ("no", "little", "not") and tree.lows[child + 1] not in ("less", "more", "small")
        for child in tree.children[noun]
        if child + 1 < len(tree)
    )


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
        owner = tree.dependent(child, "nmod:poss", "nmod")
        view = tree.lows[child] in ("view", "opinion", "judgment", "judgement")
        if view and owner is not None and tree.case_of(child) in ("in", "according to"):
            return owner
        if tree.case_of(child) == "according to":
            return child
    head = tree.heads[predicate]
    if tree.relations[predicate] in ("parataxis", "ccomp") and tree.lemmas[head] in REPORTING:
        return _speaker(tree, head)
    return None
