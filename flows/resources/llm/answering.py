"""Prompts that are not in the cache: each is asked once, and its reply kept the moment it arrives."""

import asyncio
from collections.abc import Sequence
from typing import Any, TypeVar

from pydantic import BaseModel

from corpusgraph.flows.resources.llm.accounts import Account
from corpusgraph.flows.resources.llm.cache import ResponseCache
from corpusgraph.flows.resources.llm.calls import Calls, Outcome, Sender
from corpusgraph.flows.resources.llm.prices import price_of
from corpusgraph.flows.resources.llm.profiles import api_key, base_url
from corpusgraph.flows.resources.llm.ratios import Ratios
from corpusgraph.flows.resources.llm.said import CallError, Said, Turn
from corpusgraph.schemas.llm import Prompt, Reply, Usage
from corpusgraph.schemas.ports import Accept
from corpusgraph.schemas.profile import Profile

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
        from corpusgraph.flows.resources.llm.wire import Wire

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
