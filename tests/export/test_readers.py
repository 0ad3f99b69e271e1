"""Every data file read back by an independent reader and compared cell by cell."""

import csv
import io
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow.parquet as pq
import pyreadstat
import pytest

from corpusgraph.schemas.study import BundleFormat
from corpusgraph.tasks.analysis.statistics.analysis import StatisticalAnalysis
from corpusgraph.tasks.export.statistical.bundle import statistical_bundle
from corpusgraph.tasks.export.statistical.programs import program
from corpusgraph.tasks.tools.prepare import (
    PrepareStatisticalAnalysis,
    prepare_statistical_analysis,
)
from tests.export.samples import ROWS, prepared, regression, sem


def cells(values: Any) -> list[Any]:
    return [None if pd.isna(value) else value for value in values]


def expected(name: str) -> list[Any]:
    return [row[name] for row in ROWS]


CODES = [None if value == 99 else value for value in expected("code")]
DAYS = [None if value is None else pd.Timestamp(value) for value in expected("day")]
NOTES = ["" if value is None else value for value in expected("note")]


@pytest.mark.parametrize("name", ["data.dta", "data_stata13.dta"])
def test_stata_reads_values_labels_and_missing(name: str, tmp_path: Path) -> None:
    path = tmp_path / name
    path.write_bytes(program("stata").data_files(prepared("stata"))[name])
    data = pd.read_stata(path, convert_categoricals=False)
    assert cells(data["deaths"]) == expected("deaths")
    assert cells(data["code"]) == CODES
    assert list(data["houses"]) == expected("houses")
    assert cells(data["piped"]) == [None if v is None else int(v) for v in expected("piped")]
    assert cells(data["day"]) == DAYS
    assert list(data["at"]) == [pd.Timestamp(value) for value in expected("at")]
    ascii_only = name != "data.dta"
    assert list(data["note"]) == (
        [note.encode("ascii", "xmlcharrefreplace").decode() for note in NOTES] if ascii_only else NOTES
    )
    labelled = pd.read_stata(path)
    place = "Hu&#7871;" if ascii_only else "Huế"
    assert list(labelled["area"][:3]) == ["Soho", place, "East\nEnd"]
    assert list(labelled["rank"][:3]) == ["low", "middle", "high"]
    with pd.io.stata.StataReader(path) as reader:
        assert reader.variable_labels()["deaths"] == "Deaths per 10,000"
    assert b"01 Jan 2000 00:00" in path.read_bytes()[:400]


def test_long_text_survives_in_both_stata_files() -> None:
    ask = PrepareStatisticalAnalysis.model_validate(
        {"data": [{"t": "é" * 3000}, {"t": "ữ"}], "output_format": "stata"}
    )
    files = program("stata").data_files(prepare_statistical_analysis(ask).data)
    assert list(pd.read_stata(io.BytesIO(files["data.dta"]))["t"]) == ["é" * 3000, "ữ"]
    assert list(pd.read_stata(io.BytesIO(files["data_stata13.dta"]))["t"]) == ["&#233;" * 3000, "&#7919;"]


def test_spss_reads_values_labels_measures_and_missing(tmp_path: Path) -> None:
    path = tmp_path / "data.sav"
    path.write_bytes(program("spss").data_files(prepared("spss"))["data.sav"])
    data, meta = pyreadstat.read_sav(path)
    assert cells(data["deaths"]) == expected("deaths")
    assert cells(data["code"]) == CODES
    assert [None if v is None else pd.Timestamp(v) for v in cells(data["day"])] == DAYS
    assert list(data["at"]) == [pd.Timestamp(value) for value in expected("at")]
    assert list(data["note"].fillna("")) == NOTES
    assert meta.column_names_to_labels["area"] == "Khu vực"
    assert meta.variable_value_labels["rank"] == {1.0: "low", 2.0: "middle", 3.0: "high"}
    assert meta.variable_value_labels["area"] == {1.0: "East\nEnd", 2.0: "Huế", 3.0: "Soho"}
    assert meta.variable_measure["rank"] == "ordinal"
    assert meta.variable_measure["area"] == "nominal"
    assert meta.variable_measure["deaths"] == "scale"
    kept, meta = pyreadstat.read_sav(path, user_missing=True)
    assert list(kept["code"]) == expected("code")
    assert meta.missing_ranges == {"code": [{"lo": 99.0, "hi": 99.0}]}


def test_the_date_in_the_header_of_an_spss_file_is_fixed() -> None:
    content = program("spss").data_files(prepared("spss"))["data.sav"]
    assert content[:4] == b"$FL2"
    assert content[92:109] == b"01 Jan 0000:00:00"


def test_parquet_has_types_categories_and_labels() -> None:
    table = pq.read_table(io.BytesIO(program("python").data_files(prepared("python"))["data.parquet"]))
    data = table.to_pandas()
    assert cells(data["deaths"]) == expected("deaths")
    assert cells(data["code"]) == CODES
    assert cells(data["piped"]) == expected("piped")
    assert cells(data["day"]) == DAYS
    assert cells(data["note"]) == expected("note")
    assert list(data["area"]) == expected("area")
    assert data["rank"].cat.ordered
    assert list(data["rank"].cat.categories) == ["low", "middle", "high"]
    assert table.schema.field("deaths").metadata[b"label"] == b"Deaths per 10,000"


def test_csv_keeps_text_and_tells_missing_from_empty() -> None:
    files = program("r").data_files(prepared("r"))
    rows = list(csv.DictReader(io.StringIO(files["data.csv"].decode(), newline="")))
    assert [None if row["note"] == ".NA" else row["note"] for row in rows] == expected("note")
    assert [row["deaths"] for row in rows][4] == ".NA"
    assert [float(row["deaths"]) for n, row in enumerate(rows) if n != 4] == [
        v for v in expected("deaths") if v is not None
    ]
    assert 'na.strings = ".NA"' in files["load.R"].decode()
    assert files["load.R"].isascii()


