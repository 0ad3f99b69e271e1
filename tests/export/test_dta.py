"""Stata files of our own writer, read by pandas and by ReadStat; missing values .a to .z with their labels."""

import io
import shutil
import subprocess
from datetime import date, datetime
from pathlib import Path
from typing import Any, Literal

import numpy as np
import pandas as pd
import polars as pl
import pyreadstat
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from corpusgraph.schemas.errors import InvalidInputError
from corpusgraph.schemas.results import Column, Rows, Table
from corpusgraph.tasks.export.statistical.dta import Variable, missing, write
from corpusgraph.tasks.export.statistical.stata import dta
from corpusgraph.tasks.tools.prepare.statistical_analysis import (
    PrepareStatisticalAnalysis,
    prepare_statistical_analysis,
)


def table_of(rows: list[dict[str, Any]], **mapping: Any) -> Table:
    told = {"data": rows, "output_format": "stata", "variable_mapping": mapping}
    return prepare_statistical_analysis(PrepareStatisticalAnalysis.model_validate(told)).data.table


@pytest.mark.parametrize("version", [117, 118])
def test_codes_that_mean_missing_are_letters_with_their_code_as_label(version: int, tmp_path: Path) -> None:
    rows: list[dict[str, Any]] = [{"n": n, "x": n and n / 2, "k": n} for n in (1, -9, -8, None, 3)]
    rows[4]["x"] = -9.5
    table = table_of(
        rows,
        missing={"n": [-9, "-8"], "x": [-9.5, -4.5], "k": ["LO thru -1"]},
        value_labels={"n": {"-9": "refused", "1": "yes"}},
    )
    path = tmp_path / "data.dta"
    path.write_bytes(dta(table, version))
    data, found = pyreadstat.read_dta(path, user_missing=True)
    labels: dict[str, Any] = dict(found.variable_value_labels)
    assert data["n"].tolist()[:3] == [1, "a", "b"]
    assert data["x"].tolist()[1:3] == ["b", -4.0]
    assert data["x"].tolist()[4] == "a"
    assert data["k"].tolist()[1:3] == ["a", "b"]
    assert labels["n"] == {"a": "-9: refused", "b": "-8", 1: "yes"}
    assert labels["x"] == {"a": "-9.5", "b": "-4.5"}
    assert labels["k"] == {"a": "-9", "b": "-8"}
    assert pd.read_stata(path, convert_categoricals=False)["n"].isna().tolist() == [
        False,
        True,
        True,
        True,
        False,
    ]


def test_more_codes_than_letters_are_kept_beside() -> None:
    rows = [{"n": -n if n < 30 else n} for n in range(1, 60)]
    table = table_of(rows, missing={"n": [-n for n in range(1, 30)]})
    assert [column.name for column in table.columns] == ["n", "n_missing"]
    assert table.column("n")[:2] == (None, None)
    assert table.column("n_missing")[:2] == (-1, -2)


@pytest.mark.parametrize(
    ("values", "kind"),
    [
        ([100, -127], "int8"),
        ([101], "int16"),
        ([-128], "int16"),
        ([32_740], "int16"),
        ([32_741], "int32"),
        ([2_147_483_620, -2_147_483_647], "int32"),
        ([2_147_483_621], "float64"),
    ],
)
def test_integers_take_the_smallest_type_that_holds_them_and_missing(values: list[int], kind: str) -> None:
    content = dta(table_of([{"n": n} for n in [*values, None]]), 118)
    read = pd.read_stata(io.BytesIO(content))["n"]
    assert [None if pd.isna(n) else int(n) for n in read] == [*values, None]
    assert str(pd.read_stata(io.BytesIO(dta(table_of([{"n": n} for n in values]), 118)))["n"].dtype) == kind


def test_missing_values_are_those_of_the_format() -> None:
    assert missing("int8", 26) == 127
    assert missing("int16", 26) == 32_767
    assert missing("int32", 26) == 2_147_483_647
    assert missing("float64").tobytes().hex() == "000000000000e07f"
    assert missing("float64", 1).tobytes().hex() == "000000000001e07f"
    assert missing("float64", 26).tobytes().hex() == "00000000001ae07f"


