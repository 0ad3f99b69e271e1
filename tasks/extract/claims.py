"""Claims, who makes them, and how they bear on each other."""

import re
from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass

from corpusgraph.schemas.base import stable_id
from corpusgraph.schemas.evidence import ArgumentRelation, Claim
from corpusgraph.tasks.extract.arguments import Statement, announcement, connective_of, find_arguments
from corpusgraph.tasks.extract.clauses import (
    DENYING,
    HOLDING,
    MODALS,
    OPINION,
    SAYING,
    SHOWING,
    STATEMENTS,
    WRONG,
    Clause,
    called_wrong,
    clauses_of,
    is_past,
    owner_of,
    subject_of,
)
from corpusgraph.tasks.extract.context import Context
from corpusgraph.tasks.extract.ends import phrase_span
from corpusgraph.tasks.extract.quotations import Quotation, Turn, quotations, turns
from corpusgraph.tasks.extract.rules.findings import EXTRACTOR
from corpusgraph.tasks.extract.tree import NEGATIVE, Tree, squeezed
from corpusgraph.tasks.text.wordlist import words, wordset

ARGUMENTATIVE = 0.3
"""Share of clauses with a modal, a judgement or a connective above which a text is read as an argument."""
FEWEST = 5
"""Clauses below which a text is too short to be called one."""
CLAIM = 0.6
"""Strength from which a clause is a claim in any text."""
WEAK = 0.4
"""Strength from which it is one in an argument."""
NEAR = 3
"""A pronoun stands for a person named at most so many sentences before."""
REACH = 160
"""Characters between two quotations of one speaker."""

_PRESCRIBING = wordset("must should ought cannot need")
_SUPPOSING = words("claims.supposing")
_SEEMING = wordset("seem appear tend")
_CAUSING = words("claims.causing")
_LEADING = {"lead": "to", "result": "in", "end": "in", "contribute": "to", "depend": "on"}
_CAUSED = ("because of", "owing to", "due to", "due in", "on account of", "by reason of", "thanks to")
_JUDGING = words("claims.judging")
_JUDGED = words("claims.judged")
_MORE = wordset("more most less least")
_NOBODY = wordset("nobody none no-one nothing neither")
_HE = frozenset({"he", "she"})
_WRITER = frozenset({"i", "we"})
_BACKING = wordset("support confirm justify back warrant")
_SOME = wordset("some others many most few several all both one any everybody everyone people who they it")
_RANKING = re.compile(
    r"\bone of the (?:most \w+|(?!west\b|east\b)\w{2,}est)\b"
    r"|\b(?:turning point|landmark|milestone|watershed|masterpiece)\b"
    r"|\bby far the \w+"
)
"""What ranks or judges in passing: "one of the oldest", "marked a turning point"."""
_RHETORICAL = re.compile(
    r"^(?:and |but |or )?"
    r"(?:is|are|was|were|do|does|did|has|have|can|could|will|would|must|should|ought|may|might) "
    r"(?:\S+ ){0,6}?(?:not|n't|no|any|ever|never)\b|"
    r"^(?:and |but |or )?who (?:\S+ )?(?:can|could|would|will|does|ever|doubts|denies)\b|"
    r"^(?:and |but |or )?what (?:\S+ )?(?:can|could|would) (?:be )?(?:more|better|worse)\b|"
    r"^(?:and |but |or )?(?:can|could) (?:it|we|anyone|any)\b"
)


def find_claims(context: Context) -> tuple[list[Claim], list[ArgumentRelation]]:
    """Return the claims of a document in text order, and the support and attack between them."""
    statements = _all_statements(context.trees)
    _attribute(context, statements)
    causal = _causal_places(context)
    for statement in statements:
        statement.strength, statement.cue = _strength(context, statement, causal)
        statement.denies = _denies(statement)
    argues = _argues(statements)
    for statement in statements:
        least = WEAK if argues and not statement.spoken else CLAIM
        if not statement.superseded and statement.strength >= least:
            statement.claim = _claim(context, statement)
    arguments = find_arguments(context, statements, lambda statement: _claim(context, statement))
    claims = {statement.claim.id: statement.claim for statement in statements if statement.claim is not None}
    return sorted(claims.values(), key=lambda claim: (claim.start, claim.end)), arguments


