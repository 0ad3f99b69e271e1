"""Measures of groups and pairs of entities: how dense, how near, how much in common, how often together."""

from collections.abc import Callable, Mapping, Sequence
from math import fsum, log, log2
from typing import Any

import numpy as np

from corpusgraph.schemas.errors import InvalidInputError
from corpusgraph.schemas.ports import Ints
from corpusgraph.tasks.dataset.measures.measured import Compute, Request
from corpusgraph.tasks.dataset.measures.network import (
    Network,
    corpus_network,
    degrees,
    memberships,
    shortest_lengths,
    stated_network,
    strengths,
    triangles,
)
from corpusgraph.tasks.dataset.measures.units import Sentence, Unit


def _size(ask: Request) -> list[int]:
    """Count the members of a community."""
    return [len(unit.entities) for unit in ask.units]


def _density(ask: Request) -> list[float | None]:
    """Return the share of pairs of entities that are joined; missing for fewer than two entities."""
    sizes = [(network.joined.nnz, len(network.ids)) for network in _networks(ask)]
    return [edges / (n * (n - 1)) if n > 1 else None for edges, n in sizes]


def _transitivity(ask: Request) -> list[float | None]:
    """Return the share of paths of two edges that a third closes (Newman 2003); missing without one."""
    values = []
    for network in _networks(ask):
        degree = degrees(network)
        paths = int((degree * (degree - 1)).sum()) // 2
        values.append(int(triangles(network).sum()) / paths if paths else None)
    return values


def _components(ask: Request) -> list[int]:
    """Count the parts that no edge joins."""
    return [len(network.parts) for network in _networks(ask)]


def _conductance(ask: Request) -> list[float | None]:
    """Return how much of a community's weight leads out of it (Kannan, Vempala & Vetta 2004)."""
    values = []
    for inside, volume, total in _volumes(ask):
        smaller = min(volume, total - volume)
        values.append(max(volume - inside, 0.0) / smaller if smaller > total * 1e-12 else None)
    return values


def _modularity(ask: Request) -> list[float | None]:
    """Return a community's share in the modularity of its level (Newman 2006)."""
    return [inside / all_ - (own / all_) ** 2 if all_ else None for inside, own, all_ in _volumes(ask)]


def _volumes(ask: Request) -> list[tuple[float, float, float]]:
    """Return for each unit twice the weight inside, the strengths of its members, and those of all."""
    network = corpus_network(ask.reading, ask.of)
    strength = strengths(network)
    volumes = []
    for unit in ask.units:
        members = _members(network, unit.entities)
        inside = float(network.weighted[members][:, members].sum())
        volumes.append((inside, float(strength[members].sum()), float(strength.sum())))
    return volumes


def _members(network: Network, entities: Sequence[str]) -> Ints:
    return np.array(sorted({network.place[e] for e in entities if e in network.place}), dtype=np.int64)


def _networks(ask: Request) -> Sequence[Network]:
    """Return the graph of each unit: of members in the corpus, or of what the sentences state."""
    ask.words["whose"] = "among the members"
    if ask.dataset.unit != "community":
        scope = {"document": "the document", "chunk": "the chunk", "event": "the sentence"}[ask.dataset.unit]
        ask.words["whose"] = f"among the entities named in {scope}, as joined by what is asserted there"

    def make() -> Mapping[str, Network]:
        if ask.dataset.unit == "community":
            whole = corpus_network(ask.reading, ask.of)
            return {unit.id: _induced(whole, unit.entities) for unit in ask.units}
        return {unit.id: stated_network(ask.reading, unit.sentences, ask.of) for unit in ask.units}

    networks = ask.reading.once(("units", ask.dataset.unit, *sorted(ask.of)), make)
    return [networks[unit.id] for unit in ask.units]


def _induced(whole: Network, entities: Sequence[str]) -> Network:
    members = _members(whole, entities)
    inner = whole.directed[members][:, members].tocoo()
    ids = [whole.ids[at] for at in members]
    edges = zip(inner.row.tolist(), inner.col.tolist(), inner.data.tolist(), strict=True)
    return Network(ids, ((ids[a], ids[b], weight) for a, b, weight in edges))


def _co_occurrence(ask: Request) -> list[int]:
    """Count the unit's sentences that name every entity in `of`; for a pair, those that name both."""
    wanted, ids = ask.entities_named(), ask.reading.entity_ids

    def all_named(sentence: Sentence) -> bool:
        present = {ids.get(m.id) for m in ask.reading.mentions.get(sentence, ())}
        return all(present & group for group in wanted)

    return [sum(map(all_named, unit.sentences)) for unit in ask.units]


