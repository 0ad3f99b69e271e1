"""Data frames of pandas and polars and tables of pyarrow are what the same records are."""

from datetime import date, datetime
from typing import Any, get_args

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from corpusgraph.schemas.errors import CorpusgraphError, InvalidInputError, PreparationError
from corpusgraph.schemas.results import Column, Rows, Table
from corpusgraph.schemas.study import BundleFormat
from corpusgraph.tasks.analysis.statistics.analysis import StatisticalAnalysis
from corpusgraph.tasks.export.statistical.bundle import statistical_bundle
from corpusgraph.tasks.table.coerce import series
from corpusgraph.tasks.table.frames import loose_table, table_of_frame
from corpusgraph.tasks.tools.prepare import (
    PrepareStatisticalAnalysis,
    prepare_statistical_analysis,
)
from tests.examples import tried

TARGETS = get_args(BundleFormat)
KINDS: dict[str, tuple[st.SearchStrategy[Any], Any]] = {
    "x": (st.floats(), pl.Float64),
    "n": (st.integers(-(2**60), 2**60), pl.Int64),
    "b": (st.booleans(), pl.Boolean),
    "t": (st.text(st.characters(exclude_categories=["Cs"]), max_size=4), pl.String),
    "k": (st.sampled_from(["1", "2", "-9", " ", "1854-09", "2020-01-01T01:00Z"]), pl.String),
    "d": (st.dates(), pl.Date),
    "i": (st.datetimes().map(lambda at: at.replace(fold=0)), pl.Datetime("us")),
}


def prepared(data: Any, target: str, **mapping: Any) -> StatisticalAnalysis:
    told = {"data": data, "output_format": target, "variable_mapping": mapping}
    return prepare_statistical_analysis(PrepareStatisticalAnalysis.model_validate(told)).data


def bundle(data: Any, target: BundleFormat, *, drawn: bool = True, **mapping: Any) -> Any:
    try:
        return statistical_bundle(prepared(data, target, **mapping), target, picture=None if drawn else {})
    except CorpusgraphError as error:
        return error.code, error.message


@st.composite
def frames(draw: st.DrawFn) -> pl.DataFrame:
    height = draw(st.integers(1, 5))
    columns = {
        name: pl.Series(draw(st.lists(st.none() | kind, min_size=height, max_size=height)), dtype=dtype)
        for name, (kind, dtype) in KINDS.items()
    }
    return pl.DataFrame(columns)


@given(frames(), st.sampled_from(TARGETS))
@settings(max_examples=tried(10), deadline=None)
def test_a_frame_and_its_records_are_the_same_bundle(frame: pl.DataFrame, target: BundleFormat) -> None:
    """But for the picture, which is drawn of the result that the other files are written of."""
    mapping: Any = {"missing": {"n": [0], "k": ["-9"]}, "types": {"i": "date"}, "drawn": False}
    expected = bundle(frame.rows(named=True), target, **mapping)
    assert bundle(frame, target, **mapping) == expected
    assert bundle(frame.to_arrow(), target, **mapping) == expected


@pytest.mark.parametrize("target", TARGETS)
def test_a_pandas_frame_is_the_same_bundle(target: BundleFormat) -> None:
    rows = [
        {"x": 1.5, "n": 1, "t": "ữ", "b": True, "i": datetime(2020, 1, 2, 3)},  # noqa: DTZ001
        {"x": None, "n": None, "t": None, "b": None, "i": None},
    ]
    frame = pd.DataFrame(
        {
            "x": pd.Series([1.5, np.nan]),
            "n": pd.Series([1, None], dtype="Int64"),
            "t": pd.Series(["ữ", None], dtype="str"),
            "b": pd.Series([True, None], dtype="boolean"),
            "i": pd.Series([pd.Timestamp(2020, 1, 2, 3), pd.NaT]),
        }
    )
    expected = bundle(rows, target, drawn=False)
    assert bundle(frame, target, drawn=False) == expected
    assert bundle(frame.astype(object), target, drawn=False) == expected


def told(table: Table | None) -> list[tuple[str, str, list[Any]]]:
    assert table is not None
    return [(c.name, c.dtype, list(table.column(c.name))) for c in table.columns]


def test_categories_are_levels_in_their_order() -> None:
    ranks = pd.Categorical(["low", None, "high"], categories=["low", "mid", "high"], ordered=True)
    table = table_of_frame(pd.DataFrame({"rank": ranks, "code": pd.Categorical([3, 1, None])}))
    assert told(table) == [("rank", "ordinal", ["low", None, "high"]), ("code", "nominal", [3, 1, None])]
    assert table is not None
    assert [column.levels for column in table.columns] == [("low", "mid", "high"), ("1", "3")]
    made = prepared(pd.DataFrame({"rank": ranks}), "python")
    assert made.codebook[0].levels == ("low", "mid", "high")


