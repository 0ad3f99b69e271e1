"""Support and attack between the claims of a document.

Support needs a stated reason, attack an explicit rebuttal or contradiction. "But" and "however" are neither.
Where the text does not tell, there is no link.
"""

import re
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Literal, NamedTuple

from corpusgraph.schemas.base import stable_id
from corpusgraph.schemas.evidence import ArgumentRelation, Assertion, Claim
from corpusgraph.tasks.extract.clauses import (
    OBJECTING,
    STATEMENTS,
    Clause,
    is_past,
    owner_of,
    subject_of,
)
from corpusgraph.tasks.extract.context import Context
from corpusgraph.tasks.extract.tree import Tree
from corpusgraph.tasks.index.rules.findings import EXTRACTOR
from corpusgraph.tasks.index.rules.wordlist import wordset

BACK = 2
"""A connective reaches a claim at most so many sentences back."""
OBJECTION_BACK = 3
"""An answer reaches an objection at most so many sentences back."""
SPEAKER_BACK = 12
"""A verdict on somebody's argument reaches what they claim at most so many sentences back."""
EXAMPLES = 4
"""How many claims before "these examples show" are the examples, at most."""
MOST_OPPOSED = 8
"""What is stated over and over is opposed to the nearest denials only."""
ENUMERATED = 10
"""Sentences back within which "for these reasons" finds its reasons."""

_CONFIDENCE = {
    "because": 0.8,
    "inasmuch as": 0.7,
    "seeing that": 0.7,
    "given that": 0.65,
    "since": 0.65,
    "for": 0.7,
    "as": 0.5,
    "therefore": 0.7,
    "consequently": 0.7,
    "hence": 0.65,
    "wherefore": 0.65,
    "thus": 0.55,
    "accordingly": 0.5,
    "so": 0.5,
}
_OTHERWISE = 0.7
_PARAGRAPH = re.compile(r"\n[^\S\n]*\n")

Kind = Literal["conclusion", "examples", "enumeration", "reason", "contrary", "answer", "objection"]


@dataclass(frozen=True, slots=True)
class Connective:
    """The words that bind a clause to what was said before, and how."""

    kind: Kind
    cue: str


@dataclass(slots=True, eq=False)
class Statement:
    """A clause with its speaker and its connective; `claim` is set where it is one.

    Attributes
    ----------
    parent : Statement, optional
        What a reason is given for, or the main clause of what is reported.
    superseded : bool
        It only introduces what somebody says, or another statement holds its words.
    voice : str
        The words that say who speaks, "" where nobody is named.
    denied, wrongly : bool
        The speaker denies it; the text says that they are wrong.

    """

    clause: Clause
    connective: Connective | None = None
    parent: "Statement | None" = None
    superseded: bool = False
    speaker: str | None = None
    reported: bool = False
    voice: str = ""
    denied: bool = False
    wrongly: bool = False
    strength: float = 0.0
    cue: str = ""
    denies: bool = False
    claim: Claim | None = None

    @property
    def sentence(self) -> int:
        """Number of its sentence."""
        return self.clause.sentence


