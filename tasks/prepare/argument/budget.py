"""Weighted frameworks: extensions that tolerate attacks up to a budget (Dunne et al. 2011)."""

from collections.abc import Iterator, Sequence
from itertools import islice

from corpusgraph.schemas.errors import PreparationError
from corpusgraph.tasks._steps import counted
from corpusgraph.tasks.prepare.argument.effort import SPLITTING, Effort, NotDecidedError
from corpusgraph.tasks.prepare.argument.extensions import MAX_LISTED
from corpusgraph.tasks.prepare.argument.framework import Framework
from corpusgraph.tasks.prepare.argument.semantics import Semantics, extensions

MAX_WAYS = 50_000
"""Ways of spending the budget that are tried, as far as the time allows; more is an error."""

WAY = 3_000
"""What one way costs in steps beside its size, as far as it needs the solver."""

ROUNDING = 1e-9

Rows = tuple[tuple[str, ...], ...]


def budget_extensions(
    framework: Framework,
    costs: Sequence[float],
    budget: float,
    semantics: Sequence[Semantics],
    effort: Effort,
) -> tuple[dict[str, Rows], list[str]]:
    """Return, per semantics, every extension after removing attacks of total cost up to the budget.

    `costs` are those of the framework's attacks, in its order. The second part of the answer names the
    semantics that were not decided.
    Errors: `budget_too_large` when there are more than MAX_WAYS ways to spend it, or too many extensions.
    """
    ways = _ways(costs, budget)
    found: dict[str, Rows] = {}
    open_ones: list[str] = []
    for done, name in enumerate(semantics):
        part = effort.share(len(semantics) - done)
        try:
            found[name] = _tolerated(framework, ways, name, part)
        except NotDecidedError:
            open_ones.append(name)
        effort.take_back(part)
    return found, open_ones


def _tolerated(
    framework: Framework, ways: Sequence[tuple[int, ...]], name: Semantics, effort: Effort
) -> Rows:
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
    place = framework.place
    rows = [framework.in_order(s) for s in sets]
    return tuple(sorted(rows, key=lambda row: (len(row), [place[a] for a in row])))


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
