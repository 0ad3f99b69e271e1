"""What an extractor found and where. All else about the graph is derived from these."""

from typing import Literal

from pydantic import Field, NonNegativeInt

from corpusgraph.schemas.base import Confidence, Described, JsonDict, Noun, stable_id

Modality = Literal["fact", "modal", "hypothetical", "asked"]
PUT_FORWARD: tuple[Modality, ...] = ("fact", "modal")
"""Modalities in which a text says something is so, or may be so; the others only raise it."""
CAUSAL = frozenset({"causes", "prevents"})
"""Types of relations that are causal whatever their pattern."""
ENTITY_TYPES = ("person", "organisation", "place", "date", "quantity", "concept")
MIN_CONFIDENCE = "findings below it enter no graph; unless given, relations that the extractor doubts"


class Span(Noun):
    """A stretch of a document's text, in characters, half-open; `page` where the document has pages."""

    document_id: str
    chunk_id: str
    start: NonNegativeInt
    end: NonNegativeInt
    page: int | None = None


class Finding(Span, use_attribute_docstrings=True):
    """A span with the words that gave it away and how sure its extractor is."""

    id: str
    extractor: str
    confidence: Confidence = 1.0
    cue: str | None = None
    """the words, or the rule's name, that gave it away"""
    sentence_start: NonNegativeInt
    sentence_end: NonNegativeInt


class Mention(Finding):
    """An entity named in the text. `surface` is the text as written, `name` its tidied form."""

    surface: str
    name: str
    type: str
    description: str | None = None
    attributes: JsonDict = Field(default_factory=dict)
    """role, qualifier, ISO date, value, unit"""

    @staticmethod
    def make_id(document_id: str, start: int, end: int, type_: str, extractor: str) -> str:
        """Identify a mention by its place, type and extractor.

        Parameters
        ----------
        document_id : str
            Id of the document.
        start, end : int
            Characters of the document's text, `end` excluded.
        type_ : str
            Type of the entity that is mentioned.
        extractor : str
            Name of what read it: two extractors that agree leave two mentions.

        Returns
        -------
        str
            Prefixed `men_`.

        """
        return stable_id("men", document_id, start, end, type_, extractor)


class Assertion(Finding):
    """A directed relation that the text states between two mentions."""

    source_mention: str
    """id of the source's mention"""
    target_mention: str
    source: str
    """the source's name in the text"""
    target: str
    type: str
    is_causal: bool = False
    negated: bool = False
    """the text denies the relation"""
    modality: Modality = "fact"
    """how the text puts it: as a fact, with a modal verb, under a condition, as a question"""
    speaker: str | None = None
    """who is reported to say it, where the text tells"""
    description: str
    """the sentence that states it"""
    doubtful: bool = False
    """its extractor has doubts: a graph takes it where others agree, or a study sets `min_confidence`"""
    source_start: int | None = Field(
        default=None,
        description="characters of the ends and the cue as they stand in the sentence; "
        "an end may be a pronoun, whose mention is the antecedent",
    )
    source_end: int | None = None
    target_start: int | None = None
    target_end: int | None = None
    cue_start: int | None = None
    cue_end: int | None = None

    @property
    def is_put_forward(self) -> bool:
        """Whether it is evidence, for or against: neither under a condition nor a question."""
        return self.modality in PUT_FORWARD

    @property
    def is_stated(self) -> bool:
        """Whether it is evidence for the relation."""
        return self.is_put_forward and not self.negated

    @staticmethod
    def make_id(source_mention: str, type_: str, target_mention: str, extractor: str) -> str:
        """Identify an assertion by its two ends, type and extractor.

        Parameters
        ----------
        source_mention, target_mention : str
            Ids of the mentions that it joins; its direction counts.
        type_ : str
            Type of the relationship.
        extractor : str
            Name of what read it.

        Returns
        -------
        str
            Prefixed `asr_`.

        """
        return stable_id("asr", source_mention, type_, target_mention, extractor)


class Claim(Finding):
    """A proposition somebody puts forward, open to support and attack."""

    text: str
    speaker: str | None = None
    """name of who says it, where the text tells"""
    stance: Literal["asserts", "denies"] = "asserts"
    entities: tuple[str, ...] = ()
    """mention ids inside the claim"""
    weight: float = 1.0


class ArgumentRelation(Finding):
    """One claim speaks for or against another."""

    source: str
    """claim id"""
    target: str
    """claim id"""
    type: Literal["attack", "support"]
    weight: float = 1.0


class Event(Finding):
    """Something that happened at a stated time; `timestamp_end` closes a stated range."""

    case: str
    activity: str
    text: str
    timestamp: str
    """ISO 8601, as precise as the text: 1854, 1854-09, 1854-09-08T10:00"""
    timestamp_end: str | None = None
    """last instant, where the text gives a range"""
    granularity: Literal["year", "month", "day", "minute", "second"] = "day"
    approximate: bool = False
    """the text is vague about the time: about 1850, early in May, a few days later"""
    actors: tuple[str, ...] = ()
    """mention ids"""
    places: tuple[str, ...] = ()
    """mention ids"""
    roles: JsonDict = Field(default_factory=dict)
    """mention id -> role in the event: agent, patient, recipient, instrument"""


class Evidence(Described):
    """All that one extractor found in one document: the unit of the stage cache."""

    document_id: str
    mentions: tuple[Mention, ...] = ()
    assertions: tuple[Assertion, ...] = ()
    claims: tuple[Claim, ...] = ()
    arguments: tuple[ArgumentRelation, ...] = ()
    events: tuple[Event, ...] = ()
    lower_words: dict[str, int] = Field(default_factory=dict)
    """lower-case words with counts: they tell a name from a sentence's first word"""
    failures: tuple[str, ...] = ()


class Merge(Described):
    """One decision of entity resolution: this name was taken for that entity. Undo by listing its id."""

    id: str
    name: str
    """the name as found"""
    type: str
    into: str
    """id of the entity it was merged into"""
    into_name: str
    rule: str
    """which rule decided: case, plural, title, initials, surname, acronym …"""
    confidence: Confidence = 1.0
    documents: tuple[str, ...] = ()
    """where the merge holds; empty: everywhere"""
    n_mentions: NonNegativeInt = 0
    why: str = ""
    """the reason a language model gave"""
