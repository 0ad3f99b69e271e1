"""tools/call: find the tool, let it run, tell how it gets on, and answer; an error is an answer too."""

import asyncio
from collections.abc import Mapping
from typing import Any

from mcp.server.context import ServerRequestContext
from mcp_types import CallToolRequestParams

from corpusgraph.flows.calling import failed
from corpusgraph.flows.surfaces.mcp.envelope import Answered, answered, told
from corpusgraph.flows.surfaces.mcp.leaving import when_left
from corpusgraph.flows.surfaces.mcp.options import ServeOptions
from corpusgraph.flows.surfaces.mcp.progress import Steps
from corpusgraph.flows.surfaces.mcp.running import Offered
from corpusgraph.flows.surfaces.mcp.threads import Threads
from corpusgraph.schemas.base import JsonDict
from corpusgraph.schemas.errors import CorpusgraphError, UnknownToolError, did_you_mean


class Calls:
    """Runs calls of the tools a server offers; `hidden` are the errors of those it does not."""

    def __init__(
        self,
        offered: Mapping[str, Offered],
        hidden: Mapping[str, CorpusgraphError],
        options: ServeOptions,
        threads: Threads,
    ) -> None:
        self._options = options
        self._offered = with_aliases(offered)
        self._hidden = dict(hidden)
        self._threads = threads

    async def call(self, ctx: ServerRequestContext[Any], params: CallToolRequestParams) -> JsonDict:
        """Answer a request; an error of the call is a result that says so, for the caller to mend."""
        one: Offered | None = None
        steps = Steps(ctx.session.report_progress)
        try:
            one = self.find(params.name)
            if one.reads:
                when_left(ctx.request, steps.drop)
            found = await self._limited(one, params.arguments or {}, steps)
        except CorpusgraphError as error:
            found = told(one, failed(error, params.arguments or {}))
        finally:
            steps.drop()
        return found.wire(ctx.protocol_version)

    def find(self, name: str) -> Offered:
        """Return a tool by name or alias; one that this server does not offer is told apart."""
        if name in self._offered:
            return self._offered[name]
        if name in self._hidden:
            raise self._hidden[name]
        hint = did_you_mean(name, list(self._offered)) or "tools/list names them."
        raise UnknownToolError(f"Unknown tool {name!r}.", hint=hint)

    async def _limited(self, one: Offered, given: JsonDict, steps: Steps) -> Answered:
        more = "" if one.reads else " Whether the change was made, list_changes tells."
        return await self._threads.limited(one.name, lambda: self._run(one, given, steps), more)

    async def _run(self, one: Offered, given: JsonDict, steps: Steps) -> Answered:
        await steps.begin()
        sender = asyncio.create_task(steps.send())
        try:
            found = await self._threads.run(
                lambda: answered(one, one.run(given, steps.watched), self._options),
                writes=not one.reads,
                wanted=steps,
            )
        finally:
            sender.cancel()
            await asyncio.gather(sender, return_exceptions=True)
        await steps.end()
        return found


def with_aliases(offered: Mapping[str, Offered]) -> dict[str, Offered]:
    """Return the tools by name and by alias; a name counts before an alias."""
    return {**{alias: one for one in offered.values() for alias in one.tool.aliases}, **offered}
