"""From the records of tool 24 to a causal graph, and the rows that come with it, both checked."""

import sys
from collections import Counter
from collections.abc import Collection, Sequence
from dataclasses import dataclass, field
from itertools import islice
from typing import Any

from corpusgraph.schemas.errors import PreparationError, did_you_mean
from corpusgraph.schemas.results import Table, ToolWarning, warned
from corpusgraph.tasks.analysis.causal.dag import CausalGraph
from corpusgraph.tasks.analysis.causal.models import CausalEdge, CausalNode, PrepareCausalModel
from corpusgraph.tasks.analysis.checks import NAMED, check_writable, few, require_known, unique_records
from corpusgraph.tasks.table.frames import check_table, plain, table_of_rows
from corpusgraph.tasks.table.values import is_missing, warning

Walk = tuple[str, ...]

MAX_CYCLES = 200
"""Cycles listed at most."""


def cycles(nodes: Sequence[str], arrows: Collection[tuple[str, str]]) -> tuple[list[Walk], bool]:
    """Return elementary cycles, shortest first, first node repeated last.

    Where there are more than `MAX_CYCLES`, a shortest cycle of each group of nodes that reach each other is
    among those listed.

    Parameters
    ----------
    nodes : sequence of str
        Nodes; their order decides between cycles of one length.
    arrows : collection of (str, str)
        (cause, effect).

    Returns
    -------
    cycles : list of tuple of str
    complete : bool
        Whether these are all.

    References
    ----------
    Johnson 1975, by networkx.

    """
    import networkx as nx

    place = {node: i for i, node in enumerate(nodes)}
    graph = nx.DiGraph()
    graph.add_nodes_from(range(len(nodes)))
    graph.add_edges_from(sorted((place[a], place[b]) for a, b in arrows))
    listed = sorted({_turned(walk) for walk in islice(nx.simple_cycles(graph), MAX_CYCLES + 1)}, key=_rank)
    complete = len(listed) <= MAX_CYCLES
    if not complete:
        first = set(_shortest(graph))
        rest = [walk for walk in listed if walk not in first][: max(0, MAX_CYCLES - len(first))]
        listed = sorted([*first, *rest], key=_rank)
    return [tuple(nodes[i] for i in (*walk, walk[0])) for walk in listed], complete


def _rank(walk: Sequence[int]) -> tuple[int, Sequence[int]]:
    return len(walk), walk


def _turned(walk: Sequence[int]) -> tuple[int, ...]:
    """Start a cycle at its first node, so that one cycle is written one way."""
    at = walk.index(min(walk))
    return (*walk[at:], *walk[:at])


def _shortest(graph: Any) -> list[tuple[int, ...]]:
    """Return a shortest cycle of each strongly connected component that has one."""
    import networkx as nx

    shortest: list[tuple[int, ...]] = []
    for group in nx.strongly_connected_components(graph):
        part = graph.subgraph(group)
        # a path from the end of an arrow to its start, closed by the arrow
        walks = sorted((_turned(nx.shortest_path(part, b, a)) for a, b in part.edges), key=_rank)
        shortest += walks[:1]
    return shortest


ARROWS, BOTH_WAYS = ("causes", "prevents"), "bidirected"


@dataclass
class Structure:
    """Checked nodes and edges, the graph they make, and what was noted on the way.

    Attributes
    ----------
    nodes : list of CausalNode
    edges : list of CausalEdge
    dropped : list of CausalEdge
        Removed because the caller named them.
    cycles : list of tuple of str
        First node repeated last.
    warnings : list of ToolWarning

    """

    nodes: list[CausalNode]
    edges: list[CausalEdge]
    dropped: list[CausalEdge] = field(default_factory=list)
    cycles: list[tuple[str, ...]] = field(default_factory=list)
    warnings: list[ToolWarning] = field(default_factory=list)

    @property
    def graph(self) -> CausalGraph:
        """The causal graph. Made anew each time: edges may be dropped in between."""
        arrows = {(e.source_id, e.target_id) for e in self.edges if e.type != BOTH_WAYS}
        both = {_pair(e) for e in self.edges if e.type == BOTH_WAYS}
        hidden = frozenset(node.id for node in self.nodes if node.latent)
        return CausalGraph(tuple(n.id for n in self.nodes), frozenset(arrows), frozenset(both), hidden)

    def names(self) -> dict[str, str]:
        """Return node id -> name.

        Returns
        -------
        dict of str to str
            The id where a node has no name.

        """
        return {node.id: node.label for node in self.nodes}

    def unique_names(self) -> dict[str, str]:
        """Return node id -> name, with the id behind it where several nodes share the name.

        Returns
        -------
        dict of str to str
            In the order of the nodes.

        """
        often = Counter(node.label for node in self.nodes)
        return {n.id: n.label if often[n.label] == 1 else f"{n.label} [{n.id}]" for n in self.nodes}


