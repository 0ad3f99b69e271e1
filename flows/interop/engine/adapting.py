"""An application's own configuration objects as ours, and the errors of those that cannot be run."""

from collections.abc import Mapping
from os import PathLike, fspath
from typing import Any, TypeVar

from pydantic import BaseModel, ValidationError

from corpusgraph.flows.interop.engine.errors import EngineConfigError
from corpusgraph.flows.interop.engine.models import ExecutionConfig, GraphRAGConfig, VectorstoreTool

M = TypeVar("M", bound=BaseModel)


def tool_of(config: object) -> VectorstoreTool:
    """Return a tool's configuration as ours; an application may hand over an object of its own class.

    Of such an object name, engine, source, description and graphrag are read; a mapping, as a YAML file has
    it, is read as `load_tools` would read it. Raises EngineConfigError, a
    ValueError, for an engine that is not graphrag and for settings that cannot be run.
    """
    if isinstance(config, VectorstoreTool):
        _refuse_other_engine(config.engine)
        return config
    if isinstance(config, Mapping):
        _refuse_other_engine(config.get("engine"))
        return validated(VectorstoreTool, config)
    given = {name: getattr(config, name, None) for name in VectorstoreTool.model_fields}
    _refuse_other_engine(given["engine"])
    given["graphrag"] = _plain(given["graphrag"])
    if isinstance(given["source"], PathLike):
        given["source"] = fspath(given["source"])
    return validated(VectorstoreTool, {key: value for key, value in given.items() if value is not None})


def name_of(config: object) -> object:
    """Return what a tool is called, whatever its configuration is; None where it has no name."""
    return config.get("name") if isinstance(config, Mapping) else getattr(config, "name", None)


def execution_of(config: object) -> ExecutionConfig:
    """Return execution settings as ours; of another object the fields of the same names are read."""
    if config is None or isinstance(config, ExecutionConfig):
        return config or ExecutionConfig()
    if isinstance(config, Mapping):
        return validated(ExecutionConfig, config)
    given = {name: getattr(config, name, None) for name in ExecutionConfig.model_fields}
    return validated(ExecutionConfig, {key: value for key, value in given.items() if value is not None})


def settings_of(tool: VectorstoreTool) -> GraphRAGConfig:
    """Return a tool's settings; one without any has the contract's defaults."""
    return tool.graphrag or GraphRAGConfig()


def validated(model: type[M], fields: Mapping[str, Any]) -> M:
    """Make a model; what is wrong is told in one line."""
    try:
        return model.model_validate(fields)
    except ValidationError as error:
        problem = error.errors(include_url=False)[0]
        where = ".".join(str(part) for part in problem["loc"])
        said = problem["msg"].removeprefix("Value error, ")
        raise EngineConfigError(f"{where + ': ' if where else ''}{said[:1].lower()}{said[1:]}.") from None


def _refuse_other_engine(engine: object) -> None:
    if engine != "graphrag":
        raise EngineConfigError(
            f"This engine runs tools with engine 'graphrag', not {engine!r}.",
            hint="Write `engine: graphrag` in the tool, or let the application's own engine run it.",
        )


def _plain(settings: object) -> object:
    """Return settings as a mapping without what is not set."""
    if isinstance(settings, BaseModel):
        return settings.model_dump(exclude_none=True)
    if isinstance(settings, Mapping):
        return {key: value for key, value in settings.items() if value is not None}
    return settings
