"""The relations that a sentence states: patterns over its tree, and open subject-verb-object statements."""

import itertools
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from corpusgraph.schemas.annotation import Arc
from corpusgraph.schemas.evidence import CAUSAL, PUT_FORWARD, Modality
from corpusgraph.tasks.extract.amounts import dated, measured
from corpusgraph.tasks.extract.arcs import statement_of
from corpusgraph.tasks.extract.chance import chance_of
from corpusgraph.tasks.extract.context import Context, End
from corpusgraph.tasks.extract.doubts import (
    DOUBTFUL,
    UNSURE,
    is_doubtful,
    is_vague,
    types_of,
)
from corpusgraph.tasks.extract.ends import RELATIVE_PRONOUNS, is_cut_off, says_something
from corpusgraph.tasks.extract.matching import is_set_aside, stated
from corpusgraph.tasks.extract.nominal import bearer, named_before, said_to_be
from corpusgraph.tasks.extract.patterns import Patterns, Statement
from corpusgraph.tasks.extract.places import is_time, located, name_is_not, place_relation, placed_names
from corpusgraph.tasks.extract.roles import (
    antecedent,
    expanded,
    is_passive,
    objects,
    resolved_relatives,
    says_it_is,
    subjects,
    surface_subjects,
)
from corpusgraph.tasks.extract.stance import (
    DENYING,
    Stance,
    is_denied_from_above,
    is_purpose,
    of_link,
    stance_of,
)
from corpusgraph.tasks.extract.tree import NEGATIVE, NOMINAL, Tree
from corpusgraph.tasks.text.wordlist import words, wordset

LIKELY = 0.35
"""How likely a relation has to be right, where a trained reader has read, to be noted."""
SURE = 0.7
"""How likely, for a graph to rely on it; below it is doubtful."""
SEEN = 0.25
"""How sure the reader alone has to be: what it hardly sees is never likely enough."""
TYPED = 0.6
"""How sure the reader is of the type of what a verb joins, where it is not the verb's."""
LIGHT = words("relations.light")


def find_relations(context: Context, sentence: int, patterns: Patterns) -> None:
    """Add the assertions of a sentence to the findings.

    What a pattern that ships reads between two words is dropped where a trained reader sees no relation;
    what the reader is sure of is added.

    Parameters
    ----------
    context : Context
        The document; its findings get the assertions.
    sentence : int
        Place of the sentence.
    patterns : Patterns
        What states a relation.

    """
    tree = context.trees[sentence]
    arcs = tree.arcs
    weighed = None if arcs is None else {(arc.source, arc.target): arc for arc in arcs}
    statements = list(stated(tree, patterns))
    cues = {frozenset(statement.cue) for statement in statements}
    # of "as a result of" and "result of" the longer
    statements = [s for s in statements if not any(frozenset(s.cue) < cue for cue in cues)]
    statements += [*measured(context, sentence), *dated(context, sentence)]
    inside = list(placed_names(context, sentence))
    outer = {statement.target: statement.source for statement in inside if statement.type == "located_in"}
    ends = {(statement.source, statement.target, statement.type) for statement in statements}
    read: set[tuple[int, ...]] = set()
    taken: set[int] = set()
    joined: set[tuple[int, int]] = set()
    for statement in (*statements, *inside):
        # who was born in "Mysen, Norway" was born in Mysen, which is in Norway
        if (statement.source, outer.get(statement.target), statement.type) in ends:
            continue
        keys = _readings(statement)
        by_place = statement.pattern is None  # where words stand says it: "(born 1954)", "of 120 km"
        undoubted = by_place or statement.pattern in patterns.own
        if read.isdisjoint(keys[:1]) and _add(context, sentence, statement, None if undoubted else weighed):
            taken.update(statement.cue)
            joined.add((statement.source, statement.target))
            read.update(keys if statement.pattern else ())
    typed = {
        (arc.source, arc.target): arc.type
        for arc in arcs or ()
        if arc.type != "open" and (arc.causal if arc.type in CAUSAL else arc.chance) >= TYPED
    }
    untaught = said_to_be(context, sentence) if arcs is None else ()
    for statement in (*untaught, *located(context, sentence), *open_statements(context, sentence)):
        pair = (statement.source, statement.target)
        read_as = typed.get(pair, statement.type)
        if read_as != statement.type and not (read_as in CAUSAL and tree.is_negated(statement.anchor)):
            continue  # "deplete" is a verb to the pattern, to the reader a cause
        if taken.isdisjoint(statement.cue) and _add(context, sentence, statement, weighed):
            joined.add(pair)
    for arc in arcs or ():
        pair = (arc.source, arc.target)
        if arc.chance >= SEEN and joined.isdisjoint([pair, pair[::-1]]):
            stated_by = statement_of(tree, arc)
            if stated_by is not None and _add_arc(context, sentence, stated_by, arc):
                joined.add(pair)


