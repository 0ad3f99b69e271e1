"""The indexes below one outputs folder: write a generation, publish it, open what is published.

`outputs/<name>/` holds `lancedb/` (all tables), `cache/` (results of stages), `output/*.parquet`
(GraphRAG's shapes), `failures.jsonl` (the ledger), `lock` and `manifest.json`. The manifest is the
commit: it names the Lance tables and versions of the published generation, and is replaced last, in one
step. Each run writes tables of its own (`entities-7` is the seventh run's), so a run that dies leaves
only tables that nothing names, and the next run removes them.
"""

import re
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from corpusgraph.flows.files.cache import StageCache
from corpusgraph.flows.files.disk import file_digest, guarded
from corpusgraph.flows.files.manifest import FILE, Manifest, is_index, read_manifest, single_writer
from corpusgraph.schemas.errors import IndexNotFoundError, InvalidInputError, did_you_mean, shown

if TYPE_CHECKING:
    from corpusgraph.flows.store.opened import OpenIndex
    from corpusgraph.flows.store.writer import GenerationWriter


MATRIX_ROWS = 200_000
"""Up to here a vector query multiplies a matrix in memory (exact); above, Lance's own index answers."""

SHOWN = 20
"""Indexes that a message names."""

INDEX_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.-]{0,99}")
"""What can be the name of an index, and of its folder."""


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
        if not INDEX_NAME.fullmatch(name):
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


KEPT = 2
"""Opened indexes that are kept; each holds what was read of it."""

Published = tuple[int, ...]
"""Which file the manifest is, and when it was written: publishing replaces it by another."""
Opened = tuple[Published, tuple[int, int], "OpenIndex", "OpenIndex"]
"""What was published, the version of its memory, the generation, and the two as one."""


class RecentIndexes:
    """The `size` indexes opened last, each opened anew when something was published or added by hand."""

    def __init__(self, size: int) -> None:
        self._size = size
        self._opened: dict[Path, Opened] = {}
        self._lock = threading.Lock()

    def open(self, store: "IndexStore", name: str) -> "OpenIndex":
        """Return the opened index of a name, the same one until a generation is published or a change made.

        A change to the memory, by whichever process, gives a new view over the generation that is open
        already.

        Parameters
        ----------
        store : IndexStore
            The indexes of a folder.
        name : str
            Of the index.

        Returns
        -------
        OpenIndex
            With its memory.

        Raises
        ------
        IndexNotFoundError
            With the nearest names.
        MemoryFileError
            For a journal that cannot be read.

        """
        place = store.folder(name).resolve()
        published = _published(place)
        with self._lock:  # threads that want one index at once open it once
            known = self._opened.pop(place, None)
            if known is not None and known[0] != published:
                known = None
            base = known[2] if known else store.open_corpus(name)
            version = base.memory.version if base.has_memory else (0, 0)
            if known is None or known[1] != version:  # else nothing was added
                known = published, version, base, remembered(base) if version[1] else base
            self._opened[place] = known
            if len(self._opened) > self._size:
                del self._opened[next(iter(self._opened))]
        return known[3]

    def clear(self) -> None:
        """Let go of all; what is still in use elsewhere stays open there."""
        with self._lock:
            self._opened.clear()


_recent = RecentIndexes(KEPT)
open_recent = _recent.open


def remembered(base: "OpenIndex") -> "OpenIndex":
    """Return an opened index with its memory; itself where nothing was ever added by hand.

    Parameters
    ----------
    base : OpenIndex
        A generation without its memory.

    Returns
    -------
    OpenIndex
        A view that follows the memory.

    """
    if not base.has_memory:
        return base
    from corpusgraph.flows.store.overlaid import RememberedIndex

    return RememberedIndex(base, base.memory)


def memory_print(folder: Path) -> str:
    """Return a hash of what was added by hand to the index in a folder; nothing where nothing was.

    Parameters
    ----------
    folder : Path
        Of the index.

    Returns
    -------
    str
        16 hexadecimal digits of the journal, or "".

    """
    from corpusgraph.flows.store.journal import FILE as JOURNAL

    try:
        return file_digest(folder / JOURNAL, 8).hex()
    except (FileNotFoundError, NotADirectoryError):
        return ""


def _published(place: Path) -> Published:
    try:
        found = (place / FILE).stat()
    except (FileNotFoundError, NotADirectoryError):
        return ()
    return found.st_dev, found.st_ino, found.st_size, found.st_mtime_ns, found.st_ctime_ns
