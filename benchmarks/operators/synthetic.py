"""An index of a size to measure at: a power-law graph with chunks, communities and vectors, fixed seed."""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from corpusgraph.flows.embed.hashing import HashingEmbedder
from corpusgraph.flows.store.store import IndexStore

SEED = 7
EXPONENT = 0.6
"""Entity k is an end of a relationship in proportion to k ** -0.6: degrees follow a power law."""
BATCH = 20_000
LEVELS = (50, 500, 5_000)
"""Communities of each level."""
TYPES = tuple(f"verb_{i:02}" for i in range(20))

Ints = NDArray[np.int64]


@dataclass(frozen=True)
class Made:
    """The edges, in id order, and the words that texts are made of."""

    n_entities: int
    source: Ints
    target: Ints
    weight: NDArray[np.float64]
    words: list[str]
    names: list[str]

    @property
    def ids(self) -> list[str]:
        """Ids of entities, in order."""
        return [entity_id(i) for i in range(self.n_entities)]


def entity_id(i: int) -> str:
    """Return the id of an entity."""
    return f"ent_{i:016x}"


def edge_id(i: int) -> str:
    """Return the id of a relationship."""
    return f"rel_{i:016x}"


def chunk_id(i: int) -> str:
    """Return the id of a chunk."""
    return f"chk_{i:016x}"


def draw(n_entities: int, n_relationships: int) -> Made:
    """Draw the graph."""
    rng = np.random.default_rng(SEED)
    share = np.arange(1, n_entities + 1, dtype=np.float64) ** -EXPONENT
    ranks = rng.permutation(n_entities)
    ends = ranks[rng.choice(n_entities, size=(2, n_relationships), p=share / share.sum())]
    letters = np.array(list("abcdefghiklmnoprstuvwyz"))
    spelt = letters[rng.integers(0, len(letters), (20_000, 9))].tolist()
    words = sorted({"".join(row[: 4 + i % 6]) for i, row in enumerate(spelt)})
    pairs = rng.integers(0, len(words), (n_entities, 2)).tolist()
    names = [f"{words[one]} {words[other]}".title() for one, other in pairs]
    weight = np.round(rng.uniform(0.5, 5, n_relationships), 3)
    return Made(n_entities, ends[0].astype(np.int64), ends[1].astype(np.int64), weight, words, names)


def write(made: Made, outputs: Path, n_chunks: int) -> None:
    """Publish the index `bench`, as an indexing run would."""
    rng = np.random.default_rng(SEED + 1)
    embedder = HashingEmbedder()
    chunk_of = np.sort(rng.integers(0, n_chunks, len(made.source)))
    with IndexStore(outputs).write("bench") as writer:
        for table, rows in (
            ("entities", _entities(made, rng)),
            ("relationships", _relationships(made, rng, chunk_of)),
            ("chunks", _chunks(made, rng, n_chunks)),
            ("reports", _reports(made, rng)),
        ):
            for batch in _batches(rows):
                writer.add(table, batch, embedder.embed([row.pop("text") for row in batch]))
            writer.finish(table)
        for batch in _batches(_communities(made)):
            writer.add("communities", batch)
        for batch in _batches(_incidence(made, chunk_of)):
            writer.add("incidence", batch)
        writer.publish({"embedder": {"name": embedder.name, "dimension": embedder.dimension}})


def _batches(rows: Iterator[dict[str, Any]]) -> Iterator[list[dict[str, Any]]]:
    batch: list[dict[str, Any]] = []
    for row in rows:
        batch.append(row)
        if len(batch) == BATCH:
            yield batch
            batch = []
    if batch:
        yield batch


def _sentences(made: Made, rng: np.random.Generator, n: int, length: int) -> Iterator[str]:
    for at in range(0, n, BATCH):
        picks = rng.integers(0, len(made.words), (min(BATCH, n - at), length))
        for row in picks.tolist():
            yield " ".join(made.words[i] for i in row)


def _entities(made: Made, rng: np.random.Generator) -> Iterator[dict[str, Any]]:
    told = _sentences(made, rng, made.n_entities, 8)
    for i, (name, text) in enumerate(zip(made.names, told, strict=True)):
        yield {
            "id": entity_id(i),
            "name": name,
            "type": "thing",
            "description": text,
            "short_id": i,
            "text": f"{name}: {text}",
        }


def _relationships(made: Made, rng: np.random.Generator, chunk_of: Ints) -> Iterator[dict[str, Any]]:
    types = rng.integers(0, len(TYPES), len(made.source)).tolist()
    told = _sentences(made, rng, len(made.source), 4)
    ends = zip(
        made.source.tolist(), made.target.tolist(), made.weight.tolist(), chunk_of.tolist(), strict=True
    )
    for i, ((source, target, weight, chunk), text) in enumerate(zip(ends, told, strict=True)):
        yield {
            "id": edge_id(i),
            "source_id": entity_id(source),
            "target_id": entity_id(target),
            "type": TYPES[types[i]],
            "weight": weight,
            "description": text,
            "chunk_ids": (chunk_id(chunk),),
            "short_id": i,
            "text": f"{made.names[source]} {made.names[target]} {text}",
        }


def _chunks(made: Made, rng: np.random.Generator, n_chunks: int) -> Iterator[dict[str, Any]]:
    for i, text in enumerate(_sentences(made, rng, n_chunks, 60)):
        yield {
            "id": chunk_id(i),
            "content": text,
            "source_doc": f"doc_{i // 20:012}",
            "position": i % 20,
            "n_tokens": 80,
            "text": text,
        }


def _groups(made: Made, level: int) -> Ints:
    """Return the community of each entity: those of a finer level lie inside one of the coarser."""
    return np.arange(made.n_entities) * LEVELS[level] // made.n_entities


def _communities(made: Made) -> Iterator[dict[str, Any]]:
    for level, count in enumerate(LEVELS):
        groups = _groups(made, level)
        for i in range(count):
            members = (
                np.flatnonzero(groups == i) if level == 0 else np.arange(*np.searchsorted(groups, [i, i + 1]))
            )
            yield {
                "id": f"com_{level}{i:08}",
                "entity_ids": tuple(entity_id(int(m)) for m in members),
                "level": level,
                "title": f"Community {level}.{i}",
            }


def _reports(made: Made, rng: np.random.Generator) -> Iterator[dict[str, Any]]:
    told = _sentences(made, rng, sum(LEVELS), 30)
    for level, count in enumerate(LEVELS):
        for i in range(count):
            text = next(told)
            yield {
                "id": f"rep_{level}{i:08}",
                "community_id": f"com_{level}{i:08}",
                "level": level,
                "title": f"Report {level}.{i}",
                "summary": text,
                "rating": float(i % 10),
                "text": text,
            }


def _incidence(made: Made, chunk_of: Ints) -> Iterator[dict[str, Any]]:
    pairs = np.unique(
        np.concatenate([np.stack([made.source, chunk_of]), np.stack([made.target, chunk_of])], axis=1),
        axis=1,
        return_counts=True,
    )
    (entities, chunks), counts = pairs[0].tolist(), pairs[1].tolist()
    for entity, chunk, count in zip(entities, chunks, counts, strict=True):
        yield {"entity_id": entity_id(entity), "chunk_id": chunk_id(chunk), "count": count}
