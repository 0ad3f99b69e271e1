"""Who is who: what pronouns and definite descriptions stand for, by sieves from the sure to the doubtful.

A document is read once, word by word. What it names is remembered, with kind, gender and number; what
refers to something passes the sieves for its kind, and the first that decides links it. A pronoun goes to
the most salient of those it agrees with: near, a subject, taken up before, in the same voice. Where two come
out alike no link is made: a wrong one is worse than none.
"""

import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cache
from typing import NamedTuple

from corpusgraph.schemas.documents import Document
from corpusgraph.schemas.evidence import Mention
from corpusgraph.tasks.extract.context import Context, End, Reference
from corpusgraph.tasks.extract.ends import phrase_span
from corpusgraph.tasks.extract.events import EVENTIVE
from corpusgraph.tasks.extract.nouns import COLLECTIVES, FEMALES, MALES, PERSONS
from corpusgraph.tasks.extract.quotations import Quotation, quotations
from corpusgraph.tasks.extract.roles import RELATIVE, antecedent, is_passive, surface_subjects
from corpusgraph.tasks.extract.tree import CLAUSAL, Tree, squeezed
from corpusgraph.tasks.index.names import GENDERED, person_name, sex_of, singular
from corpusgraph.tasks.index.rules.known_names import FEMALE, ROLES
from corpusgraph.tasks.index.rules.name_context import KIND_OF, SAYING
from corpusgraph.tasks.index.rules.wordlist import wordset

WINDOW = 3
"""Sentences before its own in which the antecedent of a pronoun is looked for; for a person twice as many."""
MEMORY = 10
"""Sentences for which what is spoken of can be taken up again by a description."""
LEAST = 0.6
"""How sure a link must be: no relation gets an end that is more likely wrong than right."""
NEAR = 100
"""Characters between a quotation and who says it, or the next quotation of the same speaker."""
_PRONOUNS = {
    **dict.fromkeys(("he", "him", "his", "himself"), "m"),
    **dict.fromkeys(("she", "her", "hers", "herself"), "f"),
    **dict.fromkeys(("it", "its", "itself"), "n"),
    **dict.fromkeys(("they", "them", "their", "theirs", "themselves"), "p"),
}
_REFLEXIVE = frozenset({"himself", "herself", "itself", "themselves"})
_FIRST = frozenset({"i", "me", "my", "mine", "myself"})
_THIS = frozenset({"this", "that"})
_DEMONSTRATIVE = frozenset({"this", "that", "these", "those", "such"})
_EXTRAPOSING = wordset("""
    seem appear happen follow turn matter suit become please surprise concern require need cost remain behove
    behoove belong occur strike take
""")
"""Verbs whose "it" may stand for a clause that follows."""
_NEVER = wordset("""
    way time day year month week hour minute moment morning evening night decade century fact thing case sort
    kind lot number part side end example instance reason course place order one manner respect degree account
    regard view something anything nothing everything other none majority half most rest monday tuesday
    wednesday thursday friday saturday sunday january february march april june july august september october
    november december mr mrs
""")
"""Nouns that a pronoun hardly ever stands for."""
_TYPED = {
    "organisation": wordset("""
        company firm club band agency ministry university school newspaper army corporation airline
        manufacturer organisation organization
    """),
    "place": wordset("city town village river island"),
}
"""Nouns by which a name of that type may be spoken of though the text has not called it so."""
_UNSURE = frozenset({"capitals", "context", "sentence start", "heading"})
"""Cues of names of which it is not known what they name."""
_TIMES_AND_WEATHER = wordset("""
    rain snow thunder freeze dawn drizzle hail time late early dark cold hot warm noon midnight sunny windy
    winter summer spring autumn sunday monday tuesday wednesday thursday friday saturday
""")
_MINDED = SAYING | wordset(
    "want wish hope know fear feel decide intend expect agree refuse try like love hate understand demand"
)
"""Verbs whose subject has a mind."""
_PERSONAL = wordset("""
    hand eye mind heart head face opinion belief wish hope fear conduct duty constituent ambition wife husband
    mother father friend child son daughter brother sister neighbour neighbor life career voice servant
""")
"""What persons have."""
_SUMMED_UP = wordset("""
    cause lead result mean make prevent produce create force allow enable trigger provoke explain show prove
    suggest ensure help hinder stop encourage contribute bring drive spark happen save hurt harm ruin spoil
    please surprise worry shock anger delight delay improve worsen raise lower reduce increase weaken strengthen
    change affect influence damage cost oblige render leave persuade convince kill end change mark
""")
"""Verbs by which "this" is what the text has just said."""
_SUMMARIES = wordset("""
    why because how when reason result cause consequence mistake problem risk tragedy accident disaster success
    failure good bad true false likely unlikely possible impossible important necessary wrong right enough
""")
"""Predicates of "this", of the same kind."""
_NOUN_OF = {
    noun: verb
    for verb, noun in (
        pair.split("/")
        for pair in """
    decide/decision collide/collision expand/expansion extend/extension invade/invasion conclude/conclusion
    destroy/destruction die/death lose/loss choose/choice fly/flight grow/growth sell/sale marry/marriage
    receive/reception permit/permission admit/admission submit/submission omit/omission defend/defence
    defend/defense succeed/success believe/belief produce/production reduce/reduction injure/injury try/trial
    discover/discovery deliver/delivery recover/recovery rob/robbery advise/advice complain/complaint
    restrain/restraint descend/descent pursue/pursuit explode/explosion rebel/rebellion respond/response
    oppose/opposition propose/proposal explain/explanation acquire/acquisition suspend/suspension
    assassinate/assassination persuade/persuasion divide/division provide/provision revise/revision
    confuse/confusion convert/conversion exclude/exclusion include/inclusion elect/election erupt/eruption
    kill/killing seize/seizure fail/failure depart/departure close/closure expose/exposure press/pressure
    prove/proof give/gift behave/behaviour resolve/resolution revolve/revolution consume/consumption
    describe/description adopt/adoption resume/resumption withdraw/withdrawal break/breach break/breakdown
""".split()
    )
}
_CHANGES = wordset("""
    rise fall increase decrease decline drop gain cut delay ban change shift switch slump surge jump leak split
    blow block growth push move reply answer request order offer threat promise claim charge fine award search
""")
"""Nouns like their verbs, for what happened."""
_NOUN_ENDING = re.compile(r"(?:at|it)?ion|ment|al|ance|ence|ing|age")
_ROLE_WEIGHT = {
    "nsubj": 3.0,
    "topic": 2.6,
    "csubj": 2.0,
    "root": 2.0,
    "obj": 2.0,
    "iobj": 2.0,
    "obl": 1.2,
    "nmod:poss": 1.0,
    "nmod": 0.4,
    "appos": 0.2,
}
FAR = 2.4
"""What a sentence between takes from salience; the other weights are what a likeness adds."""
PARALLEL = 0.6
OWN = 1.0
FLOOR = {"m": -4.0, "f": -4.0, "n": 0.0, "p": 0.0}
"""How salient an antecedent must be."""
MARGIN = {"m": 0.7, "f": 0.7, "n": 0.8, "p": 0.8}
"""By how much the most salient must lead the next."""
_TURN = re.compile(
    r"(?:(?P<time>[\[(][^\]\)\n]{0,24}\d[:.]\d\d[^\]\)\n]{0,12}[\])]|\b\d{1,2}[:.]\d\d(?::\d\d)?)[ \t]+|^)"
    r"(?P<name>[^\W\d_][\w.'’-]*(?: [^\W\d_a-z][\w.'’-]*){0,2})(?::| [-–])[ \t]+",
    re.MULTILINE,
)
"""The label of a line of a chat or a play."""
_FROM = re.compile(r"^From:[ \t]*\"?([^<\"\n(]+)", re.MULTILINE)
_CLOSING = re.compile(
    r"\b(?i:yours|sincerely|regards|wishes|servant|love|cheers|faithfully|respectfully)\b[^\n.]{0,30}[,.\n]\s*"
    r"((?:[^\W\d_a-z][\w.'’-]*[ \t]*){1,4})\.?\s*$"
)


