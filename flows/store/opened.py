"""One generation of an index, open for reading: the ports Corpus and Vectors."""

from collections.abc import Collection, Iterable, Sequence
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from corpusgraph.flows.files.manifest import COMPILED, DATABASE, IndexProvenance, Manifest, unless_gone
from corpusgraph.flows.store.vectors import LanceVectors, vectors_of
from corpusgraph.schemas.documents import Document, Failure
from corpusgraph.schemas.evidence import (
    PUT_FORWARD,
    ArgumentRelation,
    Assertion,
    Claim,
    Event,
    Mention,
    Merge,
)
from corpusgraph.schemas.ports import Floats, GraphView, VectorStatus
from corpusgraph.schemas.study import Ontology

if TYPE_CHECKING:
    from corpusgraph.flows.store.filtered import FilteredIndex
    from corpusgraph.flows.store.memory import IndexMemory
    from corpusgraph.flows.store.overlaid import RememberedVectors
    from corpusgraph.tasks.overlay.base import Base, EntityEvidence

_TEXT_ORDER = ("document_id", "start", "end", "id")


class OpenIndex:
    """Reads the generation that was published when it was opened, each table when it is first asked for.

    A later publish does not change it; only two publishes later are its tables gone, and reading or searching
    one that was not read yet raises IndexNotFoundError.

    Parameters
    ----------
    folder : Path
        Of the index.
    manifest : Manifest
        Of the generation.
    matrix_rows : int
        Up to so many vectors are compared one by one.

    """

    def __init__(self, folder: Path, manifest: Manifest, *, matrix_rows: int) -> None:
        self.manifest = manifest
        self.name = manifest.index
        self.folder = folder
        self._compiled = folder / COMPILED / str(manifest.serial)
        self._database = folder / DATABASE
        self._own_vectors = vectors_of(folder, manifest, matrix_rows)
        self.views: dict[str, FilteredIndex] = {}  # by filter; see `filtered`

    @cached_property
    def graph(self) -> GraphView:
        """Entities, relationships, chunks, communities and reports."""
        from corpusgraph.flows.store.compiled import KEPT, read_compiled
        from corpusgraph.tasks.graph.view import MemoryGraph

        if (compiled := read_compiled(self._compiled)) is not None:
            return compiled
        incidence = zip(*self.columns("incidence", "entity_id", "chunk_id", "count"), strict=True)
        entities, relationships, chunks, communities, reports = map(self._nouns, KEPT)
        return MemoryGraph(entities, relationships, chunks, communities, reports, incidence)

    @cached_property
    def below(self) -> "Base":
        """The graph as memories are laid over it."""
        from corpusgraph.tasks.overlay.base import Base

        return Base(self.graph, self.evidence_of)

    def evidence_of(self, entities: frozenset[str]) -> "EntityEvidence":
        """Read the mentions of some entities, and the assertions of which these are ends.

        Parameters
        ----------
        entities : frozenset of str
            Ids of entities.

        Returns
        -------
        EntityEvidence
            Assertions that are put forward as facts only, with their relationships.

        """
        from corpusgraph.tasks.overlay.base import Asserted, EntityEvidence, Mentioned

        mentions = zip(*self.columns("mentions", *Mentioned._fields), strict=True)
        modality, *asserted = self.columns("assertions", "modality", *Asserted._fields)
        assertions = (
            Asserted._make(row)
            for how, row in zip(modality, zip(*asserted, strict=True), strict=True)
            if how in PUT_FORWARD
        )
        stated = (row for row in assertions if row.relationship_id)
        return EntityEvidence(
            [row for row in map(Mentioned._make, mentions) if row.entity_id in entities],
            [row for row in stated if row.source_id in entities or row.target_id in entities],
        )

    @cached_property
    def _vectors(self) -> "LanceVectors | RememberedVectors":
        """What answers searches."""
        return self._own_vectors

    @cached_property
    def memory(self) -> "IndexMemory":
        """What was added to the index by hand: the port Memory."""
        from corpusgraph.flows.store.memory import memory_of

        return memory_of(self.folder, f"{self.manifest.generation}-{self.manifest.serial}", self)

    @property
    def has_memory(self) -> bool:
        """Tell whether anything was ever added by hand."""
        from corpusgraph.flows.store.journal import FILE, Journal

        return Journal(self.folder / FILE).size() > 0

    @cached_property
    def documents(self) -> Sequence[Document]:
        """All documents, in id order."""
        from corpusgraph.flows.store.compiled import read_rows

        if (kept := read_rows(self._compiled, "documents")) is not None:
            return tuple(kept.some(0, len(kept.ids)))
        return tuple(sorted(self._nouns("documents"), key=lambda document: str(document.id)))

    @cached_property
    def ontology(self) -> Ontology:
        """The ontology it was read by; an index that does not say how it was made has none."""
        kept = self.manifest.facts.get("recipe")
        return IndexProvenance.model_validate(kept).study.index.llm.ontology if kept else Ontology()

    @cached_property
    def mentions(self) -> Sequence[Mention]:
        """All mentions, in text order of each document."""
        return tuple(self._nouns("mentions", *_TEXT_ORDER))

    @cached_property
    def assertions(self) -> Sequence[Assertion]:
        """All assertions, in text order of each document."""
        return tuple(self._nouns("assertions", *_TEXT_ORDER))

    @cached_property
    def claims(self) -> Sequence[Claim]:
        """All claims, in text order of each document."""
        return tuple(self._nouns("claims", *_TEXT_ORDER))

    @cached_property
    def arguments(self) -> Sequence[ArgumentRelation]:
        """Supports and attacks between claims, in text order of each document."""
        return tuple(self._nouns("arguments", *_TEXT_ORDER))

    @cached_property
    def events(self) -> Sequence[Event]:
        """All dated events, in text order of each document."""
        return tuple(self._nouns("events", *_TEXT_ORDER))

    def dated(self, *, chunks: Collection[str] = (), time: str = "") -> Sequence[Event]:
        """Return the events that some chunks state, and those whose timestamps begin with a time, if any."""
        from corpusgraph.flows.store.compiled import read_events

        kept = read_events(self._compiled, chunks, time)
        if kept is not None:
            return kept
        return [e for e in self.events if e.chunk_id in chunks or (time and e.timestamp.startswith(time))]

    @cached_property
    def merges(self) -> Sequence[Merge]:
        """Decisions of entity resolution, in id order."""
        return tuple(self._nouns("merges", "id"))

    @cached_property
    def failures(self) -> Sequence[Failure]:
        """The failure ledger."""
        return tuple(self._nouns("failures"))

    def entity_of(self, mention_id: str) -> str | None:
        """Return the entity a mention was resolved to."""
        return self._entities_of_mentions.get(mention_id)

    def relationship_of(self, assertion_id: str) -> str | None:
        """Return the relationship an assertion is evidence for.

        Parameters
        ----------
        assertion_id : str
            Id of an assertion (`asr_`).

        Returns
        -------
        str or None
            Id of the relationship; None for an assertion of none, or an unknown one.

        """
        return self._relationships_of_assertions.get(assertion_id)

    def nearest(self, kind: str, vector: Floats, top_k: int) -> list[tuple[str, float]]:
        """Return (id, cosine similarity), best first, ties by id."""
        return self._vectors.nearest(kind, vector, top_k)

    def match(self, kind: str, query: str, top_k: int) -> list[tuple[str, float]]:
        """Return (id, BM25 score), best first, ties by id."""
        return self._vectors.match(kind, query, top_k)

    def matrix(self, kind: str) -> tuple[list[str], Floats]:
        """Return ids, in order, and their unit vectors (n, dimension)."""
        return self._vectors.matrix(kind)

    def vector_status(self) -> VectorStatus:
        """Tell what answers searches by vector, and whether it does now."""
        return self._vectors.status()

    def check_embedder(self, name: str, dimension: int) -> None:
        """Refuse another embedder than the one that made the index's vectors.

        Parameters
        ----------
        name : str
            Of an embedder, with its version.
        dimension : int
            Length of its vectors.

        Raises
        ------
        EmbedderMismatchError
            Where either is not that of the index.

        """
        from corpusgraph.flows.embed.embedders import check_embedder

        check_embedder(self.manifest, name, dimension)

    def columns(self, table: str, *names: str) -> list[list[Any]]:
        """Return some columns of a table, in the order it was written.

        Parameters
        ----------
        table : str
            Name of the table.
        *names : str
            Of columns.

        Returns
        -------
        list of list of Any
            A list of cells for each name; None is missing.

        """
        found = self._read(table, names)
        return [found.column(name).to_pylist() for name in names]

    @cached_property
    def _entities_of_mentions(self) -> dict[str, str | None]:
        return dict(zip(*self.columns("mentions", "id", "entity_id"), strict=True))

    @cached_property
    def _relationships_of_assertions(self) -> dict[str, str | None]:
        return dict(zip(*self.columns("assertions", "id", "relationship_id"), strict=True))

    def _nouns(self, table: str, *order: str) -> list[Any]:
        from corpusgraph.flows.store.tables import SEARCH, TABLES, to_nouns

        spec = TABLES[table]
        found = self._read(table, [name for name in spec.schema().names if name != SEARCH])
        return to_nouns(spec, found.sort_by([(name, "ascending") for name in order]) if order else found)

    def _read(self, table: str, names: Iterable[str]) -> Any:
        from corpusgraph.flows.store.lance import open_table, read
        from corpusgraph.flows.store.tables import TABLES, with_defaults

        with unless_gone(self.manifest, table):
            opened, wanted = open_table(self._database, self.manifest.tables[table]), list(names)
            there = read(opened, [name for name in wanted if name in opened.schema.names])
            return with_defaults(TABLES[table], there, wanted)
