"""tools/call: find the tool, let it run, tell how it gets on, and answer; an error is an answer too."""

import csv
import hashlib
import io
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from mcp.server.context import ServerRequestContext
from mcp_types import CallToolRequestParams
from pydantic import BaseModel
from pydantic_core import to_json

from corpusgraph.flows.api import failed
from corpusgraph.flows.files.disk import replace_file
from corpusgraph.flows.mcp.options import ServeOptions
from corpusgraph.flows.mcp.resources import LONG_TABLES, RESULTS, TABLES, address
from corpusgraph.flows.mcp.running import Offered
from corpusgraph.flows.mcp.threads import Steps, Threads
from corpusgraph.schemas.base import JsonDict
from corpusgraph.schemas.errors import CorpusgraphError, UnknownToolError, did_you_mean
from corpusgraph.schemas.results import Table, ToolResult, ToolWarning

MOST_FILES = 100
"""Long tables that are kept, the newest."""
TEXT_LIMIT = 256_000
"""Bytes of JSON up to which the text repeats the structured content; an old client gets all of it."""
STRUCTURED_SINCE = "2025-06-18"
"""First protocol version with structured content."""


def _cut(value: Any, rows: int, long: list[Table]) -> Any:
    """Return data with its tables cut to `rows` rows, and put those that were longer into `long`."""
    if isinstance(value, Table) and len(value.rows) > rows:
        long.append(value)
        provenance = value.provenance[:rows] if value.provenance is not None else None
        return value.model_copy(update={"rows": value.rows[:rows], "provenance": provenance})
    if isinstance(value, BaseModel) and not isinstance(value, Table):
        return value.model_copy(update={name: _cut(inner, rows, long) for name, inner in value})
    if isinstance(value, dict):
        return {key: _cut(inner, rows, long) for key, inner in value.items()}
    if isinstance(value, list | tuple):
        return type(value)([_cut(inner, rows, long) for inner in value])
    return value


def _link(table: Table, outputs: Path) -> JsonDict:
    """Write a table as CSV (RFC 4180) under a name made of its content, and return the link to it.

    What is missing is empty, what is nested is JSON. Of the files the newest stay; one that another process
    removed meanwhile is no matter.
    """
    text = io.StringIO()
    writer = csv.writer(text)
    writer.writerow([column.name for column in table.columns])
    writer.writerows(
        [to_json(cell).decode() if isinstance(cell, dict | list | tuple) else cell for cell in row]
        for row in table.rows
    )
    data = text.getvalue().encode()
    name = f"{hashlib.blake2b(data, digest_size=8).hexdigest()}.csv"
    folder = outputs / LONG_TABLES
    replace_file(folder / name, data)
    files = sorted(folder.glob("*.csv"), key=lambda path: (path.stat().st_mtime_ns, path.name))
    for old in files[:-MOST_FILES]:
        old.unlink(missing_ok=True)
    return {
        "type": "resource_link",
        "uri": address(RESULTS, TABLES, name),
        "name": f"{table.name}.csv",
        "description": f"Table {table.name!r}: {len(table.rows):,} rows, {len(table.columns)} columns.",
        "mimeType": "text/csv",
        "size": len(data),
    }


@dataclass(frozen=True)
class Answer:
    """What a call answers, before the protocol's version shapes it."""

    structured: JsonDict
    is_error: bool
    links: tuple[JsonDict, ...] = ()

    def wire(self, version: str) -> JsonDict:
        """Return the result of tools/call; a client from before structured content gets text alone.

        Parameters
        ----------
        version : str
            Of the protocol, such as 2025-06-18.

        Returns
        -------
        JsonDict
            A long text is cut where structured content has it whole.

        """
        text = to_json(self.structured, inf_nan_mode="null").decode()
        if version < STRUCTURED_SINCE:
            return {"content": [{"type": "text", "text": text}], "isError": self.is_error}
        if len(text) > TEXT_LIMIT:
            text = f"{text[:2000]} … the whole result, {len(text):,} characters, is in structuredContent."
        return {
            "content": [{"type": "text", "text": text}, *self.links],
            "structuredContent": self.structured,
            "isError": self.is_error,
            "resultType": "complete",
        }


