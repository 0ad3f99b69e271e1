"""Conditional probability tables: states, and tables as given."""

import math
import sys
from collections.abc import Mapping, Sequence
from itertools import product
from typing import Any

from corpusgraph.schemas.base import JsonDict
from corpusgraph.schemas.errors import PreparationError, did_you_mean
from corpusgraph.tasks.prepare.causal.nouns import CausalNode, Cpt, CptRow
from corpusgraph.tasks.table.values import number

TOLERANCE = 1e-6
"""How far a row's sum may be from one."""

MAX_NUMBERS = 10
"""Distinct whole numbers that still count as states."""

MAX_ROWS = 100_000
"""Parent configurations a table may have."""


def states_of(node: CausalNode, cells: Sequence[Any]) -> tuple[str, ...] | None:
    """Return a node's states: as declared, from its table, or from the data in sorted order."""
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
    """Return a value as the name of a state; 1 and 1.0 are the same."""
    if isinstance(value, float) and value.is_integer():
        return str(int(value))
    return str(value)


def given_cpt(node: CausalNode, parents: Sequence[str], states: Mapping[str, tuple[str, ...]]) -> Cpt:
    """Check a table that came with the node.

    Errors: `cpt_not_normalised`; `cpt_incomplete` (a row or state is missing); `unknown_state`.
    """
    configurations = configurations_of(parents, states)
    by_given = _rows_by_configuration(node, parents, states, configurations)
    rows = []
    for configuration in configurations:
        p = by_given.get(configuration)
        given = dict(zip(parents, configuration, strict=True))
        if p is None:
            raise PreparationError(
                f"The table of {node.label!r} has no row for {said(given)}.",
                code="cpt_incomplete",
                hint="Give a row for every combination of the parents' states.",
            )
        _check_row(node, given, p)
        rows.append(CptRow(given=given, p=p))
    return Cpt(node=node.id, states=states[node.id], parents=tuple(parents), rows=tuple(rows))


def configurations_of(parents: Sequence[str], states: Mapping[str, tuple[str, ...]]) -> list[tuple[str, ...]]:
    """Return every combination of the parents' states, the last parent fastest."""
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
    states: Mapping[str, tuple[str, ...]],
    configurations: Sequence[tuple[str, ...]],
) -> dict[tuple[str, ...], tuple[float, ...]]:
    table = node.cpt
    if isinstance(table, dict) or (isinstance(table, list) and not _has_rows(table)):
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


def _has_rows(table: list[Any]) -> bool:
    return bool(table) and isinstance(table[0], dict | list | tuple)


def _known_state(node: CausalNode, parent: str, said: JsonDict, states: Mapping[str, tuple[str, ...]]) -> str:
    state = state_text(said.get(parent))
    if state not in states[parent]:
        raise PreparationError(
            f"The table of {node.label!r} has a row for {parent!r} = {state!r}, which is no state of it.",
            code="unknown_state",
            hint=did_you_mean(state, states[parent]) or f"Its states are {', '.join(states[parent])}.",
        )
    return state


def _numbers(node: CausalNode, given: Any, states: Sequence[str]) -> tuple[float, ...]:
    by_state = {state_text(k): v for k, v in given.items()} if isinstance(given, dict) else None
    if by_state is not None and set(by_state) != set(states):
        missing = sorted(set(states) ^ set(by_state))
        raise PreparationError(
            f"A row of the table of {node.label!r} does not match its states: {', '.join(missing)}.",
            code="unknown_state",
            hint=f"Its states are {', '.join(states)}.",
        )
    if by_state is None and not isinstance(given, list | tuple):
        raise PreparationError(
            f"A row of the table of {node.label!r} is {given!r}, neither a list nor a mapping of numbers.",
            code="cpt_incomplete",
            hint=f"Give a probability for each of {', '.join(states)}.",
        )
    values = [by_state[state] for state in states] if by_state is not None else list(given)
    if len(values) != len(states):
        raise PreparationError(
            f"A row of the table of {node.label!r} has {len(values)} numbers for {len(states)} states.",
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


def _check_row(node: CausalNode, given: Mapping[str, str], p: Sequence[float]) -> None:
    total = math.fsum(p)
    if any(not 0 <= value <= 1 for value in p) or not abs(total - 1) <= TOLERANCE:
        raise PreparationError(
            f"The row of {node.label!r} for {said(given)} sums to {total:.6g}.",
            code="cpt_not_normalised",
            hint="Probabilities lie between 0 and 1, and each row sums to 1.",
        )


def said(given: Mapping[str, str]) -> str:
    """Return a configuration as text."""
    return ", ".join(f"{parent}={state}" for parent, state in given.items()) or "no parents"
