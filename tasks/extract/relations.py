"""The relations that a sentence states: patterns over its tree, and open subject-verb-object statements."""

from collections.abc import Iterator, Sequence

from corpusgraph.tasks.extract.constructions import constructed
from corpusgraph.tasks.extract.context import Context, End
from corpusgraph.tasks.extract.matching import Statement, stated
from corpusgraph.tasks.extract.patterns import Pattern, Patterns
from corpusgraph.tasks.extract.roles import (
    antecedent,
    expanded,
    is_passive,
    objects,
    resolved_relatives,
    subjects,
    surface_subjects,
)
from corpusgraph.tasks.extract.stance import DENYING, stance_of
from corpusgraph.tasks.extract.tree import NOMINAL, Tree
from corpusgraph.tasks.index.rules.wordlist import wordset

LONG, FAR, FAR_CLAUSE = 35, 14, 30
"""Tokens of a long sentence, and how far an end may be from the words that join it there."""
LIGHT = frozenset(
    [
        "be",
        "have",
        "do",
        "get",
        "make",
        "take",
        "give",
        "go",
        "come",
        "let",
        "seem",
        "appear",
        "become",
        "remain",
        "keep",
        "put",
        "set",
        "want",
        "need",
        "try",
        "begin",
        "start",
        "continue",
        "stop",
        "end",
        "help",
        "use",
        "say",
        "tell",
        "ask",
        "think",
        "know",
        "believe",
        "see",
        "hear",
        "feel",
        "find",
        "show",
        "mean",
        "hope",
        "wish",
        "like",
        "call",
        "name",
        "suppose",
        "expect",
        "consider",
        "regard",
    ]
)
"""Verbs that say too little to be a relation of their own."""
_VAGUE = frozenset(
    [
        "way",
        "time",
        "part",
        "kind",
        "sort",
        "case",
        "fact",
        "thing",
        "day",
        "year",
        "month",
        "week",
        "hour",
        "manner",
        "respect",
        "degree",
        "point",
        "number",
        "deal",
        "lot",
        "order",
        "regard",
        "hand",
        "side",
        "one",
        "example",
        "instance",
        "account",
        "reason",
        "place",
        "view",
        "end",
        "something",
        "anything",
        "nothing",
        "everything",
        "other",
        "someone",
        "anyone",
        "everyone",
        "nobody",
        "none",
    ]
)
_CONTRAST = ("but", "rather than", "instead of", "not")


def find_relations(context: Context, sentence: int, patterns: Patterns) -> None:
    """Add the assertions of a sentence to the findings."""
    tree = context.trees[sentence]
    statements = list(stated(tree, patterns))
    taken = {token for statement in statements for token in statement.cue}
    statements += list(constructed(tree))
    statements += [statement for statement in located(tree) if statement.cue[0] not in taken]
    statements += [statement for statement in open_statements(tree) if statement.cue[0] not in taken]
    statements += list(described(tree))
    for statement in statements:
        _add(context, sentence, statement)


def described(tree: Tree) -> Iterator[Statement]:
    """Yield what something is said to be: "X is a Y", "X, a Y", "the Y X"."""
    for token in range(len(tree)):
        if tree.upos[token] not in ("NOUN", "PROPN") or tree.case_of(token):
            continue
        copula, head = tree.dependent(token, "cop"), tree.heads[token]
        if copula is not None and tree.lemmas[copula] == "be":
            for subject in surface_subjects(tree, token):
                for predicate in tree.conjuncts(token):
                    if tree.upos[predicate] in ("NOUN", "PROPN"):
                        yield Statement(subject, predicate, "is_a", token, (copula,), "be", 0.7)
        elif tree.relations[token] == "appos" and _named_and_common(tree, head, token):
            if tree.words[min(tree.subtree(token, ("punct",))) - 1] in (",", "(", "—", "–", "--"):
                source, target = (head, token) if tree.upos[head] == "PROPN" else (token, head)
                yield Statement(source, target, "is_a", token, (token,), "apposition", 0.6)
        elif _is_title(tree, token):
            yield Statement(head, token, "is_a", head, (token,), "title", 0.6)


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
            elif tree.relations[token] == "nmod" and tree.upos[tree.heads[token]] in ("NOUN", "PROPN"):
                yield Statement(
                    tree.heads[token], token, type_, token, (tree.dependents(token, "case")[0],), "in", 0.5
                )


def open_statements(tree: Tree) -> Iterator[Statement]:
    """Yield subject, verb and object of every other clause with its own subject; the lemma is the type."""
    for verb in range(len(tree)):
        lemma = tree.lemmas[verb]
        if tree.upos[verb] != "VERB" or lemma in LIGHT or not lemma.isalpha() or not _has_subject(tree, verb):
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
                if source != target and nominal:
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


def _close(tree: Tree, verb: int, oblique: int) -> bool:
    return 0 < oblique - verb <= 8 and tree.case_of(oblique) in _BOUND


def _add(context: Context, sentence: int, statement: Statement) -> None:
    tree = context.trees[sentence]
    clause = statement.between_clauses
    if statement.is_causal and _is_far(tree, statement):
        return
    source = _end(context, sentence, statement.source, (statement.target, *statement.cue), clause=clause)
    target = _end(
        context,
        sentence,
        statement.target,
        (statement.source, *statement.cue),
        statement.along,
        clause=clause,
    )
    if (
        source is None
        or target is None
        or (source.span[0] < target.span[1] and target.span[0] < source.span[1])
    ):
        return
    pattern = statement.pattern
    if pattern is not None and not _fits(pattern, source, target):
        return
    stance = stance_of(tree, statement.anchor)
    modality = pattern.modality if pattern is not None and pattern.modality else stance.modality
    negated = statement.denied
    if not statement.between_clauses:
        turned = statement.anchor not in statement.cue and tree.lemmas[statement.anchor] in DENYING
        meant = any(tree.lows[joint] == "but" for joint in tree.dependents(statement.source, "cc"))
        denied = stance.negated != turned and not meant
        ends = (statement.source, statement.target)
        negated = negated or denied or any(_empty_end(tree, token, statement.anchor) for token in ends)
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
    if pattern.is_causal and _is_of(target, ("date",)):
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
