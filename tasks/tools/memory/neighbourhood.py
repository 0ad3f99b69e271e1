"""What is around an entity: neighbours, relations, paths by a pattern; and some entities in short."""

import re
from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain, islice
from typing import Annotated, Any, Literal, NamedTuple

import numpy as np
from pydantic import BeforeValidator, ConfigDict, Field, PositiveInt

from corpusgraph.schemas.base import Confidence, Noun
from corpusgraph.schemas.errors import UnknownEntityError, did_you_mean
from corpusgraph.schemas.graph import Entity, EntityRef, Relationship
from corpusgraph.schemas.ports import GraphView, Ints
from corpusgraph.schemas.results import Noted, ToolInput, ToolWarning, warned
from corpusgraph.tasks.build.aggregate import CERTAIN, shorten
from corpusgraph.tasks.graph.columnar import values_of
from corpusgraph.tasks.graph.compiled import CompiledGraph, Doubles, compiled, distinct, node_of, per_graph
from corpusgraph.tasks.graph.inputs import SPELLINGS, directions, references
from corpusgraph.tasks.graph.names import observations_of
from corpusgraph.tasks.graph.paths import Direction, Hop, hop_from
from corpusgraph.tasks.progress import step as take_step
from corpusgraph.tasks.registry import tool
from corpusgraph.tasks.tools.memory._inputs import (
    ENDS,
    ENHANCED,
    Depth,
    Name,
    Ref,
    Shape,
    ShortId,
    Success,
    clamped_depth,
    listed,
    spelled,
    unknown_types,
    weight_of,
)
from corpusgraph.tasks.tools.memory.reference import IN_WORDS, LISTED, Node, as_node, edges_among, in_order

PROPOSED = "Proposed tools of a memory graph server, 2026"
LOOKS = 2_000_000
"""Relations looked at, after which a pattern that few paths fit is given up, with a warning."""


# Relationships followed by columns, where the graph is kept as columns.

WAYS: dict[str, Direction] = {"in": "in", "out": "out", "both": "both", **SPELLINGS}
"""Each spelling of a direction."""


def spelt(into: str, out: str) -> BeforeValidator:
    """Return a validator that takes each spelling of a direction for that of a tool."""
    own = {"in": into, "out": out, "both": "both"}
    return BeforeValidator(directions({spelling: own[way] for spelling, way in WAYS.items()}))


def maybe(description: str | None = None) -> Any:
    """Return a field of an answer that is left out where it is None."""
    return Field(None, exclude_if=lambda value: value is None, description=description)


class Step(NamedTuple):
    """A relationship followed from the node `here` to the node `there`."""

    here: int
    there: int
    edge: int
    depth: int
    outward: bool
    """The relationship points to `there`."""
    confidence: float


class Around(NamedTuple):
    """The first steps, and how many more there are."""

    steps: list[Step]
    left_out: int


def around(
    graph: GraphView,
    start: int,
    *,
    way: Direction = "both",
    types: Collection[str] | None = None,
    least: float = 0.0,
    depth: int = 1,
    limit: int,
    own: bool = False,
) -> Around:
    """Follow relationships from a node to nodes that are not nearer, `depth` hops out (breadth first).

    A hop's steps come in order of confidence, then of weight, then of ids. At the first hop each of several
    relationships with one neighbour is a step of its own. `least` is the least confidence; with `own` the
    first hop also has the relationships of `start` with itself. One that texts only deny is no step, unless
    it is one of `start` and its type is named: then it is shown, and not followed further.
    """
    arrays = compiled(graph)
    seen = np.zeros(len(arrays.ids), dtype=bool)
    seen[start] = True
    frontier = np.array([start], dtype=np.int64)
    steps: list[Step] = []
    total = 0
    for hop in range(1, depth + 1):
        own = own and hop == 1
        step = hop_from(arrays, frontier, way, types, own=own, denied=hop == 1 and types is not None)
        sure = confidences(graph, step.edge)
        keep = (sure >= least) & (own | ~seen[step.there])
        step, sure = step.marked(keep), sure[keep]
        total += len(sure)
        outward = arrays.source[step.edge] == step.here
        for i in surest(arrays, step, sure)[: limit - len(steps)].tolist():
            ends = int(step.here[i]), int(step.there[i]), int(step.edge[i])
            steps.append(Step(*ends, hop, bool(outward[i]), float(sure[i])))
        frontier = distinct(step.there[arrays.is_stated[step.edge]])
        seen[frontier] = True
    return Around(steps, total - len(steps))


