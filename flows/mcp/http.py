"""MCP over streamable HTTP: the SDK's sessions behind checks of name, token, rate and size.

Sessions, not the stateless mode: a client of 2025 cancels a call by a message of its own, which only a
session can match with the call. Replies are event streams where there is progress to tell, and JSON where
there is nothing to stream.
"""

import asyncio
import contextlib
import ipaddress
import json
import math
import os
import re
import socket
import time
from collections import Counter, OrderedDict
from collections.abc import AsyncIterator, Callable, Iterable, Iterator, Mapping
from contextvars import ContextVar
from dataclasses import dataclass, field
from hashlib import sha256
from hmac import compare_digest
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self, cast

import anyio
import h11
import numpy as np
import uvicorn
from mcp.server.streamable_http import StreamableHTTPServerTransport, check_accept_headers
from mcp.server.streamable_http_manager import StreamableHTTPSessionManager
from mcp.shared.message import ServerMessageMetadata, SessionMessage
from pydantic_core import from_json
from starlette.applications import Starlette
from starlette.datastructures import Headers
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route
from uvicorn.protocols.http.h11_impl import H11Protocol

from corpusgraph.flows.mcp.threads import Leaving, tell_left
from corpusgraph.flows.mcp.warming import Warming
from corpusgraph.schemas.errors import CorpusgraphError, InvalidInputError, shown

if TYPE_CHECKING:
    from mcp.server.auth.middleware.bearer_auth import AuthorizationContext
    from mcp.server.auth.provider import AccessToken
    from mcp.server.lowlevel.server import Server
    from starlette.types import ASGIApp, Message, Receive, Scope, Send

    from corpusgraph.flows.mcp.options import ServeOptions

VARIABLE = "CORPUSGRAPH_TOKEN"
"""Environment variable that holds the token of a single client."""
SHORTEST = 16
"""Characters of a token at least: 96 bits, written in base64."""

_TOKEN = re.compile(r"[A-Za-z0-9._~+/-]+=*")
"""RFC 6750, section 2.1: what can stand in the header."""
_MAKE = 'Make one: python -c "import secrets; print(secrets.token_urlsafe(32))"'


class Tokens:
    """The clients that may call, by name; implements the SDK's `TokenVerifier`."""

    def __init__(self, tokens: Mapping[str, str]) -> None:
        self._digests = {name: _digest(checked(token, name)) for name, token in tokens.items()}

    async def verify_token(self, token: str) -> "AccessToken | None":
        """Return whose token it is, or None. All are compared, so the time tells nothing."""
        from mcp.server.auth.provider import AccessToken

        given = _digest(token)
        whose = [name for name, known in self._digests.items() if compare_digest(given, known)]
        return AccessToken(token=token, client_id=whose[0], scopes=[]) if whose else None

    def __len__(self) -> int:
        """Return how many clients there are; none: no token is asked for."""
        return len(self._digests)


def _digest(token: str) -> bytes:
    return sha256(token.encode(errors="surrogateescape")).digest()


def checked(token: str, whose: str) -> str:
    """Return a token that can be used; another is InvalidInputError, which never quotes it."""
    if not _TOKEN.fullmatch(token):
        raise InvalidInputError(
            f"The token of {whose} is empty or has characters no header can hold.", hint=_MAKE
        )
    if len(token) < SHORTEST:
        raise InvalidInputError(
            f"The token of {whose} has {len(token)} characters, and {SHORTEST} are the least.", hint=_MAKE
        )
    return token


def read_tokens(token: str | None = None, path: Path | None = None) -> Tokens:
    """Return the tokens of the option, the file and, where neither is given, the environment.

    A line of the file is a token, or a name and a token; `#` begins a comment. Each client has a rate and
    sessions of its own.
    """
    if token is None and path is None:
        token = os.environ.get(VARIABLE)
    found = {} if token is None else {"client": token.strip()}
    for name, secret in [] if path is None else _lines(path):
        if name in found:
            raise InvalidInputError(f"There are two tokens of {name}.", hint="Each client has one.")
        if secret in found.values():
            raise InvalidInputError(
                f"The token of {name} is another's too.", hint=f"Each client has one. {_MAKE}"
            )
        found[name] = secret
    return Tokens(found)


