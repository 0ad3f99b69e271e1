"""Writing one generation: nothing of it is visible until the manifest is replaced."""

import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Future
from functools import cache, partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from corpusgraph.flows.files import manifest as manifests
from corpusgraph.flows.files.background import Background
from corpusgraph.flows.files.disk import guarded, one_line, remove_tree, sync_tree
from corpusgraph.flows.files.manifest import (
    COMPILED,
    DATABASE,
    LEDGER,
    OUTPUT,
    EmbedderInfo,
    Manifest,
    TableVersion,
    read_manifest,
)
from corpusgraph.schemas.base import JsonDict, stable_id
from corpusgraph.schemas.documents import Document, Failure
from corpusgraph.schemas.errors import EmbedderMismatchError, InvalidInputError
from corpusgraph.schemas.ports import Floats

if TYPE_CHECKING:  # LanceDB takes a second to import; a run that finds nothing to do never waits for it
    import pyarrow as pa

    from corpusgraph.flows.store.compiled import Read
    from corpusgraph.flows.store.lance import TableWriter
    from corpusgraph.flows.store.tables import Row

STAGING = ".staging"
DOCUMENTS = 64
"""Documents read back at a time."""
KEEP = 2
"""Generations kept: the published one and the one before it, for readers that opened it."""

_LANCE_TABLE = re.compile(r"[a-z]+-(\d+)\.lance")


class GenerationWriter:
    """Collects the tables of one generation and publishes them together. Made by `IndexStore.write`.

    Parameters
    ----------
    folder : Path
        Of the index; its lock is held.
    matrix_rows : int
        More dense vectors than this get an index of their own.

    """

    def __init__(self, folder: Path, *, matrix_rows: int) -> None:
        self.folder = folder
        previous = read_manifest(folder)
        self.serial = previous.serial + 1 if previous else 1
        self._matrix_rows = matrix_rows
        self._tables: dict[str, TableWriter] = {}
        self._finished: dict[str, Future[TableVersion]] = {}
        self._background = Background()

    def add(self, table: str, rows: "Iterable[Row]", vectors: Floats | None = None) -> None:
        """Append a batch to a table; one that gets no rows in this generation is empty in it.

        Parameters
        ----------
        table : str
            Name of the table.
        rows : iterable of Row
            Nouns or mappings, in the order of the table.
        vectors : array of float, shape (rows, dimension), optional
            In the order of the rows; all batches of a table have them or none.

        Raises
        ------
        InvalidInputError
            For a row the table cannot hold, and for a table that is finished.
        OutputError
            Where the folder cannot be written.

        """
        if table in self._finished:
            raise InvalidInputError(f"Table {table!r} of this generation is finished.")
        batch = list(rows)
        with guarded(self.folder):
            self._writer(table).add(batch, vectors)

    def _writer(self, table: str) -> "TableWriter":
        from corpusgraph.flows.store.lance import TableWriter, connect
        from corpusgraph.flows.store.tables import table_spec

        spec = table_spec(table)
        if table not in self._tables:
            database = connect(self.folder / DATABASE)
            name = f"{table}-{self.serial}"
            self._tables[table] = TableWriter(database, spec, name, self._background)
        return self._tables[table]

    def finish(self, *tables: str) -> None:
        """Say that tables are complete: they are indexed and synced while others are still filled.

        Parameters
        ----------
        *tables : str
            Names of tables that get no more rows.

        Raises
        ------
        OutputError
            Where the folder cannot be written.

        """

        def finish(writer: "TableWriter") -> TableVersion:
            version = writer.finish(self._matrix_rows)
            sync_tree(self.folder / DATABASE / f"{version.name}.lance")
            return version

        with guarded(self.folder):
            for table in tables:
                if table not in self._finished:
                    self._finished[table] = self._background.submit(partial(finish, self._writer(table)))

    def close(self) -> None:
        """Stop writing: what was not published is left to `tidy`."""
        self._background.close()

    def publish(self, facts: Mapping[str, Any] | None = None) -> Manifest:
        """Index the tables, write `output/` and the failure ledger, and replace the manifest.

        Parameters
        ----------
        facts : mapping of str to Any, optional
            Fields of the manifest (embedder, config_fingerprint, corpus_fingerprint, packages, timings); what
            else it holds is kept under the manifest's `facts`.

        Returns
        -------
        Manifest
            As it was written: from now on readers open this generation.

        Raises
        ------
        OutputError
            Where the folder cannot be written; the generation before stays published.

        """
        from corpusgraph.flows.store.tables import TABLES

        self.finish(*TABLES)
        with guarded(self.folder):
            tables = {name: self._finished[name].result() for name in TABLES}
            manifest = self._manifest(tables, dict(facts or {}))
            self._stage(tables)
            manifests.write_manifest(self.folder, manifest)
            tidy(self.folder)
        return manifest

    def _manifest(self, tables: dict[str, TableVersion], facts: JsonDict) -> Manifest:
        known = {name: facts.pop(name) for name in _FACTS if name in facts}
        known.setdefault("packages", manifests.package_versions())
        unstamped = Manifest(
            index=self.folder.name,
            generation="",
            serial=self.serial,
            created=manifests.now(),
            tables=tables,
            failures=tables["failures"].rows,
            facts=facts,
            **known,
        )
        self._check_vectors(unstamped.embedder)
        # named by what the tables hold: however the documents came in, the same documents have one name
        embedder = unstamped.embedder.model_dump_json() if unstamped.embedder else ""
        digests = [f"{name}={tables[name].digest}" for name in sorted(tables)]
        generation = stable_id("gen", unstamped.config_fingerprint, embedder, *digests)
        return unstamped.model_copy(update={"generation": generation})

    def _check_vectors(self, embedder: EmbedderInfo | None) -> None:
        for name, writer in sorted(self._tables.items()):
            if writer.dimension and (embedder is None or embedder.dimension != writer.dimension):
                told = f"{embedder.name!r} of dimension {embedder.dimension}" if embedder else "no embedder"
                message = (
                    f"Table {name!r} has vectors of dimension {writer.dimension}; the facts name {told}."
                )
                raise EmbedderMismatchError(message)

    def _stage(self, tables: dict[str, TableVersion]) -> None:
        from corpusgraph.flows.store.graphrag_tables import write_graphrag_tables
        from corpusgraph.flows.store.lance import open_table, read
        from corpusgraph.flows.store.tables import SEARCH, TABLES

        staging = self.folder / STAGING
        (staging / OUTPUT).mkdir(parents=True)
        opened = {name: open_table(self.folder / DATABASE, table) for name, table in tables.items()}

        @cache
        def whole(name: str) -> "pa.Table":
            """Read a table once: a query costs more than a small table holds."""
            return read(opened[name], [n for n in TABLES[name].schema().names if n != SEARCH])

        def columns(name: str, names: Sequence[str]) -> "pa.Table":
            return whole(name).select(list(names))

        write_graphrag_tables(columns, staging / OUTPUT)
        self._compile(opened, columns)
        with (staging / LEDGER).open("w", encoding="utf-8", newline="\n") as ledger:
            for failure in columns("failures", list(Failure.model_fields)).to_pylist():
                ledger.write(one_line(json.dumps(failure, ensure_ascii=False)) + "\n")
        sync_tree(staging)
        staging.rename(_staged(self.folder, self.serial))

    def _compile(self, opened: Mapping[str, Any], read: "Read") -> None:
        """Write what answers are read from: rows, arrays, and sparse vectors by dimension."""
        from corpusgraph.flows.store.compiled import ids_of, write_compiled
        from corpusgraph.flows.store.vectors import write_postings

        folder = self.folder / COMPILED / str(self.serial)
        if not write_compiled(folder, read):
            return
        for name, writer in sorted(self._tables.items()):
            if (kind := writer.spec.kind) and writer.sparse:
                write_postings(folder, kind, ids_of(folder, name), opened[name], writer.filled)
        sync_tree(folder)


