"""Names of a trained recognizer come before those of rules; where it is missing the error says what to install."""

import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
import spacy
from pydantic import ValidationError

from corpusgraph.flows.annotate.offline import ReadingOptions, offline_extractor
from corpusgraph.schemas.errors import DependencyMissingError
from corpusgraph.schemas.study import IndexOptions, NameOptions
from tests.every import every
from tests.extraction.given import document

TEXT = "They met  at\nqufa hall. John Snow spoke of Delft then."


def read(base: Path, **names: Any) -> dict[str, str]:
    options = IndexOptions(annotator="rules", names=NameOptions(**names))
    told = offline_extractor(ReadingOptions.of(options, base)).extract(document(TEXT), [])
    return {m.surface: m.type for m in told.mentions}


@pytest.fixture
def pipeline(tmp_path: Path) -> Path:
    nlp = spacy.blank("en")
    ruler = nlp.add_pipe("entity_ruler")
    ruler.add_patterns(  # type: ignore[attr-defined]
        [{"label": "FAC", "pattern": "qufa hall"}, {"label": "ORG", "pattern": "Delft"}]
    )
    nlp.to_disk(tmp_path / "ner")
    return tmp_path


def test_names_of_a_spacy_pipeline_are_placed_in_the_text_as_it_is(pipeline: Path) -> None:
    assert read(pipeline, spacy="ner") == {
        "qufa hall": "place",
        "John Snow": "person",
        "Delft": "organisation",
    }


def test_labels_say_what_is_taken_and_as_what(pipeline: Path) -> None:
    assert read(pipeline, spacy="ner", labels={"FAC": "concept"})["qufa hall"] == "concept"


def test_gliner_reads_long_texts_in_pieces(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pieces = []

    class Model:
        @classmethod
        def from_pretrained(cls, folder: str, **options: Any) -> "Model":
            assert folder == str(tmp_path)
            assert options == {"local_files_only": True}
            return cls()

        def predict_entities(self, text: str, labels: list[str], *, threshold: float) -> list[dict[str, Any]]:
            pieces.append(text)
            start = text.find("Delft")
            assert "organization" in labels
            name = {"start": start, "end": start + 5, "text": "Delft", "label": "organization", "score": 0.9}
            return [name] if start >= 0 and threshold else []

    monkeypatch.setitem(sys.modules, "gliner", SimpleNamespace(GLiNER=Model))
    options = IndexOptions(annotator="rules", names=NameOptions(gliner=str(tmp_path)))
    text = "They went on and on there. " * 100 + "They spoke of Delft then."
    told = offline_extractor(ReadingOptions.of(options, tmp_path)).extract(document(text), [])
    assert [(m.surface, m.type, m.start) for m in told.mentions] == [
        ("Delft", "organisation", text.index("Delft"))
    ]
    assert len(pieces) > 1
    assert max(map(len, pieces)) <= 1200


def test_without_the_library_the_error_says_how_to_install_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "gliner", None)
    (tmp_path / "model").mkdir()
    with pytest.raises(DependencyMissingError, match="GLiNER") as missing:
        read(tmp_path, gliner="model")
    assert "pip install" in str(missing.value.hint)


def test_a_pipeline_that_is_not_there_or_recognizes_nothing_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(DependencyMissingError, match="no spaCy pipeline"):
        read(tmp_path, spacy="xx_nowhere")
    spacy.blank("en").to_disk(tmp_path / "blank")
    with pytest.raises(DependencyMissingError, match="recognizes no names"):
        read(tmp_path, spacy="blank")


@every("names", [{}, {"gliner": "a", "spacy": "b"}, {"spacy": "b", "labels": {"X": "date"}}])
def test_one_recognizer_with_known_types_is_asked_for(names: dict[str, Any]) -> None:
    with pytest.raises(ValidationError):
        NameOptions(**names)


def test_another_model_is_another_fingerprint(pipeline: Path) -> None:
    plain = offline_extractor(ReadingOptions.of(IndexOptions(annotator="rules"), pipeline))
    options = IndexOptions(annotator="rules", names=NameOptions(spacy="ner"))
    assert offline_extractor(ReadingOptions.of(options, pipeline)).fingerprint != plain.fingerprint
