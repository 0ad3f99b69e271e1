"""The exported scripts run by R, PSPP and gretl: the same numbers as statsmodels, and published ones."""

import csv
import re
import runpy
import subprocess
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from tests.statistics.bundles import needs, written

pytestmark = pytest.mark.external
PACKAGES = {"MASS", "lmtest", "nnet", "sandwich"}


def run(folder: Path, *command: str) -> str:
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def needs_r(*packages: str) -> None:
    wanted = ", ".join(f'"{name}"' for name in packages)
    code = f"quit(status = !all(sapply(c({wanted}), requireNamespace, quietly = TRUE)))"
    if subprocess.run(["Rscript", "-e", code], capture_output=True, check=False).returncode:
        pytest.skip(f"one of the R packages {wanted} is not installed")


def rows(n: int = 240) -> list[dict[str, Any]]:
    rng = np.random.default_rng(7)
    made = []
    for at in range(n):
        x, z, g = rng.normal(), rng.random(), "abc"[at % 3]
        eta = 0.5 * x - z + (g == "b")
        made.append(
            {
                "x": x * 10,
                "z": z if at % 17 else None,
                "g": g,
                "y": eta + rng.normal(),
                "yes": bool(rng.random() < 1 / (1 + np.exp(-eta))),
                "n": int(rng.poisson(np.exp(eta / 2))),
                "rank": int(np.clip(np.round(eta + rng.logistic()), -1, 1)),
                "kind": "pqr"[int(rng.integers(0, 3))],
                "time": float(rng.uniform(1, 9)),
                "who": f"w{at % 12}",
                "w": int(rng.integers(1, 4)),
            }
        )
    return made


MODELS: dict[str, dict[str, Any]] = {
    "linear": {"outcome": "y", "predictors": ["x*g", "z"]},
    "powers": {"outcome": "y", "predictors": ["x", "x^2", "x^3", "g"]},
    "analytic": {"outcome": "y", "predictors": ["x", "g"], "weights": "w"},
    "sampling": {"outcome": "y", "predictors": ["x", "g"], "weights": "w", "weight_type": "sampling"},
    "frequency": {"outcome": "y", "predictors": ["x", "z"], "weights": "w", "weight_type": "frequency"},
    "hc3": {"outcome": "y", "predictors": ["x", "g", "z"], "robust": "HC3"},
    "clustered": {"outcome": "y", "predictors": ["x", "g", "z"], "cluster": "who"},
    "no_intercept": {"outcome": "y", "predictors": ["x", "z"], "intercept": False},
    "no_margin": {"outcome": "y", "predictors": ["z", "x:g"]},
    "no_margins": {"outcome": "y", "predictors": ["x", "kind:g"]},
    "nested": {"outcome": "y", "predictors": ["g", "kind:g"], "reference": {"g": "c"}},
    "no_intercept_levels": {"outcome": "y", "predictors": ["x", "g", "kind"], "intercept": False},
    "no_intercept_crossed": {"outcome": "y", "predictors": ["g*kind"], "intercept": False},
    "no_margin_flag": {"outcome": "y", "predictors": ["x", "yes:g"], "robust": "HC3"},
    "collinear": {"outcome": "y", "predictors": ["x", "x2", "g", "z"]},
    "logistic": {"outcome": "yes", "predictors": ["x", "g", "z"], "reference": {"g": "b"}},
    "logistic_clustered": {"outcome": "yes", "predictors": ["x", "g"], "cluster": "who"},
    "logistic_sampling": {"outcome": "yes", "predictors": ["x", "g"], "weights": "w"},
    "logistic_offset": {"outcome": "yes", "predictors": ["x", "g"], "offset": "z"},
    "poisson": {"outcome": "n", "predictors": ["x", "g"], "family": "poisson", "exposure": "time"},
    "poisson_robust": {"outcome": "n", "predictors": ["x", "z"], "family": "poisson", "robust": "HC1"},
    "ordered": {"outcome": "rank", "predictors": ["x", "g"], "types": {"rank": "ordinal"}},
    "ordered_clustered": {
        "outcome": "rank",
        "predictors": ["x", "z"],
        "types": {"rank": "ordinal"},
        "cluster": "who",
    },
    "multinomial": {"outcome": "kind", "predictors": ["x", "g"], "reference": {"kind": "q"}},
    "multinomial_clustered": {"outcome": "kind", "predictors": ["x", "z"], "cluster": "who"},
}


