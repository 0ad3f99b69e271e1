"""What the command line shows a person: reports of runs, estimates, answers."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import click
from rich.markup import escape

from corpusgraph.schemas.results import ToolWarning
from corpusgraph.schemas.run import Estimate, IndexReport, RemovalReport, StageEstimate, StudyReport
from corpusgraph.tasks.text.languages import languages_told

if TYPE_CHECKING:
    from rich.table import Table

    from corpusgraph.schemas.answer import Answer


def show_index(report: IndexReport) -> None:
    """Show what an indexing run made."""
    from rich.console import Console

    console = Console()
    console.print(_index_line(report))
    console.print(counts_table(report.counts))
    if report.languages:
        console.print(f"languages: {escape(languages_told(report.languages))}", highlight=False)
    _show_usage(console, report)
    _show_failures(console, report)


def _index_line(report: IndexReport) -> str:
    warnings = (f"[yellow]{escape(one.message)}[/yellow] [dim]({one.code})[/dim]" for one in report.warnings)
    return "\n".join((_done(report), *map(escape, report.notes), *warnings))


def _done(report: IndexReport) -> str:
    if report.up_to_date:
        return (
            f"Index [b]{report.index}[/b] is up to date (generation {report.generation}): nothing to extract."
        )
    stages = ", ".join(f"{s.stage} {s.seconds:.1f} s" for s in report.stages)
    made = f"{report.n_extracted} documents extracted, {report.n_reused} reused ({stages})"
    return f"Index [b]{report.index}[/b], generation {report.generation}: {made}."


def counts_table(counts: dict[str, int]) -> "Table":
    """Make a table of what there is how many of."""
    from rich.table import Table

    table = Table(show_header=False, box=None, pad_edge=False)
    for what, count in counts.items():
        table.add_row(what, f"{count:,}")
    return table


def _show_usage(console: Any, report: IndexReport) -> None:
    """Show what the language model was asked and what it cost, stage by stage."""
    used = [stage for stage in report.usage if stage.calls or stage.reused]
    if not used:
        return
    from rich.table import Table

    table = Table("stage", "model", "calls", "from cache", "failed", "tokens in", "tokens out", "US dollars")
    for stage in used:
        cost = "unknown price" if stage.cost is None else f"{stage.cost:.4f}"
        counts = (stage.calls, stage.reused, stage.failed, stage.prompt_tokens, stage.completion_tokens)
        table.add_row(stage.stage, stage.model, *(f"{count:,}" for count in counts), cost)
    console.print(table)


def _show_failures(console: Any, report: IndexReport) -> None:
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


def say_failure(console: Any, source: str, message: str, code: str) -> None:
    """Print a failure; square brackets in a file's name or its text are no markup."""
    told = f"{source}: {message}" if source else message
    console.print(f"  {escape(told)} [dim]({code})[/dim]", highlight=False)


def show_study(report: StudyReport) -> None:
    """Show the table of what a study made and where."""
    from rich.console import Console
    from rich.table import Table

    console = Console()
    console.print(f"[b]{escape(report.title)}[/b]: {report.seconds:.1f} s with the engine {report.engine}.")
    console.print(_index_line(report.index))
    for answer in report.answers:
        console.print(f"\n[b]{escape(answer['query'])}[/b]")
        console.print(answer["text"] or "Nothing in the corpus answers this.", highlight=False, markup=False)
    table = Table(title=None)
    for heading in ("made", "what", "where"):
        table.add_column(heading, overflow="fold")
    counts = report.index.counts
    kinds = ("documents", "chunks", "entities", "relationships", "communities", "claims", "events")
    table.add_row("index", ", ".join(f"{counts.get(k, 0):,} {k}" for k in kinds), escape(report.index.path))
    for dataset in report.datasets:
        table.add_row(dataset.name, escape(f"{dataset.kind}: {dataset.summary}"), escape(dataset.path))
    console.print()
    console.print(table)
    for dataset in report.datasets:
        if dataset.moved:
            were = f"{len(dataset.moved)} files changed by hand are now {', '.join(dataset.moved)}"
            console.print(f"[yellow]{dataset.name}[/yellow]: {escape(were)}")
        for warning in dataset.warnings:
            told = f"{escape(warning.message)} [dim]({warning.code})[/dim]"
            console.print(f"[yellow]{dataset.name}[/yellow]: {told}")
    _show_usage(console, report.index)
    _show_failures(console, report.index)
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
    from rich.console import Console
    from rich.table import Table

    table = Table("stage", "calls", "from cache", "tokens in", "tokens out", "US dollars")
    for stage in estimate.stages:
        table.add_row(*_estimate_row(stage))
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


def _estimate_row(stage: StageEstimate) -> list[str]:
    about = "" if stage.exact else "~"
    counts = (stage.calls, stage.reused, stage.prompt_tokens, stage.completion_tokens)
    cost = "unknown price" if stage.cost is None else f"{stage.cost:.4f}"
    return [stage.stage, *(f"{about}{count:,}" for count in counts), cost]


def show_answer(answer: "Answer") -> None:
    """Show an answer and where each sentence stands."""
    from rich.console import Console

    from corpusgraph.schemas.answer import AnswerResult

    console = Console()
    console.print(answer.text or "Nothing in the corpus answers this.", highlight=False, markup=False)
    for number, citation in enumerate(answer.citations, start=1):
        page = f", page {citation.page}" if citation.page else ""
        place = f"{citation.document_title}{page}, characters {citation.start} to {citation.end}"
        console.print(f"[dim]{escape(f'[{number}] {place}')}[/dim]", highlight=False)
    for code, message in warnings_of(answer.warnings) if isinstance(answer, AnswerResult) else ():
        console.print(f"[yellow]{escape(message)}[/yellow] [dim]({code})[/dim]", highlight=False)


def warnings_of(warnings: Sequence[ToolWarning]) -> list[tuple[str, str]]:
    """Return code and message of warnings; what several steps did without a language model is one message."""
    lead = "There is no language model: "
    instead = [
        message.partition(lead)[2].removesuffix(".")
        for warning in warnings
        if warning.code == "no_llm" and lead in (message := warning.message)
    ]
    joined = [("no_llm", f"{lead}{'; '.join(dict.fromkeys(instead))}.")] if instead else []
    others = [(w.code, w.message) for w in warnings if w.code != "no_llm" or lead not in w.message]
    return list(dict.fromkeys([*joined, *others]))
