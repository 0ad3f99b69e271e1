"""Measures of a group of entities: a community in the graph, or what the unit's sentences draw."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from corpusgraph.schemas.ports import Ints
from corpusgraph.schemas.study import TableDataset, Variable
from corpusgraph.tasks.dataset.measures.centralities import degrees, strengths, triangles
from corpusgraph.tasks.dataset.measures.links import Network, corpus_network, stated_network
from corpusgraph.tasks.dataset.measures.measured import Measured, known_types, named
from corpusgraph.tasks.dataset.reading import Reading
from corpusgraph.tasks.dataset.units import Unit

_PLAIN = "edges undirected and unweighted"


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
