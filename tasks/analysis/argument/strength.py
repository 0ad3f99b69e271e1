"""Gradual semantics: a strength between 0 and 1 for every argument."""

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from itertools import islice
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from corpusgraph.schemas.errors import PreparationError
from corpusgraph.schemas.results import ToolWarning
from corpusgraph.tasks.analysis.argument.framework import Framework
from corpusgraph.tasks.analysis.argument.models import Checked, Convergence, PrepareArgumentNetwork
from corpusgraph.tasks.analysis.argument.semantics import MAX_LISTED, Semantics, extensions
from corpusgraph.tasks.analysis.argument.solver import SPLITTING, Effort, NotDecidedError
from corpusgraph.tasks.progress import counted, step
from corpusgraph.tasks.table.values import warning

if TYPE_CHECKING:
    from scipy.sparse import csr_array

Numbers = NDArray[np.float64]
Update = Callable[[Numbers, Numbers, "Relations"], Numbers]
"""New strengths from initial weights, strengths now, and who attacks and supports whom."""

TOLERANCE = 1e-12
MAX_ROUNDS = 20_000
MAX_WORK = 2_000_000_000
"""Rounds times relations, at most: about twenty seconds."""

DAMPING = 0.5
DIGITS = 11
"""Decimals kept: the last ones differ from machine to machine."""


class Relations(NamedTuple):
    """Attacks and supports among the same n arguments.

    Attributes
    ----------
    attacks, supports : sparse array, shape (n, n)
        1 where the argument of the column bears on that of the row.

    """

    attacks: "csr_array"
    supports: "csr_array"

    def energy(self, now: Numbers) -> Numbers:
        """Return support less attack, each summed.

        Parameters
        ----------
        now : array of float, shape (n,)
            Strengths.

        Returns
        -------
        array of float, shape (n,)
            Positive where support is stronger.

        """
        energy: Numbers = self.supports @ now - self.attacks @ now
        return energy


def incidence(framework: Framework) -> "csr_array":
    """Return who is attacked (or supported, as a framework has it) by whom, as a matrix.

    Parameters
    ----------
    framework : Framework
        Of n arguments.

    Returns
    -------
    sparse array, shape (n, n)
        1 where the argument of the column bears on that of the row.

    """
    from scipy.sparse import csr_array

    size = len(framework.arguments)
    ends = (framework.targets, framework.sources)
    return csr_array((np.ones(len(framework.sources)), ends), shape=(size, size))


def noisy_or(bearing: "csr_array", values: Numbers) -> Numbers:
    """Return, for each argument, 1 - product of (1 - value) over those that bear on it.

    Parameters
    ----------
    bearing : sparse array, shape (n, n)
        Who (column) bears on whom (row).
    values : array of float, shape (n,)
        From 0 to 1.

    Returns
    -------
    array of float, shape (n,)
        0 where nothing bears on an argument.

    """
    takers = np.flatnonzero(np.diff(bearing.indptr))
    found = np.zeros(len(values))
    found[takers] = 1 - np.multiply.reduceat(1 - values[bearing.indices], bearing.indptr[takers])
    return found


def h_categoriser(_: Numbers, now: Numbers, relations: Relations) -> Numbers:
    """Return the next strengths of the h-categoriser: 1 / (1 + sum of attackers).

    Parameters
    ----------
    _ : array of float, shape (n,)
        Initial weights, which do not count.
    now : array of float, shape (n,)
        Strengths, 0 to 1.
    relations : Relations
        Who attacks whom.

    Returns
    -------
    Numbers
        Above 0 and at most 1, which an argument without attackers has.

    References
    ----------
    Besnard & Hunter 2001; unique: Pu et al. 2014.

    """
    return 1 / (1 + relations.attacks @ now)


def weighted_h_categoriser(weights: Numbers, now: Numbers, relations: Relations) -> Numbers:
    """Return the next strengths of the weighted h-categoriser: weight / (1 + sum of attackers).

    Parameters
    ----------
    weights, now : array of float, shape (n,)
        Initial weights and strengths, 0 to 1.
    relations : Relations
        Who attacks whom.

    Returns
    -------
    Numbers
        From 0 to the weight, which an argument without attackers has.

    References
    ----------
    Amgoud, Ben-Naim, Doder & Vesic 2017.

    """
    wanted: Numbers = weights / (1 + relations.attacks @ now)
    return wanted


def df_quad(weights: Numbers, now: Numbers, relations: Relations) -> Numbers:
    """Return the next strengths of DF-QuAD: the weight moved by noisy-or support less noisy-or attack.

    Parameters
    ----------
    weights, now : array of float, shape (n,)
        Initial weights and strengths, 0 to 1.
    relations : Relations
        Who attacks and supports whom.

    Returns
    -------
    Numbers
        From 0 to 1; the weight where support and attack are equal.

    References
    ----------
    Rago et al. 2016.

    """
    gain = noisy_or(relations.supports, now) - noisy_or(relations.attacks, now)
    return weights + np.where(gain > 0, 1 - weights, weights) * gain


