"""JSON schemas in few words, of dialect 2020-12, the protocol's own, that a reader of draft 7 takes alike."""

from collections.abc import Callable
from typing import Any

from corpusgraph.schemas.base import JsonDict

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
    """Return a tidy schema without prose and empty defaults, which docs/tools.md has."""
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
