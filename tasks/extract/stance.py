"""How a sentence puts what it states: denied, conditional, asked, with a modal verb, in whose name."""

from collections.abc import Iterator
from dataclasses import dataclass

from corpusgraph.schemas.evidence import PUT_FORWARD, Modality
from corpusgraph.tasks.extract.roles import is_passive, says_it_is, surface_subjects
from corpusgraph.tasks.extract.tree import CLAUSAL, Tree
from corpusgraph.tasks.text.wordlist import words, wordset

REPORTING = words("stance.reporting")
DENYING = wordset("deny doubt dispute reject refute disprove contradict question disbelieve")
_FAILING = words("stance.failing")
_NEVER_DONE = wordset("fail refuse decline neglect")
_MEANT = words("stance.meant")
_ASKING = wordset("ask wonder inquire enquire question investigate examine test determine")
_CONDITIONS = wordset("if unless whether provided providing supposing lest were had")
_CONDITIONS |= {"in case", "as if", "as though"}
_MODALS = wordset("may might could would can should must shall ought")
_HEDGES = words("stance.hedges")
_IMAGINED = words("stance.imagined")
_HELD = words("stance.held")
_FACTIVE = words("stance.factive")
_NOT_PUT = wordset("say tell see know realise realize notice admit remark reply answer observe add explain")
"""To deny one of these is not to deny what is said."""
_PERCEIVED = wordset("see hear watch observe notice feel find know")
_PROSPECT = words("stance.prospect")
_AIMS = words("stance.aims")
_HELD_BACK = words("stance.held_back")
_PROVIDING = words("stance.providing")
_FAR_FROM = frozenset({("far", "from"), ("instead", "of"), ("rather", "than")})
_LED = wordset("invite ask lead require")
"""To believe something, which is then in nobody's name."""
_SUPPOSING = wordset("suppose imagine assume say grant")
_REASONS = wordset("because as since for although though whereas inasmuch")
"""A clause with one of these is put by itself, however the clause above it is put."""
_BRINGING_ABOUT = wordset("conspire combine concur contribute serve suffice cooperate operate go help")
_LOT = words("stance.lot")
_LACKING = wordset("want lack lose miss")
_POWER = words("stance.power")
_NOT_QUITE = wordset("almost nearly")
_ABRUPT = words("stance.abrupt")
_FALSE = words("stance.untrue")
_TRUE = words("stance.true")
_HARDLY = wordset("nothing little")
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
    # "did nothing to ease it", "has little to do with it"
    negated |= tree.relations[predicate] == "acl" and tree.lows[tree.heads[predicate]] in _HARDLY
    negated |= tuple(tree.lows[max(0, predicate - 2) : predicate]) in _FAR_FROM
    asked = "?" in tree.words[-3:] and not _is_known(tree, predicate)
    modality = _modality(tree, predicate)
    speaker: int | None = None
    said = apart = False
    for clause in _clauses_up(tree, predicate):
        above, relation = tree.heads[clause], _relation(tree, clause)
        if said and above == clause:  # "let it be remarked that it will": it will
            break
        if relation == "ccomp" and tree.lemmas[above] in REPORTING | DENYING:
            speaker = _speaker(tree, above)
        if apart:
            continue
        said |= relation == "ccomp"
        negated ^= not asked and _is_reversed(tree, clause)  # "is it not evident that": yes
        modality = _modality_under(tree, clause, modality)
        apart = relation == "advcl" and tree.mark_of(clause) in _REASONS
        put = modality in PUT_FORWARD and not apart
        if put and (_is_conditioned(tree, above) or _is_unreal_above(tree, clause)):
            modality = "hypothetical"
    if modality in PUT_FORWARD and (
        _is_conditioned(tree, predicate) or _is_unreal(tree, predicate) or _only_nearly(tree, predicate)
    ):
        modality = "hypothetical"
    if asked or _exclaims(tree, predicate):
        modality = "asked"
        negated &= not _expects_yes(tree, predicate)
    return Stance(negated, modality, speaker if speaker is not None else _parenthetical(tree, predicate))


