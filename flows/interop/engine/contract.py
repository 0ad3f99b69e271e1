"""The engine contract: its errors, its models, tools files, and what is run for them here."""

import re
from collections.abc import Mapping
from contextlib import nullcontext
from dataclasses import dataclass
from functools import cached_property, lru_cache
from importlib.util import find_spec
from os import PathLike, fspath
from pathlib import Path
from typing import Any, ClassVar, Literal, TypeVar

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

from corpusgraph.flows.api import settings
from corpusgraph.flows.files.disk import guarded, replace_bytes
from corpusgraph.flows.files.manifest import DATABASE, OUTPUT
from corpusgraph.flows.files.yaml_file import Keys, is_path, line_of, read_yaml
from corpusgraph.flows.store.store import INDEX_NAME
from corpusgraph.schemas.base import JsonDict, Noun
from corpusgraph.schemas.errors import (
    CorpusgraphError,
    CorpusNotFoundError,
    DependencyMissingError,
    IndexNotFoundError,
    InvalidInputError,
    MethodCheckError,
    MissingResourceError,
    OutputError,
    UnknownMethodError,
    did_you_mean,
    shown,
)
from corpusgraph.schemas.llm import Profile
from corpusgraph.schemas.method import Loop, MethodCheck, Node, Step
from corpusgraph.schemas.results import ToolWarning, warned
from corpusgraph.schemas.settings import Settings
from corpusgraph.schemas.study import (
    Chunking,
    Corpus,
    EntityKind,
    IndexOptions,
    LanguageOptions,
    Ontology,
    Study,
)

AGAIN = "initialize(force_reindex=True) builds the index anew from what was read."


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
        return "Give base_dir a folder you may write to, or bring the index up to date where it was made."
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


MODES = {"local": "ms_local", "global": "ms_global", "drift": "ms_drift", "basic": "ms_basic"}
"""The modes of GraphRAG and the methods that do what they do; any other mode is a method's own name."""
LEVELS = ("community_level", "max_layer")
"""Parameters of tools that bound the level of communities."""


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


def _levelled(node: Node, level: int) -> Node:
    from corpusgraph.tasks.registry import find_tool

    if isinstance(node, Loop):
        return node.model_copy(update={"steps": tuple(_levelled(inner, level) for inner in node.steps)})
    if isinstance(node, Step) and (tool := find_tool(node.tool)) is not None:
        chosen = {name: level for name in LEVELS if name in tool.input.model_fields}
        return node.model_copy(update={"inputs": {**node.inputs, **chosen}}) if chosen else node
    return node


_DEVICES = re.compile(r"(?:con|prn|aux|nul|com[0-9]|lpt[0-9])(?:\..*)?", re.IGNORECASE)
"""Names that Windows keeps for devices, whatever follows a point."""
OVERLAP = 100
"""Tokens that text units share unless given."""
Provider = Literal["openai", "azure_openai", "azure", "ollama", "vllm", "compatible"]


class Contract(Noun):
    """A model of the contract, made of a mapping or of an application's own object, where None is not set."""

    model_config = ConfigDict(use_attribute_docstrings=True)
    _passes_over: ClassVar[bool] = False
    """Whether an object may have more fields, which are the application's own business."""

    @model_validator(mode="before")
    @classmethod
    def _fields_of(cls, given: object) -> object:
        if given is None or isinstance(given, cls | str | bytes | int | float | list | tuple):
            return given
        if not isinstance(given, Mapping if cls._passes_over else Mapping | BaseModel):
            given = {name: getattr(given, name, None) for name in cls.model_fields}
        return {name: value for name, value in dict(given).items() if value is not None}


