"""The tables of a Bayesian network: those given, and those counted from rows."""

import math
import sys
from collections.abc import Mapping, Sequence
from itertools import product, repeat
from typing import Any

from corpusgraph.schemas.base import JsonDict
from corpusgraph.schemas.errors import PreparationError, did_you_mean
from corpusgraph.tasks.analysis.causal.models import CausalNode, Cpt, CptRow, PrepareCausalModel
from corpusgraph.tasks.analysis.causal.structure import BOTH_WAYS, CausalData, Structure
from corpusgraph.tasks.table.values import number, warning

TOLERANCE = 1e-6
"""How far a row's sum may be from one."""

MAX_NUMBERS = 10
"""Distinct whole numbers that still count as states."""

MAX_ROWS = 100_000
"""Parent configurations a table may have."""


States = Mapping[str, tuple[str, ...]]
"""Id of a node -> its states."""


def states_of(node: CausalNode, cells: Sequence[Any]) -> tuple[str, ...] | None:
    """Return a node's states: as declared, from its table, or from the data in sorted order.

    Parameters
    ----------
    node : CausalNode
        A node.
    cells : sequence of Any
        Its values in the data; None is missing.

    Returns
    -------
    tuple of str or None
        None where nothing tells them.

    Raises
    ------
    PreparationError
        `unknown_state` for a list or mapping; `needs_discretisation` for numbers with decimals, or more than
        10 different ones.

    """
    if node.states:
        return node.states
    first = node.cpt[0] if isinstance(node.cpt, list) and node.cpt else node.cpt
    named = first.get("p") if isinstance(first, dict) and "p" in first else first
    if isinstance(named, dict):
        return tuple(named)
    values = [cell for cell in cells if cell is not None]
    return _discrete(node, values) if values else None


def _discrete(node: CausalNode, values: Sequence[Any]) -> tuple[str, ...]:
    if any(isinstance(value, list | tuple | dict) for value in values):
        raise PreparationError(
            f"The data have a list or mapping for {node.label!r}, which is no state.",
            code="unknown_state",
            hint="Give one value in each row.",
        )
    numbers = {
        float(number(v) or 0) for v in values if isinstance(v, int | float) and not isinstance(v, bool)
    }
    if any(not n.is_integer() for n in numbers) or len(numbers) > MAX_NUMBERS:
        raise PreparationError(
            f"Variable {node.label!r} has {len(numbers)} different numbers and no states.",
            code="needs_discretisation",
            hint="Cut it into classes first, or give the node its states.",
        )
    if len(numbers) == len(set(values)):
        return tuple(state_text(value) for value in sorted(numbers))
    return tuple(sorted({state_text(value) for value in values}))


def state_text(value: Any) -> str:
    """Return a value as the name of a state; 1 and 1.0 are the same.

    Parameters
    ----------
    value : Any
        A value.

    Returns
    -------
    str
        3.0 is "3", True is "True".

    """
    return str(int(value)) if isinstance(value, float) and value.is_integer() else str(value)


def given_cpt(node: CausalNode, parents: Sequence[str], states: States) -> Cpt:
    """Check a table that came with the node.

    Parameters
    ----------
    node : CausalNode
        A node with a table.
    parents : sequence of str
        Ids, the last one fastest.
    states : mapping of str to tuple of str
        Id -> states.

    Returns
    -------
    Cpt
        A row for each configuration of the parents, each of k probabilities for k states.

    Raises
    ------
    PreparationError
        `cpt_not_normalised`; `cpt_incomplete` (a row or state is missing); `unknown_state`;
        `unknown_variable` (given something that is no parent); `cpt_too_large`.

    """
    configurations = configurations_of(parents, states)
    by_given = _rows_by_configuration(node, parents, states, configurations)
    rows = []
    for configuration in configurations:
        p, given = by_given.get(configuration), dict(zip(parents, configuration, strict=True))
        if p is None:
            raise PreparationError(
                f"The table of {node.label!r} has no row for {said(given)}.",
                code="cpt_incomplete",
                hint="Give a row for every combination of the parents' states.",
            )
        total = math.fsum(p)
        if any(not 0 <= value <= 1 for value in p) or not abs(total - 1) <= TOLERANCE:
            raise PreparationError(
                f"The row of {node.label!r} for {said(given)} sums to {total:.6g}.",
                code="cpt_not_normalised",
                hint="Probabilities lie between 0 and 1, and each row sums to 1.",
            )
        rows.append(CptRow(given=given, p=p))
    return Cpt(node=node.id, states=states[node.id], parents=tuple(parents), rows=tuple(rows))


