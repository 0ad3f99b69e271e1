"""Subgraphs: paths, trees, the graph around entities, and paths chosen by a language model."""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from math import fsum
from typing import Annotated, Literal

import numpy as np
from pydantic import AliasChoices, BeforeValidator, Field, NonNegativeInt, PositiveFloat, PositiveInt

from corpusgraph.schemas.base import JsonDict
from corpusgraph.schemas.errors import InvalidInputError
from corpusgraph.schemas.graph import EntityRef, Graph, Path
from corpusgraph.schemas.ports import Embedder, GraphView, Ints, LanguageModel
from corpusgraph.schemas.results import Noted, Scored, ToolInput, warned
from corpusgraph.tasks.graph.centrality import components_of
from corpusgraph.tasks.graph.compiled import chunk_ids, compiled, distinct, edge_of, mentions, stated
from corpusgraph.tasks.graph.inputs import (
    EntityRefs,
    Query,
    Seeds,
    Way,
    path_of,
    paths_given,
    resolved,
    seeds,
)
from corpusgraph.tasks.graph.paths import (
    CEILING,
    RAISE,
    UNREACHED,
    HopCeiling,
    Order,
    Route,
    Routes,
    clamped,
    has_attribute,
    hops,
    linked,
    unreached,
)
from corpusgraph.tasks.graph.ranking import likeness
from corpusgraph.tasks.graph.steiner import (
    Forest,
    PrizedEdge,
    Pruning,
    Tree,
    prize_collecting_tree,
    steiner_forest,
)
from corpusgraph.tasks.graph.verbal import verbalise_path
from corpusgraph.tasks.llm.judging import judge_batches
from corpusgraph.tasks.llm.prompting import fenced, nothing, numbered, prompt, query_cut, question, scorer
from corpusgraph.tasks.registry import Reads, tool

# Tool 15: the short paths between entities.


class SubgraphKhopPaths(ToolInput):
    """From which entities, to which, and how far."""

    start_entities: EntityRefs
    end_entities: Annotated[EntityRefs | None, Reads("entities")] = Field(
        None, description="where the paths end; without them, paths among the start entities"
    )
    k: PositiveInt = Field(2, description="relationships of a path at most")
    max_paths: PositiveInt = Field(10, description="how many paths at most")
    method: Literal["greedy", "chain", "shortest"] | None = Field(
        None,
        description="shortest (unless given, with end entities): the best paths of each start and end; "
        "greedy (unless given, without): from the first entity one path to each other within k, then from "
        "the first that is not reached yet; chain: on from the nearest entity to the nearest not yet visited",
    )
    weighted: bool = Field(False, description="least cost first (1 / weight), not fewest relationships")
    direction: Way = Field("both", description="out: from source to target; in: from target to source")
    relationship_types: list[str] | None = Field(None, description="follow these types only")
    parallel_edges: bool = Field(
        False, description="a path for each of several relationships of two entities, not for the strongest"
    )
    hop_ceiling: HopCeiling = CEILING


@tool(
    15,
    needs="Entity.id, Relationship.id source_id target_id",
    optional="Relationship.weight type",
    adds="Scored.score components.edges components.cost",
    cite="Zhou et al. 2025, arXiv:2503.04338, operator Subgraph.KhopPath; Li et al. 2024 (DALK); Yen 1971",
    aliases=("T63",),
)
def subgraph_khop_paths(ask: SubgraphKhopPaths, graph: GraphView) -> Noted[list[Scored[Path]]]:
    """Find paths of at most k relationships: fewest first, of equals the least cost, then in order of ids.

    No path visits an entity twice, except a chain, which may pass one again on its way to the next. A path
    that another one begins with is left out of greedy paths.
    """
    k, notes = clamped("k", ask.k, ask.hop_ceiling, RAISE)
    order: Order = "cost" if ask.weighted else "hops"
    routes = Routes(graph, k, ask.direction, order, ask.relationship_types, ask.parallel_edges)
    at = compiled(graph).at
    starts = [at[entity.id] for entity in resolved(graph, ask.start_entities)]
    ends = [at[entity.id] for entity in resolved(graph, ask.end_entities or ())]
    method = ask.method or ("shortest" if ask.end_entities else "greedy")
    if method == "shortest":
        found, without = routes.pairs(starts, ends or starts, ask.max_paths)
        best = routes.merged(found, ask.max_paths)
        lost = unreached(without, f"No path of at most {k} relationships leads between", graph)
    else:
        walk = greedy if method == "greedy" else chain
        best = walk(routes, list(dict.fromkeys([*starts, *ends])))
        ids, visited = compiled(graph).ids, {node for route in best for node in route.nodes}
        alone = [ids[node] for node in dict.fromkeys([*starts, *ends]) if node not in visited]
        lost = unreached(alone, f"Within {k} relationships no path leads to another entity from", graph)
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
    begun = longer.edges[:n] == shorter.edges and longer.nodes[: n + 1] == shorter.nodes
    return begun and len(longer.edges) > n


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


