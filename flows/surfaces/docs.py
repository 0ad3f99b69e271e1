"""Tables about the tools, made from the registry: the list on the command line and docs/tools.md.

Run as a program it writes every page of docs that is made from code.
"""

from pathlib import Path
from typing import Any

from corpusgraph.flows.surfaces.docs_matrix import matrix_lines
from corpusgraph.schemas.base import JsonDict
from corpusgraph.schemas.results import ToolInput
from corpusgraph.tasks._tool import Tool, load

_INTRODUCTION = (
    "Made from the registry by `make docs`; the tests fail when it is not current. Every tool also takes "
    "`index`, `request_id`, `timestamp` and `client_context`, and answers in the envelope `ToolResult`."
)
_HIDDEN = frozenset(ToolInput.model_fields)


def tool_list() -> list[JsonDict]:
    """Return name, number, family, what it does, and what it reads and writes, of every tool."""
    return [
        {
            "name": tool.name,
            "number": tool.number,
            "family": tool.family,
            "does": tool.doc,
            "reads": dict(tool.reads),
            "writes": tool.writes,
            "needs": sorted(tool.needs),
            "optional": sorted(tool.optional),
            "adds": sorted(tool.adds),
            "ports": list(tool.ports),
            "aliases": list(tool.aliases),
            "cite": tool.cite,
        }
        for tool in load().values()
    ]


def tool_text() -> str:
    """Return the list as lines for a terminal."""
    rows = [(str(tool.number or ""), tool.name, tool.doc) for tool in load().values()]
    width = max(len(name) for _, name, _ in rows)
    return "\n".join(f"{number:>3}  {name:<{width}}  {doc}" for number, name, doc in rows)


def tools_page() -> str:
    """Return docs/tools.md."""
    tools = load()
    lines = [
        "# Tools",
        "",
        _INTRODUCTION,
        "",
        "| # | tool | does | reads | writes |",
        "|--:|---|---|---|---|",
    ]
    lines += [_row(tool) for tool in tools.values()]
    lines += ["", *matrix_lines(tools.values())]
    for tool in tools.values():
        lines += ["", *_section(tool)]
    return "\n".join(lines) + "\n"


def _row(tool: Tool) -> str:
    reads = _codes(set(tool.reads.values())) or _codes({"graph"} & set(tool.ports))
    return f"| {tool.number or ''} | [{tool.name}](#{tool.name}) | {tool.doc} | {reads} | `{tool.writes}` |"


def _codes(names: frozenset[str] | set[str]) -> str:
    return ", ".join(f"`{name}`" for name in sorted(names))


def _section(tool: Tool) -> list[str]:
    lines = [f"## {tool.name}", "", tool.doc]
    if tool.cite:
        lines += ["", f"Source: {tool.cite}"]
    if tool.aliases:
        lines += ["", f"Also called {', '.join(f'`{alias}`' for alias in tool.aliases)}."]
    lines += ["", "| argument | type | default | meaning |", "|---|---|---|---|"]
    properties = tool.input_schema()["properties"]
    required = set(tool.input_schema().get("required", ()))
    for name, schema in properties.items():
        if name not in _HIDDEN and name != "context":
            default = "required" if name in required else f"`{_literal(schema.get('default'))}`"
            lines.append(
                f"| `{name}` | {_kind(schema)} | {default} | {_cell(schema.get('description', ''))} |"
            )
    return lines


def _literal(value: Any) -> str:
    import json

    return json.dumps(value, ensure_ascii=False)


def _kind(schema: JsonDict) -> str:
    """Return a short name of a JSON schema type."""
    if "enum" in schema:
        return " \\| ".join(f"`{value}`" for value in schema["enum"])
    if "anyOf" in schema:
        return " or ".join(dict.fromkeys(_kind(option) for option in schema["anyOf"]))
    if "$ref" in schema:
        return str(schema["$ref"]).rpartition("/")[2]
    if schema.get("type") == "array":
        return f"list of {_kind(schema.get('items', {}))}"
    return str(schema.get("const", schema.get("type", "any")))


def _cell(text: str) -> str:
    return " ".join(text.split()).replace("|", "\\|")


def pages() -> dict[str, str]:
    """Return the pages that are made from code: file name below docs -> text."""
    from corpusgraph.flows.surfaces.docs_presets import presets_page
    from corpusgraph.flows.surfaces.docs_studies import studies_page

    return {"tools.md": tools_page(), "studies.md": studies_page(), "presets.md": presets_page()}


def main() -> None:
    """Write the pages below the current folder."""
    for name, text in pages().items():
        (Path("docs") / name).write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
