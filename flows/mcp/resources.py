"""Resources: what is in an index, to be read by its address without calling a tool."""

import asyncio
import contextlib
from collections.abc import AsyncIterator, Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import islice
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

from corpusgraph.flows.api import open
from corpusgraph.flows.files.manifest import FILE
from corpusgraph.flows.mcp.confine import plain
from corpusgraph.flows.mcp.options import ServeOptions
from corpusgraph.flows.mcp.threads import Threads
from corpusgraph.flows.methods import summaries
from corpusgraph.flows.store.store import IndexStore
from corpusgraph.schemas.base import JsonDict, nfc
from corpusgraph.schemas.errors import CorpusgraphError, InvalidInputError, UnknownItemError, did_you_mean
from corpusgraph.schemas.memory import JOURNAL

if TYPE_CHECKING:
    from corpusgraph.flows.store.opened import OpenIndex

SCHEME = "corpusgraph"
KINDS = ("entities", "relationships", "chunks", "communities", "reports", "documents")
MANIFEST = "manifest"
RESULTS = "-"
"""Stands where an index's name does, for what is of none: no index begins so."""
INDEXES, TABLES = "indexes", "results"
"""What stands after it: which indexes there are; before a name, a table that was too long for an answer."""
LONG_TABLES = ".results"
"""Folder of those tables, below outputs; no index is called so."""
JSON = "application/json"
NOT_FOUND = -32002
"""Code of a resource that is not there, for clients before 2026; it is an invalid parameter since."""


@dataclass(frozen=True)
class Address:
    """What a URI is about."""

    index: str
    kind: str
    id: str | None = None
    after: int = 0
    limit: int | None = None


def address(index: str, kind: str, ref: str | None = None) -> str:
    """Return the URI of the manifest, of a list, or of an item by id or name.

    Parameters
    ----------
    index : str
        Its name.
    kind : str
        Such as entities; `MANIFEST` for the manifest.
    ref : str, optional
        Id or name; None for the list.

    Returns
    -------
    str
        With everything quoted that a URI cannot hold.

    """
    parts = [index, kind] if ref is None else [index, kind, ref]
    return f"{SCHEME}://" + "/".join(quote(part, safe="-._~") for part in parts)


def parsed(uri: str) -> Address:
    """Read a URI; one that is none of ours is InvalidInputError.

    Parameters
    ----------
    uri : str
        As `address` writes it, perhaps with after and limit.

    Returns
    -------
    Address
        Its parts.

    Raises
    ------
    InvalidInputError
        For one that is none of ours.

    """
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


def protocol_error(error: CorpusgraphError, code: int = INVALID_PARAMS) -> MCPError:
    """Return a named error as one of the protocol, with code and hint as its data.

    Parameters
    ----------
    error : CorpusgraphError
        Of ours.
    code : int, default INVALID_PARAMS
        Of JSON-RPC.

    Returns
    -------
    MCPError
        To be raised.

    """
    return MCPError(code, str(error), {"code": error.code, "message": error.message, "hint": error.hint})


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
MOST_SESSIONS = 1000
"""Sessions of older clients that are told; nobody says that one has ended, so the oldest are forgotten."""
TELL_SECONDS = 5.0
"""Whoever does not take a notification for so long hears no more: others wait for theirs."""

Stat = tuple[int, ...]
Seen = dict[str, tuple[Stat, Stat]]
"""Index -> which file its manifest is, and its journal."""