class GraphRAGModelConfig(Contract):
    """A language model: where it is and what it is called. Its key is in the environment, never here."""

    provider: Provider = "openai"
    """whose protocol and address; azure_openai and azure are the same"""
    name: str = Field(default="gpt-4o-mini", min_length=1)
    """name the provider knows it by"""
    temperature: float = Field(default=0.0, ge=0.0, le=2.0)
    """0: the likeliest answer"""
    max_tokens: PositiveInt | None = None
    """of one reply; none: 4096, or what the provider's profile says"""
    api_base: str | None = None
    """address of the endpoint; ${NAME} is the environment's"""
    api_version: str | None = None
    """of Azure"""
    deployment_name: str | None = None
    """of Azure, where the deployment is not named like its model"""

    @field_validator("name", "api_base", "api_version", "deployment_name")
    @classmethod
    def _is_printable(cls, text: str | None) -> str | None:
        if text is not None and (not text.strip() or not text.isprintable()):
            raise ValueError(f"{text!r} has nothing in it, or what cannot be printed")
        return text

    @model_validator(mode="after")
    def _deployments_are_of_azure(self) -> "GraphRAGModelConfig":
        if self.deployment_name is not None and self.provider not in {"azure", "azure_openai"}:
            raise ValueError("deployment_name is for provider azure_openai")
        return self


class GraphRAGConfig(Contract):
    """The section `graphrag` of a tool. What is left out has the contract's default."""

    search_mode: str = "local"
    """local, global, drift, basic, or the name of any method (`corpusgraph method list`)"""
    community_level: NonNegativeInt = 2
    """finest level of communities that is read; 0 is the coarsest"""
    indexing_model: GraphRAGModelConfig | None = None
    """reads the documents and writes the reports; none: rules do"""
    search_model: GraphRAGModelConfig | None = None
    """writes the answers; none: sentences of the documents, word for word"""
    entity_types: tuple[str, ...] | None = None
    """the only types of entities a model looks for; none: any"""
    chunk_size: PositiveInt = 300
    """tokens of a text unit, at most"""
    chunk_overlap: NonNegativeInt = OVERLAP
    """tokens that neighbours share; less where text units are no longer"""
    max_gleanings: int = Field(default=1, ge=0, le=5)
    """further rounds that ask a model for what it missed; above 3 as 3"""
    skip_claim_extraction: bool = True
    """leave claims and arguments out of the index; false: keep them"""

    @field_validator("community_level", "chunk_size", "chunk_overlap", "max_gleanings", mode="before")
    @classmethod
    def _is_a_number(cls, given: object) -> object:
        """Refuse true and false, which Python counts as 1 and 0."""
        if given is True or given is False:
            raise ValueError(f"a number is needed, not {'true' if given else 'false'}")
        return given

    @field_validator("search_mode")
    @classmethod
    def _mode_is_known(cls, mode: str) -> str:
        """Refuse the path of a file, and a method that there is not or that cannot run."""
        if mode in MODES:
            return mode
        if is_path(mode):
            raise ValueError(f"search_mode is the name of a method, not a path: {mode!r}")
        try:
            method_of(mode, 0)
        except UnknownMethodError as error:
            near = did_you_mean(mode, list(MODES)) or error.hint or ""
            message = f"there is no search_mode {mode!r}. {near}".strip()
            raise ValueError(message) from None
        except MethodCheckError as error:
            raise ValueError(f"search_mode {mode!r} cannot run: {error.message}") from None
        return mode

    @field_validator("entity_types")
    @classmethod
    def _types_are_named(cls, types: tuple[str, ...] | None) -> tuple[str, ...] | None:
        for name in types or ():
            if not any(mark.isalnum() for mark in name):
                raise ValueError(f"{name!r} is no name of a type")
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
            sizes = f"chunk_overlap ({self.chunk_overlap}) is not smaller than chunk_size ({self.chunk_size})"
            raise ValueError(sizes)
        return self


class VectorstoreTool(Contract):
    """A tool of the tools file. With `engine: graphrag` this engine runs it."""

    _passes_over = True
    name: str
    """name of the tool, and of its folder below .holodeck/graphrag"""
    type: Literal["vectorstore"] = "vectorstore"
    """kind of tool"""
    engine: Literal["default", "graphrag"] = "default"
    """what searches"""
    source: str
    """file or folder of documents, relative to base_dir"""
    description: str = ""
    """what it is for, as an agent is told"""
    graphrag: GraphRAGConfig | None = None
    """settings, for engine graphrag alone"""

    @field_validator("name")
    @classmethod
    def _name_is_that_of_a_folder(cls, name: str) -> str:
        if not INDEX_NAME.fullmatch(name):
            raise ValueError(
                f"{name!r} cannot be the name of a folder: it has letters, digits, '_', '-' and '.', at most "
                "100, and begins with a letter or digit"
            )
        if _DEVICES.fullmatch(name) or name.endswith("."):
            raise ValueError(
                f"{name!r} cannot be the name of a folder everywhere: Windows keeps it for itself"
            )
        return name

    @field_validator("source", mode="before")
    @classmethod
    def _source_is_a_path(cls, source: object) -> object:
        path = fspath(source) if isinstance(source, PathLike) else source
        if isinstance(path, str) and (not path.strip() or "\0" in path):
            raise ValueError("source is the path of a file or folder")
        return path

    @model_validator(mode="after")
    def _settings_fit(self) -> "VectorstoreTool":
        if self.graphrag is not None and self.engine != "graphrag":
            raise ValueError(f"the settings `graphrag` are for engine: graphrag, not {self.engine}")
        return self


