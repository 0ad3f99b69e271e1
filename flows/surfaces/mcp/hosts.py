"""Under which names a server may be reached: what keeps a page in a browser from calling it.

A page of another site can make a browser send requests to 127.0.0.1, and by pointing its own name there
(DNS rebinding) even read the replies. It cannot choose the Host and Origin headers.
"""

import ipaddress
import re
from collections.abc import Iterable
from typing import TYPE_CHECKING

from starlette.datastructures import Headers

from corpusgraph.flows.surfaces.mcp.refusals import refusal
from corpusgraph.schemas.errors import InvalidInputError

if TYPE_CHECKING:
    from starlette.types import ASGIApp, Receive, Scope, Send

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