@needs("Rscript")
@pytest.mark.parametrize("name", MODELS)
def test_r_and_statsmodels_agree(name: str, tmp_path: Path) -> None:
    needs_r(*PACKAGES)
    data = [{**row, "x2": 2 * row["x"] + 1} for row in rows()]
    written(tmp_path, data, "r", **MODELS[name])
    run(tmp_path, "Rscript", "analysis.R")
    found = {"r": pd.read_csv(tmp_path / "estimates.csv").sort_values("estimate")}
    found["python"] = fitted(tmp_path, data, **MODELS[name]).sort_values("estimate")
    if name == "no_margins":  # R leaves out a product of levels, patsy codes it away: another base, one fit
        assert found["python"]["estimate"].size == found["r"]["estimate"].size
        return
    for column in ("estimate", "std_error", "p_value", "conf_low", "conf_high"):
        # the ordered logit is the maximum of a search; R's information is by differences there
        tolerance = 5e-5 if name.startswith("ordered") else 1e-6
        expected = pytest.approx(found["r"][column].to_numpy(), rel=tolerance, abs=tolerance / 10)
        assert found["python"][column].to_numpy() == expected, column


@needs("Rscript")
def test_negative_binomial_estimates_agree(tmp_path: Path) -> None:
    """glm.nb takes its dispersion as known for the errors, statsmodels (as Stata) does not: these may differ."""
    needs_r("MASS")
    mapping: dict[str, Any] = {
        "outcome": "n",
        "predictors": ["x", "g"],
        "family": "negative_binomial",
        "exposure": "time",
    }
    data = [{**row, "n": row["n"] * (1 + at % 5)} for at, row in enumerate(rows())]
    written(tmp_path, data, "r", **mapping)
    run(tmp_path, "Rscript", "analysis.R")
    of_r = sorted(pd.read_csv(tmp_path / "estimates.csv")["estimate"])
    assert sorted(fitted(tmp_path, data, **mapping)["estimate"]) == pytest.approx(of_r, rel=1e-4)


# --- lavaan ---------------------------------------------------------------------------------------------------

HOLZINGER = {
    ("visual", "=~", "x1"): 1.000,
    ("visual", "=~", "x2"): 0.554,
    ("visual", "=~", "x3"): 0.729,
    ("textual", "=~", "x4"): 1.000,
    ("textual", "=~", "x5"): 1.113,
    ("textual", "=~", "x6"): 0.926,
    ("speed", "=~", "x7"): 1.000,
    ("speed", "=~", "x8"): 1.180,
    ("speed", "=~", "x9"): 1.082,
    ("visual", "~~", "textual"): 0.408,
    ("visual", "~~", "speed"): 0.262,
    ("textual", "~~", "speed"): 0.173,
    ("x1", "~~", "x1"): 0.549,
    ("x9", "~~", "x9"): 0.566,
    ("visual", "~~", "visual"): 0.809,
    ("textual", "~~", "textual"): 0.979,
    ("speed", "~~", "speed"): 0.384,
}
"""Rosseel (2012), J. Stat. Softw. 48(2), section 4: three-factor model of Holzinger & Swineford (1939)."""
DEMOCRACY = {
    ("ind60", "=~", "x2"): 2.180,
    ("ind60", "=~", "x3"): 1.819,
    ("dem60", "=~", "y2"): 1.257,
    ("dem60", "=~", "y3"): 1.058,
    ("dem60", "=~", "y4"): 1.265,
    ("dem65", "=~", "y6"): 1.186,
    ("dem65", "=~", "y7"): 1.280,
    ("dem65", "=~", "y8"): 1.266,
    ("dem60", "~", "ind60"): 1.483,
    ("dem65", "~", "ind60"): 0.572,
    ("dem65", "~", "dem60"): 0.837,
    ("y1", "~~", "y5"): 0.624,
    ("y2", "~~", "y4"): 1.313,
    ("y2", "~~", "y6"): 2.153,
    ("y3", "~~", "y7"): 0.795,
    ("y4", "~~", "y8"): 0.348,
    ("y6", "~~", "y8"): 1.356,
}
"""Rosseel (2012), section 4.2: industrialisation and democracy of Bollen (1989)."""


def of_lavaan(folder: Path, name: str) -> list[dict[str, str]]:
    needs_r("lavaan")
    run(folder, "Rscript", "-e", f'write.csv(lavaan::{name}, "given.csv", row.names = FALSE)')
    with (folder / "given.csv").open(newline="") as file:
        return list(csv.DictReader(file))


def estimates(folder: Path) -> dict[tuple[str, str, str], float]:
    with (folder / "estimates.csv").open(newline="") as file:
        return {(row["lhs"], row["op"], row["rhs"]): float(row["est"]) for row in csv.DictReader(file)}


