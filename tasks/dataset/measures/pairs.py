"""Measures of a pair of entities: how near, how much in common, how often together."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from math import fsum, log, log2
from typing import Any

import numpy as np

from corpusgraph.schemas.errors import InvalidInputError
from corpusgraph.schemas.ports import Ints
from corpusgraph.schemas.results import ColumnType
from corpusgraph.tasks.dataset.measures.measured import (
    Function,
    Measured,
    Request,
    entities_named,
    known_types,
)
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
from corpusgraph.tasks.dataset.measures.units import Unit

_PLAIN = "edges undirected and unweighted"
_LENGTH = "a step being as long as 1 / weight (Newman 2001), edges undirected, parallel ones summed"


def distance(ask: Request) -> Measured:
    """Return the number of steps to the entity in `of`, or between a pair; missing where no path leads.

    Parameters
    ----------
    ask : Request
        The variable to measure, and of which units.

    Returns
    -------
    Measured
        A cell a unit.

    Raises
    ------
    InvalidInputError
        For a pair with names in `of`, and for an entity without exactly one entity there.
    UnknownEntityError
        Where the corpus has none of the names in `of`.
    AmbiguousEntityError
        Where one of them means several entities.

    """
    network, pairs, label = _ends(ask)
    formula = "edges on a shortest path, taken as undirected; missing where no path leads"
    steps = shortest_lengths(network.joined, network.part, pairs)
    values = [None if length is None else int(length) for length in steps]
    return Measured(values, "integer", formula, f"Distance{label}", "steps", "graph")


def weighted_distance(ask: Request) -> Measured:
    """Return the length of the shortest path to the entity in `of`, or between a pair, heavy edges short.

    Parameters
    ----------
    ask : Request
        The variable to measure, and of which units.

    Returns
    -------
    Measured
        A cell a unit.

    Raises
    ------
    InvalidInputError
        For a pair with names in `of`, and for an entity without exactly one entity there.
    UnknownEntityError
        Where the corpus has none of the names in `of`.
    AmbiguousEntityError
        Where one of them means several entities.

    References
    ----------
    Newman 2001.

    """
    network, pairs, label = _ends(ask)
    formula = f"length of the shortest path, {_LENGTH}; missing where no path leads"
    values = shortest_lengths(network.far, network.part, pairs)
    return Measured(values, "numeric", formula, f"Weighted distance{label}", "1 / weight", "graph")


def _ends(ask: Request) -> tuple[Network, list[tuple[int, int]], str]:
    """Return the graph, the two nodes of each row, and how the label ends."""
    network = corpus_network(ask.reading)
    what = f"Variable {ask.variable.name!r}: {ask.variable.measure}"
    if (ask.dataset.unit == "entity") != (len(ask.of) == 1):
        raise InvalidInputError(f"{what} takes one name in 'of' for unit entity, none for pair.")
    if ask.dataset.unit == "pair":
        return network, _pairs(network, ask.units), ""
    target = sorted(entities_named(ask)[0][0])
    if len(target) != 1:
        raise InvalidInputError(f"{what} needs one entity, not {len(target)}.")
    end = network.place[target[0]]
    return network, [(end, network.place[unit.id]) for unit in ask.units], f" to {ask.of[0]}"


def _pairs(network: Network, units: Sequence[Unit]) -> list[tuple[int, int]]:
    return [(network.place[unit.entities[0]], network.place[unit.entities[1]]) for unit in units]


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


@dataclass(frozen=True)
class Shared:
    """A measure of two nodes of a network.

    Attributes
    ----------
    compare : callable
        Takes the graph and two places of nodes.
    dtype : ColumnType
        Type of the column.
    label : str
        Of the column.
    unit : str
        Unit of measurement.
    formula : str
        How it is computed.

    """

    compare: Callable[[Network, int, int], Any]
    dtype: ColumnType
    label: str
    unit: str
    formula: str


SHARED: dict[str, Shared] = {
    "common_neighbours": Shared(
        _common,
        "integer",
        "Common neighbours",
        "entities",
        f"number of entities joined to both, {_PLAIN}",
    ),
    "jaccard": Shared(
        _jaccard,
        "numeric",
        "Overlap of neighbours",
        "0 to 1",
        f"neighbours of both divided by those of either (Jaccard 1901), {_PLAIN}; missing without any",
    ),
    "adamic_adar": Shared(
        _adamic_adar,
        "numeric",
        "Adamic-Adar index",
        "index",
        f"sum over common neighbours of 1 / ln(degree) (Adamic & Adar 2003), {_PLAIN}",
    ),
    "preferential_attachment": Shared(
        _attachment,
        "integer",
        "Preferential attachment",
        "product of degrees",
        f"product of the two degrees (Liben-Nowell & Kleinberg 2007), {_PLAIN}",
    ),
    "reciprocal": Shared(
        _reciprocal,
        "boolean",
        "Relationships both ways",
        "true or false",
        "whether relationships lead from each of the two to the other",
    ),
}


def shared(name: str) -> Function:
    """Return the measure of that name of the two entities' neighbours.

    Parameters
    ----------
    name : str
        A key of `SHARED`.

    Returns
    -------
    Function
        Takes a request and returns the measured variable.

    """

    def measure(ask: Request) -> Measured:
        how, network = SHARED[name], corpus_network(ask.reading, ask.of)
        values = [how.compare(network, a, b) for a, b in _pairs(network, ask.units)]
        formula, warnings = how.formula + ask.only, known_types(ask)
        return Measured(values, how.dtype, formula, how.label, how.unit, "graph", warnings)

    return measure


def pmi(ask: Request) -> Measured:
    """Return pointwise mutual information (Church & Hanks 1990); missing where no sentence names both.

    Parameters
    ----------
    ask : Request
        The variable to measure, and of which units.

    Returns
    -------
    Measured
        A cell a unit.

    References
    ----------
    Church & Hanks 1990.

    """
    values = [_information(*counts) for counts in _together(ask)]
    formula = (
        "log2(N n(a, b) / (n(a) n(b))) (Church & Hanks 1990): n sentences name an entity, or both, of N that"
        " name any; missing where none names both"
    )
    return Measured(values, "numeric", formula, "Pointwise mutual information", "bits")


def npmi(ask: Request) -> Measured:
    """Return normalised pointwise mutual information (Bouma 2009), -1 to 1; -1 where never together.

    Parameters
    ----------
    ask : Request
        The variable to measure, and of which units.

    Returns
    -------
    Measured
        A cell a unit.

    References
    ----------
    Bouma 2009.

    """
    values = []
    for both, a, b, total in _together(ask):
        bits = _information(both, a, b, total)
        values.append(-1.0 if bits is None else 1.0 if both == total else bits / log2(total / both))
    formula = (
        "pointwise mutual information divided by log2(N / n(a, b)) (Bouma 2009): sentences are counted that"
        " name an entity, or both, of N that name any; -1 where none names both"
    )
    return Measured(values, "numeric", formula, "Normalised pointwise mutual information", "-1 to 1")


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


def same_community(ask: Request) -> Measured:
    """Return whether both are in one community of the level in `of`, else of the deepest each is in.

    Parameters
    ----------
    ask : Request
        The variable to measure, and of which units.

    Returns
    -------
    Measured
        A cell a unit.

    Raises
    ------
    InvalidInputError
        For a level that is no number, or of which there is no community.

    """
    found, which = memberships(ask)
    values = []
    for unit in ask.units:
        a, b = (found.get(entity) for entity in unit.entities)
        values.append(None if a is None or b is None else a == b)
    formula = f"whether the {which} of both is one; missing where either is in none"
    return Measured(values, "boolean", formula, "Same community", "true or false", "graph")


def same_document(ask: Request) -> Measured:
    """Return whether a document names both, be it in different sentences.

    Parameters
    ----------
    ask : Request
        The variable to measure, and of which units.

    Returns
    -------
    Measured
        A cell a unit.

    """
    where = {
        entity: {document for document, _ in sentences} for entity, sentences in ask.reading.by_entity.items()
    }
    nowhere = set[str]()
    values = [
        not where.get(unit.entities[0], nowhere).isdisjoint(where.get(unit.entities[1], nowhere))
        for unit in ask.units
    ]
    return Measured(values, "boolean", "whether a document names both", "Same document", "true or false")


def size(ask: Request) -> Measured:
    """Count the members of a community.

    Parameters
    ----------
    ask : Request
        The variable to measure, and of which units.

    Returns
    -------
    Measured
        A cell a unit.

    """
    values = [len(unit.entities) for unit in ask.units]
    return Measured(values, "integer", "number of members", "Size", "entities", "graph")


def density(ask: Request) -> Measured:
    """Return the share of pairs of entities that are joined; missing for fewer than two entities.

    Parameters
    ----------
    ask : Request
        The variable to measure, and of which units.

    Returns
    -------
    Measured
        A cell a unit.

    """
    sizes = [(network.joined.nnz, len(network.ids)) for network in _networks(ask)]
    values = [edges / (n * (n - 1)) if n > 1 else None for edges, n in sizes]
    formula = f"joined pairs divided by pairs, {_PLAIN}"
    return _of_networks(ask, values, formula, "Density", "; missing for fewer than two")


def transitivity(ask: Request) -> Measured:
    """Return the share of paths of two edges that a third closes (Newman 2003); missing without one.

    Parameters
    ----------
    ask : Request
        The variable to measure, and of which units.

    Returns
    -------
    Measured
        A cell a unit.

    References
    ----------
    Newman 2003.

    """

    def of(network: Network) -> float | None:
        degree = degrees(network)
        paths = int((degree * (degree - 1)).sum()) // 2
        return int(triangles(network).sum()) / paths if paths else None

    formula = f"three times triangles divided by paths of two edges (Newman 2003), {_PLAIN}"
    values = [of(network) for network in _networks(ask)]
    return _of_networks(ask, values, formula, "Transitivity", "; missing without such a path")


def components(ask: Request) -> Measured:
    """Count the parts that no edge joins.

    Parameters
    ----------
    ask : Request
        The variable to measure, and of which units.

    Returns
    -------
    Measured
        A cell a unit.

    """
    values = [len(network.parts) for network in _networks(ask)]
    formula = "number of connected components, edges undirected"
    return _of_networks(ask, values, formula, "Components", unit="components")


def conductance(ask: Request) -> Measured:
    """Return how much of a community's weight leads out of it (Kannan, Vempala & Vetta 2004).

    Parameters
    ----------
    ask : Request
        The variable to measure, and of which units.

    Returns
    -------
    Measured
        A cell a unit.

    References
    ----------
    Kannan, Vempala & Vetta 2004.

    """
    values = []
    for inside, volume, total in _volumes(ask):
        smaller = min(volume, total - volume)
        values.append(max(volume - inside, 0.0) / smaller if smaller > total * 1e-12 else None)
    formula = (
        "weight of the edges that lead out, divided by the strengths of the members or of all others,"
        " whichever is less (Kannan, Vempala & Vetta 2004), edges undirected; missing where that is 0"
    )
    return Measured(values, "numeric", formula, "Conductance", "0 to 1", "graph", known_types(ask))


def modularity(ask: Request) -> Measured:
    """Return a community's share in the modularity of its level (Newman 2006).

    Parameters
    ----------
    ask : Request
        The variable to measure, and of which units.

    Returns
    -------
    Measured
        A cell a unit.

    References
    ----------
    Newman 2006.

    """
    values = [
        inside / total - (volume / total) ** 2 if total else None for inside, volume, total in _volumes(ask)
    ]
    formula = (
        "share of weight inside the community minus that expected by chance: in / 2m - (strength / 2m)^2"
        " (Newman 2006), edges undirected, resolution 1; missing without edges"
    )
    return Measured(values, "numeric", formula, "Share of modularity", "-1 to 1", "graph", known_types(ask))


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


def _of_networks(
    ask: Request, values: Sequence[Any], formula: str, label: str, after: str = "", unit: str = "0 to 1"
) -> Measured:
    """Return a measure of each unit's graph; `after` ends the formula."""
    whose, source = "among the members", "graph"
    if ask.dataset.unit != "community":
        scope = {"document": "the document", "chunk": "the chunk", "event": "the sentence"}[ask.dataset.unit]
        whose = f"among the entities named in {scope}, as joined by what is asserted there"
        source = "evidence"
    dtype: ColumnType = "numeric" if unit == "0 to 1" else "integer"
    only = ask.only if dtype == "numeric" else ""
    formula = f"{formula}, {whose}{after}{only}"
    return Measured(values, dtype, formula, label, unit, source, known_types(ask))
