"""Sums over evidence that do not depend on its order: integers, extremes and counts only."""

import math
import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from heapq import nsmallest
from typing import NamedTuple

from corpusgraph.schemas.base import JsonDict
from corpusgraph.schemas.evidence import Assertion, Event
from corpusgraph.schemas.graph import CO_OCCURRENCE, DENIED, VALUES, Entity, Relationship
from corpusgraph.tasks.build.resolve import EntityKey
from corpusgraph.tasks.extract.llm.stated import STATED, Stated
from corpusgraph.tasks.text.layout import Layout
from corpusgraph.tasks.text.tokens import count_tokens, token_spans

MODEL = "llm"
"""How the name of an extractor begins that is a language model."""
DESCRIPTION_TOKENS = 300
MAX_DESCRIPTIONS = 256
"""Descriptions kept of one item: those that stand first, where a text introduces what it speaks of."""
MAX_CHARACTERS = 1000
"""Of one description: a longer one is a model repeating itself."""

Place = tuple[str, int]
"""Document and character."""


def made_by_model(extractor: str) -> bool:
    """Tell whether a finding's extractor is a language model, whose descriptions are its own words.

    Parameters
    ----------
    extractor : str
        Its name.

    Returns
    -------
    bool
        By the beginning of its name.

    """
    return extractor.startswith(MODEL)


def joined(texts: Sequence[str], max_tokens: int = DESCRIPTION_TOKENS) -> str:
    """Return descriptions one after the other: as many as fit whole, the first cut where not even it fits.

    Parameters
    ----------
    texts : sequence of str
        In order.
    max_tokens : int, optional
        At least 1.

    Returns
    -------
    str
        Blank without texts.

    """
    kept = ""
    left = max_tokens
    for text in texts:
        left -= count_tokens(text) + (1 if kept else 0)
        if left < 0:
            return kept or f"{text[: token_spans(text)[max_tokens - 1][1]]} …"
        kept = f"{kept}{'; ' if kept[-1:].isalnum() else ' '}{text}" if kept else text
    return kept


def are_longer(texts: Sequence[str], max_tokens: int) -> bool:
    """Tell whether descriptions, joined, have more tokens than a limit.

    Parameters
    ----------
    texts : sequence of str
        The descriptions.
    max_tokens : int
        The limit.

    Returns
    -------
    bool
        False for no texts.

    """
    room = max_tokens - len(texts) + 1
    # No token is shorter than a character: most items need no counting.
    return sum(map(len, texts)) > room and sum(map(count_tokens, texts)) > room


MAX_CHUNKS = 50
"""Chunks kept per relationship: those with the smallest ids."""
MAX_KEYWORDS = 10
MAX_DESCRIPTION = 240
_DRESS = re.compile(r"^[a-z]{2,3}:|\s*\([^()]*\)$")
"""What a cue carries besides its words: the language before, the voice of the verb behind."""
_SAYS_NOTHING = frozenset({"is a", "same sentence"})
MICRO = 1_000_000
_NANO = 1_000_000_000


class Passage(NamedTuple):
    """The sentence that speaks best for an entity or a relationship, exactly as it stands in its document.

    Attributes
    ----------
    document_id : str
    chunk_id : str
    start, end : int
        Characters of the document, from 0.
    page : int or None
        From 1, where there are pages.
    text : str
        As it stands.
    confidence : float, default 1.0
        From 0 to 1.

    """

    document_id: str
    chunk_id: str
    start: int
    end: int
    page: int | None
    text: str
    confidence: float = 1.0


CERTAIN = 0.999999
"""No evidence counts as surer, so that more of it still counts; what is as sure was stated without doubt."""
Rank = tuple[float | str, ...]
"""What is compared to keep the best passage: smaller is better, and no two passages are equal."""


@lru_cache(maxsize=4096)
def micro(confidence: float) -> int:
    """Return millionths: sums of integers are the same in any order.

    Parameters
    ----------
    confidence : float
        From 0 to 1.

    Returns
    -------
    int
        From 0 to 1,000,000.

    """
    return round(confidence * MICRO)


@lru_cache(maxsize=4096)
def doubt(confidence: float) -> int:
    """Return -ln(1 - confidence) in billionths, so that a noisy-or becomes a sum.

    Parameters
    ----------
    confidence : float
        From 0 to 1.

    Returns
    -------
    int
        0 for a confidence of 0; at most that of `CERTAIN`.

    """
    return round(-math.log1p(-min(confidence, CERTAIN)) * _NANO)


