"""A generation is removed two publishes after its own: who reads it then is told so."""

from collections.abc import Iterator
from contextlib import contextmanager

from corpusgraph.flows.resources.manifest import Manifest
from corpusgraph.schemas.errors import IndexNotFoundError


@contextmanager
def unless_gone(manifest: Manifest, table: str) -> Iterator[None]:
    """Read a table's files; raises IndexNotFoundError (`generation_gone`) where LanceDB cannot.

    LanceDB raises ValueError, RuntimeError or OSError, by what is missing first.
    """
    try:
        yield
    except (ValueError, RuntimeError, OSError) as error:
        message = f"Table {table!r} of index {manifest.index!r}, {manifest.generation}, cannot be read."
        hint = "Open the index again; if that fails too, index the corpus again."
        raise IndexNotFoundError(message, hint=hint, code="generation_gone") from error
