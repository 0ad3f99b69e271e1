"""Where the engine keeps a tool's artefacts: an index of ours, with the contract's names around it."""

import logging
import shutil
from collections.abc import Iterable
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar

from pydantic import ValidationError

from corpusgraph.flows.files.disk import guarded, replace_bytes
from corpusgraph.flows.files.manifest import COMPILED, DATABASE, FILE, LEDGER, OUTPUT, single_writer
from corpusgraph.flows.interop.engine.config import CACHE, LOGS
from corpusgraph.flows.interop.engine.errors import (
    AGAIN,
    EngineConfigError,
    SourceNotFoundError,
    TableNotFoundError,
    TableUnreadableError,
)
from corpusgraph.flows.interop.engine.models import (
    ExecutionConfig,
    IndexMetadata,
    VectorstoreTool,
    fields_of,
    tool_of,
    unsafe_name,
)
from corpusgraph.schemas.errors import CorpusNotFoundError, did_you_mean, shown
from corpusgraph.schemas.study import Corpus

if TYPE_CHECKING:
    import pandas as pd

    from corpusgraph.flows.load import Source

HOME = Path(".holodeck") / "graphrag"
META = "index.meta"
PREFIX = "create_final_"
"""What GraphRAG before 2 put before the names of its tables."""
OPTIONAL_TABLES = ("documents", "covariates")
PROFILE = "indexing_model.yml"
ARTEFACTS = (FILE, META, OUTPUT, COMPILED, DATABASE, CACHE, LOGS, LEDGER, PROFILE)
"""What indexing writes, the manifest first: without it there is no index, whatever else is still there."""

_LEFTOVERS = (".staging*", ".*.tmp")
"""What an interrupted run left."""

log = logging.getLogger("corpusgraph.graphrag")


