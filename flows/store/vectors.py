"""Vector and full-text search over one generation: sparse vectors as postings, dense ones as matrices."""

import math
import os
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from itertools import compress
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.lib.format import open_memmap

from corpusgraph.flows.files.manifest import COMPILED, DATABASE, Manifest, unless_gone
from corpusgraph.schemas.errors import (
    InvalidInputError,
    MissingResourceError,
    VectorsUnreachableError,
    did_you_mean,
)
from corpusgraph.schemas.ports import Floats, Ints, RetrievalMode, Vectors, VectorStatus
from corpusgraph.schemas.results import ToolWarning
from corpusgraph.tasks.digits import cosines as settled_cosines
from corpusgraph.tasks.graph.ranking import vector_status

if TYPE_CHECKING:
    from contextlib import AbstractContextManager

    import pyarrow as pa
    from numpy.typing import NDArray


SHARE = 0.5
"""Of a vector's dimensions that are not 0 on average, at most: beyond it postings take more than vectors."""
PARTS = ("start", "row", "value", "with")
BATCH = 16_384
"""Vectors read at a time."""


def unit_rows(rows: Floats) -> Floats:
    """Scale rows to length 1; a zero row stays zero and is as near to everything as to nothing.

    Parameters
    ----------
    rows : array of float, shape (n, dimension)
        Vectors.

    Returns
    -------
    array of float32, shape (n, dimension)
        A copy.

    """
    lengths = np.linalg.norm(rows, axis=1, keepdims=True)
    scaled: Floats = np.divide(rows, lengths, out=np.zeros_like(rows), where=lengths > 0)
    return scaled


def cosines(rows: Floats, query: Floats) -> Floats:
    """Return the cosine of a unit query with unit rows, added up as postings are: equal to the last bit.

    Parameters
    ----------
    rows : array of float32, shape (n, dimension)
        Of length 1, or 0.
    query : array of float32, shape (dimension,)
        Of length 1.

    Returns
    -------
    array of float32, shape (n,)
        From -1 to 1.

    """
    scores = np.zeros(len(rows), np.float32)
    for i in np.flatnonzero(query).tolist():
        scores += query[i] * rows[:, i]
    return scores


@dataclass(frozen=True, eq=False)
class Postings:
    """Dimension `d` is `value[start[d]:start[d + 1]]` in the rows `row[start[d]:start[d + 1]]`, else 0.

    `there` (rows,) tells which rows have a vector: an entity that only relationships point to has none.
    """

    start: Ints
    row: "NDArray[np.int32]"
    value: Floats
    there: "NDArray[np.bool_]"

    def cosines(self, query: Floats) -> Floats:
        """Return the cosine of a unit query (dimension,) with every row; -inf for one that has no vector.

        Parameters
        ----------
        query : array of float32, shape (dimension,)
            Of length 1.

        Returns
        -------
        array of float32, shape (n,)
            In the order of the rows, those without a vector among them.

        """
        scores = np.where(self.there, np.float32(0), np.float32(-np.inf))
        for i in np.flatnonzero(query).tolist():
            there = slice(int(self.start[i]), int(self.start[i + 1]))
            scores[self.row[there]] += query[i] * self.value[there]
        return scores

    def rows(self) -> Floats:
        """Return the vectors of the rows that have one (n, dimension).

        Returns
        -------
        array of float32, shape (n, dimension)
            Not sparse any more.

        """
        found = np.zeros((len(self.there), len(self.start) - 1), np.float32)
        found[self.row, np.repeat(np.arange(found.shape[1]), np.diff(self.start))] = self.value
        return found[self.there]


def is_sparse(filled: Ints, n_rows: int) -> bool:
    """Tell whether vectors are mostly 0, though not wholly; `filled` (dimension,) counts what is not 0.

    Parameters
    ----------
    filled : array of int, shape (dimension,)
        How many rows are not 0 in each dimension.
    n_rows : int
        Rows in all.

    Returns
    -------
    bool
        Whether some cells, but at most `SHARE` of all, are not 0.

    """
    return 0 < int(filled.sum()) <= SHARE * n_rows * len(filled)


