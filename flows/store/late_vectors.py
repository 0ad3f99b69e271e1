"""Vectors of a trained embedder that are made when they are first searched, not while indexing.

A trained model reads some dozens of texts a second. Passages are embedded while indexing; names, facts and
reports, three tokens of four, when a method first compares them with a question. They are kept in a table
of their own beside those of the generation.
"""

import logging
import os
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any, TypeVar

from corpusgraph.flows.embed.embedders import CachedEmbedder, embedder_for, once
from corpusgraph.flows.files.cache import StageCache
from corpusgraph.flows.files.disk import guarded, remove_tree, sync_tree
from corpusgraph.flows.files.manifest import COMPILED, DATABASE, Manifest, unless_gone
from corpusgraph.flows.store.vectors import is_sparse, write_postings
from corpusgraph.flows.store.writer import GenerationWriter
from corpusgraph.schemas.base import Noun
from corpusgraph.schemas.graph import Community, CommunityReport, Entity, Relationship
from corpusgraph.schemas.ports import Embedder, Floats
from corpusgraph.tasks.build.embedded import writers
from corpusgraph.tasks.graph.ranking import is_lexical

log = logging.getLogger(__name__)

LATE = frozenset({"entities", "relationships", "reports"})
"""Tables whose vectors a trained embedder makes when they are first searched."""
ROWS = 1024
"""Rows embedded and written at a time."""
LOCK = "vectors.lock"
"""In the database's folder. Not the writer's lock: while an indexing run has that, the index is searched."""

N = TypeVar("N", bound=Noun)


def add_embedded(
    writer: GenerationWriter, embedder: Embedder, table: str, items: Sequence[N], text: Callable[[N], str]
) -> None:
    """Write rows with the vectors of their texts; for a trained embedder those of LATE without.

    `has_embedding` tells whether there is a text, whenever it is embedded.

    Parameters
    ----------
    writer : GenerationWriter
        Of the generation.
    embedder : Embedder
        Makes the vectors.
    table : str
        Name of the table.
    items : sequence of N
        In the order of the table.
    text : callable
        Item -> the text that is embedded; "" for one that has none.

    """
    late = table in LATE and not is_lexical(embedder)
    marked = bool(items) and "has_embedding" in type(items[0]).model_fields
    for at in range(0, len(items), ROWS):
        group = items[at : at + ROWS]
        texts = [text(item) for item in group]
        rows = [
            item.model_copy(update={"has_embedding": bool(said)}) if marked else item
            for item, said in zip(group, texts, strict=True)
        ]
        writer.add(table, rows, None if late else embedder.embed(texts))
        if late and isinstance(embedder, CachedEmbedder):
            embedder.keep(texts)  # what an earlier generation was asked for is not embedded again


def add_graph(
    writer: GenerationWriter,
    embedder: Embedder,
    entities: Sequence[Entity],
    relationships: Sequence[Relationship],
    communities: Sequence[Community],
    reports: Sequence[CommunityReport],
) -> None:
    """Write a graph, embedded as `add_embedded` does.

    Parameters
    ----------
    writer : GenerationWriter
        Of the generation.
    embedder : Embedder
        Makes the vectors.
    entities, relationships, communities, reports : sequence
        In the order of their tables.

    """
    names = {entity.id: entity.name for entity in entities}
    texts = writers(names, alone=not is_lexical(embedder))
    add_embedded(writer, embedder, "entities", entities, texts["entities"])
    add_embedded(writer, embedder, "relationships", relationships, texts["relationships"])
    writer.add("communities", communities)
    add_embedded(writer, embedder, "reports", reports, texts["reports"])