def _expects_yes(tree: Tree, predicate: int) -> bool:
    """Tell "would not trade suffer?", which does not deny that it suffers."""
    subject = tree.dependent(predicate, "nsubj", "csubj")
    before = range(max(1, (subject or 0) - 3), subject or 0)
    return any(tree.lows[no] in ("not", "n't", "n’t") and tree.upos[no - 1] == "AUX" for no in before)


def is_denied_from_above(tree: Tree, clause: int) -> bool:
    """Tell what a clause above denies as a whole: "it will not follow that, because ..., they ought to"."""
    denied = False
    for place in _clauses_up(tree, clause):
        denied ^= _relation(tree, place) in ("ccomp", "csubj") and _is_reversed(tree, place)
    return denied


def of_link(tree: Tree, stance: Stance, source: int, target: int) -> Modality:
    """Return the modality of a link of two clauses: under a condition where either is, else as it is put."""
    if stance.modality not in PUT_FORWARD:
        return stance.modality
    for end in (source, target):
        would_have = {"would", "have"} <= {tree.lows[aux] for aux in tree.dependents(end, "aux")}
        if _is_if_clause(tree, end) or _is_conditioned(tree, end) or (would_have and _is_unreal(tree, end)):
            return "hypothetical"
    meant = tree.has_word(target, _MEANING, "aux") and source < target
    return "modal" if meant or tree.mark_of(target) == "lest" else stance.modality


def is_purpose(tree: Tree, governor: int, clause: int) -> bool:
    """Tell "we will fight, so that a century is spared" and "was widened so that all live" from results."""
    ahead = any(tree.lows[aux] in _AHEAD for aux in _auxiliaries(tree, governor))
    return ahead or (tree.feature(governor, "Tense") == "Past" and _is_bare(tree, clause))


def _is_bare(tree: Tree, clause: int) -> bool:
    """Tell a present, or a bare subjunctive, without an auxiliary or copula."""
    verb = tree.upos[clause] == "VERB" and tree.dependent(clause, "aux", "cop") is None
    base = tree.lows[clause] == tree.lemmas[clause] or tree.lows[clause].endswith("s")
    return verb and base and tree.feature(clause, "Tense") != "Past"


_MEANING = wordset("may might shall should")
_AHEAD = wordset("will shall must should ought 'll")


def _is_if_clause(tree: Tree, clause: int) -> bool:
    """Tell a clause that a condition opens, whatever else does: "because only if", "because when once"."""
    opening = [child for child in tree.dependents(clause, "mark", "advmod") if child < clause]
    marks = [tree.lows[part] for child in opening for part in (child, *tree.dependents(child, "fixed"))]
    where = "where" in marks and tree.relations[clause] == "advcl" and not _past(tree, clause)
    return "if" in marks or ("when" in marks and "once" in marks) or where


def _is_known(tree: Tree, predicate: int) -> bool:
    """Tell what a question or condition takes for granted: "the plan they made", "the harm done by it"."""
    marked = tree.mark_of(predicate) or tree.case_of(predicate)
    if tree.relations[predicate] != "acl" or marked or _is_cleft(tree, predicate):
        return False
    return tree.has_word(tree.heads[predicate], _CERTAIN, "det", "nmod")


def _is_cleft(tree: Tree, clause: int) -> bool:
    """Tell "it was pepper that made her savage"."""
    return tree.deprels[clause] == "acl:relcl" and says_it_is(tree, tree.heads[clause])


_CERTAIN = wordset("the this that these those his its their our my")


def _exclaims(tree: Tree, predicate: int) -> bool:
    """Tell "what madness could drive them": nobody is said to be driven."""
    subjects = () if tree.deprels[predicate].endswith("relcl") else tree.dependents(predicate, "nsubj")
    return any(tree.has_word(subject, ("what", "which", "whose"), "det") for subject in subjects)


def _clauses_up(tree: Tree, predicate: int) -> Iterator[int]:
    """Yield a predicate and the heads of the clauses it stands in, as far as what is above bears on it."""
    clause = predicate
    for _ in range(len(tree)):
        above, relation = tree.heads[clause], _relation(tree, clause)
        if relation == "ccomp" and _is_given(tree, clause):
            return
        yield clause
        if above == clause:
            return
        if tree.deprels[clause] == "acl" and _is_known(tree, clause) and not tree.dependents(above, "cop"):
            return
        if tree.deprels[clause] == "acl:relcl" or (relation in ("conj", "parataxis") and clause != predicate):
            return
        if relation not in CLAUSAL | {"conj"} and tree.upos[above] not in ("VERB", "AUX", "ADJ", "NOUN"):
            return
        clause = above


