"""The analysis as a do-file."""

from collections.abc import Set as AbstractSet

from corpusgraph.schemas.results import Column
from corpusgraph.tasks.export.statistical.coding import codes, is_coded, whole_in_terms
from corpusgraph.tasks.statistics.analysis import Model, StatisticalAnalysis
from corpusgraph.tasks.statistics.names import legal_names
from corpusgraph.tasks.statistics.settle import CATEGORIES

_COMMANDS = {
    "linear": "regress",
    "logistic": "logit",
    "ordered": "ologit",
    "multinomial": "mlogit",
    "poisson": "poisson",
    "negative_binomial": "nbreg",
}
_RATIOS = {
    "logistic": "or",
    "ordered": "or",
    "multinomial": "rrr",
    "poisson": "irr",
    "negative_binomial": "irr",
}
_WEIGHTS = {"analytic": "aweight", "frequency": "fweight", "sampling": "pweight"}
_LARGEST_FACTOR = 32_740
"""Values of a factor variable are whole numbers from 0 to this."""


def script(result: StatisticalAnalysis) -> str:
    """Write the analysis as a do-file."""
    body = {"none": _describe, "sem": _sem}.get(result.model.kind, _regression)(result)
    return "\n".join(["version 14", 'use "data.dta", clear', *body]) + "\n"


def _describe(result: StatisticalAnalysis) -> list[str]:
    numbers = [c.name for c in result.table.columns if c.dtype in {"numeric", "integer"}]
    levels = [c.name for c in result.table.columns if is_coded(c)]
    summary = [f"summarize {' '.join(numbers)}, detail"] if numbers else []
    return ["describe", *summary, *(f"tabulate {name}, missing" for name in levels)]


def _regression(result: StatisticalAnalysis) -> list[str]:
    model = result.model
    setup, names = _factors(result)
    terms = [
        _term(term, names, whole) for term, whole in zip(model.terms, whole_in_terms(result), strict=True)
    ]
    outcome = model.outcome or ""
    if model.kind == "logistic" and _column(result, outcome).dtype != "boolean":
        more, outcome = _two_levels(result, outcome)
        setup += more
    weight = f" [{_WEIGHTS[model.weight_type or 'analytic']} = {model.weights}]" if model.weights else ""
    command = f"{_COMMANDS[model.kind]} {' '.join((outcome, *terms))}{weight}"
    options = _options(result)
    lines = [*setup, command + (f", {' '.join(options)}" if options else "")]
    if ratio := _RATIOS.get(model.kind):
        lines.append(f"{command}, {' '.join((*options, ratio))}")
    elif not (model.cluster or model.robust or model.weight_type == "sampling"):
        lines.append(f"{command}, {' '.join((*options, 'beta'))}")
    if model.kind == "linear" and model.intercept:
        lines.append("estat vif")
    return [*lines, *([] if model.kind == "linear" else ["estat ic"])]


def _options(result: StatisticalAnalysis) -> list[str]:
    model = result.model
    found = [] if model.intercept else ["noconstant"]
    found += [f"offset({model.offset})"] if model.offset else []
    found += [f"exposure({model.exposure})"] if model.exposure else []
    if model.kind == "multinomial":
        outcome = model.outcome or ""
        found.append(f"baseoutcome({_code(result, outcome, model.reference[outcome])})")
    if model.cluster:
        found.append(f"vce(cluster {model.cluster})")
    elif model.robust:
        hc3 = model.robust == "HC3" and not model.weights  # Stata has no HC3 with weights
        found.append("vce(hc3)" if hc3 else "vce(robust)")
    return found


def _column(result: StatisticalAnalysis, name: str) -> Column:
    return next(column for column in result.table.columns if column.name == name)


def _numbers(result: StatisticalAnalysis, name: str) -> dict[str, int]:
    """Return the number that stands for each level."""
    column = _column(result, name)
    if all(level.lstrip("+-").isdigit() for level in column.levels or ()):
        return {level: int(level) for level in column.levels or ()}
    return {level: at for at, level in enumerate(column.levels or (), 1)}


