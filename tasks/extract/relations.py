"""The relations that a sentence states: patterns over its tree, and open subject-verb-object statements."""

from collections.abc import Iterator, Sequence
from dataclasses import replace

from corpusgraph.tasks.extract.amounts import dated, measured
from corpusgraph.tasks.extract.context import Context, End
from corpusgraph.tasks.extract.nominal import KIN, bearer, described, named_before, named_beside
from corpusgraph.tasks.extract.patterns import Pattern, Patterns, Trigger
from corpusgraph.tasks.extract.places import is_time, located, place_relation, placed_names
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
from corpusgraph.tasks.extract.stance import DENYING, REPORTING, Stance, stance_of
from corpusgraph.tasks.extract.statement import Statement
from corpusgraph.tasks.extract.tree import NOMINAL, Tree
from corpusgraph.tasks.index.rules.wordlist import wordset

COPULAR = frozenset(
    [
        "be",
        "become",
        "remain",
        "prove",
        "constitute",
        "form",
        "represent",
        "provide",
        "seem",
        "appear",
        "serve",
        "offer",
    ]
)
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
}
NAMING = frozenset(
    {"call", "consider", "deem", "name", "pronounce", "declare", "render", "make", "think", "find"}
)
LONG, NEAR, FAR, FAR_CLAUSE = 35, 6, 14, 30
"""Tokens of a long sentence, and how far an end may be there from the words that join it: of a weak
verb, of any other, of what joins clauses."""
WEAK = wordset("have give make take put get keep see find show know feel want hold set leave")
"""Verbs that say little of what they join."""
LIGHT = wordset("""
    be do go come let seem appear become remain try begin start continue stop end help say think believe mean
    hope wish call name suppose expect consider regard
""")
"""Verbs that say too little to be a relation of their own."""
_VAGUE = wordset("""
    way time part kind sort case fact thing day year month week hour manner respect degree point number
    deal lot order regard hand side one example instance account reason place view end something anything
    nothing everything other someone anyone everyone nobody none
""")
_CONTRAST = ("but", "rather than", "instead of", "not")


def find_relations(context: Context, sentence: int, patterns: Patterns) -> None:
    """Add the assertions of a sentence to the findings."""
    tree = context.trees[sentence]
    statements = [*stated(tree, patterns), *resulting(tree)]
    told = {statement.cue[-1] for statement in statements if statement.type in _OF_ANOTHER}
    statements += [statement for statement in described(context, sentence) if statement.target not in told]
    statements += [*measured(context, sentence), *dated(context, sentence)]
    inside = list(placed_names(context, sentence))
    outer = {statement.target: statement.source for statement in inside if statement.type == "located_in"}
    ends = {(statement.source, statement.target, statement.type) for statement in statements}
    read: set[tuple[int, ...]] = set()
    taken: set[int] = set()
    for statement in (*statements, *inside):
        # who was born in "Mysen, Norway" was born in Mysen, which is in Norway
        if (statement.source, outer.get(statement.target), statement.type) in ends:
            continue
        keys = _readings(statement)
        if read.isdisjoint(keys[:1]) and _add(context, sentence, statement):
            taken.update(statement.cue)
            read.update(keys if statement.pattern else ())
    for statement in (*located(context, sentence), *open_statements(context, sentence)):
        if taken.isdisjoint(statement.cue):
            _add(context, sentence, statement)


def _readings(statement: Statement) -> list[tuple[int, ...]]:
    """Return what only the first pattern that fits may read, these ends by this cue or the cue alone."""
    pattern = statement.pattern
    if pattern is None:
        return [statement.cue]
    ends = sorted((statement.source, statement.target))
    keys = [(*ends, *statement.cue), statement.cue]
    return keys[::-1] if "noun" in (pattern.source, pattern.target) else keys


