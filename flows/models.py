"""The language model of a run: which one a study and its settings name, and what it does for an index."""

from dataclasses import dataclass
from functools import cached_property
from hashlib import blake2b
from math import fsum
from pathlib import Path
from typing import TYPE_CHECKING

from corpusgraph.schemas.errors import BudgetExhaustedError, InvalidInputError, ModelUnavailableError
from corpusgraph.schemas.llm import Profile
from corpusgraph.schemas.settings import Settings
from corpusgraph.schemas.study import LanguageOptions, Study

if TYPE_CHECKING:
    from corpusgraph.flows.llm.client import Client
    from corpusgraph.schemas.llm import PromptSet
    from corpusgraph.tasks.extract.llm.extractor import ModelExtractor

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
        told = [self.client.fingerprint, self.options.model_dump_json(), self.prompts.model_dump_json()]
        return blake2b("\x1f".join(told).encode(), digest_size=16).hexdigest()

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
    from corpusgraph.flows.prompt_files import load_prompts

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
