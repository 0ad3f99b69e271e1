"""tools/call: find the tool, let it run, tell how it gets on, and answer; an error is an answer too."""

import asyncio
import hashlib
from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

from mcp.server.context import ServerRequestContext
from mcp_types import CallToolRequestParams
from pydantic import BaseModel
from pydantic_core import to_json

from corpusgraph.flows.call import failed
from corpusgraph.flows.mcp.options import ServeOptions
from corpusgraph.flows.mcp.resources import RESULTS, TABLES, address
from corpusgraph.flows.mcp.running import Offered
from corpusgraph.flows.mcp.threads import Threads, Wanted
from corpusgraph.schemas.base import JsonDict
from corpusgraph.schemas.errors import (
    CallCancelledError,
    CorpusgraphError,
    UnknownItemError,
    UnknownToolError,
    did_you_mean,
)
from corpusgraph.schemas.llm import Prompt, Reply
from corpusgraph.schemas.ports import Accept, LanguageModel
from corpusgraph.schemas.results import Table, ToolResult, ToolWarning
from corpusgraph.tasks.method.meter import Behind

FOLDER = ".results"
"""Below outputs; no index is called so."""
KEPT = 100
"""Files that are kept, the newest."""


@dataclass(frozen=True)
class Shortened:
    """Data with long tables cut, what is told of it, and the links to the whole tables."""

    data: Any
    warnings: tuple[ToolWarning, ...] = ()
    links: tuple[JsonDict, ...] = ()


def shortened(data: Any, rows: int, outputs: Path | None) -> Shortened:
    """Cut tables to `rows` rows; without outputs, nothing is written and the warning alone tells."""
    cut: list[Table] = []
    made = _cut(data, rows, cut)
    if not cut:
        return Shortened(data)
    links = tuple(_link(table, outputs) for table in cut) if outputs is not None else ()
    warnings = tuple(
        _warning(table, rows, link) for table, link in zip(cut, links or [None] * len(cut), strict=True)
    )
    return Shortened(made, warnings, links)


def _cut(value: Any, rows: int, cut: list[Table]) -> Any:
    if isinstance(value, Table):
        if len(value.rows) <= rows:
            return value
        cut.append(value)
        provenance = value.provenance[:rows] if value.provenance is not None else None
        return value.model_copy(update={"rows": value.rows[:rows], "provenance": provenance})
    if isinstance(value, BaseModel):
        changed = {name: new for name, old in value if (new := _cut(old, rows, cut)) is not old}
        return value.model_copy(update=changed) if changed else value
    if isinstance(value, dict):
        held = {key: _cut(one, rows, cut) for key, one in value.items()}
        return held if any(held[key] is not value[key] for key in value) else value
    if isinstance(value, list | tuple):
        many = [_cut(one, rows, cut) for one in value]
        return type(value)(many) if any(a is not b for a, b in zip(many, value, strict=True)) else value
    return value


def _warning(table: Table, rows: int, link: JsonDict | None) -> ToolWarning:
    where = f"all are in {link['uri']}" if link else "this server writes no file for the others"
    return ToolWarning(
        code="rows_left_out",
        message=f"Table {table.name!r} has {len(table.rows):,} rows; the first {rows:,} are here, {where}.",
    )


def _link(table: Table, outputs: Path) -> JsonDict:
    """Write a table as CSV under a name made of its content, and return the link to it."""
    from corpusgraph.flows.files.files import replace_file

    data = "".join(csv_lines(table)).encode()
    name = f"{hashlib.blake2b(data, digest_size=8).hexdigest()}.csv"
    folder = outputs / FOLDER
    replace_file(folder / name, data)
    _tidy(folder)
    return {
        "type": "resource_link",
        "uri": address(RESULTS, TABLES, name),
        "name": f"{table.name}.csv",
        "description": f"Table {table.name!r}: {len(table.rows):,} rows, {len(table.columns)} columns.",
        "mimeType": "text/csv",
        "size": len(data),
    }


