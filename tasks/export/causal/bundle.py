"""The causal bundle: DAG for dagitty and dowhy, Bayesian network, answers, and the evidence for arrows."""

from collections.abc import Iterator, Sequence

from corpusgraph.schemas.base import JsonDict
from corpusgraph.schemas.results import ToolWarning
from corpusgraph.tasks.export.causal import sheets
from corpusgraph.tasks.export.causal.bif import bif, bif_names, xmlbif
from corpusgraph.tasks.export.causal.dowhy import dowhy_script
from corpusgraph.tasks.export.causal.pgmpy_script import inference
from corpusgraph.tasks.export.causal.scripts import dagitty_script
from corpusgraph.tasks.export.causal.text import dagitty, dot, gml, node_names
from corpusgraph.tasks.export.folder import Files, Folder
from corpusgraph.tasks.export.pictures.causal import causal_picture
from corpusgraph.tasks.export.statistical.bundle import json_bytes
from corpusgraph.tasks.prepare.causal.nouns import CausalModel
from corpusgraph.tasks.prepare.passage import Passage

_ANSWERS = (
    "minimal_adjustment_sets",
    "minimal_front_door_sets",
    "instruments",
    "identifiable",
    "identified_by",
    "estimand",
    "hedge",
    "reason",
    "conditional",
    "implied_independencies",
    "basis_set",
    "tests",
)

_CYCLIC = """The causal statements of the corpus make a cycle, so this is a causal network and not yet a DAG:
`cycles.csv` lists the arrows of each cycle with the evidence for them. Name the arrow to leave out under
`drop_edges` in the study and run it again; the files for dagitty and dowhy follow then."""

_ACYCLIC = """`dagitty.txt` pastes into dagitty.net and `dagitty.R` opens it in R; `python analysis.py` reads
`dag.gml` with dowhy, asks the same question again and, with a `data.csv` whose columns are named as the
nodes, estimates the effect and tries to refute it. `answers.json` holds the answers computed here:
[] means that no set exists, [[]] that the empty set is valid. `edges.csv` lists every arrow with its
evidence for and against."""


def causal_bundle(
    result: CausalModel, warnings: Sequence[ToolWarning] = (), *, name: str = "causal", title: str = ""
) -> Files:
    """Return the bundle of a causal model: relative file name -> bytes, the same for the same input.

    A cyclic network gets its network files and the cycles, and no file that only a DAG can have.
    """
    names = node_names(result)
    files: dict[str, tuple[bytes, str]] = {
        "network.gml": (gml(result, names), "the network with all attributes (GML)"),
        "network.dot": (dot(result, names), "the network for Graphviz"),
        "query.json": (json_bytes(_query(result)), "the question that was asked"),
    }
    tables = [sheets.nodes(result, names), sheets.edges(result, names)]
    if result.acyclic:
        files |= _dag_files(result, names)
        tables += [sheets.independencies(result, names), *sheets.data(result, names)]
    else:
        tables.append(sheets.cycles(result, names))
    has_bif = "network.bif" in files
    restricted = bif_names(result) if has_bif else {}
    if has_bif:
        tables.append(sheets.states(result, names))
    given = {n.id: (n.label, names[n.id], *([restricted[n.id]] if has_bif else [])) for n in result.nodes}
    return Folder(
        kind=result.model_type,
        name=name,
        title=title,
        opening=_ACYCLIC + _answer(result, names) if result.acyclic else _CYCLIC,
        files=files,
        sheets=tables,
        names=given,
        name_columns=("id", "old_name", "new_name", *(["bif_name"] if has_bif else [])),
        passages=_passages(result),
        facts=_facts(result),
        warnings=warnings,
        picture=causal_picture(result),
        read=("causal",),
    ).close()


