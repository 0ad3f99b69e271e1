"""Tools as the server offers them: schemas that strict clients take, what a call runs, and tools/call."""

import csv
import hashlib
import io
import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache, cached_property
from pathlib import Path
from typing import Any

from mcp.server.context import ServerRequestContext
from mcp_types import CallToolRequestParams
from pydantic import BaseModel, TypeAdapter
from pydantic_core import to_json

from corpusgraph.flows.api import Watched, called, failed
from corpusgraph.flows.files.disk import replace_file
from corpusgraph.flows.mcp.confine import below, confined
from corpusgraph.flows.mcp.options import ServeOptions
from corpusgraph.flows.mcp.resources import LONG_TABLES, RESULTS, TABLES, address
from corpusgraph.flows.mcp.threads import Steps, Threads
from corpusgraph.schemas.base import JsonDict
from corpusgraph.schemas.errors import CorpusgraphError, UnknownToolError, did_you_mean
from corpusgraph.schemas.results import Table, ToolError, ToolInput, ToolResult, ToolWarning
from corpusgraph.tasks.registry import Tool

NULL: JsonDict = {"type": "null"}
MAPS = frozenset({"properties", "$defs", "patternProperties", "dependentSchemas"})
_DATA = frozenset({"default", "const", "enum", "examples", "required"})
"""Keywords whose values are no schemas."""
_NOISE = frozenset({"title", "discriminator"})
"""`title` repeats the name; `discriminator` is OpenAPI's, and strict validators refuse unknown keywords."""
_BOUNDS = {"gt": "exclusiveMinimum", "ge": "minimum", "lt": "exclusiveMaximum", "le": "maximum"}
"""pydantic's names, which it leaves where a union is bounded as a whole."""
_NUMBERS: list[JsonDict] = [{"type": "integer"}, {"type": "number"}]


def changed(schema: Any, change: Callable[[JsonDict], JsonDict]) -> Any:
    """Return a schema with a change made to it and to each schema in it, the innermost first.

    Parameters
    ----------
    schema : Any
        JSON schema; anything else is returned as it is.
    change : callable
        A schema -> what stands in its place.

    Returns
    -------
    Any
        A copy.

    """
    if isinstance(schema, list):
        return [changed(inner, change) for inner in schema]
    if not isinstance(schema, dict):
        return schema
    new = dict(schema)
    for key in schema.keys() - _DATA:
        if key in MAPS:
            new[key] = {name: changed(one, change) for name, one in schema[key].items()}
        else:
            new[key] = changed(schema[key], change)
    return change(new)


def tidy(schema: Any) -> Any:
    """Return a schema without titles, defaults of null and keywords of other dialects.

    `oneOf` becomes `anyOf`: it stands for unions that a function tells apart, and a validator would refuse
    what fits two of them. Additional properties are allowed unless something is said of them, and an
    integer is a number.

    Parameters
    ----------
    schema : Any
        As pydantic makes it.

    Returns
    -------
    Any
        Valid for the same arguments, or for more.

    """
    return changed(schema, _tidied)


def _tidied(schema: JsonDict) -> JsonDict:
    names = {**_BOUNDS, "oneOf": "anyOf"}
    silent = [("default", None), ("additionalProperties", True)]
    new = {names.get(k, k): v for k, v in schema.items() if k not in _NOISE and (k, v) not in silent}
    if isinstance(new.get("default"), dict):
        new["default"] = {name: value for name, value in new["default"].items() if value is not None}
    if sorted(new.get("anyOf", ()), key=str) == _NUMBERS:
        del new["anyOf"]
        new["type"] = "number"
    return new


def _wordless(schema: JsonDict) -> JsonDict:
    """Leave out prose and empty defaults, which `tool --schema` prints."""
    empty = schema.get("default", 0) in ("", [], {})
    return {k: v for k, v in schema.items() if k != "description" and not (k == "default" and empty)}


def brief(schema: Any) -> Any:
    """Return a tidy schema of an answer, which a client validates each time, in fewer words.

    An answer has every field, so defaults say nothing; and it is open: a field that a later version adds
    breaks no client. `anyOf` of a type and null is one list of types, which every draft reads alike: half as
    long, and quicker to validate.

    Parameters
    ----------
    schema : Any
        As `tidy` returns it.

    Returns
    -------
    Any
        Valid for the same answers, or for more.

    """
    return changed(schema, _briefly)


