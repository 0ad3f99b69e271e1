"""Relationships as a base has them and as a memory lays them over it: a source, a type and a target.

Where entities were taken for one, relationships that then
have the same three are one, with the evidence of all; one of an entity to itself that comes of this is gone,
one that an entity had with itself before stays.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from types import MappingProxyType

import numpy as np

from corpusgraph.schemas.graph import DENIED, Relationship
from corpusgraph.schemas.memory import Reweigh
from corpusgraph.schemas.ports import Ints
from corpusgraph.tasks.build.aggregate import as_written, micro
from corpusgraph.tasks.graph.compiled import CompiledGraph
from corpusgraph.tasks.overlay.rows import Finder
from corpusgraph.tasks.overlay.splits import Asserted
from corpusgraph.tasks.overlay.state import HandRelation, Triple

MICRO = 1_000_000


@dataclass(slots=True)
class Edge:
    """A relationship that is new or has changed: the places in the base of what it is made of."""

    id: str
    source: str
    type: str
    target: str
    parts: list[int] = field(default_factory=list)
    hand: list[HandRelation] = field(default_factory=list)
    drawn: list[Asserted] = field(default_factory=list)
    """Evidence that is counted one by one, where a split parted a relationship of the base."""
    reweigh: Reweigh | None = None
    nodes: tuple[int, int] = (-1, -1)
    """Places of source and target in the base; -1 for one that is not there."""
    told: tuple[str, float, bool] | None = None
    """Type, weight and whether anything states it, once they were measured."""


class BaseEdges:
    """The relationships of a base, by place."""

    def __init__(self, nodes: CompiledGraph, entities: Finder, relationships: Finder) -> None:
        self.nodes, self.entities, self.relationships = nodes, entities, relationships
        self.stated: dict[str, Edge] = {}
        """Relationships of which a memory only added evidence, as last put together."""

    def edge(self, id_: str, triple: Triple) -> Edge:
        """Return a relationship between two entities, of nothing as yet."""
        source, target = (self.entities.place(end) for end in (triple[0], triple[2]))
        nodes = -1 if source is None else source, -1 if target is None else target
        return Edge(id_, *triple, nodes=nodes)

    def triple(self, place: int) -> Triple:
        """Return source, type as asserted or denied, and target."""
        source, target = self.ends(place)
        type_ = self.nodes.types[place]
        bare = type_.removeprefix(DENIED)
        if bare != type_ and self.is_denied(place):
            return source, bare, target
        return source, type_, target

    def is_denied(self, place: int) -> bool:
        """Tell whether its type says that texts only deny it while its id is that of what is denied."""
        type_ = self.nodes.types[place]
        if not type_.startswith(DENIED):
            return False
        source, target = self.ends(place)
        return self.relationships.ids[place] == Relationship.make_id(source, type_[len(DENIED) :], target)

    def ends(self, place: int) -> tuple[str, str]:
        """Return the ids of source and target."""
        nodes = self.nodes
        return nodes.ids[int(nodes.source[place])], nodes.ids[int(nodes.target[place])]

    def at(self, entities: Iterable[str]) -> list[int]:
        """Return the places of the relationships at some entities, in order."""
        places = [place for id_ in entities if (place := self.entities.place(id_)) is not None]
        if not places:
            return []
        found: Ints = np.unique(self.nodes.edges_at(np.array(sorted(places), dtype=np.int64), denied=True)[0])
        return [int(place) for place in found]

    def of(self, id_: str, triple: Triple) -> list[int]:
        """Return the places of a relationship by its id, or, in a graph made elsewhere, by what it says."""
        if (place := self.relationships.place(id_)) is not None:
            return [place]
        if self.own_ids or (node := self.entities.place(triple[0])) is None:
            return []
        return [
            place for place in self.nodes.edges_of(node, denied=True).tolist() if self.triple(place) == triple
        ]

    @property
    def width(self) -> int:
        """Return more than there are relationships: what a node counts in `keys`."""
        return len(self.nodes.source) + 1

    @cached_property
    def keys(self) -> Ints:
        """Return a number for each relationship at each node, in order: node times `width`, and its place."""
        begins, edges = self.nodes.edge_lists
        return np.repeat(np.arange(len(begins) - 1), np.diff(begins)) * self.width + edges

    @cached_property
    def own_ids(self) -> bool:
        """Tell whether ids are made as indexing makes them."""
        some = range(0, len(self.nodes.source), max(1, len(self.nodes.source) // 4))
        return all(self.relationships.ids[i] == Relationship.make_id(*self.triple(i)) for i in some)


def measured(base: BaseEdges, edge: Edge) -> tuple[str, float, bool]:
    """Return type, weight, and whether anything states it; where nothing does, what denies it is weighed."""
    if edge.told is None:
        edge.told = _measured(base, edge)
    return edge.told


def _measured(base: BaseEdges, edge: Edge) -> tuple[str, float, bool]:
    said = [evidence.confidence for relation in edge.hand for evidence in relation.evidence]
    asserted = [place for place in edge.parts if base.nodes.is_stated[place]]
    drawn = [one.confidence for one in edge.drawn if not one.negated]
    stated = bool(asserted or drawn or said)
    weights = [float(base.nodes.weight[place]) for place in (asserted if stated else edge.parts)]
    more = [*drawn, *said] if stated else [one.confidence for one in edge.drawn]
    given = edge.reweigh.weight if edge.reweigh else None
    says_so = any(base.nodes.types[place] == edge.type for place in edge.parts)  # with ids made elsewhere
    type_ = edge.type if stated or says_so else f"{DENIED}{edge.type}"
    weight = given if given is not None else summed(weights, sum(micro(one) for one in more))
    return type_, weight, stated


def summed(weights: Sequence[float], more: int) -> float:
    """Add weights, in millionths as indexing does; one alone stays as it is."""
    if len(weights) == 1 and not more:
        return weights[0]
    return max(sum(round(weight * MICRO) for weight in weights) + more, 1) / MICRO


@dataclass(frozen=True)
class EdgePatch:
    """`out` are places of the base that are gone; `changed` and `new` what stands instead, by id."""

    out: Ints
    changed: Mapping[int, Edge]
    new: Mapping[str, Edge]
    moved: Mapping[int, Edge]
    """Place in the base -> the relationship that it is now part of, where that is another."""
    by_hand: Mapping[str, str]
    """Relationship stated by hand -> the id it has here: another only in a graph with ids made elsewhere."""
    given: "Patching"
    """What was said so far, for a patch that says more."""

    def edge(self, id_: str, place: int | None) -> Edge:
        """Return a relationship that is new or changed, by its id and its place in the base."""
        return self.new[id_] if place is None else self.changed[place]

    def part_of(self, place: int, id_: str) -> str | None:
        """Return the relationship that what the base says in one now counts for; None where it does not."""
        if place in self.moved:
            return self.moved[place].id
        if place in self.changed:
            return id_ if place in self.changed[place].parts else None
        return None if place in self.gone else id_

    @cached_property
    def gone(self) -> frozenset[int]:
        """Return the places of the base that are gone."""
        return frozenset(self.out.tolist())

    @cached_property
    def places(self) -> Ints:
        """Return the places of the base that changed, in order."""
        return np.array(sorted(self.changed), dtype=np.int64)

    @cached_property
    def is_adding(self) -> bool:
        """Tell whether whatever the base has still counts where it did."""
        return not len(self.out) and not self.moved and all(e.parts for e in self.changed.values())


class Patching:
    """Gathers the relationships that the memory has a say in."""

    def __init__(
        self,
        base: BaseEdges,
        edges: Mapping[str, Edge] = MappingProxyType({}),
        taken: Mapping[int, Edge | None] = MappingProxyType({}),
    ) -> None:
        self._base = base
        self._edges = dict(edges)
        self._taken = dict(taken)

    def more(self, patch: EdgePatch, relations: Iterable[HandRelation]) -> EdgePatch | None:
        """Return a patch in which relationships also are as they are now stated, or for the first time.

        None where one of them is made of more than what the base has of it and what was stated.
        """
        after = Patching(self._base, self._edges, self._taken)
        edges = []
        for relation in relations:
            if (edge := after.restate(relation)) is None:
                return None
            edges.append(edge)
        return after.patched(patch, edges)

    def restate(self, relation: HandRelation) -> Edge | None:
        """Put what is now stated of a relationship in the place of what was; None where it rests on more."""
        known = self._edges.get(relation.id)
        if known is not None and not self._forget(known, relation):
            return None
        self.state(relation)
        return self._edges[relation.id]

    def _forget(self, edge: Edge, relation: HandRelation) -> bool:
        """Take back what was stated of a relationship; False where that is not all it is made of."""
        ends = (relation.source, relation.type, relation.target)
        bare = edge.reweigh is None and not edge.drawn and [one.id for one in edge.hand] == [relation.id]
        if not bare or not set(edge.parts) <= set(self._base.of(relation.id, ends)):
            return False
        for place in edge.parts:
            self._taken.pop(place, None)
        for id_ in {relation.id, edge.id}:
            self._edges.pop(id_, None)
        return True

    def patched(self, patch: EdgePatch, edges: Iterable[Edge]) -> EdgePatch | None:
        """Put relationships in the place of what they were; None where others are in the way."""
        changed, new, by_hand = dict(patch.changed), dict(patch.new), dict(patch.by_hand)
        for edge in edges:
            place = self._base.relationships.place(edge.id)
            if place in patch.gone or not {*edge.parts} <= {place}:
                return None
            if place is None:
                new[edge.id] = edge
            else:
                changed[place] = edge
            by_hand[edge.hand[0].id] = edge.id
        return EdgePatch(patch.out, changed, new, patch.moved, by_hand, self)

    def drop(self, place: int) -> None:
        """Say that a relationship of the base is gone."""
        self._taken[place] = None

    def move(self, place: int, source: str, target: str) -> None:
        """Say what the ends of a relationship of the base are now; to be said after what was dropped."""
        old = self._base.triple(place)
        if source == target and old[0] != old[2]:
            self.drop(place)
            return
        triple = as_written(source, old[1], target)
        stays = triple in {old, as_written(*old)}
        own = self._base.relationships.ids[place]
        self._join(place, self._own(own, triple) if stays else self._named(triple))

    def state(self, relation: HandRelation) -> None:
        """Add what was stated by hand; to be said after what was dropped and moved."""
        if relation.id in self._edges:
            self._edges[relation.id].hand.append(relation)
            return
        known = self._base.stated.get(relation.id)
        if (
            known is None
            or known.hand[0] is not relation
            or any(place in self._taken for place in known.parts)
        ):
            known = self._stated(relation)
        for place in known.parts:
            self._taken[place] = known
        self._edges[relation.id] = self._edges[known.id] = known

    def _stated(self, relation: HandRelation) -> Edge:
        """Return a relationship that the base has as it is, or not at all, with what was stated."""
        triple = (relation.source, relation.type, relation.target)
        places = self._base.of(relation.id, triple)
        id_ = self._base.relationships.ids[places[0]] if places else relation.id
        free = [place for place in places if place not in self._taken]
        edge = self._base.edge(id_, triple)
        edge.parts, edge.hand = free, [relation]
        if len(free) == len(places):
            self._base.stated[relation.id] = edge
        return edge

    def draw(self, assertion: Asserted, source: str, target: str) -> None:
        """Add one piece of evidence from a relationship of the base that was dropped."""
        self._named(as_written(source, assertion.type, target)).drawn.append(assertion)

    def reweigh(self, triple: Triple, given: Reweigh) -> None:
        """Set weight and confidence of a relationship that is there."""
        edge = self._named(as_written(*triple))
        if not (edge.parts or edge.hand or edge.drawn):
            return
        weighed = replace(edge, reweigh=given, told=None)  # the other may be that of another memory, too
        for id_ in {edge.id, Relationship.make_id(*as_written(*triple))}:
            self._edges[id_] = weighed
        for place in edge.parts:
            self._taken[place] = weighed

    def _named(self, triple: Triple) -> Edge:
        """Return the relationship of a triple, with what the base has of it."""
        id_ = Relationship.make_id(*triple)
        if (known := self._edges.get(id_)) is not None:
            return known
        places = self._base.of(id_, triple)
        edge = self._own(self._base.relationships.ids[places[0]] if places else id_, triple)
        self._edges[id_] = edge
        for place in places:
            if place not in self._taken:
                self._join(place, edge)
        return edge

    def _own(self, id_: str, triple: Triple) -> Edge:
        if (known := self._edges.get(id_)) is None:
            known = self._edges[id_] = self._base.edge(id_, triple)
        return known

    def _join(self, place: int, edge: Edge) -> None:
        if place not in edge.parts:
            edge.parts.append(place)
        self._taken[place] = edge

    def patch(self) -> EdgePatch:
        """Return all that has been said."""
        changed: dict[int, Edge] = {}
        new: dict[str, Edge] = {}
        for edge in {
            edge.id: edge for edge in self._edges.values() if edge.parts or edge.hand or edge.drawn
        }.values():
            edge.parts.sort()
            place = self._base.relationships.place(edge.id)
            if place is None:
                new[edge.id] = edge
            else:
                changed[place] = edge
        out = sorted(place for place in self._taken if place not in changed)
        moved = {
            place: edge
            for place, edge in self._taken.items()
            if edge is not None and self._base.relationships.ids[place] != edge.id
        }
        by_hand = {one.id: edge.id for edge in self._edges.values() for one in edge.hand}
        return EdgePatch(
            np.array(out, dtype=np.int64),
            dict(sorted(changed.items())),
            dict(sorted(new.items())),
            moved,
            by_hand,
            self,
        )