_ARTICLES = r"(?:the|a|an|this|these|it|they|we|he|no|all|every|our|their|its)"
_SINCE_THAT = r"(?: \w+ly| therefore| then| , therefore ,| from (?:this|these|all this|hence)(?: \w+)?){0,2}"
_SHOW = r"(?:shows?|proves?|demonstrates?|implies|imply|establish(?:es)?|confirms?)"
_THESE_EXAMPLES = r"(?:these|those|such) (?:\w+ ){0,2}(?:examples|instances|cases)\b"
_AN_OBJECTION = (
    r"(?:the|another|a|one|their|his|this)(?: [\w-]+){0,3}? (?:objection|charge|accusation|complaint)"
)
_PATTERNS: dict[Kind, dict[str, bool]] = {
    "enumeration": {
        r"for (?:all )?(?:these|those|this|the following|the foregoing)(?: \w+)? reasons? ,?": True,
        r"on (?:all )?(?:these|those|this|that) (?:accounts?|grounds?) ,?": True,
    },
    "conclusion": {
        r"(?:hence |thus |and )?(?:from (?:all )?(?:this|these|what)(?: [\w-]+){0,4} ,? ?)?(?:hence |thus )?"
        rf"it (?:\w+ly |therefore |then |hence |thus )?(?:follows|results){_SINCE_THAT} ,? ?that": True,
        r"(?:from|by) (?:all )?(?:this|these|those)(?: [\w-]+){0,3} ,? ?(?:it|we|one) (?:\w+ ){0,3}?"
        r"(?:conclude|infer|evident|clear|appears|plain|manifest|concluded|inferred)(?: \w+)? that": True,
        r"(?:hence|thus|therefore) (?:it is|it was|comes it|it comes) ,? ?that": True,
        r"(?:we|one) (?:may|must|can) (?:therefore |hence |thus )?(?:conclude|infer) that": True,
        r"(?:therefore|consequently|wherefore|accordingly) ,?": True,
        r"(?:hence|thus) ,(?! for (?:example|instance))": True,
        rf"(?:hence|thus) (?=(?:there|{_ARTICLES}) )": True,
        rf"so ,? ?(?={_ARTICLES} )": True,
        rf"(?:this|these|that|those|which)(?: [\w-]+){{0,3}}? (?:\w+ly )?{_SHOW}(?: \w+ly)? that\b": False,
    },
    "examples": {rf"{_THESE_EXAMPLES}(?=.{{0,160}}? (?:{_SHOW}|illustrate|teach) )": False},
    "reason": {
        r"the (?:plain |simple |obvious |true )?reasons?(?: why| for| of)?(?: [\w-]+){0,4}? "
        r"(?:is|was|are) ,? ?(?:that|because)?": True,
        r"(?:this|that|it) is because": True,
    },
    "contrary": {
        r"on the contrary ,?": True,
        r"the (?:truth|fact) is ,? on the contrary ,? that": True,
        r"(?:the )?(?:very |exact |direct )?(?:opposite|reverse|contrary)(?: of this)?(?: proposition)? "
        r"(?:is|was|will be|would be) (?:\w+ )?(?:true|the case|the truth|evident|the fact|certain)": False,
    },
    "objection": {rf"{_AN_OBJECTION}(?: [\w-]+){{0,10}}? (?:is|was) ,? ?that": True},
    "answer": {
        r"(?:to (?:this|these|that|which) )?(?:\w+ ){0,2}?,? ?(?:the|my|our) (?:\w+ )?(?:answer|reply)"
        r"(?: to (?:this|that|these|it)(?: \w+)?)? (?:is|was)(?: \w+)? ,? ?(?:that)?": True,
    },
}
"""How a clause begins that is bound to the text before it; true: these words are no part of the claim."""
_OPENINGS = [
    (re.compile(pattern), kind, cut)
    for kind, patterns in _PATTERNS.items()
    for pattern, cut in patterns.items()
]
_INNER = frozenset({"therefore", "hence", "consequently"})
_ANNOUNCING = wordset("""
    conclude proceed examine close pass turn begin add mention confine dwell leave voice pledge renew
    ask repeat
""")
_ANSWERING = frozenset({"answer", "reply"})


def connective_of(clause: Clause) -> Connective | None:
    """Read what binds a clause to the text before it, and leave mere connectives out of the clause."""
    tree, tokens = clause.tree, clause.tokens
    if clause.kind == "reason":
        loose = clause.parent is None and clause.cue in ("for", "because")
        return Connective("reason", clause.cue) if loose else None
    opening = " ".join(tree.lows[tokens[0] :][:40]) + " "
    for pattern, kind, cut in _OPENINGS:
        match = pattern.match(opening)
        if match is not None:
            cue = match[0].strip(" ,")
            if cut:
                _shorten(clause, len(match[0].split()))
            compares = cue in ("so", "thus") and _compares(clause)
            return None if compares or _announces(tree, clause.head) else Connective(kind, cue)
    verb = clause.verb
    if clause.kind == "said" and verb is not None and tree.lemmas[verb] in _ANSWERING:
        subject = subject_of(tree, verb)
        own = subject is not None and tree.lows[subject] in ("i", "we", "it", "one")
        return Connective("answer", tree.lows[verb]) if own else None
    for child in tree.dependents(clause.head, "advmod", "cc", "discourse"):
        inner = tree.lows[child] in _INNER and tokens[0] < child <= clause.head + 1
        coordinated = child and tree.upos[child - 1] == "CCONJ"
        if inner and not coordinated and not _announces(tree, clause.head):
            return Connective("conclusion", tree.lows[child])
    return None


