"""Which tool feeds which, and why the others do not: the compatibility matrix, from the ports alone."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from corpusgraph.tasks.method.check import turning
from corpusgraph.tasks.method.kinds import PARTS, Kind, form_for
from corpusgraph.tasks.registry import Tool, load


@dataclass(frozen=True)
class Feed:
    """Whether one tool's result can be another's input: `field`, and how or why not in words.

    `part` is what of the result is read, where it is not the result itself: `$tree.entities`.
    """

    ok: bool
    reason: str
    field: str | None = None
    part: str | None = None


def feeds(first: Tool, second: Tool) -> Feed:
    """Tell whether `second` can read what `first` writes: it reads the port, or a part of it."""
    writing = next((tool.name for tool in (first, second) if tool.effect != "reads"), None)
    if writing is not None:
        return Feed(False, f"{writing} changes the index, and a question must not")
    kind = Kind(first.writes, first.output)
    named_so = sorted(second.reads, key=lambda field: field != first.writes)
    for field, port in ((field, second.reads[field]) for field in named_so):
        if port == first.writes and form_for(second, field, kind) is not None:
            return Feed(True, f"{second.name}.{field} reads {port}", field)
    for field, port in second.reads.items():
        if port in PARTS.get(first.writes, ()):
            reason = f"{second.name}.{field} reads the {port} of its {first.writes}"
            return Feed(True, reason, field, port)
    return Feed(False, _why_not(first, second))


def _why_not(first: Tool, second: Tool) -> str:
    if not second.reads:
        start = "the question" if "query" in second.input.model_fields else "what the caller gives"
        return f"{second.name} reads no result of another tool: it starts from {start}"
    ports = dict.fromkeys(second.reads.values())
    wanted = " and ".join(ports)
    if first.writes in ports:
        return f"{second.name} reads {first.writes} of another shape than {first.name} writes"
    if not any(first.writes in tool.reads.values() for tool in load().values()) and first.writes not in PARTS:
        return f"{first.name} ends a chain: no tool reads {first.writes}"
    reason = f"{second.name} reads {wanted}, {first.name} writes {first.writes}"
    between = next((found for port in ports if (found := turning(first.writes, port))), None)
    return (
        f"{reason}; {between} stands between them"
        if between
        else f"{reason}, and no tool turns one into the other"
    )


def matrix(tools: Iterable[Tool]) -> Mapping[tuple[str, str], Feed]:
    """Return the relation of every ordered pair of tools, by their names."""
    listed = list(tools)
    return {(a.name, b.name): feeds(a, b) for a in listed for b in listed}