class _At(NamedTuple):
    """Where something stands."""

    sentence: int
    token: int
    tree: Tree
    quote: int
    """Which quotation it stands in, -1 outside of all."""

    @property
    def place(self) -> tuple[int, int]:
        return self.sentence, self.token


@dataclass(slots=True, eq=False)
class _Entity:
    """Something the text has named: where it was first and last spoken of, and as what."""

    first: tuple[int, int]
    name: Mention | None
    lemma: str
    gender: str
    """m, f, n, "" for a person of either, ? for a name that may name anything."""
    plural: bool
    collective: bool
    """A body of persons: it or they."""
    kinds: set[str]
    """Nouns that it was called by."""
    modifiers: frozenset[str]
    members: tuple[int, ...] = ()
    role: str = ""
    last: tuple[int, int] = (0, 0)
    quote: int = -1
    aside: bool = False
    """Last named in a clause that the sentence does not turn on."""
    count: int = 0
    linked: Mention | None = field(default=None)

    @property
    def is_person(self) -> bool:
        return self.gender in ("m", "f", "")


def resolve_references(context: Context) -> None:
    """Fill `context.references`."""
    if context.reading.language != "en":
        return
    _Resolver(context).run()


class _Resolver:
    """One pass over a document, sentence by sentence and word by word."""

    def __init__(self, context: Context) -> None:
        self._context = context
        self._entities: list[_Entity] = []
        """Those spoken of lately, the latest last."""
        self._by_name: dict[str, _Entity] = {}
        self._by_token: dict[int, _Entity] = {}
        """Of the sentence at hand."""
        self._clock = [0]
        """Sentences with a verb before each: headings and labels put nothing at a distance."""
        self._voices = _Voices(context.document)

    def run(self) -> None:
        for sentence, tree in enumerate(self._context.trees):
            self._entities = [e for e in self._entities if self._far(e, sentence) <= MEMORY]
            self._by_token = {}
            self._clock.append(self._clock[-1] + any(upos in ("VERB", "AUX") for upos in tree.upos))
            self._voices.hear(tree)
            for token in range(len(tree)):
                if not self._voices.is_label(tree.starts[token]):
                    self._read(_At(sentence, token, tree, self._voices.quote_of(tree.starts[token])))
            self._speakers(sentence, tree)

    def _far(self, entity: _Entity, sentence: int) -> int:
        return self._clock[sentence] - self._clock[entity.last[0]]

    def _read(self, at: _At) -> None:
        tree, token = at.tree, at.token
        low = tree.lows[token]
        if low in _PRONOUNS:
            self._pronoun(at, _PRONOUNS[low])
        elif low in _THIS and tree.relations[token] == "nsubj" and antecedent(tree, token) == token:
            self._clause(at)
        elif low in RELATIVE and (head := antecedent(tree, token)) in self._by_token:
            self._take_up(self._by_token[head], at, again=0)
        elif low in ("former", "latter"):
            self._of_two(at, low)
        elif _is_nominal(self._context, at):
            self._nominal(at, ())
            members = _coordinated(tree, token)
            if members:
                self._nominal(at, members)

    # what is named, and descriptions of it

    def _nominal(self, at: _At, members: tuple[int, ...]) -> None:
        entity = _entity(self._context, at, members)
        if entity.name is not None:
            known = self._namesake(entity)
        else:
            known = None if members else self._predicated(entity, at) or self._described(entity, at)
        if known is None:
            known = entity
        elif known.gender in ("", "?"):
            known.gender = entity.gender if entity.gender in ("m", "f") else known.gender
        known.kinds |= entity.kinds
        if entity.name is not None:
            for name in _names(entity.name):
                self._by_name.setdefault(name, known)
        self._take_up(known, at)

    def _take_up(self, entity: _Entity, at: _At, again: int = 1) -> None:
        entity.count += again
        role = _role(at.tree, at.token)
        if at.sentence > entity.last[0] or _weight(role) > _weight(entity.role):
            entity.role = role
            entity.aside = at.tree.relations[at.tree.clause_head(at.token)] in ("acl", "advcl")
        entity.last, entity.quote = at.place, at.quote
        if not entity.members:
            self._by_token[at.token] = entity
        if entity in self._entities:
            self._entities.remove(entity)
        self._entities.append(entity)

    def _namesake(self, entity: _Entity) -> _Entity | None:
        """Return what has the name, or of which it is the surname; not Mr Bennet for Mrs Bennet."""
        known = self._by_name.get(_names(entity.name)[0]) if entity.name is not None else None
        clash = known is not None and {known.gender, entity.gender} == {"m", "f"}
        return None if clash else known

    def _predicated(self, entity: _Entity, at: _At) -> _Entity | None:
        """Return the name of which "X is a film" or "X, a film" says what it is."""
        tree = at.tree
        predicate = _first_of_row(tree, at.token)
        if tree.dependent(predicate, "cop") is not None:
            named = tree.dependent(predicate, "nsubj")
        else:
            named = tree.heads[predicate] if tree.relations[predicate] == "appos" else None
        known = self._by_token.get(named) if named is not None else None
        if known is None or tree.case_of(at.token) or tree.is_negated(predicate):
            return None
        if known.name is None and tree.upos[named or 0] != "PROPN":
            return None
        if known.plural != entity.plural and not known.collective:
            return None
        if known.gender == "?" or (entity.is_person and known.gender == "n"):
            known.gender = entity.gender
        known.modifiers |= entity.modifiers
        return known

    def _described(self, entity: _Entity, at: _At) -> _Entity | None:
        """Return what a definite description stands for, and link it."""
        tree = at.tree
        determiner = next((tree.lows[child] for child in tree.dependents(at.token, "det")), "")
        if determiner not in _DEMONSTRATIVE and determiner != "the":
            return None
        if entity.lemma in _NEVER or tree.dependent(at.token, "nmod", "acl", "nummod", "appos") is not None:
            return None
        called = [
            other
            for other in self._entities
            if entity.lemma in other.kinds
            and (other.plural == entity.plural or (other.collective and other.name is not None))
            and entity.modifiers <= other.modifiers
        ]
        if called:
            return self._of_that_kind(called, at, demonstrative=determiner in _DEMONSTRATIVE)
        typed = next((type_ for type_, nouns in _TYPED.items() if entity.lemma in nouns), "")
        named = [other for other in self._entities if other.name is not None and other.name.type == typed]
        if typed and not entity.modifiers and len(named) == 1 and not _is_other(named[0], entity.lemma):
            self._link(at, named[0], 0.65)
            return named[0]
        if not entity.modifiers:
            self._event(entity.lemma, at)
        return None

    def _of_that_kind(self, called: Sequence[_Entity], at: _At, *, demonstrative: bool) -> _Entity | None:
        """Choose among those that the text has called so: the only one, or the one in hand."""
        nearest = called[-1]
        if len(called) == 1 or demonstrative:
            self._link(at, nearest, 0.8)
        elif len({other.modifiers for other in called if other.modifiers}) <= 1:
            self._link(at, nearest, 0.7)
        elif nearest.count > 1 and self._far(called[-2], at.sentence) > 1 >= self._far(nearest, at.sentence):
            self._link(at, nearest, 0.65)
        else:
            return None
        return nearest

    def _event(self, noun: str, at: _At) -> None:
        """Take "the closure" for the clause before in which something was closed."""
        for sentence in range(at.sentence, max(-1, at.sentence - WINDOW), -1):
            tree = self._context.trees[sentence]
            last = at.token if sentence == at.sentence else len(tree)
            for verb in range(last - 1, -1, -1):
                if tree.upos[verb] == "VERB" and _names_verb(noun, tree.lemmas[verb]):
                    if sentence < at.sentence or verb != tree.clause_head(at.token):
                        self._link_clause(at, sentence, verb, 0.65)
                    return

    # pronouns

    def _pronoun(self, at: _At, gender: str) -> None:
        tree, token = at.tree, at.token
        if gender == "n" and _pleonastic(tree, token):
            return
        if token and tree.words[token][0].isupper() and tree.upos[token - 1] != "PUNCT":
            return  # "asking His blessing" is God's; a heading refers to nothing
        if tree.lows[token] in _REFLEXIVE and tree.relations[token] not in ("obj", "iobj", "obl"):
            return
        candidates = [entity for entity in self._entities if self._is_candidate(entity, at, gender)]
        candidates = _wholes(candidates)
        ranked = sorted(
            ((self._salience(entity, at, gender), order, entity) for order, entity in enumerate(candidates)),
            key=lambda item: item[:2],
            reverse=True,
        )
        if not ranked or ranked[0][0] < FLOOR[gender] - (len(ranked) == 1):
            self._ahead(at, gender)
            self._take_up(_unknown(at, gender), at)
            return
        margin = ranked[0][0] - ranked[1][0] if len(ranked) > 1 else 3.0
        entity = ranked[0][2] if margin >= MARGIN[gender] else _unknown(at, gender)
        if entity.lemma == "":
            self._take_up(entity, at)
            return
        confidence = 0.85 if margin >= 2.5 else 0.75 if margin >= 1.2 else 0.65
        confidence -= 0.05 * (gender in "np") + 0.1 * (entity.gender == "?") + 0.15 * (ranked[0][0] < 0)
        if gender == "p" and not _has_mind(entity) and any(_has_mind(other) for other in candidates):
            confidence -= 0.1
        self._link(at, entity, confidence)
        if entity.gender in ("", "?") and gender != "p":
            entity.gender = gender
        self._take_up(entity, at)

    def _is_candidate(self, entity: _Entity, at: _At, gender: str) -> bool:
        far = self._far(entity, at.sentence)
        if far > (2 * WINDOW if entity.is_person else WINDOW) or not _agrees(entity, gender):
            return False
        if at.tree.lows[at.token] in _REFLEXIVE:
            return self._is_subject(entity, at)
        if at.quote >= 0 and gender in "mf" and self._voices.is_speaker(at.quote, entity):
            return False
        if self._voices.sayers.get(entity.quote) == at.token:
            return False
        return entity.last[0] < at.sentence or _may_bind(entity, at.tree, at.token)

    def _salience(self, entity: _Entity, at: _At, gender: str) -> float:
        tree, token = at.tree, at.token
        here = entity.last[0] == at.sentence
        own = tree.deprels[token] == "nmod:poss"
        subject = tree.relations[tree.heads[token] if own else token] == "nsubj"
        score = min(0.3 * (entity.count - 1), 1.2)
        score += _weight("nsubj") + OWN if own and self._is_subject(entity, at) else _weight(entity.role)
        score -= 0.03 * (token - entity.last[1]) if here else FAR * max(1, self._far(entity, at.sentence))
        if entity.role == tree.relations[token] or (entity.role == "nsubj") == subject:
            score += PARALLEL
        if (entity.quote >= 0) != (at.quote >= 0):
            score -= 1.0
        if entity.aside and not here:
            score -= 0.5
        if entity.gender == "?":
            score -= 0.8
        if entity.gender == gender != "n" or (gender == "p" and _has_mind(entity)):
            score += 0.5
        if gender == "f" and entity.gender == "n":
            score -= 1.0
        if entity.members and entity.gender == "n":
            score -= 1.0
        if entity.name is not None and gender in "mf":
            score += 0.5
        head = tree.lemmas[tree.heads[token]]
        minded = head in (_PERSONAL if own else _MINDED if tree.deprels[token] == "nsubj" else ())
        if gender == "p" and entity.collective and not entity.plural:
            score -= 0.8 if minded or entity.name is not None else 2.0
        if subject and not own and head in entity.kinds:
            score += 1.0
        if minded and not _has_mind(entity):
            score -= 3.0
        return score

    def _is_subject(self, entity: _Entity, at: _At) -> bool:
        """Tell the subject of the clause that a pronoun stands in."""
        subjects = surface_subjects(at.tree, at.tree.clause_head(at.token))
        return any(self._by_token.get(subject) is entity for subject in subjects)

    def _ahead(self, at: _At, gender: str) -> None:
        """Look for a name that follows in the main clause: "When he came, Snow spoke."."""
        tree = at.tree
        clause = next(
            (
                above
                for above in (at.token, *tree.ancestors(at.token))
                if tree.relations[above] in ("advcl", "acl", "obl")
            ),
            None,
        )
        if clause is None or tree.heads[clause] < clause:
            return
        for subject in tree.dependents(tree.heads[clause], "nsubj"):
            if subject > max(tree.subtree(clause)) and tree.upos[subject] in ("NOUN", "PROPN"):
                entity = _entity(self._context, at._replace(token=subject), ())
                if _agrees(entity, gender) and (entity.name is not None or gender in "np"):
                    self._link(at, entity, 0.6)

    def _of_two(self, at: _At, low: str) -> None:
        """Take "the former" and "the latter" for the two that were last named together."""
        if at.tree.upos[at.token] not in ("ADJ", "NOUN") or at.tree.relations[at.token] == "amod":
            return
        pairs = [e for e in self._entities if len(e.members) == 2 and at.sentence - e.last[0] <= 1]  # noqa: PLR2004
        if len(pairs) == 1:
            sentence = pairs[0].first[0]
            token = pairs[0].members[low == "latter"]
            self._note(at, self._context.mention_of(sentence, self._context.end(sentence, token)), 0.7)

    def _clause(self, at: _At) -> None:
        """Take "This led to ..." and "that would be a tragedy" for the clause before."""
        tree, verb = at.tree, at.tree.heads[at.token]
        if tree.upos[verb] == "VERB":
            if tree.lemmas[verb] not in _SUMMED_UP or is_passive(tree, verb):
                return
        elif tree.lows[verb] not in _SUMMARIES:
            return
        before = [child for child in tree.dependents(verb, "advcl") if child < at.token]
        if before:
            self._link_clause(at, at.sentence, before[-1], 0.7)
            return
        if tree.relations[verb] in ("parataxis", "conj") and tree.heads[verb] < at.token:
            self._link_clause(at, at.sentence, tree.heads[verb], 0.6)
            return
        if not at.sentence or tree.relations[verb] != "root":
            return
        earlier = self._context.trees[at.sentence - 1]
        if tree.start - earlier.end > 3 or "\n\n" in self._context.document.text[earlier.end : tree.start]:
            return
        root = next((root for root in earlier.roots if earlier.upos[root] == "VERB"), None)
        if (
            root is not None
            and earlier.lows[-1] != "?"
            and self._voices.quote_of(earlier.starts[root]) == at.quote
        ):
            self._link_clause(at, at.sentence - 1, root, 0.6)

    # who speaks

    def _speakers(self, sentence: int, tree: Tree) -> None:
        """Link the first persons of a sentence to the speaker of their quotation, else to the author."""
        for quote, subject in self._voices.sayers.items():
            if subject in self._by_token:
                self._voices.speakers[quote] = self._by_token[subject]
        for token in range(len(tree)):
            if tree.lows[token] not in _FIRST or tree.upos[token] != "PRON":
                continue
            at = _At(sentence, token, tree, self._voices.quote_of(tree.starts[token]))
            speaker = self._voices.speaker(at.quote)
            if isinstance(speaker, _Entity):
                if speaker.lemma:
                    self._link(at, speaker, 0.8)
            elif speaker:
                self._note(at, self._speaker_mention(at, speaker), 0.9)

    def _speaker_mention(self, at: _At, name: str) -> Mention:
        return self._context.findings.mention(
            at.tree.starts[at.token],
            at.tree.ends[at.token],
            "person",
            self._context.reading.sentences[at.sentence],
            confidence=0.9,
            cue="author",
            name=name,
            attributes={"pronoun": True},
        )

    # links

    def _link(self, at: _At, entity: _Entity, confidence: float) -> None:
        if entity.linked is None:
            end = self._end_of(entity)
            if end is None:
                return
            entity.linked = self._context.mention_of(entity.first[0], end)
        self._note(at, entity.linked, confidence)

    def _link_clause(self, at: _At, sentence: int, verb: int, confidence: float) -> None:
        end = self._context.end(sentence, verb, clause=True)
        self._note(at, self._context.mention_of(sentence, end), confidence)

    def _note(self, at: _At, mention: Mention, confidence: float) -> None:
        if confidence >= LEAST:
            self._context.references[at.place] = Reference(mention, round(confidence, 2))

    def _end_of(self, entity: _Entity) -> End | None:
        sentence, token = entity.first
        if entity.name is not None:
            return End((entity.name.start, entity.name.end), entity.name.name, entity.name, 1.0)
        if entity.members:
            tree = self._context.trees[sentence]
            spans = [phrase_span(tree, member, entity.members)[:2] for member in entity.members]
            start, end = min(start for start, _ in spans), max(end for _, end in spans)
            text = squeezed(self._context.document.text[start:end])
            return End((start, end), text, None, 1.0, entity.lemma)
        return self._context.end(sentence, token)


