"""Python: parquet with types, categories and labels, and a script for pandas and statsmodels."""

import keyword
import unicodedata

from corpusgraph.tasks.analysis.statistics.analysis import Model, StatisticalAnalysis
from corpusgraph.tasks.analysis.statistics.formula import term_text
from corpusgraph.tasks.analysis.statistics.names import replaced, started
from corpusgraph.tasks.analysis.statistics.target import Target
from corpusgraph.tasks.analysis.statistics.tidy import CATEGORIES
from corpusgraph.tasks.export.files import level_words, parquet
from corpusgraph.tasks.export.statistical.coding import (
    RATIOS,
    Part,
    column_of,
    errors_text,
    flags_of,
    is_category,
    is_sandwich,
    robust_kind,
    script_of,
)

_FORMULA = {"C", "Q", "I", "np", "poly", "scale", "center", "bs", "cr", "cc", "te", "data", "model"}
"""Functions of model formulas, and names the script itself uses."""


def legal_name(name: str) -> str:
    """Make an identifier; letters of every script stay.

    Parameters
    ----------
    name : str
        Any name.

    Returns
    -------
    str
        No keyword of Python and no function of a formula; empty where no character is legal.

    """
    legal = replaced(unicodedata.normalize("NFKC", name), lambda c: f"a{c}".isidentifier())
    legal = legal if legal.isidentifier() and not legal.startswith("_") else started(legal)
    return f"{legal}_" if keyword.iskeyword(legal) or legal in _FORMULA else legal


_LOAD = (
    "from pathlib import Path\n",
    "import pandas as pd\n",
    "folder = Path(__file__).resolve().parent",
    'data = pd.read_parquet(folder / "data.parquet")\n',
)


def _describe(result: StatisticalAnalysis) -> Part:
    levels = [entry.name for entry in result.codebook if entry.frequencies]
    counts = [f"for name in {levels!r}:", "    print(data[name].value_counts(dropna=False, sort=False))"]
    lines = ["print(data.dtypes)", "print(data.isna().sum())", "print(data.describe().T.to_string())"]
    return [_LOAD, lines, bool(levels) and counts]


def _sem(result: StatisticalAnalysis) -> Part:
    """Write what pandas can say of the indicators: covariances, and alpha (Cronbach 1951) of each factor."""
    model = result.model
    observed = [n for n in model.variables() if n not in {model.group, model.cluster, model.weights}]
    codes = [e.name for e in result.codebook if e.name in observed and e.type in CATEGORIES]
    indicators = {f: list(names) for f, names in model.latents.items() if not set(names) & set(model.latents)}
    coded = [f"for name in {codes!r}:", "    data[name] = data[name].cat.codes.where(data[name].notna())"]
    return [
        "# No maintained Python library fits this model; model.lav is its lavaan text, for R's lavaan.",
        "# Below is what such a model rests on.",
        _LOAD,
        'print((folder / "model.lav").read_text(encoding="utf-8"))',
        bool(codes) and coded,
        f"observed = data[{observed!r}].dropna().astype(float)",
        'print(f"n = {len(observed)}")',
        "print(observed.cov().to_string())",
        "print(observed.corr().to_string())",
        f"for factor, names in {indicators!r}.items():",
        "    if len(names) > 1:",
        "        k, part = len(names), observed[names]",
        "        alpha = k / (k - 1) * (1 - part.var().sum() / part.sum(axis=1).var())",
        '        print(f"{factor}: Cronbach\'s alpha = {alpha:.3f}")',
    ]


