"""Joining ranked lists of one kind of item, or two scorings of one list: by scaled scores, or by ranks."""

import math
from collections.abc import Mapping, Sequence
from typing import Annotated, Literal, NamedTuple, TypeVar

from pydantic import Field

from corpusgraph.tasks.method.run import normalized

Fusion = Literal["weighted", "rrf"]
RRF_K = 10
"""Chosen on held-out questions (benchmarks/retrieval/RERANK.md); the paper's 60 is flat for few lists."""
RrfK = Annotated[
    int,
    Field(ge=0, le=10_000, description="of rrf: the smaller, the more the first places of a list count"),
]
Hits = Sequence[tuple[str, float]]
"""Ids with scores on any scale, best first."""
Name = TypeVar("Name", bound=str)


class Fused(NamedTuple):
    """An item's joint score, and what it is made of."""

    id: str
    score: float
    components: dict[str, float]


def fused(
    parts: Mapping[Name, Hits], weights: Mapping[Name, float], how: Fusion, top_k: int, rrf_k: int
) -> list[Fused]:
    """Join lists into one, best first, ties by id; weights are scaled to a sum of 1.

    weighted: the sum of weight x score, each list's scores scaled to 0..1 (min-max; all 1 where they are
    equal); an item that a list does not hold gets 0 from it. rrf: the sum of weight / (rrf_k + rank),
    reciprocal rank fusion (Cormack, Clarke & Büttcher 2009), which looks at no score. Components have the
    scaled score of each list under its name, its own under `<name>_score` and the rank under `<name>_rank`.
    """
    total = math.fsum(weights[name] for name in parts) or 1.0
    shares: dict[str, list[float]] = {}
    components: dict[str, dict[str, float]] = {}
    for name, hits in parts.items():
        scaled = normalized([score for _, score in hits], "minmax")
        for rank, ((id_, score), part) in enumerate(zip(hits, scaled, strict=True), start=1):
            share = part if how == "weighted" else 1 / (rrf_k + rank)
            shares.setdefault(id_, []).append(weights[name] / total * share)
            components.setdefault(id_, dict.fromkeys(parts, 0.0)).update(
                {name: round(part, 6), f"{name}_score": score, f"{name}_rank": float(rank)}
            )
    scores = {id_: round(math.fsum(some), 9) for id_, some in shares.items()}
    order = sorted(scores, key=lambda id_: (-scores[id_], id_))[:top_k]
    return [Fused(id_, scores[id_], components[id_]) for id_ in order]


def blended(
    read: Sequence[float], prior: Sequence[float | None], weight: float, how: Fusion, rrf_k: int
) -> list[float]:
    """Return a score for each item of a list: its own reading, and with `weight` what it came with.

    weighted: both scaled to 0..1 (min-max), no score as the least. rrf: 1 / (rrf_k + rank) of the reading,
    equal ones in the order given, and of that order itself; the scores given are not looked at.
    """
    if not weight:
        return list(read)
    if how == "rrf":
        order = sorted(range(len(read)), key=lambda i: (-read[i], i))
        now = [0.0] * len(read)
        for rank, i in enumerate(order, start=1):
            now[i] = 1 / (rrf_k + rank)
        before = [1 / (rrf_k + rank) for rank in range(1, len(read) + 1)]
    else:
        least = min((score for score in prior if score is not None), default=0.0)
        before = normalized([least if score is None else score for score in prior], "minmax")
        now = normalized(read, "minmax")
    return [(1 - weight) * a + weight * b for a, b in zip(now, before, strict=True)]