class ExecutionConfig(Contract):
    """How the engine may work. `file_timeout` to `parallel_test_cases` are the application's own business."""

    _passes_over = True
    llm_timeout: PositiveFloat | None = None
    """seconds for one request to a language model"""
    workers: PositiveInt | None = None
    """processes that extract; none: the environment's, else 1"""
    profile: str | None = None
    """profile of a language model, where the tool names no model of its own"""
    budget: PositiveFloat | None = None
    """US dollars that indexing, and each engine's answers, may cost"""
    file_timeout: float | None = None
    download_timeout: float | None = None
    cache_enabled: bool | None = None
    cache_dir: str | None = None
    verbose: bool | None = None
    quiet: bool | None = None
    parallel_test_cases: int | None = None


class IndexMetadata(BaseModel):
    """What `index.meta` tells of an index. A field of a later version is passed over."""

    model_config = ConfigDict(frozen=True, extra="ignore", use_attribute_docstrings=True)

    tool_name: str
    source_path: str
    """absolute"""
    source_hash: str
    """SHA-256 over names and content of the source files"""
    indexed_at: str
    """UTC, ISO 8601"""
    file_count: NonNegativeInt
    entity_count: NonNegativeInt = 0
    relationship_count: NonNegativeInt = 0
    community_count: NonNegativeInt = 0
    graphrag_version: str = ""
    """of the engine: corpusgraph and its version"""
    config_hash: str = ""
    """of all that decides an index besides its source"""
    generation: str = ""
    """generation that was published"""
    extractor: str = "offline"
    """offline (rules), or the name of the model"""
    n_extracted: NonNegativeInt = 0
    """documents read in the last run"""
    n_reused: NonNegativeInt = 0
    """documents whose evidence was kept"""
    n_failures: NonNegativeInt = 0
    """lines of the failure ledger"""


class SearchResult(Noun, use_attribute_docstrings=True):
    """An answer as section 9 of the contract formats it, with what is to be minded beside it."""

    response: str
    sources: tuple[str, ...] = ()
    """documents, as paths below the source; [n] in the response is the n-th"""
    entities_used: NonNegativeInt = 0
    """entities the answer was made from"""
    communities_used: NonNegativeInt = 0
    """communities the answer was made from"""
    search_mode: str
    written_by: str = "extractive"
    """name of the model, or extractive"""
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
    engine = config.get("engine") if isinstance(config, Mapping) else getattr(config, "engine", None)
    if engine != "graphrag":
        hint = "Write `engine: graphrag` in the tool, or let the application's own engine run it."
        raise EngineConfigError(f"This engine runs tools with engine 'graphrag', not {engine!r}.", hint=hint)
    return config if isinstance(config, VectorstoreTool) else validated(VectorstoreTool, config)