def vector_table(folder: Path, manifest: Manifest, table: str, matrix_rows: int) -> Any:
    """Return the Lance table (id, vector) of a table in LATE, made now unless it is there.

    One process makes it while others wait; in a folder that cannot be written it is made in memory. As
    `GenerationWriter` does, vectors that are mostly 0 are kept by dimension too.

    Parameters
    ----------
    folder : Path
        Of the index.
    manifest : Manifest
        Of the generation.
    table : str
        Name of the table.
    matrix_rows : int
        More vectors than this get an index of their own.

    Returns
    -------
    Any
        A table of lancedb.

    Raises
    ------
    EmbedderMismatchError
        Where the embedder is not the one that embedded the passages.

    """
    from corpusgraph.flows.store.lance import connect

    name = f"{table}vectors-{manifest.serial}"
    place = folder / DATABASE / f"{name}.lance"
    if not place.exists() and not os.access(folder / DATABASE, os.W_OK):
        return _in_memory(folder, manifest, table)
    if not place.exists():
        from filelock import FileLock

        with guarded(folder), FileLock(folder / DATABASE / LOCK):
            if not place.exists():
                _make(folder, manifest, table, matrix_rows, place)
    with unless_gone(manifest, table):
        return connect(folder / DATABASE).open_table(name)


def _make(folder: Path, manifest: Manifest, table: str, matrix_rows: int, place: Path) -> None:
    """Write the table under another name and rename it: it is there as a whole or not at all."""
    from corpusgraph.flows.store.compiled import ids_of
    from corpusgraph.flows.store.lance import connect, index_vectors, write_vectors
    from corpusgraph.flows.store.tables import TABLES

    unfinished = f"{table}unfinished-{manifest.serial}"
    written = place.with_name(f"{unfinished}.lance")
    remove_tree(written)
    embedder = once(embedder_for(manifest), StageCache(folder / "cache"))
    batches = _embedded(folder, manifest, table, embedder)
    vectors, filled = write_vectors(connect(folder / DATABASE), unfinished, batches, embedder.dimension)
    n_rows, compiled = manifest.tables[table].rows, folder / COMPILED / str(manifest.serial)
    if is_sparse(filled, n_rows) and compiled.is_dir():  # where most relationships have no text
        write_postings(compiled, str(TABLES[table].kind), ids_of(compiled, table), vectors, filled)
        sync_tree(compiled)
    elif n_rows > matrix_rows and filled.any():
        index_vectors(vectors)
    sync_tree(written)
    written.rename(place)


def _in_memory(folder: Path, manifest: Manifest, table: str) -> Any:
    import lancedb

    from corpusgraph.flows.store.lance import write_vectors

    message = "Index %s cannot be written: the vectors of its %s are made anew in each process."
    log.warning(message, manifest.index, table)
    embedder = embedder_for(manifest)
    batches = _embedded(folder, manifest, table, embedder)
    return write_vectors(lancedb.connect("memory://"), table, batches, embedder.dimension)[0]


def _embedded(
    folder: Path, manifest: Manifest, table: str, embedder: Embedder
) -> Iterator[tuple[list[str], Floats]]:
    """Yield ids and vectors of a table's rows, from the texts that they were written with."""
    from corpusgraph.flows.store.lance import open_table, read, scan
    from corpusgraph.flows.store.tables import SEARCH, TABLES, to_nouns, with_defaults

    spec = TABLES[table]
    wanted = [name for name in spec.schema().names if name != SEARCH]
    with unless_gone(manifest, table):
        opened = open_table(folder / DATABASE, manifest.tables[table])
        entities = read(open_table(folder / DATABASE, manifest.tables["entities"]), ["id", "name"])
    names = dict(zip(*(entities.column(name).to_pylist() for name in ("id", "name")), strict=True))
    text = writers(names, alone=True)[table]
    log.info("Embedding %d %s of index %s.", manifest.tables[table].rows, table, manifest.index)
    for batch in scan(opened, [name for name in wanted if name in opened.schema.names], ROWS):
        items = to_nouns(spec, with_defaults(spec, batch, wanted))
        yield [item.id for item in items], embedder.embed([text(item) for item in items])
