"""What the structure of a causal graph says about an effect: sets, instruments, identifiability."""

from collections.abc import Sequence
from dataclasses import dataclass

from corpusgraph.schemas.base import JsonDict
from corpusgraph.schemas.results import ToolWarning
from corpusgraph.tasks.prepare.causal.adjustment import Listing, Query, adjustment_sets, instruments
from corpusgraph.tasks.prepare.causal.estimand import Expression, render
from corpusgraph.tasks.prepare.causal.frontdoor import front_door_sets
from corpusgraph.tasks.prepare.causal.identify import (
    MAX_TERMS,
    Answer,
    HedgeFound,
    adjustment_formula,
    front_door_formula,
    identify,
    identify_given,
)
from corpusgraph.tasks.prepare.causal.nouns import ConditionalEffect, Hedge, Instrument
from corpusgraph.tasks.prepare.causal.structure import Structure

Names = tuple[str, ...]


@dataclass(frozen=True)
class Asked:
    """The query in the order it was asked: its graph and roles in `query`."""

    made: Structure
    query: Query
    exposure: Names
    outcome: Names
    given: Names = ()

    def hidden(self) -> Names:
        """Return what the query names and nobody observed."""
        named = (*self.exposure, *self.outcome, *self.given)
        return tuple(node for node in named if node in self.query.graph.latent)


def answers(asked: Asked) -> JsonDict:
    """Return the fields of the model that answer the query."""
    made, query = asked.made, asked.query
    adjusting = _told(made, adjustment_sets(query), "adjustment")
    front_door = _told(made, front_door_sets(query), "front-door")
    found = {
        "minimal_adjustment_sets": adjusting,
        "minimal_front_door_sets": front_door,
        "instruments": tuple(Instrument(instrument=node, given=given) for node, given in instruments(query)),
    }
    found |= _identification(asked, adjusting, front_door)
    return found | ({"conditional": _conditional(asked)} if asked.given else {})


def _told(made: Structure, found: Listing, kind: str) -> tuple[Names, ...]:
    if not found.complete:
        message = f"The list of minimal {kind} sets was cut at {len(found.sets)}; there may be more."
        made.warnings.append(ToolWarning(code="list_cut", message=message))
    return found.sets


def _identification(asked: Asked, adjusting: Sequence[Names], front_door: Sequence[Names]) -> JsonDict:
    """Say whether the effect is identifiable; prefer the formula a reader knows best."""
    exposure, outcome = asked.exposure, asked.outcome
    if adjusting:
        formula = adjustment_formula(exposure, outcome, adjusting[0])
        return _by(asked, formula) | {"identified_by": "adjustment"}
    if front_door:
        formula = front_door_formula(exposure, outcome, front_door[0])
        return _by(asked, formula) | {"identified_by": "front_door"}
    if undecided := _undecided(asked):
        return undecided
    answer = identify(asked.query.graph, exposure, outcome)
    return _answered(asked, answer) | ({} if isinstance(answer, HedgeFound) else {"identified_by": "id"})


def _conditional(asked: Asked) -> ConditionalEffect:
    found = _undecided(asked)
    if not found:
        answer = identify_given(asked.query.graph, asked.exposure, asked.outcome, asked.given)
        found = _answered(asked, answer, asked.given)
    return ConditionalEffect.model_validate({"given": asked.given, **found})


def _undecided(asked: Asked) -> JsonDict:
    if hidden := asked.hidden():
        return {"identifiable": False, "reason": f"not observed: {', '.join(hidden)}"}
    return {"reason": _SELECTION} if asked.query.selected else {}


_SELECTION = "not decided: the sample is selected, and no adjustment set recovers the effect"


def _answered(asked: Asked, answer: Answer, given: Names = ()) -> JsonDict:
    if isinstance(answer, HedgeFound):
        hedge = Hedge(forest=answer.forest, inner=answer.inner)
        return {"identifiable": False, "hedge": hedge, "reason": "a hedge makes the effect not identifiable"}
    if answer is None:
        reason = f"the formula has more than {MAX_TERMS} probabilities and is not written down"
        return {"identifiable": True, "reason": reason}
    return _by(asked, answer, given)


def _by(asked: Asked, formula: Expression, given: Names = ()) -> JsonDict:
    """Write an identified effect; a variable that the formula leaves free may have any value."""
    names = asked.made.unique_names()
    bound = {*asked.exposure, *asked.outcome, *given}
    effect, done, seen = (", ".join(names[n] for n in ids) for ids in (asked.outcome, asked.exposure, given))
    text = render(formula, names, bound)
    free = [names[node] for node in asked.query.graph.nodes if node in formula.free - bound]
    text += f", for any value of {', '.join(free)}" if free else ""
    text += " within the selected sample" if asked.query.selected else ""
    held = f", {seen}" if seen else ""
    return {"identifiable": True, "estimand": f"P({effect} | do({done}){held}) = {text}"}