def write_postings(folder: Path, kind: str, ids: "pa.Array", table: Any, filled: Ints) -> None:
    """Write the vectors of a table as unit vectors, rows in order of `ids`.

    Parameters
    ----------
    folder : Path
        Where the files go.
    kind : str
        Names the files.
    ids : Array
        In the order of the rows.
    table : Any
        Of lancedb, with an id and a vector in each row, in any order.
    filled : array of int, shape (dimension,)
        How many rows are not 0 in each dimension.

    """
    import pyarrow.compute as pc

    from corpusgraph.flows.store.lance import scan
    from corpusgraph.flows.store.tables import VECTOR

    start = np.concatenate([[0], np.cumsum(filled)]).astype(np.int64)
    np.save(_path(folder, kind, "start"), start)
    row = open_memmap(_path(folder, kind, "row"), "w+", np.int32, (int(start[-1]),))
    value = open_memmap(_path(folder, kind, "value"), "w+", np.float32, row.shape)
    there = np.zeros(len(ids), dtype=bool)
    end = start[:-1].copy()
    for batch in scan(table, ["id", VECTOR], BATCH):
        flat = batch.column(VECTOR).combine_chunks().flatten().to_numpy()
        vectors: Floats = flat.reshape(batch.num_rows, -1)
        places = pc.index_in(batch.column("id"), value_set=ids).to_numpy().astype(np.int32)
        there[places] = True
        order = np.argsort(places)
        filled_here = np.ascontiguousarray(vectors[order].T) != 0
        dimension, at = np.nonzero(filled_here)
        counts = np.bincount(dimension, minlength=len(end))
        to = np.arange(len(at)) + np.repeat(end - np.cumsum(counts) + counts, counts)
        row[to] = places[order][at]
        value[to] = np.ascontiguousarray(unit_rows(vectors)[order].T)[filled_here]
        end += counts
    row.flush()
    value.flush()
    np.save(_path(folder, kind, "with"), there)


def read_postings(folder: Path, kind: str) -> Postings | None:
    """Map the vectors of a kind; None where they are not kept so.

    Parameters
    ----------
    folder : Path
        Where the files are.
    kind : str
        Names the files.

    Returns
    -------
    Postings or None
        Mapped, not read.

    """
    try:
        return Postings(*(np.asarray(np.load(_path(folder, kind, part), mmap_mode="r")) for part in PARTS))
    except (OSError, ValueError):
        return None


def _path(folder: Path, kind: str, part: str) -> Path:
    return folder / f"{kind}-vector-{part}.npy"


KINDS = {"entity": "entities", "relationship": "relationships", "chunk": "chunks", "report": "reports"}
"""What can be searched -> the table it is in."""

Hits = list[tuple[str, float]]
"""Id and score of each, best first."""
DIGITS = 6  # float32 carries no more; beyond them, equal vectors differ by the order of additions
_ROUGH = 1e-4  # more than a cosine summed in float32 is off by
SPARE = 32  # asked for beyond top_k, so that ties at the cut are decided by id


