"""The graph as arrays: what walks and aggregations run on. Kept ones are used, others made once."""

from bisect import bisect_left
from collections.abc import Callable, Collection, ItemsView, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property, wraps
from typing import TYPE_CHECKING, Any, Concatenate, ParamSpec, Protocol, TypeVar, overload, runtime_checkable
from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import NDArray

from corpusgraph.schemas.base import nfc
from corpusgraph.schemas.graph import EntityRef
from corpusgraph.schemas.ports import GraphView, Ints

if TYPE_CHECKING:
    from scipy.sparse import csr_array


def in_order(key: Ints, below: int) -> Ints:
    """Return the places of keys, from 0 to `below`, in order, of equals the first first: a stable argsort.

    Sorting numbers that have their place packed in takes a tenth of the time.

    Parameters
    ----------
    key : array of int, shape (n,)
        From 0 to `below`, which is excluded.
    below : int
        More than the largest key.

    Returns
    -------
    array of int, shape (n,)
        Places in `key`.

    """
    n = len(key)
    if below * n >= 2**63:
        return np.argsort(key, kind="stable")
    packed = np.sort(key * n + np.arange(n))
    return packed % n if n else packed


def starts(row: Ints, n_rows: int) -> Ints:
    """Return where the entries of each row begin, of entries in order of row.

    Parameters
    ----------
    row : array of int, shape (entries,)
        Row of each entry; only how often each occurs matters.
    n_rows : int
        Rows, empty ones too.

    Returns
    -------
    array of int, shape (n_rows + 1,)
        Row `i` has the entries from `[i]` to `[i + 1]`.

    """
    return np.concatenate([[0], np.cumsum(np.bincount(row, minlength=n_rows))]).astype(np.int64)


def distinct(values: Ints) -> Ints:
    """Return the values in order, each once; much faster than numpy's hash of them where they are many.

    Parameters
    ----------
    values : array of int, shape (n,)
        In any order.

    Returns
    -------
    array of int, shape (m,)
        m <= n.

    """
    ordered = np.sort(values)
    return ordered[firsts(ordered)]


def firsts(values: NDArray[Any]) -> NDArray[np.bool_]:
    """Tell which values are the first of a run of equals.

    Parameters
    ----------
    values : array, shape (n,)
        Values; equal ones side by side.

    Returns
    -------
    array of bool, shape (n,)
        True for the first value, and where a value differs from the one before it.

    """
    first = np.ones(len(values), dtype=bool)
    first[1:] = values[1:] != values[:-1]
    return first


def spread(start: Ints, rows: Ints) -> tuple[Ints, Ints]:
    """Return the places of all entries of some rows, row by row, and for each which of the rows it is of.

    Parameters
    ----------
    start : array of int, shape (n_rows + 1,)
        Where each row's entries begin.
    rows : array of int, shape (k,)
        Rows to read; a row may come twice.

    Returns
    -------
    places : array of int, shape (entries,)
        Places of their entries.
    whose : array of int, shape (entries,)
        Which of the `k` rows each entry is of, from 0.

    """
    sizes = start[rows + 1] - start[rows]
    whose = np.repeat(np.arange(len(rows)), sizes)
    first = np.cumsum(sizes) - sizes
    return np.arange(len(whose)) - first[whose] + start[rows][whose], whose


class Ids(Sequence[str]):
    """Ids in order, and where each is.

    Parameters
    ----------
    values : sequence of str
        Sorted, each once; they may be read from a file one at a time.

    """

    def __init__(self, values: Sequence[str]) -> None:
        self._values = values

    def __len__(self) -> int:
        return len(self._values)

    @overload
    def __getitem__(self, at: int) -> str: ...
    @overload
    def __getitem__(self, at: slice) -> Sequence[str]: ...
    def __getitem__(self, at: int | slice) -> str | Sequence[str]:
        return self._values[at]

    def __iter__(self) -> Iterator[str]:
        return iter(self._values)

    def find(self, id_: str) -> int | None:
        """Return the place of an id, or None.

        Parameters
        ----------
        id_ : str
            An id.

        Returns
        -------
        int or None
            From 0; None where it is not there. Found by bisection, in O(log n).

        """
        at = bisect_left(self._values, id_)
        return at if at < len(self._values) and self._values[at] == id_ else None

    def place(self, id_: str) -> int:
        """Return the place of an id.

        Parameters
        ----------
        id_ : str
            An id.

        Returns
        -------
        int
            From 0.

        Raises
        ------
        KeyError
            For an id that is not there.

        """
        if (at := self.find(id_)) is None:
            raise KeyError(id_)
        return at

    def __contains__(self, id_: object) -> bool:
        return isinstance(id_, str) and self.find(id_) is not None


