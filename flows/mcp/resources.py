"""Resources: what is in an index, to be read by its address without calling a tool."""

import asyncio
import base64
import binascii
import contextlib
from collections import Counter
from collections.abc import AsyncIterator, Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar
from urllib.parse import parse_qs, quote, unquote, urlsplit

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
from pydantic_core import to_json

from corpusgraph.flows.mcp.options import ServeOptions
from corpusgraph.flows.mcp.threads import Threads
from corpusgraph.flows.open_index import open
from corpusgraph.schemas.base import JsonDict, nfc
from corpusgraph.schemas.errors import CorpusgraphError, InvalidInputError, UnknownItemError, did_you_mean

if TYPE_CHECKING:
    from corpusgraph.flows.store.opened import OpenIndex
    from corpusgraph.flows.store.store import IndexStore

SCHEME = "corpusgraph"
KINDS = ("entities", "relationships", "chunks", "communities", "reports", "documents")
MANIFEST = "manifest"
RESULTS = "-"
"""Stands where an index's name does, for what is of none: no index begins so."""
INDEXES, TABLES = "indexes", "results"
"""What stands after it: which indexes there are; before a name, a table that was too long for an answer."""


@dataclass(frozen=True)
class Address:
    """What a URI is about."""

    index: str
    kind: str
    id: str | None = None
    after: int = 0
    limit: int | None = None


def address(index: str, kind: str, ref: str | None = None) -> str:
    """Return the URI of the manifest, of a list, or of an item by id or name."""
    parts = [index, kind] if ref is None else [index, kind, ref]
    return f"{SCHEME}://" + "/".join(quote(part, safe="-._~") for part in parts)


def parsed(uri: str) -> Address:
    """Read a URI; one that is none of ours is InvalidInputError."""
    try:
        split = urlsplit(uri)
        index, path = unquote(split.netloc, errors="strict"), split.path.removeprefix("/")
        kind, _, rest = path.partition("/")
        ref = nfc(unquote(rest, errors="strict")) if rest else None
        query = parse_qs(split.query)
        after, limit = (_number(query[name][-1]) if name in query else None for name in ("after", "limit"))
    except ValueError:
        raise _unknown(uri) from None
    known = kind in KINDS or (kind == MANIFEST and ref is None)
    if index == RESULTS:
        known = (kind == INDEXES and ref is None) or (kind == TABLES and ref is not None)
    if split.scheme != SCHEME or not index or not known or (after or 0) < 0 or (limit or 1) < 1:
        raise _unknown(uri)
    return Address(index, kind, ref, after or 0, limit)


def _number(text: str) -> int:
    if not (text.isascii() and text.removeprefix("-").isdigit()):
        raise ValueError(text)
    return int(text)


def _unknown(uri: str) -> InvalidInputError:
    shown = uri if len(uri) <= 200 else f"{uri[:200]}…"
    hint = (
        f"{SCHEME}://INDEX/{MANIFEST}, or INDEX/KIND/ID with a kind of {', '.join(KINDS)}; "
        f"{SCHEME}://{RESULTS}/{INDEXES} lists the indexes."
    )
    return InvalidInputError(f"{shown!r} is no address of this server.", hint=hint, code="unknown_resource")


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
        from corpusgraph.flows.files.manifest import FILE
        from corpusgraph.flows.store.store import IndexStore
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


PAGE = 100
"""Items of a page, unless the address says how many."""
MOST = 1000
"""Items of a page at most."""
DIGITS = 18
"""Of a short id: Python refuses to read thousands."""


def read(at: Address, options: ServeOptions) -> JsonDict:
    """Return what stands at an address, as JSON. An index or item that is not there is a named error."""
    name = name_of(at.index, options)
    opened = open(name, options.outputs)
    if at.kind == MANIFEST:
        manifest = opened.manifest
        return {**manifest.model_dump(mode="json"), "counts": manifest.counts}
    if at.id is None:
        return page(opened, replace(at, index=name))
    found: JsonDict = item(opened, at.kind, at.id).model_dump(mode="json", by_alias=True)
    return found