def noisy_or(doubts: int) -> float:
    """Return 1 - prod(1 - c) from a sum of `doubt`, to six places (Pearl 1988, 4.3.2).

    Parameters
    ----------
    doubts : int
        Sum of what `doubt` returns.

    Returns
    -------
    float
        From 0 to 1.

    References
    ----------
    Pearl 1988, 4.3.2.

    """
    return round(-math.expm1(-doubts / _NANO), 6)


def shorten(text: str, limit: int = MAX_DESCRIPTION) -> str:
    """Return the text on one line, cut at a word and marked where it is longer than `limit`.

    Parameters
    ----------
    text : str
        Any text.
    limit : int, optional
        Characters.

    Returns
    -------
    str
        At most two characters longer than `limit`.

    """
    line = " ".join(text.split())
    return line if len(line) <= limit else line[: line.rfind(" ", 0, limit)].rstrip(",;:") + " …"


@dataclass(slots=True, kw_only=True)
class Told:
    """What a language model said of an item, where one read the documents, and its best sentence.

    Attributes
    ----------
    descriptions : dict of str to (str, int), optional
        Each distinct one -> where it was first given.
    documents : int, default 0
        How many are about the item.
    rank : Rank, optional
        Of the passage.
    passage : Passage, optional
        The best sentence so far.

    """

    descriptions: dict[str, Place] = field(default_factory=dict)
    documents: int = 0
    rank: Rank | None = None
    passage: Passage | None = None

    def describe(self, text: str, place: Place) -> None:
        """Keep what a model says of the item; the result does not depend on the order in which it is said.

        Parameters
        ----------
        text : str
            What it says.
        place : (str, int)
            Document and character.

        """
        line = " ".join(text.split())[:MAX_CHARACTERS].rstrip()
        if not line:
            return
        self.descriptions[line] = min(place, self.descriptions.get(line, place))
        if len(self.descriptions) > 2 * MAX_DESCRIPTIONS:
            self.descriptions = {text: self.descriptions[text] for text in self.texts()}

    def texts(self) -> tuple[str, ...]:
        """Return the descriptions in text order.

        Returns
        -------
        tuple of str
            At most `MAX_DESCRIPTIONS`.

        """
        places = self.descriptions
        return tuple(nsmallest(MAX_DESCRIPTIONS, places, key=lambda text: (places[text], text)))

    def told(self, max_tokens: int) -> str | None:
        """Return what the model said, joined; None where none did.

        Parameters
        ----------
        max_tokens : int
            Of the text.

        Returns
        -------
        str or None
            At most `max_tokens` tokens.

        """
        return joined(self.texts(), max_tokens) or None


