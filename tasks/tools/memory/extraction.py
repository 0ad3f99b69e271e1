"""Relationships that the texts about entities state: by the rules of indexing, and by name."""

import hashlib
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cache
from typing import NamedTuple

from pydantic import Field, PositiveInt

from corpusgraph.schemas.base import nfc, stable_id
from corpusgraph.schemas.documents import Chunk, Document
from corpusgraph.schemas.errors import AmbiguousEntityError, UnknownEntityError, UnknownItemError
from corpusgraph.schemas.evidence import CAUSAL
from corpusgraph.schemas.graph import CO_OCCURRENCE, Entity, Relationship
from corpusgraph.schemas.memory import Change, Extracted, Relate, Unrelate
from corpusgraph.schemas.ports import GraphView, Memory
from corpusgraph.schemas.results import Noted, ToolInput
from corpusgraph.schemas.stages import Extractor
from corpusgraph.tasks.build.reliance import agreeing, relied_on
from corpusgraph.tasks.graph.names import is_hand_made, noted_of
from corpusgraph.tasks.overlay.evidence import ORIGIN
from corpusgraph.tasks.progress import counted
from corpusgraph.tasks.registry import F, tool
from corpusgraph.tasks.text.wordlist import entry, listed, words
from corpusgraph.tasks.tools.memory._inputs import (
    ENHANCED,
    Ref,
    Shape,
    ShortId,
    Success,
    as_kept,
    held,
    lookup,
    named,
    record,
    triple_id,
    unchanged,
)

SPACELESS = frozenset({"zh"})
"""Languages whose words stand together without spaces."""
JOINTS = frozenset(",，、和或")
"""Letters that say the same."""


@cache
def patterns() -> dict[str, tuple[str, str]]:
    """Return words, without regard to case -> the type that they state, and the pattern's id."""
    by_words: dict[str, tuple[str, str]] = {}
    for language, types in entry("stated_relations").items():
        for type_, phrases in types.items():
            for phrase in phrases:
                by_words.setdefault(phrase.casefold(), (type_, f"{language}:X {phrase} Y"))
    return by_words


@cache
def cues() -> re.Pattern[str]:
    """Return the expression that finds these words; made when a text is first read."""
    unspaced = {phrase for phrase, (_, pattern) in patterns().items() if pattern[:2] in SPACELESS}
    return re.compile(
        rf"(?<!\w)(?:{_either(patterns().keys() - unspaced)})(?!\w)|{_either(unspaced)}", re.IGNORECASE
    )


@cache
def denials() -> re.Pattern[str]:
    """Return the expression that finds words by which a sentence denies the clause after them."""
    return re.compile(rf"(?<!\w)(?:{_either(listed('notes.denied_clauses'))})", re.IGNORECASE)


def _either(phrases: Iterable[str]) -> str:
    """Return an expression for any of the phrases, longest first."""
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


CONFIDENCE = 0.5
"""Of what a pattern finds."""


