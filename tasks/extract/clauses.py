"""A sentence cut into what can be claimed: main clauses, reasons, and what a verb of saying reports."""

import itertools
import re
from dataclasses import dataclass
from typing import Literal, NamedTuple

from corpusgraph.tasks.extract.tree import Tree
from corpusgraph.tasks.text.wordlist import words, wordset

DENYING = words("clauses.denying")
OBJECTING = wordset("object counter retort rejoin rebut")
OPINION = words("clauses.opinion")
REPORTING = words("clauses.reporting")
SHOWING = words("clauses.showing")
SAYING = DENYING | OBJECTING | OPINION | REPORTING | SHOWING
STATEMENTS = words("clauses.statements")
WRONG = words("clauses.wrong")
TRUE = wordset("true correct right valid sound tenable just founded well-founded accurate conclusive")
HOLDING = wordset("hold share advance defend accept adopt advocate express make raise support propose")
"""Verbs of who has such a thing: "Farr held the view that ..."."""
WRONGLY = wordset("wrongly mistakenly falsely erroneously incorrectly absurdly")
_SUBORDINATORS = words("clauses.subordinators")
_CONDITIONS = words("clauses.conditions")
_NO_REASON_AFTER = wordset("not and or ever than merely that")
_REASON_MARKS = frozenset(
    {"because", "since", "for", "as", "inasmuch as", "seeing", "seeing that", "given that"}
)
_NOT_AS = frozenset({"long", "soon", "far", "well", "much", "many", "often", "if", "though", "to", "for"})
_STATES = wordset("be have lack need want require depend contain consist deserve possess remain")
_TEMPORAL = words("clauses.temporal")
_PERFECT = frozenset({"has", "have", "had", "’ve", "'ve"})
_DIGITS = re.compile(r"\d")
MODALS = wordset("must should ought cannot need shall may might can could will would wo ca 'll ’ll 'd ’d")

SHORT = 5
"""A sentence of more tokens states something by its finite root even where the parser finds no subject."""

SHORTEST = 3
"""Tokens below which a clause is a fragment, unless it is a verb of saying with its subject."""

_LINKED = frozenset({"advcl", "conj", "parataxis", "ccomp"})

Kind = Literal["main", "reason", "said"]


@dataclass(slots=True, eq=False)
class Clause:
    """A stretch of a sentence with one predicate; `start` and `end` are characters of the document.

    Attributes
    ----------
    kind : str
        "main"; "reason" for `parent`; "said": what the verb at token `verb`, mostly of `parent`, reports.
    aside : int, optional
        Token of who says it in an aside: ", Snow argued,".
    tokens : list of int
        What belongs to it and to no other clause.

    """

    sentence: int
    tree: Tree
    head: int
    kind: Kind
    tokens: list[int]
    start: int = 0
    end: int = 0
    parent: "Clause | None" = None
    cue: str = ""
    verb: int | None = None
    aside: int | None = None

    @property
    def first(self) -> int:
        """Token at which it begins."""
        return self.tokens[0]

    @property
    def words(self) -> list[str]:
        """Its words in lower case, from its first token to its last."""
        return self.tree.lows[self.tokens[0] : self.tokens[-1] + 1]


def owner_of(tree: Tree, noun: int) -> int | None:
    """Return whose a thing is: "Farr" of "Farr's theory" and "the theory of Farr"; not "his"."""
    owner = tree.dependent(noun, "nmod:poss")
    if owner is None:
        owner = next((child for child in tree.dependents(noun, "nmod") if tree.case_of(child) == "of"), None)
    return owner if owner is not None and tree.upos[owner] != "PRON" else None


def is_finite(tree: Tree, head: int) -> bool:
    """Tell whether a predicate is finite itself or by an auxiliary or copula."""
    return finite_verb(tree, head) is not None


def finite_verb(tree: Tree, head: int) -> int | None:
    """Return the finite part of a predicate: "was" of "was closed", "must" of "must be closed"."""
    parts = sorted([head, *tree.dependents(head, "aux", "cop")])
    for part in parts:
        if tree.feature(part, "VerbForm") == "Fin" or tree.lows[part] in MODALS:
            return part
    forms = ("Inf", "", "Part") if tree.lows[head].endswith("ed") else ("Inf", "")
    bare = tree.upos[head] == "VERB" and tree.feature(head, "VerbForm") in forms
    return head if bare and tree.dependent(head, "nsubj") is not None and tree.mark_of(head) != "to" else None


