"""What pronouns and definite descriptions stand for: a link only where one reading leads.

Everything nominal that a document has named so far is a candidate, with gender, number and kind. A pronoun
takes the candidate that agrees with it, stands close, and stood as a subject or where the pronoun stands
now. Where two come out alike no link is made: a wrong one is worse than none.
"""

import re
from bisect import bisect_right
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cache

from corpusgraph.schemas.evidence import Mention
from corpusgraph.tasks.extract.context import Context, End, Reference
from corpusgraph.tasks.extract.ends import is_cut_off, phrase_span, says_something
from corpusgraph.tasks.extract.nouns import COLLECTIVES, FEMALES, MALES, PERSONS
from corpusgraph.tasks.extract.roles import is_passive
from corpusgraph.tasks.extract.tree import CLAUSAL, Tree, squeezed
from corpusgraph.tasks.index.names import GENDERED, person_name, sex_of, singular
from corpusgraph.tasks.index.rules.known_names import FEMALE, ROLES
from corpusgraph.tasks.index.rules.name_context import KIND_OF, SAYING
from corpusgraph.tasks.index.rules.wordlist import wordset

WINDOW = 3
"""Sentences before its own in which the antecedent of a pronoun is looked for; for a person twice as many."""
MEMORY = 10
"""Sentences for which what is spoken of can be taken up again by a description."""
_PRONOUNS = {
    **dict.fromkeys(("he", "him", "his", "himself"), "m"),
    **dict.fromkeys(("she", "her", "hers", "herself"), "f"),
    **dict.fromkeys(("it", "its", "itself"), "n"),
    **dict.fromkeys(("they", "them", "their", "theirs", "themselves"), "p"),
}
_REFLEXIVE = frozenset({"himself", "herself", "itself", "themselves"})
_FIRST = frozenset({"i", "me", "my", "mine", "myself"})
_NEVER = wordset("""
    way time day year month week hour minute moment morning evening night fact thing case sort kind
    lot number
    part side end example instance reason course place order one manner respect degree account regard view
    something anything nothing everything other none majority half most rest monday tuesday
    wednesday thursday friday
    saturday sunday january february march april june july august september october november december mr mrs
""")
"""Nouns that a pronoun hardly ever stands for."""
_CLAUSE_VERBS = wordset("""
    cause lead result mean make prevent produce create force allow enable trigger provoke explain show prove
    suggest ensure help hinder stop encourage contribute bring drive spark
""")
_KINDS = {
    "organisation": wordset("""
        company firm club council committee board party team band agency ministry department court
        union bank
        school university newspaper army organisation organization association institution group
        society church
        corporation commission airline manufacturer congress assembly
    """),
    "place": wordset(
        "city town village country river island county state capital region district nation port"
    ),
}
_UNSURE = frozenset({"capitals", "context", "sentence start", "heading"})
"""Cues of names of which it is not known what they name."""
_WEATHER = wordset("rain snow thunder freeze dawn drizzle hail")
_QUOTED = re.compile(r"“[^”]{1,2000}”|\"[^\"]{1,2000}\"")
_ROLE_WEIGHT = {
    "nsubj": 3.0,
    "csubj": 2.0,
    "root": 2.0,
    "obj": 2.0,
    "iobj": 2.0,
    "obl": 1.2,
    "nmod": 0.4,
    "appos": 0.2,
}
_DEMONSTRATIVE = frozenset({"this", "that", "these", "those", "such"})


@dataclass(slots=True, eq=False)
class _Entry:
    """Something the text has named, with where it was last spoken of."""

    sentence: int
    token: int
    gender: str
    """m, f, n, or "" for a person of either; combined with `plural`."""
    plural: bool
    either: bool
    """A body of persons: it or they."""
    name: Mention | None
    lemma: str
    count: int = 1
    role: str = ""
    last: tuple[int, int] = (0, 0)
    members: tuple[int, ...] = ()
    linked: Reference | None = None
    modifiers: frozenset[str] = field(default_factory=frozenset)


