"""The analysis as a Python script."""

from corpusgraph.tasks.dataset.analysis import Model, StatisticalAnalysis

_HEAD = """from pathlib import Path

import pandas as pd
{imports}
folder = Path(__file__).parent
data = pd.read_parquet(folder / "data.parquet")
"""


def script(result: StatisticalAnalysis) -> str:
    """Write the analysis; it reads the files beside it and prints."""
    body = {"none": _describe, "sem": _sem}.get(result.model.kind, _regression)
    imports, lines = body(result)
    return "\n".join([_HEAD.format(imports=imports), *lines]) + "\n"


def _describe(result: StatisticalAnalysis) -> tuple[str, list[str]]:
    levels = [entry.name for entry in result.codebook if entry.frequencies]
    counts = [f"for name in {levels!r}:", "    print(data[name].value_counts(dropna=False, sort=False))"]
    return "", ["print(data.dtypes)", "print(data.describe())", *(counts if levels else [])]


def _sem(result: StatisticalAnalysis) -> tuple[str, list[str]]:
    observed = [name for name in result.model.variables() if name != result.model.group]
    return "", [
        "# model.lav is the model as lavaan text, for R's lavaan or any program that reads its syntax.",
        'model = (folder / "model.lav").read_text(encoding="utf-8")',
        "print(model)",
        f"print(data[{observed!r}].astype(float).cov())",
    ]


def _regression(result: StatisticalAnalysis) -> tuple[str, list[str]]:
    model = result.model
    lines = [f"data = data.dropna(subset={list(model.variables())!r})"]
    lines += [
        'for name in data.select_dtypes("category"):',
        "    data[name] = data[name].cat.remove_unused_categories()",
    ]
    imports, fit = _fit(model, result)
    return imports, [*lines, *fit, "print(fit.summary())"]


def _fit(model: Model, result: StatisticalAnalysis) -> tuple[str, list[str]]:
    cluster = ""
    if model.cluster:
        groups = f'data["{model.cluster}"].astype("category").cat.codes'
        cluster = f'cov_type="cluster", cov_kwds={{"groups": {groups}}}'
    formula = f'"{model.text}", data=data'
    smf = "import statsmodels.formula.api as smf\n"
    if model.kind == "linear":
        weights = f', weights=data["{model.weights}"]' if model.weights else ""
        return smf, [f"fit = smf.{'wls' if model.weights else 'ols'}({formula}{weights}).fit({cluster})"]
    if model.kind == "logistic":
        weights = f', freq_weights=data["{model.weights}"]' if model.weights else ""
        call = f"fit = smf.glm({formula}, family=sm.families.Binomial(){weights}).fit({cluster})"
        return f"import statsmodels.api as sm\n{smf}", [*_as_number(model, result), call]
    if model.kind == "ordered":
        imports = "from statsmodels.miscmodels.ordinal_model import OrderedModel\n"
        options = ", ".join(filter(None, ['method="bfgs"', "disp=False", cluster]))
        return imports, [f'fit = OrderedModel.from_formula({formula}, distr="logit").fit({options})']
    options = ", ".join(filter(None, ["disp=False", cluster]))
    return smf, [
        f'data["{model.outcome}"] = data["{model.outcome}"].cat.codes',
        f"fit = smf.mnlogit({formula}).fit({options})",
    ]


def _as_number(model: Model, result: StatisticalAnalysis) -> list[str]:
    """Make 0 and 1 of the outcome: the later level is the event."""
    dtype = next(c.dtype for c in result.table.columns if c.name == model.outcome)
    codes = "" if dtype == "boolean" else ".cat.codes"
    return [f'data["{model.outcome}"] = data["{model.outcome}"]{codes}.astype(float)']
