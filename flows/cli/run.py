"""Commands that build: run and index."""

from pathlib import Path

import click

from corpusgraph.flows.cli.exits import FAILED, OK, emit
from corpusgraph.flows.cli.options import building_options, check_estimate, settings


@click.command()
@click.argument("study", type=click.Path(path_type=Path))
@click.option("--corpus", default=None, help="Folder of documents, instead of the study's.")
@click.option("--rebuild", is_flag=True, help="Build the index anew even if it was made with other options.")
@building_options
def run(
    study: Path,
    corpus: str | None,
    rebuild: bool,
    profile: str | None,
    budget: float | None,
    estimate: bool,
    sample: int,
    engine: str | None,
    workers: int | None,
    outputs: Path | None,
    quiet: bool,
    as_json: bool,
) -> int:
    """Run a STUDY file: index its corpus, answer its questions, make its datasets."""
    from corpusgraph.flows.cli import console, estimates

    check_estimate(estimate, sample)
    chosen = settings(outputs, engine or "prefect", workers=workers, profile=profile, budget=budget)
    if estimate:
        return estimates.tell(console.estimate_study(study, corpus, chosen, sample), as_json=as_json)
    report = console.run_study(study, corpus, chosen, rebuild=rebuild, quiet=quiet)
    if as_json:
        emit(report.model_dump(mode="json"))
    else:
        console.show_study(report)
    failed = report.index.n_failures or any(dataset.error for dataset in report.datasets)
    return FAILED if failed else OK


@click.command()
@click.argument("corpus", type=click.Path(path_type=Path))
@click.option("--name", default=None, help="Name of the index [the folder's name].")
@click.option("--embedder", default=None, help="hashing or sentence-transformers [hashing].")
@click.option("--model", default=None, help="Model of sentence-transformers: folder or hub's name [MiniLM].")
@click.option(
    "--from-openie",
    type=click.Path(path_type=Path),
    default=None,
    help="Findings made elsewhere, instead of the rules: JSON Lines {id, entities, triples}.",
)
@click.option("--rebuild", is_flag=True, help="Build anew even if the index was made with other options.")
@click.option("--update", is_flag=True, help="Add or replace these documents; all others stay.")
@building_options
def index(
    corpus: Path,
    name: str | None,
    embedder: str | None,
    model: str | None,
    from_openie: Path | None,
    rebuild: bool,
    update: bool,
    profile: str | None,
    budget: float | None,
    estimate: bool,
    sample: int,
    engine: str | None,
    workers: int | None,
    outputs: Path | None,
    quiet: bool,
    as_json: bool,
) -> int:
    """Index a CORPUS: a folder of documents, or a study file; with --update one document will do."""
    from corpusgraph.flows.cli import console, estimates

    check_estimate(estimate, sample, update=update)
    options = {"embedder": embedder, "model": model, "from_openie": str(from_openie) if from_openie else None}
    chosen = settings(outputs, engine, workers=workers, profile=profile, budget=budget)
    if estimate:
        found = console.estimate_index(corpus, name, chosen, options, sample)
        return estimates.tell(found, as_json=as_json)
    how = {"rebuild": rebuild, "update": update}
    report = console.run_index(corpus, name, chosen, options, how, quiet=quiet)
    if as_json:
        emit(report.model_dump(mode="json"))
    else:
        console.show_index(report)
    return FAILED if report.n_failures else OK
