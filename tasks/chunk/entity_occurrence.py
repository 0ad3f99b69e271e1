"""Tool 14: rank chunks by the entities that occur in them."""

from collections.abc import Iterator
from typing import Annotated, Literal

from pydantic import Field, PositiveInt, model_validator

from corpusgraph.schemas.documents import Chunk
from corpusgraph.schemas.errors import InvalidInputError, MissingAttributeError
from corpusgraph.schemas.ports import GraphView
from corpusgraph.schemas.results import Scored, ToolInput
from corpusgraph.tasks._tool import Reads, tool
from corpusgraph.tasks.graph.compiled import neighbours
from corpusgraph.tasks.graph.inputs import EntityRefs, RelationshipRefs, TopK, resolved
from corpusgraph.tasks.graph.ranking import Row, ranked, then

Method = Literal["relationship_endpoints", "entity_order", "cooccurrence"]


class ChunkEntityOccurrence(ToolInput):
    """Which entities, or relationships between them, and what counts."""

    entities: Annotated[EntityRefs | None, Reads("entities")] = None
    min_entities: PositiveInt = Field(2, description="of method cooccurrence: distinct entities in a chunk")
    top_k: TopK = 10
    relationships: Annotated[RelationshipRefs | None, Reads("relationships")] = None
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
    if not any(graph.entity_chunks().values()):
        raise MissingAttributeError(
            "The graph does not tell which chunk mentions which entity.", hint="It needs Chunk.entities."
        )
    counters = {
        "relationship_endpoints": _relationship_endpoints,
        "entity_order": _entity_order,
        "cooccurrence": _cooccurrence,
    }
    return ranked(counters[ask.counting](ask, graph), ask.counting, ask.top_k)


def _relationship_endpoints(ask: ChunkEntityOccurrence, graph: GraphView) -> Iterator[Row[Chunk]]:
    chunks, counts = graph.entity_chunks(), dict[str, int]()
    for id_ in dict.fromkeys(graph.relationship(ref).id for ref in ask.relationships or ()):
        relationship = graph.relationship(id_)
        target_chunks = set(chunks[relationship.target_id])
        for chunk_id in chunks[relationship.source_id]:
            if chunk_id in target_chunks:
                counts[chunk_id] = counts.get(chunk_id, 0) + 1
    for chunk_id, count in counts.items():
        yield graph.chunk(chunk_id), count, {"relationships": count}


def _entity_order(ask: ChunkEntityOccurrence, graph: GraphView) -> Iterator[Row[Chunk]]:
    """Score by the first entity in a chunk, then by how many of its neighbours are in the chunk too."""
    entities, chunks = resolved(graph, ask.entities or ()), graph.entity_chunks()
    seen: set[str] = set()
    for place, entity in enumerate(entities):
        near = [set(chunks[id_]) for id_ in sorted(neighbours(graph, entity.id))]
        for chunk_id in chunks[entity.id]:
            if chunk_id not in seen:
                seen.add(chunk_id)
                links = sum(chunk_id in theirs for theirs in near)
                score = then(len(entities) - place, links)
                yield graph.chunk(chunk_id), score, {"entity_rank": place + 1, "neighbours": links}


def _cooccurrence(ask: ChunkEntityOccurrence, graph: GraphView) -> Iterator[Row[Chunk]]:
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
            yield graph.chunk(chunk_id), then(len(counts), sum(counts)), parts
