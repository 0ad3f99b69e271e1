"""What every statistical bundle carries beside its data."""

import csv
import hashlib
import io
import json
from typing import get_args

import polars as pl
import pyarrow.parquet as pq
import pytest

from corpusgraph.schemas.errors import InvalidInputError
from corpusgraph.schemas.results import Table
from corpusgraph.schemas.study import BundleFormat
from corpusgraph.tasks.export.files import csv_bytes, sheet_bytes
from corpusgraph.tasks.export.folder import MEASURED
from corpusgraph.tasks.export.statistical.bundle import statistical_bundle
from corpusgraph.tasks.export.statistical.programs import program
from corpusgraph.tasks.tools.prepare import (
    PrepareStatisticalAnalysis,
    prepare_statistical_analysis,
)
from tests.export.samples import ROWS, prepared, regression, sem

TARGETS = get_args(BundleFormat)
ALWAYS = {
    *("README.md", "codebook.csv", "codebook.json", "figure.png", "figure.svg", "manifest.json"),
    *("name_map.csv", "provenance.parquet"),
}
OWN = {
    "r": {"data.csv", "load.R", "analysis.R"},
    "stata": {"data.dta", "data_stata13.dta", "analysis.do"},
    "spss": {"data.sav", "analysis.sps"},
    "python": {"data.parquet", "analysis.py"},
}


@pytest.mark.parametrize("target", TARGETS)
def test_a_bundle_has_its_files_and_the_manifest_their_hashes(target: BundleFormat) -> None:
    files = statistical_bundle(prepared(target), target)
    assert set(files) == ALWAYS | OWN[target]
    manifest = json.loads(files["manifest.json"])
    assert manifest["rows"] == len(ROWS)
    for name, facts in manifest["files"].items():
        assert facts["blake2b"] == hashlib.blake2b(files[name], digest_size=16).hexdigest()
    assert set(manifest["files"]) == set(files) - {"manifest.json"}
    assert "code_as_missing" in {fix["code"] for fix in manifest["fixes"]} or target in {"spss", "stata"}
    page = files["README.md"].decode()
    assert all(f"`{name}`" in page for name in files if name != "README.md")
    assert f"20 rows, {11 + (target in {'r', 'python'})} variables" in page  # code_missing


def test_a_sem_brings_its_lavaan_text() -> None:
    for target in TARGETS:
        files = statistical_bundle(sem(target), target, picture={})
        assert files["model.lav"] == b"risk =~ deaths + houses + code\n"


def test_the_codebook_describes_every_variable() -> None:
    files = statistical_bundle(prepared("r"), "r", picture={})
    entries = json.loads(files["codebook.json"])
    names = [name for key in ROWS[0] for name in ([key, "code_missing"] if key == "code" else [key])]
    assert [entry["name"] for entry in entries] == names
    sheet = list(csv.DictReader(io.StringIO(files["codebook.csv"].decode())))
    assert [row["name"] for row in sheet] == names
    deaths = sheet[1]
    assert (deaths["label"], deaths["n_missing"]) == ("Deaths per 10,000", "1")
    assert float(deaths["mean"]) == entries[1]["statistics"]["mean"]


def test_a_bundle_is_made_only_for_the_format_it_was_prepared_for() -> None:
    with pytest.raises(InvalidInputError, match="'stata'"):
        statistical_bundle(prepared("r"), "stata", picture={})


def test_each_program_is_a_module_of_its_format_and_others_are_refused_with_a_hint() -> None:
    assert [program(name).name for name in TARGETS] == list(TARGETS)
    with pytest.raises(InvalidInputError, match="'stat'") as caught:
        program("stat")
    assert "stata" in (caught.value.hint or "")


def test_provenance_is_that_of_the_caller_or_the_chunk_ids_of_the_table() -> None:
    result = prepared("r")
    table = result.table.model_copy(update={"provenance": (("c1", "c2"), *[()] * 19)})
    files = statistical_bundle(result.model_copy(update={"table": table}), "r", picture={})
    assert pq.read_table(io.BytesIO(files["provenance.parquet"])).to_pylist() == [
        {"row": 1, "chunk_id": "c1"},
        {"row": 1, "chunk_id": "c2"},
    ]
    given = Table.model_validate({"columns": [{"name": "row", "dtype": "integer"}], "rows": [[7]]})
    files = statistical_bundle(result, "r", given, picture={})
    assert pq.read_table(io.BytesIO(files["provenance.parquet"])).to_pylist() == [{"row": 7}]


def test_the_readme_says_how_right_the_columns_are_that_count_what_was_read() -> None:
    result = prepared("r")
    assert "precision" not in statistical_bundle(result, "r", picture={})["README.md"].decode()
    formulas = {"deaths": "claims: number of claims", "houses": "degree: neighbours", "code": "words: number"}
    columns = tuple(c.model_copy(update={"formula": formulas.get(c.name, "")}) for c in result.table.columns)
    table = result.table.model_copy(update={"columns": columns})
    readme = statistical_bundle(result.model_copy(update={"table": table}), "r", picture={})[
        "README.md"
    ].decode()
    stated = [line.split(" | ")[0] for line in readme.splitlines() if line.startswith("| ")]
    assert stated[1:] == [f"| {MEASURED[kind].what}" for kind in ("relation", "claim")]


def test_what_was_measured_is_a_share_within_its_interval() -> None:
    for row in MEASURED.values():
        assert 0 <= row.low <= row.precision <= row.high <= 1
        assert 0 <= row.recall <= 1


def test_a_spreadsheet_runs_no_formula() -> None:
    assert sheet_bytes(["a"], [["=1+1"], ["-2"], [-2], ["x"]]).decode().splitlines() == [
        "a",
        "'=1+1",
        "'-2",
        "-2",
        "x",
    ]
    assert csv_bytes(["a"], [["=1+1"]]).decode().splitlines() == ["a", "=1+1"]


def test_stata_syntax_is_simple() -> None:
    script = regression(
        "stata", cluster="houses", weights="rank", types={"rank": "integer"}, controls=[]
    ).script
    assert "regress deaths houses ib1.area [aweight = rank], vce(cluster houses)" in script.splitlines()
    assert "sem (risk -> deaths houses code), latent(risk) standardized" in sem("stata").script.splitlines()


def test_a_two_level_outcome_is_0_and_1_in_stata() -> None:
    ask = PrepareStatisticalAnalysis.model_validate(
        {
            "data": [{"o": "ab"[n % 2], "x": n} for n in range(6)],
            "analysis_type": "regression",
            "output_format": "stata",
            "variable_mapping": {"outcome": "o", "predictors": ["x"]},
        }
    )
    script = prepare_statistical_analysis(ask).data.script
    assert "generate o_01 = (o != 1) if !missing(o)\nlogit o_01 x" in script


def test_a_carriage_return_in_a_cell_ends_no_line() -> None:
    rows = [["a\rb", 1, None], ["c", 2, "d\r\n"]]
    written = csv_bytes(["x", "n", "y"], rows).decode()
    read = list(csv.reader(io.StringIO(written, newline="")))
    assert read == [["x", "n", "y"], ["a\rb", "1", ""], ["c", "2", "d\r\n"]]
    assert pl.read_csv(written.encode())["x"].to_list() == ["a\rb", "c"]