def _relation(tree: Tree, clause: int) -> str:
    """Return the relation of a clause; one with "that" is what is said: "it is not assumed, though, that".

    An infinitive below "failed" is what failed, where a parser takes it for a purpose.
    """
    relation, verb = tree.relations[clause], tree.heads[clause]
    if relation == "advcl" and tree.lemmas[verb] in _NEVER_DONE and tree.mark_of(clause) == "to":
        return "xcomp"
    if tree.deprels[clause] == "csubj:pass":
        return "ccomp"
    if relation not in ("conj", "parataxis", "dep") or clause < verb:
        return relation
    that = tree.has_word(verb, ("that",), "obj", "dep", "nsubj")
    that = that or "that" in tree.mark_of(clause).split()
    saying = tree.lemmas[verb] in REPORTING | DENYING or tree.lemmas[verb] == "follow"
    return "ccomp" if that and saying and tree.dependent(verb, "ccomp") is None else relation


def _is_given(tree: Tree, clause: int) -> bool:
    """Tell what is known or seen to be so: "they fail to see that"."""
    verb = tree.heads[clause]
    asked = tree.mark_of(clause) in ("if", "whether") or tree.feature(verb, "Mood") == "Imp"
    return tree.lemmas[verb] in _FACTIVE and not asked and tree.mark_of(clause) == "that"


_COMPARING = wordset("as than but")
_IDEAS = wordset(
    "idea claim notion theory view belief argument opinion assertion allegation statement doctrine"
    " supposition assumption presumption pretext pretence conjecture hypothesis impression persuasion"
)


def _too_much(tree: Tree, quality: int) -> bool:
    """Tell "too weak to"."""
    return tree.has_word(quality, ("too",), "advmod")


def _is_nowhere(tree: Tree, noun: int) -> bool:
    """Tell "no clause that", "there is not a clause that": what the relative clause says is of nothing."""
    first = noun
    while not _is_none(tree, first) and tree.relations[first] in ("conj", "nmod"):
        if first == tree.heads[first]:
            break
        first = tree.heads[first]
    if _is_none(tree, first):
        return True
    being = tree.heads[first]
    bare = not tree.has_word(noun, _CERTAIN, "det", "nmod") and tree.case_of(first) not in _COMPARING
    if bare and _nobody(tree, being):  # "nothing has occurred in the nature of evidence which"
        return True
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
    above = tree.heads[verb]
    shows = tree.lemmas[verb] in ("show", "prove", "suggest", "indicate")
    nothing = tree.lows[above] == "nothing" or _no_determiner(tree, above)
    return shows and nothing and tree.relations[verb] in ("acl", "advcl")


def _modality_under(tree: Tree, clause: int, modality: Modality) -> Modality:
    """Return what a clause makes of the modality of what is in it."""
    held = _as_held(tree, clause)
    if _is_raised_only(tree, clause) or (modality in PUT_FORWARD and held == "hypothetical"):
        return "hypothetical"
    above, relation = tree.heads[clause], _relation(tree, clause)
    first = tree.subtree(clause)[0]
    how_far = tree.lows[first : first + 2] in (["how", "far"], ["how", "much"])  # "considered how far"
    wondered = tree.lemmas[above] in _ASKING - DENYING or how_far
    whether = relation in ("ccomp", "csubj") and tree.mark_of(clause) in ("if", "whether")
    if whether or (relation == "ccomp" and wondered):
        return "asked"
    if tree.deprels[clause] == "acl:relcl" and not _is_content(tree, clause):
        return _modality_of_relative(tree, clause, modality)
    surely = tree.lemmas[above] in _FAILING and tree.is_negated(above)  # "cannot fail to"
    hedged = relation == "xcomp" and _modality(tree, above) == "modal" and not surely
    meant = _is_aimed_at(tree, clause) or _asks_to(tree, clause)
    return "modal" if modality == "fact" and (hedged or meant or held == "modal") else modality


