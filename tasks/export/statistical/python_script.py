"""The analysis as a Python script."""

from corpusgraph.tasks.export.statistical import python_text as text
from corpusgraph.tasks.export.statistical.coding import whole_in_terms
from corpusgraph.tasks.export.statistical.errors import errors_text, is_sandwich
from corpusgraph.tasks.statistics.analysis import Model, StatisticalAnalysis
from corpusgraph.tasks.statistics.settle import CATEGORIES
from corpusgraph.tasks.statistics.terms import polynomials

RATIOS = {"logistic": "odds_ratio", "ordered": "odds_ratio", "multinomial": "relative_risk_ratio"}
RATIOS |= {"poisson": "rate_ratio", "negative_binomial": "rate_ratio"}


def script(result: StatisticalAnalysis) -> str:
    """Write the analysis; it reads the files beside it, prints, and writes estimates.csv."""
    body = {"none": _describe, "sem": _sem}.get(result.model.kind, _regression)
    return "\n".join(body(result)) + "\n"


_PLAIN = """from pathlib import Path

import pandas as pd

folder = Path(__file__).resolve().parent
data = pd.read_parquet(folder / "data.parquet")
"""


def _describe(result: StatisticalAnalysis) -> list[str]:
    levels = [entry.name for entry in result.codebook if entry.frequencies]
    counts = [f"for name in {levels!r}:", "    print(data[name].value_counts(dropna=False, sort=False))"]
    lines = ["print(data.dtypes)", "print(data.isna().sum())", "print(data.describe().T.to_string())"]
    return [_PLAIN, *lines, *(counts if levels else [])]


