"""Weighted frameworks: extensions that tolerate attacks up to a budget (Dunne et al. 2011)."""

from collections.abc import Iterator, Mapping, Sequence

from corpusgraph.schemas.errors import PreparationError
from corpusgraph.tasks.prepare._argumentation import Framework, Pair
from corpusgraph.tasks.prepare._semantics import MAX_LISTED, Semantics, extensions

MAX_WAYS = 5_000
"""Ways of spending the budget that are tried; more is an error."""

ROUNDING = 1e-9


def budget_extensions(
    framework: Framework, weights: Mapping[Pair, float], budget: float, semantics: Sequence[Semantics]
) -> dict[str, tuple[tuple[str, ...], ...]]:
    """Return, per semantics, every extension after removing attacks of total weight up to the budget.

    Errors: `budget_too_large` when there are more than MAX_WAYS ways to spend it.
    """
    ways = _ways(framework, weights, budget)
    found: dict[str, tuple[tuple[str, ...], ...]] = {}
    place = {a: i for i, a in enumerate(framework.arguments)}
    for name in semantics:
        sets: set[frozenset[str]] = set()
        for removed in ways:
            answer = extensions(Framework(framework.arguments, framework.attacks - removed), name)
            if answer is None or answer.count > MAX_LISTED:
                raise _too_large(f"too many {name} extensions")
            sets.update(answer)
        rows = [framework.in_order(s) for s in sets]
        found[name] = tuple(sorted(rows, key=lambda row: (len(row), [place[a] for a in row])))
    return found


def _ways(framework: Framework, weights: Mapping[Pair, float], budget: float) -> list[frozenset[Pair]]:
    cheap = sorted(
        (pair for pair in framework.attacks if weights[pair] <= budget + ROUNDING),
        key=lambda pair: (weights[pair], pair),
    )
    ways: list[frozenset[Pair]] = []
    for way in _spend(cheap, weights, budget):
        if len(ways) == MAX_WAYS:
            raise _too_large(f"more than {MAX_WAYS} sets of attacks")
        ways.append(way)
    return ways


def _spend(cheap: Sequence[Pair], weights: Mapping[Pair, float], left: float) -> Iterator[frozenset[Pair]]:
    """Yield every set of attacks that costs no more than what is left; `cheap` is in order of weight."""
    yield frozenset()
    for at, pair in enumerate(cheap):
        if weights[pair] > left + ROUNDING:
            return
        for more in _spend(cheap[at + 1 :], weights, left - weights[pair]):
            yield more | {pair}


def _too_large(what: str) -> PreparationError:
    return PreparationError(
        f"The budget pays for {what}.", code="budget_too_large", hint="Choose a smaller budget."
    )
