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
import time
from collections import Counter
from collections.abc import AsyncIterator
from contextvars import ContextVar
from typing import TYPE_CHECKING, Any, Self

from mcp.server.streamable_http import StreamableHTTPServerTransport, check_accept_headers
from mcp.server.streamable_http_manager import StreamableHTTPSessionManager
from mcp.shared.message import ServerMessageMetadata, SessionMessage
from starlette.requests import Request

from corpusgraph.flows.surfaces.mcp.leaving import tell_left
from corpusgraph.flows.surfaces.mcp.limits import ID, NO_REQUEST
from corpusgraph.flows.surfaces.mcp.refusals import refusal

if TYPE_CHECKING:
    from mcp.server.auth.middleware.bearer_auth import AuthorizationContext
    from starlette.types import Message, Receive, Scope, Send

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
