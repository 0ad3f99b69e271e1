"""The picture of a table shows its variables as they are, numpy's correlations, and the model."""

import math
import re
from collections.abc import Sequence
from functools import partial
from typing import Any, cast

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from corpusgraph.schemas.results import Column, Rows, Table
from corpusgraph.schemas.study import BundleFormat
from corpusgraph.tasks.analysis.statistics.analysis import (
    CodebookEntry,
    Diagnostics,
    Model,
    StatisticalAnalysis,
)
from corpusgraph.tasks.export.statistical.figure import correlations, shown, statistical_picture
from corpusgraph.tasks.tools.prepare import (
    PrepareStatisticalAnalysis,
    prepare_statistical_analysis,
)
from tests.counted import calls_of
from tests.export.samples import ROWS, prepared, regression, sem
from tests.pictures.look import Picture, look, overlaps

FORMATS: tuple[BundleFormat, ...] = ("r", "stata", "spss", "python")


def table(rows: list[dict[str, Any]], **more: Any) -> StatisticalAnalysis:
    ask = {"data": rows, "analysis_type": "descriptive", "output_format": "r", **more}
    return prepare_statistical_analysis(PrepareStatisticalAnalysis.model_validate(ask)).data


def heat(drawn: Picture) -> dict[str, str]:
    return {gid: drawn.of(f"{gid}-text") for gid in drawn.groups if re.fullmatch(r"cell-\d+-\d+", gid)}


@pytest.mark.parametrize(
    ("make", "targets"), [(prepared, FORMATS), (regression, ("python", "spss")), (sem, ("r", "stata"))]
)
def test_the_picture_is_the_same_for_every_program(make: Any, targets: Sequence[str]) -> None:
    assert len({tuple(statistical_picture(make(target)).values()) for target in targets}) == 1


def test_dates_that_spss_holds_as_text_are_drawn_as_dates() -> None:
    rows = [{"day": f"{1570 + at}-03-01", "at": f"1854-09-08T10:{at:02d}:00Z", "n": at} for at in range(30)]
    results = [table(rows, output_format=target) for target in FORMATS]
    assert {r.table.columns[0].dtype for r in results} == {"date", "text"}
    assert len({tuple(statistical_picture(result).values()) for result in results}) == 1
    drawn = look(statistical_picture(results[0]))
    for panel in ("panel-1", "panel-2"):
        bars = [gid for gid in drawn.groups if gid.startswith(f"{panel}-bar-")]
        assert len(bars) > 3
        assert sum(int(drawn.hint(gid)) for gid in bars) == 30


def test_cells_have_the_correlations_of_numpy() -> None:
    rows = [
        {"a": at % 7, "b": (at * at) % 11 / 3, "c": -at + at % 5, "d": None if at % 4 else at}
        for at in range(40)
    ]
    drawn = look(statistical_picture(table(rows)))
    names = ["a", "b", "c", "d"]
    columns = {n: np.array([math.nan if r[n] is None else r[n] for r in rows]) for n in names}
    expected = {}
    for i, one in enumerate(names):
        for j, other in enumerate(names[:i]):
            both = ~np.isnan(columns[one]) & ~np.isnan(columns[other])
            r = np.corrcoef(columns[one][both], columns[other][both])[0, 1]
            expected[f"cell-{i + 1}-{j + 1}"] = f"{r:.2f}".replace("-", "−")
            assert drawn.hint(f"cell-{i + 1}-{j + 1}").endswith(f"n = {both.sum()}")
    assert heat(drawn) == expected
    assert "n = 10 to 40" in drawn.caption()


@given(
    st.lists(
        st.lists(st.one_of(st.just(math.nan), st.integers(-50, 50).map(float)), min_size=3, max_size=3),
        min_size=2,
        max_size=30,
    )
)
def test_correlations_agree_with_numpy_pair_by_pair(rows: list[list[float]]) -> None:
    columns = [np.array(column) for column in zip(*rows, strict=True)]
    r, n = correlations(columns)
    for i in range(3):
        for j in range(3):
            both = ~np.isnan(columns[i]) & ~np.isnan(columns[j])
            assert n[i, j] == both.sum()
            x, y = columns[i][both], columns[j][both]
            if len(x) < 2 or np.ptp(x) == 0 or np.ptp(y) == 0:
                assert math.isnan(r[i, j])
            else:
                assert r[i, j] == pytest.approx(np.corrcoef(x, y)[0, 1], abs=1e-9)


def test_correlations_of_hard_numbers() -> None:
    x = np.arange(1.0, 11.0)
    for hard in (x * 1e300, x * 1e-300, x + 1e9):
        assert correlations([x, hard])[0][0, 1] == pytest.approx(1.0, abs=1e-6)
    assert math.isnan(correlations([x, np.full(10, 0.1)])[0][0, 1])
    assert [shown(value) for value in (-0.001, 0.5, -1.0)] == ["0.00", "0.50", "−1.00"]


def test_bars_have_the_counts_of_the_classes_and_the_share_missing() -> None:
    rows = [{"kind": ["red", "red", "blue", None][at % 4], "yes": at % 3 == 0} for at in range(20)]
    drawn = look(statistical_picture(table(rows, variable_mapping={"types": {"kind": "nominal"}})))
    assert [drawn.hint(f"panel-1-bar-{n}") for n in (1, 2)] == ["red: 10", "blue: 5"]
    assert {drawn.hint(f"panel-2-bar-{n}") for n in (1, 2)} == {"no: 13", "yes: 7"}
    assert "n = 15, 25% missing" in drawn.words
    assert "panel-1-missing" in drawn.groups
    assert "panel-2-missing" not in drawn.groups