def catalogue(at: Address, options: ServeOptions) -> JsonDict:
    """Return a page of the indexes there are: what each holds, and where each kind of it stands.

    Counts are those of the generation, without what was added by hand; nothing is opened for them. An index
    whose manifest cannot be read hides no other: it has an `error`.
    """
    from corpusgraph.flows.store.store import IndexStore

    store = IndexStore(options.outputs)
    every = store.list()
    limit = min(at.limit or PAGE, MOST)
    end = at.after + limit
    shown = [_summary(name, store) for name in every[at.after : end]]
    following = f"{address(RESULTS, INDEXES)}?after={end}&limit={limit}" if end < len(every) else None
    return {"kind": INDEXES, "total": len(every), "items": shown, "next": following}


def _summary(name: str, store: "IndexStore") -> JsonDict:
    try:
        manifest = store.published(name)
    except CorpusgraphError as error:
        return {"index": name, "error": {"code": error.code, "message": error.message}}
    kinds = [
        {"kind": kind, "total": manifest.counts.get(kind, 0), "uri": address(name, kind)} for kind in KINDS
    ]
    facts = {"generation": manifest.generation, "created": manifest.created}
    return {"index": name, **facts, "uri": address(name, MANIFEST), "kinds": kinds}


def name_of(index: str, options: ServeOptions) -> str:
    """Return the index's name as it is written: some clients fold the case of that part of an address."""
    from corpusgraph.flows.store.store import IndexStore

    known = IndexStore(options.outputs).list()
    alike = [name for name in known if name.casefold() == index.casefold()]
    return alike[0] if index not in known and len(alike) == 1 else index


def item(opened: "OpenIndex", kind: str, ref: str) -> Any:
    """Return an item by id, short id or name."""
    finders = {
        "entities": opened.graph.entity,
        "relationships": opened.graph.relationship,
        "chunks": opened.graph.chunk,
    }
    find = finders.get(kind)
    if find is None:
        return _of(kind, items(opened, kind), ref)
    try:
        return find(ref)
    except CorpusgraphError:
        if not (ref.isascii() and ref.isdigit() and len(ref) <= DIGITS):
            raise
        return find(int(ref))  # a name of digits ('1866') counts before a short id


def _of(kind: str, many: Iterable[Any], ref: str) -> Any:
    """Return a community, report or document by id, short id or title."""
    every = list(many)
    for name in ("id", "community_id", "short_id", "title"):
        for one in every:
            if str(getattr(one, name, "")) == ref:
                return one
    hint = did_you_mean(ref, [one.id for one in every[:MOST]]) or f"corpusgraph://INDEX/{kind} lists them."
    raise UnknownItemError(f"There is nothing called {ref!r} among the {kind}.", hint=hint)


def items(opened: "OpenIndex", kind: str) -> Sequence[Any]:
    """Return all items of a kind, in id order."""
    return opened.documents if kind == "documents" else getattr(opened.graph, kind)


def page(opened: "OpenIndex", at: Address) -> JsonDict:
    """Return a page of a list: what each item is called and where it stands, and where the next page is.

    Addresses name the folder that the index stands in: it may have been renamed or copied.
    """
    every = items(opened, at.kind)
    limit = min(at.limit or PAGE, MOST)
    end = at.after + limit
    shown = [
        {"id": one.id, "name": label(one), "uri": address(at.index, at.kind, one.id)}
        for one in every[at.after : end]
    ]
    following = f"{address(at.index, at.kind)}?after={end}&limit={limit}" if end < len(every) else None
    return {"index": at.index, "kind": at.kind, "total": len(every), "items": shown, "next": following}


def label(one: Any) -> str:
    """Return what an item is called: its name or title, else how it begins."""
    if hasattr(one, "source_id"):
        return f"{one.source_id} {one.type} {one.target_id}"
    named = getattr(one, "name", None) or getattr(one, "title", None)
    text: str = named or getattr(one, "content", None) or one.id
    return text if len(text) <= 120 else f"{text[:119]}…"


T = TypeVar("T")
JSON = "application/json"
NOT_FOUND = -32002
"""Code of a resource that is not there, for clients before 2026; it is an invalid parameter since."""
_INDEXES = "All indexes: what each holds, how much of each kind, and where it stands."
_ONE = {
    "entities": "An entity by id, short id or name: description, type, counts, what was noted by hand.",
    "relationships": "A relationship by id or short id: type, weight, confidence, its evidence.",
    "chunks": "A passage by id or short id: its text and where it stands in its document.",
    "communities": "A community by id, short id or title: its members and its place in the hierarchy.",
    "reports": "The report on a community, by id or the community's id: summary and findings with sources.",
    "documents": "A document by id or title: its text and metadata.",
}


