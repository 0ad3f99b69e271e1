"""What a person types is a text: quotes search a phrase, no sign is an operator by accident."""

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

import corpusgraph as cg
from corpusgraph.flows.files.manifest import unless_gone
from corpusgraph.schemas.results import ToolResult
from tests.examples import tried

TEXTS = {
    "pump": "The pump of Broad Street stood near the brewery.",
    "lane": "A broad lane met the long street of Soho.",
    "back": "Street, broad and paved, led to the river.",
    "none": "Cholera spread by water, as Snow held.",
    "city": "在北京大学附近有一口井。",
}
WORDS_ALONE = {"bm25_weight": 1, "vector_weight": 0, "graph_weight": 0}
SIGNS = [
    *"\"()+-/*^~\\:{}[]!&|?'“”„«»",
    "AND",
    "OR",
    "NOT",
    "content:",
    "pump",
    "broad",
    "Street",
    " ",
    "\0",
    "北京",
]


@pytest.fixture(scope="module")
def outputs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("texts")
    for name, text in TEXTS.items():
        (folder / f"{name}.txt").write_text(text, encoding="utf-8")
    outputs = tmp_path_factory.mktemp("outputs")
    cg.index(folder, "streets", outputs=outputs)
    return outputs


def searched(outputs: Path, query: str, **more: Any) -> ToolResult:
    return cg.call(
        "hybrid_search", {"query": query, "kind": "chunk", **WORDS_ALONE, **more}, "streets", outputs
    )


def texts(result: ToolResult) -> set[str]:
    assert result.success, result.error
    return {hit.item.chunk.content for hit in result.data.results}


@pytest.mark.parametrize(
    "query", ['"Broad Street"', " “broad street” ", "«BROAD STREET»", '"Broad Street" "pump"']
)
def test_a_query_in_quotes_finds_what_has_the_words_in_a_row(outputs: Path, query: str) -> None:
    assert texts(searched(outputs, query)) == {TEXTS["pump"]}


def test_without_quotes_any_word_will_do(outputs: Path) -> None:
    for query in ("Broad Street", 'Broad Street"', '"Broad Street', '"Broad" and (Street'):
        assert texts(searched(outputs, query)) == {TEXTS["pump"], TEXTS["lane"], TEXTS["back"]}


def test_a_phrase_that_is_nowhere_finds_nothing(outputs: Path) -> None:
    assert texts(searched(outputs, '"Soho pump"')) == set()


def test_phrases_in_other_scripts_and_among_what_was_added_by_hand(outputs: Path) -> None:
    assert texts(searched(outputs, '"北京大学"')) == {TEXTS["city"]}
    made: list[dict[str, Any]] = [
        {"name": n, "entityType": "place", "observations": []}
        for n in ("Golden Square", "square of golden light")
    ]
    assert cg.call("create_entities", {"entities": made}, "streets", outputs).success
    found = searched(outputs, '"golden square"', kind="entity")
    assert [hit.item.entity.name for hit in found.data.results] == ["Golden Square"]


@settings(max_examples=tried(60), deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@example('""')
@example('"the"')
@example('"a" "b')
@given(st.lists(st.sampled_from(SIGNS) | st.text(max_size=3), min_size=1, max_size=6).map("".join))
def test_no_sign_is_an_operator_and_no_query_breaks_the_index(outputs: Path, query: str) -> None:
    result = searched(outputs, query)
    assert result.success or (result.error and result.error.code == "invalid_input"), (query, result.error)


def test_signs_change_nothing(outputs: Path) -> None:
    plain = texts(searched(outputs, "pump cholera"))
    for query in (
        "+pump -cholera",
        "pump AND cholera",
        "(pump) NOT cholera",
        "pump* ~cholera^2",
        "pump\\ /cholera",
    ):
        assert texts(searched(outputs, query)) == plain == {TEXTS["pump"], TEXTS["none"]}


def test_what_the_search_engine_says_of_a_query_is_not_called_a_lost_generation() -> None:
    manifest: Any = SimpleNamespace(index="x", generation="gen_1")
    with pytest.raises(ValueError, match="position"), unless_gone(manifest, "chunks"):
        raise ValueError("Invalid input, position is not found but required for phrase queries")
