"""The Python bundle: parquet with types, categories and labels, and a script that runs."""

import io
import json
from typing import TYPE_CHECKING, Any

from corpusgraph.schemas.results import Column, Table
from corpusgraph.tasks.analysis.statistics.analysis import Model, StatisticalAnalysis
from corpusgraph.tasks.analysis.statistics.formula import polynomials
from corpusgraph.tasks.analysis.statistics.settle import CATEGORIES
from corpusgraph.tasks.export.statistical.coding import errors_text, is_sandwich, whole_in_terms
from corpusgraph.tasks.table.coerce import raw
from corpusgraph.tasks.table.columns import Instants, mapped

if TYPE_CHECKING:
    import polars as pl

HEAD = """from math import comb, fsum
from pathlib import Path

import numpy as np
import pandas as pd
import statsmodels.api as sm
from scipy import stats

folder = Path(__file__).resolve().parent
data = pd.read_parquet(folder / "data.parquet")
"""

DESIGN = '''
def coded(name, power):
    """Return a number to a power; a category as 0/1 columns, one for each level but the first.

    A category with power 0 has a column for every level: the term without it is not in the model.
    """
    column = data[name]
    if isinstance(column.dtype, pd.CategoricalDtype):
        levels = column.cat.categories[min(power, 1):]
        return {f"{name}[{level}]": (column == level).to_numpy(float) for level in levels}
    return {f"{name}^{power}" if power > 1 else name: column.to_numpy(float) ** power}


def design(terms, intercept):
    """Return the columns of the model; a term is {variable: power}, and a product is an interaction."""
    columns = {"(intercept)": np.ones(len(data))} if intercept else {}
    for term in terms:
        product = {"": np.ones(len(data))}
        for name, power in term.items():
            parts = coded(name, power)
            product = {f"{a}:{b}" if a else b: x * z for a, x in product.items() for b, z in parts.items()}
        columns |= product
    return pd.DataFrame(columns)


def centred(X, powers):
    """Return far less collinear columns of the same span, and what turns their coefficients into those of X.

    Powers of a variable become powers around its middle; the scale, a power of two, rounds nothing.
    """
    Z, back = X.to_numpy(copy=True), np.eye(X.shape[1])
    for name, degree in powers.items():
        x = X[name].to_numpy()
        middle = (x.min() + x.max()) / 2
        scale = 2.0 ** np.ceil(np.log2(x.max() - middle))
        at = [0] + [X.columns.get_loc(f"{name}^{k}" if k > 1 else name) for k in range(1, degree + 1)]
        for k in range(1, degree + 1):
            Z[:, at[k]] = ((x - middle) / scale) ** k
            for i in range(k + 1):
                back[at[i], at[k]] = comb(k, i) * (-middle) ** (k - i) / scale**k
    return Z, back


def table(estimate, covariance, names, df=None, ratio=None):
    """Return estimates with standard errors, tests and 95 % intervals: t with df, else normal."""
    spread = stats.norm if df is None else stats.t(df)
    error = np.sqrt(np.diag(covariance))
    half = spread.ppf(0.975) * error
    with np.errstate(divide="ignore", invalid="ignore"):
        statistic = estimate / error
    found = {"term": names, "estimate": estimate, "std_error": error, "statistic": statistic}
    found |= {"p_value": 2 * spread.sf(abs(statistic))}
    found |= {"conf_low": estimate - half, "conf_high": estimate + half}
    if ratio:
        with np.errstate(over="ignore"):
            found |= {ratio: np.exp(estimate), f"{ratio}_low": np.exp(estimate - half)}
            found |= {f"{ratio}_high": np.exp(estimate + half)}
    return pd.DataFrame(found)
'''

LEAST_SQUARES = '''
def product(a, b):
    """Return a * b and its rounding error (Dekker 1971)."""
    def halves(v):
        high = 134217729.0 * v
        high -= high - v
        return high, v - high
    (a1, a2), (b1, b2), made = halves(a), halves(b), a * b
    return made, ((a1 * b1 - made) + a1 * b2 + a2 * b1) + a2 * b2


def refined(Z, y, coefficients, R):
    """Return the coefficients after a step of refinement with sums to twice the working precision."""
    if Z.size > 1_000_000 or not np.isfinite(coefficients).all() or max(abs(Z).max(), abs(y).max()) > 1e100:
        return coefficients
    parts = np.column_stack([y, *(-part for part in product(Z, coefficients[None, :]))]).tolist()
    high = np.array([fsum(row) for row in parts])
    low = np.array([fsum([*row, -rest]) for row, rest in zip(parts, high)])
    whole, rounding = product(Z, high[:, None])
    columns = np.vstack([whole, rounding, Z * low[:, None]]).T.tolist()
    gradient = np.array([fsum(column) for column in columns])
    return coefficients + np.linalg.solve(R, np.linalg.solve(R.T, gradient))
'''

LINEAR = """

def spread(x):
    \"\"\"Return the standard deviation where rows weigh differently.\"\"\"
    around = x - np.average(x, axis=0, weights=weights)
    return np.sqrt(np.average(around**2, axis=0, weights=weights) * len(x) / (len(x) - 1))


# QR of centred columns: as exact as double precision allows where columns are nearly collinear.
Z, back = centred(X, {powers!r})
root = np.sqrt(weights)[:, None]
Q, R = np.linalg.qr(Z * root)
level = y.mean() if X.columns[0] == "(intercept)" else 0.0  # what all values share is added back at the end
fit = sm.WLS(y - level, Q / root, weights=weights, hasconst=X.columns[0] == "(intercept)")
fit = fit.fit(use_t=True{options})
to = back @ np.linalg.inv(R)
coefficients = np.linalg.solve(R, fit.params)
coefficients[0] += level
if (weights == 1).all():
    coefficients = refined(Z, y, coefficients, R)
df = getattr(fit, "df_resid_inference", None) or fit.df_resid
found = table(back @ coefficients, to @ fit.cov_params() @ to.T, list(X.columns), df)
with np.errstate(divide="ignore", invalid="ignore"):
    found["standardised"] = found["estimate"] * spread(X.to_numpy()) / spread(y)
found.loc[found["term"] == "(intercept)", "standardised"] = np.nan
"""