def subject_of(tree: Tree, head: int) -> int | None:
    """Return the subject of a predicate, the logical one where "it" stands for a clause."""
    subject = tree.dependent(head, "nsubj", "csubj")
    return subject if subject is not None else tree.dependent(head, "expl")


def is_past(tree: Tree, head: int) -> bool:
    """Tell whether a predicate reports the past: its finite verb is a past form and no modal."""
    verb = finite_verb(tree, head)
    return verb is not None and tree.lows[verb] not in MODALS and tree.feature(verb, "Tense") == "Past"


def clauses_of(tree: Tree, sentence: int) -> list[Clause]:
    """Return the clauses of a sentence in text order; a sentence without a finite predicate has none."""
    heads: dict[int, Clause] = {}
    depths = sorted((sum(1 for _ in tree.ancestors(head)), head) for head in _predicates(tree))
    for _, head in depths:
        if (clause := _clause(tree, sentence, head, heads)) is not None:
            heads[head] = clause
    for position in range(len(tree)):
        if (owner := _owner(tree, position, heads)) is not None:
            owner.tokens.append(position)
    _segment(tree, list(heads.values()))
    ordered = sorted((clause for clause in heads.values() if clause.tokens), key=lambda c: c.tokens[0])
    clauses = sorted((c for c in _set_aside(tree, ordered) if _bounded(c)), key=lambda c: c.start)
    for clause in clauses:
        if clause.kind == "reason":
            clause.parent = _conclusion(clause, clauses)
    return clauses


def _segment(tree: Tree, clauses: list[Clause]) -> None:
    """Let each clause run to the next one: what the parser hangs elsewhere still belongs to it.

    A clause that is interrupted by another, and has its predicate after it, keeps its own words.
    """
    ordered = sorted((clause for clause in clauses if clause.tokens), key=lambda clause: clause.tokens[0])
    if ordered and ordered[0].kind != "said":
        ordered[0].tokens = [*range(ordered[0].tokens[0]), *ordered[0].tokens]
    begins = [clause.tokens[0] for clause in ordered]
    for number, clause in enumerate(ordered):
        end = begins[number + 1] if number + 1 < len(begins) else len(tree)
        around = (c for c in ordered[:number] if c.tokens[-1] > clause.tokens[-1])
        holder = next((c for c in around if c.head > clause.head), None)
        if holder is not None:
            end = min(end, next((t for t in holder.tokens if t > clause.head), end))
        if clause.head < end:
            stop = next((t for t in range(clause.head, end) if _ends_clause(tree, t)), end)
            clause.tokens = list(range(clause.tokens[0], stop))
    for clause, following in itertools.pairwise(ordered):
        if clause.kind == following.kind == "main" and _leads_to(clause, following):
            clause.tokens, following.tokens = [], clause.tokens + following.tokens


def _leads_to(clause: Clause, following: Clause) -> bool:
    """Tell "When A, B" and "it is said, that if A, B" that the parser takes for two main clauses."""
    lows, tokens = clause.tree.lows, clause.tokens
    if not tokens or not following.tokens or tokens[-1] + 1 != following.tokens[0]:
        return False
    little = (*clause.cue.split(), "and", "but", "or", ",", ";")
    first = next((token for token in tokens if lows[token] not in little), tokens[0])
    if lows[first] == "as" and not {"a", "an", "to", "for", "far"}.isdisjoint(lows[first + 1 : first + 2]):
        return False
    after_that = {lows[t + 1] for t in tokens[:-1] if lows[t] == "that"}
    conditional = lows[first] in _CONDITIONS or not after_that.isdisjoint({"if", "unless", "although"})
    return conditional and "," in (lows[tokens[-1]], lows[following.tokens[0]])


def _ends_clause(tree: Tree, position: int) -> bool:
    """Tell a ";" before a statement of its own from one before a phrase or a relative clause."""
    if tree.lows[position] != ";":
        return False
    if position + 1 < len(tree) and tree.feature(position + 1, "VerbForm") in ("Part", "Ger"):
        return False
    end = next((t for t in range(position + 1, len(tree)) if tree.lows[t] == ";"), len(tree))
    finite = any(
        tree.lows[t] in MODALS or (tree.feature(t, "VerbForm") == "Fin" and tree.deprels[t] != "acl:relcl")
        for t in range(position + 1, end)
    )
    return finite and _PHRASAL.isdisjoint(tree.lows[position + 1 : position + 2])


