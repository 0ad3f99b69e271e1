"""Commands about indexes that are there: status, export, import, and the memory of one."""

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from corpusgraph.flows.cli.options import OK, PATH, emit, json_option, outputs_option, tell_report
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
@click.option("--format", "kind", default="graphml", help="graphml, json, csv, parquet or graphrag.")
@click.option(
    "--graphrag-version",
    "version",
    type=click.Choice(["3", "2", "1", "0.5"]),
    default="3",
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
    from corpusgraph.flows.files.disk import replace_file
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


_FORMATS = ("auto", "graphrag", "sqlite", "jsonl")
strict_option = click.option("--strict", is_flag=True, help="Import nothing where one line cannot be used.")
replace_option = click.option("--replace", is_flag=True, help="Overwrite an index of that name.")


@click.command("import")
@click.argument("where", metavar="[FORMAT] PATH", nargs=-1, required=True)
@click.option("--name", help="Name of the new index.")
@click.option("--into", metavar="INDEX", help="Add to the memory of this index instead.")
@replace_option
@strict_option
@click.option(
    "--embedder",
    type=click.Choice(["hashing", "sentence-transformers"]),
    default="hashing",
    help="What makes the new index's vectors.",
)
@outputs_option
@json_option
def import_(where: tuple[str, ...], as_json: bool, **options: Any) -> int:
    """Open what another system keeps at PATH as an index, without indexing anything again.

    FORMAT is graphrag (a folder of Microsoft GraphRAG 0.5 to 3.x), sqlite or jsonl (the database or file of a
    memory server); unless given, it is told by what is there. PATH is only read.
    """
    *formats, path = where
    if len(formats) > 1 or not {*formats} <= {*_FORMATS}:
        raise click.UsageError(f"Give one FORMAT ({', '.join(_FORMATS)}) and one PATH.")
    if options["replace"] and options["into"] is not None:
        raise click.UsageError("--replace is for a new index, not for --into.")
    return _import("".join(formats) or "auto", Path(path), as_json=as_json, **options)


def _import(kind: Any, source: Path, *, as_json: bool, **options: Any) -> int:
    from corpusgraph.flows.interop.sources import import_index

    report = import_index(source, format=kind, **options)
    if as_json:
        emit(report)
        return OK
    counts = ", ".join(f"{count:,} {what}" for what, count in report.counts.items() if count)
    told = f"generation {report.generation}" if report.generation else f"change {report.change}"
    if report.generation is None and report.change is None:
        told = "nothing that was not there"
    click.echo(f"{report.source} -> {report.index}: {counts or 'no rows'} ({told})")
    for warning in report.warnings:
        click.echo(f"warning: {warning.message}", err=True)
        for record in warning.records[:10]:
            click.echo(f"  {record}", err=True)
        if len(warning.records) > 10:
            click.echo(f"  … and more: --json lists up to {len(warning.records)}", err=True)
    return OK


@click.group()
def memory() -> None:
    """Make, fill, undo and write the memory of an index: what people and agents added by hand."""


@memory.command()
@click.argument("name")
@replace_option
@outputs_option
@json_option
def new(name: str, replace: bool, outputs: Path, as_json: bool) -> int:
    """Make the empty index NAME, which memory tools can fill."""
    from corpusgraph.flows.interop.sources import new_memory

    report = new_memory(name, replace=replace, outputs=outputs)
    line = f"{report.path}: an empty index, generation {report.generation}"
    return tell_report(report, [line], as_json=as_json)


@memory.command()
@click.argument("name")
@click.option("--last", type=click.IntRange(1), default=20, help="Changes to show.")
@outputs_option
@json_option
def history(name: str, last: int, outputs: Path, as_json: bool) -> int:
    """Show the last changes that were made by hand to the index NAME, the newest at the end."""
    from corpusgraph.flows.interop.sources import changes_of

    report = changes_of(name, outputs)
    lines = [
        f"{change['number']:>6}  {change['at']}  {change['by']}  "
        f"{'undone ' if change['undone'] else ''}{change['what']}"
        for change in report["changes"][-last:]
    ]
    nothing = f"Nothing was added to {report['index']} by hand."
    return tell_report(report, lines or [nothing], as_json=as_json)


@memory.command()
@click.argument("name")
@click.argument("number", type=click.IntRange(1), required=False)
@outputs_option
@json_option
def undo(name: str, number: int | None, outputs: Path, as_json: bool) -> int:
    """Take the change NUMBER of the index NAME back, or the last one; undoing that again brings it back."""
    from corpusgraph.flows.interop.sources import undo_change

    change = undo_change(name, number, outputs)
    line = f"change {change['number']}: change {change['undoes']} of {name} does not count any more"
    return tell_report(change, [line], as_json=as_json)


@memory.command("export")
@click.argument("name")
@click.option("--format", "kind", type=click.Choice(["auto", "sqlite", "jsonl"]), default="auto")
@click.option("--to", type=PATH, required=True, help="File to write; .db, .sqlite: a database.")
@outputs_option
@json_option
def export_(name: str, kind: Any, to: Path, outputs: Path, as_json: bool) -> int:
    """Write the index NAME with its memory as the file of a memory server."""
    from corpusgraph.flows.interop.sources import export_memory

    report = export_memory(name, to, format=kind, outputs=outputs)
    counts = ", ".join(f"{count:,} {what}" for what, count in report.counts.items())
    return tell_report(report, [f"{report.files[0]}: {counts}"], as_json=as_json)


@memory.command("import")
@click.argument("name")
@click.argument("source", metavar="FILE", type=PATH)
@strict_option
@outputs_option
@json_option
def import_into(name: str, source: Path, as_json: bool, **options: Any) -> int:
    """Add the FILE of a memory server to the memory of the index NAME."""
    return _import("auto", source, into=name, as_json=as_json, **options)


@memory.command()
@click.argument("file", type=PATH)
@click.option("--to", type=PATH, help="The copy that is upgraded [FILE-upgraded].")
@click.option("--in-place", is_flag=True, help="Change FILE itself.")
@json_option
def upgrade(file: Path, to: Path | None, in_place: bool, as_json: bool) -> int:
    """Add what relationship-aware tools need to a memory server's database FILE: to a copy of it."""
    from corpusgraph.flows.interop.sqlite import upgrade_database

    if in_place and to is not None:
        raise click.UsageError("--to is for a copy, not for --in-place.")
    path, added = upgrade_database(file, to=to, in_place=in_place)
    line = f"{path}: {', '.join(added) if added else 'up to date, nothing added'}"
    return tell_report({"file": str(path), "added": added}, [line], as_json=as_json)
