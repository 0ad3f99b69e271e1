"""Sparse vectors by dimension: a search reads only the dimensions that its query has.

The offline embedder's query of a few words is zero in nine dimensions of ten. Beyond the size that is
searched as a matrix in memory, its scores are then exact and sooner there than an approximate index's.
"""

from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from numpy.lib.format import open_memmap

from corpusgraph.schemas.ports import Floats

if TYPE_CHECKING:
    import pyarrow as pa

SHARE = 0.25
"""Of the dimensions that a query has at most to be searched so, and vectors have on average to be kept so."""
_BLOCK = 65_536  # rows whose scores stay in the processor's cache while dimensions are added


def unit(rows: Floats) -> Floats:
    """Scale rows to length 1; a zero row stays zero and is as near to everything as to nothing."""
    lengths = np.linalg.norm(rows, axis=1, keepdims=True)
    scaled: Floats = np.divide(rows, lengths, out=np.zeros_like(rows), where=lengths > 0)
    return scaled


def write_columns(path: Path, ids: "pa.Array", batches: "Iterable[pa.Table]", vector: str) -> bool:
    """Write unit vectors as (dimension, rows), rows in order of `ids`; False where they are not sparse.

    Batches have an id and a vector in each row, in any order.
    """
    import pyarrow.compute as pc

    columns = None
    for batch in batches:
        flat = batch.column(vector).combine_chunks().flatten().to_numpy()
        rows = unit(flat.reshape(batch.num_rows, -1))
        if columns is None:
            if np.count_nonzero(rows) > SHARE * rows.size:
                return False
            columns = open_memmap(path, "w+", np.float32, (rows.shape[1], len(ids)))
        places = pc.index_in(batch.column("id"), value_set=ids).to_numpy()
        order = np.argsort(places)
        columns[:, places[order]] = rows[order].T
    if columns is None:
        return False
    columns.flush()
    return True


def read_columns(path: Path) -> Floats | None:
    """Map the vectors of a kind (dimension, rows); None where they are not kept so."""
    return np.asarray(np.load(path, mmap_mode="r")) if path.exists() else None


def cosines(columns: Floats, query: Floats) -> Floats:
    """Return the cosine of a unit query (dimension,) with every row."""
    there = np.flatnonzero(query)
    scores = np.zeros(columns.shape[1], np.float32)
    for at in range(0, len(scores), _BLOCK):
        part = scores[at : at + _BLOCK]
        for i in there.tolist():
            part += query[i] * columns[i, at : at + _BLOCK]
    return scores