def validated(model: type[M], given: object) -> M:
    """Make a model; what is wrong is told in one line.

    Parameters
    ----------
    model : type of M
        What is to be made.
    given : object
        A mapping, or an object with the model's fields.

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
        return model.model_validate(given)
    except ValidationError as error:
        problem = error.errors(include_url=False)[0]
        where = ".".join(str(part) for part in problem["loc"])
        said = problem["msg"].removeprefix("Value error, ")
        raise EngineConfigError(f"{where + ': ' if where else ''}{said[:1].lower()}{said[1:]}.") from None


class ToolsFile(Noun):
    """A tools file."""

    tools: tuple[VectorstoreTool, ...]


_KEYS = Keys(
    ToolsFile,
    "tools file",
    "It has the key tools: a list of mappings with name, type, engine, source, description and graphrag.",
    "A key is never written down: it is read from the environment.",
)


def load_tools(path: str | Path) -> list[VectorstoreTool]:
    """Return the tools of a YAML file, in order.

    Parameters
    ----------
    path : str or Path
        A path that begins with `~` starts at the home folder.

    Returns
    -------
    list of VectorstoreTool
        No two of one name, whatever its case.

    Raises
    ------
    ToolsFileError
        A ValueError, with file and line.

    """
    path = Path(path).expanduser()
    data, root = read_yaml(path, "tools file", ToolsFileError)
    tools = list(_KEYS.read(data, root, shown(path), ToolsFileError).tools)
    seen: dict[str, str] = {}
    for number, tool in enumerate(tools):  # two tools of one name would share a folder
        before = seen.setdefault(tool.name.casefold(), tool.name)
        if before is not tool.name and root is not None:
            line = line_of(root, ("tools", number, "name"))
            message = f"{shown(path)}:{line}: two tools are named {tool.name!r}"
            # on some systems case makes no difference
            told = "" if before == tool.name else f", the other {before!r}: they would share a folder"
            raise ToolsFileError(f"{message}{told}.", hint="Give each a name of its own.")
    return tools


CACHE, LOGS = "cache", "logs"
GLEANINGS = 3
"""Most rounds that are asked again for what was missed."""


class GraphRagConfig(GraphRAGConfig):
    """What the engine runs for a tool: its settings, and where things are.

    `to_study` is what indexing runs, `method` and `community_level` are what search runs, `to_settings` is
    the same in the names of GraphRAG's settings.yaml, for whoever runs the same tool there.
    """

    tool_name: str
    """`name` of the tool; name of the index"""
    root_dir: Path
    """folder of the tool's artefacts; its parent is the outputs folder"""
    input_dir: Path
    """`source`; Study.corpus.path"""

    @property
    def method(self) -> str:
        """Name of the method that answers."""
        return MODES.get(self.search_mode, self.search_mode)

    @property
    def output_dir(self) -> Path:
        """Folder of the parquet tables."""
        return self.root_dir / OUTPUT

    def to_study(self) -> Study:
        """Return the study that indexing runs; its language model is given beside it, as a profile.

        Returns
        -------
        Study
            Paths in it are absolute or start at the folder that the tool runs in.

        """
        from corpusgraph.tasks.extract.llm.findings import snake

        kinds = {snake(name): EntityKind() for name in self.entity_types or ()}
        rounds = min(self.max_gleanings, GLEANINGS)
        options = IndexOptions(
            chunking=Chunking(unit="tokens", size=self.chunk_size, overlap=self.chunk_overlap),
            llm=LanguageOptions(gleanings=rounds, ontology=Ontology(entities=kinds)),
            claims=not self.skip_claim_extraction,
        )
        return Study(study=self.tool_name, corpus=Corpus(path=str(self.input_dir)), index=options)

    def notes(self, *, reads: bool) -> tuple[ToolWarning, ...]:
        """Return what of the configuration has no effect; `reads`: a language model reads the documents.

        Parameters
        ----------
        reads : bool
            Whether a language model reads the documents.

        Returns
        -------
        tuple of ToolWarning
            `entity_types_unused`, `gleanings_capped`, or nothing.

        """
        unused = (
            "entity_types is what a language model looks for; rules find the types that they know, "
            "and all of them are kept."
        )
        capped = f"max_gleanings is {self.max_gleanings}; at most {GLEANINGS} rounds are asked."
        return (
            *warned("entity_types_unused", unused, when=self.entity_types and not reads),
            *warned("gleanings_capped", capped, when=self.max_gleanings > GLEANINGS),
        )

    def to_settings(self, version: Literal["0.5", "3"] = "3") -> JsonDict:
        """Return the mapping that settings.yaml of GraphRAG 0.5, or 3, holds for the same tool.

        Parameters
        ----------
        version : {'0.5', '3'}, default '3'
            Of GraphRAG: the keys of its settings differ.

        Returns
        -------
        JsonDict
            For a YAML file.

        """
        return _settings_3(self) if version == "3" else _settings_0_5(self)


