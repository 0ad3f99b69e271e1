"""Entities whose name, type or observations hold a text."""

import json
from typing import TYPE_CHECKING, Annotated

import numpy as np
from pydantic import AfterValidator, AliasChoices, Field

from corpusgraph.schemas.base import nfc
from corpusgraph.schemas.graph import Entity
from corpusgraph.schemas.ports import GraphView, Memory, Vectors
from corpusgraph.schemas.results import Noted, ToolInput, warned
from corpusgraph.tasks.graph.columnar import column_of, values_of
from corpusgraph.tasks.graph.compiled import compiled, per_graph
from corpusgraph.tasks.graph.names import BETWEEN, held_by
from corpusgraph.tasks.overlay.view import RememberedGraph
from corpusgraph.tasks.registry import tool
from corpusgraph.tasks.tools.memory._inputs import KnowledgeGraph, shown
from corpusgraph.tasks.tools.memory.create_entities import REFERENCE
from corpusgraph.tasks.tools.memory.open_nodes import relations_left_out

if TYPE_CHECKING:
    import polars as pl

_FIELDS = ("name", "type", "description", "attributes")


def holding(graph: GraphView, wanted: str) -> list[int]:
    """Return the entities that hold a text (without regard to case), in order."""
    wanted = wanted.casefold()
    if BETWEEN in wanted:
        return []
    if not isinstance(graph, RememberedGraph):
        return haystack(graph).str.contains(wanted, literal=True).arg_true().to_list()
    by_hand = [graph.node(id_) for id_, text in graph.held.items() if wanted in text]
    ids, below = (
        graph.base.entity_ids,
        haystack(graph.base.graph).str.contains(wanted, literal=True).arg_true(),
    )
    here = zip(below, graph.entity_rows.to_here[below.to_numpy()].tolist(), strict=True)
    return sorted([*by_hand, *(at for place, at in here if at >= 0 and ids[place] not in graph.held)])


@per_graph
def haystack(graph: GraphView) -> "pl.Series":
    """Return the texts of all entities of a graph that nothing is laid over."""
    import polars as pl

    places = np.arange(len(graph.entities))
    columns = [values for name in _FIELDS if (values := column_of(graph.entities, name, places)) is not None]
    if len(columns) < len(_FIELDS):
        return pl.Series([held_by(entity) for entity in graph.entities], dtype=pl.String)
    return pl.Series([_held(*row) for row in zip(*columns, strict=True)], dtype=pl.String)


def _held(name: str, type_: str | None, description: str | None, attributes: str | None) -> str:
    """Return what `held_by` does of an entity kept as columns; of few the attributes matter."""
    if attributes and ("observations" in attributes or "origin" in attributes):
        told = json.loads(attributes)
        return held_by(Entity(id=name, name=name, type=type_, description=description, attributes=told))
    return BETWEEN.join((name, type_ or "", *([description] if description else ()))).casefold()


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
    holding_it = _holding(ask.query, graph, memory)
    found = holding_it or (_by_words(ask, graph, vectors) if vectors is not None else [])
    by_words = f"No entity holds {ask.query!r}; {len(found)} share words with it (full-text search)."
    many = f"Shown are {ask.limit:,} of {len(found):,} entities that hold {ask.query!r}."
    part, left_out = shown(graph, found[: ask.limit], as_given=True)
    return Noted(
        data=part,
        warnings=(
            *warned("matched_by_words", by_words, when=found and not holding_it),
            *warned("graph_truncated", many, when=len(found) > ask.limit),
            *relations_left_out(left_out),
            *warned("nothing_found", f"No entity holds {ask.query!r}.", when=not found),
        ),
    )


def _holding(query: str, graph: GraphView, memory: Memory | None) -> list[int]:
    """Return the entities that hold the text: those by hand first, then those with it in their names."""
    found, wanted, ids = holding(graph, query), query.casefold(), compiled(graph).ids
    order = {id_: n for n, id_ in enumerate(memory.handled())} if memory is not None and found else {}
    names = values_of(graph.entities, "name", np.array(found, dtype=np.int64))
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