def surest(arrays: CompiledGraph, hop: Hop, sure: Doubles) -> Ints:
    """Return the places of a hop's relationships: the surest first, of equals the weightiest."""
    return np.lexsort((-arrays.weight[hop.edge], -sure))


def confidences(graph: GraphView, edges: Ints) -> Doubles:
    """Return how sure some relationships are, as memory clients know weights (k,)."""
    stated = np.asarray(values_of(graph.relationships, "confidence", edges), dtype=np.float64)
    return np.where(stated >= CERTAIN, 1.0, stated + 0.0)  # + 0.0: there is no -0.0


# Patterns


class PathStep(Noun):
    """One step of a pattern; what is left out may be anything."""

    model_config = ConfigDict(frozen=True, extra="forbid", populate_by_name=True)

    relation_type: Name | None = spelled(
        *("relation_type", "relationType"),
        default=None,
        description="type of the relation; any, unless given",
    )
    direction: Annotated[Direction, spelt("in", "out")] = Field(
        "out", description="out: along the relation; in: against it; both: either"
    )
    target_type: Name | None = spelled(
        *("target_type", "targetType"),
        default=None,
        description="type of the entity it leads to; any, unless given",
    )


class Traverse(ToolInput):
    """Where to start, and which relations to follow one after another."""

    start_node: Ref = Field(description="the entity to start at: name, id or short id")
    path: list[PathStep] = Field(min_length=1, max_length=10, description="the pattern, step by step")
    max_results: PositiveInt = spelled(
        "max_results", "max_paths", default=50, description="how many paths at most"
    )


class FoundPath(Shape):
    """Entities by name, and the type of the relation between each and the next."""

    nodes: tuple[str, ...]
    relations: tuple[str, ...]


class Traversal(Shape):
    """Every path that fits and meets no entity twice, and the entities they end at, each once."""

    startNode: str  # noqa: N815  the protocol's spelling
    paths: tuple[FoundPath, ...]
    endNodes: tuple[Node, ...]  # noqa: N815
    truncated: bool | None = maybe("true where there may be more paths than these")


@tool(writes="memory", needs=ENDS, optional=IN_WORDS, cite=PROPOSED)
def traverse(ask: Traverse, graph: GraphView) -> Noted[Traversal]:
    """Follow a pattern of relations from an entity; at a fork the surest relation is followed first."""
    start, walk = node_of(graph, ask.start_node), _Walk(graph, ask.path)
    trails = list(islice(walk.trails((start,), ()), ask.max_results + 1))
    shown = trails[: ask.max_results]
    gave_up = walk.looks >= LOOKS
    paths = (
        FoundPath(
            nodes=tuple(graph.entities[i].name for i in nodes),
            relations=tuple(graph.relationships[i].type for i in edges),
        )
        for nodes, edges in shown
    )
    ends = [graph.entities[i] for i in dict.fromkeys(nodes[-1] for nodes, _ in shown)]
    data = Traversal(
        startNode=graph.entities[start].name,
        paths=tuple(sorted(paths, key=lambda path: (path.nodes, path.relations))),
        endNodes=tuple(as_node(entity) for entity in sorted(ends, key=lambda e: (e.name, e.id))),
        truncated=True if len(trails) > len(shown) or gave_up else None,
    )
    message = f"The search was ended after {LOOKS:,} relations; a narrower pattern finds the rest."
    unknown = () if trails else _unknown(ask.path, graph)
    return Noted(data=data, warnings=(*unknown, *warned("search_ended", message, when=gave_up)))


def no_entity_of_type(type_: str, known: Sequence[str]) -> tuple[ToolWarning, ...]:
    """Tell that no entity is of a type, with the nearest of those that there are, or the first of them."""
    hint = did_you_mean(type_, known) or (f"There are {listed(known)}." if known else "")
    return warned("unknown_type", f"No entity is of type {type_!r}. {hint}".strip(), (type_,))


def _unknown(path: Sequence[PathStep], graph: GraphView) -> tuple[ToolWarning, ...]:
    """Tell why no path may fit: types of relations and of entities that there are none of."""
    known = sorted({name for name in values_of(graph.entities, "type") if name})
    wrong = dict.fromkeys(step.target_type for step in path if step.target_type not in {None, *known})
    return (
        *unknown_types(graph, [step.relation_type for step in path if step.relation_type]),
        *(warning for name in wrong for warning in no_entity_of_type(str(name), known)),
    )


