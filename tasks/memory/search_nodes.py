"""Entities whose name, type or observations hold a text."""

from typing import Annotated

from pydantic import AfterValidator, AliasChoices, Field

from corpusgraph.schemas.base import nfc
from corpusgraph.schemas.graph import Entity
from corpusgraph.schemas.ports import GraphView, Memory, Vectors
from corpusgraph.schemas.results import Noted, ToolInput, ToolWarning
from corpusgraph.tasks._tool import tool
from corpusgraph.tasks.graph.compiled import compiled
from corpusgraph.tasks.memory._asked import warning
from corpusgraph.tasks.memory._part import shown
from corpusgraph.tasks.memory._shapes import KnowledgeGraph, observations_of
from corpusgraph.tasks.memory.create_entities import REFERENCE
from corpusgraph.tasks.memory.open_nodes import relations_left_out
from corpusgraph.tasks.memory.read_graph import by_hand

SCANNED = 50_000
"""Entities whose texts are read one by one; beyond, only what was added by hand is."""


class SearchNodes(ToolInput):
    """What to look for."""

    query: Annotated[str, AfterValidator(nfc)] = Field(
        max_length=2048, description="part of a name, a type or an observation, in any case of letters"
    )
    limit: int = Field(
        100,
        ge=1,
        le=10_000,
        validation_alias=AliasChoices("limit", "top_k", "maxResults"),
        description="entities at most; more than this is told in a warning",
    )


@tool(
    writes="memory",
    needs={"Entity.id", "Relationship.source_id", "Relationship.target_id"},
    optional={"Entity.name", "Entity.type", "Entity.description", "Entity.attributes", "Relationship.type"},
    cite=REFERENCE,
)
def search_nodes(
    ask: SearchNodes, graph: GraphView, vectors: Vectors | None, memory: Memory | None
) -> Noted[KnowledgeGraph]:
    """Return the entities that hold a text, with their relations; without any, those that share its words."""
    wanted = ask.query.casefold()
    found, told = _holding(wanted, graph, memory), []
    if vectors is not None and (not found or len(graph.entities) > SCANNED):
        words = [at for at in _by_words(ask, graph, vectors) if at not in found]
        if words:
            message = f"{len(words)} of the entities share words with {ask.query!r} (full-text search)."
            told.append(warning("matched_by_words", message))
        found += words
    if len(found) > ask.limit:
        message = f"Shown are {ask.limit:,} of {len(found):,} entities that hold {ask.query!r}."
        told.append(warning("graph_truncated", message))
    part, left_out = shown(graph, found[: ask.limit], as_given=True)
    return Noted(data=part, warnings=(*told, *relations_left_out(left_out), *_nothing(ask, found)))


def _holding(wanted: str, graph: GraphView, memory: Memory | None) -> list[int]:
    """Return the entities that hold the text: those by hand first, then those with it in their names."""
    hand = by_hand(graph, memory)
    rest = range(len(graph.entities)) if len(graph.entities) <= SCANNED else ()
    entities = graph.entities
    held = [at for at in dict.fromkeys((*hand, *rest)) if _holds(entities[at], wanted)]
    first = set(hand)
    return sorted(held, key=lambda at: (at not in first, wanted not in entities[at].name.casefold()))


def _holds(entity: Entity, wanted: str) -> bool:
    texts = (entity.name, entity.type or "", *observations_of(entity))
    return any(wanted in text.casefold() for text in texts)


def _by_words(ask: SearchNodes, graph: GraphView, vectors: Vectors) -> list[int]:
    if not ask.query.strip():
        return []
    ids = compiled(graph).ids
    places = (ids.find(id_) for id_, _ in vectors.match("entity", ask.query, ask.limit))
    return [at for at in places if at is not None]


def _nothing(ask: SearchNodes, found: list[int]) -> tuple[ToolWarning, ...]:
    return () if found else (warning("nothing_found", f"No entity holds {ask.query!r}."),)
