"""Indexing in the contract's words: our pipeline, off the event loop, with its errors wrapped."""

import asyncio
import logging
import time
from pathlib import Path
from threading import Event
from types import TracebackType
from typing import TYPE_CHECKING, Self

from corpusgraph.flows.files.disk import guarded
from corpusgraph.flows.files.ledger import ledger_counts, read_ledger
from corpusgraph.flows.files.manifest import forget_damaged_manifest, manifest_or_none, now, read_manifest
from corpusgraph.flows.interop.engine.config import Plan, plan_of
from corpusgraph.flows.interop.engine.errors import IndexingError, hint_of
from corpusgraph.flows.interop.engine.models import ExecutionConfig, IndexMetadata, VectorstoreTool, tool_of
from corpusgraph.flows.interop.engine.storage import GraphRAGStorage, hash_of
from corpusgraph.schemas.errors import CorpusgraphError, IndexLockedError, MissingResourceError
from corpusgraph.schemas.results import ToolWarning

if TYPE_CHECKING:
    from corpusgraph.flows.files.manifest import Manifest
    from corpusgraph.schemas.run import IndexReport

LOG = "indexing.log"
log = logging.getLogger("corpusgraph.graphrag")


class CalledOffError(CorpusgraphError):
    """A run was called off; what was published stays as it was."""

    code = "called_off"


class RunLog:
    """Writes a line for each stage to `logs/indexing.log`, and stops the run when it is called off."""

    def __init__(self, folder: Path, stop: Event) -> None:
        self._path = folder / LOG
        self._stop = stop

    def __enter__(self) -> Self:
        self.line("begin")
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.line("done" if error is None else f"stopped: {error}")

    def line(self, text: str) -> None:
        """Append a line.

        Parameters
        ----------
        text : str
            Is put on one line, after the time in UTC.

        """
        told = " ".join(text.split())
        with guarded(self._path.parent), self._path.open("a", encoding="utf-8") as file:
            file.write(f"{now()} {told}\n")

    def warn_of(self, warning: ToolWarning) -> None:
        """Write a warning here and to Python's log."""
        self.line(f"warning {warning.code}: {warning.message}")
        log_warning(warning)

    def start(self, stage: str, total: int | None) -> None:
        """Begin a stage."""
        del total
        self.advance(stage)

    def advance(self, stage: str, by: int = 1) -> None:
        """Count steps done.

        Raises
        ------
        CalledOffError
            Where the run was called off.

        """
        del stage, by
        if self._stop.is_set():
            raise CalledOffError("The run was called off.", hint="Run it again: what was read is kept.")

    def finish(self, stage: str, note: str = "") -> None:
        """End a stage."""
        self.line(f"{stage}: {note}")


def log_warning(warning: ToolWarning) -> None:
    """Write a warning to Python's log."""
    log.warning("%s (%s)", warning.message, warning.code)


def is_current(storage: "GraphRAGStorage", kept: "IndexMetadata", plan: "Plan", source_hash: str) -> bool:
    """Tell whether all is there that `index.meta` tells of, and made of this source as the plan says.

    Metadata without a generation is an application's own: tables, source and configuration alone count.

    Parameters
    ----------
    storage : GraphRAGStorage
        Of the tool.
    kept : IndexMetadata
        What `index.meta` tells.
    plan : Plan
        What would be done now.
    source_hash : str
        Hash of the source as it is now.

    Returns
    -------
    bool
        False where any of it differs.

    """
    if kept.source_hash != source_hash or not storage.has_valid_index():
        return False
    if kept.generation and not _is_published(storage, kept, plan):
        return False
    return not kept.config_hash or kept.config_hash in plan.fingerprints()


def has_all_parts(storage: "GraphRAGStorage") -> bool:
    """Tell whether all that was published is there: a run over what has not changed writes nothing.

    Parameters
    ----------
    storage : GraphRAGStorage
        Of the tool.

    Returns
    -------
    bool
        False where a table is damaged, or the database is not there.

    """
    database = storage.lancedb_dir
    return storage.has_valid_index() and database.is_dir() and any(database.iterdir())


