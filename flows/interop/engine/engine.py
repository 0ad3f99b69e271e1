"""The engine: a tool's source is indexed, opened and searched, off the event loop of whoever awaits it."""

import asyncio
import logging
import re
import shutil
import time
from collections.abc import Callable, Iterable, Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from contextvars import copy_context
from functools import partial
from hashlib import sha256
from pathlib import Path
from threading import Event, Lock
from typing import TYPE_CHECKING, ClassVar, TypeVar

from pydantic import ValidationError

from corpusgraph.flows.engine import How, Inline, whole_first
from corpusgraph.flows.files.disk import guarded, replace_file
from corpusgraph.flows.files.ledger import ledger_counts, read_ledger
from corpusgraph.flows.files.manifest import (
    COMPILED,
    DATABASE,
    FILE,
    LEDGER,
    OUTPUT,
    Manifest,
    forget_damaged_manifest,
    manifest_or_none,
    now,
    read_manifest,
    single_writer,
)
from corpusgraph.flows.interop.engine.contract import (
    AGAIN,
    CACHE,
    LOGS,
    MODES,
    EngineConfigError,
    ExecutionConfig,
    GraphRAGConfig,
    IndexingError,
    IndexMetadata,
    NotInitializedError,
    Plan,
    SearchResult,
    SourceNotFoundError,
    TableNotFoundError,
    TableUnreadableError,
    VectorstoreTool,
    build_graphrag_config,
    chosen_model,
    hint_of,
    method_of,
    require_libraries,
    tool_of,
    validated,
)
from corpusgraph.flows.language import hurried
from corpusgraph.flows.llm.client import Client, open_client
from corpusgraph.flows.store.store import IndexStore, RecentIndexes
from corpusgraph.schemas.answer import AnswerResult, ContextPiece, PieceKind
from corpusgraph.schemas.errors import (
    CorpusgraphError,
    CorpusNotFoundError,
    IndexLockedError,
    IndexNotFoundError,
    MissingResourceError,
    did_you_mean,
    shown,
)
from corpusgraph.schemas.results import ToolWarning, warned
from corpusgraph.schemas.study import Corpus, Question

if TYPE_CHECKING:
    import pandas as pd

    from corpusgraph.flows.load import Source
    from corpusgraph.flows.store.opened import OpenIndex
    from corpusgraph.schemas.run import IndexReport

HOME = Path(".holodeck") / "graphrag"
META = "index.meta"
PREFIX = "create_final_"
"""What GraphRAG before 2 put before the names of its tables."""
OPTIONAL_TABLES = ("documents", "covariates")
PROFILE = "indexing_model.yml"
COUNTED = {
    "entities": "entity_count",
    "relationships": "relationship_count",
    "communities": "community_count",
}
"""Table -> the field of the metadata that counts its rows."""
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
        self.tool = tool_of(tool_config)
        self.execution = execution_config or ExecutionConfig()
        base = Path.cwd() if base_dir is None else Path(base_dir).expanduser()
        self._folder = base.absolute() / HOME / self.tool.name
        self.cache_dir = self._folder / CACHE
        """Directory of what was read of each document."""
        self.logs_dir = self._folder / LOGS
        """Directory of the log of indexing runs."""
        self.lancedb_dir = self._folder / DATABASE
        """Directory of the tables and vectors."""
        self.meta_path = self._folder / META
        """File of the metadata."""

    @property
    def storage_dir(self) -> Path:
        """Root storage directory for this tool."""
        return self._folder

    @property
    def output_dir(self) -> Path:
        """Directory of the parquet tables."""
        return self._folder / OUTPUT

    def ensure_directories(self) -> None:
        """Create the directories that are not there. OutputError where they cannot be."""
        with guarded(self.storage_dir):
            for folder in (self.output_dir, self.cache_dir, self.logs_dir, self.lancedb_dir):
                folder.mkdir(parents=True, exist_ok=True)

    def has_valid_index(self) -> bool:
        """Tell whether all required tables are there and whole, under the names of 0.5 or those of today.

        Returns
        -------
        bool
            Files are looked at by their ends, not read.

        """
        tables = [self._table(name.removeprefix(PREFIX)) for name in self.REQUIRED_TABLES]
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
        replace_file(self.meta_path, metadata.model_dump_json(indent=2).encode() + b"\n")

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
        plan = Plan(build_graphrag_config(self.tool, self.storage_dir, source), self.execution)
        return not is_current(self, metadata, plan, self.compute_source_hash(source))

    def clear_index(self) -> None:
        """Delete the index: what indexing wrote, and nothing that is not in the tool's folder.

        A symbolic link is removed, never what it leads to. What was added by hand (memory.jsonl) stays: it is
        no artefact of indexing. IndexLockedError while another process writes the index.
        """
        if self.storage_dir.is_symlink():
            with guarded(self.storage_dir):
                self.storage_dir.unlink()
        if not self.storage_dir.is_dir():
            return
        with single_writer(self.storage_dir), guarded(self.storage_dir):
            leftovers = [path for pattern in _LEFTOVERS for path in sorted(self.storage_dir.glob(pattern))]
            for path in (*(self.storage_dir / name for name in ARTEFACTS), *leftovers):
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

    def _table(self, bare: str) -> Path | None:
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


