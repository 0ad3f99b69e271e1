"""What a call of a tool does in its thread: the tools of the registry, as every other surface calls them."""

import json
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache, cached_property
from pathlib import Path
from typing import Any

from pydantic import TypeAdapter

from corpusgraph.flows.call import Watched, called, failed
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
_ASKED = frozenset({"default", "minLength"})
"""What is said to who fills in a schema, not to who reads what it describes."""
_EMPTY: tuple[Any, ...] = ("", [], {})


def tidy(schema: Any) -> Any:
    """Return a schema without titles, defaults of null and keywords of other dialects.

    `oneOf` becomes `anyOf`: it stands for unions that a function tells apart, and a validator would refuse
    what fits two of them. Additional properties are allowed unless something is said of them, and an
    integer is a number.
    """
    return changed(schema, _tidied)


def _tidied(schema: JsonDict) -> JsonDict:
    if "oneOf" in schema:
        schema = {("anyOf" if key == "oneOf" else key): value for key, value in schema.items()}
    kept = {_BOUNDS.get(key, key): value for key, value in schema.items() if not _is_noise(key, value)}
    if isinstance(kept.get("default"), dict):
        kept["default"] = {name: one for name, one in kept["default"].items() if one is not None}
    if sorted(kept.get("anyOf", ()), key=str) == _NUMBERS:
        del kept["anyOf"]
        kept["type"] = "number"
    return kept


def _is_noise(key: str, value: Any) -> bool:
    return (
        key in _NOISE
        or (key == "default" and value is None)
        or (key, value) == ("additionalProperties", True)
    )


def wordless(schema: Any) -> Any:
    """Return a tidy schema without prose and empty defaults, which `tool --schema` prints."""
    return changed(schema, _wordless)


def _wordless(schema: JsonDict) -> JsonDict:
    empty = schema.get("default", 0) in _EMPTY
    return {k: v for k, v in schema.items() if k != "description" and not (k == "default" and empty)}


def brief(schema: Any) -> Any:
    """Return a tidy schema of an answer, which a client validates each time, in fewer words.

    An answer has every field, so defaults say nothing; and it is open: a field that a later version adds
    breaks no client. `anyOf` of a type and null is one list of types, which every draft reads alike: half as
    long, and quicker to validate.
    """
    return changed(schema, briefly)


def briefly(schema: JsonDict) -> JsonDict:
    """Return the same of one schema, not of those in it."""
    kept = {k: v for k, v in schema.items() if k not in _ASKED and (k, v) != ("additionalProperties", False)}
    one = [option for option in kept.get("anyOf", ()) if option != NULL]
    if len(one) != 1 or len(kept["anyOf"]) != 2 or not _is_typed(one[0]) or one[0].keys() & kept.keys():
        return kept
    del kept["anyOf"]
    return {**kept, **one[0], "type": [one[0]["type"], "null"]}


def _is_typed(schema: JsonDict) -> bool:
    """Whether all that a schema says is said of one type; `enum` and `const` would have to name null."""
    others = {"enum", "const", "anyOf", "allOf", "not"}
    return isinstance(schema.get("type"), str) and not schema.keys() & others


def changed(schema: Any, change: Callable[[JsonDict], JsonDict]) -> Any:
    """Return a schema with a change made to it and to each schema in it, the innermost first."""
    if not isinstance(schema, dict):
        return schema
    kept: JsonDict = {}
    for key, value in schema.items():
        if key in MAPS:
            kept[key] = {name: changed(one, change) for name, one in value.items()}
        elif key in LISTS:
            kept[key] = [changed(one, change) for one in value]
        else:
            kept[key] = changed(value, change) if key in ONES else value
    return change(kept)


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
_GIVEN = frozenset(
    {"Entity", "Relationship", "Chunk", "Community", "CommunityReport", "ReportFinding", "Passage"}
    | {"Path", "Graph", "SimilarItem", "ToolWarning"}
)
"""What stands in an index: a tool takes it by its id, or as another gave it. `tool --schema` describes it."""


