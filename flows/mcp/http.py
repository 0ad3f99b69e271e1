"""MCP over streamable HTTP: the SDK's own application, with our tokens, hosts and limits.

Sessions, hosts, origins, sizes and replies are the SDK's. Rates, connections and slow clients are the matter
of a reverse proxy.
"""

import contextlib
import ipaddress
import os
import re
import signal
import socket
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from hashlib import sha256
from hmac import compare_digest
from pathlib import Path
from typing import TYPE_CHECKING, Any

import anyio
import uvicorn
from mcp.server.auth.provider import AccessToken
from mcp.server.auth.settings import AuthSettings
from mcp.server.transport_security import RequestBodyLimitMiddleware, TransportSecuritySettings
from pydantic import AnyHttpUrl
from pydantic_core import from_json
from starlette.applications import Starlette
from starlette.datastructures import Headers
from starlette.middleware.cors import CORSMiddleware
from starlette.requests import Request
from starlette.responses import JSONResponse
from starlette.routing import Route

from corpusgraph.flows.mcp.server import build_server
from corpusgraph.schemas.errors import CorpusgraphError, InvalidInputError, shown

if TYPE_CHECKING:
    from mcp.server.lowlevel.server import Server
    from starlette.types import ASGIApp, Receive, Scope, Send

    from corpusgraph.flows.mcp.options import ServeOptions

VARIABLE = "CORPUSGRAPH_TOKEN"
"""Environment variable that holds the token of a single client."""
SHORTEST = 16
"""Characters of a token at least: 96 bits, written in base64."""

_TOKEN = re.compile(r"[A-Za-z0-9._~+/-]+=*")
"""RFC 6750, section 2.1: what can stand in the header."""
_MAKE = 'Make one: python -c "import secrets; print(secrets.token_urlsafe(32))"'


class Tokens:
    """The clients that may call, by name; implements the SDK's `TokenVerifier`.

    Parameters
    ----------
    tokens : mapping of str to str
        Name of a client -> its token; hashes alone are kept.

    """

    def __init__(self, tokens: Mapping[str, str]) -> None:
        self._digests = {name: _digest(_checked(token, name)) for name, token in tokens.items()}

    async def verify_token(self, token: str) -> AccessToken | None:
        """Return whose token it is, or None. All are compared, so the time tells nothing.

        Parameters
        ----------
        token : str
            As the client sent it.

        Returns
        -------
        AccessToken or None
            With the client's name.

        """
        digest = _digest(token)
        clients = [name for name, other in self._digests.items() if compare_digest(digest, other)]
        return AccessToken(token=token, client_id=clients[0], scopes=[]) if clients else None

    def __len__(self) -> int:
        """Return how many clients there are; none: no token is asked for."""
        return len(self._digests)


def _digest(token: str) -> bytes:
    return sha256(token.encode(errors="surrogateescape")).digest()


def _checked(token: str, whose: str) -> str:
    """Return a token that can be used; another is InvalidInputError, which never quotes it."""
    if not _TOKEN.fullmatch(token):
        wrong = "is empty or has characters no header can hold"
    elif len(token) < SHORTEST:
        wrong = f"has {len(token)} characters, and {SHORTEST} are the least"
    else:
        return token
    raise InvalidInputError(f"The token of {whose} {wrong}.", hint=_MAKE)


def read_tokens(token: str | None = None, path: Path | None = None) -> Tokens:
    """Return the tokens of the option, the file and, where neither is given, the environment.

    Parameters
    ----------
    token : str, optional
        Of the only client.
    path : Path, optional
        A line is a token, or a name and a token; `#` begins a comment.

    Returns
    -------
    Tokens
        Hashes by client; each has sessions of its own.

    Raises
    ------
    InvalidInputError
        For two tokens of a client, one token of two, and a file that cannot be read.

    """
    if token is None and path is None:
        token = os.environ.get(VARIABLE)
    tokens = {} if token is None else {"client": token.strip()}
    for name, secret in [] if path is None else _lines(path):
        if name in tokens:
            raise InvalidInputError(f"There are two tokens of {name}.", hint="Each client has one.")
        if secret in tokens.values():
            hint = f"Each client has one. {_MAKE}"
            raise InvalidInputError(f"The token of {name} is another's too.", hint=hint)
        tokens[name] = secret
    return Tokens(tokens)


def _lines(path: Path) -> list[tuple[str, str]]:
    try:
        lines = path.read_text(encoding="utf-8-sig").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise InvalidInputError(f"The token file {shown(path)} cannot be read: {error}.") from None
    words = [line.split() for line in lines if line.strip() and not line.lstrip().startswith("#")]
    if not words or any(len(parts) > 2 for parts in words):
        hint = f"A line holds a token, or a name and a token. {_MAKE}"
        raise InvalidInputError(f"{shown(path)} is no token file.", hint=hint)
    return [(" ".join(parts[:-1]) or f"client {n}", parts[-1]) for n, parts in enumerate(words, 1)]


