"""The engine contract: an application that speaks it uses this system by changing an import.

from corpusgraph.flows.interop.engine import GraphRAGEngine, load_tools
"""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from corpusgraph.flows.interop.engine.config import GraphRagConfig, build_graphrag_config
    from corpusgraph.flows.interop.engine.engine import GraphRAGEngine
    from corpusgraph.flows.interop.engine.errors import IndexingError
    from corpusgraph.flows.interop.engine.indexer import GraphRAGIndexer
    from corpusgraph.flows.interop.engine.models import (
        ExecutionConfig,
        GraphRAGConfig,
        GraphRAGModelConfig,
        IndexMetadata,
        SearchResult,
        VectorstoreTool,
    )
    from corpusgraph.flows.interop.engine.searcher import _format_result, format_result
    from corpusgraph.flows.interop.engine.storage import GraphRAGStorage
    from corpusgraph.flows.interop.engine.toolsfile import load_tools

    GRAPHRAG_AVAILABLE: bool

_HERE = "corpusgraph.flows.interop.engine"
_HOMES = {
    "_format_result": "searcher",
    "ExecutionConfig": "models",
    "GraphRAGConfig": "models",
    "GraphRAGEngine": "engine",
    "GraphRAGIndexer": "indexer",
    "GraphRAGModelConfig": "models",
    "GraphRAGStorage": "storage",
    "GraphRagConfig": "config",
    "IndexMetadata": "models",
    "IndexingError": "errors",
    "SearchResult": "models",
    "VectorstoreTool": "models",
    "build_graphrag_config": "config",
    "format_result": "searcher",
    "load_tools": "toolsfile",
}
__all__ = ["GRAPHRAG_AVAILABLE", "ExecutionConfig", "GraphRAGConfig", "GraphRAGEngine", "GraphRAGIndexer"]
__all__ += ["GraphRAGModelConfig", "GraphRAGStorage", "GraphRagConfig", "IndexMetadata", "IndexingError"]
__all__ += ["SearchResult", "VectorstoreTool", "_format_result", "build_graphrag_config"]
__all__ += ["format_result", "load_tools"]


def __getattr__(name: str) -> Any:
    """Import a name when it is first used. GRAPHRAG_AVAILABLE: whether the engine's libraries are there."""
    from importlib import import_module

    if name == "GRAPHRAG_AVAILABLE":
        return not import_module(f"{_HERE}.errors").missing_libraries()
    if name not in _HOMES:
        message = f"module {_HERE!r} has no attribute {name!r}"
        raise AttributeError(message)
    return getattr(import_module(f"{_HERE}.{_HOMES[name]}"), name)


def __dir__() -> list[str]:
    """List the names of the contract."""
    return list(__all__)
