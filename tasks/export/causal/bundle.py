"""The causal bundle: DAG for dagitty and dowhy, Bayesian network, answers, and the evidence for arrows."""

import re
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from itertools import pairwise, zip_longest
from operator import attrgetter
from typing import NamedTuple

from corpusgraph.schemas.base import JsonDict
from corpusgraph.schemas.results import ToolWarning
from corpusgraph.tasks.analysis.causal.models import (
    CausalEdge,
    CausalModel,
    CausalNode,
    Cpt,
    CptRow,
    IndependenceTest,
)
from corpusgraph.tasks.analysis.checks import Passage
from corpusgraph.tasks.analysis.statistics.target import legal_names
from corpusgraph.tasks.export.causal.figure import causal_picture
from corpusgraph.tasks.export.files import Files, json_bytes, rendered
from corpusgraph.tasks.export.folder import KINDS, Head, Sheet, fields, folder
from corpusgraph.tasks.export.statistical.programs import program
from corpusgraph.tasks.table.frames import free_name

Names = Mapping[str, str]


def node_names(result: CausalModel) -> dict[str, str]:
    """Map node ids to names that formulas accept; letters of every script stay.

    Parameters
    ----------
    result : CausalModel
        The model.

    Returns
    -------
    dict of str to str
        Id of a node -> name.

    """
    labels = [node.label for node in result.nodes]
    keys = [label if labels.count(label) == 1 else f"{label} {n}" for n, label in enumerate(labels, 1)]
    legal = legal_names(keys, program("python"))
    return {node.id: legal[key] for node, key in zip(result.nodes, keys, strict=True)}


def roles(result: CausalModel, node: CausalNode) -> list[str]:
    """Return the parts a node plays: exposure, outcome, latent, adjusted, selected.

    Parameters
    ----------
    result : CausalModel
        The model.
    node : CausalNode
        One of its nodes.

    Returns
    -------
    list of str
        Empty where it plays none.

    """
    asked = [part for part in ("exposure", "outcome") if node.id in getattr(result, part)]
    return asked + [part for part in ("latent", "adjusted", "selected") if getattr(node, part)]


def gml(result: CausalModel, names: Names, *, canonical: bool = False) -> bytes:
    """Write GML (Himsolt 1997), a directed graph in ASCII with character entities.

    `canonical`: as dowhy wants it, with every bidirected edge as a latent common cause and
    `observed "no"` on what is not observed; else bidirected edges are edges with their type.

    Parameters
    ----------
    result : CausalModel
        The model.
    names : mapping of str to str
        Id of a node -> its name.
    canonical : bool, default False
        Whether bidirected edges become latent nodes, as dowhy wants them.

    Returns
    -------
    bytes
        ASCII. Parallel edges are kept unless it is canonical.

    References
    ----------
    Himsolt 1997.

    """
    import networkx as nx

    pairs = [(names[edge.source_id], names[edge.target_id]) for edge in result.edges]
    graph = nx.DiGraph() if canonical or len({*pairs}) == len(pairs) else nx.MultiDiGraph()
    for node in result.nodes:
        graph.add_node(names[node.id], name=node.label, observed="no" if node.latent else "yes")
    for edge, ends in zip(result.edges, pairs, strict=True):
        if canonical and edge.type == "bidirected":
            hidden = f"U_{ends[0]}_{ends[1]}"
            while hidden in graph:
                hidden += "_"
            graph.add_node(hidden, name=hidden, observed="no")
            graph.add_edges_from((hidden, end) for end in ends)
        else:
            sure = None if edge.confidence is None else round(edge.confidence, 6)
            facts = {"type": edge.type, "sign": edge.sign, "confidence": sure}
            facts |= {"nfor": edge.n_for, "nagainst": edge.n_against}
            graph.add_edge(*ends, **{key: value for key, value in facts.items() if value is not None})
    return "\n".join((*nx.generate_gml(graph), "")).encode("ascii")


_ROLES = "exposure, outcome, latent, adjusted, selected"


def nodes(result: CausalModel, names: Names) -> Sheet:
    """Return a row for each variable.

    Parameters
    ----------
    result : CausalModel
        The model.
    names : mapping of str to str
        Id of a node -> its name.

    Returns
    -------
    Sheet
        `nodes.csv`.

    """
    arrows = [edge for edge in result.edges if edge.type != "bidirected"]
    causes, effects = Counter(edge.target_id for edge in arrows), Counter(edge.source_id for edge in arrows)
    return Sheet.of(
        "nodes.csv",
        "the variables",
        result.nodes,
        ("id", "t", "id"),
        ("name", "t", "name as given", attrgetter("label")),
        ("node", "t", "name in these files", lambda node: names[node.id]),
        ("role", "t", _ROLES, lambda node: " ".join(roles(result, node))),
        ("n_causes", "n", "arrows into it", lambda node: causes[node.id]),
        ("n_effects", "n", "arrows out of it", lambda node: effects[node.id]),
    )


