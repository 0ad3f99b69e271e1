"""Sparse vectors as postings: for each dimension the rows that are not 0 in it, and their values.

The offline embedder's vectors of names and short texts are zero in three to four dimensions of five, a query
of a few words in nine of ten. A search adds up the postings of the dimensions that the query has: exact, of
any number of rows, and from 0.4 to 0.8 of the space that the vectors take.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from numpy.lib.format import open_memmap

from corpusgraph.schemas.ports import Floats, Ints

if TYPE_CHECKING:
    import pyarrow as pa
    from numpy.typing import NDArray

SHARE = 0.5
"""Of a vector's dimensions that are not 0 on average, at most: beyond it postings take more than vectors."""
PARTS = ("start", "row", "value", "with")


def unit(rows: Floats) -> Floats:
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


def write_postings(
    folder: Path, kind: str, ids: "pa.Array", batches: "Iterable[pa.Table]", vector: str, filled: Ints
) -> None:
    """Write unit vectors, rows in order of `ids`.

    Parameters
    ----------
    folder : Path
        Where the files go.
    kind : str
        Names the files.
    ids : Array
        In the order of the rows.
    batches : iterable of Table
        An id and a vector in each row, in any order.
    vector : str
        Name of the column of vectors.
    filled : array of int, shape (dimension,)
        How many rows are not 0 in each dimension.

    """
    import pyarrow.compute as pc

    start = np.concatenate([[0], np.cumsum(filled)]).astype(np.int64)
    np.save(_path(folder, kind, "start"), start)
    row = open_memmap(_path(folder, kind, "row"), "w+", np.int32, (int(start[-1]),))
    value = open_memmap(_path(folder, kind, "value"), "w+", np.float32, row.shape)
    there = np.zeros(len(ids), dtype=bool)
    end = start[:-1].copy()
    for batch in batches:
        flat = batch.column(vector).combine_chunks().flatten().to_numpy()
        vectors: Floats = flat.reshape(batch.num_rows, -1)
        places = pc.index_in(batch.column("id"), value_set=ids).to_numpy().astype(np.int32)
        there[places] = True
        order = np.argsort(places)
        filled_here = np.ascontiguousarray(vectors[order].T) != 0
        dimension, at = np.nonzero(filled_here)
        counts = np.bincount(dimension, minlength=len(end))
        to = np.arange(len(at)) + np.repeat(end - np.cumsum(counts) + counts, counts)
        row[to] = places[order][at]
        value[to] = np.ascontiguousarray(unit(vectors)[order].T)[filled_here]
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