def configurations_of(parents: Sequence[str], states: States) -> list[tuple[str, ...]]:
    """Return every combination of the parents' states, the last parent fastest.

    Parameters
    ----------
    parents : sequence of str
        Ids.
    states : mapping of str to tuple of str
        Id -> states.

    Returns
    -------
    list of tuple of str
        The empty one alone where there is no parent.

    Raises
    ------
    PreparationError
        `cpt_too_large` for more than 100,000.

    """
    size = math.prod(len(states[parent]) for parent in parents)
    if size > MAX_ROWS:
        raise PreparationError(
            f"A table with {len(parents)} parents would have {size} rows (limit {MAX_ROWS}).",
            code="cpt_too_large",
            hint="Give the node fewer parents, or its parents fewer states.",
        )
    return list(product(*(states[parent] for parent in parents)))


def _rows_by_configuration(
    node: CausalNode,
    parents: Sequence[str],
    states: States,
    configurations: Sequence[tuple[str, ...]],
) -> dict[tuple[str, ...], tuple[float, ...]]:
    table = node.cpt
    if isinstance(table, dict) or (
        isinstance(table, list) and not (table and isinstance(table[0], dict | list | tuple))
    ):
        table = [table]
    if not isinstance(table, list) or len(table) > len(configurations):
        raise PreparationError(
            f"The table of {node.label!r} is not a list of at most {len(configurations)} rows.",
            code="cpt_incomplete",
            hint="Give a row for every combination of the parents' states, and no more.",
        )
    found = {}
    for row, configuration in zip(table, configurations, strict=False):
        said = row.get("given", {}) if isinstance(row, dict) else {}
        if more := [parent for parent in said if parent not in parents]:
            raise PreparationError(
                f"The table of {node.label!r} has a row given {more[0]!r}, which is no parent of it.",
                code="unknown_variable",
                hint=f"Use ids. Its parents are {', '.join(parents) or 'none'}.",
            )
        key = tuple(_known_state(node, parent, said, states) for parent in parents) if said else configuration
        numbers = row.get("p", row) if isinstance(row, dict) else row
        found[key] = _numbers(node, numbers, states[node.id])
    return found


def _known_state(node: CausalNode, parent: str, said: JsonDict, states: States) -> str:
    state = state_text(said.get(parent))
    if state not in states[parent]:
        raise PreparationError(
            f"The table of {node.label!r} has a row for {parent!r} = {state!r}, which is no state of it.",
            code="unknown_state",
            hint=did_you_mean(state, states[parent]) or f"Its states are {', '.join(states[parent])}.",
        )
    return state


def _numbers(node: CausalNode, given: Any, states: Sequence[str]) -> tuple[float, ...]:
    values = given
    if isinstance(given, dict):
        by_state = {state_text(k): v for k, v in given.items()}
        if missing := sorted(set(states) ^ set(by_state)):
            raise PreparationError(
                f"A row of the table of {node.label!r} does not match its states: {', '.join(missing)}.",
                code="unknown_state",
                hint=f"Its states are {', '.join(states)}.",
            )
        values = [by_state[state] for state in states]
    wrong = ""
    if not isinstance(values, list | tuple):
        wrong = f"is {given!r}, neither a list nor a mapping of numbers"
    elif len(values) != len(states):
        wrong = f"has {len(values)} numbers for {len(states)} states"
    if wrong:
        raise PreparationError(
            f"A row of the table of {node.label!r} {wrong}.",
            code="cpt_incomplete",
            hint=f"Give a probability for each of {', '.join(states)}.",
        )
    if not all(isinstance(value, int | float) and abs(value) <= sys.float_info.max for value in values):
        raise PreparationError(
            f"A row of the table of {node.label!r} holds something that is no number.",
            code="cpt_not_normalised",
            hint="Probabilities lie between 0 and 1, and each row sums to 1.",
        )
    return tuple(float(value) for value in values)


def said(given: Mapping[str, str]) -> str:
    """Return a configuration as text.

    Parameters
    ----------
    given : mapping of str to str
        Parent -> state.

    Returns
    -------
    str
        Such as `rain=yes, season=winter`.

    """
    return ", ".join(f"{parent}={state}" for parent, state in given.items()) or "no parents"