def is_whole_parquet(path: Path) -> bool:
    """Tell whether a file begins and ends as a parquet file does: one that was written in part does not.

    Parameters
    ----------
    path : Path
        It need not be there.

    Returns
    -------
    bool
        False for a file that cannot be read.

    """
    import pyarrow as pa
    import pyarrow.parquet as pq

    try:
        with path.open("rb") as file:
            pq.read_metadata(file)
            file.seek(0)
            return file.read(4) == b"PAR1"
    except (OSError, pa.ArrowException):
        return False


def _is_published(storage: "GraphRAGStorage", kept: "IndexMetadata", plan: "Plan") -> bool:
    from corpusgraph.flows.memory import changes_of, is_known

    root = storage.storage_dir
    manifest = manifest_or_none(root)
    if manifest is None or manifest.generation != kept.generation or not has_all_parts(storage):
        return False
    # else communities and their reports do not know yet what was added by hand
    return is_known(len(changes_of(plan.study, root, root)), manifest)


WAIT, LOOK, SELDOM = 600.0, 0.2, 5.0
"""Seconds that another writer of the same index is waited for, and between two looks at first and later."""


class GraphRAGIndexer:
    """Brings a tool's index up to date: only documents that are new or changed are read."""

    def __init__(
        self,
        tool_config: VectorstoreTool,
        storage: GraphRAGStorage,
        *,
        execution_config: ExecutionConfig | None = None,
    ) -> None:
        """Index a tool's source into a storage; nothing is read or written yet."""
        self.tool = tool_of(tool_config)
        self.storage = storage
        self.execution = execution_config or storage.execution
        self.warnings: tuple[ToolWarning, ...] = ()
        """What the last run did otherwise than the tool says: `no_llm`, `no_key`, `files_failed` …"""

    async def build_index(self, source_path: Path, force: bool = False) -> IndexMetadata:
        """Build the index, or bring it up to date, in a thread.

        An unchanged source with unchanged configuration costs no extraction. Cancelling stops the run before
        its next batch and leaves the published index as it is.

        Parameters
        ----------
        source_path : Path
            File or folder.
        force : bool, default False
            Derive the graph anew, and repeat calls of a language model that failed.

        Returns
        -------
        IndexMetadata
            What is known of the index now.

        Raises
        ------
        IndexingError
            Around whatever stops it.

        """
        stop = Event()
        work = asyncio.to_thread(self.build, source_path, force, stop)
        try:
            return await work
        except asyncio.CancelledError:
            stop.set()
            raise

    def build(self, source_path: Path, force: bool = False, stop: Event | None = None) -> IndexMetadata:
        """Do what `build_index` does in this thread; `stop` calls it off.

        Parameters
        ----------
        source_path : Path
            File or folder.
        force : bool, default False
            Derive the graph anew, and repeat calls of a language model that failed.
        stop : Event, optional
            Calls it off once it is set.

        Returns
        -------
        IndexMetadata
            What is known of the index now.

        Raises
        ------
        IndexingError
            Around whatever stops it.

        """
        try:
            source = Path(source_path).expanduser().absolute()
            plan = plan_of(self.tool, self.storage.storage_dir, source, self.execution)
            return self._build(plan, force=force, stop=stop or Event())
        except IndexingError:
            raise
        except (CorpusgraphError, OSError) as error:
            said = error.message if isinstance(error, CorpusgraphError) else str(error)
            message = f"The tool {self.tool.name!r} is not indexed: {said}"
            raise IndexingError(message, hint=hint_of(error)) from error

    def _build(self, plan: Plan, *, force: bool, stop: Event) -> IndexMetadata:
        """Index; while another writes the same index, wait for it and look at what it made."""
        sources = self.storage.source_files(plan.config.input_dir)
        source_hash, began, pause = hash_of(sources), time.monotonic(), LOOK
        while True:
            if not force and (kept := self._current(plan, source_hash)) is not None:
                return kept
            try:
                report = self._run(plan, force=force, stop=stop)
            except IndexLockedError:
                if time.monotonic() - began > WAIT or stop.wait(pause):
                    raise
                pause = min(1.5 * pause, SELDOM)
                continue
            made = _metadata(plan, report, source_hash, len(sources))
            self.storage.save_metadata(made)
            return made

    def _current(self, plan: Plan, source_hash: str) -> IndexMetadata | None:
        """Return what is known of the index where nothing is to be done."""
        manifest, kept = read_manifest(self.storage.storage_dir), self.storage.get_metadata()
        made = manifest is not None and kept is not None and manifest.generation == kept.generation
        if kept is None or not made or not is_current(self.storage, kept, plan, source_hash):
            _refuse_to_lose_a_model(plan, manifest)
            return None
        self.warnings = (*plan.warnings(kept.extractor), *_failed(self.storage.storage_dir))
        for warning in self.warnings:
            log_warning(warning)
        return kept

    def _run(self, plan: Plan, *, force: bool, stop: Event) -> "IndexReport":
        """Run the pipeline. What is missing of a published index is made again from what was read."""
        from corpusgraph.flows.engine import Inline
        from corpusgraph.flows.pipeline import index_corpus

        self.storage.ensure_directories()
        if force:
            forget_damaged_manifest(self.storage.storage_dir)
        torn = read_manifest(self.storage.storage_dir) is not None and not has_all_parts(self.storage)
        settings = plan.settings(reads=plan.reads)
        with RunLog(self.storage.logs_dir, stop) as log:
            report = index_corpus(
                plan.study,
                plan.config.root_dir,
                settings=settings,
                engine=Inline(settings.workers),
                progress=log,
                rebuild=force or torn,
                retry=force,
            )
            self.warnings = (*plan.warnings(), *_failed(plan.config.root_dir))
            for warning in self.warnings:
                log.warn_of(warning)
        return report


