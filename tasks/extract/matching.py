"""Where patterns fit: the statements that the words of a sentence make, read off its tree."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from corpusgraph.tasks.extract.ends import is_gerund
from corpusgraph.tasks.extract.nominal import KIN, named_beside
from corpusgraph.tasks.extract.nouns import PATHS, WORKS
from corpusgraph.tasks.extract.patterns import Pattern, Patterns, Statement, Trigger
from corpusgraph.tasks.extract.roles import (
    RELATIVE,
    expanded,
    is_agent,
    is_passive,
    objects,
    obliques,
    run_on_object,
    subjects,
    surface_subjects,
)
from corpusgraph.tasks.extract.stance import REPORTING
from corpusgraph.tasks.extract.tree import NOMINAL, WOULD, Tree, verb_lemma
from corpusgraph.tasks.text.wordlist import listed, words, wordset

COPULAR = wordset("be become remain prove constitute form represent provide seem appear serve offer")
SPEAKING = REPORTING | words("matching.speaking")
NAMING = wordset("call consider deem name pronounce declare render make think find")


def stated(tree: Tree, patterns: Patterns) -> Iterator[Statement]:
    """Yield what the patterns find."""
    for token in range(len(tree)):
        lemma, upos = tree.lemmas[token], tree.upos[token]
        clausal = upos not in ("VERB", "AUX") and tree.is_clause_with_object(token)
        if clausal:
            lemma = verb_lemma(tree.lows[token], lemma)
        if clausal or upos in ("VERB", "AUX"):
            yield from _first(_verb(tree, token, trigger) for trigger in patterns.of("verb", lemma))
        elif upos == "NOUN":
            yield from _first(_noun(tree, token, trigger) for trigger in patterns.of("noun", lemma))
        if upos in ("ADJ", "VERB", "ADV") and tree.relations[token] != "case":
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
        causal = any(statement.is_causal for statement in statements)
        statements += [statement for statement in matched if not (causal and statement.is_causal)]
        pattern = matched[0].pattern if matched else None
        if pattern is not None and not (pattern.source_is or pattern.target_is or pattern.source_not):
            break
    return statements


def _paired(
    tree: Tree, trigger: Trigger, anchor: int, cue: tuple[int, ...], roles: Mapping[str, Sequence[int]]
) -> list[Statement]:
    """Return what a pattern states of the tokens in its roles, those whose words it allows."""
    pattern, name = trigger.pattern, " ".join(trigger.words)
    works = pattern.is_causal and tree.lemmas[anchor] in ("produce", "create")  # films are made, not caused
    named = [end for end in roles.get(pattern.target, ()) if _is_named(tree, end, pattern.target_word)]
    targets = [end for end in named if not (works and tree.lemmas[end] in WORKS)]
    return [
        Statement(
            source,
            target,
            pattern.type,
            anchor,
            cue,
            name,
            pattern.confidence,
            is_causal=pattern.is_causal,
            denied=is_set_aside(tree, source) or is_set_aside(tree, target),
            pattern=pattern,
        )
        for source in roles.get(pattern.source, ())
        if _is_named(tree, source, pattern.source_word) and not _is_barred(tree, source, pattern)
        for target in targets
        if source != target
    ]


def _is_named(tree: Tree, end: int, words: Sequence[str]) -> bool:
    return not words or tree.lemmas[end] in words


def _is_barred(tree: Tree, source: int, pattern: Pattern) -> bool:
    if "person" in pattern.source_not and is_agent(tree, source):
        return True
    nouns = (source, *tree.dependents(source, "nsubj")) if "place" in pattern.source_not else ()
    return any(tree.lemmas[noun] in PATHS for noun in nouns)


_OF_WHAT_IS_HELD = ("into", "of", "from|against")


def is_set_aside(tree: Tree, token: int) -> bool:
    """Tell "not X but Y"; "for not being able" denies its own clause only."""
    return tree.is_set_aside(token) and not (tree.upos[token] in ("VERB", "ADJ") and tree.mark_of(token))


def _verb(tree: Tree, verb: int, trigger: Trigger) -> list[Statement]:
    pattern = trigger.pattern
    passive = is_passive(tree, verb)
    cue = _cue_of(tree, verb, trigger)
    if not cue or ((pattern.voice == "passive") != passive and pattern.voice != "any"):
        return []
    if pattern.is_causal and pattern.source == "subject" and pattern.target in _OF_WHAT_IS_HELD:
        # "turned it into a desert", not "turned into", "forced its way into"
        held = next(iter(surface_subjects(tree, verb)), None) if passive else _held(tree, verb)
        if held is None or tree.lemmas[held] == "way":
            return []
    sources = _argument(tree, verb, cue, trigger, pattern.source)
    targets = _argument(tree, verb, cue, trigger, pattern.target)
    if pattern.is_causal and pattern.source == "subject":
        sources = doing(tree, verb, sources)
    if pattern.target == "infinitive" and pattern.source != "subject":
        sources = [source for source in sources if source < min(targets, default=0)]
    if not sources or not targets:
        return []
    speakers = _argument(tree, verb, cue, trigger, pattern.speaker) if pattern.speaker else []
    if "event" in (pattern.source, pattern.target):  # "from which kings died": "which" belongs to neither end
        cue += [child for child in tree.dependents(verb, "obl") if tree.lows[child] in RELATIVE]
    roles = {pattern.source: sources, pattern.target: targets}
    speaker = next(iter(speakers), None)
    return [replace(stated, speaker=speaker) for stated in _paired(tree, trigger, verb, tuple(cue), roles)]


def _cue_of(tree: Tree, verb: int, trigger: Trigger) -> list[int]:
    """Return the tokens of a trigger, none where a word is missing."""
    cue = [verb]
    for word in trigger.inner:
        beside = [*tree.children[verb], *range(verb + 1, min(verb + 2, len(tree)))]
        beside += [case for child in tree.dependents(verb, "obl") for case in tree.dependents(child, "case")]
        beside += [at for child in tree.dependents(verb, "obj") for at in tree.dependents(child, "advmod")]
        part = next((child for child in beside if word in (tree.lows[child], tree.lemmas[child])), None)
        if part is None:
            return []
        cue.append(part)
    return cue


def doing(tree: Tree, verb: int, sources: Sequence[int]) -> list[int]:
    """Return what brings it about: "by granting the monopoly the council deprived" tells the deed."""
    by = () if is_passive(tree, verb) else tree.dependents(verb, "advcl")
    deeds = [child for child in by if tree.mark_of(child) == "by"]
    others = [source for source in sources if not deeds or not is_agent(tree, source)]
    deeds = deeds if len(others) < len(sources) else []  # "the drug relieves pain by blocking an enzyme"
    return [source for source in (*deeds, *others) if source != verb]


def _argument(tree: Tree, verb: int, cue: Sequence[int], trigger: Trigger, role: str) -> list[int]:
    """Return the heads of what stands in a role to a verb."""
    passive = is_passive(tree, verb)
    if role == "subject":
        return surface_subjects(tree, verb) if trigger.preposition and passive else subjects(tree, verb)
    if role == "object" and trigger.preposition:
        return _governed_by(tree, verb, cue, trigger, passive=passive)
    if role == "object":
        things = [token for token in objects(tree, verb) if token not in cue]
        # "brought down the government": the particle was taken for a preposition
        return things if things or not trigger.inner or passive else obliques(tree, verb, trigger.inner)
    if role in ("infinitive", "bare"):
        return _complement_clause(tree, verb, bare=role == "bare")
    if role == "event" or role in _CLAUSAL_ROLES:
        return expanded(tree, [verb] if role == "event" else _CLAUSAL_ROLES[role](tree, verb)[:1])
    return _beside(tree, verb, role.split("|"))


def _governed_by(tree: Tree, verb: int, cue: Sequence[int], trigger: Trigger, *, passive: bool) -> list[int]:
    """Return what stands with the preposition of a trigger, "lead to"."""
    thing = None if passive or trigger.inner else tree.dependent(verb, "obj")
    if thing is None or thing in surface_subjects(tree, verb):  # "from it arose war"
        return _complements(tree, cue, trigger)
    if tree.lows[verb + 1 : verb + 2] == [trigger.preposition]:
        return objects(tree, verb)  # "led to longer waits": the preposition was taken for an adverb
    return []  # "end the violence in Darfur" is not "end in"


def _beside(tree: Tree, verb: int, cases: Sequence[str]) -> list[int]:
    """Return what stands with one of some prepositions beside a verb, or on its object."""
    beside = obliques(tree, verb, cases)
    if not beside and "from" in cases:
        beside = _gerund(tree, verb)  # "saved the town from being sacked"
    if not beside and tree.lemmas[verb] in ("blame", "pin", "bear"):
        # "blamed the slump in sales on the weather", "was born in Leeds to Ann Lee"
        held = tree.dependents(verb, "obl") if tree.lemmas[verb] == "bear" else objects(tree, verb)
        inner = [token for thing in held for token in tree.subtree(thing) if tree.case_of(token) in cases]
        beside = expanded(tree, inner[:1])
    # not "parts of a continent are made contiguous"
    made_of = tree.lemmas[verb] == "make" and "of" in cases
    return [
        token
        for token in beside
        if tree.upos[token] != "NUM" and tree.lemmas[token] not in TIMES and (token > verb or not made_of)
    ]


def _second(tree: Tree, verb: int) -> list[int]:
    """Return the object beside another: "an epidemic" of "spared the town an epidemic"."""
    things = tree.dependents(verb, "obj", "iobj")
    beside = things if is_passive(tree, verb) else things[1:]
    return [thing for thing in beside if tree.relations[thing] == "obj"]


def _gerund(tree: Tree, verb: int) -> list[int]:
    """Return "selling" of "prevented farmers from selling"; it may be taken for a modifier of the object."""
    holders = [verb, *tree.dependents(verb, "obj", "nsubj:pass")]
    clauses = [
        child
        for head in holders
        for child in tree.dependents(head, "advcl", "acl", "xcomp", "obl")
        if is_gerund(tree, child)
    ]
    kept_from = [child for child in clauses if "from" in (tree.mark_of(child), tree.case_of(child))]
    if kept_from or tree.lemmas[verb] not in ("stop", "prevent"):
        return kept_from
    # "stop anyone getting in", and not "the clock stopped working"
    bare = [child for child in clauses if not tree.mark_of(child) and not tree.case_of(child)]
    return [child for child in bare if child > verb + 1]


def _has_clause(tree: Tree, verb: int) -> list[int]:
    """Return the clause that something means: "meant that they left", "meant leaving"."""
    return [
        child
        for child in tree.dependents(verb, "ccomp", "xcomp", "obj")
        if tree.mark_of(child) == "that" or (not tree.mark_of(child) and tree.lows[child].endswith("ing"))
    ]


_CLAUSAL_ROLES = {"second": _second, "gerund": _gerund, "clause": _has_clause}


TIMES = words("matching.times")


def _held(tree: Tree, verb: int) -> int | None:
    """Return what a verb makes do something: its object, or the subject of its passive."""
    run_on = run_on_object(tree, verb)
    return run_on[0] if run_on else tree.dependent(verb, "obj", "iobj", "nsubj:pass")


def _complement_clause(tree: Tree, verb: int, *, bare: bool) -> list[int]:
    """Return the heads of an infinitive that a verb makes its object do.

    "led us to consider" is a turn of speech: what is made to happen to writer or reader is left out.
    """
    held = _held(tree, verb)
    if held is None:
        return []
    ours = tree.feature(held, "Person") in ("1", "2")
    mark = "" if bare else "to"
    run_on = tree.dependents(tree.heads[held], "advcl") if held in run_on_object(tree, verb) else []
    for child in (*tree.dependents(verb, "xcomp", "ccomp", "advcl"), *tree.dependents(held, "acl"), *run_on):
        if (
            child > held
            and tree.mark_of(child) == mark
            and tree.upos[child] in ("VERB", "" if bare else "ADJ")
            and not tree.lows[child].endswith("ing")
            and not (bare and tree.lows[child] != tree.lemmas[child])
            and not (ours and tree.lemmas[child] in SPEAKING)
            and tree.dependent(child, "nsubj") is None
        ):
            return expanded(tree, [child])
    if bare or ours:
        return []
    # "caused the coach to overturn": the infinitive was taken for a noun
    taken = [child for child in tree.dependents(verb, "obl", "obj", "xcomp") if child > held]
    taken += [
        inner
        for child in (*taken, *tree.dependents(held, "nmod"))
        for inner in tree.dependents(child, "compound")  # "encourages farmers to plant maize"
        if tree.upos[inner] == "VERB" and inner > held
    ]
    return [child for child in taken if tree.lows[child - 1] == "to" and tree.upos[child] in ("NOUN", "VERB")]


_ASIDE = wordset("contrary whole average")
"""What "on the" stands with in turns of speech."""


def _complements(tree: Tree, cue: Sequence[int], trigger: Trigger) -> list[int]:
    prepositions = [trigger.preposition, " ".join((*trigger.inner, trigger.preposition))]  # "of", "out of"
    for token in reversed(cue):
        things = obliques(tree, token, prepositions)
        if complements := [thing for thing in things if tree.lemmas[thing] not in _ASIDE]:
            return complements
    return []


def _noun(tree: Tree, noun: int, trigger: Trigger) -> list[Statement]:
    pattern = trigger.pattern
    complements = _noun_complements(tree, noun, trigger)
    grouped = pattern.target == "noun" and not pattern.is_causal and bool(complements)
    if grouped and tree.feature(complements[0], "Number") != "Plur":
        return []  # a group has several members; a body of water is water
    bearers, anchor = _bearers(tree, noun)
    bearers = [bearer for bearer in bearers if bearer not in complements]
    described = tree.dependent(noun, "cop") is not None or tree.relations[noun] == "appos"
    roles = {
        "subject": bearers,
        "object": complements,
        # "was the ruin of the army": what is caused is the ruin
        "event": [noun] if complements else [],
        "noun": bearers if bearers and described and pattern.source == "noun" else [noun],
        "possessor": tree.dependents(noun, "nmod:poss"),
    }
    return _paired(tree, trigger, anchor, (noun,), roles)


def _noun_complements(tree: Tree, noun: int, trigger: Trigger) -> list[int]:
    pattern, preposition = trigger.pattern, trigger.preposition or "of"
    complements = obliques(tree, noun, [preposition])
    if not complements and preposition == "of" and "noun" not in (pattern.source, pattern.target):
        complements = tree.dependents(noun, "nmod:poss")
    if not complements and preposition in ("to", "for"):
        complements = [child for child in tree.dependents(noun, "acl") if tree.mark_of(child) == preposition]
    if not complements and tree.lemmas[noun] == "reason":  # "the reason (why) the bridge fell"
        complements = [
            child
            for child in tree.dependents(noun, "acl", "ccomp")
            if tree.dependent(child, "nsubj") is not None and tree.mark_of(child) in ("", "that")
        ]
    if tree.lemmas[noun] in ("result", "outcome"):  # that of a match is what it ended in
        complements = [thing for thing in complements if tree.lemmas[thing] not in CONTESTS]
    return complements


UNTOLD = words("matching.untold")
SERVING = wordset("serve act function work operate come rank count qualify")
CONTESTS = words("matching.contests")


def _bearers(tree: Tree, noun: int) -> tuple[list[int], int]:  # noqa: PLR0911 -- a case each
    """Return what a noun is said of, and the predicate that says so."""
    if tree.dependent(noun, "cop") is not None:
        return surface_subjects(tree, noun), noun
    head, relation = tree.heads[noun], tree.relations[noun]
    if relation == "conj" and head != noun and not tree.dependents(noun, "nmod:poss"):
        return _bearers(tree, head)
    if relation == "nsubj":
        if tree.dependent(head, "cop") is not None:
            untold = tree.lemmas[head] in UNTOLD or tree.upos[head] == "ADJ" or bool(tree.case_of(head))
            return ([] if untold else expanded(tree, [head])), head
        if tree.lemmas[head] in ("be", "lie", "consist"):
            return expanded(tree, tree.dependents(head, "ccomp", "obl", "advcl")[:1]), head
    if tree.lemmas[noun] in KIN and relation in ("parataxis", "dep", "appos", "conj"):
        clause = tree.clause_head(head)  # "she was born in Rome, the child of a baker"
        beside = tree.relations[head] in ("obl", "conj", "nmod") and head > clause
        if tree.upos[clause] == "VERB" and (clause == head or beside):
            return surface_subjects(tree, clause), noun
    if relation == "appos":
        return [head], head
    apposed = tree.dependents(noun, "appos")
    if apposed:
        names = [token for token in apposed if tree.upos[token] == "PROPN"]
        return names or expanded(tree, apposed), noun
    if relation in ("obj", "xcomp") and tree.lemmas[head] in COPULAR:
        return subjects(tree, head), head
    if (relation in ("xcomp", "obl") and tree.upos[head] == "VERB") and (
        (tree.case_of(noun) == "as" and tree.lemmas[noun] != "part")
        or (relation == "xcomp" and tree.lemmas[head] in NAMING)
    ):
        held = [token for token in objects(tree, head) if token != noun]
        return held if held or tree.lemmas[head] not in SERVING else surface_subjects(tree, head), head
    return named_beside(tree, noun), noun


def _adjective(tree: Tree, adjective: int, trigger: Trigger) -> list[Statement]:
    complements = obliques(tree, adjective, [trigger.preposition]) if trigger.preposition else []
    if not complements and trigger.preposition == "to":
        clauses = tree.dependents(adjective, "xcomp", "advcl")
        complements = [child for child in clauses if tree.mark_of(child) == "to"]
    bearers = surface_subjects(tree, adjective)
    if not bearers and tree.relations[adjective] in ("amod", "acl"):
        held = tree.heads[adjective]  # "the minister responsible for trade" holds an office
        bearers = [] if is_agent(tree, held) else [held]
    if not complements or not bearers:
        return []
    roles = {"subject": bearers, "object": complements, "event": [adjective]}
    return _paired(tree, trigger, adjective, (adjective,), roles)


def _phrase_at(tree: Tree, token: int, words: Sequence[str]) -> range | None:
    last = token + len(words)
    return range(token, last) if tree.lows[token:last] == list(words) else None


def _preposition(tree: Tree, token: int, trigger: Trigger) -> list[Statement]:
    phrase = _phrase_at(tree, token, trigger.words)
    if phrase is None or (complement := _complement_of(tree, phrase)) is None:
        return []
    copular = (token for token in (complement, *phrase) if tree.dependent(token, "cop") is not None)
    predicate = next(copular, None)
    if predicate is not None and trigger.pattern.modality is not None:
        return []  # "is not without its advocates"
    if predicate is not None:  # "the delay was due to fog": what is said of its subject
        bearers = surface_subjects(tree, predicate)
        roles = {"complement": expanded(tree, [complement]), "governor": bearers, "subject": bearers}
        return _paired(tree, trigger, predicate, tuple(phrase), roles)
    governor = _governor_of(tree, phrase, complement)
    if governor is None or not _means_cause(tree, trigger, phrase, complement, governor):
        return []
    return _governed(tree, trigger, phrase, complement, _effect(tree, phrase, governor))


def _complement_of(tree: Tree, phrase: range) -> int | None:
    if tree.upos[phrase.start] == "VERB" and tree.dependent(phrase.start, "nsubj") is not None:
        return None  # "are owing to": said of its subject
    for position in range(phrase.stop, len(tree)):
        if tree.heads[position] in phrase or any(child in phrase for child in tree.children[position]):
            return position if tree.relations[position] != "punct" else None
    return None


def _governor_of(tree: Tree, phrase: range, complement: int) -> int | None:
    inside = (*phrase, complement)
    above = (tree.heads[position] for position in inside)
    return next((head for head in above if head not in inside), None)


def _means_cause(tree: Tree, trigger: Trigger, phrase: range, complement: int, governor: int) -> bool:
    """Tell a cause from what the same preposition means elsewhere."""
    if trigger.pattern.modality == "hypothetical":
        nominal = tree.upos[complement] in NOMINAL and _comes_first(tree, phrase, governor)
        return nominal and _is_conditional(tree, phrase, complement, governor)
    if trigger.words == ("given",):  # "the prize given to the player"
        return phrase.start == 0 or tree.upos[phrase.start - 1] == "PUNCT"
    return trigger.words != ("from",) or tree.lemmas[governor] not in FROM


FROM = words("matching.from")


def _comes_first(tree: Tree, phrase: range, governor: int) -> bool:
    """Tell "without the ozone layer, life would end" from "could not, without hazard, be done"."""
    subject = tree.dependent(governor, "nsubj", "expl")
    return tree.lows[phrase.start] == "but" or (subject is not None and phrase.start < subject)


def _effect(tree: Tree, phrase: range, governor: int) -> int:
    """Return the clause that an adverbial belongs to where it hangs on a nominal inside it.

    That of the subject stands between commas: "the Duchess, out of pique, withheld it".
    """
    aside = tree.relations[governor] == "nsubj" and tree.words[phrase.start - 1] == ","
    if (aside or tree.relations[governor] in ("obj", "obl")) and tree.upos[tree.heads[governor]] == "VERB":
        return tree.heads[governor]
    return governor


def _conjunction(tree: Tree, token: int, trigger: Trigger) -> list[Statement]:
    phrase = _phrase_at(tree, token, trigger.words)
    if phrase is None or tree.lows[phrase.stop : phrase.stop + 1] == ["of"]:
        return []
    outside = [position for position in phrase if tree.heads[position] not in phrase]
    roles = ("mark", "cc", "advmod", "obl", "case", *(("compound",) if len(phrase) > 1 else ()))
    if not outside or tree.relations[outside[0]] not in roles:
        return []
    clause = tree.heads[outside[-1]]
    governor = _clause_linked(tree, clause, phrase)
    clause = tree.heads[clause] if tree.relations[clause] == "nsubj" else clause
    if governor is None:
        return []
    fits = _CONJUNCTION_FITS.get(" ".join(trigger.words))
    if trigger.pattern.modality is not None:
        fits = _is_conditional if trigger.pattern.modality == "hypothetical" else _is_purpose
    if fits is not None and not fits(tree, phrase, clause, governor):
        return []
    return _governed(tree, trigger, phrase, clause, governor)


def _clause_linked(tree: Tree, clause: int, phrase: range) -> int | None:
    """Return the clause that a connective joins its own with: the one above, or one that came before it."""
    governor = tree.heads[clause]
    if tree.relations[clause] == "nsubj" and clause > phrase.start:  # hung on the subject of its clause
        return _clause_linked(tree, tree.heads[clause], phrase)
    if clause != governor:
        joined = tree.relations[clause] in ("advcl", "parataxis", "conj", "ccomp", "xcomp")
        before = tree.dependents(governor, "parataxis", "conj") if tree.relations[clause] != "advcl" else []
        before = [child for child in before if child < phrase.start and tree.dependents(child, "nsubj")]
        return [governor, *before][-1] if joined else None
    others = tree.dependents(clause, "parataxis", "ccomp", "advcl")
    linked = [child for child in others if child < phrase.start and not tree.mark_of(child)]
    if phrase.start == 0:  # "If it rains, we stay": the first clause was taken for the main one
        others = tree.dependents(clause, "parataxis", "conj", "ccomp")
        others = [child for child in others if tree.dependent(child, "nsubj", "expl")]
        linked = [child for child in others if _is_apart(tree, child)]
    return next(iter(linked), None)


def _is_apart(tree: Tree, clause: int) -> bool:
    """Tell a clause that a comma alone divides from what comes before it."""
    first = tree.subtree(clause, ("punct",))[0]
    return first > 0 and tree.words[first - 1] == ","


_SHORT_WOULD = wordset("'ll 'd wo")


def _is_conditional(tree: Tree, phrase: range, clause: int, governor: int) -> bool:
    """Tell what would follow from a turn of speech: "if ice melts, the sea will rise", not "if I may say"."""
    if phrase.start != clause and tree.lows[phrase.stop] in ("not", "any", "ever", "possible", "necessary"):
        return False  # "if not", "if any": a turn of speech
    auxiliaries = {tree.lows[aux] for aux in tree.dependents(governor, "aux")}
    if phrase.start and tree.lows[phrase.start - 1] in ("as", "than", "but"):
        return False
    # "it would not be hard to show that ..., if"
    shown = tree.dependents(governor, "xcomp", "csubj", "ccomp")
    spoken = not SPEAKING.isdisjoint(tree.lemmas[token] for token in (clause, governor, *shown))
    spoken = spoken and "have" not in auxiliaries  # "would have said so, had he"
    if auxiliaries & (WOULD | _SHORT_WOULD):
        return not spoken
    # "if the pump fails, the mine floods": a rule
    subject = tree.dependent(governor, "nsubj")
    rule = subject is not None and tree.lows[subject] not in ("i", "we", "you", "it", "this", "that", "there")
    stated = tree.feature(governor, "Tense") == "Pres" and tree.dependent(governor, "cop") is None
    return rule and stated and not spoken and tree.dependent(clause, "nsubj") is not None


def _is_reason(tree: Tree, phrase: range, clause: int, governor: int) -> bool:
    """Tell "since roads were flooded" from "since he came, they have won": no perfect in the main clause."""
    if any(tree.lemmas[aux] == "have" for aux in tree.dependents(governor, "aux")):
        return False
    # "it has since been expanded", "since 2005"
    if tree.dependent(clause, "mark") is None or tree.dependent(clause, "nsubj") is None:
        return False
    dated = tree.lows[phrase.stop] == "then" or any(tree.upos[at] == "NUM" for at in tree.subtree(clause))
    return not dated and all(tree.lows[child] != "ever" for child in tree.children[clause])


def _follows_comma(tree: Tree, phrase: range, clause: int, governor: int) -> bool:
    """Tell the reason of ", for he was ill" and "As the well was dry, ..." from a preposition and a time."""
    finite = tree.dependent(clause, "nsubj", "nsubj:pass") is not None
    if not finite or tree.lows[phrase.stop] in ("if", "though", "well", "soon"):
        return False
    if tree.lows[phrase.start] == "as":
        opens = clause < governor and phrase.start == 0 and tree.dependent(governor, "nsubj") is not None
        return opens and _was_so(tree, clause) and tree.lemmas[clause] not in SPEAKING
    apart = phrase.start > 0 and tree.words[phrase.start - 1] in (",", ";", "—", "--", ":")
    return clause > governor and apart


def _was_so(tree: Tree, clause: int) -> bool:
    """Tell the reason of "As the well was dry, they left" from the time of "As he left, they sang"."""
    state = tree.upos[clause] == "ADJ" or tree.lemmas[clause] in ("have", "lack", "need", "know", "want")
    return state or tree.has_word(clause, ("had",), "aux") or tree.is_negated(clause)


_HARMED = words("matching.harmed")


def _is_accident(tree: Tree, phrase: range, clause: int, governor: int) -> bool:
    """Tell "they were hurt when a bus overturned" from a time: an event after a passive of harm."""
    happened = tree.upos[clause] == "VERB" and tree.feature(clause, "Tense") == "Past"
    subject = tree.dependent(clause, "nsubj", "nsubj:pass")
    event = happened and subject is not None and tree.upos[subject] in ("NOUN", "PROPN")
    harmed = tree.lemmas[governor] in _HARMED and is_passive(tree, governor)
    plain = tree.words[phrase.start - 1] != "," and tree.dependent(clause, "aux") is None
    return clause > governor and event and harmed and plain and tree.lemmas[clause] not in ARRIVING


ARRIVING = wordset("arrive come return find visit leave begin start reach enter meet see be have become")


_NOMINATIVES = wordset("i it he she we they")


def _opens_clause(tree: Tree, phrase: range, clause: int, governor: int) -> bool:
    """Tell ", so we stayed" from "so cold" and "so that"."""
    after = phrase.stop
    subject = tree.dependent(clause, "nsubj", "nsubj:pass", "expl")
    begins = after < len(tree) and tree.upos[after] in ("PRON", "DET", "NOUN", "PROPN")
    apart = phrase.start > 0 and tree.upos[phrase.start - 1] in ("PUNCT", "CCONJ")
    # "as the belt sparkled, so the figure fluctuated"
    compared = any((tree.lows[at], tree.relations[at]) == ("as", "mark") for at in range(phrase.start))
    begins = begins and not compared and (apart or tree.lows[after] in _NOMINATIVES)
    follows = subject is not None and clause > governor
    return begins and follows and tree.lows[after] not in ("much", "many", "that")


def _goes_on(tree: Tree, phrase: range, clause: int, governor: int) -> bool:
    """Tell "it failed, and as a result it closed" from "it failed as a result": what follows is a clause."""
    before = tree.words[phrase.start - 1] if phrase.start else ""
    # ", therefore,": goes on from another sentence
    aside = tree.words[phrase.stop : phrase.stop + 1] == [","]
    opens = before in (";", "—", "--", ":") or (before == "," and not aside)
    joins = tree.upos[phrase.start - 1] in ("CCONJ", "AUX") if phrase.start else False
    finite = tree.dependent(clause, "nsubj", "aux", "cop") is not None or tree.relations[clause] == "conj"
    return governor < phrase.start and (opens or joins) and (finite or tree.lows[phrase.start] == "hence")


def _is_purpose(tree: Tree, phrase: range, clause: int, governor: int) -> bool:
    """Tell "so that it may stand", "in order to stand" from ", so that it fell"."""
    del governor
    intended = tree.lows[phrase.stop - 1] != "that" or tree.dependent(clause, "aux") is not None
    return phrase.start == 0 or (intended and tree.upos[phrase.start - 1] != "PUNCT")


_CONNECTIVES = listed("matching.connectives")
_CONJUNCTION_FITS = {
    "as": _follows_comma,
    "for": _follows_comma,
    "now that": lambda tree, _, __, governor: tree.lemmas[governor] not in SPEAKING,  # "he held now that"
    "since": _is_reason,
    "when": _is_accident,
    "so": _opens_clause,
    **dict.fromkeys(_CONNECTIVES, _goes_on),
}


def _governed(tree: Tree, trigger: Trigger, phrase: range, complement: int, governor: int) -> list[Statement]:
    denied = phrase.start > 0 and tree.lows[phrase.start - 1] == "not"
    nouns = [position for position in phrase if tree.upos[position] == "NOUN"]
    complements = expanded(tree, [complement]) if tree.upos[complement] in NOMINAL else [complement]
    governors = [governor]
    if trigger.pattern.modality == "hypothetical" and complement < governor:
        # "if it leaks, blood would flow back and the lungs would become congested"
        auxiliaries = {tree.lows[aux] for aux in tree.dependents(governor, "aux")}
        also = tree.dependents(governor, "conj")
        governors += [child for child in also if tree.has_word(child, auxiliaries, "aux")]
    roles = {"complement": complements, "governor": governors, "noun": nouns}
    pairs = _paired(tree, trigger, governor, tuple(phrase), roles)
    return [replace(statement, denied=denied, between_clauses=True) for statement in pairs]