# Tool 16: the cheapest tree that joins entities, or the one worth most.


def ranks(
    given: Sequence[EntityRef] | Mapping[EntityRef, float], find: Callable[[EntityRef], str], kind: str
) -> dict[str, float]:
    """Return id -> score, best first, equals in order of ids; of a list, each is worth more than the next.

    Parameters
    ----------
    given : sequence of EntityRef or mapping of EntityRef to float
        Items, best first, or items with scores.
    find : callable
        Reference -> id.
    kind : str
        Of the items, for messages.

    Returns
    -------
    dict of str to float
        Of an item that comes twice, the better score.

    Raises
    ------
    InvalidInputError
        For a score that is not finite.

    """
    if not isinstance(given, Mapping):
        ids = list(dict.fromkeys(find(ref) for ref in given))
        return {id_: float(len(ids) - place) for place, id_ in enumerate(ids)}
    wrong = [str(ref) for ref, score in given.items() if not math.isfinite(score)]
    if wrong:
        raise InvalidInputError(f"The score of {kind} {', '.join(wrong[:5])} is no finite number.")
    found: dict[str, float] = {}
    for ref, score in given.items():
        id_ = find(ref)
        found[id_] = max(score, found.get(id_, -math.inf))
    return dict(sorted(found.items(), key=lambda pair: (-pair[1], pair[0])))


def edge_prizes(scores: Mapping[str, float], top_k: int, c: float) -> dict[str, float]:
    """Return the prizes of relationships with the best `top_k` scores.

    Those of one score share the prize of their rank, and each rank's prize is below the one before by the
    share `c` at least.

    Parameters
    ----------
    scores : mapping of str to float
        Relationship id -> score.
    top_k : int
        Different scores that have a prize.
    c : float
        Share by which prizes fall from rank to rank, 0 to 1.

    Returns
    -------
    dict of str to float
        Above 0; relationships without a prize are not in it (He et al. 2024, G-Retriever).

    """
    levels = sorted(set(scores.values()), reverse=True)[:top_k]
    prizes: dict[str, float] = {}
    most = float(len(levels))
    for place, level in enumerate(levels):
        alike = sorted(id_ for id_, score in scores.items() if score == level)
        prize = min((len(levels) - place) / len(alike), most)
        prizes |= dict.fromkeys(alike, prize)
        most = prize * (1 - c)
    return prizes


MOST = {"mehlhorn": 1000, "kou": 64, "pcst": 1000}
"""Terminals at most."""


class SubgraphSteinerTree(ToolInput):
    """What to join, and what an edge costs."""

    terminal_entities: Seeds = Field(description="entities to join; of scored ones, pcst makes prizes")
    weight_attribute: str | None = Field(
        None,
        description="strength of a relationship: weight (unless given), confidence or an attribute; its cost "
        "is 1 / strength, and a relationship without one has strength 1",
    )
    algorithm: Literal["mehlhorn", "kou", "pcst"] = Field(
        "mehlhorn",
        description="mehlhorn and kou: a tree of at most twice the least cost; pcst: the tree worth most, by "
        "prizes of entities and relationships less costs of edges",
    )
    relationships: Annotated[
        list[EntityRef] | dict[EntityRef, float] | None, BeforeValidator(seeds), Reads("relationships")
    ] = Field(None, description="of pcst: relationships with prizes, best first, or relationship: score")
    top_k: PositiveInt = Field(
        10,
        le=50,
        description="of pcst: the best so many have prizes, from that number for the first down to 1",
    )
    cost_e: PositiveFloat = Field(
        0.5, description="of pcst: cost of an edge; divided by its strength where weight_attribute is given"
    )
    c: float = Field(0.01, ge=0, lt=1, description="of pcst: share by which prizes of lower rank are below")
    pruning: Pruning = Field("gw", description="of pcst: gw as in the paper, or strong: the best subtree")


