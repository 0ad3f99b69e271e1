"""Tests of implied independencies: numbers against scipy and statsmodels, and what cannot be tested is said."""

import shutil
import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from corpusgraph.schemas.results import Column, Noted, Table
from corpusgraph.tasks.analysis.causal import tests as statistics
from corpusgraph.tasks.analysis.causal.models import CausalModel, IndependenceTest
from corpusgraph.tasks.export.causal.bundle import causal_bundle
from corpusgraph.tasks.registry import find
from corpusgraph.tasks.tools.prepare import prepare_causal_model
from tests.examples import tried
from tests.prepare.causal_graphs import ask

Rows = list[dict[str, Any]]
CHAIN = ("x z y", "x>z z>y")
"""Implies that x is independent of y given z."""


def run(data: Any, graph: tuple[str, str] = CHAIN, **more: Any) -> Noted[CausalModel]:
    return prepare_causal_model(ask(*graph, data=data, **more))


def only(data: Any, graph: tuple[str, str] = CHAIN) -> IndependenceTest:
    (test,) = run(data, graph).data.tests
    return test


def as_rows(columns: Mapping[str, Sequence[Any]]) -> Rows:
    values = [column.tolist() if isinstance(column, np.ndarray) else column for column in columns.values()]
    return [dict(zip(columns, row, strict=True)) for row in zip(*values, strict=True)]


@pytest.fixture
def numbers() -> dict[str, Any]:
    draw = np.random.default_rng(1)
    x = draw.normal(size=60)
    z = x + draw.normal(size=60)
    return {"x": x, "z": z, "y": z + draw.normal(size=60)}


@pytest.fixture
def categories() -> dict[str, Any]:
    draw = np.random.default_rng(2)
    z = draw.integers(0, 3, 300)
    x, y = (z + draw.integers(0, 2, 300)) % 3, (z + draw.integers(0, 3, 300)) % 4
    return {name: np.array(list("abcd"))[values] for name, values in (("x", x), ("z", z), ("y", y))}


def test_numbers_have_the_partial_correlation_of_the_residuals(numbers: dict[str, Any]) -> None:
    from scipy import stats

    z = numbers["z"]
    left = [numbers[name] - np.polyval(np.polyfit(z, numbers[name], 1), z) for name in "xy"]
    r = stats.pearsonr(*left).statistic
    test = only(as_rows(numbers))
    assert (test.test, test.n, test.df) == ("partial_correlation", 60, None)
    assert test.estimate == pytest.approx(r)
    assert test.statistic == pytest.approx(np.arctanh(r) * np.sqrt(60 - 1 - 3))
    assert test.p == pytest.approx(2 * stats.norm.sf(abs(np.arctanh(r)) * np.sqrt(56)))
    assert test.p_holm == test.p


def test_several_tests_are_adjusted_after_holm(numbers: dict[str, Any]) -> None:
    from statsmodels.stats.multitest import multipletests

    draw = np.random.default_rng(3)
    rows = as_rows(numbers | {name: draw.normal(size=60) for name in "uv"})
    tests = run(rows, ("x z y u v", "x>z z>y")).data.tests
    assert len(tests) > 5
    expected = multipletests([test.p for test in tests], method="holm")[1]
    assert [test.p_holm for test in tests] == pytest.approx(expected)
    assert any(test.p_holm != test.p for test in tests)


def test_gaps_leave_out_their_rows_and_nothing_else(numbers: dict[str, Any]) -> None:
    rows = as_rows(numbers)
    whole = only(rows[5:])
    for at, name in enumerate(["x", "y", "z", "x", "y"]):
        rows[at][name] = None if at else float("nan")
    test = only(rows)
    assert test.n == 55
    assert test.statistic == pytest.approx(whole.statistic)


def test_categories_have_the_summed_chi_square_of_the_strata(categories: dict[str, Any]) -> None:
    from scipy import stats

    total, df = 0.0, 0
    for level in np.unique(categories["z"]):
        inside = categories["z"] == level
        counts = stats.contingency.crosstab(categories["x"][inside], categories["y"][inside]).count
        found = stats.chi2_contingency(counts, correction=False)
        total, df = total + found.statistic, df + found.dof
    test = only(as_rows(categories))
    assert (test.test, test.n, test.df) == ("chi_square", 300, df)
    assert test.statistic == pytest.approx(total)
    assert test.p == pytest.approx(stats.chi2.sf(total, df))


def dummies(values: Any) -> Any:
    """Return a number as a column, a category as columns of zeros and ones for all levels but the first."""
    return values[:, None] if values.dtype.kind == "f" else (values[:, None] == np.unique(values)[1:]) * 1.0