def quadratic_energy(weights: Numbers, now: Numbers, relations: Relations) -> Numbers:
    """Return the next strengths of the quadratic energy model: the weight moved by E² / (1 + E²).

    E is support less attack, each summed.

    Parameters
    ----------
    weights, now : array of float, shape (n,)
        Initial weights and strengths, 0 to 1.
    relations : Relations
        Who attacks and supports whom.

    Returns
    -------
    Numbers
        From 0 to 1; the weight where support and attack are equal.

    References
    ----------
    Potyka 2018.

    """
    energy = relations.energy(now)
    impact = energy**2 / (1 + energy**2)
    return np.where(energy > 0, weights + (1 - weights) * impact, weights - weights * impact)


def euler_based(weights: Numbers, now: Numbers, relations: Relations) -> Numbers:
    """Return the next strengths of the Euler-based semantics: 1 - (1 - w²) / (1 + w e^E).

    w is the weight, and E support less attack, each summed. Beyond E = 700 the power has no double; there the
    strength is 1 (of a positive weight) to all digits.

    Parameters
    ----------
    weights, now : array of float, shape (n,)
        Initial weights and strengths, 0 to 1.
    relations : Relations
        Who attacks and supports whom.

    Returns
    -------
    Numbers
        From the square of the weight to 1; the weight where E is 0.

    References
    ----------
    Amgoud & Ben-Naim 2018.

    """
    powers = np.exp(np.minimum(relations.energy(now), 700))
    return 1 - (1 - weights**2) / (1 + weights * powers)


GRADUAL: dict[str, Update] = {
    "h_categoriser": h_categoriser,
    "weighted_h_categoriser": weighted_h_categoriser,
    "df_quad": df_quad,
    "quadratic_energy": quadratic_energy,
    "euler_based": euler_based,
}

SURE = ("h_categoriser", "weighted_h_categoriser")
"""Semantics of attacks alone; their strengths exist and are unique in every framework, cycles or not."""


