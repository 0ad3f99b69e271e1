"""Why a tool found nothing."""

from collections.abc import Iterable
from typing import Any

from corpusgraph.schemas.results import ToolWarning

_KINDS = {
    "Entity": "entities",
    "Relationship": "relationships",
    "Chunk": "chunks",
    "Community": "communities",
}


def why_empty(data: Any, graph: Any, writes: str, needs: Iterable[str]) -> tuple[ToolWarning, ...]:
    """Return a warning for an empty list: what a tool looks at and the graph lacks, or that nothing fits.

    `writes` is the tool's port, `needs` the attributes it needs, such as Chunk.content.
    """
    if not isinstance(data, list) or data:
        return ()
    nouns = {attribute.partition(".")[0] for attribute in needs}
    looked_at = [kind for noun, kind in _KINDS.items() if noun in nouns or kind == writes]
    lacking = [kind for kind in looked_at if graph is not None and not len(getattr(graph, kind))]
    why = f"the index has no {', no '.join(lacking)}" if lacking else "nothing fits what was asked"
    return (ToolWarning(code="nothing_found", message=f"There are no results: {why}."),)
