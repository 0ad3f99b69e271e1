"""Codes that mean missing: found by value, kept where the program can, beside where it cannot."""

from typing import Any

import pyreadstat
import pytest

from corpusgraph.schemas.results import Noted
from corpusgraph.tasks.analysis.statistics.analysis import StatisticalAnalysis
from corpusgraph.tasks.export.statistical.spss import sav
from corpusgraph.tasks.export.statistical.stata import dta
from corpusgraph.tasks.table.columns import Codes, span
from corpusgraph.tasks.tools.prepare import (
    PrepareStatisticalAnalysis,
    prepare_statistical_analysis,
)


def prepared(values: list[Any], target: str = "r", **mapping: Any) -> Noted[StatisticalAnalysis]:
    rows = [{"id": f"u{at}", "v": value} for at, value in enumerate(values)]
    said = {name: {"v": what} for name, what in mapping.items()}
    told = {"data": rows, "output_format": target, "variable_mapping": {"unit": "id", **said}}
    return prepare_statistical_analysis(PrepareStatisticalAnalysis.model_validate(told))


def told(noted: Noted[StatisticalAnalysis]) -> dict[str, tuple[str, ...]]:
    return {fix.code: fix.records for fix in noted.data.fixes}


def test_codes_are_compared_by_value() -> None:
    codes = Codes.of([99, "-8", "n/a", "90 thru 95"])
    assert [codes.has(v) for v in (99, 99.0, "99", " 99 ", -8, "n/a", 90, 92.5, "95")] == [True] * 9
    assert [codes.has(v) for v in (None, float("nan"), True, 9, 89.9, "N/A", "x")] == [False] * 7


@pytest.mark.parametrize(
    ("text", "ends"),
    [
        ("90 thru 99", (90, 99)),
        ("LO THRU -1", (-float("inf"), -1)),
        ("90 thru highest", (90, float("inf"))),
        ("a thru b", None),
        ("90-99", None),
        (90, None),
    ],
)
def test_ranges_are_written_as_spss_writes_them(text: Any, ends: Any) -> None:
    assert span(text) == ends


@pytest.mark.parametrize("target", ["r", "python"])
def test_codes_are_kept_beside_with_their_labels(target: str) -> None:
    labels = {"1": "yes", "-9": "refused", "-8": "not asked"}
    noted = prepared([1, -9, -8, None, 2], target, missing=[-9, -8], value_labels=labels, types="nominal")
    table = noted.data.table
    assert table.column("v") == (1, None, None, None, 2)
    assert table.column("v_missing") == (None, -9, -8, None, None)
    own, beside = table.columns[1:]
    assert (own.levels, own.value_labels) == (("1", "2"), {"1": "yes"})
    assert beside.levels == ("-9", "-8")
    assert beside.value_labels == {"-9": "refused", "-8": "not asked"}
    assert told(noted) == {"code_as_missing": ("u1", "u2")}
    entry = noted.data.codebook[1]
    assert (entry.missing_codes, entry.n, entry.n_missing) == ((-9, -8), 2, 3)
    assert noted.data.diagnostics.missing["v"] == 3
    assert noted.data.diagnostics.n_complete == 2


def test_text_codes_of_a_column_of_numbers_and_of_text() -> None:
    noted = prepared([1, "refused", 2.5, "n/a"], missing=["refused", "n/a"])
    assert noted.data.table.column("v") == (1.0, None, 2.5, None)
    assert noted.data.table.column("v_missing") == (None, "refused", None, "n/a")
    noted = prepared(["a", "refused", "b c"], "stata", missing=["refused"], types="text")
    assert noted.data.table.column("v_missing") == (None, "refused", None)


def test_a_column_of_codes_alone_has_no_data() -> None:
    noted = prepared([99, 99], missing=[99])
    assert noted.data.table.column("v") == (None, None)
    assert "no_data_in_variable" in {note.code for note in noted.data.notes}


