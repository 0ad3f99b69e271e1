"""The exported scripts against certified values of NIST: digits that agree, in coefficients and standard errors."""

import math
import re
import runpy
import subprocess
from collections.abc import Sequence
from fractions import Fraction
from pathlib import Path

import pandas as pd
import pytest

from tests.statistics.bundles import needs, written
from tests.statistics.nist import SETS

DIGITS = dict.fromkeys(SETS, (9.0, 9.0)) | {
    "Longley": (9.0, 7.0),  # condition number 5e9: statsmodels has the errors of the inverse of R'R
    # The rest is far larger than the coefficients (all 1): the rounding of y alone costs their digits.
    "Wampler4": (7.0, 9.0),
    "Wampler5": (5.0, 9.0),
}
"""Digits of coefficients and of standard errors that the plain calls of R and statsmodels give."""
HARD = "Filip"
"""Powers to the tenth: R leaves terms out, statsmodels has errors without a right digit; the README warns."""


def agreeing_digits(found: Sequence[float], certified: Sequence[float], size: float = 1.0) -> float:
    """Return the smallest log relative error (McCullough 1998), 15 at most; for a certified 0 that of `size`."""
    errors = [abs(f - c) / (abs(c) or size) for f, c in zip(found, certified, strict=True)]
    return min(15.0 if error == 0 else min(15.0, -math.log10(error)) for error in errors)


def exact(name: str) -> tuple[list[Fraction], list[Fraction]]:
    """Return the estimates and their variances by the normal equations, in rational numbers."""
    chosen = SETS[name]
    x, y = chosen.design(), [Fraction(row[0]) for row in chosen.data]
    k = len(x[0])
    system = [
        [sum((r[i] * r[j] for r in x), Fraction(0)) for j in range(k)]
        + [sum((r[i] * v for r, v in zip(x, y, strict=True)), Fraction(0))]
        + [Fraction(int(i == j)) for j in range(k)]
        for i in range(k)
    ]
    for i in range(k):
        pivot = system[i][i]
        system[i] = [cell / pivot for cell in system[i]]
        for j in range(k):
            if j != i:
                times = system[j][i]
                system[j] = [a - times * b for a, b in zip(system[j], system[i], strict=True)]
    beta = [row[k] for row in system]
    rest = sum(
        ((v - sum(map(Fraction.__mul__, r, beta))) ** 2 for r, v in zip(x, y, strict=True)), Fraction(0)
    )
    scale = rest / (len(y) - k)
    return beta, [scale * system[i][k + 1 + i] for i in range(k)]


@pytest.mark.parametrize("name", SETS)
def test_the_certified_values_follow_from_the_data(name: str) -> None:
    beta, variances = exact(name)
    assert agreeing_digits([float(b) for b in beta], SETS[name].estimates()) > 14
    assert agreeing_digits([math.sqrt(v) for v in variances], SETS[name].errors()) > 14


def fitted(name: str, folder: Path, target: str) -> pd.DataFrame:
    chosen = SETS[name]
    written(
        folder,
        chosen.rows(),
        target,
        outcome="y",
        predictors=chosen.terms(),
        intercept=chosen.intercept,
    )
    if target == "python":
        runpy.run_path(str(folder / "analysis.py"))
    else:
        subprocess.run(["Rscript", "analysis.R"], cwd=folder, capture_output=True, check=True)
    return pd.read_csv(folder / "estimates.csv")


@pytest.mark.parametrize(
    "target", ["python", pytest.param("r", marks=[pytest.mark.external, needs("Rscript")])]
)
@pytest.mark.parametrize("name", [name for name in SETS if name != HARD])
def test_coefficients_and_errors_have_their_digits(name: str, target: str, tmp_path: Path) -> None:
    found, chosen = fitted(name, tmp_path, target), SETS[name]
    order = [found["term"].tolist().index(term) for term in in_order(found["term"].tolist(), len(found))]
    estimates, errors = (
        found["estimate"].to_numpy()[order].tolist(),
        found["std_error"].to_numpy()[order].tolist(),
    )
    assert agreeing_digits(estimates, chosen.estimates()) >= DIGITS[name][0]
    size = max(abs(float(row[0])) for row in chosen.data)  # some errors are certified to be 0
    assert agreeing_digits(errors, chosen.errors(), size) >= DIGITS[name][1]


@pytest.mark.parametrize("target", ["python", "r", "stata", "spss"])
def test_the_readme_warns_of_a_design_too_hard_for_a_plain_call(target: str, tmp_path: Path) -> None:
    for name, chosen in SETS.items():
        terms, intercept = chosen.terms(), chosen.intercept
        written(tmp_path, chosen.rows(), target, outcome="y", predictors=terms, intercept=intercept)
        warned = "powers of `x1` are nearly collinear" in (tmp_path / "README.md").read_text()
        assert warned == (name == HARD)


def in_order(terms: list[str], n: int) -> list[str]:
    """Return intercept, then terms by their number and power, whatever order the program prints them in."""

    def key(term: str) -> tuple[int, ...]:
        return tuple(int(digit) for digit in re.findall(r"\d+", term)) or (0,)

    made = sorted(terms, key=key)
    assert len(made) == n
    return made
