"""The script of the causal bundle, as a user of dowhy writes it."""

from collections.abc import Collection, Mapping
from typing import NamedTuple

from corpusgraph.tasks.analysis.causal.models import CausalModel
from corpusgraph.tasks.export.files import rendered

NODES = 30
"""Nodes up to which the script asks dowhy to identify the effect: it lists every path."""


class _Way(NamedTuple):
    """How dowhy estimates an effect: method, what is told of it, variables used, the model's arguments."""

    method: str
    told: str
    used: list[str]
    model: str


def dowhy_script(result: CausalModel, names: Mapping[str, str]) -> bytes:
    """Write analysis.py: dowhy identifies the effect, and with data.csv beside it estimates and refutes it.

    The set to adjust for, the front door or the instrument is the first of the bundle's answers that the data
    have: which of several dowhy names varies from run to run.

    Parameters
    ----------
    result : CausalModel
        The model, which has no cycle.
    names : mapping of str to str
        Id of a node -> its name in the files.

    Returns
    -------
    bytes
        Python in UTF-8; what cannot be identified or estimated, the script says.

    """
    exposure, outcome = ([names[node] for node in ids] for ids in (result.exposure, result.outcome))
    way = _way(result, names)
    numbers = (
        f"No estimate of the effect: {way}."
        if isinstance(way, str)
        else _numbers(result, names, {*exposure, *outcome, *way.used})
    )
    why_not = numbers if isinstance(numbers, str) else ""
    facts = {"model": result, "exposure": exposure, "outcome": outcome, "most": NODES}
    return rendered("dowhy.py", **facts, way=way, numbers=numbers, why_not=why_not).encode()


def _way(result: CausalModel, names: Mapping[str, str]) -> "_Way | str":
    """Return how dowhy estimates the effect; or why there is no estimate."""
    data = result.data
    columns = set(names) if data is None else {column.name for column in data.columns}
    if lacking := sorted(names[node] for node in {*result.exposure, *result.outcome} - columns):
        return f"data.csv has no column {', '.join(lacking)}"
    for one in result.minimal_adjustment_sets or ():
        if columns.issuperset(one):
            used = [names[node] for node in one]
            told = f"adjusted for {', '.join(used) or 'nothing'}; assumes linear effects"
            return _Way("backdoor.linear_regression", told, used, f"common_causes={used!r}")
    for one in result.minimal_front_door_sets or ():
        if len(one) == len(result.exposure) == len(result.outcome) == 1 and columns.issuperset(one):
            x, m, y = names[result.exposure[0]], names[one[0]], names[result.outcome[0]]
            told = f"through {m}; assumes linear effects"
            graph = f"graph=nx.DiGraph({[(x, m), (m, y), ('unobserved', x), ('unobserved', y)]!r})"
            return _Way("frontdoor.two_stage_regression", told, [m], graph)
    for found in result.instruments or ():
        if columns.issuperset([found.instrument, *found.given]):
            used = [names[node] for node in (found.instrument, *found.given)]
            told = f"by the instrument {used[0]}" + (f" given {', '.join(used[1:])}" if used[1:] else "")
            told += "; assumes linear effects, the same for all: without that it is not identified"
            return _Way("iv.instrumental_variable", told, used, f"instruments=[{used[0]!r}]")
    if not result.identifiable:
        return f"it is not known to be identifiable ({result.reason or 'not asked'})"
    return "it is identifiable, by sets not in data.csv or a formula dowhy does not estimate"


def _numbers(result: CausalModel, names: Mapping[str, str], columns: Collection[str]) -> list[str] | str:
    """Return lines that make 0 and 1 of categories of two; or why there is no estimate."""
    lines: list[str] = []
    for at, column in enumerate(result.data.columns if result.data else ()):
        name = names.get(column.name, column.name)
        if name not in columns or column.dtype in {"numeric", "integer"} or result.data is None:
            continue
        levels = sorted({str(value) for value in result.data.cells(at) if value is not None})
        if len(levels) != 2:
            return f"No estimate: {name} has {len(levels)} categories; give numbers or two categories."
        if column.dtype == "boolean":
            lines.append(f"data[{name!r}] = data[{name!r}].astype(float)")
        else:
            lines.append(f"data[{name!r}] = (data[{name!r}] == {levels[1]!r}).astype(float)")
            lines.append(f"print({f'{name}: {levels[0]} is 0, {levels[1]} is 1.'!r})")
    return lines