@pytest.mark.parametrize("named", ["x", "z", "xz", "yz", "xy"])
def test_mixed_variables_have_pillais_trace(
    numbers: dict[str, Any], categories: dict[str, Any], named: str
) -> None:
    """The trace of H (H + E)^-1 in the regression of y on z, and on z and x."""
    data = {name: (categories if name in named else numbers)[name][:60] for name in "xzy"}
    x, z, y = (dummies(data[name]) for name in "xzy")
    small = np.hstack([np.ones((60, 1)), z])
    whole = np.hstack([small, x])
    total, error = (y - m @ np.linalg.lstsq(m, y, rcond=None)[0] for m in (small, whole))
    test = only(as_rows(data))
    assert test.test == "pillai"
    expected = np.trace((total.T @ total - error.T @ error) @ np.linalg.inv(total.T @ total))
    assert test.estimate == pytest.approx(expected)


@pytest.mark.external
@pytest.mark.parametrize("named", ["x", "z", "xz", "yz", "xy"])
def test_statsmodels_has_the_same_f(numbers: dict[str, Any], categories: dict[str, Any], named: str) -> None:
    from statsmodels.api import OLS
    from statsmodels.multivariate.multivariate_ols import _MultivariateOLS

    data = {name: (categories if name in named else numbers)[name][:60] for name in "xzy"}
    x, z, y = (dummies(data[name]) for name in "xzy")
    x, y = (x, y) if y.shape[1] > 1 else (y, x)
    design = np.hstack([np.ones((60, 1)), z, x])
    tested = np.eye(design.shape[1])[-x.shape[1] :]
    test = only(as_rows(data))
    if y.shape[1] == 1:
        found = OLS(y[:, 0], design).fit().f_test(tested)
        f, df, df_error, p = found.fvalue, found.df_num, found.df_denom, found.pvalue
    else:
        table = _MultivariateOLS(y, design).fit().mv_test([("x", tested)]).results["x"]["stat"]
        f, df, df_error, p = table.loc["Pillai's trace", ["F Value", "Num DF", "Den DF", "Pr > F"]]
    assert [test.statistic, test.df, test.df_error, test.p] == pytest.approx([f, df, df_error, p])


@pytest.mark.external
@pytest.mark.skipif(shutil.which("Rscript") is None, reason="R is not installed")
def test_r_finds_the_same(numbers: dict[str, Any], categories: dict[str, Any], tmp_path: Path) -> None:
    data = {"x": categories["x"][:60], "z": numbers["z"], "y": numbers["y"], "w": numbers["x"]}
    lines = [",".join(data), *(",".join(map(str, row)) for row in zip(*data.values(), strict=True))]
    (tmp_path / "d.csv").write_text("\n".join(lines))
    code = (
        'd <- read.csv("d.csv"); m <- summary(manova(cbind(y, w) ~ z + x, d), test = "Pillai")$stats["x", ];'
        "a <- anova(lm(y ~ z, d), lm(y ~ z + x, d));"
        'cat(m["Pillai"], m["approx F"], m["den Df"], a$F[2], a$`Pr(>F)`[2])'
    )
    done = subprocess.run(["Rscript", "-e", code], cwd=tmp_path, capture_output=True, text=True, check=True)
    pillai, f, df, f_one, p_one = map(float, done.stdout.split())
    test = only(as_rows({name: data[name] for name in "xzy"}))
    assert [test.statistic, test.p] == pytest.approx([f_one, p_one], rel=1e-5)
    codes = np.unique(data["x"], return_inverse=True)[1]
    both = statistics.pillai([(codes, True), (data["y"], False), (data["z"], False)])
    assert both["statistic"] == pytest.approx(f_one, rel=1e-5)
    assert pillai > both["estimate"]
    assert (f > 0, df > 0) == (True, True)


@given(st.integers(0, 1000))
@settings(max_examples=tried(20), deadline=None)
def test_neither_scale_nor_names_nor_order_matter(seed: int) -> None:
    draw = np.random.default_rng(seed)
    x, z, y = draw.normal(size=(3, 30))
    kinds = draw.integers(0, 3, 30)
    before = statistics.pillai([(x, False), (y, False), (kinds, True), (z, False)])
    order = draw.permutation(30)
    columns: list[tuple[Any, bool]] = [
        (1e200 * y[order] + 5, False), (-3 * x[order], False), (z[order] / 7, False), (2 - kinds[order], True),
    ]  # fmt: skip
    after = statistics.pillai(columns)
    assert after["p"] == pytest.approx(before["p"], rel=1e-6, abs=1e-12)