def _lines(path: Path) -> list[tuple[str, str]]:
    try:
        lines = path.read_text(encoding="utf-8-sig").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise InvalidInputError(f"The token file {shown(path)} cannot be read: {error}.") from None
    words = [line.split() for line in lines if line.strip() and not line.lstrip().startswith("#")]
    if not words or any(len(parts) > 2 for parts in words):
        raise InvalidInputError(
            f"{shown(path)} is no token file.", hint=f"A line holds a token, or a name and a token. {_MAKE}"
        )
    return [(" ".join(parts[:-1]) or f"client {n}", parts[-1]) for n, parts in enumerate(words, 1)]


HEADER_SECONDS = 30.0
"""How long the head of a request may take, from the connection or its first byte on."""
UNREAD_SECONDS = 60.0
"""How long a reply may wait for a client that does not read."""

GATHERED = 1 << 16
"""Bytes that are sent at once, without waiting for more."""

_IDLE: Any = h11.IDLE
_SEND_BODY: Any = h11.SEND_BODY


class PatientProtocol(H11Protocol):
    """HTTP/1.1 with a limit on how long a head may take, and a reply may wait to be read.

    The limit of heads also holds for the rest of a body whose request was refused: it is not waited for.
    """

    _waiting: asyncio.TimerHandle | None = None
    _unread: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Begin to wait for a head."""
        super().connection_made(cast("asyncio.Transport", Gathering(transport, self.loop)))
        self._watch()

    def data_received(self, data: bytes) -> None:
        """Take bytes; what is no whole head yet does not prolong the wait."""
        super().data_received(data)
        self._watch()

    def on_response_complete(self) -> None:
        """Wait for the next head, within uvicorn's limit for idle connections."""
        super().on_response_complete()
        self._stop_waiting()
        if self.conn.their_state is not _IDLE:
            self._watch()

    def connection_lost(self, exc: Exception | None) -> None:
        """Wait no more."""
        super().connection_lost(exc)
        self._stop_waiting()
        self.resume_writing()

    def pause_writing(self) -> None:
        """Begin to wait for the client to read."""
        super().pause_writing()
        self._unread = self._unread or self.loop.call_later(UNREAD_SECONDS, self.transport.abort)

    def resume_writing(self) -> None:
        """Go on: the client reads."""
        super().resume_writing()
        if self._unread is not None:
            self._unread.cancel()
            self._unread = None

    def _watch(self) -> None:
        refused = (
            self.conn.their_state is _SEND_BODY and self.cycle is not None and self.cycle.response_complete
        )
        if self.transport.is_closing() or not (refused or self.conn.their_state is _IDLE):
            self._stop_waiting()
        elif self._waiting is None:
            self._waiting = self.loop.call_later(HEADER_SECONDS, self.transport.abort)

    def _stop_waiting(self) -> None:
        if self._waiting is not None:
            self._waiting.cancel()
            self._waiting = None


class Gathering:
    """A transport that sends together what is written in one turn of the loop.

    Uvicorn writes head and body of a reply apart; a client would be woken for the head, and then again.
    """

    def __init__(self, transport: asyncio.Transport, loop: asyncio.AbstractEventLoop) -> None:
        self._transport, self._loop = transport, loop
        self._kept: list[bytes] = []
        self._size = 0

    def __getattr__(self, name: str) -> Any:
        """Return what the transport itself has: all but what is written and how it ends."""
        return getattr(self._transport, name)

    def write(self, data: bytes) -> None:
        """Send soon; much is sent at once, so that a client that does not read is noticed."""
        if not data:
            return
        if not self._kept:
            self._loop.call_soon(self._flush)
        self._kept.append(data)
        self._size += len(data)
        if self._size >= GATHERED:
            self._flush()

    def close(self) -> None:
        """Send what is left, then close."""
        self._flush()
        self._transport.close()

    def _flush(self) -> None:
        kept, self._kept, self._size = self._kept, [], 0
        if kept and not self._transport.is_closing():
            self._transport.write(b"".join(kept))


INVALID_REQUEST, PARSE_ERROR = -32600, -32700
"""Codes of JSON-RPC 2.0."""


def refusal(
    status: int,
    code: str,
    message: str,
    *,
    hint: str | None = None,
    headers: Mapping[str, str] | None = None,
    rpc: int = INVALID_REQUEST,
) -> Response:
    """Return a response with a JSON-RPC error about no request in particular; it quotes nothing of it."""
    error = {"code": rpc, "message": message, "data": {"code": code, "hint": hint}}
    body = json.dumps({"jsonrpc": "2.0", "id": None, "error": error})
    return Response(body, status_code=status, headers=dict(headers or {}), media_type="application/json")