class Places(Mapping[str, int]):
    """Id -> its place, as a mapping.

    Parameters
    ----------
    ids : Ids
        Ids in order.

    """

    def __init__(self, ids: Ids) -> None:
        self._ids = ids

    def __getitem__(self, id_: str) -> int:
        return self._ids.place(id_)

    def __iter__(self) -> Iterator[str]:
        return iter(self._ids)

    def __len__(self) -> int:
        return len(self._ids)


@dataclass(frozen=True, eq=False)
class Lists:
    """Rows of items, each with a count: row `i` lists `item[start[i]:start[i + 1]]`, each `count` times.

    Attributes
    ----------
    start : array of int, shape (n_rows + 1,)
        Where each row's items begin.
    item : array of int, shape (entries,)
        Places of items.
    count : array of int, shape (entries,)
        How often the row has the item.

    """

    start: Ints
    item: Ints
    count: Ints

    def of(self, row: int) -> slice:
        """Return where the items of a row are.

        Parameters
        ----------
        row : int
            Number of a row.

        Returns
        -------
        slice
            Into `item` and `count`.

        """
        return slice(int(self.start[row]), int(self.start[row + 1]))

    @property
    def sizes(self) -> Ints:
        """Count the items of each row."""
        return np.diff(self.start)


def listed(row: Ints, item: Ints, count: Ints, place: Ints, n_rows: int) -> Lists:
    """Group items by row, in order of `place[item]`; the counts of an item that comes twice are summed.

    Parameters
    ----------
    row, item, count : array of int, shape (entries,)
        Row and item of each entry, and how often the row has it.
    place : array of int, shape (n_items,)
        Where each item stands in the order of a row.
    n_rows : int
        Rows, empty ones too.

    Returns
    -------
    Lists
        Rows without entries are empty lists.

    """
    order = in_order(row * len(place) + place[item], n_rows * len(place))
    row, item, count = row[order], item[order], count[order]
    first = np.flatnonzero(np.r_[True, (row[1:] != row[:-1]) | (item[1:] != item[:-1])][: len(row)])
    counts = np.add.reduceat(count, first) if len(first) else count
    return Lists(starts(row[first], n_rows), item[first], counts.astype(np.int64))


R = TypeVar("R")


class _ByRow(Mapping[str, R]):
    """Id of a row -> what the row lists, made when looked at."""

    def __init__(
        self, rows: Ids, lists: Lists, items: Sequence[str], make: Callable[[list[str], list[int]], R]
    ) -> None:
        self._rows, self._lists, self._items, self._make = rows, lists, items, make

    def _row(self, at: int, items: Sequence[str]) -> R:
        where = self._lists.of(at)
        ids = [items[i] for i in self._lists.item[where].tolist()]
        return self._make(ids, self._lists.count[where].tolist())

    def __getitem__(self, id_: str) -> R:
        return self._row(self._rows.place(id_), self._items)

    def items(self) -> ItemsView[str, R]:
        """Return ids and rows; walking over them is faster than asking for one after another."""
        return _Items(self)

    def rows(self) -> Iterator[tuple[str, R]]:
        """Make all rows, one after another, without looking each up."""
        items = list(self._items)
        return ((id_, self._row(at, items)) for at, id_ in enumerate(self._rows))

    def __iter__(self) -> Iterator[str]:
        return iter(self._rows)

    def __len__(self) -> int:
        return len(self._rows)


class _Items(ItemsView[str, R]):
    _mapping: _ByRow[R]

    def __iter__(self) -> Iterator[tuple[str, R]]:
        return self._mapping.rows()