class _Voices:
    """Who speaks where: the author, who is quoted, whose turn it is in a chat."""

    def __init__(self, document: Document) -> None:
        text = document.text
        turns = _turns(text)
        self._author = "" if turns else _author(document)
        self._labels = [Quotation(*turn.span()) for turn in turns]
        ends = [turn.start() for turn in turns[1:]] + [len(text)]
        self._quotes = [Quotation(turn.end(), end) for turn, end in zip(turns, ends, strict=False)]
        self.speakers: dict[int, _Entity | str] = {at: turn["name"] for at, turn in enumerate(turns)}
        self._quotes = self._quotes or quotations(text)
        self._starts = [quote.start for quote in self._quotes]
        self._text = text
        self.sayers: dict[int, int] = {}
        """Of the sentence at hand: quotation -> subject of the verb of saying beside it."""

    def quote_of(self, place: int) -> int:
        at = bisect_right(self._starts, place) - 1
        return at if at >= 0 and place < self._quotes[at].end else -1

    def is_label(self, place: int) -> bool:
        at = bisect_right(self._labels, (place, len(self._text))) - 1
        return at >= 0 and place < self._labels[at].end

    def hear(self, tree: Tree) -> None:
        """Note the sayers of a sentence."""
        self.sayers = {}
        if not self._quotes or self._labels:
            return
        for verb in range(len(tree)):
            if tree.lemmas[verb] not in SAYING or self.quote_of(tree.starts[verb]) >= 0:
                continue
            subject = tree.dependent(verb, "nsubj")
            if subject is None or self.quote_of(tree.starts[subject]) >= 0:
                continue
            start, end = (
                min(tree.starts[verb], tree.starts[subject]),
                max(tree.ends[verb], tree.ends[subject]),
            )
            at = bisect_right(self._starts, start) - 1
            if (
                at >= 0
                and tree.start <= self._quotes[at].end
                and not self._stops(self._quotes[at].end, start)
            ):
                self.sayers[at] = subject
            elif at + 1 < len(self._quotes) and not self._stops(end, self._quotes[at + 1].start):
                self.sayers[at + 1] = subject

    def _stops(self, start: int, end: int, stops: str = r"[.;!?]\s|\n\s*\n") -> bool:
        between = self._text[start:end]
        return len(between) > NEAR or re.search(stops, between) is not None

    def speaker(self, quote: int) -> "_Entity | str | None":
        """Return who speaks in a quotation; one without a verb of saying goes on with that before it."""
        if quote < 0:
            return self._author
        if quote in self.speakers:
            return self.speakers[quote]
        if quote - 1 in self.speakers and not self._stops(
            self._quotes[quote - 1].end, self._quotes[quote].start, r"\n\s*\n"
        ):
            return self.speakers[quote - 1]
        return None

    def is_speaker(self, quote: int, entity: _Entity) -> bool:
        speaker = self.speaker(quote)
        if isinstance(speaker, str):
            return entity.name is not None and speaker.lower() in _names(entity.name)
        return speaker is entity