class Resources:
    """Answers the requests about resources."""

    def __init__(self, options: ServeOptions, threads: Threads, changes: Changes) -> None:
        self._options = options
        self._changes = changes
        self._threads = threads

    async def list(
        self, ctx: ServerRequestContext[Any], params: types.PaginatedRequestParams | None
    ) -> types.ListResourcesResult:
        """List manifests, lists and reports of all indexes, a page at a time."""
        index, offset = _place(params.cursor if params else None)
        self._changes.has_listed(ctx)
        return await self._run(ctx, lambda: self._page(index, offset))

    async def templates(
        self, _ctx: object, _params: types.PaginatedRequestParams | None
    ) -> types.ListResourceTemplatesResult:
        """List what addresses look like."""
        return types.ListResourceTemplatesResult(resource_templates=list(templates()))

    async def read(
        self, ctx: ServerRequestContext[Any], params: types.ReadResourceRequestParams
    ) -> types.ReadResourceResult:
        """Return what stands at an address, as JSON."""
        return await self._run(ctx, lambda: self._read(params.uri))

    async def _run(self, ctx: ServerRequestContext[Any], work: Callable[[], T]) -> T:
        """Do it in a thread; a named error becomes one of the protocol, with code and hint as its data."""
        try:
            return await self._threads.limited("Reading", lambda: self._threads.run(work))
        except CorpusgraphError as error:
            told = {"code": error.code, "message": error.message, "hint": error.hint}
            code = INVALID_PARAMS if ctx.protocol_version in MODERN_PROTOCOL_VERSIONS else NOT_FOUND
            raise MCPError(code, str(error), told) from None

    def _read(self, uri: str) -> types.ReadResourceResult:
        at = parsed(uri)
        if at.index == RESULTS and at.kind != INDEXES:
            from corpusgraph.flows.mcp.calling import kept

            text, mime = kept(at.id or "", self._options.outputs), "text/csv"
        else:
            found = (catalogue if at.index == RESULTS else read)(at, self._options)
            text, mime = to_json(found, inf_nan_mode="null").decode(), JSON
        contents = types.TextResourceContents(uri=uri, mime_type=mime, text=text)
        return types.ReadResourceResult(contents=[contents])

    def _page(self, index: str, offset: int) -> types.ListResourcesResult:
        """Return a page that begins at a place of an index, and goes on with the next indexes."""
        from corpusgraph.flows.store.store import IndexStore

        store = IndexStore(self._options.outputs)
        found = [] if index else [_resource(RESULTS, INDEXES, None, "Indexes", _INDEXES)]
        for name in store.list():
            if name < index:
                continue
            skip = offset if name == index else 0
            for at, one in enumerate(self._of(name, store)):
                if at < skip:
                    continue
                if len(found) >= PAGE:
                    return types.ListResourcesResult(resources=found, next_cursor=_cursor(name, at))
                found.append(one)
        return types.ListResourcesResult(resources=found)

    def _of(self, name: str, store: "IndexStore") -> Iterator[types.Resource]:
        """Yield the resources of an index that are listed; of one that cannot be opened, its manifest.

        Its reports come last, as it is opened for them: who reads the first page does not wait for all.
        """
        told = f"{name}: manifest", "What the index holds and how it was made."
        try:
            manifest = store.published(name)
        except CorpusgraphError:
            yield _resource(name, MANIFEST, None, *told)
            return
        made = types.Annotations(last_modified=manifest.created)
        yield _resource(name, MANIFEST, None, *told, made)
        for kind in KINDS:
            about = f"All {kind}, a page at a time; {manifest.counts.get(kind, 0):,} were indexed."
            yield _resource(name, kind, None, f"{name}: {kind}", about, made)
        try:
            reports = open(name, self._options.outputs).graph.reports
        except CorpusgraphError:
            return
        for report in reports:
            yield _resource(name, "reports", report.id, label(report), report.summary[:300], made)