def _briefly(schema: JsonDict) -> JsonDict:
    new = {
        key: value
        for key, value in schema.items()
        if key not in {"default", "minLength"} and (key, value) != ("additionalProperties", False)
    }
    options = [option for option in new.get("anyOf", ()) if option != NULL]
    if len(options) != 1 or len(new["anyOf"]) != 2 or options[0].keys() & new.keys():
        return new
    [option] = options
    # all that is said must be said of the one type: `enum` and `const` would have to name null
    if not isinstance(option.get("type"), str) or option.keys() & {"enum", "const", "anyOf", "allOf", "not"}:
        return new
    del new["anyOf"]
    return {**new, **option, "type": [option["type"], "null"]}


BUNDLE: JsonDict = {
    "type": "string",
    "description": "folder below the server's outputs for the files (data, codebook, script, README); "
    "a relative name such as studies/cholera. The result's metadata then lists the files.",
}
SHARED: JsonDict = {
    "request_id": {"type": "string", "description": "echoed"},
    "timestamp": {"type": "string", "format": "date-time", "description": "when asked"},
    "client_context": {"type": "object", "description": "yours; not read"},
    "filter": {
        "type": "object",
        "description": "documents with {author: Jay, date: {from: 1787, to: 1788}} only; "
        "a list: one of it; {not: value}",
    },
}
"""What stands in every tool: told shortly, the server checks it all the same."""
_OF_AN_INDEX = frozenset({"index", "filter"})
_STORED = frozenset(
    {"Entity", "Relationship", "Chunk", "Community", "CommunityReport", "ReportFinding", "Passage"}
    | {"Path", "Graph", "SimilarItem", "ToolWarning"}
)
"""What stands in an index: a tool takes it by its id, or as another gave it. `tool --schema` describes it."""


def rooted(schema: JsonDict) -> JsonDict:
    """Return a schema whose root is the object itself: a model that holds itself begins with a reference.

    Parameters
    ----------
    schema : JsonDict
        As pydantic makes it.

    Returns
    -------
    JsonDict
        With the definitions it refers to.

    """
    reference = schema.get("$ref")
    if reference is None:
        return schema
    defined = schema["$defs"]
    return {**defined[reference.rpartition("/")[2]], "$defs": defined}


def _with_definitions(schema: JsonDict, defined: JsonDict) -> JsonDict:
    bare = {key: value for key, value in schema.items() if key != "$defs"}
    return {**bare, "$defs": defined} if defined else bare


def _pruned(schema: JsonDict) -> JsonDict:
    """Return a schema without definitions that nothing refers to."""
    defined = schema.get("$defs", {})
    used: set[str] = set()
    left = [_with_definitions(schema, {})]
    while left:
        text = json.dumps(left.pop())
        named = {name for name in defined if f'"#/$defs/{name}"' in text}
        left += [defined[name] for name in sorted(named - used)]
        used |= named
    return _with_definitions(schema, {name: inner for name, inner in defined.items() if name in used})


@cache
def _parts() -> JsonDict:
    """Return the schemas of error and warnings."""
    schemas = (tidy(TypeAdapter(model).json_schema()) for model in (ToolError, ToolWarning))
    error, warning = (brief(changed(schema, _wordless)) for schema in schemas)
    return {"error": _briefly({"anyOf": [error, NULL]}), "warnings": {"type": "array", "items": warning}}


@cache
def _schemas_of(tool: Tool) -> tuple[JsonDict, JsonDict]:
    """Return the tidy schemas of a tool's arguments and data.

    Prose stands in what is asked or answered itself, not in the definitions of what stands in an index, nor
    in any of an answer.
    """
    asked = tidy(tool.input_schema())
    data = brief(rooted(tidy(tool.output_schema())))
    for schema, plain in ((asked, _STORED), (data, data.get("$defs", {}).keys())):
        for name in plain & schema.get("$defs", {}).keys():
            schema["$defs"][name] = changed(schema["$defs"][name], _wordless)
    return asked, data


Run = Callable[[JsonDict, Watched], ToolResult]
"""Arguments, and what stands before the language model -> the envelope."""