LOOPBACK = frozenset({"localhost", "127.0.0.1", "[::1]"})
_HOST = re.compile(r"(\[[0-9a-f:.]+\]|[a-z0-9_](?:[a-z0-9._-]*[a-z0-9_])?)(?::([0-9]{1,5}))?")


def host_of(header: str) -> str | None:
    """Return the name or address of a Host header, in small letters and without the port; None: malformed."""
    found = _HOST.fullmatch(header.lower())
    return found[1] if found else None


def is_loopback(address: str) -> bool:
    """Tell whether an IP address can be reached from this machine alone."""
    try:
        return ipaddress.ip_address(address.strip("[]")).is_loopback
    except ValueError:
        return False


def known_hosts(given: Iterable[str]) -> frozenset[str]:
    """Return the names of `--allow-host`; a pattern or a URL is InvalidInputError."""
    names = {name: host_of(name) for name in given}
    if bad := sorted(name for name, host in names.items() if host is None):
        hint = "Give a name or an address, such as graphs.example.org; patterns are not understood."
        raise InvalidInputError(f"{bad[0]!r} is no host name.", hint=hint)
    return frozenset(host for host in names.values() if host)


def known_origins(given: Iterable[str]) -> frozenset[str]:
    """Return the origins of `--allow-origin` as browsers write them; anything else is InvalidInputError."""
    return frozenset(_origin(one) for one in given)


def _origin(given: str) -> str:
    scheme, _, rest = given.lower().removesuffix("/").partition("://")
    if scheme not in {"http", "https"} or host_of(rest) is None:
        hint = "Give scheme, host and port, such as https://desk.example.org or http://localhost:6274."
        raise InvalidInputError(f"{given!r} is no origin.", hint=hint)
    return f"{scheme}://{rest}"


class Hosts:
    """ASGI: refuse requests whose Host is not ours (421) and pages of other sites (403).

    Allowed hosts are the names of this machine's loopback, the address that the connection came in on, and
    `hosts`. An address cannot be rebound: a page would have to be served from it. Allowed origins are
    `origins` and, where the host is the loopback, pages of the loopback.
    """

    def __init__(self, app: "ASGIApp", hosts: frozenset[str], origins: frozenset[str]) -> None:
        self._app, self._hosts, self._origins = app, hosts, origins

    async def __call__(self, scope: "Scope", receive: "Receive", send: "Send") -> None:
        """Look at one request."""
        refused = self._refused(scope) if scope["type"] == "http" else None
        await (refused or self._app)(scope, receive, send)

    def _refused(self, scope: "Scope") -> "ASGIApp | None":
        headers = Headers(scope=scope)
        given = headers.getlist("host")
        host = host_of(given[0]) if len(given) == 1 else None
        if host is None or not (host in LOOPBACK or host in self._hosts or host == _came_in_on(scope)):
            return refusal(
                421, "host_refused", "This server does not go by that name.", hint="See --allow-host."
            )
        for origin in headers.getlist("origin"):
            if not self._welcome(origin.lower(), host):
                hint = "See --allow-origin."
                return refusal(403, "origin_refused", "Pages of that site may not call.", hint=hint)
        return None

    def _welcome(self, origin: str, host: str) -> bool:
        scheme, _, rest = origin.partition("://")
        local = host in LOOPBACK and scheme in {"http", "https"} and host_of(rest) in LOOPBACK
        return local or origin in self._origins


def _came_in_on(scope: "Scope") -> str | None:
    address = (scope.get("server") or ("",))[0]
    return f"[{address}]" if ":" in address else address or None


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


PATH, HEALTH = "/mcp", "/health"
IDLE_CONNECTION_SECONDS = 30
BACKLOG = 2048
END_SECONDS = 10
"""How long calls under way may go on once the server is told to end."""


@dataclass(frozen=True)
class HttpOptions:
    """Where a server listens, who may call, and how much."""

    host: str = "127.0.0.1"
    port: int = 8765
    """0: any that is free."""
    tokens: Tokens = field(default_factory=lambda: Tokens({}))
    hosts: frozenset[str] = frozenset()
    origins: frozenset[str] = frozenset()
    max_body: int = 4 * MEGABYTE
    body_seconds: float = 30.0
    rate: float = 100.0
    """Requests a second of one client; 0: any number."""
    at_once: int = 256
    sessions: int = 512
    idle_seconds: float = 1800.0
    """A session without a request for so long ends."""
    connections: int = 1024


