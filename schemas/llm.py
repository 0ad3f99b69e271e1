"""What is said to a language model and what comes back."""

from typing import Generic, Literal, TypeVar

from pydantic import BaseModel, Field, NonNegativeInt

from corpusgraph.schemas.base import Noun

M = TypeVar("M", bound=BaseModel)


class Prompt(Noun):
    """One call: instructions, and the text they are about. Text of documents is data, never instructions."""

    system: str
    user: str


class Usage(Noun):
    """What calls cost; `cost` in US dollars, None where the price is not known."""

    calls: NonNegativeInt = 0
    prompt_tokens: NonNegativeInt = 0
    completion_tokens: NonNegativeInt = 0
    cost: float | None = 0.0

    def __add__(self, other: "Usage") -> "Usage":
        """Add up; an unknown price makes the sum unknown."""
        known = self.cost is not None and other.cost is not None
        return Usage(
            calls=self.calls + other.calls,
            prompt_tokens=self.prompt_tokens + other.prompt_tokens,
            completion_tokens=self.completion_tokens + other.completion_tokens,
            cost=(self.cost or 0.0) + (other.cost or 0.0) if known else None,
        )

    @property
    def tokens(self) -> int:
        """Tokens in and out."""
        return self.prompt_tokens + self.completion_tokens


class Divisible(BaseModel):
    """Base of answers of which nothing may be left out.

    One cut at the token limit is not asked for again shorter: whoever asks divides the text it is about.
    """


ReplyFailure = Literal[
    "invalid_reply",
    "truncated_reply",
    "empty_reply",
    "refused",
    "rate_limited",
    "server_error",
    "timeout",
    "unreachable",
    "unauthorized",
    "bad_request",
    "not_found",
    "budget_exhausted",
    "no_reply",
]
"""Why a call gave nothing, after repair and retries."""
STOPPING: frozenset[ReplyFailure] = frozenset(
    {"budget_exhausted", "unreachable", "unauthorized", "not_found"}
)
"""Failures after which another call can only fail: once a client has stopped by one, it makes none."""


class Reply(Noun, Generic[M]):
    """A structured reply, or why there is none: exactly one of `value` and `error` is set."""

    value: M | None = None
    error: str | None = Field(default=None, description="why the call failed, after repair")
    code: ReplyFailure | None = Field(default=None, description="the kind of failure")
    cached: bool = Field(default=False, description="found in the response cache: nothing was paid")
    usage: Usage = Usage()


class StageUsage(Usage):
    """What one stage of a run cost; `calls` counts requests answered, those of repair rounds included."""

    stage: str
    reused: NonNegativeInt = Field(default=0, description="prompts answered from the response cache")
    repaired: NonNegativeInt = Field(default=0, description="replies made valid by a second round")
    retried: NonNegativeInt = Field(default=0, description="requests sent again after a failure on the way")
    failed: NonNegativeInt = Field(default=0, description="prompts without a usable reply")
    model: str = ""