def build_graphrag_config(tool_config: VectorstoreTool, storage_dir: Path, input_dir: Path) -> GraphRagConfig:
    """Return what the engine runs for a tool, from its configuration and the two folders.

    Parameters
    ----------
    tool_config : VectorstoreTool
        Ours, a mapping, or an application's own object.
    storage_dir : Path
        Where the index goes.
    input_dir : Path
        The source.

    Returns
    -------
    GraphRagConfig
        With defaults where the tool says nothing.

    Raises
    ------
    EngineConfigError
        A ValueError, where something required is missing or cannot be run.

    """
    tool = tool_of(tool_config)
    for name, value in {"storage_dir": storage_dir, "input_dir": input_dir}.items():
        if value is None or not str(value).strip():
            raise EngineConfigError(f"{name} is missing.", hint="A tool needs a name, a source and a folder.")
    folders = {"root_dir": Path(storage_dir), "input_dir": Path(input_dir)}
    return GraphRagConfig(tool_name=tool.name, **folders, **dict(tool.graphrag or GraphRAGConfig()))


_WITHOUT = {
    "indexing_model": "the offline extractor reads the documents",
    "search_model": "answers are sentences of the documents, word for word",
}
"""What is done where a model is missing, by the key that names it."""


@dataclass(frozen=True)
class ChosenModel:
    """The model for one of a tool's two purposes; `profile` is None where rules do its work."""

    profile: Profile | None = None
    named: str | None = None
    """Name or file of a profile that is not the tool's own."""
    why: str | None = None
    """Why a model that is named is not used: its key or address is not there."""
    warnings: tuple[ToolWarning, ...] = ()


def chosen_model(purpose: str, wanted: GraphRAGModelConfig | None, execution: ExecutionConfig) -> ChosenModel:
    """Choose the model for a purpose: the tool's, or else that of a profile.

    The profile is that of the execution settings, or of the environment (CORPUSGRAPH_PROFILE).

    Parameters
    ----------
    purpose : str
        `indexing_model` or `search_model`.
    wanted : GraphRAGModelConfig or None
        What the tool says; None for nothing.
    execution : ExecutionConfig
        With the time limit of a call, in seconds.

    Returns
    -------
    ChosenModel
        Without a profile, or where its key is not set, with a warning of what is done instead.

    """
    from corpusgraph.flows.llm.profiles import api_key, base_url, load_profile

    named = None if wanted is not None else execution.profile or settings().profile
    if wanted is None and named is None:
        return ChosenModel(warnings=(_without(purpose, "no_llm", f"There is no {purpose}"),))
    profile = profile_of(wanted, purpose) if wanted is not None else load_profile(str(named))
    if execution.llm_timeout is not None:
        limits = profile.limits.model_copy(update={"timeout": execution.llm_timeout})
        profile = profile.model_copy(update={"limits": limits})
    try:
        api_key(profile)
        base_url(profile)
    except MissingResourceError as error:
        told = _without(purpose, "no_key", error.message.rstrip("."))
        return ChosenModel(profile, named, why=error.message, warnings=(told,))
    return ChosenModel(profile, named)


def _without(purpose: str, code: str, why: str) -> ToolWarning:
    return ToolWarning(code=code, message=f"{why}: {_WITHOUT[purpose]}.")


def profile_of(wanted: GraphRAGModelConfig, name: str) -> Profile:
    """Return a model of the contract as a profile: that of its provider with what the tool says put in.

    Parameters
    ----------
    wanted : GraphRAGModelConfig
        What the tool says.
    name : str
        Of the profile.

    Returns
    -------
    Profile
        Without its key, which stays in the environment.

    Raises
    ------
    InvalidInputError
        For more reply tokens than prompt and reply have together.
    UnknownProfileError
        For a provider that no profile comes with.

    """
    from corpusgraph.flows.llm.profiles import load_profile

    packaged = load_profile("azure" if wanted.provider == "azure_openai" else wanted.provider)
    said = {
        "model": wanted.deployment_name or wanted.name,
        "temperature": wanted.temperature,
        "max_tokens": wanted.max_tokens,
        "base_url": wanted.api_base,
        "api_version": wanted.api_version,
    }
    llm = packaged.llm.model_copy(update=_without_empty(said))
    if llm.max_tokens >= llm.context_tokens:
        raise InvalidInputError(
            f"max_tokens of {name} is {llm.max_tokens}: more than the {llm.context_tokens} tokens that "
            "prompt and reply have together.",
            hint="Make it smaller, or write a profile with larger context_tokens.",
        )
    return packaged.model_copy(update={"profile": name, "about": "of a tools file", "llm": llm})


