"""Tool 16: the cheapest tree that joins entities, or the one worth most."""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Annotated, Literal

import numpy as np
from pydantic import BeforeValidator, Field, PositiveFloat, PositiveInt

from corpusgraph.schemas.base import JsonDict
from corpusgraph.schemas.errors import InvalidInputError
from corpusgraph.schemas.graph import EntityRef, Graph
from corpusgraph.schemas.ports import GraphView
from corpusgraph.schemas.results import Noted, ToolInput, warned
from corpusgraph.tasks.graph.centrality import components_of
from corpusgraph.tasks.graph.compiled import compiled, edge_of
from corpusgraph.tasks.graph.inputs import Seeds, seeds
from corpusgraph.tasks.graph.paths import has_attribute, linked
from corpusgraph.tasks.graph.routes import unreached
from corpusgraph.tasks.graph.steiner import (
    Forest,
    PrizedEdge,
    Pruning,
    Tree,
    prize_collecting_tree,
    steiner_forest,
)
from corpusgraph.tasks.registry import Reads, tool


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
    tree, told = (_pcst if ask.algorithm == "pcst" else _steiner)(ask, graph, named)
    data = Graph(
        nodes=tuple(graph.entities[i] for i in tree.nodes),
        edges=tuple(graph.relationships[i] for i in tree.edges),
        metadata={"algorithm": ask.algorithm, "terminals": sorted(named), "cost": tree.cost, **told},
    )
    lost = unreached(told["unreached"], "No path joins the tree to", graph)
    name = ask.weight_attribute
    lacking = name is not None and not has_attribute(graph, name)
    note = warned(
        "missing_attribute", f"No relationship has {name!r}, so all are equally strong.", when=lacking
    )
    return Noted(data=data, warnings=(*lost, *note))


def _steiner(ask: SubgraphSteinerTree, graph: GraphView, named: dict[str, float]) -> tuple[Forest, JsonDict]:
    arrays, links = compiled(graph), linked(graph, attribute=ask.weight_attribute)
    forest = steiner_forest(links, [arrays.at[id_] for id_ in named], components_of(graph))
    return forest, {
        "unreached": sorted(arrays.ids[i] for i in forest.unreached),
        "trees": [sorted(arrays.ids[i] for i in group) for group in forest.groups],
    }


def _pcst(ask: SubgraphSteinerTree, graph: GraphView, named: dict[str, float]) -> tuple[Tree, JsonDict]:
    arrays, components, attribute = compiled(graph), components_of(graph), ask.weight_attribute
    best = sorted(named, key=lambda id_: (-named[id_], id_))[: ask.top_k]
    prizes = {arrays.at[id_]: float(len(best) - place) for place, id_ in enumerate(best)}
    scored = ranks(ask.relationships or [], lambda ref: graph.relationship(ref).id, "relationship")
    by_edge = edge_prizes(scored, ask.top_k, ask.c)
    cost_e = min([ask.cost_e, *([max(by_edge.values()) * (1 - ask.c / 2)] if by_edge else [])])
    links = linked(graph, attribute=attribute, parallel=True)
    cost = np.full(len(links.cost), cost_e) if attribute is None else links.cost * cost_e
    # A relationship from an entity to itself joins nothing, nor does one that texts only deny.
    places = [(edge_of(graph, id_), prize) for id_, prize in by_edge.items()]
    edges = [
        PrizedEdge(at, int(arrays.source[at]), int(arrays.target[at]), prize)
        for at, prize in places
        if arrays.is_stated[at] and arrays.source[at] != arrays.target[at]
    ]
    tree = prize_collecting_tree(replace(links, cost=cost), prizes, edges, ask.pruning)
    outside = [id_ for id_ in sorted(named) if arrays.at[id_] not in tree.nodes]
    home = {int(components[node]) for node in tree.nodes}
    apart = [id_ for id_ in outside if int(components[arrays.at[id_]]) not in home]
    left_out = [id_ for id_ in outside if id_ not in apart]
    return tree, {"prize": tree.prize, "cost_e": cost_e, "unreached": apart, "left_out": left_out}
