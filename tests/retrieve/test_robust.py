"""What `ask` and `evaluate` rank, and questions and corpora that are not like the ones methods are tuned on."""

import json
from collections.abc import Sequence
from pathlib import Path

import pytest

from corpusgraph.flows import api
from corpusgraph.flows.engine import Inline
from corpusgraph.flows.evaluate import Evaluation, document_ids, evaluate, index_whole, study_of
from corpusgraph.flows.progress import Silent
from corpusgraph.schemas.settings import Settings

PASSAGES = {
    "snow": ("John Snow", "John Snow was a physician in London. He mapped the cholera deaths of 1854."),
    "soho": ("Soho", "Soho is a part of London. The pump in Broad Street stood there."),
    "farr": ("William Farr", "William Farr counted the deaths of London for the Registrar General."),
    "pump": (
        "Broad Street pump",
        "The Broad Street pump gave water to Soho. John Snow had its handle removed.",
    ),
    "york": ("York", "York is a city in England. John Snow was born there in 1813."),
}
QUESTIONS = [
    ("Where was the man born who mapped cholera in London?", ["snow", "york"]),
    ("Who counted the deaths in the city where John Snow worked?", ["farr"]),
    ("Which street pump had its handle removed?", ["pump"]),
]
TOP = 5


def written(folder: Path, rows: Sequence[dict[str, object]]) -> Evaluation:
    """Write a corpus beside the questions, and return what evaluates it."""
    asked = [{"question": text, "gold": gold} for text, gold in QUESTIONS]
    for name, lines in (("corpus.jsonl", rows), ("queries.jsonl", asked)):
        (folder / name).write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    return Evaluation(folder / "corpus.jsonl", folder / "queries.jsonl", k=(1, TOP))


def titled() -> list[dict[str, object]]:
    return [{"id": id_, "title": title, "text": text} for id_, (title, text) in PASSAGES.items()]


def indexed(folder: Path, rows: Sequence[dict[str, object]]) -> tuple[str, Path]:
    """Index a corpus as `evaluate` does; return the index's name and the outputs."""
    study = study_of(written(folder, rows))
    index_whole(study, Settings(outputs=folder / "outputs"), Inline(), Silent())
    return study.study, folder / "outputs"


def ranked(question: str, index: tuple[str, Path], method: str = "default") -> list[str]:
    """Return the ids that `ask` ranks."""
    found = api.ask(question, index[0], method=method, top_k=TOP, outputs=index[1])
    ids = document_ids(api.open(*index))
    return [ids[scored.item.source_doc] for scored in found.passages]


@pytest.mark.parametrize("method", ["default", "bm25", "hipporag2"])
def test_asking_and_evaluating_rank_equally(method: str, tmp_path: Path) -> None:
    asked = written(tmp_path, titled())
    asked = Evaluation(asked.corpus, asked.queries, (method,), asked.k)
    settings = Settings(outputs=tmp_path / "outputs")
    report = evaluate(asked, settings=settings, engine=Inline(), progress=Silent())
    index = (report.index, tmp_path / "outputs")
    recalls = []
    for question, gold in QUESTIONS:
        passages = ranked(question, index, method)
        assert passages
        recalls.append([len(set(passages[:k]) & set(gold)) / len(gold) for k in (1, TOP)])
    told = [report.scores[0].metrics[f"recall@{k}"].value for k in (1, TOP)]
    assert told == pytest.approx(
        [sum(column) / len(recalls) for column in zip(*recalls, strict=True)], abs=1e-6
    )


def test_documents_without_titles_are_found(tmp_path: Path) -> None:
    index = indexed(tmp_path, [{"id": id_, "text": text} for id_, (_, text) in PASSAGES.items()])
    assert ranked("Where was John Snow born?", index)[0] == "york"


def test_one_document_is_found_by_whatever_it_says(tmp_path: Path) -> None:
    index = indexed(tmp_path, [{"id": "all", "text": " ".join(text for _, text in PASSAGES.values())}])
    assert ranked("Where was John Snow born?", index) == ["all"]
    assert ranked("What gave water?", index) == ["all"]


def test_copies_of_a_passage_rank_together_and_do_not_hide_the_rest(tmp_path: Path) -> None:
    copies = [{**titled()[0], "id": f"copy{i}"} for i in range(2)]
    found = ranked("Where was John Snow born?", indexed(tmp_path, [*titled(), *copies]))
    assert "york" in found[:2]


@pytest.mark.parametrize(
    "question",
    ["Wo wurde John Snow geboren?", "John Snow 在哪里出生？", "John Snow sinh ra ở đâu?"],
    ids=["German", "Chinese", "Vietnamese"],
)
def test_a_question_in_another_language_is_led_by_its_names(question: str, tmp_path: Path) -> None:
    found = ranked(question, indexed(tmp_path, titled()))
    assert set(found[:3]) == {"snow", "pump", "york"}


@pytest.mark.parametrize("question", ["Who?", "What is it that they did there?", "¿?", "谁？"])
def test_a_question_of_question_words_alone_finds_nothing_and_says_so(question: str, tmp_path: Path) -> None:
    index = indexed(tmp_path, titled())
    found = api.ask(question, index[0], outputs=index[1])
    assert (found.supported, found.passages, found.citations) == (False, (), ())
    assert "lean_graph" in {warning.code for warning in found.warnings}