@dataclass(slots=True)
class EntityTotal(Told):
    """What is known of one entity so far.

    Attributes
    ----------
    key : EntityKey
        Which entity it is.
    mentions : int, default 0
        How many.
    confidence : float, default 0.0
        Of the surest mention.
    names : dict of str to int, optional
        Name as written -> mentions.
    roles : dict of str to int, optional
        Descriptor -> mentions.
    first : (str, int, str), optional
        Document, character and chunk of the first mention.
    dates : list of str, optional
        First and last date of its events, or empty.
    stated : Stated, optional
        Attributes that texts state of it.

    """

    key: EntityKey
    mentions: int = 0
    confidence: float = 0.0
    names: dict[str, int] = field(default_factory=dict)
    roles: dict[str, int] = field(default_factory=dict)
    first: tuple[str, int, str] | None = None
    dates: list[str] = field(default_factory=list)
    stated: Stated | None = None

    def see(self, name: str, confidence: float, where: tuple[str, int, str]) -> None:
        """Count one mention: `where` is (document, character, chunk).

        Parameters
        ----------
        name : str
            As written.
        confidence : float
            Of the mention.
        where : (str, int, str)
            Document, character, chunk.

        """
        self.mentions += 1
        self.names[name] = self.names.get(name, 0) + 1
        self.confidence = max(self.confidence, confidence)
        if self.first is None or where < self.first:
            self.first = where

    def add(self, whole: Entity, names: Iterable[str], first: tuple[str, int, str] | None) -> None:
        """Count all mentions of an entity that was derived before.

        Parameters
        ----------
        whole : Entity
            As it was derived.
        names : iterable of str
            Those of its other names that count.
        first : (str, int, str) or None
            Document, character and chunk of its first mention, where that is known.

        """
        attributes = whole.attributes or {}
        aliases = attributes.get("aliases")
        counts = aliases if isinstance(aliases, dict) else {}
        for name in names:
            self.names[name] = self.names.get(name, 0) + counts.get(name, 1)
        self.mentions += whole.n_mentions or 0
        self.documents += _number(attributes, "n_documents")
        self.confidence = max(self.confidence, whole.confidence)
        self.first = min((place for place in (self.first, first) if place is not None), default=None)

    def date(self, first: str, last: str) -> None:
        """Widen the span of dates of the events that it takes part in.

        Parameters
        ----------
        first, last : str
            ISO 8601.

        """
        self.dates = [min([first, *self.dates[:1]]), max([last, *self.dates[1:]])]

    @property
    def id(self) -> str:
        """Id of the entity."""
        return self.key.id

    def entity(self, short_id: int, degree: int, max_tokens: int = DESCRIPTION_TOKENS) -> Entity:
        """Return the entity; its confidence is that of its surest mention.

        What a model said of it, up to `max_tokens`, is its description; else the best sentence.

        Parameters
        ----------
        short_id : int
            From 1.
        degree : int
            Number of its neighbours.
        max_tokens : int, optional
            Of the description.

        Returns
        -------
        Entity
            With counts, aliases, roles and dates among its attributes.

        """
        attributes: JsonDict = {
            **(self.stated.chosen() if self.stated else {}),
            "aliases": _counted(self.names),
            "n_documents": self.documents,
            **({"roles": _counted(self.roles)} if self.roles else {}),
            **({"first_date": self.dates[0], "last_date": self.dates[1]} if self.dates else {}),
            **({"qualifier": self.key.qualifier} if self.key.qualifier else {}),
            **({"iso": self.key.value} if self.key.type == "date" and self.key.value else {}),
        }
        return Entity(
            id=self.key.id,
            name=self.key.name,
            type=self.key.type,
            description=self.told(max_tokens) or self._description(),
            attributes=attributes,
            source_ref=self.first[2] if self.first else None,
            confidence=round(self.confidence, 6),
            short_id=short_id,
            degree=degree,
            n_mentions=self.mentions,
        )

    def _description(self) -> str | None:
        """Return the best sentence, after the commonest descriptor where the sentence does not hold it."""
        sentence = shorten(self.passage.text) if self.passage else ""
        role = next(iter(_counted(self.roles)), "")
        if role and role.casefold() not in sentence.casefold():
            return shorten(f"{role}: {sentence}" if sentence else role)
        return sentence or None


def _number(attributes: JsonDict, name: str) -> int:
    """Return a count among attributes; 0 where there is none, as in a graph made elsewhere."""
    return n if isinstance(n := attributes.get(name), int) else 0


def _counted(counts: dict[str, int]) -> dict[str, int]:
    return dict(sorted(counts.items(), key=lambda item: (-item[1], item[0])))


