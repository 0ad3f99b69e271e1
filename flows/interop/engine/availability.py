"""Whether the libraries that the engine works with are installed; none of them is imported for it."""

from importlib.util import find_spec

from corpusgraph.flows.interop.engine.errors import EngineUnavailableError

LIBRARIES = ("lancedb", "pyarrow", "pandas", "graspologic_native")
"""The package `graphrag` is none of them: this engine stands in its place."""


def missing_libraries() -> list[str]:
    """Return the libraries that are not installed."""
    return [name for name in LIBRARIES if find_spec(name) is None]


def require_libraries() -> None:
    """Raise EngineUnavailableError, an ImportError, where a library is not installed."""
    missing = missing_libraries()
    if missing:
        message = f"The GraphRAG engine needs {', '.join(missing)}, which is not installed."
        raise EngineUnavailableError(message, hint=f"pip install {' '.join(missing)}")
