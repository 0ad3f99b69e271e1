"""A generation is removed two publishes after its own: who reads it then is told so."""

import re
from collections.abc import Iterator
from contextlib import contextmanager

from corpusgraph.flows.resources.manifest import Manifest
from corpusgraph.schemas.errors import IndexNotFoundError

_MISSING = re.compile(r"not found:|was not found|no such file", re.IGNORECASE)
"""How LanceDB says that a file or a table is not there; anything else it says is about what was asked."""


@contextmanager
def unless_gone(manifest: Manifest, table: str) -> Iterator[None]:
    """Read a table's files; raises IndexNotFoundError (`generation_gone`) where they are not there.

    LanceDB raises ValueError, RuntimeError or OSError, by what is missing first.
    """
    try:
        yield
    except (ValueError, RuntimeError, OSError) as error:
        if not _MISSING.search(str(error)):
            raise
        message = f"Table {table!r} of index {manifest.index!r}, {manifest.generation}, cannot be read."
        hint = "Open the index again; if that fails too, index the corpus again."
        raise IndexNotFoundError(message, hint=hint, code="generation_gone") from error
