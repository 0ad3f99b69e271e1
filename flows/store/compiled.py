"""The compiled graph on disk: `compiled/<serial>/` beside the database.

Arrow files hold the rows of a graph in id order, .npy files its arrays; both are mapped into memory, so
that opening reads nothing that is not looked at. What is there can always be made again from the tables: an
index without the folder, or with one of another format, is compiled when it is opened.
"""

import json
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Generic, TypeVar, overload

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from corpusgraph.flows.store.tables import SEARCH, TABLES, RowReader, TableSpec, to_arrow, to_nouns
from corpusgraph.schemas.base import JsonDict, nfc
from corpusgraph.schemas.evidence import Event
from corpusgraph.schemas.graph import DENIED, Entity, is_only_denied
from corpusgraph.schemas.ports import Ints
from corpusgraph.tasks.graph.columnar import ColumnarGraph, Nouns, Tables
from corpusgraph.tasks.graph.compiled import CompiledGraph, GraphArrays, Lists, edges_by_node, listed
from corpusgraph.tasks.graph.names import Naming, folded_aliases
from corpusgraph.tasks.graph.view import repairs

FORMAT = 1
FACTS = "facts.json"
KEPT = ("entities", "relationships", "chunks", "communities", "reports")
DOCUMENTS = "documents"
"""Kept beside the graph, so that answering needs no database."""
EVENTS = "events"
"""Kept likewise, but not by every generation of this format."""
ROWS = 65_536
"""Rows of a record batch: row i is in batch i // ROWS."""
ENDS = ("source", "target", "weight", "type_code", "denied")
ARRAYS = (
    *ENDS,
    "edge_start",
    "edge",
    "mention_start",
    "mention_chunk",
    "mention_count",
    "stated_start",
    "stated_chunk",
)

T = TypeVar("T")


class Column(Sequence[str]):
    """A column of strings of which as much is read as is looked at."""

    def __init__(self, values: pa.ChunkedArray) -> None:
        self._values = values

    def __len__(self) -> int:
        return len(self._values)

    @overload
    def __getitem__(self, at: int) -> str: ...
    @overload
    def __getitem__(self, at: slice) -> Sequence[str]: ...
    def __getitem__(self, at: int | slice) -> str | Sequence[str]:
        values = self._values[at]
        found: str | list[str] = values.to_pylist() if isinstance(at, slice) else values.as_py()
        return found

    def __iter__(self) -> Iterator[str]:
        return iter(self._values.to_pylist())


class ArrowRecords(Generic[T]):
    """Rows of an Arrow file that is mapped into memory."""

    def __init__(self, spec: TableSpec, path: Path) -> None:
        reader = pa.ipc.open_file(pa.memory_map(str(path)))
        self._spec = spec
        self._readers: dict[int, RowReader] = {}
        self._batches = [reader.get_batch(i) for i in range(reader.num_record_batches)]
        self.table = pa.Table.from_batches(self._batches, reader.schema)
        self.ids = Column(self.table.column("id"))

    def one(self, at: int) -> T:
        """Make the noun of a row."""
        batch, row = divmod(at, ROWS)
        if (reader := self._readers.get(batch)) is None:
            reader = self._readers[batch] = RowReader(self._spec, self._batches[batch])
        noun: T = reader.noun(row)
        return noun

    def column(self, name: str) -> "np.ndarray[Any, Any]":
        """Return a column of all rows (n,); pyarrow's own way imports pandas, which takes half a second.

        Parameters
        ----------
        name : str
            Name of the column.

        Returns
        -------
        ndarray[Any, Any]
            float64 where all are there, bool for flags, else objects, None for missing.

        """
        held = self.table.column(name)
        if pa.types.is_floating(held.type) and not held.null_count:
            parts = [np.from_dlpack(part) for part in held.chunks if len(part)]
            return np.concatenate(parts or [np.zeros(0)])
        is_flag = pa.types.is_boolean(held.type) and not held.null_count
        return np.array(held.to_pylist(), dtype=bool if is_flag else object)

    def some(self, start: int, stop: int) -> Sequence[T]:
        """Make the nouns of a stretch of rows."""
        return to_nouns(self._spec, self.table.slice(start, stop - start))


