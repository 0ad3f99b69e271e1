"""The table that tells more about files: one row a file, keyed by `file`, `filename`, `path` or `source`."""

from collections.abc import Iterator
from pathlib import Path, PurePosixPath

from corpusgraph.flows.load.decoding import UnusableError
from corpusgraph.flows.load.rows import rows_of
from corpusgraph.flows.load.sources import table_path
from corpusgraph.schemas.base import JsonDict, nfc
from corpusgraph.schemas.documents import Failure
from corpusgraph.schemas.errors import CorpusNotFoundError, shown
from corpusgraph.schemas.study import Corpus

KEYS = ("file", "filename", "path", "source")


class MetadataTable:
    """Rows by file name; remembers which were asked for."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.key: str | None = None
        self._rows: dict[str, JsonDict] = {}
        self._failures: list[Failure] = []
        self._used: dict[str, set[str]] = {}

    def add(self, number: int, row: JsonDict) -> None:
        """Keep a row under the name of its file; the first row of a name counts."""
        self.key = self.key or next((k for k in KEYS if k in row), None)
        if self.key is None:
            return
        name = nfc(str(row.get(self.key) or "").replace("\\", "/").removeprefix("./"))
        if not name:
            self.note("malformed_row", f"row {number} names no file")
        elif name in self._rows:
            self.note("duplicate_row", f"row {number}: {name!r} again")
        else:
            self._rows[name] = {k: v for k, v in row.items() if k != self.key and v not in ("", None)}

    def note(self, code: str, message: str) -> None:
        """Add a line to the failure ledger."""
        self._failures.append(Failure(source=self.path.name, stage="load", code=code, message=message))

    def row(self, relative: str) -> JsonDict:
        """Return a file's metadata by its path below the corpus, its name, or its name without the ending."""
        path = PurePosixPath(relative)
        for key in (relative, path.name, path.stem):
            if key in self._rows:
                self._used.setdefault(key, set()).add(relative)
                return self._rows[key]
        return {}

    def unused(self) -> Iterator[Failure]:
        """Yield a failure for each malformed row, each row without a file, each name that fits several."""
        for key in sorted(self._rows):
            files = sorted(self._used.get(key, ()))
            if not files:
                self.note("metadata_without_file", f"no file {key!r} could be read")
            elif len(files) > 1:
                self.note(
                    "ambiguous_metadata", f"{key!r} names {len(files)} files ({files[0]}, …): give paths"
                )
        yield from self._failures


def find_metadata(corpus: Corpus, base: Path) -> MetadataTable | None:
    """Return the table the study names, or the corpus's own `metadata.*`, or None."""
    path = table_path(corpus, base)
    if path is None:
        return None
    table = MetadataTable(path)
    try:
        for number, row in rows_of(path, None, KEYS):
            if isinstance(row, UnusableError):
                table.note(row.code, row.message)
            else:
                table.add(number, row)
    except (UnusableError, OSError) as error:
        if not corpus.metadata:
            return None  # reading it as documents tells what is wrong with it
        raise CorpusNotFoundError(f"{shown(path)} cannot be read as a table of metadata: {error}.") from None
    if table.key is None and corpus.metadata:
        raise CorpusNotFoundError(
            f"{shown(path)} has no column that names files: it needs one of {', '.join(KEYS)}."
        )
    return table if table.key else None
