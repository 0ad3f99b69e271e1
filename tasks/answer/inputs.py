"""What answers are made from, as tools hand it over: ids, nouns, scored items, or their JSON.

A field of one of these types says itself which port it reads.
"""

from collections.abc import Callable, Mapping
from typing import Annotated, Any

from pydantic import BaseModel, BeforeValidator

from corpusgraph.schemas.answer import SimilarItem
from corpusgraph.schemas.documents import Chunk
from corpusgraph.schemas.graph import Community, CommunityReport, Entity, EntityRef, Graph, Path, Relationship
from corpusgraph.tasks.graph.inputs import reference

_HOLDERS = ("item", "entity", "relationship", "chunk", "report")
"""Fields that hold the noun in a scored item, a link, or an item of a similarity search."""


def held(value: Any) -> Any:
    """Return the noun inside a scored item, a link or a similar item; anything else as it is."""
    for name in _HOLDERS if isinstance(value, Mapping | BaseModel) else ():
        inner = value.get(name) if isinstance(value, Mapping) else getattr(value, name, None)
        if isinstance(inner, Mapping | BaseModel):
            return held(inner)
    return value


def _nouns(*kinds: tuple[type[BaseModel], str]) -> Callable[[Any], Any]:
    """Return a validator that keeps nouns, and mappings with the field that makes one, and takes ids else."""

    def kept(value: Any) -> Any:
        inner = held(value)
        whole = any(
            isinstance(inner, kind) or (isinstance(inner, Mapping) and inner.get(field) is not None)
            for kind, field in kinds
        )
        return inner if whole else reference(inner)

    def all_of(values: Any) -> Any:
        if isinstance(values, Mapping) and not any(field in values for _, field in kinds):
            return list(values)  # id: score, best first as tools write it
        return [kept(value) for value in values] if isinstance(values, list | tuple) else values

    return all_of


def _graph(value: Any) -> Any:
    """Return the graph inside whatever holds one as `graph`."""
    inner = value.get("graph") if isinstance(value, Mapping) else getattr(value, "graph", None)
    return value if inner is None else inner


Chunks = Annotated[list[EntityRef | Chunk], BeforeValidator(_nouns((Chunk, "content")))]
Entities = Annotated[list[EntityRef | Entity], BeforeValidator(_nouns((Entity, "name")))]
Relationships = Annotated[
    list[EntityRef | Relationship],
    BeforeValidator(_nouns((Relationship, "source_id"))),
]
Communities = Annotated[
    list[EntityRef | Community | CommunityReport],
    BeforeValidator(_nouns((Community, "entity_ids"), (CommunityReport, "community_id"))),
]
Paths = Annotated[list[Path], BeforeValidator(_nouns((Path, "node_ids")))]
Subgraph = Annotated[Graph, BeforeValidator(_graph)]


def _similar(values: Any) -> Any:
    if not isinstance(values, list | tuple):
        return values
    return [_item(value) for value in values]


def _item(value: Any) -> Any:
    inner = value.get("item") if isinstance(value, Mapping) else getattr(value, "item", None)
    return value if inner is None else inner


Items = Annotated[list[SimilarItem], BeforeValidator(_similar)]
"""Results of a similarity search, of any kind."""
