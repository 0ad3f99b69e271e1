"""A hash of a table's rows that does not depend on the batches they came in."""

from hashlib import blake2b
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc


class ContentDigest:
    """Hashes each column as streams of presence, lengths and values; feed tables in row order."""

    def __init__(self, skip: frozenset[str] = frozenset()) -> None:
        self._skip = skip
        self._streams: dict[str, Any] = {}

    def update(self, table: pa.Table) -> None:
        """Take the next rows in."""
        for name, column in zip(table.column_names, table.columns, strict=True):
            if name not in self._skip:
                for chunk in column.chunks:
                    self._feed(name, chunk)

    def hexdigest(self) -> str:
        """Return 32 hexadecimal digits."""
        whole = blake2b(digest_size=16)
        for name in sorted(self._streams):
            whole.update(name.encode() + self._streams[name].digest())
        return whole.hexdigest()

    def _feed(self, name: str, array: pa.Array) -> None:
        self._put(f"{name}?", array.is_valid())
        present = array.drop_null()
        if pa.types.is_list(array.type):
            self._put(f"{name}#", pc.list_value_length(present))
            self._feed(f"{name}[]", present.flatten())
        elif pa.types.is_string(array.type):
            self._put(f"{name}#", pc.binary_length(present))
            self._stream(f"{name}=").update(_text_bytes(present))
        else:
            self._put(f"{name}=", present)

    def _put(self, stream: str, fixed: pa.Array) -> None:
        self._stream(stream).update(fixed.to_numpy(zero_copy_only=False).tobytes())

    def _stream(self, name: str) -> Any:
        return self._streams.setdefault(name, blake2b(digest_size=16))


def _text_bytes(array: pa.Array) -> memoryview:
    """Return the bytes of all strings of a null-free array, one after the other."""
    if not len(array):
        return memoryview(b"")
    _, offsets, data = array.buffers()
    ends = memoryview(offsets).cast("i")
    return memoryview(data)[ends[array.offset] : ends[array.offset + len(array)]]
