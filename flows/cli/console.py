"""What the command line shows a person: reports of runs, estimates, answers, evaluations."""

from collections.abc import Iterator, Sequence
from pathlib import Path

import click
from rich.cells import cell_len
from rich.console import Console
from rich.markup import escape
from rich.table import Column, Table

from corpusgraph.schemas.answer import Answer, AnswerResult
from corpusgraph.schemas.errors import shown
from corpusgraph.schemas.results import ToolWarning
from corpusgraph.schemas.run import (
    Estimate,
    EvaluationReport,
    IndexReport,
    Interval,
    RemovalReport,
    StudyReport,
)
from corpusgraph.tasks.text.languages import languages_told

NOTHING = "Nothing in the corpus answers this."


def _warning(message: str, code: str) -> str:
    return f"[yellow]{escape(message)}[/yellow] [dim]({code})[/dim]"


def show_index(report: IndexReport) -> None:
    """Show what an indexing run made."""
    console = Console()
    console.print(_index_lines(report))
    console.print(counts_table(report.counts))
    if report.languages:
        console.print(f"languages: {escape(languages_told(report.languages))}", highlight=False)
    _show_usage_and_failures(console, report)


def _index_lines(report: IndexReport) -> str:
    done = f"Index [b]{report.index}[/b]"
    if report.up_to_date:
        done += f" is up to date (generation {report.generation}): nothing to extract."
    else:
        stages = ", ".join(f"{s.stage} {s.seconds:.1f} s" for s in report.stages)
        made = f"{report.n_extracted} documents extracted, {report.n_reused} reused ({stages})"
        done += f", generation {report.generation}: {made}."
    warnings = (_warning(warning.message, warning.code) for warning in report.warnings)
    return "\n".join((done, *map(escape, report.notes), *warnings))


def counts_table(counts: dict[str, int]) -> Table:
    """Make a table of what there is how many of.

    Parameters
    ----------
    counts : dict of str to int
        What -> how many.

    Returns
    -------
    Table
        Of rich.

    """
    table = Table(show_header=False, box=None, pad_edge=False)
    for what, count in counts.items():
        table.add_row(what, f"{count:,}")
    return table


def _dollars(cost: float | None) -> str:
    return "unknown price" if cost is None else f"{cost:.4f}"


def _show_usage_and_failures(console: Console, report: IndexReport) -> None:
    """Show what the language model was asked and what it cost, stage by stage, and what failed."""
    table = Table("stage", "model", "calls", "from cache", "failed", "tokens in", "tokens out", "US dollars")
    for stage in report.usage:
        if stage.calls or stage.reused:
            counts = (stage.calls, stage.reused, stage.failed, stage.prompt_tokens, stage.completion_tokens)
            numbers = (f"{count:,}" for count in counts)
            table.add_row(stage.stage, stage.model, *numbers, _dollars(stage.cost))
    if table.row_count:
        console.print(table)
    if not report.failures:
        return
    where = escape(f"{report.path}/failures.jsonl")
    failed = [f"[yellow]{report.n_failures} could not be used[/yellow]"] if report.n_failures else []
    notes = [f"notes on findings: {report.n_left_out}"] if report.n_left_out else []
    console.print(f"{'; '.join([*failed, *notes])} (all in {where}):")
    if report.n_retry:
        again = f"`corpusgraph retry-failed {report.index}` makes them again"
        console.print(f"{report.n_retry} of them are calls of the language model that failed; {again}.")
    if report.n_crashed:
        them = "is an error" if report.n_crashed == 1 else "are errors"
        console.print(f"{report.n_crashed} of them {them} of the program; the next run tries again.")
    for failure in report.failures:
        say_failure(console, failure.source, failure.message, failure.code)


def say_failure(console: Console, source: str, message: str, code: str) -> None:
    """Print a failure; square brackets in a file's name or its text are no markup.

    Parameters
    ----------
    console : Console
        Of rich.
    source : str
        File that it is about; "" for none.
    message : str
        Of the failure.
    code : str
        Of the failure.

    """
    told = f"{source}: {message}" if source else message
    console.print(f"  {escape(told)} [dim]({code})[/dim]", highlight=False)


