"""MCP over streamable HTTP: the SDK's sessions behind checks of name, token, rate and size.

Sessions, not the stateless mode: a client of 2025 cancels a call by a message of its own, which only a
session can match with the call. Replies are event streams where there is progress to tell, and JSON where
there is nothing to stream.
"""

import contextlib
import os
import socket
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import anyio
import uvicorn
from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import JSONResponse
from starlette.routing import Route

from corpusgraph.flows.surfaces.mcp.auth import VARIABLE, Tokens
from corpusgraph.flows.surfaces.mcp.connection import PatientProtocol
from corpusgraph.flows.surfaces.mcp.hosts import Hosts, is_loopback
from corpusgraph.flows.surfaces.mcp.leaving import Leaving
from corpusgraph.flows.surfaces.mcp.limits import MEGABYTE, Allowance, Bodies, RateLimit
from corpusgraph.flows.surfaces.mcp.warming import Warming
from corpusgraph.schemas.errors import CorpusgraphError, InvalidInputError

if TYPE_CHECKING:
    from mcp.server.lowlevel.server import Server
    from starlette.types import ASGIApp

    from corpusgraph.flows.surfaces.mcp.options import ServeOptions

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
    from corpusgraph.flows.surfaces.mcp.server import build_server

    server = build_server(options)
    app = guarded_app(server, http)
    app.state.end_streams = server.end_streams
    return app


def guarded_app(server: "Server[Any]", http: HttpOptions) -> Starlette:
    """Put an MCP server behind the checks, in this order: name and origin, token, rate, size and depth."""
    from mcp.server.streamable_http_manager import StreamableHTTPASGIApp

    from corpusgraph.flows.surfaces.mcp.replies import Sessions

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
