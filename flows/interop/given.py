"""A memory as other systems keep it: entities with observations, and relations between them."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from corpusgraph.flows.interop.report import Notes
from corpusgraph.schemas.base import JsonDict, nfc
from corpusgraph.schemas.graph import Entity
from corpusgraph.tasks.graph.noted import ROWS

IN_FILE = "in_file"
"""Attribute with the members of a file that are called like attributes of ours, as they stand there."""
OURS = frozenset({"observations", "context", "aliases", "n_documents", "roles", "origin"})
"""Attributes that an index gives its nouns itself: written elsewhere, or counted anew from evidence."""
DEEPEST = 100
"""Levels of JSON that are read; what writes an index can take a few more."""


@dataclass(slots=True)
class GivenEntity:
    """An entity as a file has it."""

    name: str
    type: str | None = None
    observations: list[str] = field(default_factory=list)
    attributes: JsonDict = field(default_factory=dict)
    number: int | None = None
    is_stub: bool = False
    told: str = ""
    """Of a stub: what was noted of it."""

    @property
    def details(self) -> list[JsonDict | None]:
        """What a file kept of each observation beside its words, one for each observation."""
        rows = self.attributes.get(ROWS)
        if not isinstance(rows, list) or len(rows) != len(self.observations):
            return [None for _ in self.observations]
        return [row if isinstance(row, dict) else None for row in rows]


@dataclass(slots=True)
class GivenRelation:
    """A relation between two entities by their places in the list; confidence is how sure it is, 0 to 1."""

    source: int
    target: int
    type: str
    confidence: float = 1.0
    is_causal: bool = False
    context: JsonDict | None = None
    attributes: JsonDict = field(default_factory=dict)
    number: int | None = None
    where: str = ""
    """Line or row of the file."""


@dataclass(slots=True)
class GivenExtraction:
    """A line of the extraction log."""

    entity: int
    found: int
    at: str


@dataclass
class GivenMemory:
    """All that a file holds, in its order."""

    format: str
    source: str
    entities: list[GivenEntity] = field(default_factory=list)
    relations: list[GivenRelation] = field(default_factory=list)
    log: list[GivenExtraction] = field(default_factory=list)
    facts: JsonDict = field(default_factory=dict)
    notes: Notes = field(default_factory=Notes)


def entity_ids(entities: Sequence[GivenEntity]) -> list[str]:
    """Return an id for each entity: that of its name and type, and one of its own for a homonym."""
    taken: set[str] = set()
    ids = []
    for place, entity in enumerate(entities):
        type_ = entity.type or ""
        for qualifier in ("", entity.name, f"{entity.name}#{place}"):
            id_ = Entity.make_id(entity.name, type_, qualifier)
            if id_ not in taken:
                break
        taken.add(id_)
        ids.append(id_)
    return ids


def beside_ours(attributes: JsonDict) -> JsonDict:
    """Return attributes with a second copy of those that an index writes over."""
    own = {key: value for key, value in attributes.items() if key in OURS}
    return {**attributes, IN_FILE: own} if own else attributes


def as_in_file(attributes: JsonDict) -> JsonDict:
    """Return the attributes that a file is to have: without those of the index, and with its own again."""
    kept = {key: value for key, value in attributes.items() if key not in OURS and key != IN_FILE}
    own = attributes.get(IN_FILE)
    return {**kept, **own} if isinstance(own, dict) else kept


def clean(text: str) -> str:
    """Replace what no text may hold: halves of characters that were cut in two."""
    return text.encode(errors="replace").decode() if not text.isascii() else text


def add_stub(memory: GivenMemory, stub: GivenEntity) -> None:
    """Put in an entity that a relation points to and nobody described, and note that."""
    memory.notes.add("missing_entity", stub.told)
    memory.entities.append(stub)


class Stubs:
    """Finds entities by name, and makes one for a name that a relation points to and nobody described."""

    def __init__(self, memory: GivenMemory) -> None:
        self._memory = memory
        self._places: dict[str, int] = {}
        for place, entity in enumerate(memory.entities):
            self._places.setdefault(nfc(entity.name), place)

    def place(self, name: str, where: str) -> int:
        """Return the place of the entity of a name; `where` says what points to it."""
        key = nfc(name)
        if key not in self._places:
            self._places[key] = len(self._memory.entities)
            add_stub(self._memory, GivenEntity(name, is_stub=True, told=f"{where}: {name}"))
        return self._places[key]


def is_too_deep(value: Any) -> bool:
    """Tell whether JSON is nested deeper than is read."""
    level = [value]
    for _ in range(DEEPEST):
        level = [
            inner
            for held in level
            if isinstance(held, dict | list)
            for inner in (held.values() if isinstance(held, dict) else held)
        ]
        if not level:
            return False
    return True
