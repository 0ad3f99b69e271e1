"""Language models: prompt sets, the model that works on an index, and the one that answers questions."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from math import fsum
from pathlib import Path
from typing import TYPE_CHECKING

from corpusgraph.flows.files.cache import fingerprint_of
from corpusgraph.flows.files.yaml_file import Keys, is_path, packaged, read_named
from corpusgraph.schemas.base import JsonDict
from corpusgraph.schemas.errors import (
    BudgetExhaustedError,
    InvalidInputError,
    ModelUnavailableError,
    PromptFileError,
    UnknownPromptsError,
    did_you_mean,
)
from corpusgraph.schemas.llm import Profile, PromptSet, StageUsage
from corpusgraph.schemas.results import ToolWarning
from corpusgraph.schemas.settings import Settings
from corpusgraph.schemas.study import LanguageOptions, Study
from corpusgraph.tasks.method.meter import Meter

if TYPE_CHECKING:
    from corpusgraph.flows.llm.client import Client
    from corpusgraph.tasks.extract.llm.extractor import ModelExtractor

KIND = "prompts"
_OPTIONAL = ", ".join(key for key in PromptSet.model_fields if key not in {"prompts", "extract"})
_KEYS = Keys(
    PromptSet,
    "prompt file",
    f"It has the keys prompts and extract, and may have {_OPTIONAL}.",
    "No key of an endpoint belongs here.",
)
_TYPES = ("entities", "relationships")


def load_prompts(name: str, base: Path | None = None) -> PromptSet:
    """Return a prompt set by name or path of a file; a path starts at `base`, or here.

    Raises UnknownPromptsError with the nearest names, or PromptFileError with file and line.
    """
    known = sorted(packaged(KIND))
    if not is_path(name) and name not in known:
        hint = did_you_mean(name, known) or f"There are {', '.join(known)}; a file ends in .yml."
        raise UnknownPromptsError(f"Unknown prompts {name!r}.", hint=hint)
    data, root, source, stem = read_named(KIND, name, base, "prompt file", PromptFileError)
    tidied = {"prompts": stem, **_tidy(data)} if isinstance(data, dict) else data
    return _KEYS.read(tidied, root, source, PromptFileError)


def _tidy(data: JsonDict) -> JsonDict:
    """Join lines of a text, and read a type without a description, or a list of types, as it is meant."""
    tidy = {key: " ".join(value.split()) if isinstance(value, str) else value for key, value in data.items()}
    for key in _TYPES:
        types = tidy.get(key)
        if isinstance(types, list) and all(isinstance(one, str) for one in types):
            types = dict.fromkeys(types, "")
        if isinstance(types, dict):
            tidy[key] = {name: "" if about is None else about for name, about in types.items()}
    return tidy


_WHAT = {
    "unreachable": "does not answer",
    "unauthorized": "refuses the key or its account",
    "not_found": "has no such model or path",
}
_GO_ON = "Nothing is published; run again to go on: what was answered is kept and not paid for twice."


@dataclass(frozen=True)
class RunModel:
    """A language model at work on one index."""

    client: "Client"
    options: LanguageOptions
    prompts: "PromptSet"
    extracts: bool
    """Whether it reads the documents; with rules doing that, it still decides on names and writes reports."""
    named: str
    """Name or file of its profile, as it was given."""

    @cached_property
    def extractor(self) -> "ModelExtractor":
        """What reads the documents."""
        from corpusgraph.tasks.extract.llm.extractor import ModelExtractor

        return ModelExtractor(self.client, self.options, self.prompts)

    @property
    def is_closed(self) -> bool:
        """Whether nothing is an entity but what the model found: a strict ontology without plain concepts."""
        types = self.options.ontology.entities
        return self.extracts and self.options.ontology.strict and bool(types) and "concept" not in types

    @property
    def fingerprint(self) -> str:
        """Identify what decides the replies."""
        asked = self.options.model_dump_json(), self.prompts.model_dump_json()
        return fingerprint_of(self.client.fingerprint, *asked)

    def go_on(self) -> None:
        """Let the run go on, unless no more calls are made.

        Raises
        ------
        BudgetExhaustedError
            Where the budget leaves no room for another call.
        ModelUnavailableError
            Where the endpoint is down or refuses.

        """
        stopped = self.client.stopped
        if stopped is None:
            return
        n = sum(stage.calls for stage in self.client.usage)
        calls = "1 call" if n == 1 else f"{n:,} calls"
        if stopped == "budget_exhausted":
            raise BudgetExhaustedError(
                f"The budget of ${self.client.budget:g} leaves no room for another call: "
                f"{self.spent} is spent, on {calls}.",
                hint=f"Raise it with --budget. {_GO_ON}",
            )
        raise ModelUnavailableError(
            f"The endpoint of {self.client.name} {_WHAT[stopped]}, after {calls}: "
            f"{self.client.why.rstrip('.')}.",
            hint=f"Try `corpusgraph profile check {self.named}`. {_GO_ON}",
        )

    @property
    def spent(self) -> str:
        """What this run has paid so far, for people."""
        costs = [stage.cost for stage in self.client.usage]
        if any(cost is None for cost in costs):
            return "an unknown sum"
        return f"${fsum(cost or 0 for cost in costs):.4f}"


def profile_of(study: Study, base: Path, settings: Settings) -> Profile | None:
    """Return the profile that the settings name, or else the study; None where neither does.

    Parameters
    ----------
    study : Study
        May name one.
    base : Path
        Folder that its paths start at.
    settings : Settings
        Go before the study.

    Returns
    -------
    Profile or None
        Validated.

    Raises
    ------
    UnknownProfileError
        For a profile that is not there.

    """
    if settings.profile is None and study.profile is None:
        return None
    from corpusgraph.flows.llm.profiles import load_profile

    if settings.profile is not None:
        return load_profile(settings.profile)
    return load_profile(str(study.profile), base)


def with_model(
    study: Study, base: Path, settings: Settings, *, needs_key: bool = True
) -> tuple[Study, RunModel | None]:
    """Return the study with its extractor settled, and the language model it uses, if any.

    Parameters
    ----------
    study : Study
        May leave its extractor to us.
    base : Path
        Folder that its paths start at.
    settings : Settings
        Profile, budget and replay.
    needs_key : bool, default True
        Without, no key has to be there until a call is made.

    Returns
    -------
    tuple of Study and RunModel or None
        The model is None without a profile.

    Raises
    ------
    InvalidInputError
        For `extractor: llm` without a profile.
    MissingResourceError
        For a key that is not set.

    """
    profile = profile_of(study, base, settings)
    wanted = study.index.extractor
    if wanted == "llm" and profile is None:
        hint = "Give --profile NAME, or `profile:` in the study; `corpusgraph profile list` shows them."
        raise InvalidInputError("extractor: llm needs a profile with a language model.", hint=hint)
    if wanted == "auto":
        wanted = "llm" if profile is not None else "offline"
    settled = _settled(study, wanted, pays=profile is not None and study.index.llm.reports)
    if profile is None:
        return settled, None
    from corpusgraph.flows.llm.client import open_client

    options = study.index.llm
    client = open_client(
        profile, settings.outputs, budget=settings.budget, needs_key=needs_key, replay=settings.replay
    )
    named = settings.profile or str(study.profile)
    prompts = load_prompts(options.prompts, base)
    return settled, RunModel(client, options, prompts, extracts=wanted == "llm", named=named)


def _settled(study: Study, extractor: str, *, pays: bool) -> Study:
    """Return the study with what it leaves to us decided; `pays`: for each report that has to be written."""
    communities = study.index.communities
    if communities.algorithm == "auto":
        algorithm = "stable" if pays else "graspologic"
        communities = communities.model_copy(update={"algorithm": algorithm})
    chosen = {"extractor": extractor, "communities": communities}
    return study.model_copy(update={"index": study.index.model_copy(update=chosen)})


STAGE = "answer"
"""Name of this stage in the client's accounts."""
_HURRIED = {"attempts": 6, "max_wait": 3.0, "breaker": 2, "cool_down": 0.3}
"""Limits where somebody waits for one answer: an endpoint that is down is given up within seconds, after two
requests and the breaker's three probes."""


