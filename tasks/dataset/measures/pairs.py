"""Measures of a pair of entities: how near, how much in common, how often together."""

from collections.abc import Callable, Mapping, Sequence
from math import fsum, log, log2
from typing import Any

import numpy as np

from corpusgraph.schemas.errors import InvalidInputError
from corpusgraph.schemas.ports import Ints
from corpusgraph.schemas.study import TableDataset, Variable
from corpusgraph.tasks.dataset.measures.measured import Function, Measured, entities_named, known_types, named
from corpusgraph.tasks.dataset.measures.network import (
    Network,
    corpus_network,
    degrees,
    memberships,
    shortest_lengths,
    stated_network,
    steps_from,
    strengths,
    triangles,
)
from corpusgraph.tasks.dataset.measures.units import Reading, Unit

_PLAIN = "edges undirected and unweighted"
_LENGTH = "a step being as long as 1 / weight (Newman 2001), edges undirected, parallel ones summed"


def distance(reading: Reading, dataset: TableDataset, units: Sequence[Unit], variable: Variable) -> Measured:
    """Return the number of steps to the entity in `of`, or between a pair; missing where no path leads."""
    network, pairs, label = _ends(reading, dataset, units, variable)
    formula = "edges on a shortest path, taken as undirected; missing where no path leads"
    return Measured(_steps(network, pairs), "integer", formula, f"Distance{label}", "steps", "graph")


def weighted_distance(
    reading: Reading, dataset: TableDataset, units: Sequence[Unit], variable: Variable
) -> Measured:
    """Return the length of the shortest path to the entity in `of`, or between a pair, heavy edges short."""
    network, pairs, label = _ends(reading, dataset, units, variable)
    formula = f"length of the shortest path, {_LENGTH}; missing where no path leads"
    values = shortest_lengths(network, pairs)
    return Measured(values, "numeric", formula, f"Weighted distance{label}", "1 / weight", "graph")


def _ends(
    reading: Reading, dataset: TableDataset, units: Sequence[Unit], variable: Variable
) -> tuple[Network, list[tuple[int, int]], str]:
    """Return the graph, the two nodes of each row, and how the label ends."""
    network = corpus_network(reading)
    what = f"Variable {variable.name!r}: {variable.measure}"
    if (dataset.unit == "entity") != (len(named(variable)) == 1):
        raise InvalidInputError(f"{what} takes one name in 'of' for unit entity, none for pair.")
    if dataset.unit == "pair":
        return network, _pairs(network, units), ""
    target = sorted(entities_named(reading, variable)[0][0])
    if len(target) != 1:
        raise InvalidInputError(f"{what} needs one entity, not {len(target)}.")
    end = network.place[target[0]]
    return network, [(end, network.place[unit.id]) for unit in units], f" to {named(variable)[0]}"


def _pairs(network: Network, units: Sequence[Unit]) -> list[tuple[int, int]]:
    return [(network.place[unit.entities[0]], network.place[unit.entities[1]]) for unit in units]


def _steps(network: Network, pairs: Sequence[tuple[int, int]]) -> list[int | None]:
    """Look at neighbours and their neighbours first: most pairs of a corpus are that near."""
    near, part = network.neighbours, network.part
    values: list[int | None] = []
    far: dict[int, list[int]] = {}
    for at, (a, b) in enumerate(pairs):
        known = 0 if a == b else 1 if b in near[a] else None if near[a].isdisjoint(near[b]) else 2
        values.append(known)
        if known is None and part[a] == part[b]:
            far.setdefault(a, []).append(at)
    sources = np.array(list(far), dtype=np.int64)
    found = iter(far.values())
    for depths in steps_from(network.joined, sources):
        for column in range(depths.shape[1]):
            for at in next(found):
                values[at] = int(depths[pairs[at][1], column])
    return values


Shared = Callable[[Network, int, int], Any]


def _common(network: Network, a: int, b: int) -> int:
    return len(network.neighbours[a] & network.neighbours[b])


def _jaccard(network: Network, a: int, b: int) -> float | None:
    either = network.neighbours[a] | network.neighbours[b]
    return _common(network, a, b) / len(either) if either else None


def _adamic_adar(network: Network, a: int, b: int) -> float:
    shared = sorted(network.neighbours[a] & network.neighbours[b])
    return fsum(1 / log(len(network.neighbours[node])) for node in shared)  # each has two neighbours


def _attachment(network: Network, a: int, b: int) -> int:
    return len(network.neighbours[a]) * len(network.neighbours[b])


def _reciprocal(network: Network, a: int, b: int) -> bool:
    return bool(network.directed[a, b] and network.directed[b, a])