def _readings(statement: Statement) -> list[tuple[int, ...]]:
    """Return what only the first pattern that fits may read, these ends by this cue or the cue alone."""
    pattern = statement.pattern
    if pattern is None:
        ends_too = (statement.source, statement.target) if statement.between_clauses else ()
        return [(*ends_too, *statement.cue)]
    ends = sorted((statement.source, statement.target))
    keys = [(*ends, *statement.cue), statement.cue]
    return keys[::-1] if "noun" in (pattern.source, pattern.target) else keys


def open_statements(context: Context, sentence: int) -> Iterator[Statement]:
    """Yield subject, verb and object of every other clause with its own subject; the lemma is the type."""
    tree = context.trees[sentence]
    for verb in range(len(tree)):
        lemma = tree.lemmas[verb]
        if tree.upos[verb] != "VERB" or lemma in LIGHT or not lemma.isalpha() or not _has_subject(tree, verb):
            continue
        if tree.lows[verb] in _PREPOSITIONAL and tree.relations[verb] in ("acl", "amod", "advcl"):
            continue
        sources, targets, type_ = subjects(tree, verb), objects(tree, verb), tree.verb_name(verb)
        own = tree.dependents(verb, "obj")
        if len(own) > 1:  # "gave the movement their support"
            targets = expanded(tree, own[-1:])
        if not targets or (is_passive(tree, verb) and not sources):
            near = (at for at in tree.dependents(verb, "obl") if _close(context, sentence, verb, at))
            complement = next(near, None)
            if complement is None:
                continue
            sources = surface_subjects(tree, verb)
            targets = expanded(tree, resolved_relatives(tree, [complement]))
            case = tree.case_of(complement)
            type_ = place_relation(context, sentence, complement, case) or f"{type_}_{case}"
        for source in sources:
            for target in targets:
                nominal = tree.upos[source] in NOMINAL and tree.upos[target] in NOMINAL
                dated_source = context.name_at(sentence, source)
                timed = is_time(context, sentence, target) or not name_is_not(dated_source, "date")
                if source != target and nominal and not timed:
                    yield Statement(source, target, type_, verb, (verb,), f"open {lemma}", 0.55)


def _has_subject(tree: Tree, verb: int) -> bool:
    """Tell a clause with a subject, or a modifier of a noun, from one whose subject can only be inferred."""
    if tree.dependent(verb, "nsubj") is not None or tree.relations[verb] in ("acl", "amod"):
        return True
    head = tree.heads[verb]
    coordinated = tree.relations[verb] == "conj" and head != verb
    return coordinated and tree.upos[head] == "VERB" and _has_subject(tree, head)


_PREPOSITIONAL = wordset("respecting concerning regarding touching considering excepting including following")
_MANNER = words("relations.manner")
MOST_BETWEEN = 3
"""Tokens from a verb to the preposition of what completes it."""
_BOUND = wordset("in on at to from with into against over through upon about under toward towards among")


_BELIEVING = words("relations.believing")