def _answer(result: CausalModel, names: dict[str, str]) -> str:
    """Say in words what is known of the effect that was asked for, and what the data say of the graph."""
    lines = [_IF_RIGHT, *_effect(result, names)] if result.minimal_adjustment_sets is not None else []
    if result.conditional is not None:
        told = result.conditional
        given = ", ".join(names[node] for node in told.given)
        lines.append(f"Given {given}, it {_VERDICT[told.identifiable]}.")
        lines += [f"Reason: {told.reason}."] if told.reason else []
        lines += [f"`{told.estimand}`"] if told.estimand else []
    tested = [test for test in result.tests if test.p_holm is not None]
    if tested:
        against = sum((test.p_holm or 0.0) < LEVEL for test in tested)
        lines.append(
            f"The graph implies {len(result.tests)} independencies; of {len(tested)} tested, {against} have"
            f" an adjusted p below {LEVEL} and speak against the graph (`independencies.csv`)."
        )
    return "".join(f"\n{line}" for line in ["", *lines]) if lines else ""


_IF_RIGHT = (
    "What follows holds if the graph is right: no arrow that exists is missing, and every common cause of two"
    " variables is a node or a bidirected edge."
)
LEVEL = 0.05
"""Adjusted p below which the README counts an independence as contradicted."""

_VERDICT = {True: "is identifiable", False: "is not identifiable", None: "was not decided"}


def _effect(result: CausalModel, names: dict[str, str]) -> list[str]:
    cause, effect = (", ".join(names[n] for n in ids) for ids in (result.exposure, result.outcome))
    lines = [f"The effect of {cause} on {effect} {_VERDICT[result.identifiable]}."]
    lines += [f"Reason: {result.reason}."] if result.reason else []
    lines += [f"`{result.estimand}`"] if result.estimand else []
    sets = result.minimal_adjustment_sets or ()
    shown = [", ".join(names[node] for node in one) or "nothing" for one in sets[:SHOWN]]
    more = f" and {len(sets) - SHOWN} more in `answers.json`" if len(sets) > SHOWN else ""
    told = f"Minimal sets to adjust for: {' | '.join(shown)}{more}."
    return [*lines, told if sets else "No set to adjust for exists."]


SHOWN = 20
"""Adjustment sets the README names."""


def _dag_files(result: CausalModel, names: dict[str, str]) -> dict[str, tuple[bytes, str]]:
    answers = {key: value for key, value in result.model_dump(mode="json").items() if key in _ANSWERS}
    files = {
        "dagitty.txt": (dagitty(result, names), "the DAG in dagitty's syntax"),
        "dagitty.R": (dagitty_script(result, names), "opens it with the R package dagitty"),
        "dag.gml": (gml(result, names, canonical=True), "the DAG for dowhy, latent causes as nodes"),
        "analysis.py": (dowhy_script(result, names), "identifies, estimates and refutes with dowhy"),
        "answers.json": (json_bytes(answers), "what follows from the graph; sets hold ids of nodes"),
    }
    if len(result.cpts) == len(result.nodes) > 0:
        files["network.bif"] = (bif(result), "the Bayesian network with its tables (BIF)")
        files["network.bifxml"] = (xmlbif(result), "the same as XMLBIF 0.3, under the ending pyAgrum knows")
        files["inference.py"] = (inference(result), "asks the network with pgmpy: what is likely, given what")
    if result.cpts:
        tables = [table.model_dump(mode="json") for table in result.cpts]
        files["cpt.json"] = (json_bytes(tables), "the conditional probability tables")
    return files


def _query(result: CausalModel) -> JsonDict:
    return {
        "model_type": result.model_type,
        "exposure": list(result.exposure),
        "outcome": list(result.outcome),
        "adjusted": [node.id for node in result.nodes if node.adjusted],
        "selected": [node.id for node in result.nodes if node.selected],
        "latent": [node.id for node in result.nodes if node.latent],
        "dropped_edges": [[edge.source_id, edge.target_id] for edge in result.dropped_edges],
    }


def _passages(result: CausalModel) -> Iterator[tuple[str, Passage]]:
    for edge in (*result.edges, *result.dropped_edges):
        for passage in edge.passages:
            yield edge.id, passage


def _facts(result: CausalModel) -> JsonDict:
    return {
        "nodes": len(result.nodes),
        "edges": len(result.edges),
        "acyclic": result.acyclic,
        "cycles": [list(walk) for walk in result.cycles],
        "priors": {t.node: [t.prior, t.prior_weight] for t in result.cpts if t.prior is not None},
        "data": None if result.data is None else {"rows": len(result.data.rows), "order": _ORDER},
    }


_ORDER = "row n of data.csv is row n of the data given"
