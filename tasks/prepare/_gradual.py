"""Gradual semantics: a strength between 0 and 1 for every argument."""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from corpusgraph.tasks.prepare._argumentation import Framework, Pair

Update = Callable[[float, Sequence[float], Sequence[float]], float]
"""New strength from initial weight, strengths of attackers, strengths of supporters."""

TOLERANCE = 1e-12
MAX_ROUNDS = 20_000
DAMPING = 0.5


@dataclass(frozen=True)
class Strengths:
    """Strength of each argument; `converged` is false where the rounds ran out."""

    values: Mapping[str, float]
    converged: bool


def h_categoriser(_: float, attackers: Sequence[float], __: Sequence[float]) -> float:
    """Return 1 / (1 + sum of attackers) (Besnard & Hunter 2001; unique: Pu et al. 2014)."""
    return 1 / (1 + math.fsum(attackers))


def weighted_h_categoriser(weight: float, attackers: Sequence[float], _: Sequence[float]) -> float:
    """Return weight / (1 + sum of attackers) (Amgoud, Ben-Naim, Doder & Vesic 2017)."""
    return weight / (1 + math.fsum(attackers))


def df_quad(weight: float, attackers: Sequence[float], supporters: Sequence[float]) -> float:
    """Move the weight by the difference of noisy-or support and attack (Rago et al. 2016)."""
    against = 1 - math.prod(1 - s for s in attackers)
    in_favour = 1 - math.prod(1 - s for s in supporters)
    if against >= in_favour:
        return weight - weight * (against - in_favour)
    return weight + (1 - weight) * (in_favour - against)


def quadratic_energy(weight: float, attackers: Sequence[float], supporters: Sequence[float]) -> float:
    """Move the weight by E² / (1 + E²), E = support - attack (Potyka 2018)."""
    energy = math.fsum(supporters) - math.fsum(attackers)
    impact = energy**2 / (1 + energy**2)
    return weight + (1 - weight) * impact if energy > 0 else weight - weight * impact


def euler_based(weight: float, attackers: Sequence[float], supporters: Sequence[float]) -> float:
    """Return 1 - (1 - w²) / (1 + w e^E), E = support - attack (Amgoud & Ben-Naim 2018)."""
    energy = math.fsum(supporters) - math.fsum(attackers)
    return 1 - (1 - weight**2) / (1 + weight * math.exp(energy))


GRADUAL: dict[str, Update] = {
    "h_categoriser": h_categoriser,
    "weighted_h_categoriser": weighted_h_categoriser,
    "df_quad": df_quad,
    "quadratic_energy": quadratic_energy,
    "euler_based": euler_based,
}

SURE = ("h_categoriser", "weighted_h_categoriser")
"""Semantics whose strengths exist and are unique in every framework, cycles or not."""


def strengths(
    framework: Framework, supports: frozenset[Pair], weights: Mapping[str, float], update: Update
) -> Strengths:
    """Iterate to the fixed point; damped, so that what oscillates settles where it can."""
    allies = Framework(framework.arguments, supports).attackers
    now = dict(weights)
    for _ in range(MAX_ROUNDS):
        asked = {
            a: update(weights[a], [now[b] for b in framework.attackers[a]], [now[b] for b in allies[a]])
            for a in framework.arguments
        }
        if max((abs(asked[a] - now[a]) for a in asked), default=0.0) < TOLERANCE:
            return Strengths(asked, converged=True)
        now = {a: now[a] + DAMPING * (asked[a] - now[a]) for a in asked}
    return Strengths(now, converged=False)