def _distance(ask: Request) -> list[int | None]:
    """Return the number of steps to the entity in `of`, or between a pair; missing where no path leads."""
    network, pairs = _ends(ask)
    steps = shortest_lengths(network.joined, network.part, pairs)
    return [None if length is None else int(length) for length in steps]


def _weighted_distance(ask: Request) -> list[float | None]:
    """Return the length of the shortest path to the entity in `of`, or between a pair, heavy edges short."""
    network, pairs = _ends(ask)
    return shortest_lengths(network.far, network.part, pairs)


def _ends(ask: Request) -> tuple[Network, list[tuple[int, int]]]:
    """Return the graph and the two nodes of each row; `{to}` is how the label ends."""
    network = corpus_network(ask.reading)
    what = f"Variable {ask.variable.name!r}: {ask.variable.measure}"
    if (ask.dataset.unit == "entity") != (len(ask.of) == 1):
        raise InvalidInputError(f"{what} takes one name in 'of' for unit entity, none for pair.")
    if ask.dataset.unit == "pair":
        ask.words["to"] = ""
        return network, _pairs(network, ask.units)
    target = sorted(ask.entities_named()[0])
    if len(target) != 1:
        raise InvalidInputError(f"{what} needs one entity, not {len(target)}.")
    end, ask.words["to"] = network.place[target[0]], f" to {ask.of[0]}"
    return network, [(end, network.place[unit.id]) for unit in ask.units]


def _pairs(network: Network, units: Sequence[Unit]) -> list[tuple[int, int]]:
    return [(network.place[unit.entities[0]], network.place[unit.entities[1]]) for unit in units]


def _pmi(ask: Request) -> list[float | None]:
    """Return pointwise mutual information (Church & Hanks 1990); missing where no sentence names both."""
    return [_information(*counts) for counts in _together(ask)]


def _npmi(ask: Request) -> list[float]:
    """Return normalised pointwise mutual information (Bouma 2009), -1 to 1; -1 where never together."""
    values = []
    for both, a, b, total in _together(ask):
        bits = _information(both, a, b, total)
        values.append(-1.0 if bits is None else 1.0 if both == total else bits / log2(total / both))
    return values


def _together(ask: Request) -> list[tuple[int, int, int, int]]:
    ids = ask.reading.entity_ids
    total = sum(1 for named in ask.reading.mentions.values() if any(m.id in ids for m in named))
    alone = {entity: len(sentences) for entity, sentences in ask.reading.by_entity.items()}
    return [
        (len(unit.sentences), alone.get(unit.entities[0], 0), alone.get(unit.entities[1], 0), total)
        for unit in ask.units
    ]


def _information(both: int, a: int, b: int, total: int) -> float | None:
    return log2(total * both / (a * b)) if both else None


def _shared(compare: Callable[[Network, int, int], Any]) -> Compute:
    """Return the measure that compares two nodes of the graph."""

    def compute(ask: Request) -> list[Any]:
        network, ask.words["ending"] = corpus_network(ask.reading, ask.of), ask.text("{of:; only }")
        return [compare(network, a, b) for a, b in _pairs(network, ask.units)]

    return compute


@_shared
def _common_neighbours(network: Network, a: int, b: int) -> int:
    return len(network.neighbours[a] & network.neighbours[b])


@_shared
def _jaccard(network: Network, a: int, b: int) -> float | None:
    near, other = network.neighbours[a], network.neighbours[b]
    return len(near & other) / len(near | other) if near | other else None


@_shared
def _adamic_adar(network: Network, a: int, b: int) -> float:
    shared = sorted(network.neighbours[a] & network.neighbours[b])
    return fsum(1 / log(len(network.neighbours[node])) for node in shared)  # each has two neighbours


@_shared
def _preferential_attachment(network: Network, a: int, b: int) -> int:
    return len(network.neighbours[a]) * len(network.neighbours[b])


@_shared
def _reciprocal(network: Network, a: int, b: int) -> bool:
    return bool(network.directed[a, b] and network.directed[b, a])


def _same_community(ask: Request) -> list[bool | None]:
    """Return whether both are in one community of the level in `of`, else of the deepest each is in."""
    communities = memberships(ask)
    pairs = [[communities.get(entity) for entity in unit.entities] for unit in ask.units]
    return [None if a is None or b is None else a == b for a, b in pairs]


def _same_document(ask: Request) -> list[bool]:
    """Return whether a document names both, be it in different sentences."""
    where = {id_: {document for document, _ in own} for id_, own in ask.reading.by_entity.items()}
    pairs = [[where.get(entity, set()) for entity in unit.entities] for unit in ask.units]
    return [not a.isdisjoint(b) for a, b in pairs]