LINEAR_END = """
print(f"n = {int(fit.nobs)}, residual df = {int(fit.df_resid)}", end=", ")
print(f"residual standard deviation = {fit.mse_resid**0.5:.10g}")
print(f"R2 = {fit.rsquared:.10g}, adjusted R2 = {fit.rsquared_adj:.10g}")
if fit.cov_type == "nonrobust" and fit.df_model > 0:
    F = fit.mse_model / fit.mse_resid
    p = stats.f.sf(F, fit.df_model, fit.df_resid)
    print(f"F({int(fit.df_model)}, {int(fit.df_resid)}) = {F:.10g}, p = {p:.4g}")
"""

GLM = """
Z, back = centred(X, {powers!r})
Q, R = np.linalg.qr(Z)
to = back @ np.linalg.inv(R)
fit = {call}
found = table(to @ fit.params[: Q.shape[1]], to @ fit.cov_params()[: Q.shape[1], : Q.shape[1]] @ to.T,
              list(X.columns), ratio={ratio!r})
"""

LIKELIHOOD_END = """
information = -2 * fit.llf + 2 * np.size(fit.params)
print(f"n = {len(data)}, log-likelihood = {fit.llf:.10g}, AIC = {information:.10g}")
"""

SHOW = """
with pd.option_context("display.max_columns", None, "display.width", 200, "display.max_rows", None):
    print(found.to_string(index=False))
found.to_csv(folder / "estimates.csv", index=False)
"""

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
    lines = [f"# {model.text}", *_rows(result), DESIGN]
    entered = zip(model.terms, whole_in_terms(result), strict=True)
    terms = ", ".join(repr(dict(term) | dict.fromkeys(sorted(whole), 0)) for term, whole in entered)
    intercept = model.intercept and model.kind != "ordered"
    lines += [*([LEAST_SQUARES] if linear else []), "", f"X = design([{terms}], intercept={intercept})"]
    few = 'f"{len(data)} complete rows for {terms} terms: too few for standard errors"'
    lines.append(f"terms = max(X.shape[1] - {len(result.diagnostics.aliased)}, 0)")
    lines += ["if len(data) <= terms:", f"    raise SystemExit({few})", *_left_out(result)]
    lines += _linear(result) if linear else _other(result)
    told = f"Standard errors {errors_text(model, 'python')}."
    return [HEAD, *lines, f"print({told!r})", SHOW]


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
    fitted = LINEAR.replace("{powers!r}", repr(_powers(result))).replace("{options}", options)
    return [*lines, fitted, LINEAR_END]


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
    fitted = GLM.replace("{powers!r}", repr(_powers(result))).replace("{call}", call)
    end = [LIKELIHOOD_END]
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
        LIKELIHOOD_END,
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
        LIKELIHOOD_END,
    ]


def files(result: StatisticalAnalysis) -> dict[str, bytes]:
    """Return data.parquet and analysis.py."""
    return {"data.parquet": parquet(result.table), "analysis.py": script(result).encode()}


def parquet(table: Table) -> bytes:
    """Write a parquet file: levels as dictionaries, days as timestamps, labels as field metadata.

    pandas reads parquet's own dates as objects, hence the timestamps.
    """
    import pyarrow as pa
    import pyarrow.parquet as pq

    fields, arrays = [], []
    for at, column in enumerate(table.columns):
        array = _array(column, raw(table, at))
        fields.append(pa.field(column.name, array.type, metadata=_told(column) or None))
        arrays.append(array)
    out = io.BytesIO()
    made = pa.Table.from_arrays(arrays, schema=pa.schema(fields))
    pq.write_table(made, out, compression="zstd")
    return out.getvalue()


def _told(column: Column) -> dict[str, str]:
    labels = column.value_labels if column.dtype in {"numeric", "integer"} else None
    written = json.dumps(labels, ensure_ascii=False, sort_keys=True) if labels else ""
    told = {
        "label": column.label,
        "unit": column.unit or "",
        "formula": column.formula,
        "value_labels": written,
    }
    return {key: value for key, value in told.items() if value}


def _array(column: Column, values: "pl.Series | Instants") -> Any:
    import polars as pl
    import pyarrow as pa

    if isinstance(values, Instants):
        return values.moments.cast(pl.Datetime("us")).to_arrow()
    if column.dtype in {"nominal", "ordinal"}:
        return _dictionary(column, values)
    kinds = {"numeric": pa.float64(), "integer": pa.int64(), "boolean": pa.bool_()}
    return values.to_arrow().cast(kinds.get(column.dtype, pa.large_string()))


def _dictionary(column: Column, values: "pl.Series") -> Any:
    """Make levels of text: the label of a code where it has one of its own, else the code."""
    import polars as pl
    import pyarrow as pa

    texts = column.value_labels or {}
    levels = list(column.levels or ())
    words = [texts.get(level, level) for level in levels]
    if len(set(words)) < len(words):
        words = levels
    places = mapped(values.cast(pl.String), {level: at for at, level in enumerate(levels)}, pl.Int32)
    return pa.DictionaryArray.from_arrays(
        places.to_arrow(), pa.array(words, pa.string()), ordered=column.dtype == "ordinal"
    )
