"""From a tool's configuration to what is run, key by key, with GraphRAG's own names beside ours."""

from contextlib import nullcontext
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any, Literal

from pydantic import Field

from corpusgraph.flows.files.disk import guarded, replace_bytes
from corpusgraph.flows.files.manifest import DATABASE, OUTPUT
from corpusgraph.flows.interop.engine.errors import EngineConfigError
from corpusgraph.flows.interop.engine.models import (
    MODES,
    ExecutionConfig,
    GraphRAGConfig,
    GraphRAGModelConfig,
    VectorstoreTool,
    settings_of,
    tool_of,
)
from corpusgraph.schemas.base import JsonDict
from corpusgraph.schemas.errors import InvalidInputError, MissingResourceError
from corpusgraph.schemas.llm import Profile
from corpusgraph.schemas.results import ToolWarning
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

CACHE, LOGS = "cache", "logs"
GLEANINGS = 3
"""Most rounds that are asked again for what was missed."""


class GraphRagConfig(GraphRAGConfig):
    """What the engine runs for a tool: its settings, and where things are.

    `to_study` is what indexing runs, `method` and `community_level` are what search runs, `to_settings` is
    the same in the names of GraphRAG's settings.yaml, for whoever runs the same tool there.
    """

    tool_name: str = Field(description="`name` of the tool; name of the index")
    root_dir: Path = Field(description="folder of the tool's artefacts; its parent is the outputs folder")
    input_dir: Path = Field(description="`source`; Study.corpus.path")

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
        asked = LanguageOptions(
            gleanings=min(self.max_gleanings, GLEANINGS), ontology=Ontology(entities=kinds)
        )
        options = IndexOptions(
            chunking=Chunking(unit="tokens", size=self.chunk_size, overlap=self.chunk_overlap),
            llm=asked,
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
        told = []
        if self.entity_types and not reads:
            message = (
                "entity_types is what a language model looks for; rules find the types that they know, "
                "and all of them are kept."
            )
            told.append(ToolWarning(code="entity_types_unused", message=message))
        if self.max_gleanings > GLEANINGS:
            message = f"max_gleanings is {self.max_gleanings}; at most {GLEANINGS} rounds are asked."
            told.append(ToolWarning(code="gleanings_capped", message=message))
        return tuple(told)

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
    return GraphRagConfig(tool_name=tool.name, **folders, **dict(settings_of(tool)))


PACKAGED = {"azure_openai": "azure"}
"""Providers whose profile has another name than they."""
_WITHOUT = {
    "indexing_model": "the offline extractor reads the documents",
    "search_model": "answers are sentences of the documents, word for word",
}
"""What is done where a model is missing, by the key that names it."""


@dataclass(frozen=True)
class ChosenModel:
    """The model for one of a tool's two purposes; `profile` is None where rules do its work."""

    purpose: str
    profile: Profile | None = None
    named: str | None = None
    """Name or file of a profile that is not the tool's own."""
    why: str | None = None
    """Why a model that is named is not used: its key or address is not there."""
    warnings: tuple[ToolWarning, ...] = field(default=())


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
    from corpusgraph.flows.open_index import settings

    named = None if wanted is not None else execution.profile or settings().profile
    if wanted is None and named is None:
        return ChosenModel(purpose, warnings=(_without(purpose, "no_llm", f"There is no {purpose}"),))
    profile = profile_of(wanted, purpose) if wanted is not None else load_profile(str(named))
    if execution.llm_timeout is not None:
        limits = profile.limits.model_copy(update={"timeout": execution.llm_timeout})
        profile = profile.model_copy(update={"limits": limits})
    try:
        api_key(profile)
        base_url(profile)
    except MissingResourceError as error:
        told = _without(purpose, "no_key", error.message.rstrip("."))
        return ChosenModel(purpose, profile, named, why=error.message, warnings=(told,))
    return ChosenModel(purpose, profile, named)


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

    packaged = load_profile(PACKAGED.get(wanted.provider, wanted.provider))
    given: JsonDict = {
        "model": wanted.deployment_name or wanted.name,
        "temperature": wanted.temperature,
        "max_tokens": wanted.max_tokens,
        "base_url": wanted.api_base,
        "api_version": wanted.api_version,
    }
    said = {key: value for key, value in given.items() if value is not None}
    llm = packaged.llm.model_copy(update=said)
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
NO_KEY = "none"


def _settings_3(config: GraphRagConfig) -> JsonDict:
    """Return settings of GraphRAG 3 (checked against graphrag 3.3)."""
    wanted = {INDEXING: config.indexing_model, SEARCH: config.search_model}
    models = {name: _model(model, "3") for name, model in wanted.items() if model is not None}
    folders = {name: {"type": "file", "base_dir": folder} for name, folder in _folders(config).items()}
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
    folders = {name: {"type": "file", "base_dir": folder} for name, folder in _folders(config).items()}
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


def _folders(config: GraphRagConfig) -> dict[str, str]:
    return {name: str(config.root_dir / name) for name in (OUTPUT, CACHE, LOGS, DATABASE)}


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
        "api_key": f"${{{profile.api_key_env}}}" if profile.api_key_env else NO_KEY,
        "api_base": profile.base_url,
        "api_version": profile.api_version,
    }
    own: JsonDict
    if version == "3":
        own = {"type": "litellm", "model_provider": "azure" if azure else "openai"}
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
        profile = self.model.profile
        return profile.llm.model if self.reads and profile is not None else OFFLINE

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
        from corpusgraph.flows.open_index import settings

        profile: str | None = None
        if reads and self.model.profile is not None:
            own = self.model.named is None or self.execution.llm_timeout is not None
            kept = self.model.profile.model_copy(update={"profile": "indexing_model"})
            profile = str(write_profile(kept, self.config.root_dir)) if own else self.model.named
        more = {"workers": self.execution.workers, "budget": self.execution.budget if pays else None}
        found = settings(
            outputs=self.config.root_dir.parent, **{k: v for k, v in more.items() if v is not None}
        )
        without = {} if pays else {"budget": None}
        return found.model_copy(update={"profile": profile, **without})

    def fingerprints(self) -> tuple[str, ...]:
        """Return what identifies the configurations that an index may have to be current.

        Where the key of a model is not there, an index made with the model is as good as one made without.

        Returns
        -------
        tuple of str
            One, or two where a model has no key.

        """
        if self.model.profile is None:
            return (self._fingerprint(reads=False),)
        if self.model.why is None:
            return (self._fingerprint(reads=True),)
        return (self._fingerprint(reads=False), self._fingerprint(reads=True))

    def _fingerprint(self, *, reads: bool) -> str:
        from corpusgraph.flows.extraction import config_fingerprint
        from corpusgraph.flows.models import with_model

        base = self.config.root_dir
        chosen = self.settings(reads=reads, pays=False)
        settled, model = with_model(self.study, base, chosen, needs_key=False)
        with model.client if model is not None else nullcontext():
            return config_fingerprint(settled.index, base, model)


def plan_of(
    tool: VectorstoreTool, storage_dir: Path, source: Path, execution: ExecutionConfig | None = None
) -> Plan:
    """Return the plan of a tool.

    Parameters
    ----------
    tool : VectorstoreTool
        Its configuration.
    storage_dir : Path
        Where the index goes.
    source : Path
        File or folder.
    execution : ExecutionConfig, optional
        Defaults unless given.

    Returns
    -------
    Plan
        Nothing is run or written yet.

    Raises
    ------
    EngineConfigError
        For a configuration that cannot be run.

    """
    config = build_graphrag_config(tool, storage_dir, source)
    return Plan(config, execution or ExecutionConfig())
