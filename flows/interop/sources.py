"""Import what other systems keep, and export to them: by a folder or file, and the name of an index."""

from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from typing import Literal

from corpusgraph.flows.api import open as open_index
from corpusgraph.flows.api import settings
from corpusgraph.flows.files.manifest import now
from corpusgraph.flows.interop import jsonl, sqlite
from corpusgraph.flows.interop.graphrag_read import graphrag_parcel
from corpusgraph.flows.interop.graphrag_write import write_graphrag
from corpusgraph.flows.interop.memory_parcel import extractions, kept_memory, memory_parcel, operations
from corpusgraph.flows.interop.parcel import (
    ExportReport,
    GivenMemory,
    ImportReport,
    MemoryFormat,
    Parcel,
    publish,
    refuse_existing,
)
from corpusgraph.flows.ports import IndexResources
from corpusgraph.flows.store.store import IndexStore
from corpusgraph.schemas.base import JsonDict
from corpusgraph.schemas.errors import InvalidInputError, shown
from corpusgraph.schemas.memory import Change
from corpusgraph.schemas.ports import Memory
from corpusgraph.schemas.study import IndexOptions
from corpusgraph.tasks.tools.memory.changes import last_in_force

Format = Literal["auto", "graphrag", "sqlite", "jsonl"]
MEMORY_FORMATS: Mapping[Format, MemoryFormat] = {"sqlite": sqlite.FORMAT, "jsonl": jsonl.FORMAT}
"""Files of memory servers; a file is of the first that it fits."""


def import_index(
    path: str | Path,
    name: str | None = None,
    *,
    format: Format = "auto",  # noqa: A002
    into: str | None = None,
    replace: bool = False,
    strict: bool = False,
    embedder: Literal["hashing", "sentence-transformers"] = "hashing",
    outputs: str | Path | None = None,
) -> ImportReport:
    """Open another system's files as a new index, or add a memory to an index; the files are only read.

    Parameters
    ----------
    path : str or Path
        Folder of a GraphRAG index (0.5 to 3.x), or the SQLite database or JSON Lines file of a memory server.
    name : str, optional
        Of the new index; one of `name` and `into`.
    format : Format, default 'auto'
        By what the files are, unless named.
    into : str, optional
        Index that the memory is added to, as one change.
    replace : bool, default False
        Whether an index of that name may be replaced.
    strict : bool, default False
        A single line or row that cannot be used is an error.
    embedder : {'hashing', 'sentence-transformers'}, default 'hashing'
        Makes the vectors of a new index.
    outputs : str or Path, optional
        Folder of all indexes; that of the environment unless given.

    Returns
    -------
    ImportReport
        What was read, counted, with warnings of what was mended or left out.

    Raises
    ------
    InvalidInputError
        For files that are none of these, an index that is there already, both or neither of `name` and
        `into`, and with `strict` for what cannot be used.
    IndexNotFoundError
        Where there is no index `into`.

    """
    source = Path(path).expanduser()
    if (name is None) == (into is None):
        raise InvalidInputError("An import needs the name of a new index, or of one to add to: one of both.")
    kind = _kind(source) if format == "auto" else format
    folder = Path(outputs) if outputs else settings().outputs
    if into is not None:
        return _into(source, kind, into, folder, strict=strict)
    assert name is not None  # noqa: S101 - one of both
    store = IndexStore(folder)
    refuse_existing(store, name, replace=replace)
    memory = None if kind == "graphrag" else _read(source, kind, strict=strict)
    if memory is None:
        parcel, notes = graphrag_parcel(source, strict=strict)
    else:
        parcel, notes = memory_parcel(memory), memory.notes
    manifest = publish(parcel, name, folder, replace=replace, options=IndexOptions(embedder=embedder))
    if memory is not None and memory.log:
        _log(name, folder, memory)
    return ImportReport(
        index=name,
        format=parcel.format,
        source=shown(source),
        generation=manifest.generation,
        counts=dict(manifest.counts),
        warnings=notes.warnings(),
        path=shown(store.folder(name)),
    )