_FACTS = ("embedder", "config_fingerprint", "corpus_fingerprint", "packages", "timings")


def _staged(folder: Path, serial: int) -> Path:
    return folder / f"{STAGING}-{serial}"


def tidy(folder: Path) -> None:
    """Bring an index's folder to what its manifest says; only the holder of the lock may.

    Files staged for the published generation take their place (a crash may have come between), what
    an unpublished run left is removed, and so are generations before the previous one.

    Parameters
    ----------
    folder : Path
        Of the index. `KEEP` generations stay, for readers that opened one before.

    """
    manifest = read_manifest(folder)
    serial = manifest.serial if manifest else 0
    if _staged(folder, serial).exists():
        _promote(_staged(folder, serial), folder)
    for leftover in sorted(folder.glob(f"{STAGING}*")):
        remove_tree(leftover)
    for table in sorted((folder / DATABASE).glob("*.lance")):
        made = _LANCE_TABLE.fullmatch(table.name)
        if made and not serial - KEEP < int(made[1]) <= serial:
            remove_tree(table)
    for compiled in sorted((folder / COMPILED).glob("*")):
        if not (compiled.name.isdecimal() and serial - KEEP < int(compiled.name) <= serial):
            remove_tree(compiled)


def _promote(staged: Path, folder: Path) -> None:
    """Move staged files over the old ones; each is replaced in one step, so none is ever missing."""
    (folder / OUTPUT).mkdir(exist_ok=True)
    for path in sorted(staged.rglob("*.*")):
        path.replace(folder / path.relative_to(staged))


def stored_documents(folder: Path, manifest: Manifest) -> Iterator[Document]:
    """Yield the documents of an index's generation as they were loaded, in the order they were written.

    Parameters
    ----------
    folder : Path
        Of the index.
    manifest : Manifest
        Of the generation.

    Yields
    ------
    Document
        One at a time, with its text.

    """
    from corpusgraph.flows.store.lance import open_table, scan
    from corpusgraph.flows.store.tables import TABLES, to_nouns

    spec = TABLES["documents"]
    table = open_table(folder / DATABASE, manifest.tables["documents"])
    for batch in scan(table, spec.schema().names, DOCUMENTS):
        yield from to_nouns(spec, batch)