LOG = "indexing.log"


class CalledOffError(CorpusgraphError):
    """A run was called off; what was published stays as it was."""

    code = "called_off"


class RunLog:
    """Writes a line for each stage to `logs/indexing.log`, and stops the run when it is called off."""

    def __init__(self, folder: Path, stop: Event) -> None:
        self._path = folder / LOG
        self._stop = stop

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
        try:
            return await asyncio.to_thread(self.build, source_path, force, stop)
        finally:
            stop.set()  # a run that is over does not mind; one whose task was cancelled stops soon

    def build(self, source_path: Path, force: bool, stop: Event) -> IndexMetadata:
        """Do what `build_index` does in this thread; `stop` calls it off.

        Parameters
        ----------
        source_path : Path
            File or folder.
        force : bool
            Derive the graph anew, and repeat calls of a language model that failed.
        stop : Event
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
            plan = Plan(build_graphrag_config(self.tool, self.storage.storage_dir, source), self.execution)
            return self._build(plan, force=force, stop=stop)
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
        # without a generation it is an application's own, and nothing says what the index was made of
        if kept is None or not kept.generation or not is_current(self.storage, kept, plan, source_hash):
            _refuse_to_lose_a_model(plan, manifest)
            return None
        self.warnings = (*plan.warnings(kept.extractor), *_failed(self.storage.storage_dir))
        for warning in self.warnings:
            log_warning(warning)
        return kept

    def _run(self, plan: Plan, *, force: bool, stop: Event) -> "IndexReport":
        """Run the pipeline. What is missing of a published index is made again from what was read."""
        from corpusgraph.flows.pipeline import index_corpus

        self.storage.ensure_directories()
        if force:
            forget_damaged_manifest(self.storage.storage_dir)
        torn = read_manifest(self.storage.storage_dir) is not None and not has_all_parts(self.storage)
        settings = plan.settings(reads=plan.reads)
        log = RunLog(self.storage.logs_dir, stop)
        how: How = {"settings": settings, "engine": Inline(settings.workers), "progress": log}
        log.line("begin")
        try:
            report = index_corpus(plan.study, plan.config.root_dir, rebuild=force or torn, retry=force, **how)
            self.warnings = (*plan.warnings(), *_failed(plan.config.root_dir))
            for warning in self.warnings:
                log.line(f"warning {warning.code}: {warning.message}")
                log_warning(warning)
        except BaseException as error:
            log.line(f"stopped: {error}")
            raise
        log.line("done")
        return report


def _refuse_to_lose_a_model(plan: Plan, manifest: Manifest | None) -> None:
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
        return warned("files_failed", "failures.jsonl, which tells what could not be used, cannot be read.")
    some = "; ".join(f"{failed.source or failed.stage}: {failed.message}" for failed in told["failures"][:3])
    message = f"{told['n_failures']} things could not be used (all are in failures.jsonl): {some}."
    return warned("files_failed", message, when=told["n_failures"])


def _metadata(plan: Plan, report: "IndexReport", source_hash: str, n_files: int) -> IndexMetadata:
    from corpusgraph import __version__

    manifest = read_manifest(plan.config.root_dir)
    told = report.model_dump(include={"generation", "n_extracted", "n_reused", "n_failures"})
    return IndexMetadata(
        tool_name=plan.config.tool_name,
        source_path=str(plan.config.input_dir),
        source_hash=source_hash,
        indexed_at=now(),
        file_count=n_files,
        **{field: report.counts.get(name, 0) for name, field in COUNTED.items()},
        graphrag_version=f"corpusgraph {__version__}",
        config_hash=manifest.config_fingerprint if manifest is not None else "",
        extractor=plan.reader,
        **told,
    )


MOST_SOURCES = 5
_MARKS = re.compile(r"(?:\[\d+\])+")
_NUMBER = re.compile(r"\d+")


def result_of(answer: AnswerResult, mode: str, sources: Mapping[str, str]) -> SearchResult:
    """Return an answer as the contract has it.

    The marks [n] of the response count the sources: two sentences of one document have one mark. A line break
    in the name of a file becomes a space, so that it adds no line to the formatted text.

    Parameters
    ----------
    answer : AnswerResult
        Of `ask`.
    mode : str
        As the tool names it.
    sources : mapping of str to str
        Id of a document -> its path.

    Returns
    -------
    SearchResult
        Sources in the order of their marks.

    """
    named = [sources.get(citation.document_id, citation.document_title) for citation in answer.citations]
    distinct = list(dict.fromkeys(named))
    numbers = {n: distinct.index(name) + 1 for n, name in enumerate(named, start=1)}
    pieces = answer.context.pieces if answer.context is not None else ()
    entities = used(pieces, "entity") or {scored.item.id for scored in answer.entities}
    return SearchResult(
        response=renumbered(answer.text, numbers),
        sources=tuple(" ".join(name.splitlines()) for name in distinct),
        entities_used=len(entities),
        communities_used=len(used(pieces, "community")),
        search_mode=mode,
        written_by=answer.method,
        warnings=answer.warnings,
    )


def used(pieces: Iterable[ContextPiece], kind: PieceKind) -> set[str]:
    """Return the ids of the pieces of a kind that an answer was made from.

    Parameters
    ----------
    pieces : iterable of ContextPiece
        Of the context of an answer.
    kind : PieceKind
        Such as entity.

    Returns
    -------
    set of str
        Each once.

    """
    return {piece.id for piece in pieces if piece.kind == kind}


def renumbered(text: str, numbers: Mapping[int, int]) -> str:
    """Replace the numbers of citations in a text by those of their documents, each once in a row of marks.

    Parameters
    ----------
    text : str
        With marks [n].
    numbers : mapping of int to int
        Number of a citation -> that of its document.

    Returns
    -------
    str
        A number that is not in `numbers` stays.

    """

    def mark(found: re.Match[str]) -> str:
        said = [int(number) for number in _NUMBER.findall(found[0])]
        kept = dict.fromkeys(numbers.get(number, number) for number in said)
        return "".join(f"[{number}]" for number in kept)

    return _MARKS.sub(mark, text)


def format_result(result: SearchResult) -> str:
    """Write a result as section 9 of the contract does: mode, response, what it used, five sources.

    Parameters
    ----------
    result : SearchResult
        Of a question.

    Returns
    -------
    str
        Markdown; sources beyond the fifth are left out.

    """
    used_of_it = f"Entities: {result.entities_used} | Communities: {result.communities_used}"
    lines = [
        f"**GraphRAG {result.search_mode.title()} Search Result**",
        "",
        result.response,
        "",
        "---",
        f"*Mode: {result.search_mode} | {used_of_it}*",
    ]
    if result.sources:
        lines += ["", "**Sources:**", *(f"- {source}" for source in result.sources[:MOST_SOURCES])]
    return "\n".join(lines)


_format_result = format_result
"""The contract's own name for it."""