def _turns(text: str) -> list[re.Match[str]]:
    """Return the labels of a chat or play, none where a colon or two only look like it."""
    turns = list(_TURN.finditer(text))
    timed = [turn for turn in turns if turn["time"]]
    names = [turn["name"] for turn in turns]
    if len(timed) > 1:
        return timed
    return turns if len(turns) > len(set(names)) > 1 else []


def _author(document: Document) -> str:
    """Return the one author whom metadata, head or signature name, "" where there is none or several."""
    given = document.metadata.get("author")
    name = given.strip() if isinstance(given, str) else ""
    for written in (_FROM, _CLOSING):
        if not name and (match := written.search(document.text)) is not None:
            name = match[1].strip(" .\t")
    several = re.search(r"[;&,/@]|\band\b|\bor\b|\bet\b|\d", name, re.IGNORECASE)
    return "" if several or len(name.split()) > 5 else name


# --- what is named


def _names(name: Mention) -> list[str]:
    """Return what a name may be shortened to, the whole first: of persons surname and given name."""
    if name.type != "person":
        return [name.name.lower()]
    words = person_name(name.name).tokens
    return [" ".join(words), words[-1], words[0]] if words else [name.name.lower()]


def _first_of_row(tree: Tree, token: int) -> int:
    while tree.relations[token] == "conj" and tree.heads[token] != token:
        token = tree.heads[token]
    return token


