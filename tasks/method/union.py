"""Joining ranked lists: of a union's results, or of a loop's rounds."""

from collections.abc import Sequence
from math import fsum
from typing import Any

from corpusgraph.schemas.method import Union
from corpusgraph.schemas.results import Scored
from corpusgraph.tasks.method.kinds import scored
from corpusgraph.tasks.method.ports import bare

RRF_K = 60
"""Damps the lead of first places in reciprocal rank fusion (Cormack, Clarke & Büttcher 2009)."""


def key_of(one: Any) -> str:
    """Return what makes two items the same: the id, or a path's ends and edges."""
    item = bare(one)
    return str(item.id) if hasattr(item, "id") else "|".join((*item.node_ids, *item.edge_ids))


def joined(lists: Sequence[Sequence[Any]], names: Sequence[str], union: Union) -> list[Scored[Any]]:
    """Return one list, best first, ties by id; components keep each list's own score under its name."""
    weights = union.weights or (1.0,) * len(lists)
    items: dict[str, Any] = {}
    parts: dict[str, dict[str, float]] = {}
    scores: dict[str, list[float]] = {}
    for name, found, weight in zip(names, lists, weights, strict=True):
        for one, score in zip(found, normalized([s.score for s in found], union.normalize), strict=True):
            key = key_of(one)
            items.setdefault(key, one.item)
            if name not in parts.setdefault(key, {}):
                parts[key][name] = float(one.score)
                scores.setdefault(key, []).append(_share(union.by, score, one.rank) * weight)
    total = {key: _total(union.by, each) for key, each in scores.items()}
    order = sorted(total, key=lambda key: (-total[key], key))
    if union.by == "first":
        order = list(total)  # dicts keep the order in which keys came
    return [
        scored(type(items[key]))(
            item=items[key], score=float(total[key]), rank=rank, scorer=union.by, components=parts[key]
        )
        for rank, key in enumerate(order[: union.top_k], start=1)
    ]


def _share(by: str, score: float, rank: int) -> float:
    return 1 / (RRF_K + rank) if by == "rrf" else score


def _total(by: str, each: Sequence[float]) -> float:
    if by == "first":
        return each[0]
    return max(each) if by == "max" else fsum(each)


def normalized(scores: Sequence[float], how: str) -> list[float]:
    """Scale scores from 0 to 1 (minmax; all 1 where they are equal), or to a sum of 1."""
    low, high = min(scores, default=0.0), max(scores, default=0.0)
    if how == "minmax":
        return [(score - low) / (high - low) if high > low else 1.0 for score in scores]
    total = fsum(abs(score) for score in scores)
    return [score / total for score in scores] if how == "sum" and total else list(scores)


def over_rounds(rounds: Sequence[Sequence[Any]]) -> list[Scored[Any]]:
    """Join a loop's rounds: an item found again keeps its best score, and `round`, the first it was in."""
    best: dict[str, Any] = {}
    first: dict[str, int] = {}
    for number, found in enumerate(rounds, start=1):
        for one in found:
            key = key_of(one)
            first.setdefault(key, number)
            if key not in best or one.score > best[key].score:
                best[key] = one
    order = sorted(best, key=lambda key: (-best[key].score, first[key], key))
    return [
        best[key].model_copy(
            update={"rank": rank, "components": {**best[key].components, "round": float(first[key])}}
        )
        for rank, key in enumerate(order, start=1)
    ]