@st.composite
def tables(draw: st.DrawFn) -> Table:
    height = draw(st.integers(1, 5))

    def cells(kind: st.SearchStrategy[Any]) -> list[Any]:
        return draw(st.lists(st.none() | kind, min_size=height, max_size=height))

    text = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), max_size=6)
    columns = {
        "numeric": pl.Series(cells(st.floats(-8e307, 8e307)), dtype=pl.Float64),
        "integer": pl.Series(cells(st.integers(-(2**53), 2**53)), dtype=pl.Int64),
        "boolean": pl.Series(cells(st.booleans()), dtype=pl.Boolean),
        "text": pl.Series(cells(text), dtype=pl.String),
    }
    heads = tuple(Column(name=name, dtype=name, label=draw(text)) for name in columns)
    rows: Any = Rows(columns.values())
    return Table(columns=heads, rows=rows)


@given(tables())
@settings(max_examples=50, deadline=None)
def test_every_cell_comes_back(table: Table) -> None:
    content = dta(table, 118)
    data = pd.read_stata(io.BytesIO(content), convert_categoricals=False)
    for name in ("numeric", "integer", "boolean"):
        assert [None if pd.isna(v) else v for v in data[name]] == list(table.column(name))
    assert list(data["text"]) == ["" if text is None else text for text in table.column("text")]
    with pd.io.stata.StataReader(io.BytesIO(content)) as reader:
        assert reader.variable_labels() == {column.name: column.label for column in table.columns}


def test_days_and_instants_from_the_first_year_to_the_last() -> None:
    days = [date(1, 1, 1), date(1582, 10, 14), date(1959, 12, 31), date(9999, 12, 31), None]
    table = table_of([{"d": day, "t": day and datetime(day.year, 1, 2, 3, 4, 5, 6)} for day in days])  # noqa: DTZ001
    data = pd.read_stata(io.BytesIO(dta(table, 118)), convert_dates=False)
    assert [None if pd.isna(n) else date(1960, 1, 1).toordinal() + int(n) for n in data["d"]] == [
        None if day is None else day.toordinal() for day in days
    ]
    assert data["t"][2] == (datetime(1959, 1, 2, 3, 4, 5, 6) - datetime(1960, 1, 1)).total_seconds() * 1000  # noqa: DTZ001


def test_wide_tables_are_written_and_too_wide_ones_refused() -> None:
    one = Variable("x", "", "%8.0g", np.array([1], dtype=np.int8))
    wide = [Variable(f"x{n}", "", "%8.0g", np.array([n % 100], dtype=np.int8)) for n in range(5_000)]
    assert pd.read_stata(io.BytesIO(write(wide, 1, 118, "")))["x4999"].tolist() == [99]
    with pytest.raises(InvalidInputError, match="32,767"):
        write([one] * 32_768, 1, 118, "")


def test_long_text_that_repeats_is_stored_once() -> None:
    long = "ữ" * 3000
    rows = [{"t": text} for text in (long, None, long, "", "x")]
    content = dta(table_of(rows, types={"t": "text"}), 118)
    assert content.count(long.encode()) == 1
    assert list(pd.read_stata(io.BytesIO(content))["t"]) == [long, "", long, "", "x"]


# --- against pandas, for what both can hold -------------------------------------------------------------------


