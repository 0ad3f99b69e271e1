"""Tool 3: rank entities by a random walk that keeps returning to its seeds."""

from typing import Literal

import numpy as np
from pydantic import Field, PositiveInt

from corpusgraph.schemas.errors import InvalidInputError
from corpusgraph.schemas.graph import Entity
from corpusgraph.schemas.ports import GraphView
from corpusgraph.schemas.results import Noted, Scored, ToolInput, warned
from corpusgraph.tasks.graph.compiled import compiled, mentions, node_of
from corpusgraph.tasks.graph.inputs import Seeds, TopK, summed
from corpusgraph.tasks.graph.ppr import personalised_pagerank
from corpusgraph.tasks.graph.ranking import best, ranked
from corpusgraph.tasks.registry import tool


class EntityPprRank(ToolInput):
    """Where the walk starts and how far it may wander."""

    seed_entities: Seeds
    damping_factor: float = Field(0.85, gt=0, lt=1, description="probability of following an edge")
    top_k: TopK = 10
    max_iterations: PositiveInt = Field(100, description="steps of the power iteration at most")
    reset: Literal["uniform", "weights", "node_specificity", "similarity"] = Field(
        "weights",
        description="how much each seed draws the walk back: all alike; by its weight (1 in a list); "
        "by weight divided by the number of chunks that mention it; by similarity, where below 0 counts as 0",
    )
    directed: bool = Field(False, description="follow relationships from source to target only")
    relationship_types: list[str] | None = Field(None, description="follow these types only")


@tool(
    3,
    writes="entities",
    needs={"Relationship.source_id", "Relationship.target_id"},
    optional={"Relationship.weight", "Relationship.type", "Chunk.entities"},
    adds={"Scored.score", "Scored.components.reset"},
    cite="Zhou et al. 2025, arXiv:2503.04338, operator Node.PPR; Haveliwala 2002; "
    "reset by specificity: Gutiérrez et al. 2024 (HippoRAG)",
)
def entity_ppr_rank(ask: EntityPprRank, graph: GraphView) -> Noted[list[Scored[Entity]]]:
    """Rank entities by personalised PageRank from the seeds; an unknown seed is an error."""
    arrays = compiled(graph)
    pull = np.zeros(len(arrays.ids))
    for node, weight in _reset(ask, graph).items():
        pull[node] = weight
    matrix = arrays.adjacency(directed=ask.directed, types=ask.relationship_types)
    walk = personalised_pagerank(matrix, pull, damping=ask.damping_factor, max_iterations=ask.max_iterations)
    pull /= pull.sum()
    rows = (
        (graph.entities[i], walk.scores[i], {"reset": float(pull[i])}) for i in best(walk.scores, ask.top_k)
    )
    changed = f"The walk still changed by {walk.residual:.1e} after {walk.iterations} iterations"
    notes = warned("not_converged", f"{changed}; raise max_iterations.", when=not walk.converged)
    return Noted(data=ranked(rows, "ppr"), warnings=notes)


def _reset(ask: EntityPprRank, graph: GraphView) -> dict[int, float]:
    """Return the weight of each seed, by node."""
    given = ask.seed_entities
    pairs = given.items() if isinstance(given, dict) else ((ref, 1.0) for ref in given)
    found = [(node_of(graph, ref), float(weight)) for ref, weight in pairs]
    if ask.reset == "similarity":
        found = [(node, max(weight, 0.0)) for node, weight in found]
    elif ask.reset == "node_specificity":
        chunks = mentions(graph).sizes
        found = [(node, weight / max(1, int(chunks[node]))) for node, weight in found]
    if not isinstance(given, dict) or ask.reset == "uniform":
        found = list(dict(found).items())  # a list that names an entity twice means it once
    if ask.reset == "uniform":
        found = [(node, 1.0) for node, _ in found]
    if not all(np.isfinite(weight) and weight >= 0 for _, weight in found) or not any(w for _, w in found):
        raise InvalidInputError(
            f"Seed weights must be finite, not negative and not all zero, not {given!r}.",
            hint="For cosine similarities, which may be negative, use reset: similarity.",
        )
    return summed(found)