SHARED: dict[str, tuple[Shared, Any, str, str, str]] = {
    "common_neighbours": (
        _common,
        "integer",
        "Common neighbours",
        "entities",
        f"number of entities joined to both, {_PLAIN}",
    ),
    "jaccard": (
        _jaccard,
        "numeric",
        "Overlap of neighbours",
        "0 to 1",
        f"neighbours of both divided by those of either (Jaccard 1901), {_PLAIN}; missing without any",
    ),
    "adamic_adar": (
        _adamic_adar,
        "numeric",
        "Adamic-Adar index",
        "index",
        f"sum over common neighbours of 1 / ln(degree) (Adamic & Adar 2003), {_PLAIN}",
    ),
    "preferential_attachment": (
        _attachment,
        "integer",
        "Preferential attachment",
        "product of degrees",
        f"product of the two degrees (Liben-Nowell & Kleinberg 2007), {_PLAIN}",
    ),
    "reciprocal": (
        _reciprocal,
        "boolean",
        "Relationships both ways",
        "true or false",
        "whether relationships lead from each of the two to the other",
    ),
}


def shared(name: str) -> Function:
    """Return the measure of that name of the two entities' neighbours."""

    def measure(reading: Reading, _: TableDataset, units: Sequence[Unit], variable: Variable) -> Measured:
        compare, dtype, label, unit, formula = SHARED[name]
        types = named(variable)
        warnings = known_types(reading, variable, types)
        network = corpus_network(reading, types)
        values = [compare(network, a, b) for a, b in _pairs(network, units)]
        only = f"; only {', '.join(types)}" if types else ""
        return Measured(values, dtype, formula + only, label, unit, "graph", warnings)

    return measure


def pmi(reading: Reading, _: TableDataset, units: Sequence[Unit], __: Variable) -> Measured:
    """Return pointwise mutual information (Church & Hanks 1990); missing where no sentence names both."""
    values = [_information(*counts) for counts in _together(reading, units)]
    formula = (
        "log2(N n(a, b) / (n(a) n(b))) (Church & Hanks 1990): n sentences name an entity, or both, of N that"
        " name any; missing where none names both"
    )
    return Measured(values, "numeric", formula, "Pointwise mutual information", "bits")


def npmi(reading: Reading, _: TableDataset, units: Sequence[Unit], __: Variable) -> Measured:
    """Return normalised pointwise mutual information (Bouma 2009), -1 to 1; -1 where never together."""
    values = []
    for both, a, b, total in _together(reading, units):
        bits = _information(both, a, b, total)
        values.append(-1.0 if bits is None else 1.0 if both == total else bits / log2(total / both))
    formula = (
        "pointwise mutual information divided by log2(N / n(a, b)) (Bouma 2009): sentences are counted that"
        " name an entity, or both, of N that name any; -1 where none names both"
    )
    return Measured(values, "numeric", formula, "Normalised pointwise mutual information", "-1 to 1")


def _together(reading: Reading, units: Sequence[Unit]) -> list[tuple[int, int, int, int]]:
    ids = reading.entity_ids
    total = sum(1 for found in reading.mentions.values() if any(m.id in ids for m in found))
    alone = {entity: len(sentences) for entity, sentences in reading.by_entity.items()}
    return [
        (len(unit.sentences), alone.get(unit.entities[0], 0), alone.get(unit.entities[1], 0), total)
        for unit in units
    ]


def _information(both: int, a: int, b: int, total: int) -> float | None:
    return log2(total * both / (a * b)) if both else None


def same_community(reading: Reading, _: TableDataset, units: Sequence[Unit], variable: Variable) -> Measured:
    """Return whether both are in one community of the level in `of`, else of the deepest each is in."""
    found, which = memberships(reading, variable)
    values = []
    for unit in units:
        a, b = (found.get(entity) for entity in unit.entities)
        values.append(None if a is None or b is None else a == b)
    formula = f"whether the {which} of both is one; missing where either is in none"
    return Measured(values, "boolean", formula, "Same community", "true or false", "graph")


def same_document(reading: Reading, _: TableDataset, units: Sequence[Unit], __: Variable) -> Measured:
    """Return whether a document names both, be it in different sentences."""
    where = {
        entity: {document for document, _ in sentences} for entity, sentences in reading.by_entity.items()
    }
    nowhere = set[str]()
    values = [
        not where.get(unit.entities[0], nowhere).isdisjoint(where.get(unit.entities[1], nowhere))
        for unit in units
    ]
    return Measured(values, "boolean", "whether a document names both", "Same document", "true or false")


def size(_: Reading, __: TableDataset, units: Sequence[Unit], ___: Variable) -> Measured:
    """Count the members of a community."""
    values = [len(unit.entities) for unit in units]
    return Measured(values, "integer", "number of members", "Size", "entities", "graph")


def density(reading: Reading, dataset: TableDataset, units: Sequence[Unit], variable: Variable) -> Measured:
    """Return the share of pairs of entities that are joined; missing for fewer than two entities."""

    def of(network: Network) -> float | None:
        n = len(network.ids)
        return network.joined.nnz / (n * (n - 1)) if n > 1 else None

    formula = f"joined pairs divided by pairs, {_PLAIN}, {_whose(dataset)}; missing for fewer than two"
    values = [of(one) for one in _networks(reading, dataset, units, variable)]
    return _made(reading, dataset, variable, values, formula, "Density")