def _worded(schema: JsonDict, *, nouns: frozenset[str] | None = None) -> JsonDict:
    """Leave prose in what is asked or answered itself, not in definitions: all, or those of `nouns`."""
    defined = schema.get("$defs", {})
    plain = {name: wordless(one) if nouns is None or name in nouns else one for name, one in defined.items()}
    return {**schema, **({"$defs": plain} if plain else {})}


def rooted(schema: JsonDict) -> JsonDict:
    """Return a schema whose root is the object itself: a model that holds itself begins with a reference."""
    reference = schema.get("$ref")
    if reference is None:
        return schema
    defined = schema["$defs"]
    return {**defined[reference.rpartition("/")[2]], "$defs": defined}


def input_schema(tool: Tool, index: str | None, *, bundle: bool = False) -> JsonDict:
    """Return the schema of a tool's arguments, its own ones first; `index` is that of a call without one.

    A tool that reads no index is not given one, nor a filter. What a tool's arguments are as a whole stands
    in its description.
    """
    schema = rooted(made(tool)[0])
    fields = dict(schema.get("properties", {}))
    shared = {name: fields.pop(name) for name in ToolInput.model_fields if name in fields}
    shared = {name: SHARED.get(name, value) for name, value in shared.items()}
    if not tool.needs_index:
        shared = {name: value for name, value in shared.items() if name not in _OF_AN_INDEX}
    if "index" in shared:
        default = f"{index!r}" if index else "the only one"
        shared["index"] = {"type": "string", "description": f"its name [{default}]"}
    if bundle:
        fields["bundle"] = BUNDLE
    flat = {"type": "object", "properties": {**fields, **shared}, "additionalProperties": False}
    return pruned({**{key: value for key, value in schema.items() if key != "description"}, **flat})


def pruned(schema: JsonDict) -> JsonDict:
    """Return a schema without definitions that nothing refers to."""
    defined = schema.get("$defs", {})
    used: set[str] = set()
    left = [{key: value for key, value in schema.items() if key != "$defs"}]
    while left:
        text = json.dumps(left.pop())
        named = {name for name in defined if f'"#/$defs/{name}"' in text}
        left += [defined[name] for name in sorted(named - used)]
        used |= named
    kept = {name: one for name, one in defined.items() if name in used}
    return {**{k: v for k, v in schema.items() if k != "$defs"}, **({"$defs": kept} if kept else {})}


def output_schema(tool: Tool) -> JsonDict:
    """Return the schema of what a call answers: the envelope round the tool's data, or the data itself.

    The memory tools answer flat, as their callers know them; an error is {success: false, error} there.
    """
    data = made(tool)[1]
    return _flat(rooted(data)) if is_flat(tool) else _enveloped(data)


def is_flat(tool: Tool) -> bool:
    """Whether a tool's data stands at the top level of its answer."""
    return tool.family == "memory" and rooted(made(tool)[1]).get("type") == "object"


def has_tables(tool: Tool) -> bool:
    """Whether a tool's data may hold tables."""
    return Table.__name__ in made(tool)[1].get("$defs", {})


_MADE: dict[str, tuple[Tool, JsonDict, JsonDict]] = {}


def made(tool: Tool) -> tuple[JsonDict, JsonDict]:
    """Return the tidy schemas of a tool's arguments and data; they take milliseconds, and are made once."""
    known = _MADE.get(tool.name)
    if known is None or known[0] is not tool:
        known = _MADE[tool.name] = (
            tool,
            _worded(tidy(tool.input_schema()), nouns=_GIVEN),
            _answers(tool),
        )
    return known[1:]


def _answers(tool: Tool) -> JsonDict:
    """Return the schema of a tool's data; one that is a reference to itself is described all the same."""
    return _worded(brief(rooted(tidy(tool.output_schema()))))