def _regression(result: StatisticalAnalysis) -> Part:
    model, ratio = result.model, RATIOS.get(result.model.kind)
    columns = ["estimate", "std_error", "statistic", "p_value", "conf_low", "conf_high"]
    names = [ratio, f"{ratio}_low", f"{ratio}_high"]
    weights = f', aweights=data["{model.weights}"]' if _is_weighted(model) else ""
    standardised = [
        f"spread = np.sqrt(np.diag(np.cov(fit.model.endog, fit.model.exog, rowvar=False{weights})))",
        'estimates["standardised"] = estimates["estimate"] * spread[1:] / spread[0]',
        model.intercept and 'estimates.loc["Intercept", "standardised"] = np.nan',
    ]
    return [
        _LOAD[0],
        "import numpy as np",
        "import pandas as pd",
        "import statsmodels.api as sm",
        "import statsmodels.formula.api as smf",
        model.kind == "ordered" and "from statsmodels.miscmodels.ordinal_model import OrderedModel",
        "",
        _LOAD[2:],
        _rows(result),
        "",
        _fit(result),
        "print(fit.summary())",
        f'print("Standard errors {errors_text(model)}.")',
        _table(model),
        f"estimates.columns = {columns!r}",
        f'estimates[{names!r}] = np.exp(estimates[["estimate", "conf_low", "conf_high"]])'
        if ratio
        else standardised,
        "print(estimates.to_string())",
        'estimates.to_csv(folder / "estimates.csv", index_label="term")',
    ]


def _is_weighted(model: Model) -> bool:
    return model.weight_type in {"analytic", "sampling"}


def _rows(result: StatisticalAnalysis) -> Part:
    model = result.model
    few = result.diagnostics.n_complete <= len(model.terms)
    categories = [name for name in (model.outcome or "", *model.predictors) if is_category(result, name)]
    return [
        "n_rows = len(data)",
        f"data = data.dropna(subset={list(model.variables())!r}).reset_index(drop=True)",
        'print(f"n = {len(data)} complete rows of {n_rows}")',
        few and 'raise SystemExit("Too few complete rows for standard errors.")',
        bool(categories)
        and f"for name in {categories!r}:\n    data[name] = data[name].cat.remove_unused_categories()",
        [f'data["{name}"] = data["{name}"].astype(float)  # 0 and 1' for name in flags_of(result)],
        model.weight_type == "frequency"
        and f'data = data.loc[data.index.repeat(data["{model.weights}"])].reset_index(drop=True)',
        _outcome(result),
    ]


def _outcome(result: StatisticalAnalysis) -> list[str]:
    """Write the outcome as the model takes it: true is 1, the reference level is 0."""
    model, outcome = result.model, result.model.outcome or ""
    data = f'data["{outcome}"]'
    if model.kind == "multinomial":
        return [
            f"levels = [{_word(result, outcome)!r}]",
            f"levels += [level for level in {data}.cat.categories if level != levels[0]]",
            f"{data} = {data}.cat.reorder_categories(levels, ordered=False).cat.codes",
        ]
    if model.kind != "logistic":
        return []
    if column_of(result, outcome).dtype == "boolean":
        return [f"{data} = {data}.astype(float)"]
    return [f"{data} = ({data} != {_word(result, outcome)!r}).astype(float)"]


def _word(result: StatisticalAnalysis, name: str) -> str:
    """Return what the parquet file calls the reference level of a category."""
    column = column_of(result, name)
    return level_words(column)[(column.levels or ()).index(result.model.reference[name])]


def _formula(result: StatisticalAnalysis) -> str:
    model = result.model
    names = {
        name: f"C({name}, Treatment({_word(result, name)!r}))"
        for name in model.predictors
        if is_category(result, name) and name in model.reference
    }
    terms = [
        term_text({names.get(name, name): k for name, k in term.items()}, "I({}**{})") for term in model.terms
    ]
    return f"{model.outcome} ~ {' + '.join(terms)}" + ("" if model.intercept else " + 0")


def _fit(result: StatisticalAnalysis) -> list[str]:
    model = result.model
    formula, fit = f"formula = {_formula(result)!r}", _covariance(model)
    given = [f'{part}=data["{name}"]' for part in ("offset", "exposure") if (name := getattr(model, part))]
    weights = f'data["{model.weights}"]' if _is_weighted(model) else ""
    if model.kind == "linear":
        if result.diagnostics.aliased:
            return [formula, *_independent(weights, fit)]
        given += [f"weights={weights}"] * bool(weights) + ["hasconst=False"] * (not model.intercept)
    elif weights or model.kind == "poisson":
        family = "Binomial" if model.kind == "logistic" else "Poisson"
        given = [f"family=sm.families.{family}()", *given, *[f"var_weights={weights}"] * bool(weights)]
    elif model.kind == "ordered":
        given.append('distr="logit"')
    function = {
        "linear": "smf.wls" if weights else "smf.ols",
        "logistic": "smf.glm" if weights else "smf.logit",
        "poisson": "smf.glm",
        "multinomial": "smf.mnlogit",
        "ordered": "OrderedModel.from_formula",
        "negative_binomial": "smf.negativebinomial",
    }[model.kind]
    lines = [formula, f"fit = {function}({', '.join(['formula', 'data', *given])}).fit({fit})"]
    if model.kind == "poisson":
        told = "dispersion (Pearson chi2 / df), far above 1: errors are too small:"
        lines.append(f'print("{told}", fit.pearson_chi2 / fit.df_resid)')
    return lines


