"""The compatibility matrix of docs/tools.md: what each tool needs, can use, adds, answers and feeds."""

from collections.abc import Iterable
from typing import Any, get_args, get_origin

from corpusgraph.tasks._tool import Tool
from corpusgraph.tasks.method.compatibility import matrix

_FEEDS = (
    "A tool feeds another when it writes what the other reads, or something of which a part is that. Each "
    "pair below is run by the tests, and each pair that is not below is refused by `corpusgraph method "
    "check` with its reason."
)
_SETTLED = (
    "An earlier design listed by hand which of its tools T49 to T67 go together. Where its list and the types"
    " of what the tools read and write disagree, the types decide:"
)
LISTED = {
    "T49": "T51 T52 T53 T54 T55 T63 T64 T65 T66 T67",
    "T50": "T51 T56 T57 T58 T59",
    "T51": "T53 T54 T63 T64 T65",
    "T52": "T53 T54 T63 T64 T65 T66 T67",
    "T53": "T57 T58 T66 T67",
    "T54": "T57 T65",
    "T55": "T50 T53 T59",
    "T56": "T57 T58",
    "T59": "T50 T53",
    "T60": "T57 T58",
    "T61": "T57 T58",
    "T62": "T57 T58",
    "T63": "T57 T65",
    "T64": "T57 T66",
    "T65": "T57",
    "T66": "T67",
    "T67": "T66",
}
"""Tool -> the tools that the earlier design says it goes with."""


def output_name(kind: Any) -> str:
    """Return a type as a reader writes it: `list[Scored[Entity]]`."""
    origin = get_origin(kind)
    if origin is not None:
        return f"{origin.__name__}[{', '.join(output_name(part) for part in get_args(kind))}]"
    made = getattr(kind, "__pydantic_generic_metadata__", {"origin": None})
    if made["origin"]:
        return f"{made['origin'].__name__}[{', '.join(output_name(part) for part in made['args'])}]"
    return str(getattr(kind, "__name__", kind))


def feeds_of(tools: Iterable[Tool]) -> dict[str, list[str]]:
    """Return tool -> the tools it feeds."""
    listed = list(tools)
    pairs = matrix(listed)
    return {a.name: [b.name for b in listed if pairs[a.name, b.name].ok] for a in listed}


def refused(tools: Iterable[Tool]) -> list[tuple[str, str, str]]:
    """Return (tool, tool, reason) of the pairs that the earlier design lists and the types refuse."""
    listed = list(tools)
    pairs = matrix(listed)
    named = {alias: tool.name for tool in listed for alias in tool.aliases}
    wanted = [(named[a], named[b]) for a, many in LISTED.items() for b in many.split()]
    return [(a, b, pairs[a, b].reason) for a, b in wanted if not pairs[a, b].ok]


def matrix_lines(tools: Iterable[Tool]) -> list[str]:
    """Return the section's lines."""
    listed = list(tools)
    fed = feeds_of(listed)
    lines = ["## Which tool feeds which", "", _FEEDS, ""]
    lines += ["| tool | needs | can use | adds | output | feeds |", "|---|---|---|---|---|---|"]
    for tool in listed:
        output = output_name(tool.output).replace("|", "\\|")
        cells = [*(_codes(sorted(part)) for part in (tool.needs, tool.optional, tool.adds)), f"`{output}`"]
        lines.append(f"| {tool.name} | {' | '.join(cells)} | {', '.join(fed[tool.name])} |")
    lines += ["", _SETTLED, "", "| from | to | why not |", "|---|---|---|"]
    return lines + [f"| {a} | {b} | {reason} |" for a, b, reason in refused(listed)]


def _codes(names: Iterable[str]) -> str:
    return ", ".join(f"`{name}`" for name in names)