def _all_statements(trees: Sequence[Tree]) -> list[Statement]:
    """Return what is stated, sentence by sentence; "Not so." only says how the next statement bears on it."""
    statements: list[Statement] = []
    before = ""
    for sentence, tree in enumerate(trees):
        clauses = clauses_of(tree, sentence)
        alone = announcement(tree.lows[:-1]) if len(clauses) < 2 else ""
        if not alone:
            connectives = [connective_of(c, "" if number else before) for number, c in enumerate(clauses)]
            statements += _statements(tree, list(map(Statement, clauses, connectives)))
        before = alone
    return statements


def _statements(tree: Tree, statements: list[Statement]) -> list[Statement]:
    """Join what a sentence states, clause by clause; the verb of saying is no statement of its own."""
    of = {id(statement.clause): statement for statement in statements}
    for statement in statements:
        clause = statement.clause
        matrix = statement.parent = of.get(id(clause.parent))
        said = clause.kind == "said" and clause.verb is not None and tree.lemmas[clause.verb] in SAYING
        if said and matrix is not None and clause.verb == matrix.clause.head:
            matrix.superseded = True
            statement.connective = statement.connective or matrix.connective
    return statements


# Who says it


@dataclass(frozen=True, slots=True)
class Voice:
    """Who says something; `name` is None where the text does not name them."""

    name: str | None
    reported: bool
    denied: bool = False
    wrongly: bool = False
    cue: str = ""
    strength: float = 0.0


def _attribute(context: Context, statements: Sequence[Statement]) -> None:
    writer = _author(context)
    spoken = turns(context.document.text)
    spans = quotations(context.document.text)
    voices = _quoting(context, spans) if spans else {}
    starts = [span.start for span in spans]
    for statement in sorted(statements, key=lambda s: s.clause.kind == "reason"):
        clause = statement.clause
        speaker = _turn(context, spoken, clause)
        statement.spoken, author = speaker is not None, speaker or writer
        voice = _said(context, clause) or _according(context, clause) or _ascribes(context, clause)
        quote = bisect_right(starts, clause.start) - 1
        if quote >= 0 and clause.end <= spans[quote].end + 1:
            name = voices.get(quote)
            inner = clause.verb is not None and clause.tree.starts[clause.verb] in range(*spans[quote])
            if (name is not None and not inner) or voice is None or not voice.name:
                voice = Voice(name, True, cue="quotation")
        if clause.kind == "reason" and statement.parent is not None and voice is None:
            statement.speaker, statement.reported = statement.parent.speaker, statement.parent.reported
            continue
        connective = statement.connective.kind if statement.connective is not None else ""
        if voice is None and connective == "objection":
            voice = Voice(None, True, cue="objection", strength=0.65)
        elif voice is not None and connective == "answer" and not voice.name:
            voice = None
        statement.speaker = author
        if voice is None:
            continue
        if voice.reported:
            statement.speaker = voice.name
        statement.reported, statement.voice, statement.strength = voice.reported, voice.cue, voice.strength
        statement.denied, statement.wrongly = voice.denied, voice.wrongly
        if voice.wrongly:
            _refute(statement, author)


def _turn(context: Context, spoken: Sequence[Turn], clause: Clause) -> str | None:
    """Return who speaks in the line that a clause stands in; leave the heads of lines out of the clause."""
    tree = clause.tree
    place = bisect_right(spoken, tree.starts[clause.head], key=lambda turn: turn.name[0]) - 1
    if place < 0:
        return None
    turn = spoken[place]
    within = [t for t in clause.tokens if turn.start <= tree.starts[t] < turn.end]
    while within and tree.upos[within[-1]] == "PUNCT":
        within.pop()
    if within:
        clause.tokens = within
        clause.start, clause.end = max(clause.start, tree.starts[within[0]]), tree.ends[within[-1]]
    named = context.findings.between(*turn.name)
    return named[0].name if named else context.document.text[slice(*turn.name)]


