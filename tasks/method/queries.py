"""What is read out of the question before the steps: `$query.entities`, `$query.keywords.low`."""

from collections.abc import Iterable, Mapping
from typing import Any

from corpusgraph.tasks.method.kinds import TEXTS, Kind, part_of, parts_of
from corpusgraph.tasks.method.tools import find_tool
from corpusgraph.tasks.method.values import Held

EXTRACTORS = {"entities": "query_extract_entities", "keywords": "query_extract_keywords"}
"""What is extracted -> the tool that does it."""


def kind_of_query(wanted: Iterable[str]) -> Kind:
    """Return the kind of `$query`, with the parts that a method asks for."""
    parts: dict[str, Kind] = {}
    for what in wanted:
        tool = find_tool(EXTRACTORS[what])
        whole = Kind("query", tool.output if tool is not None else None)
        if what == "keywords":
            parts["keywords"] = whole
        else:
            parts |= {name: part_of(whole, name) or Kind(TEXTS) for name in parts_of(whole)}
    return Kind("what is read out of the question", parts=parts)


def query_parts(made: Mapping[str, Any]) -> Held:
    """Return what `$query` holds, of the results of its extractors."""
    kind = kind_of_query(made)
    parts = {
        name: made[name] if name == "keywords" else getattr(made["entities"], name)
        for name in kind.parts or {}
    }
    return Held(parts, kind)
