"""The client: `ports.LanguageModel` over an OpenAI-compatible endpoint, with cache, limits and accounts.

Light to import: the libraries that speak to the endpoint are loaded when a prompt is not in the cache.
"""

import asyncio
import threading
import weakref
from collections.abc import Awaitable, Callable, Coroutine, Iterator, Sequence
from concurrent.futures import wait
from contextlib import contextmanager
from contextvars import ContextVar
from functools import cached_property
from pathlib import Path
from threading import Lock
from types import TracebackType
from typing import Any, Self, TypeVar

from pydantic import BaseModel

from corpusgraph.flows.llm.cache import Ratio, Ratios, ResponseCache
from corpusgraph.flows.llm.calls import Calls, Outcome, Sender
from corpusgraph.flows.llm.completion import CallError, Said, Turn
from corpusgraph.flows.llm.limits import Account
from corpusgraph.flows.llm.profiles import api_key, base_url, cost, price_of
from corpusgraph.schemas.errors import InvalidInputError
from corpusgraph.schemas.llm import Price, Profile, Prompt, Reply, StageUsage, Usage
from corpusgraph.schemas.ports import Accept
from corpusgraph.tasks.progress import step

M = TypeVar("M", bound=BaseModel)
Missing = tuple[int, Prompt, str]
"""Place, prompt, and its key in the cache."""


class NoWire:
    """Sends nothing: a run that is replayed has the replies it was stored with, and no others."""

    mode = "json"

    async def send(self, turns: list[Turn], answer: type[BaseModel], most: int) -> Said:  # noqa: ARG002
        """Raise CallError."""
        raise CallError("no_reply", "not asked: the run is replayed, and this reply was not stored")

    async def close(self) -> None:
        """Do nothing."""


class Answering:
    """Answers prompts in one event loop; a silent one has only the cache's replies."""

    def __init__(
        self,
        profile: Profile,
        cache: ResponseCache,
        ratios: Ratios,
        budget: float | None,
        *,
        silent: bool = False,
    ) -> None:
        self._profile = profile
        self._silent = silent
        self._cache = cache
        self._ratios = ratios
        self._budget = budget
        self._under_way: dict[str, asyncio.Future[Outcome[Any]]] = {}
        self.calls: Calls | None = None

    async def answers(
        self, missing: Sequence[Missing], answer: type[M], accept: Accept[M] | None, account: Account
    ) -> list[Reply[M]]:
        """Answer all, side by side; the first error that is none of the endpoint's ends the rest."""
        if self.calls is None:
            price = price_of(self._profile)
            self.calls = Calls(self._profile, self._open_wire, price, self._budget, self._ratios)
        calls = self.calls
        try:
            async with asyncio.TaskGroup() as group:
                tasks = [
                    group.create_task(self._answer(calls, one, answer, accept, account)) for one in missing
                ]
        except BaseExceptionGroup as errors:
            raise errors.exceptions[0] from None
        return [task.result() for task in tasks]

    async def close(self) -> None:
        """Close the connections."""
        if self.calls is not None:
            await self.calls.close()

    def _open_wire(self) -> Sender:
        if self._silent:
            return NoWire()
        from corpusgraph.flows.llm.wire import Wire

        return Wire(self._profile, base_url(self._profile), api_key(self._profile))

    async def _answer(
        self, calls: Calls, missing: Missing, answer: type[M], accept: Accept[M] | None, account: Account
    ) -> Reply[M]:
        """Answer one prompt, or wait for the answer to an equal one that is under way."""
        place, _, key = missing
        while (other := self._under_way.get(key)) is not None:
            await asyncio.wait([other])
            if not other.cancelled() and (failed := other.result().judged).value is None:
                account.count("failed")
                return made(answer, error=failed.error, code=failed.code)
            if not other.cancelled():
                break
        if (known := cached(self._cache, key, answer, place, accept)) is not None:
            account.count("reused")
            return known
        outcome = await self._asked(calls, missing, answer, accept, account)
        judged = outcome.judged
        if judged.value is None:
            account.count("failed")
            return made(answer, error=judged.error, code=judged.code, usage=outcome.usage)
        return made(answer, value=judged.value, usage=outcome.usage)

    async def _asked(
        self, calls: Calls, missing: Missing, answer: type[M], accept: Accept[M] | None, account: Account
    ) -> Outcome[M]:
        place, prompt, key = missing
        check = None if accept is None else (lambda value: accept(place, value))
        future = self._under_way[key] = asyncio.get_running_loop().create_future()
        try:
            outcome = await calls.reply(prompt, answer, check, account)
            if outcome.kept is not None:
                self._cache.put(key, outcome.kept)
            future.set_result(outcome)
        finally:
            future.cancel()  # no effect on one that has its result
            if self._under_way.get(key) is future:
                del self._under_way[key]
        return outcome


