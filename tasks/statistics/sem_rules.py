"""Rules that say whether a structural equation model can be identified (Bollen 1989, chapters 4, 7 and 8)."""

from collections.abc import Iterable

from corpusgraph.tasks.statistics.identify import covariance_pairs, degrees_of_freedom
from corpusgraph.tasks.statistics.lavaan import Pair, Sem


def identification(sem: Sem) -> tuple[bool | None, tuple[str, ...]]:
    """Return False where a necessary rule fails, True where none does, None where it cannot be told.

    The sentences say what each rule found: t-rule, scale of each factor, three- and two-indicator rules,
    recursive rule. The indicator rules and the recursive rule are sufficient for their part of the model.
    """
    df = degrees_of_freedom(sem)
    if df is None:
        return None, ("The parameters cannot be counted from this text.",)
    counted = "at least" if df >= 0 else "fewer than"
    told = [f"t-rule (necessary): {df} degrees of freedom, {counted} as many moments as parameters."]
    unscaled = [factor for factor in sem.latents if not _has_scale(sem, factor)]
    told += [f"{f} has no scale: fix a loading or its variance (necessary)." for f in unscaled]
    told += [_indicator_rule(sem, factor) for factor in sem.latents]
    if sem.regressions:
        told.append(_recursive_rule(sem))
    return df >= 0 and not unscaled, tuple(told)


def _has_scale(sem: Sem, factor: str) -> bool:
    loadings = {(factor, name) for name in sem.latents[factor]}
    marker = (factor, sem.latents[factor][0])
    return (factor, factor) in sem.fixed or bool(loadings & sem.fixed) or marker not in sem.free


def _indicator_rule(sem: Sem, factor: str) -> str:
    names = sem.latents[factor]
    others = [name for other, group in sem.latents.items() if other != factor for name in group]
    shared = sorted(set(names) & set(others))
    correlated = {n for a, b in sem.covariances if a != b for n in (a, b)} & set(names)
    if shared or correlated or any(name in sem.latents for name in names):
        why = "shared or correlated indicators" if shared or correlated else "factors as indicators"
        return f"{factor}: no indicator rule covers {why}; check it empirically."
    if len(names) >= 3:
        return f"{factor}: the three-indicator rule holds (sufficient)."
    if len(names) == 1:
        return f"{factor}: one indicator, taken to be without error."
    joined = {name for pair in covariance_pairs(sem) for name in pair if factor in pair} - {factor}
    joined |= {name for pair in sem.regressions if factor in pair for name in pair} - {factor}
    if joined:
        return f"{factor}: the two-indicator rule holds if it covaries with {', '.join(sorted(joined))}."
    return f"{factor}: two indicators and no tie to another variable are not enough."


def _recursive_rule(sem: Sem) -> str:
    if _has_cycle(sem.regressions):
        return "The regressions make a cycle: the recursive rule does not apply; check rank and order."
    outcomes = {outcome for outcome, _ in sem.regressions}
    predicts = {predictor for _, predictor in sem.regressions}
    tied = [pair for pair in sem.covariances if pair[0] != pair[1] and set(pair) <= outcomes]
    if any(set(pair) & predicts for pair in tied):
        return "Residuals of variables that predict are correlated: the recursive rule does not apply."
    return "The recursive rule holds for the regressions (sufficient)."


def _has_cycle(edges: Iterable[Pair]) -> bool:
    left = set(edges)
    while left:
        starts = {x for _, x in left} - {y for y, _ in left}
        free = {(y, x) for y, x in left if x in starts}
        if not free:
            return True
        left -= free
    return False
