"""Bad input on the command line: an exit code and one line, or an answer; never a traceback."""

import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from corpusgraph.flows import api
from corpusgraph.flows.cli.main import main
from corpusgraph.schemas.study import Study

Told = tuple[int, Any, str]
"""Exit code, the JSON on stdout, and what is on stderr."""


@pytest.fixture
def told(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Callable[..., Told]:
    """Run a command in this process."""

    def run(*arguments: str | Path) -> Told:
        monkeypatch.setattr(sys, "argv", ["corpusgraph", *map(str, arguments), "--json"])
        with pytest.raises(SystemExit) as stop:
            main()
        out, err = capsys.readouterr()
        assert "Traceback" not in err
        return int(str(stop.value.code)), json.loads(out) if out.strip() else None, err

    return run


@pytest.fixture(scope="module")
def outputs(tiny: tuple[Path, str]) -> Path:
    return tiny[0]


@pytest.fixture(scope="module")
def word(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the outputs with an index of one document of one word: no edges, no communities."""
    home = tmp_path_factory.mktemp("word")
    (home / "corpus").mkdir()
    (home / "corpus" / "a.txt").write_text("Cholera.", encoding="utf-8")
    study = Study.model_validate({"study": "word", "corpus": {"path": str(home / "corpus")}})
    api.index(study, outputs=home / "outputs")
    return home / "outputs"


def arguments(folder: Path, **given: Any) -> Path:
    path = folder / "arguments.json"
    path.write_text(json.dumps(given), encoding="utf-8")
    return path


QUERIES = ["什么导致了霍乱?", "ما سبب الكوليرا؟", "Кто жил в Лондоне?", "?!", "cholera water " * 75_000]


@pytest.mark.parametrize("query", ["", "  "])
def test_ask_refuses_an_empty_question(told: Callable[..., Told], outputs: Path, query: str) -> None:
    code, said, err = told("ask", query, "--outputs", outputs)
    assert code == 2
    assert said["error"]["code"] in {"invalid_input", "bad_usage"}
    assert err.count("\n") == 1


@pytest.mark.parametrize("method", ["default", "hipporag", "lightrag_native_local"])
@pytest.mark.parametrize("query", QUERIES, ids=range(len(QUERIES)))
def test_ask_answers_any_question_or_says_why_not(
    told: Callable[..., Told], outputs: Path, method: str, query: str
) -> None:
    code, said, _ = told("ask", query, "--method", method, "--outputs", outputs)
    if code == 0:
        assert said["text"]
    else:
        assert (code, said["error"]["code"]) == (2, "invalid_input")


@pytest.mark.parametrize("method", ["default", "hipporag", "lightrag_native_local"])
def test_ask_of_an_index_of_one_word(told: Callable[..., Told], word: Path, method: str) -> None:
    code, said, _ = told("ask", "What caused cholera in London?", "--method", method, "--outputs", word)
    assert code == 0
    assert said["text"]


@pytest.mark.parametrize("top_k", ["0", "-1", "many", "1.5"])
def test_ask_refuses_a_top_k_out_of_range(told: Callable[..., Told], outputs: Path, top_k: str) -> None:
    code, said, _ = told("ask", "What caused cholera?", "--top-k", top_k, "--outputs", outputs)
    assert (code, said["error"]["code"]) == (2, "bad_usage")


def test_ask_takes_a_huge_top_k(told: Callable[..., Told], outputs: Path) -> None:
    code, said, _ = told("ask", "What caused cholera?", "--top-k", "1000000000", "--outputs", outputs)
    assert code == 0
    assert "contaminated water" in said["text"]


def test_tool_offers_the_entity_that_was_meant(
    told: Callable[..., Told], outputs: Path, tmp_path: Path
) -> None:
    given = arguments(tmp_path, seed_entities=["John Snoww"])
    code, said, err = told("tool", "entity_ppr_rank", "--input", given, "--outputs", outputs)
    assert (code, said["error"]["code"]) == (2, "unknown_entity")
    assert "John Snow'" in said["error"]["hint"]
    assert err.count("\n") == 1


@pytest.mark.parametrize(
    ("tool", "given"),
    [
        ("entity_ppr_rank", {"seed_entities": []}),
        ("entity_ppr_rank", {"seed_entities": {"Dr. John Snow": -1}}),
        ("entity_ppr_rank", {"seed_entities": {"Dr. John Snow": float("nan")}}),
        ("entity_ppr_rank", {"seed_entities": ["Dr. John Snow"], "top_k": 0}),
        ("entity_vdb_search", {"query": ""}),
        ("entity_vdb_search", {"query": "water", "top_k": -1}),
        ("chunk_vdb_search", {"query": "water", "topk": 1}),
    ],
    ids=range(7),
)
def test_tool_refuses_what_it_cannot_take(
    told: Callable[..., Told], outputs: Path, tmp_path: Path, tool: str, given: dict[str, Any]
) -> None:
    code, said, err = told("tool", tool, "--input", arguments(tmp_path, **given), "--outputs", outputs)
    assert (code, said["error"]["code"]) == (2, "invalid_input")
    assert err.count("\n") == 1


@pytest.mark.parametrize(
    "tool",
    [
        "entity_vdb_search",
        "chunk_vdb_search",
        "relationship_vdb_search",
        "community_vdb_search",
        "chunk_walk_rank",
    ],
)
def test_tool_takes_a_huge_top_k_and_a_megabyte(
    told: Callable[..., Told], outputs: Path, tmp_path: Path, tool: str
) -> None:
    given = arguments(tmp_path, query="cholera water " * 75_000, top_k=10**9)
    code, said, _ = told("tool", tool, "--input", given, "--outputs", outputs)
    assert code == 0
    assert said["data"]


@pytest.mark.parametrize("tool", ["relationship_vdb_search", "community_vdb_search"])
def test_tool_says_what_an_index_of_one_word_lacks(
    told: Callable[..., Told], word: Path, tmp_path: Path, tool: str
) -> None:
    code, said, _ = told("tool", tool, "--input", arguments(tmp_path, query="cholera"), "--outputs", word)
    assert (code, said["data"]) == (0, [])
    assert [warning["code"] for warning in said["warnings"]] == ["nothing_found"]


@pytest.mark.parametrize("key", ["filter", "index"])
@pytest.mark.parametrize("inside", [True, False])
def test_method_check_refuses_in_a_step_what_holds_for_the_whole_method(
    told: Callable[..., Told], tmp_path: Path, key: str, *, inside: bool
) -> None:
    step = f"top_k: 3, {key}: x}}" if inside else f"top_k: 3}}\n    {key}: x"
    (tmp_path / "m.yml").write_text(f"method: m\nsteps:\n  - chunk_vdb_search: {{{step}\n", encoding="utf-8")
    code, said, err = told("method", "check", tmp_path / "m.yml")
    assert code == 2
    text = json.dumps(said) + err
    assert key in text
    assert "whole method" in text or "when the method is run" in text


def test_method_of_an_unknown_name_offers_one(told: Callable[..., Told]) -> None:
    code, said, _ = told("method", "check", "hiporag")
    assert code == 2
    assert "hipporag" in said["error"]["hint"]


@pytest.mark.parametrize(
    ("changed", "codes"),
    [
        ({"--k": "0"}, {"invalid_input", "bad_usage"}),
        ({"--k": "-1"}, {"invalid_input", "bad_usage"}),
        ({"--k": "x"}, {"invalid_input", "bad_usage"}),
        ({"--method": "nope"}, {"unknown_method"}),
        ({"--method": ""}, {"unknown_method", "invalid_input", "bad_usage"}),
        ({"--embedder": "nope"}, {"invalid_input", "bad_usage"}),
        ({"question": ""}, {"invalid_input"}),
        ({"gold": []}, {"invalid_input"}),
    ],
    ids=range(8),
)
def test_evaluate_refuses_what_it_cannot_measure(
    told: Callable[..., Told], tmp_path: Path, changed: dict[str, Any], codes: set[str]
) -> None:
    passage = {"id": "a", "title": "Snow", "text": "Contaminated water caused cholera."}
    query = {"question": changed.get("question", "What caused cholera?"), "gold": changed.get("gold", ["a"])}
    (tmp_path / "c.jsonl").write_text(json.dumps(passage) + "\n", encoding="utf-8")
    (tmp_path / "q.jsonl").write_text(json.dumps(query) + "\n", encoding="utf-8")
    options = [part for pair in changed.items() if pair[0].startswith("--") for part in pair]
    files = [
        "--corpus",
        tmp_path / "c.jsonl",
        "--queries",
        tmp_path / "q.jsonl",
        "--outputs",
        tmp_path / "out",
    ]
    code, said, _ = told("evaluate", *files, *options)
    assert code == 2
    assert said["error"]["code"] in codes


def test_evaluate_of_one_tiny_document_with_a_huge_k(told: Callable[..., Told], tmp_path: Path) -> None:
    (tmp_path / "c.jsonl").write_text('{"id": "a", "title": "A", "text": "Cholera."}\n', encoding="utf-8")
    (tmp_path / "q.jsonl").write_text('{"question": "Cholera?", "gold": ["a"]}\n', encoding="utf-8")
    files = [
        "--corpus",
        tmp_path / "c.jsonl",
        "--queries",
        tmp_path / "q.jsonl",
        "--outputs",
        tmp_path / "out",
    ]
    code, said, _ = told("evaluate", *files, "--k", "1000000000")
    assert code == 0
    assert said["recall@1000000000"] == 1.0
