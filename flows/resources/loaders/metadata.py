"""The table that tells more about files: one row a file, keyed by `file`, `filename`, `path` or `source`."""

from collections.abc import Iterator, Sequence
from pathlib import Path

from corpusgraph.flows.resources.loaders.raw import UnusableError
from corpusgraph.flows.resources.loaders.rows import csv_rows
from corpusgraph.flows.resources.loaders.sources import Source
from corpusgraph.schemas.base import JsonDict
from corpusgraph.schemas.documents import Failure
from corpusgraph.schemas.errors import CorpusNotFoundError, shown
from corpusgraph.schemas.study import Corpus

_KEYS = ("file", "filename", "path", "source")


class MetadataTable:
    """Rows by file name; remembers which were asked for."""

    def __init__(self, path: Path, rows: dict[str, JsonDict], failures: list[Failure]) -> None:
        self.path = path
        self._rows = rows
        self._failures = failures
        self._used: set[str] = set()

    def row(self, relative: str) -> JsonDict:
        """Return the metadata of a file, by its path below the corpus or its name; empty if there is none."""
        for key in (relative, Path(relative).name):
            if key in self._rows:
                self._used.add(key)
                return self._rows[key]
        return {}

    def unused(self) -> Iterator[Failure]:
        """Yield a failure for each malformed row and each row whose file is not in the corpus."""
        yield from self._failures
        for key in sorted(self._rows.keys() - self._used):
            yield Failure(
                source=self.path.name, stage="load", code="metadata_without_file", message=f"no file {key!r}"
            )


def find_metadata(sources: Sequence[Source], corpus: Corpus, base: Path) -> MetadataTable | None:
    """Return the table the study names, or the corpus's own `metadata.csv` (or .tsv), or None."""
    if corpus.metadata:
        path = base / corpus.metadata
        if not path.exists():
            raise CorpusNotFoundError(f"No metadata table at {shown(path)}.", hint="Check `corpus.metadata`.")
        return _read(path, required=True)
    for source in sources:
        if source.relative in {"metadata.csv", "metadata.tsv"}:
            return _read(source.path, required=False)
    return None


def _read(path: Path, *, required: bool) -> MetadataTable | None:
    rows: dict[str, JsonDict] = {}
    failures: list[Failure] = []
    key = None
    for number, row in csv_rows(path.read_bytes(), None):
        if isinstance(row, UnusableError):
            failures.append(Failure(source=path.name, stage="load", code=row.code, message=row.message))
            continue
        key = key or next((k for k in _KEYS if k in row), None)
        if key is None:
            if required:
                raise CorpusNotFoundError(
                    f"{shown(path)} has no column that names files: it needs one of {', '.join(_KEYS)}."
                )
            return None
        name = str(row[key])
        if name in rows:
            failures.append(
                Failure(
                    source=path.name,
                    stage="load",
                    code="duplicate_row",
                    message=f"row {number}: {name!r} again",
                )
            )
            continue
        rows[name] = {k: v for k, v in row.items() if k != key and v != ""}
    return MetadataTable(path.resolve() if path.is_symlink() else path, rows, failures)