class LanceVectors:
    """Searches the tables of one generation: sparse vectors on disk, few dense ones as a matrix in memory.

    A matrix is read at the first query of its kind.
    """

    def __init__(self, folder: Path, manifest: Manifest, matrix_rows: int) -> None:
        self._folder = folder
        self._database = folder / DATABASE
        self._compiled = folder / COMPILED / str(manifest.serial)
        self._manifest = manifest
        self._matrix_rows = matrix_rows
        self._tables: dict[str, Any] = {}
        self._vector_tables: dict[str, Any] = {}
        self._matrices: dict[str, tuple[list[str], Floats]] = {}
        self._sparse: dict[str, tuple[Sequence[str], Postings] | None] = {}

    def nearest(self, kind: str, vector: Floats, top_k: int) -> Hits:
        """Return (id, cosine similarity), best first, ties by id.

        Above `matrix_rows` dense vectors the search is near, not exact.

        Raises
        ------
        MissingResourceError
            Where the index has no vectors.
        InvalidInputError
            For an unknown kind or another dimension.

        """
        rows, unit = self.asked(kind, vector)
        if rows == 0 or top_k <= 0:
            return []
        scores: NDArray[np.floating[Any]]
        if (kept := self._kept(kind)) is not None:
            ids, scores = kept[0], kept[1].cosines(unit)
        elif rows > self._matrix_rows:
            table = self._vector_table(kind)
            with self._there(kind):
                search = table.search(unit, query_type="vector").distance_type("cosine")
                hits = search.select(["id", "_distance"]).limit(top_k + SPARE).to_arrow().to_pydict()
            near = zip(hits["id"], (1 - distance for distance in hits["_distance"]), strict=True)
            return best_hits(near, top_k)
        else:
            ids, matrix = self.matrix(kind)
            scores = _dense(matrix, unit, top_k)
        return [(ids[i], score) for i, score in _top(scores, top_k) if score > -math.inf]

    def asked(self, kind: str, vector: Floats) -> tuple[int, Floats]:
        """Return how many items there are, and the query as a unit vector; refuses what cannot be asked.

        Parameters
        ----------
        kind : str
            entity, relationship, chunk or report.
        vector : array of float, shape (dimension,)
            A query.

        Returns
        -------
        tuple of int and Floats
            The unit vector has shape (dimension,).

        Raises
        ------
        MissingResourceError
            Where the index has no vectors.
        InvalidInputError
            For an unknown kind or another dimension.

        """
        rows, unit = self._rows(kind), unit_rows(np.asarray(vector, np.float32).reshape(1, -1))
        if (embedder := self._manifest.embedder) is None:
            message = f"Index {self._manifest.index!r} has no vectors."
            raise MissingResourceError(message, hint="Index the corpus with an embedder.")
        if embedder.dimension != unit.shape[1]:
            message = f"The query vector has dimension {unit.shape[1]}"
            raise InvalidInputError(f"{message}; those of {kind!r} have {embedder.dimension}.")
        return rows, unit[0]

    def count(self, kind: str) -> int:
        """Return how many items of a kind have a vector; a kind without is not told from one with.

        Parameters
        ----------
        kind : str
            entity, relationship, chunk or report.

        Returns
        -------
        int
            Of dense vectors, all items.

        """
        kept = self._kept(kind)
        return self._rows(kind) if kept is None else int(kept[1].there.sum())

    def is_exact(self, kind: str) -> bool:
        """Tell whether all vectors of a kind are compared, not a part that an index of them finds.

        Parameters
        ----------
        kind : str
            entity, relationship, chunk or report.

        Returns
        -------
        bool
            True up to `matrix_rows` items, and for sparse vectors.

        """
        return self._rows(kind) <= self._matrix_rows or self._kept(kind) is not None

    def status(self) -> VectorStatus:
        """Tell that the index's own files answer.

        Returns
        -------
        VectorStatus
            Backend lance.

        """
        return VectorStatus(backend="lance")

    def _kept(self, kind: str) -> tuple[Sequence[str], Postings] | None:
        """Return ids, in order, and the vectors that are kept by dimension; None where there are none."""
        if kind not in self._sparse:
            from corpusgraph.flows.store.compiled import read_rows

            if self._may_be_late(kind):
                self._vector_table(kind)
            rows = read_rows(self._compiled, KINDS[kind])
            found = None if rows is None else read_postings(self._compiled, kind)
            self._sparse[kind] = None if rows is None or found is None else (rows.ids, found)
        return self._sparse[kind]

    def matrix(self, kind: str) -> tuple[list[str], Floats]:
        """Return ids, in order, and their unit vectors (n, dimension)."""
        from corpusgraph.flows.store.tables import VECTOR

        if self._rows(kind) == 0:
            dimension = self._manifest.embedder.dimension if self._manifest.embedder else 0
            return [], np.zeros((0, dimension), np.float32)
        if kind in self._matrices:
            return self._matrices[kind]
        if (kept := self._kept(kind)) is not None:
            self._matrices[kind] = list(compress(kept[0], kept[1].there)), kept[1].rows()
        else:
            table = self._vector_table(kind)
            with self._there(kind):
                rows = table.search().select(["id", VECTOR]).to_arrow().sort_by("id")
            flat = rows.column(VECTOR).combine_chunks().flatten().to_numpy()
            self._matrices[kind] = rows.column("id").to_pylist(), unit_rows(flat.reshape(rows.num_rows, -1))
        return self._matrices[kind]

    def match(self, kind: str, query: str, top_k: int) -> Hits:
        """Return (id, BM25 score), best first, ties by id; a query without words finds nothing."""
        from corpusgraph.flows.store.lance import search_texts

        if self._rows(kind) == 0 or top_k <= 0 or not query.strip():
            return []
        with self._there(kind):
            return search_texts(self._table(kind), query, top_k)

    def _rows(self, kind: str) -> int:
        if kind not in KINDS:
            raise InvalidInputError(f"There is no kind {kind!r}.", hint=did_you_mean(kind, sorted(KINDS)))
        return self._manifest.tables[KINDS[kind]].rows

    def _there(self, kind: str) -> "AbstractContextManager[None]":
        return unless_gone(self._manifest, KINDS[kind])

    def _vector_table(self, kind: str) -> Any:
        """Return the table with the vectors of a kind; those that indexing left out are made now."""
        from corpusgraph.flows.store.late_vectors import vector_table
        from corpusgraph.flows.store.tables import VECTOR

        if kind not in self._vector_tables:
            with self._there(kind):
                table = self._table(kind)
            if VECTOR not in table.schema.names:
                if not self._may_be_late(kind):
                    message = "The items of this kind have no vectors."
                    raise MissingResourceError(message, hint="Use full-text search.")
                table = vector_table(self._folder, self._manifest, KINDS[kind], self._matrix_rows)
            self._vector_tables[kind] = table
        return self._vector_tables[kind]

    def _may_be_late(self, kind: str) -> bool:
        """Tell whether the embedder is a trained one, whose vectors of a kind indexing may have left out."""
        embedder = self._manifest.embedder
        if embedder is None or embedder.model is None:
            return False
        from corpusgraph.flows.store.late_vectors import LATE

        return KINDS[kind] in LATE and self._rows(kind) > 0

    def _table(self, kind: str) -> Any:
        from corpusgraph.flows.store.lance import open_table

        if kind not in self._tables:
            self._tables[kind] = open_table(self._database, self._manifest.tables[KINDS[kind]])
        return self._tables[kind]


