"""The manifest: one generation of an index, and how it was made. Whoever replaces it has published."""

import json
import os
import re
import socket
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from datetime import UTC, datetime
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from pydantic import Field, NonNegativeInt, PositiveInt, ValidationError

from corpusgraph.flows.files.disk import guarded, replace_bytes
from corpusgraph.flows.files.yaml_file import is_path
from corpusgraph.schemas.base import JsonDict, Noun
from corpusgraph.schemas.errors import IndexLockedError, IndexNotFoundError
from corpusgraph.schemas.settings import Settings
from corpusgraph.schemas.study import Study

FORMAT = 1
FILE = "manifest.json"
DATABASE = "lancedb"
COMPILED = "compiled"
OUTPUT = "output"
LEDGER = "failures.jsonl"
"""What is in an index's folder."""

PACKAGES = ("corpusgraph", "graspologic-native", "lancedb", "numpy", "pyarrow", "pydantic")
_INDEX_AGAIN = "Index the corpus again, with --rebuild."


class TableVersion(Noun):
    """Where a table of the generation is in the LanceDB database, and what it holds."""

    name: str = Field(description="name of the Lance table")
    version: PositiveInt = Field(description="version of the Lance table")
    rows: NonNegativeInt
    digest: str = Field(description="hash of the rows, without vectors")


class EmbedderInfo(Noun):
    """What the vectors were made with; another embedder's vectors would mean nothing here."""

    name: str
    dimension: PositiveInt
    metric: str = "cosine"
    model: str | None = Field(default=None, description="package, folder or hub name of a trained model")


class Manifest(Noun):
    """One published generation."""

    format: int = FORMAT
    index: str
    generation: str = Field(description="hash of content and configuration: the same input, the same id")
    serial: PositiveInt = Field(description="counts the generations of this index")
    created: str = Field(description="UTC, ISO 8601")
    tables: dict[str, TableVersion]
    embedder: EmbedderInfo | None = None
    config_fingerprint: str = ""
    corpus_fingerprint: str = ""
    packages: dict[str, str] = Field(default_factory=dict)
    timings: dict[str, float] = Field(default_factory=dict, description="seconds per stage")
    failures: NonNegativeInt = 0
    facts: JsonDict = Field(default_factory=dict, description="whatever else the run tells about itself")

    @property
    def counts(self) -> dict[str, int]:
        """Rows per table."""
        return {name: table.rows for name, table in self.tables.items()}

    @property
    def languages(self) -> dict[str, int]:
        """Documents by language, most first; empty where the run did not count them."""
        return dict(self.facts.get("languages", {}))


def is_index(folder: Path) -> bool:
    """Tell whether an index was published in a folder, readable or not.

    Parameters
    ----------
    folder : Path
        It need not be there.

    Returns
    -------
    bool
        Its manifest is not read.

    """
    return (folder / FILE).exists() and not is_bundle(folder)


def is_bundle(folder: Path) -> bool:
    """Tell the bundle of a dataset, whose manifest is called the same: it has a README, and no tables.

    Parameters
    ----------
    folder : Path
        It need not be there.

    Returns
    -------
    bool
        Its manifest is not read.

    """
    named = (folder / FILE).is_file() and (folder / "README.md").is_file()
    return named and not (folder / DATABASE).is_dir()


def read_manifest(folder: Path) -> Manifest | None:
    """Read the manifest of an index's folder; None where nothing was ever published.

    Parameters
    ----------
    folder : Path
        Of the index.

    Returns
    -------
    Manifest or None
        Validated.

    Raises
    ------
    IndexNotFoundError
        `manifest_unreadable`, for one that is damaged or of a later version, and for the bundle of a dataset.

    """
    try:
        text = (folder / FILE).read_bytes()
    except (FileNotFoundError, NotADirectoryError):
        return None
    try:
        manifest = Manifest.model_validate_json(text)
    except ValidationError as error:
        if is_bundle(folder):
            message = f"{folder.name!r} is the bundle of a dataset, no index."
            raise IndexNotFoundError(message, hint="Give the index another name.") from None
        message = f"The manifest of index {folder.name!r} cannot be read: {error.errors()[0]['msg']}."
        raise IndexNotFoundError(message, hint=_INDEX_AGAIN, code="manifest_unreadable") from None
    if manifest.format > FORMAT:
        message = f"Index {folder.name!r} has format {manifest.format}; this version reads up to {FORMAT}."
        raise IndexNotFoundError(message, hint="Install a newer corpusgraph.", code="manifest_unreadable")
    return manifest


def write_manifest(folder: Path, manifest: Manifest) -> None:
    """Publish: replace the manifest in one step.

    Parameters
    ----------
    folder : Path
        Of the index.
    manifest : Manifest
        From now on readers open this generation.

    """
    replace_bytes(folder / FILE, manifest.model_dump_json(indent=2).encode() + b"\n")


def now() -> str:
    """Return the time, UTC, ISO 8601, to the second.

    Returns
    -------
    str
        Such as 1854-09-08T12:00:00+00:00.

    """
    return datetime.now(UTC).isoformat(timespec="seconds")


@cache
def package_versions() -> Mapping[str, str]:
    """Return the versions of the installed packages that shape an index.

    Returns
    -------
    mapping of str to str
        Those of `PACKAGES` that are installed.

    """
    found = {}
    for name in PACKAGES:
        with suppress(PackageNotFoundError):
            found[name] = version(name)
    return found


