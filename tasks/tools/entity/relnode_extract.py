"""Tool 2: the entities at the ends of relationships."""

import math
from typing import Literal

from pydantic import AliasChoices, Field, PositiveInt

from corpusgraph.schemas.errors import InvalidInputError
from corpusgraph.schemas.graph import Entity
from corpusgraph.schemas.ports import GraphView
from corpusgraph.schemas.results import Noted, Scored, ToolInput, warned
from corpusgraph.tasks.graph.compiled import CompiledGraph, compiled, edge_of, relationship_ids
from corpusgraph.tasks.graph.inputs import RelationshipsOrScores
from corpusgraph.tasks.graph.ranking import Row, ranked
from corpusgraph.tasks.registry import tool

Endpoint = Literal["source", "target", "both"]


class EntityRelnodeExtract(ToolInput):
    """Which relationships, and which of their ends."""

    relationships: RelationshipsOrScores
    direction: Endpoint = Field(
        "both",
        validation_alias=AliasChoices("direction", "endpoint"),
        description="which end of each relationship",
    )
    score_by: Literal["degree", "relationships"] = Field(
        "degree",
        description="relationships: the mean score of those of them that end there (1 where they have none)",
    )
    top_k: PositiveInt | None = Field(None, description="keep this many; all, unless given")


@tool(
    2,
    writes="entities",
    needs={"Relationship.id", "Relationship.source_id", "Relationship.target_id"},
    adds={"Scored.score"},
    cite="Zhou et al. 2025, arXiv:2503.04338, operator Node.RelNode; "
    "Gutiérrez et al. 2025, arXiv:2502.14802 (mean of facts)",
    aliases=("T50",),
)
def entity_relnode_extract(ask: EntityRelnodeExtract, graph: GraphView) -> Noted[list[Scored[Entity]]]:
    """Return the entities at the ends of the relationships, each once; the score is the degree.

    Or, as HippoRAG 2 weighs the ends of facts, the mean score of the relationships that end there. The ends
    of what texts only deny are left out, with a warning.
    """
    given = ask.relationships
    pairs = given.items() if isinstance(given, dict) else ((ref, 1.0) for ref in given)
    arrays, found, denied = compiled(graph), dict[int, dict[int, float]](), dict[str, None]()
    for ref, score in pairs:
        edge = edge_of(graph, ref)
        if not arrays.is_stated[edge]:
            denied[relationship_ids(graph)[edge]] = None
            continue
        for end in _ends(arrays, edge, ask.direction):
            found.setdefault(end, {})[edge] = float(score)
    if ask.score_by == "degree":
        scores = {node: float(arrays.degrees[node]) for node in found}
    elif not all(math.isfinite(score) for parts in found.values() for score in parts.values()):
        raise InvalidInputError("A relationship's score is not finite.", hint="Leave it out.")
    else:
        scores = {node: math.fsum(parts.values()) / len(parts) for node, parts in found.items()}
    order = sorted(scores, key=lambda node: (-scores[node], node))[: ask.top_k]  # nodes are in order of ids
    rows: list[Row[Entity]] = [(graph.entities[node], scores[node], {}) for node in order]
    message = f"{len(denied)} of the relationships are only denied: their ends are left out."
    return Noted(
        data=ranked(rows, "degree" if ask.score_by == "degree" else "mean"),
        warnings=warned("only_denied", message, denied, when=denied),
    )


def _ends(arrays: CompiledGraph, edge: int, endpoint: Endpoint) -> tuple[int, ...]:
    both = int(arrays.source[edge]), int(arrays.target[edge])
    if endpoint == "both":
        return tuple(dict.fromkeys(both))
    return both[:1] if endpoint == "source" else both[1:]
