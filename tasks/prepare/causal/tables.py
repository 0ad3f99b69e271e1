"""The tables of a Bayesian network: those given, and those counted from rows."""

from collections.abc import Sequence
from typing import Any

from corpusgraph.schemas.errors import PreparationError
from corpusgraph.schemas.results import ToolWarning
from corpusgraph.tasks.prepare.causal.counts import Pseudo, counted_cpt
from corpusgraph.tasks.prepare.causal.cpt import given_cpt, state_text, states_of
from corpusgraph.tasks.prepare.causal.nouns import Cpt, PrepareCausalModel
from corpusgraph.tasks.prepare.causal.rows import CausalData
from corpusgraph.tasks.prepare.causal.structure import BOTH_WAYS, Structure


def tables(ask: PrepareCausalModel, made: Structure, data: CausalData | None) -> tuple[Cpt, ...]:
    """Return a table for each node that has one or has data."""
    if any(edge.type == BOTH_WAYS for edge in made.edges):
        raise PreparationError(
            "A Bayesian network has no bidirected edges.",
            code="bidirected_in_bayesian",
            hint="Add the unobserved common cause as an entity with latent: true and two arrows.",
        )
    cells = {node.id: data.cells(node.id) if data else () for node in made.nodes}
    states = {node.id: its for node in made.nodes if (its := states_of(node, cells[node.id]))}
    texts = {name: _texts(cells[name]) for name in states if any(cell is not None for cell in cells[name])}
    prior = Pseudo(ask.prior, ask.equivalent_sample_size if ask.prior == "bdeu" else ask.prior_weight)
    found: list[Cpt] = []
    unseen: list[str] = []
    for node in made.nodes:
        parents = [edge.source_id for edge in made.edges if edge.target_id == node.id]
        if any(name not in states for name in (node.id, *parents)):
            continue
        if node.cpt is not None:
            found.append(given_cpt(node, parents, states))
        elif all(name in texts for name in (node.id, *parents)):
            table, missing = counted_cpt(node, parents, states, texts, prior, data.weights if data else None)
            found.append(table)
            unseen += missing
    _note_tables(made, found, unseen)
    return tuple(found)


def _texts(cells: Sequence[Any]) -> list[str | None]:
    """Return each cell as the name of a state."""
    return [None if cell is None else state_text(cell) for cell in cells]


def _note_tables(made: Structure, found: Sequence[Cpt], unseen: Sequence[str]) -> None:
    if unseen:
        message = (
            f"The data never show {len(unseen)} parent configurations; their rows are equal probabilities."
        )
        made.warnings.append(ToolWarning(code="unseen_configuration", message=message, records=tuple(unseen)))
    bare = sorted({node.id for node in made.nodes} - {table.node for table in found})
    if bare:
        message = f"Without table or data, so structure only: {', '.join(bare)}."
        made.warnings.append(ToolWarning(code="no_cpt", message=message, records=tuple(bare)))
