"""Who is who: what pronouns and definite descriptions stand for, by sieves from the sure to the doubtful.

A document is read once, word by word. What it names is remembered, with kind, gender and number; what
refers to something passes the sieves for its kind, and the first that decides links it. A pronoun goes to
the most salient of those it agrees with: near, a subject, taken up before, in the same voice. Where two come
out alike no link is made: a wrong one is worse than none.
"""

import math
import re
from bisect import bisect_right
from collections.abc import Sequence

from corpusgraph.schemas.documents import Document
from corpusgraph.schemas.evidence import Mention
from corpusgraph.tasks.extract.activities import EVENTIVE
from corpusgraph.tasks.extract.context import Context, End, Reference
from corpusgraph.tasks.extract.ends import is_cut_off, phrase_span, says_something
from corpusgraph.tasks.extract.entities import (
    NEVER,
    At,
    Entity,
    agrees,
    coordinated,
    entity_at,
    has_mind,
    is_nominal,
    names_of,
    role_of,
    unknown,
    weight,
)
from corpusgraph.tasks.extract.quotations import Quotation, quotations, turns
from corpusgraph.tasks.extract.roles import RELATIVE, antecedent, is_passive, surface_subjects
from corpusgraph.tasks.extract.rules.known_names import KIND_OF, SAYING
from corpusgraph.tasks.extract.tree import Tree, squeezed
from corpusgraph.tasks.text.wordlist import table, words


def wholes(candidates: list[Entity]) -> list[Entity]:
    """Leave out members beside what they are members of."""
    parts = {(entity.first[0], member) for entity in candidates for member in entity.members}
    return [entity for entity in candidates if entity.members or entity.first not in parts]


def _may_bind(tree: Tree, token: int, other: int) -> bool:
    """Tell whether syntax lets a pronoun stand for what another token of its sentence stands for."""
    if token in tree.ancestors(other) or other in tree.ancestors(token):
        return False
    if tree.deprels[token] == "nmod:poss":
        return True
    same_clause = tree.clause_head(token) == tree.clause_head(other)
    subject = tree.relations[other] == "nsubj" and tree.relations[token] != "nsubj"
    return tree.heads[token] != tree.heads[other] and not (same_clause and subject)


NEAR = 100
"""Characters between a quotation and who says it, or the next quotation of the same speaker."""
_FROM = re.compile(r"^From:[ \t]*\"?([^<\"\n(]+)", re.MULTILINE)
_CLOSING = re.compile(
    r"\b(?i:yours|sincerely|regards|wishes|servant|love|cheers|faithfully|respectfully)\b[^\n.]{0,30}[,.\n]\s*"
    r"((?:[^\W\d_a-z][\w.'’-]*[ \t]*){1,4})\.?\s*$"
)


class Voices:
    """Who speaks where: the author, who is quoted, whose turn it is in a chat."""

    def __init__(self, document: Document) -> None:
        text = document.text
        lines = turns(text)
        self._author = "" if lines else _author(document)
        self.labels = {at: line.name for at, line in enumerate(lines)}
        """Turn of a chat -> characters of its speaker's name."""
        self.speakers: dict[int, Entity | str] = {at: text[slice(*name)] for at, name in self.labels.items()}
        self._quotes = [Quotation(line.start, line.end) for line in lines] or quotations(text)
        self._starts = [quote.start for quote in self._quotes]
        self._text = text
        self.sayers: dict[int, int] = {}
        """Of the sentence at hand: quotation -> subject of the verb of saying beside it."""

    def quote_of(self, place: int) -> int:
        """Return which quotation a character stands in, -1 outside of all."""
        at = bisect_right(self._starts, place) - 1
        return at if at >= 0 and place < self._quotes[at].end else -1

    def hear(self, tree: Tree) -> None:
        """Note the sayers of a sentence."""
        self.sayers = {}
        if not self._quotes or self.labels:
            return
        for verb in range(len(tree)):
            if tree.lemmas[verb] not in SAYING or self.quote_of(tree.starts[verb]) >= 0:
                continue
            subject = tree.dependent(verb, "nsubj")
            if subject is None or self.quote_of(tree.starts[subject]) >= 0:
                continue
            start, end = tree.span((verb, subject))
            at = bisect_right(self._starts, start) - 1
            before = self._quotes[at].end if at >= 0 else -1
            if tree.start <= before and not self._stops(before, start):
                self.sayers[at] = subject
            elif at + 1 < len(self._quotes) and not self._stops(end, self._quotes[at + 1].start):
                self.sayers[at + 1] = subject

    def _stops(self, start: int, end: int, stops: str = r"[.;!?]\s|\n\s*\n") -> bool:
        between = self._text[start:end]
        return len(between) > NEAR or re.search(stops, between) is not None

    def speaker(self, quote: int) -> "Entity | str | None":
        """Return who speaks in a quotation; one without a verb of saying goes on with that before it."""
        if quote < 0:
            return self._author
        if quote in self.speakers:
            return self.speakers[quote]
        between = self._quotes[quote - 1].end, self._quotes[quote].start
        return None if self._stops(*between, r"\n\s*\n") else self.speakers.get(quote - 1)

    def is_speaker(self, quote: int, entity: Entity) -> bool:
        """Tell who says it from who is spoken of."""
        speaker = self.speaker(quote)
        if isinstance(speaker, str):
            return entity.name is not None and speaker.lower() in names_of(entity.name)
        return speaker is entity


