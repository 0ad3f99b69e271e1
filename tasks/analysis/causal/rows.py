"""The rows that come with a causal graph: columns found for its nodes, gaps and weights checked."""

import sys
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from corpusgraph.schemas.errors import PreparationError, did_you_mean
from corpusgraph.schemas.results import Table
from corpusgraph.tasks.analysis.causal.models import PrepareCausalModel
from corpusgraph.tasks.analysis.causal.structure import Structure
from corpusgraph.tasks.analysis.checks import check_writable
from corpusgraph.tasks.table.frames import check_table, plain, table_of_rows
from corpusgraph.tasks.table.values import is_missing, warning

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
        names = [column.name for column in self.table.columns]
        return list(self.table.cells(names.index(node))) if node in names else ()


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
    labels = list(known.values())
    by_name = {label: node for node, label in known.items() if labels.count(label) == 1}
    found: dict[str, int] = {}
    extra: dict[str, int] = {}
    for at, column in enumerate(table.columns):
        node = column.name if column.name in known else by_name.get(column.name)
        if node is not None and node in found:
            raise PreparationError(
                f"Two columns of the data are {known[node]!r}.",
                code="duplicate_id",
                hint=f"Keep one of {table.columns[found[node]].name!r} and {column.name!r}.",
            )
        if node is not None:
            found[node] = at
        elif column.name in {weights, DOCUMENT}:
            extra[column.name] = at
    if weights is not None and weights not in {*found, *extra}:
        names = [column.name for column in table.columns]
        raise PreparationError(
            f"The data have no column {weights!r} for the weights.",
            code="unknown_variable",
            hint=did_you_mean(weights, names),
        )
    return {node: found[node] for node in known if node in found} | dict(sorted(extra.items()))


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