def _is_raised_only(tree: Tree, clause: int) -> bool:
    """Tell what stands under a condition, is supposed, kept from coming about or seen by nobody."""
    above, relation = tree.heads[clause], _relation(tree, clause)
    if relation == "xcomp":  # "no one has seen a wolf kill"
        unseen = tree.lemmas[above] in _PERCEIVED and (tree.is_negated(above) or _nobody(tree, above))
        return unseen or _is_without_equal(tree, clause)
    if relation == "ccomp":
        return tree.lemmas[above] in _SUPPOSING and _asks_to(tree, above)
    if relation not in ("advcl", "acl"):
        return False
    if tree.mark_of(clause) in _CONDITIONS or _inverted(tree, clause):
        return True
    return relation == "advcl" and (_is_if_clause(tree, clause) or _is_kept_from(tree, clause))


def _modality_of_relative(tree: Tree, clause: int, modality: Modality) -> Modality:
    """Return how a relative clause is put: "the strength that will deter" is yet to be, where it is sought.

    Of a cleft, "perhaps it was pepper that made her savage", as the clause around it.
    """
    noun = tree.heads[clause]
    if modality == "fact" and tree.mark_of(clause) == "to":  # "by which they were to be destroyed"
        return "modal"
    if modality == "fact" and _is_cleft(tree, clause):
        return _modality(tree, noun)
    to_come = any(tree.lows[aux] in ("will", "shall", "would") for aux in _auxiliaries(tree, clause))
    verb = tree.heads[noun]
    if modality != "fact" or not to_come or tree.relations[noun] != "obj" or verb == noun:
        return modality
    sought = any(_is_aimed_at(tree, place) or _asks_to(tree, place) for place in _clauses_up(tree, verb))
    return "modal" if sought or _asks_to(tree, verb) else modality


def _is_without_equal(tree: Tree, clause: int) -> bool:
    """Tell "no subject is so likely to evoke it as this": it is said of this, not denied of a subject."""
    quality = tree.heads[clause]
    degree = tree.has_word(quality, ("so", "as", "more"), "advmod")
    none = not {"no", "nothing", "none", "nobody"}.isdisjoint(tree.lows[:quality])
    return degree and none and not {"as", "than"}.isdisjoint(tree.lows[clause:])


def _is_kept_from(tree: Tree, clause: int) -> bool:
    """Tell "restrain majorities from oppressing": the text does not say that they do."""
    marked = "from" in (tree.mark_of(clause), tree.case_of(clause))
    return marked and tree.lemmas[tree.heads[clause]] in _HELD_BACK


def _is_aimed_at(tree: Tree, clause: int) -> bool:
    """Tell what is tried, wished or meant to be from what happened."""
    relation, mark, above = _relation(tree, clause), tree.mark_of(clause), tree.heads[clause]
    if relation == "xcomp":
        things = tree.dependents(above, "obj") if mark == "to" else []
        empowered = any(tree.lemmas[thing] in _POWER for thing in things)
        return empowered or tree.lemmas[above] in _MEANT
    if mark == "to" and tree.dependent(clause, "cop") is not None:  # "the purpose is to strengthen"
        return any(tree.lemmas[child] in _AIMS for child in tree.dependents(clause, "nsubj"))
    if mark == "for" and tree.lows[clause].endswith("ing"):  # "an institute for expanding research"
        return relation == "acl" or tree.lemmas[above] in _PROVIDING
    if mark == "to" and (tree.lemmas[above] in _BRINGING_ABOUT or tree.lows[above] in _LOT):
        return False
    return relation in ("acl", "advcl") and mark in ("to", "in order to", "so as to", "in order that", "lest")


