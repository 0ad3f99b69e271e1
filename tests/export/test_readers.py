"""Every data file read back by an independent reader and compared cell by cell."""

import csv
import io
import subprocess
import sys
from pathlib import Path
from typing import Any

import pandas as pd
import pyarrow.parquet as pq
import pyreadstat
import pytest

from corpusgraph.schemas.study import BundleFormat
from corpusgraph.tasks.export.statistical.bundle import statistical_bundle
from corpusgraph.tasks.export.statistical.exporters import EXPORTERS
from corpusgraph.tasks.prepare.statistical_analysis import (
    PrepareStatisticalAnalysis,
    prepare_statistical_analysis,
)
from corpusgraph.tasks.statistics.analysis import StatisticalAnalysis
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
    path.write_bytes(EXPORTERS["stata"](prepared("stata"))[name])
    data = pd.read_stata(path, convert_categoricals=False)
    assert cells(data["deaths"]) == expected("deaths")
    assert cells(data["code"]) == CODES
    assert list(data["houses"]) == expected("houses")
    assert cells(data["piped"]) == [None if v is None else int(v) for v in expected("piped")]
    assert cells(data["day"]) == DAYS
    assert list(data["at"]) == [pd.Timestamp(value) for value in expected("at")]
    latin = name != "data.dta"
    assert list(data["note"]) == (
        [note.replace("水很脏", "<U+6C34><U+5F88><U+810F>") for note in NOTES] if latin else NOTES
    )
    labelled = pd.read_stata(path)
    place = "Hu<U+1EBF>" if latin else "Huế"
    assert list(labelled["area"][:3]) == ["Soho", place, "East\nEnd"]
    assert list(labelled["rank"][:3]) == ["low", "middle", "high"]
    with pd.io.stata.StataReader(path) as reader:
        assert reader.variable_labels()["deaths"] == "Deaths per 10,000"
    assert b"01 Jan 2000 00:00" in path.read_bytes()[:400]


def test_long_text_survives_in_both_stata_files() -> None:
    ask = PrepareStatisticalAnalysis.model_validate(
        {"data": [{"t": "é" * 3000}, {"t": "ữ"}], "output_format": "stata"}
    )
    files = EXPORTERS["stata"](prepare_statistical_analysis(ask).data)
    assert list(pd.read_stata(io.BytesIO(files["data.dta"]))["t"]) == ["é" * 3000, "ữ"]
    assert list(pd.read_stata(io.BytesIO(files["data_stata13.dta"]))["t"]) == ["<U+00E9>" * 3000, "<U+1EEF>"]


def test_spss_reads_values_labels_measures_and_missing(tmp_path: Path) -> None:
    path = tmp_path / "data.sav"
    path.write_bytes(EXPORTERS["spss"](prepared("spss"))["data.sav"])
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
    content = EXPORTERS["spss"](prepared("spss"))["data.sav"]
    assert content[:4] == b"$FL2"
    assert content[92:109] == b"01 Jan 0000:00:00"


def test_parquet_has_types_categories_and_labels() -> None:
    table = pq.read_table(io.BytesIO(EXPORTERS["python"](prepared("python"))["data.parquet"]))
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
    files = EXPORTERS["r"](prepared("r"))
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
    first = statistical_bundle(make(target), target)
    assert first == statistical_bundle(make(target), target)


SCRIPTS: list[StatisticalAnalysis] = [
    prepared("python"),
    regression("python"),
    regression("python", weights="rank", cluster="area", types={"rank": "integer"}, predictors=["houses"]),
    regression("python", outcome="piped", controls=[], predictors=["houses"]),
    regression("python", outcome="rank", controls=[], predictors=["houses", "deaths"]),
    regression("python", outcome="area", controls=[], predictors=["houses"]),
    sem("python"),
]


def test_every_python_script_runs(tmp_path: Path) -> None:
    for at, analysis in enumerate(SCRIPTS):
        folder = tmp_path / str(at)
        folder.mkdir()
        for name, content in statistical_bundle(analysis, "python").items():
            (folder / name).write_bytes(content)
    runner = "import runpy, sys\nfor path in sys.argv[1:]: runpy.run_path(path); print('== done')"
    paths = [str(tmp_path / str(at) / "analysis.py") for at in range(len(SCRIPTS))]
    done = subprocess.run([sys.executable, "-c", runner, *paths], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    printed = done.stdout.split("== done")
    assert len(printed) == len(SCRIPTS) + 1
    assert [
        word in text for word, text in zip(["float64", *["std_error"] * 5, "risk =~"], printed, strict=False)
    ] == [True] * 7
