"""The relations that a sentence states: patterns over its tree, and open subject-verb-object statements."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from corpusgraph.tasks.extract.context import Context, End, Reference
from corpusgraph.tasks.extract.ends import is_cut_off, says_something
from corpusgraph.tasks.extract.nouns import is_body, is_person
from corpusgraph.tasks.extract.patterns import Pattern, Patterns, Trigger
from corpusgraph.tasks.extract.roles import (
    antecedent,
    expanded,
    is_passive,
    objects,
    obliques,
    resolved_relatives,
    subjects,
    surface_subjects,
)
from corpusgraph.tasks.extract.stance import DENYING, REPORTING, stance_of
from corpusgraph.tasks.extract.tree import NOMINAL, Tree
from corpusgraph.tasks.index.rules.wordlist import wordset

COPULAR = wordset("""
    be become remain prove constitute form represent provide seem appear serve offer
""")
SPEAKING = REPORTING | {
    "look",
    "see",
    "take",
    "turn",
    "consider",
    "view",
    "reflect",
    "compare",
    "recur",
    "ask",
    "depend",
    "imagine",
    "apprehend",
    "understand",
}
NAMING = frozenset(
    {"call", "consider", "deem", "name", "pronounce", "declare", "render", "make", "think", "find"}
)
LONG, FAR, FAR_CLAUSE = 35, 14, 30
"""Tokens of a long sentence, and how far an end may be from the words that join it there."""
LIGHT = wordset("""
    be have do ought render place get make take give go come let seem appear become remain keep put set want
    need try begin start continue stop end help use say tell ask think know believe see hear feel find show
    mean hope wish like call name suppose expect consider regard
""")
"""Verbs that say too little to be a relation of their own."""
_VAGUE = wordset("""
    way time part kind sort case fact thing day year month week hour manner respect degree point number
    deal lot order regard hand side one example instance account reason place view end something anything
    nothing everything other someone anyone everyone nobody none latter former rest same contrary reverse
    first second third last alternative manner mode means room doubt question matter
""")
_NOBODY = wordset("""
    something anything nothing everything someone anyone everyone nobody none anybody somebody
    everybody while many few several both