def _refute(statement: Statement, author: str | None) -> None:
    """Let the clause that calls a statement wrong be a claim of the author's, with what it refutes in it."""
    matrix = statement.parent
    if matrix is None or statement.clause.verb is None:
        return
    matrix.superseded, matrix.refutes, matrix.speaker, matrix.reported = False, statement, author, False
    matrix.voice = called_wrong(matrix.clause.tree, statement.clause.verb) or statement.voice
    matrix.strength = CLAIM
    matrix.connective = None
    matrix.clause.start = min(matrix.clause.start, statement.clause.start)
    matrix.clause.end = max(matrix.clause.end, statement.clause.end)


def _author(context: Context) -> str | None:
    author = context.document.metadata.get("author")
    if isinstance(author, list | tuple):
        author = ", ".join(str(name) for name in author)
    return str(author) if author else None


def _said(context: Context, clause: Clause) -> Voice | None:
    """Return whose words a reported clause gives, None where the author vouches for it."""
    verb = clause.verb
    if verb is None:
        return None
    tree = clause.tree
    lemma = tree.lemmas[verb]
    if clause.aside is not None:
        return _beside(context, clause, verb, clause.aside)
    if lemma in STATEMENTS and tree.upos[verb] != "VERB":
        return _held(context, clause, verb)
    if lemma not in SAYING:
        return Voice(None, True, wrongly=True, cue=tree.lows[verb], strength=0.65)
    return _reported(context, clause, verb)


def _beside(context: Context, clause: Clause, verb: int, speaker: int) -> Voice:
    """Read who speaks in an aside: ", Snow argued,"."""
    tree = clause.tree
    name = speaker_name(context, clause.sentence, speaker) or ""
    name = name.partition(f" {tree.words[verb]}")[0]  # where the verb was taken for a part of the name
    return Voice(name or None, True, tree.lemmas[verb] in DENYING, cue=tree.lows[verb], strength=0.65)


def _reported(context: Context, clause: Clause, verb: int) -> Voice | None:
    """Return whose words a verb of saying gives, None of facts that only show."""
    tree = clause.tree
    lemma = tree.lemmas[verb]
    subject = _sayer(tree, verb)
    denied, negated = lemma in DENYING, _negated_saying(tree, verb, subject)
    low = tree.lows[subject] if subject is not None else ""
    mark = tree.mark_of(clause.head)
    strength = 0.8 if lemma in OPINION | DENYING or mark else 0.65
    cue = f"{tree.lows[verb]} {mark}".strip()
    wrongly = bool(called_wrong(tree, verb))
    if wrongly and low in ("", "it"):
        return Voice(None, True, wrongly=True, cue=cue, strength=strength)
    if low in _WRITER or (negated and (low in _NOBODY or low == "it" or subject is None)):
        return Voice(None, False, denied != negated, cue=cue, strength=strength)
    if lemma in SHOWING:
        return None
    name = speaker_name(context, clause.sentence, subject) if subject is not None else None
    denied = denied != (negated and lemma in OPINION | DENYING)
    return Voice(name, True, denied, wrongly, cue, strength)


def _held(context: Context, clause: Clause, noun: int) -> Voice:
    """Read "Farr's theory that ...", "the opinion of Farr that ...", "Snow rejected the claim that ..."."""
    tree, sentence = clause.tree, clause.sentence
    cue = f"{tree.lows[noun]} that"
    owner = owner_of(tree, noun)
    if owner is not None:
        return Voice(speaker_name(context, sentence, owner), True, cue=cue, strength=0.7)
    verb = tree.heads[noun]
    if tree.relations[noun] == "obj" and tree.lemmas[verb] in _BACKING and tree.is_negated(verb):
        return Voice(None, True, wrongly=True, cue=cue, strength=0.65)
    if tree.relations[noun] == "obj" and tree.lemmas[verb] in SAYING | HOLDING:
        subject = _sayer(tree, verb)
        denied = (tree.lemmas[verb] in DENYING) != tree.is_negated(verb)
        if subject is not None:
            writer = tree.lows[subject] in _WRITER
            name = None if writer else speaker_name(context, sentence, subject)
            return Voice(name, not writer, denied, cue=f"{tree.lows[verb]} {cue}", strength=0.7)
    return Voice(None, True, cue=cue, strength=0.6)


