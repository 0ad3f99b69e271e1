"""Replies that reach the token limit: their chunks are asked in parts, and nothing they would have said is lost."""

import json
from pathlib import Path
from typing import Any

import pytest
import yaml

from corpusgraph.flows import api
from corpusgraph.schemas.documents import Document
from corpusgraph.tasks.extract.llm import extractor
from corpusgraph.tasks.extract.llm import extractor as evidence
from tests.faults.server import FaultServer
from tests.modelruns.corpus import digests, index, study_of, write_corpus, write_profile


def ledger(outputs: Path) -> list[dict[str, Any]]:
    lines = (outputs / "letters" / "failures.jsonl").read_text(encoding="utf-8").splitlines()
    return [json.loads(line) for line in lines]


def limited(folder: Path, server: FaultServer, max_tokens: int, **limits: Any) -> str:
    """Write a profile whose replies have so many tokens at most."""
    path = Path(write_profile(folder, server, **limits))
    told = yaml.safe_load(path.read_text(encoding="utf-8"))
    told["llm"]["max_tokens"] = max_tokens
    path.write_text(yaml.safe_dump(told), encoding="utf-8")
    return str(path)


def test_nothing_that_a_cut_reply_would_have_said_is_lost(tmp_path: Path) -> None:
    study = study_of(write_corpus(tmp_path / "corpus", 4), size=400, reports=False, resolution=False)
    with FaultServer() as server:
        right = index(study, tmp_path / "right", write_profile(tmp_path, server))
        whole = len(server.calls)
    with FaultServer() as server:
        report = index(study, tmp_path / "out", limited(tmp_path, server, 1200))
        cut = [call for call in server.calls if call.cut]
        spent = sum((c.prompt_tokens + 2 * c.completion_tokens) / 1e6 for c in server.calls)
        assert len(server.calls) == whole + 2 * len(cut)
        assert not any(call.repair for call in server.calls)
        (used,) = [stage for stage in report.usage if stage.stage == "extract"]
        assert (used.calls, used.failed) == (len(server.calls), len(cut))
        assert used.cost is not None
        assert abs(used.cost - spent) < 1e-9
    assert len(cut) >= whole
    assert (report.n_failures, report.n_retry) == (0, 0)
    lines = ledger(tmp_path / "out")
    assert [line["code"] for line in lines] == ["asked_in_parts"] * len(cut)
    chunks = {chunk.id for chunk in api.open("letters", tmp_path / "out").graph.chunks}
    assert {line["item"] for line in lines} <= chunks
    ours, theirs = digests(tmp_path / "out"), digests(tmp_path / "right")
    assert {name: ours[name] for name in ("claims", "events")} == {n: theirs[n] for n in ("claims", "events")}
    assert right.counts["claims"] > 4
    assert named(tmp_path / "out") == named(tmp_path / "right")
    assert related(tmp_path / "out") >= related(tmp_path / "right") != set()


def named(outputs: Path) -> set[str]:
    return {entity.id for entity in api.open("letters", outputs).graph.entities}


def related(outputs: Path) -> set[tuple[str, ...]]:
    return {(r.source_id, r.target_id, r.type) for r in api.open("letters", outputs).graph.relationships}


def test_what_cannot_be_divided_any_more_is_a_failure_and_asked_again(tmp_path: Path) -> None:
    study = study_of(write_corpus(tmp_path / "corpus", 1), size=400, reports=False, resolution=False)
    with FaultServer("length") as server:
        profile = write_profile(tmp_path, server)
        report = index(study, tmp_path / "out", profile)
        failed = [line for line in ledger(tmp_path / "out") if line["code"] == "truncated_reply"]
        divided = [line for line in ledger(tmp_path / "out") if line["code"] == "asked_in_parts"]
        assert len(server.calls) == len(failed) + len(divided)
        assert len(failed) == len(divided) + 1 > 2
        assert (report.n_failures, report.n_retry, report.counts["mentions"]) == (len(failed),) * 2 + (0,)
        assert all(line["retry"] and line["message"].startswith("characters ") for line in failed)
        server.set()
        server.reset()
        again = api.retry_failed("letters", outputs=tmp_path / "out")
        assert len(server.calls) == 1
    assert again.n_failures == 0
    assert again.counts["mentions"] > 0


def test_an_error_at_the_findings_of_one_document_costs_that_one_and_no_further_call(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    right = evidence.evidence_of

    def evidence_of(document: Document, *given: Any) -> Any:
        if document.title == "letter001":
            return [][len(given)]
        return right(document, *given)

    monkeypatch.setattr(extractor, "evidence_of", evidence_of)
    study = study_of(write_corpus(tmp_path / "corpus", 3), size=400, reports=False, resolution=False)
    with FaultServer() as server:
        profile = write_profile(tmp_path, server)
        report = index(study, tmp_path / "out", profile)
        assert len(server.calls) == report.counts["chunks"] == 3
        assert (report.n_failures, report.n_crashed, report.n_extracted) == (1, 1, 2)
        (line,) = ledger(tmp_path / "out")
        assert line["message"].startswith("IndexError at corpusgraph.tasks.extract.llm.extractor:")
        monkeypatch.undo()
        again = index(study, tmp_path / "out", profile)
        assert len(server.calls) == 3
    assert (again.n_failures, again.n_extracted, again.n_reused) == (0, 1, 2)
