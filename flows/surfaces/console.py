"""What the command line does beyond parsing: run with bars, and show results to a person."""

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rich.markup import escape

from corpusgraph.flows import door, studies
from corpusgraph.flows.progress import watched
from corpusgraph.schemas.base import JsonDict
from corpusgraph.schemas.errors import shown
from corpusgraph.schemas.run import IndexReport, StudyReport
from corpusgraph.schemas.settings import Settings

if TYPE_CHECKING:
    from rich.table import Table


def run_study(
    path: Path, corpus: str | None, settings: Settings, *, rebuild: bool, quiet: bool
) -> StudyReport:
    """Run a study file with the engine of the settings."""
    from corpusgraph.flows.resources.loaders import scan

    study, base = studies.load_study(path, corpus)
    scan(study.corpus, base)  # bad input is told before an engine is started
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
    *,
    rebuild: bool,
    quiet: bool,
) -> IndexReport:
    """Index a folder or the corpus of a study file; `options` are those of `studies.study_of`."""
    if settings.engine == "prefect":
        parameters: JsonDict = {"corpus": str(corpus), "name": name, "rebuild": rebuild, **options}
        return IndexReport.model_validate(_in_prefect("index", settings, parameters, quiet=quiet))
    from corpusgraph.flows.engine import Inline
    from corpusgraph.flows.index import index_corpus

    study, base = studies.study_of(corpus, name, **options)
    with watched(quiet=quiet) as progress:
        return index_corpus(
            study,
            base,
            settings=settings,
            engine=Inline(settings.workers),
            progress=progress,
            rebuild=rebuild,
        )


def _in_prefect(flow: str, settings: Settings, parameters: JsonDict, *, quiet: bool) -> JsonDict:
    """Run a flow of the orchestrator; its own log is left to its dashboard unless asked for."""
    import os
    import sys

    os.environ.setdefault("PREFECT_LOGGING_LEVEL", "CRITICAL")
    if not os.environ.get("PREFECT_API_URL") and not quiet:
        sys.stderr.write(
            "Starting Prefect's embedded server (10 to 30 s; `--engine inline` does without) …\n"
        )
    from corpusgraph.flows.surfaces import prefect

    with watched(quiet=quiet) as progress:
        return prefect.orchestrated(
            getattr(prefect, flow),
            progress,
            **parameters,
            outputs=str(settings.outputs),
            workers=settings.workers,
        )


def show_index(report: IndexReport) -> None:
    """Show what an indexing run made."""
    from rich.console import Console

    console = Console()
    console.print(_index_line(report))
    console.print(_counts(report.counts))
    _show_failures(console, report)


def _index_line(report: IndexReport) -> str:
    if report.up_to_date:
        return (
            f"Index [b]{report.index}[/b] is up to date (generation {report.generation}): nothing to extract."
        )
    stages = ", ".join(f"{s.stage} {s.seconds:.1f} s" for s in report.stages)
    made = f"{report.n_extracted} documents extracted, {report.n_reused} reused ({stages})"
    return f"Index [b]{report.index}[/b], generation {report.generation}: {made}."


def _counts(counts: dict[str, int]) -> "Table":
    from rich.table import Table

    table = Table(show_header=False, box=None, pad_edge=False)
    for what, count in counts.items():
        table.add_row(what, f"{count:,}")
    return table


def _show_failures(console: Any, report: IndexReport) -> None:
    if not report.n_failures:
        return
    where = escape(f"{report.path}/failures.jsonl")
    console.print(f"[yellow]{report.n_failures} could not be used[/yellow] (all in {where}):")
    for failure in report.failures:
        _say_failure(console, failure.source, failure.message, failure.code)


def _say_failure(console: Any, source: str, message: str, code: str) -> None:
    """Print a failure; square brackets in a file's name or its text are no markup."""
    console.print(f"  {escape(f'{source}: {message}')} [dim]({code})[/dim]", highlight=False)


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
        for warning in dataset.warnings:
            told = f"{escape(warning.message)} [dim]({warning.code})[/dim]"
            console.print(f"[yellow]{dataset.name}[/yellow]: {told}")
    _show_failures(console, report.index)
    if report.watch:
        console.print(f"The run is at {report.watch}")


def status(name: str | None, settings: Settings) -> JsonDict:
    """Return the manifest and failures of an index, or the list of all indexes."""
    from corpusgraph.flows.resources.ledger import read_ledger
    from corpusgraph.flows.resources.store import IndexStore

    store = IndexStore(settings.outputs)
    if name is None:
        return {"outputs": shown(settings.outputs), "indexes": [_summary(store, n) for n in store.list()]}
    manifest = store.open(name).manifest
    failures = [failure.model_dump() for failure in read_ledger(store.folder(name))]
    facts = {**manifest.model_dump(mode="json"), "counts": manifest.counts, "failures": failures}
    return {**facts, "path": shown(store.folder(name))}


def _summary(store: Any, name: str) -> JsonDict:
    manifest = store.open(name).manifest
    return {
        "index": name,
        "generation": manifest.generation,
        "created": str(manifest.created),
        **manifest.counts,
    }


def show_status(found: JsonDict) -> None:
    """Show a status as lines."""
    from rich.console import Console

    console = Console()
    if "indexes" in found:
        console.print(f"{len(found['indexes'])} indexes in {escape(found['outputs'])}")
        for one in found["indexes"]:
            kinds = ("documents", "entities", "relationships")
            counts = ", ".join(f"{one.get(kind, 0):,} {kind}" for kind in kinds)
            console.print(
                f"  [b]{one['index']}[/b]  {counts}  [dim]{one['generation']} {one['created']}[/dim]"
            )
        return
    where = f"{escape(found['path'])}, generation {found['generation']} of {found['created']}"
    console.print(f"[b]{found['index']}[/b] at {where}")
    console.print(f"embedder {found['embedder']['name']}, {found['embedder']['dimension']} dimensions")
    console.print(_counts(found["counts"]))
    for failure in found["failures"]:
        _say_failure(console, failure["source"], failure["message"], failure["code"])


def export(name: str, kind: str, to: Path | None, settings: Settings) -> list[Path]:
    """Write the graph of an index in a format; returns the files."""
    from corpusgraph.flows.resources.files import replace_file
    from corpusgraph.schemas.errors import InvalidInputError, did_you_mean
    from corpusgraph.tasks.export.graph import GRAPH_EXPORTERS

    if kind not in GRAPH_EXPORTERS:
        hint = did_you_mean(kind, list(GRAPH_EXPORTERS)) or f"Formats: {', '.join(GRAPH_EXPORTERS)}."
        raise InvalidInputError(f"Unknown format {kind!r}.", hint=hint)
    opened = door.open(name, settings.outputs)
    folder = to or settings.outputs / name / "export"
    files = GRAPH_EXPORTERS[kind](opened.graph)
    for file, data in files.items():
        replace_file(folder / file, data)
    return [folder / file for file in files]