_PHRASAL = wordset("which who whose whom by either or")


def _conclusion(reason: Clause, clauses: list[Clause]) -> Clause | None:
    """Return what a reason is given for: the clause it follows or, where it comes first, the one it hangs on.

    "Snow argued that A because B" gives the reason of A. A reason that follows no clause has no conclusion.
    """
    if reason.parent is not None and reason.start < reason.parent.start:
        reported = (c for c in clauses if c.kind == "said" and c.parent is reason.parent)
        return next((c for c in reported if c.start > reason.start), reason.parent)
    if reason.cue != "for" and clauses[0] is reason and reason.parent is None:
        return clauses[1] if len(clauses) > 1 and clauses[1].kind == "main" else None
    between = [c for c in clauses if c is not reason and c.start < reason.start and c.kind != "reason"]
    before = max(between, key=lambda c: c.tokens[-1], default=None)
    if before is None or not _adjoins(before, reason):
        return None
    if before is reason.parent or reason.parent is None or before.parent is reason.parent:
        return before
    after = before.tokens[-1] + 1
    return before if reason.tree.lows[after : after + 1] == [";"] else reason.parent


def _adjoins(before: Clause, reason: Clause) -> bool:
    """Tell whether only marks and the words that make it a reason stand between a clause and its reason."""
    between = range(before.tokens[-1] + 1, reason.tokens[0])
    words = {"and", "only", *reason.cue.split()}
    return all(reason.tree.upos[t] == "PUNCT" or reason.tree.lows[t] in words for t in between)


def _predicates(tree: Tree) -> list[int]:
    roots = tree.roots if len(tree) > SHORT else []
    own = {head for head in range(len(tree)) if tree.dependents(head, "nsubj", "csubj", "expl")}
    because = {head for head in own if tree.mark_of(head) == "because"}
    return [head for head in own.union(roots) if head in because or is_finite(tree, head)]


def _owner(tree: Tree, position: int, heads: dict[int, Clause]) -> Clause | None:
    return next((heads[at] for at in (position, *tree.ancestors(position)) if at in heads), None)


def _clause(tree: Tree, sentence: int, head: int, heads: dict[int, Clause]) -> Clause | None:
    """Return the clause that a predicate heads, None where it is a part of another's."""
    reason = reason_mark(tree, head)
    anchor = _anchor(tree, head, heads)
    if reason and (anchor is not None or _opens(tree, head) or tree.relations[head] == "parataxis"):
        cue, above = reason, heads.get(anchor) if anchor is not None else None
        if above is not None and above.kind == "reason":
            return None
        return Clause(sentence, tree, head, "reason", [], parent=above, cue=cue)
    verb = reporting_verb(tree, head)
    if verb is not None and not _only_supposed(tree, verb):
        above = _owner(tree, verb, heads)
        return Clause(sentence, tree, head, "said", [], parent=above, verb=verb)
    if head in tree.roots:
        return Clause(sentence, tree, head, "main", [])
    return None if _subordinate(tree, head) else _joined(tree, sentence, head, heads)


def _joined(tree: Tree, sentence: int, head: int, heads: dict[int, Clause]) -> Clause | None:
    """Return a clause that is coordinated with another, or stands beside it, None where it is part of it."""
    relation = tree.relations[head]
    above = heads.get(tree.heads[head])
    therefore = _follows_so(tree, head)
    joined = relation in ("conj", "parataxis") or therefore
    if joined and above is not None and above.kind == "said":
        if _opens(tree, head) or tree.mark_of(head) == "that" or therefore:
            return Clause(sentence, tree, head, "said", [], parent=above.parent, verb=above.verb)
        return None
    beside = joined and (above.kind == "main" if above is not None else tree.heads[head] in tree.roots)
    return Clause(sentence, tree, head, "main", []) if beside or _opens(tree, head) else None


def _follows_so(tree: Tree, head: int) -> bool:
    """Tell ", so the pump is shut", a conclusion, from "so that" and "so far"."""
    subject = tree.dependent(head, "nsubj", "expl")
    if subject is None or subject > head or tree.relations[head] not in _LINKED:
        return False
    first = tree.subtree(subject)[0]
    return first > 1 and tree.lows[first - 1] == "so" and tree.upos[first] not in ("ADV", "SCONJ")