def _sem(result: StatisticalAnalysis) -> list[str]:
    """Write what pandas can say of the indicators: covariances, and alpha (Cronbach 1951) of each factor."""
    model = result.model
    observed = [n for n in model.variables() if n not in {model.group, model.cluster, model.weights}]
    codes = [e.name for e in result.codebook if e.name in observed and e.type in CATEGORIES]
    indicators = {f: list(names) for f, names in model.latents.items() if not set(names) & set(model.latents)}
    coded = [f"for name in {codes!r}:", "    data[name] = data[name].cat.codes.where(data[name].notna())"]
    return [
        _PLAIN,
        "# No maintained Python library fits this model; model.lav is its lavaan text, for R's lavaan.",
        "# Below is what such a model rests on.",
        'print((folder / "model.lav").read_text(encoding="utf-8"))',
        *(coded if codes else []),
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


def _regression(result: StatisticalAnalysis) -> list[str]:
    model = result.model
    linear = model.kind == "linear"
    lines = [f"# {model.text}", *_rows(result), text.DESIGN]
    entered = zip(model.terms, whole_in_terms(result), strict=True)
    terms = ", ".join(repr(dict(term) | dict.fromkeys(sorted(whole), 0)) for term, whole in entered)
    intercept = model.intercept and model.kind != "ordered"
    lines += [*([text.LEAST_SQUARES] if linear else []), "", f"X = design([{terms}], intercept={intercept})"]
    few = 'f"{len(data)} complete rows for {terms} terms: too few for standard errors"'
    lines.append(f"terms = max(X.shape[1] - {len(result.diagnostics.aliased)}, 0)")
    lines += ["if len(data) <= terms:", f"    raise SystemExit({few})", *_left_out(result)]
    lines += _linear(result) if linear else _other(result)
    told = f"Standard errors {errors_text(model, 'python')}."
    return [text.HEAD, *lines, f"print({told!r})", text.SHOW]


def _rows(result: StatisticalAnalysis) -> list[str]:
    model = result.model
    lines = [
        "n_rows = len(data)",
        f"data = data.dropna(subset={list(model.variables())!r}).reset_index(drop=True)",
        "if data.empty:",
        '    raise SystemExit("No row is complete in the variables of the model.")',
        'print(f"n = {len(data)} complete rows of {n_rows}")',
        'for name in data.select_dtypes("category"):',
        "    data[name] = data[name].cat.remove_unused_categories()",
    ]
    for name, level in model.reference.items():
        column = next(c for c in result.table.columns if c.name == name)
        if column.dtype in CATEGORIES:
            lines += [
                f"first = {_word(result, name, level)!r}  # {name}: the level others are compared with",
                f"others = [level for level in data[{name!r}].cat.categories if level != first]",
                f"data[{name!r}] = data[{name!r}].cat.as_unordered()",
                f"data[{name!r}] = data[{name!r}].cat.reorder_categories([first, *others])",
            ]
    if model.weight_type == "frequency":
        lines += [
            "# Frequency weights: a row stands for so many.",
            f"times = data[{model.weights!r}].astype(int)",
            "data = data.loc[data.index.repeat(times)].reset_index(drop=True)",
        ]
    return lines


def _word(result: StatisticalAnalysis, name: str, level: str) -> str:
    """Return what the parquet file calls a level: its label, where labels are all different."""
    column = next(c for c in result.table.columns if c.name == name)
    words = [(column.value_labels or {}).get(one, one) for one in column.levels or ()]
    return (column.value_labels or {}).get(level, level) if len(set(words)) == len(words) else level


def _left_out(result: StatisticalAnalysis) -> list[str]:
    shift = int(result.model.intercept and result.model.kind == "ordered")
    places = [at - shift for at in result.diagnostics.aliased]
    if not places:
        return []
    return [f"X = X.drop(columns=X.columns[{places!r}])  # combinations of the terms before them"]


def _powers(result: StatisticalAnalysis) -> dict[str, int]:
    model = result.model
    return {} if result.diagnostics.aliased else polynomials(model.terms, intercept=model.intercept)


def _groups(model: Model) -> str:
    return f'data[{model.cluster!r}].astype("category").cat.codes.to_numpy()'


def _linear(result: StatisticalAnalysis) -> list[str]:
    model = result.model
    options = ""
    if model.cluster:
        options = f', cov_type="cluster", cov_kwds={{"groups": {_groups(model)}}}'
    elif is_sandwich(model):
        options = f', cov_type="{model.robust or "HC1"}"'
    weighted = model.weights if model.weight_type in {"analytic", "sampling"} else None
    weights = f"data[{weighted!r}].to_numpy(float)" if weighted else "np.ones(len(data))"
    lines = [f"y = data[{model.outcome!r}].to_numpy(float)", f"weights = {weights}"]
    fitted = text.LINEAR.replace("{powers!r}", repr(_powers(result))).replace("{options}", options)
    return [*lines, fitted, text.LINEAR_END]


def _covariance(model: Model) -> str:
    """Return arguments of fit: clustered or robust errors, with G / (G - 1) or n / (n - 1) as in Stata."""
    if model.cluster:
        many = f"data[{model.cluster!r}].nunique()"
        kinds = f'"groups": {_groups(model)}, "use_correction": False'
        return f'cov_type="cluster", cov_kwds={{{kinds}, "scaling_factor": {many} / ({many} - 1)}}'
    if is_sandwich(model):
        return 'cov_type="HC0", cov_kwds={"scaling_factor": len(data) / (len(data) - 1)}'
    return ""


def _other(result: StatisticalAnalysis) -> list[str]:
    model = result.model
    if model.kind in {"ordered", "multinomial"}:
        return (_ordered if model.kind == "ordered" else _multinomial)(model)
    dtype = next(c.dtype for c in result.table.columns if c.name == model.outcome)
    categorical = model.kind == "logistic" and dtype != "boolean"
    codes = ".cat.codes" if categorical else ""
    call = _discrete(model) if model.kind == "negative_binomial" else _glm(model)
    fitted = text.GLM.replace("{powers!r}", repr(_powers(result))).replace("{call}", call)
    end = [text.LIKELIHOOD_END]
    if model.kind == "poisson":
        end.append(
            'print(f"dispersion (Pearson chi2 / df) = {fit.pearson_chi2 / fit.df_resid:.6g};"\n'
            '      " far above 1: errors are too small")'
        )
    if model.kind == "negative_binomial":
        end.append('print(f"alpha = {fit.params[-1]:.10g}")')
    return [
        f"y = data[{model.outcome!r}]{codes}.to_numpy(float)",
        fitted.replace("{ratio!r}", repr(RATIOS[model.kind])),
        *end,
    ]


def _added(model: Model) -> list[str]:
    offset = [f"offset=data[{model.offset!r}].to_numpy(float)"] if model.offset else []
    return offset + ([f"exposure=data[{model.exposure!r}].to_numpy(float)"] if model.exposure else [])


def _glm(model: Model) -> str:
    family = "Binomial" if model.kind == "logistic" else "Poisson"
    parts = ["y", "Q", f"family=sm.families.{family}()", *_added(model)]
    if model.weight_type == "sampling":
        parts.append(f"var_weights=data[{model.weights!r}].to_numpy(float)")
    return f"sm.GLM({', '.join(parts)}).fit(tol=1e-12, {_covariance(model)})".replace(", )", ")")


def _discrete(model: Model) -> str:
    options = ", ".join(
        filter(None, ['method="bfgs"', "maxiter=1000", "gtol=1e-8", "disp=False", _covariance(model)])
    )
    return f"sm.NegativeBinomial({', '.join(['y', 'Q', *_added(model)])}).fit({options})"


def _ordered(model: Model) -> list[str]:
    options = ", ".join(
        filter(None, ['method="bfgs"', "maxiter=1000", "gtol=1e-8", "disp=False", _covariance(model)])
    )
    return [
        "from statsmodels.miscmodels.ordinal_model import OrderedModel",
        "",
        "# Columns of length 1 around 0: the search for the maximum then needs no luck.",
        "middle, scale = X.mean(), X.std(ddof=0)",
        f'fit = OrderedModel(data[{model.outcome!r}], (X - middle) / scale, distr="logit").fit({options})',
        "k = X.shape[1]",
        "slopes = np.diag(1 / scale.to_numpy())",
        "covariance = slopes @ np.asarray(fit.cov_params())[:k, :k] @ slopes.T",
        'found = table(slopes @ np.asarray(fit.params)[:k], covariance, list(X.columns), ratio="odds_ratio")',
        "cuts = fit.model.transform_threshold_params(np.asarray(fit.params))[1:-1]",
        "cuts = cuts + float((found['estimate'].to_numpy() * middle.to_numpy()).sum())",
        "print('thresholds:', cuts)",
        text.LIKELIHOOD_END,
    ]


def _multinomial(model: Model) -> list[str]:
    options = ", ".join(filter(None, ['method="newton"', "maxiter=100", "disp=False", _covariance(model)]))
    return [
        f"levels = data[{model.outcome!r}].cat.categories",
        f"codes = data[{model.outcome!r}].cat.codes.to_numpy()",
        "Q, R = np.linalg.qr(X.to_numpy())",
        f"fit = sm.MNLogit(codes, Q).fit({options})",
        "k, to = X.shape[1], np.linalg.inv(R)",
        "parts = []",
        "for at, level in enumerate(levels[1:]):",
        "    own = slice(at * k, (at + 1) * k)",
        "    covariance = to @ np.asarray(fit.cov_params())[own, own] @ to.T",
        '    names = [f"{level}: {name}" for name in X.columns]',
        "    estimate = to @ np.asarray(fit.params)[:, at]",
        '    parts.append(table(estimate, covariance, names, ratio="relative_risk_ratio"))',
        "found = pd.concat(parts)",
        text.LIKELIHOOD_END,
    ]
