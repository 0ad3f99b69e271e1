"""Measures of the nodes of any graph, as columns to put beside their attributes."""

from collections.abc import Iterable
from typing import Any

from corpusgraph.schemas.errors import InvalidInputError, did_you_mean
from corpusgraph.schemas.graph import Graph
from corpusgraph.schemas.results import Column
from corpusgraph.tasks.dataset.measures.links import Network
from corpusgraph.tasks.dataset.measures.network import how_estimated
from corpusgraph.tasks.dataset.measures.places import PLACES, cells


def node_columns(graph: Graph, names: Iterable[str]) -> list[tuple[Column, list[Any]]]:
    """Return a column with its cells, in the order of the nodes, for each measure named.

    The names are those of `PLACES`: degree, strength, pagerank, betweenness and so on, the same as of a
    study's entities. Edges that lead to no node of the graph are left out. Raises InvalidInputError for an
    unknown name.
    """
    asked = list(dict.fromkeys(names))
    for name in asked:
        if name not in PLACES:
            hint = did_you_mean(name, list(PLACES)) or f"There are {', '.join(PLACES)}."
            raise InvalidInputError(f"No measure of nodes is called {name!r}.", hint=hint)
    known = {node.id for node in graph.nodes}
    edges = (
        (edge.source_id, edge.target_id, edge.weight)
        for edge in graph.edges
        if edge.source_id in known and edge.target_id in known
    )
    network = Network([node.id for node in graph.nodes], edges)
    return [(_column(name, network), cells(PLACES[name], network)) for name in asked]


def _column(name: str, network: Network) -> Column:
    found = PLACES[name]
    formula = f"{name}: {found.formula}{how_estimated(found, [network])}"
    return Column(
        name=name, dtype=found.dtype, label=found.label, unit=found.unit, formula=formula, source="graph"
    )
