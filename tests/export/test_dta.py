"""Stata files of our own writer, read by pandas and by ReadStat; missing values .a to .z with their labels."""

import io
from datetime import date, datetime
from pathlib import Path
from typing import Any

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
from corpusgraph.tasks.prepare.statistical_analysis import (
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
