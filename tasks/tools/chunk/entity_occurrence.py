"""Tool 14: rank chunks by the entities that occur in them."""

from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Annotated, Literal

import numpy as np
from pydantic import Field, PositiveInt, model_validator

from corpusgraph.schemas.documents import Chunk
from corpusgraph.schemas.errors import InvalidInputError, MissingAttributeError
from corpusgraph.schemas.ports import GraphView
from corpusgraph.schemas.results import Scored, ToolInput
from corpusgraph.tasks.graph.compiled import (
    chunk_ids,
    compiled,
    edge_of,
    mentions,
    neighbours_at,
    node_of,
    spread,
)
from corpusgraph.tasks.graph.inputs import EntityRefs, RelationshipRefs, TopK, resolved
from corpusgraph.tasks.graph.ranking import leading, ranked, then
from corpusgraph.tasks.registry import Reads, tool

Counted = Iterator[tuple[str, float, Mapping[str, float]]]
"""Chunk id, score, and what the score is made of."""
Method = Literal["relationship_endpoints", "entity_order", "cooccurrence"]


class ChunkEntityOccurrence(ToolInput):
    """Which entities, or relationships between them, and what counts."""

    entities: Annotated[EntityRefs | None, Reads("entities")] = Field(
        None, description="entities by id, short id or name"
    )
    min_entities: PositiveInt = Field(2, description="of method cooccurrence: distinct entities in a chunk")
    top_k: TopK = 10
    relationships: Annotated[RelationshipRefs | None, Reads("relationships")] = Field(
        None, description="relationships by id or short id"
    )
    method: Method | None = Field(
        None,
        description="relationship_endpoints (unless given, where relationships are): how many relationships "
        "have both ends in the chunk; cooccurrence (unless given, otherwise): how many of the entities; "
        "entity_order: chunks of the first entity first, then how many of its neighbours",
    )

    @model_validator(mode="after")
    def _has_what_its_method_counts(self) -> "ChunkEntityOccurrence":
        counted = "relationships" if self.counting == "relationship_endpoints" else "entities"
        if getattr(self, counted) is None:
            raise ValueError(f"method {self.counting} needs {counted}")
        return self

    @property
    def counting(self) -> Method:
        """The method that counts."""
        return self.method or ("relationship_endpoints" if self.relationships else "cooccurrence")


@tool(
    14,
    writes="chunks",
    needs={"Entity.id", "Chunk.entities"},
    optional={"Relationship.source_id", "Relationship.target_id"},
    adds={"Scored.score", "Scored.components.entities", "Scored.components.mentions"},
    cite="Zhou et al. 2025, arXiv:2503.04338, operator Chunk.Occurrence; Edge et al. 2024, arXiv:2404.16130",
    aliases=("T62",),
)
def chunk_entity_occurrence(ask: ChunkEntityOccurrence, graph: GraphView) -> list[Scored[Chunk]]:
    """Rank chunks by what occurs in them together: entities, or both ends of relationships."""
    if not len(mentions(graph).item):
        raise MissingAttributeError(
            "The graph does not tell which chunk mentions which entity.", hint="It needs Chunk.entities."
        )
    counters = {
        "relationship_endpoints": _relationship_endpoints,
        "entity_order": _entity_order,
        "cooccurrence": _cooccurrence,
    }
    found = {chunk: (score, parts) for chunk, score, parts in counters[ask.counting](ask, graph)}
    order = leading({chunk: score for chunk, (score, _) in found.items()}, ask.top_k)
    return ranked(((graph.chunk(chunk), score, found[chunk][1]) for chunk, score in order), ask.counting)


def _relationship_endpoints(ask: ChunkEntityOccurrence, graph: GraphView) -> Counted:
    arrays, lists, ids = compiled(graph), mentions(graph), chunk_ids(graph)
    counts: Counter[int] = Counter()
    for edge in dict.fromkeys(edge_of(graph, ref) for ref in ask.relationships or ()):
        one, other = (lists.item[lists.of(int(end[edge]))] for end in (arrays.source, arrays.target))
        counts.update(np.intersect1d(one, other, assume_unique=True).tolist())
    for chunk, count in counts.items():
        yield ids[chunk], count, {"relationships": count}


def _entity_order(ask: ChunkEntityOccurrence, graph: GraphView) -> Counted:
    """Score by the first entity in a chunk, then by how many of its neighbours are in the chunk too."""
    arrays, lists, chunks = compiled(graph), mentions(graph), chunk_ids(graph)
    nodes = list(dict.fromkeys(node_of(graph, ref) for ref in ask.entities or ()))
    seen: set[int] = set()
    for place, node in enumerate(nodes):
        near = lists.item[spread(lists.start, neighbours_at(arrays, node))[0]]
        links = np.bincount(near, minlength=len(chunks))
        for chunk in lists.item[lists.of(node)].tolist():
            if chunk not in seen:
                seen.add(chunk)
                count = int(links[chunk])
                score = then(len(nodes) - place, count)
                yield chunks[chunk], score, {"entity_rank": place + 1, "neighbours": count}


def _cooccurrence(ask: ChunkEntityOccurrence, graph: GraphView) -> Counted:
    """Score by how many of the entities are in a chunk, then by how often."""
    entities, mentions = resolved(graph, ask.entities or ()), graph.mention_counts()
    if ask.min_entities > len(entities):
        raise InvalidInputError(
            f"No chunk can hold {ask.min_entities} of {len(entities)} entities.", hint="Lower min_entities."
        )
    inside: dict[str, list[int]] = {}
    for entity in entities:
        for chunk_id, count in mentions[entity.id].items():
            inside.setdefault(chunk_id, []).append(count)
    for chunk_id, counts in inside.items():
        if len(counts) >= ask.min_entities:
            parts = {"entities": len(counts), "mentions": sum(counts)}
            yield chunk_id, then(len(counts), sum(counts)), parts
