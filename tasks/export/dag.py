"""The causal bundle: DAG for dagitty and dowhy, Bayesian network, answers, and the evidence for arrows."""

from collections.abc import Iterator, Sequence
from itertools import pairwise

from corpusgraph.schemas.base import JsonDict
from corpusgraph.schemas.results import ToolWarning
from corpusgraph.tasks.export.bif import bif, bif_names, bif_states, xmlbif
from corpusgraph.tasks.export.bundle import json_bytes
from corpusgraph.tasks.export.causal_scripts import dagitty_script, dowhy_script
from corpusgraph.tasks.export.causal_text import dagitty, dot, gml, node_names, roles
from corpusgraph.tasks.export.folder import Files, Folder, Sheet
from corpusgraph.tasks.prepare._causal_nouns import CausalEdge, CausalModel
from corpusgraph.tasks.prepare._passage import Passage

_ANSWERS = (
    "minimal_adjustment_sets",
    "minimal_front_door_sets",
    "instruments",
    "identifiable",
    "identified_by",
    "estimand",
    "hedge",
    "reason",
    "implied_independencies",
)

_CYCLIC = """The causal statements of the corpus make a cycle, so this is a causal network and not yet a DAG:
`cycles.csv` lists the arrows of each cycle with the evidence for them. Name the arrow to leave out under
`drop_edges` in the study and run it again; the files for dagitty and dowhy follow then."""

