"""JSON schemas as clients take them: flat, without noise, and an envelope that says what is in it.

Dialect 2020-12, the protocol's default; nothing that a reader of draft 7 would misread.
"""

import json
from collections.abc import Callable, Mapping
from functools import cache
from typing import Any

from pydantic import TypeAdapter

from corpusgraph.schemas.base import JsonDict
from corpusgraph.schemas.results import Table, ToolError, ToolInput, ToolWarning
from corpusgraph.tasks._tool import Tool

BUNDLE: JsonDict = {
    "type": "string",
    "description": "folder below the server's outputs for the files (data, codebook, script, README); "
    "a relative name such as studies/cholera. The result's metadata then lists the files.",
}
SHARED: JsonDict = {
    "timestamp": {"type": "string", "format": "date-time", "description": "when it was asked"},
    "client_context": {"type": "object", "description": "the caller's own; read by no tool"},
    "filter": {
        "type": "object",
        "description": "see only documents whose fields are so: {author: Jay, date: {from: 1787, to: 1788}}; "
        "a list: one of these; {not: value}: no such",
    },
}
"""What stands in every tool: told shortly, the server checks it all the same."""
_OF_AN_INDEX = frozenset({"index", "filter"})
_MAPS = frozenset({"properties", "$defs", "patternProperties", "dependentSchemas"})
_LISTS = frozenset({"anyOf", "oneOf", "allOf", "prefixItems"})
_ONES = frozenset({"items", "additionalProperties", "not", "if", "then", "else", "contains", "propertyNames"})
_NOISE = frozenset({"title", "discriminator"})
"""`title` repeats the name; `discriminator` is OpenAPI's, and strict validators refuse unknown keywords."""
_BOUNDS = {"gt": "exclusiveMinimum", "ge": "minimum", "lt": "exclusiveMaximum", "le": "maximum"}
"""pydantic's names, which it leaves where a union is bounded as a whole."""
_NULL: JsonDict = {"type": "null"}


def tidy(schema: Any) -> Any:
    """Return a schema without titles, defaults of null and keywords of other dialects.

    `oneOf` becomes `anyOf`: it stands for unions that a function tells apart, and a validator would refuse
    what fits two of them.
    """
    if not isinstance(schema, dict):
        return schema
    kept: JsonDict = {}
    for key, value in schema.items():
        if key in _NOISE or (key == "default" and value is None):
            continue
        if key in _MAPS:
            kept[key] = {name: tidy(one) for name, one in value.items()}
        elif key in _LISTS:
            kept["anyOf" if key == "oneOf" else key] = [tidy(one) for one in value]
        else:
            kept[_BOUNDS.get(str(key), str(key))] = tidy(value) if key in _ONES else value
    return kept


def terse(schema: Any) -> Any:
    """Return a tidy schema without what only people read: descriptions, and the defaults of answers."""
    return _changed(
        schema, lambda kept: {k: v for k, v in kept.items() if k not in {"description", "default"}}
    )


def brief(schema: Any) -> Any:
    """Return the same in fewer words: of answers, which a client validates each time.

    `anyOf` of a type and null is one list of types, which every draft reads alike: half as long, and
    quicker to validate. Additional properties are allowed unless something is said of them.
    """
    return _changed(schema, _briefly)


def _briefly(schema: JsonDict) -> JsonDict:
    kept = {k: v for k, v in schema.items() if (k, v) != ("additionalProperties", True)}
    one = [option for option in kept.get("anyOf", ()) if option != _NULL]
    if len(one) != 1 or len(kept["anyOf"]) != 2 or not _is_typed(one[0]) or one[0].keys() & kept.keys():
        return kept
    del kept["anyOf"]
    return {**kept, **one[0], "type": [one[0]["type"], "null"]}


def _is_typed(schema: JsonDict) -> bool:
    """Whether all that a schema says is said of one type; `enum` and `const` would have to name null."""
    return isinstance(schema.get("type"), str) and not schema.keys() & {
        "enum",
        "const",
        "anyOf",
        "allOf",
        "not",
    }


