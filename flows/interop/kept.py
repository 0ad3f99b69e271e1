"""An open index, memory and all, as a memory that another system could keep."""

from corpusgraph.flows.interop.parcel import (
    GivenEntity,
    GivenExtraction,
    GivenMemory,
    GivenRelation,
    as_in_file,
)
from corpusgraph.flows.store.opened import OpenIndex
from corpusgraph.schemas.base import JsonDict, nfc
from corpusgraph.schemas.graph import Entity, Relationship
from corpusgraph.schemas.ports import Memory
from corpusgraph.tasks.build.aggregate import CERTAIN
from corpusgraph.tasks.graph.names import is_hand_made

OBSERVATIONS = "observations"


def kept_memory(index: OpenIndex, memory: Memory | None, format_: str) -> GivenMemory:
    """Return entities, observations and relations of an index, in order of their short ids.

    An entity of a corpus that nothing was observed of tells its description, the best sentence about it.
    """
    kept = GivenMemory(format_, index.name, facts=dict(index.manifest.facts.get("import") or {}))
    places: dict[str, int] = {}
    for place, entity in enumerate(sorted(index.graph.entities, key=_in_order)):
        places[entity.id] = place
        kept.entities.append(_entity(entity))
    for relationship in sorted(index.graph.relationships, key=_in_order):
        ends = places.get(relationship.source_id), places.get(relationship.target_id)
        if ends[0] is not None and ends[1] is not None:
            kept.relations.append(_relation(relationship, ends[0], ends[1]))
    for change, line in memory.extractions() if memory is not None else ():
        if line.entity.id in places:
            at = change.at.replace("T", " ").removesuffix("+00:00")
            kept.log.append(GivenExtraction(places[line.entity.id], line.found, at))
    return kept


def _in_order(item: Entity | Relationship) -> tuple[bool, int, str]:
    number = item.short_id
    return number is None, number or 0, item.id


def _entity(entity: Entity) -> GivenEntity:
    attributes: JsonDict = dict(entity.attributes or {})
    noted = attributes.get(OBSERVATIONS)
    if noted is None:
        noted = [entity.description] if entity.description and not is_hand_made(entity) else []
    name = attributes.pop("written", None)
    return GivenEntity(
        name=name if isinstance(name, str) and _same(name, entity.name) else entity.name,
        type=entity.type,
        observations=[str(text) for text in noted],
        attributes=as_in_file(attributes),
        number=entity.short_id,
        is_stub=entity.is_stub,
    )


def _same(written: str, name: str) -> bool:
    return nfc(written) == name


def _relation(relationship: Relationship, source: int, target: int) -> GivenRelation:
    attributes = dict(relationship.attributes or {})
    context = attributes.get("context")
    sure = relationship.confidence
    return GivenRelation(
        source=source,
        target=target,
        type=relationship.type,
        confidence=1.0 if sure >= CERTAIN else sure,
        is_causal=relationship.is_causal,
        context=context if isinstance(context, dict) else None,
        attributes=as_in_file(attributes),
        number=relationship.short_id,
    )