def structure(ask: PrepareCausalModel) -> Structure:
    """Check nodes and edges of a call, merge parallel edges, and drop those that the caller names.

    Parameters
    ----------
    ask : PrepareCausalModel
        The call.

    Returns
    -------
    Structure
        With the cycles, which are empty for a DAG, and warnings of what was merged or dropped.

    Raises
    ------
    PreparationError
        `empty_id`, `duplicate_id`, `invalid_input` (states of a node, or a latent one adjusted for),
        `dangling_edge`, `unknown_relation_type`, `probability_out_of_range` (a confidence), `unknown_edge`
        (to drop), `self_confounded` (bidirected from a node to itself), and `cyclic_graph` unless cycles are
        to be reported.

    """
    nodes, twins = unique_records(ask.entities, "entity")
    _check_roles(nodes)
    edges, merged = _merged(_checked_edges(ask.relationships, nodes))
    made = Structure(nodes, edges, warnings=[*ask.notes, *twins, *merged])
    _drop(made, ask.drop_edges)
    made.cycles, complete = cycles(made.graph.nodes, made.graph.arrows)
    if made.cycles and ask.on_cycle == "error":
        listed = "`on_cycle: report` lists"
        raise PreparationError(_cycle_message(made, listed), code="cyclic_graph", hint=_CYCLE_HINT)
    if made.cycles:
        names = made.names()
        walks = tuple(" -> ".join(names[node] for node in walk) for walk in made.cycles)
        message = f"{_cycle_message(made, 'The result lists')} {_CYCLE_HINT}"
        made.warnings.append(ToolWarning(code="cyclic_graph", message=message, records=walks))
    message = f"The list of cycles was cut at {len(made.cycles)}; there are more."
    made.warnings += warned("list_cut", message, when=not complete)
    return made


_CYCLE_HINT = "Name the arrow to leave out in drop_edges; none is removed by itself."


def _cycle_message(made: Structure, listed: str) -> str:
    names = made.names()
    cycle = [names[node] for node in made.cycles[0]]
    if len(cycle) > 2 * NAMED:
        cycle = [*cycle[:NAMED], f"({len(cycle) - 2 * NAMED:,} more)", *cycle[-NAMED:]]
    walk = " -> ".join(cycle)
    more = len(made.cycles) - 1
    others = f" {listed} {more} more." if more else ""
    return f"The graph has a cycle: {walk}.{others}"


def _check_roles(nodes: Sequence[CausalNode]) -> None:
    for node in nodes:
        states = node.states or ()
        if wrong := [s for s in states if not s.strip() or states.count(s) > 1]:
            raise PreparationError(
                f"The states of {node.label!r} are not told apart: {wrong[0]!r} is blank or there twice.",
                code="invalid_input",
                hint="Give each state a name of its own.",
            )
        if node.latent and node.adjusted:
            raise PreparationError(
                f"{node.label!r} is latent and adjusted for.",
                code="invalid_input",
                hint="A variable that was not observed cannot be adjusted for.",
            )


def _checked_edges(given: Sequence[CausalEdge], nodes: Sequence[CausalNode]) -> list[CausalEdge]:
    unique_records([edge for edge in given if edge.id], "relationship")
    ids = {node.id for node in nodes}
    named = [e.model_copy(update={"id": e.id or f"{e.source_id}{_head(e)}{e.target_id}"}) for e in given]
    for edge in named:
        if edge.type not in (*ARROWS, BOTH_WAYS):
            raise PreparationError(
                f"Relationship {edge.id!r} has the type {edge.type!r}.",
                code="unknown_relation_type",
                hint=did_you_mean(edge.type, (*ARROWS, BOTH_WAYS)) or "Use causes, prevents or bidirected.",
            )
        if edge.confidence is not None and not 0 <= edge.confidence <= 1:
            raise PreparationError(
                f"Relationship {edge.id!r} has the confidence {edge.confidence}.",
                code="probability_out_of_range",
                hint="Give a number from 0 to 1, or leave it out.",
            )
        require_known((edge.source_id, edge.target_id), ids, f"Relationship {edge.id!r}", "entity")
        if edge.type == BOTH_WAYS and edge.source_id == edge.target_id:
            raise PreparationError(
                f"Relationship {edge.id!r} is bidirected between {edge.source_id!r} and itself.",
                code="self_confounded",
                hint="Leave it out: a variable shares all its causes with itself.",
            )
    return named