def _sayer(tree: Tree, verb: int) -> int | None:
    """Return the subject of a verb of saying; of a passive its agent, of a coordinated verb the first's."""
    for position in (verb, *tree.ancestors(verb)):
        agent = tree.dependent(position, "obl:agent")
        if agent is None and tree.dependent(position, "nsubj:pass") is not None:
            agent = next((o for o in tree.dependents(position, "obl") if tree.case_of(o) == "by"), None)
        if agent is not None:
            return agent
        subject = tree.dependent(position, "nsubj", "expl")
        if subject is not None:
            return subject
        if tree.relations[position] not in ("conj", "xcomp"):
            return None
    return None


def _negated_saying(tree: Tree, verb: int, subject: int | None) -> bool:
    if tree.is_negated(verb):
        return True
    if subject is None:
        return False
    few = tree.has_word(subject, ("no", "few", "neither"), "det", "amod")
    return few or tree.lows[subject] in _NOBODY


def speaker_name(context: Context, sentence: int, subject: int) -> str | None:
    """Return the name of who a subject is; of an unnamed speaker the phrase, of nobody in particular None."""
    tree = context.trees[sentence]
    low = tree.lows[subject]
    reference = context.references.get((sentence, subject))
    if reference is not None and (low not in _HE or reference.mention.type == "person"):
        return reference.mention.name
    name = context.name_at(sentence, subject)
    if name is not None and name.type not in ("date", "quantity"):
        return name.name
    nominal = tree.upos[subject] in ("NOUN", "PROPN") and tree.lemmas[subject] not in STATEMENTS
    return phrase_span(tree, subject)[2] if nominal and low not in _SOME else None


_ASCRIBING = words("claims.ascribing")


def _ascribes(context: Context, clause: Clause) -> Voice | None:
    """Read "Pym blames the outbreak on the stench", what somebody holds in a clause of one predicate."""
    tree, head = clause.tree, clause.head
    subject = tree.dependent(head, "nsubj")
    ascribed = clause.kind == "main" and tree.lemmas[head] in _ASCRIBING
    if not ascribed or subject is None or tree.dependent(head, "obj") is None:
        return None
    reference = context.references.get((clause.sentence, subject))
    name = reference.mention if reference is not None else context.name_at(clause.sentence, subject)
    if name is None or name.type not in ("person", "organisation"):
        return None
    return Voice(name.name, True, cue=tree.lows[head], strength=0.65)


_ACCORDING = re.compile(r"\b(?:according to|in the (?:opinion|view|judgment|judgement|eyes|words) of) ")
_POSSESSED = re.compile(
    r"\bin (?:\S+ ){1,5}(?:'s|’s|s'|his|her|their) (?:opinion|view|judgment|judgement|eyes|words)\b"
)


def _according(context: Context, clause: Clause) -> Voice | None:
    """Read "According to Farr, ..." and "..., in Farr's view", and leave it out at the edges of a clause."""
    tree, tokens = clause.tree, clause.tokens
    text = " ".join(clause.words) + " "
    match = _ACCORDING.search(text) or _POSSESSED.search(text)
    if match is None:
        return None
    first = tokens[0] + text[: match.start()].count(" ")
    inner = first + match[0].strip().count(" ") + 1
    last = next((t for t in range(inner, tokens[-1] + 1) if tree.lows[t] in (",", ";", ".")), tokens[-1] + 1)
    owned = match.re is _POSSESSED
    noun = _topmost(tree, range(first + 1, inner - 1) if owned else range(inner, last))
    rest = [t for t in tokens if not first <= t < (inner if owned else last)]
    said = [t for t in rest if tree.upos[t] != "PUNCT"]
    rest = [t for t in rest if said[0] <= t <= said[-1]] if said else []
    inside = bool(rest) and rest[0] < first < rest[-1]
    if noun is None or len(rest) < 3 or (clause.head not in rest and not owned):
        return None
    if not inside:
        clause.tokens, clause.start, clause.end = rest, tree.starts[rest[0]], tree.ends[rest[-1]]
    name = speaker_name(context, clause.sentence, noun)
    return Voice(name, True, cue=match[0].strip(), strength=0.7)