_TEST = ("test", "n", "estimate", "statistic", "df", "df_error", "p", "p_holm", "why_not")
_FACTS = ("type", "sign", "confidence", "n_for", "n_against")
_EDGE_COLUMNS: tuple[Head, ...] = (
    ("source", "t", "cause, or one end"),
    ("target", "t", "effect, or the other end"),
    *fields(CausalEdge, *_FACTS),
    ("kept", "b", "false: dropped as asked"),
    ("for", "t", "first passage that states it"),
    ("against", "t", "first passage that denies it"),
)
_facts_of = attrgetter(*_FACTS)


def edges(result: CausalModel, names: Names) -> Sheet:
    """Return a row for each arrow, those dropped last.

    Parameters
    ----------
    result : CausalModel
        The model.
    names : mapping of str to str
        Id of a node -> its name.

    Returns
    -------
    Sheet
        `edges.csv`, with the number and the first of the passages for and against.

    """
    rows = [_edge_row(edge, names, kept=True) for edge in result.edges]
    rows += [_edge_row(edge, names, kept=False) for edge in result.dropped_edges]
    return Sheet("edges.csv", "the arrows with the evidence for and against each", _EDGE_COLUMNS, rows)


def _edge_row(edge: CausalEdge, names: Names, *, kept: bool) -> tuple[object, ...]:
    first = {passage.stance: passage.text for passage in reversed(edge.passages)}
    ends = (names[edge.source_id], names[edge.target_id])
    return (*ends, *_facts_of(edge), kept, first.get("for"), first.get("against"))


def cycles(result: CausalModel, names: Names) -> Sheet:
    """Return the arrows of each cycle, a row for each passage.

    Parameters
    ----------
    result : CausalModel
        The model.
    names : mapping of str to str
        Id of a node -> its name.

    Returns
    -------
    Sheet
        `cycles.csv`.

    """
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
    """Return a row for each independence that the graph implies, with its test where there are data.

    Parameters
    ----------
    result : CausalModel
        The model.
    names : mapping of str to str
        Id of a node -> its name.

    Returns
    -------
    Sheet
        `independencies.csv`.

    """
    named = (
        (names[one.x], names[one.y], " ".join(names[z] for z in one.given))
        for one in result.implied_independencies
    )
    tested = attrgetter(*_TEST)
    rows = [
        (*row, *(tested(test) if test else ()))
        for row, test in zip_longest(named, result.tests)  # none of them is tested without data
    ]
    columns: tuple[Head, ...] = (
        ("x", "t", "variable"),
        ("y", "t", "variable"),
        ("given", "t", "variables to hold fixed, separated by blanks"),
        *(fields(IndependenceTest, *_TEST) if result.tests else ()),
    )
    about = "independencies the graph implies, testable in data"
    return Sheet("independencies.csv", about, columns, rows)


def data(result: CausalModel, names: Names) -> list[Sheet]:
    """Return the rows that came with the graph, in the order given, columns named as the nodes.

    Parameters
    ----------
    result : CausalModel
        The model.
    names : mapping of str to str
        Id of a node -> its name.

    Returns
    -------
    list of Sheet
        `data.csv`; nothing where no data came with the graph.

    """
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
        columns.append((name, KINDS.get(column.dtype, "t"), label))
    plain = (str, int, float, bool, type(None))
    rows = [[cell if isinstance(cell, plain) else str(cell) for cell in row] for row in result.data.rows]
    return [Sheet("data.csv", "the data that came with the graph", tuple(columns), rows)]


def states(result: CausalModel, names: Names) -> Sheet:
    """Return a row for each state of each variable that has a table.

    Parameters
    ----------
    result : CausalModel
        The model.
    names : mapping of str to str
        Id of a node -> its name.

    Returns
    -------
    Sheet
        `states.csv`.

    """
    rows = [(names[table.node], *pair) for table in result.cpts for pair in bif_states(table.states).items()]
    columns = (
        ("node", "t", "name in the BIF files"),
        ("state", "t", "state as given"),
        ("bif_state", "t", "state in the BIF files"),
    )
    return Sheet("states.csv", "the states of the variables, as given and in the BIF files", columns, rows)


_ANSWERS = {
    *("minimal_adjustment_sets", "minimal_front_door_sets", "instruments", "identifiable", "identified_by"),
    *("estimand", "hedge", "reason", "conditional", "implied_independencies", "basis_set", "tests"),
}


