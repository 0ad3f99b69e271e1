"""Gradual semantics: a strength between 0 and 1 for every argument."""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from graphlib import CycleError, TopologicalSorter

from corpusgraph.tasks.prepare._argumentation import Framework, Pair

Update = Callable[[float, Sequence[float], Sequence[float]], float]
"""New strength from initial weight, strengths of attackers, strengths of supporters."""

TOLERANCE = 1e-12
MAX_ROUNDS = 20_000
DAMPING = 0.5
DIGITS = 11
"""Decimals kept: the last ones differ from machine to machine."""


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
    """Return the strengths: in one pass without cycles, else by damped iteration to the fixed point."""
    allies = Framework(framework.arguments, supports).attackers

    def asked(a: str, now: Mapping[str, float]) -> float:
        attackers = [now[b] for b in framework.attackers[a]]
        return update(weights[a], attackers, [now[b] for b in allies[a]])

    order = causes_first(framework, supports)
    if order is not None:
        known: dict[str, float] = {}
        for a in order:
            known[a] = asked(a, known)
        return Strengths({a: round(known[a], DIGITS) for a in framework.arguments}, converged=True)
    now = dict(weights)
    for _ in range(MAX_ROUNDS):
        wanted = {a: asked(a, now) for a in framework.arguments}
        if max(abs(wanted[a] - now[a]) for a in wanted) < TOLERANCE:
            return Strengths({a: round(s, DIGITS) for a, s in wanted.items()}, converged=True)
        now = {a: now[a] + DAMPING * (wanted[a] - now[a]) for a in wanted}
    return Strengths(now, converged=False)


def causes_first(framework: Framework, supports: frozenset[Pair]) -> tuple[str, ...] | None:
    """Return the arguments so that whatever bears on one comes before it, or None when there is a cycle."""
    allies = Framework(framework.arguments, supports).attackers
    before = {a: (*framework.attackers[a], *allies[a]) for a in framework.arguments}
    try:
        return tuple(TopologicalSorter(before).static_order())
    except CycleError:
        return None
