"""Bayesian networks as BIF (Cozman's interchange format) and XMLBIF 0.3.

Written here: pgmpy, which the tests read these files with, writes names with blanks and states with commas
that it cannot read back, and takes seconds to import.
"""

import re
from collections.abc import Mapping, Sequence
from xml.sax.saxutils import escape

from corpusgraph.tasks.analysis.causal.models import CausalModel, Cpt, CptRow
from corpusgraph.tasks.analysis.statistics.names import legal_names
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
    names = bif_names(result)
    states = {table.node: bif_states(table.states) for table in result.cpts}
    lines = ["network unknown {", "}"]
    for table in result.cpts:
        words = ", ".join(states[table.node].values())
        lines += [
            f"variable {names[table.node]} {{",
            f"  type discrete [ {len(table.states)} ] {{ {words} }};",
            "}",
        ]
    for table in result.cpts:
        lines += _probability(table, names, states)
    return "\n".join([*lines, ""]).encode("ascii")


def _probability(table: Cpt, names: Mapping[str, str], states: Mapping[str, Mapping[str, str]]) -> list[str]:
    parents = ", ".join(names[parent] for parent in table.parents)
    if not table.parents:
        return [f"probability ( {names[table.node]} ) {{", f"  table {_numbers(table.rows[0])};", "}"]
    lines = [f"probability ( {names[table.node]} | {parents} ) {{"]
    for row in table.rows:
        given = ", ".join(states[parent][row.given[parent]] for parent in table.parents)
        lines.append(f"  ({given}) {_numbers(row)};")
    return [*lines, "}"]


def _numbers(row: CptRow, mark: str = ", ") -> str:
    return mark.join(repr(p) for p in row.p)


def xmlbif(result: CausalModel) -> bytes:
    """Write XMLBIF 0.3: in a table the states of the variable itself run fastest.

    Parameters
    ----------
    result : CausalModel
        A model with a table for every node.

    Returns
    -------
    bytes
        UTF-8.

    """
    names = bif_names(result)
    lines = [
        '<?xml version="1.0" encoding="UTF-8"?>',
        '<BIF VERSION="0.3">',
        "<NETWORK>",
        "<NAME>unknown</NAME>",
    ]
    for table in result.cpts:
        words = "".join(f"<OUTCOME>{escape(word)}</OUTCOME>" for word in bif_states(table.states).values())
        lines.append(f'<VARIABLE TYPE="nature"><NAME>{names[table.node]}</NAME>{words}</VARIABLE>')
    for table in result.cpts:
        given = "".join(f"<GIVEN>{names[parent]}</GIVEN>" for parent in table.parents)
        numbers = " ".join(_numbers(row, " ") for row in table.rows)
        lines.append(
            f"<DEFINITION><FOR>{names[table.node]}</FOR>{given}<TABLE>{numbers}</TABLE></DEFINITION>"
        )
    return "\n".join([*lines, "</NETWORK>", "</BIF>", ""]).encode()
