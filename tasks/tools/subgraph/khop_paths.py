"""Tool 15: the short paths between entities."""

from math import fsum
from typing import Annotated, Literal

from pydantic import AliasChoices, BeforeValidator, Field, PositiveInt

from corpusgraph.schemas.graph import Path
from corpusgraph.schemas.ports import GraphView
from corpusgraph.schemas.results import Noted, Scored, ToolInput
from corpusgraph.tasks.graph.compiled import compiled
from corpusgraph.tasks.graph.inputs import SPELLINGS, EntityRefs, directions, resolved
from corpusgraph.tasks.graph.paths import Direction, Order, Route
from corpusgraph.tasks.graph.routes import CEILING, RAISE, HopCeiling, Routes, clamped, unreached
from corpusgraph.tasks.registry import Reads, tool

Method = Literal["greedy", "chain", "shortest"]


class SubgraphKhopPaths(ToolInput):
    """From which entities, to which, and how far."""

    start_entities: Annotated[EntityRefs, Field(validation_alias=AliasChoices("start_entities", "entities"))]
    end_entities: Annotated[EntityRefs | None, Reads("entities")] = Field(
        None, description="where the paths end; without them, paths among the start entities"
    )
    k: PositiveInt = Field(
        2,
        validation_alias=AliasChoices("k", "max_hops", "depth", "max_depth", "maxDepth", "hop_distance"),
        description="relationships of a path at most",
    )
    max_paths: PositiveInt = Field(
        10,
        validation_alias=AliasChoices("max_paths", "top_k", "limit", "maxResults"),
        description="how many paths at most",
    )
    method: Method | None = Field(
        None,
        description="shortest (unless given, with end entities): the best paths of each start and end; "
        "greedy (unless given, without): from the first entity one path to each other within k, then from "
        "the first that is not reached yet; chain: on from the nearest entity to the nearest not yet visited",
    )
    weighted: bool = Field(False, description="least cost first (1 / weight), not fewest relationships")
    direction: Annotated[Direction, BeforeValidator(directions(SPELLINGS))] = Field(
        "both", description="out: from source to target; in: from target to source"
    )
    relationship_types: list[str] | None = Field(None, description="follow these types only")
    parallel_edges: bool = Field(
        False, description="a path for each of several relationships of two entities, not for the strongest"
    )
    hop_ceiling: HopCeiling = CEILING

    @property
    def order(self) -> Order:
        """What makes a path better than another."""
        return "cost" if self.weighted else "hops"


@tool(
    15,
    writes="paths",
    needs={"Entity.id", "Relationship.id", "Relationship.source_id", "Relationship.target_id"},
    optional={"Relationship.weight", "Relationship.type"},
    adds={"Scored.score", "Scored.components.edges", "Scored.components.cost"},
    cite="Zhou et al. 2025, arXiv:2503.04338, operator Subgraph.KhopPath; Li et al. 2024 (DALK); Yen 1971",
    aliases=("T63",),
)
def subgraph_khop_paths(ask: SubgraphKhopPaths, graph: GraphView) -> Noted[list[Scored[Path]]]:
    """Find paths of at most k relationships: fewest first, of equals the least cost, then in order of ids.

    No path visits an entity twice, except a chain, which may pass one again on its way to the next. A path
    that another one begins with is left out of greedy paths.
    """
    hops, notes = clamped("k", ask.k, ask.hop_ceiling, RAISE)
    routes = Routes(graph, hops, ask.direction, ask.order, ask.relationship_types, ask.parallel_edges)
    at = compiled(graph).at
    starts = [at[entity.id] for entity in resolved(graph, ask.start_entities)]
    ends = [at[entity.id] for entity in resolved(graph, ask.end_entities or ())]
    method = ask.method or ("shortest" if ask.end_entities else "greedy")
    if method == "shortest":
        found, without = routes.pairs(starts, ends or starts, ask.max_paths)
        best = routes.merged(found, ask.max_paths)
        lost = unreached(without, f"No path of at most {hops} relationships leads between", graph)
    else:
        walk = greedy if method == "greedy" else chain
        best = walk(routes, list(dict.fromkeys([*starts, *ends])))
        ids, visited = compiled(graph).ids, {node for route in best for node in route.nodes}
        alone = [ids[node] for node in dict.fromkeys([*starts, *ends]) if node not in visited]
        lost = unreached(alone, f"Within {hops} relationships no path leads to another entity from", graph)
        best = best[: ask.max_paths]
    return Noted(data=routes.scored(best), warnings=(*notes, *lost, *routes.warnings()))


def greedy(routes: Routes, entities: list[int]) -> list[Route]:
    """Return a path from the first entity to each other within reach, and so on with the entities left.

    This is the operator's walk with each path kept apart, as each begins at the start: the nearest other
    entity, then the next nearest from the same start, until none is within reach.

    Parameters
    ----------
    routes : Routes
        Between places.
    entities : list of int
        Places, the first being the start.

    Returns
    -------
    list of Route
        Best first; one that another begins with is left out.

    """
    found: list[Route] = []
    while entities:
        start, *entities = entities
        reached = routes.first(start, entities)
        found += reached
        entities = [entity for entity in entities if entity not in {route.nodes[-1] for route in reached}]
    best = routes.merged([[route] for route in found])
    return [route for route in best if not any(_begins(other, route) for other in best)]


def _begins(longer: Route, shorter: Route) -> bool:
    n = len(shorter.edges)
    return (
        len(longer.edges) > n and longer.edges[:n] == shorter.edges and longer.nodes[: n + 1] == shorter.nodes
    )


def chain(routes: Routes, entities: list[int]) -> list[Route]:
    """Return walks that go on from each entity to the nearest not yet visited, one for each fresh start.

    Parameters
    ----------
    routes : Routes
        Between places.
    entities : list of int
        Places, the first being the start.

    Returns
    -------
    list of Route
        Best first; an entity that nothing reaches has no walk.

    """
    walks: list[Route] = []
    while entities:
        start, *entities = entities
        walk: list[Route] = []
        while near := routes.first(start, entities)[:1]:
            walk += near
            start = near[0].nodes[-1]
            entities = [entity for entity in entities if entity not in near[0].nodes]
        if walk:
            walks.append(_joined(walk))
    return routes.merged([[walk] for walk in walks])


def _joined(parts: list[Route]) -> Route:
    nodes = (parts[0].nodes[0], *(node for part in parts for node in part.nodes[1:]))
    key = (fsum(part.key[0] for part in parts), fsum(part.key[1] for part in parts))
    edges = tuple(edge for part in parts for edge in part.edges)
    return Route(key, nodes, edges, fsum(part.cost for part in parts))