def http_app(options: "ServeOptions", http: HttpOptions) -> Starlette:
    """Return the server as an ASGI application, for `serve_http` or a server of one's own."""
    from corpusgraph.flows.mcp.server import build_server

    server = build_server(options)
    app = guarded_app(server, http)
    app.state.end_streams = server.end_streams
    return app


def guarded_app(server: "Server[Any]", http: HttpOptions) -> Starlette:
    """Put an MCP server behind the checks, in this order: name and origin, token, rate, size and depth."""
    from mcp.server.streamable_http_manager import StreamableHTTPASGIApp

    # No tool of ours takes an argument from a header; unless told so, the SDK lists all tools at every call.
    server.get_tool_input_schema = server.get_tool_input_schema or _no_headers
    sessions = Sessions(
        server,
        max_request_body_size=http.max_body,
        session_idle_timeout=http.idle_seconds,
        max_sessions=http.sessions,
    )
    inner: ASGIApp = Bodies(
        Leaving(StreamableHTTPASGIApp(sessions)),
        largest=http.max_body,
        seconds=http.body_seconds,
        at_once=http.at_once,
    )
    if len(http.tokens):
        from mcp.server.auth.middleware.bearer_auth import RequireAuthMiddleware

        inner = RequireAuthMiddleware(inner, required_scopes=[])
    return Starlette(
        routes=[
            Route(PATH, endpoint=inner),
            Route(f"{PATH}/", endpoint=inner),  # else it is redirected, behind a proxy to plain http
            Route(HEALTH, endpoint=_health, methods=["GET"]),
        ],
        middleware=list(_middleware(http)),
        lifespan=lambda _: sessions.run(),
    )


def _middleware(http: HttpOptions) -> Iterator[Middleware]:
    yield Middleware(Hosts, hosts=http.hosts, origins=http.origins)
    if http.origins:
        from starlette.middleware.cors import CORSMiddleware

        yield Middleware(
            CORSMiddleware,
            allow_origins=sorted(http.origins),
            allow_methods=["GET", "POST", "DELETE"],
            allow_headers=["*"],
            expose_headers=["mcp-session-id", "mcp-protocol-version"],
        )
    if len(http.tokens):
        from mcp.server.auth.middleware.auth_context import AuthContextMiddleware
        from mcp.server.auth.middleware.bearer_auth import BearerAuthBackend
        from starlette.middleware.authentication import AuthenticationMiddleware

        yield Middleware(AuthenticationMiddleware, backend=BearerAuthBackend(http.tokens))
        yield Middleware(AuthContextMiddleware)
    if http.rate:
        yield Middleware(RateLimit, allowance=Allowance(http.rate))


def _no_headers(_: str) -> None:
    """Return the schema of a tool's arguments in headers: there are none to check."""


async def _health(_: Request) -> JSONResponse:
    return JSONResponse({"status": "ok"})