class Reader:
    """Reads texts, each once, for statements about entities of an index."""

    def __init__(self, memory: Memory, extractor: Extractor) -> None:
        self._memory, self._extractor = memory, extractor
        self._statements: dict[str, tuple[Statement, ...]] = {}
        self._entities: dict[str, Entity | None] = {}

    def stated(self, texts: Sequence[str], of: str, *, others: bool = False) -> dict[str, Relate]:
        """Return by id the relationships of an entity that texts state, in order of the texts.

        With `others` also what a text that states nothing of the entity states of others: a note is read as a
        whole, and of one about the entity no clause is taken for a statement about what it names.
        """
        relations: dict[str, Relate] = {}
        for text in texts:
            if text not in self._statements:
                self._statements[text] = (*self._named(text), *self._by_rules(text))
            pairs = [pair for one in self._statements[text] if (pair := self._between(one))]
            own = [(id_, said) for id_, said in pairs if of in (said.source.id, said.target.id)]
            for id_, said in pairs if others and not own else own:
                relations.setdefault(id_, said)
        return relations

    def _between(self, statement: Statement) -> tuple[str, Relate] | None:
        """Return the id and the relationship that is stated, where both names are those of entities."""
        source, type_, target, is_causal, cue = statement
        ends = self._entity(source), self._entity(target)
        if ends[0] is None or ends[1] is None or ends[0].id == ends[1].id:
            return None
        named_ends = as_kept(ends[0], type_, ends[1])
        relate = Relate(**named_ends, type=type_, confidence=CONFIDENCE, is_causal=is_causal, cue=cue)
        return triple_id(ends[0], type_, ends[1]), relate

    def _entity(self, name: str) -> Entity | None:
        """Return the one entity of a name; a number is no name."""
        if name not in self._entities:
            try:
                self._entities[name] = self._memory.find(name) if _LETTER.search(name) else None
            except (UnknownEntityError, AmbiguousEntityError):
                self._entities[name] = None
        return self._entities[name]

    def _by_rules(self, text: str) -> Iterator[Statement]:
        """Read by the rules of indexing, in any language that they know."""
        whole = nfc(text)
        document = Document(id=stable_id("doc", whole), title="", text=whole, source="", content_hash="")
        evidence = self._extractor.extract(document, ())
        for said in relied_on(evidence, None, agreeing([evidence], None)).assertions:
            if said.is_stated and said.type != CO_OCCURRENCE:
                yield Statement(said.source, said.type, said.target, said.is_causal, said.cue or "rule")

    def _named(self, text: str) -> Iterator[Statement]:
        """Read `X causes Y` and the like between names as they are known, whatever letters they are of."""
        subject, last = None, 0
        denying, joins = words("notes.denials"), words("notes.joins")
        for cue in cues().finditer(text):
            type_, pattern = patterns()[" ".join(cue[0].casefold().split())]
            before = text[max(0, cue.start() - FAR) : cue.start()].rstrip(_BLANK)
            after = text[cue.end() : cue.end() + FAR].lstrip(_EDGE)
            word = (before.split()[-1:] or [""])[0].casefold()
            if word in denying or before[-1:] in denying or denials().search(_END.split(before)[-1]):
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


class Texts:
    """What there is to read about entities: what was noted of them, what describes them, their chunks."""

    def __init__(self, graph: GraphView, memory: Memory, extractor: Extractor) -> None:
        self._graph, self._memory = graph, memory
        self._fingerprint = f"{extractor.fingerprint}+names-3"  # with other rules a text is read again
        self._chunks = graph.entity_chunks()

    def digest(self, entity: Entity) -> str:
        """Return a hash of all that there is to read: of chunks their ids, which change with their texts."""
        parts = (self._fingerprint, entity.name, *self._own(entity), "", *self._chunk_ids(entity))
        return hashlib.blake2b("\x1f".join(parts).encode(), digest_size=8).hexdigest()

    def noted(self, entity: Entity) -> list[str]:
        """Return what was noted of it, or describes it; without a subject, with its name before it."""
        name = entity.name
        return [
            f"{name} {text}" if text[:1].islower() and name.casefold() not in text.casefold() else text
            for text in self._own(entity)
        ]

    def chunks(self, entity: Entity) -> list[str]:
        """Return the texts that it occurs in."""
        return [self._graph.chunk(id_).content for id_ in self._chunk_ids(entity)]

    def _own(self, entity: Entity) -> list[str]:
        notes = dict.fromkeys((*noted_of(entity), *self._memory.observations(entity.id)))
        # what describes an entity with chunks is a sentence of one of them
        is_bare = not self._chunks.get(entity.id, ()) and not is_hand_made(entity)
        return [*notes, entity.description] if entity.description and is_bare else [*notes]

    def _chunk_ids(self, entity: Entity) -> Iterable[str]:
        return [id_ for id_ in self._chunks.get(entity.id, ()) if not self._by_hand(self._graph.chunk(id_))]

    def _by_hand(self, chunk: Chunk) -> bool:
        """Tell a line of the memory: what was noted is read as it was, and a statement is there already.

        So is one that puts a relation of an imported memory in words, which may be another type's.
        """
        metadata, states = chunk.metadata or {}, chunk.relationships or ()
        if all(metadata.get(key) == value for key, value in ORIGIN.items()):
            return True
        try:
            stated = self._graph.relationship(states[0]) if len(states) == 1 else None
        except UnknownItemError:
            return False
        is_line = stated is not None and stated.description == chunk.content
        return bool(is_line and stated and is_hand_made(self._graph.entity(stated.source_id)))


