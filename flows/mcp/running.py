"""A tool as this server offers it: its schemas, in what strict clients take, and what a call of it runs."""

import json
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache, cached_property
from pathlib import Path
from typing import Any

from pydantic import TypeAdapter

from corpusgraph.flows.api import Watched, called
from corpusgraph.flows.mcp.confine import below, confined
from corpusgraph.flows.mcp.options import ServeOptions
from corpusgraph.schemas.base import JsonDict
from corpusgraph.schemas.errors import CorpusgraphError
from corpusgraph.schemas.results import Table, ToolError, ToolInput, ToolResult, ToolWarning
from corpusgraph.tasks.registry import Tool

NULL: JsonDict = {"type": "null"}
MAPS = frozenset({"properties", "$defs", "patternProperties", "dependentSchemas"})
LISTS = frozenset({"anyOf", "oneOf", "allOf", "prefixItems"})
ONES = frozenset({"items", "additionalProperties", "not", "if", "then", "else", "contains", "propertyNames"})
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
    if not isinstance(schema, dict):
        return schema
    new: JsonDict = {}
    for key, value in schema.items():
        if key in MAPS:
            new[key] = {name: changed(inner, change) for name, inner in value.items()}
        elif key in LISTS:
            new[key] = [changed(inner, change) for inner in value]
        else:
            new[key] = changed(value, change) if key in ONES else value
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

    @cached_property
    def _schemas(self) -> tuple[JsonDict, JsonDict]:
        """The tidy schemas of the tool's arguments and data.

        Prose stands in what is asked or answered itself, not in the definitions of what stands in an index,
        nor in any of an answer.
        """
        asked = tidy(self.tool.input_schema())
        data = brief(rooted(tidy(self.tool.output_schema())))
        for schema, plain in ((asked, _STORED), (data, data.get("$defs", {}).keys())):
            for name in plain & schema.get("$defs", {}).keys():
                schema["$defs"][name] = changed(schema["$defs"][name], _wordless)
        return asked, data

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
