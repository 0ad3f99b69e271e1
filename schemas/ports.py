"""Ports: what tasks ask of the outside. flows/store implements them; tests may too."""

from collections.abc import Callable, Mapping, Sequence
from typing import Literal, Protocol, TypeVar, runtime_checkable

import numpy as np
from numpy.typing import NDArray
from pydantic import BaseModel, Field

from corpusgraph.schemas.base import Noun
from corpusgraph.schemas.documents import Chunk, Document
from corpusgraph.schemas.evidence import ArgumentRelation, Assertion, Claim, Event, Mention
from corpusgraph.schemas.graph import Community, CommunityReport, Entity, EntityRef, Relationship
from corpusgraph.schemas.llm import Prompt, Reply
from corpusgraph.schemas.memory import Change, Extracted, Operation, Statement

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


M = TypeVar("M", bound=BaseModel)
Floats = NDArray[np.float32]
Ints = NDArray[np.int64]


Accept = Callable[[int, M], str | None]
"""Looks at the answer to the n-th prompt, from 0: what is wrong with it, in words a model understands."""


@runtime_checkable
class Embedder(Protocol):
    """Turns texts into unit vectors."""

    @property
    def name(self) -> str:
        """Name and version; an index made with one embedder refuses another."""

    @property
    def dimension(self) -> int:
        """Length of every vector."""

    def embed(self, texts: Sequence[str]) -> Floats:
        """Return an array of shape (len(texts), dimension), rows of length 1 (or 0 for an empty text)."""


@runtime_checkable
class Vectors(Protocol):
    """Vector and full-text search over the items of an index: kinds entity, relationship, chunk, report."""

    def nearest(self, kind: str, vector: Floats, top_k: int) -> list[tuple[str, float]]:
        """Return (id, cosine similarity), best first, ties by id."""

    def match(self, kind: str, query: str, top_k: int) -> list[tuple[str, float]]:
        """Return (id, BM25 score), best first, ties by id."""


@runtime_checkable
class VectorBackend(Protocol):
    """Vectors that know where they are searched: `tasks.graph.ranking.vector_status` asks them."""

    def vector_status(self) -> VectorStatus:
        """Tell what answers a search by vector, and whether it does now."""


@runtime_checkable
class Reranker(Protocol):
    """Reads a query together with each text, as a cross-encoder does."""

    @property
    def name(self) -> str:
        """Name of the model."""

    def scores(self, query: str, texts: Sequence[str]) -> Sequence[float]:
        """Return how well each text answers the query; higher is better, on any scale.

        DependencyMissingError where the library is not installed, MissingResourceError without a model.
        """


@runtime_checkable
class GraphView(Protocol):
    """One generation of an index, as the tools see it. Sequences are in id order and never change."""

    @property
    def entities(self) -> Sequence[Entity]:
        """Nodes of the graph."""

    @property
    def relationships(self) -> Sequence[Relationship]:
        """Edges of the graph."""

    @property
    def chunks(self) -> Sequence[Chunk]:
        """Chunks of all documents."""

    @property
    def communities(self) -> Sequence[Community]:
        """Communities of all levels."""

    @property
    def reports(self) -> Sequence[CommunityReport]:
        """Reports on communities."""

    def entity(self, ref: EntityRef) -> Entity:
        """Find by id, short id or name; an unknown or ambiguous one is an error with candidates."""

    def relationship(self, ref: EntityRef) -> Relationship:
        """Find by id or short id."""

    def chunk(self, ref: EntityRef) -> Chunk:
        """Find by id or short id."""

    def entity_chunks(self) -> Mapping[str, Sequence[str]]:
        """Return entity id -> ids of the chunks that mention it, in text order."""

    def mention_counts(self) -> Mapping[str, Mapping[str, int]]:
        """Return entity id -> chunk id -> how often the chunk mentions it, in text order."""


@runtime_checkable
class Evidence(Protocol):
    """The documents of one generation, and what was read in them."""

    @property
    def documents(self) -> Sequence[Document]:
        """All documents, in id order."""

    @property
    def mentions(self) -> Sequence[Mention]:
        """All mentions, in text order of each document."""

    @property
    def assertions(self) -> Sequence[Assertion]:
        """All assertions."""

    def entity_of(self, mention_id: str) -> str | None:
        """Return the entity a mention was resolved to."""


@runtime_checkable
class Corpus(Evidence, Protocol):
    """The graph, evidence and documents of one generation, for building datasets."""

    @property
    def graph(self) -> GraphView:
        """The graph derived from the evidence."""

    @property
    def claims(self) -> Sequence[Claim]:
        """All claims."""

    @property
    def arguments(self) -> Sequence[ArgumentRelation]:
        """Supports and attacks between claims."""

    @property
    def events(self) -> Sequence[Event]:
        """All dated events."""


@runtime_checkable
class LanguageModel(Protocol):
    """Answers prompts with structured output. A tool that can do without one takes `LanguageModel | None`."""

    @property
    def name(self) -> str:
        """The model's name."""

    def ask(
        self, prompts: Sequence[Prompt], answer: type[M], accept: Accept[M] | None = None
    ) -> list[Reply[M]]:
        """Answer each prompt by an `answer`, in order; the implementation runs them concurrently.

        `accept` is told the place of the prompt and a valid answer, and returns what is wrong with it, or
        None. A reply that does not validate, or is not accepted, is repaired once; one that still fails has
        its `error`, never raises.
        """


@runtime_checkable
class Memory(Protocol):
    """What was added to an index by hand. A change is seen by whoever looks after it was made."""

    def find(self, ref: EntityRef) -> Entity:
        """Find an entity as it is now by id, short id or name, in time that does not grow with the changes.

        An unknown or ambiguous one is an error with candidates. Degree and counts are not filled in.
        """

    def observations(self, entity_id: str) -> Sequence[str]:
        """Return what was noted about an entity by hand, in order."""

    def relationship(self, ref: EntityRef) -> Relationship:
        """Find a relationship as it is now by id or short id."""

    def statements(self, relationship_id: str) -> Sequence[Statement]:
        """Return what was stated by hand of a relationship, as it is now, in order."""

    def changes(self) -> Sequence[Change]:
        """Return all changes, in order, also those that were undone."""

    def handled(self) -> Sequence[str]:
        """Return the entities that were ever made or noted by hand, in the order in which they first were."""

    def undone(self) -> frozenset[int]:
        """Return the numbers of the changes that do not count any more."""

    def extractions(self) -> Sequence[tuple[Change, Extracted]]:
        """Return the extraction log, in order."""

    def record(self, operations: Sequence[Operation], *, by: str, request_id: str, at: str) -> Change:
        """Append a change and return it: from then on it survives a crash and every process sees it."""

    def undo(self, number: int, *, by: str, request_id: str, at: str) -> Change:
        """Append the undoing of a change; one that is unknown or undone already is an error."""