@needs("Rscript")
def test_lavaan_gives_the_published_estimates_of_holzinger_and_swineford(tmp_path: Path) -> None:
    data = of_lavaan(tmp_path, "HolzingerSwineford1939")
    latents = {"visual": ["x1", "x2", "x3"], "textual": ["x4", "x5", "x6"], "speed": ["x7", "x8", "x9"]}
    result = written(tmp_path, data, "r", "sem", latents=latents)
    printed = run(tmp_path, "Rscript", "analysis.R")
    found = estimates(tmp_path)
    assert {key: round(found[key], 3) for key in HOLZINGER} == HOLZINGER
    assert re.search(r"Test statistic +85\.306", printed)
    assert re.search(r"Degrees of freedom +24", printed)
    assert (result.diagnostics.n_parameters, result.diagnostics.degrees_of_freedom) == (21, 24)


@needs("Rscript")
def test_lavaan_gives_the_published_estimates_of_political_democracy(tmp_path: Path) -> None:
    data = of_lavaan(tmp_path, "PoliticalDemocracy")
    pairs = [["y1", "y5"], ["y2", "y4"], ["y2", "y6"], ["y3", "y7"], ["y4", "y8"], ["y6", "y8"]]
    result = written(
        tmp_path,
        data,
        "r",
        "sem",
        latents={
            "ind60": ["x1", "x2", "x3"],
            "dem60": ["y1", "y2", "y3", "y4"],
            "dem65": ["y5", "y6", "y7", "y8"],
        },
        regressions=[["dem60", "ind60"], ["dem65", "ind60"], ["dem65", "dem60"]],
        covariances=pairs,
    )
    printed = run(tmp_path, "Rscript", "analysis.R")
    found = estimates(tmp_path)
    assert {key: round(found[key], 3) for key in DEMOCRACY} == DEMOCRACY
    assert re.search(r"Test statistic +38\.125", printed)
    assert (result.diagnostics.n_parameters, result.diagnostics.degrees_of_freedom) == (31, 35)


