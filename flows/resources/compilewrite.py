"""Writing the compiled graph of a generation from its tables."""

import json
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from corpusgraph.flows.resources.compiledfiles import DOCUMENTS, FACTS, FORMAT, KEPT, ROWS
from corpusgraph.flows.resources.rows import to_arrow
from corpusgraph.flows.resources.tables import SEARCH, TABLES
from corpusgraph.schemas.graph import DENIED, Entity, is_only_denied
from corpusgraph.schemas.ports import Ints
from corpusgraph.tasks.graph.arrays import edges_by_node
from corpusgraph.tasks.graph.lists import Lists, listed

Read = Callable[[str, Sequence[str]], pa.Table]
"""Reads some columns of a table by its name."""


def write_compiled(folder: Path, read: Read) -> bool:
    """Write the arrays and rows of a graph from the tables of a generation.

    False, and nothing is written, where an id comes twice: opening the graph tells which.
    """
    rows = {
        name: read(name, [n for n in TABLES[name].schema().names if n != SEARCH])
        for name in (*KEPT, DOCUMENTS)
    }
    stubs = _missing_ends(rows["entities"], rows["relationships"])
    if stubs:
        made = to_arrow(TABLES["entities"], [Entity(id=id_, is_stub=True) for id_ in stubs])
        rows["entities"] = pa.concat_tables([rows["entities"], made.select(rows["entities"].schema.names)])
    if any(len(pc.unique(table.column("id"))) < table.num_rows for table in rows.values()):
        return False
    folder.mkdir(parents=True)
    rows = {name: _in_id_order(folder / f"{name}.arrow", table) for name, table in rows.items()}
    incidence = read("incidence", ["entity_id", "chunk_id", "count"])
    types, lost = _write_arrays(folder, rows, incidence)
    facts = {"format": FORMAT, "types": types, "stubs": stubs, "lost": lost}
    (folder / FACTS).write_text(json.dumps(facts, ensure_ascii=False), encoding="utf-8")
    return True


DENIAL = ("id", "source_id", "type", "target_id", "weight", "negated_weight")
"""Columns of a relationship that tell whether texts only deny it."""


def _missing_ends(entities: pa.Table, relationships: pa.Table) -> list[str]:
    ends = pa.chunked_array(
        [*relationships.column("source_id").chunks, *relationships.column("target_id").chunks], pa.string()
    )
    known = pc.is_in(ends, value_set=entities.column("id"))
    return sorted(pc.unique(ends.filter(pc.invert(known))).to_pylist())


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
    place = _text_order(chunks)
    mentions, lost = _mentions(incidence, chunks, nodes, place)
    stated = _stated(edges, chunks, place)
    arrays = {
        "source": source,
        "target": target,
        "weight": edges.column("weight").to_numpy(),
        "type_code": _places(edges.column("type"), pa.array(types, pa.string())),
        "denied": denied_edges(edges),
        "edge_start": start,
        "edge": edge,
        "mention_start": mentions.start,
        "mention_chunk": mentions.item,
        "mention_count": mentions.count,
        "stated_start": stated.start,
        "stated_chunk": stated.item,
    }
    for name, array in arrays.items():
        np.save(folder / f"{name}.npy", array)
    return types, lost


def _places(values: Any, known: Any) -> Ints:
    """Return where each value is among the known ones, -1 for one that is not."""
    found = pc.fill_null(pc.index_in(values, value_set=known), -1)
    return np.asarray(found.to_numpy(), dtype=np.int64)


def denied_edges(edges: pa.Table) -> Ints:
    """Return the places of the relationships that texts only deny; few have such a type and are looked at."""
    places = np.flatnonzero(pc.starts_with(edges.column("type"), DENIED).to_numpy())
    rows = edges.select(DENIAL).take(pa.array(places)).to_pydict()
    only = [is_only_denied(*row) for row in zip(*rows.values(), strict=True)]
    found: Ints = places[np.array(only, dtype=bool)]
    return found


def _text_order(chunks: pa.Table) -> Ints:
    """Return the rank of each chunk by document, position and id."""
    keys = [("source_doc", "ascending"), ("position", "ascending"), ("id", "ascending")]
    order = pc.sort_indices(chunks.select([name for name, _ in keys]), sort_keys=keys).to_numpy()
    place = np.empty(len(order), dtype=np.int64)
    place[order] = np.arange(len(order))
    return place


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
