"""tools/call: find the tool, let it run, tell how it gets on, and answer; an error is an answer too."""

import asyncio
from collections.abc import Awaitable, Mapping
from dataclasses import dataclass
from typing import Any

from mcp.server.context import ServerRequestContext
from mcp_types import CallToolRequestParams

from corpusgraph.flows.calling import failed
from corpusgraph.flows.surfaces.mcp.envelope import answered, told
from corpusgraph.flows.surfaces.mcp.leaving import when_left
from corpusgraph.flows.surfaces.mcp.options import ServeOptions
from corpusgraph.flows.surfaces.mcp.progress import Steps, Unheard
from corpusgraph.flows.surfaces.mcp.running import Offered
from corpusgraph.flows.surfaces.mcp.threads import Threads
from corpusgraph.schemas.base import JsonDict
from corpusgraph.schemas.errors import CorpusgraphError, UnknownToolError, did_you_mean


@dataclass(frozen=True)
class Given:
    """What a call asks: of which tool, with which arguments, under which version of the protocol."""

    one: Offered
    arguments: JsonDict
    version: str


class Calls:
    """Runs calls of the tools a server offers; `hidden` are the errors of those it does not.

    `in_process`: whether a client may call without a wire, and so hear of progress without a token.
    """

    def __init__(
        self,
        offered: Mapping[str, Offered],
        hidden: Mapping[str, CorpusgraphError],
        options: ServeOptions,
        threads: Threads,
        *,
        in_process: bool = True,
    ) -> None:
        self._options = options
        self._offered = with_aliases(offered)
        self._hidden = dict(hidden)
        self._threads = threads
        self._in_process = in_process

    async def call(self, ctx: ServerRequestContext[Any], params: CallToolRequestParams) -> JsonDict:
        """Answer a request; an error of the call is a result that says so, for the caller to mend."""
        one: Offered | None = None
        steps = Steps(ctx.session.report_progress) if self._is_heard(ctx) else Unheard()
        try:
            one = self.find(params.name)
            if one.reads:
                when_left(ctx.request, steps.drop)
            given = Given(one, params.arguments or {}, ctx.protocol_version)
            return await self._limited(given, steps)
        except CorpusgraphError as error:
            return told(one, failed(error, params.arguments or {})).wire(ctx.protocol_version)
        finally:
            steps.drop()

    def _is_heard(self, ctx: ServerRequestContext[Any]) -> bool:
        """Whether the client asked to hear how the call gets on: else nothing is made to tell it."""
        return "progress_token" in (ctx.meta or {}) or (self._in_process and ctx.request is None)

    def find(self, name: str) -> Offered:
        """Return a tool by name or alias; one that this server does not offer is told apart."""
        if name in self._offered:
            return self._offered[name]
        if name in self._hidden:
            raise self._hidden[name]
        hint = did_you_mean(name, list(self._offered)) or "tools/list names them."
        raise UnknownToolError(f"Unknown tool {name!r}.", hint=hint)

    async def _limited(self, given: Given, steps: Unheard) -> JsonDict:
        more = "" if given.one.reads else " Whether the change was made, list_changes tells."

        def work() -> Awaitable[JsonDict]:
            return self._told(given, steps) if isinstance(steps, Steps) else self._run(given, steps)

        return await self._threads.limited(given.one.name, work, more)

    async def _told(self, given: Given, steps: Steps) -> JsonDict:
        await steps.begin()
        sender = asyncio.create_task(steps.send())
        try:
            found = await self._run(given, steps)
        finally:
            sender.cancel()
            await asyncio.gather(sender, return_exceptions=True)
        await steps.end()
        return found

    async def _run(self, given: Given, steps: Unheard) -> JsonDict:
        """Do all that takes long in the thread, writing the answer too: the loop serves every client."""
        one = given.one

        def work() -> JsonDict:
            result = one.run(given.arguments, steps.watched)
            return answered(one, result, self._options).wire(given.version)

        return await self._threads.run(work, writes=not one.reads, wanted=steps)


def with_aliases(offered: Mapping[str, Offered]) -> dict[str, Offered]:
    """Return the tools by name and by alias; a name counts before an alias."""
    return {**{alias: one for one in offered.values() for alias in one.tool.aliases}, **offered}
