"""Support and attack between the claims of a document.

Support needs a stated reason, attack an explicit rebuttal or contradiction. "But" and "however" are neither.
Where the text does not tell, there is no link.
"""

import re
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple

from corpusgraph.schemas.base import stable_id
from corpusgraph.schemas.evidence import ArgumentRelation, Assertion, Claim, Finding
from corpusgraph.tasks.extract.clauses import (
    OBJECTING,
    STATEMENTS,
    TRUE,
    WRONG,
    Clause,
    is_past,
    owner_of,
    subject_of,
)
from corpusgraph.tasks.extract.context import Context
from corpusgraph.tasks.extract.rules.known_names import SAYING
from corpusgraph.tasks.extract.tree import Tree
from corpusgraph.tasks.text.wordlist import entry, words, wordset

BACK = 2
"""A connective reaches a claim at most so many sentences back."""
OBJECTION_BACK = 3
"""An answer reaches an objection at most so many sentences back."""
MOST_OPPOSED = 8
"""What is stated over and over is opposed to the nearest denials only."""
EXAMPLES = 4
"""How many claims before "these examples show" are the examples, at most."""
ENUMERATED = 10
"""Sentences back within which "for these reasons" finds its reasons."""

STRONG = 0.6
"""Strength from which a report of the past is argued for."""

_CONFIDENCE: dict[str, float] = entry("arguments.confidence")
_OTHERWISE = 0.7

_PLACE = Finding.model_fields.keys() - {"id", "confidence", "cue"}
"""Fields that tell where a link stands: where the claim does that it leads from."""

