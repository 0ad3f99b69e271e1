"""The client: `ports.LanguageModel` over an OpenAI-compatible endpoint, with cache, limits and accounts.

Light to import: the libraries that speak to the endpoint are loaded when a prompt is not in the cache.
"""

import weakref
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from functools import cached_property
from pathlib import Path
from threading import Lock
from types import TracebackType
from typing import Self, TypeVar

from pydantic import BaseModel

from corpusgraph.flows.resources.llm.accounts import Account
from corpusgraph.flows.resources.llm.answering import Answering, cached
from corpusgraph.flows.resources.llm.background import Background
from corpusgraph.flows.resources.llm.cache import ResponseCache
from corpusgraph.flows.resources.llm.prices import cost, price_of
from corpusgraph.flows.resources.llm.profiles import api_key, base_url
from corpusgraph.flows.resources.llm.ratios import Ratio, Ratios
from corpusgraph.schemas.errors import InvalidInputError
from corpusgraph.schemas.llm import Prompt, Reply, StageUsage, Usage
from corpusgraph.schemas.ports import Accept
from corpusgraph.schemas.profile import Price, Profile

M = TypeVar("M", bound=BaseModel)
_SAMPLE = 200
_OTHER = "other"
_stage: ContextVar[str | None] = ContextVar("corpusgraph_llm_stage", default=None)


def open_client(
    profile: Profile,
    outputs: Path,
    *,
    budget: float | None = None,
    needs_key: bool = True,
    replay: Path | None = None,
) -> "Client":
    """Return a client of a profile whose replies are kept in `outputs/.llm`.

    With `replay`, a folder of stored replies, no call is ever made, and neither key nor price is needed.

    `budget`, in US dollars, goes before the profile's. Without `needs_key` no key has to be there until a
    call is made, as for an estimate. Raises MissingResourceError for a variable that is not set, and
    InvalidInputError for a budget where the price is not known.
    """
    limit = profile.limits.budget if budget is None else budget
    if replay is not None:
        return Client(profile, outputs, replay=replay)
    if needs_key:
        api_key(profile)
        base_url(profile)
    azure = profile.llm.provider == "azure"
    if azure and not profile.llm.api_version and not (profile.llm.base_url or "").rstrip("/").endswith("/v1"):
        raise InvalidInputError(
            f"Profile {profile.profile!r} has provider azure and no api_version.",
            hint="Give api_version, or a base_url that ends in /openai/v1.",
        )
    client = Client(profile, outputs, limit)
    if limit is not None and client.price is None:
        raise InvalidInputError(
            f"A budget of ${limit:g} cannot be kept: no price of {profile.llm.model!r} is known.",
            hint="Give it in the profile, per million tokens: `price: {input: 0.15, output: 0.6}` under llm.",
        )
    return client


class Client:
    """Answers prompts; may be used from several threads, and where an event loop runs."""

    def __init__(
        self, profile: Profile, outputs: Path, budget: float | None = None, replay: Path | None = None
    ) -> None:
        self.profile = profile
        self.budget = budget
        self._cache = ResponseCache(outputs, profile.llm, replay)
        cache = self._cache
        self._ratios = Ratios(lambda: cache.sample(_SAMPLE))
        self._accounts: dict[str, Account] = {}
        self._stages: list[str] = []
        self._lock = Lock()
        self._answering = Answering(profile, cache, self._ratios, budget, silent=replay is not None)
        self._background = Background(self._answering.close)
        # Also at the interpreter's end: nothing of it refers to the client itself.
        self._finalizer = weakref.finalize(self, self._background.close)

    @property
    def name(self) -> str:
        """The model's name; where it runs does not change what is made with it."""
        return self.profile.llm.model

    @property
    def fingerprint(self) -> str:
        """Identify what decides replies besides the prompts: model and parameters."""
        return self._cache.fingerprint

    @property
    def stopped(self) -> str | None:
        """Why no more calls are made: budget_exhausted, unreachable, unauthorized or not_found."""
        calls = self._answering.calls
        return calls.stop.stopped if calls else None

    @property
    def why(self) -> str:
        """What the endpoint said, or what became of the connection, when calls were stopped."""
        calls = self._answering.calls
        return calls.stop.why if calls else ""

    @cached_property
    def price(self) -> Price | None:
        """US dollars per million tokens; None where it is not known."""
        return price_of(self.profile)

    @property
    def usage(self) -> tuple[StageUsage, ...]:
        """What each stage cost, in order."""
        with self._lock:
            return tuple(account.told() for account in self._accounts.values())

    @property
    def mode(self) -> str | None:
        """How the shape of an answer is asked for; None before the first call."""
        calls = self._answering.calls
        return calls.mode if calls else None

    @contextmanager
    def stage(self, name: str) -> Iterator[None]:
        """Name the stage that the calls inside are accounted to; threads without one have the last opened."""
        token = _stage.set(name)
        with self._lock:
            self._stages.append(name)
        try:
            yield
        finally:
            with self._lock:
                self._stages.remove(name)
            _stage.reset(token)

    def ask(
        self, prompts: Sequence[Prompt], answer: type[M], accept: Accept[M] | None = None
    ) -> list[Reply[M]]:
        """Answer each prompt from the cache or by a call; a failure has its `error` and `code`."""
        if not prompts:
            return []
        account = self._account()
        keys = [self._cache.key(prompt, answer) for prompt in prompts]
        replies = [cached(self._cache, key, answer, n, accept) for n, key in enumerate(keys)]
        missing = [n for n, reply in enumerate(replies) if reply is None]
        account.count("reused", len(prompts) - len(missing))
        if missing:
            items = [(n, prompts[n], keys[n]) for n in missing]
            work = self._answering.answers(items, answer, accept, account)
            for n, reply in zip(missing, self._background.run(work), strict=True):
                replies[n] = reply
        return [reply for reply in replies if reply is not None]

    def cached(self, prompts: Sequence[Prompt], answer: type[BaseModel]) -> list[bool]:
        """Tell which prompts the response cache answers."""
        return [self._cache.get(self._cache.key(prompt, answer), answer) is not None for prompt in prompts]

    def ratios(self, answer: type[BaseModel] | None = None) -> Ratio:
        """Return characters per token and tokens out per token in, as seen of one kind of answer or all."""
        return self._ratios.of(answer.__name__ if answer else None)

    def estimate_tokens(self, text: str, answer: type[BaseModel] | None = None) -> int:
        """Return the tokens a text is likely to be for this model."""
        return self._ratios.tokens(len(text), answer.__name__ if answer else None)

    def estimate(self, prompts: Sequence[Prompt], answer: type[BaseModel]) -> Usage:
        """Return the calls, tokens and cost that `ask` is likely to need; cached prompts cost nothing."""
        ratio = self.ratios(answer)
        asked = [p for p, known in zip(prompts, self.cached(prompts, answer), strict=True) if not known]
        tokens = sum(len(p.system) + len(p.user) for p in asked) / ratio.characters_per_token
        said = min(tokens * ratio.completion_per_prompt, len(asked) * self.profile.llm.max_tokens)
        price = cost(self.price, tokens, said) if asked else 0.0
        return Usage(calls=len(asked), prompt_tokens=round(tokens), completion_tokens=round(said), cost=price)

    def close(self) -> None:
        """Cancel what is under way and close the connections; the cache can still be read."""
        self._finalizer()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _account(self) -> Account:
        with self._lock:
            name = _stage.get() or (self._stages[-1] if self._stages else _OTHER)
            return self._accounts.setdefault(name, Account(name, self.profile.llm.model))