def csv_lines(table: Table) -> Iterator[str]:
    """Yield a table as CSV (RFC 4180): names, then rows; missing is empty, what is nested is JSON."""
    import csv
    import io

    from pydantic_core import to_json

    buffer = io.StringIO()
    writer = csv.writer(buffer)
    writer.writerow([column.name for column in table.columns])
    for row in table.rows:
        writer.writerow(
            [to_json(cell).decode() if isinstance(cell, dict | list | tuple) else cell for cell in row]
        )
        yield buffer.getvalue()
        buffer.seek(0)
        buffer.truncate()
    yield buffer.getvalue()


def _tidy(folder: Path) -> None:
    """Remove all but the newest files; one that another process removed meanwhile is no matter."""
    files = sorted(folder.glob("*.csv"), key=lambda path: (path.stat().st_mtime_ns, path.name))
    for old in files[:-KEPT]:
        old.unlink(missing_ok=True)


def kept(path: str, outputs: Path) -> str:
    """Return the text of a table that was too long; one that is gone is UnknownItemError."""
    from corpusgraph.flows.mcp.confine import plain

    file = outputs / FOLDER / plain(path, "a table")
    if not file.is_file():
        raise UnknownItemError(f"There is no table {path!r} any more.", hint="Call the tool again.")
    return file.read_bytes().decode()


TEXT_LIMIT = 256_000
"""Bytes of JSON up to which the text repeats the structured content; an old client gets all of it."""
STRUCTURED_SINCE = "2025-06-18"
"""First protocol version with structured content."""


@dataclass(frozen=True)
class Answered:
    """What a call answers, before the protocol's version shapes it."""

    structured: JsonDict
    is_error: bool
    links: tuple[JsonDict, ...] = ()

    def wire(self, version: str) -> JsonDict:
        """Return the result of tools/call; a client from before structured content gets text alone."""
        text = to_json(self.structured, inf_nan_mode="null").decode()
        if version < STRUCTURED_SINCE:
            return {"content": [{"type": "text", "text": text}], "isError": self.is_error}
        if len(text) > TEXT_LIMIT:
            text = f"{text[:2000]} … the whole result, {len(text):,} characters, is in structuredContent."
        content = [{"type": "text", "text": text}, *self.links]
        found: JsonDict = {"content": content, "structuredContent": self.structured}
        return {**found, "isError": self.is_error, "resultType": "complete"}


def answered(one: Offered, result: ToolResult, options: ServeOptions) -> Answered:
    """Return a result in the shape the tool's output schema declares, long tables cut and linked to."""
    if result.error is not None:
        return told(one, result)
    links: tuple[JsonDict, ...] = ()
    if one.has_tables:
        cut = shortened(result.data, options.rows, None if options.read_only else options.outputs)
        warnings, links = (*result.warnings, *cut.warnings), cut.links
        result = result.model_copy(update={"data": cut.data, "warnings": warnings})
    data = one.adapter.dump_python(result.data, mode="json", by_alias=True)
    around = result.model_dump(mode="json", exclude={"data"})
    if not one.flat:
        return Answered(_in_order({**around, "data": data}), False, links)
    both = [*data.get("warnings", ()), *around["warnings"]]
    return Answered({**data, **({"warnings": both} if both else {})}, False, links)


def told(one: Offered | None, result: ToolResult) -> Answered:
    """Return an error: flat where the tool answers flat, or there is no such tool; else in the envelope."""
    envelope = result.model_dump(mode="json")
    flat = one is None or one.flat
    return Answered({"success": False, "error": envelope["error"]} if flat else envelope, True)


def _in_order(envelope: JsonDict) -> JsonDict:
    return {name: envelope[name] for name in ToolResult.model_fields}