def _kept(folder: Path, *names: str) -> "tuple[JsonDict, dict[str, ArrowRecords[Any]]] | None":
    """Return the facts and tables that are kept; None where they are not kept in this format."""
    try:
        facts = json.loads((folder / FACTS).read_bytes())
        rows = {name: ArrowRecords[Any](TABLES[name], folder / f"{name}.arrow") for name in names}
        return (facts, rows) if facts["format"] == FORMAT else None
    except (OSError, ValueError, KeyError):  # ArrowInvalid is a ValueError
        return None


def read_rows(folder: Path, table: str) -> ArrowRecords[Any] | None:
    """Open a kept table; None where it is not kept in this format.

    Parameters
    ----------
    folder : Path
        Of the compiled graph of a generation.
    table : str
        Such as documents, or a table of the graph.

    Returns
    -------
    ArrowRecords or None
        Its rows, in order of their ids.

    """
    kept = _kept(folder, table)
    return None if kept is None else kept[1][table]


def read_events(folder: Path, chunks: Collection[str], time: str) -> Sequence[Event] | None:
    """Return the events that some chunks state, and those that begin at a time; None where none are kept.

    Parameters
    ----------
    folder : Path
        `compiled/<serial>` of the generation.
    chunks : collection of str
        Ids of chunks.
    time : str
        How a timestamp begins, ISO 8601; "" for no time.

    Returns
    -------
    sequence of Event or None
        In id order.

    """
    if (kept := read_rows(folder, EVENTS)) is None:
        return None
    table = kept.table
    wanted = pc.is_in(table.column("chunk_id"), value_set=pa.array(list(chunks), pa.string()))
    if time:
        wanted = pc.or_(wanted, pc.starts_with(table.column("timestamp"), time))
    return to_nouns(TABLES[EVENTS], table.filter(wanted))


def ids_of(folder: Path, table: str) -> pa.ChunkedArray:
    """Return the ids of a kept table as Arrow has them.

    Parameters
    ----------
    folder : Path
        `compiled/<serial>` of the generation.
    table : str
        Name of a table that is kept.

    Returns
    -------
    ChunkedArray
        In order, mapped from the file.

    """
    return ArrowRecords[Any](TABLES[table], folder / f"{table}.arrow").table.column("id")


def read_compiled(folder: Path) -> ColumnarGraph | None:
    """Open the compiled graph of a generation; None where there is none of this format.

    Parameters
    ----------
    folder : Path
        `compiled/<serial>` of the generation.

    Returns
    -------
    ColumnarGraph or None
        Arrays are mapped, models made when they are looked at.

    """
    if (kept := _kept(folder, *KEPT)) is None:
        return None
    try:
        arrays = {name: _mapped(folder / f"{name}.npy") for name in ARRAYS}
    except (OSError, ValueError):
        return None
    facts, records = kept
    tables = Tables(*(Nouns(records[name]) for name in KEPT))
    nodes = CompiledGraph(
        ids=tables.entities.ids,
        **{name: arrays[name] for name in ENDS},
        type_names=tuple(facts["types"]),
        by_node=(arrays["edge_start"], arrays["edge"]),
    )
    stated: Ints = arrays["stated_chunk"]
    compiled = GraphArrays(
        nodes,
        tables.relationships.ids,
        tables.chunks.ids,
        Lists(arrays["mention_start"], arrays["mention_chunk"], arrays["mention_count"]),
        Lists(arrays["stated_start"], stated, np.ones(len(stated), dtype=np.int64)),
    )
    return ColumnarGraph(
        tables,
        compiled,
        called=lambda: _called(records["entities"].table),
        short_ids=lambda name: records[name].table.column("short_id").to_pylist(),
        warnings=repairs(facts["stubs"], facts["lost"]),
    )