def _changed(schema: Any, change: Callable[[JsonDict], JsonDict]) -> Any:
    """Return a tidy schema with a change made to it and to each schema in it, the innermost first."""
    if not isinstance(schema, dict):
        return schema
    kept: JsonDict = {}
    for key, value in schema.items():
        if key in _MAPS:
            kept[key] = {name: _changed(one, change) for name, one in value.items()}
        elif key in _LISTS:
            kept[key] = [_changed(one, change) for one in value]
        else:
            kept[key] = _changed(value, change) if key in _ONES else value
    return change(kept)


def _defined_tersely(schema: JsonDict) -> JsonDict:
    """Describe the data's own fields alone: nouns are the same in many tools, and docs/tools.md has them."""
    defined = schema.get("$defs", {})
    return {**schema, **({"$defs": {name: terse(one) for name, one in defined.items()}} if defined else {})}


def rooted(schema: JsonDict) -> JsonDict:
    """Return a schema whose root is the object itself: a model that holds itself begins with a reference."""
    reference = schema.get("$ref")
    if reference is None:
        return schema
    defined = schema["$defs"]
    return {**defined[reference.rpartition("/")[2]], "$defs": defined}


def input_schema(tool: Tool, index: str | None, *, bundle: bool = False) -> JsonDict:
    """Return the schema of a tool's arguments, its own ones first; `index` is that of a call without one.

    A tool that reads no index is not given one, nor a filter.
    """
    schema = rooted(made(tool)[0])
    fields = dict(schema.get("properties", {}))
    shared = {name: fields.pop(name) for name in ToolInput.model_fields if name in fields}
    shared = {name: SHARED.get(name, value) for name, value in shared.items()}
    if not tool.ports:
        shared = {name: value for name, value in shared.items() if name not in _OF_AN_INDEX}
    if "index" in shared:
        default = f"{index!r}" if index else "the only index there is"
        shared["index"] = {"type": "string", "description": f"name of the index [{default}]"}
    if bundle:
        fields["bundle"] = BUNDLE
    flat = {"type": "object", "properties": {**fields, **shared}, "additionalProperties": False}
    return pruned({**schema, **flat, "description": schema.get("description", tool.doc)})


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
        known = _MADE[tool.name] = tool, tidy(tool.input_schema()), _answers(tool)
    return known[1:]


def _answers(tool: Tool) -> JsonDict:
    """Return the schema of a tool's data; one that is a reference to itself is described all the same."""
    return _defined_tersely(brief(rooted(tidy(tool.output_schema()))))


def _flat(data: JsonDict) -> JsonDict:
    wanted = list(data.get("required", ()))
    own = dict(data.get("properties", {}))
    parts, defined = _parts()
    success = {"type": "boolean", "description": "false where the call failed; `error` then says why"}
    fields = {**own, "success": success, "error": parts["error"], "warnings": parts["warnings"]}
    failed = {"required": ["success", "error"], "properties": {"success": {"const": False}}}
    return {
        **{key: value for key, value in data.items() if key not in {"required", "properties", "$defs"}},
        "$defs": {**data.get("$defs", {}), **defined},
        "type": "object",
        "properties": fields,
        "anyOf": [{"required": wanted}, failed],
    }


def _enveloped(data: JsonDict) -> JsonDict:
    defined = data.get("$defs", {})
    data = {key: value for key, value in data.items() if key != "$defs"}
    parts, more = _parts()
    either = _briefly({"anyOf": [data, _NULL]})
    fields = {
        "request_id": {"type": "string"},
        "success": {"type": "boolean"},
        "data": {**either, "description": "null where the call failed"},
        **parts,
        "metadata": {"type": "object", "description": "index, generation, usage of a language model, files"},
        "execution_time_ms": {"type": "number"},
        "reasoning_trace": {"type": ["string", "null"]},
    }
    whole = {"type": "object", "properties": fields, "required": list(fields), "additionalProperties": False}
    return {**whole, "$defs": {**defined, **more}}


@cache
def _parts() -> tuple[JsonDict, Mapping[str, Any]]:
    """Return the schemas of error and warnings, and what they refer to."""
    error, warning = (
        brief(terse(tidy(TypeAdapter(noun).json_schema()))) for noun in (ToolError, ToolWarning)
    )
    maybe = {"anyOf": [{"$ref": "#/$defs/ToolError"}, _NULL]}
    told = {"type": "array", "items": {"$ref": "#/$defs/ToolWarning"}}
    return {"error": maybe, "warnings": told}, {"ToolError": error, "ToolWarning": warning}
