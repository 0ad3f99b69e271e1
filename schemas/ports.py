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
        """Return an array of shape (len(texts), dimension), rows of length 1 (or 0 for an empty text).

        Parameters
        ----------
        texts : sequence of str
            Any number, also none.

        Returns
        -------
        array of float32, shape (len(texts), dimension)
            Rows in the order of the texts, of length 1: their dot product is their cosine. An empty text is a
            row of zeros.

        """


@runtime_checkable
class Vectors(Protocol):
    """Vector and full-text search over the items of an index: kinds entity, relationship, chunk, report."""

    def nearest(self, kind: str, vector: Floats, top_k: int) -> list[tuple[str, float]]:
        """Return (id, cosine similarity), best first, ties by id.

        Parameters
        ----------
        kind : str
            entity, relationship, chunk or report.
        vector : array of float32, shape (dimension,)
            Made by the embedder of the index.
        top_k : int
            Items at most, 1 or more.

        Returns
        -------
        list of tuple of str and float
            From -1 to 1; empty where the index has no vectors of this kind.

        Raises
        ------
        InvalidInputError
            For an unknown kind or another dimension.

        """

    def match(self, kind: str, query: str, top_k: int) -> list[tuple[str, float]]:
        """Return (id, BM25 score), best first, ties by id.

        Parameters
        ----------
        kind : str
            entity, relationship, chunk or report.
        query : str
            In any words; only items that share one of them are returned.
        top_k : int
            Items at most, 1 or more.

        Returns
        -------
        list of tuple of str and float
            Scores above 0, comparable within one search only (Robertson & Zaragoza 2009).

        """


@runtime_checkable
class VectorBackend(Protocol):
    """Vectors that know where they are searched: `tasks.graph.ranking.vector_status` asks them."""

    def vector_status(self) -> VectorStatus:
        """Tell what answers a search by vector, and whether it does now.

        Returns
        -------
        VectorStatus
            Whether vectors or full-text search answer, from where, and why the server does not, where it does
            not.

        """


class Reranker(Protocol):
    """Reads a query together with each text, as a cross-encoder does."""

    @property
    def name(self) -> str:
        """Name of the model."""

    def scores(self, query: str, texts: Sequence[str]) -> Sequence[float]:
        """Return how well each text answers the query; higher is better, on any scale.

        Parameters
        ----------
        query : str
            In any words.
        texts : sequence of str
            Candidates, in any order.

        Returns
        -------
        sequence of float
            One for each text, in their order.

        Raises
        ------
        DependencyMissingError
            Where the library that reads them is not installed.
        MissingResourceError
            Where there is no model.

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
        """Find an entity by id, short id or name.

        Parameters
        ----------
        ref : EntityRef
            Case and spacing of a name do not count.

        Returns
        -------
        Entity
            As this generation of the index has it.

        Raises
        ------
        UnknownEntityError
            With names that look like it.
        AmbiguousEntityError
            Where several entities have the name, with all of them.

        """

    def relationship(self, ref: EntityRef) -> Relationship:
        """Find a relationship by id or short id.

        Parameters
        ----------
        ref : EntityRef
            An id (`rel_`) or the number that people see.

        Returns
        -------
        Relationship
            As this generation of the index has it.

        Raises
        ------
        UnknownItemError
            Where there is none.

        """

    def chunk(self, ref: EntityRef) -> Chunk:
        """Find a chunk by id or short id.

        Parameters
        ----------
        ref : EntityRef
            An id (`chk_`) or the number that people see.

        Returns
        -------
        Chunk
            As this generation of the index has it.

        Raises
        ------
        UnknownItemError
            Where there is none.

        """

    def entity_chunks(self) -> Mapping[str, Sequence[str]]:
        """Return entity id -> ids of the chunks that mention it, in text order.

        Returns
        -------
        mapping of str to sequence of str
            An entity without mentions, such as a stub, may be left out.

        """

    def mention_counts(self) -> Mapping[str, Mapping[str, int]]:
        """Return entity id -> chunk id -> how often the chunk mentions it, in text order.

        Returns
        -------
        mapping of str to mapping of str to int
            Counts are 1 or more: a chunk that does not mention the entity is not in it.

        """


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
        """Return the entity a mention was resolved to.

        Parameters
        ----------
        mention_id : str
            Id of a mention (`men_`).

        Returns
        -------
        str or None
            Id of the entity, or None where the mention belongs to none or is unknown.

        """


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

        A reply that does not validate, or is not accepted, is repaired once.

        Parameters
        ----------
        prompts : sequence of Prompt
            What is asked; each is answered by itself.
        answer : type of BaseModel
            Model that every reply has to validate against.
        accept : Accept[M], optional
            It is handed the place of the prompt and a valid answer, and returns what is wrong with it, or
            None.

        Returns
        -------
        list of Reply[M]
            As many as prompts. A reply that failed twice has its `error` and no answer: this is never raised.

        """