class GraphRAGStorage:
    """Keeps a tool's index and what is known about it in `.holodeck/graphrag/{tool_name}/`.

    There are output/ (parquet tables), cache/ (what was read of each document), logs/, lancedb/ (tables and
    vectors) and index.meta, as in the contract; and manifest.json, compiled/, failures.jsonl and lock, as in
    every index of ours: all commands open it with `--outputs .holodeck/graphrag`.
    """

    REQUIRED_TABLES: ClassVar[list[str]] = [
        "create_final_entities",
        "create_final_relationships",
        "create_final_communities",
        "create_final_community_reports",
        "create_final_text_units",
    ]

    def __init__(
        self,
        tool_config: VectorstoreTool,
        base_dir: Path | None = None,
        *,
        execution_config: ExecutionConfig | None = None,
    ) -> None:
        """Look after a tool's folder below `base_dir`, or below here; nothing is written yet.

        EngineConfigError, a ValueError, for a name that no folder can have.
        """
        if (wrong := unsafe_name(fields_of(tool_config, VectorstoreTool).get("name"))) is not None:
            raise EngineConfigError(f"The tool's name {wrong}.")
        self.tool = tool_of(tool_config)
        self.execution = execution_config or ExecutionConfig()
        base = Path.cwd() if base_dir is None else Path(base_dir).expanduser()
        self._folder = base.absolute() / HOME / self.tool.name

    @property
    def storage_dir(self) -> Path:
        """Root storage directory for this tool."""
        return self._folder

    @property
    def output_dir(self) -> Path:
        """Directory of the parquet tables."""
        return self._folder / OUTPUT

    @property
    def cache_dir(self) -> Path:
        """Directory of what was read of each document."""
        return self._folder / CACHE

    @property
    def logs_dir(self) -> Path:
        """Directory of the log of indexing runs."""
        return self._folder / LOGS

    @property
    def lancedb_dir(self) -> Path:
        """Directory of the tables and vectors."""
        return self._folder / DATABASE

    @property
    def meta_path(self) -> Path:
        """File of the metadata."""
        return self._folder / META

    def ensure_directories(self) -> None:
        """Create the directories that are not there. OutputError where they cannot be."""
        with guarded(self._folder):
            for folder in (self.output_dir, self.cache_dir, self.logs_dir, self.lancedb_dir):
                folder.mkdir(parents=True, exist_ok=True)

    def has_valid_index(self) -> bool:
        """Tell whether all required tables are there and whole, under the names of 0.5 or those of today.

        Returns
        -------
        bool
            Files are looked at by their ends, not read.

        """
        from corpusgraph.flows.interop.engine.indexer import is_whole_parquet

        tables = [self._table(name) for name in self.REQUIRED_TABLES]
        return all(path is not None and is_whole_parquet(path) for path in tables)

    def get_metadata(self) -> IndexMetadata | None:
        """Return the metadata of the index; None where there is none, or it cannot be read.

        Returns
        -------
        IndexMetadata or None
            Damage is logged.

        """
        try:
            return IndexMetadata.model_validate_json(self.meta_path.read_bytes())
        except (FileNotFoundError, NotADirectoryError):
            return None
        except (ValidationError, OSError) as error:
            told = error.errors(include_url=False)[0]["msg"] if isinstance(error, ValidationError) else error
            log.warning("%s cannot be read and counts as absent: %s", shown(self.meta_path), told)
            return None

    def save_metadata(self, metadata: IndexMetadata) -> None:
        """Write the metadata in one step: a reader gets the old or the new, never a part.

        Parameters
        ----------
        metadata : IndexMetadata
            Replaces what was there.

        Raises
        ------
        OutputError
            Where the folder cannot be written.

        """
        with guarded(self._folder):
            self._folder.mkdir(parents=True, exist_ok=True)
            replace_bytes(self.meta_path, metadata.model_dump_json(indent=2).encode() + b"\n")

    def compute_source_hash(self, source_path: Path) -> str:
        """Return the SHA-256 of the source files' names and content, 64 hexadecimal digits.

        The order in which files are found does not count, nor where the folder is, nor any date. Hidden files
        are not read and do not count.

        Parameters
        ----------
        source_path : Path
            File or folder.

        Returns
        -------
        str
            Another whenever a name or a byte is another.

        Raises
        ------
        SourceNotFoundError
            A FileNotFoundError, where nothing is.

        """
        return hash_of(self.source_files(source_path))

    def source_files(self, source_path: Path) -> "list[Source]":
        """Return the files of a source, with a hash of each; an empty folder has none.

        Parameters
        ----------
        source_path : Path
            File or folder.

        Returns
        -------
        list of Source
            In order of path.

        Raises
        ------
        SourceNotFoundError
            Where nothing is.

        """
        from corpusgraph.flows.load import scan

        there = self.require_source(source_path)
        try:
            return scan(Corpus(path=str(there)), there.parent)
        except CorpusNotFoundError:
            return []

    def require_source(self, source_path: Path) -> Path:
        """Return the absolute path of a source.

        Parameters
        ----------
        source_path : Path
            A path that begins with `~` starts at the home folder.

        Returns
        -------
        Path
            Links are not followed.

        Raises
        ------
        SourceNotFoundError
            A FileNotFoundError, where nothing is there.

        """
        there = Path(source_path).expanduser().absolute()
        if not there.exists():
            hint = "Paths of a tool start at base_dir, or at the folder it is run in."
            raise SourceNotFoundError(f"There is no source at {shown(there)}.", hint=hint)
        return there

    def needs_reindex(self, source_path: Path) -> bool:
        """Tell whether `build_index` would do anything.

        That is so where the index or a part of it is missing, where its source, configuration, model or
        prompts have changed, and where its communities do not know yet what was added by hand.

        Parameters
        ----------
        source_path : Path
            File or folder.

        Returns
        -------
        bool
            Nothing is changed by asking.

        Raises
        ------
        SourceNotFoundError
            Where nothing is there.

        """
        metadata = self.get_metadata()
        if metadata is None:
            return True
        source = Path(source_path).expanduser().absolute()
        from corpusgraph.flows.interop.engine.config import plan_of
        from corpusgraph.flows.interop.engine.indexer import is_current

        plan = plan_of(self.tool, self._folder, source, self.execution)
        return not is_current(self, metadata, plan, self.compute_source_hash(source))

    def clear_index(self) -> None:
        """Delete the index: what indexing wrote, and nothing that is not in the tool's folder.

        A symbolic link is removed, never what it leads to. What was added by hand (memory.jsonl) stays: it is
        no artefact of indexing. IndexLockedError while another process writes the index.
        """
        if self._folder.is_symlink():
            with guarded(self._folder):
                self._folder.unlink()
        if not self._folder.is_dir():
            return
        with single_writer(self._folder), guarded(self._folder):
            leftovers = [path for pattern in _LEFTOVERS for path in sorted(self._folder.glob(pattern))]
            for path in (*(self._folder / name for name in ARTEFACTS), *leftovers):
                if path.is_dir() and not path.is_symlink():
                    shutil.rmtree(path)  # removes links in it, never what they lead to
                else:
                    path.unlink(missing_ok=True)

    def load_table(self, table_name: str) -> "pd.DataFrame":
        """Return a table: `create_final_entities` and `entities` are one, in the columns of GraphRAG 3.

        Parameters
        ----------
        table_name : str
            With or without prefix and ending.

        Returns
        -------
        DataFrame
            A frame of pandas.

        Raises
        ------
        EngineConfigError
            A ValueError, for a name that no table has.
        TableNotFoundError
            A FileNotFoundError, before indexing.
        TableUnreadableError
            A ValueError, for a table that is damaged.

        """
        import pandas as pd

        bare = table_name.removesuffix(".parquet").removeprefix(PREFIX)
        known = [*(name.removeprefix(PREFIX) for name in self.REQUIRED_TABLES), *OPTIONAL_TABLES]
        if bare not in known:
            hint = did_you_mean(bare, known) or f"There are {', '.join(known)}."
            raise EngineConfigError(f"There is no table {table_name!r}.", hint=hint)
        path = self._table(bare)
        if path is None:
            raise TableNotFoundError(
                f"There is no table {bare!r} in {shown(self.output_dir)} yet.", hint="Build the index first."
            )
        try:
            return pd.read_parquet(path)
        except (ValueError, OSError) as error:  # as Arrow tells of a damaged file
            message = f"The table {shown(path)} cannot be read: {error}."
            raise TableUnreadableError(message, hint=AGAIN) from error

    def _table(self, name: str) -> Path | None:
        bare = name.removeprefix(PREFIX)
        places = (self.output_dir / f"{bare}.parquet", self.output_dir / f"{PREFIX}{bare}.parquet")
        return next((path for path in places if path.is_file()), None)


def hash_of(sources: "Iterable[Source]") -> str:
    """Return the SHA-256 of files' names and content, in whatever order they come.

    Parameters
    ----------
    sources : iterable of Source
        With names and hashes of content.

    Returns
    -------
    str
        64 hexadecimal digits.

    """
    lines = sorted(f"{source.relative}\t{source.digest}" for source in sources)
    return sha256("\n".join(lines).encode()).hexdigest()
