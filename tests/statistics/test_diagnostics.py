"""What is found before a model is run, against statsmodels, numpy, scipy and brute force."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from corpusgraph.schemas.errors import CorpusgraphError, InvalidInputError, PreparationError
from corpusgraph.schemas.study import RegressionDataset, SemDataset, TableDataset
from corpusgraph.tasks.analysis.statistics.analysis import StatisticalAnalysis
from corpusgraph.tasks.dataset.table import analysis_of
from corpusgraph.tasks.export.statistical.bundle import statistical_bundle
from tests.examples import tried
from tests.statistics.bundles import prepared
from tests.statistics.nist import SETS

Rows = list[dict[str, Any]]


def rows(n: int = 60, seed: int = 1) -> Rows:
    rng = np.random.default_rng(seed)
    x, z = rng.normal(size=n), rng.normal(size=n)
    g = rng.choice(["a", "b", "c"], size=n)
    return [
        {
            "x": float(x[at]),
            "z": float(z[at] + 0.9 * x[at]),
            "g": str(g[at]),
            "y": float(x[at] + rng.normal()),
            "yes": bool(x[at] + rng.normal() > 0),
            "count": int(rng.poisson(1.5)),
            "who": f"w{at % 7}",
            "w": float(rng.integers(1, 4)),
        }
        for at in range(n)
    ]


def codes(result: StatisticalAnalysis) -> dict[str, tuple[str, ...]]:
    return {note.code: note.records for note in (*result.fixes, *result.notes)}


def refused(data: Any, analysis: str = "regression", **mapping: Any) -> CorpusgraphError:
    with pytest.raises(CorpusgraphError) as caught:
        prepared(data, "r", analysis, **mapping)
    return caught.value


def design(data: Rows) -> np.ndarray[Any, Any]:
    columns = [[1.0, r["x"], r["z"], float(r["g"] == "b"), float(r["g"] == "c")] for r in data]
    return np.array(columns)


def test_inflation_condition_and_leverage_are_those_of_statsmodels_and_numpy() -> None:
    from statsmodels.stats.outliers_influence import variance_inflation_factor

    data = rows()
    found = prepared(data, outcome="y", predictors=["x", "z", "g"]).diagnostics
    x = design(data)
    assert list(found.vif.values()) == pytest.approx([variance_inflation_factor(x, at) for at in range(1, 5)])
    assert found.condition_number == pytest.approx(np.linalg.cond(x / np.linalg.norm(x, axis=0)))
    hat = np.diag(x @ np.linalg.inv(x.T @ x) @ x.T)
    assert found.max_leverage == pytest.approx(hat.max())
    assert found.n_parameters == 5


def test_longley_is_nearly_collinear_as_textbooks_say() -> None:
    """Longley's condition number is 43,275 with scaled columns (Belsley 1991: more than 40,000)."""
    chosen = SETS["Longley"]
    result = prepared(chosen.rows(), outcome="y", predictors=chosen.terms())
    assert result.diagnostics.condition_number == pytest.approx(43_275, abs=1)
    assert result.diagnostics.vif["x2"] == pytest.approx(1788.51, abs=0.01)  # statsmodels, R's car and others
    assert set(codes(result)["near_collinearity"]) >= {"x1", "x2", "x3", "x5", "x6"}


def test_powers_around_the_middle_are_not_taken_for_collinear() -> None:
    chosen = SETS["Filip"]
    result = prepared(chosen.rows(), outcome="y", predictors=chosen.terms())
    assert (result.diagnostics.collinear, result.diagnostics.aliased) == ((), ())


def test_missing_values_are_counted_by_pattern() -> None:
    data = rows(20)
    for at in (1, 2, 3):
        data[at]["x"] = None
    data[3]["z"] = None
    found = prepared(data, outcome="y", predictors=["x", "z"]).diagnostics
    patterns = [(one.variables, one.rows) for one in found.missing_patterns]
    assert patterns == [((), 17), (("x",), 2), (("x", "z"), 1)]
    assert (found.n_complete, found.share_complete, found.missing) == (17, 0.85, {"x": 3, "z": 1})


@given(st.lists(st.tuples(*[st.none() | st.integers(0, 3)] * 3), min_size=2, max_size=30))
@settings(deadline=None, max_examples=tried(25))
def test_patterns_add_up_to_the_rows(cells: list[tuple[int | None, ...]]) -> None:
    data = [dict(zip("abc", row, strict=True)) for row in cells]
    found = prepared(data, analysis="descriptive").diagnostics
    assert sum(one.rows for one in found.missing_patterns) == len(data)
    complete = [one.rows for one in found.missing_patterns if not one.variables]
    assert complete in ([], [sum(None not in row for row in cells)])