def strengths(
    relations: Relations, weights: Numbers, update: Update, depth: int | None
) -> tuple[list[float] | None, int]:
    """Return the strengths: exactly after `depth` rounds, or, where it is None (a cycle), by damped rounds.

    Without cycles the strengths of arguments at depth d are final after round d + 1. With one, each round
    goes half of the way, until none moves: a fixed point of the definition, if the rounds lead to one.

    Parameters
    ----------
    relations : Relations
        Who attacks and supports whom.
    weights : array of float, shape (n,)
        Initial weights, 0 to 1.
    update : callable
        The semantics.
    depth : int or None
        Length of the longest chain; None where there is a cycle.

    Returns
    -------
    values : list of float or None
        0 to 1 by place, rounded to 11 decimals; None where the rounds ran out.
    rounds : int
        Rounds that it took.

    References
    ----------
    Baroni, Rago & Toni (2019), Int. J. Approx. Reason. 105, 252-286; Potyka (2019), AAMAS.

    """
    now = weights
    work = len(weights) + relations.attacks.nnz + relations.supports.nnz
    most = max(100, min(MAX_ROUNDS, MAX_WORK // max(1, work)))
    for number in range(1, most + 1):
        step("strengths: rounds", number)
        wanted = update(weights, now, relations)
        moved = float(np.abs(wanted - now).max(initial=0))
        if moved == 0 or number - 1 == depth or (depth is None and moved < TOLERANCE):
            return (np.round(wanted, DIGITS) + 0.0).tolist(), number  # no zero has a sign
        now = wanted if depth is not None else now + DAMPING * (wanted - now)
    return None, most


def depth_of(relations: Relations) -> int | None:
    """Return the length of the longest chain of attacks and supports, or None when there is a cycle.

    Parameters
    ----------
    relations : Relations
        Who attacks and supports whom.

    Returns
    -------
    int or None
        Number of relations in the chain.

    """
    import networkx as nx

    chains = nx.from_scipy_sparse_array(relations.attacks + relations.supports, create_using=nx.DiGraph)
    try:
        return int(nx.dag_longest_path_length(chains, weight=None))
    except nx.NetworkXUnfeasible:
        return None


MAX_WAYS = 50_000
"""Ways of spending the budget that are tried, as far as the time allows; more is an error."""

WAY = 3_000
"""What one way costs in steps beside its size, as far as it needs the solver."""

ROUNDING = 1e-9

Rows = tuple[tuple[str, ...], ...]


def _tolerated(
    framework: Framework, ways: Sequence[tuple[int, ...]], name: Semantics, effort: Effort
) -> Rows:
    """Return every extension after removing the attacks of one way or another, in order of size."""
    sets: set[frozenset[str]] = set()
    cost = SPLITTING * (len(framework.arguments) + len(framework.sources)) + (name != "grounded") * WAY
    for dropped in counted(ways, "ways of spending the budget", every=16):
        effort.reserve(cost)
        answer = extensions(framework.without(dropped), name, effort)
        if answer.count is None or answer.count > MAX_LISTED:
            if answer.counted:
                raise _too_large(f"too many {name} extensions")
            raise NotDecidedError
        sets.update(answer)
    return tuple(framework.by_size(sets))


def _ways(costs: Sequence[float], budget: float) -> list[tuple[int, ...]]:
    cheap = [at for at, cost in enumerate(costs) if cost <= budget + ROUNDING]
    cheap.sort(key=lambda at: (costs[at], at))
    ways = list(islice(_spend(cheap, costs, budget), MAX_WAYS + 1))
    if len(ways) > MAX_WAYS:
        raise _too_large(f"more than {MAX_WAYS:,} sets of attacks")
    return ways


def _spend(cheap: Sequence[int], costs: Sequence[float], left: float) -> Iterator[tuple[int, ...]]:
    """Yield every set of attacks that costs no more than what is left; `cheap` is in order of cost."""
    yield ()
    for at, attack in enumerate(cheap):
        if costs[attack] > left + ROUNDING:
            return
        for more in _spend(cheap[at + 1 :], costs, left - costs[attack]):
            yield (attack, *more)


def _too_large(what: str) -> PreparationError:
    return PreparationError(
        f"The budget pays for {what}.", code="budget_too_large", hint="Choose a smaller budget."
    )


ATTACK_COST = 1.0
"""What ignoring an attack without a weight costs."""


def of_weights(
    ask: PrepareArgumentNetwork,
    given: Checked,
    direct: Framework,
    wanted: Sequence[Semantics],
    effort: Effort,
    warnings: list[ToolWarning],
) -> tuple[dict[str, object], list[str]]:
    """Return the fields of a weighted network: strengths, and extensions within the budget, if there is one.

    Those are, per semantics, all extensions after removing attacks of total cost up to the budget.

    Parameters
    ----------
    ask : PrepareArgumentNetwork
        The call, with base weight and budget.
    given : Checked
        Its claims and relations.
    direct : Framework
        The attacks.
    wanted : sequence of str
        Semantics for the budget.
    effort : Effort
        Steps that may be spent on the budget.
    warnings : list of ToolWarning
        `no_convergence` and `no_convergence_guarantee` are added to it.

    Returns
    -------
    dict of str to object
        Fields of `ArgumentNetwork`.
    list of str
        What of the budget was not decided, each `budget_` and a semantics.

    Raises
    ------
    PreparationError
        `budget_too_large` when there are more than 50,000 ways to spend it, or too many extensions.

    References
    ----------
    Dunne, Hunter, McBurney, Parsons & Wooldridge (2011), Artif. Intell. 175(2), 457-486.

    """
    fields = _strengths(ask, given, direct, warnings)
    if ask.budget is None:
        return fields, []
    stated = {(r.source, r.target): r.weight for r in given.relations if r.type == "attack"}
    names = direct.arguments
    costs = [stated.get((names[a], names[b])) or ATTACK_COST for a, b in direct.pairs]
    ways = _ways(costs, ask.budget)
    found, open_ones = effort.each({name: partial(_tolerated, direct, ways, name) for name in wanted})
    return {**fields, "budget_extensions": found}, [f"budget_{name}" for name in open_ones]


def _strengths(
    ask: PrepareArgumentNetwork, given: Checked, direct: Framework, warnings: list[ToolWarning]
) -> dict[str, object]:
    stated = [claim.weight for claim in given.claims] + [None] * len(given.arguments)
    weights = np.array([ask.base_weight if w is None else w for w in stated], dtype=np.float64)
    attacks = incidence(direct)
    both = Relations(attacks, incidence(Framework.of(direct.arguments, given.supporting())))
    alone = Relations(attacks, incidence(Framework.of(direct.arguments)))
    of_both, of_alone = (both, depth_of(both)), (alone, depth_of(alone))
    found: dict[str, dict[str, float] | None] = {}
    told: dict[str, Convergence] = {}
    for name, update in GRADUAL.items():
        relations, depth = of_alone if name in SURE else of_both
        values, rounds = strengths(relations, weights, update, depth)
        found[name] = None if values is None else dict(zip(direct.arguments, values, strict=True))
        sure = name in SURE or depth is not None
        told[name] = Convergence(settled=values is not None, rounds=rounds, guaranteed=sure)
        message = f"The strengths of {name} did not settle in {rounds} rounds; they were left out."
        warnings += warning("no_convergence", message, [name] if values is None else ())
    unsure = [name for name in GRADUAL if not told[name].guaranteed]
    names = ", ".join(unsure)
    message = f"The network has a cycle; {names} are not guaranteed to converge there, or to be unique."
    warnings += warning("no_convergence_guarantee", message, unsure)
    return {"strengths": found, "convergence": told}