def _author(document: Document) -> str:
    """Return the one author whom metadata, head or signature name, "" where there is none or several."""
    given = document.metadata.get("author")
    name = given.strip() if isinstance(given, str) else ""
    for written in (_FROM, _CLOSING):
        if not name and (match := written.search(document.text)) is not None:
            name = match[1].strip(" .\t")
    several = re.search(r"[;&,/@]|\band\b|\bor\b|\bet\b|\d", name, re.IGNORECASE)
    return "" if several or len(name.split()) > 5 else name


WINDOW = 3
"""Sentences before its own in which the antecedent of a pronoun is looked for; for a person twice as many."""
MEMORY = 10
"""Sentences for which what is spoken of can be taken up again by a description."""
LEAST = 0.6
"""How sure a link must be: no relation gets an end that is more likely wrong than right."""
_PRONOUNS = table("reference.pronouns")
_INDEFINITE = table("reference.indefinite")
_REFLEXIVE = frozenset({"himself", "herself", "itself", "themselves"})
_FIRST = frozenset({"i", "me", "my", "mine", "myself"})
_THIS = frozenset({"this", "that"})
_DEMONSTRATIVE = frozenset({"this", "that", "these", "those", "such"})


_GENERIC = frozenset({"people", "public", "world", "law"})
"""Nouns that with "the" need no mention before."""
_TYPED = {kind: words(f"reference.typed_{kind}") for kind in ("organisation", "place")}
"""Nouns by which a name of that type may be spoken of though the text has not called it so."""


_MINDED = SAYING | words("reference.minded")
"""Verbs whose subject has a mind."""
_PERSONAL = words("reference.personal")
_SUMMED_UP = words("reference.summed_up")
_SUMMARIES = words("reference.summaries")
_NOUN_OF = table("reference.noun_of")
_CHANGES = words("reference.changes")
_NOUN_ENDING = re.compile(r"(?:at|it)?ion|ment|al|ance|ence|ing|age")

FAR = 2.4
"""What a sentence between takes from salience; the other weights are what a likeness adds."""
PARALLEL = 0.6
OWN = 1.0
FLOOR = {"m": -4.0, "f": -4.0, "n": 0.0, "p": 0.0}
"""How salient an antecedent must be."""
MARGIN = {"m": 0.7, "f": 0.7, "n": 0.6, "p": 0.6}
"""By how much the most salient must lead the next."""


def resolve_references(context: Context) -> None:
    """Fill `context.references`."""
    if context.reading.language != "en":
        return
    _Resolver(context).run()


