"""Graphs that measures are taken on: of the corpus, of a period, of what a unit's sentences state."""

from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property
from typing import Any

import numpy as np

from corpusgraph.schemas.evidence import Assertion
from corpusgraph.schemas.ports import Ints
from corpusgraph.schemas.study import TableDataset
from corpusgraph.tasks.dataset.periods import dated
from corpusgraph.tasks.dataset.reading import Reading, Sentence

Edge = tuple[str, str, float]
"""Source, target and weight."""


class Network:
    """Nodes 0 to n-1 with directed weighted edges; parallel edges are summed, loops left out."""

    def __init__(self, ids: Sequence[str], edges: Iterable[Edge]) -> None:
        from scipy.sparse import coo_array

        self.ids = tuple(ids)
        self.place: Mapping[str, int] = {id_: at for at, id_ in enumerate(self.ids)}
        summed: dict[tuple[int, int], float] = {}
        for source, target, weight in edges:
            if source != target:
                ends = self.place[source], self.place[target]
                summed[ends] = summed.get(ends, 0.0) + weight
        at = np.array(list(summed), dtype=np.int64).reshape(-1, 2)
        weights = np.array(list(summed.values()), dtype=np.float64)
        n = len(self.ids)
        self.directed = coo_array((weights, (at[:, 0], at[:, 1])), shape=(n, n)).tocsr()
        self.directed.sort_indices()

    @cached_property
    def weighted(self) -> Any:
        """Weights without direction, (n, n) symmetric."""
        both = (self.directed + self.directed.T).tocsr()
        both.sort_indices()
        return both

    @cached_property
    def joined(self) -> Any:
        """1 where two nodes are joined either way, (n, n) symmetric."""
        ones = self.weighted.copy()
        ones.data = np.ones_like(ones.data)
        return ones

    @cached_property
    def neighbours(self) -> list[frozenset[int]]:
        """The nodes each node is joined to."""
        ends = np.split(self.joined.indices, self.joined.indptr[1:-1]) if self.ids else []
        return [frozenset(near.tolist()) for near in ends]

    @cached_property
    def part(self) -> Ints:
        """The connected component of each node (n,), the largest first, then by its first node."""
        from scipy.sparse import csgraph

        _, label = csgraph.connected_components(self.joined, directed=False)
        _, first, which, sizes = np.unique(label, return_index=True, return_inverse=True, return_counts=True)
        order = np.lexsort((first, -sizes))
        return np.argsort(order)[which].astype(np.int64)

    @cached_property
    def parts(self) -> list[Ints]:
        """The nodes of each connected component, in order."""
        order = np.argsort(self.part, kind="stable")
        return np.split(order, np.cumsum(np.bincount(self.part))[:-1]) if self.ids else []


def corpus_network(reading: Reading, types: Sequence[str] = ()) -> Network:
    """Return the graph of the corpus: its stated relationships, or those of some types."""

    def make() -> Network:
        graph, kinds = reading.corpus.graph, set(types)
        stated = (r for r in graph.relationships if r.is_stated and (not kinds or r.type in kinds))
        edges = ((r.source_id, r.target_id, r.weight) for r in stated)
        return Network([entity.id for entity in graph.entities], edges)

    return reading.once(("corpus", *sorted(types)), make)


def period_networks(
    reading: Reading, dataset: TableDataset, types: Sequence[str] = ()
) -> Mapping[str, Network]:
    """Return for each period the graph of the entities it mentions and what is asserted of them in it.

    An edge weighs the sum of the confidences of its assertions.
    """

    def make() -> Mapping[str, Network]:
        when, _ = dated(reading, dataset.period)
        by_period: dict[str, list[Sentence]] = {}
        for sentence, period in when.items():
            by_period.setdefault(period, []).append(sentence)
        return {period: stated_network(reading, found, types) for period, found in by_period.items()}

    return reading.once(("period", dataset.period, *sorted(types)), make)


def stated_network(reading: Reading, sentences: Iterable[Sentence], types: Sequence[str] = ()) -> Network:
    """Return the graph that some sentences draw: entities they mention, assertions they make."""
    ids, kinds = reading.entity_ids, set(types)
    nodes: set[str] = set()
    edges: list[Edge] = []
    for sentence in sentences:
        nodes |= {ids[m.id] for m in reading.mentions.get(sentence, ()) if m.id in ids}
        for one in reading.assertions.get(sentence, ()):
            ends = _ends(one, ids)
            if ends and (not kinds or one.type in kinds):
                nodes |= set(ends)
                edges.append((*ends, one.confidence))
    return Network(sorted(nodes), edges)


def _ends(one: Assertion, ids: Mapping[str, str]) -> tuple[str, str] | None:
    source, target = ids.get(one.source_mention), ids.get(one.target_mention)
    return (source, target) if source and target else None
