"""The most items a step gives, and the most calls of a language model it makes: upper estimates."""

from collections.abc import Mapping
from typing import Any

from corpusgraph.tasks._tool import Tool
from corpusgraph.tasks.method.kinds import LISTS
from corpusgraph.tasks.method.refs import parsed, references_in

REPLY_TOKENS = 500
"""Tokens a structured reply may have."""
CONTEXT_TOKENS = 2000
"""Tokens a prompt may have where no input caps it."""
ITEM_TOKENS = 300
"""Tokens a piece of a context may have: a community's report, a passage."""
UNCAPPED = 100
"""Items counted for a step that gives all there are."""
NAMES = 5
"""Names or keywords counted for a question."""
CAPS = ("top_k", "width", "max_paths", "max_relationships", "max_entities")
"""Inputs that cap what a step gives, the first that a tool has."""

Caps = dict[str, int]
"""Reference, without the dollar sign -> the most items it holds."""


def value_of(tool: Tool, inputs: Mapping[str, Any], name: str) -> Any:
    """Return what an input is: as given, or its default; None where the tool has no such input."""
    info = tool.input.model_fields.get(name)
    return inputs.get(name, info.default) if info is not None else None


def cap_of(tool: Tool, inputs: Mapping[str, Any]) -> int:
    """Return the most items a step gives."""
    values = (value_of(tool, inputs, name) for name in CAPS)
    uncapped = UNCAPPED if tool.writes in {*LISTS, "subgraph", "items"} else 1
    return next((value for value in values if isinstance(value, int)), uncapped)


def most(written: Any, caps: Caps) -> int:
    """Return the most items that a value of a method holds."""
    found = 0
    for text in references_in(written):
        each = [str(reference).removeprefix("$") for reference in parsed(text) or ()]
        found += max((caps.get(name, caps.get(name.partition(".")[0], 1)) for name in each), default=1)
    return found


def calls_of(tool: Tool, inputs: Mapping[str, Any], caps: Caps) -> int:
    """Return the most calls of one run of a step that may use a language model.

    Map and reduce: one for each group and one for all. Folds: one each. A tool with a `width` judges item by
    item what leads from it; one with a `batch` goes through the levels of communities. Any other asks once.
    """
    read = {field: most(inputs[field], caps) for field in tool.reads if field in inputs}
    mode = value_of(tool, inputs, "mode")
    if mode == "map_reduce":
        whole = sum(read.values()) * ITEM_TOKENS
        return 1 + max(1, -(-whole // int(value_of(tool, inputs, "group_tokens"))))
    if isinstance(folds := value_of(tool, inputs, "folds"), int):
        return folds
    if tool.writes == "entities" and "relationships" in tool.reads and "relationships" not in read:
        return 1  # candidates that no relationship leads to are judged together
    if mode in {None, "prune"} and isinstance(width := value_of(tool, inputs, "width"), int):
        return max(1, next(iter(read.values()), 1)) * (width if tool.writes == "entities" else 1)
    if isinstance(batch := value_of(tool, inputs, "batch"), int):
        levels = 1 + int(value_of(tool, inputs, "max_layer") or 0)
        return levels * -(-UNCAPPED // batch)
    return 1


def tokens_of(tool: Tool, inputs: Mapping[str, Any]) -> int:
    """Return the most tokens of one call, prompt and reply."""
    group = value_of(tool, inputs, "group_tokens") if inputs.get("mode") == "map_reduce" else None
    context = group or value_of(tool, inputs, "max_context_tokens")
    return (context if isinstance(context, int) else CONTEXT_TOKENS) + REPLY_TOKENS
