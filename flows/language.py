"""The language model that answers questions and that tools use: opened when first asked, then closed."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from pydantic import BaseModel

from corpusgraph.schemas.llm import Profile, Prompt, Reply, StageUsage
from corpusgraph.schemas.ports import Accept
from corpusgraph.schemas.results import ToolWarning
from corpusgraph.schemas.settings import Settings
from corpusgraph.tasks.method.meter import Meter

if TYPE_CHECKING:
    from corpusgraph.flows.llm.client import Client

M = TypeVar("M", bound=BaseModel)
STAGE = "answer"
"""Name of this stage in the client's accounts."""
ATTEMPTS, MAX_WAIT, BREAKER, COOL_DOWN = 6, 3.0, 2, 0.3
"""Limits where somebody waits for one answer: an endpoint that is down is given up within seconds, after two
requests and the breaker's three probes."""
_STOPPED = {
    "budget_exhausted": "the budget is spent",
    "unreachable": "the endpoint does not answer",
    "not_found": "the endpoint has no such model or path",
    "unauthorized": "the endpoint refuses the key or its account",
}


class AskedModel:
    """A language model by its profile, whose client is made when it is first asked.

    Parameters
    ----------
    profile : Profile
        Names the model and its endpoint.
    outputs : Path
        Folder of all indexes, where replies are kept.
    budget : float, optional
        US dollars at most; the profile's unless given.
    replay : Path, optional
        Folder of stored replies: no call is made.

    """

    def __init__(
        self, profile: Profile, outputs: Path, budget: float | None = None, replay: Path | None = None
    ) -> None:
        self.profile = profile
        self._outputs = outputs
        self._budget = budget
        self._replay = replay

    @cached_property
    def _client(self) -> "Client":
        from corpusgraph.flows.llm.client import open_client

        return open_client(self.profile, self._outputs, budget=self._budget, replay=self._replay)

    @property
    def name(self) -> str:
        """The model's name."""
        return self._client.name

    @property
    def fingerprint(self) -> str:
        """Identify what decides the replies."""
        return self._client.fingerprint

    @property
    def stopped(self) -> str | None:
        """Why no more calls are made; None as long as they are."""
        return self._client.stopped if "_client" in self.__dict__ else None

    def ask(
        self, prompts: Sequence[Prompt], answer: type[M], accept: Accept[M] | None = None
    ) -> list[Reply[M]]:
        """Answer each prompt; the first call opens the client."""
        with self._client.stage(STAGE):
            return self._client.ask(prompts, answer, accept)

    def close(self) -> None:
        """Close the client, if it was opened."""
        if "_client" in self.__dict__:
            self._client.close()


@contextmanager
def language_model(settings: Settings, *, waited_for: bool = False) -> Iterator[AskedModel | None]:
    """Give the language model of the settings' profile, closed afterwards; None where they name none.

    Parameters
    ----------
    settings : Settings
        Profile, budget, replay, and where replies are kept.
    waited_for : bool, default False
        Somebody waits for the answer: the endpoint gets few and quick attempts.

    Yields
    ------
    AskedModel or None
        No call is made before it is asked.

    Raises
    ------
    UnknownProfileError
        For a profile that is not there.
    MissingResourceError
        Where its key or address is not set.

    """
    profile = None
    if settings.profile is not None:
        from corpusgraph.flows.llm.profiles import load_profile

        profile = load_profile(settings.profile)
    with model_of(profile, settings, waited_for=waited_for) as model:
        yield model


@contextmanager
def model_of(
    profile: Profile | None, settings: Settings, *, waited_for: bool = False
) -> Iterator[AskedModel | None]:
    """Give the language model of a profile; the rest is that of `language_model`.

    Parameters
    ----------
    profile : Profile or None
        None for no model.
    settings : Settings
        Budget, replay, and where replies are kept.
    waited_for : bool, default False
        The endpoint gets few and quick attempts.

    Yields
    ------
    AskedModel or None
        None without a profile.

    Raises
    ------
    MissingResourceError
        Where its key or address is not set.

    """
    if profile is None:
        yield None
        return
    from corpusgraph.flows.llm.profiles import api_key, base_url

    if settings.replay is None:
        api_key(profile)
        base_url(profile)
    asked = hurried(profile) if waited_for else profile
    model = AskedModel(asked, settings.outputs, settings.budget, settings.replay)
    try:
        yield model
    finally:
        model.close()


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
    quick = {
        "attempts": min(limits.attempts, ATTEMPTS),
        "max_wait": min(limits.max_wait, MAX_WAIT),
        "breaker": min(limits.breaker, BREAKER),
        "cool_down": min(limits.cool_down, COOL_DOWN),
    }
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
    message = (
        f"The language model is not asked any more: {_STOPPED[stopped]}. What it left open is done by rules."
    )
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
