"""What is said to a language model and what comes back."""

from dataclasses import dataclass, field
from typing import Generic, Literal, TypeVar, get_args

from pydantic import (
    BaseModel,
    Field,
    NonNegativeFloat,
    NonNegativeInt,
    PositiveFloat,
    PositiveInt,
    model_validator,
)

from corpusgraph.schemas.base import Described, JsonDict, Noun

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


Unusable = Literal["invalid_reply", "truncated_reply", "empty_reply", "refused"]
Unanswered = Literal["rate_limited", "server_error", "timeout", "bad_request", "no_reply"]
Stopping = Literal["unreachable", "unauthorized", "not_found", "budget_exhausted"]
ReplyFailure = Literal[Unusable, Unanswered, Stopping]
"""Why a call gave nothing, after repair and retries."""
STOPPING: frozenset[ReplyFailure] = frozenset(get_args(Stopping))
"""Failures after which another call can only fail: once a client has stopped by one, it makes none."""


@dataclass(frozen=True)
class Reply(Generic[M]):
    """A structured reply, or why there is none: exactly one of `value` and `error` is set."""

    value: M | None = None
    error: str | None = None
    """Why the call failed, after repair."""
    code: ReplyFailure | None = None
    """The kind of failure."""
    cached: bool = False
    """Found in the response cache: nothing was paid."""
    usage: Usage = field(default_factory=Usage)


class StageUsage(Usage, use_attribute_docstrings=True):
    """What one stage of a run cost; `calls` counts requests answered, those of repair rounds included."""

    stage: str
    reused: NonNegativeInt = 0
    """prompts answered from the response cache"""
    repaired: NonNegativeInt = 0
    """replies made valid by a second round"""
    retried: NonNegativeInt = 0
    """requests sent again after a failure on the way"""
    failed: NonNegativeInt = 0
    """prompts without a usable reply"""
    model: str = ""


OutputMode = Literal["auto", "json_schema", "tool", "json", "text"]


class Price(Noun):
    """US dollars per million tokens."""

    input: NonNegativeFloat
    output: NonNegativeFloat


class ModelOptions(Described):
    """A language model behind an OpenAI-compatible endpoint."""

    provider: Literal["openai", "azure", "compatible"] = "compatible"
    """openai, azure, or any server that speaks the same protocol"""
    model: str = Field(min_length=1)
    """name the endpoint knows the model by; of Azure: the deployment"""
    base_url: str | None = None
    """where the endpoint is; ${NAME} is the environment's"""
    api_version: str | None = None
    """for provider azure"""
    api_key_env: str | None = None
    """environment variable with the key; the key itself is never written"""
    output: OutputMode = "auto"
    """how an answer's shape is asked for; auto falls back to what the server has"""
    temperature: NonNegativeFloat | None = 0.0
    """null: the server's default"""
    max_tokens: PositiveInt = 4096
    """of one reply"""
    context_tokens: PositiveInt = 32_000
    """of prompt and reply together"""
    seed: int | None = None
    """for servers that take one"""
    extra_body: JsonDict = Field(default_factory=dict)
    """further keys of every request"""
    price: Price | None = None
    """instead of the published one"""

    @model_validator(mode="after")
    def _has_address(self) -> "ModelOptions":
        if self.provider != "openai" and not self.base_url:
            raise ValueError(f"provider {self.provider} needs base_url")
        return self


class Limits(Described):
    """How hard the endpoint may be pressed, and when it counts as down."""

    concurrency: PositiveInt = 8
    """requests under way at once"""
    requests_per_minute: PositiveInt | None = None
    """requests begun in any minute"""
    tokens_per_minute: PositiveInt | None = None
    """tokens in and out in any minute"""
    attempts: PositiveInt = 6
    """of one request, the first included"""
    timeout: PositiveFloat = 120.0
    """seconds for one request"""
    max_wait: PositiveFloat = 60.0
    """seconds between two attempts, at most"""
    breaker: PositiveInt = 8
    """requests without any answer, one after another, until the endpoint is left alone"""
    cool_down: PositiveFloat = 15.0
    """seconds until it is tried again; three times"""
    budget: PositiveFloat | None = None
    """US dollars a run may spend at most"""


class Profile(Described):
    """A language model with its limits."""

    profile: str = Field(pattern=r"^[A-Za-z0-9][A-Za-z0-9_.-]*$")
    """name"""
    about: str = ""
    """a line for people"""
    llm: ModelOptions
    limits: Limits = Limits()


class PromptSet(Described):
    """The words of prompts for one field. Types are hints: an ontology in the study takes their place."""

    prompts: str = Field(pattern=r"^[A-Za-z0-9][A-Za-z0-9_.-]*$")
    """name"""
    about: str = ""
    """a line for people"""
    extract: str = Field(min_length=1)
    """what to look for in a passage"""
    glean: str = Field(
        default="Some of it was missed. Say only what is not in the list of what was found.", min_length=1
    )
    """asks again for what a first reading missed"""
    entities: dict[str, str] = Field(default_factory=dict)
    """type -> what it is; lower_snake_case"""
    relationships: dict[str, str] = Field(default_factory=dict)
    """type -> what it states"""
    report: str = ""
    """what matters in a report on a community of entities"""
    summary: str = ""
    """what matters in the description of one entity or relationship"""


class TraceLine(Described):
    """What one step did: `round` counts the rounds of the loop it stands in, from 1."""

    step: str
    tool: str
    seconds: float
    n_items: NonNegativeInt = 0
    round: int | None = None
    skipped: str | None = None
    """why it did not run: condition or empty_input"""
    usage: Usage = field(default_factory=Usage)
