"""Replies of a session: JSON where there is only the answer, a stream of events where there is more to tell.

The SDK chooses once for all sessions. A stream costs the server five tasks a reply, and the client its
connection: who reads a stream to its last event drops it. JSON alone would say nothing of how a call gets
on. The protocol leaves the choice to the server for each request (streamable HTTP, sending messages, item
5), so here a request that asks to hear of progress gets a stream, and any other JSON.

`is_json_response_enabled`, which the SDK reads as it serves a request, is what decides; all else of a
session, whose it is, how many there are and when it ends, stays the SDK's. Were it to read that elsewhere
or make its transports otherwise, every reply would be a stream again, and a test would tell.
"""

import asyncio
import contextlib
from collections.abc import AsyncIterator
from contextvars import ContextVar
from typing import TYPE_CHECKING, Any, Self

from mcp.server.streamable_http import StreamableHTTPServerTransport, check_accept_headers
from mcp.server.streamable_http_manager import StreamableHTTPSessionManager
from mcp.shared.message import ServerMessageMetadata, SessionMessage
from starlette.requests import Request

from corpusgraph.flows.surfaces.mcp.leaving import tell_left

if TYPE_CHECKING:
    from mcp.server.auth.middleware.bearer_auth import AuthorizationContext
    from starlette.types import Message, Receive, Scope, Send

LIGHT = 0.05
"""Seconds that a light call takes at most: only of one that takes longer is it watched who waits for it."""
SIGN_SECONDS = 15.0
"""Without a byte for so long, a proxy may take a connection for dead; the SDK's own streams say as often."""
SIGN = b": ping\r\n\r\n"

_whole: ContextVar[bool] = ContextVar("whole", default=False)
"""Whether the request that is served is answered by one message; what it starts inherits it."""
_EVENTS = (
    (b"content-type", b"text/event-stream"),
    (b"cache-control", b"no-cache, no-transform"),
    (b"x-accel-buffering", b"no"),
)


class Sessions(StreamableHTTPSessionManager):
    """The SDK's sessions, whose transports choose for each request."""

    def _admit_session(
        self, requestor: "AuthorizationContext | None"
    ) -> StreamableHTTPServerTransport | None:
        transport = super()._admit_session(requestor)
        if transport is not None:
            transport.__class__ = Choosing
        return transport


class Choosing(StreamableHTTPServerTransport):
    """A session's transport that answers as the request wants."""

    @property
    def is_json_response_enabled(self) -> bool:  # type: ignore[override]
        """Whether the request at hand is answered by JSON; elsewhere, as where messages are sorted, False."""
        return _whole.get()

    async def handle_request(self, scope: "Scope", receive: "Receive", send: "Send") -> None:
        """Serve a request of the session."""
        if scope["method"] != "POST":
            await super().handle_request(scope, receive, send)
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
