"""Relationships as they are once a memory is laid over a graph."""

from collections.abc import Sequence
from heapq import nsmallest
from math import fsum

from corpusgraph.schemas.base import JsonDict
from corpusgraph.schemas.graph import Relationship
from corpusgraph.schemas.memory import STATED
from corpusgraph.schemas.ports import Ints
from corpusgraph.tasks.index.aggregate import MAX_CHUNKS, MAX_KEYWORDS, doubt, noisy_or
from corpusgraph.tasks.remember.base import Base
from corpusgraph.tasks.remember.edges import Edge, measured
from corpusgraph.tasks.remember.evidence import ORIGIN, Written
from corpusgraph.tasks.remember.layout import Layout
from corpusgraph.tasks.remember.papers import Papers


class EdgeNouns:
    """Makes relationships: those of the base as they are now, and those that it does not have."""

    def __init__(self, layout: Layout) -> None:
        self._layout = layout

    def touched(self) -> Ints:
        """Return the places of the base whose relationships are others here, in order."""
        return self._layout.patch.places

    def now(self, place: int, noun: Relationship) -> Relationship:
        """Return a relationship of the base as it is now."""
        edge = self._layout.patch.changed.get(place)
        return noun if edge is None else relationship(self._layout.base, edge, self._layout.papers)

    def made(self, id_: str) -> Relationship:
        """Return a relationship that the base does not have."""
        layout = self._layout
        return relationship(layout.base, layout.patch.new[id_], layout.papers)


def relationship(base: Base, edge: Edge, papers: Papers) -> Relationship:
    """Return a relationship that is new or has changed; the same one while it rests on the same."""
    paper = papers.of(edge.hand[0].source) if edge.hand else None
    key = (
        edge.source,
        edge.type,
        edge.target,
        tuple(edge.parts),
        tuple(edge.hand),
        tuple(edge.drawn),
        edge.reweigh,
        paper,
    )
    known = base.related.get(edge.id)
    if known is not None and known[0] == key:  # quick: what did not change is the same object
        return known[1]
    found = _derived(base, edge, paper)
    base.related[edge.id] = key, found
    return found


def _derived(base: Base, edge: Edge, paper: Written | None) -> Relationship:
    """Return a relationship as indexing would derive it from all its evidence."""
    parts = [base.graph.relationships[place] for place in edge.parts]
    ours = _Evidence(base, edge, parts, paper)
    own = base.relationships.place(edge.id)
    type_, weight, _ = measured(base.edges, edge)
    confidence = edge.reweigh.confidence if edge.reweigh else None
    told: JsonDict = {
        "source_id": edge.source,
        "target_id": edge.target,
        "type": type_,
        "weight": weight,
        "confidence": ours.confidence() if confidence is None else confidence,
        "is_causal": ours.is_causal(),
        "negated_weight": ours.negated_weight(),
        "description": ours.description(),
        "keywords": _keywords(parts, [evidence.cue for evidence in ours.said]),
        "attributes": _attributes(parts, edge, ours.has_paper),
        "n_evidence": ours.count(),
        "chunk_ids": tuple(nsmallest(MAX_CHUNKS, ours.chunk_ids())),
    }
    if own is not None:
        return base.graph.relationships[own].model_copy(update=told)
    numbers = [*(one.short_id for one in edge.hand), *(part.short_id for part in parts)]
    return Relationship(id=edge.id, short_id=next(iter(numbers), None), **told)


class _Evidence:
    """All that a relationship rests on: relationships of the base, single assertions, statements."""

    def __init__(self, base: Base, edge: Edge, parts: Sequence[Relationship], paper: Written | None) -> None:
        self._edge, self._parts = edge, parts
        self.said = [evidence for relation in edge.hand for evidence in relation.evidence]
        self._asserted = [
            part for place, part in zip(edge.parts, parts, strict=True) if base.edges.nodes.is_stated[place]
        ]
        self._drawn = [one for one in edge.drawn if not one.negated]
        self._stands = bool(self._asserted or self._drawn or self.said)
        self._counting = self._asserted if self._stands else list(parts)
        self._single = self._drawn if self._stands else edge.drawn
        self.has_paper = paper is not None
        ids = {relation.id for relation in edge.hand}
        self._lines = [c for c in (paper.chunks if paper else ()) if ids & set(c.relationships or ())]

    def confidence(self) -> float:
        """Join confidences as indexing does, to a millionth, from those of the parts and what was stated."""
        known = [part.confidence for part in self._counting]
        more = [*(one.confidence for one in self._single), *(one.confidence for one in self.said)]
        if len(known) == 1 and not more:
            return known[0]
        if any(one.confidence == 1 for one in self.said):  # who states it by hand may be certain
            return 1.0
        return max([noisy_or(sum(doubt(one) for one in (*known, *more))), *known])

    def is_causal(self) -> bool:
        """Tell whether any evidence says that the one causes the other."""
        causal = [
            *(part.is_causal for part in self._asserted),
            *(one.is_causal for one in self._drawn),
            *(one.is_causal for one in self.said),
        ]
        return any(causal)

    def negated_weight(self) -> float:
        """Add up what denies it."""
        single = fsum(one.confidence for one in self._edge.drawn if one.negated)
        return round(fsum(part.negated_weight for part in self._parts) + single, 6)

    def count(self) -> int:
        """Count the evidence."""
        known = sum(1 if part.n_evidence is None else part.n_evidence for part in self._counting)
        return known + len(self._single) + len(self.said)

    def chunk_ids(self) -> set[str]:
        """Return the chunks that state it."""
        known = {chunk for part in self._parts for chunk in part.chunk_ids or ()}
        return known | {one.chunk_id for one in self._edge.drawn} | {chunk.id for chunk in self._lines}

    def description(self) -> str | None:
        """Return what the corpus says, the surest first, else what was stated."""
        known = [part.description for part in self._counting if part.description]
        single = sorted(self._single, key=lambda one: (-one.confidence, one.id))
        return next(
            iter((*known, *(one.description for one in single), *(c.content for c in self._lines))), None
        )


def _keywords(parts: Sequence[Relationship], cues: Sequence[str]) -> tuple[str, ...]:
    words = [word for part in parts for word in part.keywords or ()]
    said = [cue.casefold() for cue in cues if cue not in STATED]
    return tuple(dict.fromkeys([*words, *said]))[:MAX_KEYWORDS]


def _attributes(parts: Sequence[Relationship], edge: Edge, has_paper: bool) -> JsonDict:
    """Join attributes, those of the first part first; the newest context is told."""
    joined: JsonDict = {}
    for part in reversed(parts):
        joined |= part.attributes or {}
    for name in ("n_documents", "n_denied", "n_hypothetical"):
        counts = [n for part in parts if isinstance(n := (part.attributes or {}).get(name), int)]
        if counts:
            joined[name] = sum(counts)
    if has_paper:
        joined["n_documents"] = joined.get("n_documents", 0) + 1
    contexts = [e.context for relation in edge.hand for e in relation.evidence if e.context]
    context = {"context": contexts[-1]} if contexts else {}
    return {**joined, **context} if parts else {**joined, **context, **ORIGIN}