Trail = tuple[tuple[int, ...], tuple[int, ...]]
"""Nodes, and the edges between them."""


@dataclass
class _Walk:
    """Paths in depth, made one after another as they are asked for."""

    graph: GraphView
    steps: Sequence[PathStep]
    looks: int = 0

    def trails(self, nodes: tuple[int, ...], edges: tuple[int, ...]) -> Iterator[Trail]:
        """Yield the ways to finish a path that has begun."""
        if len(edges) == len(self.steps):
            yield nodes, edges
            return
        take_step("relations looked at", self.looks)
        step, arrays = self.steps[len(edges)], compiled(self.graph)
        types = None if step.relation_type is None else {step.relation_type}
        hop = hop_from(arrays, np.array(nodes[-1:], dtype=np.int64), step.direction, types)
        self.looks += len(hop.edge)
        if step.target_type is not None:
            types_there = values_of(self.graph.entities, "type", hop.there)
            hop = hop.marked(np.asarray(types_there == step.target_type, dtype=bool))
        for i in surest(arrays, hop, confidences(self.graph, hop.edge)).tolist():
            there = int(hop.there[i])
            if there not in nodes and self.looks < LOOKS:
                yield from self.trails((*nodes, there), (*edges, int(hop.edge[i])))


# Neighbours


class GetEntityNeighbors(ToolInput):
    """Whose neighbours, over which relationships."""

    entity_id: Ref = Field(description="the entity: short id, id or name")
    relation_type: str | list[str] | None = Field(
        None,
        description="relates_to, causes, part_of, implements, extends, uses, depends_on, or any other type",
    )
    direction: Annotated[Literal["outbound", "inbound", "both"], spelt("inbound", "outbound")] = Field(
        "both", description="outbound: from the entity to others; inbound: from others to it"
    )
    depth: Depth = 1
    limit: PositiveInt = Field(50, description="how many neighbours at most")
    min_weight: Confidence = Field(0.0, description="least confidence of a relationship, 0 to 1")


class Neighbor(Shape):
    """A neighbour, and the relationship that leads to it."""

    neighbor_id: ShortId
    id: str
    neighbor_name: str
    entity_type: str | None
    relation_type: str
    weight: float = Field(description="confidence of the relationship, 0 to 1")
    is_causal: bool
    direction: Literal["outbound", "inbound"] = Field(description="seen from the entity it is reached from")
    depth: int = Field(description="hops from the entity")
    via: str = Field(description="id of the entity it is reached from")
    relationship_id: ShortId


class NeighborParams(Shape):
    """What was searched for, as it was understood."""

    relation_type: str | list[str] | None
    direction: str
    depth: int
    min_weight: float


class EntityNeighbors(Success):
    """The neighbours, nearest and surest first."""

    entity_id: ShortId
    id: str
    name: str
    neighbor_count: int = Field(description="neighbors, and those left out")
    neighbors: tuple[Neighbor, ...]
    truncated: int = Field(description="how many were left out because of the limit")
    search_params: NeighborParams


@tool(
    writes="memory",
    needs=ENDS,
    optional="Entity.short_id, Relationship.type confidence is_causal",
    cite=ENHANCED,
)
def get_entity_neighbors(ask: GetEntityNeighbors, graph: GraphView) -> Noted[EntityNeighbors]:
    """Return the entities connected with one, by which relationships, in which direction and how surely."""
    depth, clamped = clamped_depth(ask.depth)
    node = node_of(graph, ask.entity_id)
    types = [ask.relation_type] if isinstance(ask.relation_type, str) else ask.relation_type
    near = around(
        graph, node, way=WAYS[ask.direction], types=types, least=ask.min_weight, depth=depth, limit=ask.limit
    )
    entity = graph.entities[node]
    data = EntityNeighbors(
        entity_id=entity.short_id,
        id=entity.id,
        name=entity.name,
        neighbor_count=len(near.steps) + near.left_out,
        neighbors=tuple(_neighbor(step, graph) for step in near.steps),
        truncated=near.left_out,
        search_params=NeighborParams(
            relation_type=ask.relation_type, direction=ask.direction, depth=depth, min_weight=ask.min_weight
        ),
    )
    return Noted(data=data, warnings=(*clamped, *unknown_types(graph, types)))