def _role(tree: Tree, token: int) -> str:
    """Return the relation of a nominal; what is coordinated stands where the first of the row does."""
    first = _first_of_row(tree, token)
    if tree.deprels[first] != "nmod:poss":
        return tree.relations[first]
    topic = tree.upos[first] == "PRON" and tree.relations[tree.heads[first]] == "nsubj"
    return "topic" if topic else "nmod:poss"


def _weight(role: str) -> float:
    return _ROLE_WEIGHT.get(role, 0.6) if role else 0.0


_SAME = frozenset({"same", "very", "said", "whole", "entire"})
_INSIDE = frozenset({"compound", "flat", "amod", "fixed", "goeswith", "case", "cc"})


def _is_nominal(context: Context, at: _At) -> bool:
    tree, token = at.tree, at.token
    if tree.upos[token] not in ("NOUN", "PROPN") or tree.relations[token] in _INSIDE:
        return False
    name = context.name_at(at.sentence, token)
    return name is None or (name.type != "date" and tree.position_at(name.start, name.end) == token)


def _coordinated(tree: Tree, token: int) -> tuple[int, ...]:
    """Return the members of "Snow and Pike", which may be meant together."""
    members = tree.conjuncts(token)
    joint = {tree.lows[cc] for member in members for cc in tree.dependents(member, "cc")}
    together = (
        len(members) > 1
        and all(tree.upos[member] in ("NOUN", "PROPN") for member in members)
        and joint <= {"and", "&", "both"}
        and tree.relations[token] != "conj"
        and tree.dependent(token, "cop") is None
    )
    return tuple(members) if together else ()