class _Server(uvicorn.Server):
    """Uvicorn that ends where it is told to: it would raise the signal again, and die of it."""

    def __init__(self, config: uvicorn.Config, warming: Warming, end_streams: Callable[[], None]) -> None:
        super().__init__(config)
        self._warming, self._end_streams = warming, end_streams

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Begin to answer; what the first answers need is made meanwhile."""
        await super().startup(sockets)
        self._warming.begin()

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """End."""
        self._end_streams()
        await super().shutdown(sockets)
        self._warming.end()

    @contextlib.contextmanager
    def capture_signals(self) -> Iterator[None]:
        with super().capture_signals():
            try:
                yield
            finally:
                self._captured_signals.clear()


def serve_http(options: "ServeOptions", http: HttpOptions, said: Callable[[str], None]) -> None:
    """Serve until SIGTERM or SIGINT; `said` is told the address once it can be called.

    Raises CorpusgraphError: `token_required` off the loopback without a token, `address_unavailable`.
    """
    with listening(http) as sock:
        app = http_app(options, http)
        address = sock.getsockname()
        host = f"[{address[0]}]" if ":" in address[0] else address[0]
        config = uvicorn.Config(
            app,
            http=PatientProtocol,
            ws="none",
            log_config=None,
            access_log=False,
            proxy_headers=False,  # else whoever calls could choose the address that the rate counts for
            server_header=False,
            limit_concurrency=http.connections,
            timeout_keep_alive=IDLE_CONNECTION_SECONDS,
            timeout_graceful_shutdown=END_SECONDS,
        )
        said(f"http://{host}:{address[1]}{PATH}")
        # asyncio.run does the same, but does not tell anyio: it then looks for its loop again and again
        anyio.run(_Server(config, Warming(options), app.state.end_streams).serve, [sock])


@contextlib.contextmanager
def listening(http: HttpOptions) -> Iterator[socket.socket]:
    """Open the socket; off the loopback only with a token."""
    try:
        family, _, _, _, address = socket.getaddrinfo(http.host, http.port, type=socket.SOCK_STREAM)[0]
    except (OSError, UnicodeError) as error:
        raise InvalidInputError(f"{http.host!r} is no address of this machine: {error}.") from None
    if not is_loopback(str(address[0])) and not len(http.tokens):
        raise CorpusgraphError(
            f"{http.host} can be reached from other machines, and no token is asked for.",
            hint=f"Give --token-file FILE or {VARIABLE}, or listen on 127.0.0.1.",
            code="token_required",
        )
    try:
        sock = _bound(family, address)
    except OSError as error:
        hint = "Give another --port; 0 takes any that is free."
        message = f"Cannot listen on {http.host} port {http.port}: {error.strerror}."
        raise CorpusgraphError(message, hint=hint, code="address_unavailable") from None
    with sock:
        yield sock


def _bound(family: int, address: tuple[Any, ...]) -> socket.socket:
    """Bind a socket that knows it is TCP: asyncio sends small writes of others 40 ms late (Nagle)."""
    sock = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    try:
        if os.name == "posix":  # elsewhere it would let two servers share a port
            sock.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        if family == socket.AF_INET6:
            sock.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY, 1)
        sock.bind(address)
        sock.listen(BACKLOG)
    except OSError:
        sock.close()
        raise
    return sock


LIGHT = 0.05
"""Seconds that a light call takes at most: only of one that takes longer is it watched who waits for it."""
SIGN_SECONDS = 15.0
"""Without a byte for so long, a proxy may take a connection for dead; the SDK's own streams say as often."""
LAST_EVENT = b"last-event-id"
"""Whoever asks for what came after an event is told what comes from now on: none is kept."""
SPARED_SECONDS = 10.0
"""A session that was used so lately does not end for another."""
SIGN = b": ping\r\n\r\n"

_whole: ContextVar[bool] = ContextVar("whole", default=False)
"""Whether the request that is served is answered by one message; what it starts inherits it."""
_EVENTS = (
    (b"content-type", b"text/event-stream"),
    (b"cache-control", b"no-cache, no-transform"),
    (b"x-accel-buffering", b"no"),
)


_ID_IN_USE = refusal(400, "id_in_use", "A request of this session with the same id is not answered yet.")


class Sessions(StreamableHTTPSessionManager):
    """The SDK's sessions, whose transports choose for each request.

    Where all are open, one that nobody uses ends for a new one: of the client that has most, the one that
    was left alone longest. So whoever opens sessions and forgets them shuts nobody else out.
    """

    def _admit_session(
        self, requestor: "AuthorizationContext | None"
    ) -> StreamableHTTPServerTransport | None:
        transport = super()._admit_session(requestor)
        if transport is None and self._end_one():
            transport = super()._admit_session(requestor)
        if transport is not None:
            Choosing.of(transport)
        return transport

    def _end_one(self) -> bool:
        owners = {id_: repr(self._session_owners.get(id_)) for id_ in self._server_instances}
        held = Counter(owners.values())
        idle = {
            id_: one.idle_seconds()
            for id_, one in self._server_instances.items()
            if isinstance(one, Choosing)
        }
        left = [id_ for id_, seconds in idle.items() if seconds > SPARED_SECONDS]
        if not left or self._task_group is None:
            return False
        ended = max(left, key=lambda id_: (held[owners[id_]], idle[id_]))
        self._session_owners.pop(ended, None)
        self._task_group.start_soon(self._server_instances.pop(ended).terminate)
        return True


