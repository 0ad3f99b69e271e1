"""Show an evaluation to a person: a table of methods, what is uncertain, what to mind."""

from rich.markup import escape

from corpusgraph.schemas.errors import shown
from corpusgraph.schemas.evaluation import EvaluationReport, Interval, MethodScores


def show_evaluation(report: EvaluationReport) -> None:
    """Show one row per method; intervals are bootstrap 95%, in percent as the shares are."""
    from pathlib import Path

    from rich.console import Console
    from rich.table import Table

    console = Console()
    names = list(report.scores[0].metrics)
    n_questions = report.scores[0].n_questions
    table = Table(title=f"{report.n_documents:,} documents, {n_questions:,} questions, {report.embedder}")
    for heading in ("method", *(name.replace("_", " ") for name in names), "ms", "p95 ms", "calls", "tokens"):
        table.add_column(heading, justify="left" if heading == "method" else "right")
    for score in report.scores:
        table.add_row(
            escape(score.method), *(_percent(score.metrics[name]) for name in names), *_costs(score)
        )
    for score in report.scores[1:]:
        cells = (_percent(score.differences[name], sign="+") for name in names)
        table.add_row(f"[dim]{escape(f'{score.method} − {score.versus}')}[/dim]", *cells, *[""] * 4)
    console.print(table)
    told = dict.fromkeys((w.code, w.message) for score in report.scores for w in score.warnings)
    for code, message in told:
        console.print(f"[yellow]{escape(message)}[/yellow] [dim]({code})[/dim]", highlight=False)
    where = escape(shown(Path(report.path)))
    console.print(f"{', '.join(report.files)} are in {where}", highlight=False, soft_wrap=True)


def _percent(at: Interval, sign: str = "") -> str:
    value, low, high = (format(100 * x, f"{sign}.1f") for x in (at.value, at.low, at.high))
    return f"{value}\n[dim]{low} to {high}[/dim]"


def _costs(score: MethodScores) -> tuple[str, str, str, str]:
    latency, usage = score.latency_ms, score.usage
    return f"{latency.median:.1f}", f"{latency.p95:.1f}", f"{usage.calls:,}", f"{usage.tokens:,}"
