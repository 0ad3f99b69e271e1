"""One request to an OpenAI-compatible endpoint, through pydantic-ai and the openai SDK.

Imported when the first request is made: the libraries take longer to load than a cached run takes.
"""

import asyncio
import json
import logging
import re
from collections.abc import Mapping, Sequence
from contextlib import suppress
from functools import lru_cache
from ipaddress import ip_address
from typing import Any, cast
from urllib.parse import urlsplit

import httpx2
from openai import APIStatusError, AsyncAzureOpenAI, AsyncOpenAI
from pydantic import BaseModel
from pydantic_ai.direct import model_request
from pydantic_ai.exceptions import (
    AgentRunError,
    ModelAuthenticationError,
    ModelConnectionError,
    ModelContextWindowExceededError,
    ModelHTTPError,
    ModelQuotaExceededError,
    ModelRequestRejectedError,
    ModelTimeoutError,
)
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
from pydantic_ai.models.openai import OpenAIChatModel, OpenAIChatModelSettings
from pydantic_ai.profiles.openai import OpenAIJsonSchemaTransformer, OpenAIModelProfile
from pydantic_ai.providers.azure import AzureProvider
from pydantic_ai.providers.openai import OpenAIProvider
from pydantic_ai.providers.openai_compatible import OpenAICompatibleProvider

from corpusgraph.flows.llm.client import Said, Turn, in_words, schema
from corpusgraph.flows.llm.limits import CallError
from corpusgraph.schemas.base import JsonDict
from corpusgraph.schemas.llm import OutputMode, Profile, ReplyFailure

OPENAI = "https://api.openai.com/v1"
_CONNECT = 10.0
"""Seconds for a connection, at most: an address where nobody is does not say so."""


def http_client(profile: Profile, url: str) -> httpx2.AsyncClient:
    """Return the one client whose connections all requests share.

    Parameters
    ----------
    profile : Profile
        With its limits: connections and seconds.
    url : str
        Of the endpoint; no proxy is used to this machine.

    Returns
    -------
    AsyncClient
        To be closed by the caller.

    """
    limits = profile.limits
    pool = httpx2.Limits(max_connections=limits.concurrency, max_keepalive_connections=limits.concurrency)
    timeout = httpx2.Timeout(limits.timeout, connect=min(limits.timeout, _CONNECT))
    # A proxy of the environment stands between here and elsewhere, not between here and here.
    return httpx2.AsyncClient(limits=pool, timeout=timeout, trust_env=not _is_here(url))


def _is_here(url: str) -> bool:
    host = urlsplit(url).hostname or ""
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


def chat_model(profile: Profile, url: str, key: str | None, http: httpx2.AsyncClient) -> OpenAIChatModel:
    """Return the model at an address; attempts and time-outs are not the SDK's but ours.

    Parameters
    ----------
    profile : Profile
        Names the provider and the model.
    url : str
        Of the endpoint.
    key : str or None
        None for an endpoint that wants none.
    http : AsyncClient
        Carries the requests.

    Returns
    -------
    OpenAIChatModel
        Of pydantic-ai.

    """
    options = profile.llm
    given: dict[str, Any] = {"api_key": key or "none", "http_client": http, "max_retries": 0}
    client: AsyncOpenAI
    if options.provider == "azure" and not url.rstrip("/").endswith("/v1"):
        client = AsyncAzureOpenAI(azure_endpoint=url, api_version=options.api_version, **given)
    else:
        client = AsyncOpenAI(base_url=url, **given)
    provider: AzureProvider | OpenAIProvider | OpenAICompatibleProvider
    if options.provider == "azure":
        provider = AzureProvider(openai_client=cast("AsyncAzureOpenAI", client))
    elif options.provider == "openai":
        provider = OpenAIProvider(openai_client=client)
    else:
        provider = OpenAICompatibleProvider("compatible", openai_client=client)
    # The limit of a reply by the name servers know: only OpenAI's own have given it another.
    limit_name = OpenAIModelProfile(
        openai_chat_supports_max_completion_tokens=options.provider != "compatible"
    )
    return OpenAIChatModel(options.model, provider=provider, profile=limit_name)


_AGAIN = frozenset({408, 409, 425, 429})
_CODES: dict[int, ReplyFailure] = {
    **dict.fromkeys((401, 403), "unauthorized"),
    **dict.fromkeys((404, 405), "not_found"),
    429: "rate_limited",
    408: "timeout",
}


def http_error(error: ModelHTTPError) -> CallError:
    """Return what a status of 400 or more means.

    Parameters
    ----------
    error : ModelHTTPError
        With status, headers and body.

    Returns
    -------
    CallError
        With its code, whether to ask again, and seconds to wait, where the server says so.

    """
    status = error.status_code
    flagged = isinstance(error, ModelRequestRejectedError) and not isinstance(error, ModelAuthenticationError)
    # A 403 may be about this one prompt, which a filter does not like, and not about the key.
    other: ReplyFailure = "server_error" if status >= 500 else "bad_request"
    code = "refused" if status == 403 and flagged else _CODES.get(status, other)
    again = status in _AGAIN or status >= 500
    if isinstance(error, ModelQuotaExceededError):
        code, again = "unauthorized", False  # the account is empty: all other requests find it so, too
    wait = error.retry_after
    if wait is None:  # some servers send fractions, which HTTP does not know
        with suppress(ValueError):
            seconds = float((error.headers or {}).get("retry-after", ""))
            wait = seconds if seconds >= 0 else None
    return CallError(code, f"HTTP {status}: {told(error)}", again=again, answered=status < 500, wait=wait)


