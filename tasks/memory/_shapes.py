"""Entities and relations as memory clients write them, in the field names of the reference memory server."""

from collections.abc import Iterable, Sequence

from pydantic import ConfigDict, Field

from corpusgraph.schemas.base import Noun
from corpusgraph.schemas.graph import Entity, Relationship
from corpusgraph.tasks.graph.noted import is_hand_made, observations_of
from corpusgraph.tasks.memory._asked import Name, Sentence, Told, Type


class Shape(Noun):
    """A part of an answer, written by the names that clients know."""

    model_config = ConfigDict(frozen=True, extra="forbid", populate_by_name=True, serialize_by_alias=True)


def is_none(value: object) -> bool:
    """Tell a field that is left out of the answer."""
    return value is None


class Node(Shape):
    """An entity with what was noted of it."""

    name: str
    entityType: str = Field(description="empty where it has none")  # noqa: N815  the protocol's spelling
    observations: tuple[str, ...]


class Relation(Shape):
    """A relation between two entities, by their names."""

    from_: str = Field(alias="from", description="name of the entity where the relation starts")
    to: str = Field(description="name of the entity where the relation ends")
    relationType: str = Field(description="type of the relation")  # noqa: N815


class KnowledgeGraph(Shape):
    """Entities, and the relations that have an end among them."""

    entities: tuple[Node, ...]
    relations: tuple[Relation, ...]


class NewRelation(Shape):
    """A relation as a client asks for it."""

    from_: Name = Field(
        alias="from", description="the entity where the relation starts: name, id or short id"
    )
    to: Name = Field(description="the entity where the relation ends")
    relation_type: Name = Field(alias="relationType", description="type of the relation, in active voice")


class KnownRelation(Shape):
    """A relation that is there, as a client tells of it."""

    from_: Told = Field(
        alias="from", description="the entity where the relation starts: name, id or short id"
    )
    to: Told = Field(description="the entity where the relation ends")
    relation_type: Told = Field(alias="relationType", description="type of the relation")


class NewEntity(Shape):
    """An entity as a client asks for it."""

    name: Name = Field(description="name of the entity")
    entity_type: Type = Field(alias="entityType", description="type of the entity")
    observations: tuple[Sentence, ...] = Field(default=(), description="what is known of it")


class Outcome(Shape):
    """That something was done, and in words what."""

    success: bool
    message: str


def node_of(entity: Entity) -> Node:
    """Return an entity as memory clients see it."""
    return Node(name=entity.name, entityType=entity.type or "", observations=observations_of(entity))


def relation_of(relationship: Relationship, names: dict[str, str]) -> Relation:
    """Return a relationship by the names of its ends."""
    source, target = names[relationship.source_id], names[relationship.target_id]
    return Relation(from_=source, to=target, relationType=relationship.type)


def in_order(entities: Iterable[Entity]) -> Sequence[Entity]:
    """Return what was made by hand in the order in which it was made, then the rest by name."""
    return sorted(
        entities,
        key=lambda e: (0, e.short_id or 0, e.name, e.id) if is_hand_made(e) else (1, 0, e.name, e.id),
    )