LOCK = "lock"
OWNER = "lock.owner.json"


@contextmanager
def single_writer(folder: Path) -> Iterator[None]:
    """Hold the writer's lock of an index's folder.

    The lock is the operating system's (flock), so that of a process that died is free; its note is
    overwritten.

    Parameters
    ----------
    folder : Path
        Of the index; it must be there.

    Yields
    ------
    None
        While the lock is held.

    Raises
    ------
    IndexLockedError
        At once, if another has it.
    OutputError
        If the folder cannot be written.

    """
    from filelock import FileLock, Timeout

    lock = FileLock(folder / LOCK)
    try:
        with guarded(folder):
            lock.acquire(timeout=0)
    except Timeout:
        raise _locked(folder) from None
    try:
        with guarded(folder):
            note = {"pid": os.getpid(), "host": socket.gethostname(), "started": now()}
            replace_bytes(folder / OWNER, json.dumps(note).encode() + b"\n")
        yield
    finally:
        (folder / OWNER).unlink(missing_ok=True)
        lock.release()


def _locked(folder: Path) -> IndexLockedError:
    hint = "Wait for it, or stop that process; the published generation can be read meanwhile."
    who = "another process"  # it took the lock this instant and has not signed yet, or is just letting go
    with suppress(FileNotFoundError, json.JSONDecodeError):
        note = json.loads((folder / OWNER).read_bytes())
        who = f"process {note['pid']} on {note['host']} since {note['started']}"
    return IndexLockedError(f"Index {folder.name!r} is being written by {who}.", hint=hint)


def manifest_or_none(folder: Path) -> Manifest | None:
    """Return the manifest of an index; None where there is none, or it cannot be read.

    Parameters
    ----------
    folder : Path
        Of the index.

    Returns
    -------
    Manifest or None
        Validated.

    """
    try:
        return read_manifest(folder)
    except IndexNotFoundError:
        return None


def forget_damaged_manifest(folder: Path) -> None:
    """Remove a manifest that cannot be read, so that an index is published in its place.

    Parameters
    ----------
    folder : Path
        Of the index.

    Raises
    ------
    IndexNotFoundError
        For one of a later version or of a bundle, which stays.

    """
    if manifest_or_none(folder) is not None or not (folder / FILE).is_file():
        return
    with single_writer(folder), guarded(folder):
        try:
            read_manifest(folder)
        except IndexNotFoundError:
            if is_bundle(folder) or _is_of_later_version(folder / FILE):
                raise
            (folder / FILE).unlink()


def _is_of_later_version(path: Path) -> bool:
    with suppress(ValueError, AttributeError, KeyError, TypeError):
        return int(json.loads(path.read_bytes())["format"]) > FORMAT
    return False


_MISSING = re.compile(r"not found:|was not found|no such file", re.IGNORECASE)
"""How LanceDB says that a file or a table is not there; anything else it says is about what was asked."""


@contextmanager
def unless_gone(manifest: Manifest, table: str) -> Iterator[None]:
    """Read a table's files; LanceDB raises ValueError, RuntimeError or OSError, by what is missing first.

    Parameters
    ----------
    manifest : Manifest
        Of the generation.
    table : str
        Name of the table.

    Yields
    ------
    None
        While the body runs.

    Raises
    ------
    IndexNotFoundError
        `generation_gone`, where they are not there.

    """
    try:
        yield
    except (ValueError, RuntimeError, OSError) as error:
        if not _MISSING.search(str(error)):
            raise
        message = f"Table {table!r} of index {manifest.index!r}, {manifest.generation}, cannot be read."
        hint = "Open the index again; if that fails too, index the corpus again."
        raise IndexNotFoundError(message, hint=hint, code="generation_gone") from error


class IndexProvenance(Noun):
    """A study, the folder its paths start from, and the profile it was run with."""

    study: Study
    base: str
    profile: str | None = None


def provenance_of(study: Study, base: Path, settings: Settings) -> JsonDict:
    """Return what to keep; paths are absolute, so that it holds from any folder.

    Parameters
    ----------
    study : Study
        As it was read.
    base : Path
        Folder that its paths start at.
    settings : Settings
        Of the run.

    Returns
    -------
    JsonDict
        For the facts of a manifest.

    """
    profile = settings.profile
    if profile is not None and is_path(profile):
        profile = str(Path(profile).expanduser().resolve())
    kept = IndexProvenance(study=study, base=str(base.resolve()), profile=profile)
    return kept.model_dump(mode="json", exclude_unset=True)


def read_provenance(manifest: Manifest) -> IndexProvenance:
    """Return how an index was made; one that was made elsewhere has no recipe.

    Parameters
    ----------
    manifest : Manifest
        Of the generation.

    Returns
    -------
    IndexProvenance
        Study, folder and profile.

    Raises
    ------
    IndexNotFoundError
        For an index that was made elsewhere.

    """
    kept = manifest.facts.get("recipe")
    if kept is None:
        raise IndexNotFoundError(
            f"Index {manifest.index!r} does not say how it was made.", hint="Name its study file or folder."
        )
    return IndexProvenance.model_validate(kept)