@runtime_checkable
class Memory(Protocol):
    """What was added to an index by hand. A change is seen by whoever looks after it was made."""

    def find(self, ref: EntityRef) -> Entity:
        """Find an entity as it is now, in time that does not grow with the changes.

        Parameters
        ----------
        ref : EntityRef
            Id, short id or name.

        Returns
        -------
        Entity
            Degree and counts are not filled in.

        Raises
        ------
        UnknownEntityError
            With names that look like it.
        AmbiguousEntityError
            Where several entities have the name, with all of them.

        """

    def observations(self, entity_id: str) -> Sequence[str]:
        """Return what was noted about an entity by hand, in order.

        Parameters
        ----------
        entity_id : str
            Id of an entity (`ent_`).

        Returns
        -------
        sequence of str
            Texts, oldest first; empty where nothing was noted.

        """

    def relationship(self, ref: EntityRef) -> Relationship:
        """Find a relationship as it is now.

        Parameters
        ----------
        ref : EntityRef
            Id or short id.

        Returns
        -------
        Relationship
            With its weight after all changes.

        Raises
        ------
        UnknownItemError
            Where there is none, or it was deleted.

        """

    def statements(self, relationship_id: str) -> Sequence[Statement]:
        """Return what was stated by hand of a relationship, as it is now, in order.

        Parameters
        ----------
        relationship_id : str
            Id of a relationship (`rel_`).

        Returns
        -------
        sequence of Statement
            Oldest first; empty where only documents state it.

        """

    def changes(self) -> Sequence[Change]:
        """Return all changes, in order, also those that were undone.

        Returns
        -------
        sequence of Change
            Oldest first; `number` counts from 1.

        """

    def handled(self) -> Sequence[str]:
        """Return the entities that were ever made or noted by hand, in the order in which they first were.

        Returns
        -------
        sequence of str
            Ids of entities.

        """

    def undone(self) -> frozenset[int]:
        """Return the numbers of the changes that do not count any more.

        Returns
        -------
        frozenset of int
            Numbers as in `Change.number`.

        """

    def extractions(self) -> Sequence[tuple[Change, Extracted]]:
        """Return the extraction log, in order.

        Returns
        -------
        sequence of tuple of Change and Extracted
            Each change that put the findings of a text in, with what was read in it; without those undone.

        """

    def record(self, operations: Sequence[Operation], *, by: str, request_id: str, at: str) -> Change:
        """Append a change and return it: from then on it survives a crash and every process sees it.

        Parameters
        ----------
        operations : sequence of Operation
            What is done, in order; all of it or nothing.
        by : str
            Name of the tool that makes it.
        request_id : str
            Id of the call.
        at : str
            UTC, ISO 8601.

        Returns
        -------
        Change
            With the number it was given.

        """

    def undo(self, number: int, *, by: str, request_id: str, at: str) -> Change:
        """Append the undoing of a change.

        Parameters
        ----------
        number : int
            Number of the change that no longer counts.
        by : str
            Name of the tool that undoes it.
        request_id : str
            Id of the call.
        at : str
            UTC, ISO 8601.

        Returns
        -------
        Change
            The undoing, which is a change itself and can be undone.

        Raises
        ------
        CorpusgraphError
            Where the change is unknown, or undone already.

        """
