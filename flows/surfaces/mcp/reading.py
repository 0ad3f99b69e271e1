"""What stands at an address: the manifest of an index, an item, or a page of a list."""

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from corpusgraph.flows.opening import open  # noqa: A004
from corpusgraph.flows.surfaces.mcp.addresses import INDEXES, KINDS, MANIFEST, RESULTS, Address, address
from corpusgraph.flows.surfaces.mcp.options import ServeOptions
from corpusgraph.schemas.base import JsonDict
from corpusgraph.schemas.errors import CorpusgraphError, UnknownItemError, did_you_mean

if TYPE_CHECKING:
    from corpusgraph.flows.resources.opened import OpenIndex
    from corpusgraph.flows.resources.store import IndexStore

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
    from corpusgraph.flows.resources.store import IndexStore

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