class Searched(NamedTuple):
    """What the texts of an entity state, and the hash of these texts."""

    entity: Entity
    digest: str
    stated: Mapping[str, Relate]


def extract(
    entities: Iterable[Entity], texts: Texts, memory: Memory, extractor: Extractor, ask: ToolInput
) -> tuple[Sequence[Searched], int, int]:
    """Read all there is about entities; put what is new on record, and a line of the log for each.

    Returns what was searched, how many relationships the index did not have, and the number of the change.
    """
    reader, searched = Reader(memory, extractor), list[Searched]()
    for entity in entities:
        notes = reader.stated(texts.noted(entity), entity.id, others=True)
        about = reader.stated(texts.chunks(entity), entity.id)
        searched.append(Searched(entity, texts.digest(entity), {**notes, **about}))
    added = _fresh(searched, memory)
    log = [Extracted(entity=named(of), found=len(said), digest=digest) for of, digest, said in searched]
    return searched, len(added), record(memory, ask, [*added.values(), *log])


def _fresh(searched: Iterable[Searched], memory: Memory) -> dict[str, Relate]:
    """Return by id what the texts state and the index does not have, each once.

    What changes in force took out is not added again.
    """
    undone = memory.undone()
    operations = (op for c in memory.changes() if c.number not in undone for op in c.operations)
    taken_out = (op for op in operations if isinstance(op, Unrelate))
    gone = {Relationship.make_id(op.source.id, op.type, op.target.id) for op in taken_out}
    new: dict[str, Relate] = {}
    for id_, relate in (pair for one in searched for pair in one.stated.items()):
        if id_ not in new and id_ not in gone and held(memory, id_) is None:
            new[id_] = relate
    return new


def searched_before(memory: Memory) -> dict[str, tuple[Change, Extracted]]:
    """Return entity -> the last line of the log about it, and the change that it belongs to."""
    return {line.entity.id: (change, line) for change, line in memory.extractions()}


def extracting(*, idempotent: bool = True) -> Callable[[F], F]:
    """Register a tool that reads what `Texts` reads of an entity or of all."""
    return tool(
        writes="memory",
        needs="Entity.id",
        optional="Entity.name description attributes, Chunk.content entities",
        cite=ENHANCED,
        effect="adds",
        idempotent=idempotent,
    )


class ExtractEntityRelationships(ToolInput):
    """About which entity."""

    entity_id: Ref = Field(description="the entity: short id, id or name")
    again: bool = Field(False, description="search also texts that have not changed since the last time")


class EntityExtraction(Success):
    """What was found."""

    entity_id: ShortId
    id: str
    relationships_found: int = Field(
        description="relationships between entities of this index that are noted of it, and those of its own "
        "that texts about it state"
    )
    relationships_added: int = Field(description="those that the index did not have")
    change: int = Field(description="number to undo it by; 0 where nothing was written")


@extracting()
def extract_entity_relationships(
    ask: ExtractEntityRelationships, graph: GraphView, memory: Memory, extractor: Extractor
) -> Noted[EntityExtraction]:
    """Search an entity's observations and chunks for relationships by patterns, and add those that are new.

    The patterns are the rules of indexing (several languages) and "X causes Y", "X uses Y" … between names as
    they are known. What is found has confidence 0.5 and its pattern as provenance. What was taken out by hand
    is not added again.
    """
    entity, texts = memory.find(ask.entity_id), Texts(graph, memory, extractor)
    last = searched_before(memory).get(entity.id)
    if last is not None and not ask.again and last[1].digest == texts.digest(entity):
        n, added, number = last[1].found, 0, 0
        warnings = unchanged(f"its texts were searched at {last[0].at} and have not changed since")
    else:
        searched, added, number = extract([entity], texts, memory, extractor, ask)
        n, warnings = len(searched[0].stated), ()
    data = EntityExtraction(
        entity_id=entity.short_id,
        id=entity.id,
        relationships_found=n,
        relationships_added=added,
        change=number,
    )
    return Noted(data=data, warnings=warnings)