""")
_CONTRAST = ("but", "rather than", "instead of", "not")


@dataclass(frozen=True, slots=True)
class Statement:
    """A relation between two tokens of a sentence.

    `anchor` is the predicate that its polarity and modality are read off, `cue` the tokens that carry it,
    `along` the tokens that belong to the target beside what it heads.
    """

    source: int
    target: int
    type: str
    anchor: int
    cue: tuple[int, ...]
    name: str
    confidence: float
    is_causal: bool = False
    speaker: int | None = None
    denied: bool = False
    along: int | None = None
    pattern: Pattern | None = None
    between_clauses: bool = False
    """Both ends say what is so or not so themselves: a negation in them does not deny the relation."""


def find_relations(context: Context, sentence: int, patterns: Patterns) -> None:
    """Add the assertions of a sentence to the findings."""
    tree = context.trees[sentence]
    taken: set[int] = set()
    read = [*stated(tree, patterns), *resulting(tree)]
    cues = {frozenset(statement.cue) for statement in read}
    for statement in read:  # of "as a result of" and "result of" the longer
        if not any(frozenset(statement.cue) < cue for cue in cues) and _add(context, sentence, statement):
            taken.update(statement.cue)
    for statement in (*located(tree), *open_statements(tree), *described(tree)):
        if statement.cue[0] not in taken or statement.type == "is_a":
            _add(context, sentence, statement)


def stated(tree: Tree, patterns: Patterns) -> Iterator[Statement]:
    """Yield what the patterns find."""
    for token in range(len(tree)):
        lemma, upos = tree.lemmas[token], tree.upos[token]
        if upos in ("VERB", "AUX") or tree.is_clause_with_object(token):
            yield from _first(_verb(tree, token, trigger) for trigger in patterns.of("verb", lemma))
        elif upos == "NOUN":
            yield from _first(_noun(tree, token, trigger) for trigger in patterns.of("noun", lemma))
        if upos in ("ADJ", "VERB") and tree.relations[token] != "case":
            yield from _first(
                _adjective(tree, token, trigger) for trigger in patterns.of("adjective", tree.lows[token])
            )
        yield from _first(
            _preposition(tree, token, trigger) for trigger in patterns.of("preposition", tree.lows[token])
        )
        yield from _first(
            _conjunction(tree, token, trigger) for trigger in patterns.of("conjunction", tree.lows[token])
        )


def _first(candidates: Iterator[list[Statement]]) -> list[Statement]:
    """Return what the first pattern that fits finds; if it asks for types of ends, also the next."""
    statements: list[Statement] = []
    for matched in candidates:
        statements += matched
        pattern = matched[0].pattern if matched else None
        if pattern is not None and not (pattern.source_is or pattern.target_is or pattern.source_not):
            break
    return statements


def _paired(
    tree: Tree,
    trigger: Trigger,
    anchor: int,
    cue: tuple[int, ...],
    sources: Sequence[int],
    targets: Sequence[int],
    *,
    speaker: int | None = None,
    along: int | None = None,
) -> list[Statement]:
    pattern = trigger.pattern
    return [
        Statement(
            source,
            target,
            pattern.type,
            anchor,
            cue,
            " ".join(trigger.words),
            pattern.confidence,
            pattern.is_causal,
            speaker,
            tree.is_set_aside(source) or tree.is_set_aside(target),
            along,
            pattern,
        )
        for source in sources
        for target in targets
        if source != target
    ]


def _verb(tree: Tree, verb: int, trigger: Trigger) -> list[Statement]:
    pattern = trigger.pattern
    passive = is_passive(tree, verb)
    if (pattern.voice == "passive") != passive and pattern.voice != "any":
        return []
    cue = [verb]
    for word in trigger.inner:
        beside = [*tree.children[verb], *range(verb + 1, min(verb + 2, len(tree)))]
        part = next((child for child in beside if word in (tree.lows[child], tree.lemmas[child])), None)
        if part is None:
            return []
        cue.append(part)
    sources = _argument(tree, verb, cue, trigger, pattern.source)
    targets = _argument(tree, verb, cue, trigger, pattern.target)
    if not sources or not targets:
        return []
    speakers = _argument(tree, verb, cue, trigger, pattern.speaker) if pattern.speaker else []
    along = _held(tree, verb) if pattern.target in ("infinitive", "bare") else None
    along = along if along is not None and along < targets[0] else None
    speaker = next(iter(speakers), None)
    return _paired(tree, trigger, verb, tuple(cue), sources, targets, speaker=speaker, along=along)


def _argument(tree: Tree, verb: int, cue: Sequence[int], trigger: Trigger, role: str) -> list[int]:
    """Return the heads of what stands in a role to a verb."""
    passive = is_passive(tree, verb)
    if role == "subject":
        return surface_subjects(tree, verb) if trigger.preposition and passive else subjects(tree, verb)
    if role == "object" and trigger.preposition:
        direct = not trigger.inner and not passive and tree.dependent(verb, "obj") is not None
        # "end the violence in Darfur" is not "end in"
        return [] if direct else _complements(tree, cue, trigger.preposition)
    if role == "object":
        return [token for token in objects(tree, verb) if token not in cue]
    if role in ("infinitive", "bare"):
        return _complement_clause(tree, verb, bare=role == "bare")
    if (
        role == "gerund"
    ):  # "prevented farmers from selling": on the verb, or taken for a modifier of its object
        holders = [verb, *tree.dependents(verb, "obj", "nsubj:pass")]
        clauses = [child for head in holders for child in tree.dependents(head, "advcl", "acl", "xcomp")]
        return expanded(tree, [child for child in clauses if tree.mark_of(child) == "from"][:1])
    return obliques(tree, verb, role.split("|"))


def _held(tree: Tree, verb: int) -> int | None:
    """Return what a verb makes do something: its object, or the subject of its passive."""
    return tree.dependent(verb, "obj", "nsubj:pass")


def _complement_clause(tree: Tree, verb: int, *, bare: bool) -> list[int]:
    """Return the heads of an infinitive that a verb makes its object do.

    "led us to consider" is a turn of speech: what is made to happen to writer or reader is left out.
    """
    held = _held(tree, verb)
    if held is None or tree.feature(held, "Person") in ("1", "2"):
        return []
    mark = "" if bare else "to"
    for child in tree.dependents(verb, "xcomp", "ccomp", "advcl"):
        fits = tree.mark_of(child) == mark and tree.upos[child] == "VERB" and child > verb
        fits = fits and not (bare and tree.lows[child] != tree.lemmas[child])
        if fits and tree.dependent(child, "nsubj") is None:
            return expanded(tree, [child])
    return []


def _complements(tree: Tree, cue: Sequence[int], preposition: str) -> list[int]:
    for token in reversed(cue):
        complements = obliques(tree, token, [preposition])
        if complements:
            return complements
    return []


def _noun(tree: Tree, noun: int, trigger: Trigger) -> list[Statement]:
    preposition = trigger.preposition or "of"
    complements = obliques(tree, noun, [preposition])
    if not complements and preposition == "of":
        complements = [child for child in tree.dependents(noun, "nmod:poss") if tree.upos[child] != "PRON"]
    if not complements and preposition in ("to", "for"):
        complements = [child for child in tree.dependents(noun, "acl") if tree.mark_of(child) == preposition]
    bearers, anchor = _bearers(tree, noun)
    bearers = [bearer for bearer in bearers if bearer not in complements]
    if not complements or not bearers:
        return []
    roles = {"subject": bearers, "object": complements}
    pattern = trigger.pattern
    return _paired(
        tree, trigger, anchor, (noun,), roles.get(pattern.source, []), roles.get(pattern.target, [])
    )


def _bearers(tree: Tree, noun: int) -> tuple[list[int], int]:  # noqa: PLR0911 -- a case each
    """Return what a noun is said of, and the predicate that says so."""
    if tree.dependent(noun, "cop") is not None:
        return surface_subjects(tree, noun), noun
    head, relation = tree.heads[noun], tree.relations[noun]
    if relation == "conj" and head != noun:
        bearers, anchor = _bearers(tree, head)
        return bearers, anchor
    if relation == "nsubj":
        if tree.dependent(head, "cop") is not None:
            return ([] if tree.case_of(head) else expanded(tree, [head])), head
        if tree.lemmas[head] in ("be", "lie", "consist"):
            return expanded(tree, tree.dependents(head, "ccomp", "obl", "advcl")[:1]), head
    if relation == "appos":
        return [head], head
    apposed = tree.dependents(noun, "appos")
    if apposed:
        return apposed, noun
    if relation in ("obj", "xcomp") and tree.lemmas[head] in COPULAR:
        return subjects(tree, head), head
    if (relation in ("xcomp", "obl") and tree.upos[head] == "VERB") and (
        tree.case_of(noun) == "as" or (relation == "xcomp" and tree.lemmas[head] in NAMING)
    ):
        held = objects(tree, head)
        return [token for token in held if token != noun] or surface_subjects(tree, head), head
    return [], noun


def _adjective(tree: Tree, adjective: int, trigger: Trigger) -> list[Statement]:
    complements = obliques(tree, adjective, [trigger.preposition]) if trigger.preposition else []
    if not complements and trigger.preposition == "to":
        complements = [
            child for child in tree.dependents(adjective, "xcomp", "advcl") if tree.mark_of(child) == "to"
        ]
    bearers = surface_subjects(tree, adjective)
    if not bearers and tree.relations[adjective] in ("amod", "acl"):
        bearers = [tree.heads[adjective]]
    if not bearers and tree.relations[adjective] == "xcomp":
        bearers = surface_subjects(tree, tree.heads[adjective])
    if not complements or not bearers:
        return []
    roles = {"subject": bearers, "object": complements}
    pattern = trigger.pattern
    anchor = adjective if tree.relations[adjective] != "xcomp" else tree.heads[adjective]
    return _paired(
        tree, trigger, anchor, (adjective,), roles.get(pattern.source, []), roles.get(pattern.target, [])
    )


def _phrase_at(tree: Tree, token: int, words: Sequence[str]) -> range | None:
    last = token + len(words)
    return range(token, last) if tuple(tree.lows[token:last]) == tuple(words) else None


def _preposition(tree: Tree, token: int, trigger: Trigger) -> list[Statement]:
    phrase = _phrase_at(tree, token, trigger.words)
    if phrase is None:
        return []
    complement = next(
        (
            position
            for position in range(phrase.stop, len(tree))
            if tree.heads[position] in phrase or any(child in phrase for child in tree.children[position])
        ),
        None,
    )
    if complement is None or tree.relations[complement] == "punct":
        return []
    predicate = next(
        (token for token in (complement, *phrase) if tree.dependent(token, "cop") is not None), None
    )
    if predicate is not None:
        return _predicated(tree, trigger, phrase, complement, predicate)
    tops = [
        position
        for position in (*phrase, complement)
        if tree.heads[position] not in phrase and tree.heads[position] != complement
    ]
    governor = tree.heads[tops[0]] if tops else complement
    if (
        governor in phrase
    ):  # "Thanks to the dyke, the flood spared the village": the phrase was taken for the root
        governor = tree.dependent(governor, "parataxis", "conj") or complement
    if governor in phrase or governor == complement:
        return []
    return _governed(tree, trigger, phrase, complement, _effect(tree, governor))


def _predicated(
    tree: Tree, trigger: Trigger, phrase: range, complement: int, predicate: int
) -> list[Statement]:
    """Read "the delay was due to fog": the subject of the copula is what the complement is said of."""
    roles = {"complement": expanded(tree, [complement]), "governor": surface_subjects(tree, predicate)}
    pattern = trigger.pattern
    return _paired(
        tree, trigger, predicate, tuple(phrase), roles.get(pattern.source, []), roles.get(pattern.target, [])
    )


def _effect(tree: Tree, governor: int) -> int:
    """Return the clause that an adverbial belongs to where it hangs on a nominal inside it."""
    if tree.relations[governor] in ("obj", "obl") and tree.upos[tree.heads[governor]] == "VERB":
        return tree.heads[governor]
    return governor


def _conjunction(tree: Tree, token: int, trigger: Trigger) -> list[Statement]:
    phrase = _phrase_at(tree, token, trigger.words)
    if phrase is None or tree.relations[token] not in ("mark", "cc", "advmod"):
        return []
    clause = tree.heads[token]
    governor = tree.heads[clause]
    if clause == governor or tree.relations[clause] not in ("advcl", "parataxis", "conj", "ccomp"):
        return []
    if not _CONJUNCTION_FITS.get(trigger.words[0], _always)(tree, phrase, clause, governor):
        return []
    return _governed(tree, trigger, phrase, clause, governor)


def _always(tree: Tree, phrase: range, clause: int, governor: int) -> bool:
    del tree, phrase, clause, governor
    return True


def _is_conditional(tree: Tree, phrase: range, clause: int, governor: int) -> bool:
    """Tell what would follow from a turn of speech: "if ice melts, the sea will rise", not "if I may say"."""
    auxiliaries = {tree.lows[aux] for aux in tree.dependents(governor, "aux")}
    shown = tree.dependents(
        governor, "xcomp", "csubj", "ccomp"
    )  # "it would not be hard to show that ..., if"
    spoken = {tree.lemmas[token] for token in (clause, governor, *shown)} & SPEAKING
    if phrase.start and tree.lows[phrase.start - 1] in ("as", "than", "but"):
        return False
    return bool(auxiliaries & {"will", "would", "may", "might", "could", "shall", "'ll"}) and not spoken


def _is_reason(tree: Tree, phrase: range, clause: int, governor: int) -> bool:
    """Tell "since roads were flooded" from "since he came, they have won": no perfect in the main clause."""
    del phrase
    perfect = any(tree.lemmas[aux] == "have" for aux in tree.dependents(governor, "aux"))
    return not perfect and all(tree.lows[child] != "ever" for child in tree.children[clause])


def _follows_comma(tree: Tree, phrase: range, clause: int, governor: int) -> bool:
    """Tell a clause after a comma, ", for he was ill", from a preposition."""
    finite = tree.dependent(clause, "nsubj", "nsubj:pass") is not None
    return (
        finite
        and clause > governor
        and phrase.start > 0
        and tree.words[phrase.start - 1] in (",", ";", "—", "--", ":")
    )


def _opens_clause(tree: Tree, phrase: range, clause: int, governor: int) -> bool:
    """Tell ", so we stayed" from "so cold" and "so that"."""
    after = phrase.stop
    subject = tree.dependent(clause, "nsubj", "nsubj:pass", "expl")
    begins = after < len(tree) and tree.upos[after] in ("PRON", "DET", "NOUN", "PROPN")
    begins = begins and phrase.start > 0 and tree.upos[phrase.start - 1] in ("PUNCT", "CCONJ")
    compared = any(
        tree.lows[token] == "as" and tree.relations[token] == "mark" for token in range(phrase.start)
    )
    begins = begins and not compared  # "as the belt sparkled, so the figure fluctuated"
    return (
        begins
        and subject is not None
        and clause > governor
        and tree.lows[after] not in ("much", "many", "that")
    )


_CONJUNCTION_FITS = {
    "if": _is_conditional,
    "unless": _is_conditional,
    "for": _follows_comma,
    "since": _is_reason,
    "so": _opens_clause,
}


def _governed(tree: Tree, trigger: Trigger, phrase: range, complement: int, governor: int) -> list[Statement]:
    denied = phrase.start > 0 and tree.lows[phrase.start - 1] == "not"
    nouns = [position for position in phrase if tree.upos[position] == "NOUN"]
    pattern = trigger.pattern
    complements = expanded(tree, [complement]) if tree.upos[complement] in NOMINAL else [complement]
    roles = {"complement": complements, "governor": [governor], "noun": nouns}
    pairs = _paired(
        tree, trigger, governor, tuple(phrase), roles.get(pattern.source, []), roles.get(pattern.target, [])
    )
    return [replace(statement, denied=denied, between_clauses=True) for statement in pairs]


LIKELY = wordset("""
    likely possible probable certain inevitable unavoidable necessary easy easier common frequent commoner
    worse severe dangerous attractive profitable
