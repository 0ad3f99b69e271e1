"""Entities as they are once a memory is laid over a graph."""

from collections import Counter
from collections.abc import Iterable, Sequence

from corpusgraph.schemas.base import JsonDict
from corpusgraph.schemas.graph import Entity
from corpusgraph.schemas.ports import Ints
from corpusgraph.tasks.graph.names import aliases_of
from corpusgraph.tasks.graph.noted import held_by, is_hand_made
from corpusgraph.tasks.remember.described import described, kept
from corpusgraph.tasks.remember.evidence import ORIGIN, Written
from corpusgraph.tasks.remember.layout import Layout
from corpusgraph.tasks.remember.withheld import is_of


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
