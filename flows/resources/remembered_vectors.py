"""Search over an index with a memory: new vectors and texts only of what is new or reads otherwise."""

from collections.abc import Callable, Sequence
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from corpusgraph.flows.resources.fresh import Fresh, Freshness
from corpusgraph.flows.resources.fresh_rows import FreshRows, Hits, Rows
from corpusgraph.flows.resources.postings import unit
from corpusgraph.schemas.ports import Embedder, Floats
from corpusgraph.tasks.graph.ranking import is_lexical
from corpusgraph.tasks.remember.news import News, news
from corpusgraph.tasks.remember.view import RememberedGraph

if TYPE_CHECKING:
    from corpusgraph.flows.resources.opened import OpenIndex
    from corpusgraph.flows.resources.remembered_text import FreshText


class RememberedVectors:
    """Searches an index and what was added to it by hand.

    What was worked out for the memory `before` is brought on where additions are all that came since.
    """

    def __init__(
        self, below: "OpenIndex", graph: RememberedGraph, before: "RememberedVectors | None" = None
    ) -> None:
        self._below, self.graph = below, graph
        self._fresh: dict[str, Fresh] = {}
        self._rows: dict[str, FreshRows] = {}
        self._texts: dict[str, FreshText] = {}
        told = news(before.graph.state, graph.state) if before is not None else None
        if before is not None and told is not None:
            self._bring_on(before, told)

    def _bring_on(self, before: "RememberedVectors", told: News) -> None:
        if "embedder" in vars(before):
            vars(self)["embedder"] = before.embedder
        known, rows, texts = before.made
        for kind, fresh in known.items():
            found = self._fresh[kind] = self._freshness.of(kind, fresh, told)
            if kind in rows:
                others = {id_: text for id_, text in found.since.items() if fresh.texts.get(id_) != text}
                self._rows[kind] = rows[kind].more(others)
            if kind in texts:
                since = {id_: found.items[id_] for id_ in found.since}
                self._texts[kind] = texts[kind].more(len(found.hidden), since)

    @property
    def made(self) -> "tuple[dict[str, Fresh], dict[str, FreshRows], dict[str, FreshText]]":
        """Return what was worked out so far, by kind."""
        return dict(self._fresh), dict(self._rows), dict(self._texts)

    @cached_property
    def embedder(self) -> Embedder:
        """Return that of the index."""
        from corpusgraph.flows.resources.embedders import embedder_for

        return embedder_for(self._below.manifest)

    @cached_property
    def _freshness(self) -> Freshness:
        return Freshness(self.graph, alone=not is_lexical(self.embedder))

    def nearest(self, kind: str, vector: Floats, top_k: int) -> Hits:
        """Return (id, cosine similarity), best first, ties by id."""
        self._below.nearest(kind, vector, min(top_k, 1))  # refuses an unknown kind, another dimension
        if top_k <= 0:
            return []
        query = unit(np.asarray(vector, np.float32).reshape(1, -1))[0]
        made = self._vectors(kind).nearest(query, top_k)
        found = _shown(lambda n: self._below.nearest(kind, vector, n), self._of(kind).hidden, top_k)
        return sorted(found + made, key=lambda hit: (-hit[1], hit[0]))[:top_k]

    def matrix(self, kind: str) -> tuple[list[str], Floats]:
        """Return ids, in order, and their unit vectors (n, dimension)."""
        below, rows = self._below.matrix(kind)
        hidden = self._of(kind).hidden
        more, made = self._vectors(kind).matrix()
        kept = [i for i, id_ in enumerate(below) if id_ not in hidden]
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
        from corpusgraph.flows.resources.remembered_text import Below, FreshText

        if kind not in self._texts:
            below = Below(self._below, kind, self.graph.base.counted)
            self._texts[kind] = FreshText.of(below, len(fresh.hidden), fresh.items)
        return self._texts[kind]

    def _vectors(self, kind: str) -> Rows:
        if kind not in self._rows:
            empty = Rows.empty(self.embedder.dimension)
            self._rows[kind] = FreshRows(self._embed, empty, self._of(kind).texts)
        return self._rows[kind].all

    def _embed(self, texts: list[str]) -> Floats:
        """Embed texts; what was embedded lately for any memory over the same index is not embedded again."""
        kept = self.graph.base.embedded
        known = {text: vector for text in texts if (vector := kept.get(text)) is not None}
        missing = [text for text in texts if text not in known]
        if missing:
            for text, vector in zip(missing, unit(self.embedder.embed(missing)), strict=True):
                kept[text] = known[text] = vector
        return np.stack([known[text] for text in texts])

    def _of(self, kind: str) -> Fresh:
        if kind not in self._fresh:
            self._fresh[kind] = self._freshness.of(kind)
        return self._fresh[kind]


def _shown(ask: Callable[[int], Hits], hidden: frozenset[str], top_k: int) -> Hits:
    """Ask for more until enough of the answer is not hidden."""
    n = top_k + min(len(hidden), 64)
    while True:
        hits: Sequence[tuple[str, float]] = ask(n)
        found = [hit for hit in hits if hit[0] not in hidden]
        if len(found) >= top_k or len(hits) < n:
            return found[:top_k]
        n *= 8
