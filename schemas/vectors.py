"""Where the vectors of an index are searched, and whether that place can be reached."""

from typing import Literal

from pydantic import Field

from corpusgraph.schemas.base import Noun

RetrievalMode = Literal["vector", "fulltext"]


class VectorStatus(Noun):
    """What answers a vector search: the index's own files, or a Qdrant server or folder.

    `connected` is whether Qdrant answered just now. Where it did not, full-text search answers instead.
    """

    backend: Literal["memory", "lance", "qdrant"] = Field(
        default="memory", description="memory: vectors that a caller brought"
    )
    available: bool = Field(default=False, description="Qdrant is chosen and its client is installed")
    connected: bool = Field(default=False, description="Qdrant answers; false where it is not chosen")
    where: str | None = Field(default=None, description="address or folder of Qdrant, without key")
    problem: str | None = Field(default=None, description="why it does not answer")

    @property
    def mode(self) -> RetrievalMode:
        """How a query by vector is answered now."""
        return "fulltext" if self.backend == "qdrant" and not self.connected else "vector"
