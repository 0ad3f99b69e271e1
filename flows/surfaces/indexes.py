"""What the command line shows of indexes that are there, and writes of their graphs."""

from pathlib import Path
from typing import Any

from rich.markup import escape

from corpusgraph.flows import door
from corpusgraph.flows.surfaces.console import counts_table, say_failure
from corpusgraph.schemas.base import JsonDict
from corpusgraph.schemas.errors import shown
from corpusgraph.schemas.settings import Settings


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
    console.print(counts_table(found["counts"]))
    for failure in found["failures"]:
        say_failure(console, failure["source"], failure["message"], failure["code"])


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