LinkType = Literal["attack", "support"]
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
    spoken : bool
        It stands in a line of a chat or transcript.
    voice : str
        The words that say who speaks, "" where nobody is named.
    denied, wrongly : bool
        The speaker denies it; the text says that they are wrong.
    refutes : Statement, optional
        What it calls wrong in itself: "it is not true that ...".

    """

    clause: Clause
    connective: Connective | None = None
    parent: "Statement | None" = None
    refutes: "Statement | None" = None
    superseded: bool = False
    speaker: str | None = None
    reported: bool = False
    spoken: bool = False
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


def _openings() -> Iterator[tuple[re.Pattern[str], Kind, bool]]:
    parts = entry("arguments.parts")
    for kind, use, opening in entry("arguments.openings"):
        pattern = re.sub(r"<(\w+)>", lambda match: parts[match[1]], opening)
        yield re.compile(re.sub(r"<(\w+)>", lambda match: parts[match[1]], pattern)), kind, use == "cut"


_OPENINGS = list(_openings())
_INNER = frozenset({"therefore", "hence", "consequently"})
_ANSWERING = frozenset({"answer", "reply"})
_ANNOUNCING = words("arguments.announcing")
LONGEST_FRAGMENT = 12


def announcement(words: Sequence[str]) -> str:
    """Return words that only say how what follows bears on what was said: "Not so.", "It did not:"."""
    opening = " ".join(word for word in words if word not in ("but", "and", "yet")) + " . "
    matches = (pattern.match(opening) for pattern, _, cut in _OPENINGS if cut)
    whole = any(match and match.end() >= len(opening) - 3 for match in matches)
    return opening if len(words) <= LONGEST_FRAGMENT and whole else ""


def connective_of(clause: Clause, before: str = "") -> Connective | None:
    """Read what binds a clause to the text before it, and leave mere connectives out of the clause.

    `before` is an announcement that stands before the clause and says it.
    """
    tree, tokens = clause.tree, clause.tokens
    if clause.kind == "reason":
        loose = clause.parent is None and clause.cue in ("for", "because")
        return Connective("reason", clause.cue) if loose else None
    opening = before or " ".join(tree.lows[_after_but(tree, tokens[0]) :][:40]) + " "
    for pattern, kind, cut in _OPENINGS:
        match = pattern.match(opening)
        if match is not None:
            if cut and not before:
                _shorten(clause, len(match[0].split()))
            return Connective(kind, match[0].strip(" ,.:;-"))
    verb = clause.verb
    if clause.kind == "said" and verb is not None and tree.lemmas[verb] in _ANSWERING:
        subject = subject_of(tree, verb)
        own = subject is not None and tree.lows[subject] in ("i", "we", "it", "one")
        return Connective("answer", tree.lows[verb]) if own else None
    for child in tree.dependents(clause.head, "advmod", "cc", "discourse"):
        inner = tree.lows[child] in _INNER and tokens[0] < child <= clause.head + 1
        coordinated = child and tree.upos[child - 1] == "CCONJ"
        if inner and not coordinated:
            return Connective("conclusion", tree.lows[child])
    return None


def _after_but(tree: Tree, first: int) -> int:
    """Return where a clause begins without "but" and "and"."""
    return first + 1 if tree.lows[first] in ("but", "and", "yet") else first


def _shorten(clause: Clause, words: int) -> None:
    """Leave the first words out, but never the predicate."""
    tree = clause.tree
    first = _after_but(tree, clause.first) + words
    rest = [token for token in clause.tokens if token >= first]
    while rest and tree.upos[rest[0]] == "PUNCT":
        rest.pop(0)
    if clause.head not in rest:
        said = tree.dependents(clause.head, "ccomp")
        clause.head = next((child for child in said if child in rest), clause.head)
    if len(rest) >= 3 and clause.head in rest:
        clause.tokens, clause.start = rest, tree.starts[rest[0]]


def find_arguments(
    context: Context, statements: Sequence[Statement], claim_of: Callable[[Statement], Claim]
) -> list[ArgumentRelation]:
    """Return the links between statements; what is linked becomes a claim, if it was none."""
    links = Links(claim_of)
    for number, statement in enumerate(statements):
        if not statement.superseded:
            _support(links, statements, number)
            _attack(links, statements, number)
    _contradictions(links, context, statements)
    return list(links.relations.values())


class Links:
    """Collects links; of several from one claim to another the first stays."""

    def __init__(self, claim_of: Callable[[Statement], Claim]) -> None:
        self._claim_of = claim_of
        self.relations: dict[tuple[str, str], ArgumentRelation] = {}

    def support(self, source: Statement, target: Statement, cue: str) -> None:
        """Let a statement speak for another."""
        self.add(source, target, "support", cue, _CONFIDENCE.get(cue, _OTHERWISE))

    def add(self, source: Statement, target: Statement, type_: LinkType, cue: str, confidence: float) -> None:
        """Link two statements; they become claims."""
        if source is target:
            return
        for statement in (source, target):
            if statement.claim is None:
                statement.claim = self._claim_of(statement)
        by, on = source.claim, target.claim
        if by is None or on is None or by.id == on.id or (by.id, on.id) in self.relations:
            return
        self.relations[by.id, on.id] = ArgumentRelation(
            id=stable_id("arg", by.id, on.id, type_),
            confidence=round(confidence, 3),
            cue=cue,
            source=by.id,
            target=on.id,
            type=type_,
            **by.model_dump(include=_PLACE),
        )


# Support

_CONCLUDING = frozenset({"conclusion", "examples", "enumeration"})
_EMPTY = words("arguments.empty")
_CONTENT = frozenset({"NOUN", "PROPN", "VERB", "ADJ", "NUM", "ADV"})


def _support(links: Links, statements: Sequence[Statement], number: int) -> None:
    statement = statements[number]
    clause, connective = statement.clause, statement.connective
    if clause.kind == "reason" and statement.parent is not None:
        if _concludes(statement.parent, general=not is_past(clause.tree, clause.head)):
            links.support(statement, statement.parent, clause.cue)
    elif connective is not None and connective.kind == "reason":
        conclusion = _claim_before(statements, number)
        if conclusion is not None:
            links.support(statement, conclusion, connective.cue)
    elif connective is not None and connective.kind in _CONCLUDING and _concludes(statement):
        for reason in _reasons_before(statements, number, connective.kind):
            links.support(reason, statement, connective.cue)


def _concludes(statement: Statement, *, general: bool = False) -> bool:
    """Tell what is argued for from a deed that is explained: "the people fled, because ..." is a report.

    A reason that holds in `general`, in the present, argues for what happened too.
    """
    clause = statement.clause
    if statement.superseded or clause.tree.words[-1].endswith("?") or _announces(clause.tree, clause.head):
        return False
    says = _content(clause.tree, clause.tokens) - TRUE - WRONG
    past = is_past(clause.tree, clause.head) and (statement.strength < STRONG or statement.cue == "because")
    return bool(says) and (not past or (general and statement.claim is not None))


def _announces(tree: Tree, head: int) -> bool:
    """Tell "I pass over this head" and "it may be proper to examine" from a conclusion."""
    subject = subject_of(tree, head)
    verbs = (head, *tree.dependents(head, "csubj", "xcomp", "advcl", "acl"))
    own = subject is not None and tree.lows[subject] in ("i", "we", "it")
    return own and any(tree.lemmas[verb] in _ANNOUNCING for verb in verbs)


def _content(tree: Tree, tokens: Sequence[int]) -> frozenset[str]:
    """Return the words that say what a clause is about."""
    content = (at for at in tokens if tree.upos[at] in _CONTENT and tree.lows[at] not in _EMPTY)
    return frozenset(tree.lemmas[at] for at in content) - _EMPTY


def _before(statements: Sequence[Statement], number: int, back: int) -> Iterator[Statement]:
    """Yield what is stated before a statement, nearest first, at most so many sentences back."""
    here = statements[number]
    for place in range(number - 1, -1, -1):
        other = statements[place]
        if here.sentence - other.sentence > back:
            return
        if not other.superseded:
            yield other


def _claim_before(statements: Sequence[Statement], number: int) -> Statement | None:
    """Return the nearest claim before a statement, of its sentence or the one before, by the same speaker."""
    here = statements[number]
    announced = all(other.sentence != here.sentence - 1 for other in statements[:number][-2 * BACK :])
    before = _before(statements, number, 1 + announced)
    return next((s for s in before if s.claim is not None and _same_voice(s, here)), None)


def _same_voice(one: Statement, other: Statement) -> bool:
    return (one.speaker, one.reported) == (other.speaker, other.reported)


_NUMERAL = re.compile(
    r"^(?:in the )?(?:first|firstly|second|secondly|third|thirdly|fourth|fourthly|lastly|finally|\d)\b"
)


def _reasons_before(statements: Sequence[Statement], number: int, kind: Kind) -> list[Statement]:
    if kind == "enumeration":
        before = _before(statements, number, ENUMERATED)
        if listed := [one for one in before if _NUMERAL.match(" ".join(one.clause.tree.lows[:4]))]:
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

_LINKING = words("arguments.linking")
_FAILING = frozenset({"fail", "collapse", "vanish"})
_REPELLING = wordset("repel explode overthrow overturn confute demolish answer obviate")
_REFUTING = words("arguments.refuting")
_WEIGHTLESS = re.compile(
    r"\b(?:has|have|had|is of|are of|without|deserves?|merits?|entitled to|rests? (?:up)?on|there is) "
    r"(?:no|little|any|but little|not the least|not any) (?:\w+ )?"
    r"(?:weight|force|foundation|validity|ground|substance|solidity|truth|credit|basis|merit|regard|attention)\b"
    r"|\b(?:falls?|fell) to the ground\b|\bproves? too much\b|\brests? on mere (?:\w+ )?assertion\b"
)
_FURTHER_FROM_TRUTH = re.compile(
    r"^nothing(?: , \w+ ,)? (?:can|could|is|was) (?:be )?(?:further|farther) from the (?:truth|fact)"
)
_STRENGTHS = wordset("plausibility force weight strength ground foundation validity truth")


def _attack(links: Links, statements: Sequence[Statement], number: int) -> None:
    statement = statements[number]
    if statement.clause.tree.words[-1].endswith("?"):
        return
    if statement.refutes is not None:
        links.add(statement, statement.refutes, "attack", statement.cue, 0.65)
    connective = statement.connective
    if connective is not None and connective.kind in ("contrary", "answer"):
        find = _right_before if connective.kind == "contrary" else _objection_before
        target = find(statements, number)
        if target is not None:
            links.add(statement, target, "attack", connective.cue, 0.6)
            return
    target, words = _rebutted(statements, number)
    if target is not None:
        links.add(_grounds(statements, number), target, "attack", words, 0.65)


_TELLING = wordset("observation remark consideration reason answer word fact")


def _grounds(statements: Sequence[Statement], number: int) -> Statement:
    """Return what "this objection is repelled by a single observation." announces, or the verdict."""
    here, tree = statements[number], statements[number].clause.tree
    tells = any(tree.lemmas[token] in _TELLING for token in tree.dependents(here.clause.head, "obl"))
    following = statements[number + 1 : number + 2]
    if tells and following and following[0].sentence == here.sentence + 1 and _same_voice(following[0], here):
        return following[0]
    return here


def _right_before(statements: Sequence[Statement], number: int) -> Statement | None:
    """Return the claim of somebody else that stands immediately before a statement.

    Nobody refutes in one breath what they claim: after the speaker's own words something else is meant.
    """
    here = statements[number]
    for other in _before(statements, number, BACK):
        if other.clause.kind == "reason" or (here.clause.kind == "said" and other.sentence == here.sentence):
            continue
        raised = other.claim is not None or (other.reported and other.clause.kind == "said")
        return other if raised and not _same_voice(other, here) else None
    return None


def _objection_before(statements: Sequence[Statement], number: int) -> Statement | None:
    """Return the nearest claim before a statement that is reported of somebody else, not past a question."""
    here = statements[number]
    for other in _before(statements, number, OBJECTION_BACK):
        raised = other.claim is not None or (other.reported and other.clause.kind == "said")
        if raised and other.reported and not _same_voice(other, here):
            return other
        if other.clause.tree.words[-1].endswith("?") and other.sentence < here.sentence:
            return None
    return None


def _rebutted(statements: Sequence[Statement], number: int) -> tuple[Statement | None, str]:
    """Return the statement that a clause rebuts, with the words that do."""
    clause = statements[number].clause
    tree, words = clause.tree, " ".join(clause.words)
    if clause.kind == "said" and clause.verb is not None and tree.lemmas[clause.verb] in OBJECTING:
        return _objected_to(statements, number), tree.lows[clause.verb]
    if match := _FURTHER_FROM_TRUTH.match(words):
        return _right_before(statements, number), match[0]
    position, cue = _verdict(tree, clause.head, words)
    return (_judged(statements, number, position) if cue else None), cue


def _objected_to(statements: Sequence[Statement], number: int) -> Statement | None:
    """Return the claim of another that somebody named objects to."""
    here = statements[number]
    claims = (statement for statement in _before(statements, number, BACK) if statement.claim is not None)
    others = (claim for claim in claims if not _same_voice(claim, here))
    return next(others, None) if here.speaker is not None else None


def _verdict(tree: Tree, head: int, words: str) -> tuple[int | None, str]:
    """Return what a clause finds wrong or refutes, and in which words: "this objection", "fails"."""
    subject = subject_of(tree, head)
    low, lemma, negated = tree.lows[head], tree.lemmas[head], tree.is_negated(head)
    if subject is None:
        return None, ""
    if tree.lemmas[subject] in _STRENGTHS:
        owner = owner_of(tree, subject)
        subject = subject if owner is None else owner
    if lemma == "disagree" or (lemma == "agree" and negated and not tree.dependents(head, "ccomp")):
        return next(iter(tree.dependents(head, "obl")), None), f"not {low}" if negated else low
    if lemma in _REFUTING and not negated:
        thing = subject if tree.deprels[subject] == "nsubj:pass" else tree.dependent(head, "obj")
        refers = thing is not None and (tree.lows[thing] in _THIS or tree.lemmas[thing] in STATEMENTS)
        return (thing, low) if refers else (None, "")
    wrong = None if negated else _wrong(tree, head)
    if wrong is not None:
        return subject, tree.lows[wrong]
    if low in TRUE and negated and tree.dependents(head, "cop"):
        return subject, f"not {low}"
    return subject, _failure(tree, head, subject, words, negated=negated)


_THIS = frozenset({"this", "that"})


def _wrong(tree: Tree, head: int) -> int | None:
    """Return the word that calls a subject wrong: "is false", "rests on a false supposition"."""
    linked = tree.lemmas[head] in _LINKING or tree.lemmas[head] in STATEMENTS
    children = tree.dependents(head, "amod", "obl", "xcomp", "obj") if linked else []
    below = [at for child in children for at in (child, *tree.dependents(child, "amod", "obj", "obl"))]
    copular = bool(tree.dependents(head, "cop", "aux:pass")) or linked
    said = (head, *below) if copular else ()
    return next((t for t in said if tree.lemmas[t] in WRONG or tree.lows[t] in WRONG), None)


def _failure(tree: Tree, head: int, subject: int, words: str, *, negated: bool) -> str:
    """Return the words that tell of an argument that it fails, has no weight or is overthrown."""
    there = tree.lows[subject] == "there" or tree.dependents(head, "expl")
    if tree.lemmas[subject] not in STATEMENTS and tree.lows[subject] not in _THIS and not there:
        return ""
    overthrown = tree.lemmas[head] in _REPELLING and tree.deprels[subject] == "nsubj:pass"
    if not negated and not there and (overthrown or tree.lemmas[head] in _FAILING):
        return tree.lows[head]
    match = _WEIGHTLESS.search(words)
    return match[0] if match is not None else ""


def _judged(statements: Sequence[Statement], number: int, position: int | None) -> Statement | None:
    """Return the claim that a nominal stands for: "this", "that objection", "Farr"."""
    tree = statements[number].clause.tree
    if position is None or tree.lows[position] in _THIS:
        return _right_before(statements, number)
    near = {tree.lows[word] for word in tree.dependents(position, "det", "amod")}
    referring = not near.isdisjoint({"this", "that", "these", "those", "such", "the", "neither"})
    named = tree.upos[position] == "PROPN" or tree.lows[position] == "there"
    return _objection_before(statements, number) if referring or named else None


# Contradiction

_VAGUE = frozenset({"co_occurs_with", "relates_to"})
FEWEST_WORDS = 2
"""Content words that two propositions must share to be the same."""


class _Side(NamedTuple):
    """A statement that takes a side; `ends`: the words of the two things it relates."""

    statement: Statement
    cue: str
    ends: tuple[frozenset[str], ...] = ()


def _contradictions(links: Links, context: Context, statements: Sequence[Statement]) -> None:
    """Let claims attack each other that state and deny the same, by their relations or by their words."""
    sides: dict[tuple[object, ...], tuple[list[_Side], list[_Side]]] = defaultdict(lambda: ([], []))
    of_sentence: dict[int, list[Statement]] = defaultdict(list)
    for statement in statements:
        if not statement.superseded:
            of_sentence[statement.clause.tree.start].append(statement)
            content = _proposition(statement.clause)
            if content:
                same = ("words", content, is_past(statement.clause.tree, statement.clause.head))
                sides[same][statement.denies].append(_Side(statement, "not"))
    heads = {mention.id: mention.attributes.get("head") for mention in context.findings.mentions.values()}
    for assertion in context.findings.assertions.values():
        holder = _holding(of_sentence.get(assertion.sentence_start, ()), assertion)
        prevents = assertion.type == "prevents"
        vague = assertion.type in _VAGUE or assertion.doubtful or not assertion.is_put_forward
        if holder is None or vague or (prevents and assertion.negated):
            continue
        ends = [(assertion.source_mention, assertion.source), (assertion.target_mention, assertion.target)]
        names = [name.casefold().split() for _, name in ends]
        same_ends = [heads.get(mention) or of[-1] for (mention, _), of in zip(ends, names, strict=True)]
        relation = ("causes" if prevents else assertion.type, assertion.modality, *same_ends)
        side = _Side(holder, assertion.cue or assertion.type, tuple(map(frozenset, names)))
        sides[relation][assertion.negated or prevents].append(side)
    for stated, denied in sides.values():
        for side in stated:
            for other in _nearest(denied, side.statement):
                _oppose(links, side, other)


def _proposition(clause: Clause) -> frozenset[str]:
    """Return the words of a clause that says something of a thing it names; of any other none."""
    tree = clause.tree
    subject = subject_of(tree, clause.head)
    possible = not {"may", "might", "can", "could"}.isdisjoint(clause.words)
    unsaid = possible or tree.lemmas[clause.head] in SAYING or tree.words[-1].endswith("?")
    if subject is None or tree.upos[subject] not in ("NOUN", "PROPN") or unsaid:
        return frozenset()
    content = _content(tree, clause.tokens)
    return content if len(content) >= FEWEST_WORDS else frozenset()


def _holding(statements: Sequence[Statement], assertion: Assertion) -> Statement | None:
    """Return the shortest of some statements that says a relation, and not only in passing.

    "A senate elected for life must ..." does not say that it is elected.
    """
    holders = [s for s in statements if s.clause.start <= assertion.start and assertion.end <= s.clause.end]
    if not holders:
        return None
    holder = min(holders, key=lambda s: s.clause.end - s.clause.start)
    tree, head = holder.clause.tree, holder.clause.head
    start = assertion.start if assertion.cue_start is None else assertion.cue_start
    end = assertion.end if assertion.cue_end is None else assertion.cue_end
    main = (head, *tree.dependents(head, "cop"))
    return holder if any(start < tree.ends[at] and tree.starts[at] < end for at in main) else None


def _nearest(sides: list[_Side], to: Statement) -> list[_Side]:
    if len(sides) <= MOST_OPPOSED:
        return sides
    return sorted(sides, key=lambda side: abs(side.statement.clause.start - to.clause.start))[:MOST_OPPOSED]


def _oppose(links: Links, stated: _Side, denied: _Side) -> None:
    """Let two sides that speak of the same things attack each other: not "bad air" and "good air"."""
    one, other = stated.statement, denied.statement
    overlap = one.clause.start < other.clause.end and other.clause.start < one.clause.end
    same = all(a <= b or b <= a for a, b in zip(stated.ends, denied.ends, strict=True))
    if overlap or not same or (one.claim is None and other.claim is None):
        return
    preferred = _preferred(one, other)
    for by, on in ((stated, denied), (denied, stated)):
        if preferred is not on.statement:
            links.add(by.statement, on.statement, "attack", f"contradicts: {by.cue}", 0.6)


def _preferred(stated: Statement, denied: Statement) -> Statement | None:
    """Return the side that the text takes: the author's own against a report, or not the one called wrong."""
    if stated.wrongly != denied.wrongly:
        return denied if stated.wrongly else stated
    if stated.reported != denied.reported:
        return denied if stated.reported else stated
    return None
