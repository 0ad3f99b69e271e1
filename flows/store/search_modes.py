"""Searches of one call, watched: whether vectors answered, or full-text search in their place."""

from typing import Any

from corpusgraph.schemas.errors import VectorsUnreachableError
from corpusgraph.schemas.ports import Floats, RetrievalMode, Vectors, VectorStatus
from corpusgraph.schemas.results import ToolWarning
from corpusgraph.tasks.graph.ranking import vector_status

Hits = list[tuple[str, float]]


class WatchedVectors:
    """The port Vectors of an opened index for one call: all else that the index offers, it offers too."""

    def __init__(self, index: Vectors) -> None:
        self._index = index
        self._searched = False
        self._error: VectorsUnreachableError | None = None

    def nearest(self, kind: str, vector: Floats, top_k: int) -> Hits:
        """Return (id, cosine similarity), best first, ties by id; remembers a backend that did not answer."""
        try:
            found = self._index.nearest(kind, vector, top_k)
        except VectorsUnreachableError as error:
            self._error = self._error or error
            raise
        self._searched = True
        return found

    def match(self, kind: str, query: str, top_k: int) -> Hits:
        """Return (id, BM25 score), best first, ties by id."""
        return self._index.match(kind, query, top_k)

    def vector_status(self) -> VectorStatus:
        """Tell what answers a search by vector, and whether it does now.

        Returns
        -------
        VectorStatus
            As the index tells.

        """
        return vector_status(self._index)

    def __getattr__(self, name: str) -> Any:
        """Return what else the index offers: not every one has a matrix."""
        if name == "_index":
            raise AttributeError(name)
        return getattr(self._index, name)

    @property
    def mode(self) -> RetrievalMode | None:
        """How what was asked by vector was answered; None where nothing was."""
        if self._error is not None:
            return "fulltext"
        return "vector" if self._searched else None

    @property
    def warnings(self) -> tuple[ToolWarning, ...]:
        """Tell that full-text search answered, and why."""
        if self._error is None:
            return ()
        hint = f" {self._error.hint}" if self._error.hint else ""
        message = f"{self._error.message} Full-text search answered instead.{hint}"
        return (ToolWarning(code=self._error.code, message=message),)
