"""The manifest: one generation of an index. Whoever replaces it has published."""

from datetime import UTC, datetime
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from pydantic import Field, NonNegativeInt, PositiveInt, ValidationError

from corpusgraph.flows.resources.disk import replace_bytes
from corpusgraph.schemas.base import JsonDict, Noun
from corpusgraph.schemas.errors import IndexNotFoundError

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
    """Tell whether an index was published in a folder, readable or not."""
    return (folder / FILE).exists() and not is_bundle(folder)


def is_bundle(folder: Path) -> bool:
    """Tell the bundle of a dataset, whose manifest is called the same: it has a README, and no tables."""
    named = (folder / FILE).is_file() and (folder / "README.md").is_file()
    return named and not (folder / DATABASE).is_dir()


def read_manifest(folder: Path) -> Manifest | None:
    """Read the manifest of an index's folder; None where nothing was ever published."""
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
    """Publish: replace the manifest in one step."""
    replace_bytes(folder / FILE, manifest.model_dump_json(indent=2).encode() + b"\n")


def now() -> str:
    """Return the time, UTC, ISO 8601, to the second."""
    return datetime.now(UTC).isoformat(timespec="seconds")


def package_versions() -> dict[str, str]:
    """Return the versions of the installed packages that shape an index."""
    found = {}
    for name in PACKAGES:
        try:
            found[name] = version(name)
        except PackageNotFoundError:
            continue
    return found
