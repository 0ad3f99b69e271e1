"""The tables of a Bayesian network: those given, and those counted from rows."""

from collections.abc import Sequence

from corpusgraph.schemas.base import JsonDict
from corpusgraph.schemas.errors import PreparationError
from corpusgraph.schemas.results import Table, ToolWarning
from corpusgraph.tasks.dataset.rows import check_table
from corpusgraph.tasks.prepare._causal_nouns import Cpt, PrepareCausalModel
from corpusgraph.tasks.prepare._causal_structure import BOTH_WAYS, Structure
from corpusgraph.tasks.prepare._cpt import counted_cpt, given_cpt, states_of


def tables(ask: PrepareCausalModel, made: Structure) -> tuple[Cpt, ...]:
    """Return a table for each node that has one or has data."""
    if any(edge.type == BOTH_WAYS for edge in made.edges):
        raise PreparationError(
            "A Bayesian network has no bidirected edges.",
            code="bidirected_in_bayesian",
            hint="Add the unobserved common cause as an entity with latent: true and two arrows.",
        )
    rows = _rows(ask, made)
    states = {node.id: its for node in made.nodes if (its := states_of(node, rows))}
    found: list[Cpt] = []
    unseen: list[str] = []
    for node in made.nodes:
        parents = [edge.source_id for edge in made.edges if edge.target_id == node.id]
        if any(name not in states for name in (node.id, *parents)):
            continue
        if node.cpt is not None:
            found.append(given_cpt(node, parents, states))
        elif all(any(row.get(name) is not None for row in rows) for name in (node.id, *parents)):
            table, missing = counted_cpt(node, parents, states, rows, ask.prior_weight)
            found.append(table)
            unseen += missing
    _note_tables(made, found, unseen)
    return tuple(found)


def _rows(ask: PrepareCausalModel, made: Structure) -> list[JsonDict]:
    """Return the data with columns under the ids of their nodes."""
    if isinstance(ask.data, Table) and ask.data.rows:
        check_table(ask.data)
    data = ask.data.records() if isinstance(ask.data, Table) else list(ask.data or ())
    names = {label: node for node, label in made.names().items()}
    return [{names.get(key, key): value for key, value in row.items()} for row in data]


def _note_tables(made: Structure, found: Sequence[Cpt], unseen: Sequence[str]) -> None:
    if unseen:
        message = f"The data never show {len(unseen)} parent configurations; their rows are the prior mean."
        made.warnings.append(ToolWarning(code="unseen_configuration", message=message, records=tuple(unseen)))
    bare = sorted({node.id for node in made.nodes} - {table.node for table in found})
    if bare:
        message = f"Without table or data, so structure only: {', '.join(bare)}."
        made.warnings.append(ToolWarning(code="no_cpt", message=message, records=tuple(bare)))