_ACYCLIC = """`dagitty.txt` pastes into dagitty.net and `dagitty.R` opens it in R; `python analysis.py` reads
`dag.gml` with dowhy and asks the same question again. `answers.json` holds the answers computed here:
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
    sheets = [_nodes(result, names), _edges(result, names)]
    if result.acyclic:
        files |= _dag_files(result, names)
        sheets.append(_independencies(result, names))
    else:
        sheets.append(_cycles(result, names))
    has_bif = "network.bif" in files
    restricted = bif_names(result) if has_bif else {}
    if has_bif:
        sheets.append(_states(result, restricted))
    given = {n.id: (n.label, names[n.id], *([restricted[n.id]] if has_bif else [])) for n in result.nodes}
    return Folder(
        kind=result.model_type,
        name=name,
        title=title,
        opening=_ACYCLIC + _answer(result, names) if result.acyclic else _CYCLIC,
        files=files,
        sheets=sheets,
        names=given,
        name_columns=("id", "old_name", "new_name", *(["bif_name"] if has_bif else [])),
        passages=_passages(result),
        facts=_facts(result),
        warnings=warnings,
    ).close()


def _answer(result: CausalModel, names: dict[str, str]) -> str:
    """Say in words what is known of the effect that was asked for."""
    if result.minimal_adjustment_sets is None:
        return ""
    sets = [", ".join(names[node] for node in s) or "nothing" for s in result.minimal_adjustment_sets]
    cause, effect = (", ".join(names[n] for n in ids) for ids in (result.exposure, result.outcome))
    verdict = {True: "is identifiable", False: "is not identifiable", None: "was not decided"}
    lines = [f"\n\nThe effect of {cause} on {effect} {verdict[result.identifiable]}."]
    lines += [f"Reason: {result.reason}."] if result.reason else []
    lines += [f"`{result.estimand}`"] if result.estimand else []
    lines += (
        [f"Minimal sets to adjust for: {' | '.join(sets)}."] if sets else ["No set to adjust for exists."]
    )
    return "\n".join(lines)


def _dag_files(result: CausalModel, names: dict[str, str]) -> dict[str, tuple[bytes, str]]:
    answers = {key: value for key, value in result.model_dump(mode="json").items() if key in _ANSWERS}
    files = {
        "dagitty.txt": (dagitty(result, names), "the DAG in dagitty's syntax"),
        "dagitty.R": (dagitty_script(result, names), "opens it with the R package dagitty"),
        "dag.gml": (gml(result, names, canonical=True), "the DAG for dowhy, latent causes as nodes"),
        "analysis.py": (dowhy_script(result, names), "identifies the effect with dowhy"),
        "answers.json": (json_bytes(answers), "what follows from the graph; sets hold ids of nodes"),
    }
    if len(result.cpts) == len(result.nodes) > 0:
        files["network.bif"] = (bif(result), "the Bayesian network with its tables (BIF)")
        files["network.xmlbif"] = (xmlbif(result), "the same as XMLBIF 0.3")
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


def _nodes(result: CausalModel, names: dict[str, str]) -> Sheet:
    columns = (
        ("id", "t", "id"),
        ("name", "t", "name as given"),
        ("node", "t", "name in these files"),
        ("role", "t", "exposure, outcome, latent, adjusted, selected"),
        ("n_causes", "n", "arrows into it"),
        ("n_effects", "n", "arrows out of it"),
    )
    arrows = [edge for edge in result.edges if edge.type != "bidirected"]
    rows = [
        (
            node.id,
            node.label,
            names[node.id],
            " ".join(roles(result, node)),
            sum(edge.target_id == node.id for edge in arrows),
            sum(edge.source_id == node.id for edge in arrows),
        )
        for node in result.nodes
    ]
    return Sheet("nodes.csv", "the variables", columns, rows)


_EDGE_COLUMNS: tuple[tuple[str, str, str], ...] = (
    ("source", "t", "cause, or one end"),
    ("target", "t", "effect, or the other end"),
    ("type", "t", "causes, prevents, or bidirected (unobserved common cause)"),
    ("sign", "n", "1 promotes, -1 prevents, 0 both are stated"),
    ("confidence", "x", "0 to 1: 1 - product of (1 - c) over passages for, times their share"),
    ("n_for", "n", "passages that state it"),
    ("n_against", "n", "passages that deny it"),
    ("kept", "b", "false: dropped as asked"),
    ("for", "t", "first passage that states it"),
    ("against", "t", "first passage that denies it"),
)


def _edges(result: CausalModel, names: dict[str, str]) -> Sheet:
    rows = [
        *(_edge_row(edge, names, kept=True) for edge in result.edges),
        *(_edge_row(edge, names, kept=False) for edge in result.dropped_edges),
    ]
    return Sheet("edges.csv", "the arrows with the evidence for and against each", _EDGE_COLUMNS, rows)


def _edge_row(edge: CausalEdge, names: dict[str, str], *, kept: bool) -> tuple[object, ...]:
    first = {passage.stance: passage.text for passage in reversed(edge.passages)}
    return (
        names[edge.source_id],
        names[edge.target_id],
        edge.type,
        edge.sign,
        edge.confidence,
        edge.n_for,
        edge.n_against,
        kept,
        first.get("for"),
        first.get("against"),
    )


def _cycles(result: CausalModel, names: dict[str, str]) -> Sheet:
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


def _independencies(result: CausalModel, names: dict[str, str]) -> Sheet:
    columns = (
        ("x", "t", "variable"),
        ("y", "t", "variable"),
        ("given", "t", "variables to hold fixed, separated by blanks"),
    )
    rows = [
        (names[one.x], names[one.y], " ".join(names[node] for node in one.given))
        for one in result.implied_independencies
    ]
    return Sheet("independencies.csv", "independencies the graph implies, testable in data", columns, rows)


def _states(result: CausalModel, names: dict[str, str]) -> Sheet:
    columns = (
        ("node", "t", "name in the BIF files"),
        ("state", "t", "state as given"),
        ("bif_state", "t", "state in the BIF files"),
    )
    rows = [(names[table.node], *pair) for table in result.cpts for pair in bif_states(table.states).items()]
    return Sheet("states.csv", "the states of the variables, as given and in the BIF files", columns, rows)


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
        "prior_weight": next((t.prior_weight for t in result.cpts if t.prior_weight is not None), None),
    }
