"""The analysis as SPSS syntax."""

from collections.abc import Sequence

from corpusgraph.tasks.export.statistical.errors import is_sandwich
from corpusgraph.tasks.export.statistical.spss_terms import Made, columns, level_number
from corpusgraph.tasks.statistics.analysis import CodebookEntry, StatisticalAnalysis

_FAMILIES = {
    "linear": "NORMAL LINK=IDENTITY",
    "logistic": "BINOMIAL LINK=LOGIT",
    "poisson": "POISSON LINK=LOG",
    "negative_binomial": "NEGBIN(MLE) LINK=LOG",
}


def script(result: StatisticalAnalysis) -> str:
    """Write the syntax; categories, powers and products enter as variables that the syntax makes."""
    body = {"none": _describe, "sem": _sem}.get(result.model.kind, _regression)(result)
    return "\n".join(["GET FILE='data.sav'.", *body]) + "\n"


def _listed(names: Sequence[str]) -> str:
    """Break a long list of names: a line of syntax has a limit."""
    return "\n    ".join(" ".join(names[at : at + 8]) for at in range(0, len(names), 8))


def _describe(result: StatisticalAnalysis) -> list[str]:
    numbers = [e.name for e in result.codebook if e.type in {"numeric", "integer"} and e.n]
    levels = [e.name for e in result.codebook if e.frequencies]
    lines = ["DISPLAY DICTIONARY."]
    if numbers:
        lines.append(f"DESCRIPTIVES VARIABLES={_listed(numbers)}\n  /STATISTICS=MEAN STDDEV MIN MAX.")
    if levels:
        lines.append(f"FREQUENCIES VARIABLES={_listed(levels)}.")
    return lines


def _sem(result: StatisticalAnalysis) -> list[str]:
    model = result.model
    aside = {model.group, model.cluster, model.weights}
    observed = [name for name in model.variables() if name not in aside]
    lines = [
        "* SPSS Statistics fits no structural equation models; model.lav holds the model as lavaan text."
    ]
    lines.append(f"CORRELATIONS\n  /VARIABLES={_listed(observed)}.")
    for factor, names in model.latents.items():
        if len(names) > 1 and not set(names) & set(model.latents):
            lines.append(f"* Reliability of {factor}.\nRELIABILITY\n  /VARIABLES={_listed(names)}.")
    return lines


def _regression(result: StatisticalAnalysis) -> list[str]:
    model = result.model
    entries = {entry.name: entry for entry in result.codebook}
    made = columns(result)
    setup = [*_kept(result, entries), *made.commands]
    if model.weights and model.weight_type != "analytic":
        setup.append(f"WEIGHT BY {model.weights}.")
    outcome = made.outcome
    if _needs_genlin(result):
        return [*setup, *_genlin(result, made, outcome)]
    if is_sandwich(model):
        setup.append(
            "ECHO 'The next command assumes independent rows: its standard errors are not those asked for.'."
        )
    command = {"linear": _linear, "logistic": _logistic, "ordered": _ordered, "multinomial": _multinomial}
    return [*setup, command[model.kind](result, made.names, outcome), *_clustered(result, made, outcome)]


def _kept(result: StatisticalAnalysis, entries: dict[str, CodebookEntry]) -> list[str]:
    cluster = result.model.cluster
    if not cluster:
        return []
    is_text = entries[cluster].type == "text"
    kept = f"SELECT IF {cluster} <> ''." if is_text else f"SELECT IF NOT MISSING({cluster})."
    return ["* A case without a cluster is in no analysis.", kept]


def _needs_genlin(result: StatisticalAnalysis) -> bool:
    model = result.model
    counts = model.kind in {"poisson", "negative_binomial"}
    return counts or bool(model.offset) or (model.kind == "logistic" and not model.intercept)


def _linear(result: StatisticalAnalysis, terms: Sequence[str], outcome: str) -> str:
    model = result.model
    weight = f"\n  /REGWGT={model.weights}" if model.weight_type == "analytic" else ""
    origin = "" if model.intercept else "\n  /ORIGIN"
    tolerance = " TOL" if len(terms) > 1 else ""  # of one term PSPP regresses it on none and complains
    statistics = f"COEFF CI(95) R ANOVA{tolerance}"
    command = f"REGRESSION{weight}\n  /STATISTICS={statistics}{origin}\n  /DEPENDENT={outcome}"
    return f"{command}\n  /METHOD=ENTER {_listed(terms)}."


def _logistic(_: StatisticalAnalysis, terms: Sequence[str], outcome: str) -> str:
    return f"LOGISTIC REGRESSION VARIABLES {outcome} WITH {_listed(terms)}\n  /PRINT=CI(95)."


def _ordered(_: StatisticalAnalysis, terms: Sequence[str], outcome: str) -> str:
    return f"PLUM {outcome} WITH {_listed(terms)}\n  /LINK=LOGIT\n  /PRINT=FIT PARAMETER SUMMARY TPARALLEL."


def _multinomial(result: StatisticalAnalysis, terms: Sequence[str], outcome: str) -> str:
    base = level_number(result, outcome, result.model.reference[outcome])
    return f"NOMREG {outcome} (BASE={base}) WITH {_listed(terms)}\n  /PRINT=FIT PARAMETER SUMMARY."


def _clustered(result: StatisticalAnalysis, made: Made, outcome: str) -> list[str]:
    """Add generalised linear models with robust errors, where they are asked for."""
    model = result.model
    if not is_sandwich(model):
        return []
    if model.kind not in _FAMILIES:
        what = f"clustered by {model.cluster}" if model.cluster else "robust"
        return [f"ECHO 'Standard errors are not {what}: SPSS has no simple command for it.'."]
    return _genlin(result, made, outcome)


def _genlin(result: StatisticalAnalysis, made: Made, outcome: str) -> list[str]:
    model, listed = result.model, _listed(made.names)
    intercept = "YES" if model.intercept else "NO"
    offset = f" OFFSET={made.offset}" if made.offset else ""
    reference = " (REFERENCE=FIRST)" if model.kind == "logistic" else ""
    with_ = f" WITH {listed} {made.offset}" if made.offset else f" WITH {listed}"
    lines = [
        f"GENLIN {outcome}{reference}{with_}",
        f"  /MODEL {listed} INTERCEPT={intercept} DISTRIBUTION={_FAMILIES[model.kind]}{offset}",
    ]
    if model.weight_type in {"analytic", "sampling"}:
        lines[-1] += f" SCALEWEIGHT={model.weights}"
    solution = " (EXPONENTIATED)" if model.kind != "linear" else ""
    if model.cluster:
        told = [f"* Standard errors clustered by {model.cluster}."]
        end = f"  /REPEATED SUBJECT={model.cluster} SORT=YES CORRTYPE=INDEPENDENT COVB=ROBUST"
    else:
        told = ["* Standard errors are robust (HC0)."] if is_sandwich(model) else []
        end = f"  /CRITERIA COVB={'ROBUST' if is_sandwich(model) else 'MODEL'}"
    if model.weight_type == "sampling":  # cases are not so many as their weights sum to
        told = ["WEIGHT OFF.", *told]
    return [*told, *lines, end, f"  /PRINT FIT SOLUTION{solution}."]
