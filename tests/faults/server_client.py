"""Requests as clients send them, for the tests of the test server."""

import json
from collections.abc import Mapping
from functools import cache
from typing import Any, Literal

from openai import OpenAI
from pydantic import BaseModel

from tests.faults.server import FaultServer

PASSAGE = (
    "Dr. John Snow lived in London. On 8 September 1854 the Board of Guardians removed the handle of the pump in "
    "Broad Street. Snow argued that contaminated water\ncaused cholera. The Board denied that Snow was right. "
    "Alice met the Mad Hatter."
)


class Item(BaseModel):
    name: str
    type: str
    quote: str


class Relation(BaseModel):
    source: str
    target: str
    type: str
    is_causal: bool
    negated: bool
    confidence: float
    quote: str


class Happening(BaseModel):
    activity: str
    time: str
    actors: list[str]
    places: list[str]
    quote: str


class Thesis(BaseModel):
    text: str
    speaker: str
    stance: Literal["asserts", "denies"]
    quote: str
    attacks: list[int]


class Everything(BaseModel):
    entities: list[Item]
    relationships: list[Relation]
    events: list[Happening]
    claims: list[Thesis]


class Pair(BaseModel):
    id: int
    same: bool
    confidence: float
    why: str


class Pairs(BaseModel):
    pairs: list[Pair]


class Finding(BaseModel):
    summary: str
    explanation: str
    sources: list[int]


class Report(BaseModel):
    title: str
    summary: str
    rating: float
    rating_explanation: str
    findings: list[Finding]


class Description(BaseModel):
    description: str


class Odd(BaseModel):
    colour: Literal["red", "blue"]
    sizes: list[int]
    inner: Description | None


def body(user: str, answer: type[BaseModel] | None = Everything, mode: str = "json_schema") -> dict[str, Any]:
    """Write a request as clients do."""
    system, more = "Say what the passage says.", dict[str, Any]()
    schema = answer.model_json_schema() if answer else {}
    match mode if answer else "text":
        case "json_schema":
            shape = {"name": "answer", "schema": schema, "strict": True}
            more = {"response_format": {"type": "json_schema", "json_schema": shape}}
        case "tools":
            more = {"tools": [{"type": "function", "function": {"name": "answer", "parameters": schema}}]}
        case "json_object":
            more = {"response_format": {"type": "json_object"}}
    if answer and mode in {"json_object", "text"}:
        system += f"\n\nReply with one JSON object of this schema:\n{json.dumps(schema)}"
    turns = [{"role": "system", "content": system}, {"role": "user", "content": user}]
    return {"model": "m", "messages": turns, **more}


@cache
def _client() -> OpenAI:
    """Make a client once: each loads all certificates anew."""
    return OpenAI(base_url="http://127.0.0.1/v1", api_key="k", max_retries=0)


def ask(server: FaultServer, request: Mapping[str, Any], timeout: float = 10, key: str = "k") -> Any:
    """Send one request without retries; return the choice."""
    client = _client().with_options(base_url=server.base_url, api_key=key, timeout=timeout)
    return client.chat.completions.create(**request).choices[0]


def said(choice: Any) -> str:
    """Return the text of a choice, or the arguments of the tool that it calls."""
    calls = choice.message.tool_calls
    return str(calls[0].function.arguments if calls else choice.message.content or "")
