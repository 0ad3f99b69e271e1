"""The counting rule for structural equation models, with lavaan's defaults for `sem()`."""

from collections.abc import Mapping
from itertools import combinations

from corpusgraph.tasks.statistics.lavaan import Sem


def free_parameters(sem: Sem, ordered: Mapping[str, int] | None = None) -> int | None:
    """Count the parameters lavaan's `sem()` estimates (no means); None where it cannot be told.

    First loading of a factor fixed to 1; one-indicator factors without residual; exogenous factors
    covary; so do the residuals of outcomes that predict nothing; exogenous observed variables are taken
    as given, with their covariances. `ordered` says how many levels the ordinal variables have: they have
    thresholds, one fewer, and no residual variance.
    """
    if not sem.countable:
        return None
    loadings = {(factor, name) for factor, names in sem.latents.items() for name in names}
    marked = {(factor, names[0]) for factor, names in sem.latents.items()} - sem.free
    covariances = covariance_pairs(sem)
    variances = {(name, name) for name in (*sem.latents, *_endogenous(sem), *_random(sem))}
    variances -= {(names[0], names[0]) for names in sem.latents.values() if len(names) == 1}
    explicit = {_ordered(pair) for pair in sem.covariances}
    free = (loadings - marked) | set(sem.regressions) | covariances | variances | explicit
    free -= {pair for pair in free if pair in sem.fixed or pair[::-1] in sem.fixed}
    levels = ordered or {}
    thresholds = sum(max(n - 1, 0) for n in levels.values())
    return len(free - {(name, name) for name in levels}) + thresholds - sem.n_constraints


def degrees_of_freedom(sem: Sem) -> int | None:
    """Return observed variances and covariances minus free parameters; below 0 nothing is identified.

    Ordinal variables change nothing here: each has as many more thresholds to estimate as to fit.
    """
    parameters = free_parameters(sem)
    if parameters is None:
        return None
    n, given = len(sem.observed()), len(_exogenous(sem) - set(_random(sem)))
    return n * (n + 1) // 2 - given * (given + 1) // 2 - parameters


def _ordered(pair: tuple[str, str]) -> tuple[str, str]:
    return min(pair), max(pair)


def _indicators(sem: Sem) -> set[str]:
    return {name for names in sem.latents.values() for name in names}


def _endogenous(sem: Sem) -> set[str]:
    """Return the observed variables with a residual: indicators and outcomes."""
    return (_indicators(sem) | {outcome for outcome, _ in sem.regressions}) - set(sem.latents)


def _exogenous(sem: Sem) -> set[str]:
    return set(sem.observed()) - _endogenous(sem)


def _random(sem: Sem) -> list[str]:
    """Return the exogenous observed variables that a covariance names: lavaan estimates their moments."""
    named = {name for pair in sem.covariances for name in pair}
    return sorted(_exogenous(sem) & named)


def covariance_pairs(sem: Sem) -> set[tuple[str, str]]:
    """Return the covariances lavaan adds by itself."""
    outcomes = {outcome for outcome, _ in sem.regressions}
    predictors = {predictor for _, predictor in sem.regressions}
    inner = _indicators(sem)
    factors = sorted(set(sem.latents) - outcomes - inner)
    last = sorted(outcomes - predictors - inner)
    return {_ordered(pair) for group in (factors, last) for pair in combinations(group, 2)}
