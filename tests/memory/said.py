"""A corpus of statements, made by hand."""

from collections.abc import Sequence
from typing import Any

from corpusgraph.schemas.evidence import Assertion, Mention
from corpusgraph.schemas.graph import Entity, Relationship
from corpusgraph.tasks.graph.view import MemoryGraph
from corpusgraph.tasks.overlay.memory import ScratchMemory


def said(
    number: int,
    document: str = "d1",
    confidence: float = 0.5,
    extractor: str = "rules/1",
    *,
    negated: bool = False,
    ends: tuple[str, str] = ("a", "b"),
    type_: str = "causes",
    cue: str | None = None,
) -> Assertion:
    """Return a statement; its mentions are called after the entities they mean."""
    return Assertion(
        id=f"asr_{number}",
        document_id=document,
        chunk_id="c",
        start=0,
        end=1,
        sentence_start=0,
        sentence_end=1,
        extractor=extractor,
        confidence=confidence,
        source_mention=ends[0],
        target_mention=ends[1],
        source=ends[0],
        target=ends[1],
        type=type_,
        negated=negated,
        cue=cue,
        description="",
    )


class Statements:
    """The part of a Corpus that is about statements."""

    def __init__(self, assertions: Sequence[Assertion], graph: MemoryGraph) -> None:
        self.assertions, self.graph = assertions, graph
        self.documents: Sequence[Any] = ()
        self.mentions: Sequence[Mention] = ()
        self.claims = self.arguments = self.events = ()

    def entity_of(self, mention_id: str) -> str | None:
        return mention_id


def related(*triples: tuple[str, str, str], **more: Any) -> MemoryGraph:
    """Return a graph of relationships with the ids that indexing gives."""
    edges = [
        Relationship(
            id=Relationship.make_id(a, type_.removeprefix("not_"), b),
            source_id=a,
            target_id=b,
            type=type_,
            **more,
        )
        for a, type_, b in triples
    ]
    names = sorted({end for a, _, b in triples for end in (a, b)})
    return MemoryGraph([Entity(id=name, name=name.upper()) for name in names], edges)


def ports(graph: MemoryGraph, assertions: Sequence[Assertion] = ()) -> dict[str, Any]:
    return {"graph": graph, "corpus": Statements(assertions, graph), "memory": ScratchMemory(graph)}
