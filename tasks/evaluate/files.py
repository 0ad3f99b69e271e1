"""What an evaluation leaves behind: a row per method and question, a summary, and a plot."""

import csv
import io
from collections.abc import Mapping, Sequence
from typing import Any

from corpusgraph.schemas.base import JsonDict
from corpusgraph.schemas.run import EvaluationReport, GroupScores, MethodScores, Outcome
from corpusgraph.tasks.evaluate.scores import ANSWER_METRICS
from corpusgraph.tasks.export.files import json_bytes

Outcomes = Mapping[str, Sequence[Outcome]]
"""Method -> its outcomes, question by question."""


def evaluation_files(report: EvaluationReport, outcomes: Outcomes) -> dict[str, bytes]:
    """Return results.parquet, summary.csv, summary.json, plot.png and plot.svg.

    Parameters
    ----------
    report : EvaluationReport
        Scores by method.
    outcomes : mapping of str to sequence of Outcome
        Method -> its outcomes, question by question.

    Returns
    -------
    dict of str to bytes
        Name of a file -> its content.

    """
    return {
        "results.parquet": results_parquet(outcomes),
        "summary.csv": summary_csv(report.scores),
        "summary.json": json_bytes(report.model_dump(mode="json", exclude={"path", "files"})),
        **plots(report),
    }


def results_parquet(outcomes: Outcomes) -> bytes:
    """Write one row per method and question: ranked ids, recalls, time, usage, answer and its scores.

    Parameters
    ----------
    outcomes : mapping of str to sequence of Outcome
        Method -> its outcomes, question by question.

    Returns
    -------
    bytes
        A Parquet file.

    """
    import pyarrow as pa
    import pyarrow.parquet as pq

    rows = [_row(method, outcome) for method, found in outcomes.items() for outcome in found]
    data = io.BytesIO()
    table = pa.Table.from_pylist(rows)
    blank = {
        "error": pa.string(),
        "type": pa.string(),
        "hops": pa.int64(),
        **dict.fromkeys(ANSWER_METRICS, pa.float64()),
    }  # all None tells no type
    fields = [pa.field(f.name, blank.get(f.name, f.type)) for f in table.schema]
    pq.write_table(table.cast(pa.schema(fields)), data)
    return data.getvalue()


def _row(method: str, outcome: Outcome) -> JsonDict:
    question, usage = outcome.question, outcome.usage
    return {
        "method": method,
        "question_id": question.id,
        "question": question.question,
        "type": question.type,
        "hops": question.hops,
        "gold": list(question.gold),
        "ranked": list(outcome.ranked),
        **{f"recall@{k}": share for k, share in outcome.recall.items()},
        "latency_ms": outcome.milliseconds,
        "tokens": usage.tokens,
        "calls": usage.calls,
        "cost": usage.cost,
        "answer": outcome.answer,
        "right_answers": list(question.answers),
        **dict.fromkeys(ANSWER_METRICS),
        **(outcome.answer_scores or {}),
        "error": outcome.error,
        "warnings": list(outcome.warnings),
    }


def summary_csv(scores: Sequence[MethodScores]) -> bytes:
    """Write one line per method, group and metric, differences from the first method among them.

    `group` is blank for all questions, else a type or number of hops.

    Parameters
    ----------
    scores : sequence of MethodScores
        By method, the first being what others are compared with.

    Returns
    -------
    bytes
        UTF-8.

    """
    sheet = io.StringIO()
    writer = csv.writer(sheet, lineterminator="\n")
    writer.writerow(("method", "metric", "versus", "value", "low", "high", "n_questions", "group"))
    for score in scores:
        for versus, found in (("", score.metrics), (score.versus or "", score.differences)):
            for name, at in found.items():
                writer.writerow(
                    (score.method, name, versus, at.value, at.low, at.high, _counted(score, name), "")
                )
        for group in score.groups:
            for name, at in group.metrics.items():
                row = (score.method, name, "", at.value, at.low, at.high, _counted(group, name), group.group)
                writer.writerow(row)
    return sheet.getvalue().encode()


def _counted(scores: MethodScores | GroupScores, metric: str) -> int:
    """Return over how many questions a metric is averaged."""
    return scores.n_answers if metric.startswith("answer_") else scores.n_questions


def plots(report: EvaluationReport) -> dict[str, bytes]:
    """Draw recall by method with its 95% intervals, as PNG and SVG; needs no display.

    Parameters
    ----------
    report : EvaluationReport
        With at least one method.

    Returns
    -------
    dict of str to bytes
        plot.png and plot.svg.

    """
    import matplotlib as mpl
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    with mpl.rc_context({"svg.hashsalt": "corpusgraph", "svg.fonttype": "none"}):
        figure = Figure(figsize=(7, 1.4 + 0.55 * len(report.scores)), layout="constrained")
        FigureCanvasAgg(figure)
        _draw(figure.subplots(), report)
        files = {}
        for kind, metadata in (("png", {"Software": None}), ("svg", {"Date": None})):
            data = io.BytesIO()
            figure.savefig(data, format=kind, dpi=150, metadata=metadata)
            files[f"plot.{kind}"] = data.getvalue()
    return files


def _draw(axes: Any, report: EvaluationReport) -> None:
    """Draw a point with its interval for each method and k, methods from top to bottom."""
    for number, k in enumerate(report.k):
        found = [score.metrics[f"recall@{k}"] for score in report.scores]
        apart = 0.5 * ((number + 0.5) / len(report.k) - 0.5)
        below = [at.value - at.low for at in found]
        above = [at.high - at.value for at in found]
        axes.errorbar(
            [at.value for at in found],
            [row + apart for row in range(len(found))],
            xerr=[[max(0.0, d) for d in below], [max(0.0, d) for d in above]],
            fmt="o",
            capsize=3,
            label=f"recall@{k}",
        )
    axes.set_yticks(range(len(report.scores)), [score.method for score in report.scores])
    axes.set_ylim(len(report.scores) - 0.5, -0.5)
    axes.set_xlim(0, 1)
    axes.grid(axis="x", alpha=0.3)
    n = report.scores[0].n_questions
    axes.set_xlabel(f"share of gold documents found; bootstrap 95% interval over {n} questions")
    axes.legend(loc="center left", bbox_to_anchor=(1, 0.5), frameon=False)
