"""What the engine contract is configured with and tells: models whose fields are those of the contract."""

import re
from collections.abc import Mapping
from functools import lru_cache
from os import PathLike, fspath
from typing import Any, Literal, TypeVar

from pydantic import (
    BaseModel,
    ConfigDict,
    Field,
    NonNegativeInt,
    PositiveFloat,
    PositiveInt,
    ValidationError,
    field_validator,
    model_validator,
)

from corpusgraph.flows.interop.engine.errors import EngineConfigError
from corpusgraph.schemas.base import Noun
from corpusgraph.schemas.errors import MethodCheckError, UnknownMethodError, did_you_mean
from corpusgraph.schemas.method import Loop, MethodCheck, Node, Step
from corpusgraph.schemas.results import ToolWarning

MODES = {"local": "ms_local", "global": "ms_global", "drift": "ms_drift", "basic": "ms_basic"}
"""The modes of GraphRAG and the methods that do what they do; any other mode is a method's own name."""
LEVELS = ("community_level", "max_layer")
"""Parameters of tools that bound the level of communities."""


def check_mode(mode: str) -> str:
    """Return a search mode that there is.

    Parameters
    ----------
    mode : str
        One of `MODES`, or the name of a method.

    Returns
    -------
    str
        As it came in.

    Raises
    ------
    ValueError
        With the nearest mode; also for the path of a file and for a method that cannot run.

    """
    if mode not in MODES:
        from corpusgraph.flows.files.yaml_file import is_path

        if is_path(mode):
            message = f"search_mode is the name of a method, not a path: {mode!r}"
            raise ValueError(message)
        try:
            method_of(mode, 0)
        except UnknownMethodError as error:
            near = did_you_mean(mode, list(MODES)) or error.hint or ""
            message = f"there is no search_mode {mode!r}. {near}".strip()
            raise ValueError(message) from None
        except MethodCheckError as error:
            message = f"search_mode {mode!r} cannot run: {error.message}"
            raise ValueError(message) from None
    return mode


@lru_cache(maxsize=64)
def method_of(mode: str, level: int) -> MethodCheck:
    """Return the method of a mode, its communities no finer than a level, its answer with its context.

    Parameters
    ----------
    mode : str
        One of `MODES`, or the name of a method.
    level : int
        From 0, the coarsest.

    Returns
    -------
    MethodCheck
        Checked, so that it can be run.

    Raises
    ------
    UnknownMethodError
        For a mode that there is not.
    MethodCheckError
        For a method that cannot run.

    """
    from corpusgraph.flows.methods import load_method
    from corpusgraph.tasks.method.check import checked

    method = load_method(MODES.get(mode, mode))
    update: dict[str, Any] = {"steps": tuple(_levelled(node, level) for node in method.steps)}
    if method.answer is not None:  # with its context, to be counted
        update["answer"] = {**method.answer, "include_context": True}
    return checked(method.model_copy(update=update))


def has_level(mode: str) -> bool:
    """Tell whether a mode reads communities, so that their level means something.

    Parameters
    ----------
    mode : str
        One of `MODES`, or the name of a method.

    Returns
    -------
    bool
        Whether the level changes its method.

    """
    return method_of(mode, 0).method != method_of(mode, 1).method


def _levelled(node: Node, level: int) -> Node:
    from corpusgraph.tasks.registry import find_tool

    if isinstance(node, Loop):
        return node.model_copy(update={"steps": tuple(_levelled(inner, level) for inner in node.steps)})
    tool = find_tool(node.tool) if isinstance(node, Step) else None
    if not isinstance(node, Step) or tool is None:
        return node
    chosen = {name: level for name in LEVELS if name in tool.input.model_fields}
    return node.model_copy(update={"inputs": {**node.inputs, **chosen}}) if chosen else node


_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.-]{0,99}")
_DEVICES = re.compile(r"(?:con|prn|aux|nul|com[0-9]|lpt[0-9])(?:\..*)?", re.IGNORECASE)
"""Names that Windows keeps for devices, whatever follows a point."""


