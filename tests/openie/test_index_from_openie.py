"""Indexing what was extracted elsewhere."""

import gzip
import json
from pathlib import Path
from typing import Any

import pytest

import corpusgraph
from corpusgraph.schemas.errors import CorpusgraphError, InvalidInputError
from corpusgraph.schemas.run import IndexReport

ROWS = [
    {"id": "p1", "title": "Carl Rogers", "text": "Carl Rogers was born in Oak Park."},
    {"id": "p2", "title": "Oak Park", "text": "Oak Park is in Illinois."},
    {"id": "p3", "title": "Nowhere", "text": "Nothing was extracted here."},
]
LINES: list[Any] = [
    {"id": "p1", "entities": ["Carl Rogers"], "triples": [["Carl Rogers", "born in", "Oak Park"]]},
    {
        "id": "p2",
        "entities": ["Oak Park"],
        "triples": [["Oak Park", "is in", "Illinois"], ["Oak Park", "big"]],
    },
    {"id": "p9", "entities": ["Venus"], "triples": []},
    {"entities": ["No id"]},
    {"id": "p2", "entities": "Oak Park"},
]


@pytest.fixture
def corpus(tmp_path: Path) -> Path:
    path = tmp_path / "corpus.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in ROWS), encoding="utf-8")
    return path


def findings(folder: Path, name: str = "openie.jsonl.gz") -> Path:
    text = "".join(json.dumps(line) + "\n" for line in LINES) + "{not JSON\n"
    path = folder / name
    path.write_bytes(gzip.compress(text.encode()) if name.endswith(".gz") else text.encode())
    return path


def index(corpus: Path, openie: Path | None, **more: Any) -> IndexReport:
    outputs = corpus.parent / "outputs"
    return corpusgraph.index(corpus, "made", outputs=outputs, from_openie=openie, **more)


def test_the_graph_is_that_of_the_file(corpus: Path) -> None:
    index(corpus, findings(corpus.parent))
    opened = corpusgraph.open("made", corpus.parent / "outputs")
    names = {e.id: e.name for e in opened.graph.entities}
    assert set(names.values()) == {"Carl Rogers", "Oak Park", "Illinois", "Nowhere"}  # and every title
    told = {(names[r.source_id], r.type, names[r.target_id]): r.keywords for r in opened.graph.relationships}
    assert told == {
        ("Carl Rogers", "born_in", "Oak Park"): ("born in",),
        ("Oak Park", "is_in", "Illinois"): ("is in",),
    }
    texts = {document.id: document.text for document in opened.documents}
    assert all(texts[m.document_id][m.start : m.end] == m.surface for m in opened.mentions)


def test_what_could_not_be_used_is_in_the_ledger(corpus: Path) -> None:
    report = index(corpus, findings(corpus.parent))
    told = sorted((failure.source, failure.code) for failure in report.failures)
    assert told == [
        ("openie.jsonl.gz", "no_extraction"),
        ("openie.jsonl.gz", "unknown_document"),
        ("openie.jsonl.gz#2", "malformed_triple"),
        ("openie.jsonl.gz#4", "malformed_row"),
        ("openie.jsonl.gz#5", "malformed_row"),
        ("openie.jsonl.gz#6", "malformed_row"),
    ]
    messages = " ".join(failure.message for failure in report.failures)
    assert "p9" in messages
    assert "p3" in messages


def test_the_same_file_is_up_to_date_and_a_changed_one_is_not(corpus: Path) -> None:
    path = findings(corpus.parent, "openie.jsonl")
    first = index(corpus, path)
    assert index(corpus, path).up_to_date
    path.write_text(json.dumps(LINES[0]) + "\n", encoding="utf-8")
    again = index(corpus, path)
    assert (again.up_to_date, again.generation == first.generation) == (False, False)
    assert not index(corpus, None).up_to_date


@pytest.mark.parametrize("name", ["missing.jsonl", "openie.csv"])
def test_a_file_that_is_none_is_an_error_with_a_hint(corpus: Path, name: str) -> None:
    (corpus.parent / "openie.csv").write_text("a,b\n", encoding="utf-8")
    with pytest.raises(InvalidInputError) as caught:
        index(corpus, corpus.parent / name)
    assert caught.value.hint


def test_a_damaged_file_is_a_line_of_the_ledger(corpus: Path) -> None:
    path = findings(corpus.parent)
    path.write_bytes(path.read_bytes()[:40])
    report = index(corpus, path)
    assert "malformed" in {failure.code for failure in report.failures}


def test_a_study_that_names_a_file_without_the_extractor_is_refused(corpus: Path) -> None:
    fields = {"study": "made", "corpus": {"path": str(corpus)}, "index": {"openie": "x.jsonl"}}
    study = corpus.parent / "study.yml"
    study.write_text(json.dumps(fields), encoding="utf-8")
    with pytest.raises(CorpusgraphError, match="go together"):
        corpusgraph.index(study, outputs=corpus.parent / "outputs")