@needs("Rscript")
@pytest.mark.parametrize(
    "mapping",
    [
        {"group": "school"},
        {"types": dict.fromkeys(["x1", "x2", "x3", "x4"], "ordinal")},
        {"types": dict.fromkeys(["x1", "x2"], "ordinal")},
        {"cluster": "agemo"},
        {"weights": "grade_w"},
        {"fiml": True},
    ],
    ids=["groups", "ordinal", "some_ordinal", "clustered", "weighted", "fiml"],
)
def test_lavaan_counts_as_we_do(mapping: dict[str, Any], tmp_path: Path) -> None:
    data = [dict(row) for row in of_lavaan(tmp_path, "HolzingerSwineford1939")]
    for at, row in enumerate(data):
        row["grade_w"] = str(1 + at % 3)
        if "types" in mapping:
            for name in mapping["types"]:
                row[name] = str(int(min(max(float(row[name]) // 1.5, 0), 3)))
        if "fiml" in mapping and at % 9 == 0:
            row["x2"] = ""
    latents = {"a": ["x1", "x2", "x3"], "b": ["x4", "x5", "x6"]}
    result = written(tmp_path, data, "r", "sem", latents=latents, **mapping)
    counted = "; cat(sum(coef(fit) == coef(fit)) , fitMeasures(fit, 'df'), sum(lavInspect(fit, 'ntotal')))"
    intercepts = "; p <- parTable(fit); cat('', sum(p$op == '~1' & p$free > 0))"
    code = f'invisible(capture.output(source("analysis.R"))){counted}{intercepts}'
    n, df, rows_used, means = map(float, run(tmp_path, "Rscript", "-e", code).split()[-4:])
    assert (n - means, df) == (result.diagnostics.n_parameters, result.diagnostics.degrees_of_freedom)
    assert rows_used == result.diagnostics.n_complete


# --- PSPP and gretl -------------------------------------------------------------------------------------------


def fitted(folder: Path, data: Any, **mapping: Any) -> pd.DataFrame:
    written(folder, data, "python", **mapping)
    runpy.run_path(str(folder / "analysis.py"))
    return pd.read_csv(folder / "estimates.csv")


def of_pspp(folder: Path, title: str) -> dict[str, list[str]]:
    """Run the syntax with ten decimals; return the rows of a table by their name."""
    syntax = folder / "analysis.sps"
    syntax.write_text("SET FORMAT=F20.10.\n" + syntax.read_text())
    run(folder, "pspp", "-O", "format=csv", "-o", "out.csv", "analysis.sps")
    table = (folder / "out.csv").read_text().split(f"Table: {title}")[1].split("Table:")[0]
    lines = [
        line[1:] if line[0] in {"", "Step 1"} else line for line in csv.reader(table.splitlines()) if line
    ]
    return {
        line[0]: line[1:]
        for line in lines
        if len(line) > 3 and re.fullmatch(r"-?\d*\.\d+(E[+-]\d+)?", line[1])
    }


@needs("pspp")
@pytest.mark.parametrize("name", ["linear", "powers", "no_intercept", "frequency"])
def test_pspp_regression_is_that_of_statsmodels(name: str, tmp_path: Path) -> None:
    wanted = fitted(tmp_path, rows(), **MODELS[name])
    written(tmp_path, rows(), "spss", **MODELS[name])
    found = sorted((float(row[0]), float(row[1])) for row in of_pspp(tmp_path, "Coefficients").values())
    expected = sorted(zip(wanted["estimate"], wanted["std_error"], strict=True))
    assert np.array(found) == pytest.approx(np.array(expected), abs=2e-9)


@needs("pspp")
def test_pspp_logistic_regression_is_that_of_statsmodels(tmp_path: Path) -> None:
    wanted = fitted(tmp_path, rows(), **MODELS["logistic"])
    written(tmp_path, rows(), "spss", **MODELS["logistic"])
    found = of_pspp(tmp_path, "Variables in the Equation")
    expected = sorted(wanted["odds_ratio"])
    assert sorted(float(row[5]) for row in found.values()) == pytest.approx(
        expected, abs=1e-3
    )  # PSPP stops early


@needs("pspp")
@pytest.mark.parametrize(
    ("name", "lacking"),
    [
        ("poisson", "GENLIN"),
        ("clustered", "GENLIN"),
        ("ordered", "PLUM"),
        ("multinomial", "NOMREG"),
        ("analytic", "REGWGT"),
    ],
)
def test_pspp_stumbles_only_over_what_it_does_not_have(name: str, lacking: str, tmp_path: Path) -> None:
    """PSPP 1.6 has no GENLIN, PLUM, NOMREG, and no REGWGT in REGRESSION; all else of the syntax runs."""
    written(tmp_path, rows(), "spss", **MODELS[name])
    done = subprocess.run(["pspp", "analysis.sps"], cwd=tmp_path, capture_output=True, text=True, check=False)
    errors = [line for line in (done.stdout + done.stderr).splitlines() if "error:" in line]
    assert errors
    assert all(lacking in line for line in errors)


@pytest.mark.parametrize("target", ["r", "python", "stata"])
@pytest.mark.parametrize("name", MODELS)
def test_scripts_are_as_short_as_a_user_writes_them(name: str, target: str, tmp_path: Path) -> None:
    data = [{**row, "x2": 2 * row["x"] + 1} for row in rows()]
    assert len(written(tmp_path, data, target, **MODELS[name]).script.splitlines()) <= 40


@needs("gretlcli")
def test_gretl_opens_the_stata_file_and_its_ols_is_that_of_statsmodels(tmp_path: Path) -> None:
    mapping: dict[str, Any] = {"outcome": "y", "predictors": ["x", "z", "time"]}
    wanted = fitted(tmp_path, rows(), **mapping)
    written(tmp_path, rows(), "stata", **mapping)
    lines = [
        "open data_stata13.dta --quiet",
        "ols y const x z time --quiet",
        'loop i=1..4 --quiet\n  printf "found %.12g %.12g\\n", $coeff[i], $stderr[i]\nendloop',
    ]
    (tmp_path / "check.inp").write_text("\n".join(lines) + "\n")
    printed = run(tmp_path, "gretlcli", "-b", "check.inp")
    found = [tuple(map(float, line.split()[1:])) for line in printed.splitlines() if line.startswith("found")]
    assert [b for b, _ in found] == pytest.approx(wanted["estimate"].tolist(), rel=1e-9)
    assert [error for _, error in found] == pytest.approx(wanted["std_error"].tolist(), rel=1e-9)


@needs("Rscript")
@pytest.mark.parametrize("name", ["linear", "analytic", "sampling", "no_intercept_levels", "clustered"])
def test_standardised_coefficients_and_fit_agree(name: str, tmp_path: Path) -> None:
    """Where rows weigh differently, so do they in the standard deviations; R2 is around 0 without intercept."""
    needs_r(*PACKAGES)
    written(tmp_path, rows(), "r", **MODELS[name])
    printed = run(tmp_path, "Rscript", "analysis.R")
    of_r = pd.read_csv(tmp_path / "estimates.csv").sort_values("estimate")
    found = fitted(tmp_path, rows(), **MODELS[name]).sort_values("estimate")
    assert found["standardised"].to_numpy() == pytest.approx(of_r["standardised"].to_numpy(), nan_ok=True)
    r2 = re.search(r"R2 = (\S+)|Multiple R-squared: +(\S+),", printed)
    assert r2
    fit = runpy.run_path(str(tmp_path / "analysis.py"))["fit"]
    assert fit.rsquared == pytest.approx(float(r2[1] or r2[2]), abs=6e-5)
