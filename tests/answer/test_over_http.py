"""Answers over HTTP: a profile, the client and a server that answers, misbehaves or is not there."""

import json
import re
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from click.testing import CliRunner

import corpusgraph as cg
from corpusgraph.flows.cli.main import cli
from corpusgraph.schemas.answer import AnswerResult
from corpusgraph.schemas.errors import UnknownProfileError
from corpusgraph.schemas.llm import StageUsage
from tests.answer.build import TEXTS
from tests.faults.server import FaultServer
from tests.faults.server_asked import Asked
from tests.faults.server_faults import FAULTS, Fault

ASKED = "Who studied cholera in London?"
NOWHERE = "http://127.0.0.1:9/v1"
CITED = re.compile(r"[^\[\]]*\w[^\[\]]*(\[\d+\])+")
REASONING = ("default", "ircot", "tog", "ms_global_dynamic", "hipporag2")


@pytest.fixture(scope="module")
def outputs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("http")
    (folder / "corpus").mkdir()
    for name, text in TEXTS.items():
        (folder / "corpus" / f"{name}.txt").write_text(text, encoding="utf-8")
    cg.index(folder / "corpus", "small", outputs=folder / "outputs")
    return folder / "outputs"


@pytest.fixture(scope="module")
def server() -> Iterator[FaultServer]:
    with FaultServer(hang=2.0, seed=1) as running:
        yield running


def profile(folder: Path, url: str, *, price: str = "", **limits: float) -> str:
    """Write a profile whose replies no other test has in its cache, and return its path."""
    told = "".join(f", {name}: {value}" for name, value in limits.items())
    path = folder / "profile.yml"
    path.write_text(
        f"profile: test\nllm: {{model: '{folder.name}', base_url: '{url}'{price}}}\n"
        f"limits: {{max_wait: 0.05{told}}}\n",
        encoding="utf-8",
    )
    return str(path)


def codes(answer: AnswerResult) -> set[str]:
    return {warning.code for warning in answer.warnings}


def test_the_model_writes_the_answer_and_is_not_paid_twice(
    outputs: Path, server: FaultServer, tmp_path: Path
) -> None:
    named = profile(tmp_path, server.base_url, price=", price: {input: 1, output: 2}")
    first = cg.ask(ASKED, "small", outputs=outputs, profile=named)
    assert first.method.startswith(tmp_path.name)
    assert first.supported
    assert CITED.sub("", first.text).strip() == ""
    assert isinstance(first.usage, StageUsage)
    assert (first.usage.calls, first.usage.reused, first.usage.failed) == (1, 0, 0)
    assert first.usage.cost == pytest.approx(
        (first.usage.prompt_tokens + 2 * first.usage.completion_tokens) / 1_000_000
    )
    again = cg.ask(ASKED, "small", outputs=outputs, profile=named)
    assert again.text == first.text
    assert isinstance(again.usage, StageUsage)
    assert (again.usage.calls, again.usage.reused, again.usage.cost) == (0, 1, 0.0)


def test_without_a_profile_nothing_changes(outputs: Path) -> None:
    answer = cg.ask(ASKED, "small", outputs=outputs)
    assert answer.method == "extractive"
    assert answer.model_dump(mode="json")["usage"] == {
        "calls": 0,
        "prompt_tokens": 0,
        "completion_tokens": 0,
        "cost": 0.0,
    }


def assert_cited(answer: AnswerResult) -> None:
    """Each sentence cites what is there; what the passages say themselves comes with a word why."""
    assert answer.text
    assert answer.supported == bool(answer.citations)
    assert not answer.supported or CITED.sub("", answer.text).strip() == ""
    for citation in answer.citations:
        text = next(t for t in TEXTS.values() if citation.text in t)
        assert text[citation.start : citation.end] == citation.text
    if answer.method == "extractive":
        assert codes(answer) & {"llm_failed", "unreachable", "no_candidates"}


@pytest.mark.parametrize("fault", FAULTS)
def test_whatever_the_server_does_each_sentence_is_cited(
    fault: Fault, outputs: Path, server: FaultServer, tmp_path: Path
) -> None:
    server.set(fault)
    quick = profile(tmp_path, server.base_url, timeout=0.2, attempts=2, cool_down=0.01)
    answer = cg.ask(ASKED, "small", outputs=outputs, profile=quick)
    server.set()
    assert_cited(answer)
    if fault in {"429", "429_bare", "500", "timeout", "dropped", "empty", "refusal", "wrong_types"}:
        assert answer.method == "extractive"


@pytest.mark.parametrize("method", REASONING)
def test_a_server_of_which_half_the_replies_fail(
    method: str, outputs: Path, server: FaultServer, tmp_path: Path
) -> None:
    server.set(rate=0.5)
    quick = profile(tmp_path, server.base_url, timeout=0.2, attempts=2, cool_down=0.01)
    answer = cg.ask(ASKED, "small", method=method, outputs=outputs, profile=quick)
    server.set()
    assert_cited(answer)


@pytest.mark.faults
def test_an_endpoint_that_is_down_is_given_up_within_seconds(outputs: Path, tmp_path: Path) -> None:
    slow = profile(tmp_path, NOWHERE).replace("profile.yml", "slow.yml")
    Path(slow).write_text(f"profile: slow\nllm: {{model: m, base_url: '{NOWHERE}'}}\n", encoding="utf-8")
    began = time.perf_counter()
    answer = cg.ask(ASKED, "small", outputs=outputs, profile=slow)
    assert time.perf_counter() - began < 15
    assert {"unreachable", "llm_failed"} <= codes(answer)
    assert "does not answer" in answer.warnings[0].message
    alone = cg.ask(ASKED, "small", outputs=outputs)
    assert (answer.text, answer.citations) == (alone.text, alone.citations)


