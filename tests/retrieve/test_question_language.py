"""A question in another language than the index's documents says so."""

from pathlib import Path

import pytest

from corpusgraph.flows import api
from corpusgraph.schemas.study import Study
from tests.conftest import write_corpus


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    home = tmp_path_factory.mktemp("languages")
    corpus = write_corpus(home / "corpus")
    (corpus / "zahl.txt").write_text("1854", encoding="utf-8")
    study = Study.model_validate({"study": "tiny", "corpus": {"path": str(corpus)}})
    report = api.index(study, outputs=home)
    assert report.languages == {"en": 3, "und": 1}
    again = api.index(study, outputs=home)
    assert (again.up_to_date, again.languages) == (True, {"en": 3, "und": 1})
    return home


def warnings(question: str, home: Path) -> list[tuple[str, tuple[str, ...]]]:
    answer = api.ask(question, "tiny", outputs=home)
    return [(w.code, w.records) for w in answer.warnings if w.code == "question_language"]


def test_a_question_in_another_language_is_told(home: Path) -> None:
    assert warnings("Qui a enlevé la poignée de la pompe ?", home) == [("question_language", ("fr", "en"))]
    answer = api.ask("Wer entfernte den Schwengel der Pumpe?", "tiny", outputs=home)
    (message,) = [w.message for w in answer.warnings if w.code == "question_language"]
    assert "German" in message
    assert "English 3" in message


@pytest.mark.parametrize("question", ["Who removed the handle of the pump?", "Snow", "1854?"])
def test_a_question_in_the_documents_language_or_in_none_is_not(home: Path, question: str) -> None:
    assert warnings(question, home) == []