def _topmost(tree: Tree, positions: range) -> int | None:
    """Return the nominal of some positions that hangs outside of them."""
    nominal = (t for t in positions if tree.upos[t] in ("NOUN", "PROPN", "PRON"))
    return next((t for t in nominal if tree.heads[t] not in positions), None)


def _quoting(context: Context, spans: Sequence[Quotation]) -> dict[int, str | None]:
    """Return the speaker of each quotation; one without a verb of saying goes on with that before it."""
    voices: dict[int, str | None] = {}
    for number, span in enumerate(spans):
        if number in context.sayers:
            voices[number] = speaker_name(context, *context.sayers[number])
        elif number - 1 in voices and span.start - spans[number - 1].end <= REACH:
            voices[number] = voices[number - 1]
    return voices


# What makes a clause a claim


_NONE = (0.0, "")
"""The strength of what is no claim, and no words that would tell one."""


def _strength(context: Context, statement: Statement, causal: Sequence[tuple[int, int]]) -> tuple[float, str]:
    """Return how surely a clause puts forward something disputable, and the words that tell."""
    clause = statement.clause
    after = clause.tree.document_text[clause.end : clause.end + 1]
    if after == "?" or clause.tree.words[-1].endswith("?"):
        return _question(statement)
    if statement.voice and statement.strength:
        report = statement.strength < 0.8 and _dated(context, clause)
        return (0.3 if report else statement.strength), statement.voice
    past = is_past(clause.tree, clause.head)
    ranking = _RANKING.search(" ".join(clause.words))
    kinds = [
        _modality(clause),
        (CLAIM, ranking[0]) if ranking is not None else _NONE,
        _judgement(clause),
        _causality(context, clause, causal),
        (0.65, statement.connective.cue) if statement.connective and not past else _NONE,
        _thesis(clause),
    ]
    strength, cue = max(kinds, key=lambda kind: kind[0])
    return (strength, cue) if strength >= CLAIM or not past or not _dated(context, clause) else _NONE


def _question(statement: Statement) -> tuple[float, str]:
    opening = " ".join(statement.clause.words[:12])
    return (CLAIM, "rhetorical question") if _RHETORICAL.match(opening) else _NONE


def _dated(context: Context, clause: Clause) -> bool:
    return any(m.type == "date" for m in context.names_in(clause.sentence, clause.start, clause.end))


def _modality(clause: Clause) -> tuple[float, str]:
    tree = clause.tree
    words = [tree.lows[aux] for aux in tree.dependents(clause.head, "aux")] + [tree.lemmas[clause.head]]
    for word in words:
        if word in _PRESCRIBING:
            return 0.7, word
    if tree.lemmas[clause.head] in _SEEMING and tree.dependents(clause.head, "xcomp", "ccomp", "csubj"):
        return 0.6, tree.lows[clause.head]
    for word in (*words, *(tree.lows[adverb] for adverb in tree.dependents(clause.head, "advmod"))):
        if word in _SUPPOSING:
            return 0.6, word
    modal = next((word for word in words if word in MODALS), "")
    return (0.45, modal) if modal else _NONE


def _judgement(clause: Clause) -> tuple[float, str]:
    """Read evaluating and comparing predicates: "is unjust", "is more dangerous than", "is a mistake"."""
    tree, head = clause.tree, clause.head
    if not tree.dependents(head, "cop"):
        return _NONE
    if tree.lemmas[head] in _JUDGING or tree.lemmas[head] in _JUDGED or tree.lows[head] in _JUDGING:
        return 0.65, tree.lows[head]
    for word in (head, *tree.dependents(head, "advmod", "amod")):
        if tree.feature(word, "Degree") in ("Cmp", "Sup") or tree.lows[word] in _MORE:
            return (0.5 if is_past(tree, head) else 0.6), tree.lows[word]
        if word != head and tree.lemmas[word] in _JUDGING:
            return 0.6, tree.lows[word]
    return (0.45, "judgement") if tree.upos[head] == "ADJ" and not is_past(tree, head) else _NONE