@tool(
    16,
    needs="Entity.id, Relationship.id source_id target_id",
    optional="Relationship.weight confidence attributes",
    adds="Graph.metadata",
    cite="Mehlhorn 1988; Kou, Markowsky & Berman 1981; Goemans & Williamson 1995; He et al. 2024, "
    "arXiv:2402.07630 (G-Retriever); Zhou et al. 2025, arXiv:2503.04338, operator Subgraph.Steiner",
    aliases=("T64",),
)
def subgraph_steiner_tree(ask: SubgraphSteinerTree, graph: GraphView) -> Noted[Graph]:
    """Join entities by a cheap tree, whichever way relationships point; what cannot be joined is named.

    Where no path leads between some of them the result is a forest, and `metadata.unreached` and a warning
    name what is outside its first tree, which joins the most.
    """
    named = ranks(ask.terminal_entities, lambda ref: graph.entity(ref).id, "entity")
    if len(named) > MOST[ask.algorithm]:
        raise InvalidInputError(
            f"{ask.algorithm} joins at most {MOST[ask.algorithm]} entities, not {len(named)}.",
            hint="Give the best ones" + (", or use mehlhorn." if ask.algorithm == "kou" else "."),
        )
    tree, told = (_pcst if ask.algorithm == "pcst" else _steiner)(ask, graph, named)
    data = Graph(
        nodes=tuple(graph.entities[i] for i in tree.nodes),
        edges=tuple(graph.relationships[i] for i in tree.edges),
        metadata={"algorithm": ask.algorithm, "terminals": sorted(named), "cost": tree.cost, **told},
    )
    lost = unreached(told["unreached"], "No path joins the tree to", graph)
    name = ask.weight_attribute
    lacking = name is not None and not has_attribute(graph, name)
    message = f"No relationship has {name!r}, so all are equally strong."
    return Noted(data=data, warnings=(*lost, *warned("missing_attribute", message, when=lacking)))


def _steiner(ask: SubgraphSteinerTree, graph: GraphView, named: dict[str, float]) -> tuple[Forest, JsonDict]:
    arrays, links = compiled(graph), linked(graph, attribute=ask.weight_attribute)
    forest = steiner_forest(links, [arrays.at[id_] for id_ in named], components_of(graph))
    return forest, {
        "unreached": sorted(arrays.ids[i] for i in forest.unreached),
        "trees": [sorted(arrays.ids[i] for i in group) for group in forest.groups],
    }


def _pcst(ask: SubgraphSteinerTree, graph: GraphView, named: dict[str, float]) -> tuple[Tree, JsonDict]:
    arrays, components, attribute = compiled(graph), components_of(graph), ask.weight_attribute
    best = list(named)[: ask.top_k]
    prizes = {arrays.at[id_]: float(len(best) - place) for place, id_ in enumerate(best)}
    scored = ranks(ask.relationships or [], lambda ref: graph.relationship(ref).id, "relationship")
    by_edge = edge_prizes(scored, ask.top_k, ask.c)
    cost_e = min(ask.cost_e, max(by_edge.values(), default=math.inf) * (1 - ask.c / 2))
    links = linked(graph, attribute=attribute, parallel=True)
    cost = np.full(len(links.cost), cost_e) if attribute is None else links.cost * cost_e
    # A relationship from an entity to itself joins nothing, nor does one that texts only deny.
    edges = [
        PrizedEdge(at, int(arrays.source[at]), int(arrays.target[at]), prize)
        for at, prize in ((edge_of(graph, id_), prize) for id_, prize in by_edge.items())
        if arrays.is_stated[at] and arrays.source[at] != arrays.target[at]
    ]
    tree = prize_collecting_tree(replace(links, cost=cost), prizes, edges, ask.pruning)
    outside = [id_ for id_ in sorted(named) if arrays.at[id_] not in tree.nodes]
    home = {int(components[node]) for node in tree.nodes}
    apart = [id_ for id_ in outside if int(components[arrays.at[id_]]) not in home]
    left_out = [id_ for id_ in outside if id_ not in apart]
    return tree, {"prize": tree.prize, "cost_e": cost_e, "unreached": apart, "left_out": left_out}