def _entity(context: Context, at: _At, members: tuple[int, ...]) -> _Entity:
    tree, token = at.tree, at.token
    name = context.name_at(at.sentence, token) if not members else None
    lemma = singular(tree.lows[token] if tree.upos[token] == "PROPN" else tree.lemmas[token])
    plural = bool(members) or (
        tree.feature(token, "Number") == "Plur" and not (name and name.type == "person")
    )
    modifiers = {
        tree.lows[child] for child in tree.dependents(token, "amod", "compound", "nmod", "nummod", "acl")
    } - _SAME
    kinds = set() if members else {lemma}
    collective = lemma in COLLECTIVES
    if members:
        gender = "" if all(_is_person(context, at.sentence, member) for member in members) else "n"
    elif name is None:
        gender = _gender_of_noun(lemma)
    else:
        gender = _gender_of_name(name)
        kinds |= _kinds_of(name) | {
            tree.lemmas[child] for child in tree.dependents(token, "compound", "appos")
        }
        modifiers |= set(name.name.lower().split())
        if tree.upos[token] == "PROPN" and name.cue != "people":  # "Big Eyes is", "the Bills are"
            collective, plural = collective or plural or name.type == "organisation", False
    return _Entity(
        at.place,
        name,
        lemma,
        gender,
        plural,
        collective and not members,
        kinds,
        frozenset(modifiers),
        members,
        last=at.place,
    )


