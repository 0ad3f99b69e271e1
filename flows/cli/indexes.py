"""Commands about indexes that are there: status and export."""

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from corpusgraph.flows.cli.exits import tell_report
from corpusgraph.flows.cli.options import json_option, outputs_option, settings
from corpusgraph.schemas.base import JsonDict
from corpusgraph.schemas.errors import CorpusgraphError, shown

if TYPE_CHECKING:
    from corpusgraph.flows.store.store import IndexStore
    from corpusgraph.schemas.settings import Settings


@click.command()
@click.argument("name", required=False)
@outputs_option
@json_option
def status(name: str | None, outputs: Path | None, as_json: bool) -> int:
    """Show the indexes, or the generation, counts and failures of the index NAME."""
    return tell_report(status_of(name, settings(outputs=outputs)), show_status, as_json=as_json)


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
    if kind == "graphrag":
        from corpusgraph.flows.interop.sources import export_graphrag

        report = export_graphrag(
            name, to, version=graphrag_version, outputs=settings(outputs=outputs).outputs
        )
        written = [Path(file) for file in report.files]
    else:
        written = export_graph(name, kind, to, settings(outputs=outputs))
    files = [str(path) for path in written]
    return tell_report({"files": files}, lambda _: click.echo("\n".join(files)), as_json=as_json)


def status_of(name: str | None, settings: "Settings") -> JsonDict:
    """Return the manifest and failures of an index, or the list of all indexes."""
    from corpusgraph.flows.files.ledger import read_ledger
    from corpusgraph.flows.store.store import IndexStore

    store = IndexStore(settings.outputs)
    if name is None:
        return {"outputs": shown(settings.outputs), "indexes": [_summary(store, n) for n in store.list()]}
    manifest = store.open(name).manifest
    failures = [failure.model_dump() for failure in read_ledger(store.folder(name))]
    facts = {**manifest.model_dump(mode="json"), "counts": manifest.counts, "failures": failures}
    return {**facts, "path": shown(store.folder(name))}


def _summary(store: "IndexStore", name: str) -> JsonDict:
    """Return what an index holds; of one that is spoilt what is wrong with it, as it hides no other."""
    from corpusgraph.flows.store.journal import FILE, Journal

    try:
        manifest = store.published(name)
        changes = Journal(store.folder(name) / FILE).count()
    except CorpusgraphError as error:
        return {"index": name, "error": {"code": error.code, "message": error.message, "hint": error.hint}}
    about = {"index": name, "generation": manifest.generation, "created": str(manifest.created)}
    return {**about, **manifest.counts, "changes": changes}


def show_status(found: JsonDict) -> None:
    """Show a status as lines."""
    from rich.console import Console
    from rich.markup import escape

    from corpusgraph.flows.cli.console import counts_table, say_failure

    console = Console()
    if "indexes" in found:
        n = len(found["indexes"])
        console.print(f"{n} {'index' if n == 1 else 'indexes'} in {escape(found['outputs'])}")
        for one in found["indexes"]:
            if "error" in one:
                console.print(f"  [b]{one['index']}[/b]  {escape(one['error']['message'])}")
                continue
            kinds = ("documents", "entities", "relationships")
            counts = ", ".join(f"{one.get(kind, 0):,} {kind}" for kind in kinds)
            counts += f", {one['changes']:,} changes by hand" if one["changes"] else ""
            console.print(
                f"  [b]{one['index']}[/b]  {counts}  [dim]{one['generation']} {one['created']}[/dim]"
            )
        return
    where = f"{escape(found['path'])}, generation {found['generation']} of {found['created']}"
    console.print(f"[b]{found['index']}[/b] at {where}")
    console.print(f"embedder {found['embedder']['name']}, {found['embedder']['dimension']} dimensions")
    console.print(counts_table(found["counts"]))
    for failure in found["failures"]:
        say_failure(console, failure["source"], failure["message"], failure["code"])


def export_graph(name: str, kind: str, to: Path | None, settings: "Settings") -> list[Path]:
    """Write the graph of an index in a format; returns the files."""
    from corpusgraph.flows import api
    from corpusgraph.flows.files.files import replace_file
    from corpusgraph.schemas.errors import InvalidInputError, did_you_mean
    from corpusgraph.tasks.export.graph import GRAPH_EXPORTERS

    if kind not in GRAPH_EXPORTERS:
        hint = did_you_mean(kind, list(GRAPH_EXPORTERS)) or f"Formats: {', '.join(GRAPH_EXPORTERS)}."
        raise InvalidInputError(f"Unknown format {kind!r}.", hint=hint)
    opened = api.open(name, settings.outputs)
    folder = to or settings.outputs / name / "export"
    files = GRAPH_EXPORTERS[kind](opened.graph)
    for file, data in files.items():
        replace_file(folder / file, data)
    return [folder / file for file in files]
