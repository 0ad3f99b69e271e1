"""How many mentions each chunk has."""

from collections import defaultdict
from collections.abc import Mapping

from corpusgraph.schemas.ports import GraphView
from corpusgraph.tasks.graph.memo import per_graph


@per_graph
def mentions_of_chunks(graph: GraphView) -> Mapping[str, int]:
    """Return chunk id -> the number of its mentions of any entity."""
    found: dict[str, int] = defaultdict(int)
    for counts in graph.mention_counts().values():
        for chunk, count in counts.items():
            found[chunk] += count
    return found
