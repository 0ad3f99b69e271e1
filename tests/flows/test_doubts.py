"""What an extractor doubts is kept as evidence and makes no relationship, unless a study says otherwise."""

from pathlib import Path
from typing import Any

import pytest

from corpusgraph.flows import api
from corpusgraph.tasks.extract.offline import OfflineExtractor

SURE, DOUBTED = "Heavy rain caused floods.", "Old quarrels caused the war."


@pytest.fixture
def outputs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    extract = OfflineExtractor.extract

    def doubting(self: OfflineExtractor, *given: Any) -> Any:
        evidence = extract(self, *given)
        assertions = [
            a.model_copy(update={"doubtful": True, "confidence": 0.5}) if a.description == DOUBTED else a
            for a in evidence.assertions
        ]
        return evidence.model_copy(update={"assertions": tuple(assertions)})

    monkeypatch.setattr(OfflineExtractor, "extract", doubting)
    (tmp_path / "corpus").mkdir()
    (tmp_path / "corpus" / "a.txt").write_text(f"{SURE} {DOUBTED}", encoding="utf-8")
    (tmp_path / "all.yml").write_text(
        "study: all\ncorpus: {path: corpus}\nindex: {min_confidence: 0.3}\n", encoding="utf-8"
    )
    return tmp_path / "outputs"


def stated(name: str, outputs: Path) -> tuple[set[str], set[str]]:
    index = api.open(name, outputs)
    causes = {a.description for a in index.assertions if a.type == "causes" and index.relationship_of(a.id)}
    return causes, {entity.name.casefold() for entity in index.graph.entities}


def test_a_doubtful_relation_and_what_it_alone_names_are_in_no_graph(outputs: Path) -> None:
    api.index(outputs.parent / "corpus", outputs=outputs)
    causes, names = stated("corpus", outputs)
    assert causes == {SURE}
    assert {"heavy rain", "floods"} <= names
    assert not {"old quarrels", "war"} & names


def test_a_study_that_says_how_sure_takes_it(outputs: Path) -> None:
    api.run(outputs.parent / "all.yml", outputs=outputs)
    causes, names = stated("all", outputs)
    assert causes == {SURE, DOUBTED}
    assert {"heavy rain", "floods", "old quarrels", "war"} <= names


def test_what_several_sentences_state_is_sure_though_none_of_them_is(outputs: Path) -> None:
    for name in ("b", "c"):
        (outputs.parent / "corpus" / f"{name}.txt").write_text(DOUBTED, encoding="utf-8")
    api.index(outputs.parent / "corpus", outputs=outputs)
    causes, names = stated("corpus", outputs)
    assert causes == {SURE, DOUBTED}
    assert {"old quarrels", "war"} <= names