@dataclass(slots=True)
class RelationshipTotal(Told):
    """The evidence for one relationship so far, and against it.

    Attributes
    ----------
    id : str
        Of the relationship.
    source_id, target_id : str
        Ids of its ends.
    type : str
        As asserted.
    weight, denied_weight : int, default 0
        Sums of confidence, in millionths.
    doubts, denied_doubts : int, default 0
        Sums of what `doubt` returns.
    n, n_denied : int, default 0
        Assertions for and against.
    n_hypothetical : int, default 0
    is_causal : bool, default False
        Whether some assertion is.
    chunks : set of str, optional
        Ids of chunks.
    cues : Counter of str, optional
        Words that state it -> assertions.

    """

    id: str
    source_id: str
    target_id: str
    type: str
    weight: int = 0
    doubts: int = 0
    n: int = 0
    denied_weight: int = 0
    denied_doubts: int = 0
    n_denied: int = 0
    n_hypothetical: int = 0
    """Assertions that only suppose or ask it: no evidence."""
    is_causal: bool = False
    chunks: set[str] = field(default_factory=set)
    cues: Counter[str] = field(default_factory=Counter)

    def see(self, confidence: float, *, negated: bool, is_causal: bool, cue: str | None) -> None:
        """Count one assertion for or against the relationship.

        Parameters
        ----------
        confidence : float
            Of the assertion.
        negated : bool
            Whether it denies the relationship.
        is_causal : bool
            Whether it states a cause.
        cue : str or None
            The words that state it.

        """
        if negated:
            self.denied_weight += micro(confidence)
            self.denied_doubts += doubt(confidence)
            self.n_denied += 1
        else:
            self.weight += micro(confidence)
            self.doubts += doubt(confidence)
            self.n += 1
            self.is_causal = self.is_causal or is_causal
        keyword = _DRESS.sub("", cue or "").casefold()
        if keyword and keyword not in _SAYS_NOTHING:
            self.cues[keyword] += 1

    def add(self, whole: Relationship, *, is_stated: bool) -> None:
        """Count all assertions of a relationship that was derived before.

        Parameters
        ----------
        whole : Relationship
            As it was derived.
        is_stated : bool
            Whether any text asserts it: else all of it is denial.

        """
        attributes, n = whole.attributes or {}, 1 if whole.n_evidence is None else whole.n_evidence
        self.denied_weight += micro(whole.negated_weight)
        if is_stated:
            self.weight += micro(whole.weight)
            self.doubts += doubt(whole.confidence)
            self.n += n
            self.is_causal = self.is_causal or whole.is_causal
            self.n_denied += _number(attributes, "n_denied")
        else:
            self.denied_doubts += doubt(whole.confidence)
            self.n_denied += n
        self.n_hypothetical += _number(attributes, "n_hypothetical")
        self.documents += _number(attributes, "n_documents")
        self.found_in(list(whole.chunk_ids or ()))

    def found_in(self, chunks: list[str]) -> None:
        """Keep the chunks with the smallest ids; twice as many at most while counting.

        Parameters
        ----------
        chunks : list of str
            Their ids.

        """
        self.chunks.update(chunks)
        if len(self.chunks) > 2 * MAX_CHUNKS:
            self.chunks = set(nsmallest(MAX_CHUNKS, self.chunks))

    def relationship(self, short_id: int, max_tokens: int = DESCRIPTION_TOKENS) -> Relationship:
        """Return the relationship; one that is only ever denied is of type `not_…`, and not causal.

        The id is that of the type denied, so that assertions point to it whichever way it turns out.

        Parameters
        ----------
        short_id : int
            From 1.
        max_tokens : int, optional
            Of the description.

        Returns
        -------
        Relationship
            Its confidence is the noisy-or of its pieces of evidence.

        """
        denied = not self.n
        weight, doubts = (self.denied_weight, self.denied_doubts) if denied else (self.weight, self.doubts)
        attributes: JsonDict = {
            "n_documents": self.documents,
            **({"n_denied": self.n_denied} if self.n_denied else {}),
            **({"n_hypothetical": self.n_hypothetical} if self.n_hypothetical else {}),
        }
        sentence = shorten(self.passage.text, 2 * MAX_DESCRIPTION) if self.passage else None
        return Relationship(
            id=self.id,
            source_id=self.source_id,
            target_id=self.target_id,
            type=f"{DENIED}{self.type}" if denied else self.type,
            weight=max(weight, 1) / MICRO,
            confidence=noisy_or(doubts),
            is_causal=self.is_causal,
            negated_weight=self.denied_weight / MICRO,
            description=self.told(max_tokens) or sentence,
            keywords=tuple(_counted(self.cues))[:MAX_KEYWORDS],
            attributes=attributes,
            short_id=short_id,
            n_evidence=self.n_denied if denied else self.n,
            chunk_ids=tuple(nsmallest(MAX_CHUNKS, self.chunks)),
        )


SYMMETRIC = frozenset({CO_OCCURRENCE})
"""Types without direction: one relationship, from the smaller id to the larger (`as_written`)."""
SUBJECT = 25
"""Characters into a sentence within which its subject usually stands."""
FAIR_LENGTH = 140
"""Characters of a sentence that says something and can still be read at a glance."""

_DEFINES = re.compile(r"(?:\s*\([^()]{0,80}\))?,?\s+(?:is|was|are|were)\s+(?:an?|the|one)\s")

Found = tuple[JsonDict, EntityKey | None]
"""A row of the table of mentions and the entity it means."""