def _causal_places(context: Context) -> list[tuple[int, int]]:
    stated = context.findings.assertions.values()
    return sorted((a.start, a.end) for a in stated if a.is_causal and not a.doubtful)


def _causality(context: Context, clause: Clause, causal: Sequence[tuple[int, int]]) -> tuple[float, str]:
    tree, head = clause.tree, clause.head
    text = " ".join(clause.words)
    for phrase in _CAUSED:
        if f" {phrase} " in f" {text} ":
            return 0.6, phrase
    dated = _dated(context, clause)
    at = bisect_right(causal, (clause.start, clause.start))
    if at < len(causal) and causal[at][1] <= clause.end and not dated:
        return 0.6, "causal statement"
    lemma = tree.lemmas[head]
    cases = map(tree.case_of, tree.dependents(head, "obl"))
    leads = lemma in _LEADING and _LEADING[lemma] in cases
    if not dated and (leads or (lemma in _CAUSING and tree.dependent(head, "obj", "nsubj:pass") is not None)):
        return 0.6, tree.lows[head]
    because = next((c for c in tree.dependents(head, "advcl") if tree.mark_of(c) == "because"), None)
    return (0.6, "because") if because is not None else _NONE


def _thesis(clause: Clause) -> tuple[float, str]:
    """Read the present and perfect of a text that argues as thesis, not as report."""
    tree, head = clause.tree, clause.head
    subject = subject_of(tree, head)
    if is_past(tree, head) or (subject is not None and tree.lows[subject] in ("i", "you")):
        return _NONE  # a report, also of oneself
    if _is_negated(tree, head) and subject is not None:
        return CLAIM, "not"
    general = not _GENERAL.isdisjoint(tree.lows[position] for position in clause.tokens)
    return (0.45 if general else WEAK), "statement in an argument"


_GENERAL = wordset("never always every no all")


def _denies(statement: Statement) -> bool:
    """Tell whether a clause is negated, calls something false, or is what somebody denies."""
    clause = statement.clause
    tree, head = clause.tree, clause.head
    if statement.denied:
        return True
    if tree.lows[-1] == "?":
        return False
    subject = subject_of(tree, head)
    nobody = subject is not None and tree.lows[subject] in _NOBODY | NEGATIVE
    negated = _is_negated(tree, head) or nobody
    untrue = tree.lows[head] in WRONG or (tree.lemmas[head] in DENYING and negated)
    return negated != untrue


def _is_negated(tree: Tree, head: int) -> bool:
    """Leave out "not only", which affirms."""
    only = any(
        tree.lows[child] == "not" and tree.lows[child + 1 : child + 2] in (["only"], ["merely"], ["simply"])
        for child in tree.dependents(head, "advmod")
    )
    return tree.is_negated(head) and not only


def _argues(statements: Sequence[Statement]) -> bool:
    """Tell an argument from a report by how many of its clauses judge, suppose or conclude."""
    own = [statement for statement in statements if not statement.superseded]
    strong = sum(statement.strength > WEAK for statement in own)
    return len(own) >= FEWEST and strong >= ARGUMENTATIVE * len(own)


def _claim(context: Context, statement: Statement) -> Claim:
    clause = statement.clause
    document, findings = context.document, context.findings
    return Claim(
        id=stable_id("clm", document.id, clause.start, clause.end, EXTRACTOR),
        text=squeezed(document.text[clause.start : clause.end]),
        speaker=statement.speaker,
        stance="denies" if statement.denies else "asserts",
        entities=tuple(mention.id for mention in findings.between(clause.start, clause.end)),
        confidence=round(max(statement.strength, WEAK), 3),
        cue=statement.cue or statement.clause.cue or "statement in an argument",
        **findings.where(clause.start, clause.end, context.reading.sentences[clause.sentence]),
    )
