"""LanceDB: write a table, index it, open it at a version, scan it in order, search its texts."""

from collections.abc import Iterable, Iterator, Sequence
from datetime import timedelta
from functools import partial
from hashlib import blake2b
from pathlib import Path
from typing import Any

import lancedb
import numpy as np
import pyarrow as pa
from lancedb.index import FTS, IvfFlat
from lancedb.query import FullTextOperator, MatchQuery

from corpusgraph.flows.files.background import Background
from corpusgraph.flows.files.manifest import TableVersion
from corpusgraph.flows.store.tables import (
    SEARCH,
    VECTOR,
    Row,
    TableSpec,
    holds,
    phrases_of,
    segmented,
    text_of,
    to_arrow,
)
from corpusgraph.flows.store.vectors import SPARE, Hits, best_hits, is_sparse
from corpusgraph.schemas.errors import InvalidInputError
from corpusgraph.schemas.ports import Floats, Ints

FLUSH_ROWS = 16_384
FLUSH_BYTES = 8 * 2**20


def content(table: pa.Table) -> bytes:
    """Return the rows of a table as JSON lines, without search texts and vectors, which are made from them.

    Parameters
    ----------
    table : Table
        Rows in the order of the table.

    Returns
    -------
    bytes
        To be hashed: the same for the same rows, however they are cut into batches.

    """
    import polars as pl

    names = [name for name in table.column_names if name not in {SEARCH, VECTOR}]
    return pl.DataFrame(table.select(names)).write_ndjson().encode()


def connect(folder: Path) -> Any:
    """Open (or make) the LanceDB database of an index.

    Parameters
    ----------
    folder : Path
        Of the database.

    Returns
    -------
    Any
        A connection of lancedb that does not look for newer versions of what it has opened.

    """
    return lancedb.connect(str(folder), read_consistency_interval=None)


def text_index() -> FTS:
    """Say how texts are indexed: by one worker, so that every score is the same on any number of cores.

    Returns
    -------
    FTS
        For `create_index` of a text column; accents count.

    """
    return FTS(base_tokenizer="icu/split", ascii_folding=False, num_workers=1)


class TableWriter:
    """Writes one table of a generation: rows wait until a batch is worth a fragment, never longer.

    Fragments are written in the background, in order.
    """

    def __init__(self, database: Any, spec: TableSpec, name: str, background: Background) -> None:
        self.spec = spec
        self.name = name
        self.rows = 0
        self.dimension: int | None = None
        self._database = database
        self._background = background
        self._table: Any = None
        self.filled: Ints = np.zeros(0, dtype=np.int64)
        """How many vectors are not 0 in each dimension (dimension,)."""
        self._waiting: list[pa.Table] = []
        self._digest = blake2b(digest_size=16)

    def add(self, rows: Sequence[Row], vectors: Floats | None) -> None:
        """Append rows, with one vector each if the table's first rows had them.

        Parameters
        ----------
        rows : sequence of Row
            In the order of the table; none is nothing to do.
        vectors : array of float, shape (len(rows), dimension), optional
            In the order of the rows.

        Raises
        ------
        InvalidInputError
            For a row that the table cannot hold.

        """
        if not rows:
            return
        self._check(rows, vectors)
        batch = to_arrow(self.spec, rows, vectors)
        self._digest.update(content(batch))
        self.rows += len(rows)
        if vectors is not None:
            self.filled = np.count_nonzero(vectors, axis=0) + (self.filled if len(self.filled) else 0)
        self._waiting.append(batch)
        n_rows, n_bytes = (sum(getattr(t, size) for t in self._waiting) for size in ("num_rows", "nbytes"))
        if n_rows >= FLUSH_ROWS or n_bytes >= FLUSH_BYTES:
            waiting, self._waiting = self._waiting, []
            self._background.submit(partial(self._append, waiting))

    def _check(self, rows: Sequence[Row], vectors: Floats | None) -> None:
        given = None if vectors is None else vectors.shape[-1]
        if vectors is not None and vectors.shape != (len(rows), given):
            shape = f"vectors of shape {vectors.shape}"
            raise InvalidInputError(f"{len(rows)} rows for table {self.spec.name!r} come with {shape}.")
        if given and not self.spec.kind:
            raise InvalidInputError(f"Table {self.spec.name!r} holds no vectors.")
        if self.rows and given != self.dimension:
            message = f"Table {self.spec.name!r} holds vectors of dimension {self.dimension}, not {given}."
            raise InvalidInputError(message, hint="Give every batch of a table vectors, or none.")
        self.dimension = given

    @property
    def sparse(self) -> bool:
        """Tell whether vectors are mostly 0, though not wholly: these are searched by dimension."""
        return is_sparse(self.filled, self.rows)

    def _append(self, waiting: Sequence[pa.Table]) -> None:
        if self._table is None:
            self._table = self._database.create_table(self.name, schema=self.spec.schema(self.dimension))
        if waiting:
            self._table.add(pa.concat_tables(waiting))

    def finish(self, matrix_rows: int) -> TableVersion:
        """Write what waits, index the table and say where it is; runs in the background, after all else.

        Parameters
        ----------
        matrix_rows : int
            More vectors than this get an index of their own, unless they are mostly 0.

        Returns
        -------
        TableVersion
            Where the table is, how many rows it has, and a hash of its content.

        """
        self._append(self._waiting)
        self._waiting.clear()
        if self.spec.kind and self.rows:
            self._table.create_index(SEARCH, config=text_index())
        if self.rows > matrix_rows and self.filled.any() and not self.sparse:
            index_vectors(self._table)
        names = [index.name for index in self._table.list_indices()]
        self._table.wait_for_index(names, timedelta(hours=1))
        return TableVersion(
            name=self.name, version=self._table.version, rows=self.rows, digest=self._digest.hexdigest()
        )


