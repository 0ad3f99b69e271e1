"""What is derived from evidence: entities, relationships, communities, and views of them."""

from pydantic import Field, NonNegativeInt, PositiveFloat, model_validator

from corpusgraph.schemas.base import Confidence, JsonDict, Noun, OpenNoun, Text, stable_id

EntityRef = str | int
"""How a caller names an entity: id, short id or name."""


class Entity(OpenNoun):
    """A node. Only `id` is required; a missing name is the id."""

    id: str
    name: Text = ""
    type: str | None = None
    description: str | None = None
    attributes: JsonDict | None = None
    source_ref: str | None = Field(default=None, description="id of the first chunk that mentions it")
    short_id: int | None = None
    confidence: Confidence = 1.0
    degree: NonNegativeInt | None = None
    n_mentions: NonNegativeInt | None = None
    is_stub: bool = Field(
        default=False, description="made because a relationship pointed to a missing entity"
    )
    has_embedding: bool = False

    @model_validator(mode="before")
    @classmethod
    def _name_defaults_to_id(cls, data: object) -> object:
        if isinstance(data, dict) and not data.get("name") and "id" in data:
            return {**data, "name": str(data["id"])}
        return data

    @staticmethod
    def make_id(name: str, type_: str, qualifier: str = "") -> str:
        """Identify an entity by its case-folded name, its type and, for a homonym, its qualifier."""
        return stable_id("ent", name.casefold(), type_, qualifier)


class Relationship(OpenNoun):
    """A directed edge. `weight` is the sum of its evidence; `confidence` says how sure it is."""

    id: str
    source_id: str
    target_id: str
    type: str = "relates_to"
    weight: PositiveFloat = 1.0
    confidence: Confidence = 1.0
    is_causal: bool = False
    negated_weight: float = Field(default=0.0, ge=0, description="evidence that denies the relationship")
    description: str | None = None
    keywords: tuple[str, ...] | None = None
    attributes: JsonDict | None = None
    short_id: int | None = None
    n_evidence: NonNegativeInt | None = None
    chunk_ids: tuple[str, ...] | None = None
    has_embedding: bool = False

    @staticmethod
    def make_id(source_id: str, type_: str, target_id: str) -> str:
        """Identify a relationship by its two ends and its type."""
        return stable_id("rel", source_id, type_, target_id)


class Community(OpenNoun):
    """A group of entities. Level 0 is the coarsest."""

    id: str
    entity_ids: tuple[str, ...]
    level: NonNegativeInt
    summary: str | None = None
    keywords: tuple[str, ...] | None = None
    parent_id: str | None = None
    title: str | None = None
    children: tuple[str, ...] = ()
    relationship_ids: tuple[str, ...] = ()
    chunk_ids: tuple[str, ...] = ()
    size: NonNegativeInt | None = None
    short_id: int | None = None
    rating: float | None = None


class ReportFinding(Noun):
    """A sentence of a document that a report rests on, exactly as it stands there.

    In a model's report `summary` and `explanation` are what it finds in that sentence, in its own words; a
    finding that rests on several has a row for each, one after the other.
    """

    text: str
    chunk_id: str
    document_id: str
    start: NonNegativeInt
    end: NonNegativeInt
    page: int | None = None
    score: float = 0.0
    summary: str = ""
    explanation: str = ""


class CommunityReport(Noun):
    """What the corpus says about a community, each sentence cited."""

    id: str
    community_id: str
    level: NonNegativeInt
    title: str
    summary: str
    findings: tuple[ReportFinding, ...] = ()
    rating: float = Field(default=0.0, ge=0, le=10, description="importance, 0 to 10")
    rating_explanation: str = ""
    method: str = "extractive"


class Graph(OpenNoun):
    """Entities and the relationships between them."""

    nodes: tuple[Entity, ...] = ()
    edges: tuple[Relationship, ...] = ()
    metadata: JsonDict | None = None


class Path(Noun):
    """A walk: `len(edge_ids) == len(node_ids) - 1`."""

    node_ids: tuple[str, ...]
    edge_ids: tuple[str, ...]
    score: float | None = None
    cost: float | None = None