def _shorten(clause: Clause, words: int) -> None:
    """Leave the first words out, but never the predicate."""
    tree = clause.tree
    first = clause.first + words
    rest = [token for token in clause.tokens if token >= first]
    while rest and tree.upos[rest[0]] == "PUNCT":
        rest.pop(0)
    if clause.head not in rest:
        clause.head = next(
            (child for child in tree.dependents(clause.head, "ccomp") if child in rest), clause.head
        )
    if len(rest) >= 3 and clause.head in rest:
        clause.tokens, clause.start = rest, tree.starts[rest[0]]


def _compares(clause: Clause) -> bool:
    """Tell "as the one, so the other": a comparison."""
    tree = clause.tree
    return "as" in tree.lows[: clause.first] or any(
        tree.mark_of(child).startswith("as") for child in tree.dependents(clause.head, "advcl")
    )


def _announces(tree: Tree, head: int) -> bool:
    """Tell "we will, therefore, conclude this head" from a conclusion."""
    subject = subject_of(tree, head)
    return subject is not None and tree.lows[subject] in ("i", "we") and tree.lemmas[head] in _ANNOUNCING


def find_arguments(
    context: Context, statements: Sequence[Statement], claim_of: Callable[[Statement], Claim]
) -> list[ArgumentRelation]:
    """Return the links between statements; what is linked becomes a claim, if it was none."""
    links = Links(claim_of)
    for number, statement in enumerate(statements):
        if not statement.superseded:
            _support(links, statements, number)
            _attack(links, context, statements, number)
    _contradictions(links, context, statements)
    return links.relations()


class Links:
    """Collects links; of several from one claim to another the first stays."""

    def __init__(self, claim_of: Callable[[Statement], Claim]) -> None:
        self._claim_of = claim_of
        self._links: dict[tuple[str, str], ArgumentRelation] = {}

    def add(
        self,
        source: Statement,
        target: Statement,
        type_: Literal["attack", "support"],
        cue: str,
        confidence: float,
    ) -> None:
        """Link two statements; they become claims."""
        if source is target:
            return
        for statement in (source, target):
            if statement.claim is None:
                statement.claim = self._claim_of(statement)
        by, on = source.claim, target.claim
        if by is None or on is None or by.id == on.id or (by.id, on.id) in self._links:
            return
        self._links[by.id, on.id] = ArgumentRelation(
            id=stable_id("arg", by.id, on.id, type_),
            document_id=by.document_id,
            chunk_id=by.chunk_id,
            start=by.start,
            end=by.end,
            page=by.page,
            extractor=EXTRACTOR,
            confidence=round(confidence, 3),
            cue=cue,
            sentence_start=by.sentence_start,
            sentence_end=by.sentence_end,
            source=by.id,
            target=on.id,
            type=type_,
        )

    def relations(self) -> list[ArgumentRelation]:
        """Return the links."""
        return list(self._links.values())


# Support


def _support(links: Links, statements: Sequence[Statement], number: int) -> None:
    statement = statements[number]
    if statement.clause.kind == "reason" and statement.parent is not None:
        conclusion = statement.parent
        if _concludes(conclusion):
            links.add(
                statement, conclusion, "support", statement.clause.cue, _confidence(statement.clause.cue)
            )
        return
    connective = statement.connective
    if connective is None:
        return
    confidence = _confidence(connective.cue)
    if connective.kind == "reason":
        conclusion_before = _claim_before(statements, number)
        if conclusion_before is not None and not _apart(conclusion_before, statement):
            links.add(statement, conclusion_before, "support", connective.cue, confidence)
    elif connective.kind in ("conclusion", "examples", "enumeration") and _concludes(statement):
        for reason in _reasons_before(statements, number, connective.kind):
            links.add(reason, statement, "support", connective.cue, confidence)


