"""Tools on the small graph of tests/graph, with a language model or without."""

from typing import Any

from corpusgraph.schemas.ports import LanguageModel
from corpusgraph.tasks import registry as _tool
from corpusgraph.tasks.graph.view import MemoryGraph
from tests.graph.small import SmallVectors, small_graph


def run(
    tool: str, llm: LanguageModel | None = None, graph: MemoryGraph | None = None, **arguments: Any
) -> Any:
    """Call a tool on the small graph and return what it notes: data, warnings, trace."""
    graph = graph or small_graph()
    vectors = SmallVectors(graph)
    ports = {"graph": graph, "vectors": vectors, "embedder": vectors.embedder, "llm": llm}
    return _tool.find(tool).run(arguments, ports)


def codes(noted: Any) -> list[str]:
    """Return the codes of the warnings."""
    return [warning.code for warning in noted.warnings]


def marks(*scores: object, why: str = "") -> dict[str, Any]:
    """Return what a model says that scores items 1, 2, 3 … so."""
    return {"marks": [{"id": i, "score": score, "why": why} for i, score in enumerate(scores, start=1)]}
