"""How important entities are for the graph: centralities."""

from collections.abc import Mapping
from typing import Annotated, Any, Literal

import numpy as np
from pydantic import AfterValidator, AliasChoices, BeforeValidator, Field, PositiveInt

from corpusgraph.schemas.base import Noun
from corpusgraph.schemas.graph import Entity
from corpusgraph.schemas.ports import GraphView
from corpusgraph.schemas.results import Noted, Scored, ToolInput, ToolWarning, warned
from corpusgraph.tasks.graph.centrality import (
    Power,
    betweenness,
    eigenvector,
    hits,
    nearness,
    pagerank,
    sampled,
)
from corpusgraph.tasks.graph.compiled import CompiledGraph, Doubles, compiled
from corpusgraph.tasks.graph.inputs import TopK, resolved
from corpusgraph.tasks.graph.ranking import ranked
from corpusgraph.tasks.registry import tool
from corpusgraph.tasks.tools.memory._columns import Least, Types, chosen, unknown_types
from corpusgraph.tasks.tools.memory._inputs import MaybeEntities, as_list

Measure = Literal[
    "pagerank",
    "betweenness",
    "degree",
    "in_degree",
    "out_degree",
    "strength",
    "in_strength",
    "out_strength",
    "closeness",
    "harmonic",
    "eigenvector",
    "hubs",
    "authorities",
]
BY_PATHS = frozenset({"betweenness", "closeness", "harmonic"})
EXACT = 20_000_000
"""Nodes times relationships up to which all shortest paths are looked at: some seconds."""
SAMPLES = 256


def _each_once(measures: list[Measure]) -> list[Measure]:
    if len(set(measures)) < len(measures):
        raise ValueError("measures names one twice")
    return measures


class GraphCentrality(ToolInput):
    """Which measures, over which part of the graph."""

    measures: Annotated[list[Measure], BeforeValidator(as_list), AfterValidator(_each_once)] = Field(
        ["pagerank", "betweenness", "degree"],
        min_length=1,
        validation_alias=AliasChoices("measures", "measure", "metrics", "metric"),
        description="what to compute; entities are ranked by the first. degree counts relationships, "
        "strength sums their weights; pagerank, eigenvector, hubs and authorities go by weight; "
        "betweenness, closeness and harmonic go by the number of steps",
    )
    entities: MaybeEntities = None
    top_k: TopK = 10
    directed: bool = Field(
        False, description="follow relationships from source to target; hubs and authorities always do"
    )
    normalised: bool = Field(
        True,
        validation_alias=AliasChoices("normalised", "normalized"),
        description="degrees divided by n - 1 and betweenness by the number of pairs; false: counts",
    )
    samples: PositiveInt | None = Field(
        None,
        description="entities from which shortest paths are looked for; unless given, all where the graph "
        "allows, else 256: an estimate, told by a warning",
    )
    damping_factor: float = Field(
        0.85, gt=0, lt=1, description="of pagerank: probability of following an edge"
    )
    relationship_types: Types = None
    min_weight: Least = 0.0


class Centralities(Noun):
    """Entities by the first measure, each with all measures as components."""

    success: Literal[True] = True
    entity_count: int
    relationship_count: int = Field(description="relationships looked at")
    measures: list[Measure] = Field(description="those computed, in the order asked for")
    estimated: list[Measure] = Field(description="measures estimated from a sample of entities")
    samples: int | None = Field(description="entities that shortest paths were looked for from")
    entities: list[Scored[Entity]]


@tool(
    writes="centralities",
    needs={"Entity.id", "Relationship.source_id", "Relationship.target_id"},
    optional={"Relationship.weight", "Relationship.type"},
    adds={"Scored.score", "Scored.components.pagerank", "Scored.components.betweenness"},
    cite="Page et al. 1999; Freeman 1979; Brandes 2001; Brandes & Pich 2007; Wasserman & Faust 1994; "
    "Marchiori & Latora 2000; Bonacich 1972; Kleinberg 1999",
)
def graph_centrality(ask: GraphCentrality, graph: GraphView) -> Noted[Centralities]:
    """Measure how central entities are: PageRank, betweenness, degrees, closeness, eigenvector, hubs.

    A measure that does not converge (an eigenvector where relationships make no circle) is left out with a
    warning; where it is the first, entities are ranked by the next.
    """
    arrays = chosen(compiled(graph), ask.relationship_types, ask.min_weight)
    n, m = len(arrays.ids), len(arrays.source)
    sources = sampled(n, ask.samples or (n if n * m <= EXACT else SAMPLES))
    values, warnings = _measured(ask, arrays, sources)
    rough = [m for m in ask.measures if m in BY_PATHS and len(sources) < n]
    message = f"{', '.join(rough)}: estimated from the paths of {len(sources)} of {n} entities."
    return Noted(
        data=Centralities(
            entity_count=n,
            relationship_count=m,
            measures=list(values),
            estimated=rough,
            samples=len(sources) if BY_PATHS & set(ask.measures) else None,
            entities=_ranked(ask, graph, values),
        ),
        warnings=(
            *warnings,
            *warned("estimated", message, when=rough),
            *unknown_types(graph, ask.relationship_types),
        ),
    )