def _independent(weights: str, fit: str) -> list[str]:
    """Leave out columns that those before them determine: statsmodels would share their effect out."""
    call = f"sm.WLS(y, X, weights={weights})" if weights else "sm.OLS(y, X)"
    return [
        "from patsy import dmatrices",
        "",
        'y, X = dmatrices(formula, data, return_type="dataframe")',
        "rank = np.linalg.matrix_rank",
        "X = X.loc[:, [rank(X.iloc[:, : k + 1]) > rank(X.iloc[:, :k]) for k in range(X.shape[1])]]",
        f"fit = {call}.fit({fit})  # without columns that those before them determine",
    ]


def _covariance(model: Model) -> str:
    """Return the arguments of fit: how the maximum is searched for, and the errors, as in Stata."""
    options = {
        "ordered": ['method="bfgs"', "maxiter=1000", "gtol=1e-8", "disp=False"],
        "negative_binomial": ['method="bfgs"', "maxiter=1000", "gtol=1e-6", "disp=False"],
        "multinomial": ['method="newton"', "maxiter=100", "disp=False"],
        "linear": ['method="qr"'],
        "logistic": [] if _is_weighted(model) else ["disp=False"],
    }.get(model.kind, [])
    groups = f'"groups": data["{model.cluster}"].astype("category").cat.codes'
    if model.kind == "linear":
        if model.cluster:
            options += ['cov_type="cluster"', f"cov_kwds={{{groups}}}", "use_t=True"]
        elif is_sandwich(model):
            options += [f'cov_type="{robust_kind(model)}"', "use_t=True"]
    elif model.cluster:
        many = f'data["{model.cluster}"].nunique()'
        scale = f'"use_correction": False, "scaling_factor": {many} / ({many} - 1)'
        options += ['cov_type="cluster"', f"cov_kwds={{{groups}, {scale}}}"]
    elif is_sandwich(model):
        options += ['cov_type="HC0"', 'cov_kwds={"scaling_factor": len(data) / (len(data) - 1)}']
    return ", ".join(options)


def _table(model: Model) -> list[str]:
    """Return lines that make the table of estimates of a fit."""
    if model.kind != "multinomial":
        parts = "fit.params, fit.bse, fit.tvalues, fit.pvalues, fit.conf_int()"
        more = []
        if model.kind == "ordered":  # thresholds are in the summary
            more = ["estimates = estimates.iloc[: fit.model.k_vars]"]
        if model.kind == "negative_binomial":
            more = ['estimates = estimates.drop(index="alpha")  # the dispersion is in the summary']
        return [f"estimates = pd.concat([{parts}], axis=1)", *more]
    return [
        "parts = [fit.params, fit.bse, fit.tvalues, fit.pvalues]",
        "estimates = pd.DataFrame([np.ravel(part, order='F') for part in parts]).T",
        "estimates[['low', 'high']] = fit.conf_int().to_numpy()",
        'estimates.index = [f"{level}: {term}" for level in levels[1:] for term in fit.params.index]',
    ]


TARGET = Target(
    name="python",
    legal_name=legal_name,
    script=script_of([], describe=_describe, regression=_regression, sem=_sem),
    data_files=lambda result: {"data.parquet": parquet(result.table)},
    script_file="analysis.py",
    opening="`python analysis.py` runs the analysis with pandas and statsmodels;"
    ' `pandas.read_parquet("data.parquet")` opens the data.',
    files={"data.parquet": "the data with types, categories and labels"},
    errors=errors_text,
    writes_estimates=lambda model: model.kind != "sem",
    unweighted=frozenset({"ordered", "multinomial", "negative_binomial"}),
)
