"""What the command line does beyond parsing: run with bars, and show results to a person."""

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rich.markup import escape

from corpusgraph.flows import studies
from corpusgraph.flows.progress import watched
from corpusgraph.schemas.base import JsonDict
from corpusgraph.schemas.run import Estimate, IndexReport, StudyReport
from corpusgraph.schemas.settings import Settings
from corpusgraph.tasks.text.languages import languages_told

if TYPE_CHECKING:
    from rich.table import Table


def run_study(
    path: Path, corpus: str | None, settings: Settings, *, rebuild: bool, quiet: bool
) -> StudyReport:
    """Run a study file with the engine of the settings."""
    from corpusgraph.flows.annotate.offline import ReadingOptions
    from corpusgraph.flows.load import scan
    from corpusgraph.flows.study_check import check_study

    study, base = studies.load_study(path, corpus)
    check_study(study, base, settings)  # bad input is told before an engine is started
    scan(study.corpus, base)
    ReadingOptions.of(study.index, base)
    if settings.engine == "inline":
        with watched(quiet=quiet) as progress:
            from corpusgraph.flows.engine import Inline
            from corpusgraph.flows.study import run_study as run

            engine = Inline(settings.workers)
            return run(study, base, settings=settings, engine=engine, progress=progress, rebuild=rebuild)
    parameters: JsonDict = {"study_file": str(path), "corpus": corpus, "rebuild": rebuild}
    return StudyReport.model_validate(_in_prefect("study", settings, parameters, quiet=quiet))


def run_index(
    corpus: Path,
    name: str | None,
    settings: Settings,
    options: Mapping[str, str | None],
    how: Mapping[str, bool],
    *,
    quiet: bool,
) -> IndexReport:
    """Index a folder or the corpus of a study file.

    `options` are those of `studies.study_of`; `how` says whether to rebuild or to update.
    """
    if settings.engine == "prefect":
        parameters: JsonDict = {"corpus": str(corpus), "name": name, **how, **options}
        return IndexReport.model_validate(_in_prefect("index", settings, parameters, quiet=quiet))
    from corpusgraph.flows.engine import Inline
    from corpusgraph.flows.update import index_or_update

    study, base = studies.study_of(corpus, name, **options)
    with watched(quiet=quiet) as progress:
        return index_or_update(
            study,
            base,
            settings=settings,
            engine=Inline(settings.workers),
            progress=progress,
            **how,
        )


def estimate_study(path: Path, corpus: str | None, settings: Settings, sample: int) -> Estimate:
    """Return what running a study file would ask a language model."""
    from corpusgraph.flows.estimate import estimate_index as estimate

    return estimate(*studies.load_study(path, corpus), settings=settings, sample=sample)


def estimate_index(
    corpus: Path, name: str | None, settings: Settings, options: Mapping[str, str | None], sample: int
) -> Estimate:
    """Return what indexing a folder or the corpus of a study file would ask a language model."""
    from corpusgraph.flows.estimate import estimate_index as estimate

    return estimate(*studies.study_of(corpus, name, **options), settings=settings, sample=sample)


def _in_prefect(flow: str, settings: Settings, parameters: JsonDict, *, quiet: bool) -> JsonDict:
    """Run a flow of the orchestrator; its own log is left to its dashboard unless asked for."""
    import os
    import sys

    os.environ.setdefault("PREFECT_LOGGING_LEVEL", "CRITICAL")
    if not os.environ.get("PREFECT_API_URL") and not quiet:
        sys.stderr.write(
            "Starting Prefect's embedded server (10 to 30 s; `--engine inline` does without) …\n"
        )
    from corpusgraph.flows import prefect

    with watched(quiet=quiet) as progress:
        return prefect.orchestrated(
            getattr(prefect, flow),
            progress,
            **parameters,
            outputs=str(settings.outputs),
            workers=settings.workers,
            profile=settings.profile,
            budget=settings.budget,
        )


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
