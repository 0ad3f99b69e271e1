"""Resources: what is in an index, to be read by its address without calling a tool."""

import base64
import binascii
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any, TypeVar

import mcp_types as types
from mcp.server.context import ServerRequestContext
from mcp.shared.exceptions import MCPError
from mcp_types import INVALID_PARAMS
from mcp_types.version import MODERN_PROTOCOL_VERSIONS
from pydantic_core import to_json

from corpusgraph.flows.opening import open  # noqa: A004
from corpusgraph.flows.surfaces.mcp.addresses import (
    INDEXES,
    KINDS,
    MANIFEST,
    RESULTS,
    SCHEME,
    address,
    parsed,
)
from corpusgraph.flows.surfaces.mcp.changes import Changes
from corpusgraph.flows.surfaces.mcp.options import ServeOptions
from corpusgraph.flows.surfaces.mcp.reading import PAGE, catalogue, label, read
from corpusgraph.flows.surfaces.mcp.threads import Threads
from corpusgraph.schemas.errors import CorpusgraphError

if TYPE_CHECKING:
    from corpusgraph.flows.resources.store import IndexStore

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
            from corpusgraph.flows.surfaces.mcp.longtables import kept

            text, mime = kept(at.id or "", self._options.outputs), "text/csv"
        else:
            found = (catalogue if at.index == RESULTS else read)(at, self._options)
            text, mime = to_json(found, inf_nan_mode="null").decode(), JSON
        contents = types.TextResourceContents(uri=uri, mime_type=mime, text=text)
        return types.ReadResourceResult(contents=[contents])

    def _page(self, index: str, offset: int) -> types.ListResourcesResult:
        """Return a page that begins at a place of an index, and goes on with the next indexes."""
        from corpusgraph.flows.resources.store import IndexStore

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