class _Resolver:
    """One pass over a document, sentence by sentence and word by word."""

    def __init__(self, context: Context) -> None:
        self._context = context
        self._entities: list[Entity] = []
        """Those spoken of lately, the latest last."""
        self._by_name: dict[str, Entity] = {}
        self._by_token: dict[int, Entity] = {}
        """Of the sentence at hand."""
        self._clock = [0]
        """Sentences with a verb before each: headings and labels put nothing at a distance."""
        self._voices = Voices(context.document)

    def run(self) -> None:
        for sentence, tree in enumerate(self._context.trees):
            self._entities = [e for e in self._entities if self._far(e, sentence) <= MEMORY]
            self._by_token = {}
            self._clock.append(self._clock[-1] + any(upos in ("VERB", "AUX") for upos in tree.upos))
            self._voices.hear(tree)
            for token in range(len(tree)):
                self._read(At(sentence, token, tree, self._voices.quote_of(tree.starts[token])))
            self._speakers(sentence, tree)

    def _far(self, entity: Entity, sentence: int) -> int:
        return self._clock[sentence] - self._clock[entity.last[0]]

    def _read(self, at: At) -> None:
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
        elif low in _INDEFINITE and tree.relations[token] in ("nsubj", "obj", "obl", "nmod"):
            self._take_up(unknown(at, _INDEFINITE[low]), at)
        elif is_nominal(self._context, at):
            self._nominal(at, ())
            members = coordinated(tree, token)
            if members:
                self._nominal(at, members)

    # what is named, and descriptions of it

    def _nominal(self, at: At, members: tuple[int, ...]) -> None:
        entity = entity_at(self._context, at, members)
        known = self._namesake(entity)
        if entity.name is None and not members:
            known = self._predicated(entity, at) or self._described(entity, at)
        known = known or entity
        if known.gender in ("", "?") and entity.gender in ("m", "f"):
            known.gender = entity.gender
        known.kinds |= entity.kinds
        if entity.name is not None:
            self._by_name |= dict.fromkeys(names_of(entity.name), known)
        self._take_up(known, at)

    def _take_up(self, entity: Entity, at: At, again: int = 1) -> None:
        entity.count += again
        role = role_of(at.tree, at.token)
        if at.sentence > entity.last[0] or weight(role) > weight(entity.role):
            entity.role = role
            entity.aside = at.tree.relations[at.tree.clause_head(at.token)] in ("acl", "advcl")
        entity.last, entity.quote = at.place, at.quote
        if not entity.members:
            self._by_token[at.token] = entity
        if entity in self._entities:
            self._entities.remove(entity)
        self._entities.append(entity)

    def _namesake(self, entity: Entity) -> Entity | None:
        """Return what has the name, or of which it is the surname; not Mr Bennet for Mrs Bennet."""
        known = self._by_name.get(names_of(entity.name)[0]) if entity.name is not None else None
        clash = known is not None and {known.gender, entity.gender} == {"m", "f"}
        return None if clash else known

    def _predicated(self, entity: Entity, at: At) -> Entity | None:
        """Return the name of which "X is a film" or "X, a film" says what it is."""
        tree = at.tree
        predicate = at.token
        named: int | None = None
        if tree.dependent(predicate, "cop") is not None:
            named = tree.dependent(predicate, "nsubj")
        elif tree.relations[predicate] == "appos":
            named = tree.heads[predicate]
        known = self._by_token.get(named) if named is not None else None
        if known is None or named is None or tree.case_of(predicate) or tree.is_negated(predicate):
            return None
        number = known.plural == entity.plural or known.collective
        if not number or (known.name is None and tree.upos[named] != "PROPN"):
            return None
        thing = known.gender == "" and entity.lemma in KIND_OF  # a work that bears a name like a person's
        if known.gender == "?" or thing or (entity.is_person and known.gender == "n"):
            known.gender = entity.gender
        known.modifiers |= entity.modifiers
        return known

    def _described(self, entity: Entity, at: At) -> Entity | None:
        """Return what a definite description stands for, and link it."""
        tree = at.tree
        determiner = next((tree.lows[child] for child in tree.dependents(at.token, "det")), "")
        if determiner not in _DEMONSTRATIVE and determiner != "the":
            return None
        if entity.lemma in NEVER or (determiner == "the" and entity.lemma in _GENERIC):
            return None
        if tree.dependent(at.token, "nmod", "acl", "nummod", "appos") is not None:
            return None
        called = [
            other
            for other in self._entities
            if entity.lemma in other.kinds
            and entity.modifiers <= other.modifiers
            and (other.plural == entity.plural or (other.collective and other.name is not None))
        ]
        if called:
            return self._of_that_kind(entity, called[-1:] if determiner in _DEMONSTRATIVE else called, at)
        typed = next((type_ for type_, nouns in _TYPED.items() if entity.lemma in nouns), "")
        named = [other for other in self._entities if other.name is not None and other.name.type == typed]
        if typed and not entity.modifiers and len(named) == 1:
            self._link(at, named[0], 0.65)
            return named[0]
        if not entity.modifiers:
            self._event(entity.lemma, at)
        return None

    def _of_that_kind(self, entity: Entity, called: Sequence[Entity], at: At) -> Entity | None:
        """Choose among those that the text has called so: the only one, or the one in hand."""
        nearest = called[-1]
        if len(called) == 1:
            confidence = 0.8
        elif len({other.modifiers for other in called if other.modifiers}) <= 1:
            confidence = 0.7
        else:
            return None
        if nearest.name is not None or nearest.linked is not None or nearest.modifiers > entity.modifiers:
            self._link(at, nearest, confidence)  # the same words again need none
        return nearest

    def _event(self, noun: str, at: At) -> None:
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

    def _pronoun(self, at: At, gender: str) -> None:
        """Pass a pronoun through the sieves: what is nothing, what is most salient, what follows."""
        if _stands_for_nothing(at, gender):
            return
        candidates = wholes([entity for entity in self._entities if self._is_candidate(entity, at, gender)])
        if gender == "p" and any(other.plural and other.last[0] == at.sentence for other in candidates):
            # where the sentence has something plural, one body of persons without a name is left out
            candidates = [other for other in candidates if other.plural or other.name is not None]
        salience = sorted((self._salience(entity, at, gender), n) for n, entity in enumerate(candidates))
        best, number = salience[-1] if salience else (-math.inf, -1)
        margin = best - salience[-2][0] if len(salience) > 1 else 3.0
        sure = best >= FLOOR[gender] - (len(salience) == 1) and margin >= MARGIN[gender]
        entity = candidates[number] if sure else unknown(at, gender)
        if not entity.is_unknown:
            thing = gender == "p" and not has_mind(entity)
            # a subject that would take up an object of its sentence: speakers keep to the subject
            rises = entity.last[0] == at.sentence and entity.role in ("obj", "iobj", "obl")
            doubts = (
                (0.05, gender in "np"),
                (0.1, entity.gender == "?"),
                (0.15, best < 0),
                (0.15, gender in "np" and rises and at.tree.relations[at.token] == "nsubj"),
                (0.1, thing and any(other.is_person and other.plural for other in candidates)),
            )
            confidence = 0.85 if margin >= 2.5 else 0.75 if margin >= 1.2 else 0.65
            self._link(at, entity, confidence - sum(doubt for doubt, holds in doubts if holds))
            if entity.gender in ("", "?") and gender != "p":
                entity.gender = gender
        self._take_up(entity, at)

    def _is_candidate(self, entity: Entity, at: At, gender: str) -> bool:
        far = self._far(entity, at.sentence)
        if far > (2 * WINDOW if entity.is_person else WINDOW) or not agrees(entity, gender):
            return False
        if at.tree.lows[at.token] in _REFLEXIVE:
            return self._is_subject(entity, at)
        if at.quote >= 0 and gender in "mf" and self._voices.is_speaker(at.quote, entity):
            return False
        if self._voices.sayers.get(entity.quote) == at.token:
            return False
        if entity.last[0] < at.sentence:
            return True
        named = [token for token, other in self._by_token.items() if other is entity]
        members = entity.members if entity.first[0] == at.sentence else ()
        return all(_may_bind(at.tree, at.token, other) for other in members or named)

    def _salience(self, entity: Entity, at: At, gender: str) -> float:
        tree, token = at.tree, at.token
        here = entity.last[0] == at.sentence
        own = tree.deprels[token] == "nmod:poss"
        subject = tree.relations[tree.heads[token] if own else token] == "nsubj"
        head = tree.lemmas[tree.heads[token]]
        minded = head in (_PERSONAL if own else _MINDED if tree.deprels[token] == "nsubj" else ())
        body = gender == "p" and entity.collective and not entity.plural
        named = entity.name is not None
        salience = (
            (min(0.3 * (entity.count - 1), 1.2), True),
            (weight("nsubj") + OWN if own and self._is_subject(entity, at) else weight(entity.role), True),
            (-0.03 * (token - entity.last[1]), here),
            (-FAR * max(1, self._far(entity, at.sentence)), not here),
            (PARALLEL, entity.role == tree.relations[token] or (entity.role == "nsubj") == subject),
            (-1.0, (entity.quote >= 0) != (at.quote >= 0)),
            (-0.5, entity.aside and not here),
            (-0.8, entity.gender == "?"),
            (0.5, entity.gender == gender != "n" or (gender == "p" and has_mind(entity))),
            (-2.0, gender == "f" and entity.gender == "n"),
            (-1.0, bool(entity.members) and entity.gender == "n"),
            (0.5, named and gender in "mf"),
            (-0.8 if minded or named else -2.0, body),
            (1.0, subject and not own and head in entity.kinds),
            (-3.0, minded and not has_mind(entity)),
        )
        return sum(part for part, holds in salience if holds)

    def _is_subject(self, entity: Entity, at: At) -> bool:
        """Tell the subject of the clause that a pronoun stands in."""
        subjects = surface_subjects(at.tree, at.tree.clause_head(at.token))
        return any(self._by_token.get(subject) is entity for subject in subjects)

    def _of_two(self, at: At, low: str) -> None:
        """Take "the former" and "the latter" for the two that were last named together."""
        if at.tree.upos[at.token] not in ("ADJ", "NOUN") or at.tree.relations[at.token] == "amod":
            return
        pairs = [e for e in self._entities if len(e.members) == 2 and at.sentence - e.last[0] <= 1]
        if len(pairs) == 1:
            sentence = pairs[0].first[0]
            token = pairs[0].members[low == "latter"]
            self._note(at, self._context.mention_of(sentence, self._context.end(sentence, token)), 0.7)

    def _clause(self, at: At) -> None:
        """Take "This led to ..." and "that would be a tragedy" for the clause before."""
        tree, verb = at.tree, at.tree.heads[at.token]
        if tree.upos[verb] == "VERB":
            if tree.lemmas[verb] not in _SUMMED_UP or is_passive(tree, verb):
                return
        elif tree.lows[verb] not in _SUMMARIES:
            return
        before = [child for child in tree.dependents(verb, "advcl") if child < at.token]
        if before:
            self._link_clause(at, at.sentence, before[-1], 0.75)
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
        quote = None if root is None else self._voices.quote_of(earlier.starts[root])
        if root is not None and quote == at.quote and earlier.lows[-1] != "?":
            self._link_clause(at, at.sentence - 1, root, 0.75)

    # who speaks

    def _speakers(self, sentence: int, tree: Tree) -> None:
        """Link the first persons of a sentence to the speaker of their quotation, else to the author."""
        for quote, subject in self._voices.sayers.items():
            self._context.sayers[quote] = sentence, subject
            if subject in self._by_token:
                self._voices.speakers[quote] = self._by_token[subject]
        for token in range(len(tree)):
            if tree.lows[token] not in _FIRST or tree.upos[token] != "PRON":
                continue
            at = At(sentence, token, tree, self._voices.quote_of(tree.starts[token]))
            speaker = self._voices.speaker(at.quote)
            if isinstance(speaker, Entity):
                if not speaker.is_unknown:
                    self._link(at, speaker, 0.8)
            elif speaker:
                self._note(at, self._speaker_mention(at, speaker), 0.9)

    def _speaker_mention(self, at: At, name: str) -> Mention:
        start, end = self._voices.labels.get(at.quote) or (at.tree.starts[at.token], at.tree.ends[at.token])
        sentences = self._context.reading.sentences
        return self._context.findings.mention(
            start,
            end,
            "person",
            sentences[max(0, bisect_right(sentences, start, key=lambda sentence: sentence.start) - 1)],
            confidence=0.9,
            cue="author" if at.quote < 0 else "speaker",
            name=name,
            attributes={} if at.quote in self._voices.labels else {"pronoun": True},
        )

    # links

    def _link(self, at: At, entity: Entity, confidence: float) -> None:
        if entity.linked is None:
            end = self._end_of(entity)
            if end is None:
                return
            entity.linked = self._context.mention_of(entity.first[0], end)
        self._note(at, entity.linked, confidence)

    def _link_clause(self, at: At, sentence: int, verb: int, confidence: float) -> None:
        tree, end = self._context.trees[sentence], self._context.end(sentence, verb, clause=True)
        if says_something(tree, verb, clause=True) and not is_cut_off(tree, verb, *end.span, (), clause=True):
            self._note(at, self._context.mention_of(sentence, end), confidence)

    def _note(self, at: At, mention: Mention, confidence: float) -> None:
        if confidence >= LEAST:
            self._context.references[at.place] = Reference(mention, round(confidence, 2))

    def _end_of(self, entity: Entity) -> End | None:
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


# --- what is named


def _stands_for_nothing(at: At, gender: str) -> bool:
    tree, token = at.tree, at.token
    emphatic = tree.lows[token] in _REFLEXIVE and tree.relations[token] not in ("obj", "iobj", "obl")
    capital = token > 0 and tree.words[token][0].isupper() and tree.upos[token - 1] != "PUNCT"
    # "asking His blessing" is God's; a heading refers to nothing
    return emphatic or capital or (gender == "n" and tree.deprels[token] == "expl")


def _names_verb(noun: str, verb: str) -> bool:
    """Tell whether a noun names what a verb says: closure and close, attack and attack."""
    if noun == verb:
        return noun in EVENTIVE or noun in _CHANGES
    stem = verb[:-1] if verb.endswith(("e", "y")) else verb
    regular = len(stem) > 3 and noun.startswith(stem) and _NOUN_ENDING.fullmatch(noun, len(stem))
    return bool(regular) or _NOUN_OF.get(noun) == verb
