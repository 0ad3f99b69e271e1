"""Tool 16: the cheapest tree that joins entities, or the one worth most."""

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Annotated, Literal

import numpy as np
from pydantic import BeforeValidator, Field, PositiveFloat, PositiveInt

from corpusgraph.schemas.base import JsonDict
from corpusgraph.schemas.errors import InvalidInputError
from corpusgraph.schemas.graph import EntityRef, Graph
from corpusgraph.schemas.ports import GraphView
from corpusgraph.schemas.results import Noted, ToolInput, ToolWarning
from corpusgraph.tasks.graph.centrality import components_of
from corpusgraph.tasks.graph.compiled import compiled, relationship_ids
from corpusgraph.tasks.graph.inputs import Seeds, seeds
from corpusgraph.tasks.graph.paths import Links, has_attribute, linked
from corpusgraph.tasks.graph.routes import unreached
from corpusgraph.tasks.graph.steiner import PrizedEdge, Pruning, prize_collecting_tree, steiner_forest
from corpusgraph.tasks.registry import Reads, tool


def ranks(
    given: Sequence[EntityRef] | Mapping[EntityRef, float], find: Callable[[EntityRef], str], kind: str
) -> dict[str, float]:
    """Return id -> score, best first, equals in order of ids; of a list, each is worth more than the next."""
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


def node_prizes(scores: Mapping[str, float], top_k: int) -> dict[str, float]:
    """Return the prizes of the best `top_k` entities: 1 for the last, 1 more for each before it."""
    best = sorted(scores.items(), key=lambda pair: (-pair[1], pair[0]))[:top_k]
    return {id_: float(len(best) - place) for place, (id_, _) in enumerate(best)}


def edge_prizes(scores: Mapping[str, float], top_k: int, c: float) -> dict[str, float]:
    """Return the prizes of relationships with the best `top_k` scores.

    Those of one score share the prize of their rank, and each rank's prize is below the one before by the
    share `c` at least.
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


def priced(
    graph: GraphView, attribute: str | None, cost_e: float, prizes: Mapping[str, float]
) -> tuple[Links, list[PrizedEdge]]:
    """Return all links at `cost_e`, or `cost_e` / strength where an attribute tells, and edges with prizes.

    A relationship from an entity to itself joins nothing, nor does one that texts only deny: neither has a
    prize.
    """
    links = linked(graph, attribute=attribute, parallel=True)
    cost = np.full(len(links.cost), cost_e) if attribute is None else links.cost * cost_e
    arrays, ids = compiled(graph), relationship_ids(graph)
    found = []
    for id_, prize in prizes.items():
        edge = ids.find(id_)
        if edge is not None and arrays.is_stated[edge] and arrays.source[edge] != arrays.target[edge]:
            found.append(PrizedEdge(edge, int(arrays.source[edge]), int(arrays.target[edge]), prize))
    return Links(links.start, links.node, links.edge, cost), found


MOST = {"mehlhorn": 1000, "kou": 64, "pcst": 1000}
"""Terminals at most: kou looks up the distance of every two."""


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
    writes="subgraph",
    needs={"Entity.id", "Relationship.id", "Relationship.source_id", "Relationship.target_id"},
    optional={"Relationship.weight", "Relationship.confidence", "Relationship.attributes"},
    adds={"Graph.metadata"},
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
    found = _pcst(ask, graph, named) if ask.algorithm == "pcst" else _steiner(ask, graph, list(named))
    nodes, edges, told = found
    entities, relationships = graph.entities, graph.relationships
    metadata = {"algorithm": ask.algorithm, "terminals": sorted(named), **told}
    data = Graph(
        nodes=tuple(entities[i] for i in nodes),
        edges=tuple(relationships[i] for i in edges),
        metadata=metadata,
    )
    lost = unreached(told["unreached"], "No path joins the tree to", graph)
    return Noted(data=data, warnings=(*lost, *_unweighted(ask, graph)))


Found = tuple[tuple[int, ...], tuple[int, ...], JsonDict]


def _steiner(ask: SubgraphSteinerTree, graph: GraphView, terminals: list[str]) -> Found:
    arrays = compiled(graph)
    links = linked(graph, attribute=ask.weight_attribute)
    algorithm: Literal["kou", "mehlhorn"] = "kou" if ask.algorithm == "kou" else "mehlhorn"
    forest = steiner_forest(links, [arrays.at[id_] for id_ in terminals], components_of(graph), algorithm)
    told = {
        "cost": forest.cost,
        "unreached": sorted(arrays.ids[i] for i in forest.unreached),
        "trees": [sorted(arrays.ids[i] for i in group) for group in forest.groups],
    }
    return forest.nodes, forest.edges, told


def _pcst(ask: SubgraphSteinerTree, graph: GraphView, terminals: dict[str, float]) -> Found:
    arrays, components = compiled(graph), components_of(graph)
    prizes = {arrays.at[id_]: prize for id_, prize in node_prizes(terminals, ask.top_k).items()}
    scored = ranks(ask.relationships or [], lambda ref: graph.relationship(ref).id, "relationship")
    by_edge = edge_prizes(scored, ask.top_k, ask.c)
    cost_e = min([ask.cost_e, *([max(by_edge.values()) * (1 - ask.c / 2)] if by_edge else [])])
    links, edges = priced(graph, ask.weight_attribute, cost_e, by_edge)
    tree = prize_collecting_tree(links, prizes, edges, components, ask.pruning)
    inside = set(tree.nodes)
    outside = [id_ for id_ in sorted(terminals) if arrays.at[id_] not in inside]
    home = {int(components[node]) for node in inside}
    apart = [id_ for id_ in outside if int(components[arrays.at[id_]]) not in home]
    told = {
        "cost": tree.cost,
        "prize": tree.prize,
        "cost_e": cost_e,
        "unreached": apart,
        "left_out": [id_ for id_ in outside if id_ not in apart],
    }
    return tree.nodes, tree.edges, told


def _unweighted(ask: SubgraphSteinerTree, graph: GraphView) -> tuple[ToolWarning, ...]:
    name = ask.weight_attribute
    if name is None or has_attribute(graph, name):
        return ()
    message = f"No relationship has {name!r}, so all are equally strong."
    return (ToolWarning(code="missing_attribute", message=message),)
