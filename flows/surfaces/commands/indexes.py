"""Commands about indexes that are there: status and export."""

from pathlib import Path

import click

from corpusgraph.flows.surfaces.commands.options import json_option, outputs_option, settings
from corpusgraph.flows.surfaces.exits import OK, emit


@click.command()
@click.argument("name", required=False)
@outputs_option
@json_option
def status(name: str | None, outputs: Path | None, as_json: bool) -> int:
    """Show the indexes, or the generation, counts and failures of the index NAME."""
    from corpusgraph.flows.surfaces import indexes

    found = indexes.status(name, settings(outputs))
    if as_json:
        emit(found)
    else:
        indexes.show_status(found)
    return OK


@click.command()
@click.argument("name")
@click.option("--format", "kind", default="graphml", show_default=True, help="graphml, json, csv or parquet.")
@click.option("--to", type=click.Path(path_type=Path), default=None, help="Folder to write to.")
@outputs_option
@json_option
def export(name: str, kind: str, to: Path | None, outputs: Path | None, as_json: bool) -> int:
    """Write the graph of the index NAME for other programs."""
    from corpusgraph.flows.surfaces import indexes

    written = indexes.export(name, kind, to, settings(outputs))
    if as_json:
        emit({"files": [str(path) for path in written]})
    else:
        for path in written:
            click.echo(path)
    return OK
