"""Some entities in short."""

import re
from collections import Counter
from collections.abc import Sequence
from itertools import chain
from typing import Literal

import numpy as np
from pydantic import ConfigDict, Field, PositiveInt

from corpusgraph.schemas.errors import UnknownEntityError
from corpusgraph.schemas.graph import Entity, EntityRef
from corpusgraph.schemas.ports import GraphView
from corpusgraph.schemas.results import Noted, ToolInput, ToolWarning, warned
from corpusgraph.tasks.build.aggregate import shorten
from corpusgraph.tasks.graph.columnar import values_of
from corpusgraph.tasks.graph.compiled import compiled, node_of
from corpusgraph.tasks.graph.names import observations_of
from corpusgraph.tasks.registry import tool
from corpusgraph.tasks.tools.memory._columns import around, no_entity_of_type
from corpusgraph.tasks.tools.memory._inputs import LISTED, PROPOSED, Name, Ref, Shape, listed, maybe, spelled
from corpusgraph.tasks.tools.memory.reference import in_order

BRIEF = 160
"""Characters of a brief."""
VALUES = 50
"""Values of a key that are counted apart."""
RELATIONS = 20
"""Relations told of each entity in detail."""
_KEYED = re.compile(r"\s*([^\W\d_][\w .'/-]{0,39}?)\s*[:：](?![:/])\s*(\S.{0,79})", re.DOTALL)
_GAPS = re.compile(r"[\W_]+")


class Summarize(ToolInput):
    """Which entities, and how much of them; all, where neither names nor a type are given."""

    entity_names: list[Ref] | None = spelled(
        *("entity_names", "entityNames", "names", "entities"),
        default=None,
        max_length=10_000,
        description="these entities, by name, id or short id",
    )
    entity_type: Name | None = spelled(
        *("entity_type", "entityType", "type"),
        default=None,
        description="all entities of this type; not looked at where names are given",
    )
    format: Literal["brief", "detailed", "stats"] = Field(
        "brief",
        description="brief: a line on each; detailed: all that is noted and the relations; stats: counts of "
        "the values of observations written `Key: value`",
    )
    max_results: PositiveInt = spelled(
        *("max_results", "maxResults", "limit", "top_k"),
        default=100,
        description="entities listed at most; totals are of all",
    )


class BriefRelation(Shape):
    """A relation of an entity."""

    relationType: str  # noqa: N815  the protocol's spelling
    direction: Literal["outgoing", "incoming"]
    target: str = Field(description="name of the entity at its other end")


class SummarizedEntity(Shape):
    """An entity in short, or in detail."""

    name: str
    brief: str | None = maybe()
    entityType: str | None = maybe()  # noqa: N815
    observations: tuple[str, ...] | None = maybe()
    relations: tuple[BriefRelation, ...] | None = maybe()
    relationCount: int | None = maybe()  # noqa: N815


class Summary(Shape):
    """Totals, and either the entities or, for each key of `Key: value`, how many have which value."""

    model_config = ConfigDict(extra="allow")
    __pydantic_extra__: dict[str, dict[str, int]]

    totalEntities: int  # noqa: N815
    entities: tuple[SummarizedEntity, ...] | None = maybe()


class Summarized(Shape):
    """The summary."""

    summary: Summary


@tool(
    writes="memory",
    needs="Entity.id",
    optional="Entity.name type description attributes, Relationship.type",
    cite=PROPOSED,
)
def summarize(ask: Summarize, graph: GraphView) -> Noted[Summarized]:
    """Sum up some entities: a line each, or in detail, or counts by status, priority and the like."""
    nodes, warnings = _chosen(ask, graph)
    fields: dict[str, object] = {"totalEntities": len(nodes)}
    if ask.format == "stats":
        tables, more = _stats([graph.entities[i] for i in nodes], by_type=ask.entity_type is None)
        fields |= tables
    else:
        shown = nodes[: ask.max_results]
        place = {graph.entities[i].id: i for i in shown}
        make = _brief if ask.format == "brief" else _detailed
        entities = in_order(graph.entities[i] for i in shown)
        fields["entities"] = tuple(make(entity, graph, place[entity.id]) for entity in entities)
        message = f"Listed are {len(shown):,} of {len(nodes):,} entities."
        more = warned("summary_truncated", message, when=len(shown) < len(nodes))
    return Noted(data=Summarized(summary=Summary.model_validate(fields)), warnings=(*warnings, *more))


