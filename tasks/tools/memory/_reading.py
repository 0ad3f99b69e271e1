"""Relationships that texts state between entities that are known: by the rules of indexing, and by name."""

import hashlib
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cache
from typing import NamedTuple

from corpusgraph.schemas.base import nfc, stable_id
from corpusgraph.schemas.documents import Chunk, Document
from corpusgraph.schemas.errors import AmbiguousEntityError, UnknownEntityError, UnknownItemError
from corpusgraph.schemas.evidence import CAUSAL
from corpusgraph.schemas.graph import Entity, Relationship
from corpusgraph.schemas.memory import Change, Extracted, Operation, Relate, Unrelate
from corpusgraph.schemas.ports import GraphView, Memory
from corpusgraph.schemas.results import ToolInput
from corpusgraph.schemas.stages import Extractor
from corpusgraph.tasks.build.aggregate import CO_OCCURRENCE
from corpusgraph.tasks.graph.names import is_hand_made, noted_of
from corpusgraph.tasks.overlay.evidence import ORIGIN
from corpusgraph.tasks.registry import F, tool
from corpusgraph.tasks.text.wordlist import entry, words
from corpusgraph.tasks.tools.memory._inputs import in_force, named, ordered, record, triple_id
from corpusgraph.tasks.tools.memory.get_entity_neighbors import ENHANCED

SPACELESS = frozenset({"zh"})
"""Languages whose words stand together without spaces."""

JOINTS = frozenset(",，、和或")
"""Letters that say the same."""


@cache
def patterns() -> dict[str, tuple[str, str]]:
    """Return words, without regard to case -> the type that they state, and the pattern's id."""
    found: dict[str, tuple[str, str]] = {}
    for language, types in entry("stated_relations").items():
        for type_, phrases in types.items():
            for phrase in phrases:
                found.setdefault(phrase.casefold(), (type_, f"{language}:X {phrase} Y"))
    return found


@cache
def cues() -> re.Pattern[str]:
    """Return the expression that finds these words; made when a text is first read."""
    spaced = _either(language for language in entry("stated_relations") if language not in SPACELESS)
    return re.compile(rf"(?<!\w)(?:{spaced})(?!\w)|{_either(sorted(SPACELESS))}", re.IGNORECASE)


def _either(languages: Iterable[str]) -> str:
    """Return an expression for the words of some languages, longest first."""
    types = (entry(f"stated_relations.{language}").values() for language in languages)
    phrases = {phrase for lists in types for phrases in lists for phrase in phrases}
    order = sorted(phrases, key=lambda phrase: (-len(phrase), phrase))
    return "|".join(r"\s+".join(map(re.escape, phrase.split())) for phrase in order)


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
        denials, joins = words("notes.denials"), words("notes.joins")
        for cue in cues().finditer(text):
            type_, pattern = patterns()[" ".join(cue[0].casefold().split())]
            before = text[max(0, cue.start() - FAR) : cue.start()].rstrip(_BLANK)
            after = text[cue.end() : cue.end() + FAR].lstrip(_EDGE)
            word = (before.split()[-1:] or [""])[0].casefold()
            if word in denials or before[-1:] in denials:
                continue
            goes_on = (word in joins or before[-1:] in JOINTS) and not _END.search(text, last, cue.start())
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
        if article is not None and article[0].strip().casefold() in words("notes.articles"):
            yield bare[article.end() :]


def _places(text: str, way: int) -> list[int]:
    """Return where names may begin that end with the text (-1), or end that begin with it, longest first."""
    words = list(re.finditer(r"\S+", text))
    spaced = [word.start() for word in words[-REACH:]] if way < 0 else [word.end() for word in words[:REACH]]
    first = max(0, len(text) - 2 * REACH) if way < 0 else 0
    beside = text[first : first + 2 * REACH]
    unspaced = [first + i + (way > 0) for i, letter in enumerate(beside) if _UNSPACED.match(letter)]
    return sorted({*spaced, *unspaced}, reverse=way > 0)


CONFIDENCE = 0.5
"""Of what a pattern finds."""


def extracting(*, idempotent: bool = True) -> Callable[[F], F]:
    """Register a tool that reads what `Texts` reads of one entity or of all."""
    return tool(
        writes="memory",
        needs={"Entity.id"},
        optional={
            "Entity.name",
            "Entity.description",
            "Entity.attributes",
            "Chunk.content",
            "Chunk.entities",
        },
        cite=ENHANCED,
        effect="adds",
        idempotent=idempotent,
    )


class Searched(NamedTuple):
    """What the texts of an entity state, and the hash of these texts."""

    entity: Entity
    digest: str
    stated: Mapping[str, Stated]


