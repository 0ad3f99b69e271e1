"""Telling clients that an index was published or changed, by whichever process.

A client of 2025-11-25 or older subscribes to addresses (`resources/subscribe`), and hears that the list is
another one once it has asked for it; one of 2026-07-28 listens (`subscriptions/listen`). A manifest and a
journal are looked at now and then, and only while somebody wants to hear of it: other processes change
indexes too.
"""

import asyncio
import contextlib
from collections import Counter
from collections.abc import AsyncIterator, Iterable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

import anyio
import mcp_types as types
from anyio.to_thread import run_sync
from mcp.server.context import ServerRequestContext
from mcp.server.session import ServerSession
from mcp.server.subscriptions import InMemorySubscriptionBus, ListenHandler
from mcp.shared.exceptions import MCPError
from mcp.shared.subscriptions import ResourcesListChanged, ResourceUpdated
from mcp_types import INVALID_PARAMS
from mcp_types.version import MODERN_PROTOCOL_VERSIONS

from corpusgraph.flows.surfaces.mcp.addresses import INDEXES, RESULTS, address, parsed
from corpusgraph.flows.surfaces.mcp.options import ServeOptions
from corpusgraph.schemas.errors import InvalidInputError

LOOK_SECONDS = 1.0
"""Between two looks at the files."""
MOST_STREAMS, MOST_ADDRESSES, LONGEST = 64, 1000, 1000
"""Streams of a server, addresses of a session, and characters of one."""
TELL_SECONDS = 5.0
"""Whoever does not take a notification for so long hears no more: others wait for theirs."""

Seen = dict[str, tuple[tuple[int, ...], tuple[int, ...]]]
"""Index -> which file its manifest is, and its journal."""


class Changes:
    """Who wants to hear of what, and the look at the files."""

    def __init__(self, options: ServeOptions) -> None:
        self._outputs = options.outputs
        self._bus = InMemorySubscriptionBus()
        self._streams = ListenHandler(self._bus, max_subscriptions=MOST_STREAMS)
        self._listened: Counter[str] = Counter()
        self._n_listening = 0
        self._sessions: dict[int, tuple[ServerSession, set[str]]] = {}
        self._wanted = asyncio.Event()

    async def listen(
        self, ctx: ServerRequestContext[Any], params: types.SubscriptionsListenRequestParams
    ) -> types.SubscriptionsListenResult:
        """Tell a client of 2026-07-28 of changes until it leaves."""
        asked = set(params.notifications.resource_subscriptions or ())
        _checked(asked)
        with self._counted(asked):
            return await self._streams(ctx, params)

    @contextlib.contextmanager
    def _counted(self, asked: set[str]) -> Iterator[None]:
        self._listened.update(asked)
        self._n_listening += 1
        self._wanted.set()
        try:
            yield
        finally:
            self._n_listening -= 1
            self._listened.subtract(asked)
            self._listened += Counter()

    async def subscribe(
        self, ctx: ServerRequestContext[Any], params: types.SubscribeRequestParams
    ) -> types.EmptyResult:
        """Tell an older client when what stands at an address may be another."""
        asked = self._of(ctx)
        _checked({*asked, params.uri})
        asked.add(params.uri)
        return types.EmptyResult()

    async def unsubscribe(
        self, ctx: ServerRequestContext[Any], params: types.UnsubscribeRequestParams
    ) -> types.EmptyResult:
        """Tell it no more."""
        self._of(ctx).discard(params.uri)
        return types.EmptyResult()

    def has_listed(self, ctx: ServerRequestContext[Any]) -> None:
        """Tell an older client when the list that it asked for is another."""
        if ctx.protocol_version not in MODERN_PROTOCOL_VERSIONS:
            self._of(ctx)

    def _of(self, ctx: ServerRequestContext[Any]) -> set[str]:
        connection = ctx.session._connection  # noqa: SLF001  its end is told nowhere else
        key = id(connection)
        if key not in self._sessions:
            self._sessions[key] = ctx.session, set()
            connection.exit_stack.callback(partial(self._sessions.pop, key, None))
            self._wanted.set()
        return self._sessions[key][1]

    @contextlib.asynccontextmanager
    async def watched(self) -> AsyncIterator[None]:
        """Look at the files meanwhile."""
        task = asyncio.create_task(self._watch())
        try:
            yield
        finally:
            self.end()
            task.cancel()
            await asyncio.gather(task, return_exceptions=True)

    def end(self) -> None:
        """End the streams: each tells its client that it ends."""
        self._streams.close()

    async def _watch(self) -> None:
        while True:
            await self._wanted.wait()
            before = await run_sync(self._seen)
            while self._sessions or self._n_listening:
                await asyncio.sleep(LOOK_SECONDS)
                now = await run_sync(self._seen)
                if now != before:
                    await self._tell(before, now)
                before = now
            self._wanted.clear()

    def _seen(self) -> Seen:
        from corpusgraph.flows.resources.manifest import FILE
        from corpusgraph.flows.resources.store import IndexStore
        from corpusgraph.schemas.memory import JOURNAL

        places = [self._outputs / name for name in IndexStore(self._outputs).list()]
        return {place.name: (_stat(place / FILE), _stat(place / JOURNAL)) for place in places}

    async def _tell(self, before: Seen, now: Seen) -> None:
        changed = {name for name in {*before, *now} if before.get(name) != now.get(name)}
        published = {name for name in changed if before.get(name, ((),))[0] != now.get(name, ((),))[0]}
        wanted = {uri for uri in self._listened if _is_about(uri, changed, published)}
        for uri in sorted(wanted):
            await self._bus.publish(ResourceUpdated(uri))
        if published:
            await self._bus.publish(ResourcesListChanged())
        for key, (session, asked) in list(self._sessions.items()):
            about = [uri for uri in sorted(asked) if _is_about(uri, changed, published)]
            with anyio.move_on_after(TELL_SECONDS) as limit:
                await _tell_one(session, about, is_list=bool(published))
            if limit.cancelled_caught:
                self._sessions.pop(key, None)


async def _tell_one(session: ServerSession, about: list[str], *, is_list: bool) -> None:
    with contextlib.suppress(anyio.ClosedResourceError, anyio.BrokenResourceError):  # it ends this instant
        for uri in about:
            await session.send_resource_updated(uri)
        if is_list:
            await session.send_resource_list_changed()


def _checked(asked: Iterable[str]) -> None:
    """Refuse addresses that are none of this server's, and too many."""
    every = list(asked)
    try:
        for uri in every:
            parsed(uri)
    except InvalidInputError as error:
        told = {"code": error.code, "message": error.message, "hint": error.hint}
        raise MCPError(INVALID_PARAMS, str(error), told) from None
    if len(every) > MOST_ADDRESSES or max(map(len, every), default=0) > LONGEST:
        raise MCPError(INVALID_PARAMS, f"At most {MOST_ADDRESSES:,} addresses of {LONGEST:,} characters.")


def _is_about(uri: str, changed: set[str], published: set[str]) -> bool:
    """Whether what stands at an address may be another; all of an index may be where it was changed."""
    if uri == address(RESULTS, INDEXES):
        return bool(published)
    try:
        index = parsed(uri).index.casefold()
    except InvalidInputError:
        return False
    return any(index == name.casefold() for name in changed)


def _stat(file: Path) -> tuple[int, ...]:
    try:
        found = file.stat()
    except OSError:
        return ()
    return found.st_ino, found.st_size, found.st_mtime_ns