def _unknown(at: _At, gender: str) -> _Entity:
    """Return what a pronoun stands for that could not be told: the next one like it stands for it too."""
    person = "" if gender == "p" else gender
    return _Entity(at.place, None, "", person, gender == "p", False, set(), frozenset(), count=2)


def _kinds_of(name: Mention) -> set[str]:
    """Return the nouns that a name holds: the Vauxhall Company is a company, President Snow a president."""
    words = name.name.lower().split()
    role = str(name.attributes.get("role", "")).lower().split()
    title = str(name.attributes.get("title", "")).lower().rstrip(".").split()
    if name.type == "person":
        return {*role, *title}
    return {*words[-1:], *(before for before, word in zip(words, words[1:], strict=False) if word == "of")}


def _gender_of_noun(lemma: str) -> str:
    if lemma in MALES or lemma in FEMALES:
        return "m" if lemma in MALES else "f"
    return "" if lemma in PERSONS or lemma in ROLES else "n"


def _gender_of_name(name: Mention) -> str:
    if name.type == "person":
        return gender_of(
            name.name, str(name.attributes.get("title", "")), str(name.attributes.get("role", ""))
        )
    return "?" if name.type == "concept" and name.cue in _UNSURE else "n"


def _is_person(context: Context, sentence: int, token: int) -> bool:
    name = context.name_at(sentence, token)
    if name is not None:
        return name.type in ("person", "organisation")
    return _gender_of_noun(context.trees[sentence].lemmas[token]) != "n"


@cache
def gender_of(name: str, title: str = "", role: str = "") -> str:
    """Return m or f where title, role or given name tells, else "" (a person)."""
    person = person_name(name)
    honorific = GENDERED.get(person.honorific or title.lower().rstrip("."), "")
    if honorific:
        return "m" if honorific == "mr" else "f"
    first = name.split(maxsplit=1)[0] if name else ""
    for word in (role.rpartition(" ")[2].lower(), first.lower()):
        if word in MALES or word in FEMALES:
            return "m" if word in MALES else "f"
    return "f" if first in FEMALE else sex_of(name)


def _has_mind(entity: _Entity) -> bool:
    return entity.gender != "n" or entity.collective or bool(entity.kinds & COLLECTIVES)


def _is_other(entity: _Entity, lemma: str) -> bool:
    """Tell a name that the text has called something else of the same type: a town is no river."""
    return any(KIND_OF.get(kind) == KIND_OF.get(lemma) != "" for kind in entity.kinds - {lemma})