def cached(
    cache: ResponseCache, key: str, answer: type[M], place: int, accept: Accept[M] | None
) -> Reply[M] | None:
    """Return the reply in the cache, unless it is not accepted any more."""
    value = cache.get(key, answer)
    if value is None or (accept is not None and accept(place, value) is not None):
        return None
    return made(answer, value=value, cached=True)


def made(answer: type[M], *, usage: Usage | None = None, **fields: Any) -> Reply[M]:
    """Return a reply of the answer's type."""
    model: type[Reply[M]] = Reply[answer]  # type: ignore[valid-type]
    return model(usage=usage or Usage(), **fields)


T = TypeVar("T")
_PATIENCE = 5.0
"""Seconds that cancelled work has to end."""


class Background:
    """Runs coroutines; the thread starts with the first of them and ends with `close`."""

    def __init__(self, at_end: Callable[[], Awaitable[None]]) -> None:
        self._at_end = at_end
        self._lock = threading.Lock()
        self._loop: asyncio.AbstractEventLoop | None = None
        self._thread: threading.Thread | None = None
        self._closed = False

    def run(self, work: Coroutine[Any, Any, T]) -> T:
        """Run a coroutine and return its result; whatever ends the wait (Ctrl-C) cancels it."""
        try:
            loop = self._started()
        except RuntimeError:
            work.close()
            raise
        future = asyncio.run_coroutine_threadsafe(work, loop)
        try:
            while not wait([future], timeout=1.0).done:  # one without end could not be interrupted everywhere
                step("waiting for the language model")
            return future.result()
        finally:
            if not future.done():
                future.cancel()

    def close(self) -> None:
        """Cancel what is under way, close what is open, and end the thread."""
        with self._lock:
            loop, thread, self._loop, self._thread = self._loop, self._thread, None, None
            self._closed = True
        if loop is None or thread is None:
            return
        loop.call_soon_threadsafe(loop.create_task, self._end(loop))
        if thread is not threading.current_thread():  # the collector of garbage may call from there
            thread.join(_PATIENCE)

    def _started(self) -> asyncio.AbstractEventLoop:
        with self._lock:
            if self._closed:
                raise RuntimeError("the client is closed")
            if self._thread is threading.current_thread():
                raise RuntimeError("what accepts an answer cannot ask itself: it would wait for its own end")
            if self._loop is None:
                self._loop = asyncio.new_event_loop()
                name = "corpusgraph-llm"
                self._thread = threading.Thread(target=_run, args=(self._loop,), name=name, daemon=True)
                self._thread.start()
            return self._loop

    async def _end(self, loop: asyncio.AbstractEventLoop) -> None:
        tasks = [task for task in asyncio.all_tasks() if task is not asyncio.current_task()]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        try:
            await self._at_end()
            await loop.shutdown_asyncgens()
            await loop.shutdown_default_executor()
        finally:
            loop.stop()


def _run(loop: asyncio.AbstractEventLoop) -> None:
    try:
        loop.run_forever()
    finally:
        loop.close()


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
