"""One request to an OpenAI-compatible endpoint, through pydantic-ai and the openai SDK.

Imported when the first request is made: the libraries take longer to load than a cached run takes.
"""

import asyncio
import json
import logging
import re
from collections.abc import Sequence
from typing import Any, cast
from urllib.parse import urlsplit

from pydantic import BaseModel
from pydantic_ai.direct import model_request
from pydantic_ai.exceptions import AgentRunError, ModelContextWindowExceededError, ModelHTTPError
from pydantic_ai.messages import (
    ModelMessage,
    ModelRequest,
    ModelResponse,
    SystemPromptPart,
    TextPart,
    ToolCallPart,
    UserPromptPart,
)
from pydantic_ai.models import ModelRequestParameters
from pydantic_ai.models.openai import OpenAIChatModelSettings
from pydantic_ai.profiles.openai import OpenAIJsonSchemaTransformer

from corpusgraph.flows.resources.llm.endpoint import OPENAI, chat_model, http_client
from corpusgraph.flows.resources.llm.said import CallError, Said, Turn
from corpusgraph.flows.resources.llm.shape import in_words, schema
from corpusgraph.flows.resources.llm.wireerrors import call_error, http_error, told
from corpusgraph.schemas.base import JsonDict
from corpusgraph.schemas.profile import OutputMode, Profile

log = logging.getLogger(__name__)

_ORDER: tuple[OutputMode, ...] = ("json_schema", "tool", "json", "text")
_TEXT = ModelRequestParameters(output_mode="text")
_NO_SHAPE = re.compile(
    r"response_format|json_schema|json_object|json mode|schema|structured|tool|function|grammar|guided",
    re.IGNORECASE,
)


class Wire:
    """Sends conversations; used from one event loop."""

    def __init__(self, profile: Profile, url: str | None, key: str | None) -> None:
        self._options = profile.llm
        self._key = key
        self._host = urlsplit(url or OPENAI).netloc.rpartition("@")[2]
        self._timeout = profile.limits.timeout
        auto = self._options.output == "auto"
        self._mode: OutputMode = "json_schema" if auto else self._options.output
        self._modes = _ORDER if auto else (self._mode,)
        self._http = http_client(profile, url or OPENAI)
        self._model = chat_model(profile, url or OPENAI, key, self._http)
        given = {"temperature": self._options.temperature, "seed": self._options.seed}
        settings: dict[str, Any] = {name: value for name, value in given.items() if value is not None}
        settings["max_tokens"] = self._options.max_tokens
        self._settings = settings
        self._asked: dict[tuple[type[BaseModel], OutputMode], OpenAIChatModelSettings] = {}

    @property
    def mode(self) -> str:
        """How the shape of an answer is asked for."""
        return self._mode

    async def send(self, turns: Sequence[Turn], answer: type[BaseModel], most: int) -> Said:
        """Send a conversation and return what is said in at most so many tokens.

        Raises CallError, which never tells the key.
        """
        try:
            return await self._send(turns, answer, most)
        except CallError as error:
            if self._key:
                error.message = error.message.replace(self._key, "…")
            raise

    async def _send(self, turns: Sequence[Turn], answer: type[BaseModel], most: int) -> Said:
        mode = self._mode
        try:
            async with asyncio.timeout(self._timeout):
                said = await model_request(
                    self._model,
                    _messages(turns, in_words(answer) if mode in {"json", "text"} else None),
                    model_settings=self._asking(answer, mode, most),
                    model_request_parameters=_TEXT,
                )
        except TimeoutError:
            message = f"no answer within {self._timeout:g} seconds"
            raise CallError("timeout", message, again=True, answered=False) from None
        except ModelHTTPError as error:
            raise self._http_error(error, mode) from None
        except AgentRunError as error:
            raise call_error(error, self._host) from None
        except (LookupError, AttributeError, TypeError, ValueError, RecursionError) as error:
            # The SDK takes any JSON for a completion; what is none fails where it is read.
            message = f"the reply is no chat completion ({type(error).__name__})"
            raise CallError("server_error", message, again=True, answered=False) from None
        return _said(said)

    async def close(self) -> None:
        """Close the connections."""
        await self._http.aclose()

    def _asking(self, answer: type[BaseModel], mode: OutputMode, most: int) -> OpenAIChatModelSettings:
        """Return the settings of a request for an answer of this shape."""
        found = self._asked.get((answer, mode))
        if found is None:
            body = {**_body(answer, mode), **self._options.extra_body}
            found = cast("OpenAIChatModelSettings", {**self._settings, "extra_body": body})
            self._asked[answer, mode] = found
        return found if most == self._options.max_tokens else {**found, "max_tokens": most}

    def _http_error(self, error: ModelHTTPError, mode: OutputMode) -> CallError:
        status, why = error.status_code, told(error)
        too_long = isinstance(error, ModelContextWindowExceededError)
        refused = status in {400, 404, 422, 501} and not too_long and _NO_SHAPE.search(why) is not None
        if refused and self._falls_back(mode, why):
            return CallError("bad_request", why, again=True, switched=True)
        return http_error(error)

    def _falls_back(self, mode: OutputMode, why: str) -> bool:
        """Go on to the next way to ask for a shape; another request may already have done so."""
        if mode == self._mode:
            further = self._modes[self._modes.index(mode) + 1 :]
            if not further:
                return False
            self._mode = further[0]
            log.warning("The endpoint takes no %s (%s): asking by %s instead.", mode, why[:200], self._mode)
        return True


def _body(answer: type[BaseModel], mode: OutputMode) -> JsonDict:
    """Return the keys of a request that ask for the shape.

    They go along as they are: taken apart and put together again by the SDK for every request, a schema
    costs more time than all the rest.
    """
    name = re.sub(r"[^A-Za-z0-9_-]+", "_", answer.__name__)[:64]
    match mode:
        case "json_schema":
            strict = OpenAIJsonSchemaTransformer(schema(answer), strict=True).walk()
            wanted = {"name": name, "schema": strict, "strict": True}
            return {"response_format": {"type": "json_schema", "json_schema": wanted}}
        case "tool":
            function = {"name": "answer", "description": "Give the answer.", "parameters": schema(answer)}
            return {"tools": [{"type": "function", "function": function}], "tool_choice": "required"}
        case "json":
            return {"response_format": {"type": "json_object"}}
    return {}


def _messages(turns: Sequence[Turn], shape: str | None) -> list[ModelMessage]:
    made: list[ModelMessage] = []
    parts: list[SystemPromptPart | UserPromptPart] = []
    for role, given in turns:
        text = given.encode("utf-8", "replace").decode()  # half a surrogate pair cannot be sent
        if role == "assistant":
            made += [ModelRequest(parts=list(parts)), ModelResponse(parts=[TextPart(text)])]
            parts = []
        elif role == "system":
            parts.append(SystemPromptPart(f"{text}\n\n{shape}" if shape else text))
        else:
            parts.append(UserPromptPart(text))
    return [*made, ModelRequest(parts=list(parts))]


def _said(reply: ModelResponse) -> Said:
    calls = [part.args for part in reply.parts if isinstance(part, ToolCallPart)]
    texts = [part.content for part in reply.parts if isinstance(part, TextPart)]
    args = calls[0] if calls else None
    text = args if isinstance(args, str) else json.dumps(args) if args else "".join(texts)
    return Said(
        text=text,
        finish=reply.finish_reason or "stop",
        prompt_tokens=reply.usage.input_tokens,
        completion_tokens=reply.usage.output_tokens,
    )