""")
UNLIKELY = wordset("""
    unlikely impossible improbable impracticable difficult harder hard rare rarer unnecessary useless
""")


def resulting(tree: Tree) -> Iterator[Statement]:
    """Yield what is made so: "made war more likely", "left it empty", "so low that barges had to unload"."""
    for token in range(len(tree)):
        if tree.upos[token] == "VERB" and tree.lemmas[token] in ("make", "render", "leave", "keep", "turn"):
            yield from _made(tree, token)
        elif tree.lows[token] in ("so", "such") and tree.heads[token] != token:
            yield from _so_that(tree, token)


def _made(tree: Tree, verb: int) -> Iterator[Statement]:
    things = objects(tree, verb)
    result = next((child for child in tree.dependents(verb, "xcomp") if tree.upos[child] == "ADJ"), None)
    if not things or result is None:
        return
    lemma = tree.lemmas[result]
    degrees = {tree.lows[child] for child in tree.dependents(result, "advmod")}
    if "as" in degrees:
        return
    for source in subjects(tree, verb):
        for thing in things:
            prevented = lemma in UNLIKELY or (lemma in LIKELY and "less" in degrees)
            type_ = "prevents" if prevented and not (lemma in UNLIKELY and "less" in degrees) else "causes"
            whole = lemma not in LIKELY and lemma not in UNLIKELY
            target = result if whole else thing
            along = thing if whole and thing < result else None
            yield Statement(source, target, type_, verb, (verb,), f"make {lemma}", 0.65, True, along=along)


def _so_that(tree: Tree, degree: int) -> Iterator[Statement]:
    degree_head = tree.heads[degree]
    if tree.lows[degree] == "so" and degree_head != degree + 1:
        return
    for head in (degree_head, tree.heads[degree_head]):
        for clause in tree.dependents(head, "advcl", "ccomp", "acl"):
            if tree.mark_of(clause) == "that" and tree.dependents(clause, "mark")[0] > degree_head:
                mark = tree.dependents(clause, "mark")[0]
                source = tree.clause_head(head)
                if source != clause:
                    yield Statement(
                        source,
                        clause,
                        "causes",
                        source,
                        (degree, mark),
                        "so that",
                        0.6,
                        True,
                        between_clauses=True,
                    )
                return


def described(tree: Tree) -> Iterator[Statement]:
    """Yield what something is said to be: "X is a Y", "X, a Y", "the Y X"."""
    for token in range(len(tree)):
        if tree.upos[token] not in ("NOUN", "PROPN") or tree.case_of(token):
            continue
        copula, head = tree.dependent(token, "cop"), tree.heads[token]
        if copula is not None and tree.lemmas[copula] == "be":
            for subject in surface_subjects(tree, token):
                for predicate in tree.conjuncts(token):
                    both = tree.upos[predicate] in ("NOUN", "PROPN") and tree.upos[subject] in NOMINAL
                    both = both and not tree.case_of(subject)
                    if both and subject < copula and tree.lemmas[predicate] not in _NO_KIND:
                        yield Statement(subject, predicate, "is_a", token, (copula,), "be", 0.7)
        elif tree.relations[token] == "appos" and _named_and_common(tree, head, token):
            if tree.words[min(tree.subtree(token, ("punct",))) - 1] in (",", "(", "—", "–", "--"):
                source, target = (head, token) if tree.upos[head] == "PROPN" else (token, head)
                if tree.dependent(target, "det", "nmod:poss") is not None or is_person(tree.lemmas[target]):
                    yield Statement(source, target, "is_a", token, (token,), "apposition", 0.6)
        elif _is_title(tree, token):
            yield Statement(head, token, "is_a", head, (token,), "title", 0.6)


_NO_KIND = wordset("deal lot room use contrary reverse case time turn matter question way need fault")
"""What "X is ..." does not say a kind of X with."""


def _is_title(tree: Tree, token: int) -> bool:
    head = tree.heads[token]
    common = tree.deprels[token] == "compound" and tree.upos[token] == "NOUN"
    return (common or tree.deprels[token] == "nmod:desc") and token < head and tree.upos[head] == "PROPN"


def _named_and_common(tree: Tree, head: int, token: int) -> bool:
    return {tree.upos[head], tree.upos[token]} == {"NOUN", "PROPN"}


def located(tree: Tree) -> Iterator[Statement]:
    """Yield where something is: "X is in Y", "X in Y" of names."""
    for token in range(len(tree)):
        if tree.upos[token] == "PROPN" and tree.case_of(token) in ("in", "on", "at", "near"):
            type_ = "located_near" if tree.case_of(token) == "near" else "located_in"
            copula = tree.dependent(token, "cop")
            if copula is not None:
                for subject in surface_subjects(tree, token):
                    yield Statement(subject, token, type_, token, (copula,), "be in", 0.7)
            elif (
                tree.relations[token] == "nmod"
                and tree.case_of(token) != "on"
                and tree.upos[tree.heads[token]] in ("NOUN", "PROPN")
            ):
                yield Statement(
                    tree.heads[token], token, type_, token, (tree.dependents(token, "case")[0],), "in", 0.5
                )


def open_statements(tree: Tree) -> Iterator[Statement]:
    """Yield subject, verb and object of every other clause with its own subject; the lemma is the type."""
    for verb in range(len(tree)):
        lemma = tree.lemmas[verb]
        if tree.upos[verb] != "VERB" or lemma in LIGHT or not lemma.isalpha() or not _has_subject(tree, verb):
            continue
        if tree.lows[verb] in _PREPOSITIONAL and tree.relations[verb] in ("acl", "amod", "advcl"):
            continue
        sources, targets, type_ = subjects(tree, verb), objects(tree, verb), lemma
        if not targets or (is_passive(tree, verb) and not sources):
            complement = next(
                (child for child in tree.dependents(verb, "obl") if _close(tree, verb, child)), None
            )
            if complement is None:
                continue
            sources = surface_subjects(tree, verb)
            targets = expanded(tree, resolved_relatives(tree, [complement]))
            type_ = f"{lemma}_{tree.case_of(complement)}"
        for source in sources:
            for target in targets:
                nominal = tree.upos[source] in NOMINAL and tree.upos[target] in NOMINAL
                if source != target and nominal and _in_order(tree, verb, source, target):
                    yield Statement(source, target, type_, verb, (verb,), f"open {lemma}", 0.55)


def _has_subject(tree: Tree, verb: int) -> bool:
    """Tell a clause with a subject, or a modifier of a noun, from one whose subject can only be inferred."""
    if tree.dependent(verb, "nsubj") is not None or tree.relations[verb] in ("acl", "amod"):
        return True
    head = tree.heads[verb]
    return (
        tree.relations[verb] == "conj"
        and head != verb
        and tree.upos[head] == "VERB"
        and _has_subject(tree, head)
    )


def _in_order(tree: Tree, verb: int, source: int, target: int) -> bool:
    """Tell subject, verb and object in this order from words that a tree has run together.

    A relative clause, a participle and a passive have another order. Between a verb of speaking and what
    stands before it no quotation ends: "'Yes, my dear,' returned Bob".
    """
    if is_passive(tree, verb) or tree.relations[verb] in ("acl", "amod", "advcl"):
        return True
    if not source < verb < target or tree.lows[verb - 1] == "there":
        return False
    opens = any(
        tree.words[token] in (",", ":") and tree.words[token + 1] in _QUOTES for token in range(verb, target)
    )
    return not opens and tree.words[verb - 1] not in _QUOTES


_QUOTES = frozenset("\"'“”‘’")
_PREPOSITIONAL = wordset("respecting concerning regarding touching considering excepting including following")
_BOUND = wordset("to of from with into against upon under toward towards among between")
_PLACED = wordset("in on at over through about")
"""Prepositions of place and manner: with a name they say where something is done."""
_MANNER = wordset("""
    view latitude mode manner way degree respect regard pursuance consequence tone voice reply silence term
    accordance addition return effect order haste ease success truth propriety readiness case time means care
    caution difficulty reason pleasure regret satisfaction
