"""Tool 19: the communities of the coarse levels."""

from typing import Literal

from pydantic import Field, NonNegativeInt, PositiveInt

from corpusgraph.schemas.graph import Community
from corpusgraph.schemas.ports import GraphView
from corpusgraph.schemas.results import Scored, ToolInput
from corpusgraph.tasks.graph.communities import deepest_to, occurrence, reported
from corpusgraph.tasks.graph.ranking import ranked, then
from corpusgraph.tasks.registry import tool


class CommunityByLayer(ToolInput):
    """Down to which level, and how big or important at least."""

    max_layer: NonNegativeInt = Field(description="finest level to look at; 0 is the coarsest")
    min_size: PositiveInt | None = Field(None, description="least number of entities")
    min_rating: float | None = Field(None, description="least rating, 0 to 10; one without a rating has 0")
    select: Literal["all", "deepest"] = Field(
        "all", description="every community, or of each entity only the finest one it is in"
    )
    top_k: PositiveInt | None = Field(None, description="keep this many; all, unless given")


@tool(
    19,
    writes="communities",
    needs={"Community.level"},
    optional={"Community.entity_ids", "Community.chunk_ids", "Community.summary", "Community.rating"},
    adds={
        "Scored.score",
        "Scored.components.occurrence",
        "Community.title",
        "Community.summary",
        "Community.rating",
    },
    cite="Zhou et al. 2025, arXiv:2503.04338, operator Community.Layer; Edge et al. 2024, arXiv:2404.16130",
    aliases=("T67",),
)
def community_by_layer(ask: CommunityByLayer, graph: GraphView) -> list[Scored[Community]]:
    """Return the communities at or above a level, those in most chunks first, then by rating."""
    within = [c for c in graph.communities if c.level <= ask.max_layer]
    if ask.select == "deepest":
        within = list(deepest_to(graph, ask.max_layer))
    kept = [reported(graph, c) for c in within if len(c.entity_ids) >= (ask.min_size or 0)]
    kept = [c for c in kept if ask.min_rating is None or (c.rating or 0.0) >= ask.min_rating]
    known = occurrence(graph)
    counts = {c.id: known[c.id] for c in kept}
    most = max(counts.values(), default=0) or 1
    rows = (
        (c, then(counts[c.id], max(c.rating or 0.0, 0.0)), {"occurrence": counts[c.id] / most}) for c in kept
    )
    return ranked(rows, "occurrence", ask.top_k)
