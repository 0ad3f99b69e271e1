"""Measures of an entity's place in the graph."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from corpusgraph.schemas.errors import InvalidInputError
from corpusgraph.schemas.study import TableDataset, Variable
from corpusgraph.tasks.dataset.measured import Measured, asserted, entities_named, named
from corpusgraph.tasks.dataset.reading import Reading
from corpusgraph.tasks.dataset.units import Unit
from corpusgraph.tasks.graph.centrality import betweenness as shortest_paths_through

EXACT_BETWEENNESS = 5000
"""In a component with more entities betweenness is estimated from PIVOTS of them (Brandes & Pich 2007)."""
PIVOTS = 500


def degree(reading: Reading, _: TableDataset, units: Sequence[Unit], variable: Variable) -> Measured:
    """Count different neighbours."""
    near = dict(_graph(reading, variable).degree())
    return _measured(
        units, near, "integer", "number of different neighbours, edges taken as undirected", variable
    )


def pagerank(reading: Reading, _: TableDataset, units: Sequence[Unit], variable: Variable) -> Measured:
    """Return PageRank (Page et al. 1999), which sums to 1 over all entities."""
    import networkx as nx

    scores = nx.pagerank(_graph(reading, variable, directed=True), alpha=0.85, weight="weight")
    return _measured(
        units, scores, "numeric", "PageRank, damping 0.85, edges directed and weighted", variable
    )


def betweenness(reading: Reading, _: TableDataset, units: Sequence[Unit], variable: Variable) -> Measured:
    """Return betweenness centrality (Freeman 1977), normalised to 0 to 1."""
    import networkx as nx

    graph = _graph(reading, variable)
    pairs = max((len(graph) - 1) * (len(graph) - 2) / 2, 1)
    scores = dict.fromkeys(graph, 0.0)
    estimated = False
    for part in nx.connected_components(graph):
        nodes = sorted(part)
        if len(nodes) > 2:  # no path leaves a component
            few = len(nodes) > EXACT_BETWEENNESS
            sources = np.arange(len(nodes))
            sources = np.random.default_rng(0).choice(sources, PIVOTS, replace=False) if few else sources
            found = shortest_paths_through(nx.to_scipy_sparse_array(graph, nodes, weight=None), sources)
            scores |= dict(zip(nodes, (float(score) / pairs for score in found), strict=True))
            estimated = estimated or few
    how = f", estimated from {PIVOTS} entities" if estimated else ""
    formula = f"betweenness, edges undirected and unweighted, divided by the number of pairs{how}"
    return _measured(units, scores, "numeric", formula, variable)


def clustering(reading: Reading, _: TableDataset, units: Sequence[Unit], variable: Variable) -> Measured:
    """Return the local clustering coefficient (Watts & Strogatz 1998); 0 for fewer than two neighbours."""
    import networkx as nx

    scores = nx.clustering(_graph(reading, variable))
    formula = "share of pairs of neighbours that are joined, edges undirected and unweighted"
    return _measured(units, scores, "numeric", formula, variable)


def community(reading: Reading, _: TableDataset, units: Sequence[Unit], variable: Variable) -> Measured:
    """Return the id of the entity's community: of the level in `of`, else the deepest it belongs to."""
    level = (named(variable) or (None,))[0]
    if level is not None and not level.isdecimal():
        raise InvalidInputError(
            f"Variable {variable.name!r}: level {level!r} is no number.", hint="Level 0 is the coarsest."
        )
    found: dict[str, str] = {}
    for one in sorted(reading.corpus.graph.communities, key=lambda c: (c.level, c.id)):
        if level is None or one.level == int(level):
            found |= dict.fromkeys(one.entity_ids, one.id)
    which = "deepest community" if level is None else f"community of level {level}"
    values = [found.get(unit.id) for unit in units]
    return Measured(values, "nominal", f"{which} the entity belongs to", "Community", source="graph")


def distance(reading: Reading, dataset: TableDataset, units: Sequence[Unit], variable: Variable) -> Measured:
    """Return the number of steps to the entity in `of`, or between a pair; missing where no path leads."""
    import networkx as nx

    if (dataset.unit == "entity") != (len(named(variable)) == 1):
        raise InvalidInputError(
            f"Variable {variable.name!r}: distance takes one name in 'of' for unit entity, none for pair."
        )
    graph = _graph(reading, None)
    formula = "edges on a shortest path, taken as undirected"
    if dataset.unit == "pair":
        steps: dict[str, Any] = {}
        for start in sorted({unit.entities[0] for unit in units}):
            steps[start] = nx.single_source_shortest_path_length(graph, start)
        values = [steps[unit.entities[0]].get(unit.entities[1]) for unit in units]
        return Measured(values, "integer", formula, "Distance", "steps", "graph")
    target = sorted(entities_named(reading, variable)[0][0])
    if len(target) != 1:
        raise InvalidInputError(f"Variable {variable.name!r}: distance needs one entity, not {len(target)}.")
    near = nx.single_source_shortest_path_length(graph, target[0])
    label = f"Distance to {named(variable)[0]}"
    return Measured([near.get(unit.id) for unit in units], "integer", formula, label, "steps", "graph")


def _graph(reading: Reading, variable: Variable | None, *, directed: bool = False) -> Any:
    """Return the graph with parallel edges summed and self-loops left out, nodes in id order."""
    import networkx as nx

    types = set(named(variable)) if variable else set()
    graph = nx.DiGraph() if directed else nx.Graph()
    graph.add_nodes_from(entity.id for entity in reading.corpus.graph.entities)
    for r in reading.corpus.graph.relationships:
        if r.source_id != r.target_id and asserted(r, types):
            before = graph.get_edge_data(r.source_id, r.target_id, {"weight": 0.0})["weight"]
            graph.add_edge(r.source_id, r.target_id, weight=before + r.weight)
    return graph


def _measured(units: Sequence[Unit], scores: Any, dtype: Any, formula: str, variable: Variable) -> Measured:
    only = f"; only {', '.join(named(variable))}" if variable.of else ""
    label = variable.measure.capitalize()
    return Measured([scores[unit.id] for unit in units], dtype, formula + only, label, source="graph")
