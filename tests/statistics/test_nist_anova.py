"""One-way analyses of variance of NIST, as a regression on the groups: F, R squared, residual deviation."""

import math
import re
import runpy
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
import scipy

from tests.statistics.bundles import written

DATA = Path(scipy.__file__).parent / "stats" / "tests" / "data" / "nist_anova"
"""Ships with scipy; each file has NIST's certified values above its data (https://www.itl.nist.gov/div898/strd)."""
HARD = {"SmLs07", "SmLs08", "SmLs09"}
"""y is 1e12 plus tenths, of which a double keeps three digits: exact arithmetic on these doubles has 4.2 digits.

Sums of 1,809 and 18,009 such rows round what is left; the README warns, and a centred y has the digits of exact
arithmetic.
"""
LARGE = {"SmLs03", "SmLs06", "SmLs09"}
"""18,009 rows: a second each, so with the slow tests."""
DIGITS = {
    **dict.fromkeys(["SiRstv", "SmLs01", "SmLs02", "SmLs03", "AtmWtAg", "SmLs04", "SmLs05", "SmLs06"], 9),
    "SmLs07": 4,
    "SmLs08": 2,
    "SmLs09": 0,
}


def certified(name: str) -> tuple[list[dict[str, Any]], dict[str, float]]:
    """Return the rows, and F, R squared and residual standard deviation."""
    lines = (DATA / f"{name}.dat").read_text().splitlines()
    between = next(line for line in lines if line.startswith("Between"))
    text = "\n".join(lines[40:60])
    values = [float(cell) for cell in re.findall(r"[-+]?\d*\.\d+(?:E[-+]\d+)?|\d+(?=\s)", between)]
    found = {"F": values[-1]}
    found["R2"] = float(re.findall(r"R-Squared\s+(\S+)", text)[0])
    found["s"] = float(re.findall(r"Standard Deviation\s+(\S+)", text)[0])
    start = next(at for at, line in enumerate(lines[60:], 60) if re.fullmatch(r"\s*\d+\s+[\d.E+]+\s*", line))
    cells = [line.split() for line in lines[start:] if line.strip()]
    return [{"g": f"g{group}", "y": float(y)} for group, y in cells], found


@pytest.mark.skipif(not DATA.exists(), reason="this scipy has no test data")
@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=[pytest.mark.external] if name in LARGE else []) for name in DIGITS]
)
def test_the_analysis_of_variance_is_certified(name: str, tmp_path: Path) -> None:
    rows, wanted = certified(name)
    written(tmp_path, rows, "python", outcome="y", predictors=["g"])
    warned = "`y` varies by less than 1e-10 of its size" in (tmp_path / "README.md").read_text()
    assert warned == (name in HARD)
    fit = runpy.run_path(str(tmp_path / "analysis.py"))["fit"]
    found = {"F": fit.fvalue, "R2": fit.rsquared, "s": fit.mse_resid**0.5}
    for key, value in wanted.items():
        error = abs(found[key] - value) / value
        assert (15 if error == 0 else -math.log10(error)) >= DIGITS[name], key


@pytest.mark.skipif(not DATA.exists(), reason="this scipy has no test data")
def test_the_hardest_sets_have_as_many_digits_as_their_data() -> None:
    rows, wanted = certified("SmLs07")
    groups: dict[object, list[Fraction]] = {}
    for row in rows:
        groups.setdefault(row["g"], []).append(Fraction(row["y"]))
    means = {g: sum(values, Fraction(0)) / len(values) for g, values in groups.items()}
    mean = sum((m * len(groups[g]) for g, m in means.items()), Fraction(0)) / len(rows)
    between = sum((len(groups[g]) * (m - mean) ** 2 for g, m in means.items()), Fraction(0))
    within = sum(((v - means[g]) ** 2 for g, values in groups.items() for v in values), Fraction(0))
    ratio = between / (len(groups) - 1) / (within / (len(rows) - len(groups)))
    assert 4 < -math.log10(abs(float(ratio) - wanted["F"]) / wanted["F"]) < 5