# Tool 17: let a language model keep the paths that help to answer a question.

FILTER = (
    "You answer questions over a knowledge graph. Each line is a path through the graph. Score each path "
    "from 0 to 1 by how much its facts help to answer the question. Give one mark for each path: its number, "
    "its score, and why in a few words."
)
INSTEAD = "paths are kept by their likeness to the question"
PER_CALL = 40
"""Paths that the model sees at once."""


class SubgraphAgentFilter(ToolInput):
    """The paths and the question."""

    paths: Annotated[list[Path | list[EntityRef]], BeforeValidator(paths_given), Reads("paths")] = Field(
        description="paths, or lists of entities that follow each other; may be empty"
    )
    query: Query
    max_paths: PositiveInt = Field(5, description="how many paths at most")


@tool(
    17,
    needs="Entity.id, Relationship.id source_id target_id",
    optional="Entity.name, Relationship.type",
    cite="Li et al. 2024, arXiv:2405.04819 (DALK); Zhou et al. 2025, arXiv:2503.04338, Subgraph.AgentPath",
    aliases=("T65",),
)
def subgraph_agent_filter(
    ask: SubgraphAgentFilter, graph: GraphView, embedder: Embedder, llm: LanguageModel | None
) -> Noted[list[Scored[Path]]]:
    """Keep the paths that help to answer a question, best first; the score is their relevance from 0 to 1.

    What the model scores 0 is not kept. Without a model, its likeness to the question decides.
    """
    paths = list(dict.fromkeys(path_of(graph, given) for given in ask.paths))
    if not paths:
        none = nothing("path")
        return Noted(data=[], warnings=(none,), reasoning_trace=none.message)
    lines = [verbalise_path(graph, path) for path in paths]
    judged, warnings = judge_batches(
        llm,
        lines,
        PER_CALL,
        lambda at: prompt(FILTER, question(ask.query), fenced("Paths", numbered(lines[at.start : at.stop]))),
        lambda at: dict(zip(at, likeness(ask.query, lines[at.start : at.stop], embedder), strict=True)),
        INSTEAD,
    )
    helpful = [at for at, score in judged.scores.items() if score > 0]
    order = sorted(helpful, key=lambda at: (-judged.scores[at], at))[: ask.max_paths]
    by = scorer(llm, warnings)
    data = [
        Scored[Path](item=paths[at], score=judged.scores[at], rank=rank, scorer=by)
        for rank, at in enumerate(order, start=1)
    ]
    trace = "\n".join(f"{lines[at]}: {score:.2f}{judged.why(at)}" for at, score in judged.scores.items())
    return Noted(data=data, warnings=(*query_cut(ask.query, llm), *warnings), reasoning_trace=trace)


# The graph of some entities, what is near them, and every relationship between these.


class InducedSubgraph(ToolInput):
    """Around which entities, how far, and by which relationships."""

    entities: EntityRefs
    hops: NonNegativeInt = Field(0, description="0: the entities alone; 1: their neighbours too")
    relationship_types: list[str] | None = Field(None, description="follow and return these types only")
    min_weight: float = Field(
        0.0, ge=0, description="follow and return relationships of this weight at least"
    )
    include_chunks: bool = Field(
        False, description="list in metadata.chunk_ids what mentions the entities or states the relationships"
    )
    hop_ceiling: HopCeiling = CEILING


