"""How far tools of subgraphs look, and what they say about what they did not find."""

from typing import Annotated

from pydantic import Field

from corpusgraph.schemas.ports import GraphView
from corpusgraph.schemas.results import ToolWarning
from corpusgraph.tasks.graph.compiled import compiled

CEILING = 3
"""Three hops reach most of a dense graph."""

HopCeiling = Annotated[int, Field(ge=1, le=10, description="more hops than this are lowered to it")]


def clamped(name: str, asked: int, ceiling: int) -> tuple[int, tuple[ToolWarning, ...]]:
    """Return how far to look, and a warning where that is less than asked."""
    if asked <= ceiling:
        return asked, ()
    message = f"{name} {asked} was lowered to {ceiling}; raise hop_ceiling to look further."
    return ceiling, (ToolWarning(code="hops_clamped", message=message),)


def unreached(ids: list[str], what: str, graph: GraphView) -> tuple[ToolWarning, ...]:
    """Warn about the entities, or the pairs of them with a space between, that no path leads to."""
    if not ids:
        return ()
    shown = ", ".join(_named(id_, graph) for id_ in ids[:5])
    more = f" and {len(ids) - 5} more" if len(ids) > 5 else ""
    return (ToolWarning(code="unreached", message=f"{what}: {shown}{more}.", records=tuple(ids)),)


def _named(id_: str, graph: GraphView) -> str:
    """Return the name of an entity, or of both entities of a pair."""
    at = compiled(graph).at
    ids = [id_] if id_ in at else id_.split(" ")
    return " and ".join(graph.entities[at[one]].name if one in at else one for one in ids)
