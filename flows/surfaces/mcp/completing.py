"""Completion of arguments: names of indexes, methods and entities, as far as they are typed."""

from collections.abc import Iterable
from typing import Any

import mcp_types as types
from mcp.server.context import ServerRequestContext

from corpusgraph.flows.surfaces.mcp.addresses import KINDS
from corpusgraph.flows.surfaces.mcp.options import ServeOptions
from corpusgraph.flows.surfaces.mcp.threads import Threads
from corpusgraph.schemas.errors import CorpusgraphError

MOST = 100
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
        completion = types.Completion(values=values[:MOST], total=len(values), has_more=len(values) > MOST)
        return types.CompleteResult(completion=completion)

    def _known(self, name: str, typed: str, index: str | None, uri: str) -> Iterable[str]:
        if name == "index":
            from corpusgraph.flows.resources.store import IndexStore

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
        from corpusgraph.flows.opening import open  # noqa: A004
        from corpusgraph.flows.surfaces.mcp.reading import items

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