def answer_of(offered: Offered, result: ToolResult, options: ServeOptions) -> Answer:
    """Return a result in the shape the tool's output schema declares, long tables cut and linked to.

    Without outputs to write to the warning alone tells of the rows that are left out.

    Parameters
    ----------
    offered : Offered
        The tool.
    result : ToolResult
        Of the call.
    options : ServeOptions
        Rows that a table may have, and where files go.

    Returns
    -------
    Answer
        Rows left out are told by a warning and linked to.

    """
    if result.error is not None:
        return error_of(offered, result)
    long: list[Table] = []
    value = _cut(result.data, options.rows, long) if offered.has_tables else result.data
    links = () if options.read_only else tuple(_link(table, options.outputs) for table in long)
    data = offered.adapter.dump_python(value, mode="json", by_alias=True)
    envelope = result.model_dump(mode="json", exclude={"data"})
    for table, link in zip(long, links or [None] * len(long), strict=True):
        where = f"all are in {link['uri']}" if link else "this server writes no file for the others"
        message = f"Table {table.name!r} has {len(table.rows):,} rows; the first {options.rows:,} are here"
        warning = ToolWarning(code="rows_left_out", message=f"{message}, {where}.")
        envelope["warnings"].append(warning.model_dump(mode="json"))
    if not offered.flat:
        whole = {**envelope, "data": data}
        return Answer({name: whole[name] for name in ToolResult.model_fields}, False, links)
    warnings = [*data.get("warnings", ()), *envelope["warnings"]]
    return Answer({**data, **({"warnings": warnings} if warnings else {})}, False, links)


def error_of(offered: Offered | None, result: ToolResult) -> Answer:
    """Return an error: flat where the tool answers flat, or there is no such tool; else in the envelope.

    Parameters
    ----------
    offered : Offered or None
        None where there is no such tool.
    result : ToolResult
        With its error.

    Returns
    -------
    Answer
        Marked as an error.

    """
    envelope = result.model_dump(mode="json")
    flat = offered is None or offered.flat
    return Answer({"success": False, "error": envelope["error"]} if flat else envelope, True)


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
        aliases = {alias: tool for tool in offered.values() for alias in tool.tool.aliases}
        self._offered = {**aliases, **offered}  # a name counts before an alias
        self._hidden = hidden
        self._options = options
        self._threads = threads
        self._in_process = in_process

    async def call(self, ctx: ServerRequestContext[Any], params: CallToolRequestParams) -> JsonDict:
        """Answer a request; an error of the call is a result that says so, for the caller to mend.

        Parameters
        ----------
        ctx : ServerRequestContext[Any]
            Of the SDK.
        params : CallToolRequestParams
            Name and arguments.

        Returns
        -------
        JsonDict
            As `Answer.wire` has it.

        """
        offered: Offered | None = None
        arguments, version = params.arguments or {}, ctx.protocol_version
        # Nothing is made to tell a client that did not ask to hear how the call gets on.
        is_heard = "progress_token" in (ctx.meta or {}) or (self._in_process and ctx.request is None)
        steps = Steps(ctx.session.report_progress if is_heard else None)
        try:
            offered = tool = self._find(params.name)

            def work() -> JsonDict:  # all that takes long: the loop serves every client
                result = tool.run(arguments, steps.watched)
                return answer_of(tool, result, self._options).wire(version)

            more = "" if tool.reads else " Whether the change was made, list_changes tells."
            async with self._threads.turn(tool.name, more), steps.told():
                return await self._threads.run(work, writes=not tool.reads, steps=steps)
        except CorpusgraphError as error:
            return error_of(offered, failed(error, arguments)).wire(version)
        finally:
            steps.drop()

    def _find(self, name: str) -> Offered:
        """Return a tool by name or alias; one that this server does not offer is told apart."""
        if name in self._hidden and name not in self._offered:
            raise self._hidden[name]
        if name not in self._offered:
            hint = did_you_mean(name, list(self._offered)) or "tools/list names them."
            raise UnknownToolError(f"Unknown tool {name!r}.", hint=hint)
        return self._offered[name]