def causal_bundle(
    result: CausalModel, warnings: Sequence[ToolWarning] = (), *, name: str = "causal", title: str = ""
) -> Files:
    """Return the bundle of a causal model: relative file name -> bytes, the same for the same input.

    A cyclic network gets its network files and the cycles, and no file that only a DAG can have.

    Parameters
    ----------
    result : CausalModel
        What `prepare_causal_model` returned.
    warnings : sequence of ToolWarning, optional
        Said in the README and the manifest.
    name : str, default "causal"
        Name of the bundle.
    title : str, default ""
        Heading of the README; the name where it is empty.

    Returns
    -------
    dict of str to bytes
        With README, codebooks, provenance and manifest; every file is made in memory.

    """
    names = node_names(result)
    drawn = rendered("causal.dot", model=result, names=names).encode()
    files: dict[str, tuple[bytes, str]] = {
        "network.gml": (gml(result, names), "the network with all attributes (GML)"),
        "network.dot": (drawn, "the network for Graphviz"),
        "query.json": (json_bytes(_query(result)), "the question that was asked"),
    }
    tables = [nodes(result, names), edges(result, names)]
    if result.acyclic:
        files |= _dag_files(result, names)
        tables += [independencies(result, names), *data(result, names)]
    else:
        tables.append(cycles(result, names))
    given: dict[str, tuple[str, ...]] = {n.id: (n.label, names[n.id]) for n in result.nodes}
    columns: tuple[str, ...] = ("id", "old_name", "new_name")
    if "network.bif" in files:
        restricted = bif_names(result)
        tables.append(states(result, restricted))
        given = {id_: (*pair, restricted[id_]) for id_, pair in given.items()}
        columns += ("bif_name",)
    tested = [test.p_holm for test in result.tests if test.p_holm is not None]
    return folder(
        kind=result.model_type,
        name=name,
        title=title,
        opening=rendered("causal.md", model=result, names=names, tested=tested, level=LEVEL, most=SHOWN),
        files=files,
        sheets=tables,
        names=given,
        name_columns=columns,
        passages=((e.id, p) for e in (*result.edges, *result.dropped_edges) for p in e.passages),
        facts={
            "nodes": len(result.nodes),
            "edges": len(result.edges),
            "acyclic": result.acyclic,
            "cycles": [list(walk) for walk in result.cycles],
            "priors": {t.node: [t.prior, t.prior_weight] for t in result.cpts if t.prior is not None},
            "data": None if result.data is None else {"rows": len(result.data.rows), "order": _ORDER},
        },
        warnings=warnings,
        picture=causal_picture(result),
        read=("causal",),
    )


LEVEL = 0.05
"""Adjusted p below which the README counts an independence as contradicted."""
SHOWN = 20
"""Adjustment sets the README names."""


def _dag_files(result: CausalModel, names: dict[str, str]) -> dict[str, tuple[bytes, str]]:
    answers = result.model_dump(mode="json", include=_ANSWERS)
    ends = {part: [names[id_] for id_ in getattr(result, part)] for part in ("exposure", "outcome")}
    dag = rendered("dagitty.txt", model=result, names=names, roles=roles).encode()
    files = {
        "dagitty.txt": (dag, "the DAG in dagitty's syntax"),
        "dagitty.R": (rendered("dagitty.R", **ends).encode(), "opens it with the R package dagitty"),
        "dag.gml": (gml(result, names, canonical=True), "the DAG for dowhy, latent causes as nodes"),
        "analysis.py": (dowhy_script(result, names), "identifies, estimates and refutes with dowhy"),
        "answers.json": (json_bytes(answers), "what follows from the graph; sets hold ids of nodes"),
    }
    if len(result.cpts) == len(result.nodes) > 0:
        files["network.bif"] = (bif(result), "the Bayesian network with its tables (BIF)")
        files["network.bifxml"] = (xmlbif(result), "the same as XMLBIF 0.3, under the ending pyAgrum knows")
        legal = bif_names(result)
        pairs = [(legal[x], legal[y]) for x in result.exposure for y in result.outcome]
        script = rendered("inference.py", pairs=pairs).encode()
        files["inference.py"] = (script, "asks the network with pgmpy: what is likely, given what")
    if result.cpts:
        tables = [table.model_dump(mode="json") for table in result.cpts]
        files["cpt.json"] = (json_bytes(tables), "the conditional probability tables")
    return files


def _query(result: CausalModel) -> JsonDict:
    return {
        **result.model_dump(mode="json", include={"model_type", "exposure", "outcome"}),
        **{
            part: [n.id for n in result.nodes if getattr(n, part)]
            for part in ("adjusted", "selected", "latent")
        },
        "dropped_edges": [[edge.source_id, edge.target_id] for edge in result.dropped_edges],
    }


_ORDER = "row n of data.csv is row n of the data given"


# Written here: pgmpy, which the tests read these files with, writes names with blanks and states with commas
# that it cannot read back, and takes seconds to import.
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
    labels = [node.label for node in result.nodes]
    if len(set(labels)) < len(labels):
        return {node.id: f"v{n}" for n, node in enumerate(result.nodes, start=1)}
    legal = legal_names(labels, program("stata"))
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
    taken: set[str] = set()
    words = ((state, re.sub(r"[^A-Za-z0-9_]+", "_", state).strip("_") or "s") for state in states)
    return {state: free_name(word, taken) for state, word in words}


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
    if isinstance(way, str):
        numbers: list[str] | str = f"No estimate of the effect: {way}."
    else:
        numbers = _numbers(result, names, {*exposure, *outcome, *way.used})
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
