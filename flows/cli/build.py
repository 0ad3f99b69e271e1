"""Commands that build indexes and what is made of them: run, index, remove, retry-failed."""

import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from corpusgraph.flows.cli.options import (
    FAILED,
    OK,
    PATH,
    asking_options,
    building_options,
    given,
    settings,
    tell_report,
)
from corpusgraph.flows.progress import watched
from corpusgraph.schemas.base import JsonDict

if TYPE_CHECKING:
    from corpusgraph.schemas.run import IndexReport


@click.command()
@click.argument("study", type=PATH)
@click.option("--corpus", help="Folder of documents, instead of the study's.")
@click.option("--rebuild", is_flag=True, help="Build the index anew even if it was made with other options.")
@building_options
def run(
    study: Path, corpus: str | None, estimate: bool, sample: int, quiet: bool, as_json: bool, **options: Any
) -> int:
    """Run a STUDY file: index its corpus, answer its questions, make its datasets."""
    from corpusgraph.flows import api
    from corpusgraph.flows.annotate.offline import ReadingOptions
    from corpusgraph.flows.cli import console
    from corpusgraph.flows.load import scan
    from corpusgraph.flows.studies import load_study
    from corpusgraph.flows.study import check_study
    from corpusgraph.schemas.run import StudyReport

    _check_estimate(estimate, sample)
    rebuild = options.pop("rebuild")
    chosen = settings(**options | {"engine": options["engine"] or "prefect"})
    made, base = load_study(study, corpus)
    if estimate:
        return _estimate((made, base), chosen, sample, as_json=as_json)
    check_study(made, base, chosen)  # bad input is told before an engine is started
    scan(made.corpus, base)
    ReadingOptions.of(made.index, base)
    if chosen.engine == "prefect":
        parameters = {"study_file": str(study), "corpus": corpus, "rebuild": rebuild}
        report = StudyReport.model_validate(_in_prefect("study", chosen, parameters, quiet=quiet))
    else:
        with watched(quiet=quiet) as progress:
            report = api.run(study, corpus, rebuild=rebuild, progress=progress, **given(options))
    failed = report.index.n_failures or any(dataset.error for dataset in report.datasets)
    return tell_report(report, console.show_study, as_json=as_json, code=FAILED if failed else OK)


@click.command()
@click.argument("corpus", type=PATH)
@click.option("--name", help="Name of the index [the folder's name].")
@click.option("--embedder", help="hashing or sentence-transformers [hashing].")
@click.option("--model", help="Model of sentence-transformers: folder or hub's name [MiniLM].")
@click.option(
    "--from-openie",
    type=click.Path(),
    help="Findings made elsewhere, instead of the rules: JSON Lines {id, entities, triples}.",
)
@click.option("--rebuild", is_flag=True, help="Build anew even if the index was made with other options.")
@click.option("--update", is_flag=True, help="Add or replace these documents; all others stay.")
@building_options
def index(
    corpus: Path, name: str | None, estimate: bool, sample: int, quiet: bool, as_json: bool, **options: Any
) -> int:
    """Index a CORPUS: a folder of documents, or a study file; with --update one document will do."""
    from corpusgraph.flows import api
    from corpusgraph.flows.studies import study_of
    from corpusgraph.schemas.run import IndexReport

    _check_estimate(estimate, sample, update=options["update"])
    made_by = {key: options.pop(key) for key in ("embedder", "model", "from_openie")}
    how = {**made_by, **{key: options.pop(key) for key in ("rebuild", "update")}}
    chosen = settings(**options)
    if estimate:
        return _estimate(study_of(corpus, name, **made_by), chosen, sample, as_json=as_json)
    if chosen.engine == "prefect":
        parameters = {"corpus": str(corpus), "name": name, **how}
        report = IndexReport.model_validate(_in_prefect("index", chosen, parameters, quiet=quiet))
    else:
        with watched(quiet=quiet) as progress:
            report = api.index(corpus, name, progress=progress, **how, **given(options))
    return _tell_index(report, as_json=as_json)


def _tell_index(report: "IndexReport", *, as_json: bool) -> int:
    from corpusgraph.flows.cli import console

    code = FAILED if report.n_failures else OK
    return tell_report(report, console.show_index, as_json=as_json, code=code)


def _check_estimate(estimate: bool, sample: int, *, update: bool = False) -> None:
    """Raise UsageError for options that go together only in one way."""
    if sample and not estimate:
        raise click.UsageError("--sample goes with --estimate: it asks about some chunks to price the rest.")
    if estimate and update:
        raise click.UsageError("--estimate prices a whole corpus: give its folder, without --update.")


def _estimate(study: tuple[Any, Path], chosen: Any, sample: int, *, as_json: bool) -> int:
    """Tell what a run would ask a language model; as JSON with its sum."""
    from corpusgraph.flows.cli import console
    from corpusgraph.flows.estimate import estimate_index

    estimate = estimate_index(*study, settings=chosen, sample=sample)
    told = {**estimate.model_dump(mode="json"), "cost": estimate.cost}
    return tell_report(told, lambda _: console.show_estimate(estimate), as_json=as_json)


def _in_prefect(flow: str, chosen: Any, parameters: JsonDict, *, quiet: bool) -> JsonDict:
    """Run a flow of the orchestrator; its own log is left to its dashboard unless asked for."""
    os.environ.setdefault("PREFECT_LOGGING_LEVEL", "CRITICAL")
    if not os.environ.get("PREFECT_API_URL") and not quiet:
        sys.stderr.write(
            "Starting Prefect's embedded server (10 to 30 s; `--engine inline` does without) …\n"
        )
    from corpusgraph.flows import prefect

    shared = chosen.model_dump(include={"workers", "profile", "budget"})
    with watched(quiet=quiet) as progress:
        flow_of = getattr(prefect, flow)
        return prefect.orchestrated(flow_of, progress, **parameters, **shared, outputs=str(chosen.outputs))


@click.command()
@click.argument("name")
@click.argument("documents", nargs=-1, required=True)
@click.option("--dry-run", is_flag=True, help="Show the documents and leave the index as it is.")
@asking_options
def remove(
    name: str, documents: tuple[str, ...], dry_run: bool, quiet: bool, as_json: bool, **options: Any
) -> int:
    """Remove DOCUMENTS from the index NAME: by id, title, source or glob of sources.

    The corpus is not needed and not touched. Indexing it again leaves the documents out, until they are
    brought back by --rebuild or by `index FILE --update`.
    """
    from corpusgraph.flows import api
    from corpusgraph.flows.cli import console

    with watched(quiet=quiet) as progress:
        removal = api.remove(name, documents, dry_run=dry_run, progress=progress, **given(options))
    code = FAILED if removal.report is not None and removal.report.n_failures else OK
    return tell_report(
        removal, lambda report: console.show_removal(report, dry_run), as_json=as_json, code=code
    )


@click.command("retry-failed")
@click.argument("name")
@asking_options
def retry_failed(name: str, quiet: bool, as_json: bool, **options: Any) -> int:
    """Repeat the calls of a language model that failed when the index NAME was made, and complete it.

    Only those are paid for: all replies there were are kept. `corpusgraph status NAME` lists what failed.
    """
    from corpusgraph.flows import api

    with watched(quiet=quiet) as progress:
        report = api.retry_failed(name, progress=progress, **given(options))
    return _tell_index(report, as_json=as_json)