class ExtractAllRelationships(ToolInput):
    """About how many entities."""

    limit: PositiveInt | None = Field(
        None, description="entities to search at most; all whose texts are new or changed, unless given"
    )


class ExtractionStatistics(Shape):
    """What was searched and found."""

    total_processed: int
    total_relationships: int = Field(description="distinct relationships that the texts state")
    entities_with_relationships: int
    relationships_added: int = Field(description="those that the index did not have")
    remaining: int = Field(description="entities whose texts are still to be searched")


class Extraction(Success):
    """What was searched and found, also in words."""

    statistics: ExtractionStatistics
    summary: str
    change: int = Field(description="number to undo it by; 0 where nothing was written")


@extracting(idempotent=False)  # with a limit, the next call searches the next entities
def extract_all_relationships(
    ask: ExtractAllRelationships, graph: GraphView, memory: Memory, extractor: Extractor
) -> Noted[Extraction]:
    """Search the texts of all entities that are new or changed; add the relationships that are new."""
    texts, before = Texts(graph, memory, extractor), searched_before(memory)
    waiting = [
        entity
        for entity in counted(graph.entities, "entities compared with the log", every=64)
        if entity.id not in before or before[entity.id][1].digest != texts.digest(entity)
    ]
    wanted = counted(waiting[: ask.limit], "entities searched", every=1)
    searched, added, number = extract(wanted, texts, memory, extractor, ask)
    done = ExtractionStatistics(
        total_processed=len(searched),
        total_relationships=len({id_ for one in searched for id_ in one.stated}),
        entities_with_relationships=sum(bool(one.stated) for one in searched),
        relationships_added=added,
        remaining=len(waiting) - len(searched),
    )
    summary = (
        f"Processed {done.total_processed} entities, found {done.total_relationships} relationships "
        f"in {done.entities_with_relationships} entities"
    )
    warnings = unchanged("all texts were searched before and have not changed since", when=not searched)
    return Noted(data=Extraction(statistics=done, summary=summary, change=number), warnings=warnings)


class GetExtractionLog(ToolInput):
    """How much of the log."""

    entity_id: Ref | None = Field(None, description="lines about this entity only: short id, id or name")
    limit: PositiveInt = Field(100, description="lines at most: the last ones")


class LogLine(Shape):
    """A search of the texts about an entity."""

    id: int = Field(description="number of the line in the whole log, from 1")
    entity_id: ShortId
    ref: str = Field(description="id of the entity")
    entity_name: str
    relationships_found: int
    extracted_at: str = Field(description="UTC, ISO 8601")
    change: int = Field(description="number of the change that it belongs to")


class ExtractionLog(Success):
    """Lines of the log, the last first."""

    total: int = Field(description="lines there are")
    log: tuple[LogLine, ...]


@tool(writes="memory", cite=ENHANCED)
def get_extraction_log(ask: GetExtractionLog, memory: Memory) -> ExtractionLog:
    """Return which entities' texts were searched for relationships, when, and with what outcome."""
    wanted = None if ask.entity_id is None else memory.find(ask.entity_id).id
    fit = [
        (number, change, line)
        for number, (change, line) in enumerate(memory.extractions(), start=1)
        if wanted is None or ((entity := lookup(memory, line.entity.id)) and entity.id == wanted)
    ]
    shown = ((*row, lookup(memory, row[2].entity.id)) for row in reversed(fit[-ask.limit :]))
    log = (
        LogLine(
            id=number,
            entity_id=entity.short_id if entity else None,
            ref=line.entity.id,
            entity_name=entity.name if entity else line.entity.name,
            relationships_found=line.found,
            extracted_at=change.at,
            change=change.number,
        )
        for number, change, line, entity in shown
    )
    return ExtractionLog(total=len(fit), log=tuple(log))
