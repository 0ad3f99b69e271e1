"""Parts of analysis.py that are the same in every bundle."""

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