def resolve_references(context: Context) -> None:
    """Fill `context.references`."""
    if context.reading.language != "en":
        return
    _Resolver(context).run()


class _Resolver:
    """One pass over a document, sentence by sentence and word by word."""

    def __init__(self, context: Context) -> None:
        self._context = context
        self._entries: list[_Entry] = []
        self._by_name: dict[str, _Entry] = {}
        self._quotes = [match.span() for match in _QUOTED.finditer(context.document.text)]
        self._quote_starts = [start for start, _ in self._quotes]
        self._author = _author(context)

    def run(self) -> None:
        for sentence, tree in enumerate(self._context.trees):
            self._entries = [entry for entry in self._entries if _far(entry, sentence) <= MEMORY]
            nominals: dict[int, list[tuple[int, ...]]] = defaultdict(list)
            for token, members in _nominals(self._context, sentence):
                nominals[token].append(members)
            for token in range(len(tree)):
                low = tree.lows[token]
                if low in _PRONOUNS:
                    self._pronoun(sentence, token, _PRONOUNS[low])
                elif low in _FIRST and tree.upos[token] == "PRON":
                    self._first_person(sentence, token)
                elif low in ("this", "that") and tree.upos[token] in ("PRON", "DET"):
                    self._clause(sentence, token)
                else:
                    for members in nominals.get(token, ()):
                        self._nominal(sentence, token, members)

    # what is named

    def _nominal(self, sentence: int, token: int, members: tuple[int, ...]) -> None:
        tree = self._context.trees[sentence]
        entry = _entry(self._context, sentence, token, members)
        known = self._described(entry, sentence, token) if not members and entry.name is None else None
        if known is None and entry.name is not None:
            known = self._by_name.get(_short(entry.name))
        if known is None:
            known = entry
        else:
            known.count += 1
            known.gender = known.gender or entry.gender
        known.sentence, known.token, known.members = (
            (sentence, token, members) if known is entry else (known.sentence, known.token, known.members)
        )
        known.role, known.last = _role(tree, token), (sentence, token)
        if known in self._entries:
            self._entries.remove(known)
        self._entries.append(known)
        if entry.name is not None:
            self._by_name[_short(entry.name)] = known
            if entry.name.type == "person":
                self._by_name.setdefault(_short(entry.name).rpartition(" ")[2], known)

    def _described(self, entry: _Entry, sentence: int, token: int) -> _Entry | None:
        """Return what a definite description stands for, and note the reference where its words differ."""
        tree = self._context.trees[sentence]
        determiner = next((tree.lows[child] for child in tree.dependents(token, "det")), "")
        if determiner not in _DEMONSTRATIVE and determiner != "the":
            return None
        if entry.lemma in _NEVER or tree.dependent(token, "nmod", "acl", "nummod", "appos") is not None:
            return None
        near = [other for other in self._entries if other.plural == entry.plural and not other.members]
        same = [
            other
            for other in near
            if other.name is None and other.lemma == entry.lemma and entry.modifiers <= other.modifiers
        ]
        if same:
            return self._same_noun(entry, same, sentence, token, determiner)
        if entry.modifiers or entry.plural:
            return None
        kind = next((kind for kind, nouns in _KINDS.items() if entry.lemma in nouns), "")
        named = [other for other in near if other.name is not None and _is_called(other, entry.lemma, kind)]
        headed = [other for other in named if _head_is(other, entry.lemma)] or named
        if len(headed) == 1:
            self._link(sentence, token, headed[0], 0.7)
            return headed[0]
        return None

    def _same_noun(
        self, entry: _Entry, same: list[_Entry], sentence: int, token: int, determiner: str
    ) -> _Entry | None:
        longer = [other for other in same if other.modifiers > entry.modifiers]
        different = {other.modifiers for other in longer}
        nearest = same[-1]
        if determiner in _DEMONSTRATIVE or len(different) <= 1:
            if nearest.modifiers > entry.modifiers or nearest.linked is not None:
                self._link(sentence, token, nearest, 0.7 if determiner in _DEMONSTRATIVE else 0.6)
            return nearest
        return nearest if not different else None

    # what stands for it

    def _pronoun(self, sentence: int, token: int, gender: str) -> None:
        tree = self._context.trees[sentence]
        if gender == "n" and _pleonastic(tree, token):
            return
        candidates = [
            entry
            for entry in self._entries
            if _far(entry, sentence) <= (2 * WINDOW if _personal(entry) else WINDOW)
            and _agrees(entry, gender)
        ]
        if tree.lows[token] in _REFLEXIVE and tree.relations[token] not in ("obj", "iobj", "obl"):
            return
        if tree.lows[token] in _REFLEXIVE:
            candidates = [
                entry for entry in candidates if entry.last in _clause_subjects(sentence, tree, token)
            ]
        else:
            candidates = [entry for entry in candidates if _may_bind(entry, sentence, tree, token)]
        ranked = sorted(
            (
                (self._score(entry, sentence, tree, token, gender), order, entry)
                for order, entry in enumerate(candidates)
            ),
            key=lambda item: item[:2],
            reverse=True,
        )
        if not ranked or ranked[0][0] < 0.5:
            self._ahead(sentence, token, gender)
            return
        margin = ranked[0][0] - ranked[1][0] if len(ranked) > 1 else 3.0
        if margin < MARGIN[gender]:
            return
        confidence = 0.85 if margin >= 2.5 else 0.75 if margin >= 1.5 else 0.65
        if gender in "np":
            confidence -= 0.05
        entry = ranked[0][2]
        self._link(sentence, token, entry, confidence)
        entry.count += 1
        if gender in "mfn" and entry.gender in ("", "?"):
            entry.gender = gender
        entry.last, entry.role = (sentence, token), _role(tree, token)
        self._entries.remove(entry)
        self._entries.append(entry)

    def _score(self, entry: _Entry, sentence: int, tree: Tree, token: int, gender: str) -> float:
        far = _far(entry, sentence)
        score = _ROLE_WEIGHT.get(entry.role, 0.6)
        score -= FAR * far
        if not far:
            score -= 0.03 * (token - entry.last[1])
        if entry.role == tree.relations[token] or (entry.role == "nsubj") == (
            tree.relations[token] == "nsubj"
        ):
            score += PARALLEL
        score += min(0.3 * (entry.count - 1), 1.2)
        score -= 0.8 if entry.gender == "?" else 0.0
        score -= 1.0 if entry.members and entry.gender == "n" else 0.0
        if tree.deprels[token] == "nmod:poss" and entry.last in _clause_subjects(sentence, tree, token):
            score += OWN
        score += 0.5 if entry.name is not None and gender in "mf" else 0.0
        score -= (
            0.8 if entry.lemma in COLLECTIVES and (gender == "p") != entry.plural and gender == "p" else 0.0
        )
        return score

    def _ahead(self, sentence: int, token: int, gender: str) -> None:
        """Look for a name that follows in the main clause: "When he came, Snow spoke."."""
        tree = self._context.trees[sentence]
        clause = tree.clause_head(token)
        if tree.relations[clause] not in ("advcl", "acl") or tree.heads[clause] < clause:
            return
        for subject in tree.dependents(tree.heads[clause], "nsubj"):
            if (
                subject > token
                and subject not in tree.subtree(clause)
                and tree.upos[subject] in ("NOUN", "PROPN")
            ):
                entry = _entry(self._context, sentence, subject, ())
                if _agrees(entry, gender) and (entry.name is not None or gender in "np"):
                    self._link(sentence, token, entry, 0.6)

    def _clause(self, sentence: int, token: int) -> None:
        """Take "This led to ..." for the clause before."""
        tree = self._context.trees[sentence]
        verb = tree.heads[token]
        if (
            not sentence
            or tree.relations[token] != "nsubj"
            or tree.lemmas[verb] not in _CLAUSE_VERBS
            or is_passive(tree, verb)
        ):
            return
        if tree.relations[verb] != "root":
            return
        before = self._context.trees[sentence - 1]
        if tree.start - before.end > 3 or "\n\n" in self._context.document.text[before.end : tree.start]:
            return
        root = next((root for root in before.roots if before.upos[root] == "VERB"), None)
        if root is None or before.lows[-1] == "?" or not says_something(before, root, clause=True):
            return
        end = self._context.end(sentence - 1, root, clause=True)
        if not is_cut_off(before, root, *end.span, (), clause=True):
            mention = self._context.mention_of(sentence - 1, end)
            self._context.references[sentence, token] = Reference(mention, 0.75)

    def _first_person(self, sentence: int, token: int) -> None:
        tree = self._context.trees[sentence]
        quote = self._quote_of(tree.starts[token])
        if quote is None:
            if self._author:
                self._speak(sentence, token, self._author, 0.9)
            return
        for verb in range(len(tree)):
            outside = not quote[0] <= tree.starts[verb] < quote[1]
            if outside and tree.upos[verb] == "VERB" and tree.lemmas[verb] in SAYING:
                subject = tree.dependent(verb, "nsubj")
                name = self._context.name_at(sentence, subject) if subject is not None else None
                if name is not None and name.type == "person":
                    self._context.references[sentence, token] = Reference(name, 0.8)
                return

    def _speak(self, sentence: int, token: int, author: str, confidence: float) -> None:
        tree = self._context.trees[sentence]
        mention = self._context.findings.mention(
            tree.starts[token],
            tree.ends[token],
            "person",
            self._context.reading.sentences[sentence],
            confidence=confidence,
            cue="author",
            name=author,
            attributes={"pronoun": True},
        )
        self._context.references[sentence, token] = Reference(mention, confidence)

    def _quote_of(self, place: int) -> tuple[int, int] | None:
        at = bisect_right(self._quote_starts, place) - 1
        return self._quotes[at] if at >= 0 and place < self._quotes[at][1] else None

    def _link(self, sentence: int, token: int, entry: _Entry, confidence: float) -> None:
        if entry.linked is None:
            end = self._end_of(entry)
            if end is None:
                return
            entry.linked = Reference(self._context.mention_of(entry.sentence, end), 1.0)
        self._context.references[sentence, token] = Reference(entry.linked.mention, confidence)

    def _end_of(self, entry: _Entry) -> End | None:
        if entry.name is not None:
            return End((entry.name.start, entry.name.end), entry.name.name, entry.name, 1.0)
        if entry.members:
            tree = self._context.trees[entry.sentence]
            spans = [phrase_span(tree, member, entry.members)[:2] for member in entry.members]
            start, end = min(start for start, _ in spans), max(end for _, end in spans)
            text = squeezed(self._context.document.text[start:end])
            return End((start, end), text, None, 1.0, entry.lemma)
        return self._context.end(entry.sentence, entry.token)


