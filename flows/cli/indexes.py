"""Commands about indexes that are there: status and export."""

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from corpusgraph.flows.cli.exits import tell_report
from corpusgraph.flows.cli.options import PATH, json_option, outputs_option
from corpusgraph.schemas.base import JsonDict
from corpusgraph.schemas.errors import CorpusgraphError, InvalidInputError, did_you_mean, shown

if TYPE_CHECKING:
    from corpusgraph.flows.store.store import IndexStore


@click.command()
@click.argument("name", required=False)
@outputs_option
@json_option
def status(name: str | None, outputs: Path, as_json: bool) -> int:
    """Show the indexes, or the generation, counts and failures of the index NAME."""
    return tell_report(status_of(name, outputs), show_status, as_json=as_json)


@click.command()
@click.argument("name")
@click.option(
    "--format", "kind", default="graphml", show_default=True, help="graphml, json, csv, parquet or graphrag."
)
@click.option(
    "--graphrag-version",
    "version",
    type=click.Choice(["3", "2", "1", "0.5"]),
    default="3",
    show_default=True,
    help="With --format graphrag: whose table shapes; memory is included.",
)
@click.option("--to", type=PATH, help="Folder to write to.")
@outputs_option
@json_option
def export(name: str, kind: str, version: Any, to: Path | None, outputs: Path, as_json: bool) -> int:
    """Write the graph of the index NAME for other programs."""
    if kind == "graphrag":
        from corpusgraph.flows.interop.sources import export_graphrag

        written = export_graphrag(name, to, version=version, outputs=outputs).files
    else:
        written = _export_graph(name, kind, to or outputs / name / "export", outputs)
    files = [str(path) for path in written]
    return tell_report({"files": files}, files, as_json=as_json)


def _export_graph(name: str, kind: str, folder: Path, outputs: Path) -> tuple[str, ...]:
    from corpusgraph.flows import api
    from corpusgraph.flows.files.files import replace_file
    from corpusgraph.tasks.export.graph import GRAPH_EXPORTERS

    if kind not in GRAPH_EXPORTERS:
        hint = did_you_mean(kind, list(GRAPH_EXPORTERS)) or f"Formats: {', '.join(GRAPH_EXPORTERS)}."
        raise InvalidInputError(f"Unknown format {kind!r}.", hint=hint)
    files = GRAPH_EXPORTERS[kind](api.open(name, outputs).graph)
    for file, data in files.items():
        replace_file(folder / file, data)
    return tuple(str(folder / file) for file in files)


def status_of(name: str | None, outputs: Path) -> JsonDict:
    """Return the manifest and failures of an index, or the list of all indexes.

    Parameters
    ----------
    name : str or None
        Of the index; None for all.
    outputs : Path
        Folder of all indexes.

    Returns
    -------
    JsonDict
        For JSON, and for `show_status`.

    Raises
    ------
    IndexNotFoundError
        Where there is no such index.

    """
    from corpusgraph.flows.files.ledger import read_ledger
    from corpusgraph.flows.store.store import IndexStore

    store = IndexStore(outputs)
    if name is None:
        return {"outputs": shown(outputs), "indexes": [_summary(store, n) for n in store.list()]}
    manifest = store.open(name).manifest
    failures = [failure.model_dump() for failure in read_ledger(store.folder(name))]
    facts = {**manifest.model_dump(mode="json"), "counts": manifest.counts, "failures": failures}
    return {**facts, "path": shown(store.folder(name))}


def _summary(store: "IndexStore", name: str) -> JsonDict:
    """Return what an index holds; of one that is spoilt what is wrong with it, as it hides no other."""
    from corpusgraph.flows.store.journal import FILE, Journal

    try:
        manifest = store.published(name)
        changes = len(Journal(store.folder(name) / FILE).read_from()[0])
    except CorpusgraphError as error:
        return {"index": name, "error": {"code": error.code, "message": error.message, "hint": error.hint}}
    about = {"index": name, "generation": manifest.generation, "created": str(manifest.created)}
    return {**about, **manifest.counts, "changes": changes}


def show_status(status: JsonDict) -> None:
    """Show a status as lines."""
    from rich.console import Console
    from rich.markup import escape

    from corpusgraph.flows.cli.console import counts_table, say_failure

    console = Console()
    if "indexes" not in status:
        where = f"{escape(status['path'])}, generation {status['generation']} of {status['created']}"
        console.print(f"[b]{status['index']}[/b] at {where}")
        console.print(f"embedder {status['embedder']['name']}, {status['embedder']['dimension']} dimensions")
        console.print(counts_table(status["counts"]))
        for failure in status["failures"]:
            say_failure(console, failure["source"], failure["message"], failure["code"])
        return
    n = len(status["indexes"])
    console.print(f"{n} {'index' if n == 1 else 'indexes'} in {escape(status['outputs'])}")
    for index in status["indexes"]:
        if "error" in index:
            console.print(f"  [b]{index['index']}[/b]  {escape(index['error']['message'])}")
            continue
        counts = ", ".join(f"{index.get(k, 0):,} {k}" for k in ("documents", "entities", "relationships"))
        counts += f", {index['changes']:,} changes by hand" if index["changes"] else ""
        made = f"[dim]{index['generation']} {index['created']}[/dim]"
        console.print(f"  [b]{index['index']}[/b]  {counts}  {made}")
