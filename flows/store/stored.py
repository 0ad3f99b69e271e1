"""The documents that a published generation holds, read a few at a time."""

from collections.abc import Iterator
from pathlib import Path

from corpusgraph.flows.files.manifest import DATABASE, Manifest
from corpusgraph.schemas.documents import Document

BATCH = 64
"""Documents held in memory at a time."""


def stored_documents(folder: Path, manifest: Manifest) -> Iterator[Document]:
    """Yield the documents of an index's generation as they were loaded, in the order they were written."""
    from corpusgraph.flows.store.lance import open_table, scan
    from corpusgraph.flows.store.tables import TABLES, to_nouns

    spec = TABLES["documents"]
    table = open_table(folder / DATABASE, manifest.tables["documents"])
    for batch in scan(table, spec.schema().names, BATCH):
        yield from to_nouns(spec, batch)