def _close(context: Context, sentence: int, verb: int, oblique: int) -> bool:
    tree = context.trees[sentence]
    marker, case = tree.dependent(oblique, "case"), tree.case_of(oblique)
    if marker is None or tree.words[marker - 1] == "," or not 0 < marker - verb <= MOST_BETWEEN:
        return False
    bound = case not in ("in", "at") or tree.lemmas[verb] in _BELIEVING
    placed = bool(place_relation(context, sentence, oblique, case))
    return tree.lemmas[oblique] not in _MANNER and case in _BOUND and (bound or placed)


def _add(
    context: Context, sentence: int, statement: Statement, weighed: Mapping[tuple[int, int], Arc] | None
) -> bool:
    """Add a statement if its ends and its tree can be relied on; tell whether its words are spoken for.

    The confidence of a causal one is how sure the trained reader is of it, where there is one.
    """
    tree = context.trees[sentence]
    ends = _ends(context, sentence, statement)
    if ends is None or not _fits(statement, *ends):
        return False
    source, target = ends
    if statement.type == "holds_office" and not {"person", "name"} <= types_of(source):
        statement = replace(statement, type="is_a")
    sure = min(source.confidence, target.confidence)
    if sure < DOUBTFUL:
        return False
    stance = Stance(False, "fact") if statement.in_passing else stance_of(tree, statement.anchor)
    by_words = None if statement.pattern is None else statement.pattern.modality
    modality = by_words or _modality(tree, statement, stance)
    denied = _is_denied(tree, statement, stance)
    if weighed is None:
        confidence = statement.confidence * sure * (0.8 if modality == "modal" else 1.0)
    else:
        arc = weighed.get((statement.source, statement.target))
        confidence = chance_of(tree, statement, ends, arc, denied=denied, modality=modality)
        if confidence < LIKELY:
            return False
    speaker = statement.speaker if statement.speaker is not None else stance.speaker
    put = Stance(denied, modality, speaker)
    doubtful = weighed is not None and confidence < SURE
    _note(context, sentence, statement, ends, put, confidence, doubtful=doubtful)
    return True


def _add_arc(context: Context, sentence: int, statement: Statement, arc: Arc) -> bool:
    """Add what only the trained reader sees, if its ends name something."""
    tree = context.trees[sentence]
    ends = _ends(context, sentence, statement, read=True)
    if ends is None or not _fits(statement, *ends) or _compares(tree, statement):
        return False
    stance = stance_of(tree, statement.anchor)
    seen = arc.denied and stance.modality != "asked" and _may_deny(tree, statement)
    denied = seen or _is_arc_denied(tree, statement, stance, arc)
    modality = _modality(tree, statement, stance)
    modality = arc.modality if modality == "fact" else modality
    confidence = chance_of(tree, statement, ends, arc, denied=denied, modality=modality)
    if confidence < LIKELY:
        return False
    put = Stance(denied, modality, stance.speaker)
    _note(context, sentence, statement, ends, put, confidence, doubtful=confidence < SURE)
    return True


def _compares(tree: Tree, statement: Statement) -> bool:
    """Tell "as practical as they were patriotic" and "as it lights, so it should" from a reason."""
    ends = (statement.source, statement.target)
    marked = [end for end in ends if tree.mark_of(end) == "as"]
    others = [end for end in ends if end not in marked]
    return len(marked) == 1 and any(tree.has_word(end, ("as", "so"), "advmod") for end in others)


def _may_deny(tree: Tree, statement: Statement) -> bool:
    """Tell whether any word could deny what is stated: none denies it in "she sat still and said nothing"."""
    within = tree.subtree(tree.heads[statement.anchor])
    if statement.between_clauses:
        below = {*tree.subtree(statement.source), *tree.subtree(statement.target)}
        within = [token for token in within if token not in below] if statement.anchor in below else within
    return any(tree.lows[token] in NEGATIVE or tree.lemmas[token] in DENYING for token in within)


