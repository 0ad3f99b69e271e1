"""The indexes below one outputs folder: write a generation, publish it, open what is published.

`outputs/<name>/` holds `lancedb/` (all tables), `cache/` (results of stages), `output/*.parquet`
(GraphRAG's shapes), `failures.jsonl` (the ledger), `lock` and `manifest.json`. The manifest is the
commit: it names the Lance tables and versions of the published generation, and is replaced last, in one
step. Each run writes tables of its own (`entities-7` is the seventh run's), so a run that dies leaves
only tables that nothing names, and the next run removes them.
"""

import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from corpusgraph.flows.files.cache import StageCache
from corpusgraph.flows.files.disk import guarded
from corpusgraph.flows.files.manifest import Manifest, is_index, read_manifest, single_writer
from corpusgraph.schemas.errors import IndexNotFoundError, InvalidInputError, did_you_mean, shown

if TYPE_CHECKING:
    from corpusgraph.flows.store.opened import OpenIndex
    from corpusgraph.flows.store.writer import GenerationWriter

MATRIX_ROWS = 200_000
"""Up to here a vector query multiplies a matrix in memory (exact); above, Lance's own index answers."""

SHOWN = 20
"""Indexes that a message names."""

_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.-]{0,99}")


class IndexStore:
    """Every index of an outputs folder, by name. Making one reads and writes nothing.

    Parameters
    ----------
    outputs : Path
        Folder of the indexes; it need not be there.
    matrix_rows : int, default MATRIX_ROWS
        More dense vectors than this get an index of their own, whose search is near, not exact.

    """

    def __init__(self, outputs: Path, *, matrix_rows: int = MATRIX_ROWS) -> None:
        self.outputs = outputs
        self._matrix_rows = matrix_rows

    def folder(self, name: str) -> Path:
        """Return the folder of an index, whether or not it is there.

        Parameters
        ----------
        name : str
            Letters, digits, `_`, `-` and `.`, at most 100, with a letter or digit first.

        Returns
        -------
        Path
            Below the outputs folder.

        Raises
        ------
        InvalidInputError
            For what cannot be the name of an index.

        """
        if not _NAME.fullmatch(name):
            hint = "Use letters, digits, '_', '-' and '.', at most 100, and begin with a letter or digit."
            raise InvalidInputError(f"{name!r} cannot be the name of an index.", hint=hint)
        return self.outputs / name

    def cache(self, name: str) -> StageCache:
        """Return the stage cache of an index.

        Parameters
        ----------
        name : str
            Of the index, which need not be there yet.

        Returns
        -------
        StageCache
            In its folder `cache`, which no publishing touches.

        """
        return StageCache(self.folder(name) / "cache")

    def list(self) -> list[str]:
        """Return the names of the published indexes, in order.

        Returns
        -------
        list of str
            Empty where the outputs folder is not there or cannot be read.

        """
        try:
            return sorted(place.name for place in self.outputs.iterdir() if is_index(place))
        except (FileNotFoundError, NotADirectoryError, PermissionError):
            return []

    def manifest(self, name: str) -> Manifest | None:
        """Return the manifest of the published generation, or None; touches nothing but that file.

        Parameters
        ----------
        name : str
            Of the index.

        Returns
        -------
        Manifest or None
            None where nothing was published.

        """
        return read_manifest(self.folder(name))

    def published(self, name: str) -> Manifest:
        """Return the published generation's manifest.

        Parameters
        ----------
        name : str
            Of the index.

        Returns
        -------
        Manifest
            As it is now: another generation may be published the moment after.

        Raises
        ------
        IndexNotFoundError
            With the nearest names.

        """
        manifest = self.manifest(name)
        if manifest is None:
            known = self.list()
            there = f"There are: {', '.join(known[:SHOWN])}{' …' if len(known) > SHOWN else ''}."
            made = there if known else "Make one with `corpusgraph index FOLDER`."
            hint = did_you_mean(name, known) or made
            raise IndexNotFoundError(f"There is no index {name!r} in {shown(self.outputs)}.", hint=hint)
        return manifest

    def open(self, name: str) -> "OpenIndex":
        """Open the published generation for reading, with what was added to it by hand.

        Parameters
        ----------
        name : str
            Of the index.

        Returns
        -------
        OpenIndex
            It stays what it is when another generation is published.

        Raises
        ------
        IndexNotFoundError
            With the nearest names.

        """
        from corpusgraph.flows.store.recent import remembered

        return remembered(self.open_corpus(name))

    def open_corpus(self, name: str) -> "OpenIndex":
        """Open the published generation as the corpus has it.

        Parameters
        ----------
        name : str
            Of the index.

        Returns
        -------
        OpenIndex
            Without its memory.

        Raises
        ------
        IndexNotFoundError
            With the nearest names.

        """
        from corpusgraph.flows.store.opened import OpenIndex

        return OpenIndex(self.folder(name), self.published(name), matrix_rows=self._matrix_rows)

    @contextmanager
    def write(self, name: str) -> "Iterator[GenerationWriter]":
        """Hold the index's lock and hand out the writer of its next generation.

        Whatever happens before `publish` returns, the published generation stays as it is.

        Parameters
        ----------
        name : str
            Of the index; its folder is made where it is not there.

        Returns
        -------
        iterator of GenerationWriter
            To be used in a `with` statement; what it did not publish is removed at the end.

        Raises
        ------
        IndexLockedError
            If another process is writing.
        OutputError
            If the folder cannot be written.

        """
        folder = self.folder(name)
        with guarded(folder):
            folder.mkdir(parents=True, exist_ok=True)
        with single_writer(folder):
            from corpusgraph.flows.store.writer import GenerationWriter, tidy

            with guarded(folder):
                tidy(folder)
            writer = GenerationWriter(folder, matrix_rows=self._matrix_rows)
            try:
                yield writer
            finally:
                writer.close()
                with guarded(folder):
                    tidy(folder)
