"""Vectors of what a memory brings to an index: more are added without copying those that are there."""

from collections.abc import Callable, Mapping
from functools import cached_property
from threading import Lock

import numpy as np
from numpy.typing import NDArray

from corpusgraph.flows.resources.postings import cosines, unit
from corpusgraph.schemas.ports import Floats

Embed = Callable[[list[str]], Floats]
Hits = list[tuple[str, float]]
_DIGITS = 6  # as in the search of the index below
_ROOM = 64


class _Buffer:
    """Rows that several versions share, each knowing how many are its own: the newest may add some."""

    def __init__(self, rows: Floats) -> None:
        self.rows, self.used = rows, len(rows)
        self.lock = Lock()


class Rows:
    """Unit vectors by id, a row each; of an id with several rows the last counts."""

    def __init__(
        self, buffer: _Buffer, ids: list[str], alive: NDArray[np.bool_], row: dict[str, int]
    ) -> None:
        self._buffer, self._ids, self._alive, self._row = buffer, ids, alive, row

    @classmethod
    def empty(cls, dimension: int) -> "Rows":
        """Return none."""
        rows = np.zeros((0, dimension), np.float32)
        return cls(_Buffer(rows), [], np.zeros(0, dtype=bool), {})

    def more(self, found: Mapping[str, Floats]) -> "Rows":
        """Return these and others; an id that is there gets another vector."""
        if not found:
            return self
        start, new = len(self._ids), np.stack(list(found.values()))
        alive = np.concatenate([self._alive, np.ones(len(found), dtype=bool)])
        alive[[self._row[id_] for id_ in found if id_ in self._row]] = False
        row = {**self._row, **{id_: start + i for i, id_ in enumerate(found)}}
        return Rows(self._written(new), [*self._ids, *found], alive, row)

    def _written(self, new: Floats) -> _Buffer:
        """Write rows after ours: where nobody else did, and there is room, into the same buffer."""
        buffer, start = self._buffer, len(self._ids)
        end = start + len(new)
        with buffer.lock:
            if buffer.used == start and end <= len(buffer.rows):
                buffer.rows[start:end] = new
                buffer.used = end
                return buffer
            rows = np.zeros((end + max(_ROOM, end // 2), new.shape[1]), np.float32)
            rows[:start] = buffer.rows[:start]
        rows[start:end] = new
        grown = _Buffer(rows)
        grown.used = end
        return grown

    def nearest(self, query: Floats, top_k: int) -> Hits:
        """Return (id, cosine similarity) of the nearest to a unit vector, and of all that are as near."""
        n = int(self._alive.sum())
        if not n or top_k <= 0:
            return []
        scores = np.round(cosines(self._buffer.rows[: len(self._ids)], query), _DIGITS)
        scores[~self._alive] = -np.inf
        least = -np.partition(-scores, min(top_k, n) - 1)[min(top_k, n) - 1]
        return [(self._ids[at], round(float(scores[at]), _DIGITS)) for at in np.flatnonzero(scores >= least)]

    def matrix(self) -> tuple[list[str], Floats]:
        """Return ids and their vectors (n, dimension), in no order."""
        places = np.flatnonzero(self._alive)
        return [self._ids[at] for at in places.tolist()], self._buffer.rows[places]


class FreshRows:
    """The vectors of texts by id; those that came last are embedded when they are first searched."""

    def __init__(self, embed: Embed, known: Rows, waiting: Mapping[str, str]) -> None:
        self._embed, self._known, self._waiting = embed, known, waiting

    def more(self, texts: Mapping[str, str]) -> "FreshRows":
        """Return these and those of other texts."""
        if "all" in vars(self):
            return FreshRows(self._embed, self.all, texts)
        return FreshRows(self._embed, self._known, {**self._waiting, **texts})

    @cached_property
    def all(self) -> Rows:
        """Return all, embedded."""
        if not self._waiting:
            return self._known
        texts = sorted(set(self._waiting.values()))
        found = dict(zip(texts, unit(self._embed(texts)), strict=True))
        return self._known.more({id_: found[text] for id_, text in sorted(self._waiting.items())})
