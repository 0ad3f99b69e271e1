"""One prompt to its reply: limits, attempts, breaker, budget, and one round of repair."""

import asyncio
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Generic, Protocol, TypeVar

from pydantic import BaseModel

from corpusgraph.flows.llm.cache import CHARACTERS_PER_TOKEN, Kept, Ratios
from corpusgraph.flows.llm.completion import (
    CallError,
    Check,
    Judged,
    Said,
    Stop,
    Turn,
    first_round,
    judge,
    may_be_repaired,
    repair_round,
)
from corpusgraph.flows.llm.limits import Account, Breaker, Budget, EndpointDownError, Pace
from corpusgraph.flows.llm.profiles import cost
from corpusgraph.schemas.llm import ModelOptions, Price, Profile, Prompt, Usage

_LEAST = 256
"""Tokens that a reply needs to say anything."""
_MARGIN = 10
"""Tokens of a prompt are an estimate: where a reply has to be cut, one part in so many more are left out."""


class Context:
    """The context of a model: prompt and reply together. Some servers cut what is too long without a word."""

    def __init__(self, options: ModelOptions) -> None:
        self._options = options
        self._least = min(_LEAST, options.max_tokens)

    def room(self, tokens: int) -> int:
        """Return the most tokens of a reply to a prompt of so many; 0 where it does not fit."""
        context, wanted = self._options.context_tokens, self._options.max_tokens
        if tokens + self._least > context:
            return 0
        return max(self._least, min(wanted, context - tokens - tokens // _MARGIN))

    def too_long(self, tokens: int) -> str:
        """Say that a prompt does not fit."""
        options = self._options
        return (
            f"the prompt has about {tokens:,} tokens, the context of {options.model} holds "
            f"{options.context_tokens:,} (context_tokens), of which a reply needs {self._least:,}"
        )


M = TypeVar("M", bound=BaseModel)


class Sender(Protocol):
    """What sends a conversation."""

    @property
    def mode(self) -> str:
        """How the shape of an answer is asked for."""

    async def send(self, turns: list[Turn], answer: type[BaseModel], most: int) -> Said:
        """Return what is said in at most so many tokens, or raise CallError."""

    async def close(self) -> None:
        """Close the connections."""


@dataclass(frozen=True)
class Outcome(Generic[M]):
    """What became of a prompt."""

    judged: Judged[M]
    usage: Usage
    kept: Kept | None = None


class Calls:
    """Makes the calls of one client, in one event loop."""

    def __init__(
        self,
        profile: Profile,
        wire: Callable[[], Sender],
        price: Price | None,
        budget: float | None,
        ratios: Ratios,
    ) -> None:
        limits = profile.limits
        self._attempts, self._max_tokens = limits.attempts, profile.llm.max_tokens
        self._context = Context(profile.llm)
        self._make_wire = wire
        self._wire: Sender | None = None
        self._price, self._ratios = price, ratios
        self._budget, self._pace = Budget(budget), Pace(limits)
        self._breaker = Breaker(limits.breaker, limits.cool_down)
        self.stop = Stop()
        self._replied = False

    async def reply(
        self, prompt: Prompt, answer: type[M], check: Check[M] | None, account: Account
    ) -> Outcome[M]:
        """Ask, and once more if the reply cannot be used.

        A reply is read when its place among those under way is given on: while replies are read, the endpoint
        has work.
        """
        usage, turns = Usage(), first_round(prompt)
        for repairing in (False, True):
            try:
                async with self._pace.slots.one(first=repairing):
                    said = await self._send(turns, answer, account)
            except CallError as error:
                return Outcome(Judged(code=error.code, error=error.message), usage)
            await asyncio.sleep(0)  # whoever waited for the place sends now
            spent = self._usage(said)
            usage += spent
            account.spend(spent)
            judged = judge(said, answer, check)
            kept = Kept(
                text=judged.text,
                answer=answer.__name__,
                characters=_characters(turns),
                prompt_tokens=spent.prompt_tokens,
                completion_tokens=spent.completion_tokens,
            )
            self._ratios.note(kept)
            if judged.value is not None:
                account.count("repaired", int(repairing))
                return Outcome(judged, usage, kept)
            turns = repair_round(prompt, judged, answer)
            if not (may_be_repaired(judged, answer) and self._context.room(self._tokens(turns, answer))):
                break
        return Outcome(judged, usage)

    async def _send(self, turns: list[Turn], answer: type[BaseModel], account: Account) -> Said:
        """Make attempts until one brings a reply, or no more may be made. Raises CallError."""
        failures, tokens = 0, self._tokens(turns, answer)
        if not (most := self._context.room(tokens)):
            raise CallError("bad_request", self._context.too_long(tokens))
        while True:
            self.stop.go_on()
            try:
                probe = await self._breaker.enter()
            except EndpointDownError:
                raise self.stop.halt("unreachable") from None
            try:
                said = await self._attempt(turns, answer, most)
            except CallError as error:
                self._heard(error, probe=probe)
                if error.switched:
                    continue
                failures += 1
                if not error.again or failures >= self._attempts:
                    raise
                account.count("retried")
                await self.stop.sleep(self._pace.wait(failures - 1, error.wait))
            except BaseException:
                self._breaker.left(probe=probe)
                raise
            else:
                self._breaker.answered()
                self._replied = True
                return said

    def _heard(self, error: CallError, *, probe: bool) -> None:
        """Tell the breaker of a failed request, and stop all where a further one can only fail."""
        if error.code == "budget_exhausted":
            self._breaker.left(probe=probe)
        elif error.answered:
            self._breaker.answered()
        else:
            self._breaker.silent(probe=probe)
            if self._breaker.down:
                self.stop.halt("unreachable", error.message)
        # Where something was answered before, it is not the address that is wrong, nor the model's name.
        if error.code == "unauthorized" or (error.code == "not_found" and not self._replied):
            self.stop.halt(error.code, error.message)

    async def _attempt(self, turns: list[Turn], answer: type[BaseModel], most: int) -> Said:
        """Make one request when limits and budget allow it."""
        wire = self._open_wire()
        prompt, completion = self._expected(turns, answer)
        entry = await self._pace.begin(prompt + completion)
        held = await self._budget.hold(lambda worst: self._expected_cost(turns, answer, worst=worst))
        if held is None:
            raise self.stop.halt("budget_exhausted")
        paid = 0.0
        try:
            self.stop.go_on()
            said = await wire.send(turns, answer, most)
            if not said.prompt_tokens:
                said = replace(said, prompt_tokens=prompt, completion_tokens=_tokens(said.text))
            usage = self._usage(said)
            self._pace.end(entry, usage.tokens)
            paid = usage.cost or 0.0
        finally:
            self._budget.settle(held, paid)
        return said

    def _open_wire(self) -> Sender:
        if self._wire is None:
            self._wire = self._make_wire()
        return self._wire

    @property
    def mode(self) -> str | None:
        """How the shape of an answer is asked for; None before the first request."""
        return self._wire.mode if self._wire else None

    async def close(self) -> None:
        """Close the connections."""
        if self._wire is not None:
            await self._wire.close()

    def _expected(self, turns: list[Turn], answer: type[BaseModel]) -> tuple[int, int]:
        """Return the tokens a request is likely to take; out as many as the longest reply so far."""
        prompt = self._ratios.tokens(_characters(turns), answer.__name__)
        ratio = self._ratios.of(answer.__name__)
        likely = max(ratio.longest, round(prompt * ratio.completion_per_prompt))
        return prompt, min(likely, self._max_tokens)

    def _tokens(self, turns: list[Turn], answer: type[BaseModel]) -> int:
        """Return the tokens of a prompt; what servers put around short ones does not grow with them."""
        return min(self._expected(turns, answer)[0], _characters(turns))

    def _expected_cost(self, turns: list[Turn], answer: type[BaseModel], *, worst: bool) -> float:
        prompt, completion = self._expected(turns, answer)
        if worst and not self._ratios.seen(answer.__name__):
            completion = self._max_tokens
        return cost(self._price, prompt, completion) or 0.0

    def _usage(self, said: Said) -> Usage:
        return Usage(
            calls=1,
            prompt_tokens=said.prompt_tokens,
            completion_tokens=said.completion_tokens,
            cost=cost(self._price, said.prompt_tokens, said.completion_tokens),
        )


def _characters(turns: list[Turn]) -> int:
    return sum(len(text) for _, text in turns)


def _tokens(text: str) -> int:
    return max(1, round(len(text) / CHARACTERS_PER_TOKEN)) if text else 0
