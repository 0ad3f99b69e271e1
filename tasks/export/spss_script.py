"""The analysis as SPSS syntax."""

from collections.abc import Sequence

from corpusgraph.tasks.dataset.analysis import CodebookEntry, StatisticalAnalysis
from corpusgraph.tasks.dataset.names import legal_names
from corpusgraph.tasks.export.coding import codes, user_missing

_COMMANDS = {"ordered": "PLUM", "multinomial": "NOMREG"}


def script(result: StatisticalAnalysis) -> str:
    """Write the syntax; categories enter as 0/1 variables made from their codes."""
    body = {"none": _describe, "sem": _sem}.get(result.model.kind, _regression)(result)
    return "\n".join(["GET FILE='data.sav'.", *body]) + "\n"


def quoted(text: str) -> str:
    """Return an SPSS string on one line."""
    return "'" + " ".join(text.split()).replace("'", "''") + "'"


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
    observed = [name for name in result.model.variables() if name != result.model.group]
    return [
        "* SPSS Statistics fits no structural equation models; model.lav holds the model as lavaan text.",
        f"CORRELATIONS\n  /VARIABLES={_listed(observed)}.",
    ]


def _regression(result: StatisticalAnalysis) -> list[str]:
    model = result.model
    setup, terms = [], list[str]()
    entries = {entry.name: entry for entry in result.codebook}
    for name in model.predictors:
        made, names = _dummies(result, entries[name], terms)
        setup += made
        terms += names
    outcome = model.outcome or ""
    if model.weights and model.kind != "linear":
        setup.append(f"WEIGHT BY {model.weights}.")
    if model.kind == "linear":
        weight = f"\n  /REGWGT={model.weights}" if model.weights else ""
        command = f"REGRESSION{weight}\n  /STATISTICS=COEFF R ANOVA\n  /DEPENDENT={outcome}"
        command += f"\n  /METHOD=ENTER {_listed(terms)}."
    elif model.kind == "logistic":
        command = f"LOGISTIC REGRESSION VARIABLES {outcome} WITH {_listed(terms)}."
    else:
        base = " (BASE=FIRST)" if model.kind == "multinomial" else ""
        command = f"{_COMMANDS[model.kind]} {outcome}{base} WITH {_listed(terms)}."
    if not model.cluster:
        return [*setup, command]
    kept = f"SELECT IF NOT MISSING({model.cluster})."
    if entries[model.cluster].type == "text":
        kept = f"SELECT IF {model.cluster} <> ''."
    return [
        "* A case without a cluster is in no analysis.",
        kept,
        *setup,
        command,
        *_clustered(result, terms),
    ]


def _dummies(
    result: StatisticalAnalysis, entry: CodebookEntry, made: Sequence[str]
) -> tuple[list[str], list[str]]:
    """Return commands that make one 0/1 variable for each level but the first, and their names."""
    if entry.type not in {"nominal", "ordinal"}:
        return [], [entry.name]
    column = next(c for c in result.table.columns if c.name == entry.name)
    numbers, texts = codes(column, result.table.column(entry.name))
    present = sorted({code for code in numbers if code is not None} - set(user_missing(column)))
    wanted = [f"{entry.name}_{code}" for code in present[1:]]
    names = legal_names([*result.name_map.values(), *made, *wanted], "spss")
    lines = []
    for code, name in zip(present[1:], wanted, strict=True):
        lines += [f"COMPUTE {names[name]} = ({entry.name} = {code})."]
        lines += [f"VARIABLE LABELS {names[name]} {quoted(f'{entry.name}: {texts[code]}')}."]
    return lines, [names[name] for name in wanted]


def _clustered(result: StatisticalAnalysis, terms: Sequence[str]) -> list[str]:
    """Add generalised estimating equations with robust errors, independent within clusters."""
    model = result.model
    family = {"linear": "NORMAL LINK=IDENTITY", "logistic": "BINOMIAL LINK=LOGIT"}.get(model.kind)
    if family is None:
        return [f"* Standard errors are not clustered by {model.cluster}: SPSS has no simple command for it."]
    options = f"INTERCEPT=YES DISTRIBUTION={family}"
    return [
        f"* Standard errors clustered by {model.cluster}.",
        f"GENLIN {model.outcome} WITH {_listed(terms)}",
        f"  /MODEL {_listed(terms)} {options}",
        f"  /REPEATED SUBJECT={model.cluster} SORT=YES CORRTYPE=INDEPENDENT COVB=ROBUST.",
    ]
