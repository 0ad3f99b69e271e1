"""When, and what happened then: the sentence whose dated event says it comes first."""

import shutil
from pathlib import Path

import pytest

import corpusgraph as cg

OPENED = "The Harwick lighthouse was opened on 3 May 1788 by Anna Brandt."
TALK = (
    "The keepers of 1851 liked to ask when the Harwick lighthouse opened, and opened the lighthouse ledger."
)
BURNT = "The mill of Oldbury burnt down in 1823."
TEXTS = {
    "harbour": f"Ships pass the cape at night. {OPENED} Its lamp was seen from afar.",
    "keepers": f"{TALK} Nobody in Harwick knew when the lighthouse opened.",
    "mill": f"Corn was ground at the river. {BURNT} It stood on a hill.",
}


@pytest.fixture(scope="module")
def outputs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("texts")
    for name, text in TEXTS.items():
        (folder / f"{name}.txt").write_text(text, encoding="utf-8")
    cg.index(folder, "cape", outputs=folder / "out")
    return folder / "out"


def first(query: str, outputs: Path) -> str:
    return cg.ask(query, "cape", outputs=outputs).citations[0].text


def test_the_sentence_of_the_event_comes_before_one_of_more_shared_words(outputs: Path) -> None:
    assert first("When was the Harwick lighthouse opened?", outputs) == OPENED


@pytest.mark.parametrize(("time", "wanted"), [("May 1788", OPENED), ("1788", OPENED), ("1823", BURNT)])
def test_a_time_finds_what_happened_then(time: str, wanted: str, outputs: Path) -> None:
    assert first(f"What happened in {time}?", outputs) == wanted


def test_an_index_without_the_file_of_events_answers_alike(outputs: Path, tmp_path: Path) -> None:
    shutil.copytree(outputs, older := tmp_path / "older")
    (kept,) = older.glob("cape/compiled/*/events.arrow")
    kept.unlink()
    query = "When was the Harwick lighthouse opened?"
    said, before = (cg.ask(query, "cape", outputs=folder).citations for folder in (outputs, older))
    assert said == before
