"""Documents, chunks and evidence of a memory that another system kept.

One document an entity, one line and one chunk for each observation and each relation it is the source of:
what was written by hand is evidence like any other, found by every search and cited with its place.
"""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from corpusgraph.schemas.base import JsonDict, nfc, stable_id
from corpusgraph.schemas.documents import Chunk, Document
from corpusgraph.schemas.memory import IMPORT
from corpusgraph.tasks.index.aggregate import Passage
from corpusgraph.tasks.index.gazetteer import Gazetteer
from corpusgraph.tasks.index.tokens import count_tokens
from corpusgraph.tasks.remember.withheld import notebook_id

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
