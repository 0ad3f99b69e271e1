"""Tool 23 on small data: what it types, fixes, refuses and says."""

from typing import Any, get_args

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from corpusgraph.schemas.errors import CorpusgraphError, InvalidInputError, PreparationError
from corpusgraph.schemas.graph import Graph
from corpusgraph.schemas.results import Noted, Table, ToolResult
from corpusgraph.schemas.study import BundleFormat
from corpusgraph.tasks.analysis.statistics.analysis import StatisticalAnalysis
from corpusgraph.tasks.export.statistical.bundle import statistical_bundle
from corpusgraph.tasks.registry import TOOLS
from corpusgraph.tasks.tools.prepare import (
    PrepareStatisticalAnalysis,
    prepare_statistical_analysis,
)
from corpusgraph.tasks.tools.transform import TransformGraphToTable, transform_graph_to_table
from tests.examples import tried

Rows = list[dict[str, Any]]
ROWS: Rows = [
    {"id": f"u{n}", "y": float(y), "x": n, "g": "abc"[n % 3], "z": (7 * n) % 5}
    for n, y in enumerate([3, 1, 4, 1, 5, 9, 2, 6, 5, 3])
]


def prepare(
    data: Any = None, analysis: str = "descriptive", target: str = "r", **mapping: Any
) -> Noted[StatisticalAnalysis]:
    ask = PrepareStatisticalAnalysis.model_validate(
        {
            "data": ROWS if data is None else data,
            "analysis_type": analysis,
            "output_format": target,
            "variable_mapping": mapping,
        }
    )
    return prepare_statistical_analysis(ask)


def column(values: list[Any], target: str = "r", **mapping: Any) -> Noted[StatisticalAnalysis]:
    """Prepare one column `v` beside an `id`."""
    rows = [{"id": f"u{n}", "v": value} for n, value in enumerate(values)]
    return prepare(rows, target=target, unit="id", **mapping)


def warned(noted: Noted[StatisticalAnalysis]) -> dict[str, tuple[str, ...]]:
    return {warning.code: warning.records for warning in noted.warnings}


def refused(error: type[CorpusgraphError], *args: Any, **kwargs: Any) -> CorpusgraphError:
    with pytest.raises(error) as caught:
        prepare(*args, **kwargs)
    return caught.value


def test_a_regression_has_formula_kind_roles_and_script() -> None:
    noted = prepare(analysis="regression", outcome="y", predictors=["x", "g"], controls=["z"], unit="id")
    result = noted.data
    assert set(warned(noted)) == {"leverage_of_one"}  # the third row alone has z at its largest among g = c
    assert (result.model.kind, result.model.text) == ("linear", "y ~ x + g + z")
    assert {entry.name: entry.role for entry in result.codebook} == {
        "id": "id",
        "y": "outcome",
        "x": "predictor",
        "g": "predictor",
        "z": "control",
    }
    assert result.diagnostics.n_parameters == 5
    assert "lm(y ~ x + g + z" in result.script


def test_the_codebook_has_the_statistics_of_the_data() -> None:
    entry = next(e for e in prepare().data.codebook if e.name == "y")
    y = np.array([row["y"] for row in ROWS])
    assert entry.statistics["mean"] == pytest.approx(y.mean())
    assert entry.statistics["sd"] == pytest.approx(y.std(ddof=1))
    assert entry.statistics["q25"] == pytest.approx(np.percentile(y, 25))
    levels = next(e for e in prepare().data.codebook if e.name == "g")
    assert levels.frequencies == {"a": 4, "b": 3, "c": 3}
    assert levels.measure == "nominal"


@pytest.mark.parametrize(
    ("outcome", "kind"),
    [
        ([True, False] * 5, "logistic"),
        (["no", "yes"] * 5, "logistic"),
        (["a", "b", "c", "a", "b"] * 2, "multinomial"),
    ],
)
def test_the_outcome_decides_the_kind_of_regression(outcome: list[Any], kind: str) -> None:
    rows = [{**row, "o": value} for row, value in zip(ROWS, outcome, strict=True)]
    assert prepare(rows, "regression", outcome="o", predictors=["x"]).data.model.kind == kind


