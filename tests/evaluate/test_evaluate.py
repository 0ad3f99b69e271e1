"""`corpusgraph evaluate` from files to figures, and what it says to bad ones."""

import gzip
import json
from pathlib import Path
from typing import Any

import polars as pl
import pytest

import corpusgraph as cg
from corpusgraph.flows import evaluate as flow
from corpusgraph.flows.load.questions import read_questions
from corpusgraph.schemas.errors import CorpusgraphError
from corpusgraph.schemas.run import EvaluationReport
from tests.commands import corpusgraph

PASSAGES = [
    ("p1", "John Snow", "John Snow was a physician in London. He traced cholera to a pump in Broad Street."),
    (
        "p2",
        "Broad Street pump",
        "The Broad Street pump stood in Soho. John Snow had its handle removed in 1854.",
    ),
    (
        "p3",
        "William Farr",
        "William Farr was a statistician. He worked for the General Register Office in London.",
    ),
    (
        "p4",
        "Joseph Bazalgette",
        "Joseph Bazalgette was an engineer. He built the sewers of London after 1858.",
    ),
    ("p5", "Long one", "Edwin Chadwick wrote a report. " + "The report was long and full of figures. " * 400),
]
QUESTIONS: list[dict[str, Any]] = [
    {"id": "q1", "question": "Who built the sewers of London?", "answer": "Joseph Bazalgette", "gold": ["p4"]},
    {"id": "q2", "question": "Where did William Farr work?", "answer": "General Register Office", "aliases": ["GRO"], "gold": ["p3"]},
    {"id": "q3", "question": "What did John Snow have removed?", "gold": ["p1", "p2"]},
]  # fmt: skip


def lines(path: Path, rows: list[dict[str, Any]]) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    with gzip.open(path, "wt", encoding="utf-8") as file:
        file.writelines(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)
    return path


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("sets")
    lines(folder / "small" / "corpus.jsonl.gz", [{"id": i, "title": t, "text": x} for i, t, x in PASSAGES])
    lines(folder / "small" / "queries.jsonl.gz", QUESTIONS)
    return folder


@pytest.fixture(scope="module")
def report(home: Path) -> EvaluationReport:
    return evaluate(home)


def evaluate(home: Path, **more: Any) -> EvaluationReport:
    files = {"corpus": home / "small" / "corpus.jsonl.gz", "queries": home / "small" / "queries.jsonl.gz"}
    return cg.evaluate(**{**files, "outputs": home / "out", **more})


def test_recalls_are_those_of_the_ranks_written(report: EvaluationReport) -> None:
    rows = pl.read_parquet(Path(report.path) / "results.parquet")
    assert rows["question_id"].to_list() == ["q1", "q2", "q3"]
    for row in rows.iter_rows(named=True):
        for k in (2, 5):
            share = len(set(row["gold"]) & set(row["ranked"][:k])) / len(row["gold"])
            assert row[f"recall@{k}"] == pytest.approx(share)
    told = report.records()[0]
    assert told["recall@2"] == pytest.approx(rows["recall@2"].mean())
    assert told["recall@5"] == 1.0  # five documents
    assert told["recall@2_interval"][0] <= told["recall@2"] <= told["recall@2_interval"][1]


def test_a_document_is_one_chunk_however_long(home: Path, report: EvaluationReport) -> None:
    opened = cg.open(report.index, home / "out")
    assert len(opened.documents) == len(opened.graph.chunks) == report.n_documents == len(PASSAGES)
    assert all(chunk.content == doc.text.strip() for chunk in opened.graph.chunks for doc in opened.documents if chunk.source_doc == doc.id)  # fmt: skip


def test_answers_are_scored_where_they_are_known(report: EvaluationReport) -> None:
    told = report.records()[0]
    assert (told["n_questions"], told["n_answers"]) == (3, 2)
    rows = pl.read_parquet(Path(report.path) / "results.parquet").filter(
        pl.col("right_answers").list.len() > 0
    )
    held = [any(a in row["answer"] for a in row["right_answers"]) for row in rows.iter_rows(named=True)]
    assert told["answer_contains"] == sum(held) / 2 > 0
    assert (told["tokens"], told["calls"], told["cost"]) == (0, 0, 0.0)