def _names_verb(noun: str, verb: str) -> bool:
    """Tell whether a noun names what a verb says: closure and close, attack and attack."""
    if noun == verb:
        return noun in EVENTIVE or noun in _CHANGES
    stem = verb[:-1] if verb.endswith(("e", "y")) else verb
    regular = (
        len(stem) > 3 and noun.startswith(stem) and _NOUN_ENDING.fullmatch(noun[len(stem) :]) is not None
    )
    return _NOUN_OF.get(noun) == verb or regular


# --- what a pronoun may stand for


def _agrees(entity: _Entity, gender: str) -> bool:
    if entity.lemma in _NEVER and (entity.name is None or entity.name.type in ("date", "quantity")):
        return False
    if gender == "p":
        return entity.plural or entity.collective
    if entity.plural:
        return False
    if gender == "n":
        return entity.gender in ("n", "?") and (
            entity.name is None or entity.name.type not in ("date", "quantity")
        )
    country = gender == "f" and entity.name is not None and entity.name.type == "place"
    return country or entity.gender in ("", "?", gender)


def _wholes(candidates: list[_Entity]) -> list[_Entity]:
    """Leave out members beside what they are members of."""
    parts = {(entity.first[0], member) for entity in candidates for member in entity.members}
    return [entity for entity in candidates if entity.members or entity.first not in parts]


def _may_bind(entity: _Entity, tree: Tree, token: int) -> bool:
    """Tell whether syntax lets a pronoun stand for a nominal of its own sentence."""
    return all(_is_free(tree, token, member) for member in entity.members or (entity.last[1],))


def _is_free(tree: Tree, token: int, other: int) -> bool:
    if other >= len(tree):
        return True
    above = list(tree.ancestors(token))
    if other in above:
        below = (token, *above)[above.index(other)]
        if tree.relations[below] not in CLAUSAL and tree.relations[below] != "conj":
            return False
        if tree.deprels[below] == "acl" and other not in surface_subjects(tree, below):
            return False
    if token in tree.ancestors(other):
        return False
    if tree.deprels[token] == "nmod:poss":
        return True
    if tree.heads[token] == tree.heads[other]:
        return False
    same_clause = tree.clause_head(token) == tree.clause_head(other)
    return not (same_clause and tree.relations[token] != "nsubj" and tree.relations[other] == "nsubj")


def _pleonastic(tree: Tree, token: int) -> bool:
    """Tell the "it" of "it is clear that", "it rains", "made it possible to" and "it was Snow who"."""
    head = tree.heads[token]
    if tree.relations[token] == "nsubj" or tree.dependent(head, "cop") is not None:
        return _is_said_of_clause(tree, token) or _impersonal(tree, head)
    if tree.deprels[token] == "expl":
        return True
    return tree.relations[token] == "obj" and any(
        tree.upos[child] in ("ADJ", "NOUN")
        and any(
            tree.mark_of(low) in ("to", "that")
            for low in tree.dependents(child, "xcomp", "ccomp", "csubj", "advcl", "acl")
        )
        for child in tree.dependents(head, "xcomp")
    )


def _is_new(tree: Tree, noun: int) -> bool:
    """Tell "it is a right to be used" from "it is the duty of the House to decide"."""
    owned = tree.dependent(noun, "nmod", "nmod:poss") is not None
    return not (owned and all(tree.lows[child] == "the" for child in tree.dependents(noun, "det")))


def _is_said_of_clause(tree: Tree, token: int) -> bool:
    """Tell "it cannot be doubted that" by its words, whatever the tree."""
    after = next((at for at in range(token + 1, len(tree)) if tree.upos[at] not in _BETWEEN), len(tree) - 1)
    return (
        any(tree.lemmas[at] == "be" for at in range(token + 1, after))
        and tree.upos[after] in ("ADJ", "VERB")
        and not tree.lows[after].endswith("ing")
        and tree.lows[after + 1 : after + 2] in (["that"], ["whether"])
    )


_BETWEEN = frozenset({"AUX", "PART", "ADV"})


def _impersonal(tree: Tree, head: int) -> bool:
    """Tell a predicate whose "it" stands for a clause that follows, for the weather or for nothing."""
    if tree.dependent(head, "csubj") is not None or tree.lemmas[head] in _TIMES_AND_WEATHER:
        return True
    clauses = [child for child in tree.dependents(head, "ccomp", "xcomp", "advcl", "acl") if child > head]
    marks = {tree.mark_of(child) for child in clauses}
    copular = tree.dependent(head, "cop") is not None
    noun = copular and tree.upos[head] in ("NOUN", "PROPN", "NUM", "ADV")
    passive = is_passive(tree, head)
    if copular or passive or tree.lemmas[head] in _EXTRAPOSING:
        if passive and tree.lemmas[head] in SAYING and tree.relations[head] == "parataxis":
            return True  # "the clause (it is said) binds"
        if marks & {"that", "whether", "for to", "if"} or (
            "to" in marks and not (noun and _is_new(tree, head))
        ):
            return True
        if not noun and any(tree.relations[child] == "ccomp" for child in clauses):
            return True
    return noun and (
        any(tree.deprels[child] == "acl:relcl" for child in tree.children[head])
        or tree.lemmas[head] in _NEVER
    )