LOOPBACK = ("localhost", "127.0.0.1", "[::1]")
_HOST = r"(?:\[[0-9a-f:.]+\]|[a-z0-9_](?:[a-z0-9._-]*[a-z0-9_])?)"
_NAME = re.compile(_HOST)
_ORIGIN = re.compile(rf"https?://{_HOST}(?::[0-9]{{1,5}})?")


def known_hosts(names: Iterable[str]) -> frozenset[str]:
    """Return the names of `--allow-host`, without a port; a pattern or a URL is InvalidInputError.

    Parameters
    ----------
    names : iterable of str
        As `--allow-host` takes them.

    Returns
    -------
    frozenset of str
        Names or addresses.

    Raises
    ------
    InvalidInputError
        For a pattern or a URL.

    """
    hint = "Give a name or an address, such as graphs.example.org; patterns are not understood."
    return frozenset(_matching(_NAME, re.sub(r":[0-9]{1,5}$", "", name), "host name", hint) for name in names)


def known_origins(urls: Iterable[str]) -> frozenset[str]:
    """Return the origins of `--allow-origin` as browsers write them; anything else is InvalidInputError.

    Parameters
    ----------
    urls : iterable of str
        As `--allow-origin` takes them.

    Returns
    -------
    frozenset of str
        Scheme, host and port.

    Raises
    ------
    InvalidInputError
        For anything else.

    """
    hint = "Give scheme, host and port, such as https://desk.example.org or http://localhost:6274."
    return frozenset(_matching(_ORIGIN, url.removesuffix("/"), "origin", hint) for url in urls)


def _matching(shape: re.Pattern[str], text: str, what: str, hint: str) -> str:
    if not shape.fullmatch(text.lower()):
        raise InvalidInputError(f"{text!r} is no {what}.", hint=hint)
    return text.lower()


PATH, HEALTH = "/mcp", "/health"
MEGABYTE = 1 << 20
IDLE_CONNECTION_SECONDS = 30
END_SECONDS = 10
"""How long calls under way may go on once the server is told to end."""


@dataclass(frozen=True)
class HttpOptions:
    """Where a server listens, and who may call."""

    host: str = "127.0.0.1"
    port: int = 8765
    """0: any that is free."""
    tokens: Tokens = field(default_factory=lambda: Tokens({}))
    hosts: frozenset[str] = frozenset()
    origins: frozenset[str] = frozenset()
    max_body: int = 4 * MEGABYTE


def guarded_app(server: "Server[Any]", http: HttpOptions) -> Starlette:
    """Return the SDK's application of an MCP server: host and origin, token and size are checked.

    Parameters
    ----------
    server : Server[Any]
        Of MCP.
    http : HttpOptions
        Tokens, hosts, origins and the size of a request.

    Returns
    -------
    Starlette
        For an ASGI server.

    """
    # No tool of ours takes an argument from a header; unless told so, the SDK lists all tools at every call.
    server.get_tool_input_schema = server.get_tool_input_schema or (lambda _: None)
    issuer = AuthSettings(issuer_url=AnyHttpUrl("http://localhost"), resource_server_url=None)  # never asked
    app = server.streamable_http_app(
        streamable_http_path=PATH,
        max_request_body_size=http.max_body,
        transport_security=_security(http),
        auth=issuer if len(http.tokens) else None,
        token_verifier=http.tokens if len(http.tokens) else None,
        custom_starlette_routes=[Route(HEALTH, endpoint=_health, methods=["GET"])],
    )
    app.add_middleware(UniqueIds)
    app.add_middleware(RequestBodyLimitMiddleware, max_body_size=http.max_body)
    if http.origins:
        app.add_middleware(
            CORSMiddleware,
            allow_origins=sorted(http.origins),
            allow_methods=["GET", "POST", "DELETE"],
            allow_headers=["*"],
            expose_headers=["mcp-session-id", "mcp-protocol-version"],
        )
    return app


def _security(http: HttpOptions) -> TransportSecuritySettings:
    """Allow the loopback, the address listened on and the names given, with any port; and pages of those."""
    own = f"[{http.host}]" if ":" in http.host else http.host
    ports = ("", ":*")
    local = [
        f"{scheme}://{name}{port}" for scheme in ("http", "https") for name in LOOPBACK for port in ports
    ]
    return TransportSecuritySettings(
        allowed_hosts=[f"{name}{port}" for name in (*LOOPBACK, own, *sorted(http.hosts)) for port in ports],
        allowed_origins=[*local, *sorted(http.origins)],
    )