""")


def _close(tree: Tree, verb: int, oblique: int) -> bool:
    case, word = tree.dependent(oblique, "case"), tree.case_of(oblique)
    if (
        case is None
        or tree.words[case - 1] == ","
        or not 0 < case - verb <= MOST_BETWEEN
        or tree.lemmas[oblique] in _MANNER
    ):
        return False
    return word in _BOUND or (word in _PLACED and tree.upos[oblique] == "PROPN")


MOST_BETWEEN = 3
"""Tokens from a verb to the preposition of what completes it."""


def _add(context: Context, sentence: int, statement: Statement) -> bool:
    """Add a statement if its ends and its tree can be relied on; tell whether its words are spoken for."""
    tree = context.trees[sentence]
    clause = statement.between_clauses
    if _is_far(tree, statement) or _is_compared(tree, statement.anchor) or _is_borrowed(tree, statement):
        return False
    if (_is_loose if clause else _is_turned_round)(tree, statement):
        return False
    source = _end(context, sentence, statement.source, (statement.target, *statement.cue), clause=clause)
    target = _end(
        context,
        sentence,
        statement.target,
        (statement.source, *statement.cue),
        statement.along,
        clause=clause,
    )
    if source is None or target is None or not _apart(tree, statement, source, target):
        return False
    if not _fits(tree, statement, source, target):
        return False
    stance = stance_of(tree, statement.anchor)
    pattern = statement.pattern
    modality = pattern.modality if pattern is not None and pattern.modality else stance.modality
    set_aside = tree.is_set_aside(statement.source) or tree.is_set_aside(statement.target)
    negated = statement.denied or (set_aside and not statement.between_clauses)
    if not statement.between_clauses:
        turned = statement.anchor not in statement.cue and tree.lemmas[statement.anchor] in DENYING
        meant = any(
            tree.lows[joint] == "but"
            for end in (statement.source, statement.target)
            for joint in tree.dependents(end, "cc")
        )
        denied = stance.negated != turned and not meant
        ends = (statement.source, statement.target)
        negated = negated or denied or any(_empty_end(tree, token, statement.anchor) for token in ends)
    sure = min(source.confidence, target.confidence) * (0.8 if modality == "modal" else 1.0)
    sure *= SCATTERED if _is_scattered(tree, statement) else 1.0
    if sure < DOUBTFUL:
        return False
    speaker = statement.speaker if statement.speaker is not None else stance.speaker
    cue_span = tree.span(statement.cue)
    context.findings.assertion(
        context.mention_of(sentence, source),
        context.mention_of(sentence, target),
        statement.type,
        context.reading.sentences[sentence],
        cue=f"{tree.language}:{statement.name}",
        span=(
            min(cue_span[0], source.span[0], target.span[0]),
            max(cue_span[1], source.span[1], target.span[1]),
        ),
        confidence=statement.confidence * sure,
        negated=negated,
        is_causal=statement.is_causal,
        modality=modality,
        speaker=_speaker_name(context, sentence, speaker),
        cue_span=cue_span,
        source_span=source.span,
        target_span=target.span,
    )
    return True


SCATTERED, DOUBTFUL = 0.74, 0.6
"""How much less often what is scattered over its sentence is right, and what is too seldom right to be kept.