def _anchor(tree: Tree, head: int, heads: dict[int, Clause]) -> int | None:
    """Return the clause that an adverbial clause speaks of: not one that stands inside a noun phrase."""
    position = tree.heads[head]
    if tree.relations[head] not in _LINKED:
        return None
    for _ in range(len(tree)):
        if position in heads:
            return position
        relation, position = tree.relations[position], tree.heads[position]
        expletive = relation in ("ccomp", "csubj") and tree.dependents(position, "expl")
        if relation not in ("xcomp", "conj") and not expletive:
            return None
    return None


def _leftmost(tree: Tree, head: int) -> int:
    """Return the first word of a subtree, "and" and marks of punctuation left aside."""
    positions = tree.subtree(head)
    own = (at for at in positions if tree.upos[at] != "PUNCT" and tree.relations[at] != "cc")
    return next(own, positions[0])


def _opens(tree: Tree, head: int) -> bool:
    """Tell whether a clause begins the sentence or stands after ";"."""
    position = _leftmost(tree, head) - 1
    while position >= 0 and (
        tree.relations[position] == "cc" or (tree.upos[position] == "PUNCT" and tree.lows[position] != ";")
    ):
        position -= 1
    return position < 0 or tree.lows[position] == ";"


def _subordinate(tree: Tree, head: int) -> bool:
    first = _leftmost(tree, head)
    opening = tree.lows[first : first + 3]
    relative = tree.deprels[head] == "acl:relcl" or not {"which", "whom", "whose"}.isdisjoint(opening)
    return relative or opening[0] in _SUBORDINATORS or tree.mark_of(head) in _SUBORDINATORS


def reason_mark(tree: Tree, head: int) -> str:
    """Return the words that make a clause a reason: "because", causal "since", "for" and "as"; else ""."""
    first = _leftmost(tree, head)
    for mark in tree.dependents(head, "mark", "case", "cc", "advmod"):
        second = mark <= first + 1 and tree.lows[first] in ("and", "or", "only")
        words = " ".join(tree.lows[part] for part in (mark, *tree.dependents(mark, "fixed")))
        opens = mark <= head and (mark == first or second)
        if opens and words in _REASON_MARKS and _gives_a_reason(tree, head, mark, words):
            return words
    return "for" if _for_before(tree, head) else ""


def _for_before(tree: Tree, head: int) -> bool:
    """Tell "; for the people are free", whatever "for" was hung on: it stands right before a nominative."""
    subject = tree.dependent(head, "nsubj", "expl")
    if subject is None or subject > head or not is_finite(tree, head):
        return False
    first = tree.subtree(subject)[0]
    at = first if tree.lows[first] == "for" else first - 1
    if at < 0 or tree.lows[at] != "for" or tree.lows[at + 1 : at + 3] == ["the", "most"]:
        return False
    marked = tree.mark_of(head) not in ("", "for") or tree.deprels[head] == "acl:relcl"
    return not marked and _gives_a_reason(tree, head, at, "for")


def _gives_a_reason(tree: Tree, head: int, mark: int, words: str) -> bool:
    before = mark - 1 - (mark > 1 and tree.lows[mark - 1] == ",")
    if mark and tree.lows[before] in _NO_REASON_AFTER and words != "for":
        return False
    if words == "seeing" or _of_infinitive(tree, head, mark):
        return False
    if words == "for":
        return mark == 0 or tree.upos[mark - 1] in ("PUNCT", "CCONJ")
    if words == "since":
        return not _temporal_since(tree, head)
    return words != "as" or _causal_as(tree, head, mark)


def _of_infinitive(tree: Tree, head: int, mark: int) -> bool:
    """Tell "idle to object to it because it fails": without a comma it may be the infinitive's reason."""
    before = range(tree.heads[head], mark)
    to = any((tree.lows[at], tree.upos[at]) == ("to", "PART") for at in before)
    return to and tree.upos[mark - 1] != "PUNCT"


def _temporal_since(tree: Tree, head: int) -> bool:
    """Tell "since the pump was closed, deaths have fallen" from "since the pump is closed"."""
    if any(tree.lows[at] in _TEMPORAL or _DIGITS.search(tree.words[at]) for at in tree.subtree(head)):
        return True
    above = tree.heads[head]
    perfect = tree.lemmas[above] != "be" and tree.has_word(above, _PERFECT, "aux")
    return is_past(tree, head) and perfect


_COMPARING = wordset("so as such same thus")
_OWN = wordset("it they he she we there this these")