async def _health(_: Request) -> JSONResponse:
    return JSONResponse({"status": "ok"})


class UniqueIds:
    """ASGI: refuse a request of a session whose id another one waits with: the SDK would answer one alone.

    It stands behind the limit of bodies, which hands each on whole.
    """

    def __init__(self, app: "ASGIApp") -> None:
        self._app = app
        self._open: set[tuple[str, str]] = set()

    async def __call__(self, scope: "Scope", receive: "Receive", send: "Send") -> None:
        """Serve a request."""
        session = Headers(scope=scope).get("mcp-session-id") if scope["type"] == "http" else None
        if session is None or scope["method"] != "POST":
            await self._app(scope, receive, send)
            return
        messages = [await receive()]
        key = session, _request_id(messages[0].get("body", b""))
        if key in self._open:
            message = "A request of this session with the same id is not answered yet."
            error = {"code": -32600, "message": message, "data": {"code": "id_in_use"}}
            refusal = {"jsonrpc": "2.0", "id": None, "error": error}
            await JSONResponse(refusal, status_code=400)(scope, receive, send)
            return

        async def replayed() -> Any:
            return messages.pop() if messages else await receive()

        if key[1]:
            self._open.add(key)
        try:
            await self._app(scope, replayed, send)
        finally:
            self._open.discard(key)


def _request_id(body: bytes) -> str:
    """Return the id of a request as the SDK tells them apart; '' of what has none, or cannot be read."""
    try:
        message = from_json(body)
    except ValueError:
        return ""
    return str(message.get("id", "")) if isinstance(message, dict) and "method" in message else ""


class _Server(uvicorn.Server):
    """Uvicorn, which ends the streams of changes before it ends: they would be waited for."""

    end_streams: Callable[[], None]

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """End."""
        self.end_streams()
        await super().shutdown(sockets)


def serve_http(options: "ServeOptions", http: HttpOptions, listens: Callable[[str], None]) -> None:
    """Serve until SIGTERM or SIGINT.

    Parameters
    ----------
    options : ServeOptions
        What is served.
    http : HttpOptions
        Where, and to whom.
    listens : callable
        Is told the address once it can be called.

    Raises
    ------
    CorpusgraphError
        `token_required` off the loopback without a token, `address_unavailable`.

    """
    with listening(http) as sock:
        server = build_server(options)
        address = sock.getsockname()
        host = f"[{address[0]}]" if ":" in address[0] else address[0]
        config = uvicorn.Config(
            guarded_app(server, http),
            ws="none",
            log_config=None,
            access_log=False,
            server_header=False,
            timeout_keep_alive=IDLE_CONNECTION_SECONDS,
            timeout_graceful_shutdown=END_SECONDS,
        )
        for name in (signal.SIGTERM, signal.SIGINT):  # uvicorn raises it again once it has ended
            signal.signal(name, lambda *_: None)
        carrier = _Server(config)
        carrier.end_streams = server.end_streams
        listens(f"http://{host}:{address[1]}{PATH}")
        # asyncio.run does the same, but does not tell anyio: it then looks for its loop again and again
        anyio.run(carrier.serve, [sock])


@contextlib.contextmanager
def listening(http: HttpOptions) -> Iterator[socket.socket]:
    """Open the socket; off the loopback only with a token.

    Parameters
    ----------
    http : HttpOptions
        Host, port and tokens.

    Yields
    ------
    socket
        For the `with` statement.

    Raises
    ------
    InvalidInputError
        For what is no address of this machine.
    CorpusgraphError
        `token_required`, `address_unavailable`.

    """
    try:
        family, kind, proto, _, address = socket.getaddrinfo(http.host, http.port, type=socket.SOCK_STREAM)[0]
    except (OSError, UnicodeError) as error:
        raise InvalidInputError(f"{http.host!r} is no address of this machine: {error}.") from None
    if not len(http.tokens) and not ipaddress.ip_address(str(address[0]).partition("%")[0]).is_loopback:
        raise CorpusgraphError(
            f"{http.host} can be reached from other machines, and no token is asked for.",
            hint=f"Give --token-file FILE or {VARIABLE}, or listen on 127.0.0.1.",
            code="token_required",
        )
    try:
        bound = socket.create_server((str(address[0]), int(address[1])), family=family)
    except OSError as error:
        hint = "Give another --port; 0 takes any that is free."
        message = f"Cannot listen on {http.host} port {http.port}: {error.strerror}."
        raise CorpusgraphError(message, hint=hint, code="address_unavailable") from None
    # A socket that knows it is TCP: asyncio sends small writes of others 40 ms late (Nagle).
    with socket.socket(family, kind, proto, bound.detach()) as sock:
        yield sock