@tool(
    needs="Entity.id, Relationship.id source_id target_id",
    optional="Relationship.type weight, Chunk.entities relationships",
    adds="Graph.metadata",
    cite="Bondy & Murty 2008, Graph Theory, section 2.2",
    aliases=("T53",),
)
def induced_subgraph(ask: InducedSubgraph, graph: GraphView) -> Noted[Graph]:
    """Return entities, those within some hops, and every relationship that has both ends among them.

    One that texts only deny (`not_…`) is shown, and leads nowhere.
    """
    far, notes = clamped("hops", ask.hops, ask.hop_ceiling, RAISE)
    arrays = compiled(graph)
    given = np.array(sorted(arrays.at[entity.id] for entity in resolved(graph, ask.entities)), dtype=np.int64)
    keep = arrays.weight >= ask.min_weight
    if ask.relationship_types is not None:
        keep &= arrays.of_types(ask.relationship_types)
    inside = hops(arrays, given.tolist(), far, keep) != UNREACHED
    nodes = np.flatnonzero(inside)
    edges = np.flatnonzero(keep & inside[arrays.source] & inside[arrays.target])
    entities, relationships = graph.entities, graph.relationships
    metadata: JsonDict = {"entities": [arrays.ids[i] for i in given.tolist()], "hops": far}
    if ask.include_chunks:
        metadata["chunk_ids"] = _chunks(graph, nodes, edges)
    data = Graph(
        nodes=tuple(entities[i] for i in nodes.tolist()),
        edges=tuple(relationships[i] for i in edges.tolist()),
        metadata=metadata,
    )
    return Noted(data=data, warnings=notes)


def _chunks(graph: GraphView, nodes: Ints, edges: Ints) -> list[str]:
    """Return the ids of chunks that mention one of the nodes or state one of the edges, in order of ids."""
    mentioned, states, ids = mentions(graph), stated(graph), chunk_ids(graph)
    found = [mentioned.item[mentioned.of(i)] for i in nodes.tolist()]
    found += [states.item[states.of(i)] for i in edges.tolist()]
    return [ids[i] for i in distinct(np.concatenate(found)).tolist()] if found else []


# The shortest paths between two groups of entities.


class ShortestPaths(ToolInput):
    """Between which entities, and what is short."""

    source_entities: Annotated[
        EntityRefs, Field(validation_alias=AliasChoices("source_entities", "start_entities", "source"))
    ]
    target_entities: Annotated[EntityRefs | None, Reads("entities")] = Field(
        None,
        validation_alias=AliasChoices("target_entities", "end_entities", "target"),
        description="where the paths end; without them, paths among the source entities",
    )
    weighted: bool = Field(False, description="least cost (1 / weight), not fewest relationships")
    top_k: PositiveInt = Field(
        1, validation_alias=AliasChoices("top_k", "limit", "max_paths"), description="paths of each pair"
    )
    max_hops: int = Field(6, ge=1, le=20, description="relationships of a path at most")
    direction: Way = Field("both", description="out: from source to target; in: from target to source")
    relationship_types: list[str] | None = Field(None, description="follow these types only")


@tool(
    needs="Entity.id, Relationship.id source_id target_id",
    optional="Relationship.weight type",
    adds="Scored.score components.edges components.cost",
    cite="Yen 1971; Dijkstra 1959",
    aliases=("T54",),
)
def shortest_paths(ask: ShortestPaths, graph: GraphView) -> Noted[list[Scored[Path]]]:
    """Find the shortest paths of each source and target, the shortest of all first."""
    order: Order = "cost" if ask.weighted else "hops"
    routes = Routes(graph, ask.max_hops, ask.direction, order, ask.relationship_types)
    at = compiled(graph).at
    sources = [at[entity.id] for entity in resolved(graph, ask.source_entities)]
    targets = [at[entity.id] for entity in resolved(graph, ask.target_entities or ())]
    found, without = routes.pairs(sources, targets or sources, ask.top_k)
    lost = unreached(without, f"No path of at most {ask.max_hops} relationships leads between", graph)
    return Noted(data=routes.scored(routes.merged(found)), warnings=(*lost, *routes.warnings()))
