"""The command that takes documents out of an index."""

from pathlib import Path

import click

from corpusgraph.flows.cli.exits import FAILED, OK, emit
from corpusgraph.flows.cli.options import asking_options, settings


@click.command()
@click.argument("name")
@click.argument("documents", nargs=-1, required=True)
@click.option("--dry-run", is_flag=True, help="Show the documents and leave the index as it is.")
@asking_options
def remove(
    name: str,
    documents: tuple[str, ...],
    dry_run: bool,
    profile: str | None,
    budget: float | None,
    outputs: Path | None,
    quiet: bool,
    as_json: bool,
) -> int:
    """Remove DOCUMENTS from the index NAME: by id, title, source or glob of sources.

    The corpus is not needed and not touched. Indexing it again leaves the documents out, until they are
    brought back by --rebuild or by `index FILE --update`.
    """
    from corpusgraph.flows.cli import console
    from corpusgraph.flows.engine import Inline
    from corpusgraph.flows.progress import watched
    from corpusgraph.flows.update import remove_documents

    chosen = settings(outputs, profile=profile, budget=budget)
    with watched(quiet=quiet) as progress:
        removal = remove_documents(
            name, documents, settings=chosen, engine=Inline(), progress=progress, dry_run=dry_run
        )
    if as_json:
        emit(removal.model_dump(mode="json"))
        return FAILED if removal.report and removal.report.n_failures else OK
    click.echo("Would be removed:" if dry_run else "Removed:")
    for document in removal.documents:
        click.echo(f"  {document['id']}  {document['source']}  {document['title']}")
    if removal.report is not None:
        console.show_index(removal.report)
    return FAILED if removal.report and removal.report.n_failures else OK
