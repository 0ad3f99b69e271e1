"""From a memory that another system kept to the rows of a generation."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from corpusgraph.flows.interop.parcel import (
    GivenEntity,
    GivenMemory,
    GivenRelation,
    Parcel,
    beside_ours,
    entity_ids,
)
from corpusgraph.schemas.base import JsonDict, nfc, stable_id
from corpusgraph.schemas.documents import Chunk, Document
from corpusgraph.schemas.evidence import Assertion
from corpusgraph.schemas.graph import Entity, Relationship
from corpusgraph.schemas.memory import IMPORT
from corpusgraph.tasks.build.aggregate import Passage, shorten
from corpusgraph.tasks.build.derive import Gazetteer
from corpusgraph.tasks.overlay.redactions import notebook_id
from corpusgraph.tasks.text.tokens import count_tokens

Spot = tuple[int, int, str]
"""Start and end in the document, and the entity named there."""


class Names:
    """Which entities a line names; of several of one name, the one the line is about."""

    def __init__(self, names: Mapping[str, str]) -> None:
        """Take entity id -> name."""
        self._named: dict[str, list[str]] = defaultdict(list)
        for id_, name in names.items():
            self._named[nfc(name)].append(id_)
        self._gazetteer = Gazetteer({name: name for name in self._named})

    def spots(self, line: str, about: str) -> list[Spot]:
        """Return the names in a line, in order; a name that is several entities' counts for `about` alone."""
        found = []
        for start, end, name in self._gazetteer.find(line):
            ids = self._named[name]
            if about in ids or len(ids) == 1:
                found.append((start, end, about if about in ids else ids[0]))
        return found


@dataclass
class Notebook:
    """The document of one entity while it is written."""

    entity_id: str
    title: str
    source: str
    metadata: JsonDict = field(default_factory=dict)
    lines: list[str] = field(default_factory=list)
    spots: list[list[Spot]] = field(default_factory=list)
    details: list[JsonDict | None] = field(default_factory=list)
    starts: list[int] = field(default_factory=list)
    length: int = 0

    @property
    def id(self) -> str:
        """Id of the document; memory that is added later has documents of its own."""
        return notebook_id(self.entity_id)

    def observe(self, observation: str, names: Names, details: JsonDict | None = None) -> None:
        """Write an observation down, with the entity's name before it unless it says that itself."""
        line = nfc(observation)
        spots = names.spots(line, self.entity_id)
        if all(entity != self.entity_id for *_, entity in spots):
            head = nfc(self.title)
            line = nfc(f"{head}: {observation}")
            rest = names.spots(line[len(head) :], self.entity_id)
            behind = [(start + len(head), end + len(head), entity) for start, end, entity in rest]
            spots = [(0, len(head), self.entity_id), *behind]
        self._add(line, spots, details)

    def state(self, type_: str, target: tuple[str, str], context: JsonDict | None) -> None:
        """Write a relation down; `target` is id and name."""
        head, tail = nfc(self.title), nfc(target[1])
        words = nfc(type_.replace("_", " "))
        told = "; ".join(f"{key}: {value}" for key, value in (context or {}).items())
        at = len(head) + 1 + len(words) + 1
        line = f"{head} {words} {tail}." + (nfc(f" {told}") if told else "")
        self._add(line, [(0, len(head), self.entity_id), (at, at + len(tail), target[0])], None)

    def _add(self, line: str, spots: Sequence[Spot], details: JsonDict | None) -> None:
        start = self.length
        self.lines.append(line)
        self.starts.append(start)
        self.spots.append([(first + start, last + start, entity) for first, last, entity in spots])
        self.details.append(details)
        self.length = start + len(line) + 1

    def document(self) -> Document:
        """Return the document."""
        text = "\n".join(self.lines)
        return Document(
            id=self.id,
            title=self.title,
            text=text,
            source=self.source,
            content_hash=stable_id("doc", self.title, text),
            metadata=self.metadata,
        )

    def chunk_id(self, place: int) -> str:
        """Return the id of the chunk of a line."""
        start, line = self.starts[place], self.lines[place]
        return Chunk.make_id(self.id, start, start + len(line), line)

    def chunks(self, relationships: Mapping[int, str]) -> list[Chunk]:
        """Return a chunk for each line; `relationships` are those that lines state."""
        return [
            Chunk(
                id=self.chunk_id(place),
                content=line,
                source_doc=self.id,
                position=place,
                start=self.starts[place],
                end=self.starts[place] + len(line),
                n_tokens=count_tokens(line),
                entities=tuple(dict.fromkeys(entity for *_, entity in self.spots[place])),
                relationships=(relationships[place],) if place in relationships else (),
                metadata=self.details[place],
            )
            for place, line in enumerate(self.lines)
        ]

    def mention(self, place: int, spot: Spot, name: str, type_: str | None) -> JsonDict:
        """Return the row of a mention."""
        start, end, entity = spot
        return {
            **self._where(place, start, end),
            "id": stable_id("men", self.id, start, end, entity, IMPORT),
            "surface": self.lines[place][start - self.starts[place] : end - self.starts[place]],
            "name": name,
            "type": type_ or "",
            "description": None,
            "attributes": {},
            "confidence": 1.0,
            "cue": None,
            "entity_id": entity,
        }

    def passage(self, place: int) -> Passage:
        """Return a line as the passage that a report may cite."""
        start, line = self.starts[place], self.lines[place]
        return Passage(self.id, self.chunk_id(place), start, start + len(line), None, line)

    def where(self, place: int) -> JsonDict:
        """Return the place of a whole line, as a row of evidence has it."""
        start = self.starts[place]
        return self._where(place, start, start + len(self.lines[place]))

    def _where(self, place: int, start: int, end: int) -> JsonDict:
        first = self.starts[place]
        return {
            "document_id": self.id,
            "chunk_id": self.chunk_id(place),
            "start": start,
            "end": end,
            "page": None,
            "extractor": IMPORT,
            "sentence_start": first,
            "sentence_end": first + len(self.lines[place]),
        }


