"""LanceDB behind four words: write a table, index it, open it at a version, scan it in order."""

from collections.abc import Iterable, Iterator, Sequence
from datetime import timedelta
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

from corpusgraph.flows.resources.background import Background
from corpusgraph.flows.resources.digest import ContentDigest
from corpusgraph.flows.resources.lazyvalidators import built_when_used
from corpusgraph.flows.resources.manifest import TableVersion
from corpusgraph.flows.resources.postings import is_sparse
from corpusgraph.flows.resources.rows import Row, to_arrow
from corpusgraph.flows.resources.tables import SEARCH, VECTOR, TableSpec
from corpusgraph.schemas.errors import InvalidInputError
from corpusgraph.schemas.ports import Floats, Ints

with built_when_used():
    import lancedb
    from lancedb.index import FTS, IvfFlat

FLUSH_ROWS = 16_384
FLUSH_BYTES = 8 * 2**20


def connect(folder: Path) -> Any:
    """Open (or make) the LanceDB database of an index."""
    return lancedb.connect(str(folder), read_consistency_interval=None)


def text_index() -> FTS:
    """Say how texts are indexed: by one worker, so that every score is the same on any number of cores."""
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
        self._digest = ContentDigest(frozenset({SEARCH, VECTOR}))

    def add(self, rows: Sequence[Row], vectors: Floats | None) -> None:
        """Append rows, with one vector each if the table's first rows had them."""
        if not rows:
            return
        self._check(rows, vectors)
        batch = to_arrow(self.spec, rows, vectors)
        self._digest.update(batch)
        self.rows += len(rows)
        if vectors is not None:
            self.filled = np.count_nonzero(vectors, axis=0) + (self.filled if len(self.filled) else 0)
        self._waiting.append(batch)
        if (
            sum(table.num_rows for table in self._waiting) >= FLUSH_ROWS
            or sum(table.nbytes for table in self._waiting) >= FLUSH_BYTES
        ):
            waiting, self._waiting = self._waiting, []
            self._background.submit(partial(self._append, waiting))

    def _check(self, rows: Sequence[Row], vectors: Floats | None) -> None:
        given = None if vectors is None else vectors.shape[-1]
        if vectors is not None and vectors.shape != (len(rows), given):
            message = (
                f"{len(rows)} rows for table {self.spec.name!r} come with vectors of shape {vectors.shape}."
            )
            raise InvalidInputError(message)
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
        """Write what waits, index the table and say where it is; runs in the background, after all else."""
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
    """Write a table of ids and vectors (rows, dimension).

    Returns it and how many vectors are not 0 in each dimension (dimension,).
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
    """Index the vectors of a table, so that a search compares a part of them."""
    table.create_index(VECTOR, config=IvfFlat(distance_type="cosine"))


def open_table(folder: Path, table: TableVersion) -> Any:
    """Open a table as it was when its generation was published."""
    return connect(folder).open_table(table.name, version=table.version)


def read(table: Any, columns: Sequence[str]) -> pa.Table:
    """Return some columns of all rows."""
    return table.search().select(list(columns)).to_arrow()


def scan(table: Any, columns: Sequence[str], rows: int) -> Iterator[pa.Table]:
    """Yield some columns in the order they were written, `rows` rows at a time, however they are stored."""
    waiting: list[pa.Table] = []
    count = 0
    for batch in table.search().select(list(columns)).to_batches(rows):
        waiting.append(pa.Table.from_batches([batch]))
        count += batch.num_rows
        while count >= rows:
            whole = pa.concat_tables(waiting)
            yield whole.slice(0, rows)
            waiting = [whole.slice(rows)]
            count -= rows
    if count:
        yield pa.concat_tables(waiting)
