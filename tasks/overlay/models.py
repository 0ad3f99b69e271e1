"""Entities as they are once a memory is laid over a graph."""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cached_property
from heapq import nsmallest
from math import fsum

from corpusgraph.schemas.base import JsonDict
from corpusgraph.schemas.documents import Chunk
from corpusgraph.schemas.graph import Entity, Relationship
from corpusgraph.schemas.memory import STATED
from corpusgraph.schemas.ports import Ints
from corpusgraph.tasks.build.aggregate import MAX_CHUNKS, MAX_KEYWORDS, doubt, noisy_or
from corpusgraph.tasks.graph.names import aliases_of, held_by, is_hand_made
from corpusgraph.tasks.overlay.base import Base
from corpusgraph.tasks.overlay.changed import Changed, is_of
from corpusgraph.tasks.overlay.edges import Edge, measured
from corpusgraph.tasks.overlay.evidence import ORIGIN, Written
from corpusgraph.tasks.overlay.layout import Layout
from corpusgraph.tasks.overlay.names import described, kept
from corpusgraph.tasks.overlay.roster import Papers


class EntityNouns:
    """Makes entities as they are now."""

    def __init__(self, layout: Layout) -> None:
        self._layout = layout
        self._base, self._state, self._papers = layout.base, layout.state, layout.papers

    def touched(self) -> Ints:
        """Return the places of the base whose entities may be others here, in order."""
        return self._layout.touched

    def now(self, place: int, noun: Entity) -> Entity:  # noqa: ARG002  as rows are made
        """Return an entity of the base as it is now, itself where nothing about it changed."""
        if self.is_touched(noun.id):
            return self.made(noun.id)
        if noun.id in self._layout.met and noun.degree is not None:
            return noun.model_copy(update={"degree": self._layout.degree(noun.id)})
        return noun

    def is_touched(self, id_: str) -> bool:
        """Tell whether anything was said by hand of the entity itself."""
        state = self._state
        told = (state.created, state.renamed, state.aliases, state.lost_names, state.members, state.gained)
        return (
            id_ in state.observations
            or id_ in state.of_entity
            or id_ in state.unobserved
            or any(id_ in kept for kept in told)
            or id_ in self._layout.changed.shares
            or id_ in self._layout.changed.withheld.lost
        )

    def made(self, id_: str) -> Entity:
        """Return an entity that something was said of by hand; the same one while it reads as it did."""
        papers = self._papers.naming(id_)
        key = self._depends_on(id_, papers)
        known = self._base.made.get(id_)
        if key is not None and known is not None and known[0] == key:
            return known[1]
        found = self._made(id_, papers)
        if key is not None:
            self._base.made[id_] = key, found
        return found

    def held(self, id_: str) -> str:
        """Return in what text an entity is looked for that something was said of; mostly without its noun."""
        found = described(self._state, id_, self._of_base)
        if found is None or not (found.description or is_hand_made(found)):
            found = self.made(id_)
        return held_by(found)

    def _depends_on(self, id_: str, papers: list[Written]) -> tuple[object, ...] | None:
        """Return all that an entity is made of; None for one that was renamed, merged, split or the like."""
        state = self._state
        changed = (state.renamed, state.aliases, state.lost_names, state.members, state.gained)
        gone = (state.merged, state.deleted, state.unmade, state.unobserved)
        lost = self._layout.changed.withheld.lost
        if any(id_ in told for told in (*changed, *gone, lost)) or id_ in self._layout.changed.shares:
            return None
        said = state.created.get(id_), state.named.get(id_), state.observations.get(id_)
        return *said, state.entity_numbers.of.get(id_), self._layout.degree(id_), papers

    def _made(self, id_: str, papers: list[Written]) -> Entity:
        found = described(self._state, id_, self._of_base)
        if found is None:
            raise KeyError(id_)
        parts = self._parts(id_)
        spelled = Counter(
            mention.name
            for paper in papers
            for mention, entity in zip(paper.mentions, paper.entities, strict=True)
            if entity == id_
        )
        told: JsonDict = {
            "attributes": self._attributes(id_, found, parts, papers, spelled),
            "description": found.description or _first_line(papers, id_),
            "source_ref": self._first(id_, parts, papers),
            "confidence": self._confidence(id_, parts, papers),
            "n_mentions": self._mentions(id_, parts) + sum(spelled.values()),
            "degree": self._layout.degree(id_),
            "is_stub": found.is_stub and (not papers or not parts),
        }
        return found.model_copy(update=told)

    def _of_base(self, id_: str) -> Entity | None:
        place = self._base.entities.place(id_)
        return None if place is None else self._base.graph.entities[place]

    def _parts(self, id_: str) -> list[Entity]:
        """Return what the base has of an entity: itself, and those that were taken for it."""
        state = self._state
        ids = [id_, *sorted(state.members.get(id_, ()))]
        return [e for one in ids if one not in state.deleted and (e := self._of_base(one)) is not None]

    def _mentions(self, id_: str, parts: Sequence[Entity]) -> int:
        share = self._layout.changed.shares.get(id_)
        if share is not None:
            return share.n
        n_lost = self._layout.changed.withheld.n_lost
        return sum(max((part.n_mentions or 0) - n_lost(part.id), 0) for part in parts)

    def _confidence(self, id_: str, parts: Sequence[Entity], papers: Sequence[Written]) -> float:
        """Return that of the surest mention."""
        share = self._layout.changed.shares.get(id_)
        known = [part.confidence for part in parts] if share is None else [share.confidence] * bool(share.n)
        return max([*known, *([1.0] if papers else ())], default=1.0)

    def _attributes(
        self,
        id_: str,
        found: Entity,
        parts: Sequence[Entity],
        papers: Sequence[Written],
        spelled: Counter[str],
    ) -> JsonDict:
        attributes = dict(found.attributes or {})
        names: Counter[str] = Counter(dict.fromkeys(aliases_of(found), 0))
        share = self._layout.changed.shares.get(id_)
        if share is not None:
            names.update(share.names)
        for part in parts if share is None else ():
            known = (part.attributes or {}).get("aliases")
            counts = known if isinstance(known, dict) else dict.fromkeys(aliases_of(part), 0)
            names.update({name: counts[name] for name in kept(self._state, part.id, counts)})
        names.update(spelled)
        if names:
            attributes["aliases"] = dict(sorted(names.items(), key=lambda item: (-item[1], item[0])))
        of_base = [(part.attributes or {}).get("n_documents") for part in parts]
        known_n = sum(n for n in of_base if isinstance(n, int))
        documents = known_n if share is None else len(share.documents)
        attributes["n_documents"] = documents + len(papers)
        return attributes if parts else {**attributes, **ORIGIN}

    def _first(self, id_: str, parts: Sequence[Entity], papers: Sequence[Written]) -> str | None:
        """Return the first chunk that mentions it, by document and place."""
        graph = self._base.graph
        known = self._base.chunks
        share = self._layout.changed.shares.get(id_)
        refs = [ref for part in parts if (ref := self._first_left(part))]
        if share is not None:
            refs = [share.first[2]] if share.first else []
        first = [graph.chunks[at] for ref in refs if (at := known.place(ref)) is not None]
        first += [next(chunk for chunk in paper.chunks if id_ in (chunk.entities or ())) for paper in papers]
        if not first:
            return refs[0] if refs else None
        return min(first, key=lambda chunk: (chunk.source_doc, chunk.start, chunk.id)).id

    def _first_left(self, part: Entity) -> str | None:
        """Return the chunk that mentions an entity of the base first, its own notebook's before others'."""
        out = self._layout.changed.withheld.lost.get(part.id, {})
        if part.source_ref not in out:
            return part.source_ref
        graph, place = self._base.graph, self._base.chunks.place
        left = [id_ for id_ in graph.entity_chunks()[part.id] if id_ not in out]
        docs = {id_: graph.chunks[at].source_doc for id_ in left if (at := place(id_)) is not None}
        return min(left, key=lambda id_: not is_of(docs[id_], part.id), default=None)


