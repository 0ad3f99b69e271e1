"""Search over an index with a memory: new vectors only of what is new or reads otherwise."""

from collections.abc import Callable, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from corpusgraph.flows.resources.postings import cosines, unit
from corpusgraph.schemas.ports import Embedder, Floats
from corpusgraph.tasks.graph.lists import Ids
from corpusgraph.tasks.graph.ranking import is_lexical
from corpusgraph.tasks.index.embedded import chunk_text, entity_text, relationship_text
from corpusgraph.tasks.remember.rows import Overlay
from corpusgraph.tasks.remember.view import RememberedGraph

if TYPE_CHECKING:
    from corpusgraph.flows.resources.opened import OpenIndex
    from corpusgraph.flows.resources.remembered_text import FreshText

Hits = list[tuple[str, float]]
_DIGITS = 6  # as in the search of the index below


class Fresh(NamedTuple):
    """What stands in for what the index below has: `hidden` of its items, and others with their texts."""

    hidden: frozenset[str]
    items: dict[str, Any]
    texts: dict[str, str]


class RememberedVectors:
    """Searches an index and what was added to it by hand."""

    def __init__(self, below: "OpenIndex", graph: RememberedGraph) -> None:
        self._below, self._graph = below, graph
        self._fresh: dict[str, Fresh] = {}
        self._rows: dict[str, tuple[list[str], Floats]] = {}
        self._texts: dict[str, FreshText] = {}

    @cached_property
    def _embedder(self) -> Embedder:
        from corpusgraph.flows.resources.embedders import embedder_for

        embedder = embedder_for(self._below.manifest)
        self._below.check_embedder(embedder.name, embedder.dimension)
        return embedder

    def nearest(self, kind: str, vector: Floats, top_k: int) -> Hits:
        """Return (id, cosine similarity), best first, ties by id."""
        self._below.nearest(kind, vector, min(top_k, 1))  # refuses an unknown kind, another dimension
        if top_k <= 0:
            return []
        fresh = self._of(kind)
        ids, rows = self._vectors(kind)
        scores = np.round(cosines(rows, unit(np.asarray(vector, np.float32).reshape(1, -1))[0]), _DIGITS)
        made = [(id_, round(float(score), _DIGITS)) for id_, score in zip(ids, scores, strict=True)]
        found = _shown(lambda n: self._below.nearest(kind, vector, n), fresh.hidden, top_k)
        return sorted(found + made, key=lambda hit: (-hit[1], hit[0]))[:top_k]

    def matrix(self, kind: str) -> tuple[list[str], Floats]:
        """Return ids, in order, and their unit vectors (n, dimension)."""
        below, rows = self._below.matrix(kind)
        fresh = self._of(kind)
        more, made = self._vectors(kind)
        kept = [i for i, id_ in enumerate(below) if id_ not in fresh.hidden]
        ids = [*(below[i] for i in kept), *more]
        order = sorted(range(len(ids)), key=ids.__getitem__)
        return [ids[i] for i in order], np.concatenate([rows[kept], made.reshape(-1, rows.shape[1])])[order]

    def match(self, kind: str, query: str, top_k: int) -> Hits:
        """Return (id, BM25 score), best first, ties by id; a query without words finds nothing."""
        found = self._below.match(kind, query, min(top_k, 1))  # refuses an unknown kind
        if top_k <= 0 or not query.strip():
            return found
        fresh = self._of(kind)
        hits = _shown(lambda n: self._below.match(kind, query, n), fresh.hidden, top_k)
        made = self._text(kind, fresh).match(query) if fresh.items else []
        return sorted(hits + made, key=lambda hit: (-hit[1], hit[0]))[:top_k]

    def _text(self, kind: str, fresh: Fresh) -> "FreshText":
        from corpusgraph.flows.resources.remembered_text import FreshText

        if kind not in self._texts:
            counted, n_hidden = self._graph.base.counted, len(fresh.hidden)
            self._texts[kind] = FreshText(self._below, kind, fresh.items, n_hidden, counted)
        return self._texts[kind]

    def _vectors(self, kind: str) -> tuple[list[str], Floats]:
        """Return the ids that have new vectors, and these; a text is embedded once for all memories below."""
        if kind not in self._rows:
            texts = dict(sorted(self._of(kind).texts.items()))
            known = self._graph.base.embedded
            missing = sorted({text for text in texts.values() if text not in known})
            if missing:
                known.update(zip(missing, unit(self._embedder.embed(missing)), strict=True))
            rows = [known[text] for text in texts.values()]
            made = np.stack(rows) if rows else np.zeros((0, self._embedder.dimension), np.float32)
            self._rows[kind] = list(texts), made
        return self._rows[kind]

    def _of(self, kind: str) -> Fresh:
        if kind not in self._fresh:
            make = {"entity": self._entities, "relationship": self._relationships, "chunk": self._chunks}
            self._fresh[kind] = make[kind]() if kind in make else self._reports()
        return self._fresh[kind]

    def _entities(self) -> Fresh:
        graph, alone = self._graph, not is_lexical(self._embedder)
        rows = graph.entity_rows
        told = {id_ for id_ in graph.reads_otherwise if graph.roster.there(id_)}
        ids, entities = Ids(rows), graph.entities
        found = ((id_, ids.find(id_)) for id_ in sorted({*rows.new, *told}))
        items = {id_: entities[at] for id_, at in found if at is not None}
        texts = {id_: entity_text(item, alone=alone) for id_, item in items.items()}
        return Fresh(_gone(rows) | told, items, texts)

    def _relationships(self) -> Fresh:
        graph = self._graph
        rows, edges = graph.relationship_rows, graph.base.edges
        places = {*graph.patch.changed, *edges.at(graph.renamed)} - graph.patch.gone
        told = {edges.relationships.ids[place] for place in places}
        items = {id_: graph.relationship(id_) for id_ in sorted({*rows.new, *told})}
        names = {
            end: graph.roster.called(end).name
            for one in items.values()
            for end in (one.source_id, one.target_id)
        }
        write = relationship_text(names, alone=not is_lexical(self._embedder))
        return Fresh(_gone(rows) | told, items, {id_: write(item) for id_, item in items.items()})

    def _chunks(self) -> Fresh:
        papers = self._graph.papers.all
        items = {chunk.id: chunk for paper in papers for chunk in paper.chunks}
        texts = {c.id: chunk_text(paper.document.title, c.content) for paper in papers for c in paper.chunks}
        return Fresh(frozenset(), items, texts)

    def _reports(self) -> Fresh:
        graph = self._graph
        if graph.reports is graph.base.graph.reports:
            return Fresh(frozenset(), {}, {})
        kept = {report.id for report in graph.reports}
        return Fresh(frozenset(r.id for r in graph.base.graph.reports if r.id not in kept), {}, {})


def _gone(rows: Overlay) -> frozenset[str]:
    return frozenset(rows.base[place] for place in rows.out.tolist())


def _shown(ask: Callable[[int], Hits], hidden: frozenset[str], top_k: int) -> Hits:
    """Ask for more until enough of the answer is not hidden."""
    n = top_k + min(len(hidden), 64)
    while True:
        hits: Sequence[tuple[str, float]] = ask(n)
        found = [hit for hit in hits if hit[0] not in hidden]
        if len(found) >= top_k or len(hits) < n:
            return found[:top_k]
        n *= 8