def _code(result: StatisticalAnalysis, name: str, level: str) -> int:
    return _numbers(result, name)[level]


def _factors(result: StatisticalAnalysis) -> tuple[list[str], dict[str, str]]:
    """Return commands for codes that a factor of Stata cannot have, and how each predictor is written."""
    setup, names = [], {}
    taken = list(result.name_map.values())
    for name in result.model.predictors:
        column = _column(result, name)
        if column.dtype not in CATEGORIES:
            names[name] = name
            continue
        numbers, base = _numbers(result, name), result.model.reference[name]
        if all(0 <= number <= _LARGEST_FACTOR for number in numbers.values()):
            names[name] = f"ib{numbers[base]}.{name}"
            continue
        present = sorted({n for n in codes(column, result.table.column(name))[0] if n is not None})
        made = legal_names([*taken, f"{name}_f"], "stata")[f"{name}_f"]
        taken.append(made)
        setup.append(f"egen {made} = group({name})")
        names[name] = f"ib{present.index(numbers[base]) + 1}.{made}"
    return setup, names


def _term(term: dict[str, int], factors: dict[str, str], whole: AbstractSet[str]) -> str:
    bare = {name: "ibn." + factors[name].split(".", 1)[1] for name in whole}  # no level is left out
    names = factors | bare
    if list(term.values()) == [1]:
        return names[next(iter(term))]
    parts = [
        names[name] if "." in names[name] else f"c.{names[name]}"
        for name, k in term.items()
        for _ in range(k)
    ]
    return "#".join(parts)


def _two_levels(result: StatisticalAnalysis, name: str) -> tuple[list[str], str]:
    """Make 0 and 1 of two codes, for logit takes any number above 0 for a success."""
    base = _code(result, name, result.model.reference[name])
    new = legal_names([*result.name_map.values(), f"{name}_01"], "stata")[f"{name}_01"]
    return [f"generate {new} = ({name} != {base}) if !missing({name})"], new


def _sem(result: StatisticalAnalysis) -> list[str]:
    model = result.model
    lines = ["* The same model as lavaan text is in model.lav."]
    if "*" in model.text:
        lines.append("* Its fixed, free and labelled parameters are not in the command below.")
    if model.ordered:
        lines.append("* sem takes ordinal indicators as numbers; lavaan fits them by their thresholds.")
    return [*lines, stata_sem(model), "estat gof, stats(all)"]


def stata_sem(model: Model) -> str:
    """Write Stata's sem; latent variables are declared, so that any name will do."""
    paths = [f"({factor} -> {' '.join(names)})" for factor, names in model.latents.items()]
    outcomes = dict.fromkeys(outcome for outcome, _ in model.regressions)
    paths += [f"({y} <- {' '.join(x for o, x in model.regressions if o == y)})" for y in outcomes]
    weight = f" [pweight = {model.weights}]" if model.weights else ""
    options = [f"latent({' '.join(model.latents)})"] if model.latents else ["nocapslatent"]
    options += [f"cov({a}*{b})" if a != b else f"var({a})" for a, b in _residual(model)]
    options += [f"group({model.group})"] if model.group else []
    options += ["method(mlmv)"] if model.fiml else []
    if model.cluster:
        options.append(f"vce(cluster {model.cluster})")
    elif model.estimator == "MLR" and not model.weights:
        options.append("vce(robust)")
    return f"sem {' '.join(paths)}{weight}, {' '.join([*options, 'standardized'])}"


def _residual(model: Model) -> list[tuple[str, str]]:
    """Name the error terms of endogenous variables, `e.y`, as Stata's covariances want them."""
    inner = {name for group in model.latents.values() for name in group} | {y for y, _ in model.regressions}
    return [(_error(a, inner), _error(b, inner)) for a, b in model.covariances]


def _error(name: str, endogenous: set[str]) -> str:
    return f"e.{name}" if name in endogenous else name
