"""Where a model is: the connections, the SDK's client, and what the protocol is like there."""

from ipaddress import ip_address
from typing import Any, cast
from urllib.parse import urlsplit

import httpx2
from openai import AsyncAzureOpenAI, AsyncOpenAI
from pydantic_ai.models.openai import OpenAIChatModel
from pydantic_ai.profiles.openai import OpenAIModelProfile
from pydantic_ai.providers.azure import AzureProvider
from pydantic_ai.providers.openai import OpenAIProvider
from pydantic_ai.providers.openai_compatible import OpenAICompatibleProvider

from corpusgraph.schemas.profile import Profile

OPENAI = "https://api.openai.com/v1"
_CONNECT = 10.0
"""Seconds for a connection, at most: an address where nobody is does not say so."""


def http_client(profile: Profile, url: str) -> httpx2.AsyncClient:
    """Return the one client whose connections all requests share."""
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
    """Return the model at an address; attempts and time-outs are not the SDK's but ours."""
    options = profile.llm
    given: dict[str, Any] = {"api_key": key or "none", "http_client": http, "max_retries": 0}
    provider: AzureProvider | OpenAIProvider | OpenAICompatibleProvider
    if options.provider == "azure":
        v1 = url.rstrip("/").endswith("/v1")
        client = (
            AsyncOpenAI(base_url=url, **given)
            if v1
            else AsyncAzureOpenAI(azure_endpoint=url, api_version=options.api_version, **given)
        )
        provider = AzureProvider(openai_client=cast("AsyncAzureOpenAI", client))
    elif options.provider == "openai":
        provider = OpenAIProvider(openai_client=AsyncOpenAI(base_url=url, **given))
    else:
        client = AsyncOpenAI(base_url=url, **given)
        provider = OpenAICompatibleProvider("compatible", openai_client=client)
    return OpenAIChatModel(options.model, provider=provider, profile=_profile(options.provider))


def _profile(provider: str) -> OpenAIModelProfile:
    """Name the limit of a reply as servers know it: only OpenAI's own have given it another name."""
    return OpenAIModelProfile(openai_chat_supports_max_completion_tokens=provider != "compatible")
