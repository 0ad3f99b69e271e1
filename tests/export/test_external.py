"""The bundles opened by R and PSPP, where they are installed."""

import csv
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from corpusgraph.schemas.study import BundleFormat
from corpusgraph.tasks.analysis.statistics.analysis import StatisticalAnalysis
from corpusgraph.tasks.export.statistical.bundle import statistical_bundle
from tests.export.samples import prepared, regression, sem

pytestmark = pytest.mark.external
needs_r = pytest.mark.skipif(shutil.which("Rscript") is None, reason="R is not installed")
needs_pspp = pytest.mark.skipif(shutil.which("pspp") is None, reason="PSPP is not installed")


TYPES = [
    *(
        "character",
        "numeric",
        "integer",
        "integer",
        "factor",
        "factor",
        "ordered",
        "logical",
        "Date",
        "POSIXct",
    ),
    *("character", "character"),
]


def write(folder: Path, analysis: StatisticalAnalysis) -> None:
    for name, content in statistical_bundle(analysis, analysis.output_format).items():
        (folder / name).write_bytes(content)


def run(folder: Path, *command: str) -> str:
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@needs_r
def test_r_loads_types_factors_labels_and_missing(tmp_path: Path) -> None:
    write(tmp_path, prepared("r"))
    code = (
        'source("load.R"); cat(sapply(data, function(x) class(x)[1]), sep = " "); cat("\\n");'
        'cat(sum(is.na(data$deaths)), sum(is.na(data$code)), sum(is.na(data$note)), sum(data$note == "NA", na.rm = TRUE),'
        ' levels(data$rank), attr(data$area, "label") == "Khu v\\u1ef1c", "\\n"); cat(sum(data$deaths, na.rm = TRUE))'
    )
    types, counts, total = run(tmp_path, "Rscript", "-e", code).splitlines()
    assert types.split() == TYPES
    assert counts.split() == ["1", "2", "1", "4", "low", "middle", "high", "TRUE"]
    values = prepared("r").table.column("deaths")
    assert float(total) == pytest.approx(sum(value for value in values if value is not None))


@needs_r
def test_r_clusters_as_statsmodels_does(tmp_path: Path) -> None:
    code = 'quit(status = !all(sapply(c("lmtest", "sandwich"), requireNamespace, quietly = TRUE)))'
    if subprocess.run(["Rscript", "-e", code], capture_output=True, check=False).returncode:
        pytest.skip("lmtest or sandwich is not installed")
    parts = {"outcome": "deaths", "predictors": ["houses"], "controls": [], "cluster": "code"}
    found = []
    commands: dict[BundleFormat, list[str]] = {
        "r": ["Rscript", "analysis.R"],
        "python": [sys.executable, "analysis.py"],
    }
    for target, command in commands.items():
        write(tmp_path, regression(target, **parts, types={"code": "nominal"}))
        run(tmp_path, *command)
        with (tmp_path / "estimates.csv").open(newline="") as file:
            found.append(
                [float(row[name]) for row in csv.DictReader(file) for name in ("estimate", "std_error")]
            )
    assert found[0] == pytest.approx(found[1], rel=1e-9)


@needs_r
@pytest.mark.parametrize("make", [regression, sem])
def test_r_runs_the_analysis(tmp_path: Path, make: object) -> None:
    assert callable(make)
    if make is sem:
        found = subprocess.run(["Rscript", "-e", "library(lavaan)"], capture_output=True, check=False)
        if found.returncode:
            pytest.skip("lavaan is not installed")
    write(tmp_path, make("r"))
    assert run(tmp_path, "Rscript", "analysis.R")


@needs_r
@pytest.mark.parametrize(
    ("target", "name"), [("stata", "data.dta"), ("stata", "data_stata13.dta"), ("spss", "data.sav")]
)
def test_haven_reads_the_files(tmp_path: Path, target: BundleFormat, name: str) -> None:
    if subprocess.run(["Rscript", "-e", "library(haven)"], capture_output=True, check=False).returncode:
        pytest.skip("haven is not installed")
    write(tmp_path, prepared(target))
    reader = "read_sav" if target == "spss" else "read_dta"
    code = f'd <- haven::{reader}("{name}"); cat(nrow(d), attr(d$deaths, "label"), sum(is.na(d$code)))'
    assert run(tmp_path, "Rscript", "-e", code) == "20 Deaths per 10,000 2"


@needs_pspp
def test_pspp_fits_the_same_cases_as_the_other_programs(tmp_path: Path) -> None:
    """A case without a cluster is left out; GENLIN is a command that PSPP does not have."""
    result = regression("spss", cluster="code", types={"code": "nominal"})
    write(tmp_path, result)
    ran = subprocess.run(["pspp", "analysis.sps"], cwd=tmp_path, capture_output=True, text=True, check=False)
    total = next(line for line in ran.stdout.splitlines() if line.startswith("|Total"))
    assert int(total.split("|")[3]) == result.diagnostics.n_complete - 1


@needs_pspp
@pytest.mark.parametrize("make", [prepared, regression])
def test_pspp_runs_the_syntax(tmp_path: Path, make: object) -> None:
    assert callable(make)
    write(tmp_path, make("spss"))
    assert "error:" not in run(tmp_path, "pspp", "analysis.sps")


@needs_pspp
def test_pspp_runs_a_regression_on_one_term(tmp_path: Path) -> None:
    """Of one term there is no tolerance: PSPP regresses it on nothing, and says that it skipped the command."""
    write(tmp_path, regression("spss", predictors=["houses"], controls=[]))
    assert "error:" not in run(tmp_path, "pspp", "analysis.sps")
