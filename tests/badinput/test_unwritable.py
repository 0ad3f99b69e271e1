"""Values that no file holds, and cells of other libraries, given to tools 20 to 26."""

from datetime import date
from decimal import Decimal
from typing import Any

import pytest

import corpusgraph
from corpusgraph.tasks.export.statistical.bundle import statistical_bundle
from tests.badinput.test_preparation_codes import (
    ARGUMENT,
    CAUSAL,
    PROCESS,
    STATISTICS,
    TO_GRAPH,
    TO_TABLE,
    Record,
    called,
    causal,
    event,
    graph,
    log,
    paired,
    rows,
    values,
)

HALF = "half \ud800"
NESTED: Any = []
for _ in range(60_000):
    NESTED = [NESTED]
UNREADABLE: list[tuple[str, Record, str]] = [
    (CAUSAL, {"entities": [{"id": "a"}, {"id": "b", "name": HALF}]}, "entities 2 has half a character"),
    (CAUSAL, causal("a", data=[{"a": HALF}]), "data: a: row 1 has half a character"),
    (ARGUMENT, {"claims": [{"id": "a", "text": HALF}]}, "claims 1 has half a character"),
    (PROCESS, log(event("e", "1854"), event("f", "1854", text=HALF)), "events 2 has half a character"),
    (PROCESS, log(event("e", "1854", more=object())), "<class 'object'>"),
    (STATISTICS, {"data": [{HALF: 1}]}, "has half a character"),
    (STATISTICS, rows(1, NESTED), "nested too deeply"),
    (TO_GRAPH, paired(NESTED), "nested too deeply"),
    (TO_TABLE, {"subgraph": graph("a", ("a", HALF))}, "has half a character"),
    (STATISTICS, {"data": {"columns": ["a"], "rows": [{"a": 1, "b": 2}]}}, "row 1 has a value for 'b'"),
    (
        TO_GRAPH,
        {"table_data": {"format": "csv", "edges": {"columns": [], "rows": [[1]]}}},
        "1 cells for 0 columns",
    ),
    (CAUSAL, {"entities": [{"id": "a", "states": ["x", "x"]}]}, "'x' is blank or there twice"),
]


@pytest.mark.parametrize(
    ("tool", "arguments", "named"), UNREADABLE, ids=lambda it: it if isinstance(it, str) else ""
)
def test_what_no_file_holds_is_refused_by_name(tool: str, arguments: Record, named: str) -> None:
    result = corpusgraph.call(tool, arguments)
    assert result.error is not None
    assert (result.error.code, named in result.error.message) == ("invalid_input", True), (
        result.error.message[:300]
    )
    assert result.model_dump_json()


def test_cells_of_other_libraries_are_numbers_and_gaps() -> None:
    import numpy as np
    import pandas as pd

    given = {
        "numbers": [np.int64(3), np.float64(1.5), Decimal("0.25"), pd.NA],
        "dates": [pd.NaT, date(1854, 9, 8), pd.Timestamp(1854, 9, 9), np.datetime64("1854-09-10")],
        "sets": [{"b", "a"}, frozenset({2, 1}), None, None],
    }
    table = [dict(zip(given, cells, strict=True)) for cells in zip(*given.values(), strict=True)]
    result = corpusgraph.call(STATISTICS, {"data": table})
    assert values(result.data, "numbers") == [3, 1.5, 0.25, None]
    assert [str(day)[:10] for day in values(result.data, "dates")] == [
        "None",
        "1854-09-08",
        "1854-09-09",
        "1854-09-10",
    ]
    assert values(result.data, "sets") == ['["a", "b"]', "[1, 2]", None, None]


def test_a_message_names_a_few_records_and_the_warning_all() -> None:
    ties = called(PROCESS, log(*(event(f"e{n}", "1854-09-08") for n in range(500)))).warnings[0]
    assert (len(ties.message) < 200, "e499" in ties.records[0]) == (True, True)
    twins = called(CAUSAL, {"entities": [{"id": "a"}] * 500}).warnings[0]
    assert (len(twins.message) < 200, len(twins.records)) == (True, 499)
    merged = called(CAUSAL, causal("a b", "a>b " * 500)).warnings[0]
    assert (len(merged.message) < 200, len(merged.records)) == (True, 499)
    ring = " ".join(f"n{n}>n{(n + 1) % 500}" for n in range(500))
    error = called(CAUSAL, causal(" ".join(f"n{n}" for n in range(500)), ring)).error
    assert error is not None
    assert "n0 -> n1 -> " in error.message
    assert "more) -> " in error.message


def test_a_name_that_the_writer_of_spss_refuses_is_mapped() -> None:
    result = called(STATISTICS, {"data": [{"@x": 1}], "output_format": "spss"})
    assert result.data.name_map == {"@x": "v_@x"}
    assert "data.sav" in statistical_bundle(result.data, "spss", picture={})


def test_numbers_that_are_equal_are_one_unit() -> None:
    twice = {"data": [{"id": 1, "v": 1}, {"id": 1.0, "v": 2}], "variable_mapping": {"unit": "id"}}
    error = called(STATISTICS, twice).error
    assert error is not None
    assert error.code == "duplicate_id"


def test_no_time_limit_is_no_limit() -> None:
    asked = {"claims": [{"id": "a"}], "time_limit": float("inf")}
    assert called(ARGUMENT, asked).data.extensions.preferred == (("a",),)


@pytest.mark.parametrize("cell", [b"bytes", object()])
def test_a_cell_without_text_is_refused(cell: object) -> None:
    error = corpusgraph.call(STATISTICS, rows(1, cell)).error
    assert error is not None
    assert (error.code, "'v'" in error.message, "row 2" in error.message) == ("mixed_types", True, True)
