"""How much a client may send, how deep, how often and how slowly."""

import ipaddress
import math
import re
import time
from collections import OrderedDict
from collections.abc import Callable
from typing import TYPE_CHECKING

import anyio
import numpy as np
from pydantic_core import from_json
from starlette.datastructures import Headers

from corpusgraph.flows.surfaces.mcp.refusals import PARSE_ERROR, refusal

if TYPE_CHECKING:
    from starlette.responses import Response
    from starlette.types import ASGIApp, Message, Receive, Scope, Send

MEGABYTE = 1 << 20
ID = "corpusgraph.id"
"""Where the scope of a request keeps its id."""
NO_REQUEST = object()
DEEPEST = 100
"""Arrays and objects within one another: no input of a tool has a tenth of it."""
CLIENTS = 4096
"""Clients whose rate is remembered; of more, those heard last."""
CLOSE = {"connection": "close"}

_STRINGS = re.compile(rb'"[^"\\]*+(?:\\.[^"\\]*+)*+(?:"|\\?\Z)', re.DOTALL)
"""A JSON string, also one that never ends; possessive, so that no text makes it slow."""
_NO_BRACKETS = bytes(set(range(256)) - set(b"[]{}"))


def depth(body: bytes) -> int:
    """Return how deep arrays and objects of a JSON text lie within one another; no recursion, linear time."""
    if body.count(b"[") + body.count(b"{") <= DEEPEST:
        return min(DEEPEST, body.count(b"[") + body.count(b"{"))
    brackets = np.frombuffer(_STRINGS.sub(b"", body).translate(None, _NO_BRACKETS), dtype=np.uint8)
    steps = np.where((brackets == ord("[")) | (brackets == ord("{")), 1, -1)
    return int(steps.cumsum().max(initial=0))


def unreadable(body: bytes) -> "Response | None":
    """Return the refusal of a body that is no single JSON-RPC message in UTF-8, or None."""
    try:
        body.decode()
    except UnicodeDecodeError:
        return refusal(400, "not_utf8", "The body is not UTF-8.", rpc=PARSE_ERROR)
    if body.lstrip()[:1] == b"[":
        return refusal(400, "batch_refused", "A body is one message, not a batch.")
    if depth(body) > DEEPEST:
        message = f"The body is nested more than {DEEPEST} deep."
        return refusal(400, "too_deep", message, rpc=PARSE_ERROR)
    return None


def asked_as(body: bytes) -> object:
    """Return the id of a request; NO_REQUEST of what is none, or cannot be read, which the SDK tells of."""
    try:
        message = from_json(body)
    except ValueError:
        return NO_REQUEST
    return message.get("id", NO_REQUEST) if isinstance(message, dict) and "method" in message else NO_REQUEST


def _named(body: bytes, scope: "Scope") -> "Response | None":
    """Keep a request's id; return the refusal of one that no reply can have: nobody would answer it."""
    id_ = scope[ID] = asked_as(body)
    if id_ is NO_REQUEST or (isinstance(id_, str | int) and not isinstance(id_, bool)):
        return None
    return refusal(400, "invalid_id", "The id of a request is a string or a whole number.")


class Allowance:
    """A token bucket a client: `rate` requests a second on average, twice as many (at least 10) at once."""

    def __init__(self, rate: float, clock: Callable[[], float] = time.monotonic) -> None:
        self._rate, self._most, self._clock = rate, max(10.0, 2 * rate), clock
        self._left: OrderedDict[str, tuple[float, float]] = OrderedDict()

    def wait(self, client: str) -> float:
        """Count a request; return 0, or after how many seconds the client may ask again."""
        now = self._clock()
        left, since = self._left.pop(client, (self._most, now))
        left = min(self._most, left + (now - since) * self._rate)
        taken = left >= 1
        self._left[client] = (left - 1 if taken else left, now)
        while len(self._left) > CLIENTS:
            self._left.popitem(last=False)
        return 0.0 if taken else (1 - left) / self._rate


class RateLimit:
    """ASGI: answer 429 with Retry-After to who asks too often; a client is its token, or its address."""

    def __init__(self, app: "ASGIApp", allowance: Allowance) -> None:
        self._app, self._allowance = app, allowance

    async def __call__(self, scope: "Scope", receive: "Receive", send: "Send") -> None:
        """Count one request."""
        wait = self._allowance.wait(client_of(scope)) if scope["type"] == "http" else 0.0
        app = self._app
        if wait:
            retry = {"retry-after": str(math.ceil(wait))}
            app = refusal(429, "too_many_requests", "Too many requests.", hint="See --rate.", headers=retry)
        await app(scope, receive, send)


def client_of(scope: "Scope") -> str:
    """Return whom a request counts for: who showed a token, else the address (of IPv6 the network)."""
    user = scope.get("user")
    if user is not None and user.is_authenticated:
        return f"token {user.display_name}"
    address = (scope.get("client") or ("",))[0]
    try:
        known = ipaddress.ip_address(address)
    except ValueError:
        return address
    if known.version == 4:
        return address
    return str(ipaddress.ip_network((address, 64), strict=False))


class Bodies:
    """ASGI: read a request's body within limits of size, time and depth, and hand it on whole.

    Too large is 413 (without reading on), too slow 408, unreadable 400, too many requests at once 503.
    """

    def __init__(self, app: "ASGIApp", *, largest: int, seconds: float, at_once: int) -> None:
        self._app, self._largest, self._seconds, self._free = app, largest, seconds, at_once

    async def __call__(self, scope: "Scope", receive: "Receive", send: "Send") -> None:
        """Let one request in. A stream of events (GET) has no body and is no call: sessions bound those."""
        if scope["type"] != "http" or scope["method"] == "GET":
            await self._app(scope, receive, send)
            return
        if self._free < 1:
            headers = {"retry-after": "1", **CLOSE}
            busy = refusal(503, "busy", "Too many calls at once.", headers=headers)
            await busy(scope, receive, send)
            return
        self._free -= 1
        try:
            await self._serve(scope, receive, send)
        finally:
            self._free += 1

    async def _serve(self, scope: "Scope", receive: "Receive", send: "Send") -> None:
        body: bytes | Response | None = None
        with anyio.move_on_after(self._seconds) as limit:
            body = await self._read(scope, receive)
        if limit.cancelled_caught:
            slow = f"The body did not come within {self._seconds:g} seconds."
            body = refusal(408, "too_slow", slow, headers=CLOSE)
        if isinstance(body, bytes) and scope["method"] == "POST":
            body = unreadable(body) or _named(body, scope) or body
        if isinstance(body, bytes):
            await self._app(scope, _replay(body, receive), send)
        elif body is not None:
            await body(scope, receive, send)

    async def _read(self, scope: "Scope", receive: "Receive") -> "bytes | Response | None":
        """Return the body, the refusal, or None where the client is gone."""
        declared = Headers(scope=scope).get("content-length", "0")
        if declared.isdecimal() and int(declared[:20]) > self._largest:  # Python reads 4300 digits, not more
            return self._large()
        body = bytearray()
        while True:
            message = await receive()
            if message["type"] != "http.request":
                return None
            body += message.get("body", b"")
            if len(body) > self._largest:
                return self._large()
            if not message.get("more_body", False):
                return bytes(body)

    def _large(self) -> "Response":
        return refusal(413, "too_large", f"A body has {self._largest} bytes at most.", headers=CLOSE)


def _replay(body: bytes, receive: "Receive") -> "Receive":
    messages: list[Message] = [{"type": "http.request", "body": body, "more_body": False}]

    async def again() -> "Message":
        return messages.pop() if messages else await receive()

    return again