def _pair(edge: CausalEdge) -> tuple[str, str]:
    a, b = sorted((edge.source_id, edge.target_id))
    return a, b


def _merged(edges: Sequence[CausalEdge]) -> tuple[list[CausalEdge], list[ToolWarning]]:
    """Keep one edge between two nodes for each kind; the passages of the others are kept with it."""
    kept: dict[tuple[str, str, bool], CausalEdge] = {}
    merged: list[str] = []
    for edge in edges:
        both = edge.type == BOTH_WAYS
        ends = _pair(edge) if both else (edge.source_id, edge.target_id)
        first = kept.setdefault((*ends, both), edge)
        if first is not edge:
            merged.append(edge.id)
            kept[*ends, both] = _joined(first, edge)
    message = f"Parallel edges were merged: {few(merged)}."
    return list(kept.values()), warning("parallel_edges_merged", message, merged)


def _joined(first: CausalEdge, other: CausalEdge) -> CausalEdge:
    signs = {-1 if e.type == "prevents" and e.sign is None else e.sign for e in (first, other)}
    extra = tuple(passage for passage in other.passages if passage not in first.passages)
    added = other if extra or not other.passages else other.model_copy(update={"n_for": 0, "n_against": 0})
    counts = {name: (getattr(first, name), getattr(added, name)) for name in ("n_for", "n_against")}
    totals = {n: None if two == (None, None) else sum(one or 0 for one in two) for n, two in counts.items()}
    sign = signs.pop() if len(signs) == 1 else 0
    return first.model_copy(update={"sign": sign, "passages": first.passages + extra, **totals})


def _drop(made: Structure, names: Sequence[str | tuple[str, str]]) -> None:
    """Remove the arrows the caller named, by id or by the ids or names of their ends."""
    for name in names:
        gone = [edge for edge in made.edges if _is_called(edge, name, made.names())]
        if not gone:
            raise PreparationError(
                f"There is no edge {_shown(name)!r} to drop.",
                code="unknown_edge",
                hint=did_you_mean(_shown(name), [_arrow(edge, made.names()) for edge in made.edges])
                or "Name it by its id, or as a pair [source, target].",
            )
        made.dropped += gone
        made.edges = [edge for edge in made.edges if edge not in gone]
    arrows = [_arrow(edge, made.names()) for edge in made.dropped]
    made.warnings += warning("edges_dropped", f"Removed as asked: {', '.join(arrows)}.", arrows)


def _is_called(edge: CausalEdge, name: str | tuple[str, str], names: dict[str, str]) -> bool:
    if isinstance(name, str):
        return edge.id == name
    ends = ((edge.source_id, names[edge.source_id]), (edge.target_id, names[edge.target_id]))
    return edge.type != BOTH_WAYS and all(said in end for said, end in zip(name, ends, strict=True))


def _arrow(edge: CausalEdge, names: dict[str, str]) -> str:
    return f"{names[edge.source_id]} {_head(edge)} {names[edge.target_id]}"


def _head(edge: CausalEdge) -> str:
    return "<->" if edge.type == BOTH_WAYS else "->"


def _shown(name: str | tuple[str, str]) -> str:
    return name if isinstance(name, str) else " -> ".join(name)


DOCUMENT = "document_id"
"""A column that says which document a row is about; kept beside the variables."""


@dataclass(frozen=True)
class CausalData:
    """Rows that come with a causal graph.

    Attributes
    ----------
    table : Table
        Its columns are ids of nodes, then weights and document.
    weights : tuple of float, optional
        Weight of each row, above 0.

    """

    table: Table
    weights: tuple[float, ...] | None = None

    def cells(self, node: str) -> Sequence[Any]:
        """Return the values of a node; nothing where the data have none.

        Parameters
        ----------
        node : str
            Id of a node.

        Returns
        -------
        sequence of Any
            A value a row; None is missing.

        """
        return self.table.column(node) if node in (column.name for column in self.table.columns) else ()