def write_profile(profile: Profile, folder: Path) -> Path:
    """Write a profile beside an index, so that all commands know it by; its key is never in it.

    The file is JSON, which is YAML: no text in it can be taken for a number or a date.

    Parameters
    ----------
    profile : Profile
        Its name is that of the file.
    folder : Path
        Of the index.

    Returns
    -------
    Path
        `<name>.yml`; a file with the same content is not written again.

    Raises
    ------
    OutputError
        Where the folder cannot be written.

    """
    path = folder / f"{profile.profile}.yml"
    told = profile.model_dump_json(indent=2, exclude_defaults=True) + "\n"
    with guarded(folder):
        if not path.is_file() or path.read_text(encoding="utf-8") != told:
            replace_bytes(path, told.encode())
    return path


INDEXING, SEARCH = "default_completion_model", "search_completion_model"
"""Names of the two models in settings of GraphRAG 3."""


def _settings_3(config: GraphRagConfig) -> JsonDict:
    """Return settings of GraphRAG 3 (checked against graphrag 3.3)."""
    wanted = {INDEXING: config.indexing_model, SEARCH: config.search_model}
    models = {name: _model(model, "3") for name, model in wanted.items() if model is not None}
    folders = _folders(config)
    searching = {"completion_model_id": SEARCH} if config.search_model is not None else {}
    searches = dict.fromkeys(("local_search", "global_search", "drift_search", "basic_search"), searching)
    return _without_empty({
        "completion_models": models,
        "input": {"type": "text"},
        "input_storage": {"type": "file", "base_dir": str(config.input_dir)},
        "chunking": {"type": "tokens", "size": config.chunk_size, "overlap": config.chunk_overlap},
        "output_storage": folders["output"],
        "cache": {"type": "json", "storage": folders["cache"]},
        "reporting": folders["logs"],
        "vector_store": {"type": "lancedb", "db_uri": folders[DATABASE]["base_dir"]},
        "extract_graph": _extraction(config),
        "extract_claims": {"enabled": not config.skip_claim_extraction},
        **searches,
    })  # fmt: skip


def _settings_0_5(config: GraphRagConfig) -> JsonDict:
    """Return settings of GraphRAG 0.5, which has one model for both purposes: that of indexing."""
    model = config.indexing_model or config.search_model
    folders = _folders(config)
    return _without_empty({
        "root_dir": str(config.root_dir),
        "llm": {} if model is None else _model(model, "0.5"),
        "input": {"type": "file", "file_type": "text", "base_dir": str(config.input_dir)},
        "chunks": {"size": config.chunk_size, "overlap": config.chunk_overlap},
        "storage": folders["output"],
        "cache": folders["cache"],
        "reporting": folders["logs"],
        "embeddings": {"vector_store": {"type": "lancedb", "db_uri": folders[DATABASE]["base_dir"]}},
        "entity_extraction": _extraction(config),
        "claim_extraction": {"enabled": not config.skip_claim_extraction},
    })  # fmt: skip


def _folders(config: GraphRagConfig) -> dict[str, dict[str, str]]:
    names = (OUTPUT, CACHE, LOGS, DATABASE)
    return {name: {"type": "file", "base_dir": str(config.root_dir / name)} for name in names}


def _extraction(config: GraphRagConfig) -> JsonDict:
    types, rounds = config.entity_types, config.max_gleanings
    return {"max_gleanings": rounds} | ({"entity_types": list(types)} if types else {})