def id_lists(rows: Ids, lists: Lists, items: Sequence[str]) -> Mapping[str, tuple[str, ...]]:
    """Return id of a row -> ids of its items, in order.

    Parameters
    ----------
    rows : Ids
        Ids of rows.
    lists : Lists
        Items of each row.
    items : sequence of str
        Ids of items, by place.

    Returns
    -------
    mapping of str to tuple of str
        Each made when it is looked at.

    """
    return _ByRow(rows, lists, items, lambda ids, _: tuple(ids))


def id_counts(rows: Ids, lists: Lists, items: Sequence[str]) -> Mapping[str, Mapping[str, int]]:
    """Return id of a row -> id of an item -> its count, in order.

    Parameters
    ----------
    rows : Ids
        Ids of rows.
    lists : Lists
        Items of each row.
    items : sequence of str
        Ids of items, by place.

    Returns
    -------
    mapping of str to mapping of str to int
        Each made when it is looked at.

    """
    return _ByRow(rows, lists, items, lambda ids, counts: dict(zip(ids, counts, strict=True)))


Doubles = NDArray[np.float64]
G = TypeVar("G")
K = TypeVar("K")
T = TypeVar("T")
P = ParamSpec("P")


class Latest(dict[K, T]):
    """The entries that were set last: of more than `most` the oldest quarter is dropped.

    Parameters
    ----------
    most : int
        Entries at most.

    """

    def __init__(self, most: int) -> None:
        super().__init__()
        self._most = most

    def __setitem__(self, key: K, value: T) -> None:
        super().__setitem__(key, value)
        if len(self) > self._most:
            for old in list(self)[: max(1, self._most // 4)]:
                self.pop(old, None)  # another thread may have dropped it


def per_graph(make: Callable[Concatenate[G, P], T]) -> Callable[Concatenate[G, P], T]:
    """Run a function once per graph or corpus, and per further arguments: none of these ever changes.

    The result must not hold the graph itself, or it would never be freed.

    Parameters
    ----------
    make : callable
        Its first argument, by position, is the graph or corpus; the others can be hashed.

    Returns
    -------
    callable
        The same function, remembering its results for as long as the graph lives.

    """
    results: WeakKeyDictionary[G, dict[Any, T]] = WeakKeyDictionary()

    @wraps(make)
    def remembered(graph: G, /, *args: P.args, **named: P.kwargs) -> T:
        of_graph = results.setdefault(graph, {})
        key = args, tuple(sorted(named.items()))
        if key not in of_graph:
            of_graph[key] = make(graph, *args, **named)
        return of_graph[key]

    return remembered


MATRICES = 10
"""Adjacency matrices kept with a graph, of all types or of some: those made last."""


@dataclass(frozen=True, eq=False)
class CompiledGraph:
    """A graph of n nodes and m edges as arrays: edge `i` runs from node `source[i]` to node `target[i]`.

    Nodes and edges are in id order.

    Attributes
    ----------
    ids : Ids
        Of the entities, by node.
    source, target : array of int, shape (m,)
        Nodes at the ends of each edge.
    weight : array of float, shape (m,)
        Weight of each edge.
    type_code : array of int, shape (m,)
        Place of the edge's type in `type_names`.
    type_names : tuple of str
        Types, in order.
    by_node : tuple of (array of int, array of int), optional
        Edges of each node, as `edges_by_node` returns them, where that is known.
    denied : array of int, shape (d,)
        Places of the edges that texts only deny, in order: they are in the arrays so that they can be shown
        and changed, and in no adjacency, degree or list of edges to walk.

    """

    ids: Ids
    source: Ints
    target: Ints
    weight: Doubles
    type_code: Ints
    type_names: tuple[str, ...]
    by_node: tuple[Ints, Ints] | None = None
    denied: Ints = field(default_factory=lambda: np.zeros(0, dtype=np.int64))
    _matrices: "dict[tuple[bool, tuple[str, ...] | None], csr_array]" = field(
        default_factory=lambda: Latest(MATRICES)
    )

    @cached_property
    def at(self) -> Mapping[str, int]:
        """Return entity id -> node."""
        return Places(self.ids)

    @cached_property
    def types(self) -> NDArray[np.object_]:
        """Return the type of each edge (m,)."""
        return np.array(self.type_names, dtype=object)[self.type_code]

    def adjacency(self, *, directed: bool, types: Collection[str] | None = None) -> "csr_array":
        """Return the weighted adjacency matrix of what is stated; parallel edges add up.

        Undirected, an edge counts both ways and a self-loop once, as in networkx.

        Parameters
        ----------
        directed : bool
            Whether an edge leads from source to target only.
        types : collection of str, optional
            Types of edges to take; all unless named.

        Returns
        -------
        sparse array of float, shape (n, n)
            Not to be changed: the last ten are remembered.

        """
        names = None if types is None else tuple(name for name in self.type_names if name in types)
        if (directed, names) not in self._matrices:
            keep = self.is_stated if names is None else self.is_stated & self.of_types(names)
            ends = (self.source[keep], self.target[keep], self.weight[keep])
            self._matrices[directed, names] = adjacency(len(self.ids), *ends, directed=directed)
        return self._matrices[directed, names]

    @cached_property
    def is_stated(self) -> NDArray[np.bool_]:
        """Tell for each edge whether any text states it (m,)."""
        stated = np.ones(len(self.source), dtype=bool)
        stated[self.denied] = False
        return stated

    def of_types(self, types: Collection[str]) -> NDArray[np.bool_]:
        """Tell for each edge whether it has one of the types.

        Parameters
        ----------
        types : collection of str
            Names of types; unknown ones match nothing.

        Returns
        -------
        array of bool, shape (m,)
            In the order of the edges.

        """
        wanted = np.array([name in types for name in self.type_names], dtype=bool)
        return wanted[self.type_code] if len(wanted) else np.zeros(len(self.source), dtype=bool)

    @cached_property
    def degrees(self) -> Ints:
        """Count the stated relationships of each node (n,); a self-loop counts once."""
        return np.diff(self._stated_by_node[0])

    @cached_property
    def busy(self) -> Ints:
        """Return the sum of the degrees of each edge's ends (m,)."""
        return self.degrees[self.source] + self.degrees[self.target]

    def edges_of(self, node: int, *, denied: bool = False) -> Ints:
        """Return the places of the stated edges at a node, in id order; a self-loop once.

        With `denied` also those that texts only deny.

        Parameters
        ----------
        node : int
            A node.
        denied : bool
            Whether edges that texts only deny are wanted too.

        Returns
        -------
        array of int
            Places of edges.

        """
        start, edges = self.edge_lists if denied else self._stated_by_node
        return edges[start[node] : start[node + 1]]

    def edges_at(self, nodes: Ints, *, denied: bool = False) -> tuple[Ints, Ints]:
        """Return the places of the stated edges at some nodes, node by node, and for each which of the nodes.

        With `denied` also those that texts only deny.

        Parameters
        ----------
        nodes : array of int, shape (k,)
            Nodes.
        denied : bool
            Whether edges that texts only deny are wanted too.

        Returns
        -------
        edges : array of int, shape (e,)
            Places; an edge between two of the nodes comes twice.
        whose : array of int, shape (e,)
            Which of the `k` nodes each edge is of.

        """
        start, edges = self.edge_lists if denied else self._stated_by_node
        places, whose = spread(start, np.asarray(nodes, dtype=np.int64))
        return edges[places], whose

    @cached_property
    def edge_lists(self) -> tuple[Ints, Ints]:
        """Return where each node's edges start (n + 1,), and the edges, node by node."""
        return self.by_node or edges_by_node(len(self.ids), self.source, self.target)

    @cached_property
    def _stated_by_node(self) -> tuple[Ints, Ints]:
        """Return the same without the edges that texts only deny."""
        start, edges = self.edge_lists
        if not len(self.denied):
            return start, edges
        keep = self.is_stated[edges]
        return np.concatenate([[0], np.cumsum(keep)]).astype(np.int64)[start], edges[keep]


def edges_by_node(n: int, source: Ints, target: Ints) -> tuple[Ints, Ints]:
    """Return the edges of each node in compressed rows, a self-loop once.

    Parameters
    ----------
    n : int
        Nodes.
    source, target : array of int, shape (m,)
        Nodes at the ends of each edge.

    Returns
    -------
    start : array of int, shape (n + 1,)
        Where each node's edges begin.
    edge : array of int
        Places of edges, node by node, in order.

    """
    other = np.flatnonzero(source != target)
    node = np.concatenate([source, target[other]])
    edge = np.concatenate([np.arange(len(source)), other])
    order = in_order(node * len(source) + edge, n * len(source))
    return starts(node, n), edge[order]


def adjacency(n: int, source: Ints, target: Ints, weight: Doubles, *, directed: bool) -> "csr_array":
    """Return the matrix with the weight of edges from row to column, parallel edges summed.

    Parameters
    ----------
    n : int
        Nodes.
    source, target : array of int, shape (m,)
        Nodes at the ends of each edge.
    weight : array of float, shape (m,)
        Weight of each edge.
    directed : bool
        Otherwise an edge counts both ways, and a self-loop once.

    Returns
    -------
    sparse array of float, shape (n, n)
        Compressed rows.

    """
    from scipy.sparse import coo_array

    if not directed:
        once = source != target
        source, target = np.concatenate([source, target[once]]), np.concatenate([target, source[once]])
        weight = np.concatenate([weight, weight[once]])
    return coo_array((weight, (source, target)), shape=(n, n)).tocsr()


@dataclass(frozen=True, eq=False)
class GraphArrays:
    """All of a graph but its texts: edges, chunks that mention each entity, chunks that state each edge.

    Attributes
    ----------
    nodes : CompiledGraph
        Nodes and edges.
    relationship_ids : Ids
        By edge.
    chunk_ids : Ids
        By place of chunk.
    mentions : Lists
        A row for each entity: the chunks that mention it, in text order.
    stated : Lists
        A row for each relationship: the chunks that state it, in text order.

    """

    nodes: CompiledGraph
    relationship_ids: Ids
    chunk_ids: Ids
    mentions: Lists
    stated: Lists


@runtime_checkable
class HasArrays(Protocol):
    """A graph that is kept as arrays."""

    @property
    def arrays(self) -> GraphArrays:
        """The arrays."""


@per_graph
def compiled(graph: GraphView) -> CompiledGraph:
    """Return the arrays of a graph, made once for as long as it lives.

    Parameters
    ----------
    graph : GraphView
        The graph.

    Returns
    -------
    CompiledGraph
        Nodes and edges in id order. Those of a stored graph are not made anew.

    """
    if isinstance(graph, HasArrays):
        return graph.arrays.nodes
    ids = Ids(tuple(entity.id for entity in graph.entities))
    at = {id_: i for i, id_ in enumerate(ids)}
    edges = graph.relationships
    names = sorted({edge.type for edge in edges})
    code = {name: i for i, name in enumerate(names)}
    return CompiledGraph(
        ids=ids,
        source=np.array([at[e.source_id] for e in edges], dtype=np.int64),
        target=np.array([at[e.target_id] for e in edges], dtype=np.int64),
        weight=np.array([e.weight for e in edges], dtype=np.float64),
        type_code=np.array([code[e.type] for e in edges], dtype=np.int64),
        type_names=tuple(names),
        denied=np.array([i for i, e in enumerate(edges) if not e.is_stated], dtype=np.int64),
    )


@per_graph
def relationship_ids(graph: GraphView) -> Ids:
    """Return the ids of relationships, in order.

    Parameters
    ----------
    graph : GraphView
        The graph.

    Returns
    -------
    Ids
        In id order, as the edges of `compiled` are.

    """
    if isinstance(graph, HasArrays):
        return graph.arrays.relationship_ids
    return Ids(tuple(relationship.id for relationship in graph.relationships))


@per_graph
def chunk_ids(graph: GraphView) -> Ids:
    """Return the ids of chunks, in order.

    Parameters
    ----------
    graph : GraphView
        The graph.

    Returns
    -------
    Ids
        In id order, as the columns of the incidence matrices are.

    """
    if isinstance(graph, HasArrays):
        return graph.arrays.chunk_ids
    return Ids(tuple(chunk.id for chunk in graph.chunks))


@per_graph
def mentions(graph: GraphView) -> Lists:
    """Return for each entity the chunks that mention it and how often, in text order.

    Parameters
    ----------
    graph : GraphView
        The graph.

    Returns
    -------
    Lists
        A row for each entity.

    """
    if isinstance(graph, HasArrays):
        return graph.arrays.mentions
    counts, at = graph.mention_counts(), {id_: i for i, id_ in enumerate(chunk_ids(graph))}
    found = [counts.get(id_, {}) for id_ in compiled(graph).ids]
    sizes = np.array([len(chunks) for chunks in found], dtype=np.int64)
    return Lists(
        start=np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64),
        item=np.array([at[id_] for chunks in found for id_ in chunks], dtype=np.int64),
        count=np.array([count for chunks in found for count in chunks.values()], dtype=np.int64),
    )


@per_graph
def stated(graph: GraphView) -> Lists:
    """Return for each relationship the chunks that state it, in text order.

    Read from `Relationship.chunk_ids` and `Chunk.relationships`, whichever the graph has.

    Parameters
    ----------
    graph : GraphView
        The graph.

    Returns
    -------
    Lists
        A row for each relationship.

    """
    if isinstance(graph, HasArrays):
        return graph.arrays.stated
    edges, chunks = graph.relationships, graph.chunks
    chunk_at = {chunk.id: i for i, chunk in enumerate(chunks)}
    edge_at = {edge.id: i for i, edge in enumerate(edges)}
    pairs = {(i, chunk_at[id_]) for i, e in enumerate(edges) for id_ in e.chunk_ids or () if id_ in chunk_at}
    for i, chunk in enumerate(chunks):
        pairs |= {(edge_at[id_], i) for id_ in chunk.relationships or () if id_ in edge_at}
    found = np.array(sorted(pairs), dtype=np.int64).reshape(-1, 2)
    order = sorted(range(len(chunks)), key=lambda i: (chunks[i].source_doc, chunks[i].position, i))
    place = np.empty(len(order), dtype=np.int64)
    place[order] = np.arange(len(order))
    return listed(found[:, 0], found[:, 1], np.ones(len(found), dtype=np.int64), place, len(edges))


def degree(graph: GraphView, entity_id: str) -> int:
    """Count the stated relationships of an entity; a self-loop counts once.

    Parameters
    ----------
    graph : GraphView
        The graph.
    entity_id : str
        Id of an entity.

    Returns
    -------
    int
        From 0; what texts only deny does not count.

    Raises
    ------
    KeyError
        For an unknown id.

    """
    arrays = compiled(graph)
    return int(arrays.degrees[arrays.at[entity_id]])


def node_of(graph: GraphView, ref: EntityRef) -> int:
    """Return the node of an entity by id, short id or name; no noun is made for an id.

    Parameters
    ----------
    graph : GraphView
        The graph.
    ref : str or int
        Id, name or short id.

    Returns
    -------
    int
        Place of the entity in id order.

    Raises
    ------
    UnknownEntityError, AmbiguousEntityError
        With the candidates.

    """
    nodes = compiled(graph)
    at = nodes.ids.find(nfc(ref)) if isinstance(ref, str) else None
    return nodes.at[graph.entity(ref).id] if at is None else at


def edge_of(graph: GraphView, ref: EntityRef) -> int:
    """Return the place of a relationship by id or short id; no noun is made for an id.

    Parameters
    ----------
    graph : GraphView
        The graph.
    ref : str or int
        Id or short id.

    Returns
    -------
    int
        Place of the relationship in id order.

    Raises
    ------
    UnknownItemError
        With near matches.

    """
    ids = relationship_ids(graph)
    at = ids.find(ref) if isinstance(ref, str) else None
    return ids.place(graph.relationship(ref).id) if at is None else at


def relationship_chunks(graph: GraphView) -> Mapping[str, Sequence[str]]:
    """Return relationship id -> ids of the chunks that state it, in text order.

    Parameters
    ----------
    graph : GraphView
        The graph.

    Returns
    -------
    mapping of str to tuple of str
        Every relationship is in it; one that no chunk states, such as one made by hand, has none.

    """
    return id_lists(relationship_ids(graph), stated(graph), chunk_ids(graph))


def neighbours_at(arrays: CompiledGraph, node: int) -> Ints:
    """Return the nodes one stated edge away, in either direction, in order and without itself.

    Parameters
    ----------
    arrays : CompiledGraph
        The graph.
    node : int
        A node.

    Returns
    -------
    array of int, shape (k,)
        Nodes.

    """
    edges = arrays.edges_of(node)
    near = distinct(np.concatenate([arrays.source[edges], arrays.target[edges]]))
    apart: Ints = near[near != node]
    return apart