def _apart(one: Statement, other: Statement) -> bool:
    """Tell whether a paragraph ends between two statements."""
    text = one.clause.tree.document_text
    return _PARAGRAPH.search(text, one.clause.end, other.clause.start) is not None


def _confidence(cue: str) -> float:
    return _CONFIDENCE.get(cue, _OTHERWISE)


def _concludes(statement: Statement) -> bool:
    """Tell what is argued for from a deed that is explained: "the people fled, because ..." is a report."""
    clause = statement.clause
    if statement.superseded or clause.tree.words[-1].endswith("?"):
        return False
    return statement.claim is not None and (
        not is_past(clause.tree, clause.head) or statement.strength >= 0.6
    )


def _before(statements: Sequence[Statement], number: int, back: int) -> Iterator[Statement]:
    """Yield what is stated before a statement, nearest first, at most so many sentences back."""
    here = statements[number]
    for place in range(number - 1, -1, -1):
        other = statements[place]
        if here.sentence - other.sentence > back:
            return
        if not other.superseded and not _is_part(other, here):
            yield other


def _claim_before(statements: Sequence[Statement], number: int) -> Statement | None:
    """Return the nearest claim before a statement that the same speaker makes.

    A sentence in between of which nothing could be read ends the search: what is meant may stand in it.
    """
    here = last = statements[number]
    for other in _before(statements, number, BACK):
        if last.sentence - other.sentence > 1:
            return None
        if other.claim is not None and _same_voice(other, here):
            return other
        last = other
    return None


def _same_voice(one: Statement, other: Statement) -> bool:
    return (one.speaker, one.reported) == (other.speaker, other.reported)


def _is_part(one: Statement, other: Statement) -> bool:
    return one.clause.start < other.clause.end and other.clause.start < one.clause.end


_NUMERAL = re.compile(
    r"^(?:in the )?(?:first|firstly|second|secondly|third|thirdly|fourth|fourthly|lastly|finally|\d)\b"
)


def _reasons_before(statements: Sequence[Statement], number: int, kind: Kind) -> list[Statement]:
    if kind == "enumeration":
        listed = [
            reason
            for reason in _before(statements, number, ENUMERATED)
            if _NUMERAL.match(" ".join(reason.clause.tree.lows[:4]))
        ]
        if listed:
            return listed
    if kind == "examples":
        before = _before(statements, number, EXAMPLES)
        return [example for example in before if example.claim is not None][:EXAMPLES]
    premise = _premise_before(statements, number)
    return [premise] if premise is not None else []


def _premise_before(statements: Sequence[Statement], number: int) -> Statement | None:
    """Return what a conclusion is drawn from: what is stated right before it, else the nearest claim."""
    for other in _before(statements, number, 1):
        if _same_voice(other, statements[number]) and other.clause.kind != "reason":
            asks = other.clause.tree.words[-1].endswith("?") and other.claim is None
            return None if asks else other
    return _claim_before(statements, number)


# Attack

_FALSE = wordset("""
    false untrue wrong mistaken incorrect refuted disproved groundless unfounded baseless untenable
    erroneous fallacious invalid absurd ill-founded inadmissible frivolous chimerical futile exploded
""")
_TRUE = wordset("true correct right valid sound tenable just founded well-founded")
_FAILING = frozenset({"fail", "collapse", "vanish"})
_REPELLING = wordset("repel explode overthrow overturn confute demolish answer")
_WEIGHTLESS = re.compile(
    r"\b(?:has|have|had|is of|are of|without) (?:no|little|any|not the least|not any) (?:\w+ )?"
    r"(?:weight|force|foundation|validity|ground|substance|solidity)\b|\b(?:falls?|fell) to the ground\b"
)
_NO_OBJECTION = re.compile(
    r"^(?:this|that|it) (?:is|was|can be|will be|would be|forms) (?:therefore )?no (?:\w+ )?objection\b"
)
_FALSE_THAT = re.compile(
    r"^it (?:is|was|would be|were) (?:therefore |quite |simply |plainly |entirely |utterly )?"
    r"(?:(?:false|wrong|untrue|incorrect|absurd|erroneous|a mistake|an error|a fallacy)|(?:not|never|n't) "
    r"(?:\w+ )?(?:true|correct|right|the case))(?: ,(?: [\w ]{1,30} ,)?)? "
    r"(?:to (?:say|suppose|think|believe|assert|imagine|claim|argue|pretend) )?that\b"
)
_STRENGTHS = wordset("plausibility force weight strength ground foundation validity truth")
_REFUTING = wordset("refute disprove rebut contradict discredit")
_OBJECTIONS = frozenset({"objection", "argument", "charge", "allegation", "accusation"})