_OF_ANOTHER = frozenset({"part_of", "member_of", "child_of", "married_to", "sibling_of"})
"""What a noun of such a relation says of its bearer is said by the relation."""


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
    if (
        not complements
        and preposition == "of"
        and "noun" not in (trigger.pattern.source, trigger.pattern.target)
    ):
        complements = tree.dependents(noun, "nmod:poss")
    if not complements and preposition in ("to", "for"):
        complements = [child for child in tree.dependents(noun, "acl") if tree.mark_of(child) == preposition]
    pattern = trigger.pattern
    if pattern.target == "noun" and complements and tree.feature(complements[0], "Number") != "Plur":
        return []  # a group has several members; a body of water is water
    bearers, anchor = _bearers(tree, noun)
    bearers = [bearer for bearer in bearers if bearer not in complements]
    described = pattern.source == "noun" and (
        tree.dependent(noun, "cop") is not None or tree.relations[noun] == "appos"
    )
    roles = {"subject": bearers, "object": complements}
    roles["noun"] = bearers if bearers and described else [noun]
    roles["possessor"] = tree.dependents(noun, "nmod:poss")
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
            return expanded(tree, [head]), head
        if tree.lemmas[head] in ("be", "lie", "consist"):
            return expanded(tree, tree.dependents(head, "ccomp", "obl", "advcl")[:1]), head
    if relation == "appos":
        return [head], head
    if relation == "parataxis" and tree.upos[head] == "VERB" and tree.lemmas[noun] in KIN:
        return surface_subjects(tree, head), noun  # "she was born in Rome, the child of a baker"
    apposed = tree.dependents(noun, "appos")
    if apposed:
        names = [token for token in apposed if tree.upos[token] == "PROPN"]
        return names or apposed, noun
    if relation in ("obj", "xcomp") and tree.lemmas[head] in COPULAR:
        return subjects(tree, head), head
    if (relation in ("xcomp", "obl") and tree.upos[head] == "VERB") and (
        (tree.case_of(noun) == "as" and tree.lemmas[noun] != "part")
        or (relation == "xcomp" and tree.lemmas[head] in NAMING)
    ):
        held = objects(tree, head)
        return [token for token in held if token != noun] or surface_subjects(tree, head), head
    return named_beside(tree, noun), noun


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
    del phrase
    auxiliaries = {tree.lows[aux] for aux in tree.dependents(governor, "aux")}
    spoken = {tree.lemmas[clause], tree.lemmas[governor]} & SPEAKING
    return bool(auxiliaries & {"will", "would", "may", "might", "could", "shall", "'ll"}) and not spoken


def _is_reason(tree: Tree, phrase: range, clause: int, governor: int) -> bool:
    """Tell "since roads were flooded" from "since he came, they have won": no perfect in the main clause."""
    del phrase
    perfect = any(tree.lemmas[aux] == "have" for aux in tree.dependents(governor, "aux"))
    return not perfect and all(tree.lows[child] != "ever" for child in tree.children[clause])


def _follows_comma(tree: Tree, phrase: range, clause: int, governor: int) -> bool:
    """Tell a clause after a comma, ", as the pupils had gone" and ", for he was ill", from "as he left"."""
    finite = tree.dependent(clause, "nsubj", "nsubj:pass") is not None
    if tree.lows[phrase.start] == "as":  # a state or what was so before, not what went on meanwhile
        finite = finite and tree.dependent(clause, "cop", "aux") is not None and not is_passive(tree, clause)
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
    return (
        begins
        and subject is not None
        and clause > governor
        and tree.lows[after] not in ("much", "many", "that")
    )


_CONJUNCTION_FITS = {
    "if": _is_conditional,
    "unless": _is_conditional,
    "as": _follows_comma,
    "for": _follows_comma,
    "since": _is_reason,
    "so": _opens_clause,
}


def _governed(tree: Tree, trigger: Trigger, phrase: range, complement: int, governor: int) -> list[Statement]:
    denied = phrase.start > 0 and tree.lows[phrase.start - 1] == "not"
    nouns = [position for position in phrase if tree.upos[position] == "NOUN"]
    pattern = trigger.pattern
    governors = expanded(tree, [governor]) if pattern.modality else [governor]
    roles = {"complement": expanded(tree, [complement]), "governor": governors, "noun": nouns}
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
    for head in (degree_head, tree.heads[degree_head]):
        for clause in tree.dependents(head, "advcl", "ccomp", "acl"):
            if tree.mark_of(clause) == "that" and clause > degree:
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


def open_statements(context: Context, sentence: int) -> Iterator[Statement]:
    """Yield subject, verb and object of every other clause with its own subject; the lemma is the type."""
    tree = context.trees[sentence]
    for verb in range(len(tree)):
        lemma = tree.lemmas[verb]
        if tree.upos[verb] != "VERB" or lemma in LIGHT or not lemma.isalpha() or not _has_subject(tree, verb):
            continue
        sources, targets, type_ = subjects(tree, verb), objects(tree, verb), lemma
        if not targets or (is_passive(tree, verb) and not sources):
            complement = next(
                (child for child in tree.dependents(verb, "obl") if _close(context, sentence, verb, child)),
                None,
            )
            if complement is None:
                continue
            sources = surface_subjects(tree, verb)
            targets = expanded(tree, resolved_relatives(tree, [complement]))
            case = tree.case_of(complement)
            type_ = place_relation(context, sentence, complement, case) or f"{lemma}_{case}"
        for source in sources:
            for target in targets:
                nominal = tree.upos[source] in NOMINAL and tree.upos[target] in NOMINAL
                reach = NEAR if lemma in WEAK else FAR
                far = len(tree) > LONG and max(abs(source - verb), abs(target - verb)) > reach
                if source != target and nominal and not far and not is_time(context, sentence, target):
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


_BOUND = wordset(
    "in on at to from with into against over through upon about under toward towards among between"
)


_BELIEVING = wordset("""
    believe engage succeed fail invest specialise specialize trust participate persist delight rejoice result
    join aim look shoot laugh excel interest involve enrol enroll include indulge deal originate
""")
"""Verbs whose "in" or "at" is theirs, and not where or when they take place."""


