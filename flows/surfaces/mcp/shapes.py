"""JSON schemas as clients take them: flat, without noise, and an envelope that says what is in it.

A model is given a tool's name, description and input schema, and pays for each word of them at every turn.
"""

import json
from functools import cache

from pydantic import TypeAdapter

from corpusgraph.flows.surfaces.mcp.dialect import NULL, brief, briefly, tidy, wordless
from corpusgraph.schemas.base import JsonDict
from corpusgraph.schemas.results import Table, ToolError, ToolInput, ToolWarning
from corpusgraph.tasks._tool import Tool

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
"""What stands in an index: a tool takes it by its id, or as another gave it. docs/tools.md describes it."""


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
