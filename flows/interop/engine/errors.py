"""The conditions of the engine contract: each a named error of ours and the contract's exception."""

from importlib.util import find_spec

from corpusgraph.schemas.errors import (
    CorpusgraphError,
    CorpusNotFoundError,
    DependencyMissingError,
    IndexNotFoundError,
    InvalidInputError,
    OutputError,
)

AGAIN = "initialize(force_reindex=True) builds the index anew from what was read."


_ELSEWHERE = "Give base_dir a folder you may write to, or bring the index up to date where it was made."


def hint_of(error: Exception) -> str | None:
    """Return the hint of what stopped a tool's indexing, in terms of a tool, not of a study or a command.

    Parameters
    ----------
    error : Exception
        Whatever was raised.

    Returns
    -------
    str or None
        None where there is nothing to advise.

    """
    if isinstance(error, CorpusNotFoundError) and not isinstance(error, FileNotFoundError):
        from corpusgraph.flows.load.formats import KINDS

        return f"Put documents where the tool's `source` leads to; {KINDS} are read."
    if isinstance(error, OutputError) and (error.hint or "").startswith("Set "):
        return _ELSEWHERE
    if isinstance(error, IndexNotFoundError) and (error.hint or "").startswith("Index "):
        return AGAIN
    return error.hint if isinstance(error, CorpusgraphError) else None


class IndexingError(CorpusgraphError):
    """Indexing failed; `__cause__` is the condition that stopped it, and what was published stays."""

    code = "indexing_failed"


class EngineConfigError(InvalidInputError, ValueError):
    """A tool's configuration that this engine cannot run: a ValueError in the contract."""

    code = "engine_config"


class ToolsFileError(InvalidInputError, ValueError):
    """A tools file that cannot be read as one: file, line and the nearest valid key are in the message."""

    code = "invalid_tools"


class SourceNotFoundError(CorpusNotFoundError, FileNotFoundError):
    """There is nothing at a tool's `source`: a FileNotFoundError in the contract."""

    code = CorpusNotFoundError.code


class TableNotFoundError(CorpusgraphError, FileNotFoundError):
    """A table of an index that was not written yet: a FileNotFoundError, as pandas would raise it."""

    code = "table_not_found"


class TableUnreadableError(CorpusgraphError, ValueError):
    """A table of an index that is damaged: a ValueError, as Arrow's own is."""

    code = "table_unreadable"


class NotInitializedError(CorpusgraphError, RuntimeError):
    """An engine was asked before `initialize`, or after `close`: a RuntimeError in the contract."""

    code = "engine_not_initialized"


class EngineUnavailableError(DependencyMissingError, ImportError):
    """A library that the engine needs is not installed: an ImportError in the contract."""

    code = DependencyMissingError.code


LIBRARIES = ("lancedb", "pyarrow", "pandas", "graspologic_native")
"""The package `graphrag` is none of them: this engine stands in its place."""


def missing_libraries() -> list[str]:
    """Return the libraries that are not installed.

    Returns
    -------
    list of str
        Names of modules; empty where all are there.

    """
    return [name for name in LIBRARIES if find_spec(name) is None]


def require_libraries() -> None:
    """Check that all libraries of the engine are installed.

    Raises
    ------
    EngineUnavailableError
        An ImportError, with those that are not.

    """
    missing = missing_libraries()
    if missing:
        message = f"The GraphRAG engine needs {', '.join(missing)}, which is not installed."
        raise EngineUnavailableError(message, hint=f"pip install {' '.join(missing)}")
