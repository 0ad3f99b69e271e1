"""An error of the program at one document costs that document alone, and the next run tries it again."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import corpusgraph
from corpusgraph.flows.engine import Inline
from corpusgraph.flows.load import corpus as loading
from corpusgraph.flows.load import rows as values
from corpusgraph.flows.load.decoding import Format, Raw
from corpusgraph.flows.load.formats import BY_ENDING
from corpusgraph.schemas.documents import Document
from corpusgraph.schemas.run import IndexReport
from corpusgraph.tasks.extract.offline import OfflineExtractor
from tests.commands import corpusgraph as command
from tests.faults.documents import GOOD, broken_among_good, document, index_documents

pytestmark = pytest.mark.faults

ROOT = Path(__file__).resolve().parents[2]


def corpus_of(folder: Path, **texts: str) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    for name, text in texts.items():
        (folder / f"{name}.txt").write_text(text, encoding="utf-8")
    return folder


def index(corpus: Path, outputs: Path) -> IndexReport:
    return corpusgraph.index(corpus, name="letters", outputs=outputs)


def ledger(outputs: Path) -> list[dict[str, Any]]:
    lines = (outputs / "letters" / "failures.jsonl").read_text(encoding="utf-8").splitlines()
    return [json.loads(line) for line in lines]


def is_of_one_crash(report: IndexReport, outputs: Path) -> None:
    """Check that b alone failed, by name and line, and that all the others are published."""
    (line,) = ledger(outputs)
    assert (line["source"], line["stage"], line["code"]) == ("b.txt", "extract", "unexpected_error")
    assert re.search(r"^IndexError at corpusgraph\.[\w.]+:\d+: string index out of range$", line["message"])
    assert (report.n_failures, report.n_crashed, report.n_extracted) == (1, 1, 2)
    notes = {stage.stage: stage.note for stage in report.stages}
    assert "1 without evidence after an error" in notes["extract"]
    opened = corpusgraph.open("letters", outputs)
    assert sorted(doc.title for doc in opened.documents) == ["a", "b", "c"]
    assert "John Snow" in {entity.name for entity in opened.graph.entities}


@pytest.mark.parametrize("workers", [1, 2])
def test_in_this_process_and_in_others(tmp_path: Path, workers: int) -> None:
    report = index_documents(broken_among_good(), tmp_path, Inline(workers))
    is_of_one_crash(report, tmp_path)


@pytest.mark.orchestration
@pytest.mark.timeout(600)
@pytest.mark.parametrize("workers", [1, 2])
def test_in_tasks_of_an_orchestrator(tmp_path: Path, workers: int) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "tests.faults.documents", str(tmp_path / "outputs"), str(workers)],
        cwd=ROOT,
        env={
            **os.environ,
            "PREFECT_HOME": str(tmp_path / "prefect"),
            "PREFECT_SERVER_EPHEMERAL_STARTUP_TIMEOUT_SECONDS": "120",  # on a busy machine
        },
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    is_of_one_crash(IndexReport.model_validate_json(done.stdout), tmp_path / "outputs")


def test_the_next_run_tries_again_though_nothing_has_changed(tmp_path: Path) -> None:
    index_documents(broken_among_good(), tmp_path, Inline())
    again = index_documents(broken_among_good(), tmp_path, Inline())
    assert (again.up_to_date, again.n_crashed, again.n_extracted, again.n_reused) == (False, 1, 0, 2)
    mended = [document("b", str(doc.text)) if doc.title == "b" else doc for doc in broken_among_good()]
    right = index_documents(mended, tmp_path, Inline())
    assert (right.up_to_date, right.n_failures, right.n_extracted, right.n_reused) == (False, 0, 1, 2)
    assert ledger(tmp_path) == []
    assert index_documents(mended, tmp_path, Inline()).up_to_date


@pytest.fixture
def raising(monkeypatch: pytest.MonkeyPatch) -> dict[str, BaseException]:
    """Errors that the extractor raises at texts that hold a word."""
    errors: dict[str, BaseException] = {}
    right = OfflineExtractor.extract

    def extract(self: OfflineExtractor, doc: Document, chunks: Any) -> Any:
        for word, error in errors.items():
            if word in doc.text:
                raise error
        return right(self, doc, chunks)

    monkeypatch.setattr(OfflineExtractor, "extract", extract)
    return errors


def test_the_text_of_a_document_without_evidence_is_still_found(
    tmp_path: Path, raising: dict[str, BaseException]
) -> None:
    raising["Whitechapel"] = KeyError("\ud800")
    corpus = corpus_of(tmp_path / "corpus", a=GOOD, b="Whitechapel had no cholera that year.")
    assert index(corpus, tmp_path / "out").n_crashed == 1
    (line,) = ledger(tmp_path / "out")
    assert line["message"].startswith("KeyError at corpusgraph.flows.extraction:")
    chunks = corpusgraph.open("letters", tmp_path / "out").graph.chunks
    assert any("Whitechapel" in chunk.content for chunk in chunks)
    raising.clear()
    assert index(corpus, tmp_path / "out").n_failures == 0


@pytest.mark.parametrize(
    "error", [KeyboardInterrupt(), MemoryError(), OSError(28, "No space left on device")]
)
def test_what_concerns_the_whole_run_ends_it(
    tmp_path: Path, raising: dict[str, BaseException], error: BaseException
) -> None:
    corpus = corpus_of(tmp_path / "corpus", a=GOOD, b="Whitechapel had no cholera that year.")
    raising["Whitechapel"] = error
    with pytest.raises(type(error)):
        index(corpus, tmp_path / "out")
    raising.clear()
    assert index(corpus, tmp_path / "out").n_failures == 0


def test_an_error_while_a_file_is_read_costs_that_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    right = values.with_iso_date

    def with_iso_date(metadata: dict[str, Any]) -> Any:
        if metadata.get("date") == "never":
            message = "no date"
            raise ZeroDivisionError(message)
        return right(metadata)

    monkeypatch.setattr(loading, "with_iso_date", with_iso_date)
    corpus = corpus_of(tmp_path / "corpus", a=GOOD)
    (corpus / "rows.csv").write_text(f"id,text,date\n1,{GOOD},never\n2,{GOOD},1854\n", encoding="utf-8")
    report = index(corpus, tmp_path / "out")
    (line,) = ledger(tmp_path / "out")
    assert (line["source"], line["stage"], line["code"]) == ("rows.csv#1", "load", "unexpected_error")
    assert line["message"].startswith("ZeroDivisionError at corpusgraph.flows.load.corpus:")
    assert report.counts["documents"] == 2
    monkeypatch.undo()
    again = index(corpus, tmp_path / "out")
    assert (again.n_failures, again.counts["documents"]) == (0, 3)


def test_a_reader_that_fails_costs_its_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def read(_data: bytes, _encoding: str | None) -> list[Raw]:
        message = "list index out of range"
        raise IndexError(message)

    monkeypatch.setitem(BY_ENDING, "md", Format(("md",), read))
    corpus = corpus_of(tmp_path / "corpus", a=GOOD)
    (corpus / "b.md").write_text(GOOD, encoding="utf-8")
    report = index(corpus, tmp_path / "out")
    assert (report.counts["documents"], report.n_crashed) == (1, 1)
    assert ledger(tmp_path / "out")[0]["source"] == "b.md"


def test_the_command_line_tells_it(tmp_path: Path, raising: dict[str, BaseException]) -> None:
    raising["Whitechapel"] = IndexError("list index out of range")
    corpus = corpus_of(tmp_path / "corpus", a=GOOD, b="Whitechapel had no cholera that year.")
    index(corpus, tmp_path / "out")
    shown = command("status", "letters", "--outputs", tmp_path / "out", cwd=tmp_path)
    assert "IndexError at corpusgraph." in " ".join(shown.stdout.split())


SEEN = {
    "abbreviation": "The letter was from Mrs.\nNobody knew her.\n\nHe wrote to Mrs.",
    "no_day": "It was 29 February 1900. The next day he left for St.",
}


def test_texts_that_ended_a_run_are_read_with_all_the_others(tmp_path: Path) -> None:
    corpus = corpus_of(tmp_path / "corpus", a=GOOD, **SEEN)
    report = index(corpus, tmp_path / "out")
    opened = corpusgraph.open("letters", tmp_path / "out")
    assert sorted(doc.title for doc in opened.documents) == ["a", "abbreviation", "no_day"]
    assert "John Snow" in {entity.name for entity in opened.graph.entities}
    assert report.n_failures == len(ledger(tmp_path / "out")) == 0
