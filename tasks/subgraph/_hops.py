"""How far tools of subgraphs look, and what they say about what they did not find."""

from typing import Annotated

from pydantic import Field

from corpusgraph.schemas.results import ToolWarning

CEILING = 3
"""Three hops reach most of a dense graph."""

HopCeiling = Annotated[int, Field(ge=1, le=10, description="more hops than this are lowered to it")]


def clamped(name: str, asked: int, ceiling: int) -> tuple[int, tuple[ToolWarning, ...]]:
    """Return how far to look, and a warning where that is less than asked."""
    if asked <= ceiling:
        return asked, ()
    message = f"{name} {asked} was lowered to {ceiling}; raise hop_ceiling to look further."
    return ceiling, (ToolWarning(code="hops_clamped", message=message),)


def unreached(names: list[str], what: str) -> tuple[ToolWarning, ...]:
    """Warn about what no path leads to."""
    if not names:
        return ()
    shown = ", ".join(names[:5]) + (f" and {len(names) - 5} more" if len(names) > 5 else "")
    return (ToolWarning(code="unreached", message=f"{what}: {shown}.", records=tuple(names)),)