@pytest.mark.parametrize("target", ["r", "stata", "spss", "python"])
@pytest.mark.parametrize("make", [prepared, regression, sem])
def test_the_same_data_are_the_same_bytes(target: BundleFormat, make: Any) -> None:
    """But for the figure, which is drawn alike for all of them and has tests of its own."""
    first = statistical_bundle(make(target), target, picture={})
    assert first == statistical_bundle(make(target), target, picture={})


SCRIPTS: dict[str, StatisticalAnalysis] = {
    "descriptive": prepared("python"),
    "linear": regression("python"),
    "weighted": regression(
        "python", weights="rank", cluster="area", types={"rank": "integer"}, predictors=["houses"]
    ),
    "logistic": regression("python", outcome="piped", controls=[], predictors=["houses"]),
    "ordered": regression("python", outcome="rank", controls=[], predictors=["houses", "deaths"]),
    "multinomial": regression("python", outcome="area", controls=[], predictors=["houses"]),
    "sem": sem("python"),
}
AREA = "C(area, Treatment('East\\nEnd'))"
TERMS = {
    "linear": ["Intercept", f"{AREA}[T.Huế]", f"{AREA}[T.Soho]", "houses", "piped"],
    "weighted": ["Intercept", "houses", "piped"],
    "logistic": ["Intercept", "houses"],
    "ordered": ["houses", "deaths"],
    "multinomial": [f"{place}: {term}" for place in ("Huế", "Soho") for term in ("Intercept", "houses")],
}
LAST = {
    "logistic": "odds_ratio_high",
    "ordered": "odds_ratio_high",
    "multinomial": "relative_risk_ratio_high",
}


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, dict[str, str]]:
    """Run every script in one process; return the folder of folders, and what each printed."""
    base = tmp_path_factory.mktemp("scripts")
    for name, analysis in SCRIPTS.items():
        (base / name).mkdir()
        for file, content in statistical_bundle(analysis, "python", picture={}).items():
            (base / name / file).write_bytes(content)
    runner = "import runpy, sys\nfor path in sys.argv[1:]: runpy.run_path(path); print('== done')"
    paths = [str(base / name / "analysis.py") for name in SCRIPTS]
    done = subprocess.run([sys.executable, "-c", runner, *paths], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return base, dict(zip(SCRIPTS, done.stdout.split("== done"), strict=False))


def least_squares(names: list[str], weight: str | None = None) -> tuple[Any, Any]:
    """Return the coefficients of the deaths by the normal equations; and columns, deaths, weights of rows."""
    used = [row for row in ROWS if row["deaths"] is not None and row["piped"] is not None]
    terms = [{"Intercept": 1, f"{AREA}[T.{row['area']}]": 1} | row for row in used]
    x = np.array([[float(row.get(name, 0)) for name in names] for row in terms])
    y = np.array([row["deaths"] for row in used])
    w = np.array([float(row[weight]) if weight else 1.0 for row in used])
    return np.linalg.solve(x.T @ (w[:, None] * x), x.T @ (w * y)), (x, y, w)


def test_every_python_script_fits_its_own_model(runs: tuple[Path, dict[str, str]]) -> None:
    base, printed = runs
    for name, terms in TERMS.items():
        found = pd.read_csv(base / name / "estimates.csv")
        assert found["term"].tolist() == terms, name
        assert found.columns[-1] == LAST.get(name, "standardised")
        assert found["std_error"].between(0, np.inf, inclusive="neither").all(), name
        n = SCRIPTS[name].diagnostics.n_complete
        assert f"n = {n} complete rows of 20\n" in printed[name]
        assert ("Standard errors are clustered by area (HC1;" in printed[name]) == (name == "weighted")
        assert ("Standard errors assume" in printed[name]) == (name != "weighted")
    assert "risk =~ deaths + houses + code" in printed["sem"]
    assert "Cronbach's alpha" in printed["sem"]


def test_linear_scripts_solve_the_normal_equations(runs: tuple[Path, dict[str, str]]) -> None:
    for name, weight in (("linear", None), ("weighted", "rank")):
        found = pd.read_csv(runs[0] / name / "estimates.csv")
        wanted, (x, y, w) = least_squares(TERMS[name], weight)
        assert found["estimate"].to_numpy() == pytest.approx(wanted, rel=1e-9)
        assert np.isnan(found["standardised"][0])  # an intercept has none
        spread = np.sqrt([np.cov(v, aweights=w, ddof=0) for v in (*x.T[1:], y)])
        assert found["standardised"][1:].to_numpy() == pytest.approx(wanted[1:] * spread[:-1] / spread[-1])


def test_the_logistic_script_finds_the_maximum_of_the_likelihood(runs: tuple[Path, dict[str, str]]) -> None:
    b = pd.read_csv(runs[0] / "logistic" / "estimates.csv")["estimate"].to_numpy()
    used = [row for row in ROWS if row["piped"] is not None]
    x = np.array([[1.0, row["houses"]] for row in used])
    scores = x.T @ (np.array([row["piped"] for row in used]) - 1 / (1 + np.exp(-x @ b)))
    assert scores == pytest.approx([0, 0], abs=1e-7)


def test_a_description_shows_every_variable(runs: tuple[Path, dict[str, str]]) -> None:
    described = runs[1]["descriptive"].split("count")[1]
    assert "..." not in described
    assert {"deaths", "houses", "code", "day", "at"} <= set(described.split())