def _neighbor(step: Step, graph: GraphView) -> Neighbor:
    entity, relationship = graph.entities[step.there], graph.relationships[step.edge]
    return Neighbor(
        neighbor_id=entity.short_id,
        id=entity.id,
        neighbor_name=entity.name,
        entity_type=entity.type,
        relation_type=relationship.type,
        weight=step.confidence,
        is_causal=relationship.is_causal,
        direction="outbound" if step.outward else "inbound",
        depth=step.depth,
        via=graph.entities[step.here].id,
        relationship_id=relationship.short_id,
    )


class GetRelated(ToolInput):
    """Related with what, and how."""

    entity_name: Ref = Field(description="the entity: name, id or short id")
    relation_type: Name | None = Field(None, description="relations of this type only")
    direction: Annotated[Literal["outgoing", "incoming", "both"], spelt("incoming", "outgoing")] = Field(
        "both", description="outgoing: relations that start at it; incoming: that end"
    )
    max_depth: int = Field(1, description="1: direct relations only; at most 3")
    max_results: PositiveInt = Field(200, description="how many relations at most")


class RelatedEntity(Shape):
    """A relation, and the entity at its other end."""

    relationType: str  # noqa: N815  the protocol's spelling
    direction: Literal["outgoing", "incoming"]
    target: Node
    depth: int | None = maybe("hops away, where it is more than one")
    via: str | None = maybe("entity it is related through")


class RelatedEntities(Shape):
    """The relations of an entity, nearest and surest first."""

    entity: str
    relations: tuple[RelatedEntity, ...]
    truncated: int | None = maybe("how many were left out because of max_results")


@tool(writes="memory", needs=ENDS, optional=IN_WORDS, cite=PROPOSED)
def get_related(ask: GetRelated, graph: GraphView) -> Noted[RelatedEntities]:
    """Return the entities that have a relation with one, with what is noted of them."""
    depth, clamped = clamped_depth(ask.max_depth)
    node = node_of(graph, ask.entity_name)
    types = None if ask.relation_type is None else {ask.relation_type}
    way = WAYS[ask.direction]
    near = around(graph, node, way=way, types=types, depth=depth, limit=ask.max_results, own=True)
    rows = [(step, _related(step, graph)) for step in near.steps]
    rows.sort(key=lambda row: (row[0].depth, -row[0].confidence, row[1].relationType, row[1].target.name))
    data = RelatedEntities(
        entity=graph.entities[node].name,
        relations=tuple(row for _, row in rows),
        truncated=near.left_out or None,
    )
    return Noted(data=data, warnings=(*clamped, *unknown_types(graph, types)))


def _related(step: Step, graph: GraphView) -> RelatedEntity:
    far = step.depth > 1
    return RelatedEntity(
        relationType=graph.relationships[step.edge].type,
        direction="outgoing" if step.outward else "incoming",
        target=as_node(graph.entities[step.there]),
        depth=step.depth if far else None,
        via=graph.entities[step.here].name if far else None,
    )


# A local graph


@per_graph
def saliences(graph: GraphView) -> Doubles:
    """Return for each entity the share of entities that have fewer relationships, half of its equals counted.

    The mid-rank percentile of its degree (n,), 0 to 1; without any relationship it is 0.
    """
    from scipy.stats import rankdata

    degrees = compiled(graph).degrees
    share = (rankdata(degrees) - 0.5) / max(1, len(degrees))
    return np.where(degrees == 0, 0.0, share)


TIERS = {"core": 0.9, "working": 0.5, "reference": 0.0}
"""Salience above which an entity is of a tier, the highest first."""


def tier_of(entity: Entity, salience: float) -> tuple[str, float]:
    """Return tier and salience of an entity: those that an imported memory keeps, else by `salience`.

    What it keeps is a text as the tier, and a number from 0 to 1; a tier that is missing follows from that:
    core above 0.9, working above 0.5, reference above 0, archive without a relationship.
    """
    own = entity.attributes or {}
    score, tier = own.get("salience_score"), own.get("tier")
    known = round(salience, 4)
    if isinstance(score, int | float) and not isinstance(score, bool) and 0 <= score <= 1:
        known = float(score)
    if not (isinstance(tier, str) and tier.strip()):
        tier = next((name for name, least in TIERS.items() if known > least), "archive")
    return tier, known


