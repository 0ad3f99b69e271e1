"""Patterns over trees, as data: which words, with which arguments, state which relation.

A pattern file is a list of patterns (docs/patterns.md). Each has a `type`, one list of trigger phrases under
the word class of their first word (`verb`, `noun`, `adjective`, `preposition`, `conjunction`), and says which
argument of the trigger is the `source` and which the `target`.
"""

import hashlib
import json
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated, Literal, get_args

from pydantic import BeforeValidator, Field, model_validator

from corpusgraph.schemas.base import Noun
from corpusgraph.schemas.evidence import CAUSAL, Modality
from corpusgraph.tasks.text.wordlist import words, wordset

WordClass = Literal["verb", "noun", "adjective", "preposition", "conjunction"]
WORD_CLASSES: tuple[WordClass, ...] = get_args(WordClass)
PREPOSITIONS = words("patterns.prepositions")
PARTICLES = wordset("about away back down forth in off on out over up")
EndType = Literal["person", "organisation", "place", "date", "quantity", "concept", "name"]


def _phrases(value: object) -> object:
    """Accept one string with commas for a list."""
    return [part.strip() for part in value.split(",")] if isinstance(value, str) else value


Phrases = Annotated[tuple[str, ...], BeforeValidator(_phrases)]


class Pattern(Noun):
    """One way of stating a relation."""

    type: str = Field(description="type of the relation")
    verb: Phrases = Field(
        default=(), description="lemmas, with a particle or preposition: cause, lead to, bring about"
    )
    noun: Phrases = Field(
        default=(), description="nouns with the preposition of their complement: cause of, reason for"
    )
    adjective: Phrases = Field(default=(), description="adjectives with their preposition: responsible for")
    preposition: Phrases = Field(default=(), description="prepositions, whole: because of, owing to")
    conjunction: Phrases = Field(default=(), description="subordinators, whole: because, so that")
    source: str = Field(default="subject", description="an argument, docs/patterns.md, or a preposition")
    target: str = Field(default="object", description="the same")
    speaker: str | None = Field(default=None, description="argument that names who says so")
    voice: Literal["any", "active", "passive"] = Field(default="any", description="of a verb")
    source_is: tuple[EndType, ...] = Field(default=(), description="types that the source must be of")
    source_not: tuple[EndType, ...] = Field(default=(), description="types that the source must not be of")
    source_word: Phrases = Field(default=(), description="words of which the source must be headed by one")
    target_word: Phrases = Field(default=(), description="the same of the target")
    target_is: tuple[EndType, ...] = Field(default=(), description="types that the target must be of")
    modality: Modality | None = Field(
        default=None, description="how the text puts it, where the words alone decide"
    )
    confidence: float = Field(default=0.7, gt=0, le=1)
    causal: bool | None = Field(default=None, description="by default: causes and prevents are")

    @model_validator(mode="after")
    def _has_trigger(self) -> "Pattern":
        if sum(bool(getattr(self, word_class)) for word_class in WORD_CLASSES) != 1:
            message = f"a pattern needs words under exactly one of {', '.join(WORD_CLASSES)}"
            raise ValueError(message)
        return self

    @property
    def word_class(self) -> WordClass:
        """Word class of the trigger."""
        return next(name for name in WORD_CLASSES if getattr(self, name))

    @property
    def is_causal(self) -> bool:
        """Whether its relations are causal."""
        return self.type in CAUSAL if self.causal is None else self.causal


class Trigger(Noun):
    """A phrase that begins a pattern: its first word, what must stand beside it, and a last preposition."""

    pattern: Pattern
    words: tuple[str, ...]

    @property
    def inner(self) -> tuple[str, ...]:
        """Words between the first and a last preposition: "rise" of "give rise to"."""
        last = -1 if self.preposition else len(self.words)
        return self.words[1:last]

    @property
    def preposition(self) -> str:
        """Preposition of the object: "to" of "lead to"; a particle that ends the phrase is none."""
        last = self.words[-1]
        if len(self.words) == 1 or last not in PREPOSITIONS:
            return ""
        phrasal = self.pattern.word_class == "verb" and " ".join(self.words) in PHRASAL
        return "" if phrasal and len(self.words) == 2 and last in PARTICLES else last


PHRASAL = words("patterns.phrasal")


class Patterns:
    """Patterns of one language, found by the first word of their triggers.

    `own` are the user's, which come before the others and are never doubted by a trained reader.
    """

    def __init__(self, patterns: Sequence[Pattern], own: Sequence[Pattern] = ()) -> None:
        patterns = [*own, *patterns]
        self.own = frozenset(own)
        self._triggers: dict[tuple[str, str], list[Trigger]] = defaultdict(list)
        for pattern in patterns:
            for phrase in getattr(pattern, pattern.word_class):
                words = tuple(phrase.split())
                self._triggers[pattern.word_class, words[0]].append(Trigger(pattern=pattern, words=words))
        for triggers in self._triggers.values():
            triggers.sort(key=lambda trigger: -len(trigger.words))
        listed = json.dumps([pattern.model_dump() for pattern in patterns], sort_keys=True)
        self.fingerprint = hashlib.blake2b(listed.encode(), digest_size=8).hexdigest()
        """Changes with every pattern."""

    def of(self, word_class: str, first_word: str) -> Sequence[Trigger]:
        """Return the triggers that begin with a word, longest first."""
        return self._triggers.get((word_class, first_word), ())


@dataclass(frozen=True, slots=True)
class Statement:
    """A relation between two tokens of a sentence.

    `anchor` is the predicate that its polarity and modality are read off, `cue` the tokens that carry it.
    """

    source: int
    target: int
    type: str
    anchor: int
    cue: tuple[int, ...]
    name: str
    confidence: float
    is_causal: bool = False
    speaker: int | None = None
    denied: bool = False
    pattern: Pattern | None = None
    between_clauses: bool = False
    """Both ends say what is so or not so themselves: a negation in them does not deny the relation."""
    in_passing: bool = False
    """Said by apposition or title: what the clause denies, doubts or asks is something else."""
