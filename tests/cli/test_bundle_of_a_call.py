"""One call of a tool writes a bundle: from rows, from a table in a file, from a graph."""

import json
from datetime import date
from pathlib import Path
from typing import Any

import pandas as pd
import pyreadstat
import pytest
from click.testing import CliRunner, Result

import corpusgraph as cg
from corpusgraph.flows.cli.main import cli
from corpusgraph.flows.load.frames import read_frame
from corpusgraph.schemas.errors import InvalidInputError

ROWS = [
    {"id": "a", "deaths": 5, "water": 2.5, "code": "007", "sex": 1, "note": None},
    {"id": "b", "deaths": 7, "water": 3.5, "code": "008", "sex": 2, "note": "=x"},
    {"id": "c", "deaths": 2, "water": 1.5, "code": "009", "sex": 9, "note": "NA"},
    {"id": "d", "deaths": 9, "water": 4.25, "code": "010", "sex": 1, "note": "Ångström"},
]
MAPPING = {
    "outcome": "deaths",
    "predictors": ["water"],
    "unit": "id",
    "missing": {"sex": [9]},
    "value_labels": {"sex": {"1": "male", "2": "female"}},
}
NETWORKS: dict[str, Any] = {
    "prepare_causal_model": {
        "entities": [{"id": "x", "name": "X"}, {"id": "y", "name": "Y"}],
        "relationships": [{"id": "r", "source_id": "x", "target_id": "y", "type": "causes"}],
        "model_type": "dag",
    },
    "prepare_argument_network": {
        "claims": [{"id": "a", "text": "It rains."}, {"id": "b", "text": "It is dry."}],
        "relations": [{"source": "a", "target": "b", "type": "attack"}],
        "framework": "dung",
    },
    "prepare_process_trace": {
        "events": [{"id": "e", "case": "c", "activity": "opened", "timestamp": "1854-09-08"}],
        "entities": [],
        "temporal_resolution": "days",
    },
}


def ran(*arguments: str | Path, given: Any = None) -> Result:
    text = None if given is None else json.dumps(given)
    return CliRunner().invoke(cli, [str(one) for one in arguments], input=text, standalone_mode=False)


def analysis(target: str) -> dict[str, Any]:
    return {"analysis_type": "regression", "variable_mapping": MAPPING, "output_format": target}


@pytest.mark.parametrize("target", ["r", "python", "stata", "spss"])
def test_rows_become_a_bundle_on_the_command_line(tmp_path: Path, target: str) -> None:
    given = {**analysis(target), "data": ROWS}
    done = ran(
        "tool", "prepare_statistical_analysis", "--input", "-", "--bundle", tmp_path / "out", given=given
    )
    assert done.return_value == 0, done.output
    written = sorted(path.name for path in (tmp_path / "out").iterdir())
    listed = [Path(line).name for line in done.stdout.splitlines()]
    assert listed == written
    assert {"README.md", "codebook.json", "manifest.json", "name_map.csv", "provenance.parquet"} <= set(
        written
    )


@pytest.mark.parametrize("name", NETWORKS)
def test_networks_become_bundles_from_python(tmp_path: Path, name: str) -> None:
    result = cg.call(name, NETWORKS[name], bundle=tmp_path / "out")
    assert result.success, result.error
    assert result.metadata["files"] == sorted(path.name for path in (tmp_path / "out").iterdir())
    before = {path.name: path.read_bytes() for path in (tmp_path / "out").iterdir()}
    getattr(cg.tools, name)(**NETWORKS[name], bundle=tmp_path / "again" / "out")
    assert {path.name: path.read_bytes() for path in (tmp_path / "again" / "out").iterdir()} == before


def test_a_folder_that_is_no_bundle_is_never_replaced(tmp_path: Path) -> None:
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "thesis.txt").write_text("years of work")
    result = cg.call("prepare_causal_model", NETWORKS["prepare_causal_model"], bundle=tmp_path / "mine")
    assert result.error is not None
    assert result.error.code == "invalid_input"
    assert [path.name for path in (tmp_path / "mine").iterdir()] == ["thesis.txt"]
    first = cg.call("prepare_causal_model", NETWORKS["prepare_causal_model"], bundle=tmp_path / "b")
    again = cg.call("prepare_causal_model", NETWORKS["prepare_causal_model"], bundle=tmp_path / "b")
    assert (first.success, again.success) == (True, True)


def test_what_failed_leaves_no_folder_and_what_has_no_bundle_says_so(tmp_path: Path) -> None:
    result = cg.call("prepare_causal_model", {"entities": 3, "relationships": []}, bundle=tmp_path / "out")
    assert not result.success
    arguments = {"subgraph": {"nodes": [{"id": "a"}], "edges": []}}
    result = cg.call("transform_graph_to_table", arguments, bundle=tmp_path / "out")
    assert result.error is not None
    assert "no bundle" in result.error.message
    assert not (tmp_path / "out").exists()