def test_an_ordinal_outcome_makes_an_ordered_model() -> None:
    result = prepare(analysis="regression", outcome="z", predictors=["x"], types={"z": "ordinal"}).data
    assert result.model.kind == "ordered"
    assert next(e for e in result.codebook if e.name == "z").levels == ("0", "1", "2", "3", "4")


def test_a_graph_gives_one_row_a_node_with_degrees() -> None:
    graph = {
        "nodes": [{"id": "a", "attributes": {"born": 1813}}, {"id": "b"}],
        "edges": [{"id": "r", "source_id": "a", "target_id": "b", "weight": 2}],
    }
    for data in (graph, Graph.model_validate(graph)):
        table = prepare(data).data.table
        assert table.column("born") == (1813, None)
        assert table.column("out_degree") == (1, 0)
        assert table.column("strength") == (2.0, 2.0)


def test_loose_tables_are_typed() -> None:
    table = prepare({"columns": ["a", {"name": "b"}], "rows": [["1", "x"], {"a": "2", "b": "y"}]}).data.table
    assert [c.dtype for c in table.columns] == ["integer", "text"]
    assert table.rows == ((1, "x"), (2, "y"))


def test_the_tables_of_a_graph_are_its_nodes() -> None:
    graph = {"nodes": [{"id": "a", "attributes": {"born": 1813}}, {"id": "b"}]}
    for shape in ("dataframe", "json"):
        made = transform_graph_to_table(
            TransformGraphToTable.model_validate({"subgraph": graph, "output_format": shape})
        ).data
        for data in (made, made.model_dump()):
            assert prepare(data).data.table.column("born") == (1813, None)


def test_uneven_rows_are_invalid_input() -> None:
    call = TOOLS["prepare_statistical_analysis"].call({"data": {"columns": ["a"], "rows": [[1], [1, 2]]}}, {})
    assert isinstance(call, ToolResult)
    assert call.error is not None
    assert (call.error.code, "row 2" in call.error.message) == ("invalid_input", True)


@pytest.mark.parametrize(
    ("analysis", "mapping", "told"),
    [
        ("regression", {"predictors": ["x"]}, "outcome"),
        ("regression", {"outcome": "y"}, "predictors"),
        ("regression", {"outcome": "y", "predictors": ["y"]}, "both"),
        ("sem", {}, "latents"),
        ("sem", {"latents": {"F": []}}, "no indicators"),
        ("sem", {"latents": {"y": ["x", "z"]}}, "name of a column"),
        ("sem", {"model": "nonsense"}, "cannot read"),
    ],
)
def test_a_model_without_its_parts_is_invalid(analysis: str, mapping: dict[str, Any], told: str) -> None:
    assert told in str(refused(InvalidInputError, None, analysis, **mapping))