def unsafe_name(name: object) -> str | None:
    """Tell why a name cannot be that of a folder; None where it can.

    Parameters
    ----------
    name : object
        Whatever a configuration has there.

    Returns
    -------
    str or None
        In words that end a sentence.

    """
    if not isinstance(name, str) or not _NAME.fullmatch(name):
        return (
            f"{name!r} cannot be the name of a folder: it has letters, digits, '_', '-' and '.', at most "
            "100, and begins with a letter or digit"
        )
    if _DEVICES.fullmatch(name) or name.endswith("."):
        return f"{name!r} cannot be the name of a folder everywhere: Windows keeps it for itself"
    return None


OVERLAP = 100
"""Tokens that text units share unless given."""
Provider = Literal["openai", "azure_openai", "azure", "ollama", "vllm", "compatible"]


class GraphRAGModelConfig(Noun):
    """A language model: where it is and what it is called. Its key is in the environment, never here."""

    provider: Provider = Field(
        default="openai", description="whose protocol and address; azure_openai and azure are the same"
    )
    name: str = Field(default="gpt-4o-mini", min_length=1, description="name the provider knows it by")
    temperature: float = Field(default=0.0, ge=0.0, le=2.0, description="0: the likeliest answer")
    max_tokens: PositiveInt | None = Field(
        default=None, description="of one reply; none: 4096, or what the provider's profile says"
    )
    api_base: str | None = Field(
        default=None, description="address of the endpoint; ${NAME} is the environment's"
    )
    api_version: str | None = Field(default=None, description="of Azure")
    deployment_name: str | None = Field(
        default=None, description="of Azure, where the deployment is not named like its model"
    )

    @field_validator("name", "api_base", "api_version", "deployment_name")
    @classmethod
    def _is_printable(cls, text: str | None) -> str | None:
        if text is not None and (not text.strip() or not text.isprintable()):
            message = f"{text!r} has nothing in it, or what cannot be printed"
            raise ValueError(message)
        return text

    @model_validator(mode="after")
    def _deployments_are_of_azure(self) -> "GraphRAGModelConfig":
        if self.deployment_name is not None and self.provider not in {"azure", "azure_openai"}:
            message = "deployment_name is for provider azure_openai"
            raise ValueError(message)
        return self


class GraphRAGConfig(Noun):
    """The section `graphrag` of a tool. What is left out has the contract's default."""

    search_mode: str = Field(
        default="local",
        description="local, global, drift, basic, or the name of any method (`corpusgraph method list`)",
    )
    community_level: NonNegativeInt = Field(
        default=2, description="finest level of communities that is read; 0 is the coarsest"
    )
    indexing_model: GraphRAGModelConfig | None = Field(
        default=None, description="reads the documents and writes the reports; none: rules do"
    )
    search_model: GraphRAGModelConfig | None = Field(
        default=None, description="writes the answers; none: sentences of the documents, word for word"
    )
    entity_types: tuple[str, ...] | None = Field(
        default=None, description="the only types of entities a model looks for; none: any"
    )
    chunk_size: PositiveInt = Field(default=300, description="tokens of a text unit, at most")
    chunk_overlap: NonNegativeInt = Field(
        default=OVERLAP, description="tokens that neighbours share; less where text units are no longer"
    )
    max_gleanings: int = Field(
        default=1, ge=0, le=5, description="further rounds that ask a model for what it missed; above 3 as 3"
    )
    skip_claim_extraction: bool = Field(
        default=True, description="leave claims and arguments out of the index; false: keep them"
    )

    @field_validator("community_level", "chunk_size", "chunk_overlap", "max_gleanings", mode="before")
    @classmethod
    def _is_a_number(cls, given: object) -> object:
        """Refuse true and false, which Python counts as 1 and 0."""
        if given is True or given is False:
            message = f"a number is needed, not {'true' if given else 'false'}"
            raise ValueError(message)
        return given

    @field_validator("search_mode")
    @classmethod
    def _mode_is_find_tool(cls, mode: str) -> str:
        return check_mode(mode)

    @field_validator("entity_types")
    @classmethod
    def _types_are_named(cls, types: tuple[str, ...] | None) -> tuple[str, ...] | None:
        for name in types or ():
            if not any(mark.isalnum() for mark in name):
                message = f"{name!r} is no name of a type"
                raise ValueError(message)
        return types

    @model_validator(mode="before")
    @classmethod
    def _overlap_follows_size(cls, data: object) -> object:
        """Let the usual overlap fit into small text units."""
        size = data.get("chunk_size") if isinstance(data, dict) else None
        if not isinstance(data, dict) or not isinstance(size, int) or not 0 < size <= OVERLAP:
            return data
        return {"chunk_overlap": size - 1, **data}

    @model_validator(mode="after")
    def _overlap_is_smaller(self) -> "GraphRAGConfig":
        if self.chunk_overlap >= self.chunk_size:
            message = (
                f"chunk_overlap ({self.chunk_overlap}) is not smaller than chunk_size ({self.chunk_size})"
            )
            raise ValueError(message)
        return self


