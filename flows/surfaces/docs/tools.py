"""One tool on docs/tools.md: what it does, arguments, answer, conditions, an example, the source."""

import json
from collections.abc import Iterable, Iterator
from typing import Any

from corpusgraph.flows.surfaces.docs.calls import answer_text, shown
from corpusgraph.flows.surfaces.docs.conditions import conditions
from corpusgraph.flows.surfaces.docs.matrix import output_name
from corpusgraph.schemas.base import JsonDict
from corpusgraph.schemas.results import ToolInput, ToolResult
from corpusgraph.tasks._tool import Tool

HIDDEN = frozenset(ToolInput.model_fields)
SHARED = 4
"""How many tools answer with a noun before it is described once for all, under Nouns."""

Example = tuple[JsonDict, ToolResult]


def section(tool: Tool, example: Example, nouns: frozenset[str]) -> list[str]:
    """Return the lines of a tool's section; `nouns` are described elsewhere."""
    return [
        f"## {tool.name}",
        "",
        *_what(tool),
        *_arguments(tool),
        *_answer(tool, nouns),
        *_conditions(tool),
        *_example(tool, example),
    ]


def noun_sections(tools: Iterable[Tool], nouns: frozenset[str]) -> list[str]:
    """Describe the nouns that several tools answer with."""
    known: dict[str, JsonDict] = {}
    for tool in tools:
        known |= tool.output_schema().get("$defs", {})
    lines = ["## Nouns", "", "What several tools answer with. `Scored` has `item`, `score` and `rank`.", ""]
    for name in sorted(nouns & known.keys()):
        lines += [f"### {name}", "", *_fields(known[name]), ""]
    return lines[:-1]


def shared_nouns(tools: Iterable[Tool]) -> frozenset[str]:
    """Return the models that several tools answer with; `Scored[…]` itself is described in a sentence."""
    times: dict[str, int] = {}
    for tool in tools:
        for name in tool.output_schema().get("$defs", {}):
            times[name] = times.get(name, 0) + 1
    return frozenset(n for n, count in times.items() if count >= SHARED and not n.startswith("Scored"))


def _what(tool: Tool) -> Iterator[str]:
    yield tool.long_doc
    if tool.cite:
        yield from ("", f"Source: {tool.cite}")
    if tool.aliases:
        yield from ("", f"Also called {', '.join(f'`{alias}`' for alias in tool.aliases)}.")
    if tool.effect != "reads":
        again = "" if tool.idempotent else "; a second call may change more"
        yield from (
            "",
            f"It {_EFFECTS[tool.effect]}{again}. Each call is one change, which can be undone.",
        )


_EFFECTS = {
    "adds": "adds to the index",
    "changes": "changes what is in the index",
    "removes": "takes something out of the index",
}


def hidden(tool: Tool, name: str) -> bool:
    """Tell an argument that every tool has; `context` is one, where a tool has none of its own."""
    return name in HIDDEN or (name == "context" and "context" not in tool.input.model_fields)


def _arguments(tool: Tool) -> Iterator[str]:
    schema = tool.input_schema()
    rows = {name: field for name, field in schema["properties"].items() if not hidden(tool, name)}
    if not rows:
        yield from ("", "It takes no arguments of its own.")
        return
    yield from ("", "| argument | type | default | meaning |", "|---|---|---|---|")
    required = set(schema.get("required", ()))
    for name, field in rows.items():
        default = "required" if name in required else f"`{_literal(field.get('default'))}`"
        meaning = _cell(field.get("description", ""))
        yield f"| `{name}` | {kind(field)}{_limits(field)} | {default} | {meaning} |"


def _answer(tool: Tool, nouns: frozenset[str]) -> Iterator[str]:
    yield from ("", f"Returns `{output_name(tool.output)}`.")
    schema = tool.output_schema()
    own = {n: d for n, d in schema.get("$defs", {}).items() if n not in nouns and not n.startswith("Scored")}
    if "properties" in schema:
        yield from ("", *_fields(schema))
    for name, noun in own.items():
        if "properties" in noun:
            yield from ("", f"`{name}`:", "", *_fields(noun))


def _fields(schema: JsonDict) -> list[str]:
    if "properties" not in schema:
        return [
            " \\| ".join(f"`{value}`" for value in schema.get("enum", ())) or _cell(str(schema.get("type")))
        ]
    lines = ["| field | type | meaning |", "|---|---|---|"]
    for name, field in schema["properties"].items():
        lines.append(f"| `{name}` | {kind(field)} | {_cell(field.get('description', ''))} |")
    return lines


def _conditions(tool: Tool) -> Iterator[str]:
    found = conditions(tool)
    yield from ("", f"Errors: {_codes(found.errors)}.")
    if found.warnings:
        yield from ("", f"Warnings: {_codes(found.warnings)}.")


def _example(tool: Tool, example: Example) -> Iterator[str]:
    arguments, result = example
    yield from (
        "",
        f"`{tool.name}` called with",
        "",
        "```json",
        shown(arguments) if arguments else "{}",
        "```",
    )
    yield from ("", "answers", "", "```json", answer_text(result), "```")


def _codes(names: Iterable[str]) -> str:
    return ", ".join(f"`{name}`" for name in names)


def _literal(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)


def kind(schema: JsonDict) -> str:
    """Return a short name of a JSON schema type."""
    if "enum" in schema:
        return " \\| ".join(f"`{value}`" for value in schema["enum"])
    if "anyOf" in schema:
        return " or ".join(dict.fromkeys(kind(option) for option in schema["anyOf"]))
    if "$ref" in schema:
        return str(schema["$ref"]).rpartition("/")[2]
    if schema.get("type") == "array":
        return f"list of {kind(schema.get('items', {}))}"
    return str(schema.get("const", schema.get("type", "any")))


_LIMITS = {"minimum": "≥", "exclusiveMinimum": ">", "maximum": "≤", "exclusiveMaximum": "<"}


def _limits(schema: JsonDict) -> str:
    """Return the limits of a number: ", ≥ 1, ≤ 3"."""
    options = [schema, *schema.get("anyOf", ())]
    found = [
        f"{sign} {option[word]:g}" for option in options for word, sign in _LIMITS.items() if word in option
    ]
    return f", {', '.join(found)}" if found else ""


def _cell(text: str) -> str:
    return " ".join(text.split()).replace("|", "\\|")