class TestErrors:
    def test_empty_table(self) -> None:
        several: list[Any] = [[], {"columns": ["a"], "rows": []}, [{}]]
        assert [refused(PreparationError, data).code for data in several] == ["empty_table"] * 3

    def test_unknown_variable_names_the_nearest(self) -> None:
        rows = [{"deaths": 1, "water": 2}, {"deaths": 2, "water": 3}]
        error = refused(PreparationError, rows, "regression", outcome="death", predictors=["water"])
        assert error.code == "unknown_variable"
        assert "'deaths'" in str(error)
        assert refused(PreparationError, rows, labels={"wather": "W"}).code == "unknown_variable"

    def test_mixed_types_names_the_cell(self) -> None:
        with pytest.raises(PreparationError, match=r"'many' \(u2\)") as caught:
            column([1, 2, "many"])
        assert caught.value.code == "mixed_types"
        assert column([1, 2, "many"], missing={"v": ["many"]}).data.table.column("v") == (1, 2, None)
        assert column([1, 2, "many"], types={"v": "text"}).data.table.column("v") == ("1", "2", "many")

    def test_no_data_in_variable(self) -> None:
        rows = [{**row, "e": None} for row in ROWS]
        error = refused(
            PreparationError, rows, "regression", outcome="y", predictors=["e"], types={"e": "numeric"}
        )
        assert error.code == "no_data_in_variable"
        assert warned(prepare(rows))["no_data_in_variable"] == ("e",)

    def test_duplicate_and_empty_ids(self) -> None:
        assert (
            refused(PreparationError, [{"i": "a", "v": 1}, {"i": "a", "v": 2}], unit="i").code
            == "duplicate_id"
        )
        assert refused(PreparationError, [{"i": " ", "v": 1}], unit="i").code == "empty_id"
        nodes = [{"id": "a", "name": "A"}, {"id": "a", "name": "B"}]
        assert refused(PreparationError, {"nodes": nodes}).code == "duplicate_id"

    @pytest.mark.parametrize(
        ("weight", "code"), [(float("inf"), None), (0, "weight_not_positive"), (-1.0, "weight_not_positive")]
    )
    def test_weights_are_positive(self, weight: float, code: str | None) -> None:
        rows = [{**row, "w": weight if n == 3 else 1.0} for n, row in enumerate(ROWS)]
        mapping: dict[str, Any] = {"outcome": "y", "predictors": ["x"], "weights": "w"}
        if code is None:
            assert "infinite_as_missing" in warned(prepare(rows, "regression", **mapping))
        else:
            assert refused(PreparationError, rows, "regression", **mapping).code == code

    def test_a_weight_is_a_number(self) -> None:
        rows = [{**row, "w": "heavy"} for row in ROWS]
        error = refused(
            PreparationError,
            rows,
            "regression",
            outcome="y",
            predictors=["x"],
            weights="w",
            types={"w": "nominal"},
        )
        assert error.code == "weight_not_finite"

    @pytest.mark.parametrize(
        ("code", "rows"),
        [
            ("constant_variable", [{**row, "z": 1} for row in ROWS]),
            ("perfect_collinearity", [{**row, "z": 2 * row["x"] + 1} for row in ROWS]),
            ("fewer_rows_than_parameters", ROWS[:3]),
        ],
    )
    def test_what_a_sem_cannot_bear_a_regression_is_warned_of(self, code: str, rows: Rows) -> None:
        assert refused(PreparationError, rows, "sem", latents={"F": ["y", "x", "z"]}).code == code
        regression = prepare(rows, "regression", outcome="y", predictors=["x", "z", "g"])
        assert code in warned(regression)
        assert regression.data.table.rows == prepare(rows).data.table.rows

    def test_dates_are_no_predictors(self) -> None:
        rows = [{**row, "d": "1854-09-08"} for row in ROWS]
        assert "d" in str(refused(PreparationError, rows, "regression", outcome="y", predictors=["d"]))


