"""What the client's tests start from."""

from pathlib import Path
from typing import Any

from pydantic import Field

from corpusgraph.flows.llm.client import Client, open_client
from corpusgraph.schemas.llm import Limits, ModelOptions, Price, Profile, Prompt
from corpusgraph.tasks.llm.prompting import Said
from tests.client.server import Server

KEY = "sk-a-key-that-must-not-be-written"
VARIABLE = "CORPUSGRAPH_TEST_KEY"


class Mark(Said):
    """An answer."""

    name: str
    score: float = Field(ge=0, le=1)


def prompts(n: int, start: int = 0) -> list[Prompt]:
    return [Prompt(system="Score the name.", user=f"Name number {i}") for i in range(start, start + n)]


def profile(server: Server | str, limits: dict[str, Any] | None = None, **options: Any) -> Profile:
    """Return a profile of a server that waits for next to nothing between attempts."""
    url = server if isinstance(server, str) else server.base_url
    given = {"model": "m", "base_url": url, "price": Price(input=1, output=2), "output": "json_schema"}
    quick = {"max_wait": 0.02, "timeout": 5.0, "cool_down": 0.05}
    return Profile(
        profile="test",
        llm=ModelOptions.model_validate({**given, **options}),
        limits=Limits.model_validate({**quick, **(limits or {})}),
    )


def client(
    server: Server | str,
    outputs: Path,
    limits: dict[str, Any] | None = None,
    *,
    budget: float | None = None,
    **options: Any,
) -> Client:
    return open_client(profile(server, limits, **options), outputs, budget=budget)
