"""Relationships that texts state between entities that are known: by the rules of indexing, and by name."""

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from corpusgraph.schemas.base import nfc, stable_id
from corpusgraph.schemas.documents import Document
from corpusgraph.schemas.errors import AmbiguousEntityError, UnknownEntityError
from corpusgraph.schemas.evidence import CAUSAL
from corpusgraph.schemas.graph import Entity
from corpusgraph.schemas.ports import Memory
from corpusgraph.schemas.stages import Extractor
from corpusgraph.tasks.index.totals import CO_OCCURRENCE
from corpusgraph.tasks.memory._asked import ordered, triple_id
from corpusgraph.tasks.memory._patterns import ARTICLES, DENIALS, JOINS, JOINTS, TOLD, cues

REACH = 10
"""Words a name may have; or, in a language without spaces, twice as many letters."""
FAR = 400
"""Letters on either side in which a name is looked for."""
_BLANK = " \t\n"
_STOPS = ".!?…:。，、"
_END = re.compile(r"[.!?…。](?=\s|$)|\n\s*\n")
_UNSPACED = re.compile(r"[\u3040-\u30ff\u3400-\u9fff]")
_ARTICLE = re.compile(r"[^\W\d_]+(?:\s+|')")
_EDGE = " \t\n,;\"'“”‘’«»()[]"
_LETTER = re.compile(r"[^\W\d_]")


class Statement(NamedTuple):
    """That a text states a relationship, by which pattern."""

    source: str
    type: str
    target: str
    is_causal: bool
    cue: str


class Stated(NamedTuple):
    """A relationship between two entities that a text states."""

    id: str
    source: Entity
    target: Entity
    type: str
    is_causal: bool
    cue: str


class Reader:
    """Reads texts, each once, for statements about entities of an index."""

    def __init__(self, memory: Memory, extractor: Extractor) -> None:
        self._memory, self._extractor = memory, extractor
        self._read: dict[str, tuple[Statement, ...]] = {}
        self._entities: dict[str, Entity | None] = {}

    @property
    def fingerprint(self) -> str:
        """Identify the rules: with others the same text is read again."""
        return f"{self._extractor.fingerprint}+names-2"

    def stated(self, texts: Sequence[str], of: str, *, others: bool = False) -> dict[str, Stated]:
        """Return by id the relationships of an entity that texts state, in order of the texts.

        With `others` also what a text that states nothing of the entity states of others: a note is read as a
        whole, and of one about the entity no clause is taken for a statement about what it names.
        """
        found: dict[str, Stated] = {}
        for text in texts:
            made = [one for statement in self._statements(text) if (one := self._between(statement))]
            own = [one for one in made if of in (one.source.id, one.target.id)]
            for one in made if others and not own else own:
                found.setdefault(one.id, one)
        return found

    def _statements(self, text: str) -> tuple[Statement, ...]:
        if text not in self._read:
            self._read[text] = (*self._named(text), *self._by_rules(text))
        return self._read[text]

    def _between(self, statement: Statement) -> Stated | None:
        source, target = self._entity(statement.source), self._entity(statement.target)
        if source is None or target is None or source.id == target.id:
            return None
        id_ = triple_id(source, statement.type, target)
        first, second = ordered(source, statement.type, target)
        return Stated(id_, first, second, statement.type, statement.is_causal, statement.cue)

    def _entity(self, name: str) -> Entity | None:
        """Return the one entity of a name; a number is no name."""
        if name not in self._entities:
            self._entities[name] = self._found(name) if _LETTER.search(name) else None
        return self._entities[name]

    def _found(self, name: str) -> Entity | None:
        try:
            return self._memory.find(name)
        except (UnknownEntityError, AmbiguousEntityError):
            return None

    def _by_rules(self, text: str) -> Iterator[Statement]:
        """Read by the rules of indexing, in any language that they know."""
        whole = nfc(text)
        document = Document(id=stable_id("doc", whole), title="", text=whole, source="", content_hash="")
        for said in self._extractor.extract(document, ()).assertions:
            if said.is_stated and said.type != CO_OCCURRENCE:
                yield Statement(said.source, said.type, said.target, said.is_causal, said.cue or "rule")

    def _named(self, text: str) -> Iterator[Statement]:
        """Read `X causes Y` and the like between names as they are known, whatever letters they are of."""
        subject, last = None, 0
        for cue in cues().finditer(text):
            type_, pattern = TOLD[" ".join(cue[0].casefold().split())]
            before = text[max(0, cue.start() - FAR) : cue.start()].rstrip(_BLANK)
            after = text[cue.end() : cue.end() + FAR].lstrip(_EDGE)
            word = (before.split()[-1:] or [""])[0].casefold()
            if word in DENIALS or before[-1:] in DENIALS:
                continue
            goes_on = (word in JOINS or before[-1:] in JOINTS) and not _END.search(text, last, cue.start())
            source = self._longest(_ends(before.rstrip(_EDGE))) or (subject if goes_on else None)
            target = self._longest(_starts(after)) if source else None
            if source and target:
                subject, last = source, cue.end()
                yield Statement(source, type_, target, type_ in CAUSAL, pattern)

    def _longest(self, names: Iterator[str]) -> str | None:
        return next((name for name in names if self._entity(name) is not None), None)


def _ends(text: str) -> Iterator[str]:
    """Yield the last words of a text, most words first."""
    for place in _places(text, -1):
        yield text[place:].strip(_EDGE)


def _starts(text: str) -> Iterator[str]:
    """Yield the first words of a text, most words first, with and without what ends a sentence."""
    for place in _places(text, 1):
        name = text[:place].strip(_EDGE)
        yield name
        bare = name.rstrip(_STOPS + _EDGE)
        if bare != name:
            yield bare
        article = _ARTICLE.match(bare)
        if article is not None and article[0].strip().casefold() in ARTICLES:
            yield bare[article.end() :]


def _places(text: str, way: int) -> list[int]:
    """Return where names may begin that end with the text (-1), or end that begin with it, longest first."""
    words = list(re.finditer(r"\S+", text))
    spaced = [word.start() for word in words[-REACH:]] if way < 0 else [word.end() for word in words[:REACH]]
    first = max(0, len(text) - 2 * REACH) if way < 0 else 0
    beside = text[first : first + 2 * REACH]
    unspaced = [first + i + (way > 0) for i, letter in enumerate(beside) if _UNSPACED.match(letter)]
    return sorted({*spaced, *unspaced}, reverse=way > 0)