class Texts:
    """What there is to read about entities: what was noted of them, what describes them, their chunks."""

    def __init__(self, graph: GraphView, memory: Memory, fingerprint: str) -> None:
        self._graph, self._memory, self._fingerprint = graph, memory, fingerprint
        self._chunks = graph.entity_chunks()

    def digest(self, entity: Entity) -> str:
        """Return a hash of all that there is to read: of chunks their ids, which change with their texts."""
        parts = (self._fingerprint, entity.name, *self._own(entity), "", *self._chunk_ids(entity))
        return hashlib.blake2b("\x1f".join(parts).encode(), digest_size=8).hexdigest()

    def noted(self, entity: Entity) -> list[str]:
        """Return what was noted of it, or describes it; without a subject, with its name before it."""
        return [_with_subject(entity.name, text) for text in self._own(entity)]

    def chunks(self, entity: Entity) -> list[str]:
        """Return the texts that it occurs in."""
        return [self._graph.chunk(id_).content for id_ in self._chunk_ids(entity)]

    def _own(self, entity: Entity) -> tuple[str, ...]:
        noted = dict.fromkeys((*noted_of(entity), *self._memory.observations(entity.id)))
        return (*noted, *self._described(entity))

    def _described(self, entity: Entity) -> tuple[str, ...]:
        """Return what describes it; of an entity with chunks it is a sentence of one of them."""
        told = entity.description
        return (told,) if told and not self._chunks.get(entity.id, ()) and not is_hand_made(entity) else ()

    def _chunk_ids(self, entity: Entity) -> Iterable[str]:
        ids = self._chunks.get(entity.id, ())
        return [id_ for id_ in ids if not self._by_hand(id_)]

    def _by_hand(self, chunk_id: str) -> bool:
        """Tell a line of the memory: what was noted is read as it was, and a statement is there already."""
        chunk = self._graph.chunk(chunk_id)
        metadata = chunk.metadata or {}
        return all(metadata.get(key) == value for key, value in ORIGIN.items()) or self._states(chunk)

    def _states(self, chunk: Chunk) -> bool:
        """Tell a line that puts a relation of an imported memory in words, which may be another type's."""
        states = chunk.relationships or ()
        if len(states) != 1:
            return False
        try:
            stated = self._graph.relationship(states[0])
        except UnknownItemError:
            return False
        return stated.description == chunk.content and is_hand_made(self._graph.entity(stated.source_id))


def _with_subject(name: str, text: str) -> str:
    begins_low = text[:1].islower()
    return f"{name} {text}" if begins_low and name.casefold() not in text.casefold() else text


class Extraction(NamedTuple):
    """What was searched, which relationships that the index did not have were added, by which change."""

    searched: Sequence[Searched]
    added: Mapping[str, Stated]
    change: int


def extract(
    entities: Iterable[Entity], texts: Texts, reader: Reader, memory: Memory, ask: ToolInput, by: str
) -> Extraction:
    """Read all there is about entities; put what is new on record, and a line of the log for each."""
    found = []
    for entity in entities:
        noted = reader.stated(texts.noted(entity), entity.id, others=True)
        about = reader.stated(texts.chunks(entity), entity.id)
        found.append(Searched(entity, texts.digest(entity), {**noted, **about}))
    added = _fresh(found, memory)
    operations: list[Operation] = [
        Relate(
            source=named(stated.source),
            target=named(stated.target),
            type=stated.type,
            confidence=CONFIDENCE,
            is_causal=stated.is_causal,
            cue=stated.cue,
        )
        for stated in added.values()
    ]
    operations += [Extracted(entity=named(of), found=len(said), digest=digest) for of, digest, said in found]
    return Extraction(found, added, record(memory, ask, by, operations))


def _fresh(found: Iterable[Searched], memory: Memory) -> dict[str, Stated]:
    """Return by id what the texts state and the index does not have, each once.

    What changes in force took out is not added again.
    """
    taken_out = (op for op in in_force(memory) if isinstance(op, Unrelate))
    gone = {Relationship.make_id(op.source.id, op.type, op.target.id) for op in taken_out}
    new: dict[str, Stated] = {}
    for searched in found:
        for id_, stated in searched.stated.items():
            if id_ not in new and id_ not in gone and not _is_there(memory, id_):
                new[id_] = stated
    return new


def _is_there(memory: Memory, id_: str) -> bool:
    try:
        memory.relationship(id_)
    except UnknownItemError:
        return False
    return True


def searched_before(memory: Memory) -> dict[str, tuple[Change, Extracted]]:
    """Return entity -> the last line of the log about it, and the change that it belongs to."""
    return {line.entity.id: (change, line) for change, line in memory.extractions()}