def transitivity(
    reading: Reading, dataset: TableDataset, units: Sequence[Unit], variable: Variable
) -> Measured:
    """Return the share of paths of two edges that a third closes (Newman 2003); missing without one."""

    def of(network: Network) -> float | None:
        degree = degrees(network)
        paths = int((degree * (degree - 1)).sum()) // 2
        return int(triangles(network).sum()) / paths if paths else None

    formula = (
        f"three times triangles divided by paths of two edges (Newman 2003), {_PLAIN}, {_whose(dataset)};"
        " missing without such a path"
    )
    values = [of(one) for one in _networks(reading, dataset, units, variable)]
    return _made(reading, dataset, variable, values, formula, "Transitivity")


def components(
    reading: Reading, dataset: TableDataset, units: Sequence[Unit], variable: Variable
) -> Measured:
    """Count the parts that no edge joins."""
    values = [len(network.parts) for network in _networks(reading, dataset, units, variable)]
    formula = f"number of connected components, edges undirected, {_whose(dataset)}"
    warnings = known_types(reading, variable, named(variable))
    return Measured(values, "integer", formula, "Components", "components", _source(dataset), warnings)


def conductance(reading: Reading, _: TableDataset, units: Sequence[Unit], variable: Variable) -> Measured:
    """Return how much of a community's weight leads out of it (Kannan, Vempala & Vetta 2004)."""
    values = []
    for inside, volume, total in _volumes(reading, units, variable):
        smaller = min(volume, total - volume)
        values.append(max(volume - inside, 0.0) / smaller if smaller > total * 1e-12 else None)
    formula = (
        "weight of the edges that lead out, divided by the strengths of the members or of all others,"
        " whichever is less (Kannan, Vempala & Vetta 2004), edges undirected; missing where that is 0"
    )
    warnings = known_types(reading, variable, named(variable))
    return Measured(values, "numeric", formula, "Conductance", "0 to 1", "graph", warnings)


def modularity(reading: Reading, _: TableDataset, units: Sequence[Unit], variable: Variable) -> Measured:
    """Return a community's share in the modularity of its level (Newman 2006)."""
    values = [
        inside / total - (volume / total) ** 2 if total else None
        for inside, volume, total in _volumes(reading, units, variable)
    ]
    formula = (
        "share of weight inside the community minus that expected by chance: in / 2m - (strength / 2m)^2"
        " (Newman 2006), edges undirected, resolution 1; missing without edges"
    )
    warnings = known_types(reading, variable, named(variable))
    return Measured(values, "numeric", formula, "Share of modularity", "-1 to 1", "graph", warnings)


def _volumes(reading: Reading, units: Sequence[Unit], variable: Variable) -> list[tuple[float, float, float]]:
    """Return for each unit twice the weight inside, the strengths of its members, and those of all."""
    network = corpus_network(reading, named(variable))
    strength = strengths(network)
    found = []
    for unit in units:
        members = _members(network, unit.entities)
        inside = float(network.weighted[members][:, members].sum())
        found.append((inside, float(strength[members].sum()), float(strength.sum())))
    return found


def _members(network: Network, entities: Sequence[str]) -> Ints:
    return np.array(sorted({network.place[e] for e in entities if e in network.place}), dtype=np.int64)


def _networks(
    reading: Reading, dataset: TableDataset, units: Sequence[Unit], variable: Variable
) -> Sequence[Network]:
    """Return the graph of each unit: of members in the corpus, or of what the sentences state."""
    types = named(variable)

    def make() -> Mapping[str, Network]:
        if dataset.unit == "community":
            whole = corpus_network(reading, types)
            return {unit.id: _induced(whole, unit.entities) for unit in units}
        return {unit.id: stated_network(reading, unit.sentences, types) for unit in units}

    made = reading.once(("units", dataset.unit, *sorted(types)), make)
    return [made[unit.id] for unit in units]


def _induced(whole: Network, entities: Sequence[str]) -> Network:
    members = _members(whole, entities)
    inner = whole.directed[members][:, members].tocoo()
    ids = [whole.ids[at] for at in members]
    return Network(ids, ((ids[a], ids[b], float(w)) for a, b, w in _triples(inner)))


def _triples(matrix: Any) -> Any:
    return zip(matrix.row.tolist(), matrix.col.tolist(), matrix.data.tolist(), strict=True)


def _whose(dataset: TableDataset) -> str:
    if dataset.unit == "community":
        return "among the members"
    return f"among the entities named in {_scope(dataset)}, as joined by what is asserted there"


def _scope(dataset: TableDataset) -> str:
    return {"document": "the document", "chunk": "the chunk", "event": "the sentence"}[dataset.unit]


def _source(dataset: TableDataset) -> str:
    return "graph" if dataset.unit == "community" else "evidence"


def _made(
    reading: Reading,
    dataset: TableDataset,
    variable: Variable,
    values: Sequence[float | None],
    formula: str,
    label: str,
) -> Measured:
    only = f"; only {', '.join(named(variable))}" if variable.of else ""
    warnings = known_types(reading, variable, named(variable))
    return Measured(values, "numeric", formula + only, label, "0 to 1", _source(dataset), warnings)
