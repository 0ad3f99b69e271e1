"""What people and agents add to an index by hand: changes, kept in order, each of which can be undone.

A change is one call: its operations are applied, or undone, together. Operations name entities by id and say
what they are called, so that a change still means something after the corpus was indexed again.
"""

import json
from typing import Annotated, Any, Literal, Protocol

from pydantic import AfterValidator, Field, NonNegativeInt, PositiveInt

from corpusgraph.schemas.base import Confidence, JsonDict, Noun, Text

JOURNAL = "memory.jsonl"
"""Name of the journal in an index's folder, and source of the documents that it comes to."""
HAND = "hand"
"""Extractor of evidence that was added by hand."""
IMPORT = "import"
"""Extractor and cue of what the memory of another system held, now an index of its own."""
STATED = frozenset({HAND, IMPORT})
"""Cues of what a person stated or brought: they say who, not in which words."""
SHORT_IDS = 1_000_000_000
"""Short ids of what was added by hand begin here: those of a corpus are given anew with each generation."""


class Named(Noun):
    """An entity as an operation names it: enough to make it again where the corpus no longer does."""

    id: str
    name: Text
    type: str | None = None


class CreateEntity(Named):
    """Make an entity."""

    op: Literal["create_entity"] = "create_entity"
    description: str | None = None
    attributes: JsonDict = Field(default_factory=dict)


class _Noting(Noun):
    entity: Named
    contents: tuple[Text, ...]


class Observe(_Noting):
    """Note sentences about an entity; one that is noted already is not noted twice."""

    op: Literal["observe"] = "observe"


class Unobserve(_Noting):
    """Take sentences about an entity back."""

    op: Literal["unobserve"] = "unobserve"


DEEPEST, LARGEST = 20, 100_000
"""Levels, and bytes of its JSON."""


def checked_context(value: JsonDict) -> JsonDict:
    """Return a context as it is; raise ValueError for one that is too deep, too large, or not JSON."""
    if is_deeper(value, DEEPEST):
        raise ValueError(f"must not be nested more than {DEEPEST} deep")
    try:
        size = len(json.dumps(value, allow_nan=False, ensure_ascii=False).encode())
    except (TypeError, ValueError) as error:
        raise ValueError(f"must be JSON: {error}") from None
    if size > LARGEST:
        raise ValueError(f"must not be larger than {LARGEST:,} bytes")
    return value


def is_deeper(value: Any, levels: int) -> bool:
    """Tell whether JSON is nested deeper than so many levels."""
    if not levels or not isinstance(value, dict | list | tuple):
        return not levels
    inner = value.values() if isinstance(value, dict) else value
    return any(is_deeper(held, levels - 1) for held in inner)


Context = Annotated[JsonDict, AfterValidator(checked_context)]


class OfRelationship(Noun):
    """An operation on a relationship, by its two ends."""

    source: Named
    target: Named
    type: str


class Relate(OfRelationship):
    """State a relationship: a piece of evidence for it, with its own confidence."""

    op: Literal["relate"] = "relate"
    confidence: Confidence = 1.0
    is_causal: bool = False
    context: JsonDict | None = None
    cue: str = Field(default=HAND, description="hand, import, or the name of the pattern that found it")


class Unrelate(OfRelationship):
    """Take a relationship out, whatever its evidence: what a corpus says of it no longer counts."""

    op: Literal["unrelate"] = "unrelate"


class Reweigh(OfRelationship):
    """Set weight and confidence of a relationship, whatever its evidence."""

    op: Literal["reweigh"] = "reweigh"
    weight: float | None = Field(default=None, gt=0)
    confidence: Confidence | None = None


class Rename(Noun):
    """Call an entity otherwise, or give it another type; its id and its other names stay."""

    op: Literal["rename"] = "rename"
    entity: Named
    name: Text
    type: str | None = None


class MergeEntities(Noun):
    """Take entities for one: what is known of `sources` is known of `into`."""

    op: Literal["merge"] = "merge"
    sources: tuple[Named, ...]
    into: Named


class SplitEntity(Noun):
    """Make two of an entity: `into` gets what was said under names, in documents, or chosen items."""

    op: Literal["split"] = "split"
    entity: Named
    into: Named
    names: tuple[str, ...] = Field(default=(), description="spellings whose mentions go to the new entity")
    documents: tuple[str, ...] = Field(default=(), description="ids of documents whose mentions go to it")
    relationships: tuple[str, ...] = Field(default=(), description="ids of relationships that go to it")
    observations: tuple[str, ...] = Field(default=(), description="observations that go to it")


class DeleteEntity(Noun):
    """Take an entity out, with its relationships."""

    op: Literal["delete_entity"] = "delete_entity"
    entity: Named


class Extracted(Noun):
    """A line of the extraction log: an entity's texts were searched for relationships."""

    op: Literal["extracted"] = "extracted"
    entity: Named
    found: NonNegativeInt
    digest: str = Field(default="", description="hash of the texts searched: unchanged ones are not again")


Operation = Annotated[
    CreateEntity
    | Observe
    | Unobserve
    | Relate
    | Unrelate
    | Reweigh
    | Rename
    | MergeEntities
    | SplitEntity
    | DeleteEntity
    | Extracted,
    Field(discriminator="op"),
]


class Change(Noun):
    """One line of the journal. `undoes` is the number of a change that does not count any more.

    Undoing an undo brings the change back.
    """

    number: PositiveInt = Field(description="counts the changes of this index, from 1")
    at: str = Field(description="UTC, ISO 8601")
    by: str = Field(description="the tool that made it")
    request_id: str = ""
    operations: tuple[Operation, ...] = ()
    undoes: PositiveInt | None = None


class Statement(Protocol):
    """One statement of a relationship that was made by hand."""

    @property
    def confidence(self) -> float:
        """How sure it is, 0 to 1."""

    @property
    def is_causal(self) -> bool:
        """Whether one end brings the other about."""

    @property
    def context(self) -> JsonDict | None:
        """What was kept with it."""

    @property
    def cue(self) -> str:
        """Who or what stated it."""
