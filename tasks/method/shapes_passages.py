"""The passage graph of KGP: chunks as nodes, neighbours where they share entities.

After Wang et al. 2024 (arXiv:2308.11730), whose passages are neighbours when they share a keyword; here the
entities of the index are the keywords, and a rare one binds more (Adamic & Adar 2003).
"""

from collections.abc import Iterator, Mapping, Sequence
from itertools import chain

import numpy as np

from corpusgraph.schemas.graph import Entity, Relationship
from corpusgraph.schemas.ports import GraphView
from corpusgraph.tasks.digits import log
from corpusgraph.tasks.graph.view import MemoryGraph
from corpusgraph.tasks.method.shapes_options import PassageOptions

SHARES = "shares_entities"
NAMED = 10
"""Shared entities that an edge's description names."""
Pairs = dict[tuple[int, int], float]


def passage_graph(graph: GraphView, options: PassageOptions) -> MemoryGraph:
    """Return the chunks as entities of the same id, whose name is the text of the chunk.

    The weight of an edge is the sum of 1 / ln(chunks of the entity) over the entities that both share.
    """
    nodes = [Entity(id=c.id, name=c.content, type="passage", source_ref=c.id) for c in graph.chunks]
    incidence = [(chunk.id, chunk.id, 1) for chunk in graph.chunks]
    return MemoryGraph(nodes, _edges(graph, options), graph.chunks, incidence=incidence)


def _edges(graph: GraphView, options: PassageOptions) -> Iterator[Relationship]:
    binding = {e: c for e, c in graph.entity_chunks().items() if 1 < len(c) <= options.max_chunks}
    names = {entity.id: entity.name for entity in graph.entities}
    inside: dict[str, set[str]] = {}
    for entity_id, chunk_ids in binding.items():
        for chunk_id in chunk_ids:
            inside.setdefault(chunk_id, set()).add(entity_id)
    for (one, other), weight in sorted(_strongest(graph, binding, options.top_k).items()):
        a, b = graph.chunks[one].id, graph.chunks[other].id
        shared = sorted(names[entity_id] for entity_id in inside[a] & inside[b])
        yield Relationship(
            id=Relationship.make_id(a, SHARES, b),
            source_id=a,
            target_id=b,
            type=SHARES,
            weight=weight,
            description=f"both name {', '.join(shared[:NAMED])}",
            chunk_ids=(a, b),
        )


def _strongest(graph: GraphView, binding: Mapping[str, Sequence[str]], top_k: int) -> Pairs:
    """Return (place of a chunk, of a later one) -> weight, of the pairs that are among the best of either."""
    from scipy.sparse import coo_array

    at = {chunk.id: i for i, chunk in enumerate(graph.chunks)}
    rows = [at[id_] for id_ in chain.from_iterable(binding.values())]
    sizes = [len(chunks) for chunks in binding.values()]
    columns = np.repeat(np.arange(len(binding)), sizes)
    share = np.repeat(1 / np.sqrt(log(sizes)), sizes)
    shape = (len(at), len(binding))
    bound = coo_array((share, (np.asarray(rows, dtype=np.int64), columns)), shape=shape).tocsr()
    weights = (bound @ bound.T).tocsr()
    kept: Pairs = {}
    for one in range(len(at)):
        where = slice(weights.indptr[one], weights.indptr[one + 1])
        pairs = zip(weights.indices[where].tolist(), weights.data[where].tolist(), strict=True)
        found = [(other, round(weight, 12)) for other, weight in pairs if other != one]
        for other, weight in sorted(found, key=lambda pair: (-pair[1], pair[0]))[:top_k]:
            kept[min(one, other), max(one, other)] = weight
    return kept