def _flat(data: JsonDict) -> JsonDict:
    wanted = list(data.get("required", ()))
    own = dict(data.get("properties", {}))
    fields = {**own, "success": {"type": "boolean"}, **_parts()}
    failed = {"required": ["success", "error"], "properties": {"success": {"const": False}}}
    return {
        **{key: value for key, value in data.items() if key not in {"required", "properties"}},
        "type": "object",
        "properties": fields,
        "anyOf": [{"required": wanted}, failed],
    }


def _enveloped(data: JsonDict) -> JsonDict:
    defined = data.get("$defs", {})
    data = {key: value for key, value in data.items() if key != "$defs"}
    fields = {
        "request_id": {"type": "string"},
        "success": {"type": "boolean"},
        "data": briefly({"anyOf": [data, NULL]}),
        **_parts(),
        "metadata": {"type": "object"},
        "execution_time_ms": {"type": "number"},
        "reasoning_trace": {"type": ["string", "null"]},
    }
    whole = {"type": "object", "properties": fields, "required": list(fields), "additionalProperties": False}
    return {**whole, **({"$defs": defined} if defined else {})}


@cache
def _parts() -> JsonDict:
    """Return the schemas of error and warnings."""
    error, warning = (
        brief(wordless(tidy(TypeAdapter(noun).json_schema()))) for noun in (ToolError, ToolWarning)
    )
    return {"error": briefly({"anyOf": [error, NULL]}), "warnings": {"type": "array", "items": warning}}


Run = Callable[[JsonDict, Watched], ToolResult]
"""Arguments, and what stands before the language model -> the envelope."""


@dataclass(frozen=True)
class Offered:
    """A tool as this server offers it; what is told of it is worked out once."""

    tool: Tool
    run: Run
    groups: frozenset[str]
    bundle: bool = False
    """Whether a call may name a folder for files."""

    @cached_property
    def flat(self) -> bool:
        """Whether the data stands at the top level of the answer."""
        return is_flat(self.tool)

    @cached_property
    def has_tables(self) -> bool:
        """Whether the data may hold tables."""
        return has_tables(self.tool)

    @cached_property
    def adapter(self) -> TypeAdapter[Any]:
        """Writes the tool's data."""
        return TypeAdapter(self.tool.output)

    @property
    def reads(self) -> bool:
        """Whether a call leaves the index as it is."""
        return self.tool.effect == "reads"

    @property
    def name(self) -> str:
        """The tool's name."""
        return self.tool.name


def registered(tool: Tool, options: ServeOptions, groups: frozenset[str]) -> Offered:
    """Offer a tool of the registry."""
    bundles = tool.family == "prepare"

    def run(given: JsonDict, watched: Watched) -> ToolResult:
        arguments = dict(given)
        try:
            confined(arguments, options.outputs)
            folder = _folder(arguments.pop("bundle", None), options) if bundles else None
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
            return result if folder is None else _named(result, folder, options)
        except CorpusgraphError as error:
            return failed(error, given)

    return Offered(tool, run, groups, bundle=bundles and not options.read_only)


def _folder(name: Any, options: ServeOptions) -> Path | None:
    """Return the folder that a call names for its files, below outputs and nowhere else."""
    if name is None:
        return None
    if options.read_only:
        raise refused("A bundle is files, and this server writes none.")
    return below(options.outputs, name)


def _named(result: ToolResult, folder: Path, options: ServeOptions) -> ToolResult:
    """Tell a client where its files are below outputs, not where on this machine."""
    where = folder.relative_to(options.outputs.resolve()).as_posix()
    told = {**result.metadata, **({"bundle": where} if "bundle" in result.metadata else {})}
    return result.model_copy(update={"metadata": told})


def refused(message: str) -> CorpusgraphError:
    """Return the error of what a read-only server does not do."""
    hint = "The server was started with --read-only; ask whoever runs it."
    return CorpusgraphError(message, hint=hint, code="read_only")
