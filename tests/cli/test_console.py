"""What a person sees is what the corpus says: square brackets are text, never markup."""

import pytest

from corpusgraph.flows.cli import console
from corpusgraph.schemas.answer import Answer, Citation
from corpusgraph.schemas.documents import Failure
from corpusgraph.schemas.run import IndexReport


def test_brackets_of_an_answer_and_its_source_are_shown(capsys: pytest.CaptureFixture[str]) -> None:
    said = "The physican [sic] wrote [/b] so."
    cited = Citation(
        text=said, chunk_id="chk_1", document_id="doc_1", document_title="Notes [draft]", start=0, end=9
    )
    console.show_answer(
        Answer(query="Who?", text=said, method="extractive", citations=(cited,), supported=True)
    )
    shown = capsys.readouterr().out
    assert said in shown
    assert "[1] Notes [draft], characters 0 to 9" in shown


def test_brackets_of_a_failed_file_are_shown(capsys: pytest.CaptureFixture[str]) -> None:
    failure = Failure(
        source="scan [red]/a[/b].png", stage="load", code="unsupported_kind", message="not [x] read"
    )
    report = IndexReport(
        index="a",
        generation="gen_1",
        engine="inline",
        counts={},
        up_to_date=True,
        path="out [1]/a",
        n_failures=1,
        failures=(failure,),
    )
    console.show_index(report)
    shown = capsys.readouterr().out
    assert "scan [red]/a[/b].png: not [x] read" in shown
    assert "out [1]/a/failures.jsonl" in shown
