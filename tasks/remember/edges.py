"""Relationships as a base has them and as a memory lays them over it: a source, a type and a target.

Where entities were taken for one, relationships that then
have the same three are one, with the evidence of all; one of an entity to itself that comes of this is gone,
one that an entity had with itself before stays.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from corpusgraph.schemas.graph import DENIED, Relationship
from corpusgraph.schemas.memory import Reweigh
from corpusgraph.schemas.ports import Ints
from corpusgraph.tasks.graph.arrays import CompiledGraph
from corpusgraph.tasks.index.aggregate import micro
from corpusgraph.tasks.remember.rows import Finder
from corpusgraph.tasks.remember.splits import Asserted
from corpusgraph.tasks.remember.state import HandRelation, Triple

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
