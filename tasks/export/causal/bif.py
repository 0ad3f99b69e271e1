"""Bayesian networks as BIF (Cozman's interchange format) and XMLBIF 0.3.

Written here: pgmpy, which the tests read these files with, writes names with blanks and states with commas
that it cannot read back, and takes seconds to import.
"""

import re
from collections.abc import Sequence

from corpusgraph.tasks.analysis.causal.models import CausalModel, Cpt, CptRow
from corpusgraph.tasks.analysis.statistics.names import legal_names
from corpusgraph.tasks.export.files import rendered
from corpusgraph.tasks.export.statistical.programs import program


def bif_names(result: CausalModel) -> dict[str, str]:
    """Map node ids to names of letters A to Z, digits and underscores, which every reader accepts.

    Parameters
    ----------
    result : CausalModel
        The model.

    Returns
    -------
    dict of str to str
        Id of a node -> name; `v1`, `v2`, … where two nodes have one label.

    """
    legal = legal_names([node.label for node in result.nodes], program("stata"))
    labels = [node.label for node in result.nodes]
    if len(set(labels)) < len(labels):
        return {node.id: f"v{n}" for n, node in enumerate(result.nodes, start=1)}
    return {node.id: legal[node.label] for node in result.nodes}


def bif_states(states: Sequence[str]) -> dict[str, str]:
    """Map states to words of the same letters; two that would be the same get numbers.

    Parameters
    ----------
    states : sequence of str
        States of one variable, all different.

    Returns
    -------
    dict of str to str
        State -> word.

    """
    made: dict[str, str] = {}
    for state in states:
        word = re.sub(r"[^A-Za-z0-9_]+", "_", state).strip("_") or "s"
        tried, n = word, 1
        while tried in made.values():
            n += 1
            tried = f"{word}_{n}"
        made[state] = tried
    return made


def bif(result: CausalModel) -> bytes:
    """Write BIF; every node must have its table.

    Parameters
    ----------
    result : CausalModel
        A model with a table for every node.

    Returns
    -------
    bytes
        ASCII.

    """
    return _written("network.bif", result)


def xmlbif(result: CausalModel) -> bytes:
    """Write XMLBIF 0.3: in a table the states of the variable itself run fastest.

    Parameters
    ----------
    result : CausalModel
        A model with a table for every node.

    Returns
    -------
    bytes
        ASCII.

    """
    return _written("network.bifxml", result)


def _written(template: str, result: CausalModel) -> bytes:
    names = bif_names(result)
    states = {table.node: bif_states(table.states) for table in result.cpts}

    def given(table: Cpt, row: CptRow) -> list[str]:
        return [states[parent][row.given[parent]] for parent in table.parents]

    def named(ids: Sequence[str]) -> list[str]:
        return [names[id_] for id_ in ids]

    facts = {"tables": result.cpts, "names": names, "states": states, "given": given, "named": named}
    return rendered(template, **facts).encode("ascii")