def show_study(report: StudyReport) -> None:
    """Show the table of what a study made and where."""
    console = Console()
    console.print(f"[b]{escape(report.title)}[/b]: {report.seconds:.1f} s with the engine {report.engine}.")
    console.print(_index_lines(report.index))
    for answer in report.answers:
        console.print(f"\n[b]{escape(answer['query'])}[/b]")
        console.print(answer["text"] or NOTHING, highlight=False, markup=False)
    table = Table(*(Column(heading, overflow="fold") for heading in ("made", "what", "where")))
    kinds = ("documents", "chunks", "entities", "relationships", "communities", "claims", "events")
    counts = ", ".join(f"{report.index.counts.get(kind, 0):,} {kind}" for kind in kinds)
    table.add_row("index", counts, escape(report.index.path))
    for dataset in report.datasets:
        table.add_row(dataset.name, escape(f"{dataset.kind}: {dataset.summary}"), escape(dataset.path))
    console.print()
    console.print(table)
    for dataset in report.datasets:
        name = f"[yellow]{dataset.name}[/yellow]: "
        if dataset.moved:
            were = f"{len(dataset.moved)} files changed by hand are now {', '.join(dataset.moved)}"
            console.print(name + escape(were))
        for warning in dataset.warnings:
            console.print(f"{name}{escape(warning.message)} [dim]({warning.code})[/dim]")
    _show_usage_and_failures(console, report.index)
    if report.watch:
        console.print(f"The run is at {report.watch}")


def show_removal(removal: RemovalReport, dry_run: bool) -> None:
    """Show the documents that were removed, and the index without them."""
    click.echo("Would be removed:" if dry_run else "Removed:")
    for document in removal.documents:
        click.echo(f"  {document['id']}  {document['source']}  {document['title']}")
    if removal.report is not None:
        show_index(removal.report)


def show_estimate(estimate: Estimate) -> None:
    """Print an estimate as a table, and what its numbers rest on."""
    table = Table("stage", "calls", "from cache", "tokens in", "tokens out", "US dollars")
    for stage in estimate.stages:
        about = "" if stage.exact else "~"
        counts = (stage.calls, stage.reused, stage.prompt_tokens, stage.completion_tokens)
        table.add_row(stage.stage, *(f"{about}{count:,}" for count in counts), _dollars(stage.cost))
    console = Console()
    console.print(f"[b]{estimate.study}[/b] with {estimate.model}: nothing of this has been asked.")
    console.print(table)
    if estimate.cost is None:
        console.print("The price of this model is unknown: give `price` in the profile.")
    else:
        console.print(
            f"In all about ${estimate.cost:.4f}, at ${estimate.input_price:g} a million tokens in ", end=""
        )
        console.print(f"and ${estimate.output_price:g} out.")
    if estimate.budget is not None:
        console.print(f"The budget is ${estimate.budget:g}; a run stops there and can be taken up again.")
    console.print(f"Tokens out by {estimate.completions}.")
    if not all(stage.exact for stage in estimate.stages):
        console.print("~: a guess, by what the rules find in the documents; known once they are extracted.")


def show_answer(answer: Answer) -> None:
    """Show an answer and where each sentence stands."""
    console = Console()
    console.print(answer.text or NOTHING, highlight=False, markup=False)
    for number, citation in enumerate(answer.citations, start=1):
        page = f", page {citation.page}" if citation.page else ""
        place = f"{citation.document_title}{page}, characters {citation.start} to {citation.end}"
        console.print(f"[dim]{escape(f'[{number}] {place}')}[/dim]", highlight=False)
    for code, message in warnings_of(answer.warnings) if isinstance(answer, AnswerResult) else ():
        console.print(_warning(message, code), highlight=False)


def warnings_of(warnings: Sequence[ToolWarning]) -> list[tuple[str, str]]:
    """Return code and message of warnings; what several steps did without a language model is one message.

    Parameters
    ----------
    warnings : sequence of ToolWarning
        Of a result.

    Returns
    -------
    list of tuple of str and str
        Each once, that of the language model first.

    """
    lead = "There is no language model: "
    instead = [
        message.partition(lead)[2].removesuffix(".")
        for warning in warnings
        if warning.code == "no_llm" and lead in (message := warning.message)
    ]
    joined = [("no_llm", f"{lead}{'; '.join(dict.fromkeys(instead))}.")] if instead else []
    others = [(w.code, w.message) for w in warnings if w.code != "no_llm" or lead not in w.message]
    return list(dict.fromkeys([*joined, *others]))


Columns = list[tuple[str, list[str]]]
"""Heading and a cell for each line."""
GAP = 2
NAME_WIDTH = 26
"""A longer name of a method (the path of a file) is cut in its middle."""


def show_evaluation(report: EvaluationReport) -> None:
    """Show one line per method; intervals are bootstrap 95%, in percent as the shares are.

    Columns that do not fit beside the others are shown below them: no cell is broken.
    """
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


def _show(console: Console, names: Sequence[str], columns: Columns) -> None:
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
        yield _warning(of + message, code)