def _is_arc_denied(tree: Tree, statement: Statement, stance: Stance, arc: Arc) -> bool:
    """Tell what the words deny, which the trained reader often does not see: "is not", "denied that"."""
    anchor, target = statement.anchor, statement.target
    joined_by_denial = arc.type != "open" and anchor < min(statement.source, target)
    ruled_out = tree.lemmas[anchor] == "rule" and tree.lows[anchor + 1 : anchor + 2] == ["out"]
    if joined_by_denial and (tree.lemmas[anchor] in DENYING or ruled_out):
        return True
    between = [target, *itertools.takewhile(lambda token: token != anchor, tree.ancestors(target))]
    if any(tree.mark_of(token) == "without" for token in between):
        return True
    says = not statement.between_clauses and tree.dependent(target, "cop") is not None
    return (says and tree.is_negated(target)) or _is_denied(tree, statement, stance)


def _note(
    context: Context,
    sentence: int,
    statement: Statement,
    ends: tuple[End, End],
    stance: Stance,
    confidence: float,
    *,
    doubtful: bool,
) -> None:
    tree = context.trees[sentence]
    source, target = reversed(ends) if _names_what(tree, statement) else ends
    places = {"cue": tree.span(statement.cue), "source": source.span, "target": target.span}
    starts, stops = zip(*places.values(), strict=True)
    context.findings.assertion(
        context.mention_of(sentence, source),
        context.mention_of(sentence, target),
        statement.type,
        context.reading.sentences[sentence],
        cue=f"{tree.language}:{statement.name}",
        span=(min(starts), max(stops)),
        confidence=confidence,
        doubtful=doubtful,
        negated=stance.negated,
        is_causal=statement.is_causal,
        modality=stance.modality,
        speaker=_speaker_name(context, sentence, stance.speaker),
        **{f"{part}_start": start for part, (start, _) in places.items()},
        **{f"{part}_end": end for part, (_, end) in places.items()},
    )


def _names_what(tree: Tree, statement: Statement) -> bool:
    """Tell "the capital is Georgetown": the name is an instance of what comes first."""
    first, last = statement.source, statement.target
    says = tree.heads[last] if tree.relations[last] == "conj" else last
    named = tree.upos[last] == "PROPN" and tree.feature(last, "Number") != "Plur"
    named = named and tree.upos[first] == "NOUN" and not tree.has_word(last, ("a", "an"), "det")
    return statement.type == "is_a" and named and tree.dependent(says, "cop") is not None


def _modality(tree: Tree, statement: Statement, stance: Stance) -> Modality:
    """Return how a statement is put, which its words may also tell: "a proposed cause", "as if by"."""
    if statement.between_clauses:
        modality = of_link(tree, stance, statement.source, statement.target)
        so_that = statement.pattern is not None and statement.name == "so that"
        meant = so_that and modality == "fact" and is_purpose(tree, statement.source, statement.target)
        return "modal" if meant else modality
    if stance.modality in PUT_FORWARD and any(
        tree.lows[mark] in ("as", "if") and tree.lows[mark + 1] in ("if", "though", "by")
        for end in (statement.source, statement.target)
        for mark in tree.dependents(tree.heads[end] if tree.relations[end] == "conj" else end, "mark")
        if mark + 1 < len(tree)
    ):
        return "hypothetical"
    proposed = tree.has_word(statement.cue[0], _PROPOSED, "amod")
    return "modal" if proposed and stance.modality == "fact" else stance.modality


_PROPOSED = words("relations.proposed")


