"""PLACES: measures of where a node lies in a network, with how each is described."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from corpusgraph.schemas.results import ColumnType
from corpusgraph.tasks.dataset.measures import centralities as place
from corpusgraph.tasks.dataset.measures.links import Network


@dataclass(frozen=True)
class Place:
    """A measure of nodes: its scores, and the value of an entity that a period does not mention."""

    scores: Callable[[Network], Any]
    dtype: ColumnType
    label: str
    unit: str
    formula: str
    absent: int | None = None
    by_paths: str = ""


def _component(network: Network) -> Any:
    return network.part + 1


def _component_size(network: Network) -> Any:
    return np.bincount(network.part)[network.part] if network.ids else np.zeros(0, dtype=np.int64)


_PLAIN, _WEIGHED = "edges undirected and unweighted", "edges undirected and weighted"

PLACES: Mapping[str, Place] = {
    "degree": Place(
        place.degrees,
        "integer",
        "Degree",
        "entities",
        "number of different neighbours, edges taken as undirected",
        0,
    ),
    "in_degree": Place(
        place.in_degrees, "integer", "In-degree", "entities", "number of different sources of edges to it", 0
    ),
    "out_degree": Place(
        place.out_degrees,
        "integer",
        "Out-degree",
        "entities",
        "number of different targets of edges from it",
        0,
    ),
    "strength": Place(
        place.strengths,
        "numeric",
        "Strength",
        "weight",
        "sum of the weights of edges to and from it (Barrat et al. 2004)",
        0,
    ),
    "in_strength": Place(
        place.in_strengths,
        "numeric",
        "In-strength",
        "weight",
        "sum of the weights of edges to it (Barrat et al. 2004)",
        0,
    ),
    "out_strength": Place(
        place.out_strengths,
        "numeric",
        "Out-strength",
        "weight",
        "sum of the weights of edges from it (Barrat et al. 2004)",
        0,
    ),
    "pagerank": Place(
        place.pageranks,
        "numeric",
        "PageRank",
        "probability",
        "PageRank (Page et al. 1999), damping 0.85, edges directed and weighted; sums to 1",
    ),
    "betweenness": Place(
        place.betweennesses,
        "numeric",
        "Betweenness",
        "0 to 1",
        f"share of shortest paths between two others that pass through it (Freeman 1977), {_PLAIN}, divided"
        " by the number of pairs",
        by_paths="Brandes & Pich 2007",
    ),
    "closeness": Place(
        place.closenesses,
        "numeric",
        "Closeness",
        "0 to 1",
        "(r - 1) / (sum of distances) x (r - 1) / (n - 1), r entities being in its component"
        f" (Wasserman & Faust 1994), {_PLAIN}; 0 without neighbours",
        by_paths="Eppstein & Wang 2004",
    ),
    "eigenvector": Place(
        place.eigenvectors,
        "numeric",
        "Eigenvector centrality",
        "0 to 1",
        f"eigenvector centrality within its component (Bonacich 1972), {_WEIGHED}, the largest being 1;"
        " missing without neighbours",
    ),
    "core": Place(
        place.cores,
        "integer",
        "Core number",
        "k",
        f"largest k of a k-core with it (Seidman 1983), {_PLAIN}",
        0,
    ),
    "clustering": Place(
        place.clusterings,
        "numeric",
        "Clustering",
        "0 to 1",
        f"share of pairs of neighbours that are joined (Watts & Strogatz 1998), {_PLAIN}; 0 for fewer"
        " than two neighbours",
    ),
    "component": Place(
        _component,
        "nominal",
        "Component",
        "number of the component",
        "connected component, edges undirected; 1 is the largest",
    ),
    "component_size": Place(
        _component_size,
        "integer",
        "Size of the component",
        "entities",
        "number of entities in its connected component, edges undirected",
        0,
    ),
}


def cells(found: Place, network: Network) -> list[Any]:
    """Return the scores as cells: plain numbers, None for not-a-number."""
    scores = found.scores(network)
    missing = np.isnan(scores).tolist()
    return [None if empty else score for score, empty in zip(scores.tolist(), missing, strict=True)]
