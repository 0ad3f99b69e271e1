"""Entities whose name, type or observations hold a text."""

from typing import Annotated

import numpy as np
from pydantic import AfterValidator, AliasChoices, Field

from corpusgraph.schemas.base import nfc
from corpusgraph.schemas.ports import GraphView, Memory, Vectors
from corpusgraph.schemas.results import Noted, ToolInput, ToolWarning
from corpusgraph.tasks._tool import tool
from corpusgraph.tasks.graph.compiled import compiled
from corpusgraph.tasks.memory._asked import warning
from corpusgraph.tasks.memory._columns import names_of
from corpusgraph.tasks.memory._holding import holding
from corpusgraph.tasks.memory._part import shown
from corpusgraph.tasks.memory._shapes import KnowledgeGraph
from corpusgraph.tasks.memory.create_entities import REFERENCE
from corpusgraph.tasks.memory.open_nodes import relations_left_out


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
    found, told = _holding(ask.query, graph, memory), []
    if vectors is not None and not found:
        found = _by_words(ask, graph, vectors)
        if found:
            message = f"No entity holds {ask.query!r}; {len(found)} share words with it (full-text search)."
            told.append(warning("matched_by_words", message))
    if len(found) > ask.limit:
        message = f"Shown are {ask.limit:,} of {len(found):,} entities that hold {ask.query!r}."
        told.append(warning("graph_truncated", message))
    part, left_out = shown(graph, found[: ask.limit], as_given=True)
    return Noted(data=part, warnings=(*told, *relations_left_out(left_out), *_nothing(ask, found)))


def _holding(query: str, graph: GraphView, memory: Memory | None) -> list[int]:
    """Return the entities that hold the text: those by hand first, then those with it in their names."""
    found, wanted, ids = holding(graph, query), query.casefold(), compiled(graph).ids
    order = {id_: n for n, id_ in enumerate(memory.handled())} if memory is not None and found else {}
    names = names_of(graph, np.array(found, dtype=np.int64))
    keys = []
    for at, name in zip(found, names, strict=True):
        by_hand = order.get(ids[at])
        keys.append((by_hand is None, wanted not in name.casefold(), by_hand or 0, at))
    return [key[-1] for key in sorted(keys)]


def _by_words(ask: SearchNodes, graph: GraphView, vectors: Vectors) -> list[int]:
    if not ask.query.strip():
        return []
    ids = compiled(graph).ids
    places = (ids.find(id_) for id_, _ in vectors.match("entity", ask.query, ask.limit))
    return [at for at in places if at is not None]


def _nothing(ask: SearchNodes, found: list[int]) -> tuple[ToolWarning, ...]:
    return () if found else (warning("nothing_found", f"No entity holds {ask.query!r}."),)