def _mapped(path: Path) -> Any:
    try:
        return np.asarray(np.load(path, mmap_mode="r"))
    except ValueError:  # an empty array cannot be mapped
        return np.load(path)


def _called(entities: pa.Table) -> Naming:
    from pydantic_core import from_json

    ids, written = entities.column("id").to_pylist(), entities.column("name").to_pylist()
    names = [nfc(name or id_) for name, id_ in zip(written, ids, strict=True)]
    attributes = entities.column("attributes").to_pylist()
    aliases = [folded_aliases(from_json(text)) if text and '"aliases"' in text else [] for text in attributes]
    return Naming(names, entities.column("short_id").to_pylist(), aliases)


Read = Callable[[str, Sequence[str]], pa.Table]
"""Reads some columns of a table by its name."""


def write_compiled(folder: Path, read: Read) -> bool:
    """Write the arrays and rows of a graph from the tables of a generation.

    False, and nothing is written, where an id comes twice: opening the graph tells which.

    Parameters
    ----------
    folder : Path
        `compiled/<serial>` of the generation; it must not be there yet.
    read : Read
        Reads columns of a table of the generation.

    Returns
    -------
    bool
        Whether it was written; missing ends of relationships are in it as stubs.

    """
    rows = {name: _whole(read, name) for name in (*KEPT, DOCUMENTS)}
    ends = [rows["relationships"].column(end) for end in ("source_id", "target_id")]
    named = pa.chunked_array([chunk for column in ends for chunk in column.chunks], pa.string())
    is_known = pc.is_in(named, value_set=rows["entities"].column("id"))
    stubs = sorted(pc.unique(named.filter(pc.invert(is_known))).to_pylist())
    if stubs:
        made = to_arrow(TABLES["entities"], [Entity(id=id_, is_stub=True) for id_ in stubs])
        rows["entities"] = pa.concat_tables([rows["entities"], made.select(rows["entities"].schema.names)])
    if any(len(pc.unique(table.column("id"))) < table.num_rows for table in rows.values()):
        return False
    folder.mkdir(parents=True)
    rows = {name: _in_id_order(folder / f"{name}.arrow", table) for name, table in rows.items()}
    _in_id_order(folder / f"{EVENTS}.arrow", _whole(read, EVENTS))
    incidence = read("incidence", ["entity_id", "chunk_id", "count"])
    types, lost = _write_arrays(folder, rows, incidence)
    facts = {"format": FORMAT, "types": types, "stubs": stubs, "lost": lost}
    (folder / FACTS).write_text(json.dumps(facts, ensure_ascii=False), encoding="utf-8")
    return True


def _whole(read: Read, name: str) -> pa.Table:
    return read(name, [n for n in TABLES[name].schema().names if n != SEARCH])


DENIAL = ("id", "source_id", "type", "target_id", "weight", "negated_weight")
"""Columns of a relationship that tell whether texts only deny it."""


def _in_id_order(path: Path, table: pa.Table) -> pa.Table:
    """Write rows in id order, uncompressed, in batches of one size; return them as they are in the file."""
    order = pc.sort_indices(table.column("id"))
    with pa.ipc.new_file(str(path), table.schema) as file:
        for at in range(0, table.num_rows, ROWS):
            file.write_table(table.take(order[at : at + ROWS]).combine_chunks(), max_chunksize=ROWS)
    return pa.ipc.open_file(pa.memory_map(str(path))).read_all()


