"""The passages and entities a method ends with, derived from what it found where it ranked none itself."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from corpusgraph.schemas.documents import Chunk
from corpusgraph.schemas.errors import UnknownItemError
from corpusgraph.schemas.graph import Community, Entity, Relationship
from corpusgraph.schemas.ports import GraphView
from corpusgraph.schemas.results import Scored
from corpusgraph.tasks.graph.communities import chunks_of
from corpusgraph.tasks.graph.compiled import relationship_chunks
from corpusgraph.tasks.method.ports import bare
from corpusgraph.tasks.method.union import key_of
from corpusgraph.tasks.method.values import Held, along, holds, scored_in_order

SOURCES = ("relationships", "communities", "paths", "subgraph", "entities")
"""Ports that passages are derived from, in this order of preference."""


def passages_of(found: Mapping[str, Held], graph: GraphView | None) -> list[Scored[Chunk]]:
    """Return the final ranking of passages.

    The latest chunks that were found; else the chunks that state the latest relationships, that the latest
    communities' reports cite, or that mention the latest entities: each with the score of the best item that
    leads to it, those of one item in text order.
    """
    results = list(_flat(found))
    for held in reversed(results):
        if held.kind.port == "chunks" and held.value:
            return [
                Scored[Chunk](
                    item=bare(s), score=s.score, rank=rank, scorer=s.scorer, components=s.components
                )
                for rank, s in enumerate(held.value, start=1)
            ]
    if graph is None:
        return []
    for port in SOURCES:
        for held in reversed(results):
            if held.kind.port == port and holds(held.value):
                return _derived(_items(port, held.value, graph), graph, port)
    return []


def _flat(found: Mapping[str, Held]) -> Iterable[Held]:
    """Yield results; of a loop, what it collected."""
    for held in found.values():
        if held.kind.port == "loop":
            yield from (Held(held.value[name], kind) for name, kind in (held.kind.parts or {}).items())
        else:
            yield held


def _items(port: str, value: Any, graph: GraphView) -> Sequence[Any]:
    if port == "paths":
        return along(value, "relationships", graph) or along(value, "entities", graph)
    if port == "subgraph":
        return scored_in_order(value.edges or value.nodes, port)
    return list(value)


def _derived(items: Sequence[Any], graph: GraphView, scorer: str) -> list[Scored[Chunk]]:
    cited = _cited(graph) if scorer == "communities" else {}
    best: dict[str, tuple[Chunk, float]] = {}
    for scored in items:
        item = bare(scored)
        for chunk in _chunks(graph, cited.get(item.id) or _chunk_ids(item, graph)):
            best.setdefault(chunk.id, (chunk, float(scored.score)))
    return [
        Scored[Chunk](item=chunk, score=score, rank=rank, scorer=scorer)
        for rank, (chunk, score) in enumerate(best.values(), start=1)
    ]


def _cited(graph: GraphView) -> dict[str, list[str]]:
    """Return community id -> chunks that its report cites, in the report's order."""
    return {report.community_id: [f.chunk_id for f in report.findings] for report in graph.reports}


def _chunks(graph: GraphView, ids: Iterable[str]) -> Iterable[Chunk]:
    for id_ in ids:
        try:
            yield graph.chunk(id_)
        except UnknownItemError:  # a record made by the caller may cite what this index does not have
            continue


def _chunk_ids(item: Any, graph: GraphView) -> Iterable[str]:
    if isinstance(item, Relationship):
        return relationship_chunks(graph).get(item.id, ()) or item.chunk_ids or ()
    if isinstance(item, Community):
        found = _chunks(graph, sorted(chunks_of(graph, item)))
        return [chunk.id for chunk in sorted(found, key=lambda c: (c.source_doc, c.position, c.id))]
    if isinstance(item, Entity):
        return graph.entity_chunks().get(item.id, ())
    return ()


def entities_of(found: Mapping[str, Held]) -> list[Scored[Entity]]:
    """Return the latest entities that were found; a link counts as the entity it leads to."""
    for held in reversed(list(found.values())):
        if held.kind.port == "entities" and held.value:
            best: dict[str, Any] = {}
            for one in held.value:
                best.setdefault(key_of(one), one)
            return [
                Scored[Entity](item=bare(one), score=one.score, rank=rank, scorer=one.scorer)
                for rank, one in enumerate(best.values(), start=1)
            ]
    return []