def _causal_as(tree: Tree, head: int, mark: int) -> bool:
    """Take "as" for causal only where a state is given, not a time, a manner or a comparison."""
    above = tree.heads[head]
    outside = (tree.lows[at] for at in tree.subtree(above) if at < mark or at > head)
    if not (_NOT_AS.isdisjoint(tree.lows[mark + 1 : mark + 2]) and _COMPARING.isdisjoint(outside)):
        return False
    if is_past(tree, head) != is_past(tree, above) or (mark and tree.has_word(head, MODALS, "aux")):
        return False
    passive = tree.dependent(head, "aux:pass", "nsubj:pass") is not None
    state = bool(tree.dependents(head, "cop")) or (tree.lemmas[head] in _STATES and not passive)
    comma = mark == 0 or tree.lows[mark - 1] in (",", ";")
    subject = subject_of(tree, head)
    own = subject is not None and tree.lows[subject] in _OWN
    return state and comma and (mark == 0 or own) and not tree.dependents(head, "advcl")


def reporting_verb(tree: Tree, head: int) -> int | None:
    """Return the verb that reports a clause: "argued" of "Snow argued that ...", also put in or after it.

    What is called wrong is reported too: "it is not true that ...".
    """
    above = tree.heads[head]
    if tree.relations[head] in ("acl", "ccomp") and above != head and tree.lemmas[above] in STATEMENTS:
        return above if tree.mark_of(head) == "that" else None
    reported = tree.relations[head] in ("ccomp", "csubj", "obj") or (
        tree.relations[head] == "parataxis" and tree.mark_of(head).startswith("that")
    )
    if not reported or above == head or tree.has_word(head, _ASKING, "advmod", "obj", "nsubj", "mark", "obl"):
        return None  # "told how it was done"
    if called_wrong(tree, above):
        return above if tree.mark_of(head) == "that" else None
    says = tree.lemmas[above] in SAYING and _has_sayer(tree, above)
    return above if says and tree.mark_of(head).partition(" ")[0] in ("", "that", "whether") else None


def called_wrong(tree: Tree, verb: int) -> str:
    """Return the word that calls what a verb or adjective governs wrong: "absurd to say that".

    Also "they are mistaken who suppose that" and "wrongly believe that".
    """
    lemma = tree.lemmas[verb]
    adverb = next((c for c in tree.dependents(verb, "advmod") if tree.lows[c] in WRONGLY), None)
    if adverb is not None:
        return tree.lows[adverb]
    above = itertools.islice(tree.ancestors(verb), 3) if lemma in SAYING else ()
    for position in (verb, *above) if lemma not in DENYING else ():
        words, negated = {tree.lemmas[position], tree.lows[position]}, tree.is_negated(position)
        near = {tree.lows[child] for child in tree.children[position]}
        compared = not near.isdisjoint({"less", "as", "i", "we"}) or (negated and "so" in near)
        predicate = tree.dependents(position, "cop", "nsubj", "expl")
        if predicate and not compared and not words.isdisjoint(TRUE if negated else WRONG):
            return f"not {tree.lows[position]}" if negated else tree.lows[position]
        if compared or tree.relations[position] not in _COMPLEMENTS:
            break
    return ""


_ASKING = wordset("how what who whom whose which why where when")
_COMPLEMENTS = frozenset({"csubj", "xcomp", "ccomp", "advcl", "acl", "nsubj"})


def _only_supposed(tree: Tree, verb: int) -> bool:
    """Tell "if we suppose that", which nobody says, from "if it be said that", an objection to be met."""
    for position in (verb, *tree.ancestors(verb)):
        mark = tree.mark_of(position).partition(" ")[0]
        if tree.relations[position] == "advcl" and mark in ("if", "unless", "lest"):
            subject = tree.dependent(verb, "nsubj", "expl")
            return subject is None or tree.lows[subject] != "it"
    return False


def _has_sayer(tree: Tree, verb: int) -> bool:
    """Leave out "let us suppose that" and "suppose that": nobody holds what is only supposed."""
    if tree.lemmas[tree.heads[verb]] == "let" or tree.feature(verb, "Mood") == "Imp":
        return False
    own = tree.dependent(verb, "nsubj", "expl") is not None
    return own or tree.relations[verb] in ("conj", "xcomp", "root")


class Aside(NamedTuple):
    """Words between commas that say who speaks: ", Snow argued," and ", said Snow"; half-open."""

    first: int
    last: int
    verb: int
    speaker: int


_LONGEST_ASIDE = 9