class BuildLocalGraph(ToolInput):
    """Of which entities."""

    entity_ids: Annotated[list[Ref], BeforeValidator(references)] = spelled(
        *("entity_ids", "entity_names"),
        min_length=1,
        max_length=10_000,
        description="the entities, by short id, id or name",
    )


class LocalNode(Shape):
    """An entity."""

    id: ShortId
    ref: str = Field(description="id")
    name: str
    entity_type: str | None
    tier: str = Field(
        description="by salience: core above 0.9, working above 0.5, reference above 0, archive: none; "
        "or as an imported database has it"
    )
    salience_score: float = Field(
        description="0 to 1: share of all entities with fewer relationships, half of those with as many; "
        "or as an imported database has it"
    )


class LocalEdge(Shape):
    """A relationship between two of the entities."""

    id: ShortId
    ref: str = Field(description="id")
    from_entity_id: ShortId
    to_entity_id: ShortId
    from_ref: str
    to_ref: str
    relation_type: str
    weight: float = Field(description="confidence, 0 to 1")
    is_causal: bool


class Local(Shape):
    """Nodes in the order asked, and the edges between them."""

    nodes: tuple[LocalNode, ...]
    edges: tuple[LocalEdge, ...]
    node_count: int
    edge_count: int


class LocalGraph(Success):
    """The graph."""

    graph: Local


@tool(
    writes="memory",
    needs=f"{ENDS} id",
    optional="Entity.short_id type, Relationship.type confidence",
    cite=ENHANCED,
)
def build_local_graph(ask: BuildLocalGraph, graph: GraphView) -> LocalGraph:
    """Return some entities and every relationship between two of them."""
    places = list(dict.fromkeys(node_of(graph, ref) for ref in ask.entity_ids))
    edges = edges_among(graph, np.array(places, dtype=np.int64), both=True)
    nodes = tuple(_node(graph, at) for at in places)
    short = {node.ref: node.id for node in nodes}
    local = Local(
        nodes=nodes,
        edges=tuple(_edge(graph.relationships[at], short) for at in edges.tolist()),
        node_count=len(places),
        edge_count=len(edges),
    )
    return LocalGraph(graph=local)


def _node(graph: GraphView, at: int) -> LocalNode:
    entity = graph.entities[at]
    tier, salience = tier_of(entity, float(saliences(graph)[at]))
    return LocalNode(
        id=entity.short_id,
        ref=entity.id,
        name=entity.name,
        entity_type=entity.type,
        tier=tier,
        salience_score=salience,
    )


def _edge(relationship: Relationship, short: dict[str, int | None]) -> LocalEdge:
    return LocalEdge(
        id=relationship.short_id,
        ref=relationship.id,
        from_entity_id=short[relationship.source_id],
        to_entity_id=short[relationship.target_id],
        from_ref=relationship.source_id,
        to_ref=relationship.target_id,
        relation_type=relationship.type,
        weight=weight_of(relationship),
        is_causal=relationship.is_causal,
    )


# Some entities in short

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
        *("entity_names", "names"),
        default=None,
        max_length=10_000,
        description="these entities, by name, id or short id",
    )
    entity_type: Name | None = spelled(
        *("entity_type", "type"),
        default=None,
        description="all entities of this type; not looked at where names are given",
    )
    format: Literal["brief", "detailed", "stats"] = Field(
        "brief",
        description="brief: a line on each; detailed: all that is noted and the relations; stats: counts of "
        "the values of observations written `Key: value`",
    )
    max_results: PositiveInt = Field(100, description="entities listed at most; totals are of all")


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
        shown, is_brief = nodes[: ask.max_results], ask.format == "brief"
        entities = in_order(graph.entities[i] for i in shown)
        fields["entities"] = tuple(_brief(one) if is_brief else _detailed(one, graph) for one in entities)
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


def _brief(entity: Entity) -> SummarizedEntity:
    """Return the first sentences noted that are no `Key: value`, else these."""
    said = observations_of(entity)
    plain = [text for text in said if not keyed(text)] or said
    return SummarizedEntity(name=entity.name, brief=shorten("; ".join(plain[:3]) or entity.type or "", BRIEF))


def _detailed(entity: Entity, graph: GraphView) -> SummarizedEntity:
    near = around(graph, node_of(graph, entity.id), limit=RELATIONS)
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