def test_nearly_constant_is_as_kuhn_says() -> None:
    data = [{"y": n % 7, "rare": int(n < 4), "fair": int(n < 6)} for n in range(100)]
    result = prepared(data, outcome="y", predictors=["rare", "fair"], types={"y": "numeric"})
    assert result.diagnostics.near_constant == ("rare",)  # 96 / 4 > 19 and 94 / 6 < 19
    assert codes(result)["near_constant_variable"] == ("rare",)


class TestSeparation:
    def test_a_single_term_separates(self) -> None:
        data = [{"y": n >= 5, "x": n, "z": n % 3} for n in range(10)]
        result = prepared(data, outcome="y", predictors=["x", "z"])
        assert "x" in codes(result)["separation"]
        assert result.diagnostics.separation_check == "linear program"

    def test_two_terms_separate_together(self) -> None:
        data = [{"y": a + b > 7, "a": a, "b": b} for a in range(8) for b in range(8)]
        assert set(codes(prepared(data, outcome="y", predictors=["a", "b"]))["separation"]) >= {"a", "b"}

    def test_a_level_without_the_event_separates_in_part(self) -> None:
        data = [{"y": n % 2 == 0 and n % 3 != 1, "g": "abc"[n % 3], "x": (n * 7) % 5} for n in range(30)]
        assert codes(prepared(data, outcome="y", predictors=["g", "x"]))["separation"] == ("g[b]",)

    @given(
        st.lists(st.tuples(st.integers(-3, 3), st.integers(-3, 3), st.booleans()), min_size=6, max_size=16)
    )
    @settings(deadline=None, max_examples=tried(40))
    def test_it_is_found_where_a_direction_exists(self, points: list[tuple[int, int, bool]]) -> None:
        """Brute force: in the plane, a line that separates can be turned until it goes through two points."""
        data = [{"y": y, "a": a, "b": b} for a, b, y in points]
        try:
            result = prepared(data, outcome="y", predictors=["a", "b"])
        except CorpusgraphError:
            return
        if len({y for _, _, y in points}) == 2 and not result.diagnostics.aliased:
            assert bool(result.diagnostics.separated) == _separable(points)

    def test_large_data_are_looked_at_term_by_term(self) -> None:
        data = [{"y": n >= 80_000, "x": n, "z": (n * 7919) % 101} for n in range(160_000)]
        result = prepared(data, outcome="y", predictors=["x", "z"])
        assert (result.diagnostics.separated, result.diagnostics.separation_check) == (("x",), "single terms")


def _separable(points: list[tuple[int, int, bool]]) -> bool:
    places = [(a, b) for a, b, _ in points]
    normals = {(b2 - b1, a1 - a2, a1 * (b1 - b2) + b1 * (a2 - a1)) for a1, b1 in places for a2, b2 in places}
    normals |= {(p, q, -p * a - q * b) for a, b in places for p, q in ((0, 1), (1, 0), (1, 1), (1, -1))}
    for p, q, c in normals:
        for sign in (1, -1):
            values = [sign * (p * a + q * b + c) * (1 if y else -1) for a, b, y in points]
            if min(values) >= 0 and max(values) > 0:
                return True
    return False