def both(version: Literal[117, 118], *, long: bool = True) -> tuple[pd.DataFrame, bytes, bytes]:
    """Return a frame, and it as pandas and as we write it."""
    encoding = "latin-1" if version == 117 else "utf-8"
    frame = pd.DataFrame(
        {
            "b": np.array([-127, 0, 100, 7], dtype="int8"),
            "i": np.array([-32_767, 1, 32_740, 7], dtype="int16"),
            "l": np.array([-2_147_483_647, 5, 2_147_483_620, 7], dtype="int32"),
            "d": [1.5, np.nan, -8e307, 5e-324],
            "s": ["é", "", "Soho", " x "],
            "t": ["x" * 3000, "", "x" * 3000, "y"],
            "k": np.array([1, 2, 1, 2], dtype="int8"),
        }
    )
    frame = frame if long else frame.drop(columns="t")
    told = {"b": "Bytes", "d": "Doubles, with é"}
    out = io.BytesIO()
    frame.to_stata(
        out,
        write_index=False,
        version=version,
        time_stamp=datetime(2000, 1, 1),  # noqa: DTZ001
        data_label="Trial",
        variable_labels=told,
        value_labels={"k": {1: "no", 2: "yes"}},
        convert_strl=["t"] if long else [],
    )
    formats = dict(zip("bildstk", ["8.0g", "8.0g", "12.0g", "10.0g", "4s", "9s", "8.0g"], strict=True))
    variables = []
    for name in map(str, frame.columns):
        label, shown = told.get(name, ""), f"%{formats[name]}"
        if name in "st":
            texts = pl.Series([text.encode(encoding) for text in frame[name]], dtype=pl.Binary)
            width = 32_768 if name == "t" else max(len(text) for text in texts)
            variables.append(Variable(name, label, shown, texts=texts, width=width))
            continue
        numbers = frame[name].to_numpy(copy=True)
        if name == "d":
            numbers[np.isnan(numbers)] = missing("float64")
        labels = {1: "no", 2: "yes"} if name == "k" else {}
        variables.append(Variable(name, label, shown, numbers, labels=labels))
    return frame, out.getvalue(), write(variables, len(frame), version, "Trial")


@pytest.mark.parametrize("version", [117, 118])
def test_our_file_is_that_of_pandas_byte_for_byte(version: Literal[117, 118], tmp_path: Path) -> None:
    frame, theirs, ours = both(version)
    assert ours == theirs
    path = tmp_path / "data.dta"
    path.write_bytes(ours)
    pd.testing.assert_frame_equal(pd.read_stata(path, convert_categoricals=False), frame)
    read, meta = pyreadstat.read_dta(path)
    assert read.to_dict("list").items() >= {n: frame[n].tolist() for n in frame if n != "d"}.items()
    assert read["d"].tolist() == pytest.approx(frame["d"].tolist(), nan_ok=True, rel=0, abs=0)
    assert (meta.file_label, meta.variable_value_labels) == ("Trial", {"k": {1: "no", 2: "yes"}})
    assert meta.column_names_to_labels["d"] == "Doubles, with é"


@pytest.mark.external
@pytest.mark.parametrize("version", [117, 118])
@pytest.mark.parametrize("program", ["readstat", "gretlcli"])
def test_programs_read_the_same_of_our_file_and_of_that_of_pandas(
    program: str, version: Literal[117, 118], tmp_path: Path
) -> None:
    if shutil.which(program) is None:
        pytest.skip(f"{program} is not installed")
    # gretl 2022 stumbles over strL in format 117, that of pandas too
    frame, theirs, ours = both(version, long=(program, version) != ("gretlcli", 117))
    seen = []
    for name, content in (("ours", ours), ("theirs", theirs)):
        (tmp_path / "data.dta").write_bytes(content)
        made = tmp_path / f"{name}.csv"
        (tmp_path / "x.inp").write_text(f'open data.dta --quiet\nstore "{made}" b i l d k\n')
        command = (
            ["readstat", "data.dta", made.name] if program == "readstat" else ["gretlcli", "-b", "x.inp"]
        )
        done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
        assert made.exists(), done.stdout + done.stderr
        seen.append(pd.read_csv(made))
    pd.testing.assert_frame_equal(seen[0], seen[1])
    for name in ("b", "i", "l", "k"):
        assert seen[0][name].tolist() == pytest.approx(frame[name].tolist(), rel=1e-7)
    assert seen[0]["d"].tolist()[:3] == pytest.approx(frame["d"].tolist()[:3], nan_ok=True)
