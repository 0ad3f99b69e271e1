"""The language models of a tool: each becomes a profile, and is left out where its key is not set."""

from dataclasses import dataclass, field
from pathlib import Path

from corpusgraph.flows.graphrag.models import ExecutionConfig, GraphRAGModelConfig
from corpusgraph.flows.resources.disk import guarded, replace_bytes
from corpusgraph.schemas.base import JsonDict
from corpusgraph.schemas.errors import InvalidInputError, MissingResourceError
from corpusgraph.schemas.profile import Profile
from corpusgraph.schemas.results import ToolWarning

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
    """Choose the model for `indexing_model` or `search_model`: the tool's, or else that of a profile.

    The profile is that of the execution settings, or of the environment (CORPUSGRAPH_PROFILE). Without any,
    and where the key is not set, there is none, and a warning says what is done instead.
    """
    from corpusgraph.flows.chosen import settings
    from corpusgraph.flows.resources.llm.profiles import api_key, base_url, load_profile

    named = None if wanted is not None else execution.profile or settings().profile
    if wanted is None and named is None:
        return ChosenModel(purpose, warnings=(_without(purpose, "no_llm", f"There is no {purpose}"),))
    made = profile_of(wanted, purpose) if wanted is not None else load_profile(str(named))
    profile = _timed(made, execution)
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

    Raises InvalidInputError for a provider that needs an address and has none.
    """
    from corpusgraph.flows.resources.llm.profiles import load_profile

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


def _timed(profile: Profile, execution: ExecutionConfig) -> Profile:
    if execution.llm_timeout is None:
        return profile
    return profile.model_copy(
        update={"limits": profile.limits.model_copy(update={"timeout": execution.llm_timeout})}
    )


def write_profile(profile: Profile, folder: Path) -> Path:
    """Write a profile beside an index, so that all commands know it by; its key is never in it.

    The file is JSON, which is YAML: no text in it can be taken for a number or a date.
    """
    path = folder / f"{profile.profile}.yml"
    told = profile.model_dump_json(indent=2, exclude_defaults=True) + "\n"
    with guarded(folder):
        if not path.is_file() or path.read_text(encoding="utf-8") != told:
            replace_bytes(path, told.encode())
    return path