class VectorstoreTool(Noun):
    """A tool of the tools file. With `engine: graphrag` this engine runs it."""

    name: str = Field(description="name of the tool, and of its folder below .holodeck/graphrag")
    type: Literal["vectorstore"] = Field(default="vectorstore", description="kind of tool")
    engine: Literal["default", "graphrag"] = Field(default="default", description="what searches")
    source: str = Field(description="file or folder of documents, relative to base_dir")
    description: str = Field(default="", description="what it is for, as an agent is told")
    graphrag: GraphRAGConfig | None = Field(default=None, description="settings, for engine graphrag alone")

    @field_validator("name")
    @classmethod
    def _name_is_that_of_a_folder(cls, name: str) -> str:
        if (wrong := unsafe_name(name)) is not None:
            raise ValueError(wrong)
        return name

    @field_validator("source")
    @classmethod
    def _source_is_a_path(cls, source: str) -> str:
        if not source.strip() or "\0" in source:
            message = "source is the path of a file or folder"
            raise ValueError(message)
        return source

    @model_validator(mode="after")
    def _settings_fit(self) -> "VectorstoreTool":
        if self.graphrag is not None and self.engine != "graphrag":
            message = f"the settings `graphrag` are for engine: graphrag, not {self.engine}"
            raise ValueError(message)
        return self


class ExecutionConfig(Noun):
    """How the engine may work. `file_timeout` to `parallel_test_cases` are the application's own business."""

    llm_timeout: PositiveFloat | None = Field(
        default=None, description="seconds for one request to a language model"
    )
    workers: PositiveInt | None = Field(
        default=None, description="processes that extract; none: the environment's, else 1"
    )
    profile: str | None = Field(
        default=None, description="profile of a language model, where the tool names no model of its own"
    )
    budget: PositiveFloat | None = Field(
        default=None, description="US dollars that indexing, and each engine's answers, may cost"
    )
    file_timeout: float | None = None
    download_timeout: float | None = None
    cache_enabled: bool | None = None
    cache_dir: str | None = None
    verbose: bool | None = None
    quiet: bool | None = None
    parallel_test_cases: int | None = None


class IndexMetadata(BaseModel):
    """What `index.meta` tells of an index. A field of a later version is passed over."""

    model_config = ConfigDict(frozen=True, extra="ignore")

    tool_name: str
    source_path: str = Field(description="absolute")
    source_hash: str = Field(description="SHA-256 over names and content of the source files")
    indexed_at: str = Field(description="UTC, ISO 8601")
    file_count: NonNegativeInt
    entity_count: NonNegativeInt = 0
    relationship_count: NonNegativeInt = 0
    community_count: NonNegativeInt = 0
    graphrag_version: str = Field(default="", description="of the engine: corpusgraph and its version")
    config_hash: str = Field(default="", description="of all that decides an index besides its source")
    generation: str = Field(default="", description="generation that was published")
    extractor: str = Field(default="offline", description="offline (rules), or the name of the model")
    n_extracted: NonNegativeInt = Field(default=0, description="documents read in the last run")
    n_reused: NonNegativeInt = Field(default=0, description="documents whose evidence was kept")
    n_failures: NonNegativeInt = Field(default=0, description="lines of the failure ledger")