def _write_arrays(
    folder: Path, rows: Mapping[str, pa.Table], incidence: pa.Table
) -> tuple[list[str], list[str]]:
    """Write the arrays; return the names of relationship types, and the mentions that are left out."""
    edges, chunks, nodes = rows["relationships"], rows["chunks"], rows["entities"].column("id")
    source, target = (_places(edges.column(end), nodes) for end in ("source_id", "target_id"))
    types = sorted(pc.unique(edges.column("type")).to_pylist())
    start, edge = edges_by_node(len(nodes), source, target)
    # the rank of each chunk by document, position and id
    keys = [(name, "ascending") for name in ("source_doc", "position", "id")]
    order = pc.sort_indices(chunks.select(["source_doc", "position", "id"]), sort_keys=keys).to_numpy()
    place = np.empty(len(order), dtype=np.int64)
    place[order] = np.arange(len(order))
    mentions, lost = _mentions(incidence, chunks, nodes, place)
    stated = _stated(edges, chunks, place)
    codes = _places(edges.column("type"), pa.array(types, pa.string()))
    ends = (source, target, edges.column("weight").to_numpy(), codes, denied_edges(edges))
    lists = (start, edge, mentions.start, mentions.item, mentions.count, stated.start, stated.item)
    for name, array in zip(ARRAYS, (*ends, *lists), strict=True):
        np.save(folder / f"{name}.npy", array)
    return types, lost


def _places(values: Any, known: Any) -> Ints:
    """Return where each value is among the known ones, -1 for one that is not."""
    found = pc.fill_null(pc.index_in(values, value_set=known), -1)
    return np.asarray(found.to_numpy(), dtype=np.int64)


def denied_edges(edges: pa.Table) -> Ints:
    """Return the places of the relationships that texts only deny; few have such a type and are looked at.

    Parameters
    ----------
    edges : Table
        The table of relationships.

    Returns
    -------
    array of int
        Ascending.

    """
    places = np.flatnonzero(pc.starts_with(edges.column("type"), DENIED).to_numpy())
    rows = edges.select(DENIAL).take(pa.array(places)).to_pydict()
    only = [is_only_denied(*row) for row in zip(*rows.values(), strict=True)]
    found: Ints = places[np.array(only, dtype=bool)]
    return found


def _mentions(incidence: pa.Table, chunks: pa.Table, nodes: Any, place: Ints) -> tuple[Lists, list[str]]:
    """Group mentions by entity; where the index has no rows of incidence, `Chunk.entities` tells."""
    if incidence.num_rows:
        entity, chunk = (incidence.column(name).combine_chunks() for name in ("entity_id", "chunk_id"))
        at, count = _places(chunk, chunks.column("id")), incidence.column("count").to_numpy()
    else:
        at, entity = _flat(chunks.column("entities"))
        chunk, count = chunks.column("id").take(pa.array(at)), None
    node = _places(entity, nodes)
    known = (node >= 0) & (at >= 0)
    lost = [(entity[i].as_py(), chunk[i].as_py()) for i in np.flatnonzero(~known).tolist()]
    numbers = np.ones(len(node), dtype=np.int64) if count is None else count
    made = listed(node[known], at[known], numbers[known], place, len(nodes))
    if count is None:  # a chunk lists an entity, however often
        made, lost = Lists(made.start, made.item, np.ones_like(made.item)), list(dict.fromkeys(lost))
    return made, [f"{entity_id}@{chunk_id}" for entity_id, chunk_id in lost]


def _stated(edges: pa.Table, chunks: pa.Table, place: Ints) -> Lists:
    edge, told = _flat(edges.column("chunk_ids"))
    there, other = _flat(chunks.column("relationships"))
    edge = np.concatenate([edge, _places(other, edges.column("id"))])
    chunk = np.concatenate([_places(told, chunks.column("id")), there])
    known = (edge >= 0) & (chunk >= 0)
    return listed(edge[known], chunk[known], np.ones(known.sum(), dtype=np.int64), place, edges.num_rows)


def _flat(lists: Any) -> tuple[Ints, Any]:
    """Return all items of a column of lists, and for each the row it is of."""
    whole = lists.combine_chunks()
    row = np.asarray(pc.list_parent_indices(whole).to_numpy(), dtype=np.int64)
    return row, pc.list_flatten(whole)