MARGIN = {"m": 0.3, "f": 0.3, "n": 0.8, "p": 0.8}
"""By how much the best antecedent must lead the next."""
FAR = 2.4
PARALLEL = 0.6
OWN = 1.0
"""For the subject of the clause that a possessive stands in."""


def _author(context: Context) -> str:
    """Return the one author that the metadata names, "" where there is none or there are several."""
    author = context.document.metadata.get("author")
    name = author.strip() if isinstance(author, str) else ""
    several = re.search(r"[;&,/]|\band\b|\bor\b|\bet\b|\d", name, re.IGNORECASE)
    return "" if several or len(name.split()) > 5 else name


def _far(entry: _Entry, sentence: int) -> int:
    return sentence - entry.last[0]


def _personal(entry: _Entry) -> bool:
    return entry.name is not None and entry.name.type == "person"


def _short(name: Mention) -> str:
    return " ".join(person_name(name.name).tokens) if name.type == "person" else name.name.lower()


def _role(tree: Tree, token: int) -> str:
    """Return the relation of a nominal; what is coordinated stands where the first of the row does."""
    while tree.relations[token] == "conj" and tree.heads[token] != token:
        token = tree.heads[token]
    return tree.relations[token]


def _nominals(context: Context, sentence: int) -> Iterator[tuple[int, tuple[int, ...]]]:
    """Yield the heads of nominals, with what is coordinated where that is meant as a whole."""
    tree = context.trees[sentence]
    for token in range(len(tree)):
        if tree.upos[token] not in ("NOUN", "PROPN") or tree.relations[token] in (
            "compound",
            "flat",
            "amod",
            "fixed",
            "goeswith",
            "case",
            "cc",
        ):
            continue
        name = context.name_at(sentence, token)
        if name is not None and (name.type == "date" or tree.position_at(name.start, name.end) != token):
            continue
        members = tree.conjuncts(token)
        joined = len(members) > 1 and all(tree.upos[member] in ("NOUN", "PROPN") for member in members)
        joint = {tree.lows[cc] for member in members for cc in tree.dependents(member, "cc")}
        yield token, ()
        if joined and joint <= {"and", "&"} and tree.relations[token] != "conj":
            yield token, tuple(members)


