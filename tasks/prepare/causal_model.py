"""Tool 24: a causal graph with what identifies an effect, or a Bayesian network with its tables."""

from collections.abc import Sequence

from corpusgraph.schemas.base import JsonDict
from corpusgraph.schemas.errors import PreparationError, did_you_mean
from corpusgraph.schemas.results import Noted, ToolWarning
from corpusgraph.tasks._tool import tool
from corpusgraph.tasks.prepare._adjustment import (
    Listing,
    Query,
    adjustment_sets,
    front_door_sets,
    instruments,
)
from corpusgraph.tasks.prepare._causal_nouns import (
    CausalModel,
    Hedge,
    Independence,
    Instrument,
    PrepareCausalModel,
)
from corpusgraph.tasks.prepare._causal_structure import Structure, structure
from corpusgraph.tasks.prepare._causal_tables import tables
from corpusgraph.tasks.prepare._estimand import Expression, render
from corpusgraph.tasks.prepare._identify import (
    HedgeFound,
    adjustment_formula,
    front_door_formula,
    identify,
)
from corpusgraph.tasks.prepare._independence import independencies

MAX_IDENTIFY = 60
"""Observed nodes up to which the ID algorithm runs."""


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
    Errors: `cyclic_graph` (one cycle is named; no arrow is ever removed unasked), `duplicate_id`,
    `empty_id`, `dangling_edge`, `unknown_relation_type`, `no_query` (do_calculus without exposure or
    outcome), `unknown_variable`, `cpt_not_normalised`, `cpt_incomplete`, `needs_discretisation`.
    """
    made = structure(ask)
    exposure, outcome = (_variables(made, names, what) for names, what in _query_names(ask))
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
        model = model.model_copy(update=_follows(ask, made, exposure, outcome))
    return Noted(data=model, warnings=tuple(made.warnings))


def _query_names(ask: PrepareCausalModel) -> list[tuple[tuple[str, ...], str]]:
    asked: list[tuple[tuple[str, ...], str]] = []
    for names, what in ((ask.exposure, "exposure"), (ask.outcome, "outcome")):
        if not names and (ask.model_type == "do_calculus" or ask.exposure or ask.outcome):
            raise PreparationError(
                f"The {what} is missing.",
                code="no_query",
                hint="Name exposure and outcome by the ids or names of their entities.",
            )
        asked.append(((names,) if isinstance(names, str) else names or (), what))
    return asked


def _variables(made: Structure, names: Sequence[str], what: str) -> tuple[str, ...]:
    known = made.names()
    found = []
    for name in names:
        by_name = [node for node, label in known.items() if label == name]
        if name not in known and len(by_name) != 1:
            close = did_you_mean(name, [*known, *known.values()])
            raise PreparationError(
                f"The {what} {name!r} is {'the name of several variables' if by_name else 'no variable'}.",
                code="unknown_variable",
                hint=f"Use an id: {', '.join(by_name)}." if by_name else close,
            )
        found.append(name if name in known else by_name[0])
    return tuple(dict.fromkeys(found))


def _follows(
    ask: PrepareCausalModel, made: Structure, exposure: tuple[str, ...], outcome: tuple[str, ...]
) -> JsonDict:
    """Return the fields of the model that an acyclic structure implies."""
    graph = made.graph
    if set(exposure) & set(outcome):
        raise PreparationError("Exposure and outcome are the same variable.", code="no_query")
    found: JsonDict = {
        "topological_order": graph.order(),
        "roots": tuple(node for node in graph.nodes if not graph.parents[node]),
        "leaves": tuple(node for node in graph.nodes if not graph.children[node]),
        "implied_independencies": _independencies(made),
    }
    if exposure and outcome:
        found |= _answers(made, exposure, outcome)
    if ask.model_type == "bayesian":
        found["cpts"] = tables(ask, made)
    elif ask.data is not None:
        message = "Data are used for the tables of a bayesian model only, and were not read."
        made.warnings.append(ToolWarning(code="data_unused", message=message))
    return found


def _independencies(made: Structure) -> tuple[Independence, ...]:
    selected = frozenset(node.id for node in made.nodes if node.selected)
    found, left_out = independencies(made.graph, selected)
    if left_out:
        made.warnings.append(ToolWarning(code="list_cut", message=left_out))
    return tuple(Independence(x=x, y=y, given=given) for x, y, given in found)


def _answers(made: Structure, exposure: tuple[str, ...], outcome: tuple[str, ...]) -> JsonDict:
    query = Query(
        made.graph,
        frozenset(exposure),
        frozenset(outcome),
        frozenset(node.id for node in made.nodes if node.adjusted),
        frozenset(node.id for node in made.nodes if node.selected),
    )
    adjusting = _told(made, adjustment_sets(query), "adjustment")
    front_door = _told(made, front_door_sets(query), "front-door")
    found = {
        "minimal_adjustment_sets": adjusting,
        "minimal_front_door_sets": front_door,
        "instruments": tuple(Instrument(instrument=node, given=given) for node, given in instruments(query)),
    }
    return found | _identification(made, query, exposure, outcome, adjusting, front_door)


def _told(made: Structure, found: Listing, kind: str) -> tuple[tuple[str, ...], ...]:
    if not found.complete:
        message = f"The list of minimal {kind} sets was cut at {len(found.sets)}; there may be more."
        made.warnings.append(ToolWarning(code="list_cut", message=message))
    return found.sets


def _identification(
    made: Structure,
    query: Query,
    exposure: tuple[str, ...],
    outcome: tuple[str, ...],
    adjusting: Sequence[tuple[str, ...]],
    front_door: Sequence[tuple[str, ...]],
) -> JsonDict:
    """Say whether the effect is identifiable; prefer the formula a reader knows best."""
    if adjusting:
        return _by(made, query, "adjustment", adjustment_formula(exposure, outcome, adjusting[0]))
    if front_door:
        return _by(made, query, "front_door", front_door_formula(exposure, outcome, front_door[0]))
    hidden = [node for node in (*exposure, *outcome) if node in query.graph.latent]
    if hidden:
        return {"identifiable": False, "reason": f"not observed: {', '.join(hidden)}"}
    if query.selected or len(query.graph.observed) > MAX_IDENTIFY:
        return {"reason": _UNDECIDED_SELECTION if query.selected else _UNDECIDED_SIZE}
    return _by_id_algorithm(made, query, exposure, outcome)


_UNDECIDED_SELECTION = "not decided: the sample is selected, and no adjustment set recovers the effect"
_UNDECIDED_SIZE = f"not decided: more than {MAX_IDENTIFY} observed variables"


def _by_id_algorithm(
    made: Structure, query: Query, exposure: tuple[str, ...], outcome: tuple[str, ...]
) -> JsonDict:
    answer = identify(query.graph, exposure, outcome)
    if isinstance(answer, HedgeFound):
        hedge = Hedge(forest=answer.forest, inner=answer.inner)
        return {"identifiable": False, "hedge": hedge, "reason": "a hedge makes the effect not identifiable"}
    return _by(made, query, "id", answer)


def _by(made: Structure, query: Query, method: str, formula: Expression) -> JsonDict:
    names = made.names()
    effect = ", ".join(names[node] for node in query.graph.nodes if node in query.outcome)
    done = ", ".join(names[node] for node in query.graph.nodes if node in query.exposure)
    text = render(formula, names, query.exposure | query.outcome)
    if query.selected:
        text += " within the selected sample"
    return {"identifiable": True, "identified_by": method, "estimand": f"P({effect} | do({done})) = {text}"}
