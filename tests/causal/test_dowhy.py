"""analysis.py of the bundle, really run: estimates against statsmodels, refuters, and honest refusals."""

import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from corpusgraph.tasks.export.causal.bundle import causal_bundle
from corpusgraph.tasks.tools.prepare import prepare_causal_model
from tests.prepare.causal_graphs import ask

pytestmark = [pytest.mark.external, pytest.mark.timeout(300)]

Columns = dict[str, Any]


def noise(count: int) -> Any:
    return np.random.default_rng(5).normal(size=(count, 800))


def write(folder: Path, nodes: str, edges: str, columns: Columns, exposure: Any = "x") -> None:
    rows = [
        dict(zip(columns, row, strict=True))
        for row in zip(*(c.tolist() for c in columns.values()), strict=True)
    ]
    asked = ask(nodes, edges, model_type="do_calculus", exposure=exposure, outcome="y", data=rows)
    noted = prepare_causal_model(asked)
    for name, content in causal_bundle(noted.data, noted.warnings).items():
        (folder / name).write_bytes(content)


def run(folder: Path, hash_seed: str = "1") -> str:
    done = subprocess.run(
        [sys.executable, "-W", "error::RuntimeWarning", "analysis.py"], cwd=folder, capture_output=True, text=True,
        check=False, env={**os.environ, "PYTHONHASHSEED": hash_seed},
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    return done.stdout


def estimate(told: str) -> float:
    found = re.search(r"Estimate of the effect on y of one more in [^:]+: (\S+)", told)
    assert found, told
    return float(found[1])


def slope(y: Any, *columns: Any) -> float:
    """Return the first coefficient of a regression by statsmodels."""
    from statsmodels.api import OLS, add_constant

    return float(OLS(y, add_constant(np.column_stack(columns))).fit().params[1])


def refuted(told: str, name: str) -> tuple[float, float]:
    found = re.search(rf"{name}[^:]*: ([-\d.e]+),.* p ([\d.e-]+)", told)
    assert found, told
    return float(found[1]), float(found[2])


def test_the_back_door_estimate_is_that_of_statsmodels_and_stays_under_refutation(tmp_path: Path) -> None:
    z, e1, e2, w = noise(4)
    x = 0.8 * z + e1
    y = 1.5 * x + 0.7 * z + w + e2
    # w modifies nothing, but dowhy by itself would let every cause of y interact with x.
    write(tmp_path, "z x y w", "z>x z>y x>y w>y", {"z": z, "x": x, "y": y, "w": w})
    told = run(tmp_path)
    assert estimate(told) == pytest.approx(slope(y, x, z), rel=1e-9)
    assert "backdoor.linear_regression, 800 rows, adjusted for z" in told
    assert len((tmp_path / "analysis.py").read_text().splitlines()) <= 40
    assert abs(refuted(told, "placebo_treatment_refuter")[0]) < 0.05
    for name in ("random_common_cause", "data_subset_refuter"):
        value, p = refuted(told, name)
        assert value == pytest.approx(estimate(told), abs=0.05)
        assert p > 0.05
    assert run(tmp_path, "77") == told


def test_an_instrument_serves_where_there_is_no_set(tmp_path: Path) -> None:
    u, z, e1, e2 = noise(4)
    x = z + u + e1
    y = 2 * x + 3 * u + e2
    write(tmp_path, "z x y", "z>x x>y x<>y", {"z": z, "x": x, "y": y})
    told = run(tmp_path)
    wald = np.cov(z, y)[0, 1] / np.cov(z, x)[0, 1]
    assert estimate(told) == pytest.approx(wald, rel=1e-8)
    assert "a hedge makes the effect not identifiable" in told
    assert "assumes linear effects, the same for all" in told
    assert abs(slope(y, x) - 2) > 5 * abs(wald - 2)
    assert refuted(told, "data_subset_refuter")[1] > 0.05


def test_a_conditional_instrument_is_two_stage_least_squares_with_the_covariate(tmp_path: Path) -> None:
    from statsmodels.sandbox.regression.gmm import IV2SLS

    u, w, e1, e2, e3 = noise(5)
    z = w + e1
    x = z + u + e2
    y = 2 * x + 3 * u - 4 * w + e3
    write(tmp_path, "w z x y", "w>z w>y z>x x>y x<>y", {"w": w, "z": z, "x": x, "y": y})
    told = run(tmp_path)
    ones = np.ones(len(w))
    fit = IV2SLS(y, np.column_stack([x, w, ones]), np.column_stack([z, w, ones])).fit()
    assert estimate(told) == pytest.approx(float(fit.params[0]), rel=1e-8)
    assert "by the instrument z given w" in told


def test_the_front_door_is_the_product_of_two_regressions(tmp_path: Path) -> None:
    u, e1, e2, e3 = noise(4)
    x = u + e1
    m = 0.9 * x + e2
    y = 1.2 * m + 2 * u + e3
    write(tmp_path, "x m y", "x>m m>y x<>y", {"x": x, "m": m, "y": y})
    told = run(tmp_path)
    assert estimate(told) == pytest.approx(slope(m, x) * slope(y, m, x), rel=1e-8)
    assert refuted(told, "data_subset_refuter")[0] == pytest.approx(estimate(told), abs=0.1)


def test_two_exposures_are_raised_together(tmp_path: Path) -> None:
    a, b, e = noise(3)
    y = a + 2 * b + e
    write(tmp_path, "a b y", "a>b a>y b>y", {"a": a, "b": a + b, "y": y}, exposure=("a", "b"))
    told = run(tmp_path)
    both = slope(y, a, a + b) + slope(y, a + b, a)
    assert estimate(told) == pytest.approx(both, rel=1e-8)
    assert "of one more in a and b" in told


def test_categories_gaps_and_what_cannot_be_estimated_are_told(tmp_path: Path) -> None:
    x = np.array(["no", "yes"] * 40, dtype=object)
    y = np.arange(80.0)
    x[3] = None
    write(tmp_path, "x y", "x>y", {"x": x, "y": y})
    told = run(tmp_path)
    assert "1 rows with gaps are left out." in told
    assert "x: no is 0, yes is 1." in told
    kept = np.delete(np.arange(80), 3)
    assert estimate(told) == pytest.approx(slope(y[kept], kept % 2.0))
    write(tmp_path, "x y", "x>y", {"x": np.array(["a", "b", "c", "d"] * 20), "y": y})
    assert "No estimate: x has 4 categories" in run(tmp_path)


def test_an_effect_that_is_not_identifiable_gets_no_number(tmp_path: Path) -> None:
    x, y = noise(2)
    write(tmp_path, "x y", "x>y x<>y", {"x": x, "y": y})
    told = run(tmp_path)
    assert "No estimate of the effect: it is not known to be identifiable" in told
    assert "Estimate of" not in told
    # Pearl & Robins 1995: a plan of two treatments, identifiable by no single set.
    columns = {"a": x, "z": y, "b": x + y, "y": y - x}
    write(tmp_path, "a z b y", "a>z z>b a>y b>y z<>y", columns, exposure=("a", "b"))
    assert "it is identifiable, by sets not in data.csv or a formula dowhy does not estimate" in run(tmp_path)