def _kind(source: Path) -> Format:
    """Tell a format by what is at the path."""
    if source.is_dir():
        return "graphrag"
    if not source.is_file():
        hint = "Give a folder of GraphRAG tables, a SQLite database, or a file of JSON lines."
        raise InvalidInputError(f"Nothing at {shown(source)}.", hint=hint, code="not_a_memory")
    if source.suffix == ".parquet":
        hint = f"Give the folder that holds it: {shown(source.parent)}."
        raise InvalidInputError(f"{shown(source)} is one table of an index.", hint=hint, code="not_an_index")
    return next(name for name, format_ in MEMORY_FORMATS.items() if format_.fits(source))


def _read(source: Path, kind: Format, *, strict: bool) -> GivenMemory:
    if not source.is_file():
        raise InvalidInputError(f"No file at {shown(source)}.", code="not_a_memory")
    return MEMORY_FORMATS[kind].read(source, strict=strict)


def _into(source: Path, kind: Format, into: str, outputs: Path, *, strict: bool) -> ImportReport:
    if kind == "graphrag":
        hint = f"Import it as an index of its own: `corpusgraph import {shown(source)} --name NAME`."
        raise InvalidInputError("A GraphRAG index cannot be added to the memory of another.", hint=hint)
    memory = _read(source, kind, strict=strict)
    opened = open_index(into, outputs)
    made = operations(memory, opened)
    port = memory_of(into, outputs)
    number = port.record(made, by="import", request_id="", at=now()).number if made else None
    if memory.log:
        _log(into, outputs, memory)
    kinds = {"create_entity": "entities", "observe": "observations", "relate": "relationships"}
    counts = dict.fromkeys(kinds.values(), 0)
    for operation in made:
        counts[kinds[operation.op]] += len(getattr(operation, "contents", " "))
    return ImportReport(
        index=into,
        format=kind,
        source=shown(source),
        change=number,
        counts=counts,
        warnings=memory.notes.warnings(),
        path=shown(IndexStore(outputs).folder(into)),
    )


def _log(name: str, outputs: Path, memory: GivenMemory) -> None:
    """Keep the extraction log in the journal, each line with its own time, once."""
    port = memory_of(name, outputs)
    there = {(change.at, line.entity.id, line.found) for change, line in port.extractions()}
    for at, line in extractions(memory, open_index(name, outputs).graph):
        if (at or "", line.entity.id, line.found) not in there:
            port.record([line], by="import", request_id="", at=at or now())


def new_memory(name: str, *, replace: bool = False, outputs: str | Path | None = None) -> ImportReport:
    """Make an empty index that memory tools can fill.

    Parameters
    ----------
    name : str
        Of the index.
    replace : bool, default False
        Whether an index of that name may be replaced.
    outputs : str or Path, optional
        Folder of all indexes; that of the environment unless given.

    Returns
    -------
    ImportReport
        Without counts: there is nothing in it.

    Raises
    ------
    InvalidInputError
        `index_exists`, where there is one and it may not be replaced.

    """
    folder = Path(outputs) if outputs else settings().outputs
    manifest = publish(Parcel("memory", ""), name, folder, replace=replace)
    path = shown(IndexStore(folder).folder(name))
    return ImportReport(
        index=name, format="memory", source="", generation=manifest.generation, counts={}, path=path
    )


def export_memory(
    name: str,
    to: str | Path,
    *,
    format: Format = "auto",  # noqa: A002
    outputs: str | Path | None = None,
) -> ExportReport:
    """Write an index, its memory included, as another system's memory.

    Parameters
    ----------
    name : str
        Of the index.
    to : str or Path
        A file, which is replaced in one step.
    format : Format, default 'auto'
        By the ending of the file unless named.
    outputs : str or Path, optional
        Folder of all indexes; that of the environment unless given.

    Returns
    -------
    ExportReport
        The file, and how many rows or lines it has.

    Raises
    ------
    InvalidInputError
        For another format than sqlite and jsonl.
    IndexNotFoundError
        Where there is no such index.
    OutputError
        Where the file cannot be written.

    """
    target = Path(to).expanduser()
    kind = format
    if format == "auto":
        ending = target.suffix.casefold()
        kind = next((known for known, made in MEMORY_FORMATS.items() if ending in made.endings), "jsonl")
    if kind not in MEMORY_FORMATS:
        known = " or ".join(MEMORY_FORMATS)
        raise InvalidInputError(f"A memory is written as {known}, not as {kind!r}.")
    opened = open_index(name, outputs)
    counts = MEMORY_FORMATS[kind].write(kept_memory(opened, opened.memory, kind), target)
    return ExportReport(index=opened.name, format=kind, files=(shown(target),), counts=counts)