class SearchResult(Noun):
    """An answer as section 9 of the contract formats it, with what is to be minded beside it."""

    response: str
    sources: tuple[str, ...] = Field(
        default=(), description="documents, as paths below the source; [n] in the response is the n-th"
    )
    entities_used: NonNegativeInt = Field(default=0, description="entities the answer was made from")
    communities_used: NonNegativeInt = Field(default=0, description="communities the answer was made from")
    search_mode: str
    written_by: str = Field(default="extractive", description="name of the model, or extractive")
    warnings: tuple[ToolWarning, ...] = ()


M = TypeVar("M", bound=BaseModel)


def tool_of(config: object) -> VectorstoreTool:
    """Return a tool's configuration as ours; an application may hand over an object of its own class.

    Of such an object name, engine, source, description and graphrag are read; a mapping, as a YAML file has
    it, is read as `load_tools` would read it.

    Parameters
    ----------
    config : object
        Ours, a mapping, or another object.

    Returns
    -------
    VectorstoreTool
        Ours is returned as it is.

    Raises
    ------
    EngineConfigError
        A ValueError, for an engine that is not graphrag and for settings that cannot be run.

    """
    if isinstance(config, VectorstoreTool):
        _refuse_other_engine(config.engine)
        return config
    if isinstance(config, Mapping):
        _refuse_other_engine(config.get("engine"))
        return validated(VectorstoreTool, config)
    given = fields_of(config, VectorstoreTool)
    _refuse_other_engine(given.get("engine"))
    settings = given.get("graphrag")
    if isinstance(settings, BaseModel):
        given["graphrag"] = settings.model_dump(exclude_none=True)
    elif isinstance(settings, Mapping):
        given["graphrag"] = {key: value for key, value in settings.items() if value is not None}
    if isinstance(given.get("source"), PathLike):
        given["source"] = fspath(given["source"])
    return validated(VectorstoreTool, given)


def execution_of(config: object) -> ExecutionConfig:
    """Return execution settings as ours; of another object the fields of the same names are read.

    Parameters
    ----------
    config : object
        Ours, a mapping, another object, or None for defaults.

    Returns
    -------
    ExecutionConfig
        Ours is returned as it is.

    Raises
    ------
    EngineConfigError
        For settings that cannot be run.

    """
    if config is None or isinstance(config, ExecutionConfig):
        return config or ExecutionConfig()
    return validated(ExecutionConfig, fields_of(config, ExecutionConfig))


def fields_of(config: object, model: type[BaseModel]) -> dict[str, Any]:
    """Return what is set of a mapping, or, by the names of a model's fields, of an object.

    Parameters
    ----------
    config : object
        A mapping or an object.
    model : type of BaseModel
        Names the fields.

    Returns
    -------
    dict of str to Any
        Fields of an object that are None are left out.

    """
    if isinstance(config, Mapping):
        return dict(config)
    given = {name: getattr(config, name, None) for name in model.model_fields}
    return {name: value for name, value in given.items() if value is not None}


def settings_of(tool: VectorstoreTool) -> GraphRAGConfig:
    """Return a tool's settings; one without any has the contract's defaults.

    Parameters
    ----------
    tool : VectorstoreTool
        Its configuration.

    Returns
    -------
    GraphRAGConfig
        Never None.

    """
    return tool.graphrag or GraphRAGConfig()


def validated(model: type[M], fields: Mapping[str, Any]) -> M:
    """Make a model; what is wrong is told in one line.

    Parameters
    ----------
    model : type of M
        What is to be made.
    fields : mapping of str to Any
        Field -> value.

    Returns
    -------
    M
        Validated.

    Raises
    ------
    EngineConfigError
        With the first problem and its place.

    """
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