def call_error(error: Exception, host: str) -> CallError:
    """Return what an error without a status of the endpoint at `host` means.

    Parameters
    ----------
    error : Exception
        Of pydantic-ai, the SDK or the connection.
    host : str
        Of the endpoint, for the message.

    Returns
    -------
    CallError
        Counts as no answer, but for a redirect.

    """
    # What is no completion may be a page of somebody between here and there.
    code: ReplyFailure = "server_error"
    message = f"the reply is no chat completion ({type(error).__name__})"
    if isinstance(error, ModelTimeoutError):
        code, message = "timeout", "no answer in time"
    elif isinstance(error, ModelConnectionError):
        under: BaseException = error  # the SDK says of all that lies under one that it is one
        while (next_ := under.__cause__ or under.__context__) is not None:
            under = next_
        why = " ".join(str(under).split())[:200] or type(under).__name__
        code, message = "unreachable", f"no connection to {host}: {why}"
    elif isinstance(moved := error.__cause__, APIStatusError):  # the library has no name for a redirect
        where = moved.response.headers.get("location", "another place, which it does not tell")
        message = f"HTTP {moved.status_code}: the endpoint is at {where[:200]}; set base_url to it"
        return CallError("not_found", message)
    elif isinstance(error, AgentRunError):
        message = f"the reply is no chat completion: {' '.join(error.message.split())[:300]}"
    return CallError(code, message, again=True, answered=False)


def told(error: ModelHTTPError) -> str:
    """Return what the endpoint says about an error, on one line.

    Parameters
    ----------
    error : ModelHTTPError
        With its body.

    Returns
    -------
    str
        300 characters at most.

    """
    body = error.body
    if isinstance(body, Mapping):
        inner = body.get("error", body)
        body = inner.get("message", inner) if isinstance(inner, Mapping) else inner
    return " ".join(str(body or "no reason given").split())[:300]


log = logging.getLogger(__name__)

_NO_COMPLETION = (LookupError, AttributeError, TypeError, ValueError, RecursionError)
"""The SDK takes any JSON for a completion; what is none fails where it is read."""

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
        self.mode: OutputMode = "json_schema" if auto else self._options.output
        self._modes = _ORDER if auto else (self.mode,)
        self._http = http_client(profile, url or OPENAI)
        self._model = chat_model(profile, url or OPENAI, key, self._http)
        given = {"temperature": self._options.temperature, "seed": self._options.seed}
        self._settings = {name: value for name, value in given.items() if value is not None}

    async def send(self, turns: Sequence[Turn], answer: type[BaseModel], most: int) -> Said:
        """Send a conversation and return what is said.

        Parameters
        ----------
        turns : sequence of Turn
            (role, text).
        answer : type of BaseModel
            Its schema is sent where the profile's mode says so.
        most : int
            Tokens of the reply.

        Returns
        -------
        Said
            Text, why it ended, and tokens.

        Raises
        ------
        CallError
            For anything else than a reply; it never tells the key.

        """
        try:
            return await self._send(turns, answer, most)
        except CallError as error:
            if self._key:
                error.message = error.message.replace(self._key, "…")
            raise

    async def _send(self, turns: Sequence[Turn], answer: type[BaseModel], most: int) -> Said:
        mode = self.mode
        body = {**_body(answer, mode), **self._options.extra_body}
        settings = {**self._settings, "max_tokens": most, "extra_body": body}
        try:
            async with asyncio.timeout(self._timeout):
                said = await model_request(
                    self._model,
                    _messages(turns, in_words(answer) if mode in {"json", "text"} else None),
                    model_settings=cast("OpenAIChatModelSettings", settings),
                    model_request_parameters=_TEXT,
                )
        except TimeoutError:
            message = f"no answer within {self._timeout:g} seconds"
            raise CallError("timeout", message, again=True, answered=False) from None
        except ModelHTTPError as error:
            raise self._http_error(error, mode) from None
        except (AgentRunError, *_NO_COMPLETION) as error:
            raise call_error(error, self._host) from None
        return _said(said)

    async def close(self) -> None:
        """Close the connections."""
        await self._http.aclose()

    def _http_error(self, error: ModelHTTPError, mode: OutputMode) -> CallError:
        status, why = error.status_code, told(error)
        too_long = isinstance(error, ModelContextWindowExceededError)
        refused = status in {400, 404, 422, 501} and not too_long and _NO_SHAPE.search(why) is not None
        if refused and self._falls_back(mode, why):
            return CallError("bad_request", why, at_once=True)
        return http_error(error)

    def _falls_back(self, mode: OutputMode, why: str) -> bool:
        """Go on to the next way to ask for a shape; another request may already have done so."""
        if mode == self.mode:
            further = self._modes[self._modes.index(mode) + 1 :]
            if not further:
                return False
            self.mode = further[0]
            log.warning("The endpoint takes no %s (%s): asking by %s instead.", mode, why[:200], self.mode)
        return True


@lru_cache(maxsize=256)
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
