"""What is said to a language model and what comes back."""

from typing import Generic, TypeVar

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


class Reply(Noun, Generic[M]):
    """A structured reply, or why there is none: exactly one of `value` and `error` is set."""

    value: M | None = None
    error: str | None = Field(default=None, description="why the call failed, after repair")
    usage: Usage = Usage()