def _model(model: GraphRAGModelConfig, version: Literal["0.5", "3"]) -> JsonDict:
    profile = profile_of(model, "model").llm
    azure = profile.provider == "azure"
    deployment = profile.model if azure else None
    asked = {"temperature": profile.temperature, "max_tokens": profile.max_tokens}
    shared = {
        "model": model.name,
        "api_key": f"${{{profile.api_key_env}}}" if profile.api_key_env else "none",
        "api_base": profile.base_url,
        "api_version": profile.api_version,
    }
    if version == "3":
        own: JsonDict = {"type": "litellm", "model_provider": "azure" if azure else "openai"}
        return _without_empty({**own, **shared, "azure_deployment_name": deployment, "call_args": asked})
    kind = "azure_openai_chat" if azure else "openai_chat"
    is_json = profile.output in {"auto", "json_schema", "json"}
    own = {"type": kind, "deployment_name": deployment, "model_supports_json": is_json}
    return _without_empty({**own, **shared, **asked})


def _without_empty(settings: dict[str, Any]) -> JsonDict:
    return {key: value for key, value in settings.items() if value is not None and value != {}}


OFFLINE = "offline"
"""Who reads the documents where no language model does."""


@dataclass(frozen=True)
class Plan:
    """How a tool's source is indexed into a folder."""

    config: GraphRagConfig
    execution: ExecutionConfig

    @cached_property
    def study(self) -> Study:
        """The corpus and how it is read."""
        return self.config.to_study()

    @cached_property
    def model(self) -> ChosenModel:
        """What reads the documents."""
        return chosen_model("indexing_model", self.config.indexing_model, self.execution)

    @property
    def reads(self) -> bool:
        """Whether a language model reads the documents."""
        return self.model.profile is not None and self.model.why is None

    @property
    def reader(self) -> str:
        """Name of the model that reads, or offline."""
        return self.model.profile.llm.model if self.model.profile and self.reads else OFFLINE

    def warnings(self, made_by: str = OFFLINE) -> tuple[ToolWarning, ...]:
        """Return what is done otherwise than the tool says, and what it says without effect.

        `made_by` is what read the documents of an index that stays as it is.

        Parameters
        ----------
        made_by : str, default OFFLINE
            What read the documents of an index that stays as it is.

        Returns
        -------
        tuple of ToolWarning
            Empty where all is done as the tool says.

        """
        if self.model.why is not None and made_by != OFFLINE:
            why = self.model.why.rstrip(".")
            message = f"{why}: nothing has changed, and the index stays as {made_by} read it."
            return (ToolWarning(code="no_key", message=message), *self.config.notes(reads=True))
        return (*self.model.warnings, *self.config.notes(reads=self.reads))

    def settings(self, *, reads: bool, pays: bool = True) -> Settings:
        """Return where the run writes, and with which profile; the tool's own is written down first.

        Parameters
        ----------
        reads : bool
            Whether a language model reads the documents.
        pays : bool, default True
            Whether the budget counts.

        Returns
        -------
        Settings
            Workers, budget and profile of the execution.

        """
        profile: str | None = None
        if reads and self.model.profile is not None:
            own = self.model.named is None or self.execution.llm_timeout is not None
            kept = self.model.profile.model_copy(update={"profile": "indexing_model"})
            profile = str(write_profile(kept, self.config.root_dir)) if own else self.model.named
        given = _without_empty({"workers": self.execution.workers, "budget": self.execution.budget})
        found = settings(outputs=self.config.root_dir.parent, **given)
        return found.model_copy(update={"profile": profile, "budget": found.budget if pays else None})

    def fingerprints(self) -> tuple[str, ...]:
        """Return what identifies the configurations that an index may have to be current.

        Where the key of a model is not there, an index made with the model is as good as one made without.

        Returns
        -------
        tuple of str
            One, or two where a model has no key.

        """
        has_no_key = self.model.why is not None
        ways = (False, True) if has_no_key else (self.reads,)
        return tuple(self._fingerprint(reads=way) for way in ways)

    def _fingerprint(self, *, reads: bool) -> str:
        from corpusgraph.flows.extraction import config_fingerprint
        from corpusgraph.flows.language import with_model

        base = self.config.root_dir
        chosen = self.settings(reads=reads, pays=False)
        settled, model = with_model(self.study, base, chosen, needs_key=False)
        with model.client if model is not None else nullcontext():
            return config_fingerprint(settled.index, base, model)
