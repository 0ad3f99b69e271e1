"""Stata files read by pandas and by ReadStat; missing values .a to .z with their labels."""

import io
from datetime import date, datetime
from pathlib import Path
from typing import Any

import pandas as pd
import polars as pl
import pyreadstat
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from corpusgraph.schemas.errors import InvalidInputError
from corpusgraph.schemas.results import Column, Rows, Table
from corpusgraph.tasks.export.statistical.stata import dta
from corpusgraph.tasks.tools.prepare import (
    PrepareStatisticalAnalysis,
    prepare_statistical_analysis,
)
from tests.examples import tried


def table_of(rows: list[dict[str, Any]], **mapping: Any) -> Table:
    told = {"data": rows, "output_format": "stata", "variable_mapping": mapping}
    return prepare_statistical_analysis(PrepareStatisticalAnalysis.model_validate(told)).data.table


@pytest.mark.parametrize("version", [13, 14])
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


def test_whole_numbers_up_to_two_to_the_53_are_kept() -> None:
    values = [100, -127, 101, -(2**31), 2**53, -(2**53), None]
    read = pd.read_stata(io.BytesIO(dta(table_of([{"n": n} for n in values]), 14)))["n"]
    assert [None if pd.isna(n) else int(n) for n in read] == values


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
@settings(max_examples=tried(50), deadline=None)
def test_every_cell_comes_back(table: Table) -> None:
    content = dta(table, 14)
    data = pd.read_stata(io.BytesIO(content), convert_categoricals=False)
    for name in ("numeric", "integer", "boolean"):
        assert [None if pd.isna(v) else v for v in data[name]] == list(table.column(name))
    assert list(data["text"]) == ["" if text is None else text for text in table.column("text")]
    with pd.io.stata.StataReader(io.BytesIO(content)) as reader:
        assert reader.variable_labels() == {column.name: column.label for column in table.columns}


def test_days_and_instants_from_the_first_year_to_the_last() -> None:
    days = [date(1, 1, 1), date(1582, 10, 14), date(1959, 12, 31), date(9999, 12, 31), None]
    table = table_of([{"d": day, "t": day and datetime(day.year, 1, 2, 3, 4, 5, 6)} for day in days])  # noqa: DTZ001
    data = pd.read_stata(io.BytesIO(dta(table, 14)), convert_dates=False)
    assert [None if pd.isna(n) else date(1960, 1, 1).toordinal() + int(n) for n in data["d"]] == [
        None if day is None else day.toordinal() for day in days
    ]
    assert data["t"][2] == (datetime(1959, 1, 2, 3, 4, 5, 6) - datetime(1960, 1, 1)).total_seconds() * 1000  # noqa: DTZ001


def test_wide_tables_are_written_and_too_wide_ones_refused() -> None:
    heads = tuple(Column(name=f"x{n}", dtype="integer") for n in range(32_768))
    wide = Table(columns=heads[:5_000], rows=(tuple(range(5_000)),))
    assert pd.read_stata(io.BytesIO(dta(wide, 14)))["x4999"].tolist() == [4999]
    with pytest.raises(InvalidInputError, match="32,767"):
        dta(Table(columns=heads, rows=(tuple(range(32_768)),)), 14)


def test_long_text_comes_back() -> None:
    long = "ữ" * 3000
    rows = [{"t": text} for text in (long, None, long, "", "x")]
    content = dta(table_of(rows, types={"t": "text"}), 14)
    assert list(pd.read_stata(io.BytesIO(content))["t"]) == [long, "", long, "", "x"]
