"""The engine contract: an application that speaks it uses this system by changing an import.

from corpusgraph.flows.interop.engine import GraphRAGEngine, load_tools
"""

from typing import TYPE_CHECKING

from corpusgraph.flows.interop.engine.contract import (
    ExecutionConfig,
    GraphRAGConfig,
    GraphRagConfig,
    GraphRAGModelConfig,
    IndexingError,
    IndexMetadata,
    SearchResult,
    VectorstoreTool,
    build_graphrag_config,
    load_tools,
    missing_libraries,
)
from corpusgraph.flows.interop.engine.engine import (
    GraphRAGEngine,
    GraphRAGIndexer,
    GraphRAGStorage,
    _format_result,
    format_result,
)

if TYPE_CHECKING:
    GRAPHRAG_AVAILABLE: bool

__all__ = ["GRAPHRAG_AVAILABLE", "ExecutionConfig", "GraphRAGConfig", "GraphRAGEngine", "GraphRAGIndexer"]
__all__ += ["GraphRAGModelConfig", "GraphRAGStorage", "GraphRagConfig", "IndexMetadata", "IndexingError"]
__all__ += ["SearchResult", "VectorstoreTool", "_format_result", "build_graphrag_config"]
__all__ += ["format_result", "load_tools"]


def __getattr__(name: str) -> bool:
    """Return GRAPHRAG_AVAILABLE: whether the engine's libraries are installed, looked up when it is read."""
    if name == "GRAPHRAG_AVAILABLE":
        return not missing_libraries()
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