def _as_held(tree: Tree, clause: int) -> Modality:
    """Return how the content of a belief, a hope or a danger is put.

    What is feared, hoped or said in nobody's name is only supposed; what there is a danger of may come about.
    """
    above, relation, mark = tree.heads[clause], _relation(tree, clause), tree.mark_of(clause).split()
    lemma = tree.lemmas[above]
    if relation == "ccomp" and (lemma in _IMAGINED or (lemma in _HELD and _is_nobodys(tree, above))):
        return "hypothetical"
    nouns = set[str]()
    that = tree.dependent(clause, "mark")
    if that and tree.lows[that] == "that":  # wherever the clause was hung
        before = that - 1
        if tree.upos[before] == "VERB" and tree.lemmas[before] in _HELD and _is_nobodys(tree, before):
            return "hypothetical"
        nouns |= {tree.lemmas[before]} if tree.upos[before] == "NOUN" else set()
    if "that" in mark:  # "the danger is that"
        outer = tree.dependents(clause, "nsubj:outer") or tree.dependents(above, "nsubj") * (lemma == "be")
        nouns |= {tree.lemmas[child] for child in outer}
    if relation in ("acl", "ccomp") and tree.upos[above] == "NOUN" and _is_content(tree, clause):
        nouns.add(lemma)
    if relation == "nmod" and lemma in _PROSPECT:
        nouns.add(lemma)
    return "hypothetical" if nouns & _IDEAS else "modal" if nouns & _PROSPECT else "fact"


def _is_content(tree: Tree, clause: int) -> bool:
    """Tell "the danger that gas will cause it" from "the danger that it brings about"."""
    noun = tree.heads[clause]
    subject = tree.dependent(clause, "nsubj")
    said = tree.lows[noun + 1 : noun + 2] == ["that"] and subject is not None and tree.lows[subject] != "that"
    return said and tree.lemmas[noun] in _IDEAS | _PROSPECT


def _is_nobodys(tree: Tree, verb: int) -> bool:
    """Tell "it is alleged that" and "it may be contended that" from what somebody says."""
    above = tree.heads[verb]
    if tree.relations[verb] == "xcomp" and tree.lemmas[above] in _LED:
        verb = above  # "we are invited to believe that"
    subjects = [tree.lows[child] for child in tree.dependents(verb, "nsubj", "expl")]
    impersonal = not subjects or "it" in subjects  # "the plan, it is argued, gave birth to"
    passive = is_passive(tree, verb) and tree.dependent(verb, "obl:agent") is None
    hearing = tree.lemmas[verb] in ("tell", "assure", *_LED) and subjects[:1] in (["i"], ["we"], ["you"])
    return passive and (impersonal or hearing) and not tree.is_negated(verb)


def _asks_to(tree: Tree, clause: int) -> bool:
    """Tell "let us" and a command: a root in its base form without a subject."""
    return tree.feature(clause, "Mood") == "Imp" and tree.dependent(clause, "nsubj", "aux") is None


def _is_reversed(tree: Tree, clause: int) -> bool:
    """Tell whether what is above a clause denies it: "failed to", "denied that", "no proof that"."""
    above, relation = tree.heads[clause], _relation(tree, clause)
    negated = tree.is_negated(above) or _nobody(tree, above)
    if tree.mark_of(clause) == "to" and (lacking := _lacking(tree, clause)) is not None:
        return not tree.is_negated(lacking)  # "nor do they want power to": they have it
    if relation == "xcomp" or (relation == "advcl" and _is_of_degree(tree, clause)):
        failing = tree.lemmas[above] in _FAILING or _too_much(tree, above)
        return failing != negated and not (relation == "xcomp" and tree.lemmas[above] in _PERCEIVED)
    if relation == "acl":
        return _is_of_nothing(tree, clause, above)
    return relation in ("ccomp", "csubj") and _is_unsaid(tree, above, negated=negated)


def _is_unsaid(tree: Tree, verb: int, *, negated: bool) -> bool:
    """Tell "denied that", "do not think that", "is false that" from "cannot be doubted that"."""
    lemma = tree.lemmas[verb]
    if lemma in DENYING:
        return not negated
    if lemma in REPORTING | _ASKING:
        return _shows_nothing(tree, verb) or (lemma in REPORTING - _NOT_PUT and negated)
    return lemma in (_TRUE if negated else _FALSE)


def _is_of_degree(tree: Tree, clause: int) -> bool:
    """Tell what somebody or something is too weak, or lets happen: "too weak to", "permit it to"."""
    above = tree.heads[clause]
    permits = tree.lemmas[above] in ("permit", "allow", "suffer", "let", "enable", "cause", "lead")
    return tree.mark_of(clause) == "to" and (_too_much(tree, above) or permits)


