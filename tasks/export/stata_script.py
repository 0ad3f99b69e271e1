"""The analysis as a do-file."""

from corpusgraph.tasks.dataset.analysis import Model, StatisticalAnalysis
from corpusgraph.tasks.dataset.names import legal_names
from corpusgraph.tasks.export.coding import codes, is_coded

_COMMANDS = {"linear": "regress", "logistic": "logit", "ordered": "ologit", "multinomial": "mlogit"}


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
    dtypes = {column.name: column.dtype for column in result.table.columns}
    terms = [f"i.{n}" if dtypes[n] in {"nominal", "ordinal"} else n for n in model.predictors]
    outcome = [model.outcome or ""]
    setup: list[str] = []
    if model.kind == "logistic" and dtypes[outcome[0]] != "boolean":
        setup, outcome = _two_levels(result, outcome[0])
    kind = "aweight" if model.kind == "linear" else "pweight"
    weight = f" [{kind} = {model.weights}]" if model.weights else ""
    cluster = f", vce(cluster {model.cluster})" if model.cluster else ""
    return [*setup, f"{_COMMANDS[model.kind]} {' '.join((*outcome, *terms))}{weight}{cluster}"]


def _two_levels(result: StatisticalAnalysis, name: str) -> tuple[list[str], list[str]]:
    """Make 0 and 1 of two codes, for logit takes any number above 0 for a success."""
    numbers, _ = codes(next(c for c in result.table.columns if c.name == name), result.table.column(name))
    last = max(number for number in numbers if number is not None)
    new = legal_names([*result.name_map.values(), f"{name}_01"], "stata")[f"{name}_01"]
    return [f"generate {new} = ({name} == {last}) if !missing({name})"], [new]


def _sem(result: StatisticalAnalysis) -> list[str]:
    return ["* The same model as lavaan text is in model.lav.", f"sem {stata_sem(result.model)}"]


def stata_sem(model: Model) -> str:
    """Write paths and options of Stata's sem; latent variables are declared, so that any name will do."""
    paths = [f"({factor} -> {' '.join(names)})" for factor, names in model.latents.items()]
    outcomes = dict.fromkeys(outcome for outcome, _ in model.regressions)
    paths += [f"({y} <- {' '.join(x for o, x in model.regressions if o == y)})" for y in outcomes]
    options = [f"latent({' '.join(model.latents)})"] if model.latents else []
    options += [f"cov({a}*{b})" if a != b else f"var({a})" for a, b in _residual(model)]
    options += [f"group({model.group})"] if model.group else []
    return " ".join(paths) + (f", {' '.join(options)}" if options else "")


def _residual(model: Model) -> list[tuple[str, str]]:
    """Name the error terms of endogenous variables, `e.y`, as Stata's covariances want them."""
    inner = {name for group in model.latents.values() for name in group} | {y for y, _ in model.regressions}
    return [(_error(a, inner), _error(b, inner)) for a, b in model.covariances]


def _error(name: str, endogenous: set[str]) -> str:
    return f"e.{name}" if name in endogenous else name
