"""What is derived from evidence: entities, relationships, communities, and views of them."""

from pydantic import Field, NonNegativeInt, PositiveFloat, model_validator

from corpusgraph.schemas.base import Confidence, Described, JsonDict, Noun, OpenNoun, Text, stable_id

DENIED = "not_"
"""Before the type of a relationship that texts only ever deny; its id is that of the type denied."""
CO_OCCURRENCE = "co_occurs_with"
"""Type of a relationship of which texts say no more than that they name both ends in one sentence."""
VALUES = frozenset({"date", "quantity"})
"""Types of entities that say when and how much: they are found beside everything, and mean nothing by it."""
EntityRef = str | int
"""How a caller names an entity: id, short id or name."""


class Entity(OpenNoun, use_attribute_docstrings=True):
    """A node. Only `id` is required; a missing name is the id."""

    id: str
    """`ent_` and a hash of name and type"""
    name: Text = ""
    """what it is called"""
    type: str | None = None
    """person, organisation, place, concept …"""
    description: str | None = None
    """what the corpus says of it, in a sentence or a few"""
    attributes: JsonDict | None = None
    """aliases, dates, roles, anything else known"""
    source_ref: str | None = None
    """id of the first chunk that mentions it"""
    short_id: int | None = None
    """number of this generation, 1 for the most mentioned"""
    confidence: Confidence = 1.0
    """0 to 1, that of its surest mention"""
    degree: NonNegativeInt | None = None
    """number of distinct neighbours"""
    n_mentions: NonNegativeInt | None = None
    """how often the corpus names it"""
    is_stub: bool = False
    """made because a relationship pointed to a missing entity"""
    has_embedding: bool = False
    """whether it can be found by vector search"""

    @model_validator(mode="before")
    @classmethod
    def _name_defaults_to_id(cls, data: object) -> object:
        if isinstance(data, dict) and not data.get("name") and "id" in data:
            return {**data, "name": str(data["id"])}
        return data

    @staticmethod
    def make_id(name: str, type_: str, qualifier: str = "") -> str:
        """Identify an entity by its case-folded name, its type and, for a homonym, its qualifier.

        Parameters
        ----------
        name : str
            Case does not count.
        type_ : str
            Such as person or place.
        qualifier : str, default ''
            Sets one of several entities of this name and type apart.

        Returns
        -------
        str
            Prefixed `ent_`.

        """
        return stable_id("ent", name.casefold(), type_, qualifier)


class Relationship(OpenNoun, use_attribute_docstrings=True):
    """A directed edge. `weight` is the sum of its evidence; `confidence` says how sure it is."""

    id: str
    """`rel_` and a hash of source, type and target"""
    source_id: str
    """id of the entity it starts from"""
    target_id: str
    """id of the entity it leads to"""
    type: str = "relates_to"
    """a verb in lower snake case"""
    weight: PositiveFloat = 1.0
    """sum of its evidence"""
    confidence: Confidence = 1.0
    """0 to 1, how sure it is"""
    is_causal: bool = False
    """whether it says that one brings about the other"""
    negated_weight: float = Field(default=0.0, ge=0)
    """evidence that denies the relationship"""
    description: str | None = None
    """the sentence that states it best"""
    keywords: tuple[str, ...] | None = None
    """words that sum it up"""
    attributes: JsonDict | None = None
    """anything else known of it"""
    short_id: int | None = None
    """number of this generation"""
    n_evidence: NonNegativeInt | None = None
    """how often it is stated"""
    chunk_ids: tuple[str, ...] | None = None
    """ids of the chunks that state it"""
    has_embedding: bool = False
    """whether it can be found by vector search"""

    @property
    def is_stated(self) -> bool:
        """Whether any text states it; see `is_only_denied`."""
        return not is_only_denied(
            self.id, self.source_id, self.type, self.target_id, self.weight, self.negated_weight
        )

    @staticmethod
    def make_id(source_id: str, type_: str, target_id: str) -> str:
        """Identify a relationship by its two ends and its type.

        Parameters
        ----------
        source_id, target_id : str
            Ids of entities; the direction counts.
        type_ : str
            Such as `founded`.

        Returns
        -------
        str
            Prefixed `rel_`.

        """
        return stable_id("rel", source_id, type_, target_id)


def is_only_denied(
    id_: str, source_id: str, type_: str, target_id: str, weight: float, negated_weight: float
) -> bool:
    """Tell whether texts only deny a relationship: it is shown, but no tool or measure gives it weight.

    Its type begins with `not_`, and its id is that of the type denied, whatever weight it was given since.
    Where ids were made elsewhere, its weight tells: all of it is evidence that denies, so that a type that
    merely begins so (`not_before`) may be stated.

    Parameters
    ----------
    id_ : str
        Id of the relationship.
    source_id, target_id : str
        Ids of the entities it joins.
    type_ : str
        Its type; `not_` before it marks a denial.
    weight : float
        Weight of all evidence.
    negated_weight : float
        Weight of the evidence that denies.

    Returns
    -------
    bool
        False where at least one text states it.

    """
    if not type_.startswith(DENIED):
        return False
    if id_ == Relationship.make_id(source_id, type_.removeprefix(DENIED), target_id):
        return True
    return weight <= negated_weight


class Community(OpenNoun, use_attribute_docstrings=True):
    """A group of entities. Level 0 is the coarsest."""

    id: str
    """`com_` and a hash of its members and level"""
    entity_ids: tuple[str, ...]
    """ids of its members"""
    level: NonNegativeInt
    """0 is the coarsest"""
    summary: str | None = None
    """the summary of its report"""
    keywords: tuple[str, ...] | None = None
    """words that set it apart"""
    parent_id: str | None = None
    """id of the community it is a part of"""
    title: str | None = None
    """its most central members"""
    children: tuple[str, ...] = ()
    """ids of its parts, one level down"""
    relationship_ids: tuple[str, ...] = ()
    """ids of relationships among its members"""
    chunk_ids: tuple[str, ...] = ()
    """ids of chunks that state them"""
    size: NonNegativeInt | None = None
    """number of members"""
    short_id: int | None = None
    """number of this generation"""
    rating: float | None = None
    """importance, 0 to 10"""


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


class CommunityReport(Described):
    """What the corpus says about a community, each sentence cited."""

    id: str
    community_id: str
    level: NonNegativeInt
    title: str
    summary: str
    findings: tuple[ReportFinding, ...] = ()
    rating: float = Field(default=0.0, ge=0, le=10)
    """importance, 0 to 10"""
    rating_explanation: str = ""
    method: str = "extractive"


class Graph(OpenNoun, use_attribute_docstrings=True):
    """Entities and the relationships between them."""

    nodes: tuple[Entity, ...] = ()
    """entities"""
    edges: tuple[Relationship, ...] = ()
    """relationships between them"""
    metadata: JsonDict | None = None
    """what the tool has to say of the whole"""


class Path(Described):
    """A walk: `len(edge_ids) == len(node_ids) - 1`."""

    node_ids: tuple[str, ...]
    """entity ids from start to end"""
    edge_ids: tuple[str, ...]
    """relationship ids between them, one fewer"""
    score: float | None = None
    """higher is better"""
    cost: float | None = None
    """sum of 1 / weight along it"""
