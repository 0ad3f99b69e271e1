"""The edges of one graph of entities and passages."""

import math
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import chain

from corpusgraph.schemas.graph import Entity
from corpusgraph.schemas.ports import GraphView
from corpusgraph.tasks._steps import counted
from corpusgraph.tasks.graph.linking import is_proper
from corpusgraph.tasks.graph.synonyms import contained_pairs, synonym_pairs
from corpusgraph.tasks.graph.words import words

CO_OCCURRENCE = "co_occurs_with"
VALUES = frozenset({"date", "quantity"})
MANY = 50_000
"""Names beyond which none are compared: that would take more than some seconds."""
LEAST = 1e-9
"""Weight of an edge that is one at all."""
Edge = tuple[int, int, float]

QUALIFIER = re.compile(r"\s*\([^()]*\)$")


@dataclass(frozen=True)
class EdgeWeights:
    """What each kind of edge weighs, beside 1 for a name's mention in a passage; 0 leaves the kind out."""

    relation: float = 0.5
    """Between the ends of a relationship."""
    co_occurrence: float = 0.0
    """Between names of one sentence: that is no relation, and the passage already says so."""
    own_page: float = 4.0
    """From an entity to the document titled after it."""
    title: float = 1.0
    """From an entity to the one its document is titled after."""
    held_name: float = 1.0
    """From "Eastern Uganda" to "Uganda", times the share of the words."""
    synonym: float = 1.0
    """Between names of like spelling ("Austria", "Austrian"), times their cosine; see MANY."""
    common_noun: float = 0.1
    """Of what leads to a common noun: nouns are everywhere and lead astray."""
    repeats: bool = True
    """A passage that names an entity n times counts 1 + ln n."""


class PassageEdges:
    """Reads a graph once: what its entities are worth and where they are."""

    def __init__(self, graph: GraphView, titles: Mapping[str, str], weights: EdgeWeights) -> None:
        self._graph, self._titles, self._weights = graph, titles, weights
        entities = enumerate(counted(graph.entities, "passage graph: entities read"))
        self.at = {entity.id: i for i, entity in entities}
        self.proper = {entity.id: is_proper(entity) for entity in graph.entities}
        self._worth = {id_: 1.0 if proper else weights.common_noun for id_, proper in self.proper.items()}
        self._names = {entity.id: entity.name for entity in graph.entities}

    def __iter__(self) -> Iterator[Edge]:
        """Yield edges without direction: entities by place, passages after them; weights above 0."""
        every = chain(self._mentions(), self._relations(), self._held(), self._synonyms())
        return (edge for edge in every if edge[2] > LEAST)

    def _mentions(self) -> Iterator[Edge]:
        """Yield edges between entities and the chunks they are in, and the entity the document is about."""
        chunks_read = counted(self._graph.chunks, "passage graph: passages read")
        inside: dict[str, dict[str, int]] = {chunk.id: {} for chunk in chunks_read}
        every = self._graph.mention_counts()  # walked over: asking for one entity after another is far slower
        for entity_id, counts in counted(every.items(), "passage graph: entities", every=256):
            for chunk_id, count in counts.items():
                inside[chunk_id][entity_id] = count
        chunks_of = counted(self._graph.chunks, "passage graph: passages", every=256)
        for place, chunk in enumerate(chunks_of, start=len(self.at)):
            title = self._titles.get(chunk.source_doc, "")
            about = titled(title, {id_: self._names[id_] for id_ in inside[chunk.id]}) if title else set()
            for id_, count in inside[chunk.id].items():
                own = self._weights.own_page if id_ in about else 1.0
                said = count if self._weights.repeats else 1
                yield self.at[id_], place, own * self._worth[id_] * (1 + math.log(max(1, said)))
                for title_id in sorted(about - {id_}):
                    yield self.at[id_], self.at[title_id], self._weights.title * self._worth[id_]

    def _relations(self) -> Iterator[Edge]:
        for r in counted(self._graph.relationships, "passage graph: relationships"):
            if not r.is_stated:
                continue
            kind = self._weights.co_occurrence if r.type == CO_OCCURRENCE else self._weights.relation
            worth = self._worth[r.source_id] * self._worth[r.target_id]
            yield self.at[r.source_id], self.at[r.target_id], kind * worth

    def _held(self) -> Iterator[Edge]:
        """Yield edges from names to the names they hold; a person's first or last name alone is nobody's."""
        if not self._weights.held_name:
            return
        entities = self._graph.entities
        for place, held, share in contained_pairs([self._proper_name(entity) for entity in entities]):
            if entities[held].type != "person" or len(words(entities[held].name)) > 1:
                yield place, held, self._weights.held_name * share

    def _synonyms(self) -> Iterator[Edge]:
        compared = [e for e in self._graph.entities if self.proper[e.id] and e.type not in VALUES]
        if not self._weights.synonym or len(compared) > MANY:
            return
        places = [self.at[entity.id] for entity in compared]
        for pair in synonym_pairs([entity.name for entity in compared]):
            yield places[pair.one], places[pair.other], self._weights.synonym * pair.score

    def _proper_name(self, entity: Entity) -> str:
        return entity.name if self.proper[entity.id] else ""


def titled(title: str, names: Mapping[str, str]) -> set[str]:
    """Return the entities a document is titled after: those called so, or so but for the parenthesis."""
    whole, short = words(title), words(QUALIFIER.sub("", title))
    if not whole:
        return set()
    exact = {id_ for id_, name in names.items() if words(name) == whole}
    return exact or {id_ for id_, name in names.items() if words(QUALIFIER.sub("", name)) == short}
