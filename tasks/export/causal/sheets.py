"""The tables of the causal bundle: variables, arrows with their evidence, cycles, independencies, data."""

from collections.abc import Mapping
from itertools import pairwise
from typing import Any

from corpusgraph.schemas.results import ColumnType
from corpusgraph.tasks.export.causal.bif import bif_states
from corpusgraph.tasks.export.causal.text import roles
from corpusgraph.tasks.export.folder import Sheet
from corpusgraph.tasks.prepare.causal.nouns import CausalEdge, CausalModel
from corpusgraph.tasks.prepare.passage import Passage

Names = Mapping[str, str]


def nodes(result: CausalModel, names: Names) -> Sheet:
    """Return a row for each variable."""
    columns = (
        ("id", "t", "id"),
        ("name", "t", "name as given"),
        ("node", "t", "name in these files"),
        ("role", "t", "exposure, outcome, latent, adjusted, selected"),
        ("n_causes", "n", "arrows into it"),
        ("n_effects", "n", "arrows out of it"),
    )
    arrows = [edge for edge in result.edges if edge.type != "bidirected"]
    rows = [
        (
            node.id,
            node.label,
            names[node.id],
            " ".join(roles(result, node)),
            sum(edge.target_id == node.id for edge in arrows),
            sum(edge.source_id == node.id for edge in arrows),
        )
        for node in result.nodes
    ]
    return Sheet("nodes.csv", "the variables", columns, rows)


_EDGE_COLUMNS: tuple[tuple[str, str, str], ...] = (
    ("source", "t", "cause, or one end"),
    ("target", "t", "effect, or the other end"),
    ("type", "t", "causes, prevents, or bidirected (unobserved common cause)"),
    ("sign", "n", "1 promotes, -1 prevents, 0 both are stated"),
    ("confidence", "x", "0 to 1: 1 - product of (1 - c) over passages for, times their share"),
    ("n_for", "n", "passages that state it"),
    ("n_against", "n", "passages that deny it"),
    ("kept", "b", "false: dropped as asked"),
    ("for", "t", "first passage that states it"),
    ("against", "t", "first passage that denies it"),
)


def edges(result: CausalModel, names: Names) -> Sheet:
    """Return a row for each arrow, those dropped last."""
    rows = [
        *(_edge_row(edge, names, kept=True) for edge in result.edges),
        *(_edge_row(edge, names, kept=False) for edge in result.dropped_edges),
    ]
    return Sheet("edges.csv", "the arrows with the evidence for and against each", _EDGE_COLUMNS, rows)


def _edge_row(edge: CausalEdge, names: Names, *, kept: bool) -> tuple[object, ...]:
    first = {passage.stance: passage.text for passage in reversed(edge.passages)}
    return (
        names[edge.source_id],
        names[edge.target_id],
        edge.type,
        edge.sign,
        edge.confidence,
        edge.n_for,
        edge.n_against,
        kept,
        first.get("for"),
        first.get("against"),
    )


def cycles(result: CausalModel, names: Names) -> Sheet:
    """Return the arrows of each cycle, a row for each passage."""
    arrows = {(e.source_id, e.target_id): e for e in result.edges if e.type != "bidirected"}
    rows = [
        (number, *_edge_row(arrows[ends], names, kept=True)[:7], passage.stance, passage.text, passage.title)
        for number, walk in enumerate(result.cycles, start=1)
        for ends in pairwise(walk)
        for passage in arrows[ends].passages or (_NO_PASSAGE,)
    ]
    columns = (
        ("cycle", "n", "number of the cycle"),
        *_EDGE_COLUMNS[:7],
        ("stance", "t", "for or against"),
        ("passage", "t", "text"),
        ("document", "t", "title"),
    )
    return Sheet("cycles.csv", "the arrows of each cycle, one row per passage", columns, rows)


_NO_PASSAGE = Passage(evidence_id="", document_id="", chunk_id="", start=0, end=0, text="")


def independencies(result: CausalModel, names: Names) -> Sheet:
    """Return a row for each independence that the graph implies, with its test where there are data."""
    columns: tuple[tuple[str, str, str], ...] = (
        ("x", "t", "variable"),
        ("y", "t", "variable"),
        ("given", "t", "variables to hold fixed, separated by blanks"),
    )
    rows: list[tuple[object, ...]] = [
        (names[one.x], names[one.y], " ".join(names[node] for node in one.given))
        for one in result.implied_independencies
    ]
    if result.tests:
        columns += _TEST_COLUMNS
        told = (tuple(getattr(test, name) for name, _, _ in _TEST_COLUMNS) for test in result.tests)
        rows = [(*row, *more) for row, more in zip(rows, told, strict=True)]
    return Sheet("independencies.csv", "independencies the graph implies, testable in data", columns, rows)


_TEST_COLUMNS: tuple[tuple[str, str, str], ...] = (
    (
        "test",
        "t",
        "partial_correlation (Fisher's z), chi_square within strata, or pillai (numbers and categories)",
    ),
    ("n", "n", "rows without a gap in these variables"),
    ("estimate", "x", "partial correlation; Cramer's V of the pooled statistic; Pillai's trace"),
    ("statistic", "x", "z, chi-square, or F"),
    ("df", "x", "degrees of freedom"),
    ("df_error", "x", "degrees of freedom of the error, of F"),
    ("p", "x", "p value; small: the data contradict the graph"),
    ("p_holm", "x", "adjusted for all tests here (Holm 1979)"),
    ("why_not", "t", "why it was not tested"),
)


def data(result: CausalModel, names: Names) -> list[Sheet]:
    """Return the rows that came with the graph, in the order given, columns named as the nodes."""
    if result.data is None:
        return []
    labels = {node.id: node.label for node in result.nodes}
    taken = set(names.values())
    columns = []
    for column in result.data.columns:
        name = names.get(column.name, column.name)
        while column.name not in names and name in taken:
            name += "_"
        label = column.label or labels.get(column.name, column.name)
        columns.append((name, _KINDS.get(column.dtype, "t"), label))
    return [Sheet("data.csv", "the data that came with the graph", tuple(columns), _cells(result.data.rows))]


_KINDS: dict[ColumnType, str] = {"numeric": "x", "integer": "n", "boolean": "b"}


def _cells(rows: Any) -> list[tuple[Any, ...]]:
    plain = (str, int, float, bool, type(None))
    return [tuple(cell if isinstance(cell, plain) else str(cell) for cell in row) for row in rows]


def states(result: CausalModel, names: Names) -> Sheet:
    """Return a row for each state of each variable that has a table."""
    columns = (
        ("node", "t", "name in the BIF files"),
        ("state", "t", "state as given"),
        ("bif_state", "t", "state in the BIF files"),
    )
    rows = [(names[table.node], *pair) for table in result.cpts for pair in bif_states(table.states).items()]
    return Sheet("states.csv", "the states of the variables, as given and in the BIF files", columns, rows)