def _chosen(ask: Summarize, graph: GraphView) -> tuple[list[int], tuple[ToolWarning, ...]]:
    """Return the entities named, in that order, else those of the type or all, best connected first."""
    if ask.entity_names is not None:
        return _named(ask.entity_names, graph)
    places = np.argsort(-compiled(graph).degrees, kind="stable").tolist()
    if ask.entity_type is None:
        return places, ()
    types, folded = values_of(graph.entities, "type"), ask.entity_type.casefold()
    exact = [at for at in places if types[at] == ask.entity_type]
    nodes = exact or [at for at in places if (types[at] or "").casefold() == folded]
    known = sorted({name for name in types if name})
    return nodes, () if nodes else no_entity_of_type(ask.entity_type, known)


def _named(refs: Sequence[EntityRef], graph: GraphView) -> tuple[list[int], tuple[ToolWarning, ...]]:
    """Return entities by name, each once; names that lead to none are told, and an error where all do."""
    places, errors = list[int](), list[tuple[str, UnknownEntityError]]()
    for ref in refs:
        try:
            places.append(node_of(graph, ref))
        except UnknownEntityError as error:
            errors.append((str(ref), error))
    if errors and not places:
        raise errors[0][1]
    warnings = (warned(error.code, str(error), [name]) for name, error in errors[:LISTED])
    return list(dict.fromkeys(places)), tuple(chain.from_iterable(warnings))


def _brief(entity: Entity, graph: GraphView, node: int) -> SummarizedEntity:  # noqa: ARG001  as _detailed
    """Return the first sentences noted that are no `Key: value`, else these."""
    said = observations_of(entity)
    plain = [text for text in said if not keyed(text)] or said
    return SummarizedEntity(name=entity.name, brief=shorten("; ".join(plain[:3]) or entity.type or "", BRIEF))


def _detailed(entity: Entity, graph: GraphView, node: int) -> SummarizedEntity:
    near = around(graph, node, limit=RELATIONS)
    relations = (
        BriefRelation(
            relationType=graph.relationships[step.edge].type,
            direction="outgoing" if step.outward else "incoming",
            target=graph.entities[step.there].name,
        )
        for step in near.steps
    )
    return SummarizedEntity(
        name=entity.name,
        entityType=entity.type or "",
        observations=observations_of(entity),
        relations=tuple(sorted(relations, key=lambda r: (r.direction, r.relationType, r.target))),
        relationCount=len(near.steps) + near.left_out,
    )


def keyed(text: str) -> tuple[str, str] | None:
    """Read `Key: value`, also with a full-width colon; None for any other sentence and for addresses."""
    match = _KEYED.fullmatch(text)
    return (match[1], match[2].strip()) if match else None


def _stats(
    entities: Sequence[Entity], *, by_type: bool
) -> tuple[dict[str, dict[str, int]], tuple[ToolWarning, ...]]:
    """Count for each key how many entities have which value; an entity counts once for a value."""
    tables: dict[str, Counter[str]] = {}
    if by_type and entities:
        tables["byType"] = Counter(entity.type or "" for entity in entities)
    for entity in entities:
        pairs = (pair for text in observations_of(entity) if (pair := keyed(text)))
        for name, value in dict.fromkeys((column(key), value) for key, value in pairs):
            tables.setdefault(name, Counter())[value] += 1
    long = [name for name, counts in tables.items() if len(counts) > VALUES]
    message = f"{listed(long)}: only the {VALUES} most frequent values are listed."
    first = {
        name: dict(sorted(counts.items(), key=lambda item: (-item[1], item[0]))[:VALUES])
        for name, counts in sorted(tables.items())
    }
    return first, warned("values_left_out", message, long[:LISTED], when=long)


def column(key: str) -> str:
    """Return the name of a table: "Status" is byStatus, "due date" is byDueDate."""
    return "by" + "".join(word[:1].upper() + word[1:] for word in _GAPS.split(key) if word)