def _first_line(papers: Iterable[Written], id_: str) -> str | None:
    chunks = (chunk for paper in papers for chunk in paper.chunks)
    return next((chunk.content for chunk in chunks if id_ in (chunk.entities or ())), None)


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


Counts = Mapping[str, Mapping[str, int]]
"""Entity -> chunk -> how often the chunk mentions it."""


class ChunkNouns:
    """Makes chunks: those of the base with the ids that their items now have, and those of the memory."""

    def __init__(self, changed: Changed, papers: Papers, counts: Callable[[], Counts]) -> None:
        self._changed, self._papers, self._counts = changed, papers, counts

    def made(self, id_: str) -> Chunk:
        """Return a chunk of the memory."""
        return self._memory[id_]

    @cached_property
    def _memory(self) -> Mapping[str, Chunk]:
        return {chunk.id: chunk for paper in self._papers.all for chunk in paper.chunks}

    def now(self, place: int, noun: Chunk) -> Chunk:  # noqa: ARG002  as rows are made
        """Return a chunk of the base with the ids that its entities and relationships now have."""
        moves, patch = self._changed.moves, self._changed.patch
        if not moves and patch.is_adding:
            return noun
        entities = _mapped(noun.entities, lambda id_: moves.get(id_, id_))
        relationships = _mapped(noun.relationships, self._changed.edge_now)
        if noun.id in self._parted:
            known = self._counts()
            more_entities, more_edges = self._parted[noun.id]
            entities = tuple(
                id_ for id_ in dict.fromkeys((*(entities or ()), *more_entities)) if noun.id in known[id_]
            )
            relationships = tuple(dict.fromkeys((*(relationships or ()), *more_edges)))
        if (entities, relationships) == (noun.entities, noun.relationships):
            return noun
        return noun.model_copy(update={"entities": entities, "relationships": relationships})

    def touched(self) -> None:
        """Return nothing: no field of chunks is read as a column."""

    @cached_property
    def _parted(self) -> Mapping[str, tuple[list[str], list[str]]]:
        """Return chunk -> entities that got mentions in it from others, relationships drawn from it."""
        found: dict[str, tuple[list[str], list[str]]] = {}
        for _, _, now, chunk_id in self._changed.mentions_moved:
            found.setdefault(chunk_id, ([], []))[0].extend([now] if now else [])
        patch = self._changed.patch
        for edge in (*patch.changed.values(), *patch.new.values()):
            for one in edge.drawn:
                found.setdefault(one.chunk_id, ([], []))[1].append(edge.id)
        return found


def _mapped(ids: tuple[str, ...] | None, now: Callable[[str], str | None]) -> tuple[str, ...] | None:
    if ids is None:
        return None
    return tuple(dict.fromkeys(new for id_ in ids if (new := now(id_)) is not None))