class Changes:
    """Who wants to hear of what, and the look at the files."""

    def __init__(self, options: ServeOptions) -> None:
        self._outputs = options.outputs
        self._bus = InMemorySubscriptionBus()
        self._streams = ListenHandler(self._bus, max_subscriptions=MOST_STREAMS)
        self._listening: dict[object, set[str]] = {}
        self._sessions: dict[int, tuple[ServerSession, set[str]]] = {}
        self._wanted = asyncio.Event()

    async def listen(
        self, ctx: ServerRequestContext[Any], params: types.SubscriptionsListenRequestParams
    ) -> types.SubscriptionsListenResult:
        """Tell a client of 2026-07-28 of changes until it leaves.

        Parameters
        ----------
        ctx : ServerRequestContext[Any]
            Of the SDK.
        params : SubscriptionsListenRequestParams
            Addresses that the client wants to hear of.

        Returns
        -------
        SubscriptionsListenResult
            Once it has left.

        """
        key, asked = object(), set(params.notifications.resource_subscriptions or ())
        _check(asked)
        self._listening[key] = asked
        self._wanted.set()
        try:
            return await self._streams(ctx, params)
        finally:
            del self._listening[key]

    async def subscribe(
        self, ctx: ServerRequestContext[Any], params: types.SubscribeRequestParams
    ) -> types.EmptyResult:
        """Tell an older client when what stands at an address may be another.

        Parameters
        ----------
        ctx : ServerRequestContext[Any]
            Of the SDK.
        params : SubscribeRequestParams
            An address.

        Returns
        -------
        EmptyResult
            Nothing.

        """
        asked = self._of(ctx)
        _check({*asked, params.uri})
        asked.add(params.uri)
        return types.EmptyResult()

    async def unsubscribe(
        self, ctx: ServerRequestContext[Any], params: types.UnsubscribeRequestParams
    ) -> types.EmptyResult:
        """Tell it no more.

        Parameters
        ----------
        ctx : ServerRequestContext[Any]
            Of the SDK.
        params : UnsubscribeRequestParams
            An address.

        Returns
        -------
        EmptyResult
            Nothing.

        """
        self._of(ctx).discard(params.uri)
        return types.EmptyResult()

    def has_listed(self, ctx: ServerRequestContext[Any]) -> None:
        """Tell an older client when the list that it asked for is another."""
        if ctx.protocol_version not in MODERN_PROTOCOL_VERSIONS:
            self._of(ctx)

    def _of(self, ctx: ServerRequestContext[Any]) -> set[str]:
        key = id(ctx.session.client_params)  # made once for a session, which is kept with it
        if key not in self._sessions:
            self._sessions[key] = ctx.session, set()
            if len(self._sessions) > MOST_SESSIONS:
                del self._sessions[next(iter(self._sessions))]
            self._wanted.set()
        return self._sessions[key][1]

    @contextlib.asynccontextmanager
    async def watched(self) -> AsyncIterator[None]:
        """Look at the files meanwhile.

        Yields
        ------
        None
            While the body runs.

        """
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
            while self._sessions or self._listening:
                await asyncio.sleep(LOOK_SECONDS)
                now = await run_sync(self._seen)
                await self._tell(before, now)
                before = now
            self._wanted.clear()

    def _seen(self) -> Seen:
        places = [self._outputs / name for name in IndexStore(self._outputs).list()]
        return {place.name: (_stat(place / FILE), _stat(place / JOURNAL)) for place in places}

    async def _tell(self, before: Seen, now: Seen) -> None:
        changed = {name for name in {*before, *now} if before.get(name) != now.get(name)}
        published = {name for name in changed if before.get(name, ((),))[0] != now.get(name, ((),))[0]}

        def about(asked: set[str]) -> list[str]:
            return [uri for uri in sorted(asked) if _is_about(uri, changed, published)]

        for uri in about(set().union(*self._listening.values())):
            await self._bus.publish(ResourceUpdated(uri))
        if published:
            await self._bus.publish(ResourcesListChanged())
        for key, (session, asked) in list(self._sessions.items()):
            with anyio.move_on_after(TELL_SECONDS) as limit:
                for uri in about(asked):
                    await session.send_resource_updated(uri)
                if published:
                    await session.send_resource_list_changed()
            if limit.cancelled_caught:
                self._sessions.pop(key, None)


def _check(asked: set[str]) -> None:
    """Refuse addresses that are none of this server's, and too many."""
    try:
        for uri in asked:
            parsed(uri)
    except InvalidInputError as error:
        raise protocol_error(error) from None
    if len(asked) > MOST_ADDRESSES or max(map(len, asked), default=0) > LONGEST:
        raise MCPError(INVALID_PARAMS, f"At most {MOST_ADDRESSES:,} addresses of {LONGEST:,} characters.")


def _is_about(uri: str, changed: set[str], published: set[str]) -> bool:
    """Whether what stands at an address may be another; all of an index may be where it was changed."""
    if uri == address(RESULTS, INDEXES):
        return bool(published)
    index = parsed(uri).index.casefold()
    return any(index == name.casefold() for name in changed)


def _stat(file: Path) -> Stat:
    try:
        stat = file.stat()
    except OSError:
        return ()
    return stat.st_ino, stat.st_size, stat.st_mtime_ns


PAGE, MOST = 100, 1000
"""Items of a page, unless the address says how many, and at most."""
DIGITS = 18
"""Of a short id: Python refuses to read thousands."""
T = TypeVar("T")


