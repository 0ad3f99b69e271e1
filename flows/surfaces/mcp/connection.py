"""Connections that are opened and then left alone: uvicorn waits for them for ever, we don't."""

import asyncio
from typing import Any, cast

import h11
from uvicorn.protocols.http.h11_impl import H11Protocol

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
