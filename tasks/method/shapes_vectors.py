"""Search over the texts of a shape: in memory for what the shape made, the index's own for the rest."""

from collections.abc import Callable, Mapping, Sequence
from functools import cached_property

import numpy as np

from corpusgraph.schemas.ports import Embedder, Floats, Vectors
from corpusgraph.tasks.digits import cosines
from corpusgraph.tasks.graph.ranking import best
from corpusgraph.tasks.graph.terms import Bm25


class TextMatrix:
    """Texts with their unit vectors. `ids` are in order, so that ties are decided by id."""

    def __init__(self, ids: Sequence[str], texts: Sequence[str], rows: Floats) -> None:
        order = sorted(range(len(ids)), key=lambda i: ids[i])
        self.ids = [ids[i] for i in order]
        self.rows: Floats = rows[order]
        self._texts = [texts[i] for i in order]

    @classmethod
    def of(cls, texts: Mapping[str, str], embedder: Embedder) -> "TextMatrix":
        """Embed the texts of id -> text."""
        rows = embedder.embed(list(texts.values()))
        return cls(list(texts), list(texts.values()), rows)

    def nearest(self, vector: Floats, top_k: int) -> list[tuple[str, float]]:
        """Return (id, cosine), best first, ties by id."""
        asked = np.asarray(vector, np.float32).ravel()
        length = float(np.linalg.norm(asked.astype(np.float64))) or 1.0
        scores = cosines(self.rows, asked / length)
        order = np.argsort(-scores, kind="stable")[: max(top_k, 0)]
        return [(self.ids[i], float(scores[i])) for i in order]

    def match(self, query: str, top_k: int) -> list[tuple[str, float]]:
        """Return (id, BM25 score), best first, ties by id."""
        scores = self._bm25.scores(query)
        return [(self.ids[i], float(scores[i])) for i in best(scores, max(top_k, 0))]

    @cached_property
    def _bm25(self) -> Bm25:
        return Bm25(self._texts)


class ShapeVectors:
    """The port Vectors of a shape: kinds in `made` are searched there, those in `hidden` have no items.

    A kind in `stored_as` is searched among the index's vectors of the kind it names.
    """

    def __init__(
        self,
        base: Vectors,
        made: Mapping[str, Callable[[], TextMatrix]],
        *,
        stored_as: Mapping[str, str] | None = None,
        hidden: frozenset[str] = frozenset(),
    ) -> None:
        self._base = base
        self._made = made
        self._stored_as = stored_as or {}
        self._hidden = hidden

    def nearest(self, kind: str, vector: Floats, top_k: int) -> list[tuple[str, float]]:
        """Return (id, cosine similarity), best first, ties by id."""
        if kind in self._hidden:
            return []
        if kind in self._made:
            return self._made[kind]().nearest(vector, top_k)
        return self._base.nearest(self._stored_as.get(kind, kind), vector, top_k)

    def match(self, kind: str, query: str, top_k: int) -> list[tuple[str, float]]:
        """Return (id, BM25 score), best first, ties by id."""
        if kind in self._hidden:
            return []
        if kind in self._made:
            return self._made[kind]().match(query, top_k)
        return self._base.match(self._stored_as.get(kind, kind), query, top_k)
