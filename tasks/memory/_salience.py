"""How much an entity stands out in its graph, and the tier it belongs to."""

from typing import Literal

import numpy as np

from corpusgraph.schemas.graph import Entity
from corpusgraph.schemas.ports import GraphView
from corpusgraph.tasks.graph.arrays import Doubles
from corpusgraph.tasks.graph.compiled import compiled
from corpusgraph.tasks.graph.memo import per_graph

Tier = Literal["core", "working", "reference", "archive"]
CORE, WORKING = 0.9, 0.5


@per_graph
def saliences(graph: GraphView) -> Doubles:
    """Return for each entity the share of entities that have fewer relationships, half of its equals counted.

    The mid-rank percentile of its degree (n,), 0 to 1; without any relationship it is 0.
    """
    degrees = compiled(graph).degrees
    if not len(degrees):
        return np.zeros(0)
    ordered = np.sort(degrees)
    below = np.searchsorted(ordered, degrees, side="left")
    equal = np.searchsorted(ordered, degrees, side="right") - below
    share = (below + equal / 2) / len(degrees)
    return np.where(degrees == 0, 0.0, share)


def kept_or(entity: Entity, salience: float) -> tuple[str, float]:
    """Return tier and salience of an entity: those that an imported memory keeps, else by `salience`.

    What is kept is a text as the tier, and a number from 0 to 1; a tier that is missing follows from that.
    """
    kept = entity.attributes or {}
    score, tier = kept.get("salience_score"), kept.get("tier")
    known = round(salience, 4)
    if isinstance(score, int | float) and not isinstance(score, bool) and 0 <= score <= 1:
        known = float(score)
    return (tier if isinstance(tier, str) and tier.strip() else tier_of(known)), known


def tier_of(salience: float) -> Tier:
    """Name the tier: core above 0.9, working above 0.5, reference above 0, archive without a relationship."""
    if salience > CORE:
        return "core"
    if salience > WORKING:
        return "working"
    return "reference" if salience > 0 else "archive"