def _lacking(tree: Tree, clause: int) -> int | None:
    """Return the verb of "they want power to prevent it"."""
    above = tree.heads[clause]
    verb, things = above, tree.dependents(above, "obj")
    if tree.relations[clause] == "acl":
        verb, things = tree.heads[above], [above]
    lacks = tree.lemmas[verb] in _LACKING and any(tree.lemmas[thing] in _POWER for thing in things)
    return verb if lacks else None


def _is_of_nothing(tree: Tree, clause: int, noun: int) -> bool:
    """Tell "no clause that", "no power to", "no proof that", "rejected the idea that"."""
    if tree.deprels[clause] == "acl:relcl" and _is_nowhere(tree, noun):
        return True
    to = tree.mark_of(clause) == "to"
    being = tree.dependent(noun, "cop") is not None and tree.is_negated(noun)  # "not a man to be frightened"
    powerless = to and (_is_none(tree, noun) or being)
    proof = tree.lemmas[noun] in ("proof", "evidence", "reason", "indication")
    refused = tree.lemmas[noun] in _IDEAS and _is_refused(tree, noun)
    return powerless or refused or (proof and _no_determiner(tree, noun))


def _modality(tree: Tree, predicate: int) -> Modality:
    subject = tree.dependent(predicate, "nsubj")
    opening = tree.children[subject] if subject is not None else []  # "perhaps gas" taken for one noun
    hedged = any(tree.lows[child] in _HEDGES for child in (*tree.dependents(predicate, "advmod"), *opening))
    modal = hedged or any(tree.lows[aux] in _MODALS for aux in _auxiliaries(tree, predicate))
    return "modal" if modal else "fact"


def _inverted(tree: Tree, clause: int) -> bool:
    """Tell "had they known" and "were it so" from other clauses without a mark."""
    first, subject = tree.dependent(clause, "aux", "cop"), tree.dependent(clause, "nsubj")
    if first is None or subject is None or first > subject:
        return False
    return tree.lows[first] in ("had", "were", "should")


def _is_conditioned(tree: Tree, clause: int) -> bool:
    """Tell what an if-clause hangs on: "if ice melts, the sea will rise"."""
    return any(
        tree.mark_of(child) in ("if", "unless", "provided", "providing", "supposing")
        or _inverted(tree, child)
        for child in tree.dependents(clause, "advcl")
    )


def _is_unreal(tree: Tree, predicate: int) -> bool:
    """Tell "would" under a condition that is not spoken from the future of a past: "he said it would"."""
    if all(tree.lows[aux] != "would" for aux in _auxiliaries(tree, predicate)):
        return False
    return not any(_past(tree, above) for above in tree.ancestors(predicate))


def _is_unreal_above(tree: Tree, clause: int) -> bool:
    """Tell what stands in a clause with "would": "hostilities, instigated by Spain, would be at hand"."""
    above = tree.heads[clause]
    inside = tree.relations[clause] in ("xcomp", "acl", "nsubj", "obj", "advcl")
    if not inside or tree.mark_of(clause) == "that":
        return False
    wished = tree.lemmas[above] in ("like", "prefer", "love", "wish", "hope")  # "would like to"
    if tree.upos[clause] == "NOUN" and tree.has_word(clause, _CERTAIN, "det", "nmod"):
        return False  # "the damage from the flood would be"
    return not wished and tree.deprels[clause] != "acl:relcl" and _is_unreal(tree, above)


def _only_nearly(tree: Tree, predicate: int) -> bool:
    """Tell "almost causes" from "almost destroyed" and "almost always causes"."""
    nearly = predicate > 0 and tree.lows[predicate - 1] in _NOT_QUITE
    return nearly and tree.lemmas[predicate] in _ABRUPT


def _auxiliaries(tree: Tree, predicate: int) -> list[int]:
    """Return the auxiliaries of a predicate, of the first where it shares them: "would delay and hurt"."""
    own = tree.dependents(predicate, "aux")
    shares = tree.relations[predicate] == "conj" and tree.dependent(predicate, "nsubj", "cop") is None
    if own or not shares or tree.heads[predicate] == predicate:
        return own
    return _auxiliaries(tree, tree.heads[predicate])


def _past(tree: Tree, clause: int) -> bool:
    members = (clause, *tree.dependents(clause, "aux", "cop"))
    return ("Past", "Fin") in ((tree.feature(at, "Tense"), tree.feature(at, "VerbForm")) for at in members)


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