def written(folder: Path, kind: str) -> Path:
    """Write the rows as a file of a kind."""
    frame, path = pd.DataFrame(ROWS), folder / f"deaths.{kind}"
    if kind in {"csv", "tsv"}:
        frame.to_csv(path, index=False, sep="," if kind == "csv" else "\t")
    elif kind == "parquet":
        frame.to_parquet(path)
    elif kind in {"jsonl", "ndjson"}:
        path.write_text("\n".join(json.dumps(row) for row in ROWS), encoding="utf-8")
    elif kind == "sav":
        pyreadstat.write_sav(
            frame.fillna({"note": ""}),
            str(path),
            column_labels={"deaths": "Deaths in the week"},
            variable_value_labels={"sex": {1: "male", 2: "female"}},
            variable_measure={"sex": "nominal", "deaths": "scale"},
            missing_ranges={"sex": [9]},
        )
    else:
        frame.fillna({"note": ""}).to_stata(path, write_index=False)
    return path


@pytest.mark.parametrize("kind", ["csv", "tsv", "parquet", "jsonl", "ndjson", "sav", "dta"])
def test_a_table_in_a_file_is_the_table(tmp_path: Path, kind: str) -> None:
    path = written(tmp_path, kind)
    (tmp_path / "ask.json").write_text(json.dumps(analysis("python")), encoding="utf-8")
    done = ran(
        *("tool", "prepare_statistical_analysis", "--table", path, "--input", tmp_path / "ask.json"),
        *("--bundle", tmp_path / "out"),
    )
    assert done.return_value == 0, done.output
    data = pd.read_parquet(tmp_path / "out" / "data.parquet")
    assert data["deaths"].tolist() == [5, 7, 2, 9]
    assert data["code"].tolist() == ["007", "008", "009", "010"]
    assert data["sex"].isna().tolist() == [False, False, True, False]
    assert data["note"].tolist()[1:] == ["=x", "NA", "Ångström"]


def test_labels_and_missing_codes_of_an_spss_file_are_read(tmp_path: Path) -> None:
    found = read_frame(written(tmp_path, "sav"))
    assert isinstance(found, dict)
    columns = {column["name"]: column for column in found["columns"]}
    assert columns["deaths"]["label"] == "Deaths in the week"
    assert columns["sex"]["value_labels"] == {"1": "male", "2": "female"}
    assert columns["sex"]["missing"] == [9]
    assert columns["sex"]["dtype"] == "nominal"
    assert "dtype" not in columns["deaths"]
    pyreadstat.write_sav(
        pd.DataFrame({"x": [1.0, 97.0, 98.5, 99.0], "d": [date(1854, 9, 8)] * 4}),
        str(tmp_path / "ranges.sav"),
        missing_ranges={"x": [{"lo": 97, "hi": 99}]},
    )
    found = read_frame(tmp_path / "ranges.sav")
    assert isinstance(found, dict)
    assert found["columns"][0]["missing"] == [97, 98.5, 99]
    assert [row[1] for row in found["rows"]] == [date(1854, 9, 8)] * 4


@pytest.mark.parametrize(
    ("name", "content", "told"),
    [
        ("a.xlsx", b"PK", "no table that can be read"),
        ("a.cvs", b"a,b", "Did you mean 'csv'"),
        ("a.csv", b"a,b\n1,2,3,4\n", "cannot be read"),
        ("a.csv", b"a,b\n\xff\xfe,1\n", "cannot be read"),
        ("a.csv", b"", "cannot be read"),
        ("a.jsonl", b'{"a": 1}\n[1]\n', "line 2 is no JSON object"),
        ("a.jsonl", b'{"a": "\xc3\xa9\xc3\xa8\xff\xc3\xa0\xc3\xb9"}\n', "not UTF-8"),
        ("a.jsonl", b"%PDF-1.4\x00\x01\x02\x03\xff\n", "cannot be read"),
        ("a.jsonl", b'{"a": ' + 5000 * b"[" + 5000 * b"]" + b"}\n", "line 1 is not JSON"),
        ("a.jsonl", b'{"a": \n', "line 1"),
        ("a.parquet", b"PAR1 torn", "cannot be read"),
        ("a.sav", b"$FL2 torn", "cannot be read"),
        ("a.dta", b"torn", "cannot be read"),
    ],
)
def test_a_file_that_is_no_table_is_told_in_a_line(
    tmp_path: Path, name: str, content: bytes, told: str
) -> None:
    (tmp_path / name).write_bytes(content)
    with pytest.raises(InvalidInputError) as stop:
        read_frame(tmp_path / name)
    assert told in str(stop.value)
    assert "\n" not in str(stop.value)


def test_json_lines_are_read_as_everywhere_else(tmp_path: Path) -> None:
    """A line ends with a line feed alone, and the encoding is looked for."""
    path = tmp_path / "a.jsonl"
    path.write_text('{"a": "one\u2028two", "n": 1.5}\n\n{"n": NaN, "b": true}\n', encoding="utf-8")
    table = {"name": "a", "columns": ["a", "n", "b"]}
    assert read_frame(path) == {**table, "rows": [["one\ntwo", 1.5, None], [None, None, True]]}
    path.write_text('{"a": "Ångström sah Österreich", "n": 1, "b": 2}\n', encoding="cp1252")
    assert read_frame(path) == {**table, "rows": [["Ångström sah Österreich", 1, 2]]}


def test_a_missing_file_and_a_tool_without_a_table_are_told(tmp_path: Path) -> None:
    with pytest.raises(InvalidInputError, match="No table at"):
        read_frame(tmp_path / "none.csv")
    path = written(tmp_path, "csv")
    done = ran("tool", "prepare_argument_network", "--table", path)
    assert isinstance(done.exception, InvalidInputError)
    assert "takes no table" in str(done.exception)
