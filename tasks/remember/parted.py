"""Relationships that splits have parted, by what they are now."""

from collections import defaultdict
from dataclasses import dataclass, field

from corpusgraph.schemas.graph import DENIED, Relationship
from corpusgraph.schemas.ports import GraphView
from corpusgraph.tasks.graph.compiled import compiled
from corpusgraph.tasks.remember.operations import ordered, triple_id
from corpusgraph.tasks.remember.splits import Asserted, Splits, Telling, Told, splits
from corpusgraph.tasks.remember.state import MemoryState, Triple
from corpusgraph.tasks.remember.triples import Triples, triple_of


@dataclass
class PartedEvidence:
    """What the corpus says of relationships with evidence that went to another entity."""

    out: set[str] = field(default_factory=set)
    """Relationships of the corpus that are counted one piece of evidence at a time."""
    now: dict[str, Triple] = field(default_factory=dict)
    """Relationship that some of this evidence is for -> its ends, and its type."""
    said: defaultdict[str, list[Relationship]] = field(default_factory=lambda: defaultdict(list))
    """The same -> each piece as a relationship of its own."""


class Parting:
    """Parts the relationships of a graph; again only after a merge, split, deletion or removal."""

    def __init__(self, graph: GraphView, triples: Triples, telling: Telling | None) -> None:
        self._graph, self._triples = graph, triples
        self._telling: Telling = telling or (lambda _: Told((), ()))
        self._state: MemoryState | None = None
        self._n = 0
        self._found = PartedEvidence()

    def of(self, state: MemoryState) -> PartedEvidence:
        """Return what the splits of a state part."""
        if self._state is not state or self._n != len(state.steps):
            self._found = self._parted(splits(state, self._telling, self._bare))
            self._state, self._n = state, len(state.steps)
        return self._found

    def _parted(self, made: Splits) -> PartedEvidence:
        found = PartedEvidence()
        for one in made.assertions:
            found.out.add(one.relationship_id)
            if one.id in made.ends:
                source, target = made.ends[one.id]
                _say(found, (source, one.type, target), _single(one, source, target))
        for id_, ends in made.chosen.items():
            found.out.add(id_)
            whole = self._triples.known(id_)
            if whole is not None and ends is not None:
                _say(found, (ends[0], triple_of(whole)[1], ends[1]), whole)
        return found

    def _bare(self, entities: frozenset[str]) -> list[tuple[str, Triple]]:
        nodes = compiled(self._graph)
        places = (at for id_ in sorted(entities) if (at := nodes.ids.find(id_)) is not None)
        edges = dict.fromkeys(edge for at in places for edge in nodes.edges_of(at, denied=True).tolist())
        whole = (self._graph.relationships[edge] for edge in edges)
        return [(one.id, triple_of(one)) for one in whole]


def _say(found: PartedEvidence, triple: Triple, piece: Relationship) -> None:
    ends = ordered(*triple)
    found.now[triple_id(ends)] = ends
    found.said[triple_id(ends)].append(piece)


def _single(one: Asserted, source: str, target: str) -> Relationship:
    return Relationship(
        id=triple_id(ordered(source, one.type, target)),
        source_id=source,
        target_id=target,
        type=f"{DENIED}{one.type}" if one.negated else one.type,
        weight=one.confidence,
        confidence=one.confidence,
        is_causal=one.is_causal and not one.negated,
        negated_weight=one.confidence if one.negated else 0.0,
        n_evidence=1,
    )