def test_an_index_that_says_something_is_a_column() -> None:
    named = pd.DataFrame({"v": [1, 2]}, index=pd.Index(["a", "b"], name="id"))
    assert told(table_of_frame(named)) == [("id", "text", ["a", "b"]), ("v", "integer", [1, 2])]
    assert told(table_of_frame(named.reset_index(drop=True).iloc[::-1])) == [("v", "integer", [2, 1])]


def test_what_polars_types_do_not_say_is_read_cell_by_cell() -> None:
    frame = pl.DataFrame(
        {
            "list": [[1, 2], None],
            "huge": pl.Series([2**63, 1], dtype=pl.UInt64),
            "single": pl.Series([0.5, None], dtype=pl.Float32),
            "nothing": pl.Series([None, None]),
            "kind": pl.Series(["a", "b"], dtype=pl.Categorical),
        }
    )
    assert told(table_of_frame(frame)) == [
        ("list", "json", [[1, 2], None]),
        ("huge", "integer", [2**63, 1]),
        ("single", "numeric", [0.5, None]),
        ("nothing", "text", [None, None]),
        ("kind", "nominal", ["a", "b"]),
    ]
    result = prepared(frame, "r")
    assert {fix.code for fix in result.fixes} == {"nested_as_json", "integer_as_text"}
    assert result.table.column("huge") == ("9223372036854775808", "1")


def test_dates_that_python_cannot_hold_are_told_of() -> None:
    days = pl.Series([date(1854, 9, 8), None]).cast(pl.Int32) * 0 + pl.Series([10**7, None], dtype=pl.Int32)
    result = prepared(pl.DataFrame({"d": days.cast(pl.Date), "n": [1, 2]}), "stata")
    assert [(fix.code, fix.records) for fix in result.fixes] == [("unparsed_timestamp", ("row 1",))]
    assert result.table.column("d_as_given")[0].startswith("+2")


def test_zones_and_parts_of_a_microsecond_are_told_of() -> None:
    zoned = pd.Series([pd.Timestamp("2020-01-01T01:00:00"), pd.NaT]).dt.tz_localize("Asia/Ho_Chi_Minh")
    fine = pd.Series([1, 2_000], dtype="datetime64[ns]")
    result = prepared(pd.DataFrame({"z": zoned, "f": fine}), "r")
    assert {fix.code: fix.records for fix in result.fixes} == {
        "offset_dropped": ("row 1",),
        "finer_than_resolution": ("row 1",),
    }
    assert result.table.column("z") == ("2019-12-31T18:00:00", None)
    assert result.table.column("f") == ("1970-01-01T00:00:00", "1970-01-01T00:00:00.000002")


def test_a_lazy_frame_and_two_columns_of_one_name_are_refused() -> None:
    with pytest.raises(InvalidInputError, match="LazyFrame"):
        loose_table(pl.LazyFrame({"a": [1]}))
    with pytest.raises(PreparationError, match="two columns"):
        prepared(pd.DataFrame([[1, 2]], columns=["a", "a"]), "r")
    with pytest.raises(PreparationError) as refused:
        prepared(pl.DataFrame({"a": []}), "r")
    assert refused.value.code == "empty_table"


def test_a_series_has_null_where_a_code_means_missing() -> None:
    for target in ("spss", "stata", "r"):
        table = prepared([{"v": 1}, {"v": 99}, {"v": None}], target, missing={"v": [99]}).table
        assert series(table, "v").to_list() == [1, None, None]


def test_rows_by_column_are_equal_to_rows_and_written_alike() -> None:
    heads = (Column(name="a", dtype="integer"), Column(name="b", dtype="text"))
    held: Any = Rows([[1, 2], pl.Series(["x", None])])
    plain = Table(columns=heads, rows=((1, "x"), (2, None)))
    table = Table(columns=heads, rows=held)
    assert table == plain
    assert plain == table
    assert hash(held) == hash(plain.rows)
    assert table.model_dump_json() == plain.model_dump_json()
    assert Table.model_validate_json(table.model_dump_json()) == table
    assert (held[-1], held[:1], len(held), list(held)) == ((2, None), ((1, "x"),), 2, [(1, "x"), (2, None)])
    assert Rows([], 2) == ((), ())
    with pytest.raises(ValueError, match="1 rows"):
        Rows([[1], [1, 2]])
