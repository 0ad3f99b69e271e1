"""What the command line shows of indexes that are there, and writes of their graphs."""

from pathlib import Path
from typing import TYPE_CHECKING

from rich.markup import escape

from corpusgraph.flows import api
from corpusgraph.flows.cli.console import counts_table, say_failure
from corpusgraph.schemas.base import JsonDict
from corpusgraph.schemas.errors import CorpusgraphError, shown
from corpusgraph.schemas.settings import Settings

if TYPE_CHECKING:
    from corpusgraph.flows.store.store import IndexStore


def status(name: str | None, settings: Settings) -> JsonDict:
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


def export(name: str, kind: str, to: Path | None, settings: Settings) -> list[Path]:
    """Write the graph of an index in a format; returns the files."""
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