class TestFixes:
    def test_identical_rows_are_merged_with_their_passages(self) -> None:
        table = Table.model_validate(
            {
                "columns": [{"name": "i", "dtype": "text"}, {"name": "v", "dtype": "integer"}],
                "rows": [["a", 1], ["b", 2], ["a", 1]],
                "provenance": [["c1"], ["c2"], ["c3", "c1"]],
            }
        )
        noted = prepare(table, unit="i")
        assert warned(noted)["duplicate_identical"] == ("a",)
        assert noted.data.table.rows == (("a", 1), ("b", 2))
        assert noted.data.table.provenance == (("c1", "c3"), ("c2",))

    def test_integer_as_text(self) -> None:
        noted = column([2**53, 2**53 + 1, None])
        assert noted.data.table.column("v") == ("9007199254740992", "9007199254740993", None)
        assert warned(noted)["integer_as_text"] == ("u1",)

    def test_infinite_as_missing(self) -> None:
        noted = column([1.5, float("inf"), float("-inf"), float("nan")])
        assert noted.data.table.column("v") == (1.5, None, None, None)
        assert warned(noted)["infinite_as_missing"] == ("u1", "u2")

    def test_nested_as_json(self) -> None:
        noted = column([{"b": 1, "a": ["ữ"]}, None, [1]])
        assert noted.data.table.column("v") == ('{"a": ["ữ"], "b": 1}', None, "[1]")
        assert warned(noted)["nested_as_json"] == ("u0", "u2")

    def test_blank_and_coded_cells_are_missing(self) -> None:
        noted = column(["1", " ", "99", "3"], missing={"v": [99]})
        assert noted.data.table.column("v") == (1, None, None, 3)
        assert warned(noted) == {"blank_as_missing": ("u1",), "code_as_missing": ("u2",)}

    def test_spss_keeps_codes_that_mean_missing(self) -> None:
        noted = column([1, 99, 3], target="spss", missing={"v": [99]})
        assert noted.data.table.column("v") == (1, 99, 3)
        entry = noted.data.codebook[1]
        assert (entry.n, entry.n_missing, entry.missing_codes, entry.statistics["max"]) == (2, 1, (99,), 3.0)

    def test_partial_dates_keep_the_text_beside_them(self) -> None:
        noted = column(["1854-09-08", "1854-09", None])
        assert noted.data.table.column("v") == ("1854-09-08", "1854-09-01", None)
        assert noted.data.table.column("v_as_given") == ("1854-09-08", "1854-09", None)
        assert warned(noted)["coarser_than_resolution"] == ("u1",)

    def test_dates_that_cannot_be_read_are_set_aside(self) -> None:
        given = ("03/04/1855", "13/04/1855", "soon", "1855-01-01")
        noted = column(list(given), types={"v": "date"})
        assert noted.data.table.column("v") == (None, "1855-04-13", None, "1855-01-01")
        assert noted.data.table.column("v_as_given") == given
        assert warned(noted) == {"ambiguous_date": ("u0",), "unparsed_timestamp": ("u2",)}

    def test_offsets_are_dropped_in_utc(self) -> None:
        noted = column(["2020-01-01T01:00:00+02:00", "2020-01-01T01:00:00"])
        assert noted.data.table.column("v") == ("2019-12-31T23:00:00", "2020-01-01T01:00:00")
        assert warned(noted) == {"offset_dropped": ("u0",), "assumed_utc": ("u1",)}

    def test_a_time_of_day_in_a_date_is_left_out(self) -> None:
        noted = column(["2020-01-01T01:00:00"], types={"v": "date"})
        assert noted.data.table.column("v") == ("2020-01-01",)
        assert warned(noted) == {"finer_than_resolution": ("u0",)}

    def test_illegal_characters(self) -> None:
        noted = column(["a\x00b", "c\ud800d"])
        assert noted.data.table.column("v") == ("a\ufffdb", "c\ufffdd")
        assert warned(noted)["illegal_character"] == ("u0", "u1")

    def test_text_and_labels_are_cut_to_what_spss_holds(self) -> None:
        noted = column(["ữ" * 20_000, "short"], target="spss", labels={"v": "ữ" * 200})
        text = noted.data.table.column("v")[0]
        assert len(text.encode()) == 32_766
        assert set(text) == {"ữ"}
        assert set(warned(noted)) == {"text_cut", "label_cut"}
        assert len(noted.data.codebook[1].label.encode()) <= 256

    def test_levels_are_cut_to_what_an_spss_label_holds(self) -> None:
        noted = column(["ữ" * 100 + str(n % 3) for n in range(6)], target="spss", types={"v": "nominal"})
        assert "label_cut" in warned(noted)
        assert {len(label.encode()) for label in (noted.data.codebook[1].value_labels or {}).values()} == {
            120
        }

    def test_labels_are_cut_to_what_stata_holds(self) -> None:
        noted = column([1, 2], target="stata", labels={"v": "x" * 100})
        assert noted.data.codebook[1].label == "x" * 80
        assert "label_cut" in warned(noted)

    def test_dates_before_spss_begins_are_text(self) -> None:
        noted = column(["1066-10-14", "1854-09-08"], target="spss")
        assert noted.data.table.columns[1].dtype == "text"
        assert warned(noted)["date_as_text"] == ("u0",)

    def test_numbers_beyond_stata_are_missing(self) -> None:
        noted = column([1e308, 1.0], target="stata")
        assert noted.data.table.column("v") == (None, 1.0)
        assert warned(noted)["infinite_as_missing"] == ("u0",)

    def test_names_mapped(self) -> None:
        rows = [{"tuổi": n, "if": n * n, "y": n % 3} for n in range(6)]
        noted = prepare(rows, "regression", "stata", outcome="y", predictors=["tuổi", "if"])
        assert noted.data.name_map == {"tuổi": "tuoi", "if": "if_", "y": "y"}
        assert noted.data.model.text == "y ~ tuoi + if_"
        assert warned(noted)["names_mapped"] == ("tuổi", "if")
        assert noted.data.codebook[0].label == "tuổi"


