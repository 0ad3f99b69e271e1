"""Tool 24: a causal graph with what identifies an effect, or a Bayesian network with its tables."""

from collections.abc import Sequence

from corpusgraph.schemas.base import JsonDict
from corpusgraph.schemas.errors import PreparationError, did_you_mean
from corpusgraph.schemas.results import Noted, ToolWarning
from corpusgraph.tasks.analysis.causal.identification import Asked, Query, answers
from corpusgraph.tasks.analysis.causal.independence import basis_set, independencies
from corpusgraph.tasks.analysis.causal.models import (
    CausalModel,
    Independence,
    MarkovStatement,
    PrepareCausalModel,
)
from corpusgraph.tasks.analysis.causal.rows import read_data
from corpusgraph.tasks.analysis.causal.structure import Structure, structure
from corpusgraph.tasks.analysis.causal.tables import tables
from corpusgraph.tasks.analysis.causal.tests import tested_independencies
from corpusgraph.tasks.analysis.checks import NAMED, check_writable
from corpusgraph.tasks.registry import tool

Names = tuple[str, ...]


@tool(
    24,
    writes="causal_model",
    needs={"Entity.id", "Relationship.source_id", "Relationship.target_id"},
    optional={"Entity.name", "Relationship.type", "Relationship.is_causal", "Relationship.confidence"},
    cite="Pearl 2009, Causality; Shpitser & Pearl 2006; van der Zander, Liskiewicz & Textor 2019",
)
def prepare_causal_model(ask: PrepareCausalModel) -> Noted[CausalModel]:
    """Structure data for causal analysis: a DAG, a Bayesian network, or a query for do-calculus.

    With exposure and outcome: every minimal adjustment set, the front-door sets, instruments, whether
    the effect is identifiable, and by which formula. An effect that is not identifiable is a result.
    With data: tests of the independencies that the graph implies, and the tables of a Bayesian network.
    Errors: `cyclic_graph` (one cycle is named; no arrow is ever removed unasked), `duplicate_id`,
    `empty_id`, `dangling_edge`, `unknown_relation_type`, `no_query` (do_calculus without exposure or
    outcome), `unknown_variable`, `cpt_not_normalised`, `cpt_incomplete`, `needs_discretisation`.
    """
    check_writable({name: value for name, value in ask if name not in {"data", "notes"}})
    made = structure(ask)
    exposure, outcome, given = (_variables(made, names, what) for names, what in _query_names(ask))
    _check_query(made, exposure, outcome, given)
    model = CausalModel(
        model_type=ask.model_type,
        nodes=tuple(made.nodes),
        edges=tuple(made.edges),
        dropped_edges=tuple(made.dropped),
        acyclic=not made.cycles,
        cycles=tuple(made.cycles),
        exposure=exposure,
        outcome=outcome,
    )
    if not made.cycles:
        update = _follows(made, exposure, outcome, given)
        update |= _in_data(ask, made, update["implied_independencies"])
        model = model.model_copy(update=update)
    return Noted(data=model, warnings=tuple(made.warnings))


def _query_names(ask: PrepareCausalModel) -> list[tuple[Names, str]]:
    asked: list[tuple[Names, str]] = []
    wanted = ask.model_type == "do_calculus" or ask.exposure or ask.outcome or ask.given
    for names, what in ((ask.exposure, "exposure"), (ask.outcome, "outcome")):
        if not names and wanted:
            raise PreparationError(
                f"The {what} is missing.",
                code="no_query",
                hint="Name exposure and outcome by the ids or names of their entities.",
            )
        asked.append((_several(names), what))
    return [*asked, (_several(ask.given), "variable given")]


def _several(names: str | Names | None) -> Names:
    return (names,) if isinstance(names, str) else names or ()


def _variables(made: Structure, names: Sequence[str], what: str) -> Names:
    known = made.names()
    found = []
    for name in names:
        by_name = [node for node, label in known.items() if label == name]
        if name not in known and len(by_name) != 1:
            close = did_you_mean(name, [*known, *known.values()])
            close = close or f"The variables are {', '.join([*known][:NAMED]) or 'none'}."
            raise PreparationError(
                f"The {what} {name!r} is {'the name of several variables' if by_name else 'no variable'}.",
                code="unknown_variable",
                hint=f"Use an id: {', '.join(by_name)}." if by_name else close,
            )
        found.append(name if name in known else by_name[0])
    return tuple(dict.fromkeys(found))


def _check_query(made: Structure, exposure: Names, outcome: Names, given: Names) -> None:
    """Raise where one variable has two parts to play."""
    names = made.names()
    roles = [(node, "exposure") for node in exposure] + [(node, "outcome") for node in outcome]
    roles += [(node, "given") for node in given]
    if exposure and outcome:
        held = [node for node in made.nodes if node.adjusted or node.selected]
        roles += [(n.id, "adjusted" if n.adjusted else "selected") for n in held]
    first: dict[str, str] = {}
    for node, role in roles:
        before = first.setdefault(node, role)
        if before != role and {before, role} != {"given", "adjusted"}:
            raise PreparationError(
                f"{names[node]!r} is {before} and {role}.",
                code="no_query" if role == "outcome" else "invalid_input",
                hint="Each variable has one part in a query.",
            )


def _follows(made: Structure, exposure: Names, outcome: Names, given: Names) -> JsonDict:
    """Return the fields of the model that an acyclic structure implies."""
    graph = made.graph
    selected = frozenset(node.id for node in made.nodes if node.selected)
    found: JsonDict = {
        "topological_order": graph.order(),
        "roots": tuple(node for node in graph.nodes if not graph.parents[node]),
        "leaves": tuple(node for node in graph.nodes if not graph.children[node]),
        "implied_independencies": _independencies(made, selected),
        "basis_set": _basis(made, selected),
    }
    if exposure and outcome:
        adjusted = frozenset(node.id for node in made.nodes if node.adjusted)
        query = Query(graph, frozenset(exposure), frozenset(outcome), adjusted, selected)
        found |= answers(Asked(made, query, exposure, outcome, given))
    return found


def _independencies(made: Structure, selected: frozenset[str]) -> tuple[Independence, ...]:
    found, left_out = independencies(made.graph, selected)
    if left_out:
        made.warnings.append(ToolWarning(code="list_cut", message=left_out))
    return tuple(Independence(x=x, y=y, given=given) for x, y, given in found)


def _basis(made: Structure, selected: frozenset[str]) -> tuple[MarkovStatement, ...]:
    found, left_out = basis_set(made.graph, selected)
    if left_out:
        made.warnings.append(ToolWarning(code="list_cut", message=left_out))
    return tuple(MarkovStatement(x=x, others=others, given=given) for x, others, given in found)


def _in_data(ask: PrepareCausalModel, made: Structure, implied: Sequence[Independence]) -> JsonDict:
    """Return the fields that need data, and the tables of a Bayesian network, which may come without."""
    data = read_data(ask, made)
    found: JsonDict = {}
    if ask.model_type == "bayesian":
        found["cpts"] = tables(ask, made, data)
    if data is not None:
        found["data"] = data.table
        found["tests"] = tested_independencies(made, data, implied)
    return found