def _page(
    head: JsonDict, uri: str, every: Sequence[T], at: Address, shape: Callable[[T], JsonDict]
) -> JsonDict:
    """Return a page of a list, and where the next page is."""
    limit = min(at.limit or PAGE, MOST)
    end = at.after + limit
    following = f"{uri}?after={end}&limit={limit}" if end < len(every) else None
    shown = [shape(item) for item in every[at.after : end]]
    return {**head, "total": len(every), "items": shown, "next": following}


def read(at: Address, options: ServeOptions) -> JsonDict:
    """Return what stands at an address, as JSON.

    Of a list each item is told what it is called and where it stands. Addresses name the folder that the
    index stands in: it may have been renamed or copied, and some clients fold the case of it.

    Parameters
    ----------
    at : Address
        As `parsed` returns it.
    options : ServeOptions
        Where indexes are.

    Returns
    -------
    JsonDict
        A manifest, an item, or a page of a list.

    Raises
    ------
    IndexNotFoundError
        Where there is no such index.
    UnknownItemError
        Where there is no such item; of entities UnknownEntityError or AmbiguousEntityError.

    """
    store = IndexStore(options.outputs)
    known = store.list()
    if at.index == RESULTS:
        return _page({"kind": INDEXES}, address(RESULTS, INDEXES), known, at, partial(_summary, store))
    alike = [name for name in known if name.casefold() == at.index.casefold()]
    name = alike[0] if at.index not in known and len(alike) == 1 else at.index
    opened = open(name, options.outputs)
    if at.kind == MANIFEST:
        manifest = opened.manifest
        return {**manifest.model_dump(mode="json"), "counts": manifest.counts}
    if at.id is not None:
        found: JsonDict = _item(opened, at.kind, at.id).model_dump(mode="json", by_alias=True)
        return found

    def entry(item: Any) -> JsonDict:
        return {"id": item.id, "name": label(item), "uri": address(name, at.kind, item.id)}

    return _page({"index": name, "kind": at.kind}, address(name, at.kind), items(opened, at.kind), at, entry)


def _summary(store: IndexStore, name: str) -> JsonDict:
    """Return what an index holds, and where each kind of it stands.

    Counts are those of the generation, without what was added by hand; nothing is opened for them. An index
    whose manifest cannot be read hides no other: it has an `error`.
    """
    try:
        manifest = store.published(name)
    except CorpusgraphError as error:
        return {"index": name, "error": {"code": error.code, "message": error.message}}
    kinds = [
        {"kind": kind, "total": manifest.counts.get(kind, 0), "uri": address(name, kind)} for kind in KINDS
    ]
    facts = {"generation": manifest.generation, "created": manifest.created}
    return {"index": name, **facts, "uri": address(name, MANIFEST), "kinds": kinds}


def _item(opened: "OpenIndex", kind: str, ref: str) -> Any:
    """Return an item by id, short id, name or title."""
    if one := {"entities": "entity", "relationships": "relationship", "chunks": "chunk"}.get(kind):
        find = getattr(opened.graph, one)
        try:
            return find(ref)
        except CorpusgraphError:
            if not (ref.isascii() and ref.isdigit() and len(ref) <= DIGITS):
                raise
            return find(int(ref))  # a name of digits ('1866') counts before a short id
    every = items(opened, kind)
    for name in ("id", "community_id", "short_id", "title"):
        for item in every:
            if str(getattr(item, name, "")) == ref:
                return item
    hint = did_you_mean(ref, [item.id for item in every[:MOST]]) or f"corpusgraph://INDEX/{kind} lists them."
    raise UnknownItemError(f"There is nothing called {ref!r} among the {kind}.", hint=hint)


def items(opened: "OpenIndex", kind: str) -> Sequence[Any]:
    """Return all items of a kind, in id order.

    Parameters
    ----------
    opened : OpenIndex
        An index.
    kind : str
        Such as entities.

    Returns
    -------
    sequence of Any
        Models.

    """
    return opened.documents if kind == "documents" else getattr(opened.graph, kind)


def label(item: Any) -> str:
    """Return what an item is called: its name or title, else how it begins.

    Parameters
    ----------
    item : Any
        Of any kind.

    Returns
    -------
    str
        120 characters at most.

    """
    if hasattr(item, "source_id"):
        return f"{item.source_id} {item.type} {item.target_id}"
    named = getattr(item, "name", None) or getattr(item, "title", None)
    text: str = named or getattr(item, "content", None) or item.id
    return text if len(text) <= 120 else f"{text[:119]}…"