@pytest.mark.parametrize(
    ("values", "codes", "expected"),
    [
        ([1, 97, 98, 99], [97, 98, 99], [97, 98, 99]),
        ([1, 96, 97, 98, 99], [96, 97, 98, 99], [{"lo": 96, "hi": 99}]),
        ([1, -1, 97, 98, 99], [-1, 97, 98, 99], [{"lo": 97, "hi": 99}, -1]),
        ([1, 5, 6, 7, 99], [5, 6, 7, 99], [{"lo": 5, "hi": 99}]),
        ([1, 90, 98], ["90 thru 99", 5], [{"lo": 90, "hi": 99}, 5]),
    ],
)
def test_spss_is_told_single_values_or_a_range(
    values: list[int], codes: list[Any], expected: list[Any], tmp_path: Any
) -> None:
    noted = prepared(values, "spss", missing=codes)
    assert noted.data.table.column("v") == tuple(values)
    path = tmp_path / "data.sav"
    path.write_bytes(sav(noted.data))
    _, meta = pyreadstat.read_sav(path, user_missing=True)
    wanted = [one if isinstance(one, dict) else {"lo": one, "hi": one} for one in expected]
    wanted = [{"lo": float(one["lo"]), "hi": float(one["hi"])} for one in wanted]
    found: list[Any] = list(meta.missing_ranges["v"])
    assert sorted(found, key=str) == sorted(wanted, key=str)
    data, _ = pyreadstat.read_sav(path)
    assert data["v"].notna().sum() == noted.data.codebook[1].n


def test_a_range_never_takes_a_valid_value_along() -> None:
    noted = prepared([1, 3, 5, 7, 2, 4, 6], "spss", missing=[1, 3, 5, 7])
    assert noted.data.table.column("v") == (None, None, None, None, 2, 4, 6)
    assert noted.data.table.column("v_missing") == (1, 3, 5, 7, None, None, None)
    assert told(noted) == {"code_as_missing": ("u0", "u1", "u2", "u3")}


def test_codes_that_are_no_whole_numbers_are_kept_where_numbers_are_measured() -> None:
    assert prepared([1, 99.5], "spss", missing=[99.5]).data.table.column("v") == (1.0, 99.5)
    assert prepared([1, 99.5, 2], "stata", missing=[99.5], types="nominal").data.table.column("v") == (
        1,
        None,
        2,
    )


def test_labels_of_numbers_reach_every_program(tmp_path: Any) -> None:
    labels = {"1": "low", "5": "high", "2.5": "middle"}
    noted = prepared([1, 5, 2.5], "stata", value_labels=labels, types="numeric")
    assert [fix.message for fix in noted.data.fixes] == [
        "Value labels of 'v' are cut: 2.5 cannot have one in Stata."
    ]
    path = tmp_path / "data.dta"
    path.write_bytes(dta(noted.data.table, 14))
    assert pyreadstat.read_dta(path)[1].variable_value_labels["v"] == {1: "low", 5: "high"}
    path = tmp_path / "data.sav"
    path.write_bytes(sav(prepared([1, 5, 2.5], "spss", value_labels=labels, types="numeric").data))
    assert pyreadstat.read_sav(path)[1].variable_value_labels["v"] == {1: "low", 5: "high", 2.5: "middle"}


def test_what_spss_rounds_or_trims_is_told() -> None:
    noted = prepared(["2020-01-01T01:02:03.123457", "2020-01-01T01:02:03.5"], "spss")
    assert told(noted) in ({"fraction_rounded": ("u0",)}, {})
    fine = [f"2020-01-01T01:02:03.{n:06d}" for n in range(1, 60)]
    assert set(told(prepared(fine, "spss"))) == {"fraction_rounded"}
    assert told(prepared(["a ", "b", "ữ"], "spss", types="text")) == {"text_cut": ("u0",)}
    assert told(prepared(["a ", "b", "ữ"], "stata", types="text")) == {}