@dataclass(frozen=True)
class Derived:
    """The graph, in id order, and what there is on each entity and relationship by its id.

    `passages` has the best sentence; `descriptions` the distinct ones a language model gave, in text order.

    Attributes
    ----------
    entities : list of Entity
        In order of id.
    relationships : list of Relationship
        In order of id.
    passages : mapping of str to Passage
        Id -> best sentence.
    descriptions : mapping of str to tuple of str, optional
        Id -> what a language model said.

    """

    entities: list[Entity]
    relationships: list[Relationship]
    passages: Mapping[str, Passage]
    descriptions: Mapping[str, tuple[str, ...]] = field(default_factory=dict)


class Totals:
    """Sums per entity and relationship; memory grows with the graph, not with the corpus.

    Parameters
    ----------
    description_tokens : int, optional
        Of a description that a model's words are joined to.

    """

    def __init__(self, description_tokens: int = DESCRIPTION_TOKENS) -> None:
        self._description_tokens = description_tokens
        self._entities: dict[str, EntityTotal] = {}
        self._relationships: dict[tuple[str, str, str], RelationshipTotal] = {}

    def count_mentions(self, layout: Layout, found: Sequence[Found]) -> None:
        """Count the mentions of one document.

        Parameters
        ----------
        layout : Layout
            Of the document.
        found : sequence of (dict, EntityKey or None)
            Rows of the table of mentions, each with the entity it means, if any.

        """
        company = Counter(row["sentence_start"] for row, entity in found if entity)
        present: dict[str, EntityTotal] = {}
        for row, entity in found:
            if entity is None:
                continue
            if (total := self._entities.get(entity.id)) is None:
                total = self._entities[entity.id] = EntityTotal(entity)
            total.see(row["name"], row["confidence"], (row["document_id"], row["start"], row["chunk_id"]))
            _describe(total, row)
            if row["end"] > row["start"]:
                # a sentence says more that defines, begins with it, names others, is of fair length
                start, end = row["sentence_start"], row["sentence_end"]
                too_long, off = _unfit(start, end)
                defines = _DEFINES.match(layout.document.text, row["end"]) is not None
                worth = (too_long, not defines, row["start"] - start > SUBJECT, -min(company[start], 4), off)
                _offer(layout, total, worth, (start, end), row["confidence"])
            present[entity.id] = total
        for total in present.values():
            total.documents += 1

    def count_dates(self, events: Iterable[Event], of_mention: Mapping[str, EntityKey]) -> None:
        """Widen the dates of the entities that take part in the events of one document.

        Parameters
        ----------
        events : iterable of Event
            Of the document.
        of_mention : mapping of str to EntityKey
            Mention id -> entity; all of them counted already.

        """
        for event in events:
            for entity in {of_mention[m] for m in (*event.actors, *event.places) if m in of_mention}:
                self._entities[entity.id].date(event.timestamp, event.timestamp_end or event.timestamp)

    def between(
        self, type_: str, source: EntityKey | None, target: EntityKey | None
    ) -> RelationshipTotal | None:
        """Return the sums of a relationship; None without two ends, to itself, or beside a mere value.

        Parameters
        ----------
        type_ : str
            Of the relationship.
        source, target : EntityKey or None
            Its ends.

        Returns
        -------
        RelationshipTotal or None
            The same object for the same triple, to be counted in.

        """
        if source is None or target is None or source.id == target.id:
            return None
        if type_ == CO_OCCURRENCE and (source.type in VALUES or target.type in VALUES):
            return None
        triple = as_written(source.id, type_, target.id)
        if triple not in self._relationships:
            number = Relationship.make_id(*triple)
            self._relationships[triple] = RelationshipTotal(number, triple[0], triple[2], type_)
        return self._relationships[triple]

    def count_assertions(
        self, layout: Layout, assertions: Sequence[Assertion], of_mention: Mapping[str, EntityKey]
    ) -> list[RelationshipTotal | None]:
        """Count the assertions of one document.

        Parameters
        ----------
        layout : Layout
            Of the document.
        assertions : sequence of Assertion
            What was found in it.
        of_mention : mapping of str to EntityKey
            Id of a mention -> the entity it means.

        Returns
        -------
        list of RelationshipTotal or None
            The sums of the relationship of each, as `between` returns them.

        """
        ends = [(of_mention.get(a.source_mention), of_mention.get(a.target_mention)) for a in assertions]
        totals = [self.between(a.type, *both) for a, both in zip(assertions, ends, strict=True)]
        here: dict[str, RelationshipTotal] = {}
        for total, assertion in zip(totals, assertions, strict=True):
            if total is None or not assertion.is_put_forward:
                if total:
                    total.n_hypothetical += 1
                continue
            here[total.id] = total
            confidence, negated = assertion.confidence, assertion.negated
            total.see(confidence, negated=negated, is_causal=assertion.is_causal, cue=assertion.cue)
            total.found_in(layout.chunks_of(assertion.start, assertion.end))
            if made_by_model(assertion.extractor):
                total.describe(assertion.description, (assertion.document_id, assertion.start))
            # its sentence is kept if it is the surest so far
            span = assertion.sentence_start, assertion.sentence_end
            _offer(layout, total, (negated, -confidence, *_unfit(*span)), span, confidence)
        for total in here.values():
            total.documents += 1
        return totals

    def derived(self) -> Derived:
        """Return the graph of all that has been counted.

        Returns
        -------
        Derived
            Everything in id order.

        """
        evident = (total for total in self._relationships.values() if total.n or total.n_denied)
        relationships = sorted(evident, key=lambda total: total.id)
        entities = sorted(self._entities.values(), key=lambda total: total.id)
        neighbours: dict[str, set[str]] = defaultdict(set)
        for total in relationships:
            if total.n:
                neighbours[total.source_id].add(total.target_id)
                neighbours[total.target_id].add(total.source_id)
        numbers = _short_ids((total.id, total.mentions) for total in entities)
        numbers |= _short_ids((total.id, total.n or total.n_denied) for total in relationships)
        everything: tuple[EntityTotal | RelationshipTotal, ...] = (*entities, *relationships)
        most = self._description_tokens
        return Derived(
            entities=[t.entity(numbers[t.id], len(neighbours[t.id]), most) for t in entities],
            relationships=[t.relationship(numbers[t.id], most) for t in relationships],
            passages={t.id: t.passage for t in everything if t.passage},
            descriptions={t.id: t.texts() for t in everything if t.descriptions},
        )


