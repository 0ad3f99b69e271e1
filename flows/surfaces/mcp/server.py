"""The server: every tool, resource and prompt of one outputs folder, for agents. Transports carry it."""

from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from functools import cache
from typing import Any

from mcp.server.caching import CacheHint
from mcp.server.lowlevel import NotificationOptions, Server
from mcp.server.models import InitializationOptions
from mcp_types import CallToolRequestParams, PaginatedRequestParams

from corpusgraph import __version__
from corpusgraph.flows.chosen import settings
from corpusgraph.flows.language import language_model
from corpusgraph.flows.surfaces.mcp import prompts
from corpusgraph.flows.surfaces.mcp.calling import Calls
from corpusgraph.flows.surfaces.mcp.changes import Changes
from corpusgraph.flows.surfaces.mcp.completing import Completions
from corpusgraph.flows.surfaces.mcp.extras import extras
from corpusgraph.flows.surfaces.mcp.groups import chosen, groups_of
from corpusgraph.flows.surfaces.mcp.instructions import instructions
from corpusgraph.flows.surfaces.mcp.listing import listed
from corpusgraph.flows.surfaces.mcp.options import ServeOptions
from corpusgraph.flows.surfaces.mcp.resources import Resources
from corpusgraph.flows.surfaces.mcp.running import Offered, refused, registered
from corpusgraph.flows.surfaces.mcp.threads import Threads
from corpusgraph.schemas.base import JsonDict
from corpusgraph.schemas.errors import CorpusgraphError, UnknownToolError
from corpusgraph.tasks._tool import load

FRESH = CacheHint(ttl_ms=60_000)
"""What never changes while a server runs need not be asked for again at once."""
END_SECONDS = 5.0
"""How long a change that is being written may take once a transport ends."""


class TellingServer(Server[dict[str, Any]]):
    """A server that tells of other resources; nobody could say so where the SDK starts one for a session."""

    end_streams: Callable[[], None]
    """Ends the streams that tell, before the server does: they would be waited for."""

    def create_initialization_options(self, *given: Any, **named: Any) -> InitializationOptions:
        """Return what a session of 2025 and before is told."""
        given = given or (NotificationOptions(resources_changed=True),)
        return super().create_initialization_options(*given, **named)


def build_server(options: ServeOptions) -> TellingServer:
    """Return the server of an outputs folder; both transports carry the same one.

    Raises InvalidInputError (`unknown_group`) for a group of tools there is not, and what a profile that
    cannot be read raises.
    """
    return built(options, Threads(options))


def built(options: ServeOptions, threads: Threads, *, in_process: bool = True) -> TellingServer:
    """Return the server whose calls run in the threads; `in_process`: it may be called without a wire."""
    offered, hidden = selected(options)
    calls = Calls(offered, hidden, options, threads, in_process=in_process)
    changes = Changes(options)
    resources = Resources(options, threads, changes)
    asks = asks_model(options)

    @cache
    def tools() -> JsonDict:  # the schemas take half a second: not before they are asked for
        found = listed(offered.values(), options, asks_model=asks)
        told = [one.model_dump(mode="json", by_alias=True, exclude_none=True) for one in found]
        return {"tools": told, "resultType": "complete"}  # plain: of a model the SDK makes it at every call

    async def list_tools(_ctx: object, _params: object) -> JsonDict:
        if not tools.cache_info().currsize:  # not in the loop, which serves every client
            await threads.run(tools)
        return tools()

    @asynccontextmanager
    async def lifespan(_: Server[dict[str, Any]]) -> AsyncIterator[dict[str, Any]]:
        try:
            async with changes.watched():
                yield {}
        finally:
            await threads.written(END_SECONDS)

    server = TellingServer(
        "corpusgraph",
        version=__version__,
        title="corpusgraph",
        instructions=instructions(options, offered),
        lifespan=lifespan,
        cache_hints=dict.fromkeys(("tools/list", "prompts/list", "resources/templates/list"), FRESH),
        on_list_resources=resources.list,
        on_list_resource_templates=resources.templates,
        on_read_resource=resources.read,
        on_subscribe_resource=changes.subscribe,
        on_unsubscribe_resource=changes.unsubscribe,
        on_subscriptions_listen=changes.listen,
        on_list_prompts=prompts.list_prompts,
        on_get_prompt=prompts.get_prompt,
        on_completion=Completions(options, threads).complete,
    )
    server.end_streams = changes.end
    server.add_request_handler("tools/list", PaginatedRequestParams, list_tools)
    server.add_request_handler("tools/call", CallToolRequestParams, calls.call)
    return server


def asks_model(options: ServeOptions) -> bool:
    """Whether calls may ask a language model: the options name a profile, or the environment does.

    One that cannot be read, or has no key, is told now and not by every call.
    """
    given = {"profile": options.profile} if options.profile else {}
    with language_model(settings(outputs=options.outputs, **given)) as model:
        return model is not None


def selected(options: ServeOptions) -> tuple[dict[str, Offered], dict[str, CorpusgraphError]]:
    """Return the tools that are offered, and by name the error that a call of each other one meets."""
    every = [registered(tool, options, groups_of(tool)) for tool in load().values()] + extras(options)
    names = chosen(options.groups, {one.name: one.groups for one in every})
    hidden: dict[str, CorpusgraphError] = {}
    for one in every:
        if options.read_only and not one.reads:
            error = refused(f"{one.name} changes an index, and this server only reads.")
        elif one.name not in names:
            where = ", ".join(sorted(one.groups))
            hint = f"It is in the groups {where}: whoever runs the server chooses (--tools)."
            error = UnknownToolError(f"This server does not offer {one.name!r}.", hint=hint)
        else:
            continue
        hidden |= dict.fromkeys((one.name, *one.tool.aliases), error)
    return {one.name: one for one in every if one.name not in hidden}, hidden
