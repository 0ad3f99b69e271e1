"""Random graphs for comparing with another library: any multigraph, as edges and as arrays."""

import networkx as nx
import numpy as np
from hypothesis import strategies as st

from corpusgraph.schemas.documents import Chunk
from corpusgraph.schemas.graph import Entity, Relationship
from corpusgraph.tasks.graph.view import MemoryGraph

Edge = tuple[int, int, float]
Made = tuple[int, list[Edge]]
WEIGHTS = st.sampled_from([0.25, 0.5, 1.0, 2.0, 3.0, 7.0])


@st.composite
def multigraphs(draw: st.DrawFn, least: int = 0, most: int = 8, edges: int = 16) -> Made:
    """Any multigraph: empty, one node, self-loops, parallel edges, edges both ways, parts apart."""
    n = draw(st.integers(least, most))
    if n == 0:
        return 0, []
    node = st.integers(0, n - 1)
    return n, draw(st.lists(st.tuples(node, node, WEIGHTS), max_size=edges))


@st.composite
def generic(draw: st.DrawFn, least: int = 2, most: int = 9, edges: int = 20) -> Made:
    """A multigraph whose weights make no two trees or paths cost the same."""
    n, made = draw(multigraphs(least, most, edges))
    noise = np.random.default_rng(draw(st.integers(0, 10_000))).uniform(0.2, 5.0, len(made))
    return n, [(u, v, float(w)) for (u, v, _), w in zip(made, noise, strict=True)]


def name(node: int) -> str:
    return f"e{node:02d}"


def view(made: Made, chunks: dict[int, list[int]] | None = None) -> MemoryGraph:
    """Return the graph as tools see it; `chunks` says which edges each chunk states."""
    n, edges = made
    return MemoryGraph(
        [Entity(id=name(i)) for i in range(n)],
        [
            Relationship(id=f"r{i:02d}", source_id=name(u), target_id=name(v), weight=w)
            for i, (u, v, w) in enumerate(edges)
        ],
        [
            Chunk(
                id=f"c{c}",
                content="",
                source_doc="d",
                position=c,
                relationships=tuple(f"r{i:02d}" for i in its),
            )
            for c, its in (chunks or {}).items()
        ],
    )


def cheapest(made: Made, *, directed: bool = False) -> "nx.Graph":
    """Return the simple graph of the strongest edges, with cost 1 / weight; self-loops left out."""
    n, edges = made
    graph = nx.DiGraph() if directed else nx.Graph()
    graph.add_nodes_from(range(n))
    for u, v, w in edges:
        if u != v and (not graph.has_edge(u, v) or graph[u][v]["cost"] > 1 / w):
            graph.add_edge(u, v, cost=1 / w)
    return graph