def _describe(total: EntityTotal, row: JsonDict) -> None:
    """Keep what a mention says of its entity: a model's own words, or a descriptor found in the text."""
    by_model = made_by_model(row["extractor"])
    if by_model and row["description"]:
        total.describe(row["description"], (row["document_id"], row["start"]))
    role = row["attributes"].get("role") if by_model else row["description"] or row["attributes"].get("role")
    if role and isinstance(role, str):
        total.roles[role] = total.roles.get(role, 0) + 1
    if STATED in row["attributes"]:
        total.stated = total.stated or Stated()
        total.stated.add(row["attributes"][STATED], (row["document_id"], row["start"]))


def _unfit(start: int, end: int) -> tuple[bool, int]:
    return end - start > MAX_DESCRIPTION, abs(end - start - FAIR_LENGTH) // 20


def _offer(
    layout: Layout,
    total: EntityTotal | RelationshipTotal,
    worth: tuple[float, ...],
    span: tuple[int, int],
    confidence: float,
) -> None:
    """Keep a sentence if it ranks before the one held; ties go by document and place."""
    document, (start, end) = layout.document, span
    rank: Rank = (*worth, document.id, start)
    if total.rank is None or rank < total.rank:
        chunk_id = next(iter(layout.chunks_of(start, end)), "")
        text = document.text[start:end]
        total.rank = rank
        total.passage = Passage(document.id, chunk_id, start, end, layout.page_of(start), text, confidence)


def _short_ids(sizes: Iterable[tuple[str, int]]) -> dict[str, int]:
    """Give numbers from 1, to the best attested first, ties by id."""
    ranked = sorted(sizes, key=lambda of: (-of[1], of[0]))
    return {id_: number for number, (id_, _) in enumerate(ranked, start=1)}


def as_written(source: str, type_: str, target: str) -> tuple[str, str, str]:
    """Return source, type and target as a relationship has them: without direction, the smaller id first.

    Parameters
    ----------
    source, target : str
        Ids of entities.
    type_ : str
        Of the relationship.

    Returns
    -------
    (str, str, str)
        The same for both ways round of a symmetric type.

    """
    return (target, type_, source) if type_ in SYMMETRIC and target < source else (source, type_, target)