def _ranked(ask: GraphCentrality, graph: GraphView, values: Mapping[Any, Doubles]) -> list[Scored[Entity]]:
    """Rank entities by the first measure; of equals, the first by id."""
    if not values:
        return []
    first = next(iter(values))
    scores, at = values[first], compiled(graph).at
    if ask.entities is None:
        nodes = np.lexsort((np.arange(len(scores)), -scores))[: ask.top_k].tolist()
    else:
        nodes = [at[entity.id] for entity in resolved(graph, ask.entities)]
    rows = (
        (graph.entities[i], float(scores[i]), {name: float(found[i]) for name, found in values.items()})
        for i in nodes
    )
    return ranked(rows, str(first), ask.top_k)


def _measured(
    ask: GraphCentrality, arrays: CompiledGraph, sources: Any
) -> tuple[dict[Measure, Doubles], list[ToolWarning]]:
    found = {
        **_by_counting(ask, arrays),
        **_by_paths(ask, arrays, sources),
        **_by_walking(ask, arrays),
    }
    lost = [name for name in ask.measures if found[name] is None]
    warnings = [
        ToolWarning(code="not_converged", message=f"{name} does not converge on this graph.") for name in lost
    ]
    return {name: found[name] for name in ask.measures if name not in lost}, warnings


def _by_counting(ask: GraphCentrality, arrays: CompiledGraph) -> dict[Any, Any]:
    """Count relationships and sum weights; a self-loop counts once."""
    n = len(arrays.ids)
    scale = 1 / max(1, n - 1) if ask.normalised else 1.0
    apart = arrays.source != arrays.target
    inward = np.bincount(arrays.target, minlength=n).astype(float)
    outward = np.bincount(arrays.source, minlength=n).astype(float)
    received = np.bincount(arrays.target, arrays.weight, minlength=n)
    given = np.bincount(arrays.source, arrays.weight, minlength=n)
    total = received + np.bincount(arrays.source[apart], arrays.weight[apart], minlength=n)
    return {
        "degree": arrays.degrees * scale,
        "in_degree": inward * scale,
        "out_degree": outward * scale,
        "strength": total,
        "in_strength": received,
        "out_strength": given,
    }


def _by_paths(ask: GraphCentrality, arrays: CompiledGraph, sources: Any) -> dict[Any, Any]:
    if not BY_PATHS & set(ask.measures):
        return {}
    n, steps = len(arrays.ids), _steps(arrays, directed=ask.directed)
    found: dict[Any, Any] = {}
    if "betweenness" in ask.measures:
        pairs = (n - 1) * (n - 2) / (1 if ask.directed else 2)
        through = betweenness(steps, sources, directed=ask.directed)
        found["betweenness"] = through / pairs if ask.normalised and pairs > 0 else through
    if {"closeness", "harmonic"} & set(ask.measures):
        near = nearness(steps, sources, directed=ask.directed)
        found |= {"closeness": near.closeness, "harmonic": near.harmonic}
    return found


def _by_walking(ask: GraphCentrality, arrays: CompiledGraph) -> dict[Any, Any]:
    found: dict[Any, Any] = {}
    weights = arrays.adjacency(directed=ask.directed)
    if "pagerank" in ask.measures:
        walk = pagerank(weights, damping=ask.damping_factor, max_iterations=1000)
        found["pagerank"] = walk.scores if walk.converged else None
    if "eigenvector" in ask.measures:
        found["eigenvector"] = _settled(eigenvector(weights))
    if {"hubs", "authorities"} & set(ask.measures):
        hubs, authorities = hits(arrays.adjacency(directed=True))
        found |= {"hubs": _settled(hubs), "authorities": _settled(authorities)}
    return found


def _settled(power: Power) -> Doubles | None:
    return power.scores if power.converged else None


def _steps(arrays: CompiledGraph, *, directed: bool) -> Any:
    """Return the matrix of who is one step from whom: 0 and 1, without a diagonal."""
    steps = arrays.adjacency(directed=directed).copy()
    steps.data[:] = 1.0
    steps.setdiag(0)
    steps.eliminate_zeros()
    return steps
