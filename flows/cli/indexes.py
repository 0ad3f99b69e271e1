"""Commands about indexes that are there: status and export."""

from pathlib import Path
from typing import Any

import click

from corpusgraph.flows.cli.exits import OK, emit
from corpusgraph.flows.cli.options import json_option, outputs_option, settings


@click.command()
@click.argument("name", required=False)
@outputs_option
@json_option
def status(name: str | None, outputs: Path | None, as_json: bool) -> int:
    """Show the indexes, or the generation, counts and failures of the index NAME."""
    from corpusgraph.flows.cli import index_display

    found = index_display.status(name, settings(outputs))
    if as_json:
        emit(found)
    else:
        index_display.show_status(found)
    return OK


@click.command()
@click.argument("name")
@click.option(
    "--format", "kind", default="graphml", show_default=True, help="graphml, json, csv, parquet or graphrag."
)
@click.option(
    "--graphrag-version",
    type=click.Choice(["3", "2", "1", "0.5"]),
    default="3",
    show_default=True,
    help="With --format graphrag: whose table shapes; memory is included.",
)
@click.option("--to", type=click.Path(path_type=Path), default=None, help="Folder to write to.")
@outputs_option
@json_option
def export(
    name: str, kind: str, graphrag_version: Any, to: Path | None, outputs: Path | None, as_json: bool
) -> int:
    """Write the graph of the index NAME for other programs."""
    from corpusgraph.flows.cli import index_display

    if kind == "graphrag":
        from corpusgraph.flows.interop.sources import export_graphrag

        report = export_graphrag(name, to, version=graphrag_version, outputs=settings(outputs).outputs)
        written = [Path(file) for file in report.files]
    else:
        written = index_display.export(name, kind, to, settings(outputs))
    if as_json:
        emit({"files": [str(path) for path in written]})
    else:
        for path in written:
            click.echo(path)
    return OK
