"""What entities and relationships are worth to a prize-collecting tree, by their ranks (He et al. 2024)."""

import math
from collections.abc import Callable, Mapping, Sequence

import numpy as np

from corpusgraph.schemas.errors import InvalidInputError
from corpusgraph.schemas.graph import EntityRef
from corpusgraph.schemas.ports import GraphView
from corpusgraph.tasks.graph.compiled import compiled, relationship_ids
from corpusgraph.tasks.graph.links import Links, linked
from corpusgraph.tasks.graph.pcst import PrizedEdge


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