def _close(context: Context, sentence: int, verb: int, oblique: int) -> bool:
    tree = context.trees[sentence]
    case = tree.case_of(oblique)
    bound = case not in ("in", "at") or tree.lemmas[verb] in _BELIEVING
    placed = bool(place_relation(context, sentence, oblique, case))
    return 0 < oblique - verb <= 8 and case in _BOUND and (bound or placed)


def _add(context: Context, sentence: int, statement: Statement) -> bool:
    """Add a statement to the findings, unless an end names nothing or is not of the kind asked for."""
    tree = context.trees[sentence]
    if statement.is_causal and _is_far(tree, statement):
        return False
    ends = _ends(context, sentence, statement)
    if ends is None:
        return False
    source, target = ends
    pattern = statement.pattern
    if pattern is not None and not _fits(pattern, source, target):
        return False
    stance = (
        Stance(negated=False, modality="fact") if statement.in_passing else stance_of(tree, statement.anchor)
    )
    modality = pattern.modality if pattern is not None and pattern.modality else stance.modality
    negated = statement.denied
    if not statement.between_clauses:
        turned = statement.anchor not in statement.cue and tree.lemmas[statement.anchor] in DENYING
        meant = any(tree.lows[joint] == "but" for joint in tree.dependents(statement.source, "cc"))
        denied = stance.negated != turned and not meant
        tokens = (statement.source, statement.target)
        negated = negated or denied or any(_empty_end(tree, token, statement.anchor) for token in tokens)
    speaker = statement.speaker if statement.speaker is not None else stance.speaker
    cue_span = tree.span(statement.cue)
    sure = min(source.confidence, target.confidence) * (0.8 if modality == "modal" else 1.0)
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


def _ends(context: Context, sentence: int, statement: Statement) -> tuple[End, End] | None:
    """Return both ends of a statement, None where one names nothing or they are one and the same."""
    tree, clause = context.trees[sentence], statement.between_clauses
    others, cue = (statement.target, statement.source), statement.cue
    source = _end(context, sentence, statement.source, (statement.target, *cue), clause=clause)
    target = _end(
        context, sentence, statement.target, (statement.source, *cue), statement.along, clause=clause
    )
    source = _borne(context, sentence, statement, source, statement.source, others[0])
    target = _borne(context, sentence, statement, target, statement.target, others[1])
    if source is None or target is None:
        return None
    if statement.name == "title" and target.mention is not None:
        # "U.S. Senator Lee" is a U.S. senator: the name goes on after its title
        word = (target.span[0], tree.ends[statement.target])
        source = replace(source, span=(tree.starts[statement.target + 1], source.span[1]))
        target = End(word, tree.document_text[slice(*word)], None, 1.0, tree.lemmas[statement.target])
    apart = source.span[1] <= target.span[0] or target.span[1] <= source.span[0]
    return (source, target) if apart else None


def _borne(
    context: Context, sentence: int, statement: Statement, end: End | None, token: int, other: int
) -> End | None:
    """Put the name that bears a description in the place of the description's phrase."""
    if end is None or statement.is_causal:
        return end
    if end.mention is not None:
        name = named_before(context, end.mention) if end.mention.attributes.get("noun_phrase") else None
    else:
        kind = token == statement.target and statement.type in _DESCRIBING
        name = None if kind else bearer(context, sentence, token, other)
    return end if name is None else replace(end, name=name.name, mention=name)


_DESCRIBING = frozenset({"is_a", "holds_office", "has_value"})


def _is_far(tree: Tree, statement: Statement) -> bool:
    """Tell an end so far from its predicate in a long sentence that the tree is likely to be wrong."""
    most = FAR_CLAUSE if statement.between_clauses else FAR
    cue = statement.cue[0]
    return len(tree) > LONG and max(abs(statement.source - cue), abs(statement.target - cue)) > most


def _empty_end(tree: Tree, token: int, anchor: int) -> bool:
    return token != anchor and any(
        tree.lows[child] == "no" and tree.relations[child] == "det" for child in tree.children[token]
    )


def _fits(pattern: Pattern, source: End, target: End) -> bool:
    if pattern.source_not and _is_of(source, pattern.source_not):
        return False
    return _is_of(source, pattern.source_is) and _is_of(target, pattern.target_is)


def _is_of(end: End, types: Sequence[str]) -> bool:
    if not types:
        return True
    mention = end.mention
    if mention is None:
        return "concept" in types
    named = not mention.attributes.get("noun_phrase") and mention.type not in ("date", "quantity")
    return mention.type in types or ("name" in types and named)


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
    if (sentence, token) not in context.references:
        if tree.upos[token] in ("PRON", "DET", "PUNCT", "ADV", "ADP"):
            return None
        if tree.lemmas[token] in _VAGUE and not tree.dependents(token, "nmod", "acl", "amod", "compound"):
            return None
    return context.end(sentence, token, others=others, along=along, clause=clause)


def _speaker_name(context: Context, sentence: int, token: int | None) -> str | None:
    if token is None:
        return None
    end = context.end(sentence, token)
    return None if end.mention is None and context.trees[sentence].upos[token] == "PRON" else end.name