def _entry(context: Context, sentence: int, token: int, members: tuple[int, ...]) -> _Entry:
    tree = context.trees[sentence]
    name = context.name_at(sentence, token) if not members else None
    lemma = singular(tree.lows[token] if tree.upos[token] == "PROPN" else tree.lemmas[token])
    plural = bool(members) or (
        tree.feature(token, "Number") == "Plur" and not (name and name.type == "person")
    )
    gender = "n"
    if members:
        gender = "" if all(_is_person(context, sentence, member) for member in members) else "n"
    if name is not None and name.type == "person":
        gender = gender_of(
            name.name, str(name.attributes.get("title", "")), str(name.attributes.get("role", ""))
        )
    elif name is not None and name.type == "concept" and name.cue in _UNSURE:
        gender = "?"
    elif name is not None and name.type == "organisation":
        gender, plural = "n", plural or name.cue == "people"
    elif lemma in MALES:
        gender = "m"
    elif lemma in FEMALES:
        gender = "f"
    elif lemma in PERSONS or lemma in ROLES:
        gender = ""
    either = lemma in COLLECTIVES or (name is not None and name.type == "organisation")
    modifiers = frozenset(
        tree.lows[child] for child in tree.dependents(token, "amod", "compound", "nmod", "nummod", "acl")
    )
    return _Entry(
        sentence,
        token,
        gender,
        plural,
        either,
        name,
        lemma,
        1,
        _role(tree, token),
        (sentence, token),
        members,
        None,
        modifiers,
    )