def _is_denied(tree: Tree, statement: Statement, stance: Stance) -> bool:
    if statement.between_clauses:
        return statement.denied != is_denied_from_above(tree, statement.anchor)
    pattern = statement.pattern
    if statement.target == statement.anchor and pattern is not None and pattern.source_word:
        return False  # "I could not sleep for the noise"
    of_end = _is_said_of_end(tree, statement)
    aside = any(is_set_aside(tree, end) for end in (statement.source, statement.target))
    asked = aside and stance.modality == "asked"  # "does not smoking cause it?" expects that it does
    if statement.denied and not (of_end or asked):
        return True
    if tree.deprels[statement.anchor] == "acl:relcl" and not stance.negated:
        return _is_denied_beside(tree, statement)
    ends = (statement.source, statement.target)
    turned = statement.anchor not in statement.cue and tree.lemmas[statement.anchor] in DENYING
    meant = any(tree.lows[joint] == "but" for end in ends for joint in tree.dependents(end, "cc"))
    denied = stance.negated and not _is_given(tree, statement)
    cue = statement.cue[0]
    denied ^= cue != statement.anchor and tree.upos[cue] == "ADJ" and tree.is_negated(cue)
    if (aside and not (of_end or asked)) or (denied != turned and not meant):
        return True
    return any(_empty_end(tree, end, statement.anchor) for end in ends)


def _is_denied_beside(tree: Tree, statement: Statement) -> bool:
    """Tell whether a relative clause is denied by its noun: not in "we are not its author, who writes it"."""
    head = tree.heads[statement.anchor]
    if says_it_is(tree, head) and is_set_aside(tree, statement.source):
        return True  # "it is not want that makes them so, but envy"
    ends = (end for end in (statement.source, statement.target) if end != head)
    return any(_empty_end(tree, end, statement.anchor) for end in ends)


def _is_said_of_end(tree: Tree, statement: Statement) -> bool:
    """Tell "not with a reluctance encouraged by" and "not till the war, which brought": the clause stands."""
    anchor = statement.anchor
    if tree.relations[anchor] != "acl" or tree.heads[anchor] not in (statement.source, statement.target):
        return False
    first = min(tree.subtree(anchor, ("punct",)))
    beside = tree.words[first - 1] == "," and tree.lows[first] != "that"
    return tree.deprels[anchor] == "acl" or beside


def _is_given(tree: Tree, statement: Statement) -> bool:
    """Tell a noun's relation, which a denial around it leaves alone: "her son Ben did not stay"."""
    noun = statement.anchor
    joined = tree.upos[noun] in ("NOUN", "PROPN") and tree.dependent(noun, "cop") is None
    around = tree.relations[noun] in ("nsubj", "nmod", "obl", "appos")
    return joined and around and not tree.is_negated(noun)


def _ends(
    context: Context, sentence: int, statement: Statement, *, read: bool = False
) -> tuple[End, End] | None:
    """Return both ends of a statement, None where one names nothing or they are one and the same.

    What a trained reader has `read` is taken as it is, where a pattern would doubt that the tree is right.
    """
    first, second, cue, clause = statement.source, statement.target, statement.cue, statement.between_clauses
    source = _end(context, sentence, first, _barred(cue, first, second), clause=clause, read=read)
    target = _end(context, sentence, second, _barred(cue, second, first), clause=clause, read=read)
    source = _borne(context, sentence, statement, source, first, second)
    target = _borne(context, sentence, statement, target, second, first)
    if source is None or target is None:
        return None
    apart = source.span[1] <= target.span[0] or target.span[1] <= source.span[0]
    return (source, target) if apart else None


def _barred(cue: tuple[int, ...], end: int, other: int) -> tuple[int, ...]:
    """Return what no phrase of an end holds; the cue "for want of" holds an end that goes on after it."""
    return (other, *(token for token in cue if end not in cue or token < end))


def _borne(
    context: Context, sentence: int, statement: Statement, end: End | None, token: int, other: int
) -> End | None:
    """Put the name that bears a description in the place of the description's phrase."""
    if end is None:
        return end
    if statement.is_causal:
        return _owned(context, sentence, token, end)
    if end.mention is not None:
        name = named_before(context, end.mention) if end.mention.attributes.get("noun_phrase") else None
    else:
        kind = token == statement.target and statement.type in _DESCRIBING
        name = None if kind else bearer(context, sentence, token, other)
    return end if name is None else replace(end, name=name.name, mention=name)