def asides(tree: Tree) -> list[Aside]:
    """Return the asides of a sentence, read word by word: parsers hang them anywhere."""
    borders = [-1, *(t for t in range(len(tree)) if tree.lows[t] in _BORDERS), len(tree)]
    spans = [(before + 1, after) for before, after in itertools.pairwise(borders)]
    read = (_aside(tree, first, last) for first, last in spans[1:])
    return [aside for aside in read if aside is not None]


_NO_ASIDE = wordset("that which who it i we to")
_BORDERS = frozenset({",", ";", ":", ".", "--", "—", '"', "”", "''"})


def _aside(tree: Tree, first: int, last: int) -> Aside | None:
    words = range(first, last)
    verbs = [t for t in words if tree.upos[t] in ("VERB", "AUX") and tree.lows[t] not in _PERFECT]
    if not 2 <= len(words) <= _LONGEST_ASIDE or len(verbs) != 1 or tree.lows[first - 1] != ",":
        return None
    verb = verbs[0]
    reports = tree.lemmas[verb] in (OPINION | REPORTING) - {"feel", "fear", "hope"}
    plain = tree.feature(verb, "VerbForm") not in ("Ger", "Inf") and not tree.lows[verb].endswith("ing")
    joined = any(tree.upos[t] in ("SCONJ", "CCONJ") or tree.lows[t] in _NO_ASIDE for t in words)
    if joined or not (reports and plain):
        return None
    holder = range(first, verb) if verb > first else range(verb + 1, last)
    nominal = [t for t in holder if tree.upos[t] in ("NOUN", "PROPN", "PRON")]
    outer = [t for t in nominal if tree.heads[t] not in nominal]
    if not nominal or tree.upos[holder[0]] not in ("NOUN", "PROPN", "PRON", "DET", "ADJ"):
        return None
    return Aside(first, last, verb, (outer or nominal)[0])


def _set_aside(tree: Tree, clauses: list[Clause]) -> list[Clause]:
    """Give the clauses beside an aside its speaker, and leave it out at the end of a sentence."""
    for aside in asides(tree):
        within = range(aside.first, aside.last)
        beside = [clause for clause in clauses if not set(clause.tokens) <= set(within)]
        before = next((c for c in reversed(beside) if c.tokens[0] < aside.first), None)
        after = next((c for c in beside if c.tokens[-1] >= aside.last and c is not before), None)
        if before is None or before.kind == "reason":
            continue
        begins = after is not None and after.tokens[0] in range(aside.first, aside.last + 2)
        if after is not None and begins and subject_of(tree, after.head) in (None, *within):
            before.tokens, before.head = before.tokens + after.tokens, after.head
            beside.remove(after)
        rest = [t for t in before.tokens if t < aside.first - 1]
        ends = all(tree.upos[t] == "PUNCT" for t in before.tokens if t >= aside.last)
        if ends and before.head not in rest:
            before.head = next((t for t in tree.dependents(aside.verb, "ccomp") if t in rest), before.head)
        if ends and before.head in rest:
            before.tokens = rest
        for clause in beside:
            if clause.kind == "main" or clause is before:
                clause.kind, clause.verb, clause.aside = "said", aside.verb, aside.speaker
        clauses = beside
    return clauses


def _bounded(clause: Clause) -> bool:
    """Set the characters of a clause, without conjunction, mark and stop at its edges."""
    tree, tokens = clause.tree, clause.tokens
    while tokens and tokens[0] != clause.head and _trims_left(clause, tokens[0]):
        tokens.pop(0)
    while tokens and tokens[-1] != clause.head and _is_stop(tree, tokens[-1]):
        tokens.pop()
    if not tokens:
        return False
    clause.start, clause.end = tree.starts[tokens[0]], tree.ends[tokens[-1]]
    return len(tokens) >= SHORTEST or tree.lemmas[clause.head] in SAYING


def _is_stop(tree: Tree, position: int) -> bool:
    return tree.upos[position] == "PUNCT" and tree.lows[position] not in ")]"


def _trims_left(clause: Clause, position: int) -> bool:
    low, relation = clause.tree.lows[position], clause.tree.relations[position]
    coordinated = relation == "cc" and low in ("and", "but", "or", "nor", "yet", "so", "for")
    if coordinated or clause.tree.upos[position] == "PUNCT":
        return low not in ("nor", "(", "[")
    if clause.kind == "reason":
        return low in (*clause.cue.split(), "only")
    return clause.kind == "said" and low in ("that", "whether") and relation in ("mark", "det")