def templates() -> Iterator[types.ResourceTemplate]:
    """Yield the shapes of addresses."""
    yield _template(INDEXES, f"{RESULTS}/{INDEXES}{{?after,limit}}", _INDEXES)
    yield _template(MANIFEST, f"{{index}}/{MANIFEST}", "What an index holds and how it was made.")
    for kind in KINDS:
        yield _template(f"{kind}/id", f"{{index}}/{kind}/{{id}}", _ONE[kind])
    for kind in KINDS:
        about = f"All {kind} in id order: id, name and address; `next` is the address of the next page."
        yield _template(kind, f"{{index}}/{kind}{{?after,limit}}", about)


def _template(name: str, path: str, about: str) -> types.ResourceTemplate:
    return types.ResourceTemplate(
        name=name, uri_template=f"{SCHEME}://{path}", description=about, mime_type=JSON
    )


def _resource(
    index: str, kind: str, ref: str | None, name: str, about: str, made: types.Annotations | None = None
) -> types.Resource:
    uri = address(index, kind, ref)
    return types.Resource(name=name, title=name, uri=uri, description=about, mime_type=JSON, annotations=made)


def _cursor(index: str, offset: int) -> str:
    return base64.urlsafe_b64encode(f"{offset}/{index}".encode()).decode()


def _place(cursor: str | None) -> tuple[str, int]:
    if cursor is None:
        return "", 0
    try:
        offset, index = base64.urlsafe_b64decode(cursor.encode()).decode().split("/")
        return index, int(offset)
    except (binascii.Error, ValueError):
        told = {"code": "invalid_cursor", "message": "The cursor is none of this server's.", "hint": None}
        raise MCPError(INVALID_PARAMS, "The cursor is none of this server's.", told) from None


MOST_COMPLETIONS = 100
"""Values of a completion, as the protocol has it."""
UNITS = ("entity", "document", "chunk", "event", "community", "pair")


class Completions:
    """Answers completion/complete."""

    def __init__(self, options: ServeOptions, threads: Threads) -> None:
        self._options = options
        self._threads = threads

    async def complete(
        self, _ctx: ServerRequestContext[Any], params: types.CompleteRequestParams
    ) -> types.CompleteResult:
        """Return what the argument may become; nothing where nothing is known."""
        given = (params.context.arguments if params.context else None) or {}
        uri = params.ref.uri if isinstance(params.ref, types.ResourceTemplateReference) else ""
        name, typed = params.argument.name, params.argument.value
        try:
            known = await self._threads.limited(
                "Completing",
                lambda: self._threads.run(lambda: list(self._known(name, typed, given.get("index"), uri))),
            )
        except CorpusgraphError:  # no index yet, or not that one: there is nothing to offer
            known = []
        values = matching(typed, known)
        completion = types.Completion(
            values=values[:MOST_COMPLETIONS], total=len(values), has_more=len(values) > MOST_COMPLETIONS
        )
        return types.CompleteResult(completion=completion)

    def _known(self, name: str, typed: str, index: str | None, uri: str) -> Iterable[str]:
        if name == "index":
            from corpusgraph.flows.store.store import IndexStore

            return IndexStore(self._options.outputs).list()
        if name == "method":
            return _methods()
        if name == "methods":
            before, comma, _ = typed.rpartition(",")
            return [f"{before}{comma}{one}" for one in _methods()]
        if name == "unit":
            return UNITS
        if name in {"entity", "id"}:
            return self._items(index, uri)
        return ()

    def _items(self, index: str | None, uri: str) -> list[str]:
        """Return the names of entities, or of what an address is of."""
        from corpusgraph.flows.open_index import open

        opened = open(index or self._options.index, self._options.outputs)
        kind = next((kind for kind in KINDS if f"/{kind}/" in uri), "entities")
        if kind == "entities":
            by_use = sorted(opened.graph.entities, key=lambda one: (-(one.n_mentions or 0), one.name))
            return list(dict.fromkeys(one.name for one in by_use))
        return [one.id for one in items(opened, kind)]


def matching(typed: str, known: Iterable[str]) -> list[str]:
    """Return the known values that begin as typed, then those that hold it, in their order."""
    wanted, every = typed.casefold(), list(known)
    begin = [one for one in every if one.casefold().startswith(wanted)]
    hold = [one for one in every if wanted in one.casefold() and not one.casefold().startswith(wanted)]
    return [*begin, *hold]


def _methods() -> list[str]:
    from corpusgraph.flows.methods import summaries

    return [one["method"] for one in summaries()]
