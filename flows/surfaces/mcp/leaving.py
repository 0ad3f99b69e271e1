"""Clients that close the connection before they are answered: nobody is left to read what a call finds.

Under the protocol of 2026-07-28 a client cancels by closing, and the SDK cancels the call. Under those before
it, closing is not to be taken for cancelling; but there is no way to ask for the reply again, so what only
reads is given up all the same. A call that changes an index goes on and makes its change.
"""

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from starlette.types import ASGIApp, Message, Receive, Scope, Send

_KEY, _LEFT = "corpusgraph.leaving", "corpusgraph.left"


class Leaving:
    """ASGI: tells whoever asked for it that a request's connection ended before its reply did."""

    def __init__(self, app: "ASGIApp") -> None:
        self._app = app

    async def __call__(self, scope: "Scope", receive: "Receive", send: "Send") -> None:
        """Serve a request."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        told: list[Callable[[], None]] = []
        scope[_KEY] = told
        whole = False

        async def noted(message: "Message") -> None:
            nonlocal whole
            await send(message)
            whole = message["type"] == "http.response.body" and not message.get("more_body", False)

        try:
            await self._app(scope, receive, noted)
        finally:
            if not whole:
                tell_left(scope)


def tell_left(scope: "Scope") -> None:
    """Say that the connection of a request is closed, also to who asks for it later."""
    scope[_LEFT] = True
    for tell in scope.get(_KEY, ()):
        tell()


def when_left(request: Any, tell: Callable[[], None]) -> None:
    """Have `tell` called where the connection of a request is closed early; one over stdio has none."""
    scope = getattr(request, "scope", {})
    if scope.get(_LEFT):
        tell()
    elif _KEY in scope:
        scope[_KEY].append(tell)
