"""Which ids belong to which: a one-to-many lookup over Arrow arrays, without a Python object per id."""

from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from corpusgraph.schemas.ports import Ints


class Groups:
    """Values by key, in the order given."""

    def __init__(self, keys: pa.Array, values: pa.Array) -> None:
        coded = keys.dictionary_encode()
        codes: Ints = coded.indices.to_numpy(zero_copy_only=False).astype(np.int64)
        self._keys = coded.dictionary
        self._values = values.take(pa.array(np.argsort(codes, kind="stable")))
        sizes = np.bincount(codes, minlength=len(self._keys))
        self._ends = np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)

    def of(self, keys: pa.Array) -> pa.ListArray:
        """Return the values of each key, an empty list where it has none."""
        at: Ints = pc.index_in(keys, value_set=self._keys).fill_null(-1).to_numpy(zero_copy_only=False)
        known = at >= 0
        starts = np.where(known, self._ends[at], 0)
        sizes = np.where(known, self._ends[at + 1] - starts, 0) if len(self._keys) else np.zeros_like(starts)
        ends = np.concatenate([[0], np.cumsum(sizes)]).astype(np.int32)
        within = np.arange(ends[-1]) - np.repeat(ends[:-1], sizes)
        values = self._values.take(pa.array(np.repeat(starts, sizes) + within))
        return pa.ListArray.from_arrays(pa.array(ends), values)


def whole(column: Any) -> pa.Array:
    """Return a column as one array."""
    joined = column.combine_chunks()
    return joined if isinstance(joined, pa.Array) else pa.concat_arrays(joined.chunks)