class TestNotes:
    def test_formula_like_text_stays_byte_for_byte(self) -> None:
        noted = column(["=1+1", "+a", "plain"])
        assert noted.data.table.column("v") == ("=1+1", "+a", "plain")
        assert warned(noted)["formula_like_text"] == ("v",)

    def test_too_many_levels(self) -> None:
        noted = column([f"l{n}" for n in range(60)], types={"v": "nominal"})
        assert warned(noted)["too_many_levels"] == ("v",)

    def test_collinear_levels_are_found(self) -> None:
        rows = [{**row, "is_b": int(row["g"] == "b")} for row in ROWS]
        noted = prepare(rows, "regression", outcome="y", predictors=["g", "is_b"])
        assert noted.data.diagnostics.collinear == (("is_b", "g[b]"),)

    def test_dangling_edges_and_identical_nodes(self) -> None:
        edge = {"id": "r", "source_id": "a", "target_id": "z"}
        noted = prepare({"nodes": [{"id": "a"}, {"id": "a"}], "edges": [edge]})
        assert warned(noted) == {"duplicate_identical": ("a",), "dangling_edge": ("r",)}

    def test_a_sem_says_whether_it_can_be_identified(self) -> None:
        rows = [{f"x{k}": ((n + 1) * (k + 2) ** 2) % 17 for k in range(4)} for n in range(20)]
        result = prepare(rows, "sem", latents={"F": ["x0", "x1", "x2", "x3"]}).data
        assert (result.diagnostics.degrees_of_freedom, result.diagnostics.identified) == (2, True)
        short = prepare(rows, "sem", latents={"F": ["x0", "x1"]})
        assert (short.data.diagnostics.degrees_of_freedom, short.data.diagnostics.identified) == (-1, False)
        assert "not_identified" in warned(short)


def test_parts_and_text_give_the_same_sem() -> None:
    rows = [{f"x{k}": ((n + 1) * (k + 2) ** 2) % 17 for k in range(4)} for n in range(20)]
    parts = prepare(rows, "sem", latents={"F": ["x0", "x1", "x2"]}, regressions=[["x3", "F"]]).data
    text = prepare(rows, "sem", model="F =~ x0 + x1 + x2\nx3 ~ F\n").data
    assert parts.model == text.model


KINDS = (
    st.booleans(),
    st.integers(-(2**70), 2**70),
    st.floats(),
    st.text(max_size=12),
    st.dates().map(str),
    st.datetimes(timezones=st.none() | st.timezones()).map(lambda at: at.isoformat()),
    st.sampled_from(["1854", "1854-09", "1854-09-08", "8.9.1854"]),
    st.lists(st.integers(), max_size=2),
    st.booleans() | st.text(max_size=3),
)


@st.composite
def frames(draw: st.DrawFn) -> Rows:
    height = draw(st.integers(1, 6))
    names = draw(
        st.lists(st.sampled_from(["a", "b é", "if", "A", "v1"]) | st.text(max_size=4), min_size=1, max_size=4)
    )
    cells = (
        st.lists(st.none() | draw(st.sampled_from(KINDS)), min_size=height, max_size=height) for _ in names
    )
    columns = dict(zip(names, map(draw, cells), strict=True))
    return [{name: values[at] for name, values in columns.items()} for at in range(height)]


@given(frames(), st.sampled_from(get_args(BundleFormat)))
@settings(max_examples=tried(40), deadline=None)
def test_any_rows_are_exported_or_refused_by_name(rows: Rows, target: BundleFormat) -> None:
    call = TOOLS["prepare_statistical_analysis"].call({"data": rows, "output_format": target}, {})
    if call.error:
        assert call.error.code == "mixed_types"
        return
    assert call.data == prepare(rows, target=target).data
    columns = [column.name for column in call.data.table.columns]
    assert columns == [entry.name for entry in call.data.codebook] == list(call.data.name_map.values())
    assert statistical_bundle(call.data, target, picture={})