LEAST = 1e-6
"""Weight of a relation that its file is not sure of at all: a weight is above 0."""


def memory_parcel(memory: GivenMemory) -> Parcel:
    """Make the rows of a generation; the confidence of each relation is its weight, too."""
    parcel = Parcel(memory.format, memory.source, facts=dict(memory.facts))
    work = _Work(memory, entity_ids(memory.entities))
    for place, entity in enumerate(memory.entities):
        work.write(place, entity)
    for book in work.books.values():
        parcel.documents.append(book.document())
        parcel.chunks += book.chunks(work.stated[book.entity_id])
    work.mentions(parcel)
    parcel.entities = work.entities()
    parcel.relationships = work.relationships(parcel)
    return parcel


class _Work:
    """The notebooks of all entities, and what their lines state."""

    def __init__(self, memory: GivenMemory, ids: Sequence[str]) -> None:
        self.memory = memory
        self.ids = ids
        self.given = dict(zip(ids, memory.entities, strict=True))
        self.books: dict[str, Notebook] = {}
        self.stated: dict[str, dict[int, str]] = defaultdict(dict)
        """Entity -> line of its notebook -> relationship stated there."""
        self.lines: dict[str, _Line] = {}
        """Relationship -> where it is stated."""
        self.n_mentions: dict[str, int] = defaultdict(int)
        self.first: dict[str, str] = {}
        self._names = Names({id_: entity.name for id_, entity in self.given.items()})
        self._from: dict[int, list[tuple[GivenRelation, int]]] = defaultdict(list)
        numbers = numbers_of([relation.number for relation in memory.relations])
        for relation, number in zip(memory.relations, numbers, strict=True):
            self._from[relation.source].append((relation, number))

    def write(self, place: int, entity: GivenEntity) -> None:
        """Write the notebook of an entity; one of which nothing is said has none."""
        outgoing = self._from[place]
        if not (entity.observations or outgoing):
            return
        source = f"{self.memory.source}#{entity.name}"
        known: JsonDict = {"origin": IMPORT} | ({"entity_type": entity.type} if entity.type else {})
        book = self.books[self.ids[place]] = Notebook(self.ids[place], entity.name, source, known)
        for observation, detail in zip(entity.observations, entity.details, strict=True):
            book.observe(observation, self._names, detail)
        for relation, number in outgoing:
            target = self.ids[relation.target]
            id_ = Relationship.make_id(book.entity_id, relation.type, target)
            self.stated[book.entity_id][len(book.lines)] = id_
            self.lines[id_] = _Line(book, len(book.lines), relation, number)
            book.state(relation.type, (target, self.memory.entities[relation.target].name), relation.context)

    def mentions(self, parcel: Parcel) -> None:
        """Add the mentions of all lines, and count them by chunk."""
        for book in self.books.values():
            for place, spots in enumerate(book.spots):
                chunk, counts = book.chunk_id(place), defaultdict[str, list[int]](list)
                for spot in spots:
                    entity = self.given[spot[2]]
                    parcel.mentions.append(book.mention(place, spot, entity.name, entity.type))
                    counts[spot[2]].append(spot[0])
                for id_, starts in counts.items():
                    self.n_mentions[id_] += len(starts)
                    own = self.books.get(id_)
                    self.first.setdefault(id_, own.chunk_id(0) if own else chunk)
                    parcel.incidence.append(
                        {
                            "entity_id": id_,
                            "chunk_id": chunk,
                            "count": len(starts),
                            "first_start": min(starts),
                        }
                    )

    def entities(self) -> list[Entity]:
        """Return the entities in the file's order."""
        near: dict[str, set[str]] = defaultdict(set)
        for relation in self.memory.relations:
            ends = self.ids[relation.source], self.ids[relation.target]
            if ends[0] != ends[1]:
                near[ends[0]].add(ends[1])
                near[ends[1]].add(ends[0])
        numbers = numbers_of([entity.number for entity in self.memory.entities])
        return [
            Entity(
                id=id_,
                name=entity.name,
                type=entity.type,
                description=shorten(" ".join(entity.observations)) or None,
                attributes={
                    **beside_ours(entity.attributes),
                    "observations": list(entity.observations),
                    "origin": IMPORT,
                },
                source_ref=self.first.get(id_),
                short_id=number,
                degree=len(near[id_]),
                n_mentions=self.n_mentions[id_],
                is_stub=entity.is_stub,
            )
            for (id_, entity), number in zip(self.given.items(), numbers, strict=True)
        ]

    def relationships(self, parcel: Parcel) -> list[Relationship]:
        """Return the relationships, and add the assertion and the passage of each."""
        made = []
        for id_, line in self.lines.items():
            parcel.assertions.append(self._assertion(id_, line))
            parcel.passages[id_] = line.book.passage(line.place)
            made.append(self._relationship(id_, line))
        for id_, book in self.books.items():
            parcel.passages[id_] = book.passage(0)
        return made

    def _relationship(self, id_: str, line: "_Line") -> Relationship:
        relation = line.relation
        context = {"context": relation.context} if relation.context is not None else {}
        return Relationship(
            id=id_,
            source_id=self.ids[relation.source],
            target_id=self.ids[relation.target],
            type=relation.type,
            weight=max(relation.confidence, LEAST),
            confidence=relation.confidence,
            is_causal=relation.is_causal,
            description=line.book.lines[line.place],
            attributes={**beside_ours(relation.attributes), **context},
            short_id=line.number,
            n_evidence=1,
            chunk_ids=(line.book.chunk_id(line.place),),
        )

    def _assertion(self, id_: str, line: "_Line") -> JsonDict:
        relation, book = line.relation, line.book
        ends = [self.ids[relation.source], self.ids[relation.target]]
        tail, head = (
            stable_id("men", book.id, start, end, entity, IMPORT)
            for start, end, entity in book.spots[line.place]
        )
        return {
            **book.where(line.place),
            "id": Assertion.make_id(tail, relation.type, head, IMPORT),
            "source_mention": tail,
            "target_mention": head,
            "source": self.given[ends[0]].name,
            "target": self.given[ends[1]].name,
            "type": relation.type,
            "is_causal": relation.is_causal,
            "negated": False,
            "description": book.lines[line.place],
            "confidence": relation.confidence,
            "cue": IMPORT,
            "source_id": ends[0],
            "target_id": ends[1],
            "relationship_id": id_,
        }


@dataclass(frozen=True)
class _Line:
    """Where a relation is written down."""

    book: Notebook
    place: int
    relation: GivenRelation
    number: int


def numbers_of(given: Sequence[int | None]) -> list[int]:
    """Return the numbers given where each is there and no other's; else numbers from 1, in order."""
    known = [number for number in given if number is not None]
    if len(known) == len(given) == len(set(known)):
        return known
    taken, following, numbers = set(known), 1, []
    used: set[int] = set()
    for one in given:
        number = one
        if number is None or number in used:
            while following in taken:
                following += 1
            number = following
            taken.add(number)
        used.add(number)
        numbers.append(number)
    return numbers