def test_files_open_in_other_programs(report: EvaluationReport) -> None:
    folder = Path(report.path)
    assert {path.name for path in folder.iterdir()} == set(report.files)
    assert (folder / "plot.png").read_bytes().startswith(b"\x89PNG")
    assert "recall@5" in (folder / "plot.svg").read_text()
    summary = pl.read_csv(folder / "summary.csv")
    assert set(summary["metric"]) == set(report.scores[0].metrics)
    assert json.loads((folder / "summary.json").read_text())["scores"][0]["method"] == "default"


def test_an_unchanged_corpus_is_not_indexed_again_and_scores_the_same(
    home: Path, report: EvaluationReport
) -> None:
    again = evaluate(home)
    assert (again.index, again.generation) == (report.index, report.generation)
    assert again.scores[0].metrics == report.scores[0].metrics


def test_other_content_is_another_index(home: Path, tmp_path: Path, report: EvaluationReport) -> None:
    rows = [{"id": i, "title": t, "text": x} for i, t, x in PASSAGES[:4]]
    other = flow.Evaluation(lines(tmp_path / "small" / "corpus.jsonl.gz", rows), home)
    assert flow.study_of(other).study != report.index
    assert flow.study_of(other).study.startswith("eval-small-")


def test_the_command_prints_one_object_a_method(home: Path, report: EvaluationReport) -> None:
    ran = corpusgraph("evaluate", "--corpus", "small/corpus.jsonl.gz", "--queries", "small/queries.jsonl.gz", "--outputs", "out", "--k", "1,2", "--limit", "2", "--json", cwd=home)  # fmt: skip
    assert ran.returncode == 0, ran.stderr
    told = json.loads(ran.stdout)
    assert told["method"] == "default"
    assert {"recall@1", "recall@2", "tokens", "calls", "cost", "latency_ms", "warnings"} <= told.keys()
    assert told["n_questions"] == 2
    assert told["index"] == report.index


def test_the_command_shows_a_person_a_table(home: Path, report: EvaluationReport) -> None:
    ran = corpusgraph("evaluate", "--corpus", "small/corpus.jsonl.gz", "--queries", "small/queries.jsonl.gz", "--outputs", "out", "--quiet", cwd=home)  # fmt: skip
    assert ran.returncode == 0, ran.stderr
    assert "default" in ran.stdout
    assert report.index in ran.stdout


def test_methods_are_compared_with_the_first_question_by_question(home: Path) -> None:
    found = evaluate(home, methods=("default", "bm25"))
    first, second = found.records()
    assert "difference" not in first
    assert second["difference"]["versus"] == "default"
    rows = pl.read_parquet(Path(found.path) / "results.parquet")
    shares = {
        name: group["recall@2"].to_list() for (name,), group in rows.group_by("method", maintain_order=True)
    }
    differences = [theirs - ours for theirs, ours in zip(shares["bm25"], shares["default"], strict=True)]
    assert second["difference"]["recall@2"]["value"] == pytest.approx(sum(differences) / 3)


def test_gold_that_is_no_document_is_told_and_counts_as_missed(home: Path, tmp_path: Path) -> None:
    queries = lines(tmp_path / "q.jsonl.gz", [{**QUESTIONS[0], "gold": ["p4", "p99"]}])
    (scores,) = evaluate(home, queries=queries).scores
    assert [(w.code, w.records) for w in scores.warnings] == [("unknown_gold", ("p99",))]
    assert scores.metrics["recall@5"].value == 0.5


def test_questions_without_gold_are_left_out_and_told(home: Path, tmp_path: Path) -> None:
    queries = lines(tmp_path / "q.jsonl.gz", [QUESTIONS[0], {"id": "bare", "question": "Why?"}])
    (scores,) = evaluate(home, queries=queries).scores
    assert scores.n_questions == 1
    assert [(w.code, w.records) for w in scores.warnings] == [("no_gold", ("bare",))]