def _owned(context: Context, sentence: int, token: int, end: End) -> End:
    """Say whose a bare noun is: "its loss" is the loss of what "it" stands for."""
    tree = context.trees[sentence]
    owner = next((c for c in tree.dependents(token, "nmod") if tree.deprels[c] == "nmod:poss"), None)
    reference = None if owner is None else context.references.get((sentence, owner))
    if end.mention is not None or reference is None or reference.confidence < UNSURE or " of " in end.name:
        return end
    return replace(end, name=f"{end.name} of {reference.mention.name}")


_DESCRIBING = frozenset({"is_a", "holds_office", "has_value"})


def _empty_end(tree: Tree, token: int, anchor: int) -> bool:
    first = tree.heads[token] if tree.relations[token] == "conj" else token  # "no clause or sentence"
    listed = tree.conjuncts(first)
    of = [noun for member in listed for noun in tree.dependents(member, "nmod") if tree.case_of(noun) == "of"]
    return anchor not in (token, first) and any(  # "the property and peace of no section"
        tree.words[child] in ("no", "neither") and tree.relations[child] in ("det", "cc")
        for holder in dict.fromkeys((token, first, *of))
        for child in tree.children[holder]
    )


def _fits(statement: Statement, source: End, target: End) -> bool:
    """Tell whether the ends are what the relation holds between."""
    pattern = statement.pattern
    if statement.is_causal and any("date" in types_of(end) for end in (source, target)):
        return False
    if pattern is None:
        return True
    may = [(source, pattern.source_is), (target, pattern.target_is)]
    fits = all(not types or not types_of(end).isdisjoint(types) for end, types in may)
    return fits and types_of(source).isdisjoint(pattern.source_not)


def _end(
    context: Context,
    sentence: int,
    token: int,
    others: Sequence[int],
    *,
    clause: bool = False,
    read: bool = False,
) -> End | None:
    """Return an end, None where it names nothing: an unresolved pronoun, a vague noun alone."""
    tree = context.trees[sentence]
    token = antecedent(tree, token)
    if is_address(tree, token):
        return None
    reference = context.references.get((sentence, token))
    if reference is None:
        says = says_something(tree, token, clause=clause)
        if context.name_at(sentence, token) is None and not (says or (read and tree.upos[token] != "PRON")):
            return None
        if is_vague(tree, token, others):
            return None
    elif is_doubtful(tree, token, reference):
        return None
    end = context.end(sentence, token, others=others, clause=clause)
    first = tree.range_of(*end.span)[0]
    bare = end.name.lower().startswith(tree.lows[first]) and tree.dependent(token, "nsubj", "csubj") is None
    opens = tree.upos[first] == "AUX" and bare and not tree.lows[first].endswith("ing")
    if end.mention is None and first != token and (opens or tree.lows[first] in RELATIVE_PRONOUNS):
        return None  # "which our forefathers conquered", "are tried in this mode"
    doubted = end.mention is None and not read
    cut = doubted and is_cut_off(tree, token, *end.span, others, clause=clause)
    return None if cut else end


def is_address(tree: Tree, token: int) -> bool:
    """Tell somebody spoken to between commas: ", fellow-citizens,", ", my friends,"."""
    if tree.relations[token] == "vocative":
        return True
    if tree.lemmas[token] not in _ADDRESSED and tree.lows[token] not in _ADDRESSED:
        return False
    first = token
    while first and tree.lows[first - 1] in _ADDRESSING:
        first -= 1
    opens = first == 0 or tree.words[first - 1] in _ASIDE or "fellow" in tree.lows[first:token]
    return opens and tree.words[token + 1 : token + 2] in ([","], [";"], ["."], ["!"], [":"], ["--"], ["—"])


_ASIDE = frozenset({",", ";", ":", "--", "—", "(", '"', "“"})
_ADDRESSING = wordset("my our fellow dear good ladies and")
_ADDRESSED = words("relations.addressed")


def _speaker_name(context: Context, sentence: int, token: int | None) -> str | None:
    if token is None:
        return None
    end = context.end(sentence, token)
    is_noun = context.trees[sentence].upos[token] in ("NOUN", "PROPN")
    return end.name if end.mention is not None or is_noun else None