def write_vectors(
    database: Any, name: str, batches: Iterable[tuple[Sequence[str], Floats]], dimension: int
) -> tuple[Any, Ints]:
    """Write a table of ids and vectors.

    Parameters
    ----------
    database : Any
        Connection of lancedb.
    name : str
        Of the table, which must not be there.
    batches : iterable of (sequence of str, array of float, shape (rows, dimension))
        Ids with their vectors.
    dimension : int
        Length of every vector.

    Returns
    -------
    tuple of Any and Ints
        The table, and how many vectors are not 0 in each dimension, shape (dimension,).

    """
    schema = pa.schema({"id": pa.string(), VECTOR: pa.list_(pa.float32(), dimension)})
    table, filled = database.create_table(name, schema=schema), np.zeros(dimension, np.int64)
    for ids, vectors in batches:
        flat = pa.array(vectors.astype("f4").ravel())
        rows = [pa.array(ids, pa.string()), pa.FixedSizeListArray.from_arrays(flat, dimension)]
        table.add(pa.Table.from_arrays(rows, schema=schema))
        filled += np.count_nonzero(vectors, axis=0)
    return table, filled


def index_vectors(table: Any) -> None:
    """Index the vectors of a table, so that a search compares a part of them.

    Parameters
    ----------
    table : Any
        Of lancedb, with a vector column. The index is inverted lists without compression: a search is near,
        not exact.

    """
    table.create_index(VECTOR, config=IvfFlat(distance_type="cosine"))


def open_table(folder: Path, table: TableVersion) -> Any:
    """Open a table as it was when its generation was published.

    Parameters
    ----------
    folder : Path
        Of the database.
    table : TableVersion
        Name and version, as the manifest has them.

    Returns
    -------
    Any
        A table of lancedb.

    """
    return connect(folder).open_table(table.name, version=table.version)


def read(table: Any, columns: Sequence[str]) -> pa.Table:
    """Return some columns of all rows.

    Parameters
    ----------
    table : Any
        Of lancedb, opened at a version.
    columns : sequence of str
        Names of columns.

    Returns
    -------
    Table
        All in memory.

    """
    return table.search().select(list(columns)).to_arrow()


def scan(table: Any, columns: Sequence[str], rows: int) -> Iterator[pa.Table]:
    """Yield some columns in the order they were written, at most `rows` rows at a time.

    Parameters
    ----------
    table : Any
        Of lancedb, opened at a version.
    columns : sequence of str
        Names of columns.
    rows : int
        Rows at a time, 1 or more.

    Yields
    ------
    Table
        As many rows each, the last perhaps fewer.

    """
    for batch in table.search().select(list(columns)).to_batches(rows):
        yield pa.Table.from_batches([batch])


def text_table(kind: str, items: Sequence[Any]) -> Any:
    """Index the texts of items of one kind, which must not be empty.

    Parameters
    ----------
    kind : str
        entity, relationship, chunk or report.
    items : sequence of Any
        One or more.

    Returns
    -------
    Any
        A table of lancedb in memory.

    """
    texts = [text_of(kind, item) for item in items]
    rows = pa.table({"id": [item.id for item in items], SEARCH: texts})
    table = lancedb.connect("memory://").create_table(kind, rows)
    table.create_index(SEARCH, config=text_index())
    return table


def search_texts(table: Any, query: str, top_k: int) -> Hits:
    """Return (id, BM25 score), best first, ties by id; of a query in quotes what has it word for word.

    Parameters
    ----------
    table : Any
        As `text_table` makes it, or the stored one.
    query : str
        In any words.
    top_k : int
        Items at most, 1 or more.

    Returns
    -------
    Hits
        Scores above 0, rounded to `DIGITS` decimals.

    """
    phrases = phrases_of(query)
    every = FullTextOperator.AND if phrases else FullTextOperator.OR
    asked = MatchQuery(segmented(query), SEARCH, operator=every)  # type: ignore[call-arg]  # defaults
    width = top_k + SPARE
    while True:
        search = table.search(asked, query_type="fts").select(
            ["id", "_score", *([SEARCH] if phrases else [])]
        )
        rows = search.limit(width).to_arrow().to_pylist()
        hits = [row for row in rows if not phrases or holds(row[SEARCH], phrases)]
        if len(hits) >= top_k or len(rows) < width:
            return best_hits(((hit["id"], hit["_score"]) for hit in hits), top_k)
        width *= 8
