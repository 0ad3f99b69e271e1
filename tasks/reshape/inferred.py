"""A graph inferred from one table: entities of its cells, edges by rules, attributes by rows."""

from collections.abc import Sequence

from corpusgraph.schemas.graph import Graph
from corpusgraph.schemas.results import Table, ToolWarning
from corpusgraph.tasks.reshape.graph_tables import checked
from corpusgraph.tasks.reshape.naming import Naming, Nodes, Row, is_id_column, missing_as_none
from corpusgraph.tasks.reshape.rules import RelationshipRule, check_columns, infer_edges
from corpusgraph.tasks.reshape.table_graph import read_nodes
from corpusgraph.tasks.table.cells import MOST_RECORDS
from corpusgraph.tasks.table.rows import table_of_rows

Warnings = tuple[ToolWarning, ...]


def infer_graph(
    table: Table, columns: Sequence[str], rules: Sequence[RelationshipRule], naming: Naming
) -> tuple[Graph, Warnings]:
    """Return the graph of a table, nodes in order of id, and what to know about it.

    A key (a cell of a column in `naming.homes`) that names nothing becomes a stub. Raises what
    `infer_edges` raises, and PreparationError `unknown_variable`, `mixed_types`, `duplicate_id`.
    """
    rules = rules or (RelationshipRule(kind="cooccurrence", type="co_occurs_with"),)
    used = [name for rule in rules for name in rule.columns()]
    check_columns(table, [*columns, *used, *naming.types, *naming.separators])
    rows = missing_as_none(table.records(), {c.name: c.missing for c in table.columns})
    warnings: Warnings = ()
    described: Nodes = {}
    if len(columns) == 1 and columns[0] not in naming.homes:
        plain = [c.name for c in table.columns if c.name not in {*used, *columns}]
        described, warnings = _described(rows, columns[0], plain, naming)
    else:
        _meet(rows, columns, naming)
    warnings += _without_names(rows, columns, naming)
    edges, told = infer_edges(rows, rules, columns, naming, table.provenance)
    nodes = naming.nodes | described
    stubs = _dangling(rows, columns, rules, naming)
    nodes |= {id_: nodes[id_].model_copy(update={"is_stub": True}) for id_ in stubs}
    warnings += (*told, *naming.warnings(), *((stub_warning(stubs),) if stubs else ()))
    return Graph(nodes=tuple(nodes[id_] for id_ in sorted(nodes)), edges=tuple(edges)), warnings


def stub_warning(ids: Sequence[str]) -> ToolWarning:
    """Name the entities that are named and not described."""
    message = f"{len(ids)} entities are named but not described; they got stubs."
    return ToolWarning(code="stub_entities", message=message, records=tuple(ids))


def _meet(rows: Sequence[Row], columns: Sequence[str], naming: Naming) -> set[str]:
    return {id_ for row in rows for column in columns for id_ in naming.ids(row, column)}


def _without_names(rows: Sequence[Row], columns: Sequence[str], naming: Naming) -> Warnings:
    empty = [str(at) for at, row in enumerate(rows, 1) if not any(naming.names(row, c) for c in columns)]
    if not columns or not empty:
        return ()
    message = f"{len(empty)} rows name no entity in {', '.join(columns)}."
    return (ToolWarning(code="rows_without_entity", message=message, records=tuple(empty[:MOST_RECORDS])),)


def _dangling(
    rows: Sequence[Row], columns: Sequence[str], rules: Sequence[RelationshipRule], naming: Naming
) -> list[str]:
    """Return the entities that only keys name."""
    keys = {name for name in naming.homes if rows and name in rows[0]}
    if not keys:
        return []
    ends = [end for rule in rules for end in (rule.source_col, rule.target_col) if end]
    others = dict.fromkeys(name for name in (*columns, *ends) if name not in keys)
    known = _meet(rows, list(others), naming) | set(naming.keys.values())
    return sorted(_meet(rows, sorted(keys), naming) - known)


def _described(
    rows: Sequence[Row], column: str, others: Sequence[str], naming: Naming
) -> tuple[Nodes, Warnings]:
    """Make the nodes that rows describe: other cells are fields (name, type, description) or attributes.

    Rows that name one entity and say different things of it leave it without attributes.
    """
    records = []
    for row in rows:
        for name in naming.names(row, column):
            made = naming.nodes[naming.id_of(name, column)]
            own = {"id": made.id} if is_id_column(column) else {"id": made.id, "name": made.name}
            record = {f"attribute_{c}" if c in own else c: row[c] for c in others} | own
            record["type"] = record.get("type") or made.type
            records.append(record)
    nodes = read_nodes(table_of_rows(records, "nodes"))
    if is_id_column(column):
        graph, warnings = checked(Graph(nodes=nodes))
        return {node.id: node for node in graph.nodes}, warnings
    first: Nodes = {}
    several = {node.id for node in nodes if first.setdefault(node.id, node) != node}
    kept = {id_: naming.nodes[id_] if id_ in several else node for id_, node in first.items()}
    message = f"Rows say different things of {len(several)} entities, which have no attributes."
    warning = ToolWarning(code="attributes_left_out", message=message, records=tuple(sorted(several)))
    return kept, (warning,) if several else ()