def read_data(ask: PrepareCausalModel, made: Structure) -> CausalData | None:
    """Return the data of the call with columns under the ids of nodes, in the order of the nodes.

    Parameters
    ----------
    ask : PrepareCausalModel
        The call.
    made : Structure
        The checked structure; warnings are added to it: `data_unused` (columns that are no node) and
        `infinite_as_missing`.

    Returns
    -------
    CausalData or None
        None where the call has no data.

    Raises
    ------
    PreparationError
        `empty_table`, `duplicate_id` (two columns for one node), `unknown_variable` (the weights),
        `weight_not_finite`, `weight_not_positive`.

    """
    if ask.data is None:
        if ask.weights is not None:
            raise PreparationError(
                f"There are weights ({ask.weights!r}) and no data.",
                code="unknown_variable",
                hint="Give the data whose rows they weigh, or leave weights out.",
            )
        return None
    table = ask.data if isinstance(ask.data, Table) else table_of_rows(ask.data, "data")
    check_table(table)
    places = _places(made, table, ask.weights)
    unused = tuple(column.name for at, column in enumerate(table.columns) if at not in places.values())
    message = f"Columns of the data that are no variable of the graph: {', '.join(unused)}."
    made.warnings += warning("data_unused", message, unused)
    cells = {name: _finite(made, name, list(table.cells(at))) for name, at in places.items()}
    heads = [table.columns[at].model_copy(update={"name": name, "role": None}) for name, at in places.items()]
    rows = tuple(zip(*cells.values(), strict=True)) if cells else ()
    weights = _weights(cells[ask.weights]) if ask.weights is not None else None
    return CausalData(Table(name="data", columns=tuple(heads), rows=rows), weights)


def _places(made: Structure, table: Table, weights: str | None) -> dict[str, int]:
    """Return node id (then weights, document) -> place of its column; ids go before names."""
    known = made.names()
    often = Counter(known.values())
    aside = sorted({DOCUMENT} if weights is None else {DOCUMENT, weights})
    unique = {label: node for node, label in known.items() if often[label] == 1}
    called = {name: name for name in aside} | unique | {node: node for node in known}
    found: dict[str, int] = {}
    for at, column in enumerate(table.columns):
        if (name := called.get(column.name)) is None:
            continue
        if name in found:
            raise PreparationError(
                f"Two columns of the data are {known[name]!r}.",
                code="duplicate_id",
                hint=f"Keep one of {table.columns[found[name]].name!r} and {column.name!r}.",
            )
        found[name] = at
    if weights is not None and weights not in found:
        names = [column.name for column in table.columns]
        raise PreparationError(
            f"The data have no column {weights!r} for the weights.",
            code="unknown_variable",
            hint=did_you_mean(weights, names),
        )
    return {name: found[name] for name in (*known, *aside) if name in found}


def _finite(made: Structure, name: str, cells: Sequence[Any]) -> list[Any]:
    """Return the cells with None for what holds nothing; infinite numbers are told."""
    cells = plain(made.names().get(name, name), cells)
    check_writable({f"data: {name}: row": cells})
    # A whole number too large for a float is infinite, as one with a decimal point is.
    endless = [isinstance(cell, int | float) and abs(cell) > sys.float_info.max for cell in cells]
    message = f"Variable {name!r}: {sum(endless)} infinite numbers are missing."
    made.warnings += warning("infinite_as_missing", message, [name] if any(endless) else ())
    return [None if gone or is_missing(cell) else cell for cell, gone in zip(cells, endless, strict=True)]


def _weights(cells: Sequence[Any]) -> tuple[float, ...]:
    for at, cell in enumerate(cells, start=1):
        if isinstance(cell, bool) or not isinstance(cell, int | float):
            raise PreparationError(
                f"Row {at} of the data has no finite weight.",
                code="weight_not_finite",
                hint="Give every row a finite number above 0, or leave the row out.",
            )
        if cell <= 0:
            raise PreparationError(
                f"Row {at} of the data has the weight {cell}.",
                code="weight_not_positive",
                hint="Weights are above 0; leave out a row that stands for none.",
            )
    return tuple(float(cell) for cell in cells)