class TestClustersAndWeights:
    def test_few_clusters(self) -> None:
        result = prepared(rows(), outcome="y", predictors=["x"], cluster="who")
        assert "few_clusters" in codes(result)
        assert (result.diagnostics.n_clusters, result.diagnostics.cluster_sizes) == (7, (8, 9))
        data = [{**row, "who": "one"} for row in rows()]
        assert refused(data, outcome="y", predictors=["x"], cluster="who").code == "few_clusters"

    def test_frequency_weights_are_whole(self) -> None:
        data = [{**row, "w": row["w"] + 0.5} for row in rows()]
        error = refused(data, outcome="y", predictors=["x"], weights="w", weight_type="frequency")
        assert error.code == "weight_not_whole"

    @pytest.mark.parametrize(
        ("mapping", "told"),
        [
            ({"outcome": "yes", "weights": "w", "weight_type": "analytic"}, "linear model"),
            ({"outcome": "yes", "robust": "HC3"}, "HC3"),
            ({"outcome": "y", "exposure": "w"}, "counts"),
            ({"outcome": "y", "offset": "w"}, "offset"),
            ({"outcome": "g", "intercept": False}, "intercepts"),
            ({"outcome": "g", "weights": "w"}, "python for a multinomial model has no sampling weights"),
            ({"outcome": "y", "reference": {"x": "1"}}, "no reference level"),
            ({"outcome": "y", "predictors": ["g"], "reference": {"g": "q"}}, "no level 'q'"),
            ({"outcome": "y", "predictors": ["g^2"]}, "only a number has powers"),
            ({"outcome": "y", "predictors": ["x:x"]}, "each variable once"),
            ({"outcome": "y", "predictors": ["x^99"]}, "up to 20"),
        ],
    )
    def test_parts_that_do_not_go_together(self, mapping: dict[str, Any], told: str) -> None:
        with pytest.raises(InvalidInputError, match=None) as caught:
            prepared(rows(), "python", predictors=mapping.pop("predictors", ["x"]), **mapping)
        assert told in str(caught.value)


class TestOutcome:
    @pytest.mark.parametrize("family", ["ordered", "multinomial", "poisson", "negative_binomial", "logistic"])
    def test_an_outcome_has_to_suit_the_family(self, family: str) -> None:
        assert refused(rows(), outcome="y", predictors=["x"], family=family).code == "outcome_unfit"

    def test_what_may_be_a_count_or_binary_is_said(self) -> None:
        assert codes(prepared(rows(), outcome="count", predictors=["x"]))["outcome_type"] == ("count",)
        data = [{**row, "yes": int(row["yes"])} for row in rows()]
        assert codes(prepared(data, outcome="yes", predictors=["x"]))["outcome_type"] == ("yes",)
        counted = prepared(rows(), outcome="count", predictors=["x"], family="poisson")
        assert "outcome_type" not in codes(counted)

    def test_a_row_that_decides_a_coefficient(self) -> None:
        data = [{**row, "only": int(at == 3)} for at, row in enumerate(rows())]
        result = prepared(data, outcome="y", predictors=["x", "only"])
        assert "leverage_of_one" in codes(result)


class TestTerms:
    def test_a_product_is_its_parts_and_the_interaction(self) -> None:
        result = prepared(rows(), outcome="y", predictors=["x*g", "x^2"], controls=["z"])
        assert result.model.text == "y ~ x + g + x:g + x^2 + z"
        assert result.model.predictors == ("x", "g", "z")
        assert result.diagnostics.n_parameters == 8

    def test_a_column_of_that_very_name_goes_first(self) -> None:
        data = [{"a:b": n, "a": n % 3, "y": n * n % 7} for n in range(12)]
        model = prepared(data, outcome="y", predictors=["a:b", "a"], types={"y": "numeric"}).model
        assert model.terms == ({"a_b": 1}, {"a": 1})

    def test_an_unknown_part_is_named(self) -> None:
        error = refused(rows(), outcome="y", predictors=["x:zz"])
        assert (error.code, "'zz'" in str(error)) == ("unknown_variable", True)

    def test_the_reference_is_the_first_level_of_the_complete_rows(self) -> None:
        data = [{**row, "x": None if row["g"] == "a" else row["x"]} for row in rows()]
        assert prepared(data, outcome="y", predictors=["x", "g"]).model.reference == {"g": "b"}
        labels = {"g": {"a": "Soho", "b": "Leith", "c": "Bow"}}
        asked = prepared(rows(), outcome="y", predictors=["g"], reference={"g": "Bow"}, value_labels=labels)
        assert asked.model.reference == {"g": "c"}


