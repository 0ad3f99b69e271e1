"""What a memory is laid over: a graph, where its items are, and what its corpus says of an entity."""

from collections.abc import Callable, Iterable, Sequence
from functools import cached_property
from typing import NamedTuple

import numpy as np

from corpusgraph.schemas.graph import DENIED, Entity, Relationship
from corpusgraph.schemas.ports import Floats, GraphView, Ints
from corpusgraph.tasks.build.aggregate import as_written
from corpusgraph.tasks.graph import compiled as arrays
from corpusgraph.tasks.graph.columnar import values_of
from corpusgraph.tasks.graph.names import EntityNames, grouped, naming

MOST = 50_000
"""Texts with a vector that are kept: a server may run for months."""
Triple = tuple[str, str, str]
"""Source, type, target."""


class Mentioned(NamedTuple):
    """A mention in the corpus, and the entity that it was resolved to."""

    id: str
    entity_id: str
    document_id: str
    chunk_id: str
    start: int
    end: int
    surface: str
    name: str
    confidence: float


class Asserted(NamedTuple):
    """An assertion in the corpus, and the relationship that it is evidence for."""

    id: str
    relationship_id: str
    source_mention: str
    target_mention: str
    source_id: str
    target_id: str
    type: str
    confidence: float
    is_causal: bool
    negated: bool
    chunk_id: str
    description: str


class EntityEvidence(NamedTuple):
    """What the corpus says of some entities."""

    mentions: Sequence[Mentioned]
    assertions: Sequence[Asserted]


ReadEvidence = Callable[[frozenset[str]], EntityEvidence]
"""Reads the mentions of some entities, and the assertions of which these are ends."""


class Base:
    """A graph that memories are laid over, one after another; what does not depend on them is kept here."""

    def __init__(self, graph: GraphView, read_evidence: ReadEvidence | None = None) -> None:
        self.graph, self._read_evidence = graph, read_evidence
        self._evidence: dict[str, EntityEvidence] = {}
        self.embedded: dict[str, Floats] = arrays.Latest(MOST)
        """Unit vectors by text, of what is not in the graph or reads otherwise there."""

    @cached_property
    def nodes(self) -> arrays.CompiledGraph:
        """Nodes and edges."""
        return arrays.compiled(self.graph)

    @cached_property
    def relationship_ids(self) -> list[str]:
        """Ids of the relationships, in order."""
        return list(arrays.relationship_ids(self.graph))

    @cached_property
    def chunk_ids(self) -> list[str]:
        """Ids of the chunks, in order."""
        return list(arrays.chunk_ids(self.graph))

    @cached_property
    def names(self) -> EntityNames:
        """What the entities are called; a graph that keeps that itself is asked."""
        if isinstance(own := getattr(self.graph, "names", None), EntityNames):
            return own
        entities = self.graph.entities
        return EntityNames(arrays.Ids(tuple(e.id for e in entities)), entities, lambda: naming(entities))

    def place(self, id_: str) -> int | None:
        """Return the place of an entity, or None."""
        return self.nodes.ids.find(id_)

    def edge_place(self, id_: str) -> int | None:
        """Return the place of a relationship, or None."""
        return arrays.relationship_ids(self.graph).find(id_)

    def entity(self, id_: str) -> Entity | None:
        """Return an entity, or None."""
        place = self.place(id_)
        return None if place is None else self.graph.entities[place]

    def ends(self, place: int) -> tuple[str, str]:
        """Return the ids of source and target of a relationship."""
        nodes = self.nodes
        return nodes.ids[int(nodes.source[place])], nodes.ids[int(nodes.target[place])]

    def triple(self, place: int) -> Triple:
        """Return source, type and target; of one that is only denied, as its id has it, the type denied."""
        source, target = self.ends(place)
        type_ = self.nodes.types[place]
        denied = as_written(source, type_.removeprefix(DENIED), target)
        is_by_denied = self.relationship_ids[place] == Relationship.make_id(*denied)
        return denied if is_by_denied else as_written(source, type_, target)

    def edges_at(self, id_: str) -> list[int]:
        """Return the places of the relationships of an entity, in order."""
        node = self.place(id_)
        places: list[int] = [] if node is None else self.nodes.edges_of(node, denied=True).tolist()
        return places

    def edges_of(self, triple: Triple) -> list[int]:
        """Return the places of what says a triple: one or none, but in a graph made elsewhere."""
        id_ = Relationship.make_id(*triple)
        place = self.edge_place(id_)
        return self.made_ids.get(id_, []) if place is None else [place]

    @cached_property
    def made_ids(self) -> dict[str, list[int]]:
        """Return the id that indexing would give -> places, in a graph made elsewhere; of others nothing."""
        n, ids = len(self.nodes.source), arrays.relationship_ids(self.graph)
        if all(ids[at] == Relationship.make_id(*self.triple(at)) for at in range(0, n, max(1, n // 4))):
            return {}
        return grouped((Relationship.make_id(*self.triple(at)), at) for at in range(n))

    def read(self, entities: Iterable[str]) -> None:
        """Read what the corpus says of some entities, in one go."""
        missing = frozenset(id_ for id_ in entities if id_ not in self._evidence)
        rows = self._read_evidence(missing) if missing and self._read_evidence else EntityEvidence((), ())
        mentions = grouped((one.entity_id, one) for one in rows.mentions)
        assertions = grouped((end, one) for one in rows.assertions for end in {one.source_id, one.target_id})
        self._evidence |= {
            id_: EntityEvidence(mentions.get(id_, ()), assertions.get(id_, ())) for id_ in missing
        }

    def evidence(self, id_: str) -> EntityEvidence:
        """Return what the corpus says of an entity."""
        self.read((id_,))
        return self._evidence[id_]

    @cached_property
    def text_order(self) -> tuple[Ints, list[str]]:
        """Return the rank of each chunk by document, position and id (n,), and the documents in order."""
        documents, positions = (values_of(self.graph.chunks, name) for name in ("source_doc", "position"))
        order = sorted(range(len(documents)), key=lambda at: (documents[at], positions[at], at))
        rank = np.empty(len(order), dtype=np.int64)
        rank[order] = np.arange(len(order))
        return rank, [documents[at] for at in order]