M = TypeVar("M", bound=BaseModel)
Report = Callable[[float, float | None, str | None], Awaitable[None]]
"""Sends a progress notification: steps done, of how many, in words."""
BEAT = 2.0
"""Seconds without news after which the client hears that the call still runs: clients give up on silence."""
PAUSE = 0.1
"""Seconds between two notifications; of what happens meanwhile the last is told."""


class Unheard(Wanted):
    """The steps of a call whose client did not ask to hear of them: they end it once nobody waits."""

    def watched(self, model: LanguageModel) -> LanguageModel:
        """Return a language model that counts its prompts here, and is not asked for a dropped call."""
        return _Watched(model, self)


class Steps(Unheard):
    """Carries what a thread tells to the event loop; numbers only go up, as the protocol demands.

    What is counted are the steps of all the works of a call, one after the other or one inside another; a
    total is as many more as are left of the work at hand.
    """

    def __init__(self, report: Report) -> None:
        super().__init__()
        self._report = report
        self._loop = asyncio.get_running_loop()
        self._news = asyncio.Event()
        self._rung = False
        self._latest: tuple[str, int, int | None] | None = None
        self._done: dict[str, int] = {}
        self._sent, self._ahead = 0, 0

    def advance(self, what: str, done: int, total: int | None) -> None:
        """Take note of a step; called by the thread of the call, which this ends once the call is dropped."""
        super().advance(what, done, total)
        self._latest = (what, done, total)
        if not self._rung:
            self._rung = True
            try:
                self._loop.call_soon_threadsafe(self._news.set)
            except RuntimeError:  # the loop is closed: the server has ended
                raise CallCancelledError("The server has ended.") from None

    async def send(self) -> None:
        """Send what is told, and a sign of life now and then, until cancelled."""
        began = self._loop.time()
        while True:
            try:
                async with asyncio.timeout(BEAT):  # wait_for of Python 3.11 can swallow being cancelled
                    await self._news.wait()
            except TimeoutError:
                await self._send(0, None, f"running for {self._loop.time() - began:.0f} s")
            else:
                await self._send_latest()
                await asyncio.sleep(PAUSE)

    async def begin(self) -> None:
        """Tell that the call runs."""
        await self._report(0, None, "begun")

    async def end(self) -> None:
        """Send what is left, and the end."""
        await self._send_latest()
        await self._report(self._sent + 1, self._sent + 1, "done")

    async def _send_latest(self) -> None:
        self._news.clear()
        self._rung = False
        latest, self._latest = self._latest, None
        if latest is None:
            return
        what, done, total = latest
        before = self._done.get(what, 0)
        self._done[what] = done
        more = done - before if done >= before else done
        await self._send(more, None if total is None else total - done, _words(what, done, total))

    async def _send(self, more: int, left: int | None, message: str) -> None:
        """Send one step more at least; what that is ahead of the count, later ones make up for."""
        wanted = more - self._ahead
        self._sent += max(wanted, 1)
        self._ahead = max(wanted, 1) - wanted
        total = None if left is None else max(self._sent, self._sent - self._ahead + left)
        await self._report(self._sent, total, message)


def _words(what: str, done: int, total: int | None) -> str:
    if total is not None:
        return f"{what}: {done:,} of {total:,}"
    return f"{what}: {done:,}" if done else what


class _Watched(Behind):
    """A language model whose prompts are steps of a call."""

    def __init__(self, model: LanguageModel, steps: Unheard) -> None:
        super().__init__(model)
        self._steps = steps
        self._answered = 0

    def ask(
        self, prompts: Sequence[Prompt], answer: type[M], accept: Accept[M] | None = None
    ) -> list[Reply[M]]:
        """Ask the model."""
        what = f"prompts answered by {self.name}"
        self._steps.advance(what, self._answered, None)
        replies = self._model.ask(prompts, answer, accept)
        self._answered += len(prompts)
        self._steps.advance(what, self._answered, None)
        return replies


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