T = TypeVar("T")


class Searcher:
    """Answers questions from a tool's index; may be asked by several threads."""

    def __init__(
        self, storage: GraphRAGStorage, settings: GraphRAGConfig, execution: ExecutionConfig
    ) -> None:
        self._store = IndexStore(storage.storage_dir.parent)
        self._name = storage.tool.name
        self._settings = settings
        self._recent = RecentIndexes(1)
        self._chosen = chosen_model("search_model", settings.search_model, execution)
        self._llm: Client | None = None
        if self._chosen.profile is not None and self._chosen.why is None:
            profile = hurried(self._chosen.profile)
            self._llm = open_client(profile, storage.storage_dir.parent, budget=execution.budget)

    @property
    def warnings(self) -> tuple[ToolWarning, ...]:
        """What is done otherwise than the tool says."""
        mode, given = self._settings.search_mode, self._settings.model_fields_set
        unused = "community_level" in given and method_of(mode, 0).method == method_of(mode, 1).method
        message = f"search_mode {mode} reads no communities, so that community_level has no effect."
        return (*self._chosen.warnings, *warned("community_level_unused", message, when=unused))

    def warm(self) -> None:
        """Open the index, so that the first question does not wait, and say what is missing."""
        for warning in self.warnings:
            log_warning(warning)
        method_of(self._settings.search_mode, self._settings.community_level)
        _ = self.opened().graph

    def opened(self) -> "OpenIndex":
        """Return the index, opened anew where another generation was published or something was added.

        Returns
        -------
        OpenIndex
            With its memory, the same one for as long as nothing changes.

        """
        return self._recent.open(self._store, self._name)

    def result(self, query: str) -> SearchResult:
        """Answer a question in the tool's mode, as the contract has it.

        Parameters
        ----------
        query : str
            In any words.

        Returns
        -------
        SearchResult
            Before it is formatted.

        """
        answer, opened = self.answer(query)
        documents = opened.documents if answer.citations else ()
        sources = {document.id: document.source for document in documents}
        return result_of(answer, self._settings.search_mode, sources)

    def answer(self, query: str) -> "tuple[AnswerResult, OpenIndex]":
        """Answer a question in the tool's mode; once more where the index's tables went away meanwhile.

        Parameters
        ----------
        query : str
            In any words.

        Returns
        -------
        tuple of AnswerResult and OpenIndex
            The answer with citations and the steps of the method, and the index that it is from.

        """
        from corpusgraph.flows.answer import DEFAULT, answer
        from corpusgraph.flows.store.writer import KEEP
        from corpusgraph.flows.studies import made

        mode, level = self._settings.search_mode, self._settings.community_level
        question = made(Question, "search", {"ask": query, "method": MODES.get(mode, mode)})
        check = None if question.method == DEFAULT else method_of(mode, level)
        opened = self._there()
        try:
            return answer(opened, question, llm=self._llm, check=check), opened
        except (IndexNotFoundError, OSError, RuntimeError, ValueError):  # as each reader says it
            manifest = self._store.manifest(self._name)
            # so few generations were published meanwhile that the one that was read is still there
            if manifest is None or manifest.serial < opened.manifest.serial + KEEP:
                raise
        self._recent.clear()
        opened = self._there()
        return answer(opened, question, llm=self._llm, check=check), opened

    def _there(self) -> "OpenIndex":
        """Return the open index; one that was cleared or damaged meanwhile is, to the contract, none yet."""
        try:
            return self.opened()
        except IndexNotFoundError as error:
            message = f"The index of {self._name!r} cannot be opened any more: {error.message}"
            raise NotInitializedError(message, hint="Await initialize() again.") from error

    def close(self) -> None:
        """Let go of the index and the language model; no search may be under way."""
        self._recent.clear()
        if self._llm is not None:
            self._llm.close()