Measured on findings read against their passages: beyond a comma 6 in 10 are right, else 8 in 10.
"""


def _is_scattered(tree: Tree, statement: Statement) -> bool:
    """Tell a causal verb and its ends that a comma divides, or one of whose ends is further down a list."""
    if statement.between_clauses or not statement.is_causal:
        return False
    ends = (statement.source, statement.target)
    if any(tree.relations[end] == "conj" for end in ends):
        return True
    first, last = min(ends), max(ends)
    return any(tree.words[token] == "," for token in range(first + 1, last))


def _is_far(tree: Tree, statement: Statement) -> bool:
    """Tell an end so far from its predicate that the tree is likely to be wrong.

    What stands beyond a semicolon, a colon or a dash belongs to another statement.
    """
    most = FAR_CLAUSE if statement.between_clauses else FAR
    is_conjoined = statement.pattern is not None and bool(statement.pattern.conjunction)
    for end in (statement.source, statement.target):
        own = set(tree.subtree(end)) if statement.cue[0] not in tree.subtree(end) else set()
        first, last = sorted((end, statement.cue[0]))
        between = [token for token in range(first + 1, last) if token not in own]
        if len(tree) > LONG and len(between) > most:
            return True
        if not is_conjoined and any(tree.words[token] in _BREAKS for token in between):
            return True
    return False


def _is_borrowed(tree: Tree, statement: Statement) -> bool:
    """Tell an infinitive whose subject is lent by a clause that says something else.

    A purpose ("they met to prevent war": the meeting does it, if at all), "the aim is to prevent it".
    """
    verb = statement.cue[0]
    if statement.between_clauses or tree.mark_of(verb).split(" ")[-1] != "to":
        return False
    if any(tree.deprels[child] != "nsubj:outer" for child in tree.dependents(verb, "nsubj")):
        return False
    head = tree.heads[verb]
    equated = tree.dependent(verb, "cop") is not None or tree.lemmas[head] == "be"
    purpose = tree.relations[verb] == "advcl" and (statement.is_causal or is_passive(tree, head))
    return purpose or equated


def _is_loose(tree: Tree, statement: Statement) -> bool:
    """Tell a subordinate clause that seems to belong to another clause than the one it hangs on.

    One that begins a coordinate clause ("..., and if it rains, we stay") or has another clause with its own
    subject between itself and its governor is left out.
    """
    if statement.pattern is None:
        return False
    cue, governor = statement.cue[0], statement.anchor
    clause = statement.source if statement.target == governor else statement.target
    inside = set(tree.subtree(clause)) | set(statement.cue)
    if cue > governor:
        opens = any(tree.lows[token] in ("and", "but", "or") for token in range(max(0, cue - 2), cue))
        again = tree.lows[cue] in tree.lows[governor : cue - 1]
        between = range(governor + 1, cue)
        return (opens and not again) or any(
            tree.relations[token] in ("conj", "parataxis") and _has_own_subject(tree, token)
            for token in between
        )
    first = min(tree.subtree(governor, ("advcl", "conj", "parataxis", "ccomp")), default=governor)
    last = max(inside)
    return any(
        _has_own_subject(tree, token) and tree.relations[token] in ("conj", "parataxis", "ccomp", "root")
        for token in range(last + 1, max(first, governor))
        if token not in inside and token != governor and tree.heads[token] == governor
    )


def _is_turned_round(tree: Tree, statement: Statement) -> bool:
    """Tell ends that stand where they cannot, as where a tree has run two clauses together."""
    verb = statement.cue[0]
    participle = tree.deprels[verb] == "acl" and not tree.lows[verb].endswith("ing")
    if participle and tree.mark_of(verb) == "" and tree.dependent(verb, "obj") is not None:
        return True  # "in express terms admitted the right": no participle of the past has an object
    return (
        _leads_elsewhere(tree, statement)
        or any(_is_misplaced(tree, verb, end) for end in (statement.source, statement.target))
        or _is_clause_for_thing(tree, statement)
    )


def _leads_elsewhere(tree: Tree, statement: Statement) -> bool:
    """Tell "it was led to ruin" and "in another view, harm results" from what leads to or results in it."""
    pattern, verb = statement.pattern, statement.cue[0]
    leads = pattern is not None and pattern.source == "subject" and statement.is_causal
    if not leads or not statement.name.endswith((" to", " in", " into", " for")):
        return False
    fronted = statement.target < verb and tree.deprels[verb] != "acl:relcl"
    return is_passive(tree, verb) or (tree.upos[verb] == "VERB" and fronted)


def _is_misplaced(tree: Tree, verb: int, end: int) -> bool:
    """Tell a subject behind its verb or with a preposition, and a reflexive."""
    subject = tree.relations[end] in ("nsubj", "csubj") and tree.heads[end] == verb
    behind = subject and (end > verb or bool(tree.case_of(end))) and tree.dependent(end, "cop") is None
    return behind or tree.lows[end].endswith(("self", "selves"))


def _is_clause_for_thing(tree: Tree, statement: Statement) -> bool:
    """Tell a clause that does not do what its verb says: "he went on, spreading it", "I add, curbing them".

    "The river rose, flooding the town" is no such case: what happened does it.
    """
    source = statement.source
    if not statement.is_causal:
        clauses = [end for end in (source, statement.target) if tree.upos[end] == "VERB"]
        return bool(clauses) and statement.type not in _OF_CLAUSES
    if tree.upos[source] != "VERB" or tree.lows[source].endswith("ing"):
        return False
    own = tree.dependent(source, "nsubj")
    acts = own is None or tree.upos[own] == "PRON" or is_person(tree.lemmas[own])
    return acts or source != tree.heads[statement.cue[0]]


_OF_CLAUSES = wordset("depends_on supports opposes about is_a relates_to")


def _has_own_subject(tree: Tree, token: int) -> bool:
    return tree.dependent(token, "nsubj", "nsubj:pass", "expl") is not None


_BREAKS = frozenset({";", ":", "--", "—"})


def _is_compared(tree: Tree, anchor: int) -> bool:
    """Tell what stands in a comparison: "more than it would cost", "as if it had caused"."""
    return any(
        tree.mark_of(clause).startswith(("than", "as if", "as though"))
        for clause in (anchor, *tree.ancestors(anchor))
    )


def _apart(tree: Tree, statement: Statement, source: End, target: End) -> bool:
    """Tell two ends that neither overlap nor hold the words that join them, but for "so" of "so low that"."""
    if source.span[0] < target.span[1] and target.span[0] < source.span[1]:
        return False
    if statement.source in statement.cue or statement.target in statement.cue:  # "for want of"
        return True
    cues = [tree.span([token]) for token in statement.cue if tree.lows[token] not in ("so", "such")]
    return not any(
        end.span[0] < last and first < end.span[1] for end in (source, target) for first, last in cues
    )


def _empty_end(tree: Tree, token: int, anchor: int) -> bool:
    first = tree.heads[token] if tree.relations[token] == "conj" else token  # "no clause or sentence"
    return anchor not in (token, first) and any(
        tree.words[child] in ("no", "neither") and tree.relations[child] in ("det", "cc")
        for child in (*tree.children[token], *tree.children[first])
    )


_OWED = wordset("""
    tribute respect veneration reverence honor honour praise thanks gratitude credit debt sum payment money
    service labor labour justice obedience deference attention apology
