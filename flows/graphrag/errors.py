"""The conditions of the engine contract: each a named error of ours and the contract's exception."""

from corpusgraph.schemas.errors import (
    CorpusgraphError,
    CorpusNotFoundError,
    DependencyMissingError,
    InvalidInputError,
)


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


class TableNotFoundError(CorpusgraphError, FileNotFoundError):
    """A table of an index that was not written yet: a FileNotFoundError, as pandas would raise it."""

    code = "table_not_found"


class NotInitializedError(CorpusgraphError, RuntimeError):
    """An engine was asked before `initialize`, or after `close`: a RuntimeError in the contract."""

    code = "engine_not_initialized"


class EngineUnavailableError(DependencyMissingError, ImportError):
    """A library that the engine needs is not installed: an ImportError in the contract."""
