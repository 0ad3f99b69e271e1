"""Show an evaluation to a person: a line per method, what is uncertain, what to mind."""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from rich.cells import cell_len
from rich.markup import escape

from corpusgraph.schemas.errors import shown
from corpusgraph.schemas.run import EvaluationReport, Interval

if TYPE_CHECKING:
    from rich.console import Console

Columns = list[tuple[str, list[str]]]
"""Heading and a cell for each line."""
GAP = 2
NAME_WIDTH = 26
"""A longer name of a method (the path of a file) is cut in its middle."""


def show_evaluation(report: EvaluationReport) -> None:
    """Show one line per method; intervals are bootstrap 95%, in percent as the shares are.

    Columns that do not fit beside the others are shown below them: no cell is broken.
    """
    from rich.console import Console

    console = Console()
    n_questions = report.scores[0].n_questions
    told = f"{report.n_documents:,} documents, {n_questions:,} questions, {report.embedder}"
    console.print(escape(f"{told}: percent [95% interval]"), highlight=False)
    names, columns = _lines(report)
    for some in _side_by_side(columns, console.width - max(map(cell_len, names)) - GAP):
        console.print()
        _show(console, names, some)
    console.print()
    for told in _warnings(report):
        console.print(told, highlight=False)
    where = escape(shown(Path(report.path)))
    console.print(f"{', '.join(report.files)} are in {where}", highlight=False, soft_wrap=True)


def _lines(report: EvaluationReport) -> tuple[list[str], Columns]:
    """Return the name of each line and the columns: methods, then what they differ by from the first."""
    first, *others = scores = report.scores
    names = [_short(score.method) for score in scores]
    names += [f"{_short(score.method)} − {_short(first.method)}" for score in others]
    if max(map(cell_len, names)) > NAME_WIDTH:  # the lines below those of the methods are in the same order
        names[len(scores) :] = [f"− {_short(first.method)}: {_short(score.method)}" for score in others]
        names[len(scores) :] = [_short(name) for name in names[len(scores) :]]
    found: dict[str, Columns] = {"recall": [], "answer": []}
    for metric in first.metrics:
        cells = [_percent(score.metrics[metric]) for score in scores]
        cells += [_percent(score.differences[metric], sign="+") for score in others]
        kind = "answer" if metric.startswith("answer") else "recall"
        found[kind].append((metric.replace("_", " "), cells))
    costs = {
        "ms": [f"{score.latency_ms.median:.0f}" for score in scores],
        "p95": [f"{score.latency_ms.p95:.0f}" for score in scores],
        "calls": [f"{score.usage.calls:,}" for score in scores],
        "tokens": [f"{score.usage.tokens:,}" for score in scores],
    }
    if not any(score.usage.calls for score in scores):
        del costs["calls"], costs["tokens"]
    padded = [(name, [*cells, *[""] * len(others)]) for name, cells in costs.items()]
    return names, [*found["recall"], *padded, *found["answer"]]


def _short(name: str) -> str:
    """Return a name with its middle left out where it is long."""
    if len(name) <= NAME_WIDTH:
        return name
    return f"{name[: NAME_WIDTH // 2 - 1]}…{name[-NAME_WIDTH // 2 :]}"


def _percent(at: Interval, sign: str = "") -> str:
    value, low, high = (format(100 * x, f"{sign}.1f") for x in (at.value, at.low, at.high))
    return f"{value} [{low}, {high}]"


def _side_by_side(columns: Columns, width: int) -> Iterator[Columns]:
    """Divide columns, in order, into groups that fit into a width; one too wide is alone."""
    group, left = Columns(), width
    for heading, cells in columns:
        needed = max(cell_len(text) for text in (heading, *cells)) + GAP
        if group and needed > left:
            yield group
            group, left = [], width
        group.append((heading, cells))
        left -= needed
    if group:
        yield group


def _show(console: "Console", names: Sequence[str], columns: Columns) -> None:
    from rich.table import Table

    table = Table(box=None, pad_edge=False, padding=(0, GAP, 0, 0))
    table.add_column("method", no_wrap=True)
    for heading, _ in columns:
        table.add_column(escape(heading), justify="right", no_wrap=True)
    for at, name in enumerate(names):
        if not any(cells[at] for _, cells in columns):
            continue  # times have no difference
        table.add_row(escape(name), *(escape(cells[at]) for _, cells in columns))
    console.print(table, highlight=False)


def _warnings(report: EvaluationReport) -> Iterator[str]:
    """Yield each warning once, with the methods it is about unless it is about all."""
    about: dict[tuple[str, str], list[str]] = {}
    for score in report.scores:
        for warning in score.warnings:
            about.setdefault((warning.code, warning.message), []).append(score.method)
    for (code, message), methods in about.items():
        of = "" if len(methods) == len(report.scores) else f"{', '.join(methods)}: "
        yield f"[yellow]{escape(of + message)}[/yellow] [dim]({code})[/dim]"