def counted_cpt(
    node: CausalNode,
    parents: Sequence[str],
    states: States,
    columns: Mapping[str, Sequence[str | None]],
    ask: PrepareCausalModel,
    weights: Sequence[float] | None = None,
) -> tuple[Cpt, list[str]]:
    """Estimate a table: the posterior mean under a symmetric Dirichlet prior, each row of the data weighted.

    Rows with a missing value in the family are left out. Configurations that the data never show get the
    prior mean, equal probabilities.

    Parameters
    ----------
    node : CausalNode
        The variable.
    parents : sequence of str
        Ids, the last one fastest in the table.
    states : mapping of str to tuple of str
        Id -> states.
    columns : mapping of str to sequence of (str or None), length n
        Id -> a state a row; None is missing.
    ask : PrepareCausalModel
        The call, with its Dirichlet prior.
    weights : sequence of float, length n, optional
        How many rows each row stands for.

    Returns
    -------
    table : Cpt
        A row for each configuration of the parents; each sums to 1.
    unseen : list of str
        Configurations that the data never show.

    Raises
    ------
    PreparationError
        `unknown_state`, `cpt_too_large`.

    References
    ----------
    Heckerman, Geiger & Chickering (1995), Machine Learning 20, 197-243.

    """
    own = states[node.id]
    family = (*parents, node.id)
    configurations = configurations_of(parents, states)
    counts = _counts([columns[name] for name in family], weights)
    for name, value in (pair for values in counts for pair in zip(family, values, strict=True)):
        if value not in states[name]:
            raise PreparationError(
                f"The data have {name!r} = {value!r}, which is no state of it.",
                code="unknown_state",
                hint=did_you_mean(value, states[name]) or f"Its states are {', '.join(states[name])}.",
            )
    weight = {
        "bdeu": ask.equivalent_sample_size / (len(own) * len(configurations)),
        "laplace": ask.prior_weight,
    }
    each = weight.get(ask.prior, 0.0)
    made, unseen = [], []
    for configuration in configurations:
        n = [counts.get((*configuration, state), 0.0) for state in own]
        given = dict(zip(parents, configuration, strict=True))
        total = math.fsum(n) + each * len(own)
        p = tuple((k + each) / total if total else 1 / len(own) for k in n)
        made.append(CptRow(given=given, p=p, n=math.fsum(n)))
        if not any(n):
            unseen.append(f"{node.label} | {said(given)}")
    rows = tuple(made)
    cpt = Cpt(node=node.id, states=own, parents=tuple(parents), rows=rows, prior=ask.prior, prior_weight=each)
    return cpt, unseen


def _counts(
    columns: Sequence[Sequence[str | None]], weights: Sequence[float] | None
) -> dict[tuple[str, ...], float]:
    """Return how often, or with what weight, complete combinations occur, in order of first sight."""
    parts: dict[tuple[str, ...], list[float]] = {}
    for weight, *cells in zip(weights or repeat(1.0), *columns, strict=False):
        key = tuple(cell for cell in cells if cell is not None)
        if len(key) == len(columns):
            parts.setdefault(key, []).append(weight)
    return {key: math.fsum(some) for key, some in parts.items()}


def tables(ask: PrepareCausalModel, made: Structure, data: CausalData | None) -> tuple[Cpt, ...]:
    """Return a table for each node that has one or has data, in the order of the nodes.

    Parameters
    ----------
    ask : PrepareCausalModel
        The call, with its prior.
    made : Structure
        The checked structure; warnings are added to it.
    data : CausalData or None
        The rows.

    Returns
    -------
    tuple of Cpt
        Probabilities of a row sum to 1; a node without table and data has none.

    Raises
    ------
    PreparationError
        `bidirected_in_bayesian`; what `states_of`, `given_cpt` and `counted_cpt` raise.

    """
    if any(edge.type == BOTH_WAYS for edge in made.edges):
        raise PreparationError(
            "A Bayesian network has no bidirected edges.",
            code="bidirected_in_bayesian",
            hint="Add the unobserved common cause as an entity with latent: true and two arrows.",
        )
    cells = {node.id: data.cells(node.id) if data else () for node in made.nodes}
    states = {node.id: its for node in made.nodes if (its := states_of(node, cells[node.id]))}
    texts = {
        name: [None if cell is None else state_text(cell) for cell in cells[name]]
        for name in states
        if any(cell is not None for cell in cells[name])
    }
    found: list[Cpt] = []
    unseen: list[str] = []
    for node in made.nodes:
        parents = [edge.source_id for edge in made.edges if edge.target_id == node.id]
        if any(name not in states for name in (node.id, *parents)):
            continue
        if node.cpt is not None:
            found.append(given_cpt(node, parents, states))
        elif all(name in texts for name in (node.id, *parents)):
            table, missing = counted_cpt(node, parents, states, texts, ask, data.weights if data else None)
            found.append(table)
            unseen += missing
    message = f"The data never show {len(unseen)} parent configurations; their rows are equal probabilities."
    made.warnings += warning("unseen_configuration", message, unseen)
    bare = sorted({node.id for node in made.nodes} - {table.node for table in found})
    made.warnings += warning("no_cpt", f"Without table or data, so structure only: {', '.join(bare)}.", bare)
    return tuple(found)