class Choosing(StreamableHTTPServerTransport):
    """A session's transport that answers as the request wants."""

    _at_hand: set[object]
    _since: float

    @classmethod
    def of(cls, transport: StreamableHTTPServerTransport) -> None:
        """Make a transport of the SDK's one of these."""
        transport.__class__ = cls
        vars(transport).update(_at_hand=set(), _since=time.monotonic())

    @property
    def is_json_response_enabled(self) -> bool:  # type: ignore[override]
        """Whether the request at hand is answered by JSON; elsewhere, as where messages are sorted, False."""
        return _whole.get()

    async def handle_request(self, scope: "Scope", receive: "Receive", send: "Send") -> None:
        """Serve a request of the session. One of an id that is being answered is refused: both would hang."""
        id_ = str(scope[ID]) if scope.get(ID, NO_REQUEST) is not NO_REQUEST else object()
        if id_ in self._at_hand:
            await _ID_IN_USE(scope, receive, send)
            return
        self._at_hand.add(id_)
        try:
            await self._answer(scope, receive, send)
        finally:
            self._at_hand.discard(id_)
            self._since = time.monotonic()

    def idle_seconds(self) -> float:
        """Return for how long nothing of the session was served; 0 while something is."""
        return 0.0 if self._at_hand else time.monotonic() - self._since

    async def _answer(self, scope: "Scope", receive: "Receive", send: "Send") -> None:
        if scope["method"] != "POST":
            await super().handle_request(_without(scope, LAST_EVENT), receive, send)
            return
        first = [await receive()]

        async def again() -> "Message":
            return first.pop() if first else await receive()

        if asks_for_more(first[0]):
            await super().handle_request(scope, again, send)
            return
        reply = _Reply(scope, receive, send, str(self.mcp_session_id))
        before = _whole.set(True)
        try:
            await super().handle_request(scope, again, reply.send)
        finally:
            _whole.reset(before)
            await reply.end()

    @contextlib.asynccontextmanager
    async def connect(self) -> AsyncIterator[Any]:
        """Open the streams of the session."""
        async with super().connect() as (read, write):
            yield read, _Outgoing(write)


def _without(scope: "Scope", name: bytes) -> "Scope":
    return {**scope, "headers": [pair for pair in scope["headers"] if pair[0] != name]}


def asks_for_more(message: "Message") -> bool:
    """Whether a request may ask for progress; one that merely speaks of it gets a stream for nothing."""
    body = message.get("body", b"")
    return message.get("more_body", False) or b"progressToken" in body or b"\\u00" in body


class _Outgoing:
    """What a session sends, but for messages about a request that is answered by one: the SDK does the same.

    A handler works in the context of its request, so what it sends is told apart there.
    """

    def __init__(self, stream: Any) -> None:
        self._stream = stream

    async def send(self, item: SessionMessage) -> None:
        told = item.metadata
        about = told.related_request_id if isinstance(told, ServerMessageMetadata) else None
        if about is None or not _whole.get():
            await self._stream.send(item)

    async def aclose(self) -> None:
        await self._stream.aclose()

    async def __aenter__(self) -> Self:
        await self._stream.__aenter__()
        return self

    async def __aexit__(self, *error: object) -> bool | None:
        return bool(await self._stream.__aexit__(*error))


class _Reply:
    """A reply of one message. Who waits long for it gets signs of life, and then it as an event."""

    def __init__(self, scope: "Scope", receive: "Receive", send: "Send", session: str) -> None:
        self._scope, self._receive, self._send = scope, receive, send
        self._head = (*_EVENTS, (b"mcp-session-id", session.encode()))
        self._streams = False
        self._task: asyncio.Task[None] | None = None
        self._timer = asyncio.get_running_loop().call_later(LIGHT, self._watch)

    async def send(self, message: "Message") -> None:
        """Pass a message of the reply on."""
        await self.end()
        if self._streams and message["type"] == "http.response.start":
            return
        if self._streams:
            message = {**message, "body": b"event: message\r\ndata: %b\r\n\r\n" % message.get("body", b"")}
        await self._send(message)

    async def end(self) -> None:
        """Watch no more."""
        self._timer.cancel()
        task, self._task = self._task, None
        if task is not None:
            task.cancel()
            await asyncio.gather(task, return_exceptions=True)

    def _watch(self) -> None:
        self._task = asyncio.create_task(self._accompany())

    async def _accompany(self) -> None:
        _, reads_events = check_accept_headers(Request(self._scope))
        while True:
            try:
                async with asyncio.timeout(SIGN_SECONDS if reads_events else None):
                    while (await self._receive())["type"] != "http.disconnect":
                        pass
            except TimeoutError:
                await self._give_sign()
            else:
                tell_left(self._scope)
                return

    async def _give_sign(self) -> None:
        if not self._streams:
            await self._send({"type": "http.response.start", "status": 200, "headers": [*self._head]})
            self._streams = True  # if this is cancelled meanwhile, nothing was sent
        await self._send({"type": "http.response.body", "body": SIGN, "more_body": True})