def test_a_bad_line_of_the_corpus_is_told_with_its_number(tmp_path: Path) -> None:
    corpus = tmp_path / "odd.jsonl"
    rows = [json.dumps({"id": i, "title": t, "text": x}) for i, t, x in PASSAGES[:3]]
    corpus.write_text("\n".join([rows[0], "{not json", *rows[1:]]))
    queries = lines(tmp_path / "q.jsonl.gz", [QUESTIONS[1]])
    (scores,) = cg.evaluate(corpus, queries, outputs=tmp_path / "out").scores
    (warning,) = scores.warnings
    assert warning.code == "corpus_failures"
    assert "line 2" in warning.message


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("", "empty|no questions"),
        ('{"question": "Who?", "gold": ["a"]}\n{oops', "line 2"),
        ('{"question": "Who?", "gold": ["a"]}\n[1]', "line 2"),
        ('{"question": "Who?"}', "None of the 1 questions"),
        ('{"question": "Who?", "golds": ["a"]}', "'gold'|'golds'"),
        ('{"question": "  ", "gold": ["a"]}', "line 1"),
        ('{"questoin": "Who?", "gold": ["a"]}', "questoin"),
        ('{"question": "Who?", "gold": [{"a": 1}]}', "line 1: `gold`"),
        ('{"id": 1, "question": "A?", "gold": ["a"]}\n{"id": 1, "question": "B?", "gold": ["a"]}', "'1'"),
    ],
)
def test_a_bad_file_of_questions_is_one_clear_error(tmp_path: Path, content: str, message: str) -> None:
    queries = tmp_path / "q.jsonl"
    queries.write_text(content)
    with pytest.raises(CorpusgraphError, match=message) as caught:
        read_questions(queries)
    assert caught.value.code == "invalid_input"


def test_a_broken_archive_is_one_clear_error(tmp_path: Path) -> None:
    queries = tmp_path / "q.jsonl.gz"
    queries.write_bytes(gzip.compress(b'{"question": "Who?", "gold": ["a"]}\n' * 50)[:-20])
    with pytest.raises(CorpusgraphError, match="gzip"):
        read_questions(queries)


@pytest.mark.parametrize(
    ("more", "message"),
    [
        ({"k": (0, 5)}, "k is 0,5"),
        ({"k": ()}, "k is"),
        ({"k": (2, 2)}, "twice"),
        ({"limit": 0}, "limit"),
        ({"methods": "defualt"}, "defualt"),
        ({"methods": ()}, "No method"),
        ({"embedder": "word2vec"}, "embedder"),
        ({"corpus": Path("absent.jsonl.gz")}, "No corpus file"),
        ({"queries": Path("absent.jsonl.gz")}, "No file of questions"),
    ],
)
def test_bad_input_is_told_before_anything_is_indexed(
    home: Path, tmp_path: Path, more: dict[str, Any], message: str
) -> None:
    with pytest.raises(CorpusgraphError, match=message):
        evaluate(home, outputs=tmp_path / "fresh", **more)
    assert not (tmp_path / "fresh").exists()


def test_a_corpus_without_ids_is_refused(tmp_path: Path) -> None:
    corpus = lines(tmp_path / "c.jsonl.gz", [{"text": text} for _, _, text in PASSAGES[:2]])
    queries = lines(tmp_path / "q.jsonl.gz", QUESTIONS)
    with pytest.raises(CorpusgraphError, match="no ids"):
        cg.evaluate(corpus, queries, outputs=tmp_path / "out")


def test_the_command_refuses_ranks_that_are_no_numbers(home: Path) -> None:
    ran = corpusgraph("evaluate", "--corpus", "small/corpus.jsonl.gz", "--queries", "small/queries.jsonl.gz", "--k", "two", "--json", cwd=home)  # fmt: skip
    assert ran.returncode == 2
    assert json.loads(ran.stdout)["error"]["code"] == "invalid_input"
    assert "Traceback" not in ran.stderr


@pytest.mark.parametrize(
    ("row", "hops"),
    [
        ({"hops": 3}, 3),
        ({"decomposition": ["a", "b"]}, 2),
        ({"type": "4hop1"}, 4),
        ({"id": "2hop__1_2"}, 2),
        ({"type": "bridge"}, None),
    ],
)
def test_hops_are_read_where_the_file_tells(tmp_path: Path, row: dict[str, Any], hops: int | None) -> None:
    queries = lines(tmp_path / "q.jsonl.gz", [{"id": "q", "question": "Who?", "gold": ["p1"], **row}])
    ((question,), _) = read_questions(queries)
    assert (question.hops, question.type) == (hops, row.get("type"))


def test_a_method_without_a_graph_is_not_told_that_the_graph_is_lean(home: Path) -> None:
    (scores,) = evaluate(home, methods=("bm25",)).scores
    assert not scores.warnings