@contextmanager
def language_model(
    settings: Settings, profile: Profile | None = None, *, waited_for: bool = False
) -> "Iterator[Client | None]":
    """Give the language model of a profile, closed afterwards; None where there is none.

    Parameters
    ----------
    settings : Settings
        Profile, budget, replay, and where replies are kept.
    profile : Profile, optional
        That of the settings unless given.
    waited_for : bool, default False
        Somebody waits for the answer: the endpoint gets few and quick attempts.

    Yields
    ------
    Client or None
        No call is made before it is asked.

    Raises
    ------
    UnknownProfileError
        For a profile that is not there.
    MissingResourceError
        Where its key or address is not set.
    InvalidInputError
        For a budget without a known price, and for Azure without its version.

    """
    if profile is None and settings.profile is not None:
        from corpusgraph.flows.llm.profiles import load_profile

        profile = load_profile(settings.profile)
    if profile is None:
        yield None
        return
    from corpusgraph.flows.llm.client import open_client

    asked = hurried(profile) if waited_for else profile
    with open_client(asked, settings.outputs, budget=settings.budget, replay=settings.replay) as client:
        yield client


def hurried(profile: Profile) -> Profile:
    """Return a profile with limits for one answer that somebody waits for.

    Parameters
    ----------
    profile : Profile
        Its own limits count where they are lower.

    Returns
    -------
    Profile
        A copy.

    """
    limits = profile.limits
    quick = {name: min(getattr(limits, name), most) for name, most in _HURRIED.items()}
    return profile.model_copy(update={"limits": limits.model_copy(update=quick)})


def stop_warning(model: object) -> tuple[ToolWarning, ...]:
    """Say that no more calls were made, and why: what came after was done without the model.

    Parameters
    ----------
    model : object
        That a call had, or None.

    Returns
    -------
    tuple of ToolWarning
        `budget_exhausted` or whatever stopped it, or nothing.

    """
    stopped = getattr(model, "stopped", None)
    if stopped is None:
        return ()
    why = f"the endpoint {_WHAT[stopped]}" if stopped in _WHAT else "the budget is spent"
    message = f"The language model is not asked any more: {why}. What it left open is done by rules."
    return (ToolWarning(code=stopped, message=message),)


def spent(meter: Meter) -> StageUsage:
    """Return what the calls of one answer took, replies from the response cache counted apart.

    Parameters
    ----------
    meter : Meter
        Of the answer.

    Returns
    -------
    StageUsage
        US dollars are None where a price is unknown.

    """
    asked = meter.usage.calls or meter.reused or meter.failed
    name = meter.name if asked else ""
    return StageUsage(**dict(meter.usage), stage=STAGE, reused=meter.reused, failed=meter.failed, model=name)