def vectors_of(folder: Path, manifest: Manifest, matrix_rows: int) -> LanceVectors:
    """Return what answers searches of a generation by vector, as the settings of the environment say.

    Parameters
    ----------
    folder : Path
        Of the index.
    manifest : Manifest
        Of the generation.
    matrix_rows : int
        Up to so many vectors are compared one by one.

    Returns
    -------
    LanceVectors
        Of the index's own files, or of Qdrant.
        Nothing is read before the first search.

    Raises
    ------
    InvalidInputError
        For settings of Qdrant that do not go together.

    """
    if os.environ.get("CORPUSGRAPH_VECTORS"):
        from corpusgraph.flows.store.qdrant import QdrantVectors, place_in
        from corpusgraph.schemas.settings import Settings

        if (place := place_in(Settings.from_environment())) is not None:
            return QdrantVectors(folder, manifest, matrix_rows, place)
    return LanceVectors(folder, manifest, matrix_rows)


def _dense(rows: Floats, unit: Floats, top_k: int) -> "NDArray[np.float64]":
    """Return the cosine of the rows that may be among the best, and -inf for the others.

    Sums of float32 depend on the processor; those of doubles, rounded, do not, but take twice as long.
    """
    rough = rows @ unit
    least = np.partition(rough, -top_k)[-top_k] - _ROUGH if top_k < len(rough) else -math.inf
    among = np.flatnonzero(rough >= least)
    scores = np.full(len(rough), -math.inf)
    scores[among] = settled_cosines(rows[among], unit)
    return scores


def _top(scores: "NDArray[np.floating[Any]]", top_k: int) -> list[tuple[int, float]]:
    """Return the places of the best scores, rounded, best first, ties in order of place.

    Each of the best blocks has a score as good as its best, so what is worse than the last of them is out.
    """
    top_k = min(top_k, len(scores))
    among = np.flatnonzero(scores >= np.partition(scores, -top_k)[-top_k] - 2 * 10.0**-DIGITS)
    rounded = np.round(scores[among], DIGITS)
    kept = np.flatnonzero(rounded >= np.partition(rounded, -top_k)[-top_k])
    order = kept[np.argsort(-rounded[kept], kind="stable")][:top_k]
    return [(int(among[i]), round(float(rounded[i]), DIGITS)) for i in order]


def best_hits(hits: Iterable[tuple[str, float]], top_k: int) -> Hits:
    """Return (id, score rounded to what float32 carries), best first, ties by id.

    Parameters
    ----------
    hits : iterable of (str, float)
        Ids with scores, in any order.
    top_k : int
        Hits at most.

    Returns
    -------
    Hits
        Rounded to `DIGITS` decimals, so that ties are ties on every machine.

    """
    rounded = [(id_, round(score, DIGITS)) for id_, score in hits]
    return sorted(rounded, key=lambda hit: (-hit[1], hit[0]))[:top_k]


def first_wanted(ask: Callable[[int], Hits], is_wanted: Callable[[str], bool], top_k: int, n: int) -> Hits:
    """Return the best hits of those that are wanted; more than `n` are asked for until these are enough.

    Parameters
    ----------
    ask : callable
        n -> the n best hits, best first.
    is_wanted : callable
        Id -> whether it counts.
    top_k : int
        Hits wanted.
    n : int
        Hits to ask for at first; eight times as many each time after.

    Returns
    -------
    Hits
        Fewer than `top_k` where there are no more.

    """
    while top_k:
        hits = ask(n)
        wanted = [hit for hit in hits if is_wanted(hit[0])]
        if len(wanted) >= top_k or len(hits) < n:
            return wanted[:top_k]
        n *= 8
    return []


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
