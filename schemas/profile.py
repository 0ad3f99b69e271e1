"""Profiles: which language model a run uses, how hard it may be pressed, and what it may cost."""

from typing import Literal

from pydantic import Field, NonNegativeFloat, PositiveFloat, PositiveInt, model_validator

from corpusgraph.schemas.base import JsonDict, Noun

OutputMode = Literal["auto", "json_schema", "tool", "json", "text"]


class Price(Noun):
    """US dollars per million tokens."""

    input: NonNegativeFloat
    output: NonNegativeFloat


class ModelOptions(Noun):
    """A language model behind an OpenAI-compatible endpoint."""

    provider: Literal["openai", "azure", "compatible"] = Field(
        default="compatible", description="openai, azure, or any server that speaks the same protocol"
    )
    model: str = Field(
        min_length=1, description="name the endpoint knows the model by; of Azure: the deployment"
    )
    base_url: str | None = Field(
        default=None, description="where the endpoint is; ${NAME} is the environment's"
    )
    api_version: str | None = Field(default=None, description="for provider azure")
    api_key_env: str | None = Field(
        default=None, description="environment variable with the key; the key itself is never written"
    )
    output: OutputMode = Field(
        default="auto",
        description="how an answer's shape is asked for; auto falls back to what the server has",
    )
    temperature: NonNegativeFloat | None = Field(default=0.0, description="null: the server's default")
    max_tokens: PositiveInt = Field(default=4096, description="of one reply")
    context_tokens: PositiveInt = Field(default=32_000, description="of prompt and reply together")
    seed: int | None = Field(default=None, description="for servers that take one")
    extra_body: JsonDict = Field(default_factory=dict, description="further keys of every request")
    price: Price | None = Field(default=None, description="instead of the published one")

    @model_validator(mode="after")
    def _has_address(self) -> "ModelOptions":
        if self.provider != "openai" and not self.base_url:
            message = f"provider {self.provider} needs base_url"
            raise ValueError(message)
        return self


class Limits(Noun):
    """How hard the endpoint may be pressed, and when it counts as down."""

    concurrency: PositiveInt = Field(default=8, description="requests under way at once")
    requests_per_minute: PositiveInt | None = Field(default=None, description="requests begun in any minute")
    tokens_per_minute: PositiveInt | None = Field(default=None, description="tokens in and out in any minute")
    attempts: PositiveInt = Field(default=6, description="of one request, the first included")
    timeout: PositiveFloat = Field(default=120.0, description="seconds for one request")
    max_wait: PositiveFloat = Field(default=60.0, description="seconds between two attempts, at most")
    breaker: PositiveInt = Field(
        default=8,
        description="requests without any answer, one after another, until the endpoint is left alone",
    )
    cool_down: PositiveFloat = Field(default=15.0, description="seconds until it is tried again; three times")
    budget: PositiveFloat | None = Field(default=None, description="US dollars a run may spend at most")


class Profile(Noun):
    """A language model with its limits."""

    profile: str = Field(pattern=r"^[A-Za-z0-9][A-Za-z0-9_.-]*$", description="name")
    about: str = Field(default="", description="a line for people")
    llm: ModelOptions
    limits: Limits = Limits()