def _attack(links: Links, context: Context, statements: Sequence[Statement], number: int) -> None:
    statement = statements[number]
    if statement.clause.tree.words[-1].endswith("?"):
        return
    connective = statement.connective
    if connective is not None and connective.kind in ("contrary", "answer"):
        find = _right_before if connective.kind == "contrary" else _objection_before
        target = find(statements, number)
        if target is not None:
            links.add(statement, target, "attack", connective.cue, 0.6)
            return
    for attacked, words, confidence in _rebutted(context, statements, number):
        links.add(statement, attacked, "attack", words, confidence)


def _right_before(statements: Sequence[Statement], number: int) -> Statement | None:
    """Return the claim of somebody else that stands immediately before a statement.

    Nobody refutes in one breath what they claim: after the speaker's own words something else is meant.
    """
    here = statements[number]
    for other in _before(statements, number, 1):
        if other.clause.kind == "reason" or (here.clause.kind == "said" and other.sentence == here.sentence):
            continue
        return other if other.claim is not None and not _same_voice(other, here) else None
    return None


def _objection_before(statements: Sequence[Statement], number: int) -> Statement | None:
    """Return the nearest claim before a statement that is reported of somebody else, not past a question."""
    here = statements[number]
    for other in _before(statements, number, OBJECTION_BACK):
        if other.clause.tree.words[-1].endswith("?") and other.sentence < here.sentence:
            return None
        if (
            other.claim is not None
            and other.reported
            and (other.speaker is None or other.speaker != here.speaker)
        ):
            return other
    return None


def _rebutted(
    context: Context, statements: Sequence[Statement], number: int
) -> Iterator[tuple[Statement, str, float]]:
    """Yield the statements that a clause rebuts, with the words that do."""
    statement = statements[number]
    clause = statement.clause
    tree, head = clause.tree, clause.head
    if clause.kind == "said" and clause.verb is not None and tree.lemmas[clause.verb] in OBJECTING:
        target = _other_speaker(statements, number)
        if target is not None:
            yield target, tree.lows[clause.verb], 0.6
        return
    words = " ".join(clause.words)
    if _NO_OBJECTION.match(words):
        target = _objection_before(statements, number)
        if target is not None:
            yield target, "no objection", 0.6
        return
    match = _FALSE_THAT.match(words)
    if match is not None:
        target = _same_content(
            statements, number, tree, [t for t in clause.tokens if t >= clause.first + len(match[0].split())]
        )
        if target is not None:
            yield target, match[0], 0.65
        return
    verdict = _verdict(tree, head, words)
    if verdict is not None:
        position, cue = verdict
        target = _judged(context, statements, number, position)
        if target is not None:
            yield target, cue, 0.65


def _verdict(tree: Tree, head: int, words: str) -> tuple[int, str] | None:
    """Return what a clause finds false or refutes, and in which words: "this objection", "fails"."""
    subject = subject_of(tree, head)
    if subject is None:
        return None
    if tree.lemmas[subject] in _STRENGTHS:
        owner = owner_of(tree, subject)
        subject = subject if owner is None else owner
    low, lemma, negated = tree.lows[head], tree.lemmas[head], tree.is_negated(head)
    if lemma in _REFUTING and not negated:
        thing = subject if tree.deprels[subject] == "nsubj:pass" else tree.dependent(head, "obj")
        return (thing, low) if thing is not None else None
    if low in _FALSE and not negated:
        return subject, low
    if low in _TRUE and negated and tree.dependents(head, "cop"):
        return subject, f"not {low}"
    cue = _failure(tree, head, subject, words, negated=negated)
    return (subject, cue) if cue else None