_INDEXES = "All indexes: what each holds, how much of each kind, and where it stands."
_ABOUT = {
    "entities": "An entity by id, short id or name: description, type, counts, what was noted by hand.",
    "relationships": "A relationship by id or short id: type, weight, confidence, its evidence.",
    "chunks": "A passage by id or short id: its text and where it stands in its document.",
    "communities": "A community by id, short id or title: its members and its place in the hierarchy.",
    "reports": "The report on a community, by id or the community's id: summary and findings with sources.",
    "documents": "A document by id or title: its text and metadata.",
}
_LIST = "All {} in id order: id, name and address; `next` is the address of the next page."
TEMPLATES = (
    (INDEXES, f"{RESULTS}/{INDEXES}{{?after,limit}}", _INDEXES),
    (MANIFEST, f"{{index}}/{MANIFEST}", "What an index holds and how it was made."),
    *((f"{kind}/id", f"{{index}}/{kind}/{{id}}", _ABOUT[kind]) for kind in KINDS),
    *((kind, f"{{index}}/{kind}{{?after,limit}}", _LIST.format(kind)) for kind in KINDS),
)
"""The shapes of addresses: name, path, and what stands there."""
MOST_COMPLETIONS = 100
"""Values of a completion, as the protocol has it."""
UNITS = ("entity", "document", "chunk", "event", "community", "pair")


