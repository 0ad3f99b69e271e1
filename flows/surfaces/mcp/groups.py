"""Groups of tools, so that a client is offered what it needs and not everything there is.

A group is a family of the registry, one of the groups below, or a single tool by its name.
"""

from collections.abc import Mapping, Sequence

from corpusgraph.schemas.errors import InvalidInputError, did_you_mean
from corpusgraph.tasks._tool import FAMILIES, Tool

RETRIEVAL = frozenset({"entity", "relationship", "chunk", "subgraph", "community"})
_GRAPH = frozenset({"subgraph", "community"})
ALWAYS = "index"
"""Group of what every client is offered: which indexes and methods there are."""
ABOUT: dict[str, str] = {
    "retrieval": "operators that find entities, relationships, passages, subgraphs and communities",
    "graph": "what reads the graph as a whole: subgraphs, communities, paths, centralities",
    "memory": "what remembers: entities, observations and relationships added by hand, and questions to them",
    "writing": "tools that change an index",
    "prepare": "datasets for statistics, causal models, arguments and processes",
    "transform": "graphs to tables, tables to graphs, documents to both",
    "query": "what a question asks for",
    "answer": "answers and summaries with citations",
    ALWAYS: "which indexes and methods there are",
}


def groups_of(tool: Tool) -> frozenset[str]:
    """Return the groups a tool is in: its family, and others by what it does."""
    family = tool.family
    remembered = family == "memory" and tool.effect == "reads"
    return frozenset(
        name
        for name, there in (
            (family, True),
            ("retrieval", family in RETRIEVAL),
            ("graph", family in _GRAPH or remembered),
            ("writing", tool.effect != "reads"),
        )
        if there
    )


def known_groups() -> list[str]:
    """Return the names of all groups, those that say what they are for first."""
    return list(dict.fromkeys([*ABOUT, *FAMILIES]))


def chosen(wanted: Sequence[str], groups: Mapping[str, frozenset[str]]) -> list[str]:
    """Return the tools of the wanted groups, in their order; none named: all. An unknown one is an error.

    `groups` are the groups of each tool; a tool's own name may stand for a group.
    """
    words = [name.strip() for one in wanted for name in one.split(",") if name.strip()]
    if not words or "all" in words:
        return list(groups)
    known = [*known_groups(), "all", *groups]
    for name in words:
        if name not in known:
            hint = did_you_mean(name, known) or f"Groups: {', '.join(known_groups())}."
            raise InvalidInputError(f"There is no group of tools {name!r}.", hint=hint, code="unknown_group")
    names = {*words, ALWAYS}
    return [name for name, of in groups.items() if name in names or of & names]