def _is_person(context: Context, sentence: int, token: int) -> bool:
    name, lemma = context.name_at(sentence, token), context.trees[sentence].lemmas[token]
    if name is not None:
        return name.type in ("person", "organisation")
    return lemma in PERSONS or lemma in MALES or lemma in FEMALES or lemma in ROLES


@cache
def gender_of(name: str, title: str = "", role: str = "") -> str:
    """Return m or f where title, role or given name tells, else "" (a person)."""
    person = person_name(name)
    honorific = GENDERED.get(person.honorific or title.lower().rstrip("."), "")
    if honorific:
        return "m" if honorific == "mr" else "f"
    last = role.rpartition(" ")[2].lower()
    if last in MALES or last in FEMALES:
        return "m" if last in MALES else "f"
    first = name.split(maxsplit=1)[0] if name else ""
    if first.lower() in MALES or first.lower() in FEMALES:
        return "m" if first.lower() in MALES else "f"
    if first in FEMALE:
        return "f"
    return sex_of(name)


def _agrees(entry: _Entry, gender: str) -> bool:
    if entry.lemma in _NEVER and entry.name is None:
        return False
    if gender == "p":
        return entry.plural or entry.either
    if entry.plural:
        return False
    if gender == "n":
        return entry.gender in ("n", "?") and (
            entry.name is None or entry.name.type not in ("date", "quantity")
        )
    return entry.gender in ("", "?", gender)