def _failure(tree: Tree, head: int, subject: int, words: str, *, negated: bool) -> str:
    """Return the words that tell of an argument that it fails, has no weight or is overthrown."""
    if tree.lemmas[subject] not in STATEMENTS:
        return ""
    overthrown = tree.lemmas[head] in _REPELLING and tree.deprels[subject] == "nsubj:pass"
    if not negated and (overthrown or tree.lemmas[head] in _FAILING):
        return tree.lows[head]
    match = _WEIGHTLESS.search(words)
    return match[0] if match is not None else ""


def _judged(
    context: Context, statements: Sequence[Statement], number: int, position: int
) -> Statement | None:
    """Return the claim that a nominal stands for: "this", "that objection", "Farr's theory", "Farr"."""
    tree = statements[number].clause.tree
    if tree.lows[position] in ("this", "that"):
        return _right_before(statements, number)
    inner = _held_claim(statements, number, position)
    owner = owner_of(tree, position) if tree.lemmas[position] in STATEMENTS else position
    if inner is not None or owner is not None:
        return inner if owner is None or inner is not None else _last_of(context, statements, number, owner)
    near = {tree.lows[word] for word in tree.dependents(position, "det", "amod")}
    if near.isdisjoint({"this", "that", "these", "those", "such", "the"}):
        return None
    objection = _objection_before(statements, number)
    if (
        objection is None
        and tree.lemmas[position] not in _OBJECTIONS
        and not near.isdisjoint({"this", "that"})
    ):
        return _right_before(statements, number)
    return objection


def _held_claim(statements: Sequence[Statement], number: int, noun: int) -> Statement | None:
    """Return what "the theory that ..." says, a statement of the same sentence."""
    here = statements[number]
    for other in statements[number + 1 : number + 4]:
        if other.sentence == here.sentence and other.clause.verb == noun:
            return other
    return None


def _last_of(
    context: Context, statements: Sequence[Statement], number: int, position: int
) -> Statement | None:
    """Return the last claim of the person or body that a token names."""
    name = context.name_at(statements[number].sentence, position)
    if name is None or name.type not in ("person", "organisation", "concept"):
        return None
    surname = name.name.split()[-1]
    for other in _before(statements, number, SPEAKER_BACK):
        if (
            other.claim is not None
            and other.reported
            and other.speaker
            and other.speaker.split()[-1] == surname
        ):
            return other
    return None


def _other_speaker(statements: Sequence[Statement], number: int) -> Statement | None:
    here = statements[number]
    before = _before(statements, number, BACK)
    return next(
        (other for other in before if other.claim is not None and other.speaker != here.speaker), None
    )


# Contradiction

_EMPTY = wordset("""
    be have do can could may might will would shall should must not never no nor it that this there
""")
_CONTENT = frozenset({"NOUN", "PROPN", "VERB", "ADJ", "NUM", "ADV"})
_VAGUE = frozenset({"co_occurs_with", "relates_to"})
FEWEST_WORDS = 2
"""Content words that two propositions must share to be the same."""


def _content(tree: Tree, tokens: Sequence[int]) -> frozenset[str]:
    """Return the words that say what a clause is about."""
    return frozenset(
        tree.lemmas[token]
        for token in tokens
        if tree.upos[token] in _CONTENT
        and tree.lemmas[token] not in _EMPTY
        and tree.lows[token] not in _EMPTY
    )


def _proposition(clause: Clause) -> frozenset[str]:
    """Return the words of a clause that says something of a thing it names; of any other none."""
    tree = clause.tree
    subject = subject_of(tree, clause.head)
    possible = not {"may", "might", "can", "could"}.isdisjoint(clause.words)
    if (
        subject is None
        or tree.upos[subject] not in ("NOUN", "PROPN")
        or possible
        or tree.words[-1].endswith("?")
    ):
        return frozenset()
    content = _content(tree, clause.tokens)
    return content if len(content) >= FEWEST_WORDS else frozenset()


def _same_content(
    statements: Sequence[Statement], number: int, tree: Tree, tokens: Sequence[int]
) -> Statement | None:
    """Return the nearest other claim that shares most of its words with what is called false."""
    wanted = _content(tree, tokens)
    if len(wanted) < 2:
        return None
    options = []
    for other_number, other in enumerate(statements):
        if (
            other.claim is None
            or other_number == number
            or _is_part(other, statements[number])
            or other.denies
        ):
            continue
        content = _content(other.clause.tree, other.clause.tokens)
        shared = len(wanted & content)
        if shared >= 2 and shared >= 0.6 * max(len(wanted), min(len(content), len(wanted) + 2)):
            options.append((abs(other_number - number), other_number))
    return statements[min(options)[1]] if options else None