@dataclass(frozen=True)
class Offered:
    """A tool as this server offers it."""

    tool: Tool
    run: Run
    groups: frozenset[str]
    bundle: bool = False
    """Whether a call may name a folder for files."""

    @property
    def name(self) -> str:
        """The tool's name."""
        return self.tool.name

    @property
    def reads(self) -> bool:
        """Whether a call leaves the index as it is."""
        return self.tool.effect == "reads"

    @property
    def _schemas(self) -> tuple[JsonDict, JsonDict]:
        """The tidy schemas of the tool's arguments and data."""
        return _schemas_of(self.tool)

    @cached_property
    def flat(self) -> bool:
        """Whether the data stands at the top level of the answer, as callers of the memory tools know it."""
        return self.tool.family == "memory" and rooted(self._schemas[1]).get("type") == "object"

    @cached_property
    def has_tables(self) -> bool:
        """Whether the data may hold tables."""
        return Table.__name__ in self._schemas[1].get("$defs", {})

    @cached_property
    def adapter(self) -> TypeAdapter[Any]:
        """Writes the tool's data."""
        return TypeAdapter(self.tool.output)

    def input_schema(self, index: str | None) -> JsonDict:
        """Return the schema of the arguments, the tool's own first.

        A tool that reads no index is not given one, nor a filter. What its arguments are as a whole stands in
        its description.

        Parameters
        ----------
        index : str or None
            That of a call without one; None where there is none.

        Returns
        -------
        JsonDict
            Closed: an unknown argument is an error.

        """
        schema = rooted(self._schemas[0])
        fields = dict(schema.get("properties", {}))
        shared = {name: fields.pop(name) for name in ToolInput.model_fields if name in fields}
        shared = {name: SHARED.get(name, value) for name, value in shared.items()}
        if not self.tool.needs_index:
            shared = {name: value for name, value in shared.items() if name not in _OF_AN_INDEX}
        if "index" in shared:
            default = f"{index!r}" if index else "the only one"
            shared["index"] = {"type": "string", "description": f"its name [{default}]"}
        if self.bundle:
            fields["bundle"] = BUNDLE
        flat = {"type": "object", "properties": {**fields, **shared}, "additionalProperties": False}
        return _pruned({**{key: value for key, value in schema.items() if key != "description"}, **flat})

    def output_schema(self) -> JsonDict:
        """Return the schema of an answer: the envelope round the tool's data, or the data itself.

        An error of a flat one is {success: false, error}.

        Returns
        -------
        JsonDict
            Of an object, as the protocol demands.

        """
        data = self._schemas[1]
        if self.flat:
            data = rooted(data)
            error = {"required": ["success", "error"], "properties": {"success": {"const": False}}}
            return {
                **{key: value for key, value in data.items() if key not in {"required", "properties"}},
                "type": "object",
                "properties": {**data.get("properties", {}), "success": {"type": "boolean"}, **_parts()},
                "anyOf": [{"required": list(data.get("required", ()))}, error],
            }
        fields = {
            "request_id": {"type": "string"},
            "success": {"type": "boolean"},
            "data": _briefly({"anyOf": [_with_definitions(data, {}), NULL]}),
            **_parts(),
            "metadata": {"type": "object"},
            "execution_time_ms": {"type": "number"},
            "reasoning_trace": {"type": ["string", "null"]},
        }
        closed = {"required": list(fields), "additionalProperties": False}
        return _with_definitions({"type": "object", "properties": fields, **closed}, data.get("$defs", {}))


def registered(tool: Tool, options: ServeOptions, groups: frozenset[str]) -> Offered:
    """Offer a tool of the registry; a call that writes files is told where they are below outputs alone.

    Parameters
    ----------
    tool : Tool
        Of the registry.
    options : ServeOptions
        Index, outputs, profile and budget of its calls.
    groups : frozenset of str
        That it is in.

    Returns
    -------
    Offered
        As it is listed and called.

    """
    bundles = tool.family == "prepare"

    def run(given: JsonDict, watched: Watched) -> ToolResult:
        arguments = dict(given)
        confined(arguments, options.outputs)
        name = arguments.pop("bundle", None) if bundles else None
        folder: Path | None = None
        if name is not None:
            if options.read_only:
                raise refused("A bundle is files, and this server writes none.")
            folder = below(options.outputs, name)
        result = called(
            tool,
            arguments,
            None if "index" in arguments else options.index,
            options.outputs,
            profile=options.profile,
            budget=options.budget,
            bundle=folder,
            watched=watched,
        )
        if folder is None or "bundle" not in result.metadata:
            return result
        where = folder.relative_to(options.outputs.resolve()).as_posix()
        return result.model_copy(update={"metadata": {**result.metadata, "bundle": where}})

    return Offered(tool, run, groups, bundle=bundles and not options.read_only)


def refused(message: str) -> CorpusgraphError:
    """Return the error of what a read-only server does not do.

    Parameters
    ----------
    message : str
        What is not done.

    Returns
    -------
    CorpusgraphError
        `read_only`, to be raised.

    """
    hint = "The server was started with --read-only; ask whoever runs it."
    return CorpusgraphError(message, hint=hint, code="read_only")


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