def test_a_spent_budget_is_told_and_the_passages_answer(
    outputs: Path, server: FaultServer, tmp_path: Path
) -> None:
    named = profile(tmp_path, server.base_url, price=", price: {input: 1000, output: 1000}")
    answer = cg.ask(ASKED, "small", outputs=outputs, profile=named, budget=0.000001)
    assert {"budget_exhausted", "llm_failed"} <= codes(answer)
    assert answer.method == "extractive"
    assert answer.usage.cost == 0.0


def test_a_profile_may_be_named_by_the_environment(
    outputs: Path, server: FaultServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CORPUSGRAPH_PROFILE", profile(tmp_path, server.base_url))
    assert cg.ask(ASKED, "small", outputs=outputs).method.startswith(tmp_path.name)
    told = cg.call("query_extract_entities", {"query": ASKED}, "small", outputs)
    assert told.success
    assert told.metadata["usage"]["calls"] == 1
    assert told.metadata["usage"]["cost"] is None
    assert (
        "usage"
        not in cg.call("entity_onehop_neighbors", {"entities": ["cholera"]}, "small", outputs).metadata
    )


def test_an_unknown_profile_is_an_error_before_any_work(outputs: Path) -> None:
    with pytest.raises(UnknownProfileError):
        cg.ask(ASKED, "small", outputs=outputs, profile="no_such_profile")
    result = cg.call("query_extract_entities", {"query": ASKED}, "small", outputs, profile="no_such_profile")
    assert result.error is not None
    assert result.error.code == "unknown_profile"


def test_explain_tells_calls_tokens_and_that_the_price_is_not_known(
    outputs: Path, server: FaultServer, tmp_path: Path
) -> None:
    named = profile(tmp_path, server.base_url)
    line = ["ask", ASKED, "--index", "small", "--outputs", str(outputs), "--profile", named, "--explain"]
    first = CliRunner().invoke(cli, line).output
    assert re.search(rf"{tmp_path.name}.*: 1 calls, [\d,]+ tokens, unknown price", first)
    second = CliRunner().invoke(cli, line).output
    assert re.search(r"0 calls, 0 tokens, \$0, 1 replies from the cache", second)


@pytest.mark.parametrize("method", ["kgp", "ms_drift", "dalk"])
def test_calls_side_by_side_are_each_counted_once_and_then_cost_nothing(
    method: str, outputs: Path, server: FaultServer, tmp_path: Path
) -> None:
    named = profile(tmp_path, server.base_url, price=", price: {input: 1, output: 2}")
    before = len(server.calls)
    first = cg.ask(ASKED, "small", method=method, outputs=outputs, profile=named)
    assert isinstance(first.usage, StageUsage)
    assert first.usage.calls == len(server.calls) - before > 1
    assert sum(line.usage.calls for line in first.trace) == first.usage.calls
    assert sum(line.usage.prompt_tokens for line in first.trace) == first.usage.prompt_tokens
    assert sum(line.usage.cost or 0.0 for line in first.trace) == pytest.approx(first.usage.cost)
    again = cg.ask(ASKED, "small", method=method, outputs=outputs, profile=named)
    assert isinstance(again.usage, StageUsage)
    assert (again.usage.calls, again.usage.prompt_tokens, again.usage.cost) == (0, 0, 0.0)
    assert again.usage.reused == first.usage.calls + first.usage.reused
    assert (again.text, again.citations, again.warnings) == (first.text, first.citations, first.warnings)
    line = ["ask", ASKED, "--index", "small", "--outputs", str(outputs), "--method", method]
    told = CliRunner().invoke(cli, [*line, "--profile", named, "--explain"]).output
    assert re.search(rf"0 calls, 0 tokens, \$0, {again.usage.reused} replies from the cache", told)


@pytest.mark.parametrize(
    ("query", "answer"),
    [
        ("Wer hat die Cholera in London untersucht?", "Sie wurde von einem Arzt untersucht."),
        ("Ai đã nghiên cứu bệnh tả ở London?", "Một bác sĩ của thành phố đã nghiên cứu bệnh này."),
        ("谁在 London 研究了霍乱？", "一位医生研究了霍乱。"),
    ],
)
def test_an_answer_in_the_language_of_the_question_is_not_thrown_away(
    query: str, answer: str, outputs: Path, tmp_path: Path
) -> None:
    said = {"sentences": [{"text": answer, "sources": [1]}], "supported": True}

    def says(asked: Asked) -> tuple[str, str] | None:
        return (asked.kind, json.dumps(said)) if asked.kind == "write" else None

    with FaultServer(answer=says) as server:
        named = profile(tmp_path, server.base_url)
        found = cg.ask(query, "small", outputs=outputs, profile=named)
    assert found.text == f"{answer} [1]"
    assert found.supported
    assert {w.code: w.records for w in found.warnings}["unchecked_sentences"] == (answer,)


def test_the_tool_command_takes_a_profile(outputs: Path, server: FaultServer, tmp_path: Path) -> None:
    given = tmp_path / "given.json"
    given.write_text(f'{{"query": "{ASKED}"}}', encoding="utf-8")
    named = profile(tmp_path, server.base_url)
    line = ["tool", "query_extract_keywords", "--input", str(given), "--index", "small"]
    done = CliRunner().invoke(cli, [*line, "--outputs", str(outputs), "--profile", named])
    assert "no_llm" not in done.output
    assert '"low"' in done.output
