"""The table of an evaluation on a terminal: one line per method, whatever the width."""

import pytest

from corpusgraph.flows.cli.console import show_evaluation
from corpusgraph.schemas.llm import Usage
from corpusgraph.schemas.results import ToolWarning
from corpusgraph.schemas.run import EvaluationReport, Interval, Latency, MethodScores

WIDE = Interval(value=0.9, low=0.775, high=1.0)
LESS = Interval(value=-0.125, low=-0.25, high=-0.025)
LEAN = ToolWarning(code="lean_graph", message="2 of 20 questions, as: The graph has little to say.")
ALL = ToolWarning(code="unknown_gold", message="1 gold ids are no document.")


def report(methods: tuple[str, ...], metrics: tuple[str, ...]) -> EvaluationReport:
    scores = [
        MethodScores(
            method=name,
            metrics=dict.fromkeys(metrics, WIDE),
            n_questions=20,
            usage=Usage(),
            latency_ms=Latency(mean=1, median=12.4, p95=55, first=100),
            versus=methods[0] if at else None,
            differences=dict.fromkeys(metrics, LESS) if at else {},
            warnings=(ALL, LEAN) if at == 1 else (ALL,),
        )
        for at, name in enumerate(methods)
    ]
    return EvaluationReport(
        index="i",
        generation="g",
        embedder="hashing-512-v2",
        n_documents=994,
        k=(2, 5),
        scores=tuple(scores),
        path="outputs/i",
        files=("plot.png",),
    )


def printed(
    told: EvaluationReport, width: int, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> str:
    monkeypatch.setenv("COLUMNS", str(width))
    show_evaluation(told)
    return capsys.readouterr().out


METRICS = ("recall@2", "recall@5", "answer_contains", "answer_f1")


@pytest.mark.parametrize("width", [60, 80, 120])
def test_no_line_is_wider_than_the_terminal_and_no_cell_is_broken(
    width: int, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    shown = printed(report(("default", "bm25", "hipporag"), METRICS), width, capsys, monkeypatch)
    table = shown.split("unknown_gold")[0]
    assert all(len(line) <= width for line in table.splitlines())
    assert table.count("90.0 [77.5, 100.0]") == 3 * len(METRICS)
    assert table.count("-12.5 [-25.0, -2.5]") == 2 * len(METRICS)


def test_two_recalls_and_the_times_stand_side_by_side_at_80_columns(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    shown = printed(report(("default", "bm25"), METRICS), 80, capsys, monkeypatch)
    lines = [line.split("  ") for line in shown.splitlines() if line.startswith("default ")]
    assert [[cell.strip() for cell in line if cell.strip()] for line in lines] == [
        ["default", "90.0 [77.5, 100.0]", "90.0 [77.5, 100.0]", "12", "55"],
        ["default", "90.0 [77.5, 100.0]", "90.0 [77.5, 100.0]"],
    ]


def test_a_warning_of_one_method_names_it_and_one_of_all_is_told_once(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    shown = printed(report(("default", "bm25"), ("recall@2",)), 120, capsys, monkeypatch)
    assert "bm25: 2 of 20 questions, as: The graph has little to say. (lean_graph)" in shown
    assert shown.count("unknown_gold") == 1
    assert "default: " not in shown


def test_a_long_path_is_cut_in_its_middle(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    told = report(("default", "folder/of/methods/of/mine/careful.yml"), ("recall@2", "recall@5"))
    shown = printed(told, 80, capsys, monkeypatch)
    assert "folder/of/me…e/careful.yml" in shown
    assert all(len(line) <= 80 for line in shown.splitlines())
