"""Tables about the tools, made from the registry: the list on the command line and docs/tools.md.

`python -m corpusgraph.flows.docs` writes every page that is made from code.
"""

from collections.abc import Callable

from corpusgraph.flows.docs.tools import matrix_lines
from corpusgraph.schemas.base import JsonDict
from corpusgraph.tasks.registry import Tool, load

_INTRODUCTION = (
    "Made from the registry by `make docs`; the tests fail when it is not current. Every tool takes "
    "`index`, `filter`, `request_id`, `timestamp` and `client_context`, and answers in the envelope "
    "`ToolResult`; over MCP the tools of the family `memory` answer without the envelope. What the codes of "
    "errors and warnings mean: [exports.md](exports.md#codes), [operations.md](operations.md)."
)
_EXAMPLES = (
    "The examples were run on an index of these three texts; ids are the same wherever it is made. Long "
    "lists and texts are cut (…), and what is empty is left out."
)


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
    from corpusgraph.flows.docs.tools import TEXTS, example_calls, noun_sections, section, shared_nouns

    tools = load()
    calls, nouns = example_calls(), shared_nouns(tools.values())
    lines = [
        "# Tools",
        "",
        _INTRODUCTION,
        "",
        _EXAMPLES,
        "",
        *(f"- {name}: {text}" for name, text in TEXTS.items()),
        "",
        "| # | tool | does | reads | writes |",
        "|--:|---|---|---|---|",
    ]
    lines += [_row(tool) for tool in tools.values()]
    lines += ["", *matrix_lines(tools.values())]
    for tool in tools.values():
        lines += ["", *section(tool, calls[tool.name], nouns)]
    lines += ["", *noun_sections(tools.values(), nouns)]
    return "\n".join(lines) + "\n"


def _row(tool: Tool) -> str:
    reads = _codes(set(tool.reads.values())) or _codes({"graph"} & set(tool.ports))
    return f"| {tool.number or ''} | [{tool.name}](#{tool.name}) | {tool.doc} | {reads} | `{tool.writes}` |"


def _codes(names: frozenset[str] | set[str]) -> str:
    return ", ".join(f"`{name}`" for name in sorted(names))


def _studies() -> str:
    from corpusgraph.flows.docs.studies import studies_page

    return studies_page()


def _presets() -> str:
    from corpusgraph.flows.docs.presets import presets_page

    return presets_page()


PAGES: dict[str, Callable[[], str]] = {
    "tools.md": tools_page,
    "studies.md": _studies,
    "presets.md": _presets,
}
"""The pages that are made from code: file name below docs -> what makes its text."""