def test_what_cannot_be_tested_is_said_with_the_reason() -> None:
    graph = ("a b c d e f", "a>b")
    rows = [
        {"a": n * 1.5, "b": n * 1.5 + (n % 3), "c": "same", "d": {"n": n}, "f": f"text {n}"}
        for n in range(60)
    ]
    noted = run(rows, graph)
    reasons = {(t.x, t.y): t.why_not for t in noted.data.tests}
    assert reasons["a", "c"] == "nothing is left of a variable when the others are held fixed"
    assert reasons["a", "d"] == "d holds neither numbers nor categories"
    assert reasons["a", "e"] == "no data for e"
    assert reasons["a", "f"] == "f is text with more than 50 values"
    told = {w.code: w for w in noted.warnings}
    assert len(told["not_tested"].records) == len(noted.data.tests) == 14
    assert "a _||_ e: no data for e" in told["not_tested"].records


def test_too_few_rows_are_no_test() -> None:
    rows = [{"x": float(n), "z": n * n * 1.0, "y": 1.0 - n} for n in range(3)]
    assert only(rows).why_not == "too few rows"
    assert only([{"x": None, "z": 1, "y": 2}] * 2).why_not == "no data for x"


def test_a_determined_variable_is_no_test(numbers: dict[str, Any]) -> None:
    rows = as_rows({**numbers, "x": 3 * numbers["z"]})
    assert only(rows).why_not == "nothing is left of a variable when the others are held fixed"


def test_equal_columns_are_dependent_and_nothing_overflows() -> None:
    graph = ("x y", "")
    test = only([{"x": 1e300 * n, "y": 1e300 * n} for n in range(-5, 6)], graph)
    assert test.p == pytest.approx(0, abs=1e-12)
    assert test.statistic is not None
    assert np.isfinite(test.statistic)


def test_infinite_numbers_are_missing_and_told() -> None:
    rows = [{"x": float(n), "y": float(n % 3)} for n in range(9)] + [
        {"x": float("inf"), "y": 1.0},
        {"x": 10**400, "y": 2.0},
    ]
    noted = run(rows, ("x y", ""))
    assert [w.code for w in noted.warnings] == ["infinite_as_missing"]
    assert "2 infinite numbers" in noted.warnings[0].message
    assert noted.data.tests[0].n == 9


def test_few_rows_for_the_cells_are_told_and_weights_are_not_used() -> None:
    rows = [{"x": "abcd"[n % 4], "y": "efgh"[n % 3], "w": 2.0} for n in range(12)]
    noted = run(rows, ("x y", ""), weights="w")
    assert [w.code for w in noted.warnings] == ["sparse_cells", "weights_unused"]


def test_a_typed_table_says_what_is_a_category(numbers: dict[str, Any]) -> None:
    codes = [1 + n % 4 for n in range(60)]
    table = Table(
        columns=(Column(name="x", dtype="nominal"), Column(name="y", dtype="numeric")),
        rows=tuple(zip(codes, numbers["y"].tolist(), strict=True)),
    )
    assert only(table, ("x y", "")).test == "pillai"
    rows = [{"x": code, "y": y} for code, y in zip(codes, numbers["y"].tolist(), strict=True)]
    assert only(rows, ("x y", "")).test == "partial_correlation"


def test_the_bundle_has_the_tests_and_the_data_as_given(numbers: dict[str, Any]) -> None:
    rows = as_rows(numbers)
    rows[0]["other"] = "=1+1"
    noted = run(rows, exposure="x", outcome="y", model_type="do_calculus")
    bundle = causal_bundle(noted.data, noted.warnings)
    head, first, *_ = bundle["data.csv"].decode().splitlines()
    assert head == "x,z,y"
    assert [float(cell) for cell in first.split(",")] == [rows[0][name] for name in "xzy"]
    header, line = bundle["independencies.csv"].decode().splitlines()
    assert header == "x,y,given,test,n,estimate,statistic,df,df_error,p,p_holm,why_not"
    assert line.startswith("x,y,z,partial_correlation,60,")
    assert "of 1 tested, 0 have an adjusted p below 0.05" in bundle["README.md"].decode()
    assert [(w.code, w.records) for w in noted.warnings] == [("data_unused", ("other",))]


def test_cells_that_are_lists_are_no_categories() -> None:
    """A table may say text and hold lists: the variable cannot be tested, and that is told."""
    names = ("p", "w", "c")
    columns = [{"name": name, "dtype": "text"} for name in names]
    data = {"columns": columns, "rows": [[["a"], "x", "y"], [["b"], "y", "x"], [["a"], "x", "x"]]}
    result = find("prepare_causal_model").call(
        {
            "entities": [{"id": name, "name": name} for name in names],
            "relationships": [{"id": "1", "source_id": "p", "target_id": "w", "type": "causes"}],
            "model_type": "dag",
            "data": data,
        },
        {},
    )
    assert result.success, result.error
    assert "not_tested" in {warning.code for warning in result.warnings}
