"""Tools, engines and corpora that the engine's tests start from."""

import asyncio
from collections.abc import Coroutine
from pathlib import Path
from typing import Any, TypeVar

from corpusgraph.flows.interop.engine import ExecutionConfig, GraphRAGConfig, GraphRAGEngine, VectorstoreTool
from tests.conftest import write_corpus

T = TypeVar("T")
ASKED = "What caused cholera?"


def run(work: Coroutine[Any, Any, T]) -> T:
    """Run a coroutine to its end, as an application's loop would."""
    return asyncio.run(work)


def home(folder: Path) -> Path:
    """Return a base folder with the tiny corpus in `data/documents`."""
    write_corpus(folder / "data" / "documents")
    return folder


def tool(name: str = "knowledge_graph", source: str = "data/documents", **settings: Any) -> VectorstoreTool:
    """Return a tool with some settings; without any it has none."""
    chosen = GraphRAGConfig.model_validate(settings) if settings else None
    return VectorstoreTool(name=name, engine="graphrag", source=source, graphrag=chosen)


def engine(base: Path, execution: ExecutionConfig | None = None, **of_tool: Any) -> GraphRAGEngine:
    """Return an engine that was initialised."""
    made = GraphRAGEngine(tool(**of_tool), str(base), execution)
    run(made.initialize())
    return made
