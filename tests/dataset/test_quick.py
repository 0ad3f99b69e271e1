"""Columns read at once are what the same cells are when read one by one."""

from datetime import date, datetime
from typing import Any, get_args

import polars as pl
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from corpusgraph.schemas.errors import PreparationError
from corpusgraph.schemas.results import Column, ColumnType
from corpusgraph.tasks.table.coerce import held, read_cells
from corpusgraph.tasks.table.columns import Instants, RowNames, typed
from corpusgraph.tasks.table.frames import infer_column
from corpusgraph.tasks.table.values import Cells, infer
from tests.examples import tried

WORDS = [
    "1",
    "-2",
    "2.50",
    " 7 ",
    "007",
    "",
    "  ",
    "yes",
    "No",
    "true",
    "x",
    "ữ",
    "=1",
    "9007199254740993",
    "1e400",
]
DATES = [
    "1854",
    "1854-09",
    "1854-09-08",
    "8.9.1854",
    "13/04/1855",
    "1854-09-08T10:00",
    "2020-01-01T01:00+02:00",
]
FINE = ["2020-01-01T00:00:00", "2020-01-01T01:02:03.123456789", "2020-13-01", "0001-01-01", "a\x00b"]
KINDS: list[st.SearchStrategy[Any]] = [
    st.floats() | st.sampled_from([0.0, -0.0, 1.0, 2.5, 2.0**53, 2.0**60, 1e300]),
    st.integers(-(2**63), 2**63 - 1) | st.integers(-3, 3),
    st.booleans(),
    st.text(max_size=5),
    st.sampled_from(WORDS),
    st.sampled_from([*DATES, *FINE]),
    st.sampled_from(["1", "0", "true", "No"]),
    st.dates(),
    st.datetimes().map(lambda at: at.replace(fold=0))
    | st.dates().map(lambda day: datetime(day.year, day.month, day.day)),  # noqa: DTZ001
]


def outcome(column: Column, values: Any) -> Any:
    try:
        return read_cells(column, values, RowNames(len(values)))
    except PreparationError as error:
        return error.code, error.message, error.hint


def plain(made: Cells) -> Any:
    besides = [(column, list(held(column, values))) for column, values in made.beside]
    values = held(made.column, made.values)
    kind = values.moments.dtype if isinstance(values, Instants) else values.dtype
    return made.column, kind, list(map(repr, values)), made.fixes, besides


@st.composite
def columns(draw: st.DrawFn) -> list[Any]:
    return draw(st.lists(st.none() | draw(st.sampled_from(KINDS)), min_size=1, max_size=8))


@given(columns(), st.sampled_from(get_args(ColumnType)))
@example([None, -0.0, 0.5, 0.0], "nominal")
@example(["1e400", "9007199254740993", None, "2"], "integer")
@example(["2020-01-01T01:00+02:00", "2020-01-01T01:00", " "], "datetime")
@settings(max_examples=tried(150), deadline=None)
def test_at_once_and_one_by_one_agree(values: list[Any], dtype: ColumnType) -> None:
    made = typed(values)
    if made is None:
        return
    column = Column(name="v", dtype=dtype, label="V", levels=("x", "1") if dtype == "ordinal" else None)
    quick, slow = outcome(column, made), outcome(column, list(values))
    if isinstance(slow, Cells):
        assert plain(quick) == plain(slow)
    else:
        assert quick == slow


@given(columns())
@settings(max_examples=tried(100), deadline=None)
def test_the_type_of_a_series_is_that_of_its_cells(values: list[Any]) -> None:
    made = typed(values)
    assert made is None or infer_column(made) == infer(values)


def test_much_text_is_known_by_its_head() -> None:
    texts = [f"{n:04d}" for n in range(1500)]
    assert infer_column(pl.Series(texts)) == infer(texts) == "text"
    numbers = [str(n) for n in range(1500)]
    assert infer_column(pl.Series([*numbers, "x"])) == infer([*numbers, "x"]) == "text"
    assert infer_column(pl.Series(numbers)) == "integer"


@pytest.mark.parametrize("moment", [date(1, 1, 1), date(9999, 12, 31), datetime(1, 1, 1, 0, 0, 0, 1)])  # noqa: DTZ001
def test_instants_are_written_as_python_writes_them(moment: date) -> None:
    made = Instants(pl.Series([moment, None]))
    assert list(made) == [moment.isoformat(), None]
    assert made[0] == moment.isoformat()
