"""Replies that turn out to be a single message: JSON, not a stream of events.

A session of the SDK answers every call with a stream, for there may be progress to tell. A client that
reads a stream to its last event drops the connection, and makes another for its next call. The protocol
leaves the choice to the server (streamable HTTP, sending messages, item 5), so it is made once the first
event is there: the answer itself goes as JSON, anything else begins a stream.
"""

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from starlette.types import ASGIApp, Message, Receive, Scope, Send

_ANSWER = re.compile(
    rb"event: message\r\ndata: "
    rb'(\{"jsonrpc":"2\.0","id":(?:-?[0-9]+|"[^"\\]*"),"(?:result|error)":[^\r\n]*\})'
    rb"\r\n\r\n"
)
"""One event that is a response and nothing else; what does not fit stays the event that it is."""
_OF_STREAMS = frozenset({b"content-type", b"cache-control", b"connection", b"x-accel-buffering"})


class Replies:
    """ASGI: hold back the head of a stream until its first event, and send JSON if that is the answer."""

    def __init__(self, app: "ASGIApp") -> None:
        self._app = app

    async def __call__(self, scope: "Scope", receive: "Receive", send: "Send") -> None:
        """Answer one request; streams of a session (GET) begin at once."""
        if scope["type"] != "http" or scope["method"] != "POST":
            await self._app(scope, receive, send)
            return
        reply = _Reply(send)
        await self._app(scope, receive, reply.send)
        await reply.end()


class _Reply:
    def __init__(self, send: "Send") -> None:
        self._send = send
        self._head: Message | None = None
        self._whole = False

    async def send(self, message: "Message") -> None:
        """Pass a message on, as part of the reply that it turns out to be."""
        if message["type"] == "http.response.start" and _is_stream(message):
            self._head = message
            return
        if self._head is not None and message["type"] == "http.response.body":
            head, self._head = self._head, None
            found = _ANSWER.fullmatch(message.get("body", b""))
            if found:
                self._whole = True
                head, message = _json(head, len(found[1])), {**message, "body": found[1]}
            await self._send(head)
        elif self._whole and message.get("body"):  # a sign of life after the last word
            message = {**message, "body": b""}
        await self._send(message)

    async def end(self) -> None:
        """Send the head of a stream that ended without an event, as when the server ends."""
        if self._head is not None:
            await self.send({"type": "http.response.body", "body": b"", "more_body": False})


def _is_stream(head: "Message") -> bool:
    return any(
        name.lower() == b"content-type" and value.startswith(b"text/event-stream")
        for name, value in head.get("headers", ())
    )


def _json(head: "Message", length: int) -> "Message":
    kept = [(name, value) for name, value in head["headers"] if name.lower() not in _OF_STREAMS]
    own = [(b"content-type", b"application/json"), (b"content-length", str(length).encode())]
    return {**head, "headers": [*kept, *own]}