def _refuse_to_lose_a_model(plan: Plan, manifest: "Manifest | None") -> None:
    """Keep what a model has read, which was paid for, where its key is not there to read on."""
    made = manifest is not None and manifest.facts.get("recipe", {}).get("profile") is not None
    if plan.model.why is None or not made:
        return
    raise IndexingError(
        f"The index of {plan.config.tool_name!r} was read by a language model, and something has changed: "
        f"{plan.model.why}",
        hint="Set the key and run again; force_reindex=True has rules read everything instead.",
    ) from MissingResourceError(plan.model.why)


def _failed(root: Path) -> tuple[ToolWarning, ...]:
    """Tell of what the published index lacks, also where nothing is to be done: it still lacks it."""
    try:
        told = ledger_counts(read_ledger(root))
    except (ValueError, OSError):
        message = "failures.jsonl, which tells what could not be used, cannot be read."
        return (ToolWarning(code="files_failed", message=message),)
    if not told["n_failures"]:
        return ()
    some = "; ".join(f"{failed.source or failed.stage}: {failed.message}" for failed in told["failures"][:3])
    message = f"{told['n_failures']} things could not be used (all are in failures.jsonl): {some}."
    return (ToolWarning(code="files_failed", message=message),)


def _metadata(plan: Plan, report: "IndexReport", source_hash: str, n_files: int) -> IndexMetadata:
    from corpusgraph import __version__

    manifest = read_manifest(plan.config.root_dir)
    return IndexMetadata(
        tool_name=plan.config.tool_name,
        source_path=str(plan.config.input_dir),
        source_hash=source_hash,
        indexed_at=now(),
        file_count=n_files,
        entity_count=report.counts.get("entities", 0),
        relationship_count=report.counts.get("relationships", 0),
        community_count=report.counts.get("communities", 0),
        graphrag_version=f"corpusgraph {__version__}",
        config_hash=manifest.config_fingerprint if manifest is not None else "",
        generation=report.generation,
        extractor=plan.reader,
        n_extracted=report.n_extracted,
        n_reused=report.n_reused,
        n_failures=report.n_failures,
    )