class TestSem:
    def data(self) -> Rows:
        rng = np.random.default_rng(3)
        f = rng.normal(size=80)
        return [
            {f"x{k}": float(f[at] + rng.normal()) for k in range(1, 7)} | {"s": "ab"[at % 2]}
            for at in range(80)
        ]

    def test_the_rules_are_told(self) -> None:
        found = prepared(
            self.data(), "r", "sem", latents={"A": ["x1", "x2", "x3"], "B": ["x4", "x5"]}
        ).diagnostics
        assert found.identified is True
        assert "A: the three-indicator rule holds (sufficient)." in found.identification
        assert "B: the two-indicator rule holds if it covaries with A." in found.identification
        path = prepared(self.data(), "r", "sem", regressions=[["x1", "x2"], ["x2", "x1"]]).diagnostics
        assert any("cycle" in told for told in path.identification)

    def test_a_factor_needs_a_scale(self) -> None:
        result = prepared(self.data(), "r", "sem", model="A =~ NA*x1 + x2 + x3 + x4")
        assert result.diagnostics.identified is False
        assert any("no scale" in note.message for note in result.notes if note.code == "not_identified")

    def test_groups_are_counted_each(self) -> None:
        data = [{**row, "s": "b" if at < 3 else "a"} for at, row in enumerate(self.data())]
        error = refused(data, "sem", latents={"A": ["x1", "x2", "x3"]}, group="s")
        assert (error.code, "'b'" in str(error)) == ("fewer_rows_than_parameters", True)

    def test_ordinal_indicators_have_an_estimator_of_their_own(self) -> None:
        data = [{k: round(v) % 4 if k != "s" else v for k, v in row.items()} for row in self.data()]
        latents = {"A": ["x1", "x2", "x3", "x4"]}
        as_numbers = prepared(data, "r", "sem", latents=latents)
        assert (as_numbers.model.estimator, "ordinal_as_continuous" in codes(as_numbers)) == ("ML", True)
        result = prepared(data, "r", "sem", latents=latents, types=dict.fromkeys(latents["A"], "ordinal"))
        assert (result.model.ordered, result.model.estimator) == (tuple(latents["A"]), "WLSMV")
        assert 'ordered = c("x1", "x2", "x3", "x4")' in result.script
        rare = [{**row, "x1": 9 if at == 0 else row["x1"]} for at, row in enumerate(data)]
        sparse = prepared(rare, "r", "sem", latents=latents, types=dict.fromkeys(latents["A"], "ordinal"))
        assert codes(sparse)["sparse_level"] == ("x1",)
        error = refused(data, "sem", latents=latents, types={"x1": "ordinal"}, estimator="MLR")
        assert isinstance(error, InvalidInputError)


def test_data_are_never_changed_by_what_is_found() -> None:
    data = [{**row, "twice": 2 * row["x"], "one": 1} for row in rows(12)]
    plain = prepared(data, analysis="descriptive").table
    model = prepared(data, outcome="y", predictors=["x", "twice", "one", "g", "z"])
    assert {"perfect_collinearity", "constant_variable"} <= set(codes(model))
    assert tuple(model.table.rows) == tuple(plain.rows)


def test_an_exposure_is_positive() -> None:
    data = [{**row, "w": 0.0} for row in rows()]
    error = refused(data, outcome="count", predictors=["x"], family="poisson", exposure="w")
    assert isinstance(error, PreparationError)
    assert error.code == "weight_not_positive"


def test_the_page_tells_reference_levels_and_what_the_data_allow() -> None:
    labels = {"g": {"a": "Soho", "b": "Leith", "c": "Bow"}}
    result = prepared(
        rows(), outcome="yes", predictors=["x", "g"], reference={"g": "b"}, value_labels=labels, cluster="who"
    )
    page = statistical_bundle(result, "python", picture={})["README.md"].decode()
    assert "Reference level of `g`: Leith; the other levels are compared with it." in page
    assert "Complete rows: 60 of 60 (100.0%)." in page
    assert "Clusters: 7, of 8 to 9 rows." in page
    assert "Separation (by linear program): none found." in page
    assert "(few_clusters)" in page


@pytest.mark.parametrize(
    ("kind", "own"), [(RegressionDataset, {"outcome": "y", "predictors": ["x"]}), (SemDataset, {})]
)
def test_a_study_can_say_of_a_model_what_the_tool_can(kind: Any, own: dict[str, Any]) -> None:
    """Every field of a dataset's model reaches the variable mapping under its name."""
    said = {
        "weights": "w",
        "cluster": "who",
        "robust": "HC1",
        "fiml": True,
        "estimator": "MLR",
        "family": "poisson",
    }
    fields = set(kind.model_fields) - set(TableDataset.model_fields) - {"kind"}
    given = {name: value for name, value in said.items() if name in fields} | own
    name = "regression" if kind is RegressionDataset else "sem"
    variables = [{"name": "x", "measure": "words"}]
    dataset = kind.model_validate({"name": "d", "kind": name, "variables": variables, **given})
    analysis, mapping = analysis_of(dataset)
    assert analysis == name
    assert {field: getattr(mapping, field) for field in fields} == {f: getattr(dataset, f) for f in fields}
