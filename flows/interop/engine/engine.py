"""The engine: a tool's source is indexed, opened and searched, off the event loop of whoever awaits it."""

import asyncio
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from contextvars import copy_context
from functools import partial
from pathlib import Path
from threading import Event, Lock
from typing import TYPE_CHECKING, TypeVar

from corpusgraph.flows.engine import whole_first
from corpusgraph.flows.interop.engine.errors import IndexingError, NotInitializedError, require_libraries
from corpusgraph.flows.interop.engine.indexer import GraphRAGIndexer
from corpusgraph.flows.interop.engine.models import (
    ExecutionConfig,
    IndexMetadata,
    SearchResult,
    VectorstoreTool,
    execution_of,
    settings_of,
    tool_of,
)
from corpusgraph.flows.interop.engine.searcher import format_result
from corpusgraph.flows.interop.engine.storage import GraphRAGStorage
from corpusgraph.schemas.errors import CorpusgraphError
from corpusgraph.schemas.results import ToolWarning

if TYPE_CHECKING:
    from corpusgraph.flows.interop.engine.searcher import Searcher
    from corpusgraph.schemas.answer import AnswerResult

T = TypeVar("T")
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
        self.execution_config = execution_of(execution_config)
        self._base = Path.cwd() if base_dir is None else Path(base_dir).expanduser().absolute()
        self.storage = GraphRAGStorage(self.config, self._base, execution_config=self.execution_config)
        self._lock = Lock()
        self._runs: set[Event] = set()  # one for each initialisation under way; set: it is called off
        self._pool: ThreadPoolExecutor | None = None
        self._searcher: Searcher | None = None
        self._metadata: IndexMetadata | None = None
        self._warnings: tuple[ToolWarning, ...] = ()

    @property
    def is_initialized(self) -> bool:
        """Whether the engine can search."""
        return self._searcher is not None

    @property
    def index_stats(self) -> dict[str, int]:
        """Numbers of entities, relationships, communities and source files; 0 before initialisation."""
        kinds = {"entities": "entity", "relationships": "relationship", "communities": "community"}
        kinds["files"] = "file"
        return {name: getattr(self._metadata, f"{kind}_count", 0) for name, kind in kinds.items()}

    @property
    def metadata(self) -> IndexMetadata | None:
        """What is known of the index; None before initialisation."""
        return self._metadata

    @property
    def warnings(self) -> tuple[ToolWarning, ...]:
        """What is done otherwise than the tool says, such as `no_key`: rules stand in for a model."""
        return self._warnings

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
        return await self._ask(lambda searcher: searcher.answer(query))

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
                raise NotInitializedError(
                    f"The GraphRAG engine of {self.config.name!r} is not initialized.",
                    hint="Await initialize() first.",
                )
            work = self._start(partial(asked, searcher))
        return await asyncio.wrap_future(work)

    def _start(self, work: Callable[[], T]) -> Future[T]:
        """Begin work in a thread of this engine; the lock is held."""
        if self._pool is None:
            name = f"graphrag-{self.config.name}"
            self._pool = ThreadPoolExecutor(THREADS, thread_name_prefix=name, initializer=whole_first)
        return self._pool.submit(copy_context().run, work)

    def _initialize(self, force: bool, stop: Event) -> None:
        from corpusgraph.flows.interop.engine.searcher import Searcher

        source = self._base / Path(self.config.source).expanduser()
        self.storage.require_source(source)
        indexer = GraphRAGIndexer(self.config, self.storage, execution_config=self.execution_config)
        metadata = indexer.build(source, force, stop)
        try:
            searcher = Searcher(self.storage, settings_of(self.config), self.execution_config)
            searcher.warm()
        except IndexingError:
            raise
        except CorpusgraphError as error:
            message = f"The index of {self.config.name!r} cannot be searched: {error.message}"
            raise IndexingError(message, hint=error.hint) from error
        self._take(searcher, metadata, (*indexer.warnings, *searcher.warnings), stop)

    def _take(
        self, searcher: "Searcher", metadata: IndexMetadata, warnings: tuple[ToolWarning, ...], stop: Event
    ) -> None:
        """Search with what was opened from now on, unless that was called off meanwhile."""
        with self._lock:
            # The one that was there, or this one, closes when the last search that uses it is over.
            if stop.is_set():
                raise IndexingError(f"The initialisation of {self.config.name!r} was called off.")
            self._searcher, self._metadata, self._warnings = searcher, metadata, warnings