def _may_bind(entry: _Entry, sentence: int, tree: Tree, token: int) -> bool:
    """Tell whether syntax lets a pronoun stand for a nominal of its own sentence."""
    if entry.last[0] != sentence:
        return True
    other = entry.last[1]
    possessive = tree.deprels[token] == "nmod:poss"
    for member in entry.members or (other,):
        if member >= len(tree):
            continue
        between = [tree.relations[token]] + [tree.relations[head] for head in _path(tree, token, member)]
        below = member in tree.ancestors(token)
        if below and not any(relation in CLAUSAL or relation == "conj" for relation in between):
            return False
        if token in tree.ancestors(member):
            return False
        if not possessive and tree.heads[token] == tree.heads[member]:
            return False
        if (
            not possessive
            and tree.relations[token] != "nsubj"
            and _same_clause(tree, token, member)
            and tree.relations[member] == "nsubj"
        ):
            return False
    return True


def _path(tree: Tree, token: int, above: int) -> Iterator[int]:
    for head in tree.ancestors(token):
        if head == above:
            return
        yield head


def _same_clause(tree: Tree, one: int, other: int) -> bool:
    return tree.clause_head(one) == tree.clause_head(other)


def _clause_subjects(sentence: int, tree: Tree, token: int) -> list[tuple[int, int]]:
    clause = tree.clause_head(token)
    return [(sentence, subject) for subject in tree.dependents(clause, "nsubj")]


def _pleonastic(tree: Tree, token: int) -> bool:
    """Tell the "it" of "it is clear that", "it rains", "made it possible to" and "it was Snow who"."""
    if tree.deprels[token] == "expl":
        return True
    head = tree.heads[token]
    if tree.relations[token] == "nsubj":
        if tree.dependent(head, "csubj") is not None or tree.lemmas[head] in _WEATHER:
            return True
        clauses = [child for child in tree.dependents(head, "ccomp", "xcomp", "advcl", "acl") if child > head]
        marks = {tree.mark_of(child) for child in clauses}
        copular = tree.dependent(head, "cop") is not None
        if (
            copular
            or is_passive(tree, head)
            or tree.lemmas[head] in ("seem", "appear", "happen", "follow", "turn", "matter")
        ) and (
            marks & {"that", "to", "whether", "for to", "if"}
            and not (copular and tree.upos[head] in ("NOUN", "PROPN") and marks == {"to"})
        ):
            return True
        if (
            copular
            and tree.upos[head] in ("NOUN", "PROPN", "NUM", "ADV")
            and (
                any(tree.deprels[child] == "acl:relcl" for child in tree.children[head])
                or tree.lemmas[head] in _NEVER
            )
        ):
            return True
    if tree.relations[token] == "obj":
        return any(
            tree.upos[child] == "ADJ"
            and any(
                tree.mark_of(low) in ("to", "that")
                for low in tree.dependents(child, "xcomp", "ccomp", "csubj", "advcl")
            )
            for child in tree.dependents(head, "xcomp")
        )
    return False


def _is_called(entry: _Entry, lemma: str, kind: str) -> bool:
    """Tell whether a name may be spoken of by a noun: a firm as the company, a person by his role."""
    name = entry.name
    if name is None:
        return False
    if _head_is(entry, lemma):
        return True
    role = str(name.attributes.get("role", "")).lower().split()
    if name.type == "person":
        return lemma in role
    return bool(kind) and name.type == kind and (KIND_OF.get(lemma) != "place" or name.type == "place")


def _head_is(entry: _Entry, lemma: str) -> bool:
    words = entry.name.name.lower().split() if entry.name is not None else []
    return len(words) > 1 and words[-1] == lemma