def export_graphrag(
    name: str,
    to: str | Path | None = None,
    *,
    version: Literal["3", "2", "1", "0.5"] = "3",
    outputs: str | Path | None = None,
) -> ExportReport:
    """Write an index, its memory included, as Microsoft GraphRAG of a version would have written it.

    Parameters
    ----------
    name : str
        Of the index.
    to : str or Path, optional
        Folder; `graphrag` in that of the index unless given.
    version : {'3', '2', '1', '0.5'}, default '3'
        Of GraphRAG: names and columns of tables differ.
    outputs : str or Path, optional
        Folder of all indexes; that of the environment unless given.

    Returns
    -------
    ExportReport
        The files, and how many rows each has.

    Raises
    ------
    IndexNotFoundError
        Where there is no such index.
    OutputError
        Where the folder cannot be written.

    """
    folder = Path(outputs) if outputs else settings().outputs
    opened = open_index(name, folder)
    target = Path(to).expanduser() if to else IndexStore(folder).folder(opened.name) / "graphrag"
    counts = write_graphrag(opened, target, version)
    files = tuple(shown(target / f"{table}.parquet") for table in counts)
    return ExportReport(index=opened.name, format=f"graphrag {version}", files=files, counts=counts)


def changes_of(name: str, outputs: Path) -> JsonDict:
    """Return all changes of an index in order, each with what it did in words.

    Parameters
    ----------
    name : str
        Of the index.
    outputs : Path
        Folder of all indexes.

    Returns
    -------
    JsonDict
        `{"index", "changes"}`; oldest first, also those undone.

    Raises
    ------
    IndexNotFoundError
        Where there is no such index.

    """
    port = memory_of(name, outputs)
    undone = port.undone()
    lines = [
        {
            "number": change.number,
            "at": change.at,
            "by": change.by,
            "undone": change.number in undone,
            "undoes": change.undoes,
            "what": _told(change),
            "operations": [operation.model_dump(mode="json") for operation in change.operations],
        }
        for change in port.changes()
    ]
    return {"index": name, "changes": lines}


def undo_change(name: str, number: int | None, outputs: Path) -> JsonDict:
    """Undo a change and return the one that does so.

    Parameters
    ----------
    name : str
        Of the index.
    number : int or None
        Of the change; None for the last in force.
    outputs : Path
        Folder of all indexes.

    Returns
    -------
    JsonDict
        As the journal has it.

    Raises
    ------
    IndexNotFoundError
        Where there is no such index.
    CorpusgraphError
        For a change that is unknown, or undone already.

    """
    memory = memory_of(name, outputs)
    number = last_in_force(memory) if number is None else number
    change = memory.undo(number, by="undo_change", request_id="", at=now())
    return change.model_dump(mode="json")


def memory_of(name: str, outputs: Path) -> Memory:
    """Return the memory of an index.

    Parameters
    ----------
    name : str
        Of the index.
    outputs : Path
        Folder of all indexes.

    Returns
    -------
    Memory
        As it is now, and follows what is added.

    Raises
    ------
    IndexNotFoundError
        Where there is no such index.

    """
    port: Memory = IndexResources(open_index(name, outputs))["memory"]
    return port


def _told(change: Change) -> str:
    """Say what a change did: of one operation its names, of many how many of each there are."""
    if change.undoes is not None:
        return f"undo {change.undoes}"
    if len(change.operations) != 1:
        counts = Counter(operation.op for operation in change.operations)
        return ", ".join(f"{count:,} {op.replace('_', ' ')}" for op, count in sorted(counts.items()))
    (operation,) = change.operations
    held = operation.model_dump(mode="json")
    names = [str(held["name"])] if "name" in held else []
    ends = (held.get(key) for key in ("entity", "source", "target", "into"))
    names += [str(end["name"]) for end in ends if isinstance(end, dict)]
    kind = f" {held['type']}" if held.get("type") and "source" in held else ""
    return f"{operation.op.replace('_', ' ')}{kind}: {' -> '.join(dict.fromkeys(names))}"
