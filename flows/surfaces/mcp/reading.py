"""What stands at an address: the manifest of an index, an item, or a page of a list."""

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

from corpusgraph.flows.opening import open  # noqa: A004
from corpusgraph.flows.surfaces.mcp.addresses import MANIFEST, Address, address
from corpusgraph.flows.surfaces.mcp.options import ServeOptions
from corpusgraph.schemas.base import JsonDict
from corpusgraph.schemas.errors import CorpusgraphError, UnknownItemError, did_you_mean

if TYPE_CHECKING:
    from corpusgraph.flows.resources.opened import OpenIndex

PAGE = 100
"""Items of a page, unless the address says how many."""
MOST = 1000
"""Items of a page at most."""


def read(at: Address, options: ServeOptions) -> JsonDict:
    """Return what stands at an address, as JSON. An index or item that is not there is a named error."""
    opened = open(name_of(at.index, options), options.outputs)
    if at.kind == MANIFEST:
        manifest = opened.manifest
        return {**manifest.model_dump(mode="json"), "counts": manifest.counts}
    if at.id is None:
        return page(opened, at)
    found: JsonDict = item(opened, at.kind, at.id).model_dump(mode="json", by_alias=True)
    return found


def name_of(index: str, options: ServeOptions) -> str:
    """Return the index's name as it is written: some clients fold the case of that part of an address."""
    from corpusgraph.flows.resources.store import IndexStore

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
        if not ref.isdecimal():
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
    """Return a page of a list: what each item is called and where it stands, and where the next page is."""
    every = items(opened, at.kind)
    limit = min(at.limit or PAGE, MOST)
    end = at.after + limit
    shown = [
        {"id": one.id, "name": label(one), "uri": address(opened.name, at.kind, one.id)}
        for one in every[at.after : end]
    ]
    following = f"{address(opened.name, at.kind)}?after={end}&limit={limit}" if end < len(every) else None
    return {"index": opened.name, "kind": at.kind, "total": len(every), "items": shown, "next": following}


def label(one: Any) -> str:
    """Return what an item is called: its name or title, else how it begins."""
    if hasattr(one, "source_id"):
        return f"{one.source_id} {one.type} {one.target_id}"
    named = getattr(one, "name", None) or getattr(one, "title", None)
    text: str = named or getattr(one, "content", None) or one.id
    return text if len(text) <= 120 else f"{text[:119]}…"
