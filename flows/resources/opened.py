"""One generation of an index, open for reading: the ports Corpus and Vectors."""

from collections.abc import Iterable, Sequence
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from corpusgraph.flows.resources.manifest import COMPILED, DATABASE, Manifest
from corpusgraph.flows.resources.vectors import LanceVectors
from corpusgraph.schemas.documents import Chunk, Document, Failure
from corpusgraph.schemas.errors import EmbedderMismatchError, IndexNotFoundError
from corpusgraph.schemas.evidence import ArgumentRelation, Assertion, Claim, Event, Mention, Merge
from corpusgraph.schemas.graph import Community, CommunityReport, Entity, Relationship
from corpusgraph.schemas.ports import Floats, GraphView
from corpusgraph.schemas.study import Ontology

if TYPE_CHECKING:
    from corpusgraph.flows.resources.filtered import FilteredIndex

_TEXT_ORDER = ("document_id", "start", "end", "id")


class OpenIndex:
    """Reads the generation that was published when it was opened, each table when it is first asked for.

    A later publish does not change it; only two publishes later are its tables gone, and reading one
    that was not read yet raises IndexNotFoundError.
    """

    def __init__(self, folder: Path, manifest: Manifest, *, matrix_rows: int) -> None:
        self.manifest = manifest
        self._compiled = folder / COMPILED / str(manifest.serial)
        self._database = folder / DATABASE
        self._vectors = LanceVectors(folder, manifest, matrix_rows)
        self.views: dict[str, FilteredIndex] = {}  # by filter; see `filtered`

    @property
    def name(self) -> str:
        """Name of the index."""
        return self.manifest.index

    @cached_property
    def graph(self) -> GraphView:
        """Entities, relationships, chunks, communities and reports."""
        from corpusgraph.flows.resources.compiledfiles import read_compiled

        return read_compiled(self._compiled) or self._from_tables()

    def _from_tables(self) -> GraphView:
        from corpusgraph.tasks.graph.view import MemoryGraph

        entities: list[Entity] = self._nouns("entities")
        relationships: list[Relationship] = self._nouns("relationships")
        chunks: list[Chunk] = self._nouns("chunks")
        communities: list[Community] = self._nouns("communities")
        reports: list[CommunityReport] = self._nouns("reports")
        incidence = zip(*self.columns("incidence", "entity_id", "chunk_id", "count"), strict=True)
        return MemoryGraph(entities, relationships, chunks, communities, reports, incidence)

    @cached_property
    def documents(self) -> Sequence[Document]:
        """All documents, in id order."""
        from corpusgraph.flows.resources.compiledfiles import read_documents

        kept = read_documents(self._compiled)
        if kept is not None:
            return kept
        return tuple(sorted(self._nouns("documents"), key=lambda document: str(document.id)))

    @cached_property
    def ontology(self) -> Ontology:
        """The ontology it was read by; an index that does not say how it was made has none."""
        from corpusgraph.flows.recipe import Recipe

        kept = self.manifest.facts.get("recipe")
        return Recipe.model_validate(kept).study.index.llm.ontology if kept else Ontology()

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
        """Return the relationship an assertion is evidence for."""
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

    def check_embedder(self, name: str, dimension: int) -> None:
        """Refuse another embedder than the one that made the index's vectors."""
        made = self.manifest.embedder
        if made is not None and (made.name, made.dimension) != (name, dimension):
            message = (
                f"Index {self.name!r} was made with embedder {made.name!r} of dimension {made.dimension}, "
                f"not {name!r} of dimension {dimension}."
            )
            raise EmbedderMismatchError(message, hint="Use that embedder, or index the corpus again.")

    def columns(self, table: str, *names: str) -> list[list[Any]]:
        """Return some columns of a table, in the order it was written."""
        found = self._read(table, names)
        return [found.column(name).to_pylist() for name in names]

    @cached_property
    def _entities_of_mentions(self) -> dict[str, str]:
        return _present(*self.columns("mentions", "id", "entity_id"))

    @cached_property
    def _relationships_of_assertions(self) -> dict[str, str]:
        return _present(*self.columns("assertions", "id", "relationship_id"))

    def _nouns(self, table: str, *order: str) -> list[Any]:
        from corpusgraph.flows.resources.rows import to_nouns
        from corpusgraph.flows.resources.tables import SEARCH, TABLES

        spec = TABLES[table]
        found = self._read(table, [name for name in spec.schema().names if name != SEARCH])
        return to_nouns(spec, found.sort_by([(name, "ascending") for name in order]) if order else found)

    def _read(self, table: str, names: Iterable[str]) -> Any:
        from corpusgraph.flows.resources.lance import open_table, read

        try:
            return read(open_table(self._database, self.manifest.tables[table]), list(names))
        except (ValueError, RuntimeError, OSError) as error:
            message = f"Table {table!r} of index {self.name!r}, {self.manifest.generation}, cannot be read."
            hint = "Open the index again; if that fails too, index the corpus again."
            raise IndexNotFoundError(message, hint=hint, code="generation_gone") from error


def _present(keys: list[str], values: list[str | None]) -> dict[str, str]:
    return {key: value for key, value in zip(keys, values, strict=True) if value is not None}