def test_a_histogram_counts_every_value_once() -> None:
    values = [(at * 37 % 101) / 7 for at in range(64)]
    drawn = look(statistical_picture(table([{"x": value} for value in values])))
    bars = [gid for gid in drawn.groups if gid.startswith("panel-1-bar-")]
    counts, _ = np.histogram(values, bins=7)
    assert [int(drawn.hint(gid)) for gid in bars] == [n for n in counts.tolist() if n]


def test_dates_and_labels_and_units() -> None:
    rows = [{"day": f"18{50 + at}-03-01", "Đơn vị": at * 1.5} for at in range(30)]
    mapping = {"labels": {"Đơn vị": "Số ca tử vong"}}
    drawn = look(statistical_picture(table(rows, variable_mapping=mapping)))
    assert "1860" in drawn.words.splitlines()
    assert "Số ca tử vong" in drawn.words.splitlines()
    assert sum(int(drawn.hint(g)) for g in drawn.groups if g.startswith("panel-1-bar-")) == 30


def test_a_regression_shows_its_outcome_against_its_first_predictor() -> None:
    drawn = look(statistical_picture(regression("r")))
    both = [row for row in ROWS if row["deaths"] is not None and row["houses"] is not None]
    assert f"n = {len(both)}" in drawn.caption()
    assert "Model (linear): deaths ~ houses + area + piped." in drawn.caption()
    assert drawn.hint("points") == f"{len(both)} points"
    assert "least-squares" in drawn.groups
    assert [drawn.of(f"panel-{n}-text") for n in (1, 2)] == ["Deaths per 10,000", "houses"]


@pytest.mark.parametrize("outcome", ["piped", "area"])
def test_classes_can_be_an_outcome(outcome: str) -> None:
    drawn = look(statistical_picture(regression("r", outcome=outcome, predictors=["houses"], controls=[])))
    assert "least-squares" not in drawn.groups
    assert "points" in drawn.groups


def test_a_sem_has_its_path_diagram() -> None:
    drawn = look(statistical_picture(sem("r")))
    assert [drawn.of(f"node-{n}-text") for n in range(1, 5)] == ["risk", "deaths", "houses", "code"]
    assert [drawn.hint(f"edge-{n}") for n in range(1, 4)] == [
        f"risk → {n}" for n in ("deaths", "houses", "code")
    ]
    assert "factor (latent)" in drawn.words


@pytest.mark.parametrize(
    "rows",
    [
        [{"a": None, "b": None}],
        [{"a": 1, "b": "x"}],
        [{"a": 1.0, "b": 2.0}] * 5,
        [{"a": at if at % 2 else None, "b": None if at % 2 else at} for at in range(10)],
        [{"a": at * 1e307, "b": -at * 1e307} for at in range(18)],
        [{"x" * 200: at, "霍乱 & <b>": "很" * 300} for at in range(5)],
        [{"t": f"text {at}"} for at in range(5)],
    ],
    ids=["nothing", "one row", "constant", "no complete row", "huge", "odd names", "text alone"],
)
def test_odd_tables(rows: list[dict[str, Any]]) -> None:
    drawn = look(statistical_picture(table(rows)))
    assert overlaps(drawn) == []
    assert f"of {len(rows)} row" in drawn.caption()


def test_many_variables_show_those_of_the_model_first() -> None:
    rows = [{f"v{n}": (at * (n + 3)) % 17 for n in range(40)} for at in range(60)]
    made = table(
        rows, analysis_type="regression", variable_mapping={"outcome": "v39", "predictors": ["v30", "v31"]}
    )
    drawn = look(statistical_picture(made))
    assert [drawn.of(f"panel-{n}-text") for n in (1, 2, 3, 4)] == ["v39", "v30", "v31", "v0"]
    assert "panel-13-text" not in {text.name for text in drawn.texts}
    assert "22 further variables" in drawn.caption()
    assert overlaps(drawn) == []


def of_rows(n: int) -> StatisticalAnalysis:
    """Return thirty numbers of n rows; the codebook is made by hand, for preparing the table is another matter."""
    import polars as pl

    names = [f"v{at}" for at in range(30)]
    numbers = np.random.default_rng(0).normal(size=n)
    columns = tuple(Column(name=name, dtype="numeric") for name in names)
    table = Table(
        columns=columns,
        rows=Rows([cast("Sequence[Any]", pl.Series(np.roll(numbers, at % 3))) for at in range(30)]),
    )
    entries = tuple(
        CodebookEntry(name=name, given_name=name, type="numeric", measure="scale", n=n, n_missing=0)
        for name in names
    )
    return StatisticalAnalysis.model_construct(
        analysis_type="regression",
        output_format="r",
        table=table,
        codebook=entries,
        name_map={name: name for name in names},
        model=Model(kind="linear", outcome="v0", predictors=("v1",)),
        script="",
        diagnostics=Diagnostics(n_rows=n, n_complete=n),
        fixes=(),
        notes=(),
    )


def test_a_hundred_thousand_rows_take_little_more_than_a_thousand() -> None:
    """Nothing is done row by row, and the file does not grow: most of it is drawing, whatever there is to draw."""
    drawn: list[dict[str, bytes]] = []

    def draw(n: int) -> None:
        drawn.append(statistical_picture(of_rows(n)))

    few, many = (calls_of(partial(draw, n)) for n in (1_000, 100_000))
    assert many < 1.5 * few
    assert "n = 100,000" in look(drawn[1]).caption()
    assert len(drawn[1]["figure.png"]) < 400_000