""")
"""What is due to somebody is not caused by him."""
_TEMPORAL = wordset("as when while if whether because since until before after where than")


def _fits(tree: Tree, statement: Statement, source: End, target: End) -> bool:
    """Tell whether the ends are what the relation holds between."""
    pattern = statement.pattern
    if statement.is_causal and not _can_be_caused(tree, statement, source, target):
        return False
    if statement.name == "in" and "place" not in types_of(target):
        return False
    if pattern is None:
        return True
    if pattern.source_not and _is_of(source, pattern.source_not):
        return False
    return _is_of(source, pattern.source_is) and _is_of(target, pattern.target_is)


def _can_be_caused(tree: Tree, statement: Statement, source: End, target: End) -> bool:
    """Tell an event or a state from a date, from somebody, and from what is only owed to him."""
    if any(end.mention is not None and end.mention.type == "date" for end in (source, target)):
        return False
    if statement.name in ("due to", "owing to") and target.head in _OWED:
        return False
    adverbial = tree.relations[statement.target] in ("ccomp", "xcomp", "advcl")
    if not statement.between_clauses and adverbial and tree.mark_of(statement.target) in _TEMPORAL:
        return False  # "snowfall increases as one goes inland"
    kinds = types_of(target)
    return statement.along is not None or not ("person" in kinds or {"organisation", "name"} <= kinds)


def _is_of(end: End, types: Sequence[str]) -> bool:
    return not types or not types_of(end).isdisjoint(types)


def types_of(end: End) -> set[str]:
    """Return what an end may pass for: "concept" of a phrase, with what its head says it is, or a name."""
    mention = end.mention
    if mention is not None and not mention.attributes.get("noun_phrase"):
        return {mention.type} if mention.type in ("date", "quantity") else {mention.type, "name"}
    head = end.head if mention is None else str(mention.attributes.get("head", ""))
    kinds = {"concept"}
    return kinds | ({"person"} if is_person(head) else set()) | ({"organisation"} if is_body(head) else set())


def _end(
    context: Context,
    sentence: int,
    token: int,
    others: Sequence[int],
    along: int | None = None,
    *,
    clause: bool = False,
) -> End | None:
    """Return an end, None where it names nothing: an unresolved pronoun, a vague noun alone."""
    tree = context.trees[sentence]
    token = antecedent(tree, token)
    reference = context.references.get((sentence, token))
    if reference is None:
        if context.name_at(sentence, token) is None and not (
            along is not None or says_something(tree, token, clause=clause)
        ):
            return None
        if _is_vague(tree, token):
            return None
    elif _is_doubtful(tree, token, reference):
        return None
    end = context.end(sentence, token, others=others, along=along, clause=clause)
    cut = end.mention is None and along is None and is_cut_off(tree, token, *end.span, others, clause=clause)
    return None if cut else end


def _is_vague(tree: Tree, token: int) -> bool:
    """Tell a noun that says nothing alone, "part", nor with a pronoun, "part of it"."""
    of = tree.dependents(token, "nmod")
    alone = not (of or tree.dependents(token, "acl", "amod", "compound"))
    pointing = any(tree.upos[noun] in ("PRON", "DET") for noun in of)
    return tree.lemmas[token] in _NOBODY or (tree.lemmas[token] in _VAGUE and (alone or pointing))


def _is_doubtful(tree: Tree, token: int, reference: Reference) -> bool:
    unnamed = bool(reference.mention.attributes.get("noun_phrase"))
    return tree.lows[token] in _THINGS and unnamed and reference.confidence < UNSURE


UNSURE = 0.75
"""An unnamed thing that "it" or "they" is less sure to stand for is none that a relation can be read off."""
_THINGS = wordset("it they them this that these those itself themselves")


def _speaker_name(context: Context, sentence: int, token: int | None) -> str | None:
    if token is None:
        return None
    end = context.end(sentence, token)
    if end.mention is None and context.trees[sentence].upos[token] not in ("NOUN", "PROPN", "PRON"):
        return None
    return None if end.mention is None and context.trees[sentence].upos[token] == "PRON" else end.name