class Resources:
    """Answers the requests about resources, and completion/complete."""

    def __init__(self, options: ServeOptions, threads: Threads, changes: Changes) -> None:
        self._options = options
        self._changes = changes
        self._threads = threads

    async def list(
        self, ctx: ServerRequestContext[Any], params: types.PaginatedRequestParams | None
    ) -> types.ListResourcesResult:
        """List manifests, lists and reports of all indexes, a page at a time.

        Parameters
        ----------
        ctx : ServerRequestContext[Any]
            Of the SDK.
        params : PaginatedRequestParams or None
            With the place of the page.

        Returns
        -------
        ListResourcesResult
            A page, and where the next begins.

        """
        offset = _offset(params.cursor if params else None)
        self._changes.has_listed(ctx)
        return await self._run(ctx, lambda: self._list(offset))

    async def templates(
        self, _ctx: object, _params: types.PaginatedRequestParams | None
    ) -> types.ListResourceTemplatesResult:
        """List what addresses look like.

        Returns
        -------
        ListResourceTemplatesResult
            One for each kind of address.

        """
        made = [
            types.ResourceTemplate(
                name=name, uri_template=f"{SCHEME}://{path}", description=about, mime_type=JSON
            )
            for name, path, about in TEMPLATES
        ]
        return types.ListResourceTemplatesResult(resource_templates=made)

    async def read(
        self, ctx: ServerRequestContext[Any], params: types.ReadResourceRequestParams
    ) -> types.ReadResourceResult:
        """Return what stands at an address, as JSON.

        Parameters
        ----------
        ctx : ServerRequestContext[Any]
            Of the SDK.
        params : ReadResourceRequestParams
            The address.

        Returns
        -------
        ReadResourceResult
            One JSON text.

        """
        return await self._run(ctx, lambda: self._read(params.uri))

    async def _run(self, ctx: ServerRequestContext[Any], work: Callable[[], T]) -> T:
        try:
            return await self._threads.run_in_turn("Reading", work)
        except CorpusgraphError as error:
            is_modern = ctx.protocol_version in MODERN_PROTOCOL_VERSIONS
            raise protocol_error(error, INVALID_PARAMS if is_modern else NOT_FOUND) from None

    def _read(self, uri: str) -> types.ReadResourceResult:
        at = parsed(uri)
        if at.kind == TABLES:
            file = self._options.outputs / LONG_TABLES / plain(at.id, "a table")
            if not file.is_file():
                raise UnknownItemError(f"There is no table {at.id!r} any more.", hint="Call the tool again.")
            text, mime = file.read_bytes().decode(), "text/csv"
        else:
            text, mime = to_json(read(at, self._options), inf_nan_mode="null").decode(), JSON
        contents = types.TextResourceContents(uri=uri, mime_type=mime, text=text)
        return types.ReadResourceResult(contents=[contents])

    def _list(self, offset: int) -> types.ListResourcesResult:
        """Return a page that begins at a place among all."""
        listed = list(islice(self._all(), offset, offset + PAGE + 1))
        cursor = str(offset + PAGE) if len(listed) > PAGE else None
        return types.ListResourcesResult(resources=listed[:PAGE], next_cursor=cursor)

    def _all(self) -> Iterator[types.Resource]:
        yield _resource(RESULTS, INDEXES, None, "Indexes", _INDEXES)
        store = IndexStore(self._options.outputs)
        for name in store.list():
            yield from self._of(name, store)

    def _of(self, name: str, store: IndexStore) -> Iterator[types.Resource]:
        """Yield the resources of an index that are listed; of one that cannot be opened, its manifest.

        Its reports come last, as it is opened for them: who reads the first page does not wait for all.
        """
        about = f"{name}: manifest", "What the index holds and how it was made."
        try:
            manifest = store.published(name)
        except CorpusgraphError:
            yield _resource(name, MANIFEST, None, *about)
            return
        made = types.Annotations(last_modified=manifest.created)
        yield _resource(name, MANIFEST, None, *about, made)
        for kind in KINDS:
            indexed = f"All {kind}, a page at a time; {manifest.counts.get(kind, 0):,} were indexed."
            yield _resource(name, kind, None, f"{name}: {kind}", indexed, made)
        with contextlib.suppress(CorpusgraphError):
            for report in open(name, self._options.outputs).graph.reports:
                yield _resource(name, "reports", report.id, label(report), report.summary[:300], made)

    async def complete(
        self, _ctx: ServerRequestContext[Any], params: types.CompleteRequestParams
    ) -> types.CompleteResult:
        """Return what the argument may become; nothing where nothing is known.

        Parameters
        ----------
        params : CompleteRequestParams
            The argument and what was typed.

        Returns
        -------
        CompleteResult
            At most `MOST_COMPLETIONS` values.

        """
        given = (params.context.arguments if params.context else None) or {}
        uri = params.ref.uri if isinstance(params.ref, types.ResourceTemplateReference) else ""
        name, typed = params.argument.name, params.argument.value
        known: Sequence[str] = ()
        with contextlib.suppress(CorpusgraphError):  # no index yet, or not that one
            known = await self._threads.run_in_turn(
                "Completing", lambda: self._known(name, typed, given.get("index"), uri)
            )
        values = matching(typed, known)
        completion = types.Completion(
            values=values[:MOST_COMPLETIONS], total=len(values), has_more=len(values) > MOST_COMPLETIONS
        )
        return types.CompleteResult(completion=completion)

    def _known(self, name: str, typed: str, index: str | None, uri: str) -> Sequence[str]:
        if name == "index":
            return IndexStore(self._options.outputs).list()
        if name == "unit":
            return UNITS
        if name in {"method", "methods"}:
            before, comma, _ = typed.rpartition(",") if name == "methods" else ("", "", "")
            return [f"{before}{comma}{method['method']}" for method in summaries()]
        if name not in {"entity", "id"}:
            return ()
        opened = open(index or self._options.index, self._options.outputs)
        kind = next((kind for kind in KINDS if f"/{kind}/" in uri), "entities")
        if kind != "entities":
            return [item.id for item in items(opened, kind)]
        by_use = sorted(opened.graph.entities, key=lambda entity: (-(entity.n_mentions or 0), entity.name))
        return list(dict.fromkeys(entity.name for entity in by_use))


def _resource(
    index: str, kind: str, ref: str | None, name: str, about: str, made: types.Annotations | None = None
) -> types.Resource:
    uri = address(index, kind, ref)
    return types.Resource(name=name, title=name, uri=uri, description=about, mime_type=JSON, annotations=made)


def _offset(cursor: str | None) -> int:
    if cursor is None:
        return 0
    if not (cursor.isascii() and cursor.isdigit() and len(cursor) <= DIGITS):
        error = CorpusgraphError("The cursor is none of this server's.", code="invalid_cursor")
        raise protocol_error(error)
    return int(cursor)


def matching(typed: str, known: Iterable[str]) -> list[str]:
    """Return the known values that begin as typed, then those that hold it, in their order.

    Parameters
    ----------
    typed : str
        Case does not count.
    known : iterable of str
        Values in the order to be shown.

    Returns
    -------
    list of str
        Empty where none fits.

    """
    wanted = typed.casefold()
    hold = [value for value in known if wanted in value.casefold()]
    return sorted(hold, key=lambda value: not value.casefold().startswith(wanted))