class _Side(NamedTuple):
    """A statement that takes a side; `ends`: the words of the two things it relates."""

    statement: Statement
    cue: str
    ends: tuple[frozenset[str], ...] = ()


@dataclass(slots=True)
class _Sides:
    """Who states and who denies the same thing."""

    stated: list[_Side] = field(default_factory=list)
    denied: list[_Side] = field(default_factory=list)


def _contradictions(links: Links, context: Context, statements: Sequence[Statement]) -> None:
    """Let claims attack each other that state and deny the same, by their relations or by their words."""
    table: dict[tuple[object, ...], _Sides] = defaultdict(_Sides)
    of_sentence: dict[int, list[Statement]] = defaultdict(list)
    for statement in statements:
        if not statement.superseded:
            of_sentence[statement.clause.tree.start].append(statement)
            content = _proposition(statement.clause)
            if content:
                sides = table["words", content, is_past(statement.clause.tree, statement.clause.head)]
                (sides.denied if statement.denies else sides.stated).append(_Side(statement, "not"))
    heads = _heads(context)
    for assertion in context.findings.assertions.values():
        holder = _holding(of_sentence.get(assertion.sentence_start, ()), assertion)
        if holder is None or assertion.type in _VAGUE or (assertion.type == "prevents" and assertion.negated):
            continue
        ends = [(assertion.source_mention, assertion.source), (assertion.target_mention, assertion.target)]
        words = [name.casefold().split() for _, name in ends]
        same = [heads.get(mention) or of[-1] for (mention, _), of in zip(ends, words, strict=True)]
        prevents = assertion.type == "prevents"
        sides = table["relation", "causes" if prevents else assertion.type, *same]
        side = _Side(holder, assertion.cue or assertion.type, tuple(map(frozenset, words)))
        (sides.denied if assertion.negated or prevents else sides.stated).append(side)
    for sides in table.values():
        _oppose(links, sides)


def _holding(statements: Sequence[Statement], assertion: Assertion) -> Statement | None:
    """Return the shortest of some statements that holds a relation."""
    holders = [
        statement
        for statement in statements
        if statement.clause.start <= assertion.start and assertion.end <= statement.clause.end
    ]
    return min(holders, key=lambda s: s.clause.end - s.clause.start, default=None)


def _heads(context: Context) -> dict[str, str]:
    return {
        mention.id: str(mention.attributes["head"])
        for mention in context.findings.mentions.values()
        if mention.attributes.get("head")
    }


def _oppose(links: Links, sides: _Sides) -> None:
    for stated in sides.stated:
        for denied in _nearest(sides.denied, stated.statement):
            if not _contradict(stated, denied):
                continue
            preferred = _preferred(stated.statement, denied.statement)
            for by, on in ((stated, denied), (denied, stated)):
                if preferred is not on.statement:
                    links.add(by.statement, on.statement, "attack", f"contradicts: {by.cue}", 0.6)


def _contradict(stated: _Side, denied: _Side) -> bool:
    """Tell whether two sides speak of the same things: not one of "bad air", the other of "good air"."""
    one, other = stated.statement, denied.statement
    if one is other or _is_part(one, other) or (one.claim is None and other.claim is None):
        return False
    return all(a <= b or b <= a for a, b in zip(stated.ends, denied.ends, strict=True))


def _nearest(sides: list[_Side], to: Statement) -> list[_Side]:
    if len(sides) <= MOST_OPPOSED:
        return sides
    return sorted(sides, key=lambda side: abs(side.statement.clause.start - to.clause.start))[:MOST_OPPOSED]


def _preferred(stated: Statement, denied: Statement) -> Statement | None:
    """Return the side that the text takes: the author's own against a report, or not the one called wrong."""
    if stated.wrongly != denied.wrongly:
        return denied if stated.wrongly else stated
    if stated.reported != denied.reported:
        return denied if stated.reported else stated
    return None
