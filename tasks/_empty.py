"""Why a tool found nothing."""

from typing import Any

from corpusgraph.schemas.results import ToolWarning

_KINDS = ("entities", "relationships", "chunks", "communities")


def why_empty(graph: Any) -> ToolWarning:
    """Return a warning for an empty list of results: what the graph lacks, or that nothing in it fits."""
    lacking = [kind for kind in _KINDS if graph is not None and not len(getattr(graph, kind))]
    why = f"the index has no {', no '.join(lacking)}" if lacking else "nothing fits what was asked"
    return ToolWarning(code="nothing_found", message=f"There are no results: {why}.")