THREADS = 8
"""Searches of one engine that run at once; others wait."""


class GraphRAGEngine:
    """GraphRAG for one tool: `await initialize()`, then `await search(query)`, at the end `await close()`.

    It may be used by several tasks at once, also of several event loops, and many engines may be in one
    process, of one tool or of several. What is added to the index by hand is seen by the next search.
    """

    def __init__(
        self,
        config: VectorstoreTool,
        base_dir: str | None = None,
        execution_config: ExecutionConfig | None = None,
    ) -> None:
        """Prepare an engine for a tool; nothing is read or written before `initialize`.

        Paths of the tool start at `base_dir`, or here. EngineConfigError, a ValueError, for a tool of another
        engine; EngineUnavailableError, an ImportError, where a library is not installed.
        """
        self.config = tool_of(config)
        require_libraries()
        self.execution_config = validated(ExecutionConfig, execution_config or {})
        self._base = Path.cwd() if base_dir is None else Path(base_dir).expanduser().absolute()
        self.storage = GraphRAGStorage(self.config, self._base, execution_config=self.execution_config)
        self._lock = Lock()
        self._runs: set[Event] = set()  # one for each initialisation under way; set: it is called off
        self._pool: ThreadPoolExecutor | None = None
        self._searcher: Searcher | None = None
        self.metadata: IndexMetadata | None = None
        """What is known of the index; None before initialisation."""
        self.warnings: tuple[ToolWarning, ...] = ()
        """What is done otherwise than the tool says, such as `no_key`: rules stand in for a model."""

    @property
    def is_initialized(self) -> bool:
        """Whether the engine can search."""
        return self._searcher is not None

    @property
    def index_stats(self) -> dict[str, int]:
        """Numbers of entities, relationships, communities and source files; 0 before initialisation."""
        counted = {**COUNTED, "files": "file_count"}
        return {name: getattr(self.metadata, field, 0) for name, field in counted.items()}

    async def initialize(self, force_reindex: bool = False) -> None:
        """Bring the index up to date and open it.

        Calls of a language model that failed are made again then. A failure leaves an engine that was
        initialised as it was.

        Parameters
        ----------
        force_reindex : bool, default False
            Derive it anew in any case.

        Raises
        ------
        SourceNotFoundError
            A FileNotFoundError, where the tool's source is not there.
        IndexingError
            With what stopped it as its cause.

        """
        stop = Event()
        with self._lock:
            self._runs.add(stop)
            work = self._start(partial(self._initialize, force_reindex, stop))
        try:
            await asyncio.wrap_future(work)
        finally:
            stop.set()  # a run that is over does not mind; one whose task was cancelled stops soon
            with self._lock:
                self._runs.discard(stop)

    async def search(self, query: str) -> str:
        """Answer a question, formatted as section 9 of the contract says.

        Parameters
        ----------
        query : str
            In any words.

        Returns
        -------
        str
            Markdown.

        Raises
        ------
        NotInitializedError
            A RuntimeError, before initialisation or after closing.

        """
        return format_result(await self.result(query))

    async def result(self, query: str) -> SearchResult:
        """Answer a question; what `search` formats, with warnings beside it.

        Parameters
        ----------
        query : str
            In any words.

        Returns
        -------
        SearchResult
            Before it is formatted.

        Raises
        ------
        NotInitializedError
            A RuntimeError, before initialisation or after closing.

        """
        return await self._ask(lambda searcher: searcher.result(query))

    async def answer(self, query: str) -> "AnswerResult":
        """Answer a question with citations to the character, passages and the steps of the method.

        Parameters
        ----------
        query : str
            In any words.

        Returns
        -------
        AnswerResult
            As `corpusgraph.ask` gives it.

        Raises
        ------
        NotInitializedError
            A RuntimeError, before initialisation or after closing.

        """
        answer, _ = await self._ask(lambda searcher: searcher.answer(query))
        return answer

    async def close(self) -> None:
        """Let go of the index and the language model.

        Searches under way are waited for, indexing is called off. Closing twice is nothing; a closed engine
        may be initialised again.
        """
        with self._lock:
            pool, self._pool = self._pool, None
            searcher, self._searcher = self._searcher, None
            for run in self._runs:
                run.set()
        if pool is not None:
            await asyncio.to_thread(pool.shutdown, wait=True)
        if searcher is not None:
            await asyncio.to_thread(searcher.close)

    async def _ask(self, asked: "Callable[[Searcher], T]") -> T:
        with self._lock:
            searcher = self._searcher
            if searcher is None:
                message = f"The GraphRAG engine of {self.config.name!r} is not initialized."
                raise NotInitializedError(message, hint="Await initialize() first.")
            work = self._start(partial(asked, searcher))
        return await asyncio.wrap_future(work)

    def _start(self, work: Callable[[], T]) -> Future[T]:
        """Begin work in a thread of this engine; the lock is held."""
        if self._pool is None:
            name = f"graphrag-{self.config.name}"
            self._pool = ThreadPoolExecutor(THREADS, thread_name_prefix=name, initializer=whole_first)
        return self._pool.submit(copy_context().run, work)

    def _initialize(self, force: bool, stop: Event) -> None:
        source = self._base / Path(self.config.source).expanduser()
        self.storage.require_source(source)
        indexer = GraphRAGIndexer(self.config, self.storage, execution_config=self.execution_config)
        metadata = indexer.build(source, force, stop)
        try:
            searcher = Searcher(self.storage, self.config.graphrag or GraphRAGConfig(), self.execution_config)
            searcher.warm()
        except CorpusgraphError as error:
            message = f"The index of {self.config.name!r} cannot be searched: {error.message}"
            raise IndexingError(message, hint=error.hint) from error
        # Search with what was opened from now on, unless that was called off meanwhile. The searcher that was
        # there, or this one, closes when the last search that uses it is over.
        with self._lock:
            if stop.is_set():
                raise IndexingError(f"The initialisation of {self.config.name!r} was called off.")
            self._searcher, self.metadata = searcher, metadata
            self.warnings = (*indexer.warnings, *searcher.warnings)
